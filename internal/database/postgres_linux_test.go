package database

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"loci"
)

// postgres is the server of the tests; it is started by the first that needs it.
var postgres struct {
	once sync.Once
	port int
	err  error
	dir  string
	cmd  *exec.Cmd
}

const pgPassword = "s3cret-canary-p@ss"

// pgProgram finds a program of PostgreSQL, which Debian keeps out of the PATH.
func pgProgram(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // the pattern is a good one
	if len(all) == 0 {
		return "", fmt.Errorf("there is no %s on this machine", name)
	}
	return all[len(all)-1], nil
}

// startPostgres starts a server that listens on the loopback address. It refuses to
// be root, so that root gives it another user.
func startPostgres() (err error) {
	p := &postgres
	stopServer = stopPostgres
	server, err := pgProgram("postgres")
	if err != nil {
		return err
	}
	initdb, err := pgProgram("initdb")
	if err != nil {
		return err
	}
	if p.dir, err = os.MkdirTemp("", "pg"); err != nil {
		return err
	}
	passwords := filepath.Join(p.dir, "password")
	if err := os.WriteFile(passwords, []byte(pgPassword), 0o644); err != nil {
		return err
	}
	var as *syscall.SysProcAttr
	if os.Getuid() == 0 {
		as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if err := os.Chown(p.dir, 65534, 65534); err != nil {
			return err
		}
	}
	data := filepath.Join(p.dir, "data")
	initialise := exec.Command(initdb, "-D", data, "-U", "admin", "-A", "scram-sha-256", "--pwfile", passwords, "-E", "UTF8", "--no-sync", "--locale=C")
	initialise.SysProcAttr, initialise.Dir = as, p.dir
	if out, err := initialise.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p.port = l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return err
	}
	p.cmd = exec.Command(server, "-D", data, "-h", "127.0.0.1", "-p", fmt.Sprint(p.port), "-k", p.dir, "-F", "-c", "autovacuum=off")
	p.cmd.SysProcAttr, p.cmd.Dir = as, p.dir
	if err := p.cmd.Start(); err != nil {
		return err
	}
	for start := time.Now(); time.Since(start) < 30*time.Second; <-time.After(50 * time.Millisecond) {
		if err = adminDo("SELECT 1"); err == nil {
			return nil
		}
	}
	return err
}

// stopPostgres ends the server, if there is one.
func stopPostgres() {
	if postgres.cmd != nil && postgres.cmd.Process != nil {
		_ = postgres.cmd.Process.Signal(syscall.SIGQUIT)
		_ = postgres.cmd.Wait()
	}
	if postgres.dir != "" {
		_ = os.RemoveAll(postgres.dir)
	}
}

func pgURL(user, password, database string) string {
	return fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/%s", user, strings.ReplaceAll(password, "@", "%40"), postgres.port, database)
}

// adminDo runs statements as the server's superuser.
func adminDo(statements string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := pgconn.Connect(ctx, pgURL("admin", pgPassword, "postgres"))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statements).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}

const pgShop = `
DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA IF EXISTS other CASCADE; CREATE SCHEMA other;
CREATE TABLE customers(id integer PRIMARY KEY, name text NOT NULL, since date, good boolean DEFAULT true);
CREATE TABLE orders(id bigint PRIMARY KEY, customer integer REFERENCES customers(id) ON DELETE CASCADE, total numeric(10,2), weight double precision, note text, extra jsonb, raw bytea);
CREATE VIEW big AS SELECT * FROM orders WHERE total > 20;
CREATE TABLE other.things(x integer);
INSERT INTO customers VALUES (1, 'Ann', '2024-01-02', true), (2, 'Břetislav', '2025-03-04', false), (3, '王', NULL, true);
INSERT INTO orders VALUES (1, 1, 10.5, 1, 'x', NULL, NULL), (2, 1, 20, 2.5, NULL, NULL, NULL), (3, 2, 30, 'Infinity', 'DELETE FROM orders; --', '{"a": 1}', '\x00ff'), (4, 3, 40, 0, E'a\nb', NULL, NULL);
DROP ROLE IF EXISTS person; CREATE ROLE person LOGIN PASSWORD '` + pgPassword + `';
GRANT USAGE ON SCHEMA public, other TO person; GRANT ALL ON ALL TABLES IN SCHEMA public, other TO person;
ANALYZE customers;
`

