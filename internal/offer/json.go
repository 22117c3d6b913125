package offer

import (
	"bytes"
	"encoding/json"
	"strings"

	"loci/internal/jsontree"
)

// maxDepth is how deep lists and objects of a schema are followed. What is
// deeper counts as an empty object, which allows everything.
const maxDepth = 32

// maxItems is how many members of one list or object are kept.
const maxItems = 4096

// parse reads a JSON object; anything else is an empty one.
func parse(raw []byte) jsontree.Value {
	if json.Valid(raw) {
		v, _ := jsontree.Parse(strings.ToValidUTF8(string(raw), "\uFFFD"), maxDepth)
		if v.Kind == jsontree.Object {
			return bounded(v)
		}
	}
	return jsontree.Value{Kind: jsontree.Object}
}

// value reads a text that is one JSON object, list or text and nothing else.
func value(s string) (jsontree.Value, bool) {
	if s == "" || !strings.ContainsRune(`{["`, rune(s[0])) || !json.Valid([]byte(s)) {
		return jsontree.Value{}, false
	}
	v, _ := jsontree.Parse(s, maxDepth)
	return v, true
}

// bounded is a value without members beyond the bound. Of two equal names in an object
// the first counts.
func bounded(v jsontree.Value) jsontree.Value {
	out := jsontree.Value{Kind: v.Kind, Text: v.Text}
	for _, item := range v.Items[:min(len(v.Items), maxItems)] {
		out.Items = append(out.Items, bounded(item))
	}
	seen := map[string]bool{}
	for _, f := range v.Fields {
		if len(out.Fields) < maxItems && !seen[f.Name] {
			seen[f.Name] = true
			out.Add(f.Name, bounded(f.Value))
		}
	}
	return out
}

// list makes a list of texts.
func list(texts []string) jsontree.Value {
	v := jsontree.Value{Kind: jsontree.List}
	for _, s := range texts {
		v.Items = append(v.Items, jsontree.Of(s))
	}
	return v
}

// encode makes JSON of what always can be: texts, lists and structs of them. It
// leaves <, > and & alone: escaped they cost a model six characters each.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return []byte("{}")
	}
	return bytes.TrimSpace(b.Bytes())
}
