package intent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mixedLogs are logs of many programs in one folder, each with two lines of
// yesterday that count and some that do not: of another day, or of another level
// with the word ERROR in what they tell.
var mixedLogs = map[string]string{
	"logs/app.log":    "2026-11-29 14:02:11 ERROR [auth] bad\n2026-11-29 14:02:12 ERROR [auth] bad\n2026-11-29 14:02:13 INFO [billing] no ERROR here\n2026-11-28 14:02:13 ERROR [auth] bad\n",
	"logs/k3.json":    `{"ts":"2026-11-29T14:02:11Z","level":"error","module":"pay","msg":"x"}` + "\n" + `{"ts":"2026-11-29T14:02:12Z","msg":"y","module":"pay","level":"ERROR"}` + "\n" + `{"ts":"2026-11-29T14:02:13Z","level":"info","module":"web","msg":"ERROR count reset"}` + "\n",
	"logs/spring.log": "2026-11-29 10:00:00.123 ERROR 1234 --- [main] com.acme.Pay : no card\n2026-11-29 10:00:00.124 ERROR 1234 --- [           main] com.acme.Pay                 : no card\n2026-11-29 10:00:00.125  INFO 1234 --- [main] com.acme.Pay : ERROR is over\n",
	"logs/kube.log":   "E1129 14:02:11.000 1 sched.go:12] no node\nE1129 14:02:12.000001       1 sched.go:12] no node\nI1129 14:02:13.000 1 sched.go:99] ERROR is over\nE1128 14:02:11.000 1 sched.go:12] no node\n",
	"logs/messages":   "Nov 29 14:02:11 box cron[12]: ERROR no job\nNov 29 14:02:12 box cron[12]: ERROR no job\nNov 29 14:02:13 box cron[12]: INFO no ERROR\n",
	"logs/fmt.log":    `time=2026-11-29T14:02:11Z level=error component=mail msg="x"` + "\n" + `time=2026-11-29T14:02:12Z level=error component=mail msg="y"` + "\n" + `time=2026-11-29T14:02:13Z level=info component=mail msg="no ERROR"` + "\n",
	"logs/py.log":     "2026-11-29 14:02:11,123 - shop.cart - ERROR - empty\n2026-11-29 14:02:11,124 - shop.cart - ERROR - empty\n2026-11-29 14:02:11,125 - shop.cart - WARNING - ERROR soon\n",
	"logs/java.log":   "2026-11-29 14:02:11.123 [pool-1] ERROR a.b.Search - down\n2026-11-29 14:02:11.123 [pool-2] ERROR a.b.Search - down\n",
	"logs/first.log":  "ERROR 2026-11-29 14:02:11 module=geo\nERROR 2026-11-29 14:02:12 module=geo\nINFO 2026-11-29 14:02:12 module=geo ERROR gone\n",
	"logs/none.log":   "2026-11-29 14:02:11 ERROR it broke\n2026-11-29 14:02:12 ERROR it broke again\n",
}

// TestReportOfMixedForms groups each line by its own form.
func TestReportOfMixedForms(t *testing.T) {
	p := newPerson(t, mixedLogs)
	p.has(everything())
	m := p.asks(theTask)
	raw, err := os.ReadFile(filepath.Join(p.dir, "report.md"))
	if err != nil {
		t.Fatalf("%v, said %s after %v", err, m.Say, p.calls)
	}
	for _, module := range []string{"auth", "pay", "com.acme.Pay", "sched.go", "cron", "mail", "shop.cart", "a.b.Search", "geo", "(no module)"} {
		if !strings.Contains(string(raw), "| "+module+" | 2 |\n") {
			t.Errorf("no two lines of %s", module)
		}
	}
	if !strings.Contains(string(raw), "Total: 20 lines.\n") || !strings.Contains(string(raw), "Not counted: 7 lines of another level with the word ERROR") || strings.Contains(string(raw), "do not tell") {
		t.Error("the sum and what was left out")
	}
	if !strings.HasPrefix(m.Say, "report.md is written: ERROR lines of 2026-11-29 in logs/, by module. (no module): 2, a.b.Search: 2, auth: 2, and 7 more in the file. Total: 20 lines.") {
		t.Errorf("said %q", m.Say)
	}
	if t.Failed() {
		t.Logf("wrote %s", raw)
	}
}

