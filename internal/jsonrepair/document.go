package jsonrepair

import (
	"bytes"
	"strings"
)

// escaped tells whether s is JSON as it stands inside a text, its quotes
// escaped: {\"path\": \"x\"}.
func escaped(s string) bool {
	s = strings.TrimLeft(s, "{[ \t\r\n")
	return strings.HasPrefix(s, `\"`) || strings.HasPrefix(s, `\n`) && strings.HasPrefix(strings.TrimLeft(s, `\n `), `"`)
}

// unescape takes one level of escaping from s.
func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "\r", `\t`, "\t").Replace(strings.TrimSuffix(s, `\`))
}

// document reads all values of the input, and leaves out what is not JSON between
// them.
func (p *parser) document() {
	if !p.begin() {
		if p.err == nil {
			p.err = ErrEmpty
		}
		return
	}
	p.out = append(p.out, '[')
	n := 0
	for more := true; more && p.err == nil; {
		mark, from := len(p.out), p.i
		if n > 0 {
			p.out = append(p.out, ',')
		}
		start := len(p.out)
		if p.value(root) {
			n++
			more = p.rest(start)
			continue
		}
		p.out = p.out[:mark]
		p.i = max(p.i, from+1)
		more = p.next(true)
	}
	switch {
	case p.err != nil:
	case n == 0:
		p.err = ErrEmpty
	case n == 1:
		p.out = bytes.TrimLeft(p.out[1:], " ")
	default:
		p.doubt(0, "there is more than one value")
		p.out = append(p.out, ']')
	}
}

// rest steps to the next value, behind one that begins at start of out, and is
// false where none follows. Fields that follow an object whose bracket came too
// early go into it.
func (p *parser) rest(start int) bool {
	container := p.out[start] == '{' || p.out[start] == '['
	for from := p.i; p.next(container); from = p.i {
		if p.err != nil || p.out[start] != '{' || p.nameAhead(p.i) != yes || !strings.Contains(p.s[max(from, p.i-window):p.i], ",") {
			return true
		}
		p.doubt(p.i, "the } before this came too early")
		p.out = p.out[:len(p.out)-len("}")]
		p.stack = append(p.stack, '}')
		p.members(start, min(1, len(p.out)-start-len("{")))
	}
	return false
}

// begin steps to the first value. Where the input begins with words and there is a
// code block, or else a bracket that may begin JSON, that is where.
func (p *parser) begin() bool {
	p.space()
	if p.end() {
		return false
	}
	if p.fence(p.i, true) {
		return true
	}
	c := p.s[p.i]
	if c == '{' || c == '[' || c == '/' || quotesAt(p.s[p.i:]) != nil && c != '`' || p.callAhead() && !strings.ContainsAny(p.s[p.i:], "{[") {
		return true
	}
	if startsValue(c) && !strings.HasPrefix(p.s[p.i:], "- ") || c == '(' || c == '.' {
		return true
	}
	if i := p.bracket(p.i); i >= 0 {
		p.how.Around = p.how.Around || strings.Trim(p.s[p.i:i], "`") != ""
		p.i = i
	}
	return true
}

// fence steps into the first code block at or behind i that may hold JSON or, where
// any is wanted and none may, into the first one. A block counts only where it
// stands before all brackets, or alone between them, or where the input begins
// with words.
func (p *parser) fence(i int, any bool) bool {
	const mark = "```"
	open := strings.Index(p.s[i:], mark)
	if open < 0 {
		return false
	}
	open += i
	words := strings.Trim(p.s[i:open], "{[ \t\r\n")
	if words != "" && (strings.IndexByte("{[", p.s[i]) >= 0 || quotesAt(p.s[i:]) != nil) {
		return false
	}
	first := -1
	for more := 0; more >= 0; open += more {
		for open += len(mark); open < len(p.s) && (p.s[open] == '`' || wordByte(p.s[open])); open++ {
		}
		value := p.skip(open)
		if value < len(p.s) && (p.jsonAt(value) || p.s[value] == '(') {
			first = open
			break
		}
		if first < 0 && any && value < len(p.s) {
			first = open
		}
		more = strings.Index(p.s[open:], mark)
	}
	if first < 0 {
		return false
	}
	p.how.Around = p.how.Around || words != ""
	p.i = first
	return true
}

// bracket is where the first bracket at or behind i stands that may begin JSON, or
// -1.
func (p *parser) bracket(i int) int {
	for {
		j := strings.IndexAny(p.s[i:], "{[")
		if j < 0 {
			return -1
		}
		if i += j; p.jsonAt(i) {
			return i
		}
		i++
	}
}

// jsonAt tells whether an object or a list may begin at i: the bracket is followed
// by what could be its first element.
func (p *parser) jsonAt(i int) bool {
	c := p.s[i]
	if c != '{' && c != '[' {
		return false
	}
	j := p.skip(i + 1)
	if j >= len(p.s) || p.s[j] == '}' || p.s[j] == ']' || p.s[j] == '{' || p.s[j] == '[' || quotesAt(p.s[j:]) != nil {
		return true
	}
	if c == '{' {
		return p.nameAhead(j) == yes
	}
	return startsValue(p.s[j]) || p.literalAt(j)
}

// next steps to the next value and is false where none follows. Brackets that are
// left over mean nothing. Words behind a container are left out; behind other
// values, and a comma or line break, they are a value too.
func (p *parser) next(container bool) bool {
	from := p.i
	comma := false
	for {
		p.space()
		switch {
		case p.end():
			return false
		case p.take(","):
			comma = true
			continue
		case p.take("}") || p.take("]") || p.take(")") || p.take(";"):
			continue
		case p.at("```"):
			p.i += 3
			if !p.fence(p.i, false) {
				p.how.Around = p.how.Around || strings.Trim(p.s[p.i:], "`}]) \t\r\n") != ""
				return false
			}
			return true
		}
		break
	}
	separate := comma || p.newline(from, p.i)
	if p.jsonAt(p.i) || separate && !container || comma && (quotesAt(p.s[p.i:]) != nil || startsValue(p.s[p.i])) {
		return true
	}
	p.how.Around = true
	end := p.bracket(p.i)
	left := p.s[p.i:]
	if end >= 0 {
		left = p.s[p.i:end]
	}
	if strings.ContainsAny(left, `"]}`) { // {"a":"if (b == "}") …"}
		p.doubt(p.i, "the value before this may have ended too early")
	}
	p.i = max(p.i, end)
	return end >= 0
}
