package api

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"iter"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// bodies are for the routes that want more than an empty object.
var bodies = map[string]string{
	"POST /v1/chat/completions": `{"messages":[{"role":"user","content":"hi"}]}`,
	"POST /v1/completions":      `{"model":"bare","prompt":"hi"}`,
	"POST /v1/embeddings":       `{"model":"bare","input":"hi"}`,
	"POST /api/show":            `{"model":"smollm2"}`,
	"POST /api/chat":            `{"model":"smollm2","messages":[{"role":"user","content":"hi"}]}`,
	"POST /api/generate":        `{"model":"smollm2","prompt":"hi"}`,
	"POST /api/embed":           `{"model":"smollm2","input":"hi"}`,
	"POST /api/embeddings":      `{"model":"smollm2","prompt":"hi"}`,
	"POST /api/agent/chat":      `{"message":"hi"}`,
	"POST /api/agent/keys":      `{"name":"new","can":["chat"]}`,
}

// attempt is one request for an address, made from the table itself, so that a new
// one is tried as well.
type attempt struct {
	route
	method, path, body string
}

// own tells whether the address is behind loci's own door.
func (a attempt) own() bool { return strings.HasPrefix(a.path, "/api/agent/") }

func attempts() (all []attempt) {
	fill := strings.NewReplacer("{$}", "", "{id...}", "smollm2", "{id}", "ses_1", "{name}", "script")
	for _, e := range (&server{}).table() {
		method, path, _ := strings.Cut(e.pattern, " ")
		body := bodies[e.pattern]
		if body == "" && method != "GET" {
			body = "{}"
		}
		all = append(all, attempt{e, method, fill.Replace(path) + map[bool]string{true: "?session=ses_1"}[method == "GET"], body})
	}
	return all
}

// letIn tells that a reply is the handler's own: whatever it says, the doors were open.
func letIn(status int) bool { return status != 401 && status != 403 && status != 421 && status != 429 }

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
	chat := testKeys[chatKey]
	all := attempts()
	if len(all) < 30 {
		t.Fatalf("the table has %d routes", len(all))
	}
	for _, carrier := range []struct {
		name   string
		prefix string
		header []string
		gives  loci.Key // zero: refused as unknown
	}{
		{"nothing", "", nil, loci.Key{}},
		{"owner as bearer", "", bearer(ownerKey), testKeys[ownerKey]},
		{"owner, scheme in lower case", "", []string{"Authorization", "bearer " + ownerKey}, testKeys[ownerKey]},
		{"owner as x-api-key", "", xkey(ownerKey), testKeys[ownerKey]},
		{"owner in the path", "/k/" + ownerKey, nil, loci.Key{}},
		{"owner as basic", "", []string{"Authorization", "Basic " + ownerKey}, loci.Key{}},
		{"owner in the query", "?key=" + ownerKey, nil, loci.Key{}},
		{"owner as token in the query", "?access_token=" + ownerKey, nil, loci.Key{}},
		{"owner as cookie", "", []string{"Cookie", "key=" + ownerKey}, loci.Key{}},
		{"owner as subprotocol", "", []string{"Sec-Websocket-Protocol", ownerKey}, loci.Key{}},
		{"chat as bearer", "", bearer(chatKey), chat},
		{"chat as x-api-key", "", xkey(chatKey), chat},
		{"chat in the path", "/k/" + chatKey, nil, chat},
		{"chat in the path beside the owner's", "/k/" + chatKey, bearer(ownerKey), chat},
		{"wrong in the path beside the owner's", "/k/wrong", bearer(ownerKey), loci.Key{}},
		{"a made one in the path", "/k/" + scriptKey, nil, loci.Key{}},
		{"chat alone", "", bearer(scriptKey), testKeys[scriptKey]},
		{"chat alone as x-api-key", "", xkey(scriptKey), testKeys[scriptKey]},
		{"no chat", "", bearer(readKey), testKeys[readKey]},
		{"no chat as x-api-key", "", xkey(readKey), testKeys[readKey]},
		{"approve alone", "", bearer(buttonKey), testKeys[buttonKey]},
		{"admin alone", "", xkey(adminKey), testKeys[adminKey]},
		{"wrong", "", bearer("wrong"), loci.Key{}},
		{"wrong beside a right one", "", append(bearer("wrong"), xkey(ownerKey)...), loci.Key{}},
		{"empty", "", bearer(""), loci.Key{}},
		{"prefix of the owner's", "", bearer(ownerKey[:10]), loci.Key{}},
		{"loopback by header", "", []string{"X-Forwarded-For", "127.0.0.1"}, loci.Key{}},
		{"user without a key", "", []string{"X-OpenWebUI-User-Role", "admin"}, loci.Key{}},
	} {
		for _, a := range all {
			want := 0 // let in
			switch right := a.needs; {
			case a.needs == open && !strings.HasPrefix(carrier.prefix, "/k/"):
			case carrier.gives.ID == "":
				want = 401
			case a.own() && carrier.gives.ID == loci.ChatKey, right != anyKey && right != open && !carrier.gives.May(right):
				want = 403
			}
			target := carrier.prefix + a.path
			if strings.HasPrefix(carrier.prefix, "?") {
				target = a.path + map[bool]string{true: "&", false: "?"}[strings.Contains(a.path, "?")] + carrier.prefix[1:]
			}
			w := httptest.NewRecorder()
			New(authFake().config()).ServeHTTP(w, request(a.method, target, a.body, carrier.header...))
			if want == 0 && !letIn(w.Code) || want != 0 && w.Code != want {
				t.Errorf("%s: %s %s: %d, want %d: %.200s", carrier.name, a.method, a.path, w.Code, want, w.Body)
			}
			if want == 401 && strings.HasPrefix(carrier.prefix, "?") && !strings.Contains(w.Body.String(), "no key from there") {
				t.Errorf("%s: %s %s: no hint: %s", carrier.name, a.method, a.path, w.Body)
			}
		}
	}
}

