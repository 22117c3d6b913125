package sandbox

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"loci"
)

// rename moves and gives the error's message or nothing.
func rename(t *testing.T, f *Folders, from, to string) string {
	t.Helper()
	return told(t, moving(t, f, from, to))
}

func moving(t *testing.T, f *Folders, from, to string) (err error) {
	t.Helper()
	a, err := f.Spot(t.Context(), from, Keep)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := f.Spot(t.Context(), to, Keep)
	if err != nil {
		return err
	}
	defer b.Close()
	release, err := Lock(t.Context(), a, b)
	if err != nil {
		return err
	}
	defer release()
	if err := a.CanMove(t.Context(), b); err != nil {
		return err
	}
	was, err := a.State(t.Context())
	if err != nil {
		return err
	}
	free, err := b.State(t.Context())
	if err != nil {
		return err
	}
	return a.Move(t.Context(), b, was, free)
}

// erase deletes and gives where the thing is, or the error's message.
func erase(t *testing.T, f *Folders, path, trash string, now time.Time) (where, message string) {
	t.Helper()
	err := change(t, f, path, Keep, func(s *Spot, state State) (err error) {
		j := Journal{trash}
		c, err := j.Delete(t.Context(), s, state, By{Time: now})
		where = filepath.Join(trash, c.ID, filepath.Base(c.Path))
		return err
	})
	return where, told(t, err)
}

