package api

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"loci"
)

// live is a handler behind a real listener, with keys that can be taken away.
type live struct {
	t    *testing.T
	url  string
	fake *fake
	keys *lockedRing
}

// lockedRing is a ring whose keys can be revoked.
type lockedRing struct {
	ring
	mu   sync.Mutex
	held map[string][]context.CancelCauseFunc
}

var errGone = loci.Errorf(loci.Unauthorized, "The key does not hold any more.")

func (r *lockedRing) Hold(ctx context.Context, k loci.Key) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[k.ID] = append(r.held[k.ID], cancel)
	return ctx, func() { cancel(nil) }
}

func (r *lockedRing) revoke(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, cancel := range r.held[id] {
		cancel(errGone)
	}
}

func newLive(t *testing.T, change func(*Config)) *live {
	t.Helper()
	f := newFake()
	l := &live{t: t, fake: f, keys: &lockedRing{ring: testKeys, held: map[string][]context.CancelCauseFunc{}}}
	f.follow = func(ctx context.Context, session string, after int64) iter.Seq2[loci.Event, error] {
		return func(yield func(loci.Event, error) bool) {
			for e := range says("Hello")(ctx, loci.TurnRequest{}) {
				if e.Session = session; e.Seq > after && !yield(e, nil) {
					return
				}
			}
			<-ctx.Done()
		}
	}
	cfg := f.config()
	cfg.Keys = l.keys
	if change != nil {
		change(&cfg)
	}
	srv := httptest.NewServer(New(cfg))
	t.Cleanup(srv.Close)
	l.url = srv.URL
	return l
}

// dial opens a WebSocket. What it gives is the reply to the handshake if that was
// refused.
func (l *live) dial(header ...string) (*websocket.Conn, *http.Response) {
	l.t.Helper()
	h := http.Header{}
	host := ""
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			host = header[i+1]
			continue
		}
		h.Set(header[i], header[i+1])
	}
	c, res, err := websocket.Dial(l.t.Context(), l.url+"/api/agent/ws", &websocket.DialOptions{HTTPHeader: h, Host: host})
	if err != nil {
		return nil, res
	}
	l.t.Cleanup(func() { _ = c.CloseNow() })
	return c, res
}

func (l *live) open(key string) *websocket.Conn {
	l.t.Helper()
	c, res := l.dial("Authorization", "Bearer "+key)
	if c == nil {
		l.t.Fatalf("not opened: %v", res)
	}
	return c
}

// heard is a frame that came.
type heard struct {
	Type, Ref, Session string
	Seq                int64
	Approval           *loci.Approval
	Error              *loci.Error
}

// next reads frames until one fits.
func (l *live) next(c *websocket.Conn, fits func(heard) bool) heard {
	l.t.Helper()
	for {
		var h heard
		if err := wsjson.Read(l.t.Context(), c, &h); err != nil {
			l.t.Fatal(err)
		}
		if fits(h) {
			return h
		}
	}
}

// tell sends a frame and gives the reply to it.
func (l *live) tell(c *websocket.Conn, frame string) heard {
	l.t.Helper()
	if err := c.Write(l.t.Context(), websocket.MessageText, []byte(frame)); err != nil {
		l.t.Fatal(err)
	}
	return l.next(c, func(h heard) bool { return h.Type == "ok" || h.Type == "error" })
}

