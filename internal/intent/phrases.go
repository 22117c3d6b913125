package intent

import (
	"embed"
	"io/fs"
	"regexp"
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
	b, err := phrase.Read(folder, map[string]string{})
	if err != nil {
		panic(err)
	}
	return b
})

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
		all[i] = pattern{sync.OnceValue(func() *regexp.Regexp { return compile(exprOf(p)) })}
	}
	return all
}

// anyPhrase gives one pattern for all phrases of a kind.
func anyPhrase(kind string) pattern {
	return pattern{sync.OnceValue(func() *regexp.Regexp {
		var all []string
		for _, p := range kindOfWords(kind).Phrases {
			all = append(all, exprOf(p))
		}
		return compile(strings.Join(all, "|"))
	})}
}

// exprOf is the expression of a phrase. That all can be read is tested.
func exprOf(p *phrase.Phrase) string {
	expr, err := p.Expr()
	if err != nil {
		panic(p.Where + ": " + err.Error())
	}
	return expr
}
