package store

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// giveGrant stores a grant in a session of a principal.
func giveGrant(t *testing.T, db *DB, s *loci.Session, span loci.GrantSpan, binding string, lasts time.Duration) loci.Grant {
	t.Helper()
	g := loci.Grant{
		ID: loci.NewID(loci.GrantPrefix), Principal: s.Principal, Approval: loci.NewID(loci.ApprovalPrefix), Tool: "run_command",
		Subject: "make test", Binding: binding, Span: span, Given: fromMillis(time.Now().UnixMilli()),
	}
	if span == loci.GrantSession {
		g.Session = s.ID
	}
	if lasts != 0 {
		end := loci.Time{Time: g.Given.Add(lasts)}
		g.Expires = &end
	}
	mustSave(t, db, loci.Batch{Session: s, Grants: []loci.Grant{g}, Events: []*loci.Event{
		{V: 1, Session: s.ID, Turn: "turn_1", Time: at(0), Type: loci.EventApprovalAnswered, Data: loci.ApprovalAnswered{ID: g.Approval}},
	}})
	return g
}

// use counts that a grant lets a call through.
func use(t *testing.T, db *DB, principal, session, id string) error {
	t.Helper()
	_, err := db.Intend(t.Context(), loci.AuditRecord{
		Time: loci.Now(), Kind: loci.AuditIntent, Principal: principal, Session: session, Tool: "run_command", Effects: loci.EffectExec, Permit: id,
	})
	return err
}

func TestGrantHolds(t *testing.T) {
	db := openTest(t)
	here, there, eve := newSession("owner", 0), newSession("owner", 0), newSession("eve", 0)
	mustSave(t, db, loci.Batch{Session: there})
	mustSave(t, db, loci.Batch{Session: eve})
	grants := map[string]loci.Grant{
		"always":   giveGrant(t, db, here, loci.GrantAlways, "b-always", 0),
		"session":  giveGrant(t, db, here, loci.GrantSession, "b-session", 0),
		"30m":      giveGrant(t, db, here, loci.GrantMinutes, "b-30m", 30*time.Minute),
		"over":     giveGrant(t, db, here, loci.GrantMinutes, "b-over", -time.Millisecond),
		"revoked":  giveGrant(t, db, here, loci.GrantAlways, "b-revoked", 0),
		"of eve's": giveGrant(t, db, eve, loci.GrantAlways, "b-eve", 0),
	}
	if err := db.RevokeGrant(t.Context(), "owner", grants["revoked"].ID, ""); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		grant, principal, session string
		want                      bool
	}{
		{"always", "owner", here.ID, true},
		{"always", "owner", there.ID, true},
		{"always", "eve", eve.ID, false},
		{"always", "eve", here.ID, false},
		{"session", "owner", here.ID, true},
		{"session", "owner", there.ID, false},
		{"session", "owner", "", false},
		{"30m", "owner", here.ID, true},
		{"30m", "owner", there.ID, true},
		{"over", "owner", here.ID, false},
		{"revoked", "owner", here.ID, false},
		{"of eve's", "owner", here.ID, false},
		{"of eve's", "eve", eve.ID, true},
	} {
		g := grants[test.grant]
		found, err := db.Grant(t.Context(), test.principal, test.session, g.Binding)
		if test.want {
			if err != nil || found.ID != g.ID || found.Span != g.Span || found.Subject != g.Subject || found.Tool != g.Tool {
				t.Errorf("%+v: %+v, %v", test, found, err)
			}
		} else {
			wantCode(t, err, loci.NotFound)
		}
		// What is found is used in the same breath, and holds or does not hold alike.
		if err := use(t, db, test.principal, test.session, g.ID); test.want != (err == nil) {
			t.Errorf("%+v: using it: %v", test, err)
		} else if err != nil {
			wantCode(t, err, loci.Refused)
		}
	}
	_, err := db.Grant(t.Context(), "owner", here.ID, "b-other")
	wantCode(t, err, loci.NotFound)
	_, err = db.Grant(t.Context(), "owner", here.ID, "")
	wantCode(t, err, loci.NotFound)
}

