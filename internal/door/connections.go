package door

import (
	"container/list"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// MostConnections is how many may be open at once. Each stream has a file of its
	// own and one of its model server's, and Go programs can mostly open more than
	// twice as many.
	MostConnections = 4000
	// MostFrom is how many of them may come from one other machine. What runs on
	// this machine has the person's trust, and may be a server of many people.
	MostFrom = 256
	// mostRefused is how many that were refused stay open to read why.
	mostRefused = 64
)

// Connections is a listener that bounds how many connections are open at once, in
// all and from one other machine. At a bound, a new one takes the place of the one
// that has waited longest without a request under way, so whoever only opens
// connections, or never comes to the end of a request's head, is in nobody's way.
// Where all have a request under way, the new one is refused with status 503.
//
// It has to hear from the server what becomes of each: see [Connections.Follow].
type Connections struct {
	net.Listener // of TCP
	most         int
	mostFrom     int
	logger       *slog.Logger

	refused atomic.Int64 // connections that still read why

	mu      sync.Mutex
	open    int
	from    map[netip.Addr]int // by machine, this one left out
	waiting list.List          // of *connection: those without a request, the longest first
	warned  time.Time          // when the log was last told of a bound
}

// Limit bounds a listener of TCP.
func Limit(l net.Listener, most, mostFrom int, logger *slog.Logger) *Connections {
	return &Connections{Listener: l, most: most, mostFrom: mostFrom, logger: logger, from: map[netip.Addr]int{}}
}

// connection is one of the open connections. It stays a TCP connection, of which
// the server can close one side.
type connection struct {
	*net.TCPConn
	all    *Connections
	from   netip.Addr
	place  *list.Element // among those that wait; nil: a request is under way
	closed bool
}

// Accept waits for the next connection that there is room for.
func (l *Connections) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp := c.(*net.TCPConn)
		if admitted := l.admit(tcp, machine(tcp.RemoteAddr())); admitted != nil {
			return admitted, nil
		}
		l.refuse(tcp)
	}
}

// admit counts a connection from a machine. It is nil where there is no room.
func (l *Connections) admit(c *net.TCPConn, from netip.Addr) *connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !from.IsLoopback() && l.from[from] >= l.mostFrom && !l.evict(from) || l.open >= l.most && !l.evict(netip.Addr{}) {
		l.warn(from)
		return nil
	}
	n := &connection{TCPConn: c, all: l, from: from}
	n.place = l.waiting.PushBack(n)
	l.open++
	l.from[from]++
	return n
}

// evict closes the connection that has waited longest, of those from a machine if
// one is named. It is false where none waits.
func (l *Connections) evict(from netip.Addr) bool {
	for e := l.waiting.Front(); e != nil; e = e.Next() {
		n := e.Value.(*connection)
		if from.IsValid() && n.from != from {
			continue
		}
		l.forget(n)
		_ = n.TCPConn.Close() // whose other end may be gone
		return true
	}
	return false
}

// forget takes a connection out of the count, once.
func (l *Connections) forget(n *connection) {
	if n.closed {
		return
	}
	n.closed = true
	l.settle(n, false)
	l.open--
	if l.from[n.from]--; l.from[n.from] == 0 {
		delete(l.from, n.from)
	}
}

// settle puts a connection among those that wait, or takes it from there.
func (l *Connections) settle(n *connection, waits bool) {
	switch {
	case waits && n.place == nil && !n.closed:
		n.place = l.waiting.PushBack(n)
	case !waits && n.place != nil:
		l.waiting.Remove(n.place)
		n.place = nil
	}
}

// warn tells the log that a bound is reached, at most once a minute.
func (l *Connections) warn(from netip.Addr) {
	if now := time.Now(); now.Sub(l.warned) > time.Minute {
		l.warned = now
		l.logger.Warn("a connection is refused: too many have a request under way", "open", l.open, "from", from.String(), "open_from", l.from[from])
	}
}

// Follow is the server's ConnState: it tells which connections have a request under
// way. A connection counts as waiting until the whole head of a request is read.
func (l *Connections) Follow(c net.Conn, state http.ConnState) {
	if wrapped, ok := c.(interface{ NetConn() net.Conn }); ok { // with TLS around it
		c = wrapped.NetConn()
	}
	n, ok := c.(*connection)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateActive:
		l.settle(n, false)
	case http.StateIdle:
		l.settle(n, true)
	}
}

// Close closes the connection and makes room for another.
func (n *connection) Close() error {
	n.all.mu.Lock()
	n.all.forget(n)
	n.all.mu.Unlock()
	return n.TCPConn.Close()
}

// refuse says why a connection is closed at once. One that is closed before its
// request has come loses the reply with it, so a few stay open for a moment.
func (l *Connections) refuse(c *net.TCPConn) {
	const reply = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: text/plain\r\nContent-Length: 44\r\n\r\n" +
		"loci has too many connections. Try it again."
	_ = c.SetWriteDeadline(time.Now().Add(time.Second)) // the reply fits into any buffer
	_, err := c.Write([]byte(reply))
	if err != nil || c.CloseWrite() != nil || l.refused.Load() >= mostRefused {
		_ = c.Close()
		return
	}
	l.refused.Add(1)
	time.AfterFunc(time.Second/2, func() {
		l.refused.Add(-1)
		_ = c.Close()
	})
}

// machine is where a connection comes from. Of an IPv6 address the first half
// counts: the other half is for each machine to choose as it likes.
func machine(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	if ip.IsLoopback() || ip.Is4() {
		return ip
	}
	if half, err := ip.Prefix(64); err == nil {
		return half.Addr()
	}
	return ip
}
