package database

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"loci"
)

// inside runs statements in a transaction and rolls it back, unless they ended it.
func (s *server) inside(ctx context.Context, kind string, use func() error) (err error) {
	if _, err := s.run(ctx, "BEGIN "+kind); err != nil {
		return s.explain(ctx, err)
	}
	defer func() {
		if s.conn.TxStatus() != 'I' && !s.conn.IsClosed() {
			_, _ = s.run(ctx, "ROLLBACK") // where it fails the connection ends, and the transaction with it
		}
	}()
	if err := s.pin(ctx); err != nil {
		return s.explain(ctx, err)
	}
	return s.explain(ctx, use())
}

// pin makes names mean what is the server's own before anybody else's, for the
// transaction, also where the search path has been set to begin with something else.
// What looks names up is not worth being compiled (jit).
func (s *server) pin(ctx context.Context) error {
	r, err := s.run(ctx, "SELECT s, pg_catalog.quote_ident(s) FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) s")
	if err != nil {
		return err
	}
	var path []string
	for _, row := range r.Rows {
		if schema := string(row[0]); schema != "pg_catalog" && !strings.HasPrefix(schema, "pg_temp") {
			path = append(path, string(row[1]))
		}
	}
	_, err = s.run(ctx, "SELECT pg_catalog.set_config('search_path', $1, true), pg_catalog.set_config('jit', 'off', true)", strings.Join(append(path, "pg_temp"), ", "))
	return err
}

// tablesSQL lists what the user may read. The estimate is that of the last ANALYZE, -1
// where there was none.
const tablesSQL = `SELECT c.oid, CASE WHEN n.nspname = current_schema() THEN '' ELSE n.nspname || '.' END || c.relname,
	c.relkind IN ('v', 'm'), CASE WHEN c.relkind IN ('r', 'm', 'p') THEN c.reltuples::bigint ELSE 0 END, quote_ident(n.nspname) || '.' || quote_ident(c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%'
	AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') ORDER BY 2`

// columnsSQL describes the columns of a table.
const columnsSQL = `SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, coalesce(a.attnum = ANY (p.conkey), false),
	coalesce((SELECT f.confrelid::regclass::text || '.' || r.attname FROM pg_constraint f
		JOIN pg_attribute r ON r.attrelid = f.confrelid AND r.attnum = f.confkey[array_position(f.conkey, a.attnum)]
		WHERE f.conrelid = a.attrelid AND f.contype = 'f' AND a.attnum = ANY (f.conkey) LIMIT 1), '')
FROM pg_attribute a LEFT JOIN pg_constraint p ON p.conrelid = a.attrelid AND p.contype = 'p'
WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`

// Tables describes the tables and views that the connection's user may read.
func (s *server) Tables(ctx context.Context) (schema Schema, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*readFor, errSlow(readFor))
	defer cancel()
	err = s.inside(ctx, "READ ONLY", func() error {
		all, err := s.run(ctx, tablesSQL)
		if err != nil {
			return err
		}
		for i, row := range all.Rows {
			if i == maxTables {
				schema.More = len(all.Rows) - maxTables
				break
			}
			t := Table{Name: string(row[1]), View: isTrue(row[2]), About: true}
			t.Rows, _ = strconv.ParseInt(string(row[3]), 10, 64) // it is a number
			if t.Rows < 0 {
				t.Rows = 0
				if ok, err := s.mayCount(ctx, string(row[4])); err != nil {
					return err
				} else if ok {
					if t.Rows, err = s.count(ctx, string(row[4]), countedTo+1); err != nil {
						return err
					}
					t.About = t.Rows > countedTo
					t.Rows = min(t.Rows, countedTo)
				}
			}
			columns, err := s.run(ctx, columnsSQL, string(row[0]))
			if err != nil {
				return err
			}
			for _, c := range columns.Rows[:min(maxColumns, len(columns.Rows))] {
				t.Columns = append(t.Columns, Column{Name: string(c[0]), Type: string(c[1]), NotNull: isTrue(c[2]), Key: isTrue(c[3]), Refers: string(c[4])})
			}
			schema.Tables = append(schema.Tables, t)
		}
		return nil
	})
	return schema, err
}

