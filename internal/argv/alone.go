package argv

import (
	"path/filepath"
	"slices"
	"strings"
)

// scripted are the interpreters that run the file that is their first word, if no
// option comes before it, and nothing else that stands among their words.
var scripted = strings.Fields("sh bash dash ash ksh mksh python pypy perl ruby node nodejs php lua luajit tclsh")

// plain are programs that change files and never start another program, whatever their
// words are.
var plain = strings.Fields("mkdir rmdir cp mv rm unlink ln touch chmod truncate tee sleep sync mktemp gzip bzip2 xz zstd")

// obeying are programs that only read by their options, and yet go by what stands in
// files of the folder: settings that name programs, or code that is imported.
var obeying = strings.Fields("git jq")

// Alone tells whether all that a command of the system runs is known beforehand: its
// program, and the script that is its first word where script says so. Only for such a
// command can a yes last. Most programs can start others, by an option or by what
// stands in a file; so what is not known to be alone is not.
func Alone(argv []string) (script, is bool) {
	if len(argv) == 0 {
		return false, false
	}
	name := argv[0]
	switch {
	case Scripted(name):
		is = len(argv) > 1 && argv[1] != "" && !strings.HasPrefix(argv[1], "-") && !strings.HasPrefix(argv[1], "+")
		return is, is
	case slices.Contains(plain, name):
		return false, true
	}
	return false, !slices.Contains(obeying, name) && !Starts(name) && Reads(argv)
}

// Scripted tells whether a program is an interpreter that runs the file that is its
// first word. Versions in its name do not count.
func Scripted(name string) bool {
	return slices.Contains(scripted, strings.TrimRight(strings.ToLower(name), "0123456789.-"))
}

// Starts tells whether a program is known to run others, or what is written elsewhere.
func Starts(name string) bool { return Wrapper(name) || Interpreter(name) || Builds(name) }

// FirstLine tells whether the first line of a script, without its #!, makes it run by
// an interpreter that gets the script itself and at most options: the absolute path of
// that, or no such.
func FirstLine(line string) (interpreter string, is bool) {
	words := strings.Fields(line)
	if len(words) == 0 || len(words) > 2 || !filepath.IsAbs(words[0]) {
		return "", false
	}
	name := filepath.Base(words[0])
	if name == "env" {
		return words[0], len(words) == 2 && Scripted(words[1]) && !strings.ContainsRune(words[1], filepath.Separator)
	}
	options := len(words) == 1 || strings.HasPrefix(words[1], "-") && !strings.ContainsAny(words[1], "/.")
	return words[0], options && (Scripted(name) || name == "awk" || name == "gawk" || name == "mawk")
}
