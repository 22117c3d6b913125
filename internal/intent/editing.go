package intent

import (
	"regexp"
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

// People seldom say where the old text begins and where the new one ends: "theres a
// typo, acount should be account". So all readings of the words are kept, and the file
// tells which of them is meant: the old text must stand in it.

// swap is one text in the place of another.
type swap struct {
	old, new string
	named    bool // the old text may be the name of the value that is to change
}

// replacing is the goal of the first of some swaps whose old text is in a file.
type replacing struct {
	path  string
	swaps []swap
	all   bool
}

// first is the tool that changes the file.
func (replacing) first() string { return editFile }

// next reads, then changes what is there; where none is, it says so.
func (g replacing) next(u *utterance, done []loci.ToolResult) loci.Move {
	page, instead := readFirst(u, g.path, done)
	if instead != nil {
		return *instead
	}
	for _, s := range g.swaps {
		if !s.named {
			continue
		}
		for _, p := range (setting{path: g.path, what: s.old}).named() {
			if found := p.FindAllStringSubmatch(page.Text, 2); len(found) == 1 {
				return setting{path: g.path, what: s.old, value: s.new}.next(u, done)
			}
		}
	}
	for _, s := range g.swaps {
		if standsIn(page.Text, s.old) {
			args := arguments{"path": g.path, "old_text": s.old, "new_text": s.new}
			if g.all {
				args["replace_all"] = true
			}
			return changing(editFile, args)
		}
	}
	last := g.swaps[len(g.swaps)-1]
	return loci.Move{Say: notThere.In(u.Lang, last.old, g.path)}
}

// standsIn tells whether a text is in another, and is no part of a word there.
func standsIn(text, part string) bool {
	re, err := regexp.Compile(`(?:^|[^\pL\d])` + regexp.QuoteMeta(part) + `(?:[^\pL\d]|$)`)
	return err == nil && re.MatchString(text)
}

var notThere = lang.Words{
	EN: "I do not find “%[1]s” in %[2]s, so I have changed nothing. Say the old text as it stands there: replace \"…\" with \"…\" in %[2]s.",
	ZH: "在 %[2]s 中没有找到“%[1]s”，所以什么也没有修改。请按文件原文说出旧文字：把 %[2]s 里的“…”改成“…”。",
	CS: "„%[1]s“ v %[2]s nenacházím, a tak jsem nic nezměnil. Řekněte starý text tak, jak tam stojí: nahraď \"…\" za \"…\" v %[2]s.",
}

// Parts of the words of a swap, once the file is taken out of them. A text is a sign or
// up to six words; where it begins, the file tells.
const (
	oldPart = `(?P<old>‹text\d+›|[^‹›,;:?!]{1,60}?)`
	newPart = `(?P<new>‹text\d+›|[^‹›,;:?!]{1,60}?)`
	// thatsAll may follow a swap.
	thatsAll = `(?:[.,;:!]? ?(?:please|pls|thanks|fix (?:it|that|this)|change (?:it|that|this)|correct (?:it|that|this)|can you (?:fix|change|correct) (?:it|that|this)|everywhere|in there|there|now|instead|in it|for me|it's a typo))*$`
	mustBe   = `(?:should(?: really)?|must|has to|needs to|ought to|is supposed to|was supposed to)`
)

// swapForms are the ways to say that one text is to stand for another.
var swapForms = []cue{
	on(`^(?:.*[,;:.!] ?|.* (?:and|but|so|because|-) )?(?:the )?(?:word |text |line |name |spelling )*`+oldPart+`,? `+mustBe+` (?:be|read|say|become|be (?:spelled|spelt|written|called|changed to|replaced (?:by|with)))(?: now)? `+newPart+thatsAll, "theres a typo in letter_to_bank.txt, acount should be account"),
	on(`\b(?:it|that|this|which)? ?(?:says|said|reads|has|contains|i wrote|i put|there's|there is|i misspelled|i misspelt|mentions)(?: the)?(?: word| text)? `+oldPart+`,? (?:but|and|instead of|where)(?: it| that| this| i)? ?(?:`+mustBe+`|meant|i meant|want(?:ed)?)(?: (?:be|read|say|to say|to write|to be|it to (?:be|say)))* `+newPart+thatsAll, "in draft.txt I wrote Monday but meant Friday"),
	on(`\b(?:spelling|typo|mistake|error|misspelling|misspelled|misspelt)(?: of| in|:)? (?:the )?(?:word )?`+oldPart+`[,;:.?!-]+ ?(?:it )?(?:'s|is|it's|it is|should be|must be|i meant|correct is|is spelled) ?`+newPart+thatsAll, "can you sort out the spelling of acount in letter_to_bank.txt? it's account"),
	on(`\b(?:has|says|is|at|lists|shows|gives)(?: [\pL]+){0,2}?(?: at| as| of)? `+oldPart+`[,;:.-]+ ?(?:please |so |but |and )?(?:make|change|set|turn|correct|fix) (?:that|it|this)(?: to| into)? `+newPart+thatsAll, "work/budget.csv has travel at 340, make that 400"),
	on(`\b(?:has to|should|must|needs to|ought to) (?:be|read|say) `+newPart+`,? (?:and )?(?:not|instead of|rather than|no longer) `+oldPart+thatsAll, "the host in config.yaml has to be 0.0.0.0, not localhost"),
	on(`\b(?:instead of|rather than|in place of|where it says)(?: the)? `+oldPart+`,? (?:please )?(?:i(?:'d)? (?:want|like|need|prefer|would like)|it should (?:say|be|read)|write|put|use|say|have|make it|there should be|let it be|take|we need|we want)(?: (?:it to (?:be|say)|to have))? `+newPart+thatsAll, "shopping list.txt: instead of eggs I want butter"),
	on(`\bfrom `+oldPart+` (?:to|into|->|=>|→) `+newPart+thatsAll, "change the title of work/report.md from Quarterly report to Annual report"),
	on(`^(?:please )?(?:use|write|put|say|have|make it|i want|i'd like|we need|take) `+newPart+` (?:instead of|rather than|in place of|where it says|not|for)(?: the)? `+oldPart+thatsAll, "write Brno instead of Prague in notes/books.txt"),
	on(`^(?:please |can you |now |just |then )*(?:change|replace|swap|switch|turn|correct|fix|update|make|rename|alter|convert|adjust|exchange|substitute|edit|set)(?: out)?(?: (?:the|every|each|all|any|of|occurrences?|words?|text|name|spelling|typo|a|line|phrase))* `+oldPart+` (?:to|with|by|into|for|as|->|=>|→) `+newPart+thatsAll, "swap every landlord for owner in draft.txt"),
	on(`^`+oldPart+` ?(?:->|=>|→) ?`+newPart+thatsAll, "config.yaml: blue -> red"),
	on(`\b`+oldPart+` is (?:wrong|misspelled|misspelt|a typo|not right|incorrect|outdated|a mistake)(?: \pL+){0,2}?[,;:.!-]+ ?(?:it )?(?:should be|is|it's|must be|make it|correct is|the right (?:word|name|one|number) is|needs to be|change it to)? ?`+newPart+thatsAll, "8080 is wrong in config.yaml, make it 9090"),
	on(`\b(?:not|no longer) `+oldPart+`,? (?:but|rather) `+newPart+thatsAll, "draft.txt should say not Monday but Friday"),
	on(`从\s*`+oldPart+`\s*(?:改|换|变|调|修改)(?:成|为|到)\s*`+newPart+`$`, "把 config.yaml 的端口从 8080 改成 3000"),
	on(`(?:把|将)?\s*(?P<old>‹text\d+›|[^‹›，,\s]{1,30}?)\s*(?:都|全部)?(?:改成|换成|替换成|替换为|改为|换为|变成)\s*`+newPart+`$`, "config.yaml 里面 blue 换成 red"),
	on(`(?P<new>‹text\d+›|[^‹›，,\s]{1,30}?)\s*(?:应该)?(?:而不是|不是)\s*(?P<old>‹text\d+›|[^‹›，,\s]{1,30}?)$`, "draft.txt 里应该写 Friday 而不是 Monday"),
	on(`\b(?:místo|namísto) (?P<old>‹text\d+›|\S+),? (?:napiš|dej|má být|chci|použij|bude)? ?`+newPart+`$`, "V draft.txt místo Monday napiš Friday"),
	on(`(?:oprav|změň|nahraď|zaměň|vyměň|přepiš)\b(?: (?:mi|slovo|text|překlep|všude|prosím))* `+oldPart+` (?:na|za) `+newPart+`$`, "V draft.txt oprav Monday na Tuesday"),
	on(`\b`+oldPart+` má být `+newPart+`$`, "V letter_to_bank.txt acount má být account"),
}

// everyOne asks to change all of them.
var everyOne = newPattern(`\b(?:every|each|all|everywhere|all over|throughout)\b|都|全部|所有|všude|všechn`)

// editFrames ask for other words in a file.
func editFrames() []frame {
	return []frame{
		{tool: readFile, cues: []cue{
			on(`(?:strike|cross|take|tick|scratch|remove|delete|get) (?:it|that|this|that one|that line)(?: off| out)? (?:off|from|out of|of|on|in)(?: (?:the|my))* {file}`, "i paid the rent, take it off todo.txt"),
			on(`(?:cross|strike|scratch|check|tick) (?:off|out) (?P<what>[^‹›]{3,40}?) (?:on|in|from|off|of)(?: (?:the|my))* {file}$`, "cross off the plumber in todo.txt"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			file, ok := n.only()
			about := m["what"]
			if about == "" {
				about = n.words[:strings.Index(n.words, "‹")]
			}
			words := slices.DeleteFunc(askedWords(about), saysNoLine.has)
			if !ok || n.names(textSign) || len(words) == 0 {
				return nil
			}
			return lineAbout{file, words}
		}},
		{tool: readFile, cues: []cue{ // another line
			on(`\b(?:the )?(?P<nth>`+nthLine+`|\d{1,3}(?:st|nd|rd|th)) line (?:of|in)(?: (?:the|file))* {file} (?:should|must|has to|needs to|ought to|to)(?: (?:be|say|read|become))+(?: changed to)?:? (?P<line>.+)$`, "the first line of draft.txt should be Dear Sir"),
			on(`^(?:change|set|replace|make|rewrite|turn|overwrite)(?: the)? (?P<nth>`+nthLine+`|\d{1,3}(?:st|nd|rd|th)) line (?:of|in)(?: (?:the|file))* {file} (?:to|into|with|by|as|say|read)(?: (?:be|say|read))*:? (?P<line>.+)$`, "replace the last line of notes/books.txt with Ulysses"),
			on(`^(?:change|set|replace|make|rewrite|turn|overwrite) line (?:number |no\.? )?(?P<nth>\d{1,3}) (?:of|in)(?: (?:the|file))* {file} (?:to|into|with|by|as|say|read)(?: (?:be|say|read))*:? (?P<line>.+)$`, "set line 2 of notes/books.txt to Ulysses"),
			on(`^(?:make|put|use|write) (?P<line>‹text\d+›|[^‹›,;:]{1,60}?) (?:as |be |into )?(?:the |a )?(?:new )?(?P<nth>`+nthLine+`) line (?:of|in)(?: (?:the|file))* {file}$`, "make \"Dear Sir,\" the first line of draft.txt"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			file, ok := n.only()
			nth := nthLines.or(m["nth"], atoi(strings.TrimRight(m["nth"], "sthndr")))
			text := m["line"]
			if len(n.texts) == 0 {
				text = u.verbatim(text)
			}
			if !ok || nth == 0 || text == "" || startsQuote(text) || len(n.texts) > 1 {
				return nil
			}
			if strings.HasSuffix(strings.TrimSpace(u.Text), text+",") { // of a letter
				text += ","
			}
			return lineCut{file, nth, text}
		}},
		{tool: editFile, cues: []cue{on(`{file}`, "config.yaml: blue -> red")}, goal: func(u *utterance, n naming, _ captures) goal { return u.swaps(n) }},
	}
}

// saysNoLine say nothing about the line that is meant.
var saysNoLine = newPattern(`^(?:tak|remov|delet|strik|cross|scratch|done|finish|ready|alread|that|line|just|don|also|please|off|out|tick|check|already|have|been|gone|did|it|can|now)\w{0,3}$`)

// swaps makes the goal of a change of words: of every form that fits, with the old
// text as long as it can be first.
func (u *utterance) swaps(n naming) goal {
	file, ok := n.only()
	if !ok || n.names(folderSign, pageSign) || !u.offers(readFile) || notSwapped.has(n.words) || fromFolderTo.has(n.words) {
		return nil
	}
	words := n.without(n.files[0])
	g := replacing{path: file, all: everyOne.has(words)}
	for i, form := range swapForms {
		m, ok := form.words.match(words)
		if !ok {
			continue
		}
		old, new := fromWords(m["old"]), fromWords(m["new"])
		if unclear.has(new) && !anySign.MatchString(new) && !someOne.has(new) || aSeparator.has(old) { // there are two readings of where one ends
			return nil
		}
		isText := anySign.MatchString(new)
		if new = n.said(new); !isText {
			if new = u.verbatim(new); notTheOther.has(new) || len(strings.Fields(new)) > 6 || vagueWord.has(new) || someOne.has(new) && !aNumber.MatchString(new) {
				continue
			}
			if short := strings.TrimPrefix(strings.TrimPrefix(new, "an "), "a "); anyDigit.MatchString(short) {
				new = short
			}
		}
		if anySign.MatchString(old) {
			g.swaps = append(g.swaps, swap{old: n.said(old), new: new})
			continue
		}
		for words := strings.Fields(old); len(words) > 0; words = words[1:] {
			if len(words) <= 6 && !vagueWord.has(words[0]) {
				g.swaps = append(g.swaps, swap{strings.Join(words, " "), new, i == 0})
			}
		}
	}
	g.swaps = slices.DeleteFunc(g.swaps, func(s swap) bool { return s.old == s.new || tooShort.has(s.old) })
	if len(g.swaps) == 0 {
		return nil
	}
	return g
}

var (
	// notTheOther is a new text with the old one behind it.
	notTheOther = newPattern(`^\S+,? (?:and )?(?:not|instead of|rather than|no longer) \S`)
	aNumber     = regexp.MustCompile(`^(?:an? )?\d`)
	// notSwapped asks for something else than another text.
	notSwapped = newPattern(`^(?:(?:put|stick|place|drop|move) ‹file|move|take|shift|bring|transfer|get|send|drag|drop|copy|convert|who|what|when|where|which|why|how|does|do|did|is|are|was|summari[sz]e|read|show|list|count|find|search|open|add|append|move)\b|\b(?:file ?name|rename|folder|copy|lines? \d|first line|last line|heading|title case|upper ?case|lower ?case|translate|sort (?:the|by|it|them|all|lines)|indent)\b`)
	// fromFolderTo moves a file.
	fromFolderTo = newPattern(`‹file\d+› from \S+ (?:to|into) \S+$`)
	// aSeparator begins what is no text by itself.
	aSeparator = newPattern(`^(?:with|by|to|into|for|as|za|na) `)
	// tooShort are words that are in every text.
	tooShort = newPattern(`^(?:an?|the|to|of|in|on|it|is|are|was|be|and|or|for|that|this|there|i|my|with|by|as|at|do|so)$`)
)

// lineAbout is the goal of taking out the one line that has most of some words.
type lineAbout struct {
	path  string
	words []string
}

// first is the tool that changes the file.
func (lineAbout) first() string { return editFile }

// next reads, then takes out the line; where it is not plain which, it asks.
func (g lineAbout) next(u *utterance, done []loci.ToolResult) loci.Move {
	page, instead := readFirst(u, g.path, done)
	if instead != nil {
		return *instead
	}
	var lines []foundHere
	for i, text := range slices.Collect(strings.Lines(page.Text)) {
		lines = append(lines, foundHere{path: g.path, line: i + 1, text: text})
	}
	if lines = best(lines, g.words); len(lines) != 1 || page.Pages != 1 {
		return loci.Move{Say: severalWith.In(u.Lang, len(lines), strings.Join(g.words, " "), g.path)}
	}
	return lineCut{path: g.path, n: lines[0].line}.next(u, done)
}
