//go:build unix && !linux

package sandbox

import (
	"errors"
	"os"
)

// openUnnamed is for Linux alone.
func openUnnamed(*os.Root, os.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

// nameFile is for Linux alone.
func nameFile(*os.File, *os.Root, string) error { return errors.ErrUnsupported }

// renameNew renames between two opened folders and never replaces anything.
func renameNew(from *os.Root, old string, to *os.Root, name string) error {
	return handle(from, func(a int) error {
		return handle(to, func(b int) error { return linkOver(from, old, to, name, a, b) })
	})
}

// pathOf is where an opened folder is now; here that is not known.
func pathOf(*os.Root) string { return "" }

// exchange is for Linux alone.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }
