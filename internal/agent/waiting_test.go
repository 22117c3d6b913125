package agent_test

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

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
		{name: "something else", told: "was taken back; nothing was done", say: func(c *chat, _ loci.Approval) outcome { return c.say("What is the time?") }},
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
		{name: "wrong code", told: "There is no question 2A2", waiting: true, say: func(c *chat, _ loci.Approval) outcome { return c.say("yes 2A2") }},
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
	for _, back := range []string{"stop", "no to all", "no CODE"} {
		t.Run("a yes taken back by "+back, func(t *testing.T) {
			w, c, asked := begin(t)
			c.say("yes " + asked[1].Code)
			o := c.say(strings.Replace(back, "CODE", asked[1].Code, 1))
			if back == "no CODE" {
				o = c.say("no")
			}
			if w.tools.file("list.md")+w.tools.file("todo.md") != "" || len(o.results) != 3 {
				t.Errorf("%+v", o)
			}
		})
	}
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
	if _, err := w.agent.Answer(t.Context(), loci.Principal{ID: "user:eve"}, asked.ID, true, ""); err == nil {
		t.Fatal("another person answered")
	}
	a, err := w.agent.Answer(t.Context(), owner, asked.ID, true, "")
	if err != nil || a.State != loci.ApprovalYes {
		t.Fatalf("%+v, %v", a, err)
	}
	w.until(c.session, loci.EventTurnFinished)
	if w.tools.file("todo.md") != "milk" {
		t.Error("not written")
	}
	if _, err := w.agent.Answer(t.Context(), owner, asked.ID, true, ""); err == nil || loci.AsError(err).Code != loci.Conflict {
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

// TestSameFileTwice has one step change a file twice: the second change is asked
// about when the first is done, as it is then.
func TestSameFileTwice(t *testing.T) {
	w := newWorld(t, loci.TierNative, []any{call("write_file", milk), call("write_file", `{"path":"todo.md","content":" and eggs"}`)}, "Both.")
	c := &chat{w: w}
	if o := c.say("write"); len(o.asked) != 1 {
		t.Fatalf("%+v", o)
	}
	if o := c.say("yes"); len(o.asked) != 1 || w.tools.file("todo.md") != "milk" {
		t.Fatalf("%+v", o)
	}
	if o := c.say("yes"); w.tools.file("todo.md") != "milk and eggs" || o.text != "Both." {
		t.Errorf("%+v", o)
	}
}

// TestCallIDsAgain is a server that counts its calls from 0 in each reply.
func TestCallIDsAgain(t *testing.T) {
	first, second := call("write_file", milk), call("write_file", bread)
	first.ID, second.ID = "call_0", "call_0"
	w := newWorld(t, loci.TierNative, first, second, "Both.")
	c := &chat{w: w}
	c.say("write")
	if o := c.say("yes"); len(o.asked) != 1 {
		t.Fatalf("%+v", o)
	}
	if o := c.say("yes"); w.tools.file("list.md") != "bread" || o.text != "Both." {
		t.Errorf("%+v", o)
	}
}

// TestEveryAnswerIsTold answers one of three questions; silence answers the rest.
func TestEveryAnswerIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, loci.TierNative, []any{
			call("write_file", milk), call("write_file", bread), call("write_file", `{"path":"c.md","content":"c"}`)}, "One of them.")
		c := &chat{w: w}
		asked := c.say("write").asked
		if _, err := w.agent.Answer(t.Context(), owner, asked[1].ID, true, ""); err != nil {
			t.Fatal(err)
		}
		w.until(c.session, loci.EventTurnFinished)
		events, err := w.store.Events(t.Context(), c.session, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]loci.ApprovalState{}
		for _, e := range events {
			var d loci.ApprovalAnswered
			if e.Type == loci.EventApprovalAnswered && e.DecodeData(&d) == nil {
				told[d.ID] = d.Answer
			}
		}
		want := map[string]loci.ApprovalState{asked[0].ID: loci.ApprovalExpired, asked[1].ID: loci.ApprovalYes, asked[2].ID: loci.ApprovalExpired}
		if d := cmp.Diff(want, told); d != "" || w.tools.file("list.md") != "bread" {
			t.Errorf("wrote %q (-want +got):\n%s", w.tools.files, d)
		}
	})
}

// TestModelAwayAtTheYes: in a chat the person hears of it, and the question stays
// open; an answer from elsewhere is carried out, and what fails is the step after.
func TestModelAwayAtTheYes(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), loci.Errorf(loci.Unreachable, "It does not answer."))
	c := &chat{w: w}
	asked := c.say("write").asked[0]
	w.model.away = true
	if o := w.ask(c.history, "yes"); o.err == nil || loci.AsError(o.err).Code != loci.Unreachable || w.tools.file("todo.md") != "" {
		t.Errorf("%+v", o)
	}
	if _, err := w.agent.Answer(t.Context(), owner, asked.ID, true, ""); err != nil {
		t.Fatal(err)
	}
	fin := w.until(c.session, loci.EventTurnFinished)
	var d loci.TurnFinished
	if err := fin.DecodeData(&d); err != nil || d.State != loci.TurnFailed || w.tools.file("todo.md") != "milk" {
		t.Errorf("%+v, %v, wrote %q", d, err, w.tools.files)
	}
	w.model.mu.Lock()
	w.model.away = false
	w.model.mu.Unlock()
	if o := c.say("And?"); o.finished.State != loci.TurnDone {
		t.Errorf("the session is stuck: %+v", o)
	}
}

