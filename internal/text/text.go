// Package text cuts, measures and compares texts, for titles, tables, error
// messages and prompts.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character cannot be seen, or changes how others are
// seen: controls and line ends, marks of direction and of no width, fillers, tags,
// variation selectors but the one that gives emoji their colour, and what has no
// picture. Blanks can be seen.
func Hidden(r rune) bool {
	return r != '\ufe0f' && (!unicode.IsGraphic(r) || r == '\u2800' ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector))
}

// Escape writes a character with ASCII letters.
func Escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Clip gives at most the first most bytes of a text, cut between two characters
// and marked with an ellipsis. Bytes that are no characters are replaced.
func Clip(s string, most int) string {
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.ToValidUTF8(s[:most], "\ufffd") + "…"
}

// First gives the first characters of a text, at most so many.
func First(s string, most int) string {
	for i := range s {
		if most--; most < 0 {
			return s[:i]
		}
	}
	return s
}

// Title gives the first line of a text in at most so many characters, the
// ellipsis of a cut included.
func Title(s string, most int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	line = strings.TrimSpace(line)
	if len(First(line, most)) == len(line) {
		return line
	}
	return First(line, most-1) + "…"
}

// Distance is the number of characters to insert, delete or replace to turn a
// into b (V. Levenshtein, 1965). It takes time with the product of the lengths:
// clip what comes from outside.
func Distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range to {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(to)]
}
