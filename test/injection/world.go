package injection

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/agent"
	"loci/internal/gate"
	"loci/internal/prompt"
	"loci/internal/sandbox"
	"loci/internal/store"
	"loci/internal/tool"
	"loci/internal/transcript"
)

// Setting is how loci is set up for a scenario.
type Setting struct {
	Tier loci.Tier
	Mode gate.Mode
	// Generous sets the person's folder free, lets some commands run unasked, and has
	// the person agree to each wish beforehand, for as long as it can be agreed to.
	Generous bool
	Desk     func(root string) (Desk, error) // nil: Stubs
}

// World is everything that takes part, around one database.
type World struct {
	t       testing.TB
	setting Setting
	path    string
	db      *store.DB
	agent   *agent.Agent
	desk    Desk
	specs   map[string]loci.ToolSpec
	model   *Obedient
	// The conversation as the person's chat client has it.
	thread, session string
	history         []loci.Message
	threads         int
	last            string // session of the newest event
}

var (
	clock = time.Date(2026, 11, 30, 14, 32, 0, 0, time.UTC)
	owner = loci.Principal{ID: "owner", Owner: true}
)

// unasked are the beginnings of commands that run unasked in a generous world.
var unasked = [][]string{{"ls"}, {"git", "status"}, {"cat"}, {"echo"}, {"curl"}}

// New makes a world.
func New(t testing.TB, s Setting) *World {
	t.Helper()
	w := &World{t: t, setting: s, path: filepath.Join(t.TempDir(), "loci.db"), model: &Obedient{Tier: s.Tier}}
	w.open()
	t.Cleanup(w.close)
	return w
}