// TestManyAnswerAtOnce has both questions of a turn answered at the same moment,
// each several times: each counts once, and all is done.
func TestManyAnswerAtOnce(t *testing.T) {
	w := newWorld(t, loci.TierNative, []any{call("write_file", milk), call("write_file", bread)}, "Both.")
	c := &chat{w: w}
	asked := c.say("write").asked
	var all sync.WaitGroup
	var took atomic.Int64
	for range 4 {
		for _, q := range asked {
			all.Go(func() {
				if _, err := w.agent.Answer(t.Context(), owner, q.ID, true, ""); err == nil {
					took.Add(1)
				} else if code := loci.AsError(err).Code; code != loci.Conflict && code != loci.Overloaded {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	w.until(c.session, loci.EventTurnFinished)
	if took.Load() != 2 || w.tools.file("todo.md") != "milk" || w.tools.file("list.md") != "bread" {
		t.Errorf("%d answers counted; wrote %q", took.Load(), w.tools.files)
	}
}

// TestTwoTabs answers the first question of a turn again when it waits at a second:
// the second tab hears what became of what it shows.
func TestTwoTabs(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), call("write_file", bread), "Both.")
	c := &chat{w: w}
	c.say("write")
	behind := &chat{w: w, history: slices.Clone(c.history)}
	if o := c.say("yes"); !o.waits {
		t.Fatalf("%+v", o)
	}
	if o := behind.say("yes"); !strings.Contains(o.text, "was used already") || w.tools.file("list.md") != "" {
		t.Errorf("%+v", o)
	}
	if c.say("yes"); w.tools.file("list.md") != "bread" {
		t.Error("the second question is gone")
	}
}

// TestFailureAfterTheEffect tells what was done although the model fails after it.
func TestFailureAfterTheEffect(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), loci.Errorf(loci.Unreachable, "It does not answer."))
	c := &chat{w: w}
	c.say("write")
	if o := w.ask(c.history, "yes"); o.finished.State != loci.TurnFailed || !strings.Contains(o.text, "Wrote todo.md.") {
		t.Errorf("%+v", o)
	}
}

// TestOneThreadTwice is a chat that asks two models at once: both conversations are
// of one thread, and each answer finds its question.
func TestOneThreadTwice(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("write_file", milk), call("write_file", bread), "Well.", "Well.")
	ask := func(history []loci.Message, text string) outcome {
		return w.turn(loci.TurnRequest{Principal: owner, Thread: "chat-1", Resent: true, History: history, Message: loci.Message{Role: loci.User, Content: text}})
	}
	// The second begins before the first is stored, as far as it can tell.
	first := ask(nil, "write")
	second := w.turn(loci.TurnRequest{Principal: owner, Resent: true, Message: loci.Message{Role: loci.User, Content: "write"}})
	s, err := w.store.Session(t.Context(), owner.ID, second.session)
	if err != nil {
		t.Fatal(err)
	}
	s.Thread = "chat-1"
	if err := w.store.Save(t.Context(), loci.Batch{Session: &s}); err != nil {
		t.Fatal(err)
	}
	for _, o := range []outcome{first, second} {
		ask([]loci.Message{{Role: loci.User, Content: "write"}, {Role: loci.Assistant, Content: o.text}}, "yes")
	}
	if w.tools.file("todo.md") != "milk" || w.tools.file("list.md") != "bread" {
		t.Errorf("wrote %q", w.tools.files)
	}
}

// TestBackFromABranch writes with a yes, goes on from an earlier message, and comes
// back to the question: the model knows that it was done.
func TestBackFromABranch(t *testing.T) {
	for tier, replies := range writes {
		t.Run(string(tier), func(t *testing.T) {
			w := newWorld(t, tier, append([]any{"Hi."}, append(replies, "Another branch.", "Shorter.")...)...)
			c := &chat{w: w}
			c.say("hello")
			start := c.history
			c.say("write")
			asked := c.history
			c.say("yes")
			w.ask(start, "something else")
			w.ask(asked, "please make it shorter")
			var read strings.Builder
			for _, m := range w.model.requests[len(w.model.requests)-1].Messages {
				read.WriteString(m.Content + "\n")
			}
			if strings.Contains(read.String(), "stopped before this ran") || tier != loci.TierTiny && !strings.Contains(read.String(), "It is on your list.") {
				t.Errorf("the model reads:\n%s", read.String())
			}
		})
	}
}
