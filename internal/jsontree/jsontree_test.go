package jsontree_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"loci/internal/jsontree"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"order and digits", ` { "b" : 1.50 , "a":[ 1e2, -0 , 12345678901234567890 ] } `, `{"b":1.50,"a":[1e2,-0,12345678901234567890]}`},
		{"names that come twice", `{"a":1,"A":2,"a":3}`, `{"a":1,"A":2,"a":3}`},
		{"words", `[null,true,false]`, `[null,true,false]`},
		{"nothing inside", `[{},[],""]`, `[{},[],""]`},
		{"escapes", `"\u0041\n\t\"\\\/\b\u001f"`, `"A\n\t\"\\/\u0008\u001f"`},
		{"a pair of surrogates, and halves", `"\ud83d\ude00 \ud83d \ude00 \ud83dA"`, "\"😀 \uFFFD \uFFFD \uFFFDA\""},
		{"tags", `"<a href=\"x\">&"`, `"<a href=\"x\">&"`},
		{"a number", `7`, `7`},
	} {
		v, whole := jsontree.Parse(c.in, 3)
		if got := string(v.AppendJSON(nil)); got != c.want || !whole {
			t.Errorf("%s: %s, %v; want %s", c.name, got, whole, c.want)
		}
	}
}

func TestParseDepth(t *testing.T) {
	const in = `{"a":{"b":[1,{"c":"]}"}]},"d":2}`
	for depth, want := range []string{`{}`, `{"a":{},"d":2}`, `{"a":{"b":{}},"d":2}`, `{"a":{"b":[1,{}]},"d":2}`, in} {
		v, whole := jsontree.Parse(in, depth)
		if got := string(v.AppendJSON(nil)); got != want || whole != (want == in) {
			t.Errorf("depth %d: %s, %v; want %s", depth, got, whole, want)
		}
	}
	v, whole := jsontree.Parse(strings.Repeat("[", 1e6)+strings.Repeat("]", 1e6), 2)
	if got := string(v.AppendJSON(nil)); got != `[[{}]]` || whole {
		t.Errorf("%s, %v", got, whole)
	}
}

func TestGet(t *testing.T) {
	v, _ := jsontree.Parse(`{"a":1,"b":"x"}`, 9)
	if b, ok := v.Get("b"); !ok || b.Kind != jsontree.Text || b.Text != "x" {
		t.Errorf("%v, %v", b, ok)
	}
	if _, ok := v.Get("c"); ok {
		t.Error("a field that is not there")
	}
}

func TestPlain(t *testing.T) {
	v, _ := jsontree.Parse(`{"n":7,"f":1.5,"t":"x","y":true,"z":null,"l":[9007199254740993]}`, 9)
	want := map[string]any{"n": int64(7), "f": 1.5, "t": "x", "y": true, "z": nil, "l": []any{int64(9007199254740993)}}
	if got := v.Plain(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	huge, _ := jsontree.Parse(`1e999`, 9)
	if f, ok := huge.Plain().(float64); !ok || !math.IsNaN(f) {
		t.Errorf("1e999 is %v", huge.Plain())
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,"b",null,true,{"c":{}}]}`, `"\ud83d\ude00\ud83d"`, `[}`, `{"a`, `"\u12`, `[[[`, `{"a":1,"a":2}`, `1e999`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, whole := jsontree.Parse(s, 20)
		if !json.Valid([]byte(s)) || !whole || !utf8.ValidString(s) {
			return
		}
		written := v.AppendJSON(nil)
		if want, got := decoded(t, []byte(s)), decoded(t, written); !reflect.DeepEqual(want, got) {
			t.Fatalf("%s became %s", s, written)
		}
		if again, _ := jsontree.Parse(string(written), 20); !bytes.Equal(again.AppendJSON(nil), written) {
			t.Errorf("%s became %s, and that another", s, written)
		}
	})
}

// decoded is what the standard library makes of JSON.
func decoded(t *testing.T, raw []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}
