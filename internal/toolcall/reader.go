package toolcall

import (
	"bytes"
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
	offered []loci.ToolSpec
	schemas map[string]*Schema
	marks   [][]mark   // thoughts, calls and what is left over from them, names of offered tools
	stops   *[256]stop // the bytes that marks, code, block quotes and lines begin with
	quotable

	mode func(r *Reader, final bool) bool // reads from buf; false: needs more
	buf  []byte                           // received and not decided yet
	out  strings.Builder                  // visible since the last Write

	shown []byte // the visible text so far, or a megabyte of it
	tail  []byte // its end
	blank bool   // nothing but white space so far in this line
	block bool   // the rest of this line is a quotation
	code  int    // backticks that opened the code that buf begins in; below zero, tildes

	until   []string // what ends the thought that buf begins in
	channel bool     // the reply has channels, as Harmony's have

	dialect dialect  // whose markup buf begins with
	scan    brackets // of it
	leads   bool     // it is the first in its line
	at      int      // where in buf it begins: not at 0 behind another bare call
	from    int      // where in buf to look for its end
	tries   int      // closing tags found that did not end it
	first   int      // where the text after the first of them begins
	failed  *Fault   // what was wrong with ending it there
	wishes  []wish   // read, and waiting for the reply to end
	parted  bool     // by a line break from what follows
	undone  int      // how much markup turned out to be prose
	behind  bool     // nothing but white space since the last markup
	tagged  bool     // a call had <parameter> elements
	shy     string   // the tool of bare JSON that text follows

	thought strings.Builder
	calls   []loci.ToolCall
	fault   *Fault
}

// stop says where a byte may begin something other than prose.
type stop uint8

const (
	nowhere stop = iota
	lineStart
	anywhere
)

// NewReader makes a Reader for one reply to a request that offered these tools.
// Without any, only thoughts are looked for.
func NewReader(offered []loci.ToolSpec) *Reader {
	r := &Reader{offered: offered, mode: (*Reader).start, blank: true}
	r.marks = append(r.marks, thoughtMarks)
	if len(offered) > 0 {
		r.marks = append(r.marks, callMarks)
		for _, t := range offered {
			r.marks = append(r.marks, marksOf(t.Name))
		}
	}
	r.stops = new([256]stop)
	r.stops['\n'], r.stops['`'] = anywhere, anywhere
	r.stops['>'], r.stops['|'], r.stops['~'] = lineStart, lineStart, lineStart
	for _, marks := range r.marks {
		for _, m := range marks {
			if s := &r.stops[m.text[0]]; !m.line {
				*s = anywhere
			} else if *s == nowhere {
				*s = lineStart
			}
		}
	}
	return r
}

// anew makes a Reader for another reply to the same request.
func (r *Reader) anew() *Reader {
	return &Reader{offered: r.offered, marks: r.marks, stops: r.stops, quotable: r.quotable, mode: (*Reader).start, blank: true}
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
	if len(r.calls) == 0 && r.fault == nil {
		r.fault = r.unmarked()
	}
	return visible, r.calls, r.fault
}

// Reasoning returns the thoughts found since it was last called.
func (r *Reader) Reasoning() string {
	s := r.thought.String()
	r.thought.Reset()
	return s
}

// advance lets the modes read what they can and returns what became visible. Final
// says that no more text comes, so nothing needs to be held back.
func (r *Reader) advance(final bool) string {
	for r.mode(r, final) {
	}
	s := r.out.String()
	r.out.Reset()
	return s
}

// show moves the first n bytes of buf to the person. White space before the
// first word is dropped: it is what is left between a thought and the reply.
func (r *Reader) show(n int) {
	s := r.buf[:n]
	if len(r.shown) == 0 {
		s = bytes.TrimLeft(s, space)
	}
	r.behind = r.behind && len(bytes.TrimLeft(s, space)) == 0
	r.out.Write(s)
	r.remember(s)
	if len(r.shown) < maxMarkup {
		r.shown = append(r.shown, s...)
	}
	r.buf = r.buf[n:]
}

// drop forgets the first n bytes of buf, which were markup.
func (r *Reader) drop(n int) { r.buf = r.buf[n:] }

// blame keeps the first fault. Those after it are often its consequences.
func (r *Reader) blame(f *Fault) {
	if r.fault == nil {
		r.fault = f
	}
}

