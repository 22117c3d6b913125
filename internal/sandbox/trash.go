package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"loci"
	"loci/internal/where"
)

// CanDelete tells why the spot cannot be deleted; nil if it can. Of a link only
// the link is deleted, never what it leads to.
func (s *Spot) CanDelete(ctx context.Context) error {
	if s.info == nil {
		return s.Missing(ctx)
	}
	if s.kind() == "" {
		return checkKind(s.info, s.shown)
	}
	if err := s.whole(ctx, ""); err != nil {
		return s.explain(ctx, err)
	}
	return nil
}

// kind names what is there; empty where it is nothing that can be deleted.
func (s *Spot) kind() string {
	switch mode := s.info.Mode(); {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeSymlink != 0:
		return "link"
	}
	return ""
}

// Delete moves what is there into the journal, under its name in the folder of the
// change. was is what [Spot.State] said when this was thought out.
func (j *Journal) Delete(ctx context.Context, s *Spot, was State, by By) (loci.Change, error) {
	if err := s.CanDelete(ctx); err != nil {
		return loci.Change{}, err
	}
	return j.remove(ctx, s, was, by.record(loci.ChangeDeleted, s))
}

func (j *Journal) remove(ctx context.Context, s *Spot, was State, r record) (loci.Change, error) {
	if insideFolded(where.Real(j.Dir), s.real) {
		return loci.Change{}, errKept("%s has the trash in it.", quote(s.shown))
	}
	s.sweep()
	if err := s.unchanged(ctx, was); err != nil {
		return loci.Change{}, s.explain(ctx, err)
	}
	r.Kind, r.Before, r.After = loci.ChangeDeleted, s.mark(was), nothing
	return j.do(ctx, s, r, func(e *entry) error {
		err := e.note(s, r)
		if err == nil {
			err = s.throw(ctx, e.kept)
		}
		if err != nil {
			return s.explain(ctx, err)
		}
		return s.gone(e)
	})
}

// gone makes the folders durable, and looks whether the thing is in the folder that
// keeps it, and only there.
func (s *Spot) gone(e *entry) error {
	if err := errors.Join(s.before("sync folder"), syncDir(e.kept), syncDir(e.bin), syncDir(s.dir)); err != nil {
		return errReadBack("%s was put into the trash, but the system could not tell that it is safe on the disk: %s.", quote(s.shown), reason(err))
	}
	named, err := os.Stat(e.bin.Name())
	if opened, err2 := e.bin.Stat("."); err != nil || err2 != nil || !os.SameFile(named, opened) {
		return errReadBack("%s was put into the trash, but that was moved away at that moment.", quote(s.shown))
	}
	there, err := e.kept.Lstat(s.name)
	if err = errors.Join(err, s.before("read back")); err != nil || s.stays() || there.Mode().Type() != s.info.Mode().Type() || there.Size() != s.info.Size() {
		return errReadBack("%s was put into the trash, but it is not as it was, or still found at its old place.", quote(s.shown))
	}
	return nil
}

// stays tells whether there is still something under the very name: the other
// Unicode form of it may be another file.
func (s *Spot) stays() bool {
	_, err := s.dir.Lstat(s.name)
	return !errors.Is(err, fs.ErrNotExist)
}

// openTrash opens the journal, which is made if there is none. It is nobody else's
// business.
func openTrash(path string) (*os.Root, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	bin, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if info, err := bin.Stat("."); err == nil && info.Mode().Perm()&0o077 != 0 {
		_ = bin.Chmod(".", 0o700) // it may be somebody else's folder; then it works without
	}
	return bin, nil
}

// throw puts what is there into the folder that keeps it.
func (s *Spot) throw(ctx context.Context, into *os.Root) error {
	err := s.before("put in place")
	if err == nil {
		err = renameNew(s.dir, s.name, into, s.name)
	}
	if errors.Is(err, syscall.EXDEV) {
		err = s.throwCopy(ctx, into)
	}
	s.acted = err == nil || !s.stays()
	return err
}

// throwCopy puts a copy into the trash, where that is on another disk, and
// removes the thing when the copy is safe.
func (s *Spot) throwCopy(ctx context.Context, into *os.Root) error {
	switch s.kind() {
	case "folder":
		return &loci.ToolError{
			Message:    fmt.Sprintf("%s cannot be put into the trash in one piece: that is on another disk, or as good as that to the system.", quote(s.shown)),
			Suggestion: "Delete the files in it one by one, or tell the person to delete the folder.",
			ForPerson:  "Delete the files in it one by one, or the folder with a file manager.",
		}
	case "link":
		target, err := s.dir.Readlink(s.name)
		if err == nil {
			err = into.Symlink(target, s.name)
		}
		if err != nil {
			return err
		}
	default:
		if err := s.copyNew(ctx, into); err != nil {
			return err
		}
		s.keepTime(into, s.name)
	}
	return s.discard(into, func() error { return into.Remove(s.name) })
}

// copyNew copies the file to a new one of its name. If that fails nothing stays.
func (s *Spot) copyNew(ctx context.Context, into *os.Root) error {
	file, err := into.OpenFile(s.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(s.copyTo(ctx, file), file.Close()); err != nil {
		_ = into.Remove(s.name) // it is in the trash, and no more than a part
	}
	return err
}
