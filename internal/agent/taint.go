package agent

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"loci"
	"loci/internal/text"
	"loci/internal/toolcall"
)

const (
	maxSources  = 20  // that a session names; older ones are summed up
	sourceRunes = 120 // characters of the name of one
)

// The sources that have no name of their own.
const (
	manySources = "more sources"
	unnamed     = "somewhere without a name"
	notOurs     = "messages that loci did not write"
	clientAdded = "documents that the chat client added"
)

// taint notes that something from outside has come into the conversation. It is
// stored with the event that brings it, and never taken off again: what was read once
// may speak at any time later.
func (t *turn) taint(source string) {
	if source == "" {
		return
	}
	source = cmp.Or(text.Title(source, sourceRunes), unnamed)
	if slices.Contains(t.session.Taint, source) {
		return
	}
	named := slices.Clone(t.session.Taint)
	if len(named) >= maxSources { // the newest is the likeliest that a question is about
		named = slices.Insert(named[2:], 0, manySources)
	}
	t.session.Taint = append(named, source)
	t.scope.Taint, t.dirty = t.session.Taint, true
}

// taintImported notes what a client brings of a conversation that loci has not kept:
// what is in it was read and written elsewhere. The same goes for documents that it
// puts into what it sends.
func (t *turn) taintImported() {
	t.taintAdded(t.req.System)
	t.taintAdded(t.req.Message.Content)
	for _, n := range t.pending.Nodes {
		t.taintAdded(n.Sent.Content)
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
		if n.Shown != nil && n.Sent.Role == loci.User && n.Sent.ToolName == "" { // a text tier reads results in this role, too
			own, _ := ownWords(*n.Shown)
			words = append(words, own)
		}
	}
	return append(words, t.wish())
}

// wish is the person's own words of this message.
func (t *turn) wish() string {
	own, _ := ownWords(t.req.Message.Content)
	return own
}

// taintAdded notes the documents that a chat client put into a text.
func (t *turn) taintAdded(text string) {
	_, added := ownWords(text)
	if added == "" {
		return
	}
	t.taint(clientAdded)
	for _, m := range addedName.FindAllStringSubmatch(added, maxSources) {
		t.taint("document " + m[1])
	}
}

// A chat client that searches documents or the web by itself puts what it found into
// the person's message, or the system message, as Open WebUI does:
//
//	<source id="1" name="offer.pdf">…</source>
//
// What is piped into loci ask is marked so too.
const (
	addedBegin = "<source id="
	addedEnd   = "</source>"
)

var addedName = regexp.MustCompile(addedBegin + `"[^"]*" name="([^"]*)"`)

// ownWords takes what a chat client added out of a text.
func ownWords(text string) (own, added string) {
	begin, end := addedIn(text)
	if begin == end {
		return text, ""
	}
	return strings.TrimSpace(text[:begin] + " " + text[end:]), text[begin:end]
}

// inertAdded gives a text in which what a chat client added cannot end the message.
func inertAdded(text string) string {
	begin, end := addedIn(text)
	return text[:begin] + toolcall.Inert(text[begin:end]) + text[end:]
}

// addedIn tells where in a text that is which a chat client added. It ends at the last
// mark of an end, as a document may have one in it.
func addedIn(text string) (begin, end int) {
	if begin = strings.Index(text, addedBegin); begin < 0 {
		return 0, 0
	}
	end = len(text)
	if i := strings.LastIndex(text, addedEnd); i > begin {
		end = i + len(addedEnd)
	}
	return begin, end
}
