// Package sandbox is the only way from a tool to the file system: a set of
// allowed folders, and nothing outside them can be named, read or changed.
//
// Each folder is held open as an os.Root, and every access goes through that
// handle, so what decides is the kernel walking from an open directory and not
// a comparison of path text. Text is only used to choose which handle to ask.
// What os.Root lets through on its own is refused here: pipes and devices,
// which can hang a reader or be read without end, files with several hard
// links, which may belong to another folder, and the kernel's own /proc files.
//
// Changes go through a [Spot]: one name in a folder that was opened for it. What
// is written is written aside, made durable, put in place in one step and read
// back, so that a failure at any moment leaves the old file or the new one, whole.
// Nothing is overwritten by a move, and some places nobody may change, whoever agrees;
// see protected.go. What was there before is kept in a [Journal], from which a person
// can have it back.
//
// Paths come from a model, which writes them the way people do: relative to
// the working folder, absolute, with a tilde, or with an accent composed
// differently from the name on disk. [Folders.Resolve] accepts all of these.
// Errors are *loci.ToolError values made to be read by that model.
package sandbox

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"loci"
	"loci/internal/where"
)

// Config says which folders are allowed.
type Config struct {
	Folders []string // absolute paths of folders that exist
	Work    string   // where relative paths start, inside one of Folders; empty: the first of them
	Home    string   // what ~ stands for; empty: the home of the person who runs loci
	// Partial leaves out folders that cannot be opened, instead of failing: a
	// drive that was unplugged must not take the other folders with it. If the
	// working folder is among them, relative paths are refused: they would mean
	// something else.
	Partial bool
	// Private names folders that stay closed even inside an allowed one: those
	// of loci itself, with its keys and its memory.
	Private []string
	// Rules say what may be done where in the folders.
	Rules Rules
	// Unasked is for a call that nobody agreed to: it changes only what a rule sets
	// free.
	Unasked bool
	// Origins know what in the folders has come from outside; nil: nothing has.
	Origins *Origins
	Reader  loci.Principal // whom it is told to
	// Taint is where from outside the conversation has read that the folders are opened
	// for, the newest last. What it changes counts as read from there.
	Taint []string
}

// Folders is a set of allowed folders. What is allowed does not change once it is
// made; it may be used by several goroutines. The zero value allows nothing.
type Folders struct {
	folders []*folder // in the order of Config
	missing []string  // allowed folders that could not be opened
	work    string    // absolute; empty when no folder is allowed
	lost    bool      // there is no folder at work, so relative paths mean nothing
	home    string    // absolute; empty when unknown
	private []string  // real paths that stay closed, of those in or around the allowed ones
	closed  []string  // all of them
	rules   Rules     // with real paths
	watched bool      // some rule counts for looking too
	unasked bool
	outside noted
	origins *Origins
	reader  loci.Principal
	taint   []string
	escapes error // what os.Root answers when a path leaves it
	// before is asked before each system call of a change, so that tests can make
	// any of them fail; nil: nobody asks.
	before func(call string) error
}

// folder is one allowed folder.
type folder struct {
	root *os.Root
	path string // absolute, as the person wrote it
	real string // the same without symbolic links
}

// New opens the allowed folders. A folder that is missing, or is none, is an
// *loci.Error that names it.
func New(c Config) (*Folders, error) {
	f := &Folders{home: c.Home, unasked: c.Unasked, origins: c.Origins, reader: c.Reader, taint: c.Taint}
	if f.home == "" {
		f.home, _ = os.UserHomeDir() // without one, ~ is refused when it is used
	}
	for _, path := range c.Folders {
		if err := f.add(path); err != nil && !c.Partial {
			return nil, errors.Join(err, f.Close())
		} else if err != nil {
			f.missing = append(f.missing, path)
		}
	}
	if len(f.folders) == 0 {
		return f, nil
	}
	f.keepOut(c.Private)
	f.bind(c.Rules)
	f.work = filepath.Clean(cmp.Or(c.Work, c.Folders[0]))
	loc, ok := f.place(f.work)
	info, err := loc.stat()
	if ok && err == nil && info.IsDir() {
		return f, nil
	}
	if f.lost = true; !c.Partial {
		err := loci.Errorf(loci.Invalid, "The working folder %s is not a folder inside the allowed ones.", quote(c.Work))
		return nil, errors.Join(err.WithHint("Allow it too, or choose one of %s.", f.list()), f.Close())
	}
	return f, nil
}

