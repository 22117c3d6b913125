package intent

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"loci/internal/lang"
)

// Arguments for a tool that was chosen by meaning. They are what the words name, and
// words in plain places; where they are not to be found, there is no goal. What changes
// something must be as plain as if a rule had read it.

// missed are the answers for what loci does not do yet, by the tool that would.
var missed = map[string]lang.Words{
	"send_email": notYetMail, "read_email": notYetMail, "remember": notYetMemory, "recall": notYetMemory, "forget": notYetMemory,
	"schedule_*": notYetSchedule, "weather": notYetWeather, "stock": notYetStock, "notion_*": notYetNotion, "search_documents": notYetDocuments,
	"fetch_url": notYetWeb, "http_request": notYetHTTP, "read_feed": notYetFeed,
}

// ofPages are those of them that need the address of a page.
var ofPages = map[string]bool{"fetch_url": true, "http_request": true, "read_feed": true}

// aimed makes the goal of a kind of request; nil if its arguments are not plain.
func (u *utterance) aimed(label string) goal {
	tool, kind := labelOf(label)
	n := u.named()
	if answer, ok := missed[tool]; ok {
		if u.offersAny(tool) || n.names(fileSign) || ofPages[tool] != n.names(pageSign) {
			return nil
		}
		return saying{answer.In(u.Lang)}
	}
	fill, ok := filled()[tool]
	if !ok {
		return nil
	}
	g := fill(u, n, kind)
	if g != nil && !u.ordered(g, n) {
		return nil
	}
	return g
}

// filled makes goals, by tool, for a kind of request.
var filled = sync.OnceValue(func() map[string]func(u *utterance, n naming, kind string) goal {
	return map[string]func(*utterance, naming, string) goal{
		listDir: fillList, readFile: fillRead, searchFiles: fillSearch, systemInfo: fillSystem, listProcesses: fillProcesses, currentTime: fillTime,
		deleteFile: fillDelete, moveFile: fillMove, editFile: fillEdit, writeFile: fillWrite, mediaControl: fillMedia, openApp: fillApp,
		runCommand: fillRun, queryDB: fillQuery, readDocument: fillDocument,
	}
})

var (
	// lastPlace ends words with a place that nothing else calls a folder.
	lastPlace = newPattern(`\b(?:in|into|inside|under|through|of|from) (?:(?:the|my|our) )?(?P<where>[\w.-]+)(?: (?:still|now|right now|these days|anyway|for me|again))*$`)
	hereWords = newPattern(`\b(?:here|this (?:folder|directory|place)|(?:current|working) (?:folder|directory))\b`)
)

func fillList(u *utterance, n naming, _ string) goal {
	if n.names(textSign) {
		return nil
	}
	path := u.path()
	if f := n.first(folderSign); f != "" {
		path = f
	} else if f := n.first(fileSign); f != "" {
		return nil
	} else if m, ok := lastPlace.match(n.words); ok && path == "" && !vagueWord.has(m["where"]) && !noFolderName.has(m["where"]) && !notAPlace.has(m["where"]) {
		path = m["where"]
	}
	if path == "" && !hereWords.has(n.words) {
		return nil
	}
	return contents{path}
}

func fillRead(u *utterance, n naming, _ string) goal {
	if path := u.path(); len(n.files) == 0 && path != "" && !n.names(folderSign) {
		return document{path: path}
	}
	file, ok := n.only()
	if !ok || n.names(textSign, folderSign) || aboutChange.has(u.core) {
		return nil
	}
	return document{path: file}
}

func fillDocument(u *utterance, n naming, _ string) goal {
	file, ok := n.only()
	if !ok || !officeFile.has(file) || u.offers(readDocument) {
		return nil
	}
	return saying{notYetPaper.In(u.Lang, baseName(strings.TrimSuffix(file, file[strings.LastIndex(file, "."):])))}
}

