package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"loci"
)

// approvalColumns are in the order in which scanApproval reads them.
const approvalColumns = `
	id, principal, code, session, turn, call, tool, arguments, preview, reason,
	taint, question, fingerprint, binding, subject, state, asked, expires`

const (
	approvalByID = `SELECT` + approvalColumns + ` FROM approval WHERE principal = ? AND id = ?`

	approvalByCode = `SELECT` + approvalColumns + ` FROM approval
		WHERE principal = ? AND code = ? ORDER BY rowid DESC LIMIT 1`

	openApprovals = `SELECT` + approvalColumns + ` FROM approval
		WHERE principal = ? AND state = 'open' ORDER BY rowid`

	turnApprovals = `SELECT` + approvalColumns + ` FROM approval
		WHERE session = ? AND turn = ? ORDER BY rowid`

	waitingOf = `
		SELECT waiting.session, turn, node, state
		FROM waiting JOIN session ON session.id = waiting.session
		WHERE waiting.session = ?1 AND principal = ?2`

	waitingApprovals = `SELECT` + approvalColumns + ` FROM approval
		WHERE (session, turn) IN (SELECT session, turn FROM waiting) ORDER BY rowid`

	allWaiting = `SELECT session, turn, node, state FROM waiting ORDER BY session, turn`

	putApproval = `INSERT INTO approval (` + approvalColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	putWaiting = `INSERT INTO waiting (session, turn, node, state) VALUES (?, ?, ?, ?)
		ON CONFLICT (session, turn) DO UPDATE SET node = excluded.node, state = excluded.state`
	dropDraft     = `UPDATE running SET text = '', reasoning = '' WHERE session = ? AND turn = ?`
	settle        = `UPDATE approval SET state = ?4 WHERE session = ?1 AND id = ?2 AND state = ?3 RETURNING turn, call, tool`
	waitingIsOver = `DELETE FROM waiting WHERE session = ? AND turn = ?`
)

// Approval finds one of the principal's questions by its id.
func (db *DB) Approval(ctx context.Context, principal, id string) (loci.Approval, error) {
	return find(ctx, db, "question", scanApproval, approvalByID, principal, id)
}

// ApprovalByCode finds the principal's newest question with a code, open or not.
func (db *DB) ApprovalByCode(ctx context.Context, principal, code string) (loci.Approval, error) {
	return find(ctx, db, "question", scanApproval, approvalByCode, principal, code)
}

// Approvals lists the principal's open questions, oldest first.
func (db *DB) Approvals(ctx context.Context, principal string) ([]loci.Approval, error) {
	return list(ctx, db, scanApproval, openApprovals, principal)
}

// TurnApprovals lists the questions that a turn asked, in the order of their calls.
func (db *DB) TurnApprovals(ctx context.Context, session, turn string) ([]loci.Approval, error) {
	return list(ctx, db, scanApproval, turnApprovals, session, turn)
}

// Waiting gives the turn of one of the principal's sessions that waits for
// answers, with its questions, whatever their state. It is a loci.NotFound error
// if none does.
func (db *DB) Waiting(ctx context.Context, principal, session string) (loci.Waiting, error) {
	w, err := find(ctx, db, "waiting turn", scanWaiting, waitingOf, session, principal)
	if err != nil {
		return w, err
	}
	w.Approvals, err = db.TurnApprovals(ctx, w.Session, w.Turn)
	return w, err
}

// AllWaiting gives the turns of everybody that wait for answers.
func (db *DB) AllWaiting(ctx context.Context) ([]loci.Waiting, error) {
	all, err := list(ctx, db, scanWaiting, allWaiting)
	if err != nil || len(all) == 0 {
		return all, err
	}
	asked, err := list(ctx, db, scanApproval, waitingApprovals)
	if err != nil {
		return nil, err
	}
	type place struct{ session, turn string }
	byTurn := make(map[place][]loci.Approval, len(all))
	for _, a := range asked {
		at := place{a.Session, a.Turn}
		byTurn[at] = append(byTurn[at], a)
	}
	for i, w := range all {
		all[i].Approvals = byTurn[place{w.Session, w.Turn}]
	}
	return all, nil
}

// settle moves questions of a session from one state to another, and writes down
// that it did; of several who would do the same, one can.
func (t *tx) settle(session, principal string, all []loci.Settlement) error {
	for _, s := range all {
		r := loci.AuditRecord{
			Kind: loci.AuditAnswer, Principal: principal, Session: session, Permit: s.ID, State: loci.AuditState(s.To),
		}
		err := t.sql.QueryRowContext(t.ctx, settle, session, s.ID, string(s.From), string(s.To)).Scan(&r.Turn, &r.Call, &r.Tool)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return errSettled
		case err != nil:
			return t.db.explain(err)
		}
		if err := t.recordAbout(r, loci.AuditedAnswer{From: s.From, By: s.By}); err != nil {
			return err
		}
	}
	return nil
}

var errSettled = loci.Errorf(loci.Conflict, "The question is not open any more.")

// resume ends the waiting of a turn.
func (t *tx) resume(session, turn string) error {
	n, err := t.exec(waitingIsOver, session, turn)
	if err == nil && n == 0 {
		err = loci.Errorf(loci.Conflict, "The turn does not wait any more.")
	}
	return err
}

// putWaiting parks a turn, or tells another place of one that waits already. What
// the turn said by then is in its message.
func (t *tx) putWaiting(w *loci.Waiting, principal string) error {
	if _, err := t.exec(putWaiting, w.Session, w.Turn, w.Node, string(w.State)); err != nil {
		return err
	}
	if _, err := t.exec(dropDraft, w.Session, w.Turn); err != nil {
		return err
	}
	for _, a := range w.Approvals {
		_, err := t.exec(putApproval, a.ID, principal, a.Code, w.Session, w.Turn, a.Call, a.Tool, string(a.Arguments), a.Preview, a.Reason,
			a.Taint, a.Question, a.Fingerprint, a.Binding, a.Subject, string(a.State), a.Asked.UnixMilli(), a.Expires.UnixMilli())
		if err != nil {
			return err
		}
	}
	return nil
}

// scanApproval reads the approvalColumns of a row.
func scanApproval(scan scanner) (loci.Approval, error) {
	var a loci.Approval
	var arguments []byte
	var asked, expires int64
	err := scan(&a.ID, &a.Principal, &a.Code, &a.Session, &a.Turn, &a.Call, &a.Tool, &arguments, &a.Preview, &a.Reason,
		&a.Taint, &a.Question, &a.Fingerprint, &a.Binding, &a.Subject, &a.State, &asked, &expires)
	a.Grants = loci.GrantSpans(a.Binding)
	a.Arguments, a.Asked, a.Expires = json.RawMessage(arguments), fromMillis(asked), fromMillis(expires)
	return a, err
}

// scanWaiting reads a row of the waiting turns, without its questions.
func scanWaiting(scan scanner) (loci.Waiting, error) {
	var w loci.Waiting
	var state []byte
	err := scan(&w.Session, &w.Turn, &w.Node, &state)
	w.State = json.RawMessage(state)
	return w, err
}
