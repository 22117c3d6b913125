package toolkit

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones by name on machines that have no zone files
	"unicode/utf8"

	"loci"
	"loci/internal/lang"
	"loci/internal/text"
	"loci/internal/tool"
)

// clockArgs is what current_time takes.
type clockArgs struct {
	Zone string `json:"zone,omitempty" jsonschema:"zone or large city; empty: here"`
	Date string `json:"date,omitempty" jsonschema:"another day: 2026-12-25, or +3 or -3 days"`
	Part string `json:"part,omitempty" enum:"date,time,week,zone"`
}

// clock is what current_time returns.
type clock struct {
	Date    string `json:"date"` // 2026-11-30
	Weekday string `json:"weekday"`
	Week    string `json:"iso_week"`                  // 2026-W49
	Clock   string `json:"time"`                      // 15:04:05
	Zone    string `json:"zone"`                      // IANA name, or the abbreviation where no name is known
	Offset  string `json:"utc_offset"`                // +01:00
	Days    *int   `json:"days_from_today,omitempty"` // where another day was asked for; negative: it is over

	args clockArgs
	at   time.Time
}

// currentTime is the tool for date and time. The date is in the prompt too; the
// time of day is not, because it would move the prompt in every turn.
func currentTime() tool.Tool {
	return tool.Define(loci.ToolSpec{
		Name: "current_time",
		Description: `Tells date, weekday, week, time and zone, here, elsewhere or of another day. ` +
			`Sets no alarms; takes no path. ` +
			`Example: {"zone": "Europe/Prague"}`,
		SideEffects: loci.EffectNone,
		Examples: []string{
			"What time is it?",
			"What day is it today?",
			"What is the date?",
			"What time is it in Tokyo?",
			"Which week of the year is this?",
			"Is it already Friday?",
			"Tell me the time in New York.",
			"现在几点了？",
			"今天星期几？",
			"Kolik je hodin?",
			"Jaký je dnes den?",
		},
	}, tell, renderClock)
}

// tell does what current_time promises.
func tell(_ context.Context, env tool.Env, args clockArgs) (clock, error) {
	now := env.Now
	if args.Zone != "" {
		zone, err := findZone(args.Zone)
		if err != nil {
			return clock{}, err
		}
		now = now.In(zone)
	}
	days, err := daysTo(args.Date, now)
	if err != nil {
		return clock{}, err
	}
	if days != nil {
		now = now.AddDate(0, 0, *days)
	}
	year, week := now.ISOWeek()
	name := now.Location().String()
	if name == "Local" {
		name, _ = now.Zone()
	}
	return clock{
		Date: now.Format(time.DateOnly), Weekday: now.Weekday().String(), Week: fmt.Sprintf("%d-W%02d", year, week),
		Clock: now.Format(time.TimeOnly), Zone: name, Offset: now.Format("-07:00"),
		Days: days, args: args, at: now,
	}, nil
}

// maxDays bounds how far away a day may be: years have four digits.
const maxDays = 3_000_000

// daysTo reads a day, given as a date or as a number of days from today; nil if
// none is given.
func daysTo(day string, now time.Time) (*int, error) {
	day = strings.TrimSpace(day)
	if day == "" {
		return nil, nil
	}
	n, err := strconv.Atoi(day)
	if err != nil || day[0] != '+' && day[0] != '-' {
		date, failed := parseDay(day, now)
		if err = failed; err == nil {
			n = between(now, date)
		}
	}
	if end := now.Year() + n/365; err != nil || n < -maxDays || n > maxDays || end < 2 || end > 9990 {
		return nil, advise("Write it like 2026-12-25, or as days from today such as +3.", "The day %q cannot be read.", text.Clip(day, 100))
	}
	return &n, nil
}

// between is the number of days from one date to another. They are counted at
// noon in UTC, because a day in a zone may have 23 hours.
func between(from, to time.Time) int {
	noon := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, time.UTC)
	}
	return int(noon(to).Unix()/86400 - noon(from).Unix()/86400)
}

// regions are the first parts of the names in the zone database; a city alone
// is looked for in each.
var regions = []string{"", "Europe/", "Asia/", "America/", "Africa/", "Australia/", "Pacific/", "Atlantic/", "Indian/", "Etc/"}

