package toolkit

import (
	"bytes"
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

	"loci/internal/where"
)

const (
	maxInputs    = 64       // files that a command is told to run
	maxInputSize = 64 << 20 // bytes of one that are read; of larger ones, the size and the time count
	maxPinned    = 4 << 20  // bytes of one that is run from memory
	maxFirstLine = 256      // bytes that the kernel reads of a script's first line
)

// input is a file that decides what a command does: a program, a script among its
// words, or what a builder goes by. Data that it reads is none.
type input struct {
	path  string // absolute
	state string // its content, or what stands for it
	whole bool   // of state: it is of all the content

	firstLine string // of a script, without its #!
	content   []byte // of what is pinned
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
		if rel, ok := where.Below(i.path, c.dir); ok {
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
	first, err := readInput(real, true) // some of the system's can be run and not read
	if err != nil {
		return nil, err
	}
	if first.path = real; !c.allowed(real) {
		first.content = nil // nobody but the system changes it
	}
	script := c.scriptFile()
	found := []input{first}
	for _, w := range c.candidates() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if slices.ContainsFunc(found, func(i input) bool { return i.path == w.path }) {
			continue
		}
		i, err := readInput(w.path, w.run)
		if err != nil {
			return nil, err
		}
		if i.path == "" {
			continue
		}
		if i.path != script {
			i.content = nil
		}
		if found = append(found, i); len(found) > maxInputs {
			return nil, fail("Run fewer at once.", "The command runs more than %d files.", maxInputs)
		}
	}
	return found, nil
}

// readInput reads a file that may be an input. It is one if it is said so, can be
// executed, or begins like a script; otherwise, and if it is no file that can be read,
// its path is empty.
func readInput(path string, said bool) (none input, err error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return none, nil
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0) // it may have become a pipe just now
	if err != nil {
		return none, nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return none, err
	}
	var head [maxFirstLine]byte
	n, err := io.ReadFull(file, head[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return none, err
	}
	i := input{path: path}
	line, script := strings.CutPrefix(string(head[:n]), "#!")
	if !said && info.Mode().Perm()&0o111 == 0 && !script {
		return none, nil
	}
	if script {
		i.firstLine, _, _ = strings.Cut(line, "\n")
	}
	if info.Size() > maxInputSize {
		i.state = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		return i, nil
	}
	h := sha256.New()
	var to io.Writer = h
	var content bytes.Buffer
	if info.Size() <= maxPinned {
		to = io.MultiWriter(h, &content)
	}
	if _, err := io.Copy(to, io.MultiReader(bytes.NewReader(head[:n]), io.LimitReader(file, maxInputSize))); err != nil {
		return none, err
	}
	if i.content = content.Bytes(); len(i.content) == 0 || len(i.content) > maxPinned { // it may have grown just now
		i.content = nil
	}
	i.state, i.whole = hex.EncodeToString(h.Sum(nil)), true
	return i, nil
}
