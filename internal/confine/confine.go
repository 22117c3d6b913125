// Package confine runs a program where it can do little harm.
//
// [Run] starts a command of a [Plan] and comes back when the command, and all
// that it started, is gone. On Linux the command is in a sandbox, made by
// starting this very program again, twice, as two helpers (see [Main]):
//
//	Run → warden → herald, which becomes the command
//
// The warden is the first process of new user, PID, network, mount and IPC
// namespaces. In them it makes all file systems read-only but the folders that may
// be written, covers the private ones, starts the herald, collects every orphan, and
// when the command ends, the time is over, too much memory or too many processes are
// in use, or loci itself is gone, it ends; the kernel then kills all that is left in
// its namespace. Where namespaces are not to be had, the warden is the one that
// orphans go to, and kills what it finds below itself until nothing is left.
//
// The herald limits itself, one layer after the other, and then becomes the
// command: resource limits, no capabilities, no new privileges, Landlock (the
// folders of the plan and the places of the system that programs need, nothing
// else), and a system call filter. Each layer holds without the others, and none
// can be undone by the command.
//
// # Sockets
//
// Without the network the filter refuses every socket, also those of the UNIX
// family; with it, those of the Internet alone. A path or an abstract name of a UNIX
// socket may lead to a message bus, a password agent or a container engine, which
// all do what they are asked to outside of any sandbox; Landlock can tell such
// sockets apart only in kernels that few people have, and a network namespace does
// not keep anybody from a path. What programs use among themselves, connected
// pairs, is left to them. Network namespaces come on top.
//
// Bubblewrap would add nothing: it needs the same namespaces.
//
// # What was agreed to
//
// Between a look at a script and its run somebody may put another in its place. A
// mount over it would be no help: it goes when the file below is renamed over. So the
// warden holds the files that the plan pins in sealed memory. The program is run from
// there; and the filter has the kernel ask the warden about every file that the command
// opens, which is how an interpreter comes by its script: for a pinned one it is handed
// what is held. $0 is the file's own path all the time. This ends when the command opens
// a pinned file to change it, or starts another process. It needs Linux 5.14 on one of
// the processors that have a filter; elsewhere only the program itself is held.
//
// # Elsewhere
//
// [Probe] tells what of this is in force. On macOS there is no sandbox: the command
// runs with a clean environment, a deadline and capped output only. On Windows
// Run refuses.
package confine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/where"
)

// Plan is a command and all that it may do.
type Plan struct {
	Program string   // absolute path of what is run; a script is run by what its first line names
	Argv    []string // the words, the name of the program first
	Dir     string   // absolute; where it starts, inside one of Read or Write
	Read    []string // absolute paths of folders that it may read, and run programs from
	Write   []string // the same for folders that it may change too
	Private []string // absolute paths of folders that stay closed even inside those, or among the system's
	Network bool     // it may use the Internet and the local network
	Pinned  []File   // what was agreed to; see the package comment
	Limits  Limits
}

// File is a file with its content as it was read. All of it is in memory, twice for a
// moment.
type File struct {
	Path    string // absolute
	Content []byte
}

// Limits bound a command. Zero fields have the default.
type Limits struct {
	Time      time.Duration // until it is killed; 30 s
	Memory    int64         // bytes, of one process and of all together; 2 GiB
	Processes int           // with their threads; 256
	FileSize  int64         // bytes of any file that it writes; 1 GiB
	Written   int64         // bytes of all files together, on disks; 8 GiB
	Files     int           // open at once, in one process; 1,024
	Output    int           // bytes kept of each output, half from its beginning and half from its end; 1 MiB
}

// withDefaults fills in what was left zero.
func (l Limits) withDefaults() Limits {
	return Limits{
		Time:      orElse(l.Time, 30*time.Second),
		Memory:    orElse(l.Memory, 2<<30),
		Processes: orElse(l.Processes, 256),
		FileSize:  orElse(l.FileSize, 1<<30),
		Written:   orElse(l.Written, 8<<30),
		Files:     orElse(l.Files, 1024),
		Output:    orElse(l.Output, 1<<20),
	}
}

// orElse is a limit, or its default.
func orElse[N int | int64 | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}

// End says why a command ended.
type End string

// The ends.
const (
	Exited    End = "exited"    // by itself
	Signalled End = "signalled" // by a signal that loci did not send
	Timeout   End = "timeout"   // Limits.Time was over
	Cancelled End = "cancelled" // nobody waits for it any more
	Memory    End = "memory"    // more than Limits.Memory
	Processes End = "processes" // more than Limits.Processes
	Disk      End = "disk"      // more than Limits.Written
)

// Result is what came of a command.
type Result struct {
	End            End
	Exit           int    // the exit code; -1 unless Exited
	Signal         string // the signal's name, of Signalled
	Stdout, Stderr Output
	Took           time.Duration
	Left           bool // processes that it had left behind were killed
}

// Level says what confines a command on this machine.
type Level struct {
	Landlock   int    // the version of the kernel's interface; 0: files are not confined by it
	Filter     bool   // of system calls: no sockets, no looking into other processes
	Namespaces bool   // of users, processes, network, mounts and IPC
	Reason     string // why there are no namespaces, or nothing at all
}

