package sandbox

import (
	"path/filepath"
	"strings"

	"golang.org/x/text/unicode/norm"

	"loci/internal/text"
	"loci/internal/where"
)

// protected are the places that are never written, moved, deleted or replaced,
// whoever agrees to it: what is in them is run, or obeyed, by another program
// without a question, so that a harmless looking change of a file would become
// the right to do anything. Reading them is no different from reading elsewhere.
//
// Each row is one or more path elements that follow each other; a * at the end of
// an element stands for any ending, and one at its start for any beginning. They
// are compared folded; see fold.
var protected = []string{
	// Version control: hooks and settings name programs that are run.
	".git", "*.git/hooks", "*.git/config", ".gitconfig*", ".gitmodules", ".githooks", ".config/git", ".hg", ".hgrc", ".config/hg", ".jj", ".config/jj", ".subversion",
	// What agents, and loci among them, obey: their rules, tools and memory.
	".agent*", ".loci*", ".claude*", ".codex*", ".cursor*", ".gemini*", ".mcp.json", ".windsurf*", ".aider*", ".opencode*", ".continue*", ".cline*", ".roo*",
	".kiro*", ".amazonq", ".junie*", ".goose*", ".augment*", ".qwen*", ".trae*", ".crush*", ".config/opencode", ".config/goose", ".config/crush",
	// Editors and tools that run something when a folder is opened or committed.
	".husky*", ".vscode*", ".idea*", ".devcontainer*", ".zed", ".envrc", ".direnvrc", ".config/direnv", ".mise*", ".config/mise", ".pre-commit-config.y*", ".lefthook*",
	".vim*", ".gvimrc", ".nvimrc", ".exrc", "_vimrc", ".config/nvim", ".emacs*", ".spacemacs*", ".doom.d", ".config/emacs", ".config/doom",
	// What a server runs when it is pushed to.
	".github/workflows", ".github/actions", ".gitea/workflows", ".forgejo/workflows", ".gitlab-ci*", ".circleci", ".travis.yml", ".drone.y*", ".woodpecker*", ".buildkite",
	// Shells read these when they start, and when somebody logs in or out.
	".profile", ".login", ".logout", ".bash*", ".zsh*", ".zprofile", ".zlogin", ".zlogout", ".oh-my-zsh", ".config/zsh", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".config/fish", ".config/nushell",
	".config/elvish", ".config/powershell", "microsoft.powershell_profile*", ".inputrc", ".pam_environment", ".config/environment.d", ".screenrc", ".tmux*", ".config/tmux",
	// Interpreters and debuggers read these, and build tools take programs from them.
	".local/lib", ".pythonrc*", ".pythonstartup*", ".ipython", ".jupyter", ".irbrc", ".pryrc", ".rprofile", ".ghci", ".gdbinit*", ".config/gdb", ".lldbinit*", ".psqlrc", ".sqliterc",
	".npmrc", ".yarnrc*", ".pnpmfile.*", ".bunfig.toml", ".cargo/config*", ".cargo/credentials*", ".cargo/bin", ".pip", ".config/pip", ".pypirc", ".gemrc", ".bundle/config", ".m2/settings*",
	".gradle/init*", ".gradle/gradle.properties", ".nvm", ".rvm", ".rbenv", ".pyenv", ".asdf*", ".sdkman", ".terraformrc", ".terraform.d",
	// What a desktop or the system starts by itself, or finds before its own programs.
	".xprofile", ".xinitrc", ".xserverrc", ".xsession*", ".config/autostart", ".config/autostart-scripts", ".config/plasma-workspace", ".config/systemd", ".local/share/systemd", ".local/share/dbus-1",
	".local/share/applications", "*.desktop", ".local/share/gnome-shell", ".local/share/plasma", ".local/share/kwin", ".local/share/nautilus*", ".local/bin",
	".config/i3", ".i3", ".config/sway", ".config/hypr", ".config/openbox", ".config/awesome", ".config/bspwm", ".config/sxhkd", ".xmonad", ".config/xmonad", ".forward", ".procmailrc", ".mailcap", "spool/cron",
	"library/launchagents", "library/launchdaemons", "start menu/programs/startup",
	// Keys, passwords, and who may log in with which.
	".ssh", ".gnupg", ".git-credentials", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".aws", ".azure", ".kube", ".docker/config.json", ".config/gcloud", ".config/gh", ".config/glab-cli", ".config/rclone",
	".password-store", ".vault-token", ".local/share/keyrings", "library/keychains",
}

