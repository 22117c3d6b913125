package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// A client that resends only what it saw gets a conversation in which the
// model sees everything again, byte for byte.
func TestToolRoundsAndPrefix(t *testing.T) {
	for _, tc := range []struct {
		tier    loci.Tier
		replies []any
	}{
		{loci.TierNative, []any{
			[]any{"I will look in the folder.", call("list_dir", `{}`)},
			call("read_file", `{"path": "notes.md"}`),
			"You should buy milk.",
			call("read_file", `{"path":"notes.md"}`),
			"Yes, only milk.",
		}},
		{loci.TierText, []any{
			"I will look in the folder.\n<tool>list_dir()",
			[]any{"<to", `ol>read_file(path="notes.md")</tool>`},
			"You should buy milk.",
			`<tool>read_file("notes.md")</tool>`,
			"Yes, only milk.",
		}},
	} {
		t.Run(string(tc.tier), func(t *testing.T) {
			w := newWorld(t, tc.tier, tc.replies...)
			first := w.ask(nil, "What should I buy?")
			want := []string{"turn.started", "step.finished", "tool.started", "tool.finished",
				"step.finished", "tool.started", "tool.finished", "step.finished", "message", "turn.finished"}
			if d := cmp.Diff(want, first.types); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
			if first.text != "I will look in the folder.\n\nYou should buy milk." {
				t.Errorf("the client saw %q", first.text)
			}
			second := w.ask([]loci.Message{
				{Role: loci.User, Content: "What should I buy?"},
				{Role: loci.Assistant, Content: first.text},
			}, "Nothing else?")
			if second.session != first.session {
				t.Fatalf("the second message went to another session")
			}
			if second.text != "Yes, only milk." || second.finished.State != loci.TurnDone {
				t.Errorf("second turn: %q, %+v", second.text, second.finished)
			}
			for i, req := range w.model.requests[1:] {
				before := w.model.requests[i].Messages
				if d := cmp.Diff(before, req.Messages[:len(before)]); d != "" {
					t.Errorf("request %d does not begin with request %d (-before +after):\n%s", i+1, i, d)
				}
				if d := cmp.Diff(w.model.requests[0].Tools, req.Tools); d != "" {
					t.Errorf("the tools moved:\n%s", d)
				}
			}
			purposes := []loci.Purpose{}
			for _, r := range w.model.requests {
				purposes = append(purposes, r.Purpose)
			}
			if d := cmp.Diff([]loci.Purpose{"chat", "step", "step", "chat", "step"}, purposes); d != "" {
				t.Error(d)
			}
			r := first.finished.Receipt
			if r.Calls != 3 || r.Prompt != 300 || *r.Reused != 270 || *r.Evaluated != 30 {
				t.Errorf("receipt %+v", r)
			}
			if w.tools.scope.Folders[0] != "/home/mira" || w.tools.scope.Working != "/home/mira" {
				t.Errorf("the tool ran in %+v", w.tools.scope)
			}
		})
	}
}

func TestTinyTier(t *testing.T) {
	w := newWorld(t, loci.TierTiny, "A list of things to buy.", "Hello!")
	read := w.ask(nil, "read notes.md")
	if read.text != "Buy milk." || len(w.model.requests) != 0 {
		t.Errorf("got %q after %d model calls", read.text, len(w.model.requests))
	}
	sum := w.ask([]loci.Message{{Role: loci.User, Content: "read notes.md"}, {Role: loci.Assistant, Content: read.text}}, "summarise")
	if sum.text != "notes.md:\nA list of things to buy." || sum.session != read.session {
		t.Errorf("got %q in %s", sum.text, sum.session)
	}
	messages := w.model.requests[0].Messages
	if last := messages[len(messages)-1].Content; last != "Summarise: Buy milk." {
		t.Errorf("the model was asked %q", last)
	}
	if got := messages[1].Content; got != "read notes.md" {
		t.Errorf("the history begins with %q", got)
	}
	if o := w.ask(nil, "hello"); o.text != "Hello!" || strings.Contains(w.model.requests[1].Messages[0].Content, "2026") {
		t.Errorf("%q after the system block %q", o.text, w.model.requests[1].Messages[0].Content)
	}
	if o := w.ask(nil, "fail"); o.finished.State != loci.TurnFailed || o.finished.Error.Code != loci.Internal {
		t.Errorf("a failing chooser: %+v", o.finished)
	}
}

