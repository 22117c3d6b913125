package tool

import (
	"context"
	"errors"

	"loci"
	"loci/internal/toolcall"
)

// unfinished is the error of a call that was left behind at its deadline. What
// changes something may go on all the same.
func unfinished(t entry, err error) error {
	if changes(t.SideEffects) && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		return loci.ErrOutcomeUnknown
	}
	return err
}

// errBusy refuses calls while too many handlers hang.
var errBusy = &loci.ToolError{
	Message:    "Too many tool calls are still running.",
	CanRetry:   true,
	Suggestion: "Wait a moment, then try again.",
}

// toolError turns any error into one that a model can read. What it does not
// know goes to the log and becomes a plain sentence: no stack, no path of the
// program, no text of a library reaches a model or a person.
func (s *Set) toolError(ctx context.Context, name string, err error) *loci.ToolError {
	if e, ok := errors.AsType[*loci.ToolError](err); ok {
		return e
	}
	if f, ok := errors.AsType[*toolcall.Fault](err); ok {
		return f.ToolError()
	}
	if e, ok := errors.AsType[*loci.Error](err); ok {
		return &loci.ToolError{Message: e.Message, CanRetry: e.Code == loci.Timeout || e.Code == loci.Overloaded, Suggestion: e.Hint, ForPerson: e.Hint}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &loci.ToolError{
			Message:    name + " timed out: it took too long and was stopped.",
			CanRetry:   true,
			Suggestion: "Try again with less to do, such as a smaller folder.",
			ForPerson:  "Ask for less, such as a smaller folder.",
		}
	case errors.Is(err, context.Canceled):
		return &loci.ToolError{Message: name + " was stopped.", Suggestion: "Wait for the person to say what to do next."}
	}
	s.log.ErrorContext(ctx, "tool failed", "tool", name, "error", err)
	return &loci.ToolError{
		Message:    name + " failed because of a fault inside loci.",
		Suggestion: "Tell the person that the log has the details; do not try the same call again.",
		ForPerson:  "The log has the details.",
	}
}
