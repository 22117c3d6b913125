package embedded

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C on the console away from cmd.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup does nothing: the closed standard input asks the launcher to
// end, and Windows has no gentler signal for a process without a console.
func terminateGroup(*os.Process) error { return nil }

func killGroup(p *os.Process) error { return p.Kill() }