// TestLongestGrantCounts has several for the same thing.
func TestLongestGrantCounts(t *testing.T) {
	db := openTest(t)
	s, other := newSession("owner", 0), newSession("owner", 0)
	mustSave(t, db, loci.Batch{Session: other})
	give := func(span loci.GrantSpan, lasts time.Duration) loci.Grant {
		return giveGrant(t, db, s, span, "b", lasts)
	}
	session := give(loci.GrantSession, 0)
	long, short, always := give(loci.GrantMinutes, 30*time.Minute), give(loci.GrantMinutes, time.Minute), give(loci.GrantAlways, 0)
	best := func(session string) string {
		g, err := db.Grant(t.Context(), "owner", session, "b")
		if err != nil {
			return string(loci.AsError(err).Code)
		}
		return g.ID
	}
	for _, want := range []loci.Grant{always, long, short} {
		if got := best(other.ID); got != want.ID {
			t.Errorf("got %s, want %s for %s", got, want.ID, want.Span)
		}
		if err := db.RevokeGrant(t.Context(), "owner", want.ID, ""); err != nil {
			t.Fatal(err)
		}
	}
	if got := best(other.ID); got != string(loci.NotFound) {
		t.Error(got)
	}
	if got := best(s.ID); got != session.ID {
		t.Error(got)
	}
}

func TestGrantsAreCounted(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	first, second := giveGrant(t, db, s, loci.GrantAlways, "b1", 0), giveGrant(t, db, s, loci.GrantMinutes, "b2", time.Hour)
	giveGrant(t, db, s, loci.GrantMinutes, "b3", -time.Second)
	for range 3 {
		if err := use(t, db, "owner", s.ID, first.ID); err != nil {
			t.Fatal(err)
		}
	}
	first.Used = 3
	all, err := db.Grants(t.Context(), "owner", "")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]loci.Grant{first, second}, all); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if all, err := db.Grants(t.Context(), "eve", ""); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestRevokeGrant(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	g := giveGrant(t, db, s, loci.GrantAlways, "b", 0)
	wantCode(t, db.RevokeGrant(t.Context(), "eve", g.ID, ""), loci.NotFound)
	wantCode(t, db.RevokeGrant(t.Context(), "owner", "gra_none", ""), loci.NotFound)
	if err := db.RevokeGrant(t.Context(), "owner", g.ID, ""); err != nil {
		t.Fatal(err)
	}
	wantCode(t, db.RevokeGrant(t.Context(), "owner", g.ID, ""), loci.NotFound)
	wantCode(t, use(t, db, "owner", s.ID, g.ID), loci.Refused)
	if all, err := db.Grants(t.Context(), "owner", ""); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	again := giveGrant(t, db, s, loci.GrantAlways, "b", 0)
	if found, err := db.Grant(t.Context(), "owner", s.ID, "b"); err != nil || found.ID != again.ID {
		t.Errorf("a new yes does not count: %+v, %v", found, err)
	}
}

// TestGrantOfADeletedSession: what was agreed to for a conversation ends with it.
func TestGrantOfADeletedSession(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	giveGrant(t, db, s, loci.GrantSession, "b-session", 0)
	always := giveGrant(t, db, s, loci.GrantAlways, "b-always", 0)
	if err := db.DeleteSession(t.Context(), "owner", s.ID); err != nil {
		t.Fatal(err)
	}
	_, err := db.Grant(t.Context(), "owner", s.ID, "b-session")
	wantCode(t, err, loci.NotFound)
	if found, err := db.Grant(t.Context(), "owner", "ses_other", "b-always"); err != nil || found.ID != always.ID {
		t.Errorf("a yes for good is gone with the conversation: %+v, %v", found, err)
	}
}

// TestSchemaGuardsGrants: what was agreed to never changes, whoever holds the database.
func TestSchemaGuardsGrants(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	g := giveGrant(t, db, s, loci.GrantMinutes, "b", time.Hour)
	if err := db.RevokeGrant(t.Context(), "owner", g.ID, ""); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"UPDATE grant_given SET binding = 'c'",
		"UPDATE grant_given SET principal = 'eve'",
		"UPDATE grant_given SET expires = NULL",
		"UPDATE grant_given SET expires = expires + 1",
		"UPDATE grant_given SET span = 'always'",
		"UPDATE grant_given SET tool = 'other'",
		"UPDATE grant_given SET revoked = NULL",
	} {
		if _, err := db.write.Exec(query); err == nil {
			t.Errorf("%s: it worked", query)
		} else if !strings.Contains(err.Error(), "grant") {
			t.Errorf("%s: %v", query, err)
		}
	}
}
