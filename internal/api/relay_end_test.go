package api

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"loci"
)

// answers routes every model to a backend that is one function.
func answers(dialect loci.Dialect, forward func(ctx context.Context) (*http.Response, error)) *fake {
	f := newFake()
	f.route = func(string) (Route, error) {
		return Route{Dialect: dialect, Model: bare("m"), Forward: func(ctx context.Context, _ string, _ http.Header, _ []byte, _ loci.Purpose) (*http.Response, error) {
			return forward(ctx)
		}}, nil
	}
	return f
}

// replies is a backend's response with a body of unknown length.
func replies(status int, media string, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, ContentLength: -1, Header: http.Header{"Content-Type": {media}}, Body: io.NopCloser(body)}
}

// slowly is a body whose pieces each come after a while.
type slowly struct {
	wait   time.Duration
	pieces []string
}

func (s *slowly) Read(b []byte) (int, error) {
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	<-time.After(s.wait)
	n := copy(b, s.pieces[0])
	s.pieces = s.pieces[1:]
	return n, nil
}

const (
	chatStream = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	brokeOff   = "The reply broke off before it was complete. Ask again."
	errorSSE   = `data: {"error":{"message":"` + brokeOff + `","type":"server_error","param":null,"code":"truncated"}}` + "\n\ndata: [DONE]\n\n"
	errorLine  = `{"error":"` + brokeOff + `"}` + "\n"
)

// A backend that ends half a reply cleanly does not make it whole.
func TestRelayEndsCleanlyHalfWay(t *testing.T) {
	for _, e := range []struct {
		name, path, media, sent string
		status                  int
		rest                    string // after what was sent
	}{
		{"OpenAI", "/v1/chat/completions", typeSSE, ssePiece + ssePiece, 200, "\n" + errorSSE},
		{"OpenAI, in a line", "/v1/chat/completions", typeSSE, ssePiece + ssePiece[:40], 200, "\n\n" + errorSSE},
		{"OpenAI, whole", "/v1/chat/completions", typeSSE, ssePiece + sseFinish + sseDone, 200, ""},
		{"OpenAI, nothing", "/v1/chat/completions", typeSSE, "", 502, `{"error":{"message":"` + brokeOff},
		{"Ollama", "/api/chat", typeNDJSON, lineText, 200, errorLine},
		{"Ollama, in a line", "/api/chat", typeNDJSON, lineText + lineDone[:60], 200, "\n" + errorLine},
		{"Ollama, whole", "/api/chat", typeNDJSON, lineText + lineDone, 200, ""},
		{"Ollama, nothing", "/api/chat", typeNDJSON, "", 502, `{"error":"` + brokeOff + `"}`},
		{"object", "/api/chat", typeJSON, `{"done":true}`, 200, ""},
		{"no object", "/api/chat", typeJSON, "", 502, `{"error":"` + brokeOff + `"}`},
		{"text", "/v1/chat/completions", "text/plain", "hello", 200, ""},
		{"empty text", "/v1/chat/completions", "text/plain", "", 200, ""},
	} {
		t.Run(e.name, func(t *testing.T) {
			dialect := loci.OpenAI
			if strings.HasPrefix(e.path, "/api") {
				dialect = loci.Ollama
			}
			f := answers(dialect, func(context.Context) (*http.Response, error) {
				return replies(200, e.media, strings.NewReader(e.sent)), nil
			})
			w := newClient(t, f).do("POST", e.path, chatStream)
			rest, ok := strings.CutPrefix(w.Body.String(), e.sent)
			if w.Code != e.status || !ok || !strings.HasPrefix(rest, e.rest) || e.status == 200 && rest != e.rest {
				t.Errorf("%d %q\nwant %d %q", w.Code, w.Body, e.status, e.sent+e.rest)
			}
		})
	}
}

// Half an object breaks the connection off, which a client cannot miss.
func TestRelayHalfAnObject(t *testing.T) {
	f := answers(loci.OpenAI, func(context.Context) (*http.Response, error) {
		return replies(200, typeJSON, strings.NewReader(`{"choices":[{"message":{"content":"Ha`)), nil
	})
	srv := serve(t, f)
	resp := post(t, srv.Client(), srv.URL+"/v1/chat/completions", `{"model":"m"}`)
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("half a reply looks whole: %q", b)
	}
}

