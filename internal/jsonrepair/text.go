package jsonrepair

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// quotes are the marks that a text is written between.
type quotes struct {
	open  string
	close []string
	raw   bool // a backslash is one
	sure  bool // the first closing mark ends the text, whatever follows
	// special are the bytes that reading must look at: those that closing marks
	// begin with, and the backslash.
	special [256]bool
}

// allQuotes has longer openings before those that they begin with. The triple
// quotes are Python's, the last are Gemma's token; the curly ones come from
// models trained on typeset text, and from keyboards that correct.
var allQuotes = []quotes{
	{open: `"""`, close: []string{`"""`}, sure: true},
	{open: `'''`, close: []string{`'''`}, sure: true},
	{open: `"`, close: []string{`"`}},
	{open: `'`, close: []string{`'`}},
	{open: "`", close: []string{"`", "´", "'"}},
	{open: "´", close: []string{"´", "`", "'"}},
	{open: `“`, close: []string{`”`, `“`, `"`}},
	{open: `”`, close: []string{`”`, `"`}},
	{open: `„`, close: []string{`“`, `”`, `"`}},
	{open: `‘`, close: []string{`’`, `‘`, `'`}},
	{open: `’`, close: []string{`’`, `'`}},
	{open: `「`, close: []string{`」`}},
	{open: `<|"|>`, close: []string{`<|"|>`}, raw: true, sure: true},
}

func init() {
	for i := range allQuotes {
		q := &allQuotes[i]
		q.special['\\'] = true
		for _, c := range q.close {
			q.special[c[0]] = true
		}
	}
}

// closing is the length of the closing mark that s begins with, or 0.
func (q *quotes) closing(s string) int {
	for _, c := range q.close {
		if strings.HasPrefix(s, c) {
			return len(c)
		}
	}
	return 0
}

// isQuote tells whether c begins a quotation mark. Some letters outside ASCII
// begin with the same byte; [quotesAt] knows for sure.
func isQuote(c byte) bool {
	return c == '"' || c == '\'' || c == '`' || c == '<' || c >= utf8.RuneSelf
}

// quotesAt are the quotes whose opening mark s begins with, or nil.
func quotesAt(s string) *quotes {
	if s == "" || !isQuote(s[0]) {
		return nil
	}
	for i := range allQuotes {
		if strings.HasPrefix(s, allQuotes[i].open) {
			return &allQuotes[i]
		}
	}
	return nil
}

// quote steps over the opening mark that comes next, or returns nil.
func (p *parser) quote() *quotes {
	q := quotesAt(p.s[p.i:])
	if q != nil {
		p.i += len(q.open)
	}
	return q
}

// text reads a text whose opening mark was read, and those that are added to it
// with a +, as programs do. In the brackets of a call that is an expression, which
// somebody else would have to evaluate.
func (p *parser) text(q *quotes, at place) {
	p.out = append(p.out, '"')
	for {
		from, to := p.span(q, at)
		p.content(p.s[from:to], q.raw)
		if !q.raw && windowsPath(p.s[from:to]) == unsure {
			p.doubt(from, "a backslash may be one or begin an escape")
		}
		plus := p.skip(p.i)
		if at == argument {
			break
		}
		if plus >= len(p.s) || p.s[plus] != '+' {
			break
		}
		next := p.skip(plus + 1)
		if q = quotesAt(p.s[min(next, len(p.s)):]); q == nil {
			break
		}
		p.i = next + len(q.open)
	}
	p.out = append(p.out, '"')
}

