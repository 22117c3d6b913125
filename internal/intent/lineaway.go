package intent

import (
	"strings"

	"loci"
	"loci/internal/lang"
)

// lineWith is the goal of taking out the one line that has a text.
type lineWith struct{ path, text string }

// first is the tool that changes the file.
func (lineWith) first() string { return editFile }

// next reads, then takes out the line; where there is more than one, it asks.
func (g lineWith) next(u *utterance, done []loci.ToolResult) loci.Move {
	page, instead := readFirst(u, g.path, done)
	if instead != nil {
		return *instead
	}
	n, found := 0, 0
	for i, l := range strings.Split(page.Text, "\n") {
		if strings.Contains(strings.ToLower(l), strings.ToLower(g.text)) {
			n, found = i+1, found+1
		}
	}
	if found != 1 || page.Pages != 1 {
		return loci.Move{Say: severalWith.In(u.Lang, found, g.text, g.path)}
	}
	return lineCut{path: g.path, n: n}.next(u, done)
}

var severalWith = lang.Words{
	EN: "I take out a line that is the only one with its text, but %d lines with “%s” are in %s. Say the number of the line: remove line 2 from that file.",
	ZH: "我只删除唯一包含该文字的一行，但 %[3]s 中包含“%[2]s”的有 %[1]d 行。请说明行号：删除该文件的第 2 行。",
	CS: "Odstraním řádek, který jako jediný obsahuje daný text, ale řádků s „%[2]s“ je v %[3]s %[1]d. Řekněte číslo řádku: smaž řádek 2 z toho souboru.",
}

// lineAway asks to take out a line by what it says.
func lineAway() rule {
	const verbs, from = `^(?:remove|delete|erase|drop|take(?: out)?|cut(?: out)?|strike(?: out)?|cross(?: out| off)?|get rid of|kick(?: out)?|clear)(?: the)?`, ` (?:from|in|out of|off|off of)(?: the)?(?: file| list)? `
	return rule{newPatterns(
		verbs+` (?:line|item|entry|row|task|point|todo)s? (?:with|containing|about|that (?:says?|contains?|mentions?|reads?|has)|which (?:says?|contains?|mentions?)|saying|mentioning|for|reading|called|where it says)(?: the (?:word|text))? (?P<text>`+inQuotes+`|[^"“„]+?)(?: (?:in it|on it))?(?: out| off)?`+from+fileName+`$`,
		verbs+` (?P<text>`+inQuotes+`|[^"“„]+?) (?:line|item|entry|row|task)(?: out| off)?`+from+fileName+`$`,
		`^(?:strike|cross|take|scratch)(?: off| out)?(?: the)? (?P<text>`+inQuotes+`|[^"“„]+?) (?:off|out of|off of)(?: the)?(?: list)? `+fileName+`$`,
		`^(?:从|把|将)?\s*`+fileName+`\s*(?:里面|里|中)?(?:的)?\s*(?:删除|删掉|去掉)?(?:包含|含有?|有|写着|关于)\s*(?P<text>`+inQuotes+`|[^\s的]+?)\s*的(?:那|这)?一?行(?:删除|删掉|去掉)?$`, `^(?:删除|删掉|去掉)\s*`+fileName+`\s*(?:里面|里|中)?(?:的)?\s*(?:包含|含有?|有|写着|关于)?\s*(?P<text>`+inQuotes+`|[^\s的]+?)\s*的?(?:那|这)一?行$`,
		`^(?:smaž|odstraň|vymaž|vyškrtni)(?: mi)? (?:řádek|položku|řádku) (?:s|se|o|obsahující)(?: slovem| textem)? (?P<text>`+inQuotes+`|[^"“„]+?) (?:z|ze|v|ve)(?: souboru)? `+fileName+`$`, `^(?:vyškrtni)(?: mi)? (?P<text>`+inQuotes+`|\S+) (?:z|ze)(?: souboru)? `+fileName+`$`,
	), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		text, _ := literal(u.verbatim(m["text"]))
		if !ok || strings.TrimSpace(text) == "" || startsQuote(text) || isKnownFile(text) || someLines.has(text) || !u.offers(readFile) {
			return nil
		}
		return lineWith{path, strings.TrimSpace(text)}
	}}
}

