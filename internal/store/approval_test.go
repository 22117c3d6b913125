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
			Question: "May I?", State: loci.ApprovalOpen, Asked: at(i), Expires: at(300_000), Principal: principal, Fingerprint: "f" + code,
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

// TestSettleOnce has many answer at once: one of them is right, and the yes is
// used up once.
func TestSettleOnce(t *testing.T) {
	db := openTest(t)
	w := parked(t, db, "owner")
	race := func(do func() (bool, error)) int64 {
		var done atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if ok, err := do(); err != nil {
					t.Error(err)
				} else if ok {
					done.Add(1)
				}
			})
		}
		all.Wait()
		return done.Load()
	}
	id := w.Approvals[0].ID
	for _, step := range []struct{ from, to loci.ApprovalState }{
		{loci.ApprovalOpen, loci.ApprovalYes}, {loci.ApprovalYes, loci.ApprovalUsed},
	} {
		if n := race(func() (bool, error) { return db.Settle(t.Context(), id, step.from, step.to) }); n != 1 {
			t.Errorf("%s to %s succeeded %d times", step.from, step.to, n)
		}
	}
	if n := race(func() (bool, error) { return db.Resume(t.Context(), w.Session, w.Turn) }); n != 1 {
		t.Errorf("%d went on with the turn", n)
	}
	if open, err := db.Approvals(t.Context(), "owner"); err != nil || len(open) != 1 || open[0].Code != "2K9" {
		t.Errorf("%+v, %v", open, err)
	}
	if err := db.Withdraw(t.Context(), w.Session, w.Turn); err != nil {
		t.Fatal(err)
	}
	now, err := db.TurnApprovals(t.Context(), w.Session, w.Turn)
	if err != nil || now[0].State != loci.ApprovalUsed || now[1].State != loci.ApprovalWithdrawn {
		t.Errorf("%+v, %v", now, err)
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
	if _, err := db.Settle(t.Context(), w.Approvals[1].ID, loci.ApprovalOpen, loci.ApprovalNo); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"UPDATE approval SET arguments = '{}'",
		"UPDATE approval SET fingerprint = 'x', state = 'yes' WHERE state = 'open'",
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
