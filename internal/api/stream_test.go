package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"loci"
	"loci/internal/chore/choretest"
)

// pipes is a listener whose connections are in memory, so that a whole server
// runs on a test's own clock.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// world is a server in a bubble of its own time.
type world struct {
	t   *testing.T
	lis *pipes
}

// inWorld runs f with a server around the fake.
func inWorld(t *testing.T, fk *fake, f func(t *testing.T, w world)) {
	synctest.Test(t, func(t *testing.T) {
		cfg := fk.config()
		cfg.AllowedHosts = []string{"loci.test"}
		srv := Server(t.Context(), New(cfg), slog.New(slog.DiscardHandler))
		lis := &pipes{make(chan net.Conn), make(chan struct{})}
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			_ = srv.Serve(lis)
		}()
		f(t, world{t, lis})
		_ = srv.Close()
		<-stopped
		<-time.After(time.Second) // net/http lingers on connections that it closes
	})
}

// conn is a client's connection and what comes back on it.
type conn struct {
	net.Conn
	r *bufio.Reader
}

// send opens a connection and posts a body.
func (w world) send(path, body string) conn {
	w.t.Helper()
	mine, theirs := net.Pipe()
	w.lis.conns <- theirs
	c := conn{mine, bufio.NewReader(mine)}
	c.post(w.t, path, body)
	return c
}

func (c conn) post(t *testing.T, path, body string) {
	t.Helper()
	method := "POST"
	if body == "" {
		method = "GET"
	}
	_, err := fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: loci.test\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, ownerKey, len(body), body)
	if err != nil {
		t.Fatal(err)
	}
}

// reply reads the headers.
func (c conn) reply(t *testing.T) *http.Response {
	t.Helper()
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// paced is a turn that waits before each piece and tells when it was cut off.
func paced(wait time.Duration, pieces int, cut chan<- time.Time) func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error] {
	return func(ctx context.Context, _ loci.TurnRequest) iter.Seq2[loci.Event, error] {
		return func(yield func(loci.Event, error) bool) {
			if !yield(event(1, loci.TurnStarted{}), nil) {
				return
			}
			for i := range pieces {
				select {
				case <-time.After(wait):
				case <-ctx.Done():
					cut <- time.Now()
					yield(event(2, loci.TurnFinished{State: loci.TurnInterrupted}), nil)
					return
				}
				if !yield(event(1, loci.Delta{Text: fmt.Sprint(i, " ")}), nil) {
					cut <- time.Now()
					return
				}
			}
			yield(event(2, done), nil)
		}
	}
}

// A slow model: headers and the first chunk after a second, signs of life in
// between, and then the words.
func TestStreamShowsSignsOfLife(t *testing.T) {
	for _, e := range []struct{ path, body, greeting, alive string }{
		{"/v1/chat/completions", hello + `,"stream":true}`, `"role":"assistant"`, ": keep-alive\n\n"},
		{"/api/chat", ollamaHello + `}`, "", `"content":""},"done":false}`},
		{"/api/generate", `{"model":"smollm2","prompt":"hi"}`, "", `"response":"","done":false}`},
		{"/v1/completions", `{"model":"smollm2","prompt":"hi","stream":true}`, ": keep-alive", ": keep-alive\n\n"},
		{"/v1/chat/completions", `{"model":"smollm2","stream":true,"messages":[{"role":"user","content":` + string(quoted(choretest.Several)) + `}]}`, `"role":"assistant"`, ": keep-alive\n\n"},
	} {
		f := newFake()
		f.turn = paced(50*time.Second, 1, nil)
		f.chat = func(loci.Request) iter.Seq2[loci.Chunk, error] { // of what is no turn
			return func(yield func(loci.Chunk, error) bool) {
				<-time.After(50 * time.Second)
				yield(loci.Chunk{Text: "x", Finish: loci.FinishStop}, nil)
			}
		}
		f.route = func(string) (Route, error) { return Route{Dialect: loci.Ollama, Model: f.models[0]}, nil }
		inWorld(t, f, func(t *testing.T, w world) {
			c := w.send(e.path, e.body)
			defer c.Close()
			asked := time.Now()
			resp := c.reply(t)
			defer resp.Body.Close()
			if took := time.Since(asked); took != time.Second {
				t.Errorf("%s: headers after %v, want 1s", e.path, took)
			}
			b, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(asked); took != 50*time.Second {
				t.Errorf("%s: the reply took %v", e.path, took)
			}
			if !strings.Contains(strings.SplitN(string(b), "\n", 2)[0], e.greeting) {
				t.Errorf("%s: the stream begins with %.200s", e.path, b)
			}
			// At 16 s, 31 s and 46 s.
			if n := strings.Count(string(b), e.alive); n != 3 {
				t.Errorf("%s: %d signs of life, want 3:\n%s", e.path, n, b)
			}
		})
	}
}

