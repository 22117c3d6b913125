package agent_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"loci"
)

// gate makes a model wait in the middle of a reply.
func gate() (part func(context.Context), reached <-chan struct{}, open func()) {
	r, o := make(chan struct{}), make(chan struct{})
	return func(ctx context.Context) {
		close(r)
		select {
		case <-o:
		case <-ctx.Done():
		}
	}, r, func() { close(o) }
}

func request(session, text string) loci.TurnRequest {
	return loci.TurnRequest{Principal: owner, Session: session, Message: loci.Message{Role: loci.User, Content: text}}
}

func TestOneTurnASession(t *testing.T) {
	wait, reached, open := gate()
	w := newWorld(t, loci.TierNative, []any{"first", wait}, "second")
	begun, err := w.agent.Start(t.Context(), request("", "one"))
	if err != nil {
		t.Fatal(err)
	}
	session := begun.Session
	<-reached

	second := make(chan outcome)
	go func() { second <- w.turn(request(session, "two")) }()
	// One of two more is queued, the other is one too many.
	third := make(chan outcome)
	go func() { third <- w.turn(request(session, "three")) }()
	var queued chan outcome
	var refused outcome
	select {
	case refused = <-second:
		queued = third
	case refused = <-third:
		queued = second
	}
	if loci.AsError(refused.err).Code != loci.Overloaded {
		t.Errorf("one too many ended with %+v, %v", refused.finished, refused.err)
	}
	other := w.turn(request("", "elsewhere")) // another session is not held up
	if other.finished.State != loci.TurnDone {
		t.Errorf("another session: %+v, %v", other.finished, other.err)
	}
	open()
	if o := <-queued; o.finished.State != loci.TurnDone || o.session != session {
		t.Errorf("the waiting turn: %+v, %v", o.finished, o.err)
	}
	path := w.model.requests[len(w.model.requests)-1].Messages
	var said []string
	for _, m := range path[1:] {
		text, _, _ := strings.Cut(m.Content, "\n")
		said = append(said, text)
	}
	if got := strings.Join(said, "|"); got != "one|first|two" && got != "one|first|three" {
		t.Errorf("the waiting turn saw %s", got)
	}
}

func TestFollow(t *testing.T) {
	wait, reached, open := gate()
	w := newWorld(t, loci.TierNative, call("list_dir", `{}`), []any{"Half", wait, " and half."})
	begun, err := w.agent.Start(t.Context(), request("", "What is there?"))
	if err != nil {
		t.Fatal(err)
	}
	session := begun.Session
	<-reached
	follow := func(after int64) (text string, types []string, last int64) {
		last = after
		for e, err := range w.agent.Follow(t.Context(), owner, session, after) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Turn != begun.Turn {
				t.Errorf("an event of turn %s", e.Turn)
			}
			if e.Type == loci.EventDelta {
				var d loci.Delta
				if err := e.DecodeData(&d); err != nil {
					t.Fatal(err)
				}
				if d.Offset != len(text) || e.Seq != last {
					t.Errorf("delta at %d after event %d; expected %d after %d", d.Offset, e.Seq, len(text), last)
				}
				text += d.Text
				if text == "Half" {
					open()
				}
				continue
			}
			if e.Seq != last+1 {
				t.Errorf("event %d after %d", e.Seq, last)
			}
			last = e.Seq
			types = append(types, string(e.Type))
			if e.Type == loci.EventTurnFinished {
				return text, types, last
			}
		}
		return text, types, last
	}
	// Late, in the middle of the turn: everything stored, then the text so far,
	// then the rest.
	text, types, last := follow(0)
	if text != "Half and half." || len(types) != 7 || types[0] != "turn.started" {
		t.Errorf("saw %q and %v", text, types)
	}
	// After the turn: what is stored after a number, and nothing twice.
	text, types, again := follow(last - 2)
	if text != "" || len(types) != 2 || again != last {
		t.Errorf("resumed with %q and %v", text, types)
	}
}

