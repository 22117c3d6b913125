package intent

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"loci/internal/lang"
)

// Parts of the patterns below. A text in quotes may have anything in it but
// their mark, apostrophes in words excepted; one without has no quotes at all.
const (
	inQuotes = `"[^"]*"|“[^”"]*[”"]|„[^“”"]*[“”"]|«[^»]*»|「[^」]*」|『[^』]*』|‘(?:[^'’]|['’]\pL)*?['’]|'(?:[^']|'\pL)*?'` + "|`[^`]*`"
	someText = `(?P<text>` + inQuotes + `|[^"“„«「` + "`" + `]+)`
	fileName = `(?P<file>` + calledFile + `(?:` + inQuotes + `)|[^"“„«「` + "`" + `]+?)`
	// calledFile calls a name in quotes a file.
	calledFile = `(?:(?:(?:the|my|this|that|ten|tento) )?(?:file|document|soubor|souboru|dokument) |(?:这个|那个|我的)?(?:文件|文档)\s*)?`
	// fileBefore is a name with its ending, before other words.
	fileBefore = `(?:` + inQuotes + `)|[^"“„«「:,;]+?\.[a-z]\w{0,5}`
	// fewWords are a text whose end the words behind it tell.
	fewWords = inQuotes + `|[^"“„«「` + "`" + `]+?`
)

// changeRules ask for a change of one file. They match the words without the
// politeness at both ends; textRules match what ends in a text to write, of which
// nothing may be taken off.
func changeRules() []rule {
	return []rule{
		cutName(), saveLast(), emptyFile(), someNewText(), oneLineMore(), tickOff(),
		{phrasesOf("replaces/text"), (*utterance).edit},
		textAway(), lineOut(), lineAway(), itemAway(), anotherName(), fromPlace(), anotherPlace(), intoTrash(), switching(), valueChange(),
	}
}

// saveLast asks to write what was said last to a file.
func saveLast() rule {
	return rule{phrasesOf("writes/what was said last"), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		if !ok {
			return nil
		}
		text := u.lastReply()
		if strings.TrimSpace(text) == "" {
			return saying{nothingSaid.In(u.Lang)}
		}
		return change{writeFile, arguments{"path": path, "content": text}}
	}}
}

// emptyFile asks for a file with nothing in it.
func emptyFile() rule {
	return rule{newPatterns(
		`^(?:create|make|start|open|i need|i want|add)(?: me)?(?: an?| the)?(?: new)?(?: empty| blank)(?: new)?(?: text)?(?: file| document| note)?(?: called| named)? `+fileName+`$`,
		`^(?:create|make|add)(?: me)?(?: an?| the)?(?: new)?(?: text)?(?: file| document)?(?: called| named)? `+fileName+`,? (?:with nothing in it|with no (?:text|content|contents)|(?:and )?leave it (?:empty|blank)|without (?:any )?(?:text|contents?)|that is (?:empty|blank))$`, `^(?:run )?touch `+fileName+`$`,
		`^(?:创建|新建|建立?)(?:一个|个)?空(?:白)?的?(?:文件|文档)\s*(?:名为|叫)?\s*`+fileName+`$`,
		`^(?:vytvoř|založ)(?: mi)?(?: nový)? prázdný soubor(?: s názvem| jménem)? `+fileName+`$`,
	), func(u *utterance, m captures) goal {
		if path, ok := u.theFile(m["file"]); ok {
			if u.offers(readFile) {
				return emptyFileIfNone{path}
			}
			return change{writeFile, arguments{"path": path, "content": ""}}
		}
		return nil
	}}
}

