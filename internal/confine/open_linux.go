//go:build amd64 || arm64

package confine

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notification and answer are the kernel's struct seccomp_notif and seccomp_notif_resp,
// and handed its struct seccomp_notif_addfd; see seccomp_unotify(2).
type (
	notification struct {
		ID         uint64
		Pid, Flags uint32
		Number     int32
		Arch       uint32
		At         uint64
		Args       [6]uint64
	}
	answer struct {
		ID    uint64
		Value int64
		Error int32
		Flags uint32
	}
	handed struct {
		ID                         uint64
		Flags, From, New, NewFlags uint32
	}
)

// serve answers the command's opening of files: of one that is pinned it gets what is
// held, whatever is at its place now, and all others the kernel opens as ever. That ends
// when the command opens a pinned one to change it, or starts another process: from
// then on what it finds may be what it did itself.
func serve(listener *os.File, all []pinned) {
	defer listener.Close()
	fd := int(listener.Fd())
	for {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			if ready[0].Revents != 0 {
				return // nobody is left who could ask
			}
			continue
		}
		var n notification
		if control(fd, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) != nil {
			continue // the one that asked is gone
		}
		arg, opening := opens[uintptr(n.Number)]
		if !opening {
			all = nil
		} else if file := wanted(n, arg, all); file != nil {
			if n.Args[arg]&(unix.O_ACCMODE|unix.O_TRUNC|unix.O_CREAT) != 0 {
				all = nil
			} else if hand(fd, n, uint32(n.Args[arg])&unix.O_CLOEXEC, file) == nil {
				continue
			}
		}
		// If the one that asked is gone, nothing is to be answered.
		_ = control(fd, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&answer{ID: n.ID, Flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}))
	}
}

// control is ioctl(2) with a structure, interrupted or not.
func control(fd int, request uintptr, structure unsafe.Pointer) error {
	for {
		if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(structure)); e == 0 {
			return nil
		} else if e != unix.EINTR {
			return e
		}
	}
}

// wanted is what is held of the file that is to be opened. The path comes before the
// flags, and a folder before the path where there is one.
func wanted(n notification, arg uint32, all []pinned) *os.File {
	if len(all) == 0 {
		return nil
	}
	process := "/proc/" + strconv.FormatUint(uint64(n.Pid), 10)
	memory, err := os.Open(process + "/mem")
	if err != nil {
		return nil
	}
	defer memory.Close()
	var text [unix.PathMax]byte
	got, _ := memory.ReadAt(text[:], int64(n.Args[arg-1])) // up to where its memory ends
	end := bytes.IndexByte(text[:got], 0)
	if end <= 0 {
		return nil
	}
	path := string(text[:end])
	if !slices.ContainsFunc(all, func(p pinned) bool { return p.called(filepath.Base(path)) }) {
		return nil
	}
	if !filepath.IsAbs(path) {
		from := process + "/cwd"
		if folder := int32(n.Args[0]); arg == 2 && folder != unix.AT_FDCWD {
			from = fmt.Sprintf("%s/fd/%d", process, folder)
		}
		dir, err := os.Readlink(from)
		if err != nil {
			return nil
		}
		path = filepath.Join(dir, path)
	}
	path = filepath.Clean(path)
	for _, p := range all {
		if slices.Contains(p.names, path) {
			return p.memory
		}
	}
	return nil
}

// called tells whether a file has a name, whatever folder it is in.
func (p pinned) called(base string) bool {
	return slices.ContainsFunc(p.names, func(name string) bool { return filepath.Base(name) == base })
}

// hand answers with a file, opened for this answer alone: who has it reads from its
// beginning.
func hand(fd int, n notification, flags uint32, file *os.File) error {
	own, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", file.Fd()), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(own)
	return control(fd, unix.SECCOMP_IOCTL_NOTIF_ADDFD, unsafe.Pointer(&handed{ID: n.ID, Flags: unix.SECCOMP_ADDFD_FLAG_SEND, From: uint32(own), NewFlags: flags}))
}
