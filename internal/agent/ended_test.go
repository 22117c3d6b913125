package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"loci"
)

// TestStopWithdraws stops a turn that waits.
func TestStopWithdraws(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), "Never mind.")
	c := &chat{w: w}
	c.say("write")
	if err := w.agent.Stop(t.Context(), owner, c.session); err != nil {
		t.Fatal(err)
	}
	if o := c.say("yes"); w.tools.file("todo.md") != "" || !strings.Contains(o.text, "no longer stands") {
		t.Errorf("%+v", o)
	}
	cut, err := w.store.Unfinished(t.Context())
	if err != nil || len(cut) != 0 {
		t.Errorf("%+v, %v", cut, err)
	}
}

// TestEffectFinishes lets a write that has begun come to its end when the client
// leaves.
func TestEffectFinishes(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk))
	c := &chat{w: w}
	c.say("write")
	ctx, leave := context.WithCancel(t.Context())
	w.tools.writing = func(ctx context.Context) {
		leave()
		if ctx.Err() != nil {
			t.Error("the write is cut short")
		}
	}
	var last loci.Event
	for e := range w.agent.Turn(ctx, loci.TurnRequest{Principal: owner, Resent: true, History: c.history, Message: loci.Message{Role: loci.User, Content: "yes"}}) {
		last = e
	}
	if fin, ok := last.Data.(loci.TurnFinished); !ok || fin.State != loci.TurnInterrupted || w.tools.file("todo.md") != "milk" {
		t.Errorf("%+v, wrote %q", last, w.tools.file("todo.md"))
	}
	if o := c.say("yes"); w.tools.file("todo.md") != "milk" || len(o.results) != 0 {
		t.Errorf("done twice: %+v", o)
	}
}

// TestSilence is nobody answering: nothing is done, and who comes late hears so.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for tier, replies := range writes {
			w := newWorld(t, tier, replies...)
			c := &chat{w: w}
			asked := c.say("write")
			if fin := w.until(c.session, loci.EventTurnFinished); fin.Turn != asked.asked[0].Turn {
				t.Errorf("%s: %+v", tier, fin)
			}
			o := c.say("yes")
			if w.tools.file("todo.md") != "" || !strings.Contains(o.text, "has expired") || len(w.model.requests) > 1 {
				t.Errorf("%s: %+v", tier, o)
			}
			if o := w.turn(loci.TurnRequest{Principal: owner, Session: c.session, Message: loci.Message{Role: loci.User, Content: "Hello?"}}); o.finished.State != loci.TurnDone {
				t.Errorf("%s: the session does not go on: %+v", tier, o)
			}
		}
	})
}

// TestSilenceInPart answers one question of two.
func TestSilenceInPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, loci.TierNative, []any{call("write_file", milk), call("write_file", bread)}, "One of them.")
		c := &chat{w: w}
		asked := c.say("write").asked
		c.say("yes " + asked[1].Code)
		w.until(c.session, loci.EventTurnFinished)
		if w.tools.file("todo.md") != "" || w.tools.file("list.md") != "bread" {
			t.Error(w.tools.files)
		}
	})
}

// TestExpiredWhileDown restarts after the time for an answer was over.
func TestExpiredWhileDown(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk))
	c := &chat{w: w}
	w.wait = time.Nanosecond
	w.agent.Close()
	w.agent = w.again()
	w.agent.Close() // no timer of it fires
	w.agent = w.again()
	if o := c.say("write"); !o.waits {
		t.Fatalf("%+v", o)
	}
	w.restart()
	w.until(c.session, loci.EventTurnFinished)
	if o := c.say("yes"); w.tools.file("todo.md") != "" || !strings.Contains(o.text, "has expired") {
		t.Errorf("%+v", o)
	}
}

// TestYesBeforeItExpires says yes right after the start, when the questions whose time
// ran out meanwhile are still being ended.
func TestYesBeforeItExpires(t *testing.T) {
	const many = 30
	w := newWorld(t, loci.TierNative, slices.Repeat([]any{call("write_file", milk)}, many)...)
	w.wait = time.Nanosecond
	w.agent.Close()
	w.agent = w.again()
	w.agent.Close() // no timer of it fires
	w.agent = w.again()
	chats := make([]chat, many)
	for i := range chats {
		chats[i].w = w
		if o := chats[i].say("write"); !o.waits {
			t.Fatalf("%+v", o)
		}
	}
	w.restart()
	for _, c := range slices.Backward(chats) {
		if o := c.say("yes"); w.tools.file("todo.md") != "" || !strings.Contains(o.text, "has expired") {
			t.Errorf("%+v", o)
		}
	}
	for _, c := range chats {
		w.until(c.session, loci.EventTurnFinished)
	}
	if open, err := w.store.Approvals(t.Context(), owner.ID); err != nil || len(open) > 0 {
		t.Errorf("%d questions are still open: %v", len(open), err)
	}
}

