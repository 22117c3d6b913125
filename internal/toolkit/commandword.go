package toolkit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loci/internal/argv"
	"loci/internal/confine"
	"loci/internal/where"
)

const (
	maxCandidates = 4096 // words and names that are looked at
	maxBases      = 8    // folders among the words of a command that its other words may be in
)

// candidate is a file that a command may run.
type candidate struct {
	path string // absolute
	run  bool   // it is an input if it is a file at all
}

// scriptEndings are those of files that are run by an interpreter.
var scriptEndings = strings.Fields(".sh .bash .zsh .py .pl .rb .js .mjs .cjs .ts .lua .php .awk .sed .r .jl .tcl .mk .sql .jq")

// recipes are what builders go by, whether it is named or not.
var recipes = strings.Fields("Makefile makefile GNUmakefile package.json Cargo.toml build.rs go.mod pyproject.toml setup.py setup.cfg noxfile.py tox.ini Taskfile.yml Taskfile.yaml justfile Justfile .justfile Rakefile " +
	"build.gradle build.gradle.kts settings.gradle pom.xml build.xml CMakeLists.txt build.ninja meson.build MODULE.bazel WORKSPACE composer.json mix.exs Gemfile SConstruct .pre-commit-config.yaml")

// candidates are the files that the words of the command may name: each word as it is
// from the folder that the command starts in, and from each folder among the words,
// such as after cd or -C.
func (c command) candidates() (all []candidate) {
	words := c.parts()
	name := filepath.Base(c.argv[0])
	names := append([]string{name}, words...)
	programs := names[:1] // in a list of words only the first is one, unless that starts others
	if c.script != "" {
		programs = words
	}
	starts := slices.ContainsFunc(programs, func(w string) bool { return argv.Starts(filepath.Base(w)) }) ||
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains(findRuns, w) })
	bases := c.bases(words)
	for i, w := range words {
		run := starts || i > 0 && c.script != "" && (words[i-1] == "." || words[i-1] == "source") ||
			slices.Contains(scriptEndings, strings.ToLower(filepath.Ext(w)))
		files := []string{w}
		if i > 0 && words[i-1] == "-m" && argv.Interpreter(name) {
			module := strings.ReplaceAll(w, ".", string(filepath.Separator))
			files = append(files, module+".py", filepath.Join(module, "__init__.py"), filepath.Join(module, "__main__.py"))
		}
		for _, file := range files {
			all = append(all, from(bases, file, run)...)
		}
	}
	if slices.ContainsFunc(names, func(w string) bool { return argv.Builds(filepath.Base(w)) }) {
		for _, recipe := range recipes {
			all = append(all, from(bases, recipe, true)...)
		}
	}
	if slices.ContainsFunc(names, func(w string) bool { return filepath.Base(w) == "run-parts" }) {
		for _, base := range bases[1:] {
			entries, _ := os.ReadDir(base) // what cannot be read is not run
			for _, e := range entries {
				all = append(all, candidate{filepath.Join(base, e.Name()), true})
			}
		}
	}
	return all[:min(len(all), maxCandidates)]
}

// findRuns are the words of find after which it runs something.
var findRuns = strings.Fields("-exec -execdir -ok -okdir")

// from is a file from each of several folders.
func from(bases []string, file string, run bool) (all []candidate) {
	if filepath.IsAbs(file) {
		return []candidate{{plainPath(file), run}}
	}
	for _, base := range bases {
		all = append(all, candidate{plainPath(base + string(filepath.Separator) + file), run})
	}
	return all
}

// plainPath is a path without its empty and single-dot parts. One with .. in it stays:
// behind a link it leads elsewhere than its text says.
func plainPath(path string) string {
	if strings.Contains(path, "..") {
		return path
	}
	return filepath.Clean(path)
}

