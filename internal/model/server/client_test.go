package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"loci"
	"loci/internal/model/server/servertest"
)

func TestChat(t *testing.T) {
	var got http.Header
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		if r.URL.Path != "/v1/chat/completions" {
			t.Errorf("path %s", r.URL.Path)
		}
		stream(w, sse("Hel", "lo"))
	}))
	c := client(t, url+"/v1", KindLlamaServer)
	c.backend.Key = "secret"
	text, last, err := collect(c, t.Context(), hello())
	if err != nil || text != "Hello" || last.Finish != loci.FinishStop {
		t.Fatalf("%q %+v %v", text, last, err)
	}
	if last.Usage == nil || last.Usage.Prompt != 7 {
		t.Errorf("usage %+v", last.Usage)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer secret", instanceHeader: "test-instance", purposeHeader: "chat", "Content-Type": "application/json", "Accept-Encoding": "",
	} {
		if got.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Get(name), want)
		}
	}
}

func TestChatReusesConnection(t *testing.T) {
	var conns atomic.Int32
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(w, sse("x")) }))
	c := client(t, url+"/v1", "")
	dial := c.transport.DialContext
	c.transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conns.Add(1)
		return dial(ctx, network, addr)
	}
	for range 5 {
		if _, _, err := collect(c, t.Context(), hello()); err != nil {
			t.Fatal(err)
		}
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections for five chats one after the other", n)
	}
}

func TestChatWholeReply(t *testing.T) {
	url := servertest.Serve(t, servertest.Routes{"POST /v1/chat/completions": `{"choices":[{"index":0,"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}]}`})
	text, last, err := collect(client(t, url+"/v1", ""), t.Context(), hello())
	if err != nil || text != "whole" || last.Finish != loci.FinishStop {
		t.Fatalf("%q %+v %v", text, last, err)
	}
}

func TestUnreachable(t *testing.T) {
	for kind, hint := range map[Kind]string{
		KindOllama:      "Start it with: ollama serve",
		KindLlamaServer: "Start it with: llama-server -m MODEL.gguf",
		KindLMStudio:    "Start it with: lms server start",
		"":              "Check that it is running and that the address is right.",
	} {
		url := servertest.ClosedPort(t)
		began := time.Now()
		_, _, err := collect(client(t, url+"/v1", kind), t.Context(), hello())
		servertest.WantError(t, err, loci.Unreachable, kind.String()+" at "+url+" is not answering.", hint)
		if took := time.Since(began); took > time.Second {
			t.Errorf("gave up after %v", took)
		}
	}
}

func TestUnreachableName(t *testing.T) {
	c := client(t, "http://no-such-host.invalid:1/v1", "")
	c.transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "no-such-host.invalid", IsNotFound: true}}
	}
	_, _, err := collect(c, t.Context(), hello())
	servertest.WantError(t, err, loci.Unreachable, "The model server at http://no-such-host.invalid:1 is not answering.", "Check that it is running and that the address is right.")
}

