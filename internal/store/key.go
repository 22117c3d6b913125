package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"loci"
)

const (
	validKeys = `SELECT id, name, hash, rights, principal, created, used FROM key
		WHERE revoked IS NULL ORDER BY rowid`
	putKey = `INSERT INTO key (id, name, hash, rights, principal, created)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM key WHERE name = ?2 AND revoked IS NULL)`
	revokeKey = `UPDATE key SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL
		RETURNING id, name, hash, rights, principal, created, used`
	useKey = `UPDATE key SET used = ? WHERE id = ? AND revoked IS NULL`
)

// Keys lists the keys that are valid, oldest first.
func (db *DB) Keys(ctx context.Context) ([]loci.Key, error) {
	return list(ctx, db, scanKey, validKeys)
}

// AddKey stores a new key, in the place of another one where old is its id: what was
// allowed to that one lastingly then stays so. By is the principal who asked for it. It
// is a loci.Conflict error if another valid one has the name.
func (db *DB) AddKey(ctx context.Context, by string, k loci.Key, old string) error {
	rights, err := json.Marshal(k.Rights)
	if err != nil {
		return err
	}
	return db.durably(ctx, func(t *tx) error {
		state := loci.StateMade
		if old != "" {
			state = loci.StateReplaced
			if _, err := t.revokeKey(old, k.Created); err != nil {
				return err
			}
		}
		n, err := t.exec(putKey, k.ID, k.Name, k.Hash[:], string(rights), k.Principal, k.Created.UnixMilli())
		if err == nil && n == 0 {
			err = loci.Errorf(loci.Conflict, "There is a key named %.40q already.", k.Name).
				WithHint("Choose another name, or revoke that one first.")
		}
		if err != nil {
			return err
		}
		return t.recordKey(by, k, state, "")
	})
}

// RevokeKey makes a key invalid for good, and takes back what was allowed lastingly to
// it and to the persons behind it: another key of that name is another client's. By is
// the principal who asked for it.
func (db *DB) RevokeKey(ctx context.Context, by, id string, at loci.Time) error {
	return db.durably(ctx, func(t *tx) error {
		k, err := t.revokeKey(id, at)
		if err != nil {
			return err
		}
		if err := t.recordKey(by, k, loci.StateRevoked, ""); err != nil {
			return err
		}
		return t.revokeGrantsOf(k.Principal, at)
	})
}

func (t *tx) revokeKey(id string, at loci.Time) (loci.Key, error) {
	k, err := scanKey(t.sql.QueryRowContext(t.ctx, revokeKey, id, at.UnixMilli()).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return k, errNoRow("key")
	}
	return k, t.db.explain(err)
}

// NoteKey writes down what a principal does to a key that is not in the database, and
// why it failed where it did.
func (db *DB) NoteKey(ctx context.Context, by string, k loci.Key, state loci.AuditState, why string) error {
	return db.durably(ctx, func(t *tx) error { return t.recordKey(by, k, state, why) })
}

func (t *tx) recordKey(by string, k loci.Key, state loci.AuditState, why string) error {
	return t.recordAbout(loci.AuditRecord{Kind: loci.AuditKey, Principal: by, Permit: k.ID, State: state, Result: why}, loci.AuditedKey{Name: k.Name, Rights: k.Rights})
}

// UseKey notes when a key last opened a door.
func (db *DB) UseKey(ctx context.Context, id string, at loci.Time) error {
	return db.inTx(ctx, func(t *tx) error {
		_, err := t.exec(useKey, at.UnixMilli(), id)
		return err
	})
}

func scanKey(scan scanner) (k loci.Key, err error) {
	var hash, rights []byte
	var created int64
	var used *int64
	if err := scan(&k.ID, &k.Name, &hash, &rights, &k.Principal, &created, &used); err != nil {
		return k, err
	}
	if copy(k.Hash[:], hash) != len(k.Hash) {
		return k, errors.New("store: a key has a hash of another length")
	}
	k.Created = fromMillis(created)
	if used != nil {
		at := fromMillis(*used)
		k.Used = &at
	}
	return k, json.Unmarshal(rights, &k.Rights)
}
