package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"loci"
	"loci/internal/secret"
)

// resolved loads a configuration with a stored secret beside it, and resolves it.
func resolved(t *testing.T, text string, env map[string]string) (Config, []Use, Paths) {
	t.Helper()
	keyring.MockInitWithError(errors.New("a test does not touch the person's keyring"))
	home := t.TempDir()
	paths := layOut(filepath.Join(home, "config"), filepath.Join(home, "data"), filepath.Join(home, "state"), filepath.Join(home, "cache"))
	if err := paths.Make(); err != nil {
		t.Fatal(err)
	}
	if err := secret.At(filepath.Dir(paths.Config), environ(t, nil)).Set(t.Context(), "owner", "canary-owner-key"); err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(text, "HOME", home)
	if err := os.WriteFile(paths.Config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, warnings, err := Load(Sources{File: paths.Config, Env: environ(t, env)})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	return c, c.Resolve(t.Context(), paths, environ(t, env)), paths
}

func TestResolve(t *testing.T) {
	c, uses, _ := resolved(t, `
key: secret:owner
backends:
  - http://127.0.0.1:1
  - url: http://127.0.0.1:2
    key: env:OTHER
  - url: http://127.0.0.1:3
    key: a-plain-key
`, map[string]string{"OTHER": "canary-other"})
	if c.Key != "canary-owner-key" || c.Backends[0].Key != "" || c.Backends[1].Key != "canary-other" || c.Backends[2].Key != "a-plain-key" {
		t.Errorf("%q %q", string(c.Key), []string{string(c.Backends[1].Key), string(c.Backends[2].Key)})
	}
	want := []Use{{Setting: "key", From: "secret:owner"}, {Setting: "backends[1].key", From: "env:OTHER"}}
	if !reflect.DeepEqual(uses, want) {
		t.Errorf("%+v", uses)
	}
	if all := c.Secrets(); !slices.Equal(all, []string{"canary-owner-key", "canary-other", "a-plain-key"}) {
		t.Error(all)
	}
	// A variable or a flag may refer to one as well.
	c, uses, _ = resolved(t, "", map[string]string{"LOCI_KEY": "secret:owner"})
	if c.Key != "canary-owner-key" || len(uses) != 1 {
		t.Errorf("%q, %+v", string(c.Key), uses)
	}
}

// An error names the setting and the reference, and is one of the configuration.
func TestUnresolved(t *testing.T) {
	c, uses, paths := resolved(t, `
key: secret:absent
folders: [HOME/work]
principals:
  ann:
    folders: [HOME/shared]
backends:
  - {url: "http://127.0.0.1:1", key: "file:HOME/work/key"}
  - {url: "http://127.0.0.1:1", key: "file:HOME/shared/key"}
  - {url: "http://127.0.0.1:1", key: "cmd:no-such-program --token canary-argument"}
`, nil)
	if err := os.MkdirAll(filepath.Join(filepath.Dir(paths.Data), "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	wants := [][]string{
		{"key", "The setting key refers to secret:absent.", "loci secret set absent"},
		{"backends[0].key", "cannot be read"}, // there is no such folder yet
		{"backends[1].key", "cannot be read"},
		{"backends[2].key", "refers to cmd:no-such-program …", "not found"},
	}
	if len(uses) != len(wants) || c.Key != "" {
		t.Fatalf("%+v", uses)
	}
	for i, want := range wants {
		e, ok := errors.AsType[*Error](uses[i].Err)
		if !ok || e.Field != want[0] || e.File != paths.Config || loci.AsError(e).Code != loci.Invalid {
			t.Errorf("%+v", uses[i])
			continue
		}
		for _, part := range want[1:] {
			if !strings.Contains(e.Error(), part) {
				t.Errorf("%v lacks %q", e, part)
			}
		}
		if strings.Contains(e.Error(), "canary") {
			t.Errorf("a value is in %v", e)
		}
	}
	for _, folder := range []string{"work", "shared"} {
		dir := filepath.Join(filepath.Dir(paths.Data), folder)
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "key"), []byte("canary-of-a-model"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	c, _, err := Load(Sources{File: paths.Config, Env: environ(t, nil)})
	if err != nil {
		t.Fatal(err)
	}
	for _, use := range c.Resolve(t.Context(), paths, environ(t, nil))[1:3] {
		if use.Err == nil || !strings.Contains(use.Err.Error(), "models may look into") {
			t.Errorf("%+v", use)
		}
	}
}

func TestPlainSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	text := "key: plain-owner-key\nbackends:\n  - {url: \"http://127.0.0.1:1\", key: \"env:X\"}\n  - {url: \"http://127.0.0.1:1\", key: other}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := PlainSecrets(Sources{File: path, Env: environ(t, nil)}); !slices.Equal(got, []string{"key", "backends[1].key"}) {
		t.Error(got)
	}
	if got := PlainSecrets(Sources{File: path + "x", Env: environ(t, nil)}); len(got) > 0 {
		t.Error(got)
	}
}

// Others may read a file that only refers to secrets, but not one that has them.
func TestWarningForPlainSecrets(t *testing.T) {
	for text, warned := range map[string]bool{"key: plain-owner-key\n": true, "key: secret:x\n": false, "model: x\n": false} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, warnings, err := Load(Sources{File: path, Env: environ(t, nil)})
		if err != nil || (len(warnings) > 0) != warned && os.PathSeparator == '/' {
			t.Errorf("%q: %v, %v", text, warnings, err)
		}
	}
}

// Secrets are found wherever a later setting may have one.
func TestVisitSecrets(t *testing.T) {
	type entry struct {
		Password Secret `yaml:"password"`
		Name     string `yaml:"name"`
	}
	v := struct {
		Mail entry            `yaml:"mail"`
		DBs  map[string]entry `yaml:"databases"`
		Keys []Secret         `yaml:"keys"`
	}{Mail: entry{"m", "x"}, DBs: map[string]entry{"b": {"2", "x"}, "a": {"1", "x"}}, Keys: []Secret{"k"}}
	var names []string
	visitSecrets(reflect.ValueOf(&v).Elem(), "", func(name string, s *Secret) {
		names = append(names, name+"="+string(*s))
		*s += "!"
	})
	if want := []string{"mail.password=m", "databases[a].password=1", "databases[b].password=2", "keys[0]=k"}; !slices.Equal(names, want) {
		t.Error(names)
	}
	if v.Mail.Password != "m!" || v.DBs["b"] != (entry{"2!", "x"}) || v.Keys[0] != "k!" {
		t.Errorf("%+v", v)
	}
}
