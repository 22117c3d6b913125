package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"loci"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func variables(list ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(list); i += 2 {
			if list[i] == name {
				return list[i+1]
			}
		}
		return ""
	}
}

func TestFindPaths(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the expected paths are written with slashes")
	}
	for name, tt := range map[string]struct {
		goos                       string
		env                        func(string) string
		config, data, state, cache string
	}{
		"Linux":          {"linux", variables("HOME", "/h"), "/h/.config/loci", "/h/.local/share/loci", "/h/.local/state/loci", "/h/.cache/loci"},
		"XDG":            {"linux", variables("HOME", "/h", "XDG_CONFIG_HOME", "/c", "XDG_DATA_HOME", "/d", "XDG_STATE_HOME", "/s", "XDG_CACHE_HOME", "/k"), "/c/loci", "/d/loci", "/s/loci", "/k/loci"},
		"XDG, relative":  {"linux", variables("HOME", "/h", "XDG_CONFIG_HOME", "c"), "/h/.config/loci", "/h/.local/share/loci", "/h/.local/state/loci", "/h/.cache/loci"},
		"macOS":          {"darwin", variables("HOME", "/h"), "/h/Library/Application Support/loci", "/h/Library/Application Support/loci/data", "/h/Library/Application Support/loci/state", "/h/Library/Caches/loci"},
		"Windows":        {"windows", variables("APPDATA", "/r", "LOCALAPPDATA", "/l"), "/r/loci", "/l/loci/data", "/l/loci/state", "/l/loci/cache"},
		"LOCI_HOME":      {"linux", variables("HOME", "/h", "LOCI_HOME", "/x/"), "/x/config", "/x/data", "/x/state", "/x/cache"},
		"LOCI_HOME only": {"darwin", variables("LOCI_HOME", "/x"), "/x/config", "/x/data", "/x/state", "/x/cache"},
	} {
		got, err := findPaths(tt.goos, tt.env)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := Paths{
			Config: tt.config + "/config.yaml", Key: tt.config + "/key", ChatKey: tt.config + "/chat-key",
			Data: tt.data, DB: tt.data + "/loci.db", Cache: tt.cache,
			State: tt.state, Logs: tt.state + "/logs", Lock: tt.state + "/lock", RunFile: tt.state + "/run.json",
			AuditKey: tt.config + "/audit.key", AuditHead: tt.state + "/audit.head",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, err := findPaths("linux", variables()); loci.AsError(err).Code != loci.Invalid {
		t.Errorf("without a home: %v", err)
	}
}

// home gives paths in a folder of the test.
func home(t *testing.T) Paths {
	t.Helper()
	p, err := FindPaths(variables("LOCI_HOME", filepath.Join(t.TempDir(), "home")))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPathsForConfig(t *testing.T) {
	p := home(t)
	q := p.For(Config{DataPath: "/d", StatePath: "/s"})
	if q.DB != filepath.Join("/d", "loci.db") || q.RunFile != filepath.Join("/s", "run.json") || q.Config != p.Config || q.Cache != p.Cache {
		t.Errorf("%+v", q)
	}
	if q := p.For(Config{}); q != p {
		t.Errorf("%+v", q)
	}
}

// wantMode checks who may do what with a file.
func wantMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != want {
		t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
	}
}

func TestMakePaths(t *testing.T) {
	p := home(t)
	for range 2 {
		if err := p.Make(); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{filepath.Dir(p.Config), p.Data, p.State, p.Cache, p.Logs} {
		wantMode(t, dir, 0o700)
	}
	q := p
	q.Data = filepath.Join(p.Config, "x")
	if err := os.WriteFile(p.Config, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if e := loci.AsError(q.Make()); e == nil || e.Code != loci.Internal || e.Hint == "" {
		t.Errorf("below a file: %v", e)
	}
}

func TestKeys(t *testing.T) {
	p := home(t)
	if err := p.Make(); err != nil {
		t.Fatal(err)
	}
	file := OwnerKeyFile(p)
	owner, _, err := file.Key()
	if err != nil {
		t.Fatal(err)
	}
	chat, _, err := ChatKeyFile(p).Key()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^loci_[A-Z2-7]{26}$`).MatchString(string(owner)) || owner == chat {
		t.Errorf("keys of %d and %d letters", len(owner), len(chat))
	}
	if err := os.Chmod(p.Key, 0o644); err != nil {
		t.Fatal(err)
	}
	if again, _, err := OwnerKeyFile(p).Key(); err != nil || again != owner {
		t.Errorf("another key the second time: %v", err)
	}
	wantMode(t, p.Key, 0o600)
	wantMode(t, p.ChatKey, 0o600)
	// Whoever puts another key there, or removes it, finds the old one void.
	if err := os.WriteFile(p.Key, []byte("a-key-of-my-own-x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if now, _, err := file.Key(); err != nil || now != "a-key-of-my-own-x" {
		t.Errorf("the file was changed, the key is %q: %v", string(now), err)
	}
	if err := os.Remove(p.Key); err != nil {
		t.Fatal(err)
	}
	fresh, _, err := file.Key()
	if err != nil || fresh == owner || fresh == "a-key-of-my-own-x" {
		t.Errorf("the file was removed: %v", err)
	}
	next, _, err := file.Replace()
	if again, _, e := OwnerKeyFile(p).Key(); err != nil || e != nil || again != next || next == fresh {
		t.Errorf("replaced: %v, %v", err, e)
	}
}

func TestBrokenKeyFiles(t *testing.T) {
	p := home(t)
	if err := p.Make(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "\n", "short", "loci_with a space in the middle", "loci_with/a/slash/in/the/middle", "loci_žluťoučký_kůň_úpěl"} {
		if err := os.WriteFile(p.Key, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := OwnerKeyFile(p).Key()
		if e, ok := errors.AsType[*Error](err); !ok || e.Err.Hint == "" || len(text) > 5 && strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := os.WriteFile(p.Key, []byte("a-key-of-my-own-making\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if key, _, err := OwnerKeyFile(p).Key(); err != nil || key != "a-key-of-my-own-making" {
		t.Errorf("own key: %v", err)
	}
}

func TestAuditKey(t *testing.T) {
	p := home(t)
	if err := p.Make(); err != nil {
		t.Fatal(err)
	}
	key, known, err := EnsureAuditKey(p)
	if err != nil || known || len(key) != 32 || bytes.Equal(key, make([]byte, 32)) {
		t.Fatal(len(key), err)
	}
	if err := os.Chmod(p.AuditKey, 0o644); err != nil {
		t.Fatal(err)
	}
	if again, known, err := EnsureAuditKey(p); err != nil || !known || !bytes.Equal(again, key) {
		t.Errorf("another key the second time: %v", err)
	}
	wantMode(t, p.AuditKey, 0o600)
	for _, text := range []string{"", "00ff", strings.Repeat("xy", 32), strings.Repeat("0", 66)} {
		if err := os.WriteFile(p.AuditKey, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := EnsureAuditKey(p)
		if e, ok := errors.AsType[*Error](err); !ok || e.Err.Hint == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAddFolder(t *testing.T) {
	for name, tt := range map[string]struct{ before, after string }{
		"no file":         {"", "folders:\n  - /new\n"},
		"no list":         {"model: m # why\n", "model: m # why\nfolders:\n  - /new\n"},
		"no last newline": {"model: m", "model: m\nfolders:\n  - /new\n"},
		"only a comment":  {"# folders: [/a]\n", "# folders: [/a]\nfolders:\n  - /new\n"},
		"empty key":       {"folders:  # mine\nmodel: m\n", "folders:  # mine\n  - /new\nmodel: m\n"},
		"null":            {"folders: ~\nmodel: m\n", "folders: ~\nmodel: m\n"},
		"list": {
			"# top\n\nfolders:\n  # first\n  - /a   # one\n  - path: /b  # two\n  # last\n\n# next\nmodel: m\n",
			"# top\n\nfolders:\n  # first\n  - /a   # one\n  - path: /b  # two\n  - /new\n  # last\n\n# next\nmodel: m\n",
		},
		"list at the end":     {"model: m\nfolders:\n- /a\n", "model: m\nfolders:\n- /a\n- /new\n"},
		"deep list":           {"folders:\n      - /a", "folders:\n      - /a\n      - /new\n"},
		"Windows lines":       {"folders:\r\n  - /a\r\nmodel: m\r\n", "folders:\r\n  - /a\r\n  - /new\r\nmodel: m\r\n"},
		"brackets":            {"folders: [/a, '/b'] # two\n", "folders: [/a, '/b', /new] # two\n"},
		"brackets, žluťoučké": {"folders: [/žluťoučký, /kůň]\n", "folders: [/žluťoučký, /kůň, /new]\n"},
		"empty brackets":      {"folders: []\nmodel: m\n", "folders: [/new]\nmodel: m\n"},
		"brackets, lines":     {"folders: [\n  /a,\n  /b\n]\n", "folders: [\n  /a,\n  /b\n, /new]\n"},
		"there already":       {"folders: [/new/]\n", "folders: [/new/]\n"},
		"all in braces":       {"{model: m}\n", "{model: m}\n"},
		"mark in front":       {"\ufefffolders:\n  - /a\n", "folders:\n  - /a\n  - /new\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("the paths are written with slashes")
			}
			path := filepath.Join(t.TempDir(), "config.yaml")
			if tt.before != "" {
				if err := os.WriteFile(path, []byte(tt.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := AddFolder(Sources{File: path, Env: environ(t, nil)}, "/new")
			if changed := tt.before != tt.after; (err == nil) != (changed || name == "there already") {
				t.Errorf("error %v", err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != tt.after {
				t.Errorf("got %q (%v), want %q", got, err, tt.after)
			}
			left, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(left) != 2 { // with the lock
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestAddOddFolders(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "config.yaml")
	var want []string
	for _, name := range []string{"with space", "a: b", "c #d", "'quotes' \"and\"", "[x]", "日本", "<&>", "- dash", "yes", "line\nbreak", "tab\t", "null"} {
		folder := filepath.Join(base, name)
		if err := AddFolder(Sources{File: path, Env: environ(t, nil)}, folder); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		want = append(want, folder)
	}
	c, warnings, err := Load(Sources{File: path, Env: variables()})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	var got []string
	for _, f := range c.Folders {
		got = append(got, f.Path)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantMode(t, path, 0o600)
	if AddFolder(Sources{File: path, Env: environ(t, nil)}, "relative/path") == nil {
		t.Error("a relative path is accepted")
	}
}

// Whoever adds a folder loses none that others add at the same time.
func TestAddFolderTogether(t *testing.T) {
	s := Sources{File: filepath.Join(t.TempDir(), "config.yaml"), Env: variables()}
	const all = 12
	var adding sync.WaitGroup
	for i := range all {
		adding.Go(func() {
			if err := AddFolder(s, fmt.Sprintf("%s/%d", filepath.Dir(s.File), i)); err != nil {
				t.Error(err)
			}
		})
	}
	adding.Wait()
	if c, _, err := Load(s); err != nil || len(c.Folders) != all {
		t.Errorf("%d of %d are there, %v", len(c.Folders), all, err)
	}
}

// A configuration kept elsewhere and linked to stays linked, with its mode.
func TestAddFolderThroughALink(t *testing.T) {
	base := t.TempDir()
	real, link := filepath.Join(base, "real.yaml"), filepath.Join(base, "config.yaml")
	if err := os.WriteFile(real, []byte("model: m\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	if err := AddFolder(Sources{File: link, Env: environ(t, nil)}, base); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	wantMode(t, real, 0o640)
	if text, err := os.ReadFile(real); err != nil || !strings.Contains(string(text), "folders:") {
		t.Errorf("%q, %v", text, err)
	}
}

func TestLock(t *testing.T) {
	p := home(t)
	if _, running, err := ReadRun(p); running || err != nil {
		t.Errorf("before the first start: %v, %v", running, err)
	}
	first, err := Lock(p)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Lock(p)
	if e := loci.AsError(err); e == nil || e.Code != loci.Conflict || !strings.Contains(e.Message, "is starting") {
		t.Errorf("while the first one starts: %v", err)
	}
	want := Run{PID: os.Getpid(), URL: "http://127.0.0.1:5624", Key: "sesame", ChatKey: "open", Folders: []string{"/a"}, Instance: "i", Started: loci.Now()}
	want.Started.Time = want.Started.UTC().Truncate(1e6)
	if err := first.WriteRun(want); err != nil {
		t.Fatal(err)
	}
	wantMode(t, p.RunFile, 0o600)
	wantMode(t, p.Lock, 0o600)
	_, err = Lock(p)
	if e := loci.AsError(err); e == nil || e.Code != loci.Conflict || e.Hint == "" ||
		!strings.Contains(e.Message, want.URL) || strings.Contains(e.Error(), "sesame") {
		t.Errorf("the second one: %v", err)
	}
	got, running, err := ReadRun(p)
	if err != nil || !running {
		t.Fatal(running, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run.json (-want +got):\n%s", diff)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if _, running, err := ReadRun(p); running || err != nil {
		t.Errorf("after the end: %v, %v", running, err)
	}
	second, err := Lock(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// What a killed process left behind is no running loci.
func TestStaleRunFile(t *testing.T) {
	p := home(t)
	i, err := Lock(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.WriteRun(Run{PID: 1, URL: "http://x"}); err != nil {
		t.Fatal(err)
	}
	if err := i.lock.Close(); err != nil { // as the system does for a killed one
		t.Fatal(err)
	}
	if _, running, err := ReadRun(p); running || err != nil {
		t.Errorf("%v, %v", running, err)
	}
	if err := os.WriteFile(p.RunFile, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, running, err := ReadRun(p); running || err == nil {
		t.Errorf("broken file: %v, %v", running, err)
	}
}

// TestLockOfTheKilled: who was killed may leave a child that holds the lock for a
// moment more. That is no loci that runs.
func TestLockOfTheKilled(t *testing.T) {
	p := home(t)
	dead := exec.Command(os.Args[0], "-test.run=^$")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	child, err := Lock(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := child.WriteRun(Run{PID: dead.Process.Pid}); err != nil {
		t.Fatal(err)
	}
	ended := time.AfterFunc(2*lockPatience, func() { _ = child.lock.Close() })
	defer ended.Stop()
	i, err := Lock(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}

// Looking whether the lock is held does not keep anybody from taking it.
func TestLockWhileOthersLook(t *testing.T) {
	p := home(t)
	i, err := Lock(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.WriteRun(Run{PID: 1}); err != nil {
		t.Fatal(err)
	}
	if err := i.lock.Close(); err != nil {
		t.Fatal(err)
	}
	done, looked := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-done:
				looked <- nil
				return
			default:
				if _, _, err := ReadRun(p); err != nil {
					looked <- err
					return
				}
			}
		}
	}()
	for range 20 {
		i, err := Lock(p)
		if err != nil {
			t.Error(err)
			break
		}
		if err := i.lock.Close(); err != nil {
			t.Error(err)
		}
	}
	close(done)
	if err := <-looked; err != nil {
		t.Error(err)
	}
}

func TestExpand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are written with slashes")
	}
	for path, want := range map[string]string{
		"~": "/h", "~/a": "/h/a", "a/../b": "/f/b", ".": "/f", "/x/": "/x", "~ann": "", "~ann/x": "", " ": "/f/ ",
	} {
		if got, ok := Expand(path, "/f", variables("HOME", "/h")); got != want || ok != (want != "") {
			t.Errorf("%q gives %q, %v; want %q", path, got, ok, want)
		}
	}
	if got, ok := Expand("a", "", variables("HOME", "/h")); ok {
		t.Errorf("a relative path that lies nowhere gives %q", got)
	}
	if got, ok := Expand("~/a", "/f", variables()); ok {
		t.Errorf("without a home: %q", got)
	}
}

// The home folder of whoever runs the program is not read past its environment.
func TestAddFolderBelowHome(t *testing.T) {
	path, dir := filepath.Join(t.TempDir(), "config.yaml"), homeForTests(t)
	if err := os.WriteFile(path, []byte("folders: [~/a]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := AddFolder(Sources{File: path, Env: environ(t, nil)}, filepath.Join(dir, "a")); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "folders: [~/a]\n" {
		t.Errorf("it was there already, but the file is %q (%v)", text, err)
	}
}
