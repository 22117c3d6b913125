package toolkit

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"loci"
	"loci/internal/text"
	"loci/internal/tool"
	"loci/internal/tool/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixtures tell the conformance suite how to call each tool.
var fixtures = map[string]tooltest.Fixture{
	"list_dir":       {Args: map[string]any{"path": "."}, Path: "path", Folder: true, Fail: map[string]any{"path": "notes.md"}},
	"read_file":      {Args: map[string]any{"path": "notes.md"}, Path: "path", Fail: map[string]any{"path": "my files"}},
	"search_files":   {Args: map[string]any{"path": "."}, Path: "path", Folder: true, Fail: map[string]any{"modified_after": "never"}},
	"system_info":    {Args: map[string]any{}, Fail: nil},
	"list_processes": {Args: map[string]any{"limit": 3}},
	"current_time":   {Args: map[string]any{"zone": "Europe/Prague"}, Fail: map[string]any{"zone": "../etc/passwd"}},
	"calculate":      {Args: map[string]any{"expression": "111 x 222 / 777"}, Fail: map[string]any{"expression": "1/0"}},
}

// TestConformance runs the suite over every tool that there is.
func TestConformance(t *testing.T) {
	all := All(Config{})
	if _, err := tool.New(tool.Config{Tools: all}); err != nil {
		t.Fatal(err)
	}
	unused := maps.Clone(fixtures)
	for _, tl := range all {
		t.Run(tl.Name, func(t *testing.T) {
			f, ok := fixtures[tl.Name]
			if !ok {
				t.Fatal("the tool has no fixture")
			}
			tooltest.Run(t, tl, f)
		})
		delete(unused, tl.Name)
	}
	if len(unused) > 0 {
		t.Errorf("fixtures without a tool: %v", unused)
	}
}

// TestPromptSize keeps the descriptions of all tools small: they are part of
// every prompt, and small models have windows of a few thousand tokens.
func TestPromptSize(t *testing.T) {
	total := 0
	for _, tl := range All(Config{}) {
		total += len(tl.Name) + len(tl.Description) + len(tl.Parameters)
	}
	if total > 3400 {
		t.Errorf("the tools take %d bytes of the prompt", total)
	}
	t.Logf("%d bytes", total)
}

// bench is a set of all tools over one folder.
type bench struct {
	t    *testing.T
	set  *tool.Set
	root string
	lang string
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// newBench makes files below a new folder.
func newBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	b := &bench{t: t, root: t.TempDir(), lang: "en"}
	for name, text := range files {
		b.write(name, text)
	}
	set, err := tool.New(tool.Config{Tools: All(Config{}), Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	b.set = set
	return b
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// call calls a tool with arguments written as JSON.
func (b *bench) call(name, args string) loci.ToolResult {
	b.t.Helper()
	scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{b.root}, Lang: b.lang}
	return b.set.Call(b.t.Context(), scope, loci.ToolCall{ID: "1", Name: name, Arguments: json.RawMessage(args)}, "")
}

// get calls a tool that must succeed, and decodes the result.
func get[R any](b *bench, name, args string) R {
	b.t.Helper()
	r := b.call(name, args)
	if r.Err != nil {
		b.t.Fatalf("%s %s: %+v", name, args, r.Err)
	}
	var result R
	if err := json.Unmarshal(r.Data, &result); err != nil {
		b.t.Fatal(err)
	}
	return result
}

// refuse calls a tool that must fail with a message that contains want.
func (b *bench) refuse(name, args, want string) {
	b.t.Helper()
	r := b.call(name, args)
	if r.Err == nil || !strings.Contains(r.Err.Message, want) {
		b.t.Errorf("%s %s: %s, %+v; want an error about %q", name, args, text.Clip(string(r.Data), 200), r.Err, want)
	}
}
