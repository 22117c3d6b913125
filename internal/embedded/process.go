package embedded

import (
	"io"
	"os/exec"
	"time"
)

// child is a running process that leads a group of its own, so that Ctrl-C on
// the terminal reaches loci alone and stop reaches all that it started.
//
// It is never left behind. In an orderly end, loci stops it. When loci is
// killed, the operating system closes the pipe that is the child's standard
// input, and the child ends itself; on Linux the kernel also kills it, should
// it be too busy to notice. (The kernel does so when the thread that started
// the child ends. Go ends threads only when a goroutine that is locked to one
// returns; the supervisor's goroutine is not.)
type child struct {
	cmd   *exec.Cmd
	stdin io.Closer
	done  chan struct{} // closed after exit
	err   error         // why it ended; valid after done
}

// grace is how long a child may take to end by itself.
const grace = 1500 * time.Millisecond

// startChild starts cmd with both outputs going to out and line as the
// beginning of its standard input.
func startChild(cmd *exec.Cmd, line []byte, out io.Writer) (*child, error) {
	ownGroup(cmd)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 200 * time.Millisecond
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, stdin: stdin, done: make(chan struct{})}
	// The line is shorter than a pipe's buffer, so this does not wait for the
	// child to read it.
	_, writeErr := stdin.Write(line)
	go func() {
		c.err = cmd.Wait()
		killGroup(cmd.Process) // what it left behind
		close(c.done)
	}()
	if writeErr != nil {
		c.stop()
		return nil, writeErr
	}
	return c, nil
}

// stop ends the child and its group, and returns when they are gone: at once as
// a rule, after grace at the latest.
func (c *child) stop() {
	c.stdin.Close()
	terminateGroup(c.cmd.Process)
	select {
	case <-c.done:
	case <-time.After(grace):
		killGroup(c.cmd.Process)
		<-c.done
	}
}
