package intent

import (
	"strings"
	"time"
)

// kindWords are words for types of files, and the types that search_files knows for
// them. An empty kind is the extension itself.
var kindWords = []struct {
	pattern pattern
	kind    string
}{
	{newPattern(`^(?:images?|pictures?|photos?|图片|照片|obrázky|fotky|fotografie)$`), "image"},
	{newPattern(`^(?:videos?|movies?|films?|视频|电影|videa|filmy)$`), "video"},
	{newPattern(`^(?:music|songs?|audio|sounds?|音乐|歌曲|音频|hudbu|písničky)$`), "audio"},
	{newPattern(`^(?:archives?|压缩包|archivy)$`), "archive"},
	{newPattern(`^(?:documents?|docs|文档|dokumenty)$`), "document"},
	{newPattern(`^(?:source ?code|code|代码|zdrojové)$`), "code"},
	{newPattern(`^(?:markdown)$`), "md"}, {newPattern(`^(?:python)$`), "py"}, {newPattern(`^(?:javascript)$`), "js"},
	{newPattern(`^(?:text|文本|textové)$`), "txt"},
	{newPattern(`^(?:spreadsheets?|excel|表格|tabulky)$`), "xlsx"},
	{newPattern(`^(?:word)$`), "docx"},
	{newPattern(`^\.?(?P<ext>pdf|txt|md|csv|json|yaml|yml|xml|html|docx?|xlsx?|pptx?|odt|png|jpe?g|gif|svg|mp3|mp4|zip|log|py|go|js|ts|java|rs|sh)s?$`), ""},
}

// kindOf is the type that search_files knows for a word; empty if none.
func kindOf(words string) string {
	for _, k := range kindWords {
		if m, ok := k.pattern.match(words); ok {
			if k.kind == "" {
				return strings.ToLower(m["ext"])
			}
			return k.kind
		}
	}
	return ""
}