// A claim in the request never adds a right.
func TestClaimsAddNothing(t *testing.T) {
	for _, header := range [][]string{{"X-Scopes", "admin"}, {"X-OpenWebUI-User-Role", "admin", "X-OpenWebUI-User-Id", "1"}} {
		c := client{t, New(newFake().config()), scriptKey}
		if w := c.do("GET", "/api/agent/keys?can=admin", "", header...); w.Code != 403 {
			t.Errorf("%v: %d %s", header, w.Code, w.Body)
		}
	}
}

// Without a key nobody learns what there is and what not.
func TestUnknownAddressesNeedAKey(t *testing.T) {
	for _, path := range []string{"/metrics", "/debug/pprof/", "/api/agent/ws", "/api/agent/keys", "/v1/nothing", "/api/pull", "/k/", "/k/x", "/favicon.ico"} {
		w := httptest.NewRecorder()
		New(newFake().config()).ServeHTTP(w, request("GET", path, ""))
		if w.Code != 401 || w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("GET %s: %d %v", path, w.Code, w.Header())
		}
	}
}

func TestNoKeyIsNoKey(t *testing.T) {
	cfg := newFake().config()
	cfg.Keys = ring{"": {ID: "key_0", Rights: loci.AllRights()}}
	w := httptest.NewRecorder()
	New(cfg).ServeHTTP(w, request("GET", "/v1/models", "", "Authorization", "Bearer "))
	if w.Code != 401 {
		t.Errorf("an unset key let somebody in: %d", w.Code)
	}
}

func TestChangedKeyHoldsAtOnce(t *testing.T) {
	cfg := newFake().config()
	keys := ring{"one-key": testKeys[ownerKey]}
	cfg.Keys = keys
	c := client{t, New(cfg), "one-key"}
	if w := c.do("GET", "/v1/models", ""); w.Code != 200 {
		t.Fatalf("before: %d", w.Code)
	}
	keys["another-key"] = keys["one-key"]
	delete(keys, "one-key")
	if w := c.do("GET", "/v1/models", ""); w.Code != 401 {
		t.Errorf("after: %d", w.Code)
	}
}

