package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// shelf keeps origins in memory.
type shelf struct {
	mu   sync.Mutex
	has  map[string]loci.Origin
	full error // what a change fails with
}

func (s *shelf) Origins(context.Context) (all []loci.Origin, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.has {
		all = append(all, o)
	}
	return all, nil
}

func (s *shelf) ChangeOrigins(_ context.Context, drop []string, put []loci.Origin) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full != nil {
		return s.full
	}
	for _, path := range drop {
		delete(s.has, path)
	}
	for _, o := range put {
		s.has[o.Path] = o
	}
	return nil
}

// house is a folder w below root that people and conversations change, with a folder
// got in it whose content comes from others.
type house struct {
	t     *testing.T
	root  string // real
	shelf *shelf
	o     *Origins
	hands *hands
}

func newHouse(t *testing.T) *house {
	t.Helper()
	root, err := filepath.EvalSymlinks(tree(t, map[string]string{
		"w/notes.md": "milk", "w/todo.md": "call", "w/got/offer.txt": "OFFER", "w/got/deep/list.txt": "LIST", "w/proj/a/plan.md": "plan",
		"w/with/got2/x.txt": "X", "w/with/own.txt": "own", "w/link -> notes.md": "",
	}))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, root: root, shelf: &shelf{has: map[string]loci.Origin{}}}
	h.restart()
	return h
}

// restart forgets all but what is stored.
func (h *house) restart() {
	h.t.Helper()
	o, err := NewOrigins(h.t.Context(), h.shelf, slog.New(slog.DiscardHandler))
	if err != nil {
		h.t.Fatal(err)
	}
	h.o = o
	h.as()
}

// as begins a conversation, which has read from outside if taint says where.
func (h *house) as(taint ...string) {
	h.t.Helper()
	h.hands = &hands{h.t, h.folders(loci.Principal{ID: "owner", Owner: true}, taint...), Journal{h.root + "/bin"}}
}

func (h *house) folders(p loci.Principal, taint ...string) *Folders {
	h.t.Helper()
	return open(h.t, Config{
		Folders: []string{h.root + "/w"}, Origins: h.o, Reader: p, Taint: taint,
		Rules: Rules{{Path: h.root + "/w/got", Access: AskFirst, Outside: true}, {Path: h.root + "/w/with/got2", Access: AskFirst, Outside: true}},
	})
}

// write writes a file anew; edit changes a part of what is in it.
func (h *house) write(path string) loci.Change { return h.put(path, true) }
func (h *house) edit(path string) loci.Change  { return h.put(path, false) }

func (h *house) put(path string, anew bool) (c loci.Change) {
	h.t.Helper()
	by := mira
	by.Anew = anew
	err := change(h.t, h.hands.f, path, Follow, func(s *Spot, state State) (err error) {
		c, err = h.hands.j.Write(h.t.Context(), s, fmt.Appendf(nil, "%s %t %d", path, anew, len(h.shelf.has)), state, by)
		return err
	})
	return h.hands.made(c, err)
}

// seen is what a new conversation is told of where a file is from.
func (h *house) seen(path string) string {
	h.t.Helper()
	f := h.folders(loci.Principal{ID: "owner", Owner: true})
	file, _, err := f.Open(h.t.Context(), path)
	if err != nil {
		h.t.Fatalf("%s: %s", path, message(h.t, err))
	}
	defer file.Close()
	return strings.ReplaceAll(strings.Join(f.Outside(), "; "), h.root+"/w/", "")
}

const (
	page = "web page.example"
	from = ", written after reading " + page
)

