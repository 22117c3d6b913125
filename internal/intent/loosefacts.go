package intent

import (
	"fmt"
	"strings"
)

// Facts about this machine and the time, asked for in any words: what is asked about,
// and that it is of here and now, is enough. These rules come after the strict ones.

// machineTopics are the parts of the machine by the words that only they are asked with.
var machineTopics = []wordedPart{
	{newPattern(`\b(?:version|name|kind|type|release) of (?:the |my |this )*(?:operating system|os|kernel|linux|windows|machine|computer)\b`), "os"},
	{newPattern(`\bhow long\b.*\b(?:up|on|running|awake)\b|\b(?:uptime|last (?:re)?boot(?:ed)?|rebooted|been (?:on|up))\b|jak dlouho.*(?:běží|zapnut)|开机|运行了多久`), "uptime"},
	{newPattern(`\b(?:how much|free|left|enough|installed|available|used|usage|total|amount of|gigs? of|gb of)\b.*\b(?:ram|memory)\b|\b(?:ram|memory)\b.*\b(?:free|left|installed|available|used|usage|total|in use|have|got)\b|\bram\b|内存|pamět\pL*|operační paměť|ramk\pL+`), "memory"},
	{newPattern(`\b(?:disk|drive|ssd|hdd|storage|hard disk)\b|\b(?:free|enough|much|available|remaining|little) (?:\pL+ )?(?:space|room)\b|\b(?:space|room) (?:\pL+ )?(?:left|free|available|remaining)\b|硬盘|磁盘|存储|disk\pL*|míst[ao]`), "disk"},
	{newPattern(`\b(?:cpu|processor|cores?|chip)\b|处理器|cpu|核心|procesor\pL*|jader`), "cpu"},
	{newPattern(`\b(?:ip|mac) ?(?:address(?:es)?)?\b|\bnetwork (?:interfaces?|adapters?|cards?|info\w*|address)\b|\bwi-?fi\b|ip\s*地址|网络|ip adres\pL*`), "network"},
	{newPattern(`\b(?:operating system|os|kernel|distro|distribution|hostname|host name|computer name|linux|ubuntu|windows|macos)\b|\bname of (?:this|my|the) (?:machine|computer|laptop|pc)\b|\b(?:machine|computer|laptop|pc)(?:'s)? (?:called|name|named)\b|操作系统|系统版本|主机名|operační\pL* systém\pL*|verz\pL+ systému`), "os"},
}

