package phrase

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Rest is the name of the part that goes on behind a phrase with other words for it.
const Rest = "rest"

// edge is a sign between words: no letter, as English and Czech have them, and no digit.
// To look at its case would only take time.
const edge = `(?-i:[^0-9A-Za-z_\x{C0}-\x{17F}])`

func quoted(s string) string { return regexp.QuoteMeta(s) }

// Expr is a regular expression for the sentences that a phrase reads.
func (p *Phrase) Expr() (string, error) {
	p.book.mu.Lock()
	n, err := p.book.parse(p.family, p.Template, 0)
	p.book.mu.Unlock()
	if err != nil {
		return "", err
	}
	r, ok := n.(row)
	if !ok {
		r = row{{node: n}}
	}
	begin, end := "^", "$"
	if len(r) > 1 && isOpen(r[0].node) {
		if begin = ""; r[1].apart {
			begin = "(?:^|" + edge + ")"
		}
		r = r[1:]
	}
	if last := len(r) - 1; last > 0 && isOpen(r[last].node) {
		apart := r[last].apart
		r = r[:last]
		switch {
		case p.Into != "" && apart:
			end = "(?P<" + Rest + ">(?:" + edge + ".*)?)$"
		case p.Into != "":
			end = "(?P<" + Rest + ">.*)$"
		case apart:
			end = "(?:" + edge + "|$)"
		default:
			end = ""
		}
	}
	return begin + "(?:" + expr(r) + ")" + end, nil
}

// Replacement is what the sentence becomes, as regexp's Expand takes it.
func (p *Phrase) Replacement() string {
	into := strings.ReplaceAll(strings.ReplaceAll(p.Into, " ...", "..."), "...", "{"+Rest+"}")
	return strings.ReplaceAll(into, "{", "${")
}

func isGap(n node) bool { _, ok := n.(gap); return ok }

// isOpen tells that a node is any words, however many.
func isOpen(n node) bool { return n == node(gap{}) }

// expr is an expression for what may be in a gap. One that is limited is as short as
// it can be.
func (g gap) expr() string {
	if g.most == 0 {
		return ".*"
	}
	return fmt.Sprintf(".{0,%d}?", g.most)
}

// empty tells whether a node may stand for nothing.
func empty(n node) bool {
	switch n := n.(type) {
	case maybe:
		return true
	case again:
		return n.least == 0 || empty(n.node)
	case slot:
		return empty(n.node)
	case oneOf:
		for _, o := range n {
			if empty(o) {
				return true
			}
		}
	case row:
		for _, i := range n {
			if isGap(i.node) || !empty(i.node) {
				return false
			}
		}
		return true
	}
	return false
}

// expr is an expression for what a node stands for when it stands for something.
func expr(n node) string {
	switch n := n.(type) {
	case word:
		return string(n)
	case gap:
		return n.expr()
	case maybe:
		return expr(n.node)
	case slot:
		return "(?P<" + n.name + ">" + expr(n.node) + ")"
	case oneOf:
		all := make([]string, len(n))
		for i, o := range n {
			all[i] = expr(o)
		}
		return "(?:" + strings.Join(all, "|") + ")"
	case again:
		one := expr(n.node)
		return one + "(?:" + between(one) + one + ")*"
	case row:
		return n.expr()
	}
	return ""
}

// between is the space between words that come again; Chinese ones have none.
func between(expr string) string {
	if strings.ContainsFunc(expr, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return ""
	}
	return " "
}

// expr puts the parts one after the other. The space beside a part that may be left
// out is left out with it: the one before it, or behind it where nothing is sure to
// stand before it.
func (r row) expr() string {
	if empty(r) { // it begins with any of its parts, but has one
		var all []string
		for i := range r {
			all = append(all, expr(r[i].node)+r[i+1:].behind(false))
		}
		return "(?:" + strings.Join(all, "|") + ")"
	}
	return r.behind(true)
}

// behind is the row from a place on. At its first place there is no space yet.
func (r row) behind(first bool) string {
	r = r.flat(first)
	var b strings.Builder
	for i, part := range r {
		space, next := "", i+1 < len(r) && r[i+1].apart
		if part.apart {
			space = " "
		}
		if !first && space != "" && r.joined(i) {
			b.WriteString(space)
			space = ""
		}
		switch {
		case isGap(part.node):
			b.WriteString(anything(part.node.(gap).expr(), i == 0, part.apart, next, i == len(r)-1))
			first = true
		case !first && empty(part.node):
			b.WriteString("(?:" + several(part.node, space, "") + ")" + sign(part.node))
		case !first:
			b.WriteString(several(part.node, space, "") + sign(part.node))
		case empty(part.node):
			space = ""
			if next {
				space = " "
			}
			b.WriteString("(?:" + several(part.node, "", space) + ")" + sign(part.node))
		default:
			b.WriteString(expr(part.node))
			first = false
		}
	}
	return b.String()
}

// flat puts the parts of a row that may be left out as a whole in its place, if they
// are apart: each then has its own space, and need not be written for all that may
// come before it.
func (r row) flat(first bool) row {
	var all row
	for i, part := range r {
		inner, ok := part.node.(row)
		if !ok || !empty(inner) || !part.apart && (!first || i > 0) {
			all = append(all, part)
			continue
		}
		inner = append(row{{inner[0].node, part.apart}}, inner[1:]...)
		all = append(all, inner.flat(false)...)
	}
	return all
}

// joined tells that a part may be left out, but not what is joined to it without a
// space, so that the space before them stays.
func (r row) joined(i int) bool {
	for ; empty(r[i].node) && i+1 < len(r) && !r[i+1].apart; i++ {
		if !empty(r[i+1].node) {
			return true
		}
	}
	return false
}

// several is one of a node, with its space.
func several(n node, before, after string) string {
	if a, ok := n.(again); ok {
		if a.least > 0 {
			return "(?:" + before + expr(a.node) + after + ")"
		}
		return before + expr(a.node) + after
	}
	return before + expr(n) + after
}

// sign is how often a node may come.
func sign(n node) string {
	if a, ok := n.(again); ok {
		if a.least > 0 {
			return "+"
		}
		return "*"
	}
	if empty(n) {
		return "?"
	}
	return ""
}

// anything is an expression for any words, which are apart from what is beside them. At
// an end of a row nothing else has to be there.
func anything(words string, begins, before, after, ends bool) string {
	switch {
	case begins && after:
		return "(?:" + words + edge + ")?"
	case ends && before:
		return "(?:" + edge + words + ")?"
	case before && after:
		return edge + "(?:" + words + edge + ")?"
	case before:
		return edge + words
	case after:
		return words + edge
	}
	return words
}
