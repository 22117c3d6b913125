package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// through routes every model to a backend, which knows it by another name.
func through(t testing.TB, backend http.Handler, dialect loci.Dialect) *fake {
	srv := httptest.NewServer(backend)
	tr := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(func() { tr.CloseIdleConnections(); srv.Close() })
	f := newFake()
	f.route = func(model string) (Route, error) {
		name := strings.TrimPrefix(model, "loci/")
		return Route{Dialect: dialect, Model: bare(name), Forward: func(ctx context.Context, path string, header http.Header, body []byte, _ loci.Purpose) (*http.Response, error) {
			req, err := http.NewRequestWithContext(ctx, "POST", srv.URL+path, bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			req.Header = header
			return tr.RoundTrip(req)
		}}, nil
	}
	return f
}

// serve listens with the handler.
func serve(t testing.TB, f *fake) *httptest.Server {
	srv := httptest.NewServer(New(f.config()))
	t.Cleanup(srv.Close)
	return srv
}

func post(t testing.TB, c *http.Client, target, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), "POST", target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+ownerKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// Everything of the protocol passes as it is. (Which headers go on to the
// backend is the business of Forward.)
func TestRelay(t *testing.T) {
	var got struct {
		path, body string
		header     http.Header
	}
	const reply = "data: {\"choices\":[{\"delta\":{\"content\":\"Снег 🐢\"}}],\"timings\":{\"x\":1}}\n\n: odd\ndata: [DONE]\n\n"
	backend := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got.path, got.body, got.header = r.URL.RequestURI(), string(b), r.Header
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Server", "llama.cpp")
		for i := range len(reply) { // one byte at a time, through the middle of letters
			_, _ = io.WriteString(w, reply[i:i+1])
			_ = http.NewResponseController(w).Flush()
		}
	})
	const body = `{ "messages" : [{"role":"user","content":"hi \ud83d\ude00"}], "model":"loci/m:q4",  "grammar":"root ::= x", "n_probs":1e0 }`
	for _, e := range []struct {
		path    string
		dialect loci.Dialect
	}{{"/v1/chat/completions", loci.OpenAI}, {"/v1/completions", loci.OpenAI}, {"/v1/embeddings", loci.OpenAI}, {"/api/chat", loci.Ollama}, {"/api/generate", loci.Ollama}, {"/api/embed", loci.Ollama}, {"/api/show", loci.Ollama}} {
		c := newClient(t, through(t, backend, e.dialect))
		w := c.do("POST", e.path, body, "X-Api-Key", ownerKey, "Cookie", "c=d", "X-OpenWebUI-User-Email", "", "Traceparent", "00-aa-bb-01", "X-Request-Id", "r1")
		if w.Body.String() != reply {
			t.Errorf("%s: the reply was changed: %q", e.path, w.Body)
		}
		if want := strings.Replace(body, "loci/m:q4", "m:q4", 1); got.body != want || got.path != e.path {
			t.Errorf("%s %s, want %s", got.path, got.body, want)
		}
		if got.header.Get("Traceparent") != "00-aa-bb-01" || got.header.Get("X-Request-Id") != "r1" {
			t.Errorf("%s: %v", e.path, got.header)
		}
		for _, name := range []string{"Set-Cookie", "Server", "Access-Control-Allow-Origin"} {
			if w.Header().Get(name) != "" {
				t.Errorf("%s: the client was sent %s", e.path, name)
			}
		}
		if w.Header().Get("Content-Type") != "text/event-stream" || w.Header().Get("X-Loci-Instance") != "inst_1" {
			t.Errorf("%s: %v", e.path, w.Header())
		}
	}
}

func TestRelayNamesTheModel(t *testing.T) {
	for _, e := range []struct{ body, want string }{
		{`{"model":"m","x":1}`, `{"model":"backend-name-that-is-much-longer","x":1}`},
		{`{"x":1,"model" : "m"}`, `{"x":1,"model" : "backend-name-that-is-much-longer"}`},
		{`{"model":"","x":1}`, `{"model":"backend-name-that-is-much-longer","x":1}`},
		{`{"x":{"model":"m"}}`, `{"model":"backend-name-that-is-much-longer","x":{"model":"m"}}`},
	} {
		f := newFake()
		var sent string
		f.route = func(string) (Route, error) {
			return Route{Dialect: loci.OpenAI, Model: bare("backend-name-that-is-much-longer"), Forward: func(_ context.Context, _ string, _ http.Header, body []byte, _ loci.Purpose) (*http.Response, error) {
				sent = string(body)
				return &http.Response{StatusCode: 200, ContentLength: 0, Body: http.NoBody}, nil
			}}, nil
		}
		newClient(t, f).do("POST", "/v1/chat/completions", e.body)
		if sent != e.want {
			t.Errorf("%s became %s, want %s", e.body, sent, e.want)
		}
	}
}

