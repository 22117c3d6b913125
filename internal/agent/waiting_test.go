package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// chat is a client that resends what it saw.
type chat struct {
	w       *world
	history []loci.Message
	session string
}

// say sends a message and keeps what the client would show.
func (c *chat) say(text string) outcome {
	c.w.t.Helper()
	o := c.w.ask(c.history, text)
	if o.err != nil {
		c.w.t.Fatal(o.err)
	}
	c.history = append(c.history, loci.Message{Role: loci.User, Content: text}, loci.Message{Role: loci.Assistant, Content: o.text})
	if c.session == "" {
		c.session = o.session
	}
	return o
}

const (
	milk   = `{"path": "todo.md", "content": "milk"}`
	bread  = `{"path":"list.md","content":"bread"}`
	inText = "I will write it.\n<tool>write_file({\"path\": \"todo.md\", \"content\": \"milk\"})"
)

// writes are the tiers' ways to write todo.md and then to say so.
var writes = map[loci.Tier][]any{
	loci.TierNative: {[]any{"I will write it.", call("write_file", milk)}, "It is on your list."},
	loci.TierText:   {inText, "It is on your list."},
	loci.TierTiny:   nil,
}

// TestYes walks each tier through a question, with a restart before the answer.
func TestYes(t *testing.T) {
	for tier, replies := range writes {
		for _, restart := range []bool{false, true} {
			t.Run(string(tier), func(t *testing.T) {
				w := newWorld(t, tier, replies...)
				c := chat{w: w}
				first := c.say("write")
				if !first.waits || len(first.asked) != 1 || w.tools.file("todo.md") != "" {
					t.Fatalf("not asked: %+v", first)
				}
				if restart {
					w.restart()
				}
				second := c.say("Yes, please!")
				if w.tools.file("todo.md") != "milk" || second.finished.State != loci.TurnDone || second.session != first.session {
					t.Fatalf("after the yes: %q, %+v", w.tools.file("todo.md"), second)
				}
				want := []string{"approval.answered", "tool.started", "tool.finished", "step.finished", "message", "turn.finished"}
				if tier == loci.TierTiny {
					want = []string{"approval.answered", "tool.started", "tool.finished", "message", "turn.finished"}
				}
				if d := cmp.Diff(want, second.types); d != "" {
					t.Error(d)
				}
				if len(w.model.requests) == 2 {
					extends(t, w.model.requests[0].Messages, w.model.requests[1].Messages)
				}
				if third := c.say("yes"); w.tools.file("todo.md") != "milk" || len(third.results) != 0 {
					t.Errorf("a second yes did something: %+v", third)
				}
			})
		}
	}
}

// extends checks that a model call begins with the messages of another, and that
// none of them is between the person and loci alone.
func extends(t *testing.T, before, after []loci.Message) {
	t.Helper()
	if d := cmp.Diff(before, after[:len(before)]); d != "" {
		t.Errorf("the prefix moved:\n%s", d)
	}
	for _, m := range after {
		if strings.Contains(m.Content, "May I") || m.Content == "Yes, please!" {
			t.Errorf("the model reads %q", m.Content)
		}
	}
}

