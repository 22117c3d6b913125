package jsonrepair

// place is where in the input a value or name stands; what may follow depends on it.
type place uint8

const (
	root     place = iota // outside all brackets
	member                // the value of an object's field
	name                  // the name of a field
	item                  // in a list, a tuple or a set
	argument              // in the brackets of a call
)

// value reads one value of any kind. It is false, and nothing is written, where
// none stands.
func (p *parser) value(at place) bool {
	p.space()
	if p.end() {
		p.cut()
		return false
	}
	switch p.s[p.i] {
	case '{':
		p.i++
		p.object()
		return true
	case '[':
		p.i++
		if p.open('[', ']') {
			p.list(']', len(p.out)-1)
		}
		return true
	case '(':
		p.i++
		p.group()
		return true
	}
	if q := p.quote(); q != nil {
		p.text(q, at)
		return true
	}
	return p.bare(at)
}

// commas steps over commas, dots that stand for something left out, and space.
// It returns how many commas there were.
func (p *parser) commas() (n int) {
	for {
		p.space()
		switch {
		case p.take(","):
			n++
		case p.at("...") || p.at("…"):
			p.doubt(p.i, "something is left out")
			if !p.take("...") {
				p.take("…")
			}
			for p.take(".") {
			}
		default:
			return n
		}
	}
}

// between reads what separates the elements of a container, of which there are n
// so far, and notes what is wrong with it.
func (p *parser) between(n int) (commas int) {
	from := p.i
	commas = p.commas()
	if commas > 1 || commas > 0 && n == 0 {
		p.doubt(from, "something is missing between two commas")
	}
	return commas
}

// object reads an object whose opening bracket was read.
func (p *parser) object() {
	start := len(p.out)
	if p.open('{', '}') {
		p.members(start, 0)
	}
}

// members reads the fields of an object that was opened at start of out and has n
// fields already.
func (p *parser) members(start, n int) {
	from, to := p.nameFrom, p.nameTo
	defer func() { p.nameFrom, p.nameTo = from, to }()
	for p.err == nil {
		p.nameFrom, p.nameTo = from, to
		p.between(n)
		if p.end() || p.at("```") {
			p.cut()
			break
		}
		c := p.s[p.i]
		if c == '}' {
			p.i++
			break
		}
		if c == ']' || c == ')' || c == '{' || c == '[' {
			if p.oddBracket(c, n) {
				break
			}
			continue
		}
		from := p.i
		if !p.field(n) {
			p.set(start, from)
			return
		}
		n++
	}
	if p.err == nil {
		p.close('}')
	}
}

// oddBracket handles a bracket where a name should stand, and tells whether the
// object ends before it.
func (p *parser) oddBracket(c byte, n int) (ends bool) {
	switch {
	case c == '{' && n == 0 && len(p.stack) == 1:
		// {{…}} is how templates write braces. The second closing one is left over
		// behind the value, where it does no harm.
		p.i++
		return false
	case c == '{' && len(p.stack) > 1 && p.stack[len(p.stack)-2] != '}':
		p.doubt(p.i, "a } is missing before this")
		return true
	case (c == ']' || c == ')') && p.awaited(c):
		p.doubt(p.i, "a } is missing before this")
		return true
	case c == ']' || c == ')':
		p.doubt(p.i, "this bracket closes nothing")
		p.i++
		return true
	}
	p.doubt(p.i, "a name is missing before this")
	p.i++
	return false
}

// field reads a name and its value as the n-th field. It is false, and the name
// has become the first element of a set, where no value belongs to it.
func (p *parser) field(n int) bool {
	if n > 0 {
		p.out = append(p.out, ',')
	}
	p.nameFrom = len(p.out)
	from := p.i
	p.fieldName()
	p.nameTo = len(p.out)
	p.space()
	switch {
	case p.end() && p.nameTo-p.nameFrom == len(`""`): // a quote opened, and no more
		p.out = p.out[:p.nameFrom]
		if n > 0 {
			p.out = p.out[:p.nameFrom-1]
		}
		p.cut()
		return true
	case p.end():
		p.cut()
		p.out = append(p.out, ":null"...)
		return true
	case p.take(":"):
	case n == 0 && (p.at(",") || p.at("}")):
		return false
	case p.at(",") || p.at("}") || p.at("]"):
		p.doubt(from, "this name has no value")
	}
	p.out = append(p.out, ':')
	from = p.i
	if !p.value(member) {
		p.out = append(p.out, "null"...)
		p.doubt(from, "a value is missing")
	}
	return true
}

