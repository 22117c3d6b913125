package confine

import "golang.org/x/sys/unix"

// ownArch is the processor whose system calls are filtered.
const ownArch = unix.AUDIT_ARCH_AARCH64

// What this processor has besides.
var (
	deniedHere []uintptr
	byNameHere []uintptr
	forks      = []uintptr(nil)                         // which start a process
	opens      = map[uintptr]uint32{unix.SYS_OPENAT: 2} // and which argument has the flags
)
