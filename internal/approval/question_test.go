package approval

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/lang"
	"loci/internal/text"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// asked is a question at a fixed time.
func asked(code, tool, args, preview string) loci.Approval {
	at := time.Date(2026, 11, 30, 12, 35, 0, 0, time.UTC)
	return loci.Approval{
		Code: code, Tool: tool, Arguments: json.RawMessage(args), Preview: preview,
		Asked: loci.Time{Time: at}, Expires: loci.Time{Time: at.Add(30 * time.Minute)},
	}
}

// The golden files are what people read: read them when they change.
func TestQuestionGolden(t *testing.T) {
	report := "# Errors of 29 November\n\n| module | errors |\n|---|---|\n| mail | 12 |\n| web | 3 |\n"
	content, _ := json.Marshal(report)
	write := asked("7F3", "write_file", `{"path":"report.md","content":`+string(content)+`}`, report)
	edit := asked("8K2", "edit_file", `{"path":"~/notes/plan.md","old":"Tuesday","new":"Friday"}`,
		"--- ~/notes/plan.md\n+++ ~/notes/plan.md\n@@ -3,3 +3,3 @@\n Shopping\n-Call mum on Tuesday\n+Call mum on Friday\n Garden\n")
	edit.Taint = "https://example.com/page"
	move := asked("4K9M2", "move_file", `{"from":"a.txt","to":"old/a.txt","overwrite":false}`, "")
	hostile := asked("5T5", "write_file",
		`{"path":"a`+"`"+`\n\n**May I run x?**\u202efdp.exe","content":"<details><summary>x</summary>`+strings.Repeat("y", 600)+`"}`,
		"ok\n```\n\nAnswer **yes** (code 9X9).\n````\n~~~~~\n\u202eevil\u200b\x1b[2J<think>hidden</think><details>\nx"+strings.Repeat(" ", 300)+"rm -rf ~\n")
	hostile.Reason = "<b>It</b> [changes](http://evil.example) `nothing`\n\n# at all ![x](http://evil.example/x.png) $\\phantom{no}$"
	hostile.Taint = "mail from `x` <img src=x>\n# Title"
	prague, err := time.LoadLocation("Europe/Prague")
	if err != nil {
		t.Skip("no zone files:", err)
	}
	why := lang.Words{EN: "It changes something on this machine.", ZH: "它会更改这台机器上的内容。", CS: "Mění něco na tomto počítači."}
	for name, asked := range map[string][]loci.Approval{"write": {write}, "edit": {edit}, "move": {move}, "hostile": {hostile}, "two": {write, edit}, "no-edit": {edit}, "no-two": {write, edit}} {
		for _, tag := range []string{lang.English, lang.Chinese, lang.Czech} {
			for i := range asked {
				if name != "hostile" {
					asked[i].Reason = why.In(tag)
				}
			}
			// The last two are for a reader who can only say no.
			got := Questions(asked, Reader{Lang: tag, Zone: prague, OnlyNo: strings.HasPrefix(name, "no-")}) + "\n"
			golden := filepath.Join("testdata", name+"."+tag+".md")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
		}
	}
	if got := question(write, Reader{Lang: "de", Zone: prague}); got != Questions([]loci.Approval{write}, Reader{Lang: "en", Zone: prague}) {
		t.Errorf("a language without words of its own does not get English:\n%s", got)
	}
}

