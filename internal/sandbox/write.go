package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"loci"
)

const (
	piece    = 1 << 20   // bytes written at once
	staleAge = time.Hour // after which a file that was written aside is litter
)

// asideName is the form of the names of files that are written aside.
var asideName = regexp.MustCompile(`^\.loci-(\d{8}-\d{6})-[0-9a-f]{16}\.tmp$`)

// asideNamed makes such a name.
func asideNamed(now time.Time) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return ".loci-" + now.UTC().Format(nameTime) + "-" + hex.EncodeToString(b[:]) + ".tmp"
}

// isStale tells whether a name is that of a file that was written aside so long
// ago that nobody is about to put it in its place. What the file itself says of
// its age would not do: while two change places, somebody's file has the name,
// and may be years old.
func isStale(name string, now time.Time) bool {
	form := asideName.FindStringSubmatch(name)
	if form == nil {
		return false
	}
	made, err := time.Parse(nameTime, form[1])
	return err == nil && now.Sub(made) > staleAge
}

// errNoName says that a file that was written without a name can get none here.
var errNoName = errors.New("no name for an unnamed file")

// Write puts a file there, or new content into the file that is there: all of it
// or, when it fails, nothing. was is what [Spot.State] said of the spot when
// the new content was thought out; if that is not so any more, nothing is written.
//
// The content is written beside the file, made durable, given the file's
// permissions and put in its place in one step; then it is read back. Like every
// program that saves this way it makes a new file: the owner is kept where the
// system lets us give files away; access lists, extended attributes and the bits
// that lend the owner's rights are not.
func (s *Spot) Write(ctx context.Context, data []byte, was State) error {
	if err := s.replaceable(); err != nil {
		return s.explain(ctx, err)
	}
	undo, err := s.makeParents()
	if err == nil {
		s.sweep()
		err = s.put(ctx, data, was, false)
		if errors.Is(err, errNoName) {
			err = s.put(ctx, data, was, true)
		}
	}
	if err != nil {
		undo()
		return s.explain(ctx, err)
	}
	return s.verify(data)
}

// put writes the content aside and puts it in its place.
func (s *Spot) put(ctx context.Context, data []byte, was State, named bool) (err error) {
	a, err := s.writeAside(data, named)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.drop(s.dir)) }()
	old := s.info
	if err := s.unchanged(ctx, was); err != nil {
		return err
	}
	if old != nil && !os.SameFile(old, s.info) {
		return errMoved(s.shown) // the same words in another file, perhaps of another owner
	}
	return s.place(a)
}

// aside is a file that was written and is not in its place yet.
type aside struct {
	file *os.File // open while it has no name, nil else
	name string   // empty: it has none
}

// drop removes what was not put in its place.
func (a *aside) drop(dir *os.Root) error {
	if a.file != nil {
		_ = a.file.Close() // what had no name is gone with it
		a.file = nil
	}
	if a.name == "" {
		return nil
	}
	return dir.Remove(a.name)
}

// newAside makes an empty file beside the spot. Where the system can, it has no
// name, so that nothing of it stays when the program dies.
func (s *Spot) newAside(named bool, perm os.FileMode) (*aside, error) {
	if err := s.before("create"); err != nil {
		return nil, err
	}
	a := &aside{}
	if !named {
		a.file, _ = openUnnamed(s.dir, perm) // where there is none, the other way is taken
	}
	if a.file == nil {
		name := asideNamed(time.Now())
		file, err := s.dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if err != nil {
			return nil, err
		}
		a.file, a.name = file, name
	}
	return a, nil
}

// seal ends the writing of a file that has a name: Windows renames no open ones.
func (s *Spot) seal(a *aside) (err error) {
	if a.name != "" {
		err = errors.Join(s.before("close"), a.file.Close())
		a.file = nil
	}
	return err
}

// writeAside writes content beside the spot and makes it durable.
func (s *Spot) writeAside(data []byte, named bool) (*aside, error) {
	perm := os.FileMode(0o666) // less what the umask takes away
	if s.info != nil {
		perm = 0o600 // until it has the mode of the old one
	}
	a, err := s.newAside(named, perm)
	if err != nil {
		return nil, err
	}
	if err = s.fill(a.file, data); err == nil {
		err = s.seal(a)
	}
	if err != nil {
		return nil, errors.Join(err, a.drop(s.dir))
	}
	return a, nil
}

