// Package tooltest checks a tool against the rules that all tools share:
// what its description must tell a model, how it treats paths, that its errors
// have the agreed shape, that it stays within its size and its time, that its
// preview changes nothing and stops to hold when the file changes, and that
// a person can read what it returns in every language.
//
// A package that defines tools calls [Run] once for each.
package tooltest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"loci"
	"loci/internal/sandbox"
	"loci/internal/tool"
	"loci/internal/toolcall"
)

// Fixture tells [Run] how to call a tool. Calls are made in a folder that holds
// notes.md, app.log with two ERROR lines, and the folder "my files" with a
// long text in it. For a tool that changes files it is made anew for each call.
type Fixture struct {
	Args map[string]any // arguments of a call that works
	// Path is the name of the argument that takes a path; empty: none does.
	Path   string
	Folder bool // Path takes a folder, otherwise a file
	// Creates says that what Path names need not exist.
	Creates bool
	// Fail is arguments that fit the schema and that the tool itself must
	// refuse; nil where there are none.
	Fail map[string]any
	// Setup puts files into the folder, over those that are there, for a tool that
	// needs other ones; nil: it does not.
	Setup func(t *testing.T, root string)
	// Edit changes a file, for the same tools; nil: it gets another text.
	Edit func(t *testing.T, path string)
}

// The name Žurnāls in the two Unicode forms it can have on a disk.
const (
	composed   = "\u017durn\u0101ls 1"
	decomposed = "Z\u030curna\u0304ls 1"
)

const maxDescription = 300 // characters

// Run checks one tool.
func Run(t *testing.T, tl tool.Tool, f Fixture) {
	c := checker{tl: tl, f: f, root: t.TempDir()}
	c.makeFiles(t)
	t.Run("description", c.description)
	t.Run("schema", c.schema)
	t.Run("works", c.works)
	t.Run("errors", c.errors)
	t.Run("size", c.size)
	t.Run("deadline", c.deadline)
	t.Run("panic", c.panics)
	t.Run("gate", c.gate)
	if tl.Preview != nil {
		t.Run("preview", c.preview)
	}
	if f.Path != "" {
		t.Run("paths", c.paths)
	}
}

// checker checks one tool; root is the folder of the fixture.
type checker struct {
	tl   tool.Tool
	f    Fixture
	root string
}

