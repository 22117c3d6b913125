package openai

import (
	"encoding/json"
	"io"
	"iter"
	"strings"
	"time"

	"loci"
	"loci/internal/wire"
)

// DecodeStream reads a streamed reply of a model server. Text and reasoning
// come as they arrive. The last chunk has Finish, Usage where the server gave
// one, and the tool calls: a call that is not whole is never yielded. Its
// Arguments are valid JSON; a JSON string when the model's text was not, so
// that a tolerant reader can still make sense of it (see [wire.Arguments]).
//
// A stream without a finish_reason ends in an error of code Truncated. A call whose
// arguments break off is dropped, and the last chunk says so in Cut and Finish, also
// where the server claims that the reply is complete. An
// error of the server inside the stream is classed as by [DecodeError].
//
// Once the reason is known the reply is complete, whatever follows: only the
// usage is still of interest. Finished, unless nil, is called then, so that the
// caller need not wait long for it.
func DecodeStream(r io.Reader, finished func()) iter.Seq2[loci.Chunk, error] {
	return func(yield func(loci.Chunk, error) bool) {
		var a assembler
		events := wire.Reader{R: r, Max: wire.DefaultMaxLine, Lenient: true}
		for e, err := range events.Events() {
			complete := a.finish != ""
			if e.Data == "[DONE]" || err != nil && complete {
				break
			}
			if err != nil {
				yield(loci.Chunk{}, wire.Broken(err))
				return
			}
			c, err := a.event(e)
			if err != nil && complete {
				break
			}
			if err != nil {
				yield(loci.Chunk{}, err)
				return
			}
			if (c.Text != "" || c.Reasoning != "") && !yield(c, nil) {
				return
			}
			if a.finish != "" && !complete && finished != nil {
				finished()
			}
		}
		yield(a.last())
	}
}

// DecodeReply reads a whole reply of a model server, chat or text completion.
// The chunk it returns has everything; Finish is FinishStop where the server
// does not tell.
func DecodeReply(body []byte) (loci.Chunk, error) {
	var a assembler
	c, err := a.data(body)
	if err != nil {
		return loci.Chunk{}, err
	}
	if !a.started {
		return loci.Chunk{}, loci.Errorf(loci.Truncated, "The model server sent a reply without an answer in it.")
	}
	if a.finish == "" {
		a.finish = "stop"
	}
	last, err := a.last()
	if err != nil {
		return loci.Chunk{}, err
	}
	last.Text, last.Reasoning = c.Text, c.Reasoning
	return last, nil
}

// DecodeError makes a model server's failed reply into an error: Context where
// the prompt is too long, NotFound for 404, Overloaded for 429 and 503,
// Refused for other 4xx, Unreachable for other 5xx. Body may be anything.
func DecodeError(status int, body []byte) *loci.Error {
	return wire.ServerError(status, body)
}

// chunk is a streamed event or a whole reply; the two differ in where the text
// is: delta, message, or text for legacy completions.
type chunk struct {
	Choices []struct {
		Index        int     `json:"index"`
		Delta        delta   `json:"delta"`
		Message      delta   `json:"message"`
		Text         content `json:"text"`
		FinishReason string  `json:"finish_reason"`
	} `json:"choices"`
	Usage   *usage          `json:"usage"`
	Timings *timings        `json:"timings"`
	Error   json.RawMessage `json:"error"`
}

// delta is what a chunk adds to the reply. Reasoning has three names, one for
// each family of servers.
type delta struct {
	Content          content     `json:"content"`
	ReasoningContent content     `json:"reasoning_content"`
	Reasoning        content     `json:"reasoning"`
	Thinking         content     `json:"thinking"`
	ToolCalls        []callDelta `json:"tool_calls"`
	// FunctionCall is the one call that a reply could have before there were several.
	FunctionCall *function `json:"function_call"`
}

// calls are the pieces of calls.
func (d delta) calls() []callDelta {
	if d.FunctionCall != nil && len(d.ToolCalls) == 0 {
		return []callDelta{{Function: *d.FunctionCall}}
	}
	return d.ToolCalls
}

// callDelta is a piece of a tool call.
type callDelta struct {
	Index    *int     `json:"index"`
	ID       label    `json:"id"`
	Function function `json:"function"`
}

// label is an id: a string, or the number that some servers count calls with.
type label string

// UnmarshalJSON reads either.
func (l *label) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] >= '0' && b[0] <= '9' {
		*l = label(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(l))
}

// content is text: a string, null, or a list of parts of which those with text
// count.
type content string

