package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"loci"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// routes is a server that answers GET and POST of fixed paths with fixed bodies.
type routes map[string]string

func (r routes) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, ok := r[req.Method+" "+req.URL.Path]
	if !ok {
		http.Error(w, `{"error":{"message":"File Not Found","type":"not_found_error","code":404}}`, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, body)
}

// serve starts a server and returns its root URL.
func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// client makes a Client of an address; kind is set as if it had been found out.
func client(t testing.TB, url string, kind Kind) *Client {
	t.Helper()
	b, err := ParseBackend(url)
	if err != nil {
		t.Fatal(err)
	}
	b.Kind = kind
	if b.Dialect == "" {
		b.Dialect = loci.Ollama
	}
	c := New(Config{Backend: b, Instance: "test-instance"})
	t.Cleanup(c.Close)
	return c
}

// hello is a request to say hello.
func hello() loci.Request {
	return loci.Request{
		Model:    "m",
		Messages: []loci.Message{{Role: loci.User, Content: "hello"}},
		Purpose:  loci.PurposeChat,
	}
}

// collect reads a reply to its end.
func collect(c *Client, ctx context.Context, req loci.Request) (text string, last loci.Chunk, err error) {
	var b strings.Builder
	for chunk, err := range c.Chat(ctx, req) {
		if err != nil {
			return b.String(), last, err
		}
		b.WriteString(chunk.Text)
		last = chunk
	}
	return b.String(), last, nil
}

// sse is a streamed OpenAI reply of the given pieces.
func sse(pieces ...string) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(piece(p))
	}
	b.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n")
	b.WriteString(`data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}` + "\n\n")
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

// piece is one event of such a reply.
func piece(text string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`+"\n\n", text)
}

func stream(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, body)
}

// wantError checks that err is a *loci.Error with exactly these words.
func wantError(t *testing.T, err error, code loci.Code, message, hint string) {
	t.Helper()
	e := loci.AsError(err)
	if e == nil {
		t.Fatalf("no error; want %s %q", code, message)
	}
	if e.Code != code || e.Message != message || e.Hint != hint {
		t.Errorf("got  %s %q %q\nwant %s %q %q", e.Code, e.Message, e.Hint, code, message, hint)
	}
}
