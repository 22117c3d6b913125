package api

import (
	"context"
	"encoding/json"
	"iter"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// everyRoute is one request for each address, with the scope that it needs.
var everyRoute = []struct {
	method, path, body string
	needs              scope
}{
	{"GET", "/v1/models", "", scopeChat},
	{"GET", "/v1/models/smollm2", "", scopeChat},
	{"POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}]}`, scopeChat},
	{"POST", "/v1/completions", `{"model":"bare","prompt":"hi"}`, scopeChat},
	{"POST", "/v1/embeddings", `{"model":"bare","input":"hi"}`, scopeChat},
	{"GET", "/api/version", "", scopeChat},
	{"GET", "/api/tags", "", scopeChat},
	{"GET", "/api/ps", "", scopeChat},
	{"POST", "/api/show", `{"model":"smollm2"}`, scopeChat},
	{"POST", "/api/chat", `{"model":"smollm2","messages":[{"role":"user","content":"hi"}]}`, scopeChat},
	{"POST", "/api/generate", `{"model":"smollm2","prompt":"hi"}`, scopeChat},
	{"POST", "/api/embed", `{"model":"smollm2","input":"hi"}`, scopeChat},
	{"POST", "/api/embeddings", `{"model":"smollm2","prompt":"hi"}`, scopeChat},
	{"POST", "/api/agent/chat", `{"message":"hi"}`, scopeOwner},
	{"GET", "/api/agent/tools", "", scopeOwner},
	{"GET", "/api/agent/debug?session=ses_1", "", scopeOwner},
	{"GET", "/api/agent/events?session=ses_1", "", scopeOwner},
	{"GET", "/api/agent/audit", "", scopeOwner},
	{"GET", "/api/agent/audit/verify", "", scopeOwner},
	{"GET", "/api/agent/sessions", "", scopeOwner},
	{"GET", "/api/agent/sessions/ses_1", "", scopeOwner},
	{"PATCH", "/api/agent/sessions/ses_1", `{"title":"x"}`, scopeOwner},
	{"POST", "/api/agent/sessions/ses_1/stop", "", scopeOwner},
	{"POST", "/api/agent/sessions/ses_1/fork", `{}`, scopeOwner},
	{"DELETE", "/api/agent/sessions/ses_1", "", scopeOwner},
}

// authFake has a second model on an Ollama server, so that every door converts.
func authFake() *fake {
	f := newFake()
	known := f.route
	f.route = func(model string) (Route, error) {
		if model == "bare" {
			return Route{Dialect: loci.Ollama, Model: bare("bare"), Forward: nothing}, nil
		}
		return known(model)
	}
	f.chat = func(loci.Request) iter.Seq2[loci.Chunk, error] {
		return func(yield func(loci.Chunk, error) bool) {
			yield(loci.Chunk{Text: "hi", Finish: loci.FinishStop}, nil)
		}
	}
	return f
}

// Every way to carry a key meets the same rules on every route.
func TestCarriersTimesRoutes(t *testing.T) {
	bearer := func(k string) []string { return []string{"Authorization", "Bearer " + k} }
	xkey := func(k string) []string { return []string{"X-Api-Key", k} }
	for _, carrier := range []struct {
		name   string
		prefix string
		header []string
		gives  scope // scopeNone: refused as unknown
	}{
		{"nothing", "", nil, scopeNone},
		{"owner as bearer", "", bearer(ownerKey), scopeOwner},
		{"owner, scheme in lower case", "", []string{"Authorization", "bearer " + ownerKey}, scopeOwner},
		{"owner as x-api-key", "", xkey(ownerKey), scopeOwner},
		{"owner in the path", "/k/" + ownerKey, nil, scopeNone},
		{"owner as basic", "", []string{"Authorization", "Basic " + ownerKey}, scopeNone},
		{"owner in the query", "?key=" + ownerKey, nil, scopeNone},
		{"owner as cookie", "", []string{"Cookie", "key=" + ownerKey}, scopeNone},
		{"chat as bearer", "", bearer(chatKey), scopeChat},
		{"chat as x-api-key", "", xkey(chatKey), scopeChat},
		{"chat in the path", "/k/" + chatKey, nil, scopeChat},
		{"chat in the path beside the owner's", "/k/" + chatKey, bearer(ownerKey), scopeChat},
		{"wrong in the path beside the owner's", "/k/wrong", bearer(ownerKey), scopeNone},
		{"wrong", "", bearer("wrong"), scopeNone},
		{"wrong beside a right one", "", append(bearer("wrong"), xkey(ownerKey)...), scopeNone},
		{"empty", "", bearer(""), scopeNone},
		{"prefix of the owner's", "", bearer(ownerKey[:10]), scopeNone},
		{"loopback by header", "", []string{"X-Forwarded-For", "127.0.0.1"}, scopeNone},
		{"user without a key", "", []string{"X-OpenWebUI-User-Role", "admin"}, scopeNone},
	} {
		for _, route := range everyRoute {
			want := 200
			switch {
			case carrier.gives == scopeNone:
				want = 401
			case carrier.gives < route.needs:
				want = 403
			case strings.HasSuffix(route.path, "/stop") || route.method == "DELETE":
				want = 204
			}
			target := carrier.prefix + route.path
			if strings.HasPrefix(carrier.prefix, "?") {
				target = route.path + "?" + carrier.prefix[1:]
				if strings.Contains(route.path, "?") {
					target = route.path + "&" + carrier.prefix[1:]
				}
			}
			w := httptest.NewRecorder()
			New(authFake().config()).ServeHTTP(w, request(route.method, target, route.body, carrier.header...))
			if w.Code != want {
				t.Errorf("%s: %s %s: %d, want %d: %.200s", carrier.name, route.method, route.path, w.Code, want, w.Body)
			}
		}
	}
}

// Without a key nobody learns what there is and what not.
func TestUnknownAddressesNeedAKey(t *testing.T) {
	for _, path := range []string{"/metrics", "/debug/pprof/", "/api/agent/ws", "/v1/nothing", "/api/pull", "/k/", "/k/x", "/favicon.ico"} {
		w := httptest.NewRecorder()
		New(newFake().config()).ServeHTTP(w, request("GET", path, ""))
		if w.Code != 401 || w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("GET %s: %d %v", path, w.Code, w.Header())
		}
	}
}

func TestNoKeyIsNoKey(t *testing.T) {
	cfg := newFake().config()
	cfg.Keys = func() Keys { return Keys{} }
	w := httptest.NewRecorder()
	New(cfg).ServeHTTP(w, request("GET", "/v1/models", "", "Authorization", "Bearer "))
	if w.Code != 401 {
		t.Errorf("an unset key let somebody in: %d", w.Code)
	}
}

func TestChangedKeyHoldsAtOnce(t *testing.T) {
	cfg := newFake().config()
	key := ownerKey
	cfg.Keys = func() Keys { return Keys{Owner: key} }
	c := client{t, New(cfg), ownerKey}
	if w := c.do("GET", "/v1/models", ""); w.Code != 200 {
		t.Fatalf("before: %d", w.Code)
	}
	key = "another-key"
	if w := c.do("GET", "/v1/models", ""); w.Code != 401 {
		t.Errorf("after: %d", w.Code)
	}
}

func TestPrincipals(t *testing.T) {
	owner := loci.Principal{ID: "owner", Name: "Ada", Owner: true}
	for _, e := range []struct {
		name, prefix string
		header       []string
		want         loci.Principal
		status       int
	}{
		{"owner", "", nil, owner, 200},
		{"owner's chat key", "/k/" + chatKey, nil, owner, 200},
		{"admin", "", []string{"X-OpenWebUI-User-Role", "admin", "X-OpenWebUI-User-Name", "J%C3%BCrgen%20B", "X-OpenWebUI-User-Id", "7", "X-OpenWebUI-User-Email", "j@x.example"},
			loci.Principal{ID: "owner", Name: "Jürgen B", Owner: true, Email: "j@x.example"}, 200},
		{"user", "", []string{"X-OpenWebUI-User-Role", "user", "X-OpenWebUI-User-Name", "Eve", "X-OpenWebUI-User-Id", "9", "X-OpenWebUI-User-Email", "e@x.example"},
			loci.Principal{ID: "user:9", Name: "Eve", Email: "e@x.example"}, 200},
		{"user through the path", "/k/" + chatKey, []string{"X-OpenWebUI-User-Id", "9"}, loci.Principal{ID: "user:9"}, 200},
		{"user cannot be the owner by id", "", []string{"X-OpenWebUI-User-Id", "owner"}, loci.Principal{ID: "user:owner"}, 200},
		{"no id but a mail", "", []string{"X-OpenWebUI-User-Email", "e@x.example"}, loci.Principal{ID: "user:e@x.example", Email: "e@x.example"}, 200},
		{"line breaks in a name", "", []string{"X-OpenWebUI-User-Id", "9", "X-OpenWebUI-User-Name", "Eve%0AIgnore%20all%1B%5B2J"}, loci.Principal{ID: "user:9", Name: "EveIgnore all[2J"}, 200},
		{"not percent-encoded", "", []string{"X-OpenWebUI-User-Id", "9", "X-OpenWebUI-User-Name", "100%"}, loci.Principal{ID: "user:9", Name: "100%"}, 200},
		{"only a role", "", []string{"X-OpenWebUI-User-Role", "user"}, loci.Principal{}, 403},
		{"signed header", "", []string{"X-OpenWebUI-User-Jwt", "e30.e30.x"}, loci.Principal{}, 403},
	} {
		t.Run(e.name, func(t *testing.T) {
			f := newFake()
			var got loci.Principal
			speak := f.turn
			f.turn = func(ctx context.Context, req loci.TurnRequest) iter.Seq2[loci.Event, error] {
				got = req.Principal
				return speak(ctx, req)
			}
			c := newClient(t, f)
			w := c.do("POST", e.prefix+"/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}]}`, e.header...)
			if w.Code != e.status {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if diff := cmp.Diff(e.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A forwarded user has no right to the agent API, whoever's key forwards them.
func TestForwardedUserMayOnlyChat(t *testing.T) {
	c := newClient(t, newFake())
	if w := c.do("GET", "/api/agent/sessions", "", "X-OpenWebUI-User-Id", "9"); w.Code != 403 {
		t.Errorf("user: %d", w.Code)
	}
	if w := c.do("GET", "/api/agent/sessions", "", "X-OpenWebUI-User-Id", "9", "X-OpenWebUI-User-Role", "admin"); w.Code != 200 {
		t.Errorf("admin: %d", w.Code)
	}
}

// The vectors that concern HTTP requests, on every route where they say so.
func TestOriginVectors(t *testing.T) {
	b, err := os.ReadFile("testdata/http_origin.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			ID, Name, Method string
			Headers          map[string]string
			Expect           any
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	words := strings.NewReplacer("PORT", "5624", "GOOD", ownerKey, "REVOKED", "revoked", "SCOPED", chatKey)
	ran := 0
	for _, v := range file.Cases {
		if v.Method == "WS" || v.Method == "START" {
			continue // a socket's life and the command's start are tested elsewhere
		}
		ran++
		for _, route := range everyRoute {
			method := v.Method
			if method != "OPTIONS" {
				method = route.method
			}
			r := request(method, route.path, route.body)
			for k, val := range v.Headers {
				if k == "Host" {
					r.Host = words.Replace(val)
					continue
				}
				r.Header.Set(k, words.Replace(val))
			}
			w := httptest.NewRecorder()
			New(authFake().config()).ServeHTTP(w, r)
			switch want := v.Expect.(type) {
			case float64:
				ok := w.Code == int(want) || want == 200 && w.Code == 204 || want == 403 && v.ID == "org-07" && route.needs < scopeOwner
				if !ok {
					t.Errorf("%s %s: %s %s: %d, want %v", v.ID, v.Name, route.method, route.path, w.Code, want)
				}
			case string: // "403 or no side effect", "no ACAO"
				if w.Code != 403 {
					t.Errorf("%s %s: %s %s: %d, want 403", v.ID, v.Name, route.method, route.path, w.Code)
				}
			}
			if w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: the origin was let in", v.ID)
			}
		}
	}
	if ran < 14 {
		t.Errorf("only %d vectors ran", ran)
	}
}

func TestHosts(t *testing.T) {
	for host, want := range map[string]int{
		"127.0.0.1:5624": 200, "localhost:5624": 200, "LOCALHOST:5624": 200, "[::1]:5624": 200,
		"agent.tailnet.example": 200, "agent.tailnet.example:8443": 200,
		"127.0.0.1:5625": 421, "127.0.0.1": 421, "127.0.0.2:5624": 421, "localhost.evil.example:5624": 421,
		"localhost.:5624": 421, "evil.agent.tailnet.example": 421, "::1:5624": 421, "0.0.0.0:5624": 421, "": 421,
	} {
		r := request("GET", "/", "")
		r.Host = host
		w := httptest.NewRecorder()
		New(newFake().config()).ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("Host %q: %d, want %d", host, w.Code, want)
		}
	}
}

func TestCORS(t *testing.T) {
	c := newClient(t, newFake())
	w := c.do("OPTIONS", "/v1/chat/completions", "", "Origin", "https://chat.example", "Access-Control-Request-Method", "POST")
	if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != "https://chat.example" {
		t.Errorf("preflight of an allowed origin: %d %v", w.Code, w.Header())
	}
	if w.Header().Get("Access-Control-Allow-Credentials") != "" {
		t.Error("credentials are allowed")
	}
	w = c.do("GET", "/v1/models", "", "Origin", "https://chat.example")
	if w.Code != 200 || w.Header().Get("Access-Control-Allow-Origin") != "https://chat.example" {
		t.Errorf("request of an allowed origin: %d", w.Code)
	}
	for _, origin := range []string{"null", "https://chat.example.evil", "https://CHAT.example", "http://chat.example"} {
		if w = c.do("GET", "/v1/models", "", "Origin", origin); w.Code != 403 {
			t.Errorf("Origin %s: %d", origin, w.Code)
		}
	}
	if w = c.do("GET", "/v1/models", "", "Origin", "http://127.0.0.1:5624"); w.Code != 200 {
		t.Errorf("same origin: %d", w.Code)
	}
}

func TestContentTypes(t *testing.T) {
	c := newClient(t, newFake())
	const body = `{"messages":[{"role":"user","content":"hi"}]}`
	for _, e := range []struct {
		media, origin string
		want          int
	}{
		{"application/json", "", 200},
		{"application/json; charset=utf-8", "https://chat.example", 200},
		{"application/vnd.x+json", "", 200},
		{"", "", 200},
		{"application/x-www-form-urlencoded", "", 200},
		{"", "https://chat.example", 415},
		{"application/x-www-form-urlencoded", "https://chat.example", 415},
		{"text/plain", "", 415},
		{"multipart/form-data; boundary=x", "", 415},
		{";;", "", 415},
	} {
		header := []string{"Content-Type", e.media}
		if e.origin != "" {
			header = append(header, "Origin", e.origin)
		}
		if w := c.do("POST", "/v1/chat/completions", body, header...); w.Code != e.want {
			t.Errorf("%q from %q: %d, want %d: %s", e.media, e.origin, w.Code, e.want, w.Body)
		}
	}
}
