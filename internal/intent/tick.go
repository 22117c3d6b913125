package intent

import (
	"regexp"
	"strings"

	"loci"
	"loci/internal/lang"
)

// Changes of one line that is given by what it says, or by its number: the file is
// read first, and the change is one of the text that is there.

// tick is the goal of marking an item of a list as done.
type tick struct{ path, text string }

// first is the tool that changes the file.
func (tick) first() string { return editFile }

// aTask is a line of a list with a box.
var aTask = regexp.MustCompile(`(?m)^([ \t]*(?:[-*+]|\d+[.)]) \[)([ xX])(\] )(.*?)[ \t\r]*$`)

// next reads, then changes the one item that is meant.
func (g tick) next(u *utterance, done []loci.ToolResult) loci.Move {
	page, instead := readFirst(u, g.path, done)
	switch {
	case instead != nil:
		return *instead
	case page.Pages != 1:
		return loci.Move{Say: cannotAppend.In(u.Lang, g.path)}
	}
	var open, closed [][]string
	for _, m := range aTask.FindAllStringSubmatch(page.Text, -1) {
		switch like := strings.EqualFold(strings.Trim(m[4], " .!"), strings.Trim(g.text, " .!")); {
		case like && m[2] == " ":
			open = append(open, m)
		case like:
			closed = append(closed, m)
		}
	}
	switch {
	case len(open) == 1:
		m := open[0]
		return changing(editFile, arguments{"path": g.path, "old_text": m[1] + m[2] + m[3] + m[4], "new_text": m[1] + "x" + m[3] + m[4]})
	case len(open) == 0 && len(closed) > 0:
		return loci.Move{Say: doneAlready.In(u.Lang, g.text, g.path)}
	}
	return loci.Move{Say: noOpenItem.In(u.Lang, g.text, g.path, len(open))}
}

// textCut is the goal of taking out a text. A line that has nothing else but the
// mark of an item goes with it.
type textCut struct{ path, text string }

// first is the tool that changes the file.
func (textCut) first() string { return editFile }

// aMark is what may stand before the text of an item.
var aMark = regexp.MustCompile(`^\s*(?:(?:[-*+•]|\d+[.)])\s+)?(?:\[[ xX]?\]\s*)?$`)

// next reads, then takes the text out.
func (g textCut) next(u *utterance, done []loci.ToolResult) loci.Move {
	page, instead := readFirst(u, g.path, done)
	if instead != nil {
		return *instead
	}
	lines := strings.SplitAfter(page.Text, "\n")
	for i, l := range lines {
		before, after, ok := strings.Cut(l, g.text)
		if ok && page.Pages == 1 && strings.Count(page.Text, g.text) == 1 && aMark.MatchString(before) && strings.TrimSpace(after) == "" {
			return lineCut{path: g.path, n: i + 1}.next(u, done)
		}
	}
	return changing(editFile, arguments{"path": g.path, "old_text": g.text, "new_text": ""})
}

// lineCut is the goal of taking out one line, or of another in its place.
type lineCut struct {
	path    string
	n       int    // from 1, or from -1 at the end
	instead string // the text that comes there; empty: none
}

// first is the tool that changes the file.
func (lineCut) first() string { return editFile }

// next reads, then takes out the line, with as many lines around it as make it the
// only one.
func (g lineCut) next(u *utterance, done []loci.ToolResult) loci.Move {
	page, move := readFirst(u, g.path, done)
	switch {
	case move != nil:
		return *move
	case page.Pages != 1:
		return loci.Move{Say: cannotAppend.In(u.Lang, g.path)}
	}
	lines := strings.SplitAfter(page.Text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if g.n < 0 {
		g.n += len(lines) + 1
	}
	if g.n < 1 || g.n > len(lines) {
		return loci.Move{Say: fewerLines.In(u.Lang, g.path, linesWord.In(u.Lang, len(lines)))}
	}
	instead := g.instead
	if line := lines[g.n-1]; instead != "" {
		instead += line[len(strings.TrimRight(line, "\r\n")):]
	}
	for from := g.n - 1; from >= 0; from-- {
		old := strings.Join(lines[from:g.n], "")
		if strings.Count(page.Text, old) == 1 {
			return changing(editFile, arguments{"path": g.path, "old_text": old, "new_text": strings.Join(lines[from:g.n-1], "") + instead})
		}
	}
	return loci.Move{Say: oneNamed.In(u.Lang)}
}

// tickOff asks to mark an item of a list as done.
func tickOff() rule {
	return rule{newPatterns(
		`^(?:mark|set|check|tick)(?: the)?(?: (?:item|task|point|entry|todo))? `+someText+` as (?:done|finished|complete|completed|checked) (?:in|on|of)(?: the)?(?: file)? `+fileName+`$`,
		`^(?:check|tick|cross)(?: off)?(?: the)?(?: (?:item|task|point|entry|todo))? (?P<text>`+inQuotes+`)(?: off)? (?:in|on|of|from)(?: the)?(?: file)? `+fileName+`$`,
		`^in(?: the)?(?: file)? `+fileName+`,? (?:mark|set|check|tick)(?: the)?(?: (?:item|task|point|entry))? `+someText+` as (?:done|finished|complete|completed|checked)$`,
		`^(?:把|将)?\s*`+fileName+`\s*(?:里面|里|中)?的\s*(?P<text>`+inQuotes+`)\s*(?:标记为|标为|勾选为?|改为)(?:已)?完成$`,
		`^(?:označ|odškrtni|odfajfkuj)(?: úkol| položku)? (?P<text>`+inQuotes+`) (?:v|ve)(?: souboru)? `+fileName+`(?: jako (?:hotov\pL+|splněn\pL+|dokončen\pL+))?$`,
	), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		text, _ := literal(u.verbatim(m["text"]))
		if !ok || strings.TrimSpace(text) == "" || startsQuote(text) || !u.offers(readFile) {
			return nil
		}
		return tick{path, strings.TrimSpace(text)}
	}}
}

