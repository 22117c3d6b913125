package toolcall

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"loci/internal/jsontree"
)

const (
	// maxOpening is how much of a text is held back at most, in bytes, to tell
	// whether it is the beginning of a call.
	maxOpening = 200
	// maxInfo is more than the length of any word behind a code fence that may
	// stand for a call.
	maxInfo = 12
	// quoting are the characters that may begin and end a name in JSON.
	quoting = `"'“”‘’`
)

// start is the mode at the beginning of the reply, where a reply that is
// nothing but a call is recognised. A few characters decide: a JSON answer to
// the person begins with other names, or names no offered tool.
func (r *Reader) start(final bool) bool {
	r.buf = bytes.TrimLeft(r.buf, space)
	if len(r.buf) == 0 {
		return false
	}
	// Only the first bytes count, however many came at once: the judgement must
	// not depend on how the reply was cut.
	s := string(r.buf[:min(len(r.buf), maxOpening)])
	v := isProse
	if len(r.specs) > 0 {
		v = r.wholeCall(s)
	}
	if v == undecided && !final && len(r.buf) < maxOpening {
		return false
	}
	switch {
	case v != isMarkup:
		r.mode = (*Reader).prose
	case s[0] == '`' || s[0] == '{' || s[0] == '[':
		r.mode, r.blocks = (*Reader).whole, blocks{}
	default:
		name, rest := leadingName(s)
		if !opensCall(rest) { // an object behind the name
			r.mode, r.blocks = (*Reader).whole, blocks{}
			return true
		}
		if rest[0] != '(' { // a fullwidth one
			name += rest[:len("（")]
		} else {
			name += "("
		}
		r.capture(bareCall(name))
	}
	return true
}

// whole is the mode of a reply that seems to be nothing but a call. Whether it
// is shows only at its end: what follows a block makes it an example.
func (r *Reader) whole(final bool) bool {
	r.calling = true
	if len(r.buf) > maxMarkup || r.goesOn() {
		r.mode = (*Reader).prose
		return true
	}
	if !final {
		return false
	}
	r.mode = (*Reader).prose
	if r.onlyCall(string(r.buf)) {
		r.buf = nil
	}
	return true
}

// blocks are the code blocks that the undecided text begins with.
type blocks struct {
	at   int // where the last one begins
	from int // where to look for its end
}

// goesOn tells whether something other than more such code blocks follows the one that
// the reply begins with: then it need not be held back any longer.
func (r *Reader) goesOn() bool {
	b := &r.blocks
	for {
		n := countRun(r.buf[b.at:], '`')
		if n < 3 {
			return false
		}
		fence := r.buf[b.at : b.at+n]
		b.from = max(b.from, b.at+n)
		i := bytes.Index(r.buf[b.from:], fence)
		if i < 0 {
			b.from = max(b.from, len(r.buf)-n+1)
			return false
		}
		b.from += i
		rest := bytes.TrimLeft(r.buf[b.from+n:], space)
		switch v := r.wholeCall(string(rest[:min(len(rest), maxOpening)])); {
		case len(rest) == 0, v == undecided && len(rest) < maxOpening && rest[0] == '`':
			return false
		case v != isMarkup || countRun(rest, '`') < 3:
			return true
		}
		b.at = len(r.buf) - len(rest)
		b.from = b.at
	}
}

// codeBlock is the inside of a code fence, and the word behind the fence.
type codeBlock struct{ info, text string }

// codeBlocks are the blocks that s consists of, or s itself where it has no fence. There
// are none where something stands between them.
func codeBlocks(s string) (blocks []codeBlock) {
	if countRun(s, '`') == 0 {
		return []codeBlock{{text: s}}
	}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		n := countRun(s, '`')
		if n == 0 {
			return nil
		}
		fence := s[:n]
		var b codeBlock
		b.text, s, _ = strings.Cut(s[n:], fence)
		if n >= 3 {
			b.info, b.text, _ = strings.Cut(b.text, "\n")
		}
		b.info, b.text = strings.TrimSpace(b.info), strings.TrimSpace(b.text)
		blocks = append(blocks, b)
	}
	return blocks
}

