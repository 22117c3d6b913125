package api

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"loci"
	"loci/internal/wire/ollama"
	"loci/internal/wire/openai"
)

// responseHeaders are those of the backend that pass through. Cookies and what
// belongs to one connection never do.
var responseHeaders = []string{"Content-Type", "Content-Encoding", "Cache-Control", "Retry-After", "X-Accel-Buffering"}

// passing gives the headers of a reply that pass through.
func passing(from http.Header) http.Header {
	h := make(http.Header, len(responseHeaders))
	for _, name := range responseHeaders {
		if v, ok := from[name]; ok {
			h[name] = v
		}
	}
	return h
}

// relay passes a request on to a path of the backend, and its reply back, byte
// for byte. Before a stream's first byte there may be signs of life, and after
// the last one an error: a reply that broke off is never passed off as complete.
func (s *server) relay(w http.ResponseWriter, r *http.Request, t *target, path string, why loci.Purpose) error {
	body, err := t.renamed()
	if err != nil {
		return err
	}
	// The id lets a person find the same request in the backend's log.
	header := r.Header.Clone()
	header.Set("X-Request-Id", exchangeOf(r).id)
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	st := s.await(w, t, path, leave)
	defer st.end()
	resp, err := t.route.Forward(ctx, path, header, body, why)
	if err != nil {
		return s.cut(r, st, false, err)
	}
	defer resp.Body.Close()
	end := newEnding(resp)
	if !end.streams() && !st.end() {
		return s.copyWhole(w, r, resp, end)
	}
	if err = st.adopt(resp, end.media); err == nil {
		err = pump(relayed{st}, resp.Body, end)
	}
	if err != nil {
		return s.cut(r, st, end.midLine(), err)
	}
	return nil
}

// await is the stream for a relayed reply. Where one was asked for, it shows
// signs of life until the backend does.
func (s *server) await(w http.ResponseWriter, t *target, path string, leave context.CancelFunc) *stream {
	st := s.stream(w, typeSSE, leave)
	st.greet, st.alive = st.begin, st.comment
	if t.route.Dialect == loci.Ollama {
		open := ollama.NewStream
		if path == "/api/generate" {
			open = ollama.NewGenerateStream
		}
		st.contentType = typeNDJSON
		st.alive = func() error { return open(st, t.model).KeepAlive() }
	}
	if t.streams(path) {
		st.hold(s.Limits.Hold)
	}
	return st
}

// copyWhole passes on a reply that is no stream. An error of the backend is the
// client's to read, in the words it came in: both speak the same protocol here.
func (s *server) copyWhole(w http.ResponseWriter, r *http.Request, resp *http.Response, end *ending) error {
	out := &copier{w: w, resp: resp}
	if err := pump(out, resp.Body, end); err != nil {
		err = relayError(err)
		if !out.begun {
			return err
		}
		s.note(r, err)
		panic(http.ErrAbortHandler) // net/http's own way to break a reply off
	}
	out.begin()
	return nil
}

// copier writes a relayed reply that is no stream. Its headers wait for the
// first byte, since until then there may be an error with a status of its own.
type copier struct {
	w     http.ResponseWriter
	resp  *http.Response
	begun bool
}

// begin writes the headers if they are not out yet.
func (c *copier) begin() {
	if c.begun {
		return
	}
	c.begun = true
	h := c.w.Header()
	maps.Copy(h, passing(c.resp.Header))
	// A length tells the client whether it got everything.
	if c.resp.ContentLength >= 0 {
		h.Set("Content-Length", strconv.FormatInt(c.resp.ContentLength, 10))
	}
	c.w.WriteHeader(c.resp.StatusCode)
}

// Write writes a piece, and sends it at once if nobody knows how many follow.
func (c *copier) Write(b []byte) (int, error) {
	c.begin()
	n, err := c.w.Write(b)
	if err != nil || c.resp.ContentLength >= 0 {
		return n, err
	}
	return n, http.NewResponseController(c.w).Flush()
}

// relayed writes a backend's stream. From its first byte on the backend lives,
// and nothing may come between its bytes.
type relayed struct{ st *stream }

// Write writes a piece and sends it.
func (r relayed) Write(b []byte) (int, error) {
	r.st.end()
	return r.st.Write(b)
}

// buffers are for pump. A pointer is pooled, since a slice would be boxed.
var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// pump copies a reply and watches its end go by. The error is that of the reply:
// a client that has left is none.
func pump(dst io.Writer, src io.Reader, end *ending) error {
	buf := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buf)
	for {
		n, err := src.Read(buf[:])
		if n > 0 {
			end.see(buf[:n])
			if _, err := dst.Write(buf[:n]); err != nil {
				return nil
			}
		}
		switch {
		case err == nil:
		case end.whole() && (errors.Is(err, io.EOF) || end.streams()):
			return nil // after a stream's end mark it matters to nobody what became of the connection
		case errors.Is(err, io.EOF):
			return errBroken
		default:
			return err
		}
	}
}

// relayError makes the error of a relayed reply fit to be shown. Whoever reads
// from the backend knows best what happened to it.
func relayError(err error) error {
	if _, ok := errors.AsType[*loci.Error](err); ok || errors.Is(err, context.Canceled) {
		return err
	}
	return &loci.Error{Code: loci.Truncated, Message: errBroken.Message, Hint: errBroken.Hint, Err: err}
}

// cut ends a relayed stream with an error: with a status of its own if nothing
// was written yet, otherwise in-band.
func (s *server) cut(r *http.Request, st *stream, midLine bool, err error) error {
	err = relayError(err)
	if !st.end() {
		return err
	}
	// It may be that the client has left, and nobody reads this. If not, loci is
	// being stopped.
	if errors.Is(err, context.Canceled) {
		err = errStopped
	}
	e := s.note(r, err)
	var last []byte
	if midLine {
		last = append(last, '\n')
	}
	if st.contentType == typeSSE {
		last = slices.Concat(last, []byte("\ndata: "), openai.EncodeError(e), []byte("\n\ndata: [DONE]\n\n"))
	} else {
		last = slices.Concat(last, ollama.EncodeError(e), []byte("\n"))
	}
	_, _ = st.Write(last) // nobody to tell if it fails
	return nil
}

// failure is the error of a reply that is not the stream which its client has
// been promised by then.
func failure(resp *http.Response, contentType string) error {
	if resp.StatusCode == http.StatusOK {
		return loci.Errorf(loci.Refused, "The model server answered, but not with a stream.").WithHint(`Ask it with "stream": false.`)
	}
	const most = 64 << 10
	said, err := io.ReadAll(io.LimitReader(resp.Body, most))
	if err != nil && len(said) == 0 {
		return err
	}
	if contentType == typeNDJSON {
		return ollama.DecodeError(resp.StatusCode, said)
	}
	return openai.DecodeError(resp.StatusCode, said)
}
