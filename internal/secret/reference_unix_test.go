//go:build unix

package secret

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"loci"
)

// bench is a place for files, with a folder that models may look into.
type bench struct {
	Sources
	t    *testing.T
	top  string
	open string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, top: top, open: filepath.Join(top, "open")}
	b.Dir, b.Home, b.Closed = filepath.Join(top, "config"), top, []string{b.open}
	for _, dir := range []string{b.Dir, b.open} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"API_KEY": "canary-env", "EMPTY": ""}
	b.Env = func(name string) string { return env[name] }
	b.Store = &Store{b.Dir, nil}
	if err := b.Store.Set(t.Context(), "stored", "canary-stored"); err != nil {
		t.Fatal(err)
	}
	return b
}

// write makes a file below the top.
func (b *bench) write(name, text string, mode os.FileMode) string {
	b.t.Helper()
	path := filepath.Join(b.top, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		b.t.Fatal(err)
	}
	return path
}

func (b *bench) resolve(text string) (value, note string, err error) {
	b.t.Helper()
	r, ok := Parse(text)
	if !ok {
		b.t.Fatalf("%s is no reference", text)
	}
	return b.Resolve(b.t.Context(), r)
}

func TestResolve(t *testing.T) {
	b := newBench(t)
	key := b.write("key", "canary-file\n", 0o600)
	b.write("dos", "canary-dos\r\n", 0o600)
	b.write("two", "canary\n\n", 0o600)
	b.write(".env", "export A='canary-a' # x\nB=\"canary\\nb\"\n", 0o644)
	b.write("odd#name x", "canary-odd", 0o600)
	script := b.write("print.sh", "#!/bin/sh\nprintf '%s|' \"$@\"\necho\necho grumble >&2\n", 0o700)
	for ref, want := range map[string]string{
		"secret:stored":                      "canary-stored",
		"secret: stored ":                    "canary-stored",
		"env:API_KEY":                        "canary-env",
		"file:" + key:                        "canary-file",
		"file:~/key":                         "canary-file",
		"file:~/dos":                         "canary-dos",
		"file:~/two":                         "canary\n",
		"file:~/.env#A":                      "canary-a",
		"file:~/.env#B":                      "canary\nb",
		"file:~/odd#name x":                  "canary-odd",
		"cmd:" + script + ` a 'b c' "$HOME"`: "a|b c|$HOME|",
		"cmd:~/print.sh":                     "|",
		"cmd:echo  canary":                   "canary",
		"cmd:pwd":                            b.Dir,
	} {
		if got, _, err := b.resolve(ref); got != want || err != nil {
			t.Errorf("%s is %q, %v", ref, got, err)
		}
	}
	for ref, noted := range map[string]bool{"file:~/.env#A": true, "file:~/key": false} {
		if _, note, err := b.resolve(ref); err != nil || (note != "") != noted {
			t.Errorf("%s: %q, %v", ref, note, err)
		}
	}
}