func TestMove(t *testing.T) {
	root := tree(t, map[string]string{
		"w/a": "A", "w/b": "B", "w/dir/x": "X", "w/dir/sub/y": "Y", "w/link -> a": "", "w/in -> dir": "", "n/note": "N", "out/": "", "w/outdir -> ../out": "",
		"w/both/" + composed: "C", "w/both/" + decomposed: "D", "w/repo/.git/config": "", "w/flows/workflows/ci.yml": "", "w/allowed/x": "", "w/has/own/key": "", "w/" + decomposed: "D",
	})
	f := open(t, Config{Folders: []string{root + "/w", root + "/n", root + "/w/allowed"}, Private: []string{root + "/w/has/own"}})
	for _, tt := range []struct{ from, to, want string }{
		{"gone", "x", "There is no file"}, {"a", "b", "exists already"}, {"a", "a", "exists already"}, {"a", "dir", "exists already"}, {"a", "link", "exists already"},
		{"dir", "dir/sub/dir", "into itself"}, {"dir", "in/dir", "into itself"}, {"link", "l2", "is a link"}, {"a", "../out/x", "not in a folder"}, {"a", "outdir/x", "outside"},
		{".", "x", "allowed folder"}, {"allowed", "x", "allowed folder"}, {"repo", "r2", "protected"}, {"flows", ".github", "protected"},
		{"a", ".git/hooks/x", "protected"}, {"a", ".bashrc", "protected"}, {"has", "h2", "belongs to loci"}, {"a", "tab\tx", "cannot be seen"},
		{"a", composed, "exists already"},
	} {
		if got := rename(t, f, tt.from, tt.to); !strings.Contains(got, tt.want) {
			t.Errorf("%s to %s: %q, want %q", tt.from, tt.to, got, tt.want)
		}
	}
	for _, tt := range []struct{ from, to, at, want string }{
		{"a", "c", "w/c", "A"}, {"c", "new/deep/a", "w/new/deep/a", "A"}, {"new/deep/a", root + "/n/a", "n/a", "A"}, {"in/x", "x", "w/x", "X"},
		{"dir/", "moved/", "w/moved/sub/y", "Y"}, {"moved", root + "/n/sub/moved", "n/sub/moved/sub/y", "Y"}, {composed, "plain", "w/plain", "D"}, {"both/" + composed, "both/plain", "w/both/plain", "C"},
	} {
		if got := rename(t, f, tt.from, tt.to); got != "" || content(t, filepath.Join(root, tt.at)) != tt.want {
			t.Errorf("%s to %s: %q, %q", tt.from, tt.to, got, content(t, filepath.Join(root, tt.at)))
		}
	}
	for _, gone := range []string{"w/a", "w/c", "w/new/deep/a", "w/dir", "w/moved"} {
		if _, err := os.Lstat(filepath.Join(root, gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
	if got := content(t, root+"/w/b"); got != "B" {
		t.Errorf("b is %q", got)
	}
}

// TestMoveFailures makes each system call of a move fail in turn: the file is in
// one of both places, whole.
func TestMoveFailures(t *testing.T) {
	for n := 1; n < n1; n++ {
		root := tree(t, map[string]string{"w/a": "A"})
		f := open(t, Config{Folders: []string{root + "/w"}})
		count, failed := 0, ""
		f.before = func(call string) error {
			if count++; count == n {
				failed = call
				return errors.New("made up")
			}
			return nil
		}
		got := rename(t, f, "a", "new/b")
		a, b := content(t, root+"/w/a"), content(t, root+"/w/new/b")
		if a+b != "A" || (got == "") != (failed == "") {
			t.Errorf("%s failed: %q, %q, %s", failed, a, b, got)
		}
		if failed == "" {
			return
		}
	}
	t.Error("a move without a failure was not tried")
}

// TestMoveLastMoment puts something in the way when all has been looked at.
func TestMoveLastMoment(t *testing.T) {
	for _, from := range []string{"a", "dir"} {
		root := tree(t, map[string]string{"w/a": "A", "w/dir/x": "X"})
		f := open(t, Config{Folders: []string{root + "/w"}})
		f.before = func(call string) error {
			switch {
			case call != "put in place":
				return nil
			case from == "dir" && runtime.GOOS == "linux": // elsewhere an empty folder may be replaced
				return os.Mkdir(root+"/w/new", 0o700)
			}
			return os.WriteFile(root+"/w/new", []byte("by somebody"), 0o600)
		}
		if got := rename(t, f, from, "new"); !strings.Contains(got, "exists already") || content(t, root+"/w/a") != "A" || content(t, root+"/w/dir/x") != "X" {
			t.Errorf("%s: %q", from, got)
		}
	}
}

// TestMoveRace lets two move to one place: one of them wins, and nothing is lost.
func TestMoveRace(t *testing.T) {
	for i := range 50 {
		root := tree(t, map[string]string{"w/a": "A", "w/b": "B"})
		var wg sync.WaitGroup
		var errs [2]error
		for j, name := range []string{"a", "b"} {
			f := open(t, Config{Folders: []string{root + "/w"}})
			wg.Go(func() { errs[j] = moving(t, f, name, "c") })
		}
		if i%2 == 0 { // and a program that knows nothing of our locks
			wg.Go(func() { _ = os.Link(root+"/w/a", root+"/w/c") })
		}
		wg.Wait()
		all := content(t, root+"/w/a") + content(t, root+"/w/b") + content(t, root+"/w/c")
		if !strings.Contains(all, "A") || !strings.Contains(all, "B") || errs[0] == nil && errs[1] == nil {
			t.Fatalf("%q, %v, %v", all, errs[0], errs[1])
		}
	}
}

// TestCarry moves by copying, as between two disks.
func TestCarry(t *testing.T) {
	root := tree(t, map[string]string{"w/a": strings.Repeat("A", 200_000), "w/dir/x": ""})
	f := open(t, Config{Folders: []string{root + "/w"}})
	if err := os.Chmod(root+"/w/a", 0o640); err != nil {
		t.Fatal(err)
	}
	old, err := os.Stat(root + "/w/a")
	if err != nil {
		t.Fatal(err)
	}
	carry := func(from, to string) string {
		return told(t, change(t, f, from, Keep, func(s *Spot, _ State) error {
			d, err := f.Spot(t.Context(), to, Keep)
			if err != nil {
				return err
			}
			defer d.Close()
			return s.carry(t.Context(), d)
		}))
	}
	f.before = func(call string) error {
		if call == "sync" {
			return os.WriteFile(root+"/w/a", []byte("longer than it was before"), 0o600)
		}
		return nil
	}
	if got := carry("a", "b"); !strings.Contains(got, "something else") && !strings.Contains(got, "meantime") {
		t.Errorf("the file changed while it was copied: %q", got)
	}
	f.before = nil
	if err := errors.Join(os.WriteFile(root+"/w/a", []byte(strings.Repeat("A", 200_000)), 0o640), os.Chtimes(root+"/w/a", old.ModTime(), old.ModTime())); err != nil {
		t.Fatal(err)
	}
	if got := carry("a", "b"); got != "" {
		t.Fatal(got)
	}
	info, err := os.Stat(root + "/w/b")
	if err != nil || info.Size() != 200_000 || info.Mode() != old.Mode() || !info.ModTime().Equal(old.ModTime()) {
		t.Errorf("%v, %v", info, err)
	}
	if got := content(t, root+"/w/a"); got != "" {
		t.Errorf("the old file is still there")
	}
	if got := carry("dir", "dir2"); !strings.Contains(got, "another disk") {
		t.Errorf("%q", got)
	}
	litter(t, root)
}

var monday = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestDelete(t *testing.T) {
	root := tree(t, map[string]string{
		"w/a.txt": "A", "w/dir/x": "X", "w/dir/sub/y": "YY", "out/secret": "SECRET", "w/sub2/deep/": "", "w/dl -> sub2/deep": "", "w/link -> ../out": "", "w/one -> a2": "", "w/a2": "A2",
		"w/repo/.git/config": "", "w/has/own/key": "", "w/deep/w2/x": "", "w/.ssh/id": "", "w/bin/": "",
	})
	trash := filepath.Join(root, "state", "trash")
	f := open(t, Config{Folders: []string{root + "/w", root + "/w/deep/w2"}, Private: []string{root + "/w/has/own"}})
	for path, want := range map[string]string{
		"gone": "There is no file", ".": "allowed folder", "dir/..": "allowed folder", "deep/w2": "allowed folder", "deep": "has one in it", "repo": "protected", "repo/.git": "protected",
		"has": "belongs to loci", ".ssh/id": "protected", "../out": "not in a folder", "link/secret": "outside", "": "empty",
	} {
		if where, got := erase(t, f, path, trash, monday); !strings.Contains(got, want) {
			t.Errorf("%s: %q at %q, want %q", path, got, where, want)
		}
	}
	if _, got := erase(t, f, "bin", root+"/w/bin/trash", monday); !strings.Contains(got, "trash in it") {
		t.Errorf("the trash in itself: %q", got)
	}
	for path, kind := range map[string]string{"a.txt": "file", "dir/": "folder", "link": "link", "one": "link"} {
		where, got := erase(t, f, path, trash, monday)
		name := strings.TrimSuffix(path, "/")
		if got != "" || filepath.Base(where) != name || !strings.HasPrefix(filepath.Base(filepath.Dir(where)), "20261130-120000-") {
			t.Fatalf("%s: %q at %q", path, got, where)
		}
		var d record
		if err := json.Unmarshal([]byte(content(t, filepath.Dir(where)+".json")), &d); err != nil {
			t.Fatal(err)
		}
		if d.Path != filepath.Join(root, "w", name) || d.Kind != loci.ChangeDeleted || d.Thing != kind || !d.Time.Equal(monday) || kind == "folder" && d.Bytes != 3 {
			t.Errorf("%+v", d)
		}
		if _, err := os.Lstat(where); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(filepath.Join(root, "w", name)); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if where, got := erase(t, f, "dl/..", trash, monday); got != "" || filepath.Base(where) != "sub2" { // as the system sees it, not as the text looks
		t.Errorf("%q at %q", got, where)
	}
	if content(t, root+"/out/secret") != "SECRET" || content(t, root+"/w/a2") != "A2" {
		t.Error("what a link leads to was deleted with it")
	}
	if info, err := os.Stat(trash); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestDeleteCopies puts things into a trash on another disk.
func TestDeleteCopies(t *testing.T) {
	root := tree(t, map[string]string{"w/a": "A", "w/dir/x": "", "w/link -> a": "", "bin/": ""})
	f := open(t, Config{Folders: []string{root + "/w"}})
	bin, err := os.OpenRoot(root + "/bin")
	if err != nil {
		t.Fatal(err)
	}
	defer bin.Close()
	for _, path := range []string{"link", "a", "dir"} {
		err := change(t, f, path, Keep, func(s *Spot, _ State) error { return s.throwCopy(t.Context(), bin) })
		if got := told(t, err); (path == "dir") != strings.Contains(got, "another disk") || path != "dir" && got != "" {
			t.Errorf("%s: %q", path, got)
		}
	}
	if target, err := os.Readlink(root + "/bin/link"); err != nil || target != "a" || content(t, root+"/bin/a") != "A" || content(t, root+"/w/a") != "" {
		t.Errorf("%q, %v", target, err)
	}
}

// TestDeleteFailures makes each system call fail in turn: the file is at its
// place or in the trash, whole.
func TestDeleteFailures(t *testing.T) {
	for n := 1; n < n1; n++ {
		root := tree(t, map[string]string{"w/a": "A"})
		f := open(t, Config{Folders: []string{root + "/w"}})
		count, failed := 0, ""
		f.before = func(call string) error {
			if count++; count == n {
				failed = call
				return errors.New("made up")
			}
			return nil
		}
		_, got := erase(t, f, "a", root+"/bin", monday)
		found, err := filepath.Glob(root + "/bin/*/a")
		if err != nil || (content(t, root+"/w/a") == "A") == (len(found) == 1) || (got == "") != (failed == "") {
			t.Errorf("%s failed: %v, %v, %s", failed, found, err, got)
		}
		if left, _ := filepath.Glob(root + "/bin/*"); len(found) == 0 && len(left) > 0 {
			t.Errorf("%s failed: %v is left", failed, left)
		}
		if failed == "" {
			return
		}
	}
	t.Error("a deletion without a failure was not tried")
}

func TestPurge(t *testing.T) {
	root := tree(t, map[string]string{"w/a": "A", "w/b/c": "B", "bin/notes-of-a-person-here": "", "bin/20261130-120000-keepthis": ""})
	f := open(t, Config{Folders: []string{root + "/w"}})
	trash := root + "/bin"
	for path, day := range map[string]time.Time{"a": monday, "b": monday.Add(24 * time.Hour)} {
		if _, got := erase(t, f, path, trash, day); got != "" {
			t.Fatal(got)
		}
	}
	for _, tt := range []struct {
		after time.Duration
		want  int
		left  int
	}{{Kept, 0, 6}, {Kept + time.Second, 1, 4}, {Kept + 23*time.Hour, 0, 4}, {Kept + 25*time.Hour, 1, 2}} {
		removed, err := Purge(trash, monday.Add(tt.after))
		left, err2 := os.ReadDir(trash)
		if err != nil || err2 != nil || removed != tt.want || len(left) != tt.left {
			t.Errorf("after %v: %d removed, %d left, %v, %v", tt.after, removed, len(left), err, err2)
		}
	}
	if n, err := Purge(root+"/none", monday); n != 0 || err != nil {
		t.Errorf("no trash: %d, %v", n, err)
	}
}

// TestMoveCase renames to what is the same name to another file system, but not to
// this one.
func TestMoveCase(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("here it is the same name")
	}
	root := tree(t, map[string]string{"w/Photos/a": "A", "w/log/x": "X", "w/Notes.md": "N"})
	f := open(t, Config{Folders: []string{root + "/w"}})
	for _, tt := range []struct{ from, to, at string }{
		{"Photos", "photos", "photos/a"}, {"photos", "Photos/old", "Photos/old/a"}, {"log", "log.", "log./x"}, {"Notes.md", "notes.md", "notes.md"},
	} {
		if got := rename(t, f, tt.from, tt.to); got != "" || content(t, root+"/w/"+tt.at) == "" {
			t.Errorf("%s to %s: %q", tt.from, tt.to, got)
		}
	}
}

// TestFolderMovedAway moves the folder that is worked in, when all has been looked
// at: what was done is told, and where.
func TestFolderMovedAway(t *testing.T) {
	for what, do := range map[string]func(*testing.T, *Folders) string{
		"written":   func(t *testing.T, f *Folders) string { return put(t, f, "d/f", "new") },
		"put there": func(t *testing.T, f *Folders) string { return rename(t, f, "a", "d/f") },
	} {
		root := tree(t, map[string]string{"w/d/": "", "w/a": "new", "out/": ""})
		f := open(t, Config{Folders: []string{root + "/w"}})
		f.before = func(call string) error {
			if call == "put in place" {
				return os.Rename(root+"/w/d", root+"/out/d")
			}
			return nil
		}
		want := "was moved away at that moment"
		if runtime.GOOS == "linux" {
			want += ": it is now \"" + root + "/out/d/f\""
		}
		if got := do(t, f); !strings.Contains(got, what) || !strings.Contains(got, want) || content(t, root+"/out/d/f") != "new" {
			t.Errorf("%q", got)
		}
	}
}

// TestNewNames makes no names that look like others: twins of what is there, or
// with something in them that nobody sees.
func TestNewNames(t *testing.T) {
	root := tree(t, map[string]string{"w/notes.md": "N", "w/a": "A", "w/old ": "O"})
	f := open(t, Config{Folders: []string{root + "/w"}})
	for path, want := range map[string]string{
		"notes\u200b.md": "cannot be seen", "notes.md\u3164": "cannot be seen", "\u200enotes.md": "cannot be seen", "d/\ufeff/b": "cannot be seen",
		"notes\ufe0f.md": "cannot be seen", "notes\ufe0e.md": "cannot be seen", "notes\u2800.md": "cannot be seen", "n\u00adotes.md": "cannot be seen", "notes\U000e0041.md": "cannot be seen",
		"notes.md ": "blank", " notes.md": "blank", "notes.md\u00a0": "blank", "notes.md\u3000": "blank", "d /b": "blank", "notes.md\n": "cannot be seen",
	} {
		if got := put(t, f, path, "twin"); !strings.Contains(got, want) {
			t.Errorf("writing %q: %q", path, got)
		}
		if got := rename(t, f, "a", path); !strings.Contains(got, want) {
			t.Errorf("moving to %q: %q", path, got)
		}
	}
	for _, path := range []string{"❤️.md", "two words.md", "žluť 日本.md", "old "} {
		if got := put(t, f, path, "x"); got != "" {
			t.Errorf("%q: %q", path, got)
		}
	}
}
