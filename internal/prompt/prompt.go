// Package prompt writes the texts that frame a conversation: the system block
// at the top of a session and the tail of its newest message. It is pure: same
// facts, same bytes.
//
// The system block is made once, when a session starts, and never changes, so
// that a model server can keep its KV cache. It holds what stays true for a
// session: the date, the person, the folders, what can and cannot be done, and
// the rules, the most important one last, since small models remember best
// what they read last. What moves, such as the time of day, goes into the tail.
package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"loci"
)

// Facts is what a session's system block is made from.
type Facts struct {
	Now     time.Time       // in the person's time zone
	Zone    string          // IANA name; empty: the offset is used
	User    string          // how to call the person; may be empty
	Purpose string          // what the session is for; may be empty
	Folders []string        // absolute paths that may be looked into
	Working string          // where relative paths start
	Tools   []loci.ToolSpec // that are offered
	More    []loci.ToolSpec // that can be reached besides,
	Finder  string          // through this tool
	Tier    loci.Tier
	Brief   bool   // the window is small: what can be missed is left out
	Markup  string // how to write a tool call, for models without native ones
	Client  string // the chat client's own system message
}

// Section is a named part of the system block.
type Section struct {
	Name string
	Text string
}

// System writes the system block.
func System(f Facts, texts Texts) []Section {
	if f.Tier == loci.TierTiny {
		return tiny(f, texts)
	}
	var s []Section
	add := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			s = append(s, Section{name, text})
		}
	}
	add("role", texts.Role)
	if texts.KeyRuleFirst {
		add("key rule first", texts.KeyRule)
	}
	add("facts", facts(f))
	add("folders", folders(f))
	if !f.Brief {
		add("style", texts.Style)
	}
	add("rules", rules(f, texts))
	if !f.Brief {
		add("formats", texts.Formats)
	}
	add("client", client(f.Client))
	add("abilities", abilities(f)) // from here on the first message decides
	add("tools", f.Markup)
	add("key rule", texts.KeyRule)
	return s
}

// tiny is the system block for a model too small to follow rules: anything it
// reads it repeats, so it gets no facts. The runtime answers from those.
func tiny(f Facts, texts Texts) []Section {
	s := []Section{{"role", texts.Tiny}}
	if c := strings.TrimSpace(f.Client); c != "" {
		s = append(s, Section{"client", c})
	}
	return s
}

// Gap is what stands between two sections.
const Gap = "\n\n"

// Layout is where the sections of a joined text are.
func Layout(sections []Section) []loci.Span {
	spans := make([]loci.Span, len(sections))
	for i, s := range sections {
		spans[i] = loci.Span{Name: s.Name, Size: len(s.Text)}
	}
	return spans
}

// rules are those of the texts, or the two that matter most where there is little
// room; somebody's own rules stay.
func rules(f Facts, texts Texts) string {
	if f.Brief && texts.Rules == Default().Rules {
		return briefRules
	}
	return texts.Rules
}

// Join writes sections as the text of a system message.
func Join(sections []Section) string {
	var b strings.Builder
	for i, s := range sections {
		if i > 0 {
			b.WriteString(Gap)
		}
		b.WriteString(s.Text)
	}
	return b.String()
}

func facts(f Facts) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Today is %s", date(f.Now))
	if !f.Brief {
		fmt.Fprintf(&b, " (%s)", Season(f.Now, f.Zone))
	}
	fmt.Fprintf(&b, ", time zone %s.", zone(f))
	if f.User != "" {
		fmt.Fprintf(&b, " You are talking with %s.", f.User)
	}
	if f.Purpose != "" {
		fmt.Fprintf(&b, " This conversation is about: %s.", strings.TrimRight(f.Purpose, ". "))
	}
	if !f.Brief {
		b.WriteString(" Mention date, time or name only where it matters.")
	}
	return b.String()
}