// fill writes content into a new file, gives it the mode and, if possible, the
// owner of the one that it replaces, and makes it durable.
func (s *Spot) fill(file *os.File, data []byte) error {
	for rest := data; len(rest) > 0; {
		n := min(piece, len(rest))
		if err := s.before("write"); err != nil {
			return err
		}
		if _, err := file.Write(rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	if s.info != nil {
		keepOwner(file, s.info)
		if err := errors.Join(s.before("chmod"), file.Chmod(s.info.Mode().Perm())); err != nil {
			return err
		}
	}
	if err := s.before("sync"); err != nil {
		return err
	}
	return file.Sync()
}

// place puts what was written aside in the spot. A spot that was free must still
// be free: a file that somebody put there in the meantime is not overwritten.
func (s *Spot) place(a *aside) error {
	if a.name == "" && s.info != nil {
		if err := s.before("link"); err != nil {
			return err
		}
		name := asideNamed(time.Now())
		if err := nameFile(a.file, s.dir, name); err != nil {
			return errNoName
		}
		a.name = name
	}
	if err := s.before("put in place"); err != nil {
		return err
	}
	var err error
	switch {
	case a.name == "":
		err = nameFile(a.file, s.dir, s.name)
		if s.acted = err == nil; err != nil && !errors.Is(err, fs.ErrExist) {
			err = errNoName
		}
	case s.info == nil:
		err = renameNew(s.dir, a.name, s.dir, s.name)
		s.acted = err == nil
	default:
		return s.replace(a)
	}
	if errors.Is(err, fs.ErrExist) {
		return errMoved(s.shown) // it was free a moment ago
	}
	if err == nil {
		a.name = ""
	}
	return err
}

// replace puts what was written aside in the place of the old file. Where the
// system can, the two change places, so that the old one is seen once more when
// nobody can save over it unnoticed any more: if it is another by now, they change
// back.
func (s *Spot) replace(a *aside) error {
	fresh, err := s.dir.Lstat(a.name)
	if err != nil {
		return err
	}
	switch err := exchange(s.dir, a.name, s.name); {
	case errors.Is(err, errors.ErrUnsupported):
		if err = s.dir.Rename(a.name, s.name); err == nil {
			a.name, s.acted = "", true
		}
		return err
	case errors.Is(err, fs.ErrNotExist):
		return errMoved(s.shown)
	case err != nil:
		return err
	}
	s.acted = true
	err = s.before("look at the old one")
	if old, err2 := s.dir.Lstat(a.name); err == nil && err2 == nil && traits(old) == traits(s.info) {
		_ = s.dir.Remove(a.name) // else a later sweep takes it
		a.name = ""
		return nil
	}
	err = exchange(s.dir, a.name, s.name)
	s.acted = err != nil
	if now, err2 := s.dir.Lstat(a.name); err != nil || err2 != nil || !os.SameFile(now, fresh) {
		a.name = "" // it is somebody's, and stays
	}
	return errMoved(s.shown)
}

// verify makes the folder durable, reads the file back through a handle of its
// own and compares. From here on the new content is in place, so errors say so.
func (s *Spot) verify(data []byte) error {
	err := s.before("sync folder")
	if err == nil {
		err = syncDir(s.dir)
	}
	if err != nil {
		return &loci.ToolError{
			Message:    fmt.Sprintf("%s was written, but the system could not tell that it is safe on the disk: %s.", quote(s.shown), reason(err)),
			Suggestion: "Tell the person: the disk may be full or damaged.",
			ForPerson:  "The disk may be full or damaged.",
		}
	}
	var back []byte
	if err = errors.Join(s.before("read back"), s.look()); err == nil && s.info == nil {
		err = fs.ErrNotExist
	}
	if err == nil {
		back, err = s.content(int64(len(data)))
	}
	if err != nil {
		return errReadBack("%s was written, but it cannot be read back.", quote(s.shown))
	}
	if !bytes.Equal(back, data) {
		return errReadBack("%s was written, but reading it back gave something else than the %d bytes that were written.", quote(s.shown), len(data))
	}
	return s.remains("written")
}

// remains looks, after something was done, whether the path still leads to the
// folder that it was done in: nobody can be kept from moving that at any moment.
func (s *Spot) remains(done string) error {
	if s.inPlace() == nil {
		return nil
	}
	where := "where it is now is not known"
	if now := pathOf(s.dir); now != "" {
		where = "it is now " + quote(filepath.Join(now, s.name))
	}
	return errReadBack("%s was %s, but its folder was moved away at that moment: %s.", quote(s.shown), done, where)
}

// errReadBack is the error for what is not as it was written.
func errReadBack(format string, args ...any) *loci.ToolError {
	return &loci.ToolError{
		Message:    fmt.Sprintf(format, args...),
		Suggestion: "Tell the person: another program may be writing to it, or the disk may be damaged. Read it before going on.",
		ForPerson:  "Another program may be writing to it, or the disk may be damaged.",
	}
}

// sweep removes what earlier writes in the folder left when the program was
// killed in the middle.
func (s *Spot) sweep() {
	for d, err := range readNames(s.dir, ".", func(fs.FileInfo) error { return nil }) {
		if err != nil {
			return
		}
		if isStale(d.Name(), time.Now()) && d.Type().IsRegular() {
			_ = s.dir.Remove(d.Name()) // the next write tries again
		}
	}
}
