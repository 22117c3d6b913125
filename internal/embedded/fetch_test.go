package embedded

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// ballast makes a wheel the largest file around, as wheels are.
var ballast = strings.Repeat("x", 5000)

// shop is a package index of three small wheels and a pip that serves them.
type shop struct {
	packages []Package
	log      string
}

// newShop sets the stage for one test: FAKE_PIP is how pip behaves.
func newShop(t *testing.T, pip string) *shop {
	t.Helper()
	dir := t.TempDir()
	s := &shop{log: filepath.Join(dir, "log")}
	for name, files := range map[string]map[string]string{
		"one":   {"one/__init__.py": "1", "one/deep/er/x": ballast},
		"three": {"three.gguf": "3" + ballast},
		"two":   {"two/__init__.py": "2" + ballast},
	} {
		wheel := zipped(t, files)
		if err := os.WriteFile(filepath.Join(dir, name+".whl"), wheel, 0o600); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(wheel)
		p := Package{Name: name, Version: "1.0", Size: int64(len(wheel)), SHA256: hex.EncodeToString(sum[:])}
		for file := range files {
			if !strings.Contains(file, "deep") {
				p.main = file
			}
		}
		s.packages = append(s.packages, p)
	}
	t.Setenv("FAKE_WHEELS", dir)
	t.Setenv("FAKE_PIP", pip)
	t.Setenv("FAKE_PIP_LOG", s.log)
	t.Setenv("FAKE_PIP_GO", filepath.Join(dir, "go"))
	t.Setenv("FAKE_PYTHON", goodPython(goodMachine()))
	return s
}

// engine makes one that fetches from the shop into dir.
func (s *shop) engine(t *testing.T, dir string, progress func(Progress)) *Engine {
	t.Helper()
	e := New(Config{Dir: dir, LogDir: t.TempDir(), LlamaServer: "none", Python: actor(t, t.TempDir(), "python3"), Progress: progress})
	e.machine, e.packages = goodMachine(), s.packages
	e.patience.tick = time.Millisecond
	return e
}

// asked lists the packages that pip was asked for.
func (s *shop) asked(t *testing.T) (names []string) {
	t.Helper()
	raw, err := os.ReadFile(s.log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		name, rest, _ := strings.Cut(line, "==1.0 --hash=sha256:")
		if len(strings.TrimSpace(rest)) != 64 {
			t.Errorf("requirement %q", line)
		}
		names = append(names, name)
	}
	return names
}

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for name, content := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// tree lists the files below dir, the lock aside.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == ".lock" {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(raw)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}

var whole = map[string]string{
	"one-1.0/one/__init__.py": "1",
	"one-1.0/one/deep/er/x":   ballast,
	"two-1.0/two/__init__.py": "2" + ballast,
	"three-1.0/three.gguf":    "3" + ballast,
}

func TestFetch(t *testing.T) {
	s, dir := newShop(t, ""), filepath.Join(t.TempDir(), "not", "there", "yet")
	e := s.engine(t, dir, nil)
	if e.Installed() {
		t.Error("installed before the fetch")
	}
	if err := e.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !e.Installed() {
		t.Error("not installed after the fetch")
	}
	if diff := cmp.Diff(whole, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is open to others: %v %v", info.Mode(), err)
	}
	// The second time, nothing is asked for, pip or no pip.
	t.Setenv("FAKE_PIP", "fail:no network")
	if err := s.engine(t, dir, nil).Fetch(t.Context()); err != nil {
		t.Error(err)
	}
	if got := s.asked(t); len(got) != 3 {
		t.Errorf("asked for %q", got)
	}
}

