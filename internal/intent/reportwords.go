package intent

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"loci/internal/lang"
)

// A request for a report has five parts, which people put in any order: what is
// counted and where, by what, of which day, in which order, and where the result
// goes. The last four are taken off one after the other; what is left must be a
// plain request to count lines, or the whole is none.

const reportFile = `(?P<file>"[^"]+"|'[^']+'|“[^”]+”|„[^“”]+[“”]|[^\s"'“”„，。]+)`

// Parts of the patterns for where the result goes.
const (
	thenEN  = `[,.;?!]* (?:and |then |finally |afterwards? |please |also )*`
	writeEN = `(?:write|save|put|store|export|output|print|record|dump|create|make|produce|generate)(?: down)?`
	// resultEN is what is written: it, the results, a table of the counts.
	resultEN = `(?: (?:it|them|that|this|those|everything|(?:the|all|your|a|an|these|those)(?: \pL+){0,2}? ?(?:results?|counts?|table|numbers?|report|summary|list|outcome|answer|output|totals?)))?`
	intoEN   = `(?: (?:to|in|into|as|out to|under))*(?: (?:a|the))?(?: new)?(?: (?:file|report|markdown file))?(?: (?:called|named))? `
	makeEN   = `(?:write|create|make|generate|prepare|produce|build|give|i need|i want|i'd like)(?: me)?`
	// reportEN is what is made, before its name, and withEN what it tells, after it.
	reportEN = `(?: (?:a|the))?(?: new)?(?: (?:report|file|table|summary|list|markdown (?:file|report|table)))?(?: (?:to|in|into|as|called|named))?(?: (?:the )?file)? `
	withEN   = `(?: ?[:,]| with| of| containing| about| on| that (?:shows|lists|counts|contains|has)| listing| showing| counting| how many)+ `
	thenZH   = `[，,。？?；;]?\s*(?:并且?|然后|再|最后|接着)*`
	resultZH = `(?:把|将)?(?:它们?|(?:这些|这个|统计)*(?:结果|数据|表格|数字))?(?:都)?`
	writeZH  = `(?:写入|写到|写进|写成|保存到|保存为|保存在|保存成|保存|存为|存到|存入|输出到|导出到|导出为|生成|写)`
	makeZH   = `(?:生成|创建|新建|写|做|制作)(?:一个|一份|个)?(?:报告|文件|表格)?`
	thenCS   = `[,.;?!]* (?:a |pak |potom |nakonec )*`
	writeCS  = `(?:výsled\pL+ |vše )?(?:zapiš|ulož|napiš|vypiš|vlož|dej|zapsat|uložit|vytvoř)`
	resultCS = `(?: (?:je|to|ho|výsled\pL+|tabulku|počty|mi|vše|všechno))*(?: (?:do|jako|v|na))?(?: souboru?)?(?: s názvem)? `
	makeCS   = `(?:zapiš|napiš|ulož|vytvoř|udělej|připrav)(?: mi)?(?: do)?(?: souboru?)?(?: report| přehled| tabulku)? `
)

