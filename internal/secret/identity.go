package secret

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/zalando/go-keyring"

	"loci"
)

// ring is a keyring of the operating system.
type ring interface {
	Get(service, user string) (string, error)
	Set(service, user, secret string) error
}

// The entry of the keyring. There is one for all configuration folders of a
// person, so that a folder can be moved.
const (
	ringService = "loci"
	ringUser    = "secrets"
)

// How long a keyring may take: to show that it is there, and to be unlocked by the
// person.
const (
	probeLimit  = time.Second
	unlockLimit = 10 * time.Second
)

// errNoAnswer is the fault of a keyring that takes too long.
var errNoAnswer = errors.New("it did not answer in time")

// osRing is the real keyring.
type osRing struct{}

func (osRing) Get(service, user string) (string, error) { return keyring.Get(service, user) }
func (osRing) Set(service, user, secret string) error   { return keyring.Set(service, user, secret) }

// systemRing is the keyring of this system, nil where there can be none. Where no
// bus of a session is told of, the library for it would start one.
func systemRing(env func(string) string) ring {
	switch runtime.GOOS {
	case "windows", "darwin":
		return osRing{}
	}
	if env("DBUS_SESSION_BUS_ADDRESS") != "" {
		return osRing{}
	}
	if dir := env("XDG_RUNTIME_DIR"); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "bus")); err == nil {
			return osRing{}
		}
	}
	return nil
}

// within waits for a keyring, but not for ever: a call over the bus cannot be
// called off, so the goroutine of one that hangs is left behind.
func within[T any](ctx context.Context, limit time.Duration, call func() (T, error)) (T, error) {
	type reply struct {
		value T
		err   error
	}
	done := make(chan reply, 1)
	go func() {
		value, err := call()
		done <- reply{value, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var none T
	select {
	case r := <-done:
		return r.value, r.err
	case <-timer.C:
		return none, errNoAnswer
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// Place tells where the key to the stored secrets is, or would be, in words that
// can begin a sentence.
func (s *Store) Place() string {
	if s.inFile() {
		return "The file " + filepath.Join(s.dir, keyFile)
	}
	return "The keyring of the system"
}

// inFile tells whether the key is in a file. Where neither a file nor secrets are
// there yet, the first secret decides.
func (s *Store) inFile() bool { return s.ring == nil || s.exists(keyFile) }

// Check tells whether the stored secrets can be opened: where their key is and
// how many there are.
func (s *Store) Check(ctx context.Context) (place string, count int, err error) {
	all, err := s.Names(ctx)
	return s.Place(), len(all), err
}

// identity gives the key of the store; with makeOne, and where there are no
// secrets yet, a new one is made.
func (s *Store) identity(ctx context.Context, makeOne bool) (*age.X25519Identity, error) {
	if s.exists(keyFile) {
		return s.fromFile()
	}
	fresh := makeOne && !s.exists(storeFile)
	if s.ring != nil {
		key, err := s.fromRing(ctx, fresh)
		if err == nil || !fresh {
			return key, err
		}
	}
	if fresh {
		return s.newFile()
	}
	return nil, lost(s, nil)
}

// fromFile reads the key of a system without a keyring.
func (s *Store) fromFile() (*age.X25519Identity, error) {
	path := filepath.Join(s.dir, keyFile)
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, s.failed(err, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, s.failed(err, path)
	}
	key, err := age.ParseX25519Identity(strings.TrimSpace(string(data)))
	if err != nil { // its text may be a part of the key
		return nil, lost(s, errors.New("the key has another form"))
	}
	return key, nil
}

// newFile makes a key in a file.
func (s *Store) newFile() (*age.X25519Identity, error) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	return key, s.replace(keyFile, []byte(key.String()+"\n"))
}

// fromRing gets the key from the keyring, or puts a new one there. A new one is
// read back, since some keyrings forget.
func (s *Store) fromRing(ctx context.Context, fresh bool) (*age.X25519Identity, error) {
	limit := unlockLimit
	if fresh {
		limit = probeLimit
	}
	get := func() (string, error) { return s.ring.Get(ringService, ringUser) }
	kept, err := within(ctx, limit, get)
	if fresh && errors.Is(err, keyring.ErrNotFound) {
		key, err := age.GenerateX25519Identity()
		if err != nil {
			return nil, err
		}
		_, err = within(ctx, unlockLimit, func() (struct{}, error) {
			return struct{}{}, s.ring.Set(ringService, ringUser, key.String())
		})
		if err != nil {
			return nil, err
		}
		if kept, err = within(ctx, probeLimit, get); err == nil && kept != key.String() {
			err = errors.New("the keyring gives back something else")
		}
		return key, err
	}
	if err != nil {
		return nil, lost(s, err)
	}
	key, err := age.ParseX25519Identity(strings.TrimSpace(kept))
	if err != nil {
		return nil, lost(s, errors.New("the key has another form"))
	}
	return key, nil
}

// lost is the error for a key that cannot be had.
func lost(s *Store, cause error) error {
	e := loci.Wrap(loci.Invalid, cause, "%s does not give the key to the stored secrets.", s.Place())
	if s.inFile() {
		return e.WithHint("Put back the file %s that they were stored with, or move %s away and store them again.",
			filepath.Join(s.dir, keyFile), filepath.Join(s.dir, storeFile))
	}
	return e.WithHint("Unlock the keyring and try again, or move %s away and store the secrets again.", filepath.Join(s.dir, storeFile))
}
