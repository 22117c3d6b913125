package intent

import (
	"regexp"
	"strconv"
	"strings"

	"loci"
	"loci/internal/lang"
)

// What is asked about a part of one file, or in numbers: its first lines, its
// words, how often something occurs in it.

// excerpt is the goal of showing the first or last lines of a file.
type excerpt struct {
	path string
	n    int // negative: the last ones
}

// first is the tool that reads.
func (excerpt) first() string { return readFile }

// next reads the first page; for the last lines the last page too.
func (g excerpt) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		return call(readFile, arguments{"path": g.path})
	}
	last := done[len(done)-1]
	page := decode[readResult](last)
	switch {
	case last.Err != nil || strings.TrimSpace(page.Text) == "":
		return say(u, last)
	case g.n < 0 && page.Pages > 1 && len(done) == 1:
		return call(readFile, arguments{"path": g.path, "page": page.Pages})
	}
	lines := strings.Split(strings.TrimRight(page.Text, "\r\n"), "\n")
	if g.n < 0 {
		lines = lines[max(0, len(lines)+g.n):]
	} else {
		lines = lines[:min(len(lines), g.n)]
	}
	return loci.Move{Say: g.path + ":\n" + strings.Join(lines, "\n")}
}

// span is the goal of showing some lines of a file by their numbers.
type span struct {
	path     string
	from, to int // from 1
}

// first is the tool that reads.
func (span) first() string { return readFile }

// next reads page after page up to the last line that is asked for. A page may begin
// in the middle of a line.
func (g span) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		return call(readFile, arguments{"path": g.path})
	}
	last := done[len(done)-1]
	if last.Err != nil || strings.TrimSpace(decode[readResult](last).Text) == "" {
		return say(u, last)
	}
	var text strings.Builder
	for _, r := range done {
		text.WriteString(decode[readResult](r).Text)
	}
	lines := strings.Split(strings.TrimRight(text.String(), "\r\n"), "\n")
	pages := decode[readResult](last).Pages
	switch {
	case len(lines) <= g.to && len(done) < pages && len(done) < maxTries:
		return call(readFile, arguments{"path": g.path, "page": len(done) + 1})
	case len(lines) <= g.to && len(done) < pages:
		return loci.Move{Say: tooFar.In(u.Lang, len(lines)-1, g.path)}
	case len(lines) < g.from:
		return loci.Move{Say: fewerLines.In(u.Lang, g.path, linesWord.In(u.Lang, len(lines)))}
	}
	head := lineSpan.In(u.Lang, g.path, g.from, min(g.to, len(lines)))
	return loci.Move{Say: head + "\n" + strings.Join(lines[g.from-1:min(g.to, len(lines))], "\n")}
}

// occurrences is the goal of counting how often something occurs in a file or in
// all of them.
type occurrences struct {
	where   string
	text    string // as the person wrote it; empty: the unit is counted
	pattern string
	unit    lang.Words // the sentence that tells how many there are
}

// first is the tool that counts.
func (occurrences) first() string { return searchFiles }

// next counts in one call.
func (g occurrences) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		return call(searchFiles, arguments{"path": g.where, "content": g.pattern, "regexp": true, "count": true})
	}
	last := done[len(done)-1]
	result := decode[searchResult](last)
	switch {
	case last.Err != nil || result.Lines == nil:
		return say(u, last)
	case g.text == "":
		return loci.Move{Say: g.unit.In(u.Lang, g.where, result.Times)}
	case result.Times == 0 && g.where == "":
		return loci.Move{Say: occursNowhere.In(u.Lang, g.text)}
	case g.where == "":
		return loci.Move{Say: occursInAll.In(u.Lang, g.text, result.Times, result.Files)}
	}
	return loci.Move{Say: occursIn.In(u.Lang, g.text, result.Times, g.where)}
}

