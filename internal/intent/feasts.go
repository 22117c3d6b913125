package intent

import (
	"strconv"
	"time"

	"loci/internal/lang"
)

// feasts are days of every year, as month and day.
var feasts = newLexicon(map[string][2]int{
	"christmas": {12, 25}, "christmas day": {12, 25}, "christmas eve": {12, 24}, "new year": {1, 1}, "new year's": {1, 1}, "new year's day": {1, 1}, "the new year": {1, 1},
	"new year's eve": {12, 31}, "halloween": {10, 31}, "valentine's day": {2, 14}, "valentines day": {2, 14}, "boxing day": {12, 26}, "st. patrick's day": {3, 17},
	"圣诞节": {12, 25}, "元旦": {1, 1}, "新年": {1, 1}, "国庆节": {10, 1}, "劳动节": {5, 1}, "情人节": {2, 14},
	"vánoc": {12, 24}, "vánoce": {12, 24}, "štědrý den": {12, 24}, "štědrého dne": {12, 24}, "silvestr": {12, 31}, "silvestra": {12, 31}, "nový rok": {1, 1}, "nového roku": {1, 1},
})

// easterDays are days that move with Easter, by how far they are from its Sunday.
var easterDays = newLexicon(map[string]int{
	"easter": 0, "easter sunday": 0, "easter day": 0, "easter monday": 1, "good friday": -2, "ash wednesday": -46, "ascension day": 39, "pentecost": 49, "whit monday": 50,
	"复活节": 0, "velikonoce": 0, "velikonoc": 0, "velikonoční neděle": 0, "velikonoční pondělí": 1, "velký pátek": -2,
})

// ofYear is a feast of one year.
var ofYear = newPattern(`^(?P<feast>.+?)(?:,? (?:in|of|roku|v roce))? (?P<y>\d{4}|next year|this year|last year|příští rok|letos)$|^(?P<y>\d{4}|明|今|去)年?的?(?P<feast>.+)$`)

// feastDay is the day of a feast, in the year that is named or else the first from
// a day on.
func feastDay(w string, start time.Time) (time.Time, bool) {
	year, named := 0, false
	if m, ok := ofYear.match(w); ok {
		if year, named = yearNamed(m["y"], start.Year()); named {
			w = m["feast"]
		}
	}
	if feast, ok := feasts.of(w); ok {
		if named {
			return time.Date(year, time.Month(feast[0]), feast[1], 0, 0, 0, 0, time.UTC), true
		}
		return upcoming(start, feast[0], feast[1]), true
	}
	off, ok := easterDays.of(w)
	if !ok {
		return time.Time{}, false
	}
	if named {
		return easter(year).AddDate(0, 0, off), true
	}
	day := easter(start.Year()).AddDate(0, 0, off)
	if day.Before(start) {
		day = easter(start.Year()+1).AddDate(0, 0, off)
	}
	return day, true
}

// yearNamed is the year that words stand for.
func yearNamed(words string, now int) (int, bool) {
	switch bare(words) {
	case "next year", "pristi rok", "明":
		return now + 1, true
	case "this year", "letos", "今":
		return now, true
	case "last year", "去":
		return now - 1, true
	}
	year, err := strconv.Atoi(words)
	return year, err == nil && year >= 1583 && year < 9990
}

// easter is Easter Sunday of the western churches, by the rules of 1582: the Sunday
// after the full moon of the church that follows 20 March.
func easter(year int) time.Time {
	golden := year % 19 // the moon is where it was every 19 years
	century := year / 100
	moon := (19*golden + century - century/4 - (century-(century+8)/25+1)/3 + 15) % 30 // days after 21 March
	if moon == 29 || moon == 28 && golden > 10 {
		moon--
	}
	full := time.Date(year, time.March, 21+moon, 0, 0, 0, 0, time.UTC)
	return full.AddDate(0, 0, 7-int(full.Weekday()))
}

