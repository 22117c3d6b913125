//go:build unix

package confine

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loci"
)

// TestRun is what holds on every system that runs commands.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	sh := func(script string, limits Limits) Result {
		t.Helper()
		r, err := Run(t.Context(), Plan{Program: "/bin/sh", Argv: []string{"sh", "-c", script}, Dir: dir, Write: []string{dir}, Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := sh("echo a > made; cat made; echo b >&2; exit 4", Limits{}); r.End != Exited || r.Exit != 4 || string(r.Stdout.Head) != "a\n" || string(r.Stderr.Head) != "b\n" {
		t.Errorf("%+v", r)
	}
	if r := sh("sleep 99", Limits{Time: 100 * time.Millisecond}); r.End != Timeout || r.Exit != -1 || r.Took > 10*time.Second {
		t.Errorf("%+v", r)
	}
	if r := sh("kill -9 $$", Limits{}); r.End != Signalled || r.Signal != "SIGKILL" {
		t.Errorf("%+v", r)
	}
	if r := sh("env | cut -d= -f1 | grep -Ev '^(HOME|LANG|PATH|TERM|TMPDIR|PWD|OLDPWD|SHLVL|_)$'; test -z \"$(ls -A $HOME)\"", Limits{}); r.Exit != 0 || r.Stdout.Size() > 0 {
		t.Errorf("%+v", r)
	}
	_, err := Run(t.Context(), Plan{Program: "/no/such/program", Argv: []string{"x"}, Dir: dir, Write: []string{dir}})
	if e, ok := errors.AsType[*loci.Error](err); !ok || e.Code != loci.NotFound || e.Hint == "" {
		t.Errorf("%v", err)
	}
}

// TestCapture writes a text in pieces of every size and holds what is kept against
// the text.
func TestCapture(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := make([]byte, random.IntN(60))
		for i := range text {
			text[i] = byte(random.IntN(256))
		}
		most := 1 + random.IntN(40)
		c := newCapture(most)
		for rest := text; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			if written, err := c.Write(rest[:n]); written != n || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		o := c.output()
		half := max(most/2, 1)
		head, tail := text[:min(half, len(text))], text[max(min(half, len(text)), len(text)-half):]
		if !bytes.Equal(o.Head, head) || !bytes.Equal(o.Tail, tail) || o.Size() != int64(len(text)) || o.Missing != int64(len(text)-len(head)-len(tail)) {
			t.Fatalf("%d of %d bytes: %+v", most, len(text), o)
		}
	}
}

func TestLevel(t *testing.T) {
	for _, tt := range []struct {
		level      Level
		text       string
		none, full bool
	}{
		{Level{Reason: "x"}, "none", true, false},
		{Level{Landlock: 7, Filter: true}, "Landlock 7, system call filter", false, false},
		{Level{Landlock: 3, Filter: true, Namespaces: true}, "Landlock 3, system call filter, namespaces", false, true},
		{Level{Namespaces: true}, "namespaces", false, false},
	} {
		if l := tt.level; fmt.Sprint(l) != tt.text || l.None() != tt.none || l.Full() != tt.full {
			t.Errorf("%s: %v %v", l, l.None(), l.Full())
		}
	}
}

// TestRemoveTemp: a command may leave folders that nobody may enter, and links to
// what must stay.
func TestRemoveTemp(t *testing.T) {
	dir, err := makeTemp()
	if err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	if err := errors.Join(os.MkdirAll(dir+"/a/b/c", 0o700), os.WriteFile(dir+"/a/b/c/f", nil, 0o600), os.WriteFile(outside+"/f", nil, 0o400),
		os.Symlink(outside, dir+"/a/link"), os.Chmod(dir+"/a/b/c", 0), os.Chmod(dir+"/a/b", 0), os.Chmod(dir+"/a", 0o500)); err != nil {
		t.Fatal(err)
	}
	if err := removeTemp(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Error(err)
	}
	if info, err := os.Stat(outside + "/f"); err != nil || info.Mode().Perm() != 0o400 {
		t.Error(info, err)
	}
}

// TestSettled: which folders a plan gives, once its links are gone.
func TestSettled(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(root+"/w/keys/deep", 0o700), os.Mkdir(root+"/r", 0o700), os.Symlink("w", root+"/alias")); err != nil {
		t.Fatal(err)
	}
	p, err := Plan{
		Program: "/bin/sh", Argv: []string{"sh"}, Dir: root + "/alias", Write: []string{root + "/alias", root + "/gone", root + "/alias/keys/deep"}, Read: []string{root + "/r"},
		Private: []string{root + "/alias/keys", root + "/w/new/one", root + "/far"},
	}.settled()
	got := strings.ReplaceAll(fmt.Sprint(p.Dir, p.Write, p.Read, p.Private, err), root, "")
	if want := "/w[/w] [/r] [/w/keys /w/new/one] <nil>"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if info, err := os.Stat(root + "/w/new/one"); err != nil || info.Mode().Perm() != 0o700 {
		t.Error("what is to be covered was not made: ", err)
	}
	if _, err := os.Stat(root + "/far"); err == nil {
		t.Error("a folder was made that is in no allowed one")
	}
}
