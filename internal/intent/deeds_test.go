package intent_test

import (
	"os"
	"strings"
	"testing"

	"loci"
	"loci/internal/intent"
	"loci/internal/lang"
	"loci/test/natural"
)

// deedScore tells which share of the deeds of a file is refused in a sentence, and of
// its talk. A deed that a tool does after all is none to refuse.
func deedScore(t *testing.T, r *intent.Router, file string) (deeds, talk float64) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	offered := specsOf(natural.Tools(t.TempDir()))
	all, refused := map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		kind, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		m, err := r.Next(t.Context(), loci.Situation{Text: text, Lang: lang.Of(text), Tools: offered, Params: 135_000_000, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		all[kind]++
		if m.Talk == nil {
			refused[kind]++
		}
		if (m.Talk == nil) != (kind == "deed") {
			t.Logf("%s %q: %+v", kind, text, m)
		}
	}
	deeds, talk = float64(refused["deed"])/float64(all["deed"]), float64(refused["talk"])/float64(all["talk"])
	t.Logf("%s: refused of %d deeds %.1f %%, of %d talk %.1f %%", file, all["deed"], 100*deeds, all["talk"], 100*talk)
	return deeds, talk
}

func TestDeeds(t *testing.T) {
	for _, file := range []string{"testdata/deeds.tsv", "testdata/deeds_fresh.tsv", "testdata/deeds_fresh2.tsv", "testdata/deeds_fresh3.tsv"} {
		deeds, talk := deedScore(t, intent.New(intent.Config{}), file)
		if deeds < 0.9 || talk > 0.02 {
			t.Errorf("%s: refused: %.1f %% of deeds, %.1f %% of talk", file, 100*deeds, 100*talk)
		}
	}
}