// findZone finds a zone by its name, or by that of a city that has one.
func findZone(name string) (*time.Location, error) {
	words := strings.FieldsFunc(strings.TrimSpace(name), func(r rune) bool { return r == ' ' || r == '_' })
	for i, w := range words {
		if w[0] < utf8.RuneSelf && w == strings.ToLower(w) {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	city := strings.Join(words, "_")
	names := []string{strings.ToUpper(city)} // utc, cet
	for _, region := range regions {
		names = append(names, region+city)
	}
	for _, name := range names {
		if zone, err := time.LoadLocation(name); err == nil && city != "" && city != "Local" {
			return zone, nil
		}
	}
	return nil, advise("Use a name of the zone database, such as Europe/Prague or America/New_York.", "There is no time zone %q.", text.Clip(name, 100))
}

var (
	weekdaysZH = [...]string{"星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"}
	weekdaysCS = [...]string{"neděle", "pondělí", "úterý", "středa", "čtvrtek", "pátek", "sobota"}
	monthsCS   = [...]string{"ledna", "února", "března", "dubna", "května", "června", "července", "srpna", "září", "října", "listopadu", "prosince"}
)

// renderClock writes what was asked for, as the language does; the zone is named
// where it is not the person's own.
func renderClock(language string, c clock) string {
	date := lang.Words{
		EN: c.at.Format("Monday, 2 January 2006"),
		ZH: c.at.Format("2006年1月2日 ") + weekdaysZH[c.at.Weekday()],
		CS: weekdaysCS[c.at.Weekday()] + c.at.Format(" 2. ") + monthsCS[c.at.Month()-1] + c.at.Format(" 2006"),
	}.In(language)
	year, week := c.at.ISOWeek()
	clock, zone := c.at.Format("15:04"), ""
	if c.args.Zone != "" {
		zone = lang.Words{EN: " (%s)", ZH: "（%s）", CS: " (%s)"}.In(language, c.Zone)
	}
	switch {
	case c.args.Part == "zone":
		return lang.Words{EN: "The time zone is %s (UTC%s).", ZH: "时区是 %s（UTC%s）。", CS: "Časové pásmo je %s (UTC%s)."}.In(language, c.Zone, c.Offset)
	case c.Days != nil && c.args.Part != "week" && c.args.Part != "time":
		return renderDay(language, date, *c.Days)
	case c.Days != nil && c.args.Part == "week":
		return lang.Words{EN: "%[3]s is in week %[1]d of %[2]d.", ZH: "%[3]s 在 %[2]d 年第 %[1]d 周。", CS: "%[3]s: %[1]d. týden roku %[2]d."}.In(language, week, year, date)
	}
	switch c.args.Part {
	case "date":
		return lang.Words{EN: "Today is %s%s.", ZH: "今天是 %s%s。", CS: "Dnes je %s%s."}.In(language, date, zone)
	case "time":
		return lang.Words{EN: "It is %s%s.", ZH: "现在是 %s%s。", CS: "Je %s%s."}.In(language, clock, zone)
	case "week":
		return lang.Words{EN: "This is week %[1]d of %[2]d%[3]s.", ZH: "现在是 %[2]d 年第 %[1]d 周%[3]s。", CS: "Je %[1]d. týden roku %[2]d%[3]s."}.In(language, week, year, zone)
	}
	return lang.Words{EN: "It is %s, %s (%s, week %d).", ZH: "现在是 %s %s（%s，第 %d 周）。", CS: "Je %s, %s (%s, týden %d)."}.In(language, date, clock, c.Zone, week)
}

// dayWord counts days; the Czech forms are those after za.
var dayWord = lang.Counted{One: "day", Many: "days", ZH: "天", CSOne: "den", CSFew: "dny", CSAll: "dní"}

// daysAgoWord is the same with the Czech forms after před.
var daysAgoWord = lang.Counted{One: "day", Many: "days", ZH: "天", CSOne: "dnem", CSFew: "dny", CSAll: "dny"}

// renderDay tells of another day, and how far away it is.
func renderDay(language, date string, days int) string {
	switch {
	case days == 0:
		return lang.Words{EN: "That is today: %s.", ZH: "就是今天：%s。", CS: "To je dnes: %s."}.In(language, date)
	case days == 1:
		return lang.Words{EN: "Tomorrow is %s.", ZH: "明天是 %s。", CS: "Zítra je %s."}.In(language, date)
	case days == -1:
		return lang.Words{EN: "Yesterday was %s.", ZH: "昨天是 %s。", CS: "Včera: %s."}.In(language, date)
	case days > 0:
		return lang.Words{EN: "In %s it is %s.", ZH: "%s后是 %s。", CS: "Za %s je %s."}.In(language, dayWord.In(language, days), date)
	}
	return lang.Words{EN: "%s ago it was %s.", ZH: "%s前是 %s。", CS: "Před %s: %s."}.In(language, daysAgoWord.In(language, -days), date)
}