// span finds where a text ends whose opening mark was read, and steps behind its
// closing mark.
func (p *parser) span(q *quotes, at place) (from, to int) {
	if p.unclosed {
		return p.shortSpan(q)
	}
	doubled := p.doubledAt(q, at)
	if doubled {
		if p.i++; at == name {
			p.csv = true
		} else if !p.csv {
			p.doubt(p.i, "a quote inside a text is not escaped, or there is one too many")
		}
	}
	from = p.i
	windows := mayBePath(p.s[from:])
	inner, crooked := 0, false // closing marks that did not close, and whether they make no pairs
	for i := from; i < len(p.s); i++ {
		c := p.s[i]
		if !q.special[c] {
			continue
		}
		if c == '\\' {
			if q.raw {
				continue
			}
			if i++; windows && i < len(p.s) && q.closing(p.s[i:]) == 1 && p.follows(i+1, at) == yes {
				p.i = i + 1
				return from, i // "C:\folder\" ends in a separator
			}
			continue
		}
		n := q.closing(p.s[i:])
		if n == 0 || n == 1 && apostrophe(p.s, i) {
			continue
		}
		behind := i + n
		if doubled && strings.HasPrefix(p.s[behind:], q.open) {
			behind += n
		}
		evidence := yes
		if !q.sure {
			evidence = p.follows(behind, at)
		}
		if evidence == yes || evidence == unsure && inner%2 == 0 {
			if inner%2 == 1 || crooked || inner > 0 && evidence == unsure || doubled && behind == i+n {
				p.doubt(from, "a quote inside a text is not escaped, and it could end elsewhere")
			}
			p.i = behind
			return from, i
		}
		if end, ok := p.lostClosing(from, i, at); ok {
			if at != name || !isWord(p.s[from:end]) {
				p.doubt(from, "the closing quote of a text is missing")
			}
			p.i = end
			return from, from + len(strings.TrimRight(p.s[from:end], " \t\r\n"))
		}
		crooked = crooked || inner%2 == 0 && !opens(p.s[i+n:])
		inner++
		i += n - 1
	}
	return p.unclosedSpan(from, at)
}

// doubledAt tells whether the opening mark that was read comes again, and the text
// between marks is no quotation inside a text: ""name"" is how CSV writes "name".
func (p *parser) doubledAt(q *quotes, at place) bool {
	if len(q.open) != 1 || !p.at(q.open) || !wordAt(p.s[p.i+1:]) {
		return false
	}
	end := strings.Index(p.s[p.i+1:min(len(p.s), p.i+window)], q.open)
	if end < 0 {
		return false
	}
	end += p.i + 2
	return strings.HasPrefix(p.s[end:], q.open) || p.follows(end, at) != no
}

// opens tells whether a quotation mark before s may open a quotation: a word follows,
// and not a space or what separates in JSON.
func opens(s string) bool { return s != "" && strings.IndexByte(" \t\r\n,:;]})", s[0]) < 0 }

// wordAt tells whether s begins with a letter or a digit.
func wordAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// isWord tells whether s is a name that needs no quotes.
func isWord(s string) bool {
	for i := range len(s) {
		if !wordByte(s[i]) && s[i] != '-' {
			return false
		}
	}
	return s != ""
}

// apostrophe tells whether the ' at i stands between two letters, as in 'it's'.
// No separator could follow it there, so nothing that was right is read otherwise.
func apostrophe(s string, i int) bool {
	if s[i] != '\'' {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+1:])
	return unicode.IsLetter(before) && unicode.IsLetter(after)
}

// lostClosing tells whether the mark at i opens the next name or element, so that
// the text from from on ends before the comma, colon or line break before it: its own
// closing mark was forgotten.
func (p *parser) lostClosing(from, i int, at place) (end int, ok bool) {
	end = i
	for end > from && i-end < window && (p.s[end-1] == ' ' || p.s[end-1] == '\t' || p.s[end-1] == '\r' || p.s[end-1] == '\n') {
		end--
	}
	if end <= from {
		return 0, false
	}
	comma := p.s[end-1] == ','
	switch {
	case at == name:
		return end - 1, p.s[end-1] == ':'
	case !comma && !p.newline(end, i):
		return 0, false
	case at == member && p.nameAhead(i) != yes, at != member && p.itemAhead(i) != yes:
		return 0, false
	case comma:
		end--
	}
	return end, end > from
}

