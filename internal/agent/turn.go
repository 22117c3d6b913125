package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/lang"
	"loci/internal/prompt"
	"loci/internal/toolcall"
	"loci/internal/transcript"
)

// saveTimeout bounds a write to the database. It does not hang on the turn's
// context: how a stopped turn ended must be recorded too.
const saveTimeout = 10 * time.Second

// turn is one question and what is done to answer it. It is used by one
// goroutine.
type turn struct {
	agent  *Agent
	req    loci.TurnRequest
	id     string
	began  time.Time
	cancel context.CancelFunc
	yield  func(loci.Event) bool
	log    *slog.Logger
	left   bool // the consumer stopped listening

	session  loci.Session
	isNew    bool
	touched  bool        // the session itself has to be stored again
	path     []loci.Node // from the session's base to here: what the model is sent
	lastID   string      // node that the next one follows
	lastPath [32]byte    // path hash of the last shown node
	unsaved  []loci.Node
	feed     *feed

	profile loci.Profile
	scope   loci.Scope
	specs   []loci.ToolSpec

	step    int
	calls   []loci.ToolCall   // of the step that just ended, to be run
	native  bool              // those came as native tool calls, not as text
	results []loci.ToolResult // of all calls of this turn
	seen    map[string]int    // how often a call was made, by name and arguments
	unknown int               // calls in a row of tools that do not exist
	fixed   bool              // a correction was sent already
	notice  string            // to be said before the reply
	rebased bool              // the path was cut and begins anew

	replied   bool            // the reply is in the path
	spoken    int             // bytes shown before the current step
	drafted   time.Time       // when a draft was last stored
	shown     strings.Builder // what the client sees as the reply
	reasoning strings.Builder
	last      []any // payloads to be stored with the end of the turn
	finish    loci.Finish
	receipt   loci.Receipt
	err       error
}

// phase does one part of a turn and names the next; nil ends it.
type phase func(t *turn, ctx context.Context) phase

// run goes through the phases. It returns an error only for a turn that could
// not begin; later ones are in the events.
//
//	place → begin ─┬→ ask → tools → ask … ┬→ finish
//	               └→ choose → tools → … ─┘   (tiny tier)
func (t *turn) run(ctx context.Context) error {
	leave, err := t.place(ctx)
	if err != nil {
		return err
	}
	defer leave()
	t.feed = t.agent.feeds.join(t.session.ID)
	defer t.agent.feeds.leave(t.session.ID)
	if err := t.begin(ctx); err != nil {
		return err
	}
	next := phase((*turn).ask)
	if t.session.Tier == loci.TierTiny {
		next = (*turn).choose
	}
	for next != nil {
		next = next(t, ctx)
	}
	return nil
}

// place finds the session and waits until no other turn runs in it.
func (t *turn) place(ctx context.Context) (leave func(), err error) {
	for {
		place, err := transcript.Locate(ctx, t.agent.cfg.Store, t.req)
		if err != nil {
			return nil, err
		}
		leave, waited, err := t.agent.lanes.enter(ctx, place.Session.ID, t.cancel)
		if err != nil {
			return nil, err
		}
		if waited { // the turn before has changed the transcript: look again
			again, err := transcript.Locate(ctx, t.agent.cfg.Store, t.req)
			if err != nil {
				leave()
				return nil, err
			}
			if again.Session.ID != place.Session.ID {
				leave()
				continue
			}
			place = again
		}
		t.take(place)
		return leave, nil
	}
}

func (t *turn) take(p transcript.Place) {
	t.session, t.isNew = p.Session, p.New
	t.drafted = time.Now() // a reply that takes no longer than that needs no draft
	t.log = t.agent.cfg.Logger.With("request", t.req.Request, "session", t.session.ID, "turn", t.id)
	t.path = slices.Concat(p.Path, p.Imported)
	t.unsaved = p.Imported
	t.lastID, t.lastPath = p.Parent(), p.PathHash()
}

// begin freezes a new session's prompt, adds the person's message and stores
// that the turn has started.
func (t *turn) begin(ctx context.Context) error {
	model := t.req.Model
	if model == "" {
		model = t.session.Model
	}
	var err error
	if t.profile, err = t.agent.cfg.Model.Profile(ctx, model); err != nil {
		return err
	}
	opened := t.open()
	t.specs = t.agent.cfg.Tools.Specs(t.scope)
	switch {
	case t.isNew:
		t.freeze(model)
	case model != t.session.Model:
		t.session.Model = model // another model reads the same prompt
		if t.profile.Tier != t.session.Tier {
			t.session.Tier = t.profile.Tier
			t.system()
		}
	}
	t.session.Updated, t.touched = loci.Now(), true
	if t.session.Tier != loci.TierTiny {
		t.addUser(t.req.Message.Content + prompt.Tail(t.began, t.moved(opened)))
	}
	return t.save(loci.TurnStarted{Model: model, Tier: t.session.Tier, Message: clip(t.req.Message.Content)})
}

