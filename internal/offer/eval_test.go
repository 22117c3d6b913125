package offer

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/offer/offertest"
	builtin "loci/internal/tool"
	"loci/internal/toolkit"
)

// wish is a request and the tool that it is for.
type wish struct{ tool, lang, text string }

// wishes are the requests that the tiny tier is measured by, in English, Chinese and
// Czech, as far as they are for a tool.
func wishes(t *testing.T, known []loci.ToolSpec) (all []wish) {
	t.Helper()
	for _, file := range []string{"../intent/testdata/tuning", "../intent/testdata/heldout", "../intent/testdata/paraphrases", "../intent/testdata/changes",
		"../intent/testdata/changes_heldout", "testdata/requests"} {
		raw, err := os.ReadFile(file + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(f) != 4 || !json.Valid([]byte(f[2])) {
				continue
			}
			i := slices.IndexFunc(known, func(s loci.ToolSpec) bool { return s.Name == f[0] })
			// A change for which the tiny tier has to read the file first is no wish to read.
			if i >= 0 && (!strings.Contains(file, "changes") || known[i].Dangerous) {
				all = append(all, wish{f[0], f[1], f[3]})
			}
		}
	}
	return all
}

// TestRightToolIsThere has the tool that a request is for among those offered at the
// start of its session, or among the three that one search in the person's own words
// finds with their schemas, or at least among those that it names. A model searches in
// words of its own, which are nearer to ours.
func TestRightToolIsThere(t *testing.T) {
	var mine []loci.ToolSpec
	set, err := builtin.New(builtin.Config{Tools: toolkit.All(toolkit.Config{Trash: t.TempDir()})})
	if err != nil {
		t.Fatal(err)
	}
	mine = append(mine, set.Specs(loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}})...)
	theirs := offertest.ChatUI(t)
	all := wishes(t, mine)
	if len(all) < 250 {
		t.Fatalf("%d requests", len(all))
	}
	shelf := new(Shelf)
	for _, tt := range []struct {
		name                  string
		room                  int
		tier                  loci.Tier
		theirs                []loci.ToolSpec
		offered, found, named float64 // the least share of requests
	}{
		{"native 2k", 290, loci.TierNative, nil, 0.85, 0.92, 1},
		{"native 8k", 600, loci.TierNative, nil, 0.95, 0.96, 1},
		{"text 2k", 230, loci.TierText, nil, 0.97, 0.97, 1},
		{"native 8k with a chat UI", 600, loci.TierNative, theirs, 0.90, 0.94, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var offered, found, named float64
			for _, w := range all {
				o := shelf.Choose(Need{Ours: mine, Theirs: tt.theirs, Message: w.text, Room: tt.room, Tier: tt.tier})
				result := string(o.Find(w.text))
				switch {
				case slices.Contains(names(o.Ours), w.tool):
					offered++
				case strings.Contains(result, `"name":"`+w.tool+`"`):
					found++
				case strings.Contains(result, `"`+w.tool+`"`):
					named++
				default:
					t.Logf("%s: %s: offered %q, found %.300s", w.text, w.tool, names(o.Ours), result)
				}
			}
			n := float64(len(all))
			offered, found, named = offered/n, (offered+found)/n, (offered+found+named)/n
			t.Logf("of %d requests: offered %.3f, or found %.3f, or named %.3f", len(all), offered, found, named)
			if offered < tt.offered || found < tt.found || named < tt.named {
				t.Errorf("want %.2f, %.2f and %.2f", tt.offered, tt.found, tt.named)
			}
		})
	}
}
