package approval

import (
	"regexp"
	"strings"
	"unicode"
)

// outline is which lines of a Markdown text are code, as far as all libraries that
// draw it agree about that. The rules are those of CommonMark; where marked, which
// most chat windows use, has others, the text is unclear.
type outline struct {
	text         string // its lines end with \n
	prose, lines string // all but code, and all but blocks of code

	fence   string // of a block of code that is open at the margin; or empty
	unclear bool   // whether one is open depends on who reads it

	margin             string          // what the lines in the open block begin with
	contained          bool            // a list or a quotation has begun
	tagged             bool            // since the last blank line, a line began like a tag
	paragraph          strings.Builder // the lines since then
	proseBuf, linesBuf strings.Builder
}

var (
	// container is what a line begins with in lists and quotations.
	container = regexp.MustCompile(`^(?:[ \t]*(?:>|(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|$)))*[ \t]*`)
	// marker is the part of it that stands for blanks in the lines below.
	marker = regexp.MustCompile(`[^>]`)
	// fenceForm begins a block of code.
	fenceForm = regexp.MustCompile("^(?:(`{3,})[^`]*|(~{3,}).*)$")
	// rawForm begins HTML that does not end with a blank line.
	rawForm = regexp.MustCompile(`(?i)^<(?:(?:script|pre|style|textarea)(?:[^\w-]|$)|!--|\?|!)`)
	// rawWhole is such HTML that ends on its line.
	rawWhole = regexp.MustCompile(`(?i)^<(?:!--.*-->.*|script[\s>].*</script>.*|style[\s>].*</style>.*|pre[\s>].*</pre>.*|textarea[\s>].*</textarea>.*)$`)
	// openName is the name of a link that is defined, which may go on.
	openName = regexp.MustCompile(`(?m)(?:^|>)[ \t]*\[[^\]\n]*$`)
	// span is code in a line.
	span = regexp.MustCompile("`[^`\n]+`")
)

// outlineOf reads a text. Whether \r alone ends a line is not clear either.
func outlineOf(text string) *outline {
	o := &outline{text: strings.ReplaceAll(text, "\r", "\n"), unclear: strings.Contains(text, "\r")}
	for line := range strings.Lines(o.text) {
		if line = strings.TrimSuffix(line, "\n"); o.fence == "" {
			o.outside(line)
		} else {
			o.inside(line)
		}
	}
	o.flush()
	o.prose, o.lines = o.proseBuf.String(), o.linesBuf.String()
	within := o.fence != "" && o.margin != "" // it may end with a list, or not
	defines := runForm.MatchString(o.text) && (strings.Contains(o.prose, "]:") || openName.MatchString(escaped.ReplaceAllString(o.prose, "")))
	if o.unclear = o.unclear || within || defines; o.unclear {
		o.prose, o.lines = o.text, o.text
	}
	return o
}

// outside reads a line that is not in a block of code.
func (o *outline) outside(line string) {
	prefix := container.FindString(line)
	rest := line[len(prefix):]
	o.contained = o.contained || strings.Trim(prefix, " \t") != ""
	if m := fenceForm.FindStringSubmatch(rest); m != nil && o.mayFence(prefix) {
		o.open(m[1]+m[2], prefix)
		return
	}
	o.paragraph.WriteString(line + "\n")
	switch {
	case strings.Trim(line, " \t") == "":
		o.flush()
	case strings.HasPrefix(rest, "<"):
		o.tagged = true
		o.unclear = o.unclear || rawForm.MatchString(rest) && !rawWhole.MatchString(rest)
	}
}

// mayFence tells whether a block of code may begin so far from the margin.
func (o *outline) mayFence(prefix string) bool {
	return o.contained || len(prefix) <= 3 && !strings.Contains(prefix, "\t")
}

// open begins a block of code.
func (o *outline) open(fence, prefix string) {
	o.unclear = o.unclear || o.tagged || o.contained && strings.Contains(prefix, "\t")
	o.flush()
	o.fence, o.margin = fence, ""
	if o.contained {
		o.margin = marker.ReplaceAllString(prefix, " ")
	}
}

// inside reads a line in a block of code.
func (o *outline) inside(line string) {
	rest, ok := strings.CutPrefix(line, o.margin)
	if !ok {
		o.unclear = o.unclear || strings.Trim(line, " \t") != "" || strings.Contains(o.margin, ">")
		return
	}
	end := strings.TrimLeft(rest, " \t")
	indent := rest[:len(rest)-len(end)]
	tail := strings.TrimLeft(end, o.fence[:1])
	switch {
	case len(end)-len(tail) < len(o.fence):
	case o.margin == "" && (len(indent) > 3 || strings.Contains(indent, "\t")):
	case strings.Trim(tail, " ") == "" && (o.margin == "" || indent == ""):
		o.fence, o.margin = "", ""
	case strings.TrimFunc(tail, func(r rune) bool { return unicode.IsSpace(r) || r == '`' || r == '~' }) == "":
		o.unclear = true // an end for some
	}
}

// flush ends a paragraph.
func (o *outline) flush() {
	o.linesBuf.WriteString(o.paragraph.String())
	o.proseBuf.WriteString(withoutSpans(o.paragraph.String()))
	o.paragraph.Reset()
	o.tagged = false
}

// withoutSpans leaves the code in the lines of a paragraph out where it is clear
// what is code: a tag may begin before it, or a mark may have no fellow.
func withoutSpans(paragraph string) string {
	bare := span.ReplaceAllString(paragraph, "")
	for _, doubt := range []string{"``", "\\`", "]:"} {
		if strings.Contains(paragraph, doubt) {
			return paragraph
		}
	}
	if strings.ContainsAny(bare, "`<") {
		return paragraph
	}
	return bare
}
