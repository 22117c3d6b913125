package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

const (
	composed   = "\u017durn\u0101ls 1.txt"   // Žurnāls as most systems write it
	decomposed = "Z\u030curna\u0304ls 1.txt" // the same from a Mac
)

// tree makes files below a new folder; a name that ends in / is a folder, and
// "a -> b" is a symbolic link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		var err error
		path := filepath.Join(root, strings.TrimSuffix(name, "/"))
		link, target, isLink := strings.Cut(name, " -> ")
		if isLink {
			path = filepath.Join(root, link)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		switch {
		case isLink:
			err = os.Symlink(strings.ReplaceAll(target, "ROOT", root), path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o700)
		default:
			err = os.WriteFile(path, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// open opens folders for a test; the paths are relative to root.
func open(t *testing.T, c Config) *Folders {
	t.Helper()
	f, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// read returns a file's content, or the message of the error.
func read(t *testing.T, f *Folders, path string) string {
	t.Helper()
	file, info, err := f.Open(t.Context(), path)
	if err != nil {
		return "error: " + message(t, err)
	}
	defer file.Close()
	if !info.Mode().IsRegular() {
		t.Errorf("%s is %v", path, info.Mode())
	}
	b, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// message checks the form that every error has.
func message(t *testing.T, err error) string {
	t.Helper()
	e, ok := errors.AsType[*loci.ToolError](err)
	if !ok {
		t.Fatalf("the error is a %T: %v", err, err)
	}
	if e.Message == "" || e.Suggestion == "" || e.CanRetry || len(e.Message) > 400 {
		t.Errorf("bad error: %+v", e)
	}
	return e.Message + " " + e.Suggestion
}

func TestSpellings(t *testing.T) {
	root := tree(t, map[string]string{
		"w/ok":                      "ok",
		"w/a b/c d.txt":             "spaces",
		"w/sub/deep/x":              "x",
		"w/inlink -> sub":           "",
		"w/filelink -> sub/deep":    "",
		"w/abs -> ROOT/w/ok":        "",
		"w/over -> ROOT/n/a.md":     "",
		"w/up -> ../n":              "",
		"w/chain -> up/a.md":        "",
		"w/%2e%2e/ok":               "not decoded",
		"w/" + decomposed:           "decomposed",
		"w/both/" + composed:        "C",
		"w/both/" + decomposed:      "D",
		"w/" + "e\u0301/e\u0301":    "nested",
		"n/a.md":                    "notes",
		"home/ok":                   "not allowed",
		"wx/secret":                 "secret",
		"w/loop -> loop":            "",
		"w/dangling -> nowhere":     "",
		"w/out -> ROOT/wx":          "",
		"w/outfile -> ../wx/secret": "",
		"alias -> w":                "",
	})
	f := open(t, Config{Folders: []string{root + "/w", root + "/n", root + "/alias"}, Home: root + "/n"})
	for path, want := range map[string]string{
		"ok":                      "ok",
		"./ok":                    "ok",
		"sub/../ok":               "ok",
		"inlink/../ok":            "ok",
		root + "/w/ok":            "ok",
		root + "/alias/ok":        "ok",
		root + "/home/../w/ok":    "ok",
		"../n/a.md":               "notes",
		"~/a.md":                  "notes",
		"a b/c d.txt":             "spaces",
		"filelink/x":              "x",
		"abs":                     "ok",
		"over":                    "notes",
		"up/a.md":                 "notes",
		"chain":                   "notes",
		"%2e%2e/ok":               "not decoded",
		composed:                  "decomposed",
		decomposed:                "decomposed",
		"both/" + composed:        "C",
		"both/" + decomposed:      "D",
		"\u00e9/\u00e9":           "nested",
		root + "/w/\u00e9/\u00e9": "nested",

		"":                             "error: The path is empty.",
		" ":                            "error: The path is empty.",
		".":                            "is a folder",
		"sub/":                         "is a folder",
		"ok/":                          "used as a folder",
		"ok/x":                         "used as a folder",
		"../":                          "not in a folder that is allowed",
		"..":                           "not in a folder that is allowed",
		"../wx/secret":                 "not in a folder that is allowed",
		root + "/wx/secret":            "not in a folder that is allowed",
		root + "/w/../wx/secret":       "not in a folder that is allowed",
		"out/secret":                   "link that points outside",
		"outfile":                      "link that points outside",
		"loop":                         "circle",
		"dangling":                     "a broken link",
		"~root/x":                      "another person's home",
		"~/../wx/secret":               "not in a folder that is allowed",
		"$HOME/a.md":                   "no file or folder",
		"file:///etc/passwd":           "address",
		`..\wx\secret`:                 "Windows way",
		"C:ok":                         "Windows way",
		"a\x00b":                       "NUL",
		strings.Repeat("a/", 3000):     "too long",
		strings.Repeat("n", 300):       "too long",
		"/proc/self/root" + root:       "not in a folder that is allowed",
		"%2e%2e/%2e%2e/secret":         "no file or folder",
		strings.Repeat("sub/../", 300): "",
	} {
		if want == "" {
			want = "error" // whatever it says
		}
		if got := read(t, f, path); !strings.Contains(got, want) {
			t.Errorf("read %.80q = %.200q, want %q", path, got, want)
		}
	}
}

func TestNew(t *testing.T) {
	root := tree(t, map[string]string{"w/sub/x": "in sub", "file": "", "other/": ""})
	for _, test := range []struct {
		name string
		c    Config
		want string
		code loci.Code
	}{
		{"missing", Config{Folders: []string{root + "/gone"}}, `/gone" does not exist`, loci.NotFound},
		{"file", Config{Folders: []string{root + "/w", root + "/file"}}, `/file" is not a folder`, loci.Invalid},
		{"relative", Config{Folders: []string{"w"}}, "not an absolute path", loci.Invalid},
		{"work outside", Config{Folders: []string{root + "/w"}, Work: root + "/other"}, "working folder", loci.Invalid},
		{"work missing", Config{Folders: []string{root + "/w"}, Work: root + "/w/gone"}, "working folder", loci.Invalid},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := New(test.c)
			e, ok := errors.AsType[*loci.Error](err)
			if !ok || e.Code != test.code || !strings.Contains(e.Message, test.want) || e.Hint == "" {
				t.Errorf("New: %v, want %q", err, test.want)
			}
		})
	}

	f := open(t, Config{Folders: []string{root + "/other", root + "/w"}, Work: root + "/w/sub"})
	if got := read(t, f, "x"); got != "in sub" {
		t.Errorf("in the working folder: %q", got)
	}
	for _, c := range []Config{
		{Folders: []string{root + "/gone", root + "/w"}, Work: root + "/gone", Partial: true}, {Folders: []string{root + "/gone", root + "/w"}, Partial: true},
		{Folders: []string{root + "/w", root + "/gone"}, Work: root + "/w/gone", Partial: true}, {Folders: []string{root + "/w"}, Work: root + "/other", Partial: true},
	} {
		f = open(t, c)
		if diff := cmp.Diff([]string{root + "/w"}, f.paths()); diff != "" {
			t.Errorf("partial: %s", diff)
		}
		if got := read(t, f, "sub/x"); !strings.Contains(got, "working folder") || !strings.Contains(got, "not there any more") {
			t.Errorf("relative: %q", got)
		}
		if got := put(t, f, "new", "x"); !strings.Contains(got, "not there any more") {
			t.Errorf("relative: %q", got)
		}
		if got := read(t, f, root+"/w/sub/x"); got != "in sub" {
			t.Errorf("absolute: %q", got)
		}
	}
	for _, f := range []*Folders{nil, {}, open(t, Config{})} {
		if got := read(t, f, "x"); !strings.Contains(got, "No folder may be looked into") {
			t.Errorf("without folders: %q", got)
		}
	}
	f = open(t, Config{Folders: []string{root + "/gone"}, Partial: true})
	if got := read(t, f, "x"); !strings.Contains(got, `/gone" cannot be opened any more`) {
		t.Errorf("folder that vanished: %q", got)
	}
}

// TestNested checks that the innermost folder counts and that neither name
// prefixes nor nesting confuse the choice.
func TestNested(t *testing.T) {
	root := tree(t, map[string]string{"a/b/c/x": "1", "ab/x": "2"})
	f := open(t, Config{Folders: []string{root + "/a", root + "/a/b/c", root + "/ab"}})
	loc, err := f.Resolve("b/c/x")
	if err != nil || loc.folder.path != root+"/a/b/c" || loc.name != "x" {
		t.Errorf("Resolve = %v, %v", loc, err)
	}
	if got := read(t, f, root+"/ab/x"); got != "2" {
		t.Error(got)
	}
	if diff := cmp.Diff([]string{root + "/a", root + "/ab"}, f.Outermost()); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]string{"b/c/x": "b/c/x", root + "/ab/x": root + "/ab/x"} {
		if loc, err := f.Resolve(path); err != nil || f.Show(loc) != want {
			t.Errorf("Show(%s) = %s, %v", path, f.Show(loc), err)
		}
	}
}

func TestWhatWasMeant(t *testing.T) {
	root := tree(t, map[string]string{
		"w/a/notes.md": "", "w/b/notes.md": "", "w/c/Only.md": "", "w/report.txt": "", "w/budget.xlsx": "",
		"w/.git/hidden.md": "", "v/far.md": "",
	})
	f := open(t, Config{Folders: []string{root + "/w", root + "/v"}})
	for path, want := range map[string]string{
		"notes.md":   "notes.md exists in 2 places: a/notes.md, b/notes.md. Ask the person which one",
		"only.md":    `call again with the path "c/Only.md"`,
		"far.md":     `call again with the path "` + root + `/v/far.md"`,
		"repotr.txt": `Did you mean "report.txt"?`,
		"budget":     `Did you mean "budget.xlsx"?`,
		"a/note.md":  `Did you mean "a/notes.md"?`,
		"hidden.md":  "Use list_dir",
		"zzzzzz":     "Use list_dir",
		"q/w/e":      "Use list_dir",
	} {
		if got := read(t, f, path); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestForPerson checks what a person reads, who cannot "call again".
func TestForPerson(t *testing.T) {
	root := tree(t, map[string]string{"w/c/Only.md": "", "w/report.txt": "", "w/a/x.md": "", "w/b/x.md": "", "x/": ""})
	f := open(t, Config{Folders: []string{root + "/w"}})
	for path, want := range map[string]string{
		"only.md":     `There is one in another folder: "c/Only.md".`,
		"repotr.txt":  `Did you mean "report.txt"?`,
		"x.md":        "Say which one, with its path.", // the message names the places
		"zzzzzz":      "",
		root + "/x/y": "Allowed are: " + root + "/w. To allow another folder: loci allow FOLDER",
		"":            "Write it like notes.md, with the whole path, or like ~/notes.md.",
	} {
		_, _, err := f.Open(t.Context(), path)
		if e, ok := errors.AsType[*loci.ToolError](err); !ok || e.ForPerson != want {
			t.Errorf("%q: %+v, want %q", path, err, want)
		}
	}
	_, _, err := (*Folders)(nil).Open(t.Context(), "x")
	if e, ok := errors.AsType[*loci.ToolError](err); !ok || !strings.Contains(e.ForPerson, "loci allow FOLDER") {
		t.Errorf("without folders: %+v", err)
	}
}

// TestContextStops shows that looking around ends with the context.
func TestContextStops(t *testing.T) {
	root := tree(t, map[string]string{"w/a.md": "", "w/d/a.md": ""})
	f := open(t, Config{Folders: []string{root + "/w"}})
	if got := f.Namesakes(t.Context(), "a.md"); len(got) != 2 {
		t.Errorf("namesakes: %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := f.Namesakes(ctx, "a.md"); len(got) != 0 {
		t.Errorf("namesakes were looked for after the end: %v", got)
	}
	if _, _, err := f.Open(ctx, "gone.md"); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
	if _, _, err := f.ReadDir(ctx, "."); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadDir: %v", err)
	}
}

// TestNamesakeBounds shows that a large folder is not looked through, and does
// not keep the others from being.
func TestNamesakeBounds(t *testing.T) {
	files := map[string]string{"v/a.md": "", "w/1/2/3/4/5/6/7/a.md": "", "w/1/2/3/4/5/6/a.md": "", "w/x/A.MD": ""}
	for i := range namesakeEntries {
		files[fmt.Sprintf("big/%d", i)] = ""
	}
	files["big/zz/a.md"] = ""
	root := tree(t, files)
	f := open(t, Config{Folders: []string{root + "/big", root + "/w", root + "/v"}})
	want := []string{root + "/v/a.md", root + "/w/1/2/3/4/5/6/a.md", root + "/w/x/A.MD"}
	if diff := cmp.Diff(want, f.Namesakes(t.Context(), "a.md")); diff != "" {
		t.Error(diff)
	}
}

func TestReadDir(t *testing.T) {
	root := tree(t, map[string]string{"w/b.txt": "", "w/a.txt": "", "w/z/": "", "w/l -> z": "", "w/o -> ../x": "", "x/": ""})
	f := open(t, Config{Folders: []string{root + "/w"}})
	entries, more, err := f.ReadDir(t.Context(), ".")
	if err != nil || more {
		t.Fatal(err, more)
	}
	var got []string
	for _, e := range entries {
		target := "gone"
		if info, err := e.Target(); err == nil {
			target = info.Mode().Type().String()[:1]
		}
		got = append(got, e.Shown+" "+target)
	}
	if diff := cmp.Diff([]string{"z d", "a.txt -", "b.txt -", "l d", "o gone"}, got); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]string{"a.txt": "used as a folder", "o": "points outside", "gone": "no file or folder"} {
		if _, _, err := f.ReadDir(t.Context(), path); err == nil || !strings.Contains(message(t, err), want) {
			t.Errorf("ReadDir(%s): %v", path, err)
		}
	}
}

func TestWalk(t *testing.T) {
	root := tree(t, map[string]string{
		"w/a/b/c/deep": "", "w/a/x": "x", "w/m.txt": "", "w/link -> a": "", "w/out -> ../x": "",
		"w/node_modules/p/q": "", "x/secret": "",
	})
	f := open(t, Config{Folders: []string{root + "/w"}})
	walk := func(path string, l Limits) (seen []string, errs []error) {
		for e, err := range f.Walk(t.Context(), path, l) {
			if err != nil {
				errs = append(errs, err)
			} else {
				seen = append(seen, e.Shown)
			}
		}
		return seen, errs
	}
	seen, errs := walk(".", Limits{Skip: Cluttered})
	want := []string{"a", "a/b", "a/b/c", "a/b/c/deep", "a/x", "link", "m.txt", "node_modules", "out"}
	if diff := cmp.Diff(want, seen); diff != "" || errs != nil {
		t.Error(diff, errs)
	}
	if seen, errs = walk("link", Limits{Depth: 1}); !slices.Equal(seen, []string{"link/b", "link/b/c", "link/x"}) || len(errs) != 1 {
		t.Error(seen, errs)
	}
	if seen, errs = walk(".", Limits{Entries: 3}); len(seen) != 3 || len(errs) != 1 || !errors.Is(errs[0], ErrLimit) {
		t.Error(seen, errs)
	}
	if seen, errs = walk(".", Limits{Entries: 11}); len(seen) != 11 || errs != nil {
		t.Error("a limit that is just enough:", seen, errs)
	}
	if seen, errs = walk("a/x", Limits{}); !slices.Equal(seen, []string{"a/x"}) || errs != nil {
		t.Error(seen, errs)
	}
	for _, path := range []string{"gone", "out", ""} {
		if seen, errs = walk(path, Limits{}); seen != nil || len(errs) != 1 {
			t.Error(path, seen, errs)
		}
	}
	for e := range f.Walk(t.Context(), "a/x", Limits{}) {
		file, _, err := e.Open()
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"ok", "../x", "~/a", "a/../../b", "/", "~", "C:x", "l/../..", composed, strings.Repeat("../", 100)} {
		f.Add(seed)
	}
	root := f.TempDir()
	for _, name := range []string{"w", "out"} {
		if err := errors.Join(os.Mkdir(filepath.Join(root, name), 0o700), os.WriteFile(filepath.Join(root, name, "ok"), []byte(name), 0o600)); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.Symlink("../out", filepath.Join(root, "w", "l")); err != nil {
		f.Fatal(err)
	}
	folders, err := New(Config{Folders: []string{root + "/w"}, Home: root + "/out"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		file, _, err := folders.Open(t.Context(), path)
		if err != nil {
			message(t, err)
			return
		}
		defer file.Close()
		if b, err := io.ReadAll(file); err != nil || string(b) != "w" {
			t.Errorf("read %q outside: %q, %v", path, b, err)
		}
	})
}

// TestQuote shows what cannot be seen in the paths of errors.
func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"a b": `"a b"`, "notes.md\u3164": `"notes.md\u3164"`, "a\u202eb\n\x00": `"a\u202eb\n\u0000"`, `a"b\`: `"a\"b\\"`, "\xff": "\"\ufffd\"",
		strings.Repeat("x", 300): `"` + strings.Repeat("x", 200) + `…"`,
	} {
		if got := quote(in); got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}
