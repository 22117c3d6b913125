package store

import (
	"context"
	"encoding/json"

	"loci"
)

// eventColumns are in the order in which scanEvent reads them.
const eventColumns = ` event.v, event.seq, event.session, event.turn, event.time, event.type, event.data`

const (
	eventsAfter = `SELECT` + eventColumns + ` FROM event
		WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?`

	unfinished = `
		SELECT session.principal, session, turn, text, reasoning
		FROM running JOIN session ON session.id = running.session
		WHERE NOT EXISTS (SELECT 1 FROM waiting WHERE waiting.session = running.session AND waiting.turn = running.turn)
		ORDER BY session, seq`
	putDraft = `UPDATE running SET text = ?, reasoning = ? WHERE session = ? AND turn = ?`

	putEvent = `INSERT INTO event (v, seq, session, turn, time, type, data) VALUES (?, ?, ?, ?, ?, ?, ?)`
	turnRuns = `INSERT INTO running (session, turn, seq) VALUES (?, ?, ?)`
	turnEnds = `DELETE FROM running WHERE session = ? AND turn = ?`
)

// Events gives a session's events with a Seq above after, in order, at most
// limit of them. Their Data is a json.RawMessage.
func (db *DB) Events(ctx context.Context, session string, after int64, limit int) ([]loci.Event, error) {
	return list(ctx, db, scanEvent, eventsAfter, session, after, limit)
}

// Unfinished gives the turns that have started and neither finished nor wait for
// an answer, with their drafts: at start-up, those that a crash cut short.
func (db *DB) Unfinished(ctx context.Context) ([]loci.Draft, error) {
	return list(ctx, db, func(scan scanner) (d loci.Draft, err error) {
		return d, scan(&d.Principal, &d.Session, &d.Turn, &d.Text, &d.Reasoning)
	}, unfinished)
}

// SaveDraft stores what a running turn has said so far, in place of the draft
// before.
func (db *DB) SaveDraft(ctx context.Context, d loci.Draft) error {
	return db.inTx(ctx, func(t *tx) error {
		_, err := t.exec(putDraft, d.Text, d.Reasoning, d.Session, d.Turn)
		return err
	})
}

// putEvent adds an event with a number, and keeps the table of running turns:
// finding them among all events at each start would read every turn there was.
func (t *tx) putEvent(e *loci.Event, seq int64) error {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return err
	}
	_, err = t.exec(putEvent, e.V, seq, e.Session, e.Turn, e.Time.UnixMilli(), string(e.Type), string(data))
	if err != nil {
		return err
	}
	switch e.Type {
	case loci.EventTurnStarted:
		_, err = t.exec(turnRuns, e.Session, e.Turn, seq)
	case loci.EventTurnFinished:
		_, err = t.exec(turnEnds, e.Session, e.Turn)
	}
	return err
}

// scanEvent reads the eventColumns of a row.
func scanEvent(scan scanner) (loci.Event, error) {
	var e loci.Event
	var data []byte
	var at int64
	err := scan(&e.V, &e.Seq, &e.Session, &e.Turn, &at, &e.Type, &data)
	e.Time, e.Data = fromMillis(at), json.RawMessage(data)
	return e, err
}