// unclosedSpan is the span of a text that has no closing mark. Brackets at the end
// of the input are taken for those that are due; in a list commas separate.
func (p *parser) unclosedSpan(from int, at place) (int, int) {
	p.cut()
	p.unclosed = true
	rest := strings.TrimRight(p.s[from:], "` \t\r\n")
	closers := 0
	for closers < len(p.stack) && rest != "" && strings.IndexByte("}])", rest[len(rest)-1]) >= 0 {
		closers++
		rest = strings.TrimRight(rest[:len(rest)-1], " \t\r\n")
	}
	p.i = from + len(rest)
	if closers == 0 {
		p.i = len(p.s)
	}
	end := len(rest)
	switch {
	case at == name:
		if i := strings.IndexByte(rest, ':'); i >= 0 {
			end, p.i = i, from+i
		}
	case at == item && closers > 0:
		if i := strings.IndexByte(rest, ','); i >= 0 {
			end, p.i = i, from+i
		}
	}
	return from, from + len(strings.TrimRight(rest[:end], ", \t\r\n"))
}

// shortSpan is the span of a text where an earlier one had no closing mark: it ends
// at the next mark, comma, bracket or line break.
func (p *parser) shortSpan(q *quotes) (from, to int) {
	from = p.i
	for ; p.i < len(p.s); p.i++ {
		if n := q.closing(p.s[p.i:]); n > 0 {
			to = p.i
			p.i += n
			return from, to
		}
		if strings.IndexByte(",]}\n", p.s[p.i]) >= 0 {
			break
		}
	}
	return from, p.i
}

// content writes the inside of a text, and mends what JSON does not allow there.
func (p *parser) content(raw string, literal bool) {
	if windowsPath(raw) == yes {
		p.out = doubled(p.out, raw)
		return
	}
	const hex = "0123456789abcdef"
	plain := 0
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		p.out = append(p.out, raw[plain:i]...)
		plain = i + 1
		switch {
		case c < ' ' && i == 2 && raw[1] == ':':
			// Not as "A:\n", which looks like a path to whoever repairs it again.
			p.out = append(p.out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c == '"':
			p.out = append(p.out, '\\', '"')
		case c == '\n':
			p.out = append(p.out, `\n`...)
		case c == '\r':
			p.out = append(p.out, `\r`...)
		case c == '\t':
			p.out = append(p.out, `\t`...)
		case c == '\\':
			if literal {
				p.out = append(p.out, `\\`...)
				break
			}
			n := p.escape(raw[i:])
			i += n - 1
			plain = i + 1
		default:
			p.out = append(p.out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	p.out = append(p.out, raw[plain:]...)
}

// escape writes the escape sequence (RFC 8259, section 7) that s begins with, and
// returns its length. A backslash that begins none stands for itself, so that
// "\d+" is what it looks like. Half a sequence at the end of a cut text is dropped.
func (p *parser) escape(s string) int {
	if len(s) == 1 {
		if !p.how.Cut {
			p.out = append(p.out, `\\`...)
		}
		return 1
	}
	switch n := escapeLen(s); {
	case n > 0:
		p.out = append(p.out, s[:n]...)
		return n
	case s[1] == '\'' || s[1] == '`':
		p.out = append(p.out, s[1])
		return 2
	case s[1] == '\n': // a line that goes on, in Python and JavaScript
		p.out = append(p.out, `\n`...)
		return 2
	case s[1] == 'u' && p.how.Cut && len(s) < 6:
		return len(s)
	}
	p.out = append(p.out, `\\`...)
	return 1
}

// escapeLen is the length of the escape sequence that s begins with, or 0 if its
// backslash begins none.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(s) >= 6 && strings.Trim(s[2:6], "0123456789abcdefABCDEF") == "" {
			return 6
		}
	}
	return 0
}

// Quoted is how many bytes the text in quotes takes that begins at byte i of s: none
// if no quotes open there, the rest of s if they are not closed.
func Quoted(s string, i int) int {
	q := quotesAt(s[i:])
	if q == nil || apostrophe(s, i) {
		return 0
	}
	for at := i + len(q.open); at < len(s); at++ {
		switch n := q.closing(s[at:]); {
		case s[at] == '\\' && !q.raw:
			at++
		case n > 0 && !apostrophe(s, at):
			return at + n - i
		}
	}
	return len(s) - i
}