// isTrue reads a boolean of the server's.
func isTrue(b []byte) bool { return string(b) == "t" }

// count counts the rows of a table up to a number. The name is quoted already.
func (s *server) count(ctx context.Context, table string, most int64) (int64, error) {
	r, err := s.run(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s LIMIT %d) t", table, most))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(r.Rows[0][0]), 10, 64)
}

// statement takes one statement of the model's as far as the server has compiled it.
func (s *server) statement(ctx context.Context, text string, change bool) (statement string, parts []token, d *pgconn.StatementDescription, err error) {
	statement, parts, err = dialect{postgres: true}.single(text)
	if err == nil {
		err = permitted(parts, change)
	}
	if err == nil {
		err = s.lookUp(ctx, statement, parts, change)
	}
	if err != nil {
		return "", nil, nil, err
	}
	d, err = s.conn.Prepare(ctx, "", statement, nil)
	if err == nil && len(d.ParamOIDs) > 0 {
		err = errParameters
	}
	return statement, parts, d, err
}

// Query runs one statement in a read-only transaction.
func (s *server) Query(ctx context.Context, text string, limit Limit) (found Rows, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readFor, errSlow(readFor))
	defer cancel()
	err = s.inside(ctx, "READ ONLY", func() error {
		_, _, d, err := s.statement(ctx, text, false)
		if err != nil {
			return err
		}
		found = newRows(limit, len(d.Fields))
		for _, f := range d.Fields {
			found.column(f.Name, pgTypes[f.DataTypeOID])
		}
		r := s.conn.ExecPrepared(ctx, "", nil, nil, nil)
		cells := make([]any, len(d.Fields))
		for r.NextRow() {
			if found.full() {
				if !found.count() {
					return nil // the connection is not used any more
				}
				continue
			}
			for i, v := range r.Values() {
				cells[i] = pgValue(pgTypes[d.Fields[i].DataTypeOID], v)
			}
			found.add(cells)
		}
		_, err = r.Close()
		return err
	})
	return found, err
}

// pgTypes names the types that are numbers and the like; all others are texts. See
// https://www.postgresql.org/docs/current/catalog-pg-type.html.
var pgTypes = map[uint32]string{
	16: "boolean", 20: "bigint", 21: "smallint", 23: "integer", 26: "oid", 700: "real", 701: "double precision",
	1700: "numeric", 25: "text", 1043: "varchar", 114: "json", 3802: "jsonb", 17: "bytea", 1082: "date", 1114: "timestamp", 1184: "timestamptz", 2950: "uuid",
}

// pgValue reads a value of the server's.
func pgValue(typ string, v []byte) any {
	if v == nil {
		return nil
	}
	text := string(v)
	switch typ {
	case "boolean":
		return isTrue(v)
	case "bigint", "smallint", "integer", "oid":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	case "real", "double precision":
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
	}
	return text
}

// touchedSQL tells what the transaction has done so far, to the server's own tables
// too, of which some hold parts of large values. See
// https://www.postgresql.org/docs/current/monitoring-stats.html.
const touchedSQL = `SELECT CASE WHEN schemaname = current_schema() THEN '' ELSE schemaname || '.' END || relname,
	n_tup_ins, n_tup_upd, n_tup_del, quote_ident(schemaname) || '.' || quote_ident(relname), schemaname IN ('pg_catalog', 'information_schema')
FROM pg_stat_xact_all_tables WHERE n_tup_ins + n_tup_upd + n_tup_del > 0 AND schemaname NOT LIKE 'pg\_toast%' ORDER BY 1`

