package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReach(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"w/sub", "w/keys", "out"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"alias": "w", "w/away": "../out", "w/in": "sub"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip("no links can be made:", err)
		}
	}
	if err := os.WriteFile(root+"/w/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := New(Config{Folders: []string{root + "/alias"}, Private: []string{root + "/alias/keys", root + "/elsewhere"}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if r := f.Reach(); !slices.Equal(r.Folders, []string{root + "/w"}) || !slices.Equal(r.Private, []string{root + "/w/keys", root + "/elsewhere"}) {
		t.Errorf("%+v", r)
	}
	if r := (*Folders)(nil).Reach(); r.Folders != nil || r.Private != nil {
		t.Errorf("%+v", r)
	}
	for path, want := range map[string]string{".": root + "/w", "sub": root + "/w/sub", "in": root + "/w/sub", root + "/alias/sub/": root + "/w/sub", root + "/w": root + "/w"} {
		if got, err := f.Folder(t.Context(), path); err != nil || got != want {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
	for path, want := range map[string]string{"away": "link that points outside", "..": "not in a folder", root + "/out": "not in a folder", "keys": "belongs to loci", "gone": "no file or folder", "file": "is a file", "": "empty"} {
		if got, err := f.Folder(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
}
