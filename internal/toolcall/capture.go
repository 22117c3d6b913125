package toolcall

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// capture begins the markup of a dialect.
func (r *Reader) capture(d dialect) {
	r.dialect, r.leads, r.at, r.wishes = d, r.blank, 0, nil
	r.from, r.tries, r.failed = len(d.open), 0, nil
	r.scan = brackets{at: len(d.open)}
	if d.keep { // its first bracket may be in the opening
		r.scan.at = 0
	}
	r.mode = (*Reader).captured
}

// captured is the mode inside markup. The first closing tag need not be the end:
// it may stand in a text that the call writes into a file. So each is tried, and
// the first that leaves a complete call wins. Completing a call is left to the
// grammar of the dialect, never to a repair.
func (r *Reader) captured(final bool) bool {
	for {
		before := r.scan
		i, n, ok := r.nextEnd(final)
		if !ok {
			break
		}
		wishes, f := r.dialect.read(r.inside(i))
		if f == nil && len(wishes) > 0 {
			var v verdict
			if v, f = r.standing(wishes, i, i+n, final); v == undecided {
				r.scan = before // this end is looked at again
				return false
			} else if v == isProse {
				return r.giveBack(i + n)
			}
		}
		r.from = i + n
		switch {
		case f == nil:
			return r.accept(wishes)
		case !f.Cut:
			return r.refuse(f, r.from, true)
		}
		switch r.tries++; {
		case n == 0:
			r.failed, r.first = f, r.from
		case r.tries == 1: // the closing tag is there
			r.failed, r.first = f.unclosed(), r.from
		}
		if r.tries == maxTries {
			return r.refuse(r.failed, r.first, true)
		}
	}
	switch {
	case len(r.buf) >= maxMarkup:
		r.refuse(&Fault{Problem: "The call is longer than a megabyte"}, maxMarkup, false)
		if r.fault != nil {
			r.mode = (*Reader).stopped // the end of such a call is not looked for
		}
		return true
	case !final:
		return false
	case r.tries > 0 && r.dialect.close != "\n": // which is no tag
		if r.dialect.close == "" {
			return r.refuse(r.failed, len(r.buf), true)
		}
		return r.refuse(r.failed, r.first, true)
	}
	return r.unended()
}

// inside is the text between the opening of the markup and its end at i.
func (r *Reader) inside(i int) string {
	if r.dialect.keep {
		return string(r.buf[r.at:i])
	}
	return string(r.buf[len(r.dialect.open):i])
}