func TestSocket(t *testing.T) {
	l := newLive(t, nil)
	l.fake.open = []loci.Approval{{ID: "apr_1", Session: "ses_1", Principal: "owner", State: loci.ApprovalOpen}}
	c := l.open(ownerKey)
	if h := l.tell(c, `{"type":"message","ref":"a","message":"hi"}`); h.Type != "ok" || h.Ref != "a" || h.Session != "ses_1" {
		t.Fatalf("%+v", h)
	}
	if h := l.next(c, func(h heard) bool { return h.Type == "turn.finished" }); h.Session != "ses_1" || h.Seq != 5 {
		t.Errorf("%+v", h)
	}
	if h := l.tell(c, `{"type":"answer","ref":"b","id":"apr_1","answer":"yes"}`); h.Type != "ok" || h.Approval.State != loci.ApprovalYes {
		t.Errorf("%+v", h)
	}
	if h := l.tell(c, `{"type":"answer","id":"apr_1","answer":"yes"}`); h.Error == nil || h.Error.Code != loci.Conflict {
		t.Errorf("a second answer: %+v", h)
	}
	if h := l.tell(c, `{"type":"stop","session":"ses_1"}`); h.Type != "ok" || len(l.fake.stopped) != 1 {
		t.Errorf("%+v", h)
	}
	for frame, want := range map[string]loci.Code{
		`{"type":"follow","session":"ses_2"}`:             loci.NotFound, // somebody else's
		`{"type":"follow","session":"ses_1","after":-1}`:  loci.Invalid,
		`{"type":"stop","session":"ses_2"}`:               loci.NotFound,
		`{"type":"message","message":" "}`:                loci.Invalid,
		`{"type":"config.set","shell":"/tmp/x"}`:          loci.Invalid,
		`{"type":"answer","id":"apr_1","answer":"maybe"}`: loci.Invalid,
		`{"type":`: loci.Invalid, `[]`: loci.Invalid, ` `: loci.Invalid,
	} {
		if h := l.tell(c, frame); h.Error == nil || h.Error.Code != want {
			t.Errorf("%s: %+v", frame, h)
		}
	}
	if err := c.Write(t.Context(), websocket.MessageBinary, []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if h := l.next(c, func(h heard) bool { return h.Type == "error" }); h.Error.Code != loci.Invalid {
		t.Errorf("binary: %+v", h)
	}
}

// A client that comes back follows from the last event it got.
func TestSocketFollows(t *testing.T) {
	l := newLive(t, nil)
	c := l.open(ownerKey)
	if h := l.tell(c, `{"type":"follow","session":"ses_1","after":3}`); h.Type != "ok" {
		t.Fatalf("%+v", h)
	}
	if h := l.next(c, func(heard) bool { return true }); h.Seq != 4 {
		t.Errorf("the first event is %+v", h)
	}
}

// What a frame may do is what the key may, whatever the frame says; a no is always
// allowed.
func TestSocketRights(t *testing.T) {
	for _, e := range []struct {
		key, frame string
		want       loci.Code
	}{
		{readKey, `{"type":"hello","scopes":["admin"],"can":["chat"],"key":"` + ownerKey + `"}`, loci.Forbidden},
		{readKey, `{"type":"message","message":"hi"}`, loci.Forbidden},
		{readKey, `{"type":"follow","session":"ses_1"}`, loci.Forbidden},
		{scriptKey, `{"type":"follow","session":"ses_1"}`, loci.NotFound}, // the owner's
		{scriptKey, `{"type":"answer","id":"apr_1","answer":"yes"}`, loci.Forbidden},
		{scriptKey, `{"type":"answer","id":"apr_1","answer":"no"}`, ""},
		{buttonKey, `{"type":"answer","id":"apr_2","answer":"yes"}`, ""},
		{buttonKey, `{"type":"answer","id":"apr_1","answer":"yes"}`, loci.NotFound},
		{buttonKey, `{"type":"message","message":"hi"}`, loci.Forbidden},
	} {
		l := newLive(t, nil)
		l.fake.open = []loci.Approval{
			{ID: "apr_1", Principal: "key:script", State: loci.ApprovalOpen},
			{ID: "apr_2", Principal: "key:button", State: loci.ApprovalOpen},
		}
		c := l.open(e.key)
		if strings.Contains(e.frame, "admin") { // the claim comes first and changes nothing
			if h := l.tell(c, e.frame); h.Error == nil {
				t.Errorf("%s: %+v", e.frame, h)
			}
			e.frame = `{"type":"message","message":"hi"}`
		}
		switch h := l.tell(c, e.frame); {
		case e.want == "" && h.Type != "ok", e.want != "" && (h.Error == nil || h.Error.Code != e.want):
			t.Errorf("%s: %+v, want %q", e.frame, h, e.want)
		}
	}
}

func TestSocketHandshake(t *testing.T) {
	l := newLive(t, nil)
	port := l.url[strings.LastIndexByte(l.url, ':'):]
	key := []string{"Authorization", "Bearer " + ownerKey}
	for name, e := range map[string]struct {
		header []string
		want   int
	}{
		"no key":            {nil, 401},
		"chat key":          {[]string{"X-Api-Key", chatKey}, 403},
		"subprotocol":       {[]string{"Sec-Websocket-Protocol", ownerKey}, 401},
		"cookie":            {[]string{"Cookie", "key=" + ownerKey}, 401},
		"other page":        {append([]string{"Origin", "https://evil.example"}, key...), 403},
		"no page":           {append([]string{"Origin", "null"}, key...), 403},
		"other port":        {append([]string{"Origin", "http://127.0.0.1:1"}, key...), 403},
		"rebound":           {append([]string{"Host", "evil.example" + port, "Origin", "http://evil.example" + port}, key...), 421},
		"rebound, no page":  {append([]string{"Host", "evil.example" + port}, key...), 421},
		"cross-site":        {append([]string{"Sec-Fetch-Site", "cross-site"}, key...), 403},
		"forwarded user":    {append([]string{"X-OpenWebUI-User-Id", "9"}, key...), 403},
		"same origin":       {append([]string{"Origin", "http://127.0.0.1" + port}, key...), 101},
		"allowed page":      {append([]string{"Origin", "https://chat.example"}, key...), 101},
		"program":           {key, 101},
		"read key in other": {[]string{"X-Api-Key", readKey}, 101},
	} {
		c, res := l.dial(e.header...)
		if res == nil || res.StatusCode != e.want || (c != nil) != (e.want == 101) {
			t.Errorf("%s: %v, want %d", name, res, e.want)
		}
	}
	w := httptest.NewRecorder()
	New(newFake().config()).ServeHTTP(w, request("GET", "/api/agent/ws", "", key...))
	if w.Code != http.StatusUpgradeRequired || !strings.Contains(w.Body.String(), "/api/agent/events") {
		t.Errorf("without an upgrade: %d %s", w.Code, w.Body)
	}
}

// Who loses the key is put out at once, with the reason.
func TestRevokedWhileOpen(t *testing.T) {
	l := newLive(t, nil)
	c := l.open(ownerKey)
	if h := l.tell(c, `{"type":"follow","session":"ses_1"}`); h.Type != "ok" {
		t.Fatalf("%+v", h)
	}
	other := l.open(rootKey)
	req, err := http.NewRequestWithContext(t.Context(), "GET", l.url+"/api/agent/events?session=ses_1", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+ownerKey)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	l.keys.revoke(loci.OwnerKey)
	began := time.Now()
	for err == nil {
		_, _, err = c.Read(t.Context())
	}
	if websocket.CloseStatus(err) != websocket.StatusPolicyViolation || !strings.Contains(err.Error(), "does not hold") {
		t.Errorf("the WebSocket ends with %v", err)
	}
	var b strings.Builder
	buf := make([]byte, 1<<10)
	for err = nil; err == nil; {
		var n int
		n, err = res.Body.Read(buf)
		b.Write(buf[:n])
	}
	if !strings.Contains(b.String(), "event: error\ndata: {\"error\":{\"code\":\"unauthorized\"") {
		t.Errorf("the events end with %v:\n%s", err, &b)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %v", took)
	}
	if h := l.tell(other, `{"type":"nothing"}`); h.Type != "error" {
		t.Errorf("another key's: %+v", h)
	}
}

// A client that holds the socket open and agrees to nothing is cut off.
func TestDeafSocketIsCut(t *testing.T) {
	l := newLive(t, nil)
	c := l.open(ownerKey) // nothing reads from here on, so it does not answer the close
	began := time.Now()
	l.keys.revoke(loci.OwnerKey)
	gone := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		return c.Write(ctx, websocket.MessageText, []byte(`{"type":"nothing"}`)) != nil
	}
	for !gone() {
		if time.Since(began) > 5*time.Second {
			t.Fatal("it stays open")
		}
	}
}

