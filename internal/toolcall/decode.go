package toolcall

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decoder makes a value of valid JSON. Unlike encoding/json it keeps the order of
// fields and the digits of numbers, and it refuses names that are equal but for
// their case, numbers that no float64 holds, and what nests deeper than maxDepth.
type decoder struct {
	s     string
	i     int
	depth int
	fault *Fault
}

// value reads the value that comes next. After a fault the rest is worthless.
func (d *decoder) value() value {
	d.space()
	if d.i >= len(d.s) || d.fault != nil {
		return value{}
	}
	switch c := d.s[d.i]; c {
	case '"':
		return value{kind: textKind, text: d.text()}
	case '[', '{':
		d.i++
		if d.depth++; d.depth > maxDepth {
			d.fault = tooDeep()
			return value{}
		}
		defer func() { d.depth-- }()
		if c == '[' {
			return d.list()
		}
		return d.object()
	}
	start := d.i
	for d.i < len(d.s) && strings.IndexByte(",]} \t\r\n", d.s[d.i]) < 0 {
		d.i++
	}
	switch word := d.s[start:d.i]; word {
	case "null":
		return value{}
	case "true", "false":
		return value{kind: boolKind, text: word}
	default:
		if _, err := strconv.ParseFloat(word, 64); errors.Is(err, strconv.ErrRange) {
			d.fault = brokenAt(lastBytes(word, 40), "this number is too large")
		}
		return value{kind: numberKind, text: word}
	}
}

// space skips white space.
func (d *decoder) space() {
	for d.i < len(d.s) && strings.IndexByte(" \t\r\n", d.s[d.i]) >= 0 {
		d.i++
	}
}

// next steps over the comma or the closing bracket that comes next, and tells
// whether another element follows.
func (d *decoder) next(closing byte) bool {
	d.space()
	if d.fault != nil || d.i >= len(d.s) {
		return false
	}
	switch d.s[d.i] {
	case closing:
		d.i++
		return false
	case ',':
		d.i++
	}
	return true
}

func (d *decoder) list() value {
	v := value{kind: listKind}
	for d.next(']') {
		v.items = append(v.items, d.value())
	}
	return v
}

func (d *decoder) object() value {
	v := value{kind: objectKind}
	seen := make(map[string]string, 8) // names without case → as written
	for d.next('}') {
		d.space()
		name := d.text()
		if f := checkUnique(seen, name); f != nil {
			d.fault = f
			break
		}
		d.space()
		d.i++ // the colon
		v.fields = append(v.fields, field{name, d.value()})
	}
	return v
}

// text reads a text in quotes. Most hold no escape and are a slice of the input.
func (d *decoder) text() string {
	d.i++
	rest := d.s[d.i:]
	end := strings.IndexByte(rest, '"')
	if end >= 0 && strings.IndexByte(rest[:end], '\\') < 0 {
		d.i += end + 1
		return rest[:end]
	}
	var b strings.Builder
	for d.i < len(d.s) {
		c := d.s[d.i]
		d.i++
		switch c {
		case '"':
			return b.String()
		case '\\':
			d.escape(&b)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escape reads one escape sequence (RFC 8259, section 7) behind its backslash. Half
// a surrogate pair becomes U+FFFD.
func (d *decoder) escape(b *strings.Builder) {
	c := d.s[d.i]
	d.i++
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
		r := d.hex4()
		if utf16.IsSurrogate(r) {
			high, back := r, d.i
			r = utf8.RuneError
			if strings.HasPrefix(d.s[d.i:], `\u`) {
				d.i += 2
				r = utf16.DecodeRune(high, d.hex4())
			}
			if r == utf8.RuneError {
				d.i = back
			}
		}
		b.WriteRune(r)
	default:
		b.WriteByte(c)
	}
}

// hex4 reads the four hexadecimal digits that come next.
func (d *decoder) hex4() rune {
	n, err := strconv.ParseUint(d.s[d.i:d.i+4], 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	d.i += 4
	return rune(n)
}
