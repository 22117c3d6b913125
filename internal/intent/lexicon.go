package intent

import (
	"strconv"
	"strings"
)

// A lexicon says what words mean. It takes them as patterns do: in any case, and
// Czech ones with or without their marks.
type lexicon[V any] struct{ meanings map[string]V }

// newLexicon makes one of words as they are written.
func newLexicon[V any](meanings map[string]V) lexicon[V] {
	l := lexicon[V]{make(map[string]V, len(meanings))}
	for word, v := range meanings {
		l.meanings[bare(word)] = v
	}
	return l
}

// of is what a word means; ok is false for one that is not in it.
func (l lexicon[V]) of(word string) (v V, ok bool) {
	v, ok = l.meanings[bare(word)]
	return v, ok
}

// or is what a word means, or other.
func (l lexicon[V]) or(word string, other V) V {
	if v, ok := l.of(word); ok {
		return v
	}
	return other
}

// bareLetters takes the marks off the letters that accents may leave them off.
var bareLetters = strings.NewReplacer(
	"á", "a", "č", "c", "ď", "d", "é", "e", "ě", "e", "í", "i", "ň", "n",
	"ó", "o", "ř", "r", "š", "s", "ť", "t", "ú", "u", "ů", "u", "ý", "y", "ž", "z",
)

// bare is a word without case and Czech marks.
func bare(word string) string { return bareLetters.Replace(strings.ToLower(word)) }

// atoi is the number that digits write; 0 if they write none.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
