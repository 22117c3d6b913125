package ollama

import (
	"encoding/json"
	"fmt"
	"slices"

	"loci"
	"loci/internal/wire"
)

// ChatRequest is a decoded /api/chat request.
type ChatRequest struct {
	Model    string
	Stream   bool // what the protocol does unless told not to
	Messages []loci.Message
	Tools    []loci.ToolSpec
	// ToolChoice is no part of the protocol, but clients made for both send it.
	ToolChoice loci.ToolChoice
	Options    loci.Options
	Load       bool // no messages: the model shall only be loaded
	Unload     bool // no messages and a keep_alive of 0: it shall be unloaded
}

// DecodeChat reads the body of a chat request. Errors have the code Invalid
// and name the field. Fields it does not know are kept in Options.Extra, and
// generation options it does not know in the member "options" there.
func DecodeChat(body []byte) (ChatRequest, error) {
	req := ChatRequest{Stream: true}
	var allowed []string
	err := decode(body, &req.Model, func(m wire.Member) (err error) {
		switch m.Name {
		case "messages":
			req.Messages, err = decodeMessages(m)
		case "tools":
			req.Tools, err = wire.DecodeTools(m)
		case "tool_choice":
			req.ToolChoice, allowed, err = wire.DecodeToolChoice(m)
		case "stream":
			err = m.Decode(&req.Stream)
		default:
			err = decodeOption(m, &req.Options)
		}
		return err
	})
	req.Tools = wire.Allowed(req.Tools, allowed)
	// A chat without messages is how clients warm a model up, or let it go.
	if len(req.Messages) == 0 {
		req.Unload = isZero(req.Options.KeepAlive)
		req.Load = !req.Unload
	}
	return req, err
}

// GenerateRequest is a decoded /api/generate request: the model answers the
// prompt, or with Raw goes on where it ends. Suffix is what shall follow the
// gap, for models that fill in.
type GenerateRequest struct {
	Model   string
	Prompt  string
	System  string // replaces the model's own system text
	Suffix  string
	Raw     bool
	Stream  bool
	Images  []loci.Image
	Options loci.Options
	Load    bool // no prompt: the model shall only be loaded
	Unload  bool // no prompt and a keep_alive of 0: it shall be unloaded
}

// DecodeGenerate reads the body of a generate request, with the same rules as
// [DecodeChat]. The tokens of an earlier reply in "context" are left out: they
// mean something to one model server only.
func DecodeGenerate(body []byte) (GenerateRequest, error) {
	req := GenerateRequest{Stream: true}
	err := decode(body, &req.Model, func(m wire.Member) (err error) {
		switch m.Name {
		case "prompt":
			err = m.Decode(&req.Prompt)
		case "system":
			err = m.Decode(&req.System)
		case "suffix":
			err = m.Decode(&req.Suffix)
		case "raw":
			err = m.Decode(&req.Raw)
		case "stream":
			err = m.Decode(&req.Stream)
		case "images":
			var list []string
			if err = m.Decode(&list); err == nil {
				req.Images, err = decodeImages(m.Name, list)
			}
		case "context": // see above
		default:
			err = decodeOption(m, &req.Options)
		}
		return err
	})
	if req.Prompt == "" {
		req.Unload = isZero(req.Options.KeepAlive)
		req.Load = !req.Unload
	}
	return req, err
}

// decode hands the members of a request to member, all but those that are null
// and the model, which older clients call name.
func decode(body []byte, model *string, member func(wire.Member) error) error {
	var name string
	for m, err := range wire.Members(body) {
		if err != nil {
			return err
		}
		if wire.IsNull(m.Value) {
			continue
		}
		switch m.Name {
		case "model":
			err = m.Decode(model)
		case "name":
			err = m.Decode(&name)
		default:
			err = member(m)
		}
		if err != nil {
			return err
		}
	}
	if *model == "" {
		*model = name
	}
	return nil
}

// body is a request that loci sends, in the order the fields are written: what
// stays the same from turn to turn comes before what changes.
type body struct {
	Model     string          `json:"model"`
	Messages  []message       `json:"messages,omitempty"`
	Tools     []wire.Tool     `json:"tools,omitempty"`
	Format    json.RawMessage `json:"format,omitempty"`
	Think     json.RawMessage `json:"think,omitempty"`
	KeepAlive json.RawMessage `json:"keep_alive,omitempty"`
	Options   json.RawMessage `json:"options,omitempty"`
	Stream    bool            `json:"stream"`
}

// known are the names in body, and what a single prompt has instead of
// messages: an extra field must not override what loci asks.
var known = []string{
	"model", "messages", "prompt", "system", "suffix", "raw", "images",
	"tools", "tool_choice", "format", "think", "keep_alive", "options", "stream",
}

// EncodeChat makes the body of a chat request for a model server. Equal
// requests give equal bytes. Options.Extra goes along, sorted by name, if it
// came in this dialect, but cannot replace a field that loci writes itself.
// The protocol has no word for a tool choice: a tool that must not be called is
// not offered, and that one must be cannot be said.
func EncodeChat(req loci.Request, stream bool) ([]byte, error) {
	o := req.Options
	options, err := encodeOptions(o)
	if err != nil {
		return nil, err
	}
	b := body{
		Model: req.Model, Tools: wire.EncodeTools(callable(req)), Format: o.Format, Think: o.Think,
		KeepAlive: o.KeepAlive, Options: options, Stream: stream,
	}
	for _, m := range req.Messages {
		b.Messages = append(b.Messages, encodeMessage(m))
	}
	dst, err := wire.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	if o.ExtraDialect != loci.Ollama {
		return dst, nil
	}
	return wire.AppendMembers(dst, o.Extra, known)
}

// callable are the tools that the choice of a request leaves to the model.
func callable(req loci.Request) []loci.ToolSpec {
	switch {
	case req.ToolChoice.Mode == loci.ChoiceNone:
		return nil
	case req.ToolChoice.Mode == loci.ChoiceRequired && req.ToolChoice.Name != "":
		return wire.Allowed(slices.Clone(req.Tools), []string{req.ToolChoice.Name})
	}
	return req.Tools
}
