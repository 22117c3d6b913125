package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"loci"
)

// ServerError makes a failed reply of a model server, in any dialect, into an
// error fit to be shown. Body is whatever came, JSON or not; Err of the result
// holds the server's own sentence in full.
func ServerError(status int, body []byte) *loci.Error {
	said := sentence(body)
	code := classify(status, body, said)
	if said == "" {
		said = fmt.Sprintf("HTTP status %d", status)
	}
	e := &loci.Error{Code: code, Err: errors.New(said)}
	said = strings.TrimRight(Clip(said), ".")
	switch e.Code {
	case loci.Context:
		e.Message = "The conversation is longer than the model's context window (the model server said: " + said + ")."
		e.Hint = "Start a new chat, or give the model a larger context."
	case loci.NotFound:
		e.Message = "The model server does not have this: " + said + "."
		e.Hint = "List its models with: loci models."
	case loci.Overloaded:
		e.Message = "The model server is busy: " + said + "."
		e.Hint = "Try again in a moment."
	case loci.Unreachable:
		e.Message = "The model server failed: " + said + "."
		e.Hint = "Its own log says more."
	case loci.Timeout:
		e.Message = "The model server took too long: " + said + "."
	default:
		e.Message = "The model server refused: " + said + "."
		if status == http.StatusUnauthorized || status == http.StatusForbidden {
			e.Hint = "Check the key that is configured for this backend."
		}
	}
	return e
}

// classify finds the code of a failure. A prompt that is too long is told by
// its text alone: servers send it with 400, 413 or 500.
func classify(status int, body []byte, said string) loci.Code {
	switch {
	case isContext(said) || bytes.Contains(body, []byte("context_length_exceeded")) ||
		bytes.Contains(body, []byte("exceed_context_size")):
		return loci.Context
	case status == http.StatusNotFound: // of a model, as the paths are right
		return loci.NotFound
	case status == http.StatusRequestTimeout:
		return loci.Timeout
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return loci.Overloaded
	// A fault of the request stays one however often it is tried again.
	case status < http.StatusInternalServerError || status == http.StatusNotImplemented:
		return loci.Refused
	}
	return loci.Unreachable
}

// isContext recognises the ways in which llama-server, Ollama, vLLM, LM Studio
// and OpenAI say that a prompt does not fit.
func isContext(said string) bool {
	said = strings.ToLower(said)
	for _, sign := range []string{"prompt is too long", "prompt too long", "maximum model length"} {
		if strings.Contains(said, sign) {
			return true
		}
	}
	if !strings.Contains(said, "context") {
		return false
	}
	for _, sign := range []string{"exceed", "longer", "larger", "too long", "too large", "maximum", "overflow", "greater"} {
		if strings.Contains(said, sign) {
			return true
		}
	}
	return false
}

// sentence is what the server says went wrong: the message inside the usual
// JSON envelopes, or the text itself; never a page of HTML.
func sentence(body []byte) string {
	body = bytes.TrimSpace(body[:min(len(body), 64<<10)])
	for range 3 { // an error may sit in an envelope in an envelope
		if text, ok := jsonString(body); ok {
			return text
		}
		inner := envelope(body)
		if inner == nil {
			break
		}
		body = inner
	}
	// What is left is text, or something that would help nobody to read.
	if bytes.HasPrefix(body, []byte("<")) || bytes.HasPrefix(body, []byte("{")) || bytes.HasPrefix(body, []byte("[")) {
		return ""
	}
	return strings.ToValidUTF8(string(body), "\ufffd")
}

// jsonString is the text of a JSON string that is not empty.
func jsonString(raw []byte) (text string, ok bool) {
	return text, json.Unmarshal(raw, &text) == nil && text != ""
}

// envelope is the value that holds the explanation in an error object, or nil.
func envelope(body []byte) []byte {
	fields, err := Fields(body, "error", "message", "detail")
	if err != nil {
		return nil
	}
	for _, f := range fields {
		if !IsNull(f.Value) {
			return f.Value
		}
	}
	return nil
}

// InStreamError makes an error that a server reports inside a stream, after it
// had already answered 200, into one fit to be shown. The status is the one
// that the error names, or else that of a server that failed.
func InStreamError(raw json.RawMessage) *loci.Error {
	status := http.StatusInternalServerError
	var e struct {
		Code       Int `json:"code"`
		StatusCode Int `json:"status_code"`
	}
	if json.Unmarshal(raw, &e) == nil {
		if code := cmp.Or(e.Code, e.StatusCode); code >= 400 && code < 600 {
			status = int(code)
		}
	}
	return ServerError(status, raw)
}

// Broken is the error of a reply that ended before its end. The cause, which
// may be nil, is for logs; one that is already fit to be shown, such as that of
// a reader which gave up waiting, is returned as it is.
func Broken(cause error) *loci.Error {
	if e, ok := errors.AsType[*loci.Error](cause); ok {
		return e
	}
	return &loci.Error{Code: loci.Truncated, Message: "The model server's reply broke off half-way.", Err: cause}
}

// Unreadable is the error of a reply that is not in the server's protocol.
// Skipping it could hide a piece of the reply, so the whole counts as broken.
func Unreadable(cause error) *loci.Error {
	return &loci.Error{Code: loci.Truncated, Message: "The model server sent something that is not part of a reply.", Err: cause}
}

// MaxCalls bounds the tool calls of one reply.
const MaxCalls = 128

// TooManyCalls is the error of a reply with more than MaxCalls tool calls, or
// with more than DefaultMaxLine bytes of arguments.
func TooManyCalls() *loci.Error {
	return loci.Errorf(loci.Truncated, "The model asked for more tools at once than loci takes, so its reply was given up.")
}
