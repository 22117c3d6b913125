package sandbox

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"loci"
	"loci/internal/where"
)

// Limits bound a walk.
type Limits struct {
	Depth   int // folders below the start; 0 is 32
	Entries int // files and folders seen; 0 is 50,000
	// Skip names folders that are not entered; nil enters all.
	Skip func(name string) bool
}

// ErrLimit ends a walk that saw as many entries as it may.
var ErrLimit = errors.New("too many files: only a part was looked at")

// Walk yields everything below a folder, depth first, by name; for a file it
// yields that file. Links are yielded and never followed, so a walk can neither
// leave its folder nor run in circles.
//
// An entry together with an error is a folder that could not be read or is too
// deep; the walk goes on. An error with a zero Entry ends it: the start cannot
// be read, the context is over, or ErrLimit.
func (f *Folders) Walk(ctx context.Context, path string, limits Limits) iter.Seq2[Entry, error] {
	if limits.Depth == 0 {
		limits.Depth = 32
	}
	if limits.Entries == 0 {
		limits.Entries = 50_000
	}
	return func(yield func(Entry, error) bool) {
		loc, err := f.Resolve(path)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		info, err := loc.stat()
		if err != nil {
			yield(Entry{}, f.explain(ctx, err, loc, path))
			return
		}
		loc.name = filepath.Clean(loc.name)
		if !info.IsDir() {
			yield(Entry{Location: loc, Name: filepath.Base(loc.Path()), Shown: f.Show(loc), in: f}, nil)
			return
		}
		w := walker{ctx: ctx, f: f, limits: limits, left: limits.Entries, yield: yield}
		w.dir(loc, 0)
	}
}

// walker is one walk under way.
type walker struct {
	ctx    context.Context
	f      *Folders
	limits Limits
	left   int
	yield  func(Entry, error) bool
}

// dir walks one folder; false ends the walk.
func (w *walker) dir(loc Location, depth int) bool {
	var entries []Entry
	for d, err := range w.f.names(loc, w.f.Show(loc)) {
		if err != nil {
			shown := w.f.Show(loc)
			return w.yield(Entry{Location: loc, Name: filepath.Base(loc.name), Dir: true, Shown: shown, in: w.f}, w.f.explain(w.ctx, err, loc, shown))
		}
		if err := w.ctx.Err(); err != nil {
			w.yield(Entry{}, err)
			return false
		}
		if len(entries) > w.left { // one more than may be yielded, to know that there is more
			break
		}
		entries = append(entries, w.f.entry(loc, d))
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	for _, e := range entries {
		if err := w.ctx.Err(); err != nil {
			w.yield(Entry{}, err)
			return false
		}
		if w.left == 0 {
			w.yield(Entry{}, ErrLimit)
			return false
		}
		w.left--
		if !w.yield(e, nil) {
			return false
		}
		if e.Dir && !w.enter(e, depth+1) {
			return false
		}
	}
	return true
}

// enter walks a sub-folder unless it is skipped or too deep.
func (w *walker) enter(e Entry, depth int) bool {
	switch {
	case w.limits.Skip != nil && w.limits.Skip(e.Name):
		return true
	case depth > w.limits.Depth:
		return w.yield(e, &loci.ToolError{
			Message:    fmt.Sprintf("%s is too deep and was not looked into.", quote(e.Shown)),
			Suggestion: "Start in that folder.",
		})
	}
	return w.dir(e.Location, depth)
}

// Cluttered names folders whose content people do not mean when they search.
func Cluttered(name string) bool { return name == ".git" || name == "node_modules" }

// Outermost lists the allowed folders that neither lie in another allowed one
// nor are one of those under another name.
func (f *Folders) Outermost() []string {
	var paths []string
	for _, d := range f.outermost() {
		paths = append(paths, d.path)
	}
	return paths
}

// outermost are the folders of Outermost.
func (f *Folders) outermost() []*folder {
	if f == nil {
		return nil
	}
	var outer []*folder
	for i, d := range f.folders {
		inner := false
		for j, o := range f.folders {
			rel, ok := where.Below(d.real, o.real)
			inner = inner || ok && (rel != "." || j < i)
		}
		if !inner {
			outer = append(outer, d)
		}
	}
	return outer
}
