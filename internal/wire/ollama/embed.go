package ollama

import (
	"encoding/json"
	"strconv"
	"time"

	"loci/internal/wire"
)

// EmbedRequest is a decoded /api/embed or /api/embeddings request.
type EmbedRequest struct {
	Model      string
	Input      []string
	Dimensions *int // nil: the model's own
}

// DecodeEmbed reads the body of /api/embed, whose input is one text or a list.
func DecodeEmbed(body []byte) (EmbedRequest, error) { return decodeEmbed(body, "input") }

// DecodeEmbeddings reads the body of the older /api/embeddings, whose prompt is
// one text.
func DecodeEmbeddings(body []byte) (EmbedRequest, error) { return decodeEmbed(body, "prompt") }

// decodeEmbed reads either form; input is what it calls the texts. Options and
// keep_alive are the business of whoever runs the embedder.
func decodeEmbed(body []byte, input string) (EmbedRequest, error) {
	var req EmbedRequest
	err := decode(body, &req.Model, func(m wire.Member) (err error) {
		switch m.Name {
		case input:
			req.Input, err = m.Texts()
		case "dimensions":
			var n int64
			n, err = m.Int()
			req.Dimensions = new(int(n))
		}
		return err
	})
	return req, err
}

// EncodeEmbed makes the body of an embed request for a model server.
func EncodeEmbed(req EmbedRequest) ([]byte, error) {
	return wire.Marshal(struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Dimensions *int     `json:"dimensions,omitempty"`
	}{req.Model, req.Input, req.Dimensions})
}

// DecodeEmbedReply reads the vectors of an embed reply, in the order of the
// input. Tokens is the length of the whole input; 0 where the server does not
// tell.
func DecodeEmbedReply(body []byte) (vectors [][]float32, tokens int, err error) {
	var reply struct {
		Embeddings [][]float32     `json:"embeddings"`
		Tokens     wire.Int        `json:"prompt_eval_count"`
		Error      json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return nil, 0, unreadable("embedding", err)
	}
	if !wire.IsNull(reply.Error) {
		return nil, 0, wire.InStreamError(body)
	}
	for _, v := range reply.Embeddings {
		if len(v) == 0 {
			return nil, 0, unreadable("embedding", nil)
		}
	}
	return reply.Embeddings, int(reply.Tokens), nil
}

// EncodeEmbedReply makes the body of /api/embed. Tokens is the length of the
// whole input.
func EncodeEmbedReply(model string, vectors [][]float32, tokens int, took time.Duration) []byte {
	dst := wire.AppendString([]byte(`{"model":`), model)
	dst = append(dst, `,"embeddings":[`...)
	for i, v := range vectors {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wire.AppendVector(dst, v)
	}
	dst = append(dst, `],"total_duration":`...)
	dst = strconv.AppendInt(dst, int64(took), 10)
	if tokens > 0 {
		dst = append(dst, `,"prompt_eval_count":`...)
		dst = strconv.AppendInt(dst, int64(tokens), 10)
	}
	return append(dst, '}')
}

// EncodeEmbeddingsReply makes the body of the older /api/embeddings.
func EncodeEmbeddingsReply(vector []float32) []byte {
	return append(wire.AppendVector([]byte(`{"embedding":`), vector), '}')
}
