package cli

import "golang.org/x/sys/unix"

// forget drops what was typed at a terminal and not read yet.
func forget(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, unix.TCIFLUSH) }
