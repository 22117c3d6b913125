package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"loci"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
