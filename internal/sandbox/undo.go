package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"loci"
	"loci/internal/where"
)

// Undo takes one change back, and gives the change that this is. It happens only
// in the folders of f, only if what is at the place now is what the change left
// there, and never overwrites anything that it does not keep. By is who wants it.
//
// The error is fs.ErrNotExist where there is no such change, and otherwise a
// *loci.ToolError that says in a sentence why it cannot be taken back.
func (j *Journal) Undo(ctx context.Context, f *Folders, id string, by By) (loci.Change, error) {
	bin, x, err := j.open(id)
	if err != nil {
		return loci.Change{}, err
	}
	defer bin.Close() // each step in it was checked
	at := x.Path
	if x.Kind == loci.ChangeMoved {
		at = x.To
	}
	s, err := f.again(ctx, at)
	if err != nil {
		return loci.Change{}, err
	}
	defer s.Close()
	release, err := Lock(ctx, s)
	if err != nil {
		return loci.Change{}, err
	}
	defer release()
	if x, err = readNote(bin, id); err != nil { // with nobody else at the place
		return loci.Change{}, err
	}
	if x.Undone != "" {
		return loci.Change{}, errUndone(x)
	}
	u := undoing{j: j, f: f, bin: bin, x: x, s: s, by: by}
	if u.was, err = s.State(ctx); err != nil {
		return loci.Change{}, err
	}
	if err := u.check(ctx); err != nil {
		return loci.Change{}, err
	}
	done, err := u.run(ctx)
	if done.ID == "" {
		return done, err
	}
	x.Undone = done.ID
	if err2 := rewrite(bin, x); err2 != nil && err == nil {
		err = errReadBack("%s is as it was before, but that could not be noted down: %s.", quote(at), reason(err2))
	}
	return done, err
}

// again opens a place that was changed once. It must not have become another one.
func (f *Folders) again(ctx context.Context, path string) (*Spot, error) {
	s, err := f.Spot(ctx, path, Keep)
	if err != nil {
		return nil, err
	}
	if s.real != path {
		return nil, errors.Join(errSince("The folder of %s was replaced by another one or by a link", path), s.Close())
	}
	s.AllowNames() // a person wants it
	return s, nil
}

// undoing is one change that is being taken back.
type undoing struct {
	j   *Journal
	f   *Folders
	bin *os.Root
	x   record
	s   *Spot // where the change left something, or nothing
	was State // of the spot
	by  By
}

// check compares what is there with what the change left.
func (u *undoing) check(ctx context.Context) error {
	now := u.s.mark(u.was)
	moved := u.x.Kind == loci.ChangeMoved
	switch {
	case now == u.x.After, u.x.After == "" && now == nothing: // a deletion noted without states
		return nil
	case now == u.x.Before && !moved, now == nothing && moved && u.back(ctx):
		u.x.Undone = u.x.ID // there is nothing to take back
		_ = rewrite(u.bin, u.x)
		e := errSince("%s is already as it was before this change", u.x.Path)
		e.ForPerson = "There is nothing to put back."
		return e
	case now == nothing:
		return errSince("%s is not there any more: it was moved or deleted since", u.s.real)
	case u.x.After == nothing:
		return errSince("There is something at %s again", u.s.real)
	}
	return errSince("%s has changed since", u.s.real)
}

// back tells whether what was moved is where it was before.
func (u *undoing) back(ctx context.Context) bool {
	s, err := u.f.again(ctx, u.x.Path)
	if err != nil {
		return false
	}
	defer s.Close()
	now, err := s.State(ctx)
	return err == nil && s.mark(now) == u.x.Before
}

// note begins the record of the undoing.
func (u *undoing) note() record {
	r := u.by.record("", u.s)
	r.Undoes, r.Redoes = u.x.ID, u.x.Undoes != "" && !u.x.Redoes
	return r
}

// run does the opposite of the change.
func (u *undoing) run(ctx context.Context) (loci.Change, error) {
	switch u.x.Kind {
	case loci.ChangeCreated:
		if err := u.s.CanDelete(ctx); err != nil {
			return loci.Change{}, err
		}
		done, err := u.j.remove(ctx, u.s, u.was, u.note())
		if err == nil {
			u.unmake(ctx, u.x.Path)
		}
		return done, err
	case loci.ChangeWritten:
		return u.writeBack(ctx)
	case loci.ChangeMoved:
		return u.moveBack(ctx)
	}
	return u.restore(ctx)
}

// writeBack puts the old content back.
func (u *undoing) writeBack(ctx context.Context) (loci.Change, error) {
	var kept []byte
	info, err := u.bin.Lstat(u.keptName())
	if err == nil && info.Mode().IsRegular() && info.Size() <= MaxText {
		kept, err = u.bin.ReadFile(u.keptName())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return loci.Change{}, errLost(u.x)
	case err != nil:
		return loci.Change{}, u.s.explain(ctx, err)
	case markText(kept) != u.x.Before:
		return loci.Change{}, errSince("What was kept of %s is damaged", u.x.Path)
	}
	if err := u.s.replaceable(); err != nil {
		return loci.Change{}, u.s.explain(ctx, err)
	}
	r := u.note()
	r.from = u.kept()
	return u.j.write(ctx, u.s, kept, u.was, r)
}