func TestUnresolved(t *testing.T) {
	b := newBench(t)
	b.write("empty", "\n", 0o600)
	b.write("large", strings.Repeat("canary", MaxValue), 0o600)
	b.write("binary", "canary\xff", 0o600)
	b.write("zero", "canary\x00", 0o600)
	b.write(".env", "A='canary\n", 0o600)
	b.write("plain.env", "A=canary\n", 0o600)
	fail := b.write("fail.sh", "#!/bin/sh\necho canary-printed\necho 'no login for canary-printed, token=canary-token' >&2\necho 'more' >&2\nexit 3\n", 0o700)
	flood := b.write("flood.sh", "#!/bin/sh\nhead -c 200000 /dev/zero | tr '\\0' x\n", 0o700)
	if err := syscall.Mkfifo(filepath.Join(b.top, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"secret:absent":           "loci secret set absent",
		"secret:../x":             "cannot be the name",
		"secret:":                 "cannot be the name",
		"env:ABSENT":              "ABSENT is not set",
		"env:EMPTY":               "EMPTY is not set",
		"env:a=b":                 "cannot be the name",
		"file:~/absent":           "no such file",
		"file:key":                "not absolute",
		"file:":                   "not absolute",
		"file:~/empty":            "It is empty",
		"file:~/large":            "too large",
		"file:~/binary":           "not a text",
		"file:~/zero":             "not a text",
		"file:~/fifo":             "it is not a file",
		"file:/dev/zero":          "it is not a file",
		"file:" + b.top:           "it is not a file",
		"file:~/.env#A":           "line 1: the quote is not closed",
		"file:~/plain.env#B":      "has no variable B",
		"cmd:":                    "it is empty",
		"cmd:'":                   "a quote is not closed",
		"cmd:no-such-program x":   "not found",
		"cmd:./x":                 "not found",
		"cmd:" + fail:             "exit status 3 (no login for [hidden], token=[hidden] more)",
		"cmd:" + flood:            "printed more than",
		"cmd:true":                "It is empty",
		"cmd:" + b.top + "/empty": "not found", // it cannot be run
	} {
		value, _, err := b.resolve(ref)
		e, ok := errors.AsType[*loci.Error](err)
		switch {
		case !ok || value != "":
			t.Errorf("%s is %.40q, %v", ref, value, err)
		case !strings.Contains(e.Error(), want) || e.Hint == "":
			t.Errorf("%s: %v", ref, err)
		case strings.Contains(e.Error(), "canary"):
			t.Errorf("%s: a value is in %v", ref, err)
		}
	}
}

// Nothing that a model could change says what a secret is.
func TestClosedFolders(t *testing.T) {
	b := newBench(t)
	b.write("open/key", "x", 0o600)
	b.write("safe", "canary", 0o600)
	b.write("open/run.sh", "#!/bin/sh\necho x\n", 0o700)
	for link, target := range map[string]string{
		"to-key": "open/key", "to-open": "open", "open/out": "../safe", "through": "open/out", "safe-link": "safe", "loop": "loop", "config/rel": "../open/key",
	} {
		if err := os.Symlink(target, filepath.Join(b.top, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, ref := range []string{
		"file:~/open/key", "file:~/open/key#A", "file:~/open/absent", "file:~/to-key", "file:~/to-open/key", "file:~/open/out", "file:~/through",
		"file:~/config/../open/key", "file:" + b.open + "/../safe", "file:" + b.top + "/to-open/../safe", "file:~/loop", "file:~/./open//key",
		"cmd:~/open/run.sh", "cmd:~/to-open/run.sh", "cmd:sh ~/open/run.sh", "cmd:cat ~/to-key", "cmd:cat ../open/key", "cmd:cat rel",
	} {
		value, _, err := b.resolve(ref)
		if e := loci.AsError(err); e == nil || e.Code != loci.Forbidden {
			t.Errorf("%s is %q, %v", ref, value, err)
		}
	}
	if value, _, err := b.resolve("file:~/safe-link"); value != "canary" || err != nil {
		t.Error(value, err)
	}
	b.Closed = []string{b.open + "/absent", filepath.Join(b.top, "to-open")} // an allowed folder may be given by a link
	if value, _, err := b.resolve("file:~/open/key"); err == nil {
		t.Error(value)
	}
}

// A command that hangs is ended together with what it started.
func TestCommandHangs(t *testing.T) {
	b := newBench(t)
	b.Patience = 300 * time.Millisecond
	pid := filepath.Join(b.top, "pid")
	script := b.write("hang.sh", "#!/bin/sh\nsleep 60 &\necho $! > "+pid+"\necho canary\nwait\n", 0o700)
	_, _, err := b.resolve("cmd:" + script)
	if e := loci.AsError(err); e == nil || e.Code != loci.Timeout || strings.Contains(e.Error(), "canary") {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Skip("the machine was too slow to start it") // nothing was started then
	}
	stat := filepath.Join("/proc", strings.TrimSpace(string(text)), "stat")
	for deadline := time.Now().Add(5 * time.Second); ; {
		state, err := os.ReadFile(stat)
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it goes on: %s", state)
		}
	}
}

func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"secret:a": "secret:a", "env:A": "env:A", "file:/a b#C": "file:/a b#C", "cmd:vault kv get -token=canary": "cmd:vault …", "cmd:x": "cmd:x", "cmd:'canary": "cmd: …",
	} {
		if r, ok := Parse(text); !ok || r.String() != want {
			t.Errorf("%s is shown as %s", text, r)
		}
	}
	for _, plain := range []string{"", "abc", "loci_x", "https://x", "Secret:x", "sk-1:2"} {
		if r, ok := Parse(plain); ok {
			t.Errorf("%q is taken for %v", plain, r)
		}
	}
}
