package store

import (
	"context"
	"encoding/json"

	"loci"
)

// approvalColumns are in the order in which scanApproval reads them.
const approvalColumns = `
	id, principal, code, session, turn, call, tool, arguments, preview, reason,
	taint, question, fingerprint, state, asked, expires`

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

	allWaiting = `SELECT session, turn, node, state FROM waiting ORDER BY session, turn`

	putApproval = `INSERT INTO approval (` + approvalColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	putWaiting = `INSERT INTO waiting (session, turn, node, state) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET node = excluded.node, state = excluded.state`
	dropDraft     = `UPDATE running SET text = '', reasoning = '' WHERE session = ? AND turn = ?`
	settle        = `UPDATE approval SET state = ?3 WHERE id = ?1 AND state = ?2`
	withdraw      = `UPDATE approval SET state = 'withdrawn' WHERE session = ? AND turn = ? AND state IN ('open', 'yes')`
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
	for i := range all {
		if err == nil {
			all[i].Approvals, err = db.TurnApprovals(ctx, all[i].Session, all[i].Turn)
		}
	}
	return all, err
}

// Settle moves a question from one state to another, and tells whether it was in
// the first one still: of several who answer at once, one is right. It returns
// when the disk has it. The schema knows which ways there are.
func (db *DB) Settle(ctx context.Context, id string, from, to loci.ApprovalState) (done bool, err error) {
	err = db.durably(ctx, func(t *tx) error {
		n, err := t.exec(settle, id, string(from), string(to))
		done = n > 0
		return err
	})
	return done, err
}

// Withdraw takes back what is open or agreed to but not begun of a turn's
// questions. It returns when the disk has it.
func (db *DB) Withdraw(ctx context.Context, session, turn string) error {
	return db.durably(ctx, func(t *tx) error {
		_, err := t.exec(withdraw, session, turn)
		return err
	})
}

// Resume ends the waiting of a turn, and tells whether it was waiting still: of
// several who would go on with it, one may.
func (db *DB) Resume(ctx context.Context, session, turn string) (mine bool, err error) {
	err = db.durably(ctx, func(t *tx) error {
		n, err := t.exec(waitingIsOver, session, turn)
		mine = n > 0
		return err
	})
	return mine, err
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
			a.Taint, a.Question, a.Fingerprint, string(a.State), a.Asked.UnixMilli(), a.Expires.UnixMilli())
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
		&a.Taint, &a.Question, &a.Fingerprint, &a.State, &asked, &expires)
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
