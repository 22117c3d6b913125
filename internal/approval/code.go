package approval

import (
	"crypto/rand"
	"strings"
	"unicode"
)

// The characters of a code. None is easily taken for another, of either kind, so
// a code can be read aloud and typed. There are 8 and 16 of them: a random byte
// picks one without favouring any.
const (
	codeDigits  = "23456789"
	codeLetters = "ACDEFHJKMNPRTWXY"
)

const (
	codeLength = 3 // of the shortest code
	codeDraws  = 8 // at a length, before the next one is tried
)

// isCode tells whether a text has the form of a code: digit, letter, digit, and
// so on. No word of any language does.
func isCode(s string) bool {
	if len(s) < codeLength || len(s)%2 == 0 {
		return false
	}
	for i := range len(s) {
		if !strings.Contains(codeCharacters(i), s[i:i+1]) {
			return false
		}
	}
	return true
}

// codeCharacters are those that may stand at a place of a code.
func codeCharacters(place int) string {
	if place%2 == 0 {
		return codeDigits
	}
	return codeLetters
}

// NewCode makes a random code that is not taken. It has three characters, and
// two more as soon as a few draws were all taken.
func NewCode(taken func(code string) bool) string {
	for length := codeLength; ; length += 2 {
		for range codeDraws {
			if code := draw(length); !taken(code) {
				return code
			}
		}
	}
}

// draw makes a random code of a length.
func draw(length int) string {
	code := make([]byte, length)
	_, _ = rand.Read(code) // never fails: see crypto/rand
	for i, b := range code {
		from := codeCharacters(i)
		code[i] = from[int(b)%len(from)]
	}
	return string(code)
}

// sameLook gives for Cyrillic letters the Latin ones of codes that look and sound
// the same: who answers in Russian need not switch the keyboard.
var sameLook = strings.NewReplacer("А", "A", "Е", "E", "К", "K", "М", "M", "Т", "T")

// codeOf reads a word, as fold has it, as a code; "" if it is none.
func codeOf(word string) string {
	code := sameLook.Replace(strings.ToUpper(word))
	if !isCode(code) {
		return ""
	}
	return code
}

// meantAsCode is the code that a word is, or that it seems to be meant as: one that
// names no question is told to the person, instead of taken for another message.
func meantAsCode(word string) string {
	if code := codeOf(word); code != "" {
		return code
	}
	const shortest, longest = 2, 6
	digit := false
	for _, r := range word {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return ""
		}
		digit = digit || unicode.IsDigit(r)
	}
	if len(word) < shortest || len(word) > longest || !digit {
		return ""
	}
	return strings.ToUpper(word)
}
