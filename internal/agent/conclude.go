package agent

import (
	"context"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/transcript"
)

// conclude ends the turn that waits in a session without running what it asked
// about, and gives it as it ended. The caller has the session's lane. It is a
// loci.NotFound error if none waits.
func (a *Agent) conclude(ctx context.Context, p loci.Principal, session string, why loci.ApprovalState, as standing) (*turn, error) {
	there, err := a.spotOf(ctx, p, session)
	if err != nil {
		return nil, err
	}
	there.standing = as
	t := a.newTurn(&loci.TurnRequest{Principal: p, Session: session})
	t.take(there)
	if err := t.restore(there.waiting); err != nil {
		return nil, err
	}
	t.feed = a.feeds.join(session)
	defer a.feeds.leave(session)
	t.scope.Lang = t.language()
	t.pending.Resume = t.id
	if err := t.save(t.unrun(why)...); err != nil {
		return nil, err
	}
	a.clock.drop(session)
	return t, nil
}

// unrun gives the calls that a turn waited for their results and its end.
func (t *turn) unrun(why loci.ApprovalState) (payloads []any) {
	words := ""
	for _, call := range t.Calls[t.Next:] {
		state := why
		if q := t.settled(call); q != nil {
			payloads = append(payloads, t.settle(loci.Waiting{Approvals: []loci.Approval{*q}}.Undone(), why)...)
			state = q.State
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
	t.replyWith(loci.Message{Role: loci.Assistant, Content: words})
	return append(payloads, loci.MessageData{Text: words},
		loci.TurnFinished{State: loci.TurnDone, Finish: loci.FinishStop, Receipt: t.Receipt})
}

// Recover takes up what the program left when it stopped without warning. Turns
// that were running end, with as much of their replies as was stored: whoever
// asked is gone, and what a tool has done is not known. Turns that wait for an
// answer wait on. One that cannot be taken up does not keep the others from it.
// The cut ones end without a lane: no turn may begin before it returns. Those whose
// time ran out meanwhile end in the background, as there may be many; an answer to
// them is too late anyway.
func (a *Agent) Recover(ctx context.Context, cut []loci.Draft) error {
	for _, d := range cut {
		if err := a.endCut(ctx, d); err != nil {
			return err
		}
	}
	waiting, err := a.cfg.Waits.AllWaiting(ctx)
	if err != nil {
		return err
	}
	var over []loci.Waiting
	for _, w := range waiting {
		if nobodyAnswered(w) {
			over = append(over, w)
		} else {
			a.taken(w, a.waitOn(ctx, w))
		}
	}
	if len(over) == 0 {
		return nil
	}
	return a.background(ctx, func(ctx context.Context) error {
		for _, w := range over {
			if a.lanes.closing() { // the next start does the rest
				return nil
			}
			a.taken(w, a.waitOn(ctx, w))
		}
		return nil
	})
}

// taken logs that a turn could not be taken up.
func (a *Agent) taken(w loci.Waiting, err error) {
	if err != nil {
		a.cfg.Logger.Error("a turn that waits cannot be taken up", "stage", "turn", "session", w.Session, "turn", w.Turn, "error", err)
	}
}

// nobodyAnswered tells that the time of all questions of a turn is over, without a
// word about any of them.
func nobodyAnswered(w loci.Waiting) bool {
	return !slices.ContainsFunc(w.Approvals, func(q loci.Approval) bool { return q.State != loci.ApprovalOpen || !q.Expired() }) &&
		len(w.Approvals) > 0
}

// waitOn takes up a turn that waits for answers. One that has them all was to go on
// at the very moment: nothing was done by then, and nothing is. Nor is it where the
// time ran out meanwhile.
func (a *Agent) waitOn(ctx context.Context, w loci.Waiting) error {
	p, err := asker(w)
	if err != nil {
		return err
	}
	switch last := deadline(w); {
	case last.IsZero():
		return a.abandon(ctx, p, w, loci.ApprovalWithdrawn)
	case time.Until(last) <= 0: // also what has a yes: nobody expects it to happen now
		return a.abandon(ctx, p, w, loci.ApprovalExpired)
	}
	a.await(p, w)
	return nil
}

// endCut ends one turn that was cut short.
func (a *Agent) endCut(ctx context.Context, d loci.Draft) error {
	s, err := a.cfg.Transcripts.Session(ctx, d.Principal, d.Session)
	if err != nil {
		return err
	}
	path, err := a.cfg.Transcripts.Path(ctx, d.Principal, s.Head)
	if err != nil {
		return err
	}
	asked, err := a.cfg.Approvals.TurnApprovals(ctx, d.Session, d.Turn)
	if err != nil {
		return err
	}
	done, err := a.finishedCalls(ctx, d)
	if err != nil {
		return err
	}
	t := a.newTurn(&loci.TurnRequest{Principal: loci.Principal{ID: d.Principal}, Session: d.Session})
	t.id = d.Turn
	t.take(spot{Place: transcript.Place{Session: s, Path: path}})
	t.feed = a.feeds.join(s.ID)
	defer a.feeds.leave(s.ID)
	t.Native = slices.ContainsFunc(path, func(n loci.Node) bool { return n.Turn == d.Turn && len(n.Sent.ToolCalls) > 0 })
	t.waits = &loci.Waiting{Session: d.Session, Turn: d.Turn, Approvals: asked}
	payloads := t.takeBack()
	if !t.Native { // they were not in the transcript yet
		for _, r := range done {
			t.heed(r)
		}
	}
	said := d.Text
	for _, q := range asked {
		if q.State != loci.ApprovalUsed || slices.ContainsFunc(done, func(r loci.ToolResult) bool { return r.Call.ID == q.Call }) {
			continue
		}
		call := loci.ToolCall{ID: q.Call, Name: q.Tool, Arguments: q.Arguments}
		r := loci.ToolResult{Call: call, Err: loci.ErrOutcomeUnknown, Text: outcomeUnknown.In(t.asking(), q.Tool)}
		t.heed(r)
		payloads = append(payloads, loci.ToolFinished{Result: r})
		said = strings.TrimSpace(said + "\n\n" + r.Text)
	}
	t.giveOutputs()
	if said != "" {
		t.shown.WriteString(said)
		t.replyWith(loci.Message{Role: loci.Assistant, Content: said})
		payloads = append(payloads, loci.MessageData{Text: said, Reasoning: d.Reasoning, Incomplete: true})
	}
	return t.save(append(payloads, loci.TurnFinished{State: loci.TurnInterrupted})...)
}

// finishedCalls are the results of the calls of a turn's last step, as far as they
// are on record.
func (a *Agent) finishedCalls(ctx context.Context, d loci.Draft) (done []loci.ToolResult, err error) {
	const page = 500
	for after := int64(0); ; {
		events, err := a.cfg.Log.Events(ctx, d.Session, after, page)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			after = e.Seq
			var fin loci.ToolFinished
			switch {
			case e.Turn != d.Turn:
			case e.Type == loci.EventStepFinished:
				done = nil
			case e.Type == loci.EventToolFinished && e.DecodeData(&fin) == nil:
				done = append(done, fin.Result)
			}
		}
		if len(events) < page {
			return done, nil
		}
	}
}
