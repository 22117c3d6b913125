package intent

import (
	"regexp"
	"strings"

	"loci"
	"loci/internal/lang"
)

// setting is the goal of giving something in a file another value. The file is read,
// and what stands there tells what is meant: the value behind a name, as in
// "port: 80", or the words themselves. Where neither is there exactly once, it asks.
type setting struct {
	path  string
	what  string // the name of the value, or a text
	old   string // the value that it has; empty: any
	value string // the new one; empty: turned on or off
	on    bool
}

// first is the tool that changes the file.
func (setting) first() string { return editFile }

// next reads, then changes the one place that is meant.
func (g setting) next(u *utterance, done []loci.ToolResult) loci.Move {
	page, instead := readFirst(u, g.path, done)
	if instead != nil {
		return *instead
	}
	old, changed := g.place(page.Text)
	if page.Pages != 1 || old == "" {
		return g.ask(u)
	}
	return changing(editFile, arguments{"path": g.path, "old_text": old, "new_text": changed})
}

// place finds the text that is to change, and what it becomes; empty if it is not
// there exactly once.
func (g setting) place(text string) (old, changed string) {
	for _, p := range g.named() {
		found := p.FindAllStringSubmatch(text, 2)
		if len(found) == 1 && strings.Count(text, found[0][0]) == 1 {
			value, ok := g.valueFor(found[0][2])
			if !ok {
				return "", ""
			}
			return found[0][0], found[0][1] + value
		}
	}
	words := g.what
	if g.old != "" {
		words = g.old
	}
	if g.value == "" || strings.Count(text, words) != 1 || !regexp.MustCompile(`(?:^|\P{L})`+regexp.QuoteMeta(words)+`(?:\P{L}|$)`).MatchString(text) {
		return "", ""
	}
	return words, g.value
}

// named are expressions for a name with its value: in a line of its own, or in a
// table whose columns commas part.
func (g setting) named() []*regexp.Regexp {
	name := strings.Join(strings.Fields(regexp.QuoteMeta(g.what)), `[ _-]?`)
	all := []*regexp.Regexp{regexp.MustCompile(`(?im)^([ \t]*(?:export )?["']?` + name + `["']?[ \t]*[:=][ \t]*)([^\s,;][^\r\n]*?)[ \t]*[,;]?[ \t]*\r?$`)}
	if strings.HasSuffix(strings.ToLower(g.path), ".csv") {
		all = append(all, regexp.MustCompile(`(?im)^(`+name+`[,;][ \t]*)([^\r\n,;]+)\r?$`))
	}
	return all
}

// switches are values that are on or off, each with its other.
var switches = map[string]string{"true": "false", "on": "off", "yes": "no", "1": "0", "enabled": "disabled"}

// valueFor is what is written in the place of a value, with the quotation marks that
// it has.
func (g setting) valueFor(old string) (string, bool) {
	mark := ""
	if bare := strings.Trim(old, `"'`); len(bare) == len(old)-2 {
		mark, old = old[:1], bare
	}
	if g.old != "" && !strings.EqualFold(g.old, old) {
		return "", false
	}
	if g.value != "" {
		return mark + g.value + mark, true
	}
	for on, off := range switches {
		if !strings.EqualFold(old, on) && !strings.EqualFold(old, off) {
			continue
		}
		if g.on {
			return mark + on + mark, true
		}
		return mark + off + mark, true
	}
	return "", false
}

// ask says how to put it.
func (g setting) ask(u *utterance) loci.Move {
	value := g.value
	if value == "" {
		value = "…"
	}
	if g.old != "" {
		return loci.Move{Say: oldAndNew.In(u.Lang, g.what, g.old, value, g.path)}
	}
	return loci.Move{Say: asItStands.In(u.Lang, g.what, value, g.path)}
}

// set makes the goal of giving something another value: by reading where that is
// possible, or else by asking for what stands there.
func (u *utterance) set(g setting) goal {
	g.what, _ = literal(u.verbatim(g.what))
	g.value, _ = literal(u.verbatim(g.value))
	if short := strings.TrimPrefix(strings.TrimPrefix(g.value, "an "), "a "); anyDigit.MatchString(short) {
		g.value = short // a 5 is 5
	}
	switch {
	case !u.offers(readFile):
		return saying{g.ask(u).Say}
	case strings.TrimSpace(g.what) == "", startsQuote(g.what), startsQuote(g.value), someLines.has(g.what), isKnownFile(g.what), itsName.has(g.what) && isKnownFile(g.value):
		return nil
	}
	return g
}

// switching asks to turn something in a file on or off.
func switching() rule {
	return rule{phrasesOf("switches/turned"), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		if !ok || !isKnownFile(path) {
			return nil
		}
		return u.set(setting{path: path, what: m["what"], on: turnsOn.has(m["on"])})
	}}
}

// itsName is the name of the file itself.
var itsName = newPattern(`^(?:the )?(?:file ?)?name$`)

var turnsOn = wordsOf("switches/on")

var (
	oldAndNew = lang.Words{
		EN: "I change a text only when you say it as it stands in the file, and I do not know how %[1]s is written there: replace \"%[2]s\" with \"%[3]s\" in %[4]s, with what stands before it in the quotes if %[2]s is there more than once.",
		ZH: "我只修改您按文件原文说出的文字，而我不知道文件中 %[1]s 是怎么写的：把 %[4]s 里的“%[2]s”改成“%[3]s”；如果 %[2]s 出现多次，请在引号内加上它前面的文字。",
		CS: "Text změním, jen když ho řeknete tak, jak v souboru stojí, a nevím, jak je tam zapsáno %[1]s: nahraď \"%[2]s\" za \"%[3]s\" v %[4]s; je-li %[2]s v souboru vícekrát, i s tím, co stojí v uvozovkách před ním.",
	}
	asItStands = lang.Words{
		EN: "I change a text only when you say it as it stands in the file: replace \"%[1]s: …\" with \"%[1]s: %[2]s\" in %[3]s, with the old value for the dots.",
		ZH: "我只修改您按文件原文说出的文字：把 %[3]s 里的“%[1]s: …”改成“%[1]s: %[2]s”，其中省略号是原来的值。",
		CS: "Text změním, jen když ho řeknete tak, jak v souboru stojí: nahraď \"%[1]s: …\" za \"%[1]s: %[2]s\" v %[3]s, místo teček stará hodnota.",
	}
)
