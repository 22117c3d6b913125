package gguf

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tiny is a network small enough to write down: one layer of four dimensions
// over nine words.
type tiny struct {
	config    map[string]any
	tokenizer map[string]any
	shapes    map[string][]int64
}

func newTiny() tiny {
	shapes := map[string][]int64{
		"embeddings.position_ids":                 {1, 2}, // I64: left out
		"embeddings.word_embeddings.weight":       {9, 4},
		"embeddings.position_embeddings.weight":   {8, 4},
		"embeddings.token_type_embeddings.weight": {2, 4},
		"embeddings.LayerNorm.weight":             {4},
		"embeddings.LayerNorm.bias":               {4},
		"pooler.dense.weight":                     {4, 4}, // left out
		"pooler.dense.bias":                       {4},
	}
	const layer = "encoder.layer.0."
	for name, rows := range map[string][]int64{
		"attention.self.query": {4, 4}, "attention.self.key": {4, 4}, "attention.self.value": {4, 4},
		"attention.output.dense": {4, 4}, "intermediate.dense": {6, 4}, "output.dense": {4, 6},
		"attention.output.LayerNorm": {4}, "output.LayerNorm": {4},
	} {
		shapes[layer+name+".weight"], shapes[layer+name+".bias"] = rows, rows[:1]
	}
	vocab := map[string]any{}
	for i, token := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "boat", "##s", "!", "[unused0]"} {
		vocab[token] = i
	}
	var added []any
	for i, token := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} {
		added = append(added, map[string]any{"id": i, "content": token, "special": true})
	}
	return tiny{
		config: map[string]any{
			"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute",
			"hidden_size": 4, "intermediate_size": 6, "num_hidden_layers": 1, "num_attention_heads": 2,
			"max_position_embeddings": 8, "type_vocab_size": 2, "vocab_size": 9, "layer_norm_eps": 1e-12,
		},
		tokenizer: map[string]any{
			"added_tokens": added,
			"normalizer":   map[string]any{"lowercase": true, "strip_accents": nil},
			"model":        map[string]any{"type": "WordPiece", "vocab": vocab},
		},
		shapes: shapes,
	}
}

// weights writes a safetensors file in which element i of a tensor is i/8 plus
// the length of its name, so that each tensor can be told from the others.
func (m tiny) weights(edit func(header map[string]any)) []byte {
	var data []byte
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	for _, name := range slices.Sorted(maps.Keys(m.shapes)) {
		begin, n := len(data), int64(1)
		for _, d := range m.shapes[name] {
			n *= d
		}
		dtype := "F32"
		for i := range n {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(value(name, int(i))))
		}
		if name == "embeddings.position_ids" {
			dtype = "I64"
			data = append(data, make([]byte, 4*n)...)
		}
		header[name] = map[string]any{"dtype": dtype, "shape": m.shapes[name], "data_offsets": []int{begin, len(data)}}
	}
	if edit != nil {
		edit(header)
	}
	raw, _ := json.Marshal(header)
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(raw))), raw, data)
}

func value(name string, i int) float32 { return float32(i)/8 + float32(len(name)) }

func (m tiny) source(weights []byte) Source {
	conf, _ := json.Marshal(m.config)
	tok, _ := json.Marshal(m.tokenizer)
	return Source{
		Name: "tiny", License: "Apache-2.0",
		Config: bytes.NewReader(conf), Tokenizer: bytes.NewReader(tok), Weights: bytes.NewReader(weights),
	}
}

// file is a GGUF file read back by a reader that shares nothing with the writer.
type file struct {
	meta    map[string]any
	tensors map[string]read
}

type read struct {
	shape  []uint64
	kind   uint32
	values []float32
}

