package database

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"loci"
)

// sqliteTail is what SQLite itself finds after the first statement of a text; ok: it
// could compile the statement.
func sqliteTail(t *testing.T, text string) (tail string, ok bool) {
	t.Helper()
	tls := libc.NewTLS()
	defer tls.Close()
	out := libc.Xmalloc(tls, 3*libc.Tsize_t(unsafe.Sizeof(uintptr(0))))
	defer libc.Xfree(tls, out)
	slots := unsafe.Slice(at[uintptr](out), 3)
	clear(slots)
	name, _ := libc.CString(":memory:")
	sql, err := libc.CString(text)
	if err != nil {
		t.Skip(err)
	}
	defer libc.Xfree(tls, name)
	defer libc.Xfree(tls, sql)
	size := unsafe.Sizeof(uintptr(0))
	if rc := sqlite3.Xsqlite3_open(tls, name, out); rc != 0 {
		t.Fatal(rc)
	}
	defer sqlite3.Xsqlite3_close_v2(tls, slots[0])
	rc := sqlite3.Xsqlite3_prepare_v2(tls, slots[0], sql, -1, out+size, out+2*size)
	defer sqlite3.Xsqlite3_finalize(tls, slots[1])
	return libc.GoString(slots[2]), rc == sqlite3.SQLITE_OK && slots[1] != 0
}

// FuzzSingle holds the reading of statements against SQLite's: what is taken as one
// statement is one to SQLite, and nothing is left over.
func FuzzSingle(f *testing.F) {
	for _, s := range slices.Concat(attacks, changes) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range []dialect{{}, {postgres: true}} {
			end := 0
			for _, p := range d.tokens(text) {
				if p.start < end || p.end <= p.start || p.end > len(text) {
					t.Fatalf("token %+v of %q after %d", p, text, end)
				}
				end = p.end
			}
		}
		statement, _, err := dialect{}.single(text)
		if err != nil {
			if e, ok := errors.AsType[*loci.ToolError](err); !ok || e.CanRetry || len(e.Message) > 1000 {
				t.Fatalf("%#v", err)
			}
			return
		}
		if tail, ok := sqliteTail(t, statement); ok && strings.Trim(tail, " \t\n\f\r;") != "" {
			t.Fatalf("SQLite sees %q after the first statement of %q", tail, statement)
		}
	})
}

// FuzzQuery tries to change a database by reading it.
func FuzzQuery(f *testing.F) {
	for _, s := range slices.Concat(attacks, changes) {
		f.Add(s)
	}
	path := filepath.Join(f.TempDir(), "shop.db")
	fill(f, path, shop)
	before, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		db, err := OpenFile(file, "shop.db")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if r, err := db.Query(t.Context(), text, 5); err == nil && len(r.Rows) > 5 {
			t.Errorf("%d rows", len(r.Rows))
		}
		after, err := os.ReadFile(path)
		if err != nil || string(after) != string(before) {
			t.Fatalf("%q changed the file: %v", text, err)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Fatalf("%q left %v: %v", text, entries, err)
		}
	})
}