// Parts of the patterns for order, groups and days.
const (
	sortEN  = `(?:sort|order|rank)(?:ed)?(?: (?:it|them|these|the \pL+))?`
	byEN    = `(?: (?:by|in|from|with))(?: the| their)? (?P<order>counts?|numbers?|frequency|names?|module(?: name)?|descending order|highest to lowest|high to low|largest first|most first|alphabetical order)`
	downEN  = `(?:,? (?:descending|desc|in descending order|highest first|largest first|most first))?`
	byZH    = `(?:按照?|根据)?(?P<order>名称|名字|字母顺序|数量|次数|行数|个数|多少)?`
	downZH  = `(?:从高到低|从多到少|由多到少|由高到低|从大到小|降序)(?:排序|排列|排好序)?`
	sortCS  = `(?:seřaď|seřazen\pL+|setřiď|uspořádej|seřadit)(?: (?:je|to|ho|výsled\pL+))?`
	byCS    = `(?: (?:sestupně|podle (?P<order>počtu|jména|názvu|abecedy)|(?P<order>abecedně)))*`
	eachEN  = `(?:per|by|for each|for every|of each|in each|from each|grouped by|group(?: (?:it|them|these))? by|broken down by|split by)`
	hadEN   = `(?: (?:had|has|have|wrote|write|logged|log|produced|produce|got|get))?`
	fieldZH = `(?P<field>模块|文件|主机|服务器?|级别|等级|用户|小时|组件|地址|[A-Za-z]+)`
	eachCS  = `(?:podle|po|pro každ\pL+|za každ\pL+|v každ\pL+|v jednotliv\pL+|u jednotliv\pL+|kter\pL+|za jednotliv\pL+|na)`
	fieldCS = `(?P<field>modul\pL*|soubor\pL*|hostitel\pL*|server\pL*|počítač\pL*|úrov\pL+|uživatel\pL*|hodin\pL*|služ\pL+|komponent\pL*)`
	fromEN  = `(?: (?:from|of|on|for|dated))?(?: the)?`
	dayZH   = `(?P<day>前天|昨天|昨日|今天|今日|(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]|\d{4}-\d\d-\d\d)`
	dayCS   = `(?P<day>včerejška|dneška|předevčírem|včera|dneska|dnes|\d{1,2}\. ?\d{1,2}\.(?: ?\d{4})?|\d{1,2}\. \pL+(?: \d{4})?|\d{4}-\d\d-\d\d)`
	theRest = `(?P<after>$|[,;.:]? .*)$`
)

