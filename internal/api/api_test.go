package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"loci"
	"loci/internal/redact"
	"loci/internal/wire/ollama"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ownerKey = "owner-key-0123456789"
	chatKey  = "chat-key-0123456789"

	rootKey   = "root-key-0123456789"   // all rights
	scriptKey = "script-key-0123456789" // only chats
	readKey   = "read-key-0123456789"   // only has tools look
	buttonKey = "button-key-0123456789" // only approves
	adminKey  = "admin-key-0123456789"  // all but the rest
)

// testKeys are the valid keys, by their secrets.
var testKeys = ring{
	ownerKey:  {ID: loci.OwnerKey, Name: "owner", Principal: "owner", Rights: loci.AllRights()},
	chatKey:   {ID: loci.ChatKey, Name: "chat", Principal: "owner", Rights: []loci.Right{loci.RightChat, loci.RightReadTools, loci.RightWriteTools}},
	rootKey:   {ID: "key_1", Name: "root", Principal: "key:root", Rights: loci.AllRights()},
	scriptKey: {ID: "key_2", Name: "script", Principal: "key:script", Rights: []loci.Right{loci.RightChat}},
	readKey:   {ID: "key_3", Name: "read", Principal: "key:read", Rights: []loci.Right{loci.RightReadTools}},
	buttonKey: {ID: "key_4", Name: "button", Principal: "key:button", Rights: []loci.Right{loci.RightApprove}},
	adminKey:  {ID: "key_5", Name: "admin", Principal: "key:admin", Rights: []loci.Right{loci.RightAdmin}},
}

// ring is keys that nobody revokes.
type ring map[string]loci.Key

func (r ring) Find(secret string) (loci.Key, bool) {
	k, ok := r[secret]
	return k, ok
}

func (r ring) Hold(ctx context.Context, _ loci.Key) (context.Context, func()) { return ctx, func() {} }

func (r ring) Keys() []loci.Key { return slices.Collect(maps.Values(r)) }

func (r ring) Add(_ context.Context, _ loci.Principal, name string, rights []loci.Right) (loci.Key, string, error) {
	return loci.Key{ID: "key_9", Name: name, Rights: rights}, "secret", nil
}

func (r ring) Revoke(_ context.Context, _ loci.Principal, name string) (loci.Key, error) {
	return loci.Key{ID: "key_9", Name: name, Principal: "key:" + name}, nil
}

func (r ring) Rotate(_ context.Context, _ loci.Principal, name string) (loci.Key, string, error) {
	return loci.Key{ID: "key_9", Name: name}, "secret", nil
}

// fake is everything the handler needs of the rest of the program. A function
// that a test did not set answers like an empty program.
type fake struct {
	turn     func(ctx context.Context, req loci.TurnRequest) iter.Seq2[loci.Event, error]
	start    func(req loci.TurnRequest) (loci.Event, error)
	follow   func(ctx context.Context, session string, after int64) iter.Seq2[loci.Event, error]
	route    func(model string) (Route, error)
	chat     func(req loci.Request) iter.Seq2[loci.Chunk, error]
	job      func(req loci.Request) (loci.Chunk, error)
	open     []loci.Approval
	changes  []loci.Change
	profile  loci.Profile
	models   []loci.ModelInfo
	running  []ollama.Running
	sessions map[string]loci.Session
	stopped  []string
}

func (f *fake) Turn(ctx context.Context, req loci.TurnRequest) iter.Seq2[loci.Event, error] {
	if req.Request == "" {
		return fails(errors.New("the request has no id"))(ctx, req)
	}
	req.Request = "" // random
	return f.turn(ctx, req)
}

func (f *fake) Start(_ context.Context, req loci.TurnRequest) (loci.Event, error) {
	req.Request = "" // random
	return f.start(req)
}

func (f *fake) Follow(ctx context.Context, _ loci.Principal, session string, after int64) iter.Seq2[loci.Event, error] {
	return f.follow(ctx, session, after)
}

func (f *fake) Stop(ctx context.Context, p loci.Principal, id string) error {
	_, err := f.Session(ctx, p, id)
	if err == nil {
		f.stopped = append(f.stopped, id)
	}
	return err
}