// onlyCall reads a reply that is nothing but calls, and tells whether it is. A call
// of an offered tool that cannot be read is a fault, and not shown; JSON that is
// something else is the person's.
func (r *Reader) onlyCall(s string) bool {
	blocks := codeBlocks(trimEnds(strings.TrimPrefix(strings.TrimSpace(s), functionary), closings))
	if len(blocks) == 1 && s[0] == '`' && r.markupCall(blocks[0].text) == isMarkup {
		return r.onlyMarkup(blocks[0].text)
	}
	var all []wish
	for _, b := range blocks {
		wishes, f := readWhole(b.text)
		if f != nil && (!r.names(b, f) || r.beforeText(b.text)) {
			return false
		}
		if f != nil {
			r.take(all)
			r.found.blame(f)
			return true
		}
		if !r.areCalls(wishes, b) {
			return false
		}
		all = append(all, wishes...)
	}
	r.take(all)
	return len(all) > 0
}

// areCalls tells whether what a block holds is meant as calls of offered tools.
func (r *Reader) areCalls(wishes []wish, b codeBlock) bool {
	object := b.text != "" && (b.text[0] == '{' || b.text[0] == '[')
	for _, w := range wishes {
		if !r.offers(w.name) || (w.keyed || !object) && !r.fits(w) || len(wishes) > 1 && w.arguments.Kind == jsontree.Null && len(w.positional) == 0 {
			return false
		}
	}
	// What the person reads then is a piece of a file, or of what they wrote.
	said, output := r.quotable.where(b.text, b.text)
	return !said && !output
}

// names tells whether a block that cannot be read was meant as a call of an offered
// tool.
func (m *menu) names(b codeBlock, f *Fault) bool {
	name, rest := leadingName(b.text)
	return m.namesTool(b.text) || f.Cut && m.offers(name) && strings.HasPrefix(strings.TrimLeft(rest, space), "{")
}

// fits tells whether the arguments are all parameters of the tool, and fit. Most JSON
// with the name of a tool as its key is data, or a list of tools.
func (m *menu) fits(w wish) bool {
	for _, f := range w.arguments.Fields {
		if !m.hasParameter(w.name, f.Name) {
			return false
		}
	}
	_, f := m.check(w)
	return f == nil
}

// beforeText tells whether s is a JSON call and a text behind it. It may be an example,
// so the person sees it; if it could run, the model hears that it did not.
func (r *Reader) beforeText(s string) bool {
	p := newParser(s)
	v, f := p.value()
	if p.space(); f != nil || p.i == len(p.s) || strings.IndexByte("{[,;", p.s[p.i]) >= 0 {
		return false
	}
	for _, w := range wishesOf(&v) {
		if c, f := r.check(w); f == nil {
			r.found.shy = c.Name
		}
	}
	return true
}

// readWhole reads the JSON or the literal calls that a whole reply consists of.
func readWhole(s string) ([]wish, *Fault) {
	if name, rest := leadingName(s); strings.HasPrefix(strings.TrimLeft(rest, space), argumentKey) {
		return readPairs(name, strings.TrimSpace(rest))
	}
	if begin := strings.TrimLeft(s, space+"["); begin != "" && begin[0] != '{' {
		return readLiterals(s)
	}
	return readJSON(s)
}

// toolName finds the name in a call whose JSON cannot be read. It only decides
// whether there is something to complain about.
var toolName = regexp.MustCompile(`["']?(?:` + strings.Join(nameKeys, "|") + `)["']?\s*:\s*["']([^"'\n]{1,80})`)

// namesTool tells whether broken JSON was meant as a call of an offered tool. The
// name stands near its beginning, or the search would cost more than the reading.
func (m *menu) namesTool(s string) bool {
	found := toolName.FindStringSubmatch(s[:min(len(s), 20*maxOpening)])
	return found != nil && m.offers(strings.TrimSpace(found[1]))
}

