package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"loci"
)

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		right string // as in possible_answer; empty: no call is right
		calls string // name and arguments, several separated by |
		ok    bool
	}{
		{`{"area":{"base":[10],"unit":["units",""]}}`, `area {"base":10}`, true},
		{`{"area":{"base":[10],"unit":["units",""]}}`, `area {"base":10.0,"unit":"Units"}`, true},
		{`{"area":{"base":[10],"unit":["units",""]}}`, `area {"base":11}`, false},
		{`{"area":{"base":[10],"unit":["units",""]}}`, `area {"base":"10"}`, false},
		{`{"area":{"base":[10],"unit":["units",""]}}`, `area {"unit":"units"}`, false},
		{`{"area":{"base":[10],"unit":["units",""]}}`, `area {"base":10,"unit":"cm"}`, false},
		{`{"area":{"base":[10],"unit":["units",""]}}`, `area {"base":10,"colour":"red"}`, false},
		{`{"area":{"base":[10]}}`, `volume {"base":10}`, false},
		{`{"area":{"base":[10]}}`, `area {"base":10}|area {"base":10}`, false},
		{`{"area":{"base":[10]}}`, ``, false},
		{`{"area":{"base":[10]}}`, `area 10`, false},
		{`{"math.area.of":{"base":[0.5]}}`, `math_area_of {"base":0.5}`, true},
		{`{"math.area.of":{"base":[0.5]}}`, `math.area.of {"base":0.5000000000001}`, true},
		{`{"f":{"on":[true]}}`, `f {"on":true}`, true},
		{`{"f":{"on":[true]}}`, `f {"on":1}`, false},
		{`{"f":{"on":[true]}}`, `f {"on":"true"}`, false},
		{`{"f":{"city":["New York, NY","NYC"]}}`, `f {"city":"new york ny"}`, true},
		{`{"f":{"city":["New York, NY","NYC"]}}`, `f {"city":"New York"}`, false},
		{`{"f":{"n":[[1,2,3],[1,2]]}}`, `f {"n":[1,2]}`, true},
		{`{"f":{"n":[[1,2,3]]}}`, `f {"n":[3,2,1]}`, false},
		{`{"f":{"n":[[1,2,3]]}}`, `f {"n":1}`, false},
		{`{"f":{"n":[["a b"],["c"]]}}`, `f {"n":["A-B"]}`, true},
		{`{"f":{"p":[[[1,2],[3,4]]]}}`, `f {"p":[[1,2],[3,4]]}`, true},
		{`{"f":{"p":[{"lat":[1.5],"unit":["m",""]}]}}`, `f {"p":{"lat":1.5}}`, true},
		{`{"f":{"p":[{"lat":[1.5],"unit":["m",""]}]}}`, `f {"p":{"lat":1.5,"unit":"km"}}`, false},
		{`{"f":{"p":[{"lat":[1.5],"unit":["m",""]}]}}`, `f {"p":{"unit":"m"}}`, false},
		{`{"f":{"p":[{"lat":[1.5]}]}}`, `f {"p":"1.5"}`, false},
		{`{"f":{"c":[[{"field":["age"],"op":[">","gt"]},{"field":["job"],"op":["="]}]]}}`, `f {"c":[{"field":"age","op":"gt"},{"field":"job","op":"="}]}`, true},
		{`{"f":{"c":[[{"field":["age"],"op":[">"]}]]}}`, `f {"c":[{"field":"age","op":"<"}]}`, false},
		{`{"f":{"x":["",[]]}}`, `f {"x":[]}`, true},
		{`{"f":{"x":["",[]]}}`, `f {}`, true},
		{`{"f":{"x":["",null]}}`, `f {"x":null}`, true},
		{`{"f":{"x":[]}}`, `f {}`, true},
		{`{"f":{"x":[]}}`, `f {"x":1}`, false},
		{``, ``, true},
		{``, `area {"base":10}`, false},
	} {
		q := question{}
		if tc.right != "" {
			if err := json.Unmarshal([]byte(tc.right), &q.Right); err != nil {
				t.Fatal(err)
			}
		}
		var calls []loci.ToolCall
		for c := range strings.SplitSeq(tc.calls, "|") {
			if name, args, ok := strings.Cut(c, " "); ok {
				calls = append(calls, loci.ToolCall{Name: name, Arguments: json.RawMessage(args)})
			}
		}
		if err := check(q, calls); (err == nil) != tc.ok {
			t.Errorf("%s for %s: %v", tc.calls, tc.right, err)
		}
	}
}

// TestQuestions reads the leaderboard's files, where they are: they are no part of this
// project. Every right answer must pass its own check.
func TestQuestions(t *testing.T) {
	dir := questionsDir()
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the questions are not here: %v", err)
	}
	for category, n := range map[string]int{"simple_python": 400, "multiple": 200, "irrelevance": 240, "live_simple": 258} {
		all, err := load(dir, category)
		if err != nil || len(all) != n {
			t.Errorf("%s: %d questions, %v", category, len(all), err)
		}
		for _, q := range all {
			tools, err := q.tools()
			if err != nil || len(tools) == 0 {
				t.Errorf("%s: %v", q.ID, err)
			}
			if err := check(q, rightCalls(t, q)); err != nil {
				t.Errorf("%s: its own answer is wrong: %v", q.ID, err)
			}
		}
		if a, b := sample(all, 50), sample(all, 50); len(a) != 50 || a[0].ID != b[0].ID {
			t.Errorf("%s: a sample of %d, %s and %s", category, len(a), a[0].ID, b[0].ID)
		}
	}
}

// rightCalls makes the right call from the first value of each argument.
func rightCalls(t *testing.T, q question) []loci.ToolCall {
	t.Helper()
	for name, allowed := range q.Right {
		raw, err := json.Marshal(firsts(allowed))
		if err != nil {
			t.Fatal(err)
		}
		return []loci.ToolCall{{Name: name, Arguments: raw}}
	}
	return nil
}

func firsts(allowed map[string][]any) map[string]any {
	args := map[string]any{}
	for name, values := range allowed {
		if len(values) > 0 && values[0] != "" {
			args[name] = first(values[0])
		}
	}
	return args
}

func first(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return firsts(listsOf(v))
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = first(v[i])
		}
		return all
	}
	return v
}