// someNewText asks to write a text to a file.
func someNewText() rule {
	return rule{newPatterns(
		`^(?:overwrite|replace(?: the)? (?:contents?|text) of|rewrite) `+fileName+` (?:with|by)(?: the text)? (?P<text>`+inQuotes+`)$`,
		`^(?:写入|写下|写上|写|保存|存)\s*(?P<text>`+inQuotes+`)\s*(?:到|进|在)\s*`+fileName+`\s*(?:里面|里|中)?$`, `^用\s*(?P<text>`+inQuotes+`)\s*(?:覆盖|替换)\s*`+fileName+`(?:的内容)?$`,
		`^(?:přepiš|nahraď obsah)(?: soubor| souboru)? `+fileName+` (?:textem|na) (?P<text>`+inQuotes+`)$`,
		`^(?:write|put|save|store|note down|note|enter)(?: down)?(?: (?:the|this) (?:text|words?|line|sentence|message))?:? `+someText+` (?:to|into|in|as|onto)(?: a| the)?(?: new)?(?: text)?(?: file| document)?(?: called| named)? `+fileName+`$`,
		`^(?:把|将)\s*`+someText+`\s*(?:写入|写到|写进|保存到|保存为|保存在|存到|存入|存为|记到|记在)\s*`+fileName+`\s*(?:里面|里|中)?$`,
		`^(?:在|往)\s*`+fileName+`\s*(?:里面|里|中)?(?:写入|写上|写下|写)\s*`+someText+`$`,
		`^(?:napiš|zapiš|ulož|dej)(?: mi)?(?: text| větu| slova)? `+someText+` (?:do|jako)(?: nového)?(?: souboru)? `+fileName+`$`,
	), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		text, also := u.theText(m["text"])
		_, quoted := literal(m["text"])
		switch {
		case !ok && quoted && oneWord.has(m["file"]):
			return saying{noFileName.In(u.Lang, m["file"])}
		case ok && dateText.has(m["text"]):
			return change{writeFile, arguments{"path": path, "content": u.Now.Format(time.DateOnly)}}
		case ok && timeText.has(m["text"]):
			return change{writeFile, arguments{"path": path, "content": u.Now.Format("15:04")}}
		case !ok || !also:
			return nil
		}
		return change{writeFile, arguments{"path": path, "content": text}}
	}}
}

// oneLineMore asks for a line at the end of a file.
func oneLineMore() rule {
	return rule{phrasesOf("writes/line more"), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		text, also := u.theText(m["text"])
		if !ok || !also || !u.offers(readFile) || addsUp.has(m["text"]) {
			return nil
		}
		return appending{path, text}
	}}
}

// textAway asks to take a text out of a file.
func textAway() rule {
	return rule{phrasesOf("replaces/text away"), func(u *utterance, m captures) goal {
		path, ok := u.theFile(m["file"])
		old, _ := literal(u.verbatim(m["old"]))
		if !ok || old == "" || isKnownFile(strings.TrimSpace(old)) { // a file in a folder
			return nil
		}
		if u.offers(readFile) {
			return textCut{path, old}
		}
		return change{editFile, arguments{"path": path, "old_text": old, "new_text": ""}}
	}}
}

// anotherName asks to rename a file.
func anotherName() rule {
	return rule{phrasesOf("replaces/another name"), func(u *utterance, m captures) goal { return u.rename(m["from"], m["new"]) }}
}

// anotherPlace asks to move a file.
func anotherPlace() rule {
	return rule{phrasesOf("replaces/another place"), func(u *utterance, m captures) goal { return u.move(m["from"], m["new"]) }}
}

// intoTrash asks to delete a file or folder.
func intoTrash() rule {
	return rule{phrasesOf("replaces/into the trash"), func(u *utterance, m captures) goal { return u.deletion(m["file"]) }}
}