// None tells whether nothing confines a command.
func (l Level) None() bool { return l.Landlock == 0 && !l.Filter && !l.Namespaces }

// Full tells whether everything there is confines a command.
func (l Level) Full() bool { return l.Landlock > 0 && l.Filter && l.Namespaces }

// String lists the layers in force, such as "Landlock 7, system call filter,
// namespaces", or is "none".
func (l Level) String() string {
	var parts []string
	if l.Landlock > 0 {
		parts = append(parts, fmt.Sprintf("Landlock %d", l.Landlock))
	}
	if l.Filter {
		parts = append(parts, "system call filter")
	}
	if l.Namespaces {
		parts = append(parts, "namespaces")
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// Path is where programs are looked for, in this order: folders of the system, which
// no model can write to.
var Path = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/run/current-system/sw/bin"}

// programs are the places that programs and their libraries are in, which every
// command may read.
var programs = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt",
	"/nix/store", "/gnu/store", "/run/current-system/sw",
}

// Run runs the command of a plan to its end. The context's end kills it, and so does
// its own limit; neither is an error, but an [End]. An error is that the command could
// not be started: a *loci.Error where a person can mend it.
func Run(ctx context.Context, p Plan) (Result, error) {
	return run(ctx, p, Probe())
}

// run is Run at a level that tests may lower.
func run(ctx context.Context, p Plan, level Level) (Result, error) {
	p.Limits = p.Limits.withDefaults()
	p, err := p.settled()
	if err != nil {
		return Result{}, err
	}
	temp, err := makeTemp()
	if err != nil {
		return Result{}, err
	}
	r, err := start(ctx, p, temp, level)
	return r, errors.Join(err, removeTemp(temp))
}

// settled checks a plan, and takes the links out of its paths: what confines a
// command knows folders, not names. A folder that lies in a private one is left out,
// and what is in a folder to write need not be read too.
func (p Plan) settled() (Plan, error) {
	if len(p.Argv) == 0 || !filepath.IsAbs(p.Program) || slices.ContainsFunc(p.Argv, func(a string) bool { return strings.ContainsRune(a, 0) }) {
		return p, errors.New("confine: the plan names no program that can be run")
	}
	private, err := realPaths(p.Private, true)
	if err != nil {
		return p, err
	}
	for _, list := range []*[]string{&p.Read, &p.Write} {
		if *list, err = realPaths(*list, false); err != nil {
			return p, err
		}
		*list = slices.DeleteFunc(*list, func(path string) bool {
			return slices.ContainsFunc(private, func(closed string) bool { return where.In(path, closed) })
		})
	}
	folders := slices.Concat(p.Read, p.Write)
	open := slices.Concat(folders, programs)
	p.Private = slices.DeleteFunc(private, func(path string) bool {
		return !slices.ContainsFunc(open, func(f string) bool { return where.In(path, f) })
	})
	for _, path := range p.Private {
		// One that is not there yet could be made by the command, with whatever in it.
		if err := os.MkdirAll(path, 0o700); err != nil {
			return p, fmt.Errorf("confine: a private folder cannot be covered: %w", err)
		}
	}
	if p.Dir, err = filepath.EvalSymlinks(p.Dir); err != nil {
		return p, fmt.Errorf("confine: the folder to start in: %w", err)
	}
	if !slices.ContainsFunc(folders, func(f string) bool { return where.In(p.Dir, f) }) ||
		slices.ContainsFunc(p.Private, func(closed string) bool { return where.In(p.Dir, closed) }) {
		return p, loci.Errorf(loci.Forbidden, "The folder that the command is to start in is not in an allowed one.")
	}
	return p, nil
}

// realPaths are paths without links. What may be missing keeps the part of its name
// that does not exist; other paths that are not there are left out.
func realPaths(paths []string, missing bool) (reals []string, err error) {
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("confine: %q is not an absolute path", path)
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil && missing {
			real = where.Real(path)
		} else if err != nil {
			continue
		}
		reals = append(reals, real)
	}
	return reals, nil
}

// environment is all that a command finds in its environment.
func environment(temp string) []string {
	return []string{"PATH=" + strings.Join(Path, ":"), "HOME=" + temp, "TMPDIR=" + temp, "LANG=C.UTF-8", "TERM=dumb"}
}

// makeTemp makes the folder that is home and temporary folder of one command.
func makeTemp() (string, error) {
	dir, err := os.MkdirTemp("", "loci-run-")
	if err != nil {
		return "", loci.Wrap(loci.Internal, err, "There is no room for the temporary files of a command.").
			WithHint("Free some room on the disk, or set TMPDIR to a folder that can be written.")
	}
	return filepath.EvalSymlinks(dir)
}

// removeTemp removes it, whatever modes the command gave to what is in it.
func removeTemp(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	root, err := os.OpenRoot(dir) // nothing outside is touched, whatever links are in it
	if err != nil {
		return err
	}
	unlock(root, ".")
	return errors.Join(root.Close(), os.RemoveAll(dir))
}

// unlock makes folders writable for their owner.
func unlock(root *os.Root, name string) {
	_ = root.Chmod(name, 0o700) // what stays locked is told by the removal
	dir, err := root.Open(name)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(-1) // the same
	for _, e := range entries {
		if e.IsDir() {
			unlock(root, filepath.Join(name, e.Name()))
		}
	}
}
