package intent

import (
	"strconv"
	"strings"
	"time"

	"loci"
	"loci/internal/lang"
)

// dayRules ask about a day that is not today: its date or weekday, and how far
// away it is. The day must be one that the calendar knows; when the meeting is,
// it does not.
func dayRules() []rule {
	aDay := func(u *utterance, m captures) goal {
		day, ok := u.day(m["when"])
		if !ok || day.Format(time.DateOnly) == u.Now.Format(time.DateOnly) { // today needs no date
			return nil
		}
		part := "date"
		if m["week"] != "" {
			part = "week"
		}
		return oneCall{tool: currentTime, args: arguments{"date": day.Format(time.DateOnly), "part": part}}
	}
	return []rule{
		{newPatterns(
			`^(?:what|which)(?:'s| is| was| will)?(?: the)? (?:day|date|weekday|day of the week)(?: is| was| will| be| it| does| did| of the week| the)* (?P<when>.+?)(?: (?:be|fall|falls|fell|on))*$`,
			`^(?:what|which) (?P<week>(?:calendar |iso )?week)(?: number| of the year)?(?: is| was| will| be| it| does| did)* (?P<when>.+?)(?: (?:be|fall|falls|in|on))*$`,
			`^(?:what(?:'s| is| was)|when(?:'s| is| was| will)|give me)(?: the)?(?: date (?:of|for|on))? (?P<when>.+?)(?:'s date)?(?: be| this year)?$`, `^(?:the )?date (?:of |for )?(?P<when>.+)$`,
			`^how (?:many days|long)(?: is it| are there| are left| is there| do we have| do i have| left| to go| remain)*(?: until| till| to| before| unto| since) (?P<when>.+)$`, `^days (?:until|till|to|since) (?P<when>.+)$`,
			`^(?P<when>tomorrow|yesterday|the day after tomorrow|the day before yesterday)(?:'s|s)? (?:date|weekday|day)$`,
			`^is (?P<when>.+?) an? (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekday|workday)$`,
			`^how (?:many days|long) ago (?:is|was) (?P<when>.+)$`,
			`^(?:does|did|will|is|was)(?: the)? (?P<when>.+?) (?:fall |be |land |come |come out )?(?:on )?(?:an? |the )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekday|workday|working day|weekend)(?: or .*)?$`,
			`^(?:on )?(?:what|which) (?:day|weekday|date|day of the week) (?:is|was|will|does|did)(?: the)? (?P<when>.+?)(?: (?:be|fall|land|come|happen|on|this year))*$`, `^(?:what|which) (?:day|weekday|date) (?:will|would) (?:it be|we have|that be|it|be)(?: (?:in|on))? (?P<when>.+)$`,
			`^(?:how many (?:more )?(?:days|nights|sleeps|weeks|months)|how long|how much time|days|number of days|the number of days|how far)(?: (?:is it|are there|are left|is there|do we have|do i have|have we got|left|to go|remain|remaining|away|still|will it be|do i have to wait|must i wait|must we wait|we have|we))*(?: (?:until|till|til|to|before|is|are|away is|remain until|for|'til))(?: the)? (?P<when>.+?)(?: (?:away|from now|from today|off|left|comes|arrives|starts|begins|is))*$`,
			`^(?:count(?: the)?|tell me(?: the)?|give me(?: the)?|calculate(?: the)?)(?: number of)? days (?:until|till|to|since|before|left until|left to) (?P<when>.+)$`, `^how many days (?:have passed|has it been|is it|passed|went by|have gone by)(?: since| from) (?P<when>.+)$`, `^how many days have (?:passed|gone by) since (?P<when>.+)$`,
			`^when(?:'s| is| was| will be)(?: the)? (?P<when>(?:next|this|last|the coming|coming) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))$`, `^(?:what|which)(?:'s| is| was)?(?: the)? (?:date|day)(?: is| was| of| on| for| it is| it was)*(?: the)? (?P<when>.+?)(?: (?:on the calendar|exactly|please))?$`,
			`^(?:what|which) (?P<week>(?:calendar |iso )?week)(?: number)?(?: of the year)? (?:is|was|will|does|did|contains|has|holds)(?: the)? (?P<when>.+?)(?: (?:be|fall|falls|in|on|belong to))*$`, `^(?:in )?(?:which|what) (?P<week>(?:calendar |iso )?week)(?: number)? (?:is|does|will|was)(?: the)? (?P<when>.+?)(?: (?:fall|be|in|land))*$`, `^(?P<week>(?:calendar |iso )?week)(?: number)? (?:of|for|on) (?P<when>.+)$`,
			`^(?P<when>.+?)[,:]? (?:what|which) (?:day|weekday|day of the week)(?: (?:is|was|will|of|the|week|that|it|be))*$`,
			`^(?P<when>.+?)是?(?:今年的?)?第几(?P<week>周|个?星期)$`, `^(?:再|还)?(?:过|有)?(?:多少|几)天(?:就)?(?:到|是)(?P<when>.+)$`, `^(?:还有)?(?:多少|几)天(?:到|过)(?P<when>.+)$`, `^(?:který|kolikátý) (?P<week>týden)(?: v roce)? (?:je|bude|byl) (?P<when>.+)$`, `^(?:kolik dní|jak dlouho)(?: ještě| zbývá| je| to je| to| nám| chybí)*(?: do| než (?:bude|budou|přijdou|je)) (?P<when>.+)$`, `^(?:na který|na jaký) den (?:připadá|připadne|připadl\pL*|vychází|vyjde) (?P<when>.+)$`,
			// Chinese
			`^(?P<when>.+?)(?:是|是在)?(?:星期几|周几|礼拜几|几号|几月几号|哪一?天|什么日子|什么时候|的日期)(?:是什么)?$`,
			`^(?:现在|今天)?(?:离|距离|到)\s*(?P<when>.+?)(?:还)?(?:有|剩)(?:多少|几)天$`,
			// Czech
			`^(?:jaký|který|co|kdy|jaké)(?: to)?(?: byl| bude| je| byla| bylo| budou| jsou| bylo)(?: to)?(?: za)?(?: den| datum)? (?P<when>.+?)(?: (?:den|datum|za den))?$`, `^(?:jaký|který|co za) den(?: v týdnu)?(?: to)?(?: byl| bude| je| bylo)? (?P<when>.+)$`,
			`^(?:kolikátého|jaké datum)(?: bude| bylo| je)? (?P<when>.+)$`, `^za kolik dní (?:je|jsou|bude|budou) (?P<when>.+)$`, `^kolik dní(?: je| zbývá| nám zbývá| ještě)* (?:do|od) (?P<when>.+)$`,
		), aDay},
		{newPatterns(
			`^how many (?P<unit>days|weeks)(?: (?:are|is|there|passed|lie))*(?: (?:between|from)) (?P<from>.+?) (?:and|to|until|till) (?P<to>.+)$`,
			`^(?P<from>.+?)(?:到|和|至)(?P<to>.+?)(?:之间)?(?:有|相差|差|隔)(?:多少|几)天$`,
			`^kolik (?:je )?dní(?: je)? (?:mezi|od) (?P<from>.+?) (?:a|do) (?P<to>.+)$`,
		), func(u *utterance, m captures) goal {
			from, to, ok := u.span(m["from"], m["to"])
			if !ok {
				return nil
			}
			return saying{daysBetween.In(u.Lang, from.Format(time.DateOnly), to.Format(time.DateOnly), dayCount.In(u.Lang, daysFrom(from, to)))}
		}},
		{newPatterns(`^how many days(?: (?:are|is|there|do we have|have we got))*(?: (?:left|remain|remaining|to go))?(?: (?:in|of|until the end of|till the end of)) (?:this|the) year(?: left)?$`, `^今年还(?:有|剩)(?:多少|几)天$`, `^kolik dní (?:zbývá|je) do konce roku$`), func(u *utterance, _ captures) goal {
			return oneCall{tool: currentTime, args: arguments{"date": time.Date(u.Now.Year(), time.December, 31, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), "part": "date"}}
		}},
		{newPatterns(`^(?:what(?:'s| is)|give me|tell me)?(?: the)? ?(?:today's |current )?(?:date|day)(?: today| of today)? (?:in|as) (?:an? )?(?:iso|iso ?8601)(?: ?8601)?(?: format| form)?$`, `^(?:the )?iso date$`, `^iso格式的?日期$`),
			func(*utterance, captures) goal {
				return oneCall{currentTime, arguments{"part": "date"}, func(_ *utterance, r loci.ToolResult) string {
					return decode[clockResult](r).Date
				}}
			}},
		{newPatterns(
			`^(?:what|which)(?:'s| is)?(?: the| my)?(?: current| local)? time ?zone(?: (?:am i in|is this|is it|are we in|do i have|do i live in|is set))?(?: here)?$`,
			`^(?:我在|这里是|当前的?|现在的?)?(?:什么|哪个)?时区(?:是什么)?$`, `^(?:v )?(?:jakém|jaké|které)(?: jsem| je| mám)?(?: to| tu)? časov\pL+ pásm\pL+(?: jsem| je| mám)?$`,
		), func(*utterance, captures) goal {
			return oneCall{tool: currentTime, args: arguments{"part": "zone"}}
		}},
		{newPatterns(`^(?:what|which)(?:'s| is)?(?: the)?(?: current)? time(?: is it)?(?: now)? in (?P<a>[\pL ]{2,30}?)(?:,)? (?:and|and in) (?:in )?(?P<b>[\pL ]{2,30})$`, `^kolik je hodin (?:v|ve) (?P<a>\pL+) a (?:v |ve )?(?P<b>\pL+)$`, `^(?P<a>\p{Han}{2,4})和(?P<b>\p{Han}{2,4})(?:现在)?几点(?:了)?$`),
			func(_ *utterance, m captures) goal {
				var g calls
				for _, city := range []string{m["a"], m["b"]} {
					g.all = append(g.all, oneCall{tool: currentTime, args: arguments{"part": "time", "zone": cityZones.or(city, city)}})
				}
				return g
			}},
	}
}

