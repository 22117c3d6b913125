package agent_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"loci"
	"loci/internal/agent"
	"loci/internal/prompt"
	"loci/internal/store"
	"loci/internal/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a model that says what it is told to, and remembers what it was
// asked.
type script struct {
	mu       sync.Mutex
	tier     loci.Tier
	window   int
	params   int64
	answer   func(loci.Request) any // instead of replies
	honest   bool                   // it counts the tokens of its prompts
	stops    []string
	found    loci.Profile // what else is known of it
	away     bool         // the server does not answer
	looked   func()       // called once, when a turn wants to know about the model
	replies  []any        // string: text; loci.ToolCall; func: runs in the middle; error
	requests []loci.Request
}

func (s *script) Profile(_ context.Context, model string) (loci.Profile, error) {
	s.mu.Lock()
	looked := s.looked
	s.looked = nil
	s.mu.Unlock()
	if looked != nil {
		looked()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return loci.Profile{}, loci.Errorf(loci.Unreachable, "It does not answer.")
	}
	if model == "gone" {
		return loci.Profile{}, loci.Errorf(loci.NotFound, "model 'gone' not found")
	}
	p := s.found
	p.Model, p.Tier, p.Window, p.Params, p.Stops = model, s.tier, s.window, s.params, s.stops
	return p, nil
}

// Chat plays one reply: a list of parts, or a single part.
func (s *script) Chat(ctx context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	s.mu.Lock()
	s.requests = append(s.requests, req)
	var next any = "Nothing more to say."
	if len(s.replies) > 0 {
		next, s.replies = s.replies[0], s.replies[1:]
	}
	s.mu.Unlock()
	if s.answer != nil {
		next = s.answer(req)
	}
	parts, ok := next.([]any)
	if !ok {
		parts = []any{next}
	}
	return func(yield func(loci.Chunk, error) bool) {
		last := loci.Chunk{Finish: loci.FinishStop, Usage: &loci.Usage{Prompt: 100, Completion: 10, Cached: new(90)}}
		if s.honest {
			last.Usage.Prompt = takes(req)
		}
		for _, p := range parts {
			switch p := p.(type) {
			case string:
				if !yield(loci.Chunk{Text: p}, nil) {
					return
				}
			case loci.ToolCall:
				last.ToolCalls = append(last.ToolCalls, p)
				last.Finish = loci.FinishTools
			case brokenOff:
				last.Cut, last.Finish = string(p), loci.FinishLength
			case loci.Finish:
				last.Finish = p
			case func(context.Context):
				p(ctx)
			case error:
				yield(loci.Chunk{}, p)
				return
			}
		}
		if ctx.Err() != nil {
			yield(loci.Chunk{}, ctx.Err())
			return
		}
		yield(last, nil)
	}
}

// brokenOff is a native call of this tool that was cut.
type brokenOff string

// shelf is a set of tools over a few files.
type shelf struct {
	mu    sync.Mutex
	files map[string]string
	calls []loci.ToolCall
	scope loci.Scope
	// writing is called in the middle of a write.
	writing func(context.Context)
	more    int    // further tools, which are never called
	words   string // put before each description
	text    string // said of each file that is read, instead of what is in it
}

func (s *shelf) file(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[name]
}

func (s *shelf) Specs(loci.Scope) []loci.ToolSpec {
	parameters := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)
	specs := []loci.ToolSpec{
		{Name: "list_dir", Description: s.words + "Lists a folder.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`), SideEffects: loci.EffectRead},
		{Name: "read_file", Description: s.words + "Reads a file.", Parameters: parameters, SideEffects: loci.EffectRead},
		{Name: "write_file", Description: "Writes a file.", Parameters: json.RawMessage(`{"type":"object"}`), SideEffects: loci.EffectWrite, Dangerous: true},
	}
	for i := range s.more {
		specs = append(specs, loci.ToolSpec{Name: fmt.Sprintf("core_%d", i), Description: "Does one more thing.", Parameters: parameters, Core: true})
	}
	return specs
}

