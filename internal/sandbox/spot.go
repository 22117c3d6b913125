package sandbox

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A Spot is one name in an opened folder: where something is written, moved or
// deleted. What happens there goes through the opened folder with that one
// name, so nothing can be swapped on the way to it. The folders above it that
// are missing are made when something is put there.
type Spot struct {
	f       *Folders
	dir     *os.Root   // the deepest folder that exists
	opened  []*os.Root // the ones above it that were opened before
	missing []string   // folders to make below it
	name    string     // in the folder
	real    string     // absolute, without links
	shown   string     // the path in error texts
	info    fs.FileInfo
	tree    Tree // what was in it when that was looked at last
	linked  bool // it may have several names; see AllowNames
	acted   bool // a change of what is there was made
}

// Links says what a path means whose last element is a symbolic link.
type Links int

// What a link stands for.
const (
	Follow Links = iota // what it leads to
	Keep                // itself
)

// Spot finds the place that a path names, in the spellings that [Folders.Resolve]
// takes. It is refused outside the allowed folders, in the private ones, and in
// places that nobody may change. Nothing need be there.
func (f *Folders) Spot(ctx context.Context, path string, links Links) (*Spot, error) {
	if f == nil || len(f.folders) == 0 {
		return nil, f.errNoFolder()
	}
	abs, err := f.absolute(path)
	if err != nil {
		return nil, err
	}
	loc, ok := f.place(abs)
	if !ok {
		return nil, f.errOutside(path, false)
	}
	for range maxLinks {
		s, next, err := f.approach(ctx, loc, path, links)
		if err != nil {
			return nil, err
		}
		if s == nil {
			loc = next
			continue
		}
		return s, nil
	}
	return nil, f.errOutside(path, true)
}

// Close gives the opened folders back.
func (s *Spot) Close() error {
	err := s.dir.Close()
	for _, d := range s.opened {
		err = errors.Join(err, d.Close())
	}
	s.opened = nil
	return err
}

// Path is the real path: absolute, and without links.
func (s *Spot) Path() string { return s.real }

// Info describes what is there, not what a link leads to; nil: nothing is.
func (s *Spot) Info() fs.FileInfo { return s.info }

// Missing is the error for a spot where something should be. It tells what may
// have been meant.
func (s *Spot) Missing(ctx context.Context) error {
	loc, ok := s.f.place(s.real)
	if !ok {
		return s.f.errOutside(s.shown, false)
	}
	return s.f.errMissing(ctx, loc, s.shown)
}

// IsDir tells whether a path names a folder that exists.
func (f *Folders) IsDir(path string) bool {
	loc, err := f.Resolve(path)
	if err != nil {
		return false
	}
	info, err := loc.stat()
	return err == nil && info.IsDir()
}

// approach opens the folder that a place lies in. Where the place is a link
// that is to be followed, it gives the place that the link leads to instead.
func (f *Folders) approach(ctx context.Context, loc Location, shown string, links Links) (*Spot, Location, error) {
	dir, name, err := f.split(loc, shown, links)
	if err != nil {
		return nil, loc, err
	}
	if dir, err = f.settle(dir, shown); err != nil {
		return nil, loc, err
	}
	s := &Spot{f: f, name: name, shown: shown}
	if s.dir, s.missing, err = openDir(dir, shown); err != nil {
		return nil, loc, f.explain(ctx, err, dir, shown)
	}
	parent, err := s.parent()
	if err == nil {
		err = s.look()
	}
	if err != nil {
		return nil, loc, errors.Join(f.explain(ctx, err, loc, shown), s.Close())
	}
	s.real = filepath.Join(parent, filepath.Join(s.missing...), s.name)
	if err := s.allowed(loc.Path()); err != nil {
		return nil, loc, errors.Join(err, s.Close())
	}
	if links == Keep || s.info == nil || s.info.Mode()&fs.ModeSymlink == 0 {
		return s, loc, nil
	}
	defer s.dir.Close() // another folder is opened instead
	target, err := s.dir.Readlink(s.name)
	if err != nil {
		return nil, loc, f.explain(ctx, err, loc, shown)
	}
	if !filepath.IsAbs(target) {
		target = joinRaw([]string{parent, target})
	}
	next, ok := f.place(target)
	if !ok {
		return nil, loc, f.errOutside(shown, true)
	}
	if next, err = f.settle(next, shown); err == nil {
		_, err = next.stat() // a link to nothing, or round in a circle, is not written through
	}
	if err != nil {
		return nil, loc, f.explain(ctx, err, loc, shown)
	}
	return nil, next, nil
}

