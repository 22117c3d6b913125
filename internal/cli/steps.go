package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"loci"
	"loci/internal/text"
)

// printer writes an answer as it comes, and on a terminal between its lines
// what is done for it.
type printer struct {
	c     *command
	out   *bufio.Writer
	shown int  // bytes of the text that the next message has
	open  bool // the last line has no end yet
	made  int  // changes of the turn that can be taken back
}

// text writes a piece of the answer.
func (p *printer) text(s string) {
	if s == "" {
		return
	}
	p.shown += len(s)
	p.open = !strings.HasSuffix(s, "\n")
	if p.c.OutWidth > 0 {
		s = strings.Map(visible, s)
	}
	_, _ = p.out.WriteString(s) // Flush reports
}

// delta writes what is new in a piece: who comes back to a turn is told again
// what it has said so far, and who comes late does not need its beginning.
func (p *printer) delta(d loci.Delta) {
	p.shown = max(p.shown, d.Offset)
	p.text(d.Text[min(p.shown-d.Offset, len(d.Text)):])
}

// skip passes over an event that the person has seen elsewhere, which the end of
// a turn is not.
func (p *printer) skip(e loci.Event) bool {
	switch e.Type {
	case loci.EventDelta:
		_ = with(e, func(d loci.Delta) error { p.shown = max(p.shown, d.Offset+len(d.Text)); return nil })
	case loci.EventMessage:
		p.shown = 0
	case loci.EventTurnFinished:
		return false
	}
	return true
}

// newline ends a line that is open.
func (p *printer) newline() {
	if p.open {
		_ = p.out.WriteByte('\n')
		p.open = false
	}
}

// aside tells a person at a terminal something that is no part of the answer.
func (p *printer) aside(words string) error {
	if !p.c.Terminal {
		return nil
	}
	if p.c.OutWidth > 0 { // both are shown in one place
		p.newline()
	}
	if err := p.out.Flush(); err != nil {
		return err
	}
	p.c.say("· %s", text.Title(plain(words), max(p.c.Width-4, 20)))
	return nil
}

// event shows one event of a turn; an error ends it.
func (p *printer) event(e loci.Event) error {
	switch e.Type {
	case loci.EventDelta:
		return with(e, func(d loci.Delta) error { p.delta(d); return nil })
	case loci.EventMessage:
		return with(e, func(m loci.MessageData) error {
			p.text(m.Text[min(p.shown, len(m.Text)):])
			p.newline()
			p.shown = 0
			return nil
		})
	case loci.EventToolStarted:
		return with(e, func(d loci.ToolStarted) error { return p.aside(d.Doing) })
	case loci.EventToolFinished:
		return with(e, func(d loci.ToolFinished) error {
			if d.Undo != nil {
				p.made++
			}
			return nil
		})
	case loci.EventNotice:
		return with(e, func(n loci.Notice) error { return p.aside(n.Text) })
	case loci.EventTurnFinished:
		return with(e, func(fin loci.TurnFinished) error {
			p.newline()
			if err := errors.Join(p.wayBack(), p.again(fin.Receipt)); err != nil {
				return err
			}
			if fin.Error != nil {
				return fin.Error
			}
			if fin.State == loci.TurnInterrupted {
				return loci.Errorf(loci.Conflict, "The turn was stopped before it was done.")
			}
			return nil
		})
	}
	return nil
}

// muchAgain is how many tokens a turn may read again before a person hears of it: on a
// small machine it is a second or two.
const muchAgain = 256

// again says why an answer took longer than it should have.
func (p *printer) again(r loci.Receipt) error {
	if r.Wasted == nil || *r.Wasted < muchAgain || r.Broke == nil {
		return nil
	}
	return p.aside(fmt.Sprintf("the model server read %d tokens again (%s)", *r.Wasted, r.Broke))
}

// wayBack says how what the turn changed can be taken back.
func (p *printer) wayBack() error {
	n := p.made
	p.made = 0
	switch {
	case n == 0:
		return nil
	case n == 1:
		return p.aside("to take that back: " + p.c.program() + " undo")
	}
	return p.aside(fmt.Sprintf("to take these %d changes back: %s undo %[1]d", n, p.c.program()))
}

// with decodes the data of an event.
func with[T any](e loci.Event, use func(T) error) error {
	var data T
	if err := e.DecodeData(&data); err != nil {
		return err
	}
	return use(data)
}

// visible drops the characters with which a text could take hold of a terminal.
func visible(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}

// plain makes one line of a text.
func plain(s string) string {
	return strings.Join(strings.Fields(strings.Map(visible, s)), " ")
}
