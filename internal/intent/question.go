package intent

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"loci"
	"loci/internal/lang"
)

// A question about the text of a file is not answered, which takes understanding,
// but the lines are shown that have its words. That is right more often than what
// a small model makes of them.

const (
	shortLines = 12   // a text of so few lines is shown whole
	shortText  = 1000 // and bytes
	bestLines  = 5    // shown of a longer one
)

var (
	// asks is how a question begins, or a request that needs the text of a file.
	asks = newPattern(`^(?:who|whom|whose|when|where|what|what's|which|how|why|is|are|was|were|does|do|did|has|have|can|should|according to|in|from|tell|give|show|find|list|explain|describe|translate|rewrite|correct|extract|quote|look|check|name)(?: |$)|[?？]$|什么|谁|哪|多少|几|吗|怎么|翻译|解释|^(?:kdo|kdy|kde|co|kolik|který|která|které|jak|jaký|jaká|jaké|proč|komu|kam|čí|je|jsou|podle|přelož|vysvětli)(?: |$)`)
	// asksFact is the part of it that may go on from a file spoken of before.
	asksFact = newPattern(`^(?:who|whom|whose|when|where|which|how many|how much|what does|does|kdo|kdy|kde|komu|kolik) `)
	// papers are what people call their files without a name.
	papers = newPattern(`(?:^|[ ,])(?:(?:my|our|moje|můj|mých|mém|mého|svém) (?P<noun>notes?|letters?|logs?|diary|journal|reports?|recipes?|invoices?|shopping list|to-?do list|to-?do|plan|contract|budget|resume|cv|essay|thesis|poznámky|poznámkách|poznámek|dopis\pL*|deník\pL*|recept\pL*)|the (?P<noun>letter|notes|logs?|log file|readme|recipe|report|invoice|shopping list|to-?do list))(?: (?:file|document))?(?:$|[ ,?.]+(?P<after>.*))|(?:我的)(?P<noun>笔记|日记|信|报告|购物清单|菜谱|日志)`)
	// writes begins requests for a text of the model's own, or for advice.
	writes = newPattern(`^(?:write|compose|imagine|define|rewrite|recommend|suggest|how (?:do|does|did|can|could|should) (?:i|you|we|they|people|one|an?)|what (?:is|are) (?:an?|the (?:best|difference|meaning|point|purpose)))(?: |$)`)
	// aboutChange asks about changing a file, which its text does not tell.
	aboutChange = newPattern(`^(?:if|what if|suppose|say|would|should|can|could|may|must|did|do|does|why|what|how|when|is it|co|proč|mám|můžu|jak)(?: .*)? ["'“]?(?:delete|deleted|remove|removed|erase|erased|rename|renamed|move|moved|replace|replaced|changed|overwrite|overwrote|smaž\pL*|smazat|přejmen\pL+|odstran\pL+)(?: |$)|(?:为什么|应该|要不要|能不能|可以).*(?:删除|重命名|移动)`)
	// oneLetter is a letter that is no paper.
	oneLetter = newPattern(`^["']?[a-z]["']?(?: |$)|^of `)
	// mine asks for what only the person's own files can know.
	mine = newPatterns(
		`^how (?:many|much) (?P<what>.+?) (?:do|did|should|must|have) (?:i|we) (?:still )?(?:need|have to buy|need to buy|buy|bought|use|take|bring|owe|spend|spent|pay|paid|order|have)(?: .*)?$`,
		`^(?:what|when|where|who)(?:'s| is| are| was| were) (?:my|our) (?P<what>.+)$`, `^(?:when|where|what time) (?:do|did|is|are|was|have|should|must|will|does) (?:i|we|my|our) (?P<what>.+)$`,
		`^what (?:did|do|have|should|must) (?:i|we) (?:write|note|say|save|wrote|written|buy|have to buy|need to buy|need for|need to do|have to do|bring|promise)(?: down)?(?: about| on| for)? ?(?P<what>.*)$`,
		`^我的(?P<what>.+?)(?:是什么|是多少|在哪里?|是什么时候|什么时候)$`, `^我需要(?:买)?(?:多少|几)(?:个|只|克)?(?P<what>.+)$`,
		`^(?:jaké|jaký|jaká|kde|kdy|kdo|co) (?:je|jsou|mám|má) (?:můj|moje|má|mé|moji) (?P<what>.+)$`, `^kolik (?P<what>\pL+) (?:potřebuji|potřebuju|mám koupit|musím koupit)(?: .*)?$`,
	)
	// aboutMine is what no rule understood about this person's own things.
	aboutMine = newPattern(`(?:^|[ ,])(?:my|our|this|these) (?:\pL+ )?(?:files?|folders?|notes?|documents?|logs?|letters?|computer|machine|laptop|pc|disk|hard drive|memory|processor|director(?:y|ies)|pictures|photos|downloads)(?:$|[ ,.?])|我的(?:文件|文件夹|笔记|文档|日志|电脑|硬盘|照片)|(?:mé|moje|moji|mých|svých|můj|mém|svém) (?:soubor\pL*|složk\pL*|poznám\pL*|dokument\pL*|počítač\pL*|disk\pL*)`)
	fillers   = newPattern(`^(?:what|whats|when|where|which|who|whom|whose|why|how|many|much|does|did|do|the|and|for|from|with|that|this|these|those|there|have|has|had|need|needs|was|were|are|is|according|says|say|said|tell|give|show|find|list|about|most|more|file|files|text|document|letter|notes|note|log|list|anything|something|all|any|my|our|you|your|can|could|should|would|will|must|into|item|items|get|got|bought|buy|write|wrote|written|please|its|his|her|explain|describe|translate|extract|one|sentence|podle|soubor\pL*|který|která|které|kolik|kdy|kde|kdo|jaký|jaká|jaké|jsou|mám|mají)$`)
	nothingOf = lang.Words{EN: "I find nothing about “%s” in your files.", ZH: "在您的文件中没有找到关于“%s”的内容。", CS: "Ve vašich souborech o „%s“ nic nenacházím."}
	noneOf    = lang.Words{EN: "I do not find these words in %s. It begins:\n%s", ZH: "在 %s 中没有找到这些词。它的开头是：\n%s", CS: "V souboru %s tato slova nenacházím. Začíná takto:\n%s"}
	lineOf    = lang.Words{EN: "%s, line %d: %s", ZH: "%s 第 %d 行：%s", CS: "%s, řádek %d: %s"}
	canLookUp = lang.Words{
		EN: "I cannot do that, but I can look things up in files: try “Which files changed today?” or “Which file mentions soup?”",
		ZH: "这个我做不到，但我可以在文件中查找内容：试试“今天修改了哪些文件？”或“哪个文件提到了汤？”",
		CS: "To neumím, ale umím hledat v souborech: zkuste „Které soubory se dnes změnily?“ nebo „Který soubor obsahuje slovo polévka?“",
	}
)

