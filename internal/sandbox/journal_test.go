package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"loci"
)

// hands makes journalled changes for a test.
type hands struct {
	t *testing.T
	f *Folders
	j Journal
}

func newHands(t *testing.T, root string) *hands {
	return &hands{t, open(t, Config{Folders: []string{root + "/w"}}), Journal{root + "/bin"}}
}

var mira = By{Principal: "owner", Session: "ses_1", Turn: "turn_1", Call: "call_1", Tool: "write_file", Time: monday}

// write, move and remove make a change that must succeed.
func (h *hands) write(path, content string) (c loci.Change) {
	h.t.Helper()
	err := change(h.t, h.f, path, Follow, func(s *Spot, state State) (err error) {
		c, err = h.j.Write(h.t.Context(), s, []byte(content), state, mira)
		return err
	})
	return h.made(c, err)
}

func (h *hands) remove(path string) (c loci.Change) {
	h.t.Helper()
	err := change(h.t, h.f, path, Keep, func(s *Spot, state State) (err error) {
		c, err = h.j.Delete(h.t.Context(), s, state, mira)
		return err
	})
	return h.made(c, err)
}

func (h *hands) move(from, to string) (c loci.Change) {
	h.t.Helper()
	err := change(h.t, h.f, from, Keep, func(s *Spot, was State) error {
		return change(h.t, h.f, to, Keep, func(d *Spot, free State) (err error) {
			c, err = h.j.Move(h.t.Context(), s, d, was, free, mira)
			return err
		})
	})
	return h.made(c, err)
}

func (h *hands) made(c loci.Change, err error) loci.Change {
	h.t.Helper()
	if err != nil || c.ID == "" {
		h.t.Fatalf("%+v, %v", c, err)
	}
	return c
}

// undo takes a change back, and gives the taking back or the error's message.
func (h *hands) undo(id string) (loci.Change, string) {
	h.t.Helper()
	c, err := h.j.Undo(h.t.Context(), h.f, id, By{Principal: "owner", Tool: "undo", Time: monday})
	return c, told(h.t, err)
}

func (h *hands) undone(id string) loci.Change {
	h.t.Helper()
	c, got := h.undo(id)
	if got != "" || c.Undoes != id {
		h.t.Fatalf("%+v: %s", c, got)
	}
	return c
}

// all is everything below a folder, by path from there.
func all(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(folder, path)
		switch {
		case d.IsDir():
			found[rel] = "folder"
		case d.Type()&fs.ModeSymlink != 0:
			found[rel], err = os.Readlink(path)
		default:
			found[rel] = content(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestUndo takes each kind of change back, does it again, and takes that back.
func TestUndo(t *testing.T) {
	for name, make := range map[string]func(h *hands) loci.Change{
		"a new file":            func(h *hands) loci.Change { return h.write("new", "fresh") },
		"a new file in folders": func(h *hands) loci.Change { return h.write("a/b/new", "fresh") },
		"another content":       func(h *hands) loci.Change { return h.write("old", "fresh") },
		"the same content":      func(h *hands) loci.Change { return h.write("sub/x", "X") },
		"a moved file":          func(h *hands) loci.Change { return h.move("old", "a/b/old2") },
		"a moved folder":        func(h *hands) loci.Change { return h.move("sub", "sub2") },
		"a deleted file":        func(h *hands) loci.Change { return h.remove("old") },
		"a deleted folder":      func(h *hands) loci.Change { return h.remove("sub") },
		"a deleted link":        func(h *hands) loci.Change { return h.remove("link") },
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{"w/old": "old", "w/sub/x": "X", "w/sub/deep/y": "Y", "w/sub/l -> x": "", "w/link -> ../out": "", "out/secret": "SECRET"})
			h := newHands(t, root)
			before := all(t, root+"/w")
			x := make(h)
			after := all(t, root+"/w")
			if x.Principal != "owner" || x.Session != "ses_1" || x.Turn != "turn_1" || x.Call != "call_1" || x.Tool != "write_file" || !x.Time.Equal(monday) || !filepath.IsAbs(x.Path) {
				t.Errorf("%+v", x)
			}
			u := h.undone(x.ID)
			if now := all(t, root+"/w"); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Fatalf("after the undo: %v, want %v", now, before)
			}
			if _, got := h.undo(x.ID); !strings.Contains(got, "taken back already") {
				t.Errorf("a second undo: %q", got)
			}
			r := h.undone(u.ID)
			if now := all(t, root+"/w"); fmt.Sprint(now) != fmt.Sprint(after) {
				t.Fatalf("after the redo: %v, want %v", now, after)
			}
			h.undone(r.ID)
			if now := all(t, root+"/w"); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Errorf("after the third undo: %v, want %v", now, before)
			}
			list, err := h.j.List(100, func(loci.Change) bool { return true })
			if err != nil || len(list) != 4 || list[3].ID != x.ID || list[3].Undone != u.ID || list[2].Stands() || !r.Stands() || list[1].Stands() || list[0].Stands() {
				t.Errorf("%+v, %v", list, err)
			}
			litter(t, root)
		})
	}
}

