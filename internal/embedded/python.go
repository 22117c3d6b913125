package embedded

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"loci"
)

//go:embed probe.py
var probe string

// python is an interpreter and what its own answer to probe.py says of it.
type python struct {
	Path    string `json:"path"` // the real one, where a shim or a link was found
	Version [2]int `json:"version"`
	Name    string `json:"name"`    // "cpython" is the one that wheels are made for
	Machine string `json:"machine"` // such as "x86_64"
	ABI3    bool   `json:"abi3"`    // false for the free-threaded build
	Pip     bool   `json:"pip"`
	Libc    string `json:"libc"`   // "glibc 2.36"; empty for any other
	OpenMP  bool   `json:"openmp"` // libgomp.so.1 can be loaded
}

// pythonNames are tried in this order. Older systems keep newer Pythons under
// their full names.
var pythonNames = []string{"python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"}

// machineNames is what Python calls the architectures that have an engine.
var machineNames = map[string]string{"x86_64": "amd64", "amd64": "amd64", "arm64": "arm64", "aarch64": "arm64"}

// findPython gives the first interpreter that will do, and keeps it.
func (e *Engine) findPython(ctx context.Context) (python, *loci.Error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.python.Path != "" {
		return e.python, nil
	}
	names := pythonNames
	if e.conf.Python != "" {
		names = []string{e.conf.Python}
	}
	// All names are tried before giving up, because the first Python on the PATH
	// is often an old one of the system.
	var refused string // why the first one that exists will not do
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		py, err := askPython(ctx, path)
		reason := e.unfit(py)
		if err != nil {
			e.log.Debug("Python does not answer", "path", path, "error", err)
			reason = "does not run"
		}
		if reason == "" {
			e.python = py
			return py, nil
		}
		if refused == "" {
			refused = fmt.Sprintf("Python at %s %s.", path, reason)
		}
	}
	if refused == "" {
		refused = "Python 3 was not found."
		if e.conf.Python != "" {
			refused = fmt.Sprintf("Python was not found at %.200s.", e.conf.Python)
		}
	}
	return python{}, unable("%s", refused).
		WithHint("Install Python 3.10 or newer (%s), or %s", e.machine.installHint("python"), elsewhere)
}

// unfit says why an interpreter cannot carry the engine, as the end of a
// sentence; "" when it can. The engine's wheel is tagged cp310-abi3: any CPython
// from 3.10 on, but for free-threaded builds, which have another binary interface.
func (e *Engine) unfit(py python) string {
	switch {
	case py.Version[0] < 3 || py.Version[0] == 3 && py.Version[1] < 10:
		return fmt.Sprintf("has version %d.%d, at least 3.10 is needed", py.Version[0], py.Version[1])
	case e.llamaServer != "":
		return "" // it only has to download
	case py.Name != "cpython":
		return fmt.Sprintf("is %.20s, only CPython can load the engine", py.Name)
	case !py.ABI3:
		return "is a free-threaded build, which cannot load the engine"
	case machineNames[strings.ToLower(py.Machine)] != e.machine.arch:
		return fmt.Sprintf("is built for %.20s, this machine is %s", py.Machine, e.machine.arch)
	}
	return ""
}

// askPython runs probe.py. The user's own site packages count, because pip may
// live there.
func askPython(ctx context.Context, path string) (python, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-c", probe)
	// "-c" looks for modules in the working folder first: one that only the
	// administrator can write to.
	cmd.Dir = filepath.VolumeName(path) + string(filepath.Separator)
	out, err := cmd.Output()
	if err != nil {
		return python{}, err
	}
	var py python
	if err := json.Unmarshal(out, &py); err != nil {
		return python{}, err
	}
	return py, nil
}