// questionRules take a question that names a file, or papers of the person's own,
// and that no other rule understood.
func questionRules() []rule {
	return slices.Concat([]rule{
		{newPatterns(`^(?P<all>.+)$`), func(u *utterance, m captures) goal {
			file := u.fileNamed()
			if file == "" || len(u.filesNamed()) > 1 || !asks.has(u.core) && !asks.has(strings.TrimSpace(u.Text)) || strings.HasPrefix(strings.ToLower(u.core), "i ") || aboutChange.has(u.core) {
				return nil
			}
			return document{path: file, ask: strings.Replace(m["all"], file, "", 1)}
		}},
		{newPatterns(`^(?P<all>.+)$`), func(u *utterance, m captures) goal {
			g, ok := u.paper(m["all"])
			if !ok || !asks.has(u.core) || writes.has(u.core) {
				return nil
			}
			g.ask = m["all"]
			return g
		}},
	}, []rule{{mine, func(u *utterance, m captures) goal {
		if words := askedWords(m["what"]); len(words) > 0 {
			return recall{words}
		}
		return nil
	}}})
}

// fileQuestions take a question for a fact that goes on from a file: "who is it
// from?".
func fileQuestions() []rule {
	return []rule{{[]pattern{asksFact}, func(u *utterance, _ captures) goal {
		file := u.fileNamed()
		if file == "" {
			return nil
		}
		return document{path: file, ask: strings.Replace(u.core, file, "", 1)}
	}}}
}