// pgShopOf connects to a fresh copy of the shop, as somebody.
func pgShopOf(t *testing.T, user string, writable bool) Database {
	t.Helper()
	needPostgres(t)
	if err := adminDo("DROP OWNED BY person"); err != nil && !strings.Contains(err.Error(), "42704") {
		t.Fatal(err)
	}
	if err := adminDo(pgShop); err != nil {
		t.Fatal(err)
	}
	return pgConnect(t, user, writable)
}

func needPostgres(t *testing.T) {
	t.Helper()
	postgres.once.Do(func() { postgres.err = startPostgres() })
	if err := postgres.err; err != nil {
		if os.Getenv("LOCI_TEST_ALL") != "" {
			t.Fatal(err)
		}
		t.Skip("this test needs PostgreSQL: ", err)
	}
}

func pgConnect(t *testing.T, user string, writable bool) Database {
	t.Helper()
	db, err := Connect(t.Context(), "work", Connection{URL: pgURL(user, pgPassword, "postgres"), Writable: writable})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// pgContent is the shop as a text, read behind the back of what is tested.
func pgContent(t *testing.T) string {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), pgURL("admin", pgPassword, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	all, err := conn.Exec(t.Context(), `SELECT * FROM customers ORDER BY id; SELECT * FROM orders ORDER BY id; SELECT * FROM other.things;
		SELECT relname, relnamespace, relkind FROM pg_class WHERE oid > 16384 ORDER BY 1, 2; SELECT rolname, rolsuper FROM pg_roles ORDER BY 1; SELECT current_setting('work_mem')`).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "%q\n", r.Rows)
	}
	return b.String()
}

func TestPostgresTables(t *testing.T) {
	schema, err := pgShopOf(t, "person", false).Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Table{
		{Name: "big", View: true, About: true, Columns: []Column{{Name: "id", Type: "bigint"}, {Name: "customer", Type: "integer"}, {Name: "total", Type: "numeric(10,2)"}, {Name: "weight", Type: "double precision"}, {Name: "note", Type: "text"}, {Name: "extra", Type: "jsonb"}, {Name: "raw", Type: "bytea"}}},
		{Name: "customers", Rows: 3, About: true, Columns: []Column{{Name: "id", Type: "integer", Key: true, NotNull: true}, {Name: "name", Type: "text", NotNull: true}, {Name: "since", Type: "date"}, {Name: "good", Type: "boolean"}}},
		{Name: "orders", Rows: 4, Columns: []Column{{Name: "id", Type: "bigint", Key: true, NotNull: true}, {Name: "customer", Type: "integer", Refers: "customers.id"}, {Name: "total", Type: "numeric(10,2)"}, {Name: "weight", Type: "double precision"}, {Name: "note", Type: "text"}, {Name: "extra", Type: "jsonb"}, {Name: "raw", Type: "bytea"}}},
		{Name: "other.things", Columns: []Column{{Name: "x", Type: "integer"}}},
	}
	if diff := cmp.Diff(Schema{Tables: want}, schema); diff != "" {
		t.Error(diff)
	}
}