// split separates the last element of a place from the folder that it lies in.
func (f *Folders) split(loc Location, shown string, links Links) (Location, string, error) {
	if isSeparator(rune(loc.name[len(loc.name)-1])) && links == Follow {
		return loc, "", errPath("%s ends in a separator, so it names a folder, not a file.", quote(shown))
	}
	elems := strings.FieldsFunc(loc.name, isSeparator)
	if last := elems[len(elems)-1]; last == "." || last == ".." {
		// Only the file system knows what that is, and then it has a name.
		real, err := filepath.EvalSymlinks(joinRaw([]string{loc.folder.real, loc.name}))
		if err != nil {
			return loc, "", errPath("The path %s ends in dots.", quote(shown))
		}
		named, ok := f.place(real)
		if !ok {
			return loc, "", f.errOutside(shown, false)
		}
		if loc, elems = named, strings.FieldsFunc(named.name, isSeparator); elems[0] == "." {
			return loc, "", errKept("%s is an allowed folder itself.", quote(shown))
		}
	}
	last := len(elems) - 1
	return Location{loc.folder, cmp.Or(joinRaw(elems[:last]), ".")}, elems[last], nil
}

// openDir opens a folder, or the deepest one on the way to it that exists, and
// tells which are missing below that.
func openDir(loc Location, shown string) (root *os.Root, missing []string, err error) {
	elems := strings.FieldsFunc(loc.name, isSeparator)
	for n := len(elems); ; n-- {
		name := cmp.Or(joinRaw(elems[:n]), ".")
		info, err := loc.folder.root.Stat(name) // first: to open a pipe could take for ever
		if err == nil && !info.IsDir() {
			return nil, nil, syscall.ENOTDIR
		}
		if err == nil {
			root, err = loc.folder.root.OpenRoot(name)
		}
		if err == nil {
			return root, elems[n:], nil
		}
		if n == 0 || !errors.Is(err, fs.ErrNotExist) || elems[n-1] == "." || elems[n-1] == ".." {
			return nil, nil, err
		}
		if _, err := loc.folder.root.Lstat(name); err == nil {
			return nil, nil, errKept("%s goes over a broken link: what it points to does not exist.", quote(shown))
		}
	}
}

// parent is the real path of the opened folder. A folder has one real path, so
// the folder there being the opened one proves it, whatever was renamed on the
// way.
func (s *Spot) parent() (string, error) {
	real, err := filepath.EvalSymlinks(s.dir.Name())
	if err != nil {
		return "", err
	}
	there, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	opened, err := s.dir.Stat(".")
	if err != nil {
		return "", err
	}
	if !os.SameFile(there, opened) {
		return "", errMoved(s.shown)
	}
	return real, nil
}

// look finds what is there now, also under the other Unicode form of the name.
func (s *Spot) look() error {
	if s.info = nil; len(s.missing) > 0 {
		return nil
	}
	info, err := s.dir.Lstat(s.name)
	if errors.Is(err, fs.ErrNotExist) {
		twin, ok := twinOf(s.name, s.dir, ".")
		if !ok {
			return nil
		}
		if s.name = twin; s.real != "" {
			s.real = filepath.Join(filepath.Dir(s.real), twin)
		}
		info, err = s.dir.Lstat(twin)
	}
	if err != nil {
		return err
	}
	s.info = info
	return nil
}

// allowed refuses spots that nobody may change: what counts is where the spot
// really is, and also the way that was taken there, since who obeys a file under
// its protected name does so through a link too.
func (s *Spot) allowed(way string) error {
	if row := cmp.Or(protector(s.real), protector(way)); row != "" {
		return errKept("%s is in a protected place (%s): what is there can make other programs run, or lets somebody in.", quote(s.shown), strings.Trim(row, "*"))
	}
	for _, p := range s.f.private {
		if insideFolded(s.real, p) {
			return errKept("%s belongs to loci itself.", quote(s.shown))
		}
	}
	if err := s.mayChange(); err != nil {
		return err
	}
	dir, err := s.dir.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close() // only looked at
	if onProc(dir) {
		return errKept("%s belongs to the kernel's process files.", quote(s.shown))
	}
	return nil
}
