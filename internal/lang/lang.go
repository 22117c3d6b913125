// Package lang is the languages that loci's own sentences exist in: it guesses
// which of them a person writes, and holds texts in all of them. [Words] is a
// sentence, [Counted] a noun with a number, [Size] a number of bytes.
package lang

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// The languages.
const (
	English = "en"
	Chinese = "zh"
	Czech   = "cs"
)

// czech are words that tell Czech apart where it is written without the letters
// that no other language here has.
var czech = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL])(?:kolik|jak(?:[áéy]|ou)|kter(?:[áéye]|ou)|mám|máme|tyden|kde|co je|co ve?|soubor[yu]?|slo[žz]k[ayu]|slo[žz]ce|ukaž|vypiš|najdi|otevři|přečti|shrň|prosím|ahoj|dobrý den|děkuji|děkuju|d[ií]ky?|dobré ráno|dobrý večer|dobrou noc|na ?shledanou|jsi|jmenuj[iu]|umíš|prom[ií][nň]te|v[cč]era|z[ií]tra|dnes|kdo|proč|spočítej|napiš)(?:$|[^\pL])`)
})

// Of guesses the language of a text by its beginning: Chinese shows in any
// character, Czech in a letter of its own or in a common word.
func Of(text string) string {
	const enough = 1000 // bytes
	text = text[:min(len(text), enough)]
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			return Chinese
		case strings.ContainsRune("ěščřžýůďťňĚŠČŘŽÝŮĎŤŇ", r):
			return Czech
		}
	}
	if czech().MatchString(text) {
		return Czech
	}
	return English
}
