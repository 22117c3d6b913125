package agent_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/agent"
	"loci/internal/prompt"
	"loci/internal/store"
	"loci/internal/transcript"
)

var today = regexp.MustCompile(`(It is \S+ )?Today is `)

// clocked puts the time into the facts of a session whenever it is read, as somebody
// might who thinks that a model should always know it.
type clocked struct {
	*store.DB
	reads int
}

func (c *clocked) Session(ctx context.Context, principal, id string) (loci.Session, error) {
	s, err := c.DB.Session(ctx, principal, id)
	c.reads++
	s.System = today.ReplaceAllString(s.System, fmt.Sprintf("It is 12:00:%02d. Today is ", c.reads))
	return s, err
}

// counting is a model whose server counts tokens as one with a cache does, four bytes
// each.
type counting struct {
	script
	last string
}

func (c *counting) Chat(ctx context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	var text strings.Builder
	for _, m := range req.Messages {
		text.WriteString("<" + string(m.Role) + ">" + m.Content)
	}
	now, same := text.String(), 0
	for same < len(now) && same < len(c.last) && now[same] == c.last[same] {
		same++
	}
	c.last = now
	return func(yield func(loci.Chunk, error) bool) {
		for chunk, err := range c.script.Chat(ctx, req) {
			if chunk.Usage != nil {
				chunk.Usage = &loci.Usage{Prompt: len(now) / 4, Cached: new(same / 4), Completion: 1}
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// A clock at the top is told by the section and the byte, in the receipt of the turn,
// in the events and in the debug view; after a restart by the section.
func TestClockAtTheTop(t *testing.T) {
	w := newWorld(t, loci.TierNative)
	model := &counting{script: script{tier: loci.TierNative, window: 4096}}
	sessions := &clocked{DB: w.store}
	start := func() *agent.Agent {
		return agent.New(agent.Config{
			Model: model, Tools: w.tools, Log: w.log, Approvals: w.store, Waits: w.log, Chooser: chooser{},
			Transcripts: transcript.Store{Sessions: sessions, Nodes: w.store},
			Settings:    agent.Settings{Texts: prompt.Default(), MaxSteps: 6, KeptRounds: 4, Folders: func(loci.Principal) []string { return nil }},
			Logger:      slog.New(slog.DiscardHandler),
		})
	}
	w.agent.Close()
	w.agent = start()
	say := func(session, text string) outcome {
		return w.turn(loci.TurnRequest{Principal: owner, Session: session, Message: loci.Message{Role: loci.User, Content: text}})
	}
	first := say("", "Hello?")
	if r := first.finished.Receipt; *r.Wasted != 0 || r.Broke != nil {
		t.Errorf("the first turn: %+v", r)
	}
	say(first.session, "And now?") // the clock comes in
	third := say(first.session, "And now?")
	r := third.finished.Receipt
	if got := r.Broke.String(); !strings.HasPrefix(got, "moved: facts, byte ") || *r.Broke.Byte > len("It is 12:00:00") || *r.Wasted < 100 {
		t.Errorf("it broke at %q and wasted %d tokens", got, *r.Wasted)
	}
	debug, err := w.agent.Debug(t.Context(), owner, first.session)
	if err != nil || debug.Receipt.Broke.String() != r.Broke.String() {
		t.Errorf("the debug view says %v, %v", debug.Receipt, err)
	}
	if !slices.ContainsFunc(debug.Sections, func(s loci.Span) bool { return s.Name == "facts" && s.Size > 0 }) {
		t.Errorf("the debug view has the sections %v", debug.Sections)
	}
	w.agent.Close()
	w.agent = start()
	if got := say(first.session, "And now?").finished.Receipt.Broke.String(); got != "moved: facts" {
		t.Errorf("after a restart it broke at %q", got)
	}
}

// A fork goes on with what its origin has sent: nothing is wasted.
func TestForkKeepsThePrefix(t *testing.T) {
	w := newWorld(t, loci.TierNative)
	first := w.ask(nil, "Hello?")
	fork, err := w.agent.Fork(t.Context(), owner, first.session, "")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := w.store.Session(t.Context(), owner.ID, fork.ID)
	if err != nil || len(stored.Sent.Messages) != 1 || len(stored.Layout) == 0 || stored.Sent.Prompt != 100 {
		t.Errorf("the fork has sent %+v, %v", stored.Sent, err)
	}
	o := w.turn(loci.TurnRequest{Principal: owner, Session: fork.ID, Message: loci.Message{Role: loci.User, Content: "And now?"}})
	if r := o.finished.Receipt; r.Broke != nil || r.Appended == nil {
		t.Errorf("the receipt of the fork: %+v", r)
	}
}

// An aside is the conversation as the next turn begins, with a question at its end, for
// the person whose it is and until it goes on.
func TestAside(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("list_dir", `{}`), "Two files.", "Yes.")
	w.turn(loci.TurnRequest{Principal: owner, Thread: "chat-1", Resent: true, Message: loci.Message{Role: loci.User, Content: "What is there?"}})
	guest := loci.Principal{ID: "guest"}
	all := []string{"What is there?", "Two  files.\n"}
	for name, e := range map[string]struct {
		who      loci.Principal
		model    string
		thread   string
		quoted   []string
		question string
	}{
		"another person":                   {guest, "", "", all, "A title?"},
		"another model":                    {owner, "other", "", all, "A title?"},
		"another message":                  {owner, "", "", []string{"Hello?", "Two files."}, "A title?"},
		"another answer":                   {owner, "", "", []string{"What is there?", "Three files."}, "A title?"},
		"more than was said":               {owner, "", "", append([]string{"Hello?"}, all...), "A title?"},
		"only the end, which others have":  {owner, "", "", all[1:], "A title?"},
		"another chat with the same words": {owner, "", "chat-2", all, "A title?"},
		"nothing":                          {owner, "", "chat-1", nil, "A title?"},
		"no room":                          {owner, "", "", all, strings.Repeat("long ", 4000)},
	} {
		if _, _, ok := w.agent.Aside(t.Context(), e.who, e.model, e.thread, e.quoted, e.question); ok {
			t.Errorf("%s: there is an aside", name)
		}
	}
	if _, _, ok := w.agent.Aside(t.Context(), owner, "", "chat-1", all[1:], "A title?"); !ok {
		t.Error("the end of the chat itself is not known")
	}
	ctx, aside, ok := w.agent.Aside(t.Context(), owner, "", "", all, "A title?")
	if !ok || ctx.Err() != nil || aside.Purpose != loci.PurposeJob || aside.Messages[len(aside.Messages)-1].Content != "A title?" {
		t.Fatalf("the aside is %+v, %v", aside, ok)
	}
	w.ask([]loci.Message{{Role: loci.User, Content: "What is there?"}, {Role: loci.Assistant, Content: "Two files."}}, "Sure?")
	next := w.model.requests[len(w.model.requests)-1]
	same := len(aside.Messages) - 1
	if d := cmp.Diff(next.Messages[:same], aside.Messages[:same]); d != "" || len(next.Messages) != same+1 || !cmp.Equal(next.Tools, aside.Tools) {
		t.Errorf("the aside does not begin as the next turn (-turn +aside):\n%s", d)
	}
	<-ctx.Done() // the conversation has gone on
}

// A new session begins with what was read beforehand.
func TestBeginning(t *testing.T) {
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
		w := newWorld(t, tier, "Hello.")
		warm, err := w.agent.Beginning(t.Context(), owner, "")
		if err != nil {
			t.Fatal(err)
		}
		w.ask(nil, "Hello?")
		first := w.model.requests[0]
		if d := cmp.Diff(first.Messages[0], warm.Messages[0]); d != "" || !cmp.Equal(first.Tools, warm.Tools) || len(warm.Messages) != 2 {
			t.Errorf("%s: the beginning is another one (-turn +beginning):\n%s", tier, d)
		}
	}
}
