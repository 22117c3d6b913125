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
	AuditSession AuditKind = "session" // a session was deleted
	// AuditLog is about the log itself: at a start its end was not as it was left, or
	// its key was another one. Such a row stays a problem when the log is verified.
	AuditLog AuditKind = "log"
)

// AuditUnknown begins the Result of an outcome that nobody knows, and is the Outcome
// of an intent that has none yet.
const AuditUnknown = "unknown"

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
	Arguments json.RawMessage `json:"arguments,omitempty"` // in full, secrets masked; an outcome leaves its intent's out
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

// AuditEntry is a record as it is read back.
type AuditEntry struct {
	AuditRecord
	// Outcome is, of an intent, the Result of its outcome: AuditUnknown where there is
	// none. It is looked up, not stored.
	Outcome string `json:"outcome,omitempty"`
	// Damaged says why the row does not read as a record; the other fields are then what
	// its columns say.
	Damaged string `json:"damaged,omitempty"`
	Hash    string `json:"hash"`            // of the chain, in hex
	Entry   []byte `json:"entry,omitempty"` // the bytes that Hash is over, where they were asked for
}

// AuditFilter says which rows of the log to read. Empty fields let everything through.
type AuditFilter struct {
	After     int64 // rows with a larger number; below zero: the newest ones
	Limit     int   // at most so many; 0: all
	Session   string
	Tool      string
	Kind      AuditKind
	Principal string
	Entries   bool // with the stored bytes
	Brief     bool // with long arguments cut, for people to look at
	Follow    bool // go on with the rows to come
}

// AuditReport is what verifying the log found.
type AuditReport struct {
	Rows     int64          `json:"rows"`
	Last     int64          `json:"last"` // number of the last row
	Head     string         `json:"head"` // its hash, in hex
	Problems []AuditProblem `json:"problems"`
	More     int            `json:"more,omitempty"` // problems that are not listed, since they are too many
}

// AuditProblem is something that is not as loci wrote it.
type AuditProblem struct {
	N    int64  `json:"n"` // number of the row
	Text string `json:"text"`
}
