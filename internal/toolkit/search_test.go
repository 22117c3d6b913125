package toolkit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"loci/internal/tool"
)

// logBench holds a log with 14 lines that have ERROR in them, and two that
// only have "error".
func logBench(t *testing.T) *bench {
	var log strings.Builder
	for i := range 100 {
		level := "INFO"
		switch {
		case i%7 == 0 && i < 98:
			level = "ERROR"
		case i%50 == 1:
			level = "INFO no error:"
		}
		fmt.Fprintf(&log, "2026-11-30 10:%02d 10.0.0.%d %s code=%d\r\n", i%60, i%3, level, 500+i%2)
	}
	b := newBench(t, map[string]string{
		"app.log": log.String(), "old/app.log.1": "ERROR once\nok\n", "report.pdf": "%PDF\x00ERROR", "Photo.JPG": "x",
		"notes.md": "Rechnung\nžluťoučký KŮŇ\n", ".git/config": "ERROR in git", "node_modules/m/x.js": "ERROR in a module",
	})
	for name, age := range map[string]time.Duration{"app.log": 0, "old/app.log.1": 48 * time.Hour, "report.pdf": 20 * time.Hour, "Photo.JPG": 2 * time.Hour, "notes.md": time.Hour, "old": 72 * time.Hour} {
		at := noon.Add(-age)
		if err := os.Chtimes(filepath.Join(b.root, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestSearchNames(t *testing.T) {
	b := logBench(t)
	for args, want := range map[string]string{
		`{"name":"APP"}`:      "app.log old/app.log.1",
		`{"name":"*.log"}`:    "app.log",
		`{"name":"**/*.md"}`:  "notes.md",
		`{"name":"old/*"}`:    "old/app.log.1",
		`{"type":"folder"}`:   ".git node_modules old",
		`{"type":"image"}`:    "Photo.JPG",
		`{"type":"images"}`:   "Photo.JPG",
		`{"type":".PDF"}`:     "report.pdf",
		`{"name":".git"}`:     ".git",
		`{"path":".git"}`:     ".git/config",
		`{"path":"old"}`:      "old/app.log.1",
		`{"path":"notes.md"}`: "notes.md",
		`{"type":"file","sort":"newest","name":"o","limit":2}`:                          "app.log notes.md",
		`{"type":"file","sort":"oldest","name":"o"}`:                                    "old/app.log.1 report.pdf Photo.JPG notes.md app.log",
		`{"type":"file","sort":"largest","limit":1}`:                                    "app.log",
		`{"type":"file","modified_after":"today"}`:                                      "Photo.JPG app.log notes.md",
		`{"type":"file","modified_after":"2026-11-29","modified_before":"today"}`:       "report.pdf",
		`{"type":"file","modified_before":"2026-11-30 11:30","modified_after":"today"}`: "Photo.JPG notes.md",
		`{"name":"nothing"}`: "",
	} {
		var paths []string
		for _, m := range get[found](b, "search_files", args).Matches {
			paths = append(paths, m.Path)
		}
		if got := strings.Join(paths, " "); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	b.refuse("search_files", `{"name":"[a"}`, "pattern")
	b.refuse("search_files", `{"modified_after":"soon"}`, "date")
	b.refuse("search_files", `{"path":"gone"}`, "no file or folder")
}

func TestSearchContent(t *testing.T) {
	b := logBench(t)
	for args, want := range map[string]int{
		`{"path":"app.log","content":"ERROR"}`:                          14,
		`{"name":"app.log","content":"ERROR","count":true}`:             15,
		`{"path":"app.log","content":"error"}`:                          16,
		`{"path":"app.log","content":"error","case":true}`:              2,
		`{"path":"app.log","content":"error: code=\\d","regexp":true}`:  2,
		`{"path":"app.log","content":"ERROR code=5\\d0","regexp":true}`: 7,
		`{"content":"kůň"}`:                                             1,
		`{"content":"k\u016f\u006e\u030c","type":"md"}`:                 1,
		`{"content":"ERROR"}`:                                           15,
		`{"content":"ERROR","path":".git"}`:                             1,
		`{"content":"ERROR","name":"node_modules/m/x.js"}`:              1,
		`{"content":"nowhere"}`:                                         0,
	} {
		if got := get[found](b, "search_files", args); *got.Lines != want {
			t.Errorf("%s: %d lines, want %d", args, *got.Lines, want)
		}
	}
	got := get[found](b, "search_files", `{"content":"once"}`)
	if diff := cmp.Diff([]hit{{1, "ERROR once"}}, got.Matches[0].Hits); diff != "" || !strings.Contains(got.Note, "1 binary") {
		t.Error(diff, got.Note)
	}
	if got = get[found](b, "search_files", `{"content":"ERROR","count":true}`); got.Matches[0].Hits != nil || got.Matches[0].Lines != 14 || got.Files != 2 {
		t.Errorf("%+v", got)
	}
	b.refuse("search_files", `{"content":"(","regexp":true}`, "regular expression")
	b.refuse("search_files", `{"group_by":"("}`, "regular expression")
}

func TestSearchGroups(t *testing.T) {
	b := logBench(t)
	got := get[found](b, "search_files", `{"path":"app.log","content":"ERROR","group_by":"(10\\.0\\.0\\.\\d+)"}`)
	if diff := cmp.Diff([]group{{"10.0.0.0", 5}, {"10.0.0.1", 5}, {"10.0.0.2", 4}}, got.Groups); diff != "" || *got.Lines != 14 {
		t.Error(diff, *got.Lines)
	}
	got = get[found](b, "search_files", `{"path":"app.log","content":"ERROR","group_by":"^.*none=(\\d+)|^.*(10\\.0\\.0\\.\\d+)"}`)
	if diff := cmp.Diff([]group{{"10.0.0.0", 5}, {"10.0.0.1", 5}, {"10.0.0.2", 4}}, got.Groups); diff != "" {
		t.Errorf("the group of a later alternative: %s", diff)
	}
	got = get[found](b, "search_files", `{"path":"app.log","group_by":"code=(\\d+)","limit":1}`)
	if diff := cmp.Diff([]group{{"500", 50}}, got.Groups); diff != "" || !strings.Contains(got.Note, "1 of 2 values") {
		t.Error(diff, got.Note)
	}
}

func TestSearchWords(t *testing.T) {
	b := logBench(t)
	for _, test := range []struct{ lang, args, want string }{
		{"en", `{"path":"app.log","content":"ERROR","count":true}`, "ERROR occurs in 14 lines of app.log."},
		{"zh", `{"path":"app.log","content":"ERROR","count":true}`, "app.log 中有 14 行包含 ERROR。"},
		{"cs", `{"path":"app.log","content":"ERROR","count":true}`, "ERROR je na 14 řádcích souboru app.log."},
		{"en", `{"content":"ERROR","count":true,"type":"file"}`, "ERROR occurs in 15 lines of 2 files:\napp.log: 14\nold/app.log.1: 1\nNot searched: 1 binary files."},
		{"en", `{"path":"app.log","content":"nothing like it"}`, "nothing like it does not occur in app.log."},
		{"en", `{"path":".","content":"nothing like it","type":"file"}`, "nothing like it does not occur in any file.\nNot searched: 1 binary files."},
		{"en", `{"path":"old","content":"nothing like it"}`, "nothing like it does not occur in old/app.log.1."},
		{"en", `{"name":"app.log.1","content":"nothing like it"}`, "nothing like it does not occur in old/app.log.1."},
		{"zh", `{"content":"ERROR","count":true,"type":"file"}`, "2 个文件中有 15 行包含 ERROR：\napp.log: 14\nold/app.log.1: 1\n未搜索：1 个二进制文件。"},
		{"cs", `{"content":"nic takového"}`, "nic takového se nevyskytuje v žádném souboru.\nNeprohledáno, binární soubory: 1."},
		{"en", `{"content":"once"}`, "once occurs in 1 line of old/app.log.1:\nold/app.log.1:1: ERROR once\nNot searched: 1 binary files."},
		{"en", `{"name":"app","count":true}`, "2 files."},
		{"cs", `{"name":"app","count":true}`, "2 soubory."},
		{"en", `{"name":"notes"}`, "1 file: notes.md (29 bytes, 2026-11-30 11:00)"},
		{"zh", `{"name":"gone"}`, "没有匹配的文件或文件夹。"},
	} {
		b.lang = test.lang
		if got := b.call("search_files", test.args).Text; got != test.want {
			t.Errorf("%s %s:\n%s\nwant\n%s", test.lang, test.args, got, test.want)
		}
	}
}

// TestSearchLongLine finds text far out in lines that no buffer holds, counts
// each line once, and shows a short valid piece.
func TestSearchLongLine(t *testing.T) {
	b := newBench(t, map[string]string{
		"long": strings.Repeat("日", 700_000) + "needle" + strings.Repeat("本", 700_000) + " needle\nneedle\n",
	})
	got := get[found](b, "search_files", `{"content":"needle"}`)
	if *got.Lines != 2 || !strings.Contains(got.Note, "in pieces") || got.Matches[0].Hits[1].Line != 2 {
		t.Fatalf("%+v", got)
	}
	text := got.Matches[0].Hits[0].Text
	if n := utf8.RuneCountInString(text); n > 200 || !strings.Contains(text, "needle") || strings.Contains(text, "\ufffd") {
		t.Errorf("%d characters: %s", n, text)
	}
}

// TestSearchBounds shows that each bound ends the search with an honest note.
func TestSearchBounds(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("f%02d", i)] = strings.Repeat("needle\n", 30)
	}
	b := newBench(t, files)
	for _, test := range []struct {
		c          Config
		args, note string
	}{
		{Config{SearchFiles: 10}, `{}`, "only the first 10"},
		{Config{SearchBytes: 1000}, `{"content":"needle"}`, "only a part was searched"},
		{Config{SearchTime: 1}, `{"content":"needle"}`, "took too long"},
		{Config{}, `{"content":"needle"}`, "60 of 1200 lines"},
		{Config{}, `{"limit":3}`, "3 of 40 results"},
	} {
		set, err := tool.New(tool.Config{Tools: All(test.c)})
		if err != nil {
			t.Fatal(err)
		}
		b.set = set
		if got := get[found](b, "search_files", test.args); !strings.Contains(got.Note, test.note) {
			t.Errorf("%+v %s: %q", test.c, test.args, got.Note)
		}
	}
}

func TestExcerpt(t *testing.T) {
	line := strings.Repeat("á", 500) + "X" + strings.Repeat("b", 500)
	at := strings.Index(line, "X")
	if got := excerpt([]byte(line), at, at+1); utf8.RuneCountInString(got) != 200 || !strings.Contains(got, "X") {
		t.Errorf("%q", got)
	}
	if got := excerpt([]byte("short\xff\r"), 0, 1); got != "short�" {
		t.Errorf("%q", got)
	}
}

// TestAskedFor checks what is said where a number of results, or only their count,
// was asked for.
func TestAskedFor(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "the end of the day\nno\nThe", "b.txt": "the", "c.md": strings.Repeat("x", 100)})
	for args, want := range map[string]string{
		`{"type":"file","sort":"largest","limit":1}`:        "The largest: c.md (100 bytes,",
		`{"content":"the","count":true,"path":"a.txt"}`:     "the occurs in 2 lines of a.txt, 3 times.",
		`{"name":"` + filepath.ToSlash(b.root) + `/*.txt"}`: "2 files: a.txt",
		`{"type":"alien"}`: "No name ends in .alien here.",
		`{"content":"no","count":true,"path":"a.txt"}`:          "no occurs in 1 line of a.txt.",
		`{"content":"\\bthe\\b","regexp":true,"count":true}`:    "occurs in 3 lines of 2 files:",
		`{"content":"^","regexp":true,"count":true,"limit":50}`: "occurs in 5 lines",
	} {
		r := b.call("search_files", args)
		if !strings.Contains(r.Text, want) || strings.Contains(r.Text, "Only") {
			t.Errorf("%s: %q, want %q in it", args, r.Text, want)
		}
	}
	if f := get[found](b, "search_files", `{"type":"file","limit":1}`); f.Files != 3 || !strings.Contains(f.Note, "Only 1 of 3") {
		t.Errorf("the model is told of the others: %+v", f)
	}
	if f := get[found](b, "search_files", `{"content":"the","count":true}`); f.Times != 4 {
		t.Errorf("%d times", f.Times)
	}
}
