package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"loci"
	"loci/internal/text"
)

// errKept is the error for what is not changed, whatever is tried.
func errKept(format string, args ...any) *loci.ToolError {
	return &loci.ToolError{
		Message:    fmt.Sprintf(format, args...),
		Suggestion: "Tell the person that this is not changed from here; do not try another way.",
		ForPerson:  "It is not changed from here.",
	}
}

// errMoved is the error for a place that became another one half-way.
func errMoved(shown string) *loci.ToolError {
	return &loci.ToolError{
		Message:    fmt.Sprintf("%s has changed in the meantime; nothing was done.", quote(shown)),
		CanRetry:   true,
		Suggestion: "Look at it again, then make the call again.",
		ForPerson:  "Another program may be working on it.",
	}
}

// errExists is the error for a place that should be free.
func errExists(shown string) *loci.ToolError {
	return &loci.ToolError{
		Message:    fmt.Sprintf("%s exists already, and nothing is overwritten.", quote(shown)),
		Suggestion: "Choose another name, or ask the person whether the old one may be moved away or deleted first.",
		ForPerson:  "Choose another name, or move the old one away first.",
	}
}

// reasons are what the system says when it refuses a change, in words.
var reasons = []struct {
	err  error
	says string // completed by the path
	todo string
}{
	{syscall.EDQUOT, "There is no room left on the disk for %s.", "Free some room on the disk first."},
	{syscall.ENOSPC, "There is no room left on the disk for %s.", "Free some room on the disk first."},
	{fs.ErrPermission, "The system does not permit to change %s.", "Check who owns the file or its folder."},
	{syscall.EROFS, "%s is on a disk that can only be read.", "Choose a folder on another disk."},
	{syscall.EBUSY, "The system holds %s at its place.", "A program may use it, or something may be mounted there."},
	{syscall.EIO, "The disk could not do it for %s.", "The disk may be damaged."},
}

// explain turns what the system said about a change into words.
func (s *Spot) explain(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*loci.ToolError](err); ok {
		return e
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, fs.ErrExist) {
		return errExists(s.shown)
	}
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return &loci.ToolError{Message: fmt.Sprintf(r.says, quote(s.shown)) + " Nothing was changed.", Suggestion: "Tell the person. " + r.todo, ForPerson: r.todo}
		}
	}
	return &loci.ToolError{
		Message:    fmt.Sprintf("%s could not be changed: %s. Nothing was changed.", quote(s.shown), reason(err)),
		Suggestion: "Tell the person what the system said.",
		ForPerson:  "The file or its disk may be damaged.",
	}
}

// before is asked before each system call of a change.
func (s *Spot) before(call string) error {
	if s.f.before == nil {
		return nil
	}
	return s.f.before(call)
}

// replaceable refuses what a file cannot be written over.
func (s *Spot) replaceable() error {
	if s.info == nil {
		return s.newNames()
	}
	if s.info.Mode()&fs.ModeSymlink != 0 { // it was none when it was opened
		return errMoved(s.shown)
	}
	if err := checkKind(s.info, s.shown); err != nil {
		return err
	}
	if s.info.Mode().Perm()&0o222 == 0 {
		return errKept("%s is write-protected.", quote(s.shown))
	}
	if err := s.loose(); err != nil {
		return err
	}
	file, err := s.dir.OpenFile(s.name, os.O_WRONLY|readFlags, 0) // not truncated: this only asks whether one may
	if err != nil {
		return err
	}
	return errors.Join(s.checkOpened(file), file.Close())
}

// checkOpened checks that an opened file is the one that was looked at, and has
// one name only, unless AllowNames says otherwise.
func (s *Spot) checkOpened(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(info, s.info) {
		return errMoved(s.shown)
	}
	if err := checkHandle(file, info, s.shown); err != nil || s.linked {
		return err
	}
	return checkNames(file, info, s.shown)
}

// AllowNames has the spot take a file that has several names (hard links), of which
// others may lie outside the allowed folders: a person has to know of it.
func (s *Spot) AllowNames() { s.linked = true }

// Names is how many names the file has that is there; 1 for anything else.
func (s *Spot) Names() uint64 {
	if s.info == nil || !s.info.Mode().IsRegular() || !mayHaveNames(s.info) {
		return 1
	}
	file, err := s.dir.OpenFile(s.name, readFlags, 0)
	if err != nil {
		return 1 // then nothing of it is read either
	}
	defer file.Close() // only looked at
	n, err := linkCount(file, s.info)
	if err != nil {
		return 1
	}
	return n
}

// newNames refuses names that would not show what they are, or be others than
// they say.
func (s *Spot) newNames() error {
	for _, name := range append([]string{s.name}, s.missing...) {
		switch {
		case !utf8.ValidString(name) || strings.ContainsFunc(name, text.Hidden) || oddSelector(name):
			return errPath("The name %s has characters that cannot be seen.", quote(name))
		case strings.TrimSpace(name) != name:
			return errPath("The name %s begins or ends with a blank.", quote(name))
		case len(name) > 255:
			return errPath("The name %s is too long: %d bytes, at most 255 are possible.", quote(name), len(name))
		case runtime.GOOS == "windows" && strings.TrimRight(name, ".") != name:
			return errPath("The name %s ends in a dot.", quote(name))
		}
	}
	return nil
}

// oddSelector reports whether the character that gives emoji their colour follows
// anything else, where it is not seen.
func oddSelector(name string) bool {
	last := ' '
	for _, r := range name {
		if r == '\ufe0f' && !unicode.Is(unicode.So, last) {
			return true
		}
		last = r
	}
	return false
}

// makeParents makes the folders that are missing. The undo removes them again,
// as long as they are empty.
func (s *Spot) makeParents() (undo func(), err error) {
	base, elems, made := s.dir, s.missing, 0
	undo = func() {
		for ; made > 0; made-- {
			_ = base.Remove(joinRaw(elems[:made])) // not if it is in use by now
		}
	}
	for i, elem := range elems {
		if err = s.before("mkdir"); err == nil {
			err = s.dir.Mkdir(elem, 0o777) // less what the umask takes away
		}
		if err == nil {
			made = i + 1
		} else if !errors.Is(err, fs.ErrExist) {
			return undo, err
		}
		next, err := s.enter(elem)
		if err != nil {
			return undo, err
		}
		s.opened = append(s.opened, s.dir)
		s.dir, s.missing = next, elems[i+1:]
	}
	if err := s.inPlace(); err != nil {
		return undo, err
	}
	return undo, s.look()
}

// inPlace checks that the opened folder is still where it was found.
func (s *Spot) inPlace() error {
	parent, err := s.parent()
	if err == nil && filepath.Join(parent, s.name) != s.real {
		err = errMoved(s.shown)
	}
	return err
}

// enter opens a folder in the opened one.
func (s *Spot) enter(name string) (*os.Root, error) {
	if err := s.before("open folder"); err != nil {
		return nil, err
	}
	info, err := s.dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errMoved(s.shown)
	}
	return s.dir.OpenRoot(name)
}
