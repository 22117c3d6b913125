package approval

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// What a model said before a question is on the screen already. If it left a fence,
// a comment or a tag open, a chat window would draw the question inside of it, or
// not at all.
//
// The question begins after a blank line and at the margin. That ends lists,
// quotations, tables and most HTML; what it does not end is closed here.

// pair is something that goes on over blank lines until its end.
type pair struct {
	begin *regexp.Regexp
	end   string
	write string // what ends it, if that is not end alone
}

// hiding are the pairs that do not begin in code.
var hiding = []pair{
	{begin: regexp.MustCompile(`<!--`), end: "-->"},
	{begin: regexp.MustCompile(`<\?`), end: "?>", write: "\n?>"},
	{begin: regexp.MustCompile(`(?i)<!\[CDATA\[`), end: "]]>"},
	{begin: regexp.MustCompile(`(?i)<![a-z]`), end: ">"},
	{begin: regexp.MustCompile(`(?i)<script(?:[^\w-]|\z)`), end: "</script>"},
	{begin: regexp.MustCompile(`(?i)<style(?:[^\w-]|\z)`), end: "</style>"},
	{begin: regexp.MustCompile(`(?i)<pre(?:[^\w-]|\z)`), end: "</pre>"},
	{begin: regexp.MustCompile(`(?i)<textarea(?:[^\w-]|\z)`), end: "</textarea>"},
}

// names and titles are those of a link that is defined. The library marked lets
// both go on over blank lines, and shows nothing of them. Their ends must not begin
// another, hence the dots.
var (
	names  = []pair{{begin: regexp.MustCompile(`(?m)(?:^|>)[ \t]*\[`), end: "]", write: "\n]"}}
	titles = []pair{
		{begin: regexp.MustCompile(`\]:\s*(?:<[^\n]*?>|[^<\s]\S*)\s+"`), end: `"`, write: `."`},
		{begin: regexp.MustCompile(`\]:\s*(?:<[^\n]*?>|[^<\s]\S*)\s+\(`), end: ")", write: ".)"},
	}
)

// drawn are formulas, which chat windows look for in a line's code too, and the
// notes of Open WebUI.
var drawn = []pair{
	{begin: regexp.MustCompile(`\\\[`), end: `\]`},
	{begin: regexp.MustCompile(`\\begin\{equation\}`), end: `\end{equation}`},
	{begin: regexp.MustCompile(`(?m)^[ \t]*:::`), end: "\n:::", write: "\n:::\n"},
}

var (
	escaped = regexp.MustCompile(`\\[^\n]`)
	runForm = regexp.MustCompile("`{3,}|~{3,}")
	// tagForm is a tag, or what begins like one where none has to be whole.
	tagForm = regexp.MustCompile(`(?im)<(/?)([a-z][a-z0-9_-]*)(?:[\s/](?:"[^"]*"|'[^']*'|[^<>"'])*)?>|^[ \t]*<([a-z][a-z0-9_-]*)(?:[^\w<>-]|$)`)
	// cutTag is a tag that the text ends in.
	cutTag = regexp.MustCompile(`(?im)(?:<(script|style|pre|textarea)|^[ \t]*<([a-z][a-z0-9_-]*))(?:[^\w<>-][^<>]*)?\z`)
)

// elements are those of HTML that have an end: what else stands in pointed brackets
// is mostly a type in a program, and does nothing.
var elements = strings.Fields(`a abbr address article aside audio b bdi bdo big blockquote body button canvas caption center cite code
	colgroup data datalist dd del dfn dialog dir div dl dt em fieldset figcaption figure font footer form frameset h1 h2 h3 h4 h5 h6
	head header hgroup html i iframe ins kbd label legend li main map mark marquee math menu meter nav nobr noembed noframes noscript
	object ol optgroup option output p picture plaintext progress q rp rt ruby s samp search section select small span strike
	strong sub sup svg table tbody td template tfoot th thead time title tr tt u ul var video xmp`)

// folded are what chat windows fold away wherever it stands, in code too.
var folded = strings.Fields(`think thinking thought reason reasoning details summary code_interpreter`)

// Closing is what ends whatever a text has left open; empty for most texts.
func Closing(text string) string {
	o := outlineOf(strings.ReplaceAll(text, "\r\n", "\n"))
	closing, last := "", ""
	switch {
	case o.unclear:
		last = guard(text)
	case o.fence != "":
		closing = "\n" + o.fence + "\n"
	}
	if cut := cutTag.FindStringSubmatch(o.prose); cut != nil && (cut[1] != "" || slices.Contains(elements, strings.ToLower(cut[2]))) {
		closing += endCut(o.text)
	}
	closing += openPairs(o.prose, hiding)
	closing += openTags(o.prose, elements) + openTags(o.text, folded)
	closing += openPairs(escaped.ReplaceAllString(o.prose, ""), names)
	closing += openPairs(strings.ReplaceAll(o.prose, `\"`, ""), titles)
	closing += openPairs(o.lines, drawn)
	if strings.Count(o.lines, "$$")%2 == 1 {
		closing += "$$"
	}
	if closing != "" && closing[0] != '\n' && runForm.MatchString(o.text[strings.LastIndexByte(o.text, '\n')+1:]) {
		closing = "\n" + closing // behind a fence, it would change what that is
	}
	return closing + last
}

// guard ends a block of code that may be open or not: the libraries that draw
// Markdown disagree, and one end too many begins a block. Where none is open, the
// fence is part of a comment; where one is, the beginning of that comment is code.
func guard(text string) string {
	longest := map[byte]string{}
	for _, run := range runForm.FindAllString(text, -1) {
		if len(run) > len(longest[run[0]]) {
			longest[run[0]] = run
		}
	}
	closing := ""
	for _, mark := range []byte("`~") {
		if fence := longest[mark]; fence != "" {
			closing += "\n\n<!--\n" + fence + "\n-->"
		}
	}
	return closing
}

// endCut ends a tag without an end, and an attribute in it.
func endCut(text string) string {
	if strings.HasSuffix(text, "\n") {
		return `'">`
	}
	return "\n" + `'">`
}

// openPairs ends what has begun after it ended for the last time.
func openPairs(text string, pairs []pair) string {
	closing := ""
	for _, p := range pairs {
		begun := p.begin.FindAllStringIndex(text, -1)
		if len(begun) > 0 && !strings.Contains(text[begun[len(begun)-1][1]:], p.end) {
			closing += cmp.Or(p.write, p.end)
		}
	}
	return closing
}

// openTags ends the elements, of those given, that have no end, the innermost first.
func openTags(text string, elements []string) string {
	var open []string
	for _, m := range tagForm.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(m[2] + m[3])
		if !slices.Contains(elements, name) {
			continue
		}
		if m[1] == "" {
			open = append(open, name)
		} else if at := lastIndex(open, name); at >= 0 {
			open = slices.Delete(open, at, at+1)
		}
	}
	if len(open) == 0 {
		return ""
	}
	slices.Reverse(open)
	return "</" + strings.Join(open, "></") + ">"
}

// lastIndex is slices.Index from the end.
func lastIndex(all []string, name string) int {
	for i, n := range slices.Backward(all) {
		if n == name {
			return i
		}
	}
	return -1
}
