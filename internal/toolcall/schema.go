package toolcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"loci"
	"loci/internal/jsontree"
	"loci/internal/text"
)

// Schema reads the arguments of one tool. Compiling one takes some 50
// microseconds and reading with it a few, so it pays to keep. It is safe for
// concurrent use.
type Schema struct {
	tool     string
	root     *jsonschema.Schema
	resolved *jsonschema.Resolved
	order    []string       // the parameters, required ones first
	example  jsontree.Value // arguments of a right call
}

// Compile prepares the schema of a tool. A tool without one takes any object.
func Compile(spec loci.ToolSpec) (*Schema, error) {
	raw := bytes.TrimSpace(spec.Parameters)
	if len(raw) == 0 || string(raw) == "null" {
		raw = []byte(`{"type":"object"}`)
	}
	root := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, root); err != nil {
		return nil, fmt.Errorf("the schema of tool %s cannot be read: %w", spec.Name, err)
	}
	// A reference to another document stays an error: nothing is fetched.
	root.Schema = "" // the validator refuses drafts it does not know, and there is little between them
	resolved, err := root.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the schema of tool %s is not valid: %w", spec.Name, err)
	}
	s := &Schema{tool: spec.Name, root: root, resolved: resolved, order: parameterOrder(string(raw), root)}
	s.example = s.exampleFrom(spec.Description)
	return s, nil
}

// parameterOrder lists the parameters as they are written in the schema, the
// required ones first. Positional arguments follow this order, and so does
// [Describe]; a Go map would shuffle it.
func parameterOrder(raw string, root *jsonschema.Schema) []string {
	v, f := parseText(raw)
	if f != nil {
		return nil
	}
	properties, ok := v.Get("properties")
	if !ok {
		return nil
	}
	// A model that leaves names off gives what is required, in the order it read.
	var required, optional []string
	for _, p := range properties.Fields {
		if slices.Contains(root.Required, p.Name) {
			required = append(required, p.Name)
		} else {
			optional = append(optional, p.Name)
		}
	}
	return append(required, optional...)
}

// Arguments turns raw, which is a JSON object, something like one, or either as
// the text of a JSON string, into one compact JSON object that fits the schema.
// Nothing at all means no arguments. The error is a [*Fault].
//
// Mended are quotes, commas, fences, Python's spellings and the like, names that
// differ from one parameter in case, hyphens or underscores only, and values of
// another type that can mean one thing: "5" for a number, 5 for a text, one
// value for a list. Refused are names given twice, what follows the object,
// numbers out of range, null for what is required, and whatever breaks off.
func (s *Schema) Arguments(raw json.RawMessage) (json.RawMessage, error) {
	v, f := unquotedObject(string(raw))
	if f == nil {
		raw, f = s.fit(v)
	}
	if f != nil {
		return nil, s.blame(f, v)
	}
	return raw, nil
}

// unquotedObject reads one object from under up to four layers of quoting: servers
// and templates each like to add one.
func unquotedObject(raw string) (jsontree.Value, *Fault) {
	for range 4 {
		if strings.TrimSpace(raw) == "" {
			return jsontree.Value{Kind: jsontree.Object}, nil
		}
		v, how, f := repaired(raw)
		switch {
		case f != nil:
			return v, f
		case how.Bare && v.Kind == jsontree.Text:
			return v, &Fault{Problem: fmt.Sprintf("The arguments are words, %q, and not a JSON object", text.Clip(v.Text, 40))}
		case v.Kind == jsontree.Null:
			return jsontree.Value{Kind: jsontree.Object}, nil
		case v.Kind != jsontree.Text:
			return v, nil
		}
		raw = v.Text
	}
	return jsontree.Value{}, &Fault{Problem: "The arguments are a JSON text inside a JSON text, too many times over"}
}

// fit checks v against the schema, after the repairs that keep its meaning. The
// validator has the last word, so what comes out always fits, whatever the
// checks before it know of JSON Schema; these are there for the repairs and for
// better words.
func (s *Schema) fit(v jsontree.Value) (json.RawMessage, *Fault) {
	if v.Kind != jsontree.Object {
		return nil, &Fault{Problem: fmt.Sprintf("The arguments are %s, not an object", v.Kind)}
	}
	if f := fitObject(&v, s.root, ""); f != nil {
		return nil, f
	}
	if err := s.resolved.Validate(v.Plain()); err != nil {
		return nil, s.misfit(err)
	}
	return v.AppendJSON(nil), nil
}

// misfit translates an error of the validator, which is a path of schemas
// ("validating /properties/n: minimum: …") and a last part that says what is
// wrong.
func (s *Schema) misfit(err error) *Fault {
	f := &Fault{}
	problem := err.Error()
	for strings.HasPrefix(problem, "validating ") {
		path, rest, ok := strings.Cut(problem, ": ")
		if !ok {
			break
		}
		problem = rest
		if _, name, ok := strings.Cut(path, "/properties/"); ok {
			f.Field, _, _ = strings.Cut(name, "/")
		}
	}
	problem = text.Clip(strings.Join(strings.Fields(problem), " "), 200)
	if f.Field == "" {
		f.Problem = "The arguments do not fit: " + problem
		return f
	}
	f.Problem = "does not fit: " + problem
	if p := s.root.Properties[f.Field]; p != nil {
		f.Want = wantedForm(p)
	}
	return f
}

// blame adds what a fault's reader needs to know about the tool: its name and a
// right call, the nearest to what was given. Models copy an example more surely than
// they follow a rule.
func (s *Schema) blame(f *Fault, given jsontree.Value) *Fault {
	f.Tool = s.tool
	f.right, f.example = s, s.nearest(given)
	return f
}

// exampleFrom takes the arguments after "Example:" in a description, which is
// how ours end. Other tools get an object that shows every required argument,
// or the first one if none is required.
func (s *Schema) exampleFrom(description string) jsontree.Value {
	if i := strings.LastIndex(description, "Example:"); i >= 0 {
		v, f := parseText(description[i+len("Example:"):])
		if f == nil && v.Kind == jsontree.Object && fitObject(&v, s.root, "") == nil {
			return v
		}
	}
	v := jsontree.Value{Kind: jsontree.Object}
	for i, name := range s.order {
		if i > 0 && !slices.Contains(s.root.Required, name) {
			break
		}
		v.Add(name, sampleValue(s.root.Properties[name]))
	}
	return v
}

// sampleValue is a value that a schema would take: one that the schema itself names,
// or the plainest of its type. It is shown, never used.
func sampleValue(s *jsonschema.Schema) jsontree.Value {
	var given any
	switch {
	case s == nil:
	case len(s.Examples) > 0:
		given = s.Examples[0]
	case s.Default != nil:
		given = s.Default
	case len(s.Enum) > 0:
		given = s.Enum[0]
	}
	if given != nil {
		if raw, err := json.Marshal(given); err == nil {
			if v, f := parseText(string(raw)); f == nil {
				return v
			}
		}
	}
	kinds := acceptedTypes(s)
	switch {
	case kinds.has("integer"), kinds.has("number"):
		return jsontree.Value{Kind: jsontree.Number, Text: "1"}
	case kinds.has("boolean"):
		return jsontree.Value{Kind: jsontree.Bool, Text: "true"}
	case kinds.has("array"):
		return jsontree.Value{Kind: jsontree.List, Items: []jsontree.Value{sampleValue(s.Items)}}
	case kinds.has("object"):
		return jsontree.Value{Kind: jsontree.Object}
	}
	return jsontree.Of("…")
}
