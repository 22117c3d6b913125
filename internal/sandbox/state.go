package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loci"
)

// MaxText is how large a file may be whose content is looked at before it is
// changed, in bytes.
const MaxText = 10 << 20

// Read gives the content of the file, at most MaxText bytes of it.
func (s *Spot) Read(ctx context.Context) ([]byte, error) {
	if s.info == nil {
		return nil, s.Missing(ctx)
	}
	if err := checkKind(s.info, s.shown); err != nil {
		return nil, err
	}
	if s.info.Size() > MaxText {
		return nil, &loci.ToolError{
			Message:    fmt.Sprintf("%s is too large to be changed: more than %d MB.", quote(s.shown), MaxText>>20),
			Suggestion: "Tell the person; if it is to be written anew, it can be moved away or deleted first.",
			ForPerson:  "If it is to be written anew, move it away first.",
		}
	}
	data, err := s.content(MaxText)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	return data, nil
}

// content opens the file afresh and reads it, up to one byte more than limit.
func (s *Spot) content(limit int64) (data []byte, err error) {
	file, err := s.dir.OpenFile(s.name, readFlags, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close() // opened for reading: closing loses nothing
	if err := s.checkOpened(file); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(min(s.info.Size(), limit)) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(file, limit+1))
	return b.Bytes(), err
}

// State identifies a spot and what was there at a moment: that it was free, the
// content of a file, where a link led, all that was in a folder. Files too large
// to be read, and those in folders, are told apart by size and time.
type State string

// State looks what is there now.
func (s *Spot) State(ctx context.Context) (State, error) {
	state, err := s.state(ctx)
	if err != nil {
		return "", s.explain(ctx, err)
	}
	return State(s.real + "\n" + state), nil
}

func (s *Spot) state(ctx context.Context) (string, error) {
	switch {
	case s.info == nil:
		return nothing, nil
	case s.info.Mode()&fs.ModeSymlink != 0:
		target, err := s.dir.Readlink(s.name)
		return "link to " + target, err
	case s.info.IsDir():
		t, err := s.Tree(ctx)
		return "folder " + t.digest, err
	case !s.info.Mode().IsRegular():
		return "", checkKind(s.info, s.shown)
	case s.info.Size() > MaxText:
		return "file " + traits(s.info), nil
	}
	data, err := s.content(MaxText)
	return markText(data), err
}

// traits is what can be known of a file without reading it.
func traits(info fs.FileInfo) string {
	return fmt.Sprint(info.Mode(), " ", info.Size(), " ", info.ModTime().UnixNano(), " ", inode(info))
}

// unchanged looks again, and compares with what was there.
func (s *Spot) unchanged(ctx context.Context, was State) error {
	if err := errors.Join(s.before("look again"), s.look()); err != nil {
		return err
	}
	now, err := s.State(ctx)
	if err != nil {
		return err
	}
	if now != was {
		return errMoved(s.shown)
	}
	return errors.Join(ctx.Err(), s.inPlace())
}

// Tree is what is in a folder, at any depth.
type Tree struct {
	Files, Folders int
	Bytes          int64
	digest         string // of all names, kinds, sizes and times
	rels           []string
}

// maxTree bounds how much may be in a folder that is moved or deleted.
const maxTree = 100_000

// Tree looks through the folder. Links in it are counted and not followed; folders
// on another disk are refused, because they cannot be moved or removed with it.
func (s *Spot) Tree(ctx context.Context) (t Tree, err error) {
	root, err := s.enter(s.name)
	if err != nil {
		return t, err
	}
	defer root.Close() // only looked at
	if info, err := root.Stat("."); err != nil || !os.SameFile(info, s.info) {
		return t, errors.Join(err, errMoved(s.shown))
	}
	sum := sha256.New()
	todo := []string{"."}
	for len(todo) > 0 {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		var entries []fs.DirEntry
		for d, err := range readNames(root, dir, func(fs.FileInfo) error { return nil }) {
			if err != nil {
				return t, err
			}
			if entries = append(entries, d); len(t.rels)+len(entries) > maxTree {
				return t, errKept("%s has more than %d things in it, too many to be looked through.", quote(s.shown), maxTree)
			}
		}
		if ctx.Err() != nil {
			return t, ctx.Err()
		}
		for _, d := range byName(entries) {
			rel := filepath.Join(dir, d.Name())
			info, err := root.Lstat(rel)
			if err != nil {
				return t, err
			}
			fmt.Fprintf(sum, "%d:%s %s\n", len(rel), rel, traits(info))
			t.rels = append(t.rels, rel)
			if info.IsDir() {
				if device(info) != device(s.info) {
					return t, errMounted(s.shown, rel)
				}
				t.Folders++
				todo = append(todo, rel)
			} else {
				t.Files++
				t.Bytes += info.Size()
			}
		}
	}
	t.digest = hex.EncodeToString(sum.Sum(nil))
	s.tree = t
	return t, nil
}

// Contents is what was in the folder when [Spot.State] or Tree looked last.
func (s *Spot) Contents() Tree { return s.tree }

// byName puts entries in order: that of a disk may change.
func byName(entries []fs.DirEntry) []fs.DirEntry {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// whole refuses to move or delete a folder that something lies in which stays
// where it is. With another place to put it, nothing may become protected there
// that was not before.
func (s *Spot) whole(ctx context.Context, to string) error {
	for _, d := range s.f.folders {
		if insideFolded(d.real, s.real) {
			return errKept("%s is an allowed folder, or has one in it.", quote(s.shown))
		}
	}
	for _, p := range s.f.private {
		if insideFolded(p, s.real) {
			return errKept("%s has something in it that belongs to loci itself.", quote(s.shown))
		}
	}
	switch least := s.f.rules.least(s.real); {
	case rank(least) < rank(AskFirst):
		return errKept("%s has a folder in it that may not be changed.", quote(s.shown))
	case s.f.unasked && least != Free:
		return errMoved(s.shown)
	}
	if err := s.loose(); err != nil {
		return err
	}
	if !s.info.IsDir() {
		return nil
	}
	t, err := s.Tree(ctx)
	if err != nil {
		return err
	}
	for _, rel := range t.rels {
		for _, top := range []string{s.real, to} {
			if row := protector(filepath.Join(top, rel)); row != "" && top != "" {
				return errKept("%s has something in it that is protected: %s.", quote(s.shown), quote(rel))
			}
		}
	}
	return nil
}

// loose refuses what has something mounted at it or in it: another disk, a folder
// or a file from elsewhere. It would go along without being looked at.
func (s *Spot) loose() error {
	mounts := mountsIn(s.real)
	if len(mounts) == 0 {
		return nil
	}
	rel, err := filepath.Rel(s.real, mounts[0])
	if err != nil {
		rel = mounts[0]
	}
	return errMounted(s.shown, rel)
}

// errMounted is the error for what has something mounted in it.
func errMounted(shown, rel string) *loci.ToolError {
	e := errKept("%s has something from elsewhere mounted in it: %s.", quote(shown), quote(rel))
	if rel == "." {
		e = errKept("%s is mounted at its place by the system, so it cannot be replaced, moved or deleted.", quote(shown))
	}
	e.ForPerson = "It has to be unmounted first."
	return e
}
