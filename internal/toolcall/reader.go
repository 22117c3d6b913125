package toolcall

import (
	"strings"

	"loci"
)

const (
	// maxMarkup bounds one piece of markup, in bytes. What is longer is refused.
	maxMarkup = 1 << 20
	// maxTries bounds how many closing tags are tried as the end of one piece of
	// markup, which keeps reading linear in the length of the reply.
	maxTries = 8
	// longestMark is more than the length of any mark: a tool's name has at most
	// 64 bytes.
	longestMark = 80
)

// Reader separates a streamed reply into what the person sees, what the model
// thought, and the tool calls in it. How the reply is cut into pieces makes no
// difference. Create one with [NewReader] for each reply.
//
// The Reader is a state machine whose states are methods, called modes: start,
// whole, prose, think, musing, captured, ending and stopped. Each looks at the text that is not
// decided yet, moves what it can to the person, to the thoughts or to the
// calls, and waits for more only when the next bytes can change its mind.
//
// Text inside Markdown code, in a block quote or in quotation marks is prose; only
// code that is the whole reply is not. See Quotable for what the model may quote.
type Reader struct {
	*menu    // what may be called, and how
	quotable // what the model may be quoting

	mode func(r *Reader, final bool) bool // reads from buf; false: needs more
	buf  []byte                           // received and not decided yet

	place   place   // of buf in the layout of the reply
	blocks  blocks  // while the reply seems to be nothing but a call
	markup  markup  // that buf begins with
	calling bool    // the end of buf is in a call, as far as can be told
	undone  int     // how much markup turned out to be prose
	page    page    // what the person has
	thought thought // what the model thought
	found   found   // what it asks for
}

// found is what a reply asks for.
type found struct {
	calls  []loci.ToolCall
	fault  *Fault // the first
	tagged bool   // a call had <parameter> elements
	shy    string // the tool of bare JSON that text follows
}

// blame keeps the first fault. Those after it are often its consequences.
func (f *found) blame(fault *Fault) {
	if f.fault == nil {
		f.fault = fault
	}
}

// any tells whether a call was found, or what should have been one.
func (f *found) any() bool { return len(f.calls) > 0 || f.fault != nil }

// NewReader makes a Reader for one reply to a request that offered these tools.
// Without any, only thoughts are looked for.
func NewReader(offered []loci.ToolSpec) *Reader { return newReader(newMenu(offered), quotable{}) }

// anew makes a Reader for another reply to the same request.
func (r *Reader) anew() *Reader { return newReader(r.menu, r.quotable) }

func newReader(m *menu, q quotable) *Reader {
	return &Reader{menu: m, quotable: q, mode: (*Reader).start, place: freshLine}
}

// Write takes the next piece of the reply and returns what may be shown. Held
// back is only what can still become markup.
func (r *Reader) Write(piece string) (visible string) {
	r.buf = append(r.buf, piece...)
	return r.advance(false)
}

// Close ends the reply. It returns the rest of the visible text, the calls in
// the order they were written, and what was wrong with the first that could
// not be read; there may be both calls and a fault.
func (r *Reader) Close() (visible string, calls []loci.ToolCall, fault *Fault) {
	visible = r.advance(true)
	if !r.found.any() {
		r.found.fault = r.unmarked()
	}
	return visible, r.found.calls, r.found.fault
}

// Reasoning returns the thoughts found since it was last called.
func (r *Reader) Reasoning() string {
	return r.thought.take()
}

// advance lets the modes read what they can and returns what became visible. Final
// says that no more text comes, so nothing needs to be held back.
func (r *Reader) advance(final bool) string {
	for more := true; more; {
		r.calling = false
		more = r.mode(r, final)
	}
	return r.page.take()
}

// Calling tells whether what was written last is part of a call that has not come to its
// end.
func (r *Reader) Calling() bool { return r.calling }

// show moves the first n bytes of buf to the person.
func (r *Reader) show(n int) {
	r.page.add(r.buf[:n])
	r.drop(n)
}

// drop forgets the first n bytes of buf, which were markup.
func (r *Reader) drop(n int) { r.buf = r.buf[n:] }

