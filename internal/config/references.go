package config

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"loci"
	"loci/internal/secret"
)

// Use is a setting whose secret stands elsewhere, and whether it could be had.
type Use struct {
	Setting string `json:"setting"`        // such as backends[0].key
	From    string `json:"from"`           // the reference, such as secret:openai
	Note    string `json:"note,omitempty"` // what is unwise about it
	Err     error  `json:"-"`              // an *Error; never with the secret in it
}

// Resolve puts the secrets themselves in place of references to them, wherever a
// setting is a [Secret]: secret:NAME, env:NAME, file:PATH, file:PATH#NAME and
// cmd:PROGRAM. Where one cannot be had, the setting is left empty. It is done when
// the secrets are needed, and not by Load: a program may run for it.
func (c *Config) Resolve(ctx context.Context, p Paths, env func(string) string) []Use {
	dir := filepath.Dir(p.Config)
	from := secret.Sources{Store: secret.At(dir, env), Dir: dir, Env: env, Home: homeFolder(env), Closed: c.openFolders()}
	var uses []Use
	c.visit(func(name string, s *Secret) {
		ref, ok := secret.Parse(string(*s))
		if !ok {
			return
		}
		use := Use{Setting: name, From: ref.String()}
		value, note, err := from.Resolve(ctx, ref)
		if err != nil {
			e := loci.AsError(err)
			use.Err = &Error{File: p.Config, Field: name, Err: loci.Wrap(loci.Invalid, err, "The setting %s refers to %s. %s", name, use.From, e.Message).WithHint("%s", e.Hint)}
		}
		*s, use.Note = Secret(value), note
		uses = append(uses, use)
	})
	return uses
}

// Secrets gives the secrets of the configuration that are set, for who hides them.
func (c *Config) Secrets() []string {
	var all []string
	c.visit(func(_ string, s *Secret) {
		if *s != "" {
			all = append(all, string(*s))
		}
	})
	return all
}

// PlainSecrets names the settings whose secrets stand in the file as they are.
func PlainSecrets(s Sources) []string {
	var c Config
	if _, err := loadFile(&c, s.File, homeFolder(s.Env)); err != nil {
		return nil // said where it is loaded
	}
	return c.plain()
}

// plain names the settings that are secrets and no references.
func (c *Config) plain() []string {
	var all []string
	c.visit(func(name string, s *Secret) {
		if _, elsewhere := secret.Parse(string(*s)); *s != "" && !elsewhere {
			all = append(all, name)
		}
	})
	return all
}

// openFolders are all folders that somebody's models may look into.
func (c *Config) openFolders() []string {
	var paths []string
	add := func(folders []Folder) {
		for _, f := range folders {
			paths = append(paths, f.Path)
		}
	}
	add(c.Folders)
	for _, r := range c.Principals {
		add(r.Folders)
	}
	return paths
}

// visit calls f for every setting that is a secret.
func (c *Config) visit(f func(name string, s *Secret)) {
	visitSecrets(reflect.ValueOf(c).Elem(), "", f)
}

// visitSecrets calls f for every secret in a value, in the order of the fields and
// keys, with the name of its setting. f may change it. What is in a table cannot
// be changed in place, so its entries are put there anew.
func visitSecrets(v reflect.Value, name string, f func(name string, s *Secret)) {
	switch v.Kind() {
	case reflect.String:
		if s, ok := reflect.TypeAssert[*Secret](v.Addr()); ok {
			f(name, s)
		}
	case reflect.Struct:
		for sub, sv := range parts(name, v) {
			visitSecrets(sv, sub.name, f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			visitSecrets(v.Index(i), fmt.Sprintf("%s[%d]", name, i), f)
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			entry := reflect.New(v.Type().Elem()).Elem()
			entry.Set(v.MapIndex(k))
			visitSecrets(entry, fmt.Sprintf("%s[%s]", name, k), f)
			v.SetMapIndex(k, entry)
		}
	}
}