// ageRules ask how old somebody is. Without the year of birth nobody can tell.
func ageRules() []rule {
	const who = `(?:someone|somebody|a person|anyone|anybody|a man|a woman|a child|one|i|he|she|you|they)`
	return []rule{{newPatterns(
		`^how old (?:is|am|are|would|will) `+who+`(?: be)?(?: today| now)?,?(?: (?:who|that|if|when))?(?: `+who+`)?(?: (?:was|is|were|am))? born (?:on |in )?(?P<when>.+?)(?: today| now)?$`,
		`^(?:i was|i am|i'm|she was|he was|someone was|if i was) born (?:on |in )?(?P<when>.+?)[,.;:]? (?:so )?how old (?:am i|is she|is he|are they)(?: today| now)?$`,
		`^我?(?:是)?(?P<when>\d{4}年\d{1,2}月\d{1,2}[日号]?)(?:出)?生(?:的人?)?[，,]?(?:现在|今年)?(?:几岁|多大|多少岁)(?:了)?$`,
		`^kolik (?:je|mi je) (?:let )?(?:někomu, kdo se narodil|když jsem se narodila?) (?P<when>.+)$`, `^narodila? jsem se (?P<when>.+?),? kolik mi je(?: let)?$`,
	), func(u *utterance, m captures) goal {
		if year, err := strconv.Atoi(m["when"]); err == nil && year > 1800 && year <= u.Now.Year() {
			return saying{ageOfYear.In(u.Lang, year, max(u.Now.Year()-year-1, 0), u.Now.Year()-year)}
		}
		born, ok := u.day(m["when"])
		switch {
		case !ok:
			return nil
		case born.After(u.today()):
			return saying{whichYear.In(u.Lang)}
		}
		years := u.Now.Year() - born.Year()
		if born.AddDate(years, 0, 0).After(u.today()) {
			years--
		}
		return saying{ageOf.In(u.Lang, born.Format(time.DateOnly), yearWord.In(u.Lang, years))}
	}}}
}

var (
	ageOf     = lang.Words{EN: "Born on %s: %s old today.", ZH: "%s 出生：今天 %s。", CS: "Narozen(a) %s: dnes %s."}
	ageOfYear = lang.Words{EN: "Born in %d: %d or %d years old, before or after the birthday.", ZH: "%d 年出生：%d 岁或 %d 岁，看生日是否已过。", CS: "Narozen(a) %d: %d nebo %d let, podle toho, zda už byly narozeniny."}
	whichYear = lang.Words{EN: "Say the year of birth too, such as 3 May 1990.", ZH: "请同时说出出生年份，例如 1990年5月3日。", CS: "Řekněte i rok narození, třeba 3. 5. 1990."}
	yearWord  = lang.Counted{One: "year", Many: "years", ZH: "岁", CSOne: "rok", CSFew: "roky", CSAll: "let"}
	cannotPay = lang.Words{
		EN: "I do not know exchange rates, because I do not reach the internet. Tell me the rate and I calculate: 100 * 1.08.",
		ZH: "我不知道汇率，因为我不能访问互联网。告诉我汇率，我可以计算：100 * 1.08。",
		CS: "Měnové kurzy neznám, na internet nemám přístup. Řekněte mi kurz a spočítám to: 100 * 24,5.",
	}
)

// money is a currency.
const money = `(?:us |american |australian |canadian |czech )?(?:euros?|eur|€|dollars?|usd|\$|pounds?(?: sterling)?|gbp|£|yen|jpy|yuan|rmb|cny|¥|crowns?|korunas?|czk|kč|swiss francs?|francs?|chf|rubles?|rub|rupees?|inr|zloty|pln|bitcoins?|btc|korun\pL*|dolar\pL*|libr\pL*|eur\pL*)`

// moneyRules ask what money is worth in other money.
func moneyRules() []rule {
	return []rule{{newPatterns(
		`^(?:convert |change |exchange |how (?:much|many) (?:is|are) |what(?:'s| is| are) |kolik je |převeď )?(?P<from>(?:[€$£¥] ?)?[\d.,]+ ?(?:`+money+`)?|an? `+money+`)(?: worth)? (?:to|in|into|na|v|ve) `+money+`$`,
		`^how (?:many|much) `+money+` (?:are|is|do i get for|for)(?: there in| in)? (?P<from>[\d.,]+ ?`+money+`|an? `+money+`)$`,
		`^(?:what(?:'s| is) )?(?:the )?(?:current )?exchange rate(?: .*)?$`,
		`^\d[\d.,]*\s*(?:美元|欧元|英镑|日元|人民币|元|卢布|港币)(?:等于|是|合|兑换?成?|换成?|值)\s*(?:多少)?(?:美元|欧元|英镑|日元|人民币|元|卢布|港币)?$`,
	), func(u *utterance, _ captures) goal { return saying{cannotPay.In(u.Lang)} }}}
}
