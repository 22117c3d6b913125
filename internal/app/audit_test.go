package app

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/config"
	"loci/internal/fake"
)

// A turn that writes a file leaves its question, its answer, its intent and its
// outcome in the log, in this order; what only looks is there too.
func TestAuditOfATurn(t *testing.T) {
	m := fake.NewModel(
		fake.Reply{Calls: []loci.ToolCall{fake.Call("list_dir", `{"path":"."}`)}},
		fake.Reply{Calls: []loci.ToolCall{fake.Call("write_file", `{"path":"a.txt","content":"hello"}`)}},
		fake.Reply{Text: "Done."},
	)
	o := options(t, m.Ollama(t))
	folder := t.TempDir()
	o.Config.Folders = []config.Folder{{Path: folder}}
	a := build(t, o)
	serving(t, a)
	ad := a.Addresses()
	call := func(method, path, body string, out any) {
		t.Helper()
		status, text := ask(t, method, ad.URL+path, ad.Key, "", body)
		if err := json.Unmarshal([]byte(text), out); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, text)
		}
	}
	var turn struct {
		Session string
		Pending []loci.Approval
	}
	call(http.MethodPost, "/api/agent/chat", `{"message":"write it","stream":false}`, &turn)
	if len(turn.Pending) != 1 {
		t.Fatalf("%+v", turn)
	}
	var answered loci.Approval
	call(http.MethodPost, "/api/agent/approvals/"+turn.Pending[0].ID, `{"answer":"yes"}`, &answered)
	var rows []loci.AuditEntry
	for e, err := range a.store.Audit(t.Context(), loci.AuditFilter{Follow: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if rows = append(rows, e); e.Kind == loci.AuditOutcome && e.Tool == "write_file" {
			break
		}
	}
	var got []string
	for _, e := range rows {
		if e.Session != turn.Session || e.Principal != "owner" || e.Turn == "" {
			t.Errorf("%+v", e)
		}
		got = append(got, strings.Join([]string{string(e.Kind), e.Tool, strings.Replace(e.Permit, turn.Pending[0].ID, "the yes", 1), string(e.State), e.Result}, ","))
	}
	want := []string{
		"outcome,list_dir,,done,", "answer,write_file,the yes,yes,", "answer,write_file,the yes,used,",
		"intent,write_file,the yes,,", "outcome,write_file,the yes,done,",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	call(http.MethodGet, "/api/agent/audit?kind=intent", "", &rows)
	if len(rows) != 1 || rows[0].Outcome != loci.StateDone || string(rows[0].Arguments) != `{"path":"a.txt","content":"hello"}` {
		t.Errorf("%+v", rows)
	}
	var report loci.AuditReport
	call(http.MethodGet, "/api/agent/audit/verify", "", &report)
	if report.Rows != 5 || len(report.Problems) > 0 {
		t.Errorf("%+v", report)
	}
}

// A start on a log whose end was cut off says so, and goes on.
func TestAuditProblemIsTold(t *testing.T) {
	o := options(t, nowhere)
	var said strings.Builder
	o.NoModels, o.Say = true, func(format string, args ...any) { said.WriteString(format + " " + args[0].(string)) }
	start := func() {
		t.Helper()
		a, err := New(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.store.Intend(t.Context(), loci.AuditRecord{Tool: "write_file"}); err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	start()
	start()
	if said.Len() > 0 {
		t.Error(said.String())
	}
	if err := os.Remove(filepath.Join(o.Paths.State, "audit.head")); err != nil {
		t.Fatal(err)
	}
	start()
	if !strings.Contains(said.String(), "not as it was left") || !strings.Contains(said.String(), "anchor of the log was missing") {
		t.Error(said.String())
	}
}
