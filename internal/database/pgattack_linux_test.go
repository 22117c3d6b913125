package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"loci"
)

// pgTraps is a database full of functions, operators, types and views that do more than
// read: each would write into the table trace over a connection of its own, which a
// rollback does not take back, or read a file or a password. %s is a connection string.
const pgTraps = `
CREATE SCHEMA ext; CREATE EXTENSION dblink; CREATE EXTENSION file_fdw; CREATE EXTENSION postgres_fdw; CREATE EXTENSION tablefunc; CREATE EXTENSION xml2; CREATE EXTENSION pageinspect; CREATE EXTENSION citext;
CREATE TABLE trace(x text); CREATE SEQUENCE s; CREATE TABLE numbered(id serial, x text);
CREATE FUNCTION mark() RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN dblink_exec('%[1]s', 'INSERT INTO trace VALUES (''mark'')'); END $$;
CREATE FUNCTION loose(x customers) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT dblink_exec('%[1]s', 'INSERT INTO trace VALUES (''loose'')')); END $$;
CREATE FUNCTION of_row(x customers) RETURNS text STABLE LANGUAGE sql AS $$ SELECT mark() $$;
CREATE FUNCTION strict_one(x text) RETURNS text STABLE LANGUAGE plpgsql AS $$ DECLARE r text; BEGIN EXECUTE 'SELECT dblink_ex' || 'ec($1, $2)' INTO r USING '%[1]s', 'INSERT INTO trace VALUES (1)'; RETURN r; END $$;
CREATE FUNCTION definer() RETURNS text STABLE SECURITY DEFINER LANGUAGE sql AS $$ SELECT rolpassword FROM pg_authid WHERE rolname = 'admin' $$;
CREATE FUNCTION atomic(x text) RETURNS text STABLE LANGUAGE sql BEGIN ATOMIC SELECT dblink_exec('%[1]s', x); END;
CREATE FUNCTION by_default(x text DEFAULT mark()) RETURNS text STABLE LANGUAGE sql AS $$ SELECT x $$;
CREATE FUNCTION renamed(text) RETURNS text IMMUTABLE LANGUAGE internal AS 'pg_read_file_all';
CREATE FUNCTION "Quoted Nàme"(text) RETURNS text LANGUAGE sql AS $$ SELECT mark() $$;
CREATE FUNCTION a23456789012345678901234567890123456789012345678901234567890123(text) RETURNS text LANGUAGE sql AS $$ SELECT mark() $$;
CREATE FUNCTION op(a text, b text) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN mark() IS NULL; END $$;
CREATE OPERATOR ### (LEFTARG = text, RIGHTARG = text, FUNCTION = op); CREATE OPERATOR other.<-< (RIGHTARG = text, LEFTARG = text, FUNCTION = op);
CREATE OPERATOR ~~ (LEFTARG = customers, RIGHTARG = text, FUNCTION = loose_like);
CREATE FUNCTION step(a text, b int) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT mark() $$; CREATE AGGREGATE total_mark(int) (SFUNC = step, STYPE = text);
CREATE DOMAIN checked AS text CHECK (mark() IS NOT NULL); CREATE TYPE made AS (a checked); CREATE TABLE holds(b made);
CREATE FUNCTION sorts(a text, b text) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM mark(); RETURN 0; END $$; CREATE OPERATOR CLASS sorting FOR TYPE text USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 sorts(text, text);
CREATE TABLE sorted(x text); CREATE INDEX ON sorted (x sorting);
CREATE TYPE pair AS (a text); CREATE FUNCTION to_pair(x text) RETURNS pair LANGUAGE sql AS $$ SELECT ROW(mark())::pair $$; CREATE CAST (text AS pair) WITH FUNCTION to_pair(text);
CREATE VIEW files AS SELECT pg_read_file('/etc/passwd') AS x; CREATE VIEW over_files AS SELECT x FROM files; CREATE VIEW marks AS SELECT mark() AS x; CREATE VIEW secrets AS SELECT * FROM pg_authid;
CREATE VIEW sessions AS SELECT (pid).pg_terminate_backend AS gone FROM pg_stat_activity WHERE application_name = 'victim';
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; CREATE FOREIGN TABLE passwd(x text) SERVER files OPTIONS (filename '/etc/passwd'); CREATE FOREIGN TABLE program(x text) SERVER files OPTIONS (program 'touch /tmp/loci-test-evil');
CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '%[2]d', dbname 'postgres'); CREATE USER MAPPING FOR public SERVER far OPTIONS (user 'admin', password '%[3]s');
CREATE FOREIGN TABLE far_trace(x text) SERVER far OPTIONS (table_name 'trace'); CREATE TABLE parts(x text) PARTITION BY LIST (x); ALTER TABLE parts ATTACH PARTITION passwd DEFAULT;
CREATE FOREIGN TABLE other.same(x text) SERVER far OPTIONS (table_name 'trace'); CREATE TABLE same(x int); INSERT INTO same VALUES (3);
CREATE TABLE guarded(x int); INSERT INTO guarded VALUES (1); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY p ON guarded USING (mark() IS NOT NULL);
CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM mark(); RETURN NEW; END $$; CREATE TABLE watched(x int); INSERT INTO watched VALUES (1); CREATE TRIGGER watching BEFORE INSERT OR UPDATE OR DELETE ON watched FOR EACH ROW EXECUTE FUNCTION watch();
CREATE TABLE ruled(x int); INSERT INTO ruled VALUES (1); CREATE RULE r AS ON UPDATE TO ruled DO ALSO SELECT mark();
CREATE FUNCTION total_of(who integer) RETURNS numeric STABLE LANGUAGE sql AS $$ SELECT sum(o.total) FROM orders o WHERE o.customer = who $$;
CREATE TABLE defaulted(x int, y text DEFAULT mark()); CREATE FUNCTION inline() RETURNS text LANGUAGE sql AS $$ SELECT mark() $$; CREATE TABLE inlined(x int, y text DEFAULT inline());
CREATE FUNCTION own_number() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN nextval('s'); END $$; CREATE TABLE own(id bigint DEFAULT own_number(), x int);
-- what needs the table trace to be there
CREATE TABLE indexed(x int, y text); CREATE INDEX ON indexed ((y || mark())); CREATE TABLE checking(x int, CHECK (x > 5 OR mark() IS NULL) NOT VALID); CREATE FUNCTION half(x int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN x / 2; END $$;
CREATE TABLE halves(x int CHECK (half(x) < 100)); CREATE INDEX ON halves (half(x)); INSERT INTO halves VALUES (8); DELETE FROM trace; CREATE TABLE folded(x citext); INSERT INTO folded VALUES ('ABC');
GRANT ALL ON ALL TABLES IN SCHEMA public TO person; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO person; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO person; GRANT pg_read_server_files, pg_signal_backend TO person;
`

