package phrase

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A node is a part of a phrase.
type node interface{}

type (
	word  string             // a regular expression for it
	gap   struct{ most int } // any words, or up to so many signs
	oneOf []node             // one of several
	maybe struct{ node }
	again struct { // several of it, with or without spaces between
		node
		least int
	}
	slot struct {
		node
		name string
	}
	row []item // one after the other
)

// item is a node in a row.
type item struct {
	node
	apart bool // there is a space before it
}

// deepest is how many brackets and lists may be in each other.
const deepest = 30

// parser reads a template.
type parser struct {
	book   *Book
	family string // whose lists it uses
	rest   string
	depth  int
}

// parse reads a whole template.
func (b *Book) parse(family, template string, depth int) (node, error) {
	p := &parser{b, family, template, depth}
	n, err := p.either(false)
	if err == nil && p.rest != "" {
		err = fmt.Errorf("%q has a bracket too many before %q", template, p.rest)
	}
	return n, err
}

// either reads rows with strokes between them, up to a closing bracket. A space that
// one begins with counts where the bracket has none before it, as in what('s| is).
func (p *parser) either(close bool) (node, error) {
	if p.depth++; p.depth > deepest {
		return nil, fmt.Errorf("brackets or lists are more than %d deep, or a list is in itself", deepest)
	}
	defer func() { p.depth-- }()
	var all oneOf
	for {
		r, err := p.row(close)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
		if !p.takes("|") {
			break
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return all, nil
}

// row reads parts up to a stroke or a closing bracket.
func (p *parser) row(close bool) (node, error) {
	var r row
	if close && strings.HasPrefix(p.rest, " ") {
		r = row{{node: word(" ")}}
		p.rest = strings.TrimLeft(p.rest, " ")
	}
	for {
		trimmed := strings.TrimLeft(p.rest, " ")
		apart := len(trimmed) < len(p.rest) && len(r) > 0
		if p.rest = trimmed; p.rest == "" || strings.ContainsRune("|)]}", rune(p.rest[0])) {
			break
		}
		n, err := p.part(!apart && len(r) > 0)
		if err != nil {
			return nil, err
		}
		r = append(r, item{n, apart})
	}
	if len(r) == 0 {
		return nil, fmt.Errorf("nothing stands before %q", p.rest)
	}
	if len(r) == 1 {
		return r[0].node, nil
	}
	return r, nil
}

// part reads one part of a row; close tells that no space is before it.
func (p *parser) part(close bool) (node, error) {
	switch p.rest[0] {
	case '(':
		n, err := p.bracket(")", close)
		if p.takes("+") {
			return again{n, 1}, err
		}
		return n, err
	case '[':
		n, err := p.bracket("]", close)
		if p.takes("*") {
			return again{n, 0}, err
		}
		return maybe{n}, err
	case '{':
		return p.slot()
	case '<':
		name, rest, ok := strings.Cut(p.rest[1:], ">")
		if !ok {
			return nil, fmt.Errorf("%q begins with < and has no >", p.rest)
		}
		p.rest = rest
		return p.book.list(p.family, name, p.depth)
	case '`':
		expr, rest, ok := strings.Cut(p.rest[1:], "`")
		if !ok {
			return nil, fmt.Errorf("%q begins with ` and has no other", p.rest)
		}
		p.rest = rest
		return word("(?:" + expr + ")"), nil
	}
	if p.takes("...") {
		return p.gap()
	}
	return p.word()
}

// gap reads how many signs it may be long.
func (p *parser) gap() (node, error) {
	digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
	if digits == 0 {
		return gap{}, nil
	}
	most, err := strconv.Atoi(p.rest[:digits])
	if err != nil || most == 0 || most > longestGap {
		return nil, fmt.Errorf("a gap has up to %d signs, not %s", longestGap, p.rest[:digits])
	}
	p.rest = p.rest[digits:]
	return gap{most}, nil
}

// longestGap is the most that regular expressions count to.
const longestGap = 1000

// bracket reads what is in a pair of brackets.
func (p *parser) bracket(end string, close bool) (node, error) {
	from := p.rest
	p.rest = p.rest[1:]
	n, err := p.either(close)
	if err != nil {
		return nil, err
	}
	if !p.takes(end) {
		return nil, fmt.Errorf("%q has no %s", from, end)
	}
	return n, nil
}

// takes reads a sign if it is the next.
func (p *parser) takes(sign string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.rest, sign)
	return ok
}

// slot reads {name} or {name:words}.
func (p *parser) slot() (node, error) {
	from := p.rest
	end := strings.IndexAny(from, ":}")
	if end < 0 {
		return nil, fmt.Errorf("%q has no }", from)
	}
	s := slot{name: from[1:end]}
	for _, r := range s.name {
		if r != '_' && !unicode.IsLower(r) || r > unicode.MaxASCII {
			return nil, fmt.Errorf("a slot's name is of small letters: %q", s.name)
		}
	}
	var err error
	if from[end] == '}' {
		p.rest = from[end+1:]
		s.node, err = p.book.list(p.family, s.name, p.depth)
		return s, err
	}
	p.rest = from[end:] // the colon takes the place of the bracket
	s.node, err = p.bracket("}", false)
	return s, err
}

// signs mean something in a template.
const signs = " ()[]{}<>|`"

// word reads letters and other signs up to the next part.
func (p *parser) word() (node, error) {
	var expr strings.Builder
	for p.rest != "" && !strings.ContainsRune(signs, rune(p.rest[0])) && !strings.HasPrefix(p.rest, "...") {
		plain := strings.IndexAny(p.rest[1:], signs+`\~_.`) + 1
		if plain == 0 {
			plain = len(p.rest)
		}
		switch p.rest[0] {
		case '\\':
			_, size := utf8.DecodeRuneInString(p.rest[1:])
			if plain = 1 + size; size == 0 {
				return nil, fmt.Errorf("a stroke at the end stands before nothing")
			}
			expr.WriteString(quoted(strings.ToValidUTF8(p.rest[1:plain], "")))
		case '~':
			expr.WriteString(`\pL*`)
			plain = 1
		case '_':
			expr.WriteString(` ?`)
			plain = 1
		default:
			expr.WriteString(quoted(strings.ToValidUTF8(p.rest[:plain], "")))
		}
		p.rest = p.rest[plain:]
	}
	if expr.Len() == 0 {
		return nil, fmt.Errorf("%q begins with a sign that stands for itself only behind a stroke", p.rest)
	}
	return word(expr.String()), nil
}

// list is what a list of the family holds, or one that is shared.
func (b *Book) list(family, name string, depth int) (node, error) {
	for _, of := range []string{family, Shared} {
		full := of + "/" + name
		if n, ok := b.nodes[full]; ok {
			return n, nil
		}
		words, ok := b.lists[full]
		if !ok {
			continue
		}
		n, err := b.parse(of, words, depth)
		if err != nil {
			return nil, fmt.Errorf("<%s>: %w", name, err)
		}
		if _, several := n.(again); !several && !empty(n) { // it is the same everywhere
			n = word(expr(n))
		}
		b.nodes[full] = n
		return n, nil
	}
	if expr, ok := b.raw[name]; ok {
		return word("(?:" + expr + ")"), nil
	}
	return nil, fmt.Errorf("there is no list <%s>", name)
}
