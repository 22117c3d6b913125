package toolkit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"loci/internal/lang"
	"loci/internal/text"
)

const (
	previewRunes = 500 // characters of a change that a person is shown
	previewLine  = 160 // characters of one line of it
	previewAside = 60  // characters of a line beside it
)

// visible writes every character so that it can be seen: what would hide, turn
// or fake something on a screen is written as its number.
func visible(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r != '\n' && r != '\t' && text.Hidden(r):
			b.WriteString(text.Escape(r))
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

// oneLine is visible for what stands within a line, such as a path.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(visible(s))
}

// moreLines tells how many lines a preview leaves out.
var moreLines = lang.Words{EN: "… and %s more", ZH: "…… 还有 %s", CS: "… a ještě %s"}

// lineCount is a number of lines in words.
var lineCount = lang.Counted{One: "line", Many: "lines", ZH: "行", CSOne: "řádek", CSFew: "řádky", CSAll: "řádků"}

// excerptLines shows a difference up to some number of characters, and tells how
// many lines are left out.
func excerptLines(language string, d difference) string {
	var b strings.Builder
	left, shown := previewRunes, 0
	for _, l := range d.lines {
		line := l.shown()
		n := utf8.RuneCountInString(line) + 1
		if n > left && shown > 0 {
			break
		}
		left -= n
		shown++
		b.WriteString(line + "\n")
	}
	if shown < d.all {
		b.WriteString(moreLines.In(language, lineCount.In(language, d.all-shown)))
	}
	return strings.TrimRight(b.String(), "\n")
}

// shown is the line as a person sees it. Of a long one that replaces another, or
// is replaced, it is the part where the two begin to differ.
func (l diffLine) shown() string {
	line, ended := strings.CutSuffix(l.text, "\n")
	width := previewLine
	switch l.sign {
	case "":
		return line
	case " ":
		width = previewAside
	}
	from := 0
	if l.twin != "" && max(utf8.RuneCountInString(l.text), utf8.RuneCountInString(l.twin)) > width {
		from = back(line, min(alike(l.text, l.twin), len(line)), width/4)
	}
	head := ""
	if from > 0 {
		head = "…"
	}
	line = l.sign + head + clipRunes(visible(clipRunes(line[from:], width)), width)
	if !ended {
		line += "\n\\ no line end"
	}
	return line
}

// back goes so many characters back from a byte of a text.
func back(s string, at, runes int) int {
	for at > 0 && at < len(s) && !utf8.RuneStart(s[at]) {
		at--
	}
	for ; at > 0 && runes > 0; runes-- {
		_, n := utf8.DecodeLastRuneInString(s[:at])
		at -= n
	}
	return at
}

// clipRunes gives at most so many characters of a line, the ellipsis of a cut
// included. Unlike a title it keeps the white space at the beginning.
func clipRunes(s string, most int) string {
	if text.First(s, most) == s {
		return s
	}
	return text.First(s, most-1) + "…"
}
