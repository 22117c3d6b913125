package toolkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"loci"
	"loci/internal/sandbox"
	"loci/internal/tool"
)

// args writes arguments as JSON.
func args(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// has checks what a file holds.
func (b *bench) has(name, want string) {
	b.t.Helper()
	raw, err := os.ReadFile(filepath.Join(b.root, name))
	if err != nil || string(raw) != want {
		b.t.Errorf("%s is %q, %v; want %q", name, raw, err, want)
	}
}

// preview makes the preview of a call.
func (b *bench) preview(name, args string) (tool.Preview, error) {
	b.t.Helper()
	files, err := sandbox.New(sandbox.Config{Folders: []string{b.root}})
	if err != nil {
		b.t.Fatal(err)
	}
	defer files.Close()
	for _, tl := range All(Config{Trash: b.bin}) {
		if tl.Name == name {
			return tl.Preview(b.t.Context(), tool.Env{Files: files, Now: noon, Scope: loci.Scope{Lang: b.lang}}, json.RawMessage(args))
		}
	}
	b.t.Fatalf("there is no tool %s", name)
	return tool.Preview{}, nil
}

func TestWriteFile(t *testing.T) {
	b := newBench(t, map[string]string{"old.md": "one\ntwo\n"})
	got := get[written](b, "write_file", `{"path":"reports/report.md","content":"# Report\n\n| module | errors |\n| db | 3 |\ntotal: 3, žluť"}`)
	if !got.Created || got.Path != filepath.Join(b.root, "reports/report.md") || got.Bytes != 57 || got.Lines != 5 || !got.Verified || got.Note != "" {
		t.Errorf("%+v", got)
	}
	b.has("reports/report.md", "# Report\n\n| module | errors |\n| db | 3 |\ntotal: 3, žluť")
	for lang, want := range map[string]string{"en": "Wrote old.md: 2 lines, 8 bytes.", "zh": "已写入 old.md：2 行，8 字节。", "cs": "Zapsáno do old.md: 2 řádky, 8 bajtů."} {
		b.lang = lang
		r := b.call("write_file", `{"path":"old.md","content":"one\nTWO\n"}`)
		if r.Text != want || !strings.HasPrefix(string(r.Data), `{"path":`) || !strings.Contains(string(r.Data), `"created":false`) {
			t.Errorf("%s: %s, %s", lang, r.Text, r.Data)
		}
	}
	b.has("old.md", "one\nTWO\n")
	if r := b.call("write_file", args(t, writeArgs{"big", strings.Repeat("x", sandbox.MaxText+1)})); r.Err == nil || !strings.Contains(r.Err.Message, "too long") {
		t.Errorf("%+v", r.Err)
	}
}

// TestTextForm overwrites and edits files whose line ends, mark or encoding must
// stay as they are.
func TestTextForm(t *testing.T) {
	for name, tt := range map[string]struct{ old, wrote, edited string }{
		"unix":        {"a\nb\n", "x\ny\n", "a\nB\nC\n"},
		"windows":     {"a\r\nb\r\n", "x\r\ny\r\n", "a\r\nB\r\nC\r\n"},
		"mark":        {"\xef\xbb\xbfa\r\nb\r\n", "\xef\xbb\xbfx\r\ny\r\n", "\xef\xbb\xbfa\r\nB\r\nC\r\n"},
		"little":      {"\xff\xfea\x00\n\x00b\x00\n\x00", "\xff\xfex\x00\n\x00y\x00\n\x00", "\xff\xfea\x00\n\x00B\x00\n\x00C\x00\n\x00"},
		"big windows": {"\xfe\xff\x00a\x00\r\x00\n\x00b\x00\r\x00\n", "\xfe\xff\x00x\x00\r\x00\n\x00y\x00\r\x00\n", "\xfe\xff\x00a\x00\r\x00\n\x00B\x00\r\x00\n\x00C\x00\r\x00\n"},
		"mixed":       {"1\na\r\nb\r\n2\n", "x\ny\n", "1\na\r\nB\r\nC\r\n2\n"},
		"more":        {"1\na\r\nb\r\n", "x\r\ny\r\n", "1\na\r\nB\r\nC\r\n"},
		"old mac":     {"a\rb\r", "x\ry\r", "a\rB\rC\r"},
		"latin":       {"caf\xe9 a\nb\n", "x\ny\n", "caf\xe9 a\nB\nC\n"},
		"no end":      {"a\r\nb", "x\r\ny\r\n", "a\r\nB\r\nC"},
		"empty":       {"", "x\ny\n", ""},
	} {
		for _, given := range []string{"x\ny\n", "x\r\ny\r\n", "\ufeffx\ny\n"} {
			b := newBench(t, map[string]string{"f": tt.old})
			want := tt.wrote
			if name == "empty" {
				want = given // nothing tells of another way
			}
			if name == "empty" && given[0] > 0x7f {
				continue
			}
			get[written](b, "write_file", args(t, writeArgs{"f", given}))
			b.has("f", want)
		}
		if tt.edited == "" {
			continue
		}
		for _, old := range []string{"a\nb", "a\r\nb"} {
			b := newBench(t, map[string]string{"f": tt.old})
			if runtime.GOOS != "windows" {
				if err := os.Chmod(b.root+"/f", 0o750); err != nil {
					t.Fatal(err)
				}
			}
			got := get[edited](b, "edit_file", args(t, editArgs{Path: "f", Old: old, New: strings.Replace(old, "b", "B\nC", 1)}))
			b.has("f", tt.edited)
			if info, err := os.Stat(b.root + "/f"); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o750 || got.Bytes != len(tt.edited) {
				t.Errorf("%s: %v, %+v", name, info.Mode(), got)
			}
		}
	}
	b := newBench(t, map[string]string{"latin": "caf\xe9", "png": "\x89PNG\r\n\x1a\n\x00\x00", "odd": "\xff\xfea", "utf32": "\xff\xfe\x00\x00x\x00\x00\x00", "utf32b": "\x00\x00\xfe\xff\x00\x00\x00x", "half": "\xff\xfe\x00\xd8a\x00", "late": strings.Repeat("x", 9000) + "\x00"})
	b.refuse("write_file", `{"path":"latin","content":"café"}`, "not in UTF-8")
	b.refuse("edit_file", `{"path":"latin","old_text":"caf","new_text":"ž"}`, "not in UTF-8")
	for _, name := range []string{"png", "odd", "half", "late", "utf32", "utf32b"} {
		b.refuse("write_file", `{"path":"`+name+`","content":"x"}`, "not text but binary")
		b.refuse("edit_file", `{"path":"`+name+`","old_text":"x","new_text":"y"}`, "not text but binary")
	}
	b.write("huge", "x")
	if err := os.Truncate(b.root+"/huge", sandbox.MaxText+1); err != nil {
		t.Fatal(err)
	}
	b.refuse("write_file", `{"path":"huge","content":"x"}`, "too large")
	b.refuse("edit_file", `{"path":"huge","old_text":"x","new_text":"y"}`, "too large")
}

// TestMixedEnds shows that new lines get the ends of those around them.
func TestMixedEnds(t *testing.T) {
	for _, tt := range []struct{ text, old, now, want string }{
		{"a\r\nb\nc\r\n", "b", "1\n2\n3", "a\r\n1\n2\n3\nc\r\n"},
		{"a\r\nb\nc\r\n", "a\nb\nc", "1\n2\n3\n4", "1\r\n2\n3\n4\r\n"},
		{"a\r\nb\nc\r\n", "a\nb\n", "", "c\r\n"},
		{"a\nb\r\nc", "c", "1\n2", "a\nb\r\n1\r\n2"},
		{"x", "x", "1\n2", "1\n2"},
	} {
		got, err := replace(t.Context(), tt.text, form{}, editArgs{Old: tt.old, New: tt.now})
		if err != nil || got.text != tt.want {
			t.Errorf("%q: %q, %v; want %q", tt.text, got.text, err, tt.want)
		}
	}
}

// TestEditReport follows the report about matches that are not unique (29).
func TestEditReport(t *testing.T) {
	const hosts = "[north]\nport = 80\n[south]\nport = 80\n"
	b := newBench(t, map[string]string{"hosts.ini": hosts})
	edit := func(old, now string, all bool) string { return args(t, editArgs{"hosts.ini", old, now, all}) }

	b.refuse("edit_file", edit("port = 80", "port = 8080", false), "2 times: lines 2, 4") // A
	b.refuse("edit_file", edit("o", "0", false), "times: lines 1, 2, 3, 4.")              // a line is named once
	b.has("hosts.ini", hosts)

	south := edit("[south]\nport = 80", "[south]\nport = 81", false) // B
	if got := get[edited](b, "edit_file", south); got.Replaced != 1 || len(got.Lines) != 1 || got.Lines[0] != 3 || !got.Verified {
		t.Errorf("%+v", got)
	}
	b.refuse("edit_file", south, "may have been made already")
	b.has("hosts.ini", "[north]\nport = 80\n[south]\nport = 81\n")

	b.write("hosts.ini", hosts) // C
	r := b.call("edit_file", edit("port = 80", "port = 8080", true))
	if r.Err != nil || !strings.Contains(string(r.Data), `"replaced":2`) || !strings.Contains(string(r.Data), `"lines":[2,4]`) || r.Text != "Changed hosts.ini: 2 places (lines 2, 4)." {
		t.Errorf("%s, %s, %+v", r.Data, r.Text, r.Err)
	}
	b.has("hosts.ini", strings.ReplaceAll(hosts, "80", "8080"))
	b.refuse("edit_file", edit("port = 80", "port = 8080", true), "there only as a part of it")
	b.has("hosts.ini", strings.ReplaceAll(hosts, "80", "8080"))

	b.write("hosts.ini", hosts) // D
	r = b.call("edit_file", edit("port=80", "port=81", false))
	if r.Err == nil || !strings.Contains(r.Err.Message, "line 2 differs in spaces") || !strings.Contains(r.Err.Suggestion, "\n2: port = 80") {
		t.Errorf("%+v", r.Err)
	}
	b.refuse("edit_file", edit("", "x", false), "replace is empty") // E
	b.refuse("edit_file", edit("port", "port", false), "the same")
	b.has("hosts.ini", hosts)

	again := edit("[south]\nport = 80", "[south]\nport = 8080", false) // F
	get[edited](b, "edit_file", again)
	for range 2 {
		b.refuse("edit_file", again, "there only as a part of it")
	}
	b.has("hosts.ini", "[north]\nport = 80\n[south]\nport = 8080\n")
	b.refuse("edit_file", edit("port = 80", "port = 8080", true), "1 of 2 places")
	b.has("hosts.ini", "[north]\nport = 80\n[south]\nport = 8080\n")
}

// TestAbsent shows what an edit that finds nothing answers.
func TestAbsent(t *testing.T) {
	var long strings.Builder
	for i := range 100 {
		fmt.Fprintf(&long, "line %d of many\n", i+1)
	}
	long.WriteString("func open(path string) error {\n\treturn nil\n}\n")
	b := newBench(t, map[string]string{"f": long.String(), "empty": "", "evil": "safe \u202egnp.exe\n"})
	for old, want := range map[string][]string{
		"func open(name string) error {":                      {"The text to replace is not in f.", "\n101: func open(path string) error {", "\n102: \treturn nil"},
		"func open(path string) error {\n    return nil\n}\n": {"line 101 differs in spaces", "\n101: func", "\n103: }"},
		"something else altogether, truly":                    {"The text to replace is not in f.", "\n1: line 1 of many"},
		"\n\n":                                                {"The text to replace is not in f."},
	} {
		r := b.call("edit_file", args(t, editArgs{Path: "f", Old: old, New: "x"}))
		for _, w := range want {
			if r.Err == nil || !strings.Contains(r.Err.Message+r.Err.Suggestion, w) || strings.Count(r.Err.Suggestion, "\n") > 10 || len(r.Err.Suggestion) > 1500 {
				t.Errorf("%q: %+v, want %q", old, r.Err, w)
			}
		}
	}
	b.refuse("edit_file", `{"path":"empty","old_text":"a","new_text":"b"}`, "not in empty")
	b.refuse("edit_file", `{"path":"gone","old_text":"a","new_text":"b"}`, "no file or folder")
	b.refuse("edit_file", `{"path":".","old_text":"a","new_text":"b"}`, "allowed folder")
	if r := b.call("edit_file", `{"path":"evil","old_text":"safe gnp","new_text":"b"}`); r.Err == nil || !strings.Contains(r.Err.Suggestion, `\u202e`) {
		t.Errorf("%+v", r.Err)
	}
}

// TestEditsTogether lets many change one file at the same time: no change of
// another is lost.
func TestEditsTogether(t *testing.T) {
	const n = 20
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "<%d>\n", i)
	}
	b := newBench(t, map[string]string{"f": text.String()})
	if err := os.Symlink("f", b.root+"/link"); err != nil {
		t.Skip("no links here")
	}
	var wg sync.WaitGroup
	results := make([]loci.ToolResult, n)
	for i := range n {
		wg.Go(func() {
			results[i] = b.call("edit_file", fmt.Sprintf(`{"path":%q,"old_text":"<%d>","new_text":"%d!"}`, []string{"f", "link"}[i%2], i, i))
		})
	}
	wg.Wait()
	want := ""
	for i, r := range results {
		if r.Err != nil {
			t.Errorf("%d: %+v", i, r.Err)
		}
		want += fmt.Sprintf("%d!\n", i)
	}
	b.has("f", want)
}