// restart stops the agent and makes it anew on the same database.
func (w *world) restart() {
	w.t.Helper()
	w.agent.Close()
	w.agent = w.again()
	cut, err := w.store.Unfinished(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if len(cut) != 0 {
		w.t.Errorf("waiting turns are taken for broken ones: %+v", cut)
	}
	if err := w.agent.Recover(w.t.Context(), cut); err != nil {
		w.t.Fatal(err)
	}
}

// TestNo has the model go on with the knowledge that it may not.
func TestNo(t *testing.T) {
	for tier, replies := range writes {
		w := newWorld(t, tier, replies...)
		c := chat{w: w}
		c.say("write")
		o := c.say("nein danke")
		if w.tools.file("todo.md") != "" || len(o.results) != 1 || !o.results[0].Refused || o.finished.State != loci.TurnDone {
			t.Errorf("%s: %+v, wrote %q", tier, o, w.tools.file("todo.md"))
		}
		if n := len(w.model.requests); n == 2 && !strings.Contains(lastContent(w.model.requests[1]), "said no to this call") {
			t.Errorf("%s: the model does not read of it: %q", tier, lastContent(w.model.requests[1]))
		}
	}
}

func lastContent(r loci.Request) string { return r.Messages[len(r.Messages)-1].Content }

// TestMistakes are the ways in which people answer what they were not asked, or
// not what they mean. None of them writes.
func TestMistakes(t *testing.T) {
	for _, m := range []struct {
		name    string
		say     func(c *chat, asked loci.Approval) outcome
		wrote   string // todo.md then
		told    string // part of the reply
		waiting bool   // the question is open still
	}{
		{name: "yes and more", say: func(c *chat, _ loci.Approval) outcome { return c.say("yes please and also call it x.md") }},
		{name: "something else", say: func(c *chat, _ loci.Approval) outcome { return c.say("What is the time?") }},
		{name: "pasted question", say: func(c *chat, _ loci.Approval) outcome {
			return c.say("What does this mean?\n\n" + c.history[1].Content + "\n\nyes")
		}},
		{name: "another person", waiting: true, say: func(c *chat, asked loci.Approval) outcome {
			return c.w.turn(loci.TurnRequest{
				Principal: loci.Principal{ID: "user:eve"}, Resent: true, History: c.history,
				Message: loci.Message{Role: loci.User, Content: "yes " + asked.Code},
			})
		}},
		{name: "another conversation", waiting: true, say: func(c *chat, _ loci.Approval) outcome {
			return (&chat{w: c.w}).say("yes")
		}},
		{name: "not after the question", waiting: false, say: func(c *chat, _ loci.Approval) outcome {
			c.history = c.history[:0]
			c.history = append(c.history, loci.Message{Role: loci.User, Content: "write"}, loci.Message{Role: loci.Assistant, Content: "Shall I?"})
			return c.w.turn(loci.TurnRequest{
				Principal: owner, Session: c.session, Resent: true, History: c.history,
				Message: loci.Message{Role: loci.User, Content: "yes"},
			})
		}},
		{name: "the code alone", told: "Answer **yes", waiting: true, say: func(c *chat, asked loci.Approval) outcome { return c.say(asked.Code) }},
		{name: "wrong code", say: func(c *chat, _ loci.Approval) outcome { return c.say("yes 2A2") }},
		{name: "edited question", say: func(c *chat, _ loci.Approval) outcome {
			c.history = nil
			return c.w.turn(loci.TurnRequest{
				Principal: owner, Session: c.session, Resent: true, Message: loci.Message{Role: loci.User, Content: "write something else"},
			})
		}},
		{name: "the code from elsewhere", wrote: "milk", say: func(c *chat, asked loci.Approval) outcome {
			return (&chat{w: c.w}).say("yes " + strings.ToLower(asked.Code))
		}},
		{name: "a client that forgot the beginning", wrote: "milk", say: func(c *chat, _ loci.Approval) outcome {
			c.history[0].Content = "(summary of what was said)"
			return c.say("yes")
		}},
	} {
		t.Run(m.name, func(t *testing.T) {
			w := newWorld(t, loci.TierNative, call("write_file", milk), "Well.")
			c := &chat{w: w}
			asked := c.say("write").asked[0]
			o := m.say(c, asked)
			if o.err != nil || w.tools.file("todo.md") != m.wrote {
				t.Fatalf("wrote %q: %+v", w.tools.file("todo.md"), o)
			}
			if !strings.Contains(o.text, m.told) {
				t.Errorf("the reply is %q", o.text)
			}
			open, err := w.store.Approvals(t.Context(), owner.ID)
			if err != nil || (len(open) == 1) != m.waiting {
				t.Errorf("open: %+v, %v", open, err)
			}
			if m.waiting || m.wrote != "" {
				return
			}
			if late := c.w.ask(nil, "yes "+asked.Code); w.tools.file("todo.md") != "" || late.finished.State != loci.TurnDone {
				t.Errorf("a late yes: %+v", late)
			}
		})
	}
}

// TestTwoQuestions asks about both calls of a step at once.
func TestTwoQuestions(t *testing.T) {
	begin := func(t *testing.T) (*world, *chat, []loci.Approval) {
		w := newWorld(t, loci.TierNative, []any{call("write_file", milk), call("read_file", `{"path":"notes.md"}`), call("write_file", bread)}, "Both.")
		c := &chat{w: w}
		o := c.say("write")
		if len(o.asked) != 2 || o.asked[0].Code == o.asked[1].Code || len(o.results) != 0 {
			t.Fatalf("%+v", o)
		}
		return w, c, o.asked
	}
	t.Run("yes alone is not clear", func(t *testing.T) {
		w, c, asked := begin(t)
		if o := c.say("yes"); w.tools.file("todo.md") != "" || !strings.Contains(o.text, "Answer each with its code") {
			t.Errorf("%+v", o)
		}
		o := c.say("yes " + asked[1].Code)
		if w.tools.file("list.md") != "" || !o.waits {
			t.Errorf("it went on with one answer of two: %+v", o)
		}
		w.restart()
		o = c.say("no")
		if w.tools.file("list.md") != "bread" || w.tools.file("todo.md") != "" || len(o.results) != 3 || o.text != "Both." {
			t.Errorf("%+v; %q", o, w.tools.files)
		}
	})
	t.Run("yes to all", func(t *testing.T) {
		w, c, _ := begin(t)
		if o := c.say("yes to all"); w.tools.file("list.md") != "bread" || w.tools.file("todo.md") != "milk" || len(o.results) != 3 {
			t.Errorf("%+v", o)
		}
	})
	t.Run("both codes", func(t *testing.T) {
		w, c, asked := begin(t)
		if c.say("yes " + asked[0].Code + " " + asked[1].Code); w.tools.file("list.md") != "bread" || w.tools.file("todo.md") != "milk" {
			t.Error(w.tools.files)
		}
	})
	t.Run("no is for both", func(t *testing.T) {
		w, c, _ := begin(t)
		if o := c.say("no"); w.tools.file("list.md")+w.tools.file("todo.md") != "" || len(o.results) != 3 {
			t.Errorf("%+v", o)
		}
	})
}

// TestChangedMeanwhile has the yes be for what was shown.
func TestChangedMeanwhile(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), "It changed.")
	c := &chat{w: w}
	c.say("write")
	w.tools.files["todo.md"] = "eggs"
	if o := c.say("yes"); w.tools.file("todo.md") != "eggs" || !o.results[0].Refused {
		t.Errorf("%+v", o)
	}
}