// pgTrapsOf makes the shop with the traps in it.
func pgTrapsOf(t *testing.T) {
	t.Helper()
	pgShopOf(t, "admin", false)
	if err := adminDo("DROP SERVER IF EXISTS files CASCADE; DROP SERVER IF EXISTS far CASCADE; DROP SCHEMA IF EXISTS ext CASCADE"); err != nil {
		t.Fatal(err)
	}
	conn := fmt.Sprintf("host=127.0.0.1 port=%d dbname=postgres user=admin password=%s", postgres.port, pgPassword)
	traps := fmt.Sprintf(pgTraps, conn, postgres.port, pgPassword)
	traps = strings.Replace(traps, "CREATE OPERATOR ~~ (", "CREATE FUNCTION loose_like(customers, text) RETURNS bool LANGUAGE sql AS $$ SELECT mark() IS NULL $$; CREATE OPERATOR ~~ (", 1)
	before, after, _ := strings.Cut(traps, "-- what")
	err := adminDo(before)
	if err == nil {
		err = adminDo("-- what" + after)
	}
	if err != nil {
		if os.Getenv("LOCI_TEST_ALL") != "" {
			t.Fatal(err)
		}
		t.Skip("this server lacks an extension or a feature: ", err)
	}
	t.Cleanup(func() {
		if err := adminDo("DROP OWNED BY person; DROP SERVER files CASCADE; DROP SERVER far CASCADE; DROP SCHEMA ext CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP ROLE person"); err != nil {
			t.Error(err)
		}
	})
}

// pgCalls are ways to have a server do more than read. CONN is a connection string.
var pgCalls = []string{
	"SELECT ('/etc/passwd'::text).pg_read_file", "SELECT ('/etc/passwd'::text) . /* */ \"pg_read_file\"", "SELECT (('/etc/passwd'::text)).PG_READ_FILE", "SELECT ('/etc/passwd'::text).pg_read_binary_file", "SELECT x.f FROM (SELECT ('/etc/passwd'::text).pg_read_file AS f) x",
	"SELECT (ARRAY['/etc/passwd'])[1].pg_read_file", "SELECT ((ARRAY['/etc/passwd'])[1]).pg_read_file", "SELECT pg_read_file FROM pg_read_file('/etc/passwd')", "SELECT * FROM ROWS FROM (pg_read_file('/etc/passwd'))", "SELECT l FROM LATERAL pg_ls_dir('/etc') l", "SELECT ('/etc'::text).pg_ls_dir",
	"SELECT (pid).pg_terminate_backend FROM pg_stat_activity WHERE application_name = 'victim'", "SELECT (a.pid).pg_cancel_backend FROM pg_stat_activity a WHERE application_name = 'victim'", "SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'",
	"SELECT 1 FROM pg_stat_activity WHERE application_name = 'victim' AND (pid).pg_terminate_backend", "SELECT gone FROM sessions", "SELECT 1 FROM pg_stat_activity WHERE application_name = 'victim' ORDER BY (pid).pg_terminate_backend", "SELECT count(*) FILTER (WHERE (pid).pg_terminate_backend) FROM pg_stat_activity WHERE application_name = 'victim'",
	"SELECT ('CONN'::text).dblink_connect, ('INSERT INTO trace VALUES (777)'::text).dblink_exec", "SELECT dblink_connect('CONN')", "SELECT public.dblink_exec('CONN', 'INSERT INTO trace VALUES (1)')", "SELECT * FROM dblink('CONN', 'SELECT 1') AS t(x int)", "SELECT ('CONN'::text).\"dblink_connect\"", "SELECT dblink_send_query('a', 'b')",
	"SELECT ('CONN'::text).dblink_connect_u", "SELECT dblink_get_connections()", "WITH a AS MATERIALIZED (SELECT dblink_exec('CONN', 'INSERT INTO trace VALUES (1)')) SELECT 1 FROM a", "EXPLAIN ANALYZE SELECT ('CONN'::text).dblink_connect", "EXPLAIN SELECT mark()", "EXPLAIN INSERT INTO defaulted(x) VALUES (1)", "EXPLAIN UPDATE ruled SET x = 1", "WITH a AS (INSERT INTO defaulted(x) VALUES (1) RETURNING 1) TABLE a", "VALUES (('CONN'::text).dblink_connect)",
	"SELECT table_to_xml('pg_authid'::regclass, true, true, '')", "SELECT table_to_xml_and_xmlschema('pg_authid', true, true, '')", "SELECT schema_to_xml('pg_catalog', true, true, '')", "SELECT database_to_xml(true, true, '')", "SELECT cursor_to_xml('c', 1, true, true, '')", "SELECT query_to_xml('SELECT 1', true, true, '')", "SELECT query_to_xml_and_xmlschema('SELECT 1', true, true, '')",
	"SELECT * FROM ts_stat('SELECT mark()::tsvector')", "SELECT ('SELECT mark()::tsvector'::text).ts_stat", "SELECT * FROM crosstab('SELECT mark(), 1, 2') AS t(a text, b int)", "SELECT * FROM connectby('x', 'y', 'z', 'a', 1) AS t(a text)", "SELECT * FROM xpath_table('id', 'x', 'orders', '/', 'true') AS t(a int)", "SELECT xslt_process('<a/>', '<b/>')",
	"SELECT get_raw_page('pg_authid', 0)", "SELECT ('pg_authid'::text).get_raw_page", "SELECT lo_import('/etc/passwd')", "SELECT ('/etc/passwd'::text).lo_import", "SELECT (1::oid).lo_unlink",
	"SELECT mark()", "SELECT (c).loose FROM customers c", "SELECT c.loose FROM customers c", "SELECT customers.loose FROM customers", "SELECT c.of_row FROM customers c", "SELECT public.mark()", "SELECT strict_one('x')", "SELECT ('x'::text).strict_one", "SELECT definer()", "SELECT atomic('INSERT INTO trace VALUES (1)')", "SELECT by_default()", "SELECT renamed('/etc/passwd')", "SELECT ('/etc/passwd'::text).renamed",
	`SELECT "Quoted Nàme"('x')`, `SELECT ('x'::text)."Quoted Nàme"`, "SELECT a23456789012345678901234567890123456789012345678901234567890123('x')", "SELECT ('x'::text).a23456789012345678901234567890123456789012345678901234567890123456789", "SELECT ('x'::text).A23456789012345678901234567890123456789012345678901234567890123456",
	"SELECT 'a' ### 'b'", "SELECT 'a'###'b'", "SELECT 'a'OPERATOR(public.###)'b'", "SELECT 'a' OPERATOR(other.<-<) 'b'", "SELECT 1 WHERE 'a' ### ANY (ARRAY['b'])", "SELECT c LIKE 'x' FROM customers c", "SELECT total_mark(id) FROM customers", "SELECT total_mark(id) OVER () FROM customers",
	"SELECT 'x'::checked", "SELECT CAST('x' AS checked)", "SELECT checked 'x'", "SELECT ('x'::text).checked", "SELECT CAST('x'::text AS pair)", "SELECT ('x'::text)::public.\"pair\"", "SELECT ('x'::text).pair", "SELECT 'x'::checked[]",
	"SELECT x FROM files", "TABLE over_files", "SELECT * FROM public.\"marks\"", "SELECT * FROM secrets", "SELECT * FROM passwd", "SELECT * FROM program", "SELECT * FROM far_trace", "SELECT * FROM parts", "SELECT * FROM other.same", "SELECT * FROM public.same, other.same", "SELECT * FROM guarded", "SELECT y FROM indexed", "SELECT * FROM information_schema.user_mapping_options", "SELECT * FROM pg_hba_file_rules",
	"SELECT (s).nextval FROM (SELECT 's'::regclass AS s) t", "SELECT nextval('s')", "SELECT setval('s', 9)", "SELECT ('s'::regclass).nextval", "SELECT (1::bigint).pg_advisory_lock", "SELECT (1.5::float8).pg_sleep", "SELECT ('a'::text).pg_notify", "SELECT pg_try_advisory_xact_lock(1)", "SELECT pg_switch_wal()", "SELECT (0.5::float8).setseed",
	// What a server and a reader of its language could take apart differently.
	"SELECT 1 --\r, ('/etc/passwd'::text).pg_read_file", "SELECT 1 --\r, pg_read_file('/etc/passwd')", "SELECT E'a'\n'b\\'', pg_read_file('/etc/passwd') -- '", "SELECT E'a' --\n'b\\'', pg_read_file('/etc/passwd') -- '", "SELECT e'a'\r'b\\'', mark() -- '",
	"SELECT 1a$b$, pg_read_file('/etc/passwd') -- $b$", "SELECT 1e'a\\'', mark() -- '", `SELECT ('/etc/passwd'::text).U&"pg_read\005ffile"`, `SELECT ('/etc/passwd'::text).u&"pg!005fread_file" UESCAPE '!'`, "SELECT ('/etc/passwd'::text)./*/**/*/pg_read_file", "SELECT ('/etc/passwd'::text)\f.\fpg_read_file",
	"SHOW search_path; SELECT mark()", "SELECT $a$x$a$, ('/etc/passwd'::text).pg_read_file", "SELECT N'x', ('/etc/passwd'::text).pg_read_file", "SELECT ((SELECT '/etc/passwd'::text)).pg_read_file", "SELECT (CASE WHEN true THEN '/etc/passwd'::text END).pg_read_file",
}

