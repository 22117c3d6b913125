package api

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"

	"loci"
	"loci/internal/wire"
)

// target is a model request that was only looked at so far: its body, and where
// it goes.
type target struct {
	body   []byte
	model  string          // as the client wrote it; empty: the default model
	field  wire.Field      // where in the body it stands
	stream json.RawMessage // whether the reply shall be streamed; nil: not said
	asks   bool            // there is something to answer
	route  Route
}

// target reads a request and finds its backend.
func (s *server) target(w http.ResponseWriter, r *http.Request) (*target, error) {
	t, err := s.scan(w, r, "model")
	if err != nil {
		return nil, err
	}
	t.route, err = s.Backends.Route(r.Context(), t.model)
	return t, err
}

// alone tells that a conversation goes to the agent although its model's server does
// not answer: plain requests take no model, and of others the agent tells the same. What
// is meant for the model alone does not.
func (t *target) alone(err error) bool {
	return t != nil && loci.AsError(err).Code == loci.Unreachable && !t.route.Model.Passthrough
}

// counts are lengths of the context, and of what is dropped of it. A server
// written in C that gets a negative one may reach outside its memory
// (CVE-2026-21869).
var counts = []string{"n_ctx", "num_ctx", "n_discard"}

// scan reads a request and looks for the model's name, under the first of the
// names that is there, and for the few other members that matter to a relayed
// request. The rest is not parsed.
func (s *server) scan(w http.ResponseWriter, r *http.Request, names ...string) (*target, error) {
	body, err := s.body(w, r)
	if err != nil {
		return nil, err
	}
	names = slices.Concat(names, []string{"stream", "messages", "prompt", "options"}, counts)
	fields, err := wire.Fields(body, names...)
	if err != nil {
		return nil, err
	}
	t := &target{body: body}
	for i, f := range fields {
		if wire.IsNull(f.Value) && names[i] != "model" {
			continue
		}
		if err := t.look(names[i], f); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// look takes in one member of the request.
func (t *target) look(name string, f wire.Field) error {
	switch name {
	case "model", "name":
		if f.Value == nil || t.model != "" {
			return nil
		}
		t.field = f
		return wire.Decode(name, f.Value, &t.model)
	case "stream":
		t.stream = f.Value
	case "messages", "prompt":
		t.asks = t.asks || string(f.Value) != "[]" && string(f.Value) != `""`
	case "options":
		return checkOptions(f.Value)
	default:
		return checkCount(name, f.Value)
	}
	return nil
}

// checkOptions does for Ollama's options what checkCount does for one member.
// What is no object is left to whoever reads it.
func checkOptions(options json.RawMessage) error {
	if options[0] != '{' {
		return nil
	}
	fields, err := wire.Fields(options, counts...)
	if err != nil {
		return err
	}
	for i, f := range fields {
		if err := checkCount("options."+counts[i], f.Value); err != nil {
			return err
		}
	}
	return nil
}

// checkCount refuses a number that is negative, or becomes so in 32 bits.
func checkCount(name string, value json.RawMessage) error {
	n, _ := strconv.ParseFloat(string(value), 64) // 0 for what is no number
	if n < 0 || n > math.MaxInt32 {
		return loci.Errorf(loci.Invalid, "%q must be from 0 to %d.", name, math.MaxInt32)
	}
	return nil
}

// shown is the model's name in a reply.
func (t *target) shown() string {
	if t.model == "" {
		return t.route.Model.ID
	}
	return t.model
}

// info is what is known about the model, under the name that the client wrote.
func (t *target) info() loci.ModelInfo {
	m := t.route.Model
	m.ID = t.shown()
	return m
}

// streams tells whether the reply of a path will be a stream, as far as the
// request says. Where it only loads a model, Ollama answers with one object.
func (t *target) streams(path string) bool {
	switch path {
	case "/v1/chat/completions", "/v1/completions":
		return string(t.stream) == "true"
	case "/api/chat", "/api/generate":
		return string(t.stream) != "false" && t.asks
	}
	return false
}

// renamed is the body with the model's name on the backend. The rest of its
// bytes stay as they came.
func (t *target) renamed() ([]byte, error) {
	if t.model == t.route.Model.ID {
		return t.body, nil
	}
	name, err := json.Marshal(t.route.Model.ID)
	if err != nil {
		return nil, err
	}
	// A client that names no model means ours, which the backend cannot know.
	if t.field.Value == nil {
		at := bytes.IndexByte(t.body, '{') + 1
		return slices.Insert(t.body, at, slices.Concat([]byte(`"model":`), name, []byte(","))...), nil
	}
	return slices.Replace(t.body, t.field.Start, t.field.End, name...), nil
}
