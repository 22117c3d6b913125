package confine

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The first arguments that make a process a helper. Alone they do nothing: the
// order comes through a pipe, which only Run makes.
const (
	wardenWord = "__confine"
	heraldWord = "__confine-become"
)

// The files that a helper inherits.
const (
	orderFile  = 3 // the order; of the warden it stays open as long as it is to live
	reportFile = 4
)

// ready tells whether this program can be its own helper. One that cannot would do
// all that it does once more when it is started as one.
var ready atomic.Bool

var errNotReady = errors.New("confine: main does not call Main")

// Main is the first thing that a program's main calls, and TestMain of packages
// whose tests call [Run]. It returns at once, unless the process was started by
// Run as a helper: then it never returns.
func Main() {
	ready.Store(true)
	if len(os.Args) != 2 || os.Args[1] != wardenWord && os.Args[1] != heraldWord {
		return
	}
	var st unix.Stat_t
	if unix.Fstat(orderFile, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		fmt.Fprintln(os.Stderr, "This is for loci itself; it does nothing alone.")
		os.Exit(2)
	}
	closeOnExec()
	in, out := os.NewFile(orderFile, "order"), os.NewFile(reportFile, "report")
	if os.Args[1] == heraldWord {
		herald(in, out)
	}
	guard(in, out)
}

// closeOnExec keeps what loci has open, or was started with, from the programs that
// the helper starts: all but the standard input and outputs.
func closeOnExec() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	var limit unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) // an old kernel: one after the other
	for fd := 3; fd < int(min(max(limit.Cur, 1024), 1<<16)); fd++ {
		unix.CloseOnExec(fd)
	}
}

// tell writes a report and ends the process.
func tell(out io.Writer, r report) {
	_ = json.NewEncoder(out).Encode(r) // nobody reads it when loci is gone
	syscall.Exit(0)                    // at once: there is nothing to put in order
}

// guard is the warden's life.
func guard(in io.Reader, out io.Writer) {
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGPIPE)
	var o order
	orders := json.NewDecoder(bufio.NewReader(in))
	if err := orders.Decode(&o); err != nil {
		os.Exit(1)
	}
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, in) // until loci closes its end, or is gone
		close(over)
	}()
	if o.Level.Namespaces {
		if err := seal(&o); err != nil {
			tell(out, report{Failure: err.Error()})
		}
	} else if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		tell(out, report{Failure: "orphans cannot be collected: " + err.Error()})
	}
	if o.Plan.Program == "" { // only to see whether it works
		tell(out, report{End: Exited})
	}
	o.Threads = threadsOf(os.Getuid())
	first, rep := announce(o)
	if rep.Failure != "" {
		tell(out, rep)
	}
	rep = watch(first, o, over)
	rep.Left = sweep(o.Level.Namespaces)
	tell(out, rep)
}

// announce starts the herald, and returns once it has become the command.
func announce(o order) (pid int, rep report) {
	raw, err := json.Marshal(o)
	if err != nil {
		return 0, report{Failure: err.Error()}
	}
	theirOrder, ourOrder, err := os.Pipe()
	if err != nil {
		return 0, report{Failure: err.Error()}
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		return 0, report{Failure: err.Error()}
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	if err != nil {
		return 0, report{Failure: err.Error()}
	}
	p, err := os.StartProcess("/proc/self/exe", []string{os.Args[0], heraldWord}, &os.ProcAttr{
		Env: environment(o.Temp), Dir: "/", Files: []*os.File{null, os.Stdout, os.Stderr, theirOrder, theirs},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 0, report{Failure: err.Error()}
	}
	// Whoever holds our outputs keeps loci waiting for their end.
	closed := errors.Join(theirOrder.Close(), theirs.Close(), null.Close(), os.Stdout.Close(), os.Stderr.Close())
	_, sent := ourOrder.Write(raw)
	if err := errors.Join(closed, sent, ourOrder.Close()); err != nil {
		return 0, report{Failure: err.Error()}
	}
	err = json.NewDecoder(ours).Decode(&rep)
	if err != nil && !errors.Is(err, io.EOF) { // closed without a word: it is the command now
		rep.Failure = err.Error()
	}
	return p.Pid, rep
}

// watch waits for the command to end, or for a reason to end it, and collects
// every orphan on the way.
func watch(first int, o order, over <-chan struct{}) report {
	ends := make(chan report, 1)
	go func() { ends <- collect(first) }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case rep := <-ends:
			return rep
		case <-over:
			return report{End: Cancelled}
		case <-tick.C:
			all := below(o.Level.Namespaces)
			if threads(all) > 2*o.Plan.Limits.Processes { // the kernel's own limit comes first, where it holds
				return report{End: Processes}
			}
			if exceeds(all, o.Plan.Limits.Memory) {
				return report{End: Memory}
			}
		}
	}
}

// collect waits for children until the first one ends.
func collect(first int) report {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return report{Failure: "the command was lost: " + err.Error()}
		case pid == first && status.Exited():
			return report{End: Exited, Status: status.ExitStatus()}
		case pid == first && status.Signaled():
			return report{End: Signalled, Status: int(status.Signal())}
		}
	}
}

// herald limits itself and becomes the command. Limits of the kernel count for a
// thread, and the one that becomes the command takes its own along.
func herald(in io.Reader, out io.Writer) {
	runtime.LockOSThread()
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		tell(out, report{Failure: err.Error()})
	}
	become, err := execution(o.Plan)
	if err == nil {
		err = limitAll(o)
	}
	if err != nil {
		tell(out, report{Failure: err.Error()})
	}
	tell(out, report{Failure: become().Error(), Missing: true})
}

// execution makes what the system call needs that turns the process into the
// command: it comes when there may be no memory to make it in.
func execution(p Plan) (become func() error, err error) {
	program, err := unix.BytePtrFromString(p.Program)
	if err != nil {
		return nil, err
	}
	argv, err := syscall.SlicePtrFromStrings(p.Argv)
	if err != nil {
		return nil, err
	}
	env, err := syscall.SlicePtrFromStrings(os.Environ())
	if err != nil {
		return nil, err
	}
	return func() error {
		_, _, e := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(program)), uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&env[0])))
		return e
	}, nil
}

// limitAll applies one limit after the other, so that none is needed for the next.
// Those on resources come last, because this process would be the first to suffer.
func limitAll(o order) error {
	unix.Umask(0o077)
	if err := os.Chdir(o.Plan.Dir); err != nil {
		return err
	}
	for _, apply := range []func(order) error{dropPrivileges, restrict, filter, limit} {
		if err := apply(o); err != nil {
			return err
		}
	}
	return nil
}
