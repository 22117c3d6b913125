package wire

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// Event is one server-sent event. Type is empty where the stream does not name
// one (the standard then calls it "message"); ID is the last id the stream
// gave, which stays until it gives another.
type Event struct{ Type, Data, ID string }

// EventError is the type of the event that a lenient [Reader] makes of a line
// "error: …".
const EventError = "error"

// Events reads server-sent events exactly as the standard says (WHATWG HTML,
// section 9.2.6). See [Reader] for bounds and errors.
func Events(r io.Reader, max int) iter.Seq2[Event, error] {
	return Reader{R: r, Max: max}.Events()
}

// A Reader reads server-sent events. A line, or the data of one event, of more
// than Max bytes ends the stream with an error of code Truncated; an error of R
// itself is passed on unchanged. The event it broke is not yielded.
//
// Lenient also understands three things that real model servers send: a line
// "error: …" is an event of type EventError, a line that starts with "{" is an
// event with that line as data (a bare JSON body where a stream was asked
// for), and an event counts although the stream ended before its blank line.
// Whoever sets it must check the data, as it may have been cut.
type Reader struct {
	R       io.Reader
	Max     int
	Lenient bool
}

// Events yields the events of the stream; it can be ranged over once.
func (r Reader) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		src := lineReader{r: r.R, max: r.Max, cr: true}
		p := eventParser{lenient: r.Lenient, max: r.Max}
		for first := true; ; first = false {
			line, err := src.next()
			last := errors.Is(err, io.EOF)
			if err != nil && !last {
				yield(Event{}, err)
				return
			}
			if first {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			if last && !r.Lenient {
				return // an event without its blank line does not count
			}
			if err := p.line(line); err != nil {
				yield(Event{}, err)
				return
			}
			if len(line) > 0 && !last && !p.stray {
				continue
			}
			if e, ok := p.dispatch(); ok && !yield(e, nil) || last {
				return
			}
		}
	}
}

// An eventParser collects the fields of one event.
type eventParser struct {
	lenient bool
	max     int

	typ, id string
	data    []byte
	seen    bool // a data field came, perhaps an empty one
	stray   bool // the last line was an event by itself
}

// line takes one line, comments and unknown fields included.
func (p *eventParser) line(line []byte) error {
	p.stray = p.lenient && bytes.HasPrefix(line, []byte("{"))
	if p.stray {
		return p.append(line)
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		return p.append(value)
	case "event":
		p.typ = valid(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			p.id = valid(value)
		}
	case "error":
		if p.lenient {
			p.typ, p.stray = EventError, true
			return p.append(value)
		}
	}
	return nil
}

// append adds a line of data. Lines of one event are joined by line breaks, and
// count together against the bound.
func (p *eventParser) append(value []byte) error {
	if len(p.data)+len(value)+1 > p.max+1 {
		return tooLong(p.max)
	}
	if p.seen {
		p.data = append(p.data, '\n')
	}
	p.data = append(p.data, value...)
	p.seen = true
	return nil
}

// dispatch ends the event; one without data is none.
func (p *eventParser) dispatch() (Event, bool) {
	e, ok := Event{Type: p.typ, Data: valid(p.data), ID: p.id}, p.seen
	p.typ, p.data, p.seen = "", p.data[:0], false
	return e, ok
}

// valid is b as a string, decoded as the Encoding standard decodes UTF-8: each
// maximal part of an invalid sequence becomes one U+FFFD.
func valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = brokenPrefix(b)
		}
		s.WriteRune(r)
		b = b[n:]
	}
	return s.String()
}

// brokenPrefix is how many bytes at the start of b, which is not valid there,
// begin a character that some other continuation would have completed.
func brokenPrefix(b []byte) int {
	n := 1
	for n < len(b) && n < utf8.UTFMax && !utf8.FullRune(b[:n]) && !utf8.FullRune(b[:n+1]) {
		n++
	}
	return n
}
