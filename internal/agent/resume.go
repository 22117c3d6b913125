package agent

import (
	"context"
	"strings"
	"time"

	"loci"
	"loci/internal/approval"
	"loci/internal/lang"
	"loci/internal/toolcall"
	"loci/internal/transcript"
)

// answer takes the person's answers and goes on with the turn when it has all of
// them.
func (t *turn) answer(ctx context.Context) (phase, error) {
	w := t.spot.waiting
	said := t.req.Message.Content
	options := t.req.Options
	if err := t.restore(w); err != nil {
		return nil, err
	}
	if t.req.Resent { // the client says anew how it wants the reply
		t.req.Options = options
	}
	if err := t.prepare(ctx); err != nil {
		return nil, err
	}
	if said != "" {
		t.add(transcript.UnsentNode(t.session.ID, t.lastID, t.id, t.lastPath, loci.User, said))
	}
	to := map[approval.Verdict]loci.ApprovalState{approval.Yes: loci.ApprovalYes, approval.No: loci.ApprovalNo}[t.spot.verdict]
	var payloads []any
	for _, q := range t.spot.picked {
		done, err := t.agent.cfg.Store.Settle(ctx, q.ID, loci.ApprovalOpen, to)
		if err != nil {
			return nil, err
		}
		if done {
			payloads = append(payloads, loci.ApprovalAnswered{ID: q.ID, Code: q.Code, Answer: to})
		}
	}
	return t.goOn(ctx, payloads)
}

// prepare is what begin is for a new turn.
func (t *turn) prepare(ctx context.Context) error {
	t.req.Model = t.session.Model // it ends as it began
	_, err := t.ready(ctx)
	t.fromBase()
	return err
}

// goOn takes up a turn once all its questions are settled, and tells what is
// still open where they are not.
func (t *turn) goOn(ctx context.Context, payloads []any) (phase, error) {
	w, err := t.agent.cfg.Store.Waiting(ctx, t.req.Principal.ID, t.session.ID)
	if err != nil {
		return nil, err // it was withdrawn at the same moment
	}
	t.waits = &w
	if open := w.Open(); len(open) > 0 {
		return t.wait(ctx, &loci.Waiting{Session: w.Session, Turn: w.Turn}, approval.Noted(t.spot.verdict, codes(t.spot.picked), codes(open), t.scope.Lang), payloads), nil
	}
	if len(payloads) > 0 {
		if err := t.save(payloads...); err != nil {
			return nil, err
		}
	}
	mine, err := t.agent.cfg.Store.Resume(ctx, w.Session, w.Turn)
	if err != nil {
		return nil, err
	}
	if !mine {
		return nil, loci.Errorf(loci.Conflict, "The question was answered at the same moment by somebody else.")
	}
	t.agent.clock.drop(w.Turn)
	return (*turn).tools, nil
}

// approved runs a call that was asked about, if the person agreed. The yes is
// used up first: whatever happens from here on, it never counts a second time.
func (t *turn) approved(ctx context.Context, call loci.ToolCall, q *loci.Approval) loci.ToolResult {
	if q.State != loci.ApprovalYes {
		return t.refused(call, q.State)
	}
	mine, err := t.agent.cfg.Store.Settle(ctx, q.ID, loci.ApprovalYes, loci.ApprovalUsed)
	switch {
	case err != nil:
		e := loci.AsError(err)
		return refuse(call, &loci.ToolError{Message: e.Message, CanRetry: true, Suggestion: "Tell the person that it was not done, and why.", ForPerson: e.Hint})
	case !mine:
		return t.refused(call, loci.ApprovalWithdrawn)
	}
	// What has begun to change something finishes, even when the client leaves.
	return t.agent.cfg.Tools.Call(context.WithoutCancel(ctx), t.scope, call, q.Fingerprint)
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
		t.parked = &loci.Waiting{Session: w.Session, Turn: turn, Node: n.ID, State: w.State}
	}
	return nil, t.save(t.started(), loci.MessageData{Text: t.spot.words}, loci.TurnFinished{State: loci.TurnDone, Finish: loci.FinishStop})
}

// language is that of the person's words, as far as a word tells.
func (t *turn) language() string { return lang.Of(t.req.Message.Content) }