// prose is the mode of ordinary text. It stops only at the few bytes that
// markup, code and lines can begin with, so text flows through at the speed of
// a search for these.
func (r *Reader) prose(final bool) bool {
	i := 0
	for i < len(r.buf) {
		j := i
		for j < len(r.buf) && r.stops[r.buf[j]] != anywhere && (!r.place.blank || r.stops[r.buf[j]] == nowhere) {
			r.place.blank = r.place.blank && strings.IndexByte(" \t\r", r.buf[j]) >= 0
			j++
		}
		if i = j; i == len(r.buf) {
			break
		}
		switch r.buf[i] {
		case '\n':
			r.place.newLine()
			i++
			continue
		case '>', '|':
			r.place.bar()
			i++
			continue
		case '`', '~':
			if r.place.blank && r.place.code == 0 && r.buf[i] == '`' { // a block that says that it is a call
				r.show(i)
				i = 0
				if m, partial := r.match(r.buf, final); m != nil {
					m.then(r)
					return true
				} else if partial {
					return false
				}
			}
			// A longer run is taken for several, so that none is counted again and again.
			n := countRun(r.buf[i:min(len(r.buf), i+longestMark)], r.buf[i])
			if i+n == len(r.buf) && n < longestMark && !final {
				r.show(i)
				return false
			}
			r.place.fence(r.buf[i], n)
			i += n
			continue
		}
		r.show(i)
		i = 0
		m, partial := r.match(r.buf, final)
		switch {
		case m != nil:
			if !m.keep {
				r.drop(len(m.text))
			}
			m.then(r)
			return true
		case partial:
			return false
		}
		r.place.blank = false
		i++
	}
	r.show(i)
	return false
}

// match finds the mark that b begins with, and tells whether b is the beginning
// of one: then the next bytes decide, unless none come.
func (r *Reader) match(b []byte, final bool) (m *mark, partial bool) {
	if r.place.code != 0 {
		return nil, false
	}
	s := string(b[:min(len(b), longestMark+maxOpening)])
	for _, marks := range r.marks {
		for i := range marks {
			m := &marks[i]
			if m.text[0] != b[0] {
				continue
			}
			rest, ok := strings.CutPrefix(s, m.text)
			switch {
			case m.line && !r.place.blank:
			case ok:
				rest = rest[:min(len(rest), maxOpening)]
				enough := final || len(rest) == maxOpening
				v := isMarkup
				if m.judge != nil {
					v = m.judge(r, rest, enough)
				}
				if v == isMarkup || v == undecided && enough {
					if m.keep && r.quoted() {
						return nil, false
					}
					return m, false
				}
				partial = partial || v == undecided
			case strings.HasPrefix(m.text, s):
				partial = partial || !final
			}
		}
	}
	return nil, partial
}

// resume goes on after markup. As long as nothing was said, a reply after a
// thought can still be nothing but a call.
func (r *Reader) resume() {
	r.mode, r.place = (*Reader).prose, freshLine
	if r.page.empty() && !r.found.any() {
		r.mode = (*Reader).start
	}
}

// isOutput judges the tag of a tool's output: at the beginning of a line a model
// goes on as if it had called, elsewhere it writes about the tag. After a call
// it is never prose.
func (r *Reader) isOutput(rest string, _ bool) verdict {
	switch {
	case r.found.any():
		return isMarkup
	case !r.place.blank:
		return isProse
	}
	return inSentence(rest)
}

// invented handles a tool's output that the model made up: it and all that
// follows from it is worthless.
func (r *Reader) invented() {
	if len(r.found.calls) == 0 {
		r.found.blame(&Fault{Problem: "The reply contains a tool output although no tool was called"})
	}
	r.mode = (*Reader).stopped
}

// stopped is the mode in which the rest of the reply is worthless.
func (r *Reader) stopped(bool) bool {
	r.buf = nil
	return false
}

// ambiguous handles a closing tag left over after a function: the value before
// probably held such tags itself and was taken for shorter than it is.
func (r *Reader) ambiguous() {
	r.found.calls = nil
	r.found.blame(&Fault{Problem: "There is a </parameter> or </function> too many, so it is not certain where the value ends"})
}
