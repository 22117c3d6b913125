package sandbox

import (
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// protected are the places that are never written, moved, deleted or replaced,
// whoever agrees to it: what is in them is run, or obeyed, by another program
// without a question, so that a harmless looking change of a file would become
// the right to do anything. Reading them is no different from reading elsewhere.
//
// Each row is one or more path elements that follow each other, and a * at the
// end of an element stands for any ending. They are compared folded; see fold.
var protected = []string{
	// Version control: hooks and settings name programs that git runs.
	".git", ".gitconfig", ".config/git",
	// What agents, and loci among them, obey: their rules, tools and memory.
	".agent*", ".loci*", ".claude*", ".codex*", ".cursor*", ".gemini*", ".mcp.json",
	// Editors and tools that run tasks when a folder is opened or committed.
	".husky*", ".vscode*", ".idea*", ".devcontainer*", ".envrc",
	".github/workflows", ".gitea/workflows", ".forgejo/workflows",
	// Shells read these when they start, and when somebody logs in or out.
	".profile", ".login", ".logout", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases",
	".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".config/fish",
	"microsoft.powershell_profile*", ".pam_environment", ".config/environment.d",
	// What a desktop or the system starts by itself.
	".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".config/autostart", ".config/systemd",
	"library/launchagents", "start menu/programs/startup",
	// Keys, and who may log in with which.
	".ssh", ".gnupg",
}

// rows are the elements of protected.
var rows = func() (rows [][]string) {
	for _, p := range protected {
		rows = append(rows, strings.Split(p, "/"))
	}
	return rows
}()

// protector finds the protected place that a path is or lies in, by any
// spelling that some file system takes for it; empty if it lies in none.
func protector(path string) string {
	elems := strings.FieldsFunc(path, isSeparator)
	for i, e := range elems {
		elems[i] = fold(e)
	}
	for i := range elems {
		for _, row := range rows {
			if len(row) <= len(elems)-i && matches(row, elems[i:]) {
				return strings.Join(row, "/")
			}
		}
	}
	return ""
}

// matches compares a row with as many elements.
func matches(row, elems []string) bool {
	for i, want := range row {
		start, open := strings.CutSuffix(want, "*")
		if elems[i] != want && (!open || !strings.HasPrefix(elems[i], start)) && !isShort(elems[i], start, open) {
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
		if unicode.In(r, unicode.Cf, unicode.Cc) {
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
	return inside(foldPath(path), foldPath(folder))
}

// foldPath folds each element of a path.
func foldPath(path string) string {
	elems := strings.FieldsFunc(path, isSeparator)
	for i, e := range elems {
		elems[i] = fold(e)
	}
	return string(filepath.Separator) + strings.Join(elems, string(filepath.Separator))
}
