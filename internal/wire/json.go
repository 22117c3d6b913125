package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"loci"
)

// Clip shortens text of unknown origin for an error message: at most 200
// characters, in one line.
func Clip(text string) string {
	const most = 200
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), 8*most)], "\ufffd")), " ")
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// IsNull reports whether a value is absent or null, which both protocols take
// to mean the same: nobody set it.
func IsNull(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(raw, []byte("null"))
}

// DecodeBody decodes a whole request into v, a pointer to a struct. Errors are
// those of [Decode].
func DecodeBody(body []byte, v any) error { return Decode("", body, v) }

// Decode decodes the value of a request's field into v. An error is of code
// Invalid and names the field, down to the element of a list, as in
//
//	"messages[1].content" must be a text, not a number.
func Decode(name string, raw json.RawMessage, v any) error {
	err := json.Unmarshal(raw, v)
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*loci.Error](err); ok { // of our own UnmarshalJSON
		return e
	}
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok && name == "":
		return loci.Errorf(loci.Invalid, "The request body is not valid JSON.")
	case !ok:
		return loci.Errorf(loci.Invalid, "The field %s is not valid JSON.", name)
	case name == "" && wrong.Field == "":
		return notObject()
	}
	path := place(name, wrong.Field, raw, int(wrong.Offset))
	return loci.Errorf(loci.Invalid, "%q must be %s, not %s.", path, kind(wrong.Type), given(wrong.Value))
}

// place is the path of a wrong value. The error has the path inside an element
// of a list, but not which element it was.
func place(name, inside string, raw json.RawMessage, offset int) string {
	list := raw
	if name == "" {
		name, inside, _ = strings.Cut(inside, ".")
		fields, err := Fields(raw, name)
		if err != nil {
			return name
		}
		list, offset = fields[0].Value, offset-fields[0].Start
	}
	if i := element(list, offset); i >= 0 {
		name = fmt.Sprintf("%s[%d]", name, i)
	}
	if inside != "" {
		name += "." + inside
	}
	return name
}

// element is the index of the element of the array raw that holds the byte at
// offset, or -1 when raw is no array, or itself what is wrong.
func element(raw json.RawMessage, offset int) int {
	s := scanner{b: raw}
	if s.space(); !s.eat('[') || offset <= s.i {
		return -1
	}
	for i := 0; ; i++ {
		if s.space(); !s.value() || s.i >= offset {
			return i
		}
		if s.space(); !s.eat(',') {
			return i
		}
	}
}

// kind names what a field must be in words.
func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number"
}

// given names what a field is instead, which package json calls by a word such
// as "array", or "number 1e999" where it is one that does not fit.
func given(value string) string {
	switch value {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "number":
		return "a number"
	}
	return Clip(strings.TrimPrefix(value, "number "))
}

// Int is a whole number that may be written as 8, 8.0 or 8e0, as clients in
// languages without integers do.
type Int int64

// UnmarshalJSON accepts any JSON number without a fraction.
func (n *Int) UnmarshalJSON(b []byte) error {
	if IsNull(b) {
		return nil
	}
	if err := json.Unmarshal(b, (*int64)(n)); err == nil {
		return nil
	}
	var f float64
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	// Beyond 2^53 a float no longer holds every whole number.
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return loci.Errorf(loci.Invalid, "%s is not a whole number.", Clip(string(b)))
	}
	*n = Int(f)
	return nil
}

// hexDigits are the digits of \u escapes.
const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Unlike json.Marshal it leaves HTML
// characters alone and needs no allocation; invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	// Runs of characters that stand for themselves are copied at once.
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); (r != utf8.RuneError || size > 1) && r != '\u2028' && r != '\u2029' {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, s[i:i+size])
		i += size
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// appendEscape appends the escape of one character that must not stand in a
// JSON string, or, like U+2028, that JavaScript takes for a line end.
func appendEscape(dst []byte, char string) []byte {
	switch c := char[0]; c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		if c < ' ' {
			return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	switch char {
	case "\u2028":
		return append(dst, `\u2028`...)
	case "\u2029":
		return append(dst, `\u2029`...)
	}
	return append(dst, "\ufffd"...)
}

// Marshal is json.Marshal without its escaping of <, > and &: a model server
// counts bytes and tokens, not HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// AppendMembers is how fields that loci does not know travel through it: it
// adds members to the JSON object that dst ends with, sorted by name. Those
// whose name is in except, in whatever case (Go servers do not mind case), are
// left out.
func AppendMembers(dst []byte, members map[string]json.RawMessage, except []string) ([]byte, error) {
	dst, ok := bytes.CutSuffix(dst, []byte("}"))
	if !ok {
		return nil, errors.New("append members: not an object")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if slices.ContainsFunc(except, func(e string) bool { return strings.EqualFold(e, name) }) {
			continue
		}
		var value bytes.Buffer
		if err := json.Compact(&value, members[name]); err != nil {
			return nil, fmt.Errorf("append member %q: %w", name, err)
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, name), ':')
		dst = append(dst, value.Bytes()...)
	}
	return append(dst, '}'), nil
}

// AppendVector appends an embedding as a JSON list. What is not a finite number
// has no form in JSON and becomes 0.
func AppendVector(dst []byte, v []float32) []byte {
	dst = append(dst, '[')
	for i, x := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			x = 0
		}
		dst = strconv.AppendFloat(dst, float64(x), 'g', -1, 32)
	}
	return append(dst, ']')
}

// IsBase64 reports whether s is standard base64 of something. It does not
// decode, as a picture can be many megabytes.
func IsBase64(s string) bool {
	body := strings.TrimRight(s, "=")
	if body == "" || len(s)%4 != 0 || len(s)-len(body) > 2 {
		return false
	}
	for i := range len(body) {
		c := body[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '+' && c != '/' {
			return false
		}
	}
	return true
}

// AppendCompact appends a JSON value in one line; one that is not valid becomes
// null, so that what is around it stays readable.
func AppendCompact(dst []byte, raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return append(dst, "null"...)
	}
	return append(dst, b.Bytes()...)
}
