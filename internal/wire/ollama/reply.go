package ollama

import (
	"cmp"
	"encoding/json"
	"io"
	"iter"
	"time"

	"loci"
	"loci/internal/wire"
)

// DecodeStream reads a reply of a model server, to chat or generate; a whole
// reply is a stream of one line.
// Text and reasoning come as they arrive. The last chunk has Finish, Usage and
// the tool calls; their Arguments are as [wire.Arguments] says, and a call
// without an id gets one. Usage.Cached is always nil: Ollama counts the cached
// part of the prompt but does not tell how much it was.
//
// A stream without its last line is an error of code Truncated; an error line
// of the server is classed as by [DecodeError].
func DecodeStream(r io.Reader) iter.Seq2[loci.Chunk, error] {
	return func(yield func(loci.Chunk, error) bool) {
		var calls callList
		for line, err := range wire.Lines(r, wire.DefaultMaxLine) {
			if err != nil {
				yield(loci.Chunk{}, wire.Broken(err))
				return
			}
			l, err := decodeLine(line)
			if err != nil {
				yield(loci.Chunk{}, err)
				return
			}
			if err := calls.add(l); err != nil {
				yield(loci.Chunk{}, err)
				return
			}
			c := l.chunk()
			if (c.Text != "" || c.Reasoning != "") && !yield(c, nil) {
				return
			}
			// Whatever follows is not part of this reply.
			if l.Done {
				yield(l.last(calls), nil)
				return
			}
		}
		yield(loci.Chunk{}, wire.Broken(nil))
	}
}

// DecodeError makes a model server's failed reply into an error: Context where
// the prompt is too long, NotFound for 404, Overloaded for 429 and 503,
// Refused for other 4xx, Unreachable for other 5xx. Body may be anything.
func DecodeError(status int, body []byte) *loci.Error {
	return wire.ServerError(status, body)
}

// line is one line of a stream or a whole reply: chat has a message, generate
// a response.
type line struct {
	Message     message         `json:"message"`
	Response    string          `json:"response"`
	Thinking    string          `json:"thinking"`
	Done        bool            `json:"done"`
	DoneReason  string          `json:"done_reason"`
	PromptCount int             `json:"prompt_eval_count"`
	PromptTime  int64           `json:"prompt_eval_duration"` // ns, as all durations
	EvalCount   int             `json:"eval_count"`
	EvalTime    int64           `json:"eval_duration"`
	Error       json.RawMessage `json:"error"`
}

// decodeLine reads a line; one that reports an error is returned as that error.
func decodeLine(raw []byte) (line, error) {
	var l line
	if err := json.Unmarshal(raw, &l); err != nil {
		return l, wire.Unreadable(err)
	}
	if !wire.IsNull(l.Error) {
		return l, wire.InStreamError(raw)
	}
	return l, nil
}

// chunk is what can be shown of the line at once. Chat and generate never fill
// the same line, so joining the two loses nothing.
func (l line) chunk() loci.Chunk {
	return loci.Chunk{Text: l.Message.Content + l.Response, Reasoning: l.Message.Thinking + l.Thinking}
}

// A callList is the tool calls of a reply so far.
type callList struct {
	list []loci.ToolCall
	cut  string // the tool whose call broke off, and is left out
	size int    // bytes of arguments
}

// add takes the calls of one more line.
func (calls *callList) add(l line) error {
	for _, c := range l.Message.ToolCalls {
		args, whole := wire.Arguments(wire.ArgumentsText(c.Function.Arguments))
		calls.size += len(args)
		switch {
		case len(calls.list) == wire.MaxCalls || calls.size > wire.DefaultMaxLine:
			return wire.TooManyCalls()
		case !whole:
			calls.cut = cmp.Or(c.Function.Name, "tool")
			continue
		}
		call := loci.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: args}
		if call.ID == "" {
			call.ID = loci.NewID(loci.CallPrefix)
		}
		calls.list = append(calls.list, call)
	}
	return nil
}

// last is the chunk that completes the reply.
func (l line) last(calls callList) loci.Chunk {
	c := loci.Chunk{Finish: loci.FinishStop, ToolCalls: calls.list, Cut: calls.cut}
	// "load" and "unload" are reasons too, of replies without a text.
	switch {
	case l.DoneReason == "length", c.Cut != "": // some servers deny their limit
		c.Finish = loci.FinishLength
	case len(calls.list) > 0:
		c.Finish = loci.FinishTools
	}
	// The counts are left out where nothing was generated, as on a load.
	if l.PromptCount > 0 || l.EvalCount > 0 {
		c.Usage = &loci.Usage{
			Prompt:     l.PromptCount,
			Completion: l.EvalCount,
			PromptTime: time.Duration(l.PromptTime),
			OutputTime: time.Duration(l.EvalTime),
		}
	}
	return c
}
