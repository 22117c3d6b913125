package jsontree

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Parse reads s, which has to be valid JSON: of anything else it makes some value. Names
// that come twice are kept as they come. Lists and objects deeper than depth are read
// as empty objects, and whole is false.
func Parse(s string, depth int) (v Value, whole bool) {
	p := parser{s: s, depth: depth, whole: true}
	return p.value(), p.whole
}

type parser struct {
	s     string
	i     int
	depth int // that may still be opened
	whole bool
}

// value reads the value that comes next.
func (p *parser) value() Value {
	p.space()
	switch p.peek() {
	case '"':
		return Value{Kind: Text, Text: p.text()}
	case '[', '{':
		return p.nested()
	}
	start := p.i
	for p.i < len(p.s) && strings.IndexByte(",]} \t\r\n", p.s[p.i]) < 0 {
		p.i++
	}
	if start >= p.i {
		p.i++ // past what is no JSON
		return Value{}
	}
	switch word := p.s[start:p.i]; word {
	case "null":
		return Value{}
	case "true", "false":
		return Value{Kind: Bool, Text: word}
	default:
		return Value{Kind: Number, Text: word}
	}
}

// nested reads a list or an object.
func (p *parser) nested() (v Value) {
	if p.depth == 0 {
		p.whole = false
		p.skip()
		return Value{Kind: Object}
	}
	p.depth--
	if p.i++; p.s[p.i-1] == '[' {
		v = p.list()
	} else {
		v = p.object()
	}
	p.depth++
	return v
}

func (p *parser) list() Value {
	v := Value{Kind: List}
	for p.next(']') {
		v.Items = append(v.Items, p.value())
	}
	return v
}

func (p *parser) object() Value {
	v := Value{Kind: Object}
	for p.next('}') {
		p.space()
		name := p.text()
		p.space()
		p.i++ // the colon
		v.Fields = append(v.Fields, Field{name, p.value()})
	}
	return v
}

// skip steps over a list or an object. It does not call itself, so no depth is too deep
// for it.
func (p *parser) skip() {
	for open := 0; p.i < len(p.s); {
		switch p.s[p.i] {
		case '"':
			p.text()
			continue
		case '[', '{':
			open++
		case ']', '}':
			open--
		}
		if p.i++; open == 0 {
			return
		}
	}
}

// peek is the byte that comes next; 0 at the end.
func (p *parser) peek() byte {
	if p.i >= len(p.s) {
		return 0
	}
	return p.s[p.i]
}

// space skips white space.
func (p *parser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

// next steps over the comma or the closing bracket that comes next, and tells
// whether another element follows.
func (p *parser) next(closing byte) bool {
	p.space()
	switch p.peek() {
	case 0:
		return false
	case closing:
		p.i++
		return false
	case ',':
		p.i++
	}
	return true
}

// text reads a text in quotes. Most hold no escape and are a slice of the input.
func (p *parser) text() string {
	p.i++
	rest := p.s[min(p.i, len(p.s)):]
	end := strings.IndexByte(rest, '"')
	if end >= 0 && strings.IndexByte(rest[:end], '\\') < 0 {
		p.i += end + 1
		return rest[:end]
	}
	var b strings.Builder
	for p.i < len(p.s) {
		c := p.s[p.i]
		p.i++
		switch c {
		case '"':
			return b.String()
		case '\\':
			p.escape(&b)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escape reads one escape sequence (RFC 8259, section 7) behind its backslash. Half
// a surrogate pair becomes U+FFFD.
func (p *parser) escape(b *strings.Builder) {
	c := p.peek()
	p.i++
	switch c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'u':
		r := p.hex4()
		if utf16.IsSurrogate(r) {
			high, back := r, p.i
			r = utf8.RuneError
			if p.i < len(p.s) && strings.HasPrefix(p.s[p.i:], `\u`) {
				p.i += 2
				r = utf16.DecodeRune(high, p.hex4())
			}
			if r == utf8.RuneError {
				p.i = back
			}
		}
		b.WriteRune(r)
	default:
		b.WriteByte(c)
	}
}

// hex4 reads the four hexadecimal digits that come next.
func (p *parser) hex4() rune {
	digits := p.s[min(p.i, len(p.s)):min(p.i+4, len(p.s))]
	p.i += 4
	n, err := strconv.ParseUint(digits, 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