// textRules ask for a new text, which ends the words.
func textRules() []rule {
	return append([]rule{cutName(), {phrasesOf("texts/jotted down"), jottedDown}, {newPatterns(
		`^(?:create|make|add|write|save|start)(?: me)?(?: an?| the)?(?: new)?(?: text)?(?: file| document| note)?(?: called| named)? `+fileName+`,? (?:with|containing|saying|that (?:says|contains|reads)|which (?:says|contains|reads))(?: the| this| following| as| its)*(?P<text_is> (?:text|contents?|words?|line|message|sentence))(?:(?: of| is)?:)? (?P<text>\S.*)$`,
		`^(?:create|make|add|write|save|start)(?: me)?(?: an?| the)?(?: new)?(?: text)?(?: file| document| note)?(?: called| named)? `+fileName+`,? (?:containing|saying|that (?:says|contains|reads)|which (?:says|contains|reads)|with):? (?P<text>\S.*)$`,
		`^(?:write|save|put)(?: this| the following)?(?: text)? (?:to|into|in|as)(?: the| a)?(?: new)?(?: file)? `+fileName+`(?P<text_is> ?[:：]) ?(?P<text>\S.*)$`,
		`^(?:创建|新建|建立?|新增|生成|写)(?:一个|个)?(?:新的?)?(?:名为|叫)?(?:文件|文档)?(?:名为|叫)?\s*`+fileName+`\s*[，,]?\s*(?P<text_is>(?:其?内容|文字|里面|并)(?:为|是|写入|写上|写着|写)?|写入|写上|写着)\s*[:：]?\s*(?P<text>\S.*)$`,
		`^(?:vytvoř|založ|udělej)(?: mi)?(?: nový)?(?: textový)?(?: soubor)?(?: s názvem| jménem)? `+fileName+`,? (?:s|se) (?P<text_is>textem|obsahem|větou|slovy|slovem):? (?P<text>\S.*)$`,
		`^(?:napiš|zapiš|ulož) do(?: souboru)? `+fileName+`(?P<text_is> ?:) ?(?P<text>\S.*)$`,
		`^(?:(?:create|make|add|write|save|start|i need|i want|open)(?: me)?(?: an?| the)? )?(?:new )?(?:text )?(?:file|document|note)(?: called| named| with the name)? `+fileName+`(?: ?[,:;.-])? ?(?:with |its |and |put |write )?(?:the )?(?P<text_is>contents?|text|body|inside|saying|reading)(?: is| should be| should say| are| it says)?(?:[:=]| -)? ?(?P<text>\S.*)$`,
		`^(?:create|make|write|start)(?: me)? `+fileName+`(?P<text_is> ?(?:[:：]| -| –)) ?(?P<text>\S.*)$`,
		`^(?:jot|scribble|pen|record)(?: down)? (?P<text>`+inQuotes+`)(?: down)? (?:in|into|to|as|under|on) `+fileName+`$`,
		`^(?:write|put)(?: down)? in(?:to)?(?: the)?(?: file)? `+fileName+`(?P<text_is> ?[:：]) ?(?P<text>\S.*)$`,
		`^(?:zapiš|napiš|ulož|vlož|dej) do(?: nového)?(?: souboru)? `+fileName+` (?P<text_is>text|větu|slova|řádek|toto|tohle):? (?P<text>\S.*)$`, `^(?:在|往)\s*`+fileName+`\s*(?:里面|里|中)?(?P<text_is>写入|写上|写下|写)[:：]\s*(?P<text>\S.*)$`,
		`^(?:create|make|add|write|start)(?: me)?(?: an?| the)?(?: new)?(?: text)? (?:file|document|note)(?: called| named)? `+fileName+` (?:with|and (?:put|write)) (?P<text_is>the (?:text|words?) )?(?P<text>[^"“]+?) (?:in|inside|into|as) (?:it|its content)$`,
		`^(?:new|another) (?:file|note|document)(?: called| named)? `+fileName+`(?P<text_is> ?[:：]) ?(?P<text>\S.*)$`, `^vytvoř(?: mi)?(?: nový)?(?: textový)? soubor `+fileName+`,? (?P<text_is>ve kterém bude|kde bude|a (?:napiš|zapiš|dej) do (?:něj|něho)):? (?P<text>\S.*)$`,
	), newTextFile}}, looseTexts()...)
}

