package toolcall_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/toolcall"
)

func TestArguments(t *testing.T) {
	edit := tool("edit_file", `{"type":"object","properties":{
		"path":{"type":"string","description":"Path of the file, relative to the working folder. More."},
		"old_text":{"type":"string"},
		"replace_all":{"type":"boolean"},
		"count":{"type":"integer","minimum":1},
		"ratio":{"type":"number"},
		"tags":{"type":"array","items":{"type":"string"}},
		"sizes":{"type":"array","items":{"type":"integer"}},
		"code":{"type":"string","pattern":"^[0-9]+$"},
		"mode":{"enum":["error","warn"]},
		"when":{"anyOf":[{"type":"string"},{"type":"null"}]},
		"limits":{"type":"object","properties":{"max_lines":{"type":"integer"}},"required":["max_lines"]}
	},"required":["path"],"additionalProperties":false}`)
	open := tool("open", `{"type":"object"}`)
	one := tool("one", `{"type":"object","properties":{"path":{"type":"string"}}}`)
	for _, tc := range []struct {
		name      string
		spec      loci.ToolSpec
		raw, want string // want begins with "!" for a fault that contains the rest
	}{
		{"valid", edit, `{"path":"a","count":5}`, `{"path":"a","count":5}`},
		{"order is kept", edit, `{"count":5,"path":"a"}`, `{"count":5,"path":"a"}`},
		{"characters stay", edit, `{"path":"a<b>&é\u00e9 中\u0001\"\\"}`, `{"path":"a<b>&éé 中\u0001\"\\"}`},
		{"case 8 empty", open, ``, `{}`},
		{"case 8 null", open, `null`, `{}`},
		{"case 8 empty text", open, `""`, `{}`},
		{"case 8 object", open, `{}`, `{}`},
		{"no schema", loci.ToolSpec{Name: "x"}, `{"a":1}`, `{"a":1}`},
		{"empty for a required argument", edit, ``, `!"path" is missing. It must be a text: Path of the file, relative to the working folder.`},

		{"fenced", edit, "```json\n{\"path\":\"x\"}\n```", `{"path":"x"}`},
		{"as text", edit, `"{\"path\":\"x\"}"`, `{"path":"x"}`},
		{"as text in text", edit, `"\"{\\\"path\\\":\\\"x\\\"}\""`, `{"path":"x"}`},
		{"single quotes and trailing comma", edit, `{'path': '.',}`, `{"path":"."}`},
		{"one single quote", edit, `{'path':"x"}`, `{"path":"x"}`},
		{"apostrophe", edit, `{'path': 'it's mine.txt'}`, `{"path":"it's mine.txt"}`},
		{"smart quotes", edit, `{“path”: “x”}`, `{"path":"x"}`},
		{"Python literals", edit, `{'path': 'x', 'replace_all': True, 'when': None}`, `{"path":"x","replace_all":true,"when":null}`},
		{"names without quotes", edit, `{path: "x", count: 2}`, `{"path":"x","count":2}`},
		{"comments", edit, "{\"path\": \"x\", // the file\n \"count\": 2 /* two */}", `{"path":"x","count":2}`},
		{"raw line break", edit, "{\"path\":\"x\",\"old_text\":\"a\nb\tc\"}", `{"path":"x","old_text":"a\nb\tc"}`},
		{"Windows path", edit, `{"path":"C:\Users\me"}`, `{"path":"C:\\Users\\me"}`},
		{"lone surrogate", edit, `{"path":"\ud800x"}`, "{\"path\":\"\uFFFDx\"}"},
		{"surrogate pair", edit, `{"path":"\ud83d\ude00"}`, `{"path":"😀"}`},
		{"bytes that are no UTF-8", edit, "{\"path\":\"a\xff\"}", "{\"path\":\"a\uFFFD\"}"},
		{"byte order mark", edit, "\uFEFF{\"path\":\"a\"}", `{"path":"a"}`},

		{"paths without quotes", one, `{path: ./notes/a.md}`, `{"path":"./notes/a.md"}`},
		{"words without quotes", edit, `{path: /tmp/x.txt, old_text: hello world, count: 2}`, `{"path":"/tmp/x.txt","old_text":"hello world","count":2}`},
		{"address without quotes", one, `{path: https://example.com/a?b=c}`, `{"path":"https://example.com/a?b=c"}`},
		{"Windows path with legal escapes", one, `{"path":"C:\new\table.txt"}`, `{"path":"C:\\new\\table.txt"}`},
		{"Windows folder", one, `{"path":"C:\data\"}`, `{"path":"C:\\data\\"}`},
		{"Windows path without quotes", one, `{path: C:\new\table}`, `{"path":"C:\\new\\table"}`},
		{"Windows server", one, `{"path":"\\nas\share\new"}`, `{"path":"\\\\nas\\share\\new"}`},
		{"no Windows path", one, `{"path":"A:\nYes"}`, `{"path":"A:\nYes"}`},
		{"quotes in a text", edit, `{"path":"x","old_text":"say "hi", he said"}`, `{"path":"x","old_text":"say \"hi\", he said"}`},
		{"quotes in a program", edit, `{"old_text":"print("a", "b")","path":"x"}`, `{"old_text":"print(\"a\", \"b\")","path":"x"}`},
		{"JSON in a text", edit, `{"old_text":"{"a": ["b", "c"]}","path":"x"}`, `{"old_text":"{\"a\": [\"b\", \"c\"]}","path":"x"}`},
		{"odd quote in a text", edit, `{"old_text":"say "hi","path":"x"}`, `!a quote inside a text is not escaped`},
		{"quotes that could end the text", edit, `{"old_text":"{"a": "b", "count": 1","path":"x"}`, `!is not escaped`},
		{"smuggled argument", edit, `{"path":"x","old_text":"a", "path": "/etc/passwd"}`, `!"path" is given twice`},
		{"CSV quotes", one, `{""path"":""x""}`, `{"path":"x"}`},
		{"doubled braces", one, `{{"path":"x"}}`, `{"path":"x"}`},
		{"bracket too many", one, `{"path":"x"}}`, `{"path":"x"}`},
		{"missing colon", one, `{"path" "x"}`, `{"path":"x"}`},
		{"texts added up", one, `{"path": "a/" + "b"}`, `{"path":"a/b"}`},
		{"words around", one, `Here you are: {"path":"x"} Shall I go on?`, `{"path":"x"}`},
		{"words around a code block", one, "Sure!\n```json\n{'path': 'x'}\n```\nDone.", `{"path":"x"}`},
		{"quotes escaped", one, `{\"path\":\"x\"}`, `{"path":"x"}`},
		{"tuple", edit, `{"path":"x","tags":("a","b")}`, `{"path":"x","tags":["a","b"]}`},
		{"set", edit, `{"path":"x","tags":{'a','b'}}`, `{"path":"x","tags":["a","b"]}`},

		{"name in other case", edit, `{"Path":"x"}`, `{"path":"x"}`},
		{"name in camel case and with a hyphen", edit, `{"path":"x","oldText":"a","replace-all":true}`, `{"path":"x","old_text":"a","replace_all":true}`},
		{"two names for one argument", edit, `{"path":"x","oldText":"a","old_text":"b"}`, `!"old_text" is given twice`},
		{"two misspelt names for one argument", edit, `{"path":"x","oldText":"a","old-text":"b"}`, `!"old_text" is given twice`},
		{"name not known", edit, `{"path":"x","file":"y"}`, `!"file" is not known. Known are: code, count`},
		{"name not known but allowed", one, `{"path":"x","file":"y"}`, `{"path":"x","file":"y"}`},

		{"text for a number", edit, `{"path":"x","count":"5","ratio":"0.5"}`, `{"path":"x","count":5,"ratio":0.5}`},
		{"text for a truth value", edit, `{"path":"x","replace_all":"True"}`, `{"path":"x","replace_all":true}`},
		{"number for a text", edit, `{"path":2024}`, `{"path":"2024"}`},
		{"5.0 for a whole number", edit, `{"path":"x","count":5.0}`, `{"path":"x","count":5}`},
		{"5e3 for a whole number", edit, `{"path":"x","count":5e3}`, `{"path":"x","count":5000}`},
		{"5.5 for a whole number", edit, `{"path":"x","count":5.5}`, `!"count" is "5.5". It must be a whole number`},
		{"one value for a list", edit, `{"path":"x","tags":"a","sizes":"3"}`, `{"path":"x","tags":["a"],"sizes":[3]}`},
		{"list as text", edit, `{"path":"x","tags":"[\"a\",\"b\"]"}`, `{"path":"x","tags":["a","b"]}`},
		{"items are mended too", edit, `{"path":"x","sizes":["1",2.0]}`, `{"path":"x","sizes":[1,2]}`},
		{"list for a text", edit, `{"path":["/ok","/etc/passwd"]}`, `!"path" is a list. It must be a text`},
		{"object for a text", edit, `{"path":{"a":1}}`, `!"path" is an object`},
		{"null for a required argument", edit, `{"path":null}`, `!"path" is null`},
		{"null for an optional one", edit, `{"path":"x","count":null}`, `{"path":"x"}`},
		{"other case in a choice", edit, `{"path":"x","mode":"ERROR"}`, `{"path":"x","mode":"error"}`},
		{"not in a choice", edit, `{"path":"x","mode":"fatal"}`, `!"mode" is "fatal". It must be one of "error", "warn".`},
		{"below the minimum", edit, `{"path":"x","count":0}`, `!"count" is "0". It must be a whole number from 1.`},
		{"no pattern", edit, `{"path":"x","code":"a"}`, `!"code" does not fit: pattern: "a" does not match`},
		{"inside an object", edit, `{"path":"x","limits":{"maxLines":"7"}}`, `{"path":"x","limits":{"max_lines":7}}`},
		{"missing inside an object", edit, `{"path":"x","limits":{}}`, `!"limits.max_lines" is missing`},
		{"wrong inside a list", edit, `{"path":"x","sizes":[1,"b"]}`, `!"sizes[1]" is "b"`},

		{"exact number", open, `{"n":12345678901234567890123}`, `{"n":12345678901234567890123}`},
		{"overflow", open, `{"n":1e999}`, `!this number is too large`},
		// The digits stay as they are, in a text: nobody has to know whether 007 is
		// seven, an agent, or 7 in octal. Where a number is wanted, it is refused.
		{"leading zeros", open, `{"n":007}`, `{"n":"007"}`},
		{"leading zeros for a number", edit, `{"path":"x","count":007}`, `!"count" is "007"`},
		{"hexadecimal", open, `{"n":0x1F}`, `{"n":"0x1F"}`},
		{"numbers of other languages", open, `{"a":.5,"b":1.,"c":+3,"d":1_000}`, `{"a":0.5,"b":1.0,"c":3,"d":1000}`},
		{"number that breaks off", open, `{"n":2e}`, `!a number breaks off`},
		{"NaN", open, `{"n":NaN}`, `!JSON has no such number`},
		{"given twice", open, `{"path":"/ok","path":"/etc/passwd"}`, `!"path" is given twice`},
		{"given twice inside", open, `{"a":[{"b":1,"b":2}]}`, `!"b" is given twice`},
		{"differs in case", open, `{"path":"/ok","PATH":"/etc/passwd"}`, `!"PATH" is given twice, also as "path"`},
		{"long s", open, `{"paſth":1}`, `!only looks like another`},
		{"trailing value", open, `{"x":1} {"y":2}`, `!more than one value`},
		{"deep", open, strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), `!nested deeper than 64`},
		{"not an object", open, `[1]`, `!The arguments are a list, not an object`},
		{"double comma", open, `{"a":1,,"b":2}`, `!something is missing between two commas`},
		// A value, a name and a colon: no other reading is left. Between the elements
		// of a list there is one, since "a" "b" is one text in Python.
		{"missing comma", open, `{"a":1 "b":2}`, `{"a":1,"b":2}`},
		{"missing comma in a list", open, `{"a":["rm" "-rf"]}`, `!a comma is missing`},
		{"missing value", one, `{"path":}`, `!a value is missing`},
		{"missing bracket", open, `{"a":[1,2}`, `!a bracket is missing`},
		{"closing quote missing", edit, `{"path":"a,"old_text":"b"}`, `!the closing quote of a text is missing`},
		{"left out", open, `{"a":[1,...]}`, `!something is left out`},
		{"function", open, `{"a":open("b")}`, `!a function around a value is not called`},
		{"expression", one, `{"path":os.environ["HOME"]}`, `!a text has no quotes`},
		{"sentence without quotes", one, `{"path":a, or b}`, `!a text has no quotes`},
		{"two code blocks", one, "```json\n{\"path\":\"a\"}\n```\nor\n```json\n{\"path\":\"b\"}\n```", `!more than one value`},
		{"words alone", one, `I cannot do that.`, `!not a JSON object`},

		{"cut, case 10A and B", one, `{"path":"report.md","content":"# Report\n\n## Part 1\nSome te`, `!breaks off`},
		{"cut, case 10A and B as text", one, `"{\"path\":\"report.md\",\"content\":\"# Report\\n\\n## Part 1\\nSome te"`, `!breaks off`},
		{"cut, case 10C as text", open, `"{\"commands\":[\"tar czf b.tgz data\",\"rm -r data\""`, `!breaks off`},
		{"cut after a value", one, `{"path":"x"`, `!breaks off`},
		{"cut in a text", one, `{"path":"/tmp/x`, `!breaks off`},
		{"cut in a text as text", one, `"{\"path\":\"/tmp/x"`, `!breaks off`},
		{"cut before a bracket of the text", one, `{"path":"int main() { return 0; }`, `!breaks off`},
		{"cut in a word without quotes", one, `{path: /tmp/no`, `!breaks off`},
		{"cut in a code block", one, "```json\n{\"path\":\"a\"\n```", `!breaks off`},
		{"cut with a comma", one, `{"path":"x",`, `!breaks off`},
		{"cut after words", one, `Here it is: {"path":"x`, `!breaks off`},
		{"cut with quotes in the text", one, `{"path":"say "hi" and`, `!breaks off`},
		{"cut in a list", open, `{"commands":["tar czf b.tgz data","rm -r data"`, `!breaks off`},
		{"cut in a number", open, `{"n":12`, `!breaks off`},
		{"cut in a word", open, `{"n":tr`, `!breaks off`},
		{"cut after an escape", one, `{"path":"x\`, `!breaks off`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := arguments(json.RawMessage(tc.raw), tc.spec)
			if part, ok := strings.CutPrefix(tc.want, "!"); ok {
				f, isFault := errors.AsType[*toolcall.Fault](err)
				if !isFault || !strings.Contains(f.Message(), part) {
					t.Fatalf("got %s, %v; want a fault with %q", got, err, part)
				}
				if f.Cut != strings.HasPrefix(tc.name, "cut") {
					t.Errorf("Cut = %v", f.Cut)
				}
				if f.Tool != tc.spec.Name || f.Suggestion() == "" {
					t.Errorf("fault without a tool or suggestion: %+v", f)
				}
				return
			}
			if err != nil || string(got) != tc.want {
				t.Fatalf("got %s, %v; want %s", got, err, tc.want)
			}
			again, err := arguments(got, tc.spec)
			if err != nil || string(again) != string(got) {
				t.Errorf("reading it again gives %s, %v", again, err)
			}
		})
	}
}

// TestVectors runs the shared vectors of hostile arguments.
func TestVectors(t *testing.T) {
	raw, err := os.ReadFile("testdata/tool_args_json.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Cases []struct {
			ID, JSON, Expect string
			Repeat           []any
		}
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	spec := tool("vector", `{"type":"object","properties":{"path":{"type":"string"}}}`)
	strict := tool("vector", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	for _, v := range vectors.Cases {
		t.Run(v.ID, func(t *testing.T) {
			input := v.JSON
			if len(v.Repeat) == 2 {
				input = strings.Repeat(v.Repeat[0].(string), int(v.Repeat[1].(float64)))
			}
			spec := spec
			if v.ID == "tj-09" { // null counts as missing
				spec = strict
			}
			got, err := arguments(json.RawMessage(input), spec)
			switch v.Expect {
			case "reject", "error, never execute":
				if err == nil {
					t.Errorf("%s was read as %s", input, got)
				}
			case "reject or U+FFFD":
				if err == nil && !strings.Contains(string(got), "\uFFFD") {
					t.Errorf("got %s", got)
				}
			case "exact or reject":
				if err == nil && string(got) != input {
					t.Errorf("got %s", got)
				}
			case "ok", "clamp": // clamping is the tool's own business
				if err != nil || string(got) != input {
					t.Errorf("got %s, %v", got, err)
				}
			case "same", "repair then re-validate, or return error to model":
				if err != nil || string(got) != `{"path":"x"}` {
					t.Errorf("got %s, %v", got, err)
				}
			default:
				t.Errorf("unknown expectation %q", v.Expect)
			}
		})
	}
}

func TestSuggestionShowsARightCall(t *testing.T) {
	spec := tool("read_file", `{"type":"object","properties":{"page":{"type":"integer"},"path":{"type":"string","examples":["notes.md"]}},"required":["path"]}`)
	_, err := arguments(nil, spec)
	f, _ := errors.AsType[*toolcall.Fault](err)
	if want := `A right call looks like this: read_file {"path":"notes.md"}`; f.Suggestion() != want {
		t.Errorf("suggestion %q, want %q", f.Suggestion(), want)
	}
	if e := f.ToolError(); !e.CanRetry || e.Message != f.Message() {
		t.Errorf("tool error %+v", e)
	}
}

func TestCompileRefusesBadSchemas(t *testing.T) {
	for _, parameters := range []string{`{"type":5}`, `{`, `{"$ref":"https://example.com/x"}`, `{"properties":{"a":{"pattern":"("}}}`} {
		if _, err := toolcall.Compile(loci.ToolSpec{Name: "x", Parameters: json.RawMessage(parameters)}); err == nil {
			t.Errorf("%s was compiled", parameters)
		}
	}
}

func TestArgumentsAreLinear(t *testing.T) {
	s, err := toolcall.Compile(tool("open", `{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []string{"'a", `"`, "\\", "{", "[", "/*", `"a":1,`, `'a':'b',`, "<|\"|>", "“"} {
		linear(t, unit, func(input string) {
			if _, err := s.Arguments(json.RawMessage("{" + input)); err == nil {
				t.Errorf("%q is read as arguments", unit)
			}
		})
	}
}

func BenchmarkArguments(b *testing.B) {
	s, err := toolcall.Compile(readFile)
	if err != nil {
		b.Fatal(err)
	}
	raw := json.RawMessage(`{"path":"notes/plan.md","limit":20,"raw":false}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Arguments(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := toolcall.Compile(readFile); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReaderProse(b *testing.B) {
	r := toolcall.NewReader(all)
	b.ReportAllocs()
	for b.Loop() {
		r.Write(" word")
	}
}

func BenchmarkReaderReply(b *testing.B) {
	const reply = "<think>\nThe plan is in a file.\n</think>\nI will read *both* of them:\n" +
		"<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"notes/plan.md\"}}</tool_call>\n" +
		"<function=read_file><parameter=path>todo.md</parameter></function>"
	b.ReportAllocs()
	for b.Loop() {
		r := toolcall.NewReader(all)
		for piece := range slices.Chunk([]byte(reply), 5) {
			r.Write(string(piece))
		}
		if _, calls, f := r.Close(); len(calls) != 2 || f != nil {
			b.Fatal(calls, f)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"path":"a"}`, `{'path': 'it's', count: True,}`, "```json\n{}\n```", `"{\"a\":1}"`, `{"a":1e5,"b":[{"c":"\ud800"}]}`, `{"path":"x`} {
		f.Add(s)
	}
	open, err := toolcall.Compile(tool("open", `{"type":"object"}`))
	if err != nil {
		f.Fatal(err)
	}
	typed, err := toolcall.Compile(readFile)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		for _, s := range []*toolcall.Schema{open, typed} {
			got, err := s.Arguments(json.RawMessage(raw))
			if err != nil {
				continue
			}
			var m map[string]any
			if err := json.Unmarshal(got, &m); err != nil {
				t.Fatalf("%q became %s: %v", raw, got, err)
			}
			again, err := s.Arguments(got)
			if err != nil || string(again) != string(got) {
				t.Errorf("%q became %s, and that %s, %v", raw, got, again, err)
			}
		}
	})
}

// arguments reads raw with a schema that is compiled for it.
func arguments(raw json.RawMessage, spec loci.ToolSpec) (json.RawMessage, error) {
	s, err := toolcall.Compile(spec)
	if err != nil {
		return nil, err
	}
	return s.Arguments(raw)
}
