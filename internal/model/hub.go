package model

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"loci"
	"loci/internal/model/server"
	"loci/internal/redact"
	"loci/internal/wire/ollama"
)

// How fresh a Hub keeps its lists of models.
const (
	listAge   = 5 * time.Second        // older lists of models are renewed in the background
	listLimit = time.Second            // a server that takes longer to list its models counts as down
	missAge   = 500 * time.Millisecond // a name is not called unknown on an older list
)

// Config is what a Hub is made of.
type Config struct {
	Backends    []server.Backend
	Default     string             // the model for requests that name none; empty: see [Hub.Resolve]
	Aliases     map[string]string  // another name of a model → the model
	Passthrough []string           // models that clients get bare, without the agent
	Tier        loci.Tier          // for every model, whatever its profile says; empty: by profile
	Window      int                // context length to ask Ollama for, in tokens; 0: the server's own
	Models      map[string]Setting // of single models, by their names
	Timeouts    server.Timeouts
	Profiles    ProfileStore     // nil: profiles last as long as the Hub
	Quiet       time.Duration    // without a chat, before the trials of a model begin; 0: half a minute
	Instance    string           // id of this loci
	Logger      *slog.Logger     // nil: no log
	Hide        *redact.Redactor // see [server.Config]
}

// Hub is several model servers behind one name space. It is safe for
// concurrent use.
type Hub struct {
	config Config
	ctx    context.Context // of what runs in the background
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	members  []*member // in the order of preference
	profiles map[profileKey]*acquaintance
}

// member is a server of the hub.
type member struct {
	name   string // what SetBackend calls it
	client *server.Client
	queue  *courtesy
	list   cache[listing]
}

// listing is what a server said when it was last asked for its models.
type listing struct {
	models []loci.ModelInfo
	err    error            // why there are no models now
	known  []loci.ModelInfo // the last list that it did give
}

// New makes a Hub. It does not connect to any backend; they may be down.
func New(c Config) *Hub {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Quiet = cmp.Or(c.Quiet, trialQuiet)
	h := &Hub{config: c, profiles: make(map[profileKey]*acquaintance)}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	for _, b := range c.Backends {
		h.SetBackend(b.URL, b)
	}
	return h
}

// Close ends what runs in the background and drops idle connections.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	h.tasks.Wait()
	for _, m := range h.all() {
		m.client.Close()
	}
}

// spawn runs f in the background. Close waits for it, and ends it through the
// context of the Hub.
func (h *Hub) spawn(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed { // f finds its context cancelled and ends at once
		go f()
		return
	}
	h.tasks.Go(f)
}

// SetBackend adds a backend, or replaces the one of that name: a server that
// was started anew may have another port. The first come are preferred.
func (h *Hub) SetBackend(name string, b server.Backend) {
	m := &member{name: name, queue: newCourtesy(), client: server.New(server.Config{
		Backend:  b,
		Timeouts: h.config.Timeouts,
		Instance: h.config.Instance,
		Window:   h.config.window,
		Logger:   h.config.Logger,
		Hide:     h.config.Hide,
	})}
	m.list = cache[listing]{ttl: listAge, spawn: h.spawn, ask: func() (listing, error) { return h.ask(m), nil }}
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.members, func(m *member) bool { return m.name == name })
	if i < 0 {
		h.members = append(slices.Clip(h.members), m)
		return
	}
	h.members = slices.Clone(h.members) // others may be reading the old slice
	old := h.members[i].client
	h.members[i] = m
	old.Close()
	maps.DeleteFunc(h.profiles, func(k profileKey, _ *acquaintance) bool { return k.server == old.Backend().URL })
}

// all gives the members of this moment.
func (h *Hub) all() []*member {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.members
}

// ask has a server list its models. Its failure is part of the answer, so that
// it is remembered like one: a server that is down is not asked for every
// request, and what it had is still known.
func (h *Hub) ask(m *member) listing {
	ctx, cancel := context.WithTimeout(h.ctx, listLimit)
	defer cancel()
	models, err := m.client.Models(ctx)
	if err == nil {
		return listing{models: models, known: models}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = m.client.Backend().Unreachable(err)
	}
	h.config.Logger.Debug("a model server does not list its models", "url", m.client.Backend().URL, "error", err)
	return listing{err: err, known: m.list.last().known}
}

// listed is a server with its listing.
type listed struct {
	*member
	listing
}

// lists gives the listings of all servers, none older than age, or with age 0
// as they are remembered. They are fetched side by side, so the slowest server
// sets the time, and listLimit the longest.
func (h *Hub) lists(ctx context.Context, age time.Duration) ([]listed, error) {
	members := h.all()
	for _, m := range members {
		m.list.prepare()
	}
	all := make([]listed, len(members))
	for i, m := range members {
		fetch := m.list.get
		if age > 0 {
			fetch = func(ctx context.Context) (listing, error) { return m.list.renew(ctx, age) }
		}
		l, err := fetch(ctx)
		if err != nil {
			return nil, err
		}
		all[i] = listed{m, l}
	}
	return all, nil
}

