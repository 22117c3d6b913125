package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"loci"
	"loci/internal/wire"
)

// frameIn is what a client sends on a WebSocket: what it is, and the members of the
// request that does the same over HTTP.
type frameIn struct {
	Type string `json:"type"`
	Ref  string `json:"ref"` // the client's own mark, which the reply repeats
	agentRequest
	answerRequest
	ID    string `json:"id"`    // of a question
	After int64  `json:"after"` // number of the last event the client has
}

// frameOut is the reply to one: ok, or error. Events are frames of their own, with
// the types of events.
type frameOut struct {
	Type     string          `json:"type"`
	Ref      string          `json:"ref,omitempty"`
	Session  string          `json:"session,omitempty"`
	Approval *loci.Approval  `json:"approval,omitempty"`
	Error    json.RawMessage `json:"error,omitempty"` // as under /api/agent
	after    *int64          // the events of Session after this number are to follow
}

// socket is one open WebSocket.
type socket struct {
	*server
	r    *http.Request
	conn *websocket.Conn
	ctx  context.Context // ends with the socket
	shut context.CancelFunc

	mu      sync.Mutex
	follows map[string]bool // sessions whose events are sent
	running sync.WaitGroup
}

// agentSocket takes messages, answers and stops, and gives the events of the sessions
// that they belong to. What a frame may do is decided by the key that opened the
// socket, never by what the frame says.
func (s *server) agentSocket(w http.ResponseWriter, r *http.Request) error {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		return &statusError{http.StatusUpgradeRequired, loci.Errorf(loci.Invalid, "This address is a WebSocket.").
			WithHint("Open it with a WebSocket client, or follow a session at /api/agent/events.")}
	}
	// Host and Origin were checked like those of every request.
	grip := &grip{ResponseWriter: w}
	conn, err := websocket.Accept(grip, r, &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil // it has answered
	}
	exchangeOf(r).status = http.StatusSwitchingProtocols
	conn.SetReadLimit(s.Limits.Frame)
	ctx, shut := context.WithCancel(r.Context())
	k := &socket{server: s, r: r, conn: conn, ctx: ctx, shut: shut, follows: map[string]bool{}}
	k.running.Go(func() { k.close(grip.conn) })
	k.running.Go(k.ping)
	k.read()
	shut()
	k.running.Wait()
	return nil
}

// read takes frames until the socket is closed.
func (k *socket) read() {
	for {
		kind, data, err := k.conn.Read(context.WithoutCancel(k.ctx)) // its end is for close to say
		if err != nil {
			return
		}
		var in frameIn
		switch {
		case kind != websocket.MessageText:
			err = loci.Errorf(loci.Invalid, "A message must be a text, and this one is binary.")
		case len(bytes.TrimSpace(data)) == 0:
			err = loci.Errorf(loci.Invalid, "A message is empty.")
		default:
			err = wire.DecodeBody(data, &in)
		}
		if in.Type == "message" && err == nil {
			k.running.Go(func() { k.serve(in, nil) }) // it waits while the session is busy, and a stop must get through
		} else {
			k.serve(in, err)
		}
	}
}

// serve answers a frame. An error says that it could not be read.
func (k *socket) serve(in frameIn, err error) {
	var out frameOut
	if err == nil {
		out, err = k.handle(in)
	}
	if err != nil {
		out = k.refusal(err)
	}
	out.Ref = in.Ref
	if k.send(out) != nil || out.after == nil {
		return
	}
	if err := k.follow(out.Session, *out.after); err != nil {
		_ = k.send(k.refusal(err))
	}
}

// refusal is the reply that says why a frame did nothing.
func (k *socket) refusal(err error) frameOut {
	k.mu.Lock() // frames are answered side by side, and are one exchange
	defer k.mu.Unlock()
	var e struct{ Error json.RawMessage }
	_ = json.Unmarshal(ownError(k.note(k.r, err)), &e) // it was just encoded
	return frameOut{Type: "error", Error: e.Error}
}

