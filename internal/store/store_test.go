package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"loci"
)

var long = flag.Bool("long", false, "run long loops")

func TestMain(m *testing.M) {
	if path := os.Getenv(auditCrashEnv); path != "" {
		intendForEver(path)
	}
	if path := os.Getenv(crashEnv); path != "" {
		saveForEver(path)
	}
	goleak.VerifyTestMain(m)
}

var quiet = slog.New(slog.DiscardHandler)

func openTest(t *testing.T) *DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "loci.db"))
}

func openAt(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if problem := startAudit(t, db); problem != "" {
		t.Error(problem)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

var auditKey = bytes.Repeat([]byte{7}, loci.AuditKeySize)

// startAudit opens the audit log, with an anchor beside the database.
func startAudit(tb testing.TB, db *DB) (problem string) {
	tb.Helper()
	problem, err := db.StartAudit(tb.Context(), AuditConfig{Key: auditKey, Anchor: db.path + ".head"})
	if err != nil {
		tb.Fatal(err)
	}
	return problem
}

func mustSave(t testing.TB, db *DB, b loci.Batch) {
	t.Helper()
	if err := db.Save(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// at is a moment the given number of milliseconds after a fixed one.
func at(ms int) loci.Time {
	return loci.Time{Time: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)}
}

func newSession(principal string, ms int) *loci.Session {
	return &loci.Session{
		ID: loci.NewID(loci.SessionPrefix), Principal: principal, Model: "m", Tier: loci.TierText,
		System: "system", ClientSystem: "client", Tools: []loci.ToolSpec{{Name: "a"}, {Name: "b", Description: "Does b.", Parameters: json.RawMessage(`{ "type": "object" }`)}}, Folders: []string{"/x y"}, Working: "/x y", Base: "node_b",
		Created: at(ms), Updated: at(ms),
	}
}

func wantCode(t *testing.T, err error, want loci.Code) *loci.Error {
	t.Helper()
	e, ok := errors.AsType[*loci.Error](err)
	if !ok {
		t.Fatalf("got error %v, want one with code %s", err, want)
	}
	if e.Code != want {
		t.Fatalf("got code %s (%v), want %s", e.Code, e, want)
	}
	return e
}

func TestSessionRoundTrip(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	s.Thread, s.Title = "chat-1", "a title"
	mustSave(t, db, loci.Batch{Session: s})
	for name, find := range map[string]func() (loci.Session, error){
		"by id":     func() (loci.Session, error) { return db.Session(t.Context(), "owner", s.ID) },
		"by thread": func() (loci.Session, error) { return db.SessionByThread(t.Context(), "owner", "chat-1") },
	} {
		got, err := find()
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(*s, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNotFound(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	s.Thread = "chat-1"
	n := newNode(s.ID, "", 0)
	mustSave(t, db, loci.Batch{Session: s, Nodes: []loci.Node{n}})
	ctx := t.Context()
	for name, call := range map[string]func() error{
		"session":           func() error { _, err := db.Session(ctx, "owner", "ses_x"); return err },
		"thread":            func() error { _, err := db.SessionByThread(ctx, "owner", "chat-2"); return err },
		"empty thread":      func() error { _, err := db.SessionByThread(ctx, "owner", ""); return err },
		"thread of another": func() error { _, err := db.SessionByThread(ctx, "ann", "chat-1"); return err },
		"node":              func() error { _, err := db.Node(ctx, "node_x"); return err },
		"path":              func() error { _, err := db.Path(ctx, "owner", "node_x"); return err },
		"rename":            func() error { return db.RenameSession(ctx, "ann", s.ID, "mine") },
		"delete":            func() error { return db.DeleteSession(ctx, "ann", s.ID) },
		"save into none":    func() error { return db.Save(ctx, loci.Batch{Nodes: []loci.Node{newNode("ses_x", "", 0)}}) },
		"save into another": func() error {
			stolen := *s
			stolen.Principal = "ann"
			return db.Save(ctx, loci.Batch{Session: &stolen})
		},
	} {
		t.Run(name, func(t *testing.T) { wantCode(t, call(), loci.NotFound) })
	}
	if got, err := db.Session(ctx, "owner", s.ID); err != nil || got.Title != "" || got.Principal != "owner" {
		t.Errorf("the session changed: %+v, %v", got, err)
	}
}

// What was sent to a model once must come back byte for byte, or its prompt
// cache is lost.
func TestNodeBytes(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	awkward := []string{
		"", " \t\r\n", "a\x00b", "\xff\xfe not UTF-8", "e\u0301 \u00e9", "<b>&amp;</b> \u2028", "日本語 🚀 \U0010FFFF",
		`"quotes" 'and' \back`, strings.Repeat("long ", 20_000),
	}
	var want []loci.Node
	parent := ""
	for i, text := range awkward {
		n := newNode(s.ID, parent, i)
		n.Shown, n.Sent.Content, n.Created = new(text), text, at(i)
		want, parent = append(want, n), n.ID
	}
	step := loci.Node{
		ID: loci.NewID(loci.NodePrefix), Session: s.ID, Parent: parent, Turn: "turn_1", Created: at(90),
		Sent: loci.Message{
			Role: loci.Assistant, Content: "I look.", Reasoning: "hm <x>", Images: []loci.Image{{MediaType: "image/png", Base64: "aGk="}},
			ToolCalls: []loci.ToolCall{{ID: "call_1", Name: "list_dir", Arguments: json.RawMessage("{ \"path\" :\t\"a<b>&\u2028\",\n \"n\":1.0e2 }")}},
		},
	}
	result := loci.Node{
		ID: loci.NewID(loci.NodePrefix), Session: s.ID, Parent: step.ID, Turn: "turn_1", Created: at(91),
		Sent: loci.Message{Role: loci.ToolRole, Content: "[]", ToolCallID: "call_1", ToolName: "list_dir", Own: []int{0}},
	}
	want = append(want, step, result)
	mustSave(t, db, loci.Batch{Session: s, Nodes: want})

	got, err := db.Path(t.Context(), "owner", result.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	one, err := db.Node(t.Context(), step.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(step, one); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func ids(nodes []loci.Node) []string {
	var list []string
	for _, n := range nodes {
		list = append(list, n.ID)
	}
	return list
}

func TestPathFollowsTheBranch(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	root := newNode(s.ID, "", 0)
	left, right := newNode(s.ID, root.ID, 1), newNode(s.ID, root.ID, 2)
	leaf := newNode(s.ID, left.ID, 3)
	mustSave(t, db, loci.Batch{Session: s, Nodes: []loci.Node{root, left, right, leaf}})
	for _, tt := range []struct{ to, want []string }{
		{[]string{""}, nil},
		{[]string{root.ID}, []string{root.ID}},
		{[]string{right.ID}, []string{root.ID, right.ID}},
		{[]string{leaf.ID}, []string{root.ID, left.ID, leaf.ID}},
	} {
		path, err := db.Path(t.Context(), "owner", tt.to[0])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, ids(path)); diff != "" {
			t.Errorf("path to %s (-want +got):\n%s", tt.to, diff)
		}
	}
}

func TestHashesFindTheNewest(t *testing.T) {
	db := openTest(t)
	hello := newNode("", "", 0)
	var saved []string
	for i := range 3 {
		s := newSession("owner", i)
		n := hello
		n.ID, n.Session = loci.NewID(loci.NodePrefix), s.ID
		mustSave(t, db, loci.Batch{Session: s, Nodes: []loci.Node{n}})
		saved = append(saved, n.ID)
	}
	other := newSession("ann", 9)
	n := hello
	n.ID, n.Session = loci.NewID(loci.NodePrefix), other.ID
	mustSave(t, db, loci.Batch{Session: other, Nodes: []loci.Node{n}})

	got, err := db.NodesByHash(t.Context(), "owner", "", hello.PathHash, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{saved[2], saved[1]}, ids(got)); diff != "" {
		t.Errorf("by path (-want +got):\n%s", diff)
	}
	if got, err := db.NodesByHash(t.Context(), "owner", "", [32]byte{}, 2); err != nil || len(got) != 0 {
		t.Errorf("no hash: %v, %v", got, err)
	}
	first, err := db.Node(t.Context(), saved[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, err := db.NodesByHash(t.Context(), "owner", first.Session, hello.PathHash, 2); err != nil || len(got) != 1 || got[0].ID != saved[0] {
		t.Errorf("in a session: got %v, %v; want %s", got, err, saved[0])
	}
	list, err := db.NodesByText(t.Context(), "owner", hello.TextHash, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{saved[2], saved[1]}, ids(list)); diff != "" {
		t.Errorf("by text (-want +got):\n%s", diff)
	}
}

func TestSaveMovesTheHead(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	first := newNode(s.ID, "", 0)
	mustSave(t, db, loci.Batch{Session: s, Nodes: []loci.Node{first}})
	if s.Head != first.ID {
		t.Errorf("the batch's session has head %q, want %q", s.Head, first.ID)
	}
	second := newNode(s.ID, first.ID, 1)
	second.Created = at(5000)
	mustSave(t, db, loci.Batch{Nodes: []loci.Node{second}})
	got, err := db.Session(t.Context(), "owner", s.ID)
	if err != nil || got.Head != second.ID || !got.Updated.Equal(at(5000).Time) {
		t.Errorf("got head %s, updated %v, %v", got.Head, got.Updated, err)
	}
	mustSave(t, db, loci.Batch{Events: newEvents(s.ID)}) // events alone leave it
	mustSave(t, db, loci.Batch{})                        // and nothing is nothing
	if got, err := db.Session(t.Context(), "owner", s.ID); err != nil || got.Head != second.ID {
		t.Errorf("got head %s, %v", got.Head, err)
	}
	s.Head = first.ID // a session that is saved without nodes goes back
	mustSave(t, db, loci.Batch{Session: s})
	if got, err := db.Session(t.Context(), "owner", s.ID); err != nil || got.Head != first.ID {
		t.Errorf("got head %s, %v", got.Head, err)
	}
}

func TestRenameOutlivesARunningTurn(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	mustSave(t, db, loci.Batch{Session: s})
	running := *s
	running.Title = "first words"
	mustSave(t, db, loci.Batch{Session: &running})
	if err := db.RenameSession(t.Context(), "owner", s.ID, "Garden"); err != nil {
		t.Fatal(err)
	}
	mustSave(t, db, loci.Batch{Session: &running})
	if got, err := db.Session(t.Context(), "owner", s.ID); err != nil || got.Title != "Garden" {
		t.Errorf("got title %q, %v", got.Title, err)
	}
}

func TestEventsAreNumberedPerSession(t *testing.T) {
	db := openTest(t)
	a, b := newSession("owner", 0), newSession("owner", 1)
	mustSave(t, db, loci.Batch{Session: a, Events: newEvents(a.ID)})
	mustSave(t, db, loci.Batch{Session: b, Events: newEvents(b.ID)})
	more := newEvents(a.ID)
	mustSave(t, db, loci.Batch{Session: a, Events: more})
	if more[0].Seq != 3 || more[1].Seq != 4 {
		t.Errorf("the batch has numbers %d, %d; want 3, 4", more[0].Seq, more[1].Seq)
	}
	got, err := db.Events(t.Context(), a.ID, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Seq != 2 || got[1].Seq != 3 {
		t.Fatalf("got %+v, want numbers 2 and 3", got)
	}
	raw, ok := got[0].Data.(json.RawMessage)
	if !ok {
		t.Fatalf("data is a %T", got[0].Data)
	}
	var m loci.MessageData
	if err := got[0].DecodeData(&m); err != nil || m.Text == "" {
		t.Errorf("data %s: %v", raw, err)
	}
	got[0].Data, more[0].Data = nil, nil
	want := loci.Event{V: 1, Seq: 2, Session: a.ID, Turn: "turn_1", Type: loci.EventMessage, Time: got[0].Time}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Nothing of a batch that cannot be stored is stored, and the next one has no
// gap in its numbers.
func TestSaveIsAllOrNothing(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	root := newNode(s.ID, "", 0)
	mustSave(t, db, loci.Batch{Session: s, Nodes: []loci.Node{root}})
	other := newSession("owner", 1)
	mustSave(t, db, loci.Batch{Session: other})
	good := newNode(s.ID, root.ID, 1)
	for name, broken := range map[string]loci.Batch{
		"node twice":             {Nodes: []loci.Node{good, good}},
		"unknown parent":         {Nodes: []loci.Node{good, newNode(s.ID, "node_x", 1)}},
		"parent elsewhere":       {Session: other, Nodes: []loci.Node{newNode(other.ID, root.ID, 1)}},
		"two sessions":           {Nodes: []loci.Node{good}, Events: newEvents(other.ID)},
		"no session":             {Nodes: []loci.Node{newNode("", "", 1)}},
		"a delta":                {Events: []*loci.Event{{Session: s.ID, Type: loci.EventDelta}}},
		"data that is not JSON":  {Nodes: []loci.Node{good}, Events: []*loci.Event{{Session: s.ID, Data: func() {}}}},
		"a turn that runs twice": {Events: []*loci.Event{started(s.ID, "turn_9"), started(s.ID, "turn_9")}},
	} {
		t.Run(name, func(t *testing.T) {
			broken.Events = append(broken.Events, newEvents(s.ID)...)
			if name == "parent elsewhere" || name == "no session" {
				broken.Events = nil
			}
			if err := db.Save(t.Context(), broken); err == nil {
				t.Fatal("it was stored")
			}
			for _, e := range broken.Events {
				if e.Seq != 0 {
					t.Errorf("an event got number %d", e.Seq)
				}
			}
			if got, err := db.Session(t.Context(), "owner", s.ID); err != nil || got.Head != root.ID {
				t.Errorf("the head moved: %+v, %v", got, err)
			}
			if _, err := db.Node(t.Context(), good.ID); err == nil {
				t.Error("a node was stored")
			}
		})
	}
	events := newEvents(s.ID)
	mustSave(t, db, loci.Batch{Events: events})
	if events[0].Seq != 1 {
		t.Errorf("the first event has number %d", events[0].Seq)
	}
}

func TestCancelledSaveStoresNothing(t *testing.T) {
	db := openTest(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newSession("owner", 0)
	if err := db.Save(ctx, loci.Batch{Session: s}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	_, err := db.Session(t.Context(), "owner", s.ID)
	wantCode(t, err, loci.NotFound)
}

func TestSessionPages(t *testing.T) {
	db := openTest(t)
	var want []string
	for i := range 9 {
		s := newSession("owner", i/3*10) // three of each moment
		s.ID = fmt.Sprintf("ses_%d", i)
		mustSave(t, db, loci.Batch{Session: s})
		want = append(want, s.ID)
	}
	mustSave(t, db, loci.Batch{Session: newSession("ann", 100)})
	slices.Reverse(want)
	var got []string
	var before loci.Time
	for pages := 0; ; pages++ {
		page, err := db.Sessions(t.Context(), "owner", before, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			if pages != 3 {
				t.Errorf("%d pages", pages)
			}
			break
		}
		for _, s := range page {
			got = append(got, s.ID)
		}
		before = page[len(page)-1].Updated
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProfiles(t *testing.T) {
	db := openTest(t)
	if _, found, err := db.LoadProfile(t.Context(), "http://a", "m"); found || err != nil {
		t.Errorf("got %v, %v", found, err)
	}
	p := loci.Profile{Server: "http://a", Model: "m", Digest: "1", Tier: loci.TierTiny, Window: 2048, Reason: "It is small."}
	for _, digest := range []string{"1", "2"} {
		p.Digest = digest
		if err := db.SaveProfile(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	got, found, err := db.LoadProfile(t.Context(), "http://a", "m")
	if err != nil || !found {
		t.Fatal(found, err)
	}
	if diff := cmp.Diff(p, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVectors(t *testing.T) {
	db := openTest(t)
	if got, err := db.Vectors(t.Context(), "m 2"); err != nil || len(got) > 0 {
		t.Errorf("got %v, %v", got, err)
	}
	want := map[string][]float32{"list the files": {0.6, -0.8}, "一": {math.SmallestNonzeroFloat32, 1}, "": {}}
	for _, model := range []string{"other 2", "m 2"} {
		if err := db.KeepVectors(t.Context(), model, want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := db.Vectors(t.Context(), "m 2")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := db.Vectors(t.Context(), "other 2"); err != nil || len(got) > 0 {
		t.Errorf("of the model before: %v, %v", got, err)
	}
	if _, err := db.write.Exec("UPDATE vector SET data = x'0000803f00' WHERE text = '一'"); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Vectors(t.Context(), "m 2"); err != nil || len(got["一"]) != 1 || got["一"][0] != 1 {
		t.Errorf("a damaged row: %v, %v", got["一"], err)
	}
}

func started(session, turn string) *loci.Event {
	return &loci.Event{V: 1, Session: session, Turn: turn, Time: loci.Now(), Type: loci.EventTurnStarted, Data: loci.TurnStarted{Model: "m"}}
}

func TestUnfinishedTurns(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	finished := &loci.Event{V: 1, Session: s.ID, Turn: "turn_1", Time: loci.Now(), Type: loci.EventTurnFinished, Data: loci.TurnFinished{State: loci.TurnDone}}
	mustSave(t, db, loci.Batch{Session: s, Events: []*loci.Event{started(s.ID, "turn_1"), finished, started(s.ID, "turn_2")}})
	got, err := db.Unfinished(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	draft := loci.Draft{Principal: "owner", Session: s.ID, Turn: "turn_2"}
	if diff := cmp.Diff([]loci.Draft{draft}, got); diff != "" {
		t.Error(diff)
	}
	draft.Text, draft.Reasoning = "Half a", "hm"
	for _, d := range []loci.Draft{{Session: s.ID, Turn: "turn_2", Text: "H"}, draft, {Session: s.ID, Turn: "turn_1", Text: "over"}} {
		if err := db.SaveDraft(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := db.Unfinished(t.Context()); err != nil || !cmp.Equal([]loci.Draft{draft}, got) {
		t.Errorf("got %+v, %v", got, err)
	}
	finished.Turn, finished.Seq = "turn_2", 0
	mustSave(t, db, loci.Batch{Events: []*loci.Event{finished}})
	if got, err := db.Unfinished(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestManyAtOnce(t *testing.T) {
	db := openTest(t)
	t.Run("group", func(t *testing.T) {
		for i := range 8 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				s := newSession("owner", i)
				mustSave(t, db, loci.Batch{Session: s})
				for range 20 {
					n := newNode(s.ID, s.Head, 0)
					mustSave(t, db, loci.Batch{Session: s, Nodes: []loci.Node{n}, Events: newEvents(s.ID)})
					if path, err := db.Path(t.Context(), "owner", s.Head); err != nil || path[len(path)-1].ID != n.ID {
						t.Fatal(err)
					}
				}
				events, err := db.Events(t.Context(), s.ID, 0, 100)
				if err != nil || len(events) != 40 || events[39].Seq != 40 {
					t.Errorf("%d events, %v", len(events), err)
				}
			})
		}
	})
}
