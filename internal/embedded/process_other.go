//go:build unix && !linux

package embedded

import "syscall"

// dieWithParent has no counterpart outside Linux: there the closed standard
// input has to do.
func dieWithParent(*syscall.SysProcAttr) {}