// paperNames are the English names that papers have where people name files so.
var paperNames = map[string]string{
	"letters": "letter", "log file": "log", "logs": "log", "shopping list": "shopping", "to-do list": "todo", "todo list": "todo", "to-do": "todo", "reports": "report", "recipes": "recipe", "invoices": "invoice",
}

// paper makes the goal of reading a paper of the person's own, whose file is
// probably named like it.
func (u *utterance) paper(words string) (document, bool) {
	m, ok := papers.match(words)
	if !ok || oneLetter.has(m["after"]) {
		return document{}, false
	}
	noun := strings.ToLower(m["noun"])
	return document{path: cmp.Or(paperNames[noun], noun), called: noun}, true
}

// lastResort keeps questions about what is on this machine away from the model,
// which knows nothing of it and does not say so.
func lastResort(u *utterance) loci.Move {
	switch {
	case sumAsked.has(u.core):
		return loci.Move{Say: cannotSum.In(u.Lang)}
	case talkOpening.has(u.core) || talkAbout.has(u.core):
		return letTalk
	case aboutMine.has(u.core), u.offers(searchFiles) && u.aboutFiles():
		return loci.Move{Say: canLookUp.In(u.Lang)}
	}
	return letTalk
}

// aboutFiles tells whether the words ask about files that are there, or name one
// and say what to do with it.
func (u *utterance) aboutFiles() bool {
	files := u.filesNamed()
	return len(files) > 0 && !strings.HasPrefix(u.core, files[0]) || whichFile.has(u.core) && !filesAtLarge.has(u.core)
}

var (
	// whichFile asks for some of the files there are, but not for those that
	// something needs.
	whichFile    = newPattern(`^which(?: of (?:my|the|these))? (?:files?|folders?) (?:is|are|was|were|has|have|had|did|contains?|starts?|ends?|can i|do i have)(?: |$)|^(?:哪个|哪些)文件(?:是|有|在|被)|^(?:který soubor|které soubory) (?:je|jsou|má|mají|byly?|mám) `)
	filesAtLarge = newPattern(`\b(?:needed|required|necessary|supported|used (?:by|for|in|to)|formats?|linux|windows|macos|java|python|an? \w+ (?:project|application|website))\b`)
	// sumAsked is a sum of a form that the calculator does not take: an operation
	// between two numbers, or on some.
	sumAsked  = newPattern(`^(?:what(?:'s| is| are)|how much(?: is| are)|calculate|compute|work out|solve|kolik je|spočítej)?(?:^| )?(?:the )?(?:` + sumPart + `)$`)
	cannotSum = lang.Words{
		EN: "I cannot work that out as it is put. Write it in numbers and signs, such as (3 + 4) * 5.",
		ZH: "这样写我算不出来。请用数字和符号写，例如 (3 + 4) * 5。",
		CS: "Takhle to spočítat neumím. Napište to čísly a znaménky, třeba (3 + 4) * 5.",
	}
)

// sumPart is what a sum in words is made of: an operator between what begins with
// numbers, or the name of an operation before some.
const (
	spokenNumber = `(?:-?\d[\d.,]*|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|jedna|dva|tři|čtyři|pět|šest|sedm|osm|devět|deset)`
	sumPart      = spokenNumber + `(?:%| percent)? (?:plus|minus|times|multiplied by|divided by|modulo|mod|to the power of|percent of|krát|mínus|děleno) (?:(?:the|a|square|cube|root|half|double|of) )*` + spokenNumber + `(?: .*)?` +
		`|\d[\d.,]* (?:plus|minus|times|multiplied by|divided by) (?:the |a )?(?:square|cube|root|half|double|third) of .*` +
		`|(?:square root|cube root|median|mode|average|mean|sum|product|difference|factorial|logarithm|remainder|variance|standard deviation|medián|faktoriál) (?:of|between|z) (?:the )?(?:numbers? )?` + spokenNumber + `(?:(?:,? and|,| a|(?: when)? divided by| to the base) ` + spokenNumber + `)*`
)

// talkAbout tells something instead of asking for it.
var talkAbout = newPattern(`^(?:my|i|we|our|this|these|it|he|she|they|moje|můj|já|我)(?:'m|'ve)?(?: |$)|^我`)

