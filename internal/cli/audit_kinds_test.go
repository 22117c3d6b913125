package cli

import (
	"encoding/json"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/config"
	"loci/internal/store"
)

// live is what a loci writes down in a life of it: everything goes through the methods
// that the program itself uses, and no record is made by hand that the store makes.
func live(t *testing.T, db *store.DB) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	bot := loci.Key{ID: "key_1", Name: "bot", Principal: "key:bot", Rights: []loci.Right{loci.RightChat}, Created: loci.Now(), Hash: [32]byte{1}}
	must(db.AddKey(ctx, "owner", bot, ""))
	next := bot
	next.ID, next.Hash = "key_2", [32]byte{2}
	must(db.AddKey(ctx, "owner", next, bot.ID))

	// Its turn asks five questions, each of which has an end of its own.
	s := loci.Session{ID: "ses_1", Principal: bot.Principal, Model: "m", Tier: loci.TierNative, Created: loci.Now(), Updated: loci.Now()}
	event := func(kind loci.EventType, data any) []*loci.Event {
		return []*loci.Event{{V: 1, Session: s.ID, Turn: "turn_1", Time: loci.Now(), Type: kind, Data: data}}
	}
	n := loci.Node{ID: "n1", Session: s.ID, Turn: "turn_1", Sent: loci.Message{Role: loci.Assistant, Content: "May I?"}, Created: loci.Now(), Unsent: true}
	w := loci.Waiting{Session: s.ID, Turn: "turn_1", Node: n.ID, State: json.RawMessage(`{}`)}
	ends := []loci.ApprovalState{loci.ApprovalYes, loci.ApprovalNo, loci.ApprovalExpired, loci.ApprovalWithdrawn}
	for _, end := range ends {
		w.Approvals = append(w.Approvals, loci.Approval{
			ID: "apr_" + string(end), Code: string(end), Session: s.ID, Turn: w.Turn, Call: "call_" + string(end), Tool: "write_file", Arguments: json.RawMessage(`{}`),
			State: loci.ApprovalOpen, Asked: loci.Now(), Expires: loci.Now(), Principal: bot.Principal, Binding: "b", Subject: "/x",
		})
	}
	must(db.Save(ctx, loci.Batch{Session: &s, Nodes: []loci.Node{n}, Waiting: &w, Events: event(loci.EventTurnStarted, loci.TurnStarted{})}))
	settle := func(id string, from, to loci.ApprovalState, grants ...loci.Grant) {
		t.Helper()
		must(db.Save(ctx, loci.Batch{
			Settle: []loci.Settlement{{ID: id, From: from, To: to}}, Grants: grants, Events: event(loci.EventApprovalAnswered, loci.ApprovalAnswered{ID: id, Answer: to}),
		}))
	}
	for _, end := range ends {
		settle("apr_"+string(end), loci.ApprovalOpen, end)
	}
	settle("apr_yes", loci.ApprovalYes, loci.ApprovalUsed,
		loci.Grant{ID: "gra_1", Principal: bot.Principal, Approval: "apr_yes", Tool: "write_file", Subject: "a: b -> c", Binding: "b", Span: loci.GrantAlways, Given: loci.Now()},
		loci.Grant{ID: "gra_2", Principal: bot.Principal, Approval: "apr_yes", Tool: "run_command", Subject: "make", Binding: "c", Span: loci.GrantSession, Session: s.ID, Given: loci.Now()})

	call := func(permit string) loci.AuditRecord {
		return loci.AuditRecord{Principal: bot.Principal, Session: s.ID, Tool: "write_file", Effects: loci.EffectWrite, Arguments: json.RawMessage(`{"path":"a.md"}`), Permit: permit}
	}
	for _, end := range []struct {
		state loci.AuditState
		why   string
	}{
		{loci.StateDone, ""}, {loci.StateFailed, "unknown: the file says so itself."}, {loci.StateFailed, "done"}, {loci.StateUnknown, "It was not heard of again."},
	} {
		intent := call("gra_1")
		n, err := db.Intend(ctx, intent)
		must(err)
		intent.Kind, intent.Intent, intent.State, intent.Result = loci.AuditOutcome, n, end.state, end.why
		must(db.Note(ctx, intent))
	}
	refused := call("")
	refused.Kind, refused.State, refused.Result = loci.AuditRefused, loci.StateRefused, "It needs a yes."
	must(db.Note(ctx, refused))

	must(db.RevokeGrant(ctx, bot.Principal, "gra_2", "owner"))
	must(db.RevokeKey(ctx, "owner", next.ID, loci.Now()))
	own := loci.Key{ID: loci.OwnerKey, Name: "owner", Rights: loci.AllRights()}
	must(db.NoteKey(ctx, "owner", own, loci.StateReplaced, ""))
	must(db.NoteKey(ctx, "owner", own, loci.StateFailed, "The file key cannot be written."))
	must(db.DeleteSession(ctx, bot.Principal, s.ID))
	_, err := db.Intend(ctx, call("rule")) // and there it stops
	must(err)
}

