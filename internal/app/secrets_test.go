package app

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"

	"loci"
	"loci/internal/config"
)

// Whatever part of the program logs, and whatever it says, the secrets of the
// configuration and the keys it made itself do not come out.
func TestLogHidesSecrets(t *testing.T) {
	o := options(t, nowhere)
	var log bytes.Buffer
	o.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.Config.Key, o.Config.Backends[0].Key = "canary-owner-key", "canary-backend-key"
	a := build(t, o)
	_, chat := a.keys.Secrets()
	a.opts.Logger.Debug("the keys are canary-owner-key and "+chat, "panic", o.Config.Backends, "plain", []string{"canary-backend-key"})
	for _, secret := range []string{"canary", chat} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%s is in the log: %s", secret, &log)
		}
	}
	if !strings.Contains(log.String(), "the keys are [hidden] and [hidden]") {
		t.Errorf("the log says %s", &log)
	}
}

// The doctor tells where secrets stand that could stand elsewhere, not what they are.
func TestDoctorOnSecrets(t *testing.T) {
	o := options(t, nowhere)
	if err := o.Paths.Make(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.Paths.Config, []byte("key: canary-owner-key\nbackends:\n  - {url: \""+nowhere+"\", key: \"env:X\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Config.Key = config.Secret("canary-owner-key")
	checks := Doctor(t.Context(), o, nil)
	text, err := json.Marshal(checks)
	if err != nil || bytes.Contains(text, []byte("canary")) {
		t.Errorf("%s, %v", text, err)
	}
	found := 0
	for _, c := range checks {
		if c.Name == "secrets" {
			found++
			if c.Status != Warn || !strings.HasPrefix(c.Text, "key stands in ") || !strings.Contains(c.Hint, "loci secret set") {
				t.Errorf("%+v", c)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d checks of secrets", found)
	}
}

// What is in the audit log stays for good: known secrets are masked there, and what
// only looks like one.
func TestLedgerHidesSecrets(t *testing.T) {
	o := options(t, nowhere)
	o.Config.Key = "canary-owner-key"
	a := build(t, o)
	l := a.toolConfig(nil).Ledger
	s := loci.Session{ID: loci.NewID(loci.SessionPrefix), Principal: "owner", Created: loci.Now(), Updated: loci.Now()}
	g := loci.Grant{
		ID: loci.NewID(loci.GrantPrefix), Approval: loci.NewID(loci.ApprovalPrefix), Tool: "run_command", Binding: "b", Span: loci.GrantAlways, Given: loci.Now(),
		Subject: `curl -H "Authorization: Bearer BEARER77TOKEN" https://example.org`,
	}
	if err := a.store.Save(t.Context(), loci.Batch{Session: &s, Grants: []loci.Grant{g}, Events: []*loci.Event{
		{V: 1, Session: s.ID, Turn: loci.NewID(loci.TurnPrefix), Time: loci.Now(), Type: loci.EventApprovalAnswered, Data: loci.ApprovalAnswered{ID: g.Approval}},
	}}); err != nil { // the store's own row
		t.Fatal(err)
	}
	if err := a.store.RevokeGrant(t.Context(), "owner", g.ID, ""); err != nil {
		t.Fatal(err)
	}
	n, err := l.Intend(t.Context(), loci.AuditRecord{Tool: "http_request", Arguments: json.RawMessage(
		`{"url":"https://example.org/x?token=ZXCV1234&q=1","headers":{"X-Api-Key":"KEYKEY42"},"database":"postgres://u:pw-9f@db/x","body":"canary-owner-key"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Note(t.Context(), loci.AuditRecord{Kind: loci.AuditOutcome, Intent: n, State: loci.StateFailed, Result: "401: Authorization: Bearer canary-owner-key"}); err != nil {
		t.Fatal(err)
	}
	rows, err := a.store.AuditRecords(t.Context(), loci.AuditFilter{})
	text, _ := json.Marshal(rows)
	if err != nil || len(rows) != 4 || rows[0].Kind != loci.AuditGrant || !json.Valid(rows[0].Arguments) || !json.Valid(rows[2].Arguments) || !strings.Contains(string(rows[0].Arguments), "curl -H") || !bytes.Contains(text, []byte("example.org")) {
		t.Fatalf("%s, %v", text, err)
	}
	for _, secret := range []string{"BEARER77TOKEN", "ZXCV1234", "KEYKEY42", "pw-9f", "canary"} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s is in the audit log: %s", secret, text)
		}
	}
}
