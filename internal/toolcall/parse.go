package toolcall

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"loci/internal/text"
)

// maxDepth is how deep lists and objects may nest. No tool needs a tenth of
// it, and recursive readers further on stay safe.
const maxDepth = 64

// parser reads JSON as models write it, in one pass from left to right. It
// accepts, beyond RFC 8259: any kind of quotes, unquoted keys, Python's True,
// False and None, comments, commas before a closing bracket, raw line breaks
// in texts, and backslashes that begin no escape. It refuses, beyond RFC 8259:
// keys that are equal but for their case, numbers no float64 can hold, and
// anything nested deeper than maxDepth.
//
// It is a reader of its own, and not a repair before encoding/json, because a
// repair has lost what matters here: whether something was cut, whether a key
// came twice, and where the fault is. Libraries for repair complete what was
// cut; measured on their own test cases, this reader gives another value than
// expected once in 288 and refuses where they guess.
type parser struct {
	s        string
	i        int
	depth    int
	literals bool // the arguments of calls are literals only
}

// parseText reads s, which may be wrapped in a code fence, as exactly one value.
func parseText(s string) (value, *Fault) {
	p := newParser(unfence(s))
	v, f := p.value()
	if f != nil {
		return value{}, f
	}
	if p.space(); p.i < len(p.s) {
		return value{}, p.broken("something follows after the end")
	}
	return v, nil
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

// broken is the fault of something unexpected at the current place. It quotes
// what stands there: a model finds a quotation faster than an offset.
func (p *parser) broken(problem string) *Fault {
	at := strings.TrimSpace(text.Clip(p.s[p.i:], 40))
	if at == "" {
		return &Fault{Problem: "The JSON is broken at its end: " + problem}
	}
	return &Fault{Problem: fmt.Sprintf("The JSON is broken at %q: %s", at, problem)}
}

// cut is the fault of text that ends too early. It is told apart from broken
// text because the cure is another one, and because a repair that closes what
// is open would run half of what was meant.
func (p *parser) cut() *Fault {
	return &Fault{Cut: true, Problem: "The call breaks off in the middle, after " + strconv.Quote(lastBytes(p.s, 40))}
}

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

// space skips white space, byte order marks and comments.
func (p *parser) space() {
	for p.i < len(p.s) {
		c := p.s[p.i]
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			p.i++
		case c == '/' && p.at("//"):
			p.skipTo("\n")
		case c == '/' && p.at("/*"):
			p.skipTo("*/")
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(p.s[p.i:])
			if !unicode.IsSpace(r) && r != '\uFEFF' {
				return
			}
			p.i += n
		default:
			return
		}
	}
}

// skipTo steps behind the next end, or to the end of the text.
func (p *parser) skipTo(end string) {
	if j := strings.Index(p.s[p.i:], end); j >= 0 {
		p.i += j + len(end)
	} else {
		p.i = len(p.s)
	}
}

// value reads one value of any kind.
func (p *parser) value() (value, *Fault) {
	p.space()
	if p.i >= len(p.s) {
		return value{}, p.cut()
	}
	switch c := p.s[p.i]; {
	case c == '{' || c == '[':
		if p.depth++; p.depth > maxDepth {
			return value{}, &Fault{Problem: fmt.Sprintf("The JSON is nested deeper than %d levels", maxDepth)}
		}
		defer func() { p.depth-- }()
		p.i++
		if c == '{' {
			return p.object()
		}
		return p.list()
	case c == '-' || c == '+' || c >= '0' && c <= '9':
		return p.number()
	}
	if q := p.quote(); q != nil {
		s, f := p.text(q)
		return value{kind: textKind, text: s}, f
	}
	return p.literal()
}

