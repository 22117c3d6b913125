package app

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/config"
	"loci/internal/fake"
)

// begin starts a turn of a principal, and gives its session.
func begin(t *testing.T, a *App, p loci.Principal, message string) string {
	t.Helper()
	e, err := a.agent.Start(t.Context(), loci.TurnRequest{Principal: p, Message: loci.Message{Role: loci.User, Content: message}})
	if err != nil {
		t.Fatal(err)
	}
	return e.Session
}

// waits follows a session until an event of a kind, and gives its data.
func waits[T any](t *testing.T, a *App, p loci.Principal, session string, until loci.EventType) (data T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for e, err := range a.agent.Follow(ctx, p, session, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type != until {
			continue
		}
		raw, err := json.Marshal(e.Data)
		if err == nil {
			err = json.Unmarshal(raw, &data)
		}
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	t.Fatalf("no %s in %s", until, session)
	return data
}

// A key that is revoked leaves nothing that goes on: no turn and no question, of the key's
// own and of the persons behind it; those of others stay. So it is also where the end of
// the key could not be stored.
func TestRevokedKeyLeavesNothing(t *testing.T) {
	for name, full := range map[string]bool{"stored": false, "not stored": true} {
		t.Run(name, func(t *testing.T) { revoked(t, full) })
	}
}

func revoked(t *testing.T, full bool) {
	held := make(chan struct{})
	defer close(held)
	m := fake.NewModel()
	m.Answer = func(r *fake.Request) (fake.Reply, bool) {
		if r.Purpose != loci.PurposeChat {
			return fake.Reply{Text: "x"}, true
		}
		switch text := r.Messages[len(r.Messages)-1].Content; {
		case strings.Contains(text, "count"):
			return fake.Reply{Text: "One two three", Hold: held}, true
		case strings.Contains(text, "write"):
			return fake.Reply{Calls: []loci.ToolCall{fake.Call("write_file", `{"path":"a.txt","content":"hello"}`)}}, true
		}
		return fake.Reply{Text: "Done."}, true
	}
	o := options(t, m.Ollama(t))
	folder := config.Folder{Path: t.TempDir()}
	o.Config.Tier, o.Config.Folders = loci.TierNative, []config.Folder{folder}
	o.Config.Principals = map[string]config.Rights{}
	everybody := []loci.Principal{{ID: "key:bot"}, {ID: "key:bot/user:ann"}, {ID: "key:bot2"}}
	for i := range everybody {
		everybody[i].Rights = loci.AllRights()
		o.Config.Principals[everybody[i].ID] = config.Rights{Folders: []config.Folder{folder}}
	}
	a := build(t, o)
	serving(t, a)
	owner := loci.Principal{ID: "owner", Owner: true, Rights: loci.AllRights()}
	for _, name := range []string{"bot", "bot2"} {
		if _, _, err := a.keys.Add(t.Context(), owner, name, loci.AllRights()); err != nil {
			t.Fatal(err)
		}
	}
	type left struct{ running, asking string }
	begun := map[string]left{}
	for _, p := range everybody {
		l := left{begin(t, a, p, "count"), begin(t, a, p, "write it")}
		waits[loci.TurnWaiting](t, a, p, l.asking, loci.EventTurnWaiting)
		begun[p.ID] = l
	}
	if full {
		db, err := sql.Open("sqlite", o.Paths.DB)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec("CREATE TRIGGER full BEFORE UPDATE OF revoked ON key BEGIN SELECT RAISE(ABORT, 'full'); END"); err != nil {
			t.Fatal(err)
		}
	}
	status, body := ask(t, http.MethodDelete, a.Addresses().URL+"/api/agent/keys/bot", a.Addresses().Key, "", "")
	if want := map[bool]int{false: http.StatusNoContent, true: http.StatusInternalServerError}[full]; status != want {
		t.Fatalf("%d %s", status, body)
	}
	for _, p := range everybody[:2] {
		for _, session := range []string{begun[p.ID].running, begun[p.ID].asking} {
			if f := waits[loci.TurnFinished](t, a, p, session, loci.EventTurnFinished); f.State != loci.TurnInterrupted {
				t.Errorf("%s: a turn ended as %s", p.ID, f.State)
			}
		}
		if open, err := a.store.Approvals(t.Context(), p.ID); err != nil || len(open) > 0 {
			t.Errorf("%s is asked %v, %v", p.ID, open, err)
		}
	}
	other := everybody[2]
	if open, err := a.store.Approvals(t.Context(), other.ID); err != nil || len(open) != 1 {
		t.Errorf("another key is asked %v, %v", open, err)
	}
	if err := a.agent.Stop(t.Context(), other, begun[other.ID].running); err != nil {
		t.Error(err)
	}
}