func TestMoveFile(t *testing.T) {
	b := newBench(t, map[string]string{"a.md": "A", "old/x": "X", "b.md": "B"})
	r := b.call("move_file", `{"source":"a.md","destination":"new/c.md"}`)
	if r.Err != nil || r.Text != "Moved a.md to new/c.md." || !strings.Contains(string(r.Data), `"kind":"file","verified":true`) {
		t.Errorf("%s, %s, %+v", r.Data, r.Text, r.Err)
	}
	b.has("new/c.md", "A")
	for _, to := range []string{"old", "old/", "none/"} {
		r := b.call("move_file", `{"source":"b.md","destination":"`+to+`"}`)
		if r.Err == nil || !strings.Contains(r.Err.Suggestion, filepath.Join(to, "b.md")) {
			t.Errorf("%s: %+v", to, r.Err)
		}
	}
	b.refuse("move_file", `{"source":"b.md","destination":"new/c.md"}`, "exists already")
	b.has("new/c.md", "A")
	b.has("b.md", "B")
	if got := get[moved](b, "move_file", `{"source":"old","destination":"new/old"}`); got.Kind != "folder" {
		t.Errorf("%+v", got)
	}
	b.has("new/old/x", "X")
}

func TestDeleteFile(t *testing.T) {
	b := newBench(t, map[string]string{"a.md": "A", "dir/x": "XX", "dir/sub/y": "Y"})
	r := b.call("delete_file", `{"path":"a.md"}`)
	if r.Err != nil || !strings.HasPrefix(r.Text, "Deleted a.md. For 30 days it is in the trash: "+b.bin) {
		t.Errorf("%s, %+v", r.Text, r.Err)
	}
	got := get[deleted](b, "delete_file", `{"path":"dir"}`)
	if got.Kind != "folder" || got.Things != 3 || got.Bytes != 3 || got.KeptDays != 30 || !got.Verified {
		t.Errorf("%+v", got)
	}
	if text, err := os.ReadFile(filepath.Join(got.Trash, "sub/y")); err != nil || string(text) != "Y" {
		t.Errorf("%q, %v", text, err)
	}
	b.refuse("delete_file", `{"path":"dir"}`, "no file or folder")
	b.write("c.md", "C")
	set, err := tool.New(tool.Config{Tools: All(Config{}), Gate: anything{}})
	if err != nil {
		t.Fatal(err)
	}
	b.set = set
	b.refuse("delete_file", `{"path":"c.md"}`, "no trash")
	b.has("c.md", "C")
}

