package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"loci"
	"loci/internal/wire"
)

// ChatRequest is a decoded /v1/chat/completions request.
type ChatRequest struct {
	Model        string
	Stream       bool
	IncludeUsage bool // the stream ends with a chunk that has the usage
	Messages     []loci.Message
	Tools        []loci.ToolSpec
	ToolChoice   loci.ToolChoice
	Options      loci.Options
}

// DecodeChat reads the body of a chat request. Errors have the code Invalid
// and name the field. Fields it does not know are kept in Options.Extra. The
// older functions and function_call count where there are no tools and no
// tool_choice.
func DecodeChat(body []byte) (ChatRequest, error) {
	var req, old ChatRequest
	var allowed []string
	for m, err := range wire.Members(body) {
		if err != nil {
			return req, err
		}
		if wire.IsNull(m.Value) { // typed clients write null for what nobody set
			continue
		}
		switch m.Name {
		case "model":
			err = m.Decode(&req.Model)
		case "messages":
			req.Messages, err = decodeMessages(m.Value)
		case "tools":
			req.Tools, err = wire.DecodeTools(m)
		case "tool_choice":
			req.ToolChoice, allowed, err = wire.DecodeToolChoice(m)
		case "functions":
			old.Tools, err = wire.DecodeFunctions(m)
		case "function_call":
			old.ToolChoice, _, err = wire.DecodeToolChoice(m)
		case "stream":
			err = m.Decode(&req.Stream)
		case "stream_options":
			req.IncludeUsage, err = decodeIncludeUsage(m)
		default:
			err = decodeOption(m, &req.Options)
		}
		if err != nil {
			return req, err
		}
	}
	if req.Tools == nil {
		req.Tools = old.Tools
	}
	req.Tools = wire.Allowed(req.Tools, allowed)
	req.ToolChoice = cmp.Or(req.ToolChoice, old.ToolChoice)
	return req, nil
}

// decodeOption reads a field that chat and text completions share, and keeps
// those it does not know.
func decodeOption(m wire.Member, o *loci.Options) error {
	switch m.Name {
	case "temperature":
		return m.Decode(&o.Temperature)
	case "top_p":
		return m.Decode(&o.TopP)
	case "top_k": // not in the book, but every local server has it
		n, err := m.Int()
		o.TopK = new(int(n))
		return err
	case "max_tokens", "max_completion_tokens": // the older and the newer name
		n, err := m.Int()
		o.MaxTokens = new(int(n))
		return err
	case "seed":
		n, err := m.Int()
		o.Seed = &n
		return err
	case "stop":
		texts, err := m.Texts()
		o.Stop = texts
		return err
	case "response_format":
		return decodeFormat(m, o)
	case "reasoning_effort":
		return decodeEffort(m, o)
	case "n":
		// One of several answers would be thrown away without a word.
		if n, err := m.Int(); err != nil || n != 1 {
			return loci.Errorf(loci.Invalid, "The field n must be 1: loci gives one answer at a time.")
		}
		return nil
	}
	raw, err := m.Raw()
	if err != nil {
		return err
	}
	if o.Extra == nil {
		o.Extra, o.ExtraDialect = map[string]json.RawMessage{}, loci.OpenAI
	}
	o.Extra[m.Name] = raw
	return nil
}

// decodeIncludeUsage reads the one stream option that matters.
func decodeIncludeUsage(m wire.Member) (bool, error) {
	var o struct {
		IncludeUsage bool `json:"include_usage"`
	}
	err := m.Decode(&o)
	return o.IncludeUsage, err
}

// responseFormat is the shape that the reply shall have.
type responseFormat struct {
	Type       string          `json:"type"`
	Schema     json.RawMessage `json:"schema,omitempty"` // llama-server reads it beside json_object
	JSONSchema *jsonSchema     `json:"json_schema,omitempty"`
}

// jsonSchema has a name that servers insist on and nobody uses.
type jsonSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// decodeFormat reads the three types of the book, and the two places where
// llama-server also looks for a schema.
func decodeFormat(m wire.Member, o *loci.Options) error {
	var f responseFormat
	if err := m.Decode(&f); err != nil {
		return err
	}
	switch {
	case f.Type == "text": // what is sent anyway
		return nil
	case f.Type == "json_schema" && f.JSONSchema != nil && !wire.IsNull(f.JSONSchema.Schema):
		o.Format = f.JSONSchema.Schema
	case f.Type == "json_schema" && f.JSONSchema == nil && !wire.IsNull(f.Schema):
		o.Format = f.Schema
	case f.Type == "json_schema":
		return loci.Errorf(loci.Invalid, "The field response_format.json_schema.schema is missing.")
	case f.Type == "json_object" && !wire.IsNull(f.Schema):
		o.Format = f.Schema
	case f.Type == "json_object":
		o.Format = json.RawMessage(`"json"`)
	default:
		return loci.Errorf(loci.Invalid, "The field response_format.type is %q.", wire.Clip(f.Type)).
			WithHint("It must be text, json_object or json_schema.")
	}
	return nil
}

