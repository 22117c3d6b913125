//go:build unix && !linux

package confine

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"loci"
)

// Main does nothing on this system.
func Main() {}

// Probe tells that nothing confines a command on this system.
func Probe() Level { return Level{Reason: "loci has a sandbox on Linux only"} }

// start runs the command in a process group of its own.
func start(ctx context.Context, p Plan, temp string, _ Level) (Result, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, p.Limits.Time)
	defer cancel()
	stdout, stderr := newCapture(p.Limits.Output), newCapture(p.Limits.Output)
	cmd := exec.CommandContext(ctx, p.Program)
	cmd.Args, cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.Argv, p.Dir, environment(temp), stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return Result{}, loci.Errorf(loci.NotFound, "The program cannot be run: %s.", err).
			WithHint("A script must name its interpreter in its first line, and that must be installed.")
	}
	_ = cmd.Wait()                                           // how it ended is in its state
	left := unix.Kill(-cmd.Process.Pid, unix.SIGKILL) == nil // what it left behind
	r := Result{End: Exited, Exit: cmd.ProcessState.ExitCode(), Stdout: stdout.output(), Stderr: stderr.output(), Took: time.Since(began), Left: left}
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.End, r.Exit = Timeout, -1
	case ctx.Err() != nil:
		r.End, r.Exit = Cancelled, -1
	case status.Signaled():
		r.End, r.Signal = Signalled, unix.SignalName(status.Signal())
	}
	return r, nil
}
