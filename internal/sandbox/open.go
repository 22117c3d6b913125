package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
)

// maxDir bounds how many entries of one folder are looked at.
const maxDir = 10_000

// Open opens a regular file for reading. The context bounds the search for what
// was meant where nothing has that name.
func (f *Folders) Open(ctx context.Context, path string) (*os.File, fs.FileInfo, error) {
	loc, err := f.Resolve(path)
	if err != nil {
		return nil, nil, err
	}
	file, info, real, err := f.open(loc, path)
	if err == nil {
		if err = checkNames(file, info, path); err != nil {
			_ = file.Close() // nothing was written
		}
	}
	if err != nil {
		return nil, nil, f.explain(ctx, err, loc, path)
	}
	f.noteOrigin(real)
	return file, info, nil
}

// OpenNamed opens a file that may have several names (hard links), of which others
// can lie outside the allowed folders: a person has to have agreed to it as it is
// in was. See [Folders.Names].
func (f *Folders) OpenNamed(ctx context.Context, path string) (_ *os.File, _ fs.FileInfo, was State, err error) {
	loc, err := f.Resolve(path)
	if err != nil {
		return nil, nil, "", err
	}
	file, info, real, err := f.open(loc, path)
	if err != nil {
		return nil, nil, "", f.explain(ctx, err, loc, path)
	}
	f.noteOrigin(real)
	_, was = named(loc, file, info)
	return file, info, was, nil
}

// Names tells how many names the file at a path has, and identifies it as it is
// now; 1 where that is nothing out of the ordinary, or cannot be read anyway.
func (f *Folders) Names(path string) (n uint64, was State) {
	loc, err := f.Resolve(path)
	if err != nil {
		return 1, ""
	}
	if info, err := loc.stat(); err != nil || !info.Mode().IsRegular() || !mayHaveNames(info) {
		return 1, ""
	}
	file, info, _, err := f.open(loc, path)
	if err != nil {
		return 1, ""
	}
	defer file.Close() // only looked at
	return named(loc, file, info)
}

// named counts the names of an opened file.
func named(loc Location, file *os.File, info fs.FileInfo) (uint64, State) {
	n, err := linkCount(file, info)
	if err != nil {
		return 1, ""
	}
	return n, State(fmt.Sprintf("%s\n%d names %s", loc.Path(), n, traits(info)))
}

// open opens a place that Resolve found. The kind is checked twice: before the
// opening, because opening a device can already have an effect, and after it,
// on the handle, because the name may have been swapped in between. The real path is
// given where anything depends on it.
func (f *Folders) open(loc Location, shown string) (file *os.File, info fs.FileInfo, real string, err error) {
	if info, err = loc.stat(); err != nil {
		return nil, nil, "", err
	}
	if err := checkKind(info, shown); err != nil {
		return nil, nil, "", err
	}
	if file, err = loc.folder.root.OpenFile(loc.name, readFlags, 0); err != nil {
		return nil, nil, "", err
	}
	if info, err = file.Stat(); err == nil {
		err = checkHandle(file, info, shown)
	}
	if err == nil {
		real, err = f.checkPlace(loc, info, shown)
	}
	if err != nil {
		_ = file.Close() // nothing was written; the first error is the one to tell
		return nil, nil, "", err
	}
	return file, info, real, nil
}

// checkKind refuses everything but regular files.
func checkKind(info fs.FileInfo, shown string) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return errFolder(shown)
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	default:
		what = "not a regular file"
	}
	return errRefused("%s is %s and cannot be read.", quote(shown), what)
}

// checkHandle checks an open file for what os.Root does not, besides its names.
func checkHandle(file *os.File, info fs.FileInfo, shown string) error {
	if err := checkKind(info, shown); err != nil {
		return err
	}
	if onProc(file) {
		return errRefused("%s belongs to the kernel's process files and is not read.", quote(shown))
	}
	return nil
}

// checkNames refuses a file with several names: others of them may lie in a folder
// that is not allowed.
func checkNames(file *os.File, info fs.FileInfo, shown string) error {
	n, err := linkCount(file, info)
	if err != nil {
		return err
	}
	if n > 1 {
		return errRefused("%s has %d hard links, so it may belong to a folder that is not allowed.", quote(shown), n)
	}
	return nil
}

// ReadDir lists a folder: sub-folders first, each group by name. more is set
// when the folder has over 10,000 entries, of which then only some are listed.
func (f *Folders) ReadDir(ctx context.Context, path string) (entries []Entry, more bool, err error) {
	loc, err := f.Resolve(path)
	if err != nil {
		return nil, false, err
	}
	for d, err := range f.names(loc, path) {
		if err != nil {
			return nil, false, f.explain(ctx, err, loc, path)
		}
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if len(entries) == maxDir {
			more = true
			break
		}
		entries = append(entries, f.entry(loc, d))
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		switch {
		case a.Dir && !b.Dir:
			return -1
		case b.Dir && !a.Dir:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return entries, more, nil
}

// names yields the entries of a folder that may be looked into.
func (f *Folders) names(loc Location, shown string) iter.Seq2[fs.DirEntry, error] {
	return readNames(loc.folder.root, loc.name, func(opened fs.FileInfo) error {
		_, err := f.checkPlace(loc, opened, shown)
		return err
	})
}

// readNames yields a folder's entries as the system gives them, in pieces, so
// that a huge folder is never held whole.
// The check is asked about the opened folder before anything is read.
func readNames(root *os.Root, name string, check func(fs.FileInfo) error) iter.Seq2[fs.DirEntry, error] {
	return func(yield func(fs.DirEntry, error) bool) {
		dir, err := root.OpenFile(name, dirFlags, 0)
		if err != nil {
			yield(nil, err)
			return
		}
		defer dir.Close() // opened for reading: closing loses nothing
		info, err := dir.Stat()
		if err == nil {
			err = check(info)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for {
			part, err := dir.ReadDir(256)
			for _, d := range part {
				if !yield(d, nil) {
					return
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// An Entry is one thing in a folder.
type Entry struct {
	Location
	Name string // last element
	Dir  bool   // a folder, not a link to one
	Link bool   // a symbolic link
	// Shown is the path to call the entry by; see [Folders.Show].
	Shown string
	in    *Folders
}

// entry makes the Entry for something in the folder dir.
func (f *Folders) entry(dir Location, d fs.DirEntry) Entry {
	loc := dir.below(d)
	return Entry{
		Location: loc,
		Name:     d.Name(),
		Dir:      d.IsDir(),
		Link:     d.Type()&fs.ModeSymlink != 0,
		Shown:    f.Show(loc),
		in:       f,
	}
}

// Info describes the entry itself, not what a link points to.
func (e Entry) Info() (fs.FileInfo, error) { return e.folder.root.Lstat(e.name) }

// Target describes what the entry leads to; an error for a link that is broken
// or leads outside.
func (e Entry) Target() (fs.FileInfo, error) {
	loc, err := e.in.Resolve(e.Path())
	if err != nil {
		return nil, err
	}
	return loc.stat()
}

// Open opens the entry for reading under the same rules as [Folders.Open]. Its
// errors are not explained: who goes through many files only counts them. What is told
// of it is noted by [Entry.Told].
func (e Entry) Open() (*os.File, fs.FileInfo, error) {
	file, info, _, err := e.in.open(e.Location, e.Shown)
	if err != nil {
		return nil, nil, err
	}
	if err := checkNames(file, info, e.Shown); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}