// TestServerErrors checks what becomes of a server's own errors, recorded from
// Ollama and llama-server where they have a body of that kind.
func TestServerErrors(t *testing.T) {
	tools := hello()
	tools.Tools = []loci.ToolSpec{{Name: "ping"}}
	for name, tt := range map[string]struct {
		status  int
		body    string
		req     loci.Request
		code    loci.Code
		message string // @ stands for the server
		cause   error
	}{
		"no tools, Ollama":       {400, `{"error":{"message":"registry.ollama.ai/library/smollm2:latest does not support tools","type":"api_error"}}`, tools, loci.Refused, "@ refused: registry.ollama.ai/library/smollm2:latest does not support tools.", loci.ErrNoTools},
		"no tools, llama-server": {500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, tools, loci.Refused, "@ failed: tools param requires --jinja flag.", loci.ErrNoTools},
		"no tools, vLLM":         {400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}`, tools, loci.Refused, `@ refused: "auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set.`, loci.ErrNoTools},
		"tools not offered":      {400, `{"error":"does not support tools"}`, hello(), loci.Refused, "@ refused: does not support tools.", nil},
		"context":                {400, `{"error":{"code":400,"message":"request (9031 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9031,"n_ctx":4096}}`, hello(), loci.Context, "The conversation is longer than the model's context window (the model server said: request (9031 tokens) exceeds the available context size (4096 tokens), try increasing it).", nil},
		"unknown model":          {404, `{"error":"model 'm' not found"}`, hello(), loci.NotFound, "@ does not have this: model 'm' not found.", nil},
		"other":                  {400, `{"error":"time: invalid duration \"bad\""}`, hello(), loci.Refused, `@ refused: time: invalid duration "bad".`, nil},
		"failure":                {500, `{"error":"runner stopped"}`, hello(), loci.Unreachable, "@ failed: runner stopped.", nil},
		"page":                   {502, `<html>Bad Gateway</html>`, hello(), loci.Unreachable, "@ failed: HTTP status 502.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			}))
			_, _, err := collect(client(t, url+"/v1", KindOllama), t.Context(), tt.req)
			e := loci.AsError(err)
			want := strings.Replace(tt.message, "@", "Ollama at "+url, 1)
			if e == nil || e.Code != tt.code || e.Message != want {
				t.Fatalf("got %s %q\nwant %s %q", e.Code, e.Message, tt.code, want)
			}
			if tt.cause != nil && !errors.Is(err, tt.cause) {
				t.Errorf("cause %v, want %v", e.Err, tt.cause)
			}
			if errors.Is(err, loci.ErrNoTools) != (tt.cause == loci.ErrNoTools) {
				t.Errorf("ToolsRefused %v", errors.Is(err, loci.ErrNoTools))
			}
		})
	}
}

// TestErrorInStream has the server fail after status 200, in each form that is
// known: case 14 of the reports.
func TestErrorInStream(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		text string
		says string
	}{
		"data": {`data: {"error":{"code":500,"message":"template could not be rendered"}}` + "\n\ndata: [DONE]\n\n", "", "template could not be rendered"},
		"line": {`error: {"code":400,"message":"prompt larger than the context"}` + "\n\ndata: [DONE]\n\n", "", "prompt larger than the context"},
		"late": {piece("Half a") + `data: {"error":{"message":"runner stopped"}}` + "\n\n", "Half a", "runner stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(w, tt.body) }))
			text, _, err := collect(client(t, url+"/v1", ""), t.Context(), hello())
			if err == nil || !strings.Contains(err.Error(), tt.says) || text != tt.text {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}

// TestCutAnywhere cuts a reply at every byte, both by a reset and by a clean
// end, and expects that it is never taken for complete before its finish
// reason came.
func TestCutAnywhere(t *testing.T) {
	whole := sse("Half a", " sen", "tence")
	complete := strings.Index(whole, `"stop"}]}`) + len(`"stop"}]}`)
	var cut atomic.Int64
	var clean atomic.Bool
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := whole[:cut.Load()]
		if clean.Load() {
			stream(w, body)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Length", "100000")
		io.WriteString(w, body)
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		panic(http.ErrAbortHandler)
	}))
	c := client(t, url+"/v1", KindLlamaServer)
	for n := range len(whole) {
		for _, end := range []bool{true, false} {
			cut.Store(int64(n))
			clean.Store(end)
			text, _, err := collect(c, t.Context(), hello())
			if !strings.HasPrefix("Half a sentence", text) {
				t.Fatalf("cut at %d: text %q", n, text)
			}
			switch {
			case n < complete-3 && (err == nil || loci.AsError(err).Code != loci.Truncated):
				t.Fatalf("cut at %d (clean %v): error %v", n, end, err)
			case n > complete+1 && text != "Half a sentence": // the token counts may be lost
				t.Fatalf("cut at %d, after the end (clean %v): %q, %v", n, end, text, err)
			case err != nil && loci.AsError(err).Message != "llama-server at "+url+" broke off its reply half-way.":
				t.Fatalf("cut at %d: %v", n, err)
			}
		}
	}
}

