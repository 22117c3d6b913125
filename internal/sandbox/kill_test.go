//go:build unix

package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"loci"
)

// whole are the two contents that the file of TestKill has in turn.
var whole = [2]string{strings.Repeat("A", 4<<20), strings.Repeat("B", 4<<20+123)}

// TestKill kills a program in the middle of its writes, time and again: the file
// is always whole.
func TestKill(t *testing.T) {
	if folder := os.Getenv("SANDBOX_WRITES_IN"); folder != "" {
		writeForEver(t, folder)
		return
	}
	rounds := 10
	if *long {
		rounds = 100
	}
	root := tree(t, map[string]string{"w/x": whole[0]})
	killed := map[byte]int{}
	for range rounds {
		killInTheMiddle(t, "TestKill", "SANDBOX_WRITES_IN="+root+"/w")
		got := content(t, root+"/w/x")
		if got != whole[0] && got != whole[1] {
			t.Fatalf("the file has %d bytes, of which %d are the first kind", len(got), strings.Count(got, "A"))
		}
		killed[got[0]]++
	}
	t.Logf("%d rounds ended with A, %d with B", killed['A'], killed['B'])
}

// writeForEver is what the killed program does.
func writeForEver(t *testing.T, folder string) {
	f := open(t, Config{Folders: []string{folder}})
	for i := 1; ; i++ {
		if got := put(t, f, "x", whole[i%2]); got != "" {
			t.Fatal(got)
		}
		if i == 1 {
			fmt.Println("begun") // it can write
		}
	}
}

// TestKillJournal kills a program in the middle of all kinds of changes: those that
// are in the journal can be taken back one by one, to the very beginning, and of
// the one that was cut short it is known whether it was done.
func TestKillJournal(t *testing.T) {
	if root := os.Getenv("SANDBOX_CHANGES_IN"); root != "" {
		changeForEver(newHands(t, root))
		return
	}
	rounds := 10
	if *long {
		rounds = 100
	}
	cut := 0
	for range rounds {
		root := tree(t, map[string]string{"w/x": whole[0], "w/dir/a": "A"})
		before := fmt.Sprint(all(t, root+"/w"))
		killInTheMiddle(t, "TestKillJournal", "SANDBOX_CHANGES_IN="+root)
		h := newHands(t, root)
		for {
			list, err := h.j.List(1, loci.Change.Stands)
			if err != nil {
				t.Fatal(err)
			}
			if len(list) == 0 {
				break
			}
			if _, got := h.undo(list[0].ID); strings.Contains(got, "already as it was") {
				cut++ // it was not done
			} else if got != "" {
				t.Fatalf("%+v: %s", list[0], got)
			}
		}
		for name := range all(t, root+"/w") { // of a file that needs a name from the start
			if asideName.MatchString(name) {
				_ = os.Remove(filepath.Join(root, "w", name))
			}
		}
		if now := fmt.Sprint(all(t, root+"/w")); now != before {
			t.Fatalf("%d bytes, want %d", len(now), len(before))
		}
	}
	t.Logf("%d of %d ended in a change that was not done", cut, rounds)
}

// changeForEver is what the killed program does.
func changeForEver(h *hands) {
	for i := 1; ; i++ {
		h.write("x", whole[i%2])
		h.write("new/y", "Y")
		h.move("new/y", "z")
		h.move("dir", "dir2")
		h.remove("dir2")
		h.remove("z")
		list, err := h.j.List(1, func(c loci.Change) bool { return c.Thing == "folder" })
		if err != nil {
			h.t.Fatal(err)
		}
		h.move(filepath.Base(h.undone(list[0].ID).Path), "dir")
		if i == 1 {
			fmt.Println("begun")
		}
	}
}

// killInTheMiddle runs a test of this program in another one until some moment after
// it has begun.
func killInTheMiddle(t *testing.T, test, env string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	child.Env = append(os.Environ(), env)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "begun" {
		t.Fatalf("the child said %q", lines.Text())
	}
	after := time.NewTimer(time.Duration(rand.Int64N(int64(60 * time.Millisecond))))
	<-after.C
	_ = child.Process.Kill()
	if err := child.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Fatalf("the child ended by itself: %v", err)
	}
}

