package store

import (
	"context"
	"encoding/json"
	"errors"

	"loci"
)

const (
	validKeys = `SELECT id, name, hash, rights, principal, created, used FROM key
		WHERE revoked IS NULL ORDER BY rowid`
	putKey = `INSERT INTO key (id, name, hash, rights, principal, created)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM key WHERE name = ?2 AND revoked IS NULL)`
	revokeKey = `UPDATE key SET revoked = ? WHERE id = ? AND revoked IS NULL`
	useKey    = `UPDATE key SET used = ? WHERE id = ? AND revoked IS NULL`
)

// Keys lists the keys that are valid, oldest first.
func (db *DB) Keys(ctx context.Context) ([]loci.Key, error) {
	return list(ctx, db, scanKey, validKeys)
}

// AddKey stores a new key, in the place of another one where old is its id. It is
// a loci.Conflict error if another valid one has the name.
func (db *DB) AddKey(ctx context.Context, k loci.Key, old string) error {
	rights, err := json.Marshal(k.Rights)
	if err != nil {
		return err
	}
	return db.durably(ctx, func(t *tx) error {
		if old != "" {
			if err := t.revokeKey(old, k.Created); err != nil {
				return err
			}
		}
		n, err := t.exec(putKey, k.ID, k.Name, k.Hash[:], string(rights), k.Principal, k.Created.UnixMilli())
		if err == nil && n == 0 {
			err = loci.Errorf(loci.Conflict, "There is a key named %.40q already.", k.Name).
				WithHint("Choose another name, or revoke that one first.")
		}
		return err
	})
}

// RevokeKey makes a key invalid for good.
func (db *DB) RevokeKey(ctx context.Context, id string, at loci.Time) error {
	return db.durably(ctx, func(t *tx) error { return t.revokeKey(id, at) })
}

func (t *tx) revokeKey(id string, at loci.Time) error {
	n, err := t.exec(revokeKey, at.UnixMilli(), id)
	if err == nil && n == 0 {
		err = errNoRow("key")
	}
	return err
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
