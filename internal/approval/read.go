package approval

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"loci"
)

// Verdict is what an answer says.
type Verdict int

// The verdicts. The zero value is no answer, so that a forgotten case does
// nothing.
const (
	None Verdict = iota
	Yes
	No
)

// Answer is what a message says to a question.
type Answer struct {
	Verdict Verdict
	// Codes are the questions it names, each once; some may belong to none. Without
	// a verdict they are those of a message that holds nothing but codes, which is
	// no answer but worth a reminder of how to give one.
	Codes []string
	// All is set when it says so of all questions and names none.
	All bool
	// Span is for how long a yes is meant; empty: it does not say, so once.
	Span loci.GrantSpan
}

// longestAnswer bounds an answer in bytes; what is longer is something else.
const longestAnswer = 200

// Read reads a message as an answer. It is one only if all of it is words for
// yes, or words for no, with courtesies and codes; anything else in it, or a yes
// beside a no, makes it none: the person may have meant more than was understood.
func Read(message string) Answer {
	if len(message) > longestAnswer || !utf8.ValidString(message) {
		return Answer{}
	}
	words, ok := split(fold(message))
	if !ok {
		return Answer{}
	}
	var said [kinds]bool
	var codes []string
	var spans []loci.GrantSpan
	halts := false
	for len(words) > 0 {
		if span, n := spanIn(words); n > 0 {
			spans, words = append(spans, span), words[n:]
			continue
		}
		if code := meantAsCode(words[0]); code != "" {
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
			words = words[1:]
			continue
		}
		k, n := match(words)
		halts = halts || k == no && halting()[strings.Join(words[:n], " ")]
		words = words[n:]
		if k == unknown || k == link && !leads(words) {
			return Answer{}
		}
		said[k] = true
	}
	switch {
	case said[unclear], said[yes] && said[no], len(spans) > 1, len(spans) > 0 && !said[yes]:
		return Answer{}
	case said[yes]:
		a := Answer{Verdict: Yes, Codes: codes, All: said[all] && codes == nil}
		if len(spans) > 0 {
			a.Span = spans[0]
		}
		return a
	case said[no]:
		return Answer{Verdict: No, Codes: codes, All: (said[all] || halts) && codes == nil}
	case said[all]:
		return Answer{}
	}
	return Answer{Codes: codes}
}

// leads tells whether the next word is a code, or another link to one.
func leads(words []string) bool {
	for len(words) > 0 {
		if meantAsCode(words[0]) != "" {
			return true
		}
		k, n := match(words)
		if words[0] != stop && k != link {
			return false
		}
		words = words[n:]
	}
	return false
}

// match finds the longest phrase that words begin with, its kind and how many
// words it takes.
func match(words []string) (kind, int) {
	if words[0] == stop {
		return polite, 1
	}
	known, longest := phrases()
	for n := min(len(words), longest); n > 0; n-- {
		if k, ok := known[strings.Join(words[:n], " ")]; ok {
			return k, n
		}
	}
	return unknown, 1
}

// acutes are what keyboards put where an apostrophe belongs and Unicode folds
// into something else.
var acutes = strings.NewReplacer("´", "'", "ʼ", "'")

// fold takes away the differences that say nothing: of case, of width, of how a
// letter with a mark is made up.
func fold(s string) string {
	s = acutes.Replace(norm.NFKC.String(acutes.Replace(s))) // folding makes some anew
	return norm.NFKC.String(strings.ToLower(s))
}

// stop stands between words for punctuation that no phrase crosses.
const stop = ""

const (
	// soft are the characters that stand between the words of a phrase, or
	// around it: those of quotations and of Markdown, what joins words, and
	// characters that do not show. A skin tone or variation belongs to the emoji
	// before it.
	soft = " \t\u00a0'‘’‚‛\"“”„‟«»‹›`*_#-\u2010" + "\u200b\u200c\u200d\u2060\ufeff" + "\ufe0e\ufe0f🏻🏼🏽🏾🏿"
	// hard are those that end a phrase. There is no question mark: who asks back
	// has not answered.
	hard = "\n\r.,!;:…()[]–—。、·・¡•「」『』【】《》"
)

// split splits a folded text into words and stops. A Chinese character and an
// emoji are a word each. It fails at what belongs into no answer: a struck-out
// yes, a quoted line, a tag.
func split(s string) (words []string, ok bool) {
	rs := []rune(s)
	for i := 0; i < len(rs); i++ {
		r, from := rs[i], i
		switch {
		case strings.ContainsRune(soft, r):
		case strings.ContainsRune(hard, r):
			words = append(words, stop)
		case r == '~' || r == '〜':
			if !drawl(rs, i) {
				return nil, false
			}
		case unicode.Is(unicode.Han, r) || unicode.IsSymbol(r):
			words = append(words, string(r))
		case inWord(r):
			for i+1 < len(rs) && inWord(rs[i+1]) {
				i++
			}
			words = append(words, string(rs[from:i+1]))
		default:
			return nil, false
		}
	}
	return words, true
}

// inWord tells whether a character is part of a word that spaces set off.
func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
}

// drawl tells whether a tilde draws out the word before it, as in 好的~, rather
// than strikes one out.
func drawl(rs []rune, at int) bool {
	return at > 0 && (unicode.IsLetter(rs[at-1]) || rs[at-1] == rs[at]) &&
		(at+1 == len(rs) || !unicode.IsLetter(rs[at+1]) && !unicode.IsDigit(rs[at+1]))
}
