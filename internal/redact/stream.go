package redact

import (
	"bytes"
	"io"
)

// Stream masks the known secrets in a text that comes in pieces, however it is
// cut. It holds back the end of a piece as long as it may be the beginning of a
// secret, and no longer. It is not safe for concurrent use.
type Stream struct {
	to     io.Writer
	m      *matcher
	at     int32  // of the matcher, after all that was written
	held   []byte // not passed on yet
	found  []span // secrets that end in held; they may begin before it
	masked bool   // held begins right behind a mask
	out    []byte // to pass on at once
}

// Stream makes a Stream that passes on to w. It knows the secrets of this moment.
func (r *Redactor) Stream(w io.Writer) *Stream { return &Stream{to: w, m: r.matcher()} }

// Write takes the next piece.
func (s *Stream) Write(p []byte) (int, error) {
	if s.m == nil {
		return s.to.Write(p)
	}
	for _, b := range p {
		s.held = append(s.held, b)
		s.at = s.m.step(s.at, b)
		if n := int(s.m.nodes[s.at].match); n > 0 {
			s.found = join(s.found, span{len(s.held) - n, len(s.held)})
		}
	}
	// A secret to come begins no earlier than what the matcher remembers.
	if err := s.pass(len(s.held) - int(s.m.nodes[s.at].hold)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush passes on what was held back, at the end of the text.
func (s *Stream) Flush() error {
	s.at = 0
	err := s.pass(len(s.held))
	s.masked = false
	return err
}

// pass passes on what stands before a place.
func (s *Stream) pass(end int) error {
	s.out = s.out[:0]
	at := 0
	for len(s.found) > 0 && s.found[0].from < end {
		p := s.found[0]
		s.found = s.found[1:]
		if p.from > at || !s.masked {
			s.out = append(s.out, s.held[at:max(p.from, at)]...)
			s.out = append(s.out, Mask...)
		}
		at, s.masked = p.to, true
	}
	if end > at {
		s.out = append(s.out, s.held[at:end]...)
		at, s.masked = end, false
	}
	s.held = append(s.held[:0], s.held[at:]...)
	for i := range s.found {
		s.found[i].from -= at
		s.found[i].to -= at
	}
	if len(s.out) == 0 {
		return nil
	}
	_, err := s.to.Write(s.out)
	return err
}

// Reader gives what comes from another reader with the known secrets masked. It
// reads no more than it needs to have something to give.
func (r *Redactor) Reader(from io.Reader) io.Reader {
	m := &reader{from: from}
	m.masked = r.Stream(&m.ready)
	return m
}

type reader struct {
	from   io.Reader
	masked *Stream
	ready  bytes.Buffer
	err    error // of from, told when all before it was given
}

// Read implements io.Reader.
func (m *reader) Read(p []byte) (int, error) {
	for m.ready.Len() == 0 {
		if m.err != nil {
			return 0, m.err
		}
		n, err := m.from.Read(p)
		_, _ = m.masked.Write(p[:n]) // a buffer takes everything
		if m.err = err; err != nil {
			_ = m.masked.Flush()
		}
		if len(p) == 0 {
			return 0, nil
		}
	}
	return m.ready.Read(p)
}
