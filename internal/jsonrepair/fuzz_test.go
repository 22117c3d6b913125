package jsonrepair_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"loci/internal/jsonrepair"
)

func FuzzRepair(f *testing.F) {
	for _, s := range []string{
		`{"path":"a"}`, `{'path': 'it's', count: True,}`, "```json\n{}\n```", `{\"a\":1}`, `{"a":1e5,"b":[{"c":"\ud800"}]}`, `{"path":"x`,
		`{"a":"say "hi" now","b":"C:\new\table"}`, `[1 2 "a" b, ...] {"c"}`, `({'a', 'b'}, (1,), f("x"))`, `{{"a":.5}}`, "{“a”: «b», ‘c’: `d´}",
		`["a":"b"}]`, `{"a" "b" + 'c' /* d */ # e`, `{""a"":""b""}`, "{a: /b/c.md\nd: https://e.f/ }", `["a,"b", "c]`, `"""a"""`, `<|"|>a<|"|>`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		began := time.Now()
		fixed, how, err := jsonrepair.Repair(src)
		if spent := time.Since(began); spent > time.Second+time.Duration(len(src))*20*time.Microsecond {
			t.Errorf("%d bytes took %v", len(src), spent)
		}
		if err != nil {
			return
		}
		if !json.Valid(fixed) {
			t.Fatalf("%q became %s", src, fixed)
		}
		if json.Valid(src) && utf8.Valid(src) && !bytes.Contains(src, []byte(`:\`)) && (!bytes.Equal(src, fixed) || how != jsonrepair.Report{}) {
			t.Errorf("%s was valid and became %s, %+v", src, fixed, how)
		}
		if again, how, err := jsonrepair.Repair(fixed); err != nil || !bytes.Equal(again, fixed) || how != (jsonrepair.Report{}) {
			t.Errorf("%q became %s, and that %s, %+v, %v", src, fixed, again, how, err)
		}
		for _, inCall := range []bool{false, true} {
			fixed, n, _, err := jsonrepair.Value(string(src), inCall)
			if err == nil && !json.Valid(fixed) || n > len(src) {
				t.Errorf("%q: %d bytes became %s", src, n, fixed)
			}
		}
	})
}

// FuzzScan has the scanner itself read valid JSON, which Repair does not give
// it: a comma behind it sees to that. And no beginning of a valid object passes
// for a whole one.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"a":[1,"b c",{"d":null}]}`), 5)
	f.Add([]byte(`{"a\"":"} \\ ]","b":"C:\\x"}`), 7)
	f.Fuzz(func(t *testing.T, src []byte, n int) {
		if !json.Valid(src) || !utf8.Valid(src) {
			return
		}
		var want, got any
		if json.Unmarshal(src, &want) != nil {
			return // a number that no float64 holds
		}
		if trimmed := bytes.TrimSpace(src); trimmed[0] == '{' && n > 0 && n < len(trimmed) {
			fixed, how, err := jsonrepair.Repair(trimmed[:n])
			if err == nil && !how.Cut {
				t.Errorf("%q was taken for whole: %s", trimmed[:n], fixed)
			}
		}
		fixed, how, err := jsonrepair.Repair(append(bytes.Clone(src), ','))
		if err != nil || bytes.Contains(src, []byte(`:\`)) {
			return
		}
		if err := json.Unmarshal(fixed, &got); err != nil {
			t.Fatalf("%q became %s: %v", src, fixed, err)
		}
		if !cmp.Equal(want, got) || how != (jsonrepair.Report{}) {
			t.Errorf("%s became %s, %+v", src, fixed, how)
		}
	})
}
