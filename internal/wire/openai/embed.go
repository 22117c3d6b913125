package openai

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"

	"loci"
	"loci/internal/wire"
)

// EmbedRequest is a decoded /v1/embeddings request.
type EmbedRequest struct {
	Model      string
	Input      []string
	Base64     bool // the reply shall hold the vectors as base64 of little-endian float32s
	Dimensions *int // nil: the model's own
}

// DecodeEmbed reads the body of an embeddings request. Input in tokens is an
// error of code Invalid.
func DecodeEmbed(body []byte) (EmbedRequest, error) {
	var req EmbedRequest
	for m, err := range wire.Members(body) {
		if err != nil {
			return req, err
		}
		if wire.IsNull(m.Value) {
			continue
		}
		switch m.Name {
		case "model":
			err = m.Decode(&req.Model)
		case "input":
			req.Input, err = m.Texts()
		case "encoding_format":
			req.Base64, err = decodeEncoding(m)
		case "dimensions":
			var n int64
			n, err = m.Int()
			req.Dimensions = new(int(n))
		}
		if err != nil {
			return req, err
		}
	}
	return req, nil
}

// decodeEncoding reports whether vectors shall be in base64, which the official
// Python client asks for without being told to.
func decodeEncoding(m wire.Member) (bool, error) {
	var format string
	if err := m.Decode(&format); err != nil {
		return false, err
	}
	if format != "float" && format != "base64" {
		return false, loci.Errorf(loci.Invalid, "The field encoding_format is %q.", wire.Clip(format)).
			WithHint("It must be float or base64.")
	}
	return format == "base64", nil
}

// EncodeEmbed makes the body of an embeddings request for a model server.
func EncodeEmbed(req EmbedRequest) ([]byte, error) {
	format := "" // float is the default, and not every server knows the field
	if req.Base64 {
		format = "base64"
	}
	return wire.Marshal(struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Format     string   `json:"encoding_format,omitempty"`
		Dimensions *int     `json:"dimensions,omitempty"`
	}{req.Model, req.Input, format, req.Dimensions})
}

// DecodeEmbedReply reads the vectors of an embeddings reply, in the order of
// the input and in either encoding. Tokens is the length of the whole input; 0
// where the server does not tell.
func DecodeEmbedReply(body []byte) (vectors [][]float32, tokens int, err error) {
	var reply struct {
		Data []struct {
			Index     *int   `json:"index"`
			Embedding vector `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt wire.Int `json:"prompt_tokens"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return nil, 0, wire.Unreadable(err)
	}
	if !wire.IsNull(reply.Error) {
		return nil, 0, wire.InStreamError(reply.Error)
	}
	// The order is told by the index, where there is one. Two vectors for one
	// text, or none, would put the wrong vector to a text, for good.
	vectors = make([][]float32, len(reply.Data))
	for i, d := range reply.Data {
		if d.Index != nil {
			i = *d.Index
		}
		if i < 0 || i >= len(vectors) || vectors[i] != nil || len(d.Embedding) == 0 {
			return nil, 0, wire.Unreadable(nil)
		}
		vectors[i] = d.Embedding
	}
	return vectors, int(reply.Usage.Prompt), nil
}

// vector is a list of numbers, or their base64.
type vector []float32

// UnmarshalJSON reads either form.
func (v *vector) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '"' {
		return json.Unmarshal(b, (*[]float32)(v))
	}
	var raw []byte // encoding/json decodes base64 by itself
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	const size = 4 // bytes of a float32
	for i := 0; i+size <= len(raw); i += size {
		*v = append(*v, math.Float32frombits(binary.LittleEndian.Uint32(raw[i:])))
	}
	return nil
}

// EncodeEmbedReply makes the body of an embeddings reply. Tokens is the length
// of the whole input.
func EncodeEmbedReply(req EmbedRequest, vectors [][]float32, tokens int) []byte {
	dst := append([]byte(nil), `{"object":"list","data":[`...)
	for i, v := range vectors {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"object":"embedding","index":`...)
		dst = strconv.AppendInt(dst, int64(i), 10)
		dst = append(dst, `,"embedding":`...)
		if req.Base64 {
			dst = appendBase64(dst, v)
		} else {
			dst = wire.AppendVector(dst, v)
		}
		dst = append(dst, '}')
	}
	dst = append(dst, `],"model":`...)
	dst = wire.AppendString(dst, req.Model)
	dst = append(dst, `,"usage":{"prompt_tokens":`...)
	dst = strconv.AppendInt(dst, int64(tokens), 10)
	dst = append(dst, `,"total_tokens":`...)
	dst = strconv.AppendInt(dst, int64(tokens), 10)
	return append(dst, '}', '}')
}

// appendBase64 writes a vector in a third of the bytes of its decimal form.
func appendBase64(dst []byte, v []float32) []byte {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, raw)
	return append(dst, '"')
}
