package store

import (
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// parked stores a session with a turn that waits for two answers.
func parked(t *testing.T, db *DB, principal string) loci.Waiting {
	t.Helper()
	s := newSession(principal, 0)
	n := newNode(s.ID, "", 0)
	n.Turn, n.Unsent = "turn_1", true
	w := loci.Waiting{Session: s.ID, Turn: "turn_1", Node: n.ID, State: json.RawMessage(`{"step": 1, "<": "&"}`)}
	for i, code := range []string{"7F3", "2K9"} {
		w.Approvals = append(w.Approvals, loci.Approval{
			ID: loci.NewID(loci.ApprovalPrefix), Code: code, Session: s.ID, Turn: w.Turn, Call: "call_" + code, Tool: "write_file",
			Arguments: json.RawMessage(`{"path": "a", "content":"<b> & \u003c"}`), Preview: "+ <b>", Reason: "It writes.", Taint: "a page",
			Question: "May I?", State: loci.ApprovalOpen, Asked: at(i), Expires: at(300_000), Principal: principal, Fingerprint: "f" + code, Binding: "b" + code, Subject: "s", Grants: loci.GrantSpans("b"),
		})
	}
	mustSave(t, db, loci.Batch{Session: s, Nodes: []loci.Node{n}, Waiting: &w, Events: []*loci.Event{
		{V: 1, Session: s.ID, Turn: w.Turn, Time: at(0), Type: loci.EventTurnStarted, Data: loci.TurnStarted{}},
	}})
	return w
}

func TestWaitingRoundTrip(t *testing.T) {
	db := openTest(t)
	want := parked(t, db, "owner")
	got, err := db.Waiting(t.Context(), "owner", want.Session)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	all, err := db.AllWaiting(t.Context())
	if d := cmp.Diff([]loci.Waiting{want}, all); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if n, err := db.Node(t.Context(), want.Node); err != nil || !n.Unsent {
		t.Errorf("%+v, %v", n, err)
	}
	for name, find := range map[string]func(principal string) error{
		"waiting": func(p string) error { _, err := db.Waiting(t.Context(), p, want.Session); return err },
		"by id":   func(p string) error { _, err := db.Approval(t.Context(), p, want.Approvals[0].ID); return err },
		"by code": func(p string) error { _, err := db.ApprovalByCode(t.Context(), p, "7F3"); return err },
	} {
		if err := find("owner"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wantCode(t, find("eve"), loci.NotFound)
	}
	if open, err := db.Approvals(t.Context(), "eve"); err != nil || len(open) != 0 {
		t.Errorf("another person sees %+v, %v", open, err)
	}
	if cut, err := db.Unfinished(t.Context()); err != nil || len(cut) != 0 {
		t.Errorf("a waiting turn counts as cut short: %+v, %v", cut, err)
	}
}

// settled is a batch that moves a question and tells of it.
func settled(w loci.Waiting, id string, from, to loci.ApprovalState) loci.Batch {
	return loci.Batch{
		Settle: []loci.Settlement{{ID: id, From: from, To: to}},
		Events: []*loci.Event{{V: 1, Session: w.Session, Turn: w.Turn, Time: at(2), Type: loci.EventApprovalAnswered, Data: loci.ApprovalAnswered{ID: id, Answer: to}}},
	}
}

// TestSettleOnce has many answer at once: one of them is right, the yes is used up
// once, one goes on with the turn, and only that is told.
func TestSettleOnce(t *testing.T) {
	db := openTest(t)
	w := parked(t, db, "owner")
	race := func(b func() loci.Batch) (done int64) {
		var won atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := db.Save(t.Context(), b()); err == nil {
					won.Add(1)
				} else if loci.AsError(err).Code != loci.Conflict {
					t.Error(err)
				}
			})
		}
		all.Wait()
		return won.Load()
	}
	id := w.Approvals[0].ID
	for _, step := range []struct{ from, to loci.ApprovalState }{
		{loci.ApprovalOpen, loci.ApprovalYes}, {loci.ApprovalYes, loci.ApprovalUsed},
	} {
		if n := race(func() loci.Batch { return settled(w, id, step.from, step.to) }); n != 1 {
			t.Errorf("%s to %s succeeded %d times", step.from, step.to, n)
		}
	}
	resume := func() loci.Batch {
		b := settled(w, w.Approvals[1].ID, loci.ApprovalOpen, loci.ApprovalWithdrawn)
		b.Resume = w.Turn
		return b
	}
	if n := race(resume); n != 1 {
		t.Errorf("%d went on with the turn", n)
	}
	if open, err := db.Approvals(t.Context(), "owner"); err != nil || len(open) != 0 {
		t.Errorf("%+v, %v", open, err)
	}
	if events, err := db.Events(t.Context(), w.Session, 0, 100); err != nil || len(events) != 4 {
		t.Errorf("%d events tell of three changes and a beginning: %v", len(events), err)
	}
	cut, err := db.Unfinished(t.Context())
	if err != nil || len(cut) != 1 {
		t.Errorf("a turn that went on and did not end: %+v, %v", cut, err)
	}
}

// TestSchemaGuardsApprovals: what was agreed to never changes, and a used or
// refused question never opens again, whoever holds the database.
func TestSchemaGuardsApprovals(t *testing.T) {
	db := openTest(t)
	w := parked(t, db, "owner")
	mustSave(t, db, settled(w, w.Approvals[1].ID, loci.ApprovalOpen, loci.ApprovalNo))
	for _, query := range []string{
		"UPDATE approval SET arguments = '{}'",
		"UPDATE approval SET fingerprint = 'x', state = 'yes' WHERE state = 'open'",
		"UPDATE approval SET question = 'May I have a look?', state = 'yes' WHERE state = 'open'",
		"UPDATE approval SET principal = 'eve', state = 'yes' WHERE state = 'open'",
		"UPDATE approval SET expires = expires + 1, state = 'yes' WHERE state = 'open'",
		"UPDATE approval SET state = 'used' WHERE state = 'open'",
		"UPDATE approval SET state = 'open' WHERE state = 'no'",
		"UPDATE approval SET state = 'yes' WHERE state = 'no'",
		"UPDATE approval SET state = 'maybe' WHERE state = 'open'",
	} {
		if _, err := db.write.Exec(query); err == nil {
			t.Errorf("%s: it worked", query)
		}
	}
}

// TestWaitingEnds with its turn, and all of it with the session.
func TestWaitingEnds(t *testing.T) {
	db := openTest(t)
	w := parked(t, db, "owner")
	mustSave(t, db, loci.Batch{Events: []*loci.Event{
		{V: 1, Session: w.Session, Turn: w.Turn, Time: at(1), Type: loci.EventTurnFinished, Data: loci.TurnFinished{}},
	}})
	_, err := db.Waiting(t.Context(), "owner", w.Session)
	wantCode(t, err, loci.NotFound)
	other := parked(t, db, "owner")
	if err := db.DeleteSession(t.Context(), "owner", other.Session); err != nil {
		t.Fatal(err)
	}
	if all, err := db.AllWaiting(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	_, err = db.Approval(t.Context(), "owner", other.Approvals[0].ID)
	wantCode(t, err, loci.NotFound)
}
