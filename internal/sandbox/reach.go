package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"loci/internal/where"
)

// Reach is what a program may be given that works in the allowed folders by itself,
// without going through [Folders]: real paths, to be kept to by other means.
type Reach struct {
	Write   []string // folders that may be changed, absolute and without links
	Read    []string // folders that may only be looked into, in those or beside them
	Private []string // folders that stay closed, wherever they are
	// Outside says where from outside comes what is in them: nobody can tell what of it
	// a program reads.
	Outside []string
}

// Folders are all that may be looked into.
func (r Reach) Folders() []string { return slices.Concat(r.Write, r.Read) }

// Reach tells what the rules allow of each folder as a whole, and what stays closed.
func (f *Folders) Reach() (r Reach) {
	if f == nil {
		return r
	}
	r.Private = slices.Clone(f.closed)
	var foreign []string
	add := func(path string, rule Rule) {
		if r.add(path, rule); rule.Outside {
			foreign = append(foreign, path)
		}
	}
	for _, d := range f.folders {
		add(d.real, f.rules.at(d.real))
	}
	for _, rule := range f.rules { // those inside a folder say otherwise for a part of it
		if !slices.Contains(r.Folders(), rule.Path) && slices.ContainsFunc(f.folders, func(d *folder) bool { return where.In(rule.Path, d.real) }) {
			add(rule.Path, rule)
		}
	}
	n := noted{folders: foreign}
	for _, path := range r.Folders() {
		if o, ok := f.origins.of(path); ok {
			n.origin(o)
		}
		for _, o := range f.origins.within(path) {
			n.origin(o)
		}
	}
	r.Outside = n.list(f.reader)
	return r
}

func (r *Reach) add(path string, rule Rule) {
	switch rule.Access {
	case Never:
		r.Private = append(r.Private, path)
	case ReadOnly:
		r.Read = append(r.Read, path)
	default:
		r.Write = append(r.Write, path)
	}
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

// Guarded finds the protected folders that stand on the way from an allowed folder
// down to dir, a real path: a program that may change everything there should still
// not change those. Of a repository it is what names programs, for its user has to be
// able to commit. Single files, and what is not there yet, it cannot name.
func (f *Folders) Guarded(dir string) (found []string) {
	for _, d := range f.folders {
		if !where.In(dir, d.real) {
			continue
		}
		for at := dir; where.In(at, d.real); at = filepath.Dir(at) {
			found = append(found, guardedIn(at)...)
			if at == d.real {
				break
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// guardedIn finds the protected folders in one folder.
func guardedIn(dir string) (found []string) {
	entries, err := os.ReadDir(dir)
	if err != nil { // the program will not see it either
		return nil
	}
	for _, e := range entries[:min(len(entries), maxDir)] {
		path := filepath.Join(dir, e.Name())
		if fold(e.Name()) == ".git" {
			path = filepath.Join(path, "hooks")
		}
		if info, err := os.Lstat(path); err == nil && info.IsDir() && protector(path) != "" {
			found = append(found, path)
		}
	}
	return found
}