func (f *fake) Sessions(_ context.Context, p loci.Principal) ([]loci.Session, error) {
	var list []loci.Session
	for _, s := range f.sessions {
		if s.Principal == p.ID {
			list = append(list, s)
		}
	}
	return list, nil
}

func (f *fake) Session(_ context.Context, p loci.Principal, id string) (loci.Session, error) {
	s, ok := f.sessions[id]
	if !ok || s.Principal != p.ID {
		return loci.Session{}, loci.Errorf(loci.NotFound, "There is no session %q.", id)
	}
	return s, nil
}

func (f *fake) Rename(ctx context.Context, p loci.Principal, id, title string) (loci.Session, error) {
	s, err := f.Session(ctx, p, id)
	if err == nil {
		s.Title = title
		f.sessions[id] = s
	}
	return s, err
}

func (f *fake) Delete(ctx context.Context, p loci.Principal, id string) error {
	_, err := f.Session(ctx, p, id)
	delete(f.sessions, id)
	return err
}

func (f *fake) Fork(ctx context.Context, p loci.Principal, id, turn string) (loci.Session, error) {
	s, err := f.Session(ctx, p, id)
	s.ID = "ses_fork_" + turn
	return s, err
}

func (f *fake) Tools(context.Context, loci.Principal) ([]loci.ToolSpec, error) {
	return []loci.ToolSpec{{Name: "list_dir", SideEffects: loci.EffectRead}}, nil
}

func (f *fake) Debug(ctx context.Context, p loci.Principal, id string) (any, error) {
	_, err := f.Session(ctx, p, id)
	return map[string]string{"system": "You are loci."}, err
}

func (f *fake) Models(context.Context) []loci.ModelInfo { return f.models }

func (f *fake) Profile(_ context.Context, model string) (loci.Profile, error) {
	p := f.profile
	p.Model = model
	return p, nil
}

func (f *fake) States(context.Context) []loci.ModelState {
	states := make([]loci.ModelState, len(f.models))
	for i, m := range f.models {
		states[i] = loci.ModelState{ModelInfo: m, Profile: &f.profile}
	}
	return states
}

func (f *fake) Probe(ctx context.Context, model string) (loci.Profile, error) {
	return f.Profile(ctx, model)
}

func (f *fake) Running(context.Context) []ollama.Running { return f.running }

func (f *fake) Embed(_ context.Context, _ string, texts []string) ([][]float32, int, error) {
	out, tokens := make([][]float32, len(texts)), 0
	for i, t := range texts {
		out[i] = []float32{float32(len(t)), 0.5}
		tokens += len(t)
	}
	return out, tokens, nil
}

func (f *fake) Route(_ context.Context, model string) (Route, error) { return f.route(model) }

func (f *fake) Chat(_ context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	return f.chat(req)
}

func (f *fake) Job(_ context.Context, req loci.Request) (loci.Chunk, error) { return f.job(req) }

func (f *fake) Grants(context.Context, loci.Principal) ([]loci.Grant, error) { return nil, nil }
func (f *fake) Revoke(context.Context, loci.Principal, string) error         { return nil }

func (f *fake) Answer(_ context.Context, p loci.Principal, id string, yes bool, span loci.GrantSpan) (loci.Approval, error) {
	if span != "" && span != loci.GrantOnce {
		return loci.Approval{}, loci.Errorf(loci.Invalid, "Only once.")
	}
	for i, a := range f.open {
		if a.ID != id || a.Principal != p.ID {
			continue
		}
		if a.State != loci.ApprovalOpen {
			return a, loci.Errorf(loci.Conflict, "It is answered.")
		}
		if f.open[i].State = loci.ApprovalNo; yes {
			f.open[i].State = loci.ApprovalYes
		}
		return f.open[i], nil
	}
	return loci.Approval{}, loci.Errorf(loci.NotFound, "There is no such question.")
}

func (f *fake) Approvals(_ context.Context, p loci.Principal) ([]loci.Approval, error) {
	var mine []loci.Approval
	for _, a := range f.open {
		if a.Principal == p.ID {
			mine = append(mine, a)
		}
	}
	return mine, nil
}

