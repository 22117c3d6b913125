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
	mixedToken  = 8  // tenths of a token for a letter or digit of a stretch in no order
	mixedLeast  = 16 // bytes that such a stretch has
)

// Tokens estimates how many tokens a model makes of a text of which nothing is known but
// the text. It is within a tenth for English, code, JSON and logs with the embedded
// model's tokenizer, and errs on the long side for those with larger vocabularies. Scripts
// other than Latin vary threefold from model to model: one token for a character of
// Chinese, Japanese or Korean, and seven for ten letters of other alphabets lie between
// those that know them and those that do not. It takes some nanoseconds a byte.
func Tokens(s string) int { return Make(s).Tokens(Weights{}) }

// Makeup is what a text is made of, by the kinds that tokenizers differ in: the usual
// estimate of each, in tenths of a token.
type Makeup struct{ words, names, marks, blanks, digits, accents, han, letters, mixed, pictures int }

// Weights say how many tokens a model makes of each kind of text for one of the usual
// estimate. One that is 0 counts as 1. Pictures, and other marks that are no ASCII, are
// as usual.
type Weights struct {
	Words   float64 // behind a blank
	Names   float64 // letters that are not behind a blank, such as parts of a name
	Marks   float64
	Blanks  float64 // but for the one before a word; ends of lines
	Digits  float64
	Accents float64 // letters of other Latin alphabets than the English one
	Han     float64 // Chinese, Japanese, Korean
	Letters float64 // of other alphabets
	Mixed   float64 // letters and digits in no order, such as base64
}

// Tokens is how many tokens a model makes of a text.
func (m Makeup) Tokens(w Weights) int {
	if w == (Weights{}) {
		return (m.words+m.names)/10 + (m.marks+m.blanks)/10 + (m.digits+m.accents+m.han+m.letters+m.mixed+m.pictures+9)/10
	}
	return int(m.exact(w) + 0.999)
}

// exact is Tokens without rounding.
func (m Makeup) exact(w Weights) float64 {
	n := float64(m.pictures)
	for i, weight := range [...]float64{w.Words, w.Names, w.Marks, w.Blanks, w.Digits, w.Accents, w.Han, w.Letters, w.Mixed} {
		if weight == 0 {
			weight = 1
		}
		n += float64(*m.kinds()[i]) * weight
	}
	return n / 10
}

// kinds are those that have a weight, in the order of the weights.
func (m *Makeup) kinds() [9]*int {
	return [...]*int{&m.words, &m.names, &m.marks, &m.blanks, &m.digits, &m.accents, &m.han, &m.letters, &m.mixed}
}

// Make finds out what a text is made of.
func Make(s string) Makeup {
	var c counter
	for i, r := range s {
		k := single
		if r < 0x80 {
			k = kinds[r]
		}
		if k == c.run { // most of a text
			c.length++
			continue
		}
		c.add(k, r, i)
	}
	c.close()
	c.end(len(s))
	return c.made
}

// kind is what tokenizers keep apart.
type kind byte

const (
	none kind = iota
	letters
	capitals
	marks
	blanks
	tabs // which belong to no word
	ends // of lines
	single
)

// counter counts the tokens of runs of one kind.
type counter struct {
	made   Makeup
	run    kind
	length int
	apart  bool // it is behind a blank

	// The stretch of letters and digits that the run is in.
	begun  bool
	start  int // its first byte
	runs   int
	before Makeup
}

// add begins a run, or goes on with that of a word with a capital letter.
func (c *counter) add(k kind, r rune, at int) {
	if k == letters || k == capitals || k == single && r < 0x80 {
		c.stretch(k, at)
	} else {
		c.end(at)
	}
	switch {
	case k == single:
		c.close()
		c.one(r)
		return
	case k == letters && c.run == capitals && c.length == 1: // a word with a capital letter
		c.length++
	case c.run == blanks && c.length == 1 && (k == letters || k == capitals || k == marks):
		c.length, c.apart = 1, true // the blank before a word belongs to it
	default:
		c.close()
		c.length = 1
	}
	c.run = k
}

// stretch follows letters and digits that nothing stands between. What was counted before
// is noted once it has a second run, which most have not.
func (c *counter) stretch(k kind, at int) {
	if !c.begun {
		c.begun, c.start, c.runs = true, at, 0
		if k == single { // it is counted at once
			c.close()
			c.before = c.made
		}
	} else if c.runs == 1 && c.run != none { // a digit leaves none
		c.before = c.made
	}
	c.runs++
}

// end ends the stretch, if there is one.
func (c *counter) end(at int) {
	if c.begun && at-c.start >= mixedLeast {
		c.unravel(at - c.start)
	}
	c.begun = false
}

// unravel looks at a stretch of n bytes. One in which the kinds change all the time has no
// words in it: tokenizers make of it about as many tokens whatever they take for a word.
func (c *counter) unravel(n int) {
	if c.runs*2 <= n {
		return
	}
	if c.close(); c.made.digits-c.before.digits < n*5 {
		c.made = c.before
		c.made.mixed += mixedToken * n
	}
}

// close counts the run that ends.
func (c *counter) close() {
	words := &c.made.names
	if c.apart {
		words = &c.made.words
	}
	switch n := c.length; c.run {
	case letters:
		*words += 10 + 10*(max(0, n-wordToken+moreLetters-1)/moreLetters)
	case capitals:
		*words += 10 * ((n + capsToken - 1) / capsToken)
	case marks:
		c.made.marks += 10 * ((n + markToken - 1) / markToken)
	case blanks, tabs, ends:
		c.made.blanks += 10
	}
	c.run, c.length, c.apart = none, 0, false
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
	case r >= '0' && r <= '9':
		return single
	case r == ' ':
		return blanks
	case r == '\t':
		return tabs
	case r == '\n' || r == '\r':
		return ends
	}
	return marks
}

// one counts a character that no word is made of.
func (c *counter) one(r rune) {
	m := &c.made
	switch {
	case r < 0x80: // a digit
		m.digits += 10
	case r < 0x250:
		m.accents += accents
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		m.han += 10
	case unicode.IsLetter(r):
		m.letters += abroad
	case r >= 0x3000 && r < 0x3100 || r >= 0xFF00 && r < 0xFFF0: // the punctuation of these
		m.han += 10
	case r < 0x3000: // other punctuation
		m.pictures += 10
	default:
		m.pictures += pictures
	}
}