// TestUndoRefused changes things by other hands before a change is taken back: then
// nothing happens, and the person is told what has changed.
func TestUndoRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		make  func(h *hands) loci.Change
		other func(root string) error
		want  string
	}{
		"written again":       {func(h *hands) loci.Change { return h.write("old", "fresh") }, writes("w/old", "mine"), "has changed since"},
		"created and edited":  {func(h *hands) loci.Change { return h.write("new", "fresh") }, writes("w/new", "mine"), "has changed since"},
		"written and deleted": {func(h *hands) loci.Change { return h.write("old", "fresh") }, removes("w/old"), "not there any more"},
		"put back by hand":    {func(h *hands) loci.Change { return h.write("old", "fresh") }, writes("w/old", "old"), "already as it was before"},
		"deleted, new one":    {func(h *hands) loci.Change { return h.remove("old") }, writes("w/old", "mine"), "something at"},
		"deleted, same one":   {func(h *hands) loci.Change { return h.remove("old") }, writes("w/old", "old"), "already as it was before"},
		"moved, new one":      {func(h *hands) loci.Change { return h.move("old", "to") }, writes("w/old", "mine"), "something at"},
		"moved, and back":     {func(h *hands) loci.Change { return h.move("old", "to") }, func(root string) error { return os.Rename(root+"/w/to", root+"/w/old") }, "already as it was before"},
		"moved and edited":    {func(h *hands) loci.Change { return h.move("old", "to") }, writes("w/to", "mine"), "has changed since"},
		"folder with more":    {func(h *hands) loci.Change { return h.move("sub", "to") }, writes("w/to/more", "mine"), "has changed since"},
		"a folder for a link": {func(h *hands) loci.Change { return h.write("sub/x", "fresh") }, func(root string) error {
			return errors.Join(os.Rename(root+"/w/sub", root+"/out"), os.Symlink("../out", root+"/w/sub"))
		}, "outside"},
		"a folder for a link inside": {func(h *hands) loci.Change { return h.write("sub/x", "fresh") }, func(root string) error {
			return errors.Join(os.Rename(root+"/w/sub", root+"/w/sub2"), os.Symlink("sub2", root+"/w/sub"))
		}, "replaced by another one or by a link"},
		"the file for a link": {func(h *hands) loci.Change { return h.write("old", "fresh") }, func(root string) error {
			return errors.Join(os.Rename(root+"/w/old", root+"/w/old2"), os.Symlink("old2", root+"/w/old"))
		}, "has changed since"},
		"the trash emptied": {func(h *hands) loci.Change { return h.remove("old") }, func(root string) error {
			kept, err := filepath.Glob(root + "/bin/*/old")
			return errors.Join(err, os.Remove(kept[0]))
		}, "not there any more"},
		"the old content damaged": {func(h *hands) loci.Change { return h.write("old", "fresh") }, func(root string) error {
			kept, err := filepath.Glob(root + "/bin/*/old")
			return errors.Join(err, os.WriteFile(kept[0], []byte("0ld"), 0o600))
		}, "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{"w/old": "old", "w/sub/x": "X"})
			h := newHands(t, root)
			x := tt.make(h)
			if err := tt.other(root); err != nil {
				t.Fatal(err)
			}
			before := all(t, root+"/w")
			if c, got := h.undo(x.ID); !strings.Contains(got, tt.want) || c.ID != "" {
				t.Errorf("%q, %+v; want %q", got, c, tt.want)
			}
			if now := all(t, root+"/w"); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Errorf("%v became %v", before, now)
			}
			list, err := h.j.List(100, func(loci.Change) bool { return true })
			if err != nil || len(list) != 1 || list[0].Stands() == strings.Contains(tt.want, "already") {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
}

func writes(path, text string) func(string) error {
	return func(root string) error { return os.WriteFile(filepath.Join(root, path), []byte(text), 0o600) }
}

func removes(path string) func(string) error {
	return func(root string) error { return os.Remove(filepath.Join(root, path)) }
}

// TestUndoOnce has several take one change back at the same time: one does.
func TestUndoOnce(t *testing.T) {
	root := tree(t, map[string]string{"w/old": "old"})
	if err := os.Chmod(root+"/w/old", 0o644); err != nil {
		t.Fatal(err)
	}
	h := newHands(t, root)
	x := h.write("old", "fresh")
	if info, err := os.Stat(filepath.Join(root, "bin", x.ID, "old")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("what is kept may be read by others: %v, %v", info, err)
	}
	var good, taken atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := h.j.Undo(t.Context(), h.f, x.ID, mira)
			if err == nil {
				good.Add(1)
			} else if strings.Contains(err.Error(), "taken back already") {
				taken.Add(1)
			}
		})
	}
	all.Wait()
	if good.Load() != 1 || taken.Load() != 7 || content(t, root+"/w/old") != "old" {
		t.Errorf("%d and %d, %q", good.Load(), taken.Load(), content(t, root+"/w/old"))
	}
}

