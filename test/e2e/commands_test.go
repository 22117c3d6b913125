package e2e_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"loci"
	"loci/internal/fake"
)

// What a person sees when something is wrong at the start: who holds the port
// or the folders, and which line of the configuration is bad.
func TestCannotStart(t *testing.T) {
	t.Run("port in use", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, stderr, code := run(t, t.TempDir(), "", nil, "serve", "--listen", l.Addr().String(), "--backend", "http://127.0.0.1:9")
		if code != loci.ExitFailure || !strings.Contains(stderr, "cannot listen on "+l.Addr().String()) ||
			!strings.Contains(stderr, strconv.Itoa(os.Getpid())) || !strings.Contains(stderr, "--listen") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
	t.Run("second instance", func(t *testing.T) {
		in := serve(t, options{args: []string{"--backend", "http://127.0.0.1:9"}})
		_, stderr, code := run(t, in.home, "", nil, "serve", "--listen", "127.0.0.1:0", "--backend", "http://127.0.0.1:9")
		if code != loci.ExitFailure || !strings.Contains(stderr, strconv.Itoa(in.cmd.Process.Pid)) || !strings.Contains(stderr, in.URL) {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
	for name, tc := range map[string]struct {
		text, want string
		code       int
	}{
		"bad value":   {"version: 1\nmax_steps: many\n", "config.yaml:2", loci.ExitConfig},
		"broken YAML": {"listen: [1\n", "config.yaml", loci.ExitConfig},
		"unknown key": {"modell: x\n", "model", loci.ExitOK}, // a warning with a suggestion
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			if err := os.Mkdir(filepath.Join(home, "config"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, "config", "config.yaml"), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, stderr, code := run(t, home, "", nil, "config", "validate")
			if code != tc.code || !strings.Contains(stderr, tc.want) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
		})
	}
	t.Run("usage", func(t *testing.T) {
		for _, args := range [][]string{{"no-such-command"}, {"ask"}, {"ask", "  "}, {"serve", "--no-such-flag"}, {"serve", "extra"}} {
			if _, stderr, code := run(t, t.TempDir(), "", nil, args...); code != loci.ExitUsage || !strings.HasPrefix(stderr, "loci: ") {
				t.Errorf("%v: exit code %d: %s", args, code, stderr)
			}
		}
	})
}

// The lists print arrays of objects with a name or an id, for scripts.
func TestLists(t *testing.T) {
	m := fake.NewModel(fake.Reply{Text: "Hello."})
	in := serve(t, options{args: []string{"--backend", m.Ollama(t), "--allow", folder(t)}})
	if _, stderr, code := run(t, in.home, "", nil, "ask", "hi there"); code != 0 {
		t.Fatal(stderr)
	}
	for _, tc := range []struct{ list, field, want string }{
		{"tools", "name", "read_file"},
		{"models", "id", "fake"},
		{"sessions", "title", "hi there"},
		{"doctor", "name", "instance"},
	} {
		out, stderr, code := run(t, in.home, "", []string{"LOCI_BACKENDS=" + m.Ollama(t)}, tc.list, "--json")
		var rows []map[string]any
		decode(t, out, &rows)
		found := false
		for _, r := range rows {
			name, _ := r[tc.field].(string)
			found = found || strings.HasPrefix(name, tc.want)
		}
		if code != 0 || !found {
			t.Errorf("%s: exit code %d, %s\n%s", tc.list, code, stderr, out)
		}
		if out, _, code := run(t, in.home, "", []string{"LOCI_BACKENDS=" + m.Ollama(t)}, tc.list); code != 0 || !strings.Contains(out, tc.want) && tc.field != "title" {
			t.Errorf("%s for people: exit code %d\n%s", tc.list, code, out)
		}
	}
}

// Files that loci makes are for the person alone.
func TestFileModes(t *testing.T) {
	in := serve(t, options{args: []string{"--backend", "http://127.0.0.1:9"}})
	err := filepath.WalkDir(in.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == in.home {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A key is needed, on loopback too; the chat key opens only chat.
func TestKeys(t *testing.T) {
	in := serve(t, options{args: []string{"--backend", "http://127.0.0.1:9", "--key", "my-own-long-key-1234"}})
	if in.Key != "my-own-long-key-1234" {
		t.Errorf("the key is %q", in.Key)
	}
	chatKey, err := os.ReadFile(filepath.Join(in.home, "config", "chat-key"))
	if err != nil {
		t.Fatal(err)
	}
	prefix := "/k/" + strings.TrimSpace(string(chatKey))
	for _, tc := range []struct {
		path, key string
		want      int
	}{
		{"/v1/models", in.Key, 200},
		{"/v1/models", "wrong", 401},
		{"/v1/models", "", 401},
		{"/healthz", "", 200},
		{"/", "", 200},
		{prefix + "/v1/models", "", 200},
		{prefix + "/api/agent/sessions", "", 403},
		{"/k/wrong/v1/models", "", 401},
		{"/k/" + in.Key + "/v1/models", "", 401},
		{"/api/agent/sessions", in.Key, 200},
	} {
		status, body := in.get(tc.path, "Authorization", "Bearer "+tc.key)
		if status != tc.want {
			t.Errorf("%s with key %q: %d, want %d: %s", tc.path, tc.key, status, tc.want, body)
		}
	}
	if log := in.stderr.String(); strings.Contains(log, strings.TrimSpace(string(chatKey))) || strings.Contains(log, in.Key) {
		t.Error("a key is in the log")
	}
}
