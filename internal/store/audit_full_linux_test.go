package store

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/tool"
)

// On a full disk what only looks goes on, nothing is done that could not be written
// down, and both is over when there is room again.
func TestAuditDiskFull(t *testing.T) {
	dir := smallDisk(t)
	db := openAt(t, filepath.Join(dir, "loci.db"))
	done := 0
	type nothing struct{}
	defined := func(name string, effects loci.SideEffects) tool.Tool {
		return tool.Define(loci.ToolSpec{Name: name, Description: "Counts. Nothing more.", SideEffects: effects},
			func(context.Context, tool.Env, nothing) (map[string]int, error) {
				if effects == loci.EffectWrite {
					done++
				}
				return map[string]int{"done": done}, nil
			}, func(string, map[string]int) string { return "It is done." })
	}
	set, err := tool.New(tool.Config{Tools: []tool.Tool{defined("look", loci.EffectRead), defined("change", loci.EffectWrite)}, Ledger: db})
	if err != nil {
		t.Fatal(err)
	}
	call := func(name string) loci.ToolResult {
		return set.Call(t.Context(), loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Session: "ses_1"},
			loci.ToolCall{ID: "call_1", Name: name, Arguments: json.RawMessage(`{}`)}, nil)
	}
	if r := call("change"); r.Err != nil || done != 1 {
		t.Fatal(r.Err, done)
	}

	ballast := filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	for err == nil { // the last pages of the database's log too
		_, err = f.Write(make([]byte, 4096))
	}
	_ = f.Close()
	before := done
	var r loci.ToolResult
	for range 1000 { // the log had some room left
		before = done
		if r = call("change"); r.Err != nil {
			break
		}
	}
	if r.Err == nil || done != before || !strings.Contains(r.Err.Message, "could not be written down") || !strings.Contains(r.Text, "disk may be full") || !r.Refused {
		t.Errorf("%+v, done %d times, before %d", r, done, before)
	}
	_, err = db.Intend(t.Context(), intent("call_2"))
	if e := wantCode(t, err, loci.Internal); !strings.Contains(e.Message, "disk is full") {
		t.Error(e)
	}
	if r := call("look"); r.Err != nil {
		t.Errorf("looking failed: %v", r.Err)
	}
	if intents := records(t, db, loci.AuditFilter{Kind: loci.AuditIntent}); len(intents) != done {
		t.Errorf("%d intents, done %d times", len(intents), done)
	}
	if p := problems(t, db); p != "" {
		t.Error(p)
	}

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	before = done
	if r := call("change"); r.Err != nil || done != before+1 {
		t.Errorf("with room again: %v", r.Err)
	}
	if p := problems(t, db); p != "" {
		t.Error(p)
	}
	last := records(t, db, loci.AuditFilter{After: -1, Limit: 1})
	if len(last) != 1 || last[0].State != loci.StateDone {
		t.Errorf("%+v", last)
	}
}