// victim is a session of somebody else's.
func victim(t *testing.T) *pgconn.PgConn {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), pgURL("admin", pgPassword, "postgres")+"?application_name=victim")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// pgUntouched fails the test where something was done that leaves a trace outside of
// a transaction.
func pgUntouched(t *testing.T, somebody *pgconn.PgConn, what string) {
	t.Helper()
	all, err := somebody.Exec(t.Context(), "SELECT (SELECT count(*) FROM trace), (SELECT is_called FROM s), (SELECT is_called FROM numbered_id_seq), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), (SELECT count(*) FROM pg_largeobject_metadata)").ReadAll()
	if err != nil {
		t.Fatalf("%s: the session of somebody else is gone: %v", what, err)
	}
	if got := fmt.Sprintf("%s", all[0].Rows); got != "[[0 f f 0 0]]" {
		t.Fatalf("%s: it left a trace: %s", what, got)
	}
}

// No way to write a call calls anything, neither in a query nor before the yes to a
// change, not even for a superuser.
func TestPostgresCalls(t *testing.T) {
	pgTrapsOf(t)
	somebody := victim(t)
	conn := fmt.Sprintf("host=127.0.0.1 port=%d dbname=postgres user=admin password=%s", postgres.port, pgPassword)
	for _, user := range []string{"person", "admin"} {
		reading, changing := pgConnect(t, user, false), pgConnect(t, user, true)
		for _, text := range pgCalls {
			text = strings.ReplaceAll(text, "CONN", conn)
			r, err := reading.Query(t.Context(), text, 0)
			if isRefusal(t, text, err); err == nil {
				t.Errorf("%s: %q gave %v", user, text, r.Rows)
			}
			if e, ok := errors.AsType[*loci.ToolError](err); ok && strings.Contains(e.Message, "syntax error") && !strings.Contains(text, "a$b$") {
				t.Errorf("%s: %q is no test: %v", user, text, err)
			}
			pgUntouched(t, somebody, text)
			for _, change := range []string{"DELETE FROM orders WHERE EXISTS (%s\n)", "INSERT INTO orders(id, note) SELECT 9, x::text FROM (%s\n) t(x)", "WITH a AS (%s\n) UPDATE orders SET note = 'x' FROM a"} {
				if strings.HasPrefix(text, "EXPLAIN") || strings.HasPrefix(text, "SHOW") {
					continue
				}
				_, err := changing.Change(t.Context(), fmt.Sprintf(change, text), nil)
				if isRefusal(t, text, err); err == nil {
					t.Errorf("%s: a change with %q is foreseen", user, text)
				}
				pgUntouched(t, somebody, change+text)
			}
		}
	}
}

