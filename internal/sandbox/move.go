package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"loci"
	"loci/internal/where"
)

// CanMove tells why the spot's file or folder cannot be moved to another spot;
// nil if it can. Nothing is ever overwritten, and links stay where they are: one
// that was moved could lead somewhere else.
func (s *Spot) CanMove(ctx context.Context, to *Spot) error {
	switch {
	case s.info == nil:
		return s.Missing(ctx)
	case s.info.Mode()&fs.ModeSymlink != 0:
		return errKept("%s is a link, and links are not moved.", quote(s.shown))
	case s.info.IsDir() && s.contains(to):
		return errKept("%s would be moved into itself.", quote(s.shown))
	case to.info != nil:
		return errExists(to.shown)
	}
	err := to.newNames()
	if err == nil && !s.info.IsDir() {
		err = s.movable()
	}
	if err == nil {
		err = s.whole(ctx, to.real)
	}
	if err != nil {
		return s.explain(ctx, err)
	}
	return nil
}

// movable refuses a file that may belong to another folder too, and what is no
// file.
func (s *Spot) movable() error {
	if err := checkKind(s.info, s.shown); err != nil {
		return err
	}
	file, err := s.dir.OpenFile(s.name, readFlags, 0)
	if err != nil {
		return err
	}
	return errors.Join(s.checkOpened(file), file.Close())
}

// contains tells whether a spot lies in the folder that is here.
func (s *Spot) contains(to *Spot) bool {
	path, err := to.parent()
	if err != nil {
		return where.In(to.real, s.real)
	}
	for {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, s.info) {
			return true
		}
		up := filepath.Dir(path)
		if up == path {
			return false
		}
		path = up
	}
}

// Move moves a file or a folder to a spot that is free. was and free are what
// State said of the two when the move was thought out.
func (s *Spot) Move(ctx context.Context, to *Spot, was, free State) error {
	if err := s.CanMove(ctx, to); err != nil {
		return err
	}
	undo, err := to.makeParents()
	if err == nil {
		to.sweep()
		err = to.unchanged(ctx, free)
	}
	if err != nil {
		undo()
		return to.explain(ctx, err)
	}
	if err = s.unchanged(ctx, was); err == nil {
		return s.shift(ctx, to, undo)
	}
	undo()
	return s.explain(ctx, err)
}

// shift puts the thing into a spot that is free, in one step where that is on the
// same disk. undo is called if that fails.
func (s *Spot) shift(ctx context.Context, to *Spot, undo func()) error {
	old, copied := s.info, false
	err := s.before("put in place")
	if err == nil {
		if err = renameNew(s.dir, s.name, to.dir, to.name); errors.Is(err, syscall.EXDEV) {
			err = s.carry(ctx, to)
			copied = true
		}
	}
	if s.acted = err == nil || !s.stays(); err != nil {
		undo()
		if errors.Is(err, fs.ErrExist) {
			return errExists(to.shown)
		}
		return s.blamed(to, err).explain(ctx, err)
	}
	return s.arrived(to, old, copied)
}

// blamed is the end of a move that an error of the system is about.
func (s *Spot) blamed(to *Spot, err error) *Spot {
	room := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
	if room || errors.Is(err, fs.ErrPermission) && !writable(to.dir) {
		return to
	}
	return s
}

// arrived makes both folders durable and looks whether the thing is where it
// should be, and only there.
func (s *Spot) arrived(to *Spot, old fs.FileInfo, copied bool) error {
	err := errors.Join(s.before("sync folder"), syncDir(to.dir), syncDir(s.dir))
	if err != nil {
		return errReadBack("%s was moved, but the system could not tell that it is safe on the disk: %s.", quote(s.shown), reason(err))
	}
	err = errors.Join(s.before("read back"), to.look())
	if err != nil || to.info == nil || s.stays() || !copied && !os.SameFile(old, to.info) {
		return errReadBack("%s was moved, but it is not found at %s, or still at its old place.", quote(s.shown), quote(to.shown))
	}
	return to.remains("put there")
}

