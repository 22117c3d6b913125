package api

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/wire"
)

// stored turns a live event into one as the store gives it back.
func stored(t *testing.T, e loci.Event) loci.Event {
	t.Helper()
	b, err := json.Marshal(e.Data)
	if err != nil {
		t.Fatal(err)
	}
	e.Data = json.RawMessage(b)
	return e
}

// another is an event of an earlier turn in the same session.
func another(e loci.Event) loci.Event {
	e.Turn = "turn_0"
	return e
}

func TestAgentChatStream(t *testing.T) {
	f := newFake()
	var asked loci.TurnRequest
	f.start = func(req loci.TurnRequest) (loci.Event, error) {
		asked = req
		return event(3, loci.TurnStarted{Model: "m"}), nil
	}
	f.follow = func(ctx context.Context, session string, after int64) iter.Seq2[loci.Event, error] {
		if session != "ses_1" || after != 2 {
			t.Errorf("followed %s after %d", session, after)
		}
		return play(
			another(event(1, loci.MessageData{Text: "earlier"})),
			another(event(2, done)),
			stored(t, event(3, loci.TurnStarted{Model: "m"})),
			event(3, loci.Delta{Text: "Hi"}),
			event(4, loci.MessageData{Text: "Hi"}),
			event(5, done),
			event(6, loci.TurnStarted{Model: "never shown"}),
		)(ctx, loci.TurnRequest{})
	}
	w := newClient(t, f).do("POST", "/api/agent/chat", `{"session":"ses_1","message":"hi","folders":["/tmp/x"],"unknown":1}`)
	if w.Header().Get("Content-Type") != "text/event-stream" || w.Header().Get("X-Loci-Session") != "ses_1" {
		t.Errorf("headers: %v", w.Header())
	}
	var got []string
	for e, err := range wire.Events(strings.NewReader(w.Body.String()), wire.DefaultMaxLine) {
		if err != nil {
			t.Fatal(err)
		}
		var v struct {
			V, Seq        int
			Session, Turn string
			Type          string
			Time          time.Time
			Data          any
		}
		if err := json.Unmarshal([]byte(e.Data), &v); err != nil {
			t.Fatalf("%q: %v", e.Data, err)
		}
		if v.V != 1 || v.Session != "ses_1" || v.Turn != "turn_1" || v.Time.IsZero() || v.Data == nil {
			t.Errorf("event %s", e.Data)
		}
		got = append(got, e.ID+" "+v.Type)
	}
	// Readers keep the last id they saw, so a delta does not need one.
	want := []string{"3 turn.started", "3 delta", "4 message", "5 turn.finished"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, w.Body)
	}
	owner := loci.Principal{ID: "owner", Name: "Ada", Owner: true}
	wantReq := loci.TurnRequest{Principal: owner, Session: "ses_1", Message: loci.Message{Role: loci.User, Content: "hi"}, Folders: []string{"/tmp/x"}}
	if diff := cmp.Diff(wantReq, asked); diff != "" {
		t.Error(diff)
	}
}

