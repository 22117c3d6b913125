package intent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/lang"
	"loci/internal/tool"
)

// logFiles are logs of three days: yesterday there were three errors in auth and
// two in payment.
var logFiles = map[string]string{
	"logs/app.log": "2026-11-28 09:00:00 ERROR [db] connection lost\n" +
		"2026-11-29 14:02:11 ERROR [auth] token expired\n" +
		"2026-11-29 14:02:12 INFO [auth] no errors since then\n" +
		"2026-11-29 15:10:00 ERROR [payment] card declined\n" +
		"2026-11-29 16:00:01 ERROR [auth] token expired\n" +
		"2026-11-29 16:00:02 ERROR [auth] token expired\n" +
		"2026-11-30 08:00:00 ERROR [auth] the token of 2026-11-29 expired\n",
	"logs/batch.log": "2026-11-29 23:59:59 ERROR [payment] bank closed\n2026-11-30 00:00:01 INFO [payment] bank open\n",
	"logs/readme.md": "Nothing but logs.\n",
	"app.log":        "2026-11-29 10:00:00 WARN [web] slow\n2026-11-30 10:00:00 WARN [web] slow\n2026-11-30 10:00:01 ERROR [web] down\n2026-11-30 10:00:02 WARN [web] slow\n2026-11-30 10:00:03 WARN [db] slow\n",
}

// TestReports measures how requests to count lines for a report are read, by what
// is in the file in the end.
func TestReports(t *testing.T) {
	for file, least := range map[string]float64{"testdata/reports.tsv": 1, "testdata/reports_heldout.tsv": 0.9} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all, right := 0, 0
		for line := range strings.Lines(string(raw)) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			var want []string
			if err := json.Unmarshal([]byte(f[2]), &want); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			all++
			p := newPerson(t, logFiles)
			p.has(everything())
			m := p.asks(f[3])
			got := m.Say
			if raw, err := os.ReadFile(filepath.Join(p.dir, f[0])); f[0] != "" && err == nil {
				got = string(raw)
			} else if f[0] != "" {
				got = "NOT WRITTEN " + got
			}
			if !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(got, w) }) && !strings.Contains(got, "NOT WRITTEN") {
				right++
				continue
			}
			t.Logf("%q: %.300q after %v", f[3], got, p.calls)
		}
		share := float64(right) / float64(all)
		t.Logf("%s: %d of %d, %.1f %%", file, right, all, 100*share)
		if share < least {
			t.Errorf("%s: only %.1f %% right", file, 100*share)
		}
	}
}

const theTask = "count yesterday's ERROR lines per module in logs/, sort them, write report.md"