func (f *fake) Changes(_ context.Context, p loci.Principal, session string, limit int) ([]loci.Change, error) {
	var list []loci.Change
	for _, c := range f.changes {
		if c.Principal == p.ID && (session == "" || c.Session == session) && len(list) < limit {
			list = append(list, c)
		}
	}
	return list, nil
}

func (f *fake) Undo(_ context.Context, p loci.Principal, id string) (loci.Change, error) {
	for i, c := range f.changes {
		switch {
		case c.ID != id || c.Principal != p.ID:
		case c.Undone != "":
			return c, loci.Errorf(loci.Conflict, "It was taken back already.")
		default:
			f.changes[i].Undone = "c9"
			return loci.Change{ID: "c9", Kind: loci.ChangeCreated, Undoes: id}, nil
		}
	}
	return loci.Change{}, loci.Errorf(loci.NotFound, "There is no such change.")
}

// newFake knows one model, smollm2, on a backend without pass-through, and
// answers every turn with "Hello there".
func newFake() *fake {
	f := &fake{
		models: []loci.ModelInfo{{
			ID: "smollm2:latest", Size: 98363007, Digest: strings.Repeat("d", 64), Format: "gguf",
			Family: "llama", Parameters: "134.52M", Quantization: "Q4_1",
		}},
		profile:  loci.Profile{Tier: loci.TierTiny, Family: "llama", Window: 4096, Params: 134515008},
		sessions: map[string]loci.Session{"ses_1": {ID: "ses_1", Principal: "owner", Title: "One"}, "ses_2": {ID: "ses_2", Principal: "user:eve"}},
		start:    func(loci.TurnRequest) (loci.Event, error) { return event(1, loci.TurnStarted{}), nil },
	}
	f.route = func(model string) (Route, error) {
		if strings.TrimSuffix(model, ":latest") != "smollm2" && model != "" {
			return Route{}, loci.Errorf(loci.NotFound, "No server has the model %q.", model)
		}
		return Route{Dialect: loci.OpenAI, Model: f.models[0], Forward: nothing}, nil
	}
	f.turn = says("Hello", " there")
	f.follow = func(ctx context.Context, _ string, _ int64) iter.Seq2[loci.Event, error] {
		return f.turn(ctx, loci.TurnRequest{})
	}
	return f
}

// bare is a model that is served without the agent.
func bare(id string) loci.ModelInfo { return loci.ModelInfo{ID: id, Passthrough: true} }

// nothing is a backend that answers every request with an empty object.
func nothing(context.Context, string, http.Header, []byte, loci.Purpose) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: 2, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

// event makes an event of turn_1 in ses_1.
func event(seq int64, data any) loci.Event {
	e := loci.Event{V: loci.EventVersion, Seq: seq, Session: "ses_1", Turn: "turn_1", Time: loci.Now(), Data: data}
	switch data.(type) {
	case loci.TurnStarted:
		e.Type = loci.EventTurnStarted
	case loci.ToolStarted:
		e.Type = loci.EventToolStarted
	case loci.ToolFinished:
		e.Type = loci.EventToolFinished
	case loci.Approval:
		e.Type = loci.EventApprovalAsked
	case loci.ApprovalAnswered:
		e.Type = loci.EventApprovalAnswered
	case loci.TurnWaiting:
		e.Type = loci.EventTurnWaiting
	case loci.MessageData:
		e.Type = loci.EventMessage
	case loci.TurnFinished:
		e.Type = loci.EventTurnFinished
	case loci.Delta:
		e.Type = loci.EventDelta
	}
	return e
}

