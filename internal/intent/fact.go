package intent

import (
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

// Questions for a fact that goes on from a file that was just shown, and searches
// for what something says about a subject. The lines are shown that have the words;
// that there are none is said too.

// factRules look for anything about a subject in all files.
func factRules() []rule {
	const mine = `(?: (?:in|among|from) (?:my|the|our|these|all my) (?:folders?|files|notes|documents))`
	const things = `(?:something|(?:the |all |all the |some )?things?|everything|all|stuff)`
	return []rule{{newPatterns(
		`^(?:is there|are there|do i have|have i(?: got| written)?|do we have|find|show|list|search for|look for|what is there)?(?: me)? ?(?:anything|any notes?|any files?|any documents?)`+mine+`?(?: (?:that is|that are|written))? (?:about|on|regarding) (?P<text>.+?)`+mine+`?$`,
		`^(?:is there|do i have|have i(?: got| written)?|do we have) (?:something|things|stuff)`+mine+`?(?: (?:that is|that are|written))? (?:about|on|regarding) (?P<text>.+?)`+mine+`?$`,
		`^(?:find|show|list|search for|look for)(?: me)? `+things+mine+`(?: (?:that is|that are|written))? (?:about|on|regarding) (?P<text>.+)$`,
		`^(?:find|show|list|search for|look for)(?: me)? `+things+`(?: (?:that is|that are|written))? (?:about|on|regarding) (?P<text>.+?)`+mine+`$`,
		`^what(?: do i have| do we have| have i got| is there| is written|'s there|'s| is| does it say| do they say)`+mine+` (?:about|on|regarding) (?P<text>.+)$`,
		`^(?:我的?文件(?:里|中)?)?有没有(?:任何)?(?:关于|有关)\s*(?P<text>.+?)\s*的?(?:内容|东西)?$`,
		`^(?:je tu|mám tu|mám|najdi|ukaž)(?: mi)? (?:něco|cokoli|všechno) o (?P<text>.+)$`,
	), func(_ *utterance, m captures) goal {
		text, _ := unquote(m["text"])
		if words := askedWords(text); len(words) > 0 && !vagueWord.has(text) {
			return recall{words}
		}
		return nil
	}}}
}

// fact is the goal of finding what a file says, or else the others.
type fact struct {
	file  string // as it was shown
	words []string
}

// asksOn is how a question begins that may go on from a file without a word for it.
var asksOn = newPattern(`^(?:who|whom|whose|when|where|which|at what time|what time|what (?:was|were|did|should|must)|how (?:many|much|long|far|often|old|big|hot)|(?:is|are|was|were|do|does|did) (?:the|there|we|i) |kdo|kdy|kde|komu|kam|kolik|jak dlouho|co (?:je|bylo|byl)|谁|什么时候|哪里|哪儿|多少|多久)(?: |$|\p{Han})`)

// asksKnown asks for what is known, or how to do something.
var asksKnown = newPattern(`^(?:who (?:wrote|invented|made|discovered|painted|composed)|how (?:do|does|did|can|could|should) )`)

// goesOn gives the goal of a question that no rule understood, where a file was
// just shown; nil if none was.
func (u *utterance) goesOn() goal {
	if !asksOn.has(u.core) || asksKnown.has(u.core) || !u.offers(searchFiles) {
		return nil
	}
	file, ok := u.justShown()
	words := askedWords(u.core)
	if !ok || len(words) == 0 {
		return nil
	}
	return fact{file, words}
}

// shownLine begins a reply that shows a line of a file.
var shownLine = newPattern(`^(?P<file>[^\n,:，]+?)(?:, line \d+: |, řádek \d+: | 第 \d+ 行：)`)

// justShown is the file whose text was shown in one of the last two replies.
func (u *utterance) justShown() (string, bool) {
	for _, m := range slices.Backward(u.History[max(0, len(u.History)-4):]) {
		if m.Role != loci.Assistant {
			continue
		}
		for _, head := range []pattern{pageHead, shownLine, textHead} {
			if h, ok := head.match(m.Content); ok && isKnownFile(h["file"]) && !sentence.has(h["file"]) {
				return h["file"], true
			}
		}
	}
	return "", false
}

// first is the tool that searches.
func (fact) first() string { return searchFiles }

// next searches all files, and shows the lines of the one that was spoken of, the
// whole of it if it is short; or the lines of others.
func (g fact) next(u *utterance, done []loci.ToolResult) loci.Move {
	words := g.words[:min(len(g.words), 10)]
	if len(done) == 0 {
		return call(searchFiles, arguments{"content": anyOf(words), "regexp": true})
	}
	if done[0].Err != nil {
		return say(u, done[0])
	}
	all := hits(done[0])
	here := slices.DeleteFunc(slices.Clone(all), func(l foundHere) bool { return baseName(l.path) != baseName(g.file) })
	switch {
	case len(all) == 0:
		return loci.Move{Say: nothingOf.In(u.Lang, strings.Join(g.words, " "))}
	case len(here) == 0:
		return loci.Move{Say: elsewhereSaid.In(u.Lang, baseName(g.file), quoteLines(u.Lang, best(all, words)))}
	case len(done) == 1 && u.offers(readFile):
		return call(readFile, arguments{"path": here[0].path})
	case len(done) > 1 && done[1].Err == nil:
		page := decode[readResult](done[1])
		if page.Pages == 1 && strings.Count(strings.TrimSpace(page.Text), "\n") < shortLines && len(page.Text) <= shortText {
			return say(u, done[1])
		}
	}
	return loci.Move{Say: quoteLines(u.Lang, best(here, words))}
}

var elsewhereSaid = lang.Words{EN: "%s has none of these words, but other files do:\n%s", ZH: "%s 中没有这些词，但其他文件中有：\n%s", CS: "V souboru %s tato slova nejsou, ale v jiných ano:\n%s"}

// linesOfDay is the goal of showing the lines of a level of one day.
type linesOfDay struct{ report }

// next searches as a report does, and shows the lines instead of counting them.
func (g linesOfDay) next(u *utterance, done []loci.ToolResult) loci.Move {
	attempts := g.attempts(listResult{})
	level, known := levels.of(g.text)
	for _, r := range done {
		result := decode[searchResult](r)
		switch {
		case r.Err != nil || result.Lines == nil:
			return say(u, r)
		case *result.Lines > 0:
			lines := hits(r)
			if known {
				lines = slices.DeleteFunc(lines, func(l foundHere) bool { return otherLevelIn(l.text, level) })
			}
			if len(lines) == 0 {
				return loci.Move{Say: noneToCount.In(u.Lang, g.title(u, ""))}
			}
			text := quoteLines(u.Lang, lines)
			if result.Note != "" {
				text += "\n" + result.Note
			}
			return loci.Move{Say: text}
		}
	}
	if len(done) < len(attempts) {
		return call(searchFiles, attempts[len(done)])
	}
	return loci.Move{Say: noneToCount.In(u.Lang, g.title(u, ""))}
}

// showLines asks for the lines of failures of one day.
var showLines = newPatterns(
	`^(?:show|list|find|print|give|get|display|what(?:'s| is| are| were)?|which|read|see)?(?: me)?(?: the| all| any| my)* ?(?P<text>`+failures+`|error|warning|\w+ lines?)(?: (?:are there|were there|did i have|there were|there are|happened|occurred|messages|lines))*(?: (?:in|from|of) (?P<where>.+))?$`,
	`^(?:显示|列出|看看|查看)?\s*(?P<where>\S*?)\s*(?:里面|里|中)?的?(?:所有)?(?P<text>错误|警告|异常)(?:有哪些)?$`,
	`^(?:ukaž|vypiš|jaké byly|jaké jsou|najdi)(?: mi)?(?: všechny)? (?P<text>chyby|varování|řádky \w+)(?: (?:v|ve|z|ze) (?P<where>.+))?$`,
)

// linesRules ask for lines of logs of one day.
func linesRules() []rule {
	return []rule{{newPatterns(`^(?P<all>.+)$`), func(u *utterance, m captures) goal {
		words, day := takeOff(m["all"], ofOneDay)
		if day == nil || howOften.has(words) {
			return nil
		}
		g := report{}
		var ok bool
		if g.day, ok = u.pastDay(day["day"]); !ok {
			return nil
		}
		for _, p := range showLines {
			if m, ok := p.match(strings.Trim(words, " ,.?!")); ok {
				return g.shown(u, m)
			}
		}
		return nil
	}}}
}

// howOften asks for a number.
var howOften = newPattern(`\b(?:how many|how often|count|number of|tally)\b|多少|行数|统计|几|kolik|poče?t|počít`)

// shown makes the goal of showing lines, if the words name a place where logs are.
func (g report) shown(u *utterance, m captures) goal {
	word := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(m["text"], "řádky "), " lines"), " line")
	g.text = logWord(word)
	if _, ok := levels.of(g.text); !ok && !failureWord.has(m["text"]) {
		return nil
	}
	if m["where"] != "" && !anyLog.has(m["where"]) {
		path, ok := u.folder(strip(m["where"], fileWords, fileTail), false)
		if !ok && !isPath(path) {
			return nil
		}
		g.where = path
	}
	return linesOfDay{g}
}

// failureWord is a word for what goes wrong.
var failureWord = newPattern(`^(?:` + failures + `)$`)

// otherLevelIn tells whether a line is of another level.
func otherLevelIn(line, level string) bool {
	other, _ := formOf(valueIn(line, level), level)
	return other != ""
}
