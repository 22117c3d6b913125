package config

import (
	"iter"
	"reflect"
	"strings"
)

// field is one setting, or one part of an entry in a setting.
type field struct {
	name string // as in config.yaml, with its section or place: timeouts.connect, folders[0].path
	tag  reflect.StructTag
}

// env is the name of the setting's environment variable, "" for none.
func (f field) env() string {
	switch name := f.tag.Get("env"); name {
	case "-":
		return ""
	case "":
	default:
		return name
	}
	return "LOCI_" + strings.ToUpper(strings.ReplaceAll(f.name, ".", "_"))
}

// free tells whether the field takes any text, and so the empty one too.
func (f field) free() bool { return f.tag.Get("enum") == "" && f.tag.Get("is") == "" }

// settings yields each setting of a Config together with its value. Sections
// are taken apart: their fields are settings.
func settings(c *Config) iter.Seq2[field, reflect.Value] {
	return func(yield func(field, reflect.Value) bool) {
		for f, v := range parts("", reflect.ValueOf(c).Elem()) {
			if v.Kind() != reflect.Struct {
				if !yield(f, v) {
					return
				}
				continue
			}
			for f, v := range parts(f.name, v) {
				if !yield(f, v) {
					return
				}
			}
		}
	}
}

// parts yields the fields of a struct that have a name in config.yaml.
func parts(prefix string, v reflect.Value) iter.Seq2[field, reflect.Value] {
	return func(yield func(field, reflect.Value) bool) {
		for sf, v := range v.Fields() {
			name := sf.Tag.Get("yaml")
			if name == "" {
				continue
			}
			if !yield(field{join(prefix, name), sf.Tag}, v) {
				return
			}
		}
	}
}

// join puts the name of a section before that of a field.
func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}
