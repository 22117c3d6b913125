package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"loci"
)

// Ledger writes down what calls do: before they do it, and what came of it.
type Ledger interface {
	// Intend stores that a call is about to run, for good, and returns the record's
	// number. Where its permit is a grant, that is used in the same transaction, and
	// it is a loci.Refused error if it does not hold any more. After an error nothing
	// may happen.
	Intend(ctx context.Context, r loci.AuditRecord) (n int64, err error)
	// Note stores any other record.
	Note(ctx context.Context, r loci.AuditRecord) error
}

// Mask hides secrets.
type Mask interface {
	Text(string) string
	// JSON keeps what it is given valid JSON.
	JSON(json.RawMessage) json.RawMessage
}

type noLedger struct{}

func (noLedger) Intend(context.Context, loci.AuditRecord) (int64, error) { return 0, nil }
func (noLedger) Note(context.Context, loci.AuditRecord) error            { return nil }

type noMask struct{}

func (noMask) Text(s string) string                   { return s }
func (noMask) JSON(j json.RawMessage) json.RawMessage { return j }

// effect is a call as the ledger knows it.
type effect struct {
	set    *Set
	scope  loci.Scope
	tool   entry
	call   loci.ToolCall
	intent int64 // 0: it only looks, or has not begun
	permit string
}

// begin writes down that a call which changes something is about to run. It is an
// error for the model if it must not.
func (e *effect) begin(ctx context.Context, permit string) *loci.ToolError {
	e.permit = permit
	if !changes(e.tool.SideEffects) {
		return nil
	}
	n, err := e.set.ledger.Intend(ctx, e.record(loci.AuditIntent))
	e.intent = n
	if err == nil {
		return nil
	}
	if loci.AsError(err).Code == loci.Refused {
		return errTakenBack
	}
	e.set.log.ErrorContext(ctx, "nothing is done that cannot be written down", "stage", "tool", "tool", e.tool.Name, "call", e.call.ID, "error", err)
	return errNotWritten
}

// end writes down what came of a call; failed is nil where it was done.
func (e *effect) end(ctx context.Context, data json.RawMessage, failed *loci.ToolError) {
	r := e.record(loci.AuditOutcome)
	r.Intent = e.intent
	if e.intent != 0 { // which has them
		r.Arguments = nil
	}
	switch failed {
	case nil:
		sum := sha256.Sum256(data)
		r.State, r.Bytes, r.Digest = loci.StateDone, int64(len(data)), hex.EncodeToString(sum[:])
	case loci.ErrOutcomeUnknown:
		r.State, r.Result = loci.StateUnknown, failed.Message
	default:
		r.State, r.Result = loci.StateFailed, failed.Message
	}
	e.note(ctx, r)
}

// looked writes down that something was read to make a call of the model's words, before
// anybody is asked about it; failed is nil where that came to a call.
func (e *effect) looked(ctx context.Context, made json.RawMessage, failed *loci.ToolResult) {
	e.tool.SideEffects = loci.EffectRead
	if failed != nil {
		e.end(ctx, nil, failed.Err)
		return
	}
	e.end(ctx, made, nil)
}

// refused writes down that a call was not let through, and why.
func (e *effect) refused(ctx context.Context, why *loci.ToolError) {
	r := e.record(loci.AuditRefused)
	r.State, r.Result = loci.StateRefused, why.Message
	e.note(ctx, r)
}

// note stores a record of what is over: nobody can be kept from it any more, so a
// failure is for the log. An intent without an outcome reads as unknown.
func (e *effect) note(ctx context.Context, r loci.AuditRecord) {
	if err := e.set.ledger.Note(context.WithoutCancel(ctx), r); err != nil {
		e.set.log.ErrorContext(ctx, "an outcome was not written down", "stage", "tool", "tool", e.tool.Name, "call", e.call.ID, "error", err)
	}
}

func (e *effect) record(kind loci.AuditKind) loci.AuditRecord {
	return loci.AuditRecord{
		Time: loci.Time{Time: time.Now()}, Kind: kind, Principal: e.scope.Principal.ID, Session: e.scope.Session, Turn: e.scope.Turn,
		Call: e.call.ID, Tool: e.tool.Name, Effects: e.tool.SideEffects, Arguments: e.call.Arguments,
		Permit: e.permit, Taint: e.scope.Taint,
	}
}

// changes tells whether a tool does more than look.
func changes(s loci.SideEffects) bool { return s != loci.EffectNone && s != loci.EffectRead }

var (
	errTakenBack = &loci.ToolError{
		Message:    "The permission for this does not hold any more; it was not done.",
		CanRetry:   true,
		Suggestion: "Make the call again: the person will be asked.",
		ForPerson:  "Ask for it again, and you will be asked.",
	}
	errNotWritten = &loci.ToolError{
		Message:    "It could not be written down in the audit log, so it was not done.",
		Suggestion: "Tell the person that the disk may be full or the database locked.",
		ForPerson:  "The disk may be full; the log has the details.",
	}
)