// TestReportStepByStep is the whole run, from the list to the answer.
func TestReportStepByStep(t *testing.T) {
	p := newPerson(t, logFiles)
	p.has(everything())
	m := p.asks(theTask)
	var names []string
	for _, c := range p.calls {
		name, _, _ := strings.Cut(c, " ")
		names = append(names, name)
	}
	if diff := cmp.Diff([]string{"list_dir", "search_files", "search_files", "write_file", "read_file"}, names); diff != "" {
		t.Errorf("the calls: %s", diff)
	}
	raw, err := os.ReadFile(filepath.Join(p.dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := "# ERROR lines of 2026-11-29 in logs/, by module\n\n| Module | Lines |\n|---|---:|\n| auth | 3 |\n| payment | 2 |\n\nTotal: 5 lines in 2 files.\n"
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Errorf("the report: %s", diff)
	}
	if want := "report.md is written: ERROR lines of 2026-11-29 in logs/, by module. auth: 3, payment: 2. Total: 5 lines in 2 files."; m.Say != want {
		t.Errorf("said %q, want %q", m.Say, want)
	}
	p.asks(theTask)
	if again, err := os.ReadFile(filepath.Join(p.dir, "report.md")); err != nil || string(again) != want {
		t.Errorf("the second time it is %q, %v", again, err)
	}
}

// TestReportWords are in the language of the person.
func TestReportWords(t *testing.T) {
	for text, want := range map[string][2]string{
		"统计 logs/ 里昨天每个模块的 ERROR 行数，排序后写入 report.md":                              {"| 模块 | 行数 |", "已写入 report.md"},
		"Spočítej včerejší řádky ERROR podle modulů v logs/ a zapiš do report.md": {"| Modul | Řádků |", "Soubor report.md je zapsán"},
	} {
		p := newPerson(t, logFiles)
		p.has(everything())
		m := p.asks(text)
		raw, err := os.ReadFile(filepath.Join(p.dir, "report.md"))
		if err != nil || !strings.Contains(string(raw), want[0]) || !strings.HasPrefix(m.Say, want[1]) {
			t.Errorf("%q: wrote %q, said %q, %v", text, raw, m.Say, err)
		}
	}
}

// TestReportOfManyForms counts logs as programs write them. All have two lines of
// auth and one of payment of yesterday, and one of today.
func TestReportOfManyForms(t *testing.T) {
	forms := map[string]string{
		"ISO time, colon":      "2026-11-29T14:02:11Z ERROR auth: bad\n2026-11-29T14:02:11Z ERROR auth: bad\n2026-11-29T14:02:12Z ERROR payment: card declined\n2026-11-30T14:02:11Z ERROR auth: bad\n2026-11-29T14:02:11Z INFO auth: ok\n",
		"keys":                 "29/Nov/2026:14:02:11 level=error module=auth\n29/Nov/2026:14:02:12 level=error module=auth\n29/Nov/2026:14:02:13 level=error module=payment msg=x\n30/Nov/2026:14:02:11 level=error module=auth\n29/Nov/2026:14:02:11 level=info module=auth msg=errors\n",
		"JSON":                 `{"ts":"2026-11-29T14:02:11Z","level":"ERROR","module":"auth"}` + "\n" + `{"level":"error","module":"auth","ts":"2026-11-29T14:02:12Z"}` + "\n" + `{"ts":"2026-11-29T14:02:13Z","level":"ERROR","module":"payment","msg":"module: web"}` + "\n" + `{"ts":"2026-11-30T14:02:11Z","level":"ERROR","module":"auth"}` + "\n",
		"bracket before":       "[2026-11-29 14:02:11] [auth] ERROR: bad\n[2026-11-29 14:02:11] [auth] ERROR: bad\n[2026-11-29 14:02:12] [payment] ERROR: bad\n[2026-11-30 14:02:12] [payment] ERROR: bad\n",
		"Python":               "2026-11-29 14:02:11,123 - auth - ERROR - bad\n2026-11-29 14:02:11,123 - auth - ERROR - bad\n2026-11-29 14:02:11,124 - payment - ERROR - worse\n2026-11-30 14:02:11,123 - auth - ERROR - bad\n",
		"Java":                 "2026-11-29 14:02:11.123 [main] ERROR auth - bad\n2026-11-29 14:02:11.123 [pool-1] ERROR auth - bad\n2026-11-29 14:02:11.123 [main] ERROR payment - bad\n2026-11-30 14:02:11.123 [main] ERROR payment - bad\n",
		"Go":                   "2026/11/29 14:02:11 ERROR auth: bad\n2026/11/29 14:02:11 ERROR auth: bad\n2026/11/29 14:02:11 ERROR payment: bad\n2026/11/30 14:02:11 ERROR payment: bad\n",
		"Monolog":              "[2026-11-29 14:02:11] auth.ERROR: bad\n[2026-11-29 14:02:11] auth.ERROR: bad\n[2026-11-29 14:02:11] payment.ERROR: bad\n[2026-11-30 14:02:11] auth.ERROR: bad\n",
		"syslog":               "Nov 29 14:02:11 box auth[12]: ERROR bad\nNov 29 14:02:11 box auth[13]: ERROR bad\nNov 29 14:02:12 box payment[1]: ERROR bad\nNov 30 14:02:11 box auth[12]: ERROR bad\n",
		"level first":          "ERROR 2026-11-29 14:02:11 module=auth\nERROR 2026-11-29 14:02:11 module=auth\nERROR 2026-11-29 14:02:11 module=payment\nERROR 2026-11-30 14:02:11 module=auth\n",
		"small letters":        "2026-11-29 14:02:11 error [auth] bad\n2026-11-29 14:02:11 error [auth] bad\n2026-11-29 14:02:11 error [payment] bad\n2026-11-29 14:02:11 info [auth] no error\n2026-11-30 14:02:11 error [auth] bad\n",
		"day of a Czech":       "29.11.2026 14:02:11 ERROR [auth] bad\n29.11.2026 14:02:11 ERROR [auth] bad\n29.11.2026 14:02:11 ERROR [payment] bad\n30.11.2026 14:02:11 ERROR [auth] bad\n",
		"ends of Windows":      "2026-11-29 14:02:11 ERROR [auth] bad\r\n2026-11-29 14:02:11 ERROR [auth] bad\r\n2026-11-29 14:02:11 ERROR [payment] bad\r\n2026-11-30 14:02:11 ERROR [auth] bad\r\n",
		"the word in the text": "2026-11-29 14:02:11 ERROR [auth] bad\n2026-11-29 14:02:11 ERROR [auth] bad\n2026-11-29 14:02:11 ERROR [payment] bad\n2026-11-29 14:02:11 INFO [auth] found 0 errors\n",
	}
	for name, text := range forms {
		for _, ask := range []string{theTask, "count yesterday's errors per module in logs/ and write report.md"} {
			p := newPerson(t, map[string]string{"logs/x.log": text})
			p.has(everything())
			m := p.asks(ask)
			raw, err := os.ReadFile(filepath.Join(p.dir, "report.md"))
			if err != nil || !strings.Contains(string(raw), "|\n| auth | 2 |\n| payment | 1 |\n\nTotal: 3 lines") {
				t.Errorf("%s, %q: %v\nwrote %s\nsaid %s\ncalls %s", name, ask, err, raw, m.Say, strings.Join(p.calls, "\n"))
			}
		}
	}
}

// TestReportByFile is where the lines tell no module.
func TestReportByFile(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a log for each module": {"logs/auth.log": "2026-11-29 ERROR bad token\n2026-11-29 ERROR bad token\n", "logs/payment.log": "2026-11-29 ERROR card declined\n"},
		"a log for each day":    {"logs/auth-2026-11-29.log": "14:02 ERROR bad token\n14:03 ERROR bad token\n", "logs/auth-2026-11-30.log": "14:02 ERROR bad token\n"},
	} {
		p := newPerson(t, files)
		p.has(everything())
		m := p.asks(theTask)
		raw, err := os.ReadFile(filepath.Join(p.dir, "report.md"))
		if err != nil || !strings.Contains(string(raw), "| File | Lines |\n|---|---:|\n| logs/auth") || !strings.Contains(string(raw), ".log | 2 |") ||
			strings.Contains(string(raw), "11-30") || !strings.Contains(string(raw), "counted by file") || !strings.Contains(m.Say, "counted by file") {
			t.Errorf("%s: wrote %q, said %q, %v after %v", name, raw, m.Say, err, p.calls)
		}
	}
}

