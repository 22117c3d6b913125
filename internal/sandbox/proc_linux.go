package sandbox

import (
	"os"
	"syscall"
)

// procMagic is the file system type of /proc: PROC_SUPER_MAGIC in statfs(2).
const procMagic = 0x9fa0

// onProc reports whether a file lives in /proc, which can be reached when a
// folder as high as / is allowed, and shows the environment of processes.
func onProc(file *os.File) bool {
	conn, err := file.SyscallConn()
	if err != nil {
		return true // cannot be told: not read
	}
	proc := true
	if err := conn.Control(func(fd uintptr) {
		var st syscall.Statfs_t
		if err := syscall.Fstatfs(int(fd), &st); err == nil {
			proc = int64(st.Type) == procMagic // 32 bits wide on some machines
		}
	}); err != nil {
		return true
	}
	return proc
}
