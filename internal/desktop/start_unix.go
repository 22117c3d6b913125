//go:build unix

package desktop

import "syscall"

// detached gives a program a session of its own: it does not end with loci, nor with
// the terminal that loci runs in.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