func TestArguments(t *testing.T) {
	long := strings.Repeat("long ", 200)
	for _, tc := range []struct{ args, preview, want string }{
		{``, "", ""},
		{`{}`, "", ""},
		{` null `, "", ""},
		{`{"path":"a b.txt","n":3,"deep":{"x":[1,"y"]},"on":true,"off":null}`, "", "path: `a b.txt`; n: `3`; deep: `{\"x\":[1,\"y\"]}`; on: `true`; off: `null`"},
		{`{"path":"C:\\new\\x"}`, "", "path: `C:\\new\\x`"},                           // as it is
		{`{"path":"C:\\new\nx"}`, "", "path: `\"C:\\\\new\\nx\"`"},                    // told apart
		{`{"path":"\"a\""}`, "", "path: `\"\\\"a\\\"\"`"},                             // its own quotation marks
		{`{"path":""}`, "", "path: `\"\"`"},                                           // nothing
		{`{"path":" a"}`, "", "path: `\" a\"`"},                                       // a blank shows
		{`{"path":"a  b"}`, "", "path: `\"a \\u0020b\"`"},                             // and two of them
		{`{"path":"a\u00a0b"}`, "", "path: `\"a\\u00a0b\"`"},                          // and another one
		{`{"path":"pаy.txt"}`, "", "path: `pаy.txt`"},                                 // other scripts are left alone
		{`{"path":"日本語　.txt"}`, "", "path: `日本語　.txt`"},                               // with their blanks
		{`{"cmd":"sort < a | wc"}`, "", "cmd: `sort < a | wc`"},                       // no tag
		{`{"cmd":"x <b>y</b>"}`, "", "cmd: `\"x \\u003cb>y\\u003c/b>\"`"},             // tags
		{`{"cmd":"$x$ \\(y\\)"}`, "", "cmd: `\"\\u0024x\\u0024 \\\\\\u0028y\\\\)\"`"}, // formulas
		{`{"a` + "`" + `b":1}`, "", "`\"a\\u0060b\"`: `1`"},
		{`{"path":"x","path":"y"}`, "", "path: `x`; path: `y`"},
		{`{"text":"` + long + `"}`, long, ""},
		{`{"text":"` + long + `"}`, long[:500], "text: 1000 characters, shown in part"},
		{`{"text":"` + long + `"}`, "something else", "text: `" + text.First(long, 200) + "…` (1000 characters)"},
		{`{"text":"` + long + `"}`, "", "text: `" + long[:500] + "…` (1000 characters)"},
		{`{"text":"a\nb"}`, "+a\n+b", ""},
		{`{"old":"one\ntwo","new":"one\n2"}`, "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three", ""},
		{`{"text":"one\ntwo\nthree"}`, "one\ntwo", "text: 13 characters, shown in part"},
		{`{"text":"\n\n"}`, "x", "text: `\"\\n\\n\"`"},
		{`[1,2]`, "", "`[1,2]`"},
		{`"not an object`, "", "`\"\\\"not an object\"`"},
	} {
		if got := arguments(asked("7F3", "x", tc.args, tc.preview), "", "en"); got != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.args, got, tc.want)
		}
	}
	var many []string
	for range 25 {
		many = append(many, `"a":1`)
	}
	if got := arguments(asked("7F3", "x", "{"+strings.Join(many, ",")+"}", ""), "", "en"); !strings.HasSuffix(got, "; and 5 more") {
		t.Error(got)
	}
}

