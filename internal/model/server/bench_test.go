package server

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"loci/internal/model/server/servertest"
)

// benchPieces is how many tokens a benchmarked reply has.
const benchPieces = 2000

func benchServer(b *testing.B) string {
	body := sse(strings.Split(strings.Repeat("token ", benchPieces), " ")[:benchPieces]...)
	return servertest.Serve(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for event := range strings.SplitAfterSeq(body, "\n\n") { // one chunk each, as servers write them
			io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
		}
	}))
}

// BenchmarkChat measures a streamed reply through Chat, and BenchmarkRaw the
// same reply read as lines of bytes. Their difference is what loci adds.
func BenchmarkChat(b *testing.B) {
	c := client(b, benchServer(b)+"/v1", "")
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for chunk, err := range c.Chat(b.Context(), hello()) {
			if err != nil {
				b.Fatal(err)
			}
			if chunk.Text != "" {
				n++
			}
		}
		if n != benchPieces {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchPieces, "ns/token")
}

func BenchmarkRaw(b *testing.B) {
	url := benchServer(b)
	b.ReportAllocs()
	for b.Loop() {
		resp, err := http.Post(url, "application/json", strings.NewReader("{}"))
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for s := bufio.NewScanner(resp.Body); s.Scan(); {
			if bytes.HasPrefix(s.Bytes(), []byte("data: ")) {
				n++
			}
		}
		if err := resp.Body.Close(); err != nil || n < benchPieces {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchPieces, "ns/token")
}

// BenchmarkGuard measures one read under the idle limit.
func BenchmarkGuard(b *testing.B) {
	g := watch(b.Context(), Backend{}, Timeouts{}.orDefault())
	g.body = io.NopCloser(zeros{})
	defer g.Close()
	p := make([]byte, 64)
	for b.Loop() {
		if _, err := g.Read(p); err != nil {
			b.Fatal(err)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
