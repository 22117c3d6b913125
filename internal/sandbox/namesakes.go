package sandbox

import (
	"context"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"loci/internal/where"
)

// Namesakes are looked for while something else is done, so the search is short.
const (
	namesakeDepth   = 6     // levels of sub-folders
	namesakeEntries = 5_000 // files and folders of each allowed folder
	maxNamesakes    = 10
)

// Namesakes finds files called name in the allowed folders, without regard to
// case and Unicode form, and gives the paths to call them by. It looks at the
// nearest 5,000 files and folders of each allowed folder, 6 levels deep at most,
// and finds 10 at most. When the context ends it gives what it has found so far.
func (f *Folders) Namesakes(ctx context.Context, name string) []string {
	want := norm.NFC.String(name)
	var places []string
	for _, d := range f.outermost() {
		for dir, e := range f.nearest(ctx, d) {
			if !e.Type().IsRegular() || !strings.EqualFold(norm.NFC.String(e.Name()), want) {
				continue
			}
			f.told(dir.below(e))
			f.noteForeign(where.Real(dir.Path())) // the names of folders on the way there, too, are somebody's words
			if places = append(places, f.Show(dir.below(e))); len(places) == maxNamesakes {
				return sorted(places)
			}
		}
	}
	return sorted(places)
}

// sorted puts paths in order: that of a disk is nobody's.
func sorted(paths []string) []string {
	slices.Sort(paths)
	return paths
}

// nearest yields what is in an allowed folder, level by level, each thing with
// the folder it lies in. It stops at the bounds of a search for namesakes, and
// with the context.
func (f *Folders) nearest(ctx context.Context, d *folder) iter.Seq2[Location, fs.DirEntry] {
	return func(yield func(Location, fs.DirEntry) bool) {
		level := []Location{{d, "."}}
		left := namesakeEntries
		for depth := 0; depth <= namesakeDepth && len(level) > 0; depth++ {
			var below []Location
			for _, dir := range level {
				names := readNames(dir.folder.root, dir.name, func(opened fs.FileInfo) error {
					_, err := f.checkLook(dir, opened, dir.name)
					return err
				})
				for e, err := range names {
					if err != nil {
						break // a folder that cannot be read has nothing to offer
					}
					if left == 0 || ctx.Err() != nil || !yield(dir, e) {
						return
					}
					left--
					if e.IsDir() && !Cluttered(e.Name()) {
						below = append(below, dir.below(e))
					}
				}
			}
			level = below
		}
	}
}
