package intent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/intent"
	"loci/internal/lang"
	"loci/internal/toolkit"
	"loci/test/natural"
)

// deedScore counts the deeds of a file and those that are refused in a sentence, and its
// talk and how much of that is. A deed that a tool does after all is none to refuse.
func deedScore(t *testing.T, r *intent.Router, file string) (all, refused map[string]int) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	offered := specsOf(natural.Tools(t.TempDir()))
	all, refused = map[string]int{}, map[string]int{}
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
	t.Logf("%s: refused %d of %d deeds, %d of %d talk", file, refused["deed"], all["deed"], refused["talk"], all["talk"])
	return all, refused
}

// deedShares are the shares of deeds and of talk that are refused in some files.
func deedShares(t *testing.T, r *intent.Router, pattern string) (deeds, talk float64) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal("there are no deeds", err)
	}
	sum, no := map[string]int{}, map[string]int{}
	for _, file := range files {
		all, refused := deedScore(t, r, file)
		for kind := range all {
			sum[kind] += all[kind]
			no[kind] += refused[kind]
		}
	}
	deeds, talk = float64(no["deed"])/float64(sum["deed"]), float64(no["talk"])/float64(sum["talk"])
	t.Logf("refused: %.1f %% of deeds, %.1f %% of talk", 100*deeds, 100*talk)
	return deeds, talk
}

func TestDeeds(t *testing.T) {
	if deeds, talk := deedShares(t, intent.New(intent.Config{}), "testdata/deeds*.tsv"); deeds < 0.92 || talk > 0.02 {
		t.Errorf("refused: %.1f %% of deeds, %.1f %% of talk", 100*deeds, 100*talk)
	}
}

// TestDeedsWithExamples asks the same where what no rule knows is guessed.
func TestDeedsWithExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	r := intent.New(intent.Config{Embedder: remembered{server{s.URL(), s.Key(), s.Model()}}})
	if deeds, talk := deedShares(t, r, "testdata/deeds_fresh5.tsv"); deeds < 0.9 || talk > 0.05 {
		t.Errorf("refused: %.1f %% of deeds, %.1f %% of talk", 100*deeds, 100*talk)
	}
}

// TestAdviceHolds follows what is said to a deed: it works.
func TestAdviceHolds(t *testing.T) {
	for text, want := range map[string]string{"turn off the light": "turn off the light\n", "objednej pizzu": "objednej pizzu\n", "打开空调": "打开空调\n", "order a pizza for 3 people": "order a pizza for 3 people\n"} {
		p := newPerson(t, nil)
		p.has(toolkit.All(toolkit.Config{Trash: t.TempDir()}))
		m := p.asks(text)
		parts := strings.FieldsFunc(m.Say, func(r rune) bool { return r == ':' || r == '：' })
		advice := strings.TrimSpace(parts[len(parts)-1])
		p.asks(advice)
		if got, err := os.ReadFile(filepath.Join(p.dir, "todo.txt")); err != nil || string(got) != want {
			t.Errorf("%q: said %q; %q gave %q, %v after %v", text, m.Say, advice, got, err, p.calls)
		}
	}
}
