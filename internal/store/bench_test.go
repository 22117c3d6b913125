package store

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"loci"
)

// conversation stores a session of the given number of nodes and gives their ids.
func conversation(tb testing.TB, db *DB, principal string, nodes int) (loci.Session, []loci.Node) {
	tb.Helper()
	s := loci.Session{
		ID: loci.NewID(loci.SessionPrefix), Principal: principal, Model: "m", Tier: loci.TierNative,
		System: strings.Repeat("You are in a place. ", 180), Tools: []loci.ToolSpec{{Name: "list_dir"}, {Name: "read_file"}},
		Created: loci.Now(), Updated: loci.Now(),
	}
	if err := db.Save(tb.Context(), loci.Batch{Session: &s}); err != nil {
		tb.Fatal(err)
	}
	var list []loci.Node
	parent := ""
	for i := range nodes {
		n := newNode(s.ID, parent, i)
		if err := db.Save(tb.Context(), loci.Batch{Nodes: []loci.Node{n}}); err != nil {
			tb.Fatal(err)
		}
		list, parent = append(list, n), n.ID
	}
	return s, list
}

func newNode(session, parent string, i int) loci.Node {
	role := []loci.Role{loci.User, loci.Assistant}[i%2]
	text := fmt.Sprintf("%d: %s", i, strings.Repeat("words to remember ", 30))
	return loci.Node{
		ID: loci.NewID(loci.NodePrefix), Session: session, Parent: parent, Turn: "turn_1", Shown: new(text),
		Sent:     loci.Message{Role: role, Content: text},
		PathHash: sha256.Sum256([]byte(session + text)), TextHash: sha256.Sum256([]byte(text)), Created: at(i),
	}
}

func newEvents(session string) []*loci.Event {
	return []*loci.Event{
		{V: 1, Session: session, Turn: "turn_1", Time: loci.Now(), Type: loci.EventStepFinished, Data: loci.StepFinished{Step: 1, Text: strings.Repeat("words ", 50)}},
		{V: 1, Session: session, Turn: "turn_1", Time: loci.Now(), Type: loci.EventMessage, Data: loci.MessageData{Text: strings.Repeat("words ", 50)}},
	}
}

func openBench(b *testing.B) *DB {
	db, err := Open(b.Context(), filepath.Join(b.TempDir(), "loci.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	startAudit(b, db)
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}

// A turn's step: one node and two events. Budget 150 µs.
func BenchmarkSave(b *testing.B) {
	db := openBench(b)
	s, nodes := conversation(b, db, "owner", 1)
	parent, i := nodes[0].ID, 1
	b.ReportAllocs()
	for b.Loop() {
		n := newNode(s.ID, parent, i)
		if err := db.Save(b.Context(), loci.Batch{Nodes: []loci.Node{n}, Events: newEvents(s.ID)}); err != nil {
			b.Fatal(err)
		}
		parent, i = n.ID, i+1
	}
}

// The conversation so far, before each model call. Budget 300 µs.
func BenchmarkPath40(b *testing.B) {
	db := openBench(b)
	for range 20 {
		conversation(b, db, "owner", 40)
	}
	_, nodes := conversation(b, db, "owner", 40)
	b.ReportAllocs()
	for b.Loop() {
		path, err := db.Path(b.Context(), "owner", nodes[39].ID)
		if err != nil || len(path) != 40 {
			b.Fatal(len(path), err)
		}
	}
}

// Finding the conversation that a client resends. Budget 60 µs.
func BenchmarkNodesByHash(b *testing.B) {
	db := openBench(b)
	var nodes []loci.Node
	for range 20 {
		_, nodes = conversation(b, db, "owner", 40)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := db.NodesByHash(b.Context(), "owner", "", nodes[39].PathHash, 8); err != nil {
			b.Fatal(err)
		}
	}
}

// Opening and closing an existing database. Budget 10 ms for the opening.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "loci.db")
	for b.Loop() {
		db, err := Open(b.Context(), path, slog.New(slog.DiscardHandler))
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