// carry moves a file to another disk: it is copied, compared, and only then
// removed.
func (s *Spot) carry(ctx context.Context, to *Spot) error {
	if !s.info.Mode().IsRegular() {
		return &loci.ToolError{
			Message:    fmt.Sprintf("%s cannot be moved there in one piece: it is on another disk, or as good as that to the system.", quote(s.shown)),
			Suggestion: "Move the files in it one by one; folders that are missing there are made.",
			ForPerson:  "Move the files in it one by one, or the folder with a file manager.",
		}
	}
	err := s.carryBy(ctx, to, false)
	if errors.Is(err, errNoName) {
		err = s.carryBy(ctx, to, true)
	}
	return err
}

// carryBy copies to a file aside, which has no name yet if that is possible.
func (s *Spot) carryBy(ctx context.Context, to *Spot, named bool) (err error) {
	a, err := to.newAside(named, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.drop(to.dir)) }()
	if err := s.copyTo(ctx, a.file); err != nil {
		return err
	}
	made, err := a.file.Stat()
	if err == nil {
		err = to.seal(a)
	}
	if err == nil {
		err = to.place(a)
	}
	if err != nil {
		return err
	}
	s.keepTime(to.dir, to.name)
	return s.discard(to.dir, func() error {
		if there, err := to.dir.Lstat(to.name); err != nil || !os.SameFile(there, made) {
			return errors.Join(err, errMoved(to.shown))
		}
		return to.dir.Remove(to.name)
	})
}

// discard removes the original of a copy in an opened folder. It must still be
// what was copied: if it is not, or cannot be removed, the copy is taken back. When
// it is gone by itself the copy is all that is left of it, and stays.
func (s *Spot) discard(copied *os.Root, takeBack func() error) error {
	err := syncDir(copied)
	if err == nil {
		err = s.before("remove")
	}
	if err == nil {
		var info fs.FileInfo
		if info, err = s.dir.Lstat(s.name); err == nil && traits(info) != traits(s.info) {
			err = errMoved(s.shown)
		}
	}
	if err == nil {
		err = s.dir.Remove(s.name)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, gone := s.dir.Lstat(s.name); gone == nil && takeBack() == nil {
		return err
	}
	return errReadBack("A copy of %s was made at its new place, but it could not be removed from its old one.", quote(s.shown))
}

// keepTime gives a copy the time of the original, where the system permits it.
func (s *Spot) keepTime(dir *os.Root, name string) {
	_ = dir.Chtimes(name, s.info.ModTime(), s.info.ModTime()) // it is no part of what a person wrote
}

// copyTo copies the file, with its mode, into a new one, and reads the copy back.
func (s *Spot) copyTo(ctx context.Context, to *os.File) error {
	from, err := s.dir.OpenFile(s.name, readFlags, 0)
	if err != nil {
		return err
	}
	defer from.Close() // opened for reading: closing loses nothing
	if err := s.checkOpened(from); err != nil {
		return err
	}
	if _, err := io.Copy(to, reader{ctx, from}); err != nil {
		return err
	}
	keepOwner(to, s.info)
	if err := errors.Join(s.before("sync"), to.Chmod(s.info.Mode().Perm()), to.Sync()); err != nil {
		return err
	}
	if err := same(ctx, from, to); err != nil {
		return err
	}
	if info, err := from.Stat(); err != nil || traits(info) != traits(s.info) {
		return errors.Join(err, errMoved(s.shown))
	}
	return nil
}

// same compares two files from their beginnings.
func same(ctx context.Context, a, b io.ReadSeeker) error {
	for _, f := range []io.Seeker{a, b} {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	left, right := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(reader{ctx, a}, left)
		m, err2 := io.ReadFull(b, right)
		if !bytes.Equal(left[:n], right[:m]) {
			return errReadBack("A copy was made, but reading it back gave something else; the file is where it was.")
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err = errors.Join(err, err2); err != nil {
			return err
		}
	}
}

// reader reads until its context ends.
type reader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
