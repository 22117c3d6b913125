//go:build unix

package toolkit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What the sandbox refuses to read is no database either.
func TestQueryDBSandbox(t *testing.T) {
	b := newBench(t, map[string]string{"text.db": "no database"})
	outside := filepath.Join(t.TempDir(), "secret.db")
	sqlite(t, outside, notes)
	for name, link := range map[string]func(string, string) error{"link.db": os.Symlink, "hard.db": os.Link} {
		if err := link(outside, filepath.Join(b.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(b.root, "pipe.db"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{outside, "link.db", "hard.db", "pipe.db", "text.db", "../x.db", "/proc/self/mem", "/dev/zero", "file:a.db?mode=rwc", "a.db?mode=rwc", ":memory:", "", "/proc/self/fd/0"} {
		for _, name := range []string{"query_db", "change_db"} {
			args, err := json.Marshal(map[string]string{"database": path, "query": "SELECT 1"})
			if err != nil {
				t.Fatal(err)
			}
			if r := b.call(name, string(args)); r.Err == nil || r.Err.CanRetry {
				t.Errorf("%s %s: %s, %+v", name, path, r.Data, r.Err)
			}
		}
	}
}
