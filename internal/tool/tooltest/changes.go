package tooltest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"loci"
	"loci/internal/tool"
)

const maxPreview = 1_500 // characters: 500 of what changes, and the paths

// changes tells whether a tool changes files.
func changes(t tool.Tool) bool { return t.Files && t.SideEffects == loci.EffectWrite }

// preview checks that what a person is shown changes nothing, names the real
// path, and does not hold any more when the file has changed.
func (c checker) preview(t *testing.T) {
	c.makeFiles(t)
	if !c.tl.Dangerous { // it looks, and asks only where it has to
		c.looks(t)
		return
	}
	before := c.snapshot(t)
	texts := map[string]bool{}
	var basis string
	for _, lang := range []string{"en", "zh-CN", "cs"} {
		p := c.look(t, lang)
		switch {
		case strings.TrimSpace(p.Text) == "" || strings.Contains(p.Text, "%!") || !utf8.ValidString(p.Text):
			t.Errorf("the preview in %s is not for people: %q", lang, p.Text)
		case utf8.RuneCountInString(p.Text) > maxPreview:
			t.Errorf("the preview has %d characters", utf8.RuneCountInString(p.Text))
		case changes(c.tl) && !strings.Contains(p.Text, c.root):
			t.Errorf("the preview does not name the whole path: %q", p.Text)
		case basis != "" && p.Basis != basis:
			t.Errorf("nothing has changed, but the basis has: %q, %q", basis, p.Basis)
		}
		basis = p.Basis
		texts[p.Text] = true
	}
	if len(texts) == 1 {
		t.Errorf("the preview is the same in all languages: %v", texts)
	}
	if !maps.Equal(before, c.snapshot(t)) {
		t.Error("the preview changed something")
	}
	path, ok := c.f.Args[c.f.Path].(string)
	if !ok || c.f.Folder {
		return
	}
	if c.f.Edit != nil {
		c.f.Edit(t, filepath.Join(c.root, path))
	} else if err := os.WriteFile(filepath.Join(c.root, path), []byte("# Notes\nbuy bread\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := c.look(t, "en"); p.Basis == basis {
		t.Error("the file has changed, but the basis has not")
	}
}

// looks checks that a tool which only looks asks about nothing out of the ordinary,
// and about a file with several names, in words for a person.
func (c checker) looks(t *testing.T) {
	if p := c.look(t, "en"); !reflect.DeepEqual(p, tool.Preview{}) {
		t.Errorf("it asks about an ordinary call: %+v", p)
	}
	path, ok := c.f.Args[c.f.Path].(string)
	if !ok || c.f.Folder {
		return
	}
	if err := os.Link(filepath.Join(c.root, path), filepath.Join(t.TempDir(), "other")); err != nil {
		t.Skip("no hard links here:", err)
	}
	warnings := map[string]bool{}
	for _, lang := range []string{"en", "zh-CN", "cs"} {
		p := c.look(t, lang)
		if !strings.Contains(p.Warning, "2") || !strings.Contains(p.Warning, path) || !strings.Contains(p.Text, c.root) || p.Basis == "" || strings.Contains(p.Warning, "%!") {
			t.Errorf("what it warns of in %s is not for people: %+v", lang, p)
		}
		warnings[p.Warning] = true
	}
	if len(warnings) != 3 {
		t.Errorf("the warning is the same in all languages: %v", warnings)
	}
	if r := c.call(t, c.tl, "en", c.f.Args); r.Err == nil || !strings.Contains(r.Err.Message, "hard links") {
		t.Errorf("without a yes: %s, %+v", r.Data, r.Err)
	}
}

// look makes the preview of the fixture's call.
func (c checker) look(t *testing.T, lang string) tool.Preview {
	t.Helper()
	files, args := c.given(t)
	p, err := c.tl.Preview(t.Context(), tool.Env{Files: files, Now: time.Now(), Scope: loci.Scope{Lang: lang}}, args)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// snapshot is everything in the folder of the fixture, by path.
func (c checker) snapshot(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(c.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			all[path] = "folder"
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
