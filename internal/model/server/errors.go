package server

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"loci"
	"loci/internal/wire"
)

// errNoThink is the cause of a [loci.Refused] error when a model was told to
// think and cannot. The other cause with a way round is [loci.ErrNoTools].
var errNoThink = errors.New("the model does not support thinking")

// The causes of a [loci.Refused] error when a chat template does not take the
// roles of a conversation: there is a way round each.
var (
	ErrSystem    = errors.New("the model takes no system message")
	ErrSystems   = errors.New("the model takes a system message at the beginning only")
	ErrAlternate = errors.New("user and assistant have to take turns")
)

// Unreachable is the error of a backend that cannot be talked to.
func (b Backend) Unreachable(cause error) *loci.Error {
	hint := "Check that it is running and that the address is right."
	if p, ok := products[b.Kind]; ok && b.Loopback() {
		hint = p.start
	}
	if b.Name != "" { // loci's own, which nobody starts by hand
		return &loci.Error{Code: loci.Unreachable, Message: "loci's own model is not answering.", Hint: "It is being started again. Try it again in a moment.", Err: cause}
	}
	return &loci.Error{Code: loci.Unreachable, Message: b.String() + " is not answering.", Hint: hint, Err: cause}
}

// late is the error of a backend that did not begin to answer in time.
func (b Backend) late(limit time.Duration) *loci.Error {
	return loci.Errorf(loci.Timeout, "%s did not begin to answer within %v s.", b, limit.Seconds()).
		WithHint("A large model may still be loading: try again, choose a smaller one, or raise the first-byte timeout.")
}

// tryAgain is the hint for a reply that is not complete.
const tryAgain = "What arrived is kept but incomplete. Ask again; the server's log may say why."

// stalled is the error of a reply that stopped coming.
func (b Backend) stalled(limit time.Duration) *loci.Error {
	return loci.Errorf(loci.Truncated, "%s stopped half-way through its reply: nothing came for %v s.", b, limit.Seconds()).
		WithHint(tryAgain)
}

// broken is the error of a reply whose connection was cut.
func (b Backend) broken(cause error) *loci.Error {
	return &loci.Error{
		Code:    loci.Truncated,
		Message: b.String() + " broke off its reply half-way.",
		Hint:    tryAgain,
		Err:     cause,
	}
}

// garbled is the error of a reply that is not what the protocol says.
func (b Backend) garbled(cause error) *loci.Error {
	return &loci.Error{
		Code:    loci.Refused,
		Message: b.String() + " gave an answer that cannot be understood.",
		Hint:    "Check that the address is that of a model server.",
		Err:     cause,
	}
}

// describe completes an error that a server gave: which server said it, what
// to do about it, and the cause if there is a way round.
func (b Backend) describe(e *loci.Error, req loci.Request) *loci.Error {
	c := *e
	said := strings.ToLower(c.Message)
	c.Message = strings.Replace(c.Message, "The model server", b.String(), 1)
	switch {
	case len(req.Tools) > 0 && deniesTools(said):
		c.Code, c.Err = loci.Refused, loci.ErrNoTools
	case thinks(req.Options.Think) && deniesThinking(said):
		c.Code, c.Err = loci.Refused, errNoThink
	case deniesRoles(said) != nil: // with any status: llama-server has 500 for it
		c.Code, c.Err = loci.Refused, deniesRoles(said)
	case c.Code == loci.Truncated && c.Hint == "":
		c.Hint = tryAgain
	case c.Code == loci.NotFound && b.Kind == KindOllama && req.Model != "":
		c.Hint = "Fetch it with: ollama pull " + wire.Clip(req.Model)
	}
	return &c
}

// deniesTools recognises the refusals of tools that servers are known to give,
// such as "m does not support tools" (Ollama), "tools param requires --jinja
// flag" (llama-server) and `"auto" tool choice requires
// --enable-auto-tool-choice` (vLLM).
func deniesTools(text string) bool {
	return strings.Contains(text, "tool") && denies(text)
}

// deniesThinking does the same for think and reasoning effort.
func deniesThinking(text string) bool {
	return (strings.Contains(text, "think") || strings.Contains(text, "reasoning")) && denies(text)
}

// deniesRoles recognises what chat templates say of roles, for llama-server, vLLM,
// SGLang and others pass it on: "Conversation roles must alternate
// user/assistant/user/assistant/..." (Gemma, Mistral, Llama 2), "System role not
// supported" (Gemma 2), "System message must be at the beginning." (Qwen 3.5),
// "Only user and assistant roles are supported, with the exception of an initial
// optional system message!" (Mistral). It reads templates too.
func deniesRoles(text string) error {
	has := func(part string) bool { return strings.Contains(text, part) }
	switch {
	case has("roles must alternate"), has("must alternate between"):
		return ErrAlternate
	case has("system role not supported"), has("system role is not supported"), has("not support system"), has("not support the system"):
		return ErrSystem
	case has("system message must be at the beginning"), has("system message must be the first"), has("initial optional system message"):
		return ErrSystems
	}
	return nil
}

func denies(text string) bool {
	for _, word := range []string{"not support", "unsupported", "n't support", "requires", "not enabled", "not implemented", "not permitted", "unknown", "unrecognized"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// thinks tells whether a think option asks for anything.
func thinks(think []byte) bool {
	s := strings.TrimSpace(string(think))
	return s != "" && s != "null" && s != "false"
}

// busy tells whether a status means "the same request may work later".
func busy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}