// play gives events one after the other.
func play(events ...loci.Event) func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error] {
	return func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error] {
		return func(yield func(loci.Event, error) bool) {
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

var done = loci.TurnFinished{State: loci.TurnDone, Finish: loci.FinishStop, Receipt: loci.Receipt{Calls: 1, Prompt: 19, Completion: 6}}

// says is a turn that runs a tool and then speaks the given pieces.
func says(pieces ...string) func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error] {
	call := loci.ToolCall{ID: "call_1", Name: "list_dir", Arguments: []byte(`{"path":"."}`)}
	events := []loci.Event{
		event(1, loci.TurnStarted{Model: "smollm2", Tier: loci.TierTiny}),
		event(2, loci.ToolStarted{Call: call}),
		event(3, loci.ToolFinished{Result: loci.ToolResult{Call: call, Data: []byte(`{"entries":[]}`)}}),
	}
	offset := 0
	for _, p := range pieces {
		events = append(events, event(3, loci.Delta{Text: p, Offset: offset}))
		offset += len(p)
	}
	return play(append(events, event(4, loci.MessageData{Text: strings.Join(pieces, "")}), event(5, done))...)
}

// fails is a turn that ends with an error after the given events.
func fails(err error, events ...loci.Event) func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error] {
	return func(ctx context.Context, req loci.TurnRequest) iter.Seq2[loci.Event, error] {
		return func(yield func(loci.Event, error) bool) {
			for e, err := range play(events...)(ctx, req) {
				if !yield(e, err) {
					return
				}
			}
			yield(loci.Event{}, err)
		}
	}
}

var errDown = loci.Errorf(loci.Unreachable, "Ollama at http://127.0.0.1:11434 is not answering.").WithHint("Start it with \"ollama serve\".")

// configure makes a Config around a fake.
func (f *fake) config() Config {
	return Config{
		Engine: f, Sessions: f, Library: f, Editor: f, Inspect: f, Models: f, Prober: f, Backends: f, Questions: f, Audit: f, Changes: f,
		Keys: testKeys, KeyEditor: testKeys,
		OwnerName:    "Ada",
		AllowedHosts: []string{"agent.tailnet.example"}, AllowedOrigins: []string{"https://chat.example"},
		Instance: "inst_1", Version: "1.2.3",
	}
}

// client calls a handler without a listener.
type client struct {
	t       *testing.T
	handler http.Handler
	key     string
}

func newClient(t *testing.T, f *fake) client {
	return client{t, New(f.config()), ownerKey}
}

// request makes a request as it would arrive at 127.0.0.1:5624.
func request(method, target, body string, header ...string) *http.Request {
	var b io.Reader
	if body != "" {
		b = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, b)
	r.Host = "127.0.0.1:5624"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 5624}
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(addr)))
}

func (c client) do(method, target, body string, header ...string) *httptest.ResponseRecorder {
	r := request(method, target, body, header...)
	if c.key != "" && r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w
}

func TestEveryReplyIsMarked(t *testing.T) {
	c := newClient(t, newFake())
	for _, target := range []string{"/", "/healthz", "/v1/models", "/nowhere", "/api/version"} {
		w := c.do("GET", target, "", "X-Request-Id", "abc-1")
		if got := w.Header().Get("X-Loci-Instance"); got != "inst_1" {
			t.Errorf("%s: X-Loci-Instance = %q", target, got)
		}
		if got := w.Header().Get("X-Request-Id"); got != "abc-1" {
			t.Errorf("%s: X-Request-Id = %q, want the client's", target, got)
		}
	}
	for _, bad := range []string{"a b", "x\"y", strings.Repeat("x", 65), ""} {
		w := c.do("GET", "/healthz", "", "X-Request-Id", bad)
		if got := w.Header().Get("X-Request-Id"); !strings.HasPrefix(got, "req_") {
			t.Errorf("request id %q: X-Request-Id = %q, want a new one", bad, got)
		}
	}
}

func TestRoot(t *testing.T) {
	c := newClient(t, newFake())
	c.key = ""
	w := c.do("GET", "/", "")
	if w.Code != 200 || w.Body.String() != "Ollama is running" || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("GET /: %d %q %q", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	w = c.do("GET", "/", "", "Accept", "text/html,application/xhtml+xml")
	page := w.Body.String()
	for _, want := range []string{"loci is running", "http://127.0.0.1:5624/v1", "http://127.0.0.1:5624/k/CHAT-KEY", "http://host.docker.internal:5624/v1", "listen: 0.0.0.0:5624"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, ownerKey) || strings.Contains(page, chatKey) {
		t.Error("the page has a script or a key")
	}
	if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("Content-Security-Policy = %q", csp)
	}
	// The key in the path leads to what Ollama clients look for, never to the page.
	if w = c.do("GET", "/k/"+chatKey+"/", "", "Accept", "text/html"); w.Body.String() != "Ollama is running" {
		t.Errorf("GET /k/KEY/: %d %q", w.Code, w.Body)
	}
}

