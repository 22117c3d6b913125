package intent

import (
	"strings"
)

// Searches as people put them when they do not think of files named so and so: what
// they want, in any order, and where. Each rule reads one part that narrows a search,
// such as a kind, a text or a time; what leads to it is the same for all.

const (
	seekLead   = `^(?:(?:i(?:'m| am) after|(?:got|have)(?: you)? any|there (?:should|must|might|has to|ought to) be|i(?:'m| am) (?:looking|searching|hunting) for|i (?:need|want)(?: to (?:find|see|have))?|i (?:can't|cannot|can not|couldn't|could not) (?:find|locate|see)|i(?:'ve| have)? (?:lost|misplaced|lost track of)|help me find|find|locate|search(?: through| for)?|look(?: for| through| up)?|seek|list|show|display|get|give|grab|fetch|which|what|what's|what are|what is|any|are there|is there|there(?:'s| is)|do (?:i|we|you) have|do you see|have (?:i|we) got|see|print|hunt down|track down|dig out|pull up|all|every|where(?:'s| is| are| can i find)|can't find|name|tell me|out of)(?: me| us)?(?: of)?(?: |$))`
	determined = `(?:(?:any|all|the|my|our|every|each|of|a|an|those|that|this|some|single|me|and|list|old|new|existing) )*`
	someFiles  = `(?:files?|documents?|docs?|notes?|texts?|things?|stuff|anything|everything|something|ones?|one|items?|scripts?|logs?|pages?)`
	somewhere  = `(?:,? (?:(?:that (?:are|is)|which are|are|were|stored|located|somewhere|anywhere|here|there|right|lying around|do i have|have i got|do we have|are there|is there|i have|exist) ?)*(?:(?:in|inside|under|within|from|across|throughout|through|on|of) (?P<where>[^,?]+?)| (?:here|around|at all))?)?`
)

