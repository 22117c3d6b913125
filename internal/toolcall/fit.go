package toolcall

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"loci/internal/jsontree"
	"loci/internal/text"
)

// typeNames are the types of JSON Schema in words.
var typeNames = map[string]string{
	"string": "a text", "integer": "a whole number", "number": "a number",
	"boolean": "true or false", "array": "a list", "object": "an object", "null": "null",
}

// typeSet is the set of JSON Schema types a place accepts; empty means any.
type typeSet []string

// has tells whether a type is in the set.
func (t typeSet) has(name string) bool { return slices.Contains(t, name) }

// acceptedTypes collects the types a schema allows, also through the anyOf and oneOf
// that generated schemas use for optional values. Behind a reference it does
// not look: there the validator alone decides, and nothing is mended.
func acceptedTypes(s *jsonschema.Schema) typeSet {
	switch {
	case s == nil || s.Ref != "":
		return nil
	case s.Type != "":
		return typeSet{s.Type}
	case s.Types != nil:
		return s.Types
	}
	var all typeSet
	for _, branch := range slices.Concat(s.AnyOf, s.OneOf) {
		sub := acceptedTypes(branch)
		if sub == nil {
			return nil
		}
		all = append(all, sub...)
	}
	return all
}

// fits tells whether v is of one of the types. A number such as 5.0 fits an
// integer, as JSON Schema says, and is written as one from then on.
func (t typeSet) fits(v *jsontree.Value) bool {
	if len(t) == 0 {
		return true
	}
	switch v.Kind {
	case jsontree.Null:
		return t.has("null")
	case jsontree.Bool:
		return t.has("boolean")
	case jsontree.Number:
		return t.has("number") || t.has("integer") && wholeNumber(v)
	case jsontree.Text:
		return t.has("string")
	case jsontree.List:
		return t.has("array")
	}
	return t.has("object")
}

// wholeNumber tells whether a number is an integer, and if so takes the fraction and
// exponent off, because Go does not decode 5.0 into an int.
func wholeNumber(v *jsontree.Value) bool {
	if !strings.ContainsAny(v.Text, ".eE") {
		return true
	}
	// 1e300 is an integer too, but no tool counts that far, and its 300 digits
	// would only be in the way.
	if f, err := strconv.ParseFloat(v.Text, 64); err != nil || f > 1e30 || f < -1e30 {
		return false
	}
	r, ok := new(big.Rat).SetString(v.Text)
	if !ok || !r.IsInt() {
		return false
	}
	v.Text = r.Num().String()
	return true
}

// fitValue checks v, found at the place path, against s. It changes v only
// where one reading is possible: "5" for a number, a single value for a list.
func fitValue(v *jsontree.Value, s *jsonschema.Schema, path string) *Fault {
	if s == nil {
		return nil
	}
	kinds := acceptedTypes(s)
	if !kinds.fits(v) && !coerce(v, kinds, s) {
		problem := "is " + v.Kind.String()
		if v.Kind != jsontree.List && v.Kind != jsontree.Object && v.Kind != jsontree.Null {
			problem = "is " + strconv.Quote(text.Clip(v.Text, 80))
		}
		return &Fault{Field: path, Problem: problem, Want: wantedForm(s)}
	}
	if len(s.Enum) > 0 && !inEnum(v, s.Enum) || v.Kind == jsontree.Number && outOfBounds(v, s) {
		return &Fault{Field: path, Problem: "is " + strconv.Quote(text.Clip(v.Text, 80)), Want: wantedForm(s)}
	}
	switch v.Kind {
	case jsontree.List:
		for i := range v.Items {
			if f := fitValue(&v.Items[i], s.Items, fmt.Sprintf("%s[%d]", path, i)); f != nil {
				return f
			}
		}
	case jsontree.Object:
		return fitObject(v, s, path+".")
	}
	return nil
}

// outOfBounds tells whether a number is out of the bounds of s. The validator knows
// too, but says it in fractions.
func outOfBounds(v *jsontree.Value, s *jsonschema.Schema) bool {
	n, err := strconv.ParseFloat(v.Text, 64)
	return err != nil || s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum
}

// inEnum tells whether a text is in an enumeration; a different case is mended,
// since enumerations that differ in case alone do not occur.
func inEnum(v *jsontree.Value, enum []any) bool {
	if v.Kind != jsontree.Text {
		return true // left to the validator
	}
	same := ""
	for _, e := range enum {
		s, ok := e.(string)
		if ok && s == v.Text {
			return true
		}
		if ok && strings.EqualFold(s, v.Text) {
			same = s
		}
	}
	if same == "" {
		return false
	}
	v.Text = same
	return true
}

// coerce changes v to one of the wanted types if that loses nothing and can be
// undone. A list is never made a single value: which one would be a guess, and
// a check could look at another than the tool.
func coerce(v *jsontree.Value, kinds typeSet, s *jsonschema.Schema) bool {
	switch {
	case v.Kind == jsontree.Text && coerceText(v, kinds):
		return true
	case (v.Kind == jsontree.Number || v.Kind == jsontree.Bool) && kinds.has("string"):
		v.Kind = jsontree.Text
		return true
	case v.Kind != jsontree.Null && v.Kind != jsontree.List && kinds.has("array"):
		item := *v
		if inner := acceptedTypes(s.Items); !inner.fits(&item) && !coerce(&item, inner, s.Items) {
			return false
		}
		*v = jsontree.Value{Kind: jsontree.List, Items: []jsontree.Value{item}}
		return true
	}
	return false
}