// UnmarshalJSON reads any of the three forms.
func (c *content) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, (*string)(c))
	}
	var parts []part
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*c += content(p.Text)
	}
	return nil
}

// usage is the token counts by the book; Cached is nil where the server does not
// tell.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Details    struct {
		Cached *int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// timings is llama-server's own account of a call.
type timings struct {
	CacheN      *int    `json:"cache_n"` // prompt tokens that were in the cache
	PromptN     int     `json:"prompt_n"`
	PromptMS    float64 `json:"prompt_ms"`
	PredictedN  int     `json:"predicted_n"`
	PredictedMS float64 `json:"predicted_ms"`
}

// An assembler puts a reply together from its chunks.
type assembler struct {
	started bool // a choice came
	finish  string
	usage   *loci.Usage
	calls   []*call
	size    int // bytes of arguments held
	skipped int // events in a row that were no JSON object
}

// event takes one event of the stream and returns what can be shown at once.
func (a *assembler) event(e wire.Event) (loci.Chunk, error) {
	if e.Type == wire.EventError {
		return loci.Chunk{}, wire.InStreamError(json.RawMessage(e.Data))
	}
	// Pings and the like are no chunks. Ten in a row are no reply either.
	if !strings.HasPrefix(strings.TrimSpace(e.Data), "{") {
		const most = 10
		if a.skipped++; a.skipped >= most {
			return loci.Chunk{}, wire.Unreadable(nil)
		}
		return loci.Chunk{}, nil
	}
	a.skipped = 0
	return a.data([]byte(e.Data))
}

// data takes one chunk of the reply. Only the first choice counts: no more
// were asked for.
func (a *assembler) data(data []byte) (loci.Chunk, error) {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return loci.Chunk{}, wire.Unreadable(err)
	}
	if !wire.IsNull(c.Error) {
		return loci.Chunk{}, wire.InStreamError(c.Error)
	}
	a.count(c.Usage, c.Timings)
	var out loci.Chunk
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		a.started = true
		for _, d := range []delta{choice.Delta, choice.Message} { // one of them is empty
			out.Text += string(d.Content)
			out.Reasoning += string(firstOf(d.ReasoningContent, d.Reasoning, d.Thinking))
			for _, call := range d.calls() {
				if err := a.call(call); err != nil {
					return loci.Chunk{}, err
				}
			}
		}
		out.Text += string(choice.Text)
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
	return out, nil
}

// firstOf returns the first that is not empty: some servers send the same
// reasoning under two names.
func firstOf(texts ...content) content {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// count notes the usage. Both sources may come, in one chunk or in two.
func (a *assembler) count(u *usage, t *timings) {
	if u == nil && t == nil {
		return
	}
	if a.usage == nil {
		a.usage = &loci.Usage{}
	}
	if u != nil {
		a.usage.Prompt, a.usage.Completion = u.Prompt, u.Completion
		if u.Details.Cached != nil {
			a.usage.Cached = u.Details.Cached
		}
	}
	if t == nil {
		return
	}
	// llama-server counts the cached part apart, the usage has it included.
	if t.CacheN != nil {
		a.usage.Cached = t.CacheN
		if a.usage.Prompt == 0 {
			a.usage.Prompt = *t.CacheN + t.PromptN
		}
	}
	if a.usage.Completion == 0 {
		a.usage.Completion = t.PredictedN
	}
	a.usage.PromptTime = time.Duration(t.PromptMS * float64(time.Millisecond))
	a.usage.OutputTime = time.Duration(t.PredictedMS * float64(time.Millisecond))
}

// last is the chunk that completes the reply, or the error that it is not.
func (a *assembler) last() (loci.Chunk, error) {
	c := loci.Chunk{Usage: a.usage}
	switch a.finish {
	case "", "error", "abort": // vLLM aborts a call that it drops
		return loci.Chunk{}, wire.Broken(nil)
	case "content_filter":
		return loci.Chunk{}, loci.Errorf(loci.Refused, "The model server's content filter stopped the reply.")
	case "length", "max_tokens":
		c.Finish = loci.FinishLength
	default:
		c.Finish = loci.FinishStop
	}
	c.ToolCalls, c.Cut = a.wholeCalls(c.Finish == loci.FinishLength)
	if c.Cut != "" {
		c.Finish = loci.FinishLength
	}
	if len(c.ToolCalls) > 0 && c.Finish == loci.FinishStop {
		c.Finish = loci.FinishTools
	}
	return c, nil
}
