package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"loci"
)

// decoder puts texts from one source into a Config.
type decoder struct {
	file     string // path of config.yaml; empty for another source
	source   string // what to call the source in an error when it is no file
	home     string // what ~ stands for
	warnings []Warning
}

var durationType = reflect.TypeFor[time.Duration]()

// parse reads a YAML text. The result is nil when there is nothing in it.
func (d *decoder) parse(text []byte) (ast.Node, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		msg, pos := err.Error(), (ast.Node)(nil)
		if e, ok := errors.AsType[yaml.Error](err); ok {
			// Its Error would print the lines around, keys and all.
			msg, pos = e.GetMessage(), &ast.NullNode{Token: e.GetToken()}
		}
		msg, _, _ = strings.Cut(msg, "\n")
		msg, _, _ = strings.Cut(msg, `: "`) // what follows is of the file, and may be a key
		bad := d.fail(pos, field{}, "the text is not valid YAML: "+strings.Trim(echo(msg), `"`))
		bad.Err.Hint = "Check the brackets, the quotes and the indentation near this place."
		return nil, bad
	}
	if len(file.Docs) > 1 {
		return nil, d.fail(file.Docs[1].Body, field{}, "a second document begins here, but only one is expected")
	}
	if len(file.Docs) == 0 {
		return nil, nil
	}
	return file.Docs[0].Body, nil // of an empty text: nil
}

// node decodes a YAML node into v. A null leaves v as it is.
//
// The YAML library could decode into the struct by itself, but it speaks of Go
// types in its errors, stops at the first unknown key, and follows aliases,
// with which a small file can describe a huge one.
func (d *decoder) node(n ast.Node, v reflect.Value, f field) error {
	switch t := n.(type) {
	case nil, *ast.NullNode:
		return nil
	case *ast.TagNode: // the field knows its type better
		return d.node(t.Value, v, f)
	case *ast.AnchorNode, *ast.AliasNode:
		return d.fail(n, f, "anchors and aliases are not understood here")
	}
	switch v.Kind() {
	case reflect.Struct:
		if s, ok := shortField(v); ok {
			if text, ok := scalarText(n); ok {
				return d.text(n, text, s.value, field{f.name, s.tag})
			}
		}
		return d.section(n, v, f)
	case reflect.Map:
		return d.table(n, v, f)
	case reflect.Slice:
		return d.list(n, v, f)
	}
	text, ok := scalarText(n)
	if !ok {
		return d.mistake(n, isNow(n), v.Type(), f)
	}
	return d.text(n, text, v, f)
}

// section decodes the keys of a struct. Those that are not there keep their
// values.
func (d *decoder) section(n ast.Node, v reflect.Value, f field) error {
	entries, ok := n.(ast.MapNode)
	if !ok {
		return d.mistake(n, isNow(n), v.Type(), f)
	}
	known := map[string]reflect.Value{}
	fields := map[string]field{}
	for sub, sv := range parts(f.name, v) {
		known[sub.tag.Get("yaml")], fields[sub.tag.Get("yaml")] = sv, sub
	}
	for it := entries.MapRange(); it.Next(); {
		key := it.Key().GetToken().Value
		sv, ok := known[key]
		if !ok {
			d.unknown(it.Key(), join(f.name, key), fields)
			continue
		}
		if err := d.node(it.Value(), sv, fields[key]); err != nil {
			return err
		}
	}
	return nil
}

// unknown warns about a key that has no meaning: a later version may know it,
// so it is no error.
func (d *decoder) unknown(key ast.Node, name string, siblings map[string]field) {
	var names []string
	for _, f := range siblings {
		names = append(names, f.name)
	}
	for f := range settings(new(Config)) { // perhaps it only lacks its section
		names = append(names, f.name)
	}
	slices.Sort(names)
	text := echo(name) + " is not a setting and has no effect."
	if guess := closest(name, names); guess != "" {
		text = fmt.Sprintf("%s is not a setting; did you mean %s?", echo(name), guess)
	}
	pos := key.GetToken().Position
	d.warnings = append(d.warnings, Warning{d.file, pos.Line, pos.Column, text})
}

