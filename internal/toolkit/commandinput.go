package toolkit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loci/internal/argv"
)

const (
	maxInputs    = 64       // files that a command is told to run
	maxInputSize = 64 << 20 // bytes of one that are read; of larger ones, the size and the time count
)

// input is a file that decides what a command does: a program, a script among its
// words, or what a builder goes by. Data that it reads is none.
type input struct {
	path  string // absolute
	state string // its content, or what stands for it
}

// basis is all that a yes to the command holds for.
func (c command) basis() string {
	h := sha256.New()
	add := func(parts ...string) {
		for _, p := range parts {
			fmt.Fprintf(h, "%d:%s", len(p), p)
		}
		fmt.Fprint(h, ";")
	}
	add(c.argv...)
	add(c.script, c.program, c.dir, fmt.Sprint(c.limit, c.network, c.reads))
	add(c.reach.Write...)
	add(c.reach.Read...)
	for _, i := range c.inputs {
		add(i.path, i.state)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// inputNames are the inputs beside the system's programs, as a person knows them.
func (c command) inputNames() (names []string) {
	for _, i := range c.inputs[min(1, len(c.inputs)):] {
		name := i.path
		if rel, err := filepath.Rel(c.dir, i.path); err == nil && filepath.IsLocal(rel) {
			name = rel
		}
		names = append(names, oneLine(name))
	}
	return names
}

// look finds the inputs, the program itself first.
func (c command) look(ctx context.Context) ([]input, error) {
	real, err := filepath.EvalSymlinks(c.program)
	if err != nil {
		return nil, err
	}
	_, state, err := fileState(real, true) // some of the system's can be run and not read
	if err != nil {
		return nil, err
	}
	found := []input{{real, state}}
	for _, w := range c.candidates() {
		path := w.path
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.dir, path)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if slices.ContainsFunc(found, func(i input) bool { return i.path == path }) {
			continue
		}
		run, state, err := fileState(path, w.run)
		if err != nil {
			return nil, err
		}
		if !run {
			continue
		}
		if found = append(found, input{path, state}); len(found) > maxInputs {
			return nil, fail("Run fewer at once.", "The command runs more than %d files.", maxInputs)
		}
	}
	return found, nil
}

// candidate is a word that may name an input.
type candidate struct {
	path string
	run  bool // it is one if it is a file at all
}

// scriptEndings are those of files that are run by an interpreter.
var scriptEndings = strings.Fields(".sh .bash .zsh .py .pl .rb .js .mjs .cjs .ts .lua .php .awk .sed .r .jl .tcl .mk .sql .jq")

// recipes are what builders go by, whether it is named or not.
var recipes = strings.Fields("Makefile makefile GNUmakefile package.json Cargo.toml build.rs go.mod pyproject.toml setup.py setup.cfg noxfile.py tox.ini Taskfile.yml Taskfile.yaml justfile Justfile .justfile Rakefile " +
	"build.gradle build.gradle.kts settings.gradle pom.xml build.xml CMakeLists.txt build.ninja meson.build MODULE.bazel WORKSPACE composer.json mix.exs Gemfile SConstruct .pre-commit-config.yaml")

// candidates are the words of the command that may name an input.
func (c command) candidates() (all []candidate) {
	words, everyFile := c.argv[1:], false
	name := filepath.Base(c.argv[0])
	if c.script != "" {
		words = strings.FieldsFunc(c.script, func(r rune) bool { return strings.ContainsRune(" \t\r\n;|&<>(){}`$\"'=", r) })
	} else {
		everyFile = argv.Interpreter(name) || argv.Wrapper(name) || argv.Builds(name)
	}
	builds := argv.Builds(name)
	for i, w := range words {
		builds = builds || argv.Builds(filepath.Base(w))
		if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "-") {
			w = value
		}
		sourced := c.script != "" && i > 0 && (words[i-1] == "." || words[i-1] == "source")
		if w != "" && len(w) < 4096 {
			all = append(all, candidate{w, everyFile || sourced || slices.Contains(scriptEndings, strings.ToLower(filepath.Ext(w)))})
		}
	}
	if !builds {
		return all
	}
	folders := []string{"."}
	for _, w := range words { // such as make -C sub
		if info, err := os.Stat(filepath.Join(c.dir, w)); err == nil && info.IsDir() && filepath.IsLocal(w) && len(folders) < 8 {
			folders = append(folders, w)
		}
	}
	for _, dir := range folders {
		for _, r := range recipes {
			all = append(all, candidate{filepath.Join(dir, r), true})
		}
	}
	return all
}

// fileState identifies the content of a file. Run tells whether it is run, because it
// is said so, can be executed, or begins like a script; what is no file that can be
// read is not.
func fileState(path string, said bool) (run bool, state string, err error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false, "", nil
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0) // it may have become a pipe just now
	if err != nil {
		return false, "", nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false, "", err
	}
	var head [2]byte
	n, err := io.ReadFull(file, head[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, "", err
	}
	if run = said || info.Mode().Perm()&0o111 != 0 || string(head[:n]) == "#!"; !run {
		return false, "", nil
	}
	if info.Size() > maxInputSize {
		return true, fmt.Sprint(info.Size(), info.ModTime().UnixNano()), nil
	}
	h := sha256.New()
	h.Write(head[:n])
	if _, err := io.Copy(h, io.LimitReader(file, maxInputSize)); err != nil {
		return false, "", err
	}
	return true, hex.EncodeToString(h.Sum(nil)), nil
}
