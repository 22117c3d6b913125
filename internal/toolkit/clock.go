package toolkit

import (
	"context"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // zones by name on machines that have no zone files
	"unicode/utf8"

	"loci"
	"loci/internal/lang"
	"loci/internal/tool"
)

// clockArgs is what current_time takes.
type clockArgs struct {
	Zone string `json:"zone,omitempty" jsonschema:"zone or large city; here if left out"`
	Part string `json:"part,omitempty" enum:"date,time,week"`
}

// clock is what current_time returns.
type clock struct {
	Date    string `json:"date"` // 2026-11-30
	Weekday string `json:"weekday"`
	Week    string `json:"iso_week"`   // 2026-W49
	Clock   string `json:"time"`       // 15:04:05
	Zone    string `json:"zone"`       // IANA name, or the abbreviation where no name is known
	Offset  string `json:"utc_offset"` // +01:00

	args clockArgs
	at   time.Time
}

// currentTime is the tool for date and time. The date is in the prompt too; the
// time of day is not, because it would move the prompt in every turn.
func currentTime() tool.Tool {
	return tool.Define(loci.ToolSpec{
		Name: "current_time",
		Description: `Tells date, weekday, ISO week, time and zone, here or elsewhere. ` +
			`Does not set alarms; takes no path. ` +
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
	year, week := now.ISOWeek()
	name := now.Location().String()
	if name == "Local" {
		name, _ = now.Zone()
	}
	return clock{
		Date: now.Format(time.DateOnly), Weekday: now.Weekday().String(), Week: fmt.Sprintf("%d-W%02d", year, week),
		Clock: now.Format(time.TimeOnly), Zone: name, Offset: now.Format("-07:00"),
		args: args, at: now,
	}, nil
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
	return nil, advise("Use a name of the zone database, such as Europe/Prague or America/New_York.", "There is no time zone %q.", clip(name, 100))
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