var (
	daysBetween = lang.Words{EN: "From %s to %s it is %s.", ZH: "从 %s 到 %s 是 %s。", CS: "Od %s do %s: %s."}
	dayCount    = lang.Counted{One: "day", Many: "days", ZH: "天", CSOne: "den", CSFew: "dny", CSAll: "dní"}
)

// span reads two days, the earlier one first. Days without a year are of this year,
// and the second is the next one after the first.
func (u *utterance) span(first, second string) (from, to time.Time, ok bool) {
	from, ok = u.dayAfter(first, time.Date(u.Now.Year(), 1, 1, 0, 0, 0, 0, time.UTC))
	if !ok {
		return from, to, false
	}
	if to, ok = u.dayAfter(second, from); to.Before(from) {
		if weekdayAt.has(strings.TrimSpace(second)) {
			return from, to.AddDate(0, 0, 7), ok
		}
		if near, _ := u.dayAfter(first, to.AddDate(-1, 0, 1)); !near.After(to) { // it has no year
			return near, to, ok
		}
		from, to = to, from
	}
	return from, to, ok
}

// daysFrom counts the days between two dates, both at midnight in UTC.
func daysFrom(from, to time.Time) int { return int(to.Sub(from) / (24 * time.Hour)) }

// nearDays are words for days near today.
var nearDays = newLexicon(map[string]int{
	"today": 0, "tomorrow": 1, "yesterday": -1, "the day after tomorrow": 2, "day after tomorrow": 2, "the day before yesterday": -2, "day before yesterday": -2,
	"今天": 0, "明天": 1, "后天": 2, "昨天": -1, "前天": -2,
	"dnes": 0, "zítra": 1, "pozítří": 2, "včera": -1, "předevčírem": -2, "za týden": 7, "před týdnem": -7,
})

