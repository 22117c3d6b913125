//go:build unix

package sandbox

import (
	"flag"
	"os"
	"runtime"
	"strings"
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
