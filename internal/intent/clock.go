package intent

// cityZones are cities as people name them in Chinese and Czech.
var cityZones = newLexicon(map[string]string{
	"东京": "Tokyo", "纽约": "New York", "伦敦": "London", "巴黎": "Paris", "北京": "Shanghai", "上海": "Shanghai",
	"香港": "Hong Kong", "柏林": "Berlin", "布拉格": "Prague", "莫斯科": "Moscow", "首尔": "Seoul", "悉尼": "Sydney",
	"新加坡": "Singapore", "洛杉矶": "Los Angeles",
	"tokiu": "Tokyo", "new yorku": "New York", "londýně": "London", "paříži": "Paris", "berlíně": "Berlin",
	"praze": "Prague", "moskvě": "Moscow", "soulu": "Seoul", "sydney": "Sydney", "pekingu": "Shanghai", "vídni": "Vienna",
	"beijing": "Shanghai",
	"迪拜":      "Dubai", "多伦多": "Toronto", "芝加哥": "Chicago", "旧金山": "San Francisco", "温哥华": "Vancouver", "墨尔本": "Melbourne", "曼谷": "Bangkok", "台北": "Taipei", "维也纳": "Vienna", "罗马": "Rome", "马德里": "Madrid", "开罗": "Cairo",
	"římě": "Rome", "madridu": "Madrid", "varšavě": "Warsaw", "budapešti": "Budapest", "bratislavě": "Bratislava", "torontu": "Toronto", "dillí": "Delhi", "chicagu": "Chicago", "dubaji": "Dubai", "káhiře": "Cairo", "istanbulu": "Istanbul", "singapuru": "Singapore", "hongkongu": "Hong Kong", "bangkoku": "Bangkok", "šanghaji": "Shanghai", "austrálii": "Sydney", "japonsku": "Tokyo", "číně": "Shanghai",
	// countries with one time, or one that most people there have
	"china": "Shanghai", "japan": "Tokyo", "india": "Delhi", "germany": "Berlin", "france": "Paris", "spain": "Madrid", "italy": "Rome", "england": "London", "britain": "London", "the uk": "London", "uk": "London", "korea": "Seoul", "south korea": "Seoul", "thailand": "Bangkok", "poland": "Warsaw", "austria": "Vienna", "the czech republic": "Prague", "czechia": "Prague", "sweden": "Stockholm", "norway": "Oslo", "finland": "Helsinki", "ireland": "Dublin", "greece": "Athens", "turkey": "Istanbul", "egypt": "Cairo",
	"california": "Los Angeles", "hawaii": "Honolulu", "new york city": "New York", "nyc": "New York",
})