// TestAgentChatWaits tells a client that does not stream what its turn waits for.
func TestAgentChatWaits(t *testing.T) {
	f := newFake()
	f.turn = play(
		event(1, loci.TurnStarted{}),
		event(2, loci.MessageData{Text: "Let me write that down."}),
		event(3, loci.ApprovalAnswered{ID: "apr_1", Code: "7F3", Answer: loci.ApprovalYes}),
		stored(t, event(4, loci.TurnWaiting{Approvals: []string{"apr_2"}, Text: "\n\nMay I?"})),
	)
	f.open = []loci.Approval{
		{ID: "apr_2", Code: "8K4", Turn: "turn_1", Principal: "owner", State: loci.ApprovalOpen}, // asked before this request
		{ID: "apr_3", Code: "9H2", Turn: "turn_9", Principal: "owner", State: loci.ApprovalOpen},
	}
	w := newClient(t, f).do("POST", "/api/agent/chat", `{"message":"write it","stream":false}`)
	var got struct {
		State   string
		Message string
		Pending []struct{ ID, Code string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if got.State != "waiting" || got.Message != "Let me write that down.\n\nMay I?" || len(got.Pending) != 1 || got.Pending[0].Code != "8K4" {
		t.Errorf("%+v", got)
	}
}

func TestAgentChatWhole(t *testing.T) {
	list := loci.ToolCall{ID: "c1", Name: "list_dir", Arguments: json.RawMessage(`{"path":"."}`)}
	del := loci.ToolCall{ID: "c2", Name: "delete_file", Arguments: json.RawMessage(`{"path":"x"}`)}
	refused := &loci.ToolError{Message: "not allowed", Suggestion: "ask"}
	f := newFake()
	f.turn = play(
		event(1, loci.TurnStarted{}),
		event(2, loci.ToolFinished{Result: loci.ToolResult{Call: list, Data: json.RawMessage(`{"entries":["a"]}`)}}),
		event(3, loci.ToolFinished{Result: loci.ToolResult{Call: del, Err: refused, Refused: true}}),
		event(4, loci.Delta{Text: "One file."}),
		stored(t, event(5, loci.MessageData{Text: "One file: a."})),
		stored(t, event(6, done)),
	)
	w := newClient(t, f).do("POST", "/api/agent/chat", `{"message":"which files?","stream":false}`)
	const want = `{"session":"ses_1","turn":"turn_1","state":"done","message":"One file: a.","steps":[` +
		`{"tool":"list_dir","arguments":{"path":"."},"result":{"entries":["a"]}},` +
		`{"tool":"delete_file","arguments":{"path":"x"},"result":null,"error":{"error":"not allowed","canRetry":false,"suggestion":"ask"}}],` +
		`"receipt":{"calls":1,"prompt_tokens":19,"completion_tokens":6,"reused_tokens":null,"evaluated_tokens":null,"appended_tokens":null,"wasted_tokens":null,"ms":0}}`
	if diff := cmp.Diff(want, w.Body.String()); diff != "" {
		t.Error(diff)
	}
}

func TestAgentChatFailures(t *testing.T) {
	failed := loci.TurnFinished{State: loci.TurnFailed, Error: errDown}
	half := event(1, loci.Delta{Text: "Half"})
	for _, e := range []struct {
		name, body string
		start      error
		turn       func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error]
		status     int
		want       string
	}{
		{"cannot start", `{"message":"hi"}`, errDown, nil, 502, `{"error":{"code":"unreachable","message":"Ollama at`},
		{"failed", `{"message":"hi","stream":false}`, nil, play(half, event(2, failed)), 502, `{"error":{"code":"unreachable"`},
		{"failed, streaming", `{"message":"hi"}`, nil, play(half, event(2, failed)), 200, `"state":"failed"`},
		{"no end", `{"message":"hi","stream":false}`, nil, play(half), 502, `{"error":{"code":"truncated"`},
		{"interrupted", `{"message":"hi","stream":false}`, nil, play(half, event(2, loci.TurnFinished{State: loci.TurnInterrupted})), 200, `"state":"interrupted"`},
		{"stream breaks", `{"message":"hi"}`, nil, fails(errors.New("disk"), half), 200, "event: error\ndata: {\"error\":{\"code\":\"internal\""},
	} {
		t.Run(e.name, func(t *testing.T) {
			f := newFake()
			f.turn = e.turn
			f.start = func(loci.TurnRequest) (loci.Event, error) { return event(1, loci.TurnStarted{}), e.start }
			w := newClient(t, f).do("POST", "/api/agent/chat", e.body)
			if w.Code != e.status || !strings.Contains(w.Body.String(), e.want) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}

func TestAgentEvents(t *testing.T) {
	for _, e := range []struct {
		query, last string
		status      int
		after       int64
	}{
		{"?session=ses_1", "", 200, 0},
		{"?session=ses_1&after=7", "", 200, 7},
		{"?session=ses_1&after=7", "9", 200, 9}, // a browser that reconnects asks for the old address
		{"?session=ses_1&after=x", "", 400, 0},
		{"?session=ses_1&after=-1", "", 400, 0},
		{"", "", 400, 0},
	} {
		f := newFake()
		after := int64(-1)
		f.follow = func(ctx context.Context, _ string, n int64) iter.Seq2[loci.Event, error] {
			after = n
			return play(event(n+1, done))(ctx, loci.TurnRequest{})
		}
		w := newClient(t, f).do("GET", "/api/agent/events"+e.query, "", "Last-Event-ID", e.last)
		if w.Code != e.status || e.status == 200 && after != e.after {
			t.Errorf("%s %s: %d, after %d", e.query, e.last, w.Code, after)
		}
	}
	// Somebody else's session is not found, with a status of its own.
	f := newFake()
	f.follow = func(ctx context.Context, _ string, _ int64) iter.Seq2[loci.Event, error] {
		return fails(loci.Errorf(loci.NotFound, "There is no such session."))(ctx, loci.TurnRequest{})
	}
	if w := newClient(t, f).do("GET", "/api/agent/events?session=ses_2", ""); w.Code != 404 {
		t.Errorf("somebody else's session: %d", w.Code)
	}
}

// Whoever follows a silent session sees signs of life; leaving does not stop
// the turn, it only ends the following.
func TestAgentEventsStayOpen(t *testing.T) {
	f := newFake()
	inWorld(t, f, func(t *testing.T, w world) {
		left := make(chan struct{})
		f.follow = func(ctx context.Context, _ string, _ int64) iter.Seq2[loci.Event, error] {
			return func(func(loci.Event, error) bool) {
				<-ctx.Done()
				close(left)
			}
		}
		c := w.send("/api/agent/events?session=ses_1", "")
		resp := c.reply(t)
		defer resp.Body.Close()
		asked := time.Now()
		for range 4 {
			buf := make([]byte, len(": keep-alive\n\n"))
			for n := 0; n < len(buf); {
				k, err := resp.Body.Read(buf[n:])
				if err != nil {
					t.Fatal(err)
				}
				n += k
			}
			if string(buf) != ": keep-alive\n\n" {
				t.Errorf("%q", buf)
			}
		}
		if took := time.Since(asked); took != 45*time.Second {
			t.Errorf("four signs of life in %v, want 45s after the first", took)
		}
		c.Close()
		<-left
	})
}

func TestAgentSessions(t *testing.T) {
	f := newFake()
	c := newClient(t, f)
	for _, e := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", "/api/agent/tools", "", 200, `[{"name":"list_dir"`},
		{"GET", "/api/agent/models", "", 200, `"profile":{"server":`},
		{"POST", "/api/agent/models/probe", `{"model":"m"}`, 200, `"model":"m"`},
		{"POST", "/api/agent/models/probe", `{"model":1}`, 400, `{"error":{"code":"invalid"`},
		{"GET", "/api/agent/debug?session=ses_1", "", 200, `{"system":"You are loci."}`},
		{"GET", "/api/agent/debug?session=ses_2", "", 404, `{"error":{"code":"not_found"`},
		{"GET", "/api/agent/debug", "", 400, `{"error":{"code":"invalid"`},
		{"GET", "/api/agent/sessions", "", 200, `[{"id":"ses_1","principal":"owner"`},
		{"GET", "/api/agent/sessions/ses_1", "", 200, `{"id":"ses_1"`},
		{"GET", "/api/agent/sessions/ses_2", "", 404, `{"error":{"code":"not_found"`},
		{"PATCH", "/api/agent/sessions/ses_1", `{"title":" Two "}`, 200, `"title":"Two"`},
		{"PATCH", "/api/agent/sessions/ses_2", `{"title":"x"}`, 404, `not_found`},
		{"PATCH", "/api/agent/sessions/ses_1", `{}`, 400, `title`},
		{"PATCH", "/api/agent/sessions/ses_1", `{"title":"` + strings.Repeat("x", 201) + `"}`, 400, `title`},
		{"POST", "/api/agent/sessions/ses_1/fork", `{"turn":"turn_1"}`, 200, `{"id":"ses_fork_turn_1"`},
		{"POST", "/api/agent/sessions/ses_1/fork", "", 200, `{"id":"ses_fork_"`},
		{"POST", "/api/agent/sessions/ses_1/stop", "", 204, ""},
		{"POST", "/api/agent/sessions/ses_2/stop", "", 404, ""},
		{"DELETE", "/api/agent/sessions/ses_1", "", 204, ""},
		{"GET", "/api/agent/sessions", "", 200, `[]`},
	} {
		w := c.do(e.method, e.target, e.body)
		if w.Code != e.status || !strings.Contains(w.Body.String(), e.want) {
			t.Errorf("%s %s: %d %s", e.method, e.target, w.Code, w.Body)
		}
	}
	if diff := cmp.Diff([]string{"ses_1"}, f.stopped); diff != "" {
		t.Error(diff)
	}
}

// Whatever bytes come as a body, every door answers with an error of its own.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{hello + `}`, ollamaHello + `}`, `{"message":"hi"}`, `{"model":"smollm2","prompt":"x"}`, `{"model":"smollm2","input":["a",["b"]]}`, "\x00", `{"model":"a","model":"b"}`, `[[[[`, `{"messages":[{"role":7}]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		c := newClient(t, authFake())
		for _, route := range attempts() {
			if route.method != "POST" {
				continue
			}
			w := c.do("POST", route.path, body)
			if w.Code >= 500 {
				t.Errorf("%s %q: %d %s", route.path, body, w.Code, w.Body)
			}
			if w.Code >= 400 && !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s %q: the error is not JSON: %s", route.path, body, w.Body)
			}
		}
	})
}