// bases are the folder that the command starts in, and the allowed ones among the words.
func (c command) bases(words []string) []string {
	bases := []string{c.dir}
	for _, w := range words {
		if !filepath.IsAbs(w) {
			w = filepath.Join(c.dir, w)
		}
		w = filepath.Clean(w)
		if len(bases) > maxBases || slices.Contains(bases, w) || !c.allowed(w) {
			continue
		}
		if info, err := os.Stat(w); err == nil && info.IsDir() {
			bases = append(bases, w)
		}
	}
	return bases
}

// allowed tells whether a path lies in an allowed folder.
func (c command) allowed(path string) bool {
	return slices.ContainsFunc(c.reach.Folders(), func(f string) bool { return where.In(path, f) })
}

// parts are all that the words of the command may consist of: the words, the values that
// are attached to options, and the words of a shell script among them.
func (c command) parts() (parts []string) {
	words := c.argv[1:]
	if c.script != "" {
		words = []string{c.script}
	}
	for _, word := range words {
		pieces := []string{word}
		if c.script != "" || strings.ContainsAny(word, " \t\n;|&<>(){}`$\"'") {
			pieces = append(pieces, strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(" \t\r\n;|&<>(){}`$\"',", r) })...)
		}
		for _, w := range pieces {
			if w == "" || len(w) >= 4096 {
				continue
			}
			parts = append(parts, w)
			if _, value, ok := strings.Cut(w, "="); ok && value != "" {
				parts = append(parts, value)
			}
			if len(w) > 2 && w[0] == '-' && w[1] != '-' { // such as -Csub
				parts = append(parts, w[2:])
			}
		}
	}
	return parts
}

// lasts tells whether a yes can last: all that the command runs is known, and was read
// as a whole. That is a program of the system that starts no other, a script in an
// allowed folder, or an interpreter of the system with one. What a script starts or
// includes by itself is not known. A program in an allowed folder that is no script may
// be anything under any name, an interpreter too.
func (c command) lasts() bool {
	if c.script != "" || len(c.inputs) == 0 {
		return false
	}
	program, name := c.inputs[0], filepath.Base(c.argv[0])
	if c.allowed(program.path) {
		return program.whole && c.runsAlone(program.firstLine)
	}
	if !slices.Contains(confine.Path, filepath.Dir(c.program)) {
		return false
	}
	words := slices.Clone(c.argv)
	for _, name := range []string{name, filepath.Base(program.path)} { // a link gives a program another name
		if name != filepath.Base(c.argv[0]) && !argv.Starts(name) {
			continue
		}
		words[0] = name
		script, alone := argv.Alone(words)
		if !alone || script && !c.pinned(words[1]) {
			return false
		}
	}
	return true
}

// runsAlone tells whether a script's first line names an interpreter that no model can
// have written, and nothing else that is run.
func (c command) runsAlone(firstLine string) bool {
	interpreter, alone := argv.FirstLine(firstLine)
	if !alone {
		return false
	}
	real, err := filepath.EvalSymlinks(interpreter)
	return err == nil && !c.allowed(real) && !c.allowed(interpreter)
}

// pinned tells whether a file in an allowed folder is an input that was read as a whole.
func (c command) pinned(name string) bool {
	path := from([]string{c.dir}, name, true)[0].path
	real, err := filepath.EvalSymlinks(path)
	return err == nil && c.allowed(real) && slices.ContainsFunc(c.inputs, func(i input) bool { return i.path == path && i.whole })
}

// scriptFile is the path of the script that an interpreter is told to run, or empty.
func (c command) scriptFile() string {
	words := slices.Clone(c.argv)
	words[0] = filepath.Base(words[0])
	if script, _ := argv.Alone(words); script && c.script == "" {
		return from([]string{c.dir}, words[1], true)[0].path
	}
	return ""
}

// files are what the command is to find as it was read: its program and its script,
// where they are files that somebody may change in the meantime.
func (c command) files() (pinned []confine.File) {
	for n, i := range c.inputs {
		if i.content == nil {
			continue
		}
		if n == 0 {
			i.path = c.program // by which it is run; a link may lead to it
		}
		pinned = append(pinned, confine.File{Path: i.path, Content: i.content})
	}
	return pinned
}
