package store

import (
	"context"
	"encoding/json"

	"loci"
)

const (
	profileOf  = `SELECT data FROM profile WHERE server = ? AND model = ?`
	putProfile = `
		INSERT INTO profile (server, model, data) VALUES (?, ?, ?)
		ON CONFLICT (server, model) DO UPDATE SET data = excluded.data`
)

// LoadProfile gives what was found out about a model on a server, and false
// where nothing was yet. When the Digest is another one now, it is out of date.
func (db *DB) LoadProfile(ctx context.Context, server, model string) (loci.Profile, bool, error) {
	found, err := list(ctx, db, scanProfile, profileOf, server, model)
	if err != nil || len(found) == 0 {
		return loci.Profile{}, false, err
	}
	return found[0], true, nil
}

// SaveProfile stores a profile in place of an older one of the same model.
func (db *DB) SaveProfile(ctx context.Context, p loci.Profile) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(t *tx) error {
		_, err := t.exec(putProfile, p.Server, p.Model, string(data))
		return err
	})
}

// scanProfile reads the one column of profileOf.
func scanProfile(scan scanner) (p loci.Profile, err error) {
	var data []byte
	if err := scan(&data); err != nil {
		return p, err
	}
	return p, json.Unmarshal(data, &p)
}