// mostFolders is how many folders are listed; brief is how many where there is
// little room.
const (
	mostFolders  = 20
	briefFolders = 5
)

func folders(f Facts) string {
	if len(f.Folders) == 0 {
		return "No folder of this computer is open to you. If asked about files, say that a folder must be allowed first, with: loci allow FOLDER"
	}
	most := mostFolders
	if f.Brief {
		most = briefFolders
	}
	var b strings.Builder
	b.WriteString("Only these folders are open:\n")
	for _, folder := range f.Folders[:min(len(f.Folders), most)] {
		fmt.Fprintf(&b, "- %s\n", folder)
	}
	if more := len(f.Folders) - most; more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
	}
	if f.Working != f.Folders[0] {
		fmt.Fprintf(&b, "Relative paths start in %s. ", f.Working)
	} else {
		b.WriteString("Relative paths start in the first. ")
	}
	b.WriteString("If a name fits several files, ask which.")
	return b.String()
}

// abilities says in words what the tools at hand can and cannot do.
func abilities(f Facts) string {
	if len(f.Tools) == 0 {
		return "You have no tools in this conversation."
	}
	has, asks := map[loci.SideEffects]bool{}, false
	for _, t := range slices.Concat(f.Tools, f.More) {
		has[t.SideEffects], asks = true, asks || t.Dangerous
	}
	var parts, cannot []string
	for _, e := range []struct {
		effect loci.SideEffects
		words  string
	}{
		{loci.EffectWrite, "change files"},
		{loci.EffectExec, "run programs"},
		{loci.EffectEgress, "use the internet"},
	} {
		if !has[e.effect] {
			cannot = append(cannot, e.words)
		}
	}
	if len(cannot) > 0 {
		parts = append(parts, "You cannot "+strings.Join(cannot, " or ")+".")
	}
	if len(f.More) > 0 {
		parts = append(parts, more(f))
	}
	if asks { // otherwise models ask in words, and then do nothing
		parts = append(parts, "The person is asked by itself before a change: call without asking.")
	}
	return strings.Join(parts, " ")
}

// briefMore is how many of the tools that another leads to are named where there is
// little room.
const briefMore = 4

// more names the tools that are not offered.
func more(f Facts) string {
	names, rest := make([]string, 0, len(f.More)), ""
	for _, t := range f.More {
		if f.Brief && len(names) == briefMore {
			rest = ", …"
			break
		}
		names = append(names, t.Name)
	}
	return "More with " + f.Finder + ": " + strings.Join(names, ", ") + rest + "."
}

func client(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	return "The chat client adds:\n" + text
}

func date(t time.Time) string { return t.Format("Monday, 2 January 2006") }

func zone(f Facts) string {
	if f.Zone != "" {
		return f.Zone
	}
	return "UTC" + f.Now.Format("-07:00")
}

// Moved is what changed since the session's system block was written.
type Moved struct {
	Since  time.Time // when the block was written
	Client *string   // the client's system message, if it is another one now
	Opened []string  // folders allowed since
	Tools  string    // description of tools that the client brings since
}

// Tail writes what goes to the end of the newest user message: the time of day
// and whatever moved. It stays within about 60 tokens, a changed system message
// of the client excepted.
func Tail(now time.Time, m Moved) string {
	parts := []string{now.Format("15:04")}
	if now.Format(time.DateOnly) != m.Since.In(now.Location()).Format(time.DateOnly) {
		parts[0] = date(now) + ", " + parts[0]
	}
	if len(m.Opened) > 0 {
		parts = append(parts, "also open to you: "+strings.Join(m.Opened, ", "))
	}
	tail := "\n\n[now: " + strings.Join(parts, "; ") + "]"
	if m.Tools != "" {
		tail += "\n\nMore tools, to be called in the same way:\n" + m.Tools
	}
	if m.Client != nil {
		tail += "\n\n" + client(*m.Client)
	}
	return tail
}