// TestStop ends a reply in each way a caller can, and waits for the server to
// notice: case 16.
func TestStop(t *testing.T) {
	for name, after := range map[string]int{"before the first byte": 0, "after three tokens": 3} {
		for _, leave := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				started, gone := make(chan struct{}), make(chan struct{})
				url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body) // the server watches the connection only then
					for range after {
						stream(w, piece("tok "))
					}
					if after > 0 {
						_ = http.NewResponseController(w).Flush()
					}
					close(started)
					<-r.Context().Done()
					close(gone)
				}))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if after == 0 {
					go func() { <-started; cancel() }()
				}
				var n int
				var last error
				for _, err := range client(t, url+"/v1", "").Chat(ctx, hello()) {
					if last = err; err != nil {
						break
					}
					if n++; n == after {
						if leave {
							break
						}
						cancel()
					}
				}
				if (after == 0 || !leave) && !errors.Is(last, context.Canceled) {
					t.Errorf("error %v", last)
				}
				select {
				case <-gone:
				case <-time.After(time.Second):
					t.Error("the server still works a second later")
				}
			})
		}
	}
}

func TestThinkRetriedOnce(t *testing.T) {
	var bodies []string
	refusal := `{"error":{"message":"\"plain\" does not support thinking"}}`
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		if len(bodies) == 1 || strings.Contains(string(body), "stubborn") {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, refusal)
			return
		}
		stream(w, sse("fine"))
	}))
	c := client(t, url+"/v1", "")
	req := hello()
	req.Options.Think = json.RawMessage(`"high"`)
	text, _, err := collect(c, t.Context(), req)
	if err != nil || text != "fine" || len(bodies) != 2 {
		t.Fatalf("%q %v after %d requests", text, err, len(bodies))
	}
	if !strings.Contains(bodies[0], "high") || strings.Contains(bodies[1], "high") {
		t.Errorf("sent %s\nthen %s", bodies[0], bodies[1])
	}
	bodies, req.Model = nil, "stubborn"
	if _, _, err = collect(c, t.Context(), req); loci.AsError(err).Code != loci.Refused || len(bodies) != 2 {
		t.Errorf("%v after %d requests", err, len(bodies))
	}
}