var (
	// toFile is where the result goes.
	toFile = newPatterns(
		`^(?P<before>.+?)`+thenEN+writeEN+resultEN+intoEN+reportFile+`$`,
		`^`+makeEN+reportEN+reportFile+withEN+`(?P<after>\S.+)$`,
		`^`+reportFile+` (?:should|must|shall) (?:contain|have|list|show|hold) (?P<after>\S.+)$`,
		`^in `+reportFile+`,? (?:write|put|list|save|note)(?: down)? (?P<after>\S.+)$`,
		`^(?:write|save|put|store|export|list|summari[sz]e|report)(?: down)? (?P<before>.+?) (?:to|into|in|as)(?: the)?(?: file)? `+reportFile+`$`,
		`^(?P<before>.+?)`+thenZH+resultZH+writeZH+`\s*(?:一个)?(?:文件|报告)?\s*`+reportFile+`\s*(?:文件)?(?:里面|里|中)?$`,
		`^`+makeZH+`\s*`+reportFile+`\s*[，,：:]?\s*(?:内容(?:是|为)|列出|包含|写上|写入)?\s*(?P<after>\S.+)$`,
		`^(?P<before>.+?)`+thenCS+writeCS+resultCS+reportFile+`$`,
		`^`+makeCS+reportFile+`(?: s| se|,|:)? (?P<after>(?:počet|počty|počtem|počtů|tabulk\pL+|kolik) .+)$`,
		`^(?P<before>.+?),? (?:into|to|as)(?: the file)? `+reportFile+`$`,
	)
	// inOrder is the order of the table.
	inOrder = newPatterns(
		`^(?P<before>.*?)[,;.]?(?: and| then)* `+sortEN+`(?:`+byEN+downEN+`| (?P<order>alphabetically|descending))?(?P<after>$|[,;.?:]? .*)$`,
		`^(?P<before>.*?)[，,]?\s*(?:并且?|然后|再|最后)*`+byZH+`(?:`+downZH+`|排序|排列|排好序)(?:后|好|之后|一下)?(?P<after>.*)$`,
		`^(?P<before>.*?)[,;]?(?: a| pak)* `+sortCS+byCS+`(?P<after>$|[,;.]? .*)$`,
	)
	byNameOrder = newPattern(`^(?:names?|module(?: name)?|alphabetical order|alphabetically|名称|名字|字母顺序|jména|názvu|abecedy|abecedně)$`)
	// forEach is the field that is counted by.
	forEach = newPatterns(
		`^(?:which|what) (?P<field>log file|ip address|\pL+) (?:has|have|had|produced?|produces|caused?|logged|logs|shows?|got|gets|threw|throws|made|makes)(?: the)? most(?: of the)? (?P<after>\S.*)$`,
		`^(?P<before>(?:list|rank|show|sort|order)(?: me)?) (?:the|all)(?: the)? (?P<field>\pL+?)s? by(?: the)?(?: number| count)? of (?P<after>\S.*)$`,
		`^(?P<before>.*?),? `+eachEN+` (?P<field>log file|log level|ip address|\pL+)`+theRest,
		`^(?P<before>.*?)(?: (?:of|in|from|did|does|do|have|has))? (?:each|every) (?P<field>\pL+)`+hadEN+theRest,
		`^(?:per|for each|for every|by) (?P<field>\pL+),? (?P<after>\S.*)$`,
		`^(?P<before>.*?)(?:按照?|根据|每一?个|各个?|分)\s*`+fieldZH+`\s*(?:分组|分别|分类|来|地|进行)*的?(?P<after>.*)$`,
		`^(?P<before>.*?),? `+eachCS+` `+fieldCS+theRest,
	)
	// ofOneDay is the day that the lines are from.
	ofOneDay = newPatterns(
		`^(?P<before>.*?)`+fromEN+` (?P<day>yesterday|today|the day before yesterday|`+aDate+`)'?s (?P<after>\S.*)$`,
		`^(?P<before>.*?)`+fromEN+`(?: date)? (?P<day>the day before yesterday|yesterday|today|\d+ days ago|`+aDate+`)`+theRest,
		`^(?P<before>.*?)(?:在|从)?`+dayZH+`(?:这天|当天)?的?\s*(?P<after>.*)$`,
		`^(?P<before>.*?) (?P<day>včerejší|dnešní|předvčerejší)(?:ch|m|ho)? (?P<after>\S.*)$`,
		`^(?P<before>.*?)(?: (?:ze dne|ze|z|za|od|dne))? `+dayCS+`(?P<after>$|[,;.]? .*)$`,
	)
	// otherTime is a time that is no day.
	otherTime = newPattern(`\b(?:last|this|past|previous|next) (?:week|month|year|hour|\d+)|\b(?:since|between|until|before|after|days|hours|weeks)\b|本周|这周|上周|这个月|上个月|最近|(?:^| )(?:týd\pL+|měsíc\pL*|minul\pL+|posledních)(?: |$)`)
	czechDays = newLexicon(map[string]string{"včerejší": "včera", "včerejška": "včera", "dnešní": "dnes", "dneška": "dnes", "dneska": "dnes", "předvčerejší": "předevčírem", "昨日": "昨天", "今日": "今天"})
)

// aDate is a day by its date or its name.
const aDate = `\d{4}[-/]\d{1,2}[-/]\d{1,2}|(?:last |this )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:` + months + `) \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:` + months + `)(?: \d{4})?`

const months = `january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec`

// Words of a count that say nothing of their own, once the parts are taken off.
const (
	emptyEN = `please|count(?:s|ing|ed)?|how|many|numbers?|of|the|an?|all|there|are|were|is|was|did|do|does|have|had|has|lines?|entry|entries|messages?|records?|logs?|logged|written|recorded|found|that|which|and|then|also|it|them|me|up` +
		`|tally|totals?|table|list|sorted|look|go|search|check|see|take|find|each|want|need|counted|through|into|in|from|at|for|to|over|inside|with|containing|contain|saying|say|word|text|results?|amount` +
		`|occurred|happened|occur|give|show|tell|make|i|you|we|get|got|my|just|level|severity|summari[sz]e|sum|highest|first|most|frequent|folder|directory|file|files|every|report|per`
	emptyCS = `spočítej|napočítej|spočti|sečti|spočítat|kolik|je|bylo|byla|byly|jsou|řádk\pL+|řádek|s|se|slovem|v|ve|z|ze|do|a|pak|mi|prosím|poče?t\pL*|tabulk\pL+|všech\pL*|celkem|které|který|záznam\pL*` +
		`|měl|měly|mají|má|obsahuj\pL+|složce|složky|složka|souboru|souborech|adresáři|najdi|zjisti`
)

