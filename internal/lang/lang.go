// Package lang guesses which language a person writes, among those that loci's
// own sentences exist in.
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
	return regexp.MustCompile(`(?i)(?:^|[^\pL])(?:kolik|jaký|jaké|která|které|kde|co je|co ve?|soubor[yu]?|složk[ay]|složce|ukaž|vypiš|najdi|otevři|přečti|shrň|prosím|ahoj|dobrý den|děkuji|děkuju|dnes|kdo|proč|spočítej|napiš)(?:$|[^\pL])`)
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
		case strings.ContainsRune("ěščřžůďťňĚŠČŘŽŮĎŤŇ", r):
			return Czech
		}
	}
	if czech().MatchString(text) {
		return Czech
	}
	return English
}