// TestYesHolds shows that a yes is for one content of one file: the call runs
// with it, and not after anything about it has changed.
func TestYesHolds(t *testing.T) {
	for name, raw := range map[string]string{
		"write_file": `{"path":"link","content":"new"}`, "edit_file": `{"path":"link","old_text":"old","new_text":"new"}`,
		"move_file": `{"source":"f","destination":"g"}`, "delete_file": `{"path":"f"}`,
	} {
		for what, change := range map[string]func(b *bench) error{
			"nothing":     func(*bench) error { return nil },
			"the content": func(b *bench) error { return os.WriteFile(b.root+"/f", []byte("old!"), 0o600) },
			"the link": func(b *bench) error {
				b.write("other", "old")
				return errors.Join(os.Remove(b.root+"/link"), os.Symlink("other", b.root+"/link"))
			},
			"the destination": func(b *bench) error { return os.WriteFile(b.root+"/g", nil, 0o600) },
		} {
			b := newBench(t, map[string]string{"f": "old"})
			if err := os.Symlink("f", b.root+"/link"); err != nil {
				t.Skip("no links here")
			}
			set, err := tool.New(tool.Config{Tools: All(Config{Trash: b.bin})})
			if err != nil {
				t.Fatal(err)
			}
			scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{b.root}}
			call := loci.ToolCall{ID: "1", Name: name, Arguments: json.RawMessage(raw)}
			ask := set.Ask(t.Context(), scope, call)
			if ask == nil || !strings.Contains(ask.Preview, b.root+"/f") {
				t.Fatalf("%s asks %+v", name, ask)
			}
			if err := change(b); err != nil {
				t.Fatal(err)
			}
			r := set.Call(t.Context(), scope, call, &loci.Approval{Fingerprint: ask.Fingerprint})
			linked, named := name == "write_file" || name == "edit_file", name == "move_file"
			stale := what == "the content" || what == "the link" && linked || what == "the destination" && named
			if stale != (r.Err != nil) {
				t.Errorf("%s after %s changed: %+v", name, what, r.Err)
			}
			if set.Call(t.Context(), scope, call, nil).Err == nil {
				t.Errorf("%s ran without a yes", name)
			}
		}
	}
}