// findRules ask where something is: by name, type, text, date or place in order.
// The words file or document, or the form of a name, must say that something on
// this machine is meant.
func findRules() []rule {
	return []rule{
		{newPatterns( // by name
			`^(?:find|locate|look for|search for|search|get|show|list|is there|do i have|where is)(?: me)?(?: all| any| the| my| every| a| an)* ?(?:(?P<kind>\.?[\w]+) )?(?:files?|documents?|notes?|folders?)(?: that are| that is)? (?:named|called|matching|like|with (?:the )?names?(?: of| like)?|with (?:a )?names? (?:containing|starting with)|whose names? contains?|starting with)(?: the name)? (?P<name>.+?)(?: (?:in|under) (?P<where>.+))?$`,
			// Chinese
			`^(?:查找|搜索|寻找|找到|找一下|找|搜一下|搜)(?:一下)?(?:所有|全部)?(?:名为|名叫|叫做|叫|名字是|名字包含|文件名包含)\s*(?P<name>.+?)\s*的?(?:文件|文档)?$`,
			// Czech
			`^(?:najdi|vyhledej|hledej)(?: mi)?(?: všechny)? (?:soubory?|dokumenty?|složku)(?: s názvem| se jménem| jménem| pojmenovan\pL+| který se jmenuje)? (?P<name>[^s\s]\S*|s[^e\s]\S*|se\S+)(?: (?:v|ve) (?P<where>.+))?$`,
		), func(u *utterance, m captures) goal {
			name, _ := unquote(m["name"])
			return u.find(arguments{"name": name, "type": kindOf(m["kind"])}, m["where"])
		}},
		{newPatterns( // by the name of a file alone
			`^(?:where(?:'s| is| are| did i (?:put|save|leave|store))|find|locate|search for|look for)(?: me)?(?: the| my)*(?: file| document)? (?P<name>\S.*?)(?: file)?$`,
			// Chinese
			`^(?:查找|寻找|找到|找一下|找)\s*(?P<name>.+?)$`, `^(?P<name>.+?)\s*(?:文件)?在(?:哪|哪里|哪儿)$`,
			// Czech
			`^(?:najdi|kde je|kde mám)(?: mi)?(?: soubor)? (?P<name>.+)$`,
		), func(u *utterance, m captures) goal {
			name, _ := unquote(m["name"])
			if !isFile(name) && !strings.HasPrefix(name, "*.") {
				return nil
			}
			return u.find(arguments{"name": name}, "")
		}},
		{newPatterns( // by type
			`^(?:find|show|list|search for|get|where are)(?: me)?(?: all| any| the| my| every| of)* (?P<kind>[.\w]+(?: code)?)(?: files?| documents?)?(?: (?:in|under|inside) (?P<where>.+))?$`,
			`^(?:which|what)(?: of my)? files are (?P<kind>[.\w]+)(?: files)?$`,
			`^(?:which|what) (?P<kind>[.\w]+) (?:files|documents)?(?: ?do i have| ?are there| ?are here)(?: (?:in|under) (?P<where>.+))?$`,
			// Chinese
			`^(?:查找|找出|搜索|找到|找|列出|显示)(?:一下)?(?:我的)?(?:所有|全部)?的?\s*(?P<kind>[\w\p{Han}]+?)\s*(?:文件)?$`,
			// Czech
			`^(?:najdi|ukaž|vypiš)(?: mi)?(?: všechny| moje)* (?P<kind>\pL+)(?: soubory)?(?: (?:v|ve) (?P<where>.+))?$`,
		), func(u *utterance, m captures) goal {
			kind := kindOf(m["kind"])
			if kind == "" {
				return nil
			}
			return u.find(arguments{"type": kind}, m["where"])
		}},
		{newPatterns( // by content
			`^(?:which|what)(?: of my)? (?:files?|documents?|notes?) (?:mentions?|contains?|includes?|has|have|talks? about|refers? to|says?)(?: the)?(?: word| text| phrase| string| term)? (?P<text>.+?)(?: in (?:it|them))?$`,
			`^(?:search|look|grep|find)(?: for)?(?: the)?(?: word| text| phrase| string)? (?P<text>.+?) (?:in|inside|within|across|through) (?P<where>(?:all )?(?:of )?(?:my |the |these )?(?:files|notes|documents)|\S*[/\\.~]\S*|.+ (?:folder|directory))$`,
			`^grep(?: -\w+)?(?: for)? (?P<text>"[^"]+"|'[^']+'|\S+)(?: (?P<where>\S+))?$`,
			`^where (?:do|did|have) i (?:mention|mentioned|write about|written about) (?P<text>.+)$`,
			// Chinese
			`^(?:哪个|哪些|什么)文件(?:里面|里|中)?(?:提到了?|包含了?|含有|有|写了|出现了?)\s*(?P<text>.+?)\s*(?:这个)?(?:词|字|单词)?的?$`,
			// Czech
			`^(?:který|které|jaké|jaký|ve kterém) (?:soubory?|dokumenty?|souboru) (?:obsahuje|obsahují|zmiňuje|zmiňují|mluví o|je)(?: slovo| text| výraz)? (?P<text>.+)$`,
		), func(u *utterance, m captures) goal {
			text, where := soughtIn(strings.TrimSpace(strings.TrimSuffix(m["text"], "这个")), m["where"])
			if notSought.has(text) { // one looks around in a folder
				return nil
			}
			if myFiles.has(where) {
				where = ""
			}
			return u.find(arguments{"content": text}, where)
		}},
		{newPatterns( // by date
			`^(?:(?:which|what)|(?:show|list|find|give)(?: me)?(?: all)?(?: the| my)?) (?:files|documents|notes)(?: that)?(?: have| were| was| did i| i have| i've| i| have i| are| got)*(?: been)? (?:changed|change|modified|modify|edited|edit|updated|update|wrote|write|written|created|create|touched|new|worked on|work on)(?P<since> since| after)?(?: from)? (?P<when>.+)$`,
			`^(?:show|list|find|give|get)(?: me)?(?: all)?(?: the| my)? (?:files|documents|notes|things)(?: from| of|(?P<since> since)) (?P<when>today|yesterday|this (?:week|month|year)|(?:the )?(?:last|past) .+|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}-\d\d-\d\d)$`,
			`^what did i (?:change|write|edit|modify|work on) (?P<when>.+)$`,
			// Chinese
			`^(?:我)?(?P<when>今天|昨天|本周|这周|这个月|本月)(?:我)?(?:修改|改动|更改|变动|编辑|改|更新|新建)(?:了|过)?(?:的)?(?:哪些|什么)?(?:的)?文件(?:有哪些)?$`,
			`^(?:哪些|什么)文件(?:是)?(?:在)?(?P<when>今天|昨天|本周|这周|这个月|本月)(?:被)?(?:修改|改动|更改|变动|编辑|改|更新)(?:了|过)?(?:的)?$`,
			// Czech
			`^(?:které|jaké) soubory(?: se| byly| jsem)*(?: (?P<when>dnes|včera|dneska|tento týden))(?: se| byly| jsem)*(?: změnily| změněny| upravily| upraveny| upravila?| měnila?| změnila?)$`,
			`^(?:které|jaké) soubory(?: se| byly| jsem)*(?: změnily| změněny| upravily| upraveny| upravila?| měnila?| změnila?)(?: se)? (?P<when>dnes|včera|dneska|tento týden)$`,
		), func(u *utterance, m captures) goal {
			after, before := u.days(m["when"], m["since"] != "")
			if after == "" {
				return nil
			}
			return u.find(arguments{"modified_after": after, "modified_before": before, "type": "file", "sort": "newest"}, "")
		}},
	}
}

