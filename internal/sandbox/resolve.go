package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/text/unicode/norm"

	"loci"
)

const (
	maxPath  = 4096 // bytes; PATH_MAX of Linux
	maxLinks = 40   // links followed between folders, as many as Linux follows in a path
)

// Resolve turns a path as a model writes it into a place in an allowed folder.
// The path may be relative to the working folder, absolute, or start with ~/;
// nothing else in it is special: no %2e, no $HOME, no file: address. A name
// that is not on disk byte for byte is matched in the other Unicode form.
//
// The place need not exist. It is an error when the path lies outside, or
// leads outside through a link.
func (f *Folders) Resolve(path string) (Location, error) {
	if f == nil || len(f.folders) == 0 {
		return Location{}, f.errNoFolder()
	}
	abs, err := f.absolute(path)
	if err != nil {
		return Location{}, err
	}
	loc, ok := f.place(abs)
	if !ok {
		return Location{}, f.errOutside(path, false)
	}
	return f.settle(loc, path)
}

// absolute checks the spelling of a path and completes it.
func (f *Folders) absolute(path string) (string, error) {
	switch {
	case strings.TrimSpace(path) == "":
		return "", errPath("The path is empty.")
	case len(path) > maxPath:
		return "", errPath("The path %s is too long: %d bytes, at most %d are possible.", quote(path), len(path), maxPath)
	case strings.ContainsRune(path, 0):
		return "", errPath("The path %s contains a NUL byte.", quote(path))
	case len(path) > 5 && strings.EqualFold(path[:5], "file:"):
		return "", errPath("%s is an address, not a path.", quote(path))
	}
	if runtime.GOOS != "windows" {
		if strings.ContainsRune(path, '\\') || hasDrive(path) {
			return "", errPath("The path %s is written the Windows way.", quote(path))
		}
	} else if hasDrive(path) && !filepath.IsAbs(path) {
		return "", errPath("The path %s has a drive letter but does not start at its root.", quote(path))
	}
	if path[0] == '~' {
		rest := path[1:]
		switch {
		case rest != "" && !isSeparator(rune(rest[0])):
			return "", errPath("The path %s names another person's home, or a file whose name starts with ~.", quote(path))
		case f.home == "":
			return "", errPath("The home folder that ~ stands for is not known.")
		}
		return f.home + rest, nil
	}
	if filepath.IsAbs(path) {
		return path, nil
	}
	if f.lost {
		return "", &loci.ToolError{
			Message:    fmt.Sprintf("The working folder %s, where relative paths start, is not there any more.", quote(f.work)),
			Suggestion: "Tell the person: it may have been moved, or its drive unplugged. Absolute paths still work in " + f.list() + ".",
			ForPerson:  "It may have been moved, or its drive unplugged. Whole paths still work in " + f.list() + ".",
		}
	}
	return f.work + string(filepath.Separator) + path, nil
}

// hasDrive reports whether a path starts like C:.
func hasDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && 'a' <= path[0]|0x20 && path[0]|0x20 <= 'z'
}

// settle adjusts a place until os.Root finds something there: it follows links
// that are absolute or lead to another allowed folder, which os.Root will not,
// and tries the other Unicode form of names. shown is the path in error texts.
func (f *Folders) settle(loc Location, shown string) (Location, error) {
	for range maxLinks {
		_, err := loc.stat()
		var next Location
		ok := false
		switch {
		case errors.Is(err, f.escapes):
			if next, ok = f.redirect(loc); !ok {
				return loc, f.errOutside(shown, isLink(loc))
			}
		case errors.Is(err, fs.ErrNotExist):
			next, ok = otherForm(loc)
		}
		if !ok {
			return loc, nil
		}
		loc = next
	}
	return loc, f.errOutside(shown, true)
}

// redirect replaces the first link on the way that leaves the root by where it
// points, when that is in an allowed folder.
func (f *Folders) redirect(loc Location) (Location, bool) {
	elems := strings.FieldsFunc(loc.name, isSeparator)
	for i := range elems {
		dir, here := filepath.Join(elems[:i]...), joinRaw(elems[:i+1])
		if _, err := loc.folder.root.Stat(here); !errors.Is(err, f.escapes) {
			continue
		}
		target, err := loc.folder.root.Readlink(here)
		if err != nil { // not a link: the path climbs out by itself
			return loc, false
		}
		if !filepath.IsAbs(target) {
			target = joinRaw([]string{loc.folder.real, dir, target})
		}
		return f.place(joinRaw(append([]string{target}, elems[i+1:]...)))
	}
	return loc, false
}

// joinRaw joins elements and leaves .. where it is.
func joinRaw(elems []string) string { return strings.Join(elems, string(filepath.Separator)) }

// isLink reports whether the way to a place goes over a link, for the wording
// of an error.
func isLink(loc Location) bool {
	elems := strings.FieldsFunc(loc.name, isSeparator)
	for i := range elems {
		if info, err := loc.folder.root.Lstat(joinRaw(elems[:i+1])); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// otherForm replaces each element that is not on disk by the one entry of its
// folder that is the same text in another Unicode form. The form on disk
// depends on the system that a file was saved on: macOS programs decompose,
// others compose.
func otherForm(loc Location) (Location, bool) {
	elems := strings.FieldsFunc(loc.name, isSeparator)
	changed := false
	for i, elem := range elems {
		_, err := loc.folder.root.Lstat(joinRaw(elems[:i+1]))
		if !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		twin, ok := twinOf(elem, loc.folder.root, filepath.Join(".", joinRaw(elems[:i])))
		if !ok {
			break // what is below may be about to be made
		}
		elems[i], changed = twin, true
	}
	name := joinRaw(elems)
	if isSeparator(rune(loc.name[len(loc.name)-1])) {
		name += string(filepath.Separator)
	}
	return Location{loc.folder, name}, changed
}

// twinOf finds the entry of a folder whose name equals name in NFC.
func twinOf(name string, root *os.Root, dir string) (string, bool) {
	if isASCII(name) {
		return "", false
	}
	want := norm.NFC.String(name)
	for entry, err := range readNames(root, dir, func(fs.FileInfo) error { return nil }) {
		if err != nil {
			return "", false
		}
		if entry.Name() != name && norm.NFC.String(entry.Name()) == want {
			return entry.Name(), true
		}
	}
	return "", false
}

// isASCII reports whether a name has only one Unicode form.
func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}
