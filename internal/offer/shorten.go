package offer

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"loci"
	"loci/internal/jsontree"
	"loci/internal/text"
	"loci/internal/toolcall"
)

const (
	mostSentence = 120  // characters of a shortened description
	mostWord     = 72   // characters of the barest one
	mostHint     = 24   // characters of a parameter's description that is kept
	mostRead     = 4000 // bytes of a description that are looked at to shorten it
	mostKey      = 64   // bytes of a parameter's name
	mostEnum     = 32   // values of an enumeration; a longer one is no help in a prompt
	mostNodes    = 300  // schemas inside one tool's schema, references followed
)

// whole is the tool with all its words and its whole schema.
func (t tool) whole() loci.ToolSpec {
	return t.spec(inert(t.Description), cleaned(parse(t.Parameters)))
}

// short is the tool in few words: one sentence, and the schema without what only
// checks it. The validated schema is closed; that it is takes eight tokens a tool, and
// what a model adds is told to it in an error anyway.
func (t tool) short() loci.ToolSpec {
	return t.spec(firstSentence(t.Description, mostSentence), shorten(parse(t.Parameters), limits{depth: 6, properties: 40, hints: mostHint}))
}

// bare is the tool with no more than the names and types of its first parameters.
func (t tool) bare() loci.ToolSpec {
	return t.spec(firstSentence(t.Description, mostWord), shorten(parse(t.Parameters), limits{depth: 1, properties: 6}))
}

func (t tool) spec(description string, parameters jsontree.Value) loci.ToolSpec {
	return loci.ToolSpec{Name: t.name, Description: description, Parameters: json.RawMessage(parameters.AppendJSON(nil))}
}

// clip takes the part of a description that is looked at.
func clip(s string) string { return s[:min(len(s), mostRead)] }

// inert gives a text without what a chat template, or a model, could take for
// the end of a message, a call or a result, and without invisible characters,
// in which instructions can hide.
func inert(s string) string {
	s = toolcall.Inert(strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsControl(r):
			return ' '
		case r == '\u200c' || r == '\u200d': // parts of words in some scripts
			return r
		case text.Hidden(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd")))
	if !strings.Contains(s, "<") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		b.WriteRune(r)
		if next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):]); r == '<' && (next == '/' || unicode.IsLetter(next)) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// cleaned gives a value with all its texts inert. Names of members and texts in
// lists, such as those of an enumeration, are left out where they are not: with
// other letters they would be others.
func cleaned(n jsontree.Value) jsontree.Value {
	out := jsontree.Value{Kind: n.Kind, Text: n.Text}
	if n.Kind == jsontree.Text {
		out.Text = inert(n.Text)
	}
	for _, item := range n.Items {
		if item.Kind != jsontree.Text || inert(item.Text) == item.Text {
			out.Items = append(out.Items, cleaned(item))
		}
	}
	for _, f := range n.Fields {
		if inert(f.Name) == f.Name {
			out.Add(f.Name, cleaned(f.Value))
		}
	}
	return out
}

// firstSentence is what a description says first, in one line of at most so many
// characters.
func firstSentence(s string, most int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(clip(s)), "\n\n")
	runes := []rune(strings.Join(strings.Fields(inert(s)), " "))
	for i, r := range runes {
		if i == most {
			cut := strings.TrimRight(string(runes[:most-1]), " ")
			if space := strings.LastIndexByte(cut, ' '); space > most/2 {
				cut = cut[:space]
			}
			return cut + "…"
		}
		if endsSentence(r, runes[i+1:]) {
			return string(runes[:i+1])
		}
	}
	return string(runes)
}

// endsSentence tells whether a mark ends a sentence, by what follows it: not in
// "e.g. this" nor in "v1.2".
func endsSentence(r rune, rest []rune) bool {
	switch r {
	case '。', '！', '？':
		return true
	case '.', '!', '?':
		return len(rest) == 0 || rest[0] == ' ' && (len(rest) == 1 || !unicode.IsLower(rest[1]))
	}
	return false
}

// limits say how much of a schema is kept.
type limits struct {
	depth      int // of schemas inside schemas; what is deeper has its type only
	properties int // of one object
	hints      int // characters of a description of a parameter that is kept
}

// shortener shortens one schema.
type shortener struct {
	limits
	definitions map[string]jsontree.Value // what references mean
	left        int                       // schemas that may still be written
}

// shorten gives a schema with its meaning and without its words: types, values,
// what is required and what is inside, but no titles, examples, defaults or
// formats. References become what they refer to, and a type that may also be
// null becomes that type, since a parameter can be left out.
func shorten(root jsontree.Value, l limits) jsontree.Value {
	s := shortener{l, map[string]jsontree.Value{}, mostNodes}
	for _, place := range []string{"$defs", "definitions"} {
		all, _ := root.Get(place)
		for _, f := range all.Fields {
			s.definitions["#/"+place+"/"+f.Name] = f.Value
		}
	}
	root = s.resolve(root)
	properties, _ := root.Get("properties")
	top := jsontree.Value{}
	top.Add("type", jsontree.Of("object"))
	s.object(&top, properties, root, 0)
	return top
}

