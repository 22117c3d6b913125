package sandbox

import (
	"cmp"
	"path/filepath"
)

// keepOut notes the private folders that an allowed folder contains, or lies
// in. Where there are none, which is the rule, nothing is checked later.
func (f *Folders) keepOut(private []string) {
	for _, path := range private {
		real := realOf(path)
		f.closed = append(f.closed, real)
		for _, d := range f.folders {
			if insideFolded(real, d.real) || insideFolded(d.real, real) {
				f.private = append(f.private, real)
				break
			}
		}
	}
}

// realOf is a path without symbolic links. What does not exist yet is no less
// private: it must not be made by somebody else first.
func realOf(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if dir := filepath.Dir(path); err != nil && dir != path {
		real = filepath.Join(realOf(dir), filepath.Base(path))
	}
	return cmp.Or(real, path)
}

// inside tells whether a real path is a folder or lies in it.
func inside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
