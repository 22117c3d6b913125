package sandbox

import (
	"strings"
	"unicode/utf8"

	"loci/internal/text"
)

// closest finds the word that a misspelled one was meant to be: equal but for
// case or ending, or at most a third of the letters apart. ok is false when
// none is near.
func closest(word string, among []string) (found string, ok bool) {
	low := strings.ToLower(word)
	letters := utf8.RuneCountInString(low)
	best := max(1, letters/3) + 1
	for _, c := range among {
		d := best
		if stem, _, dot := strings.Cut(c, "."); dot && strings.EqualFold(stem, word) {
			d = 1
		} else if more := utf8.RuneCountInString(c) - letters; more < best && -more < best { // else it is farther for sure
			d = text.Distance(low, strings.ToLower(c))
		}
		if d < best {
			best, found, ok = d, c, true
		}
	}
	return found, ok
}