// What comes after the end mark of a stream does not spoil it.
func TestRelayBreaksAfterTheEnd(t *testing.T) {
	f := answers(loci.OpenAI, func(context.Context) (*http.Response, error) {
		return replies(200, typeSSE, io.MultiReader(strings.NewReader(ssePiece+sseFinish+sseDone), broken{})), nil
	})
	if w := newClient(t, f).do("POST", "/v1/chat/completions", chatStream); w.Body.String() != ssePiece+sseFinish+sseDone {
		t.Errorf("%q", w.Body)
	}
}

// broken is the body of a connection that was cut.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

// When loci is stopped, a stream does not end as if it were complete, and a
// request without an answer gets a status.
func TestRelayWhenStopped(t *testing.T) {
	for _, e := range []struct {
		path, media, first, end string
		dialect                 loci.Dialect
		status                  int
	}{
		{"/v1/chat/completions", typeSSE, ssePiece, "was stopped before it was complete.\",\"type\":\"server_error\",\"param\":null,\"code\":\"truncated\"}}\n\ndata: [DONE]\n\n", loci.OpenAI, 200},
		{"/api/chat", typeNDJSON, lineText, `{"error":"The reply was stopped before it was complete."}` + "\n", loci.Ollama, 200},
		{"/v1/chat/completions", typeSSE, "", `The request was stopped`, loci.OpenAI, 503},
		{"/v1/chat/completions", typeJSON, "", `The request was stopped`, loci.OpenAI, 503},
	} {
		f := answers(e.dialect, func(ctx context.Context) (*http.Response, error) {
			return replies(200, e.media, io.MultiReader(strings.NewReader(e.first), waiting{ctx})), nil
		})
		ctx, stop := context.WithCancel(context.Background())
		srv := Server(ctx, New(f.config()), slog.New(slog.DiscardHandler))
		lis, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = srv.Serve(lis) }()
		if e.first == "" {
			time.AfterFunc(20*time.Millisecond, stop)
		}
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp := post(t, c, "http://"+lis.Addr().String()+e.path, chatStream)
		if _, err := io.ReadFull(resp.Body, make([]byte, len(e.first))); err != nil {
			t.Fatal(err)
		}
		stop()
		rest, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != e.status || !strings.Contains(string(rest), e.end) {
			t.Errorf("%s %s: %d %q %v", e.path, e.media, resp.StatusCode, rest, err)
		}
		_ = srv.Close()
	}
}

// waiting is a body that says nothing until its request ends.
type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, context.Cause(w.ctx)
}