// giveUp ends the turn that waits where the message belongs, without running
// what it asked about.
func (t *turn) giveUp(ctx context.Context) error {
	old, err := t.agent.finishWaiting(ctx, t.req.Principal, t.session, t.spot.waiting, loci.ApprovalWithdrawn, t.spot.standing)
	if err != nil || t.spot.standing != notNow {
		return err
	}
	// What came of its calls is part of the conversation that goes on, but not of
	// what the client has seen.
	t.path, t.lastID = old.path, old.lastID
	return nil
}

// finishWaiting ends a waiting turn. The caller has the session's lane.
func (a *Agent) finishWaiting(ctx context.Context, p loci.Principal, s loci.Session, w *loci.Waiting, why loci.ApprovalState, as standing) (*turn, error) {
	t := a.newTurn(loci.TurnRequest{Principal: p, Session: s.ID})
	t.cancel = func() {}
	there, err := a.spotOf(ctx, p, s.ID)
	if err != nil {
		return nil, err
	}
	there.standing = as
	t.take(there)
	if err := t.restore(w); err != nil {
		return nil, err
	}
	mine, err := a.cfg.Store.Resume(ctx, w.Session, w.Turn)
	if err != nil || !mine {
		return t, err
	}
	a.clock.drop(w.Turn)
	if err := a.cfg.Store.Withdraw(ctx, w.Session, w.Turn); err != nil {
		return nil, err
	}
	if w.Approvals, err = a.cfg.Store.TurnApprovals(ctx, w.Session, w.Turn); err != nil {
		return nil, err
	}
	t.feed = a.feeds.join(s.ID)
	defer a.feeds.leave(s.ID)
	t.scope.Lang = t.language()
	return t, t.save(t.unrun(why)...)
}

// unrun gives the calls that a turn waited for their results and its end.
func (t *turn) unrun(why loci.ApprovalState) (payloads []any) {
	words := ""
	for _, call := range t.Calls[t.Next:] {
		state := why
		if q := t.settled(call); q != nil {
			state = q.State
			if q.State != loci.ApprovalNo && q.State != loci.ApprovalUsed {
				payloads = append(payloads, loci.ApprovalAnswered{ID: q.ID, Code: q.Code, Answer: q.State})
			}
		}
		r := t.refused(call, state)
		words = r.Text
		t.heed(r)
		payloads = append(payloads, loci.ToolFinished{Result: r})
	}
	t.giveOutputs()
	if why != loci.ApprovalExpired {
		return append(payloads, loci.TurnFinished{State: loci.TurnInterrupted, Receipt: t.Receipt})
	}
	t.shown.WriteString(words)
	t.reply(loci.Message{Role: loci.Assistant, Content: words})
	return append(payloads, loci.MessageData{Text: words},
		loci.TurnFinished{State: loci.TurnDone, Finish: loci.FinishStop, Receipt: t.Receipt})
}

// abandon ends the turn that waits in a session of p, if one does.
func (a *Agent) abandon(ctx context.Context, p loci.Principal, session string, why loci.ApprovalState) error {
	leave, _, err := a.lanes.enter(ctx, session, func() {})
	if err != nil {
		return err
	}
	defer leave()
	there, err := a.spotOf(ctx, p, session)
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = a.finishWaiting(ctx, p, there.Session, there.waiting, why, astray)
	return err
}

// Answer settles a question of p and returns at once; the turn that asked goes on
// by itself. It is a loci.Conflict error if the question is not open any more.
func (a *Agent) Answer(ctx context.Context, p loci.Principal, id string, yes bool) (loci.Approval, error) {
	q, err := a.cfg.Store.Approval(ctx, p.ID, id)
	if err != nil {
		return q, err
	}
	to := loci.ApprovalNo
	if yes {
		to = loci.ApprovalYes
	}
	done := false
	if !q.Expired() {
		if done, err = a.cfg.Store.Settle(ctx, id, loci.ApprovalOpen, to); err != nil {
			return q, err
		}
	}
	if !done {
		if q, err = a.cfg.Store.Approval(ctx, p.ID, id); err != nil {
			return q, err
		}
		return q, loci.Errorf(loci.Conflict, "%s", approval.Told(q, lang.English))
	}
	q.State = to
	return q, a.background(ctx, "question answered", func(ctx context.Context) error { return a.settled(ctx, p, q) })
}

