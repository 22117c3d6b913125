package ollama

import (
	"bytes"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"

	"loci"
	"loci/internal/wire"
)

// decodeOption reads a field that chat and generate share, and keeps those it
// does not know.
func decodeOption(m wire.Member, o *loci.Options) (err error) {
	switch m.Name {
	case "options":
		return decodeOptions(m, o)
	case "format":
		o.Format, err = decodeFormat(m)
	case "think":
		o.Think, err = decodeThink(m)
	case "keep_alive":
		o.KeepAlive, err = decodeKeepAlive(m)
	default:
		var raw json.RawMessage
		if raw, err = m.Raw(); err == nil {
			setExtra(o, m.Name, raw)
		}
	}
	return err
}

// setExtra keeps a field that is only passed on.
func setExtra(o *loci.Options, name string, raw json.RawMessage) {
	if o.Extra == nil {
		o.Extra, o.ExtraDialect = map[string]json.RawMessage{}, loci.Ollama
	}
	o.Extra[name] = raw
}

// decodeOptions reads the generation options. Those that loci has no word for
// stay together as the extra field "options".
func decodeOptions(m wire.Member, o *loci.Options) error {
	raw, err := m.Raw()
	if err != nil {
		return err
	}
	if raw[0] != '{' {
		return loci.Errorf(loci.Invalid, "The field options must be an object.")
	}
	rest := map[string]json.RawMessage{}
	for m, err := range wire.Members(raw) {
		if err != nil {
			return err
		}
		if wire.IsNull(m.Value) {
			continue
		}
		known, err := decodeGeneration(m, o)
		if err != nil {
			return err
		}
		if !known {
			rest[m.Name] = m.Value
		}
	}
	if len(rest) == 0 {
		return nil
	}
	if raw, err = wire.AppendMembers([]byte("{}"), rest, nil); err != nil {
		return err
	}
	setExtra(o, "options", raw)
	return nil
}

// decodeGeneration reads one generation option, if loci knows it. Errors call
// it by its place in the request.
func decodeGeneration(m wire.Member, o *loci.Options) (known bool, err error) {
	name := m.Name
	m.Name = "options." + wire.Clip(name)
	var n int64
	switch name {
	case "temperature":
		err = m.Decode(&o.Temperature)
	case "top_p":
		err = m.Decode(&o.TopP)
	case "top_k":
		n, err = m.Int()
		o.TopK = new(int(n))
	case "num_predict":
		// A negative number means no limit, which is what not asking means.
		if n, err = m.Int(); n >= 0 {
			o.MaxTokens = new(int(n))
		}
	case "seed":
		n, err = m.Int()
		o.Seed = &n
	case "stop":
		o.Stop, err = m.Texts()
	default:
		return false, nil
	}
	return true, err
}

// encodeOptions is the reverse of decodeOptions; nil when nothing was set.
func encodeOptions(o loci.Options) (json.RawMessage, error) {
	dst, err := wire.Marshal(struct {
		Temperature *float64 `json:"temperature,omitempty"`
		TopP        *float64 `json:"top_p,omitempty"`
		TopK        *int     `json:"top_k,omitempty"`
		NumPredict  *int     `json:"num_predict,omitempty"`
		Seed        *int64   `json:"seed,omitempty"`
		Stop        []string `json:"stop,omitempty"`
	}{o.Temperature, o.TopP, o.TopK, o.MaxTokens, o.Seed, o.Stop})
	if err != nil {
		return nil, err
	}
	if rest := extraOptions(o); len(rest) > 0 {
		// Ollama takes the last of two equal names; ours shall count.
		own := []string{"temperature", "top_p", "top_k", "num_predict", "seed", "stop"}
		if dst, err = wire.AppendMembers(dst, rest, own); err != nil {
			return nil, err
		}
	}
	if string(dst) == "{}" {
		return nil, nil
	}
	return dst, nil
}

// extraOptions are the generation options that loci only passes on.
func extraOptions(o loci.Options) map[string]json.RawMessage {
	rest := map[string]json.RawMessage{}
	if o.ExtraDialect == loci.Ollama && o.Extra["options"] != nil {
		// What is not an object was not made by decodeOptions and says nothing.
		_ = json.Unmarshal(o.Extra["options"], &rest)
	}
	return rest
}