// onlyMarkup reads markup that stood alone in a code fence, where small models
// put it because their prompt showed it in one.
func (r *Reader) onlyMarkup(s string) bool {
	inner := r.anew()
	visible := inner.Write(s)
	rest, calls, fault := inner.Close()
	if visible+rest != "" || len(calls) == 0 && fault == nil {
		return false
	}
	r.found.calls = append(r.found.calls, calls...)
	if fault != nil {
		r.found.blame(fault)
	}
	return true
}

// wholeCall judges whether a reply that begins with s may be nothing but a
// call, written as JSON, as name(…), or in a code fence. The languages that a
// fence may name are those that models put on calls. Bash is a program for
// the person, and so is Python that is anything but a call that fits.
func (m *menu) wholeCall(s string) verdict {
	if n := countRun(s, '`'); n > 0 {
		if n == len(s) {
			return undecided
		}
		s = s[n:]
		if n >= 3 {
			info, rest, ok := strings.Cut(s, "\n")
			switch info = strings.TrimSpace(info); {
			case len(info) > maxInfo || strings.ContainsAny(info, " {"):
				return isProse
			case !ok:
				return undecided
			case !slices.Contains([]string{"", "json", "jsonc", "json5", "xml", "text", "tool", "tool_call", "python"}, info):
				return isProse
			}
			s = rest
		}
		if s = strings.TrimLeft(s, space); s == "" {
			return undecided
		}
		if v := m.markupCall(s); v != isProse || s[0] == '<' {
			return v
		}
	}
	if strings.HasPrefix(functionary, s) {
		return undecided
	}
	s, function := strings.CutPrefix(s, functionary)
	inner := strings.TrimLeft(s, space+"[")
	switch {
	case inner == "":
		return undecided
	case inner[0] == '{':
		return m.objectCall(inner)
	case s[0] == '[':
		return isProse
	}
	name, rest := leadingName(s)
	switch after := strings.TrimLeft(rest, space); {
	case !m.mayOffer(name):
		return isProse
	case after == "", strings.HasPrefix(argumentKey, after):
		return undecided
	case opensCall(rest) && !function, after[0] == '{', strings.HasPrefix(after, argumentKey):
		return markupIf(m.offers(name))
	}
	return isProse
}

// functionary is what Functionary 3.2 writes before the name of a function.
const functionary = ">>>"

// markupCall judges the inside of a code fence that begins with a tag.
func (m *menu) markupCall(s string) verdict {
	v := isProse
	for _, marks := range m.marks[1:] {
		for _, mark := range marks {
			switch {
			case mark.keep && strings.HasPrefix(s, mark.text):
				return isMarkup
			case mark.keep && strings.HasPrefix(mark.text, s):
				v = undecided
			}
		}
	}
	return v
}

// objectCall judges a JSON object by its first field. If that is the name, it
// must be an offered one; if it is another part of a call, the name comes later
// and the reply is held back until then.
func (m *menu) objectCall(s string) verdict {
	key, rest, ok := strings.Cut(strings.TrimLeft(s[1:], space), ":")
	key = strings.Trim(key, quoting+space)
	switch {
	case !ok && len(key) <= longestMark:
		return undecided
	case slices.Contains(argumentKeys, key), slices.Contains(otherKeys, key), slices.Contains(listKeys, key):
		return isMarkup
	}
	rest = strings.TrimLeft(rest, space)
	switch {
	case !slices.Contains(nameKeys, key) && !m.offers(key):
		return isProse
	case rest == "":
		return undecided
	case rest[0] == '{':
		return isMarkup
	case !slices.Contains(nameKeys, key):
		return isProse
	}
	name := strings.TrimLeft(rest, quoting)
	end := strings.IndexAny(name, quoting+"\n,}")
	switch {
	case end < 0:
		return undecided
	case m.offers(strings.TrimSpace(name[:end])):
		return isMarkup
	}
	return isProse
}

// countRun counts how often c is repeated at the beginning of s.
func countRun[S string | []byte](s S, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}