// A backend that is down for less than the hold time still gives its status.
func TestStreamHoldsItsStatus(t *testing.T) {
	f := newFake()
	f.turn = func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error] {
		return func(yield func(loci.Event, error) bool) {
			<-time.After(900 * time.Millisecond) // in the bubble: a refused connection and its retries
			yield(loci.Event{}, errDown)
		}
	}
	inWorld(t, f, func(t *testing.T, w world) {
		c := w.send("/v1/chat/completions", hello+`,"stream":true}`)
		defer c.Close()
		resp := c.reply(t)
		defer resp.Body.Close()
		if resp.StatusCode != 502 {
			t.Errorf("status %d, want 502", resp.StatusCode)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		// The connection serves the next request after any pause: a deadline of
		// the last reply must not linger.
		<-time.After(time.Minute)
		c.post(t, "/healthz", "")
		if resp := c.reply(t); resp.StatusCode != 200 {
			t.Errorf("the next request: %d", resp.StatusCode)
		}
	})
}

// A client that leaves takes its turn with it, within a second.
func TestDisconnectStopsTheTurn(t *testing.T) {
	for _, e := range []struct {
		name   string
		tokens int
		body   string
	}{
		{"after three tokens", 3, hello + `,"stream":true}`},
		{"before the first token", 0, hello + `,"stream":true}`},
		{"not streaming", 0, hello + `}`},
	} {
		t.Run(e.name, func(t *testing.T) {
			f := newFake()
			inWorld(t, f, func(t *testing.T, w world) {
				cut := make(chan time.Time, 1)
				f.turn = paced(200*time.Millisecond, 300, cut)
				c := w.send("/v1/chat/completions", e.body)
				for i := 0; i < e.tokens; {
					line, err := c.r.ReadString('\n')
					if err != nil {
						t.Fatal(err)
					}
					if strings.Contains(line, `"content":"`) && !strings.Contains(line, `"content":""`) {
						i++
					}
				}
				left := time.Now()
				c.Close()
				if took := (<-cut).Sub(left); took > time.Second {
					t.Errorf("the turn went on for %v", took)
				}
			})
		})
	}
}

// A client that stops reading is dropped after 30 s, and its turn with it.
func TestSlowReaderIsDropped(t *testing.T) {
	f := newFake()
	inWorld(t, f, func(t *testing.T, w world) {
		cut := make(chan time.Time, 1)
		f.turn = paced(700*time.Millisecond, 1000, cut) // not when the hold time ends: the test clock needs idle locks
		c := w.send("/v1/chat/completions", hello+`,"stream":true}`)
		defer c.Close()
		asked := time.Now()
		if took := (<-cut).Sub(asked); took < 30*time.Second || took > 35*time.Second {
			t.Errorf("dropped after %v, want about 30s", took)
		}
	})
}

