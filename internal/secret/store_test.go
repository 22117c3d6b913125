package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/zalando/go-keyring"

	"loci"
)

// fakeRing is a keyring with one entry.
type fakeRing struct {
	mu       sync.Mutex
	kept     string
	err      error // of every call
	deaf     chan struct{}
	forgets  bool
	sets     int
	question int
}

func (r *fakeRing) Get(string, string) (string, error) {
	if r.deaf != nil {
		<-r.deaf
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.question++
	if r.err == nil && r.kept == "" {
		return "", keyring.ErrNotFound
	}
	return r.kept, r.err
}

func (r *fakeRing) Set(_, _, secret string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sets++
	if r.err == nil && !r.forgets {
		r.kept = secret
	}
	return r.err
}

func TestStore(t *testing.T) {
	for name, ring := range map[string]ring{"file": nil, "keyring": &fakeRing{}} {
		t.Run(name, func(t *testing.T) {
			s := &Store{filepath.Join(t.TempDir(), "config"), ring}
			ctx := t.Context()
			if all, err := s.Names(ctx); len(all) > 0 || err != nil {
				t.Fatal(all, err)
			}
			if _, err := s.Get(ctx, "b"); !loci.IsNotFound(err) || !strings.Contains(err.Error(), "loci secret set b") {
				t.Error(err)
			}
			values := map[string]string{"b": "canary-one", "a.b-c_D9": "canary\ntwo\x7fü", "c": strings.Repeat("x", MaxValue)}
			for name, v := range values {
				if err := s.Set(ctx, name, v); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Set(ctx, "b", "canary-three"); err != nil {
				t.Fatal(err)
			}
			values["b"] = "canary-three"
			again := &Store{s.dir, ring}
			for name, v := range values {
				if got, err := again.Get(ctx, name); got != v || err != nil {
					t.Errorf("%s is %.20q, %v", name, got, err)
				}
			}
			if err := errors.Join(s.Remove(ctx, "c"), s.Remove(ctx, "b")); err != nil {
				t.Error(err)
			}
			if err := s.Remove(ctx, "b"); !loci.IsNotFound(err) {
				t.Error(err)
			}
			if all, err := again.Names(ctx); !slices.Equal(all, []string{"a.b-c_D9"}) || err != nil {
				t.Error(all, err)
			}
			checkFiles(t, s, name == "file")
		})
	}
}

// checkFiles looks at what a store leaves on the disk.
func checkFiles(t *testing.T, s *Store, withKey bool) {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
		data, err := os.ReadFile(filepath.Join(s.dir, e.Name()))
		if err != nil || bytes.Contains(data, []byte("canary")) {
			t.Errorf("%s holds a secret, or cannot be read: %v", e.Name(), err)
		}
		if !slices.Contains([]string{storeFile, lockFile, keyFile}, e.Name()) {
			t.Errorf("%s is left behind", e.Name())
		}
	}
	if s.exists(keyFile) != withKey {
		t.Errorf("there is a key file: %v", !withKey)
	}
	if sealed, _ := os.ReadFile(filepath.Join(s.dir, storeFile)); !bytes.HasPrefix(sealed, []byte("age-encryption.org/v1\n")) {
		t.Errorf("the store begins with %.40q", sealed)
	}
}

func TestBadNamesAndValues(t *testing.T) {
	s := &Store{t.TempDir(), nil}
	for _, name := range []string{"", "a b", "../x", "ü", strings.Repeat("x", 65), "a\n"} {
		_, err := s.Get(t.Context(), name)
		for _, err := range []error{err, s.Set(t.Context(), name, "v"), s.Remove(t.Context(), name)} {
			if e := loci.AsError(err); e == nil || e.Code != loci.Invalid {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
	for _, v := range []string{"", strings.Repeat("x", MaxValue+1)} {
		if err := s.Set(t.Context(), "a", v); err == nil {
			t.Errorf("%d bytes are stored", len(v))
		}
	}
	if s.exists(storeFile) || s.exists(keyFile) {
		t.Error("something was written")
	}
}

// Changes at the same time lose nothing, and readers see a whole file.
func TestAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			s := &Store{dir, nil}
			if err := s.Set(t.Context(), fmt.Sprintf("n%d", i), "value"); err != nil {
				t.Error(err)
			}
			if _, err := s.Names(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if names, err := (&Store{dir, nil}).Names(t.Context()); len(names) != 8 || err != nil {
		t.Error(names, err)
	}
}

// Which place the key gets is decided by the first secret.
func TestPlaceOfTheKey(t *testing.T) {
	ctx := t.Context()
	for name, ring := range map[string]*fakeRing{"broken": {err: errors.New("no service")}, "forgetful": {forgets: true}} {
		s := &Store{t.TempDir(), ring}
		if err := s.Set(ctx, "a", "value"); err != nil || !s.exists(keyFile) || !strings.HasPrefix(s.Place(), "The file ") {
			t.Errorf("%s: %v, %s", name, err, s.Place())
		}
	}
	// A second folder takes the key that is there, and so works when it is moved.
	ring := &fakeRing{}
	one, two := &Store{t.TempDir(), ring}, &Store{t.TempDir(), ring}
	if err := errors.Join(one.Set(ctx, "a", "1"), two.Set(ctx, "a", "2")); err != nil || ring.sets != 1 {
		t.Fatal(err, ring.sets)
	}
	// A key that is gone is never replaced while there are secrets.
	ring.kept = ""
	for _, err := range []error{one.Set(ctx, "b", "3"), func() error { _, err := one.Get(ctx, "a"); return err }()} {
		if err == nil || !strings.Contains(err.Error(), "Unlock the keyring") || ring.kept != "" || one.exists(keyFile) {
			t.Errorf("%v, %q", err, ring.kept)
		}
	}
	// Nor a key file.
	file := &Store{t.TempDir(), nil}
	if err := file.Set(ctx, "a", "1"); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(file.dir, keyFile)
	good, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "AGE-SECRET-KEY-1NONSENSE", strings.Replace(string(good), string(good[20]), "", 1)} {
		if err := os.WriteFile(key, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := file.Get(ctx, "a"); err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, err), string(good[20:40])) {
			t.Error(err)
		}
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err) // and it is closed to others again
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if err := file.Set(ctx, "b", "2"); err == nil || file.exists(keyFile) {
		t.Error("a new key hides the old secrets", err)
	}
}

// A keyring that does not answer holds nobody up.
func TestDeafKeyring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := &fakeRing{deaf: make(chan struct{})}
		defer close(ring.deaf)
		if _, err := within(context.Background(), probeLimit, func() (string, error) { return ring.Get("", "") }); !errors.Is(err, errNoAnswer) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := within(ctx, probeLimit, func() (string, error) { return ring.Get("", "") }); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	ring := &fakeRing{deaf: make(chan struct{})}
	defer close(ring.deaf)
	s := &Store{t.TempDir(), ring}
	if err := s.Set(t.Context(), "a", "value"); err != nil || !s.exists(keyFile) {
		t.Error(err)
	}
}

func TestNoBusNoKeyring(t *testing.T) {
	dir := t.TempDir()
	for _, env := range []map[string]string{{}, {"XDG_RUNTIME_DIR": dir}} {
		if r := systemRing(func(name string) string { return env[name] }); r != nil && os.PathSeparator == '/' && !strings.Contains(os.Getenv("HOME"), "/Users/") {
			t.Errorf("with %v there is a keyring", env)
		}
	}
}

func TestDamage(t *testing.T) {
	s := &Store{t.TempDir(), nil}
	if err := s.Set(t.Context(), "a", "value"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.dir, storeFile)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(good); i += 7 {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if v, err := s.Get(t.Context(), "a"); err == nil {
			t.Fatalf("with byte %d changed it is %q", i, v)
		}
		if err := s.Set(t.Context(), "b", "x"); err == nil {
			t.Fatalf("with byte %d changed it is written over", i)
		}
	}
	if err := os.Truncate(path, 30); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}
