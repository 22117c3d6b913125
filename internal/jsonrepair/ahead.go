package jsonrepair

import (
	"strings"
	"unicode/utf8"
)

// evidence is what the bytes ahead say about a question.
type evidence uint8

const (
	no evidence = iota
	unsure
	yes
)

// follows tells whether a text may end at i, behind a quotation mark: what comes
// there must be able to follow a text at that place. It is unsure where a comma
// would be missing, or where it could as well be words of the text.
func (p *parser) follows(i int, at place) evidence {
	j := p.skip(i)
	if j >= len(p.s) || strings.HasPrefix(p.s[j:], "```") {
		return yes
	}
	c := p.s[j]
	switch {
	case at == name:
		return p.followsName(j)
	case c == ',':
		return p.followsComma(j+1, p.innermost(), at == member, at)
	case c == '}' || c == ']' || c == ')':
		return p.followsClosing(j, at)
	case c == '+':
		if k := p.skip(j + 1); k < len(p.s) && quotesAt(p.s[k:]) != nil {
			return yes
		}
		return no
	case c == ':' && at == item:
		return unsure
	}
	if q := quotesAt(p.s[j:]); q != nil && i == j && q.open == `"` {
		// Of two marks in a row that close, the second one does.
		if k := p.skip(j + 1); k >= len(p.s) || strings.IndexByte(",}]):", p.s[k]) >= 0 {
			return no
		}
	}
	return p.followsNothing(i, j, at)
}

// followsNothing is follows where neither comma nor bracket comes, but a comma may
// be missing before the token at j.
func (p *parser) followsNothing(i, j int, at place) evidence {
	c := p.s[j]
	quoted := quotesAt(p.s[j:]) != nil
	lines := p.newline(i, j)
	ok := false
	switch at {
	case member:
		ok = (quoted || lines) && p.nameAhead(j) != no
	case item:
		ok = quoted || lines || startsValue(c) || p.literalAt(j)
	case root:
		ok = lines || quoted && j > i
	case argument:
		ok = lines
	}
	if ok {
		return unsure
	}
	return no
}

// followsName is follows for the name of a field.
func (p *parser) followsName(j int) evidence {
	switch c := p.s[j]; {
	case c == ':':
		return yes
	case c == ',' || c == '}' || startsValue(c) || quotesAt(p.s[j:]) != nil || p.literalAt(j):
		return unsure
	}
	return no
}

// followsComma tells whether what stands at i may follow a comma in the container
// that due closes, which is an object or else some list.
func (p *parser) followsComma(i int, due byte, object bool, at place) evidence {
	j := p.skip(i)
	if j >= len(p.s) {
		return yes
	}
	c := p.s[j]
	switch {
	case c == due && due != 0:
		return yes
	case c == '}' || c == ']' || c == ')' || c == ',':
		return unsure
	case object:
		if strings.HasPrefix(p.s[j:], "...") {
			return yes
		}
		return p.nameAhead(j)
	case due == 0 && at != argument:
		return unsure
	case due == 0 && p.keywordAhead(j):
		return yes
	case quotesAt(p.s[j:]) != nil:
		return max(p.itemAhead(j), unsure)
	case startsValue(c) || p.literalAt(j):
		return yes
	}
	return unsure
}

// followsClosing is follows where brackets come, from j on: they must be those
// that are due, and what comes behind them must fit too.
func (p *parser) followsClosing(j int, at place) evidence {
	left, sure := len(p.stack), yes
	for limit := j + window; j < len(p.s) && j < limit; j = p.skip(j + 1) {
		c := p.s[j]
		if c != '}' && c != ']' && c != ')' {
			break
		}
		if left == 0 {
			if at == argument && c == ')' {
				return min(sure, p.followsCall(j+1))
			}
			if len(p.stack) == 0 {
				return no
			}
			continue // one too many, which does no harm
		}
		wrong := left
		for left > 0 && p.stack[left-1] != c {
			left--
		}
		switch {
		case left == 0:
			return no
		case left < wrong:
			sure = unsure
		}
		left--
	}
	switch {
	case j >= len(p.s) || strings.HasPrefix(p.s[j:], "```"):
		return sure
	case left == 0:
		if at == argument && p.s[j] == ',' {
			return sure
		}
		return unsure
	case p.s[j] == ',':
		return min(sure, p.followsComma(j+1, p.stack[left-1], p.stack[left-1] == '}', at))
	}
	return p.followsElement(j, p.stack[left-1])
}

