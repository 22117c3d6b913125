package agent

import (
	"context"
	"slices"
	"strings"

	"loci"
	"loci/internal/transcript"
)

// Fork copies a session of p up to and including a turn, or all of it when turn
// is empty, into a new one. The copy can go another way; both keep their past.
func (a *Agent) Fork(ctx context.Context, p loci.Principal, session, turn string) (loci.Session, error) {
	old, err := a.cfg.Store.Session(ctx, p.ID, session)
	if err != nil {
		return loci.Session{}, err
	}
	path, err := a.cfg.Store.Path(ctx, p.ID, old.Head)
	if err != nil {
		return loci.Session{}, err
	}
	if turn != "" {
		last := 0
		for i, n := range path {
			if n.Turn == turn {
				last = i + 1
			}
		}
		if last == 0 {
			return loci.Session{}, loci.Errorf(loci.NotFound, "There is no turn %.60q in this session.", turn)
		}
		path = path[:last]
	}
	fork := old
	fork.ID, fork.Thread = loci.NewID(loci.SessionPrefix), ""
	fork.Tools, fork.Folders = slices.Clone(old.Tools), slices.Clone(old.Folders)
	fork.Updated = loci.Now()
	nodes := make([]loci.Node, len(path))
	for i, n := range path {
		base := n.ID == old.Base
		n.ID, n.Session = loci.NewID(loci.NodePrefix), fork.ID
		if i > 0 {
			n.Parent = nodes[i-1].ID
		}
		if base {
			fork.Base = n.ID
		}
		nodes[i] = n
	}
	fork.Head = ""
	if len(nodes) > 0 {
		fork.Head = nodes[len(nodes)-1].ID
	}
	return fork, a.cfg.Store.Save(ctx, loci.Batch{Session: &fork, Nodes: nodes})
}

// Delete removes a session of p for good. A turn that runs in it is stopped
// first, so that its client hears how it ended, and one that waits does not
// begin; those who follow the session then come to the end.
func (a *Agent) Delete(ctx context.Context, p loci.Principal, session string) error {
	if _, err := a.cfg.Store.Session(ctx, p.ID, session); err != nil {
		return err
	}
	a.lanes.clear(session)
	leave, _, err := a.lanes.enter(ctx, session, func() {})
	if err != nil {
		return err
	}
	defer leave()
	if err := a.cfg.Store.DeleteSession(ctx, p.ID, session); err != nil {
		return err
	}
	a.feeds.end(session) // whoever joins from now on does not find the session
	return nil
}

// Recover takes up what the program left when it stopped without warning. Turns
// that were running end, with as much of their replies as was stored: whoever
// asked is gone, and what a tool has done is not known. Turns that wait for an
// answer wait on.
func (a *Agent) Recover(ctx context.Context, cut []loci.Draft) error {
	for _, d := range cut {
		if err := a.recover(ctx, d); err != nil {
			return err
		}
	}
	waiting, err := a.cfg.Store.AllWaiting(ctx)
	if err != nil {
		return err
	}
	for _, w := range waiting {
		p, err := asker(w)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(w.Approvals, func(q loci.Approval) bool { return q.State == loci.ApprovalOpen }) {
			// It was to go on at the very moment, and nothing was done by then.
			err = a.abandon(ctx, p, w.Session, loci.ApprovalWithdrawn)
		} else {
			a.await(p, w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recover ends one turn that was cut short.
func (a *Agent) recover(ctx context.Context, d loci.Draft) error {
	t := a.newTurn(loci.TurnRequest{Principal: loci.Principal{ID: d.Principal}, Session: d.Session})
	t.id = d.Turn
	s, err := a.cfg.Store.Session(ctx, d.Principal, d.Session)
	if err != nil {
		return err
	}
	path, err := a.cfg.Store.Path(ctx, d.Principal, s.Head)
	if err != nil {
		return err
	}
	t.take(spot{Place: transcript.Place{Session: s, Path: path}})
	t.feed = a.feeds.join(s.ID)
	defer a.feeds.leave(s.ID)
	var payloads []any
	unknown, err := a.unknown(ctx, d)
	if err != nil {
		return err
	}
	t.Native = slices.ContainsFunc(path, func(n loci.Node) bool { return n.Turn == d.Turn && len(n.Sent.ToolCalls) > 0 })
	for _, q := range unknown {
		r := loci.ToolResult{Call: loci.ToolCall{ID: q.Call, Name: q.Tool, Arguments: q.Arguments}, Err: errUnknown, Text: errUnknown.Message}
		t.heed(r)
		payloads = append(payloads, loci.ToolFinished{Result: r})
	}
	t.giveOutputs()
	said := d.Text
	if len(unknown) > 0 {
		said = strings.TrimSpace(said + "\n\n" + errUnknown.Message)
	}
	if said != "" {
		t.shown.WriteString(said)
		t.reply(loci.Message{Role: loci.Assistant, Content: said})
		payloads = append(payloads, loci.MessageData{Text: said, Reasoning: d.Reasoning, Incomplete: true})
	}
	return t.save(append(payloads, loci.TurnFinished{State: loci.TurnInterrupted})...)
}

// errUnknown is what came of a call that had begun.
var errUnknown = &loci.ToolError{
	Message:    "loci stopped while this was under way, so it is not known whether it was done.",
	Suggestion: "Look at how it is now before you do it again.",
	ForPerson:  "Look at how it is now before you ask for it again.",
}

// unknown are the calls of a turn that a person had agreed to and that had begun
// without an end on record.
func (a *Agent) unknown(ctx context.Context, d loci.Draft) ([]loci.Approval, error) {
	asked, err := a.cfg.Store.TurnApprovals(ctx, d.Session, d.Turn)
	if err != nil || len(asked) == 0 {
		return nil, err
	}
	ended := map[string]bool{}
	for after := int64(0); ; {
		events, err := a.cfg.Store.Events(ctx, d.Session, after, 500)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			var done loci.ToolFinished
			if e.Type == loci.EventToolFinished && e.DecodeData(&done) == nil {
				ended[done.Result.Call.ID] = true
			}
			after = e.Seq
		}
		if len(events) == 0 {
			break
		}
	}
	return slices.DeleteFunc(asked, func(q loci.Approval) bool { return q.State != loci.ApprovalUsed || ended[q.Call] }), nil
}