// coerceText reads a text as the number, truth value, list or object it holds.
// The whole text must be one: "5 lines" is not 5.
func coerceText(v *jsontree.Value, kinds typeSet) bool {
	if len(kinds) == 0 {
		return false
	}
	t := strings.TrimSpace(v.Text)
	switch {
	case strings.EqualFold(t, "true"), strings.EqualFold(t, "false"):
		if !kinds.has("boolean") {
			return false
		}
		*v = jsontree.Value{Kind: jsontree.Bool, Text: strings.ToLower(t)}
		return true
	case t == "" || strings.IndexByte("+-0123456789[{", t[0]) < 0:
		return false
	}
	inner, f := parseText(t)
	if f != nil || inner.Kind == jsontree.Text || !kinds.fits(&inner) {
		return false
	}
	*v = inner
	return true
}

// fitObject does for an object, whose fields have the path prefix, what fitValue
// does for a single value. It checks names, then values, then what is missing,
// so that a misspelt name is reported as such and not as a missing argument.
func fitObject(v *jsontree.Value, s *jsonschema.Schema, prefix string) *Fault {
	if f := respell(v, s, prefix); f != nil {
		return f
	}
	// Fields that are dropped are overwritten in place: v is ours alone.
	kept := v.Fields[:0]
	for _, f := range v.Fields {
		p, known := s.Properties[f.Name]
		if !known && closedSchema(s) {
			return &Fault{Field: prefix + f.Name, Problem: "is not known. Known are: " + strings.Join(propertyNames(s), ", ")}
		}
		optional := known && !slices.Contains(s.Required, f.Name)
		if optional && f.Value.Kind == jsontree.Null && !acceptedTypes(p).fits(&f.Value) {
			continue // many models write null for what they leave out
		}
		if fault := fitValue(&f.Value, p, prefix+f.Name); fault != nil {
			return fault
		}
		kept = append(kept, f)
	}
	v.Fields = kept
	for _, name := range s.Required {
		if _, ok := v.Get(name); !ok {
			return &Fault{Field: prefix + name, Problem: "is missing", Want: wantedForm(s.Properties[name])}
		}
	}
	return nil
}

// closedSchema tells whether a schema forbids fields it does not name.
func closedSchema(s *jsonschema.Schema) bool {
	a := s.AdditionalProperties
	return a != nil && a.Not != nil && len(s.PatternProperties) == 0
}

// propertyNames lists a schema's properties in a fixed order.
func propertyNames(s *jsonschema.Schema) []string {
	var all []string
	for name := range s.Properties {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// respell forgives the spelling of names: fields that differ from exactly one
// property in spelling only get that property's name.
func respell(v *jsontree.Value, s *jsonschema.Schema, prefix string) *Fault {
	for i := range v.Fields {
		name := v.Fields[i].Name
		// The walk over all properties is only for names that are not right.
		if _, ok := s.Properties[name]; ok {
			continue
		}
		var right []string
		for p := range s.Properties {
			if looseName(p) == looseName(name) {
				right = append(right, p)
			}
		}
		if len(right) != 1 {
			continue
		}
		if _, taken := v.Get(right[0]); taken {
			return &Fault{Field: prefix + right[0], Problem: fmt.Sprintf("is given twice, also as %q", text.Clip(name, 80))}
		}
		v.Fields[i].Name = right[0]
	}
	return nil
}

// wantedForm says in words what a schema accepts: the type, the bounds, and the
// first sentence of the description, which is what the tool's author meant.
func wantedForm(s *jsonschema.Schema) string {
	if s == nil {
		return ""
	}
	var w string
	switch kinds := acceptedTypes(s); {
	case len(s.Enum) > 0:
		quoted := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			quoted[i] = fmt.Sprintf("%#v", e)
		}
		w = "one of " + strings.Join(quoted, ", ")
	case len(kinds) == 1 && kinds[0] == "array":
		w = "a list"
		if inner := acceptedTypes(s.Items); len(inner) == 1 {
			w += ", each item " + typeNames[inner[0]]
		}
	case len(kinds) > 0:
		words := make([]string, len(kinds))
		for i, k := range kinds {
			words[i] = typeNames[k]
		}
		w = strings.Join(words, " or ")
	}
	if s.Minimum != nil {
		w += fmt.Sprintf(" from %g", *s.Minimum)
	}
	if s.Maximum != nil {
		w += fmt.Sprintf(" up to %g", *s.Maximum)
	}
	if d := firstSentence(s.Description, 120); d != "" {
		if w != "" {
			w += ": "
		}
		w += d
	}
	return w
}

// firstSentence is the beginning of a description, without its full stop.
func firstSentence(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	for i, r := range s {
		if r == '。' || r == '.' && (i+1 == len(s) || s[i+1] == ' ') {
			s = s[:i]
			break
		}
	}
	return text.Clip(s, limit)
}
