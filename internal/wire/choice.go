package wire

import (
	"encoding/json"
	"slices"

	"loci"
)

// choice is a tool choice that is an object, in all the forms that clients of
// one protocol or another send.
type choice struct {
	Type     string `json:"type"`
	Name     string `json:"name"` // of a legacy function_call
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
	Allowed struct {
		Mode  string `json:"mode"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	} `json:"allowed_tools"`
}

// DecodeToolChoice reads a "tool_choice", or the "function_call" that it was
// before. Where the client allows only some of its tools, these are their names;
// nil means all.
func DecodeToolChoice(m Member) (c loci.ToolChoice, allowed []string, err error) {
	if m.Value[0] == '"' {
		var word string
		if err = m.Decode(&word); err == nil {
			c, err = chosen(m.Name, word)
		}
		return c, nil, err
	}
	var o choice
	if err := m.Decode(&o); err != nil {
		return c, nil, err
	}
	switch o.Type {
	case "function", "tool", "": // the second is another protocol's word
		name := o.Function.Name
		if name == "" {
			name = o.Name
		}
		if name == "" {
			return c, nil, loci.Errorf(loci.Invalid, "The field %s.function.name is missing.", m.Name)
		}
		return loci.ToolChoice{Mode: loci.ChoiceRequired, Name: name}, nil, nil
	case "allowed_tools":
		allowed = []string{}
		for _, t := range o.Allowed.Tools {
			allowed = append(allowed, t.Function.Name)
		}
		c, err = chosen(m.Name+".allowed_tools.mode", o.Allowed.Mode)
		return c, allowed, err
	case "auto", "none", "any", "required":
		c, err = chosen(m.Name, o.Type)
		return c, nil, err
	}
	return c, nil, nil // of a type of tools that nobody has here
}

// chosen reads a choice that is a word.
func chosen(field, word string) (loci.ToolChoice, error) {
	switch word {
	case "":
		return loci.ToolChoice{}, nil
	case "auto", "none", "required":
		return loci.ToolChoice{Mode: loci.ChoiceMode(word)}, nil
	case "any": // what some servers call required
		return loci.ToolChoice{Mode: loci.ChoiceRequired}, nil
	}
	return loci.ToolChoice{}, loci.Errorf(loci.Invalid, "The field %s is %q.", field, Clip(word)).
		WithHint("It must be none, auto, required or name a function.")
}

// Allowed leaves out the tools that a client does not allow; names are those of
// [DecodeToolChoice].
func Allowed(tools []loci.ToolSpec, names []string) []loci.ToolSpec {
	if names == nil {
		return tools
	}
	return slices.DeleteFunc(tools, func(t loci.ToolSpec) bool { return !slices.Contains(names, t.Name) })
}

// EncodeToolChoice makes the "tool_choice" of a request; nil where nobody chose.
func EncodeToolChoice(c loci.ToolChoice) json.RawMessage {
	switch {
	case c.Mode == "":
		return nil
	case c.Mode != loci.ChoiceRequired || c.Name == "":
		return AppendString(nil, string(c.Mode))
	}
	return append(AppendString([]byte(`{"type":"function","function":{"name":`), c.Name), '}', '}')
}