// TestLevelAtItsPlace counts no line of another level.
func TestLevelAtItsPlace(t *testing.T) {
	for name, tc := range map[string]struct{ log, ask, want string }{
		"a word in the text":  {"2026-11-29 10:00 INFO [billing] no ERROR here\n2026-11-29 10:00 ERROR [auth] x\n", "how many ERROR lines were there yesterday in logs/?", "logs/x.log: 1\nTotal: 1 line in 1 file.\nNot counted: 1 line of another level"},
		"JSON":                {`{"ts":"2026-11-29","level":"info","msg":"ERROR count reset"}` + "\n", "how many ERROR lines were there yesterday in logs/?", "There are none: ERROR lines of 2026-11-29 in logs/: 0. Not counted: 1 line of another level"},
		"by module too":       {"2026-11-29 10:00 INFO [billing] no ERROR here\n2026-11-29 10:00 ERROR [auth] x\n", "count yesterday's ERROR lines per module in logs/", "auth: 1\nTotal: 1 line.\nNot counted: 1 line"},
		"in brackets":         {"[2026-11-29 10:00] [INFO] [auth] ERROR is gone\n[2026-11-29 10:00] [ERROR] [auth] x\n", "count yesterday's ERROR lines per module in logs/", "auth: 1\nTotal: 1 line.\nNot counted: 1 line"},
		"by host":             {"2026-11-29 10:00 ERROR host=a x\n2026-11-29 10:00 ERROR host=b x\n2026-11-29 10:00 INFO host=b ERROR gone\n", "count yesterday's ERROR lines per host in logs/", "a: 1\nb: 1\nTotal: 2 lines.\nNot counted: 1 line"},
		"no form":             {"on 2026-11-29 something went wrong, ERROR 17\n", "how many ERROR lines were there yesterday in logs/?", "Total: 1 line in 1 file.\nSome of the lines are in a form that I do not know; they are counted because they have the word ERROR."},
		"no form, by module":  {"date 2026-11-29 it is an ERROR\n2026-11-29 10:00 ERROR [auth] x\n", "count yesterday's ERROR lines per module in logs/", "Some of the lines are in a form that I do not know"},
		"all other":           {"2026-11-29 10:00 INFO [a] no ERROR\n", "count yesterday's ERROR lines per module in logs/ and write report.md", "There are none: ERROR lines of 2026-11-29 in logs/: 0. Not counted: 1 line of another level with the word ERROR in the text. I have not written report.md."},
		"without a date":      {"10:00 ERROR [a] x\n10:01 ERROR [a] x\n", "count yesterday's ERROR lines per module in logs/", "There are none: ERROR lines of 2026-11-29 in logs/: 0. Not counted: 2 lines with the word ERROR that have no date"},
		"a warning of WARN":   {"2026-11-29 10:00 WARNING [a] x\n2026-11-29 10:00 WARN [a] x\n2026-11-29 10:00 INFO [a] WARN off\n", "count yesterday's WARN lines per module in logs/", "a: 2\nTotal: 2 lines."},
		"the lines tell none": {"2026-11-29 ERROR it broke\n", "count yesterday's ERROR lines per module in logs/", "The lines do not tell the module, so they are counted by file."},
	} {
		p := newPerson(t, map[string]string{"logs/x.log": tc.log})
		p.has(everything())
		if m := p.asks(tc.ask); !strings.Contains(m.Say, tc.want) {
			t.Errorf("%s: said %q after %v, want %q in it", name, m.Say, p.calls, tc.want)
		}
	}
}

// TestSomeWithoutDate tells of logs without dates beside others.
func TestSomeWithoutDate(t *testing.T) {
	p := newPerson(t, map[string]string{"logs/a.log": "2026-11-29 10:00 ERROR [auth] x\n", "logs/b.log": "ERROR module=db x\nERROR module=db y\n"})
	p.has(everything())
	if m := p.asks("count yesterday's ERROR lines per module in logs/"); !strings.Contains(m.Say, "auth: 1\nTotal: 1 line in 1 file.\nNot counted: 2 lines with the word ERROR that have no date") {
		t.Errorf("said %q after %v", m.Say, p.calls)
	}
}
