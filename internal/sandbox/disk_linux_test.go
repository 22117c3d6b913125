package sandbox

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"loci"
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
	if got := rename(t, f, root+"/n/big", "big"); !strings.Contains(got, `for "big". Nothing`) {
		t.Errorf("not the destination: %q", got)
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
	err := change(t, f, "deep", Keep, func(s *Spot, _ State) error { return s.loose() })
	if told(t, err) == "" {
		t.Error("a file mounted in a folder was not seen")
	}
}

// TestReadOnlyDisk tells of the right end of a move that a disk cannot be written.
func TestReadOnlyDisk(t *testing.T) {
	root := tree(t, map[string]string{"w/": "", "n/a": "A"})
	if err := unix.Mount("tmpfs", root+"/w", "tmpfs", unix.MS_RDONLY, ""); err != nil {
		t.Skip("no disk can be had here:", err)
	}
	defer func() { _ = unix.Unmount(root+"/w", unix.MNT_DETACH) }()
	f := open(t, Config{Folders: []string{root + "/n", root + "/w"}})
	for _, to := range []string{"/w/a", "/w/new/a"} {
		if got := rename(t, f, "a", root+to); !strings.Contains(got, root+to) || !strings.Contains(got, "can only be read") || content(t, root+"/n/a") != "A" {
			t.Errorf("%q", got)
		}
	}
	dir, err := os.OpenRoot(root + "/w")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if writable(dir) {
		t.Error("the disk is told to be writable")
	}
}

// TestCarryLastMoment changes the original when its copy is there: nothing that
// was saved is lost.
func TestCarryLastMoment(t *testing.T) {
	for what, change := range map[string]func(string) error{
		"saved in place": func(path string) error { return os.WriteFile(path, []byte("second"), 0o600) },
		"saved aside": func(path string) error {
			return errors.Join(os.WriteFile(path+"~", []byte("second"), 0o600), os.Rename(path+"~", path))
		},
		"gone": os.Remove, // as on a network disk whose answer was lost
	} {
		for call, nth := range map[string]int{"put in place": 2, "remove": 1} { // the second is that of the copy
			root := tree(t, map[string]string{"w/": "", "n/a": "first"})
			disk(t, root+"/w")
			f := open(t, Config{Folders: []string{root + "/n", root + "/w"}})
			last := func() {
				count := 0
				f.before = func(c string) error {
					if c == call {
						if count++; count == nth {
							return change(root + "/n/a")
						}
					}
					return nil
				}
			}
			check := func(at, got string) {
				t.Helper()
				if what == "gone" && (got != "" || content(t, at) != "first") {
					t.Errorf("%s before %s: %q, %q", what, call, got, content(t, at))
				}
				if what != "gone" && (!strings.Contains(got, "in the meantime") || content(t, root+"/n/a") != "second" || content(t, root+"/w/a") != "") {
					t.Errorf("%s before %s: %q, %q, %q", what, call, got, content(t, root+"/n/a"), content(t, root+"/w/a"))
				}
			}
			last()
			check(root+"/w/a", rename(t, f, "a", root+"/w/a"))
			if f.before = nil; call == "remove" {
				if err := errors.Join(os.RemoveAll(root+"/w/a"), os.WriteFile(root+"/n/a", []byte("first"), 0o600)); err != nil {
					t.Fatal(err)
				}
				last()
				check(erase(t, f, "a", root+"/w/bin", monday))
			}
			litter(t, root)
		}
	}
}

// TestCarryKilled kills the program when it has copied all and moved nothing.
func TestCarryKilled(t *testing.T) {
	if root := os.Getenv("SANDBOX_CARRIES_IN"); root != "" {
		f, count := open(t, Config{Folders: []string{root + "/n", root + "/w"}}), 0
		f.before = func(call string) error {
			if call == "put in place" {
				if count++; count == 2 {
					return unix.Kill(os.Getpid(), unix.SIGKILL)
				}
			}
			return nil
		}
		t.Fatal(rename(t, f, "big", root+"/w/big"))
	}
	root := tree(t, map[string]string{"w/": "", "n/big": strings.Repeat("x", 300_000)})
	disk(t, root+"/w")
	child := exec.Command(os.Args[0], "-test.run=^TestCarryKilled$")
	child.Env = append(os.Environ(), "SANDBOX_CARRIES_IN="+root)
	if err := child.Run(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(root + "/w"); err != nil || len(left) > 0 || len(content(t, root+"/n/big")) != 300_000 {
		t.Errorf("%v, %v", left, err)
	}
	// Where a file must have a name from the start, the next move takes it away.
	old := root + "/w/" + asideNamed(time.Now().Add(-2*staleAge))
	if err := errors.Join(os.WriteFile(old, nil, 0o600), os.WriteFile(old+"x", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	f := open(t, Config{Folders: []string{root + "/n", root + "/w"}})
	got := rename(t, f, "big", root+"/w/big")
	if left, err := os.ReadDir(root + "/w"); got != "" || err != nil || len(left) != 2 || left[0].Name() != filepath.Base(old)+"x" {
		t.Errorf("%q, %v, %v", got, left, err)
	}
}

// TestUndoOtherDisk takes changes back whose journal is on another disk, and moves
// between two disks.
func TestUndoOtherDisk(t *testing.T) {
	root := tree(t, map[string]string{"w/a": "A", "w/link -> a": "", "w/x": "X", "n/": "", "bin/": ""})
	disk(t, root+"/bin")
	disk(t, root+"/n")
	h := newHands(t, root)
	h.f = open(t, Config{Folders: []string{root + "/w", root + "/n"}})
	before := all(t, root)
	var made []string
	for _, make := range []func() loci.Change{
		func() loci.Change { return h.remove("a") }, func() loci.Change { return h.remove("link") }, func() loci.Change { return h.write("x", "fresh") },
		func() loci.Change { return h.move("x", root+"/n/deep/x") },
	} {
		made = append(made, make().ID)
	}
	if content(t, root+"/n/deep/x") != "fresh" || content(t, root+"/w/a") != "" {
		t.Errorf("%v", all(t, root))
	}
	for _, id := range slices.Backward(made) {
		h.undone(id)
	}
	after := all(t, root)
	for _, found := range []map[string]string{before, after} {
		maps.DeleteFunc(found, func(path, _ string) bool { return strings.HasPrefix(path, "bin/") })
	}
	if !maps.Equal(before, after) {
		t.Errorf("%v, want %v", after, before)
	}
}

// TestJournalFull writes nothing that it has no room to keep.
func TestJournalFull(t *testing.T) {
	old := strings.Repeat("A", 700_000)
	root := tree(t, map[string]string{"w/old": old, "bin/": ""})
	disk(t, root+"/bin")
	h := newHands(t, root)
	h.write("old", old+"B")
	err := change(t, h.f, "old", Follow, func(s *Spot, state State) error {
		_, err := h.j.Write(t.Context(), s, []byte("fresh"), state, mira)
		return err
	})
	if got := told(t, err); !strings.Contains(got, "no room left") || content(t, root+"/w/old") != old+"B" {
		t.Errorf("%q", got)
	}
	if left, err := os.ReadDir(root + "/bin"); err != nil || len(left) != 2 { // of the first change
		t.Errorf("%v, %v", left, err)
	}
}
