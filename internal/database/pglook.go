package database

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"loci"
)

// A function can be called without brackets: (x).f is f(x), an operator and a cast
// call one, and a view or a function calls others. What is a function, and what it
// may do, is the server's to say: each name that stands where a function can be called
// is looked up, in the transaction that runs the statement, and what the server has
// written down of views and functions is looked into in the same way.

const (
	mostDeep  = 10    // views and functions inside each other
	mostFound = 2_000 // functions, views and policies that are looked at for a statement
)

// harmless are functions that are said to change something and do not, and those that
// measure.
var harmless = []string{
	"random", "random_normal", "clock_timestamp", "timeofday", "gen_random_uuid", "uuidv4", "uuidv7", "uuid_generate_v1", "uuid_generate_v1mc", "uuid_generate_v4",
	"gen_random_bytes", "gen_salt", "pgp_sym_encrypt", "pgp_sym_encrypt_bytea", "currval", "lastval", "current_query", "pg_is_in_recovery", "pg_stat_statements",
	"pg_relation_size", "pg_total_relation_size", "pg_table_size", "pg_indexes_size", "pg_database_size", "pg_tablespace_size", "array_shuffle", "array_sample",
	"system", "bernoulli", "system_rows", "system_time", // of TABLESAMPLE
}

// mentions are the names of a text by what they may stand for.
type mentions struct {
	calls []string // functions: a bracket follows, or a dot stands before
	words []string // tables and types: all of them
	runs  []string // operators
	any   bool     // a function has them, which may have a search path of its own
}

// mentioned collects the names of a statement. Those in SQL that is not quoted are in
// lower case, of which PostgreSQL knows only ASCII's in UTF-8.
func mentioned(sql string, parts []token) (m mentions) {
	for i, p := range parts {
		switch p.kind {
		case word, name:
			called := i > 0 && parts[i-1].text == "." && parts[i-1].kind == symbol || i+1 < len(parts) && parts[i+1].text == "(" && parts[i+1].kind == symbol
			forms := []string{p.text}
			if p.kind == word {
				raw := sql[p.start:p.end]
				forms = []string{asciiLower(raw), strings.ToLower(raw)} // the second for servers of other encodings
			}
			m.words = append(m.words, forms...)
			m.runs = append(m.runs, unwritten[p.text]...)
			if called {
				m.calls = append(m.calls, forms...)
			}
		case symbol:
			if !strings.Contains(operatorSigns, p.text) {
				continue
			}
			if i > 0 && parts[i-1].end == p.start && parts[i-1].kind == symbol && strings.Contains(operatorSigns, parts[i-1].text) { // the last of them
				m.runs[len(m.runs)-1] += p.text
			} else {
				m.runs = append(m.runs, p.text)
			}
		}
	}
	return m
}

// operatorSigns are what operators are made of. See
// https://www.postgresql.org/docs/current/sql-createoperator.html.
const operatorSigns = "+-*/<>=~!@#%^&|`?"

// unwritten are the operators that keywords stand for; the empty word: many do.
var unwritten = map[string][]string{
	"": {"=", "<>", "<=", ">="}, "LIKE": {"~~", "!~~"}, "ILIKE": {"~~*", "!~~*"}, "SIMILAR": {"~", "!~"},
}

