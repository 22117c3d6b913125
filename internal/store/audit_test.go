package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

func intent(call string) loci.AuditRecord {
	return loci.AuditRecord{
		Time: at(5), Kind: loci.AuditIntent, Principal: "owner", Session: "ses_1", Turn: "turn_1", Call: call, Tool: "write_file",
		Effects: loci.EffectWrite, Arguments: json.RawMessage(`{"path": "a"}`), Permit: "apr_1", Taint: []string{"web x"},
	}
}

func outcome(n int64) loci.AuditRecord {
	r := intent("call_1")
	r.Kind, r.Intent, r.Arguments, r.State, r.Bytes, r.Digest = loci.AuditOutcome, n, nil, loci.StateDone, 4, "ab"
	return r
}

func refused(why string) loci.AuditRecord {
	return loci.AuditRecord{Kind: loci.AuditRefused, Principal: "ann", Session: "ses_2", Tool: "delete_file", State: loci.StateRefused, Result: why}
}

func mustIntend(t testing.TB, db *DB, r loci.AuditRecord) int64 {
	t.Helper()
	n, err := db.Intend(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func mustNote(t testing.TB, db *DB, r loci.AuditRecord) {
	t.Helper()
	if err := db.Note(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

// problems are what verifying finds, a line each.
func problems(t testing.TB, db *DB) string {
	t.Helper()
	r, err := db.VerifyAudit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range r.Problems {
		all = append(all, p.Text)
	}
	if r.More > 0 {
		all = append(all, fmt.Sprintf("and %d more", r.More))
	}
	return strings.Join(all, "\n")
}

func records(t testing.TB, db *DB, f loci.AuditFilter) []loci.AuditEntry {
	t.Helper()
	found, err := db.AuditRecords(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// numbers are the rows that a filter lets through.
func numbers(t testing.TB, db *DB, f loci.AuditFilter) (all []int64) {
	t.Helper()
	for _, e := range records(t, db, f) {
		all = append(all, e.N)
	}
	return all
}

func TestAuditRoundTrip(t *testing.T) {
	db := openTest(t)
	first := intent("call_1")
	n := mustIntend(t, db, first)
	got := records(t, db, loci.AuditFilter{})
	if len(got) != 1 || n != 1 || got[0].Outcome != loci.StateUnknown || len(got[0].Hash) != 64 || got[0].Entry != nil {
		t.Fatalf("%+v", got)
	}
	mustNote(t, db, outcome(n))
	got = records(t, db, loci.AuditFilter{})
	first.N = 1
	second := outcome(1)
	second.N = 2
	want := []loci.AuditEntry{{AuditRecord: first, Outcome: loci.StateDone, Hash: got[0].Hash}, {AuditRecord: second, Hash: got[1].Hash}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if p := problems(t, db); p != "" {
		t.Error(p)
	}
}

func TestAuditFilters(t *testing.T) {
	db := openTest(t)
	n := mustIntend(t, db, intent("call_1"))
	mustNote(t, db, outcome(n))
	mustNote(t, db, refused("It needs a yes."))
	mustIntend(t, db, intent("call_2"))
	for _, tt := range []struct {
		filter loci.AuditFilter
		want   []int64
	}{
		{loci.AuditFilter{}, []int64{1, 2, 3, 4}},
		{loci.AuditFilter{After: 2}, []int64{3, 4}},
		{loci.AuditFilter{After: 1, Limit: 2}, []int64{2, 3}},
		{loci.AuditFilter{After: -1, Limit: 2}, []int64{3, 4}},
		{loci.AuditFilter{After: -1}, []int64{1, 2, 3, 4}},
		{loci.AuditFilter{After: 9}, nil},
		{loci.AuditFilter{Session: "ses_2"}, []int64{3}},
		{loci.AuditFilter{Tool: "write_file", After: -1, Limit: 2}, []int64{2, 4}},
		{loci.AuditFilter{Kind: loci.AuditOutcome}, []int64{2}},
		{loci.AuditFilter{State: loci.StateRefused}, []int64{3}},
		{loci.AuditFilter{State: loci.StateDone, Tool: "write_file"}, []int64{2}},
		{loci.AuditFilter{State: loci.StateUnknown}, nil},
		{loci.AuditFilter{Principal: "ann"}, []int64{3}},
		{loci.AuditFilter{Principal: "ann", Tool: "write_file"}, nil},
	} {
		if diff := cmp.Diff(tt.want, numbers(t, db, tt.filter)); diff != "" {
			t.Errorf("%+v: %s", tt.filter, diff)
		}
		var flowed []int64
		for e, err := range db.Audit(t.Context(), tt.filter) {
			if err != nil {
				t.Fatal(err)
			}
			flowed = append(flowed, e.N)
		}
		if diff := cmp.Diff(tt.want, flowed); diff != "" {
			t.Errorf("flowing, %+v: %s", tt.filter, diff)
		}
	}
	large := intent("call_3")
	large.Arguments = json.RawMessage(`{"path": "a", "content": "` + strings.Repeat("x", 5000) + `"}`)
	n = mustIntend(t, db, large)
	whole := records(t, db, loci.AuditFilter{After: n - 1})[0]
	short := records(t, db, loci.AuditFilter{After: n - 1, Brief: true})[0]
	if !cmp.Equal(whole.Arguments, large.Arguments) || len(short.Arguments) > 300 || !strings.Contains(string(short.Arguments), `x… (5002 bytes in all)","path":"a"`) {
		t.Errorf("%d bytes, in short %s", len(whole.Arguments), short.Arguments)
	}
	if e := records(t, db, loci.AuditFilter{Limit: 1, Entries: true})[0]; !strings.HasPrefix(string(e.Entry), "12:loci audit 1,1:1,") {
		t.Errorf("%q", e.Entry)
	}
}

// What people look for in a long log is found through an index, and so is what came
// of each intent.
func TestAuditQueriesUseIndexes(t *testing.T) {
	db := openTest(t)
	for index, f := range map[string]loci.AuditFilter{
		"audit USING INDEX audit_session": {Session: "s", After: -1, Limit: 9}, "audit USING INDEX audit_tool": {Tool: "t", After: 3, Limit: 9},
		"audit USING INTEGER PRIMARY KEY": {After: 3}, "o USING INDEX audit_outcome": {},
	} {
		query, args := auditQuery(f)
		plan, err := list(t.Context(), db, func(scan scanner) (detail string, err error) {
			var id, parent, unused int
			err = scan(&id, &parent, &unused, &detail)
			return detail, err
		}, "EXPLAIN QUERY PLAN "+query, args...)
		if all := strings.Join(plan, "\n"); err != nil || !strings.Contains(all, "SEARCH "+index) || strings.Contains(all, "TEMP B-TREE") {
			t.Errorf("no %s, %v:\n%s", index, err, all)
		}
	}
}

// Those who follow get each row once, in order, whoever is faster.
func TestAuditFollow(t *testing.T) {
	db := openTest(t)
	mustNote(t, db, refused("one"))
	mustNote(t, db, refused("two"))
	done := make(chan []int64)
	begun := make(chan struct{})
	go func() {
		var got []int64
		for e, err := range db.Audit(t.Context(), loci.AuditFilter{After: -1, Limit: 1, Follow: true, Tool: "delete_file"}) {
			if err != nil {
				t.Error(err)
			}
			if got = append(got, e.N); len(got) == 1 {
				close(begun)
			}
			if e.N == 2003 {
				break
			}
		}
		done <- got
	}()
	<-begun
	mustIntend(t, db, intent("call_1"))
	err := db.inTx(t.Context(), func(t *tx) error { // more than a page at once
		for range 2000 {
			if _, err := t.record(refused("again")); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := <-done
	if len(got) != 2001 || got[0] != 2 || got[1] != 4 || got[2000] != 2003 {
		t.Errorf("%d rows, %v …", len(got), got[:min(len(got), 4)])
	}
}

// Whoever opens the file may add the next row, and nothing else.
func TestAuditOnlyGrows(t *testing.T) {
	db := openTest(t)
	mustIntend(t, db, intent("call_1"))
	mustIntend(t, db, intent("call_2"))
	for _, query := range []string{
		"UPDATE audit SET kind = 'x'", "UPDATE OR REPLACE audit SET n = 1 WHERE n = 2", "UPDATE OR IGNORE audit SET hash = zeroblob(32)",
		"DELETE FROM audit", "DELETE FROM audit WHERE n = 2",
		"REPLACE INTO audit SELECT * FROM audit WHERE n = 2",
		"INSERT OR REPLACE INTO audit SELECT n, time, kind, intent, 'eve', session, tool, entry, hash, state FROM audit WHERE n = 1",
		"INSERT INTO audit SELECT 9, time, kind, intent, principal, session, tool, entry, hash, state FROM audit WHERE n = 1",
		"INSERT INTO audit SELECT NULL, time, kind, intent, principal, session, tool, entry, hash, state FROM audit WHERE n = 1",
		"INSERT INTO audit SELECT 0, time, kind, intent, principal, session, tool, entry, hash, state FROM audit WHERE n = 1",
		"INSERT INTO audit (n, time, kind, intent, principal, session, tool, entry, hash, state) SELECT 2, time, kind, intent, 'eve', session, tool, entry, hash, state FROM audit WHERE n = 1 ON CONFLICT DO UPDATE SET principal = 'eve'",
	} {
		if _, err := db.write.Exec(query); err == nil || !strings.Contains(err.Error(), "only grows") {
			t.Errorf("%s: %v", query, err)
		}
	}
	if p := problems(t, db); p != "" || len(numbers(t, db, loci.AuditFilter{})) != 2 {
		t.Error(p)
	}
}

// Answers, and the end of a session, are in the log whoever forgot to write them
// down, and stay when the session goes.
func TestAuditOfAnswers(t *testing.T) {
	db := openTest(t)
	w := parked(t, db, "owner")
	id := w.Approvals[0].ID
	mustSave(t, db, settled(w, id, loci.ApprovalOpen, loci.ApprovalYes))
	if err := db.Save(t.Context(), settled(w, id, loci.ApprovalOpen, loci.ApprovalYes)); err == nil {
		t.Error("it was settled twice")
	}
	extra := settled(w, id, loci.ApprovalYes, loci.ApprovalUsed)
	extra.Audit = []loci.AuditRecord{{Kind: loci.AuditGrant, Principal: "owner", Permit: "gra_1", State: loci.StateGiven}}
	extra.Grants = []loci.Grant{{ID: "gra_2", Approval: id, Tool: "write_file", Subject: "/x", Binding: "b", Span: loci.GrantAlways, Given: at(3)}}
	mustSave(t, db, extra)
	if err := db.RevokeGrant(t.Context(), "owner", "gra_2", ""); err != nil {
		t.Fatal(err)
	}
	wantCode(t, db.RevokeGrant(t.Context(), "owner", "gra_2", ""), loci.NotFound)
	mustSave(t, db, loci.Batch{Audit: []loci.AuditRecord{{Kind: loci.AuditKey, Principal: "owner", State: loci.StateMade}}})
	if err := db.DeleteSession(t.Context(), "owner", w.Session); err != nil {
		t.Fatal(err)
	}
	wantCode(t, db.DeleteSession(t.Context(), "owner", w.Session), loci.NotFound)
	answer := loci.AuditRecord{Kind: loci.AuditAnswer, Principal: "owner", Session: w.Session, Turn: "turn_1", Call: "call_7F3", Tool: "write_file", Permit: id}
	var got []loci.AuditRecord
	for _, e := range records(t, db, loci.AuditFilter{}) {
		if e.Time.IsZero() {
			t.Error("no time")
		}
		e.Time = loci.Time{}
		got = append(got, e.AuditRecord)
	}
	yes, used := answer, answer
	yes.N, yes.State, yes.Arguments = 1, loci.StateYes, json.RawMessage(`{"from":"open"}`)
	used.N, used.State, used.Arguments = 2, loci.StateUsed, json.RawMessage(`{"from":"yes"}`)
	about := json.RawMessage(`{"subject":"/x","grant":"always","approval":"` + id + `"}`)
	want := []loci.AuditRecord{
		yes, used,
		{N: 3, Kind: loci.AuditGrant, Principal: "owner", Tool: "write_file", Permit: "gra_2", State: loci.StateGiven, Arguments: about},
		{N: 4, Kind: loci.AuditGrant, Principal: "owner", Permit: "gra_1", State: loci.StateGiven},
		{N: 5, Kind: loci.AuditGrant, Principal: "owner", Tool: "write_file", Permit: "gra_2", State: loci.StateRevoked, Arguments: about},
		{N: 6, Kind: loci.AuditKey, Principal: "owner", State: loci.StateMade},
		{N: 7, Kind: loci.AuditSession, Principal: "owner", Session: w.Session, State: loci.StateDeleted},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if db.audit.behind.Load() != 0 {
		t.Error("the anchor does not know of it")
	}
}

// A grant is used up in the transaction of its intent, or there is no intent.
func TestIntendUsesGrants(t *testing.T) {
	db := openTest(t)
	mustSave(t, db, loci.Batch{Session: &loci.Session{ID: "ses_1", Principal: "owner", Created: at(0), Updated: at(0)}})
	mustSave(t, db, loci.Batch{Session: &loci.Session{ID: "ses_2", Principal: "owner", Created: at(0), Updated: at(0)}})
	give := func(id, span string, session, expires, revoked any) {
		t.Helper()
		_, err := db.write.Exec(`INSERT INTO grant_given (id, principal, session, approval, tool, subject, binding, span, given, expires, revoked)
			VALUES (?, 'owner', ?, 'apr_1', 'write_file', 's', 'b', ?, 0, ?, ?)`, id, session, span, expires, revoked)
		if err != nil {
			t.Fatal(err)
		}
	}
	give("gra_always", "always", nil, nil, nil)
	give("gra_30m", "30m", nil, at(10).UnixMilli(), nil)
	give("gra_over", "30m", nil, at(5).UnixMilli(), nil)
	give("gra_session", "session", "ses_1", nil, nil)
	give("gra_other", "session", "ses_2", nil, nil)
	give("gra_back", "always", nil, nil, 1)
	for permit, holds := range map[string]bool{
		"gra_always": true, "gra_30m": true, "gra_session": true, "gra_over": false, "gra_other": false, "gra_back": false, "gra_none": false,
	} {
		before := len(numbers(t, db, loci.AuditFilter{}))
		r := intent("call_1")
		r.Permit = permit
		n, err := db.Intend(t.Context(), r)
		if holds != (err == nil) || holds != (n > 0) {
			t.Errorf("%s: row %d, %v", permit, n, err)
		}
		if !holds {
			wantCode(t, err, loci.Refused)
		}
		var used int
		_ = db.read.QueryRow("SELECT used FROM grant_given WHERE id = ?", permit).Scan(&used)
		if want := map[bool]int{true: 1}[holds]; used != want || len(numbers(t, db, loci.AuditFilter{})) != before+want {
			t.Errorf("%s was used %d times", permit, used)
		}
	}
	for name, change := range map[string]func(*loci.AuditRecord){
		"another person": func(r *loci.AuditRecord) { r.Principal = "ann" },
		"another tool":   func(r *loci.AuditRecord) { r.Tool = "run_command" },
	} {
		r := intent("call_1")
		r.Permit = "gra_always"
		change(&r)
		if _, err := db.Intend(t.Context(), r); err == nil {
			t.Errorf("%s used it", name)
		}
	}
	if p := problems(t, db); p != "" {
		t.Error(p)
	}
}

// A transaction that fails leaves the chain where it was.
func TestFailedCommitIsNoLink(t *testing.T) {
	db := openTest(t)
	mustIntend(t, db, intent("call_1"))
	boom := errors.New("boom")
	for name, in := range map[string]error{
		"after the record": db.durably(t.Context(), func(t *tx) error {
			_, err := t.record(refused("x"))
			return errors.Join(err, boom)
		}),
		"at the commit": db.inTx(t.Context(), func(t *tx) error {
			_, err := t.exec("PRAGMA defer_foreign_keys=ON")
			_, err2 := t.record(refused("x"))
			return errors.Join(err, err2, t.putEvent(newEvents("ses_x")[0], 1))
		}),
	} {
		if in == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if n := mustIntend(t, db, intent("call_2")); n != 2 || problems(t, db) != "" {
		t.Errorf("row %d, %s", n, problems(t, db))
	}
}

// Without a log nothing is written that would have to be in it.
func TestNoAuditNoEffect(t *testing.T) {
	db, err := Open(t.Context(), t.TempDir()+"/loci.db", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Intend(t.Context(), intent("call_1")); err == nil {
		t.Error("an intent was stored")
	}
	if err := db.Note(t.Context(), refused("x")); err == nil {
		t.Error("a record was stored")
	}
	w := parked(t, db, "owner")
	if err := db.Save(t.Context(), settled(w, w.Approvals[0].ID, loci.ApprovalOpen, loci.ApprovalYes)); err == nil {
		t.Error("an answer was stored")
	}
}

func TestConcurrentIntends(t *testing.T) {
	db := openTest(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 25 {
				n, err := db.Intend(t.Context(), intent("call_1"))
				if err == nil {
					err = db.Note(t.Context(), outcome(n))
				}
				if err == nil {
					err = db.Note(t.Context(), refused("x"))
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 { // while it grows
		if p := problems(t, db); p != "" {
			t.Error(p)
		}
	}
	all.Wait()
	r, err := db.VerifyAudit(t.Context())
	if err != nil || r.Rows != 600 || r.Last != 600 || len(r.Problems) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	seen := map[int64]bool{}
	for _, e := range records(t, db, loci.AuditFilter{Kind: loci.AuditOutcome}) {
		seen[e.Intent] = true
	}
	if len(seen) != 200 {
		t.Errorf("%d intents have outcomes", len(seen))
	}
}

// What began and was not heard of is said to be unknown, for good.
func TestUnknownOutcome(t *testing.T) {
	path := t.TempDir() + "/loci.db"
	db, err := Open(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	startAudit(t, db)
	n := mustIntend(t, db, intent("call_1"))
	mustNote(t, db, outcome(n))
	cut := mustIntend(t, db, intent("call_2"))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second start finds nothing new
		db = openAt(t, path)
		got := records(t, db, loci.AuditFilter{})
		if len(got) != 4 || got[0].Outcome != loci.StateDone || got[2].Outcome != loci.StateUnknown || got[2].Why != AuditStopped || got[3].Kind != loci.AuditOutcome ||
			got[3].Intent != cut || got[3].Call != "call_2" || got[3].State != loci.StateUnknown || got[3].Result != AuditStopped {
			t.Errorf("%+v", got)
		}
		if p := problems(t, db); p != "" {
			t.Error(p)
		}
	}
}

// The anchor knows of every effect at once, and of the rest soon and at the end.
func TestAnchor(t *testing.T) {
	path := t.TempDir() + "/loci.db"
	db, err := Open(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	startAudit(t, db)
	named := func() int64 {
		t.Helper()
		text, err := os.ReadFile(path + ".head")
		if err != nil {
			t.Fatal(err)
		}
		h, err := db.audit.chain.ReadAnchor(text)
		if err != nil {
			t.Fatal(err)
		}
		return h.N
	}
	if n := named(); n != 0 {
		t.Errorf("a new log ends at %d", n)
	}
	mustIntend(t, db, intent("call_1"))
	if n := named(); n != 1 {
		t.Errorf("it names %d", n)
	}
	for range anchorEvery {
		mustNote(t, db, refused("x"))
	}
	if n := named(); n != 1 {
		t.Errorf("after what changes nothing it names %d", n)
	}
	mustNote(t, db, refused("x"))
	if n := named(); n != anchorEvery+2 {
		t.Errorf("after many rows it names %d", n)
	}
	mustNote(t, db, refused("x"))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if n := named(); n != anchorEvery+3 {
		t.Errorf("in the end it names %d", n)
	}
	if info, err := os.Stat(path + ".head"); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Error(info.Mode(), err)
	}
}
