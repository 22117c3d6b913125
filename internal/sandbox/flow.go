package sandbox

import (
	"context"
	"path/filepath"
	"strings"

	"loci"
	"loci/internal/text"
)

// flow is what a change does to the origins: what is put before it, for the case that
// nobody comes to the end of it, and what is dropped after it.
type flow struct {
	f      *Folders
	by     record
	put    []loci.Origin
	drop   []string
	before []loci.Origin // of the places of put; they come back if nothing is done
}

// begin notes what a change brings from outside. Kept is where the journal keeps what it
// takes away, empty if it keeps nothing. It is an error, and nothing may be done, if it cannot be
// noted.
func (f *Folders) begin(ctx context.Context, s *Spot, r record, kept string) (flow, error) {
	w := flow{f: f, by: r}
	if f.origins == nil {
		return w, nil
	}
	switch r.Kind {
	case loci.ChangeDeleted:
		w.carry(s.real, kept, true)
	case loci.ChangeMoved:
		w.carry(s.real, r.To, true)
		w.taint(r.To, "moved", r.Made)
		w.renew(f.origins.within(r.To))
	case loci.ChangeCreated:
		if r.from != "" { // it comes back from the journal
			w.carry(r.from, s.real, true)
		}
		w.taint(s.real, "written", r.Made)
		w.renew(f.origins.within(s.real))
	case loci.ChangeWritten:
		if kept != "" {
			w.carry(s.real, kept, false)
		}
		if r.from != "" {
			w.carry(r.from, s.real, false)
		}
		w.taint(s.real, "written", 0)
		if old, has := f.origins.own(s.real); has && (r.anew || r.from != "") {
			w.renew([]loci.Origin{old})
		}
	}
	for _, o := range w.put {
		if was, ok := f.origins.own(o.Path); ok {
			w.before = append(w.before, was)
		}
	}
	if err := f.origins.change(ctx, nil, w.put); err != nil {
		f.origins.log.ErrorContext(ctx, "nothing is changed that cannot be noted as from outside", "stage", "tool", "path", s.real, "error", err)
		return w, errNotNoted
	}
	return w, nil
}

// add puts the origin of a place, unless it has one from this change already: what the
// thing itself brings along says more than who moved it.
func (w *flow) add(path, source string, whole bool) {
	if w.puts(path) {
		return
	}
	w.put = append(w.put, loci.Origin{
		Path: path, Source: source, Whole: whole, Principal: w.by.Principal, Session: w.by.Session, Time: loci.Now(),
	})
}

func (w *flow) puts(path string) bool {
	for _, o := range w.put {
		if o.Path == path {
			return true
		}
	}
	return false
}

// carry has the origins go along with what goes from one place to another. If it moves,
// none stays.
func (w *flow) carry(from, to string, moves bool) {
	rules, origins := w.f.rules, w.f.origins
	folder := rules.foreign(from)
	if o, ok := origins.find(from, true); ok {
		w.bring(o, to)
	} else if folder != "" && folder != rules.foreign(to) {
		w.add(to, "moved out of "+folder, true)
	} else if o, ok := origins.of(from); ok {
		w.bring(o, to)
	}
	for _, r := range rules { // those of folders within it
		if r.Outside && r.Path != from && insideFolded(r.Path, from) {
			w.add(filepath.Join(to, below(r.Path, from)), "moved out of "+r.Path, true)
		}
	}
	for _, o := range origins.within(from) {
		if moves {
			w.drop = append(w.drop, o.Path)
		}
		if rel := below(o.Path, from); rel != "" {
			w.bring(o, filepath.Join(to, rel))
		}
	}
}

// bring puts an origin at another place.
func (w *flow) bring(o loci.Origin, to string) {
	if o.Path, o.Time = to, loci.Now(); !w.puts(to) {
		w.put = append(w.put, o)
	}
}

// below is the rest of a path after that of a folder that it lies in.
func below(path, folder string) string {
	elems := strings.FieldsFunc(path, isSeparator)
	n := len(strings.FieldsFunc(folder, isSeparator))
	return filepath.Join(elems[min(n, len(elems)):]...)
}

// taint notes that a conversation which has read from outside brought about what is at
// a place, and its name, and those of so many folders above it.
func (w *flow) taint(path, verb string, made int) {
	source := w.f.readFrom()
	if source == "" {
		return
	}
	w.add(path, verb+afterReading+source, false)
	for range made {
		path = filepath.Dir(path)
		w.add(path, "made"+afterReading+source, false)
	}
}

// renew drops origins of what is there no more after the change: of an old content of
// which nothing is in the new one, or of things that another program took away before.
func (w *flow) renew(old []loci.Origin) {
	for _, o := range old {
		if !w.puts(o.Path) {
			w.drop = append(w.drop, o.Path)
		}
	}
}

// end drops what does not hold any more after a change. If it failed half-way, nobody
// knows what holds: then everything stays.
func (w *flow) end(ctx context.Context, err error) {
	if err != nil || w.f.origins == nil {
		return
	}
	w.f.origins.settle(ctx, w.drop, nil)
}

// cancel puts back what held before a change of which nothing came.
func (w *flow) cancel(ctx context.Context) {
	if w.f.origins == nil {
		return
	}
	drop := make([]string, len(w.put))
	for i, o := range w.put {
		drop[i] = o.Path
	}
	w.f.origins.settle(ctx, drop, w.before)
}

// settle is change for what is over: an origin too many is for the log.
func (o *Origins) settle(ctx context.Context, drop []string, put []loci.Origin) {
	if err := o.change(context.WithoutCancel(ctx), drop, put); err != nil {
		o.log.WarnContext(ctx, "files still count as read from outside that are not any more", "stage", "tool", "error", err)
	}
}

// afterReading stands between what was done and where had been read.
const afterReading = " after reading "

// readFrom is where from outside the conversation has read, the newest first, in a few
// words; empty if nowhere. What was read from a file that has its own origin counts as
// read from there.
func (f *Folders) readFrom() string {
	const most, runes = 2, 70
	var names []string
	for i := len(f.taint) - 1; i >= 0 && len(names) < most; i-- {
		name := f.taint[i]
		if at := strings.LastIndex(name, afterReading); at >= 0 {
			name = name[at+len(afterReading):]
		}
		names = append(names, text.Title(name, runes))
	}
	source := strings.Join(names, ", ")
	if more := len(f.taint) - len(names); more > 0 {
		source += " and more"
	}
	return source
}

// Taint notes that a file, by its real path, is about to be changed by other means than
// those of this package, for who has read from outside.
func (f *Folders) Taint(ctx context.Context, real string, by By) error {
	if f.origins == nil {
		return nil
	}
	w := flow{f: f, by: record{Change: loci.Change{Principal: by.Principal, Session: by.Session}}}
	if w.taint(real, "written", 0); f.origins.change(ctx, nil, w.put) != nil {
		return errNotNoted
	}
	return nil
}

var errNotNoted = &loci.ToolError{
	Message:    "It could not be noted down that this comes from outside, so it was not done.",
	Suggestion: "Tell the person that the disk may be full or the database locked.",
	ForPerson:  "The disk may be full; the log has the details.",
}