// lineOut asks to take out a line by its number.
func lineOut() rule {
	return rule{newPatterns(
		`^(?:delete|remove|erase|cut)(?: the)? line (?:number |no\.? )?(?P<n>\d{1,4}) (?:of|in|from)(?: the)?(?: file)? `+fileName+`$`, `^(?:delete|remove|erase)(?: the)? (?P<n>\d{1,4})(?:st|nd|rd|th) line (?:of|in|from)(?: the)?(?: file)? `+fileName+`$`,
		`^(?:删除|删掉)\s*`+fileName+`\s*(?:里面|里|中)?的?第\s*(?P<n>\d{1,4})\s*行$`, `^(?:把|将)\s*`+fileName+`\s*(?:里面|里|中)?的?第\s*(?P<n>\d{1,4})\s*行(?:删除|删掉)$`,
		`^(?:smaž|odstraň|vymaž)(?: řádek)? (?P<n>\d{1,4})\.?(?: řádek)? (?:v|ve|z|ze)?(?: ?souboru)? ?`+fileName+`$`,
		`^(?:delete|remove|erase|cut(?: off| out)?|drop|chop off|take (?:out|off|away)|get rid of)(?: the| that)? (?P<nth>`+nthLine+`) (?:line|item|entry|row|task) (?:of|in|from|off)(?: the)?(?: file)? `+fileName+`$`,
		`^(?:in|from)(?: the)?(?: file)? `+fileName+`,? (?:delete|remove|erase|cut|drop|take out)(?: the)? (?P<nth>`+nthLine+`) (?:line|item|entry|row|task)$`,
		`^(?:smaž|odstraň|vymaž) (?P<nth>`+nthLine+`) řádek (?:v|ve|z|ze)?(?: ?souboru)? ?`+fileName+`$`, `^(?:删除|删掉|去掉)\s*`+fileName+`\s*(?:里面|里|中)?的?(?P<nth>最后一|第一|第二|第三)行$`, `^(?:把|将)\s*`+fileName+`\s*(?:里面|里|中)?的?(?P<nth>最后一|第一|第二|第三)行(?:删除|删掉|去掉)$`,
	), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		n := nthLines.or(m["nth"], atoi(m["n"]))
		if !ok || n == 0 || !u.offers(readFile) {
			return nil
		}
		return lineCut{path: path, n: n}
	}}
}

// nthLine is a place in the order of lines.
const nthLine = `first|second|third|fourth|fifth|last|final|top|bottom|second to last|prvn[íi]|druh[ýy]|t[řr]et[íi]|posledn[íi]`

var nthLines = newLexicon(map[string]int{
	"first": 1, "top": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "final": -1, "bottom": -1, "second to last": -2,
	"první": 1, "druhý": 2, "třetí": 3, "poslední": -1, "第一": 1, "第二": 2, "第三": 3, "最后一": -1,
})

