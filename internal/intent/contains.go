package intent

import (
	"strings"

	"loci"
	"loci/internal/lang"
)

var (
	yesIn     = lang.Words{EN: "Yes, “%s” is in %s, in %s:\n%s", ZH: "有，“%s”在 %s 中，共 %s：\n%s", CS: "Ano, „%s“ je v souboru %s, %s:\n%s"}
	notIn     = lang.Words{EN: "No, “%s” does not occur in %s.", ZH: "没有，“%s”没有出现在 %s 中。", CS: "Ne, „%s“ se v souboru %s nevyskytuje."}
	linesWord = lang.Counted{One: "line", Many: "lines", ZH: "行", CSOne: "řádek", CSFew: "řádky", CSAll: "řádků"}

	// aClause is no text to look for but what somebody wants to know, or how much.
	aClause = newPattern(`^(?:who|when|where|what|which|why|how|whether|if|that|anything|something|enough|more|less|fewer|\d+|kdo|kdy|kde|co|jak|jestli|zda)(?: |$)|^(?:什么|谁|哪)`)
	// judged is what somebody has to find by reading, not by its name.
	judged = newPattern(`^(?:typos?|mistakes?|duplicates?|misspellings?|(?:spelling|grammar) .+|bugs?|chyby v .+|překlep\pL*)$|^错别字$`)
	// beforeText are words before the text that is looked for.
	beforeText = newPattern(`^(?:(?:the|a|an|any|some|my|nějak\pL+) )*(?:(?:word|text|phrase|string|name|term|slovo|text|výraz|jméno) )?(?P<rest>\S.*)$`)
)

// containsRules ask whether a text is in one file. It must surely be a file: what
// a cat has, or the sun contains, is no text in one.
func containsRules() []rule {
	return []rule{{newPatterns(
		`^(?:does|do|did) (?P<where>.+?) (?:contain|mention|include|have|say|talk about|refer to|speak of)(?: anywhere)? (?P<text>.+?)(?: in it| anywhere| at all)*$`,
		`^(?:is|are|was|were) there (?P<text>.+?) (?:in|inside) (?P<where>.+)$`,
		`^(?:is|are|was|were) (?P<text>.+?)(?: (?:mentioned|written|contained|named|found|listed|included|anywhere))* (?:in|inside) (?P<where>.+)$`,
		// Chinese
		`^(?P<where>\S+?)\s*(?:里面|里|中)?(?:是否|有没有|是不是)(?:提到|包含|出现|含有|有)?(?:了|过)?\s*(?P<text>.+?)(?:这个词|这个字|一词)?$`,
		`^(?P<where>\S+?)\s*(?:里面|里|中)?(?:提到|包含|出现|含有)(?:了|过)?\s*(?P<text>.+?)(?:这个词|这个字|一词)?(?:吗|了吗)?$`,
		// Czech
		`^(?:obsahuje|zmiňuje)(?: soubor)? (?P<where>\S+) (?P<text>.+)$`, `^(?:je|jsou|byla?|byly)(?: tam)? (?P<text>.+?) (?:v|ve) (?P<where>.+)$`,
	), func(u *utterance, m captures) goal {
		path, ok := u.file(m["where"])
		if !ok || !isKnownFile(path) || aClause.has(m["text"]) {
			return nil
		}
		named, inQuotes := unquote(strip(m["text"], beforeText))
		// More than two words may be said in others, so a plain no would be wrong.
		if !inQuotes && (len(strings.Fields(named)) > 2 || aClause.has(named) || vagueWord.has(named) || judged.has(named)) {
			return nil
		}
		return u.contains(named, path)
	}}}
}

// contains makes the goal of telling whether a text is in a file, in whatever
// case it stands there.
func (u *utterance) contains(text, path string) goal {
	text = logWord(text)
	return oneCall{searchFiles, arguments{"path": path, "content": strings.ToLower(text)}, func(u *utterance, r loci.ToolResult) string {
		result := decode[searchResult](r)
		switch {
		case result.Lines == nil, *result.Lines == 0 && result.Note != "":
			return "" // the tool tells what it did not search
		case *result.Lines == 0:
			return notIn.In(u.Lang, text, path)
		default:
			return yesIn.In(u.Lang, text, path, linesWord.In(u.Lang, *result.Lines), quoteLines(u.Lang, hits(r)))
		}
	}}
}