// While a backend is silent, the client of a stream gets headers and signs of
// life; from its first byte on, nothing but its bytes.
func TestRelayShowsSignsOfLife(t *testing.T) {
	for _, e := range []struct {
		name, path, body, media string
		before, between         time.Duration // until the backend's headers, and before each piece
		pieces                  []string
		headers                 time.Duration // when the client has them
		alive                   string
		signs                   int
	}{
		{"headers late", "/v1/chat/completions", chatStream, typeSSE, 50 * time.Second, 0, []string{ssePiece, sseDone}, time.Second, ": keep-alive\n\n", 3},
		{"first byte late", "/v1/chat/completions", chatStream, typeSSE, 0, 40 * time.Second, []string{ssePiece, sseDone}, time.Second, ": keep-alive\n\n", 2},
		{"at once", "/v1/chat/completions", chatStream, typeSSE, 0, 0, []string{ssePiece, sseDone}, 0, ": keep-alive\n\n", 0},
		{"completion", "/v1/completions", `{"model":"m","stream":true,"prompt":"x"}`, typeSSE, 20 * time.Second, 0, []string{ssePiece, sseDone}, time.Second, ": keep-alive\n\n", 1},
		{"not a stream", "/v1/chat/completions", `{"model":"m","messages":[]}`, typeJSON, 50 * time.Second, 0, []string{`{"a":1}`}, 50 * time.Second, "", 0},
		{"Ollama", "/api/chat", chatStream, typeNDJSON, 50 * time.Second, 0, []string{lineText, lineDone}, time.Second, `"message":{"role":"assistant","content":""},"done":false}` + "\n", 3},
		{"Ollama, by default", "/api/generate", `{"model":"m","prompt":"x"}`, typeNDJSON, 0, 20 * time.Second, []string{lineText, lineDone}, time.Second, `"response":"","done":false}` + "\n", 1},
		{"Ollama, one object", "/api/chat", chatStream, typeJSON, 20 * time.Second, 0, []string{strings.TrimSpace(lineDone)}, time.Second, `"content":""},"done":false}` + "\n", 1},
		{"Ollama, whole", "/api/chat", `{"model":"m","stream":false,"messages":[{}]}`, typeJSON, 50 * time.Second, 0, []string{"{}"}, 50 * time.Second, "", 0},
		{"Ollama, loading", "/api/generate", `{"model":"m"}`, typeJSON, 50 * time.Second, 0, []string{"{}"}, 50 * time.Second, "", 0},
		{"embedding", "/v1/embeddings", `{"model":"m","input":"x"}`, typeJSON, 50 * time.Second, 0, []string{"{}"}, 50 * time.Second, "", 0},
	} {
		t.Run(e.name, func(t *testing.T) {
			dialect := loci.OpenAI
			if strings.HasPrefix(e.path, "/api") {
				dialect = loci.Ollama
			}
			f := answers(dialect, func(context.Context) (*http.Response, error) {
				<-time.After(e.before)
				return replies(200, e.media, &slowly{e.between, e.pieces}), nil
			})
			inWorld(t, f, func(t *testing.T, w world) {
				c := w.send(e.path, e.body)
				defer c.Close()
				asked := time.Now()
				resp := c.reply(t)
				defer resp.Body.Close()
				if took := time.Since(asked); took != e.headers || resp.StatusCode != 200 {
					t.Errorf("%d after %v, want %v", resp.StatusCode, took, e.headers)
				}
				b, err := io.ReadAll(resp.Body)
				signs, ok := strings.CutSuffix(string(b), strings.Join(e.pieces, ""))
				if err != nil || !ok {
					t.Fatalf("%q %v", b, err)
				}
				if e.signs == 0 && signs != "" || e.signs > 0 && (strings.Count(signs, e.alive) != e.signs || !strings.HasSuffix(signs, e.alive)) {
					t.Errorf("%q, want %d signs of life", signs, e.signs)
				}
			})
		})
	}
}

// Once the headers are out, an error comes in-band.
func TestRelayFailsLate(t *testing.T) {
	busy := func() (*http.Response, error) {
		return replies(503, typeJSON, strings.NewReader(`{"error":{"message":"Loading model"}}`)), nil
	}
	for _, e := range []struct {
		name, path string
		dialect    loci.Dialect
		reply      func() (*http.Response, error)
		want, end  string
	}{
		{"down", "/v1/chat/completions", loci.OpenAI, func() (*http.Response, error) { return nil, errDown }, `data: {"error":{"message":"Ollama at http://127.0.0.1:11434 is not answering.`, sseDone},
		{"down", "/api/chat", loci.Ollama, func() (*http.Response, error) { return nil, errDown }, `{"error":"Ollama at http://127.0.0.1:11434 is not answering.`, "}\n"},
		{"busy", "/v1/chat/completions", loci.OpenAI, busy, `data: {"error":{"message":"The model server is busy: Loading model.`, sseDone},
		{"busy", "/api/chat", loci.Ollama, busy, `{"error":"The model server is busy: Loading model.`, "}\n"},
		{"no stream", "/v1/chat/completions", loci.OpenAI, func() (*http.Response, error) {
			return replies(200, typeJSON, strings.NewReader(`{"choices":[]}`)), nil
		}, `data: {"error":{"message":"The model server answered, but not with a stream.`, sseDone},
	} {
		t.Run(e.name+" "+string(e.dialect), func(t *testing.T) {
			f := answers(e.dialect, func(context.Context) (*http.Response, error) {
				<-time.After(5 * time.Second)
				return e.reply()
			})
			inWorld(t, f, func(t *testing.T, w world) {
				c := w.send(e.path, chatStream)
				defer c.Close()
				resp := c.reply(t)
				defer resp.Body.Close()
				b, err := io.ReadAll(resp.Body)
				if text := string(b); err != nil || !strings.HasPrefix(strings.TrimLeft(text, "\n"), e.want) || !strings.HasSuffix(text, e.end) {
					t.Errorf("%q %v", b, err)
				}
			})
		})
	}
}

// answersEmpty is a backend with one short reply.
func answersEmpty(dialect loci.Dialect) *fake {
	return answers(dialect, func(context.Context) (*http.Response, error) {
		return replies(200, typeJSON, strings.NewReader("{}")), nil
	})
}
