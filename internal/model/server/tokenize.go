package server

import (
	"context"
	"encoding/json"
	"net/http"

	"loci"
	"loci/internal/wire/openai"
)

// Tokenize counts the tokens of a text as the model's own tokenizer makes them. It is
// false where the server does not tell: llama-server
// (https://github.com/ggml-org/llama.cpp/tree/master/tools/server) and vLLM
// (https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html#tokenizer-api)
// do, in the same route with other fields.
func (c *Client) Tokenize(ctx context.Context, model, text string) (tokens int, told bool, err error) {
	var in any
	switch c.kind(ctx) {
	case KindLlamaServer:
		in = map[string]any{"model": model, "content": text}
	case KindVLLM:
		in = map[string]any{"model": model, "prompt": text, "add_special_tokens": false}
	default:
		return 0, false, nil
	}
	var out struct{ Tokens []int }
	if told, err = c.tell(ctx, "/tokenize", in, model, &out); !told || err != nil {
		return 0, false, err
	}
	return len(out.Tokens), len(out.Tokens) > 0, nil
}

// Render writes a conversation and tools as the model's chat template does, up to where
// the reply begins. It is false where the server does not tell; llama-server does.
func (c *Client) Render(ctx context.Context, req loci.Request) (prompt string, told bool, err error) {
	if c.kind(ctx) != KindLlamaServer {
		return "", false, nil
	}
	body, err := openai.EncodeChat(req, false)
	if err != nil {
		return "", false, err
	}
	var out struct{ Prompt string }
	told, err = c.tell(ctx, "/apply-template", json.RawMessage(body), req.Model, &out)
	return out.Prompt, told && out.Prompt != "", err
}

// tell asks a question beside the chat protocol. It is false where the server does not
// know the route, or refuses what it is asked.
func (c *Client) tell(ctx context.Context, path string, in any, model string, out any) (told bool, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return false, err
	}
	r := call{method: http.MethodPost, url: c.Backend().root() + path, body: body, purpose: loci.PurposeProbe}
	reply, err := c.call(ctx, r, loci.Request{Model: model})
	if err != nil {
		switch loci.AsError(err).Code {
		case loci.Unreachable, loci.Timeout, loci.Overloaded:
			return false, err
		}
		return false, nil
	}
	return json.Unmarshal(reply, out) == nil, nil
}
