package prompt

import (
	"strings"
	"unicode"
)

// Language guesses the language of a text among those that loci's own
// sentences exist in: "en", "zh" or "cs".
func Language(text string) string {
	const enough = 1000 // bytes: the beginning tells
	for _, r := range text[:min(len(text), enough)] {
		switch {
		case unicode.Is(unicode.Han, r):
			return "zh"
		case strings.ContainsRune("ěščřžůďťňĚŠČŘŽŮĎŤŇ", r):
			return "cs"
		}
	}
	return "en"
}
