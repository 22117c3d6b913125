package tool

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestShorten(t *testing.T) {
	many := make([]map[string]any, 500)
	for i := range many {
		many[i] = map[string]any{"name": "file", "size": i}
	}
	for name, value := range map[string]any{
		"text":       map[string]any{"a": 1, "text": strings.Repeat("日本語", 500)},
		"list":       map[string]any{"a": 1, "list": many},
		"escapes":    map[string]any{"text": strings.Repeat("\u0001\n\"\\🐢", 300)},
		"deep":       map[string]any{"x": map[string]any{"y": []any{[]any{"short", strings.Repeat("z", 3000)}}}},
		"array":      many,
		"long key":   map[string]any{strings.Repeat("k", 3000): 1, "z": 2},
		"many keys":  map[string]any{"a": strings.Repeat("x", 100), "b": strings.Repeat("y", 300), "c": strings.Repeat("z", 500)},
		"plain text": strings.Repeat("ěščř", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			data, err := encode(value)
			if err != nil {
				t.Fatal(err)
			}
			for _, limit := range []int{512, 513, 514, 515, 600, 777} {
				cut := shorten(data, limit)
				var v map[string]any
				if err := json.Unmarshal(cut, &v); err != nil || len(cut) > limit || !utf8.Valid(cut) {
					t.Fatalf("limit %d: %v, %d bytes: %s", limit, err, len(cut), cut)
				}
				if note, _ := v["cut"].(string); !strings.Contains(note, "bytes of this result") {
					t.Errorf("no honest note: %s", cut)
				}
				if strings.Contains(string(cut), "\ufffd") {
					t.Errorf("cut inside a character: %s", cut)
				}
				if name != "long key" && len(cut) < limit-160-40 {
					t.Errorf("limit %d, only %d bytes kept: %s", limit, len(cut), cut)
				}
			}
			if diff := cmp.Diff(string(data), string(shorten(data, len(data)))); diff != "" {
				t.Errorf("changed without need: %s", diff)
			}
		})
	}
}

func FuzzShorten(f *testing.F) {
	f.Add([]byte(`{"a":"`+strings.Repeat(`\ud83d\udc22`, 100)+`"}`), 10)
	f.Add([]byte(`{"a":[{"b":[1,2,"`+strings.Repeat("é", 400)+`"]}]}`), 0)
	f.Fuzz(func(t *testing.T, data []byte, more int) {
		limit := minMaxResult + max(more, 0)%2000
		var v any
		if json.Unmarshal(data, &v) != nil {
			return
		}
		whole, err := encode(v)
		if err != nil {
			return
		}
		if cut := shorten(whole, limit); len(cut) > limit || !json.Valid(cut) || cut[0] != '{' {
			t.Errorf("limit %d: %d bytes: %q", limit, len(cut), cut)
		}
	})
}
