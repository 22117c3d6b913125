package intent_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/intent"
	"loci/internal/toolkit"
)

// visitorFiles are what a visitor has, who also wants things changed.
var visitorFiles = map[string]string{
	"todo.md":          "# To do\n- [ ] call the dentist\n- [ ] pay the rent\n- [x] buy stamps\n- [ ] water the plants\n",
	"letter.txt":       "Dear Eva,\nthe trip to Vienna is on 12 December.\nBring your passport.\nYours, Tom\n",
	"recipe.txt":       "Goulash for four\n1 kg beef\n3 onions\npaprika\nbread\nCook the goulash for two hours over a low flame.\n" + strings.Repeat("Stir now and then.\n", 20),
	"shopping.txt":     "milk\nbread\napples\n",
	"prices.csv":       "item,price\nlamp,12.50\nchair,80.00\n",
	"notes.md":         "Buy milk.\nCall Anna.\n",
	"zh.txt":           "旧的内容\n",
	".hidden":          "nothing to see\n",
	"work/config.yaml": "name: shop\nport: 80\n",
	"work/meeting.md":  "Meeting of 25 November\nPresent: Jana, Petr and Lucie.\nThe budget was agreed.\n",
	"uni/essay.txt":    "Rivers shape the land.\n",
	"uni/thesis.md":    "The land shapes rivers.\n",
	"logs/app.log": "2026-11-28 09:00:00 ERROR [db] connection lost\n" +
		"2026-11-29 13:44:11 ERROR [auth] token expired\n" +
		"2026-11-29 13:44:12 INFO [billing] no ERROR here\n" +
		"2026-11-29 15:10:00 ERROR [payment] card declined\n" +
		"2026-11-30 08:00:00 ERROR [auth] token expired\n",
	"logs/syslog": "Nov 29 06:00:00 box cron[12]: ERROR no such job\nNov 30 06:00:00 box cron[12]: ERROR no such job\n",
}

// visitorShare measures how many replies and calls are as they must be. In a
// conversation every change that the visitor asks for is agreed to.
func visitorShare(t *testing.T, r *intent.Router, file string) float64 {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var p *person
	all, right := 0, 0
	changed := false // whether the files may be other than they were
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		var want []string
		if err := json.Unmarshal([]byte(f[1]), &want); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if f[0] == "new" && p != nil && !changed {
			p.history = nil
		} else if f[0] == "new" {
			changed = false
			p = newPerson(t, visitorFiles)
			p.router, p.params, p.speaks, p.user = r, 135_000_000, []string{"en"}, "Mira"
			p.has(toolkit.All(toolkit.Config{Trash: t.TempDir()}))
		}
		m := p.asks(f[2])
		changed = changed || slices.ContainsFunc(p.calls, func(c string) bool {
			name, _, _ := strings.Cut(c, " ")
			return slices.Contains(changers, name)
		})
		all++
		if asMustBe(m, p.calls, want) {
			right++
			continue
		}
		t.Logf("%q: said %.400q after %v, want %q", f[2], m.Say, p.calls, want)
	}
	if all == 0 {
		t.Fatalf("%s holds no requests", file)
	}
	share := float64(right) / float64(all)
	t.Logf("%s: %d of %d, %.1f %%", file, right, all, 100*share)
	return share
}

// asMustBe tells whether the reply and the calls are those wanted. A text that
// begins with > is a part of a call. What nothing is wanted of changes nothing.
func asMustBe(m loci.Move, calls, want []string) bool {
	changes := false
	for _, c := range calls {
		name, _, _ := strings.Cut(c, " ")
		changes = changes || slices.Contains(changers, name)
	}
	wanted := false
	for _, w := range want {
		part, forbidden := strings.CutPrefix(w, "!")
		if of, ok := strings.CutPrefix(part, ">"); ok {
			wanted = wanted || !forbidden
			if slices.ContainsFunc(calls, func(c string) bool { return strings.Contains(c, of) }) == forbidden {
				return false
			}
		} else if strings.Contains(m.Say, part) == forbidden {
			return false
		}
	}
	return (wanted || !changes) && (len(want) > 0) == (m.Talk == nil)
}

func TestVisitor(t *testing.T) {
	for file, least := range map[string]float64{"testdata/visitor.tsv": 1, "testdata/continued.tsv": 1, "testdata/visitor_heldout.tsv": 0.9, "testdata/visitor_fresh.tsv": 0.9} {
		if s := visitorShare(t, intent.New(intent.Config{}), file); s < least {
			t.Errorf("%s: only %.1f %% right", file, 100*s)
		}
	}
}

// TestVisitorWithExamples asks the same where what no rule knows is guessed.
func TestVisitorWithExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	r := intent.New(intent.Config{Embedder: remembered{server{s.URL(), s.Key(), s.Model()}}})
	for _, file := range []string{"testdata/visitor.tsv", "testdata/continued.tsv", "testdata/visitor_heldout.tsv", "testdata/visitor_fresh.tsv"} {
		if s := visitorShare(t, r, file); s < 0.95 {
			t.Errorf("%s: only %.1f %% right", file, 100*s)
		}
	}
}
