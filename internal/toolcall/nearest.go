package toolcall

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"loci/internal/jsontree"
)

// longestShown is how many bytes a value may have that is shown in a right call. A longer
// one would be repeated cut, and that cut would be written to a file.
const longestShown = 200

// nearest is the right call that is nearest to a wrong one: what fits stays where it is,
// and what stands under a name that the tool does not know goes where it fits and
// something is missing. Small models repeat what they are shown: shown the tool's own
// example they would read its file instead of the person's. It is a suggestion, and
// nothing that is run.
func (s *Schema) nearest(given jsontree.Value) jsontree.Value {
	right := jsontree.Value{Kind: jsontree.Object}
	var loose []jsontree.Value
	for _, f := range given.Fields {
		p, known := s.root.Properties[f.Name]
		if !known {
			loose = append(loose, f.Value)
			continue
		}
		if _, twice := right.Get(f.Name); twice {
			continue
		}
		if v, ok := fitted(f.Value, p); ok {
			right.Add(f.Name, v)
		}
	}
	found := len(right.Fields)
	for _, name := range s.order {
		if _, there := right.Get(name); there || !slices.Contains(s.root.Required, name) {
			continue
		}
		v, ok := s.takeLoose(&loose, name)
		if ok {
			found++
		} else if example, shown := s.example.Get(name); shown {
			v = example
		} else {
			v = sampleValue(s.root.Properties[name])
		}
		right.Add(name, v)
	}
	if name, ok := s.onlyFree(right); ok {
		if v, ok := s.takeLoose(&loose, name); ok {
			right.Add(name, v)
			found++
		}
	}
	if found == 0 || len(right.AppendJSON(nil)) > longestShown*2 {
		return s.example
	}
	return right
}

// takeLoose takes the first value without a place that fits a parameter.
func (s *Schema) takeLoose(loose *[]jsontree.Value, name string) (jsontree.Value, bool) {
	for i, v := range *loose {
		if v, ok := fitted(v, s.root.Properties[name]); ok {
			*loose = slices.Delete(slices.Clone(*loose), i, i+1)
			return v, true
		}
	}
	return jsontree.Value{}, false
}

// onlyFree is the one optional parameter that has no value yet.
func (s *Schema) onlyFree(right jsontree.Value) (name string, ok bool) {
	n := 0
	for _, p := range s.order {
		if _, there := right.Get(p); !there {
			name = p
			n++
		}
	}
	return name, n == 1
}

// fitted is a value, or the one that is in it, as a schema takes it.
func fitted(v jsontree.Value, s *jsonschema.Schema) (jsontree.Value, bool) {
	all := []jsontree.Value{v}
	switch {
	case v.Kind == jsontree.List && len(v.Items) > 0:
		all = append(all, v.Items[0])
	case v.Kind == jsontree.Object && len(v.Fields) == 1:
		all = append(all, v.Fields[0].Value)
	}
	for _, v := range all {
		if v = v.Clone(); len(v.AppendJSON(nil)) <= longestShown && fitValue(&v, s, "") == nil {
			return v, true
		}
	}
	return jsontree.Value{}, false
}
