package store

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// TestOrigins stores where files have come from. They outlive the conversation, and the
// program.
func TestOrigins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loci.db")
	db, err := Open(t.Context(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.StartAudit(t.Context(), AuditConfig{Key: auditKey, Anchor: path + ".head"}); err != nil {
		t.Fatal(err)
	}
	s := newSession("owner", 0)
	mustSave(t, db, loci.Batch{Session: s})
	origin := func(path, source string, whole bool) loci.Origin {
		return loci.Origin{Path: path, Source: source, Whole: whole, Principal: "owner", Session: s.ID, Time: at(5)}
	}
	for _, e := range []struct {
		drop []string
		put  []loci.Origin
		want []loci.Origin
	}{
		{nil, []loci.Origin{origin("/h/a", "web x", false), origin("/h/b", "mail y", true)}, []loci.Origin{origin("/h/a", "web x", false), origin("/h/b", "mail y", true)}},
		{nil, []loci.Origin{origin("/h/a", "web z", true)}, []loci.Origin{origin("/h/a", "web z", true), origin("/h/b", "mail y", true)}},
		{[]string{"/h/b", "/h/none"}, nil, []loci.Origin{origin("/h/a", "web z", true)}},
		{[]string{"/h/a"}, []loci.Origin{origin("/h/a", "web q", false)}, []loci.Origin{origin("/h/a", "web q", false)}}, // first dropped, then put
	} {
		if err := db.ChangeOrigins(t.Context(), e.drop, e.put); err != nil {
			t.Fatal(err)
		}
		wantOrigins(t, db, e.want)
	}
	if err := db.DeleteSession(t.Context(), "owner", s.ID); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(context.Background(), path, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	wantOrigins(t, db, []loci.Origin{origin("/h/a", "web q", false)})
}

func wantOrigins(t *testing.T, db *DB, want []loci.Origin) {
	t.Helper()
	got, err := db.Origins(t.Context())
	slices.SortFunc(got, func(a, b loci.Origin) int { return strings.Compare(a.Path, b.Path) })
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
}
