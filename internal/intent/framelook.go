package intent

import "strings"

// Words that ask to look at files, at this machine, and at the clock.
const (
	// says are verbs for what a text is about.
	says = `(?:mention(?:s|ed|ing)?|talk(?:s|ed|ing)? (?:about|of)|refer(?:s|red|ring)? to|contain(?:s|ed|ing)?|includ(?:e|es|ing)|discuss(?:es|ed|ing)?|speaks? (?:about|of)|(?:wrote|written|write|writes|writing|noted|note|notes)(?: (?:down|something|anything))* (?:about|on)|(?:say|says|said|saying|has|have|had|got)(?: (?:something|anything|stuff))+ (?:about|on|with)|concern(?:s|ing)?|deals? with|with the (?:word|text|name|phrase|term)|about|quotes?|uses? the (?:word|name|term))`
	// aText is what is looked for.
	aText = `(?P<what>‹text\d+›|[^‹›,;:?!]{2,40}?)`
	// things are files as people speak of them.
	things = `(?:files?|documents?|docs?|notes?|papers?|texts?|anything|something|anywhere|somewhere|stuff|things?|places?)`
	most   = `(?:(?:disk )?(?:space|room|storage))`
)

// search makes the goal of a search in a folder that is named.
func search(args arguments, where string) goal {
	args["path"] = where
	return oneCall{tool: searchFiles, args: args}
}