// A backend's own error reply is the client's to read.
func TestRelayKeepsStatus(t *testing.T) {
	backend := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"error":{"message":"Loading model"}}`)
	})
	w := newClient(t, through(t, backend, loci.OpenAI)).do("POST", "/v1/chat/completions", `{"model":"m"}`)
	if w.Code != 503 || w.Body.String() != `{"error":{"message":"Loading model"}}` || w.Header().Get("Retry-After") != "7" {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
}

func TestRelayBackendDown(t *testing.T) {
	f := newFake()
	f.route = func(string) (Route, error) {
		return Route{Dialect: loci.OpenAI, Model: bare("m"), Forward: func(context.Context, string, http.Header, []byte, loci.Purpose) (*http.Response, error) {
			return nil, errDown
		}}, nil
	}
	w := newClient(t, f).do("POST", "/v1/chat/completions", `{"model":"m","stream":true}`)
	if w.Code != 502 || !strings.Contains(w.Body.String(), `{"error":{"message":"Ollama at http://127.0.0.1:11434 is not answering.`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// When the backend's reply breaks off, the client's does not end well either.
func TestRelayBreaksOff(t *testing.T) {
	for _, e := range []struct {
		path, media string
		dialect     loci.Dialect
		sent, end   string
	}{
		{"/v1/chat/completions", "text/event-stream", loci.OpenAI, "data: {\"choices\":[{\"delta\":{\"content\":\"Ha", "\n\ndata: [DONE]\n\n"},
		{"/api/chat", "application/x-ndjson", loci.Ollama, "{\"message\":{\"content\":\"Ha", "}\n"},
	} {
		backend := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", e.media)
			_, _ = io.WriteString(w, e.sent)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		})
		w := newClient(t, through(t, backend, e.dialect)).do("POST", e.path, `{"model":"m"}`)
		rest, ok := strings.CutPrefix(w.Body.String(), e.sent)
		if !ok || !strings.Contains(rest, `"error":`) || !strings.Contains(rest, "broke off") || !strings.HasSuffix(rest, e.end) {
			t.Errorf("%s: %q", e.path, w.Body)
		}
	}
	// A reply without words for it breaks the connection off.
	backend := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"half`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	srv := serve(t, through(t, backend, loci.OpenAI))
	resp := post(t, srv.Client(), srv.URL+"/v1/chat/completions", `{"model":"m"}`)
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("half a reply looks whole: %q", b)
	}
}

// What is known about the end of a reply is what the client hears.
func TestRelayTellsWhy(t *testing.T) {
	stalled := loci.Errorf(loci.Truncated, "Ollama at http://127.0.0.1:11434 stopped half-way through its reply: nothing came for 60 s.").WithHint("Ask again.")
	f := newFake()
	f.route = func(string) (Route, error) {
		return Route{Dialect: loci.OpenAI, Model: bare("m"), Forward: func(context.Context, string, http.Header, []byte, loci.Purpose) (*http.Response, error) {
			body := io.MultiReader(strings.NewReader("data: {"), iotest.ErrReader(stalled))
			return &http.Response{StatusCode: 200, ContentLength: -1, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(body)}, nil
		}}, nil
	}
	w := newClient(t, f).do("POST", "/v1/chat/completions", `{"model":"m"}`)
	if !strings.Contains(w.Body.String(), `"message":"`+stalled.Error()+`"`) {
		t.Errorf("%s", w.Body)
	}
}

// Each piece of a stream is passed on when it comes.
func TestRelayFlushes(t *testing.T) {
	next := make(chan string)
	backend := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for s := range next {
			_, _ = io.WriteString(w, s)
			_ = http.NewResponseController(w).Flush()
		}
	})
	srv := serve(t, through(t, backend, loci.OpenAI))
	go func() { next <- "data: 1\n\n" }()
	resp := post(t, srv.Client(), srv.URL+"/v1/chat/completions", `{"model":"m"}`)
	defer resp.Body.Close()
	buf := make([]byte, 64)
	for i := 1; i <= 3; i++ {
		want := fmt.Sprintf("data: %d\n\n", i)
		n, err := io.ReadFull(resp.Body, buf[:len(want)])
		if err != nil || string(buf[:n]) != want {
			t.Fatalf("%q %v", buf[:n], err)
		}
		if i < 3 {
			next <- fmt.Sprintf("data: %d\n\n", i+1)
		}
	}
	close(next)
}

