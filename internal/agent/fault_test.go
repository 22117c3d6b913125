package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"loci"
	"loci/internal/store"
)

// faultyLog is a database that a test can break, or do something in the middle of.
type faultyLog struct {
	*store.DB
	mu     sync.Mutex
	save   func(b loci.Batch) error // before a batch is stored
	saved  func(b loci.Batch)       // after it
	waited func()                   // called once, after somebody looked whether a turn waits
}

func (l *faultyLog) Save(ctx context.Context, b loci.Batch) error {
	l.mu.Lock()
	save, saved := l.save, l.saved
	l.mu.Unlock()
	if save != nil {
		if err := save(b); err != nil {
			return err
		}
	}
	err := l.DB.Save(ctx, b)
	if err == nil && saved != nil {
		saved(b)
	}
	return err
}

func (l *faultyLog) Waiting(ctx context.Context, principal, session string) (loci.Waiting, error) {
	w, err := l.DB.Waiting(ctx, principal, session)
	l.mu.Lock()
	waited := l.waited
	l.waited = nil
	l.mu.Unlock()
	if waited != nil {
		waited()
	}
	return w, err
}

func (l *faultyLog) on(save func(loci.Batch) error, saved func(loci.Batch)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.save, l.saved = save, saved
}

var errDisk = errors.New("the disk is full")

// state is what is on record of a question.
func (w *world) state(q loci.Approval) loci.ApprovalState {
	w.t.Helper()
	now, err := w.store.Approval(w.t.Context(), owner.ID, q.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return now.State
}

// TestEachSaveFails walks through two questions of a step, of which one is answered
// by the API and one in the chat, and loses one batch after the other. Whatever is
// lost: nothing is written without a yes that is on record as used, a yes counts as
// used only for a call that began, no answer is claimed that is not stored, and
// every change of a question is told by an event.
func TestEachSaveFails(t *testing.T) {
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
		for n := 1; ; n++ {
			if !eachSaveFails(t, tier, n) {
				if n < 6 {
					t.Errorf("%s: %d batches only", tier, n-1)
				}
				break
			}
		}
	}
}

// eachSaveFails loses the batch number n, and tells whether there was one.
func eachSaveFails(t *testing.T, tier loci.Tier, n int) (lost bool) {
	var replies []any
	if tier == loci.TierNative {
		replies = []any{[]any{call("write_file", milk), call("write_file", bread)}, "Both."}
	} else {
		replies = []any{`<tool_call>{"name":"write_file","arguments":` + milk + `}</tool_call><tool_call>{"name":"write_file","arguments":` + bread + `}</tool_call>`, "Both."}
	}
	w := newWorld(t, tier, replies...)
	count := 0
	begun := map[string]bool{} // calls
	told := map[string]loci.ApprovalState{}
	w.log.on(func(b loci.Batch) error {
		if count++; count == n {
			lost = true
			return errDisk
		}
		return nil
	}, func(b loci.Batch) {
		for _, e := range b.Events {
			switch d := e.Data.(type) {
			case loci.ToolStarted:
				begun[d.Call.ID] = true
			case loci.ApprovalAnswered:
				told[d.ID] = d.Answer
			}
		}
	})
	o := w.ask(nil, "write")
	asked := o.asked
	if len(asked) == 2 {
		if now, err := w.agent.Answer(t.Context(), owner, asked[0].ID, true, ""); err == nil && w.state(asked[0]) != now.State {
			t.Errorf("%s, batch %d: the answer was said to be %q, and is %q", tier, n, now.State, w.state(asked[0]))
		}
		w.ask([]loci.Message{{Role: loci.User, Content: "write"}, {Role: loci.Assistant, Content: o.text}}, "yes to all")
	}
	w.agent.Close()
	for _, q := range asked {
		path := map[bool]string{true: "todo.md", false: "list.md"}[q.ID == asked[0].ID]
		written, used := w.tools.file(path) != "", w.state(q) == loci.ApprovalUsed
		if written != used || used != begun[q.Call] {
			t.Errorf("%s, batch %d: %s was written: %v, its yes used: %v, its call began: %v", tier, n, path, written, used, begun[q.Call])
		}
		if s := w.state(q); s != loci.ApprovalOpen && !used && told[q.ID] != s {
			t.Errorf("%s, batch %d: %s is %q, and the events say %q", tier, n, q.Code, s, told[q.ID])
		}
	}
	return lost
}

