package offer

import (
	"strings"

	"loci"
	"loci/internal/text"
)

const (
	mostTold  = 300  // bytes of a description, where no model reads it
	mostShown = 1500 // bytes of a result that a person is shown
	mostItems = 20   // of one list in it
	mostDepth = 4    // lists and objects inside one another in it
	indent    = "  "
)

// Brought are a client's tools for a runtime that chooses by itself: named apart from
// ours, and with more of their words than a prompt has room for. They are no part of
// one, so each message may bring others.
func (s *Shelf) Brought(ours, theirs []loci.ToolSpec) Offer {
	if len(theirs) == 0 {
		return Offer{}
	}
	tools := named(ours, theirs)
	o := Offer{originals: originals(tools), shelf: s, ours: ours, tools: tools}
	for _, t := range tools {
		o.Theirs = append(o.Theirs, s.client(t, loci.TierTiny).short)
	}
	return o
}

// told is the tool with the beginning of what it says of itself, and the schema as short
// has it, but with the descriptions of the parameters.
func (t tool) told() loci.ToolSpec {
	return t.spec(text.Clip(inert(clip(t.Description)), mostTold), shorten(parse(t.Parameters), limits{depth: 6, properties: 40, hints: mostTold}))
}

// Shown is what a client's tool gave, for a person: JSON as lines of text, and cut where
// it is long. It is from outside: invisible characters are left out, and it can neither
// end a message nor load a picture, by which a page could tell that it was read.
func Shown(result string) string {
	s := strings.TrimSpace(result)
	if n, ok := value(s); ok {
		var b strings.Builder
		write(&b, n, 0)
		s = strings.TrimSpace(b.String())
	}
	s = strings.ReplaceAll(inert(s), "![", "! [")
	if cut := text.Clip(s, mostShown); cut != s {
		s = strings.TrimRight(cut, " \n") + "\n…"
	}
	return s
}

// write writes a value as lines: "name: value", and "- item".
func write(b *strings.Builder, n node, depth int) {
	switch {
	case b.Len() > 2*mostShown: // no more of it is shown
	case n.kind == 0 || n.kind == '"':
		if n.text != "null" || n.kind == '"' {
			b.WriteString(n.text)
		}
	case n.isBlock() && len(n.items) > 0:
		b.WriteString(blockText(n))
	case depth == mostDepth:
		b.WriteString("…")
	default:
		writeNested(b, n, depth)
	}
}

// writeNested writes the members of a list or an object, each in a line of its own.
func writeNested(b *strings.Builder, n node, depth int) {
	for i, item := range n.items {
		b.WriteString("\n" + strings.Repeat(indent, depth))
		if i == mostItems {
			b.WriteString("…")
			return
		}
		if n.kind == '{' {
			b.WriteString(strings.ReplaceAll(n.keys[i], "_", " ") + ":")
		} else {
			b.WriteString("-")
		}
		if item.kind == 0 || item.kind == '"' || item.isBlock() || depth+1 == mostDepth {
			b.WriteString(" ")
		}
		write(b, item, depth+1)
	}
}

// isBlock tells whether a list is content as MCP has it: blocks, of which some are text.
func (n node) isBlock() bool {
	if n.kind != '[' || len(n.items) == 0 {
		return false
	}
	for _, item := range n.items {
		kind, _ := item.get("type")
		if t, ok := item.get("text"); !ok || t.kind != '"' || kind.text != "text" {
			return false
		}
	}
	return true
}

// blockText is the text of such a list.
func blockText(n node) string {
	var parts []string
	for _, item := range n.items {
		t, _ := item.get("text")
		parts = append(parts, t.text)
	}
	return strings.Join(parts, "\n")
}