func fillSystem(u *utterance, n naming, kind string) goal {
	if len(n.things) > 0 {
		return nil
	}
	part := namedPart(machineParts, u.core)
	if part == "" && kind != "all" {
		part = kind
	}
	return oneCall{tool: systemInfo, args: arguments{"part": part}}
}

// runsProgram is a program that people ask after.
var runsProgram = newPattern(`(?:^|\s)(?P<name>` + appNames + `|python3?|node|ruby|docker|git|mysql|postgres|nginx|apache|redis|ollama|ssh)(?:$|[\s,.;?!'])`)

func fillProcesses(u *utterance, n naming, _ string) goal {
	if len(n.things) > 0 {
		return nil
	}
	if m, ok := runsProgram.match(n.words); ok {
		return oneCall{tool: listProcesses, args: arguments{"name": strings.ToLower(m["name"])}}
	}
	args := arguments{}
	if byMemory.has(u.core) {
		args["sort"] = "memory"
	}
	return oneCall{tool: listProcesses, args: args}
}

func fillTime(u *utterance, n naming, kind string) goal {
	if len(n.things) > 0 {
		return nil
	}
	args := arguments{"part": kind}
	switch kind {
	case "zone", "week":
	case "time":
		if m, ok := inCity.match(n.words); ok && (saysTime.has(n.words) || saysLight.has(n.words)) {
			args["zone"] = cityZones.or(m["zone"], m["zone"])
		} else if m, ok := inZone.match(u.core); ok && !aForm.has(m["zone"]) {
			args["zone"] = m["zone"]
		} else if !saysTime.has(n.words) {
			return nil
		}
	default:
		day, ok := u.dayIn(n.words)
		switch {
		case ok:
			args["date"] = day
		case !saysToday.has(n.words):
			return nil
		}
	}
	return oneCall{tool: currentTime, args: args}
}

var (
	inCity    = newPattern(`\b(?P<zone>` + bigCity + `|` + manyZones + `)\b`)
	saysLight = newPattern(`\b(?:night|morning|evening|afternoon|noon|midnight|dark|light|awake|asleep|up|early|sleeping|bed|lunch|dinner|open)\b`)
	saysTime  = newPattern(`\b(?:time|clock|hour|late|watch)\b`)
	saysToday = newPattern(`\b(?:today|date|day|weekday|month|year|weekend|` + weekdayNames + `)\b`)
)

const weekdayNames = `monday|tuesday|wednesday|thursday|friday|saturday|sunday`

// dayIn is the day that some of the words name, the longest first.
func (u *utterance) dayIn(words string) (string, bool) {
	const most = 6 // words that name a day
	all := strings.Fields(words)
	for size := min(most, len(all)); size > 0; size-- {
		for i := 0; i+size <= len(all); i++ {
			part := strings.Trim(strings.Join(all[i:i+size], " "), " ,.;?!-")
			if day, ok := u.day(part); ok && !saysNoDay.has(part) {
				return day.Format("2006-01-02"), true
			}
		}
	}
	return "", false
}

// saysNoDay are words that name a day only where one is asked for.
var saysNoDay = newPattern(`^(?:\d+|today|now|may|march|sun|sat|mon|fri|wed|second|first)$`)

func fillDelete(u *utterance, n naming, _ string) goal {
	file, ok := n.only()
	if !ok || n.names(textSign, pageSign) || partOf.has(n.words) {
		return nil
	}
	if f := n.first(folderSign); f != "" {
		if hasSeparator(file) || !strings.Contains(n.words, "in "+n.sign(folderSign, f)) && !strings.Contains(n.words, "from "+n.sign(folderSign, f)) {
			return nil
		}
		file = within(f, file)
	}
	return u.deletion(quoteName(file))
}

// partOf is less than a file.
var partOf = newPattern(`\b(?:lines?|words?|items?|entry|entries|rows?|contents?|text|typo|everything|all)\b|\b(?:from|out of|off) ‹file`)

