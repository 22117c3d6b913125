package intent

import (
	"strconv"
	"strings"

	"loci/internal/lang"
)

// Words that order programs about: players, applications, commands.
const (
	player   = `(?:music|songs?|tracks?|tunes?|playback|videos?|films?|movies?|player|sound|audio|volume|radio|podcast|album|playlist|speakers?|beats?)`
	playerCS = `(?:hudb\pL+|písni\pL+|skladb\pL+|zvuk\pL*|hlasitost\pL*|přehráv\pL+|video)`
	playerZH = `(?:音乐|歌曲?|声音|音量|视频|播放)`
	// aBit may stand anywhere in an order to a player.
	aBit = `(?: (?:a|little|bit|the|this|that|my|it|some|more|please|pls|now|just|notch|tad|touch|right|for|me|again|still|way|much|too|up|down|here|there|thanks|will|you|is|lot|all|really|quite|one|current|on))*`
)

// anOrder leads to an order.
const anOrder = `^(?:(?:please|just|can|could|you|now|ok|hey|and|then|quickly|i'd like (?:you )?to|i want (?:you )?to|go ahead and|a bit|a little|bit|little|tad|much|way|some) )*`

// mediaFrames order a player.
func mediaFrames() []frame {
	media := func(action string, cues ...cue) frame {
		return frame{tool: mediaControl, cues: cues, goal: func(u *utterance, n naming, m captures) goal {
			args := arguments{"action": action}
			if len(n.things) > 0 || len(strings.Fields(n.words)) > 14 {
				return nil
			}
			if v, ok := loudness(m["level"]); ok {
				args["volume"] = v
			} else if action == "volume_set" && m["level"] != "" {
				return nil
			}
			return oneCall{tool: mediaControl, args: args}
		}}
	}
	const lead = anOrder
	return []frame{
		media("volume_set",
			on(lead+`(?:(?:set|turn|put|bring|change|adjust|make|get|have|lower|raise|drop|crank)`+aBit+` )?`+player+aBit+`(?: (?:to|at|on|of|level|=|:))* ?(?P<level>\d{1,3} ?(?:%|per ?cent)?|half(?: way)?|a half|a quarter|one quarter|a third|one third|two thirds|three quarters|full|max(?:imum)?|the max(?:imum)?|zero|minimum|ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?: (?:percent|per cent|volume|please|now))*$`, "volume to a quarter"),
			on(lead+`(?:(?:set|turn|put|bring|play|make|go|crank)`+aBit+` )?(?:(?:it|that|this) )?(?:to|at|on )? ?(?P<level>half|full|max(?:imum)?|zero|\d{1,3} ?%|\d{1,3} percent) (?:volume|loudness|sound)(?: (?:please|now))*$`, "half volume please"),
			on(lead+`(?:mute|silence)(?: (?:it|this|that|everything|the|my|all|now|please|`+player+`))*$`, "mute"),
			on(lead+`no sound(?: (?:please|now|for now))*$`, "no sound please"),
			on(`^(?:nastav |dej |ztlum |stáhni |zesil )?(?:mi )?(?:hlasitost|zvuk|hudbu)(?: hudby)? na (?P<level>\d{1,3}|polovinu|půlku|čtvrtinu|maximum|nulu)(?: ?%| procent)?$`, "Hlasitost na polovinu"),
			on(`^(?:请)?(?:把|将)?(?:音量|声音|音乐)(?:调|设|开|降|改|设置|调整)?(?:到|为|成|至)?\s*(?:百分之)?(?P<level>\d{1,3}|一半|最大|最小|百分之五十)\s*%?$`, "音量调到一半"),
			on(`^(?:(?:请)?静音|把?(?:声音|音乐)?(?:关静音|静音))(?:一下)?$`, "静音一下"),
		),
		media("volume_up",
			on(lead+`(?:crank|turn|pump|bump|bring|push|put|make|get|nudge|take)`+aBit+`(?: `+player+`)?`+aBit+` (?:up|louder|higher)`+aBit+`(?:[,.;!].*)?$`, "crank it up a bit, this song is great"),
			on(lead+`(?:louder|volume up|more volume|increase|raise|boost|pump up|crank up|turn up)`+aBit+`(?: `+player+`)?`+aBit+`(?:[,.;!].*)?$`, "bit louder please"),
			on(`^(?:i|we) (?:can't|cannot|can hardly|can barely|can't really)(?: even)? hear`+aBit+`(?: (?:`+player+`|it|anything|a thing))`+aBit+`(?:[,.;!].*)?$`, "i can barely hear the radio"),
			on(`^(?:(?:it|that|this|the|my) )*(?:'s|is|`+player+` is|`+player+`'s|`+player+`)?`+aBit+` too (?:quiet|low|soft|silent)(?: for me)?(?:[,.;!].*)?$`, "music's too quiet for me"),
			on(`^(?:zesil|přidej|dej|udělej)(?: (?:mi|to|trochu|prosím|na|víc|hlasitěji|nahlas|hudbu|zvuk|hlasitosti?))*(?: (?:zvuk|hudbu|hlasitost|nahlas|hlasitěji|víc))+$`, "Dej to trochu víc nahlas"),
			on(`^(?:请)?(?:把)?`+playerZH+`?(?:再)?(?:开|调|放|弄)?(?:大|响|高)(?:一)?(?:点|些)(?:儿)?(?:声)?$`, "声音再大一点"),
		),
		media("volume_down",
			on(lead+`(?:turn|bring|take|put|make|get|crank|dial|nudge|tone|keep)`+aBit+`(?: `+player+`)?`+aBit+` (?:down|quieter|softer|lower)`+aBit+`(?:[,.;!].*)?$`, "tone the music down, the baby sleeps"),
			on(lead+`(?:quieter|softer|volume down|less volume|not so loud|less loud|lower|reduce|decrease|turn down|bring down)`+aBit+`(?: `+player+`)?`+aBit+`(?:[,.;!].*)?$`, "bit quieter please"),
			on(`^(?:(?:it|that|this|the|my|`+player+`) )*(?:'s|is|`+player+`'s|it's|that's)?`+aBit+` too (?:loud|noisy)(?: for me)?(?:[,.;!].*)?$`, "that's way too loud"),
			on(`^(?:ztiš|ztlum|zeslab|stáhni|uber|dej|udělej)(?: (?:mi|to|tu|ten|trochu|prosím|na|míň|tišeji|potichu|hudbu|zvuk|hlasitosti?))*(?: (?:zvuk|hudbu|hlasitost|hlasitosti|tišeji|potichu|míň))+$`, "Stáhni trochu tu hudbu"),
			on(`^(?:请)?(?:把)?`+playerZH+`?(?:再)?(?:开|调|关|放|弄)?(?:小|低|轻)(?:一)?(?:点|些)(?:儿)?(?:声)?$`, "声音小一点"),
		),
		media("next",
			on(lead+`(?:skip|next|jump|move on|go)`+aBit+`(?: (?:to|over|past|on|ahead|forward))*`+aBit+` ?(?:next|another|following)?(?: (?:one|song|track|tune|title|video|episode))`+aBit+`(?:[,.;!].*)?$`, "skip over this track, it's boring"),
			on(`^(?:skip|next)`+aBit+`(?:[,.;!].*)?$`, "skip that please"),
			on(lead+`(?:play|put|give|change|switch|hear|try)`+aBit+`(?: (?:me|us|to|on))*`+aBit+` ?(?:next|another|a different|different|other|something else|new)(?: (?:on|one|song|track|tune|title|video))?`+aBit+`(?:[,.;!].*)?$`, "put another track on"),
			on(`^(?:i(?:'m| am)? )?(?:don't like|do not like|hate|can't stand|sick of|tired of|bored of|not a fan of|not in the mood for)`+aBit+` (?:one|song|track|tune|music)(?:[,.;!] ?(?:next|skip|another|change|something else).*)$`, "tired of this tune, something else please"),
			on(`^(?:.*[,.;!?] )?(?:change|switch) the (?:song|track|tune)$`, "ugh, change the song"),
			on(`(?:换|切)(?:一)?(?:首|下|个)(?:别的)?(?:歌|曲)?(?:吧|听听)?$`, "这首不好听，换一首吧"),
			on(`^(?:přeskoč|přehoď|přepni|dej|pusť) .*(?:další|jinou|dál)(?: .*)?$`, "Přepni to na další"),
		),
		media("previous",
			on(lead+`(?:play|put on|replay|repeat|go back to|return to|back to|hear|rewind to|give me)`+aBit+` (?:(?:last|previous|prior|same|earlier) )+(?:one|song|track|tune|title)`+aBit+`(?: (?:again|once more|back|one more time))*$`, "play that last song again"),
			on(lead+`(?:go|skip|jump|step|one|take me)`+aBit+` back(?: (?:to|a|one|the|last|previous|song|track|one))*$`, "jump back a track"),
			on(`^(?:the )?(?:previous|last|one before)(?: (?:one|song|track|tune|title))?`+aBit+`$`, "previous one please"),
			on(`^(?:vrať|vrat|přehraj|pusť|zpátky|zpět) .*(?:předchozí|minul\pL+|předešl\pL+)(?: .*)?$`, "Pusť ještě jednou tu minulou písničku"),
			on(`(?:上一?(?:首|个|曲)|前一首|刚才那首)`, "再放一遍上一首"),
		),
		media("stop",
			on(`^(?:(?:the|this|that|my) )?(?:music|song|radio|video|player|sound|playback) off`+aBit+`$`, "music off"),
			on(lead+`(?:stop|kill|end|cut|shut|switch|turn|quit|silence|no more|enough of|enough)`+aBit+`(?: (?:off|with|playing|down|out))*`+aBit+` (?:music|songs?|radio|video|player|playback|playing|podcast|noise)`+aBit+`(?: (?:off|down|out))?(?:[,.;!].*)?$`, "enough of that music, i need to think"),
			on(`^(?:vypni|zastav|stopni|ukonči|zaraz)(?: (?:mi|to|tu|už|prosím|tuhle|ten))* `+playerCS+`(?: prosím)?$`, "Zaraz už tu hudbu"),
			on(`(?:关掉|停掉|停下|关了|停了|别放|不要放)(?:这|那|个|首|把)*(?:音乐|歌|视频|播放)|(?:音乐|歌|视频)(?:给我)?(?:关|停)(?:掉|了|下)`, "音乐给我停了"),
		),
		media("pause",
			on(lead+`(?:pause|freeze|hold)`+aBit+`(?: `+player+`)?`+aBit+`(?:[,.;!].*)?$`, "pause that for me, phone's ringing"),
			on(lead+`(?:put|take)`+aBit+`(?: `+player+`)?`+aBit+` on (?:pause|hold)`+aBit+`$`, "put that on hold please"),
			on(`^(?:pozastav|zapauzuj|přeruš|pauzni|pauza)(?: .{0,30})?$`, "Pauzni to na chvilku"),
			on(`暂停`, "先暂停一下"),
		),
		media("play",
			on(lead+`(?:resume|continue|unpause|go on|keep|carry on|start|restart)`+aBit+`(?: (?:with|playing|playback))*`+aBit+` (?:`+player+`|playing|it)`+aBit+`(?: (?:from where .*|again|back|on|back on|going))?$`, "keep the tunes going"),
			on(lead+`(?:turn|switch|put|get|bring|let|start|have)`+aBit+` (?:music|song|radio|tunes|playback|player|playing)(?: (?:back|on|again|going|play|playing|please|continue|run|now))+$`, "get the tunes going again"),
			on(lead+`(?:hit|press|push) play`+aBit+`$`, "just hit play"),
			on(`^(?:pokračuj|pusť|spusť|zapni|hraj)(?: (?:mi|to|zase|dál|znovu|tu|zpátky|prosím))* (?:hudb\pL+|hrát|dál|přehrávání)$`, "Pusť zase hudbu"),
			on(`^(?:继续|接着|恢复)(?:播|放|听|播放)`, "接着放吧"),
		),
	}
}