// rows are the elements of protected, by the first of them where that is not open.
var rows, openRows = func() (map[string][][]string, [][]string) {
	named, open := map[string][][]string{}, [][]string(nil)
	for _, p := range protected {
		row := strings.Split(p, "/")
		if strings.Contains(row[0], "*") {
			open = append(open, row)
		} else {
			named[row[0]] = append(named[row[0]], row)
		}
	}
	return named, open
}()

// protector finds the protected place that a path is or lies in, by any
// spelling that some file system takes for it; empty if it lies in none.
func protector(path string) string {
	elems := strings.FieldsFunc(path, isSeparator)
	for i, e := range elems {
		elems[i] = fold(e)
	}
	for i, e := range elems {
		candidates := [][][]string{rows[e], openRows}
		if strings.Contains(e, "~") { // it may be short for another name
			for _, some := range rows {
				candidates = append(candidates, some)
			}
		}
		for _, some := range candidates {
			for _, row := range some {
				if len(row) <= len(elems)-i && matches(row, elems[i:]) {
					return strings.Join(row, "/")
				}
			}
		}
	}
	return ""
}

// matches compares a row with as many elements.
func matches(row, elems []string) bool {
	for i, want := range row {
		end, any := strings.CutPrefix(want, "*")
		start, open := strings.CutSuffix(want, "*")
		switch e := elems[i]; {
		case e == want || any && strings.HasSuffix(e, end) || open && strings.HasPrefix(e, start):
		case !any && isShort(e, start, open):
		default:
			return false
		}
	}
	return true
}

// fold makes an element comparable to what may not be named: file systems
// differ in what they think equal, so everything that any of them passes over
// is taken away. That is case, the form of accents, characters that are not
// seen, and at the end dots, spaces and what follows a colon (a stream of NTFS).
func fold(elem string) string {
	elem = strings.Map(func(r rune) rune {
		if r == '\ufe0f' || text.Hidden(r) {
			return -1
		}
		return r
	}, norm.NFC.String(elem))
	elem, _, _ = strings.Cut(elem, ":")
	return strings.ToLower(strings.ToUpper(strings.TrimRight(elem, ". "))) // ſ is a small S only by way of the capital
}

// isShort reports whether an element may be the 8.3 name that Windows gives a
// long one: GIT~1 for .git. Where there are no such names, files named like
// that are rare enough. open: the long one may go on.
func isShort(elem, long string, open bool) bool {
	stem, number, ok := strings.Cut(elem, "~")
	if !ok || stem == "" || number == "" || number[0] < '0' || number[0] > '9' {
		return false
	}
	plain := strings.NewReplacer(".", "", " ", "").Replace(long)
	return stem == plain || len(stem) == 6 && strings.HasPrefix(plain, stem) || open && strings.HasPrefix(stem, plain)
}

// insideFolded tells whether a path is a folder or lies in it, in any spelling.
func insideFolded(path, folder string) bool {
	return where.In(foldPath(path), foldPath(folder))
}

// foldPath folds each element of a path.
func foldPath(path string) string {
	elems := strings.FieldsFunc(path, isSeparator)
	for i, e := range elems {
		elems[i] = fold(e)
	}
	return string(filepath.Separator) + strings.Join(elems, string(filepath.Separator))
}
