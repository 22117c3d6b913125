package jsonrepair

import (
	"encoding/json"
	"strings"
)

// bare reads what has no quotes: a number, a literal, or a text that lost its own.
// It is false where nothing stands.
func (p *parser) bare(at place) bool {
	from := p.i
	if p.callAhead() {
		p.doubt(from, "a function around a value is not called")
		p.i += strings.IndexByte(p.s[p.i:], '(') + 1
		p.group()
		return true
	}
	to, odd := p.bareEnd(at)
	raw := strings.TrimRight(p.s[from:to], " \t\r\n\u00a0")
	if raw == "" {
		return false
	}
	if word, ok := literal(raw); ok {
		p.out = append(p.out, word...)
		return true
	}
	if digits, whole, ok := number(raw); ok {
		if !whole {
			p.doubt(from, "a number breaks off")
		}
		p.out = append(p.out, digits...)
		return true
	}
	p.how.Bare = true
	if odd {
		p.doubt(from, "a text has no quotes")
	}
	if notNumber(raw) {
		p.doubt(from, "JSON has no such number")
	}
	p.out = append(p.out, '"')
	p.content(raw, true)
	p.out = append(p.out, '"')
	return true
}

// callAhead tells whether a name and an opening bracket come next, with a value in
// it: ObjectId("5f"), callback({}).
func (p *parser) callAhead() bool {
	i := p.i
	for i < len(p.s) && i-p.i < window && (wordByte(p.s[i]) || p.s[i] == '.') {
		i++
	}
	j := i
	for j < len(p.s) && j-i < 2 && p.s[j] == ' ' {
		j++
	}
	if i == p.i || j >= len(p.s) || p.s[j] != '(' || p.s[p.i] >= '0' && p.s[p.i] <= '9' {
		return false
	}
	j = p.skip(j + 1)
	return j < len(p.s) && (startsValue(p.s[j]) || quotesAt(p.s[j:]) != nil || p.literalAt(j))
}

// bareEnd finds where a bare value ends, and steps there. It is odd if it holds
// what a value without quotes hardly does: then its end is a guess.
func (p *parser) bareEnd(at place) (end int, odd bool) {
	from, depth := p.i, 0
	for ; p.i < len(p.s); p.i++ {
		i := p.i
		switch c := p.s[i]; c {
		case '\n':
			return i, odd
		case '{', '[', '(':
			if c != '(' && settled(p.s[from:i]) {
				return i, odd
			}
			depth++
			odd = true
		case '}', ']', ')':
			if depth == 0 && (c != ')' || at == argument || p.innermost() == ')') {
				return i, odd
			}
			depth = max(0, depth-1)
		case ',':
			if depth == 0 && (at != member || p.endsMember(from, i)) {
				return i, odd
			}
			odd = true
		case '"':
			switch e := p.strayQuote(from, i, at); {
			case depth > 0:
			case e == yes: // the opening one was lost
				p.i++
				return i, odd
			case e == unsure:
				return i, odd
			}
			odd = true
		case '/':
			if p.commentAt(from, i) {
				return i, odd
			}
		case '#':
			if spaceBefore(p.s, from, i) && p.hash(i) {
				return i, odd
			}
		case '`':
			if p.at("```") {
				return i, odd
			}
			odd = true
		case '\'':
			odd = odd || !apostrophe(p.s, i)
		}
	}
	return p.i, odd
}

// spaceBefore tells whether a space stands before i, which is behind from.
func spaceBefore(s string, from, i int) bool {
	return i > from && (s[i-1] == ' ' || s[i-1] == '\t')
}

// commentAt tells whether the slash at i begins a comment behind a bare value that
// begins at from. In a path or an address it does not.
func (p *parser) commentAt(from, i int) bool {
	next := p.s[i:min(i+2, len(p.s))]
	return next == "//" && spaceBefore(p.s, from, i) ||
		next == "/*" && (spaceBefore(p.s, from, i) || settled(p.s[from:i]))
}

// settled tells whether a bare value is a number or a literal, to which nothing
// can be added.
func settled(raw string) bool {
	if len(raw) > 64 {
		return false
	}
	raw = strings.TrimRight(raw, " \t\r")
	if _, ok := literal(raw); ok {
		return true
	}
	_, whole, ok := number(raw)
	return ok && whole
}