// TestCrashInTheEffect takes up what a crash in the middle of a write left: the
// model and the person hear that it is not known, and it is not done again.
func TestCrashInTheEffect(t *testing.T) {
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
		w := newWorld(t, tier, append(slices.Clone(writes[tier]), "I see.")...)
		c := &chat{w: w}
		c.say("write")
		w.tools.writing = func(context.Context) {
			cut, err := w.store.Unfinished(t.Context())
			if err != nil || len(cut) != 1 {
				t.Errorf("%+v, %v", cut, err)
			}
			after := w.again()
			defer after.Close()
			if err := after.Recover(t.Context(), cut); err != nil {
				t.Error(err)
			}
			panic("crashed")
		}
		func() {
			defer func() { _ = recover() }()
			c.say("yes")
		}()
		w.tools.writing = nil
		w.agent = w.again()
		o := w.turn(loci.TurnRequest{Principal: owner, Session: c.session, Message: loci.Message{Role: loci.User, Content: "What happened?"}})
		if o.finished.State != loci.TurnDone || w.tools.file("todo.md") != "" {
			t.Errorf("%+v", o)
		}
		read := ""
		for _, m := range w.model.requests[len(w.model.requests)-1].Messages {
			read += m.Content
		}
		if !strings.Contains(read, "not known whether it was done") {
			t.Errorf("%s: the model reads %s", tier, read)
		}
	}
}

// TestStopBetweenEffects ends a turn after the first of two calls with a yes: what
// was done is in the transcript, in each tier, and the other yes is withdrawn.
func TestStopBetweenEffects(t *testing.T) {
	both := map[loci.Tier]any{
		loci.TierNative: []any{call("write_file", milk), call("write_file", bread)},
		loci.TierText:   `<tool>write_file({"path": "todo.md", "content": "milk"})</tool><tool>write_file({"path":"list.md","content":"bread"})</tool>`,
	}
	for tier, reply := range both {
		w := newWorld(t, tier, reply, "I see.")
		c := &chat{w: w}
		asked := c.say("write").asked
		if len(asked) != 2 {
			t.Fatalf("%s: %+v", tier, asked)
		}
		ctx, leave := context.WithCancel(t.Context())
		w.tools.writing = func(context.Context) { leave() }
		for range w.agent.Turn(ctx, loci.TurnRequest{Principal: owner, Session: c.session, Message: loci.Message{Role: loci.User, Content: "yes to all"}}) {
		}
		w.tools.writing = nil
		if w.tools.file("todo.md") != "milk" || w.tools.file("list.md") != "" {
			t.Errorf("%s: wrote %q", tier, w.tools.files)
		}
		w.turn(loci.TurnRequest{Principal: owner, Session: c.session, Message: loci.Message{Role: loci.User, Content: "What happened?"}})
		read := ""
		for _, m := range w.model.requests[len(w.model.requests)-1].Messages {
			read += m.Content
		}
		if !strings.Contains(read, `"written":true`) {
			t.Errorf("%s: the model does not know what was done: %s", tier, read)
		}
		after, err := w.store.Approval(t.Context(), owner.ID, asked[1].ID)
		if err != nil || after.State != loci.ApprovalWithdrawn {
			t.Errorf("%s: the other question is %s, %v", tier, after.State, err)
		}
	}
}

// TestLeaveAtTheQuestion is a client that goes while the question is shown: it is
// withdrawn, the turn is interrupted, and a late yes does nothing. (Case 16 D of
// what users of such systems report.)
func TestLeaveAtTheQuestion(t *testing.T) {
	for tier, replies := range writes {
		w := newWorld(t, tier, replies...)
		var asked loci.Approval
		for e, err := range w.agent.Turn(t.Context(), loci.TurnRequest{Principal: owner, Resent: true, Message: loci.Message{Role: loci.User, Content: "write"}}) {
			if err != nil {
				t.Fatal(err)
			}
			if a, ok := e.Data.(loci.Approval); ok {
				asked = a
				break
			}
		}
		now, err := w.store.Approval(t.Context(), owner.ID, asked.ID)
		if err != nil || now.State != loci.ApprovalWithdrawn {
			t.Errorf("%s: the question is %s, %v", tier, now.State, err)
		}
		var fin loci.TurnFinished
		if e := w.until(asked.Session, loci.EventTurnFinished); e.DecodeData(&fin) != nil || fin.State != loci.TurnInterrupted {
			t.Errorf("%s: the turn is %+v", tier, fin)
		}
		if o := w.ask(nil, "yes "+asked.Code); !strings.Contains(o.text, "no longer stands") || w.tools.file("todo.md") != "" {
			t.Errorf("%s: a late yes: %+v", tier, o)
		}
	}
}