// TestFetchGoesOnWhereItStopped: packages that are whole stay; what a killed
// fetch left behind goes, and so do older versions.
func TestFetchGoesOnWhereItStopped(t *testing.T) {
	s, dir := newShop(t, ""), t.TempDir()
	for _, path := range []string{
		"one-1.0/one/__init__.py", "two-1.0/half", scratch + "123/wheels/x.whl", "one-0.9/one/__init__.py", "keep/mine",
	} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("old"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.engine(t, dir, nil).Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"one-1.0/one/__init__.py": "old",
		"two-1.0/two/__init__.py": "2" + ballast,
		"three-1.0/three.gguf":    "3" + ballast,
		"keep/mine":               "old",
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	if got := s.asked(t); len(got) != 2 {
		t.Errorf("asked for %q", got)
	}
}

func TestFetchReportsTheGrowingFile(t *testing.T) {
	s, dir := newShop(t, "slow"), t.TempDir()
	var seen []Progress
	var all int64
	for _, p := range s.packages {
		all += p.Size
	}
	err := s.engine(t, dir, func(p Progress) {
		seen = append(seen, p)
		if p.Step == StepDownload && p.Done == p.Total/2 { // now pip may go on
			os.WriteFile(os.Getenv("FAKE_PIP_GO"), nil, 0o600)
		}
	}).Fetch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var before Progress
	for _, p := range seen {
		if p.Done > p.Total || p.AllDone > p.All || p.All != all || p.AllDone < before.AllDone {
			t.Errorf("%+v after %+v", p, before)
		}
		before = p
	}
	if before.Step != StepDone || before.AllDone != all {
		t.Errorf("the last report is %+v", before)
	}
}

func TestFetchSaysWhatWentWrong(t *testing.T) {
	const nothing = "ERROR: Could not find a version that satisfies the requirement one==1.0 (from versions: none)\nERROR: No matching distribution found for one==1.0"
	for name, c := range map[string]struct {
		pip, want, hint string
		code            loci.Code
	}{
		"refused":  {"fail:WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('Failed to establish a new connection: [Errno 111] Connection refused')': /simple/one/\n" + nothing, "cannot be reached", "Check the network", loci.Unreachable},
		"DNS":      {"fail:WARNING: Retrying after connection broken by 'NameResolutionError(\"Failed to resolve\")'\n" + nothing, "cannot be reached", "Check the network", loci.Unreachable},
		"timeout":  {"fail:pip._vendor.urllib3.exceptions.ReadTimeoutError: Read timed out.", "cannot be reached", "same command again", loci.Unreachable},
		"TLS":      {"fail:WARNING: Max retries exceeded with url: (Caused by SSLError(SSLCertVerificationError(1, 'CERTIFICATE_VERIFY_FAILED')))\n" + nothing, "certificate", "option cert", loci.Unreachable},
		"too old":  {"fail:" + nothing, "does not offer", "mirror", loci.Unreachable},
		"no pip":   {"fail:/usr/bin/python3: No module named pip", "pip is missing", "ensurepip", loci.Unreachable},
		"hash":     {"fail:ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "SHA-256 differs", "same command again", loci.Internal},
		"disk":     {"fail:ERROR: Exception:\nTraceback (most recent call last):\nOSError: [Errno 28] No space left on device", "disk is full", "Free about", loci.Internal},
		"anything": {"fail:ERROR: Exception:\nTraceback (most recent call last):\nValueError: the moon is full\n", "ValueError: the moon is full", "by hand", loci.Unreachable},
		"error":    {"fail:ERROR: unknown command\nhelp", "unknown command", "by hand", loci.Unreachable},
		"silent":   {"fail:", "exit status 1", "by hand", loci.Unreachable},
		"other":    {"other", "SHA-256 differs", "proxy or mirror", loci.Internal},
		"nothing":  {"nothing", "pip left 0 wheels", "same command again", loci.Internal},
	} {
		s, dir := newShop(t, c.pip), t.TempDir()
		e := s.engine(t, dir, nil)
		p, ok := errors.AsType[*loci.Error](e.Fetch(t.Context()))
		if !ok {
			t.Errorf("%s: no error for a person", name)
			continue
		}
		if !strings.Contains(p.Message, c.want) || !strings.Contains(p.Hint, c.hint) || p.Code != c.code || strings.Contains(p.Message, "\n") {
			t.Errorf("%s: %s %q", name, p.Code, p.Error())
		}
		if files := tree(t, dir); len(files) > 0 || e.Installed() {
			t.Errorf("%s: left behind: %v", name, files)
		}
	}
}

func TestFetchStopsWithItsContext(t *testing.T) {
	s, dir := newShop(t, "hang"), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	err := s.engine(t, dir, func(p Progress) {
		if p.Done > 0 {
			cancel()
		}
	}).Fetch(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if files := tree(t, dir); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

// TestFetchTwiceAtOnce: of several that fetch into one folder, one works and
// the others find its work. (The lock is a lock on an open file, so engines in
// one process exclude each other as processes do.)
func TestFetchTwiceAtOnce(t *testing.T) {
	s, dir := newShop(t, "slow"), t.TempDir()
	var waiting sync.WaitGroup
	waiting.Add(2)
	var wg sync.WaitGroup
	for range 3 {
		e := s.engine(t, dir, func(p Progress) {
			if p.Step == StepWait {
				waiting.Done()
			}
		})
		wg.Go(func() {
			if err := e.Fetch(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	waiting.Wait() // two wait while the third is in the middle of a download
	if err := os.WriteFile(os.Getenv("FAKE_PIP_GO"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if got := s.asked(t); len(got) != 3 {
		t.Errorf("asked for %q", got)
	}
	if diff := cmp.Diff(whole, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestFetchIntoAFolderThatCannotBe(t *testing.T) {
	s := newShop(t, "")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p, ok := errors.AsType[*loci.Error](s.engine(t, filepath.Join(file, "x"), nil).Fetch(t.Context()))
	if !ok || !strings.Contains(p.Message, file) || p.Hint == "" {
		t.Error(p)
	}
}

// Every name to keep is kept, and what only resembles one is not.
func TestRemoveAll(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a-1", "a-2", "a-3", "a-1a-2", "b-1"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeAll(dir, "a-*", "a-1", "a-2"); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if got := strings.Join(left, " "); err != nil || got != "a-1 a-2 b-1" {
		t.Errorf("left are %s, %v", got, err)
	}
}