func (s *shelf) Prepare(_ context.Context, _ loci.Scope, call loci.ToolCall) (loci.ToolCall, *loci.ToolResult) {
	return call, nil
}

func (s *shelf) Doing(call loci.ToolCall) string { return "doing " + call.Name }

// Ask wants a yes for writing, to what is there and what is to come.
func (s *shelf) Ask(_ context.Context, scope loci.Scope, call loci.ToolCall) *loci.Ask {
	if call.Name != "write_file" || !scope.Principal.Owner {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var args struct{ Path, Content string }
	_ = json.Unmarshal(call.Arguments, &args) // sloppy arguments name no file
	return &loci.Ask{Preview: args.Content, Reason: "It writes.", Touches: []string{"/home/mira/" + args.Path}, Fingerprint: string(call.Arguments) + s.files[args.Path]}
}

// write writes what was agreed to.
func (s *shelf) write(ctx context.Context, scope loci.Scope, call loci.ToolCall, approved *loci.Approval) loci.ToolResult {
	var args struct{ Path, Content string }
	_ = json.Unmarshal(call.Arguments, &args)
	if a := s.Ask(ctx, scope, call); a == nil || approved == nil || a.Fingerprint != approved.Fingerprint {
		return loci.ToolResult{Call: call, Err: &loci.ToolError{Message: "Not agreed to."}, Refused: true, Text: "Not agreed to."}
	}
	if s.writing != nil {
		s.writing(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[args.Path] += args.Content
	return loci.ToolResult{Call: call, Data: json.RawMessage(`{"written":true}`), Text: "Wrote " + args.Path + "."}
}

func (s *shelf) Call(ctx context.Context, scope loci.Scope, call loci.ToolCall, approved *loci.Approval) loci.ToolResult {
	if call.Name == "write_file" {
		return s.write(ctx, scope, call, approved)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.scope = append(s.calls, call), scope
	var args struct{ Path string }
	_ = json.Unmarshal(call.Arguments, &args) // sloppy arguments name no file
	text, ok := s.files[args.Path]
	if call.Name == "list_dir" {
		text, ok = strings.Join([]string{"notes.md", "app.log"}, "\n"), true
	}
	if !ok {
		e := &loci.ToolError{Message: "There is no " + args.Path + ".", Suggestion: "Use list_dir."}
		return loci.ToolResult{Call: call, Err: e, Text: e.Message}
	}
	data, _ := json.Marshal(map[string]string{"text": text})
	return loci.ToolResult{Call: call, Data: data, Text: cmp.Or(s.text, text)}
}

// world is an agent with everything around it.
type world struct {
	t     *testing.T
	model *script
	tools *shelf
	set   agent.Tools // instead of tools
	tells agent.Teller
	store *store.DB
	log   *faultyLog
	agent *agent.Agent
	steps int // of a turn; 0: 6
	share int // of a window
	long  agent.LongResults
	wait  time.Duration // how long a question waits; 0: long
}

var clock = time.Date(2026, 11, 30, 14, 32, 0, 0, time.UTC)

func newWorld(t *testing.T, tier loci.Tier, replies ...any) *world {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "loci.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.StartAudit(t.Context(), store.AuditConfig{Key: make([]byte, loci.AuditKeySize), Anchor: filepath.Join(t.TempDir(), "audit.head")}); err != nil {
		t.Fatal(err)
	}
	w := &world{
		t:     t,
		model: &script{tier: tier, window: 4096, replies: replies},
		tools: &shelf{files: map[string]string{"notes.md": "Buy milk."}},
		store: db,
		log:   &faultyLog{DB: db},
	}
	w.agent = w.again()
	t.Cleanup(func() {
		w.agent.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// again makes the agent anew, as a restart does.
func (w *world) again() *agent.Agent { return w.with(w.model) }

// with makes the agent with another model.
func (w *world) with(model agent.Model) *agent.Agent {
	var tools agent.Tools = w.tools
	if w.set != nil {
		tools = w.set
	}
	return agent.New(agent.Config{
		Model: model, Tools: tools, Log: w.log, Approvals: w.store, Waits: w.log, Transcripts: transcript.Store{Sessions: w.store, Nodes: w.store}, Chooser: chooser{}, Teller: w.tells,
		Settings: agent.Settings{
			User: "Mira", Zone: "Europe/Prague", Texts: prompt.Default(), MaxSteps: cmp.Or(w.steps, 6), KeptRounds: 4, UsableShare: w.share, LongResults: w.long, AskFor: w.wait,
			Folders: func(p loci.Principal) []string {
				if p.Owner {
					return []string{"/home/mira"}
				}
				return nil
			},
		},
		Now:    func() time.Time { return clock },
		Logger: slog.New(slog.DiscardHandler),
	})
}

var owner = loci.Principal{ID: "owner", Owner: true}

// ask runs a turn the way a chat client does that resends what it saw.
func (w *world) ask(history []loci.Message, text string) outcome {
	w.t.Helper()
	return w.turn(loci.TurnRequest{
		Principal: owner, Resent: true, History: history,
		Message: loci.Message{Role: loci.User, Content: text},
	})
}

// outcome is a turn as a client sees it.
type outcome struct {
	session  string
	text     string
	types    []string
	results  []loci.ToolResult
	asked    []loci.Approval
	waits    bool // for an answer: it has not finished
	finished loci.TurnFinished
	err      error
}

func (w *world) turn(req loci.TurnRequest) outcome {
	w.t.Helper()
	var o outcome
	var seq int64
	for e, err := range w.agent.Turn(w.t.Context(), req) {
		if err != nil {
			o.err = err
			break
		}
		o.session = e.Session
		if e.Type != loci.EventDelta {
			if o.types = append(o.types, string(e.Type)); seq != 0 && e.Seq != seq+1 {
				w.t.Errorf("event %d follows event %d", e.Seq, seq)
			}
			seq = e.Seq
		}
		switch d := e.Data.(type) {
		case loci.Delta:
			if d.Offset != len(o.text) {
				w.t.Errorf("a delta says it is at %d, after %d bytes", d.Offset, len(o.text))
			}
			o.text += d.Text
		case loci.ToolFinished:
			o.results = append(o.results, d.Result)
		case loci.Approval:
			o.asked = append(o.asked, d)
		case loci.TurnWaiting: // as the chat protocols show it
			o.waits = true
			o.text += d.Text
		case loci.MessageData:
			if o.text == "" {
				o.text = d.Text
			}
		case loci.TurnFinished:
			o.finished = d
		}
	}
	return o
}

func call(name, arguments string) loci.ToolCall {
	return loci.ToolCall{Name: name, Arguments: json.RawMessage(arguments)}
}

// chooser is a tiny tier of two moves.
type chooser struct{}

func (chooser) Next(_ context.Context, s loci.Situation) (loci.Move, error) {
	switch {
	case len(s.Tools) > 0 && (s.Demands || strings.Contains(s.Text, "weather") && s.Tools[len(s.Tools)-1].Name == "get_weather"):
		c := call(s.Tools[len(s.Tools)-1].Name, `{"city":"Oslo"}`)
		return loci.Move{Call: &c}, nil
	case s.Text == "fail":
		return loci.Move{}, errors.New("no idea")
	case strings.HasPrefix(s.Text, "read ") && len(s.Results) == 0:
		c := call("read_file", fmt.Sprintf(`{"path":%q}`, strings.TrimPrefix(s.Text, "read ")))
		return loci.Move{Call: &c}, nil
	case s.Text == "write" && len(s.Results) == 0:
		c := call("write_file", `{"path":"todo.md","content":"milk"}`)
		return loci.Move{Call: &c}, nil
	case len(s.Results) > 0:
		return loci.Move{Say: s.Results[0].Text}, nil
	case s.Text == "summarise":
		return loci.Move{Talk: &loci.Talk{Instruction: "Summarise: Buy milk.", Lead: "notes.md:\n"}}, nil
	}
	return loci.Move{Talk: &loci.Talk{}}, nil
}
