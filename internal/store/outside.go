package store

import (
	"context"

	"loci"
)

const (
	allOrigins = `SELECT path, source, whole, principal, session, time FROM outside`
	putOrigin  = `INSERT INTO outside (path, source, whole, principal, session, time) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (path) DO UPDATE SET source = excluded.source, whole = excluded.whole,
			principal = excluded.principal, session = excluded.session, time = excluded.time`
	dropOrigin = `DELETE FROM outside WHERE path = ?`
)

// Origins lists what has come from outside.
func (db *DB) Origins(ctx context.Context) ([]loci.Origin, error) {
	return list(ctx, db, scanOrigin, allOrigins)
}

// ChangeOrigins drops those of some paths, and then puts others, all or none. When it
// returns, the disk has them: a file must not be there without its origin.
func (db *DB) ChangeOrigins(ctx context.Context, drop []string, put []loci.Origin) error {
	return db.durably(ctx, func(t *tx) error {
		for _, path := range drop {
			if _, err := t.exec(dropOrigin, path); err != nil {
				return err
			}
		}
		for _, o := range put {
			if _, err := t.exec(putOrigin, o.Path, o.Source, o.Whole, o.Principal, o.Session, o.Time.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

func scanOrigin(scan scanner) (o loci.Origin, err error) {
	var at int64
	err = scan(&o.Path, &o.Source, &o.Whole, &o.Principal, &o.Session, &at)
	o.Time = fromMillis(at)
	return o, err
}