func TestStop(t *testing.T) {
	wait, reached, _ := gate()
	w := newWorld(t, loci.TierNative, []any{"I am counting: 1", wait, "2"}, "Never mind.")
	begun, err := w.agent.Start(t.Context(), request("", "Count."))
	if err != nil {
		t.Fatal(err)
	}
	session := begun.Session
	<-reached
	stranger := loci.Principal{ID: "user:7"}
	if err := w.agent.Stop(t.Context(), stranger, session); loci.AsError(err).Code != loci.NotFound {
		t.Errorf("a stranger stopping it: %v", err)
	}
	if err := w.agent.Stop(t.Context(), owner, session); err != nil {
		t.Fatal(err)
	}
	for e, err := range w.agent.Follow(t.Context(), owner, session, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == loci.EventTurnFinished {
			var fin loci.TurnFinished
			if err := e.DecodeData(&fin); err != nil || fin.State != loci.TurnInterrupted {
				t.Errorf("it ended %+v, %v", fin, err)
			}
			break
		}
	}
	if o := w.turn(request(session, "Stop it.")); o.finished.State != loci.TurnDone {
		t.Errorf("the next turn: %+v, %v", o.finished, o.err)
	}
}

func TestStrangers(t *testing.T) {
	w := newWorld(t, loci.TierNative, "For Mira.", "For Ota.")
	mine := w.turn(request("", "Whose is this?"))
	ota := loci.Principal{ID: "user:ota", Name: "Ota"}
	req := request(mine.session, "Whose is this?")
	req.Principal = ota
	if o := w.turn(req); loci.AsError(o.err).Code != loci.NotFound {
		t.Errorf("Ota got into Mira's session: %v", o.err)
	}
	// The same words are not the same conversation.
	o := w.turn(loci.TurnRequest{Principal: ota, Resent: true,
		History: []loci.Message{{Role: loci.User, Content: "Whose is this?"}, {Role: loci.Assistant, Content: "For Mira."}},
		Message: loci.Message{Role: loci.User, Content: "And now?"}})
	if o.session == mine.session || o.err != nil {
		t.Errorf("Ota's conversation went to session %s: %v", o.session, o.err)
	}
	system := w.model.requests[len(w.model.requests)-1].Messages[0].Content
	if !strings.Contains(system, "talking with Ota") || strings.Contains(system, "/home/mira") {
		t.Errorf("Ota's system block:\n%s", system)
	}
	if _, err := w.agent.Debug(t.Context(), ota, mine.session); loci.AsError(err).Code != loci.NotFound {
		t.Errorf("Ota can see into Mira's session: %v", err)
	}
	if call, err := w.agent.Debug(t.Context(), owner, mine.session); err != nil || call.Reply.Content != "For Mira." || call.Receipt == nil {
		t.Errorf("the debug view: %+v, %v", call, err)
	}
}

func TestFoldersOpenedLater(t *testing.T) {
	w := newWorld(t, loci.TierNative)
	first := w.turn(request("", "hi"))
	req := request(first.session, "look here")
	req.Folders = []string{"/srv/music", "/home/mira"}
	w.turn(req)
	messages := w.model.requests[1].Messages
	if last := messages[len(messages)-1].Content; !strings.HasSuffix(last, "[now: 14:32; also open to you: /srv/music]") {
		t.Errorf("the model reads %q", last)
	}
	req.Principal = loci.Principal{ID: "user:ota"}
	req.Session = ""
	w.turn(req)
	if system := w.model.requests[2].Messages[0].Content; strings.Contains(system, "/srv/music") {
		t.Error("somebody else than the owner opened a folder")
	}
}

func TestClientSystemMessage(t *testing.T) {
	w := newWorld(t, loci.TierNative, "Aye.", "Yes.")
	req := loci.TurnRequest{Principal: owner, Resent: true, System: "Talk like a pirate.", Message: loci.Message{Role: loci.User, Content: "hi"}}
	w.turn(req)
	system := w.model.requests[0].Messages[0].Content
	if !strings.Contains(system, "The chat client adds:\nTalk like a pirate.") {
		t.Errorf("the client's message is not in:\n%s", system)
	}
	req.History = []loci.Message{{Role: loci.User, Content: "hi"}, {Role: loci.Assistant, Content: "Aye."}}
	req.System, req.Message.Content = "Talk like a clerk.", "and now?"
	w.turn(req)
	messages := w.model.requests[1].Messages
	if messages[0].Content != system {
		t.Error("a changed client message moved the system block")
	}
	if last := messages[len(messages)-1].Content; !strings.HasSuffix(last, "The chat client adds:\nTalk like a clerk.") {
		t.Errorf("the change is not in the tail: %q", last)
	}
}

