package confine

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// process is what the kernel says of one.
type process struct {
	pid, parent, threads int
	memory               int64 // bytes, those included that it shares with others
	dead                 bool  // it waits to be collected
}

// processes lists all that /proc shows.
func processes() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what was read counts
	var all []process
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := look(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

// look reads /proc/PID/stat; see proc_pid_stat(5). The name, the second field, may
// have anything in it, so the fields are counted from its closing parenthesis on.
func look(pid int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	end := bytes.LastIndexByte(stat, ')')
	if err != nil || end < 0 {
		return process{}, false
	}
	fields := bytes.Fields(stat[end+1:]) // from the third on
	if len(fields) < 22 {
		return process{}, false
	}
	number := func(field int) int64 {
		n, _ := strconv.ParseInt(string(fields[field-3]), 10, 64) // the kernel writes numbers there
		return n
	}
	return process{
		pid: pid, parent: int(number(4)), threads: int(number(20)), memory: number(24) * int64(os.Getpagesize()),
		dead: bytes.ContainsAny(fields[0], "ZX"),
	}, true
}

// below lists the living processes that the warden guards: in a namespace all but
// itself, otherwise those that descend from it.
func below(namespace bool) []process {
	all := processes()
	ours := map[int]bool{os.Getpid(): true}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !ours[p.pid] && (namespace || ours[p.parent]) {
				ours[p.pid], grown = true, true
			}
		}
	}
	var found []process
	for _, p := range all {
		if ours[p.pid] && p.pid != os.Getpid() && !p.dead {
			found = append(found, p)
		}
	}
	return found
}

// threads is how many all of them have.
func threads(all []process) (n int) {
	for _, p := range all {
		n += p.threads
	}
	return n
}

// exceeds tells whether processes use more memory than a limit. What several of
// them share, such as a library, is counted for each at first, which is quick, and
// only if that is too much, for all of them once.
func exceeds(all []process, limit int64) bool {
	sum := int64(0)
	for _, p := range all {
		sum += p.memory
	}
	if sum <= limit {
		return false
	}
	sum = 0
	for _, p := range all {
		sum += p.share()
	}
	return sum > limit
}

// share is the memory of a process, with its part of what it shares; see
// proc_pid_smaps_rollup(5).
func (p process) share() int64 {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/smaps_rollup")
	if err != nil { // ended, or not to be seen
		return p.memory
	}
	for line := range bytes.Lines(raw) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "Pss:" {
			if kilobytes, err := strconv.ParseInt(string(f[1]), 10, 64); err == nil {
				return kilobytes << 10
			}
		}
	}
	return p.memory
}

// written is how much processes have written to disks; see proc_pid_io(5). A process has
// that of those it has waited for, too, and the warden that of every orphan. Where the
// kernel does not count it, it is 0.
func written(all []process) (sum int64) {
	for _, p := range append(all, process{pid: os.Getpid()}) {
		raw, _ := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/io") // ended, or not to be seen
		for line := range bytes.Lines(raw) {
			name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
			n, _ := strconv.ParseInt(string(value), 10, 64) // the kernel writes numbers there
			switch string(name) {
			case "write_bytes":
				sum += n
			case "cancelled_write_bytes": // removed before it was on the disk
				sum -= n
			}
		}
	}
	return sum
}

// threadsOf counts the threads of a user, as the kernel does for its limit.
func threadsOf(uid int) (n int) {
	for _, p := range processes() {
		var st unix.Stat_t
		if unix.Stat("/proc/"+strconv.Itoa(p.pid), &st) == nil && int(st.Uid) == uid {
			n += p.threads
		}
	}
	return n
}

// sweep kills all that the warden guards and tells whether there was anything. In
// a namespace the kernel does so when the warden ends, at once for all of them.
// Otherwise new ones may be started while it looks, so it stops what it finds
// before it kills, and looks again until there is none.
func sweep(namespace bool) (left bool) {
	if namespace {
		return len(below(true)) > 0
	}
	for {
		found := below(false)
		if len(found) == 0 {
			return left
		}
		left = true
		for _, signal := range []unix.Signal{unix.SIGSTOP, unix.SIGKILL} {
			for _, p := range found {
				_ = unix.Kill(p.pid, signal) // it may have ended
			}
		}
		for { // collect at once, so that numbers are not held
			pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
			if pid <= 0 && !errors.Is(err, unix.EINTR) {
				break
			}
		}
		time.Sleep(time.Millisecond)
	}
}