var (
	lineSpan      = lang.Words{EN: "%s, lines %d to %d:", ZH: "%s，第 %d 到 %d 行：", CS: "%s, řádky %d až %d:"}
	tooFar        = lang.Words{EN: "I can show lines up to %d of %s.", ZH: "%[2]s 我最多只能显示到第 %[1]d 行。", CS: "Umím ukázat řádky do čísla %d souboru %s."}
	occursIn      = lang.Words{EN: "“%s” occurs %d times in %s.", ZH: "“%[1]s”在 %[3]s 中出现了 %[2]d 次。", CS: "„%s“ se vyskytuje %d× v souboru %s."}
	occursInAll   = lang.Words{EN: "“%s” occurs %d times, in %d of your files.", ZH: "“%[1]s”出现了 %[2]d 次，在 %[3]d 个文件中。", CS: "„%s“ se vyskytuje %d×, počet souborů: %d."}
	occursNowhere = lang.Words{EN: "“%s” does not occur in any file.", ZH: "没有文件包含“%s”。", CS: "„%s“ se nevyskytuje v žádném souboru."}
	sizeTime      = lang.Words{EN: "%s: %s, last changed %s.", ZH: "%s：%s，最后修改于 %s。", CS: "%s: %s, naposledy změněno %s."}
	wordCount     = lang.Words{EN: "%s has %d words.", ZH: "%s 共有 %d 个词。", CS: "Soubor %s má slov: %d."}
	charCount     = lang.Words{EN: "%s has %d characters, without the ends of lines.", ZH: "%s 共有 %d 个字符（不含换行）。", CS: "Soubor %s má znaků (bez konců řádků): %d."}
)

// wholeWord is the expression that finds a text as a word of its own, where Go's
// word boundaries, which know ASCII only, can tell.
func wholeWord(text string) string {
	quoted := regexp.QuoteMeta(text)
	if onlyWord.MatchString(text) {
		return `\b` + quoted + `\b`
	}
	return quoted
}

var onlyWord = regexp.MustCompile(`^\w(?:[\w ]*\w)?$`)

// sizeAndTime tells how large a file is, and when it was changed.
func sizeAndTime(u *utterance, r loci.ToolResult) string {
	found := decode[searchResult](r).Matches
	if len(found) != 1 {
		return ""
	}
	f := found[0]
	return sizeTime.In(u.Lang, f.Path, lang.Size(u.Lang, f.Size), f.Modified.In(u.Now.Location()).Format("2006-01-02 15:04"))
}

// numbers are small numbers in words.
var numbers = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twenty": 20, "few": 5, "couple of": 2}