// Every kind of row that the store makes is shown with what a person wants to know of it.
func TestAuditShowsEveryKind(t *testing.T) {
	p := newPerson(t, nowhere)
	paths := p.did()
	key, _, err := config.EnsureAuditKey(paths)
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), paths.DB, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.StartAudit(t.Context(), store.AuditConfig{Key: key, Anchor: paths.AuditHead}); err != nil {
		t.Fatal(err)
	}
	live(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(paths.AuditHead); err != nil { // so that the log has to say something of itself
		t.Fatal(err)
	}
	p.piped = true
	if code := p.run("", "audit"); code != 0 {
		t.Fatalf("exit code %d, %s", code, &p.err)
	}
	const want = `1 TIME owner - key: bot made
2 TIME owner - key: bot replaced
3 TIME key:bot - question: write_file yes
4 TIME key:bot - question: write_file no
5 TIME key:bot - question: write_file no answer in time
6 TIME key:bot - question: write_file withdrawn
7 TIME key:bot - question: write_file the yes was used
8 TIME key:bot - grant: write_file a: b -> c given for always
9 TIME key:bot - grant: run_command make given for session
10 TIME key:bot grant write_file a.md done
12 TIME key:bot grant write_file a.md failed: unknown: the file says so itself.
14 TIME key:bot grant write_file a.md failed: done
16 TIME key:bot grant write_file a.md UNKNOWN: It was not heard of again.
18 TIME key:bot - write_file a.md refused: It needs a yes.
19 TIME owner - grant: run_command make, for key:bot taken back
20 TIME owner - key: bot revoked
21 TIME key:bot - grant: write_file a: b -> c taken back
22 TIME owner - key: owner replaced
23 TIME owner - key: owner failed: The file key cannot be written.
24 TIME key:bot - session ses_1 deleted
25 TIME key:bot rule write_file a.md UNKNOWN: loci stopped before its outcome was written down.
26 TIME loci - this log The anchor of the log was missing, so that nobody can say whether rows are gone from its end.
`
	got := regexp.MustCompile(`\S+T\S+Z`).ReplaceAllString(p.out.String(), "TIME")
	got = regexp.MustCompile(` +`).ReplaceAllString(strings.ReplaceAll("\n"+got, "\n ", "\n"), " ")
	if diff := cmp.Diff(want, strings.ReplaceAll(got, "\n ", "\n")[1:]); diff != "" {
		t.Error(diff)
	}
	var rows []loci.AuditEntry
	if code := p.run("", "audit", "--json"); code != 0 || json.Unmarshal(p.out.Bytes(), &rows) != nil {
		t.Fatalf("exit code %d, %s", code, &p.err)
	}
	kinds, states := map[loci.AuditKind]bool{}, map[loci.AuditState]bool{}
	for _, r := range rows {
		kinds[r.Kind], states[r.State] = true, true
	}
	for _, k := range loci.AuditKinds() {
		if !kinds[k] {
			t.Errorf("no row of the kind %s", k)
		}
	}
	for _, s := range loci.AuditStates() {
		if !states[s] {
			t.Errorf("no row with the state %s", s)
		}
	}
}
