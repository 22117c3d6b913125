package toolcall

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"loci/internal/jsontree"
	"loci/internal/lang"
)

// markup is a piece of markup that is being read.
type markup struct {
	dialect dialect
	leads   bool     // it is the first in its line
	at      int      // where in the undecided text it begins: not at 0 behind another bare call
	from    int      // where to look for its end
	scan    brackets // of it
	tries   int      // ends found at which no call was complete
	first   int      // where the text after the first of them begins
	failed  *Fault   // what was wrong with ending it there
	wishes  []wish   // read, and waiting for the reply to end
	parted  bool     // by a line break from what follows
}

// capture begins the markup of a dialect.
func (r *Reader) capture(d dialect) {
	r.markup = markup{dialect: d, leads: r.place.blank, from: len(d.open), scan: brackets{at: len(d.open)}}
	if d.keep { // its first bracket may be in the opening
		r.markup.scan.at = 0
	}
	r.mode = (*Reader).captured
}

// captured is the mode inside markup. The first closing tag need not be the end:
// it may stand in a text that the call writes into a file. So each is tried, and
// the first that leaves a complete call wins. Completing a call is left to the
// grammar of the dialect, never to a repair.
func (r *Reader) captured(final bool) bool {
	r.calling = true
	m := &r.markup
	for {
		before := m.scan
		i, n, ok := m.end(r.buf, final)
		if !ok {
			break
		}
		wishes, f := m.dialect.read(m.inside(r.buf, i))
		if f == nil && len(wishes) > 0 {
			var v verdict
			if v, f = r.standing(wishes, i, i+n, final); v == undecided {
				m.scan = before // this end is looked at again
				return false
			} else if v == isProse {
				return r.giveBack(i + n)
			}
		}
		m.from = i + n
		switch {
		case f == nil:
			return r.accept(wishes)
		case !f.Cut:
			return r.refuse(f, m.from, true)
		}
		switch m.tries++; {
		case n == 0:
			m.failed, m.first = f, m.from
		case m.tries == 1: // the closing tag is there
			m.failed, m.first = f.unclosed(), m.from
		}
		if m.tries == maxTries {
			return r.refuse(m.failed, m.first, true)
		}
	}
	switch {
	case len(r.buf) >= maxMarkup:
		r.refuse(&Fault{Problem: "The call is longer than a megabyte"}, maxMarkup, false)
		if r.found.fault != nil {
			r.mode = (*Reader).stopped // the end of such a call is not looked for
		}
		return true
	case !final:
		return false
	case m.tries > 0 && m.dialect.close != "\n": // which is no tag
		if m.dialect.close == "" {
			return r.refuse(m.failed, len(r.buf), true)
		}
		return r.refuse(m.failed, m.first, true)
	}
	return r.unended()
}

// inside is the text of buf between the opening of the markup and its end at i.
func (m *markup) inside(buf []byte, i int) string {
	if m.dialect.keep {
		return string(buf[m.at:i])
	}
	return string(buf[len(m.dialect.open):i])
}

// unended handles markup that the end of the reply ends. A stop sequence takes
// the closing tag away, so a call that is complete in itself is good without.
// One whose last value has no quotes is not: the tag that ends the value may be
// part of it.
func (r *Reader) unended() bool {
	m := &r.markup
	body := m.inside(r.buf, len(r.buf))
	f := cutBefore(cmp.Or(m.dialect.close, "its end"))
	if !m.dialect.closed && !strings.HasSuffix(strings.TrimSpace(body), "</parameter>") {
		var wishes []wish
		if wishes, f = m.dialect.read(body); f == nil && len(wishes) > 0 {
			var v verdict
			if v, f = r.standing(wishes, len(r.buf), len(r.buf), true); v == isProse {
				return r.giveBack(len(r.buf))
			}
		}
		if f == nil {
			m.from = len(r.buf)
			return r.accept(wishes)
		}
		if r.quotesBefore() {
			return r.giveBack(len(r.buf))
		}
	}
	return r.refuse(f, len(r.buf), false)
}

// quotesBefore tells whether markup that no tag ends and text follows is a quotation up
// to where its brackets end.
func (r *Reader) quotesBefore() bool {
	scan := brackets{at: len(r.markup.dialect.open)}
	end, ok := scan.next(r.buf[:min(len(r.buf), maxMarkup)], false)
	if !ok || end == len(r.buf) {
		return false
	}
	said, output := r.quotable.where(string(r.buf[:end]), r.markup.inside(r.buf, end))
	return (said || output) && !r.page.empty() || leadsExample(r.page.before())
}

// accept ends markup that could be read, up to from.
func (r *Reader) accept(wishes []wish) bool {
	m := &r.markup
	if len(wishes) == 0 {
		return r.refuse(&Fault{Problem: "The tool markup is empty"}, m.from, true)
	}
	r.found.tagged = r.found.tagged || bytes.Contains(r.buf[m.at:m.from], []byte("<parameter"))
	if m.dialect.last {
		m.wishes, m.parted, r.mode = append(m.wishes, wishes...), false, (*Reader).ending
		return true
	}
	r.take(wishes)
	r.leave(m.from)
	return true
}

