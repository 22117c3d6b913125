package model

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"loci"
)

// How fresh a Hub keeps what it knows.
const (
	listAge      = 5 * time.Second        // a list of models; older ones are renewed in the background
	listLimit    = time.Second            // a server that takes longer to list its models counts as down
	missAge      = 500 * time.Millisecond // a name is not called unknown on an older list
	profileAge   = time.Minute            // a profile; the window changes when a server loads a model anew
	profileLimit = 10 * time.Minute       // a first contact may have to load a large model
)

// Config is what a Hub is made of.
type Config struct {
	Backends    []Backend
	Default     string            // the model for requests that name none; empty: see [Hub.Resolve]
	Aliases     map[string]string // another name of a model → the model
	Passthrough []string          // models that clients get bare, without the agent
	Tier        loci.Tier         // for every model, whatever its profile says; empty: by profile
	Window      int               // context length to ask Ollama for, in tokens; 0: the server's own
	Timeouts    Timeouts
	Profiles    ProfileStore // nil: profiles last as long as the Hub
	Instance    string       // id of this loci
	Logger      *slog.Logger // nil: no log
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
	profiles map[profileKey]*cache[loci.Profile]
}

// member is a server of the hub.
type member struct {
	name   string // what SetBackend calls it
	client *Client
	list   cache[listing]
}

// listing is what a server said when it was last asked for its models.
type listing struct {
	models []loci.ModelInfo
	err    error            // why there are no models now
	known  []loci.ModelInfo // the last list that it did give
}

type profileKey struct{ server, model, digest string }

// New makes a Hub. It does not connect to any backend; they may be down.
func New(c Config) *Hub {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	h := &Hub{config: c, profiles: make(map[profileKey]*cache[loci.Profile])}
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
func (h *Hub) SetBackend(name string, b Backend) {
	m := &member{name: name, client: NewClient(ClientConfig{
		Backend:  b,
		Timeouts: h.config.Timeouts,
		Instance: h.config.Instance,
		Window:   h.config.Window,
		Logger:   h.config.Logger,
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
	old := h.members[i]
	h.members[i] = m
	old.client.Close()
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
		err = m.client.Backend().unreachable(err)
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
func (h *Hub) Models(ctx context.Context) []loci.ModelInfo {
	lists, err := h.lists(ctx, 0)
	if err != nil { // ctx ended
		return nil
	}
	seen := make(map[string]bool)
	var models []loci.ModelInfo
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
	Backend Backend
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

// Chat streams one reply of a model of any name that Resolve knows; see
// [Client.Chat]. Pictures for a model that is known to be blind are refused.
func (h *Hub) Chat(ctx context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	return func(yield func(loci.Chunk, error) bool) {
		t, err := h.Resolve(ctx, req.Model)
		if err != nil {
			yield(loci.Chunk{}, err)
			return
		}
		req.Model = t.Model
		if hasImages(req.Messages) {
			if vision, known := t.Client.sees(ctx, t.Model); known && !vision {
				yield(loci.Chunk{}, loci.Errorf(loci.Refused, "The model %s cannot look at pictures.", t.Model).
					WithHint("Choose a model with vision, or send the message without the picture."))
				return
			}
		}
		for chunk, err := range t.Client.Chat(ctx, req) {
			if errors.Is(err, loci.ErrNoTools) {
				h.demote(ctx, t)
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

func hasImages(messages []loci.Message) bool {
	return slices.ContainsFunc(messages, func(m loci.Message) bool { return len(m.Images) > 0 })
}

// Embed turns texts into vectors; see [Client.Embed]. The empty name is the
// first embedding model there is.
func (h *Hub) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	if model == "" {
		models := h.Models(ctx)
		i := slices.IndexFunc(models, func(m loci.ModelInfo) bool { return m.Embedding })
		if i < 0 {
			return nil, loci.Errorf(loci.NotFound, "There is no embedding model.").
				WithHint("With Ollama, fetch one with: ollama pull all-minilm")
		}
		model = models[i].ID
	}
	t, err := h.Resolve(ctx, model)
	if err != nil {
		return nil, err
	}
	return t.Client.Embed(ctx, t.Model, texts)
}

// Profile tells how a model can be used. The first time it asks the server,
// which may take as long as the model needs to load; later what is known is
// given at once, and looked after in the background.
func (h *Hub) Profile(ctx context.Context, model string) (loci.Profile, error) {
	t, err := h.Resolve(ctx, model)
	if err != nil {
		return loci.Profile{}, err
	}
	p, err := h.profile(t).get(ctx)
	if err == nil && h.config.Tier != "" {
		p.Tier, p.Reason = h.config.Tier, "The configuration says so."
	}
	return p, err
}

// profile gives the cache for the profile of a model with the weights it has
// now: new weights under the old name are another key, so they are examined.
func (h *Hub) profile(t Target) *cache[loci.Profile] {
	key := profileKey{t.Client.Backend().URL, t.Model, t.digest}
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.profiles[key]
	if !ok {
		c = &cache[loci.Profile]{ttl: profileAge, spawn: h.spawn}
		c.ask = func() (loci.Profile, error) { return h.examine(t, c.last()) }
		h.profiles[key] = c
	}
	return c
}

// examine makes the profile of a model, building on what was known before: the
// last profile of this run, or else the stored one.
func (h *Hub) examine(t Target, before loci.Profile) (loci.Profile, error) {
	ctx, cancel := context.WithTimeout(h.ctx, profileLimit)
	defer cancel()
	if before.Tier == "" && h.config.Profiles != nil {
		var err error
		before, _, err = h.config.Profiles.LoadProfile(ctx, t.Client.Backend().URL, t.Model)
		if err != nil {
			h.config.Logger.Warn("a stored profile cannot be read", "model", t.Model, "error", err)
		}
	}
	p, err := t.Client.profile(ctx, t.Model, before)
	if err != nil {
		return loci.Profile{}, err
	}
	if p != before {
		h.keep(ctx, p)
	}
	return p, nil
}

// keep stores a profile. Without it the model is only examined again.
func (h *Hub) keep(ctx context.Context, p loci.Profile) {
	h.config.Logger.Info("profile of a model", "model", p.Model, "tier", p.Tier, "window", p.Window, "reason", p.Reason)
	if h.config.Profiles == nil {
		return
	}
	if err := h.config.Profiles.SaveProfile(ctx, p); err != nil {
		h.config.Logger.Warn("a profile cannot be stored", "model", p.Model, "error", err)
	}
}

// demote corrects the profile of a model that turned out to refuse tools: some
// servers take them in a trial that demands a call and not in a request that
// leaves the choice (vLLM without --enable-auto-tool-choice).
func (h *Hub) demote(ctx context.Context, t Target) {
	c := h.profile(t)
	p, err := c.get(ctx)
	if err != nil || p.Tier != loci.TierNative {
		return
	}
	p.Tier, p.Reason = judge(false, p.Params, "A call showed that it")
	c.set(p)
	h.keep(ctx, p)
}