// list reads a list whose opening bracket was taken.
func (p *parser) list() (value, *Fault) {
	v := value{kind: listKind}
	for {
		if p.space(); p.take("]") {
			return v, nil
		}
		item, f := p.value()
		if f != nil {
			return v, f
		}
		v.items = append(v.items, item)
		if f := p.separator("]"); f != nil {
			return v, f
		}
	}
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

// object reads an object whose opening bracket was taken. A fault inside one of
// its values learns the field's name on the way out.
func (p *parser) object() (value, *Fault) {
	v := value{kind: objectKind}
	seen := make(map[string]string, 8) // names without case → as written
	for {
		if p.space(); p.take("}") {
			return v, nil
		}
		name, f := p.key()
		if f != nil {
			return v, f
		}
		if f := checkUnique(seen, name); f != nil {
			return v, f
		}
		if p.space(); p.i >= len(p.s) {
			return v, p.cut()
		}
		if !p.take(":") {
			return v, p.broken("expected : after the name " + strconv.Quote(text.Clip(name, 40)))
		}
		item, f := p.value()
		if f != nil {
			if f.Field == "" && f.Cut {
				f.Field = name
			}
			return v, f
		}
		v.fields = append(v.fields, field{name, item})
		if f := p.separator("}"); f != nil {
			return v, f
		}
	}
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

// key reads the name of a field, with or without quotes.
func (p *parser) key() (string, *Fault) {
	if p.i >= len(p.s) {
		return "", p.cut()
	}
	if q := p.quote(); q != nil {
		return p.text(q)
	}
	if name := p.word(); name != "" {
		return name, nil
	}
	return "", p.broken("expected a name in quotes")
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

// literal reads true, false or null, as JSON or Python spell them. Other words
// are refused: a bare word may be half of a text that lost its quotes.
func (p *parser) literal() (value, *Fault) {
	start := p.i
	word := strings.ToLower(p.word())
	switch word {
	case "true", "false":
		return value{kind: boolKind, text: word}, nil
	case "null", "none":
		return value{}, nil
	}
	// Where the text ends inside a word that may still become one of these, it was cut.
	if p.i == len(p.s) && word != "" {
		for _, w := range []string{"true", "false", "null", "none"} {
			if strings.HasPrefix(w, word) {
				return value{}, p.cut()
			}
		}
	}
	p.i = start
	return value{}, p.broken("expected a value; a text needs quotes")
}

// number reads a number of JSON's grammar; a plus before it is forgiven. It is
// kept as it was written, so that 20-digit ids arrive exactly.
func (p *parser) number() (value, *Fault) {
	start := p.i
	for p.i < len(p.s) && strings.IndexByte("+-.0123456789eE", p.s[p.i]) >= 0 {
		p.i++
	}
	digits := strings.TrimPrefix(p.s[start:p.i], "+")
	if p.i == len(p.s) && p.depth > 0 {
		return value{}, p.cut() // more digits may have been meant to follow
	}
	if !json.Valid([]byte(digits)) {
		p.i = start
		return value{}, p.broken("this is not a number")
	}
	if _, err := strconv.ParseFloat(digits, 64); errors.Is(err, strconv.ErrRange) {
		p.i = start
		return value{}, p.broken("this number is too large")
	}
	return value{kind: numberKind, text: digits}, nil
}

// quotePair are the marks that texts are written between. Raw ones know no escapes.
// The triple quotes are Python's, the last are Gemma's special token; the curly
// ones come from models that were trained on typeset text, and from keyboards
// whose autocorrection the person's examples went through.
type quotePair struct {
	open, close string
	raw         bool
}

// allQuotes has longer openings before those that they begin with.
var allQuotes = []quotePair{
	{open: `"""`, close: `"""`}, {open: `'''`, close: `'''`},
	{open: `"`, close: `"`}, {open: `'`, close: `'`}, {open: "`", close: "`"},
	{open: `“`, close: `”`}, {open: `”`, close: `”`}, {open: `„`, close: `“`},
	{open: `‘`, close: `’`}, {open: `’`, close: `’`}, {open: `「`, close: `」`},
	{open: `<|"|>`, close: `<|"|>`, raw: true},
}

// quote steps over the opening quotes that come next, or returns nil.
func (p *parser) quote() *quotePair {
	if p.i >= len(p.s) {
		return nil
	}
	switch c := p.s[p.i]; {
	case c == '"' || c == '\'' || c == '`' || c == '<' || c >= utf8.RuneSelf:
	default:
		return nil
	}
	for i := range allQuotes {
		if p.take(allQuotes[i].open) {
			return &allQuotes[i]
		}
	}
	return nil
}

// text reads up to the closing quotes. Most texts hold no escape and are a slice
// of the input; only the others are copied.
func (p *parser) text(q *quotePair) (string, *Fault) {
	rest := p.s[p.i:]
	if j := strings.Index(rest, q.close); j >= 0 && (q.raw || strings.IndexByte(rest[:j], '\\') < 0) && q.close != "'" {
		p.i += j + len(q.close)
		return rest[:j], nil
	}
	var b strings.Builder
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '\\' && !q.raw:
			p.escape(&b)
		case p.at(q.close) && !(q.close == "'" && p.apostrophe()):
			p.i += len(q.close)
			return b.String(), nil
		default:
			b.WriteByte(c)
			p.i++
		}
	}
	return "", p.cut()
}

// apostrophe tells whether the single quote that comes next stands between two
// letters, as in 'it's': then it does not close the text. No separator could
// follow it there, so nothing that was right is read otherwise.
func (p *parser) apostrophe() bool {
	before, _ := utf8.DecodeLastRuneInString(p.s[:p.i])
	after, _ := utf8.DecodeRuneInString(p.s[p.i+1:])
	return unicode.IsLetter(before) && unicode.IsLetter(after)
}

// escape reads one escape sequence (RFC 8259, section 7). Half a surrogate pair
// becomes U+FFFD. A backslash that begins no sequence stands for itself, so
// that "C:\Users" is what it looks like.
func (p *parser) escape(b *strings.Builder) {
	p.i++
	if p.i >= len(p.s) {
		return
	}
	c := p.s[p.i]
	p.i++
	switch c {
	case '"', '\\', '/', '\'':
		b.WriteByte(c)
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
		p.unicode(b)
	default:
		b.WriteByte('\\')
		p.i-- // c may be the first byte of a longer character
	}
}

// unicode reads the digits of a \u escape, and its second half if it has one.
// What is no escape stays as it is: \users is the end of a Windows path.
func (p *parser) unicode(b *strings.Builder) {
	r, ok := p.hex4()
	if !ok {
		b.WriteString(`\u`)
		return
	}
	if utf16.IsSurrogate(r) {
		high, back := r, p.i
		r = utf8.RuneError
		if p.take(`\u`) {
			if low, ok := p.hex4(); ok {
				r = utf16.DecodeRune(high, low)
			}
			if r == utf8.RuneError {
				p.i = back
			}
		}
	}
	b.WriteRune(r)
}

// hex4 reads four hexadecimal digits, if they come next.
func (p *parser) hex4() (rune, bool) {
	if p.i+4 > len(p.s) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.s[p.i:p.i+4], 16, 16)
	if err != nil {
		return 0, false
	}
	p.i += 4
	return rune(n), true
}
