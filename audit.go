package loci

import "encoding/json"

// AuditKind says what a record of the audit log is about.
type AuditKind string

// What is written down. An intent comes before anything happens, and its outcome
// after; an intent without one was cut short, so that nobody knows whether it was
// done.
const (
	AuditIntent  AuditKind = "intent"  // a call, or a change by hand such as an undo, is about to run
	AuditOutcome AuditKind = "outcome" // what came of an intent
	AuditRefused AuditKind = "refused" // the gate let a call not through
	AuditAnswer  AuditKind = "answer"  // a question got its answer, or went without
	AuditGrant   AuditKind = "grant"   // a lasting yes was given or taken back
	AuditKey     AuditKind = "key"     // a key was made or taken back
)

// AuditRecord is one row of the audit log. What does not apply is empty.
type AuditRecord struct {
	N         int64           `json:"n"` // 1, 2, 3 …; set by the store
	Time      Time            `json:"time"`
	Kind      AuditKind       `json:"kind"`
	Intent    int64           `json:"intent,omitempty"` // N of the intent that an outcome belongs to
	Principal string          `json:"principal,omitempty"`
	Session   string          `json:"session,omitempty"`
	Turn      string          `json:"turn,omitempty"`
	Call      string          `json:"call,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Effects   SideEffects     `json:"effects,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // in full, secrets masked
	// Permit is what allowed it: the id of an approval or of a grant, "rule" where
	// the configuration does, empty where nothing has to.
	Permit string   `json:"permit,omitempty"`
	Taint  []string `json:"taint,omitempty"` // what the session had read from outside by then
	// Result is "done", or why it failed or was refused, in a sentence. Bytes and
	// Digest, a SHA-256 in hex, are of the whole result as the model reads it.
	Result string `json:"result,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	Digest string `json:"digest,omitempty"`
}
