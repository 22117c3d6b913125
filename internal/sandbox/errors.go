package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"loci"
	"loci/internal/text"
)

// quote puts a path into an error text: quoted, with what cannot be seen escaped,
// and at most about 200 bytes of it, whatever it is made of.
func quote(path string) string {
	const limit = 200
	var b strings.Builder
	for _, r := range path { // bytes that are no characters become U+FFFD
		switch {
		case b.Len() >= limit:
			return `"` + b.String() + `…"`
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case text.Hidden(r):
			b.WriteString(text.Escape(r))
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// errPath is the error for a path that cannot be one, however it is spelled.
func errPath(format string, args ...any) *loci.ToolError {
	return &loci.ToolError{
		Message:    fmt.Sprintf(format, args...),
		Suggestion: "Write a path relative to the working folder such as notes.md, an absolute one with / between the parts, or ~/notes.md.",
		ForPerson:  "Write it like notes.md, with the whole path, or like ~/notes.md.",
	}
}

// errRefused is the error for something that is there and is not read. It asks
// not to try again: models do, with every other spelling they can think of.
func errRefused(format string, args ...any) *loci.ToolError {
	return &loci.ToolError{
		Message:    fmt.Sprintf(format, args...),
		Suggestion: "Tell the person that this cannot be read; do not try other spellings of the path.",
	}
}

// errFolder is the error for a folder where a file is wanted.
func errFolder(shown string) *loci.ToolError {
	return &loci.ToolError{
		Message:    fmt.Sprintf("%s is a folder, not a file.", quote(shown)),
		Suggestion: "Use list_dir to see what is in it.",
		ForPerson:  "Ask what is in it.",
	}
}

// errNoFolder is the error for any path while no folder is allowed.
func (f *Folders) errNoFolder() *loci.ToolError {
	if f != nil && len(f.missing) > 0 {
		return &loci.ToolError{
			Message:    fmt.Sprintf("The allowed folder %s cannot be opened any more.", quote(f.missing[0])),
			Suggestion: "Tell the person: it may have been moved, or its drive unplugged.",
			ForPerson:  "It may have been moved, or its drive unplugged.",
		}
	}
	return &loci.ToolError{
		Message:    "No folder may be looked into yet.",
		Suggestion: "Tell the person to allow a folder first, with: loci allow FOLDER",
		ForPerson:  "Allow a folder first, with: loci allow FOLDER",
	}
}

// errOutside is the error for a path that leaves the allowed folders. It names
// these, so that the next try can be a right one.
func (f *Folders) errOutside(shown string, link bool) *loci.ToolError {
	message := "%s is not in a folder that is allowed."
	if link {
		message = "%s is a link that points outside the allowed folders."
	}
	return &loci.ToolError{
		Message:    fmt.Sprintf(message, quote(shown)),
		Suggestion: "Allowed are: " + f.list() + ". Ask the person to allow another folder if it is needed.",
		ForPerson:  "Allowed are: " + f.list() + ". To allow another folder: loci allow FOLDER",
	}
}

// explain turns what the system said into words.
func (f *Folders) explain(ctx context.Context, err error, loc Location, shown string) error {
	if e, ok := errors.AsType[*loci.ToolError](err); ok {
		return e
	}
	switch {
	case errors.Is(err, f.escapes):
		return f.errOutside(shown, isLink(loc))
	case errors.Is(err, fs.ErrNotExist) && isBroken(loc):
		return errRefused("%s is a broken link: what it points to does not exist.", quote(shown))
	case errors.Is(err, fs.ErrNotExist):
		return f.errMissing(ctx, loc, shown)
	case errors.Is(err, fs.ErrPermission):
		return errRefused("The system does not permit to read %s.", quote(shown))
	case errors.Is(err, syscall.ELOOP):
		return errRefused("%s is a link that leads round in a circle.", quote(shown))
	case errors.Is(err, syscall.ENAMETOOLONG):
		return errPath("The path %s is too long or has too many steps.", quote(shown))
	case errors.Is(err, syscall.ENOTDIR):
		return &loci.ToolError{
			Message:    fmt.Sprintf("%s is used as a folder but is a file, or passes through one.", quote(shown)),
			Suggestion: "Use read_file for a file, and write its path without a / at the end.",
			ForPerson:  "Write it without a / at the end.",
		}
	}
	return &loci.ToolError{
		Message:    fmt.Sprintf("%s cannot be read: %s.", quote(shown), reason(err)),
		Suggestion: "Tell the person what the system said.",
		ForPerson:  "The file or its disk may be damaged.",
	}
}

// isBroken reports whether there is a link at a place; it is asked where the
// link leads to nothing.
func isBroken(loc Location) bool {
	info, err := loc.folder.root.Lstat(loc.name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// reason is the innermost part of a system error, which has no path in it.
func reason(err error) string {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	return "an unexpected error of the file system"
}

// errMissing is the error for a path where nothing is. It looks for what was
// meant: the same name in another folder, or a similar one in this folder.
func (f *Folders) errMissing(ctx context.Context, loc Location, shown string) error {
	e := &loci.ToolError{
		Message:    fmt.Sprintf("There is no file or folder %s.", quote(shown)),
		Suggestion: "Use list_dir to see what is there.",
	}
	if !strings.ContainsFunc(shown, isSeparator) {
		places := f.Namesakes(ctx, shown)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case len(places) == 1:
			e.Suggestion = fmt.Sprintf("There is one in another folder: call again with the path %s.", quote(places[0]))
			e.ForPerson = fmt.Sprintf("There is one in another folder: %s.", quote(places[0]))
			return e
		case len(places) > 1:
			e.Message = fmt.Sprintf("%s exists in %d places: %s.", shown, len(places), strings.Join(places, ", "))
			e.Suggestion = "Ask the person which one is meant, then call again with its path."
			e.ForPerson = "Say which one, with its path."
			return e
		}
	}
	if name, ok := f.similar(loc); ok {
		e.ForPerson = fmt.Sprintf("Did you mean %s?", quote(name))
		e.Suggestion = e.ForPerson + " Use list_dir to see what is there."
	}
	return e
}

// similar finds the entry beside a missing place whose name is most like it.
func (f *Folders) similar(loc Location) (string, bool) {
	dir := Location{loc.folder, filepath.Dir(filepath.Clean(loc.name))}
	var names []string
	for d, err := range f.names(dir, f.Show(dir)) {
		if err != nil || len(names) == 1000 {
			break
		}
		names = append(names, d.Name())
	}
	name, ok := closest(filepath.Base(loc.name), names)
	if !ok {
		return "", false
	}
	found := Location{loc.folder, filepath.Join(dir.name, name)}
	f.told(found)
	return f.Show(found), true
}
