package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loci/internal/where"
)

// Access says what may be done in a folder.
type Access string

// The ways in, from none to all. AskFirst is that of a folder that no rule names.
const (
	Never    Access = "never" // nothing, not even looking
	ReadOnly Access = "read"  // looking
	AskFirst Access = "ask"   // looking, and changing after a yes
	Free     Access = "write" // looking and changing, unasked
)

// Rule says what may be done in a folder and below it. Of several that a place lies
// in the deepest counts.
type Rule struct {
	Path   string // absolute
	Access Access
	// Outside says that what is in there comes from others, such as downloads:
	// whoever reads it is told so by [Folders.Outside].
	Outside bool
}

// Rules are those of a principal. The zero value leaves everything at AskFirst.
type Rules []Rule

// real gives the rules with paths without links. A folder that does not exist yet
// has its rule all the same.
func (rs Rules) real() Rules {
	found := make(Rules, len(rs))
	for i, r := range rs {
		r.Path = where.Real(r.Path)
		found[i] = r
	}
	return found
}

// at is the rule for a real path, of real rules. What a rule gives holds for its very
// name only; what it takes away, by any spelling that a file system takes for it.
func (rs Rules) at(path string) Rule {
	deepest, depth := Rule{Access: AskFirst}, -1
	for _, r := range rs {
		within := where.In
		if r.Access != Free {
			within = insideFolded
		}
		n := len(strings.FieldsFunc(r.Path, isSeparator))
		if within(path, r.Path) && (n > depth || n == depth && rank(r.Access) < rank(deepest.Access)) {
			deepest, depth = r, n
		}
	}
	return deepest
}

// foreign is the folder that a real path lies in, of those whose content comes from
// others; empty if it lies in none. That takes something away, so that any spelling
// counts, also where the same rule gives something.
func (rs Rules) foreign(path string) (folder string) {
	depth := -1
	for _, r := range rs {
		if n := len(strings.FieldsFunc(r.Path, isSeparator)); insideFolded(path, r.Path) && (n > depth || n == depth && r.Outside) {
			folder, depth = "", n
			if r.Outside {
				folder = r.Path
			}
		}
	}
	return folder
}

// rank orders accesses by how much they allow.
func rank(a Access) int { return slices.Index([]Access{Never, ReadOnly, AskFirst, Free}, a) }

// Free tells whether everything at and below the real paths may be changed unasked.
func (rs Rules) Free(paths ...string) bool {
	if len(paths) == 0 {
		return false
	}
	found := rs.real()
	return !slices.ContainsFunc(paths, func(p string) bool { return found.least(p) != Free })
}

// least is the strictest access at a real path and below it.
func (rs Rules) least(path string) Access {
	strictest := rs.at(path).Access
	for _, r := range rs {
		if rank(r.Access) < rank(strictest) && insideFolded(r.Path, path) {
			strictest = r.Access
		}
	}
	return strictest
}

// bind notes the rules that matter in the allowed folders. Where there are none,
// which is usual, nothing is checked later.
func (f *Folders) bind(rules Rules) {
	for _, r := range rules.real() {
		if slices.ContainsFunc(f.folders, func(d *folder) bool { return insideFolded(r.Path, d.real) || insideFolded(d.real, r.Path) }) {
			f.rules = append(f.rules, r)
		}
	}
	f.watched = slices.ContainsFunc(f.rules, func(r Rule) bool { return r.Access == Never || r.Outside })
}

// checkPlace refuses to look at what lies in a private or closed folder, and notes
// what is in a folder whose content comes from others. Of what else has come from
// outside only that is noted which is told.
func (f *Folders) checkPlace(loc Location, opened fs.FileInfo, shown string) (real string, err error) {
	if real, err = f.checkLook(loc, opened, shown); err == nil && real != "" {
		f.noteForeign(real)
	}
	return real, err
}

// checkLook is checkPlace for who tells nobody what is there. It is asked about a
// place that was opened, with what the handle said of it, so that a name swapped in
// between does not help: what is at the real path must be the opened thing. It gives
// the real path where that matters.
func (f *Folders) checkLook(loc Location, opened fs.FileInfo, shown string) (real string, err error) {
	if len(f.private) == 0 && !f.watched && !f.origins.any() {
		return "", nil
	}
	if real, err = filepath.EvalSymlinks(loc.Path()); err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if !os.SameFile(info, opened) {
		return "", errMoved(shown)
	}
	for _, p := range f.private {
		if insideFolded(real, p) {
			return "", errRefused("%s belongs to loci itself and is not opened.", quote(shown))
		}
	}
	if f.rules.at(real).Access == Never {
		return "", errRefused("%s is in a folder that the person has closed.", quote(shown))
	}
	return real, nil
}

// noteForeign notes that something of a real path was told, if it lies in a folder
// whose content comes from others.
func (f *Folders) noteForeign(real string) {
	if from := f.rules.foreign(real); from != "" {
		f.outside.folder(from)
	}
}

// mayChange refuses what a rule keeps from being changed here.
func (s *Spot) mayChange() error {
	switch access := s.f.rules.at(s.real).Access; {
	case access == Never:
		return errRefused("%s is in a folder that the person has closed.", quote(s.shown))
	case access == ReadOnly:
		return errKept("%s is in a folder that may only be looked into.", quote(s.shown))
	case s.f.unasked && access != Free:
		return errMoved(s.shown) // it was elsewhere when it was decided on
	}
	return nil
}
