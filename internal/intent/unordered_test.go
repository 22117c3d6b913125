package intent_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"loci/internal/embedded/embeddedtest"
	"loci/internal/intent"
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
var unordered = []string{"testdata/unordered.tsv"}

func TestUnordered(t *testing.T) { proposals(t, intent.New(intent.Config{}), unordered...) }

func TestUnorderedWithExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	proposals(t, intent.New(intent.Config{Embedder: server{s.URL(), s.Key(), s.Model()}}), unordered...)
}