// TestYesWithoutItsCall loses the batch in which a call begins: its yes is taken
// back, and is not told to be used.
func TestYesWithoutItsCall(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), "Done.")
	c := &chat{w: w}
	asked := c.say("write").asked
	w.log.on(func(b loci.Batch) error {
		if len(b.Settle) > 0 && b.Settle[0].To == loci.ApprovalUsed {
			return errDisk
		}
		return nil
	}, nil)
	o := c.say("yes")
	if w.state(asked[0]) != loci.ApprovalWithdrawn || w.tools.file("todo.md") != "" || o.finished.State != loci.TurnFailed {
		t.Errorf("%q, %q, %+v", w.state(asked[0]), w.tools.file("todo.md"), o)
	}
}

// TestParkedBetweenLookAndLane has another turn of the session come and go in the
// moment between a message's first look and its turn.
func TestParkedBetweenLookAndLane(t *testing.T) {
	w := newWorld(t, loci.TierNative, "Hi.", call("write_file", milk), "Sunny.")
	first := w.ask(nil, "hello")
	say := func(text string) outcome {
		return w.turn(loci.TurnRequest{Principal: owner, Session: first.session, Message: loci.Message{Role: loci.User, Content: text}})
	}
	var parked outcome
	w.log.waited = func() { parked = say("write") }
	if o := say("What is the weather?"); !strings.Contains(o.text, "Sunny.") || w.state(parked.asked[0]) != loci.ApprovalWithdrawn {
		t.Errorf("%+v; the question is %q", o, w.state(parked.asked[0]))
	}
	var read strings.Builder
	for _, m := range w.model.requests[2].Messages {
		read.WriteString(m.Content + "\n")
	}
	if !strings.Contains(read.String(), "write") {
		t.Errorf("the model does not know of the turn before:\n%s", read.String())
	}
}

// TestLateDeadline has the time of a first question end while its yes is taken up:
// the second question has its own time.
func TestLateDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, loci.TierNative, call("write_file", milk), call("write_file", bread), "Both.")
		c := &chat{w: w}
		expires := c.say("write").asked[0].Expires
		w.model.looked = func() { <-time.After(time.Until(expires.Time) + time.Second) }
		o := c.say("yes")
		if len(o.asked) != 1 {
			t.Fatalf("%+v", o)
		}
		// This one comes after the end of the first question's time, which waits for the lane.
		if now, err := w.agent.Answer(t.Context(), owner, o.asked[0].ID, false, ""); err != nil || now.State != loci.ApprovalNo {
			t.Errorf("the second question is %q with %v of its time left: %v", now.State, time.Until(o.asked[0].Expires.Time), err)
		}
	})
}

// TestStopAtTheQuestion stops a turn in the moment in which its question is stored.
func TestStopAtTheQuestion(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), "Done.")
	var stopped error
	w.log.on(func(b loci.Batch) error {
		if b.Waiting != nil {
			stopped = w.agent.Stop(context.Background(), owner, b.Waiting.Session)
		}
		return nil
	}, nil)
	o := (&chat{w: w}).say("write")
	if stopped != nil || w.state(o.asked[0]) != loci.ApprovalWithdrawn {
		t.Errorf("%v; the question is %q", stopped, w.state(o.asked[0]))
	}
}