// fieldName reads the name of a field. A stray word before a name, such as a
// remark without its slashes, is left out.
func (p *parser) fieldName() {
	for {
		if q := p.quote(); q != nil {
			p.text(q, name)
			return
		}
		from := p.i
		p.bareName()
		if ahead := p.skip(p.i); p.err == nil && ahead < len(p.s) && p.nameAhead(ahead) == yes && isQuote(p.s[ahead]) {
			p.doubt(from, "this word belongs to nothing")
			p.i = ahead
			p.out = p.out[:p.nameFrom]
			continue
		}
		return
	}
}

// set reads an object again, from behind its opening bracket, that turned out to
// be a Python set.
func (p *parser) set(start, from int) {
	p.out = append(p.out[:start], '[')
	p.i = from
	p.list('}', start)
}

// list reads a list, which was opened at start of out, up to its closing bracket.
func (p *parser) list(closing byte, start int) {
	last := start + 1 // where the last element begins in out
	for n := 0; p.err == nil; {
		p.space()
		if n > 0 && p.at(":") && p.out[last] == '"' {
			p.membersInList(last)
			continue
		}
		from := p.i
		commas := p.between(n)
		if p.end() || p.at("```") {
			p.cut()
			break
		}
		c := p.s[p.i]
		if c == closing {
			p.i++
			break
		}
		if c == '}' || c == ']' || c == ')' {
			if p.oddClosing(c) {
				break
			}
			continue
		}
		if n > 0 && commas == 0 && (c != '{' || p.s[from-1] != '}') {
			p.doubt(p.i, "a comma is missing before this")
		}
		if at, ok := p.element(n); ok {
			last = at
			n++
		}
	}
	if p.err == nil {
		p.close(']')
	}
}

// element reads the n-th element of a list and returns where it begins in out.
// Where none stands, something else does, which is left out.
func (p *parser) element(n int) (at int, ok bool) {
	mark, from := len(p.out), p.i
	if n > 0 {
		p.out = append(p.out, ',')
	}
	at = len(p.out)
	if p.value(item) {
		return at, true
	}
	p.out = p.out[:mark]
	if p.i == from {
		p.doubt(from, "this belongs to nothing")
		p.i++
	}
	return 0, false
}

// oddClosing handles the wrong closing bracket in a list, and tells whether the
// list ends there.
func (p *parser) oddClosing(c byte) (ends bool) {
	if p.awaited(c) {
		p.doubt(p.i, "a bracket is missing before this")
		return true
	}
	p.doubt(p.i, "this bracket closes nothing")
	p.i++
	next := p.skip(p.i)
	return next >= len(p.s) || p.s[next] != ','
}

// membersInList makes an object of names and values that stand in a list without
// braces. The first name was taken for an element, at last of out.
func (p *parser) membersInList(last int) {
	p.doubt(p.i, "a { is missing before the name")
	if len(p.stack) >= maxDepth {
		p.err = ErrDepth
		return
	}
	p.out = append(p.out, 0)
	copy(p.out[last+1:], p.out[last:])
	p.out[last] = '{'
	p.stack = append(p.stack, '}')
	p.i++
	p.out = append(p.out, ':')
	if !p.value(member) {
		p.out = append(p.out, "null"...)
	}
	p.members(last, 1)
}

// group reads what stands in round brackets: a tuple, or one value in brackets
// that say nothing. Its opening bracket was read.
func (p *parser) group() {
	start := len(p.out)
	if !p.open('[', ')') {
		return
	}
	first, n, commas := p.i, 0, 0
	for p.err == nil {
		commas += p.between(n)
		if p.end() {
			p.cut()
			break
		}
		c := p.s[p.i]
		if c == ')' {
			p.i++
			break
		}
		if c == '}' || c == ']' {
			if p.oddClosing(c) {
				break
			}
			continue
		}
		if _, ok := p.element(n); ok {
			n++
		}
	}
	if p.err != nil {
		return
	}
	p.stack = p.stack[:len(p.stack)-1]
	if n == 1 && commas == 0 {
		p.out[start] = ' '
		return
	}
	if n > 0 && commas < n-1 {
		p.doubt(first, "a comma is missing")
	}
	p.out = append(p.out, ']')
}