// makeFiles fills the folder that Fixture tells of.
func (c checker) makeFiles(t *testing.T) {
	t.Helper()
	for name, text := range map[string]string{
		"notes.md":                       "# Notes\nbuy milk\n",
		"app.log":                        "INFO start\nERROR disk\nINFO on\nERROR net\n",
		"my files/long one.txt":          strings.Repeat("žluťoučký kůň 好 🐢 \"quoted\"\n", 2000),
		decomposed + "/" + "inside.txt":  "inside\n",
		"both/" + decomposed + ".txt":    "decomposed\n",
		"my files/" + composed + ".text": "composed\n",
	} {
		path := filepath.Join(c.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c.f.Setup != nil {
		c.f.Setup(t, c.root)
	}
}

// call runs the tool through a set of its own.
func (c checker) call(t *testing.T, tl tool.Tool, lang string, args map[string]any) loci.ToolResult {
	t.Helper()
	if changes(tl) {
		if err := os.RemoveAll(c.root); err != nil {
			t.Fatal(err)
		}
		c.makeFiles(t)
	}
	set, err := tool.New(tool.Config{Tools: []tool.Tool{tl}, Gate: allowAll{}})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{c.root}, Lang: lang}
	return set.Call(t.Context(), scope, loci.ToolCall{ID: "1", Name: tl.Name, Arguments: raw}, nil)
}

// allowAll is a gate for tests: what is checked here lies behind the gate.
type allowAll struct{}

// Decide allows everything.
func (allowAll) Decide(context.Context, tool.Case) tool.Decision {
	return tool.Decision{Verdict: tool.Allow}
}

// description checks what models and the matching of intents rely on.
func (c checker) description(t *testing.T) {
	d := c.tl.Description
	if n := utf8.RuneCountInString(d); n > maxDescription {
		t.Errorf("the description has %d characters, at most %d are useful", n, maxDescription)
	}
	for what, form := range map[string]string{
		"what it does not do": `\b(not|no|never)\b`,
		"the form of paths":   `\bpaths?\b`,
		"an example":          `Example: \{.*\}$`,
	} {
		if !regexp.MustCompile(form).MatchString(d) {
			t.Errorf("the description does not tell %s: %s", what, d)
		}
	}
	_, example, _ := strings.Cut(d, "Example: ")
	schema, err := toolcall.Compile(c.tl.ToolSpec)
	if err == nil {
		_, err = schema.Arguments(json.RawMessage(example))
	}
	if err != nil {
		t.Errorf("the example %s does not fit the schema: %v", example, err)
	}
	latin, han := 0, 0
	for _, e := range c.tl.Examples {
		if strings.ContainsFunc(e, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			han++
		} else {
			latin++
		}
	}
	if latin < 8 || han < 2 {
		t.Errorf("there are %d examples in English and Czech and %d in Chinese; want 8 and 2", latin, han)
	}
}

// schema checks that each argument is described and that no other is taken.
func (c checker) schema(t *testing.T) {
	var s struct {
		Properties map[string]struct {
			Description string
			Enum        []string
		}
	}
	if err := json.Unmarshal(c.tl.Parameters, &s); err != nil {
		t.Fatal(err)
	}
	for name, p := range s.Properties {
		if p.Description == "" && p.Enum == nil {
			t.Errorf("the argument %s has no description", name)
		}
	}
	args := maps.Clone(c.f.Args)
	if args == nil {
		args = map[string]any{}
	}
	args["no_such_argument_anywhere"] = 1
	if r := c.call(t, c.tl, "en", args); r.Err == nil {
		t.Error("an unknown argument was taken")
	}
}

// works checks a call that succeeds: the data for a model, and the words for a
// person in each language.
func (c checker) works(t *testing.T) {
	texts := map[string]bool{}
	for _, lang := range []string{"en", "zh-CN", "cs"} {
		r := c.call(t, c.tl, lang, c.f.Args)
		if r.Err != nil {
			t.Fatalf("%s: %+v", lang, r.Err)
		}
		if !json.Valid(r.Data) || r.Data[0] != '{' || strings.Contains(string(r.Data), `"cut"`) {
			t.Errorf("the result is not a whole JSON object: %s", r.Data)
		}
		if strings.TrimSpace(r.Text) == "" || strings.Contains(r.Text, `{"`) || strings.Contains(r.Text, "%!") || !utf8.ValidString(r.Text) {
			t.Errorf("the text in %s is not for people: %q", lang, r.Text)
		}
		texts[r.Text] = true
	}
	if len(texts) == 1 && c.f.Path == "" && c.tl.Name != "calculate" { // a formula is the same everywhere
		t.Errorf("the text is the same in all languages: %v", texts)
	}
}

// errors checks a call that the tool refuses.
func (c checker) errors(t *testing.T) {
	if c.f.Fail != nil {
		checkError(t, c.call(t, c.tl, "en", c.f.Fail))
	}
}

// checkError checks the shape of a failure that trying again does not mend.
func checkError(t *testing.T, r loci.ToolResult) {
	t.Helper()
	e := r.Err
	switch {
	case e == nil:
		t.Fatalf("no error but %s", r.Data)
	case r.Data != nil:
		t.Error("there is a result beside the error")
	case e.Message == "" || e.Suggestion == "" || e.CanRetry || r.Text == "":
		t.Errorf("bad error: %+v", e)
	case len(e.Message) > 500:
		t.Errorf("the error has %d bytes", len(e.Message))
	case strings.Contains(toolcall.Content(r), "goroutine") || strings.Contains(toolcall.Content(r), ".go:"):
		t.Errorf("the error shows code: %s", toolcall.Content(r))
	}
}

// paths checks the spellings that people and models use.
func (c checker) paths(t *testing.T) {
	good := map[string][]string{ // true: a folder
		"file":   {"notes.md", "./notes.md", "my files/long one.txt", "my files/" + composed + ".text", "my files/" + decomposed + ".text", "both/" + composed + ".txt", c.root + "/notes.md"},
		"folder": {".", "my files", "my files/", composed, decomposed, c.root + "/my files"},
	}
	kind := "file"
	if c.f.Folder {
		kind = "folder"
	}
	for _, path := range good[kind] {
		if r := c.call(t, c.tl, "en", c.with(path)); r.Err != nil {
			t.Errorf("%q: %+v", path, r.Err)
		}
	}
	for _, path := range []string{"", "gone", "../..", "/etc/passwd", "~nobody/x", "file:///etc/passwd", "%2e%2e/x", "$HOME/x", strings.Repeat("a/", 5000)} {
		if path == "" && c.optional() || c.f.Creates && filepath.IsLocal(path) && path[0] != '~' && len(path) < 1000 {
			continue
		}
		checkError(t, c.call(t, c.tl, "en", c.with(path)))
	}
}

// optional reports whether the path may be left out; empty is then the same.
func (c checker) optional() bool {
	var s struct{ Required []string }
	return json.Unmarshal(c.tl.Parameters, &s) == nil && !strings.Contains(fmt.Sprint(s.Required), c.f.Path)
}

// with is the arguments of the fixture with another path.
func (c checker) with(path string) map[string]any {
	args := maps.Clone(c.f.Args)
	args[c.f.Path] = path
	return args
}

// size checks that a cut result is valid and admits the cut.
func (c checker) size(t *testing.T) {
	small := c.tl
	small.MaxResult = 512
	args := c.f.Args
	if c.f.Path != "" && !c.f.Folder {
		args = c.with("my files/long one.txt")
	}
	whole, cut := c.call(t, c.tl, "en", args), c.call(t, small, "en", args)
	if whole.Err != nil || cut.Err != nil {
		t.Fatal(whole.Err, cut.Err)
	}
	if len(cut.Data) > small.MaxResult || !json.Valid(cut.Data) || !utf8.Valid(cut.Data) {
		t.Errorf("%d bytes, want at most %d of valid JSON: %s", len(cut.Data), small.MaxResult, cut.Data)
	}
	if len(whole.Data) > small.MaxResult && !strings.Contains(string(cut.Data), `"cut":`) {
		t.Errorf("the cut is not told: %s", cut.Data)
	}
}

// given is what the handler gets: the fixture's folder and arguments.
func (c checker) given(t *testing.T) (*sandbox.Folders, json.RawMessage) {
	t.Helper()
	files, err := sandbox.New(sandbox.Config{Folders: []string{c.root}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	args, err := json.Marshal(c.f.Args)
	if err != nil {
		t.Fatal(err)
	}
	return files, args
}

// deadline checks that the handler stops with its context, and that one that
// does not is left behind.
func (c checker) deadline(t *testing.T) {
	files, args := c.given(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = c.tl.Handler(ctx, tool.Env{Files: files, Now: time.Now()}, args)
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Error("the handler goes on after its context ended")
	}

	hang := c.tl
	release := make(chan struct{})
	defer close(release)
	hang.Timeout = 100 * time.Millisecond
	if hang.Preview != nil { // what hangs is the handler
		hang.Preview = func(context.Context, tool.Env, json.RawMessage) (tool.Preview, error) { return tool.Preview{}, nil }
	}
	hang.Handler = func(context.Context, tool.Env, json.RawMessage) (any, error) {
		<-release
		return nil, nil
	}
	r := c.call(t, hang, "en", c.f.Args)
	if looks := c.tl.SideEffects == loci.EffectNone || c.tl.SideEffects == loci.EffectRead; looks {
		if r.Err == nil || !r.Err.CanRetry || !strings.Contains(r.Err.Message, "timed out") {
			t.Errorf("a handler that hangs gives %+v", r.Err)
		}
	} else if r.Err == nil || r.Err.CanRetry || !strings.Contains(r.Err.Message, "not known") { // it may go on
		t.Errorf("a change that hangs gives %+v", r.Err)
	}
}

// panics checks that a fault of the handler shows nothing of the program.
func (c checker) panics(t *testing.T) {
	bad := c.tl
	bad.Handler = func(context.Context, tool.Env, json.RawMessage) (any, error) { panic("secret inside") }
	r := c.call(t, bad, "en", c.f.Args)
	checkError(t, r)
	if strings.Contains(toolcall.Content(r), "secret inside") {
		t.Errorf("the panic is shown: %s", toolcall.Content(r))
	}
}

// gate checks that what is dangerous asks, that only the owner is asked, and that
// what changes a file is called dangerous and can be previewed.
func (c checker) gate(t *testing.T) {
	owner := loci.Scope{Principal: loci.Principal{Owner: true}}
	want := tool.Allow
	if c.tl.Dangerous {
		want = tool.Ask
	}
	if d := (tool.AskFirst{}).Decide(t.Context(), tool.Case{Scope: owner, Spec: c.tl.ToolSpec}); d.Verdict != want || d.Verdict == tool.Ask && d.Reason == "" {
		t.Errorf("a tool with side effects %q gets %+v", c.tl.SideEffects, d)
	}
	set, err := tool.New(tool.Config{Tools: []tool.Tool{c.tl}})
	if err != nil {
		t.Fatal(err)
	}
	if specs := set.Specs(loci.Scope{Folders: []string{t.TempDir()}}); c.tl.Dangerous && len(specs) > 0 {
		t.Error("it is offered to another person")
	}
	looks := c.tl.SideEffects == loci.EffectNone || c.tl.SideEffects == loci.EffectRead
	if looks && c.tl.Dangerous {
		t.Error("it only looks and is called dangerous")
	}
	if c.tl.Files && !looks && (!c.tl.Dangerous || c.tl.Preview == nil) {
		t.Error("it changes files, so it must be dangerous and have a preview")
	}
}
