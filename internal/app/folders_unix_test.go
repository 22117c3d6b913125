//go:build unix

package app

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"loci/internal/config"
)

// Something else in the place of the configuration does not stop the watch: the folders
// stay, that is said once, and the file counts when it is one again. A moment in which an
// editor saves closes nothing.
func TestFoldersOutlastABrokenFile(t *testing.T) {
	o := options(t, nowhere)
	if err := o.Paths.Make(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	o.Sources = config.Sources{File: o.Paths.Config, Env: o.Getenv, Flags: map[string][]string{"backends": {nowhere}, "listen": {"127.0.0.1:0"}}}
	one, two := t.TempDir(), t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(o.Paths.Config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const withOne = "folders:\n  - "
	write(withOne + one + "\n")
	var err error
	if o.Config, _, err = config.Load(o.Sources); err != nil {
		t.Fatal(err)
	}
	a := build(t, o)
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		left := make(chan bool)
		go func() { a.watchFolders(ctx); close(left) }()
		holds := func(what string, after time.Duration, want ...string) {
			t.Helper()
			<-time.After(after)
			synctest.Wait()
			if !slices.Equal(a.Folders(), want) {
				t.Errorf("%s: %q, want %q", what, a.Folders(), want)
			}
		}
		remove := func() {
			t.Helper()
			if err := os.Remove(o.Paths.Config); err != nil {
				t.Fatal(err)
			}
		}
		holds("at first", 3*time.Second, one)
		write("")
		holds("while it is saved", time.Second, one)
		write(withOne + two + "\n")
		holds("saved", 2*time.Second, two)
		remove()
		if err := syscall.Mkfifo(o.Paths.Config, 0o600); err != nil {
			t.Fatal(err)
		}
		holds("a pipe", 10*time.Second, two)
		if n := strings.Count(log.String(), "stay as they were"); n != 1 {
			t.Errorf("said %d times: %s", n, &log)
		}
		remove()
		write(withOne + one + "\n")
		holds("a file again", 2*time.Second, one)
		write("")
		holds("emptied", 2*time.Second)
		leave()
		<-left
	})
}
