package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON masks the known secrets and what has the shape of one in a JSON text. A
// member whose name tells that it is secret is masked as a whole. The result is
// valid JSON of the same structure; what is not valid is treated as [Redactor.Text]
// does.
func (r *Redactor) JSON(raw json.RawMessage) json.RawMessage { return masked(raw, r.Text, kindOf) }

// JSON masks the known secrets in a JSON text; see [Redactor.JSON].
func (k Known) JSON(raw json.RawMessage) json.RawMessage {
	if k.r.matcher() == nil {
		return raw
	}
	return masked(raw, k.Text, func(string) kind { return open })
}

func masked(raw json.RawMessage, mask func(string) string, judge func(string) kind) json.RawMessage {
	s := string(raw)
	if !json.Valid(raw) {
		if t := mask(s); t != s {
			return json.RawMessage(t)
		}
		return raw
	}
	w := walker{s: s, mask: mask, judge: judge}
	if !w.walk() {
		return raw
	}
	return w.out.Bytes()
}

// walker goes through a valid JSON text from literal to literal.
type walker struct {
	s     string
	mask  func(string) string
	judge func(name string) kind
	deep  int // texts that hold JSON in which this text stands

	inside []place // the objects and lists around
	out    bytes.Buffer
	copied int // how much of s is in out
}

// place is an object or a list. A list has the kind of the member that it is.
type place struct {
	object, value bool // value: a name and its colon have been read
	kind          kind // of the next value
}

// walk tells whether anything was masked.
func (w *walker) walk() bool {
	w.inside = append(w.inside, place{})
	for i := 0; i < len(w.s); {
		top := &w.inside[len(w.inside)-1]
		switch c := w.s[i]; c {
		case '{':
			w.inside = append(w.inside, place{object: true})
		case '[':
			w.inside = append(w.inside, place{kind: top.kind})
		case '}', ']':
			w.inside = w.inside[:len(w.inside)-1]
		case ',':
			top.value = false
		case ':':
			top.value = true
		case '"':
			end := i + 1 + closing(w.s[i+1:], `"`) + 1
			w.text(i, end, top)
			i = end
			continue
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end := i
			for end < len(w.s) && strings.IndexByte("+-.eE0123456789", w.s[end]) >= 0 {
				end++
			}
			if number := w.s[i:end]; top.kind == password || w.mask(number) != number {
				w.put(i, end, Mask)
			}
			i = end
			continue
		}
		i++
	}
	if w.copied == 0 {
		return false
	}
	w.out.WriteString(w.s[w.copied:])
	return true
}

// text masks a string literal, which may be a name.
func (w *walker) text(from, to int, in *place) {
	said := w.s[from+1 : to-1]
	if strings.IndexByte(said, '\\') >= 0 {
		_ = json.Unmarshal([]byte(w.s[from:to]), &said) // the whole text is valid
	}
	name := in.object && !in.value
	if name {
		in.kind = w.judge(said)
	}
	shown := said
	switch {
	case !name && in.kind != open && in.kind.hides(said):
		shown = Mask
	case !name && w.holdsJSON(said):
		inner := walker{s: said, mask: w.mask, judge: w.judge, deep: w.deep + 1}
		if inner.walk() {
			shown = inner.out.String()
		}
	default:
		shown = w.mask(said)
	}
	if shown != said {
		w.put(from, to, shown)
	}
}

// holdsJSON tells whether a text is JSON itself, as the arguments of calls are.
func (w *walker) holdsJSON(s string) bool {
	const deepest = 4
	return w.deep < deepest && len(s) > 1 && (s[0] == '{' || s[0] == '[') && json.Valid([]byte(s))
}

// put replaces a literal by a text.
func (w *walker) put(from, to int, text string) {
	w.out.WriteString(w.s[w.copied:from])
	e := json.NewEncoder(&w.out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text)              // a string always encodes
	w.out.Truncate(w.out.Len() - 1) // the line end
	w.copied = to
}