var (
	daysAway   = newPattern(`^(?:in |za |after )?(?:the )?(?P<n>\d{1,5}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve) (?P<unit>days?|weeks?|months?|years?|dn\pL+|den|dní|týd\pL+|měsíc\pL*|rok\pL*|let)(?P<back> ago| before today)?(?: from(?: (?:now|today))?| time| later| hence)?$|^(?P<past>před) (?P<n>\d{1,5}) (?P<unit>dn\pL+|týd\pL+|měsíc\pL+|let\pL*|rok\pL*)$|^(?P<n>\d{1,5})\s*(?P<unit>天|周|个?星期|个月|年)(?:之|以)?(?:后|(?P<back>前))$`)
	weekdayAt  = newPattern(`^(?:(?P<which>next|this|last|on|coming|the next) )?(?P<day>monday|tuesday|wednesday|thursday|friday|saturday|sunday)$`)
	smallWords = map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12}
	// eventOn is something of the person's own, with the day that it is on.
	eventOn    = newPattern(`^(?:my|our|the|his|her|their) [\pL' -]{2,40}? (?:on|is on) (?P<rest>\S.*)$`)
	ordinalEnd = newPattern(`(\d)(?:st|nd|rd|th)\b`)
	czechDate  = newPattern(`^(?P<d>\d{1,2})\. ?(?:(?P<m>\d{1,2})\.?|(?P<name>\pL+))(?: ?(?P<y>\d{4}))?$`)
	hanDate    = newPattern(`^(?:(?P<y>\d{4})年)?(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]?$`)
	czechMonth = []string{"led", "únor", "březn", "dub", "květ", "červn", "červenc", "srp", "září", "říj", "listopad", "prosin"}
)

// today is midnight in UTC of the day it is.
func (u *utterance) today() time.Time {
	return time.Date(u.Now.Year(), u.Now.Month(), u.Now.Day(), 0, 0, 0, 0, time.UTC)
}

