package toolcall

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// longestShown is how many bytes a value may have that is shown in a right call. A longer
// one would be repeated cut, and that cut would be written to a file.
const longestShown = 200

// nearest is the right call that is nearest to a wrong one: what fits stays where it is,
// and what stands under a name that the tool does not know goes where it fits and
// something is missing. Small models repeat what they are shown: shown the tool's own
// example they would read its file instead of the person's. It is a suggestion, and
// nothing that is run.
func (s *Schema) nearest(given value) value {
	right := value{kind: objectKind}
	var loose []value
	for _, f := range given.fields {
		p, known := s.root.Properties[f.name]
		if !known {
			loose = append(loose, f.value)
			continue
		}
		if _, twice := right.get(f.name); twice {
			continue
		}
		if v, ok := fitted(f.value, p); ok {
			right.fields = append(right.fields, field{f.name, v})
		}
	}
	found := len(right.fields)
	for _, name := range s.order {
		if _, there := right.get(name); there || !slices.Contains(s.root.Required, name) {
			continue
		}
		v, ok := s.takeLoose(&loose, name)
		if ok {
			found++
		} else if example, shown := s.example.get(name); shown {
			v = *example
		} else {
			v = sampleValue(s.root.Properties[name])
		}
		right.fields = append(right.fields, field{name, v})
	}
	if name, ok := s.onlyFree(right); ok {
		if v, ok := s.takeLoose(&loose, name); ok {
			right.fields = append(right.fields, field{name, v})
			found++
		}
	}
	if found == 0 || len(right.appendJSON(nil)) > longestShown*2 {
		return s.example
	}
	return right
}

// takeLoose takes the first value without a place that fits a parameter.
func (s *Schema) takeLoose(loose *[]value, name string) (value, bool) {
	for i, v := range *loose {
		if v, ok := fitted(v, s.root.Properties[name]); ok {
			*loose = slices.Delete(slices.Clone(*loose), i, i+1)
			return v, true
		}
	}
	return value{}, false
}

// onlyFree is the one optional parameter that has no value yet.
func (s *Schema) onlyFree(right value) (name string, ok bool) {
	n := 0
	for _, p := range s.order {
		if _, there := right.get(p); !there {
			name = p
			n++
		}
	}
	return name, n == 1
}

// fitted is a value, or the one that is in it, as a schema takes it.
func fitted(v value, s *jsonschema.Schema) (value, bool) {
	all := []value{v}
	switch {
	case v.kind == listKind && len(v.items) > 0:
		all = append(all, v.items[0])
	case v.kind == objectKind && len(v.fields) == 1:
		all = append(all, v.fields[0].value)
	}
	for _, v := range all {
		if v = v.copied(); len(v.appendJSON(nil)) <= longestShown && fitValue(&v, s, "") == nil {
			return v, true
		}
	}
	return value{}, false
}

// copied is a value of its own, which may be changed.
func (v value) copied() value {
	v.items, v.fields = slices.Clone(v.items), slices.Clone(v.fields)
	for i := range v.items {
		v.items[i] = v.items[i].copied()
	}
	for i := range v.fields {
		v.fields[i].value = v.fields[i].value.copied()
	}
	return v
}
