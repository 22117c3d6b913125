package toolkit

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestListDir(t *testing.T) {
	b := newBench(t, map[string]string{"b.txt": "12 bytes....", "a b.md": "x", "zoo/x": "", ".hidden": ""})
	if err := os.Chtimes(filepath.Join(b.root, "b.txt"), noon, noon); err != nil {
		t.Fatal(err)
	}
	got := get[listing](b, "list_dir", `{}`)
	var lines []string
	for _, e := range got.Entries {
		line := e.Name + " " + e.Type
		if e.Size != nil {
			line += fmt.Sprint(" ", *e.Size)
		}
		lines = append(lines, line)
	}
	if diff := cmp.Diff([]string{"zoo folder", ".hidden file 0", "a b.md file 1", "b.txt file 12"}, lines); diff != "" {
		t.Error(diff)
	}
	if got.Path != b.root || !got.Entries[3].Modified.Equal(noon) {
		t.Errorf("%+v", got)
	}
	for lang, want := range map[string]string{
		"en": "Files in " + b.root + ": zoo/, .hidden (0 bytes), a b.md (1 byte), b.txt (12 bytes)",
		"zh": "文件位于 " + b.root + "：zoo/, .hidden (0 字节), a b.md (1 字节), b.txt (12 字节)",
		"cs": "Soubory ve složce " + b.root + ": zoo/, .hidden (0 bajtů), a b.md (1 bajt), b.txt (12 bajtů)",
	} {
		b.lang = lang
		if got := b.call("list_dir", `{"path":""}`).Text; got != want {
			t.Errorf("%s: %s", lang, got)
		}
	}
}

func TestListPages(t *testing.T) {
	files := map[string]string{}
	for i := range 450 {
		files[fmt.Sprintf("f%03d", i)] = ""
	}
	for i := range 100 {
		files["long/"+strings.Repeat("n", 200)+fmt.Sprint(i)] = ""
	}
	b := newBench(t, files)
	for _, path := range []string{".", "long"} {
		seen := map[string]bool{}
		first := get[listing](b, "list_dir", `{"path":"`+path+`"}`)
		for page := 1; page <= first.Pages; page++ {
			args := fmt.Sprintf(`{"path":%q,"page":%d}`, path, page)
			if r := b.call("list_dir", args); len(r.Data) > 16<<10 || strings.Contains(string(r.Data), `"cut"`) {
				t.Errorf("page %d has %d bytes", page, len(r.Data))
			}
			l := get[listing](b, "list_dir", args)
			if len(l.Entries) == 0 || len(l.Entries) > 200 || l.Note == "" {
				t.Errorf("page %d: %d entries, %q", page, len(l.Entries), l.Note)
			}
			for _, e := range l.Entries {
				seen[e.Name] = true
			}
		}
		if len(seen) != first.Total || first.Pages < 2 {
			t.Errorf("%s: %d entries on %d pages, want %d", path, len(seen), first.Pages, first.Total)
		}
		b.refuse("list_dir", fmt.Sprintf(`{"path":%q,"page":99}`, path), "only")
	}
}

func TestReadFile(t *testing.T) {
	b := newBench(t, map[string]string{
		"notes.md": "# Notes\r\nbuy milk\r\n", "bom.txt": "\xef\xbb\xbfhello", "empty": "",
		"le.txt": "\xff\xfeA\x00\x7d\x59\n\x00", "be.txt": "\xfe\xff\x00A\x59\x7d\x00\n", "latin.txt": "caf\xe9 cr\xe8me",
		"png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "nul.txt": "text\x00more", "junk.bin": strings.Repeat("\x01\x02\x03\xff", 100),
		"doc.pdf": "%PDF-1.7\x00\x01", "late": strings.Repeat("x", 9000) + "\x00",
		"json": `{"a":"<b>"}`,
	})
	for name, want := range map[string]string{
		"notes.md": "# Notes\r\nbuy milk\r\n", "bom.txt": "hello", "empty": "", "le.txt": "A好\n", "be.txt": "A好\n", "latin.txt": "caf� cr�me", "json": `{"a":"<b>"}`,
	} {
		got := get[filePage](b, "read_file", `{"path":"`+name+`"}`)
		if got.Text != want || got.Page != 1 || got.Pages != 1 || got.Next != 0 || got.Path != filepath.Join(b.root, name) {
			t.Errorf("%s: %+v", name, got)
		}
		if (got.Note != "") != (name == "latin.txt") {
			t.Errorf("%s: note %q", name, got.Note)
		}
	}
	for name, want := range map[string]string{
		"png": "image/png, 16 bytes", "nul.txt": "TXT data, 9 bytes", "junk.bin": "BIN data, 400 bytes", "doc.pdf": "application/pdf",
	} {
		b.refuse("read_file", `{"path":"`+name+`"}`, want)
	}
	b.refuse("read_file", `{"path":"late","page":2}`, "turns into binary data on page 2")
	b.refuse("read_file", `{"path":"notes.md","page":2}`, "only 1 pages")
	if got := b.call("read_file", `{"path":"notes.md"}`).Text; got != "notes.md:\n# Notes\r\nbuy milk\r\n" {
		t.Errorf("%q", got)
	}
}

