package intent

import (
	"cmp"
	"strings"

	"loci"
	"loci/internal/lang"
)

// failures are words for what goes wrong, as they are asked about and as lines
// of a log have them.
const failures = `errors?|warnings?|failures?|exceptions?|problems?|crashes|fatal errors?|chyb[ay]?|varování|错误|警告|异常`

// logWords are the same as a log has them, whatever the language.
var logWords = newLexicon(map[string]string{
	"errors": "error", "warnings": "warn", "warning": "warn", "failures": "fail", "failure": "fail", "exceptions": "exception", "problems": "error", "problem": "error", "crashes": "crash", "fatal errors": "fatal", "fatal error": "fatal",
	"chyby": "error", "chyb": "error", "chyba": "error", "varování": "warn", "错误": "error", "警告": "warn", "异常": "exception",
})

// logWord is what a line of a log has for a word.
func logWord(word string) string { return logWords.or(word, word) }

// anyLog are words for the logs there are, without a name.
var anyLog = newPattern(`^(?:(?:the|my|all|all the) )?(?:logs?|log files?)$|^(?:我的)?(?:所有)?日志$|^log[uy]?$`)

// wordRules look for words: in lines of a file, in all files, or in their names
// too where nothing says which. A word alone is enough; a phrase must be called
// one, because find me a good restaurant is no search.
func wordRules() []rule {
	return []rule{
		{newPatterns( // lines of one file
			`^(?:which|what|show(?: me)?(?: the| all)*|find(?: the| all| me)*|list(?: the| all)*|print(?: the| all)*|give me(?: the| all)*) lines?(?: (?:in|of|from) (?P<where>.+?))?(?: that| which)? (?:contain|contains|containing|mention|mentions|mentioning|with|have|match|matching|include|including|say|says|saying|read|show|shows|report|talk about)(?: the)?(?: word| text)? (?P<text>.+?)(?: in (?P<where>\S+))?$`,
			`^(?P<where>\S+?)\s*(?:里面|里|中)?(?:的)?(?:哪些|哪几)行(?:包含|含有|有)\s*(?P<text>.+)$`,
			`^(?:které|jaké) řádky (?:v|ve|souboru)(?: souboru)? (?P<where>\S+) obsahují (?P<text>.+)$`,
			`^(?:what(?:'s| is| are| were)?|show|list|find|give|display|are there|were there|is there|any)(?: me)?(?: the| all| any| an| a)* (?P<text>`+failures+`)(?: are| there| messages| lines)*(?: (?:in|from|of) (?P<where>.+))$`,
			`^(?:jaké|ukaž|najdi|vypiš)(?: mi)?(?: jsou)? (?P<text>`+failures+`)(?: jsou)? (?:v|ve|z)(?: souboru)? (?P<where>.+)$`, `^(?P<where>\S+?)\s*(?:里面|里|中)(?:有)?(?:哪些|什么)(?P<text>`+failures+`)$`,
		), func(u *utterance, m captures) goal {
			text, _ := unquote(m["text"])
			return u.findIn(logWord(text), m["where"])
		}},
		{newPatterns( // files about something
			`^(?:find|search|list|show|get|are there|is there|do i have|which are)(?: me)?(?: for)?(?: all| any| the| my| a| an| every)* (?:files?|documents?|notes?)(?: (?:that|which))?(?: is| are)? (?:containing|contain|contains|with|mentioning|mention|mentions|about|including|include|saying|say|talking about|talks? about|related to|on)(?: the)?(?: word| text| phrase)? (?P<text>.+)$`,
			`^(?:which|what) (?:files?|documents?|notes?) (?:is|are) about (?P<text>.+)$`,
			`^(?:find|show|list|get|look for|search for|which|what|where are|i need|are there)(?: me)?(?: all| any| the| my| a| every| those)* (?:files?|documents?|notes?|papers?)(?:,? (?:where|in which|that|which))(?: (?:the|word|text|name|phrase))* (?P<text>[^,]+?) (?:is|are|gets?|was|were)(?: (?:mentioned|named|discussed|listed|used|written|found|talked about|spoken of|written down|quoted|in|in it|in them))+$`,
			`^(?:find|search for|search|look for|grep|grep for|locate|where is|where does)(?: me)?(?: all)?(?: the| every)? (?:word|text|phrase|string|term|expression)s? (?P<text>.+)$`,
			`^(?:查找|搜索|寻找|找)(?:一下)?(?:单词|文字|词语|词|文本|关键词|关键字)\s*(?P<text>.+)$`, `^(?:有没有|查找|找)(?:关于|包含|提到)\s*(?P<text>.+?)\s*的(?:文件|文档|笔记)$`,
			`^(?:najdi|hledej|vyhledej)(?: mi)?(?: všechna)? (?:slovo|slova|text|výraz|frázi) (?P<text>.+)$`, `^(?:najdi|ukaž|je tu|mám|existuje)(?: mi)?(?: všechny| nějaký)* (?:soubory?|dokumenty?|poznámky) (?:o|s textem|se slovem|obsahující) (?P<text>.+)$`,
		), func(u *utterance, m captures) goal {
			if n, ok := inItsName.match(m["text"]); ok {
				name, _ := unquote(n["name"])
				return u.find(arguments{"name": name}, n["where"])
			}
			text, where := soughtIn(strip(m["text"], inThem), "")
			if text == "" || vagueWord.has(text) {
				return nil
			}
			return u.find(arguments{"content": text}, where)
		}},
		{newPatterns(
			`^(?:search for|search|look for|find|grep)(?: the| my)? (?P<text>[\pL\d_@-]+|"[^"]+"|'[^']+'|“[^”]+”)$`,
			`^(?:查找|搜索|寻找|找)(?:一下)?\s*(?P<text>[\p{Han}\w]{1,12}|“[^”]+”|"[^"]+")$`, `^(?:najdi|hledej|vyhledej) (?P<text>\pL+|„[^“]+“|"[^"]+")$`,
		), func(_ *utterance, m captures) goal {
			text, _ := unquote(m["text"])
			if notSought.has(text) {
				return nil
			}
			return wherever{text}
		}},
		{newPatterns( // how many errors
			`^(?:count|how many|number of|kolik)(?: the| all)? (?P<text>`+failures+`)(?: (?:are|there|do i have|were|is|je))*(?: (?:in|of|v|ve)(?: souboru)? (?P<where>.+))$`,
			`^count(?: the| all)? (?P<text>[\pL\d]+) (?:in|of) (?P<where>\S+)$`, `^(?P<where>\S+?)\s*(?:里面|里|中)?有多少(?:个|条)?(?P<text>错误|警告|异常)$`,
		), func(u *utterance, m captures) goal {
			if anyLog.has(m["where"]) {
				return u.countOf(counting{text: logWord(m["text"])}, true)
			}
			if where, ok := u.countPlace(strip(m["where"], fileWords, fileTail), m["where"], false); ok && where != "" {
				return u.countOf(counting{where: where, text: logWord(m["text"])}, false)
			}
			return nil
		}},
		{newPatterns( // which of them has most
			`^(?:which|what) (?P<field>ip address|\pL+) (?:has|have|had|produces?|causes?|logs?|shows?|gets?|throws?|makes?)(?: the)? most(?: of the)?(?: (?P<text>\S+?))?(?: lines| messages| entries)? (?:in|of) (?P<where>.+)$`,
			`^(?:který|která|které) (?P<field>\pL+) má(?: v (?P<where>\S+))? nejvíc(?:e)? (?P<text>\pL+)(?: v (?P<where>\S+))?$`,
		), func(u *utterance, m captures) goal {
			field := fieldNames.or(m["field"], strings.ToLower(m["field"]))
			where, ok := u.countPlace(strip(m["where"], fileWords, fileTail), m["where"], false)
			if !ok || m["text"] == "" {
				return nil
			}
			return u.countOf(counting{where: where, text: logWord(m["text"]), field: field}, false)
		}},
		{newPatterns( // two files at once
			`^(?P<verb>compare|diff|show|read|open|print|display|cat|what is in|what do|summari[sz]e)(?: me)?(?: the)?(?: files| file| both| contents? of)*(?: the)? (?P<a>.+?)(?:,? and| with| to| &|,| vs\.?| versus)(?: the| file)? (?P<b>.+?)(?: say| contain)?$`,
			`^what(?:'s| is)(?: the)? difference between (?P<a>.+?) and (?P<verb>)(?P<b>.+)$`, `^(?P<verb>比较|对比|读|显示|打开)\s*(?P<a>\S+?)\s*(?:和|与|跟)\s*(?P<b>\S+)$`, `^(?P<verb>porovnej|přečti|ukaž|otevři)(?: mi)?(?: soubory)? (?P<a>\S+) (?:a|s|se) (?P<b>\S+)$`,
		), func(_ *utterance, m captures) goal {
			var g calls
			if !showsOnly.has(m["verb"]) {
				g.lead = bothHere
			}
			for _, name := range []string{m["a"], m["b"]} {
				name, _ = unquote(name)
				if !isKnownFile(name) {
					return nil
				}
				g.all = append(g.all, oneCall{tool: readFile, args: arguments{"path": name}})
			}
			return g
		}},
	}
}

