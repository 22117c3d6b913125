package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"loci"
	"loci/internal/text"
)

// maxEcho is how much of a text from outside an error repeats, in bytes.
const maxEcho = 200

// explain turns an error of the driver into one fit to be shown, where there
// is something a person can do about it. What loci said already passes through.
func (db *DB) explain(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*loci.Error](err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff { // the rest is detail; see https://www.sqlite.org/rescode.html
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return db.errBusy(err)
		case sqlite3.SQLITE_FULL:
			return errFull(err)
		case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
			return db.errDamaged(err)
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
			return db.errPermission(err)
		}
		if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE { // the index of the log could not grow
			return errFull(err)
		}
	}
	return fmt.Errorf("store: %w", err)
}

// errBusy is for a lock that was held longer than the busy timeout.
func (db *DB) errBusy(cause error) error {
	return &loci.Error{
		Code:    loci.Overloaded,
		Message: fmt.Sprintf("Another program holds the database %s.", text.Clip(db.path, maxEcho)),
		Hint:    "Try again in a moment; if it stays like this, close the program that has the file open.",
		Err:     cause,
	}
}

// errFull is for a disk without room. SQLite has rolled the transaction back.
func errFull(cause error) error {
	return &loci.Error{
		Code:    loci.Internal,
		Message: "The disk is full, so nothing could be saved.",
		Hint:    "Free some space and try again; a restart is not needed.",
		Err:     cause,
	}
}

// errDamaged is for a file that is not a database, or no longer a whole one.
func (db *DB) errDamaged(cause error) error {
	return &loci.Error{
		Code:    loci.Internal,
		Message: fmt.Sprintf("The database %s is damaged or not a database.", text.Clip(db.path, maxEcho)),
		Hint:    "Put a backup in its place, or move the file aside and start again: a new one is made.",
		Err:     cause,
	}
}

// errPermission is for a file or folder that the user may not write.
func (db *DB) errPermission(cause error) error {
	return &loci.Error{
		Code:    loci.Internal,
		Message: fmt.Sprintf("The database %s cannot be written.", text.Clip(db.path, maxEcho)),
		Hint:    "Make the file and its folder writable for you, or choose another one with data_path.",
		Err:     cause,
	}
}

// errNoRow is the answer for an id or a name that is not there.
func errNoRow(what string) error {
	return &loci.Error{Code: loci.NotFound, Message: "There is no such " + what + ".", Err: sql.ErrNoRows}
}

func diskFull(err error) bool { return errors.Is(err, syscall.ENOSPC) }
