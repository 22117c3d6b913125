package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"loci"
)

// Kept is how long the trash keeps what was deleted.
const Kept = 30 * 24 * time.Hour

// nameTime is the form of a time, in UTC, in the names of what is in the trash and
// of what is written aside.
const nameTime = "20060102-150405"

// deleted is what the trash knows of one thing in it: the file NAME.json beside
// the folder NAME that the thing lies in.
type deleted struct {
	Path  string    `json:"path"` // where it was
	Kind  string    `json:"kind"` // file, folder or link
	Bytes int64     `json:"bytes"`
	Time  loci.Time `json:"time"` // when it was deleted
}

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

// Delete moves what is there into the trash, and tells where it is in there. was
// is what State said when this was thought out.
func (s *Spot) Delete(ctx context.Context, trash string, now time.Time, was State) (where string, err error) {
	if err := s.CanDelete(ctx); err != nil {
		return "", err
	}
	bin, err := openTrash(trash)
	if err != nil {
		return "", errors.Join(&loci.ToolError{
			Message:    fmt.Sprintf("%s was not deleted: the trash cannot be opened: %s.", quote(s.shown), reason(err)),
			Suggestion: "Tell the person.",
			ForPerson:  "Check the folder " + trash + ".",
		}, err)
	}
	defer bin.Close() // each step in it was checked
	if insideFolded(realOf(trash), s.real) {
		return "", errKept("%s has the trash in it.", quote(s.shown))
	}
	s.sweep()
	if err := s.unchanged(ctx, was); err != nil {
		return "", s.explain(ctx, err)
	}
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	entry := fmt.Sprintf("%s-%x", now.UTC().Format(nameTime), random)
	if err := s.throw(ctx, bin, entry, now); err != nil {
		if bin.Remove(entry) == nil { // it is empty, so there is nothing to know about it
			_ = bin.Remove(entry + ".json") // what stays is purged later
		}
		return "", s.explain(ctx, err)
	}
	return filepath.Join(trash, entry, s.name), s.gone(bin, entry)
}

// gone makes the folders durable, and looks whether the thing is in its entry of
// the trash, and only there.
func (s *Spot) gone(bin *os.Root, entry string) error {
	into, err := bin.OpenRoot(entry)
	if err != nil {
		return errReadBack("%s was put into the trash, but is not found there.", quote(s.shown))
	}
	defer into.Close() // only looked at
	if err := errors.Join(s.before("sync folder"), syncDir(into), syncDir(bin), syncDir(s.dir)); err != nil {
		return errReadBack("%s was put into the trash, but the system could not tell that it is safe on the disk: %s.", quote(s.shown), reason(err))
	}
	named, err := os.Stat(bin.Name())
	if opened, err2 := bin.Stat("."); err != nil || err2 != nil || !os.SameFile(named, opened) {
		return errReadBack("%s was put into the trash, but that was moved away at that moment.", quote(s.shown))
	}
	there, err := into.Lstat(s.name)
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

// openTrash opens the trash, which is made if there is none. It is nobody else's
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

// throw puts what is there into a new entry of the trash.
func (s *Spot) throw(ctx context.Context, bin *os.Root, entry string, now time.Time) error {
	d := deleted{Path: s.real, Kind: s.kind(), Bytes: s.info.Size(), Time: loci.Time{Time: now}}
	if s.info.IsDir() {
		t, err := s.Tree(ctx)
		if err != nil {
			return err
		}
		d.Bytes = t.Bytes
	}
	text, err := json.Marshal(d)
	if err == nil {
		err = s.before("mkdir")
	}
	if err == nil {
		err = bin.Mkdir(entry, 0o700)
	}
	if err == nil {
		err = errors.Join(s.before("write"), bin.WriteFile(entry+".json", text, 0o600))
	}
	if err != nil {
		return err
	}
	into, err := bin.OpenRoot(entry)
	if err != nil {
		return err
	}
	defer into.Close() // each step in it was checked
	if err := s.before("put in place"); err != nil {
		return err
	}
	err = renameNew(s.dir, s.name, into, s.name)
	if errors.Is(err, syscall.EXDEV) {
		err = s.throwCopy(ctx, into)
	}
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
