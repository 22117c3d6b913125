package jsontree

import (
	"math"
	"slices"
	"strconv"
)

// Kind is the JSON type of a value.
type Kind uint8

// The kinds. The zero value is null, as it is in JSON.
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Object
)

// kindNames are the kinds in words, as a message names them.
var kindNames = [...]string{Null: "null", Bool: "true or false", Number: "a number", Text: "a text", List: "a list", Object: "an object"}

// String names the kind in words.
func (k Kind) String() string { return kindNames[k] }

// Value is a JSON value.
type Value struct {
	Kind   Kind
	Text   string // a text's characters, a number's digits, "true" or "false"
	Items  []Value
	Fields []Field
}

// Field is one name of an object with its value.
type Field struct {
	Name  string
	Value Value
}

// Of makes a text.
func Of(text string) Value { return Value{Kind: Text, Text: text} }

// Get finds a field by its exact name. Objects are small, so a walk beats a map.
func (v *Value) Get(name string) (Value, bool) {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return v.Fields[i].Value, true
		}
	}
	return Value{}, false
}

// Add adds a field to an object.
func (v *Value) Add(name string, field Value) {
	v.Kind = Object
	v.Fields = append(v.Fields, Field{name, field})
}

// Texts are the texts in a list.
func (v *Value) Texts() (all []string) {
	for _, item := range v.Items {
		if item.Kind == Text {
			all = append(all, item.Text)
		}
	}
	return all
}

// Clone is a value of its own, which may be changed.
func (v *Value) Clone() Value {
	c := Value{v.Kind, v.Text, slices.Clone(v.Items), slices.Clone(v.Fields)}
	for i := range c.Items {
		c.Items[i] = c.Items[i].Clone()
	}
	for i := range c.Fields {
		c.Fields[i].Value = c.Fields[i].Value.Clone()
	}
	return c
}

// AppendJSON writes v as compact JSON, fields in the order they were written, so
// that the same value always gives the same bytes.
func (v *Value) AppendJSON(dst []byte) []byte {
	switch v.Kind {
	case Null:
		return append(dst, "null"...)
	case Bool, Number:
		return append(dst, v.Text...)
	case Text:
		return appendText(dst, v.Text)
	case List:
		dst = append(dst, '[')
		for i := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.Items[i].AppendJSON(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i := range v.Fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, v.Fields[i].Name), ':')
		dst = v.Fields[i].Value.AppendJSON(dst)
	}
	return append(dst, '}')
}

// appendText quotes s. It differs from encoding/json in leaving <, > and &
// alone: they are frequent in file contents and cost a model six characters
// each when escaped.
func appendText(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0 // of the run of bytes that stand for themselves
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[start:]...), '"')
}

// Plain converts v to what encoding/json would make of it, but for numbers: they
// become int64 or float64, and NaN where no float64 holds them.
func (v *Value) Plain() any {
	switch v.Kind {
	case Bool:
		return v.Text == "true"
	case Number:
		if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			return n
		}
		f, err := strconv.ParseFloat(v.Text, 64)
		if err != nil {
			return math.NaN()
		}
		return f
	case Text:
		return v.Text
	case List:
		items := make([]any, len(v.Items))
		for i := range v.Items {
			items[i] = v.Items[i].Plain()
		}
		return items
	case Object:
		m := make(map[string]any, len(v.Fields))
		for i := range v.Fields {
			m[v.Fields[i].Name] = v.Fields[i].Value.Plain()
		}
		return m
	}
	return nil
}
