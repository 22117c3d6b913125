package ollama

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"loci"
	"loci/internal/wire"
)

// Details describes a model file.
type Details struct {
	ParentModel       string   `json:"parent_model"`
	Format            string   `json:"format"` // such as gguf
	Family            string   `json:"family"` // such as llama
	Families          []string `json:"families"`
	ParameterSize     string   `json:"parameter_size"`     // such as 134.52M
	QuantizationLevel string   `json:"quantization_level"` // such as Q4_1
}

// entry is a model in the lists of /api/tags and /api/ps.
type entry struct {
	Name     string     `json:"name"`
	Model    string     `json:"model"`
	Modified *loci.Time `json:"modified_at,omitempty"` // tags only
	Size     int64      `json:"size"`                  // bytes
	Digest   string     `json:"digest"`
	Details  Details    `json:"details"`
	Expires  *time.Time `json:"expires_at,omitempty"` // ps only, as the two below
	VRAM     *int64     `json:"size_vram,omitempty"`
	Window   int        `json:"context_length,omitempty"` // tokens
}

// modelList is the body of /api/tags and of /api/ps. The official Python client
// fails where "models" is missing, so it is there even when empty.
type modelList struct {
	Models []entry `json:"models"`
}

// Running is a loaded model, one entry of /api/ps.
type Running struct {
	Model   loci.ModelInfo
	Expires time.Time // when it will be unloaded
	VRAM    int64     // bytes on the GPU
	Window  int       // served context length in tokens; 0: unknown
}

// newEntry is what both lists say about a model.
func newEntry(m loci.ModelInfo) entry {
	return entry{Name: m.ID, Model: m.ID, Size: m.Size, Digest: m.Digest, Details: newDetails(m)}
}

// newDetails never leaves families null: some clients loop over it unasked.
func newDetails(m loci.ModelInfo) Details {
	d := Details{
		Format:            m.Format,
		Family:            m.Family,
		Families:          []string{},
		ParameterSize:     m.Parameters,
		QuantizationLevel: m.Quantization,
	}
	if m.Family != "" {
		d.Families = append(d.Families, m.Family)
	}
	return d
}

// info is the reverse of newEntry.
func (e entry) info() loci.ModelInfo {
	m := loci.ModelInfo{
		ID:           cmp.Or(e.Model, e.Name),
		Size:         e.Size,
		Digest:       e.Digest,
		Format:       e.Details.Format,
		Family:       e.Details.Family,
		Parameters:   e.Details.ParameterSize,
		Quantization: e.Details.QuantizationLevel,
	}
	if e.Modified != nil {
		m.Modified = *e.Modified
	}
	return m
}

// TrimLatest is a model's name without the tag that Ollama takes for granted:
// two names are of one model if they are the same without it.
func TrimLatest(name string) string { return strings.TrimSuffix(name, ":latest") }

// EncodeTags makes the body of /api/tags.
func EncodeTags(models []loci.ModelInfo) []byte {
	list := modelList{Models: make([]entry, len(models))}
	for i, m := range models {
		list.Models[i] = newEntry(m)
		list.Models[i].Modified = &m.Modified
	}
	return marshal(list)
}

// DecodeTags reads the model list of a server.
func DecodeTags(body []byte) ([]loci.ModelInfo, error) {
	list, err := decodeList(body)
	if err != nil {
		return nil, err
	}
	var models []loci.ModelInfo
	for _, e := range list {
		models = append(models, e.info())
	}
	return models, nil
}

// EncodePs makes the body of /api/ps.
func EncodePs(running []Running) []byte {
	list := modelList{Models: make([]entry, len(running))}
	for i, r := range running {
		e := newEntry(r.Model)
		e.Expires, e.VRAM, e.Window = new(r.Expires.UTC()), &r.VRAM, r.Window
		list.Models[i] = e
	}
	return marshal(list)
}

// DecodePs reads which models a server has loaded.
func DecodePs(body []byte) ([]Running, error) {
	list, err := decodeList(body)
	if err != nil {
		return nil, err
	}
	var running []Running
	for _, e := range list {
		r := Running{Model: e.info(), Window: e.Window}
		if e.Expires != nil {
			r.Expires = *e.Expires
		}
		if e.VRAM != nil {
			r.VRAM = *e.VRAM
		}
		running = append(running, r)
	}
	return running, nil
}