// prose is the mode of ordinary text. It stops only at the few bytes that
// markup, code and lines can begin with, so text flows through at the speed of
// a search for these.
func (r *Reader) prose(final bool) bool {
	i := 0
	for i < len(r.buf) {
		j := i
		for j < len(r.buf) && r.stops[r.buf[j]] != anywhere && (!r.blank || r.stops[r.buf[j]] == nowhere) {
			r.blank = r.blank && strings.IndexByte(" \t\r", r.buf[j]) >= 0
			j++
		}
		if i = j; i == len(r.buf) {
			break
		}
		switch r.buf[i] {
		case '\n':
			r.blank, r.block = true, false
			if r.code > 0 && r.code < 3 {
				r.code = 0 // an open backtick in a line was just a backtick
			}
			i++
			continue
		case '>', '|':
			r.block = r.block || r.blank // a block quote of Markdown, or a row of a table
			r.blank = false
			i++
			continue
		case '`', '~':
			if r.blank && r.code == 0 && r.buf[i] == '`' { // a block that says that it is a call
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
			if r.buf[i] == '`' {
				r.backticks(n)
			} else {
				r.tildes(n)
			}
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
		r.blank = false
		i++
	}
	r.show(i)
	return false
}

// backticks follows Markdown's rule for code: as many backticks as opened it
// close it, and a block that three or more opened is closed by no fewer.
func (r *Reader) backticks(n int) {
	switch {
	case r.code == 0:
		r.code = n
	case n == r.code, r.code >= 3 && n > r.code:
		r.code = 0
	}
	r.blank = false
}

// tildes follows Markdown's rule for the other fence of code: three tildes or more at
// the beginning of a line open it, and as many or more close it. Code counts them
// below zero.
func (r *Reader) tildes(n int) {
	switch {
	case r.blank && n >= 3 && r.code == 0:
		r.code = -n
	case r.blank && r.code < 0 && n >= -r.code:
		r.code = 0
	}
	r.blank = false
}

// match finds the mark that b begins with, and tells whether b is the beginning
// of one: then the next bytes decide, unless none come.
func (r *Reader) match(b []byte, final bool) (m *mark, partial bool) {
	if r.code != 0 {
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
			case m.line && !r.blank:
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

// think is the mode inside a thought. Markup in it counts for nothing. A thought
// that does not end is a reply that was cut, and has no calls.
func (r *Reader) think(final bool) bool {
	i, end := r.ends(final)
	r.thought.Write(r.buf[:i])
	r.drop(i)
	if end == "" {
		return false
	}
	if end != "<|start|>" && end != "<|channel|>" { // these begin what follows
		r.drop(len(end))
	}
	r.resume()
	return true
}

// musing is the mode inside an element whose name says that it is a thought, but
// which the person may have asked for: it is shown, and markup in it counts for
// nothing.
func (r *Reader) musing(final bool) bool {
	i, end := r.ends(final)
	r.show(i + len(end))
	r.mode, r.blank = (*Reader).prose, false
	if end == "" {
		r.mode = (*Reader).musing
	}
	return end != ""
}

// ends finds what ends a thought. Without one it is empty, and i bytes surely hold
// no beginning of it.
func (r *Reader) ends(final bool) (i int, end string) {
	for i < len(r.buf) {
		j := bytes.IndexAny(r.buf[i:], "<[") // which all of them begin with
		if j < 0 {
			break
		}
		i += j
		for _, mark := range r.until {
			switch rest := r.buf[i:min(len(r.buf), i+len(mark))]; {
			case string(rest) == mark:
				return i, mark
			case !final && strings.HasPrefix(mark, string(rest)):
				return i, ""
			}
		}
		i++
	}
	return len(r.buf), ""
}

// resume goes on after markup. As long as nothing was said, a reply after a
// thought can still be nothing but a call.
func (r *Reader) resume() {
	r.mode, r.blank, r.block, r.code = (*Reader).prose, true, false, 0 // as at the beginning of a line
	if len(r.shown) == 0 && len(r.calls) == 0 && r.fault == nil {
		r.mode = (*Reader).start
	}
}

// endsThought judges a closing tag of a thought. The servers that keep its
// beginning to themselves leave it alone at the end of what was thought; in a
// sentence it is a word, unless that would make calls of what may be thoughts.
func (r *Reader) endsThought(rest string, _ bool) verdict {
	if r.blank || len(r.calls) > 0 || r.fault != nil {
		return isMarkup
	}
	return inSentence(rest)
}

// isOutput judges the tag of a tool's output: at the beginning of a line a model
// goes on as if it had called, elsewhere it writes about the tag. After a call
// it is never prose.
func (r *Reader) isOutput(rest string, _ bool) verdict {
	switch {
	case len(r.calls) > 0 || r.fault != nil:
		return isMarkup
	case !r.blank:
		return isProse
	}
	return inSentence(rest)
}

// wasThought handles the end of a thought whose beginning the server kept: what
// came before was thought too, so its calls are none.
func (r *Reader) wasThought() {
	r.calls, r.fault = nil, nil
	r.resume()
}

// invented handles a tool's output that the model made up: it and all that
// follows from it is worthless.
func (r *Reader) invented() {
	if len(r.calls) == 0 {
		r.blame(&Fault{Problem: "The reply contains a tool output although no tool was called"})
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
	r.calls = nil
	r.blame(&Fault{Problem: "There is a </parameter> or </function> too many, so it is not certain where the value ends"})
}