// refuse ends markup of n bytes that could not be read. It is a fault if a call
// was meant, and otherwise prose. Ended says that its closing tag was there.
func (r *Reader) refuse(f *Fault, n int, ended bool) bool {
	// What no tag ends and yet does not break off is a text that only began like
	// a call.
	meant := r.markup.leads && (ended || f.Cut) || r.meansOffered(r.markup.inside(r.buf, n))
	if r.markup.dialect.doubtful || !meant {
		return r.giveBack(n)
	}
	r.found.blame(f)
	r.leave(n)
	return true
}

// meansOffered tells whether what cannot be read began like a call of an offered
// tool.
func (m *menu) meansOffered(body string) bool {
	s := strings.TrimLeft(body, space+"[")
	for _, tag := range []string{"<function=", invokeOpen, "<｜tool▁call▁begin｜>", "function<｜tool▁sep｜>"} {
		s = strings.TrimPrefix(s, tag)
	}
	name, _ := leadingName(strings.TrimLeft(s, `"'`))
	return m.offers(name) || m.namesTool(body)
}

// leave drops the first n bytes, which were markup, and goes on behind them.
func (r *Reader) leave(n int) {
	r.drop(n)
	r.page.behind = true
	r.resume()
}

// giveBack makes prose of markup that was none. There may be a call in what
// follows its opening, so that is read again; but only a few times in a reply,
// which keeps reading linear: later on the whole n bytes are shown as they are.
func (r *Reader) giveBack(n int) bool {
	if r.undone++; r.undone <= maxTries {
		n = len(r.markup.dialect.open)
		r.place.code = countRun(r.markup.dialect.open, '`')
	}
	r.mode, r.place.blank = (*Reader).prose, false
	r.show(n)
	return true
}

// ending is the mode behind a call that only counts at the end of the reply. An
// observation behind it is the model's own invention; another bare call belongs to it.
func (r *Reader) ending(final bool) bool {
	r.calling = true
	m := &r.markup
	rest := bytes.TrimLeft(r.buf[m.from:], space+"`") // the arguments may stand in a fence
	m.parted = m.parted || bytes.IndexByte(r.buf[m.from:len(r.buf)-len(rest)], '\n') >= 0
	m.from = len(r.buf) - len(rest)
	head := string(rest[:min(len(rest), maxOpening)])
	invented, more := false, head == ""
	for _, o := range slices.Concat(observations, endTokens) {
		invented = invented || strings.HasPrefix(head, o)
		more = more || strings.HasPrefix(o, head)
	}
	for _, end := range closings { // one that lost its opening, and nothing behind it
		after, ok := strings.CutPrefix(head, end)
		ok = ok && len(rest) < maxOpening && strings.Trim(after, space) == ""
		invented, more = invented || ok && final, more || ok || strings.HasPrefix(end, head)
	}
	if name, after := leadingName(head); m.dialect.doubtful && m.parted && name != "" {
		switch {
		case after == "" && r.mayOffer(name):
			more = true
		case opensCall(after) && r.mayOffer(name) && r.offers(name):
			m.at, m.scan, r.mode = m.from, brackets{at: m.from}, (*Reader).captured
			return true
		}
	}
	switch {
	case m.from >= maxMarkup, head != "" && !invented && (final || !more):
		return r.giveBack(m.from)
	case !invented && !final:
		return false
	}
	if m.dialect.refused != nil {
		r.found.blame(m.dialect.refused)
	} else {
		r.take(m.wishes)
	}
	r.leave(m.from)
	if invented {
		r.mode = (*Reader).stopped
	}
	return true
}

// unmarked finds fault with a reply in which the model says what it is about to do,
// and ends with a call that is not in the form of one, such as a fenced or bare JSON
// object. It did not run and the person sees it; but the model believes to have called.
func (r *Reader) unmarked() *Fault {
	if len(r.specs) == 0 || len(r.page.all) >= maxMarkup {
		return nil
	}
	if r.found.shy != "" {
		return r.unformed(r.found.shy)
	}
	reply := strings.TrimSpace(string(r.page.all))
	for _, border := range []string{"\n", "{"} {
		i := strings.Index(reply, border)
		if i <= 0 || !announces(reply[:i]) {
			continue
		}
		inner := r.anew()
		visible := inner.Write(reply[i:]) + inner.advance(true)
		if visible == "" && inner.found.fault == nil && len(inner.found.calls) > 0 {
			return r.unformed(inner.found.calls[0].Name)
		}
	}
	return nil
}

// unformed is the fault of a call that may be an example.
func (r *Reader) unformed(name string) *Fault {
	f := &Fault{Tool: name, Problem: "The reply has a call that is not in the form of one, so it was taken for an example and did not run"}
	if s, err := r.schema(name); err == nil {
		s.blame(f, jsontree.Value{})
	}
	return f
}

// intends finds that somebody is about to do something.
var intends = regexp.MustCompile(`(?i)\b(?:` + lang.ActingEN + `)\b|` + lang.ActingZH + `|\b(?:` + lang.ActingCS + `)(?:[^\pL]|$)`)

// announces tells whether a text is at most one sentence in which somebody is about to
// do something.
func announces(s string) bool {
	s = strings.TrimRight(s, space+".:!…。：！")
	return len(s) <= 300 && intends.MatchString(s) && !strings.Contains(s, "```") && !strings.ContainsAny(s, "?？。！\n") &&
		!strings.Contains(s, ". ") && !strings.Contains(s, "! ")
}
