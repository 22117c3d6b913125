package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"loci"
)

const (
	// A title is only filled in: a turn that runs while the person renames
	// the session must not undo it. Principal and created never change.
	putSession = `
		INSERT INTO session (` + sessionColumns + `, last_seq)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET
			thread        = excluded.thread,
			model         = excluded.model,
			title         = CASE title WHEN '' THEN excluded.title ELSE title END,
			tier          = excluded.tier,
			markup        = excluded.markup,
			system        = excluded.system,
			client_system = excluded.client_system,
			tools         = excluded.tools,
			client_tools  = excluded.client_tools,
			layout        = excluded.layout,
			sent          = excluded.sent,
			folders       = excluded.folders,
			working       = excluded.working,
			taint         = excluded.taint,
			base          = excluded.base,
			digested      = excluded.digested,
			head          = excluded.head,
			updated       = max(updated, excluded.updated),
			last_seq      = last_seq + excluded.last_seq
		WHERE principal = excluded.principal
		RETURNING principal, last_seq`

	// Without a session in the batch, only what every batch moves is moved.
	touchSession = `
		UPDATE session SET
			head     = CASE ?2 WHEN '' THEN head ELSE ?2 END,
			updated  = max(updated, ?3),
			last_seq = last_seq + ?4
		WHERE id = ?1
		RETURNING principal, last_seq`
)

// Save stores a batch in one transaction: the session, then its nodes, the last of
// which becomes its Head, what it says of the questions of that session, its
// events with the next numbers, and its records for the audit log. Questions do not
// change without an event, nor without a record, which Save adds itself. When it
// returns nil, the batch itself has been given the Head and
// the numbers; when it returns an error, neither the batch nor the database has
// changed.
//
// A session that another principal owns is reported as not found.
func (db *DB) Save(ctx context.Context, b loci.Batch) error {
	id, err := sessionOf(b)
	if err != nil || id == "" && len(b.Audit) == 0 {
		return err
	}
	var last int64
	in := db.inTx
	if changesQuestions(b) || len(b.Audit) > 0 { // a power cut must not take an answer back
		in = db.durably
	}
	err = in(ctx, func(t *tx) (err error) {
		if id != "" {
			last, err = t.save(id, b)
		}
		for i := 0; i < len(b.Audit) && err == nil; i++ {
			_, err = t.record(b.Audit[i])
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, e := range b.Events {
		e.Seq = last - int64(len(b.Events)-1-i)
	}
	if head := newHead(b); b.Session != nil && head != "" {
		b.Session.Head = head
	}
	return nil
}

// changesQuestions tells whether a batch says something of the session's questions.
func changesQuestions(b loci.Batch) bool {
	return b.Settle != nil || b.Waiting != nil || b.Resume != "" || b.Grants != nil
}

// sessionOf gives the one session that a batch is about, "" for an empty batch.
func sessionOf(b loci.Batch) (id string, err error) {
	add := func(s string) {
		if id == "" {
			id = s
		}
		if s != id || s == "" {
			err = fmt.Errorf("store: a batch has parts of the sessions %q and %q", id, s)
		}
	}
	if b.Session != nil {
		add(b.Session.ID)
	}
	for i := range b.Nodes {
		add(b.Nodes[i].Session)
	}
	if b.Waiting != nil {
		add(b.Waiting.Session)
	}
	if changesQuestions(b) && len(b.Events) == 0 {
		err = errors.New("store: questions change, and no event tells of it")
	}
	for _, e := range b.Events {
		add(e.Session)
		if e.Type == loci.EventDelta {
			err = errors.New("store: a delta is not stored")
		}
	}
	return id, err
}

// newHead is the Head of the session after the batch, "" for an unchanged one.
func newHead(b loci.Batch) string {
	if n := len(b.Nodes); n > 0 {
		return b.Nodes[n-1].ID
	}
	if b.Session != nil {
		return b.Session.Head
	}
	return ""
}

// save runs the statements of a batch, and returns the number of the session's
// last event. The session comes first: its row hands out the numbers, and has
// the principal that its nodes are indexed by.
func (t *tx) save(id string, b loci.Batch) (last int64, err error) {
	var principal string
	if b.Session != nil {
		principal, last, err = t.putSession(b)
	} else {
		err = t.row(touchSession, id, newHead(b), newest(b), len(b.Events)).Scan(&principal, &last)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return 0, errNoRow("session")
	}
	if err != nil {
		return 0, t.db.explain(err)
	}
	for i := range b.Nodes {
		if err := t.putNode(&b.Nodes[i], principal); err != nil {
			return 0, err
		}
	}
	if err := t.settle(id, principal, b.Settle); err != nil {
		return 0, err
	}
	if err := t.putGrants(principal, b.Grants); err != nil {
		return 0, err
	}
	if b.Resume != "" { // before its end is stored, perhaps in the same batch
		if err := t.resume(id, b.Resume); err != nil {
			return 0, err
		}
	}
	seq := last - int64(len(b.Events))
	for _, e := range b.Events {
		seq++
		if err := t.putEvent(e, seq); err != nil {
			return 0, err
		}
	}
	if b.Waiting != nil { // by now its turn has begun
		err = t.putWaiting(b.Waiting, principal)
	}
	return last, err
}

// putSession inserts or updates the batch's session.
func (t *tx) putSession(b loci.Batch) (principal string, last int64, err error) {
	s := b.Session
	tools, err := encodeTools(s.Tools)
	if err != nil {
		return "", 0, err
	}
	clientTools, err := encodeTools(s.ClientTools)
	if err != nil {
		return "", 0, err
	}
	var columns [4]string
	for i, v := range []any{s.Layout, s.Sent, s.Folders, s.Taint} {
		text, err := json.Marshal(v)
		if err != nil {
			return "", 0, err
		}
		columns[i] = string(text)
	}
	layout, sent, folders, taint := columns[0], columns[1], columns[2], columns[3]
	err = t.row(putSession, s.ID, s.Principal, s.Thread, s.Model, s.Title, string(s.Tier), string(s.Markup), s.System, s.ClientSystem,
		tools, clientTools, layout, sent, folders, s.Working, taint, s.Base, s.Digested, newHead(b), s.Created.UnixMilli(), newest(b), len(b.Events),
	).Scan(&principal, &last)
	return principal, last, err
}

// newest is the latest moment in a batch, in Unix milliseconds.
func newest(b loci.Batch) int64 {
	var ms int64
	if b.Session != nil {
		ms = b.Session.Updated.UnixMilli()
	}
	for i := range b.Nodes {
		ms = max(ms, b.Nodes[i].Created.UnixMilli())
	}
	for _, e := range b.Events {
		ms = max(ms, e.Time.UnixMilli())
	}
	return ms
}