// schema shortens one schema. One too many allows everything.
func (s *shortener) schema(n jsontree.Value, depth int) jsontree.Value {
	out := jsontree.Value{Kind: jsontree.Object}
	if s.left--; s.left < 0 {
		return out
	}
	hint, _ := n.Get("description") // of a parameter that may be null it stands outside
	n = s.resolve(n)
	if types := typeOf(n); types.Kind != jsontree.Null {
		out.Add("type", types)
	}
	if depth >= s.depth {
		return out
	}
	if d := inert(clip(hint.Text)); d != "" && utf8.RuneCountInString(d) <= s.hints {
		out.Add("description", jsontree.Of(d))
	}
	if values, ok := n.Get("enum"); ok && listable(values) {
		out.Add("enum", cleaned(values))
	}
	if value, ok := n.Get("const"); ok && listable(jsontree.Value{Items: []jsontree.Value{value}}) {
		out.Add("const", cleaned(value))
	}
	if properties, ok := n.Get("properties"); ok {
		s.object(&out, properties, n, depth)
	}
	if items, ok := n.Get("items"); ok && items.Kind == jsontree.Object {
		out.Add("items", s.schema(items, depth+1))
	}
	if values, ok := n.Get("additionalProperties"); ok && len(values.Fields) > 0 {
		out.Add("additionalProperties", s.schema(values, depth+1))
	}
	for _, key := range alternatives {
		several, _ := n.Get(key)
		if schemas := notNull(several.Items); len(schemas) > 0 {
			out.Add(key, s.list(schemas, depth))
		}
	}
	return out
}

// alternatives are the keywords with a list of schemas.
var alternatives = []string{"anyOf", "oneOf", "allOf"}

// list shortens each of several schemas.
func (s *shortener) list(schemas []jsontree.Value, depth int) jsontree.Value {
	out := jsontree.Value{Kind: jsontree.List}
	for _, n := range schemas[:min(len(schemas), max(0, s.left)+1)] { // the first beyond allows everything
		out.Items = append(out.Items, s.schema(n, depth+1))
	}
	return out
}

// object writes the properties of an object and which are required. Where there
// are too many the required ones are kept.
func (s *shortener) object(out *jsontree.Value, properties, n jsontree.Value, depth int) {
	names, _ := n.Get("required")
	needed := map[string]bool{}
	for _, name := range names.Texts() {
		needed[name] = true
	}
	room := s.properties // for optional ones
	for _, f := range properties.Fields {
		if needed[f.Name] {
			room--
		}
	}
	kept, required := jsontree.Value{Kind: jsontree.Object}, []string(nil)
	for _, f := range properties.Fields {
		name := f.Name
		if len(kept.Fields) == s.properties || !needed[name] && room <= 0 || len(name) > mostKey || inert(name) != name {
			continue
		}
		if needed[name] {
			required = append(required, name)
		} else {
			room--
		}
		kept.Add(name, s.schema(f.Value, depth+1))
	}
	out.Add("properties", kept)
	if len(required) > 0 {
		out.Add("required", list(required))
	}
}

// resolve follows references within the document, and goes into a list of
// alternatives of which only one is left. A few steps are enough for all but a
// circle.
func (s *shortener) resolve(n jsontree.Value) jsontree.Value {
	for range 8 {
		next, ok := s.step(n)
		if !ok {
			return n
		}
		n = next
	}
	return jsontree.Value{Kind: jsontree.Object}
}

// step is one step of resolve.
func (s *shortener) step(n jsontree.Value) (jsontree.Value, bool) {
	if ref, ok := n.Get("$ref"); ok {
		found, ok := s.definitions[ref.Text]
		if !ok { // in another document, which nobody fetches
			found = jsontree.Value{Kind: jsontree.Object}
		}
		return found, true
	}
	_, typed := n.Get("type")
	if _, ok := n.Get("properties"); ok || typed {
		return n, false
	}
	for _, key := range alternatives {
		several, _ := n.Get(key)
		if only := notNull(several.Items); len(only) == 1 {
			return only[0], true
		}
	}
	return n, false
}

// notNull leaves out the schemas of nothing.
func notNull(schemas []jsontree.Value) []jsontree.Value {
	return slices.DeleteFunc(slices.Clone(schemas), func(n jsontree.Value) bool {
		t, _ := n.Get("type")
		return t.Text == "null"
	})
}

// typeOf is the type of a schema, without null beside another.
func typeOf(n jsontree.Value) jsontree.Value {
	t, _ := n.Get("type")
	if t.Kind == jsontree.Text {
		return jsontree.Of(inert(t.Text))
	}
	types := slices.DeleteFunc(t.Texts(), func(s string) bool { return s == "null" || inert(s) != s })
	switch {
	case len(types) == 0:
		return jsontree.Value{}
	case len(types) == 1:
		return jsontree.Of(types[0])
	}
	return list(types[:min(len(types), 7)]) // there are no more types than that
}

// listable tells whether values are few and short enough to be listed. A part of
// them would forbid the rest.
func listable(values jsontree.Value) bool {
	return len(values.Items) <= mostEnum && !slices.ContainsFunc(values.Items, func(v jsontree.Value) bool {
		return v.Kind == jsontree.Object || v.Kind == jsontree.List || len(v.Text) > mostKey
	})
}
