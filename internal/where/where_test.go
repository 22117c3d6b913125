package where_test

import (
	"os"
	"path/filepath"
	"testing"

	"loci/internal/where"
)

func TestIn(t *testing.T) {
	for _, c := range []struct {
		path, folder, rel string
		in                bool
	}{
		{"/a/b", "/a", "b", true},
		{"/a", "/a", ".", true},
		{"/a/b/../c", "/a", "c", true},
		{"/a/b", "/", "a/b", true},
		{"/a/..b", "/a", "..b", true},
		{"/ab", "/a", "", false},
		{"/", "/a", "", false},
		{"/a/../b", "/a", "", false},
		{"b", "/a", "", false},
	} {
		path, folder := filepath.FromSlash(c.path), filepath.FromSlash(c.folder)
		rel, in := where.Below(path, folder)
		if in != c.in || in && rel != filepath.FromSlash(c.rel) || where.In(path, folder) != c.in {
			t.Errorf("%s in %s: %q, %v", c.path, c.folder, rel, in)
		}
	}
}

func TestReal(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "there"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("there", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{"link": "there", "link/a/b": "there/a/b", "gone/a": "gone/a", "": ""} {
		if got := where.Real(filepath.Join(dir, path)); got != filepath.Join(dir, want) {
			t.Errorf("%s is %s", path, got)
		}
	}
}

func TestHere(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.8.0.1": true, "::1": true, "::ffff:127.0.0.1": true, "localhost": true, "LocalHost": true,
		"": false, "0.0.0.0": false, "::": false, "192.168.0.1": false, "localhost.example.com": false, "127.0.0.1.nip.io": false, "[::1]": false,
	} {
		if where.Here(host) != want {
			t.Errorf("%q is here: %v", host, !want)
		}
	}
}
