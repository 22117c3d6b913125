package toolcall

import (
	"fmt"
	"slices"
	"strings"

	"loci/internal/jsontree"
)

// take checks wishes and keeps those that are calls.
func (r *Reader) take(wishes []wish) {
	for _, w := range wishes {
		c, f := r.check(w)
		if f != nil {
			r.found.blame(f)
			continue
		}
		r.found.calls = append(r.found.calls, c)
	}
}

// given are arguments with those without names among them.
func given(v jsontree.Value, positional []jsontree.Value) jsontree.Value {
	v.Fields = slices.Clip(v.Fields)
	for _, p := range positional {
		v.Add("", p)
	}
	return v
}

// takesText tells whether one text can be all the arguments of the tool.
func (s *Schema) takesText() bool {
	return len(s.order) > 0 && len(s.root.Required) <= 1 && acceptedTypes(s.root.Properties[s.order[0]]).has("string")
}

// arrange gives a wish's positional arguments the names of the parameters, and
// decides what to make of words that are no list of literals: a tool whose one
// required parameter is a text gets them whole, as in calculate(1 + 2). A single
// object is taken for all the arguments, unless the tool wants an object first.
func (s *Schema) arrange(w wish) (jsontree.Value, *Fault) {
	v := w.arguments
	if v.Kind == jsontree.Text {
		inner, f := unquotedObject(v.Text)
		if f == nil || f.Cut || w.positional != nil || strings.ContainsAny(v.Text, "{}[]\n") {
			return inner, f
		}
		named, broken := newParser("f(" + v.Text + ")").calls()
		switch {
		case broken == nil && len(named) == 1 && len(named[0].arguments.Fields) > 0:
			v = named[0].arguments
		case !s.takesText():
			return inner, f
		default: // LangChain's tools have one text as their input
			v, w.positional = jsontree.Value{Kind: jsontree.Object}, []jsontree.Value{v}
		}
	}
	if v.Kind == jsontree.Null {
		v.Kind = jsontree.Object
	}
	if w.fault != nil {
		if !s.takesText() {
			return v, w.fault
		}
		w.positional = []jsontree.Value{jsontree.Of(w.words)}
	}
	if len(w.positional) == 1 && w.positional[0].Kind == jsontree.Object && len(v.Fields) == 0 {
		if len(s.order) == 0 || !acceptedTypes(s.root.Properties[s.order[0]]).has("object") {
			return w.positional[0], nil
		}
	}
	// More arguments than parameters: leaving some out would change the meaning.
	if len(w.positional) > len(s.order) {
		return v, &Fault{Problem: fmt.Sprintf("%d arguments are too many for %s", len(w.positional), s.signature())}
	}
	fields := make([]jsontree.Field, 0, len(w.positional)+len(v.Fields))
	seen := make(map[string]bool, cap(fields))
	for i, p := range w.positional {
		fields, seen[looseName(s.order[i])] = append(fields, jsontree.Field{Name: s.order[i], Value: p}), true
	}
	for _, f := range v.Fields {
		name := looseName(f.Name)
		if seen[name] {
			return v, &Fault{Field: f.Name, Problem: "is given twice"}
		}
		fields, seen[name] = append(fields, f), true
	}
	v.Fields = fields
	return v, nil
}
