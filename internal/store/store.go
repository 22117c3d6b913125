// Package store keeps everything that must survive a restart in one SQLite
// file: sessions, the nodes of their transcripts, their events, questions, the audit
// log, and what probing found out about models. It is the only package with SQL in it.
//
// One connection writes and a few read, so that readers never wait for a
// writer and writers never meet each other (write-ahead log; see
// https://www.sqlite.org/wal.html). A write is acknowledged when it is in the
// log: it then survives the end of the program, however sudden. A power cut may
// take back the last moments, except of what must never come back or get lost,
// such as a deletion: there the disk is waited for.
//
// Nodes and events are only ever added. They go with their session, by
// [DB.DeleteSession], and in no other way: triggers in the schema see to it. The
// audit log never goes; see [DB.StartAudit].
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver, under the name "sqlite"

	"loci"
	"loci/internal/text"
)

const (
	// readers is the most connections that read at once. More would cost
	// memory, a page cache each, and gain nothing: a query takes microseconds.
	readers = 4
	// busyTimeout is how long a write waits for another process to let go of
	// the file before the person is told to try again.
	busyTimeout = 5 * time.Second
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	path  string // absolute
	log   *slog.Logger
	clean bool  // no log was left over at Open
	write *pool // one connection
	read  *pool // read-only connections
	mover *checkpointer
	audit *ledger // nil until StartAudit
}

// Open opens the database at path, makes it where there is none, and brings
// its tables up to date. The file, and folders made for it, are for the user
// alone.
//
// Open takes no lock: one process at a time is for the caller to see to.
func Open(ctx context.Context, path string, log *slog.Logger) (*DB, error) {
	return open(ctx, path, log, engine{"sqlite", dsn, busyTimeout})
}

// engine is how a database is reached.
type engine struct {
	driver string // of package database/sql
	// dsn is the driver's name for a connection; mode is SQLite's, "rw" or "ro".
	dsn  func(path string, busy time.Duration, mode string) string
	busy time.Duration // how long a write waits for another process
}

// pool makes a pool of connections.
func (e engine) pool(path, mode string, size int) (*pool, error) {
	return newPool(e.driver, e.dsn(path, e.busy, mode), size)
}

// open is Open with another engine.
func open(ctx context.Context, path string, log *slog.Logger, e engine) (_ *DB, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	// This has to be looked at before the first connection recovers the log.
	db := &DB{path: path, log: log, clean: !fileHasBytes(path + "-wal")}
	defer func() {
		if err != nil {
			_ = db.closePools() // the first error tells more
		}
	}()
	// The writer comes first: the tables must be there when readers prepare
	// their queries, and read-only connections cannot make a log's index.
	if db.write, err = e.pool(path, "rw", 1); err != nil {
		return nil, db.explain(err)
	}
	if err := db.migrate(ctx); err != nil {
		return nil, err
	}
	if err := db.write.prepare(ctx, hotWrites); err != nil {
		return nil, db.explain(err)
	}
	if db.read, err = e.pool(path, "ro", readers); err != nil {
		return nil, db.explain(err)
	}
	if err := db.read.prepare(ctx, hotReads); err != nil {
		return nil, db.explain(err)
	}
	conn, err := e.pool(path, "rw", 1)
	if err != nil {
		return nil, db.explain(err)
	}
	db.mover = startCheckpointer(db, conn)
	if !db.clean {
		log.Warn("database was not closed the last time", "path", path)
	}
	return db, nil
}

// dsn is the engine's for the driver of this package.
func dsn(path string, busy time.Duration, mode string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/… on Windows
	}
	q := url.Values{
		"mode":          {mode},
		"_busy_timeout": {strconv.FormatInt(busy.Milliseconds(), 10)},
		"_defensive":    {"1"}, // no statement can damage the file
		"_dqs":          {"0"}, // "x" is a column, never a text
	}
	if mode == "rw" {
		// A transaction takes the lock when it begins: one that read first and
		// then found the file locked could not wait, only fail.
		q.Set("_txlock", "immediate")
		q.Set("_synchronous", "NORMAL")
		q.Set("_foreign_keys", "1")
		q.Add("_pragma", "secure_delete(1)") // what a person deletes is overwritten
		q.Add("_pragma", "wal_autocheckpoint("+checkpointLate+")")
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// makePrivate makes the file with mode 0600, which SQLite gives to the files
// beside it too, and tightens an existing one.
func makePrivate(path string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err == nil {
			err = errors.Join(f.Chmod(0o600), f.Close())
		}
	}
	switch {
	case err == nil:
		return nil
	case diskFull(err):
		return errFull(err)
	}
	reason := err
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		reason = e.Err
	}
	e := loci.Errorf(loci.Internal, "The database %s cannot be opened: %v.", text.Clip(path, maxEcho), reason)
	e.Err = err
	return e.WithHint("Make its folder writable for you, or choose another one with data_path.")
}