// soughtIn is the text that is looked for, without an article before it, and where:
// in everything under a folder, it may be said after it.
func soughtIn(words, where string) (string, string) {
	if m, ok := inAllOf.match(words); ok && where == "" {
		words, where = m["rest"], m["where"]
	}
	text, quoted := unquote(words)
	if m, ok := mentionOf.match(text); ok && !quoted {
		text, quoted = unquote(m["rest"])
	}
	if m, ok := articled.match(text); ok && !quoted {
		text, _ = unquote(m["rest"])
	}
	return text, where
}

var (
	inAllOf   = newPattern(`^(?P<rest>.+?),? (?:in|across|through|throughout|within|inside) (?:everything|anything|(?:any|all|every|each)(?: of)?(?: the| my)? (?:files?|documents?|notes?|texts?)|(?:the |my )?files)(?: that is| there is)? (?:in|under|inside|below|of)(?: the| my)? (?P<where>\S+?)(?: folder| directory)?$`)
	mentionOf = newPattern(`^(?:(?:all|any|every|each|the) )*(?:occurrences?|mentions?|instances?|uses?|references?|appearances?) (?:of|to) (?P<rest>\S.*)$`)
	articled  = newPattern(`^(?:the|an?|my|our|any) (?:(?:word|phrase|text|string|name|term) )?(?P<rest>\S.*)$`)
)

// myFiles are words for everything there is.
var myFiles = newPattern(`^(?:all )?(?:of )?(?:my |the |these )?(?:files|notes|documents)$`)

// sortOrders are the orders of search_files.
var sortOrders = newLexicon(map[string]string{
	"newest": "newest", "latest": "newest", "most recent": "newest", "last changed": "newest", "最新": "newest", "nejnovější": "newest",
	"last": "newest", "most": "largest", "longest": "largest", "heaviest": "largest",
	"oldest": "oldest", "最旧": "oldest", "最老": "oldest", "nejstarší": "oldest",
	"largest": "largest", "biggest": "largest", "最大": "largest", "největší": "largest",
})

// find makes the goal of a search in a place.
func (u *utterance) find(args arguments, where string) goal {
	path, ok := u.folder(where, true)
	if !ok {
		return nil
	}
	args["path"] = path
	return oneCall{tool: searchFiles, args: args}
}

// aDay is a date as search_files takes it.
var aDay = newPattern(`^\d{4}-\d\d-\d\d$`)

// days turns words for a span of days into its bounds, as search_files takes
// them. Open tells that the span goes on to now. Both are empty if the words
// are no days.
func (u *utterance) days(words string, open bool) (after, before string) {
	day := func(n int) string { return u.Now.AddDate(0, 0, n).Format(time.DateOnly) }
	monday := -int(u.Now.Weekday()+6) % 7
	words = bare(strings.TrimSuffix(words, " morning"))
	switch words {
	case "today", "今天", "dnes", "dneska":
		return "today", ""
	case "yesterday", "昨天", "vcera":
		after, before = "yesterday", "today"
	case "this week", "本周", "这周", "tento tyden":
		return day(monday), ""
	case "last week":
		after, before = day(monday-7), day(monday)
	case "this year", "今年", "letos":
		return day(1 - u.Now.YearDay()), ""
	case "this month", "本月", "这个月":
		return day(1 - u.Now.Day()), ""
	default:
		if n := u.daysAgo(words, open); n > 0 {
			return day(-n), ""
		}
		if !aDay.has(words) {
			return "", ""
		}
		t, err := time.Parse(time.DateOnly, words)
		if err != nil {
			return "", ""
		}
		after, before = words, t.AddDate(0, 0, 1).Format(time.DateOnly)
	}
	if open {
		before = ""
	}
	return after, before
}

// ago is a span of days up to now, or the weekday that it began on.
var ago = newPattern(`^(?:last|past|previous|最近|za|poslední)? ?(?P<n>\d+|a|one|two|three|four|five|six|seven|ten|few|couple of|一|两|三|七)? ?(?P<unit>day|week|month|hours|24 hours|天|dn|týden|týdn|měsíc)\pL*(?: ago)?$|^(?:(?:on|last) )?(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)$`)

// daysAgo is how many days ago a span of days began; 0 if the words are none. A
// weekday is only the beginning of one, and no span itself.
func (u *utterance) daysAgo(words string, since bool) int {
	m, ok := ago.match(words)
	if !ok || m["weekday"] != "" && !since {
		return 0
	}
	for i := 1; m["weekday"] != "" && i <= 7; i++ {
		if strings.EqualFold(u.Now.AddDate(0, 0, -i).Weekday().String(), m["weekday"]) {
			return i
		}
	}
	n := smallNumbers.or(m["n"], 1)
	switch bare(m["unit"]) {
	case "week", "tyden", "tydn":
		n *= 7
	case "month", "mesic":
		n *= 30
	}
	return n
}
