// Package secret keeps secrets encrypted, and finds those that a configuration
// only refers to.
//
// A [Store] is one file in the configuration folder, encrypted with age
// (age-encryption.org/v1). The key to it is in the keyring of the operating
// system, or in a file beside it where there is no keyring. [Sources.Resolve]
// turns a reference such as secret:NAME, env:NAME, file:PATH or cmd:PROGRAM into
// the secret itself. No error of this package has a secret in it.
package secret

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"filippo.io/age"
	"github.com/gofrs/flock"

	"loci"
	"loci/internal/text"
)

// The files of a Store, in its folder.
const (
	storeFile = "secrets.age"
	keyFile   = "secrets.key" // only where there is no keyring
	lockFile  = "secrets.lock"
)

// maxStore bounds the file of a Store, and MaxValue one secret, in bytes.
const (
	maxStore = 1 << 20
	MaxValue = 64 << 10
)

// version is the layout of the encrypted text.
const version = 1

// names are what secrets can be called.
var names = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// Store is the secrets of a configuration folder. Its file is replaced as a
// whole, so that a reader never needs a lock.
type Store struct {
	dir  string
	ring ring // nil: there is none
}

// At gives the store of a configuration folder. Nothing is read or made yet.
func At(dir string, env func(string) string) *Store { return &Store{dir, systemRing(env)} }

// content is the encrypted text.
type content struct {
	Version int               `json:"version"`
	Secrets map[string]string `json:"secrets"`
}

// Names lists the secrets, in order.
func (s *Store) Names(ctx context.Context) ([]string, error) {
	all, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// Get gives a secret. The error of one that there is not has the code not_found.
func (s *Store) Get(ctx context.Context, name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	all, err := s.read(ctx)
	if err != nil {
		return "", err
	}
	value, ok := all[name]
	if !ok {
		return "", absent(name)
	}
	return value, nil
}

// Set stores a secret, in place of an older one of that name.
func (s *Store) Set(ctx context.Context, name, value string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if value == "" || len(value) > MaxValue {
		return loci.Errorf(loci.Invalid, "A secret has from 1 to %d bytes; this one has %d.", MaxValue, len(value))
	}
	return s.change(ctx, func(all map[string]string) error {
		all[name] = value
		return nil
	})
}

// Remove removes a secret.
func (s *Store) Remove(ctx context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return s.change(ctx, func(all map[string]string) error {
		if _, ok := all[name]; !ok {
			return absent(name)
		}
		delete(all, name)
		return nil
	})
}

// CheckName tells whether something can be the name of a secret.
func CheckName(name string) error {
	if !names.MatchString(name) {
		return loci.Errorf(loci.Invalid, "%q cannot be the name of a secret.", text.Clip(name, 200)).
			WithHint("A name has up to 64 letters, digits, dots, dashes and underscores.")
	}
	return nil
}

// absent is the error for a secret that there is not.
func absent(name string) error {
	return loci.Errorf(loci.NotFound, "There is no secret %s.", name).
		WithHint("Store it with: loci secret set %s", name)
}

// patience is how long a change waits for another process that makes one.
const patience = 5 * time.Second

// change reads the secrets, changes them, and writes them, alone.
func (s *Store) change(ctx context.Context, edit func(map[string]string) error) (err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return s.failed(err, s.dir)
	}
	path := filepath.Join(s.dir, lockFile)
	lock := flock.New(path, flock.SetPermissions(0o600))
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if held, err := lock.TryLockContext(wait, 10*time.Millisecond); err != nil || !held {
		return s.failed(err, path)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	key, err := s.identity(ctx, true)
	if err != nil {
		return err
	}
	all, err := s.decrypt(key)
	if err != nil {
		return err
	}
	if err := edit(all); err != nil {
		return err
	}
	return s.write(key, all)
}

// read gives all secrets; none where there is no file.
func (s *Store) read(ctx context.Context) (map[string]string, error) {
	if !s.exists(storeFile) {
		return map[string]string{}, nil
	}
	key, err := s.identity(ctx, false)
	if err != nil {
		return nil, err
	}
	return s.decrypt(key)
}

func (s *Store) decrypt(key *age.X25519Identity) (map[string]string, error) {
	path := filepath.Join(s.dir, storeFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, s.failed(err, path)
	}
	defer f.Close()
	var c content
	plain, err := age.Decrypt(io.LimitReader(f, maxStore), key)
	if err == nil {
		err = json.NewDecoder(plain).Decode(&c)
	}
	if err == nil && c.Version != version {
		err = fmt.Errorf("its layout is %d, and this program knows %d", c.Version, version)
	}
	if err != nil {
		return nil, loci.Wrap(loci.Invalid, err, "The stored secrets in %s cannot be opened.", path).
			WithHint("%s holds the key to them: put back the one they were stored with, or move %s away and store them again.", s.Place(), path)
	}
	if c.Secrets == nil {
		c.Secrets = map[string]string{}
	}
	return c.Secrets, nil
}

func (s *Store) write(key *age.X25519Identity, all map[string]string) error {
	plain, err := json.Marshal(content{version, all})
	if err != nil {
		return err
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, key.Recipient())
	if err != nil {
		return err
	}
	if _, err := w.Write(plain); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if sealed.Len() > maxStore {
		return loci.Errorf(loci.Invalid, "There is no room for more secrets: all together they may have %d kB.", maxStore>>10).
			WithHint("Remove one with: loci secret remove NAME")
	}
	return s.replace(storeFile, sealed.Bytes())
}

// replace writes a file of the store for the user alone. Others see the old one
// or the new one, and so does the next start after a crash.
func (s *Store) replace(name string, data []byte) error {
	path := filepath.Join(s.dir, name)
	f, err := os.CreateTemp(s.dir, "."+name+"-*") // mode 0600
	if err != nil {
		return s.failed(err, path)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return s.failed(errors.Join(err, os.Remove(f.Name())), path)
	}
	return nil
}

// exists tells whether there is a file of the store.
func (s *Store) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(s.dir, name))
	return err == nil
}

// failed is the error for a file that cannot be used. A cause that is nil is a
// wait that was too long.
func (s *Store) failed(cause error, path string) error {
	if cause == nil || errors.Is(cause, context.DeadlineExceeded) {
		return loci.Errorf(loci.Conflict, "Another process changes the stored secrets and does not come to an end.").WithHint("Try again.")
	}
	reason := cause
	if e, ok := errors.AsType[*fs.PathError](cause); ok {
		reason = e.Err
	}
	return loci.Wrap(loci.Internal, cause, "%s cannot be used: %v.", path, reason).
		WithHint("Make it readable and writable for you.")
}