func TestSocketLimits(t *testing.T) {
	l := newLive(t, func(c *Config) { c.Limits.Frame, c.Limits.Follows, c.Limits.OwnRate = 1<<10, 1, 1 })
	l.fake.sessions["ses_3"] = loci.Session{ID: "ses_3", Principal: "owner"}
	c := l.open(ownerKey)
	l.tell(c, `{"type":"follow","session":"ses_1"}`)
	l.tell(c, `{"type":"follow","session":"ses_3"}`)
	if h := l.next(c, func(h heard) bool { return h.Type == "error" }); h.Error.Code != loci.Overloaded {
		t.Errorf("one too many: %+v", h)
	}
	var last heard
	for range atOnce {
		last = l.tell(c, `{"type":"nothing"}`)
	}
	if last.Error == nil || last.Error.Code != loci.Overloaded {
		t.Errorf("too often: %+v", last)
	}
	if err := c.Write(t.Context(), websocket.MessageText, []byte(fmt.Sprintf(`{"type":"message","message":%q}`, strings.Repeat("x", 2<<10)))); err != nil {
		t.Fatal(err)
	}
	var err error
	for err == nil {
		_, _, err = c.Read(t.Context())
	}
	if websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("too large: %v", err)
	}
}

// Whatever a frame says, the reply is a frame.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{`{"type":"message","message":"hi"}`, `{"type":"answer","id":"x","answer":"no"}`, `{"type":"follow","session":"ses_1","after":9}`, `{"ref":1}`, "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cfg := newFake().config()
		s := &server{Config: cfg, paces: newPaces(Limits{}.withDefaults())}
		r := request("GET", "/api/agent/ws", "")
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, &exchange{caller: caller{key: testKeys[buttonKey], principal: loci.Principal{Rights: testKeys[buttonKey].Rights}}}))
		k := &socket{server: s, r: r, ctx: r.Context()}
		var in frameIn
		if json.Unmarshal([]byte(text), &in) != nil {
			return
		}
		out, err := k.handle(in)
		if err != nil {
			out = k.refusal(err)
		}
		out.Ref = in.Ref
		if _, err := json.Marshal(out); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
