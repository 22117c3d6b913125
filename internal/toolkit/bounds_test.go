package toolkit

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"loci/internal/sandbox"
)

// allocated is how many bytes use takes from memory.
func allocated(use func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	use()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestGrow edits so that a file would become huge: that is refused, before
// anything of it is made.
func TestGrow(t *testing.T) {
	book := strings.Repeat("the letter e is the most frequent one here\n", 10_000)
	b := newBench(t, map[string]string{"book": book, "edge": strings.Repeat("e", 1000)})
	grow := args(t, editArgs{"book", "e", strings.Repeat("x", 100_000), true})
	if n := allocated(func() {
		if _, err := b.preview("edit_file", grow); err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("%v", err)
		}
	}); n > 30<<20 {
		t.Errorf("it took %d MB", n>>20)
	}
	b.refuse("edit_file", grow, "too long")
	b.has("book", book)
	most := strings.Repeat("x", sandbox.MaxText/1000)
	b.refuse("edit_file", args(t, editArgs{"edge", "e", most + "x", true}), "too long")
	get[edited](b, "edit_file", args(t, editArgs{"edge", "e", most, true}))
	get[edited](b, "edit_file", args(t, editArgs{"edge", most, "e", true}))
	// As it is written down, a text may be longer than it is.
	wide := "\xff\xfe"
	for _, u := range utf16.Encode([]rune("a\r\n")) {
		wide += string([]byte{byte(u), byte(u >> 8)})
	}
	b.write("wide", wide)
	b.refuse("write_file", args(t, writeArgs{"wide", strings.Repeat("x", sandbox.MaxText/2)}), "too long")
	b.refuse("edit_file", args(t, editArgs{"wide", "a", strings.Repeat("x", sandbox.MaxText/2), false}), "too long")
	b.write("windows", "a\r\n")
	b.refuse("write_file", args(t, writeArgs{"windows", strings.Repeat("x\n", sandbox.MaxText/2)}), "too long")
}

// TestLargeTexts looks at what previews and errors of the largest files cost.
func TestLargeTexts(t *testing.T) {
	many := strings.Repeat("ab\n", 3_400_000)
	far := strings.Repeat("ab\n", 2_000_000) + "func open(path string) {\n" + strings.Repeat("ab\n", 1_000_000)
	b := newBench(t, map[string]string{"many": many, "far": far, "line": strings.Repeat("word ", 2<<20)})
	for _, tt := range []struct{ tool, args, want string }{
		{"edit_file", args(t, editArgs{"many", "cd efgh", "x", false}), "not in many"},
		{"edit_file", args(t, editArgs{"line", "zz zz", "x", false}), "not in line"},
		{"edit_file", args(t, editArgs{"far", "func open(path string) {\n\treturn", "x", false}), "not in far"},
		{"edit_file", args(t, editArgs{"far", "func  open(path string) {", "x", false}), "not in far"},
		{"write_file", args(t, writeArgs{"many", strings.Repeat("cd\n", 3_400_000)}), "@@ -1,3400000 +1,3400000 @@\n-ab\n"},
		{"write_file", args(t, writeArgs{"many", "start\n" + many[6:]}), "@@ -1,4 +1,3 @@\n-ab\n-ab\n+start\n ab\n ab"},
		{"write_file", args(t, writeArgs{"line", strings.Repeat("word ", 2<<20-1) + "WORD"}), "word WORD\n\\ no line end"},
		{"write_file", args(t, writeArgs{"new", many}), "and 10199500 characters more"},
	} {
		got := ""
		n := allocated(func() {
			p, err := b.preview(tt.tool, tt.args)
			if got = p.Text; err != nil {
				got = err.Error()
			}
		})
		if !strings.Contains(got, tt.want) || len(got) > 2000 {
			t.Errorf("%.40s: %.300q, want %q", tt.args, got, tt.want)
		}
		if n > 160<<20 {
			t.Errorf("%.40s: it took %d MB", tt.args, n>>20)
		}
	}
	r := b.call("edit_file", args(t, editArgs{"far", "func open(path string) {\n\treturn", "x", false}))
	if r.Err == nil || !strings.Contains(r.Err.Suggestion, "\n2000001: func open(path string) {") {
		t.Errorf("%+v", r.Err)
	}
}

