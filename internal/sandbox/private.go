package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
)

// keepOut notes the private folders that an allowed folder contains, or lies
// in. Where there are none, which is the rule, nothing is checked later.
func (f *Folders) keepOut(private []string) {
	for _, path := range private {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue // it does not exist, so there is nothing to keep private
		}
		for _, d := range f.folders {
			if inside(real, d.real) || inside(d.real, real) {
				f.private = append(f.private, real)
				break
			}
		}
	}
}

// checkPrivate refuses what lies in a private folder. It is asked about a place
// that was opened, with what the handle said of it, so that a name swapped in
// between does not help: the file at the real path must be the opened one, and
// a file has only one path (see checkHandle).
func (f *Folders) checkPrivate(loc Location, opened fs.FileInfo, shown string) error {
	if len(f.private) == 0 {
		return nil
	}
	real, err := filepath.EvalSymlinks(loc.Path())
	if err != nil {
		return err
	}
	info, err := os.Stat(real)
	if err != nil {
		return err
	}
	for _, p := range f.private {
		if inside(real, p) || !os.SameFile(info, opened) {
			return errRefused("%s belongs to loci itself and is not opened.", quote(shown))
		}
	}
	return nil
}

// inside tells whether a real path is a folder or lies in it.
func inside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
