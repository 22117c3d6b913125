package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/approval"
	"loci/internal/transcript"
	"loci/internal/where"
)

// parked is a turn as it is stored while it waits.
type parked struct {
	progress
	Asker     loci.Principal `json:"asker"`
	Text      string         `json:"text"` // the person's message
	Options   loci.Options   `json:"options"`
	Arguments []string       `json:"arguments"` // of the calls, byte for byte: a yes is for these bytes
}

func (t *turn) state() (json.RawMessage, error) {
	p := parked{progress: t.progress, Asker: t.req.Principal, Text: t.req.Message.Content, Options: t.req.Options}
	for _, c := range t.Calls {
		p.Arguments = append(p.Arguments, string(c.Arguments))
	}
	return json.Marshal(p)
}

// asker is on whose behalf a waiting turn runs.
func asker(w loci.Waiting) (loci.Principal, error) {
	var p parked
	err := json.Unmarshal(w.State, &p)
	return p.Asker, err
}

// restore puts a turn back to where it stopped.
func (t *turn) restore(w *loci.Waiting) error {
	var p parked
	if err := json.Unmarshal(w.State, &p); err != nil {
		return err
	}
	if len(p.Arguments) != len(p.Calls) {
		return fmt.Errorf("agent: the turn %s was stored with %d calls and the arguments of %d", w.Turn, len(p.Calls), len(p.Arguments))
	}
	for i := range p.Calls {
		p.Calls[i].Arguments = json.RawMessage(p.Arguments[i])
	}
	t.id, t.progress, t.begun, t.waits = w.Turn, p.progress, true, w
	t.log = t.logger()
	t.req.Message = loci.Message{Role: loci.User, Content: p.Text}
	t.req.Options = p.Options
	t.req.Principal = p.Asker // whoever answers, it has the rights that it began with
	return nil
}

// question is a call that needs a yes, and what for.
type question struct {
	call loci.ToolCall
	*loci.Ask
}

// questions gives what has to be asked before the next call may run: nothing, or
// its question together with those of later calls of the step, so that a person
// is asked once. A call that was asked about already is not asked about again.
func (t *turn) questions(ctx context.Context) []question {
	var found []question
	for _, call := range t.Calls[t.Next:] {
		var ask *loci.Ask
		if t.settled(call) == nil && !t.clients(call) && !t.repeated(call) {
			ask = t.agent.cfg.Tools.Ask(ctx, t.scope, call)
		}
		switch {
		case ask == nil && len(found) == 0:
			return nil
		case ask != nil && overlaps(found, ask.Touches):
			return found // what comes before changes what this one would be shown as
		case ask != nil:
			found = append(found, question{call, ask})
		}
	}
	return found
}

// overlaps tells whether one of the calls changes something that is also in paths.
func overlaps(found []question, paths []string) bool {
	for _, q := range found {
		for _, a := range q.Touches {
			for _, b := range paths {
				if where.In(a, b) || where.In(b, a) {
					return true
				}
			}
		}
	}
	return false
}

// settled is what became of the question about a call; nil if there was none.
func (t *turn) settled(call loci.ToolCall) *loci.Approval {
	return t.asked(func(q loci.Approval) bool { return q.Call == call.ID })
}

// asked is the question of this turn that fits; nil if none does.
func (t *turn) asked(fits func(loci.Approval) bool) *loci.Approval {
	if t.waits == nil {
		return nil
	}
	if i := slices.IndexFunc(t.waits.Approvals, fits); i >= 0 {
		return &t.waits.Approvals[i]
	}
	return nil
}

// park stops the turn at questions: they are stored together with all that is
// needed to go on, then shown.
func (t *turn) park(ctx context.Context, asked []question) phase {
	if ctx.Err() != nil {
		return (*turn).end
	}
	w := &loci.Waiting{Session: t.session.ID, Turn: t.id}
	var payloads []any
	for _, q := range asked {
		a, err := t.approval(ctx, q, w.Approvals)
		if err != nil {
			return t.fail(err)
		}
		w.Approvals = append(w.Approvals, a)
	}
	reader := approval.Reader{Lang: t.scope.Lang, Zone: t.zone(), OnlyNo: !t.req.Principal.May(loci.RightApprove)}
	for i, block := range approval.Blocks(w.Approvals, reader) {
		w.Approvals[i].Question = block
		payloads = append(payloads, w.Approvals[i])
	}
	if !t.begun { // the tiny tier adds the message last
		t.addUser(t.req.Message.Content)
	}
	if err := t.wait(ctx, w, approval.Questions(w.Approvals, reader), payloads); err != nil {
		return t.fail(err)
	}
	return nil
}

