package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

var update = flag.Bool("update", false, "write the files that are generated from the Config struct")

// root is where the repository begins.
const root = "../.."

var generated = map[string]func(*testing.T) string{
	"config.example.yaml":     exampleFile,
	"docs/configuration.md":   referenceFile,
	"docs/config.schema.json": schemaFile,
}

// The files that describe the configuration agree with it. After a change of
// the struct, make docs writes them.
func TestGenerated(t *testing.T) {
	for name, make := range generated {
		path := filepath.Join(root, filepath.FromSlash(name))
		want := make(t)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Error(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(want, strings.ReplaceAll(string(got), "\r\n", "\n")); diff != "" {
			t.Errorf("%s is out of date; run make docs (-want +got):\n%s", name, diff)
		}
	}
}

func TestEverySettingIsDescribed(t *testing.T) {
	check := func(f field) {
		if doc := f.tag.Get("doc"); !strings.HasSuffix(doc, ".") {
			t.Errorf("%s has the description %q", f.name, doc)
		}
	}
	for f, v := range settings(new(Config)) {
		check(f)
		if v.Kind() == reflect.Map || v.Kind() == reflect.Slice {
			if e := v.Type().Elem(); e.Kind() == reflect.Struct {
				for f := range parts(f.name, reflect.New(e).Elem()) {
					check(f)
				}
			}
			if examples[f.name] == "" {
				t.Errorf("%s has no example", f.name)
			}
		}
	}
}

// examples are values for the settings that are empty by default and have
// parts.
var examples = map[string]string{
	"backends":         "\n  - http://127.0.0.1:11434\n  - url: https://models.example/v1\n    key: secret:that-server\n  - url: http://192.168.1.20:8080/v1\n    insecure: true",
	"passthrough":      "\n  - codellama:7b-code",
	"models":           "\n  mistral:7b:\n    tier: text\n    dialect: tool_call\n    window: 16384\n    alternate: yes",
	"aliases":          "\n  fast: qwen2.5:1.5b",
	"prompt_texts":     "\n  qwen2:\n    key_rule_first: true\n    rules: |\n      Only report what a tool returned.",
	"folders":          "\n  - ~/Documents\n  - {path: ~/Documents/drafts, access: write}\n  - {path: ~/Downloads, outside: true}",
	"unasked_commands": "\n  - ls\n  - git status\n  - git log",
	"denied_commands":  "\n  - git push",
	"principals":       "\n  ann@example.com:\n    folders:\n      - ~/Shared",
	"databases":        "\n  work:\n    url: postgres://me:password@db.example.com/work?sslmode=verify-full\n    writable: false",
	"apps":             "\n  editor:\n    command: [gedit]\n  browser:\n    command: [firefox, --new-window]\n    urls: true",
	"allowed_hosts":    "\n  - loci.example",
	"allowed_origins":  "\n  - https://chat.example",
}

func exampleFile(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`# Every setting of loci, with its default. Generated: do not edit.
#
# Copy what you need into config.yaml; "loci config path" says where that is.
# Remove the # in front of a setting, but not in front of its description; an
# indented setting needs the name of its section above it as well.
# A setting can also be given as the environment variable named with it, and
# many as flags; flags win over variables, variables over the file.

`)
	section := ""
	c := Default()
	for f, v := range settings(&c) {
		name, indent := f.name, ""
		if head, last, ok := strings.Cut(f.name, "."); ok {
			name, indent = last, "  "
			if head != section {
				fmt.Fprintf(&b, "#%s:\n", head)
			}
			section = head
		}
		for _, line := range wrap(f.tag.Get("doc"), 74) {
			fmt.Fprintf(&b, "# %s\n", line)
		}
		if enum := f.tag.Get("enum"); enum != "" {
			fmt.Fprintf(&b, "# One of: %s\n", strings.ReplaceAll(enum, ",", ", "))
		}
		if env := f.env(); env != "" {
			fmt.Fprintf(&b, "# Environment: %s\n", env)
		}
		setting := fmt.Sprintf("%s%s: %s", indent, name, inYAML(v))
		if e := examples[f.name]; e != "" {
			setting = name + ":" + e
		}
		if f.name != "version" {
			setting = "#" + strings.ReplaceAll(setting, "\n", "\n#")
		}
		fmt.Fprintf(&b, "%s\n\n", setting)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// inYAML writes a default.
func inYAML(v reflect.Value) string {
	switch d := v.Interface().(type) {
	case time.Duration:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case string:
		if d == "" {
			return `""`
		}
		return d
	}
	if v.Kind() == reflect.String && v.Len() == 0 {
		return `""`
	}
	return fmt.Sprint(v.Interface())
}

func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

func referenceFile(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`# Configuration

Generated from the configuration struct: do not edit.

loci needs no configuration. What you set is looked for in this order, the
first one found wins: flags, environment variables, ` + "`config.yaml`" + `, defaults.
` + "`loci config path`" + ` prints where ` + "`config.yaml`" + ` is; [config.example.yaml](../config.example.yaml)
has every setting ready to copy, and [config.schema.json](config.schema.json) lets an editor check it.

- ` + "`LOCI_HOME`" + ` moves config, data, state and cache under one folder.
- A key that loci does not know has no effect and is warned about. A value that it cannot
  understand stops it with exit code 3 and the file, line and column.
- In a variable, a list is separated by commas (` + "`LOCI_ALLOW`" + `: like ` + "`PATH`" + `) and a table is
  written as YAML in braces: ` + "`LOCI_ALIASES='{fast: \"qwen2.5:1.5b\"}'`" + `.
- Folders are a set: ` + "`--allow`" + ` adds to those of the other sources for one run, and the first
  one given there is the working folder. ` + "`LOCI_ALLOW`" + ` takes the place of those in the file.
  ` + "`--allow`" + ` is given once for each folder; a comma is part of a name. ` + "`loci allow FOLDER`" + `
  adds one to the file. The ` + "`folders`" + ` of the file are read again within a second of a
  change; all other settings count from the next start.
- How models are found, and what a tier is: [models.md](models.md). Which headers of a chat
  server say who is asking, for ` + "`principals`" + `: [api.md](api.md#who-is-asking).
- Files in folders that models may look into are never configuration.
- A key or password can stand elsewhere: a setting that is one takes ` + "`secret:NAME`" + `,
  ` + "`env:NAME`, `file:PATH`, `file:PATH#NAME` and `cmd:PROGRAM`" + `; see [secrets.md](secrets.md).

| setting | environment | default | what it is |
|---|---|---|---|
`)
	c := Default()
	for f, v := range settings(&c) {
		doc := strings.ReplaceAll(f.tag.Get("doc"), "|", `\|`)
		if enum := f.tag.Get("enum"); enum != "" {
			doc += " One of `" + strings.ReplaceAll(enum, ",", "`, `") + "`."
		}
		def := "`" + inYAML(v) + "`"
		if v.Kind() == reflect.Map || v.Kind() == reflect.Slice || def == "`\"\"`" {
			def = "empty"
		}
		env := "–"
		if f.env() != "" {
			env = "`" + f.env() + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.name, env, def, doc)
	}
	for f, v := range settings(&c) {
		if k := v.Kind(); k != reflect.Map && k != reflect.Slice || v.Type().Elem().Kind() != reflect.Struct {
			continue
		}
		fmt.Fprintf(&b, "\nAn entry of `%s`:\n\n| key | what it is |\n|---|---|\n", f.name)
		for sub := range parts("", reflect.New(v.Type().Elem()).Elem()) {
			doc := sub.tag.Get("doc")
			if enum := sub.tag.Get("enum"); enum != "" {
				doc += " One of `" + strings.ReplaceAll(enum, ",", "`, `") + "`."
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", sub.name, doc)
		}
	}
	return b.String()
}

func schemaFile(t *testing.T) string {
	s := configSchema()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func configSchema() *jsonschema.Schema {
	c := Default()
	s := schemaOf(reflect.ValueOf(c), field{})
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "config.yaml of loci"
	return s
}

// schemaOf describes a value; what it holds is the default.
func schemaOf(v reflect.Value, f field) *jsonschema.Schema {
	s := &jsonschema.Schema{Description: f.tag.Get("doc")}
	switch {
	case v.Type() == durationType:
		s.Type, s.Pattern = "string", `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	case v.Kind() == reflect.String:
		s.Type = "string"
		if enum := f.tag.Get("enum"); enum != "" {
			s.Enum = []any{""}
			for e := range strings.SplitSeq(enum, ",") {
				s.Enum = append(s.Enum, e)
			}
		}
	case v.Kind() == reflect.Bool:
		s.Type = "boolean"
	case v.Kind() == reflect.Int:
		s.Type = "integer"
		low, high := limits(f)
		s.Minimum = new(float64(low))
		if f.tag.Get("max") != "" {
			s.Maximum = new(float64(high))
		}
	case v.Kind() == reflect.Slice:
		s.Type, s.Items = "array", schemaOf(reflect.New(v.Type().Elem()).Elem(), field{})
	case v.Kind() == reflect.Map:
		s.Type, s.AdditionalProperties = "object", schemaOf(reflect.New(v.Type().Elem()).Elem(), field{})
	case v.Kind() == reflect.Struct:
		s.Type, s.Properties = "object", map[string]*jsonschema.Schema{}
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
		for sub, sv := range parts("", v) {
			s.Properties[sub.name] = schemaOf(sv, sub)
			s.PropertyOrder = append(s.PropertyOrder, sub.name)
		}
		if _, ok := shortField(v); ok {
			return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, s}}
		}
	}
	return s
}

var description = regexp.MustCompile(`^#( [^ ]|$)`)

// uncommented is the example with every setting in force.
func uncommented(t *testing.T) string {
	var lines []string
	for line := range strings.SplitSeq(exampleFile(t), "\n") {
		if text, ok := strings.CutPrefix(line, "#"); ok && !description.MatchString(line) {
			line = text
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// The example is a configuration, commented or not, and it shows the defaults.
func TestExampleLoads(t *testing.T) {
	c, warnings, err := load(t, exampleFile(t), nil, nil)
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if diff := cmp.Diff(Default(), c); diff != "" {
		t.Errorf("commented (-default +got):\n%s", diff)
	}
	c, warnings, err = load(t, uncommented(t), nil, nil)
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	d := Default()
	fields := map[string]reflect.Value{}
	for f, v := range settings(&d) {
		fields[f.name] = v
	}
	for f, v := range settings(&c) {
		if same := reflect.DeepEqual(v.Interface(), fields[f.name].Interface()); same != (examples[f.name] == "") {
			t.Errorf("%s is %v", f.name, v)
		}
	}
}

func TestSchema(t *testing.T) {
	schema, err := configSchema().Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, ok := range map[string]bool{
		uncommented(t):                    true,
		"version: 1\n":                    true,
		"folders: [/a, {path: /b}]\n":     true,
		"timeouts: {connect: 5}\n":        false,
		"timeouts: {connect: 5s}\n":       true,
		"max_steps: many\n":               false,
		"max_steps: 0\n":                  false,
		"tier: huge\n":                    false,
		"models: {m: {dialect: json}}\n":  true,
		"models: {m: {dialect: xml}}\n":   false,
		"wrong_key: 1\n":                  false,
		"folders: [{access: read, x: 1}]": false,
	} {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(text, err)
		}
		if err := schema.Validate(jsonValue(t, v)); (err == nil) != ok {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// jsonValue turns what YAML gives into what JSON would.
func jsonValue(t *testing.T, v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