func FuzzReplace(f *testing.F) {
	f.Add("a\r\nb\nc", "b", "1\n2", true)
	f.Add("aaaa", "aa", "a", true)
	f.Add("\r\n\r\r\n", "\n", "\r\n", false)
	f.Fuzz(func(t *testing.T, content, old, now string, all bool) {
		got, err := replace(t.Context(), content, form{}, editArgs{"f", old, now, all})
		if err != nil {
			e, ok := errors.AsType[*loci.ToolError](err)
			if !ok || e.Message == "" || e.Suggestion == "" {
				t.Errorf("%v", err)
			}
			return
		}
		if want := strings.ReplaceAll(unixEnds(content), unixEnds(old), unixEnds(now)); withoutReturns(got.text) != withoutReturns(want) {
			t.Errorf("%q is %q, want %q", content, got.text, want)
		}
		if !all && got.count != 1 {
			t.Errorf("%d places were changed", got.count)
		}
	})
}

// withoutReturns is a text but for carriage returns.
func withoutReturns(s string) string { return strings.ReplaceAll(s, "\r", "") }

// TestBindings: a lasting yes to a change holds for the same real path and content
// only, however the path is spelled; a whole write is bound to what it writes, every
// other change to what it is made from as well.
func TestBindings(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "start end\n", "b.txt": "start end\n"})
	set, err := tool.New(tool.Config{Tools: All(Config{Trash: b.bin}), Gate: tool.AskFirst{}})
	if err != nil {
		t.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{b.root}}
	binding := func(name, args string) string {
		t.Helper()
		ask := set.Ask(t.Context(), scope, loci.ToolCall{ID: "c", Name: name, Arguments: json.RawMessage(args)})
		if ask == nil || ask.Binding == "" {
			t.Fatalf("%s %s: %+v", name, args, ask)
		}
		return ask.Binding
	}
	all := func(path string) map[string]string {
		return map[string]string{
			"write":  binding("write_file", `{"path":"`+path+`","content":"x\n"}`),
			"edit":   binding("edit_file", `{"path":"`+path+`","old_text":" end","new_text":" x end"}`),
			"move":   binding("move_file", `{"source":"`+path+`","destination":"c.txt"}`),
			"delete": binding("delete_file", `{"path":"`+path+`"}`),
		}
	}
	first, again, other := all("a.txt"), all(b.root+"/./a.txt"), all("b.txt")
	b.write("a.txt", "rm -rf end\n")
	changed := all("a.txt")
	for name, want := range first {
		if again[name] != want {
			t.Errorf("%s: another binding for another spelling", name)
		}
		if other[name] == want {
			t.Errorf("%s: the same binding for another file", name)
		}
		if same := changed[name] == want; same != (name == "write") {
			t.Errorf("%s: the same binding for another content: %v", name, same)
		}
	}
	if binding("write_file", `{"path":"b.txt","content":"y\n"}`) == other["write"] {
		t.Error("the same binding for another text to write")
	}
}