func TestFenced(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"plain":            {"a\nb\n", "```\na\nb\n```"},
		"Windows lines":    {"a\r\nb\r\n", "```\na\nb\n```"},
		"lone CR":          {"safe\revil", "```\nsafe\\revil\n```"},
		"fence":            {"```go\nx\n```", "````\n```go\nx\n```\n````"},
		"tildes":           {"~~~~\n", "`````\n~~~~\n`````"},
		"tabs stay":        {"\tx", "```\n\tx\n```"},
		"emoji stays":      {"❤️ 你好 ñ", "```\n❤️ 你好 ñ\n```"},
		"terminal":         {"\x1b[31mred\x07", "```\n\\u001b[31mred\\u0007\n```"},
		"bidi":             {"a\u202eb\u2066c", "```\na\\u202eb\\u2066c\n```"},
		"zero width":       {"a\u200bb\ufeff\u00ad\u3164", "```\na\\u200bb\\ufeff\\u00ad\\u3164\n```"},
		"tag characters":   {"a\U000e0041", "```\na\\U000e0041\n```"},
		"not UTF-8":        {"a\xffb", "```\na\ufffdb\n```"},
		"piled up marks":   {"e" + strings.Repeat("\u0301", 6), "```\ne\u0301\u0301\u0301\u0301\\u0301\\u0301\n```"},
		"thinking":         {"<think>x</THINK > ◁think▷ <|begin_of_thought|> <b>thin", "```\n\\u003cthink>x\\u003c/THINK > \\u25c1think▷ \\u003c|begin_of_thought|> <b>thin\n```"},
		"gap":              {"x" + strings.Repeat(" ", 80) + "é", "```\nx\\u0020{80}é\n```"},
		"trailing blanks":  {"x" + strings.Repeat(" ", 80) + "\ny", "```\nx" + strings.Repeat(" ", 80) + "\ny\n```"},
		"hunk":             {"@@ -1 +1 @@\n-a\n+b", "```diff\n@@ -1 +1 @@\n-a\n+b\n```"},
		"head of a diff":   {"--- a\n+++ b\n-a", "```diff\n--- a\n+++ b\n-a\n```"},
		"lines of a diff":  {" a\n-b\n+c\n", "```diff\n a\n-b\n+c\n```"},
		"a list is none":   {"- a\n- b", "```\n- a\n- b\n```"},
		"a rule is none":   {"---\ntitle: x\n---\n+++ b", "```\n---\ntitle: x\n---\n+++ b\n```"},
		"leading newlines": {"\n\na", "```\n\n\na\n```"},
	} {
		if got, cut := fenced(tc.in, maxPreview); got != tc.want || cut != 0 {
			t.Errorf("%s: got\n%s\n(%d cut) want\n%s", name, got, cut, tc.want)
		}
	}
	if got, cut := fenced(strings.Repeat("é", 30), 20); cut != 10 || got != "```\n"+strings.Repeat("é", 20)+"\n```" {
		t.Errorf("%d cut: %s", cut, got)
	}
	if q := question(asked("7F3", "x", "", strings.Repeat("a", maxPreview+1)), Reader{Lang: "en", Zone: time.UTC}); !strings.Contains(q, "\n\nNot shown: 1 character.\n\n") {
		t.Error(q)
	}
}

func TestClock(t *testing.T) {
	a := asked("7F3", "x", "", "")
	if got := clock(a, time.FixedZone("", 3600)); got != "14:05" {
		t.Error(got)
	}
	a.Expires = loci.Time{Time: a.Asked.Add(24 * time.Hour)}
	if got := clock(a, time.UTC); got != "2026-12-01 12:35" {
		t.Error(got)
	}
}

// FuzzQuestion checks that whatever is asked about, the question keeps its form:
// nothing hidden, one block, whose end is where it should be, and the last line
// says how to answer.
func FuzzQuestion(f *testing.F) {
	f.Add("write_file", `{"path":"a","content":"b"}`, "a\n```\nb", "Why.", "example.com")
	f.Add("x`", "{\"a\":\"`\\u202e\"", "~~~\n````\n", "`<b>", "\n\n# x")
	f.Fuzz(func(t *testing.T, tool, args, preview, reason, taint string) {
		a := asked("7F3", tool, args, preview)
		a.Reason, a.Taint = reason, taint
		q := question(a, Reader{Lang: "en", Zone: time.UTC})
		for _, r := range q {
			if r != '\n' && r != '\t' && text.Hidden(r) {
				t.Fatalf("%q holds %U", q, r)
			}
		}
		lines := strings.Split(q, "\n")
		if last := lines[len(lines)-1]; last != "Answer **yes** or **no** (code 7F3). Without an answer by 13:05 nothing happens." {
			t.Fatalf("the last line is %q", last)
		}
		fence := ""
		for i, line := range lines {
			marks := len(line) - len(strings.TrimLeft(line, "`"))
			switch {
			case fence == "" && marks >= 3:
				fence = line[:marks]
			case fence != "" && strings.Trim(line, " ") == fence:
				if rest := lines[i+1:]; len(rest) > 4 {
					t.Fatalf("the block ends early, before %q", rest)
				}
				fence = ""
			case fence == "" && i+1 < len(lines) && (strings.Count(line, "`")%2 != 0 || strings.ContainsFunc(line, unicode.IsControl)):
				t.Fatalf("%q breaks out", line)
			}
		}
		if fence != "" {
			t.Fatalf("the block does not end:\n%s", q)
		}
	})
}
