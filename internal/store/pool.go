package store

import (
	"context"
	"database/sql"

	"loci/internal/audit"
)

// The queries of every turn are prepared when the database is opened. The
// others are rare enough to be parsed anew each time.
var (
	hotWrites = []string{putSession, touchSession, putNode, putEvent, putDraft, turnRuns, turnEnds, putAudit, openIntent, endIntent}
	hotReads  = []string{sessionByID, sessionByThread, nodeByID, nodesByHash, nodesByText, pathToNode, eventsAfter, profileOf}
)

// pool is a set of connections with prepared statements.
type pool struct {
	*sql.DB
	prepared map[string]*sql.Stmt // by query text; fixed once the database is open
}

// newPool makes a pool of at most size connections. It opens none yet.
func newPool(driver, dsn string, size int) (*pool, error) {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size) // a new connection costs more than a query
	return &pool{DB: db}, nil
}

// prepare parses the queries once. A writer's must be prepared before its
// first transaction: that has the only connection, and preparing needs one.
func (p *pool) prepare(ctx context.Context, queries []string) error {
	p.prepared = make(map[string]*sql.Stmt, len(queries))
	for _, q := range queries {
		s, err := p.PrepareContext(ctx, q)
		if err != nil {
			return err
		}
		p.prepared[q] = s
	}
	return nil
}

// scanner is the Scan method of a row.
type scanner func(dest ...any) error

// list runs a query on a reader and turns each row into a T. It reads to the
// end, because a cursor left open would hold up the next checkpoint.
func list[T any](ctx context.Context, db *DB, scan func(scanner) (T, error), query string, args ...any) (_ []T, err error) {
	var rows *sql.Rows
	if s := db.read.prepared[query]; s != nil {
		rows, err = s.QueryContext(ctx, args...)
	} else {
		rows, err = db.read.QueryContext(ctx, query, args...)
	}
	if err != nil {
		return nil, db.explain(err)
	}
	defer rows.Close()
	var found []T
	for rows.Next() {
		v, err := scan(rows.Scan)
		if err != nil {
			return nil, db.explain(err)
		}
		found = append(found, v)
	}
	return found, db.explain(rows.Err())
}

// find is list for a query of at most one row; what names the thing in the
// error when there is none.
func find[T any](ctx context.Context, db *DB, what string, scan func(scanner) (T, error), query string, args ...any) (v T, err error) {
	found, err := list(ctx, db, scan, query, args...)
	switch {
	case err != nil:
		return v, err
	case len(found) == 0:
		return v, errNoRow(what)
	}
	return found[0], nil
}

// tx is a running write transaction.
type tx struct {
	ctx  context.Context // not cancelled; see DB.inTx
	db   *DB
	sql  *sql.Tx
	head *audit.Head // end of the audit log with this transaction's records; nil: it has none
}

// exec runs a statement and tells how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	var res sql.Result
	var err error
	if s := t.db.write.prepared[query]; s != nil {
		res, err = t.sql.StmtContext(t.ctx, s).ExecContext(t.ctx, args...)
	} else {
		res, err = t.sql.ExecContext(t.ctx, query, args...)
	}
	if err != nil {
		return 0, t.db.explain(err)
	}
	n, err := res.RowsAffected()
	return n, t.db.explain(err)
}

// row runs a prepared statement that returns at most one row.
func (t *tx) row(query string, args ...any) *sql.Row {
	return t.sql.StmtContext(t.ctx, t.db.write.prepared[query]).QueryRowContext(t.ctx, args...)
}
