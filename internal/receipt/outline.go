// Package receipt finds out what a model call cost, and why: which part of its
// prompt the server had to read again, and where the beginning of the prompt is no
// longer what it was. It is pure: what was sent and what the server counted go in.
package receipt

import (
	"fmt"
	"hash/fnv"
	"strings"

	"loci"
	"loci/internal/prompt"
)

// Names of what a prompt has besides the sections of its system block.
const (
	systemSection = "system" // a block of which no layout is known
	toolsSection  = "tools"  // offered natively; in the text tier they are a section of the block
)

// Prompt is what a model is sent, with the places of the sections of its system
// block.
type Prompt struct {
	Request *loci.Request
	Layout  []loci.Span
}

// outline describes a prompt.
func (p Prompt) outline() loci.Sent {
	s := loci.Sent{Model: p.Request.Model}
	for _, t := range p.texts() {
		switch part := t.part(); {
		case t.kind == inSystem:
			s.System = append(s.System, part)
		case t.kind == inTools:
			s.Tools = &part
		default:
			s.Messages = append(s.Messages, part)
		}
	}
	return s
}

// kind is where in a prompt a text stands.
type kind int

const (
	inSystem kind = iota
	inTools
	inMessages
)

// named is a part of a prompt, written out.
type named struct {
	kind       kind
	name, text string
}

func (n named) part() loci.Part {
	h := fnv.New64a()
	_, _ = h.Write([]byte(n.text)) // a hash never fails
	return loci.Part{Name: n.name, Size: len(n.text), Hash: h.Sum64()}
}

// texts gives the parts of a prompt in the order in which most templates write them.
func (p Prompt) texts() []named {
	var all []named
	messages := p.Request.Messages
	if len(messages) > 0 && messages[0].Role == loci.System {
		all = sections(messages[0].Content, p.Layout)
		messages = messages[1:]
	}
	if len(p.Request.Tools) > 0 {
		all = append(all, named{inTools, toolsSection, toolsText(p.Request.Tools)})
	}
	for _, m := range messages {
		all = append(all, named{inMessages, string(m.Role), text(m)})
	}
	return all
}

// sections takes a system block apart. Where the block is another than the layout
// was made for, all that can be said is where it begins to differ, and for that the
// old places do.
func sections(block string, layout []loci.Span) []named {
	if len(layout) == 0 {
		layout = []loci.Span{{Name: systemSection, Size: len(block)}}
	}
	var parts []named
	for i, span := range layout {
		size := min(span.Size, len(block))
		if i == len(layout)-1 {
			size = len(block)
		}
		parts = append(parts, named{inSystem, span.Name, block[:size]})
		block = block[min(size+len(prompt.Gap), len(block)):]
	}
	return parts
}

// text is a message as far as a chat template may write it out. Ids are left out:
// most templates do not have them, and they never change.
func text(m loci.Message) string {
	if len(m.ToolCalls) == 0 && len(m.Images) == 0 {
		return m.Content
	}
	var b strings.Builder
	b.WriteString(m.Content)
	for _, c := range m.ToolCalls {
		b.WriteString(c.Name)
		b.Write(c.Arguments)
	}
	for _, i := range m.Images {
		b.WriteString(i.Base64)
	}
	return b.String()
}

// toolsText is the tools as far as a server is told of them.
func toolsText(tools []loci.ToolSpec) string {
	var b strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&b, "%s\n%s\n%s\n", t.Name, t.Description, t.Parameters)
	}
	return b.String()
}

// piece is a part with the name that a person reads.
type piece struct {
	loci.Part
	label string
}

// pieces gives the parts of a prompt in the order in which most templates write
// them.
func pieces(s loci.Sent) []piece {
	all := make([]piece, 0, len(s.System)+1+len(s.Messages))
	for _, p := range s.System {
		all = append(all, piece{p, p.Name})
	}
	if s.Tools != nil {
		all = append(all, piece{*s.Tools, s.Tools.Name})
	}
	for i, p := range s.Messages {
		all = append(all, piece{p, fmt.Sprintf("message %d (%s)", i+1, p.Name)})
	}
	return all
}