// approval makes the question about a call.
func (t *turn) approval(ctx context.Context, q question, others []loci.Approval) (loci.Approval, error) {
	asked := loci.Now()
	a := loci.Approval{
		ID: loci.NewID(loci.ApprovalPrefix), Session: t.session.ID, Turn: t.id, Principal: t.req.Principal.ID,
		Call: q.call.ID, Tool: q.call.Name, Arguments: q.call.Arguments, Preview: q.Preview, Reason: q.Reason,
		Fingerprint: q.Fingerprint, Binding: q.Binding, Subject: q.Subject, Grants: loci.GrantSpans(q.Binding), Taint: strings.Join(q.Taint, ", "), State: loci.ApprovalOpen,
		Asked: asked, Expires: loci.Time{Time: asked.Add(t.agent.cfg.Settings.AskFor)},
	}
	var err error
	a.Code = approval.NewCode(func(code string) bool {
		_, e := t.agent.cfg.Approvals.ApprovalByCode(ctx, a.Principal, code)
		if e != nil && !loci.IsNotFound(e) {
			err = e
			return false
		}
		return e == nil || slices.ContainsFunc(others, func(o loci.Approval) bool { return o.Code == code })
	})
	return a, err
}

// zone is the person's time zone.
func (t *turn) zone() *time.Location { return t.agent.cfg.Now().Location() }

// wait stores that the turn waits, in a place of its own in the transcript, and
// what was said by then. Nobody has to keep the session meanwhile. With an error
// nothing was stored, nor told.
func (t *turn) wait(ctx context.Context, w *loci.Waiting, words string, payloads []any) error {
	state, err := t.state()
	if err != nil {
		return err
	}
	before := t.branch
	said := t.shown.String()
	if said != "" {
		payloads = append(payloads, loci.MessageData{Text: said, Reasoning: t.reasoning.String()})
		words = approval.Closing(said) + "\n\n" + words
	}
	n := transcript.UnsentNode(t.session.ID, t.lastID, t.id, t.lastPath, loci.Assistant, said+words)
	t.add(n)
	w.Node, w.State = n.ID, state
	t.pending.Waiting = w
	payloads = append(payloads, loci.TurnWaiting{Approvals: t.openOf(w), Text: words, Receipt: t.Receipt})
	if err := t.save(payloads...); err != nil {
		t.path, t.lastID, t.lastPath, t.pending.Nodes = before.path, before.lastID, before.lastPath, before.pending.Nodes
		return err
	}
	// Nobody has read them, or the turn was stopped at this very moment. When loci
	// stops, they stay: they can be answered when it has started again.
	if (t.left || ctx.Err() != nil) && !t.agent.lanes.closing() {
		_, err := t.agent.conclude(context.WithoutCancel(ctx), t.req.Principal, t.session.ID, loci.ApprovalWithdrawn, astray)
		if err == nil {
			return nil
		}
		t.log.Error("questions not withdrawn", "stage", "turn", "error", err)
	}
	t.agent.await(t.req.Principal, *w)
	return nil
}

// openOf are the ids of all questions that are open once w is stored.
func (t *turn) openOf(w *loci.Waiting) (ids []string) {
	for _, part := range []*loci.Waiting{t.waits, w} {
		if part == nil {
			continue
		}
		for _, a := range part.Open() {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// refused is the result of a call whose question had another end than a yes, or
// that was not asked about any more when that happened to another.
func (t *turn) refused(call loci.ToolCall, why loci.ApprovalState) loci.ToolResult {
	word := approval.Withdrawn
	switch {
	case why == loci.ApprovalNo:
		word = approval.Declined
	case why == loci.ApprovalExpired:
		word = approval.Expired
	case t.spot.standing == notNow:
		word = approval.NotNow
	}
	r := word(call.Name, t.scope.Lang)
	return loci.ToolResult{Call: call, Err: r.Err, Text: r.Text, Refused: true}
}
