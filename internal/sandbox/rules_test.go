package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ruled opens the folder home below root with rules, whose paths are below root too.
func ruled(t *testing.T, root string, unasked bool, rules ...Rule) *Folders {
	t.Helper()
	for i := range rules {
		rules[i].Path = filepath.Join(root, filepath.FromSlash(rules[i].Path))
	}
	return open(t, Config{Folders: []string{filepath.Join(root, "home")}, Rules: rules, Unasked: unasked})
}

func TestRulesAtAPlace(t *testing.T) {
	rules := Rules{
		{Path: "/h", Access: ReadOnly},
		{Path: "/h/work", Access: Free},
		{Path: "/h/work/key", Access: Never},
		{Path: "/h/work/key/spare", Access: AskFirst},
		{Path: "/h/twice", Access: Free},
		{Path: "/h/twice", Access: Never},
		{Path: "/h/twice", Access: AskFirst},
		{Path: "/h/Žluť", Access: Never},
		{Path: "/h/Open", Access: Free},
	}
	for path, want := range map[string]Access{
		"/":                     AskFirst,
		"/elsewhere/a":          AskFirst,
		"/h":                    ReadOnly,
		"/h/a":                  ReadOnly,
		"/ha":                   AskFirst,
		"/h/work":               Free,
		"/h/work/a":             Free,
		"/h/workshop":           ReadOnly,
		"/h/work/key":           Never,
		"/h/work/key/a":         Never,
		"/h/work/keys":          Free,
		"/h/work/key/spare/a/b": AskFirst,
		"/h/twice/a":            Never, // the strictest of two for the same place
		// What is taken away is so by any spelling, what is given by the very name.
		"/h/WORK/KEY/a":       Never,
		"/H/work/a":           ReadOnly,
		"/h/Work/a":           ReadOnly,
		"/h/open/a":           ReadOnly,
		"/h/Open/a":           Free,
		"/h/z\u030cLut\u030c": Never,
		"/h/work/ke\u200by/a": Never,
	} {
		if got := rules.at(path).Access; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if got := Rules(nil).at("/h").Access; got != AskFirst {
		t.Errorf("without rules: %s", got)
	}
}

func TestFree(t *testing.T) {
	root, err := filepath.EvalSymlinks(tree(t, map[string]string{
		"home/work/a": "", "home/work/shut/b": "", "home/Work2/c": "", "real/d": "", "home/link -> ROOT/real": "",
	}))
	if err != nil {
		t.Fatal(err)
	}
	rules := Rules{
		{Path: root + "/home/work", Access: Free},
		{Path: root + "/home/work/shut", Access: ReadOnly},
		{Path: root + "/home/link", Access: Free}, // by another name
		{Path: root + "/home/new/deep", Access: Free},
	}
	for list, want := range map[string]bool{
		"":                         false,
		"home/work/a":              true,
		"home/work/b c":            true,
		"home/work":                false, // a part of it is shut
		"home/work/shut":           false,
		"home/work/shut/b":         false,
		"home/work/SHUT/b":         false,
		"home/WORK/a":              false,
		"home/workshop":            false,
		"home":                     false,
		"real/d":                   true,
		"home/link/d":              false, // what would change has a real path
		"home/new/deep/a":          true,
		"home/new/a":               false,
		"home/work/a real/d":       true,
		"home/work/a home/other":   false,
		"home/work/../work/shut/b": false,
	} {
		var paths []string
		for p := range strings.FieldsSeq(list) {
			paths = append(paths, filepath.Join(root, p))
		}
		if list == "home/work/b c" {
			paths = []string{filepath.Join(root, "home/work/b c")}
		}
		if got := rules.Free(paths...); got != want {
			t.Errorf("%q: %t", list, got)
		}
	}
}

func TestNever(t *testing.T) {
	root := tree(t, map[string]string{
		"home/a": "A", "home/shut/secret.txt": "S", "home/shut/open/b": "B", "home/in -> shut": "", "home/file -> shut/secret.txt": "",
		"real/key": "K", "home/keys -> ROOT/real": "",
	})
	f := ruled(t, root, false, Rule{Path: "home/shut", Access: Never}, Rule{Path: "home/shut/open", Access: AskFirst})
	for path, want := range map[string]string{
		"a": "A", "shut/open/b": "B", "in/open/b": "B",
	} {
		if got := read(t, f, path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	for _, path := range []string{"shut/secret.txt", "in/secret.txt", "file", "shut/../shut/secret.txt"} {
		if got := read(t, f, path); !strings.Contains(got, "has closed") {
			t.Errorf("%s: %q", path, got)
		}
		if got := put(t, f, path, "x"); got == "" {
			t.Errorf("%s is written", path)
		}
	}
	if _, _, err := f.ReadDir(t.Context(), "shut"); err == nil || !strings.Contains(err.Error(), "has closed") {
		t.Errorf("it is listed: %v", err)
	}
	for e, err := range f.Walk(t.Context(), ".", Limits{}) {
		if err == nil && strings.Contains(e.Shown, "secret") {
			t.Errorf("a walk comes to %s", e.Shown)
		}
	}
	for _, path := range []string{"secret.txt", "secrt.txt", "shut/secrt.txt", "shut/new/a"} {
		if got := read(t, f, path); strings.Contains(strings.ReplaceAll(got, path, ""), "secret.txt") {
			t.Errorf("%s: the error tells what is there: %s", path, got)
		}
	}
	if got := content(t, root+"/home/shut/secret.txt"); got != "S" {
		t.Errorf("it holds %q", got)
	}
}

// TestNeverByLink closes a folder under another name than its own.
func TestNeverByLink(t *testing.T) {
	root := tree(t, map[string]string{"home/real/key": "K", "home/alias -> real": "", "outer -> home": ""})
	for _, rule := range []string{"home/alias", "outer/real", "outer/alias", "home/real"} {
		f := ruled(t, root, false, Rule{Path: rule, Access: Never})
		for _, path := range []string{"real/key", "alias/key"} {
			if got := read(t, f, path); !strings.Contains(got, "has closed") {
				t.Errorf("%s closed, %s: %q", rule, path, got)
			}
		}
	}
}

// TestNeverSpelledOtherwise has a second folder that some file systems take for the
// closed one.
func TestNeverSpelledOtherwise(t *testing.T) {
	root := tree(t, map[string]string{"home/SHUT/key": "K", "home/shu\u0301t/key": "K"})
	if got := read(t, ruled(t, root, false, Rule{Path: "home/shut", Access: Never}), "SHUT/key"); !strings.Contains(got, "has closed") {
		t.Errorf("%q", got)
	}
	if got := read(t, ruled(t, root, false, Rule{Path: "home/shút", Access: Never}), "shu\u0301t/key"); !strings.Contains(got, "has closed") {
		t.Errorf("%q", got)
	}
}

func TestReadOnly(t *testing.T) {
	root := tree(t, map[string]string{"home/kept/a": "A", "home/kept/loose/b": "B", "home/c": "C", "home/in -> kept": ""})
	f := ruled(t, root, false, Rule{Path: "home/kept", Access: ReadOnly}, Rule{Path: "home/kept/loose", Access: Free})
	for path, want := range map[string]string{"kept/a": "A", "in/a": "A", "kept/loose/b": "B"} {
		if got := read(t, f, path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	for _, path := range []string{"kept/a", "kept/new", "in/new", "kept/deep/new"} {
		if got := put(t, f, path, "x"); !strings.Contains(got, "only be looked into") {
			t.Errorf("%s: %q", path, got)
		}
	}
	for _, path := range []string{"kept/loose/b", "kept/loose/new", "in/loose/n", "c", "new"} {
		if got := put(t, f, path, "x"); got != "" {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// TestUnasked lets only what is set free be changed where nobody agreed.
func TestUnasked(t *testing.T) {
	root := tree(t, map[string]string{"home/free/a": "A", "home/free/.git/config": "G", "home/asks/b": "B", "home/free/out -> ../asks": ""})
	f := ruled(t, root, true, Rule{Path: "home/free", Access: Free})
	for path, want := range map[string]bool{
		"free/a": true, "free/new/deep": true, "asks/b": false, "asks/new": false, "free/out/b": false, "free/out/new": false,
		"free/.git/config": false, "free/.GIT/hooks/x": false, "Free/a": false,
	} {
		if got := put(t, f, path, "x"); (got == "") != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if a, b, g := content(t, root+"/home/free/a"), content(t, root+"/home/asks/b"), content(t, root+"/home/free/.git/config"); a != "x" || b != "B" || g != "G" {
		t.Errorf("%q, %q, %q", a, b, g)
	}
}

// TestOutside names where something was read from, however it was reached.
func TestOutside(t *testing.T) {
	files := map[string]string{
		"home/own/a": "A", "home/got/b": "B", "home/got/sorted/c": "C", "home/link -> got": "", "home/file -> got/b": "",
	}
	rules := []Rule{
		{Path: "home/got", Access: Free, Outside: true},
		{Path: "home/got/sorted", Access: AskFirst}, // looked through by the person
	}
	for name, test := range map[string]struct {
		do   func(*testing.T, *Folders)
		want bool
	}{
		"nothing":      {func(*testing.T, *Folders) {}, false},
		"own":          {func(t *testing.T, f *Folders) { read(t, f, "own/a") }, false},
		"list above":   {func(t *testing.T, f *Folders) { list(t, f, ".") }, false},
		"sorted":       {func(t *testing.T, f *Folders) { read(t, f, "got/sorted/c") }, false},
		"missing":      {func(t *testing.T, f *Folders) { read(t, f, "missing.md") }, false}, // it is looked for there
		"found there":  {func(t *testing.T, f *Folders) { read(t, f, "b") }, true},
		"namesakes":    {func(t *testing.T, f *Folders) { f.Namesakes(t.Context(), "a") }, false},
		"a namesake":   {func(t *testing.T, f *Folders) { f.Namesakes(t.Context(), "b") }, true},
		"read":         {func(t *testing.T, f *Folders) { read(t, f, "got/b") }, true},
		"by a link":    {func(t *testing.T, f *Folders) { read(t, f, "link/b") }, true},
		"a link to it": {func(t *testing.T, f *Folders) { read(t, f, "file") }, true},
		"list":         {func(t *testing.T, f *Folders) { list(t, f, "got") }, true},
		"search": {func(t *testing.T, f *Folders) {
			for _, err := range f.Walk(t.Context(), ".", Limits{}) {
				if err != nil {
					t.Error(err)
				}
			}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, files)
			f := ruled(t, root, false, slices.Clone(rules)...)
			test.do(t, f)
			real, err := filepath.EvalSymlinks(root)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if test.want {
				want = []string{"files in " + filepath.Join(real, "home/got")}
			}
			if d := cmp.Diff(want, f.Outside()); d != "" {
				t.Error(d)
			}
		})
	}
	if got := (*Folders)(nil).Outside(); got != nil {
		t.Error(got)
	}
}

// TestForeignByAnySpelling has a rule that gives and takes: what it gives is for the
// very name, where from outside it is holds for any.
func TestForeignByAnySpelling(t *testing.T) {
	rules := Rules{{Path: "/h", Access: Free}, {Path: "/h/Got", Access: Free, Outside: true}, {Path: "/h/Got/mine", Access: Free}}
	for path, want := range map[string]string{
		"/h/a": "", "/h/Got/a": "/h/Got", "/h/got/a": "/h/Got", "/H/GOT/a": "/h/Got", "/h/Got/mine/a": "", "/h/Gotten/a": "",
	} {
		if got := rules.foreign(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func list(t *testing.T, f *Folders, path string) {
	t.Helper()
	if _, _, err := f.ReadDir(t.Context(), path); err != nil {
		t.Error(err)
	}
}

// TestRuleOfWhatIsNotThere protects a name before anything has it.
func TestRuleOfWhatIsNotThere(t *testing.T) {
	root := tree(t, map[string]string{"home/a": "A"})
	f := ruled(t, root, false, Rule{Path: "home/later", Access: ReadOnly}, Rule{Path: "home/shut/deep", Access: Never})
	for _, path := range []string{"later", "later/a", "shut/deep/a"} {
		if got := put(t, f, path, "x"); got == "" {
			t.Errorf("%s is written", path)
		}
	}
	if err := os.MkdirAll(root+"/home/shut/deep", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(root+"/home/shut/deep/a", []byte("S"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(t, f, "shut/deep/a"); !strings.Contains(got, "has closed") {
		t.Errorf("%q", got)
	}
}
