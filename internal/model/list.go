package model

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"loci"
	"loci/internal/wire/ollama"
	"loci/internal/wire/openai"
)

// maxEmbedTexts is how many texts go to a server in one request: enough to keep
// it busy, and few enough that one document cannot hold it for minutes while
// somebody waits for a reply.
const maxEmbedTexts = 64

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

// Embed turns texts into vectors, one for each in their order, all of one
// length. Long lists go in several requests.
func (c *Client) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	b, err := c.settle(ctx)
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(len(texts), maxEmbedTexts)
		part, err := c.embed(ctx, b, model, texts[:n])
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, part...)
		texts = texts[n:]
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, b.garbled(fmt.Errorf("vectors of %d and %d numbers", len(vectors[0]), len(v)))
		}
	}
	return vectors, nil
}

func (c *Client) embed(ctx context.Context, b Backend, model string, texts []string) ([][]float32, error) {
	path, decode := "/embeddings", openai.DecodeEmbedReply
	body, err := openai.EncodeEmbed(openai.EmbedRequest{Model: model, Input: texts})
	if b.Dialect == loci.Ollama {
		path, decode = "/api/embed", ollama.DecodeEmbedReply
		body, err = ollama.EncodeEmbed(ollama.EmbedRequest{Model: model, Input: texts})
	}
	if err != nil {
		return nil, err
	}
	r := call{method: http.MethodPost, url: b.URL + path, body: body, purpose: loci.PurposeEmbed}
	reply, err := c.call(ctx, r, loci.Request{Model: model})
	if err != nil {
		return nil, err
	}
	vectors, err := decode(reply)
	if err == nil && len(vectors) != len(texts) {
		err = fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))
	}
	if err != nil {
		return nil, b.garbled(err)
	}
	return vectors, nil
}

// countOf writes a number of parameters the way servers do: 134.52M, 7.62B.
func countOf(n int64) string {
	unit, div := "M", 1e6
	if n >= 1e9 {
		unit, div = "B", 1e9
	}
	return strconv.FormatFloat(math.Round(float64(n)/div*100)/100, 'f', -1, 64) + unit
}

var sizePattern = regexp.MustCompile(`(?i)(?:^|[^a-z0-9.])(\d{1,4}(?:\.\d{1,3})?)([mb])(?:$|[^a-z0-9])`)

// paramsOf reads a number of parameters from text such as 134.52M or from a
// model's name such as SmolLM2-135M-Instruct; 0 where there is none.
func paramsOf(text string) int64 {
	m := sizePattern.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	if strings.EqualFold(m[2], "m") {
		return int64(n * 1e6)
	}
	return int64(n * 1e9)
}
