package intent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/intent"
)

// homeFiles are what the newcomer has.
var homeFiles = map[string]string{
	"letter.txt":       "Dear Anna,\nthe meeting is on Friday at the café.\nWe can sail to the island.\nPlease bring the map and the lamp.\n\nBest,\nMira\n",
	"notes.md":         "Buy milk.\nCall Anna.\n",
	"recipe.txt":       "Soup for four\n3 eggs\n1 onion\nsalt\n" + strings.Repeat("Stir, and wait for a minute.\n", 30),
	"prices.csv":       "item,price\nlamp,12.50\nlaptop,1299.00\nchair,80.00\n",
	"app.log":          "2026-11-30 INFO [web] up ok\n2026-11-30 ERROR [auth] bad token\n2026-11-30 ERROR [web] crash\n2026-11-30 ERROR [auth] bad token again\n",
	"sub/server.log":   serverLog(),
	"sub/deep/plan.md": "The plan is hunter2.\n",
	"photo.png":        "\x89PNG\x00\x00",
	"report.docx":      "PK\x03\x04\x00\x00",
}

// serverLog is three pages of log with 45 errors.
func serverLog() string {
	var b strings.Builder
	for i := range 300 {
		level := "INFO"
		if i%20 == 0 || i%10 == 5 {
			level = "ERROR"
		}
		fmt.Fprintf(&b, "2026-11-30 12:%02d %s request %d served in 20 ms\n", i%60, level, i)
	}
	return b.String()
}

// newcomer is a person with a home and the smallest model.
func newcomer(t *testing.T, r *intent.Router) *person {
	t.Helper()
	p := newPerson(t, homeFiles)
	p.router, p.params, p.speaks, p.user = r, 135_000_000, []string{"en"}, "Mira"
	p.touch("letter.txt")
	p.touch("app.log") // of the same time; no document
	p.age("recipe.txt")
	return p
}

// newcomerShare measures how many replies hold what they must. Plain talk that
// runs a tool, or is answered with a fixed sentence, is wrong.
func newcomerShare(t *testing.T, r *intent.Router) float64 {
	t.Helper()
	raw, err := os.ReadFile("testdata/newcomer.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var p *person
	all, right := 0, 0
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		var want []string
		if err := json.Unmarshal([]byte(f[1]), &want); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if f[0] == "new" {
			p = newcomer(t, r)
		}
		m := p.asks(f[2])
		all++
		if holds(m, p.calls, want) {
			right++
		} else {
			t.Logf("%q: said %.300q after %v, want %q", f[2], m.Say, p.calls, want)
		}
	}
	if all == 0 {
		t.Fatal("testdata/newcomer.tsv holds no requests")
	}
	share := float64(right) / float64(all)
	t.Logf("testdata/newcomer.tsv: %d of %d, %.1f %%", right, all, 100*share)
	return share
}

// holds tells whether a reply is as it must be.
func holds(m loci.Move, calls, want []string) bool {
	if len(want) == 0 {
		return m.Talk != nil && len(calls) == 0
	}
	return !slices.ContainsFunc(want, func(w string) bool {
		not, forbidden := strings.CutPrefix(w, "!")
		return strings.Contains(m.Say, not) == forbidden
	})
}

func TestNewcomerByRules(t *testing.T) {
	if s := newcomerShare(t, intent.New(intent.Config{})); s < 0.97 {
		t.Errorf("only %.1f %% right", 100*s)
	}
}

func TestNewcomer(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	r := intent.New(intent.Config{Embedder: remembered{server{s.URL(), s.Key(), s.Model()}}})
	if s := newcomerShare(t, r); s < 0.97 {
		t.Errorf("only %.1f %% right", 100*s)
	}
}