// seekRules are the searches by kind, by the ending of a name, its beginning, and by
// the text in files.
func seekRules() []rule {
	return []rule{
		{newPatterns( // how many of a kind
			`^(?:how many|number of|count|the number of|what number of)(?: of)? `+determined+`(?P<kind>\.?[\w]+)(?: (?:files?|documents?|scripts?|archives?|images?|pictures?|photos?))?(?: (?:are|is|there|do|does|have|has|i|we|you|got|exist|see|lie|lying|stored|around|here))*`+somewhere+`$`,
			`^(?:我|这里|这儿|这个文件夹)?(?:里)?(?:一共|总共|共)?有(?:多少|几)(?:张|个|份|首|部|段)?(?P<kind>照片|图片|视频|音乐|歌曲|压缩包|文档|pdf|PDF)(?:文件)?$`, `^(?P<where>\S+?)\s*(?:文件夹|目录)?(?:里面|里|中|下)(?:一共|总共|共)?有(?:多少|几)(?:张|个|份|首|部|段)?(?P<kind>照片|图片|视频|音乐|歌曲|压缩包|文档)$`,
		), func(u *utterance, m captures) goal { return u.ofKind(m, true) }},
		{newPatterns( // all of a kind
			seekLead+determined+`(?P<kind>\.?[\w]+(?: code)?)(?:[- ](?:files?|documents?|scripts?|archives?|images?|pictures?|photos?|spreadsheets?|sheets?|tables?))?`+somewhere+`$`,
			`^(?:which|what)(?: of (?:my|the))? (?:folders?|director(?:y|ies)|places?) (?:holds?|ha(?:s|ve)|contains?|includes?|keeps?)(?: (?:any|some|the|my|all))* (?P<kind>\.?\w+)(?:[- ](?:files?|documents?|scripts?))?(?: in (?:it|them))?$`,
			`^(?:我|这里|这儿)?(?:有没有|有哪些|有什么|找出?|列出|显示|查找)(?:所有|全部|我)?的?\s*(?P<kind>[\w\p{Han}]+?)\s*(?:文件)?$`,
			`^(?:mám|jsou|máme|ukaž|najdi|vypiš)(?: tu| mi| nějaké| všechny| moje)* (?P<kind>\pL+)(?: soubory)?(?: (?:v|ve)(?: složce| adresáři)? (?P<where>\S+))?$`,
		), func(u *utterance, m captures) goal { return u.ofKind(m, false) }},
		{newPatterns( // by the end of the name
			`(?:`+seekLead+`|^)`+determined+`(?:`+someFiles+` )?(?:that |which )?(?:ends?|ending|finish\w*|with (?:the )?(?:file )?(?:ending|extension|suffix))(?: (?:in|with|on))? ?["'“]?\*?\.?(?P<ext>\w{1,6})["'”]?(?: files?)?`+somewhere+`$`,
			seekLead+determined+`\*\.(?P<ext>\w{1,6})(?: files?)?`+somewhere+`$`,
		), func(u *utterance, m captures) goal { return u.find(arguments{"name": "*." + m["ext"]}, m["where"]) }},
		{newPatterns( // by the name, or its beginning
			seekLead+determined+`(?:`+someFiles+` )?(?:that |which )?(?:(?:are|is) )?(?:called|named|(?:starts?|begins?|starting|beginning) with|with (?:the )?names?|whose names? (?:is|contains?|has|starts? with)|(?:has|have|with) (?:the word )?)(?: (?:the )?(?:word|letters))? ?(?P<name>"[^"]+"|'[^']+'|\S+) in (?:the|their|its) (?:file ?)?names?`+somewhere+`$`,
			seekLead+determined+`(?:`+someFiles+` )(?:that |which )?(?:has|have|having|with) (?:the )?(?:word )?(?P<name>"[^"]+"|'[^']+'|\S+) in (?:the|their|its|his) (?:file ?)?names?`+somewhere+`$`,
			`(?:`+seekLead+`|^)`+determined+`(?:`+someFiles+` )(?:that |which )?(?:(?:are|is) )?(?:called|named|(?:starts?|begins?|starting|beginning) with|with (?:the )?names?|whose names? (?:is|contains?|has|starts? with)) (?:something like )?(?P<name>"[^"]+"|'[^']+'|\S+)(?:(?: or)? (?:so|something|similar|like that|whatever))?`+somewhere+`$`,
		), func(u *utterance, m captures) goal {
			name, _ := unquote(m["name"])
			return u.find(arguments{"name": name}, m["where"])
		}},
		{newPatterns(`^(?:look|search|grep|scan|check)(?: for)?(?: the word)? (?P<text>"[^"]+"|'[^']+'|\S+) in(?: the| my)? (?P<where>[\w-]+)$`), func(u *utterance, m captures) goal {
			text, quoted := unquote(m["text"])
			if !quoted && (text != strings.ToUpper(text) || len(text) < 3) {
				return nil
			}
			return u.find(arguments{"content": text}, m["where"])
		}},
		{newPatterns( // by the text in them
			seekLead+determined+someFiles+`(?: (?:of mine|i have|here))?(?:,? (?:that|which|where|in which))?(?: (?:i|we|it|they|somebody))? ?(?:mentions?|mentioning|mentioned|contains?|containing|includ(?:es?|ing)|(?:with|has|have|having|uses?|using|where)(?: the)?(?: words?| text| phrase| string| term| name)|says?|saying|said|talks?(?: about)|talking about|wrote(?: about| down)?|refers? to|referring to|about|on the topic of|discuss(?:es|ing)?|there(?:'s| is)|has|have|with)(?: the)?(?: words?| text| phrase| string| term| name| subject)?:? (?P<text>"[^"]+"|'[^']+'|“[^”]+”|[^,]+?)(?: (?:in (?:it|them|there)|inside|somewhere|anywhere|at all|appears|occurs|is used|is mentioned))?(?: (?:in|under|inside) (?P<where>\S+|(?:the |my )?\S+ (?:folder|directory)))?$`,
			`^(?:do|does|did|is|are|has|have)(?: (?:any|one|some|a))?(?: of)?(?: (?:my|the|these|our))? ?(?:files?|documents?|notes?)(?: (?:here|there|i have))? (?:mention|contain|include|have|use|say|talk about|refer to|mentions|contains)(?:ing)?(?: (?:the|a|word|words|text|phrase|name))* (?P<text>"[^"]+"|[^,]+?)(?: (?:anywhere|somewhere|at all))?$`,
			`^(?:did|do|have) i (?:ever )?(?:write|written|note|noted|say|said|mention|mentioned|have)(?: down)? (?:anything|something|a note|notes)(?: down)? (?:about|on|of|regarding) (?P<text>.+?)(?: (?:anywhere|somewhere))?$`,
			`^(?:is|are|does)(?: (?:the|word|text|phrase|name))* (?P<text>"[^"]+"|[\w-]+)(?: (?:mentioned|used|written|found|appear|occur|come up|anywhere|somewhere|show up))+ in (?:any of |all )?(?:my|the|these) (?:files|notes|documents)$`,
			`^(?:(?:show|find|list|get|give|see|search for|look for|any|is there|are there|do i have)(?: me)?(?: any| all| every| the| a)* ?)(?:mentions?|traces?|signs?|references?|occurrences?|instances?|notes?) (?:of|to|about) (?P<text>"[^"]+"|[^,]+?) (?:in|among|across|anywhere in|within) (?:(?:any|all) of )?(?P<where>(?:my|the|these|our) (?:files|notes|documents|stuff)|[\w./~-]+|(?:the |my )?\S+ (?:folder|directory))$`,
			`^who mentions (?P<text>[\w-]+)(?: in (?:my|the) (?:files|notes|documents))?$`,
			`^(?:search|look through|go through|grep|scan|check)(?: (?:all|in|through|of|my|the|our))* (?P<where>[\w./~-]+)(?: (?:folder|directory|files))? for(?: (?:the|any|word|text|phrase|all|mentions? of|occurrences? of))* (?P<text>"[^"]+"|[^,]+?)$`,
			`^(?:where's|where is|where are|where does|find where|show me where)(?: (?:the|function|class|variable|word))* (?P<text>[\w-]+)(?: (?:is|gets))? (?:defined|used|declared|mentioned|called|implemented|imported|written|set|referenced)(?: in (?P<where>\S+))?$`,
			`^(?:look up|look for|find|search for|search)(?: (?:all|every|the|any))* (?:occurrences?|mentions?|instances?|uses?|appearances?) of(?: the word)? (?P<text>"[^"]+"|[^,]+?)(?: (?:in|under|inside|across) (?P<where>\S+|(?:the |my )?\S+ (?:folder|directory)))?$`,
			`^(?:在|从)\s*(?P<where>[\w./~-]+)\s*(?:文件夹|目录)?(?:里面|里|中|下)?(?:搜索|查找|搜|找)(?:一下)?\s*(?P<text>\S+)$`,
			`^(?:in|inside) (?:which|what)(?: of my)? (?:files?|documents?|notes?)(?: (?:do|did|have|is|are|does))?(?: (?:i|we|it|there))?(?: (?:mention|mentioned|talk about|write about|written about|wrote about|say|said|find|have|use|used|the word))* (?P<text>.+?)(?: (?:appear|occur|mentioned|used|come up|show up)\w*)?$`,
			`^where (?:do|did|does|have|has|is|are)(?: i| we| the word| the text)? ?(?:mention|mentioned|write about|wrote about|talk about|talked about|use|used|refer to|written|note|noted)?(?: down)? ?(?P<text>"[^"]+"|[\w-]+) (?:appear|occur|mentioned|used|come up|show up)\w*(?: in (?P<where>.+))?$`,
			`^(?:帮我)?(?:找找看?|查找|查一下|找一下|搜索|搜一下|看看|查|找|搜)?(?:一下)?(?:在)?(?:哪个|哪些|什么|哪份|哪一个|所有|有没有)(?:文件|文档|笔记|地方)(?:里面|里|中)?(?:写了?|写着|提到过?了?|包含了?|有|出现过?了?|含有?|说到了?|用到了?)\s*(?P<text>[^的]+?)(?:的)?(?:字样|这个词|这几个字)?$`,
			`^(?:查找|搜索|找出?|搜|列出)(?:所有|全部|一下)?(?:里面)?(?:包含|含有?|提到|写有|有)了?\s*(?P<text>.+?)\s*(?:这个词|字样)?的(?:文件|文档|笔记)$`,
			`^(?:najdi|ukaž|vypiš|které|který|jaké|ve kterém|ve kterých|v jakém|kde)(?: mi)?(?: všechny| všude| jsou| je)*(?: (?:soubory?|souborech|souboru|dokumenty?|poznámky))?,? ?(?:kde|které|který|v nichž|ve kterých|co)?(?: (?:je|se|mám|píšu|stojí|obsahují|obsahuje|zmiňují|zmiňuje|mluví|vyskytuje))+(?: o| slovo| text| výraz| napsáno)* (?P<text>„[^“]+“|"[^"]+"|\pL+)$`,
		), func(u *utterance, m captures) goal {
			text, where := soughtIn(strip(m["text"], inThem), m["where"])
			m["where"] = where
			if everywhere.has(m["where"]) {
				m["where"] = ""
			}
			if text == "" || vagueWord.has(text) || notSought.has(text) || len(strings.Fields(text)) > 5 {
				return nil
			}
			return u.find(arguments{"content": text}, m["where"])
		}},
	}
}

