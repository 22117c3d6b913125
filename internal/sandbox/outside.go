package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"loci"
	"loci/internal/text"
	"loci/internal/where"
)

// noted are the places from outside that something was told of; several goroutines add
// to it.
type noted struct {
	mu      sync.Mutex
	folders []string
	origins []loci.Origin
	known   map[string]bool // paths of origins
}

func (n *noted) folder(path string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.folders, path) {
		n.folders = append(n.folders, path)
	}
}

func (n *noted) origin(o loci.Origin) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[string]bool{}
	}
	if !n.known[o.Path] {
		n.known[o.Path] = true
		n.origins = append(n.origins, o)
	}
}

// list says where from, one source each: by the origins first, which say more, then by
// the folders.
func (n *noted) list(reader loci.Principal) (from []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	from = origins(n.origins, reader)
	if len(n.folders) > 0 {
		from = append(from, "files in "+strings.Join(n.folders, ", "))
	}
	return from
}

// nameRunes is how long the name of what was read may be: where it comes from matters
// more.
const nameRunes = 50

// origins says what some places have from outside, those of one source together.
func origins(all []loci.Origin, reader loci.Principal) (said []string) {
	var sources []string
	names := map[string][]string{}
	for _, o := range all {
		source := o.Source
		if !reader.Owner && o.Principal != reader.ID { // what others read is their own business
			source = "which somebody else's conversation has from outside"
		}
		if names[source] == nil {
			sources = append(sources, source)
		}
		names[source] = append(names[source], text.Title(filepath.Base(o.Path), nameRunes))
	}
	for _, source := range sources {
		name := names[source][0]
		if more := len(names[source]) - 1; more > 0 {
			name = fmt.Sprintf("%s and %d more", name, more)
		}
		said = append(said, name+", "+source)
	}
	return said
}

// Told notes that something of an entry was told, its name or what is in it. Who goes
// through many says it of those that they speak of.
func (e Entry) Told() { e.in.told(e.Location) }

// Told notes that something of what is in a spot was told.
func (s *Spot) Told() {
	s.f.noteForeign(s.real)
	s.f.noteOrigin(s.real)
}

// told notes that something of a place was told, by the name that it has there.
func (f *Folders) told(loc Location) {
	if f.origins.any() {
		path := loc.Path()
		f.noteOrigin(filepath.Join(where.Real(filepath.Dir(path)), filepath.Base(path)))
	}
}

// noteOrigin notes that something of a real path was told, if that has an origin.
func (f *Folders) noteOrigin(real string) {
	if o, ok := f.origins.of(real); ok && real != "" {
		f.outside.origin(o)
	}
}

// Outside says where from outside something was read since the folders were opened:
// out of folders whose content comes from others, and from what has an origin.
func (f *Folders) Outside() []string {
	if f == nil {
		return nil
	}
	return f.outside.list(f.reader)
}
