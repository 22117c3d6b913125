package database

import (
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// guard is the authorizer of a connection: SQLite asks it about everything that a
// statement would do while it compiles the statement (see
// https://www.sqlite.org/c3ref/set_authorizer.html). What it does not know is
// refused, and so is a statement that SQLite asked nothing about.
type guard struct {
	change bool // rows may be changed
	own    bool // the statement is one of ours
	asked  int  // about a statement of the model's
	writes bool // among it was a change of rows
	reason error
}

// begin gets ready for a statement of the model's.
func (g *guard) begin() { *g = guard{change: g.change} }

// verdict tells whether the statement that was compiled may run; err is what the
// compiling gave.
func (g *guard) verdict(err error) error {
	switch {
	case g.reason != nil:
		return g.reason
	case err != nil:
		return err
	case g.asked == 0:
		return errStructure("This kind of statement")
	case g.change && !g.writes:
		return errNoChange
	}
	return nil
}

// decide answers SQLite.
func (g *guard) decide(action sqlite.AuthorizerActionCode, arg1, arg2, _, _ string) sqlite.AuthorizerReturnCode {
	if g.own {
		return sqlite.AuthorizerOK
	}
	g.asked++
	if err := g.judge(action, arg1, arg2); err != nil {
		if g.reason == nil { // the first one says what the statement is for
			g.reason = err
		}
		return sqlite.AuthorizerDeny
	}
	return sqlite.AuthorizerOK
}

// judge says why something may not be done; nil: it may.
func (g *guard) judge(action sqlite.AuthorizerActionCode, arg1, arg2 string) error {
	switch action {
	case sqlite.AuthRead:
		if slices.Contains(closedFunctions, strings.ToLower(arg1)) {
			return errStructure("Reading " + quote(arg1))
		}
		return nil
	case sqlite.AuthSelect, sqlite.AuthRecursive:
		return nil
	case sqlite.AuthFunction:
		if slices.Contains(closedFunctions, strings.ToLower(arg2)) {
			return errStructure("The function " + quote(arg2))
		}
		return nil
	case sqlite.AuthPragma:
		return g.pragma(strings.ToLower(arg1), arg2)
	case sqlite.AuthInsert, sqlite.AuthUpdate, sqlite.AuthDelete:
		return g.rows(action, arg1)
	}
	if name := actions[action]; name != "" {
		return errStructure(name)
	}
	return errStructure("This kind of statement")
}

// rows judges a change of rows. SQLite's own tables hold the structure.
func (g *guard) rows(action sqlite.AuthorizerActionCode, table string) error {
	verb := map[sqlite.AuthorizerActionCode]string{sqlite.AuthInsert: "INSERT", sqlite.AuthUpdate: "UPDATE", sqlite.AuthDelete: "DELETE"}[action]
	switch {
	case len(table) >= 7 && strings.EqualFold(table[:7], "sqlite_"):
		return errStructure("A change of the structure (" + table + ")")
	case !g.change:
		return errReads(verb + " in " + quote(table))
	}
	g.writes = true
	return nil
}

// closedFunctions reach past the database, or under its tables; some are tables.
var closedFunctions = []string{"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "fsdir", "sqlite_dbpage", "sqlite_log"}

// pragma judges a PRAGMA: some describe what is asked about, others tell a setting
// where they have no value, and would change it where they have one.
func (g *guard) pragma(name, value string) error {
	switch {
	case slices.Contains(describing, name), value == "" && !g.change && slices.Contains(telling, name):
		return nil
	case value == "":
		return errStructure("PRAGMA " + quote(name))
	}
	return errStructure("PRAGMA " + quote(name) + " with a value")
}

var (
	describing = []string{
		"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
		"database_list", "collation_list", "function_list", "module_list", "pragma_list", "compile_options",
		"integrity_check", "quick_check", "foreign_key_check",
	}
	telling = []string{
		"application_id", "auto_vacuum", "data_version", "encoding", "foreign_keys", "freelist_count", "journal_mode",
		"page_count", "page_size", "schema_version", "synchronous", "user_version",
	}
)

// actions names what is always refused, for people and models.
var actions = map[sqlite.AuthorizerActionCode]string{
	sqlite.AuthCreateIndex: "CREATE INDEX", sqlite.AuthCreateTempIndex: "CREATE INDEX", sqlite.AuthDropIndex: "DROP INDEX", sqlite.AuthDropTempIndex: "DROP INDEX",
	sqlite.AuthCreateTable: "CREATE TABLE", sqlite.AuthCreateTempTable: "CREATE TABLE", sqlite.AuthDropTable: "DROP TABLE", sqlite.AuthDropTempTable: "DROP TABLE",
	sqlite.AuthCreateTrigger: "CREATE TRIGGER", sqlite.AuthCreateTempTrigger: "CREATE TRIGGER", sqlite.AuthDropTrigger: "DROP TRIGGER", sqlite.AuthDropTempTrigger: "DROP TRIGGER",
	sqlite.AuthCreateView: "CREATE VIEW", sqlite.AuthCreateTempView: "CREATE VIEW", sqlite.AuthDropView: "DROP VIEW", sqlite.AuthDropTempView: "DROP VIEW",
	sqlite.AuthCreateVTable: "CREATE VIRTUAL TABLE", sqlite.AuthDropVTable: "DROP TABLE", sqlite.AuthAlterTable: "ALTER TABLE",
	sqlite.AuthAttach: "ATTACH", sqlite.AuthDetach: "DETACH", sqlite.AuthAnalyze: "ANALYZE", sqlite.AuthReindex: "REINDEX",
	sqlite.AuthTransaction: "A transaction of its own (BEGIN, COMMIT, ROLLBACK)", sqlite.AuthSavepoint: "SAVEPOINT",
}
