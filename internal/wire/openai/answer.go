package openai

import (
	"encoding/json"
	"strconv"
	"time"

	"loci"
	"loci/internal/wire"
)

// EncodeReply makes the body of a whole chat reply.
func EncodeReply(model string, reply loci.Chunk) []byte {
	dst := appendHead(nil, loci.NewID("chatcmpl-"), "chat.completion", model)
	dst = append(dst, `"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	dst = wire.AppendString(dst, reply.Text)
	if reply.Reasoning != "" {
		dst = append(dst, `,"reasoning_content":`...)
		dst = wire.AppendString(dst, reply.Reasoning)
	}
	for i, c := range reply.ToolCalls {
		if i == 0 {
			dst = append(dst, `,"tool_calls":[{`...)
		} else {
			dst = append(dst, `,{`...)
		}
		dst = appendCall(dst, c)
	}
	if len(reply.ToolCalls) > 0 {
		dst = append(dst, ']')
	}
	return appendEnd(append(dst, '}'), reply)
}

// EncodeCompletionReply makes the body of a whole reply to a legacy text
// completion.
func EncodeCompletionReply(model string, reply loci.Chunk) []byte {
	dst := appendHead(nil, loci.NewID("cmpl-"), "text_completion", model)
	dst = append(dst, `"choices":[{"index":0,"text":`...)
	dst = wire.AppendString(dst, reply.Text)
	return appendEnd(append(dst, `,"logprobs":null`...), reply)
}

// appendEnd writes what follows the text in the choice, and the usage.
func appendEnd(dst []byte, reply loci.Chunk) []byte {
	dst = append(dst, `,"finish_reason":`...)
	dst = wire.AppendString(dst, string(reason(reply.Finish, len(reply.ToolCalls))))
	dst = append(dst, "}]"...)
	if reply.Usage != nil {
		dst = appendUsage(append(dst, ','), *reply.Usage)
	}
	return append(dst, '}')
}

// reason is why a whole reply ended. It always has a reason, whoever made it, and
// clients run its calls only if the reason says so.
func reason(f loci.Finish, calls int) loci.Finish {
	switch {
	case f != "" && f != loci.FinishStop:
		return f
	case calls > 0:
		return loci.FinishTools
	}
	return loci.FinishStop
}

// appendUsage writes the token counts. How much of the prompt was cached is only
// there where the model server told: 0 would be a claim.
func appendUsage(dst []byte, u loci.Usage) []byte {
	dst = append(dst, `"usage":{"prompt_tokens":`...)
	dst = strconv.AppendInt(dst, int64(u.Prompt), 10)
	dst = append(dst, `,"completion_tokens":`...)
	dst = strconv.AppendInt(dst, int64(u.Completion), 10)
	dst = append(dst, `,"total_tokens":`...)
	dst = strconv.AppendInt(dst, int64(u.Prompt+u.Completion), 10)
	if u.Cached != nil {
		dst = append(dst, `,"prompt_tokens_details":{"cached_tokens":`...)
		dst = strconv.AppendInt(dst, int64(*u.Cached), 10)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// errorTypes says what this protocol calls our codes; all others are
// "server_error".
var errorTypes = map[loci.Code]string{
	loci.Invalid:      "invalid_request_error",
	loci.Context:      "invalid_request_error",
	loci.Refused:      "invalid_request_error",
	loci.NotFound:     "invalid_request_error",
	loci.Conflict:     "invalid_request_error",
	loci.Unauthorized: "authentication_error",
	loci.Forbidden:    "permission_error",
	loci.Overloaded:   "rate_limit_error",
}

// errorCodes are the codes that clients of this protocol look for; all others
// are our own.
var errorCodes = map[loci.Code]string{
	loci.Context:      "context_length_exceeded",
	loci.Unauthorized: "invalid_api_key",
	loci.Overloaded:   "rate_limit_exceeded",
}

// EncodeError makes the body of an error reply.
func EncodeError(e *loci.Error) []byte {
	kind, ok := errorTypes[e.Code]
	if !ok {
		kind = "server_error"
	}
	code, ok := errorCodes[e.Code]
	if !ok {
		code = string(e.Code)
	}
	dst := append([]byte(nil), `{"error":{"message":`...)
	dst = wire.AppendString(dst, e.Error())
	dst = append(dst, `,"type":`...)
	dst = wire.AppendString(dst, kind)
	dst = append(dst, `,"param":null,"code":`...)
	dst = wire.AppendString(dst, code)
	return append(dst, '}', '}')
}

// modelList is the body of /v1/models. Meta is llama-server's.
type modelList struct {
	Object string  `json:"object"`
	Data   []model `json:"data"`
}

// model is an entry of the list. Name and info are no part of the protocol, but
// Open WebUI takes over whatever it finds.
type model struct {
	ID      string     `json:"id"`
	Object  string     `json:"object"`
	Created int64      `json:"created"` // seconds since 1970
	OwnedBy string     `json:"owned_by"`
	Name    string     `json:"name,omitempty"`
	Info    *modelInfo `json:"info,omitempty"`
}

// modelInfo is what Open WebUI merges into its own record of the model.
type modelInfo struct {
	Meta struct {
		Hidden       bool `json:"hidden,omitempty"` // from the list of models to chat with
		Capabilities struct {
			BuiltinTools *bool `json:"builtin_tools,omitempty"`
			Usage        bool  `json:"usage"`
		} `json:"capabilities"`
	} `json:"meta"`
}

// newModel makes an entry of the list. It tells Open WebUI to ask for the
// usage, to keep its own 26 kB of tools out of models that loci is the agent of,
// and not to offer a chat with an embedding model.
func newModel(m loci.ModelInfo) model {
	info := &modelInfo{}
	info.Meta.Capabilities.Usage = true
	info.Meta.Hidden = m.Embedding
	if !m.Passthrough {
		info.Meta.Capabilities.BuiltinTools = new(false)
	}
	out := model{ID: m.ID, Object: "model", OwnedBy: "loci", Name: m.ID, Info: info}
	if !m.Modified.IsZero() {
		out.Created = m.Modified.Unix()
	}
	return out
}

// EncodeModel makes the body of /v1/models/{id}: an entry of the list.
func EncodeModel(m loci.ModelInfo) []byte { return marshal(newModel(m)) }

// EncodeModels makes the body of /v1/models.
func EncodeModels(models []loci.ModelInfo) []byte {
	list := modelList{Object: "list", Data: make([]model, len(models))}
	for i, m := range models {
		list.Data[i] = newModel(m)
	}
	return marshal(list)
}

// marshal is for values that always marshal: structs of strings and numbers.
func marshal(v any) []byte {
	b, err := wire.Marshal(v)
	if err != nil {
		return EncodeError(loci.AsError(err))
	}
	return b
}

// DecodeModels reads the model list of a server. A bare list is understood
// too. Entries without an id are left out.
func DecodeModels(body []byte) ([]loci.ModelInfo, error) {
	var list modelList
	// Some gateways send the list without its envelope.
	if err := json.Unmarshal(body, &list.Data); err != nil {
		list = modelList{}
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, &loci.Error{Code: loci.Unreachable, Message: "The model server's list of models cannot be read.", Err: err}
		}
	}
	var models []loci.ModelInfo
	for _, m := range list.Data {
		if m.ID == "" {
			continue
		}
		info := loci.ModelInfo{ID: m.ID}
		if m.Created > 0 {
			info.Modified = loci.Time{Time: time.Unix(m.Created, 0)}
		}
		models = append(models, info)
	}
	return models, nil
}
