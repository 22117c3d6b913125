package intent

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"loci/internal/lang"
)

// Lines of logs, as the expressions of search_files find them: of which day a line
// is, how bad what it tells is, and which module wrote it.

// levels are the words for how bad something is, and how a log writes each.
var levels = newLexicon(map[string]string{
	"error": "ERROR", "errors": "ERROR", "warn": `WARN\w*`, "warning": `WARN\w*`, "warnings": `WARN\w*`,
	"info": "INFO", "debug": "DEBUG", "trace": "TRACE", "notice": "NOTICE", "fatal": "FATAL", "critical": `CRIT\w*`, "crit": `CRIT\w*`,
})

// shownWord is a word as a report names it: a level in capitals.
func shownWord(text string) string {
	if _, ok := levels.of(text); ok {
		return strings.ToUpper(text)
	}
	return text
}

// A line begins with its time, or names it by a key; a date elsewhere is of what it
// tells. The line of a web server has the address of the client first.
const (
	timeFirst = `(?:^\W{0,3}(?:[A-Za-z]+\W{1,3})?|^\S+ \S+ \S+ \[|` + timeKey + `)`
	timeKey   = `(?i:\b(?:ts|time|timestamp|date|datetime|asctime)"?\s*[=:]\s*"?)`
)

// afterTime is what stands between the time of a line and its level.
const afterTime = `[0-9:.,TZ+\-/\[\]| ]{0,40}`

// dayForm is the expression for a day in the ways that logs write it. Those where
// it is open which number is the month are left out, but for the day first. A date
// without a year is of the last one, and none of an old day.
func dayForm(day time.Time, old bool) string {
	month := `(?i:` + strings.ToLower(day.Format("Jan")) + `)[a-z]*`
	forms := []string{
		day.Format(`2006[-/.]?01[-/.]?02`),
		day.Format(`02[./-]01[./-]2006`),
		fmt.Sprintf(`0?%d[ /-]%s[ /,-]+%d`, day.Day(), month, day.Year()),
		fmt.Sprintf(`%s +0?%d,? +%d`, month, day.Day(), day.Year()),
		fmt.Sprintf(`%s +0?%d,? +\d\d:[\d:.]+ %d`, month, day.Day(), day.Year()),
	}
	if !old {
		forms[len(forms)-1] = fmt.Sprintf(`%s +0?%d,? +\d\d:[\d:.]*(?:[^\d:.](?:%d|\D|\d{1,3}\D)|$)`, month, day.Day(), day.Year())
	}
	if day.Day() > 12 {
		forms = append(forms, day.Format(`01/02/2006`))
	}
	return `\b(?:` + strings.Join(forms, "|") + `)`
}

// klogDay is the expression for the beginning of a line of klog, of a day if it is
// not zero, with the level of the given form; empty where klog has no such level.
func klogDay(day time.Time, form string) string {
	letter := shortLetter[form]
	if letter == "" {
		return ""
	}
	if day.IsZero() {
		return `|^` + letter + `\d{4} [\d:.]+ +\d+ \S+\]`
	}
	return `|^` + letter + day.Format("0102") + ` `
}

// smallLevel is the expression for a level in small letters at its place: in
// brackets, or after a time.
func smallLevel(form string) string {
	return `|(?i:` + lineHead + `(?:\[(?:\w+:)?|(?:[\d:.,]{5}Z?|\[[^\[\]]*\d\d\])\W{1,4})` + strings.ToLower(form) + `\b)`
}

// wordForm is the expression for a word in a line. A level is one in capitals, or
// where the line says level; loosely it is also any word like it, if the person
// wrote no capitals.
func wordForm(text string, loose bool) string {
	form, level := levels.of(text)
	capitals := strings.ContainsFunc(text, unicode.IsUpper)
	switch {
	case text == "":
		return ""
	case level && loose && !capitals:
		return `(?i:\b` + strings.ToLower(form) + `)`
	case level:
		return `\b` + form + `\b|(?i:\b(?:level|lvl|severity)"?\s*[=:]\s*"?` + afterKey(form) + `)`
	case capitals:
		return regexp.QuoteMeta(text)
	}
	return `(?i:` + regexp.QuoteMeta(text) + `)`
}

// both is the expression for two things in a line, in any order.
func both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return fmt.Sprintf(`(?:%s).*(?:%s)|(?:%[2]s).*(?:%[1]s)`, a, b)
}

// attempts are the searches for the lines of a report, the strictest first. Where
// no line has the date, a file may have it in its name.
func (g report) attempts(listing listResult) []arguments {
	strict, loose := wordForm(g.text, false), wordForm(g.text, true)
	contents := []string{strict, loose}
	form, level := levels.of(g.text)
	if !g.day.IsZero() {
		day := dayForm(g.day, g.old)
		contents = []string{both(timeFirst+day, strict), both(day, loose)}
		if level {
			contents[0] = timeFirst + day + `(?:.*(?:` + strict + `)|` + afterTime + `(?:\w+:)?\b(?i:` + strings.ToLower(form) + `)\b)` +
				`|(?:(?:` + strict + `).*` + timeKey + `|^\W{0,3}` + form + `\W{1,4})` + day
		}
	}
	if level && !g.old {
		contents[0] += klogDay(g.day, form)
	}
	if level && g.day.IsZero() {
		contents[0] += smallLevel(form)
	}
	var all []arguments
	add := func(content, name string) {
		if content == "" {
			content = "^" // any line
		}
		args := arguments{"path": g.where, "content": content, "regexp": true, "case": true, "name": name}
		if g.logs && g.where == "" {
			args["type"] = "log"
		}
		all = append(all, args)
	}
	for _, c := range slices.Compact(contents) {
		add(c, "")
	}
	if name := dayInName(listing, g.day); name != "" {
		add(loose, name)
	}
	return all
}

