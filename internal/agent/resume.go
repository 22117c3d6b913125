package agent

import (
	"context"

	"loci"
	"loci/internal/approval"
	"loci/internal/lang"
	"loci/internal/transcript"
)

// Every change of a question happens in its session's lane, or before the first
// lane (see Recover), and is stored together with the event that tells of it.

// answer takes the person's answers and goes on with the turn when it has all of
// them. Where the model server is away, the questions stay open.
func (t *turn) answer(ctx context.Context) (phase, error) {
	said, options := t.req.Message.Content, t.req.Options
	if err := t.restore(t.spot.waiting); err != nil {
		return nil, err
	}
	if t.req.Resent { // the client says anew how it wants the reply
		t.req.Options = options
	}
	if words := approval.Holding(t.spot.span, t.language()); words != "" {
		t.notice = words + "\n\n"
	}
	t.req.Model = t.session.Model // it ends as it began
	if _, err := t.ready(ctx); err != nil {
		return nil, err
	}
	t.fromBase()
	t.add(transcript.UnsentNode(t.session.ID, t.lastID, t.id, t.lastPath, loci.User, said))
	return t.goOn(ctx, t.settle(t.spot.picked, answerOf[t.spot.verdict]))
}

// answerOf is what a verdict makes of a question.
var answerOf = map[approval.Verdict]loci.ApprovalState{approval.Yes: loci.ApprovalYes, approval.No: loci.ApprovalNo}

// settle moves questions to another state with the next events, of which it gives
// those that tell of it.
func (t *turn) settle(asked []loci.Approval, to loci.ApprovalState) (payloads []any) {
	for _, q := range asked {
		now := t.asked(func(o loci.Approval) bool { return o.ID == q.ID })
		t.pending.Settle = append(t.pending.Settle, loci.Settlement{ID: now.ID, From: now.State, To: to, By: t.spot.by})
		now.State = to
		t.remember(*now, to)
		payloads = append(payloads, loci.ApprovalAnswered{ID: q.ID, Code: q.Code, Answer: to})
	}
	return payloads
}

// goOn takes up a turn once all its questions are settled, and tells what is still
// open where they are not. The payloads tell of what was settled now; if they cannot
// be stored, nothing was.
func (t *turn) goOn(ctx context.Context, payloads []any) (phase, error) {
	w := t.waits
	if open := w.Open(); len(open) > 0 {
		words := approval.Noted(t.spot.verdict, approval.Codes(t.spot.picked), approval.Codes(open), t.scope.Lang)
		return nil, t.wait(ctx, &loci.Waiting{Session: w.Session, Turn: w.Turn}, words, payloads)
	}
	t.pending.Resume = w.Turn
	if err := t.save(payloads...); err != nil {
		return nil, err
	}
	t.agent.clock.drop(w.Session)
	return (*turn).tools, nil
}

// tell answers an answer that came too late or was not clear, without the model.
func (t *turn) tell(ctx context.Context) (phase, error) {
	if _, err := t.ready(ctx); err != nil {
		return nil, err
	}
	turn, w := t.id, t.spot.waiting
	if w != nil && t.spot.atQuestion() {
		turn = w.Turn // the words stand for the questions from here on
	}
	t.add(transcript.UnsentNode(t.session.ID, t.lastID, turn, t.lastPath, loci.User, t.req.Message.Content))
	n := transcript.UnsentNode(t.session.ID, t.lastID, turn, t.lastPath, loci.Assistant, t.spot.words)
	t.add(n)
	if turn != t.id {
		t.pending.Waiting = &loci.Waiting{Session: w.Session, Turn: turn, Node: n.ID, State: w.State}
	}
	return nil, t.save(t.started(), loci.MessageData{Text: t.spot.words}, loci.TurnFinished{State: loci.TurnDone, Finish: loci.FinishStop})
}

// language is that of the person's words, as far as a word tells.
func (t *turn) language() string { return lang.Of(t.wish()) }

// giveUp ends the turn that waits where the message belongs, without running
// what it asked about.
func (t *turn) giveUp(ctx context.Context) error {
	old, err := t.agent.conclude(ctx, t.req.Principal, t.session.ID, loci.ApprovalWithdrawn, t.spot.standing)
	if err != nil || t.spot.standing != notNow {
		return err
	}
	// What came of its calls is part of the conversation that goes on, but not of
	// what the client has seen.
	t.path, t.lastID = old.path, old.lastID
	t.notice = approval.Dropped(approval.Codes(t.spot.waiting.Undone()), t.language()) + "\n\n"
	return nil
}