var (
	emptyWords = newPattern(`^(?:` + emptyEN + `|` + emptyCS + `)$`)
	emptyZH    = newPattern(`帮我|看一下|看看|看|请|统计|数一下|数数|计算|数出|出现过?|产生|一共|总共|共|各|有|多少|几|行数|行|条数|条|个|次数|数量|数|次|的|里面|里|中|目录|文件夹|下|日志|记录|出来|一下|把|将|在|从|都|并|包含|含有|含|是|了`)
	// aPlace is a path among other words; theLogs are words for logs without one.
	aPlace  = newPattern(`^(?P<before>.*?)(?P<where>"[^"]*[/.][^"]*"|'[^']*[/.][^']*'|“[^”]*[/.][^”]*”|[^\s,;，。；？"'“”„的里中]*[/.~][^\s,;，。；？"'“”„的里中]*)(?P<after>.*)$`)
	aFolder = newPattern(`^(?P<before>.*?)(?:(?:folder|directory|složce|složky|složka|adresáři|adresáře) (?P<where>[\w-]+)|\b(?P<where>[\w-]+) (?:folder|directory)|(?P<where>[\w-]+)\s*(?:目录|文件夹))(?P<after>.*)$`)
	theLogs = newPattern(`^(?P<before>.*?)(?:(?:\b(?:in|from|of|through|inside|v|ve|z|ze) (?:(?:the|my|all|all the|all my) )?)(?:logs|log files|log|logu|logů|logách|lozích)\b|\blogs\s*(?:里面|里|中|下)|(?:我的|所有)*日志(?:文件)?(?:里面|里|中))(?P<after>.*)$`)
	// counts tells that something is to be counted.
	counts = newPattern(`count|几[个条行]|how many|number of|tally|lines|errors|warnings|entries|sečti|secti|统计|多少|行数|数一下|kolik|poče?t|počít|počti|řádk|chyb`)
	// ofLines tells that lines are counted, and not files or people.
	ofLines = newPattern(`\b(?:lines?|entries|messages|records|errors?|warnings?|failures|exceptions)\b|行|条|错误|警告|异常|řád|chyb|varov`)
	// byWhom is about what somebody did.
	byWhom = newPattern(`\bdid (?:i|we|you) \pL+`)
	had    = newPattern(`\bdid (?:i|we|you) (?:have|get)\b`)
)

// takeOff takes a part off words: the text between before and after.
func takeOff(words string, patterns []pattern) (string, captures) {
	for _, p := range patterns {
		if m, ok := p.match(" " + words); ok {
			return strings.Join(strings.Fields(m["before"]+" "+m["after"]), " "), m
		}
		if m, ok := p.match(words); ok {
			return strings.Join(strings.Fields(m["before"]+" "+m["after"]), " "), m
		}
	}
	return words, nil
}

// reportSo tells how to ask for a report.
var reportSo = lang.Words{
	EN: "I did not understand all of that. I count the lines with one word, of one day or of all, in one file or folder. For example:\n- count yesterday's ERROR lines per module in logs/, sort them, write report.md",
	ZH: "我没有完全理解。我可以统计一个文件或文件夹中某一天或所有日期、包含某个词的行。例如：\n- 统计 logs/ 里昨天每个模块的 ERROR 行数，排序后写入 report.md",
	CS: "Všemu jsem nerozuměl. Spočítám řádky s jedním slovem, z jednoho dne nebo ze všech, v jednom souboru nebo složce. Například:\n- spočítej včerejší řádky ERROR podle modulů v logs/, seřaď je a zapiš do report.md",
}