// A client that leaves cancels the backend's work.
func TestRelayDisconnect(t *testing.T) {
	gone := make(chan struct{})
	backend := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	srv := serve(t, through(t, backend, loci.OpenAI))
	resp := post(t, srv.Client(), srv.URL+"/v1/chat/completions", `{"model":"m"}`)
	if _, err := io.ReadFull(resp.Body, make([]byte, 9)); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Error("the backend works on for nobody")
	}
}

// A backend of the other protocol is asked in loci's own terms.
func TestPassthroughConverts(t *testing.T) {
	f := newFake()
	f.route = func(string) (Route, error) { return Route{Dialect: loci.OpenAI, Model: bare("m")}, nil }
	var asked loci.Request
	f.chat = func(req loci.Request) iter.Seq2[loci.Chunk, error] {
		asked = req
		return func(yield func(loci.Chunk, error) bool) {
			_ = yield(loci.Chunk{Text: "Half"}, nil) && yield(loci.Chunk{}, errDown)
		}
	}
	w := newClient(t, f).do("POST", "/api/chat", ollamaHello+`,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`)
	if !strings.Contains(w.Body.String(), `"content":"Half"`) || !strings.Contains(w.Body.String(), `{"error":"Ollama at`) {
		t.Errorf("%s", w.Body)
	}
	want := []loci.Message{{Role: loci.User, Content: "Say hi"}}
	if diff := cmp.Diff(want, asked.Messages); diff != "" || asked.Model != "smollm2" || len(asked.Tools) != 1 || asked.Purpose != loci.PurposeChat {
		t.Errorf("%+v %s", asked, diff)
	}
}

// BenchmarkAdded measures what a hop adds to a call over loopback: the same
// calls straight to the backend, through a bare reverse proxy, and through
// loci, in turns. It reports the medians' differences.
func BenchmarkAdded(b *testing.B) {
	reply := []byte(`{"choices":[{"message":{"role":"assistant","content":"` + strings.Repeat("word ", 200) + `"},"finish_reason":"stop"}]}`)
	backend := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(reply)
	})
	for _, size := range []int{200, 100 << 10} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			direct := httptest.NewServer(backend)
			defer direct.Close()
			u, err := url.Parse(direct.URL)
			if err != nil {
				b.Fatal(err)
			}
			proxy := httputil.NewSingleHostReverseProxy(u)
			proxy.FlushInterval = -1
			bare := httptest.NewServer(proxy)
			defer bare.Close()
			own := serve(b, through(b, backend, loci.OpenAI))
			body := `{"messages":[{"role":"user","content":"` + strings.Repeat("x", size) + `"}],"model":"loci/m"}`
			targets := []string{direct.URL, bare.URL, own.URL}
			took := make([][]time.Duration, len(targets))
			tr := &http.Transport{DialContext: (&net.Dialer{}).DialContext, MaxIdleConnsPerHost: 4}
			defer tr.CloseIdleConnections()
			c := &http.Client{Transport: tr}
			for b.Loop() {
				for i, target := range targets {
					began := time.Now()
					resp := post(b, c, target+"/v1/chat/completions", body)
					n, err := io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					if err != nil || resp.StatusCode != 200 || n != int64(len(reply)) {
						b.Fatal(resp.Status, n, err)
					}
					took[i] = append(took[i], time.Since(began))
				}
			}
			median := func(d []time.Duration) float64 {
				slices.Sort(d)
				return float64(d[len(d)/2].Nanoseconds()) / 1e3
			}
			b.ReportMetric(median(took[1])-median(took[0]), "µs-added-by-proxy")
			b.ReportMetric(median(took[2])-median(took[0]), "µs-added-by-loci")
		})
	}
}

// BenchmarkToken measures what one streamed token costs in the handler.
func BenchmarkToken(b *testing.B) {
	f := newFake()
	n := 0
	f.turn = func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error] {
		return func(yield func(loci.Event, error) bool) {
			for b.Loop() {
				n++
				if !yield(event(1, loci.Delta{Text: " word"}), nil) {
					return
				}
			}
			yield(event(2, done), nil)
		}
	}
	srv := serve(b, f)
	resp := post(b, srv.Client(), srv.URL+"/v1/chat/completions", hello+`,"stream":true}`)
	defer resp.Body.Close()
	b.ReportAllocs()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		b.Fatal(err)
	}
}
