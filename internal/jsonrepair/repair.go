package jsonrepair

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep lists and objects may nest in what has to be repaired.
const maxDepth = 512

// ErrDepth says that the input nests deeper than maxDepth.
var ErrDepth = errors.New("the JSON is nested too deeply")

// ErrEmpty says that there is no value in the input.
var ErrEmpty = errors.New("there is no JSON in the text")

// Report says what a repair had to do. The zero Report is that of input whose
// punctuation and spelling alone were mended, or nothing at all.
type Report struct {
	// Cut says that the end of the input was missing: a bracket or a quote was
	// never closed. Whatever was completed is a guess at half a text.
	Cut bool
	// Field is the innermost name whose value was cut; it may be empty.
	Field string
	// Doubt is the first thing that can be read in more than one way, as a
	// clause such as "a comma is missing". It is empty where there is none.
	Doubt string
	// Near is the beginning of what Doubt is about, as it stands in the input.
	Near string
	// Around says that words before or behind the value were left out. Code
	// fences and comments are not meant by that.
	Around bool
	// Bare says that a text without quotes was taken for a text.
	Bare bool
}

// Repair turns src into one JSON value. Several values in a row become a list.
// Valid JSON comes back as it is, but for one thing: a text such as "C:\temp",
// which is a path in Windows whose backslashes were not doubled, is one then.
//
// The errors are [ErrEmpty] and [ErrDepth]; everything else is read somehow, and
// the report says how.
func Repair(src []byte) ([]byte, Report, error) {
	if json.Valid(src) && utf8.Valid(src) {
		return doublePaths(src), Report{}, nil
	}
	s := clean(string(src))
	if escaped(s) {
		s = unescape(s)
	}
	s = narrow(s)
	if json.Valid([]byte(s)) {
		return doublePaths([]byte(s)), Report{}, nil
	}
	p := parser{s: s, out: make([]byte, 0, len(s)+len(s)/8+16)}
	p.document()
	if p.err != nil {
		return nil, p.how, p.err
	}
	return p.out, p.how, nil
}

// Value repairs the one value that s begins with, of which n bytes are read. What
// follows is the caller's. Inside the brackets of a call, such as f(1, 'a'), a
// comma or the closing bracket ends the value.
func Value(s string, inCall bool) (fixed []byte, n int, how Report, err error) {
	p := parser{s: s, out: make([]byte, 0, min(len(s)+16, 512))}
	at := root
	if inCall {
		at = argument
	}
	if !p.value(at) && p.err == nil {
		if p.i < len(s) {
			p.err = ErrEmpty
		}
		p.out = append(p.out, "null"...)
	}
	return p.out, p.i, p.how, p.err
}

// clean replaces bytes that are no UTF-8, and drops a byte order mark.
func clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.TrimPrefix(s, "\uFEFF")
}

// parser is the state of one repair: the input and what is written so far.
type parser struct {
	s     string
	i     int
	out   []byte
	stack []byte // the closing brackets that are due, the innermost last
	how   Report
	err   error
	// nameFrom and nameTo are where the innermost name stands in out.
	nameFrom, nameTo int
	// unclosed says that a text ran to the end of the input without its closing
	// quote. From then on texts end at the next comma or bracket, or every quote
	// that follows would read to the end again.
	unclosed bool
	csv      bool // names stand between doubled quotes
}

// cut notes that the input ends where more should come.
func (p *parser) cut() {
	if p.how.Cut {
		return
	}
	p.how.Cut = true
	if p.nameTo > p.nameFrom {
		_ = json.Unmarshal(p.out[p.nameFrom:p.nameTo], &p.how.Field) // a text of our own making
	}
}

// doubt notes that what stands at i of the input has more than one reading.
func (p *parser) doubt(i int, why string) {
	if p.how.Doubt != "" {
		return
	}
	near := strings.TrimSpace(p.s[min(i, len(p.s)):min(i+60, len(p.s))])
	p.how.Doubt, p.how.Near = why, strings.ToValidUTF8(near, "")
}

// open begins a container.
func (p *parser) open(bracket, closing byte) bool {
	if len(p.stack) >= maxDepth {
		p.err = ErrDepth
		return false
	}
	p.out = append(p.out, bracket)
	p.stack = append(p.stack, closing)
	return true
}

// close ends the innermost container.
func (p *parser) close(bracket byte) {
	p.out = append(p.out, bracket)
	p.stack = p.stack[:len(p.stack)-1]
}

// awaited tells whether a container around the innermost one is closed by c.
func (p *parser) awaited(c byte) bool {
	for _, due := range p.stack[:len(p.stack)-1] {
		if due == c {
			return true
		}
	}
	return false
}

// end tells whether the input is at its end.
func (p *parser) end() bool { return p.i >= len(p.s) || p.err != nil }

// at tells whether prefix comes next.
func (p *parser) at(prefix string) bool { return strings.HasPrefix(p.s[p.i:], prefix) }

// take steps over prefix if it comes next.
func (p *parser) take(prefix string) bool {
	if !p.at(prefix) {
		return false
	}
	p.i += len(prefix)
	return true
}
