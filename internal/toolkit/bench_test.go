package toolkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/tool"
)

// BenchmarkTools measures whole calls: arguments, gate, folders, handler, JSON
// and words.
func BenchmarkTools(b *testing.B) {
	root := b.TempDir()
	line := "2026-11-30 10:00:00 INFO a line of an ordinary log with some text in it\n"
	for name, text := range map[string]string{
		"notes.md": "# Notes\nbuy milk\n", "app.log": strings.Repeat(line, 1<<20/len(line)*32), // 32 MiB
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	set, err := tool.New(tool.Config{Tools: All(Config{})})
	if err != nil {
		b.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{Owner: true}, Folders: []string{root}}
	for _, bench := range []struct{ name, tool, args string }{
		{"calculate", "calculate", `{"expression":"111 x 222 / 777"}`},
		{"list", "list_dir", `{}`},
		{"read", "read_file", `{"path":"./notes.md"}`},
		{"read 32 MiB", "read_file", `{"path":"./app.log"}`},
		{"search 32 MiB", "search_files", `{"path":"app.log","content":"ERROR"}`},
		{"search 32 MiB, any case", "search_files", `{"path":"app.log","content":"error"}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if r := set.Call(b.Context(), scope, loci.ToolCall{Name: bench.tool, Arguments: json.RawMessage(bench.args)}, nil); r.Err != nil {
					b.Fatal(r.Err)
				}
			}
		})
	}
}

// BenchmarkBareName reads a file by its bare name, beside 20,000 others.
func BenchmarkBareName(b *testing.B) {
	root := b.TempDir()
	for i := range 20_000 {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("%05d.md", i)), []byte("text"), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	set, err := tool.New(tool.Config{Tools: All(Config{})})
	if err != nil {
		b.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{Owner: true}, Folders: []string{root}}
	for _, path := range []string{"./10000.md", "10000.md", "gone.md"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				r := set.Call(b.Context(), scope, loci.ToolCall{Name: "read_file", Arguments: json.RawMessage(`{"path":"` + path + `"}`)}, nil)
				if (r.Err != nil) != (path == "gone.md") {
					b.Fatal(r.Err)
				}
			}
		})
	}
}

// BenchmarkChanges measures calls of the tools that change files, on a small file
// and on one of 1 MiB: the preview and the change itself.
func BenchmarkChanges(b *testing.B) {
	line := "2026-11-30 10:00:00 INFO a line of an ordinary log with some text in it\n"
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1 kB", 1 << 10}, {"1 MB", 1 << 20}} {
		root := b.TempDir()
		path := filepath.Join(root, "f")
		old := "the first line\n" + strings.Repeat(line, size.bytes/len(line))
		edited := "another first line\n" + old[len("the first line\n"):]
		set, err := tool.New(tool.Config{Tools: All(Config{Trash: filepath.Join(root, "trash")}), Gate: anything{}})
		if err != nil {
			b.Fatal(err)
		}
		asking, err := tool.New(tool.Config{Tools: All(Config{})})
		if err != nil {
			b.Fatal(err)
		}
		scope := loci.Scope{Principal: loci.Principal{Owner: true}, Folders: []string{root}}
		for _, c := range []struct {
			name string
			args any
		}{
			{"write_file", writeArgs{"f", edited}}, {"edit_file", editArgs{Path: "f", Old: "the first", New: "another first"}},
			{"move_file", moveArgs{"f", "g"}}, {"delete_file", deleteArgs{"f"}},
		} {
			raw, err := json.Marshal(c.args)
			if err != nil {
				b.Fatal(err)
			}
			call := loci.ToolCall{Name: c.name, Arguments: raw}
			fresh := func() {
				if err := errors.Join(os.WriteFile(path, []byte(old), 0o600), os.RemoveAll(filepath.Join(root, "g"))); err != nil {
					b.Fatal(err)
				}
			}
			b.Run(size.name+" ask "+c.name, func(b *testing.B) {
				for fresh(); b.Loop(); {
					if asking.Ask(b.Context(), scope, call) == nil {
						b.Fatal("it does not ask")
					}
				}
			})
			b.Run(size.name+" "+c.name, func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					fresh()
					b.StartTimer()
					if r := set.Call(b.Context(), scope, call, nil); r.Err != nil {
						b.Fatal(r.Err)
					}
				}
			})
		}
	}
}