var (
	// textTail is politeness after a text to write, and the mark of the sentence
	// around a text in quotes.
	textTail = newPattern(`^(?P<rest>` + inQuotes + `)(?:,? (?:in it|inside|please|pls|thanks|thank you|prosím|díky)|谢谢|[.!?。！？ ])*$|^(?P<rest>.*\S),? (?:please|pls|prosím)[.!?]*$`)
	// someOne begins what is to be thought of, and not a text that is there.
	someOne = newPattern(`^(?:an?|the|my|your|our|some|any|me|us|it|this|that|these|those|them|all|everything|every|each|something|down|what|how|who|why|where|which|about|to|in|into|as|nějak\pL+|mi|nám|to|ho|je|všechno)(?: |$)|^(?:一篇|一首|一个|一份|这|那|它|所有)`)
	// composed is what somebody has to write first.
	composed = newPattern(`(?:^| )(?:poems?|story|stories|essay|summary|summaries|letter|report|code|program|script|function|joke|e-?mail|song|article|answer|results?|table|list of|lines? of|contents? of|báseň\pL*|básničk\pL+|povídk\pL+|souhrn|výsled\pL+|odpověď|seznam|obsah|numbers? of|counts? of|how many|poče?t\pL*)(?: |$)|统计|计算|行数|数量|多少|诗|故事|作文|总结|摘要|报告|代码|列表|结果|回答`)
	// between are the words before the name of a file: a text without quotes that
	// has one of them may end there.
	between = newPattern(` (?:to|into|in|as|onto|at|do|jako|na|k) |写入|写到|保存`)
)

// startsQuote tells whether a text begins with a quotation mark.
func startsQuote(s string) bool {
	return s != "" && strings.ContainsAny(s[:1], "\"'`") || anyQuote.MatchString(s)
}

// theText reads a text to write. Without quotes it must be plain that the words
// themselves are meant: a poem about the sea is none.
func (u *utterance) theText(words string) (string, bool) {
	text, quoted := literal(u.verbatim(words))
	if quoted {
		return text, text != ""
	}
	const most = 15 // words
	return text, !someOne.has(text) && !composed.has(text) && !between.has(text) && len(strings.Fields(text)) <= most && !startsQuote(text) && !isPath(text)
}

// edit makes the goal of replacing a text.
func (u *utterance) edit(m captures) goal {
	path, ok := u.theFile(m["file"])
	if !ok {
		return nil
	}
	if g := u.valueOf(m, path); g != nil {
		return g
	}
	if g := u.told(m, path); g != nil {
		return g
	}
	args := arguments{"path": path}
	for name, words := range map[string]string{"old_text": m["old"], "new_text": m["new"]} {
		text, quoted := literal(u.verbatim(words))
		if text == "" && name == "old_text" || !quoted && (text == "" || startsQuote(text) || unclear.has(text)) {
			return nil
		}
		if n, ok := strings.CutPrefix(text, "a "); ok && !quoted && anyDigit.MatchString(n) && name == "new_text" {
			text = n // a 5 is 5
		}
		args[name] = text
	}
	if m["all"] != "" {
		args["replace_all"] = true
	}
	return change{editFile, args}
}

// told makes the goal of a change whose old text has words before it that tell of it:
// the file tells where it begins.
func (u *utterance) told(m captures, path string) goal {
	old, ok := tellsOf.match(m["old"])
	text, quoted := literal(u.verbatim(m["new"]))
	if !ok || !u.offers(readFile) || text == "" || !quoted && (startsQuote(text) || unclear.has(text)) {
		return nil
	}
	g := replacing{path: path, all: m["all"] != ""}
	for words := strings.Fields(strings.TrimRight(m["old"], " ,;")); len(words) > 0; words = words[1:] {
		g.swaps = append(g.swaps, swap{old: strings.Join(words, " "), new: text})
		if len(words) == len(strings.Fields(old["old"])) {
			return g
		}
	}
	return nil
}

// tellsOf are words before a text that may be none of it.
var tellsOf = wordsOf("edits/tells of the old text")

// unclear are words in a text without quotes that may separate it from the next.
var unclear = newPattern(` (?:with|by|to|in|into|textem|za|na|v|ve) |^(?:the|all|every|name|title|first|last|any|it|this|that)(?: |$)`)