// keptName is where the journal keeps what the change took away.
func (u *undoing) keptName() string { return filepath.Join(u.x.ID, filepath.Base(u.x.Path)) }

// kept is where that is.
func (u *undoing) kept() string { return filepath.Join(where.Real(u.j.Dir), u.keptName()) }

// moveBack moves to where it was.
func (u *undoing) moveBack(ctx context.Context) (loci.Change, error) {
	to, err := u.f.again(ctx, u.x.Path)
	if err != nil {
		return loci.Change{}, err
	}
	defer to.Close()
	if to.info != nil {
		return loci.Change{}, errSince("There is something at %s again", to.real)
	}
	free, err := to.State(ctx)
	if err == nil {
		err = u.s.CanMove(ctx, to)
	}
	if err != nil {
		return loci.Change{}, err
	}
	done, err := u.j.move(ctx, u.s, to, u.was, free, u.note())
	if err == nil {
		u.unmake(ctx, u.x.To)
	}
	return done, err
}

// unmake removes the folders that the change made on its way, where they are empty.
func (u *undoing) unmake(ctx context.Context, path string) {
	for range u.x.Made {
		path = filepath.Dir(path)
		s, err := u.f.Spot(ctx, path, Keep)
		if err != nil {
			return
		}
		if s.real == path && s.info != nil && s.info.IsDir() {
			if err = s.dir.Remove(s.name); err == nil { // not if it is in use by now
				u.f.origins.settle(ctx, []string{path}, nil)
			}
		}
		if errors.Join(err, s.Close()) != nil {
			return
		}
	}
}

// restore puts back what was deleted.
func (u *undoing) restore(ctx context.Context) (loci.Change, error) {
	into, err := u.bin.OpenRoot(u.x.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return loci.Change{}, errLost(u.x)
	}
	if err != nil {
		return loci.Change{}, u.s.explain(ctx, err)
	}
	defer into.Close() // each step in it is checked
	name := filepath.Base(u.x.Path)
	kept := &Spot{f: u.f, dir: into, name: name, real: u.kept(), shown: u.s.shown, linked: true}
	if err := kept.look(); err != nil {
		return loci.Change{}, u.s.explain(ctx, err)
	}
	if kept.info == nil {
		return loci.Change{}, errLost(u.x)
	}
	before, err := kept.State(ctx)
	if err != nil {
		return loci.Change{}, err
	}
	r := u.note()
	r.Kind, r.Before, r.After, r.Made = loci.ChangeCreated, nothing, kept.mark(before), len(u.s.missing)
	r.from = u.kept()
	r.Thing, r.Bytes, r.Things = u.x.Thing, u.x.Bytes, u.x.Things
	return u.j.do(ctx, u.s, r, func(e *entry) error {
		if err := e.note(u.s, r); err != nil {
			return u.s.explain(ctx, err)
		}
		return u.takeOut(ctx, kept)
	})
}

// takeOut moves what was kept to the spot, which must still be free.
func (u *undoing) takeOut(ctx context.Context, kept *Spot) error {
	undo, err := u.s.makeParents()
	if err == nil {
		err = u.s.unchanged(ctx, u.was)
	}
	if err != nil {
		undo()
		return u.s.explain(ctx, err)
	}
	if kept.info.Mode()&fs.ModeSymlink == 0 {
		err = kept.shift(ctx, u.s, undo)
		u.s.acted = kept.acted
		return err
	}
	target, err := kept.dir.Readlink(kept.name) // a link may lie on another disk, and is not worth a copy
	if err == nil {
		err = u.s.dir.Symlink(target, u.s.name)
	}
	if err != nil {
		undo()
		return u.s.explain(ctx, err)
	}
	u.s.acted = true
	if err := errors.Join(syncDir(u.s.dir), kept.dir.Remove(kept.name)); err != nil {
		return errReadBack("%s is back, but the trash still has it too: %s.", quote(u.s.shown), reason(err))
	}
	return nil
}

// errSince is the error for a change that cannot be taken back, because of what has
// happened since.
func errSince(format, path string) *loci.ToolError {
	return &loci.ToolError{
		Message:    fmt.Sprintf(format, quote(path)) + ", so the change was not taken back.",
		Suggestion: "Tell the person.",
		ForPerson:  "Nothing was changed.",
	}
}

// errUndone is the error for what was taken back once already.
func errUndone(x record) *loci.ToolError {
	e := errSince("This change of %s was taken back already", x.Path)
	if x.Undone == x.ID {
		e = errSince("%s was already as it was before this change", x.Path)
	}
	return e
}

// errLost is the error for a change of which nothing is kept any more.
func errLost(x record) *loci.ToolError {
	return errSince("What was kept of %s is not there any more", x.Path)
}
