package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// load reads the records.
func load(t *testing.T) []*Dialect {
	t.Helper()
	dialects, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return dialects
}

// TestRecords holds the records against themselves: they are many, each is found by
// its name, what they call exists, and each dialect tries both what is a call and
// what is none.
func TestRecords(t *testing.T) {
	l := &locus{}
	if err := l.readTools(); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, d := range load(t) {
		kinds := map[bool]int{}
		for _, r := range d.Records {
			if names[r.ID()] {
				t.Errorf("two records are called %s", r.ID())
			}
			names[r.ID()] = true
			kinds[r.Runs()]++
			for _, c := range slices.Concat(r.calls...) {
				checkCall(t, l, r, c)
			}
			for _, name := range r.Tools {
				if l.tools[name] == nil {
					t.Errorf("%s: there is no tool %s", r.ID(), name)
				}
			}
		}
		if d.Title == "" || len(d.Markers) == 0 || kinds[true] == 0 || kinds[false] == 0 {
			t.Errorf("%s: the title is %q, the markers %q, the kinds %v", d.Name, d.Title, d.Markers, kinds)
		}
	}
	if len(names) < 150 {
		t.Errorf("%d records", len(names))
	}
	known, err := Known()
	if err != nil {
		t.Fatal(err)
	}
	for line := range known {
		if _, id, _ := strings.Cut(line, " "); !names[id] {
			t.Errorf("%s fails today, but there is no record %s", line, id)
		}
	}
}

// checkCall checks that a right call is one that the tool can be called with.
func checkCall(t *testing.T, l *locus, r *Record, c Call) {
	t.Helper()
	var spec struct {
		Parameters struct {
			Properties map[string]any
			Required   []string
		}
	}
	if err := json.Unmarshal(l.tools[c.Tool], &spec); err != nil {
		t.Errorf("%s: the tool %s: %v", r.ID(), c.Tool, err)
		return
	}
	for name := range c.Arguments {
		if spec.Parameters.Properties[name] == nil {
			t.Errorf("%s: %s has no argument %s", r.ID(), c.Tool, name)
		}
	}
	for _, name := range spec.Parameters.Required {
		if c.Arguments[name] == nil {
			t.Errorf("%s: %s lacks the argument %s", r.ID(), c.Tool, name)
		}
	}
}

func TestJudge(t *testing.T) {
	d, err := parseDialect("d", `title: D
marker: <call>

== f ==
user: Hi
-- reply --
<call>x</call>
-- calls --
read_file {"path": "a"}
-- or --
-- shown --
Yes.
-- told --
path
`)
	if err != nil {
		t.Fatal(err)
	}
	call := func(text string) []Call {
		c, err := parseCall(text)
		if err != nil {
			t.Fatal(err)
		}
		return []Call{c}
	}
	for name, tt := range map[string]struct {
		o                 Outcome
		ran, leaked, lost bool
	}{
		"right":          {o: Outcome{Calls: call(`read_file {"path": "a"}`), Shown: "Yes.", Told: "path"}},
		"null is absent": {o: Outcome{Calls: call(`read_file {"path": "a", "page": null}`), Shown: "Yes.", Told: "path"}},
		"the other way":  {o: Outcome{Shown: "Yes.", Told: "path"}},
		"other argument": {Outcome{Calls: call(`read_file {"path": "b"}`), Shown: "Yes.", Told: "path"}, true, false, false},
		"other tool":     {Outcome{Calls: call(`write_file {"path": "a"}`), Shown: "Yes.", Told: "path"}, true, false, false},
		"twice":          {Outcome{Calls: append(call(`read_file {"path": "a"}`), call(`read_file {"path": "a"}`)...), Shown: "Yes.", Told: "path"}, true, false, false},
		"markup":         {Outcome{Shown: "Yes. <call>", Told: "path"}, false, true, false},
		"not shown":      {Outcome{Told: "path"}, false, false, true},
		"not told":       {Outcome{Shown: "Yes."}, false, false, true},
		"broken":         {Outcome{Shown: "Yes.", Told: "path", Error: "no"}, false, false, true},
	} {
		v := d.Records[0].Judge(tt.o)
		if (v.Ran != "") != tt.ran || (v.Leaked != "") != tt.leaked || (v.Lost != "") != tt.lost {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestWhole puts deltas together as a server does that does not stream.
func TestWhole(t *testing.T) {
	for deltas, want := range map[string]string{
		`{"content":"a"} {"content":"b"}`:            `{"content":"ab","role":"assistant"}`,
		`{"content":null,"tool_calls":null}`:         `{"content":"","role":"assistant"}`,
		`{"function_call":{"name":"f"}}`:             `{"content":"","function_call":{"name":"f"},"role":"assistant"}`,
		`{"tool_calls":[{"function":{"name":"f"}}]}`: `{"content":"","role":"assistant","tool_calls":[{"function":{"name":"f"}}]}`,
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]} {"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}`: `{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"a","index":0}]}`,
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]} {"tool_calls":[{"index":0,"id":"b","function":{"name":"g"}}]}`:             `{"content":"","role":"assistant","tool_calls":[{"function":{"name":"f"},"id":"a","index":0},{"function":{"name":"g"},"id":"b","index":0}]}`,
	} {
		s := scripted{text: strings.ReplaceAll(deltas, "} {", "}\n{")}
		list, err := s.lines()
		if err != nil {
			t.Fatal(err)
		}
		if got := text(whole(list)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", deltas, got, want)
		}
	}
}
