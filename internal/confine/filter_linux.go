//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// denied are the system calls that no command needs, and that either reach into
// other processes, have been the way out of other sandboxes, or change the machine
// where root may.
var denied = []uintptr{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, // it has sockets of its own
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_VHANGUP, unix.SYS_SYSLOG,
	unix.SYS_PROCESS_MRELEASE, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
}

// absent are the system calls that hold memory which no process shows as its own, so
// that the warden could not count it, or which outlives the command. Programs take the
// answer for that of a kernel that was built without them.
var absent = []uintptr{
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SHMDT,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
	unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// handles are the system calls that get at a process, and not by its number. They are
// left only where no other processes are to be seen.
var handles = []uintptr{unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL}

// ofProcess are the system calls that set limits, priorities or processors of the
// process that their first argument has the number of; 0 is the caller itself.
var ofProcess = []uintptr{unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR}

// ofKind are those that have a kind, a process, a group or a user, before the number;
// the kind is that of a process.
var ofKind = map[uintptr]uint32{unix.SYS_SETPRIORITY: unix.PRIO_PROCESS, unix.SYS_IOPRIO_SET: 1} // IOPRIO_WHO_PROCESS

// byName are the system calls that change a file's mode, owner or attributes by its
// name. Landlock does not know them, so they are left only where the file systems
// are sealed. Those by an open file stay: what can be opened may be changed, or is
// not the person's own.
var byName = []uintptr{
	unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
}

// newSpaces are the flags of clone that make namespaces; in those a command would be
// root, and more of the kernel within its reach.
const newSpaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// haveFilter tells whether the kernel takes filters.
func haveFilter() bool {
	action := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return e == 0
}

// filter has the kernel refuse system calls of the thread from now on.
func filter(o order) error {
	if !o.Level.Filter {
		return nil
	}
	if len(o.Plan.Pinned) > 0 {
		if listener, err := install(program(o, true), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER); err == nil {
			return errors.Join(unix.Sendmsg(reportFile, []byte("\n"), unix.UnixRights(listener), nil, 0), unix.Close(listener))
		}
	}
	_, err := install(program(o, false), 0)
	return err
}

// install has the kernel use a filter.
func install(code bpf, flags uintptr) (listener int, err error) {
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	fd, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if e != 0 {
		return 0, fmt.Errorf("system call filter: %w", e)
	}
	return int(fd), nil
}

// The places in the kernel's struct seccomp_data. Both processors have the lower
// half of an argument first.
const (
	atNumber = 0
	atArch   = 4
	atArgs   = 16
)

// The answers of a filter.
const (
	permit   = unix.SECCOMP_RET_ALLOW
	refuse   = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	noAccess = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	unknown  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	kill     = unix.SECCOMP_RET_KILL_PROCESS
	question = unix.SECCOMP_RET_USER_NOTIF // of the warden; see serve
)

// bpf is a program of the kernel's packet filter, of which a few instructions do.
type bpf []unix.SockFilter

func (b *bpf) do(code uint16, k uint32, yes, no uint8) {
	*b = append(*b, unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no})
}

// load puts a word of the call's description in the register, and arg the lower
// half of an argument.
func (b *bpf) load(at uint32) { b.do(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, at, 0, 0) }
func (b *bpf) arg(n uint32)   { b.load(atArgs + 8*n) }

// mask keeps some bits of the register.
func (b *bpf) mask(k uint32) { b.do(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, k, 0, 0) }

// answer ends the program.
func (b *bpf) answer(a uint32) { b.do(unix.BPF_RET|unix.BPF_K, a, 0, 0) }

// when gives an answer if the register has a value.
func (b *bpf) when(value, a uint32) {
	b.do(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, value, 0, 1)
	b.answer(a)
}

// call runs a part of the program for one system call. The part must end in an answer.
func (b *bpf) call(number uintptr, part func(*bpf)) {
	var inner bpf
	part(&inner)
	b.do(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, uint32(number), 0, uint8(len(inner)))
	*b = append(*b, inner...)
}

