package toolkit

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"loci"
	"loci/internal/confine"
	"loci/internal/desktop"
	"loci/internal/text"
	"loci/internal/tool"
	"loci/internal/tool/tooltest"
)

func TestMain(m *testing.M) {
	confine.Main()
	goleak.VerifyTestMain(m)
}

// fixtures tell the conformance suite how to call each tool.
var fixtures = map[string]tooltest.Fixture{
	"list_dir":       {Args: map[string]any{"path": "."}, Path: "path", Folder: true, Fail: map[string]any{"path": "notes.md"}},
	"read_file":      {Args: map[string]any{"path": "notes.md"}, Path: "path", Fail: map[string]any{"path": "my files"}},
	"search_files":   {Args: map[string]any{"path": "."}, Path: "path", Folder: true, Fail: map[string]any{"modified_after": "never"}},
	"system_info":    {Args: map[string]any{}, Fail: nil},
	"list_processes": {Args: map[string]any{"limit": 3}},
	"current_time":   {Args: map[string]any{"zone": "Europe/Prague"}, Fail: map[string]any{"zone": "../etc/passwd"}},
	"write_file":     {Args: map[string]any{"path": "notes.md", "content": "# Notes\nbuy bread and milk\n"}, Path: "path", Creates: true, Fail: map[string]any{"path": "my files", "content": ""}},
	"edit_file":      {Args: map[string]any{"path": "notes.md", "old_text": "e", "new_text": "E", "replace_all": true}, Path: "path", Fail: map[string]any{"path": "notes.md", "old_text": "buy silk", "new_text": "x"}},
	"move_file":      {Args: map[string]any{"source": "notes.md", "destination": "new/moved.md"}, Path: "source", Fail: map[string]any{"source": "notes.md", "destination": "app.log"}},
	"delete_file":    {Args: map[string]any{"path": "notes.md"}, Path: "path", Fail: map[string]any{"path": "."}},
	"run_command":    {Args: map[string]any{"argv": []string{"cat", "notes.md"}}, Fail: map[string]any{"argv": []string{"no-such-program-here"}}},
	"query_db":       {Args: map[string]any{"database": "notes.md", "query": "SELECT * FROM notes"}, Path: "database", Setup: databases, Fail: map[string]any{"database": "notes.md", "query": "DROP TABLE notes"}},
	"change_db":      {Args: map[string]any{"database": "notes.md", "query": "DELETE FROM notes WHERE id > 1"}, Path: "database", Setup: databases, Edit: addRow, Fail: map[string]any{"database": "notes.md", "query": "DROP TABLE notes"}},
	"media_control":  {Args: map[string]any{"action": "volume_set", "volume": 30}},
	"open_app":       {Args: map[string]any{"app": "reader", "target": "notes.md"}, Path: "target", Fail: map[string]any{"app": "other"}},
	"calculate":      {Args: map[string]any{"expression": "111 x 222 / 777"}, Fail: map[string]any{"expression": "1/0"}},
}

// TestConformance runs the suite over every tool that there is.
func TestConformance(t *testing.T) {
	all := All(Config{Trash: filepath.Join(t.TempDir(), "trash"), Apps: map[string]desktop.App{"reader": {Command: []string{"true"}}}})
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
			if tl.Name == "media_control" {
				tl = mediaControl(Config{Desktop: withPlayer(t)})
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
		if tl.Dormant {
			continue
		}
		total += len(tl.Name) + len(tl.Description) + len(tl.Parameters)
	}
	if total > 7000 {
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
	bin  string // the trash
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// newBench makes files below a new folder.
func newBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	b := &bench{t: t, root: t.TempDir(), lang: "en", bin: filepath.Join(t.TempDir(), "trash")}
	for name, text := range files {
		b.write(name, text)
	}
	set, err := tool.New(tool.Config{Tools: All(Config{Trash: b.bin}), Gate: anything{}, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	b.set = set
	return b
}

// anything is a gate that lets every call through: asking is not tested here.
type anything struct{}

// Decide allows everything.
func (anything) Decide(context.Context, tool.Case) tool.Decision {
	return tool.Decision{Verdict: tool.Allow}
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
	return b.set.Call(b.t.Context(), scope, loci.ToolCall{ID: "1", Name: name, Arguments: json.RawMessage(args)}, nil)
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

func TestDoing(t *testing.T) {
	set, err := tool.New(tool.Config{Tools: All(Config{})})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ tool, args, want string }{
		{"list_dir", `{}`, "listing ."},
		{"list_dir", `{"path":"a"}`, "listing a"},
		{"read_file", `{"path":"notes.md"}`, "reading notes.md"},
		{"search_files", `{"content":"ERROR","path":"app.log","count":true}`, `searching for "ERROR" in app.log`},
		{"search_files", `{"content":"^\\d+ (?:a|b)","regexp":true,"path":"logs"}`, "looking through the files in logs"},
		{"search_files", `{"name":"*.md"}`, "looking for files named *.md"},
		{"search_files", `{"sort":"newest"}`, "looking through the files"},
		{"write_file", `{"path":"a.md","content":"x"}`, "writing a.md"},
		{"edit_file", `{"path":"a.md","old_text":"x","new_text":"y"}`, "changing a.md"},
		{"move_file", `{"source":"a","destination":"b"}`, "moving a to b"},
		{"delete_file", `{"path":"a.md"}`, "deleting a.md"},
		{"run_command", `{"argv":["git","log","--author","A B"]}`, "running git log --author 'A B'"},
		{"run_command", `{"argv":"make test"}`, "running make test (this may take long)"},
		{"run_command", `{"script":"ls | wc -l","timeout_s":61}`, "running the script ls | wc -l (this may take long)"},
		{"run_command", `{"argv":"ls | wc"}`, "running a command"},
		{"calculate", `{"expression":"6*7"}`, "calculating 6*7"},
		{"query_db", `{"database":"shop.db"}`, "looking into shop.db"},
		{"change_db", `{"database":"shop.db","query":"DELETE FROM a"}`, "changing shop.db"},
		{"media_control", `{"action":"next"}`, "telling the player: next"},
		{"open_app", `{"app":"editor"}`, "opening editor"},
		{"current_time", `{}`, "looking at the clock"},
		{"something_new", `{"path":"x"}`, "something_new"},
		{"read_file", `no JSON`, "read_file"},
		{"read_file", `{}`, "read_file"},
	} {
		if got := set.Doing(loci.ToolCall{Name: tt.tool, Arguments: json.RawMessage(tt.args)}); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
	for _, tl := range All(Config{}) {
		if tl.Doing == nil {
			t.Errorf("%s does not say what it does", tl.Name)
		}
	}
}