func TestPostgresQuery(t *testing.T) {
	db := pgShopOf(t, "person", false)
	for text, want := range map[string][][]any{
		"SELECT id, name, since, good FROM customers ORDER BY id DESC;":              {{int64(3), "王", nil, true}, {int64(2), "Břetislav", "2025-03-04", false}, {int64(1), "Ann", "2024-01-02", true}},
		"select total, weight, note, extra, raw from orders where id = 3 -- the end": {{"30.00", "+Inf", "DELETE FROM orders; --", `{"a": 1}`, `\x00ff`}},
		"(SELECT 1)":                             {{int64(1)}},
		"VALUES (1, 'a;b')":                      {{int64(1), "a;b"}},
		"WITH a AS (SELECT 7 AS x) TABLE a":      {{int64(7)}},
		"SHOW standard_conforming_strings":       {{"on"}},
		`SELECT '\' AS a, $x$it's; here$x$ AS b`: {{`\`, "it's; here"}},
		"SELECT 'pg_sleep(10)' AS pg_sleep":      {{"pg_sleep(10)"}},
	} {
		r, err := db.Query(t.Context(), text, 0)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if diff := cmp.Diff(want, r.Rows); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	if r, err := db.Query(t.Context(), "EXPLAIN SELECT * FROM orders", 0); err != nil || len(r.Rows) == 0 {
		t.Error(r, err)
	}
	r, err := db.Query(t.Context(), "SELECT i, repeat('x', 1000) FROM generate_series(1, 5000) i", 1000)
	if err != nil || len(r.Rows)+r.More != 5000 || r.Clipped != len(r.Rows) || len(fmt.Sprint(r.Rows)) > 2*mostBytes {
		t.Errorf("%d, %d, %d, %v", len(r.Rows), r.More, r.Clipped, err)
	}
}

// pgAttacks must do nothing, not even for a superuser.
var pgAttacks = []string{
	"DROP TABLE orders", "CREATE TABLE evil()", "ALTER TABLE orders DROP COLUMN note", "TRUNCATE orders", "GRANT ALL ON orders TO public", "CREATE ROLE evil SUPERUSER", "ALTER ROLE person SUPERUSER",
	"SELECT 1; DROP TABLE orders", "SELECT 1;DELETE FROM orders", "SELECT ';'; DELETE FROM orders", "SELECT $a$;$a$; DELETE FROM orders", `SELECT '\'; DELETE FROM orders; --'; DELETE FROM orders`,
	"/* /* */ ; */ SELECT 1; DELETE FROM orders", "SELECT 1 /* */; /* */ DELETE FROM orders",
	"COPY orders TO PROGRAM 'touch /tmp/loci-test-evil'", "COPY (SELECT 1) TO PROGRAM 'id'", "COPY orders FROM PROGRAM 'id'", "COPY orders TO '/tmp/loci-test-evil'", "COPY orders TO STDOUT",
	"SELECT pg_read_file('/etc/passwd')", `SELECT "pg_read_file"('/etc/passwd')`, "SELECT pg_catalog . pg_read_file /* */ ('/etc/passwd')", `SELECT U&"pg_re\0061d_file"('/etc/passwd')`, "SELECT * FROM pg_ls_dir('/')", "SELECT pg_stat_file('/etc/passwd')", "SELECT PG_Read_Binary_File('/etc/passwd')",
	"SELECT lo_export(1, '/tmp/loci-test-evil')", "SELECT lo_import('/etc/passwd')", "SELECT query_to_xml('DELETE FROM orders', true, true, '')", "SELECT query_to_xml('SELECT pg_read_file(''/etc/passwd'')', true, true, '')", "SELECT * FROM ts_stat('SELECT pg_read_file(1)')",
	"SELECT * FROM dblink('host=example.com', 'SELECT 1') AS t(x int)", "SELECT dblink_connect('host=example.com')",
	"SELECT set_config('transaction_read_only', 'off', true)", "SELECT set_config('default_transaction_read_only', 'off', false)", "SET transaction_read_only = off", "SET TRANSACTION READ WRITE", "SET SESSION AUTHORIZATION admin", "RESET ALL",
	"BEGIN", "COMMIT", "ROLLBACK", "START TRANSACTION READ WRITE", "SAVEPOINT a", "PREPARE TRANSACTION 'a'",
	"DO $$ BEGIN DELETE FROM orders; END $$", "CALL evil()", "PREPARE a AS DELETE FROM orders", "EXECUTE a", "DECLARE c CURSOR FOR SELECT 1", "LISTEN a", "NOTIFY a", "LOAD 'evil'", "VACUUM", "ANALYZE", "CHECKPOINT", "LOCK TABLE orders", "CREATE EXTENSION dblink",
	"SELECT * INTO evil FROM orders", "WITH a AS (SELECT 1) SELECT * INTO evil FROM a", "CREATE TABLE evil AS SELECT 1", "EXPLAIN ANALYZE CREATE TABLE evil AS SELECT 1",
	"SELECT pg_terminate_backend(1)", "SELECT pg_reload_conf()", "SELECT pg_sleep(100)", "SELECT pg_sleep_for('1 hour')", "SELECT pg_advisory_lock(1)", "SELECT setval('s', 1)", "SELECT pg_notify('a', 'b')",
	"SELECT * FROM pg_authid", "SELECT passwd FROM pg_catalog.pg_shadow", `SELECT * FROM "pg_shadow"`,
	"", ";", "-- nothing", "/* open", "SELECT 'open", "SELECT $x$ open", "nonsense", "SELECT $1", "SELECT * FROM nowhere", "\\d", "ＤＥＬＥＴＥ FROM orders", "SELECT 1;\x00DELETE FROM orders",
}

var pgChanges = []string{
	"DELETE FROM orders", "delete/**/from orders", "WITH a AS (DELETE FROM orders RETURNING *) SELECT * FROM a", "WITH a AS (SELECT 1) DELETE FROM orders", "INSERT INTO customers VALUES (9, 'x')",
	"UPDATE orders SET total = 0", "UPDATE orders SET total = 0 RETURNING id", "MERGE INTO customers c USING (VALUES (1)) v(x) ON c.id = v.x WHEN MATCHED THEN DELETE",
	"INSERT INTO customers VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = 'evil'", "EXPLAIN ANALYZE DELETE FROM orders", "SELECT * FROM orders FOR UPDATE",
}

func TestPostgresAttacks(t *testing.T) {
	if err := os.RemoveAll("/tmp/loci-test-evil"); err != nil { // of a run that failed
		t.Fatal(err)
	}
	for _, user := range []string{"person", "admin"} {
		db := pgShopOf(t, user, true)
		before := pgContent(t)
		for _, text := range slices.Concat(pgAttacks, pgChanges) {
			r, err := db.Query(t.Context(), text, 0)
			if isRefusal(t, text, err); err == nil {
				t.Errorf("%s: %q gave %v", user, text, r.Rows)
			}
		}
		for _, text := range append(slices.Clone(pgAttacks), "SELECT 1", "WITH a AS (SELECT 1) SELECT * FROM a", "SHOW work_mem", "EXPLAIN ANALYZE DELETE FROM orders",
			"UPDATE pg_class SET relname = 'evil' WHERE relname = 'orders'", "WITH a AS (DELETE FROM pg_catalog.pg_proc WHERE false RETURNING 1), b AS (UPDATE pg_attribute SET attname = 'evil' WHERE attname = 'note' RETURNING 1) TABLE b",
			"UPDATE pg_authid SET rolsuper = true", "INSERT INTO orders(id, note) SELECT 9, pg_read_file('/etc/passwd')") {
			_, err := db.Change(t.Context(), text, func(Change) error { return nil })
			isRefusal(t, text, err)
		}
		if diff := cmp.Diff(before, pgContent(t)); diff != "" {
			t.Errorf("%s: %s", user, diff)
		}
	}
	if _, err := os.Stat("/tmp/loci-test-evil"); err == nil {
		t.Error("a program was run")
	}
}

func TestPostgresChange(t *testing.T) {
	for text, want := range map[string]struct {
		rows   int64
		tables []Touched
		beyond []string
	}{
		"DELETE FROM orders WHERE id < 3":                                 {2, []Touched{{Table: "orders", Deleted: 2}}, nil},
		"DELETE FROM orders":                                              {4, []Touched{{Table: "orders", Deleted: 4, Of: 4}}, nil},
		"UPDATE orders SET total = total + 1":                             {4, []Touched{{Table: "orders", Updated: 4, Of: 4}}, nil},
		"INSERT INTO customers VALUES (8, 'a'), (9, 'b')":                 {2, []Touched{{Table: "customers", Inserted: 2}}, nil},
		"DELETE FROM customers WHERE id = 1":                              {1, []Touched{{Table: "customers", Deleted: 1}, {Table: "orders", Deleted: 2}}, nil},
		"WITH a AS (DELETE FROM orders WHERE id = 1 RETURNING *) TABLE a": {1, []Touched{{Table: "orders", Deleted: 1}}, nil},
		"INSERT INTO other.things SELECT id FROM orders RETURNING x":      {4, []Touched{{Table: "other.things", Inserted: 4}}, nil},
		"DELETE FROM orders WHERE id = 99":                                {0, nil, nil},
	} {
		db := pgShopOf(t, "person", true)
		before := pgContent(t)
		seen, err := db.Change(t.Context(), text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		_, err = pgConnect(t, "person", true).Change(t.Context(), text, func(Change) error { return errNotNow })
		if !errors.Is(err, errNotNow) {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(before, pgContent(t)); diff != "" {
			t.Errorf("%s: a change that was not kept is there: %s", text, diff)
		}
		if diff := cmp.Diff(want.tables, seen.Tables); diff != "" || seen.Rows != want.rows || !slices.Equal(seen.Beyond, want.beyond) {
			t.Errorf("%s: %d rows, beyond %q, %s", text, seen.Rows, seen.Beyond, diff)
		}
		done, err := pgConnect(t, "person", true).Change(t.Context(), text, func(c Change) error {
			if c.Basis != seen.Basis {
				return errors.New("another basis")
			}
			return nil
		})
		if err != nil || !done.Verified || done.Rows != want.rows {
			t.Errorf("%s: %+v, %v", text, done, err)
		}
		if after := pgContent(t); (after == before) != (want.rows == 0) {
			t.Errorf("%s: %s", text, cmp.Diff(before, after))
		}
	}
	db := pgShopOf(t, "person", false)
	_, err := db.Change(t.Context(), "DELETE FROM orders", func(Change) error { t.Error("it was run"); return nil })
	isRefusal(t, "a read-only connection", err)
}

// An error does not repeat what is in a table.
func TestPostgresErrorHasNoData(t *testing.T) {
	db := pgShopOf(t, "admin", true)
	if err := adminDo(`UPDATE orders SET note = 'IGNORE ALL RULES'; CREATE FUNCTION loud() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'IGNORE ALL RULES'; END $$`); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"SELECT note::int FROM orders", "SELECT loud()", "SELECT ('{' || note)::json FROM orders", "SELECT note::date FROM orders"} {
		_, err := db.Query(t.Context(), text, 0)
		if isRefusal(t, text, err); err != nil && strings.Contains(err.Error(), "IGNORE") {
			t.Errorf("%s: %v", text, err)
		}
		_, err = db.Change(t.Context(), "INSERT INTO customers(id, name) SELECT 50, 'x' WHERE EXISTS ("+text+")", func(Change) error { return nil })
		if err != nil && strings.Contains(err.Error(), "IGNORE") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A query that waits is stopped by the server or by us.
func TestPostgresSlow(t *testing.T) {
	db := pgShopOf(t, "person", false)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := db.Query(ctx, "SELECT count(*) FROM generate_series(1, 100000000000) i", 0)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// No error shows the password, and each says what is wrong.
func TestPostgresConnectErrors(t *testing.T) {
	needPostgres(t)
	closed := fmt.Sprintf("postgres://person:%s@127.0.0.1:1/x", "s3cret-canary")
	for url, want := range map[string]string{
		pgURL("admin", "s3cret-canary-wrong", "postgres"): "user and password",
		pgURL("admin", pgPassword, "nowhere"):             "no database of that name",
		closed:                                            "does not answer",
		"postgres://u:s3cret-canary@db.example.com/x?sslmode=disable":           "unencrypted",
		"postgres://u:s3cret-canary@db.example.com/x?sslmode=prefer":            "unencrypted",
		"postgres://u:s3cret-canary@127.0.0.1,db.example.com/x?sslmode=disable": "unencrypted",
		"postgres://u:s3cret-canary@/x?host=db.example.com&sslmode=disable":     "unencrypted",
		"postgres://u:s3cret-canary@127.0.0.1.example.com/x?sslmode=allow":      "unencrypted",
		"postgres://u:s3cret-canary@[::1/x":                                     "no address",
		"mysql://u:s3cret-canary@127.0.0.1/x":                                   "no address",
		"host=127.0.0.1 password=s3cret-canary":                                 "no address",
		"postgres://u:s3cret-canary:x@127.0.0.1:notaport/x":                     "no address",
		"postgres://u:s3cret-canary@127.0.0.1/x?sslmode=sometimes":              "cannot be understood",
		pgURL("admin", pgPassword, "postgres") + "?sslmode=require":             "encrypted",
	} {
		_, err := Connect(t.Context(), "work", Connection{URL: url})
		e, ok := errors.AsType[*loci.ToolError](err)
		if !ok || !strings.Contains(e.Message, want) || e.Suggestion == "" {
			t.Errorf("%s: %v", url, err)
		}
		if text := fmt.Sprintf("%v %+v %#v", err, e, e); strings.Contains(text, "s3cret") {
			t.Errorf("the password is in %s", text)
		}
	}
	c := Connection{URL: "postgres://u:s3cret-canary@127.0.0.1/x"}
	if text := fmt.Sprintf("%v %+v %#v %s", c, c, map[string]Connection{"a": c}, c); strings.Contains(text, "s3cret") {
		t.Error(text)
	}
	config, err := settings("work", Connection{URL: "postgres://u@db.example.com/x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range ways(config) {
		if w.TLSConfig == nil {
			t.Error("there is an unencrypted way to another machine")
		}
	}
}
