package database

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"loci"
)

// writerEnv makes the test binary a writer of another process; see TestMain.
const writerEnv = "LOCI_TEST_DATABASE_WRITER"

// crasherEnv makes it a writer that is killed.
const crasherEnv = "LOCI_TEST_DATABASE_CRASHER"

// stopServer ends what a test has started for all of them.
var stopServer = func() {}

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		keepWriting(path)
		return
	}
	if path := os.Getenv(crasherEnv); path != "" {
		crash(path)
		return
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { stopServer(); os.Exit(code) }))
}

const shop = `
CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT NOT NULL, since DATE);
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers(id) ON DELETE CASCADE, total REAL, note TEXT);
CREATE VIEW big AS SELECT * FROM orders WHERE total > 20;
INSERT INTO customers VALUES (1, 'Ann', '2024-01-02'), (2, 'Břetislav', '2025-03-04'), (3, '王', NULL);
INSERT INTO orders VALUES (1, 1, 10.5, 'x'), (2, 1, 20, NULL), (3, 2, 30, x'00ff'), (4, 3, 9e999, 'DELETE FROM orders; --');
`

// fill makes a database and runs statements in it.
func fill(t testing.TB, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}

// newShop makes the database of the tests.
func newShop(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my shop?.db")
	fill(t, escaped(path), shop)
	return path
}

func escaped(path string) string { return strings.ReplaceAll(path, "?", "%3f") }

// open opens a database as the sandbox would.
func open(t testing.TB, path string) Database {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := OpenFile(f, filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	})
	return db
}

// content is a database as a text.
func content(t testing.TB, path string) string {
	t.Helper()
	var b strings.Builder
	for _, q := range []string{"SELECT sql FROM sqlite_schema ORDER BY name", "SELECT * FROM customers", "SELECT id, customer, total, note FROM orders"} {
		r, err := open(t, path).Query(t.Context(), q, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, r.Rows)
	}
	return b.String()
}

func TestTables(t *testing.T) {
	path := newShop(t)
	fill(t, escaped(path), "CREATE VIEW broken AS SELECT * FROM absent; CREATE VIRTUAL TABLE words USING fts5(body)")
	schema, err := open(t, path).Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]Table{}
	for _, table := range schema.Tables {
		byName[table.Name] = table
	}
	want := Table{Name: "orders", Rows: 4, Columns: []Column{
		{Name: "id", Type: "INTEGER", Key: true}, {Name: "customer", Type: "INTEGER", Refers: "customers.id"}, {Name: "total", Type: "REAL"}, {Name: "note", Type: "TEXT"},
	}}
	if diff := cmp.Diff(want, byName["orders"]); diff != "" {
		t.Error(diff)
	}
	if b := byName["big"]; !b.View || len(b.Columns) != 4 {
		t.Errorf("%+v", b)
	}
	if _, ok := byName["broken"]; !ok {
		t.Error("a view that does not work hides the rest")
	}
}

