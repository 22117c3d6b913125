package confine

import (
	"fmt"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// limit sets the kernel's limits on a single process. Memory is what a program
// writes to, not the addresses that it reserves: some reserve a hundred times what
// they use. The number of processes is counted for the user, in the namespace if
// there is one, and does not hold for root; the warden counts too.
func limit(o order) error {
	l := o.Plan.Limits
	for resource, n := range map[int]uint64{
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_CPU:    (uint64(l.Time/time.Second) + 1) * uint64(runtime.NumCPU()), // it counts for all threads together
		unix.RLIMIT_DATA:   uint64(l.Memory),
		unix.RLIMIT_FSIZE:  uint64(l.FileSize),
		unix.RLIMIT_NOFILE: uint64(l.Files),
		unix.RLIMIT_NPROC:  uint64(o.Threads + l.Processes),
	} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(resource, &now); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
		n = min(n, now.Max)
		// Not the function of x/sys: package syscall must know that the number of open
		// files was changed, or it sets it back when the process becomes the command.
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
	}
	return nil
}

// dropPrivileges gives up every capability, for good: for the program that comes,
// root is a user like any other, and programs that would get more do not.
func dropPrivileges(order) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	// An ordinary user may not do the next two, and has nothing to give up by them.
	for c := uintptr(0); c < 64; c++ {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
	}
	const noRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<6 | 1<<7 // SECBIT_NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, each locked
	_ = unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0)
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}
