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
//
// Those that could stop this very program come last, and nothing is allocated then.
func limit(o order) error {
	l := o.Plan.Limits
	limits := []struct {
		resource int
		most     uint64
		set      syscall.Rlimit
	}{
		{resource: unix.RLIMIT_CORE},
		{resource: unix.RLIMIT_CPU, most: (uint64(l.Time/time.Second) + 1) * uint64(runtime.NumCPU())}, // it counts for all threads together
		{resource: unix.RLIMIT_FSIZE, most: uint64(l.FileSize)},
		{resource: unix.RLIMIT_NOFILE, most: uint64(l.Files)},
		{resource: unix.RLIMIT_NPROC, most: uint64(o.Threads + l.Processes)},
		{resource: unix.RLIMIT_DATA, most: uint64(l.Memory)},
	}
	for i := range limits {
		r := &limits[i]
		if err := syscall.Getrlimit(r.resource, &r.set); err != nil {
			return fmt.Errorf("limit %d: %w", r.resource, err)
		}
		r.set.Max = min(r.most, r.set.Max)
		r.set.Cur = r.set.Max
	}
	for i := range limits {
		if err := syscall.Setrlimit(limits[i].resource, &limits[i].set); err != nil {
			return fmt.Errorf("limit %d: %w", limits[i].resource, err)
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
