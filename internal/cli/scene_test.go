package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"loci"
)

// desk is a loci with a script: it speaks the agent API, and play says what a
// turn does.
type desk struct {
	t    *testing.T
	play func(d *desk, message string)

	mu       sync.Mutex
	changed  chan struct{} // closed at each change
	log      []loci.Event
	shown    string // the turn's text so far
	turns    int
	over     bool // the turn has ended
	cut      int  // connections to break after one event each
	gone     bool // no connection is answered any more
	late     bool // an answer is refused, somebody else was faster
	open     []loci.Approval
	requests []chatRequest
	answers  []string
	allowed  bool // the last answer was a yes
	stops    int
}

func newDesk(t *testing.T, p *person, play func(*desk, string)) *desk {
	t.Helper()
	d := &desk{t: t, play: play, changed: make(chan struct{}), over: true}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/agent/chat", d.chat)
	mux.HandleFunc("GET /api/agent/events", func(w http.ResponseWriter, r *http.Request) {
		after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
		d.stream(w, r, after)
	})
	mux.HandleFunc("GET /api/agent/approvals", func(w http.ResponseWriter, _ *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		_ = json.NewEncoder(w).Encode(append([]loci.Approval{}, d.open...))
	})
	mux.HandleFunc("POST /api/agent/approvals/{id}", d.answerPosted)
	mux.HandleFunc("POST /api/agent/sessions/{id}/stop", func(w http.ResponseWriter, _ *http.Request) {
		d.mu.Lock()
		d.stops++
		d.mu.Unlock()
		d.end(loci.TurnInterrupted)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /api/agent/sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(loci.Session{ID: r.PathValue("id"), Model: "qwen3:4b"})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.finds(server.URL)
	return d
}

// change changes the state and wakes whoever waits for that.
func (d *desk) change(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
	close(d.changed)
	d.changed = make(chan struct{})
}

// emit makes an event of the turn that runs; after its end there are none.
func (d *desk) emit(kind loci.EventType, data any) {
	d.change(func() {
		if !d.over {
			d.emitted(kind, data)
		}
	})
}

func (d *desk) emitted(kind loci.EventType, data any) {
	d.log = append(d.log, loci.Event{V: 1, Seq: int64(len(d.log) + 1), Session: "ses_1", Turn: fmt.Sprintf("turn_%d", d.turns), Type: kind, Data: data})
	d.over = kind == loci.EventTurnFinished
}

// say ends a turn with an answer.
func (d *desk) say(text string) {
	d.write(text)
	d.emit(loci.EventMessage, loci.MessageData{Text: d.shown})
	d.end(loci.TurnDone)
}

// write is a piece of an answer.
func (d *desk) write(text string) {
	d.emit(loci.EventDelta, loci.Delta{Text: text, Offset: len(d.shown)})
	d.shown += text
}

// end ends the turn, and takes its questions back.
func (d *desk) end(state loci.TurnState) {
	d.change(func() {
		if d.over {
			return
		}
		for _, a := range d.open {
			d.emitted(loci.EventApprovalAnswered, loci.ApprovalAnswered{ID: a.ID, Code: a.Code, Answer: loci.ApprovalWithdrawn})
		}
		d.open = nil
		d.emitted(loci.EventTurnFinished, loci.TurnFinished{State: state})
	})
}

// tool is a tool call from its beginning to its end.
func (d *desk) tool(name, args, doing string) {
	call := loci.ToolCall{ID: "call_1", Name: name, Arguments: json.RawMessage(args)}
	d.emit(loci.EventToolStarted, loci.ToolStarted{Call: call, Doing: doing})
	d.emit(loci.EventToolFinished, loci.ToolFinished{Result: loci.ToolResult{Call: call}})
}

// writing is a question to write a file.
func writing(n int, path string) loci.Approval {
	args, _ := json.Marshal(map[string]string{"path": path, "content": "# Report\nauth 3\n"})
	return loci.Approval{
		ID: fmt.Sprintf("apr_%d", n), Code: fmt.Sprintf("7F%d", n), Session: "ses_1", Tool: "write_file",
		Arguments: args, Preview: "# Report\nauth 3\n", Reason: "It changes something on this machine.", State: loci.ApprovalOpen,
		Asked: loci.Now(), Expires: loci.Time{Time: time.Date(2090, 5, 24, 10, 0, 0, 0, time.UTC)},
	}
}

// ask puts questions and waits until all are answered, or the turn ended.
func (d *desk) ask(questions ...loci.Approval) {
	d.change(func() {
		for _, a := range questions {
			a.Turn = fmt.Sprintf("turn_%d", d.turns)
			d.open = append(d.open, a)
			d.emitted(loci.EventApprovalAsked, a)
		}
		if d.shown != "" {
			d.emitted(loci.EventMessage, loci.MessageData{Text: d.shown})
			d.shown = ""
		}
		d.emitted(loci.EventTurnWaiting, loci.TurnWaiting{})
	})
	d.wait(func() bool { return len(d.open) == 0 || d.over })
}

// wait waits until a condition holds.
func (d *desk) wait(holds func() bool) {
	for {
		d.mu.Lock()
		done, changed := holds(), d.changed
		d.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-d.t.Context().Done():
			return
		}
	}
}

// answered is a person's answer, or that nobody gave one; false: it is too late.
func (d *desk) answered(id string, state loci.ApprovalState) (now loci.Approval, ok bool) {
	d.change(func() {
		i := slices.IndexFunc(d.open, func(a loci.Approval) bool { return a.ID == id })
		if ok = i >= 0; !ok {
			return
		}
		now = d.open[i]
		now.State, d.allowed = state, state == loci.ApprovalYes
		d.open = slices.Delete(d.open, i, i+1)
		d.emitted(loci.EventApprovalAnswered, loci.ApprovalAnswered{ID: now.ID, Code: now.Code, Answer: state})
		if len(d.open) > 0 {
			d.emitted(loci.EventTurnWaiting, loci.TurnWaiting{})
		}
	})
	return now, ok
}

func (d *desk) answerPosted(w http.ResponseWriter, r *http.Request) {
	var body struct{ Answer loci.ApprovalState }
	_ = json.NewDecoder(r.Body).Decode(&body)
	d.mu.Lock()
	d.answers = append(d.answers, r.PathValue("id")+" "+string(body.Answer))
	late := d.late
	d.mu.Unlock()
	if late {
		d.answered(r.PathValue("id"), loci.ApprovalNo)
	}
	now, ok := d.answered(r.PathValue("id"), body.Answer)
	if !ok {
		w.WriteHeader(http.StatusConflict)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": loci.Errorf(loci.Conflict, "This question was answered already.")})
		return
	}
	_ = json.NewEncoder(w).Encode(now)
}

func (d *desk) chat(w http.ResponseWriter, r *http.Request) {
	var req chatRequest
	_ = json.NewDecoder(r.Body).Decode(&req)
	after := int64(0)
	d.change(func() {
		d.requests = append(d.requests, req)
		d.turns++
		d.over, d.shown = false, ""
		after = int64(len(d.log))
		d.emitted(loci.EventTurnStarted, loci.TurnStarted{Model: "qwen3:4b", Message: req.Message})
	})
	done := make(chan struct{})
	go func() { defer close(done); d.play(d, req.Message) }()
	d.stream(w, r, after)
	d.t.Cleanup(func() { <-done })
}

// stream sends the events after a number, and those to come.
func (d *desk) stream(w http.ResponseWriter, r *http.Request, after int64) {
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	_ = rc.Flush()
	for {
		d.mu.Lock()
		events, changed, gone := d.log[min(int(after), len(d.log)):], d.changed, d.gone
		cut := d.cut > 0 && len(events) > 0
		if cut {
			d.cut--
			events = events[:1]
		}
		d.mu.Unlock()
		if gone {
			panic(http.ErrAbortHandler)
		}
		for _, e := range events {
			data, _ := json.Marshal(e)
			fmt.Fprintf(w, "id: %d\ndata: %s\n\n", e.Seq, data)
			_ = rc.Flush()
			after = e.Seq
			if e.Type == loci.EventTurnFinished {
				return
			}
		}
		if cut {
			panic(http.ErrAbortHandler)
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// step is what happens when something is to be seen on the screen.
type step struct {
	see string
	do  func(*screen)
}

// types is a person who types a line.
func types(line string) func(*screen) { return func(s *screen) { s.keys <- line } }

// presses is a person who presses Ctrl-C, where it is a signal.
func presses(s *screen) { s.signals <- os.Interrupt }

// leaves is a person who presses Ctrl-D.
func leaves(s *screen) { s.keys <- "" }

// screen is all that a person sees, in order, and where they type.
type screen struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{}
	keys    chan string
	signals chan os.Signal
	silent  bool // what is typed is not shown
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
	return s.text.Write(p)
}

// Read gives what is typed, a line at a time as a terminal does.
func (s *screen) Read(p []byte) (int, error) {
	line, ok := <-s.keys
	if line == "" || !ok {
		return 0, io.EOF
	}
	if !s.silent {
		_, _ = io.WriteString(s, line)
	}
	return copy(p, line), nil
}

// direct does the steps in their order.
func (s *screen) direct(ctx context.Context, steps []step) {
	from := 0
	for _, next := range steps {
		for {
			s.mu.Lock()
			at := strings.Index(s.text.String()[from:], next.see)
			changed := s.changed
			s.mu.Unlock()
			if at >= 0 {
				from += at + len(next.see)
				break
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
		next.do(s)
	}
}

// act runs a command at a terminal, with a person who does the steps, and gives
// all that was to be seen.
func (p *person) act(change func(*World), args []string, steps ...step) (code int, seen string) {
	p.t.Helper()
	s := &screen{changed: make(chan struct{}), keys: make(chan string, 10), signals: make(chan os.Signal, 1)}
	ctx, cancel := context.WithTimeout(p.t.Context(), 20*time.Second)
	defer cancel()
	w := World{
		In: s, Out: s, Err: s, Getenv: func(name string) string { return p.env[name] }, Folder: p.folder,
		Terminal: p.terminal, Width: 80, OutWidth: 80,
		Interrupts: func() (<-chan os.Signal, func()) { return s.signals, func() {} },
	}
	if change != nil {
		change(&w)
	}
	s.silent = w.Raw != nil
	directed := make(chan struct{})
	go func() { defer close(directed); s.direct(ctx, steps) }()
	code = Main(ctx, w, args)
	if ctx.Err() != nil {
		p.t.Errorf("%v does not end", args)
	}
	cancel()
	<-directed
	close(s.keys)
	return code, s.text.String()
}
