package store

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"loci"
)

// sessionColumns are in the order in which scanSession reads them.
const sessionColumns = `
	id, principal, thread, model, title, tier, markup, system, client_system,
	tools, client_tools, layout, sent, folders, working, taint, base, digested, head, created, updated`

const (
	sessionByID = `SELECT` + sessionColumns + ` FROM session WHERE id = ? AND principal = ?`

	sessionByThread = `SELECT` + sessionColumns + ` FROM session
		WHERE principal = ? AND thread = ? AND thread <> ''
		ORDER BY created DESC, id DESC LIMIT 1`

	// The last moment of a page is taken whole: sessions that share it would
	// otherwise fall between two pages.
	sessionPage = `SELECT` + sessionColumns + ` FROM session
		WHERE principal = ?1 AND updated < ?2 AND updated >= (
			SELECT min(updated) FROM (
				SELECT updated FROM session WHERE principal = ?1 AND updated < ?2
				ORDER BY updated DESC LIMIT ?3))
		ORDER BY updated DESC, id DESC`

	titleSession  = `UPDATE session SET title = ? WHERE id = ? AND principal = ?`
	deleteSession = `DELETE FROM session WHERE id = ? AND principal = ?`
)

// Session finds one of the principal's sessions by its id.
func (db *DB) Session(ctx context.Context, principal, id string) (loci.Session, error) {
	return find(ctx, db, "session", scanSession, sessionByID, id, principal)
}

// SessionByThread finds the principal's newest session that belongs to a
// client's own conversation id.
func (db *DB) SessionByThread(ctx context.Context, principal, thread string) (loci.Session, error) {
	return find(ctx, db, "session", scanSession, sessionByThread, principal, thread)
}

// Sessions lists the principal's sessions that were last used before a moment,
// or all when it is zero, most recent first. A page can be longer than limit,
// by sessions of the very same millisecond; the next one starts before the
// Updated of its last entry.
func (db *DB) Sessions(ctx context.Context, principal string, before loci.Time, limit int) ([]loci.Session, error) {
	moment := int64(math.MaxInt64)
	if !before.IsZero() {
		moment = before.UnixMilli()
	}
	return list(ctx, db, scanSession, sessionPage, principal, moment, limit)
}

// RenameSession gives one of the principal's sessions a title.
func (db *DB) RenameSession(ctx context.Context, principal, id, title string) error {
	return db.inTx(ctx, func(t *tx) error {
		n, err := t.exec(titleSession, title, id, principal)
		if err == nil && n == 0 {
			err = errNoRow("session")
		}
		return err
	})
}

// DeleteSession removes one of the principal's sessions with its nodes and
// events, and overwrites them in the file. What the audit log has of it stays, and
// says that it was deleted. It returns when the disk has done
// so: what a person deleted does not come back.
func (db *DB) DeleteSession(ctx context.Context, principal, id string) error {
	err := db.durably(ctx, func(t *tx) error {
		n, err := t.exec(deleteSession, id, principal)
		if err == nil && n == 0 {
			err = errNoRow("session")
		}
		if err == nil {
			_, err = t.record(loci.AuditRecord{Kind: loci.AuditSession, Principal: principal, Session: id, State: loci.StateDeleted})
		}
		return err
	})
	if err != nil {
		return err
	}
	// The log still has the old pages. Where this fails, Close empties it.
	var busy, pages, moved int
	err = db.write.QueryRowContext(context.WithoutCancel(ctx), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
	if err != nil || busy != 0 {
		db.log.Warn("database log not emptied after a deletion", "busy", busy != 0, "error", err)
	}
	return nil
}

// scanSession reads the sessionColumns of a row.
func scanSession(scan scanner) (loci.Session, error) {
	var s loci.Session
	var tools, clientTools, layout, sent, folders, taint []byte
	var created, updated int64
	err := scan(&s.ID, &s.Principal, &s.Thread, &s.Model, &s.Title, &s.Tier, &s.Markup, &s.System, &s.ClientSystem,
		&tools, &clientTools, &layout, &sent, &folders, &s.Working, &taint, &s.Base, &s.Digested, &s.Head, &created, &updated)
	if err != nil {
		return s, err
	}
	s.Created, s.Updated = fromMillis(created), fromMillis(updated)
	if s.Tools, err = decodeTools(tools); err != nil {
		return s, err
	}
	if s.ClientTools, err = decodeTools(clientTools); err != nil {
		return s, err
	}
	return s, errors.Join(json.Unmarshal(layout, &s.Layout), json.Unmarshal(sent, &s.Sent),
		json.Unmarshal(folders, &s.Folders), json.Unmarshal(taint, &s.Taint))
}

// storedTool is a tool as it is stored. Its schema is a string here for the
// reason that the arguments of a [sentCall] are: every byte is part of the prompt.
type storedTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Parameters  string `json:"parameters,omitempty"`
}

// UnmarshalJSON also reads a bare name, which is all that older versions stored.
func (t *storedTool) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &t.Name)
	}
	type plain storedTool
	return json.Unmarshal(data, (*plain)(t))
}

func encodeTools(tools []loci.ToolSpec) (string, error) {
	stored := make([]storedTool, len(tools))
	for i, t := range tools {
		stored[i] = storedTool{t.Name, t.Description, string(t.Parameters)}
	}
	b, err := json.Marshal(stored)
	return string(b), err
}

func decodeTools(data []byte) ([]loci.ToolSpec, error) {
	var stored []storedTool
	if err := json.Unmarshal(data, &stored); err != nil || len(stored) == 0 {
		return nil, err
	}
	tools := make([]loci.ToolSpec, len(stored))
	for i, t := range stored {
		tools[i] = loci.ToolSpec{Name: t.Name, Description: t.Description}
		if t.Parameters != "" {
			tools[i].Parameters = json.RawMessage(t.Parameters)
		}
	}
	return tools, nil
}

// fromMillis reads a time column. Milliseconds are what times have on the wire.
func fromMillis(ms int64) loci.Time { return loci.Time{Time: time.UnixMilli(ms).UTC()} }