// rename makes the goal of giving a file another name. It stays in its folder if
// no other is named.
func (u *utterance) rename(from, to string) goal {
	source, ok := u.theFile(from)
	if m, in := fromFolder.match(from); !ok && in && isKnownFile(m["file"]) && !hasSeparator(m["file"]) {
		if folder, _, isFolder := u.theFolder(m["folder"]); isFolder {
			source, ok = within(folder, m["file"]), true
		}
	}
	if !ok {
		return nil
	}
	name, inQuotes := literal(to)
	if !inQuotes {
		if name, ok = u.theFile(to); !ok {
			return nil
		}
	}
	switch {
	case strings.TrimSpace(name) == "" || strings.HasSuffix(name, "/"):
		return nil
	case !inQuotes && isFile(source) && !isFile(name):
		return saying{wholeName.In(u.Lang)}
	case !hasSeparator(name) && hasSeparator(source):
		name = within(source[:len(source)-len(baseName(source))], name)
	}
	return change{moveFile, arguments{"source": source, "destination": name}}
}

// move makes the goal of giving a file another place.
func (u *utterance) move(from, to string) goal {
	source, ok := u.theFile(from)
	if !ok {
		return nil
	}
	if path, ok := u.theFile(to); ok && isFile(path) && !saysFolderFirst.has(to) {
		return change{moveFile, arguments{"source": source, "destination": path}}
	}
	folder, sure, ok := u.theFolder(to)
	switch {
	case !ok:
		return nil
	case sure:
		return change{moveFile, arguments{"source": source, "destination": within(folder, source)}}
	case u.offers(listDir):
		return intoFolder{source, folder}
	}
	return nil
}

// partOfFile is less than a file.
var partOfFile = newPattern(`^(?:the )?(?:(?:first|last|second|third|next|\d+|bottom|top|empty|blank)(?: \d+)? )?(?:lines?|words?|paragraphs?|sentences?|contents?|text) (?:of|in|from) `)

// fromFolder is a file with the folder that it is in.
var fromFolder = newPattern(`^(?P<file>` + inQuotes + `|\S+) (?:in|from|inside|ve?|ze?)(?: the)? (?P<folder>\S.*)$`)

