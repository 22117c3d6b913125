package server

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"loci"
	"loci/internal/redact"
)

// restLimit is how long the usage may take after the end of the reply itself.
const restLimit = 2 * time.Second

// guard is the body of a response under time limits: one until its first byte,
// one between any later two, and one for what comes after the end of the reply.
// For the first two only waiting for the server counts, not the time a slow
// reader takes. When a limit is over, the request is cancelled and Read fails
// with a *loci.Error that says so.
//
// The timers need no goroutine of their own; starting and stopping one costs
// well under a microsecond a read.
type guard struct {
	body    io.ReadCloser
	ctx     context.Context // of the request; its cause tells why a read failed
	cancel  context.CancelCauseFunc
	first   *time.Timer // nil after the first byte
	idle    *time.Timer // nil before the first byte
	rest    *time.Timer // nil until the model has finished
	limit   time.Duration
	backend Backend
	secrets *redact.Redactor // nil: none
}

// watch starts the clock for the first byte of a response. The returned guard
// has no body yet; its ctx is the one to make the request with.
func watch(ctx context.Context, b Backend, t Timeouts) *guard {
	g := &guard{limit: t.Idle, backend: b}
	g.ctx, g.cancel = context.WithCancelCause(ctx)
	g.first = time.AfterFunc(t.FirstByte, func() { g.cancel(b.late(t.FirstByte)) })
	return g
}

// Read implements io.Reader.
func (g *guard) Read(p []byte) (int, error) {
	if g.idle != nil {
		g.idle.Reset(g.limit)
	}
	n, err := g.body.Read(p)
	switch {
	case g.idle != nil:
		g.idle.Stop()
	case n > 0:
		g.first.Stop()
		g.first = nil
		g.idle = time.AfterFunc(g.limit, func() { g.cancel(g.backend.stalled(g.limit)) })
		g.idle.Stop()
	}
	if err == nil || err == io.EOF {
		return n, err
	}
	if g.ctx.Err() != nil {
		return n, context.Cause(g.ctx)
	}
	return n, g.backend.broken(err)
}

// hurry limits what is left to read: the model has finished, and a server that
// does not say so in every way it should must not hold up the turn.
func (g *guard) hurry() {
	if g.rest == nil {
		g.rest = time.AfterFunc(restLimit, func() { g.cancel(g.backend.stalled(restLimit)) })
	}
}

// Close ends the request; if the body was not read to its end, the server
// notices at once.
func (g *guard) Close() error {
	for _, t := range []*time.Timer{g.first, g.idle, g.rest} {
		if t != nil {
			t.Stop()
		}
	}
	g.cancel(context.Canceled)
	if g.body == nil {
		return nil
	}
	return g.body.Close()
}

// drain reads the few bytes that may follow a complete reply, so that the
// connection can be used again. It does not wait long for them: a server that
// leaves the stream open loses the connection instead.
func (g *guard) drain() {
	g.limit = 50 * time.Millisecond
	if g.idle == nil { // nothing was read: the whole reply was empty
		return
	}
	// Why it failed does not matter: the reply is complete.
	_, _ = io.CopyN(io.Discard, g, 4<<10)
}

// reason tells why a request failed that got no response.
func (g *guard) reason(err error) error {
	if cause := context.Cause(g.ctx); cause != nil {
		return cause
	}
	return g.backend.failed(err)
}

// fault turns any error met while a reply was read into one that can be shown.
func (g *guard) fault(err error, req loci.Request) error {
	if cause := context.Cause(g.ctx); cause != nil {
		return cause
	}
	e, ok := errors.AsType[*loci.Error](err)
	switch {
	case errors.Is(err, errTooLong):
		return g.backend.garbled(err)
	case !ok:
		return g.backend.broken(err)
	case e.Code == loci.Truncated && strings.HasPrefix(e.Message, "The model server"):
		return g.backend.broken(err) // says no more than that it broke off
	}
	return g.hide(g.backend.describe(e, req))
}

// mask hides the secrets in the body of an error.
func (g *guard) mask(body []byte) []byte {
	if g.secrets == nil {
		return body
	}
	return g.secrets.JSON(body)
}

// hide gives an error that a server reported in a stream without the secrets in
// it. A cause that has some is replaced.
func (g *guard) hide(e *loci.Error) *loci.Error {
	if g.secrets == nil {
		return e
	}
	c := *e
	c.Message, c.Hint = g.secrets.Text(e.Message), g.secrets.Text(e.Hint)
	if e.Err != nil {
		if masked := g.secrets.Text(e.Err.Error()); masked != e.Err.Error() {
			c.Err = errors.New(masked)
		}
	}
	return &c
}
