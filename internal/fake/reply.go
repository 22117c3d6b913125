package fake

import (
	"encoding/json"
	"net/http"
	"strings"

	"loci"
)

// A Reply is one answer in a model's script. Text, Reasoning and Calls make an
// ordinary one; the other fields make it go wrong.
type Reply struct {
	Text      string
	Pieces    []string // Text as it is streamed; nil: word by word
	Reasoning string
	Calls     []loci.ToolCall
	Finish    loci.Finish // empty: tool_calls with Calls, stop without
	Usage     *loci.Usage // nil: counted, with a pretended prefix cache

	// Wait, if set, holds the reply back before its first byte, Hold after its
	// first piece, until the channel is closed or gives something. A channel
	// that never does makes a server that hangs; the client can still leave.
	Wait, Hold <-chan struct{}

	CutAt  int    // > 0: the connection breaks after so many bytes of the body
	Error  string // reported inside the stream, after the text; with Status, instead of a reply
	Status int    // an HTTP error: nothing of the above is sent
	Header http.Header
	Raw    string // the whole body as it is; Wait, CutAt, Status and Header still hold
}

// Call is a tool call with the arguments in JSON, which is not checked. Its id
// is made from its name, so that it is the same in every run.
func Call(name, arguments string) loci.ToolCall {
	return loci.ToolCall{ID: "call_" + name, Name: name, Arguments: json.RawMessage(arguments)}
}

// pieces is the text as it is streamed.
func (r Reply) pieces() []string {
	if r.Pieces != nil || r.Text == "" {
		return r.Pieces
	}
	return strings.SplitAfter(r.Text, " ")
}

// text is the text as a whole, whichever field it was written in.
func (r Reply) text() string {
	if r.Text != "" {
		return r.Text
	}
	return strings.Join(r.Pieces, "")
}

// finish is the reason to stop that the script means.
func (r Reply) finish() loci.Finish {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.Calls) > 0:
		return loci.FinishTools
	}
	return loci.FinishStop
}

// A stream is what the protocols' own writers have in common.
type stream interface {
	Text(string) error
	Reasoning(string) error
	ToolCalls([]loci.ToolCall) error
	Finish(loci.Finish, loci.Usage) error
	Error(*loci.Error) error
}

// stream writes the reply piece by piece. It returns at the first error, which
// is that the client left or that the reply shall break here.
func (r Reply) stream(s stream, usage loci.Usage, hold func(<-chan struct{}) error) error {
	if r.Reasoning != "" {
		if err := s.Reasoning(r.Reasoning); err != nil {
			return err
		}
	}
	for i, piece := range r.pieces() {
		if err := s.Text(piece); err != nil {
			return err
		}
		if i == 0 {
			if err := hold(r.Hold); err != nil {
				return err
			}
		}
	}
	if r.Error != "" {
		return s.Error(&loci.Error{Code: loci.Internal, Message: r.Error})
	}
	if len(r.Calls) > 0 {
		if err := s.ToolCalls(r.Calls); err != nil {
			return err
		}
	}
	return s.Finish(r.finish(), usage)
}
