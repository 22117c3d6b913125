package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"loci"
	"loci/internal/approval"
	"loci/internal/lang"
)

// busy is how long an answer waits for a turn that has the session. None has it for
// long while a question is open.
const busy = 5 * time.Second

// Answer settles a question of p and returns; the turn that asked goes on by itself.
// It is a loci.Conflict error if the question is not open any more, and
// loci.Forbidden if p may not say yes.
//
// A yes holds for the span it is given for, which has to be one of those that the
// question names; empty: once.
func (a *Agent) Answer(ctx context.Context, p loci.Principal, id string, yes bool, span loci.GrantSpan) (loci.Approval, error) {
	q, err := a.cfg.Approvals.Approval(ctx, p.ID, id)
	if err != nil {
		return q, err
	}
	if yes && !p.May(loci.RightApprove) {
		return q, loci.Errorf(loci.Forbidden, "The key cannot allow anything.").WithHint("Allow it where loci runs: loci approvals yes %s", q.Code)
	}
	verdict := approval.No
	if yes {
		verdict = approval.Yes
	}
	switch {
	case !approval.Takes(q, verdict):
		return q, notOpen(q)
	case yes && !approval.Lasts(q, span):
		return q, loci.Errorf(loci.Invalid, "A yes to the question %s can be given for %s, not for %.20q.", q.Code, spans(q), span)
	}
	stored := make(chan error, 1)
	err = a.background(ctx, func(ctx context.Context) error {
		defer close(stored)
		return a.settleInLane(ctx, p, q, approval.Answer{Verdict: verdict, Span: span}, stored)
	})
	if err != nil {
		return q, err
	}
	select {
	case err, told := <-stored:
		switch {
		case !told:
			return q, errNotStored
		case err == nil:
			q.State = answerOf[verdict]
		}
		return q, err
	case <-ctx.Done():
		return q, context.Cause(ctx)
	}
}

var errNotStored = errors.New("agent: the answer was not stored")

// notOpen is the error for an answer that comes too late.
func notOpen(q loci.Approval) error {
	return loci.Errorf(loci.Conflict, "%s", approval.Told(q, lang.English))
}

// settleInLane is Answer in the session's lane. It tells how the settling went as
// soon as that is stored.
func (a *Agent) settleInLane(ctx context.Context, p loci.Principal, q loci.Approval, answer approval.Answer, stored chan<- error) error {
	ctx, leave, err := a.lanes.queue(ctx, q.Session, busy)
	if err != nil {
		stored <- err
		return nil
	}
	defer leave()
	there, err := a.spotOf(ctx, p, q.Session)
	if err == nil {
		there.standing, there.verdict, there.span, there.by = answers, answer.Verdict, answer.Span, p.By
		there.picked = slices.DeleteFunc(there.waiting.Undone(), func(o loci.Approval) bool { return o.ID != q.ID || !approval.Takes(o, answer.Verdict) })
	}
	if loci.IsNotFound(err) || err == nil && len(there.picked) == 0 {
		if q, err = a.cfg.Approvals.Approval(ctx, p.ID, q.ID); err == nil {
			err = notOpen(q)
		}
	}
	if err != nil {
		stored <- err
		return nil
	}
	return a.takeUp(ctx, p, there, func(t *turn) []any { return t.settle(there.picked, answerOf[answer.Verdict]) }, stored)
}

// takeUp goes on with the turn that waits at a place, after what settle does to its
// questions, and tells how that went as soon as it is stored. What was agreed to is
// done also where the model server is away; that shows at the next step.
func (a *Agent) takeUp(ctx context.Context, p loci.Principal, there spot, settle func(*turn) []any, stored chan<- error) error {
	ctx, over := a.runs.begin(ctx, p.ID)
	defer over()
	t := a.newTurn(&loci.TurnRequest{Principal: p, Session: there.Session.ID})
	t.take(there)
	return t.walk(ctx, func(ctx context.Context) (phase, error) {
		err := t.restore(there.waiting)
		var next phase
		if err == nil {
			t.req.Model = t.session.Model
			if _, away := t.ready(ctx); away != nil {
				t.log.Warn("the model is not known at the moment", "stage", "turn", "error", away)
				t.profile = loci.Profile{Model: t.session.Model, Tier: t.session.Tier, Window: windowUntold}
				t.equip()
			}
			t.fromBase()
			next, err = t.goOn(ctx, settle(t))
		}
		stored <- err
		return next, err
	})
}

