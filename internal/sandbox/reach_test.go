package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	if r := f.Reach(); !slices.Equal(r.Folders(), []string{root + "/w"}) || !slices.Equal(r.Private, []string{root + "/w/keys", root + "/elsewhere"}) {
		t.Errorf("%+v", r)
	}
	if r := (*Folders)(nil).Reach(); r.Write != nil || r.Private != nil {
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

// TestReachOfRules has a folder of each access in an allowed one.
func TestReachOfRules(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(Config{Folders: []string{root}, Rules: Rules{
		{Path: root + "/read", Access: ReadOnly}, {Path: root + "/read/free", Access: Free, Outside: true}, {Path: root + "/never", Access: Never},
		{Path: root + "-beside", Access: Free},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := f.Reach()
	want := Reach{Write: []string{root, root + "/read/free"}, Read: []string{root + "/read"}, Private: []string{root + "/never"}, Outside: []string{"files in " + root + "/read/free"}}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}