func fillMove(u *utterance, n naming, _ string) goal {
	if n.names(textSign, pageSign) || notRenamed.has(n.words) {
		return nil
	}
	folder := n.first(folderSign)
	switch {
	case len(n.files) == 2 && folder == "":
		return u.rename(quoteName(n.things[n.files[0]]), quoteName(n.things[n.files[1]]))
	case len(n.files) == 1 && folder != "" && intoIt.has(n.words):
		return u.move(quoteName(n.things[n.files[0]]), "folder "+folder)
	}
	return nil
}

var intoIt = newPattern(`\b(?:to|into|in|inside|under|within) ‹folder`)

// becomesValue says what a value is to be.
var becomesValue = newPattern(`\b(?P<what>[\w-]+)(?: (?:is|was))?(?: (?:supposed|meant|going))?(?: (?:should|must|has|needs|ought|to|be|really|set|changed|become|equal|made|at|now|it|=)){1,5} (?P<value>‹text\d+›|[\w./:-]+)(?: (?:please|now|instead|there))*$`)

func fillEdit(u *utterance, n naming, _ string) goal {
	file, ok := n.only()
	if !ok || n.names(folderSign, pageSign) {
		return nil
	}
	if g := u.swaps(n); g != nil {
		return g
	}
	m, ok := becomesValue.match(n.without(n.files[0]))
	if !ok || vagueWord.has(m["what"]) || someOne.has(m["what"]) || !isKnownFile(file) {
		return nil
	}
	return u.set(setting{path: file, what: m["what"], value: n.said(m["value"])})
}

// afterColon is a text at the end of the words.
var afterColon = regexp.MustCompile(`[:：]\s*([^‹›"“”]{2,200})$`)

func fillWrite(u *utterance, n naming, kind string) goal {
	file, ok := n.only()
	if !ok || n.names(folderSign, pageSign) || len(n.texts) > 1 {
		return nil
	}
	text := n.first(textSign)
	if text == "" {
		m := afterColon.FindStringSubmatch(n.words)
		if m == nil {
			return nil
		}
		text = u.verbatim(m[1])
	}
	if kind == "more" || addsMore.has(n.words) {
		if !u.offers(readFile) {
			return nil
		}
		return appending{file, text}
	}
	if notNewText.has(n.words) {
		return nil
	}
	return change{writeFile, arguments{"path": file, "content": text}}
}

// addsMore puts a text to what a file has.
var addsMore = newPattern(`\b(?:add|append|also|another|too|as well|more|tack|end of|bottom)\b`)

func fillMedia(u *utterance, n naming, kind string) goal {
	if len(n.things) > 0 || len(strings.Fields(n.words)) > 12 {
		return nil
	}
	if kind == "next" && goesBack.has(n.words) { // of songs, both are near
		kind = "previous"
	}
	args := arguments{"action": kind}
	switch kind {
	case "", "mute":
		return nil
	case "volume_set":
		m, ok := aLevel.match(n.words)
		v, isLevel := loudness(m["level"])
		if !ok || !isLevel {
			return nil
		}
		args["volume"] = v
	}
	return oneCall{tool: mediaControl, args: args}
}

var goesBack = newPattern(`\b(?:before|previous|last|back|again|earlier)\b`)

var aLevel = newPattern(`\b(?P<level>\d{1,3}|half|full|max|maximum|a quarter|a third|three quarters)\b`)

var anApp = newPattern(`\b(?P<app>` + appNames + `)\b`)

func fillApp(u *utterance, n naming, _ string) goal {
	m, ok := anApp.match(n.words)
	if !ok || n.names(folderSign, textSign) || len(n.things) > 1 {
		return nil
	}
	return u.start(m["app"], n.first(fileSign)+n.first(pageSign))
}

func fillRun(u *utterance, n naming, _ string) goal {
	line := n.first(textSign)
	if words := strings.Fields(line); len(words) > 0 && startsProgram.has(words[0]) {
		return running{line: line}
	}
	return saying{howToRun.In(u.Lang)}
}