// WithWindow returns a copy of o for a request to Ollama that asks for a
// context window of so many tokens (num_ctx). Every request of a model should
// ask for the same: Ollama loads the model anew when it changes. Extra fields
// of another dialect, which Ollama would not be sent anyway, are dropped.
func WithWindow(o loci.Options, tokens int) loci.Options {
	rest := extraOptions(o)
	rest["num_ctx"] = json.RawMessage(strconv.Itoa(tokens))
	options, err := wire.AppendMembers([]byte("{}"), rest, nil)
	if err != nil { // its values were decoded from JSON
		return o
	}
	extra := map[string]json.RawMessage{}
	if o.ExtraDialect == loci.Ollama {
		for name, raw := range o.Extra {
			extra[name] = raw
		}
	}
	extra["options"] = options
	o.Extra, o.ExtraDialect = extra, loci.Ollama
	return o
}

// Uncut returns a copy of o for a request to Ollama that leaves nothing out in
// silence: what is too long for the window is an error then (truncate), and a reply
// that fills it ends instead of pushing out its own beginning (shift). Both are true
// where nobody says otherwise; versions before 0.12.4 know neither.
func Uncut(o loci.Options) loci.Options {
	extra := map[string]json.RawMessage{"truncate": json.RawMessage("false"), "shift": json.RawMessage("false")}
	if o.ExtraDialect == loci.Ollama {
		maps.Copy(extra, o.Extra)
	}
	o.Extra, o.ExtraDialect = extra, loci.Ollama
	return o
}

// decodeFormat reads "json" or a JSON Schema; old clients send "" for neither.
func decodeFormat(m wire.Member) (json.RawMessage, error) {
	raw, err := m.Raw()
	switch {
	case err != nil:
		return nil, err
	case string(raw) == `""`:
		return nil, nil
	case string(raw) == `"json"` || raw[0] == '{': // any schema: the server knows which it can follow
		return raw, nil
	}
	return nil, loci.Errorf(loci.Invalid, `The field format must be "json" or a JSON schema.`)
}

// decodeThink reads a switch or a level. Forms send "true" as text.
func decodeThink(m wire.Member) (json.RawMessage, error) {
	// The value is compared as text, which is also a check that it is JSON.
	switch string(m.Value) {
	case "true", "false", `"low"`, `"medium"`, `"high"`:
		return bytes.Clone(m.Value), nil
	case `""`:
		return nil, nil
	case `"true"`, `"false"`:
		return bytes.Trim(m.Value, `"`), nil
	}
	return nil, loci.Errorf(loci.Invalid, `The field think must be true, false, "low", "medium" or "high".`)
}

// decodeKeepAlive reads a number of seconds or a duration. A number that a form
// made into a string becomes one again: Ollama itself would miss the unit.
func decodeKeepAlive(m wire.Member) (json.RawMessage, error) {
	if m.Value[0] != '"' {
		var seconds float64
		if err := m.Decode(&seconds); err != nil {
			return nil, err
		}
		return bytes.Clone(m.Value), nil
	}
	var text string
	if err := m.Decode(&text); err != nil || text == "" {
		return nil, err
	}
	if number := strings.TrimSpace(text); json.Valid([]byte(number)) {
		if _, err := strconv.ParseFloat(number, 64); err == nil {
			return json.RawMessage(number), nil
		}
	}
	if _, err := time.ParseDuration(text); err != nil {
		return nil, loci.Errorf(loci.Invalid, "time: invalid duration %q", wire.Clip(text)).
			WithHint("The field keep_alive takes a number of seconds or a duration such as 5m.")
	}
	return bytes.Clone(m.Value), nil
}

// isZero reports whether a keep_alive, checked before, is no time at all.
func isZero(keepAlive json.RawMessage) bool {
	if len(keepAlive) == 0 {
		return false
	}
	if d, err := time.ParseDuration(strings.Trim(string(keepAlive), `"`)); err == nil {
		return d == 0
	}
	seconds, err := strconv.ParseFloat(string(keepAlive), 64)
	return err == nil && seconds == 0
}