// TestReportSomeWithout counts lines that do not fit the others too.
func TestReportSomeWithout(t *testing.T) {
	p := newPerson(t, map[string]string{"logs/a.log": "2026-11-29 ERROR [net] x\n2026-11-29 ERROR [net] x\n2026-11-29 ERROR [net] x\n2026-11-29 ERROR x\n"})
	p.has(everything())
	p.asks(theTask)
	raw, err := os.ReadFile(filepath.Join(p.dir, "report.md"))
	if err != nil || !strings.Contains(string(raw), "| net | 3 |\n| (no module) | 1 |\n\nTotal: 4 lines in 1 file") {
		t.Errorf("wrote %q, %v", raw, err)
	}
}

// TestReportNotWritten is what happens where nothing can be, or shall be.
func TestReportNotWritten(t *testing.T) {
	refusing := func(p *person) {
		set, err := tool.New(tool.Config{Tools: everything(), Gate: noToChanges{}, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		p.set = set
	}
	offering := func(p *person) { p.has(everything()) }
	for name, tc := range map[string]struct {
		files map[string]string
		ready func(*person)
		text  string
		want  []string
	}{
		"the person says no": {logFiles, refusing, theTask, []string{"You said no", "auth: 3\npayment: 2\nTotal: 5 lines"}},
		"no tool for it":     {logFiles, func(*person) {}, theTask, []string{"auth: 3\npayment: 2", "cannot change files"}},
		"there are none":     {logFiles, offering, "count yesterday's FATAL lines per module in logs/ and write report.md", []string{"There are none: FATAL lines of 2026-11-29 in logs/: 0.", "not written report.md"}},
		"no folder":          {map[string]string{"log/a.log": "2026-11-29 ERROR [a] x\n"}, offering, theTask, []string{`There is no file or folder "logs/"`}},
		"outside":            {logFiles, offering, "count yesterday's ERROR lines per module in /etc/ and write report.md", []string{"is not in a folder that is allowed"}},
	} {
		p := newPerson(t, tc.files)
		tc.ready(p)
		m := p.asks(tc.text)
		for _, w := range tc.want {
			if !strings.Contains(m.Say, w) {
				t.Errorf("%s: said %q after %v, want %q in it", name, m.Say, p.calls, w)
			}
		}
		if _, err := os.Stat(filepath.Join(p.dir, "report.md")); err == nil {
			t.Errorf("%s: it was written", name)
		}
	}
}

// TestReportOfAllLogs finds the logs where there is no folder of that name.
func TestReportOfAllLogs(t *testing.T) {
	p := newPerson(t, map[string]string{"var/x.log": "2026-11-29 ERROR [auth] x\n", "notes.md": "2026-11-29 ERROR [auth] x\n"})
	p.has(everything())
	p.asks("count yesterday's ERROR lines per module in the logs and write report.md")
	raw, err := os.ReadFile(filepath.Join(p.dir, "report.md"))
	if err != nil || !strings.Contains(string(raw), "| auth | 1 |") {
		t.Errorf("wrote %q, %v after %v", raw, err, p.calls)
	}
}

// TestYesOnAnotherDay resumes a turn whose question was answered after midnight:
// what is told is what was written.
func TestYesOnAnotherDay(t *testing.T) {
	p := newPerson(t, logFiles)
	p.has(everything())
	var done []loci.ToolResult
	at := now
	for range 12 {
		m, err := p.router.Next(t.Context(), loci.Situation{Text: theTask, Results: done, Tools: p.specs(), Folders: []string{p.dir}, Lang: lang.English, Now: at})
		if err != nil {
			t.Fatal(err)
		}
		if m.Call == nil {
			if !strings.HasPrefix(m.Say, "report.md is written: ERROR lines of 2026-11-29 in logs/") {
				t.Errorf("said %q", m.Say)
			}
			return
		}
		if m.Call.Name == "write_file" {
			at = now.AddDate(0, 0, 2)
		}
		done = append(done, p.runs(*m.Call))
	}
	t.Fatal("it never comes to an end")
}

// TestReadBack tells if the file is not what was written.
func TestReadBack(t *testing.T) {
	p := newPerson(t, logFiles)
	p.has(everything())
	var done []loci.ToolResult
	next := func() loci.Move {
		m, err := p.router.Next(t.Context(), loci.Situation{Text: theTask, Results: done, Tools: p.specs(), Folders: []string{p.dir}, Lang: lang.English, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for m := next(); m.Call != nil && m.Call.Name != "read_file"; m = next() {
		done = append(done, p.runs(*m.Call))
	}
	read := loci.ToolCall{Name: "read_file", Arguments: json.RawMessage(`{"path":"report.md"}`)}
	for want, r := range map[string]loci.ToolResult{
		"does not hold what I wrote": {Call: read, Data: json.RawMessage(`{"path":"/x/report.md","pages":1,"text":"# Something else"}`)},
		"could not read it back":     {Call: read, Err: &loci.ToolError{Message: "It is gone."}, Text: "It is gone."},
	} {
		done := append(slices.Clone(done), r)
		m, err := p.router.Next(t.Context(), loci.Situation{Text: theTask, Results: done, Tools: p.specs(), Lang: lang.English, Now: now})
		if err != nil || !strings.Contains(m.Say, want) {
			t.Errorf("said %+v, %v, want %q", m, err, want)
		}
	}
}

// TestNoReport is what sounds like a report and is none, or not one that can be
// made: nothing is written, and nothing is searched for that was not meant.
func TestNoReport(t *testing.T) {
	p := newPerson(t, logFiles)
	p.has(everything())
	const example = "I did not understand all of that."
	for text, want := range map[string]string{
		"How many lines does a haiku have today?":                                           "",
		"how many errors are allowed in football today?":                                    "",
		"count my steps today":                                                              "",
		"Kolik lidí bylo včera v kině?":                                                     "",
		"count ERROR lines in logs/ from last week per module and write report.md":          example,
		"count yesterday's lines without ERROR in logs/ per module and write report.md":     example,
		"count yesterday's ERROR and WARN lines per module in logs/ and write report.md":    example,
		"count yesterday's ERROR lines in logs/ and app.log per module and write report.md": example,
		"count yesterday's ERROR lines per module in logs/ and don't write report.md":       example,
	} {
		if m := p.asks(text); !strings.HasPrefix(m.Say, want) || want == "" && m.Talk == nil || len(p.calls) > 0 {
			t.Errorf("%q: %+v after %v", text, m, p.calls)
		}
	}
}

// TestReportOfLongWord keeps within what a search can take.
func TestReportOfLongWord(t *testing.T) {
	word := strings.Repeat("Überlänge.*(", 4)
	p := newPerson(t, map[string]string{"logs/x.log": "2026-11-29 12:00 INFO [auth] " + word + "\n"})
	p.has(everything())
	p.asks(`count yesterday's "` + word + `" lines per module in logs/ and write report.md`)
	raw, err := os.ReadFile(filepath.Join(p.dir, "report.md"))
	if err != nil || !strings.Contains(string(raw), "| auth | 1 |") {
		t.Errorf("wrote %q, %v after %v", raw, err, p.calls)
	}
}

// specs are what the person's tools are, and runs runs one.
func (p *person) specs() []loci.ToolSpec {
	return p.set.Specs(loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}})
}

func (p *person) runs(c loci.ToolCall) loci.ToolResult {
	scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{p.dir}, Working: p.dir, Lang: lang.English}
	return p.set.Call(p.t.Context(), scope, c, nil)
}