// TestNotWritten checks what is no plain file, and files with several names.
func TestNotWritten(t *testing.T) {
	root := tree(t, map[string]string{"w/x": "", "out/secret": "SECRET"})
	if err := syscall.Mkfifo(root+"/w/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(root+"/out/secret", root+"/w/hard"); err != nil {
		t.Fatal(err)
	}
	f := open(t, Config{Folders: []string{root + "/w", "/dev", "/proc"}})
	start := time.Now()
	for path, want := range map[string]string{
		"fifo": "a named pipe", "fifo/x": "is used as a folder", "hard": "hard links", "/dev/null": "a device", "/proc/self/comm": "process files", "/proc/new": "process files",
	} {
		if got := put(t, f, path, "x"); !strings.Contains(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
	for path, want := range map[string]string{"fifo": "a named pipe", "hard": "hard links"} {
		if got := rename(t, f, path, "new"); !strings.Contains(got, want) {
			t.Errorf("moving %s: %q", path, got)
		}
	}
	if _, got := erase(t, f, "fifo", root+"/bin", monday); !strings.Contains(got, "a named pipe") {
		t.Errorf("deleting a pipe: %q", got)
	}
	if took := time.Since(start); took > time.Second || content(t, root+"/out/secret") != "SECRET" {
		t.Errorf("refusing took %v, and the outside has %q", took, content(t, root+"/out/secret"))
	}
}

// TestLinkOver renames as systems do that cannot be told to replace nothing.
func TestLinkOver(t *testing.T) {
	root := tree(t, map[string]string{"w/a": "A", "w/dir/x": "X", "v/b": "B"})
	from, err := os.OpenRoot(root + "/w")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenRoot(root + "/v")
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	link := func(old, name string) error {
		return handle(from, func(a int) error {
			return handle(to, func(b int) error { return linkOver(from, old, to, name, a, b) })
		})
	}
	for _, tt := range []struct {
		old, name string
		exists    bool
	}{{"a", "b", true}, {"dir", "b", true}, {"a", "c", false}, {"dir", "c", true}, {"dir", "d", false}} {
		if err := link(tt.old, tt.name); errors.Is(err, os.ErrExist) != tt.exists || !tt.exists && err != nil {
			t.Errorf("%s to %s: %v", tt.old, tt.name, err)
		}
	}
	if content(t, root+"/v/b") != "B" || content(t, root+"/v/c") != "A" || content(t, root+"/v/d/x") != "X" || content(t, root+"/w/a") != "" {
		t.Error("something was replaced, or is not where it should be")
	}
}

// TestPurgeReadOnly purges a tree whose folders may not be written, such as the
// module cache of Go, for somebody who is not root too.
func TestPurgeReadOnly(t *testing.T) {
	root := tree(t, map[string]string{"bin/20261001-000000-0123abcd/mod/pkg/f": "F", "bin/20261001-000000-0123abcd.json": "{}", "bin/20261001-000000-00000000.json": "{}"})
	if dir := os.Getenv("SANDBOX_PURGES"); dir != "" {
		n, err := Purge(dir, monday.Add(Kept))
		if left, _ := os.ReadDir(dir); n != 1 || err != nil || len(left) != 0 {
			t.Errorf("purged %d, %v, left %v", n, err, left)
		}
		return
	}
	for _, dir := range []string{"mod/pkg", "mod"} {
		if err := os.Chmod(root+"/bin/20261001-000000-0123abcd/"+dir, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	child := exec.Command(os.Args[0], "-test.run=^TestPurgeReadOnly$")
	child.Env = append(os.Environ(), "SANDBOX_PURGES="+root+"/bin", "TMPDIR=/tmp")
	if os.Getuid() == 0 {
		err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Chown(path, 65534, 65534))
		})
		program := filepath.Join(t.TempDir(), "test")
		raw, err2 := os.ReadFile(os.Args[0])
		if err := errors.Join(err, err2, os.WriteFile(program, raw, 0o755), os.Chmod(filepath.Dir(root), 0o755), os.Chmod(filepath.Dir(program), 0o755), os.Chmod(filepath.Dir(filepath.Dir(program)), 0o755)); err != nil {
			t.Fatal(err)
		}
		child.Path = program
		child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