// TestAnsweredElsewhere answers by the API, while the chat client knows nothing;
// when it goes on, the model knows what was done.
func TestAnsweredElsewhere(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), "It is written.", "You are welcome.")
	c := &chat{w: w}
	asked := c.say("write").asked[0]
	if _, err := w.agent.Answer(t.Context(), loci.Principal{ID: "user:eve"}, asked.ID, true); err == nil {
		t.Fatal("another person answered")
	}
	a, err := w.agent.Answer(t.Context(), owner, asked.ID, true)
	if err != nil || a.State != loci.ApprovalYes {
		t.Fatalf("%+v, %v", a, err)
	}
	w.until(c.session, loci.EventTurnFinished)
	if w.tools.file("todo.md") != "milk" {
		t.Error("not written")
	}
	if _, err := w.agent.Answer(t.Context(), owner, asked.ID, true); err == nil || loci.AsError(err).Code != loci.Conflict {
		t.Errorf("a second answer: %v", err)
	}
	if o := c.say("Thank you."); o.session != c.session || o.text != "You are welcome." {
		t.Errorf("%+v", o)
	}
	extends(t, w.model.requests[1].Messages, w.model.requests[2].Messages)
	if c.say("And?").session != c.session {
		t.Error("the conversation is not known any more")
	}
}

// until waits for a session's first stored event of a type.
func (w *world) until(session string, want loci.EventType) loci.Event {
	w.t.Helper()
	for e, err := range w.agent.Follow(w.t.Context(), owner, session, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		if e.Type == want {
			return e
		}
	}
	w.t.Fatalf("no %s", want)
	return loci.Event{}
}

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

// TestForkOfAQuestion copies a conversation that waits; only the original can be
// answered.
func TestForkOfAQuestion(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), "Written.", "Copied.")
	c := &chat{w: w}
	c.say("write")
	fork, err := w.agent.Fork(t.Context(), owner, c.session, "")
	if err != nil {
		t.Fatal(err)
	}
	if o := w.turn(loci.TurnRequest{Principal: owner, Session: fork.ID, Message: loci.Message{Role: loci.User, Content: "yes"}}); o.err != nil || w.tools.file("todo.md") != "" {
		t.Errorf("%+v", o)
	}
	if c.say("yes"); w.tools.file("todo.md") != "milk" {
		t.Error("the original cannot be answered any more")
	}
}

// TestSilence is nobody answering: nothing is done, and who comes late hears so.
func TestSilence(t *testing.T) {
	for tier, replies := range writes {
		w := newWorld(t, tier, replies...)
		w.wait = time.Millisecond
		w.agent = w.again()
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
}

// TestSilenceInPart answers one question of two.
func TestSilenceInPart(t *testing.T) {
	w := newWorld(t, loci.TierNative, []any{call("write_file", milk), call("write_file", bread)}, "One of them.")
	w.wait = 300 * time.Millisecond
	w.agent = w.again()
	c := &chat{w: w}
	asked := c.say("write").asked
	c.say("yes " + asked[1].Code)
	w.until(c.session, loci.EventTurnFinished)
	if w.tools.file("todo.md") != "" || w.tools.file("list.md") != "bread" {
		t.Error(w.tools.files)
	}
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