// orderRules are the searches by time, by order, and by a name alone.
func orderRules() []rule {
	return []rule{
		{newPatterns( // by when they were changed
			`^(?:(?:`+strings.TrimPrefix(seekLead, "^")+`|how many |what did i |what have i (?:been )?|(?:show me |tell me |list |see |find out )?(?:what|whatever|everything that|anything that|all that|all)(?: (?:has|have|had|was|were|is|got|i|we))* (?:been )?)?`+determined+`)`+`(?:`+someFiles+`|\S+ files)?(?: (?:that|which|i|i've|we|were|was|have|has|had|did|been|got|is|are|am|have i|do|myself|recently|last|just))* ?(?:chang(?:ed?|ing)|modif(?:y|ied)|edit(?:ed)?|touch(?:ed)?|updat(?:ed?)|creat(?:ed?)|wr(?:ite|ote|itten)|new|work(?:ed|ing)? on|sav(?:ed?)|add(?:ed)?|alter(?:ed)?|made|from|older|newer)(?: (?:on|at|in|anything|something|it|them|stuff|files))*,? (?P<when>(?:(?:since|after|from|in|within|during|over|before|for) )?(?:the )?(?:today|yesterday|this (?:week|month|morning|year)|last (?:week|month|year|night)|(?:last|past|previous) (?:(?:\d+|two|three|four|five|six|seven|ten|few|couple of) )?(?:days?|weeks?|months?|hours|24 hours)|(?:\d+|two|three|four|five|six|seven|ten|a) (?:days?|weeks?|months?) ago|(?:\d+|two|three|four|five|six|seven|ten) (?:days|weeks|months)|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d{4}-\d\d-\d\d))`+somewhere+`$`,
			`^(?P<when>今天|昨天|本周|这周|这个星期|最近(?:\d+|一|两|三|七)天|这个月|本月)(?:我)?(?:有)?(?:修改|改动|更改|编辑|改|更新|新建|创建|动)(?:了|过)?(?:的)?(?:哪些|什么|所有)?(?:的)?(?:文件|文档)(?:有哪些)?$`, `^(?:哪些|什么|有哪些|列出)(?:文件|文档)?(?:是)?(?:我)?(?:在|自)?(?P<when>今天|昨天|本周|这周|最近(?:\d+|一|两|三|七)天|这个月|本月)(?:以来)?(?:被|我)?(?:修改|改动|更改|编辑|改|更新|新建|创建|动)(?:了|过)?(?:的)?(?:文件|文档)?$`,
			`^(?:co|které soubory|jaké soubory|které|soubory)(?: jsem| se| byly| bylo)* (?:změnil\pL*|upravil\pL*|změněn\pL+|upraven\pL+|vytvořil\pL*|měnil\pL*)(?: se)?(?: od| za)?(?: poslední)? (?P<when>dnes|dneska|včera|tento týden|tento měsíc|včerejška|\d+ dn\pL+|týden|měsíc)$`,
		), func(u *utterance, m captures) goal {
			when := leadsTo.compiled().ReplaceAllString(m["when"], "")
			if theLast.has(m["when"]) { // the last week ends today
				when = strings.Replace(strings.ToLower(when), "last", "past", 1)
			}
			after, before := u.days(when, lasts.has(m["when"]))
			if after == "" {
				return nil
			}
			return u.find(arguments{"modified_after": after, "modified_before": before, "type": "file", "sort": "newest"}, m["where"])
		}},
		{newPatterns( // by how long nobody changed them
			`^(?:` + strings.TrimPrefix(seekLead, "^") + `)?` + determined + someFiles + `(?: (?:here|there|in here|of mine))?(?: (?:that|which))?(?: (?:i|we|nobody|no one|nothing))? (?:haven't|have not|hasn't|has not|has|have|didn't|did not|weren't|were not|wasn't|was not|not)(?: (?:been|yet|ever))* (?:touched?|opened?|changed?|modif(?:ied|y)|edit(?:ed)?|used?|updated?|worked on|saved?|written to) (?:for|in|since|within|during)(?: (?:the|last|past|at least|more than|over|about|almost))* (?P<when>.+)$`,
		), func(u *utterance, m captures) goal { return u.byAge("older", m["when"]) }},
		{newPatterns( // in an order
			`^(?:list|show|give|get|print|display|find)(?: me| us)?` + determined + ` ?(?:files|documents|(?P<kind>\w+)(?: files)?)` + somewhere + `,? (?:sorted|ordered|ranked|arranged|starting|beginning)?(?: ?by (?:size|date|age|time|modification (?:date|time)))?(?: ?with)?(?: ?the)?,? ?(?P<sort>newest|latest|most recent|largest|biggest|oldest)(?: (?:one|ones|file|files))?(?: (?:first|on top|at the top))$`,
		), func(u *utterance, m captures) goal {
			kind := "file"
			if m["kind"] != "" && m["kind"] != "files" {
				if kind = kindOf(m["kind"]); kind == "" {
					return nil
				}
			}
			return u.find(arguments{"type": kind, "sort": sortOrders.or(m["sort"], "newest")}, m["where"])
		}},
		{newPatterns(`^(?:list|show|sort|order|give|rank)(?: me)?(?: (?:the|my|all))* (?:files|documents)(?: (?:here|sorted|ordered))? by (?P<by>size|date|age|time|name)`+somewhere+`$`, `^(?:list|show|sort|order|give|rank)(?: me)?(?: (?:the|my|all))* (?:files|documents)`+somewhere+`,?(?: (?:sorted|ordered))? by (?P<by>size|date|age|time|name)$`), func(u *utterance, m captures) goal {
			if m["by"] == "name" {
				return u.list(m["where"], true)
			}
			return u.find(arguments{"type": "file", "sort": map[bool]string{true: "largest", false: "newest"}[strings.EqualFold(m["by"], "size")], "limit": 10}, m["where"])
		}},
		{newPatterns( // by their order
			`^(?:`+strings.TrimPrefix(seekLead, "^")+`)?`+determined+`(?:(?P<n>\d{1,2}|two|three|four|five|six|seven|ten) )?(?P<sort>newest|latest|most recent|most recently (?:changed|modified|edited)|largest|biggest|heaviest|oldest)(?: (?P<n>\d{1,2}|two|three|four|five|six|seven|ten))? (?:`+someFiles+`|(?P<kind>\w+)(?: files?)?)`+somewhere+`$`,
			`^(?:what|which)(?: (?:file|one|thing|files))? (?:takes|uses|takes up|is using|is taking|needs|is taking up|fills)(?: up)?(?: the)? (?P<sort>most)(?: (?:disk|storage))? (?:space|room|storage)`+somewhere+`$`,
			`^(?:what|which)(?:'s| is| was)? ?the (?P<sort>last|latest|newest|most recent) (?:file|document|thing|one|note)(?: (?:that|which))? (?:i|we) (?:edited|changed|modified|saved|wrote|touched|worked on|created|made)$`,
			`^(?:which|what) (?P<kind>\w+) (?:is|are|was)(?: the| my)? (?P<sort>newest|latest|most recent|largest|biggest|oldest)(?: one| of all)?`+somewhere+`$`,
			`^(?:what|which)(?: (?:file|one|thing|files))? (?:is|was|are|takes up|takes|uses) the (?P<sort>newest|latest|most recent|largest|biggest|oldest)(?: (?:one|ones|file|thing))?`+somewhere+`$`,
		), func(u *utterance, m captures) goal {
			limit := smallNumbers.or(m["n"], 1)
			if m["n"] == "" && strings.HasSuffix(u.core, "files") {
				limit = 10
			}
			args := arguments{"sort": sortOrders.or(strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(m["sort"], "changed"), "modified"), "edited")), "newest"), "limit": limit, "type": "file"}
			if kind := kindOf(m["kind"]); kind != "" {
				args["type"] = kind
			} else if homeFolder.has(m["kind"]) && m["where"] == "" {
				m["where"] = m["kind"]
			} else if m["kind"] != "" {
				return nil
			}
			return u.find(args, m["where"])
		}},
		{newPatterns( // by name alone: a file, or a name with a number
			seekLead+determined+`(?:(?:file|document|photo|picture|image|song|video|folder|note|thing)s? )?(?:called |named |of |with the name )?(?P<name>"[^"]+"|[\w.-]*\w\.[a-z]\w{1,5}|[A-Za-z]+[_-]?\d{2,}\w*)(?: (?:file|document|photo|picture|image|anywhere|somewhere|again|gone|please|hiding|stored|saved|is|at))*$`,
			`^where (?:have|did|do|has|is|are|can|could|would|might)(?: (?:i|we|it))?(?: (?:put|save|saved|left|leave|keep|stored?|find|be|have|hide|hidden|placed?))?(?: (?:my|the|that|file|photo|document|picture))* (?P<name>"[^"]+"|[\w.-]*\w\.[a-z]\w{1,5}|[A-Za-z]+[_-]?\d{2,}\w*)(?: (?:be|go|saved|stored|hiding|located|again|file))*$`,
			seekLead+determined+`(?P<name>[\w-]{3,20}) (?:file|document|papers?|spreadsheet|sheet)s?(?: (?:from|of) .{2,20})?(?: (?:anywhere|somewhere|again))?$`,
			seekLead+determined+`(?P<name>[\w-]{3,20}) (?P<kind>photo|picture|image|song|video)s?(?: (?:anywhere|somewhere|again))?$`,
			`^(?:(?:do you know|any idea|i wonder|i forgot|i don't know|no idea|i have no idea|know|show me|find out) )?where (?:(?:the|my|our|that|a) )*(?P<name>`+paperNoun+`|[\w-]{3,20}(?: file| document))(?: (?:file|document))? (?:is|are|was|went|has gone|got to|ended up|could be|might be)(?: (?:now|saved|stored|kept))*$`,
			`^where(?:'s| is| are| did i (?:put|save|leave|store)| have i (?:put|saved|left)| did)(?: (?:the|my|our|that))+ (?P<name>`+paperNoun+`)(?: (?:file|document|saved|stored|gone|go|kept|now|again))*$`,
			`^(?:`+strings.TrimPrefix(seekLead, "^")+`)`+determined+`(?P<name>`+paperNoun+`)(?: (?:file|document|anywhere|somewhere|again))+$`,
			`^(?:我的)?(?:文件|照片|图片)?\s*(?P<name>[\w.-]*\w\.[a-z]\w{1,5})\s*(?:这个)?(?:文件)?(?:放|存|保存)?(?:在|到)(?:哪|哪里|哪儿|什么地方)(?:了|呢)?$`,
			`^(?:kde|kam)(?: jsem| mám| je| jsi)*(?: dal\pL*| uložil\pL*)?(?: ten| můj)?(?: soubor)? (?P<name>[\w.-]*\w\.[a-z]\w{1,5})$`, `^(?:hledám|nemůžu najít|potřebuji najít|potřebuju najít)(?: soubor)? (?P<name>[\w.-]*\w\.[a-z]\w{1,5})$`,
		), func(u *utterance, m captures) goal {
			if readsIt.has(u.core) {
				return nil
			}
			name, _ := unquote(m["name"])
			name = strings.TrimSuffix(strings.TrimSuffix(name, " file"), " document")
			if kindOf(name) != "" || noName.has(name) {
				return nil
			}
			return u.find(arguments{"name": name, "type": kindOf(m["kind"])}, "")
		}},
	}
}

