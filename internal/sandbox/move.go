package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"loci"
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
	case insideFolded(to.real, s.real) && s.info.IsDir():
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

// Move moves a file or a folder to a spot that is free. was is what State said
// of both when the move was thought out.
func (s *Spot) Move(ctx context.Context, to *Spot, was, free string) error {
	if err := s.CanMove(ctx, to); err != nil {
		return err
	}
	old := s.info
	undo, err := to.makeParents()
	if err == nil {
		err = errors.Join(s.unchanged(ctx, was), to.unchanged(ctx, free))
	}
	if err == nil {
		err = s.before("put in place")
	}
	copied := false
	if err == nil {
		if err = renameNew(s.dir, s.name, to.dir, to.name); errors.Is(err, syscall.EXDEV) {
			err = s.carry(ctx, to)
			copied = true
		}
	}
	if err != nil {
		undo()
		if errors.Is(err, fs.ErrExist) {
			return errExists(to.shown)
		}
		return s.explain(ctx, err)
	}
	return s.arrived(to, old, copied)
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
	return nil
}

// carry moves a file to another disk: it is copied, compared, and only then
// removed.
func (s *Spot) carry(ctx context.Context, to *Spot) (err error) {
	if !s.info.Mode().IsRegular() {
		return &loci.ToolError{
			Message:    fmt.Sprintf("%s cannot be moved there in one piece: it is on another disk, or as good as that to the system.", quote(s.shown)),
			Suggestion: "Move the files in it one by one; folders that are missing there are made.",
			ForPerson:  "Move the files in it one by one, or the folder with a file manager.",
		}
	}
	a := &aside{name: newAside()}
	if err := s.copyTo(ctx, to.dir, a.name); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.drop(to.dir)) }()
	if err := to.before("put in place"); err != nil {
		return err
	}
	if err := renameNew(to.dir, a.name, to.dir, to.name); err != nil {
		return err
	}
	a.name = ""
	if err := errors.Join(syncDir(to.dir), s.before("remove"), s.dir.Remove(s.name)); err != nil {
		return errReadBack("%s was copied to %s, but it could not be removed from its old place.", quote(s.shown), quote(to.shown))
	}
	return nil
}

// copyTo copies the file, with its mode and time, to a new name in an opened
// folder, and reads the copy back. If anything fails nothing stays there.
func (s *Spot) copyTo(ctx context.Context, dir *os.Root, name string) (err error) {
	from, err := s.dir.OpenFile(s.name, readFlags, 0)
	if err != nil {
		return err
	}
	defer from.Close() // opened for reading: closing loses nothing
	if err := s.checkOpened(from); err != nil {
		return err
	}
	to, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, to.Close()); err != nil {
			_ = dir.Remove(name)
		}
	}()
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
	return dir.Chtimes(name, s.info.ModTime(), s.info.ModTime())
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