// TestOriginsFollow has something from outside written, moved, deleted, put back, and
// written over, and reads it in a conversation that has read nothing else.
func TestOriginsFollow(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(*house)
		want map[string]string // what is seen of paths
	}{
		"own": {func(h *house) { h.write("notes.md"); h.write("new.md") }, map[string]string{"notes.md": "", "new.md": ""}},
		"written": {func(h *house) { h.as(page); h.write("notes.md"); h.write("new/deep/x.md") },
			map[string]string{"notes.md": "notes.md" + from, "new/deep/x.md": "x.md" + from, "todo.md": "", "link": "notes.md" + from}},
		"edited":   {func(h *house) { h.as(page); h.edit("notes.md") }, map[string]string{"notes.md": "notes.md" + from}},
		"by link":  {func(h *house) { h.as(page); h.write("link") }, map[string]string{"notes.md": "notes.md" + from}},
		"restart":  {func(h *house) { h.as(page); h.edit("notes.md"); h.restart() }, map[string]string{"notes.md": "notes.md" + from}},
		"edit on":  {func(h *house) { h.as(page); h.write("notes.md"); h.as(); h.edit("notes.md") }, map[string]string{"notes.md": "notes.md" + from}},
		"anew":     {func(h *house) { h.as(page); h.write("notes.md"); h.as(); h.write("notes.md") }, map[string]string{"notes.md": ""}},
		"moved on": {func(h *house) { h.as(page); h.write("notes.md"); h.as(); h.hands.move("notes.md", "a/b.md") }, map[string]string{"a/b.md": "b.md" + from}},
		"its old place": {func(h *house) {
			h.as(page)
			h.write("notes.md")
			h.as()
			h.hands.move("notes.md", "b.md")
			h.write("notes.md")
		},
			map[string]string{"b.md": "b.md" + from, "notes.md": ""}},
		"with its folder": {func(h *house) {
			h.as(page)
			h.write("proj/a/x.md")
			h.as()
			h.hands.move("proj", "old/proj2")
		}, map[string]string{"old/proj2/a/x.md": "x.md" + from, "old/proj2/a/plan.md": ""}},
		"folder renamed": {func(h *house) { h.as(page); h.hands.move("proj", "p2") }, map[string]string{"p2/a/plan.md": ""}},
		"out of there": {func(h *house) { h.hands.move("got/offer.txt", "offer.txt") },
			map[string]string{"offer.txt": "offer.txt, moved out of got"}},
		"within there":       {func(h *house) { h.hands.move("got/offer.txt", "got/deep/o.txt") }, map[string]string{"got/deep/o.txt": "files in got"}},
		"a folder out of it": {func(h *house) { h.hands.move("got/deep", "deep") }, map[string]string{"deep/list.txt": "deep, moved out of got"}},
		"and what is put in it": {func(h *house) { h.hands.move("got/deep", "deep"); h.write("deep/own.md") },
			map[string]string{"deep/own.md": "deep, moved out of got"}},
		"out of both": {func(h *house) { h.hands.move("got/deep", "deep"); h.hands.move("deep/list.txt", "l.txt") },
			map[string]string{"l.txt": "l.txt, moved out of got"}},
		"renamed, then out": {func(h *house) {
			h.as(page)
			h.hands.move("got/deep", "got/d2")
			h.as()
			h.hands.move("got/d2", "d2")
		}, map[string]string{"d2/list.txt": "d2, moved out of got"}},
		"a folder around one": {func(h *house) { h.hands.move("with", "w2") },
			map[string]string{"w2/got2/x.txt": "got2, moved out of with/got2", "w2/own.txt": ""}},
		"deleted and back": {func(h *house) {
			h.as(page)
			h.write("notes.md")
			h.as()
			c := h.hands.remove("notes.md")
			h.write("notes.md")
			h.hands.remove("notes.md")
			h.restart()
			h.hands.undone(c.ID)
		}, map[string]string{"notes.md": "notes.md" + from}},
		"deleted, then new": {func(h *house) {
			h.as(page)
			h.write("notes.md")
			h.as()
			h.hands.remove("notes.md")
			h.edit("notes.md")
		},
			map[string]string{"notes.md": ""}},
		"taken away, then new": {func(h *house) {
			h.as(page)
			h.write("notes.md")
			h.write("x/y.md")
			h.as()
			for _, name := range []string{"notes.md", "x"} {
				if err := os.RemoveAll(filepath.Join(h.root, "w", name)); err != nil {
					h.t.Fatal(err)
				}
			}
			h.write("notes.md")
			h.hands.move("proj", "x")
			h.write("x/y.md")
		}, map[string]string{"notes.md": "", "x/a/plan.md": "", "x/y.md": ""}},
		"a folder and back": {func(h *house) {
			h.as(page)
			h.write("proj/x.md")
			h.as()
			c := h.hands.remove("proj")
			h.hands.undone(c.ID)
		}, map[string]string{"proj/x.md": "x.md" + from, "proj/a/plan.md": ""}},
		"undone":         {func(h *house) { h.as(page); c := h.write("notes.md"); h.as(); h.hands.undone(c.ID) }, map[string]string{"notes.md": ""}},
		"undone, redone": {func(h *house) { h.as(page); c := h.write("notes.md"); h.as(); h.hands.undone(h.hands.undone(c.ID).ID) }, map[string]string{"notes.md": "notes.md" + from}},
		"undone to it": {func(h *house) {
			h.as(page)
			h.write("notes.md")
			h.as()
			c := h.write("notes.md")
			h.hands.undone(c.ID)
		}, map[string]string{"notes.md": "notes.md" + from}},
		"a move undone": {func(h *house) {
			h.as(page)
			h.write("notes.md")
			c := h.hands.move("notes.md", "new/b.md")
			h.as()
			h.hands.undone(c.ID)
		}, map[string]string{"notes.md": "notes.md" + from}},
		"made, undone, made": {func(h *house) {
			h.as(page)
			c := h.write("new/x.md")
			h.as()
			h.hands.undone(c.ID)
			h.write("new/x.md")
		}, map[string]string{"new/x.md": ""}},
		"second hand": {func(h *house) { h.as("mail from bob", "notes.md"+from); h.write("sum.md") },
			map[string]string{"sum.md": "sum.md, written after reading " + page + ", mail from bob"}},
		"many": {func(h *house) { h.as("a", "b", "c", page); h.write("sum.md") },
			map[string]string{"sum.md": "sum.md, written after reading " + page + ", c and more"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			test.do(h)
			for path, want := range test.want {
				if got := h.seen(path); got != want {
					t.Errorf("%s: %q, want %q", path, got, want)
				}
			}
			in := h.o.within(h.root)
			h.restart()
			if d := cmp.Diff(h.o.within(h.root), in); d != "" {
				t.Errorf("what is stored is not what was known:\n%s", d)
			}
		})
	}
}

