package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"loci"
)

func TestFields(t *testing.T) {
	tests := []struct {
		name, body, model, stream string
	}{
		{"ordinary", `{"model":"m","stream":true}`, `"m"`, "true"},
		{"spaces", " { \"model\" :\n \"m\" , \"stream\":\ttrue }\n", `"m"`, "true"},
		{"absent", `{"messages":[]}`, "", ""},
		{"empty object", `{}`, "", ""},
		{"null", `{"model":null}`, "null", ""},
		{"nested name does not count", `{"a":{"model":"x"},"b":["model",{"model":"y"}],"model":"m"}`, `"m"`, ""},
		{"name as a value", `{"x":"model","y":"\"model\":\"z\"","model":"m"}`, `"m"`, ""},
		{"brackets in strings", `{"x":"}]{[","y":["]",{"}":"{"}],"model":"m"}`, `"m"`, ""},
		{"backslashes", `{"x":"\\","y":"\\\"","model":"m\\\\"}`, `"m\\\\"`, ""},
		{"escaped name", `{"mod\u0065l":"m"}`, `"m"`, ""},
		{"object value", `{"model":{"a":[1,{}]},"stream":-1.5e3}`, `{"a":[1,{}]}`, "-1.5e3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := []byte(tt.body)
			got, err := Fields(body, "model", "stream")
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []string{tt.model, tt.stream} {
				if string(got[i].Value) != want || want == "" != (got[i].Value == nil) {
					t.Errorf("field %d = %q, want %q", i, got[i].Value, want)
				}
				if at := string(body[got[i].Start:got[i].End]); at != want {
					t.Errorf("field %d is at %q", i, at)
				}
			}
		})
	}
}

func TestFieldsReplaceInPlace(t *testing.T) {
	body := []byte(`{"a":1, "model": "long name", "b":2}`)
	f, err := Fields(body, "model")
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Concat(body[:f[0].Start], []byte(`"x"`), body[f[0].End:])
	if string(got) != `{"a":1, "model": "x", "b":2}` {
		t.Errorf("got %s", got)
	}
}

func TestFieldsRefuse(t *testing.T) {
	for _, body := range []string{
		"", " ", "null", "[]", `"model"`, "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`, `{"a":1}}`, `{"a":1} x`, `{a:1}`,
		`{"a":"}`, `{"a":"\"}`, `{"a":[}`, `{"a" 1}`, `{"a":1 "b":2}`, `{,"a":1}`, `{"model":"a","model":"b"}`,
		`{"model":"a","mod\u0065l":"b"}`,
	} {
		if got, err := Fields([]byte(body), "model"); loci.AsError(err) == nil || loci.AsError(err).Code != loci.Invalid {
			t.Errorf("Fields(%q) = %v, %v; want an error of code invalid", body, got, err)
		}
	}
}

func TestMembers(t *testing.T) {
	var got []string
	for m, err := range Members([]byte(`{"b":1,"a":[2],"\u0063":"x"}`)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Name+"="+string(m.Value))
	}
	if want := []string{"b=1", "a=[2]", `c="x"`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, body := range []string{"[]", `{"a":1,"a":2}`, `{"a":1`} {
		var last error
		for _, err := range Members([]byte(body)) {
			last = err
		}
		if last == nil {
			t.Errorf("Members(%q) ended without an error", body)
		}
	}
}

func FuzzFields(f *testing.F) {
	for _, s := range []string{
		`{"model":"m","stream":true}`, `{"a":{"model":1},"model":[{}]}`, `{"mod\u0065l":"\\\""}`, `{"model":1,"model":2}`,
		`{"a":"\ud800","model":-0}`, `[]`, `{"":{}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := Fields(body, "model", "stream")
		var all map[string]json.RawMessage
		object := json.Unmarshal(body, &all) == nil && all != nil
		if err != nil {
			if object && !strings.Contains(err.Error(), "twice") {
				t.Fatalf("refused a JSON object: %v", err)
			}
			return
		}
		for i, name := range []string{"model", "stream"} {
			if !bytes.Equal(body[got[i].Start:got[i].End], got[i].Value) {
				t.Fatalf("%s: offsets do not match", name)
			}
			if object && !bytes.Equal(all[name], got[i].Value) {
				t.Fatalf("%s = %q, encoding/json says %q", name, got[i].Value, all[name])
			}
		}
	})
}

// chatBody is a chat request of about 100 kB, as a long conversation has it.
func chatBody() []byte {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var messages []message
	for i := range 100 {
		text := fmt.Sprintf("Message %d: \"quoted\"\n", i) + strings.Repeat("lorem ipsum dolor sit amet, ", 35)
		messages = append(messages, message{"user", text})
	}
	b, err := json.Marshal(map[string]any{
		"messages": messages, "model": "fake", "stream": true, "temperature": 0.5,
		"tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "list_dir"}}},
	})
	if err != nil {
		panic(err)
	}
	return b
}

func BenchmarkFields(b *testing.B) {
	body := chatBody()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		f, err := Fields(body, "model", "stream", "messages")
		if err != nil || f[2].Value == nil {
			b.Fatal(err)
		}
	}
}

// Without long strings to leap over, the scan looks at every byte.
func BenchmarkFieldsNumbers(b *testing.B) {
	body := []byte(`{"input":[` + strings.Repeat("1024,", 20_000) + `0],"model":"m"}`)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if f, err := Fields(body, "model"); err != nil || f[0].Value == nil {
			b.Fatal(err)
		}
	}
}
