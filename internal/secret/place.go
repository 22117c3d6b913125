package secret

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks is how many links a path may lead over.
const maxLinks = 64

// leadsThrough tells whether a path leads through one of some folders: whether it, or
// any folder or link on the way to what it leads to, lies in one. Folders are
// compared as the system does, so that neither letters of another case nor a
// second mount hide one. What is not there leads nowhere.
func leadsThrough(path string, folders []string) bool {
	var there []fs.FileInfo
	for _, f := range folders {
		if info, err := os.Stat(f); err == nil {
			there = append(there, info)
		}
	}
	volume := filepath.VolumeName(path)
	root := volume + string(filepath.Separator)
	at := root
	rest := split(path[len(volume):])
	for links := 0; len(rest) > 0; {
		if isOne(at, there) {
			return true
		}
		next := filepath.Join(at, rest[0]) // of .., the parent of where the links led
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil { // no link, or nothing at all
			at = next
			continue
		}
		if links++; links > maxLinks {
			return true // better said than read
		}
		if filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + string(filepath.Separator)
			target = target[len(filepath.VolumeName(target)):]
		}
		rest = slices.Concat(split(target), rest)
	}
	return isOne(at, there)
}

// split takes a path without a volume apart.
func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}

// isOne tells whether a path is one of some folders.
func isOne(path string, folders []fs.FileInfo) bool {
	info, err := os.Stat(path)
	return err == nil && slices.ContainsFunc(folders, func(f fs.FileInfo) bool { return os.SameFile(f, info) })
}