var (
	asksMachine = newPattern(`^(?:what|which|what's|whats|how|is|do|does|am|are|have|has|show|tell|give|check|get|find out|name|version|my|free|available|current|who|can|any|list|i need|i want|let me|report|see|print|display|info|the|kolik|jak\pL*|je|mám|má|ukaž|zjisti|vypiš|zbývá)(?: |$)|多少|什么|哪|几|多大|够|查看|显示|看|怎么样|满|剩`)
	ofHere      = newPattern(`\b(?:i|i've|my|me|this|here|we|our|left|free|installed|running|machine|computer|laptop|pc|server|box|mine|remaining|available|you)\b|我|这台|本机|电脑|系统|还|mám|můj|moje|tent?o|počítač\pL*|tady|tu|zbývá|voln\pL+|tenhle|mi `)
	// notMachine are questions of knowledge, and of people.
	notMachine   = newPattern(`^(?:how (?:can|could|do|should|would|does|did|to)|why|explain|what (?:is|are) (?:an?|the (?:best|difference|meaning|point|purpose|use|role))|what's (?:an?|the (?:best|difference|meaning))|should i|who (?:invented|made|created)|what (?:does|do) (?:an?|the|this) \pL+ (?:do|mean)|which is|is (?:it|there a difference))\b|\b(?:buy|recommend|better|best|worth|upgrade|improve|install\b(?: it)?$|history|invented|poem|story|joke|learn|remember\w*|childhood|dream|book|parking|fridge|house|car|garage|universe|galaxy|human|brain)\b|怎么办|买|为什么|区别|koupit|lepší|proč`)
	wholeMachine = newPatterns(`^(?:show|tell|give|what are|what's|get|list|describe|print|display|info|information|details?|specs?|what kind of|what sort of|summari[sz]e|everything)\b.*\b(?:specs?|specifications?|hardware|system info\w*|(?:computer|machine|laptop|system|pc|server|box)(?: (?:is this|am i (?:on|using)|info\w*|details|specs?|do i have))?)(?: (?:i have|for me|of this \w+))?$`,
		`^(?:请)?(?:查看|显示|看看|告诉我)?(?:这台|我的|本机|一下|当前)*(?:`+computerZH+`|设备|本机)的?(?:系统|硬件|基本)?(?:信息|配置|参数|状态|详情)(?:是什么|如何|怎么样)?$`, `^(?:ukaž|vypiš|zjisti|řekni)?(?: mi)? ?(?:informace|údaje|parametry) o (?:tomto |mém |tomhle )?(?:systému|počítači|stroji|notebooku)$`, `^(?:jaký|co) (?:to )?(?:mám|je)(?: tu| to)? (?:za )?počítač$`)
	runsHere = newPattern(`^(?:is|are|check (?:if|whether)|see (?:if|whether)|can you (?:see|check) (?:if|whether)|do you see)(?: the)? (?P<name>[\w.+-]{2,40})(?: (?:is|still|currently|already|process|app|program|actually|even))* (?:running|open|active|up|alive|started|on)(?: (?:now|here|right now|in the background|at all))*$|^(?:běží|je spuštěn\pL*|neběží)(?: mi| tu| teď| ještě| náhodou)*(?: program| proces)? (?P<name>[\w.+-]{2,40})$|^(?P<name>[\w.+-]{2,40})\s*(?:还|正|现在)?(?:在|正在)?(?:运行|开着)(?:吗|着|中)?$|^(?:检查|看看|查一下)\s*(?P<name>[\w.+-]{2,40})\s*(?:是不是|是否|有没有)(?:在|正在)?运行$`)
	topTasks = newPattern(`^(?:(?:the|show|list|give|get|what are|what's|me|which are|see|print|display|my|all|currently|current|running|active|busiest|heaviest|biggest|most) ?)*(?:top )?(?P<count>\d{1,2}|ten|five)? ?(?:(?:currently|current|running|active|busiest|heaviest|biggest|most|hungriest|hungry|cpu|memory|ram|power) ?)*(?:process(?:es)?|tasks|programs)(?: (?:running|list|table|that|which|are|by|sorted|using|use|with|for|ordered|the|most|highest|on|cpu|memory|ram|processor|usage|load|consumption|this|my|machine|computer|right|now|here|are|open|active))*$`)
	hogList  = newPattern(`^(?:(?:the|what are|show|list|me|find|top|biggest|worst|my) ?)*(?:memory|ram|cpu|processor|resource) (?:hogs?|eaters?|users?|consumers?)$|^(?:列出|显示|查看)?(?:正在|在)运行的?(?:进程|程序)(?:有哪些)?$|^(?:are|is)(?: there)? any (?P<name>[\w.+-]+) (?:process(?:es)?|programs?)(?: running| open)?$|^(?:is|are) there (?:a |any )?(?:process(?:es)?|programs?) (?:called|named) (?P<name>[\w.+-]+)(?: running)?$`)
	hogs     = newPattern(`^(?:what|which|who|what's|whats|show|list|is (?:there )?(?:something|anything)|any|find|tell|see|why|check|co|kter\pL+|jak\pL*)\b.*(?:\b(?:hog\w*|eat\w*|using|uses?|consum\w*|tak(?:e|es|ing) up|slow\w*|drain\w*|busy|heav\w+|lag\w*|occupy\w*|load\w*|chew\w*|gobbl\w*|burn\w*|running|open)\b|vytěž\pL+|zatěž\pL+|žere|žerou|zpomal\pL+|běží)`)
	hogged   = newPattern(`\b(?:cpu|processor|memory|ram|computer|machine|laptop|pc|it|resources|battery|fan|system|background|this|programs?|apps?|process(?:es)?|tasks?)\b|procesor|paměť|počítač|program`)
	byMemory = newPattern(`\b(?:memory|ram)\b|内存|pamě`)
)

