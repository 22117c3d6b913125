package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"loci"
	"loci/internal/wire/ollama"
	"loci/internal/wire/openai"
)

// The content types of replies.
const (
	typeJSON   = "application/json"
	typeOllama = "application/json; charset=utf-8" // what Ollama itself sends
	typeNDJSON = "application/x-ndjson"
	typeSSE    = "text/event-stream"
	typeText   = "text/plain; charset=utf-8"
)

// statusError is an error whose HTTP status says more than its code does.
type statusError struct {
	status int
	err    *loci.Error
}

// Error gives the error's own text.
func (e *statusError) Error() string { return e.err.Error() }

// Unwrap gives the error that is shown.
func (e *statusError) Unwrap() error { return e.err }

// fail writes an error in the shape of the door that the request came to.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := s.note(r, err)
	status := e.Code.HTTPStatus()
	if e == errCancelled {
		status = http.StatusServiceUnavailable
	}
	if se, ok := errors.AsType[*statusError](err); ok {
		status = se.status
	}
	// What RFC 9110 and careful clients expect beside some statuses.
	h := w.Header()
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="loci"`)
	case http.StatusTooManyRequests:
		wait := 2 * time.Second // long enough for a turn to end, short enough for a person
		if e.RetryAfter > 0 {
			wait = e.RetryAfter
		}
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	case http.StatusRequestEntityTooLarge, http.StatusRequestTimeout:
		h.Set("Connection", "close") // the rest of the body is not worth reading
	}
	contentType, body := shape(r.URL.Path, e)
	write(w, status, contentType, body)
}

// errCancelled is what is left to say when a request's context ended: mostly
// the client has left and nobody reads it, or loci is shutting down. There may
// be a part of the reply before it.
var errCancelled = loci.Errorf(loci.Truncated, "The request was stopped before the reply was complete.").WithHint("Ask again.")

// note makes err fit to be shown and keeps its code for the log line. The cause
// of an internal error is logged by itself, since nobody is shown it.
func (s *server) note(r *http.Request, err error) *loci.Error {
	x, e := exchangeOf(r), loci.AsError(err)
	if errors.Is(err, context.Canceled) {
		e = errCancelled
		if why, ok := errors.AsType[*loci.Error](context.Cause(r.Context())); ok {
			e = why // the key was revoked
		}
	}
	e = s.hide(e)
	x.failed = e.Code
	if e.Code == loci.Internal && e.Err != nil {
		s.Logger.LogAttrs(r.Context(), slog.LevelError, "request failed",
			slog.String("request", x.id), slog.String("error", e.Err.Error()))
	}
	return e
}

// hide gives an error without secrets in its words.
func (s *server) hide(e *loci.Error) *loci.Error {
	if s.Mask == nil {
		return e
	}
	message, hint := s.Mask(e.Message), s.Mask(e.Hint)
	if message == e.Message && hint == e.Hint {
		return e
	}
	c := *e
	c.Message, c.Hint = message, hint
	return &c
}

// shape encodes an error for the door that a path belongs to. It goes by the
// path and not by the route, so that requests which never reach a route, such
// as those of a wrong host, are answered in words their client understands.
func shape(path string, e *loci.Error) (contentType string, body []byte) {
	switch {
	case path == "/v1" || strings.HasPrefix(path, "/v1/"):
		return typeJSON, openai.EncodeError(e)
	case strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/api/agent/"):
		return typeOllama, ollama.EncodeError(e)
	}
	return typeJSON, ownError(e)
}

// ownError is the error shape of the agent API: {"error":{code, message, hint?}}.
func ownError(e *loci.Error) []byte {
	said := *e
	said.RetryAfter = 0 // clients have it from the header of a 429
	b, err := json.Marshal(map[string]loci.Error{"error": said})
	if err != nil { // three strings always marshal
		return []byte(`{"error":{"code":"internal","message":"the error could not be encoded"}}`)
	}
	return b
}