// table decodes a map, in place of the one there was.
func (d *decoder) table(n ast.Node, v reflect.Value, f field) error {
	entries, ok := n.(ast.MapNode)
	if !ok {
		return d.mistake(n, isNow(n), v.Type(), f)
	}
	m := reflect.MakeMap(v.Type())
	for it := entries.MapRange(); it.Next(); {
		key := it.Key().GetToken().Value
		value := reflect.New(v.Type().Elem()).Elem()
		sub := field{fmt.Sprintf("%s[%s]", f.name, strings.Trim(echo(key), `"`)), f.tag}
		if r, ok := rules[f.tag.Get("key")]; ok {
			if key, ok = r.check(d, key); !ok {
				return d.fail(it.Key(), f, fmt.Sprintf("a key of %s is empty, but %s is expected", f.name, r.want))
			}
		}
		if m.MapIndex(reflect.ValueOf(key)).IsValid() {
			return d.fail(it.Key(), sub, sub.name+" is there already; upper and lower case make no difference")
		}
		if err := d.node(it.Value(), value, sub); err != nil {
			return err
		}
		m.SetMapIndex(reflect.ValueOf(key), value)
	}
	v.Set(m)
	return nil
}

// list decodes a list, in place of the one there was. An item has the rule of
// its list.
func (d *decoder) list(n ast.Node, v reflect.Value, f field) error {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		return d.mistake(n, isNow(n), v.Type(), f)
	}
	items := reflect.MakeSlice(v.Type(), 0, len(seq.Values))
	for i, item := range seq.Values {
		sub := field{fmt.Sprintf("%s[%d]", f.name, i), f.tag}
		value := reflect.New(v.Type().Elem()).Elem()
		if err := d.node(item, value, sub); err != nil {
			return err
		}
		if s, ok := shortField(value); value.IsZero() || ok && s.value.IsZero() {
			return d.mistake(item, "is not complete", value.Type(), sub)
		}
		items = reflect.Append(items, value)
	}
	v.Set(items)
	return nil
}

// texts decodes the value of an environment variable or a flag: for a list its
// items, for a table YAML, for anything else the last text.
func (d *decoder) texts(items []string, v reflect.Value, f field) error {
	switch v.Kind() {
	case reflect.Map:
		n, err := d.parse([]byte(items[len(items)-1]))
		if err != nil {
			return err
		}
		return d.node(n, v, f)
	case reflect.Slice:
		list := reflect.MakeSlice(v.Type(), len(items), len(items))
		for i, text := range items {
			value, sub := list.Index(i), f
			if s, ok := shortField(value); ok {
				value, sub = s.value, field{f.name, s.tag}
			}
			if err := d.text(nil, text, value, sub); err != nil {
				return err
			}
		}
		v.Set(list)
		return nil
	}
	return d.text(nil, items[len(items)-1], v, f)
}

