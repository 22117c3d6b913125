package loci

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Code classifies an error for programs. One table maps it to HTTP statuses,
// exit codes and the error shapes of each protocol.
type Code string

// The error codes of the contract.
const (
	Invalid      Code = "invalid"      // the request cannot be understood
	Unauthorized Code = "unauthorized" // no valid key
	Forbidden    Code = "forbidden"    // a valid key without the right
	NotFound     Code = "not_found"
	Conflict     Code = "conflict"
	Unreachable  Code = "unreachable" // the model server does not answer
	Overloaded   Code = "overloaded"  // try again later
	Context      Code = "context"     // the prompt is longer than the model's window
	Refused      Code = "refused"     // the model server will not do this
	Truncated    Code = "truncated"   // the reply broke off half-way
	Timeout      Code = "timeout"
	Internal     Code = "internal"
)

// Exit codes of the commands.
const (
	ExitOK          = 0
	ExitFailure     = 1
	ExitUsage       = 2
	ExitConfig      = 3
	ExitUnreachable = 4
	ExitDenied      = 5
	ExitTimeout     = 124
	ExitInterrupted = 130
)

var codes = map[Code]struct{ http, exit int }{
	Invalid:      {http.StatusBadRequest, ExitUsage},
	Unauthorized: {http.StatusUnauthorized, ExitDenied},
	Forbidden:    {http.StatusForbidden, ExitDenied},
	NotFound:     {http.StatusNotFound, ExitFailure},
	Conflict:     {http.StatusConflict, ExitFailure},
	Unreachable:  {http.StatusBadGateway, ExitUnreachable},
	Overloaded:   {http.StatusTooManyRequests, ExitFailure},
	Context:      {http.StatusBadRequest, ExitFailure},
	Refused:      {http.StatusBadRequest, ExitFailure},
	Truncated:    {http.StatusBadGateway, ExitFailure},
	Timeout:      {http.StatusGatewayTimeout, ExitTimeout},
	Internal:     {http.StatusInternalServerError, ExitFailure},
}

// HTTPStatus is the status that a reply with this code has.
func (c Code) HTTPStatus() int {
	if e, ok := codes[c]; ok {
		return e.http
	}
	return http.StatusInternalServerError
}

// Exit is the exit code of a command that ends with this error code.
func (c Code) Exit() int {
	if e, ok := codes[c]; ok {
		return e.exit
	}
	return ExitFailure
}

// Error is an error fit to be shown: a sentence for the person, a code for
// programs, and what to do next. The cause is for logs only.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`        // what happened, one sentence
	Hint    string `json:"hint,omitempty"` // what to do about it
	Err     error  `json:"-"`
	// RetryAfter is how long a busy server asks to wait; 0 where nobody says.
	RetryAfter time.Duration `json:"retry_after_ns,omitempty"`
}

// Error gives the sentence and the hint. Where the sentence is a text that
// clients know to the letter, it may lack its full stop.
func (e *Error) Error() string {
	switch {
	case e.Hint == "":
		return e.Message
	case strings.TrimRight(e.Message, ".!?:…") == e.Message:
		return e.Message + ". " + e.Hint
	}
	return e.Message + " " + e.Hint
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrNoTools is the cause of a Refused error when a model server says that the
// model cannot call tools: the same request succeeds without Request.Tools.
var ErrNoTools = errors.New("the model has no native tools")

// IsNotFound tells whether an error says that there is no such thing.
func IsNotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == NotFound
}

// Errorf makes an Error; the cause is taken from a %w in the format.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Wrap makes an Error with a cause. The sentence says by itself what happened:
// the cause is for the log and is not repeated to the person.
func Wrap(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: cause}
}

// WithHint returns a copy of e that tells what to do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// AsError turns any error into one fit to be shown. What is not an *Error is
// internal: its text stays in the log and the person gets a plain sentence.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: Timeout, Message: "This took too long and was stopped.", Err: err}
	}
	return &Error{Code: Internal, Message: "Something went wrong inside loci.", Hint: "The log has the details.", Err: err}
}