// decodeEffort reads a level of thinking; "none" is none at all.
func decodeEffort(m wire.Member, o *loci.Options) error {
	var level string
	if err := m.Decode(&level); err != nil {
		return err
	}
	// Five or more levels here are three in loci, as in the models themselves.
	switch level {
	case "none":
		o.Think = json.RawMessage("false")
	case "minimal":
		o.Think = json.RawMessage(`"low"`)
	case "low", "medium", "high":
		o.Think = bytes.Clone(m.Value)
	case "xhigh", "max":
		o.Think = json.RawMessage(`"high"`)
	default:
		return loci.Errorf(loci.Invalid, "The field reasoning_effort is %q.", wire.Clip(level)).
			WithHint("It must be none, minimal, low, medium or high.")
	}
	return nil
}

// A body is the fields of a request that loci knows, in the order they are
// written: what stays the same from turn to turn comes before what changes.
type body struct {
	Model          string          `json:"model"`
	Messages       []message       `json:"messages,omitempty"`
	Tools          []wire.Tool     `json:"tools,omitempty"`
	ToolChoice     json.RawMessage `json:"tool_choice,omitempty"`
	Temperature    *float64        `json:"temperature,omitempty"`
	TopP           *float64        `json:"top_p,omitempty"`
	TopK           *int            `json:"top_k,omitempty"`
	MaxTokens      *int            `json:"max_tokens,omitempty"`
	Seed           *int64          `json:"seed,omitempty"`
	Stop           []string        `json:"stop,omitempty"`
	ResponseFormat *responseFormat `json:"response_format,omitempty"`
	Effort         json.RawMessage `json:"reasoning_effort,omitempty"`
	Stream         bool            `json:"stream"`
	StreamOptions  *streamOptions  `json:"stream_options,omitempty"`
}

// streamOptions asks for the usage, which servers otherwise leave out of streams.
type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// EncodeChat makes the body of a chat request for a model server. Equal
// requests give equal bytes. Options.Extra goes along, sorted by name, if it
// came in this dialect, but cannot replace a field that loci writes itself.
// Options.Think is sent as reasoning_effort where it is a level or false;
// true is every thinking model's default and not sent.
func EncodeChat(req loci.Request, stream bool) ([]byte, error) {
	b := newBody(req.Model, req.Options, stream)
	b.Messages = make([]message, len(req.Messages))
	for i, m := range req.Messages {
		var err error
		if b.Messages[i], err = encodeMessage(m); err != nil {
			return nil, fmt.Errorf("encode message %d: %w", i, err)
		}
	}
	taken := known
	if b.Tools = wire.EncodeTools(req.Tools); len(b.Tools) > 0 {
		b.ToolChoice = wire.EncodeToolChoice(req.ToolChoice)
	} else { // servers refuse what is said about tools where there are none
		taken = append(slices.Clone(known), "parallel_tool_calls")
	}
	dst, err := wire.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	if req.Options.ExtraDialect != loci.OpenAI {
		return dst, nil
	}
	return wire.AppendMembers(dst, req.Options.Extra, taken)
}

// newBody fills in all but the conversation.
func newBody(model string, o loci.Options, stream bool) body {
	b := body{
		Model:       model,
		Temperature: o.Temperature,
		TopP:        o.TopP,
		TopK:        o.TopK,
		MaxTokens:   o.MaxTokens,
		Seed:        o.Seed,
		Stop:        o.Stop,
		Stream:      stream,
	}
	// Without it the receipt of a streamed call would be empty.
	if stream {
		b.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	switch {
	case wire.IsNull(o.Format):
	case string(o.Format) == `"json"`:
		b.ResponseFormat = &responseFormat{Type: "json_object"}
	default:
		b.ResponseFormat = &responseFormat{Type: "json_schema", JSONSchema: &jsonSchema{Name: "reply", Schema: o.Format}}
	}
	switch think := string(o.Think); {
	case think == "false":
		b.Effort = json.RawMessage(`"none"`)
	case len(think) > 0 && think[0] == '"':
		b.Effort = o.Think
	}
	return b
}

// known are the names in body, and what a text completion has instead of
// messages: an extra field must not override what loci asks.
var known = []string{
	"model", "messages", "prompt", "suffix", "tools", "tool_choice", "functions", "function_call", "temperature", "top_p", "top_k", "max_tokens",
	"max_completion_tokens", "seed", "stop", "response_format", "reasoning_effort", "stream", "stream_options",
}
