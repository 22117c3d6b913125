package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"loci"
)

// Tool is the wire form of a tool that is offered to a model. Both protocols
// have the same.
type Tool struct {
	Type     string       `json:"type"` // "function"
	Function ToolFunction `json:"function"`
}

// mostName is how many bytes the name of a tool may have: more than any protocol allows
// (MCP: 128 characters), since longer names are shortened for a model.
const mostName = 256

// ToolFunction is the inside of a [Tool].
type ToolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // JSON Schema of the arguments object
}

// DecodeTools reads the "tools" of a request. Tools of another type than
// function, such as web_search, are run by the provider of a model; here nobody
// would, so they are passed over as if they were not offered.
func DecodeTools(m Member) ([]loci.ToolSpec, error) {
	var list []struct {
		Type     string          `json:"type"`
		Function json.RawMessage `json:"function"`
	}
	if err := m.Decode(&list); err != nil {
		return nil, err
	}
	var specs []loci.ToolSpec
	for i, t := range list {
		if t.Type != "function" && t.Type != "" {
			continue
		}
		field := fmt.Sprintf("%s[%d].function", m.Name, i)
		var f ToolFunction
		if !IsNull(t.Function) {
			if err := Decode(field, t.Function, &f); err != nil {
				return nil, err
			}
		}
		spec, err := f.spec(field)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

// DecodeFunctions reads the "functions" of a request: the tools of the time when
// there was one type of them.
func DecodeFunctions(m Member) ([]loci.ToolSpec, error) {
	var list []ToolFunction
	if err := m.Decode(&list); err != nil {
		return nil, err
	}
	var specs []loci.ToolSpec
	for i, f := range list {
		spec, err := f.spec(fmt.Sprintf("%s[%d]", m.Name, i))
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

// spec makes a tool of the wire form; field is its name in errors.
func (f ToolFunction) spec(field string) (loci.ToolSpec, error) {
	switch {
	case f.Name == "":
		return loci.ToolSpec{}, loci.Errorf(loci.Invalid, "The field %s.name is missing.", field)
	case !strings.ContainsFunc(f.Name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }):
		return loci.ToolSpec{}, loci.Errorf(loci.Invalid, "The field %s.name has no letter or digit, so nobody can call the tool.", field)
	case len(f.Name) > mostName:
		return loci.ToolSpec{}, loci.Errorf(loci.Invalid, "The field %s.name has %d bytes, and the most is %d.", field, len(f.Name), mostName).
			WithHint("Names of up to 64 letters, digits, _ and - work everywhere.")
	}
	return loci.ToolSpec{Name: f.Name, Description: f.Description, Parameters: Schema(f.Parameters)}, nil
}

// EncodeTools makes the "tools" of a request, in the order given: the order is
// part of the prompt.
func EncodeTools(specs []loci.ToolSpec) []Tool {
	var list []Tool
	for _, t := range specs {
		list = append(list, Tool{Type: "function", Function: ToolFunction{
			Name: t.Name, Description: t.Description, Parameters: Schema(t.Parameters),
		}})
	}
	return list
}

// Schema is the parameters of a tool as servers want them: an object schema
// that has properties, if only an empty set. Chat templates loop over them and
// some fail where there are none.
func Schema(parameters json.RawMessage) json.RawMessage {
	const none = `{"type":"object","properties":{}}`
	if IsNull(parameters) {
		return json.RawMessage(none)
	}
	f, err := Fields(parameters, "type", "properties")
	if err != nil || f[1].Value != nil || string(f[0].Value) != `"object"` {
		return parameters
	}
	at := f[0].End
	return append(append(append([]byte(nil), parameters[:at]...), `,"properties":{}`...), parameters[at:]...)
}
