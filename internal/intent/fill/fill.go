// Package fill takes the arguments of a tool from a person's own words, by nothing but
// the tool's schema: for tools that nobody wrote rules for, such as one that a client or
// an MCP server brings.
//
// Arguments are spans of the words that fit: numbers, quotations, names, dates, options
// that are mentioned. Which span belongs to which parameter is told by the words near
// to it, by its form, and by the order. What is required and not among the words is not
// made up: then there is nothing to call with.
package fill

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// parameter is a property of a schema, with what helps to find its value in a sentence.
type parameter struct {
	name     string
	form     form
	required bool
	cues     []cue
}

// form is the part of JSON Schema that decides what a value looks like.
type form struct {
	Kind        kindOf     `json:"type"`
	Description string     `json:"description"`
	Enum        []any      `json:"enum"`
	Items       *form      `json:"items"`
	Properties  properties `json:"properties"`
	Required    []string   `json:"required"`
}

// kindOf is the type of a value; of several the first that is not null.
type kindOf string

// UnmarshalJSON reads one name or a list of names.
func (k *kindOf) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*k = kindOf(one)
		return nil
	}
	var several []string
	if err := json.Unmarshal(raw, &several); err != nil {
		return err
	}
	for _, s := range several {
		if s != "null" {
			*k = kindOf(s)
			return nil
		}
	}
	return nil
}

// properties keep the order in which they are written: it is the order in which people
// name values that look alike.
type properties []property

type property struct {
	name string
	form form
}

// UnmarshalJSON reads the members of an object one by one.
func (p *properties) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var one property
		one.name, _ = key.(string)
		if err := d.Decode(&one.form); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

// Filled is what words have for a schema.
type Filled struct {
	Args    map[string]any
	Missing []string // what is required and not among the words
	Left    []string // the words that no value was taken from and that led to none
	Bad     bool     // the schema cannot be read
}

// Whole tells whether all that is required is there.
func (f Filled) Whole() bool { return !f.Bad && len(f.Missing) == 0 }

// Fill takes the arguments for a JSON Schema of an object from a person's words, in
// English. What is there is given even where something is missing. What stands after the
// words, such as marks and politeness, belongs to a text that goes on to their end alone.
func Fill(words, after string, schema json.RawMessage) Filled {
	var root form
	if len(schema) > 0 && json.Unmarshal(schema, &root) != nil {
		return Filled{Bad: true}
	}
	s := newSentence(words, after)
	f := Filled{}
	f.Args, _ = fillForm(s, root)
	for _, name := range root.Required {
		if _, ok := f.Args[name]; !ok {
			f.Missing = append(f.Missing, name)
		}
	}
	f.Left = s.left()
	return f
}

// fillForm fills an object. Required values choose their spans first, those of narrow
// kinds before texts, which would take anything.
func fillForm(s *sentence, f form) (map[string]any, bool) {
	params := make([]parameter, len(f.Properties))
	for i, p := range f.Properties {
		params[i] = parameter{p.name, p.form, slices.Contains(f.Required, p.name), cuesOf(p.name, p.form.Description)}
	}
	args := map[string]any{}
	for _, pass := range []struct {
		required bool
		fill     func(*sentence, []parameter, map[string]any)
	}{
		{true, fillOptions}, {true, fillLists}, {true, fillNumbers}, {true, fillTexts}, {true, fillObjects},
		{false, fillOptions}, {false, fillLists}, {false, fillNumbers}, {false, fillTexts},
	} {
		var open []parameter
		for _, p := range params {
			if _, filled := args[p.name]; p.required == pass.required && !filled {
				open = append(open, p)
			}
		}
		pass.fill(s, open, args)
	}
	for _, name := range f.Required {
		if _, ok := args[name]; !ok {
			return args, false
		}
	}
	return args, true
}

// fillOptions fills what has a few possible values: enumerations and truth values.
func fillOptions(s *sentence, open []parameter, args map[string]any) {
	for _, p := range open {
		switch {
		case len(p.form.Enum) > 0:
			if v, ok := s.option(p.form.Enum); ok {
				args[p.name] = v
			}
		case p.form.Kind == "boolean":
			if v, ok := s.said(p); ok {
				args[p.name] = v
			}
		case p.form.Kind == "array" && p.form.Items != nil && len(p.form.Items.Enum) > 0:
			if all := s.options(p.form.Items.Enum); len(all) > 0 {
				args[p.name] = all
			}
		}
	}
}

