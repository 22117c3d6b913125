package toolcall

import (
	"math"
	"strconv"
)

// kind is the JSON type of a value.
type kind uint8

// The kinds. The zero value is null, as it is in JSON.
const (
	nullKind kind = iota
	boolKind
	numberKind
	textKind
	listKind
	objectKind
)

// value is a JSON value that keeps what encoding/json's any loses: the order
// of an object's fields and the exact digits of a number.
type value struct {
	kind   kind
	text   string // a text's characters, a number's digits, "true" or "false"
	items  []value
	fields []field
}

// field is one name of an object with its value.
type field struct {
	name  string
	value value
}

// get finds a field by its exact name. Objects are small, so a walk beats a map.
func (v *value) get(name string) (*value, bool) {
	for i := range v.fields {
		if v.fields[i].name == name {
			return &v.fields[i].value, true
		}
	}
	return nil, false
}

// appendJSON writes v as compact JSON, fields in the order they were written, so
// that the same call always gives the same bytes.
func (v *value) appendJSON(dst []byte) []byte {
	switch v.kind {
	case nullKind:
		return append(dst, "null"...)
	case boolKind, numberKind:
		return append(dst, v.text...)
	case textKind:
		return appendText(dst, v.text)
	case listKind:
		dst = append(dst, '[')
		for i := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.items[i].appendJSON(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i := range v.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, v.fields[i].name), ':')
		dst = v.fields[i].value.appendJSON(dst)
	}
	return append(dst, '}')
}

// appendText quotes s. It differs from encoding/json in leaving <, > and &
// alone: they are frequent in file contents and cost a model six characters
// each when escaped.
func appendText(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0 // of the run of bytes that stand for themselves
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[start:]...), '"')
}

// plain converts v to what jsonschema validates. That package takes a
// json.Number for a text, so numbers become int64 or float64; the digits that
// the tool gets are still those of v. Depth is bounded by the parser.
func (v *value) plain() any {
	switch v.kind {
	case boolKind:
		return v.text == "true"
	case numberKind:
		if n, err := strconv.ParseInt(v.text, 10, 64); err == nil {
			return n
		}
		f, err := strconv.ParseFloat(v.text, 64)
		if err != nil { // the parser refuses such numbers; fail safe all the same
			return math.NaN()
		}
		return f
	case textKind:
		return v.text
	case listKind:
		items := make([]any, len(v.items))
		for i := range v.items {
			items[i] = v.items[i].plain()
		}
		return items
	case objectKind:
		m := make(map[string]any, len(v.fields))
		for i := range v.fields {
			m[v.fields[i].name] = v.fields[i].value.plain()
		}
		return m
	}
	return nil
}
