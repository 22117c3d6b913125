package wire

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"

	"loci"
)

// Field is a member's value inside a JSON object: the bytes body[Start:End], so
// that it can be replaced in place with
//
//	slices.Concat(body[:f.Start], value, body[f.End:])
//
// Value shares its memory with the body.
type Field struct {
	Value      json.RawMessage // nil: the object has no such member
	Start, End int             // byte offsets
}

// Member is a Field with its name.
type Member struct {
	Name string
	Field
}

// Fields finds top-level members of a JSON object and returns one Field for
// each name, in the order asked for. The rest is skipped, not parsed: only
// strings and brackets are followed, at more than a gigabyte a second, so a
// value returned is well-formed only as far as that shows. It is an error of
// code Invalid when body is not one JSON object as far as the scan can tell,
// or when a member that was asked for comes twice: servers do not agree which
// one counts.
func Fields(body []byte, names ...string) ([]Field, error) {
	found := make([]Field, len(names))
	s := scanner{b: body}
	for s.member() {
		i := s.index(names)
		if i < 0 {
			continue
		}
		if found[i].Value != nil {
			return nil, twice(names[i])
		}
		found[i] = s.field
	}
	if !s.end() {
		return nil, notObject()
	}
	return found, nil
}

// Members yields the top-level members of a JSON object in order, found like
// those of [Fields]. The last pair may carry an error of code Invalid: body is
// not one JSON object, or a name comes twice.
func Members(body []byte) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) {
		s := scanner{b: body}
		seen := map[string]bool{}
		for s.member() {
			name := s.name()
			if seen[name] {
				yield(Member{}, twice(name))
				return
			}
			seen[name] = true
			if !yield(Member{Name: name, Field: s.field}, nil) {
				return
			}
		}
		if !s.end() {
			yield(Member{}, notObject())
		}
	}
}

// twice is the error of a member that cannot be trusted to mean one thing.
func twice(name string) error {
	return loci.Errorf(loci.Invalid, "The request has the field %q twice.", Clip(name))
}

// notObject is the error of a body that ends, or goes wrong, before the object
// does.
func notObject() error {
	return loci.Errorf(loci.Invalid, "The request body is not a JSON object.")
}

// A scanner walks over the members of one object. It never goes back, so its
// time is linear in the body, and it does not call itself, so that no depth of
// nesting can exhaust the stack. Brackets are counted, not matched: a body with
// "[}" in it passes here and fails at whoever parses it.
type scanner struct {
	b     []byte
	i     int
	key   []byte // between the quotes, escapes and all
	field Field
	begun bool
	done  bool // the closing brace was seen
}

// member moves to the next member; false at the end and where the scan stops
// for a fault, which end tells apart.
func (s *scanner) member() bool {
	s.space()
	switch {
	case !s.begun:
		if !s.eat('{') {
			return false
		}
		s.begun = true
		if s.space(); s.eat('}') {
			s.done = true
			return false
		}
	case s.eat('}'):
		s.done = true
		return false
	case !s.eat(','):
		return false
	}
	s.space()
	start := s.i
	if !s.string() {
		return false
	}
	s.key = s.b[start+1 : s.i-1]
	if s.space(); !s.eat(':') {
		return false
	}
	s.space()
	start = s.i
	if !s.value() {
		return false
	}
	s.field = Field{Value: s.b[start:s.i:s.i], Start: start, End: s.i}
	return true
}

// end reports whether the object was closed and only space follows.
func (s *scanner) end() bool {
	s.space()
	return s.done && s.i == len(s.b)
}

// name is the current member's name. Only one with an escape is decoded.
func (s *scanner) name() string {
	if bytes.IndexByte(s.key, '\\') < 0 {
		return string(s.key)
	}
	var name string
	quoted := slices.Concat([]byte{'"'}, s.key, []byte{'"'})
	if json.Unmarshal(quoted, &name) != nil {
		return string(s.key) // not a name that anyone asks for
	}
	return name
}

// index is where the current member's name is in names, or -1. It does not
// allocate for a name without escapes.
func (s *scanner) index(names []string) int {
	if bytes.IndexByte(s.key, '\\') >= 0 {
		return slices.Index(names, s.name())
	}
	return slices.IndexFunc(names, func(n string) bool { return n == string(s.key) })
}

// space skips what JSON allows between tokens (RFC 8259, section 2).
func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// eat skips the byte c if it comes next.
func (s *scanner) eat(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// string skips a string. A quote ends it unless an odd number of backslashes
// stands before it.
func (s *scanner) string() bool {
	if !s.eat('"') {
		return false
	}
	for first := s.i; ; {
		n := bytes.IndexByte(s.b[s.i:], '"')
		if n < 0 {
			return false
		}
		s.i += n + 1
		slashes := s.i - 2
		for slashes >= first && s.b[slashes] == '\\' {
			slashes--
		}
		if (s.i-2-slashes)%2 == 0 {
			return true
		}
	}
}

// What a byte outside a string means to the scan.
const (
	plain = iota
	quote
	open
	shut
	stop // ends a number or a word
)

// class looks up what a byte means; everything not named is plain.
var class = [256]byte{
	'"': quote, '{': open, '[': open, '}': shut, ']': shut,
	',': stop, ':': stop, ' ': stop, '\t': stop, '\n': stop, '\r': stop,
}

// value skips one value of any kind.
func (s *scanner) value() bool {
	if s.i == len(s.b) {
		return false
	}
	switch class[s.b[s.i]] {
	case quote:
		return s.string()
	case open:
		return s.nested()
	}
	start := s.i
	for s.i < len(s.b) && class[s.b[s.i]] == plain {
		s.i++
	}
	return s.i > start
}

// nested skips an object or array by counting brackets.
func (s *scanner) nested() bool {
	depth := 0
	for s.i < len(s.b) {
		switch class[s.b[s.i]] {
		case quote:
			if !s.string() {
				return false
			}
			continue
		case open:
			depth++
		case shut:
			depth--
			if depth == 0 {
				s.i++
				return true
			}
		}
		s.i++
	}
	return false
}