// day reads the day that words stand for, as midnight in UTC. A day without a
// year is the next one.
func (u *utterance) day(words string) (time.Time, bool) { return u.dayAfter(words, u.today()) }

// dayAfter is the same, but a day without a year is the first one from a day on.
func (u *utterance) dayAfter(words string, start time.Time) (time.Time, bool) {
	w := strings.ToLower(strings.TrimSpace(words))
	today := u.today()
	if n, ok := nearDays.of(w); ok {
		return today.AddDate(0, 0, n), true
	}
	for _, before := range []string{"the date ", "the day ", "on ", "date ", "day ", "is ", "it ", "be ", "in the "} {
		w = strings.TrimPrefix(w, before)
	}
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s date"), " this year")
	w = strings.TrimSuffix(w, " from")
	if m, ok := eventOn.match(w); ok {
		w = m["rest"]
	}
	if n, ok := nearDays.of(w); ok {
		return today.AddDate(0, 0, n), true
	}
	if day, ok := feastDay(w, start); ok {
		return day, true
	}
	if m, ok := daysAway.match(w); ok {
		return away(today, m)
	}
	if m, ok := weekdayAt.match(w); ok {
		ahead := (int(weekdays[m["day"]]) - int(today.Weekday()) + 7) % 7
		switch {
		case m["which"] == "last":
			ahead -= 7
		case ahead == 0 && m["which"] != "this":
			ahead = 7
		}
		return today.AddDate(0, 0, ahead), true
	}
	return dated(start, w)
}

// weekdays are the days of the week by name.
var weekdays = map[string]time.Weekday{
	"monday": time.Monday, "tuesday": time.Tuesday, "wednesday": time.Wednesday, "thursday": time.Thursday,
	"friday": time.Friday, "saturday": time.Saturday, "sunday": time.Sunday,
}

// away is the day that lies a number of days, weeks, months or years from today.
func away(today time.Time, m captures) (time.Time, bool) {
	n, err := strconv.Atoi(m["n"])
	if err != nil {
		n = smallWords[m["n"]]
	}
	if m["back"] != "" || m["past"] != "" {
		n = -n
	}
	switch unit := m["unit"]; {
	case strings.HasPrefix(unit, "week"), strings.HasPrefix(unit, "t"), unit == "周", strings.HasSuffix(unit, "星期"):
		return today.AddDate(0, 0, 7*n), true
	case strings.HasPrefix(unit, "m"), unit == "个月":
		return today.AddDate(0, n, 0), true
	case strings.HasPrefix(unit, "y"), strings.HasPrefix(unit, "rok"), strings.HasPrefix(unit, "let"), unit == "年":
		t := today.AddDate(n, 0, 0)
		return t, 1 <= t.Year() && t.Year() <= 9990
	}
	return today.AddDate(0, 0, n), true
}

// dateForms are the ways to write a date with a year, and those without.
var dateForms = []string{"2006-1-2", "2006/1/2", "2 January 2006", "2 Jan 2006", "January 2 2006", "Jan 2 2006"}

// dated reads a date.
func dated(start time.Time, w string) (time.Time, bool) {
	w = ordinalEnd.compiled().ReplaceAllString(w, "$1")
	w = strings.Join(strings.Fields(strings.NewReplacer(",", " ", " of ", " ", "the ", "").Replace(w)), " ")
	for _, form := range dateForms {
		if t, err := time.Parse(form, w); err == nil {
			return t, true
		}
		if t, err := time.Parse(form, w+" 2000"); err == nil && strings.HasSuffix(form, " 2006") {
			return upcoming(start, int(t.Month()), t.Day()), true
		}
	}
	m, ok := czechDate.match(w)
	if !ok {
		if m, ok = hanDate.match(w); !ok {
			return time.Time{}, false
		}
	}
	year, _ := strconv.Atoi(m["y"]) // empty: none
	month, _ := strconv.Atoi(m["m"])
	day, _ := strconv.Atoi(m["d"])
	for i, name := range czechMonth {
		if m["name"] != "" && strings.HasPrefix(bare(m["name"]), bare(name)) {
			month = i + 1
		}
	}
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return time.Time{}, false
	}
	if year == 0 {
		return upcoming(start, month, day), true
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == day // not 31 February
}

// upcoming is the next time that a day of the year comes from a day on.
func upcoming(start time.Time, month, day int) time.Time {
	year := start.Year()
	for { // 29 February is not in every year
		t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
		if year++; !t.Before(start) && t.Day() == day || year > start.Year()+10 {
			return t
		}
	}
}