// inItsName is a part of a name and no text.
var inItsName = newPattern(`^(?:(?:the|word|letters) )*(?P<name>"[^"]+"|\S+) in (?:its|the|their|his) (?:file ?)?names?(?: (?:in|under) (?P<where>\S+))?$`)

// inThem says of files again what was said.
var inThem = newPattern(`^(?P<rest>.*\S) (?:(?:somewhere )?in (?:them|it|their text|its text)|inside(?: them| it)?)$`)

// countOf makes the goal of a count: lines of a level are told by their form.
func (u *utterance) countOf(g counting, logs bool) goal {
	switch {
	case isLevel(g.text):
		return report{where: g.where, logs: logs, text: g.text, field: cmp.Or(g.field, "file")}
	case logs:
		return oneCall{tool: searchFiles, args: arguments{"content": g.text, "type": "log", "count": true}}
	}
	return g
}

// notSought is what people seek that is not in files.
var notSought = newPattern(`^(?:me|myself|yourself|us|it|them|that|this|out|love|peace|god|help|more|something|anything|everything|nothing|someone|happiness|inspiration|ideas?|info|information|files?|folders?|here|there|around|to|ho|něco|文件|文件夹)$`)

// findIn makes the goal of showing the lines of a file, of the logs, or of all
// files that have a text.
func (u *utterance) findIn(text, where string) goal {
	if text == "" {
		return nil
	}
	if anyLog.has(where) {
		return oneCall{tool: searchFiles, args: arguments{"content": text, "type": "log"}}
	}
	path, inQuotes := unquote(strip(where, fileWords, fileTail))
	path, ok := u.countPlace(path, where, inQuotes)
	if !ok {
		return nil
	}
	return oneCall{tool: searchFiles, args: arguments{"content": text, "path": path}}
}

