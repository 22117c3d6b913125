package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"loci"
	"loci/internal/wire"
	"loci/internal/wire/ollama"
	"loci/internal/wire/openai"
)

// target is a model request that was only looked at so far: its body, and where
// it goes.
type target struct {
	body  []byte
	model string     // as the client wrote it; empty: the default model
	field wire.Field // where in the body it stands
	route Route
}

// target reads a request and finds its backend.
func (s *server) target(w http.ResponseWriter, r *http.Request) (target, error) {
	t, err := s.scan(w, r, "model")
	if err != nil {
		return target{}, err
	}
	t.route, err = s.Backends.Route(r.Context(), t.model)
	return t, err
}

// scan reads a request and looks for the model's name, under the first of the
// names that is there. The rest is not parsed: a relayed request needs no more.
func (s *server) scan(w http.ResponseWriter, r *http.Request, names ...string) (target, error) {
	body, err := s.body(w, r)
	if err != nil {
		return target{}, err
	}
	fields, err := wire.Fields(body, names...)
	if err != nil {
		return target{}, err
	}
	t := target{body: body}
	for i, f := range fields {
		if f.Value == nil || t.model != "" {
			continue
		}
		if err := json.Unmarshal(f.Value, &t.model); err != nil {
			return target{}, loci.Errorf(loci.Invalid, "%s is not a string.", names[i])
		}
		t.field = f
	}
	return t, nil
}

// shown is the model's name in a reply.
func (t target) shown() string {
	if t.model == "" {
		return t.route.Model.ID
	}
	return t.model
}

// info is what is known about the model, under the name that the client wrote.
func (t target) info() loci.ModelInfo {
	m := t.route.Model
	m.ID = t.shown()
	return m
}

// renamed is the body with the model's name on the backend. The rest of its
// bytes stay as they came.
func (t target) renamed() ([]byte, error) {
	if t.model == t.route.Model.ID {
		return t.body, nil
	}
	name, err := json.Marshal(t.route.Model.ID)
	if err != nil {
		return nil, err
	}
	// A client that names no model means ours, which the backend cannot know.
	if t.field.Value == nil {
		at := bytes.IndexByte(t.body, '{') + 1
		return slices.Insert(t.body, at, slices.Concat([]byte(`"model":`), name, []byte(","))...), nil
	}
	return slices.Replace(t.body, t.field.Start, t.field.End, name...), nil
}

// responseHeaders are those of the backend that pass through. Cookies and what
// belongs to one connection never do.
var responseHeaders = []string{"Content-Type", "Content-Encoding", "Cache-Control", "Retry-After", "X-Accel-Buffering"}

// relay passes a request on to a path of the backend, and its reply back, byte
// for byte.
func (s *server) relay(w http.ResponseWriter, r *http.Request, t target, path string, why loci.Purpose) error {
	body, err := t.renamed()
	if err != nil {
		return err
	}
	// The id lets a person find the same request in the backend's log.
	header := r.Header.Clone()
	header.Set("X-Request-Id", exchangeOf(r).id)
	resp, err := t.route.Forward(r.Context(), path, header, body, why)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	h := w.Header()
	for _, name := range responseHeaders {
		if v, ok := resp.Header[name]; ok {
			h[name] = v
		}
	}
	// A length tells the client whether it got everything.
	if resp.ContentLength >= 0 {
		h.Set("Content-Length", strconv.FormatInt(resp.ContentLength, 10))
	}
	// An error of the backend is the client's to read, in the words it came in:
	// both speak the same protocol here.
	w.WriteHeader(resp.StatusCode)
	err = pump(w, resp.Body, resp.ContentLength < 0)
	if err != nil && r.Context().Err() == nil {
		s.cut(w, r, resp.Header.Get("Content-Type"), err)
	}
	return nil
}

// buffers are for pump. A pointer is pooled, since a slice would be boxed.
var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// pump copies a reply, and sends each piece at once if it is a stream. The error
// is the reader's: a client that has left is no error.
func pump(w http.ResponseWriter, src io.Reader, flush bool) error {
	buf := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buf)
	rc := http.NewResponseController(w)
	for {
		n, err := src.Read(buf[:])
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return nil
			}
			if flush {
				if err := rc.Flush(); err != nil {
					return nil
				}
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// cut tells the client that the backend's reply broke off: in-band where the
// protocol has words for it, otherwise by breaking the connection off too.
func (s *server) cut(w http.ResponseWriter, r *http.Request, contentType string, err error) {
	// Whoever reads from the backend knows best what happened to it.
	if _, ok := errors.AsType[*loci.Error](err); !ok {
		err = &loci.Error{Code: loci.Truncated, Message: errBroken.Message, Hint: errBroken.Hint, Err: err}
	}
	e := s.note(r, err)
	// The reply may have stopped in the middle of a line.
	media, _, _ := mime.ParseMediaType(contentType)
	var last []byte
	switch media {
	case typeSSE:
		last = slices.Concat([]byte("\n\ndata: "), openai.EncodeError(e), []byte("\n\ndata: [DONE]\n\n"))
	case typeNDJSON:
		last = slices.Concat([]byte("\n"), ollama.EncodeError(e), []byte("\n"))
	default:
		panic(http.ErrAbortHandler) // net/http's own way to break a reply off
	}
	_, _ = w.Write(last) // nobody to tell if it fails
}
