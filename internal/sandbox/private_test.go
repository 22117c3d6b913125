package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What belongs to loci stays closed, even when the person allows their whole
// home folder, and whatever way leads there.
func TestPrivate(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{".config/loci", "notes"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(home, ".config/loci/key")
	for path, text := range map[string]string{secret: "SECRET", filepath.Join(home, "notes/a.md"): "fine", filepath.Join(home, ".config/other"): "fine"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"link": ".config/loci/key", "dir": ".config/loci"} {
		if err := os.Symlink(target, filepath.Join(home, link)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	private := []string{filepath.Join(home, ".config/loci"), filepath.Join(home, "not there")}
	for _, allowed := range []string{home, filepath.Join(home, ".config"), filepath.Join(home, ".config/loci")} {
		f, err := New(Config{Folders: []string{allowed}, Home: home, Private: private})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{secret, "~/.config/loci/key", "link", "dir/key"} {
			if file, _, err := f.Open(t.Context(), path); err == nil {
				t.Errorf("with %s allowed, %s opens", allowed, path)
				file.Close()
			}
		}
		if _, _, err := f.ReadDir(t.Context(), filepath.Dir(secret)); err == nil || !strings.Contains(err.Error(), "loci itself") {
			t.Errorf("with %s allowed, the folder is listed: %v", allowed, err)
		}
		for e := range f.Walk(t.Context(), allowed, Limits{}) {
			if e.Name == "key" {
				t.Errorf("with %s allowed, a walk comes to %s", allowed, e.Path())
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	f, err := New(Config{Folders: []string{home}, Home: home, Private: private})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, path := range []string{"notes/a.md", ".config/other"} {
		file, _, err := f.Open(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		file.Close()
	}
}