// TestOriginsOfNames lists and looks for what has come from outside: a name is somebody's
// words, too. What is not told of is no reading.
func TestOriginsOfNames(t *testing.T) {
	h := newHouse(t)
	h.as(page)
	h.write("new/deep/send it.md")
	h.hands.move("proj", "send proj")
	h.write("notes.md")
	const deep, proj, notes = "deep, made after reading " + page, "send proj, moved after reading " + page, "notes.md" + from
	for name, test := range map[string]struct {
		do   func(*Folders)
		want []string
	}{
		"the folder of it":  {func(f *Folders) { h.list(f, "new/deep") }, []string{"send it.md" + from}},
		"its folder's name": {func(f *Folders) { h.list(f, "new") }, []string{deep}},
		"elsewhere":         {func(f *Folders) { h.list(f, "with") }, nil},
		"in what was moved": {func(f *Folders) { h.list(f, "send proj") }, nil},
		"meant":             {func(f *Folders) { read(t, f, "send it.md") }, []string{"send it.md" + from}},
		"similar":           {func(f *Folders) { read(t, f, "sendproj") }, []string{proj}},
		"nothing like it":   {func(f *Folders) { read(t, f, "with/zzz") }, nil},
		"looked through": {func(f *Folders) {
			for e, err := range f.Walk(t.Context(), ".", Limits{Skip: func(name string) bool { return strings.HasPrefix(name, "got") }}) {
				if err != nil {
					t.Fatal(err)
				}
				if file, _, err := e.Open(); err == nil {
					file.Close()
				}
			}
		}, nil},
		"told of": {func(f *Folders) {
			for e, err := range f.Walk(t.Context(), "notes.md", Limits{}) {
				if err != nil {
					t.Fatal(err)
				}
				e.Told()
			}
		}, []string{notes}},
		"a spot": {func(f *Folders) {
			_ = change(t, f, "notes.md", Follow, func(s *Spot, _ State) error { s.Told(); return nil })
		}, []string{notes}},
		"only a spot": {func(f *Folders) { _ = change(t, f, "notes.md", Follow, func(*Spot, State) error { return nil }) }, nil},
	} {
		f := h.folders(loci.Principal{Owner: true})
		test.do(f)
		if d := cmp.Diff(test.want, f.Outside()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func (h *house) list(f *Folders, path string) {
	h.t.Helper()
	entries, _, err := f.ReadDir(h.t.Context(), path)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		e.Told()
	}
}

// TestOriginsOfOthers does not tell what somebody else has read.
func TestOriginsOfOthers(t *testing.T) {
	h := newHouse(t)
	h.as(page)
	h.write("notes.md") // by the owner
	const others = "notes.md, which somebody else's conversation has from outside"
	for _, test := range []struct {
		reader loci.Principal
		want   string
	}{
		{loci.Principal{ID: "owner"}, "notes.md" + from},
		{loci.Principal{ID: "key:k", Owner: true}, "notes.md" + from},
		{loci.Principal{ID: "user:x"}, others},
		{loci.Principal{}, others},
	} {
		f := h.folders(test.reader)
		read(t, f, "notes.md")
		if got := f.Outside(); !slices.Equal(got, []string{test.want}) {
			t.Errorf("%+v: %q", test.reader, got)
		}
	}
}

// TestOriginBeforeEffect looks at each system call of a change whether the origin is
// noted by then: a crash at any moment leaves none of them out. When the call fails, it
// is as it was.
func TestOriginBeforeEffect(t *testing.T) {
	for name, do := range map[string]func(*house) (path string, err error){
		"new":  func(h *house) (string, error) { return "new/x.md", h.try("new/x.md", "") },
		"over": func(h *house) (string, error) { return "notes.md", h.try("notes.md", "") },
		"move": func(h *house) (string, error) { return "new/todo.md", h.try("todo.md", "new/todo.md") },
	} {
		t.Run(name, func(t *testing.T) {
			for fails := 1; ; fails++ {
				h := newHouse(t)
				h.as(page)
				calls, late := 0, ""
				h.hands.f.before = func(call string) error {
					if calls++; call == "put in place" && len(h.shelf.has) == 0 {
						late = call
					}
					if calls == fails {
						return errors.New("the disk is gone")
					}
					return nil
				}
				path, err := do(h)
				h.hands.f.before = nil
				if late != "" {
					t.Errorf("%s comes before the origin", late)
				}
				_, has := h.o.of(filepath.Join(h.root, "w", path))
				_, there := all(t, h.root+"/w")[path]
				if path == "notes.md" {
					there = content(t, h.root+"/w/notes.md") != "milk"
				}
				if has != there {
					t.Errorf("failing at call %d (%v): there %t, known %t", fails, err, there, has)
				}
				if calls < fails {
					return
				}
			}
		})
	}
}

// try writes or moves, which may fail.
func (h *house) try(path, to string) error {
	ctx := h.t.Context()
	return change(h.t, h.hands.f, path, Keep, func(s *Spot, was State) error {
		if to == "" {
			_, err := h.hands.j.Write(ctx, s, []byte("hostile"), was, mira)
			return err
		}
		return change(h.t, h.hands.f, to, Keep, func(d *Spot, free State) error {
			_, err := h.hands.j.Move(ctx, s, d, was, free, mira)
			return err
		})
	})
}

// TestOriginCannotBeNoted changes nothing where its origin cannot be stored, and does
// not need a store for what has none.
func TestOriginCannotBeNoted(t *testing.T) {
	h := newHouse(t)
	h.shelf.full = errors.New("disk full")
	h.write("todo.md")
	before := all(t, h.root+"/w")
	h.as(page)
	for _, to := range []string{"", "moved.md"} {
		if got := message(t, h.try("notes.md", to)); !strings.Contains(got, "could not be noted down") {
			t.Errorf("%q: %s", to, got)
		}
	}
	h.as()
	if got := message(t, h.try("got/offer.txt", "offer.txt")); !strings.Contains(got, "could not be noted down") {
		t.Error(got)
	}
	if d := cmp.Diff(before, all(t, h.root+"/w")); d != "" {
		t.Error(d)
	}
	if left, err := h.hands.j.List(10, func(c loci.Change) bool { return !strings.HasSuffix(c.Path, "todo.md") }); err != nil || len(left) > 0 {
		t.Errorf("notes of what was not done: %v, %v", left, err)
	}
}

// TestOriginSpellings finds what a path has by any spelling, and takes away only what
// that very path has.
func TestOriginSpellings(t *testing.T) {
	h := newHouse(t)
	put := func(path string, whole bool) loci.Origin {
		return loci.Origin{Path: path, Source: path, Whole: whole}
	}
	if err := h.o.change(t.Context(), nil, []loci.Origin{
		put("/h/Notes.md", false), put("/h/notes.md", false), put("/h/got", true), put("/h/...", true), put("/h/named", false), put("/h/got/in", false),
	}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/h/notes.md": "/h/notes.md", "/h/Notes.md": "/h/Notes.md", "/H/NOTES.MD": "any", "/h/notes.md/x": "", "/h/notes": "", "/h": "", "/": "",
		"/h/got": "/h/got", "/h/GOT/a/b": "/h/got", "/h/gotten": "", "/h/.../a": "/h/...", "/h/a": "", "/h/named": "/h/named", "/h/named/a": "",
		"/h/got/in": "/h/got/in", "/h/got/in/x": "/h/got", "/h/got.": "/h/got", "/h/got\u200b/x": "/h/got",
	} {
		o, ok := h.o.of(path)
		if ok != (want != "") || want != "any" && o.Path != want {
			t.Errorf("%s: %q, want %q", path, o.Path, want)
		}
	}
	for path, want := range map[string]int{"/h": 6, "/": 6, "/h/got": 2, "/h/...": 1, "/h/no": 0, "/h/notes.md": 2} {
		if got := h.o.within(path); len(got) != want {
			t.Errorf("within %s: %v", path, got)
		}
	}
	if err := h.o.change(t.Context(), []string{"/h/notes.md", "/h/Got"}, nil); err != nil {
		t.Fatal(err)
	}
	if o, ok := h.o.of("/h/notes.md"); !ok || o.Path != "/h/Notes.md" || len(h.o.within("/")) != 5 {
		t.Errorf("%+v, %d", o, len(h.o.within("/")))
	}
	if o := (*Origins)(nil); o.any() || o.within("/") != nil || o.change(t.Context(), nil, []loci.Origin{put("/x", true)}) != nil {
		t.Error("nil knows something")
	}
}

// TestOriginsReach tells a program's conversation of what in its folders is from
// outside, since nobody sees what it reads.
func TestOriginsReach(t *testing.T) {
	h := newHouse(t)
	h.as(page)
	h.write("notes.md")
	h.write("sum.md")
	want := []string{"notes.md and 1 more" + from, "files in " + h.root + "/w/got, " + h.root + "/w/with/got2"}
	if d := cmp.Diff(want, h.folders(loci.Principal{Owner: true}).Reach().Outside); d != "" {
		t.Error(d)
	}
}

// TestOriginsSwept forgets what was purged from the trash, and nothing else.
func TestOriginsSwept(t *testing.T) {
	h := newHouse(t)
	h.as(page)
	h.write("notes.md")
	h.write("todo.md")
	h.as()
	gone, kept := h.hands.remove("notes.md"), h.hands.remove("todo.md")
	for path := range all(t, h.root+"/bin/"+gone.ID) {
		if path != "." {
			if err := os.Remove(filepath.Join(h.root, "bin", gone.ID, path)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, e := range []struct {
		after time.Duration
		left  int
	}{{0, 2}, {30 * time.Minute, 2}, {2 * time.Hour, 1}} {
		if err := h.o.Sweep(t.Context(), h.root+"/bin", time.Now().Add(e.after)); err != nil || len(h.o.within("/")) != e.left {
			t.Errorf("after %v: %d left, %v", e.after, len(h.o.within("/")), err)
		}
	}
	h.hands.undone(kept.ID)
	if got := h.seen("todo.md"); got != "todo.md"+from {
		t.Error(got)
	}
}

// TestOriginsManyAreNoSlower looks paths up among few and among many: it takes the same.
func TestOriginsManyAreNoSlower(t *testing.T) {
	took := func(n int) float64 {
		h := newHouse(t)
		many := make([]loci.Origin, n)
		for i := range many {
			many[i] = loci.Origin{Path: fmt.Sprintf("/h/folder %d/file %d.md", i%100, i)}
		}
		h.o.keep(nil, many)
		return testing.AllocsPerRun(100, func() { h.o.of("/h/folder 7/another.md") })
	}
	if few, many := took(10), took(20_000); many > few {
		t.Errorf("%v allocations among 10, %v among 20,000", few, many)
	}
}
