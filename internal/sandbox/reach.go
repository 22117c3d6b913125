package sandbox

import (
	"context"
	"path/filepath"
	"slices"
)

// Reach is what a program may be given that works in the allowed folders by itself,
// without going through [Folders]: real paths, to be kept to by other means.
type Reach struct {
	Folders []string // the allowed folders, absolute and without links
	Private []string // the folders that stay closed, wherever they are
}

// Reach tells which folders are allowed as a whole, and what stays closed.
func (f *Folders) Reach() (r Reach) {
	if f == nil {
		return r
	}
	for _, d := range f.folders {
		r.Folders = append(r.Folders, d.real)
	}
	r.Private = slices.Clone(f.closed)
	return r
}

// Folder finds the real path of a folder that a path names: one that a program may
// be started in. It is an error where list_dir would have one.
func (f *Folders) Folder(ctx context.Context, path string) (string, error) {
	loc, err := f.Resolve(path)
	if err != nil {
		return "", err
	}
	for _, err := range f.names(loc, path) { // opening it is what decides
		if err != nil {
			return "", f.explain(ctx, err, loc, path)
		}
		break
	}
	real, err := filepath.EvalSymlinks(loc.Path())
	if err != nil {
		return "", f.explain(ctx, err, loc, path)
	}
	return real, nil
}