// Before the yes, no trigger, rule, default or sequence of a table does anything, and
// after a no neither.
func TestPostgresForesees(t *testing.T) {
	pgTrapsOf(t)
	somebody := victim(t)
	for text, want := range map[string]struct {
		rows   int64
		about  bool
		beyond string
	}{
		"DELETE FROM watched": {1, false, "[trigger watching]"},
		"UPDATE watched AS w SET x = 2 WHERE w.x = 1 RETURNING x": {1, false, "[trigger watching]"},
		"INSERT INTO watched VALUES (1), (2), (3)":                {3, false, "[trigger watching]"},
		"INSERT INTO numbered(x) VALUES ('a'), ('b')":             {2, false, "[]"},
		"INSERT INTO numbered VALUES (DEFAULT, 'a')":              {1, false, "[]"},
		"INSERT INTO own(x) VALUES (1)":                           {1, false, "[]"}, "INSERT INTO halves VALUES (9)": {1, false, "[]"}, "INSERT INTO numbered DEFAULT VALUES": {1, false, "[]"},
		"INSERT INTO numbered(x) SELECT name FROM customers WHERE id > 1":                       {2, false, "[]"},
		"DELETE FROM customers c WHERE c.id IN (1, 2)":                                          {2, false, "[]"},
		"INSERT INTO customers(id, name) VALUES (8, 'a'), (9, 'b') ORDER BY 1 LIMIT 1":          {0, true, "[]"},
		"UPDATE customers SET name = 'x' WHERE name IS DISTINCT FROM 'Ann'":                     {2, false, "[]"},
		"DELETE FROM orders o USING customers c WHERE o.customer = c.id AND c.id = 1":           {0, true, "[]"},
		"MERGE INTO customers c USING (VALUES (1)) v(x) ON c.id = v.x WHEN MATCHED THEN DELETE": {0, true, "[table orders]"},
		"INSERT INTO customers VALUES (1, 'x') ON CONFLICT (id) DO NOTHING":                     {1, true, "[]"},
	} {
		c, err := pgConnect(t, "admin", true).Change(t.Context(), text, nil)
		if err != nil || c.About != want.about || !c.About && c.Rows != want.rows || fmt.Sprint(c.Beyond) != want.beyond || c.Basis == "" {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
		pgUntouched(t, somebody, text)
		_, err = pgConnect(t, "admin", true).Change(t.Context(), text, func(Change) error { return errNotNow })
		if !errors.Is(err, errNotNow) {
			t.Errorf("%s: %v", text, err)
		}
		pgUntouched(t, somebody, text)
	}
	for _, text := range []string{
		"INSERT INTO far_trace VALUES ('x')", "INSERT INTO parts VALUES ('x')", "UPDATE ruled SET x = 3", "INSERT INTO defaulted(x) VALUES (1)", "UPDATE defaulted SET y = DEFAULT", "INSERT INTO inlined(x) VALUES (1)",
		"DELETE FROM indexed WHERE x = 1", "INSERT INTO numbered VALUES (nextval('s'), 'x')", "DELETE FROM guarded", "UPDATE checking SET x = 1 WHERE x > 7", "UPDATE pg_class SET relname = 'evil'", "DELETE FROM sessions",
	} {
		_, err := pgConnect(t, "admin", true).Change(t.Context(), text, nil)
		if isRefusal(t, text, err); err == nil {
			t.Errorf("%s is foreseen", text)
		}
		pgUntouched(t, somebody, text)
	}
}

// What only reads still reads.
func TestPostgresReadsAsBefore(t *testing.T) {
	pgTrapsOf(t)
	for text, want := range map[string]string{
		"SELECT o.id, o.note, o.total::text FROM orders AS o WHERE o.id = 1":                                                            "[[1 x 10.50]]",
		"SELECT c.name, count(*), sum(o.total) FROM customers c JOIN orders o ON o.customer = c.id GROUP BY c.id ORDER BY c.id LIMIT 1": "[[Ann 2 30.50]]",
		"SELECT random() < 2, now() IS NOT NULL, clock_timestamp() > '2000-01-01', length(gen_random_uuid()::text)":                     "[[true true true 36]]",
		"SELECT t.random FROM (SELECT 5 AS random) t":                                                                                   "[[5]]",
		"SELECT pg_sleep, dblink_exec FROM (SELECT 1, 2) t(pg_sleep, dblink_exec)":                                                      "[[1 2]]",
		"SELECT id FROM big ORDER BY id":                                                                                                "[[3] [4]]",
		"SELECT b.id, extra->>'a', extra @> '{\"a\": 1}' FROM big b WHERE id = 3":                                                       "[[3 1 true]]",
		"SELECT x FROM halves WHERE half(x) = 4":                                                                                        "[[8]]", "SELECT total_of(1)": "[[30.50]]", "SELECT (1).total_of": "[[30.50]]",
		"SELECT upper(x::text), x = 'abc' FROM folded WHERE x ~ 'ab'":                               "[[ABC true]]",
		"SELECT extract(year FROM c.since), to_char(c.since, 'MM') FROM customers c WHERE c.id = 1": "[[2024 01]]",
		"SELECT string_agg(g::text, ',') FROM generate_series(1, 3) g":                              "[[1,2,3]]",
		"SELECT row_number() OVER (ORDER BY id), name FROM customers ORDER BY 1 LIMIT 1":            "[[1 Ann]]",
		"SELECT relname FROM pg_catalog.pg_class c WHERE c.relname = 'orders'":                      "[[orders]]",
		"SELECT table_name FROM information_schema.tables WHERE table_name = 'orders'":              "[[orders]]",
		"SELECT 1.5e3, 1e+2, 0.5, -1, (ARRAY[1,2])[1], 2*3":                                         "[[1500 100 0.5 -1 1 6]]",
		"SELECT pg_size_pretty(pg_total_relation_size('orders')) IS NOT NULL":                       "[[true]]",
		"SELECT count(*) > 0 FROM orders TABLESAMPLE BERNOULLI (100)":                               "[[true]]", "SELECT x FROM same": "[[3]]",
		"SELECT 1 -- it's here\r, 2 /* and (here).pg_read_file */": "[[1 2]]",
	} {
		for _, user := range []string{"person", "admin"} {
			if r, err := pgConnect(t, user, false).Query(t.Context(), text, 0); err != nil || fmt.Sprint(r.Rows) != want {
				t.Errorf("%s: %s: %v, %v", user, text, r.Rows, err)
			}
		}
	}
}

// What goes with rows that are deleted is counted as far as it can be, and what was
// agreed to is not done where it has become something else.
func TestPostgresCascades(t *testing.T) {
	pgShopOf(t, "admin", true)
	if err := adminDo(`CREATE TABLE lines(id int PRIMARY KEY, bill bigint REFERENCES orders(id) ON DELETE CASCADE, up int REFERENCES lines(id) ON DELETE CASCADE); INSERT INTO lines VALUES (1, 1, NULL), (2, 2, 1), (3, 4, 2);
		CREATE TABLE notes(id int, bill bigint REFERENCES orders(id) ON DELETE SET NULL); INSERT INTO notes VALUES (1, 1), (2, 1), (3, 4)`); err != nil {
		t.Fatal(err)
	}
	text := "DELETE FROM customers AS c WHERE c.name = 'Ann' -- and hers"
	c, err := pgConnect(t, "admin", true).Change(t.Context(), text, nil)
	want := Change{Rows: 1, Beyond: []string{"table lines"}, Basis: c.Basis, Tables: []Touched{
		{Table: "customers", Deleted: 1}, {Table: "lines", Deleted: 2}, {Table: "notes", Updated: 2}, {Table: "orders", Deleted: 2},
	}}
	if diff := cmp.Diff(want, c); err != nil || diff != "" {
		t.Error(err, diff)
	}
	_, err = pgConnect(t, "admin", true).Change(t.Context(), text, func(Change) error { return adminDo("INSERT INTO customers VALUES (7, 'Ann')") })
	if e, ok := errors.AsType[*loci.ToolError](err); !ok || !e.CanRetry {
		t.Errorf("other rows than agreed to: %v", err)
	}
	if again, err := pgConnect(t, "admin", true).Change(t.Context(), text, nil); err != nil || again.Rows != 2 || again.Basis == c.Basis {
		t.Errorf("%+v, %v", again, err)
	}
	if all, err := pgConnect(t, "admin", true).Change(t.Context(), "DELETE FROM customers", nil); err != nil || len(all.Tables) != 4 || !all.Tables[0].All() || !all.Tables[3].All() {
		t.Errorf("%+v, %v", all, err)
	}
}

// A search path that begins with something else does not change what names mean.
func TestPostgresSearchPath(t *testing.T) {
	pgShopOf(t, "admin", false)
	if err := adminDo(`CREATE FUNCTION other.length(text) RETURNS integer STABLE LANGUAGE sql AS 'SELECT 666'; CREATE VIEW other.pg_class AS SELECT 666 AS oid;
		CREATE FUNCTION other.upper(text) RETURNS text LANGUAGE sql AS 'SELECT $1'; ALTER ROLE person SET search_path = other, pg_catalog, public`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := adminDo("ALTER ROLE person RESET search_path"); err != nil {
			t.Error(err)
		}
	})
	db := pgConnect(t, "person", false)
	if r, err := db.Query(t.Context(), "SELECT length('abc'), (SELECT count(*) > 1 FROM pg_class), (SELECT count(*) FROM things)", 0); err != nil || fmt.Sprint(r.Rows) != "[[3 true 0]]" {
		t.Error(r.Rows, err)
	}
	if r, err := db.Query(t.Context(), "SELECT upper('abc')", 0); err == nil {
		t.Error(r.Rows)
	}
	if s, err := db.Tables(t.Context()); err != nil || len(s.Tables) == 0 {
		t.Error(s, err)
	}
}
