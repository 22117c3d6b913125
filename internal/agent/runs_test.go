package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"loci"
)

// What one principal has under way ends: a turn that speaks and one that asks. What
// others have goes on.
func TestStopAll(t *testing.T) {
	speaks, speaking, open := gate()
	defer open()
	w := newWorld(t, loci.TierNative, []any{call("write_file", milk)}, []any{"first", speaks}, "It goes on.")
	bot := loci.Principal{ID: "key:bot", Owner: true, Rights: loci.AllRights()} // the tools ask the owner
	start := func(session, text string) string {
		t.Helper()
		req := request(session, text)
		req.Principal = bot
		e, err := w.agent.Start(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return e.Session
	}
	req := request("", "write")
	req.Principal = bot
	asking := w.turn(req)
	if !asking.waits {
		t.Fatalf("%+v", asking)
	}
	busy := start("", "one")
	<-speaking
	if err := w.agent.StopAll(t.Context(), func(p string) bool { return p == "key:other" }); err != nil {
		t.Fatal(err)
	}
	if a, err := w.store.Approval(t.Context(), bot.ID, asking.asked[0].ID); err != nil || a.State != loci.ApprovalOpen {
		t.Errorf("another was stopped, and this one's question is %s, %v", a.State, err)
	}
	if err := w.agent.StopAll(t.Context(), func(p string) bool { return p == bot.ID }); err != nil {
		t.Fatal(err)
	}
	for e, err := range w.agent.Follow(t.Context(), bot, busy, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type != loci.EventTurnFinished {
			continue
		}
		if data, err := json.Marshal(e.Data); err != nil || !strings.Contains(string(data), `"interrupted"`) {
			t.Errorf("it ended with %s, %v", data, err)
		}
		break
	}
	if a, err := w.store.Approval(t.Context(), bot.ID, asking.asked[0].ID); err != nil || a.State != loci.ApprovalWithdrawn {
		t.Errorf("the question is %s, %v", a.State, err)
	}
	if o := w.turn(request("", "mine")); o.finished.State != loci.TurnDone {
		t.Errorf("the owner's: %+v, %v", o.finished, o.err)
	}
}

// A turn that belongs to its session begins though the client has left, but not though
// the client's key was revoked.
func TestStartAfterTheKey(t *testing.T) {
	w := newWorld(t, loci.TierNative, "Hello.")
	revoked := loci.Errorf(loci.Unauthorized, "The key does not hold any more.")
	for why, want := range map[error]error{revoked: revoked, context.Canceled: nil} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		if _, err := w.agent.Start(ctx, request("", "hello")); !errors.Is(err, want) {
			t.Errorf("%v: %v", why, err)
		}
	}
}
