package api

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"loci"
	"loci/internal/chore"
)

// middleware wraps a handler.
type middleware func(http.Handler) http.Handler

// chain puts middleware around a handler; the first is the outermost.
func chain(h http.Handler, list ...middleware) http.Handler {
	for i := len(list) - 1; i >= 0; i-- {
		h = list[i](h)
	}
	return h
}

// exchange is one request and its reply, as the log sees it.
type exchange struct {
	id     string     // of the request
	route  string     // pattern, never the path: a path may hold a key
	via    string     // "path" when the key came in the path
	key    string     // that key
	caller caller     // zero until authenticate has said who it is
	chore  chore.Kind // what the client asks for by itself; empty in a chat
	status int        // 0 until the headers are written
	failed loci.Code  // of an error that was sent, in-band ones included
}

// exchangeKey finds the exchange in a request's context.
type exchangeKey struct{}

// exchangeOf gives the exchange that observe put into the request.
func exchangeOf(r *http.Request) *exchange {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	return x
}

// observe gives every reply its instance and request id, and writes one log
// line about it when it is over.
func (s *server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		x := &exchange{id: requestID(r), route: "none"}
		h := w.Header()
		h.Set("X-Loci-Instance", s.Instance)
		h.Set("X-Request-Id", x.id)
		protect(h)
		rw := &response{ResponseWriter: w, rc: http.NewResponseController(w), x: x, limit: s.Limits.Write}
		// A deadline outlives its request on a kept connection, so it is set anew
		// before anything is written, and once more for what net/http writes last.
		rw.extend()
		// A body that no handler wants is read by net/http, as long as it takes. Where
		// there is none, a deadline would end the request.
		if r.ContentLength != 0 {
			_ = rw.rc.SetReadDeadline(time.Now().Add(s.Limits.Unwanted)) // a recorder has none
		}
		defer func() {
			rw.extend()
			s.Logger.LogAttrs(r.Context(), slog.LevelInfo, "request", x.line(r.Method, time.Since(began))...)
		}()
		next.ServeHTTP(rw, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
	})
}

// line is what the log says: nothing of what was asked or answered.
func (x *exchange) line(method string, took time.Duration) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("stage", "request"),
		slog.String("request", x.id),
		slog.String("method", method),
		slog.String("route", x.route),
		slog.Int("status", x.status),
		slog.Duration("duration", took),
	}
	for _, a := range []slog.Attr{
		slog.String("principal", x.caller.principal.ID),
		slog.String("key", x.caller.key.Name), // the chat key is the owner's too, with fewer rights
		slog.String("via", x.via),
		slog.String("job", string(x.chore)),
		slog.String("error", string(x.failed)),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	return attrs
}

// requestID takes over the client's id if it is short and plain.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if id == "" || len(id) > 64 {
		return loci.NewID("req_")
	}
	// It goes into logs and to the backend, so anything odd is replaced.
	for _, c := range []byte(id) {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '-', c == '_', c == '.':
		default:
			return loci.NewID("req_")
		}
	}
	return id
}

// contain turns a panic into an error reply, or into a broken connection if
// part of the reply is out already: half a reply must not look whole.
func (s *server) contain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p != http.ErrAbortHandler {
				s.Logger.Error("panic in a handler", "request", exchangeOf(r).id, "panic", p, "stack", string(debug.Stack()))
				if exchangeOf(r).status == 0 {
					s.fail(w, r, loci.Errorf(loci.Internal, "Something went wrong inside loci.").WithHint("The log has the details."))
					return
				}
			}
			panic(http.ErrAbortHandler) // net/http's own way to break a reply off
		}()
		next.ServeHTTP(w, r)
	})
}

// response is a ResponseWriter that remembers the status and gives every write
// a deadline, so that a client that stops reading is dropped.
type response struct {
	http.ResponseWriter
	rc    *http.ResponseController
	x     *exchange
	limit time.Duration
}

// WriteHeader remembers the status; informational ones are not the answer yet.
func (w *response) WriteHeader(status int) {
	if w.x.status == 0 && status >= 200 {
		w.x.status = status
	}
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a piece of the body within the time limit.
func (w *response) Write(b []byte) (int, error) {
	if w.x.status == 0 {
		w.x.status = http.StatusOK
	}
	w.extend()
	return w.ResponseWriter.Write(b)
}

// Flush sends what was written so far. It hides the embedded writer's method,
// so that a flush has a deadline too.
func (w *response) Flush() { _ = w.FlushError() }

// FlushError is Flush for http.ResponseController.
func (w *response) FlushError() error {
	if w.x.status == 0 {
		w.x.status = http.StatusOK
	}
	w.extend()
	return w.rc.Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// extend gives the next write its time. A recorder in a test has no deadlines,
// and that is all that can go wrong here.
func (w *response) extend() { _ = w.rc.SetWriteDeadline(time.Now().Add(w.limit)) }