func (w *World) open() {
	w.t.Helper()
	db, err := store.Open(context.Background(), w.path, slog.New(slog.DiscardHandler))
	if err != nil {
		w.t.Fatal(err)
	}
	w.db = db
	if _, err := db.StartAudit(context.Background(), store.AuditConfig{Key: make([]byte, loci.AuditKeySize), Anchor: w.path + ".head"}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *World) close() {
	if w.agent != nil {
		w.agent.Close()
		w.agent = nil
	}
	if err := w.db.Close(); err != nil {
		w.t.Error(err)
	}
}

// restart ends everything and starts it again, but for the model.
func (w *World) restart() {
	w.t.Helper()
	w.close()
	w.open()
	w.start()
}

// begin sets the table for a scenario: new tools, a new conversation.
func (w *World) begin() {
	w.t.Helper()
	w.furnish()
	if w.agent != nil {
		w.agent.Close()
	}
	w.model.Window = 0
	w.converse()
	w.start()
}

// furnish puts up new tools.
func (w *World) furnish() {
	w.t.Helper()
	make := w.setting.Desk
	if make == nil {
		make = Stubs
	}
	desk, err := make(w.t.TempDir())
	if err != nil {
		w.t.Fatal(err)
	}
	w.desk = desk
}

// converse begins another conversation.
func (w *World) converse() {
	w.threads++
	w.thread, w.session, w.history = fmt.Sprint("thread ", w.threads), "", nil
}

// start makes the agent anew.
func (w *World) start() {
	w.t.Helper()
	set := w.set()
	w.specs = map[string]loci.ToolSpec{}
	for _, s := range set.Specs(loci.Scope{Principal: owner, Folders: []string{w.desk.Folder()}}) {
		w.specs[s.Name] = s
	}
	w.agent = agent.New(agent.Config{
		Model: w.model, Tools: set, Log: w.db, Approvals: w.db, Waits: w.db, Transcripts: transcript.Store{Sessions: w.db, Nodes: w.db},
		Settings: agent.Settings{
			User: "Mira", Zone: "Europe/Prague", Texts: prompt.Default(), MaxSteps: 12, KeptRounds: 2,
			Folders: func(loci.Principal) []string { return []string{w.desk.Folder()} },
		},
		Now:    func() time.Time { return clock },
		Logger: slog.New(slog.DiscardHandler),
	})
}

// set is the real set of tools behind the real gate.
func (w *World) set() *tool.Set {
	w.t.Helper()
	ruled := func(loci.Principal) sandbox.Rules { return rules(w.desk.Folder(), w.setting.Generous) }
	origins, err := sandbox.NewOrigins(context.Background(), w.db, slog.New(slog.DiscardHandler))
	if err != nil {
		w.t.Fatal(err)
	}
	config := tool.Config{Tools: w.desk.Tools(), Rules: ruled, Origins: origins, Ledger: w.db}
	g := gate.Config{Grants: w.db, Rules: ruled, Taint: w.setting.Mode}
	if w.setting.Generous {
		g.Command = mayRun
	}
	config.Gate = gate.New(g)
	if w.setting.Mode == Heedless {
		config.Gate = heedless{config.Gate}
	}
	set, err := tool.New(config)
	if err != nil {
		w.t.Fatal(err)
	}
	return set
}

// Heedless is no mode of the gate: it does not know what was read, for comparison.
const Heedless gate.Mode = "heedless"

type heedless struct{ tool.Gate }

// Decide decides as if nothing had been read from outside.
func (h heedless) Decide(ctx context.Context, c tool.Case) tool.Decision {
	c.Scope.Taint = nil
	return h.Gate.Decide(ctx, c)
}

// mayRun lets a command run unasked that begins like one of unasked.
func mayRun(c tool.Case) (tool.Verdict, string) {
	var args struct {
		Argv []string `json:"argv"`
	}
	if json.Unmarshal(c.Arguments, &args) != nil {
		return tool.Ask, ""
	}
	if slices.ContainsFunc(unasked, func(p []string) bool { return len(args.Argv) >= len(p) && slices.Equal(args.Argv[:len(p)], p) }) {
		return tool.Allow, ""
	}
	return tool.Ask, ""
}

// Outcome is a turn as a person sees it.
type Outcome struct {
	Text    string
	Results []loci.ToolResult
	Asked   []loci.Approval // that wait
}

// say has the person say something.
func (w *World) say(text string) Outcome {
	w.t.Helper()
	return w.turn(loci.Message{Role: loci.User, Content: text})
}

// turn sends messages the way a chat client does that resends what it saw, and runs
// that client's tools where it is handed calls of them.
func (w *World) turn(messages ...loci.Message) (all Outcome) {
	w.t.Helper()
	for len(messages) > 0 {
		req := loci.TurnRequest{Principal: owner, Thread: w.thread, Session: w.session, Resent: w.session == "", Tools: clientTools}
		if req.Resent {
			req.History = w.history
		}
		if messages[0].Role == loci.ToolRole {
			req.Results = messages
		} else {
			req.Message = messages[0]
		}
		w.history = append(w.history, messages...)
		o, calls := w.listen(req)
		all.Text, all.Results, all.Asked = all.Text+o.Text, append(all.Results, o.Results...), o.Asked
		w.history = append(w.history, loci.Message{Role: loci.Assistant, Content: o.Text, ToolCalls: calls})
		messages = w.clientResults(calls)
	}
	return all
}

// listen runs one turn.
func (w *World) listen(req loci.TurnRequest) (o Outcome, handed []loci.ToolCall) {
	w.t.Helper()
	for e, err := range w.agent.Turn(context.Background(), req) {
		if err != nil {
			w.t.Fatal(err)
		}
		w.last = e.Session
		switch d := e.Data.(type) {
		case loci.Delta:
			o.Text += d.Text
		case loci.ToolFinished:
			o.Results = append(o.Results, d.Result)
		case loci.Approval:
			o.Asked = append(o.Asked, d)
		case loci.TurnWaiting:
			o.Text += d.Text
		case loci.MessageData:
			if o.Text == "" {
				o.Text = d.Text
			}
		case loci.TurnFinished:
			handed = d.Calls
			if d.Error != nil {
				w.t.Errorf("the turn failed: %+v", d.Error)
			}
		}
	}
	return o, handed
}

// clientTools are those that the chat client runs itself.
var clientTools = []loci.ToolSpec{
	{Name: "page_reader", Description: "Reads the page that is open.", Parameters: parameters("page!")},
	{Name: "library_search", Description: "Searches the documents that were uploaded.", Parameters: parameters("topic!")},
}

// clientResults runs calls of the chat client's tools.
func (w *World) clientResults(calls []loci.ToolCall) (results []loci.Message) {
	w.t.Helper()
	for _, c := range calls {
		d, ok := w.desk.(interface{ Read(Call) string })
		if !ok {
			w.t.Fatalf("the desk has no tools of a client, for %s", c.Name)
		}
		results = append(results, loci.Message{Role: loci.ToolRole, ToolCallID: c.ID, ToolName: c.Name, Content: d.Read(Call{Tool: c.Name, Args: c.Arguments})})
	}
	return results
}

// Tried is what came of a scenario.
type Tried struct {
	Acted   bool            // the model has read the wish, and tried to fulfil it
	Hidden  bool            // the wish was not in what the model was sent last
	Asked   []loci.Approval // the questions about the wish, which wait
	Done    []Call          // what of the wish was done
	Benign  int             // questions about the request itself
	Results []loci.ToolResult
}

// Try runs a scenario up to where the wish is asked about, and leaves its questions
// unanswered. The person says yes to whatever their own request needs.
func (w *World) Try(s Scenario) (r Tried) {
	w.t.Helper()
	w.begin()
	if w.setting.Generous {
		w.agree(s)
	}
	w.place(s)
	w.model.Listen(s, s.When == AtOnce)
	w.model.Expect(s.Calls)
	o := w.until(w.say(s.Request()), s, &r)
	if s.When != AtOnce {
		w.desk.Done()
		w.later(s)
		w.model.Wake()
		w.model.Expect(s.Recall)
		if s.When == Edited {
			w.history = nil
		}
		o = w.until(w.say(s.Then), s, &r)
	}
	r.Acted, r.Hidden, r.Asked = w.model.Acted(), !w.model.Sees(), o.Asked
	r.Done = w.wished(s)
	return r
}

// place puts the scenario's texts where its calls read them.
func (w *World) place(s Scenario) {
	w.t.Helper()
	for i, call := range s.Calls {
		if err := w.desk.Place(call, s.Text(i)); err != nil {
			w.t.Fatal(err)
		}
	}
}

// until says yes to what the request needs, and to what is planted, until there is
// nothing more to say, or only the wish is asked about.
func (w *World) until(o Outcome, s Scenario, r *Tried) Outcome {
	w.t.Helper()
	r.Results = append(r.Results, o.Results...)
	for len(o.Asked) > 0 && !slices.ContainsFunc(o.Asked, func(q loci.Approval) bool { return in(s.Wants, q.Tool, q.Arguments) }) {
		r.Benign += len(o.Asked)
		answer := "yes to all"
		if len(o.Asked) == 1 {
			answer = "yes"
		}
		o = w.say(answer)
		r.Results = append(r.Results, o.Results...)
	}
	return o
}

// in tells whether a call is among some.
func in(calls []Call, tool string, args json.RawMessage) bool {
	return slices.ContainsFunc(calls, func(c Call) bool { return key(c.Tool, c.Args) == key(tool, args) })
}

// wished takes what was done of the wish.
func (w *World) wished(s Scenario) []Call {
	return slices.DeleteFunc(w.desk.Done(), func(c Call) bool { return !in(s.Wants, c.Tool, c.Args) })
}

// later lets things happen between the reading and the deed.
func (w *World) later(s Scenario) {
	w.t.Helper()
	switch s.When {
	case Restarted:
		w.restart()
	case Elsewhen: // where the model knows nothing of it yet
		w.converse()
		s.Plants = nil
		w.model.Listen(s, true)
	case Forked:
		fork, err := w.agent.Fork(context.Background(), owner, w.last, "")
		if err != nil {
			w.t.Fatal(err)
		}
		w.session = fork.ID
	case CutOff:
		w.model.Window = 6000
		for i := range 6 {
			w.say(strings.Repeat(fmt.Sprint("Another long story, part ", i, ", of no interest. "), 120))
		}
	}
}

// spans are the ways to agree to something for longer.
var spans = []string{"yes, always", "yes, for this session", "yes 30m"}

// agree has the person ask for all that the wish will be, before anything was read,
// and agree to it for as long as that can be.
func (w *World) agree(s Scenario) {
	w.t.Helper()
	for i, wish := range s.Wants {
		w.model.Expect([]Call{wish})
		o := w.say(fmt.Sprintf("Please do it, number %d.", i+1))
		if len(o.Asked) == 0 {
			continue
		}
		if len(o.Asked[0].Grants) > 1 {
			o = w.say(spans[i%len(spans)])
		} else if o = w.say("yes, always"); len(o.Results) > 0 {
			w.t.Errorf("%s: a yes for good was taken for %s, which can be agreed to only once", s.Name, wish.Tool)
		} else {
			o = w.say("yes")
		}
		if len(o.Asked) > 0 {
			w.t.Errorf("%s: %s was not agreed to: %s", s.Name, wish, o.Text)
		}
	}
	w.desk.Done()
}

// Ignore has the person talk of something else, and gives what was done of the wish
// all the same.
func (w *World) Ignore(s Scenario) []Call {
	w.t.Helper()
	w.model.Expect(nil)
	w.say("Thank you, that is all for today.")
	return w.wished(s)
}
