package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"loci"
)

// put writes through a spot, and gives the error's message or nothing.
func put(t *testing.T, f *Folders, path, content string) string {
	t.Helper()
	return told(t, change(t, f, path, Follow, func(s *Spot, state State) error {
		return s.Write(t.Context(), []byte(content), state)
	}))
}

// change opens a spot and locks it for use.
func change(t *testing.T, f *Folders, path string, links Links, use func(s *Spot, state State) error) error {
	t.Helper()
	s, err := f.Spot(t.Context(), path, links)
	if err != nil {
		return err
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	release, err := Lock(t.Context(), s)
	if err != nil {
		return err
	}
	defer release()
	state, err := s.State(t.Context())
	if err != nil {
		return err
	}
	return use(s, state)
}

// told checks the form of an error and gives its message.
func told(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	e, ok := errors.AsType[*loci.ToolError](err)
	if !ok {
		t.Fatalf("the error is a %T: %v", err, err)
	}
	if e.Message == "" || e.Suggestion == "" || len(e.Message) > 400 {
		t.Errorf("bad error: %+v", e)
	}
	return e.Message
}

// content reads a file, empty if there is none.
func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

func TestWrite(t *testing.T) {
	root := tree(t, map[string]string{
		"w/old": "old", "w/sub/x": "x", "w/inlink -> sub": "", "w/link -> sub/x": "", "w/chain -> link": "",
		"w/other -> ROOT/n/note": "", "w/up -> ../n": "", "n/note": "note", "out/secret": "SECRET",
		"w/away -> ../out/secret": "", "w/awaydir -> ROOT/out": "", "w/fresh -> ROOT/out/new": "", "w/loop -> loop": "", "w/broken -> nowhere": "",
		"w/" + decomposed: "D", "w/both/" + composed: "C", "w/both/" + decomposed: "D", "home/.keep": "",
	})
	f := open(t, Config{Folders: []string{root + "/w", root + "/n"}, Home: root + "/home"})
	for path, at := range map[string]string{
		"old": "w/old", "new": "w/new", "a/b/c": "w/a/b/c", "./sub/../y": "w/y", "inlink/z": "w/sub/z", "link": "w/sub/x", "chain": "w/sub/x",
		"other": "n/note", "up/b/c": "n/b/c", root + "/n/d": "n/d", "$HOME/x": "w/$HOME/x", "%2e%2e/x": "w/%2e%2e/x",
		composed: "w/" + decomposed, "both/" + composed: "w/both/" + composed, "both/" + decomposed: "w/both/" + decomposed,
	} {
		if got := put(t, f, path, "new "+path); got != "" || content(t, filepath.Join(root, at)) != "new "+path {
			t.Errorf("%s: %s %q", path, got, content(t, filepath.Join(root, at)))
		}
	}
	for _, link := range []string{"link", "chain", "other", "inlink"} {
		if info, err := os.Lstat(root + "/w/" + link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link %s is none any more", link)
		}
	}
	if both, err := os.ReadDir(root + "/w/both"); err != nil || len(both) != 2 {
		t.Errorf("%v, %v", both, err)
	}
	for path, want := range map[string]string{
		"../new": "not in a folder", "away": "points outside", "awaydir/new": "outside", "awaydir/sub/new": "outside", "fresh": "outside", "loop": "circle",
		"broken": "broken link", "broken/x": "broken link", "old/x": "is used as a folder", "old/": "separator", "n/": "separator", "sub": "is a folder", ".": "allowed folder", "gone/../x": "no file or folder",
		"~/x": "not in a folder", "~root/x": "another person's", "": "empty", root + "/out/secret": "not in a folder", "tab\there": "cannot be seen",
		"rev\u202egpj.exe": "cannot be seen", strings.Repeat("n", 256): "too long", "a\\b": "Windows way", "file:///x": "an address", "new\x00": "NUL",
	} {
		if got := put(t, f, path, "new"); !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	if out, err := os.ReadDir(root + "/out"); err != nil || len(out) != 1 || content(t, root+"/out/secret") != "SECRET" {
		t.Errorf("the outside was changed: %v, %v", out, err)
	}
	if home, err := os.ReadDir(root + "/home"); err != nil || len(home) != 1 {
		t.Errorf("the home was changed: %v, %v", home, err)
	}
	litter(t, root)
}

// litter checks that nothing that was written aside is left.
func litter(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if asideName.MatchString(filepath.Base(path)) {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWriteKeepsMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	root := tree(t, map[string]string{"w/script": "x", "w/closed": "x"})
	f := open(t, Config{Folders: []string{root + "/w"}})
	for mode, want := range map[os.FileMode]string{0o755: "", 0o640: "", 0o600: "", 0o400: "write-protected"} {
		if err := os.Chmod(root+"/w/script", mode); err != nil {
			t.Fatal(err)
		}
		if got := put(t, f, "script", fmt.Sprint(mode)); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%v: %q", mode, got)
		}
		if info, err := os.Stat(root + "/w/script"); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%v became %v, %v", mode, info.Mode(), err)
		}
	}
	if os.Getuid() == 0 { // only root gives files away
		if err := errors.Join(os.Chmod(root+"/w/closed", 0o640), os.Chown(root+"/w/closed", 1234, 4321)); err != nil {
			t.Fatal(err)
		}
		if got := put(t, f, "closed", "y"); got != "" {
			t.Error(got)
		}
		if info, err := os.Stat(root + "/w/closed"); err != nil || !strings.Contains(fmt.Sprintf("%+v", info.Sys()), "Uid:1234 Gid:4321") || info.Mode().Perm() != 0o640 {
			t.Errorf("%+v, %v", info.Sys(), err)
		}
	}
	if got := put(t, f, "a/new", "x"); got != "" {
		t.Fatal(got)
	}
	file, err := os.Stat(root + "/w/a/new")
	dir, err2 := os.Stat(root + "/w/a")
	if err != nil || err2 != nil || file.Mode().Perm()&0o700 != 0o600 || dir.Mode().Perm()&0o700 != 0o700 {
		t.Errorf("%v %v %v %v", file.Mode(), dir.Mode(), err, err2)
	}
}

// TestProtected tries the places that nobody may change, in every spelling.
func TestProtected(t *testing.T) {
	root := tree(t, map[string]string{
		"w/.git/config": "x", "w/repo/.git/hooks/": "", "w/hooks -> repo/.git/hooks": "", "w/.github/ok": "", "w/.bashrc": "x", "w/rc -> .bashrc": "",
		"w/dotfiles/zshrc": "x", "w/.zshrc -> dotfiles/zshrc": "", "w/shared/x": "", "w/.vscode -> shared": "", "w/state/audit.db": "x", "w/audit.db -> state/audit.db": "",
	})
	private := []string{root + "/w/state", root + "/w/later/data"}
	f := open(t, Config{Folders: []string{root + "/w"}, Private: private})
	closed := []string{
		".git/config", ".git", ".GIT/hooks/x", ".Git /x", ".git./x", ".git . ./x", ".g\u200cit/x", ".git::$INDEX_ALLOCATION/x", "GIT~1/x", "repo/.git/hooks/x", "hooks/pre-commit",
		".agent/config.toml", ".AGENTS", ".loci/x", ".loci-20261130-140500-0123456789abcdef.tmp", ".claude/settings.json", ".codex/x", ".cursor/rules", ".gemini/x", "CLAUDE~1/x",
		".husky/x", ".vscode/tasks.json", ".idea/x", ".devcontainer/x", ".devcontainer.json", ".mcp.json", ".MCP.JSON",
		".bashrc", ".BASHRC", "rc", ".zshrc", ".zshenv", ".zprofile", ".profile", ".bash_profile", ".envrc", "deep/er/.envrc", ".\u017fsh/x",
		".ssh/authorized_keys", ".gnupg/x", ".config/autostart/x.desktop", ".CONFIG/Systemd/user/x", ".config/fish/x", ".github/workflows/ci.yml", ".github/WORKFLOWS/ci.yml",
		".bash_completion", ".bashrc.d/x", ".zshrc.d/x", ".zlogin", ".zlogout", ".oh-my-zsh/custom/x.zsh", ".xinitrc", ".xprofile", ".xsessionrc", ".pam_environment", ".inputrc", ".tmux.conf",
		".config/environment.d/x", ".config/plasma-workspace/env/x.sh", ".local/share/systemd/user/x", ".local/share/dbus-1/services/x", ".local/share/applications/x.desktop", ".local/bin/ls",
		".config/nvim/init.lua", ".vimrc", ".vim/plugin/x", ".emacs", ".emacs.d/init.el", ".npmrc", ".cargo/config", ".cargo/config.toml", ".config/pip/pip.conf", ".pip/pip.conf",
		".pre-commit-config.yaml", ".git-credentials", ".gitconfig", ".netrc", ".aws/credentials", ".kube/config", ".docker/config.json", ".windsurf/rules", ".windsurfrules", ".aider.conf.yml",
		".opencode/x", ".gitlab-ci.yml", ".Gitlab-CI.yml", "bare.git/hooks/post-update", "bare.git/config", ".local/lib/python3/x.pth", "NPMRC~1", ".gitmodules", ".config/mise/config.toml",
		"state/audit.db", "audit.db", "STATE/x", "later/data", "later/data/x", "state",
	}
	for _, path := range closed {
		for what, links := range map[string]Links{"write": Follow, "move or delete": Keep} {
			s, err := f.Spot(t.Context(), path, links)
			if err == nil {
				s.Close()
				if links == Keep && (path == "rc" || path == "audit.db") {
					continue // only the link is touched
				}
				t.Errorf("%s may %s", path, what)
				continue
			}
			if e, ok := errors.AsType[*loci.ToolError](err); !ok || e.CanRetry {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	for _, path := range []string{".gitignore", ".github/x", ".config/x", ".env", "git/x", "agent", "profile", "ssh/x", "notes~1", ".config/autostarter", "dotfiles/zshrc", "shared/tasks.json", ".vscode/../notes", "config/systemd", "later/x",
		"AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md", ".cache/x", ".local/share/x", "bare.git/description", "vimrc", "docker/x", ".cargo/registry/x", "hooks2/x", "npmrc.bak~"} {
		if got := put(t, f, path, "x"); got != "" {
			t.Errorf("%s: %s", path, got)
		}
	}
	file, _, err := f.Open(t.Context(), ".git/config")
	if err != nil {
		t.Fatal("reading a protected place:", err)
	}
	file.Close()
}

// TestFailures makes each system call of a write fail in turn: there is the old
// file or the new one, whole, and never half of one.
func TestFailures(t *testing.T) {
	const size = 2 * piece
	old, fresh := strings.Repeat("A", size), strings.Repeat("B", size+17)
	for _, path := range []string{"old", "sub/dir/new"} {
		for _, named := range []bool{false, true} { // where what is written aside has no name, and where it has
			for n := 1; ; n++ {
				root := tree(t, map[string]string{"w/old": old})
				f := open(t, Config{Folders: []string{root + "/w"}})
				count, failed, begun := 0, "", !named
				f.before = func(call string) error {
					if !begun {
						if begun = call == "link" || call == "put in place"; begun {
							return errNoName
						}
						return nil
					}
					if count++; count == n {
						failed = call
						return errors.New("made up")
					}
					return nil
				}
				got := put(t, f, path, fresh)
				if failed == "" {
					if got != "" || content(t, filepath.Join(root, "w", path)) != fresh || n < 8 || n > 20 {
						t.Errorf("%s without a failure: %s, %d calls", path, got, count)
					}
					break
				}
				afterFailure(t, root, path, failed, got, fresh)
			}
		}
	}
}

// afterFailure checks what is there after a system call failed.
func afterFailure(t *testing.T, root, path, failed, got, fresh string) {
	t.Helper()
	was := ""
	if path == "old" {
		was = strings.Repeat("A", 2*piece)
	}
	now := content(t, filepath.Join(root, "w", path))
	switch {
	case got == "":
		t.Errorf("%s: the failure of %s was not told", path, failed)
	case now != was && now != fresh, strings.Contains(got, "was written") != (now == fresh):
		t.Errorf("%s: after a failure of %s there are %d bytes: %s", path, failed, len(now), got)
	}
	if _, err := os.Stat(root + "/w/sub"); path != "old" && now == "" && err == nil {
		t.Errorf("after a failure of %s an empty folder is left", failed)
	}
	litter(t, root)
}

const n1 = 100 // more system calls than any change has

// TestReadBack changes what was written before it is read back.
func TestReadBack(t *testing.T) {
	root := tree(t, map[string]string{"w/x": "old"})
	f := open(t, Config{Folders: []string{root + "/w"}})
	for with, want := range map[string]string{"other": "reading it back gave something else", "": "reading it back gave something else", "newer": "something else"} {
		f.before = func(call string) error {
			if call == "read back" {
				return os.WriteFile(root+"/w/x", []byte(with), 0o600)
			}
			return nil
		}
		if got := put(t, f, "x", "fresh"); !strings.Contains(got, "was written, but "+want) && !strings.Contains(got, want) {
			t.Errorf("%q: %q", with, got)
		}
	}
	f.before = func(call string) error {
		if call == "read back" {
			return os.Remove(root + "/w/x")
		}
		return nil
	}
	if got := put(t, f, "x", "fresh"); !strings.Contains(got, "was written, but it cannot be read back") {
		t.Errorf("%q", got)
	}
}

// TestChangedMeanwhile changes the file while the new content is on its way.
func TestChangedMeanwhile(t *testing.T) {
	for _, name := range []string{"x", "new", "a/b/new"} {
		for _, at := range []string{"sync", "look again", "put in place"} {
			root := tree(t, map[string]string{"w/x": "old"})
			f := open(t, Config{Folders: []string{root + "/w"}})
			if at == "put in place" && name == "x" && runtime.GOOS != "linux" {
				continue // no other system can replace a file only if it is as it was
			}
			f.before = func(call string) error {
				if call == at {
					path := filepath.Join(root, "w", name) // saved as editors do
					return errors.Join(os.WriteFile(path+"~", []byte("by somebody"), 0o600), os.Rename(path+"~", path))
				}
				return nil
			}
			if got := put(t, f, name, "fresh"); !strings.Contains(got, "changed in the meantime") {
				t.Errorf("%s at %s: %q", name, at, got)
			}
			if got := content(t, filepath.Join(root, "w", name)); got != "by somebody" {
				t.Errorf("%s at %s: %q", name, at, got)
			}
			litter(t, root)
		}
	}
}

// TestNamedAside writes aside under a name, as where files need one.
func TestNamedAside(t *testing.T) {
	root := tree(t, map[string]string{"w/old": "old"})
	f := open(t, Config{Folders: []string{root + "/w"}})
	for _, path := range []string{"old", "new"} {
		err := change(t, f, path, Follow, func(s *Spot, state State) error {
			return errors.Join(s.put(t.Context(), []byte("fresh"), state, true), s.verify([]byte("fresh")))
		})
		if err != nil || content(t, root+"/w/"+path) != "fresh" {
			t.Errorf("%s: %v", path, err)
		}
	}
	litter(t, root)
	for _, at := range []string{"link", "put in place"} { // no name for what has none
		for _, path := range []string{"old", at} {
			once := 0
			f.before = func(call string) error {
				if call == at && once == 0 {
					once++
					return errNoName
				}
				return nil
			}
			if got := put(t, f, path, "by name"); got != "" || content(t, root+"/w/"+path) != "by name" {
				t.Errorf("%s without a name at %s: %s", path, at, got)
			}
		}
	}
	litter(t, root)
}

// TestSweep removes what was written aside long ago, and nothing else: neither
// what has another name nor what is in use, however old the content is.
func TestSweep(t *testing.T) {
	now := time.Now()
	stale, used := asideNamed(now.Add(-2*staleAge)), asideNamed(now.Add(-staleAge/2))
	root := tree(t, map[string]string{"w/" + stale: "", "w/" + asideNamed(now.Add(-3*staleAge)) + "/x": ""})
	keep := []string{
		used, ".loci-0123456789abcdef.tmp", ".loci-notes.tmp", stale[1:], stale + "x", asideNamed(now.Add(2 * staleAge)),
		".loci-20269999-000000-0123456789abcdef.tmp", ".loci-20200101-000000-0123456789ABCDEF.tmp",
	}
	long := now.Add(-48 * time.Hour)
	for _, name := range keep {
		path := filepath.Join(root, "w", name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, long, long)); err != nil {
			t.Fatal(err)
		}
	}
	f := open(t, Config{Folders: []string{root + "/w"}})
	if got := put(t, f, "x", "x"); got != "" {
		t.Fatal(got)
	}
	entries, err := os.ReadDir(root + "/w")
	if err != nil || len(entries) != len(keep)+2 { // the folder and x
		t.Errorf("%v, %v", entries, err)
	}
	if _, err := os.Lstat(filepath.Join(root, "w", stale)); err == nil {
		t.Errorf("%s is left", stale)
	}
}

// TestSweepDuringReplace writes another file of the folder at the moment when the
// old content, of long ago, stands aside: it is still there to be looked at.
func TestSweepDuringReplace(t *testing.T) {
	root := tree(t, map[string]string{"w/old": "old"})
	long := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(root+"/w/old", long, long); err != nil {
		t.Fatal(err)
	}
	f := open(t, Config{Folders: []string{root + "/w"}})
	asked := 0
	f.before = func(call string) error {
		if call == "look at the old one" {
			if asked++; asked == 1 {
				if got := put(t, f, "other", "x"); got != "" {
					t.Error(got)
				}
			}
		}
		return nil
	}
	if got := put(t, f, "old", "fresh"); got != "" || content(t, root+"/w/old") != "fresh" {
		t.Errorf("%q, and the file has %q", got, content(t, root+"/w/old"))
	}
	if asked == 0 && runtime.GOOS == "linux" {
		t.Error("the two did not change places: the test proves nothing")
	}
	litter(t, root)
}

// TestLock shows that two who change one file wait for each other, under
// whatever name they know it, and that who waits can stop.
func TestLock(t *testing.T) {
	root := tree(t, map[string]string{"w/x": "", "w/link -> x": "", "w/y": ""})
	f := open(t, Config{Folders: []string{root + "/w"}})
	spot := func(path string) *Spot {
		s, err := f.Spot(t.Context(), path, Follow)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	release, err := Lock(t.Context(), spot("x"), spot("y"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := Lock(ctx, spot("y"), spot("link")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock: %v", err)
	}
	release()
	release, err = Lock(t.Context(), spot("link"), spot("y"), spot("x"))
	if err != nil {
		t.Fatal(err)
	}
	release()
	if len(changing.held) != 0 {
		t.Errorf("locks are left: %v", changing.held)
	}
}

func FuzzProtector(f *testing.F) {
	for _, seed := range []string{".git", "a/.GIT/x", ".g\u200dit", "GIT~1", ".config/autostart", "~1", ".", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		row := protector(path)
		for _, spelled := range []string{strings.ToUpper(path), path + "/x", "x/" + path} {
			if protector(spelled) == "" && row != "" {
				t.Errorf("%q is protected and %q is not", path, spelled)
			}
		}
		if protector("x/"+path+"/.Git /hooks") == "" {
			t.Errorf("%q hides what is below it", path)
		}
	})
}