// TestPanicInAnAnswer has the caller hear of it.
func TestPanicInAnAnswer(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), "Done.")
	asked := (&chat{w: w}).say("write").asked
	w.model.looked = func() { panic("boom") }
	if now, err := w.agent.Answer(t.Context(), owner, asked[0].ID, true, ""); err == nil || now.State != loci.ApprovalOpen {
		t.Errorf("%q, %v", now.State, err)
	}
	if now, err := w.agent.Answer(t.Context(), owner, asked[0].ID, true, ""); err != nil || now.State != loci.ApprovalYes {
		t.Errorf("the next one: %q, %v", now.State, err)
	}
}

// TestAnswersDoNotQueueUp has one answer wait behind a slow one of its conversation,
// and another conversation's go at once.
func TestAnswersDoNotQueueUp(t *testing.T) {
	w := newWorld(t, loci.TierNative, []any{call("write_file", milk), call("write_file", bread)}, call("write_file", milk))
	slow := (&chat{w: w}).say("write").asked
	other := (&chat{w: w}).say("write").asked[0]
	reached, open := make(chan struct{}), make(chan struct{})
	w.model.looked = func() { close(reached); <-open }
	var both sync.WaitGroup
	answer := func(q loci.Approval) {
		if _, err := w.agent.Answer(t.Context(), owner, q.ID, true, ""); err != nil {
			t.Error(err)
		}
	}
	both.Go(func() { answer(slow[0]) })
	<-reached
	both.Go(func() { answer(slow[1]) })
	answer(other) // returns while the others wait
	close(open)
	both.Wait()
}

// TestGoneModelKeepsTheQuestion is a message that cannot be taken: what waits waits
// on.
func TestGoneModelKeepsTheQuestion(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), "Done.")
	c := &chat{w: w}
	asked := c.say("write").asked
	w.model.mu.Lock()
	w.model.away = true
	w.model.mu.Unlock()
	if o := w.ask(c.history, "What is the weather?"); loci.AsError(o.err).Code != loci.Unreachable || w.state(asked[0]) != loci.ApprovalOpen {
		t.Errorf("%+v; the question is %q", o, w.state(asked[0]))
	}
}

// TestStopDuringAnAnswer stops a session while a yes is on its way and the model
// server hangs: the question is withdrawn when the stop returns.
func TestStopDuringAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, loci.TierNative, call("write_file", milk), "Done.")
		c := &chat{w: w}
		asked := c.say("write").asked
		var stopped sync.WaitGroup
		w.model.looked = func() {
			stopped.Go(func() {
				if err := w.agent.Stop(context.Background(), owner, c.session); err != nil {
					t.Error(err)
				}
				if s := w.state(asked[0]); s == loci.ApprovalOpen {
					t.Errorf("after the stop the question is %q", s)
				}
			})
			synctest.Wait() // it waits for the lane
			w.model.mu.Lock()
			w.model.away = true
			w.model.mu.Unlock()
		}
		w.ask(c.history, "yes")
		stopped.Wait()
		if w.tools.file("todo.md") != "" {
			t.Error("it was written after a stop")
		}
	})
}

// TestDeadlineInAFullLane has the time of a question end while one message runs in
// the conversation and another waits behind it.
func TestDeadlineInAFullLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, loci.TierNative, call("write_file", milk), "One.", "Two.")
		c := &chat{w: w}
		asked := c.say("write").asked[0]
		var both sync.WaitGroup
		w.model.mu.Lock()
		w.model.looked = func() {
			both.Go(func() { w.ask(c.history, "yes "+asked.Code) })
			<-time.After(time.Until(asked.Expires.Time) + time.Second)
			w.model.mu.Lock()
			w.model.away = true
			w.model.mu.Unlock()
		}
		w.model.mu.Unlock()
		w.ask(c.history, "yes "+asked.Code)
		both.Wait()
		w.until(c.session, loci.EventTurnFinished)
		if s := w.state(asked); s != loci.ApprovalExpired || w.tools.file("todo.md") != "" {
			t.Errorf("the question is %q, the file %q", s, w.tools.file("todo.md"))
		}
	})
}
