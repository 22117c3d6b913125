package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"loci"
	"loci/internal/wire"
)

const (
	// slack is room in a body's buffer for a longer model name, and for the
	// smallest read that bytes.Buffer makes.
	slack = 1 << 10
	// A claimed length, in bytes, gets its room at once up to believed, since a claim
	// costs a slow client nothing, and up to shown when that much has come.
	believed, shown = 16 << 10, 1 << 20
)

// body reads a whole request body. It is bounded in size and in the time
// between two pieces, but not in total: big pictures over slow lines are fine.
func (s *server) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := checkType(r); err != nil {
		return nil, err
	}
	if r.ContentLength > s.Limits.Body {
		return nil, s.tooLarge()
	}
	size := min(max(r.ContentLength, 0), believed) + slack
	buf := bytes.NewBuffer(make([]byte, 0, size))
	// Only after a whole body does net/http watch for the client leaving.
	rc := http.NewResponseController(w)
	src := patient{http.MaxBytesReader(w, r.Body, s.Limits.Body), rc, s.Limits.BodyIdle}
	if err := fill(buf, src, r.ContentLength); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, s.tooLarge()
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, &statusError{http.StatusRequestTimeout, loci.Errorf(loci.Timeout, "The request body stopped arriving.")}
		}
		return nil, &statusError{http.StatusBadRequest, loci.Errorf(loci.Invalid, "The request body could not be read: %w", err)}
	}
	src.deadline(time.Time{}) // a stale one would cancel the request while it is served
	return buf.Bytes(), nil
}

// fill reads a body of a claimed length, -1 where none is claimed. Beyond what is
// believed of it, the buffer grows with what really arrives.
func fill(buf *bytes.Buffer, src io.Reader, claimed int64) error {
	if claimed > believed {
		if _, err := buf.ReadFrom(io.LimitReader(src, believed)); err != nil {
			return err
		}
		buf.Grow(int(min(claimed, shown)) - believed + slack)
	}
	_, err := buf.ReadFrom(src)
	return err
}

// tooLarge is 413, with the limit that was hit.
func (s *server) tooLarge() error {
	return &statusError{http.StatusRequestEntityTooLarge,
		loci.Errorf(loci.Invalid, "The request is larger than %d MiB.", s.Limits.Body>>20).WithHint("Send smaller pictures or fewer of them.")}
}

// patient is a reader that waits only so long for the next piece.
type patient struct {
	r    io.Reader
	rc   *http.ResponseController
	idle time.Duration
}

// Read sets the deadline anew before each piece.
func (p patient) Read(b []byte) (int, error) {
	p.deadline(time.Now().Add(p.idle))
	return p.r.Read(b)
}

// deadline does nothing on a test's recorder, which has no connection.
func (p patient) deadline(t time.Time) { _ = p.rc.SetReadDeadline(t) }

// decode fills v from a JSON body. Members it does not know are ignored.
func (s *server) decode(w http.ResponseWriter, r *http.Request, v any) error {
	b, err := s.body(w, r)
	if err != nil {
		return err
	}
	// curl -X POST sends no body at all, which asks for the defaults.
	if len(bytes.TrimSpace(b)) == 0 {
		b = []byte("{}")
	}
	return wire.DecodeBody(b, v)
}

// write sends a whole reply.
func write(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// An error means that the client has left: there is nobody to tell.
	_, _ = w.Write(body)
}

// writeJSON sends a value of the agent API.
func writeJSON(w http.ResponseWriter, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	write(w, http.StatusOK, typeJSON, b)
	return nil
}
