package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/gofrs/flock"

	"loci"
)

// AddFolder adds a folder to the list in the file of s, as the last one, and
// leaves every other line of it as it is. A folder that is there already is not
// added again. Of several at the same time, each waits for the one before.
func AddFolder(s Sources, folder string) error {
	if !filepath.IsAbs(folder) {
		return loci.Errorf(loci.Invalid, "The folder %s has no absolute path.", echo(folder))
	}
	return alone(s.File, func() error { return addFolder(s, filepath.Clean(folder)) })
}

// editPatience is how long an edit of the configuration waits for others.
const editPatience = 5 * time.Second

// alone runs an edit of a file while no other loci edits one in its folder. The lock is
// a file of its own, for the edited one is replaced.
func alone(file string, edit func() error) (err error) {
	path := filepath.Join(filepath.Dir(file), ".config.lock")
	lock := flock.New(path, flock.SetPermissions(0o600))
	held, err := tryLock(lock, editPatience)
	if errors.Is(err, context.DeadlineExceeded) {
		return loci.Errorf(loci.Conflict, "Another loci has been changing %s for %s.", file, editPatience).WithHint("Try again.")
	}
	if err != nil || !held {
		return notWritten("file", path, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	return edit()
}

func addFolder(s Sources, folder string) error {
	file := s.File
	text, _, err := readFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before, err := s.foldersIn(text)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(before, func(f Folder) bool { return f.Path == folder }) {
		return nil
	}
	edited, err := insertFolder(file, text, folder)
	if err != nil {
		return err
	}
	// What was edited as text must read as what was meant, whatever the file
	// looked like.
	after, err := s.foldersIn(edited)
	if err != nil || !slices.Equal(after, append(before, Folder{Path: folder})) {
		return loci.Errorf(loci.Invalid, "The folder could not be added to %s without changing its layout.", file).
			WithHint("Add %s to the list folders there yourself.", folder)
	}
	return writeFile(file, edited)
}

// foldersIn reads the list of folders in what the file says.
func (s Sources) foldersIn(text []byte) ([]Folder, error) {
	d := &decoder{file: s.File, home: homeFolder(s.Env)}
	root, err := d.parse(text)
	if err != nil {
		return nil, err
	}
	c := Default()
	err = d.node(root, reflect.ValueOf(&c).Elem(), field{})
	return c.Folders, err
}

// insertFolder adds a line for the folder after the last one of the list, or
// an item to a list in brackets, or the list itself.
func insertFolder(file string, text []byte, folder string) ([]byte, error) {
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	root, err := (&decoder{file: file}).parse(text)
	if err != nil {
		return nil, err
	}
	entry, next := findFolders(root)
	lines := strings.SplitAfter(string(text), "\n")
	if last := len(lines) - 1; lines[last] != "" {
		lines[last] += newline
	} else {
		lines = lines[:last]
	}
	list, ok := entry.(*ast.SequenceNode)
	switch {
	case !ok: // there is no list yet, or only its key
		if i := slices.IndexFunc(lines, emptyFolders.MatchString); i >= 0 {
			lines = slices.Insert(lines, i+1, "  - "+quote(folder)+newline)
			break
		}
		lines = append(lines, "folders:"+newline, "  - "+quote(folder)+newline)
	case list.IsFlowStyle:
		if !insertInBrackets(lines, list, folder) {
			return text, nil // the caller finds that it is not there
		}
	default:
		if next == 0 {
			next = len(lines) + 1
		}
		indent := strings.Repeat(" ", max(list.GetToken().Position.Column-1, 0))
		at := lastContent(lines, list.GetToken().Position.Line, next)
		lines = slices.Insert(lines, at, indent+"- "+quote(folder)+newline)
	}
	return []byte(strings.Join(lines, "")), nil
}

// emptyFolders matches a line with the key alone.
var emptyFolders = regexp.MustCompile(`^folders:\s*(#.*\n?)?$`)

// findFolders gives the value of the key folders, and the line, from 1, on
// which the next key begins, 0 where there is none.
func findFolders(root ast.Node) (value ast.Node, next int) {
	entries, ok := root.(ast.MapNode)
	if !ok {
		return nil, 0
	}
	for it := entries.MapRange(); it.Next(); {
		if value != nil {
			return value, it.Key().GetToken().Position.Line
		}
		if it.Key().GetToken().Value == "folders" {
			value = it.Value()
		}
	}
	return value, 0
}

// lastContent gives the number of lines up to the last one in [first, next)
// that is neither empty nor a comment; lines count from 1. It is first where
// there is none.
func lastContent(lines []string, first, next int) int {
	for i := min(next-1, len(lines)); i > first; i-- {
		if line := strings.TrimSpace(lines[i-1]); line != "" && line[0] != '#' {
			return i
		}
	}
	return min(first, len(lines))
}

// insertInBrackets adds an item to a list such as [a, b].
func insertInBrackets(lines []string, list *ast.SequenceNode, folder string) bool {
	if list.End == nil {
		return false
	}
	pos := list.End.Position
	if pos.Line > len(lines) { // YAML counts a lone carriage return as a line end
		return false
	}
	line := []rune(lines[pos.Line-1])
	if pos.Column < 1 || pos.Column > len(line) || line[pos.Column-1] != ']' {
		return false
	}
	item := quote(folder)
	if len(list.Values) > 0 {
		item = ", " + item
	}
	lines[pos.Line-1] = string(line[:pos.Column-1]) + item + string(line[pos.Column-1:])
	return true
}

// needsNoQuotes matches paths that YAML takes as they are.
var needsNoQuotes = regexp.MustCompile(`^/[\w/.-]*$`)

// quote writes a path as a YAML scalar. A JSON string is one (YAML 1.2,
// section 1.2).
func quote(path string) string {
	if needsNoQuotes.MatchString(path) {
		return path
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(path) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