// reportRules ask for a count of lines of one day, or for one that goes to a file.
func reportRules() []rule {
	return []rule{{newPatterns(`^(?P<all>.*)$`), func(u *utterance, m captures) goal {
		g, ok := u.report(m["all"])
		switch {
		case g.file != "" && copiesLines.has(m["all"]) && !asCount.has(m["all"]):
			return saying{copiesNone.In(u.Lang, g.file)}
		case ok:
			return g
		case g.vague && g.file == "" && g.where != "" && howOften.has(m["all"]) && !asWord.has(m["all"]):
			return saying{reportSo.In(u.Lang)}
		case g.file != "" && (g.field != "file" || !g.day.IsZero()) && g.where != "":
			return saying{reportSo.In(u.Lang)}
		}
		return nil
	}}}
}

var (
	// copiesLines asks for the lines themselves in a file, and asCount for a number.
	copiesLines = newPattern(`^(?:write|save|put|copy|store|export|extract|dump|output|collect|print|list|filter)(?: down| out)?(?: all| the| every| only| just)* (?:\S+ ){0,3}?(?:lines?|entries|messages|records|errors|warnings)\b|^(?:把|将)?.*?的?(?:所有|全部).*?(?:行|错误|警告)|^(?:zapiš|ulož|vypiš|zkopíruj|napiš|dej)(?: mi)?(?: všechny| vš\pL+)? (?:\pL+ )?(?:řádky|chyby|varování)(?: |$)`)
	asCount     = newPattern(`count|how many|number|tally|total|sum|table|report |statist|\b(?:per|by|each|every)\b|按|每|各|统计|多少|几|行数|数量|kolik|poč[eíi]?t|podle|tabulk|každ`)
	copiesNone  = lang.Words{
		EN: "I cannot copy lines of one file to another; I can count them, or show them here. I have not written %s.",
		ZH: "我不能把一个文件中的行复制到另一个文件；我可以统计它们，或在这里显示。没有写入 %s。",
		CS: "Řádky z jednoho souboru do druhého kopírovat neumím; umím je spočítat nebo tu ukázat. Soubor %s jsem nezapsal.",
	}
)

// report reads the parts of a report.
func (u *utterance) report(words string) (g report, ok bool) {
	if !counts.has(words) || !ofLines.has(words) || byWhom.has(words) && !had.has(words) {
		return g, false
	}
	words, m := takeOff(words, toFile)
	if m != nil {
		if g.file, ok = u.theFile(m["file"]); !ok || !isFile(g.file) {
			return g, false
		}
	}
	words = strip(words, whatNumber)
	whole := words
	words, m = takeOff(words, inOrder)
	g.byName = byNameOrder.has(m["order"])
	words, m = takeOff(words, forEach)
	m0 := m
	g.field = cmp.Or(fieldNames.or(m["field"], strings.ToLower(m["field"])), "file")
	words, m = takeOff(words, ofOneDay)
	if m != nil {
		if g.day, ok = u.pastDay(m["day"]); !ok {
			return g, false
		}
		g.old = !g.day.AddDate(1, 0, 0).After(u.Now)
	}
	number := howOften.has(whole)
	plain := g.file == "" && g.day.IsZero() // of what is no level, count rules take it
	if plain && (!number && m0 == nil || m0 == nil && asWord.has(whole) && !ofLevel.has(whole)) {
		return g, false
	}
	if otherTime.has(whole) { // that is no day
		g.place(words)
		g.vague = slices.ContainsFunc(strings.Fields(words), func(w string) bool { return isLevel(logWord(w)) })
		return g, false
	}
	ok = g.counted(strings.Trim(words, " ,，。.;；?？:：!"), number)
	_, level := levels.of(g.text)
	return g, ok && (!plain || level || g.field == "level")
}

