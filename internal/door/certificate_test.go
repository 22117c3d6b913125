package door

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"loci/internal/config"
)

// setting is the configuration and the files of somebody.
type setting struct {
	Config config.Config
	Paths  config.Paths
}

func newSetting(t *testing.T) setting {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	paths, err := config.FindPaths(func(name string) string { return map[string]string{"LOCI_HOME": home}[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := paths.Make(); err != nil {
		t.Fatal(err)
	}
	return setting{config.Default(), paths}
}

// It stays the same from start to start, and is made anew when it does not do.
func TestCertificateIsKept(t *testing.T) {
	o := newSetting(t)
	o.Config.TLS.Kind = "self"
	serial := func() string {
		t.Helper()
		k, err := NewCertificate(o.Config, o.Paths)
		if err != nil {
			t.Fatal(err)
		}
		return k.get().Leaf.SerialNumber.String()
	}
	first := serial()
	if again := serial(); again != first {
		t.Error("another one at the next start")
	}
	o.Config.AllowedHosts = []string{"loci.example"}
	second := serial()
	if second == first {
		t.Error("it does not do for the new name")
	}
	k, err := NewCertificate(o.Config, o.Paths)
	if err != nil {
		t.Fatal(err)
	}
	leaf := k.get().Leaf
	for _, name := range []string{"loci.example", "localhost", "127.0.0.1", "::1"} {
		if err := leaf.VerifyHostname(name); err != nil {
			t.Error(err)
		}
	}
	if left := time.Until(leaf.NotAfter); left > certificateLife || left < certificateLife-time.Hour {
		t.Errorf("it holds for %v", left)
	}
}

// Files are read again when they change; while they are broken, the old ones stay.
func TestCertificateFiles(t *testing.T) {
	o, other := newSetting(t), newSetting(t)
	made := func(o setting) (crt, key string) {
		t.Helper()
		o.Config.TLS.Kind = "self"
		k, err := NewCertificate(o.Config, o.Paths)
		if err != nil {
			t.Fatal(err)
		}
		return k.crt, k.key
	}
	crt, key := made(o)
	crt2, key2 := made(other)
	o.Config.TLS = config.TLS{Cert: crt, Key: key}
	k, err := NewCertificate(o.Config, o.Paths)
	if err != nil {
		t.Fatal(err)
	}
	first := k.get()
	if changed, err := k.refresh(); changed || err != nil {
		t.Errorf("nothing has changed: %v, %v", changed, err)
	}
	if err := os.WriteFile(crt, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if changed, err := k.refresh(); changed || err == nil || k.get() != first {
		t.Errorf("broken files: %v, %v", changed, err)
	}
	if err := errors.Join(os.Rename(crt2, crt), os.Rename(key2, key)); err != nil {
		t.Fatal(err)
	}
	if changed, err := k.refresh(); !changed || err != nil || k.get().Leaf.Equal(first.Leaf) {
		t.Errorf("other files: %v, %v", changed, err)
	}
	for name, c := range map[string]config.TLS{"one": {Cert: crt}, "the other": {Key: key}, "both ways": {Kind: "self", Cert: crt, Key: key}, "none there": {Cert: "/no/such", Key: key}} {
		o.Config.TLS = c
		if _, err := NewCertificate(o.Config, o.Paths); err == nil {
			t.Errorf("%s: it is taken", name)
		} else if e, ok := errors.AsType[*config.Error](err); !ok || e.Err.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
