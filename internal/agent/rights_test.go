package agent_test

import (
	"slices"
	"strings"
	"testing"

	"loci"
)

// guest is the owner with a key that cannot allow anything.
var guest = loci.Principal{ID: "owner", Owner: true, Rights: []loci.Right{loci.RightChat, loci.RightReadTools, loci.RightWriteTools}}

// sayAs is say with another key.
func (c *chat) sayAs(p loci.Principal, text string) outcome {
	c.w.t.Helper()
	o := c.w.turn(loci.TurnRequest{Principal: p, Resent: true, History: c.history, Message: loci.Message{Role: loci.User, Content: text}})
	if o.err != nil {
		c.w.t.Fatal(o.err)
	}
	c.history = append(c.history, loci.Message{Role: loci.User, Content: text}, loci.Message{Role: loci.Assistant, Content: o.text})
	c.session = o.session
	return o
}

// A yes from who may not give one does nothing, however it is said; the question
// stays, and is answered elsewhere.
func TestYesNeedsTheRight(t *testing.T) {
	for tier, replies := range writes {
		for _, restart := range []bool{false, true} {
			w := newWorld(t, tier, replies...)
			c := chat{w: w}
			first := c.sayAs(guest, "write")
			q := first.asked[0]
			if !strings.Contains(first.text, "`loci approvals yes "+q.Code+"`") || strings.Contains(first.text, "**yes") || !strings.Contains(first.text, "**no**") {
				t.Errorf("%s: it does not say how to answer: %s", tier, first.text)
			}
			for _, yes := range []string{"yes", "yes " + q.Code, "Yes, please!", "yes to all"} {
				o := c.sayAs(guest, yes)
				if w.tools.file("todo.md") != "" || len(o.results) > 0 || o.session != first.session || !strings.Contains(o.text, "`loci approvals yes "+q.Code+"`") {
					t.Fatalf("%s: %q: %+v", tier, yes, o)
				}
			}
			other := chat{w: w} // from a new conversation
			if o := other.sayAs(guest, "yes "+q.Code); w.tools.file("todo.md") != "" || len(o.results) > 0 {
				t.Fatalf("%s: by its code: %+v", tier, o)
			}
			if _, err := w.agent.Answer(t.Context(), guest, q.ID, true, ""); loci.AsError(err).Code != loci.Forbidden {
				t.Fatalf("%s: by the API: %v", tier, err)
			}
			if restart {
				w.restart()
			}
			if _, err := w.agent.Answer(t.Context(), owner, q.ID, true, ""); err != nil {
				t.Fatal(err)
			}
			w.until(first.session, loci.EventToolFinished) // turns also finish that only told of the key
			if w.tools.file("todo.md") != "milk" {
				t.Errorf("%s: not written after the owner's yes", tier)
			}
		}
	}
}

// A no is anybody's to say.
func TestNoNeedsNoRight(t *testing.T) {
	w := newWorld(t, loci.TierNative, writes[loci.TierNative]...)
	c := chat{w: w}
	c.sayAs(guest, "write")
	o := c.sayAs(guest, "no")
	if w.tools.file("todo.md") != "" || len(o.results) != 1 || !o.results[0].Refused || o.finished.State != loci.TurnDone {
		t.Errorf("%+v", o)
	}
}

// A turn goes on with the rights it began with, whoever answers, and after a restart
// too: the owner's yes to one call lends no rights to the next.
func TestRightsAreKept(t *testing.T) {
	for _, byAPI := range []bool{false, true} {
		w := newWorld(t, loci.TierNative, call("write_file", milk), call("list_dir", `{}`), call("write_file", bread), "Done.")
		c := chat{w: w}
		first := c.sayAs(guest, "write")
		w.restart()
		if byAPI {
			if _, err := w.agent.Answer(t.Context(), owner, first.asked[0].ID, true, ""); err != nil {
				t.Fatal(err)
			}
			w.until(first.session, loci.EventToolFinished)
		} else {
			c.say("yes")
		}
		var second loci.Approval
		for e, err := range w.agent.Follow(t.Context(), owner, first.session, 0) {
			if err != nil {
				t.Fatal(err)
			}
			var d loci.Approval
			if e.Type == loci.EventApprovalAsked && e.DecodeData(&d) == nil && d.ID != first.asked[0].ID {
				second = d
				break
			}
		}
		w.tools.mu.Lock()
		got := w.tools.scope.Principal.Rights
		w.tools.mu.Unlock()
		if !slices.Equal(got, guest.Rights) {
			t.Errorf("by the API %v: the next call has the rights %v", byAPI, got)
		}
		if strings.Contains(second.Question, "**yes") || !strings.Contains(second.Question, "loci approvals yes "+second.Code) {
			t.Errorf("by the API %v: the next question: %s", byAPI, second.Question)
		}
	}
}