// itemAway asks to take out what is named without quotes: an item of a list, or words
// of a text. It must be no file, and one thing.
func itemAway() rule {
	const verbs = `(?:remove|delete|erase|drop|cut|strike|cross|scratch|kick|take|wipe)(?: off| out| away)?`
	const item = `(?:(?:line|item|entry|row|task|point|word|sentence|text) )?(?P<text>` + inQuotes + `|[^"“„,;]{2,60}?)`
	return rule{newPatterns(
		`^`+verbs+`(?: the| that)? `+item+`(?: off| out| away)? (?:from|off|off of|out of)(?: the| my)?(?: list| file)? `+fileName+`$`,
		`^(?:in|from)(?: the| my)?(?: list| file)? `+fileName+`,? (?:please )?`+verbs+`(?: the| that)? `+item+`$`,
		`^(?:smaž|odstraň|vymaž|vyškrtni)(?: řádek| položku| slovo)? (?P<text>`+inQuotes+`|[^"“„,;]{2,60}?) (?:z|ze)(?: souboru| seznamu)? `+fileName+`$`, `^(?:v|ve|z|ze)(?: souboru| seznamu)? `+fileName+` (?:smaž|odstraň|vymaž|vyškrtni)(?: řádek| položku| slovo)? (?P<text>`+inQuotes+`|[^"“„,;]{2,60})$`,
		`^(?:从|把)\s*`+fileName+`\s*(?:里面|里|中)?(?:的)?\s*(?:删除|删掉|去掉|划掉)\s*(?P<text>`+inQuotes+`|[^\s的掉][^\s的]{0,19})$`, `^(?:把|将)\s*(?P<text>`+inQuotes+`|[^\s的]{1,20}?)\s*从\s*`+fileName+`\s*(?:里面|里|中)?(?:删除|删掉|去掉|划掉)$`,
	), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		text, quoted := literal(u.verbatim(m["text"]))
		text = strings.TrimSpace(text)
		switch {
		case !ok, !isKnownFile(path), text == "", startsQuote(text), isKnownFile(text), !u.offers(readFile):
			return nil
		case !quoted && (someLines.has(text) || someWords.has(text) || vagueWord.has(text) || manyThings.has(text) || len(strings.Fields(text)) > 6):
			return nil
		}
		return textCut{path, text}
	}}
}

// manyThings are more than one thing to take out, or one that has no text of its own.
var manyThings = newPattern(`\b(?:lines?|words?|files?|folders?|contents?|everything|things|items|entries|rows?|columns?|paragraphs?|spaces|duplicates|comments|typos?|stuff|pages?)\b|[*?]`)

// someLines stand for more than one line, or for one by its place.
var someLines = newPattern(`^(?:first|last|second|third|next|top|bottom|every|each|all|any|empty|blank|duplicate|this|that|\d+(?:st|nd|rd|th)?|same|other)(?: |$)`)

// fromPlace asks to move a file that is named apart from its folder.
func fromPlace() rule {
	return rule{newPatterns(
		`^move (?:the )?(?:file )?(?P<file>\S+\.\w+) (?:from|in|out of)(?: the| my)? (?P<from>[\w./~-]+)(?: (?:folder|directory))? (?:to|into|in|over to) (?P<to>\S.*)$`,
		`^(?:把|将)\s*(?P<file>[\w.-]+\.\w+)\s*从\s*(?P<from>[\w./~-]+)\s*(?:文件夹|目录)?(?:里|中)?\s*(?:移动到|移到|挪到|放到|放进)\s*(?P<to>\S.*?)(?:里面|里|中|下)?$`, `^přesuň(?: mi)?(?: soubor)? (?P<file>\S+\.\w+) (?:z|ze)(?: složky)? (?P<from>[\w./~-]+) do (?P<to>\S.*)$`,
	), func(u *utterance, m captures) goal {
		if hasSeparator(m["file"]) || isFile(m["from"]) || vagueWord.has(m["from"]) {
			return nil
		}
		return u.move(within(m["from"], m["file"]), m["to"])
	}}
}