func TestLoopsEnd(t *testing.T) {
	same := call("list_dir", `{}`)
	t.Run("identical calls", func(t *testing.T) {
		w := newWorld(t, loci.TierNative, same, same, same, "So there are two files.")
		o := w.ask(nil, "What is there?")
		if len(w.tools.calls) != 2 {
			t.Errorf("the call ran %d times", len(w.tools.calls))
		}
		if last := o.results[2]; last.Err == nil || last.Err.CanRetry || !strings.Contains(last.Err.Message, "call number 3") {
			t.Errorf("the third one gave %+v", last)
		}
		if o.text != "So there are two files." || o.finished.State != loci.TurnDone {
			t.Errorf("%q, %+v", o.text, o.finished)
		}
	})
	t.Run("it does not listen", func(t *testing.T) {
		w := newWorld(t, loci.TierNative, same, same, same, same, "never asked")
		o := w.ask(nil, "What is there?")
		if !strings.Contains(o.text, "I stopped after 4 steps") || len(w.model.requests) != 4 {
			t.Errorf("%q after %d model calls", o.text, len(w.model.requests))
		}
	})
	t.Run("steps", func(t *testing.T) {
		var replies []any
		for i := range 9 {
			replies = append(replies, call("read_file", fmt.Sprintf(`{"path":"%d"}`, i)))
		}
		w := newWorld(t, loci.TierNative, replies...)
		o := w.ask(nil, "Read them all.")
		if len(w.model.requests) != 6 || !strings.Contains(o.text, "I stopped after 6 steps") || o.finished.State != loci.TurnDone {
			t.Errorf("%d model calls, %q", len(w.model.requests), o.text)
		}
	})
	for said, want := range map[string]string{"目录里有什么?": "我走了 4 步还没有做完", "Co je v té složce?": "Ani po 4 krocích nejsem u konce"} {
		t.Run(said, func(t *testing.T) {
			w := newWorld(t, loci.TierNative, same, same, same, same, "never asked")
			if o := w.ask(nil, said); !strings.HasPrefix(strings.TrimSpace(o.text), want) || !strings.Contains(o.text, "list_dir") {
				t.Errorf("%q", o.text)
			}
		})
	}
	t.Run("invented tools", func(t *testing.T) {
		w := newWorld(t, loci.TierNative, call("a", `{}`), call("b", `{}`), call("c", `{}`), "never asked")
		if o := w.ask(nil, "?"); len(w.model.requests) != 3 || !strings.Contains(o.text, "I stopped after 3 steps") {
			t.Errorf("%d model calls, %q", len(w.model.requests), o.text)
		}
	})
}

