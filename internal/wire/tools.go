package wire

import (
	"encoding/json"
	"fmt"

	"loci"
)

// Tool is the wire form of a tool that is offered to a model. Both protocols
// have the same.
type Tool struct {
	Type     string       `json:"type"` // "function"
	Function ToolFunction `json:"function"`
}

// ToolFunction is the inside of a [Tool].
type ToolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // JSON Schema of the arguments object
}

// DecodeTools reads the "tools" of a request. Hosted tools, which some clients
// offer by another type than function, would be run by nobody here, so they are
// an error rather than silently missing.
func DecodeTools(m Member) ([]loci.ToolSpec, error) {
	var list []Tool
	if err := m.Decode(&list); err != nil {
		return nil, err
	}
	specs := make([]loci.ToolSpec, len(list))
	for i, t := range list {
		field := fmt.Sprintf("%s[%d]", m.Name, i)
		if t.Type != "function" && t.Type != "" {
			return nil, loci.Errorf(loci.Invalid, "The field %s.type is %q.", field, Clip(t.Type)).
				WithHint("Only tools of the type function are understood.")
		}
		if t.Function.Name == "" {
			return nil, loci.Errorf(loci.Invalid, "The field %s.function.name is missing.", field)
		}
		specs[i] = loci.ToolSpec{
			Name:        t.Function.Name,
			Description: t.Function.Description,
			Parameters:  Schema(t.Function.Parameters),
		}
	}
	return specs, nil
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
