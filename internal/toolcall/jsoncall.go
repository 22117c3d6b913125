package toolcall

import (
	"slices"
	"strings"

	"loci/internal/jsontree"
)

// The names that models give to the parts of a call. The first of each is that
// of OpenAI's and Hermes' format; the others were seen in replies of models
// that were trained on LangChain, Command R or ReAct data. Other names beside
// them say that the JSON is something else.
var (
	nameKeys     = []string{"name", "tool", "function", "tool_name", "function_name", "action", "tool_call", "function_call"}
	argumentKeys = []string{"arguments", "parameters", "args", "input", "params", "action_input", "tool_input", "tool_args", "tool_arguments", "tool_parameters",
		"function_args", "function_arguments", "kwargs"}
	otherKeys = []string{"type", "id", "index", "call_id", "tool_call_id", "role", "content", "thought", "thoughts", "reasoning", "explanation", "reason", "rationale"}
	listKeys  = []string{"tool_calls", "function_calls", "calls"}
)

// readJSON reads calls that are JSON objects with a name and arguments: one,
// a list, or several in a row. Good JSON that is something else gives no calls.
func readJSON(body string) ([]wish, *Fault) {
	p := newParser(narrow(body))
	var wishes []wish
	for {
		v, f := p.value()
		if f != nil && f.Cut {
			v, f = p.unwrapped(f)
		}
		if f != nil {
			return nil, f
		}
		items := []jsontree.Value{v}
		if v.Kind == jsontree.List {
			items = v.Items
		}
		for i := range items {
			inner := wishesOf(&items[i])
			if inner == nil {
				return nil, nil
			}
			wishes = append(wishes, inner...)
		}
		p.between()
		if strings.Trim(p.s[p.i:], "}]"+space) == "" { // a bracket too many at the end closes nothing
			return wishes, nil
		}
	}
}

// unwrapped reads a value whose last brackets are missing, if these are around calls
// that are whole: then nothing that runs was cut. Fault is why it could not be read.
func (p *parser) unwrapped(fault *Fault) (jsontree.Value, *Fault) {
	rest := strings.TrimRight(p.s[p.i:], space)
	for _, missing := range []string{"}", "]", "}]"} {
		q := newParser(rest + missing)
		v, f := q.value()
		if f != nil || q.i < len(q.s) || !strings.HasSuffix(rest, "}") {
			continue
		}
		call := &v
		if v.Kind == jsontree.List && len(v.Items) > 0 {
			call = &v.Items[len(v.Items)-1]
		}
		if w, ok := wishOf(call); ok && (missing == "]" || endsInArguments(call)) && w.arguments.Kind == jsontree.Object {
			p.i = len(p.s)
			return v, nil
		}
	}
	return jsontree.Value{}, fault
}

// endsInArguments tells whether the arguments are the last that a call has.
func endsInArguments(v *jsontree.Value) bool {
	return len(v.Fields) > 0 && slices.Contains(argumentKeys, v.Fields[len(v.Fields)-1].Name)
}

// between skips what stands between calls. Models forget to close a tag before they
// open the next, or to open it.
func (p *parser) between() {
	for p.space(); p.take(",") || p.take(";") || p.take("<tool_call>") || p.take("</tool_call>") || p.take("<tool>") || p.take("</tool>"); p.space() {
	}
}

// readObjects is readJSON where the markup says that there are calls: JSON that
// is something else is a fault.
func readObjects(body string) ([]wish, *Fault) {
	wishes, f := readJSON(body)
	if f == nil && len(wishes) == 0 {
		f = &Fault{Problem: `The JSON is not a call: it needs a "name" and "arguments"`}
	}
	return wishes, f
}

// wishesOf takes an object apart: a call, or a message with a list of them. It gives
// nothing for what is something else.
func wishesOf(v *jsontree.Value) []wish {
	w, ok := wishOf(v)
	if ok {
		return []wish{w}
	}
	var wishes []wish
	for _, f := range v.Fields {
		switch {
		case slices.Contains(listKeys, f.Name) && f.Value.Kind == jsontree.List && wishes == nil:
			for i := range f.Value.Items {
				w, ok := wishOf(&f.Value.Items[i])
				if !ok {
					return nil
				}
				wishes = append(wishes, w)
			}
		case !slices.Contains(otherKeys, f.Name):
			return nil
		}
	}
	return wishes
}

// wishOf takes a call apart. It is one only if it has a name and nothing that a call
// does not have. The arguments may stand beside the name, or the name may be the key of
// the arguments; but {"name": "Anna", "age": 3} is data.
func wishOf(v *jsontree.Value) (wish, bool) {
	if v.Kind != jsontree.Object {
		return wish{}, false
	}
	var w wish
	var flat []jsontree.Field // arguments beside the name
	named, given := false, false
	for _, f := range v.Fields {
		switch {
		case slices.Contains(nameKeys, f.Name) && f.Value.Kind == jsontree.Object:
			return wishOf(&f.Value) // {"type":"function","function":{…}}
		case !named && slices.Contains(nameKeys, f.Name) && f.Value.Kind == jsontree.Text:
			w.name, named = f.Value.Text, true
		case !given && slices.Contains(argumentKeys, f.Name):
			if describes(&f.Value) {
				return wish{}, false
			}
			w.arguments, given = f.Value, true
		case len(v.Fields) == 1 && f.Value.Kind == jsontree.Object:
			return wish{name: f.Name, arguments: f.Value, keyed: true}, true
		case !slices.Contains(otherKeys, f.Name):
			flat = append(flat, f)
		}
	}
	if len(flat) > 0 {
		w.arguments, w.keyed = jsontree.Value{Kind: jsontree.Object, Fields: flat}, true
	}
	return w, named && (!given || flat == nil)
}

// describes tells whether what stands for the arguments is a JSON Schema: then the
// object describes the tool, and calls nothing.
func describes(arguments *jsontree.Value) bool {
	kind, typed := arguments.Get("type")
	properties, listed := arguments.Get("properties")
	return typed && kind.Text == "object" && (len(arguments.Fields) == 1 || listed && properties.Kind == jsontree.Object)
}
