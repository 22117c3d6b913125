package gguf

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Source is a BERT sentence embedder as it is published. Each reader is read
// once, from start to end.
type Source struct {
	Name      string    // for people, for example "all-MiniLM-L6-v2"
	License   string    // SPDX, for example "Apache-2.0"
	Config    io.Reader // config.json
	Tokenizer io.Reader // tokenizer.json, of the WordPiece kind
	Weights   io.Reader // model.safetensors, all F32
}

// maxJSON bounds config.json and tokenizer.json; MiniLM's tokenizer has 0.5 MB.
const maxJSON = 16 << 20

// WriteBERT writes the model to w as a GGUF file with mean pooling. Matrices
// are stored as F16; norms, biases and the two small embedding tables stay F32,
// as in the files that llama.cpp's own converter makes.
func WriteBERT(w io.Writer, src Source) error {
	var conf config
	if err := decode(src.Config, &conf); err != nil {
		return fmt.Errorf("config.json: %w", err)
	}
	if err := conf.check(); err != nil {
		return fmt.Errorf("config.json: %w", err)
	}
	var tok tokenizer
	if err := decode(src.Tokenizer, &tok); err != nil {
		return fmt.Errorf("tokenizer.json: %w", err)
	}
	vocab, err := tok.metadata(conf.VocabSize)
	if err != nil {
		return fmt.Errorf("tokenizer.json: %w", err)
	}
	tensors, err := readHeader(src.Weights)
	if err != nil {
		return err
	}
	infos, err := conf.match(tensors)
	if err != nil {
		return err
	}
	// The tensors stay in the order of the file that is read, so one pass is
	// enough.
	out := newWriter(w)
	out.header(slices.Concat(conf.metadata(src), vocab), slices.DeleteFunc(slices.Clone(infos), skipped))
	for i, t := range tensors {
		if err := out.tensor(infos[i], io.LimitReader(src.Weights, t.size()), t.size()); err != nil {
			return fmt.Errorf("safetensors: %.80q: %w", t.Name, err)
		}
	}
	return errors.Join(out.err, out.buf.Flush())
}

// decode reads one bounded JSON value.
func decode(r io.Reader, v any) error {
	raw, err := io.ReadAll(io.LimitReader(r, maxJSON+1))
	if err != nil {
		return err
	}
	if len(raw) > maxJSON {
		return fmt.Errorf("longer than %d bytes", maxJSON)
	}
	return json.Unmarshal(raw, v)
}

// config is the part of config.json that shapes the network. The names are
// those of the transformers library's BertConfig.
type config struct {
	ModelType  string  `json:"model_type"`
	Activation string  `json:"hidden_act"`
	Positions  string  `json:"position_embedding_type"`
	Hidden     int64   `json:"hidden_size"`
	FFN        int64   `json:"intermediate_size"`
	Layers     int64   `json:"num_hidden_layers"`
	Heads      int64   `json:"num_attention_heads"`
	Window     int64   `json:"max_position_embeddings"`
	Types      int64   `json:"type_vocab_size"`
	VocabSize  int64   `json:"vocab_size"`
	Epsilon    float64 `json:"layer_norm_eps"`
}

// check refuses networks that the GGUF file could not describe, and sizes that
// no embedder has, so that later arithmetic cannot overflow.
func (c config) check() error {
	if c.ModelType != "bert" || c.Activation != "gelu" || c.Positions != "absolute" {
		return fmt.Errorf("only BERT with gelu and absolute positions can be converted, this is %.20q, %.20q, %.20q",
			c.ModelType, c.Activation, c.Positions)
	}
	for _, n := range []int64{c.Hidden, c.FFN, c.Layers, c.Heads, c.Window, c.Types, c.VocabSize} {
		if n < 1 || n > 1<<20 {
			return fmt.Errorf("a size of %d makes no sense", n)
		}
	}
	if c.Layers > 128 || c.Hidden%c.Heads != 0 {
		return fmt.Errorf("%d layers and %d heads over %d dimensions make no sense", c.Layers, c.Heads, c.Hidden)
	}
	return nil
}

// metadata gives the keys that llama.cpp needs to build the network.
func (c config) metadata(src Source) []pair {
	return []pair{
		{"general.architecture", "bert"},
		{"general.type", "model"},
		{"general.name", src.Name},
		{"general.license", strings.ToLower(src.License)},
		{"general.file_type", uint32(1)}, // mostly F16
		{"bert.context_length", uint32(c.Window)},
		{"bert.embedding_length", uint32(c.Hidden)},
		{"bert.feed_forward_length", uint32(c.FFN)},
		{"bert.block_count", uint32(c.Layers)},
		{"bert.attention.head_count", uint32(c.Heads)},
		{"bert.attention.layer_norm_epsilon", float32(c.Epsilon)},
		{"bert.attention.causal", false},
		{"bert.pooling_type", uint32(1)}, // mean
		{"tokenizer.ggml.token_type_count", uint32(c.Types)},
	}
}

