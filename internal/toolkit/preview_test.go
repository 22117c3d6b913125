package toolkit

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestPreviews(t *testing.T) {
	b := newBench(t, map[string]string{"f": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n", "same": "x\r\n", "mixed": "x\r\ny\n", "dir/a": "A", "dir/sub/b": "BB"})
	for _, path := range []string{"f", "dir"} {
		if err := os.Chtimes(b.root+"/"+path, noon, noon); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("f", b.root+"/link"); err != nil {
		t.Skip("no links here")
	}
	for _, tt := range []struct{ tool, args, want string }{
		{"write_file", `{"path":"new","content":"hello\nworld"}`, "New file ROOT/new (2 lines, 11 bytes):\nhello\nworld"},
		{"write_file", `{"path":"new","content":""}`, "New file ROOT/new (0 lines, 0 bytes):\n"},
		{"write_file", `{"path":"link","content":"one\ntwo\nthree\n4\nfive\nsix\nseven\neight"}`, "New content of ROOT/f:\n@@ -2,6 +2,7 @@\n two\n three\n-four\n+4\n five\n six\n seven\n+eight\n\\ no line end"},
		{"write_file", `{"path":"same","content":"x\n"}`, "New content of ROOT/same:\nNothing changes."},
		{"write_file", `{"path":"mixed","content":"x\ny\n"}`, "New content of ROOT/mixed:\nAll line ends become LF."},
		{"write_file", `{"path":"f","content":""}`, "New content of ROOT/f:\n@@ -1,7 +0,0 @@\n-one\n-two\n-three\n-four\n-five\n-six\n-seven"},
		{"edit_file", `{"path":"f","old_text":"four","new_text":"4\u202e\u200b\u0007"}`, "Change of ROOT/f:\n@@ -2,5 +2,5 @@\n two\n three\n-four\n+4\\u202e\\u200b\\u0007\n five\n six"},
		{"move_file", `{"source":"f","destination":"dir/new/g"}`, "Move: ROOT/f\n→ ROOT/dir/new/g\na file, 34 bytes, from 2026-11-30 12:00"},
		{"delete_file", `{"path":"dir"}`, "Into the trash, for 30 days: ROOT/dir\na folder with 2 files and 1 folder in it, 3 bytes, from 2026-11-30 12:00"},
	} {
		p, err := b.preview(tt.tool, tt.args)
		if err != nil {
			t.Fatal(tt.tool, err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(tt.want, "ROOT", b.root), p.Text); diff != "" {
			t.Errorf("%s %s: %s", tt.tool, tt.args, diff)
		}
	}
	if p, err := b.preview("delete_file", `{"path":"link"}`); err != nil || !strings.Contains(p.Text, "what it leads to stays") {
		t.Errorf("%v, %v", p, err)
	}
	for lang, want := range map[string]string{"en": "… and 9502 characters more", "zh": "…… 还有 9502 个字符", "cs": "… a ještě 9502 znaků"} {
		b.lang = lang
		p, err := b.preview("write_file", args(t, writeArgs{"new", strings.Repeat("字\n", 5001)}))
		if err != nil || !strings.Contains(p.Text, want) || utf8.RuneCountInString(p.Text) > 700+len(b.root) {
			t.Errorf("%s: %v, %v", lang, p.Text, err)
		}
	}
	b.lang = "en"
	for _, bad := range []struct{ tool, args string }{
		{"write_file", `{"path":"dir","content":""}`}, {"edit_file", `{"path":"f","old_text":"nine","new_text":""}`},
		{"move_file", `{"source":"f","destination":"same"}`}, {"delete_file", `{"path":"gone"}`}, {"write_file", `{"path":".git/x","content":""}`},
	} {
		if p, err := b.preview(bad.tool, bad.args); err == nil {
			t.Errorf("%s %s: %q", bad.tool, bad.args, p.Text)
		}
	}
}

// TestLongDiff shows that a diff is cut honestly.
func TestLongDiff(t *testing.T) {
	b := newBench(t, map[string]string{"f": strings.Repeat("old line\n", 100), "wide": strings.Repeat("x", 5000)})
	p, err := b.preview("write_file", args(t, writeArgs{"f", strings.Repeat("new line\n", 100)}))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(p.Text, "\n")
	if n := utf8.RuneCountInString(p.Text); n > 600+len(b.root) || lines[len(lines)-1] != "… and 153 lines more" && !strings.HasPrefix(lines[len(lines)-1], "… and 15") {
		t.Errorf("%d characters, ending with %q", n, lines[len(lines)-1])
	}
	shown := 0
	for _, l := range lines {
		if strings.HasPrefix(l, "-") || strings.HasPrefix(l, "+") || strings.HasPrefix(l, "@@") {
			shown++
		}
	}
	if want := lineCount.In("en", 201-shown); !strings.HasSuffix(p.Text, "… and "+want+" more") {
		t.Errorf("%d lines are shown, and at the end it says %q", shown, lines[len(lines)-1])
	}
	p, err = b.preview("edit_file", args(t, editArgs{Path: "wide", Old: strings.Repeat("x", 5000), New: "y"}))
	if err != nil || utf8.RuneCountInString(p.Text) > 600+len(b.root) || !strings.Contains(p.Text, "…") {
		t.Errorf("%d characters, %v", utf8.RuneCountInString(p.Text), err)
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain žluť 日本 🐢\n\tx": "plain žluť 日本 🐢\n\tx", "\x1b[2J\r\x00\x7f\u0085": `\u001b[2J\r\u0000\u007f\u0085`, "a\u202eb\u2066c\u2069": `a\u202eb\u2066c\u2069`,
		"\u200b\ufeff\u00ad\u2028": `\u200b\ufeff\u00ad\u2028`, "\U000e0041": `\U000e0041`, "\U000e0100\u3164": `\U000e0100\u3164`, "\xff": `\xff`,
	} {
		if got := visible(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	if got := oneLine("a\nb"); got != `a\nb` {
		t.Errorf("%q", got)
	}
}

// TestCompare rebuilds texts from what differs between them.
func TestCompare(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a, b := make([]string, random.IntN(30)), make([]string, random.IntN(30))
		for _, lines := range [][]string{a, b} {
			for i := range lines {
				lines[i] = string(rune('a' + random.IntN(4)))
			}
		}
		var built []string
		at, edits := 0, 0
		for _, s := range compare(a, b) {
			if s.a < at || s.a == s.b && s.c == s.d {
				t.Fatalf("%v %v: bad span %v", a, b, s)
			}
			built = append(append(built, a[at:s.a]...), b[s.c:s.d]...)
			edits += s.b - s.a + s.d - s.c
			at = s.b
		}
		built = append(built, a[at:]...)
		if !slices.Equal(built, b) {
			t.Fatalf("%v to %v gives %v", a, b, built)
		}
		if want := len(a) + len(b) - 2*common(a, b); edits != want {
			t.Fatalf("%v to %v takes %d edits, %d would do", a, b, edits, want)
		}
	}
}

// common is the length of the longest common subsequence, the slow way.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		last := 0
		for j, y := range b {
			keep := row[j+1]
			if x == y {
				row[j+1] = last + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			last = keep
		}
	}
	return row[len(b)]
}

// TestCompareCost compares what has nothing in common, and as much as there can be.
func TestCompareCost(t *testing.T) {
	var a, b []string
	random := rand.New(rand.NewPCG(3, 4))
	for range 200_000 {
		a, b = append(a, string(rune('a'+random.IntN(26)))), append(b, string(rune('a'+random.IntN(26))))
	}
	start := time.Now()
	if spans := compare(a, b); len(spans) != 1 || spans[0].a > 1 {
		t.Errorf("%d spans", len(spans))
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
}
