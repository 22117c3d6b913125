package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"loci"
)

// grantColumns are in the order in which scanGrant reads them.
const grantColumns = ` id, principal, session, approval, tool, subject, binding, span, given, expires, used`

const (
	grantHolds = ` revoked IS NULL AND (expires IS NULL OR expires > ?)`

	// The longest one counts: it is there when the others are over.
	grantFor = `SELECT` + grantColumns + ` FROM grant_given
		WHERE principal = ? AND binding = ? AND (session IS NULL OR session = ?) AND` + grantHolds + `
		ORDER BY session IS NOT NULL, expires IS NOT NULL, expires DESC LIMIT 1`

	// All of the principal's own, and of those whose names begin in some way.
	grantsOf = `SELECT` + grantColumns + ` FROM grant_given
		WHERE (principal = ?1 OR ?2 <> '' AND substr(principal, 1, length(?2)) = ?2)
		AND revoked IS NULL AND (expires IS NULL OR expires > ?3) ORDER BY rowid`

	putGrant = `INSERT INTO grant_given (id, principal, session, approval, tool, subject, binding, span, given, expires)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	revokeGrant = `UPDATE grant_given SET revoked = ?3
		WHERE principal = ?1 AND id = ?2 AND revoked IS NULL RETURNING` + grantColumns

	// Those of a key, and of the persons behind it: "0" is what comes after "/".
	revokeGrantsOf = `UPDATE grant_given SET revoked = ?2
		WHERE (principal = ?1 OR principal >= ?1 || '/' AND principal < ?1 || '0')
		AND revoked IS NULL AND (expires IS NULL OR expires > ?2) RETURNING` + grantColumns
)

// Grant finds a grant of the principal that holds in a session for what a binding
// identifies. It is a loci.NotFound error if there is none.
func (db *DB) Grant(ctx context.Context, principal, session, binding string) (loci.Grant, error) {
	return find(ctx, db, "grant", scanGrant, grantFor, principal, binding, session, time.Now().UnixMilli())
}

// Grants lists the principal's grants that hold, oldest first, and those of all whose
// names begin with others, if that is not empty.
func (db *DB) Grants(ctx context.Context, principal, others string) ([]loci.Grant, error) {
	return list(ctx, db, scanGrant, grantsOf, principal, others, time.Now().UnixMilli())
}

// RevokeGrant takes one of the principal's grants back. By is who does it in the
// principal's place; empty: nobody else.
func (db *DB) RevokeGrant(ctx context.Context, principal, id, by string) error {
	return db.durably(ctx, func(t *tx) error {
		now := loci.Now()
		g, err := scanGrant(t.sql.QueryRowContext(t.ctx, revokeGrant, principal, id, now.UnixMilli()).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return errNoRow("grant")
		}
		if err != nil {
			return db.explain(err)
		}
		g.By = by
		return t.recordGrant(g, loci.StateRevoked, now)
	})
}

// revokeGrantsOf takes back every grant that holds of a key's principal and of the
// persons behind the key.
func (t *tx) revokeGrantsOf(principal string, at loci.Time) error {
	rows, err := t.sql.QueryContext(t.ctx, revokeGrantsOf, principal, at.UnixMilli())
	if err != nil {
		return t.db.explain(err)
	}
	defer rows.Close()
	var gone []loci.Grant
	for rows.Next() {
		g, err := scanGrant(rows.Scan)
		if err != nil {
			return t.db.explain(err)
		}
		gone = append(gone, g)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return t.db.explain(err)
	}
	slices.SortFunc(gone, func(a, b loci.Grant) int { return strings.Compare(a.ID, b.ID) }) // which no UPDATE promises
	for _, g := range gone {
		if err := t.recordGrant(g, loci.StateRevoked, at); err != nil {
			return err
		}
	}
	return nil
}

// recordGrant writes down what became of a grant. The record names whose it is.
func (t *tx) recordGrant(g loci.Grant, state loci.AuditState, at loci.Time) error {
	return t.recordAbout(loci.AuditRecord{
		Time: at, Kind: loci.AuditGrant, Principal: g.Principal, Session: g.Session, Tool: g.Tool, Permit: g.ID, State: state,
	}, loci.AuditedGrant{Subject: g.Subject, Span: g.Span, Approval: g.Approval, By: g.By})
}

// putGrants remembers the yeses of a batch.
func (t *tx) putGrants(principal string, grants []loci.Grant) error {
	for _, g := range grants {
		var session, expires any
		if g.Session != "" {
			session = g.Session
		}
		if g.Expires != nil {
			expires = g.Expires.UnixMilli()
		}
		_, err := t.exec(putGrant, g.ID, principal, session, g.Approval, g.Tool, g.Subject, g.Binding, string(g.Span), g.Given.UnixMilli(), expires)
		if err == nil {
			g.Principal = principal
			err = t.recordGrant(g, loci.StateGiven, g.Given)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scanGrant reads the grantColumns of a row.
func scanGrant(scan scanner) (loci.Grant, error) {
	var g loci.Grant
	var session sql.NullString
	var given int64
	var expires sql.NullInt64
	err := scan(&g.ID, &g.Principal, &session, &g.Approval, &g.Tool, &g.Subject, &g.Binding, &g.Span, &given, &expires, &g.Used)
	g.Session, g.Given = session.String, fromMillis(given)
	if expires.Valid {
		end := fromMillis(expires.Int64)
		g.Expires = &end
	}
	return g, err
}
