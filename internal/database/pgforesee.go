package database

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// What a change would do is told without doing it, in a read-only transaction: a
// rollback does not take back what triggers, sequences and functions do outside the
// tables. The rows are counted by a SELECT where the statement is so simple that one
// can be made of it; otherwise the number is what the server's planner expects.

// foresee tells what a statement would change.
func (s *server) foresee(ctx context.Context, statement string, parts []token) (c Change, err error) {
	r, err := s.run(ctx, "EXPLAIN (FORMAT JSON, VERBOSE) "+statement)
	if err != nil {
		return c, err
	}
	var plans []struct{ Plan plan }
	if err := json.Unmarshal(r.Rows[0][0], &plans); err != nil {
		return c, fmt.Errorf("read the plan of a change: %w", err)
	}
	var steps []step
	for _, p := range plans {
		steps = p.Plan.changes(steps)
	}
	if len(steps) == 0 {
		return c, errNoChange
	}
	for _, t := range steps {
		if t.schema == "pg_catalog" || t.schema == "information_schema" || t.schema == "pg_toast" {
			return c, errStructure("A change of the table " + quote(t.table))
		}
	}
	c.About = true
	how, ok := simple(statement, parts)
	if ok && len(steps) == 1 {
		if steps[0].rows, err = s.counted(ctx, how.count); err != nil {
			return c, err
		}
		c.About = false
	}
	if err := s.tell(ctx, &c, steps); err != nil {
		return c, err
	}
	if steps[0].kind == "Delete" && !c.About {
		if err := s.cascade(ctx, &c, steps[0], how.rows, 0); err != nil {
			return c, err
		}
	}
	slices.Sort(c.Beyond)
	c.Beyond = slices.Compact(c.Beyond)
	slices.SortFunc(c.Tables, func(a, b Touched) int { return strings.Compare(a.Table, b.Table) })
	basis := fmt.Sprintf("%q %q %v", s.name, statement, c.Beyond)
	if !c.About { // what the planner expects changes by itself
		basis += fmt.Sprint(c.Rows, c.Tables)
	}
	c.Basis = fmt.Sprintf("%x", sha256.Sum256([]byte(basis)))
	return c, nil
}

// triggers tells whether a trigger may leave rows as they are, or change more.
func (c Change) triggers() bool {
	return slices.ContainsFunc(c.Beyond, func(b string) bool { return strings.HasPrefix(b, "trigger ") })
}

// aboutSQL tells of a table how it is called here, whether it is somewhere else, and
// what is set off by a change of it: triggers, and foreign keys of other tables.
const aboutSQL = `WITH RECURSIVE t AS (SELECT c.oid, c.relname, c.relkind, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2),
ways AS (SELECT confrelid AS a, conrelid AS b FROM pg_constraint WHERE contype = 'f' AND CASE $3 WHEN 'Insert' THEN false WHEN 'Delete' THEN confdeltype IN ('c', 'n', 'd')
		WHEN 'Update' THEN confupdtype IN ('c', 'n', 'd') ELSE confdeltype IN ('c', 'n', 'd') OR confupdtype IN ('c', 'n', 'd') END
	UNION SELECT inhparent, inhrelid FROM pg_inherits),
reached AS (SELECT oid FROM t UNION SELECT b FROM reached JOIN ways ON a = oid)
SELECT CASE WHEN nspname = current_schema() THEN '' ELSE nspname || '.' END || relname, quote_ident(nspname) || '.' || quote_ident(relname),
	EXISTS (SELECT FROM reached r JOIN pg_class c ON c.oid = r.oid WHERE c.relkind = 'f'), (SELECT relrowsecurity FROM pg_class c WHERE c.oid = t.oid),
	coalesce((SELECT string_agg(x, E'\n' ORDER BY x) FROM (
		SELECT 'table ' || r.oid::regclass::text AS x FROM reached r WHERE r.oid <> t.oid AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = r.oid)
		UNION SELECT 'trigger ' || tgname FROM pg_trigger JOIN reached r ON tgrelid = r.oid WHERE NOT tgisinternal AND tgenabled <> 'D') u), '')
FROM t`

