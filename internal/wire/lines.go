package wire

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"loci"
)

// DefaultMaxLine bounds one line or event, in bytes. Three MiB of tool
// arguments in one line are ordinary; beyond this bound something is wrong.
const DefaultMaxLine = 32 << 20

// firstBuffer is the size of the first buffer in bytes: a streamed token and its
// envelope are some 200 bytes, so most streams never need a larger one.
const firstBuffer = 1 << 10

// Lines reads lines of JSON (NDJSON): it yields each line without its line
// end, the last one also where the stream ends without a newline. Blank lines
// are left out. A line of more than max bytes is an error of code Truncated,
// as is anything else that makes the rest unreadable; an error of r itself is
// passed on unchanged, and what came of the line it broke is not yielded.
//
// The yielded slice is valid until the next one is asked for.
func Lines(r io.Reader, max int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		src := lineReader{r: r, max: max}
		for {
			line, err := src.next()
			last := errors.Is(err, io.EOF)
			if err != nil && !last {
				yield(nil, err)
				return
			}
			line = bytes.TrimSpace(line)
			if len(line) > 0 && !yield(line, nil) || last {
				return
			}
		}
	}
}

// A lineReader cuts a stream into lines and never holds more than about twice
// max bytes of it. bufio.Scanner would do but for three things: it cannot end a
// line at a lone carriage return without waiting for the byte after it, it does
// not tell a last line without its end from one with, and it yields the rest of
// a line that an error broke.
type lineReader struct {
	r   io.Reader
	max int
	cr  bool // a carriage return ends a line too

	buf        []byte // buf[start:end] is read but not yet returned
	start, end int
	scanned    int  // buf[start:scanned] holds no line end
	skipLF     bool // the last line ended with CR: a LF that follows belongs to it
	err        error
}

// next returns the next line without its end. At the end of the stream it
// returns what follows the last line end together with io.EOF; on any other
// error the incomplete line is dropped.
func (l *lineReader) next() ([]byte, error) {
	l.scanned = l.start
	for {
		if l.skipLF && l.start < l.end {
			if l.buf[l.start] == '\n' {
				l.start++
			}
			l.skipLF, l.scanned = false, l.start
		}
		if i := l.lineEnd(); i >= 0 {
			line := l.buf[l.start:i]
			l.skipLF = l.buf[i] == '\r'
			l.start = i + 1
			if len(line) > l.max {
				return nil, tooLong(l.max)
			}
			return line, nil
		}
		if l.scanned = l.end; l.end-l.start > l.max {
			return nil, tooLong(l.max)
		}
		if l.err != nil {
			rest := l.buf[l.start:l.end]
			l.start = l.end
			if l.err != io.EOF {
				rest = nil
			}
			return rest, l.err
		}
		l.fill()
	}
}

// lineEnd is the index of the next line end in the buffer, or -1.
func (l *lineReader) lineEnd() int {
	part := l.buf[l.scanned:l.end]
	i := bytes.IndexByte(part, '\n')
	if l.cr {
		if i >= 0 {
			part = part[:i]
		}
		if j := bytes.IndexByte(part, '\r'); j >= 0 {
			i = j
		}
	}
	if i < 0 {
		return -1
	}
	return l.scanned + i
}

// fill reads once more, making room first.
func (l *lineReader) fill() {
	if l.start > 0 && l.end == len(l.buf) {
		copy(l.buf, l.buf[l.start:l.end])
		l.end -= l.start
		l.scanned -= l.start
		l.start = 0
	}
	if l.end == len(l.buf) {
		grown := make([]byte, max(firstBuffer, min(2*len(l.buf), l.max+firstBuffer)))
		copy(grown, l.buf[:l.end])
		l.buf = grown
	}
	for range 100 { // as patient with empty reads as package bufio
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

// tooLong is the error of a line or event above the bound.
func tooLong(max int) error {
	return loci.Errorf(loci.Truncated, "The model server sent a line of more than %d bytes, so its reply was given up.", max)
}
