package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/shirou/gopsutil/v4/disk"
	"golang.org/x/sys/cpu"

	"loci"
)

// elsewhere ends every hint: what works without the embedded engine.
const elsewhere = "start Ollama, or point loci at a model server with --backend URL."

// machine is what the checks look at; tests make other ones.
type machine struct {
	os, arch string   // as GOOS and GOARCH
	release  string   // version of macOS such as "14.5", else empty
	lacks    []string // instruction sets that the engine needs and the CPU has not
	free     func(dir string) (uint64, error)
}

// platform is the key of engineWheels.
func (m machine) platform() string { return m.os + "/" + m.arch }

// thisMachine looks at the real one. The three instruction sets are those that
// the engine's wheel for x86 is compiled with; without them it ends with SIGILL
// and no word of explanation.
func thisMachine() machine {
	m := machine{os: runtime.GOOS, arch: runtime.GOARCH, release: osRelease(), free: freeBytes}
	if m.arch == "amd64" {
		for _, set := range []struct {
			name string
			has  bool
		}{{"AVX2", cpu.X86.HasAVX2}, {"FMA", cpu.X86.HasFMA}, {"F16C", cpu.X86.HasF16C}} {
			if !set.has {
				m.lacks = append(m.lacks, set.name)
			}
		}
	}
	return m
}

// freeBytes is the free space at dir, or at the nearest parent that exists.
func freeBytes(dir string) (uint64, error) {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	u, err := disk.Usage(dir)
	if err != nil {
		return 0, err
	}
	return u.Free, nil
}

// Check lists everything that keeps the embedded model from being fetched or
// started here, each with its remedy; none when all is well. What only a fetch
// needs (pip, disk space) is not asked for once everything is installed.
func (e *Engine) Check(ctx context.Context) []*loci.Error {
	var problems []*loci.Error
	add := func(p *loci.Error) {
		if p != nil {
			problems = append(problems, p)
		}
	}
	add(e.checkMachine())
	// A llama-server of the person's own runs without Python, so an installed
	// one does not ask for it any more.
	fetch := len(e.missing()) > 0
	if fetch || e.llamaServer == "" {
		py, problem := e.findPython(ctx)
		add(problem)
		if problem == nil {
			add(e.checkLibraries(py))
			if fetch && !py.Pip {
				add(unable("pip is missing from Python at %s.", py.Path).
					WithHint("Install it (%s), or %s", e.machine.installHint("pip"), elsewhere))
			}
		}
	}
	if fetch {
		add(e.checkDisk())
	}
	return problems
}

// unable is an error of the kind that all checks give: no model can be reached.
func unable(format string, args ...any) *loci.Error {
	return loci.Errorf(loci.Unreachable, format, args...)
}

// checkMachine is about what a fetched engine needs of the hardware and the
// operating system. A llama-server of the person's own was built for the machine.
func (e *Engine) checkMachine() *loci.Error {
	m := e.machine
	switch {
	case e.llamaServer != "":
		return nil
	case !e.supported():
		return unable("There is no embedded engine for %s.", m.platform()).
			WithHint("Install llama-server, or %s", elsewhere)
	case len(m.lacks) > 0:
		return unable("The embedded engine needs a processor with %s.", strings.Join(m.lacks, ", ")).
			WithHint("Install a llama-server built for this machine, or %s", elsewhere)
	case m.os == "darwin" && olderThan(m.release, 13):
		return unable("The embedded engine needs macOS 13 or newer, this is %s.", m.release).
			WithHint("Update macOS, or %s", elsewhere)
	}
	return nil
}

// olderThan compares the major version; a version that cannot be read passes.
func olderThan(release string, major int) bool {
	var have int
	_, err := fmt.Sscanf(release, "%d", &have)
	return err == nil && have < major
}

// checkLibraries is about what the engine's native module links to. The wheel
// for Linux is a manylinux one: it brings no libraries of its own and expects
// glibc, which Alpine and others do not have, and GCC's OpenMP runtime, which
// minimal images lack. Without the check the failure would be an ImportError in
// a log.
func (e *Engine) checkLibraries(py python) *loci.Error {
	switch {
	case e.llamaServer != "" || e.machine.os != "linux":
		return nil
	case !strings.HasPrefix(py.Libc, "glibc"):
		return unable("The embedded engine needs glibc, which this Linux does not use.").
			WithHint("Install llama-server, or %s", elsewhere)
	case !py.OpenMP:
		return unable("The library libgomp.so.1 was not found.").
			WithHint("Install it (%s), or %s", e.machine.installHint("libgomp"), elsewhere)
	}
	return nil
}

// checkDisk asks for the wheels, the unpacked files and the conversion at once:
// about three times the download. Afterwards 240 MB stay. That the free space
// cannot be told is no reason to refuse.
func (e *Engine) checkDisk() *loci.Error {
	var need uint64
	for _, p := range e.missing() {
		need += 3 * uint64(p.Size)
	}
	free, err := e.machine.free(e.conf.Dir)
	if err != nil {
		e.log.Warn("free disk space is unknown", "dir", e.conf.Dir, "error", err)
		return nil
	}
	if free >= need {
		return nil
	}
	return unable("The embedded model needs %d MB of free disk space in %s, there are %d MB.",
		need/1e6, e.conf.Dir, free/1e6).
		WithHint("Free some space, set LOCI_HOME to a larger disk, or %s", elsewhere)
}

// installHint names the command that most likely installs what is missing. It
// is a hint: not every Linux is a Debian, but the names of the packages help
// elsewhere too.
func (m machine) installHint(what string) string {
	hints := map[string]map[string]string{
		"linux": {
			"python":  "Debian: apt install python3 python3-pip",
			"pip":     "Debian: apt install python3-pip",
			"libgomp": "Debian: apt install libgomp1, Fedora: dnf install libgomp",
		},
		"darwin":  {"python": "brew install python"},
		"windows": {"python": "winget install Python.Python.3.13"},
	}
	if h, ok := hints[m.os][what]; ok {
		return h
	}
	return "python3 -m ensurepip"
}