// fillLists fills arrays with what is listed: "[1, 2]", "3, 4 and 5", "Ann and Bob".
func fillLists(s *sentence, open []parameter, args map[string]any) {
	for _, p := range open {
		if p.form.Kind != "array" || p.form.Items != nil && len(p.form.Items.Enum) > 0 {
			continue
		}
		item := form{}
		if p.form.Items != nil {
			item = *p.form.Items
		}
		if list, ok := s.list(p, item); ok {
			args[p.name] = list
		}
	}
}

// pairing is a span that may be the value of a parameter.
type pairing struct {
	param, span int
	score       float64
}

// assign gives each parameter the span that fits it best, the surest pairs first. A
// parameter that may be left out takes only what its own words stand near to.
func assign(open []parameter, spans []span, score func(parameter, span) float64, take func(parameter, *span)) {
	var pairs []pairing
	for i, p := range open {
		for j, sp := range spans {
			v := score(p, sp)
			if v <= 0 || !p.required && v < sure {
				continue
			}
			pairs = append(pairs, pairing{i, j, v - 0.02*float64(j)}) // the first of those that fit alike
		}
	}
	slices.SortStableFunc(pairs, func(a, b pairing) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	given, used := map[int]bool{}, map[int]bool{}
	for _, pair := range pairs {
		overlaps := slices.ContainsFunc(spans, func(o span) bool { return used[o.index] && o.overlaps(spans[pair.span]) })
		if given[pair.param] || overlaps {
			continue
		}
		given[pair.param], used[spans[pair.span].index] = true, true
		take(open[pair.param], &spans[pair.span])
	}
}

// sure is the score from which a value is taken for a parameter that may be left out.
const sure = 2

func fillNumbers(s *sentence, open []parameter, args map[string]any) {
	open = slices.DeleteFunc(open, func(p parameter) bool {
		return p.form.Kind != "number" && p.form.Kind != "integer" || len(p.form.Enum) > 0
	})
	spans := s.free(aNumber)
	written := func(sp span) bool { return sp.written }
	if n := len(slices.DeleteFunc(slices.Clone(spans), written)); n >= len(open) {
		spans = slices.DeleteFunc(spans, written) // "the two sides"
	}
	// People name values in the order of the schema, if nothing tells otherwise.
	fits := func(p parameter, sp span) float64 {
		i := slices.IndexFunc(open, func(o parameter) bool { return o.name == p.name })
		j := slices.IndexFunc(spans, func(o span) bool { return o.index == sp.index })
		v := s.numberFits(p, sp)
		if v > 0 && p.required && len(open) > 1 {
			v = max(v-0.15*math.Abs(float64(i-j)), 0.01)
		}
		return v
	}
	assign(open, spans, fits, func(p parameter, sp *span) {
		args[p.name] = sp.numberFor(p)
		s.use(*sp)
	})
}

func fillTexts(s *sentence, open []parameter, args map[string]any) {
	open = slices.DeleteFunc(open, func(p parameter) bool {
		return p.form.Kind != "string" && p.form.Kind != "" || len(p.form.Enum) > 0
	})
	assign(open, s.free(aText|aNumber), s.textFits, func(p parameter, sp *span) {
		args[p.name] = sp.text
		s.use(*sp)
	})
}

// fillObjects fills objects from the same words.
func fillObjects(s *sentence, open []parameter, args map[string]any) {
	for _, p := range open {
		if p.form.Kind == "object" && len(p.form.Properties) > 0 {
			if inner, ok := fillForm(s, p.form); ok && len(inner) > 0 {
				args[p.name] = inner
			}
		}
	}
}

// cue is a word near which the value of a parameter stands.
type cue struct {
	word   string
	weight float64
}

// cuesOf are the words of a parameter's name, and with less weight those that describe
// it.
func cuesOf(name, description string) []cue {
	var all []cue
	for _, w := range nameWords(name) {
		all = append(all, cue{stem(w), 3})
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(firstClause(description)), notLetter) {
		if len(w) > 2 && !slices.Contains(dull, w) {
			all = append(all, cue{stem(w), 1})
		}
	}
	return all
}

// dull are words of descriptions that say nothing about a value.
var dull = strings.Fields("the and for name list number numbers value values type string text given specified which that this with from into its one each any all are was optional default required should used use to be of in on integer float format")

// firstClause is what a description says before it gives defaults and examples.
func firstClause(s string) string {
	for _, mark := range []string{". ", "(", " e.g", ", like", " such as", "Default", "default"} {
		if i := strings.Index(s, mark); i > 0 {
			s = s[:i]
		}
	}
	return s
}

// nameWords splits from_currency, fromCurrency and from-currency.
func nameWords(name string) []string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.FieldsFunc(strings.ToLower(b.String()), notLetter)
}
