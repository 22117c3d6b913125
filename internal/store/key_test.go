package store

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
)

func newKey(name string, n byte) loci.Key {
	return loci.Key{
		ID: loci.NewID(loci.KeyPrefix), Name: name, Rights: []loci.Right{loci.RightChat, loci.RightApprove},
		Principal: "key:" + name, Created: fromMillis(loci.Now().UnixMilli()), Hash: [32]byte{n},
	}
}

func TestKeys(t *testing.T) {
	db := openTest(t)
	a, b := newKey("a", 1), newKey("b", 2)
	for _, k := range []loci.Key{a, b} {
		if err := db.AddKey(t.Context(), "owner", k, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.AddKey(t.Context(), "owner", newKey("a", 3), ""); loci.AsError(err).Code != loci.Conflict {
		t.Errorf("a second one of a name: %v", err)
	}
	used := fromMillis(loci.Now().UnixMilli())
	if err := db.UseKey(t.Context(), a.ID, used); err != nil {
		t.Fatal(err)
	}
	a.Used = &used
	got, err := db.Keys(t.Context())
	if diff := cmp.Diff([]loci.Key{a, b}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if err := db.RevokeKey(t.Context(), "owner", a.ID, loci.Now()); err != nil {
		t.Fatal(err)
	}
	if err := db.RevokeKey(t.Context(), "owner", a.ID, loci.Now()); !loci.IsNotFound(err) {
		t.Errorf("twice: %v", err)
	}
	next := newKey("a", 4)
	if err := db.AddKey(t.Context(), "owner", next, ""); err != nil {
		t.Fatal(err)
	}
	// In the place of another one, or not at all.
	rotated := newKey("a", 5)
	if err := db.AddKey(t.Context(), "owner", rotated, next.ID); err != nil {
		t.Fatal(err)
	}
	if err := db.AddKey(t.Context(), "owner", newKey("b", 6), rotated.ID); loci.AsError(err).Code != loci.Conflict {
		t.Errorf("in the place of one of another name: %v", err)
	}
	got, err = db.Keys(t.Context())
	if diff := cmp.Diff([]loci.Key{b, rotated}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// What a key may do is settled when it is made, whoever holds the database.
func TestSchemaKeepsKeys(t *testing.T) {
	db := openTest(t)
	a, b := newKey("a", 1), newKey("b", 2)
	for _, k := range []loci.Key{a, b} {
		if err := db.AddKey(t.Context(), "owner", k, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.RevokeKey(t.Context(), "owner", a.ID, loci.Now()); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		`UPDATE key SET rights = '["admin"]'`, "UPDATE key SET hash = zeroblob(32)", "UPDATE key SET principal = 'owner'",
		"UPDATE key SET revoked = NULL", "UPDATE key SET used = 1 WHERE name = 'a'", "DELETE FROM key",
		"INSERT INTO key SELECT 'x', 'b', zeroblob(32), rights, principal, created, NULL, NULL FROM key LIMIT 1",
	} {
		if _, err := db.write.Exec(query); err == nil {
			t.Errorf("allowed: %s", query)
		}
	}
}

// keyRows are the records of keys and grants since row n, without their times.
func keyRows(t *testing.T, db *DB, n int64) (all []loci.AuditRecord) {
	t.Helper()
	for _, e := range records(t, db, loci.AuditFilter{After: n}) {
		if e.Time.IsZero() {
			t.Error("no time")
		}
		e.N, e.Time = 0, loci.Time{}
		all = append(all, e.AuditRecord)
	}
	return all
}

// What is done to a key is written down in the transaction that does it, or neither is.
func TestKeysAreWrittenDown(t *testing.T) {
	db := openTest(t)
	a, b := newKey("a", 1), newKey("a", 2)
	if err := db.AddKey(t.Context(), "owner", a, ""); err != nil {
		t.Fatal(err)
	}
	wantCode(t, db.AddKey(t.Context(), "owner", newKey("a", 3), ""), loci.Conflict)
	if err := db.AddKey(t.Context(), "key:root", b, a.ID); err != nil {
		t.Fatal(err)
	}
	wantCode(t, db.RevokeKey(t.Context(), "owner", a.ID, loci.Now()), loci.NotFound)
	if err := db.RevokeKey(t.Context(), "owner", b.ID, loci.Now()); err != nil {
		t.Fatal(err)
	}
	about := json.RawMessage(`{"name":"a","can":["chat","approve"]}`)
	want := []loci.AuditRecord{
		{Kind: loci.AuditKey, Principal: "owner", Permit: a.ID, State: loci.StateMade, Arguments: about},
		{Kind: loci.AuditKey, Principal: "key:root", Permit: b.ID, State: loci.StateReplaced, Arguments: about},
		{Kind: loci.AuditKey, Principal: "owner", Permit: b.ID, State: loci.StateRevoked, Arguments: about},
	}
	if diff := cmp.Diff(want, keyRows(t, db, 0)); diff != "" {
		t.Error(diff)
	}
	// No row can be added, since another program has added one: then there is no key.
	if _, err := db.write.Exec("INSERT INTO audit (n, time, kind, intent, principal, session, tool, entry, hash) VALUES (4, 0, '', 0, '', '', '', x'', zeroblob(32))"); err != nil {
		t.Fatal(err)
	}
	if err := db.AddKey(t.Context(), "owner", newKey("c", 4), ""); err == nil {
		t.Error("a key was made that is not written down")
	}
	if keys, err := db.Keys(t.Context()); err != nil || len(keys) > 0 {
		t.Errorf("%v, %v", keys, err)
	}
}

// With a key go the yeses that were given to it and to the persons behind it, and
// nobody else's; another key of its name begins with none. A new secret keeps them.
func TestRevokedKeysLoseTheirGrants(t *testing.T) {
	db := openTest(t)
	k := newKey("a", 1)
	if err := db.AddKey(t.Context(), "owner", k, ""); err != nil {
		t.Fatal(err)
	}
	given := map[string]loci.Grant{}
	for _, p := range []string{"key:a", "key:a/user:ann", "key:a.b", "key:a0", "key:a-b/user:ann", "key:", "owner", "key:b"} {
		s := newSession(p, 0)
		given[p] = giveGrant(t, db, s, loci.GrantAlways, "b", 0)
		giveGrant(t, db, s, loci.GrantMinutes, "over", -time.Second) // it ended by itself
	}
	rotated := newKey("a", 2)
	if err := db.AddKey(t.Context(), "owner", rotated, k.ID); err != nil {
		t.Fatal(err)
	}
	holds := func() (all []string) {
		for p := range given {
			if _, err := db.Grant(t.Context(), p, "", "b"); err == nil {
				all = append(all, p)
			}
		}
		slices.Sort(all)
		return all
	}
	if got := holds(); len(got) != len(given) {
		t.Errorf("after a new secret: %v", got)
	}
	last := numbers(t, db, loci.AuditFilter{})
	if err := db.RevokeKey(t.Context(), "owner", rotated.ID, loci.Now()); err != nil {
		t.Fatal(err)
	}
	if err := db.AddKey(t.Context(), "owner", newKey("a", 3), ""); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"key:", "key:a-b/user:ann", "key:a.b", "key:a0", "key:b", "owner"}, holds()); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, r := range keyRows(t, db, int64(len(last))) {
		got = append(got, strings.Join([]string{string(r.Kind), string(r.State), r.Principal, r.Permit}, " "))
		if r.Kind == loci.AuditGrant && string(r.Arguments) != `{"subject":"make test","grant":"always","approval":"`+given[r.Principal].Approval+`"}` {
			t.Errorf("%s", r.Arguments)
		}
	}
	want := []string{"key revoked owner " + rotated.ID, "grant revoked key:a " + given["key:a"].ID, "grant revoked key:a/user:ann " + given["key:a/user:ann"].ID}
	if diff := cmp.Diff(want, got[:max(0, len(got)-1)]); diff != "" {
		t.Error(diff)
	}
}