// decodeList reads a list of models; entries without a name are left out.
func decodeList(body []byte) ([]entry, error) {
	var list modelList
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, unreadable("list of models", err)
	}
	var named []entry
	for _, e := range list.Models {
		if e.Name != "" || e.Model != "" {
			named = append(named, e)
		}
	}
	return named, nil
}

// Show is the reply of /api/show.
type Show struct {
	Modelfile    string                     `json:"modelfile"`
	Parameters   string                     `json:"parameters"` // lines of "name value"
	Template     string                     `json:"template"`
	System       string                     `json:"system,omitempty"`
	Details      Details                    `json:"details"`
	ModelInfo    map[string]json.RawMessage `json:"model_info"`   // GGUF metadata
	Capabilities []string                   `json:"capabilities"` // completion, tools, vision, thinking, insert, embedding
	Modified     loci.Time                  `json:"modified_at"`
}

// NewShow describes a model to clients. Window is its context length in tokens
// and params its number of weights; 0 is unknown and left out, as clients
// stumble over null.
func NewShow(info loci.ModelInfo, window int, params int64, capabilities ...string) Show {
	arch := cmp.Or(info.Family, "unknown")
	values := map[string]json.RawMessage{
		architectureKey:    wire.AppendString(nil, arch),
		"general.basename": wire.AppendString(nil, info.ID),
	}
	if params > 0 {
		values[paramsKey] = strconv.AppendInt(nil, params, 10)
	}
	if window > 0 {
		values[arch+windowKey] = strconv.AppendInt(nil, int64(window), 10)
	}
	if capabilities == nil {
		capabilities = []string{}
	}
	return Show{
		Modelfile:    "# " + info.ID,
		Details:      newDetails(info),
		ModelInfo:    values,
		Capabilities: capabilities,
		Modified:     info.Modified,
	}
}

// The keys of GGUF metadata that clients look for in model_info.
const (
	architectureKey = "general.architecture"
	paramsKey       = "general.parameter_count"
	windowKey       = ".context_length" // after the architecture
)

// architecture is the model's architecture, such as llama; empty if unknown.
func (s Show) architecture() string {
	var arch string
	if json.Unmarshal(s.ModelInfo[architectureKey], &arch) != nil {
		return ""
	}
	return arch
}

// Window is the context length in tokens that the model was trained for, which
// the server may have cut; 0 if unknown.
func (s Show) Window() int { return int(s.number(s.architecture() + windowKey)) }

// Params is the number of weights; 0 if unknown.
func (s Show) Params() int64 { return s.number(paramsKey) }

// number is a metadata value as a whole number; 0 if it is none, or negative.
func (s Show) number(key string) int64 {
	var n wire.Int
	if json.Unmarshal(s.ModelInfo[key], &n) != nil || n < 0 {
		return 0
	}
	return int64(n)
}

// EncodeShow makes the body of /api/show.
func EncodeShow(s Show) []byte { return marshal(s) }

// DecodeShow reads what a server tells about a model.
func DecodeShow(body []byte) (Show, error) {
	var s Show
	if err := json.Unmarshal(body, &s); err != nil {
		return s, unreadable("description of a model", err)
	}
	return s, nil
}

// EncodeVersion makes the body of /api/version. Clients parse it as numbers
// with dots between them.
func EncodeVersion(version string) []byte {
	return append(wire.AppendString([]byte(`{"version":`), version), '}')
}

// EncodeError makes the body of an error reply.
func EncodeError(e *loci.Error) []byte {
	return append(wire.AppendString([]byte(`{"error":`), e.Error()), '}')
}

// unreadable is the error of an answer that is no Ollama answer, as happens when
// something else listens on the port.
func unreadable(what string, err error) error {
	return &loci.Error{Code: loci.Unreachable, Message: "The model server's " + what + " cannot be read.", Err: err}
}

// marshal is for values that always marshal: strings, numbers, and JSON that
// was decoded before.
func marshal(v any) []byte {
	b, err := wire.Marshal(v)
	if err != nil {
		return EncodeError(loci.AsError(err))
	}
	return b
}
