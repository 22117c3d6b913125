//go:build unix

package sandbox

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// whileSwapped does something again and again, while each of the named things in a
// folder changes places with its other, NAME2. A burst of that begins whenever again
// is called.
func whileSwapped(folder string, names []string, do func(again func())) {
	span, loops := time.Second, 1
	if *long {
		span, loops = 3*time.Second, 4
	}
	for range loops {
		stop, again := make(chan struct{}), make(chan struct{}, 1)
		var swapper sync.WaitGroup
		swapper.Go(func() {
			for {
				for range rand.IntN(100) {
					for _, name := range names {
						a := filepath.Join(folder, name)
						_, _, _ = os.Rename(a, a+"3"), os.Rename(a+"2", a), os.Rename(a+"3", a+"2")
					}
				}
				select { // a rest now and then, or what takes long would never come to its end
				case <-stop:
					return
				case <-again:
				}
			}
		})
		for end := time.Now().Add(span); time.Now().Before(end); {
			do(func() {
				select {
				case again <- struct{}{}:
				default:
				}
			})
		}
		close(stop)
		swapper.Wait()
	}
}

// racer is somebody who does something while names are swapped, and counts how often
// it went well.
type racer struct {
	*hands
	good  int
	again func() // has names swapped again
}

// did counts, and looks for what is outside in what was given.
func (r *racer) did(err error, seen string) {
	if strings.Contains(seen, "SECRET") || strings.Contains(seen, "leak") {
		r.t.Fatalf("the outside was seen: %q", seen)
	}
	if err == nil {
		r.good++
	}
	r.again()
}

// raced are the paths that lead to the outside half of the time: by a file, by its
// folder, by the folder of that, and into a protected place.
var raced = []string{"f", "d/f", "p/q/f", "e/f"}

// read, list, search, create, remove, moveTo and takeBack are what tools and people do.
func (r *racer) read() {
	for _, path := range raced[:3] {
		file, _, err := r.f.Open(r.t.Context(), path)
		if err != nil {
			r.again()
			continue
		}
		b, err := io.ReadAll(file)
		file.Close()
		r.did(err, string(b))
	}
}

func (r *racer) list() {
	for _, path := range []string{"d", "p/q"} {
		entries, _, err := r.f.ReadDir(r.t.Context(), path)
		for _, e := range entries {
			r.did(err, e.Name)
		}
	}
}

func (r *racer) search() {
	for e, err := range r.f.Walk(r.t.Context(), ".", Limits{}) {
		if err != nil {
			continue
		}
		r.did(nil, e.Name)
		if file, _, err := e.Open(); err == nil {
			b, err := io.ReadAll(file)
			file.Close()
			r.did(err, string(b))
		}
	}
}

func (r *racer) create() {
	for _, path := range append(raced, "d/new", "p/q/n/new", "e/n/new") {
		r.did(change(r.t, r.f, path, Follow, func(s *Spot, state State) error {
			_, err := r.j.Write(r.t.Context(), s, []byte("fine"), state, mira)
			return err
		}), "")
	}
}

func (r *racer) remove() {
	r.create()
	for _, path := range append(raced, "d", "p/q", "e/n") {
		r.did(change(r.t, r.f, path, Keep, func(s *Spot, state State) error {
			_, err := r.j.Delete(r.t.Context(), s, state, mira)
			return err
		}), "")
	}
}

func (r *racer) moveTo() {
	r.create()
	for i, path := range raced {
		r.did(moving(r.t, r.f, path, fmt.Sprintf("d/moved%d", i)), "")
		r.did(moving(r.t, r.f, fmt.Sprintf("d/moved%d", i), path), "")
		r.did(moving(r.t, r.f, "d/new", "e/new"), "")
		r.did(moving(r.t, r.f, "e/new", "p/q/new"), "")
	}
}

func (r *racer) takeBack() {
	for _, path := range raced {
		for _, act := range []func(*Spot, State) (string, error){
			func(s *Spot, state State) (string, error) {
				c, err := r.j.Write(r.t.Context(), s, []byte("fresh"), state, mira)
				return c.ID, err
			},
			func(s *Spot, state State) (string, error) {
				c, err := r.j.Delete(r.t.Context(), s, state, mira)
				return c.ID, err
			},
		} {
			id := ""
			_ = change(r.t, r.f, path, Keep, func(s *Spot, state State) (err error) {
				id, err = act(s, state)
				return err
			})
			if id != "" {
				_, err := r.j.Undo(r.t.Context(), r.f, id, mira)
				r.did(err, "")
			}
		}
	}
}

// TestRace swaps a file, its folder, the folder of that, and a folder and a
// protected one, for links to the outside, under each of those who read and change
// files: nothing from outside ever shows, and nothing there changes. It is case 4 of
// what is tried on purpose.
func TestRace(t *testing.T) {
	for name, act := range map[string]func(*racer){
		"reader": (*racer).read, "lister": (*racer).list, "searcher": (*racer).search, "writer": (*racer).create, "deleter": (*racer).remove, "mover": (*racer).moveTo, "undoer": (*racer).takeBack,
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{
				"w/f": "fine", "w/f2 -> ../out/f": "", "w/d/f": "fine", "w/d2 -> ../out": "", "w/p/q/f": "fine", "w/p2 -> ../up": "", "w/e/f": "fine", "w/e2 -> .git": "", "w/.git/f": "GIT",
				"out/f": "SECRET", "out/leak": "", "up/q/f": "SECRET", "up/q/leak": "",
			})
			r := &racer{hands: newHands(t, root)}
			places := []string{"/out", "/up", "/w/.git"}
			var before []map[string]string
			for _, place := range places {
				before = append(before, all(t, root+place))
			}
			for tries := 0; r.good == 0 && tries < 10; tries++ { // a busy machine may never let it come through
				whileSwapped(root+"/w", []string{"d", "f", "p", "e"}, func(again func()) {
					r.again = again
					act(r)
				})
			}
			for i, place := range places {
				if now := all(t, root+place); !maps.Equal(now, before[i]) {
					t.Errorf("%s was changed: %v", place, now)
				}
			}
			for _, place := range []string{"/bin", "/w/d", "/w/p", "/w/e"} {
				if info, err := os.Lstat(root + place); err != nil || !info.IsDir() {
					continue
				}
				for path, text := range all(t, root+place) {
					if strings.Contains(text, "SECRET") {
						t.Errorf("%s%s has what was outside", place, path)
					}
				}
			}
			if r.good == 0 {
				t.Error("nothing ever went well: the race proves nothing")
			}
			t.Logf("%d times, nothing outside", r.good)
		})
	}
}