// split takes the text of an environment variable apart. Folders are separated
// as in PATH, because a comma can be part of their names.
func split(text string, v reflect.Value) []string {
	switch {
	case v.Kind() != reflect.Slice:
		return []string{text}
	case v.Type() == reflect.TypeFor[[]Folder]():
		return slices.DeleteFunc(filepath.SplitList(text), func(s string) bool { return s == "" })
	}
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// text decodes one scalar. The node is where it stands, nil outside files.
func (d *decoder) text(n ast.Node, text string, v reflect.Value, f field) error {
	ok := true
	switch {
	case v.Type() == durationType:
		var t time.Duration
		if t, ok = parseDuration(text); ok {
			v.SetInt(int64(t))
		}
	case v.Kind() == reflect.String:
		if text, ok = d.follow(text, f); text != "" || ok && f.free() {
			v.SetString(text)
		}
	case v.Kind() == reflect.Bool:
		i := slices.Index(booleans, strings.ToLower(text))
		ok = i >= 0
		v.SetBool(i%2 == 0)
	case v.Kind() == reflect.Int:
		i, err := strconv.Atoi(text)
		low, high := limits(f)
		ok = err == nil && low <= i && i <= high
		v.SetInt(int64(i))
	}
	if !ok {
		return d.mistake(n, "is "+echo(text), v.Type(), f)
	}
	return nil
}

// booleans are the words for true, each followed by its word for false.
var booleans = []string{"true", "false", "yes", "no", "on", "off", "1", "0"}

// follow checks a text against the field's rule and its list of values. The
// empty text follows every rule: it stands for the default.
func (d *decoder) follow(text string, f field) (string, bool) {
	if text == "" {
		return "", true
	}
	if values := f.tag.Get("enum"); values != "" {
		return text, slices.Contains(strings.Split(values, ","), text)
	}
	if r, ok := rules[f.tag.Get("is")]; ok {
		if kept, ok := r.check(d, text); ok {
			return kept, true
		}
		return text, false
	}
	return text, true
}

// parseDuration refuses zero: a wait of no time never succeeds.
func parseDuration(text string) (time.Duration, bool) {
	t, err := time.ParseDuration(text)
	return t, err == nil && t > 0
}

// limits gives the smallest and the largest number that a field takes.
func limits(f field) (low, high int) {
	low, _ = strconv.Atoi(f.tag.Get("min"))
	high, err := strconv.Atoi(f.tag.Get("max"))
	if err != nil {
		high = int(^uint(0) >> 1)
	}
	return low, high
}

// short is the field that a bare text stands for.
type short struct {
	value reflect.Value
	tag   reflect.StructTag
}

// shortField is the field of a struct that a bare text stands for.
func shortField(v reflect.Value) (short, bool) {
	if v.Kind() != reflect.Struct {
		return short{}, false
	}
	for f, fv := range parts("", v) {
		if f.tag.Get("short") != "" {
			return short{fv, f.tag}, true
		}
	}
	return short{}, false
}

// scalarText is the text of a scalar as it was written, so that a name can look
// like a number.
func scalarText(n ast.Node) (string, bool) {
	switch t := n.(type) {
	case *ast.StringNode:
		return t.Value, true
	case *ast.LiteralNode:
		return t.Value.Value, true
	case *ast.TagNode:
		return scalarText(t.Value)
	case *ast.NullNode, *ast.MergeKeyNode:
		return "", false
	case ast.ScalarNode:
		return t.GetToken().Value, true
	}
	return "", false
}

// isNow names the kind of what stands in the place of something else.
func isNow(n ast.Node) string {
	switch n.(type) {
	case *ast.SequenceNode:
		return "is a list"
	case ast.MapNode:
		return "is a table"
	case *ast.IntegerNode, *ast.FloatNode:
		return "is a number"
	case *ast.StringNode, *ast.LiteralNode:
		return "is a text"
	}
	return "is a single value"
}

// mistake is the error for a value of the wrong type or form; is says what it
// is now, and is not repeated where it may hold a password.
func (d *decoder) mistake(n ast.Node, is string, t reflect.Type, f field) error {
	if t == reflect.TypeFor[Secret]() || strings.Contains(is, "@") {
		is = "has another form"
	}
	return d.fail(n, f, fmt.Sprintf("%s %s, but %s is expected", cmp.Or(f.name, "the file"), is, want(t, f)))
}

// want names what a field takes.
func want(t reflect.Type, f field) string {
	if values := f.tag.Get("enum"); values != "" && t.Kind() == reflect.String {
		list := strings.Split(values, ",")
		return "one of " + strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
	}
	if r, ok := rules[f.tag.Get("is")]; ok && t.Kind() == reflect.String {
		return r.want
	}
	switch {
	case t == durationType:
		return "a duration such as 5s or 2m"
	case t.Kind() == reflect.Int:
		low, high := limits(f)
		return fmt.Sprintf("a whole number from %d to %d", low, high)
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		if items := f.tag.Get("items"); items != "" {
			return "a list of " + items
		}
		return "a list"
	case reflect.Struct, reflect.Map:
		return "a table of keys and values"
	}
	return "a text"
}

// fail makes the error for what stands at n, which is nil where there is no
// place to name.
func (d *decoder) fail(n ast.Node, f field, text string) *Error {
	e := &Error{File: d.file, Field: f.name}
	if n != nil {
		if t := n.GetToken(); t != nil && t.Position != nil && d.file != "" {
			e.Line, e.Column = t.Position.Line, max(t.Position.Column, 1)
		}
	}
	where := d.source
	if d.file != "" {
		where = position(d.file, e.Line, e.Column)
	}
	e.Err = loci.Errorf(loci.Invalid, "%s: %s.", where, text)
	e.Err.Hint = "Correct it, or remove it to get the default."
	return e
}
