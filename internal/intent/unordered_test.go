package intent_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/intent"
	"loci/internal/lang"
	"loci/internal/tool"
	"loci/test/natural"
)

// effects are the tools that change, run or send something.
var effects = []string{"write_file", "edit_file", "move_file", "delete_file", "run_command", "open_app", "media_control", "change_db"}

// proposals counts the sentences of the lists that lead to a call with a side effect,
// though they order none.
func proposals(t *testing.T, r *intent.Router, files ...string) {
	t.Helper()
	scene, err := natural.LoadScene("testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := scene.Lay(dir, now); err != nil {
		t.Fatal(err)
	}
	set, err := tool.New(tool.Config{Tools: natural.Tools(t.TempDir()), Gate: noToChanges{}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		said, proposed := 0, 0
		for line := range strings.Lines(string(raw)) {
			text := strings.TrimSpace(line)
			if text == "" || strings.HasPrefix(text, "#") {
				continue
			}
			said++
			for _, c := range asksNaturally(t, r, set, dir, text).Calls {
				if slices.Contains(effects, c.Name) {
					proposed++
					t.Errorf("%q proposes %s%s", text, c.Name, c.Arguments)
				}
			}
		}
		if said < 40 {
			t.Errorf("%s holds only %d sentences", file, said)
		}
		t.Logf("%s: %d of %d propose a side effect", file, proposed, said)
	}
}

// unordered are sentences about files, players and programs that order nothing.
var unordered = []string{"testdata/unordered.tsv", "testdata/unordered_fresh.tsv"}

func TestUnordered(t *testing.T) { proposals(t, intent.New(intent.Config{}), unordered...) }

func TestUnorderedWithExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	proposals(t, intent.New(intent.Config{Embedder: remembered{server{s.URL(), s.Key(), s.Model()}}}), unordered...)
}

// TestPlainTalk says what begins like an order and asks for words.
func TestPlainTalk(t *testing.T) {
	offered := specsOf(natural.Tools(t.TempDir()))
	changed := []loci.Message{{Role: loci.User, Content: "delete notes.md"}, {Role: loci.Assistant, Content: "Deleted notes.md."}}
	for _, tc := range []struct {
		text   string
		before []loci.Message
	}{
		{"Flip a coin", nil}, {"Roll a die", nil}, {"Print the alphabet", nil}, {"Post a haiku", nil}, {"Derive the quadratic formula", nil},
		{"Code me a bubble sort", nil}, {"Rename the hero to Tom", nil}, {"Close encounters of the third kind", nil},
		{"Let's cook the dinner together. What do we need?", nil}, {"Quote Shakespeare", nil}, {"Remind me what a noun is", nil},
		{"also tell me a joke", changed},
	} {
		m, err := intent.New(intent.Config{}).Next(t.Context(), loci.Situation{Text: tc.text, History: tc.before, Lang: lang.English, Tools: offered, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if m.Talk == nil {
			t.Errorf("%q is no talk: %+v", tc.text, m)
		}
	}
	for _, text := range []string{"and how are you?", "and thanks"} {
		m, err := intent.New(intent.Config{}).Next(t.Context(), loci.Situation{Text: text, History: changed, Lang: lang.English, Tools: offered, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(m.Say, "nothing now") {
			t.Errorf("%q: %s", text, m.Say)
		}
	}
}
