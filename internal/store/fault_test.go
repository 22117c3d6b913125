package store

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"loci"
)

func TestOpenAgain(t *testing.T) {
	// Characters that mean something in a file: URI must not.
	path := filepath.Join(t.TempDir(), "a b?c#d%20é", "loci.db")
	s := newSession("owner", 0)
	for i := range 2 {
		db, err := Open(t.Context(), path, quiet)
		if err != nil {
			t.Fatal(err)
		}
		if !db.Clean() {
			t.Error("not clean")
		}
		if i == 0 {
			mustSave(t, db, loci.Batch{Session: s})
		}
		if _, err := db.Session(t.Context(), "owner", s.ID); err != nil {
			t.Error(err)
		}
		if err := db.Verify(t.Context()); err != nil {
			t.Error(err)
		}
		if err := db.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := db.Ready(t.Context()); err == nil {
			t.Error("it is ready when it is closed")
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	path := filepath.Join(t.TempDir(), "data", "loci.db")
	if err := openAt(t, path).Save(t.Context(), loci.Batch{Session: newSession("owner", 0)}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{
		filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600,
	} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, want %v (%v)", name, info.Mode().Perm(), want, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	made := filepath.Join(t.TempDir(), "loci.db")
	db, err := Open(t.Context(), made, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	intact, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	exec := func(path, query string) error {
		other, err := sql.Open("sqlite", path)
		if err != nil {
			return err
		}
		defer other.Close()
		_, err = other.Exec(query)
		return err
	}
	for name, tt := range map[string]struct {
		spoil func(path string) error
		say   string
	}{
		"a text":        {func(p string) error { return os.WriteFile(p, []byte("not a database\n"), 0o600) }, "damaged or not a database"},
		"a longer text": {func(p string) error { return os.WriteFile(p, bytes.Repeat([]byte("text\n"), 5000), 0o600) }, "damaged or not a database"},
		"truncated":     {func(p string) error { return os.WriteFile(p, intact[:5000], 0o600) }, "damaged or not a database"},
		"a flipped header": {func(p string) error {
			bad := bytes.Clone(intact)
			bad[3] ^= 0xff
			return os.WriteFile(p, bad, 0o600)
		}, "damaged or not a database"},
		"newer": {func(p string) error {
			if err := os.WriteFile(p, intact, 0o600); err != nil {
				return err
			}
			return exec(p, "PRAGMA user_version=9999")
		}, "newer loci"},
		"of another program":              {func(p string) error { return exec(p, "CREATE TABLE moz_places (id)") }, "another program"},
		"of another program with version": {func(p string) error { return exec(p, "CREATE TABLE t (id); PRAGMA user_version=1") }, "another program"},
		"a folder":                        {func(p string) error { return os.Mkdir(p, 0o700) }, "cannot be opened"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "loci.db")
			if err := tt.spoil(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			_, err := Open(t.Context(), path, quiet)
			e := wantCode(t, err, loci.Internal)
			if !strings.Contains(e.Message, tt.say) || e.Hint == "" {
				t.Errorf("it says %q, hint %q", e.Message, e.Hint)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

// Whatever bytes are damaged, reading gives rows or an error, and Verify finds
// damage to the structure.
func TestFlippedBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loci.db")
	db, err := Open(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	s, nodes := conversation(t, db, "owner", 20)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	intact, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	found := 0
	for at := page; at < len(intact); at += page { // the head of each page but the first
		bad := bytes.Clone(intact)
		bad[at] ^= 0x55
		bad[at+3] ^= 0x55
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := Open(t.Context(), path, quiet)
		if err != nil {
			found++
			continue
		}
		_, _ = db.Path(t.Context(), "owner", nodes[19].ID)
		_, _ = db.Session(t.Context(), "owner", s.ID)
		if err := db.Verify(t.Context()); err != nil {
			wantCode(t, err, loci.Internal)
			found++
		}
		_ = db.Close()
	}
	if pages := len(intact)/page - 1; found != pages {
		t.Errorf("found the damage in %d of %d pages", found, pages)
	}
}

// lockFile takes the database's write lock, as another program would.
func lockFile(t *testing.T, path string) (release func()) {
	t.Helper()
	other, err := sql.Open("sqlite", dsn(path, time.Second, "rw"))
	if err != nil {
		t.Fatal(err)
	}
	tx, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestLockedByAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loci.db")
	db, err := open(t.Context(), path, quiet, engine{"sqlite", dsn, 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := newSession("owner", 0)
	mustSave(t, db, loci.Batch{Session: s})

	release := lockFile(t, path)
	e := wantCode(t, db.Save(t.Context(), loci.Batch{Events: newEvents(s.ID)}), loci.Overloaded)
	if strings.Contains(e.Error(), "SQLITE") {
		t.Errorf("it says %q", e)
	}
	if _, err := db.Session(t.Context(), "owner", s.ID); err != nil {
		t.Errorf("reading failed: %v", err)
	}
	release()
	mustSave(t, db, loci.Batch{Events: newEvents(s.ID)})
}

func TestWaitsForTheLock(t *testing.T) {
	db := openTest(t)
	release := lockFile(t, db.path)
	saved := make(chan error)
	go func() { saved <- db.Save(t.Context(), loci.Batch{Session: newSession("owner", 0)}) }()
	select {
	case err := <-saved:
		t.Errorf("it did not wait: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	release()
	if err := <-saved; err != nil {
		t.Error(err)
	}
}

// A COMMIT that fails must be an error: the rows are gone.
func TestFailingCommit(t *testing.T) {
	db := openTest(t)
	orphan := newEvents("ses_x")[0]
	for name, run := range map[string]func(context.Context, func(*tx) error) error{"inTx": db.inTx, "durably": db.durably} {
		err := run(t.Context(), func(t *tx) error {
			if _, err := t.exec("PRAGMA defer_foreign_keys=ON"); err != nil {
				return err
			}
			return t.putEvent(orphan, 1)
		})
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if got, err := db.Events(t.Context(), "ses_x", 0, 9); err != nil || len(got) != 0 {
		t.Errorf("%d events, %v", len(got), err)
	}
	mustSave(t, db, loci.Batch{Session: newSession("owner", 0)}) // the connection is fit for use
}

func TestDurablyWaitsForTheDisk(t *testing.T) {
	db := openTest(t)
	level := func(run func(context.Context, func(*tx) error) error) (n int) {
		err := run(t.Context(), func(t *tx) error {
			return t.sql.QueryRow("PRAGMA synchronous").Scan(&n)
		})
		if err != nil {
			t.Error(err)
		}
		return n
	}
	const normal, full = 1, 2
	if n := level(db.durably); n != full {
		t.Errorf("durably has level %d", n)
	}
	if n := level(db.inTx); n != normal {
		t.Errorf("inTx has level %d", n)
	}
}

const crashEnv = "LOCI_STORE_CRASH"

// saveForEver is the other process of TestKill: it prints the number of each
// event that it was told is stored.
func saveForEver(path string) {
	ctx := context.Background()
	db, err := Open(ctx, path, quiet)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s := newSession("owner", 0)
	fmt.Println(s.ID)
	for {
		events := newEvents(s.ID)
		n := newNode(s.ID, s.Head, 0)
		if err := db.Save(ctx, loci.Batch{Session: s, Nodes: []loci.Node{n}, Events: events}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(events[1].Seq)
	}
}

// Whatever was acknowledged before a kill -9 is there afterwards.
func TestKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "loci.db")
	for round := range 10 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), crashEnv+"="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var session string
		acked := int64(0)
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if n == 0 {
				session = lines.Text()
			} else if _, err := fmt.Sscan(lines.Text(), &acked); err != nil {
				break // the last line may be cut
			}
			if n == 5+7*round {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
		checkAfterKill(t, path, session, acked)
	}
}

func checkAfterKill(t *testing.T, path, session string, acked int64) {
	t.Helper()
	db, err := Open(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.Clean() {
		t.Error("a killed process counts as a clean stop")
	}
	if err := db.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	events, err := db.Events(t.Context(), session, 0, 1<<20)
	if err != nil || int64(len(events)) < acked || acked == 0 {
		t.Errorf("%d events of %d acknowledged ones, %v", len(events), acked, err)
	}
	s, err := db.Session(t.Context(), "owner", session)
	if err != nil {
		t.Fatal(err)
	}
	if path, err := db.Path(t.Context(), "owner", s.Head); err != nil || 2*len(path) != len(events) {
		t.Errorf("%d nodes and %d events, %v", len(path), len(events), err)
	}
}
