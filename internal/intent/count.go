package intent

import (
	"regexp"
	"strings"

	"loci"
	"loci/internal/lang"
)

// counting is the goal of counting the lines that contain a text, all lines if
// there is none, for each value of a field if one is named.
type counting struct {
	where string // a file or folder; empty: everywhere
	text  string
	field string // such as module
}

// first is the tool that counts.
func (counting) first() string { return searchFiles }

// next counts in one call, or in two where it has to be seen first how the
// lines name the field.
func (g counting) next(u *utterance, done []loci.ToolResult) loci.Move {
	args := arguments{"path": g.where, "content": g.text, "count": true}
	if g.text == "" {
		args["content"], args["regexp"] = "^", true
	}
	form, known := fieldForms[g.field]
	switch {
	case len(done) == 0 && g.field != "" && !known:
		// Where the field stands in a line is seen from a few of them.
		return call(searchFiles, arguments{"path": g.where, "content": g.text, "limit": 20})
	case len(done) == 0:
		args["group_by"] = form
		return call(searchFiles, args)
	}
	last := done[len(done)-1]
	result := decode[searchResult](last)
	switch {
	case result.Lines == nil || *result.Lines == 0:
		return say(u, last)
	case len(done) == 1 && g.field != "" && !known:
		args["group_by"] = g.groupBy(result)
		return call(searchFiles, args)
	case g.field == "" && g.text == "":
		if g.where == "" {
			return say(u, last)
		}
		return loci.Move{Say: lineCount.In(u.Lang, g.where, *result.Lines)}
	}
	return say(u, last)
}

// fieldForms are the places of fields that look the same in every log, as
// expressions for search_files with one group.
var fieldForms = map[string]string{
	"day": `(\d{4}-\d\d-\d\d)`, "date": `(\d{4}-\d\d-\d\d)`,
	"hour": `(\d{4}-\d\d-\d\d[T ]\d\d)`,
	"ip":   `(\d{1,3}(?:\.\d{1,3}){3})`, "address": `(\d{1,3}(?:\.\d{1,3}){3})`, "ip address": `(\d{1,3}(?:\.\d{1,3}){3})`,
	"level": `\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b`,
}

// fieldNames are the names that fields have in logs, which are English, by what
// people call them.
var fieldNames = newLexicon(map[string]string{
	"模块": "module", "天": "day", "日期": "day", "小时": "hour", "级别": "level", "用户": "user", "地址": "ip",
	"modules": "module", "files": "file", "log file": "file", "logfile": "file", "hosts": "host", "hostname": "host", "server": "host", "machine": "host", "severity": "level", "levels": "level", "users": "user", "log level": "level",
	"文件": "file", "主机": "host", "服务器": "host", "等级": "level", "组件": "component", "服务": "service",
	"modulů": "module", "moduly": "module", "modulech": "module", "souboru": "file", "souborů": "file", "souborech": "file", "soubor": "file", "serveru": "host", "serverů": "host", "počítače": "host", "hostitele": "host", "úrovní": "level", "úroveň": "level", "úrovních": "level", "uživatelů": "user", "služby": "service", "služeb": "service", "komponenty": "component",
	"modulu": "module", "modul": "module", "dne": "day", "den": "day", "hodiny": "hour", "úrovně": "level", "uživatele": "user",
})

// groupBy is the expression that captures the field. It is written by name
// (module=auth, "module":"auth"), or else it is what follows the text, in
// brackets or not: ERROR [auth] …, ERROR auth: …
func (g counting) groupBy(sample searchResult) string {
	name := regexp.QuoteMeta(g.field)
	byName := `(?i:\b` + name + `)"?\s*[=:]\s*"?([\w.\-/]+)`
	re := regexp.MustCompile(byName)
	for _, m := range sample.Matches {
		for _, h := range m.Hits {
			if re.MatchString(h.Text) {
				return byName
			}
		}
	}
	return `(?i:` + regexp.QuoteMeta(g.text) + `)[^\w]+([A-Za-z_][\w.\-/]*)`
}