func fillQuery(u *utterance, n naming, _ string) goal { // its tables, for nobody knows the query
	path := u.path()
	if path == "" || isKnownFile(path) {
		return nil
	}
	return oneCall{tool: queryDB, args: arguments{"database": path}}
}

var (
	// soughtText is what a text is about, or what it has in it.
	soughtText = wordsOf("files/sought text")
	// soughtName is a name with a word for what it names.
	soughtName = newPattern(`\b(?:the|my|that|our|this) (?P<name>[\w-]{3,20})(?: (?:file|document|photo|picture|spreadsheet|pdf))?(?:$|[,.;?!]| (?:is|be|go|gone|again|went|anywhere|somewhere)\b)`)
	aSpan      = newPattern(`\b(?P<when>(?:since|after|from|in|within|during|over) (?:the )?(?:last|past|previous)? ?(?:(?:\d+|two|three|four|five|six|seven|ten|few) )?(?:days?|weeks?|months?|` + weekdayNames + `|yesterday|today)|today|yesterday|this (?:week|month|year|morning)|(?:the )?(?:last|past) (?:(?:\d+|two|three|four|five|six|seven|ten|few) )?(?:days?|weeks?|months?|hours))\b`)
	aKind      = newPattern(`\*?\.?\b(?P<kind>[\w]+)\b`)
	aCount     = newPattern(`\b(?P<n>\d{1,2}|two|three|four|five|six|seven|ten)\b`)
)

func fillSearch(u *utterance, n naming, kind string) goal {
	args := arguments{}
	if f := n.first(folderSign); f != "" {
		args["path"] = f
	}
	file, one := n.only()
	switch kind {
	case "content":
		text := n.first(textSign)
		if m, ok := soughtText.match(n.words); ok && text == "" {
			text = strings.TrimSpace(n.said(m["what"]))
		}
		if text == "" || vagueWord.has(text) || notSought.has(text) || kindOf(text) != "" || saysNothing.has(text) || len(n.files) > 1 {
			return nil
		}
		if one {
			args["path"] = file
		}
		args["content"] = text
	case "name":
		if one && args["path"] == nil {
			args["name"] = file
			break
		}
		m, ok := soughtName.match(n.words)
		if !ok || len(n.files) > 0 || noName.has(m["name"]) || vagueWord.has(m["name"]) || kindOf(m["name"]) != "" || countedKinds.or(m["name"], "") != "" {
			return nil
		}
		args["name"] = m["name"]
	case "kind", "number":
		for _, m := range aKind.compiled().FindAllStringSubmatch(n.words, -1) {
			if k := kindOf(m[1]); k != "" && !slices.Contains([]string{"go", "text"}, m[1]) {
				args["type"] = k
				break
			}
		}
		if args["type"] == nil || len(n.files) > 0 {
			return nil
		}
		args["count"] = kind == "number"
	case "largest", "newest", "oldest":
		if len(n.files) > 0 {
			return nil
		}
		args["sort"], args["type"], args["limit"] = kind, "file", 10
		if m, ok := aCount.match(n.words); ok {
			args["limit"] = smallNumbers.or(m["n"], 10)
		}
	case "changed":
		m, ok := aSpan.match(n.words)
		if !ok || len(n.files) > 0 {
			return nil
		}
		after, before := u.days(leadsTo.of(m["when"]), lasts.has(m["when"]))
		if after == "" {
			return nil
		}
		args["modified_after"], args["modified_before"], args["type"], args["sort"] = after, before, "file", "newest"
	case "":
		if path := u.path(); path != "" {
			args["name"] = path
			break
		}
		return nil
	default:
		return nil
	}
	return oneCall{tool: searchFiles, args: args}
}

// saysNothing are words that no text is looked for by.
var saysNothing = newPattern(`^(?:me|it|that|this|them|you|there|here|files?|folders?|all|any|some|what|which|one|ones|name|names|word|size|now|please|for|the|a|an|my)(?: |$)`)
