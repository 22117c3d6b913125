package store

import (
	"testing"

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
		if err := db.AddKey(t.Context(), k, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.AddKey(t.Context(), newKey("a", 3), ""); loci.AsError(err).Code != loci.Conflict {
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
	if err := db.RevokeKey(t.Context(), a.ID, loci.Now()); err != nil {
		t.Fatal(err)
	}
	if err := db.RevokeKey(t.Context(), a.ID, loci.Now()); !loci.IsNotFound(err) {
		t.Errorf("twice: %v", err)
	}
	next := newKey("a", 4)
	if err := db.AddKey(t.Context(), next, ""); err != nil {
		t.Fatal(err)
	}
	// In the place of another one, or not at all.
	rotated := newKey("a", 5)
	if err := db.AddKey(t.Context(), rotated, next.ID); err != nil {
		t.Fatal(err)
	}
	if err := db.AddKey(t.Context(), newKey("b", 6), rotated.ID); loci.AsError(err).Code != loci.Conflict {
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
		if err := db.AddKey(t.Context(), k, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.RevokeKey(t.Context(), a.ID, loci.Now()); err != nil {
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