// asciiLower is a text in lower case as PostgreSQL makes it.
func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// foundSQL looks names up: functions, those that operators, types and what they are
// made of, casts, aggregates and indexes call, and views, policies and tables. Of what a text calls it gives the
// text. Names are cut to 63 bytes, as the server cuts them. A table is one that can be
// meant: in the search path, or in a schema that is named too; a function may be in
// any, and where a function names a table, so may the table.
const foundSQL = `WITH RECURSIVE calls AS (SELECT t::name AS x FROM json_array_elements_text($1::json) t),
words AS (SELECT t::name AS x FROM json_array_elements_text($2::json) t),
runs AS (SELECT t AS x FROM json_array_elements_text($3::json) t),
owned AS MATERIALIZED (SELECT oid, typname, typrelid, typelem, typbasetype FROM pg_type WHERE typnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)),
made AS MATERIALIZED (SELECT oid, typelem AS of FROM owned UNION ALL SELECT oid, typbasetype FROM owned
	UNION ALL SELECT o.oid, atttypid FROM owned o JOIN pg_attribute ON attrelid = typrelid WHERE attnum > 0 AND atttypid IN (SELECT oid FROM owned)),
parts AS (SELECT oid FROM owned WHERE typname IN (SELECT x FROM words) UNION SELECT made.of FROM parts JOIN made ON made.oid = parts.oid),
types AS (SELECT t.* FROM pg_type t JOIN parts ON parts.oid = t.oid WHERE t.oid IN (SELECT oid FROM owned)),
functions AS (
	SELECT oid AS f FROM pg_proc WHERE proname IN (SELECT x FROM calls)
	UNION SELECT unnest(ARRAY[oprcode, oprrest, oprjoin]::oid[]) FROM pg_operator WHERE oprnamespace <> 'pg_catalog'::regnamespace AND EXISTS (SELECT FROM runs WHERE strpos(x, oprname::text) > 0)
	UNION SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout]::oid[]) FROM types
	UNION SELECT castfunc FROM pg_cast WHERE castsource IN (SELECT oid FROM types) OR casttarget IN (SELECT oid FROM types)
	UNION SELECT unnest(ARRAY[rngcanonical, rngsubdiff]::oid[]) FROM pg_range WHERE rngtypid IN (SELECT oid FROM types)
	UNION SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggmtransfn, aggminvtransfn, aggmfinalfn]::oid[]) FROM pg_aggregate
		WHERE aggfnoid IN (SELECT oid FROM pg_proc WHERE proname IN (SELECT x FROM calls) AND pronamespace <> 'pg_catalog'::regnamespace)),
tables AS (
	SELECT c.oid, c.relname, c.relkind, c.relnamespace FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relname IN (SELECT x FROM words) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ($4::boolean OR n.nspname = ANY (current_schemas(true)) OR n.nspname IN (SELECT x FROM words))
	UNION SELECT c.oid, c.relname, c.relkind, c.relnamespace FROM tables t JOIN pg_inherits i ON i.inhparent = t.oid JOIN pg_class c ON c.oid = i.inhrelid),
called AS (SELECT f FROM functions
	UNION SELECT amproc FROM pg_index i, unnest(i.indclass::oid[]) k JOIN pg_opclass o ON o.oid = k JOIN pg_amproc ON amprocfamily = o.opcfamily WHERE indrelid IN (SELECT oid FROM tables) AND o.opcnamespace <> 'pg_catalog'::regnamespace)
SELECT 'f' || p.oid, p.proname, p.provolatile = 'v', p.prosecdef, l.lanname, p.pronamespace = 'pg_catalog'::regnamespace,
	EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'),
	CASE WHEN p.prokind IN ('a', 'w') THEN '' WHEN p.prosrc = '' THEN pg_get_functiondef(p.oid) ELSE p.prosrc END || coalesce(E'\n' || pg_get_expr(p.proargdefaults, 0), ''), p.prokind
FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE p.oid IN (SELECT f FROM called)
UNION ALL SELECT 't' || oid, relname, false, false, relkind::text, false, false, CASE WHEN relkind = 'v' THEN pg_get_viewdef(oid) ELSE '' END, 'x' FROM tables
	WHERE relkind IN ('v', 'f') AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
UNION ALL SELECT key || oid, label, false, false, '', false, false, content, 'x' FROM (
	SELECT 'p' AS key, oid, polname AS label, coalesce(pg_get_expr(polqual, polrelid), '') || E'\n' || coalesce(pg_get_expr(polwithcheck, polrelid), '') AS content FROM pg_policy WHERE polrelid IN (SELECT oid FROM tables)
	UNION ALL SELECT 'c', oid, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c' AND (contypid IN (SELECT oid FROM types) OR conrelid IN (SELECT oid FROM tables))
	UNION ALL SELECT 'i', indexrelid, 'index', coalesce(pg_get_expr(indexprs, indrelid), '') || E'\n' || coalesce(pg_get_expr(indpred, indrelid), '') FROM pg_index WHERE indrelid IN (SELECT oid FROM tables) AND (indexprs IS NOT NULL OR indpred IS NOT NULL)
	UNION ALL SELECT 'k', partrelid, 'partition key', pg_get_expr(partexprs, partrelid) FROM pg_partitioned_table WHERE partrelid IN (SELECT oid FROM tables) AND partexprs IS NOT NULL
	UNION ALL SELECT 'd', d.oid, 'default', pg_get_expr(adbin, adrelid) FROM pg_attrdef d WHERE adrelid IN (SELECT oid FROM tables)
	UNION ALL SELECT 'r', r.oid, rulename, '' FROM pg_rewrite r WHERE ev_type <> '1' AND ev_class IN (SELECT oid FROM tables WHERE relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace))) u`

// look is what is looked at for a statement.
type look struct {
	*server
	change bool // it changes rows: so do rules, and defaults of columns are planned
	seen   map[string]bool
}

// lookUp refuses a statement that would call a function which does more than read this
// database, in whatever way it would call it.
func (s *server) lookUp(ctx context.Context, sql string, parts []token, change bool) error {
	m := mentioned(sql, parts)
	m.runs = append(m.runs, unwritten[""]...)
	for _, p := range parts { // in an EXPLAIN, or a WITH that is refused only when it is run
		change = change || p.kind == word && slices.Contains([]string{"INSERT", "UPDATE", "DELETE", "MERGE"}, p.text)
	}
	return look{s, change, map[string]bool{}}.names(ctx, m, false, 0)
}

