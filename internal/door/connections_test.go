package door

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

// crowded is a server behind a small bound. Requests for /wait are answered when
// release is closed.
type crowded struct {
	at      string
	l       *Connections
	began   chan struct{} // gets something for each request that waits
	release chan struct{}
	left    chan struct{} // gets something for each connection that the server gave up
}

func newCrowded(t *testing.T, most int) *crowded {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &crowded{
		at: inner.Addr().String(), l: Limit(inner, most, most, slog.New(slog.DiscardHandler)),
		began: make(chan struct{}, most), release: make(chan struct{}), left: make(chan struct{}, 10*most),
	}
	s := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/wait" {
				c.began <- struct{}{}
				<-c.release
			}
			_, _ = io.WriteString(w, "done")
		}),
		ConnState: func(conn net.Conn, state http.ConnState) {
			c.l.Follow(conn, state)
			if state == http.StateClosed {
				c.left <- struct{}{}
			}
		},
	}
	var served sync.WaitGroup
	served.Go(func() { _ = s.Serve(c.l) })
	t.Cleanup(func() {
		_ = s.Close()
		served.Wait()
	})
	return c
}

// dial opens a connection and sends the beginning of something.
func (c *crowded) dial(t *testing.T, send string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", c.at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, send); err != nil {
		t.Fatal(err)
	}
	return conn
}

// get makes a request on a connection of its own and gives the status.
func (c *crowded) get(t *testing.T, path string) int {
	t.Helper()
	conn := c.dial(t, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode
}

// counted gives how many connections are counted.
func (c *crowded) counted() int {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	return c.l.open
}

// TestSlowMakeRoom fills a server with connections that never come to a request.
// Others are served all the same, and the slow ones go, the oldest first.
func TestSlowMakeRoom(t *testing.T) {
	c := newCrowded(t, 3)
	silent := c.dial(t, "")
	c.dial(t, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	c.dial(t, "G")
	for range 5 {
		if status := c.get(t, "/"); status != http.StatusOK {
			t.Fatalf("status %d beside slow connections", status)
		}
	}
	if n, err := silent.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("the oldest slow connection is still open: %d, %v", n, err)
	}
	if n := c.counted(); n > 3 {
		t.Errorf("%d connections are counted, of at most 3", n)
	}
}

// TestBusyIsRefused fills a server with requests that are under way: nobody's
// request is given up for another, and who comes then is told.
func TestBusyIsRefused(t *testing.T) {
	c := newCrowded(t, 2)
	var busy sync.WaitGroup
	for range 2 {
		conn := c.dial(t, "GET /wait HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		busy.Go(func() {
			if all, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(all), "done") {
				t.Errorf("a request that was under way got %q, %v", all, err)
			}
		})
	}
	<-c.began
	<-c.began
	if status := c.get(t, "/"); status != http.StatusServiceUnavailable {
		t.Errorf("status %d where all are busy", status)
	}
	close(c.release)
	busy.Wait()
	<-c.left
	<-c.left
	if status := c.get(t, "/"); status != http.StatusOK {
		t.Errorf("status %d when there is room again", status)
	}
}

// TestOneMachine has one other machine open as many connections as it can: it is
// in its own way only.
func TestOneMachine(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	l := Limit(inner, 100, 2, slog.New(slog.DiscardHandler))
	here, greedy, other := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	open := func(from netip.Addr) *connection {
		client, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		c, err := inner.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return l.admit(c.(*net.TCPConn), from)
	}
	first, second := open(greedy), open(greedy)
	l.Follow(second, http.StateActive)
	third := open(greedy)
	if third == nil || !first.closed || second.closed {
		t.Fatalf("the third did not take the place of the one that waits: %v, %v, %v", third, first.closed, second.closed)
	}
	l.Follow(third, http.StateActive)
	if open(greedy) != nil {
		t.Error("a machine has more connections than it may")
	}
	for range 5 {
		if open(here) == nil {
			t.Error("this machine is counted as another one")
		}
	}
	last := open(other)
	if last == nil {
		t.Fatal("one machine is in the way of another")
	}
	for _, c := range []*connection{second, third, last} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		_ = c.Close() // a second time changes nothing
	}
	if l.open != 5 || len(l.from) != 1 {
		t.Errorf("%d connections from %d machines are counted, want the 5 of this one", l.open, len(l.from))
	}
}

func TestMachine(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.7:80":            "192.0.2.7",
		"[::ffff:192.0.2.7]:80":   "192.0.2.7",
		"[::1]:80":                "::1",
		"[2001:db8:1:2:3::4]:80":  "2001:db8:1:2::",
		"[2001:db8:1:2:f::9]:80":  "2001:db8:1:2::",
		"[fe80::1234%eth0]:12345": "fe80::",
	} {
		at := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(in))
		if got := machine(at).String(); got != want {
			t.Errorf("%s is taken for %s, want %s", in, got, want)
		}
	}
}