// valueChange asks for another value of something whose text is not told.
func valueChange() rule {
	return rule{newPatterns(
		`^(?:change|set|update|edit|modify|increase|decrease|raise|lower)(?: the)?(?: value of)?(?: the)? (?P<what>[\w -]{1,40}?) (?:in|of)(?: the)?(?: file)? `+fileName+` (?:to|as|into) (?P<new>\S.{0,60})$`,
		`^in(?: the)?(?: file)? `+fileName+`,? (?:change|set|update)(?: the)? (?P<what>[\w -]{1,40}?)(?: to| ?=) ?(?P<new>\S.{0,60})$`,
		`^(?:set|make|put)(?: the)? (?P<what>[\w-]+)(?: (?:to|be|equal to|equal)| ?=)? (?P<new>`+inQuotes+`|\d\S*|true|false|yes|no|on|off) in(?: the)?(?: file)? `+fileName+`$`,
		`^in(?: the)?(?: file)? `+fileName+`,? (?:make|put)(?: the)? (?P<what>[\w-]+) (?P<new>`+inQuotes+`|\d\S*|true|false|yes|no|on|off)$`,
		`^(?:update|edit|change|fix|adjust)(?: the)?(?: file)? `+fileName+` so (?:that )?(?:the )?(?P<what>[\w-]+) (?:is|becomes|equals|is set to) (?P<new>`+inQuotes+`|\S+)$`,
		`^(?:i want |i need )?(?:the )?(?P<what>[\w-]+) in(?: the)?(?: file)? `+fileName+` (?:should be|must be|has to be|needs to be|to be|ought to be)(?: set to| changed to)? (?P<new>`+inQuotes+`|\S+)$`,
		`^(?:in )?(?:the )?(?:file )?`+fileName+`(?: ?[:,;]| needs| should have| must have) (?:the |a )?(?P<what>[\w-]+)(?: (?:should be|must be|to be|set to|of|to)| ?=) ?(?P<new>`+inQuotes+`|\d\S*|true|false|yes|no|on|off)$`,
		`^(?:edit|open|go (?:in)?to|update|change|modify)(?: the)?(?: file)? `+fileName+`(?:,| and|:|;)(?: please)? (?:change|set|update|make|put)(?: the)?(?: value of)?(?: the)? (?P<what>[\w -]{1,40}?) (?:to|as|into|=) (?P<new>\S.{0,60})$`,
		`^(?:把|将)\s*`+fileName+`\s*(?:里面|里|中)?的\s*(?P<what>[\w\p{Han}]{1,20})\s*(?:设为|设置为|改成|改为)\s*(?P<new>\S.{0,60})$`,
		`^(?:změň|nastav|uprav) (?P<what>[\pL\w -]{1,40}?) (?:v|ve)(?: souboru)? `+fileName+` na (?P<new>\S.{0,60})$`,
	), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		if !ok || !isKnownFile(path) {
			return nil
		}
		return u.set(setting{path: path, what: m["what"], value: m["new"]})
	}}
}

// valueOf is the answer to words that ask for another value of something, such as
// change the port to 9090, where the first text is the name of the value and not
// what stands in its place. What is in quotes, or called a text, is itself meant.
func (u *utterance) valueOf(m captures, path string) goal {
	what, quoted := literal(m["old"])
	value, _ := literal(m["new"])
	sets := setsValue.has(m["change"]) || becomes.has(m["change"])
	if m["change"] == "" || !sets && (quoted || m["all"] != "" || m["the"] != "" && m["the"] != "the") {
		return nil
	}
	if from, ok := fromOld.match(what); ok {
		old, _ := literal(from["old"])
		return u.set(setting{path: path, what: from["what"], old: old, value: value})
	}
	if becomes.has(m["change"]) && !isValue.has(value) {
		return nil
	}
	number := anyDigit.MatchString(what)
	named := m["the"] != "" || !number && (anyDigit.MatchString(value) || nameChange.has(m["change"]))
	if !sets && !named {
		return nil
	}
	return u.set(setting{path: path, what: what, value: value})
}

var (
	// fromOld is what is to change, and its old value.
	fromOld = newPattern(`^(?P<what>\S.*?) (?:from|z|ze) (?P<old>\S.*)$`)
	// nameChange are verbs without an article to tell what is a name.
	nameChange = newPattern(`^(?:změň|改成|改为)$`)
	// setsValue are verbs whose first text is never one that is there.
	setsValue = newPattern(`^(?:set|be set to|update|modify|nastav|设为|设置为)$`)
	becomes   = newPattern(`^(?:be|become|edit|fix)$`)
	// isValue is a value and no word of a text.
	isValue = newPattern(`^(?:[\d.:/]+\S*|true|false|on|off|yes|no|null|none)$`)
)

var (
	doneAlready = lang.Words{EN: "“%s” is marked as done in %s already.", ZH: "“%s”在 %s 中已经标记为完成。", CS: "„%s“ už je v souboru %s označeno jako hotové."}
	noOpenItem  = lang.Words{
		EN: "For “%s” there is no open item, or more than one, in %s (found: %d). An open item is a line such as - [ ] buy milk, and I need its whole text.",
		ZH: "“%s”在 %s 中没有唯一的未完成项（找到 %d 个）。未完成项是形如 - [ ] 买牛奶 的一行，我需要它的全文。",
		CS: "K „%s“ není v souboru %s právě jedna otevřená položka (nalezeno: %d). Otevřená položka je řádek jako - [ ] koupit mléko a potřebuji její celý text.",
	}
	fewerLines = lang.Words{EN: "%s has only %s.", ZH: "%s 只有 %s。", CS: "V souboru %s je jen %s."}
)