func TestReady(t *testing.T) {
	f := newFake()
	cfg := f.config()
	var broken error
	cfg.Ready = func(context.Context) error { return broken }
	c := client{t, New(cfg), ""}
	if w := c.do("GET", "/readyz", ""); w.Code != 200 {
		t.Errorf("ready: %d", w.Code)
	}
	broken = loci.Errorf(loci.Internal, "The database is locked.")
	if w := c.do("GET", "/readyz", ""); w.Code != 503 || !strings.Contains(w.Body.String(), "The database is locked.") {
		t.Errorf("not ready: %d %s", w.Code, w.Body)
	}
	if w := c.do("GET", "/healthz", ""); w.Code != 200 {
		t.Errorf("health does not depend on it: %d", w.Code)
	}
}

func TestErrorsHaveTheShapeOfTheDoor(t *testing.T) {
	c := newClient(t, newFake())
	for _, e := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"POST", "/v1/responses", "{}", 404, `Set the client to chat completions: POST /v1/chat/completions."`},
		{"GET", "/v1/responses/resp_1", "", 404, `POST /v1/chat/completions`},
		{"POST", "/v1/messages", "{}", 404, `POST /v1/chat/completions`},
		{"POST", "/v1/messages/count_tokens", "{}", 404, `POST /v1/chat/completions`},
		{"GET", "/v1/nothing", "", 404, `{"error":{"message":"There is nothing at this address."`},
		{"DELETE", "/v1/models", "", 405, `{"error":{"message":"This address only takes GET, HEAD."`},
		{"GET", "/api/nothing", "", 404, `{"error":"There is nothing at this address."}`},
		{"GET", "/api/chat", "", 405, `{"error":"This address only takes POST."}`},
		{"GET", "/api/agent/nothing", "", 404, `{"error":{"code":"not_found","message":"There is nothing at this address."}}`},
		{"PUT", "/api/agent/sessions/ses_1", "{}", 405, `only takes DELETE, GET, HEAD, PATCH.`},
		{"GET", "/nothing", "", 404, `{"error":{"code":"not_found"`},
		{"POST", "/api/pull", `{"model":"x"}`, 501, `{"error":"loci does not manage models.`},
		{"POST", "/api/push", `{}`, 501, `{"error":"`},
		{"POST", "/api/create", `{}`, 501, `{"error":"`},
		{"POST", "/api/copy", `{}`, 501, `{"error":"`},
		{"DELETE", "/api/delete", `{}`, 501, `{"error":"`},
		{"POST", "/api/blobs/sha256:aa", `x`, 501, `{"error":"`},
		{"HEAD", "/api/blobs/sha256:aa", "", 501, `{"error":"`},
		{"POST", "/v1/chat/completions", `{"messages":`, 400, `{"error":{"message":"`},
		{"POST", "/v1/chat/completions", `[]`, 400, `{"error":{"message":"`},
		{"POST", "/v1/chat/completions", "", 400, `{"error":{"message":"`},
		{"POST", "/api/chat", `{"model":7}`, 400, `{"error":"`},
		{"POST", "/api/agent/chat", `{"message":[]}`, 400, `{"error":{"code":"invalid","message":"\"message\" must be a text, not a list."}}`},
		{"POST", "/api/agent/chat", `{"message":"x","folders":["a",7]}`, 400, `"\"folders[1]\" must be a text, not a number."`},
		{"POST", "/api/agent/chat", `{"message":`, 400, `"The request body is not valid JSON."`},
		{"PATCH", "/api/agent/sessions/ses_1", `{"title":{}}`, 400, `"\"title\" must be a text, not an object."`},
		{"POST", "/api/agent/chat", `{}`, 400, `{"error":{"code":"invalid","message":"There is no message."`},
	} {
		w := c.do(e.method, e.target, e.body)
		if w.Code != e.status || !strings.Contains(w.Body.String(), e.want) {
			t.Errorf("%s %s %s: %d %s\nwant %d %s", e.method, e.target, e.body, w.Code, w.Body, e.status, e.want)
		}
		if e.status == 405 && w.Header().Get("Allow") == "" {
			t.Errorf("%s %s: no Allow header", e.method, e.target)
		}
	}
}