// clockRules ask for the date, the time or the week, now. What happened or will
// happen on some day is for the model to know.
func clockRules() []rule {
	parts := []struct {
		part     string
		patterns []string
	}{
		{"time", []string{
			`^(?:what|which)(?:'s| is)?(?: the)?(?: current| exact| local)? (?:time|clock time)` + clockTail,
			`^(?:the current|current) time$`, `^how late is it$`, `^time$`,
			// Chinese
			`^(?:现在|目前|当前)?(?P<zone>[\p{Han}]{2,5}?)?(?:现在|目前|当前)?(?:是)?(?:几点|几点钟|什么时间|什么时候|几时)(?:了|啊|呀)?$`,
			`^(?:今天的?|当前的?|现在的?)时间(?:是什么|是多少)?$`,
			// Czech
			`^kolik je(?: teď)? hodin(?: (?:v|ve) (?P<zone>[\pL ]{2,30}))?$`,
		}},
		{"week", []string{
			`^(?:what|which)(?:'s| is)?(?: the)?(?: current)? week(?: of the year)?` + clockTail,
			`^(?:what|which) (?:calendar )?week(?: number)? (?:is (?:it|this)|of the year is (?:it|this))$`,
			// Chinese
			`^(?:今天|现在|本周|这周|这星期)?(?:是)?(?:今年的?)?第几(?:周|个星期|星期)(?:了)?$`,
			// Czech
			`^(?:jaký|který|kolikátý)(?: je)?(?: to)?(?: teď)?(?: je)? týden(?: je| máme)?$`,
		}},
		{"date", []string{
			`^(?:what|which)(?:'s| is)?(?: the)?(?: current| today's| exact| local)? (?:day|date|year|month|weekday)(?: of the (?:week|month|year))?` + clockTail,
			`^what(?:'s| is) today(?:'s date)?$`,
			`^(?:give me |show me |write )?(?:today's|the current|current|the) (?:date|day|weekday)(?: today)?(?: (?:in|as) ` + inForm + `)?$`, `^date$`,
			`^is (?:it|today)(?: (?:a|already|still|really|actually))* (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|the weekend)(?: (?:already|today|yet|here))*$`,
			// Chinese
			`^(?:今天|现在|今日)?(?:的?日期)?(?:是)?(?:星期几|周几|礼拜几|几号|几月几号|几月几日|多少号|什么日子|什么日期)(?:了|啊|呀)?$`,
			`^(?:今年|现在)(?:是)?(?:哪一?年|什么年|几几年|多少年)(?:了)?$`,
			`^(?:今天的?|当前的?|现在的?)日期(?:是什么|是多少)?$`,
			// Czech
			`^(?:jaký|jaké|který|co)(?: je)?(?: to)?(?: dnes| dneska)?(?: je)?(?: za)? (?:den|datum|rok|měsíc)(?: je)?(?: dnes| dneska| máme)?(?: v \pL+ (?:formátu|tvaru|podobě|jazyce))?$`,
			`^kolikátého(?: je| máme)?(?: dnes| dneska)?(?: je| máme)?$`,
			`^(?:dnešní datum|je už? pátek)$`,
		}},
	}
	rules := make([]rule, len(parts))
	for i, p := range parts {
		rules[i] = rule{newPatterns(p.patterns...), func(_ *utterance, m captures) goal {
			return oneCall{tool: currentTime, args: arguments{"part": p.part, "zone": cityZones.or(m["zone"], m["zone"])}}
		}}
	}
	return rules
}

// inForm is a way to write a date. What it is in is no place.
const inForm = `(?:(?:(?:the|an?|my|short|long|full) )*(?:[\pL\d-]+ ){0,3}(?:format|form|style|notation|words|numbers|letters|language|writing)|czech|english|chinese|iso|iso ?8601|full|short|detail)`

