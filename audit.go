package loci

import (
	"encoding/json"
	"slices"
	"strings"
)

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

// AuditKinds lists the kinds.
func AuditKinds() []AuditKind {
	return []AuditKind{AuditIntent, AuditOutcome, AuditRefused, AuditAnswer, AuditGrant, AuditKey, AuditSession, AuditLog}
}

// AuditState says in a word what became of what a record is about. An intent has none
// yet, and the log itself never has one.
type AuditState string

// What became of a call, a question, a lasting yes, a key or a session.
const (
	StateDone    AuditState = "done"
	StateFailed  AuditState = "failed"
	StateRefused AuditState = "refused" // it was not let through
	StateUnknown AuditState = "unknown" // it began, and nobody knows whether it was done

	// Of a question, the state that it has from then on.
	StateYes       = AuditState(ApprovalYes)
	StateNo        = AuditState(ApprovalNo)
	StateExpired   = AuditState(ApprovalExpired)
	StateWithdrawn = AuditState(ApprovalWithdrawn)
	StateUsed      = AuditState(ApprovalUsed)

	StateGiven    AuditState = "given"    // a lasting yes
	StateMade     AuditState = "made"     // a key
	StateReplaced AuditState = "replaced" // a key, by one with another secret
	StateRevoked  AuditState = "revoked"  // a lasting yes or a key
	StateDeleted  AuditState = "deleted"  // a session
)

// AuditStates lists the states.
func AuditStates() []AuditState {
	return []AuditState{
		StateDone, StateFailed, StateRefused, StateUnknown, StateYes, StateNo, StateExpired, StateWithdrawn, StateUsed,
		StateGiven, StateMade, StateReplaced, StateRevoked, StateDeleted,
	}
}

// AuditKeySize is the length of the key that chains the log, in bytes.
const AuditKeySize = 32

// AuditRecord is one row of the audit log. What does not apply is empty.
type AuditRecord struct {
	N         int64       `json:"n"` // 1, 2, 3 …; set by the store
	Time      Time        `json:"time"`
	Kind      AuditKind   `json:"kind"`
	Intent    int64       `json:"intent,omitempty"` // N of the intent that an outcome belongs to
	Principal string      `json:"principal,omitempty"`
	Session   string      `json:"session,omitempty"`
	Turn      string      `json:"turn,omitempty"`
	Call      string      `json:"call,omitempty"`
	Tool      string      `json:"tool,omitempty"`
	Effects   SideEffects `json:"effects,omitempty"`
	// Arguments are those of a call in full, secrets masked; an outcome leaves its
	// intent's out. Those of an answer, a grant or a key are an [AuditedAnswer], an
	// [AuditedGrant] or an [AuditedKey].
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Permit is what allowed a call: the id of an approval or of a grant, "rule" where
	// the configuration does, empty where nothing has to. Of an answer, a grant or a
	// key it is the id of the question, of the grant or of the key itself.
	Permit string     `json:"permit,omitempty"`
	Taint  []string   `json:"taint,omitempty"` // what the session had read from outside by then
	State  AuditState `json:"state,omitempty"`
	// Result is a sentence where there is something to say: why it failed, was refused
	// or is unknown, or what is wrong with the log. Bytes and Digest, a SHA-256 in hex,
	// are of the whole result as the model reads it.
	Result string `json:"result,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	Digest string `json:"digest,omitempty"`
}

// AuditedAnswer is what the record of an answer says besides its State.
type AuditedAnswer struct {
	From ApprovalState `json:"from"`         // the state that the question had until then
	By   string        `json:"by,omitempty"` // who answered in the principal's place
}

// AuditedGrant is what the record of a grant says of it.
type AuditedGrant struct {
	Subject  string    `json:"subject"`      // what it is for, in words
	Span     GrantSpan `json:"grant"`        // for how long
	Approval string    `json:"approval"`     // id of the question that it answered
	By       string    `json:"by,omitempty"` // who gave it, or took it back, in the principal's place
}

// AuditedKey is what the record of a key says of it.
type AuditedKey struct {
	Name   string  `json:"name"`
	Rights []Right `json:"can"`
}

// AuditEntry is a record as it is read back.
type AuditEntry struct {
	AuditRecord
	// Outcome is, of an intent, the State of its outcome, StateUnknown where there is
	// none, and Why the outcome's Result. They are looked up, not stored.
	Outcome AuditState `json:"outcome,omitempty"`
	Why     string     `json:"why,omitempty"`
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
	State     AuditState
	Principal string
	Entries   bool // with the stored bytes
	Brief     bool // with long arguments cut, for people to look at
	Follow    bool // go on with the rows to come
}

// Check is an Invalid error for a kind or a state that there is not: such a filter lets
// nothing through for ever.
func (f AuditFilter) Check() error {
	if kinds := AuditKinds(); f.Kind != "" && !slices.Contains(kinds, f.Kind) {
		return Errorf(Invalid, "The audit log has no kind %.40q.", f.Kind).WithHint("The kinds are %s.", listed(kinds))
	}
	if states := AuditStates(); f.State != "" && !slices.Contains(states, f.State) {
		return Errorf(Invalid, "The audit log has no state %.40q.", f.State).WithHint("The states are %s.", listed(states))
	}
	return nil
}

func listed[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, w := range all {
		words[i] = string(w)
	}
	return strings.Join(words, ", ")
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