// tell fills in what is known of the tables that are changed.
func (s *server) tell(ctx context.Context, c *Change, steps []step) error {
	guarded := false // some rows may be seen, and others changed
	for _, step := range steps {
		c.Rows += step.rows
		r, err := s.run(ctx, aboutSQL, step.schema, step.table, step.kind)
		if err != nil {
			return err
		}
		t := Touched{Table: step.table}
		if len(r.Rows) > 0 {
			row := r.Rows[0]
			if t.Table = string(row[0]); isTrue(row[2]) {
				return errCalls(t.Table, "it is a foreign table, or a change of it reaches one")
			}
			if beyond := string(row[4]); beyond != "" {
				c.Beyond = append(c.Beyond, strings.Split(beyond, "\n")...)
			}
			guarded = guarded || isTrue(row[3])
			if !c.About && step.kind != "Insert" {
				if t.Of, err = s.allOf(ctx, string(row[1]), step.rows); err != nil {
					return err
				}
			}
		}
		switch step.kind {
		case "Insert":
			t.Inserted = step.rows
		case "Delete":
			t.Deleted = step.rows
		default:
			t.Updated = step.rows
		}
		if step.rows > 0 {
			c.Tables = append(c.Tables, t)
		}
	}
	c.About = c.About || guarded
	return nil
}

// allOf is how many rows a table has, where they are no more than some; else 0. One row
// more than those settles it.
func (s *server) allOf(ctx context.Context, table string, some int64) (int64, error) {
	if some == 0 {
		return 0, nil
	}
	all, err := s.count(ctx, table, some+1)
	if err != nil || all > some {
		return 0, err
	}
	return all, nil
}

// refersSQL tells which foreign keys delete or change rows with those of a table, and
// of which those cannot be counted.
const refersSQL = `SELECT CASE WHEN n.nspname = current_schema() THEN '' ELSE n.nspname || '.' END || c.relname, quote_ident(n.nspname) || '.' || quote_ident(c.relname),
	string_agg(quote_ident(b.attname), ', ' ORDER BY k.n), string_agg(quote_ident(a.attname), ', ' ORDER BY k.n), f.confdeltype = 'c', f.conrelid = f.confrelid OR NOT has_table_privilege(c.oid, 'SELECT'), n.nspname, c.relname, c.oid::regclass::text
FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_class o ON o.oid = f.confrelid JOIN pg_namespace m ON m.oid = o.relnamespace,
	unnest(f.conkey, f.confkey) WITH ORDINALITY k(here, there, n), pg_attribute b, pg_attribute a
WHERE f.contype = 'f' AND f.conparentid = 0 AND f.confdeltype IN ('c', 'n', 'd') AND m.nspname = $1 AND o.relname = $2
	AND b.attrelid = f.conrelid AND b.attnum = k.here AND a.attrelid = f.confrelid AND a.attnum = k.there
GROUP BY f.oid, f.confdeltype, f.conrelid, f.confrelid, n.nspname, c.relname, c.oid ORDER BY 1`

