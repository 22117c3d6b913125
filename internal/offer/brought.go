package offer

import (
	"strings"

	"loci"
	"loci/internal/jsontree"
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
	if v, ok := value(s); ok {
		var b strings.Builder
		write(&b, v, 0)
		s = strings.TrimSpace(b.String())
	}
	s = strings.ReplaceAll(inert(s), "![", "! [")
	if cut := text.Clip(s, mostShown); cut != s {
		s = strings.TrimRight(cut, " \n") + "\n…"
	}
	return s
}

// write writes a value as lines: "name: value", and "- item".
func write(b *strings.Builder, v jsontree.Value, depth int) {
	switch {
	case b.Len() > 2*mostShown: // no more of it is shown
	case isPlain(v):
		b.WriteString(v.Text)
	case isBlocks(v):
		b.WriteString(blockText(v))
	case depth == mostDepth:
		b.WriteString("…")
	default:
		writeNested(b, v, depth)
	}
}

// writeNested writes the members of a list or an object, each in a line of its own.
func writeNested(b *strings.Builder, v jsontree.Value, depth int) {
	member := func(i int, name string, item jsontree.Value) {
		if i > mostItems {
			return
		}
		b.WriteString("\n" + strings.Repeat(indent, depth))
		if i == mostItems {
			b.WriteString("…")
			return
		}
		b.WriteString(name)
		if isPlain(item) || isBlocks(item) || depth+1 == mostDepth {
			b.WriteString(" ")
		}
		write(b, item, depth+1)
	}
	for i, item := range v.Items {
		member(i, "-", item)
	}
	for i, f := range v.Fields {
		member(i, strings.ReplaceAll(f.Name, "_", " ")+":", f.Value)
	}
}

// isPlain tells whether a value has no members: a text, a number, a word.
func isPlain(v jsontree.Value) bool {
	return v.Kind != jsontree.List && v.Kind != jsontree.Object
}

// isBlocks tells whether a list is content as MCP has it: blocks, of which some are text.
func isBlocks(v jsontree.Value) bool {
	for _, item := range v.Items {
		kind, _ := item.Get("type")
		if t, ok := item.Get("text"); !ok || t.Kind != jsontree.Text || kind.Text != "text" {
			return false
		}
	}
	return len(v.Items) > 0
}

// blockText is the text of such a list.
func blockText(v jsontree.Value) string {
	var parts []string
	for _, item := range v.Items {
		t, _ := item.Get("text")
		parts = append(parts, t.Text)
	}
	return strings.Join(parts, "\n")
}
