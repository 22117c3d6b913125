package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"loci"
	"loci/internal/transcript"
)

// saveTimeout bounds a write to the database. It does not hang on the turn's
// context: how a stopped turn ended must be recorded too.
const saveTimeout = 10 * time.Second

// add appends a node to the path. It is stored with the next event.
func (t *turn) add(n loci.Node) {
	if n.Shown != nil {
		t.lastPath = n.PathHash
	}
	t.lastID = n.ID
	t.path = append(t.path, n)
	t.pending.Nodes = append(t.pending.Nodes, n)
}

// save stores events together with the nodes that were added before them, in
// one transaction, then shows them. The payload names the type of each. The
// write is not cut short when the turn is stopped.
func (t *turn) save(payloads ...any) error {
	ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
	defer cancel()
	b := t.pending
	for _, data := range payloads {
		b.Events = append(b.Events, &loci.Event{
			V: loci.EventVersion, Session: t.session.ID, Turn: t.id, Time: loci.Now(), Type: typeOf(data), Data: data,
		})
	}
	if t.dirty {
		b.Session = &t.session
	}
	if err := t.agent.cfg.Log.Save(ctx, b); err != nil {
		t.unsettle()
		return err
	}
	if n := len(b.Nodes); n > 0 {
		t.session.Head = b.Nodes[n-1].ID
	}
	t.pending, t.isNew, t.dirty = loci.Batch{}, false, false
	for _, e := range b.Events {
		t.agent.feeds.durable(t.feed, *e)
		t.show(*e)
	}
	return nil
}

// unsettle puts the questions back to what they are on record: their change goes
// with its event, not with a later one.
func (t *turn) unsettle() {
	for _, s := range slices.Backward(t.pending.Settle) {
		t.asked(func(q loci.Approval) bool { return q.ID == s.ID }).State = s.From
	}
	t.pending.Settle, t.pending.Waiting, t.pending.Resume, t.pending.Grants = nil, nil, "", nil
}

// typeOf gives the type of the event with a payload.
func typeOf(payload any) loci.EventType {
	switch payload.(type) {
	case loci.TurnStarted:
		return loci.EventTurnStarted
	case loci.StepFinished:
		return loci.EventStepFinished
	case loci.ToolStarted:
		return loci.EventToolStarted
	case loci.ToolFinished:
		return loci.EventToolFinished
	case loci.Approval:
		return loci.EventApprovalAsked
	case loci.ApprovalAnswered:
		return loci.EventApprovalAnswered
	case loci.TurnWaiting:
		return loci.EventTurnWaiting
	case loci.MessageData:
		return loci.EventMessage
	case loci.TurnFinished:
		return loci.EventTurnFinished
	}
	return loci.EventNotice
}

// record is save for the middle of a turn: it tells whether the turn can go on.
func (t *turn) record(payloads ...any) bool {
	if err := t.save(payloads...); err != nil {
		t.err = errors.Join(t.err, err)
		t.log.Error("event not stored", "stage", "record", "type", typeOf(payloads[0]), "error", err)
		return false
	}
	return true
}

// show gives an event to the consumer, unless it left.
func (t *turn) show(e loci.Event) {
	if !t.left && !t.yield(e) {
		t.left = true
		t.cancel()
	}
}

// draftEvery is how much of a reply, in time, a crash may take.
const draftEvery = 250 * time.Millisecond

// say shows generated text at once. It becomes durable with the message event;
// until then a draft of it is stored now and then.
func (t *turn) say(text, reasoning string) {
	if text == "" && reasoning == "" {
		return
	}
	d := loci.Delta{Text: text, Reasoning: reasoning, Offset: t.shown.Len()}
	t.shown.WriteString(text)
	t.reasoning.WriteString(reasoning)
	if now := time.Now(); now.Sub(t.drafted) > draftEvery {
		t.drafted = now
		t.draft()
	}
	t.agent.feeds.delta(t.feed, d)
	t.show(loci.Event{
		V: loci.EventVersion, Seq: t.feed.seq, Session: t.session.ID, Turn: t.id,
		Time: loci.Now(), Type: loci.EventDelta, Data: d,
	})
}

// draft stores what the turn has said so far.
func (t *turn) draft() {
	ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
	defer cancel()
	d := loci.Draft{Session: t.session.ID, Turn: t.id, Text: t.shown.String(), Reasoning: t.reasoning.String()}
	if err := t.agent.cfg.Log.SaveDraft(ctx, d); err != nil {
		t.log.Error("draft not stored", "stage", "record", "error", err)
	}
}

// replyWith adds the node of the turn's answer: shown is everything the client saw
// in this turn, sent is the last message of the model.
func (t *turn) replyWith(sent loci.Message) {
	t.replied = true
	t.add(transcript.NewNode(t.session.ID, t.lastID, t.id, t.lastPath, t.shown.String(), sent))
}