// TestReplaceStops looks for a text that nearly fits everywhere, until nobody waits
// any more.
func TestReplaceStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := replace(ctx, strings.Repeat("a", 5<<20), form{}, editArgs{"f", strings.Repeat("a", 200_000), "x", true}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestShownDifference shows that a person sees what differs, wherever in a line.
func TestShownDifference(t *testing.T) {
	long := `{"a":1,` + strings.Repeat(`"k":"v",`, 400) + `"url":"https://good.example"}` + "\n"
	b := newBench(t, map[string]string{"json": long, "n": "foo", "n2": "foo (no line end)\n", "bom": "\ufeffx\n", "wide": strings.Repeat("字", 300) + "甲\n", "mixed": "1\n" + strings.Repeat("x\r\n", 10)})
	for _, tt := range []struct{ path, content, want string }{
		{"json", strings.Replace(long, "good", "evil", 1), "-…,\"k\":\"v\",\"k\":\"v\",\"k\":\"v\",\"url\":\"https://good.example\"}\n+…,\"k\":\"v\",\"k\":\"v\",\"k\":\"v\",\"url\":\"https://evil.example\"}"},
		{"json", "{\"b\"" + long[4:], "-" + long[:159] + "…\n+{\"b\"" + long[4:159] + "…"},
		{"wide", strings.Repeat("字", 300) + "乙\n", "-…" + strings.Repeat("字", 40) + "甲\n+…" + strings.Repeat("字", 40) + "乙"},
		{"n", "foo (no line end)\n", "-foo\n\\ no line end\n+foo (no line end)"},
		{"n2", "foo", "-foo (no line end)\n+foo\n\\ no line end"},
		{"n", "foo\n", "-foo\n\\ no line end\n+foo"},
		{"mixed", "1\n" + strings.Repeat("x\n", 9) + "y\n", "-x\n+y\nAll line ends become CRLF."},
		{"n", "a\ufffd", "+a\ufffd\n\\ no line end\nIt has \ufffd where characters were lost."},
		{"new", "a\ufffd", "a\ufffd\nIt has \ufffd where characters were lost."},
	} {
		p, err := b.preview("write_file", args(t, writeArgs{tt.path, tt.content}))
		if err != nil || !strings.HasSuffix(p.Text, tt.want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.path, err, p.Text, tt.want)
		}
	}
	if got := get[written](b, "write_file", args(t, writeArgs{"mixed", "1\n2\n"})); got.Note != "All line ends become CRLF." {
		t.Errorf("%+v", got)
	}
	if got := get[written](b, "write_file", args(t, writeArgs{"new", "a\ufffd"})); !strings.Contains(got.Note, "lost") {
		t.Errorf("%+v", got)
	}
}

// TestHalfLetters edits files in encodings where an ASCII byte may be the second
// half of a letter.
func TestHalfLetters(t *testing.T) {
	for _, tt := range []struct{ text, old, now, want string }{
		{"\x95\x5c\x8e\xa6 C:dir\n", `\`, "/", ""},                              // Shift-JIS
		{"\x81\x7c a\n", "|", ";", ""},                                          // GBK
		{"\x81\x30\x81\x30 a\n", "0", "1", ""},                                  // GB 18030
		{"\x1b$B0l\x1b(B a\n", "l", "m", ""},                                    // ISO 2022
		{"\x95\x5c\x8e\xa6 C:\\dir\n", `C:\dir`, "D:", "\x95\x5c\x8e\xa6 D:\n"}, // what is ASCII for sure
		{"caf\xe9 au lait\n", " au", " sans", "caf\xe9 sans lait\n"},
		{"caf\xe9\n", "caf", "th", "th\xe9\n"},
	} {
		b := newBench(t, map[string]string{"f": tt.text})
		raw := args(t, editArgs{"f", tt.old, tt.now, true})
		if tt.want == "" {
			b.refuse("edit_file", raw, "half of a letter")
			b.has("f", tt.text)
			continue
		}
		get[edited](b, "edit_file", raw)
		b.has("f", tt.want)
	}
	b := newBench(t, map[string]string{"f": "x\n"})
	b.refuse("write_file", `{"path":"new","content":"a\u0000b"}`, "NUL")
	b.refuse("edit_file", `{"path":"f","old_text":"x","new_text":"\u0000"}`, "NUL")
}

// TestEditSeemsMade shows that an edit whose result may be there already is
// refused without the claim that it was made.
func TestEditSeemsMade(t *testing.T) {
	for content, edit := range map[string][2]string{"<b>hi</b>\n": {"hi", "<b>hi</b>"}, "a\n": {"a", "a\n"}} {
		b := newBench(t, map[string]string{"f": content})
		r := b.call("edit_file", args(t, editArgs{"f", edit[0], edit[1], false}))
		if r.Err == nil || !strings.Contains(r.Err.Message, "already, in line 1") || !strings.Contains(r.Err.Suggestion, "If this is meant as another change") || strings.Contains(r.Text, "_text") {
			t.Errorf("%+v, %s", r.Err, r.Text)
		}
	}
	b := newBench(t, map[string]string{"f": "port = 80\n\nport = 80\n"})
	for _, edit := range []editArgs{{"f", "", "x", false}, {"f", "x", "x", false}, {"f", "port", "x", false}, {"f", "gone", "x", false}, {"f", "port=80", "x", false}} {
		if r := b.call("edit_file", args(t, edit)); r.Err == nil || strings.Contains(r.Text, "_text") {
			t.Errorf("%+v: %s", edit, r.Text)
		}
	}
}
