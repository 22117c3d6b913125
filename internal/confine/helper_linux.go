package confine

import (
	"bufio"
	"bytes"
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
	heldFile   = 5 // of the herald: the content of the program, if it is held
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
	held, err := pin(o.Plan.Pinned)
	if err != nil {
		tell(out, report{Failure: err.Error()})
	}
	first, rep := announce(o, held)
	if rep.Failure != "" {
		tell(out, rep)
	}
	rep = watch(first, o, over)
	rep.Left = sweep(o.Level.Namespaces)
	tell(out, rep)
}

// announce starts the herald, and returns once it has become the command.
func announce(o order, held []pinned) (pid int, rep report) {
	program := heldProgram(o.Plan, held)
	for i := range o.Plan.Pinned {
		o.Plan.Pinned[i].Content = nil // that they are is enough
	}
	o.Held = program != nil
	raw, err := json.Marshal(o)
	if err != nil {
		return 0, report{Failure: err.Error()}
	}
	theirOrder, ourOrder, err := os.Pipe()
	if err != nil {
		return 0, report{Failure: err.Error()}
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, report{Failure: err.Error()}
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "reports"), os.NewFile(uintptr(ends[1]), "report")
	null, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	if err != nil {
		return 0, report{Failure: err.Error()}
	}
	files := []*os.File{null, os.Stdout, os.Stderr, theirOrder, theirs}
	if program != nil {
		files = append(files, program)
	}
	p, err := os.StartProcess("/proc/self/exe", []string{os.Args[0], heraldWord}, &os.ProcAttr{
		Env: environment(o.Temp), Dir: "/", Files: files,
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
	return p.Pid, hear(ours, held)
}

// hear takes what a herald says, until it is the command: a failure, or the file from
// which the kernel's questions about the files that it opens are to be read.
func hear(from *os.File, held []pinned) (rep report) {
	defer from.Close()
	var first [1]byte
	room := make([]byte, unix.CmsgSpace(4))
	n, with, _, _, err := unix.Recvmsg(int(from.Fd()), first[:], room, unix.MSG_CMSG_CLOEXEC)
	for errors.Is(err, unix.EINTR) {
		n, with, _, _, err = unix.Recvmsg(int(from.Fd()), first[:], room, unix.MSG_CMSG_CLOEXEC)
	}
	if err != nil {
		return report{Failure: err.Error()}
	}
	if messages, err := unix.ParseSocketControlMessage(room[:with]); err == nil && len(messages) == 1 {
		if fds, err := unix.ParseUnixRights(&messages[0]); err == nil && len(fds) == 1 {
			go serve(os.NewFile(uintptr(fds[0]), "questions"), held)
		}
	}
	err = json.NewDecoder(io.MultiReader(bytes.NewReader(first[:n]), from)).Decode(&rep)
	if err != nil && !errors.Is(err, io.EOF) { // closed without a word: it is the command now
		rep.Failure = err.Error()
	}
	return rep
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
			if written(all) > o.Plan.Limits.Written {
				return report{End: Disk}
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
	become, err := execution(o)
	if err == nil {
		err = limitAll(o)
	}
	if err != nil {
		tell(out, report{Failure: err.Error(), Missing: errors.Is(err, unix.ENOEXEC)})
	}
	tell(out, report{Failure: become().Error(), Missing: true})
}

// execution makes what turns the process into the command.
func execution(o order) (become func() error, err error) {
	r := running{unix.AT_FDCWD, o.Plan.Program, o.Plan.Argv}
	if o.Held {
		if r, err = agreed(o.Plan, os.NewFile(heldFile, "program")); err != nil {
			return nil, err
		}
	}
	return r.become()
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