// looseFacts are rules for the machine, what runs on it, and the time.
func looseFacts() []rule {
	anything := newPatterns(`^.`)
	return []rule{
		{wholeMachine, func(u *utterance, _ captures) goal {
			if u.fileNamed() != "" || notMachine.has(u.core) {
				return nil
			}
			return oneCall{tool: systemInfo}
		}},
		{[]pattern{runsHere}, func(_ *utterance, m captures) goal {
			if noProgram.has(m["name"]) || hogged.has(m["name"]) {
				return nil
			}
			return oneCall{tool: listProcesses, args: arguments{"name": strings.ToLower(m["name"])}}
		}},
		{[]pattern{hogList}, func(u *utterance, m captures) goal {
			args := arguments{"name": m["name"]}
			if byMemory.has(u.core) {
				args["sort"] = "memory"
			}
			return oneCall{tool: listProcesses, args: args}
		}},
		{[]pattern{topTasks}, func(u *utterance, m captures) goal {
			args := arguments{}
			if n := smallNumbers.or(m["count"], 0); n > 0 {
				args["limit"] = n
			}
			if byMemory.has(u.core) {
				args["sort"] = "memory"
			}
			return oneCall{tool: listProcesses, args: args}
		}},
		{[]pattern{hogs}, func(u *utterance, _ captures) goal {
			if !hogged.has(u.core) || notMachine.has(u.core) || u.fileNamed() != "" || saysFile.has(u.core) || noHog.has(u.core) {
				return nil
			}
			args := arguments{}
			if byMemory.has(u.core) {
				args["sort"] = "memory"
			}
			return oneCall{tool: listProcesses, args: args}
		}},
		{anything, func(u *utterance, _ captures) goal {
			if !asksMachine.has(u.core) || !ofHere.has(u.core) || notMachine.has(u.core) || u.path() != "" || saysFile.has(u.core) || saysFolder.has(u.core) || len(u.core) > 90 {
				return nil
			}
			for _, t := range machineTopics {
				if t.pattern.has(u.core) {
					return oneCall{tool: systemInfo, args: arguments{"part": t.part}}
				}
			}
			return nil
		}},
		{newPatterns(`^(?:what|which)(?:'s| is)?(?: the| my)? ?time ?zone(?: (?:is|am|are|do|does|this|my|the|it|i|we|computer|machine|in|here|have|use|set to|on))*$`), func(*utterance, captures) goal {
			return oneCall{tool: currentTime, args: arguments{"part": "zone"}}
		}},
		{newPatterns(`^(?:(?:what(?:'s| is)|tell me|give me) )?(?:the )?(?:number of (?:the|this) (?:current )?(?:calendar )?week|(?:current|this) (?:calendar )?week(?:'s)? number)(?: (?:now|today|please))*$`, `^(?:(?:what|which)(?:'s| is)?(?: the)?(?: current)? )?(?:calendar |iso )?week(?: number| of the year)?(?: (?:is it|is this|are we in|now|today))*$`), func(*utterance, captures) goal {
			return oneCall{tool: currentTime, args: arguments{"part": "week"}}
		}},
		{newPatterns(`^(?:(?:what|give|tell|show)(?:'s| is| me)?(?: the)? )?(?:the )?(?:current )?(?:time and date|date and time)(?: (?:is it|now|right now|today|please))*$`), func(*utterance, captures) goal {
			return oneCall{tool: currentTime}
		}},
		{newPatterns(
			`^(?:what|what's|whats|tell me|give me|show me|current|got|do you (?:have|know)|have you got|have you|know|and|say|which|how|the|exact|local|check)(?: (?:is|the|a|me|us|it|what|exact|current|local|would|right|be|does|you|got|on))* (?:time|clock|hour)(?: (?:is|it|be|would|that|there|right|now|over|currently|at the moment|today|say|says|saying|showing|zone|like|have|do you|we))*(?: (?:in|for|over in|at|there in)(?: the)? (?P<zone>[\pL .]{2,30}?))?(?: (?:right|now|currently|at the moment|today|saying|showing|say|be|is it|it is|these days))*$`,
			`^(?P<zone>\pL{3,20}(?: \pL{3,20})?) time(?: (?:now|right now))?$`, `^(?:time|clock)(?: now| right now)? (?:in|for) (?P<zone>[\pL ]{3,30})$`, `^how late is it(?: (?:already|now|over there|there))*(?: in (?P<zone>[\pL ]{2,30}))?$`,
			`^(?P<zone>\p{Han}{2,5}?)(?:那边|当地)?(?:的)?(?:现在|当前)?(?:的)?时间(?:是)?(?:多少|几点)?$`, `^(?:jaký|kolik) (?:je |mají )?(?:teď |právě )?(?:teď )?(?:čas|hodin)(?: (?:je|mají|máme|teď))*(?: (?:v|ve|na) (?P<zone>[\pL ]{2,30}))?$`,
		), func(_ *utterance, m captures) goal {
			zone := cityZones.or(m["zone"], m["zone"])
			if aForm.has(zone) || noZone.has(zone) {
				return nil
			}
			return oneCall{tool: currentTime, args: arguments{"part": "time", "zone": zone}}
		}},
	}
}