// doFrames start an application or run a command.
func doFrames() []frame {
	return []frame{
		{tool: openApp, cues: []cue{
			on(`^(?:.*[,.;!] ?(?:so |then |and )?)?`+anOrder[1:]+`(?:open|start|launch|bring up|fire up|boot up|pull up|load|get|run|use|start up|switch to|switch on|turn on|need|i need|i want|pop up|go to|begin|kick off)(?: (?:me|up|the|my|a|to|use|using|open|app|program|application|called))* (?P<app>`+appNames+`)(?: (?:app|application|program|browser|up|open|running|for|me|please|going|started|now|window|again))*$`, "i want to do some sums, start up the calculator app"),
			on(`^(?:spusť|otevři|zapni|pusť|nahoď)(?: (?:mi|prosím|ten|tu|program|aplikaci))* (?P<app>`+appNames+`|prohlížeč|kalkulačku|editor|terminál)$`, "Nahoď mi prosím firefox"),
			on(`(?:启动|打开|开一下|运行|开启)(?:一下)?(?:那个|我的)?\s*(?P<app>`+appNames+`|浏览器|计算器|编辑器|终端|火狐)(?:吧|一下)?$`, "帮我把浏览器打开一下，打开 firefox"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			if len(n.things) > 0 || noApp.has(m["app"]) {
				return nil
			}
			return u.start(m["app"], "")
		}},
		{tool: runCommand, cues: []cue{
			on(`^(?:.*[,.;!] ?)?`+anOrder[1:]+`(?:run|execute|try|do|start|launch|type|perform|fire|invoke|give me|show me|what does)(?: (?:a|an|the|me|output|result|of|from|running|quick|command|shell|for me|on))*:? (?P<line>(?:`+programNames+`|ping|ssh|kubectl|brew|apt)(?: [^,;]+?)?)(?:,? (?:and|then) (?:then )?(?:show|tell|give|let|see|print|report|paste|send|read|say)\b.*| (?:for me|please|real quick|again|and so on|in (?:the|a) (?:terminal|shell|console)|output|print|say))*$`, "can you try wc -l todo.txt and show me the output"),
			on(`^(?:run|execute|start|do|launch)\b.*\b(?:with|using|by|via|through) (?P<line>`+programNames+` .*)$`, "run the tests with pytest -q"),
			on(`\bgive (?P<line>`+programNames+`(?: [\w.-]+){0,4}?) a (?:run|go|try|shot|spin|whirl)\b`, "give git diff a run"),
			on(`\b(?:know|see|check|tell me|find out|learn) what (?P<line>‹text\d+›) (?:says|prints|gives|returns|shows|outputs|does|reports)`, "i'd like to know what `df -h` says"),
			on(`^(?:check|run|try|execute|show|do|what does|give|the output of|i need|i want)\b.*?(?P<line>‹text\d+›)(?: .{0,30})?$`, "could you check `git status` for me"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			line, _ := unquote(u.verbatim(m["line"]))
			words := strings.Fields(line)
			if len(words) == 0 || inSentence.has(" "+strings.Join(words[1:], " ")+" ") || !startsProgram.has(words[0]) {
				return nil
			}
			if len(words) == 1 && alsoWord.has(words[0]) || len(words) > 1 && alsoWord.has(words[0]) && !looksTyped.has(line) {
				return nil
			}
			return running{line: line}
		}},
	}
}

var (
	startsProgram = newPattern(`^` + programNames + `$|^ping$|^ssh$`)
	// alsoWord are programs named like other things.
	alsoWord = newPattern(`^(?:find|sort|date|file|tree|which|make|go|head|tail|cat|free|id|python3?|node|ruby|perl|docker|touch|diff|stat|echo|git|who)$`)
	// looksTyped is a line as it would be typed.
	looksTyped = newPattern(` -{1,2}\w|^git \w+(?: [\w./-]+)?$|\.(?:py|js|rb|sh|pl|txt|md|log|csv)\b|^(?:docker|make|go|npm) \w+$|[|>]`)
)

// withApp opens a page or a file with an application that is named.
func withApp() frame {
	return frame{tool: openApp, cues: []cue{
		on(anOrder+`(?:open|show|load|view|go to|pull up|bring up|visit|get)(?: me)?(?: (?:the|page|site|website|file|my))* (?:{page}|{file}) (?:with|in|using|on|via)(?: (?:the|my))* (?P<app>[\w+-]{3,30})(?: (?:app|browser|editor|viewer|please))*$`, "open https://example.com in firefox"),
		on(anOrder+`use (?:the |my )?(?P<app>[\w+-]{3,30}) (?:to (?:open|show|view|edit)|for|on) (?:the |my )?(?:{page}|{file})$`, "use firefox to show https://example.com"),
		on(`^(?:otevři|ukaž|spusť)(?: mi)? (?:{page}|{file}) (?:v|ve|pomocí)(?: programu)? (?P<app>[\w+-]{3,30})(?:u)?$`, "Otevři https://example.com ve Firefox"),
		on(`用\s*(?P<app>[\w+-]{3,30})\s*(?:来)?(?:打开|看|访问)\s*(?:{page}|{file})`, "用 firefox 打开 https://example.com"),
	}, goal: func(u *utterance, n naming, m captures) goal {
		if noApp.has(m["app"]) || homeFolder.has(m["app"]) || vagueWord.has(m["app"]) || len(n.things) != 1 {
			return nil
		}
		return u.start(m["app"], m["page"]+m["file"])
	}}
}

// loudness reads a volume in percent.
func loudness(words string) (int, bool) {
	words = strings.ToLower(strings.TrimSpace(words))
	if n, ok := loudnessWords.of(words); ok {
		return n, true
	}
	n, err := strconv.Atoi(strings.TrimRight(words, "% percntPERCNT"))
	return n, err == nil && n <= 100
}

var loudnessWords = newLexicon(map[string]int{
	"half": 50, "half way": 50, "a half": 50, "a quarter": 25, "one quarter": 25, "a third": 33, "one third": 33, "two thirds": 67, "three quarters": 75,
	"full": 100, "max": 100, "maximum": 100, "the max": 100, "the maximum": 100, "zero": 0, "minimum": 0, "ten": 10, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	"polovinu": 50, "půlku": 50, "čtvrtinu": 25, "maximum ": 100, "nulu": 0, "一半": 50, "最大": 100, "最小": 0,
})

// wishHints are in the wishes for a tool.
var wishHints = map[string][]string{
	"stock":      {"stock", "share", "price", "quote", "trading", "worth", " at", "doing", "bitcoin", "btc", "ethereum", "exchange", "nasdaq"},
	"recall":     {"you"},
	"schedule_*": {"remind", "wake", "ping", "nudge", "buzz", "alert", "notify", "warn", "alarm", "timer", "countdown", "every ", "each ", "in a", "in half", "in 1", "in 2", "in 3", "in 4", "in 5", "in 6", "in t", "in f", "vzbu", "probu", "připom", "pripom"},
	"weather":    {"rain", "snow", "sun", "umbrella", "freez", "forecast", "weather", "wind", "storm", "outside", "foggy", "humid"},
	"send_email": {"mail", "message", "text", "sms", "note"},
	"read_email": {"mail", "inbox", "unread", "wr", "repl", "answered"},
	"notion_*":   {"notion"},
}

// wishFrames are more words for what loci does not do yet.
func wishFrames() []frame {
	missing := func(tool string, answer lang.Words, cues ...cue) frame {
		return frame{tool: tool, cues: cues, hints: wishHints[tool], goal: func(u *utterance, n naming, _ captures) goal {
			if u.offersAny(tool) || n.names(fileSign) || saysNo.has(u.core) || asksHow.has(u.core) {
				return nil
			}
			return saying{answer.In(u.Lang)}
		}}
	}
	return []frame{
		missing("stock", notYetStock,
			on(`^(?:what(?:'s| is| are)|how(?:'s| is| are)|whats|hows|check|show(?: me)?|get(?: me)?|price of|quote for|quote)(?: the| my)?(?: (?:price|quote|value|course|current price) (?:of|for))? \$?(?-i:[A-Z]{2,5}|BTC|ETH)(?: (?:at|trading|worth|doing|price|now|today|stock|shares|going|for|right|quote))*$`, "what's TSLA at"),
			on(`\b(?:shares?|stocks?|nasdaq|dow jones|s&p ?500|share price|stock price|bitcoin|btc|ethereum|exchange rate)\b.*\b(?:worth|trading|price|at|doing|now|today|up|down|cost|stand|close[ds]?|open(?:ed)?)\b(?: (?:right now|now|today|at the moment))*$`, "did my Nokia shares go up today"),
			on(`(?:股价|股票|汇率|比特币).{0,8}(?:多少|怎么样|涨|跌|如何)`, "茅台股票今天涨了吗"),
		),
		missing("recall", notYetMemory,
			on(`^(?:do|did|can|don't) you (?:still |even |also |happen to )*(?:remember|recall|know|have)\b.*\b(?:my|our)\b.*`, "do you remember what my car's licence plate is?"),
			on(`\b(?:i (?:told|gave|mentioned to|said to) you|i(?:'ve| have) told you)\b.*\b(?:what|when|where|who|which|remind|again|was it|is it)\b|\b(?:what|when|where|who|which)\b.*\b(?:i (?:told|gave|mentioned to|said to) you|i(?:'ve| have) told you)\b`, "I told you my shoe size, what was it?"),
		),
		missing("schedule_*", notYetSchedule,
			on(`^in (?:half an?|an?|\d+|a few|two|three|five|ten|twenty|thirty) (?:minutes?|mins?|hours?|days?|weeks?)(?: or so)?,? (?:that|to|about|so)\b`, "let me know in half an hour that the cake is done"),
			on(`(?:vzbuď|probuď|připomeň|upozorni)\pL*(?: (?:mi|mě|nás|prosím))*$|(?:mi|mě|nás) (?:vzbuď|probuď|připomeň|upozorni)\pL*`, "Zítra v sedm ráno mě vzbuď"),
			on(`\b(?:remind|wake|ping|nudge|buzz|alert|notify|warn) (?:me|us)\b.*\b(?:at|in|on|tomorrow|tonight|before|when|every|later|by|to)\b|\b(?:alarm|timer|countdown|reminder)\b.*\b(?:for|at|in|minutes?|hours?|o'clock|am|pm|tomorrow|set|start)\b`, "could you buzz me before the shop closes"),
			on(`\b(?:every|each) (?:day|morning|evening|night|week|monday|tuesday|wednesday|thursday|friday|saturday|sunday|month|hour)\b.*\b(?:send|tell|give|check|run|show|remind|summari[sz]e|read|report|back up|water)\b`, "each evening I'd like you to check the logs"),
		),
		missing("weather", notYetWeather,
			on(`^(?:will|is|does|do|should|what|how|do i need|is it going to|any chance|chance)\b.*\b(?:rain\w*|snow\w*|sunny|umbrella|freez\w+|forecast|weather|windy|storm\w*|degrees outside|cold outside|hot outside|warm outside|raincoat|sunscreen|foggy|humid)\b(?: .*\b(?:today|tonight|tomorrow|weekend|week|now|outside|later|monday|tuesday|wednesday|thursday|friday|saturday|sunday|in \pL+))?$`, "do i need a raincoat tomorrow"),
		),
		missing("send_email", notYetMail,
			on(`^(?:send|shoot|drop|fire|write|e-?mail|mail|message|text|reply|answer|forward|let)\b.*\b(?:e-?mail|mail|message|inbox|note to|know (?:by|via) (?:e-?mail|mail))\b|^(?:e-?mail|mail|text|message) (?:my )?\pL+ (?:that|and|about|to|saying|the)\b`, "fire a short mail off to my boss"),
		),
		missing("send_email", notYetMail,
			on(`\b(?:tell|let|inform|notify|ask|answer|invite|thank)\b.*\bby (?:e-?mail|mail|text message|sms|message)\b`, "tell my boss by mail that i'm sick"),
		),
		missing("read_email", notYetMail,
			on(`^(?:did|has|have|is there|any|anything|do i have|check|what|who|show|read)\b.*\b(?:e-?mails?|mails?|inbox|mailbox|unread|wr(?:ote|itten) (?:to )?(?:me|back)|repl(?:y|ied)|answered)\b`, "has Alice replied yet, look in the inbox"),
		),
		missing("remember", notYetMemory,
			on(`^(?:for (?:future|later|your) (?:reference|info|information)|just so you (?:know|remember)|fyi|note to self|keep in mind|bear in mind|don't forget|never forget|remember|memori[sz]e|make a mental note)\b.{6,}`, "fyi I'm vegetarian, keep that in mind"),
		),
		missing("notion_*", notYetNotion,
			on(`\b(?:log|save|store|put|add|create|write|file|sync|copy|track|record|update|find|look up|search|open|show|read)\b.*\bnotion\b`, "log today's standup in Notion"),
		),
		missing("search_documents", notYetDocuments,
			on(`\b(?:search|look|check|go|dig|find|browse|scan)\b.*\b(?:my|our|the|saved|indexed|stored|uploaded) (?:document|paper|knowledge|saved|indexed|stored|file) ?(?:library|index|base|collection|archive|documents|papers|store)\b`, "search my document library for the lease terms"),
		),
	}
}