// settled goes on with a turn after one of its questions was settled.
func (a *Agent) settled(ctx context.Context, p loci.Principal, q loci.Approval) error {
	t := a.newTurn(loci.TurnRequest{Principal: p, Session: q.Session})
	ctx, t.cancel = context.WithCancel(ctx)
	defer t.cancel()
	leave, _, err := a.lanes.enter(ctx, q.Session, t.cancel)
	if err != nil {
		return err
	}
	defer leave()
	there, err := a.spotOf(ctx, p, q.Session)
	if isNotFound(err) || err == nil && there.waiting.Turn != q.Turn {
		return nil // it was withdrawn meanwhile
	}
	if err != nil {
		return err
	}
	there.standing, there.picked = answers, []loci.Approval{q}
	if there.verdict = approval.No; q.State == loci.ApprovalYes {
		there.verdict = approval.Yes
	}
	t.take(there)
	return t.walk(ctx, func(ctx context.Context) (phase, error) {
		if err := t.restore(there.waiting); err != nil {
			return nil, err
		}
		if err := t.prepare(ctx); err != nil {
			return nil, err
		}
		return t.goOn(ctx, []any{loci.ApprovalAnswered{ID: q.ID, Code: q.Code, Answer: q.State}})
	})
}

// await ends a turn's waiting when the time of its questions is over.
func (a *Agent) await(p loci.Principal, w loci.Waiting) {
	var last time.Time
	for _, q := range w.Approvals {
		if q.State == loci.ApprovalOpen && q.Expires.After(last) {
			last = q.Expires.Time
		}
	}
	if last.IsZero() {
		return // told again what is open: the deadline stays
	}
	a.clock.set(w.Turn, time.Until(last), func() {
		_ = a.background(context.Background(), "question expired", func(ctx context.Context) error { return a.expire(ctx, p, w) })
	})
}

// expire says no in the place of somebody who said nothing.
func (a *Agent) expire(ctx context.Context, p loci.Principal, w loci.Waiting) error {
	now, err := a.cfg.Store.TurnApprovals(ctx, w.Session, w.Turn)
	if err != nil {
		return err
	}
	agreed := false
	var late loci.Approval
	for _, q := range now {
		agreed = agreed || q.State == loci.ApprovalYes
		if q.State != loci.ApprovalOpen {
			continue
		}
		if _, err := a.cfg.Store.Settle(ctx, q.ID, loci.ApprovalOpen, loci.ApprovalExpired); err != nil {
			return err
		}
		late = q
	}
	if agreed { // to a part of it
		late.State = loci.ApprovalExpired
		return a.settled(ctx, p, late)
	}
	return a.abandon(ctx, p, w.Session, loci.ApprovalExpired)
}

// background does something that no request waits for. It is an error if the
// agent is closing.
func (a *Agent) background(ctx context.Context, what string, do func(context.Context) error) error {
	if !a.lanes.adopt(&a.own) {
		return errClosing
	}
	ctx = context.WithoutCancel(ctx)
	go func() {
		defer a.own.Done()
		if err := do(ctx); err != nil {
			a.cfg.Logger.Error(what+", but the turn could not go on", "stage", "turn", "error", err)
		}
	}()
	return nil
}

// heed adds what came of a call to the results, and to the path as the model
// reads it.
func (t *turn) heed(r loci.ToolResult) {
	t.Results = append(t.Results, r)
	if t.session.Tier == loci.TierTiny {
		return
	}
	if t.Native {
		t.add(transcript.HiddenNode(t.session.ID, t.lastID, t.id, loci.Message{
			Role: loci.ToolRole, Content: toolcall.Content(r), ToolCallID: r.Call.ID, ToolName: r.Call.Name,
		}))
		return
	}
	t.Outputs = append(t.Outputs, toolcall.Output(r))
}

// giveOutputs adds the results of calls that were written as text.
func (t *turn) giveOutputs() {
	if len(t.Outputs) > 0 {
		t.add(transcript.HiddenNode(t.session.ID, t.lastID, t.id, loci.Message{Role: loci.User, Content: strings.Join(t.Outputs, "\n")}))
		t.Outputs = nil
	}
}