// program is the filter for an order. Where the warden listens, it is asked about every
// file that is opened, and told of every new process.
func program(o order, listens bool) bpf {
	proceed := uint32(permit)
	if listens {
		proceed = question
	}
	var b bpf
	b.load(atArch)
	b.do(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, ownArch, 1, 0)
	b.answer(kill) // another processor's calls have other numbers
	b.load(atNumber)
	b.do(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0x40000000, 0, 1) // x32; no other numbers are as high
	b.answer(refuse)
	numbers := slices.Concat(denied, deniedHere)
	if !o.Level.Namespaces {
		numbers = slices.Concat(numbers, byName, byNameHere)
	}
	for _, n := range numbers {
		b.when(uint32(n), refuse)
	}
	for _, n := range absent {
		b.when(uint32(n), unknown)
	}
	b.when(unix.SYS_CLONE3, unknown) // its flags cannot be seen; everybody falls back to clone
	b.call(unix.SYS_CLONE, func(b *bpf) {
		b.arg(0)
		b.mask(newSpaces)
		b.do(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, 0)
		b.answer(refuse)
		b.arg(0)
		b.mask(unix.CLONE_THREAD)
		b.when(0, proceed)
		b.answer(permit)
	})
	b.call(unix.SYS_IOCTL, func(b *bpf) {
		b.arg(1)
		b.when(unix.TIOCSTI, refuse) // types for whoever sits at the terminal
		b.when(unix.TIOCLINUX, refuse)
		b.answer(permit)
	})
	b.call(unix.SYS_SOCKET, func(b *bpf) { socket(b, o.Plan.Network) })
	b.call(unix.SYS_SOCKETPAIR, pairOfSockets)
	if !o.Level.Namespaces {
		ownOnly(&b)
		b.call(unix.SYS_UTIMENSAT, timesByName)
		if o.Level.Landlock < 3 {
			truncation(&b, proceed)
		}
	}
	if listens {
		for _, n := range forks {
			b.when(uint32(n), question)
		}
		for number := range opens {
			b.when(uint32(number), question)
		}
		b.when(unix.SYS_OPENAT2, unknown) // its flags cannot be seen; everybody falls back to openat
	}
	b.answer(permit)
	return b
}

// socket permits the Internet, and the kernel's list of addresses, where the network
// was granted, and nothing otherwise. See the package comment for UNIX sockets.
func socket(b *bpf, network bool) {
	if network {
		b.arg(0)
		b.when(unix.AF_INET, permit)
		b.when(unix.AF_INET6, permit)
		b.do(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, unix.AF_NETLINK, 0, 3)
		b.arg(2)
		b.when(unix.NETLINK_ROUTE, permit)
	}
	b.answer(noAccess)
}

// pairOfSockets permits pairs that stay connected. One of datagrams could be sent
// anywhere.
func pairOfSockets(b *bpf) {
	b.arg(0)
	b.do(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, unix.AF_UNIX, 1, 0)
	b.answer(noAccess)
	b.arg(1)
	b.mask(0xf)
	b.when(unix.SOCK_STREAM, permit)
	b.when(unix.SOCK_SEQPACKET, permit)
	b.answer(noAccess)
}

// ownOnly leaves a process its own limits and priorities, and none of others: those of
// the same user, loci among them, could be starved or stopped that way.
func ownOnly(b *bpf) {
	for _, n := range handles {
		b.when(uint32(n), unknown)
	}
	for _, n := range ofProcess {
		b.call(n, func(b *bpf) {
			b.arg(0)
			b.when(0, permit)
			b.answer(refuse)
		})
	}
	for n, kind := range ofKind {
		b.call(n, func(b *bpf) {
			b.arg(0)
			b.do(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, kind, 1, 0)
			b.answer(refuse)
			b.arg(1)
			b.when(0, permit)
			b.answer(refuse)
		})
	}
}

// timesByName refuses to change the times of a file by its name.
func timesByName(b *bpf) {
	b.arg(1)
	b.do(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, 0)
	b.answer(refuse)
	b.load(atArgs + 8*1 + 4)
	b.when(0, permit)
	b.answer(refuse)
}

// truncation refuses to empty files that are not opened for writing, which versions
// of Landlock before the third do not notice.
func truncation(b *bpf, proceed uint32) {
	b.when(unix.SYS_TRUNCATE, refuse)
	b.when(unix.SYS_OPENAT2, unknown) // its flags cannot be seen; everybody falls back to openat
	for number, arg := range opens {
		b.call(number, func(b *bpf) {
			b.arg(arg)
			b.mask(unix.O_TRUNC)
			b.when(0, proceed)
			b.arg(arg)
			b.mask(unix.O_ACCMODE)
			b.when(unix.O_WRONLY, proceed)
			b.when(unix.O_RDWR, proceed)
			b.answer(refuse)
		})
	}
}