// names looks at what names stand for, and into it. Names of a default are planned
// only, before the yes: what the server calls volatile is not called then, but what it
// puts in the place of a call, or takes for a constant, is.
func (l look) names(ctx context.Context, m mentions, planned bool, deep int) error {
	if deep == mostDeep || len(l.seen) > mostFound {
		return errCalls("in it", "there is too much to look at")
	}
	all, err := l.find(ctx, m)
	if err != nil {
		return err
	}
	var run, plan mentions
	for _, f := range all {
		key := fmt.Sprint(f.key, planned)
		if l.seen[key] || !l.change && (f.kind == "d" || f.kind == "r") {
			continue
		}
		l.seen[key] = true
		if planned && f.function && f.volatile && (f.system || f.language != "sql") {
			continue
		}
		if err := f.judge(); err != nil {
			return err
		}
		if f.system || f.extension {
			continue
		}
		inside := dialect{postgres: true}.tokens(f.text)
		for _, t := range inside {
			switch {
			case t.kind == unfinished || f.language == "plpgsql" && t.kind == word && t.text == "EXECUTE":
				return errCalls(f.name, "it runs statements that it puts together itself")
			case (t.kind == word || t.kind == name) && slices.Contains(closedTables, strings.ToLower(t.text)):
				return errCalls(f.name, "it reads "+quote(strings.ToLower(t.text)))
			}
		}
		more := mentioned(f.text, inside)
		if more.any = f.function; f.kind == "d" {
			plan.add(more)
		} else {
			run.add(more)
		}
	}
	for planned, m := range map[bool]mentions{false: run, true: plan} {
		if len(m.words)+len(m.runs) > 0 {
			if err := l.names(ctx, m, planned, deep+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds the names of another text.
func (m *mentions) add(more mentions) {
	m.calls, m.words, m.runs = append(m.calls, more.calls...), append(m.words, more.words...), append(m.runs, more.runs...)
	m.any = m.any || more.any
}

// found is a function, or something that a table or a type has.
type found struct {
	key, name         string
	kind              string // f a function, t a view or a foreign table, p a policy, d a default, r a rule, else what tables and types check
	volatile, definer bool
	language          string // of a function; f: a table that is elsewhere
	system, extension bool
	function          bool
	aggregate         bool // or a window function
	text              string
}

// find looks names up.
func (s *server) find(ctx context.Context, m mentions) (all []found, err error) {
	args := make([]string, 3)
	for i, list := range [][]string{m.calls, m.words, m.runs} {
		slices.Sort(list)
		b, err := json.Marshal(append([]string{}, slices.Compact(list)...))
		if err != nil {
			return nil, err
		}
		args[i] = string(b)
	}
	r, err := s.run(ctx, foundSQL, append(args, fmt.Sprint(m.any))...)
	if err != nil {
		return nil, err
	}
	for _, row := range r.Rows {
		all = append(all, found{
			key: string(row[0]), name: string(row[1]), volatile: isTrue(row[2]), definer: isTrue(row[3]), language: string(row[4]),
			system: isTrue(row[5]), extension: isTrue(row[6]), text: string(row[7]), kind: string(row[0][:1]), function: row[0][0] == 'f', aggregate: string(row[8]) == "a" || string(row[8]) == "w",
		})
	}
	return all, nil
}

// mayCount tells whether counting the rows of a table reads only this database.
func (s *server) mayCount(ctx context.Context, table string) (bool, error) {
	sql := "SELECT count(*) FROM " + table
	err := s.lookUp(ctx, sql, dialect{postgres: true}.tokens(sql), false)
	if _, refused := errors.AsType[*loci.ToolError](err); refused {
		return false, nil
	}
	return err == nil, err
}

// asXML are functions that read a table by the name in a text, or run a text.
var asXML = regexp.MustCompile(`_to_xml`)

// judge says why something may not be called; nil: it may.
func (f found) judge() error {
	trusted := f.system || f.extension
	switch {
	case !f.function && f.language == "f":
		return errCalls(f.name, "it is a foreign table, which reads a file, a program or another server")
	case f.kind == "r":
		return errCalls(f.name, "it is a rule, which makes other statements of a change")
	case !f.function:
		return nil
	case closed(f.name) || asXML.MatchString(f.name):
		return errCalls(f.name, "it reaches past the tables of this database")
	case f.definer && !f.system:
		return errCalls(f.name, "it has the rights of somebody else (SECURITY DEFINER)")
	case f.volatile && (!trusted || !slices.Contains(harmless, f.name)):
		return errCalls(f.name, "the server says that it may do more than read (VOLATILE)")
	case !trusted && !f.aggregate && f.language != "sql" && f.language != "plpgsql":
		return errCalls(f.name, "nobody can see what it does ("+f.language+")")
	}
	return nil
}

// closed tells whether a function is on the list of those.
func closed(name string) bool {
	return slices.ContainsFunc(closedCalls, func(c string) bool {
		return name == c || strings.HasSuffix(c, "_") && strings.HasPrefix(name, c)
	})
}

// errCalls is the error for a statement that calls what it may not.
func errCalls(name, why string) error {
	e := refuse("Do it without that function. Where it is the name of a column, write it without a table and a dot before it, or give the column another name: FROM t AS x(id, other).",
		"The statement uses %s, which is refused: %s. Nothing was done.", quote(name), why)
	e.ForPerson = "Use a database program for that."
	return e
}
