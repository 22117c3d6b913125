// Package lang is the languages that loci's own sentences exist in: it guesses
// which of them a person writes, and holds texts in all of them. [Words] is a
// sentence, [Counted] a noun with a number, [Size] a number of bytes.
package lang

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
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
	return regexp.MustCompile(`(?i)(?:^|[^\pL])(?:kolik|jak(?:[áéy]|ou)|kter(?:[áéye]|ou)|mám|máme|tyden|kde|co je|co ve?|soubor[yu]?|slo[žz]k[ayu]|slo[žz]ce|ukaž|vypiš|najdi|otevři|přečti|shrň|prosím|ahoj|dobrý den|děkuji|děkuju|d[ií]ky?|dobré ráno|dobrý večer|dobrou noc|na ?shledanou|jsi|jmenuj[iu]|umíš|prom[ií][nň]te|v[cč]era|z[ií]tra|dnes|kdo|proč|spočítej|napiš|objednej|zavolej|zapni|vypni|zhasni|pošli|kup mi|zarezervuj|rezervuj|nakrm|uvař|umyj|přines|zamkni|vytiskni|ulož|smaž|přelož)(?:$|[^\pL])`)
})

// english are words that no Czech sentence has, and quoted is what says nothing of the
// language around it.
var (
	english = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:the|an|is|are|was|were|what|what's|when|where|which|who|how|why|does|did|of|and|for|with|this|that|about|tell|into|from|his|her|its|your|mean|say|please|it|you|there|can|could|would|have|has|not|in|me|called)\b`)
	})
	quoted = regexp.MustCompile("\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|‘[^’]*’|`[^`]*`")
)

// czechLetters are those that no other language here has.
const czechLetters = "ěščřžýůďťňĚŠČŘŽÝŮĎŤŇ"

// Of guesses the language of a text by its beginning: Chinese shows in any
// character, Czech in a letter of its own or in a common word. A name or a word of
// either in an English sentence does not count.
func Of(text string) string {
	const enough = 1000 // bytes
	text = text[:min(len(text), enough)]
	found, han := English, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			found, han = Chinese, han+1
		case found == English && strings.ContainsRune(czechLetters, r):
			found = Czech
		}
	}
	switch {
	case found == Chinese && inEnglish(text, han), found == Czech && !czech().MatchString(text) && onlyNames(text) && inEnglish(text, 0):
		return English
	case found == English && czech().MatchString(text):
		return Czech
	}
	return found
}

// onlyNames tells whether the Czech letters of a text are in names: in words with a
// capital, but for the first.
func onlyNames(text string) bool {
	for i, w := range strings.Fields(text) {
		if first, _ := utf8.DecodeRuneInString(w); strings.ContainsAny(w, czechLetters) && (i == 0 || !unicode.IsUpper(first)) {
			return false
		}
	}
	return true
}

// inEnglish tells whether a text is English in spite of so many Chinese characters: it
// has two English words outside of quotation marks, and more words in all.
func inEnglish(text string, han int) bool {
	text = quoted.ReplaceAllString(text, " ")
	words := english().FindAllString(text, -1)
	return len(words) > 1 && len(strings.Fields(text)) > han
}