func TestPrincipals(t *testing.T) {
	owner := loci.Principal{ID: "owner", Name: "Ada", Owner: true}
	onlyChat := []loci.Right{loci.RightChat}
	withKey := func(k string, more ...string) []string {
		return append([]string{"Authorization", "Bearer " + k}, more...)
	}
	for _, e := range []struct {
		name, prefix string
		header       []string
		want         loci.Principal
		status       int
	}{
		{"owner", "", nil, owner, 200},
		{"owner's chat key", "/k/" + chatKey, nil, loci.Principal{ID: "owner", Name: "Ada", Owner: true, Rights: testKeys[chatKey].Rights}, 200},
		{"a key of its own", "", withKey(scriptKey), loci.Principal{ID: "key:script", Rights: onlyChat}, 200},
		{"a user behind it", "", withKey(scriptKey, "X-OpenWebUI-User-Id", "9", "X-OpenWebUI-User-Email", "e@x.example"),
			loci.Principal{ID: "key:script/user:9", Email: "e@x.example", Rights: onlyChat}, 200},
		{"an administrator behind it", "", withKey(scriptKey, "X-OpenWebUI-User-Id", "owner", "X-OpenWebUI-User-Role", "admin"), loci.Principal{ID: "key:script/user:owner", Rights: onlyChat}, 200},
		{"an administrator behind a key of all rights", "", withKey(rootKey, "X-OpenWebUI-User-Id", "1", "X-OpenWebUI-User-Role", "admin"),
			loci.Principal{ID: "owner", Name: "Ada", Owner: true, Rights: loci.AllRights()}, 200},
		{"a user behind a key of all rights", "", withKey(rootKey, "X-OpenWebUI-User-Id", "9"), loci.Principal{ID: "user:9", Rights: onlyChat}, 200},
		{"admin", "", []string{"X-OpenWebUI-User-Role", "admin", "X-OpenWebUI-User-Name", "J%C3%BCrgen%20B", "X-OpenWebUI-User-Id", "7", "X-OpenWebUI-User-Email", "j@x.example"},
			loci.Principal{ID: "owner", Name: "Jürgen B", Owner: true, Email: "j@x.example"}, 200},
		{"user", "", []string{"X-OpenWebUI-User-Role", "user", "X-OpenWebUI-User-Name", "Eve", "X-OpenWebUI-User-Id", "9", "X-OpenWebUI-User-Email", "e@x.example"},
			loci.Principal{ID: "user:9", Name: "Eve", Email: "e@x.example", Rights: onlyChat}, 200},
		{"user through the path", "/k/" + chatKey, []string{"X-OpenWebUI-User-Id", "9"}, loci.Principal{ID: "user:9", Rights: onlyChat}, 200},
		{"user cannot be the owner by id", "", []string{"X-OpenWebUI-User-Id", "owner"}, loci.Principal{ID: "user:owner", Rights: onlyChat}, 200},
		{"no id but a mail", "", []string{"X-OpenWebUI-User-Email", "e@x.example"}, loci.Principal{ID: "user:e@x.example", Email: "e@x.example", Rights: onlyChat}, 200},
		{"line breaks in a name", "", []string{"X-OpenWebUI-User-Id", "9", "X-OpenWebUI-User-Name", "Eve%0AIgnore%20all%1B%5B2J"}, loci.Principal{ID: "user:9", Name: "EveIgnore all[2J", Rights: onlyChat}, 200},
		{"not percent-encoded", "", []string{"X-OpenWebUI-User-Id", "9", "X-OpenWebUI-User-Name", "100%"}, loci.Principal{ID: "user:9", Name: "100%", Rights: onlyChat}, 200},
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
	words := strings.NewReplacer("PORT", "5624", "GOOD", ownerKey, "REVOKED", "revoked", "SCOPED", readKey)
	ran := 0
	for _, v := range file.Cases {
		if v.Method == "WS" || v.Method == "START" {
			continue // a socket's life and the command's start are tested elsewhere
		}
		ran++
		for _, a := range attempts() {
			method := v.Method
			if method != "OPTIONS" {
				method = a.method
			}
			r := request(method, a.path, a.body)
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
				free := a.needs == open && (want == 401 || v.ID == "org-07") || a.needs == anyKey && v.ID == "org-07"
				if ok := w.Code == int(want) || letIn(w.Code) && (want == 200 || free); !ok {
					t.Errorf("%s %s: %s %s: %d, want %v", v.ID, v.Name, a.method, a.path, w.Code, want)
				}
			case string: // "403 or no side effect", "no ACAO"
				if w.Code != 403 {
					t.Errorf("%s %s: %s %s: %d, want 403", v.ID, v.Name, a.method, a.path, w.Code)
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

// What a browser sends without saying from where is not for other pages either.
func TestFetchMetadata(t *testing.T) {
	for name, e := range map[string]struct {
		path   string
		header []string
		want   int
	}{
		"picture":            {"/v1/models", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}, 403},
		"other port":         {"/v1/models", []string{"Sec-Fetch-Site", "same-site"}, 403},
		"unknown word":       {"/v1/models", []string{"Sec-Fetch-Site", "sideways"}, 403},
		"frame":              {"/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		"link to the page":   {"/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		"link to more":       {"/v1/models", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
		"typed":              {"/", []string{"Sec-Fetch-Site", "none"}, 200},
		"own page":           {"/v1/models", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		"allowed page":       {"/v1/models", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://chat.example"}, 200},
		"claims to be ours":  {"/v1/models", []string{"Sec-Fetch-Site", "cross-site", "Origin", "http://127.0.0.1:5624"}, 403},
		"opaque origin":      {"/v1/models", []string{"Origin", "null"}, 403},
		"sandboxed as ours":  {"/v1/models", []string{"Origin", "null", "Sec-Fetch-Site", "same-origin"}, 403},
		"another scheme":     {"/v1/models", []string{"Origin", "ws://127.0.0.1:5624"}, 403},
		"upper case":         {"/v1/models", []string{"Origin", "HTTP://127.0.0.1:5624"}, 403},
		"behind a TLS proxy": {"/v1/models", []string{"Origin", "https://127.0.0.1:5624"}, 200},
	} {
		c := newClient(t, newFake())
		if w := c.do("GET", e.path, "", e.header...); w.Code != e.want {
			t.Errorf("%s: %d, want %d: %s", name, w.Code, e.want, w.Body)
		}
	}
	r := request("GET", "/v1/models", "", "Authorization", "Bearer "+ownerKey, "Origin", "http://127.0.0.1:5624")
	r.TLS = &tls.ConnectionState{}
	w := httptest.NewRecorder()
	New(newFake().config()).ServeHTTP(w, r)
	if w.Code != 403 {
		t.Errorf("an unencrypted page of the same name, where loci speaks TLS: %d", w.Code)
	}
}

// Whatever is replied, a browser may do nothing with it but show it.
func TestEveryReplyIsProtected(t *testing.T) {
	c := newClient(t, newFake())
	for _, target := range []string{"/", "/healthz", "/v1/models", "/nowhere", "/k/x"} {
		h := c.do("GET", target, "", "Accept", "text/html").Header()
		csp := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: Content-Security-Policy = %q", target, csp)
			}
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: %v", target, h)
		}
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
