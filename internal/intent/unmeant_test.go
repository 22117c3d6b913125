package intent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/intent"
	"loci/internal/lang"
	"loci/test/natural"
)

// talked are all sentences of the test data that want no tool, but those of the half that
// nobody looks at.
func talked(t *testing.T) (all []string) {
	t.Helper()
	for _, file := range []string{"tuning", "heldout", "paraphrases", "changes", "changes_heldout"} {
		for _, q := range requests(t, "testdata/"+file+".tsv") {
			if q.tool == "talk" || q.tool == "none" {
				all = append(all, q.text)
			}
		}
	}
	for _, file := range []string{"newcomer", "visitor", "visitor_fresh", "visitor_heldout", "continued"} {
		raw, err := os.ReadFile("testdata/" + file + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 3 && f[1] == "[]" {
				all = append(all, f[2])
			}
		}
	}
	tune, _, err := natural.Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, half := range append(fresh(t), tune) {
		for _, q := range half.Requests {
			if q.Want[0].Tool == natural.Talk {
				all = append(all, q.Say)
			}
		}
	}
	return all
}

// wellMeant is no talk once a tool for it is there.
var wellMeant = []string{`Translate "good night" into Spanish`, "I wonder what the weather is like on Mars"}

// TestNobodyMeantIt has people talk while a chat UI's 36 tools, or those of tutorials,
// are there: none is called. -long has all of them talk.
func TestNobodyMeantIt(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	said := talked(t)
	if len(said) < 200 {
		t.Fatalf("only %d sentences", len(said))
	}
	for name, r := range map[string]*intent.Router{
		"by meaning": intent.New(intent.Config{Embedder: remembered{server{s.URL(), s.Key(), s.Model()}}}),
		"by words":   intent.New(intent.Config{}),
	} {
		for _, file := range []string{"../offer/offertest/chat-ui.json", "testdata/brought_tools.json"} {
			brought, calls, heard := functions(t, file), 0, 0
			for i, text := range said {
				if i%4 > 0 && !*long {
					continue
				}
				heard++
				m, err := r.Next(t.Context(), loci.Situation{Text: text, Lang: lang.Of(text), Tools: brought, Model: "tiny", Now: now})
				if err != nil {
					t.Fatal(err)
				}
				if m.Call != nil && !slices.Contains(wellMeant, text) {
					calls++
					t.Errorf("%s, %s: %q called %s%s", name, filepath.Base(file), text, m.Call.Name, m.Call.Arguments)
				}
			}
			t.Logf("%s, %s: %d calls in %d sentences", name, filepath.Base(file), calls, heard)
		}
	}
}

// TestOursBesideBrought has the requests for loci's own tools beside all those that
// clients bring.
func TestOursBesideBrought(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	r := intent.New(intent.Config{Embedder: remembered{server{s.URL(), s.Key(), s.Model()}}})
	var ours []loci.ToolSpec
	for _, own := range natural.Tools(t.TempDir()) {
		ours = append(ours, own.ToolSpec)
	}
	for _, file := range []string{"../offer/offertest/chat-ui.json", "testdata/brought_tools.json"} {
		brought := functions(t, file)
		lost, all := 0, 0
		for _, text := range asked(t) {
			alone, beside := next(t, r, text, ours), next(t, r, text, append(brought, ours...))
			if all++; alone != beside && strings.HasPrefix(alone, "call ") {
				lost++
				t.Logf("%q: %s, and beside others %s", text, alone, beside)
			}
		}
		t.Logf("%s: %d of %d requests are lost to brought tools", filepath.Base(file), lost, all)
		if lost > all/100 {
			t.Errorf("%d of %d requests are lost to brought tools", lost, all)
		}
	}
}

// asked are requests for loci's own tools, in English: what is measured elsewhere, and
// with -long all of it.
func asked(t *testing.T) (all []string) {
	t.Helper()
	add := func(text string) {
		if lang.Of(text) == lang.English {
			all = append(all, text)
		}
	}
	for _, q := range requests(t, "testdata/paraphrases.tsv") {
		add(q.text)
	}
	if !*long {
		return all
	}
	for _, set := range []string{"tuning", "heldout", "changes", "changes_heldout"} {
		for _, q := range requests(t, "testdata/"+set+".tsv") {
			add(q.text)
		}
	}
	tune, _, err := natural.Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, half := range append(fresh(t), tune) {
		for _, q := range half.Requests {
			if q.Want[0].Tool != natural.Talk {
				add(q.Say)
			}
		}
	}
	return all
}

// next is the first move, in short.
func next(t *testing.T, r *intent.Router, text string, tools []loci.ToolSpec) string {
	t.Helper()
	m, err := r.Next(t.Context(), loci.Situation{Text: text, Lang: lang.Of(text), Tools: tools, Model: "tiny", Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if m.Call == nil {
		return "say " + m.Say
	}
	raw, err := json.Marshal(m.Call)
	if err != nil {
		t.Fatal(err)
	}
	return "call " + string(raw)
}
