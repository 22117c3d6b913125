package toolcall

import "slices"

// The names that models give to the parts of a call. The first of each is that
// of OpenAI's and Hermes' format; the others were seen in replies of models
// that were trained on LangChain, Command R or ReAct data. Other names beside
// them say that the JSON is something else.
var (
	nameKeys     = []string{"name", "tool", "function", "tool_name", "function_name", "action"}
	argumentKeys = []string{"arguments", "parameters", "args", "input", "params", "action_input"}
	otherKeys    = []string{"type", "id"}
)

// readJSON reads calls that are JSON objects with a name and arguments: one,
// a list, or several in a row. Good JSON that is something else gives no calls.
func readJSON(body string) ([]wish, *Fault) {
	p := newParser(body)
	var wishes []wish
	for {
		v, f := p.value()
		if f != nil {
			return nil, f
		}
		items := []value{v}
		if v.kind == listKind {
			items = v.items
		}
		for i := range items {
			w, ok := wishOf(&items[i])
			if !ok {
				return nil, nil
			}
			wishes = append(wishes, w)
		}
		for p.space(); p.take(",") || p.take(";"); p.space() {
		}
		if p.i >= len(p.s) {
			return wishes, nil
		}
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

// wishOf takes an object apart. It is a call only if it has a name and nothing
// that a call does not have: {"name": "Anna", "age": 3} is data.
func wishOf(v *value) (wish, bool) {
	if v.kind != objectKind {
		return wish{}, false
	}
	var w wish
	named, given := false, false
	for _, f := range v.fields {
		switch {
		case slices.Contains(nameKeys, f.name) && f.value.kind == objectKind:
			return wishOf(&f.value) // {"type":"function","function":{…}}
		case !named && slices.Contains(nameKeys, f.name) && f.value.kind == textKind:
			w.name, named = f.value.text, true
		case !given && slices.Contains(argumentKeys, f.name):
			w.arguments, given = f.value, true
		case !slices.Contains(otherKeys, f.name):
			return wish{}, false
		}
	}
	if !given {
		w.arguments = value{kind: objectKind}
	}
	return w, named
}