// add opens one folder.
func (f *Folders) add(path string) error {
	if !filepath.IsAbs(path) {
		return loci.Errorf(loci.Invalid, "The allowed folder %s is not an absolute path.", quote(path)).
			WithHint("Write it from the root of the file system, such as /home/me/notes.")
	}
	path = filepath.Clean(path)
	root, err := os.OpenRoot(path)
	if err != nil {
		code, what := loci.Invalid, "cannot be opened"
		if errors.Is(err, fs.ErrNotExist) {
			code, what = loci.NotFound, "does not exist"
		} else if info, err := os.Stat(path); err == nil && !info.IsDir() {
			what = "is not a folder"
		}
		e := loci.Errorf(code, "The allowed folder %s %s.", quote(path), what)
		e.Err = err
		return e.WithHint("Create it, or correct the list of allowed folders.")
	}
	if f.escapes == nil {
		f.escapes = escapeError(root)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil { // renamed just now: the handle still holds it
		real = path
	}
	f.folders = append(f.folders, &folder{root: root, path: path, real: real})
	return nil
}

// escapeError learns the unexported error with which os.Root refuses to leave
// its folder, by asking for the folder's parent.
func escapeError(root *os.Root) error {
	_, err := root.Lstat("..")
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Close gives the folder handles back.
func (f *Folders) Close() error {
	var errs []error
	for _, d := range f.folders {
		errs = append(errs, d.root.Close())
	}
	return errors.Join(errs...)
}

// paths lists the allowed folders, absolute, in the order of Config.
func (f *Folders) paths() []string {
	if f == nil {
		return nil
	}
	paths := make([]string, len(f.folders))
	for i, d := range f.folders {
		paths[i] = d.path
	}
	return paths
}

// list writes the allowed folders for an error text.
func (f *Folders) list() string {
	paths := f.paths()
	if len(paths) > 8 {
		paths = append(slices.Clone(paths[:8]), "and more")
	}
	return strings.Join(paths, ", ")
}

// A Location is a place inside an allowed folder.
type Location struct {
	folder *folder
	name   string // relative to the folder, never empty
}

// Path is the absolute path, for showing.
func (l Location) Path() string { return filepath.Join(l.folder.path, l.name) }

// below is the place of an entry of the folder that l is.
func (l Location) below(e fs.DirEntry) Location {
	return Location{l.folder, filepath.Join(l.name, e.Name())}
}

// stat describes what is there, links followed as far as they stay inside.
func (l Location) stat() (fs.FileInfo, error) {
	if l.folder == nil {
		return nil, fs.ErrNotExist
	}
	return l.folder.root.Stat(l.name)
}

// place finds the allowed folder that an absolute path lies in by its text,
// the innermost one where they are nested. This chooses a handle and permits
// nothing: the name goes to os.Root as it is, dots included, because only the
// kernel knows what link/.. means.
func (f *Folders) place(path string) (Location, bool) {
	raw := strings.FieldsFunc(path, isSeparator)
	clean := strings.FieldsFunc(filepath.Clean(path), isSeparator)
	var best Location
	depth := -1
	for _, d := range f.folders {
		for _, base := range []string{d.path, d.real} {
			elems := strings.FieldsFunc(base, isSeparator)
			if len(elems) <= depth || !hasPrefix(clean, elems) {
				continue
			}
			rest := clean[len(elems):]
			if hasPrefix(raw, elems) {
				rest = raw[len(elems):]
			}
			name := cmp.Or(strings.Join(rest, string(filepath.Separator)), ".")
			if name != "." && isSeparator(rune(path[len(path)-1])) {
				name += string(filepath.Separator) // os.Root then insists on a folder
			}
			best, depth = Location{d, name}, len(elems)
		}
	}
	return best, depth >= 0
}

// isSeparator is os.IsPathSeparator for the functions of package strings.
func isSeparator(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }

// hasPrefix reports whether a path starts with the elements of another one.
func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.EqualFunc(path[:len(prefix)], prefix, sameName)
}

// sameName compares two path elements the way the file system may: without
// regard to how accents are composed, and to case where that does not count.
func sameName(a, b string) bool {
	if a == b {
		return true
	}
	a, b = norm.NFC.String(a), norm.NFC.String(b)
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// Show writes a place the way a model should name it: relative to the working
// folder where it lies in there, absolute otherwise.
func (f *Folders) Show(l Location) string {
	path := l.Path()
	if rel, ok := where.Below(path, f.work); ok {
		return rel
	}
	return path
}
