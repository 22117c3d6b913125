package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// serve listens on a free loopback port, prints the address and serves until
// ctx ends.
func serve(ctx context.Context, h http.Handler) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + ln.Addr().String())
	s := &http.Server{Handler: h}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	if err := s.Serve(ln); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// mock is a model server that answers at once: about 1 kB, or 64 pieces, which
// take 20 ms each from the model named slow.
func mock() http.Handler {
	const pieces = 64
	text := strings.Repeat("lorem ipsum dolor sit amet ", 40)
	whole := fmt.Sprintf(`{"id":"x","object":"chat.completion","created":1,"model":"mock","choices":[{"index":0,`+
		`"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":200,"total_tokens":210}}`, text)
	const piece = `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"mock","choices":[{"index":0,"delta":{"content":"tok%d "},"finish_reason":null}]}` + "\n\n"
	const last = `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"mock","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"mock","object":"model","created":1,"owned_by":"bench"},`+
			`{"id":"slow","object":"model","created":1,"owned_by":"bench"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if !bytes.Contains(body, []byte(`"stream":true`)) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, whole)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		flush := http.NewResponseController(w).Flush
		slow := bytes.Contains(body, []byte(`"model":"slow"`))
		for i := range pieces {
			fmt.Fprintf(w, piece, i)
			_ = flush()
			if slow {
				time.Sleep(20 * time.Millisecond)
			}
		}
		_, _ = io.WriteString(w, last)
	})
	return mux
}

// proxy is the least that one more hop costs.
func proxy(ctx context.Context, upstream string) error {
	u, err := url.Parse(upstream)
	if err != nil {
		return err
	}
	p := httputil.NewSingleHostReverseProxy(u)
	p.FlushInterval = -1
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	p.Transport = t
	return serve(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Read first: while a body is still being copied, the transport may break
		// off a reply that has overtaken it.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.ServeHTTP(w, r)
	}))
}
