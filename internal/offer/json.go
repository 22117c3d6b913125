package offer

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// maxDepth is how deep lists and objects of a schema are followed. What is
// deeper counts as an empty object, which allows everything.
const maxDepth = 32

// maxItems is how many members of one list or object are kept.
const maxItems = 4096

// node is a JSON value that keeps the order of an object's members, which is
// what models read first to last, and what makes equal bytes.
type node struct {
	kind  byte     // '{', '[', '"' for a text, or 0 for what stands for itself
	text  string   // the characters of a text; the bytes of what stands for itself
	keys  []string // of an object, one for each item
	items []node
}

// set adds a member to an object.
func (n *node) set(key string, value node) {
	n.kind = '{'
	n.keys, n.items = append(n.keys, key), append(n.items, value)
}

// get finds a member of an object.
func (n node) get(key string) (node, bool) {
	for i, k := range n.keys {
		if k == key {
			return n.items[i], true
		}
	}
	return node{}, false
}

// texts lists the texts of a list.
func (n node) texts() (list []string) {
	for _, i := range n.items {
		if i.kind == '"' {
			list = append(list, i.text)
		}
	}
	return list
}

// words makes a list of texts.
func words(list []string) node {
	n := node{kind: '['}
	for _, s := range list {
		n.items = append(n.items, word(s))
	}
	return n
}

func word(s string) node { return node{kind: '"', text: s} }

// parse reads a JSON object; anything else is an empty one.
func parse(raw []byte) node {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	n, err := read(d, 0)
	if err != nil || n.kind != '{' {
		return node{kind: '{'}
	}
	return n
}

// value reads a text that is one JSON object, list or text and nothing else.
func value(s string) (node, bool) {
	if s == "" || !strings.ContainsRune(`{["`, rune(s[0])) {
		return node{}, false
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	n, err := read(d, 0)
	if err != nil {
		return node{}, false
	}
	_, err = d.Token()
	return n, err == io.EOF
}

// read reads the next value.
func read(d *json.Decoder, depth int) (node, error) {
	token, err := d.Token()
	if err != nil {
		return node{}, err
	}
	switch t := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return node{kind: '{'}, skip(d)
		}
		return readNested(d, byte(t), depth+1)
	case string:
		return word(t), nil
	case json.Number:
		return node{text: t.String()}, nil
	case bool:
		if t {
			return node{text: "true"}, nil
		}
		return node{text: "false"}, nil
	}
	return node{text: "null"}, nil
}

// readNested reads the inside of an object or a list, and its end. Of two equal
// names in an object the first counts.
func readNested(d *json.Decoder, kind byte, depth int) (node, error) {
	n := node{kind: kind}
	seen := map[string]bool{}
	for d.More() {
		key := ""
		if kind == '{' {
			token, err := d.Token()
			if err != nil {
				return n, err
			}
			key, _ = token.(string)
		}
		item, err := read(d, depth)
		if err != nil {
			return n, err
		}
		switch {
		case len(n.items) == maxItems:
		case kind == '[':
			n.items = append(n.items, item)
		case !seen[key]:
			seen[key] = true
			n.set(key, item)
		}
	}
	_, err := d.Token()
	return n, err
}

// skip goes past the end of the object or list that was just opened. It does not
// call itself, so no depth is too deep for it.
func skip(d *json.Decoder) error {
	for open := 1; open > 0; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			open++
		case json.Delim('}'), json.Delim(']'):
			open--
		}
	}
	return nil
}

// appendJSON writes a value as compact JSON.
func (n node) appendJSON(dst []byte) []byte {
	switch n.kind {
	case '"':
		return append(dst, encode(n.text)...)
	case 0:
		return append(dst, n.text...)
	}
	dst = append(dst, n.kind)
	for i, item := range n.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.kind == '{' {
			dst = append(append(dst, encode(n.keys[i])...), ':')
		}
		dst = item.appendJSON(dst)
	}
	return append(dst, n.kind+2) // } and ] stand two places after { and [
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
