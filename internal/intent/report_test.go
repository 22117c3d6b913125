package intent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/lang"
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

var _ = loci.Move{}
var _ = lang.Of
