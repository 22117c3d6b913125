package confine

import "golang.org/x/sys/unix"

// ownArch is the processor whose system calls are filtered.
const ownArch = unix.AUDIT_ARCH_X86_64

// What this processor has besides.
var (
	deniedHere = []uintptr{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS, unix.SYS__SYSCTL}
	byNameHere = []uintptr{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
	forks      = []uintptr{unix.SYS_FORK, unix.SYS_VFORK}                 // which start a process
	opens      = map[uintptr]uint32{unix.SYS_OPEN: 1, unix.SYS_OPENAT: 2} // and which argument has the flags
)
