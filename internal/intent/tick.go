package intent

import (
	"regexp"
	"strconv"
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
			return lineCut{g.path, i + 1}.next(u, done)
		}
	}
	return changing(editFile, arguments{"path": g.path, "old_text": g.text, "new_text": ""})
}

// lineCut is the goal of taking out one line.
type lineCut struct {
	path string
	n    int // from 1
}

// first is the tool that changes the file.
func (lineCut) first() string { return editFile }

// next reads, then takes out the line, with as many lines around it as make it the
// only one.
func (g lineCut) next(u *utterance, done []loci.ToolResult) loci.Move {
	page, instead := readFirst(u, g.path, done)
	switch {
	case instead != nil:
		return *instead
	case page.Pages != 1:
		return loci.Move{Say: cannotAppend.In(u.Lang, g.path)}
	}
	lines := strings.SplitAfter(page.Text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if g.n < 1 || g.n > len(lines) {
		return loci.Move{Say: fewerLines.In(u.Lang, g.path, linesWord.In(u.Lang, len(lines)))}
	}
	for from := g.n - 1; from >= 0; from-- {
		old := strings.Join(lines[from:g.n], "")
		if strings.Count(page.Text, old) == 1 {
			return changing(editFile, arguments{"path": g.path, "old_text": old, "new_text": strings.Join(lines[from:g.n-1], "")})
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
	), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		n, err := strconv.Atoi(m["n"])
		if !ok || err != nil || !u.offers(readFile) {
			return nil
		}
		return lineCut{path, n}
	}}
}

// valueChange asks for another value of something whose text is not told: what
// stands there is not guessed.
func valueChange() rule {
	return rule{newPatterns(
		`^(?:change|set|update|edit|modify|increase|decrease|raise|lower)(?: the)?(?: value of)?(?: the)? (?P<what>[\w -]{1,40}?) (?:in|of)(?: the)?(?: file)? `+fileName+` (?:to|as|into) (?P<new>\S.{0,60})$`,
		`^in(?: the)?(?: file)? `+fileName+`,? (?:change|set|update)(?: the)? (?P<what>[\w -]{1,40}?) to (?P<new>\S.{0,60})$`,
		`^(?:把|将)\s*`+fileName+`\s*(?:里面|里|中)?的\s*(?P<what>[\w\p{Han}]{1,20})\s*(?:设为|设置为|改成|改为)\s*(?P<new>\S.{0,60})$`,
		`^(?:změň|nastav|uprav) (?P<what>[\pL\w -]{1,40}?) (?:v|ve)(?: souboru)? `+fileName+` na (?P<new>\S.{0,60})$`,
	), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		if !ok || !isKnownFile(path) {
			return nil
		}
		value, _ := literal(m["new"])
		return saying{asItStands.In(u.Lang, m["what"], value, path)}
	}}
}

// valueOf is the answer to words that ask for another value of something, such as
// change the port to 9090, where the first text is the name of the value and not
// what stands in its place. What is in quotes, or called a text, is itself meant.
func (u *utterance) valueOf(m captures, path string) goal {
	what, quoted := literal(m["old"])
	value, _ := literal(m["new"])
	sets := setsValue.has(m["change"])
	if m["change"] == "" || !sets && (quoted || m["all"] != "" || m["the"] != "" && m["the"] != "the") {
		return nil
	}
	if from, ok := fromOld.match(what); ok {
		old, _ := literal(from["old"])
		return saying{oldAndNew.In(u.Lang, from["what"], old, value, path)}
	}
	number := anyDigit.MatchString(what)
	named := m["the"] != "" || !number && (anyDigit.MatchString(value) || nameChange.has(m["change"]))
	if !sets && !named {
		return nil
	}
	return saying{asItStands.In(u.Lang, what, value, path)}
}

var (
	// fromOld is what is to change, and its old value.
	fromOld = newPattern(`^(?P<what>\S.*?) (?:from|z|ze) (?P<old>\S.*)$`)
	// nameChange are verbs without an article to tell what is a name.
	nameChange = newPattern(`^(?:změň|改成|改为)$`)
	// setsValue are verbs whose first text is never one that is there.
	setsValue = newPattern(`^(?:set|update|modify|nastav|设为|设置为)$`)
)

var (
	oldAndNew = lang.Words{
		EN: "I change a text only when you say it as it stands in the file, and I do not know how %[1]s is written there: replace \"%[2]s\" with \"%[3]s\" in %[4]s, with what stands before it in the quotes if %[2]s is there more than once.",
		ZH: "我只修改您按文件原文说出的文字，而我不知道文件中 %[1]s 是怎么写的：把 %[4]s 里的“%[2]s”改成“%[3]s”；如果 %[2]s 出现多次，请在引号内加上它前面的文字。",
		CS: "Text změním, jen když ho řeknete tak, jak v souboru stojí, a nevím, jak je tam zapsáno %[1]s: nahraď \"%[2]s\" za \"%[3]s\" v %[4]s; je-li %[2]s v souboru vícekrát, i s tím, co stojí v uvozovkách před ním.",
	}
	doneAlready = lang.Words{EN: "“%s” is marked as done in %s already.", ZH: "“%s”在 %s 中已经标记为完成。", CS: "„%s“ už je v souboru %s označeno jako hotové."}
	noOpenItem  = lang.Words{
		EN: "For “%s” there is no open item, or more than one, in %s (found: %d). An open item is a line such as - [ ] buy milk, and I need its whole text.",
		ZH: "“%s”在 %s 中没有唯一的未完成项（找到 %d 个）。未完成项是形如 - [ ] 买牛奶 的一行，我需要它的全文。",
		CS: "K „%s“ není v souboru %s právě jedna otevřená položka (nalezeno: %d). Otevřená položka je řádek jako - [ ] koupit mléko a potřebuji její celý text.",
	}
	fewerLines = lang.Words{EN: "%s has only %s.", ZH: "%s 只有 %s。", CS: "V souboru %s je jen %s."}
	asItStands = lang.Words{
		EN: "I change a text only when you say it as it stands in the file: replace \"%[1]s: …\" with \"%[1]s: %[2]s\" in %[3]s, with the old value for the dots.",
		ZH: "我只修改您按文件原文说出的文字：把 %[3]s 里的“%[1]s: …”改成“%[1]s: %[2]s”，其中省略号是原来的值。",
		CS: "Text změním, jen když ho řeknete tak, jak v souboru stojí: nahraď \"%[1]s: …\" za \"%[1]s: %[2]s\" v %[3]s, místo teček stará hodnota.",
	}
)
