package toolcall

import (
	"bytes"
	"strings"
)

// capture begins the markup of a dialect.
func (r *Reader) capture(d dialect) {
	r.dialect, r.began = d, r.blank
	r.from, r.tries, r.failed = len(d.open), 0, nil
	r.mode = (*Reader).captured
}

// captured is the mode inside markup. The first closing tag need not be the end:
// it may stand in a text that the call writes into a file. So each is tried, and
// the first that leaves a complete call wins. Completing a call is left to the
// grammar of the dialect, never to a repair.
func (r *Reader) captured(final bool) bool {
	end := []byte(r.dialect.close)
	for {
		i := bytes.Index(r.buf[r.from:min(len(r.buf), maxMarkup)], end)
		if i < 0 {
			break
		}
		i += r.from
		wishes, f := r.dialect.read(r.inside(i))
		if f == nil && r.doubts(wishes) {
			// Whether a sentence goes on shows in the next byte.
			switch next := r.buf[i+len(end):]; {
			case len(next) == 0 && !final:
				return false
			case len(next) > 0 && next[0] != '\r' && next[0] != '\n':
				return r.giveBack(i + len(end))
			}
		}
		r.from = i + len(end)
		switch {
		case f == nil:
			return r.accept(wishes)
		case !f.Cut:
			return r.refuse(f, r.from, true)
		}
		if r.tries++; r.tries == 1 {
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
		r.from = max(r.from, len(r.buf)-len(end)+1)
		return false
	case r.tries > 0:
		return r.refuse(r.failed, r.first, true)
	}
	return r.unended()
}

// inside is the text between the opening of the markup and its end at i.
func (r *Reader) inside(i int) string {
	if r.dialect.keep {
		return string(r.buf[:i])
	}
	return string(r.buf[len(r.dialect.open):i])
}

// unended handles markup that the end of the reply ends. A stop sequence takes
// the closing tag away, so a call that is complete in itself is good without.
// One whose last value has no quotes is not: the tag that ends the value may be
// part of it.
func (r *Reader) unended() bool {
	body := r.inside(len(r.buf))
	f := &Fault{Cut: true, Problem: "The call breaks off before " + r.dialect.close}
	if !r.dialect.closed && !strings.HasSuffix(strings.TrimSpace(body), "</parameter>") {
		var wishes []wish
		if wishes, f = r.dialect.read(body); f == nil {
			r.from = len(r.buf)
			return r.accept(wishes)
		}
	}
	return r.refuse(f, len(r.buf), false)
}

// accept ends markup that could be read, up to from.
func (r *Reader) accept(wishes []wish) bool {
	if len(wishes) == 0 {
		return r.refuse(&Fault{Problem: "The tool markup is empty"}, r.from, true)
	}
	r.tagged = r.tagged || bytes.Contains(r.buf[:r.from], []byte("<parameter"))
	if r.dialect.last {
		r.wishes, r.mode = wishes, (*Reader).ending
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
	meant := r.began && (ended || f.Cut) || r.meansOffered(r.inside(n))
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
	}
	r.mode, r.blank = (*Reader).prose, false
	r.show(n)
	return true
}

// doubts tells whether wishes may be an example in a sentence: they do not begin
// the line, and no tool of theirs is offered.
func (r *Reader) doubts(wishes []wish) bool {
	for _, w := range wishes {
		if r.offers(w.name) {
			return false
		}
	}
	return !r.began
}

// ending is the mode behind a call that only counts at the end of the reply. An
// observation behind it is the model's own invention.
func (r *Reader) ending(final bool) bool {
	const observation = "Observation:"
	rest := bytes.TrimLeft(r.buf[r.from:], space)
	r.from = len(r.buf) - len(rest)
	head := string(rest[:min(len(rest), len(observation))])
	invented := head == observation
	switch {
	case head != "" && (final && !invented || !strings.HasPrefix(observation, head)), r.from >= maxMarkup:
		return r.giveBack(r.from)
	case !invented && !final:
		return false
	}
	r.take(r.wishes)
	r.leave(r.from)
	if invented {
		r.mode = (*Reader).stopped
	}
	return true
}

// unmarked finds fault with a reply of one sentence and a call that is not in
// the form of one: a fenced or bare JSON object, say. It may be an example, so
// it did not run and the person sees it; or the model believes to have called.
func (r *Reader) unmarked() *Fault {
	if len(r.offered) == 0 || len(r.shown) >= maxMarkup {
		return nil
	}
	reply := strings.TrimSpace(string(r.shown))
	for _, border := range []string{"\n", "{"} {
		i := strings.Index(reply, border)
		if i <= 0 || !announces(reply[:i]) {
			continue
		}
		inner := r.anew()
		visible := inner.Write(reply[i:]) + inner.advance(true)
		if visible != "" || inner.fault != nil || len(inner.calls) == 0 {
			continue
		}
		f := &Fault{
			Tool:    inner.calls[0].Name,
			Problem: "The reply ends with a call that is not in the form of one, so it was taken for an example and did not run",
		}
		if s, err := r.schema(f.Tool); err == nil {
			f.example = s.marked()
		}
		return f
	}
	return nil
}

// announces tells whether a text is at most one sentence, and no question.
func announces(s string) bool {
	s = strings.TrimRight(s, space+".:!…。：！")
	return len(s) <= 300 && !strings.Contains(s, "```") && !strings.ContainsAny(s, "?？。！\n") &&
		!strings.Contains(s, ". ") && !strings.Contains(s, "! ")
}
