//go:build amd64 || arm64

package confine

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// callsOf is a program that tries system calls by their numbers, each a line of
// "name number words…", and says which were possible.
const callsOf = `
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
room = ctypes.create_string_buffer(4096)
for line in sys.argv[1].splitlines():
    name, number, *words = line.split()
    args = [room if w == "room" else b"x" if w == "name" else ctypes.c_long(int(w)) for w in words]
    ctypes.set_errno(0)
    if libc.syscall(ctypes.c_long(int(number)), *args) >= 0: print(name, "was possible")
print("done")
`

// try runs system calls in the sandbox and returns what was possible.
func (b *bench) try(calls ...string) string {
	b.t.Helper()
	r := b.run(python(b.t), "python3", "-c", callsOf, strings.Join(calls, "\n"))
	text, over := strings.CutSuffix(all(r), "done\n")
	if !over {
		b.t.Errorf("%+v\n%s", r, text)
	}
	return text
}

// call is a line for try.
func call(name string, number int, words string) string {
	return name + " " + strconv.Itoa(number) + " " + words
}

// TestOtherProcessesKeepTheirLimits: what a user may do to all that is theirs, such as
// loci, a command may not.
func TestOtherProcessesKeepTheirLimits(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		other := victim(t).Process.Pid
		pid := strconv.Itoa(other)
		var before unix.Rlimit
		if err := unix.Prlimit(other, unix.RLIMIT_FSIZE, nil, &before); err != nil {
			t.Fatal(err)
		}
		got := b.try(
			call("prlimit", unix.SYS_PRLIMIT64, pid+" 1 room 0"),
			call("prlimit-read", unix.SYS_PRLIMIT64, pid+" 1 0 room"),
			call("renice", unix.SYS_SETPRIORITY, "0 "+pid+" 19"),
			call("renice-user", unix.SYS_SETPRIORITY, "2 0 19"),
			call("affinity", unix.SYS_SCHED_SETAFFINITY, pid+" 8 room"),
			call("scheduler", unix.SYS_SCHED_SETSCHEDULER, pid+" 3 room"),
			call("param", unix.SYS_SCHED_SETPARAM, pid+" room"),
			call("attr", unix.SYS_SCHED_SETATTR, pid+" room 0"),
			call("ionice", unix.SYS_IOPRIO_SET, "1 "+pid+" 24583"),
			call("migrate", unix.SYS_MIGRATE_PAGES, pid+" 0 0 0"),
			call("move", unix.SYS_MOVE_PAGES, pid+" 0 0 0 0 0"),
			call("kcmp", unix.SYS_KCMP, pid+" "+pid+" 0 0 0"),
			call("pidfd", unix.SYS_PIDFD_OPEN, pid+" 0"),
			call("madvise", unix.SYS_PROCESS_MADVISE, "0 0 0 20 0"),
			call("mrelease", unix.SYS_PROCESS_MRELEASE, "0 0"),
		)
		if b.level.Namespaces { // there it is all within its own
			got = strings.Replace(got, "renice-user was possible\n", "", 1)
		}
		if got != "" {
			t.Error(got)
		}
		var after unix.Rlimit
		if err := unix.Prlimit(other, unix.RLIMIT_FSIZE, nil, &after); err != nil || after != before {
			t.Errorf("%v was %v: %v", after, before, err)
		}
		if r := b.sh("ulimit -n 100 && ulimit -n && nice -n 3 nice && nice -n 1 true"); all(r) != "100\n3\n" {
			t.Errorf("its own limits are in the way: %s", all(r))
		}
	})
}

// TestMemoryThatNobodyHas: what would be in no process that the warden could count, or
// stay when all of them are gone.
func TestMemoryThatNobodyHas(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		if got := b.try(
			call("memfd", unix.SYS_MEMFD_CREATE, "name 0"), call("secret", unix.SYS_MEMFD_SECRET, "0"),
			call("shm", unix.SYS_SHMGET, "0 4096 896"), call("msg", unix.SYS_MSGGET, "0 896"), call("sem", unix.SYS_SEMGET, "0 1 896"),
			call("mq", unix.SYS_MQ_OPEN, "name 66 384 0"),
		); got != "" {
			t.Error(got)
		}
		if _, err := os.Stat("/usr/bin/node"); err == nil {
			if r := b.run("/usr/bin/node", "node", "-e", "console.log(1)"); all(r) != "1\n" {
				t.Errorf("%s", all(r))
			}
		}
	})
}

// TestWrittenAltogether: many files, each within its limit, by processes that are gone.
func TestWrittenAltogether(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		var st unix.Statfs_t
		if err := unix.Statfs(b.root, &st); err != nil || st.Type == unix.TMPFS_MAGIC || st.Type == unix.OVERLAYFS_SUPER_MAGIC {
			t.Skip("the temporary folder is not on a disk")
		}
		if _, err := os.Stat("/proc/self/io"); err != nil {
			t.Skip("the kernel does not count what is written")
		}
		b.plan.Limits.Written = 16 << 20
		const script = "for i in $(seq %); do head -c 4194304 /dev/zero > f$i; sleep 0.05; done"
		if r := b.sh(strings.Replace(script, "%", "60", 1)); r.End != Disk {
			t.Errorf("%+v", r)
		}
		if r := b.sh(strings.Replace(script, "%", "2", 1)); r.End != Exited || r.Exit != 0 {
			t.Errorf("%+v", r)
		}
	})
}