// searchFrames ask for files by what is in them, their size, age or name.
func searchFrames() []frame {
	return []frame{
		{tool: searchFiles, cues: []cue{ // a text in a folder
			on(`\b(?:does|do|did|is|are|has|have|was|check (?:if|whether)|see (?:if|whether)|know (?:if|whether))\b.{0,40}?{folder}.{0,20}?\b`+says+`(?: (?:the|an?|any|my|our|word|text))* `+aText+`$`, "does anything in the notes folder talk about a printer?"),
			on(`\b`+things+`\b.{0,30}?{folder}.{0,20}?\b`+says+`(?: (?:the|an?|any|my|our|word|text))* `+aText+`$`, "which notes in the work folder mention costs"),
			on(`\b`+things+`\b.{0,30}?\b`+says+`(?: (?:the|an?|any|my|our|word|text))* `+aText+`,? (?:in|inside|under|within|from) {folder}$`, "anything about Lisbon in the notes folder?"),
			on(`^(?:find|search|look|grep|locate|hunt|scan|where(?:'s| is| are| do (?:we|i) (?:use|have)))(?: (?:for|up|all|every|any|uses?|occurrences?|mentions?|of|the|word|text|string|function|variable|name))* (?P<what>‹text\d+›|[\w.-]{3,30}) (?:(?:used|mentioned|defined|written|anywhere|somewhere|is|it) )*(?:in|inside|under|within|across|throughout|through)(?: (?:all|everything|files|the))* {folder}$`, "find old_name in the source folder src"),
		}, goal: func(u *utterance, _ naming, m captures) goal {
			if vagueWord.has(m["what"]) || kindOf(m["what"]) != "" || notSought.has(m["what"]) || len(strings.Fields(m["what"])) > 4 {
				return nil
			}
			return search(arguments{"content": m["what"]}, m["folder"])
		}},
		{tool: searchFiles, cues: []cue{ // a text anywhere
			on(`^(?:(?:do|have|did|is|are|got|any|which|what|where|show|list|find|see|check|look|tell|who|in|one|there|i|we|you|me|of|my|the|some|need|want|for|all|through|if|whether|can|know|must|should|had|have|got|be) )*`+things+`(?: (?:of|mine|here|that|which|where|in|i|we|is|are|was|have|has|got|do|does|did))* `+says+`(?: (?:the|an?|any|my|our|word|text))* `+aText+`(?: (?:in (?:it|them|there)|inside|somewhere|anywhere|at all))?$`, "got any files mentioning the landlord"),
			on(`^(?:where|in which (?:file|note|document))(?: (?:did|do|have|had|was|were|is|are))?(?: (?:i|we|it|that))?(?: (?:ever|again|just|once))? `+says+`(?: (?:the|an?|any|my|our|that))* `+aText+`$`, "where was I writing about the garden"),
			on(`(?:hledej|najdi|vyhledej) (?P<what>‹text\d+›|[\pL\d_-]{3,30})$`, "Ve kterém souboru je něco o Lisabonu? Hledej Lisbon"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			if n.names(fileSign, folderSign, pageSign) || vagueWord.has(m["what"]) || notSought.has(m["what"]) || kindOf(m["what"]) != "" || len(strings.Fields(m["what"])) > 4 || talkOpening.has(u.core) {
				return nil
			}
			return search(arguments{"content": m["what"]}, "")
		}},
		{tool: searchFiles, cues: []cue{ // how often
			on(`\b(?:how many times|how often|count how often|number of times)(?: (?:was|is|did|does|do|has|were|the|a|an|word|been|we|it|name))* (?P<what>‹(?:text|folder)\d+›|[\w-]{2,30})(?: (?:is|was|been|got|gets|get|\pL+ed|\pL+s|appear|occur|show up|come up|there|mentioned))* (?:in|inside|within) {file}`, "how many times was /login requested in logs/access.log"),
		}, goal: func(_ *utterance, n naming, m captures) goal {
			file, ok := n.only()
			if !ok || vagueWord.has(m["what"]) {
				return nil
			}
			return search(arguments{"content": m["what"], "count": true}, file)
		}},
		{tool: searchFiles, cues: []cue{ // where a file is
			on(`{file}\s*(?:这个)?(?:文件)?\s*(?:放|存|保存)?(?:在|到)(?:哪|哪里|哪儿|什么地方)`, "帮我找一下 budget.csv 在哪"),
			on(`\b(?:where|locate|find|lost|misplaced|looking for|track down|hunt for)\b.{0,30}?{file}(?: (?:is|gone|again|went|got to|ended up|now|please|anywhere|somewhere|file|hiding|saved))*$`, "any clue where i put budget.csv"),
		}, goal: func(_ *utterance, n naming, m captures) goal {
			if file, ok := n.only(); ok && !n.names(folderSign, textSign) {
				return search(arguments{"name": file}, "")
			}
			return nil
		}},
		{tool: searchFiles, cues: []cue{ // groups of lines
			on(`{file}.*\b(?:per|by|for each|for every|from each|each|grouped by)(?: (?:the|single|different))* (?P<field>ip(?: address(?:es)?)?|addresses|address|level|host|user|hour|day|date|module)\b`, "logs/access.log - how many requests per ip"),
			on(`\b(?:per|by|for each|for every|from each|each|grouped by)(?: (?:the|single|different))* (?P<field>ip(?: address(?:es)?)?|address|level|host|user|hour|day|date|module)\b.*{file}`, "break the requests down per ip, the file is logs/access.log"),
		}, goal: func(_ *utterance, n naming, m captures) goal {
			file, ok := n.only()
			field := fieldNames.or(m["field"], strings.ToLower(m["field"]))
			if _, known := fieldForms[field]; !ok || !known {
				return nil
			}
			return counting{where: file, field: field}
		}},
		{tool: searchFiles, cues: []cue{ // by size and age, in a folder
			on(`\b(?:hog(?:s|ging)?|eat(?:s|ing)?(?: up)?|tak(?:es|ing)(?: up)?|us(?:es|ing)(?: up)?|fill(?:s|ing)(?: up)?|wast(?:es|ing)|need(?:s|ing)?)(?: (?:all|up|the|so|too|most|much|of))* `+most+`?\b.{0,12}?{folder}`, "whats hogging space in downloads"),
			on(`{folder}.{0,40}?\b(?P<sort>biggest|largest|heaviest|newest|latest|most recent|oldest)\b`, "the photos folder, what's the oldest thing in it"),
			on(`\b(?P<sort>biggest|largest|heaviest|newest|latest|most recent|oldest)\b(?: (?:one|thing|things|item|file|files|stuff|download|addition))*(?: (?:that|is|are|i|we|have|sits?|there|it))* (?:in|inside|under|from|of) {folder}`, "whats the newest thing in downloads?"),
			on(`\b(?:last|most recently) (?P<sort>added|downloaded|saved|changed|put)\b.{0,20}?{folder}`, "what did I last put in the downloads folder"),
		}, goal: func(_ *utterance, n naming, m captures) goal {
			if n.names(fileSign, textSign) {
				return nil
			}
			return search(arguments{"sort": sortOrders.or(m["sort"], map[bool]string{true: "largest", false: "newest"}[m["sort"] == ""]), "type": "file", "limit": 10}, m["folder"])
		}},
		{tool: searchFiles, cues: []cue{ // a name with a number
			on(`\b(?:where|find|locate|lost|looking|search|seen|need|missing|misplaced)\b.{0,24}?\b(?:(?:the|that|my|our|this) )*(?P<noun>invoice|receipt|contract|report|letter|bill|photo|picture|image|scan|document|file|note)s?(?: (?P<kind>pdf|file|document|photo|picture|image))?,? (?:number|no\.?|nr\.?|#|with(?: the)? number|numbered)? ?(?P<number>\d{2,6})\b`, "where did that invoice pdf number 42 go"),
		}, goal: func(_ *utterance, n naming, m captures) goal {
			if n.names(fileSign, folderSign) {
				return nil
			}
			return search(arguments{"name": m["number"]}, "")
		}},
	}
}

// lookFrames ask for what is in a folder, a database or a file.
func lookFrames() []frame {
	return []frame{
		{tool: listDir, cues: []cue{ // what is in a folder
			on(`^(?:(?:please|just|can|could|you|me|us|i|we|let|want|need|like|to|know|is|are|there|do|does|have|has|got|what|what's|whats|which|show|see|list|tell|give|look|check|peek|browse|open|display|go|any|anything|something|everything|all|stuff|things?|files?|contents?|else|now|still|left|saved|stored|kept|lying|around|that|thats|that's|of|in|into|inside|at|on|through|from|the|my|within|under|right|currently|there's|there|a|quick|around|exactly|find|out|print|view|ls|dir) )*{folder}(?: (?:contain|contains|have|has|hold|holds|still|now|in it|inside|anyway|again|look like|for me|exactly|empty|right now|at the moment))*$`, "do i have anything in the tmp folder still"),
			on(`^(?:show|list|give|print|display|tell)(?: (?:me|us))?(?: (?:everything|all|what|all the (?:things|stuff|files)|the (?:things|stuff|files)))(?: (?:that's|thats|that is|is|i have|i've got|there is|you find|we have|stored|kept|lying))* (?:in|inside|under|within) (?:the |my )?(?P<bare>[\w.-]+)$`, "show me everything thats in work"),
			on(`^(?:my |the )?(?P<bare>[\w-]{3,20}) ?[-–:,.]+ (?:what (?:have i got|do i have|is|'s)|what's|whats|show me what's|list what's|anything)(?: (?:in|inside|there|in there|in it))*$`, "recipes - what have i got?"),
			on(`^(?:打开|看一下|看看|列一下|列出|显示|查看|瞧瞧)?\s*{folder}\s*(?:里面|里|中|下)?的?(?:都)?(?:有)?(?:什么|啥|哪些|内容|东西|文件)*$`, "看看 tmp 文件夹里都有啥"),
			on(`^(?:co|ukaž|vypiš|zobraz|podívej se|jaké|které|mám|je|soubory|obsah|mi|v|ve|do|na|se|všechno|je|něco|\s)* ?{folder}$`, "Mám něco ve složce tmp?"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			if m["bare"] != "" && (n.names(fileSign, folderSign) || noFolderName.has(m["bare"]) || vagueWord.has(m["bare"]) || notAPlace.has(m["bare"])) || n.names(fileSign, textSign) {
				return nil
			}
			if m["folder"] != "" {
				return u.list(m["folder"], true)
			}
			return u.list(m["bare"], true)
		}},
		{tool: queryDB, cues: []cue{
			on(`^(?:(?:what|which|what's|the|list|show|give|any|all|are|there|me|is|do|does|we|have|names?|of|know|see|tell|exist) )*(?:tables?|schema|structure|columns)\b.*?(?:^|[\s"'])(?P<db>[^\s"'“”]+\.(?:db3?|sqlite3?))\b`, "tables in shop.db?"),
			on(`(?P<db>[^\s"'“”:,]+\.(?:db3?|sqlite3?))\b.{0,20}?\b(?:tables?|schema|structure)\b`, "shop.db - what tables?"),
			on(`(?P<db>[\w./~-]+\.(?:db3?|sqlite3?))\s*.{0,6}(?:有)?(?:哪些|什么|几个|多少)(?:数据)?表`, "shop.db 数据库里有几个表"),
		}, goal: func(_ *utterance, n naming, m captures) goal {
			if len(n.files) > 1 {
				return nil
			}
			return oneCall{tool: queryDB, args: arguments{"database": m["db"]}}
		}},
		{tool: readFile, cues: []cue{ // what a file says
			on(`^(?:remind me|tell me|show me|let me|give me|i (?:want|need|would like|'d like|have|wonder|forgot|wanna)|can i|could i|do you know|what|whats|what's|how|when|who|where|check|see|read|look|quick|just|help me|is|are|does|did|do|anything|any|which|and|so|sum|summar\w+|tl;?dr|recap|walk me|take me|go)\b.*{file}`, "remind me what's on shopping list.txt"),
			on(`{file}.{0,20}?\b(?:read|show|print|open|see|summari[sz]e|tl;?dr|what does it say|what's in it|whats in it|contents?|please|display)\b`, "draft2.txt, what does it say"),
			on(`(?:读|看|显示|打开|念|查看|展示|总结|内容|写了什么|说了什么).*{file}|{file}.*(?:读|看看|显示|打开|念|内容|写了|写的|说了|说的|是什么|讲)`, "打开 recipes/pancakes.txt 给我看看"),
			on(`^(?:přečti|ukaž|otevři|zobraz|vypiš|co|kdo|kdy|kde|kolik|shrň|podívej|je|jaké?) .*{file}`, "Podívej se mi prosím do todo.txt"),
		}, goal: func(u *utterance, n naming, _ captures) goal {
			file, ok := n.only()
			if !ok || n.names(textSign, folderSign, pageSign) || notARead.has(n.words) || aboutChange.has(u.core) {
				return nil
			}
			if officeFile.has(file) {
				return saying{notYetPaper.In(u.Lang, baseName(strings.TrimSuffix(file, file[strings.LastIndex(file, "."):])))}
			}
			return document{path: file}
		}},
	}
}

var (
	// notAPlace are words with which other questions begin.
	notAPlace = newPattern(`^(?:hey|hello|and|but|well|okay|sorry|please|thanks|dinner|lunch|today|tomorrow|weekend|plans?|weather|news|life|love|advice|ideas?|tips?|options?|choices?|question|music|work out|sleep|health|money|time|free time|general|theory|practice|mind|stock|store|life)$`)
	// notARead wants something else of a file.
	notARead = newPattern(`\b(?:delete|remove|erase|rename|move|replace|change|edit|write|append|add|put|copy|create|save|fix|correct|insert|send|mail|upload|download|run|execute|if|would|should|could i delete|where|how many|how often|count|compare|convert|translate|sort|before|after i|don't|do not|never|without)\b|删除|修改|替换|移动|改名|复制|(?:smaž|přejmenuj|přesuň|změň|nahraď|přidej|zkopíruj)`)
)

// factFrames ask about this machine and the time.
func factFrames() []frame {
	const machine = `(?:computer|machine|laptop|pc|server|system|box|desktop|notebook|thing|this)`
	part := func(p string) func(*utterance, naming, captures) goal {
		return func(u *utterance, n naming, _ captures) goal {
			if len(n.things) > 0 || asksHow.has(u.core) || talkOpening.has(u.core) {
				return nil
			}
			return oneCall{tool: systemInfo, args: arguments{"part": p}}
		}
	}
	return []frame{
		{tool: systemInfo, cues: []cue{
			on(`^(?:when|how long|since when|what time)\b.*\b`+machine+`\b.*\b(?:(?:re)?boot(?:ed)?|restart(?:ed)?|turned on|switched on|started|powered (?:on|up)|been (?:on|up|running))\b`, "when was this computer last rebooted"),
			on(`^(?:when|how long)\b.*\b(?:last|since(?: the)?(?: last)?) (?:re)?(?:boot|start|restart|reboot)\w*`, "how long ago was the last reboot"),
		}, goal: part("uptime")},
		{tool: systemInfo, cues: []cue{
			on(`\b(?:am i|are we|i'm|is (?:it|this|my \w+)|running|getting)\b.*\b(?:low on|out of|short of|short on)\b.*\b(?:ram|memory)\b`, "are we running low on memory?"),
			on(`\b(?:how many|how much) (?:gb|gigs?|gigabytes|megabytes|mb) of (?:ram|memory)\b`, "how many gigs of ram are in this thing"),
		}, goal: part("memory")},
		{tool: systemInfo, cues: []cue{
			on(`\b(?:am i|are we|i'm|is (?:it|this|my \w+)|running|getting|will i)\b.*\b(?:low on|out of|short of|short on)\b.*\b(?:disk|space|storage|room)\b`, "am i running out of space?"),
			on(`^(?:is|will) (?:there|it|a|an|my|the|\d+ ?gb)\b.*\b(?:room|space|fit|full)\b.*\b(?:disk|drive|ssd|`+machine+`)\b`, "is there still room on this machine for a big download"),
			on(`^(?:how|is)(?: \pL+){0,2} (?:full|empty)\b.*\b(?:disk|drive|ssd|hdd)\b|^how full is (?:the|my) (?:disk|drive|ssd)`, "how full is the disk by now"),
		}, goal: part("disk")},
		{tool: systemInfo, cues: []cue{
			on(`^(?:what|which|what's|whats|tell me|show me|name)(?: (?:kind|sort|type|make|model|of|the|is|my|a))* (?:processor|cpu|chip|cores?)\b(?: (?:do|does|is|are|i|we|you|it|have|has|got|in|inside|here|there|this|that|my|the|using|running|on|by|at|fitted|built|`+machine+`))*$`, "what processor do I have in here"),
		}, goal: part("cpu")},
		{tool: listProcesses, cues: []cue{
			on(`^(?:(?:what|what's|whats|which|show|list|see|tell|give|me|the|all|is|are|my|currently|running|active|open|any|right|now|i|mean|of|on|this|machine|computer|please|in|background|there|how|many|have|do|going|and|processes?|programs?|apps?|tasks?|things|stuff|here|can|you|check|let|know|just|overview|up) ?|[,.?!:-] ?)*\bprocess(?:es)?\b(?:(?: |[,.?!])(?:what|are|is|running|active|open|now|right|i|mean|on|this|machine|computer|here|there|currently|please|have|do|going|in|the|background|list))*$`, "what's open right now? processes i mean"),
			on(`^(?:co|jaké|které|vypiš|ukaž) .*(?:běží|běžící|spuštěn\pL*) .*(?:proces\pL*|program\pL*|aplikac\pL*)|^(?:co|jaké|které|vypiš|ukaž) .*(?:proces\pL*|program\pL*) .*(?:běží|běžící|spuštěn\pL*)`, "Co teď běží za procesy?"),
			on(`(?:现在|正在|目前|都)?.{0,4}(?:运行|开着|跑)(?:着|的)?.{0,4}(?:哪些|什么|啥)(?:程序|进程|软件|应用)`, "现在电脑上跑着哪些程序"),
		}, goal: func(u *utterance, n naming, _ captures) goal {
			if len(n.things) > 0 {
				return nil
			}
			return oneCall{tool: listProcesses}
		}},
		{tool: listProcesses, cues: []cue{
			on(`^(?:do|have|did|is|are|am|does|check|see|tell|can you|any)\b(?: (?:i|we|me|you|if|whether|there|still|a|an|any|the|my|got|have|see|find|out|left|some|instance|instances|copy|of))* (?P<name>`+appNames+`|`+programNames+`|mysql|postgres|nginx|apache|redis|ollama)(?: (?:process(?:es)?|instances?|windows?|app|program))?(?: (?:still|already|currently|somewhere|open|up))* ?(?:running|open|active|alive|going|started|on|up)(?: (?:somewhere|still|anywhere|in the background|right now|now|here|on this machine|already))*$`, "do i still have python running somewhere"),
			on(`^(?:did|have) i (?:leave|left|forget to close|closed?|quit|kill(?:ed)?|stop(?:ped)?|shut)(?: (?:the|my))? (?P<name>`+appNames+`|python3?|node|docker)(?: (?:open|running|on|down|already))*$`, "did i leave firefox open"),
		}, goal: func(_ *utterance, _ naming, m captures) goal {
			return oneCall{tool: listProcesses, args: arguments{"name": strings.ToLower(m["name"])}}
		}},
		{tool: currentTime, cues: []cue{
			on(`^(?:.*[,.;:!?] ?|.*\band )?(?:is it|what|what's|whats|how late|do they|are they|is it already|tell me|check|which|are people|would it be|so)\b.*\b(?:time|clock|hour|late|night|morning|evening|afternoon|midnight|noon|dark|awake|asleep|up|early|day|o'clock|bedtime|lunchtime)\b.*\b(?:in|at|over in|for)(?: the)? (?P<zone>`+bigCity+`|`+manyZones+`)\b`, "quick question, would it be dark already over in Tokyo?"),
			on(`\b(?P<zone>`+bigCity+`|`+manyZones+`)\b.*\b(?:is it|what|what's|whats|how late|are they|so|which)\b.*\b(?:time|clock|hour|late|night|morning|evening|afternoon|midnight|noon|dark|awake|asleep|up|early|bedtime)\b(?: (?:there|now|right|already|yet|still|over|at|the|moment|is|it|do|they|have|me|can|i|call|them|him|her|for|to))*$`, "my cousin lives in Sydney, is it night there now?"),
			on(`^(?P<zone>`+bigCity+`|`+manyZones+`)(?: (?:time|clock|right now|now|local time))+$`, "tokyo local time"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			if len(n.things) > 0 || notATime.has(u.core) {
				return nil
			}
			zone := cityZones.or(m["zone"], m["zone"])
			return oneCall{tool: currentTime, args: arguments{"part": "time", "zone": zone}}
		}},
	}
}

// manyZones are countries and regions with one time.
const manyZones = `japan|china|india|germany|france|spain|italy|england|britain|the uk|uk|poland|california|hawaii|korea|thailand|nyc|new york city`

// notATime asks for something else about a place.
var notATime = newPattern(`\b(?:weather|flight|fly|hotel|visit|travel|trip|best time|good time|time zone history|time to (?:go|visit|travel|move)|warm|cold|rain|snow|restaurant|live|capital|population|tour|how long)\b.*\b(?:in|to|for)\b.*$|\b(?:weather|flights?|hotels?|best time|good time|history|last time|first time|next time|every time|have a good|had a)\b`)

// tableFrame asks for what is in a table of a database.
func tableFrame() frame {
	return frame{tool: queryDB, cues: []cue{
		on(`\b(?:table|content of|contents of|rows (?:of|in|from)|all of)(?: the| table)* (?P<table>\w+)(?: table)? (?:of|in|from|inside) (?P<db>[^\s"'“”]+\.(?:db3?|sqlite3?))\b`, "print the rows of customers from shop.db"),
		on(`\b(?:show|list|print|give|see|display|dump|read|whole|entire|the)\b.*?\b(?P<table>\w+) table (?:of|in|from|inside) (?P<db>[^\s"'“”]+\.(?:db3?|sqlite3?))$`, "show me the orders table of shop.db"),
	}, goal: func(_ *utterance, n naming, m captures) goal {
		if len(n.files) > 0 || noName.has(m["table"]) || vagueWord.has(m["table"]) || n.names(textSign) {
			return nil
		}
		return oneCall{tool: queryDB, args: arguments{"database": m["db"], "query": "SELECT * FROM " + m["table"]}}
	}}
}