func TestCorrection(t *testing.T) {
	bad := `<tool>read_file(path=</tool>`
	t.Run("mends it", func(t *testing.T) {
		w := newWorld(t, loci.TierText, bad, `<tool>read_file(path="notes.md")</tool>`, "Milk.")
		o := w.ask(nil, "What should I buy?")
		if o.text != "Milk." {
			t.Errorf("got %q", o.text)
		}
		messages := w.model.requests[1].Messages
		if told := messages[len(messages)-1].Content; !strings.HasPrefix(told, "<tool_output>") || !strings.Contains(told, "canRetry") {
			t.Errorf("the model was told %q", told)
		}
	})
	t.Run("only once", func(t *testing.T) {
		w := newWorld(t, loci.TierText, bad, bad, "never asked")
		o := w.ask(nil, "What should I buy?")
		if len(w.model.requests) != 2 || !strings.Contains(o.text, "cannot be read") || strings.Contains(o.text, "<tool>") {
			t.Errorf("%d calls, %q", len(w.model.requests), o.text)
		}
	})
	t.Run("cut by the limit", func(t *testing.T) {
		w := newWorld(t, loci.TierText, []any{`<tool>read_file(path="no`, loci.FinishLength}, "Sorry.")
		w.ask(nil, "?")
		messages := w.model.requests[1].Messages
		if told := messages[len(messages)-1].Content; len(w.tools.calls) != 0 || !strings.Contains(told, "output limit") {
			t.Errorf("%d calls ran, the model was told %q", len(w.tools.calls), told)
		}
	})
	t.Run("no answer at all", func(t *testing.T) {
		w := newWorld(t, loci.TierNative, "")
		if o := w.ask(nil, "?"); !strings.Contains(o.text, "no answer") {
			t.Errorf("got %q", o.text)
		}
	})
}