// unended handles markup that the end of the reply ends. A stop sequence takes
// the closing tag away, so a call that is complete in itself is good without.
// One whose last value has no quotes is not: the tag that ends the value may be
// part of it.
func (r *Reader) unended() bool {
	body := r.inside(len(r.buf))
	f := cutBefore(cmp.Or(r.dialect.close, "its end"))
	if !r.dialect.closed && !strings.HasSuffix(strings.TrimSpace(body), "</parameter>") {
		var wishes []wish
		if wishes, f = r.dialect.read(body); f == nil && len(wishes) > 0 {
			var v verdict
			if v, f = r.standing(wishes, len(r.buf), len(r.buf), true); v == isProse {
				return r.giveBack(len(r.buf))
			}
		}
		if f == nil {
			r.from = len(r.buf)
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
	scan := brackets{at: len(r.dialect.open)}
	end, ok := scan.next(r.buf[:min(len(r.buf), maxMarkup)], false)
	if !ok || end == len(r.buf) {
		return false
	}
	said, output := r.quotable.where(string(r.buf[:end]), r.inside(end))
	return (said || output) && len(r.shown) > 0 || leadsExample(r.before())
}

// accept ends markup that could be read, up to from.
func (r *Reader) accept(wishes []wish) bool {
	if len(wishes) == 0 {
		return r.refuse(&Fault{Problem: "The tool markup is empty"}, r.from, true)
	}
	r.tagged = r.tagged || bytes.Contains(r.buf[r.at:r.from], []byte("<parameter"))
	if r.dialect.last {
		r.wishes, r.parted, r.mode = append(r.wishes, wishes...), false, (*Reader).ending
		return true
	}
	r.take(wishes)
	r.leave(r.from)
	return true
}

// refuse ends markup of n bytes that could not be read. It is a fault if a call
// was meant, and otherwise prose. Ended says that its closing tag was there.
func (r *Reader) refuse(f *Fault, n int, ended bool) bool {
	// What no tag ends and yet does not break off is a text that only began like
	// a call.
	meant := r.leads && (ended || f.Cut) || r.meansOffered(r.inside(n))
	if r.dialect.doubtful || !meant {
		return r.giveBack(n)
	}
	r.blame(f)
	r.leave(n)
	return true
}

// meansOffered tells whether what cannot be read began like a call of an offered
// tool.
func (r *Reader) meansOffered(body string) bool {
	s := strings.TrimLeft(body, space+"[")
	for _, tag := range []string{"<function=", invokeOpen, "<｜tool▁call▁begin｜>", "function<｜tool▁sep｜>"} {
		s = strings.TrimPrefix(s, tag)
	}
	name, _ := leadingName(strings.TrimLeft(s, `"'`))
	return r.offers(name) || r.namesTool(body)
}

// leave drops the first n bytes, which were markup, and goes on behind them.
func (r *Reader) leave(n int) {
	r.drop(n)
	r.behind = true
	r.resume()
}

// giveBack makes prose of markup that was none. There may be a call in what
// follows its opening, so that is read again; but only a few times in a reply,
// which keeps reading linear: later on the whole n bytes are shown as they are.
func (r *Reader) giveBack(n int) bool {
	if r.undone++; r.undone <= maxTries {
		n = len(r.dialect.open)
		r.code = countRun(r.dialect.open, '`')
	}
	r.mode, r.blank = (*Reader).prose, false
	r.show(n)
	return true
}

// ending is the mode behind a call that only counts at the end of the reply. An
// observation behind it is the model's own invention; another bare call belongs to it.
func (r *Reader) ending(final bool) bool {
	rest := bytes.TrimLeft(r.buf[r.from:], space+"`") // the arguments may stand in a fence
	r.parted = r.parted || bytes.IndexByte(r.buf[r.from:len(r.buf)-len(rest)], '\n') >= 0
	r.from = len(r.buf) - len(rest)
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
	if name, after := leadingName(head); r.dialect.doubtful && r.parted && name != "" {
		switch {
		case after == "" && r.mayOffer(name):
			more = true
		case opensCall(after) && r.mayOffer(name) && r.offers(name):
			r.at, r.scan, r.mode = r.from, brackets{at: r.from}, (*Reader).captured
			return true
		}
	}
	switch {
	case r.from >= maxMarkup, head != "" && !invented && (final || !more):
		return r.giveBack(r.from)
	case !invented && !final:
		return false
	}
	if r.dialect.refused != nil {
		r.blame(r.dialect.refused)
	} else {
		r.take(r.wishes)
	}
	r.leave(r.from)
	if invented {
		r.mode = (*Reader).stopped
	}
	return true
}

// unmarked finds fault with a reply in which the model says what it is about to do,
// and ends with a call that is not in the form of one, such as a fenced or bare JSON
// object. It did not run and the person sees it; but the model believes to have called.
func (r *Reader) unmarked() *Fault {
	if len(r.offered) == 0 || len(r.shown) >= maxMarkup {
		return nil
	}
	if r.shy != "" {
		return r.unformed(r.shy)
	}
	reply := strings.TrimSpace(string(r.shown))
	for _, border := range []string{"\n", "{"} {
		i := strings.Index(reply, border)
		if i <= 0 || !announces(reply[:i]) {
			continue
		}
		inner := r.anew()
		visible := inner.Write(reply[i:]) + inner.advance(true)
		if visible == "" && inner.fault == nil && len(inner.calls) > 0 {
			return r.unformed(inner.calls[0].Name)
		}
	}
	return nil
}

// unformed is the fault of a call that may be an example.
func (r *Reader) unformed(name string) *Fault {
	f := &Fault{Tool: name, Problem: "The reply has a call that is not in the form of one, so it was taken for an example and did not run"}
	if s, err := r.schema(name); err == nil {
		s.blame(f, value{})
	}
	return f
}

// intends finds that somebody is about to do something: in the languages
// that the runtime itself understands: English, Chinese and Czech. What would, could or might
// be done is an example.
var intends = regexp.MustCompile(`(?i)\b(?:I(?: will|'ll|’ll| am going to|'m going to|’m going to| need to| am now| now)|let(?: me|'s|’s| us)|we(?: will|'ll|’ll))\b|` +
	`我来|我來|我将|我將|我会|我會|我要|我先|我需要|我现在|我現在|让我|讓我|我们来|我們來|` +
	`(?i)\b(?:podívám se|zkusím|přečtu|zjistím|použiju|použiji|zavolám|spustím|vypíšu|otevřu|najdu|spočítám|ověřím)(?:[^\pL]|$)`)

// announces tells whether a text is at most one sentence in which somebody is about to
// do something.
func announces(s string) bool {
	s = strings.TrimRight(s, space+".:!…。：！")
	return len(s) <= 300 && intends.MatchString(s) && !strings.Contains(s, "```") && !strings.ContainsAny(s, "?？。！\n") &&
		!strings.Contains(s, ". ") && !strings.Contains(s, "! ")
}
