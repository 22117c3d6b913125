package database

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Between the sandbox's look at a file and SQLite's, the name may come to lead
// elsewhere: then nothing is read, and a log that was put there is not used either.
func TestSwapped(t *testing.T) {
	for name, swap := range map[string]func(path, secret string) error{
		"link":         func(path, secret string) error { return os.Symlink(secret, path) },
		"another file": func(path, secret string) error { return os.Rename(secret, path) },
		"hard link":    func(path, secret string) error { return os.Link(secret, path) },
		"folder":       func(path, _ string) error { return os.Mkdir(path, 0o700) },
		"pipe":         func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"nothing":      func(string, string) error { return nil },
	} {
		path, secret := newShop(t), newShop(t)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		db, err := OpenFile(f, "shop.db")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, path+".old"); err != nil {
			t.Fatal(err)
		}
		if err := swap(path, secret); err != nil {
			t.Fatal(err)
		}
		if r, err := db.Query(t.Context(), "SELECT name FROM customers", 0); err == nil {
			t.Errorf("%s: %v", name, r.Rows)
		}
		if _, err := db.Change(t.Context(), "DELETE FROM orders", func(Change) error { return nil }); err == nil {
			t.Errorf("%s: something was changed", name)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A folder that was swapped on the way to the file is noticed too, and a moved one does
// no harm.
func TestSwappedFolder(t *testing.T) {
	outer := t.TempDir()
	dir, evil := filepath.Join(outer, "dir"), filepath.Join(outer, "evil")
	for _, d := range []string{dir, evil} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		fill(t, filepath.Join(d, "a.db"), "CREATE TABLE t(x); INSERT INTO t VALUES ('"+filepath.Base(d)+"')")
	}
	db := open(t, filepath.Join(dir, "a.db"))
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(evil, dir); err != nil {
		t.Fatal(err)
	}
	r, err := db.Query(t.Context(), "SELECT x FROM t", 0)
	if err != nil || r.Rows[0][0] != "dir" {
		t.Errorf("%v, %v", r.Rows, err)
	}
}

// A log that is a link to another file is neither read nor written.
func TestLinkedLog(t *testing.T) {
	path := newShop(t)
	fill(t, escaped(path), "PRAGMA journal_mode=WAL")
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte(strings.Repeat("precious ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range []func(string, string) error{os.Symlink, os.Link} {
		for _, suffix := range []string{"-wal", "-shm"} {
			if err := link(other, path+suffix); err != nil {
				t.Fatal(err)
			}
			_, _ = open(t, path).Change(t.Context(), "DELETE FROM orders", func(Change) error { return nil })
			_, _ = open(t, path).Query(t.Context(), "SELECT * FROM orders", 0)
			if b, err := os.ReadFile(other); err != nil || string(b) != strings.Repeat("precious ", 100) {
				t.Errorf("%s: %.60q, %v", suffix, b, err)
			}
			for _, s := range []string{"-wal", "-shm"} {
				_ = os.Remove(path + s)
			}
		}
	}
}

// SQLite's locks last when the same file is opened and closed beside it.
func TestLocksLast(t *testing.T) {
	if keepLocks != nil {
		t.Skip("this system has only locks that get lost: ", keepLocks)
	}
	path := newShop(t)
	_, err := open(t, path).Change(t.Context(), "DELETE FROM orders", func(Change) error {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		probe, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer probe.Close()
		const reserved = 0x40000001 // the byte that a writer locks; see sqliteInt.h and os.h
		lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: reserved, Len: 1}
		if err := syscall.FcntlFlock(probe.Fd(), 36 /* F_OFD_GETLK */, &lock); err != nil || lock.Type == syscall.F_UNLCK {
			t.Errorf("the lock is gone: %+v, %v", lock, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
