package intent_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/intent"
	"loci/internal/lang"
)

// now is a Monday.
var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// specs are the real tools that look: their examples are part of what is measured.
var specs = func() []loci.ToolSpec {
	var all []loci.ToolSpec
	for _, t := range readers() {
		all = append(all, t.ToolSpec)
	}
	return all
}()

// request is a line of an evaluation set.
type request struct {
	tool, lang string
	args       map[string]any
	text       string
}

func requests(t *testing.T, file string) []request {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []request
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		r := request{tool: f[0], lang: f[1], text: f[3]}
		if err := json.Unmarshal([]byte(f[2]), &r.args); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		t.Fatalf("%s holds no requests", file)
	}
	return all
}

// share measures a router on an evaluation set: how often the tool is right,
// how often the arguments are right too, and how many requests that are plain
// talk run a tool.
func share(t *testing.T, r *intent.Router, file string) (tool, args float64, onTalk int) {
	t.Helper()
	all := requests(t, file)
	var rightTool, rightArgs int
	for _, q := range all {
		m, err := r.Next(t.Context(), loci.Situation{Text: q.text, Lang: lang.Of(q.text), Tools: specs, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		got, gotArgs := "talk", map[string]any{}
		if m.Call != nil {
			got = m.Call.Name
			if err := json.Unmarshal(m.Call.Arguments, &gotArgs); err != nil {
				t.Fatal(err)
			}
		}
		fits := got == q.tool
		if fits {
			rightTool++
		}
		if !fits && q.tool == "talk" {
			onTalk++
		}
		for name, want := range q.args {
			fits = fits && gotArgs[name] == want
		}
		if fits {
			rightArgs++
		} else if !strings.Contains(file, "heldout") { // those are not for looking at
			t.Logf("%s %q: %s %v, want %s %v", q.lang, q.text, got, gotArgs, q.tool, q.args)
		}
	}
	n := float64(len(all))
	return float64(rightTool) / n, float64(rightArgs) / n, onTalk
}

func TestRulesAlone(t *testing.T) {
	r := intent.New(intent.Config{})
	for _, file := range []string{"testdata/tuning.tsv", "testdata/heldout.tsv"} {
		tool, args, onTalk := share(t, r, file)
		t.Logf("%s: %.1f %% right tool, %.1f %% right arguments too", file, 100*tool, 100*args)
		if tool < 0.85 {
			t.Errorf("%s: only %.1f %% right", file, 100*tool)
		}
		if onTalk > 0 {
			t.Errorf("%s: %d requests that are plain talk ran a tool", file, onTalk)
		}
	}
}