// abandon ends the waiting of a turn of p, if it waits still.
func (a *Agent) abandon(ctx context.Context, p loci.Principal, w loci.Waiting, why loci.ApprovalState) error {
	ctx, leave, err := a.lanes.queue(ctx, w.Session, 0)
	if err != nil {
		return err
	}
	defer leave()
	now, err := a.waiting(ctx, p, w.Session)
	if err != nil || now == nil || now.Turn != w.Turn {
		return err
	}
	_, err = a.conclude(ctx, p, w.Session, why, astray)
	return err
}

// deadline is when the time of the open questions is over; zero if there are none.
func deadline(w loci.Waiting) (last time.Time) {
	for _, q := range w.Approvals {
		if q.State == loci.ApprovalOpen && q.Expires.After(last) {
			last = q.Expires.Time
		}
	}
	return last
}

// expireAgain is after what time that is tried again.
const expireAgain = 10 * time.Second

// await ends a turn's waiting when the time of its questions is over.
func (a *Agent) await(p loci.Principal, w loci.Waiting) {
	if last := deadline(w); !last.IsZero() { // otherwise it was told again what is open: the deadline stays
		a.expireIn(time.Until(last), p, w.Session)
	}
}

func (a *Agent) expireIn(d time.Duration, p loci.Principal, session string) {
	a.clock.set(session, d, func() {
		// It fails when loci is closing; the next start does it.
		_ = a.background(context.Background(), func(ctx context.Context) error {
			err := a.expire(ctx, p, session)
			if err != nil { // a question does not stay open for good
				a.expireIn(expireAgain, p, session)
			}
			return err
		})
	})
}

// expire says no in the place of somebody who said nothing. What they agreed to by
// then is done.
func (a *Agent) expire(ctx context.Context, p loci.Principal, session string) error {
	ctx, leave, err := a.lanes.queue(ctx, session, 0)
	if errors.Is(err, context.Canceled) { // the session is deleted, or loci closes
		return nil
	}
	if err != nil {
		return err
	}
	defer leave()
	there, err := a.spotOf(ctx, p, session)
	if loci.IsNotFound(err) {
		return nil // it was answered at the last moment
	}
	if err != nil {
		return err
	}
	if time.Now().Before(deadline(*there.waiting)) { // by now something else is asked
		a.await(p, *there.waiting)
		return nil
	}
	open := slices.DeleteFunc(there.waiting.Undone(), func(q loci.Approval) bool { return q.State != loci.ApprovalOpen })
	if len(open) == len(there.waiting.Undone()) { // nothing was agreed to
		_, err = a.conclude(ctx, p, session, loci.ApprovalExpired, astray)
		return err
	}
	there.standing = answers
	return a.takeUp(ctx, p, there, func(t *turn) []any { return t.settle(open, loci.ApprovalExpired) }, make(chan error, 1))
}

// background runs what outlives the request that brought it, but keeps its values.
// It is an error if the agent is closing.
func (a *Agent) background(ctx context.Context, do func(context.Context) error) error {
	if !a.lanes.adopt(&a.own) {
		return errClosing
	}
	ctx = context.WithoutCancel(ctx)
	go func() {
		defer a.own.Done()
		defer func() {
			if p := recover(); p != nil { // a request's turn has its server to catch this
				a.cfg.Logger.Error("turn failed", "stage", "turn", "error", fmt.Errorf("panic: %v", p), "stack", string(debug.Stack()))
			}
		}()
		if err := do(ctx); err != nil {
			a.cfg.Logger.Error("a turn that waited could not go on", "stage", "turn", "error", err)
		}
	}()
	return nil
}

// deadlines ends the waiting of turns when their time is over.
type deadlines struct {
	mu     sync.Mutex
	timers map[string]*time.Timer // by session
	ended  bool
}

// set calls f when the time in a session is over. A later deadline replaces it.
func (d *deadlines) set(session string, after time.Duration, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return
	}
	if d.timers == nil {
		d.timers = map[string]*time.Timer{}
	}
	if old := d.timers[session]; old != nil {
		old.Stop()
	}
	var timer *time.Timer
	timer = time.AfterFunc(after, func() {
		d.mu.Lock()
		if d.timers[session] == timer {
			delete(d.timers, session)
		}
		d.mu.Unlock()
		f()
	})
	d.timers[session] = timer
}

func (d *deadlines) drop(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := d.timers[session]; t != nil {
		t.Stop()
		delete(d.timers, session)
	}
}

// stop drops all of them, for good.
func (d *deadlines) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	for _, t := range d.timers {
		t.Stop()
	}
}
