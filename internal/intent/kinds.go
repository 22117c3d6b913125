package intent

import (
	"strconv"
	"strings"
	"time"
)

// kindRules find files by what they are: by how their names end, by whether there
// are any of a type, by how old they are.
func kindRules() []rule {
	return []rule{
		{newPatterns( // by the end of the name
			`^(?:(?:find|show|list|get|search for|look for|give|which|what|are there|do i have)(?: me)?(?: all| any| of| the| my| every)* )?(?:files?|documents?|names?)(?: (?:that|which))?(?: are)? (?:ending|ends?|finish|finishing|with|having|have|has)(?: (?:with|in|on|the|an|a|names?|filenames?|file|ending|extension|suffix))* ["'“]?(?:\*?\.(?P<kind>\w{1,8})|(?P<kind>\w{1,8}))["'”]?(?: (?:extension|ending|suffix))?(?: (?:in|under|inside) (?P<where>.+))?$`,
			`^(?:查找|找出|列出|显示)?(?:所有)?(?:以)\s*\.?(?P<kind>\w{1,8})\s*(?:结尾|为扩展名)的(?:文件)?$`,
			`^(?:(?:najdi|ukaž|vypiš|které|jaké)(?: mi)?(?: všechny)? )?soubory(?: které)? (?:končící|končí|s příponou|mají příponu)(?: na)? \.?(?P<kind>\w{1,8})(?: (?:v|ve) (?P<where>.+))?$`,
		), func(u *utterance, m captures) goal {
			kind := strings.ToLower(m["kind"])
			// A word that is no ending, as in files with errors, is looked for in texts.
			if !strings.Contains(u.core, "."+m["kind"]) && !saysEnding.has(u.core) {
				return nil
			}
			return u.find(arguments{"type": kind}, m["where"])
		}},
		{newPatterns( // whether there are any of a type
			`^(?:do i have|do we have|have i got|have i|are there|is there|can you see)(?: any| some| a| an| my)* (?P<kind>[.\w]+?)(?: (?P<files>files?|documents?))?(?: (?:here|there|saved|stored|on (?:this|my) (?:computer|disk)))*(?: (?:in|under|inside) (?P<where>.+))?$`,
			`^(?:我|这里|这儿)?(?:里面|里)?(?:有没有|有)(?:任何)?\s*(?P<kind>[\w\p{Han}]+?)\s*(?:文件)?$`,
			`^(?:mám|máme|jsou|je|existují)(?: tu| tady| zde)?(?: nějak\pL+)? (?P<kind>\pL+)(?: soubory)?(?: tu| tady| zde)?(?: (?:v|ve) (?P<where>.+))?$`,
		), func(u *utterance, m captures) goal {
			kind := kindOf(m["kind"])
			// Music in space is no file in a folder.
			if _, ok := u.folder(m["where"], m["files"] != ""); !ok || kind == "" {
				return nil
			}
			return u.find(arguments{"type": kind}, m["where"])
		}},
		{newPatterns( // by age
			`^(?:(?:which|what|are there|do i have|(?:show|list|find|give)(?: me)?)(?: all| any| of| the| my)* )?(?:files?|documents|notes|anything|something|things?|stuff|everything|photos|pictures)(?: (?:in here|here|around|in there|of mine|i have|there))?(?: (?:that|which))?(?:'s| is| are| were| have been| was)?(?: (?:changed|modified|edited|written|created|updated|last changed))? (?P<age>newer|younger|later|more recent|older|earlier|before)(?: than)? (?P<when>.+?)(?: old)?$`,
			`^(?:哪些|什么|列出|查找)?(?P<when>今天|昨天|前天|\S{1,4}[天周月年])(?:之|以)?(?P<age>前|后)(?:修改|改动|更改|创建)?的?文件(?:有哪些)?$`,
			`^(?:(?:které|jaké|najdi|ukaž|vypiš)(?: mi)?(?: všechny)? )?soubory(?: jsou)? (?P<age>novější|starší) než (?P<when>.+)$`,
		), func(u *utterance, m captures) goal { return u.byAge(m["age"], m["when"]) }},
	}
}

// saysEnding tells that the end of a name is meant.
var saysEnding = newPattern(`\b(?:extension|suffix)\b|结尾|扩展名|přípon`)

// byAge makes the goal of finding the files from before a day, or since it. The
// day may be given by how long ago it was.
func (u *utterance) byAge(age, when string) goal {
	if isKnownFile(when) { // two steps that depend on each other
		return saying{canLookUp.In(u.Lang)}
	}
	if year, isYear := yearNamed(when, u.Now.Year()); isYear {
		when = strconv.Itoa(year) + "-1-1"
	}
	day, ok := u.day(when)
	if ago, isAgo := u.day(strings.TrimSuffix(when, " ago") + " ago"); isAgo {
		day, ok = ago, true
	}
	if ago, isAgo := u.day(when + "前"); isAgo {
		day, ok = ago, true
	}
	if !ok {
		return nil
	}
	args := arguments{"type": "file", "sort": "newest"}
	switch bare(age) {
	case "older", "earlier", "before", "前", "starsi":
		args["modified_before"] = day.Format(time.DateOnly)
	default:
		args["modified_after"] = day.Format(time.DateOnly)
	}
	return u.find(args, "")
}