// deletion makes the goal of deleting a file, or a folder that is called one.
func (u *utterance) deletion(words string) goal {
	if partOfFile.has(words) {
		return nil
	}
	if path, ok := u.theFile(words); ok {
		return change{deleteFile, arguments{"path": path}}
	}
	if m, in := fromFolder.match(words); in {
		folder, sure, isFolder := u.theFolder(m["folder"])
		path, ok := u.theFile(m["file"])
		if !ok || !isFolder || !sure || hasSeparator(path) {
			return nil
		}
		return change{deleteFile, arguments{"path": within(folder, path)}}
	}
	folder, sure, ok := u.theFolder(words)
	switch {
	case !ok, !sure, anyGlob.MatchString(folder), someWords.has(folder):
		return nil
	case slices.Contains([]string{"", ".", "..", "~"}, baseName(strings.TrimRight(folder, `/\`))): // not what one is in
		return nil
	}
	return change{deleteFile, arguments{"path": folder}}
}

// wanted takes off words that lead to a request for a change.
var wanted = newPattern(`^(?:i (?:want|need|would like)|i'd like) to (?P<rest>\S.*)$|^(?:chci|potřebuji|potřebuju) (?P<rest>\S.*)$|^(?:我想要?|我要)\s*(?P<rest>\S.*)$`)

// changes gives the goal of words that ask for a change of one file, or nil.
func (r *Router) changes(u *utterance) goal {
	words := strip(u.core, ratherThis, tellMeThen, wanted)
	if mayName.has(u.whole) { // most words name no file, and then no rule fits
		texts := []string{u.whole}
		if w := strip(u.whole, wanted); w != u.whole {
			texts = append(texts, w)
		}
		for _, w := range texts {
			if g := fitting(r.texts, u, w); g != nil {
				return g
			}
		}
		if g := fitting(r.changing, u, words); g != nil {
			return g
		}
	}
	// What was just spoken of may be called it.
	m, ok := justThat.match(words)
	if !ok {
		m, ok = intoThat.match(words)
	}
	if !ok {
		return nil
	}
	file, ok := u.spokenOf(2)
	if !ok {
		return nil
	}
	return fitting(r.changing, u, strings.TrimSpace(cmp.Or(m["before"], "delete")+" "+quoteName(file)+" "+m["after"]))
}

// mayName is in all words that can name a file or folder.
var mayName = newPattern(`[./\\~"'“„«「『《‘` + "`" + `]|file|document|folder|dir|soubor|dokument|slož|složc|adresář|文件|文档|目录|readme|makefile|licen[cs]e|changelog`)

// itZH stands for a file in Chinese.
const itZH = `(?:它|这个文件|那个文件|该文件)`

var (
	// ratherThis is around a request that another one goes before.
	ratherThis = newPattern(`^(?:no|nope|wrong|ne|不是?)[,.!;:，。 ]+(?P<rest>\S.*?)(?:,? instead| raději| místo toho)?$|^(?P<rest>.*\S),? instead$`)
	// tellMeThen asks for an answer, which there is anyway.
	tellMeThen = newPattern(`^(?P<rest>.*\S),? (?:and|then) (?:then )?(?:tell|inform|let) me(?: know)?(?: (?:when|once|if|as soon as) .*)?$`)
	// justThat stands for the one file that was just spoken of.
	justThat = newPattern(`^(?P<before>(?:delete|remove|erase|trash|rename|move|get rid of|smaž|přejmenuj|přesuň)) (?:it|this|that|this file|that file|the file|ho|jej|ten soubor)(?P<after>$| (?:to|as|into|na|do) .*$)|^(?:(?:把|将)?` + itZH + `(?:删除|删掉|删了)(?:掉)?|(?:删除|删掉)` + itZH + `)$`)
	// intoThat puts something into it, or takes something out of it.
	intoThat = newPattern(`^(?P<before>(?:add|append|insert|replace|change|swap|remove|delete|erase|mark|tick|check) .+ (?:to|in|into|from|of|on|onto|at the end of)) (?:it|this file|that file|the file|the same file|this list|that list|the list)$|^(?P<before>(?:přidej|připiš|dopiš|nahraď|změň|smaž|odstraň) .+ (?:do|v|z|ze)) (?:něj|něho|něm|toho souboru|tom souboru|toho seznamu)$`)
	// oneWord may be a folder as well as a file.
	oneWord    = newPattern(`^(?:the |my )?[\w-]+$`)
	dateText   = newPattern(`^(?:today's date|todays date|the current date|current date|the date(?: of today)?|date|dnešní datum|今天的日期|当前日期)$`)
	timeText   = newPattern(`^(?:the current time|current time|the time|aktuální čas|当前时间)$`)
	addsUp     = newPattern(`^up `)
	anyGlob    = regexp.MustCompile(`[*?]`)
	noFileName = lang.Words{
		EN: "“%[1]s” is a folder, or no whole name of a file. Say the name with its ending, such as %[1]s/notes.txt or %[1]s.txt.",
		ZH: "“%[1]s”是文件夹，或者不是完整的文件名。请说出带扩展名的文件名，例如 %[1]s/notes.txt 或 %[1]s.txt。",
		CS: "„%[1]s“ je složka, nebo to není celý název souboru. Řekněte název s příponou, třeba %[1]s/notes.txt nebo %[1]s.txt.",
	}
)

// wholeName asks for a name with its ending.
var wholeName = lang.Words{
	EN: "Say the whole new name, with its ending, such as report.txt.",
	ZH: "请说出完整的新文件名，包括扩展名，例如 report.txt。",
	CS: "Řekněte celý nový název i s příponou, třeba report.txt.",
}
