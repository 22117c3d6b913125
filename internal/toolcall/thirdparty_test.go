package toolcall_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/jsonrepair/repairtest"
	"loci/internal/toolcall"
)

// shared is where test data of others lies beside the project, if it does.
const shared = "../../../shared/"

func sharedFiles(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(shared + pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("the test data %s is not here", pattern)
	}
	return files
}

// TestJSONTestSuite reads Nicolas Seriot's parsing tests. Good JSON must mean
// the same as to encoding/json, or be refused where we are stricter; bad JSON
// may be mended, but what comes out must be JSON.
func TestJSONTestSuite(t *testing.T) {
	open, err := toolcall.Compile(tool("open", `{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	stricter := map[string]bool{ // of equal names, the last one counts for encoding/json
		"y_object_duplicated_key.json": true, "y_object_duplicated_key_and_value.json": true,
	}
	for _, file := range sharedFiles(t, "vectors/jsontestsuite/test_parsing/*.json") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		got, err := open.Arguments(json.RawMessage(`{"v":` + string(text) + `}`))
		if err == nil && !json.Valid(got) {
			t.Errorf("%s became %s", name, got)
		}
		if name[0] != 'y' || stricter[name] {
			continue
		}
		if err != nil {
			t.Errorf("%s is refused: %v", name, err)
			continue
		}
		var have struct{ V any }
		var want any
		if err := json.Unmarshal(got, &have); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, have.V); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestRepairPairs measures on the cases of two repair libraries. Package jsonrepair
// has its own measurement; what matters here is that next to nothing is mended
// wrongly, and that nothing at all is that was cut: those libraries complete it.
func TestRepairPairs(t *testing.T) {
	open, err := toolcall.Compile(tool("open", `{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	right, wrong, refused := 0, 0, 0
	for _, pairs := range repairtest.Pairs(t) {
		for _, p := range pairs {
			if _, ok := p.Expected.(map[string]any); !ok || !strings.HasPrefix(strings.TrimSpace(p.Input), "{") {
				continue // arguments are an object
			}
			got, err := open.Arguments(json.RawMessage(p.Input))
			if err != nil {
				refused++
				continue
			}
			var have any
			if err := json.Unmarshal(got, &have); err != nil {
				t.Fatal(err)
			}
			if cmp.Equal(p.Expected, have) {
				right++
				continue
			}
			wrong++
			t.Logf("%s became %s", p.Input, got)
		}
	}
	t.Logf("%d as expected, %d otherwise, %d refused", right, wrong, refused)
	if total := right + wrong + refused; wrong*100 > total || right*2 < total {
		t.Errorf("of %d objects %d are read as expected and %d otherwise", total, right, wrong)
	}
}

// TestFunctionCallingQuestions writes the right answers of the Berkeley
// leaderboard in each form, and reads them back.
func TestFunctionCallingQuestions(t *testing.T) {
	answers := map[string]map[string]map[string][]any{}
	for line := range strings.Lines(content(t, "data/bfcl/possible_answer/BFCL_v4_simple_python.json")) {
		var a struct {
			ID     string                        `json:"id"`
			Ground []map[string]map[string][]any `json:"ground_truth"`
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		answers[a.ID] = a.Ground[0]
	}
	read, total := 0, 0
	for line := range strings.Lines(content(t, "data/bfcl/BFCL_v4_simple_python.json")) {
		var q struct {
			ID       string `json:"id"`
			Function []struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		f := q.Function[0]
		schema := strings.NewReplacer(`"dict"`, `"object"`, `"float"`, `"number"`, `"tuple"`, `"array"`, `"any"`, `"string"`).Replace(string(f.Parameters))
		spec := loci.ToolSpec{Name: f.Name, Description: f.Description, Parameters: json.RawMessage(schema)}
		args := map[string]any{}
		for name, possible := range answers[q.ID][f.Name] {
			if possible[0] != "" {
				args[name] = possible[0]
			}
		}
		if len(args) == 0 || strings.Contains(schema, `"properties": {`) && strings.Count(schema, `"properties"`) > 1 {
			continue // answers inside objects are lists of alternatives
		}
		want, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		for _, reply := range forms(f.Name, args, string(want)) {
			total++
			r := toolcall.NewReader([]loci.ToolSpec{spec})
			r.Write(reply)
			_, calls, fault := r.Close()
			if len(calls) == 1 && sameJSON(t, calls[0].Arguments, want) {
				read++
			} else {
				t.Logf("%s: %s: calls %v, fault %v", q.ID, reply, calls, fault)
			}
		}
	}
	if read < total*99/100 {
		t.Errorf("%d of %d are read", read, total)
	}
	t.Logf("%d of %d are read", read, total)
}

func content(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(sharedFiles(t, file)[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// forms writes a call in the forms that models use.
func forms(name string, args map[string]any, object string) []string {
	var named, parameters strings.Builder
	for n, v := range args {
		raw, _ := json.Marshal(v) // it came from JSON
		if named.Len() > 0 {
			named.WriteString(", ")
		}
		named.WriteString(n + "=" + string(raw))
		value := string(raw)
		if s, ok := v.(string); ok {
			value = s
		}
		parameters.WriteString("<parameter=" + n + ">\n" + value + "\n</parameter>\n")
	}
	return []string{
		"<tool>" + name + "(" + named.String() + ")</tool>",
		`<tool_call>{"name": "` + name + `", "arguments": ` + object + `}</tool_call>`,
		"```json\n{\"name\": \"" + name + "\", \"arguments\": " + object + "}\n```",
		"<function=" + name + ">\n" + parameters.String() + "</function>",
		"[" + name + "(" + named.String() + ")]",
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}
