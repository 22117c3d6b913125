package store

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"loci"
)

// handedOver stores a session in which a call was handed to the client.
func handedOver(t testing.TB, db *DB, principal, call string) loci.Node {
	t.Helper()
	s := newSession(principal, 0)
	n := newNode(s.ID, "", 0)
	n.Unsent = true
	n.Sent.ToolCalls = []loci.ToolCall{
		{ID: "call_other", Name: "pick", Arguments: json.RawMessage(`{"id":"call_in_an_argument"}`)},
		{ID: call, Name: "pick", Arguments: json.RawMessage(`{}`)},
	}
	n.PathHash, n.TextHash = [32]byte{1}, [32]byte{2}
	mustSave(t, db, loci.Batch{Session: s, Nodes: []loci.Node{n}})
	return n
}

// names gives the nodes' ids.
func names(nodes []loci.Node) []string {
	var ids []string
	for _, n := range nodes {
		ids = append(ids, n.ID)
	}
	return ids
}

func TestNodesHanded(t *testing.T) {
	db := openTest(t)
	var handed []loci.Node
	for i := range 12 {
		handed = append(handed, handedOver(t, db, "owner", fmt.Sprint("call_", i)))
	}
	handedOver(t, db, "user:7", "call_0")
	plain := newSession("owner", 0)
	reply := newNode(plain.ID, "", 0)
	reply.PathHash, reply.TextHash = handed[0].PathHash, handed[0].TextHash
	mustSave(t, db, loci.Batch{Session: plain, Nodes: []loci.Node{reply}})
	answered, err := db.Session(t.Context(), "owner", handed[11].Session)
	if err != nil {
		t.Fatal(err)
	}
	mustSave(t, db, loci.Batch{Session: &answered, Nodes: []loci.Node{newNode(answered.ID, handed[11].ID, 1)}})

	for _, tc := range []struct {
		name, session, call string
		hash                [32]byte
		want                []string
	}{
		{"the oldest by its call", "", "call_0", handed[0].PathHash, names(handed[:1])},
		{"by the text", "", "call_0", handed[0].TextHash, names(handed[:1])},
		{"an answered one by its call", "", "call_11", handed[0].PathHash, names(handed[11:])},
		{"in a session", handed[3].Session, "", handed[0].PathHash, names(handed[3:4])},
		{"its call is in another session", handed[3].Session, "call_0", handed[0].PathHash, nil},
		{"an argument is no id", "", "call_in_an_argument", handed[0].PathHash, nil},
		{"the newest without an answer", "", "", handed[0].PathHash, []string{handed[10].ID, handed[9].ID}},
		{"another text", "", "call_0", [32]byte{3}, nil},
	} {
		got, err := db.NodesHanded(t.Context(), "owner", tc.session, tc.hash, tc.call, 2)
		if err != nil || !slices.Equal(names(got), tc.want) {
			t.Errorf("%s: got %v, want %v (%v)", tc.name, names(got), tc.want, err)
		}
	}
	if got, err := db.NodesHanded(t.Context(), "owner", "", handed[0].PathHash, "", 99); err != nil || len(got) != 12 || got[11].ID != handed[11].ID {
		t.Errorf("what is answered is not the last: %v, %v", names(got), err)
	}
}

// The same prompt may have been asked ever so often: nothing is looked through that
// has other hashes.
func TestNodesHandedUsesIndexes(t *testing.T) {
	db := openTest(t)
	rows, err := db.write.Query("EXPLAIN QUERY PLAN "+nodesHanded, make([]any, 5)...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		t.Log(detail)
		if regexp.MustCompile(`SCAN (node|next)`).MatchString(detail) {
			t.Error(detail)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkNodesHanded(b *testing.B) {
	db, err := Open(b.Context(), b.TempDir()+"/loci.db", quiet)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var hash [32]byte
	for i := range 1000 {
		hash = handedOver(b, db, "owner", fmt.Sprint("call_", i)).PathHash
	}
	for b.Loop() {
		if got, err := db.NodesHanded(b.Context(), "owner", "", hash, "call_0", 8); err != nil || len(got) != 1 {
			b.Fatal(len(got), err)
		}
	}
}
