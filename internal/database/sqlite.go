package database

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"loci"
	"loci/internal/text"
)

// file is a SQLite database in a file that the sandbox opened.
type file struct {
	*os.File
	*place
	shown string
	wal   bool // it has a write-ahead log
}

// OpenFile opens the SQLite database in a file. The file must stay open until the
// database is closed, and shown is how the person calls it.
func OpenFile(f *os.File, shown string) (Database, error) {
	head := make([]byte, 20)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the head of a database: %w", err)
	}
	// https://www.sqlite.org/fileformat.html#the_database_header
	if n > 0 && !strings.HasPrefix(string(head), "SQLite format 3\x00") {
		return nil, refuse("Use list_dir to find the database; its name often ends in .db, .sqlite or .sqlite3.",
			"%s is not a SQLite database.", quote(shown))
	}
	p, err := placeOf(f)
	if err != nil {
		return nil, errMoved(shown, err)
	}
	return &file{File: f, place: p, shown: shown, wal: head[18] == 2}, nil
}

// Name is the path as the person wrote it.
func (f *file) Name() string { return f.shown }

// Close gives back what was opened beside the file.
func (f *file) Close() error { return f.place.Close() }

// errMoved is the error for a file that is not where it was.
func errMoved(shown string, cause error) error {
	return &loci.Error{Code: loci.Conflict, Message: quote(shown) + " was moved or replaced just now.", Hint: "Try again.", Err: cause}
}

// session is a connection with a guard.
type session struct {
	*sql.Conn
	*guard
}

// connect opens a connection, uses it and closes it. Mode is SQLite's: ro, rw, or
// immutable.
func (f *file) connect(ctx context.Context, mode string, use func(s session) error) (err error) {
	if err := f.check(); err != nil {
		return errMoved(f.shown, err)
	}
	connector, err := sqlite.NewConnector(f.dsn(mode))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return f.explain(ctx, err)
	}
	defer conn.Close() // to the pool, which is closed next
	if err := f.check(); err != nil {
		return errMoved(f.shown, err)
	}
	s := session{conn, &guard{change: mode == "rw", own: true}}
	for limit, n := range limits {
		if _, err := sqlite.Limit(conn, limit, n); err != nil {
			return err
		}
	}
	err = conn.Raw(func(c any) error {
		return c.(sqlite.AuthorizerRegisterer).RegisterAuthorizer(s.decide)
	})
	if err != nil {
		return err
	}
	return f.explain(ctx, use(s))
}

// limits are SQLite's (https://www.sqlite.org/c3ref/c_limit_attached.html): enough for
// the questions of a person, too little to hurt.
var limits = map[int]int{
	sqlite3.SQLITE_LIMIT_ATTACHED:            0,
	sqlite3.SQLITE_LIMIT_LENGTH:              16 << 20, // bytes of a text or of a row
	sqlite3.SQLITE_LIMIT_SQL_LENGTH:          2 * maxSQL,
	sqlite3.SQLITE_LIMIT_COMPOUND_SELECT:     100,
	sqlite3.SQLITE_LIMIT_EXPR_DEPTH:          200,
	sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH:       20,
	sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
	sqlite3.SQLITE_LIMIT_WORKER_THREADS:      0,
}

// dsn is the driver's name for a connection.
func (f *file) dsn(mode string) string {
	path := filepath.ToSlash(f.place.name)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/… on Windows
	}
	q := url.Values{
		"mode": {mode}, "_busy_timeout": {"3000"},
		"_defensive": {"1"}, // nothing can damage the file
		"_dqs":       {"0"}, // "x" is a column, never a text
		"_pragma":    {"trusted_schema(0)", "cell_size_check(1)", "mmap_size(0)"},
	}
	switch mode {
	case "immutable":
		q.Set("mode", "ro")
		q.Set("immutable", "1")
		fallthrough
	case "ro":
		q.Set("_query_only", "1")
	default:
		q.Set("_txlock", "immediate")
		q.Set("_foreign_keys", "1")
	}
	if vfsName != "" {
		q.Set("vfs", vfsName)
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// reading uses a connection that cannot write, and makes no files either: a database
// with a log needs two more beside it, which SQLite would make. Where nobody has it
// open they are missing, and the file alone is read, as one that does not change; if it
// did all the same, it is read once more in the ordinary way.
func (f *file) reading(ctx context.Context, use func(s session) error) error {
	if !f.wal || f.hasLog() {
		return f.connect(ctx, "ro", use)
	}
	before, err := f.Stat()
	if err != nil {
		return err
	}
	err = f.connect(ctx, "immutable", use)
	after, failed := f.Stat()
	if failed != nil || f.hasLog() || !after.ModTime().Equal(before.ModTime()) || after.Size() != before.Size() {
		return f.connect(ctx, "ro", use)
	}
	return err
}

// hasLog tells whether somebody works with the log of the database, or left something
// in it.
func (f *file) hasLog() bool {
	log, err := os.Stat(f.place.name + "-wal")
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	_, err = os.Stat(f.place.name + "-shm")
	return log.Size() > 0 || err == nil
}

// explain puts SQLite's errors in words for a model.
func (f *file) explain(ctx context.Context, err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return &loci.ToolError{
			Message: quote(f.shown) + " is in use by another program just now.", CanRetry: true,
			Suggestion: "Try again in a moment.", ForPerson: "Try again in a moment, or close the program that has it open.",
		}
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return refuse("Tell the person; a file beside it that begins with the same name may be in the way.",
			"%s cannot be opened as a database.", quote(f.shown))
	case sqlite3.SQLITE_READONLY:
		return refuse("Tell the person that the program that made it should open it once.",
			"%s was not closed properly, or may not be written; nothing was changed.", quote(f.shown))
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return refuse("Tell the person that the file is damaged or encrypted.", "%s is damaged, encrypted, or no SQLite database.", quote(f.shown))
	case sqlite3.SQLITE_INTERRUPT:
		return cmp.Or(ctx.Err(), err)
	}
	return refuse(suggestion(e.Error()), "SQLite says: %s", text.Clip(tidy(e.Error()), maxEcho))
}

// tidy takes the driver's decoration from SQLite's words.
func tidy(s string) string {
	s = strings.TrimPrefix(s, "SQL logic error: ")
	if i := strings.LastIndex(s, " ("); i > 0 {
		s = s[:i]
	}
	return s
}

// suggestion tells what to do about a mistake in a statement.
func suggestion(message string) string {
	switch {
	case strings.Contains(message, "no such"), strings.Contains(message, "does not exist"):
		return "Call query_db without query to see the tables and columns. Texts stand in single quotes."
	case strings.Contains(message, "constraint"):
		return "Nothing was changed. Look at the rows that are there before trying something else."
	}
	return "Correct the statement. Call query_db without query to see the tables and columns."
}
