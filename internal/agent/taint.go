package agent

import (
	"slices"

	"loci"
	"loci/internal/text"
)

const (
	maxSources  = 20  // that a session names; later ones are summed up
	sourceRunes = 120 // characters of the name of one
)

// The sources that have no name of their own.
const (
	manySources = "more sources"
	notOurs     = "messages that loci did not write"
)

// taint notes that something from outside has come into the conversation. It is
// stored with the event that brings it, and never taken off again: what was read once
// may speak at any time later.
func (t *turn) taint(source string) {
	if source == "" {
		return
	}
	source = text.Title(source, sourceRunes)
	if len(t.session.Taint) >= maxSources {
		source = manySources
	}
	if slices.Contains(t.session.Taint, source) {
		return
	}
	t.session.Taint = append(slices.Clone(t.session.Taint), source)
	t.scope.Taint, t.dirty = t.session.Taint, true
}

// taintImported notes what a client brings of a conversation that loci has not kept:
// what is in it was read and written elsewhere.
func (t *turn) taintImported() {
	for _, n := range t.pending.Nodes {
		switch n.Sent.Role {
		case loci.ToolRole:
			t.taint(clientSource(n.Sent.ToolName))
		case loci.Assistant:
			t.taint(notOurs)
		}
	}
}

// clientSource is how a result of a tool is called that the chat client ran.
func clientSource(name string) string {
	if name == "" {
		return "a tool of the chat client"
	}
	return "the chat client's tool " + name
}

// said gives the person's own words, those of this message last.
func (t *turn) said() (words []string) {
	for _, n := range t.path {
		if n.Shown != nil && n.Sent.Role == loci.User {
			words = append(words, *n.Shown)
		}
	}
	return append(words, t.req.Message.Content)
}
