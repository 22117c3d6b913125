package intent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
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

// asksNaturally plays a request to its end. Whatever would change something is refused,
// so that all requests find the same files.
func asksNaturally(t *testing.T, r *intent.Router, set *tool.Set, dir, text string) natural.Outcome {
	t.Helper()
	scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{dir}, Working: dir, Lang: lang.Of(text)}
	var o natural.Outcome
	var done []loci.ToolResult
	for range 12 {
		m, err := r.Next(t.Context(), loci.Situation{
			Text: text, Results: done, Tools: set.Specs(scope), Folders: []string{dir}, User: "Mira", Lang: scope.Lang, Params: 135_000_000, Now: now,
		})
		if err != nil {
			t.Fatal(err)
		}
		if m.Call == nil {
			o.Said, o.Fixed = m.Say, m.Talk == nil
			return o
		}
		o.Calls = append(o.Calls, *m.Call)
		done = append(done, set.Call(t.Context(), scope, *m.Call, nil))
	}
	t.Errorf("a request never comes to an end: %d calls", len(o.Calls))
	return o
}

// naturally measures a router on both halves of the frozen set.
func naturally(t *testing.T, r *intent.Router) (tune, unseen *natural.Score) {
	t.Helper()
	one, two, err := natural.Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	scores := scored(t, r, one, two)
	return scores[0], scores[1]
}

// scored measures a router on requests about the scene.
func scored(t *testing.T, r *intent.Router, halves ...natural.Half) []*natural.Score {
	t.Helper()
	scene, err := natural.LoadScene("testdata")
	if err != nil {
		t.Fatal(err)
	}
	judge, err := natural.NewJudge(scene, t.TempDir(), now)
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
	var scores []*natural.Score
	for _, half := range halves {
		s := natural.NewScore(half)
		for _, q := range half.Requests {
			o := asksNaturally(t, r, set, dir, q.Say)
			v := judge.Judge(t.Context(), q, o, dir)
			s.Add(q, v)
			if !half.Secret && !(v.Tool && v.Args) {
				t.Logf("%s %q: %s, want %v", q.ID, q.Say, shown(o), q.Want)
			}
		}
		t.Log(s)
		scores = append(scores, s)
	}
	return scores
}

// fresh are requests that were written while the rules were tuned, each set before a
// round of it: how they do on sentences that they were not made for was seen by the
// first run over each set.
func fresh(t *testing.T) (all []natural.Half) {
	t.Helper()
	files, err := filepath.Glob("testdata/natural_fresh*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no fresh requests", err)
	}
	files = append(files, "testdata/loose.jsonl")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		half := natural.Half{Name: strings.TrimSuffix(filepath.Base(file), ".jsonl")}
		for line := range strings.Lines(string(data)) {
			var q natural.Request
			if err := json.Unmarshal([]byte(line), &q); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			half.Requests = append(half.Requests, q)
		}
		all = append(all, half)
	}
	return all
}

// shown is an outcome for whoever tunes the rules.
func shown(o natural.Outcome) string {
	var b strings.Builder
	for _, c := range o.Calls {
		b.WriteString(c.Name + string(c.Arguments) + " ")
	}
	switch {
	case len(o.Calls) > 0:
	case o.Fixed:
		b.WriteString("said " + o.Said[:min(len(o.Said), 100)])
	default:
		b.WriteString("talk")
	}
	return b.String()
}

// heldTo fails for a score that is below what is reached today, which was to be 85 %;
// whoever gets further raises the floor.
func heldTo(t *testing.T, s *natural.Score, floor float64) {
	t.Helper()
	if s.Args() < floor {
		t.Errorf("right tool and arguments: %.1f %%, less than %.1f %%:\n%s", 100*s.Args(), 100*floor, s)
	}
	if s.OnTalk() > 0 {
		t.Errorf("plain talk would have had side effects %d times", s.OnTalk())
	}
}

func TestNaturalByRules(t *testing.T) {
	tune, unseen := naturally(t, intent.New(intent.Config{}))
	heldTo(t, tune, 0.99)
	heldTo(t, unseen, 0.86)
}

func TestNatural(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	tune, unseen := naturally(t, intent.New(intent.Config{Embedder: remembered{server{s.URL(), s.Key(), s.Model()}}}))
	heldTo(t, tune, 0.99)
	heldTo(t, unseen, 0.88)
}

func TestFresh(t *testing.T) {
	for _, half := range fresh(t) {
		floor := 0.95
		switch half.Name {
		case "natural_fresh5": // much of it only the examples know
			floor = 0.87
		case "natural_fresh6": // nothing was mended for it
			floor = 0.68
		}
		heldTo(t, scored(t, intent.New(intent.Config{}), half)[0], floor)
	}
}
