package intent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"loci"
	"loci/internal/tool"
	"loci/internal/toolkit"
)

// TestResultsOfTheRealTools decodes what the tools return: each field that the
// rules read must be there under its name, or the rules are blind.
func TestResultsOfTheRealTools(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "app.log"), []byte("an ERROR\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := tool.New(tool.Config{Tools: toolkit.All(toolkit.Config{}), Gate: open{}})
	if err != nil {
		t.Fatal(err)
	}
	run := func(name, args string) loci.ToolResult {
		scope := loci.Scope{Principal: loci.Principal{Owner: true}, Folders: []string{dir}}
		r := set.Call(t.Context(), scope, loci.ToolCall{Name: name, Arguments: json.RawMessage(args)}, nil)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		return r
	}
	for what, got := range map[string]any{
		"lines":   decode[searchResult](run(searchFiles, `{"content":"ERROR"}`)).Matches,
		"count":   *decode[searchResult](run(searchFiles, `{"content":"ERROR","count":true}`)).Lines,
		"times":   decode[searchResult](run(searchFiles, `{"content":"ERROR","count":true}`)).Times,
		"groups":  decode[searchResult](run(searchFiles, `{"group_by":"(ERROR)"}`)).Groups,
		"files":   decode[searchResult](run(searchFiles, `{"type":"file"}`)).Files,
		"folders": decode[searchResult](run(searchFiles, `{"type":"folder"}`)).Folders,
		"clock":   decode[clockResult](run(currentTime, `{}`)),
		"sum":     decode[sumResult](run(calculate, `{"expression":"1+1"}`)),
		"total":   decode[processResult](run(listProcesses, `{}`)),
		"disks":   decode[systemResult](run(systemInfo, `{"part":"disk"}`)),
		listDir:   decode[listResult](run(listDir, `{}`)),
		readFile:  decode[readResult](run(readFile, `{"path":"app.log"}`)),
		writeFile: decode[writeResult](run(writeFile, `{"path":"sub/new.md","content":"# New"}`)),
	} {
		complete(t, what, reflect.ValueOf(got))
	}
	// A report is read back from where the tool says that it wrote it.
	if w := decode[writeResult](run(writeFile, `{"path":"sub/new.md","content":"# Newer"}`)); w.Path != filepath.Join(dir, "sub", "new.md") {
		t.Errorf("written to %q", w.Path)
	}
	// What is asked for is found again in the call.
	if c := run(searchFiles, `{"group_by":"(ERROR)"}`).Call; decode[searchArguments](loci.ToolResult{Data: c.Arguments}).GroupBy != "(ERROR)" {
		t.Errorf("called with %s", c.Arguments)
	}
	if c := run(writeFile, `{"path":"sub/new.md","content":"x"}`).Call; decode[writeArguments](loci.ToolResult{Data: c.Arguments}).Content != "x" {
		t.Errorf("called with %s", c.Arguments)
	}
	// The rules compare these words.
	if f := decode[searchResult](run(searchFiles, `{}`)); f.Lines != nil || f.Matches[0].Type != "file" && f.Matches[1].Type != "file" {
		t.Errorf("%+v", f)
	}
	if files := decode[listResult](run(listDir, `{}`)).files(); len(files) != 1 || files[0] != filepath.Join(dir, "app.log") {
		t.Errorf("%v", files)
	}
}

// open is a gate through which everything goes.
type open struct{}

func (open) Decide(context.Context, tool.Case) tool.Decision {
	return tool.Decision{Verdict: tool.Allow}
}

// TestArgumentsOfTheRealTools makes each call that the rules can make: a tool
// must take its arguments.
func TestArgumentsOfTheRealTools(t *testing.T) {
	var specs []loci.ToolSpec
	tools := toolkit.All(toolkit.Config{})
	for _, tl := range tools {
		specs = append(specs, tl.ToolSpec)
	}
	set, err := tool.New(tool.Config{Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{Owner: true}, Folders: []string{t.TempDir()}}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, text := range []string{
		"what day is it", "what time is it in Tokyo", "which week is it", "what is 2 + 2", "how much memory is free",
		"show the top 3 processes", "which process takes the most memory", "ls", "what are the largest files here",
		"which files changed last week", "which file mentions Anna", "find all markdown files", "how many ERROR lines are in my files",
		"count ERROR lines per hour in my files", "summarise what I just wrote",
	} {
		m, err := New(Config{}).Next(t.Context(), loci.Situation{Text: text, Lang: "en", Tools: specs, Now: now})
		if err != nil || m.Call == nil {
			t.Errorf("%q: %+v, %v", text, m, err)
			continue
		}
		if r := set.Call(t.Context(), scope, *m.Call, nil); r.Err != nil {
			t.Errorf("%q: %s %s: %+v", text, m.Call.Name, m.Call.Arguments, r.Err)
		}
	}
}

// complete checks that no field was left at its zero value.
func complete(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	if v.IsZero() {
		t.Errorf("%s was not decoded", path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		complete(t, path, v.Elem())
	case reflect.Slice:
		complete(t, path+"[0]", v.Index(0))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[loci.Time]() {
			return
		}
		for i := range v.NumField() {
			complete(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	}
}
