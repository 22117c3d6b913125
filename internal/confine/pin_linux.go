package confine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"loci/internal/where"
)

// pinned is a file of the plan, held in memory that nobody can change.
type pinned struct {
	names  []string // its path as it was given, and without links
	memory *os.File
}

// pin holds the files of a plan.
func pin(files []File) (all []pinned, err error) {
	for _, f := range files {
		memory, err := inMemory(f.Content)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be held: %w", f.Path, err)
		}
		all = append(all, pinned{[]string{filepath.Clean(f.Path), where.Real(f.Path)}, memory})
	}
	return all, nil
}

// inMemory is a file without a name that has a content for good.
func inMemory(content []byte) (*os.File, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate("loci", flags|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3 all of them could be run
		fd, err = unix.MemfdCreate("loci", flags)
	}
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "memory")
	if _, err := file.Write(content); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	_, err = unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	return file, err
}

// heldProgram is the content of the plan's program, if it is held.
func heldProgram(p Plan, all []pinned) *os.File {
	for i, f := range p.Pinned {
		if f.Path == p.Program {
			return all[i].memory
		}
	}
	return nil
}

// running is what the herald becomes.
type running struct {
	fd      int // of the program; AT_FDCWD: it is found by its path
	program string
	argv    []string
}

// agreed is what is to be run where the program's content is held: of a script, the
// interpreter that it names, as the kernel would read its first line; of another
// program, the file itself as long as it has that content, because some look for what
// belongs to them beside it, and otherwise the content that is held.
func agreed(p Plan, held *os.File) (running, error) {
	head := make([]byte, 256) // as much as the kernel reads
	n, err := held.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return running{}, err
	}
	if line, script := bytes.CutPrefix(head[:n], []byte("#!")); script {
		line, _, whole := bytes.Cut(line, []byte("\n"))
		interpreter, argument, _ := strings.Cut(strings.ReplaceAll(strings.Trim(string(line), " \t"), "\t", " "), " ")
		if interpreter == "" || !whole && n == len(head) {
			return running{}, unix.ENOEXEC
		}
		argv := []string{interpreter}
		if argument = strings.Trim(argument, " "); argument != "" {
			argv = append(argv, argument)
		}
		return running{unix.AT_FDCWD, interpreter, append(append(argv, p.Program), p.Argv[1:]...)}, nil
	}
	fd := int(held.Fd())
	if there, err := unix.Open(p.Program, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0); err == nil {
		if sameContent(there, fd) {
			fd = there
		}
	}
	return running{fd, "", p.Argv}, nil
}

// sameContent compares two open files, each at its beginning.
func sameContent(a, b int) bool {
	var st, other unix.Stat_t
	if unix.Fstat(a, &st) != nil || unix.Fstat(b, &other) != nil || st.Size != other.Size || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return false
	}
	one, two := make([]byte, 1<<16), make([]byte, 1<<16)
	for at := int64(0); at < st.Size; {
		n, err := unix.Pread(a, one, at)
		m, err2 := unix.Pread(b, two[:max(n, 0)], at)
		if err != nil || err2 != nil || n <= 0 || m != n || !bytes.Equal(one[:n], two[:n]) {
			return false
		}
		at += int64(n)
	}
	return true
}

// become makes the system call that turns the process into a program. It is ready
// beforehand: when it is called there may be no memory to make anything in.
func (r running) become() (func() error, error) {
	program, err := unix.BytePtrFromString(r.program)
	if err != nil {
		return nil, err
	}
	argv, err := syscall.SlicePtrFromStrings(r.argv)
	if err != nil {
		return nil, err
	}
	env, err := syscall.SlicePtrFromStrings(os.Environ())
	if err != nil {
		return nil, err
	}
	flags := 0
	if r.program == "" {
		flags = unix.AT_EMPTY_PATH
	}
	return func() error {
		_, _, e := unix.RawSyscall6(unix.SYS_EXECVEAT, uintptr(r.fd), uintptr(unsafe.Pointer(program)), uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&env[0])), uintptr(flags), 0)
		return e
	}, nil
}
