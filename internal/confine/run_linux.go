package confine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"loci"
)

// order is what loci tells the warden, and the warden the herald.
type order struct {
	Plan  Plan
	Temp  string // the command's own folder
	Level Level
	// What the warden found, for the herald.
	Shm     bool // /dev/shm is the sandbox's own
	Held    bool // the program's content comes with the order
	Threads int  // those that count towards the user's limit already
}

// report is what the warden tells of the end.
type report struct {
	Failure string // why the command could not be started; the rest is then empty
	Missing bool   // of Failure: the program is not there, or cannot be run
	End     End
	Status  int // the exit code, or the number of the signal
	Left    bool
}

// grace is how long the warden may take to end all that it guards where the
// kernel does not do so by itself.
const grace = 1500 * time.Millisecond

// start runs the warden, and tells what it reports.
func start(ctx context.Context, p Plan, temp string, level Level) (Result, error) {
	began := time.Now()
	w, err := newWarden(level)
	if err != nil {
		return Result{}, err
	}
	stdout, stderr := newCapture(p.Limits.Output), newCapture(p.Limits.Output)
	w.cmd.Stdout, w.cmd.Stderr = stdout, stderr
	if err := w.start(order{Plan: p, Temp: temp, Level: level}); err != nil {
		return Result{}, err
	}
	rep, end := w.wait(ctx, p.Limits.Time)
	r := Result{End: end, Exit: -1, Stdout: stdout.output(), Stderr: stderr.output(), Took: time.Since(began)}
	switch {
	case end != "":
	case rep.Failure != "" && rep.Missing:
		return r, loci.Errorf(loci.NotFound, "The program cannot be run: %s.", rep.Failure).
			WithHint("A script must name its interpreter in its first line, and that must be installed.")
	case rep.Failure != "":
		return r, fmt.Errorf("confine: %s", rep.Failure)
	default:
		r.End, r.Left = rep.End, rep.Left
		if rep.End == Exited {
			r.Exit = rep.Status
		} else if rep.End == Signalled {
			r.Signal = unix.SignalName(syscall.Signal(rep.Status))
		}
	}
	return r, nil
}

// warden is the first helper, as the one sees it that started it.
type warden struct {
	cmd     *exec.Cmd
	life    *os.File // closing it ends the warden
	reports *os.File
	theirs  []*os.File // the warden's ends
	hidden  bool       // it is in a PID namespace: killing it kills all
}

// newWarden prepares a warden for a level.
func newWarden(level Level) (*warden, error) {
	if !ready.Load() {
		return nil, errNotReady
	}
	theirLife, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	reports, theirReports, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirLife.Close(), life.Close())
	}
	w := &warden{life: life, reports: reports, theirs: []*os.File{theirLife, theirReports}, hidden: level.Namespaces}
	// The link to ourselves holds even when the file was replaced by a newer one.
	w.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{os.Args[0], wardenWord}, Env: []string{}, Dir: "/",
		ExtraFiles: w.theirs, WaitDelay: grace,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	if level.Namespaces {
		inNamespaces(w.cmd.SysProcAttr)
	}
	return w, nil
}

// inNamespaces gives a process namespaces of its own, in which it is who it is
// outside, and may mount.
func inNamespaces(attr *syscall.SysProcAttr) {
	attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE}
}

// start starts the warden and gives it its order.
func (w *warden) start(o order) error {
	if o.Plan.Network && w.hidden {
		w.cmd.SysProcAttr.Cloneflags &^= unix.CLONE_NEWNET
	}
	err := w.cmd.Start()
	for _, f := range w.theirs {
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		// Larger than a pipe's buffer it may be; the warden reads it first of all.
		err = json.NewEncoder(w.life).Encode(o)
	}
	if err != nil {
		w.kill()
		return fmt.Errorf("confine: start: %w", err)
	}
	return nil
}

// wait waits for the warden's report, or for the reason to end it: then end says
// which. Everything is gone when it returns.
func (w *warden) wait(ctx context.Context, limit time.Duration) (rep report, end End) {
	reported := make(chan error, 1)
	go func() { reported <- json.NewDecoder(bufio.NewReader(w.reports)).Decode(&rep) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var err error
	got := false
	select {
	case err = <-reported:
		got = true
	case <-timer.C:
		end = Timeout
	case <-ctx.Done():
		end = Cancelled
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			end = Timeout
		}
	}
	if end != "" && w.hidden {
		_ = w.cmd.Process.Kill() // it may have ended just now
	}
	_ = w.life.Close() // the warden ends what is left, and then itself
	over := time.AfterFunc(grace, func() { _ = w.cmd.Process.Kill() })
	_ = w.cmd.Wait() // the report tells how the command ended
	over.Stop()
	if !got {
		err = <-reported
	}
	_ = w.reports.Close()
	if err != nil && end == "" {
		rep = report{Failure: "the helper that guards the command ended early"}
		if errors.Is(err, io.EOF) && w.cmd.ProcessState != nil {
			rep.Failure += ": " + w.cmd.ProcessState.String()
		}
	}
	return rep, end
}

// kill ends a warden that could not be given an order.
func (w *warden) kill() {
	if w.cmd.Process != nil {
		_ = w.cmd.Process.Kill()
		_ = w.cmd.Wait()
	}
	_, _ = w.life.Close(), w.reports.Close()
}

// Probe tells what confines a command on this machine. It tries it out, once.
func Probe() Level {
	probed.Lock()
	defer probed.Unlock()
	if probed.known {
		return probed.Level
	}
	if !ready.Load() {
		return Level{Reason: errNotReady.Error()}
	}
	level := Level{Landlock: landlockVersion(), Filter: haveFilter(), Namespaces: true}
	err := try(level)
	probed.known = !errors.Is(err, errSlow) // a busy machine may be less so the next time
	if err != nil {
		level.Namespaces = false
		level.Reason = "this system does not let programs make namespaces: " + err.Error()
	}
	probed.Level = level
	return level
}

// probed is what was found out.
var probed struct {
	sync.Mutex
	Level
	known bool
}

var errSlow = errors.New("it takes too long")

// try starts a warden that makes its namespaces ready and ends.
func try(level Level) error {
	w, err := newWarden(level)
	if err != nil {
		return err
	}
	if err := w.start(order{Level: level}); err != nil {
		return errors.New("they cannot be made") // with details that only a kernel developer reads
	}
	rep, end := w.wait(context.Background(), 10*time.Second)
	switch {
	case end != "":
		return errSlow
	case rep.Failure != "":
		return errors.New(rep.Failure)
	}
	return nil
}