// layout lists every tensor of the network under its published name, with its
// name and type in the GGUF file. Shapes are as published: rows, then columns.
func (c config) layout() map[string]info {
	all := make(map[string]info)
	// Single rows stay F32, and so do two small tables, which are only ever
	// added and never multiplied.
	add := func(from, to string, shape ...int64) {
		kind := uint32(tensorF32)
		if len(shape) == 2 && to != "position_embd" && to != "token_types" {
			kind = tensorF16
		}
		all[from+".weight"] = info{to + ".weight", shape, kind}
	}
	biased := func(from, to string, shape ...int64) {
		add(from, to, shape...)
		all[from+".bias"] = info{to + ".bias", shape[:1], tensorF32}
	}
	add("embeddings.word_embeddings", "token_embd", c.VocabSize, c.Hidden)
	add("embeddings.position_embeddings", "position_embd", c.Window, c.Hidden)
	add("embeddings.token_type_embeddings", "token_types", c.Types, c.Hidden)
	biased("embeddings.LayerNorm", "token_embd_norm", c.Hidden)
	for n := range c.Layers {
		from, to := fmt.Sprintf("encoder.layer.%d.", n), fmt.Sprintf("blk.%d.", n)
		biased(from+"attention.self.query", to+"attn_q", c.Hidden, c.Hidden)
		biased(from+"attention.self.key", to+"attn_k", c.Hidden, c.Hidden)
		biased(from+"attention.self.value", to+"attn_v", c.Hidden, c.Hidden)
		biased(from+"attention.output.dense", to+"attn_output", c.Hidden, c.Hidden)
		biased(from+"attention.output.LayerNorm", to+"attn_output_norm", c.Hidden)
		biased(from+"intermediate.dense", to+"ffn_up", c.FFN, c.Hidden)
		biased(from+"output.dense", to+"ffn_down", c.Hidden, c.FFN)
		biased(from+"output.LayerNorm", to+"layer_output_norm", c.Hidden)
	}
	return all
}

// match gives, for each tensor of the file, what becomes of it: the zero info
// when it is not part of an embedder and is left out.
func (c config) match(tensors []tensor) ([]info, error) {
	want := c.layout()
	infos := make([]info, len(tensors))
	for i, t := range tensors {
		if t.Name == "embeddings.position_ids" || strings.HasPrefix(t.Name, "pooler.") {
			continue
		}
		in, ok := want[t.Name]
		if !ok {
			return nil, fmt.Errorf("safetensors: %.80q is not a tensor of this network", t.Name)
		}
		elements := int64(1)
		for _, d := range in.shape {
			elements *= d
		}
		if t.DType != "F32" || !slices.Equal(t.Shape, in.shape) || t.size() != 4*elements {
			return nil, fmt.Errorf("safetensors: %.80q is %.10s %v in %d bytes, expected F32 %v",
				t.Name, t.DType, t.Shape, t.size(), in.shape)
		}
		infos[i] = in
		delete(want, t.Name)
	}
	for name := range want {
		return nil, fmt.Errorf("safetensors: %d tensors are missing, such as %q", len(want), name)
	}
	return infos, nil
}

// skipped marks a tensor that the GGUF file leaves out.
func skipped(i info) bool { return i.name == "" }

// tensor copies one tensor of n bytes from r, converted and padded.
func (w *writer) tensor(in info, r io.Reader, n int64) error {
	switch {
	case skipped(in):
		if copied, err := io.Copy(io.Discard, r); err != nil || copied != n {
			return errors.Join(err, io.ErrUnexpectedEOF)
		}
		return nil
	case in.kind == tensorF16:
		if err := w.halves(r, n); err != nil {
			return err
		}
	default:
		if copied, err := io.Copy(w, r); err != nil || copied != n {
			return errors.Join(err, io.ErrUnexpectedEOF)
		}
	}
	w.pad()
	return w.err
}

// halves writes n bytes of little-endian F32 as F16. n is a multiple of four:
// match has compared it with the shape.
func (w *writer) halves(r io.Reader, n int64) error {
	var in [1 << 15]byte
	var out [len(in) / 2]byte
	for n > 0 {
		chunk := in[:min(n, int64(len(in)))]
		if _, err := io.ReadFull(r, chunk); err != nil {
			return err
		}
		for i := 0; i < len(chunk); i += 4 {
			f := math.Float32frombits(binary.LittleEndian.Uint32(chunk[i:]))
			binary.LittleEndian.PutUint16(out[i/2:], half(f))
		}
		if _, err := w.Write(out[:len(chunk)/2]); err != nil {
			return err
		}
		n -= int64(len(chunk))
	}
	return nil
}