// placeRules ask for the time somewhere else by what is done or seen there.
func placeRules() []rule {
	const somewhere = `(?P<zone>[\pL .'-]{2,30}?)`
	const tail = `(?: (?:right now|now|currently|at the moment|today|already|yet))*$`
	return []rule{{newPatterns(
		`^(?:what|which) (?:time|hour) (?:do|does|would|will) (?:they|people|folks|we|you|one|it) (?:have|be|see|show)(?: (?:it|over there))? (?:in|over in|at) `+somewhere+tail,
		`^(?:is it|is it already|is it still|is it yet|are they|are people|have they)(?: (?:already|still|yet|past|after|before|very|quite|too))* (?:morning|evening|night|nighttime|night time|noon|midnight|midday|afternoon|day|daytime|day time|dark|late|early|awake|asleep|up|lunchtime|dinner time|tomorrow|bedtime|\d{1,2}(?: ?[ap]\.?m\.?| o'clock)?)(?: (?:already|yet|now))* (?:in|over in) `+somewhere+tail,
		`^(?:my|our|a|his|her|the|i have|i've got)? ?[\pL' ]{2,40} (?:lives?|is|are|sits?|works?|moved|stays?|based|studies|flew)(?: (?:over|out|now|currently|in|to|at))* `+somewhere+`[,.;:]+ (?:so )?(?:what|which|how)(?:'s| is)?(?: the)?(?: local)? (?:time|late|hour)(?: (?:is it|it is|is|over|there|now|right|for (?:him|her|them)|do they have|would it be))*$`,
		`^(?:i(?:'m| am)|we(?:'re| are)) (?:calling|phoning|ringing|meeting|talking to|going to call|about to call) (?:\pL+ ){0,3}in `+somewhere+`[,.;:]+ (?:so )?(?:what|which)(?:'s| is)?(?: the)?(?: local)? (?:time|hour)(?: (?:is it|it is|is|over|there|now|right|do they have|would it be))*$`,
		`^(?:in|over in) `+somewhere+`,? (?:what|which)(?:'s| is)?(?: the)?(?: local| current)? (?:time|hour)(?: (?:is it|it is|is|now|right|do they have|would it be|there))*$`,
		`^(?:(?:the|local|current|exact|give me|tell me|show me|what is|what's|show|get|check) ?)*(?:time|clock) (?:now )?(?:(?:in|at|for|over in|of) )?(?P<zone>utc|gmt|cet|est|pst|cst|`+bigCity+`)`+tail, `^(?P<zone>utc|gmt|`+bigCity+`) (?:time|clock)`+tail, `^how late is it (?:over )?in `+somewhere+tail,
		`^(?:what|which)(?:'s| is)?(?: the)?(?: local)? time (?:is it |it is )?(?:for|where) (?:\pL+ ){1,3}(?:in|is in) `+somewhere+tail,
		`^(?:kolik (?:je|mají|bude)|jaký (?:je|mají|bude))(?: teď| nyní| právě| zrovna| hodin| čas| místní)+ (?:v|ve|na) (?P<zone>[\pL ]{2,30}?)(?: teď| právě)*$`, `^(?:v|ve|na) (?P<zone>[\pL ]{2,30}) je (?:teď )?kolik(?: hodin)?$`, `^(?P<zone>\p{Han}{2,5}?)(?:那边|那里|当地)?(?:现在|目前)(?:是)?(?:早上|晚上|白天|半夜)(?:了)?$`,
	), func(_ *utterance, m captures) goal {
		zone := cityZones.or(m["zone"], m["zone"])
		if aForm.has(zone) || noZone.has(zone) {
			return nil
		}
		return oneCall{tool: currentTime, args: arguments{"part": "time", "zone": zone}}
	}}, {newPatterns(
		`^(?:what|which)(?:'s| is)?(?: the)?(?: current| local)? (?:day|date|weekday|day of the week)(?: is it| it is| today| now| right now| is| do they have)* (?:in|over in) `+somewhere+tail,
		`^(?:is it|is it already|is it still)(?: (?:already|still))* (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|the weekend) (?:already )?(?:in|over in) `+somewhere+tail,
	), func(_ *utterance, m captures) goal {
		zone := cityZones.or(m["zone"], m["zone"])
		if aForm.has(zone) || noZone.has(zone) || inFormOnly.has(zone) {
			return nil
		}
		return oneCall{tool: currentTime, args: arguments{"part": "date", "zone": zone}}
	}}}
}

// inFormOnly is a way to write a date and no place.
var inFormOnly = newPattern(`^` + inForm + `$`)

// bigCity are cities whose names are enough to tell that a place is meant.
const bigCity = `tokyo|new york|london|paris|berlin|sydney|moscow|dubai|singapore|toronto|prague|beijing|shanghai|hong kong|los angeles|san francisco|chicago|seattle|madrid|rome|vienna|delhi|new delhi|mumbai|seoul|istanbul|cairo|lisbon|dublin|amsterdam|honolulu|auckland|melbourne|vancouver|mexico city|bangkok|jakarta|nairobi|lagos|johannesburg|sao paulo|buenos aires|boston|denver|warsaw|budapest|stockholm|oslo|helsinki|zurich|brussels|athens`

// clockTail is how a question for the date or time may end.
const clockTail = `(?: (?:is it|is this|is today|do we have|it is|today is|are we in))?(?: (?:today|now|right now|here|currently))*(?: (?:in|as) ` + inForm + `| in (?P<zone>[\pL ]{2,30}))?$`