// followsElement tells whether the next element of the container that due closes
// may begin at j, without the comma before it.
func (p *parser) followsElement(j int, due byte) evidence {
	if due == '}' && p.nameAhead(j) == yes || due != '}' && (startsValue(p.s[j]) || quotesAt(p.s[j:]) != nil) {
		return unsure
	}
	return no
}

// followsCall tells whether what stands at i may follow the closing bracket of a
// call.
func (p *parser) followsCall(i int) evidence {
	if j := p.skip(i); j >= len(p.s) || strings.IndexByte(",;])<", p.s[j]) >= 0 || p.newline(i, j) {
		return yes
	}
	return unsure
}

// innermost is the closing bracket that is due next, or 0.
func (p *parser) innermost() byte {
	if len(p.stack) == 0 {
		return 0
	}
	return p.stack[len(p.stack)-1]
}

// startsValue tells whether c begins a number or a container.
func startsValue(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '{' || c == '['
}

// literalAt tells whether true, false or null stands at i.
func (p *parser) literalAt(i int) bool {
	n := i
	for n < len(p.s) && n-i < 10 && wordByte(p.s[n]) {
		n++
	}
	_, ok := literal(p.s[i:n])
	return ok
}

// wordByte tells whether c may be part of a name without quotes.
func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

// nameAhead tells whether a name and a colon stand at i.
func (p *parser) nameAhead(i int) evidence {
	if quotesAt(p.s[i:]) != nil {
		end, e := p.quotedAhead(i)
		switch {
		case e != yes || p.colon(end) == yes:
			return e
		case p.s[end-2] == ':' && isWord(p.s[i+1:end-2]): // the closing quote was lost
			return unsure
		}
		return no
	}
	end := i
	for end < len(p.s) && end-i < window && (wordByte(p.s[end]) || p.s[end] == '-' && end > i) {
		end++
	}
	switch {
	case end == i:
		return no
	case end < len(p.s) && p.s[end] == '"': // the opening quote was lost
		return min(unsure, p.colon(end+1))
	}
	if e := p.colon(end); e == no || strings.HasPrefix(p.s[p.skip(end):], "://") {
		return no
	}
	return yes
}

// keywordAhead tells whether the name of an argument and = stand at i.
func (p *parser) keywordAhead(i int) bool {
	end := i
	for end < len(p.s) && end-i < window && wordByte(p.s[end]) {
		end++
	}
	return end > i && strings.HasPrefix(p.s[p.skip(end):], "=")
}

// colon tells whether a colon is the next token at i.
func (p *parser) colon(i int) evidence {
	if i = p.skip(i); i < len(p.s) && p.s[i] == ':' {
		return yes
	}
	return no
}

// itemAhead tells whether a text in quotes stands at i, and behind it something
// that ends an element of a list.
func (p *parser) itemAhead(i int) evidence {
	end, e := p.quotedAhead(i)
	if e != yes {
		return e
	}
	if end = p.skip(end); end >= len(p.s) || strings.IndexByte(",]})", p.s[end]) >= 0 {
		return yes
	}
	return no
}

// quotedAhead is where the text in quotes that stands at i ends, if it has no
// quotes in itself. It is unsure where the end is not in sight.
func (p *parser) quotedAhead(i int) (end int, e evidence) {
	q := quotesAt(p.s[i:])
	if q == nil {
		return i, no
	}
	limit := min(len(p.s), i+window)
	j := i + len(q.open)
	twice := len(q.open) == 1 && strings.HasPrefix(p.s[j:], q.open) && wordAt(p.s[j+1:])
	if twice {
		j++
	}
	for ; j < limit; j++ {
		c := p.s[j]
		if c == '\\' && !q.raw {
			j++
			continue
		}
		if q.special[c] {
			if n := q.closing(p.s[j:]); n > 0 {
				if twice && strings.HasPrefix(p.s[j+n:], q.open) {
					n++
				}
				return j + n, yes
			}
		}
	}
	return i, unsure
}