// askedWords are the words of a question by which a line can be found: no
// fillers, and the bare form of an English plural or past.
func askedWords(question string) []string {
	var words []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(strings.ReplaceAll(question, "'s", "")), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		r := []rune(w)
		switch {
		case unicode.Is(unicode.Han, r[0]):
			words = append(words, contentWords(w)...)
			continue
		case len(r) < 3 || fillers.has(w):
			continue
		}
		for _, end := range []string{"ing", "ed", "es", "s"} {
			if bare, ok := strings.CutSuffix(w, end); ok && len(bare) >= 3 {
				w = bare
				break
			}
		}
		if !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// found is a line with the number of asked words in it.
type foundHere struct {
	path  string
	line  int
	text  string
	score int
}

// best keeps the lines with most of the words, in their order.
func best(lines []foundHere, words []string) []foundHere {
	most := 0
	for i, l := range lines {
		low := strings.ToLower(l.text)
		for _, w := range words {
			if strings.Contains(low, w) {
				lines[i].score++
			}
		}
		most = max(most, lines[i].score)
	}
	kept := slices.DeleteFunc(lines, func(l foundHere) bool { return l.score < max(most, 1) })
	return kept[:min(len(kept), bestLines)]
}

// quoteLines writes lines with where they stand.
func quoteLines(language string, lines []foundHere) string {
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = lineOf.In(language, l.path, l.line, strings.TrimSpace(l.text))
	}
	return strings.Join(parts, "\n")
}

// anyOf is the expression for search_files that finds any of some words.
func anyOf(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = regexp.QuoteMeta(w)
	}
	return strings.Join(quoted, "|")
}

// hits are the lines of a search.
func hits(r loci.ToolResult) []foundHere {
	var lines []foundHere
	for _, m := range decode[searchResult](r).Matches {
		for _, h := range m.Hits {
			lines = append(lines, foundHere{path: m.Path, line: h.Line, text: h.Text})
		}
	}
	return lines
}

// recall is the goal of finding lines with certain words in all the files.
type recall struct{ words []string }

// first is the tool that searches.
func (recall) first() string { return searchFiles }

// next searches, and shows the lines that have most of the words.
func (g recall) next(u *utterance, done []loci.ToolResult) loci.Move {
	words := g.words[:min(len(g.words), 10)]
	if len(done) == 0 {
		return call(searchFiles, arguments{"content": anyOf(words), "regexp": true})
	}
	last := done[len(done)-1]
	if lines := best(hits(last), words); len(lines) > 0 {
		return loci.Move{Say: quoteLines(u.Lang, lines)}
	}
	if last.Err != nil {
		return say(u, last)
	}
	return loci.Move{Say: nothingOf.In(u.Lang, strings.Join(words, " "))}
}

// answer is the move when the text that a question is about is there: a short text
// is shown whole, of a longer one the lines with the words of the question. Where
// it has more pages these are searched.
func (g document) answer(u *utterance, read loci.ToolResult) loci.Move {
	page := decode[readResult](read)
	words := askedWords(g.ask)
	if page.Pages <= 1 && strings.Count(strings.TrimSpace(page.Text), "\n") < shortLines && len(page.Text) <= shortText || len(words) == 0 {
		return say(u, read)
	}
	if page.Pages != 1 && u.offers(searchFiles) {
		return call(searchFiles, arguments{"path": page.Path, "content": anyOf(words[:min(len(words), 10)]), "regexp": true})
	}
	var lines []foundHere
	for i, text := range slices.Collect(strings.Lines(page.Text)) {
		lines = append(lines, foundHere{path: filepath.Base(page.Path), line: i + 1, text: text})
	}
	return g.quote(u, page, best(lines, words))
}

// quote says the lines, or how the text begins.
func (g document) quote(u *utterance, page readResult, lines []foundHere) loci.Move {
	if len(lines) > 0 {
		return loci.Move{Say: quoteLines(u.Lang, lines)}
	}
	var begin []string
	for line := range strings.Lines(page.Text) {
		if begin = append(begin, strings.TrimRight(line, "\r\n")); len(begin) == bestLines {
			break
		}
	}
	return loci.Move{Say: noneOf.In(u.Lang, filepath.Base(page.Path), strings.Join(begin, "\n"))}
}