// counted reads what is counted and where, out of what is left of the words: a
// place, and at most one word besides those that say nothing. A word that nothing
// is known of makes it another request. Number tells that a number was asked for.
func (g *report) counted(words string, number bool) bool {
	var said []string
	if m, ok := quotedWord.match(words); ok {
		if text, _ := literal(m["text"]); !isPath(text) {
			said, words = append(said, text), m["before"]+" "+m["after"]
		}
	}
	rest, ok := g.place(words)
	switch {
	case ok:
		words = rest
	case g.where != "":
		return false
	}
	words = emptyZH.compiled().ReplaceAllString(words, " ")
	for w := range strings.FieldsFuncSeq(words, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;.:!?，。；：！？、", r) }) {
		if !emptyWords.has(w) {
			said = append(said, logWord(w))
		}
	}
	if len(said) > 1 {
		rest := slices.DeleteFunc(slices.Clone(said), isLevel)
		g.vague = len(rest) < len(said)-1 || len(rest) < len(said) && slices.ContainsFunc(rest, isField) || len(rest) < len(said) && g.field != "file" && g.day.IsZero()
		return false
	}
	g.text = strings.Join(said, "")
	everywhere := !ok && g.day.IsZero() && inMyFiles.has(words)
	if !ok && !everywhere { // failures of a day are in logs
		if _, level := levels.of(g.text); !level || !number || g.day.IsZero() && g.field == "file" {
			return false
		}
		g.where, g.logs = "logs", true
	}
	const most = 60 // bytes
	return len(g.text) <= most && (g.text != "" || !g.day.IsZero() || g.field == "level")
}

// isLevel tells whether a word is a level.
func isLevel(word string) bool {
	_, ok := levels.of(word)
	return ok
}

// inMyFiles says that lines are counted everywhere.
var inMyFiles = newPattern(`\b(?:in|across|of|over) (?:all )?(?:of )?(?:my |the |these )?(?:files|notes|documents)\b`)

// isField tells whether a word names a field of a line.
func isField(word string) bool {
	_, ok := fieldNames.of(word)
	return ok || slices.Contains(likeModule, word)
}

// ofLevel calls lines or failures what is counted, even where a file contains them.
var ofLevel = newPattern(`\b(?:error|warn|warning|info|debug|trace|notice|fatal|critical|crit)s? (?:lines?|entries|records|do|does)\b|(?:řádků|řádky|řádek) (?:error|warn|warning|info|debug|trace|notice|fatal|critical)\b|chyb obsah`)

// whatNumber is around words for a number.
var whatNumber = newPattern(`^what(?:'s| is| was) (?P<rest>the (?:total )?(?:number|count)s? .*)$`)

// asWord asks for lines that have a word, whatever their level.
var asWord = newPattern(`\b(?:contain|mention|includ|match|say|word|text|occur)|包含|含有|提到|出现|obsah|slov|text|výskyt`)

// quotedWord is a text in quotes among other words.
var quotedWord = newPattern(`^(?P<before>.*?)(?P<text>` + inQuotes + `)(?P<after>.*)$`)

// place takes the place where lines are counted off words: a path, a folder, or
// the logs there are, of which the folder is only a guess.
func (g *report) place(words string) (rest string, ok bool) {
	m, ok := aPlace.match(words)
	if ok {
		name, _ := unquote(strings.TrimRight(m["where"], ".?!"))
		g.where = name
		if !isPath(name) || aPlace.has(m["after"]) {
			return "", false
		}
		return m["before"] + " " + m["after"], true
	}
	if m, ok = aFolder.match(words); ok {
		g.where = m["where"]
		return m["before"] + " " + m["after"], !vagueWord.has(g.where) && !emptyWords.has(g.where) || anyLog.has(g.where)
	}
	if m, ok = theLogs.match(words); ok {
		g.where, g.logs = "logs", true
		return m["before"] + " " + m["after"], true
	}
	return "", false
}

// pastDay is the day that words stand for, in the past where they leave it open:
// logs do not tell of days to come.
func (u *utterance) pastDay(words string) (time.Time, bool) {
	day, ok := u.day(czechDays.or(words, words))
	today := time.Date(u.Now.Year(), u.Now.Month(), u.Now.Day(), 0, 0, 0, 0, time.UTC)
	switch {
	case !ok || !day.After(today) || strings.Contains(words, day.Format("2006")):
	case weekdayAt.has(words):
		day = day.AddDate(0, 0, -7)
	default:
		day = day.AddDate(-1, 0, 0)
	}
	return day, ok
}
