package intent

import (
	"regexp"
	"slices"
	"strings"
	"sync"

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

// swapForms are the ways to say that one text is to stand for another, once the file is
// taken out of the words. The first may also tell what value something must have.
var swapForms = sync.OnceValue(func() []pattern {
	return slices.Concat(phrasesOf("edits/must be"), phrasesOf("edits/other words"))
})

// everyOne asks to change all of them.
var everyOne = newPattern(`\b(?:every|each|all|everywhere|all over|throughout)\b|都|全部|所有|všude|všechn`)

// editFrames ask for other words in a file.
func editFrames() []frame {
	return []frame{
		{tool: readFile, kind: "edits/line that is done", goal: func(u *utterance, n naming, m captures) goal {
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
		{tool: readFile, kind: "edits/other line", goal: func(u *utterance, n naming, m captures) goal {
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
		{tool: editFile, kind: "edits/any file", goal: func(u *utterance, n naming, _ captures) goal { return u.swaps(n) }},
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
	for i, form := range swapForms() {
		m, ok := form.match(words)
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