// Change runs one INSERT, UPDATE, DELETE or MERGE in a transaction, after keep has been
// told what it would do; without keep it only tells that, and nothing is run. What a
// trigger does outside the database, and the numbers that a sequence gives, are part of
// what a person agrees to who makes a connection writable and says yes.
func (s *server) Change(ctx context.Context, text string, keep func(Change) error) (done Change, err error) {
	if !s.writable {
		e := refuse("Tell the person that this connection is for reading; writable: true in config.yaml would open it.",
			"The database connection %s is read-only. Nothing was changed.", quote(s.name))
		e.ForPerson = "Set writable: true for it in config.yaml to allow changes."
		return done, e
	}
	ctx, cancel := context.WithTimeoutCause(ctx, changeFor, errSlow(changeFor))
	defer cancel()
	var would Change
	err = s.inside(ctx, "READ ONLY", func() error {
		statement, parts, _, err := s.statement(ctx, text, true)
		if err == nil {
			would, err = s.foresee(ctx, statement, parts)
		}
		return err
	})
	if err != nil || keep == nil {
		return would, err
	}
	if err := keep(would); err != nil {
		return would, err
	}
	var id string
	err = s.inside(ctx, "READ WRITE", func() error {
		// Once more, for the names may mean something else by now.
		if _, _, _, err := s.statement(ctx, text, true); err != nil {
			return err
		}
		if done, err = s.execute(ctx); err != nil {
			return err
		}
		if done.Basis = would.Basis; !would.About && !would.triggers() && done.Rows != would.Rows {
			e := refuse("Make the call again: the person is then asked with the new number.", "The statement changes %d rows by now, not %d. Nothing was changed.", done.Rows, would.Rows)
			e.CanRetry = true
			return e
		}
		id, err = s.commit(ctx)
		return err
	})
	if err == nil && id != "" {
		r, err := s.run(ctx, "SELECT txid_status($1::bigint)", id)
		done.Verified = err == nil && string(r.Rows[0][0]) == "committed"
	}
	return done, err
}

// execute runs the statement that was compiled, and counts.
func (s *server) execute(ctx context.Context) (done Change, err error) {
	tag, err := s.conn.ExecPrepared(ctx, "", nil, nil, nil).Close()
	if err != nil {
		return done, err
	}
	done.Rows = tag.RowsAffected()
	if _, err := s.run(ctx, "SET CONSTRAINTS ALL IMMEDIATE"); err != nil { // what would fail in the end fails now
		return done, err
	}
	if done.Tables, err = s.touched(ctx); err != nil {
		return done, err
	}
	if tag.Select() { // rows that a WITH changed are counted in the tables alone
		if done.Rows = 0; len(done.Tables) == 0 {
			return done, errNoChange
		}
		for _, t := range done.Tables {
			done.Rows += t.Inserted + t.Updated + t.Deleted
		}
	}
	return done, nil
}

// touched is what the transaction has done to each table.
func (s *server) touched(ctx context.Context) (all []Touched, err error) {
	r, err := s.run(ctx, touchedSQL)
	if err != nil {
		return nil, err
	}
	for _, row := range r.Rows {
		if isTrue(row[5]) {
			return nil, errStructure("A change of the table " + quote(string(row[0])))
		}
		t := Touched{Table: string(row[0])}
		for i, n := range []*int64{&t.Inserted, &t.Updated, &t.Deleted} {
			if *n, err = strconv.ParseInt(string(row[i+1]), 10, 64); err != nil {
				return nil, err
			}
		}
		if t.Updated+t.Deleted > 0 { // one row more than those settles whether it was all of them
			now, err := s.count(ctx, string(row[4]), t.Updated+t.Inserted+1)
			if err != nil {
				return nil, err
			}
			if now <= t.Updated+t.Inserted {
				t.Of = now + t.Deleted - t.Inserted
			}
		}
		all = append(all, t)
	}
	return all, nil
}

// commit keeps the change, and gives the number of the transaction, by which the
// server can be asked about it.
func (s *server) commit(ctx context.Context) (id string, err error) {
	r, err := s.run(ctx, "SELECT txid_current()")
	if err != nil {
		return "", err
	}
	id = string(r.Rows[0][0])
	end, err := s.run(ctx, "COMMIT")
	if _, told := errors.AsType[*pgconn.PgError](err); err != nil && !told {
		return "", loci.ErrOutcomeUnknown
	}
	if err == nil && !strings.HasPrefix(end.CommandTag.String(), "COMMIT") { // it was rolled back
		err = refuse("Look at the rows that are there before trying something else.", "The server did not keep the change. Nothing was changed.")
	}
	return id, err
}
