package toolcall

import (
	"slices"
	"strings"
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
		items := []value{v}
		if v.kind == listKind {
			items = v.items
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
func (p *parser) unwrapped(fault *Fault) (value, *Fault) {
	rest := strings.TrimRight(p.s[p.i:], space)
	for _, missing := range []string{"}", "]", "}]"} {
		q := newParser(rest + missing)
		v, f := q.value()
		if f != nil || q.i < len(q.s) || !strings.HasSuffix(rest, "}") {
			continue
		}
		call := &v
		if v.kind == listKind && len(v.items) > 0 {
			call = &v.items[len(v.items)-1]
		}
		if w, ok := wishOf(call); ok && (missing == "]" || endsInArguments(call)) && w.arguments.kind == objectKind {
			p.i = len(p.s)
			return v, nil
		}
	}
	return value{}, fault
}

// endsInArguments tells whether the arguments are the last that a call has.
func endsInArguments(v *value) bool {
	return len(v.fields) > 0 && slices.Contains(argumentKeys, v.fields[len(v.fields)-1].name)
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
func wishesOf(v *value) []wish {
	w, ok := wishOf(v)
	if ok {
		return []wish{w}
	}
	var wishes []wish
	for _, f := range v.fields {
		switch {
		case slices.Contains(listKeys, f.name) && f.value.kind == listKind && wishes == nil:
			for i := range f.value.items {
				w, ok := wishOf(&f.value.items[i])
				if !ok {
					return nil
				}
				wishes = append(wishes, w)
			}
		case !slices.Contains(otherKeys, f.name):
			return nil
		}
	}
	return wishes
}

// wishOf takes a call apart. It is one only if it has a name and nothing that a call
// does not have. The arguments may stand beside the name, or the name may be the key of
// the arguments; but {"name": "Anna", "age": 3} is data.
func wishOf(v *value) (wish, bool) {
	if v.kind != objectKind {
		return wish{}, false
	}
	var w wish
	var flat []field // arguments beside the name
	named, given := false, false
	for _, f := range v.fields {
		switch {
		case slices.Contains(nameKeys, f.name) && f.value.kind == objectKind:
			return wishOf(&f.value) // {"type":"function","function":{…}}
		case !named && slices.Contains(nameKeys, f.name) && f.value.kind == textKind:
			w.name, named = f.value.text, true
		case !given && slices.Contains(argumentKeys, f.name):
			if describes(&f.value) {
				return wish{}, false
			}
			w.arguments, given = f.value, true
		case len(v.fields) == 1 && f.value.kind == objectKind:
			return wish{name: f.name, arguments: f.value, keyed: true}, true
		case !slices.Contains(otherKeys, f.name):
			flat = append(flat, f)
		}
	}
	if len(flat) > 0 {
		w.arguments, w.keyed = value{kind: objectKind, fields: flat}, true
	}
	return w, named && (!given || flat == nil)
}

// describes tells whether what stands for the arguments is a JSON Schema: then the
// object describes the tool, and calls nothing.
func describes(arguments *value) bool {
	kind, typed := arguments.get("type")
	properties, listed := arguments.get("properties")
	return typed && kind.text == "object" && (len(arguments.fields) == 1 || listed && properties.kind == objectKind)
}