func TestSloppyAddresses(t *testing.T) {
	c := newClient(t, newFake())
	for _, target := range []string{"//v1/models", "/v1/models/", "/v1//models", "/k/" + chatKey + "//v1/models/"} {
		if w := c.do("GET", target, ""); w.Code != 200 || !strings.Contains(w.Body.String(), `"object":"list"`) {
			t.Errorf("GET %s: %d %s", target, w.Code, w.Body)
		}
	}
}

func TestPanicIsContained(t *testing.T) {
	f := newFake()
	f.turn = func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error] { panic("boom in " + ownerKey) }
	var log bytes.Buffer
	cfg := f.config()
	cfg.Logger = slog.New(redact.New(ownerKey).Handler(slog.NewJSONHandler(&log, nil)))
	c := client{t, New(cfg), ownerKey}
	w := c.do("POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}]}`)
	if w.Code != 500 || !strings.Contains(w.Body.String(), `{"error":{"message":"Something went wrong inside loci.`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "panic in a handler") {
		t.Error("the panic is not in the log")
	}
	if strings.Contains(log.String(), ownerKey) {
		t.Errorf("a key is in the log: %s", &log)
	}
}

// Secrets do not leave in the words of an error, whatever door it leaves by.
func TestErrorsAreMasked(t *testing.T) {
	f := newFake()
	f.turn = fails(loci.Errorf(loci.Refused, "The server said %s.", ownerKey).WithHint("Check %s.", ownerKey))
	cfg := f.config()
	cfg.Mask = redact.New(ownerKey).Text
	c := client{t, New(cfg), ownerKey}
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"messages":[{"role":"user","content":"hi"}],"stream":STREAM}`,
		"/api/chat":            `{"model":"smollm2","messages":[{"role":"user","content":"hi"}],"stream":STREAM}`,
		"/api/agent/chat":      `{"message":"hi","stream":STREAM}`,
	} {
		for _, stream := range []string{"true", "false"} {
			w := c.do("POST", path, strings.Replace(body, "STREAM", stream, 1))
			if got := w.Body.String(); strings.Contains(got, ownerKey) || !strings.Contains(got, "The server said "+redact.Mask) {
				t.Errorf("%s, stream %s: %d %s", path, stream, w.Code, got)
			}
		}
	}
}

func TestLogHasNoContentAndNoKeys(t *testing.T) {
	f := newFake()
	f.turn = says("SECRET-REPLY")
	var log bytes.Buffer
	cfg := f.config()
	cfg.Logger = slog.New(slog.NewJSONHandler(&log, nil))
	c := client{t, New(cfg), ownerKey}
	const question = `{"model":"smollm2","messages":[{"role":"user","content":"SECRET-QUESTION"}]}`
	c.do("POST", "/v1/chat/completions?x=SECRET-QUERY", question)
	c.do("POST", "/k/"+chatKey+"/api/chat", question)
	c.do("GET", "/k/"+ownerKey+"/api/chat", "")
	c.do("GET", "/SECRET-PATH", "")
	for _, secret := range []string{"SECRET", ownerKey, chatKey} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log:\n%s", secret, &log)
		}
	}
	for _, want := range []string{`"route":"POST /v1/chat/completions"`, `"route":"POST /api/chat","status":200`, `"principal":"owner","key":"chat","via":"path"}`, `"principal":"owner","key":"owner"`, `"via":"path","error":"unauthorized"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, &log)
		}
	}
}

// An internal error's text is for the log only.
func TestInternalErrorsStayInside(t *testing.T) {
	f := newFake()
	f.turn = fails(errors.New("sql: /home/ada/loci.db is locked"))
	var log bytes.Buffer
	cfg := f.config()
	cfg.Logger = slog.New(slog.NewJSONHandler(&log, nil))
	c := client{t, New(cfg), ownerKey}
	w := c.do("POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}]}`)
	if w.Code != 500 || strings.Contains(w.Body.String(), "sql") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "loci.db is locked") {
		t.Error("the cause is not in the log")
	}
}
