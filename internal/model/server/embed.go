package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"loci"
	"loci/internal/wire/ollama"
	"loci/internal/wire/openai"
)

// maxEmbedTexts is how many texts go to a server in one request: enough to keep
// it busy, and few enough that one document cannot hold it for minutes while
// somebody waits for a reply.
const maxEmbedTexts = 64

// Embed turns texts into vectors, one for each in their order, all of one
// length. Tokens is the length of all texts together; 0 where the server does
// not tell. Long lists go in several requests.
func (c *Client) Embed(ctx context.Context, model string, texts []string) (vectors [][]float32, tokens int, err error) {
	b, err := c.settle(ctx)
	if err != nil {
		return nil, 0, err
	}
	for part := range slices.Chunk(texts, maxEmbedTexts) {
		v, n, err := c.embed(ctx, b, model, part)
		if err != nil {
			return nil, 0, err
		}
		vectors, tokens = append(vectors, v...), tokens+n
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, 0, b.garbled(fmt.Errorf("vectors of %d and %d numbers", len(vectors[0]), len(v)))
		}
	}
	return vectors, tokens, nil
}

// embed sends one request.
func (c *Client) embed(ctx context.Context, b Backend, model string, texts []string) ([][]float32, int, error) {
	path, decode := "/embeddings", openai.DecodeEmbedReply
	body, err := openai.EncodeEmbed(openai.EmbedRequest{Model: model, Input: texts})
	if b.Dialect == loci.Ollama {
		path, decode = "/api/embed", ollama.DecodeEmbedReply
		body, err = ollama.EncodeEmbed(ollama.EmbedRequest{Model: model, Input: texts})
	}
	if err != nil {
		return nil, 0, err
	}
	r := call{method: http.MethodPost, url: b.URL + path, body: body, purpose: loci.PurposeEmbed}
	reply, err := c.call(ctx, r, loci.Request{Model: model})
	if err != nil {
		return nil, 0, err
	}
	vectors, tokens, err := decode(reply)
	if err == nil && len(vectors) != len(texts) {
		err = fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))
	}
	if err != nil {
		return nil, 0, b.garbled(err)
	}
	return vectors, tokens, nil
}
