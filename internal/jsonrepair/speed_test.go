package jsonrepair_test

import (
	"strings"
	"testing"

	"loci/internal/jsonrepair"
)

// shapes are broken inputs that grow with n, which is about their length in bytes.
var shapes = []struct {
	name string
	grow func(n int) string
}{
	{"fields", repeated("{", `'name': "say "hi" there", path: ./a/b.md, ok: True,`+"\n", "}")},
	{"one long text", repeated(`{'a': "`, `all work and no "play" makes \d `, `"}`)},
	{"one long text, cut", repeated(`{'a': "`, `all work and no "play" makes `, ``)},
	{"openers", repeated("", "[", "")},
	{"openers of objects", repeated("", "{'a':[", "")},
	{"nested in a list", repeated("[", strings.Repeat("{a:[", 100)+strings.Repeat("]}", 100)+",", "]")},
	{"unclosed nested in a list", repeated("[", strings.Repeat("{a:[", 200)+strings.Repeat("]", 200), "]")},
	{"quotes", repeated("{", `"`, "}")},
	{"single quotes", repeated("['", `',`, "")},
	{"quotes that open", repeated("[", `"a, `, "]")},
	{"quotes of many kinds", repeated("[", "“a, ‘b, `c, 'd, \"e, ", "]")},
	{"names that never end", repeated("{'a':'", `', “b`, "")},
	{"backslashes", repeated(`{'a': "`, `\`, ``)},
	{"backslashes and quotes", repeated(`{'a': "`, `\\"`, ``)},
	{"escapes", repeated(`{\"a\": \"`, `\\n\"`, ``)},
	{"comments", repeated("{'a':1", "/*", "")},
	{"comments behind quotes", repeated("['a", "'/* ", "")},
	{"line comments behind quotes", repeated("['a", "'//", "")},
	{"words", repeated("{a: ", "b, c ", "}")},
	{"words with brackets", repeated("{a: ", "b{c", "")},
	{"commas", repeated("[", ",", "]")},
	{"spaces", repeated("{'a':'b'", "    '   ", "}")},
	{"line breaks", repeated("{'a':'b", "\n' ", "}")},
	{"colons", repeated("['a'", ":'a'", "]")},
	{"round brackets", repeated("[", "(a),((1),2),", "]")},
	{"functions", repeated("[", "f(1),", "]")},
	{"sets", repeated("[", "{'a','b'},", "]")},
	{"plus", repeated("['a'", "+'b'", "]")},
	{"plus and space", repeated("['a'", "+    ", "]")},
	{"values", repeated("", "{'a':1}\n", "")},
	{"closed too early", repeated("{'a':1}", ",'b':{}}", "")},
	{"prose", repeated("So: ", "[word {word ", "{'a':1}")},
	{"fences", repeated("So: ", "```\nword\n", "")},
	{"brackets left over", repeated("{'a':'b'", "}]", "")},
	{"texts before brackets", repeated("{'a':[", `"b"}}`, "")},
	{"Windows paths", repeated("[", `'C:\new\table\',`, "]")},
	{"one Windows path", repeated(`['C:`, `\n"`, "']")},
	{"doubled quotes", repeated("{", `""a"":""b"",`, "}")},
}

// repeated grows a shape by repeating its middle.
func repeated(head, unit, tail string) func(n int) string {
	return func(n int) string {
		return head + strings.Repeat(unit, max(1, (n-len(head)-len(tail))/len(unit))) + tail
	}
}

// call is what a small model writes for a call that creates a file: 154 bytes.
const call = `{'path': './notes/plan.md', "content": "Say "hello" to Anna's team.` + "\n" +
	`Then buy milk, bread and eggs.", overwrite: True, 'mode': null, "tags": ['a' , "b",],}`

func BenchmarkRepairCall(b *testing.B) {
	src := []byte(call)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, how, err := jsonrepair.Repair(src); err != nil || how.Doubt != "" || how.Cut {
			b.Fatal(how, err)
		}
	}
}

func BenchmarkRepairValid(b *testing.B) {
	src := []byte(`{"path":"notes/plan.md","content":"` + strings.Repeat("All work and no play. ", 5000) + `"}`)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, _, err := jsonrepair.Repair(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRepairLarge(b *testing.B) {
	src := []byte(shapes[0].grow(50 << 10))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := jsonrepair.Repair(src); err != nil {
			b.Fatal(err)
		}
	}
}