// cascade counts the rows that go or change with those that are deleted, as long as no
// table is met twice: what cannot be counted stays among what is beyond.
func (s *server) cascade(ctx context.Context, c *Change, step step, rows string, deep int) error {
	r, err := s.run(ctx, refersSQL, step.schema, step.table)
	if err != nil {
		return err
	}
	for _, row := range r.Rows {
		shown, table, here, there := string(row[0]), string(row[1]), string(row[2]), string(row[3])
		known := slices.ContainsFunc(c.Tables, func(t Touched) bool { return t.Table == shown })
		beyond := "table " + string(row[8])
		if isTrue(row[5]) || known || deep == mostDeep {
			c.Beyond = append(c.Beyond, beyond)
			continue
		}
		inside := fmt.Sprintf(" FROM %s WHERE (%s) IN (SELECT %s%s)\n", table, here, there, rows)
		if ok, err := s.mayCount(ctx, table); err != nil {
			return err
		} else if !ok {
			continue
		}
		n, err := s.counted(ctx, "SELECT count(*)"+inside)
		if err != nil {
			return err
		}
		t := Touched{Table: shown, Updated: n}
		if isTrue(row[4]) {
			t.Deleted, t.Updated = n, 0
		}
		if t.Of, err = s.allOf(ctx, table, n); err != nil {
			return err
		}
		c.Beyond = slices.DeleteFunc(c.Beyond, func(b string) bool { return b == beyond })
		if n == 0 {
			continue
		}
		c.Tables = append(c.Tables, t)
		if t.Deleted > 0 {
			next := step
			next.schema, next.table = string(row[6]), string(row[7])
			if err := s.cascade(ctx, c, next, inside, deep+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// counted is the number that a SELECT gives.
func (s *server) counted(ctx context.Context, sql string) (int64, error) {
	r, err := s.run(ctx, sql)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(r.Rows[0][0]), 10, 64)
}

// plan is a node of what EXPLAIN gives.
type plan struct {
	Type      string  `json:"Node Type"`
	Operation string  `json:"Operation"`
	Table     string  `json:"Relation Name"`
	Schema    string  `json:"Schema"`
	Rows      float64 `json:"Plan Rows"`
	Plans     []plan  `json:"Plans"`
	Parent    string  `json:"Parent Relationship"`
}

// step is a table that a plan changes.
type step struct {
	kind, schema, table string
	rows                int64
}

// changes adds the tables that a plan changes.
func (p plan) changes(all []step) []step {
	if p.Type == "ModifyTable" {
		t := step{kind: p.Operation, schema: p.Schema, table: p.Table}
		for _, below := range p.Plans {
			if below.Parent == "Outer" || below.Parent == "Member" {
				t.rows += int64(below.Rows)
			}
		}
		all = append(all, t)
	}
	for _, below := range p.Plans {
		all = below.changes(all)
	}
	return all
}

// counting is how the rows of a change are counted.
type counting struct {
	count string // a SELECT that gives their number
	rows  string // FROM and WHERE of those that a DELETE or UPDATE is about
}

// simple makes a SELECT of a DELETE or UPDATE of one table, or of an INSERT, that
// counts its rows.
func simple(sql string, parts []token) (c counting, ok bool) {
	level, depth := make([]int, len(parts)), 0
	for i, p := range parts {
		if p.kind == symbol && (p.text == ")" || p.text == "]") {
			depth--
		}
		level[i] = depth
		if p.kind == symbol && (p.text == "(" || p.text == "[") {
			depth++
		}
	}
	// at finds a word outside brackets.
	at := func(from int, words ...string) int {
		for i := from; i < len(parts); i++ {
			if level[i] == 0 && parts[i].kind == word && slices.Contains(words, parts[i].text) && (parts[i].text != "FROM" || parts[i-1].text != "DISTINCT") {
				return i
			}
		}
		return len(parts)
	}
	between := func(from, to int) string {
		if from >= to {
			return ""
		}
		return sql[parts[from].start:parts[to-1].end]
	}
	end := at(1, "RETURNING")
	switch first := begins(parts); {
	case len(parts) < 3 || parts[0].text != first:
		return c, false
	case first == "INSERT":
		body := at(2, "SELECT", "VALUES", "TABLE", "WITH", "DEFAULT")
		if body >= end || at(2, "CONFLICT", "FOR") < len(parts) {
			return c, false
		}
		if parts[body].text == "DEFAULT" {
			c.count = "SELECT 1"
			return c, true
		}
		if parts[body].text == "VALUES" { // with DEFAULT in it, it is no query
			rows := 0
			for i := body + 1; i < end; i++ {
				switch {
				case level[i] > 0 || parts[i].text == ")" || parts[i].text == ",":
				case parts[i].text == "(":
					rows++
				default: // an ORDER BY, a LIMIT
					return c, false
				}
			}
			c.count = fmt.Sprintf("SELECT %d", rows)
			return c, rows > 0
		}
		c.count = "SELECT count(*) FROM (" + between(body, end) + "\n) t"
		return c, true
	case first == "DELETE" || first == "UPDATE":
		where := min(at(1, "WHERE"), end)
		table, stop := 1, where
		if first == "DELETE" {
			table = 2
		} else {
			stop = at(1, "SET")
		}
		if stop >= len(parts) && first == "UPDATE" || table >= stop || at(table, "USING", "FROM", "CURRENT") < end {
			return c, false
		}
		c.rows = " FROM " + between(table, stop) + "\n" + between(where, end) + "\n"
		c.count = "SELECT count(*)" + c.rows
		return c, true
	}
	return c, false
}