// fileHasBytes tells whether there is a file with something in it.
func fileHasBytes(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// useLog switches the write-ahead log on, which the file remembers. SQLite
// silently does not where a file system cannot share memory between processes.
func (db *DB) useLog(ctx context.Context) error {
	var mode string
	if err := db.write.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&mode); err != nil {
		return db.explain(err)
	}
	if mode != "wal" {
		return loci.Errorf(loci.Internal, "The folder of the database %s cannot hold a write-ahead log.", text.Clip(db.path, maxEcho)).
			WithHint("Network folders often cannot; choose one on a local disk with data_path.")
	}
	return nil
}

// Clean tells whether the database was closed properly the last time. When it
// was not, run [DB.Verify].
//
// SQLite removes its log when the last connection closes, so one that is still
// there at Open comes from a process that was killed, or a machine that was.
func (db *DB) Clean() bool { return db.clean }

// Ready tells whether the database can be read: an error says why not.
func (db *DB) Ready(ctx context.Context) error {
	var n int
	return db.explain(db.read.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n))
}

// Verify reads the whole database and reports damage. It takes seconds for a
// large one and does not hold up writers.
func (db *DB) Verify(ctx context.Context) error {
	var verdict string
	if err := db.read.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return db.explain(err)
	}
	if verdict != "ok" {
		return db.errDamaged(errors.New(verdict))
	}
	return nil
}

// Close moves the log into the database and closes it. Methods called later
// fail.
func (db *DB) Close() error {
	return db.explain(errors.Join(db.anchorLast(context.Background()), db.closePools()))
}

// closePools closes the writer last: the last connection to go moves the log
// into the database and removes it.
func (db *DB) closePools() error {
	errs := []error{db.mover.close()}
	for _, p := range []*pool{db.read, db.write} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}

// inTx runs f in a transaction that is on the disk's log, though perhaps not
// on the disk, when inTx returns nil. After an error nothing of it is stored.
//
// Once the writer's turn has come, the context no longer counts: a write takes
// microseconds, and breaking it off half-way would gain nothing.
func (db *DB) inTx(ctx context.Context, f func(*tx) error) error {
	return db.onWriter(ctx, func(ctx context.Context, c *sql.Conn) error {
		return db.runTx(ctx, c, f)
	})
}

// durably is inTx for what must not be taken back even by a power cut: it
// waits until the disk has it, some ten times longer.
func (db *DB) durably(ctx context.Context, f func(*tx) error) error {
	return db.onWriter(ctx, func(ctx context.Context, c *sql.Conn) error {
		if _, err := c.ExecContext(ctx, "PRAGMA synchronous=FULL"); err != nil {
			return db.explain(err)
		}
		recorded := false
		err := db.runTx(ctx, c, func(t *tx) error {
			err := f(t)
			recorded = t.head != nil
			return err
		})
		if err == nil && recorded {
			db.anchor()
		}
		_, back := c.ExecContext(ctx, "PRAGMA synchronous=NORMAL")
		return errors.Join(err, db.explain(back))
	})
}

// onWriter waits for the writing connection, the only one there is, and lends
// it to f.
func (db *DB) onWriter(ctx context.Context, f func(context.Context, *sql.Conn) error) error {
	c, err := db.write.Conn(ctx)
	if err != nil {
		return db.explain(err)
	}
	err = f(context.WithoutCancel(ctx), c)
	if closeErr := c.Close(); err == nil {
		err = db.explain(closeErr)
	}
	return err
}

// runTx runs f in a transaction. What COMMIT says is what the caller gets: a
// deferred check can fail there, and then every row is gone.
func (db *DB) runTx(ctx context.Context, c *sql.Conn, f func(*tx) error) error {
	t, err := c.BeginTx(ctx, nil)
	if err != nil {
		return db.explain(err)
	}
	defer t.Rollback() // does nothing after a commit
	x := &tx{ctx: ctx, db: db, sql: t}
	if err := f(x); err != nil {
		return err
	}
	if err := t.Commit(); err != nil {
		return db.explain(err)
	}
	if x.head != nil {
		db.audit.advance(*x.head)
	}
	db.mover.committed()
	return nil
}
