package embedded

import "syscall"

// dieWithParent has the kernel kill the process when loci is gone.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
