package toolcall

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"loci/internal/jsonrepair"
	"loci/internal/jsontree"
	"loci/internal/text"
)

// maxDepth is how deep lists and objects may nest. No tool needs a tenth of
// it, and recursive readers further on stay safe.
const maxDepth = 64

// parser reads calls as models write them, from left to right. The values in them
// are read by package jsonrepair; what it had to choose between readings for,
// and what was cut, is a fault here.
type parser struct {
	s        string
	i        int
	literals bool // the arguments of calls are literals only
}

// newParser makes a parser. Bytes that are no UTF-8 become U+FFFD here, once, so
// that whatever comes out is a valid JSON text.
func newParser(s string) *parser {
	return &parser{s: strings.ToValidUTF8(s, "\uFFFD")}
}

// unfence removes a Markdown code fence around s. A closing fence may be
// missing: whether the value inside is whole shows in the value itself.
func unfence(s string) string {
	t := strings.TrimSpace(s)
	if !strings.HasPrefix(t, "```") {
		return s
	}
	_, t, ok := strings.Cut(t, "\n")
	if !ok {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(t, " \t\r\n"), "```")
}

// parseText reads s, which may be wrapped in a code fence, as exactly one value.
func parseText(s string) (jsontree.Value, *Fault) {
	v, how, f := repaired(s)
	if f == nil && how.Around {
		f = &Fault{Problem: "The JSON is broken: there are words before or behind it"}
	}
	return v, f
}

// repaired reads the one value in s. Words around it are left out.
func repaired(s string) (jsontree.Value, jsonrepair.Report, *Fault) {
	fixed, how, err := jsonrepair.Repair([]byte(s))
	v, f := settle(fixed, how, err, s)
	return v, how, f
}

// settle makes a value of what a repair of s gave, or a fault. A cut comes first: its
// cure is another one, and a repair that closes what is open would run half of
// what was meant. Of two readings neither is taken.
func settle(fixed []byte, how jsonrepair.Report, err error, s string) (jsontree.Value, *Fault) {
	switch {
	case errors.Is(err, jsonrepair.ErrDepth):
		return jsontree.Value{}, tooDeep()
	case how.Cut, errors.Is(err, jsonrepair.ErrEmpty) && strings.TrimSpace(s) == "":
		f := cutAfter(s)
		f.Field = how.Field
		return jsontree.Value{}, f
	case err != nil:
		return jsontree.Value{}, &Fault{Problem: "The JSON is broken: " + err.Error()}
	case how.Doubt != "":
		return jsontree.Value{}, brokenAt(text.Clip(how.Near, 40), how.Doubt)
	}
	v, whole := jsontree.Parse(string(fixed), maxDepth)
	if !whole {
		return v, tooDeep()
	}
	return v, unsound(&v)
}

// unsound finds in a value names that are equal but for their case, and numbers that no
// float64 holds.
func unsound(v *jsontree.Value) *Fault {
	switch v.Kind {
	case jsontree.Number:
		if _, err := strconv.ParseFloat(v.Text, 64); errors.Is(err, strconv.ErrRange) {
			return brokenAt(lastBytes(v.Text, 40), "this number is too large")
		}
	case jsontree.List:
		for i := range v.Items {
			if f := unsound(&v.Items[i]); f != nil {
				return f
			}
		}
	case jsontree.Object:
		seen := make(map[string]string, 8) // names without case → as written
		for i := range v.Fields {
			if f := checkUnique(seen, v.Fields[i].Name); f != nil {
				return f
			}
			if f := unsound(&v.Fields[i].Value); f != nil {
				return f
			}
		}
	}
	return nil
}

func tooDeep() *Fault {
	return &Fault{Problem: fmt.Sprintf("The JSON is nested deeper than %d levels", maxDepth)}
}

// broken is the fault of something unexpected at the current place.
func (p *parser) broken(problem string) *Fault {
	return brokenAt(strings.TrimSpace(text.Clip(p.s[p.i:], 40)), problem)
}

// cut is the fault of a call that ends too early.
func (p *parser) cut() *Fault { return cutAfter(p.s) }

// lastBytes is the end of s, at most n bytes.
func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - n
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return "…" + s[i:]
}

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

// space skips white space and comments.
func (p *parser) space() { p.i += jsonrepair.Space(p.s[p.i:]) }

// value reads one value of any kind.
func (p *parser) value() (jsontree.Value, *Fault) { return p.read(false) }

// literal reads a value as an argument of a call, where a comma or the closing
// bracket ends it.
func (p *parser) literal() (jsontree.Value, *Fault) { return p.read(true) }

// read reads one value. Inside lists and objects words need no quotes, but a word
// alone is none: it may be half of a text that lost its own, or an expression that
// a model expects to be evaluated.
func (p *parser) read(inCall bool) (jsontree.Value, *Fault) {
	if p.space(); p.i >= len(p.s) {
		return jsontree.Value{}, p.cut()
	}
	rest := p.s[p.i:]
	fixed, n, how, err := jsonrepair.Value(rest, inCall)
	switch {
	case errors.Is(err, jsonrepair.ErrEmpty):
		return jsontree.Value{}, p.broken("expected a jsontree.Value; a text needs quotes")
	case how.Bare && !how.Cut && (p.literals || strings.IndexByte("{[(", rest[0]) < 0):
		return jsontree.Value{}, p.broken("expected a text in quotes, a number, true or false")
	case inCall && n == len(rest) && strings.IndexByte("+-.0123456789", rest[0]) >= 0:
		return jsontree.Value{}, p.cut() // more digits may have been meant to follow
	}
	v, f := settle(fixed, how, err, p.s[:p.i+n])
	if f == nil {
		p.i += n
	}
	return v, f
}

// separator steps over a comma; one before the closing bracket is forgiven. A
// missing one is not: what stands there is as likely the rest of a text whose
// quotes went wrong.
func (p *parser) separator(closing string) *Fault {
	p.space()
	switch {
	case p.i >= len(p.s):
		return p.cut()
	case p.take(",") || p.at(closing):
		return nil
	}
	return p.broken("expected , or " + closing)
}

// checkUnique refuses a key that is, but for its case, already in seen: of two such
// values a check could see the one and the tool the other.
func checkUnique(seen map[string]string, name string) *Fault {
	if strings.ContainsAny(name, "\u017F\u212A") {
		// The long s and the Kelvin sign are the only characters outside ASCII
		// that encoding/json takes for an ASCII letter.
		return &Fault{Field: name, Problem: "has a letter in its name that only looks like another"}
	}
	key := strings.ToLower(name)
	if first, ok := seen[key]; ok {
		if first == name {
			return &Fault{Field: name, Problem: "is given twice"}
		}
		return &Fault{Field: name, Problem: fmt.Sprintf("is given twice, also as %q", first)}
	}
	seen[key] = name
	return nil
}

// word steps over an identifier and returns it; it is empty if none comes next.
func (p *parser) word() string {
	start := p.i
	for p.i < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		if r != '_' && r != '$' && !unicode.IsLetter(r) &&
			(p.i == start || r != '-' && !unicode.IsDigit(r)) {
			break
		}
		p.i += n
	}
	return p.s[start:p.i]
}