// open adds the folders that the request allows and gives the new ones.
func (t *turn) open() (opened []string) {
	settings := t.agent.cfg.Settings
	allowed := settings.Folders(t.req.Principal)
	if t.req.Principal.Owner {
		for _, f := range t.req.Folders {
			if !slices.Contains(allowed, f) && !slices.Contains(t.session.Folders, f) {
				opened = append(opened, f)
			}
		}
		t.session.Folders = append(t.session.Folders, opened...)
		if t.isNew {
			t.session.Working = t.req.Working
		}
	}
	t.scope = loci.Scope{
		Principal: t.req.Principal,
		Session:   t.session.ID,
		Turn:      t.id,
		Folders:   slices.Concat(allowed, t.session.Folders),
		Working:   cmp.Or(t.session.Working, settings.Working),
		Lang:      lang.Of(t.req.Message.Content),
	}
	if !slices.ContainsFunc(t.scope.Folders, func(f string) bool { return inside(t.scope.Working, f) }) && len(t.scope.Folders) > 0 {
		t.scope.Working = t.scope.Folders[0]
	}
	return opened
}

// inside tells by their names whether a path is a folder or below it. It only
// picks a default; what may be read is not decided here.
func inside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// freeze makes the session's unchanging parts.
func (t *turn) freeze(model string) {
	t.session.Model = model
	t.session.Tier = t.profile.Tier
	t.session.ClientSystem = t.req.System
	t.session.Title = title(t.req.Message.Content)
	t.session.Created = loci.Time{Time: t.began}
	for _, s := range t.specs {
		t.session.Tools = append(t.session.Tools, s.Name)
	}
	t.system()
}

// system writes the session's system block.
func (t *turn) system() {
	s := t.agent.cfg.Settings
	f := prompt.Facts{
		Now:     t.began,
		Zone:    s.Zone,
		User:    t.req.Principal.Name,
		Purpose: s.Purpose,
		Folders: t.scope.Folders,
		Working: t.scope.Working,
		Tools:   t.offered(),
		Tier:    t.session.Tier,
		Family:  t.profile.Family,
	}
	if f.User == "" && t.req.Principal.Owner {
		f.User = s.User
	}
	if !s.ReplaceClient {
		f.Client = t.session.ClientSystem
	}
	if f.Tier == loci.TierText {
		f.Markup = toolcall.Describe(f.Tools)
	}
	t.session.System = prompt.Join(prompt.System(f, prompt.ForFamily(s.Texts, s.FamilyTexts, f.Family)))
}

// offered gives the tools that were frozen into the session, those that still
// exist.
func (t *turn) offered() []loci.ToolSpec {
	return slices.DeleteFunc(slices.Clone(t.specs), func(s loci.ToolSpec) bool {
		return !slices.Contains(t.session.Tools, s.Name)
	})
}

// moved is what the tail must say because it changed since the system block
// was written.
func (t *turn) moved(opened []string) prompt.Moved {
	m := prompt.Moved{Since: t.session.Created.Time}
	if t.isNew {
		return m
	}
	m.Opened = opened
	if t.req.Resent && t.req.System != t.session.ClientSystem && !t.agent.cfg.Settings.ReplaceClient {
		t.session.ClientSystem = t.req.System
		m.Client = &t.req.System
	}
	return m
}

// addUser adds the person's message as a node: shown as they wrote it, sent as
// the model reads it.
func (t *turn) addUser(sent string) {
	t.fit(sent)
	m := t.req.Message
	m.Content = sent
	t.add(transcript.NewNode(t.session.ID, t.lastID, t.id, t.lastPath, t.req.Message.Content, m))
	if t.rebased {
		t.session.Base, t.touched = t.path[0].ID, true
	}
}

// add appends a node to the path. It is stored with the next event.
func (t *turn) add(n loci.Node) {
	if n.Shown != nil {
		t.lastPath = n.PathHash
	}
	t.lastID = n.ID
	t.path = append(t.path, n)
	t.unsaved = append(t.unsaved, n)
}

// save stores events together with the nodes that were added before them, in
// one transaction, then shows them. The payload names the type of each. The
// write is not cut short when the turn is stopped.
func (t *turn) save(payloads ...any) error {
	ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
	defer cancel()
	b := loci.Batch{Nodes: t.unsaved}
	for _, data := range payloads {
		b.Events = append(b.Events, &loci.Event{
			V: loci.EventVersion, Session: t.session.ID, Turn: t.id, Time: loci.Now(), Type: typeOf(data), Data: data,
		})
	}
	if t.touched {
		b.Session = &t.session
	}
	if err := t.agent.cfg.Store.Save(ctx, b); err != nil {
		return err
	}
	if n := len(b.Nodes); n > 0 {
		t.session.Head = b.Nodes[n-1].ID
	}
	t.unsaved, t.isNew, t.touched = nil, false, false
	for _, e := range b.Events {
		t.agent.feeds.durable(t.feed, *e)
		t.show(*e)
	}
	return nil
}

