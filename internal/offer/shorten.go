package offer

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"loci"
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

func (t tool) spec(description string, parameters node) loci.ToolSpec {
	return loci.ToolSpec{Name: t.name, Description: description, Parameters: json.RawMessage(parameters.appendJSON(nil))}
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
func cleaned(n node) node {
	out := node{kind: n.kind, text: n.text}
	if n.kind == '"' {
		out.text = inert(n.text)
	}
	for i, item := range n.items {
		switch {
		case n.kind == '{' && inert(n.keys[i]) == n.keys[i]:
			out.set(n.keys[i], cleaned(item))
		case n.kind == '[' && (item.kind != '"' || inert(item.text) == item.text):
			out.items = append(out.items, cleaned(item))
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
	definitions map[string]node // what references mean
	left        int             // schemas that may still be written
}

// shorten gives a schema with its meaning and without its words: types, values,
// what is required and what is inside, but no titles, examples, defaults or
// formats. References become what they refer to, and a type that may also be
// null becomes that type, since a parameter can be left out.
func shorten(root node, l limits) node {
	s := shortener{l, map[string]node{}, mostNodes}
	for _, place := range []string{"$defs", "definitions"} {
		all, _ := root.get(place)
		for i, name := range all.keys {
			s.definitions["#/"+place+"/"+name] = all.items[i]
		}
	}
	root = s.resolve(root)
	properties, _ := root.get("properties")
	top := node{}
	top.set("type", word("object"))
	s.object(&top, properties, root, 0)
	return top
}

// schema shortens one schema. One too many allows everything.
func (s *shortener) schema(n node, depth int) node {
	out := node{kind: '{'}
	if s.left--; s.left < 0 {
		return out
	}
	hint, _ := n.get("description") // of a parameter that may be null it stands outside
	n = s.resolve(n)
	if types := typeOf(n); types.kind != 0 {
		out.set("type", types)
	}
	if depth >= s.depth {
		return out
	}
	if d := inert(clip(hint.text)); d != "" && utf8.RuneCountInString(d) <= s.hints {
		out.set("description", word(d))
	}
	if values, ok := n.get("enum"); ok && listable(values) {
		out.set("enum", cleaned(values))
	}
	if value, ok := n.get("const"); ok && listable(node{items: []node{value}}) {
		out.set("const", cleaned(value))
	}
	if properties, ok := n.get("properties"); ok {
		s.object(&out, properties, n, depth)
	}
	if items, ok := n.get("items"); ok && items.kind == '{' {
		out.set("items", s.schema(items, depth+1))
	}
	if values, ok := n.get("additionalProperties"); ok && len(values.items) > 0 {
		out.set("additionalProperties", s.schema(values, depth+1))
	}
	for _, key := range alternatives {
		list, _ := n.get(key)
		if schemas := notNull(list.items); len(schemas) > 0 {
			out.set(key, s.list(schemas, depth))
		}
	}
	return out
}

// alternatives are the keywords with a list of schemas.
var alternatives = []string{"anyOf", "oneOf", "allOf"}

// list shortens each of several schemas.
func (s *shortener) list(schemas []node, depth int) node {
	out := node{kind: '['}
	for _, n := range schemas[:min(len(schemas), max(0, s.left)+1)] { // the first beyond allows everything
		out.items = append(out.items, s.schema(n, depth+1))
	}
	return out
}

// object writes the properties of an object and which are required. Where there
// are too many the required ones are kept.
func (s *shortener) object(out *node, properties, n node, depth int) {
	list, _ := n.get("required")
	needed := map[string]bool{}
	for _, name := range list.texts() {
		needed[name] = true
	}
	room := s.properties // for optional ones
	for _, name := range properties.keys {
		if needed[name] {
			room--
		}
	}
	kept, required := node{kind: '{'}, []string(nil)
	for i, name := range properties.keys {
		if len(kept.keys) == s.properties || !needed[name] && room <= 0 || len(name) > mostKey || inert(name) != name {
			continue
		}
		if needed[name] {
			required = append(required, name)
		} else {
			room--
		}
		kept.set(name, s.schema(properties.items[i], depth+1))
	}
	out.set("properties", kept)
	if len(required) > 0 {
		out.set("required", words(required))
	}
}

// resolve follows references within the document, and goes into a list of
// alternatives of which only one is left. A few steps are enough for all but a
// circle.
func (s *shortener) resolve(n node) node {
	for range 8 {
		next, ok := s.step(n)
		if !ok {
			return n
		}
		n = next
	}
	return node{kind: '{'}
}

// step is one step of resolve.
func (s *shortener) step(n node) (node, bool) {
	if ref, ok := n.get("$ref"); ok {
		found, ok := s.definitions[ref.text]
		if !ok { // in another document, which nobody fetches
			found = node{kind: '{'}
		}
		return found, true
	}
	_, typed := n.get("type")
	if _, ok := n.get("properties"); ok || typed {
		return n, false
	}
	for _, key := range alternatives {
		list, _ := n.get(key)
		if only := notNull(list.items); len(only) == 1 {
			return only[0], true
		}
	}
	return n, false
}

// notNull leaves out the schemas of nothing.
func notNull(schemas []node) []node {
	return slices.DeleteFunc(slices.Clone(schemas), func(n node) bool {
		t, _ := n.get("type")
		return t.text == "null"
	})
}

// typeOf is the type of a schema, without null beside another.
func typeOf(n node) node {
	t, _ := n.get("type")
	if t.kind == '"' {
		return word(inert(t.text))
	}
	list := slices.DeleteFunc(t.texts(), func(s string) bool { return s == "null" || inert(s) != s })
	switch {
	case len(list) == 0:
		return node{}
	case len(list) == 1:
		return word(list[0])
	}
	return words(list[:min(len(list), 7)]) // there are no more types than that
}

// listable tells whether values are few and short enough to be listed. A part of
// them would forbid the rest.
func listable(values node) bool {
	return len(values.items) <= mostEnum && !slices.ContainsFunc(values.items, func(v node) bool {
		return v.kind == '{' || v.kind == '[' || len(v.text) > mostKey
	})
}
