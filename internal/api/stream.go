package api

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"time"
)

// stream is a reply that is written while it is made.
//
// Its headers wait for the first piece, so that a backend that is down still
// gives a real error status, but at most for the hold time, since some clients
// give up on a server without headers. After that, silence is filled with signs
// of life. The timer writes from a goroutine of its own, hence the lock; a
// goroutine for each stream is not needed.
type stream struct {
	// greet and alive write what a client gets when the hold time is over, and
	// whenever there was nothing to say for the period. Both write to the stream.
	greet, alive func() error

	contentType string
	like        http.Header // what a relayed stream's backend says instead; may be nil
	period      time.Duration
	leave       context.CancelFunc // called when the client is gone

	mu    sync.Mutex // guards what follows and all writes
	w     http.ResponseWriter
	rc    *http.ResponseController
	timer *time.Timer
	begun bool
	ended bool
}

// stream makes a stream. The caller sets greet and alive, then calls hold, and
// end before its handler returns.
func (s *server) stream(w http.ResponseWriter, contentType string, leave context.CancelFunc) *stream {
	return &stream{
		w: w, rc: http.NewResponseController(w), contentType: contentType,
		period: s.Limits.KeepAlive, leave: leave,
	}
}

// hold starts the clock.
func (s *stream) hold(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(d, s.tick)
}

// tick runs when nothing was written for a while.
func (s *stream) tick() {
	// A write in progress is as good as a sign, and starts the clock anew.
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	// The headers go out with the greeting; some clients, such as Cline, wait
	// only 30 seconds for them.
	sign := s.alive
	if !s.begun {
		sign = s.greet
	}
	if err := sign(); err != nil {
		s.leave()
		return
	}
	s.timer.Reset(s.period)
}

// do lets f write one piece of the reply. An error means the client is gone.
func (s *stream) do(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer.Stop()
	err := f()
	s.timer.Reset(s.period)
	return err
}

// Write sends b at once. It must only be called within greet, alive and do.
func (s *stream) Write(b []byte) (int, error) {
	if err := s.begin(); err != nil {
		return 0, err
	}
	n, err := s.w.Write(b)
	if err != nil {
		return n, err
	}
	return n, s.rc.Flush()
}

// begin writes the headers if they are not out yet.
func (s *stream) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	h := s.w.Header()
	h.Set("Content-Type", s.contentType)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // nginx would collect the stream otherwise
	maps.Copy(h, s.like)
	s.w.WriteHeader(http.StatusOK)
	return s.rc.Flush()
}

// comment is a sign of life that readers of server-sent events skip.
func (s *stream) comment() error {
	_, err := s.Write([]byte(": keep-alive\n\n"))
	return err
}

// adopt makes the stream that of a backend's response, whose headers go out with
// its first piece, or when the hold time is over. If headers are out already,
// the response must be what they promise.
func (s *stream) adopt(resp *http.Response, media string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.begun:
		s.ended = s.ended || media != s.contentType // signs of life of another protocol would be garbage
		s.contentType, s.like = media, passing(resp.Header)
		return nil
	case media == s.contentType, media == typeJSON && s.contentType == typeNDJSON: // one object is one line
		return nil
	}
	return failure(resp, s.contentType)
}

// end stops the signs of life and tells whether the headers are out. From here
// on the handler alone writes.
func (s *stream) end() (begun bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.timer != nil { // it was held
		s.timer.Stop()
	}
	return s.begun
}