// TestUndoPlaces takes nothing back outside the folders that are allowed now, and
// takes no id for a path.
func TestUndoPlaces(t *testing.T) {
	root := tree(t, map[string]string{"w/old": "old", "w2/x": "", "bin/20261130-120000-0000000a.json": `{"path":"relative","kind":"created"}`, "bin/20261130-120000-0000000b.json": "no note", "secret.json": `{"path":"/etc/x","kind":"file"}`})
	h := newHands(t, root)
	x := h.write("old", "fresh")
	other := open(t, Config{Folders: []string{root + "/w2"}})
	if _, err := h.j.Undo(t.Context(), other, x.ID, mira); !strings.Contains(told(t, err), "not in a folder that is allowed") || content(t, root+"/w/old") != "fresh" {
		t.Errorf("%v", err)
	}
	for access, want := range map[Access]string{ReadOnly: "may only be looked into", Never: "has closed"} {
		closed := open(t, Config{Folders: []string{root + "/w"}, Rules: Rules{{Path: root + "/w", Access: access}}})
		if _, err := h.j.Undo(t.Context(), closed, x.ID, mira); !strings.Contains(told(t, err), want) || content(t, root+"/w/old") != "fresh" {
			t.Errorf("%s: %v", access, err)
		}
	}
	for _, id := range []string{"", "..", "../secret", "20261130-120000-0000000a", "20261130-120000-0000000b", "20261130-120000-00000000", x.ID + ".json", "../bin/" + x.ID, x.ID + "\n"} {
		if c, err := h.j.Undo(t.Context(), h.f, id, mira); err == nil || errors.Is(err, fs.ErrNotExist) == strings.HasSuffix(id, "0a") || c.ID != "" {
			if !strings.HasSuffix(id, "0b") {
				t.Errorf("%q: %+v, %v", id, c, err)
			}
		}
	}
	if list, err := h.j.List(1, func(loci.Change) bool { return true }); err != nil || len(list) != 1 || list[0].ID != x.ID {
		t.Errorf("%+v, %v", list, err)
	}
	none := Journal{root + "/none"}
	if list, err := none.List(1, func(loci.Change) bool { return true }); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestOldTrash takes back a deletion that was noted when the trash knew nothing else.
func TestOldTrash(t *testing.T) {
	root := tree(t, map[string]string{"w/": "", "bin/20261130-120000-0123abcd/gone": "G"})
	note := fmt.Sprintf(`{"path":%q,"kind":"file","bytes":1,"time":"2026-11-30T12:00:00.000Z"}`, root+"/w/gone")
	if err := os.WriteFile(root+"/bin/20261130-120000-0123abcd.json", []byte(note), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHands(t, root)
	h.undone("20261130-120000-0123abcd")
	if content(t, root+"/w/gone") != "G" {
		t.Error("it is not back")
	}
}

// TestJournalFailures makes each system call of a change fail in turn: what was
// done can be taken back, and of what was not done no note stays.
func TestJournalFailures(t *testing.T) {
	for name, make := range map[string]func(h *hands) (loci.Change, error){
		"write": func(h *hands) (c loci.Change, err error) {
			err = change(h.t, h.f, "old", Follow, func(s *Spot, state State) (err error) {
				c, err = h.j.Write(h.t.Context(), s, []byte("fresh"), state, mira)
				return err
			})
			return c, err
		},
		"create": func(h *hands) (c loci.Change, err error) {
			err = change(h.t, h.f, "a/new", Follow, func(s *Spot, state State) (err error) {
				c, err = h.j.Write(h.t.Context(), s, []byte("fresh"), state, mira)
				return err
			})
			return c, err
		},
		"delete": func(h *hands) (c loci.Change, err error) {
			err = change(h.t, h.f, "sub", Keep, func(s *Spot, state State) (err error) {
				c, err = h.j.Delete(h.t.Context(), s, state, mira)
				return err
			})
			return c, err
		},
		"move": func(h *hands) (c loci.Change, err error) {
			err = change(h.t, h.f, "sub", Keep, func(s *Spot, was State) error {
				return change(h.t, h.f, "b/sub2", Keep, func(d *Spot, free State) (err error) {
					c, err = h.j.Move(h.t.Context(), s, d, was, free, mira)
					return err
				})
			})
			return c, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for n := 1; n < n1; n++ {
				root := tree(t, map[string]string{"w/old": "old", "w/sub/x": "X"})
				h := newHands(t, root)
				before := fmt.Sprint(all(t, root+"/w"))
				count, failed := 0, ""
				h.f.before = func(call string) error {
					if count++; count == n {
						failed = call
						return errors.New("made up")
					}
					return nil
				}
				_, err := make(h)
				h.f.before = nil
				list, err2 := h.j.List(10, func(loci.Change) bool { return true })
				done := fmt.Sprint(all(t, root+"/w")) != before
				if (err == nil) != (failed == "") || err2 != nil || done != (len(list) == 1) {
					t.Errorf("%s failed: %v, done %v, %+v, %v", failed, err, done, list, err2)
				}
				if done {
					h.undone(list[0].ID)
				} else if left, _ := os.ReadDir(root + "/bin"); len(left) > 0 {
					t.Errorf("%s failed: %v is left", failed, left)
				}
				if now := fmt.Sprint(all(t, root+"/w")); now != before {
					t.Errorf("%s failed: %s, want %s", failed, now, before)
				}
				if failed == "" {
					return
				}
			}
			t.Error("a change without a failure was not tried")
		})
	}
}

// TestNotKept refuses to write over what cannot be kept.
func TestNotKept(t *testing.T) {
	root := tree(t, map[string]string{"w/old": "old", "bin": "a file"})
	h := newHands(t, root)
	err := change(t, h.f, "old", Follow, func(s *Spot, state State) error {
		_, err := h.j.Write(t.Context(), s, []byte("fresh"), state, mira)
		return err
	})
	if got := told(t, err); !strings.Contains(got, "trash") || content(t, root+"/w/old") != "old" {
		t.Errorf("%q", got)
	}
}

// TestOrder lists changes that were made in one moment in their order.
func TestOrder(t *testing.T) {
	root := tree(t, map[string]string{"w/old": "0"})
	h := newHands(t, root)
	var ids []string
	for i := range 20 {
		ids = append(ids, h.write("old", fmt.Sprint(i+1)).ID)
	}
	if !slices.IsSorted(ids) {
		t.Errorf("%v", ids)
	}
	for _, id := range slices.Backward(ids) {
		h.undone(id)
	}
	if content(t, root+"/w/old") != "0" {
		t.Error(content(t, root+"/w/old"))
	}
}

// TestTrim drops the oldest of what was written over, and nothing of what was
// deleted.
func TestTrim(t *testing.T) {
	root := tree(t, map[string]string{"w/old": strings.Repeat("x", 100), "w/big": strings.Repeat("b", 1000)})
	h := newHands(t, root)
	gone := h.remove("big")
	first := h.write("old", strings.Repeat("y", 100))
	second := h.write("old", "z")
	for _, tt := range []struct{ most, removed int64 }{{200, 0}, {199, 1}, {199, 0}} {
		if n, err := Trim(root+"/bin", tt.most); int64(n) != tt.removed || err != nil {
			t.Errorf("%d: %d, %v", tt.most, n, err)
		}
	}
	h.undone(second.ID)
	if _, err := h.j.Undo(t.Context(), h.f, first.ID, mira); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	h.undone(gone.ID)
	if n, err := Purge(root+"/bin", monday.Add(Kept+time.Hour)); n != 3 || err != nil { // what two wrote over, and where the deleted one lay
		t.Errorf("%d, %v", n, err)
	}
	if left, err := os.ReadDir(root + "/bin"); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestUndoLarge takes back what was done to files too large to be read.
func TestUndoLarge(t *testing.T) {
	root := tree(t, map[string]string{"w/big": "x"})
	if err := os.Truncate(root+"/w/big", MaxText+1); err != nil {
		t.Fatal(err)
	}
	h := newHands(t, root)
	moved, gone := h.move("big", "sub/big"), h.remove("sub/big")
	u := h.undone(gone.ID)
	h.undone(h.undone(u.ID).ID)
	h.undone(moved.ID)
	if info, err := os.Stat(root + "/w/big"); err != nil || info.Size() != MaxText+1 {
		t.Errorf("%v, %v", info, err)
	}
	moved = h.move("big", "big2")
	if err := os.Truncate(root+"/w/big2", MaxText+2); err != nil {
		t.Fatal(err)
	}
	if _, got := h.undo(moved.ID); !strings.Contains(got, "has changed since") {
		t.Error(got)
	}
}

// TestNames takes files with several names only where somebody knows of it.
func TestNames(t *testing.T) {
	root := tree(t, map[string]string{"w/one": "1", "w/x": "x", "out/": ""})
	if err := os.Link(root+"/w/x", root+"/out/x"); err != nil {
		t.Skip("no hard links here:", err)
	}
	h := newHands(t, root)
	if n, was := h.f.Names("one"); n != 1 {
		t.Errorf("%d, %q", n, was)
	}
	if n, _ := h.f.Names("gone"); n != 1 {
		t.Errorf("%d", n)
	}
	n, was := h.f.Names("x")
	file, _, now, err := h.f.OpenNamed(t.Context(), "x")
	if err != nil || n != 2 || was != now || was == "" {
		t.Fatalf("%d, %q, %q, %v", n, was, now, err)
	}
	file.Close()
	if got := read(t, h.f, "x"); !strings.Contains(got, "has 2 hard links") {
		t.Error(got)
	}
	s, err := h.f.Spot(t.Context(), "x", Follow)
	if err != nil || s.Names() != 2 {
		t.Fatal(s, err)
	}
	defer s.Close()
	if _, err := s.State(t.Context()); !strings.Contains(told(t, err), "has 2 hard links") {
		t.Error(err)
	}
	s.AllowNames()
	state, err := s.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := h.j.Write(t.Context(), s, []byte("fresh"), state, mira)
	if err != nil || content(t, root+"/w/x") != "fresh" || content(t, root+"/out/x") != "x" {
		t.Errorf("%v, %q, %q", err, content(t, root+"/w/x"), content(t, root+"/out/x"))
	}
	h.undone(c.ID)
	if content(t, root+"/w/x") != "x" {
		t.Error("it is not back")
	}
	if n, _ := h.f.Names("x"); n != 1 && runtime.GOOS != "windows" {
		t.Errorf("it has %d names", n)
	}
}
