package intent

import (
	"embed"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"loci/internal/intent/phrase"
)

// The phrases of a family are in the file of its name in the folder phrases; package
// phrase says how they are written. What they lead to is code: the rules.

//go:embed phrases/*.txt
var phraseFiles embed.FS

// book is read when the first phrase is needed. That its files can be read is tested.
var book = sync.OnceValue(func() *phrase.Book {
	folder, err := fs.Sub(phraseFiles, "phrases")
	if err != nil {
		panic(err)
	}
	b, err := phrase.Read(folder, given)
	if err != nil {
		panic(err)
	}
	return b
})

// given are lists of words that rules in code use as well.
var given = map[string]string{
	"file":        unnamed(fileName),
	"file before": fileBefore,
	"some text":   unnamed(someText),
	"few words":   fewWords,
	"quotes":      inQuotes,
	"zh computer": computerZH,
	"nth line":    nthLine,
	"app":         appNames,
	"program":     programNames,
	"city":        bigCity + "|" + manyZones,
}

// unnamed is what stands in an expression that has a name.
func unnamed(expr string) string {
	_, expr, _ = strings.Cut(strings.TrimSuffix(expr, ")"), ">")
	return expr
}

// kindOfWords is the kind of that name in the book.
func kindOfWords(name string) *phrase.Kind {
	k := book().Kind(name)
	if k == nil {
		panic("there are no phrases " + name)
	}
	return k
}

// phrasesOf gives the phrases of a kind, each as a pattern.
func phrasesOf(kind string) []pattern {
	k := kindOfWords(kind)
	all := make([]pattern, len(k.Phrases))
	for i, p := range k.Phrases {
		all[i] = patternOf(p)
	}
	return all
}

// patternOf gives one pattern for some phrases of one language.
func patternOf(phrases ...*phrase.Phrase) pattern {
	return pattern{chinese: phrases[0].Lang == "zh", compiled: sync.OnceValue(func() *regexp.Regexp {
		all := make([]string, len(phrases))
		for i, p := range phrases {
			all[i] = exprOf(p)
		}
		return compile(strings.Join(all, "|"))
	})}
}

// patternFor gives one pattern for the phrases of a kind, to find all places with it.
func patternFor(kind string) pattern {
	return pattern{compiled: sync.OnceValue(func() *regexp.Regexp { return patternOf(kindOfWords(kind).Phrases...).compiled() })}
}

// words are what sentences begin with, end in, or are about: a kind of which it does
// not matter which phrase it is.
type words struct{ patterns func() []pattern }

// wordsOf gives the words of a kind.
func wordsOf(kind string) words {
	return words{sync.OnceValue(func() (all []pattern) {
		var chinese, others []*phrase.Phrase
		for _, p := range kindOfWords(kind).Phrases {
			if p.Lang == "zh" {
				chinese = append(chinese, p)
			} else {
				others = append(others, p)
			}
		}
		for _, some := range [][]*phrase.Phrase{others, chinese} {
			if len(some) > 0 {
				all = append(all, patternOf(some...))
			}
		}
		return all
	})}
}

// has tells whether they occur.
func (w words) has(s string) bool {
	return slices.ContainsFunc(w.patterns(), func(p pattern) bool { return p.has(s) })
}

// match gives the named parts of the first that fits.
func (w words) match(s string) (captures, bool) {
	for _, p := range w.patterns() {
		if m, ok := p.match(s); ok {
			return m, true
		}
	}
	return nil, false
}

// exprOf is the expression of a phrase. That all can be read is tested.
func exprOf(p *phrase.Phrase) string {
	expr, err := p.Expr()
	if err != nil {
		panic(p.Where() + ": " + err.Error())
	}
	return expr
}

// rewriting puts sentences in other words, by the phrases of a kind one after the other.
type rewriting struct{ steps func() []rewrite }

// rewrite is one of its steps.
type rewrite struct {
	from pattern
	into string
}

// rewritten makes one.
func rewritten(kind string) rewriting {
	return rewriting{sync.OnceValue(func() (steps []rewrite) {
		for _, p := range kindOfWords(kind).Phrases {
			steps = append(steps, rewrite{patternOf(p), p.Replacement()})
		}
		return steps
	})}
}

// of is the sentence in other words, or as it is.
func (r rewriting) of(words string) string {
	for _, s := range r.steps() {
		words = strings.TrimSpace(s.from.compiled().ReplaceAllString(words, s.into))
	}
	return words
}