// wherever is the goal of finding a word in the text of files, or else in their
// names.
type wherever struct{ text string }

// first is the tool that searches.
func (wherever) first() string { return searchFiles }

// next looks into the files first.
func (g wherever) next(u *utterance, done []loci.ToolResult) loci.Move {
	switch len(done) {
	case 0:
		return call(searchFiles, arguments{"content": g.text})
	case 1:
		if found := decode[searchResult](done[0]); done[0].Err != nil || found.Lines != nil && *found.Lines > 0 {
			return say(u, done[0])
		}
		return call(searchFiles, arguments{"name": g.text})
	}
	if found := decode[searchResult](done[1]); found.Files+found.Folders > 0 {
		return say(u, done[1])
	}
	return loci.Move{Say: foundNowhere.In(u.Lang, g.text)}
}

var (
	showsOnly = newPattern(`^(?:show|read|open|print|display|cat|what is in|what do|读|显示|打开|přečti|ukaž|otevři)$`)
	bothHere  = lang.Words{EN: "I cannot compare texts or make one of them; here are both:", ZH: "我不能比较或合并文本；两个文件的内容如下：", CS: "Texty porovnat ani spojit neumím; tady jsou oba:"}
)

var foundNowhere = lang.Words{
	EN: "“%s” is in no file and in no file's name.", ZH: "没有文件包含“%s”，文件名中也没有。", CS: "„%s“ není v žádném souboru ani v názvu souboru.",
}