// paperNoun are what files are often named like.
const paperNoun = `handbook|manual|contract|invoice|report|budget|letter|plan|resume|cv|presentation|slides|spreadsheet|agenda|minutes|draft|essay|thesis|receipt|config|readme|script|diary|journal|backup`

// noName are words before file that name none.
var noName = newPattern(`^(?:the|a|my|any|all|which|this|that|these|those|other|big|large|small|new|old|recent|last|first|empty|hidden|same|some|many|more|most|every|each|and|text|word|log|temp|temporary|first|only|whole|single|right|wrong|good|best|legal|white)$`)

// readsIt begins what wants the text of a file rather than its place.
var readsIt = newPattern(`^(?:show|get|give|see|display|print|grab|fetch|list|what|what's|what is|look (?:at|through)|tell me|i (?:need|want)|name|which)(?: |$)`)

var (
	// leadsTo is what leads to a span of days.
	leadsTo = newPattern(`^(?:(?:since|after|from|in|within|during|over|before|for|the) )+`)
	theLast = newPattern(`\bthe last (?:week|month|year)$`)
	// lasts tells that a span of days goes on to now.
	lasts        = newPattern(`^(?:since|after)\b|^od `)
	smallNumbers = newLexicon(map[string]int{"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "10": 10, "15": 15, "20": 20, "a": 1, "one": 1, "two": 2, "couple of": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10, "一": 1, "两": 2, "三": 3, "七": 7})
)

// whatItIs asks what something is.
var whatItIs = newPattern(`^what(?:'s| is| are) (?:an? )?\S+(?: files?)?$`)

// areFiles tells that what is named is surely in files.
var areFiles = newPattern(`\b(?:files?|documents?|folder|directory|under|inside)\b|文件|目录|soubor|složk`)

// ofKind makes the goal of finding, or counting, what is of a kind.
func (u *utterance) ofKind(m captures, count bool) goal {
	kind := kindOf(m["kind"])
	if kind == "" || whatItIs.has(u.core) {
		return nil
	}
	where, ok := u.folder(m["where"], areFiles.has(u.core))
	if !ok {
		return nil
	}
	return oneCall{tool: searchFiles, args: arguments{"path": where, "type": kind, "count": count}}
}