func TestQuery(t *testing.T) {
	path := newShop(t)
	for text, want := range map[string][][]any{
		"SELECT id, name, since FROM customers ORDER BY id DESC;": {{int64(3), "王", nil}, {int64(2), "Břetislav", "2025-03-04"}, {int64(1), "Ann", "2024-01-02"}},
		"select total, note from orders where id > 2 -- the rest": {{30.0, "<2 bytes: 00ff>"}, {"+Inf", "DELETE FROM orders; --"}},
		"/* a */ WITH a AS (SELECT 1 AS x) SELECT x FROM a ; ; ":  {{int64(1)}},
		"VALUES (1, 'a;b'), (2, NULL)":                            {{int64(1), "a;b"}, {int64(2), nil}},
		"SELECT count(*) FROM customers WHERE since > '2024-06'":  {{int64(1)}},
		"PRAGMA user_version":                                     {{int64(0)}},
		"SELECT name FROM pragma_table_info('orders')":            {{"id"}, {"customer"}, {"total"}, {"note"}},
		"SELECT max(since), since || '' FROM customers":           {{"2025-03-04", "2025-03-04"}},
		"\ufeffSELECT 1": {{int64(1)}},
	} {
		r, err := open(t, path).Query(t.Context(), text, 0)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, r.Rows); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	for _, text := range []string{"EXPLAIN QUERY PLAN SELECT * FROM orders", "PRAGMA table_info(orders)", "PRAGMA foreign_key_list('orders')", "PRAGMA integrity_check", "PRAGMA index_list(orders)", "PRAGMA table_list"} {
		if _, err := open(t, path).Query(t.Context(), text, 0); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	r, err := open(t, path).Query(t.Context(), "SELECT since AS a, id AS a FROM customers ORDER BY id", 2)
	if err != nil || !slices.Equal(r.Columns, []string{"a", "a"}) || len(r.Rows) != 2 || r.More != 1 || r.Over {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestQueryBounds(t *testing.T) {
	path := newShop(t)
	r, err := open(t, path).Query(t.Context(), "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, hex(zeroblob(1000)) FROM n", 100000)
	if err != nil {
		t.Fatal(err)
	}
	size := len(fmt.Sprint(r.Rows))
	if len(r.Rows) == 0 || len(r.Rows)+r.More != 5000 || r.Clipped != len(r.Rows) || size > 2*mostBytes || r.Over {
		t.Errorf("%d rows, %d more, %d clipped, %d bytes", len(r.Rows), r.More, r.Clipped, size)
	}
	_, err = open(t, path).Query(t.Context(), "SELECT zeroblob(1000000000)", 0)
	isRefusal(t, "a huge value", err)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = open(t, path).Query(ctx, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", 0)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a query without end: %v", err)
	}
}

// isRefusal checks an error that trying again does not mend.
func isRefusal(t *testing.T, what string, err error) {
	t.Helper()
	e, ok := errors.AsType[*loci.ToolError](err)
	if !ok || e.CanRetry || e.Message == "" || e.Suggestion == "" || len(e.Message) > 500 {
		t.Errorf("%s gives %#v", what, err)
	}
}

// attacks are statements that must do nothing at all, wherever they are tried.
var attacks = []string{
	"DROP TABLE orders", "drop /* x */ table orders", "ALTER TABLE orders RENAME TO o", "ALTER TABLE orders DROP COLUMN note",
	"CREATE TABLE evil(x)", "CREATE TABLE evil AS SELECT * FROM orders", "CREATE TEMP TABLE evil(x)", "CREATE TRIGGER evil AFTER INSERT ON orders BEGIN DELETE FROM orders; END",
	"CREATE VIRTUAL TABLE evil USING fts5(x)", "CREATE INDEX evil ON orders(total)", "CREATE VIEW evil AS SELECT 1",
	"PRAGMA writable_schema=1", "PRAGMA writable_schema(ON)", "PRAGMA query_only=0", "PRAGMA journal_mode=DELETE", "PRAGMA journal_mode = WAL", "PRAGMA user_version = 7", "PRAGMA user_version(7)",
	"PRAGMA main.user_version=7", "PRAGMA trusted_schema=1", "PRAGMA foreign_keys=0", "PRAGMA temp_store_directory='/tmp'", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA optimize", "PRAGMA incremental_vacuum",
	"PRAGMA data_store_directory='/tmp'", "PRAGMA hard_heap_limit=1", "PRAGMA shrink_memory", "PRAGMA case_sensitive_like=1",
	"SELECT * FROM pragma_writable_schema", "SELECT * FROM pragma_user_version(7)",
	"ATTACH '/etc/passwd' AS x", "ATTACH DATABASE 'file:other.db?mode=rwc' AS x", "ATTACH ':memory:' AS x", "DETACH main",
	"SELECT load_extension('/tmp/x.so')", "SELECT LOAD_EXTENSION('x')", `SELECT "load_extension"('x')`, "SELECT (SELECT load_extension('x','y'))", "WITH a AS (SELECT load_extension('x')) SELECT * FROM a",
	"SELECT sqlite_log(1, 'x')", "SELECT readfile('/etc/passwd')", "SELECT writefile('x','y')", "SELECT fts3_tokenizer('simple')", "UPDATE sqlite_dbpage SET data = x'00'", "SELECT data FROM sqlite_dbpage", "SELECT * FROM pragma_optimize(0xfffe)", "SELECT * FROM pragma_query_only", "SELECT * FROM fts3_tokenizer('simple')",
	"SELECT 1; DROP TABLE orders", "SELECT 1;\n--\nDELETE FROM orders", "SELECT ';'; DELETE FROM orders", "SELECT 1;/* */DELETE FROM orders", ";DELETE FROM orders; SELECT 1", "SELECT 1;\x00DELETE FROM orders",
	"BEGIN; DELETE FROM orders; COMMIT", "DELETE FROM orders; DELETE FROM orders",
	"BEGIN", "COMMIT", "ROLLBACK", "END", "SAVEPOINT a", "RELEASE a", "BEGIN EXCLUSIVE",
	"VACUUM", "VACUUM INTO 'copy.db'", "VACUUM INTO '/tmp/copy.db'", "REINDEX", "ANALYZE",
	"INSERT INTO sqlite_schema VALUES('table','evil','evil',0,'')", "UPDATE sqlite_master SET sql='x'", "DELETE FROM sqlite_master", "UPDATE sqlite_sequence SET seq=1",
	"EXPLAIN DROP TABLE orders", "", " ; ", "-- nothing", "/* open", "SELECT 'open", "nonsense", "SELECT * FROM [orders", ".tables", ".shell id", "SELECT 1 UNION SELECT", "\u2028DELETE FROM orders",
	"ＤＥＬＥＴＥ FROM orders", "SELECT * FROM orders WHERE id = ?", "\xff\xfe",
}

// changes are statements that change rows: they do nothing where only reading is done.
var changes = []string{
	"DELETE FROM orders", "delete from orders where 1", "DELETE\tFROM\n\"orders\"", "DeLeTe/**/FROM[orders]", "WITH a AS (SELECT 1) DELETE FROM orders",
	"WITH RECURSIVE n(i) AS (SELECT 1) DELETE FROM orders WHERE id IN n", "INSERT INTO customers VALUES (9,'x','')", "REPLACE INTO customers VALUES (1,'x','')",
	"INSERT OR REPLACE INTO customers SELECT 1,'x',''", "UPDATE orders SET total = 0", "UPDATE orders SET total = 0 WHERE id = 1 RETURNING *", "DELETE FROM orders RETURNING id",
	"INSERT INTO customers VALUES (1,'x','') ON CONFLICT DO UPDATE SET name = 'evil'", "-- SELECT\nDELETE FROM orders", "/* SELECT 1 */ DELETE FROM orders", "EXPLAIN DELETE FROM orders", "\ufeffDELETE FROM orders",
	"UPDATE orders SET note = 'SELECT 1' WHERE 'a' = 'a' -- WHERE id = 0",
}

// snapshot is every file of a folder.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

// What may not be done is not done by reading, nor by changing, nor halfway.
func TestAttacks(t *testing.T) {
	path := newShop(t)
	t.Chdir(t.TempDir())
	before, here := snapshot(t, filepath.Dir(path)), snapshot(t, ".")
	same := func(text string) {
		t.Helper()
		if diff := cmp.Diff(before, snapshot(t, filepath.Dir(path))); diff != "" {
			t.Fatalf("%q changed files: %.300s", text, diff)
		}
	}
	for _, text := range slices.Concat(attacks, changes) {
		r, err := open(t, path).Query(t.Context(), text, 0)
		if isRefusal(t, text, err); err == nil {
			t.Errorf("%q gave %v", text, r.Rows)
		}
		same(text)
	}
	keep := func(Change) error { return nil }
	for _, text := range append(slices.Clone(attacks), "SELECT 1", "VALUES (1)", "PRAGMA user_version", "PRAGMA table_info(orders)") {
		_, err := open(t, path).Change(t.Context(), text, keep)
		isRefusal(t, text, err)
		same(text)
	}
	if diff := cmp.Diff(here, snapshot(t, ".")); diff != "" {
		t.Errorf("files were made: %s", diff)
	}
}

var errNotNow = errors.New("not now")

func TestChange(t *testing.T) {
	for text, want := range map[string]struct {
		rows   int64
		tables []Touched
	}{
		"DELETE FROM orders WHERE id < 3":                                {2, []Touched{{Table: "orders", Deleted: 2, Of: 4}}},
		"DELETE FROM orders":                                             {4, []Touched{{Table: "orders", Deleted: 4, Of: 4}}},
		"UPDATE orders SET total = total + 1 WHERE note IS NOT NULL":     {3, []Touched{{Table: "orders", Updated: 3, Of: 4}}},
		"INSERT INTO customers(name) VALUES ('a'), ('b')":                {2, []Touched{{Table: "customers", Inserted: 2, Of: 3}}},
		"WITH x AS (SELECT 1 AS id) DELETE FROM customers WHERE id IN x": {1, []Touched{{Table: "customers", Deleted: 1, Of: 3}, {Table: "orders", Deleted: 2, Of: 4}}},
		"DELETE FROM orders WHERE id = 99":                               {0, nil},
		"REPLACE INTO customers VALUES (3, 'x', NULL)":                   {1, []Touched{{Table: "customers", Inserted: 1, Deleted: 1, Of: 3}, {Table: "orders", Deleted: 1, Of: 4}}},
		"UPDATE orders SET total = 1 RETURNING id":                       {4, []Touched{{Table: "orders", Updated: 4, Of: 4}}},
	} {
		path := newShop(t)
		before := content(t, path)
		var seen Change
		_, err := open(t, path).Change(t.Context(), text, func(c Change) error { seen = c; return errNotNow })
		if !errors.Is(err, errNotNow) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if after := content(t, path); after != before {
			t.Errorf("%s: a change that was not kept is there: %s", text, cmp.Diff(before, after))
		}
		if diff := cmp.Diff(want.tables, seen.Tables); diff != "" || seen.Rows != want.rows {
			t.Errorf("%s: %d rows, %s", text, seen.Rows, diff)
		}
		done, err := open(t, path).Change(t.Context(), text, func(c Change) error {
			if c.Basis != seen.Basis {
				return errors.New("another basis")
			}
			return nil
		})
		if err != nil || !done.Verified {
			t.Errorf("%s: %+v, %v", text, done, err)
		}
		if after := content(t, path); (after == before) != (want.rows == 0) {
			t.Errorf("%s: %s", text, cmp.Diff(before, after))
		}
	}
}

// A yes to some rows is none to others.
func TestChangeBasis(t *testing.T) {
	path := newShop(t)
	look := func(text string) string {
		t.Helper()
		var basis string
		_, err := open(t, path).Change(t.Context(), text, func(c Change) error { basis = c.Basis; return errNotNow })
		if !errors.Is(err, errNotNow) {
			t.Fatal(err)
		}
		return basis
	}
	const text = "DELETE FROM orders WHERE total > 15"
	first := look(text)
	if look(text) != first {
		t.Error("the basis of the same is another one")
	}
	fill(t, escaped(path), "UPDATE orders SET note = 'other' WHERE id = 3")
	if look(text) == first {
		t.Error("a row is another one, the basis is not")
	}
}

func TestChangeConstraint(t *testing.T) {
	path := newShop(t)
	before := content(t, path)
	for _, text := range []string{"INSERT INTO customers VALUES (1, 'again', NULL)", "INSERT INTO customers(id) VALUES (7)", "INSERT INTO orders VALUES (9, 99, 1, '')", "INSERT OR ROLLBACK INTO customers VALUES (1, 'x', NULL)"} {
		_, err := open(t, path).Change(t.Context(), text, func(Change) error { return nil })
		isRefusal(t, text, err)
	}
	if after := content(t, path); after != before {
		t.Error(cmp.Diff(before, after))
	}
}

func TestNoDatabase(t *testing.T) {
	for name, bytes := range map[string]string{"text.db": "hello, this is a text and no database", "cut.db": "SQLite format 3\x00 and then something else that is long enough to be looked at ..........................................."} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		db, err := OpenFile(f, name)
		if err == nil {
			defer db.Close()
			_, err = db.Tables(t.Context())
		}
		isRefusal(t, name, err)
	}
}

// keepWriting adds rows to a database with a log until its input ends.
func keepWriting(path string) {
	db, err := sql.Open("sqlite", "file:"+path+"?_journal_mode=WAL&_busy_timeout=5000")
	for i := 0; err == nil; i++ {
		if _, err = db.Exec("CREATE TABLE IF NOT EXISTS pairs(a, b)"); err == nil {
			_, err = db.Exec("INSERT INTO pairs VALUES (?1, ?1)", i)
		}
		if i == 0 {
			fmt.Println("ready")
			go func() { _, _ = bufio.NewReader(os.Stdin).ReadByte(); os.Exit(0) }()
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

// A database with a log that another process is writing to can be read.
func TestLiveLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.db")
	writer := exec.CommandContext(t.Context(), os.Args[0])
	writer.Env = append(os.Environ(), writerEnv+"="+path)
	in, err := writer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatal(line, err)
	}
	last := int64(0)
	for range 100 {
		r, err := open(t, path).Query(t.Context(), "SELECT count(*), sum(a = b), max(a) FROM pairs", 0)
		if err != nil {
			t.Fatal(err)
		}
		n, equal := r.Rows[0][0].(int64), r.Rows[0][1].(int64)
		if n == 0 || n != equal || n < last {
			t.Fatalf("after %d rows: %v", last, r.Rows)
		}
		last = n
	}
	done, err := open(t, path).Change(t.Context(), "DELETE FROM pairs WHERE a = 0", func(Change) error { return nil })
	if err != nil || done.Rows != 1 {
		t.Error(done, err)
	}
	last--
	if err := errors.Join(in.Close(), writer.Wait()); err != nil {
		t.Fatal(err)
	}
	if r, err := open(t, path).Query(t.Context(), "SELECT count(*) FROM pairs", 0); err != nil || r.Rows[0][0].(int64) < last { // what the writer left behind
		t.Error(r, err)
	}
}

// Reading a database with a log that nobody has open leaves no files beside it, and
// works where none can be made.
func TestQuietLog(t *testing.T) {
	path := newShop(t)
	fill(t, escaped(path), "PRAGMA journal_mode=WAL; UPDATE orders SET total = 1 WHERE id = 1")
	before := snapshot(t, filepath.Dir(path))
	if len(before) != 1 {
		t.Fatal("the log is still there")
	}
	r, err := open(t, path).Query(t.Context(), "SELECT total FROM orders WHERE id = 1", 0)
	if err != nil || r.Rows[0][0] != 1.0 {
		t.Error(r, err)
	}
	if diff := cmp.Diff(before, snapshot(t, filepath.Dir(path))); diff != "" {
		t.Errorf("%.300s", diff)
	}
	done, err := open(t, path).Change(t.Context(), "DELETE FROM orders WHERE id = 1", func(Change) error { return nil })
	if err != nil || done.Rows != 1 || !done.Verified {
		t.Error(done, err)
	}
}

// crash dies in a transaction of which a part is in the file already.
func crash(path string) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=cache_size(1)&_pragma=cache_spill(1)")
	if err != nil {
		os.Exit(1)
	}
	tx, err := db.Begin()
	for i := 0; err == nil && i < 2000; i++ {
		_, err = tx.Exec("INSERT INTO orders(note) VALUES (?)", strings.Repeat("half a change ", 50))
	}
	if err == nil {
		_, err = tx.Exec("UPDATE customers SET name = 'half'")
	}
	fmt.Println("ready", err)
	select {}
}

// A change of another program that was cut short is not taken for a whole one: reading
// says that the file was not closed properly, and a change takes the half one back first.
func TestHotJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut.db")
	fill(t, path, shop)
	before := content(t, path)
	writer := exec.Command(os.Args[0])
	writer.Env = append(os.Environ(), crasherEnv+"="+path)
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err := errors.Join(writer.Process.Kill(), err); err != nil || line != "ready <nil>\n" {
		t.Fatal(line, err)
	}
	_ = writer.Wait() // it was killed
	if info, err := os.Stat(path + "-journal"); err != nil || info.Size() == 0 {
		t.Fatal("nothing was cut short")
	}
	if r, err := open(t, path).Query(t.Context(), "SELECT count(*) FROM orders", 0); err == nil {
		t.Errorf("%v", r.Rows)
	} else {
		isRefusal(t, "a hot journal", err)
	}
	if _, err := open(t, path).Change(t.Context(), "DELETE FROM orders", func(Change) error { return errNotNow }); !errors.Is(err, errNotNow) {
		t.Error(err)
	}
	if diff := cmp.Diff(before, content(t, path)); diff != "" {
		t.Errorf("%.300s", diff)
	}
}