// Deleting a session stops what runs in it; its client hears how it ended, and
// those who follow come to the end. So does closing the program.
func TestFollowersComeToTheEnd(t *testing.T) {
	for _, name := range []string{"delete", "close"} {
		t.Run(name, func(t *testing.T) {
			wait, reached, _ := gate()
			w := newWorld(t, loci.TierNative, []any{"Counting: 1", wait, "2"})
			begun, err := w.agent.Start(t.Context(), request("", "Count."))
			if err != nil {
				t.Fatal(err)
			}
			<-reached
			last, following := make(chan loci.EventType), make(chan struct{})
			go func() {
				var typ loci.EventType
				for e, err := range w.agent.Follow(t.Context(), owner, begun.Session, 0) {
					if err != nil && loci.AsError(err).Code != loci.NotFound { // deleted before it began
						t.Error(err)
					}
					if typ == "" {
						close(following)
					}
					typ = e.Type
				}
				last <- typ
			}()
			if name == "close" {
				<-following
				w.agent.Close()
				if got := <-last; got != loci.EventTurnFinished {
					t.Errorf("the last event a follower got was %s", got)
				}
				return
			}
			if err := w.agent.Delete(t.Context(), loci.Principal{ID: "user:7"}, begun.Session); loci.AsError(err).Code != loci.NotFound {
				t.Errorf("a stranger deleting it: %v", err)
			}
			if err := w.agent.Delete(t.Context(), owner, begun.Session); err != nil {
				t.Fatal(err)
			}
			<-last // it ends, whatever it saw last
			if _, err := w.store.Session(t.Context(), "owner", begun.Session); loci.AsError(err).Code != loci.NotFound {
				t.Errorf("the session is still there: %v", err)
			}
		})
	}
}

func TestFork(t *testing.T) {
	w := newWorld(t, loci.TierNative, "Red.", "Blue.", "Green.")
	first := w.turn(request("", "A colour?"))
	events, err := w.store.Events(t.Context(), first.session, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.turn(request(first.session, "Another?"))
	fork, err := w.agent.Fork(t.Context(), owner, first.session, events[0].Turn)
	if err != nil {
		t.Fatal(err)
	}
	w.turn(request(fork.ID, "And another?"))
	before, after := w.model.requests[1].Messages, w.model.requests[2].Messages
	if len(after) != 4 || after[2].Content != "Red." || after[0].Content != before[0].Content {
		t.Errorf("the fork saw %+v", after)
	}
	if _, err := w.agent.Fork(t.Context(), owner, first.session, "turn_none"); loci.AsError(err).Code != loci.NotFound {
		t.Errorf("forking at a turn that never was: %v", err)
	}
}

// What a turn had said when the program was killed is kept, and a client that
// goes on from there is recognised.
func TestRecover(t *testing.T) {
	wait, reached, _ := gate()
	slow := func(ctx context.Context) {
		select {
		case <-time.After(300 * time.Millisecond): // longer than a draft waits
		case <-ctx.Done():
		}
	}
	w := newWorld(t, loci.TierNative, []any{"Half", slow, " a", wait, " sentence."}, "Whole.")
	begun, err := w.agent.Start(t.Context(), request("", "Say it."))
	if err != nil {
		t.Fatal(err)
	}
	<-reached
	// The turn still runs here, but the store is as a kill would leave it.
	for range 2 { // the second time there is nothing left to do
		cut, err := w.store.Unfinished(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.agent.Recover(t.Context(), cut); err != nil {
			t.Fatal(err)
		}
	}
	events, err := w.store.Events(t.Context(), begun.Session, 0, 10)
	if err != nil || len(events) != 3 {
		t.Fatalf("events %+v, %v", events, err)
	}
	var m loci.MessageData
	if err := events[1].DecodeData(&m); err != nil || m.Text != "Half a" || !m.Incomplete {
		t.Errorf("the reply is kept as %+v, %v", m, err)
	}
	w.agent.Close()
	w.agent = w.again()
	o := w.ask([]loci.Message{{Role: loci.User, Content: "Say it."}, {Role: loci.Assistant, Content: "Half a"}}, "Go on.")
	if o.session != begun.Session || o.text != "Whole." {
		t.Errorf("%+v in %s, want %s", o, o.session, begun.Session)
	}
}

// A tiny model that begins to repeat itself is stopped.
func TestCircles(t *testing.T) {
	again := "I am here to help with anything that you need. "
	w := newWorld(t, loci.TierTiny, []any{"Hello. ", again, again, again, again})
	if o := w.ask(nil, "hi"); o.text != "Hello. "+again+again || o.finished.State != loci.TurnDone || o.finished.Finish != loci.FinishStop {
		t.Errorf("%q, %+v", o.text, o.finished)
	}
}
