package embedded

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// download has pip fetch the wheel of p into a new folder in dir, and gives the
// wheel's path.
func (e *Engine) download(ctx context.Context, p Package, dir string, m *meter) (string, error) {
	py, problem := e.findPython(ctx)
	if problem != nil {
		return "", problem
	}
	requirements := filepath.Join(dir, "requirements.txt")
	line := fmt.Sprintf("%s==%s --hash=sha256:%s\n", p.Name, p.Version, p.SHA256)
	if err := os.WriteFile(requirements, []byte(line), 0o600); err != nil {
		return "", err
	}
	// pip downloads into its temporary folder and then moves the file, so both
	// places are inside dir: there the file can be watched growing, and is
	// removed whatever happens.
	wheels, temp := filepath.Join(dir, "wheels"), filepath.Join(dir, "temp")
	for _, d := range []string{wheels, temp} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return "", err
		}
	}
	// The person's own configuration of pip counts: it may name a proxy, a
	// mirror or a certificate without which nothing can be reached. What our
	// options say has precedence.
	cmd := exec.CommandContext(ctx, py.Path, "-m", "pip", "download",
		"--no-deps", "--only-binary=:all:", "--require-hashes",
		"--no-cache-dir", "--no-input", "--progress-bar=off", "--disable-pip-version-check",
		"--retries=2", "--timeout=30",
		"-r", requirements, "-d", wheels)
	cmd.Dir = dir // "-m" looks for modules in the working folder first
	cmd.Env = append(childEnv(), "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp, "PIP_REQUIRE_VIRTUALENV=0")
	said, err := e.runPip(cmd, func() { m.at(StepDownload, p, largestFile(dir)) })
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		e.log.Warn("pip failed", "package", p.Name, "error", err, "output", said)
		return "", pipError(p, said, err)
	}
	found, err := filepath.Glob(filepath.Join(wheels, "*.whl"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("pip left %d wheels: %w", len(found), errors.Join(err, fs.ErrNotExist))
	}
	return found[0], nil
}

// runPip runs pip, calling tick a few times a second, and gives the end of
// what it said. pip gets a group of its own, so that Ctrl-C ends it through ctx
// and not half-way by itself.
func (e *Engine) runPip(cmd *exec.Cmd, tick func()) (string, error) {
	var said tail
	cmd.Stdout, cmd.Stderr = &said, &said
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = time.Second
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			tick()
			select {
			case <-done:
				return
			case <-time.After(e.patience.tick):
			}
		}
	})
	err := cmd.Run()
	close(done)
	watch.Wait()
	return said.String(), err
}

// largestFile is the size in bytes of the largest file below dir. While pip
// works, that is the wheel: files that vanish meanwhile do not matter.
func largestFile(dir string) int64 {
	var size int64
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size = max(size, info.Size())
		}
		return nil
	})
	return size
}

// pipError finds out from what pip said why it failed. pip has no other
// language, and only the exit status 1. The order matters: after any failure to
// reach the index, pip also says that it found no matching distribution, and a
// refused certificate is reported as a failed connection. The phrases are
// those of pip 23, newer wordings where known, and of the urllib3 inside.
func pipError(p Package, said string, err error) error {
	says := func(signs ...string) bool { return lastLine(said, signs...) != "" }
	switch {
	case says("No space left on device", "Errno 28", "Disk quota exceeded"):
		return fmt.Errorf("pip: %w", errDiskFull)
	case says("DO NOT MATCH THE HASHES"):
		return fmt.Errorf("pip: %w", errMismatch)
	case says("SSLError", "CERTIFICATE_VERIFY_FAILED"):
		return unable("The package index of Python has a certificate that pip does not trust.").
			WithHint("Set pip's option cert to your network's certificate, or %s", elsewhere)
	case says("NewConnectionError", "NameResolutionError", "Max retries exceeded",
		"Failed to connect", "Failed to resolve", "Temporary failure in name resolution", "Failed to establish",
		"ConnectTimeout", "ReadTimeout", "timed out", "Connection refused", "Connection reset", "Connection broken",
		"IncompleteRead", "ProxyError", "Connection aborted", "RemoteDisconnected", "Network is unreachable"):
		return unable("The package index of Python cannot be reached, so %s could not be downloaded.", p.Name).
			WithHint("Check the network (or the proxy and index in pip's configuration) and run the same command again, or %s", elsewhere)
	case says("No matching distribution found", "Could not find a version"):
		return unable("The package index of Python does not offer %s %s for this machine.", p.Name, p.Version).
			WithHint("If pip's configuration names a mirror, it may lag behind; or %s", elsewhere)
	case says("No module named pip"):
		return unable("pip is missing from Python.").WithHint("Install it (python3 -m ensurepip), or %s", elsewhere)
	}
	why := strings.TrimSpace(strings.TrimPrefix(lastLine(said, "ERROR:"), "ERROR:"))
	if why == "" || why == "Exception:" { // then a traceback follows, its reason last
		why = cmp.Or(lastLine(said, ""), err.Error())
	}
	return unable("pip could not download %s: %.200s", p.Name, why).
		WithHint("Try python3 -m pip download --no-deps %s==%s by hand, or %s", p.Name, p.Version, elsewhere)
}

// childEnv is loci's environment without its own settings, keys among them: no
// child has any business with those, and a crash report might carry them off.
func childEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "LOCI_") {
			env = append(env, kv)
		}
	}
	return env
}

// tail keeps the end of what is written to it.
type tail struct{ b []byte }

// maxTail is how many bytes of a child's output are kept to explain a failure.
const maxTail = 8 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if extra := len(t.b) - maxTail; extra > 0 {
		t.b = append(t.b[:0], t.b[extra:]...)
	}
	return len(p), nil
}

// String gives the kept bytes as valid text.
func (t *tail) String() string { return string(bytes.ToValidUTF8(t.b, []byte("?"))) }

// lastLine gives the last line of text, blank ones aside, that holds one of the
// marks.
func lastLine(text string, marks ...string) string {
	var found string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(line, m) }) {
			found = line
		}
	}
	return found
}
