package toolkit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"loci/internal/sandbox"
	"loci/internal/tool"
)

// TestSearchStops stops searches that would take from many seconds to minutes:
// slow expressions over one endless line, long lines, short lines and many
// files. They end within some 25 ms; the bound leaves room for the race detector
// on a busy machine.
func TestSearchStops(t *testing.T) {
	const bound = 3 * time.Second
	texts := map[string]string{
		"endless": strings.Repeat("a", 16<<20),
		"long":    strings.Repeat(strings.Repeat("a", longLine-1)+"\n", 2_000),
		"short":   strings.Repeat(strings.Repeat("a", 72)+"\n", 200_000),
	}
	for i := range 2_000 {
		texts[fmt.Sprintf("many/%05d.txt", i)] = strings.Repeat("a", 10_000)
	}
	b := newBench(t, texts)
	files, err := sandbox.New(sandbox.Config{Folders: []string{b.root}})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	handle := searchFiles(Config{}).Handler
	for _, path := range []string{"endless", "long", "short", "many"} {
		for _, content := range []string{"(?:a?){300}b", "(?:a?b?){150}c"} {
			args, err := json.Marshal(searchArgs{Path: path, Content: content, Regexp: true})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			start := time.Now()
			_, err = handle(ctx, tool.Env{Files: files, Now: noon}, args)
			if took := time.Since(start); err != nil || ctx.Err() == nil || took > bound {
				t.Errorf("%s in %s: %v after %v", content, path, err, took)
			}
			cancel()
		}
	}
}

// TestSearchTellsOfStop wants the note also where the last file was cut off.
func TestSearchTellsOfStop(t *testing.T) {
	b := newBench(t, map[string]string{"one": strings.Repeat("aaaaaaaaa\n", 1<<20)})
	set, err := tool.New(tool.Config{Tools: All(Config{SearchTime: 30 * time.Millisecond})})
	if err != nil {
		t.Fatal(err)
	}
	b.set = set
	if got := get[found](b, "search_files", `{"content":"(?:a?){300}b","regexp":true}`); !strings.Contains(got.Note, "took too long") {
		t.Errorf("note %q", got.Note)
	}
}

// TestLargePatterns refuses expressions that are large, or become so.
func TestLargePatterns(t *testing.T) {
	b := newBench(t, map[string]string{"x": strings.Repeat("a", 9_000) + "needle7" + strings.Repeat("b", 9_000)})
	for _, pattern := range []string{strings.Repeat("a", 1_001), "(?:a{10}){100}", strings.Repeat("a{900}", 2)} {
		b.refuse("search_files", `{"content":"`+pattern+`","regexp":true}`, "cannot be used")
		b.refuse("search_files", `{"group_by":"(`+pattern+`)"}`, "cannot be used")
	}
	b.refuse("search_files", `{"content":"`+strings.Repeat("č", 600)+`"}`, "too long")
	if got := get[found](b, "search_files", `{"content":"`+strings.Repeat("č", 400)+`"}`); *got.Lines != 0 {
		t.Errorf("%+v", got)
	}
	// What is found in a long line, and where, is the same as in a short one.
	got := get[found](b, "search_files", `{"content":"need(le)\\d","regexp":true}`)
	if *got.Lines != 1 || !strings.Contains(got.Matches[0].Hits[0].Text, "needle7") {
		t.Errorf("%+v", got)
	}
	got = get[found](b, "search_files", `{"group_by":"need(le)?(x)?\\d"}`)
	if len(got.Groups) != 1 || got.Groups[0] != (group{"le", 1}) {
		t.Errorf("%+v", got.Groups)
	}
}

// TestNamesakesInRead keeps telling of files that are called the same.
func TestNamesakesInRead(t *testing.T) {
	b := newBench(t, map[string]string{"a.md": "first", "x/a.md": "second", "x/y/A.md": "third", "b.md": "alone"})
	if got := get[filePage](b, "read_file", `{"path":"a.md"}`); got.Text != "first" || got.Note != "Other files have this name too: x/a.md, x/y/A.md." {
		t.Errorf("%+v", got)
	}
	for _, path := range []string{"./a.md", "x/a.md", "b.md"} { // where it is was said, or there is one alone
		if got := get[filePage](b, "read_file", `{"path":"`+path+`"}`); got.Note != "" {
			t.Errorf("%s: %s", path, got.Note)
		}
	}
}