// endsMember tells whether the comma at i ends the bare value of a field that
// begins at from, and is not part of a sentence: the next name must follow, or
// nothing.
func (p *parser) endsMember(from, i int) bool {
	j := p.skip(i + 1)
	return j >= len(p.s) || strings.IndexByte("}],{", p.s[j]) >= 0 || p.newline(i, j) ||
		strings.HasPrefix(p.s[j:], "...") || p.nameAhead(j) == yes || settled(p.s[from:i])
}

// strayQuote judges the quote at i inside a bare value: yes if it closes the value,
// whose opening quote was lost; unsure if it opens the next name or element.
func (p *parser) strayQuote(from, i int, at place) evidence {
	j := p.skip(i + 1)
	switch {
	case spaceBefore(p.s, from, i) && (at == member && p.nameAhead(i) == yes || at == item):
		return unsure
	case j >= len(p.s) || strings.IndexByte(",}]):", p.s[j]) >= 0 || p.newline(i, j):
		return yes
	case at == item && p.itemAhead(i) == yes:
		return yes
	}
	return no
}

// bareName reads a name without quotes and writes it.
func (p *parser) bareName() {
	from := p.i
	end := -1
	for ; p.i < len(p.s) && end < 0; p.i++ {
		switch c := p.s[p.i]; {
		case strings.IndexByte(":,}]{[\n", c) >= 0, spaceBefore(p.s, from, p.i) && quotesAt(p.s[p.i:]) != nil:
			end = p.i
			p.i--
		case c == '"': // the opening one was lost
			end = p.i
		}
	}
	if end < 0 {
		end = p.i
	}
	p.out = append(p.out, '"')
	p.content(strings.TrimRight(p.s[from:end], " \t\r"), true)
	p.out = append(p.out, '"')
}

// literal is the JSON literal that a word stands for, in the spelling of JSON,
// Python or JavaScript.
func literal(word string) (string, bool) {
	switch {
	case strings.EqualFold(word, "true"):
		return "true", true
	case strings.EqualFold(word, "false"):
		return "false", true
	case strings.EqualFold(word, "null"), strings.EqualFold(word, "none"), strings.EqualFold(word, "nil"), word == "undefined":
		return "null", true
	}
	return "", false
}

// notNumber tells whether a word is one of the values that are numbers elsewhere
// and nothing in JSON.
func notNumber(word string) bool {
	switch strings.ToLower(strings.TrimLeft(word, "+-")) {
	case "nan", "infinity", "inf":
		return true
	}
	return false
}

// number writes raw as a number of JSON's grammar, if it is one of another's: +5,
// .5, 1., 1_000. One that breaks off, such as 2e, is not whole. Leading zeros
// make no number but a text, as do 0x1F, 1/3 and 10-20: their digits may matter.
func number(raw string) (digits string, whole, ok bool) {
	if raw == "" {
		return "", false, false
	}
	c := raw[0]
	if c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
		return "", false, false
	}
	if c != '+' && c != '.' && json.Valid([]byte(raw)) {
		return raw, true, true
	}
	s := strings.TrimPrefix(raw, "+")
	if strings.IndexByte(s, '_') > 0 && strings.Trim(s, "-.0123456789_") == "" && !strings.HasSuffix(s, "_") {
		s = strings.ReplaceAll(s, "_", "")
	}
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	switch {
	case s == "" || s == ".":
		return "0", false, raw != "+"
	case s[0] == '.':
		s = "0" + s
	case s[len(s)-1] == '.':
		s += "0"
	}
	if json.Valid([]byte(s)) && s[0] >= '0' && s[0] <= '9' {
		return sign + s, true, true
	}
	if half := strings.TrimRight(s, "+-"); len(half) > 1 && (half[len(half)-1] == 'e' || half[len(half)-1] == 'E') {
		if s = half[:len(half)-1]; json.Valid([]byte(s)) && s[0] >= '0' && s[0] <= '9' {
			return sign + s, false, true
		}
	}
	return "", false, false
}
