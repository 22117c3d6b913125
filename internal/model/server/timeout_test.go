package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"loci"
	"loci/internal/model/server/servertest"
)

// pipes is a listener whose connections are in memory, so that a server and
// its clients can live in a synctest bubble, where time is virtual.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inBubble runs f with a client of the server h, in virtual time.
func inBubble(t *testing.T, h http.HandlerFunc, f func(t *testing.T, c *Client)) {
	synctest.Test(t, func(t *testing.T) {
		p := pipes{make(chan net.Conn), make(chan struct{})}
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that a client leaves
			h(w, r)
		})}
		go s.Serve(p)
		defer s.Close()
		c := client(t, "http://127.0.0.1:1/v1", KindOllama)
		c.transport.DialContext = p.dial
		defer c.Close()
		f(t, c)
	})
}

// silence keeps a request without a further byte until the client gives up.
func silence(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func TestFirstByteTimeout(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"no header": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"no body":   func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusOK); silence(w, r) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, h, func(t *testing.T, c *Client) {
				began := time.Now()
				_, _, err := collect(c, t.Context(), hello())
				servertest.WantError(t, err, loci.Timeout, "Ollama at http://127.0.0.1:1 did not begin to answer within 120 s.",
					"A large model may still be loading: try again, choose a smaller one, or raise the first-byte timeout.")
				if took := time.Since(began); took != 120*time.Second {
					t.Errorf("after %v", took)
				}
			})
		})
	}
}

func TestIdleTimeout(t *testing.T) {
	inBubble(t, func(w http.ResponseWriter, r *http.Request) {
		for range 3 { // slow, but never silent for too long
			stream(w, piece("tok "))
			_ = http.NewResponseController(w).Flush()
			<-time.After(59 * time.Second)
		}
		stream(w, piece("tok "))
		silence(w, r)
	}, func(t *testing.T, c *Client) {
		began := time.Now()
		text, _, err := collect(c, t.Context(), hello())
		servertest.WantError(t, err, loci.Truncated, "Ollama at http://127.0.0.1:1 stopped half-way through its reply: nothing came for 60 s.", tryAgain)
		if took := time.Since(began); took != (3*59+60)*time.Second || text != "tok tok tok tok " {
			t.Errorf("%q after %v", text, took)
		}
	})
}

// TestSlowReader takes longer over each piece than a server may be silent.
func TestSlowReader(t *testing.T) {
	inBubble(t, func(w http.ResponseWriter, r *http.Request) { stream(w, sse("a", "b", "c")) }, func(t *testing.T, c *Client) {
		var text string
		for chunk, err := range c.Chat(t.Context(), hello()) {
			if err != nil {
				t.Fatal(err)
			}
			text += chunk.Text
			<-time.After(10 * time.Minute)
		}
		if text != "abc" {
			t.Errorf("%q", text)
		}
	})
}

// TestOpenEnd has a server that says all and then leaves the stream open.
func TestOpenEnd(t *testing.T) {
	inBubble(t, func(w http.ResponseWriter, r *http.Request) { stream(w, sse("all")); silence(w, r) }, func(t *testing.T, c *Client) {
		began := time.Now()
		text, _, err := collect(c, t.Context(), hello())
		if took := time.Since(began); err != nil || text != "all" || took > time.Second {
			t.Errorf("%q, %v after %v", text, err, took)
		}
	})
}

// TestNoEndMark has a server that gives the reason and then neither the end mark
// nor the end of the connection, with or without signs of life.
func TestNoEndMark(t *testing.T) {
	whole := piece("all") + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	usage := `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}` + "\n\n"
	for name, h := range map[string]http.HandlerFunc{
		"silent": func(w http.ResponseWriter, r *http.Request) { stream(w, whole); silence(w, r) },
		"alive": func(w http.ResponseWriter, r *http.Request) {
			stream(w, whole)
			for r.Context().Err() == nil {
				io.WriteString(w, ": ping\n\n")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
				}
			}
		},
		"usage later": func(w http.ResponseWriter, r *http.Request) {
			stream(w, whole)
			_ = http.NewResponseController(w).Flush()
			<-time.After(time.Second)
			io.WriteString(w, usage)
			silence(w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, h, func(t *testing.T, c *Client) {
				began := time.Now()
				text, last, err := collect(c, t.Context(), hello())
				if took := time.Since(began); err != nil || text != "all" || last.Finish != loci.FinishStop || took > restLimit {
					t.Errorf("%q %+v, %v after %v", text, last, err, took)
				}
				if (last.Usage != nil) != (name == "usage later") {
					t.Errorf("usage %+v", last.Usage)
				}
			})
		})
	}
}

func TestConnectTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(t, "http://10.255.255.1:1/v1", "")
		c.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			// A dialer of the same limit, to an address that swallows everything.
			ctx, cancel := context.WithTimeout(ctx, c.config.Timeouts.Connect)
			defer cancel()
			<-ctx.Done()
			return nil, &net.OpError{Op: "dial", Net: network, Err: context.DeadlineExceeded}
		}
		began := time.Now()
		_, _, err := collect(c, t.Context(), hello())
		servertest.WantError(t, err, loci.Unreachable, "The model server at http://10.255.255.1:1 is not answering.", "Check that it is running and that the address is right.")
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("after %v", took)
		}
	})
}

func TestBusyServer(t *testing.T) {
	for name, tt := range map[string]struct {
		failures int
		after    string // Retry-After
		tries    int
		min, max time.Duration
		hint     string // of the error; empty for success
		told     time.Duration
	}{
		"passes":            {2, "", 3, 750 * time.Millisecond, 1500 * time.Millisecond, "", 0},
		"stays":             {9, "", 4, 1750 * time.Millisecond, 3500 * time.Millisecond, "Try again in a moment.", 0},
		"says when":         {1, "7", 2, 7 * time.Second, 7 * time.Second, "", 0},
		"says much later":   {1, "3600", 1, 0, 0, "Ollama at http://127.0.0.1:1 asks to try again in 3600 s.", time.Hour},
		"says it too often": {9, "25", 3, 50 * time.Second, 50 * time.Second, "Ollama at http://127.0.0.1:1 asks to try again in 25 s.", 25 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			var tries atomic.Int32
			inBubble(t, func(w http.ResponseWriter, r *http.Request) {
				if int(tries.Add(1)) > tt.failures {
					stream(w, sse("x"))
					return
				}
				if tt.after != "" {
					w.Header().Set("Retry-After", tt.after)
				}
				w.WriteHeader(http.StatusServiceUnavailable)
				io.WriteString(w, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`)
			}, func(t *testing.T, c *Client) {
				began := time.Now()
				_, _, err := collect(c, t.Context(), hello())
				took := time.Since(began)
				if n := int(tries.Load()); n != tt.tries || took < tt.min || took > tt.max {
					t.Errorf("%d tries in %v", n, took)
				}
				if tt.hint == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				servertest.WantError(t, err, loci.Overloaded, "Ollama at http://127.0.0.1:1 is busy: Loading model.", tt.hint)
				if e := loci.AsError(err); e.RetryAfter != tt.told {
					t.Errorf("RetryAfter is %v, want %v", e.RetryAfter, tt.told)
				}
			})
		})
	}
}

func TestLostConnection(t *testing.T) {
	for lostTries, ok := range map[int]bool{2: true, 9: false} {
		t.Run(fmt.Sprint(lostTries), func(t *testing.T) {
			var tries atomic.Int32
			inBubble(t, func(w http.ResponseWriter, r *http.Request) {
				if int(tries.Add(1)) <= lostTries {
					panic(http.ErrAbortHandler)
				}
				stream(w, sse("x"))
			}, func(t *testing.T, c *Client) {
				began := time.Now()
				_, _, err := collect(c, t.Context(), hello())
				if took := time.Since(began); took > 300*time.Millisecond {
					t.Errorf("took %v", took)
				}
				if !ok {
					servertest.WantError(t, err, loci.Unreachable, "Ollama at http://127.0.0.1:1 is not answering.", "Start it with: ollama serve")
				} else if err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestStopWhileWaiting ends a call in the pause before its next try.
func TestStopWhileWaiting(t *testing.T) {
	inBubble(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "50")
		w.WriteHeader(http.StatusTooManyRequests)
	}, func(t *testing.T, c *Client) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, err := collect(c, ctx, hello())
		if loci.AsError(err).Code != loci.Timeout {
			t.Errorf("error %v", err)
		}
	})
}

func TestForwardedBodyIsGuarded(t *testing.T) {
	inBubble(t, func(w http.ResponseWriter, r *http.Request) { stream(w, "data: x\n\n"); silence(w, r) }, func(t *testing.T, c *Client) {
		resp, err := c.Forward(t.Context(), "/v1/chat/completions", nil, nil, loci.PurposeChat)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if string(body) != "data: x\n\n" || loci.AsError(err).Code != loci.Truncated {
			t.Errorf("%q, %v", body, err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	})
}
