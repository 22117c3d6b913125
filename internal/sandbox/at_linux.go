package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openUnnamed makes a file in a folder that has no name yet; see O_TMPFILE in
// open(2). Not all file systems can.
func openUnnamed(root *os.Root, perm os.FileMode) (file *os.File, err error) {
	err = handle(root, func(dir int) error {
		fd, err := unix.Openat(dir, ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, uint32(perm))
		if err == nil {
			file = os.NewFile(uintptr(fd), "unnamed")
		}
		return err
	})
	return file, err
}

// nameFile gives an unnamed file a name that is free.
func nameFile(file *os.File, root *os.Root, name string) error {
	return handle(root, func(dir int) error {
		return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", file.Fd()), dir, name, unix.AT_SYMLINK_FOLLOW)
	})
}

// renameNew renames between two opened folders and never replaces anything.
func renameNew(from *os.Root, old string, to *os.Root, name string) error {
	return handle(from, func(a int) error {
		return handle(to, func(b int) error {
			err := unix.Renameat2(a, old, b, name, unix.RENAME_NOREPLACE)
			if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
				return err
			}
			return linkOver(from, old, to, name, a, b) // a file system that cannot be told
		})
	})
}

// pathOf is where an opened folder is now; empty: it is not known.
func pathOf(root *os.Root) (path string) {
	_ = handle(root, func(dir int) (err error) { // then it is not known
		path, err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", dir))
		return err
	})
	if !filepath.IsAbs(path) {
		return ""
	}
	return path
}

// exchange makes two names in an opened folder change places. Not all file systems
// can.
func exchange(root *os.Root, a, b string) error {
	err := handle(root, func(dir int) error { return unix.Renameat2(dir, a, dir, b, unix.RENAME_EXCHANGE) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}
