//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// handle opens the folder of a root for system calls that take one.
func handle(root *os.Root, use func(fd int) error) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close() // nothing was written through it
	return use(int(dir.Fd()))
}

// linkOver renames where the system has no way to say that nothing may be
// replaced: a file by a second name, of which the system makes no old one. For a
// folder, and where no file can have two names, it looks first, which leaves
// room for what is made in that very moment.
func linkOver(from *os.Root, old string, to *os.Root, name string, a, b int) error {
	info, err := from.Lstat(old)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		err := unix.Linkat(a, old, b, name, 0)
		if err == nil {
			if err = from.Remove(old); err != nil {
				err = errors.Join(err, to.Remove(name))
			}
			return err
		}
		if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.ENOSYS) {
			return err
		}
	}
	if _, err := to.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fs.ErrExist)
	}
	return unix.Renameat(a, old, b, name)
}

// keepOwner gives a new file the owner of an old one, as far as the system lets
// us: only root may give files away, and others only to groups they are in.
func keepOwner(file *os.File, old fs.FileInfo) {
	was, ok := old.Sys().(*syscall.Stat_t)
	if info, err := file.Stat(); ok && err == nil {
		if now, ok := info.Sys().(*syscall.Stat_t); ok && (now.Uid != was.Uid || now.Gid != was.Gid) {
			_ = file.Chown(int(was.Uid), int(was.Gid)) // what is not permitted stays undone
		}
	}
}

// syncDir makes the names in a folder durable. File systems that cannot do that
// by itself say so, and need it not.
func syncDir(root *os.Root) error {
	return handle(root, func(fd int) error {
		if err := unix.Fsync(fd); !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
			return err
		}
		return nil
	})
}

// inode tells files apart that look the same.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino) // 32 bits wide on some systems
	}
	return 0
}

// device tells disks apart.
func device(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev) // signed, and 32 bits wide, on some systems
	}
	return 0
}

// writable tells whether the system lets us make and remove names in a folder.
func writable(root *os.Root) bool {
	return handle(root, func(dir int) error { return unix.Faccessat(dir, ".", unix.W_OK, 0) }) == nil
}
