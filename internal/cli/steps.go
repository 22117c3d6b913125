package cli

import (
	"bufio"
	"encoding/json"
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
	shown int  // bytes of the turn's text
	open  bool // the last line has no end yet
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
		return with(e, func(d loci.Delta) error { p.text(d.Text); return nil })
	case loci.EventMessage:
		return with(e, func(m loci.MessageData) error {
			p.text(m.Text[min(p.shown, len(m.Text)):])
			p.newline()
			return nil
		})
	case loci.EventToolStarted:
		return with(e, func(d loci.ToolStarted) error { return p.aside(doing(d.Call)) })
	case loci.EventNotice:
		return with(e, func(n loci.Notice) error { return p.aside(n.Text) })
	case loci.EventTurnFinished:
		return with(e, func(fin loci.TurnFinished) error {
			p.newline()
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

// with decodes the data of an event.
func with[T any](e loci.Event, use func(T) error) error {
	var data T
	if err := e.DecodeData(&data); err != nil {
		return err
	}
	return use(data)
}

// doing says in words what a call does.
func doing(call loci.ToolCall) string {
	var args map[string]any
	_ = json.Unmarshal(call.Arguments, &args) // what cannot be read is left out
	arg := func(name, absent string) string {
		if v, ok := args[name]; ok && fmt.Sprint(v) != "" {
			return fmt.Sprint(v)
		}
		return absent
	}
	switch call.Name {
	case "list_dir":
		return "listing " + arg("path", ".")
	case "read_file":
		return "reading " + arg("path", "a file")
	case "search_files":
		text := "looking through the files"
		if content := arg("content", ""); content != "" {
			text = fmt.Sprintf("searching for %q", content)
		} else if name := arg("name", ""); name != "" {
			text = "looking for files named " + name
		}
		if path := arg("path", ""); path != "" {
			text += " in " + path
		}
		return text
	case "write_file":
		return "writing " + arg("path", "a file")
	case "edit_file":
		return "changing " + arg("path", "a file")
	case "move_file":
		return "moving " + arg("source", "a file") + " to " + arg("destination", "another place")
	case "delete_file":
		return "deleting " + arg("path", "a file")
	case "system_info":
		return "looking at the machine"
	case "list_processes":
		return "looking at what runs"
	case "current_time":
		return "looking at the clock"
	case "calculate":
		return "calculating " + arg("expression", "")
	}
	return call.Name
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
