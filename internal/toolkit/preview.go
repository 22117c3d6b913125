package toolkit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"loci/internal/lang"
)

const (
	previewRunes = 500 // characters of a change that a person is shown
	previewLine  = 160 // characters of one line of it
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
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case hides(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case hides(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

// hides reports whether a character cannot be seen as what it is: controls,
// formats (marks of direction and of no width, tags), separators of lines,
// fillers, and the variation selectors that no emoji has.
func hides(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0, 0x034f:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) || r >= 0xe0100 && r <= 0xe01ef
}

// oneLine is visible for what stands within a line, such as a path.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(visible(s))
}

// moreLines tells how many lines a preview leaves out.
var moreLines = lang.Words{EN: "… and %s more", ZH: "…… 还有 %s", CS: "… a ještě %s"}

// lineCount is a number of lines in words.
var lineCount = lang.Counted{One: "line", Many: "lines", ZH: "行", CSOne: "řádek", CSFew: "řádky", CSAll: "řádků"}

// excerptLines shows lines up to some number of characters, and tells how many
// are left out.
func excerptLines(language string, lines []string) string {
	var b strings.Builder
	left := previewRunes
	for i, l := range lines {
		l = visible(l)
		n := utf8.RuneCountInString(l)
		if n > previewLine {
			l, n = clipRunes(l, previewLine), previewLine
		}
		if n+1 > left && i > 0 {
			b.WriteString(moreLines.In(language, lineCount.In(language, len(lines)-i)) + "\n")
			break
		}
		left -= n + 1
		b.WriteString(l + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// clipRunes gives at most so many characters of a line, the ellipsis of a cut
// included. Unlike a title it keeps the white space at the beginning.
func clipRunes(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