func TestBrokenStream(t *testing.T) {
	broken := loci.Errorf(loci.Truncated, "The reply broke off.")
	w := newWorld(t, loci.TierNative, []any{"Half a", " sen", call("list_dir", `{}`), broken})
	o := w.ask(nil, "Say something.")
	if o.text != "Half a sen" || o.finished.State != loci.TurnFailed || o.finished.Error.Code != loci.Truncated {
		t.Errorf("%q, %+v", o.text, o.finished)
	}
	if len(w.tools.calls) != 0 {
		t.Error("a call from a broken stream ran")
	}
	events, err := w.store.Events(t.Context(), o.session, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(events, func(e loci.Event) bool { return e.Type == loci.EventMessage })
	var m loci.MessageData
	if err := events[i].DecodeData(&m); err != nil || !m.Incomplete || m.Text != "Half a sen" {
		t.Errorf("stored as %+v, %v", m, err)
	}
	next := w.ask([]loci.Message{{Role: loci.User, Content: "Say something."}, {Role: loci.Assistant, Content: "Half a sen"}}, "Go on.")
	if next.session != o.session {
		t.Error("the conversation did not go on after a broken reply")
	}
}

func TestServerRefusesTools(t *testing.T) {
	refusal := loci.Errorf(loci.Refused, "does not support tools: %w", loci.ErrNoTools)
	w := newWorld(t, loci.TierNative, refusal, `<tool>read_file("notes.md")</tool>`, "Milk.")
	o := w.ask(nil, "What should I buy?")
	if o.text != "Milk." || o.finished.State != loci.TurnDone {
		t.Errorf("%q, %+v", o.text, o.finished)
	}
	if w.model.requests[1].Tools != nil || !strings.Contains(w.model.requests[1].Messages[0].Content, "<tool>") {
		t.Error("the second try did not offer tools as text")
	}
}

func TestCannotBegin(t *testing.T) {
	w := newWorld(t, loci.TierNative)
	o := w.turn(loci.TurnRequest{Principal: owner, Model: "gone", Message: loci.Message{Role: loci.User, Content: "hi"}})
	if e, ok := errors.AsType[*loci.Error](o.err); !ok || e.Code != loci.NotFound {
		t.Errorf("got %v", o.err)
	}
	o = w.turn(loci.TurnRequest{Principal: owner, Session: "ses_none", Message: loci.Message{Role: loci.User, Content: "hi"}})
	if loci.AsError(o.err).Code != loci.NotFound {
		t.Errorf("got %v", o.err)
	}
	sessions, err := w.store.Sessions(t.Context(), "owner", loci.Time{}, 10)
	if err != nil || len(sessions) != 0 {
		t.Errorf("%d sessions were left behind, %v", len(sessions), err)
	}
}

// A conversation that outgrows the window is cut rarely and then by a lot; in
// between, the prefix stays; and the person is told each time.
func TestWindowOverflow(t *testing.T) {
	w := newWorld(t, loci.TierNative)
	var all strings.Builder // about 490 tokens
	for i := range 45 {
		fmt.Fprintf(&all, "All work and no play makes day %d dull. ", i)
	}
	long := all.String()
	var history []loci.Message
	for i := range 10 {
		history = append(history,
			loci.Message{Role: loci.User, Content: fmt.Sprintf("question %d", i)},
			loci.Message{Role: loci.Assistant, Content: long})
	}
	const turns = 12
	cuts, broken := 0, 0
	for i := range turns {
		w.model.replies = []any{long}
		question := fmt.Sprintf("And now, %d?", i)
		o := w.ask(history, question)
		if strings.Contains(o.text, "no longer sees the oldest") {
			cuts++
			if asked := fmt.Sprintf("of its %d questions", 10+i); !strings.Contains(o.text, asked) {
				t.Errorf("turn %d: the person reads %q, want %q", i, o.text[:min(len(o.text), 200)], asked)
			}
		}
		if !strings.HasSuffix(o.text, long) {
			t.Fatalf("turn %d: the person reads %q", i, o.text)
		}
		history = append(history, loci.Message{Role: loci.User, Content: question}, loci.Message{Role: loci.Assistant, Content: o.text})
		if i == 0 {
			continue
		}
		before, now := w.model.requests[i-1].Messages, w.model.requests[i].Messages
		if len(now) < len(before) || cmp.Diff(before, now[:len(before)]) != "" {
			broken++
		}
	}
	if cuts < 2 || cuts > turns/3 || broken != cuts-1 {
		t.Errorf("in %d turns the conversation was cut %d times, and the prefix broke %d times", turns, cuts, broken)
	}
	if n := len(w.model.requests[turns-1].Messages); n > 1+2*8+1 {
		t.Errorf("the model is sent %d messages", n)
	}
}

// A message that is too long by itself leaves out everything else, once, and is
// then the server's to judge.
func TestMessageLongerThanWindow(t *testing.T) {
	w := newWorld(t, loci.TierNative, "Short.", "Too much.", "Fine.")
	first := w.ask(nil, "hi")
	huge := strings.Repeat("word ", 5000)
	h := []loci.Message{{Role: loci.User, Content: "hi"}, {Role: loci.Assistant, Content: first.text}}
	second := w.ask(h, huge)
	if got := w.model.requests[1].Messages; len(got) != 2 {
		t.Errorf("the model is sent %d messages with it", len(got))
	}
	if !strings.HasPrefix(second.text, "(This message alone is longer than the model's window of 4096 tokens") {
		t.Errorf("the person reads %q", second.text)
	}
	w.ask(append(h, loci.Message{Role: loci.User, Content: huge}, loci.Message{Role: loci.Assistant, Content: second.text}), "and now?")
	if got := w.model.requests[2].Messages; len(got) != 2 || !strings.HasPrefix(got[1].Content, "and now?") {
		t.Errorf("after it the model is sent %d messages", len(got))
	}
}

// A reply without any words says why there are none.
func TestNoWords(t *testing.T) {
	for finish, want := range map[loci.Finish]string{
		loci.FinishStop:   "gave no answer",
		loci.FinishLength: "limit of the reply's length",
	} {
		w := newWorld(t, loci.TierNative, []any{"<think>Hm, let me see", finish})
		if o := w.ask(nil, "Think."); !strings.Contains(o.text, want) {
			t.Errorf("%s: the person reads %q", finish, o.text)
		}
	}
}

// A turn that is stopped between two calls leaves no call without a result:
// servers refuse such a conversation for good.
func TestStopBetweenCalls(t *testing.T) {
	w := newWorld(t, loci.TierNative,
		[]any{call("list_dir", `{}`), call("read_file", `{"path":"notes.md"}`)}, "Never mind.")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var session string
	for e, err := range w.agent.Turn(ctx, loci.TurnRequest{Principal: owner, Message: loci.Message{Role: loci.User, Content: "Look."}}) {
		if err != nil {
			t.Fatal(err)
		}
		session = e.Session
		if e.Type == loci.EventToolFinished {
			cancel() // after the first of two calls
		}
	}
	if len(w.tools.calls) != 1 {
		t.Fatalf("%d calls ran", len(w.tools.calls))
	}
	if o := w.turn(loci.TurnRequest{Principal: owner, Session: session, Message: loci.Message{Role: loci.User, Content: "Go on."}}); o.err != nil {
		t.Fatal(o.err)
	}
	var open []string
	for _, m := range w.model.requests[1].Messages {
		switch {
		case m.Role == loci.ToolRole:
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ToolCallID })
		case len(open) > 0:
			t.Errorf("%s message while the calls %v have no result", m.Role, open)
		}
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		t.Errorf("the calls %v have no result", open)
	}
}

