package intent

// Requests as people put them who think that loci does what it does not do yet.
var (
	// webPatterns ask for what is on the internet.
	webPatterns = newPatterns(
		`^(?:open|visit|browse|go to|load|fetch|download|read|show|get|check|look at|summari[sz]e|what(?:'s| is) on)(?: me)?(?: the)?(?: web ?page| web ?site| page| site| url| link)? (?:https?://\S+|www\.\S+|[\w-]+\.(?:com|org|net|io|edu|gov|info|cz|cn)(?:/\S*)?)$`, `^(?:https?://|www\.)\S+$`,
		`^(?:search|look|google|browse|find)(?: .+)? (?:on |in |up on )?(?:the )?(?:web|internet|online|google|wikipedia|bing)(?: for .+)?$`, `^google .+$`, `^(?:open|go to|browse) (?:the )?(?:internet|web|google|youtube|facebook|wikipedia)$`,
		`^(?:are you|can you (?:go|get|connect)|do you have)(?: connected)?(?: to| access to)?(?: the)? (?:internet|online|internet access)$`, `^(?:download|install) .+$`,
		`^(?:打开|访问|浏览|下载)\s*(?:https?://|www\.|网页|网站|百度|谷歌).*$`, `^(?:上网|在网上|在互联网上|百度|谷歌)(?:搜索|查|搜|一下).*$`,
		`^(?:otevři|stáhni|načti|navštiv|najdi na internetu|vyhledej na internetu|vygoogli)(?: .*)?(?:https?://\S*|www\.\S+|stránk\pL+|web\pL*|internet\pL*)(?: .*)?$`, `^(?:vygoogli|najdi na internetu|vyhledej na internetu) .+$`)
	// weatherPatterns ask for the weather.
	weatherPatterns = newPatterns(
		`^(?:what(?:'s| is| will| was)?|how(?:'s| is| will)?|show|give|check|tell)(?: me)?(?: about)?(?: be)?(?: the| today's| tomorrow's)* (?:weather|forecast|weather forecast)(?: report)?(?: (?:be|like|look|looking))*(?: (?:today|tomorrow|now|outside|here|this week|this weekend|tonight|(?:in|for|on) .+))*$`, `^(?:weather|forecast|weather forecast)(?: (?:today|tomorrow|in .+|for .+))?$`,
		`^(?:will|is|does|did) it (?:going to )?(?:be )?(?:rain|raining|snow|snowing|sunny|cold|hot|warm|windy|cloudy|freeze|freezing|stormy)(?: (?:today|tomorrow|now|outside|here|tonight|later|this week|this weekend|on .+|in .+))*$`, `^(?:do i need|should i (?:take|bring)) (?:an |my )?(?:umbrella|coat|jacket)(?: .*)?$`, `^(?:what(?:'s| is) the temperature|how (?:hot|cold|warm) is it)(?: (?:outside|today|now|here|in .+))*$`,
		`^.{0,8}(?:天气|天氣)(?:预报)?(?:怎么样|如何|好吗|怎样|是什么|预报)?$`, `^.{0,6}(?:会|要)?下(?:雨|雪).{0,3}$`,
		`^(?:jaké|jak|co)(?: dnes| zítra| bude| je| bude dnes| bude zítra)* počasí(?: dnes| zítra| venku| v .+)*$`, `^(?:bude|prší|sněží)(?: dnes| zítra| venku)*(?: pršet| sněžit| hezky| zima| teplo)?(?: dnes| zítra| venku)*$`, `^(?:předpověď )?počas\pL+(?: na .+)?$`)
	// mailPatterns ask for mail and messages.
	mailPatterns = newPatterns(
		`^(?:send|forward|reply to|answer|check|read|show|open|delete)(?: me| him| her| them)?(?: my| an| a| the| new| any| unread| all)* (?:e-?mails?|mails?|inbox|sms|text messages?|messages?|whatsapp)(?: .*)?$`, `^(?:e-?mail|call|phone|text|message|ring) (?:my )?(?:mum|mom|dad|boss|wife|husband|friend|mother|father)(?: .*)?$`, `^do i have (?:any |new |unread )*(?:e-?mails?|mail|messages)$`, `^send .+ to .+$`,
		`^(?:发送?|查看|读取?|回复)(?:一封|一条|我的|新的?)*(?:邮件|电子邮件|短信|消息|微信).*$`, `^给.+(?:发|写)(?:一封|一条)?(?:邮件|短信|消息|微信).*$`, `^(?:pošli|odešli|přečti|zkontroluj|ukaž)(?: mi)?(?: .*)? ?(?:e-?mail\pL*|mail\pL*|poštu|zprávu|sms)(?: .*)?$`, `^(?:zavolej|napiš) (?:mámě|tátovi|šéfovi)$`)
	// remindPatterns ask for reminders, alarms and the calendar.
	remindPatterns = newPatterns(
		`^remind (?:me|us)(?: (?:to|about|at|in|on|of|every|that|tomorrow|later|tonight|when) .*| tomorrow| later)?$`, `^(?:set|start|create|make|add)(?: me)?(?: an| a| the| my)?(?: new)? (?:alarm|timer|reminder|countdown|event|appointment|meeting)(?: .*)?$`, `^wake me(?: up)?(?: .*)?$`, `^(?:add|put) .+ (?:to|in|on) (?:my|the) calendar$`, `^(?:what(?:'s| is)|show|check|open)(?: me)?(?: (?:on|in))?(?: my| the) (?:calendar|schedule|agenda|appointments)(?: .*)?$`,
		`^(?:请)?提醒我.*$`, `^(?:设置?|定)(?:一个|个)?.{0,8}(?:闹钟|提醒|定时器|日程).*$`, `^.{0,6}叫醒我.*$`, `^(?:připomeň|vzbuď|probuď) (?:mi|mě)(?:,? .*)?$`, `^(?:nastav|přidej)(?: mi)? (?:budík|připomínku|časovač|schůzku|událost)(?: .*)?$`)
)