// typeOf gives the type of the event with a payload.
func typeOf(payload any) loci.EventType {
	switch payload.(type) {
	case loci.TurnStarted:
		return loci.EventTurnStarted
	case loci.StepFinished:
		return loci.EventStepFinished
	case loci.ToolStarted:
		return loci.EventToolStarted
	case loci.ToolFinished:
		return loci.EventToolFinished
	case loci.MessageData:
		return loci.EventMessage
	case loci.TurnFinished:
		return loci.EventTurnFinished
	}
	return loci.EventNotice
}

// record is save for the middle of a turn: it tells whether the turn can go on.
func (t *turn) record(payloads ...any) bool {
	if err := t.save(payloads...); err != nil {
		t.err = errors.Join(t.err, err)
		t.log.Error("event not stored", "stage", "record", "type", typeOf(payloads[0]), "error", err)
		return false
	}
	return true
}

// show gives an event to the consumer, unless it left.
func (t *turn) show(e loci.Event) {
	if !t.left && !t.yield(e) {
		t.left = true
		t.cancel()
	}
}

// draftEvery is how much of a reply, in time, a crash may take.
const draftEvery = 250 * time.Millisecond

// say shows generated text at once. It becomes durable with the message event;
// until then a draft of it is stored now and then.
func (t *turn) say(text, reasoning string) {
	if text == "" && reasoning == "" {
		return
	}
	d := loci.Delta{Text: text, Reasoning: reasoning, Offset: t.shown.Len()}
	t.shown.WriteString(text)
	t.reasoning.WriteString(reasoning)
	t.agent.feeds.delta(t.feed, d)
	t.show(loci.Event{
		V: loci.EventVersion, Seq: t.feed.seq, Session: t.session.ID, Turn: t.id,
		Time: loci.Now(), Type: loci.EventDelta, Data: d,
	})
	if now := time.Now(); now.Sub(t.drafted) > draftEvery {
		t.drafted = now
		t.draft()
	}
}

// draft stores what the turn has said so far.
func (t *turn) draft() {
	ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
	defer cancel()
	d := loci.Draft{Session: t.session.ID, Turn: t.id, Text: t.shown.String(), Reasoning: t.reasoning.String()}
	if err := t.agent.cfg.Store.SaveDraft(ctx, d); err != nil {
		t.log.Error("draft not stored", "stage", "record", "error", err)
	}
}

// fail ends the turn with an error.
func (t *turn) fail(err error) phase {
	t.err = err
	return (*turn).end
}

// end stores the reply and how the turn went.
func (t *turn) end(ctx context.Context) phase {
	state := loci.TurnDone
	switch {
	case t.left || ctx.Err() != nil:
		state = loci.TurnInterrupted
	case t.err != nil:
		state = loci.TurnFailed
	}
	fin := loci.TurnFinished{State: state, Finish: t.finish, Receipt: t.receipt}
	if state == loci.TurnFailed {
		fin.Error = loci.AsError(t.err)
	}
	if t.shown.Len() > 0 {
		if state != loci.TurnDone && !t.replied {
			t.reply(loci.Message{Role: loci.Assistant, Content: t.shown.String()})
		}
		t.last = append(t.last, loci.MessageData{
			Text: t.shown.String(), Reasoning: t.reasoning.String(), Incomplete: state != loci.TurnDone,
		})
	}
	t.record(append(t.last, fin)...)
	if e := loci.AsError(t.err); e != nil && e.Code == loci.Internal {
		t.log.Error("turn failed", "stage", "turn", "error", t.err)
	}
	t.log.Info("turn finished", "stage", "turn", "state", state, "steps", t.step, "calls", len(t.results),
		"duration", time.Since(t.began), "error", errorCode(t.err))
	return nil
}

// errorCode is what the log says of an error: its text may quote a file.
func errorCode(err error) string {
	if err == nil {
		return ""
	}
	return string(loci.AsError(err).Code)
}

// clip shortens a message for the timeline; the transcript has all of it.
func clip(text string) string {
	const most = 4000 // bytes
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// title names a session after its first message.
func title(text string) string {
	const most = 60
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}

// exhausted ends a turn that used up its steps, saying so.
func (t *turn) exhausted() phase {
	var done []string
	for _, r := range t.results {
		if name := r.Call.Name; !slices.Contains(done, name) {
			done = append(done, name)
		}
	}
	text := fmt.Sprintf("I stopped after %d steps without coming to an end. Tools used so far: %s. Ask me to go on, or ask for a smaller part.",
		t.step, strings.Join(done, ", "))
	if t.shown.Len() > 0 {
		text = "\n\n" + text
	}
	t.say(text, "")
	t.finish = loci.FinishStop
	t.reply(loci.Message{Role: loci.Assistant, Content: strings.TrimSpace(text)})
	return (*turn).end
}

// reply adds the node of the turn's answer: shown is everything the client saw
// in this turn, sent is the last message of the model.
func (t *turn) reply(sent loci.Message) {
	t.replied = true
	t.add(transcript.NewNode(t.session.ID, t.lastID, t.id, t.lastPath, t.shown.String(), sent))
}