// perField takes the words that ask for a field off a request.
var perField = newPattern(`^(?P<before>.*?),? (?:per|by|for each|for every|grouped by|group by|broken down by|podle|na) (?P<field>(?:ip address|\pL+))(?P<after>(?: (?:are |is |there |do i have )*(?:in|v|ve) .*)?)$|^(?:按|根据)(?P<field>\p{Han}+?)(?:分组|分别)?(?P<after>统计.*|计算.*|数.*)$`)

// countRules ask for a number of lines, in all or for each value of a field.
func countRules() []rule {
	return []rule{
		{newPatterns(`^(?P<all>.*(?:how many|count|number of|kolik|统计|多少).*)$`), func(u *utterance, m captures) goal {
			p, ok := perField.match(m["all"])
			if !ok {
				return nil
			}
			field := fieldNames.or(p["field"], strings.ToLower(p["field"]))
			g, ok := u.counting(strings.TrimSpace(p["before"] + " " + p["after"]))
			if !ok || g.text == "" {
				return nil
			}
			if isLevel(logWord(g.text)) {
				return report{where: g.where, text: logWord(g.text), field: field}
			}
			if field != "file" {
				g.field = field
			}
			return g
		}},
		{newPatterns(`^(?P<all>.*)$`), func(u *utterance, m captures) goal {
			g, ok := u.counting(m["all"])
			switch {
			case ok && isLevel(logWord(g.text)) && !asWord.has(m["all"]):
				return report{where: g.where, text: logWord(g.text), field: "file"}
			case ok:
				return g
			}
			return nil
		}},
	}
}

// countPatterns find what is counted, and where.
var countPatterns = newPatterns(
	`^(?:how many|count|number of)(?: of)?(?: the| all)?(?: (?P<text>\S.*?))? lines?(?: are| are there| do i have| is| there are)? (?:in|inside|of) (?P<where>\S.*)$`,
	`^(?:count how many|how many|count)(?: the| all)? lines(?: in (?P<where>.+?))?(?: that)? (?:contain|contains|mention|mentions|include|match|say|with|containing|mentioning)(?: the word| the text)? (?P<text>.+?)(?: (?:are )?(?:in|inside) (?P<where>.+?))?(?: are there)?$`,
	`^how many lines (?:does|do) (?P<where>.+?) (?:have|contain)$`,
	// Chinese
	`^(?P<where>\S.*?)\s*(?:里面|里|中|里头)?\s*(?:一共|总共|共)?有?(?:多少|几)(?:行|条)\s*(?:包含|含有|含|是)?\s*(?P<text>.*?)(?:的?(?:行|日志|记录))?$`,
	`^(?:统计|数一下|数数|计算)\s*(?P<where>\S+?)\s*(?:里面|里|中)?的?\s*(?P<text>[\w"“”]+)\s*的?(?:行数|行|数量|次数)$`,
	// Czech
	`^kolik(?: je)?(?: řádků| řádek| řádky)(?: s| se| obsahuje| obsahujících)?(?: slovem| textem| slovo)?(?: (?P<text>\S.*?))??(?: je| jsou)? (?:v|ve|má)(?: souboru| složce)? (?P<where>\S.*)$`,
	`^kolik řádků má(?: soubor)? (?P<where>\S.*)$`,
)

// counting reads what is to be counted where.
func (u *utterance) counting(words string) (counting, bool) {
	for _, p := range countPatterns {
		m, ok := p.match(words)
		if !ok {
			continue
		}
		text, _ := unquote(m["text"])
		where, inQuotes := unquote(strip(m["where"], fileWords, fileTail))
		if where, ok := u.countPlace(where, m["where"], inQuotes); ok {
			return counting{where: where, text: text}, true
		}
	}
	return counting{}, false
}

// countPlace tells what a place is: a path, a folder, or everywhere. A poem's
// lines are not in a place.
func (u *utterance) countPlace(where, words string, inQuotes bool) (string, bool) {
	if isPath(where) || inQuotes {
		return where, true
	}
	if where == "" || myFiles.has(words) {
		return "", words == "" || myFiles.has(words)
	}
	if path, ok := u.listedFile(where); ok {
		return path, true
	}
	return u.folder(words, false)
}

// lineCount is said of all the lines of a file.
var lineCount = lang.Words{
	EN: "%s has %d lines.", ZH: "%s 共有 %d 行。", CS: "Soubor %s má řádků: %d.",
}
