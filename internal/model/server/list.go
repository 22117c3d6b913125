package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"loci"
	"loci/internal/wire/ollama"
	"loci/internal/wire/openai"
)

// Models lists the models of the server, described as far as the server does
// it. Embedding is a guess where the server does not tell.
func (c *Client) Models(ctx context.Context) ([]loci.ModelInfo, error) {
	b, err := c.settle(ctx)
	if err != nil {
		return nil, err
	}
	path, decode := "/models", openai.DecodeModels
	if b.Dialect == loci.Ollama {
		path, decode = "/api/tags", ollama.DecodeTags
	}
	body, err := c.call(ctx, call{method: http.MethodGet, url: b.URL + path}, loci.Request{})
	if err != nil {
		return nil, err
	}
	models, err := decode(body)
	if err != nil {
		return nil, b.garbled(err)
	}
	entries := entriesOf(body)
	types := c.lmStudioModels(ctx)
	for i := range models {
		m := &models[i]
		m.Server = b.URL
		if e, ok := entries[m.ID]; ok {
			e.complete(m)
		}
		if t, ok := types[m.ID]; ok {
			m.Family, m.Quantization = t.Arch, t.Quantization
			m.Embedding = t.Type == "embeddings"
		}
		m.Embedding = m.Embedding || embeds(m.Family) || embeds(m.ID)
	}
	return models, nil
}

// Running lists the models that the server has loaded. Only Ollama tells; for
// any other server there are none.
func (c *Client) Running(ctx context.Context) ([]ollama.Running, error) {
	if c.kind(ctx) != KindOllama {
		return nil, nil
	}
	b := c.Backend()
	r := call{method: http.MethodGet, url: b.root() + "/api/ps", purpose: loci.PurposeProbe}
	body, err := c.call(ctx, r, loci.Request{})
	if err != nil {
		return nil, err
	}
	running, err := ollama.DecodePs(body)
	if err != nil {
		return nil, b.garbled(err)
	}
	return running, nil
}

// entry is what some servers add to an entry of /v1/models: llama-server the
// member meta, vLLM max_model_len.
type entry struct {
	ID   string `json:"id"`
	Meta struct {
		Params int64  `json:"n_params"`
		Size   int64  `json:"size"`
		Window int    `json:"n_ctx"`
		Type   string `json:"ftype"`
	} `json:"meta"`
	MaxLen int `json:"max_model_len"`
}

// entriesOf reads the additions, by model. A list without any is no error.
func entriesOf(body []byte) map[string]entry {
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil {
		return nil
	}
	entries := make(map[string]entry, len(list.Data))
	for _, raw := range list.Data {
		var e entry
		if json.Unmarshal(raw, &e) == nil && e.ID != "" {
			entries[e.ID] = e
		}
	}
	return entries
}

// complete adds what an entry tells to the description of its model. The
// server gives no digest of the weights; their number and size will do.
func (e entry) complete(m *loci.ModelInfo) {
	if e.Meta.Params <= 0 {
		return
	}
	m.Format, m.Quantization, m.Size = "gguf", e.Meta.Type, e.Meta.Size
	m.Parameters = countOf(e.Meta.Params)
	m.Digest = fmt.Sprintf("gguf:%d:%d:%s", e.Meta.Params, e.Meta.Size, e.Meta.Type)
}

// lmStudioModel is an entry of LM Studio's own list, GET /api/v0/models
// (https://lmstudio.ai/docs/developer/rest/endpoints).
type lmStudioModel struct {
	ID           string   `json:"id"`
	Type         string   `json:"type"` // llm, vlm or embeddings
	Arch         string   `json:"arch"`
	Quantization string   `json:"quantization"`
	MaxWindow    int      `json:"max_context_length"`
	Window       int      `json:"loaded_context_length"` // 0 unless loaded
	Capabilities []string `json:"capabilities"`
}

// lmStudioModels gives what LM Studio tells about its models, by model, and
// nothing for any other server. Versions before 0.3.6 do not have it.
func (c *Client) lmStudioModels(ctx context.Context) map[string]lmStudioModel {
	if c.kind(ctx) != KindLMStudio {
		return nil
	}
	a, err := c.ask(ctx, "/api/v0/models")
	if err != nil || a.status != http.StatusOK {
		return nil
	}
	var list struct {
		Data []lmStudioModel `json:"data"`
	}
	if json.Unmarshal(a.body, &list) != nil {
		return nil
	}
	models := make(map[string]lmStudioModel, len(list.Data))
	for _, m := range list.Data {
		models[m.ID] = m
	}
	return models
}

// embeds guesses from a family or a name that a model is for embedding only.
// No server lists that; a chat with such a model would fail with its own error.
func embeds(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"bert", "embed", "minilm", "bge-"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
