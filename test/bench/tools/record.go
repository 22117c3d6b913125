package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
)

// A Record is one thing that a model may answer, and what is right then.
type Record struct {
	Dialect string   `json:"dialect"` // name of its file
	Fault   string   `json:"fault"`
	User    string   `json:"user"`
	Tools   []string `json:"tools,omitempty"` // of the client, from tools.json; none: the product's own

	replies []scripted
	calls   [][]Call // what shall run, in order; any of these
	told    []string // words that the model reads after a call which was not let through
	shown   []string // words that the person reads
	hidden  []string // and does not read
	files   map[string]string
}

// ID names the record.
func (r *Record) ID() string { return r.Dialect + "/" + r.Fault }

// Runs reports whether something shall run that no later reply of the script calls
// for: whether the record tries that calls are seen, or that other text is left alone.
func (r *Record) Runs() bool {
	given := 0
	for _, s := range r.replies {
		if s.form == "native" {
			given++
		}
	}
	return len(r.calls[0]) > given
}

// A scripted reply of the model, in the form that its section has.
type scripted struct {
	form   string // reply, native, deltas, messages
	text   string
	think  string
	pieces string // runes: one at a time
	finish string
}

// Call is a tool with its arguments.
type Call struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

func (c Call) String() string {
	b, err := json.Marshal(c.Arguments)
	if err != nil {
		return c.Tool + " " + err.Error()
	}
	return c.Tool + " " + string(b)
}

// Equal compares two calls. An argument that is null is one that is left out.
func (c Call) Equal(other Call) bool {
	return c.Tool == other.Tool && reflect.DeepEqual(present(c.Arguments), present(other.Arguments))
}

func present(args map[string]any) map[string]any {
	some := map[string]any{}
	for k, v := range args {
		if v != nil {
			some[k] = v
		}
	}
	return some
}

// parseCall reads a name and an object.
func parseCall(line string) (Call, error) {
	name, args, _ := strings.Cut(line, " ")
	c := Call{Tool: name}
	if err := json.Unmarshal([]byte(args), &c.Arguments); err != nil {
		return c, fmt.Errorf("the call %q: %w", line, err)
	}
	return c, nil
}

// A Dialect is a file of records: one way to write calls.
type Dialect struct {
	Name, Title string
	Markers     []string // what nobody shall read
	Records     []*Record
}

//go:embed testdata
var testdata embed.FS

// Load reads all records, in the order of the files' names.
func Load() ([]*Dialect, error) {
	names, err := testdata.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var all []*Dialect
	for _, entry := range names {
		if path.Ext(entry.Name()) != ".txt" || entry.Name() == knownFile {
			continue
		}
		text, err := testdata.ReadFile("testdata/" + entry.Name())
		if err != nil {
			return nil, err
		}
		d, err := parseDialect(strings.TrimSuffix(entry.Name(), ".txt"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		all = append(all, d)
	}
	return all, nil
}

// parseDialect reads a file. Its head names the dialect and its markers; then each
// record begins with "== fault ==", lines "key: value", and sections "-- name --".
func parseDialect(name, text string) (*Dialect, error) {
	d := &Dialect{Name: name}
	blocks := strings.Split("\n"+text, "\n== ")
	for line := range strings.Lines(blocks[0]) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
		case "title":
			d.Title = value
		case "marker":
			d.Markers = append(d.Markers, value)
		}
	}
	for _, block := range blocks[1:] {
		fault, rest, ok := strings.Cut(block, " ==\n")
		if !ok {
			return nil, fmt.Errorf("the record %.40q has no head", block)
		}
		r, err := parseRecord(strings.TrimSuffix(strings.TrimSuffix(rest, "\n"), "\n"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fault, err)
		}
		r.Dialect, r.Fault = name, fault
		r.hidden = append(r.hidden, d.leaks(rest)...)
		d.Records = append(d.Records, r)
	}
	return d, nil
}

// leaks gives the markers that a record must not show: all, unless it allows them.
func (d *Dialect) leaks(record string) []string {
	if strings.Contains(record, "\n-- leak --\nallowed") {
		return nil
	}
	return d.Markers
}

