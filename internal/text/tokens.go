package text

import "unicode"

// Sizes of what tokenizers make of texts. They cut a text into words, digits,
// punctuation and blanks first, and never make a token across; so a log, which is
// numbers and marks, takes twice the tokens of a letter of the same length. The
// numbers are fitted to the embedded model's tokenizer (49,152 entries), whose
// small vocabulary makes rather more of a text than others do; see the tests.
const (
	wordToken   = 7  // letters of a word that are one token,
	moreLetters = 3  // and further ones that are another
	capsToken   = 3  // capital letters in a row
	markToken   = 3  // and other marks in a row that are one
	accents     = 14 // tenths of a token for a letter with an accent
	abroad      = 7  // tenths of a token for a letter of another alphabet
	pictures    = 20 // tenths of a token for what is no letter, such as an emoji
)

// Tokens estimates how many tokens a model makes of a text. It is within a tenth
// for English, code, JSON and logs with the embedded model's tokenizer, and errs on
// the long side for those with larger vocabularies. Scripts other than Latin vary
// threefold from model to model: one token for a character of Chinese, Japanese or
// Korean, and seven for ten letters of other alphabets lie between those that know
// them and those that do not. It takes some nanoseconds a byte.
func Tokens(s string) int {
	var c counter
	for _, r := range s {
		if r < 0x80 && kinds[r] == c.run && c.run != single { // most of a text
			c.length++
			continue
		}
		c.add(r)
	}
	c.close()
	return c.tokens + (c.tenths+9)/10
}

// kind is what tokenizers keep apart.
type kind byte

const (
	none kind = iota
	letters
	capitals
	marks
	blanks
	ends // of lines
	single
)

// counter counts the tokens of runs of one kind.
type counter struct {
	tokens, tenths int
	run            kind
	length         int
}

func (c *counter) add(r rune) {
	k := kindOf(r)
	switch {
	case k == single:
		c.close()
		c.tenths += tenths(r)
	case k == c.run:
		c.length++
		return
	case k == letters && c.run == capitals && c.length == 1: // a word with a capital letter
		c.length++
	case c.run == blanks && c.length == 1 && (k == letters || k == capitals || k == marks):
		c.length = 1 // the blank before a word belongs to it
	default:
		c.close()
		c.length = 1
	}
	c.run = k
}

// close counts the run that ends.
func (c *counter) close() {
	switch n := c.length; c.run {
	case letters:
		c.tokens += 1 + max(0, n-wordToken+moreLetters-1)/moreLetters
	case capitals:
		c.tokens += (n + capsToken - 1) / capsToken
	case marks:
		c.tokens += (n + markToken - 1) / markToken
	case blanks, ends:
		c.tokens++
	}
	c.run, c.length = none, 0
}

// kinds are those of the ASCII characters.
var kinds = func() (table [0x80]kind) {
	for r := range table {
		table[r] = kindOf(rune(r))
	}
	return table
}()

func kindOf(r rune) kind {
	switch {
	case r >= 'a' && r <= 'z':
		return letters
	case r >= 'A' && r <= 'Z':
		return capitals
	case r >= '0' && r <= '9', r >= 0x80:
		return single
	case r == ' ' || r == '\t':
		return blanks
	case r == '\n' || r == '\r':
		return ends
	}
	return marks
}

// tenths is what a character takes that no word is made of.
func tenths(r rune) int {
	switch {
	case r < 0x80: // a digit
		return 10
	case r < 0x250:
		return accents
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return 10
	case unicode.IsLetter(r):
		return abroad
	case r < 0x3100: // punctuation
		return 10
	}
	return pictures
}