func TestAgentApprovals(t *testing.T) {
	f := newFake()
	c := newClient(t, f)
	if got := c.do("GET", "/api/agent/approvals", "").Body.String(); got != "[]" {
		t.Errorf("no questions: %s", got)
	}
	f.open = []loci.Approval{{ID: "apr_1", Code: "7F3", Principal: "owner", State: loci.ApprovalOpen, Tool: "write_file", Arguments: json.RawMessage(`{"path":"x"}`)}}
	if got := c.do("GET", "/api/agent/approvals", "").Body.String(); !strings.Contains(got, `"id":"apr_1","code":"7F3"`) || strings.Contains(got, "owner") {
		t.Errorf("one question: %s", got)
	}
	for _, e := range []struct {
		id, body string
		status   int
	}{
		{"apr_1", `{"answer":"maybe"}`, 400},
		{"apr_1", `{"answer":true}`, 400},
		{"apr_1", `{"answer":"yes","grant":"always"}`, 400},
		{"apr_9", `{"answer":"yes"}`, 404},
		{"apr_1", `{"answer":"yes","grant":"once"}`, 200},
		{"apr_1", `{"answer":"no"}`, 409},
	} {
		if w := c.do("POST", "/api/agent/approvals/"+e.id, e.body); w.Code != e.status {
			t.Errorf("%s %s: status %d, %s", e.id, e.body, w.Code, w.Body)
		}
	}
	if f.open[0].State != loci.ApprovalYes {
		t.Errorf("it is %s", f.open[0].State)
	}
}

// TestAgentChatLeftEarly is a client that goes before it is told which session its
// message began: nobody else could stop it.
func TestAgentChatLeftEarly(t *testing.T) {
	for body, want := range map[string]int{
		`{"message":"hi"}`:                   1,
		`{"message":"hi","session":"ses_1"}`: 0, // it can come back to that
	} {
		f := newFake()
		r := request("POST", "/api/agent/chat", body)
		r.Header.Set("Authorization", "Bearer "+ownerKey)
		ctx, leave := context.WithCancel(r.Context())
		f.start = func(loci.TurnRequest) (loci.Event, error) {
			leave()
			return event(1, loci.TurnStarted{}), nil
		}
		f.turn = play(event(1, loci.TurnStarted{}))
		New(f.config()).ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
		if len(f.stopped) != want {
			t.Errorf("%s: stopped %v", body, f.stopped)
		}
	}
}
