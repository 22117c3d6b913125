package intent_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/intent"
	"loci/internal/lang"
	"loci/test/natural"
)

// wanted is a request to tools that a person brings.
type wanted struct {
	brings []string
	tools  []string // any of them is right; none: no call is
	args   map[string][]any
	asks   string // the tool that is not called, but the reply asks for what it needs
	text   string
}

// broughtSet reads the requests, and the tools by name.
func broughtSet(t *testing.T, name string) (all []wanted, tools map[string]loci.ToolSpec) {
	t.Helper()
	tools = map[string]loci.ToolSpec{}
	for _, s := range functions(t, "testdata/"+strings.Replace(name, "sure_fresh", "sure", 1)+"_tools.json") {
		tools[s.Name] = s
	}
	raw, err := os.ReadFile("testdata/" + name + ".tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		w := wanted{brings: strings.Split(f[0], ","), text: f[3]}
		if asked, ok := strings.CutPrefix(f[1], "?"); ok {
			w.asks = asked
		} else if f[1] != "none" {
			w.tools = strings.Split(f[1], ",")
		}
		if err := json.Unmarshal([]byte(f[2]), &w.args); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, w)
	}
	if len(all) < 40 || len(tools) < 12 {
		t.Fatalf("%d requests to %d tools", len(all), len(tools))
	}
	return all, tools
}

// functions reads tools in the form that clients send them.
func functions(t *testing.T, file string) (all []loci.ToolSpec) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ Function loci.ToolSpec }
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		all = append(all, l.Function)
	}
	return all
}

// right tells whether a move is what is wanted. Where ours may answer, its arguments
// are measured elsewhere.
func (w wanted) right(t *testing.T, m loci.Move, brought []string) bool {
	if w.asks != "" {
		return m.Call == nil && strings.HasPrefix(m.Say, "For "+w.asks+" I still need")
	}
	if len(w.tools) == 0 { // ours may be meant
		return m.Call == nil || !slices.Contains(brought, m.Call.Name)
	}
	if m.Call == nil {
		return false
	}
	if at := slices.Index(w.tools, m.Call.Name); at != 0 {
		return at > 0
	}
	var got map[string]any
	if err := json.Unmarshal(m.Call.Arguments, &got); err != nil {
		t.Fatal(err)
	}
	for name := range got {
		if _, asked := w.args[name]; !asked {
			return false
		}
	}
	for name, values := range w.args {
		v := got[name]
		if s, ok := v.(string); ok {
			v = strings.ToLower(s)
		}
		if !slices.ContainsFunc(values, func(want any) bool {
			if s, ok := want.(string); ok {
				want = strings.ToLower(s)
			}
			return want == v
		}) {
			return false
		}
	}
	return true
}

// broughtShare measures a router on the requests, each beside the tools that its person
// brings, or beside all of them.
func broughtShare(t *testing.T, r *intent.Router, name string, crowd bool) (meant float64, onTalk int) {
	t.Helper()
	all, tools := broughtSet(t, name)
	var ours []loci.ToolSpec
	for _, own := range natural.Tools(t.TempDir()) {
		ours = append(ours, own.ToolSpec)
	}
	asked, right := 0, 0
	for _, w := range all {
		offered := slices.Clone(ours)
		for name, spec := range tools {
			if crowd || slices.Contains(w.brings, name) {
				offered = append(offered, spec)
			}
		}
		m, err := r.Next(t.Context(), loci.Situation{Text: w.text, Lang: lang.Of(w.text), Tools: offered, Model: "tiny", Now: now})
		if err != nil {
			t.Fatal(err)
		}
		ok := w.right(t, m, slices.Collect(maps.Keys(tools)))
		switch {
		case len(w.tools) > 0 || w.asks != "":
			if m.Call != nil && tools[m.Call.Name].Name != "" && !slices.Contains(w.tools, m.Call.Name) {
				onTalk++
			}
			if asked++; ok {
				right++
			}
		case !ok:
			onTalk++
		}
		if !ok {
			got := "no call, said " + m.Say
			if m.Call != nil {
				got = m.Call.Name + " " + string(m.Call.Arguments)
			}
			t.Logf("%q: %s; want %v %v", w.text, got, w.tools, w.args)
		}
	}
	meant = float64(right) / float64(asked)
	t.Logf("%s: right: %d of %d, %.1f %%; calls that nobody meant: %d of %d", name, right, asked, 100*meant, onTalk, len(all)-asked)
	return meant, onTalk
}

func TestBrought(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	r := intent.New(intent.Config{Embedder: remembered{server{s.URL(), s.Key(), s.Model()}}})
	for name, least := range map[string]float64{"brought": 0.83, "brought_fresh": 0.80, "brought_sure": 0.90, "brought_sure_fresh": 0.90} {
		onPurpose := strings.HasPrefix(name, "brought_sure") // its tools are near to each other, on purpose
		for _, crowd := range []bool{true, false} {          // the second is the easier one
			if !crowd && !onPurpose && !*long {
				continue
			}
			if crowd && onPurpose {
				continue
			}
			meant, onTalk := broughtShare(t, r, name, crowd)
			if meant < least || onTalk > 0 {
				t.Errorf("%s: only %.1f %% right, and %d calls that nobody meant", name, 100*meant, onTalk)
			}
		}
	}
}