// partRules ask for lines from the ends of a file, or count what is in it.
func partRules() []rule {
	return []rule{
		{newPatterns(
			`^(?:(?:show|print|read|display|give|get|what are|what is|what's)(?: me)? )?(?:the |a )?(?P<end>first|last|top|final)(?: (?P<n>\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twenty|few|couple of))? (?P<many>lines?)(?: (?:of|in|from))(?: the| my)?(?: file)? (?P<where>.+)$`,
			`^(?P<end>head|tail)(?: -n)?(?: ?-?(?P<n>\d{1,3}))? (?P<where>\S+)$`,
			`^(?:显示|读取?|看看?)?\s*(?P<where>\S+?)\s*的?(?P<end>前|最后|后|最前)\s*(?P<n>\d{1,3})\s*行$`,
			`^(?:(?:ukaž|vypiš|zobraz|přečti)(?: mi)? )?(?P<end>prvních|první|posledních|poslední)(?: (?P<n>\d{1,3}))? (?P<many>řád\pL+)(?: souboru| z| ze| v)* (?P<where>.+)$`,
		), func(u *utterance, m captures) goal {
			path, ok := u.file(m["where"])
			if !ok {
				return nil
			}
			n, err := strconv.Atoi(m["n"])
			if err != nil {
				n = numbers[strings.ToLower(m["n"])]
			}
			if n == 0 {
				n = 1
				if many := bare(m["many"]); many != "line" && many != "radek" {
					n = 10
				}
			}
			if backEnd.has(m["end"]) {
				n = -n
			}
			return excerpt{path, n}
		}},
		{newPatterns(
			`^(?:(?:show|print|read|display|give|get|see|what are|what is|what's|what does)(?: me)?(?: on| in)? )?(?:the )?lines? (?:numbers? )?(?P<from>\d{1,6})(?: ?(?:to|-|–|through|until|and|till) ?(?P<to>\d{1,6}))?(?: (?:of|in|from))(?: the| my)?(?: file)? (?P<where>.+?)(?: say)?$`,
			`^(?:显示|读取?|看看?)?\s*(?P<where>\S+?)\s*的?第\s*(?P<from>\d{1,6})\s*(?:(?:行)?(?:到|至|-)第?\s*(?P<to>\d{1,6})\s*)?行(?:是什么)?$`,
			`^(?:(?:ukaž|vypiš|zobraz|přečti)(?: mi)? )?řád\pL+ (?P<from>\d{1,6})(?: ?(?:až|-|–|do) ?(?P<to>\d{1,6}))?(?: souboru| z| ze| v)* (?P<where>.+)$`,
		), func(u *utterance, m captures) goal {
			path, ok := u.file(m["where"])
			from, err := strconv.Atoi(m["from"])
			if !ok || err != nil || from < 1 {
				return nil
			}
			to, err := strconv.Atoi(m["to"])
			if err != nil {
				to = from
			}
			return span{path, min(from, to), max(from, to)}
		}},
		{newPatterns(
			`^(?:how many|count|count the number of|number of)(?: the| all)* (?P<unit>words?|characters?|letters|chars)(?: (?:are|is|there|does|do))*(?: in| of)?(?: the)?(?: file)? (?P<where>.+?)(?: (?:have|contain))?$`, `^word count (?:of|for) (?P<where>.+)$`, `^wc(?: -w)? (?P<where>\S+)$`,
			`^(?P<where>\S+?)\s*(?:里面|里|中)?一?共?有?多少个?(?P<unit>字|词|单词|字符)$`, `^spočítej (?P<unit>slova|znaky)(?: v| ve)?(?: souboru)? (?P<where>.+)$`, `^kolik (?P<unit>slov|znaků|písmen)(?: je| má)?(?: v| ve)?(?: souboru)? (?P<where>.+)$`,
		), func(u *utterance, m captures) goal {
			path, ok := u.file(m["where"])
			if !ok {
				return nil
			}
			if unit := strings.ToLower(m["unit"]); characters.has(unit) {
				return occurrences{where: path, pattern: ".", unit: charCount}
			}
			return occurrences{where: path, pattern: `\S+`, unit: wordCount}
		}},
		{newPatterns(
			`^how (?:big|large|long|old|heavy) is(?: the| my)?(?: file)? (?P<where>.+)$`, `^when (?:was|did i)(?: last)?(?: the| my)?(?: file)?(?: (?:change|edit|modify|save))? ?(?P<where>.+?)(?: (?:last )?(?:changed|modified|edited|written|saved|updated|created))?$`, `^(?:what(?:'s| is) )?the (?:size|date|age) of (?P<where>.+)$`,
			`^(?P<where>\S+)\s*(?:有)?(?:多大|是什么时候修改的|什么时候修改的)$`, `^(?:jak velký je|kdy (?:byl|se) (?:změněn|změnil|upraven))(?: soubor)? (?P<where>.+)$`,
		), func(u *utterance, m captures) goal {
			path, ok := u.file(m["where"])
			if !ok || !isKnownFile(path) {
				return nil
			}
			return oneCall{searchFiles, arguments{"path": path, "type": "file"}, sizeAndTime}
		}},
		{newPatterns(
			`^how (?:many times|often) (?:does|do|is|are)(?: the)?(?: word| text| name)? (?P<text>.+?) (?:occur|appear|appears|mentioned|show up|come up|used|there)(?: in (?P<where>.+))?$`,
			`^(?:count|how many)(?: the| all)? (?:occurrences|appearances|instances|mentions)(?: are there)? of(?: the)?(?: word| text)? (?P<text>.+?) in (?P<where>.+)$`,
			`^(?P<where>\S+?)\s*(?:里面|里|中)\s*(?P<text>\S+?)\s*(?:这个词|这个字)?(?:一共|总共)?(?:出现|提到)(?:了|过)?(?:多少|几)次$`,
			`^kolikrát (?:je|se vyskytuje|se objevuje|se zmiňuje)(?: slovo| text)? (?P<text>.+?) (?:v|ve)(?: souboru)? (?P<where>.+)$`,
		), func(u *utterance, m captures) goal {
			text, _ := unquote(m["text"])
			where, inQuotes := unquote(strip(m["where"], fileWords, fileTail))
			path, ok := u.countPlace(where, m["where"], inQuotes)
			if !ok || text == "" {
				return nil
			}
			return occurrences{where: path, text: text, pattern: wholeWord(text)}
		}},
	}
}

var (
	backEnd    = newPattern(`^(?:last|final|tail|最后|后|posledn\pL+)$`)
	characters = newPattern(`^(?:char\w*|letters|字符|znaků|znaky|písmen)$`)
)
