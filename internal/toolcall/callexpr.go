package toolcall

import (
	"fmt"
	"strings"

	"loci/internal/jsonrepair"
	"loci/internal/jsontree"
	"loci/internal/text"
)

// readExpressions reads calls written as in Python: name(1, key="value"), one
// or several, also as a list. The arguments are literals; nothing is evaluated.
// Between calls a comma, a semicolon or just white space may stand.
func readExpressions(body string) ([]wish, *Fault) { return newParser(narrow(body)).calls() }

// readLiterals is readExpressions where no markup says that these are calls.
// Then words without quotes are taken for a program or a sentence.
func readLiterals(body string) ([]wish, *Fault) {
	p := newParser(narrow(body))
	p.literals = true
	return p.calls()
}

// wide are the delimiters that Chinese and Japanese keyboards write, with those of the
// grammar.
var wide = strings.NewReplacer("（", "(", "）", ")", "［", "[", "］", "]", "｛", "{", "｝", "}", "，", ",", "、", ",", "；", ";", "：", ":", "＝", "=")

// narrow replaces fullwidth delimiters outside of quotes. Inside they are text.
func narrow(s string) string {
	if !strings.ContainsAny(s, "（），＝：；［］｛｝、") {
		return s
	}
	var b strings.Builder
	from := 0 // of the text outside
	for i := 0; i < len(s); {
		n := jsonrepair.Quoted(s, i)
		if n == 0 {
			i++
			continue
		}
		wide.WriteString(&b, s[from:i])
		b.WriteString(s[i : i+n])
		i += n
		from = i
	}
	wide.WriteString(&b, s[from:])
	return b.String()
}

// calls reads one call or several, up to the end.
func (p *parser) calls() ([]wish, *Fault) {
	p.space()
	bracket := p.take("[")
	var wishes []wish
	for {
		w, f := p.call()
		if f != nil {
			return nil, f
		}
		wishes = append(wishes, w)
		end := p.i
		p.space()
		at := p.i
		p.between()
		if p.i >= len(p.s) || bracket && p.at("]") {
			break
		}
		switch {
		case p.i == at && bracket:
			return nil, p.broken("expected , or ]")
		case p.i == end: // as in f(1).g(2), which somebody would have to evaluate
			return nil, p.broken("something follows the call")
		}
	}
	if !bracket {
		return wishes, nil
	}
	if p.take("]"); p.i < len(p.s) {
		return nil, p.broken("something follows after the calls")
	}
	return wishes, nil
}

// call reads one name(arguments). A name alone is a call without arguments,
// and a name before an object is a call with these: both are common where the
// tag already says that a call comes.
func (p *parser) call() (wish, *Fault) {
	start := p.i
	for p.i < len(p.s) && strings.IndexByte("({[ \t\r\n,;]", p.s[p.i]) < 0 {
		p.i++
	}
	w := wish{name: strings.TrimSuffix(p.s[start:p.i], ".call"), arguments: jsontree.Value{Kind: jsontree.Object}}
	p.space()
	switch {
	case w.name == "" || !p.at("{") && !p.at("(") && p.i < len(p.s) && strings.IndexByte(",;]", p.s[p.i]) < 0:
		p.i = start
		return w, &Fault{Problem: fmt.Sprintf("%q is not a call in the form name(arguments)", text.Clip(p.s[start:], 80))}
	case p.at("{"):
		v, f := p.value()
		w.arguments = v
		return w, f
	case p.take("("):
	case p.literals:
		return w, p.broken("expected (")
	default:
		return w, nil
	}
	// What is no list of literals may still be one text without its quotes. Which
	// it is depends on the tool's parameters, so both are kept for arrange.
	inside := p.i
	f := p.arguments(&w)
	if f == nil || f.Cut || p.literals {
		return w, f
	}
	end := closingBracket(p.s[inside:])
	if end < 0 {
		return w, f
	}
	w.words, w.fault = strings.TrimSpace(p.s[inside:inside+end]), f
	w.arguments, w.positional = jsontree.Value{Kind: jsontree.Object}, nil
	p.i = inside + end + 1
	return w, nil
}

// closingBracket is the index of the bracket that closes the one before s, or -1 if
// there is none or s has quotes, in which brackets need not be in pairs.
func closingBracket(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return i
			}
			depth--
		case '"', '\'', '`', '\n':
			return -1
		}
	}
	return -1
}

// arguments reads up to and with the closing bracket. As in Python, positional
// arguments come first, and no name may be given twice.
func (p *parser) arguments(w *wish) *Fault {
	seen := make(map[string]string)
	for {
		if p.space(); p.take(")") {
			return nil
		}
		name := p.keyword()
		v, f := p.argument()
		if f != nil {
			if f.Cut && f.Field == "" {
				f.Field = name
			}
			return f
		}
		switch {
		case name != "":
			if f := checkUnique(seen, name); f != nil {
				return f
			}
			w.arguments.Add(name, v)
		case len(w.arguments.Fields) > 0:
			return p.broken("an argument without a name comes after one with a name")
		default:
			w.positional = append(w.positional, v)
		}
		if f := p.separator(")"); f != nil {
			return f
		}
	}
}

// keyword steps over the name of a keyword argument, name= or name: followed
// by a space or quotes, and returns it. What else looks like a name (C:\notes,
// a == b) is left for the value.
func (p *parser) keyword() string {
	start := p.i
	name := p.word()
	p.space()
	if name != "" {
		if p.at("=") && !p.at("==") {
			p.i++
			return name
		}
		if p.take(":") {
			if p.at(" ") || p.i < len(p.s) && jsonrepair.Quoted(p.s, p.i) > 0 {
				return name
			}
		}
	}
	p.i = start
	return ""
}

// argument reads a literal, or a bare word or path without quotes up to the
// next comma or closing bracket: small models leave the quotes off. What has
// quotes or brackets in it, such as os.getenv("HOME"), is an expression that a
// model expects to be evaluated, and is refused.
func (p *parser) argument() (jsontree.Value, *Fault) {
	p.space()
	start := p.i
	v, f := p.literal()
	if f != nil && f.Cut {
		return v, f
	}
	after := p.i
	if p.space(); f == nil && (p.at(",") || p.at(")")) {
		return v, nil
	}
	if p.literals {
		return v, f
	}
	if f == nil && v.Kind != jsontree.Number && v.Kind != jsontree.Bool && v.Kind != jsontree.Null {
		return v, nil // the separator will complain
	}
	// Not a literal: look for the end of a bare word, over brackets in pairs.
	p.i = start
	depth := 0
	for ; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; c {
		case '(':
			depth++
			continue
		case ')':
			depth--
		case '"', '\'', '`', '\n', '{', '[':
			p.i = start
			return v, p.broken("expected a text in quotes, a number, true or false")
		case ',':
		default:
			continue
		}
		if depth < 0 || depth == 0 && p.s[p.i] == ',' {
			break
		}
	}
	bare := strings.TrimSpace(p.s[start:p.i])
	if bare == "" || p.i >= len(p.s) {
		p.i = max(start, after)
		return v, p.cut()
	}
	return jsontree.Of(bare), nil
}