// dayInName is how the names of some files in a folder write the day; empty if
// none does.
func dayInName(listing listResult, day time.Time) string {
	if day.IsZero() {
		return ""
	}
	for _, form := range []string{time.DateOnly, "20060102", "2006_01_02", "2006.01.02"} {
		name := day.Format(form)
		if slices.ContainsFunc(listing.Entries, func(e listedEntry) bool { return strings.Contains(e.Name, name) }) {
			return name
		}
	}
	return ""
}

// keys are the names that a field has in logs, besides its own.
var keys = map[string]string{
	"module":  `module|mod|component|logger|subsystem|service|source`,
	"service": `service|svc|app|application`,
	"host":    `host|hostname|node|server|machine`,
	"level":   `level|lvl|severity|loglevel`,
	"user":    `user|username|uid|login`,
	"ip":      `ip|addr|address|remote_addr|client`,
}

// likeModule are fields that name the part of a program that wrote a line.
var likeModule = []string{"module", "component", "service", "logger", "source", "subsystem", "program", "app", "class", "package"}

// placesOf are the expressions for where a field can stand in a line, each with
// one group, the surest first.
func placesOf(field, text string) []string {
	name, ok := keys[field]
	if !ok {
		name = regexp.QuoteMeta(field)
	}
	places := []string{`(?i:\b(?:` + name + `)"?\s*[=:]\s*"?)([\pL\d_.\-/:@]+)`}
	if form, ok := fieldForms[field]; ok {
		places = append([]string{form}, places...)
	}
	level := `\b(?i:trace|debug|info|notice|warn(?:ing)?|error|fatal|crit(?:ical)?`
	if text != "" {
		level += `|` + regexp.QuoteMeta(text)
	}
	level += `)\b`
	const part, dotted = `([A-Za-z_][\w./\-]*)`, `([A-Za-z_][\w./\-]*\w)`
	switch {
	case slices.Contains(likeModule, field):
		places = append(places,
			level+`\]?[\s|:>\-]*\[`+part+`\]`,                                  // ERROR [auth] …
			level+`\]?\s+`+dotted+` - `,                                        // ERROR com.example.Auth - …
			`\[`+part+`\]\s*[|:\-]?\s*\[?`+level,                               // [auth] ERROR …
			dotted+` - `+level+` - `,                                           // auth - ERROR - …
			level+`\s*[|:]\s*`+dotted+`\s*[|:]`,                                // ERROR:auth:…
			level+`\]?\s+\(`+part+`\)`,                                         // ERROR (auth) …
			level+`\]?\s+`+dotted+`(?:\[\d+\])?:(?:\s|$)`,                      // ERROR auth: …
			`\b`+dotted+`\.`+level+`:`,                                         // auth.ERROR: …
			`^[A-Z][a-z]{2} +\d+ [\d:]+ \S+ ([A-Za-z_][\w./\-]*)(?:\[\d+\])?:`, // of syslog
			`^\d{4}-\S+ \S+ ([A-Za-z_][\w./\-]*)\[\d+\]:`)
	case field == "host":
		places = append(places, `^[A-Z][a-z]{2} +\d+ [\d:]+ (\S+) \S+:`, `^\d{4}-\S+ (\S+) [\w./\-]+\[\d+\]:`)
	case field == "level":
		places = append(places, `\b(?i:(trace|debug|info|notice|warn(?:ing)?|error|fatal|crit(?:ical)?))\b`)
	}
	return places
}

// fieldIn is the expression for search_files that groups lines by a field: the
// places where it can stand that tell it of some line that was seen, the surest
// first. Lines that tell it nowhere count too, for a value that is empty. The
// expression is empty if no line tells it.
func fieldIn(field, text string, sample searchResult) string {
	lines := linesIn(sample)
	most := 990 // bytes
	if form, ok := levels.of(text); ok {
		most -= len(ofOtherLevel(form))
	}
	expr := ""
	for _, place := range placesOf(field, text) {
		whole := `^.*?(?:` + place + `)|`
		re, err := regexp.Compile(whole[:len(whole)-1])
		if err != nil { // its parts are ours, or quoted
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(lines), re.MatchString)
		if len(rest) < len(lines) && len(expr)+len(whole) < most {
			lines, expr = rest, expr+whole
		}
	}
	if expr == "" {
		return ""
	}
	return expr + `^`
}

// linesIn are the lines of a search.
func linesIn(sample searchResult) []string {
	var lines []string
	for _, m := range sample.Matches {
		for _, h := range m.Hits {
			lines = append(lines, h.Text)
		}
	}
	return lines
}

// fieldTitles name fields to people.
var fieldTitles = map[string]lang.Words{
	"module": {EN: "Module", ZH: "模块", CS: "Modul"}, "file": {EN: "File", ZH: "文件", CS: "Soubor"}, "host": {EN: "Host", ZH: "主机", CS: "Počítač"},
	"level": {EN: "Level", ZH: "级别", CS: "Úroveň"}, "user": {EN: "User", ZH: "用户", CS: "Uživatel"}, "hour": {EN: "Hour", ZH: "小时", CS: "Hodina"},
	"day": {EN: "Day", ZH: "日期", CS: "Den"}, "ip": {EN: "Address", ZH: "地址", CS: "Adresa"}, "service": {EN: "Service", ZH: "服务", CS: "Služba"}, "component": {EN: "Component", ZH: "组件", CS: "Komponenta"},
}

// fieldTitle names a field to the person.
func fieldTitle(u *utterance, field string) string {
	if w, ok := fieldTitles[field]; ok {
		return w.In(u.Lang)
	}
	r := []rune(field)
	return strings.ToUpper(string(r[:min(1, len(r))])) + string(r[min(1, len(r)):])
}
