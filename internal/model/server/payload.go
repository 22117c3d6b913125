package server

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// payload is the body of a request. net/http keeps a request as long as its
// response is read; for a streamed reply that would be all of the conversation,
// minutes after it was sent. So the bytes are let go of once they are not needed.
type payload struct {
	mu   sync.Mutex // the transport reads and closes from goroutines of its own
	data []byte     // nil: let go of
}

// attach makes body the body of req. Nothing is attached where there is none.
func attach(req *http.Request, body []byte) *payload {
	p := &payload{data: body}
	if len(body) == 0 {
		return p
	}
	req.ContentLength = int64(len(body))
	// The transport asks for it again where a kept connection turns out to be stale.
	req.GetBody = func() (io.ReadCloser, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return &copyOf{left: bytes.NewReader(p.data)}, nil
	}
	req.Body, _ = req.GetBody()
	return p
}

// drop lets go of the bytes. A copy that is on its way still has its own.
func (p *payload) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.data = nil
}

// copyOf is a payload on its way: it lets go of the bytes when it is closed, which
// the transport does as soon as all of it is sent.
type copyOf struct {
	mu   sync.Mutex
	left *bytes.Reader // nil: closed
}

// Read implements io.Reader.
func (c *copyOf) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == nil {
		return 0, http.ErrBodyReadAfterClose
	}
	return c.left.Read(b)
}

// Close implements io.Closer.
func (c *copyOf) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = nil
	return nil
}
