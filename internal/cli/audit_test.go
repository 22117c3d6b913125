package cli

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/config"
	"loci/internal/store"
)

// did writes into the person's audit log, as a loci that has ended would.
func (p *person) did(records ...loci.AuditRecord) config.Paths {
	p.t.Helper()
	paths, err := config.FindPaths(func(name string) string { return p.env[name] })
	if err == nil {
		err = paths.Make()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	key, _, err := config.EnsureAuditKey(paths)
	if err != nil {
		p.t.Fatal(err)
	}
	db, err := store.Open(p.t.Context(), paths.DB, slog.New(slog.DiscardHandler))
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.StartAudit(p.t.Context(), store.AuditConfig{Key: key, Anchor: paths.AuditHead}); err != nil {
		p.t.Fatal(err)
	}
	var n int64
	for _, r := range records {
		if r.Principal == "" {
			r.Principal = "owner"
		}
		if r.Kind == loci.AuditIntent {
			n, err = db.Intend(p.t.Context(), r)
		} else {
			if r.Kind == loci.AuditOutcome && r.Intent != 0 {
				r.Intent = n
			}
			err = db.Note(p.t.Context(), r)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	return paths
}

func called(kind loci.AuditKind, tool, args, permit string, state loci.AuditState, result string) loci.AuditRecord {
	r := loci.AuditRecord{Kind: kind, Session: "ses_1", Tool: tool, Arguments: json.RawMessage(args), Permit: permit, State: state, Result: result}
	if kind == loci.AuditOutcome && permit != "" {
		r.Intent = 1 // of the one before
	}
	return r
}

// aDay is a log with something of each kind, and texts that would fool a terminal.
func aDay() []loci.AuditRecord {
	const args = `{"source":"a\u001b[2K.txt","destination":"b\u202e.txt"}`
	return []loci.AuditRecord{
		called(loci.AuditOutcome, "read_file", `{"path":"notes.md"}`, "", loci.StateDone, ""),
		called(loci.AuditAnswer, "write_file", `{"from":"open"}`, "apr_1", loci.StateYes, ""),
		called(loci.AuditIntent, "write_file", `{"path":"report.md","content":"# Report"}`, "apr_1", "", ""),
		called(loci.AuditOutcome, "write_file", `{"path":"report.md","content":"# Report"}`, "apr_1", loci.StateDone, ""),
		called(loci.AuditIntent, "move_file", args, "rule", "", ""),
		called(loci.AuditOutcome, "move_file", args, "rule", loci.StateFailed, "No\n{\"action\":\"approve\"}\x1b[31m"),
		called(loci.AuditRefused, "run_command", `{"argv":["rm","-r","x"]}`, "", loci.StateRefused, "It needs a yes."),
		called(loci.AuditGrant, "write_file", `{"subject":"/x","grant":"30m","approval":"apr_1"}`, "gra_1", loci.StateGiven, ""),
		called(loci.AuditIntent, "fetch_url", `{"url":"https://example.org"}`, "apr_2", "", ""),
	}
}

// An outcome that other rows have come before has a number of its own beside its intent's.
func TestAuditNumbers(t *testing.T) {
	p := newPerson(t, nowhere)
	args := `{"path":"a"}`
	p.did(called(loci.AuditIntent, "write_file", args, "rule", "", ""), called(loci.AuditOutcome, "read_file", args, "", loci.StateDone, ""), called(loci.AuditOutcome, "write_file", args, "rule", loci.StateDone, ""))
	if p.run("", "audit"); !strings.Contains(p.out.String(), "\n1, 3 ") || !strings.Contains(p.out.String(), "\n   2 ") {
		t.Error(&p.out)
	}
	p.piped = true // and a program the number alone
	if p.run("", "audit"); !strings.HasPrefix(p.out.String(), "1  ") {
		t.Error(&p.out)
	}
}

// moments stand for those of a log.
var moments = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)

func TestAuditTable(t *testing.T) {
	p := newPerson(t, nowhere)
	p.did(aDay()...)
	code := p.run("", "audit")
	want := `   N  TIME  WHO    BY    WHAT                      RESULT
   1  TIME  owner  -     read_file notes.md        done
   2  TIME  owner  -     question: write_file      yes
 3–4  TIME  owner  yes   write_file report.md      done
 5–6  TIME  owner  rule  move_file a\u001b[2K.tx…  failed: No\n{…
   7  TIME  owner  -     run_command argv=["rm",…  refused: It n…
   8  TIME  owner  -     grant: write_file /x      given for 30m
9–10  TIME  owner  yes   fetch_url url=https://e…  UNKNOWN: loci stopped before its outcome was written down.
`
	blanks := regexp.MustCompile(`(?m)^ +| +`)
	got := blanks.ReplaceAllString(moments.ReplaceAllString(p.out.String(), "TIME"), " ")
	if diff := cmp.Diff(blanks.ReplaceAllString(want, " "), got); diff != "" || code != 0 {
		t.Errorf("exit code %d, %s\n%s\n%s", code, &p.err, diff, &p.out)
	}
	if strings.ContainsAny(p.out.String(), "\x1b\u202e") {
		t.Errorf("%q", p.out.String())
	}
}

func TestAuditChoices(t *testing.T) {
	p := newPerson(t, nowhere)
	p.did(aDay()...)
	for args, want := range map[string][]int64{
		"":                                 {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
		"--limit 2":                        {9, 10},
		"--after 3 --limit 2":              {4, 5},
		"--tool move_file":                 {5, 6},
		"--kind refused":                   {7},
		"--state refused":                  {7},
		"--state unknown":                  {10},
		"--state done --tool write_file":   {4},
		"--session ses_2":                  {},
		"--tool write_file --kind outcome": {4},
	} {
		var rows []loci.AuditEntry
		code := p.run("", append([]string{"audit", "--json"}, strings.Fields(args)...)...)
		got := []int64{}
		if err := json.Unmarshal(p.out.Bytes(), &rows); err != nil || code != 0 {
			t.Fatalf("%s: exit code %d, %v, %s%s", args, code, err, &p.out, &p.err)
		}
		for _, r := range rows {
			got = append(got, r.N)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}
	if code := p.run("", "audit", "--tool", "none"); code != 0 || p.err.String() != "The audit log has nothing of that.\n" {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
	for args, want := range map[string]string{"--limit 0": "from 1 to 1000", "--limit 2000": "from 1 to 1000", "--kind intents": "The kinds are intent, outcome, refused, answer, grant, key, session, log.",
		"--state ended": "The states are done, failed, refused, unknown, yes, no,", "verfy": "did you mean verify?", "verify x": "verify --help"} {
		if code := p.run("", append([]string{"audit"}, strings.Fields(args)...)...); code != loci.ExitUsage || !strings.Contains(p.err.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, &p.err)
		}
	}
}

func TestAuditVerify(t *testing.T) {
	p := newPerson(t, nowhere)
	if code := p.run("", "audit", "verify"); code != 0 || p.out.String() != "The audit log is empty, and nothing was taken out of it.\n" {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
	if code := p.run("", "audit"); code != 0 || !strings.Contains(p.err.String(), "no tool was used") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
	paths := p.did(aDay()...)
	if code := p.run("", "audit", "verify"); code != 0 || !strings.HasPrefix(p.out.String(), "The audit log is as it was written: 10 rows, up to hash ") {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
	db, err := sql.Open("sqlite", paths.DB)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("DROP TRIGGER audit_stays; DROP TRIGGER audit_kept; UPDATE audit SET tool = 'x' WHERE n = 3; DELETE FROM audit WHERE n > 9"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // looking does not cover it up
		if code := p.run("", "audit", "verify"); code != loci.ExitFailure || !strings.HasPrefix(p.out.String(), "The audit log is not as it was written: 2 problems in 10 rows:\n- Row 3 was changed: its column tool is not what its entry says.\n- Row 10 says: The log ended") {
			t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
		}
	}
	var report loci.AuditReport
	if code := p.run("", "audit", "verify", "--json"); code != loci.ExitFailure || json.Unmarshal(p.out.Bytes(), &report) != nil || len(report.Problems) != 2 || report.Problems[0].N != 3 {
		t.Errorf("exit code %d, %s", code, &p.out)
	}
	p.env["LOCI_HOME"] = t.TempDir() // a first start on a log whose key is gone
	if err := os.CopyFS(filepath.Join(p.env["LOCI_HOME"], "data"), os.DirFS(paths.Data)); err != nil {
		t.Fatal(err)
	}
	if code := p.run("", "audit", "--limit", "1"); code != 0 || !strings.Contains(p.err.String(), "The audit log is not as it was left.") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
}

// What is exported can be checked by anybody with the key, as docs/audit.md says.
func TestAuditExport(t *testing.T) {
	p := newPerson(t, nowhere)
	paths := p.did(aDay()...)
	p.folder = t.TempDir()
	if code := p.run("", "audit", "export", "log.jsonl"); code != 0 || !strings.Contains(p.err.String(), "Wrote 10 rows to ") {
		t.Fatalf("exit code %d, %s", code, &p.err)
	}
	data, err := os.ReadFile(filepath.Join(p.folder, "log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(paths.AuditKey)
	if err != nil {
		t.Fatal(err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	hash := make([]byte, sha256.Size)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i, line := range lines {
		var row struct {
			N     int
			Entry []byte
			Hash  string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.N != i+1 {
			t.Fatal(line, err)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(hash)
		mac.Write(row.Entry)
		if hash = mac.Sum(nil); hex.EncodeToString(hash) != row.Hash {
			t.Errorf("row %d does not follow", row.N)
		}
	}
	if len(lines) != 10 {
		t.Errorf("%d lines", len(lines))
	}
	if code := p.run("", "audit", "export", "log.jsonl"); code != loci.ExitFailure || !strings.Contains(p.err.String(), "is there already") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
	if code := p.run("", "audit", "export"); code != 0 || p.out.String() != string(data) {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
}

// auditServer is a loci that sends one row for each connection, breaks off, and says
// of the last one no more.
func auditServer(t *testing.T, p *person, rows ...loci.AuditEntry) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/agent/audit" || r.URL.Query().Get("follow") != "1" {
			http.NotFound(w, r)
			return
		}
		var after int64
		_, _ = fmt.Sscan(r.URL.Query().Get("after"), &after)
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range rows {
			if e.N > after {
				data, _ := json.Marshal(e)
				fmt.Fprintf(w, "id: %d\ndata: %s\n\n", e.N, data)
				_ = http.NewResponseController(w).Flush()
				return
			}
		}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	p.finds(server.URL)
}

// Following goes on where a connection broke, and ends with Ctrl-C.
func TestAuditFollow(t *testing.T) {
	p := newPerson(t, nowhere)
	if code := p.run("", "audit", "--follow"); code != loci.ExitUnreachable || !strings.Contains(p.err.String(), "nothing to follow") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
	begun := loci.AuditEntry{AuditRecord: called(loci.AuditIntent, "write_file", `{"path":"a.md"}`, "apr_1", "", ""), Outcome: loci.StateUnknown}
	ended := loci.AuditEntry{AuditRecord: called(loci.AuditOutcome, "write_file", `{"path":"a.md"}`, "apr_1", loci.StateDone, "")}
	begun.Principal, ended.Principal = "owner", "owner"
	begun.N, begun.Time, ended.N, ended.Time, ended.Intent = 7, loci.Now(), 8, loci.Now(), 7
	auditServer(t, p, begun, ended)
	ctx, cancel := context.WithCancel(t.Context())
	code := p.runIn(ctx, strings.NewReader(""), &watch{text: "(row 7)", then: cancel}, "audit", "--follow")
	want := "    N  TIME                 WHO       BY     WHAT                                  RESULT\n" +
		"    7  TIME  owner     yes    write_file a.md                       begins\n" +
		"    8  TIME  owner     yes    write_file a.md                       done (row 7)\n"
	if diff := cmp.Diff(want, moments.ReplaceAllString(p.out.String(), "TIME")); diff != "" || code != loci.ExitInterrupted {
		t.Errorf("exit code %d, %s\n%s", code, &p.err, diff)
	}
	ctx, cancel = context.WithCancel(t.Context())
	code = p.runIn(ctx, strings.NewReader(""), &watch{text: `"n":8`, then: cancel}, "audit", "--follow", "--json")
	var row loci.AuditEntry
	first, _, _ := strings.Cut(p.out.String(), "\n")
	if err := json.Unmarshal([]byte(first), &row); err != nil || row.N != 7 || row.Tool != "write_file" || code != loci.ExitInterrupted {
		t.Errorf("exit code %d, %v, %s", code, err, &p.out)
	}
}