func TestEmbed(t *testing.T) {
	var sizes []int
	h := func(path string, reply func(n int) string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != path {
				http.NotFound(w, r)
				return
			}
			var body struct{ Input []string }
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get(purposeHeader) != "embed" {
				t.Error(err, r.Header)
			}
			sizes = append(sizes, len(body.Input))
			io.WriteString(w, reply(len(body.Input)))
		})
	}
	native := func(n int) string {
		return fmt.Sprintf(`{"embeddings":[%s[0.5,1]],"prompt_eval_count":%d}`, strings.Repeat(`[0.5,1],`, n-1), 2*n)
	}
	door := func(n int) string {
		var data []string
		for i := range n {
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,1]}`, i, i))
		}
		return fmt.Sprintf(`{"data":[%s],"usage":{"prompt_tokens":%d,"total_tokens":%d}}`, strings.Join(data, ","), 2*n, 2*n)
	}
	for _, url := range []string{servertest.Serve(t, h("/api/embed", native)), servertest.Serve(t, h("/v1/embeddings", door)) + "/v1"} {
		sizes = nil
		vectors, tokens, err := client(t, url, KindOllama).Embed(t.Context(), "m", make([]string, 100))
		if err != nil || len(vectors) != 100 || len(vectors[99]) != 2 || tokens != 200 {
			t.Fatal(len(vectors), tokens, err)
		}
		if diff := cmp.Diff([]int{64, 36}, sizes); diff != "" {
			t.Error(diff)
		}
	}
	for name, reply := range map[string]string{"too few": `{"embeddings":[[1]]}`, "uneven": `{"embeddings":[[1],[1,2]]}`, "empty": `{"embeddings":[[],[]]}`, "junk": `{`} {
		c := client(t, servertest.Serve(t, servertest.Routes{"POST /api/embed": reply}), KindOllama)
		if v, _, err := c.Embed(t.Context(), "m", []string{"a", "b"}); err == nil {
			t.Errorf("%s: %v", name, v)
		}
	}
}

func TestForward(t *testing.T) {
	var got *http.Request
	var body []byte
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, "as it is\x00")
	}))
	c := client(t, url, "")
	c.backend.Key = "backend-key"
	in := []byte(" {\"model\":\"m\", \"odd\":1.0}\n")
	resp, err := c.Forward(t.Context(), "/v1/chat/completions", http.Header{
		"Authorization": {"Bearer client"}, "X-Api-Key": {"client"}, "Cookie": {"a=b"}, "Connection": {"keep-alive, X-Hop"}, "X-Hop": {"1"},
		"Accept-Encoding": {"gzip"}, "X-Openwebui-User-Email": {"a@b"}, "User-Agent": {"chat 1.0"}, purposeHeader: {"step"}, instanceHeader: {"forged"},
		"Traceparent": {"00-1"}, "Content-Type": {"application/json"}, "X-Request-Id": {"r1"},
	}, in, loci.PurposeJob)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := io.ReadAll(resp.Body)
	if cerr := resp.Body.Close(); err != nil || cerr != nil {
		t.Fatal(err, cerr)
	}
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "7" || string(reply) != "as it is\x00" {
		t.Errorf("%d %q", resp.StatusCode, reply)
	}
	if !bytes.Equal(in, body) {
		t.Errorf("body %q", body)
	}
	want := http.Header{
		"Authorization": {"Bearer backend-key"}, "Traceparent": {"00-1"}, "Content-Type": {"application/json"}, "Content-Length": {"26"}, "X-Request-Id": {"r1"},
		instanceHeader: {"test-instance"}, purposeHeader: {"job"}, "User-Agent": {"Go-http-client/1.1"},
	}
	if diff := cmp.Diff(want, got.Header); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestForwardRefusesAdministration(t *testing.T) {
	c := client(t, servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.Errorf("got %s %s", r.Method, r.URL) })), KindOllama)
	for _, path := range []string{
		"/api/pull", "/api/push", "/api/create", "/api/copy", "/api/delete", "/api/blobs/sha256:1", "/v1/models", "/props", "/slots",
		"/api/chat/../pull", "/api/chat?x=/api/pull", "",
	} {
		if _, err := c.Forward(t.Context(), path, nil, nil, loci.PurposeChat); loci.AsError(err).Code != loci.Refused {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestRedirectNotFollowed(t *testing.T) {
	elsewhere := servertest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	url := servertest.Serve(t, http.RedirectHandler(elsewhere+"/v1", http.StatusTemporaryRedirect))
	_, _, err := collect(client(t, url+"/v1", KindOllama), t.Context(), hello())
	servertest.WantError(t, err, loci.Refused, "Ollama at "+url+" answered with a redirect.",
		"Redirects are not followed. If you trust it, set the backend's address to "+elsewhere+"/v1")
}

func TestLoopRefused(t *testing.T) {
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(instanceHeader, r.Header.Get(instanceHeader))
		stream(w, sse("x"))
	}))
	_, _, err := collect(client(t, url+"/v1", ""), t.Context(), hello())
	servertest.WantError(t, err, loci.Refused, "The backend "+url+" is loci itself.", "Set the backend to the address of a model server.")
}

func TestNotHTTP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1<<10)) // part of the request
			_, _ = io.WriteString(conn, "SSH-2.0-x\r\n")
			_ = conn.Close()
		}
	}()
	url := "http://" + l.Addr().String()
	_, _, err = collect(client(t, url+"/v1", ""), t.Context(), hello())
	servertest.WantError(t, err, loci.Refused, "The model server at "+url+" gave an answer that cannot be understood.", "Check that the address is that of a model server.")
}

func TestBoundedReplies(t *testing.T) {
	header := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Big", strings.Repeat("x", 2*maxHeader))
	}))
	if _, err := client(t, header+"/v1", "").Models(t.Context()); err == nil {
		t.Error("a header without bound was read")
	}
	big := bytes.Repeat([]byte("x"), 1<<20)
	body := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(big); err != nil {
				return
			}
		}
	}))
	_, err := client(t, body+"/v1", "").Models(t.Context())
	servertest.WantError(t, err, loci.Refused, "The model server at "+body+" gave an answer that cannot be understood.", "Check that the address is that of a model server.")
}
