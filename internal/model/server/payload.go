package server

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
)

// payload is the body of a request. net/http keeps a request as long as its
// response is read; for a streamed reply that would be all of the conversation,
// minutes after it was sent. So the bytes are let go of once they are not needed.
//
// The transport gets an ordinary [bytes.Reader]: with any other it would send the
// head of the request in a packet of its own.
type payload struct {
	mu    sync.Mutex // the transport asks and tells from goroutines of its own
	data  []byte
	first *bytes.Reader // of the first attempt
	again bool          // there was another: which of them tells is not known
}

// attach makes body the body of req, and gives req as it is to be sent.
func attach(req *http.Request, body []byte) (*http.Request, *payload) {
	p := &payload{data: body, first: bytes.NewReader(body)}
	if len(body) == 0 {
		return req, p
	}
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { p.sent() }}
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	req.ContentLength = int64(len(body))
	req.Body, req.GetBody = io.NopCloser(p.first), p.anew
	return req, p
}

// anew gives the bytes for another attempt: a kept connection turned out to be stale.
func (p *payload) anew() (io.ReadCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again = true
	return io.NopCloser(bytes.NewReader(p.data)), nil
}

// sent empties the reader of the first attempt, which told that it is done with it.
func (p *payload) sent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.again {
		p.first.Reset(nil)
	}
}

// drop lets go of the bytes when there is no other attempt to come. What is still
// being sent goes on.
func (p *payload) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.data = nil
}