// parseRecord reads what follows the head of a record.
func parseRecord(text string) (*Record, error) {
	r := &Record{files: map[string]string{}}
	head, rest, _ := strings.Cut("\n"+text, "\n-- ")
	var finish, pieces, think string
	for line := range strings.Lines(head) {
		switch key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); key {
		case "user":
			r.User = value
		case "tools":
			r.Tools = strings.Fields(value)
		case "finish":
			finish = value
		case "pieces":
			pieces = value
		}
	}
	for section := range strings.SplitSeq(rest, "\n-- ") {
		name, body, ok := strings.Cut(section+"\n", " --\n")
		if !ok {
			return nil, fmt.Errorf("the section %.40q has no name", section)
		}
		body = strings.TrimSuffix(body, "\n")
		switch kind, arg, _ := strings.Cut(name, " "); kind {
		case "user":
			r.User = body
		case "file":
			r.files[arg] = body
		case "think":
			think = body
		case "reply", "native", "deltas", "messages":
			r.replies = append(r.replies, scripted{kind, body, think, pieces, finish})
			think = ""
		case "calls", "or":
			calls, err := parseCalls(body)
			if err != nil {
				return nil, err
			}
			r.calls = append(r.calls, calls)
		case "told":
			r.told = strings.Split(body, "\n")
		case "shown":
			r.shown = strings.Split(body, "\n")
		case "hidden":
			r.hidden = strings.Split(body, "\n")
		case "leak":
		default:
			return nil, fmt.Errorf("there is no section %q", name)
		}
	}
	if len(r.replies) == 0 || len(r.calls) == 0 || r.User == "" {
		return nil, fmt.Errorf("a user, a reply and the calls are needed")
	}
	return r, nil
}

func parseCalls(body string) ([]Call, error) {
	var list []Call
	for line := range strings.Lines(body) {
		c, err := parseCall(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// An Outcome is what a product made of a record.
type Outcome struct {
	Calls []Call `json:"calls"`           // that ran, or were asked about
	Shown string `json:"shown"`           // all that the person read, while it was streamed and in the end
	Told  string `json:"told"`            // what the model read after its first reply
	Error string `json:"error,omitempty"` // of the product
}

// A Verdict says what is wrong with an outcome; all is well if it is empty.
type Verdict struct {
	Ran    string // other calls than the right ones
	Leaked string // what should not have been shown
	Lost   string // what should have been shown or told, and was not
}

// OK reports whether nothing is wrong.
func (v Verdict) OK() bool { return v == Verdict{} }

func (v Verdict) String() string {
	return strings.Join(slices.DeleteFunc([]string{v.Ran, v.Leaked, v.Lost}, func(s string) bool { return s == "" }), "; ")
}

// Judge compares an outcome with what is right.
func (r *Record) Judge(o Outcome) (v Verdict) {
	if !r.right(o.Calls) {
		v.Ran = fmt.Sprintf("ran %v, not %v", o.Calls, r.calls[0])
	}
	for _, h := range r.hidden {
		if strings.Contains(o.Shown, h) {
			v.Leaked = fmt.Sprintf("shows %q", h)
		}
	}
	for _, s := range r.shown {
		if !strings.Contains(o.Shown, s) {
			v.Lost = fmt.Sprintf("does not show %q", s)
		}
	}
	for _, s := range r.told {
		if !strings.Contains(o.Told, s) {
			v.Lost = fmt.Sprintf("does not tell the model of %q", s)
		}
	}
	if v.Lost == "" && strings.TrimSpace(o.Shown) == "" && len(r.Tools) == 0 {
		v.Lost = "shows nothing at all"
	}
	if o.Error != "" {
		v.Lost = strings.TrimPrefix(v.Lost+"; "+o.Error, "; ")
	}
	return v
}

// right reports whether just the right calls ran. Where none but given ones shall run,
// a product may have missed those too: they are not what is tried.
func (r *Record) right(calls []Call) bool {
	stray := func(c Call) bool { return !slices.ContainsFunc(r.calls[0], c.Equal) }
	if !r.Runs() && !slices.ContainsFunc(calls, stray) {
		return true
	}
	return slices.ContainsFunc(r.calls, func(right []Call) bool { return slices.EqualFunc(right, calls, Call.Equal) })
}

// knownFile lists the records that fail today, "door dialect/fault" a line: where loci
// is not yet what the board wants. Nothing else may fail.
const knownFile = "known.txt"

// Known gives the lines of the file.
func Known() (map[string]bool, error) {
	text, err := testdata.ReadFile("testdata/" + knownFile)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for line := range bytes.Lines(text) {
		if s := string(bytes.TrimSpace(line)); s != "" && s[0] != '#' {
			known[s] = true
		}
	}
	return known, nil
}
