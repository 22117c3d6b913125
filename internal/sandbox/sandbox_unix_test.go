//go:build unix

package sandbox

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var long = flag.Bool("long", false, "run races for seconds instead of fractions")

// TestNotRegular checks what os.Root would open, or hang on.
func TestNotRegular(t *testing.T) {
	root := tree(t, map[string]string{"w/x": "", "out/secret": "SECRET"})
	if err := syscall.Mkfifo(root+"/w/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(root+"/out/secret", root+"/w/hard"); err != nil {
		t.Fatal(err)
	}
	f := open(t, Config{Folders: []string{root + "/w", "/dev"}})
	start := time.Now()
	for path, want := range map[string]string{
		"fifo":      "a named pipe",
		"hard":      "has 2 hard links",
		"/dev/zero": "a device",
		"/dev/null": "a device",
	} {
		if got := read(t, f, path); !strings.Contains(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
	if _, _, err := f.ReadDir(t.Context(), "fifo"); err == nil {
		t.Error("a pipe was listed")
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("refusing took %v", took)
	}
}

func TestProcIsNotRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /proc")
	}
	f := open(t, Config{Folders: []string{"/"}})
	for _, path := range []string{"/proc/self/environ", "/proc/1/cmdline", "/proc/self/fd/0"} {
		if got := read(t, f, path); !strings.HasPrefix(got, "error: ") {
			t.Errorf("%s: %.40q", path, got)
		}
	}
}

func TestNotPermitted(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	root := tree(t, map[string]string{"w/x": "", "w/closed/y": ""})
	for _, path := range []string{root + "/w/x", root + "/w/closed"} {
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(root+"/w/closed", 0o700) })
	f := open(t, Config{Folders: []string{root + "/w"}})
	for _, path := range []string{"x", "closed/y"} {
		if got := read(t, f, path); !strings.Contains(got, "does not permit") {
			t.Errorf("%s: %q", path, got)
		}
	}
	var errs int
	for _, err := range f.Walk(t.Context(), ".", Limits{}) {
		if err != nil {
			errs++
		}
	}
	if errs != 1 {
		t.Errorf("%d errors of the walk, want one about closed", errs)
	}
}

// whileSwapped does something again and again, while each of the named things in a
// folder changes places with its other, NAME2.
func whileSwapped(folder string, names []string, do func()) {
	span := 300 * time.Millisecond
	if *long {
		span = 3 * time.Second
	}
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, name := range names {
				a := filepath.Join(folder, name)
				_, _, _ = os.Rename(a, a+"3"), os.Rename(a+"2", a), os.Rename(a+"3", a+"2")
			}
		}
	})
	defer swapper.Wait()
	defer close(stop)
	for end := time.Now().Add(span); time.Now().Before(end); {
		do()
	}
}

// TestRace swaps a folder and a file for links to the outside while they are
// read, listed and walked: nothing from outside may ever show.
func TestRace(t *testing.T) {
	root := tree(t, map[string]string{"w/d/f": "fine", "w/d2 -> ../out": "", "w/f": "fine", "w/f2 -> ../out/f": "", "out/f": "SECRET", "out/leak": ""})
	f := open(t, Config{Folders: []string{root + "/w"}})
	good := 0
	whileSwapped(root+"/w", []string{"d", "f"}, func() {
		for _, path := range []string{"d/f", "f", root + "/w/d/f"} {
			file, _, err := f.Open(t.Context(), path)
			if err != nil {
				continue
			}
			b, err := io.ReadAll(file)
			file.Close()
			if err != nil || string(b) != "fine" {
				t.Fatalf("%s leaked %q, %v", path, b, err)
			}
			good++
		}
		entries, _, _ := f.ReadDir(t.Context(), "d")
		for e := range f.Walk(t.Context(), ".", Limits{}) {
			entries = append(entries, e)
		}
		for _, e := range entries {
			if e.Name == "leak" {
				t.Fatal("the outside was listed")
			}
		}
	})
	if good == 0 {
		t.Error("nothing was ever read: the race proves nothing")
	}
	t.Logf("%d reads, no leak", good)
}