// TestReadPages follows next_page through files that defeat paging by lines or
// by bytes, and puts the pages together again.
func TestReadPages(t *testing.T) {
	for name, text := range map[string]string{
		"one.json": `["` + strings.Repeat("日", 70_000) + `"]`,
		"turtles":  strings.Repeat("🐢", 12_345),
		"controls": strings.Repeat("\u007e\n", 6_000),
		"exact":    strings.Repeat("e", 10_000),
		"quotes":   strings.Repeat("\"\\\t", 5_000),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{name: text})
			var all strings.Builder
			runes := utf8.RuneCountInString(text)
			for page := 1; page != 0; {
				r := b.call("read_file", fmt.Sprintf(`{"path":%q,"page":%d}`, name, page))
				var p filePage
				if err := json.Unmarshal(r.Data, &p); err != nil {
					t.Fatalf("page %d: %v %+v", page, err, r.Err)
				}
				if p.Text == "" || len(r.Data) > 30_000 || !utf8.ValidString(p.Text) || p.Pages != (runes+4999)/5000 {
					t.Fatalf("page %d of %d: %d bytes", p.Page, p.Pages, len(r.Data))
				}
				if want := 1 + strings.Count(all.String(), "\n"); p.Line != want {
					t.Errorf("page %d starts in line %d, want %d", page, p.Line, want)
				}
				all.WriteString(p.Text)
				if p.Next != 0 && p.Next != page+1 {
					t.Fatalf("page %d is followed by %d", page, p.Next)
				}
				page = p.Next
			}
			if all.String() != text {
				t.Error("the pages are not the file")
			}
		})
	}
}

// TestReadHuge reads files of gigabytes that take no space on disk.
func TestReadHuge(t *testing.T) {
	b := newBench(t, map[string]string{"sparse": "", "log": strings.Repeat("a line of the log\n", 100_000)})
	if err := os.Truncate(filepath.Join(b.root, "sparse"), 5<<30); err != nil {
		t.Skip("no sparse files here:", err)
	}
	if err := os.Truncate(filepath.Join(b.root, "log"), 5<<30); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	b.refuse("read_file", `{"path":"sparse"}`, "5.0 GiB")
	got := get[filePage](b, "read_file", `{"path":"log","page":2}`)
	if got.Pages != 0 || got.Next != 3 || utf8.RuneCountInString(got.Text) != 5000 {
		t.Errorf("pages %d, next %d, %d bytes", got.Pages, got.Next, len(got.Text))
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 || time.Since(start) > 5*time.Second {
		t.Errorf("%d bytes allocated in %v", used, time.Since(start))
	}
}

// TestWhichOne shows what happens with a name that several files have.
func TestWhichOne(t *testing.T) {
	b := newBench(t, map[string]string{"a/notes.md": "A", "b/notes.md": "B", "todo.txt": "here", "c/todo.txt": "there", "d/only.md": ""})
	r := b.call("read_file", `{"path":"notes.md"}`)
	if r.Err == nil || r.Err.CanRetry || r.Err.Message != "notes.md exists in 2 places: a/notes.md, b/notes.md." || !strings.Contains(r.Err.Suggestion, "Ask the person") {
		t.Errorf("%+v", r.Err)
	}
	if r := b.call("read_file", `{"path":"only.md"}`); r.Err == nil || !strings.Contains(r.Err.Suggestion, `"d/only.md"`) {
		t.Errorf("%+v", r.Err)
	}
	if r := b.call("read_file", `{"path":"todo.txt"}`); !strings.Contains(string(r.Data), "c/todo.txt") || !strings.HasPrefix(r.Text, "todo.txt:\nhere") || !strings.HasSuffix(r.Text, "c/todo.txt.") {
		t.Errorf("%s %q", r.Data, r.Text)
	}
	if p := get[filePage](b, "read_file", `{"path":"a/notes.md"}`); p.Text != "A" || p.Note != "" {
		t.Errorf("%+v", p)
	}
}

func TestHomeAndForms(t *testing.T) {
	const composed, decomposed = "\u017durn\u0101ls 1.txt", "Z\u030curna\u0304ls 1.txt"
	b := newBench(t, map[string]string{decomposed: "one", "both/" + composed: "C", "both/" + decomposed: "D", "a b.txt": "spaces"})
	t.Setenv("HOME", b.root)
	t.Setenv("USERPROFILE", b.root)
	for path, want := range map[string]string{composed: "one", decomposed: "one", "both/" + composed: "C", "both/" + decomposed: "D", "~/a b.txt": "spaces"} {
		if got := get[filePage](b, "read_file", `{"path":"`+path+`"}`); got.Text != want {
			t.Errorf("%q: %q", path, got.Text)
		}
	}
	b.refuse("read_file", `{"path":"~root/x"}`, "another person's home")
	if got := get[found](b, "search_files", `{"name":"žurnāls"}`); got.Files != 3 {
		t.Errorf("found %d files, want all three forms", got.Files)
	}
}

// TestCountRunes compares the fast count with the slow one, with characters
// and broken bytes at every place of a buffer's end.
func TestCountRunes(t *testing.T) {
	for _, piece := range []string{"a", "é", "日", "🐢", "a🐢\xff日", "\xf0\x9f", "\xe6\x97a"} {
		for shift := range 5 {
			text := strings.Repeat("x", shift) + strings.Repeat(piece, 70_000/len(piece))
			for name, r := range map[string]io.Reader{"whole": strings.NewReader(text), "halves": iotest.HalfReader(strings.NewReader(text)), "with EOF": iotest.DataErrReader(strings.NewReader(text))} {
				if n, err := countRunes(t.Context(), r); err != nil || n != utf8.RuneCountInString(text) {
					t.Errorf("%q shifted by %d, %s: %d, %v, want %d", piece, shift, name, n, err, utf8.RuneCountInString(text))
				}
			}
		}
	}
	if _, err := countRunes(t.Context(), iotest.ErrReader(os.ErrClosed)); err == nil {
		t.Error("an error of the reader is lost")
	}
}