// A body that stops arriving does not hold a connection for ever.
func TestStalledBody(t *testing.T) {
	inWorld(t, newFake(), func(t *testing.T, w world) {
		mine, theirs := net.Pipe()
		w.lis.conns <- theirs
		c := conn{mine, bufio.NewReader(mine)}
		defer c.Close()
		asked := time.Now()
		_, err := fmt.Fprintf(c, "POST /api/chat HTTP/1.1\r\nHost: loci.test\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{", ownerKey)
		if err != nil {
			t.Fatal(err)
		}
		if resp := c.reply(t); resp.StatusCode != 408 {
			t.Errorf("status %d, want 408", resp.StatusCode)
		}
		if took := time.Since(asked); took != 30*time.Second {
			t.Errorf("after %v, want 30s", took)
		}
	})
}

// A body that nobody reads, since the request is refused before, holds a connection
// for five seconds, however it drips.
func TestUnwantedBody(t *testing.T) {
	for name, path := range map[string]string{"without a key": "/v1/chat/completions", "open": "/healthz"} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, newFake(), func(t *testing.T, w world) {
				mine, theirs := net.Pipe()
				w.lis.conns <- theirs
				defer mine.Close()
				asked := time.Now()
				if _, err := fmt.Fprintf(mine, "POST %s HTTP/1.1\r\nHost: loci.test\r\nContent-Length: 100\r\n\r\n", path); err != nil {
					t.Fatal(err)
				}
				go func() {
					for range 100 {
						<-time.After(time.Second)
						if _, err := mine.Write([]byte("x")); err != nil {
							return
						}
					}
				}()
				if reply, err := io.ReadAll(mine); err != nil || !strings.Contains(string(reply), " 401 ") {
					t.Errorf("%q, %v", reply, err)
				}
				if took := time.Since(asked); took < 5*time.Second || took > 6*time.Second {
					t.Errorf("the connection was held for %v, want about 5s", took)
				}
			})
		})
	}
}

// A long turn survives the time limits for bodies and writes.
func TestLongTurn(t *testing.T) {
	f := newFake()
	f.turn = paced(10*time.Minute, 2, nil)
	inWorld(t, f, func(t *testing.T, w world) {
		for _, body := range []string{hello + `}`, hello + `,"stream":true}`} {
			c := w.send("/v1/chat/completions", body)
			resp := c.reply(t)
			b, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != 200 || !strings.Contains(string(b), `"finish_reason":"stop"`) {
				t.Errorf("%d %v %.300s", resp.StatusCode, err, b)
			}
			c.Close()
		}
	})
}

// Clients that send their headers slowly cost a connection for five seconds and
// hold up nobody.
func TestSlowHeaders(t *testing.T) {
	inWorld(t, newFake(), func(t *testing.T, w world) {
		began := time.Now()
		var slow []net.Conn
		for range 500 {
			mine, theirs := net.Pipe()
			w.lis.conns <- theirs
			if _, err := io.WriteString(mine, "GET / HTTP/1.1\r\nHost: l"); err != nil {
				t.Fatal(err)
			}
			slow = append(slow, mine)
		}
		c := w.send("/healthz", "")
		defer c.Close()
		if resp := c.reply(t); resp.StatusCode != 200 || time.Since(began) > 100*time.Millisecond {
			t.Errorf("the good client: %d after %v", resp.StatusCode, time.Since(began))
		}
		for _, mine := range slow {
			if _, err := io.Copy(io.Discard, mine); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("the slow ones were dropped after %v, want 5s", took)
		}
	})
}

func TestHugeHeaders(t *testing.T) {
	inWorld(t, newFake(), func(t *testing.T, w world) {
		mine, theirs := net.Pipe()
		w.lis.conns <- theirs
		defer mine.Close()
		go func() {
			// The server stops reading at some point, so this fails; that is fine.
			_, _ = io.WriteString(mine, "GET / HTTP/1.1\r\nHost: loci.test\r\nX: "+strings.Repeat("x", 200<<10)+"\r\n\r\n")
		}()
		c := conn{mine, bufio.NewReader(mine)}
		if resp := c.reply(t); resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("status %d, want 431", resp.StatusCode)
		}
	})
}