func parse(t *testing.T, raw []byte) file {
	t.Helper()
	r := bytes.NewReader(raw)
	get := func(v any) {
		if err := binary.Read(r, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	u32 := func() (v uint32) { get(&v); return }
	u64 := func() (v uint64) { get(&v); return }
	str := func() string { b := make([]byte, u64()); get(b); return string(b) }
	var scalar func(kind uint32) any
	scalar = func(kind uint32) any {
		switch kind {
		case 4:
			return u32()
		case 5:
			return int32(u32())
		case 6:
			return math.Float32frombits(u32())
		case 7:
			var b bool
			get(&b)
			return b
		case 8:
			return str()
		case 9:
			element, n := u32(), u64()
			var list []any
			for range n {
				list = append(list, scalar(element))
			}
			return list
		}
		t.Fatalf("value of type %d", kind)
		return nil
	}
	if magic := string([]byte{raw[0], raw[1], raw[2], raw[3]}); magic != "GGUF" {
		t.Fatalf("magic %q", magic)
	}
	r.Seek(4, io.SeekStart)
	if v := u32(); v != 3 {
		t.Fatalf("version %d", v)
	}
	tensors, pairs := u64(), u64()
	f := file{make(map[string]any), make(map[string]read)}
	for range pairs {
		key := str()
		f.meta[key] = scalar(u32())
	}
	offsets := make(map[string]uint64)
	for range tensors {
		name := str()
		var x read
		for range u32() {
			x.shape = append(x.shape, u64())
		}
		x.kind = u32()
		offsets[name] = u64()
		f.tensors[name] = x
	}
	start := uint64(len(raw)-r.Len()+31) / 32 * 32
	for name, x := range f.tensors {
		if offsets[name]%32 != 0 {
			t.Errorf("%s lies at %d", name, offsets[name])
		}
		n := uint64(1)
		for _, d := range x.shape {
			n *= d
		}
		at := raw[start+offsets[name]:]
		for i := range n {
			if x.kind == 1 {
				x.values = append(x.values, fromHalf(binary.LittleEndian.Uint16(at[2*i:])))
			} else {
				x.values = append(x.values, math.Float32frombits(binary.LittleEndian.Uint32(at[4*i:])))
			}
		}
		f.tensors[name] = x
	}
	return f
}

// fromHalf reads a binary16 by its definition.
func fromHalf(h uint16) float32 {
	sign, exp, man := float64(1), int(h>>10&31), float64(h&1023)
	if h&0x8000 != 0 {
		sign = -1
	}
	switch exp {
	case 0:
		return float32(sign * math.Ldexp(man, -24))
	case 31:
		if man != 0 {
			return float32(math.NaN())
		}
		return float32(math.Inf(int(sign)))
	}
	return float32(sign * math.Ldexp(1024+man, exp-25))
}

func TestWriteBERT(t *testing.T) {
	m := newTiny()
	var out bytes.Buffer
	if err := WriteBERT(&out, m.source(m.weights(nil))); err != nil {
		t.Fatal(err)
	}
	got := parse(t, out.Bytes())
	wantMeta := map[string]any{
		"general.architecture": "bert", "general.type": "model", "general.name": "tiny",
		"general.license": "apache-2.0", "general.file_type": uint32(1),
		"bert.context_length": uint32(8), "bert.embedding_length": uint32(4), "bert.feed_forward_length": uint32(6),
		"bert.block_count": uint32(1), "bert.attention.head_count": uint32(2),
		"bert.attention.layer_norm_epsilon": float32(1e-12), "bert.attention.causal": false, "bert.pooling_type": uint32(1),
		"tokenizer.ggml.model": "bert", "tokenizer.ggml.pre": "default", "tokenizer.ggml.token_type_count": uint32(2),
		"tokenizer.ggml.tokens":               []any{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "▁boat", "s", "▁!", "▁[unused0]"},
		"tokenizer.ggml.token_type":           []any{int32(3), int32(3), int32(3), int32(3), int32(3), int32(1), int32(1), int32(1), int32(1)},
		"tokenizer.ggml.normalizer.lowercase": true, "tokenizer.ggml.normalizer.strip_accents": true,
		"tokenizer.ggml.padding_token_id": uint32(0), "tokenizer.ggml.unknown_token_id": uint32(1),
		"tokenizer.ggml.cls_token_id": uint32(2), "tokenizer.ggml.bos_token_id": uint32(2),
		"tokenizer.ggml.seperator_token_id": uint32(3), "tokenizer.ggml.mask_token_id": uint32(4),
	}
	if diff := cmp.Diff(wantMeta, got.meta); diff != "" {
		t.Error(diff)
	}
	const layer = "encoder.layer.0."
	names := map[string]string{ // the file's names by the published ones, without the ending
		"embeddings.word_embeddings": "token_embd", "embeddings.position_embeddings": "position_embd",
		"embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm",
		layer + "attention.self.query": "blk.0.attn_q", layer + "attention.self.key": "blk.0.attn_k",
		layer + "attention.self.value": "blk.0.attn_v", layer + "attention.output.dense": "blk.0.attn_output",
		layer + "attention.output.LayerNorm": "blk.0.attn_output_norm", layer + "intermediate.dense": "blk.0.ffn_up",
		layer + "output.dense": "blk.0.ffn_down", layer + "output.LayerNorm": "blk.0.layer_output_norm",
	}
	for from, to := range names {
		for _, end := range []string{".weight", ".bias"} {
			shape, ok := m.shapes[from+end]
			if !ok {
				continue
			}
			x := got.tensors[to+end]
			delete(got.tensors, to+end)
			var wantShape []uint64
			n := 1
			for _, d := range slices.Backward(shape) {
				wantShape = append(wantShape, uint64(d))
				n *= int(d)
			}
			wantKind := uint32(0)
			if len(shape) == 2 && to != "position_embd" && to != "token_types" {
				wantKind = 1
			}
			if x.kind != wantKind || !slices.Equal(x.shape, wantShape) || len(x.values) != n {
				t.Errorf("%s: kind %d, shape %v, %d values", to+end, x.kind, x.shape, len(x.values))
				continue
			}
			for i, v := range x.values { // all values of this test are exact in F16
				if v != value(from+end, i) {
					t.Errorf("%s[%d] = %v, expected %v", to+end, i, v, value(from+end, i))
					break
				}
			}
		}
	}
	if len(got.tensors) > 0 {
		t.Errorf("more than wanted: %v", slices.Collect(maps.Keys(got.tensors)))
	}
}

func TestWriteBERTRefuses(t *testing.T) {
	headerOf := func(edit func(map[string]any)) func(tiny) []byte {
		return func(m tiny) []byte { return m.weights(edit) }
	}
	for name, c := range map[string]struct {
		change  func(tiny)
		weights func(tiny) []byte
		want    string
	}{
		"another network":    {change: func(m tiny) { m.config["model_type"] = "llama" }, want: "only BERT"},
		"other positions":    {change: func(m tiny) { m.config["position_embedding_type"] = "relative_key" }, want: "only BERT"},
		"no size":            {change: func(m tiny) { delete(m.config, "hidden_size") }, want: "a size of 0"},
		"huge size":          {change: func(m tiny) { m.config["hidden_size"] = 1 << 40 }, want: "makes no sense"},
		"huge depth":         {change: func(m tiny) { m.config["num_hidden_layers"] = 1 << 20 }, want: "make no sense"},
		"odd heads":          {change: func(m tiny) { m.config["num_attention_heads"] = 3 }, want: "3 heads over 4"},
		"config is no JSON":  {change: func(m tiny) { m.config["hidden_size"] = "four" }, want: "config.json: json"},
		"another vocabulary": {change: func(m tiny) { m.tokenizer["model"].(map[string]any)["type"] = "BPE" }, want: "only WordPiece"},
		"fewer words":        {change: func(m tiny) { m.config["vocab_size"] = 10 }, want: "9 tokens, expected 10"},
		"number twice":       {change: func(m tiny) { m.tokenizer["model"].(map[string]any)["vocab"].(map[string]any)["boat"] = 7 }, want: "taken or out of range"},
		"number too large":   {change: func(m tiny) { m.tokenizer["model"].(map[string]any)["vocab"].(map[string]any)["boat"] = 9 }, want: "taken or out of range"},
		"negative number":    {change: func(m tiny) { m.tokenizer["model"].(map[string]any)["vocab"].(map[string]any)["boat"] = -1 }, want: "taken or out of range"},
		"no mask": {change: func(m tiny) {
			vocab := m.tokenizer["model"].(map[string]any)["vocab"].(map[string]any)
			delete(vocab, "[MASK]")
			vocab["mask"] = 4
			m.tokenizer["added_tokens"] = nil
		}, want: "no [MASK]"},
		"added nowhere":    {change: func(m tiny) { m.tokenizer["added_tokens"].([]any)[0].(map[string]any)["id"] = 5 }, want: "not in the vocabulary"},
		"missing tensor":   {change: func(m tiny) { delete(m.shapes, "encoder.layer.0.output.dense.bias") }, want: "1 tensors are missing"},
		"unknown tensor":   {change: func(m tiny) { m.shapes["lm_head.weight"] = []int64{4} }, want: "is not a tensor of this network"},
		"wrong shape":      {change: func(m tiny) { m.shapes["embeddings.LayerNorm.bias"] = []int64{5} }, want: "expected F32 [4]"},
		"turned shape":     {change: func(m tiny) { m.shapes["encoder.layer.0.output.dense.weight"] = []int64{6, 4} }, want: "expected F32 [4 6]"},
		"a gap":            {weights: headerOf(func(h map[string]any) { h["embeddings.LayerNorm.bias"].(map[string]any)["data_offsets"] = []int{4, 20} }), want: "expected 0"},
		"going back":       {weights: headerOf(func(h map[string]any) { h["embeddings.LayerNorm.bias"].(map[string]any)["data_offsets"] = []int{0, -4} }), want: "lies at"},
		"another type":     {weights: headerOf(func(h map[string]any) { h["embeddings.LayerNorm.bias"].(map[string]any)["dtype"] = "BF16" }), want: "BF16"},
		"header too long":  {weights: func(tiny) []byte { return binary.LittleEndian.AppendUint64(nil, 1<<62) }, want: "too long"},
		"header cut short": {weights: func(m tiny) []byte { return m.weights(nil)[:100] }, want: "cut short"},
		"no header":        {weights: func(tiny) []byte { return []byte{1, 2} }, want: "no header"},
		"data cut short":   {weights: func(m tiny) []byte { w := m.weights(nil); return w[:len(w)-1] }, want: "pooler"},
		"cut in a matrix":  {weights: func(m tiny) []byte { w := m.weights(nil); return w[:len(w)-100] }, want: "unexpected EOF"},
	} {
		m := newTiny()
		if c.change != nil {
			c.change(m)
		}
		if c.weights == nil {
			c.weights = headerOf(nil)
		}
		err := WriteBERT(io.Discard, m.source(c.weights(m)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
}

// full is a writer that accepts n bytes.
type full struct{ n int }

var errFull = errors.New("no space")

// Write implements io.Writer.
func (f *full) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteBERTPassesOnTheWritersError(t *testing.T) {
	m := newTiny()
	if err := WriteBERT(&full{100}, m.source(m.weights(nil))); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

func TestHalf(t *testing.T) {
	// Every binary16 comes back as itself, and what lies between two of them
	// goes to the nearer one, to the even one from the middle.
	for h := range uint32(0x7c00) {
		low, high := fromHalf(uint16(h)), fromHalf(uint16(h+1))
		if math.IsInf(float64(high), 0) {
			high = 65536 // what the next one would be, were there more exponents
		}
		middle := (low + high) / 2 // exact in F32
		even := uint16(h + h&1)
		for _, c := range []struct {
			f    float32
			want uint16
		}{
			{low, uint16(h)},
			{middle, even},
			{math.Nextafter32(middle, low), uint16(h)},
			{math.Nextafter32(middle, high), uint16(h + 1)},
		} {
			if got := half(c.f); got != c.want {
				t.Fatalf("%v gives %#04x, expected %#04x", c.f, got, c.want)
			}
			if got := half(-c.f); got != c.want|0x8000 && c.f != 0 {
				t.Fatalf("%v gives %#04x, expected %#04x", -c.f, got, c.want|0x8000)
			}
		}
	}
	for f, want := range map[float32]uint16{
		float32(math.Inf(1)): 0x7c00, float32(math.Inf(-1)): 0xfc00, math.MaxFloat32: 0x7c00,
		math.SmallestNonzeroFloat32: 0, -1e-20: 0x8000, 65519: 0x7bff, 65520: 0x7c00, 1: 0x3c00,
	} {
		if got := half(f); got != want {
			t.Errorf("%v gives %#04x, expected %#04x", f, got, want)
		}
	}
	if got := half(float32(math.NaN())); got&0x7c00 != 0x7c00 || got&0x3ff == 0 {
		t.Errorf("NaN gives %#04x", got)
	}
}

// FuzzWriteBERT: whatever the three files hold, there is a file or an error.
func FuzzWriteBERT(f *testing.F) {
	m := newTiny()
	conf, _ := json.Marshal(m.config)
	tok, _ := json.Marshal(m.tokenizer)
	f.Add(conf, tok, m.weights(nil))
	f.Add([]byte("{}"), []byte("null"), []byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add(conf, tok, fmt.Appendf(nil, "%s%s", "\x50\x00\x00\x00\x00\x00\x00\x00", `{"x":{"dtype":"F32","shape":[9223372036854775807,4],"data_offsets":[0,-1]}}      `))
	f.Fuzz(func(t *testing.T, conf, tok, weights []byte) {
		var out bytes.Buffer
		err := WriteBERT(&out, Source{
			Config: bytes.NewReader(conf), Tokenizer: bytes.NewReader(tok), Weights: bytes.NewReader(weights),
		})
		if err == nil {
			parse(t, out.Bytes())
		}
	})
}
