package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"loci"
)

// smallDisk is a folder on a disk of 2 MiB of its own.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skip("a small disk cannot be mounted here:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// On a full disk reading works, writing says so, and it goes on when there is
// room again.
func TestDiskFull(t *testing.T) {
	dir := smallDisk(t)
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), filepath.Join(dir, "loci.db"), quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := newSession("owner", 0)
	mustSave(t, db, loci.Batch{Session: s})

	saved := 0
	for err == nil {
		n := newNode(s.ID, s.Head, 0)
		n.Sent.Content = strings.Repeat("x", 10_000)
		if err = db.Save(t.Context(), loci.Batch{Session: s, Nodes: []loci.Node{n}, Events: newEvents(s.ID)}); err == nil {
			saved++
		}
		if saved > 1000 {
			t.Fatal("2 MB never fill up")
		}
	}
	e := wantCode(t, err, loci.Internal)
	if !strings.Contains(e.Message, "disk is full") || e.Hint == "" {
		t.Errorf("it says %q, hint %q", e.Message, e.Hint)
	}
	check := func() {
		t.Helper()
		path, err := db.Path(t.Context(), "owner", s.Head)
		if err != nil || len(path) != saved {
			t.Errorf("%d nodes of %d, %v", len(path), saved, err)
		}
		events, err := db.Events(t.Context(), s.ID, 0, 10_000)
		if err != nil || len(events) != 2*saved {
			t.Errorf("%d events, want %d (%v)", len(events), 2*saved, err)
		}
	}
	check()
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	n := newNode(s.ID, s.Head, 0)
	mustSave(t, db, loci.Batch{Session: s, Nodes: []loci.Node{n}, Events: newEvents(s.ID)})
	saved++
	check()
	if err := db.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestNoRoomForANewDatabase(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4k"); err != nil {
		t.Skip("a small disk cannot be mounted here:", err)
	}
	t.Cleanup(func() { _ = errors.Join(syscall.Unmount(dir, 0)) })
	_, err := Open(t.Context(), filepath.Join(dir, "loci.db"), quiet)
	if e := wantCode(t, err, loci.Internal); !strings.Contains(e.Message, "disk is full") {
		t.Errorf("it says %q", e.Message)
	}
}
