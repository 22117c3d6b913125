package intent_test

import (
	"strings"
	"testing"
)

// levelFiles are logs in which the words of levels are also words of the text.
var levelFiles = map[string]string{
	"logs/app.log": "2026-11-28 08:07:13 ERROR [auth] bad token\n2026-11-29 08:21:39 ERROR [auth] login failed\n" +
		"2026-11-29 08:28:52 ERROR [db] connection lost\n2026-11-29 08:35:05 INFO [auth] user said: ERROR is my favourite word\n" +
		"2026-11-29 09:49:31 WARN [mail] slow\n2026-11-29 09:03:57 INFO [db] retry after ERROR 17\n10:00 ERROR [mail] bounce\n",
	"logs/apache.log": "[Sun Nov 29 10:00:03.123456 2026] [core:error] [pid 1] a file is missing\n[Sun Nov 29 10:00:04.123456 2026] [core:notice] [pid 1] no ERROR\n",
	"logs/pino.log":   `{"level":30,"time":1764410400000,"module":"web","msg":"no ERROR"}` + "\n" + `{"level":50,"time":"2026-11-29T10:00:00Z","module":"web","msg":"gone"}` + "\n",
	"logs/apache.old": "[Fri Nov 29 10:00:03.123456 2024] [core:error] [pid 1] a file is missing\n",
	"logs/ruby.log":   "I, [2026-11-29T10:00:00.123456 #12]  INFO -- web: ERROR text\nE, [2026-11-29T10:00:01.123456 #12] ERROR -- jobs: gone\n",
	"logs/syslog":     "Nov 27 06:00:00 box cron[12]: ERROR no such job\n",
	"notes.md":        "buy milk\nthe ERROR is mine\nbuy bread\n",
}

// TestCountsOfLevels are told by the form of the lines, however they are asked for.
func TestCountsOfLevels(t *testing.T) {
	inAll := "auth: 2\ncore: 2\ncron: 1\ndb: 1\njobs: 1\nmail: 1\nweb: 1\nTotal: 9 lines.\nNot counted: 5 lines of another level"
	for ask, want := range map[string]string{
		"count ERROR lines in logs/ per module":                       inAll,
		"how many errors per module are in logs/?":                    inAll,
		"count the ERROR lines of every module in logs/":              inAll,
		"how many ERROR lines per module in logs/app.log?":            "auth: 2\ndb: 1\nmail: 1\nTotal: 4 lines.\nNot counted: 2 lines",
		"How many ERROR lines are in logs/app.log?":                   "logs/app.log: 4\nTotal: 4 lines in 1 file.\nNot counted: 2 lines",
		"how many errors are in logs/app.log":                         "Total: 4 lines in 1 file.\nNot counted: 2 lines",
		"how many lines in logs/app.log are at level ERROR?":          "Total: 4 lines in 1 file.\nNot counted: 2 lines",
		"count the warnings in logs/":                                 "logs/app.log: 1\nTotal: 1 line in 1 file.",
		"count ERROR lines in logs/app.log by day":                    "2026-11-29: 2\n",
		"count the ERROR lines in my files":                           "logs/app.log: 4\n",
		"which module had the most errors yesterday in logs/app.log?": "of 2026-11-29 in logs/app.log, by module:\nauth: 1\ndb: 1\n",
		"what is the number of errors in logs/app.log":                "Total: 4 lines in 1 file.",
		"how many ERROR or WARN lines are in logs/app.log":            "I did not understand all of that",
		"how many ERROR lines from last week are in logs/":            "I did not understand all of that",
		"how many errors and warnings are in logs/":                   "I did not understand all of that",
		"how many ERROR lines does logs/app.log contain?":             "Total: 4 lines in 1 file.",
		"kolik řádků ERROR obsahuje logs/app.log":                     "logs/app.log: 4\n",
		"logs/app.log 有几个错误":                                          "logs/app.log: 4\n",
		"how many modules have errors in logs/":                       "I did not understand all of that",
		"how many ERROR lines of 2024-11-27 are in logs/syslog":       "There are none: ERROR lines of 2024-11-27 in logs/syslog: 0.",
		"how many ERROR lines of November 27 are in logs/syslog":      "logs/syslog: 1\n",
		"how many ERROR lines of yesterday are in logs/apache.old":    "There are none: ERROR lines of 2026-11-29",
		"how many ERROR lines of 2024-11-29 are in logs/apache.old":   "logs/apache.old: 1\n",
		"how many ERROR lines of yesterday are in logs/apache.log":    "logs/apache.log: 1\n",
		"count lines by level in logs/app.log":                        "ERROR: 4\n",
		"which module has the most errors in logs/app.log?":           "auth: 2\ndb: 1\n",
		"logs/app.log 里有多少行 ERROR？":                                   "logs/app.log: 4\n合计：4 行，1 个文件。\n未计入：级别不同",
		"按模块统计 logs/app.log 里的 ERROR 行数":                              "auth: 2\ndb: 1\nmail: 1\n合计：4 行",
		"Kolik řádků ERROR je v logs/app.log?":                        "logs/app.log: 4\nCelkem: 4 řádky",
		"Spočítej řádky ERROR podle modulů v logs/app.log":            "auth: 2\ndb: 1\nmail: 1\nCelkem: 4 řádky",
		"how many lines contain buy in notes.md":                      "buy occurs in 2 lines of notes.md",
		"how many lines contain ERROR in logs/app.log":                "ERROR occurs in 6 lines",
		"count the klog ERROR lines per module in logs/":              "I did not understand all of that",
		"count yesterday's ERROR lines per module in logs/":           "auth: 1\ncore: 1\ndb: 1\njobs: 1\nweb: 1\nTotal: 5 lines.\nNot counted: 4 lines of another level with the word ERROR in the text.\nNot counted: 1 line with",
		"count the ERROR lines of November 28 in logs/ per module":    "auth: 1\nTotal: 1 line",
		"how many ERROR lines of today are in logs/syslog":            "There are none: ERROR lines of 2026-11-30 in logs/syslog: 0.",
		"how many ERROR lines are in logs/apache.log":                 "logs/apache.log: 1\n",
		"how many errors in logs/pino.log yesterday":                  "logs/pino.log: 1\n",
		"how many INFO lines are in logs/pino.log":                    "logs/pino.log: 1\n",
	} {
		p := newPerson(t, levelFiles)
		p.has(everything())
		m := p.asks(ask)
		if !strings.Contains(m.Say, want) {
			t.Errorf("%s: said %q after %v, want %q in it", ask, m.Say, len(p.calls), want)
		}
		if strings.Contains(ask, "syslog") && strings.Contains(m.Say, "no date") {
			t.Errorf("%s: said %q of lines that have a date", ask, m.Say)
		}
	}
}