// Models lists the models of all servers, each name once; where two servers
// have the same, the first one's counts. A server that is down is left out and
// does not delay the others.
//
// In front is the default model under the name "loci", if there is one: many
// clients offer only what is listed, and take the first; so a person can choose
// "whatever loci uses" and need not choose again when that changes. It is the
// only name that is added. Aliases are for clients that bring their own names,
// and loci/NAME and bare/NAME would triple every list.
func (h *Hub) Models(ctx context.Context) []loci.ModelInfo {
	lists, err := h.lists(ctx, 0)
	if err != nil { // ctx ended
		return nil
	}
	seen := make(map[string]bool)
	var models []loci.ModelInfo
	if t, ok := h.find(lists, alias); ok && !exactly(t.Model.ID, alias) {
		seen[alias] = true
		t.Model.ID = alias
		models = append(models, t.Model)
	}
	for _, l := range lists {
		for _, m := range l.models {
			if seen[m.ID] {
				continue
			}
			seen[m.ID] = true
			m.Passthrough = h.bare(m.ID)
			models = append(models, m)
		}
	}
	return models
}

// Status is how a backend is doing.
type Status struct {
	Backend server.Backend
	Models  int   // how many it lists
	Err     error // why it lists none
}

// Status tells how each backend is doing at the moment.
func (h *Hub) Status(ctx context.Context) []Status {
	lists, err := h.lists(ctx, missAge)
	if err != nil { // ctx ended
		return nil
	}
	states := make([]Status, len(lists))
	for i, l := range lists {
		states[i] = Status{l.client.Backend(), len(l.models), l.err}
	}
	return states
}

// Running lists the models that servers have loaded, as far as these tell; see
// [server.Client.Running]. A server that is down is left out.
func (h *Hub) Running(ctx context.Context) []ollama.Running {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	members := h.all()
	lists := make([][]ollama.Running, len(members))
	var tasks sync.WaitGroup
	for i, m := range members {
		tasks.Go(func() {
			var err error
			if lists[i], err = m.client.Running(ctx); err != nil {
				h.config.Logger.Debug("a model server does not tell what it has loaded", "url", m.client.Backend().URL, "error", err)
			}
		})
	}
	tasks.Wait()
	return slices.Concat(lists...)
}

// Chat streams one reply of a model of any name that Resolve knows; see
// [server.Client.Chat]. Pictures for a model that is known to be blind are refused.
// A call for a client's job waits until it is in nobody's way; see [Hub.Job].
func (h *Hub) Chat(ctx context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	return func(yield func(loci.Chunk, error) bool) {
		t, err := h.Resolve(ctx, req.Model)
		if err != nil {
			yield(loci.Chunk{}, err)
			return
		}
		if req.Purpose == loci.PurposeJob {
			h.streamJob(ctx, t, req, yield)
			return
		}
		defer h.look(t)
		defer t.queue.chat(h.slots(t))()
		for chunk, err := range h.call(ctx, t, req) {
			if chunk.Finish == loci.FinishTools {
				t.queue.expect()
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// refuseBlind is an error where there are pictures and the model is known to be
// blind.
func refuseBlind(ctx context.Context, t *Target, messages []loci.Message) error {
	if !hasImages(messages) {
		return nil
	}
	if vision, known := sees(ctx, t.Server, t.Model); !known || vision {
		return nil
	}
	return loci.Errorf(loci.Refused, "The model %s cannot look at pictures.", t.Model.ID).
		WithHint("Choose a model with vision, or send the message without the picture.")
}

func hasImages(messages []loci.Message) bool {
	return slices.ContainsFunc(messages, func(m loci.Message) bool { return len(m.Images) > 0 })
}

// Embed turns texts into vectors; see [server.Client.Embed]. The empty name is
// the first embedding model there is.
func (h *Hub) Embed(ctx context.Context, model string, texts []string) (vectors [][]float32, tokens int, err error) {
	t, err := h.embedder(ctx, model)
	if err != nil {
		return nil, 0, err
	}
	return t.Server.Embed(ctx, t.Model.ID, texts)
}

// Vectors turns texts into vectors with the first embedding model there is, and names it
// so that another one has another name, also in another run of the program: by its server
// and, where that tells, its digest.
func (h *Hub) Vectors(ctx context.Context, texts []string) (vectors [][]float32, model string, err error) {
	t, err := h.embedder(ctx, "")
	if err != nil {
		return nil, "", err
	}
	b := t.Server.Backend()
	vectors, _, err = t.Server.Embed(ctx, t.Model.ID, texts)
	return vectors, strings.Join([]string{b.Stable(), b.Digest, t.Model.ID, t.Model.Digest}, " "), err
}

// embedder finds an embedding model.
func (h *Hub) embedder(ctx context.Context, model string) (*Target, error) {
	if model == "" {
		models := h.Models(ctx)
		i := slices.IndexFunc(models, func(m loci.ModelInfo) bool { return m.Embedding })
		if i < 0 {
			return nil, loci.Errorf(loci.NotFound, "There is no embedding model.").
				WithHint("With Ollama, fetch one with: ollama pull all-minilm")
		}
		model = models[i].ID
	}
	return h.Resolve(ctx, model)
}
