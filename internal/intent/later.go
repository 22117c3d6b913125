package intent

import (
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

// What loci does not do yet, but people rightly ask of an assistant: each wish is
// recognised, and answered with what stands in for it. Nothing else may be run for it:
// a text to remember is no file, and a web address no path. Where the tool is offered
// after all, because a client or an MCP server brought it, the wish is left to it.
var (
	notYetWeb = lang.Words{
		EN: "I cannot open web pages: this version of loci does not reach the internet. If you save the page as a file, I can read that.",
		ZH: "我不能打开网页：这个版本的 loci 还不能访问互联网。如果您把网页保存为文件，我可以阅读它。",
		CS: "Webové stránky otevřít neumím: tato verze loci nemá přístup na internet. Když stránku uložíte do souboru, přečtu ho.",
	}
	notYetHTTP = lang.Words{
		EN: "I cannot send web requests: this version of loci does not reach the internet. I can run a command that you write out, such as: run curl https://example.com",
		ZH: "我不能发送网络请求：这个版本的 loci 还不能访问互联网。我可以运行您完整写出的命令，例如：运行 curl https://example.com",
		CS: "Webové požadavky posílat neumím: tato verze loci nemá přístup na internet. Umím spustit příkaz, který celý napíšete, třeba: spusť curl https://example.com",
	}
	notYetFeed = lang.Words{
		EN: "I cannot read feeds or news: this version of loci does not reach the internet. I can look things up in the files on this computer.",
		ZH: "我不能读取订阅源或新闻：这个版本的 loci 还不能访问互联网。我可以在这台电脑的文件中查找内容。",
		CS: "Kanály ani zprávy z internetu číst neumím: tato verze loci na něj nemá přístup. Umím hledat v souborech na tomto počítači.",
	}
	notYetMail = lang.Words{
		EN: "I cannot send or read e-mail and messages, or make calls: this version of loci has no mailbox. I can write a draft to a file: write \"Dear Bob\" to mail.txt.",
		ZH: "我不能收发电子邮件和消息，也不能打电话：这个版本的 loci 还没有邮箱功能。我可以把草稿写入文件：把“您好”写入 mail.txt。",
		CS: "Neumím posílat ani číst e-maily a zprávy, ani telefonovat: tato verze loci nemá schránku. Koncept umím zapsat do souboru: zapiš \"Dobrý den\" do mail.txt.",
	}
	notYetNotion = lang.Words{
		EN: "I cannot reach Notion: this version of loci has no connection to it. I can keep notes in files here: add \"call Eva\" to notes.txt.",
		ZH: "我不能访问 Notion：这个版本的 loci 还没有与它的连接。我可以把笔记写入这里的文件：把“给小王打电话”写入 notes.txt。",
		CS: "Do Notion se nedostanu: tato verze loci s ním není propojená. Poznámky umím psát do souborů: přidej \"zavolat Evě\" do notes.txt.",
	}
	notYetSchedule = lang.Words{
		EN: "I cannot remind you, set alarms, keep a calendar or do things on a schedule: this version of loci only acts when you ask. I can tell the date and time, and note it in a file: add \"dentist on Friday\" to todo.txt.",
		ZH: "我不能设置提醒、闹钟、日历或定时任务：这个版本的 loci 只在您询问时行动。我可以告诉您日期和时间，也可以记在文件里：把“周五看牙医”写入 todo.txt。",
		CS: "Neumím připomínat, budit, vést kalendář ani pracovat podle plánu: tato verze loci jedná, jen když se ptáte. Umím říct datum a čas a zapsat to: přidej \"v pátek zubař\" do todo.txt.",
	}
	notYetMemory = lang.Words{
		EN: "I cannot remember things from one conversation to another: this version of loci has no memory of its own, so there is nothing to recall or forget either. I can keep it in a file: add \"the key is under the pot\" to notes.txt.",
		ZH: "我不能在对话之间记住事情：这个版本的 loci 还没有自己的记忆，所以也没有可以回忆或忘记的内容。我可以写入文件：把“钥匙在花盆下”写入 notes.txt。",
		CS: "Mezi rozhovory si nic nepamatuji: tato verze loci nemá vlastní paměť, takže není co si vybavit ani zapomenout. Umím to zapsat: přidej \"klíč je pod květináčem\" do notes.txt.",
	}
	notYetDocuments = lang.Words{
		EN: "I have no index of your documents: this version of loci cannot collect them. I can search the text files here: which files mention warranty?",
		ZH: "我没有您文档的索引：这个版本的 loci 还不能收集文档。我可以搜索这里的文本文件：哪些文件提到了保修？",
		CS: "Rejstřík vašich dokumentů nemám: tato verze loci je sbírat neumí. Umím prohledat zdejší textové soubory: které soubory obsahují slovo záruka?",
	}
	notYetPaper = lang.Words{
		EN: "I cannot read PDF, Word and other office documents: this version of loci reads plain text alone. If you save it as text, such as %s.txt, I can read that.",
		ZH: "我不能阅读 PDF、Word 等文档：这个版本的 loci 只能阅读纯文本。如果您把它另存为文本，例如 %s.txt，我就可以阅读。",
		CS: "Dokumenty PDF, Word a podobné číst neumím: tato verze loci čte jen prostý text. Když ho uložíte jako text, třeba %s.txt, přečtu ho.",
	}
	notYetWeather = lang.Words{
		EN: "I cannot tell the weather: this version of loci does not reach the internet, so it has no forecast. I can tell the date and time.",
		ZH: "我无法告诉您天气：这个版本的 loci 还不能访问互联网，没有天气预报。我可以告诉您日期和时间。",
		CS: "Jaké je nebo bude počasí nevím: tato verze loci nemá přístup na internet, a tak ani předpověď. Umím říct datum a čas.",
	}
	notYetStock = lang.Words{
		EN: "I cannot tell prices of stocks, currencies and the like: this version of loci does not reach the internet. I can work out a sum that you give me.",
		ZH: "我无法提供股票、货币等行情：这个版本的 loci 还不能访问互联网。我可以帮您计算给出的算式。",
		CS: "Ceny akcií, měn a podobně nevím: tato verze loci nemá přístup na internet. Umím spočítat příklad, který mi dáte.",
	}
)

// wish is what a tool would be for that is still to come.
type wish struct {
	tool     string
	answer   lang.Words
	patterns []pattern
}

// calendarWeek is of the calendar that everybody has.
var calendarWeek = newPattern(`\bcalendar weeks?\b`)

// later gives the goal of saying that a wish cannot be fulfilled yet, or nil.
func (r *Router) later(u *utterance) goal {
	if calendarWeek.has(u.core) {
		return nil
	}
	if saysNo.has(u.core) || asksHow.has(u.core) {
		return nil
	}
	for _, w := range r.wishes {
		for _, p := range w.patterns {
			if p.has(u.core) {
				if u.offersAny(w.tool) || w.tool != readDocument && u.fileNamed() != "" && !anyURL.has(u.core) {
					return nil
				}
				return saying{w.answer.In(u.Lang)}
			}
		}
	}
	return u.officePaper()
}

// offersAny tells whether a tool may be called, or one of several whose names begin
// as it does up to a star.
func (u *utterance) offersAny(tool string) bool {
	start, many := strings.CutSuffix(tool, "*")
	return slices.ContainsFunc(u.Tools, func(t loci.ToolSpec) bool {
		return t.Name == tool || many && strings.HasPrefix(t.Name, start)
	})
}

// readDocument is the tool for documents that are no plain text.
const readDocument = "read_document"

// officePaper answers a wish to read a document that is no plain text.
func (u *utterance) officePaper() goal {
	path := u.fileNamed()
	m, ok := officeFile.match(path)
	if !ok || u.offers(readDocument) || !readsOffice.has(u.core) || notReading.has(u.core) {
		return nil
	}
	return saying{notYetPaper.In(u.Lang, baseName(m["stem"]))}
}

var (
	// saysNo begins what is no order.
	saysNo = newPattern(`^(?:(?:no|please|well|oh|hey|ok)[, ]+)*(?:don't (?:\w+ )?(?:send|mail|delete|remind|post|e-?mail|write|call)|do not|never|if i (?:asked|told|were|was)|不要|别|ne(?:posílej|maž|dělej|piš|připomínej))(?:\b|$)`)
	// asksHow asks how something is done, or what is thought of it: that is for talk.
	asksHow = newPattern(`^(?:how (?:do|does|did|can|could|would|should|to) |why |is it (?:rude|ok|okay|bad|wrong|safe|polite|normal|legal|better|worth) |explain |describe |define |tell me about the |(?:e-?mail|mail|write to|text|call|phone) me (?:at|on|under) |what (?:causes|makes|drives|influences) |what(?:'s| is| are) (?:an? |the (?:best|difference|history|meaning|point|purpose|origin))|who (?:invented|made|wrote|created) |write (?:me )?(?:a|an|some|the) |imagine |translate |怎么|如何|为什么|写一|jak (?:se|můžu|mám|lze|napsat|psát) |proč |napiš (?:mi )?(?:báseň|básničku|povídku|příběh|vtip))`)
	anyURL  = newPattern(`(?:^|[\s(<"'，。：“])(?:https?://|ftp://|www\.)\S`)
	// officeFile is a document that is no plain text.
	officeFile = newPattern(`^(?P<stem>.*)\.(?:pdf|docx?|odt|pptx?|odp|xlsx?|ods|epub|rtf)$`)
	// readsOffice wants to know what a document says.
	readsOffice = newPattern(`^(?:read|show|summari[sz]e|sum up|open|view|display|print|cat|extract|quote|what|when|who|whom|how much|how many|which|does|is|are|do|did|can|tell|give|get|translate|explain|according|in|from|look|check|i|go through|skim)(?: |')|[?？]|读|看|总结|摘要|概括|写了|里|说|内容|^(?:přečti|shrň|ukaž|otevři|co|kdy|kdo|kolik|jak\pL*|vypiš|řekni|podle) `)
	// notReading wants something else of it.
	notReading = newPattern(`^(?:where|find|locate|look for|search for|delete|remove|rename|move|copy|how (?:big|large|old)|when (?:was|did) .* (?:changed?|modified|created)|is there|do i have|open .* (?:with|using) |kde |najdi |smaž|přejmenuj|přesuň)|在哪|删除|重命名|移动|有没有`)
)

// order begins a request that something is done, and ask a question about what is.
const (
	order = `^(?:send|shoot|drop|fire off|forward|reply to|answer|write|compose|e-?mail|mail|message|text|let) `
	ask   = `^(?:check|read|show|open|see|list|look|any|do|have|has|did|is|are|what|what's|whats|which|who's|who (?:wrote|e-?mailed|mailed)|summari[sz]e|get|fetch|how many|search|find|go through|anything|tell|give) ?`
	// spell is how often, or when, something is to be done.
	spell = `(?:every|each) (?:single |other )?(?:day|morning|evening|night|week|weekday|weekend|month|year|hour|minute|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d+ (?:minutes?|hours?|days?|weeks?))s?(?: (?:morning|evening|afternoon|night|noon))?`
	deeds = `(?:do|make|start|keep|let me know|water|take|pay|remind|tell|wake|send|run|check|show|give|summari[sz]e|read|write|list|report|ping|notify|alert|back up|post|call|delete|clean|search|look)`
)

// wishes are the wishes by tool. The first that fits is meant, so narrow ones come first.
func wishes() []wish {
	return []wish{
		{"read_feed", notYetFeed, newPatterns(
			`(?:https?://|www\.)\S*(?:rss|atom|feed)`, ask+`.*\b(?:rss|atom|news) ?feeds?\b`, ask+`.*\b(?:feeds?|headlines)$`, ask+`.*\b(?:feed|rss|headlines)\b.*(?:https?://|www\.|from|of|today)`,
			`^(?:subscribe to|follow) .*\b(?:feed|rss|blog)\b`, `RSS|订阅源|(?:读|看|查看|打开).{0,8}订阅`, `(?:^| )rss(?: |$)|(?:přečti|ukaž|co je nového).*kanál`)},
		{"http_request", notYetHTTP, newPatterns(
			`^(?:send|make|do|issue|perform|fire|submit|post|put|patch|delete|head|call|hit|invoke)\b.*(?:https?://|www\.)`, `^(?:send|make|do|issue|perform|post|put|patch)\b.*\b(?:http|get|post|put|patch|delete|api|web) (?:request|call)s?\b`,
			`^(?:get|fetch|request) https?://.* (?:header|body|payload|json|query)`, `(?:发送?|提交|发起).{0,10}(?:请求|POST|PUT|GET|DELETE)`, `(?:pošli|odešli|proveď|udělej).*(?:požadavek|post|put|patch|delete|https?://)`)},
		{"fetch_url", notYetWeb, slices.Concat(webPatterns, newPatterns(
			`^(?:https?://|www\.)\S+$`, `^(?:what|whats|who|when|where|which|how|does|do|is|are|can|could|read|show|open|visit|get|fetch|load|grab|pull|download|check|look|have a look|take a look|see|go|browse|summari[sz]e|sum up|tell|give|find|list|extract|translate|i|please)\b.*(?:https?://|www\.)`,
			`(?:打开|访问|浏览|下载|看|读|总结|抓取|获取|查看).*(?:https?://|www\.)|(?:https?://|www\.).*(?:说|写|什么|内容|总结|看)`, `^(?:co|otevři|přečti|načti|stáhni|ukaž|shrň|podívej|zjisti|jak\pL*|kdo)\b.*(?:https?://|www\.)`))},
		{"notion_*", notYetNotion, newPatterns(
			`\b(?:my|our|in|to|into|from|on|with|using|via|the) notion(?: (?:page|pages|database|workspace|board|notes?|table|list|account|app|inbox))?(?:$|[ ,.?:]+(?:and|with|under|for|saying|about|to|that|which|called|named|please|page|pages|database|workspace|:)|[,.?:])`, `\b(?:my|our|in|to|into|from|on|using|via) notion(?:$| (?:[^ot]|o[^f]|t[^h]))`, `\bnotion (?:pages?|databases?|workspace|boards?|tables?|notes?)\b`, `^(?:search|open|check|update|ask|query) notion\b`, `notion\s*\p{Han}|\p{Han}\s*notion`, `(?:do|v|ve|z|na) notion(?:u|em)?(?: |$)`)},
		{"recall", notYetMemory, newPatterns(
			`^(?:what|when|where|who|which|how \w+|whose)\b.*\b(?:did|have|had) i (?:ever |once |just |already )?(?:say|said|tell|told|mention|mentioned)\b`, `^(?:what|when|where|who|which)\b.*\bi (?:told|mentioned to|said to) you\b`, `^what do you (?:still )?(?:know|remember|recall)(?: \w+)? (?:about|of) (?:me|my|our|us|what i)\b`,
			`^(?:do|can|did) you (?:still )?(?:remember|recall)\b.*\b(?:my|me|i (?:told|said|mentioned|gave|live|like|work|am|was|want|prefer|parked|put|left|love|hate))\b`, `^(?:remind|tell) me (?:again )?(?:what|where|when|who|which|how) (?:i|my|we|our|you)\b.*\b(?:told|said|mentioned|remember|favou?rite|again)\b`, `^remind me (?:what|where|who|which|how)\b`, `^(?:recall|bring back) (?:what|where|when|my|the)\b`, `^(?:what(?:'s| is| was)|who(?:'s| is| was)|when(?:'s| is| was)|where(?:'s| is| was)) (?:my|our|the) .+ (?:again|i (?:told|mentioned|gave|said).*)$`, `^(?:have|did) i (?:ever )?(?:tell|told|mention|mentioned)\b`, `^(?:search|look|check)(?: through| in| into| up)? (?:your|the) memory\b`, `^(?:is there|do you have) anything (?:in your memory|you remember)`,
			`我(?:之前|上次|以前|曾经)?(?:说过|告诉过?你|跟你说过?|提到过|讲过).*(?:什么|哪|吗|几|谁|时候)`, `你(?:还)?记得(?:我|吗)`, `关于我.*(?:知道|记得)`, `(?:^|.* )(?:co|kdy|kde|kdo|jak\pL*|kter\pL+)\b.*(?:jsem (?:ti )?(?:říkal|řekl|zmínil|zmiňoval|povídal)|ti říkal|jsem ti)`, `^(?:pamatuješ|vzpomínáš) `, `^co (?:o mně )?(?:víš|si pamatuješ)(?: o .+)?$`)},
		{"schedule_*", notYetSchedule, slices.Concat(remindPatterns, newPatterns(
			`(?:^|[,.;] |to |and )remind (?:me|us|my)\b`, `^(?:set|start|create|add|make|cancel|delete|stop|remove|clear|list|show|change|snooze|put|turn off|switch off|any|do i have|what|which|when(?:'s| is)|pause|move|is there|are there|how many)\b.*\b(?:alarms?|timers?|reminders?|countdown|appointments?|calendar|schedules?|scheduled)\b`, `^(?:put|add|enter|book|schedule|plan)\b.*\b(?:calendar|diary|agenda)\b`,
			`^(?:wake|ping|nudge|alert|notify|buzz) me\b`, `^let me know (?:in|at|when|on|tomorrow|tonight|every) (?:\d|an?|half|noon|the|\w+day|it)\b`, `^(?:don't let me forget|make sure i)\b`, `^schedule \S+`, `^`+spell+`(?: at [\w: ]+?)?,? `+deeds+`\b`, `^`+deeds+` .+ `+spell+`(?: at .+)?$`, `^(?:at|in|on|tomorrow|tonight|this evening|next) [^,]{0,30},? (?:remind|tell|wake|ping|notify|alert) me\b`, `^(?:tell|ping|message|notify|alert|call) me (?:in (?:\d+|an?|half an?) (?:minutes?|hours?|days?)|at \d|tomorrow|when it(?:'s| is) (?:time|\d))`, `^(?:run|send|start|do|check) .+ (?:at \d{1,2}(?::\d\d)? ?(?:am|pm)?(?: tomorrow)?|tomorrow (?:at|morning).*|tonight|daily|hourly|weekly|monthly)$`, `\bfrom now on,? (?:every|each) `,
			`提醒我|叫醒我|叫我起床|喊我起|(?:设|定|取消|关|删|查看|有哪些|有什么|哪些|我的).{0,8}(?:提醒|闹钟|定时器|计时器|日程|日历)`, `^(?:每天|每周|每月|每年|每个|每小时|每隔|每晚|每早).{2,}`, `(?:点|分钟后|小时后|明天|今晚).{0,6}(?:提醒|叫|通知)我`,
			`(?:^| )(?:připome(?:ň|ňte)|upozorni|vzbuď|probuď) (?:mi|mě|nás)`, `^(?:nastav|přidej|zruš|smaž|ukaž|vypiš|jaké|které|kolik|mám)\b.*(?:připomín\pL+|upomín\pL+|budí\pL+|časova\pL+|minutk\pL+|kalendá\pL+|schůzk\pL+)`, `^každ\pL+ (?:den|ráno|večer|týden|měsíc|hodinu|pondělí|úterý|středu|čtvrtek|pátek|sobotu|neděli).+(?:mi|pošli|řekni|zkontroluj|spusť|udělej)`))},
		{"forget", notYetMemory, newPatterns(
			`^(?:forget|erase|delete|remove|wipe|clear|drop|purge|scrub)\b.*\b(?:(?:your|long-term) memory|memories|what (?:i|you) .*(?:told|said|know|remember)\w*|you (?:know|remember|have stored|saved) about (?:me|my))\b`, `^(?:forget|unlearn) (?:that|about|my|our|what|everything|anything|all|the fact|where|who|when)\b.{3,}`, `^(?:stop remembering|no longer remember)\b`, `^(?:i want you to )?forget (?:me|us)$`,
			`^(?:忘记|忘掉|忘了)(?:我|关于|之前|刚才|所有).*`, `(?:从|把).{0,20}记忆.{0,4}(?:删|清|抹)|(?:删除|清除|清空).{0,10}(?:记忆|记住的)`, `^(?:zapomeň|zapomeňte|vymaž z paměti|smaž z paměti)(?: .+|$)`, `^(?:smaž|vymaž|odstraň) .*z (?:tvé |své )?paměti`)},
		{"remember", notYetMemory, newPatterns(
			`^(?:remember|memori[sz]e|keep in mind|bear in mind|take note|make a mental note|note|don't forget|do not forget)(?: (?:this|please|for me|for later|for next time|for the future))?(?: for later:| this:| that:| that\b| my\b| our\b| i\b| i'm\b| i've\b| we\b| for later\b| \pL+'s\b| her\b| his\b| their\b) ?.+`, `^(?:remember|memori[sz]e)(?: the| where| to| this)\b.*\b(?:is|are|was|has|at|on|under|in)\b.+`,
			`^(?:a |quick )?(?:note|memo|reminder)? ?(?:for later|to self|for the record|for future reference|for next time|for your memory)[:,-]+ ?.+`, `^(?:save|store|keep|put|add|write|commit) .+ (?:in|to|into) (?:your )?(?:long-term )?memory$`, `(?:[,;.-]|^.* and) ?(?:please )?(?:remember|memori[sz]e|keep in mind|don't forget|note)(?: (?:that|it|this))?(?: for (?:later|next time|me|the future))?$`, `^(?:just so you know|fyi|for your information)[:,] .+`, `^(?:you should|i want you to) (?:know|remember) .+`,
			`^(?:记住|记得|牢记|帮我记|记一下我)[^?？吗]+$`, `^(?:zapamatuj|pamatuj|zapamatujte) (?:si|že|,).+`, `^(?:ulož|zapiš) si do paměti.+`)},
		{"search_documents", notYetDocuments, newPatterns(
			`\b(?:indexed|ingested|saved|stored|uploaded|imported|collected|archived) (?:documents?|papers?|pdfs?|articles?)\b`, `\bdocuments (?:that |which )?(?:i|we) (?:saved|stored|uploaded|indexed|added|gave you|imported|fed you)\b`, `^(?:search|look|check|ask|query|consult|go|dig|find|see)(?: (?:through|in|into|all|of|up|over|inside|something))*(?: (?:my|our|the|these))? (?:documents|library|papers) (?:for|about|to find|what|where|when|who|whether|if|on)\b`, `^(?:from|in|according to|based on) my (?:documents|papers|library)\b`, `\b(?:knowledge base|document (?:index|collection|library|archive|store))\b`, `^(?:search|look|go|check|ask|query|consult)(?: through| in| into| up| over)?(?: all)?(?: of)? my (?:documents|papers|library)(?:[:,]|,? (?:and tell|to see|to find|what|which|whether|when|who|how)\b)`, `^(?:what|when|who|where|how|which)\b.*\b(?:according to|do|in) my (?:documents|papers|library)(?: say)?\b`,
			`知识库|文档库|(?:索引|收藏|保存|导入)(?:过|好)?的文档`, `(?:v|ve|podle) (?:mých |indexovaných |uložených )+dokument\pL+`, `znalostní báz\pL+`)},
		{"weather", notYetWeather, slices.Concat(weatherPatterns, newPatterns(
			`^(?:what|what's|whats|how|how's|hows|will|is|does|should|do|show|give|tell|check|any|get|i)\b.*\b(?:weather|forecast)\b`, `^(?:weather|forecast)\b`, `^(?:will|is|does|do|are)\b.*\b(?:rain\w*|snow\w*|storm\w*|sunny|cloudy|windy|freez\w+|thunder\w*)\b.*\b(?:today|tomorrow|tonight|now|outside|weekend|week|later|\w+day|in)\b`, `^(?:will|should|do|is)\b.*\b(?:umbrella|raincoat|sunscreen)\b`, `^how (?:hot|cold|warm|windy|rainy) (?:is it|will it|was it|does it)\b.*`, `^what(?:'s| is| will be)?(?: the)? temperature\b.*\b(?:in|outside|today|tomorrow)\b`,
			`天气|天氣|气温|下雨|下雪|带伞|多少度`, `(?:^| )(?:počasí|počasi|pršet|sněžit|deštník|předpověď)(?: |$)`, `kolik (?:je|bude).*(?:stupňů|venku)`))},
		{"stock", notYetStock, newPatterns(
			`\b(?:share|stock) (?:price|quote|value|prices|market)s?\b`, `^(?:how|what|show|check|give|tell|get|is|are|did)\b.*\b(?:stocks?|shares?)\b.*`, `^[\w.]{2,12} (?:stock|shares?)(?: price)?$`, `\b(?:tesla|apple|microsoft|google|nvidia|amazon|intel|netflix|bitcoin|alphabet)\b.*\b(?:doing|trading|worth|close|closed|open|opened|up|down|do today)\b.*`, `\btrading at\b|\bticker\b`, `\b(?:nasdaq|dow jones|s&p ?500|nikkei|ftse|dax)\b`, `^(?:quote|price|stock|shares?)(?: (?:of|for))? [\w.& ]{1,20}(?: (?:stock|shares?))?$`, `^(?:how much|what)(?:'s| is| are| does)?(?: the)?(?: current| latest| price of| a| one)* (?:bitcoin|ethereum|gold|silver|crude oil|oil)\b`, `^(?:what(?:'s| is)|show|check)(?: me)?(?: the)? (?:exchange rate|dollar|euro)\b.*`,
			`股价|股票|股市|大盘|汇率|比特币`, `(?:cena|ceny|kurz|hodnota|stojí|stojím|jak).*(?:akci[eí]|akcie)|(?:^| )burz\pL+|kurz (?:eura|dolaru|koruny)`)},
		{"read_email", notYetMail, newPatterns(
			ask+`.*\b(?:inbox|e-?mails?|mailbox|unread (?:mails?|messages?))\b`, ask+`.*\b(?:my|new|unread|any|latest|last|recent|today's) (?:\w+ )?(?:mails?|messages|post)\b`, `^(?:any|anything) (?:new )?(?:e-?mails?|mails?|in my inbox)\b`, `^(?:did|has) (?:anyone|anybody|someone|[A-Z]\pL+|my \pL+)\b.*\b(?:e-?mail\w*|mail(?:ed)?|written to me|write to me|write back|replied|answer(?:ed)? my|message me)\b`,
			`(?:查看|看看|看一下|读|检查|有没有|有|收|打开).{0,8}(?:邮件|邮箱|收件箱|短信)`, `(?:mám|přečti|zkontroluj|ukaž|přišl\pL|otevři|kolik|je|jsou).*(?:e-?mail\pL*|mail\pL*|poštu|pošta|pošty|schránk\pL+)`)},
		{"send_email", notYetMail, slices.Concat(mailPatterns, newPatterns(
			`^(?:send|shoot|drop|fire off|forward|reply to|answer)\b.*\b(?:e-?mail|mail|message|sms|note to \w+@)\b`, `^(?:write|send|drop|shoot) (?:to )?[\w']+(?: \w+)? an? (?:quick |short )?(?:e-?mail|mail)\b`, order+`.*\S+@\S+\.\w+`, `^(?:e-?mail|mail) (?:my |the )?[\w'-]+(?: [\w'-]+)?(?:,|:| (?:and|that|about|to|with|the|a|my|saying|asking|for|at|if|whether|back)\b)`, `^(?:i want to|i need to|i'd like to) (?:send|forward) .*\b(?:e-?mail|mail)\b`,
			`(?:发|寄|回复|转发).{0,14}(?:邮件|电邮|邮箱|短信)`, `给.+发.{0,8}(?:邮件|信|消息)`, `发(?:给|送|到)\s*\S+@\S+`, `(?:pošli|odešli|přepošli|odpověz|napiš).*(?:e-?mail\pL*|mail\pL*|\S+@\S+)`))},
	}
}
