package sandbox

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// disk gives a folder on a small disk of its own, where a test may have one.
func disk(t *testing.T, mount string) {
	t.Helper()
	if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no disk can be had here:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(mount, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// TestDiskFull writes more than there is room for.
func TestDiskFull(t *testing.T) {
	root := tree(t, map[string]string{"w/": "", "n/big": strings.Repeat("N", 900_000)})
	disk(t, root+"/w")
	old := strings.Repeat("A", 400_000)
	if err := os.WriteFile(root+"/w/old", []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, Config{Folders: []string{root + "/w", root + "/n"}})
	for _, path := range []string{"old", "new", "sub/new"} {
		if got := put(t, f, path, strings.Repeat("B", 900_000)); !strings.Contains(got, "no room left on the disk") {
			t.Errorf("%s: %q", path, got)
		}
	}
	if got := rename(t, f, root+"/n/big", "big"); !strings.Contains(got, "no room left on the disk") || len(content(t, root+"/n/big")) != 900_000 {
		t.Errorf("%q", got)
	}
	entries, err := os.ReadDir(root + "/w")
	if err != nil || len(entries) != 1 || content(t, root+"/w/old") != old {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestOtherDisk moves and deletes between two disks.
func TestOtherDisk(t *testing.T) {
	root := tree(t, map[string]string{"w/": "", "n/a": "A", "n/b": "B", "n/dir/x": "X", "n/link -> a": ""})
	disk(t, root+"/w")
	f := open(t, Config{Folders: []string{root + "/w", root + "/n"}})
	if got := rename(t, f, root+"/n/a", "sub/a"); got != "" || content(t, root+"/w/sub/a") != "A" || content(t, root+"/n/a") != "" {
		t.Errorf("%q", got)
	}
	if got := rename(t, f, root+"/n/b", "sub/a"); !strings.Contains(got, "exists already") || content(t, root+"/n/b") != "B" {
		t.Errorf("%q", got)
	}
	if got := rename(t, f, root+"/n/dir", "new/dir"); !strings.Contains(got, "another disk") || content(t, root+"/n/dir/x") != "X" {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(root + "/w/new"); err == nil {
		t.Error("an empty folder is left")
	}
	trash := root + "/w/trash"
	for path, want := range map[string]string{"b": "", "link": "", "dir": "another disk"} {
		where, got := erase(t, f, root+"/n/"+path, trash, monday)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q", path, got)
		}
		if _, err := os.Lstat(where); want == "" && err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(root + "/n"); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	litter(t, root)
}
