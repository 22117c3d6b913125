package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openUnnamed is for Linux alone.
func openUnnamed(*os.Root, os.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

// nameFile is for Linux alone.
func nameFile(*os.File, *os.Root, string) error { return errors.ErrUnsupported }

// renameNew renames within one opened folder and never replaces anything: a file
// by a second name, a folder because Windows replaces none that has something in
// it. Between two folders that were opened for themselves Windows cannot rename;
// it is then as if they lay on two disks.
func renameNew(from *os.Root, old string, to *os.Root, name string) error {
	a, err := from.Stat(".")
	if err != nil {
		return err
	}
	b, err := to.Stat(".")
	if err != nil {
		return err
	}
	if !os.SameFile(a, b) {
		return syscall.EXDEV
	}
	info, err := from.Lstat(old)
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		if err := from.Link(old, name); err != nil {
			return err
		}
		return from.Remove(old)
	}
	if _, err := from.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fs.ErrExist)
	}
	return from.Rename(old, name)
}

// keepOwner leaves the owner to Windows: a new file has that of its folder.
func keepOwner(*os.File, fs.FileInfo) {}

// syncDir is no business of programs on Windows.
func syncDir(*os.Root) error { return nil }

// inode is not known without opening a file.
func inode(fs.FileInfo) uint64 { return 0 }

// device is no matter here: what is mounted in a folder is a link to Windows.
func device(fs.FileInfo) uint64 { return 0 }

// pathOf is where an opened folder is now; here that is not known.
func pathOf(*os.Root) string { return "" }

// writable is not known before it is tried.
func writable(*os.Root) bool { return true }

// exchange is for Linux alone.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }
