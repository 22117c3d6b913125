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

// TestMounted leaves alone what has something mounted in it: it would go along
// unseen, and be removed for good a month later.
func TestMounted(t *testing.T) {
	root := tree(t, map[string]string{"w/proj/a": "A", "w/proj/mnt/": "", "w/bind/a b/": "", "w/deep/f": "", "w/file": "", "from/x": "X", "from/f": "F", "bin/20261001-000000-0123abcd/mnt/": "", "bin/20261001-000000-0123abcd.json": "{}"})
	entry := root + "/bin/20261001-000000-0123abcd"
	disk(t, root+"/w/proj/mnt")
	disk(t, entry+"/mnt")
	if err := os.WriteFile(entry+"/mnt/precious", []byte("P"), 0o600); err != nil {
		t.Fatal(err)
	}
	for at, from := range map[string]string{"w/bind/a b": "from", "w/deep/f": "from/f", "w/file": "from/f"} {
		if err := unix.Mount(root+"/"+from, root+"/"+at, "", unix.MS_BIND, ""); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Unmount(root+"/"+at, unix.MNT_DETACH) })
	}
	f := open(t, Config{Folders: []string{root + "/w"}})
	for path, want := range map[string]string{"proj": `mounted in it: "mnt"`, "bind": `mounted in it: "a b"`, "deep": `mounted in it: "f"`, "file": "is mounted at its place", "proj/mnt": "is mounted at its place"} {
		if got := rename(t, f, path, "moved"); !strings.Contains(got, want) {
			t.Errorf("moving %s: %q", path, got)
		}
		if _, got := erase(t, f, path, root+"/bin", monday); !strings.Contains(got, want) {
			t.Errorf("deleting %s: %q", path, got)
		}
	}
	if got := put(t, f, "file", "new"); !strings.Contains(got, "is mounted at its place") || content(t, root+"/from/f") != "F" {
		t.Errorf("writing: %q", got)
	}
	if got := put(t, f, "proj/mnt/new", "new"); got != "" {
		t.Errorf("writing on the other disk: %q", got)
	}
	if n, err := Purge(root+"/bin", monday.Add(Kept)); n != 0 || err == nil || content(t, entry+"/mnt/precious") != "P" || content(t, entry+".json") != "{}" {
		t.Errorf("purged %d, %v", n, err)
	}
	// The numbers of the disks tell it too, where there is no list of mounts.
	if bin, err := os.OpenRoot(root + "/bin"); err != nil {
		t.Error(err)
	} else if info, err := bin.Stat("."); err != nil || openFolders(bin, "20261001-000000-0123abcd", device(info)) == nil {
		t.Errorf("%v", err)
	}
	err := change(t, f, "deep", Keep, func(s *Spot, _ string) error { return s.loose() })
	if told(t, err) == "" {
		t.Error("a file mounted in a folder was not seen")
	}
}