// handle does what a frame asks for, if the key allows it.
func (k *socket) handle(in frameIn) (frameOut, error) {
	c := exchangeOf(k.r).caller
	if err := k.paces.take(c); err != nil {
		return frameOut{}, err
	}
	if in.Type != "answer" {
		if err := c.needs(loci.RightChat); err != nil {
			return frameOut{}, err
		}
	}
	out := frameOut{Type: "ok", Session: in.Session}
	switch in.Type {
	case "message":
		turn, err := in.turn(k.r)
		if err != nil {
			return out, err
		}
		begun, err := k.Sessions.Start(k.ctx, turn)
		if err != nil {
			return out, err
		}
		before := begun.Seq - 1
		out.Session, out.after = begun.Session, &before
		return out, nil
	case "follow":
		if in.After < 0 {
			return out, loci.Errorf(loci.Invalid, "after is not the number of an event.")
		}
		if _, err := k.Library.Session(k.ctx, c.principal, in.Session); err != nil {
			return out, err
		}
		out.after = &in.After
		return out, nil
	case "stop":
		return out, k.Sessions.Stop(k.ctx, c.principal, in.Session)
	case "answer":
		a, err := k.settle(k.ctx, c, in.ID, in.answerRequest)
		out.Session, out.Approval = a.Session, &a
		return out, err
	}
	return out, loci.Errorf(loci.Invalid, "A message has no type that loci knows: %.40q.", in.Type).
		WithHint("The types are message, answer, stop and follow.")
}

// follow sends the events of a session after a number, unless it does already.
func (k *socket) follow(session string, after int64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.follows[session] {
		return nil
	}
	if len(k.follows) >= k.Limits.Follows {
		return tooOften("This WebSocket follows as many sessions as it can.", 0)
	}
	k.follows[session] = true
	k.running.Go(func() {
		for e, err := range k.Sessions.Follow(k.ctx, exchangeOf(k.r).caller.principal, session, after) {
			if k.ctx.Err() != nil {
				break
			}
			if err != nil {
				_ = k.send(k.refusal(err))
				break
			}
			if k.send(e) != nil {
				break
			}
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.follows, session)
	})
	return nil
}

// send writes a frame. A client that takes too long to read it is dropped; it can come
// back and follow from the last event it got.
func (k *socket) send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(k.ctx), k.Limits.Write)
	defer cancel()
	if err := k.conn.Write(ctx, websocket.MessageText, data); err != nil {
		k.shut()
		return err
	}
	return nil
}

// ping finds out that a client is gone, and keeps proxies from taking silence for
// an end.
func (k *socket) ping() {
	tick := time.NewTicker(k.Limits.KeepAlive)
	defer tick.Stop()
	for {
		select {
		case <-k.ctx.Done():
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(k.ctx, k.Limits.Write)
		err := k.conn.Ping(ctx)
		if cancel(); err != nil {
			k.shut()
			return
		}
	}
}

// close closes the socket when its time is over, with the reason. A client that does
// not agree to it within a moment is cut off below the WebSocket, which would wait for
// it longer.
func (k *socket) close(below net.Conn) {
	const moment = 300 * time.Millisecond
	<-k.ctx.Done()
	code, reason := websocket.StatusGoingAway, "loci ends this WebSocket."
	if why := loci.AsError(context.Cause(k.ctx)); why.Code == loci.Unauthorized {
		code, reason = websocket.StatusPolicyViolation, why.Message
	}
	cut := time.AfterFunc(moment, func() { _ = below.Close() })
	defer cut.Stop()
	_ = k.conn.Close(code, reason) // it fails where the client has left
}

// grip keeps hold of the connection that a WebSocket takes over.
type grip struct {
	http.ResponseWriter
	conn net.Conn
}

// Hijack gives the connection away; see [http.Hijacker].
func (g *grip) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(g.ResponseWriter).Hijack()
	g.conn = conn
	return conn, buffered, err
}