var (
	noHog  = newPattern(`\b(?:version|operating system|os|kernel)\b|\b(?:language|country|people|person|animal|car|phone|world|company|companies|team|framework|database|website)\b|^(?:why|what) (?:do|does|did|are|would|should|makes)\b`)
	noZone = newPattern(`^(?:the|a|an|my|your|this|that|his|her|good|some|any|more|best|last|first|next|what|long|short|free|spare|real|all|no|every|one|once|full|part|over|half|lunch|dinner|bed|party|tea|life|work|story|great|big|hard|old|show|run|space)(?: |$)|(?:^| )(?:world|job|meeting|train|game|history|music|book|movie)(?:$| )`)
)

// pricedItems, savings and shares are sums that are told and not written.
var (
	pricedItem = newPattern(`\b(?P<n>\d+(?:\.\d+)?) [\pL ]{2,30}? (?:at|for|@|costing|worth|that cost|which cost|priced at|with)(?: (?:a price of|about))? [$€£]?(?P<price>\d+(?:\.\d+)?)(?: ?(?:euros?|dollars?|pounds?|crowns?|eur|usd|czk|bucks|[$€£]))? (?:each|apiece|a piece|per piece|per \pL+|every one|for each)`)
	singleItem = newPattern(`\b(?:a|an|one|another|plus) [\pL ]{2,30}? (?:for|at|costing|worth|that costs?|priced at) [$€£]?(?P<price>\d+(?:\.\d+)?)`)
	asksTotal  = newPattern(`\b(?:total|altogether|in all|how much|sum|pay|cost|spend|spent|owe|price|bill|come to|comes to|add up|what do i)\b|\?`)
	perPeriod  = newPattern(`\b(?P<n>\d+(?:[.,]\d+)?) ?(?:euros?|dollars?|pounds?|crowns?|eur|usd|czk|bucks|km|kilomet\w+|miles|pages|steps|cups?|litres?|liters?|hours|minutes|[$€£])?(?: of [\pL ]+?| [\pL]+)?,? (?:a|an|per|each|every) (?P<per>day|week|month|year|hour)\b.*?\b(?:in|over|for|after|during|within|across|throughout|makes?|is|per|a) (?P<m>\d+(?:\.\d+)?|an?|one|two|three|four|five|six|seven|ten|half a) (?P<unit>day|week|month|year|hour|decade)s?\b`)
	addsRate   = newPattern(`(?P<a>\d[\d.,]*) ?(?:euros?|dollars?|[$€£])? ?(?:plus|with|and|\+|including|incl\.?|increased by|raised by|up)(?: (?:a|an|another))? (?P<r>\d+(?:[.,]\d+)?) ?(?:%|percent|per cent)(?: (?:of )?(?:vat|tax|tip|service|interest|sales tax|gst|markup|raise|increase|more|on top|fee|surcharge))?`)
	takesRate  = newPattern(`(?P<a>\d[\d.,]*) ?(?:euros?|dollars?|[$€£])? ?(?:minus|less|-|with|reduced by|discounted by|decreased by|after|at)(?: (?:a|an))? (?P<r>\d+(?:[.,]\d+)?) ?(?:%|percent|per cent)(?: (?:discount|off|reduction|rebate|less))?`)
	rateOf     = newPattern(`(?P<r>\d+(?:[.,]\d+)?) ?(?:%|percent|per cent) (?:tip|vat|tax|discount|interest|commission|fee|deposit|share|cut|sales tax)(?: (?:on|of|for|from))(?: (?:a|the|my))?(?: \pL+ of)? [$€£]?(?P<a>\d[\d.,]*)`)
	sharedBy   = newPattern(`^(?:split|divide|share|distribute|how much is|what(?:'s| is)|if (?:we|i) (?:split|divide|share))?(?: ?(?:a|the|our|my|up|this))*(?: ?(?:bill|total|sum|amount|check|cost|rent|cheque|dinner)(?: of)?)? ?[$€£]?(?P<a>\d[\d.,]*)(?: ?(?:euros?|dollars?|pounds?|crowns?|bucks|[$€£]))?(?: (?:split|divided|shared|evenly|equally|up))* (?:between|among|amongst|by|across|with|for|into|over|in) (?P<n>\d+|two|three|four|five|six|seven|ten)(?: (?:people|persons|friends|ways?|of us|parts|kids|children|guests|colleagues|equal parts|person|pieces))*(?:,? (?:how much|what) .*)?$`)
	bigPeriods = map[string]float64{"hour": 1, "day": 24, "week": 24 * 7, "month": 24 * 365.0 / 12, "year": 24 * 365, "decade": 24 * 3650}
)