func TestClientLeaves(t *testing.T) {
	w := newWorld(t, loci.TierNative)
	ended := make(chan struct{})
	w.model.replies = []any{[]any{"one ", "two ", func(ctx context.Context) {
		<-ctx.Done()
		close(ended)
	}}}
	var session string
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for e, err := range w.agent.Turn(ctx, loci.TurnRequest{Principal: owner, Message: loci.Message{Role: loci.User, Content: "count"}}) {
		if err != nil {
			t.Fatal(err)
		}
		session = e.Session
		if d, ok := e.Data.(loci.Delta); ok && d.Text == "two " {
			cancel()
		}
	}
	<-ended
	events, err := w.store.Events(t.Context(), session, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var fin loci.TurnFinished
	if err := events[len(events)-1].DecodeData(&fin); err != nil || fin.State != loci.TurnInterrupted {
		t.Errorf("stored as %+v, %v", fin, err)
	}
	if o := w.turn(loci.TurnRequest{Principal: owner, Session: session, Message: loci.Message{Role: loci.User, Content: "again"}}); o.finished.State != loci.TurnDone {
		t.Errorf("the next turn: %+v, %v", o.finished, o.err)
	}
}

// After a turn that failed without a word the roles still take turns: models
// with a strict template would refuse the session for good.
func TestRolesTakeTurns(t *testing.T) {
	down := loci.Errorf(loci.Unreachable, "The server is down.")
	w := newWorld(t, loci.TierNative, "One.", down, down, "Four.", "Five.")
	h := []loci.Message{}
	for i, q := range []string{"first", "second", "third", "fourth", "fifth"} {
		o := w.ask(h, q)
		h = append(h, loci.Message{Role: loci.User, Content: q})
		if o.text != "" {
			h = append(h, loci.Message{Role: loci.Assistant, Content: o.text})
		}
		messages := w.model.requests[i].Messages
		for j, m := range messages[1:] {
			if want := []loci.Role{loci.User, loci.Assistant}[j%2]; m.Role != want {
				t.Errorf("call %d, message %d is from %s", i, j, m.Role)
			}
		}
		if i > 0 {
			if before := w.model.requests[i-1].Messages; cmp.Diff(before, messages[:len(before)]) != "" {
				t.Errorf("call %d does not begin with the one before", i)
			}
		}
	}
}

// TestStops sends a model's own stop sequences beside those of the text tier: some
// servers forget them otherwise, and the model runs on.
func TestStops(t *testing.T) {
	w := newWorld(t, loci.TierText, "Hello.")
	w.model.stops = []string{"<|im_end|>"}
	w.ask(nil, "Hi.")
	if got := w.model.requests[0].Options.Stop; !slices.Contains(got, "<|im_end|>") || !slices.Contains(got, "</tool>") {
		t.Errorf("%q", got)
	}
}
