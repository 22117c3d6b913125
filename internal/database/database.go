// Package database opens databases for a model: SQLite files, and PostgreSQL servers
// that the person named. It tells what is in them, reads, and changes rows, and it
// decides which statements may do which.
//
// No statement is trusted for how it looks. For SQLite, SQLite itself says what a
// statement would do while it compiles it, to an authorizer that knows few things and
// refuses all others (see policy.go); reading also happens on a connection that cannot
// write. For PostgreSQL, reading is a read-only transaction of the server's, one
// statement in the extended protocol, and what reaches past a transaction is refused
// before, by what the server says of each function that could be called, however it is
// written (see pgpolicy.go and pglook.go).
//
// A change of a SQLite file is made in a transaction and counted there, as a preview
// and once more when it is done: the preview is rolled back, and the change is kept only
// if it is the one that the person agreed to. On a server, which does more than a
// rollback takes back, nothing is run before the yes: the rows are counted by a SELECT,
// or estimated by the server's planner (see pgforesee.go).
//
// Errors are *loci.ToolError values made to be read by a model. None has a password in
// it, and none repeats more than 200 characters of anything.
package database

import (
	"context"
	"fmt"
	"io"
	"time"

	"loci"
	"loci/internal/text"
)

const (
	readFor    = 10 * time.Second // a query may take this long
	changeFor  = 20 * time.Second // and a change, its counting included
	maxSQL     = 50_000           // bytes of a statement
	maxEcho    = 200              // bytes of input in an error
	maxTables  = 100              // tables that are described
	maxColumns = 200              // columns of each
	countedTo  = 100_000          // rows of a table are counted so far
)

// Database is a database that was opened for one call.
type Database interface {
	// Tables tells what there is.
	Tables(ctx context.Context) (Schema, error)
	// Query runs one statement that reads.
	Query(ctx context.Context, sql string, limit Limit) (Rows, error)
	// Change runs one statement that changes rows, in a transaction that is kept
	// only if keep says so with nil. keep's error is then Change's. Without keep it
	// tells what the statement would do, and does nothing.
	Change(ctx context.Context, sql string, keep func(Change) error) (Change, error)
	// Name is how a person calls the database: the path of a file, or the name of a
	// connection.
	Name() string
	Close() error
}

// Schema is what is in a database.
type Schema struct {
	Tables []Table
	More   int // tables beyond the first 100
}

// Table is a table or a view.
type Table struct {
	Name    string   `json:"name"`
	View    bool     `json:"view,omitempty"`
	Rows    int64    `json:"rows"`
	About   bool     `json:"about,omitempty"` // Rows is an estimate, or as far as was counted
	Columns []Column `json:"columns"`
}

// Column is a column of a table.
type Column struct {
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"`
	Key     bool   `json:"key,omitempty"` // part of the primary key
	NotNull bool   `json:"not_null,omitempty"`
	Refers  string `json:"refers_to,omitempty"` // table.column of a foreign key
}

// Change is what a statement did, or would do.
type Change struct {
	Rows    int64 // that the statement itself changed
	Tables  []Touched
	Samples []string // some of the rows as they were before
	About   bool     // Rows and Tables are what the server's planner expects
	Beyond  []string // tables and triggers that it may set off, uncounted
	// Basis identifies the database and the rows as they were before, as far as that
	// can be told: whoever agreed to one basis did not agree to another.
	Basis string
	// Verified says that the change was found when the database was read again.
	Verified bool
}

// Touched is what happened to one table, by triggers and foreign keys too.
type Touched struct {
	Table                      string
	Inserted, Updated, Deleted int64
	Of                         int64 // rows that it had before
}

// All tells whether nothing of what the table had stayed as it was.
func (t Touched) All() bool { return t.Of > 0 && t.Updated+t.Deleted >= t.Of }

// Connection is a named PostgreSQL database.
type Connection struct {
	URL      string // postgres://user:password@host/name; a secret
	Writable bool   // rows may be changed after a yes
}

// Format hides the address, which has a password in it, from every verb of fmt.
func (Connection) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[hidden]") }

// refuse makes an error that trying again does not mend.
func refuse(suggestion, format string, args ...any) *loci.ToolError {
	return &loci.ToolError{Message: fmt.Sprintf(format, args...), Suggestion: suggestion}
}

// quote shows a piece of input in an error.
func quote(s string) string { return fmt.Sprintf("%q", text.Clip(s, maxEcho/2)) }

// errReads is the error for a change where only reading is done.
func errReads(what string) error {
	return refuse("Call change_db with the same statement: the person is then asked, and sees how many rows it would change.",
		"This changes data (%s), and query_db only reads. Nothing was changed.", what)
}

// errStructure is the error for statements that change more than rows.
func errStructure(what string) error {
	e := refuse("Tell the person that tables are made, changed and dropped with a database program, not here. Rows can be changed with change_db.",
		"%s is refused: only rows can be changed here, never the structure or the settings of a database. Nothing was done.", what)
	e.ForPerson = "Use a database program for that."
	return e
}

// errNoChange is the error for a statement that changes nothing by its kind.
var errNoChange = refuse("Call query_db with it.", "This only reads. change_db is for INSERT, UPDATE and DELETE.")

// errParameters is the error for a statement whose values are missing.
var errParameters = refuse("Write the values into the statement.", "The statement has parameters, and there are no values for them. Nothing was done.")

// errSlow is the error for a statement that was stopped.
func errSlow(limit time.Duration) error {
	return &loci.ToolError{
		Message:    fmt.Sprintf("The statement took longer than %v and was stopped. Nothing was changed.", limit),
		Suggestion: "Ask for less: a WHERE on an indexed column, a LIMIT, or fewer joins.",
		ForPerson:  "Ask for less.",
	}
}