// toldSums are rules for sums in a story. They need no question word where the form
// leaves no doubt.
func toldSums() []rule {
	number := func(s string) string { return strings.TrimRight(strings.ReplaceAll(s, ",", ""), ".") }
	sum := func(form string, args ...any) goal {
		return oneCall{tool: calculate, args: arguments{"expression": fmt.Sprintf(form, args...)}}
	}
	with := func(p pattern, asked bool, make func(m captures) goal) rule {
		return rule{[]pattern{p}, func(u *utterance, m captures) goal {
			if asked && !asksTotal.has(u.core+strings.TrimSpace(u.Text)) || u.fileNamed() != "" {
				return nil
			}
			return make(m)
		}}
	}
	return []rule{
		{[]pattern{pricedItem}, func(u *utterance, _ captures) goal { return u.shoppingSum() }},
		with(rateOf, false, func(m captures) goal { return sum("%s * %s / 100", number(m["a"]), number(m["r"])) }),
		with(sharedBy, false, func(m captures) goal {
			return sum("%s / %d", number(m["a"]), max(1, smallNumbers.or(m["n"], atoi(m["n"]))))
		}),
		with(addsRate, true, func(m captures) goal { return sum("%s * (1 + %s / 100)", number(m["a"]), number(m["r"])) }),
		with(takesRate, true, func(m captures) goal { return sum("%s * (1 - %s / 100)", number(m["a"]), number(m["r"])) }),
		with(perPeriod, true, func(m captures) goal {
			count := fmt.Sprint(smallNumbers.or(strings.ReplaceAll(m["m"], "an", "a"), atoi(m["m"])))
			if m["m"] == "half a" {
				count = "0.5"
			}
			return sum("%s * %s * %s", number(m["n"]), count, periodsIn(m["per"], m["unit"]))
		}),
	}
}

// shoppingSum adds up what some things cost.
func (u *utterance) shoppingSum() goal {
	if !asksTotal.has(u.core+strings.TrimSpace(u.Text)) || u.fileNamed() != "" {
		return nil
	}
	var parts []string
	rest := u.core
	for _, m := range pricedItem.compiled().FindAllStringSubmatch(u.core, -1) {
		parts = append(parts, m[1]+" * "+m[2])
		rest = strings.Replace(rest, m[0], " ", 1)
	}
	for _, m := range singleItem.compiled().FindAllStringSubmatch(rest, -1) {
		parts = append(parts, m[1])
	}
	return oneCall{tool: calculate, args: arguments{"expression": strings.Join(parts, " + ")}}
}

// periodsIn is how many of one period another has, as a calendar counts them.
func periodsIn(per, unit string) string {
	switch per + " " + unit {
	case "month year":
		return "12"
	case "week year":
		return "52"
	case "month decade":
		return "120"
	}
	return fmt.Sprintf("%g", bigPeriods[unit]/bigPeriods[per])
}
