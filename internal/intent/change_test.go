package intent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/intent"
	"loci/internal/lang"
	"loci/internal/tool"
	"loci/internal/toolkit"
)

// changers are the names of the tools that change files.
var changers = []string{"write_file", "edit_file", "move_file", "delete_file"}

// readers are the real tools that only look.
func readers() []tool.Tool {
	return slices.DeleteFunc(toolkit.All(toolkit.Config{}), func(t tool.Tool) bool { return slices.Contains(changers, t.Name) })
}

// Arguments of the tools that change files.
type (
	writing struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	editing struct {
		Path       string `json:"path"`
		OldText    string `json:"old_text"`
		NewText    string `json:"new_text"`
		ReplaceAll bool   `json:"replace_all,omitempty"`
	}
	moving struct {
		Source      string `json:"source"`
		Destination string `json:"destination"`
	}
	deleting struct {
		Path string `json:"path"`
	}
	written struct {
		Path    string `json:"path"`
		Bytes   int    `json:"bytes"`
		Lines   int    `json:"lines"`
		Created bool   `json:"created"`
	}
	did struct {
		Done string `json:"done"`
	}
)

// everything is the readers, and stand-ins that change files without a question.
func everything() []tool.Tool {
	spec := func(name string) loci.ToolSpec {
		return loci.ToolSpec{Name: name, Description: "Changes one file.", SideEffects: loci.EffectWrite, Dangerous: true, Files: true}
	}
	at := func(env tool.Env, path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(env.Scope.Working, path)
	}
	say := func(_ string, r did) string { return r.Done }
	return append(readers(),
		tool.Define(spec("write_file"), func(_ context.Context, env tool.Env, a writing) (written, error) {
			path := at(env, a.Path)
			_, err := os.Stat(path)
			r := written{path, len(a.Content), strings.Count(a.Content, "\n"), err != nil}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return r, err
			}
			return r, os.WriteFile(path, []byte(a.Content), 0o644)
		}, func(_ string, r written) string { return fmt.Sprintf("Wrote %s (%d bytes).", r.Path, r.Bytes) }),
		tool.Define(spec("edit_file"), func(_ context.Context, env tool.Env, a editing) (did, error) {
			return did{"Edited " + a.Path + "."}, nil
		}, say),
		tool.Define(spec("move_file"), func(_ context.Context, env tool.Env, a moving) (did, error) {
			return did{"Moved " + a.Source + " to " + a.Destination + "."}, nil
		}, say),
		tool.Define(spec("delete_file"), func(_ context.Context, env tool.Env, a deleting) (did, error) {
			return did{"Deleted " + a.Path + "."}, nil
		}, say),
	)
}

// yes is a gate through which everything goes.
type yes struct{}

func (yes) Decide(context.Context, loci.Scope, loci.ToolSpec, json.RawMessage) tool.Decision {
	return tool.Decision{Verdict: tool.Allow}
}

// noToChanges is a gate of somebody who says no whenever asked.
type noToChanges struct{}

func (noToChanges) Decide(_ context.Context, _ loci.Scope, s loci.ToolSpec, _ json.RawMessage) tool.Decision {
	if s.Dangerous {
		return tool.Decision{Reason: "You said no, so nothing was changed."}
	}
	return tool.Decision{Verdict: tool.Allow}
}

// specsOf are the descriptions of tools.
func specsOf(tools []tool.Tool) []loci.ToolSpec {
	var all []loci.ToolSpec
	for _, t := range tools {
		all = append(all, t.ToolSpec)
	}
	return all
}

// said is a conversation with something in it that can be saved.
var said = []loci.Message{{Role: loci.User, Content: "Tell me about tea."}, {Role: loci.Assistant, Content: "Tea is a drink.\n\n- green\n- black"}}

// fits tells whether a move is the one that was meant.
func fits(m loci.Move, q request) bool {
	switch q.tool {
	case "none":
		return m.Call == nil
	case "say":
		return m.Call == nil && m.Say != ""
	}
	if m.Call == nil || m.Call.Name != q.tool {
		return false
	}
	var args map[string]any
	if json.Unmarshal(m.Call.Arguments, &args) != nil {
		return false
	}
	if q.tool == "write_file" && q.args["content"] == nil && args["content"] != said[1].Content {
		return false // the last reply, as it was
	}
	for name, want := range q.args {
		if args[name] != want {
			return false
		}
	}
	return args["replace_all"] == q.args["replace_all"]
}

// TestChanges measures how requests to change files are read. Those that must
// run nothing never may.
func TestChanges(t *testing.T) {
	r := intent.New(intent.Config{})
	offered := specsOf(everything())
	for file, least := range map[string]float64{"testdata/changes.tsv": 1, "testdata/changes_heldout.tsv": 0.9} {
		all, right := requests(t, file), 0
		for _, q := range all {
			m, err := r.Next(t.Context(), loci.Situation{Text: q.text, History: said, Lang: lang.Of(q.text), Tools: offered, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			if fits(m, q) {
				right++
				continue
			}
			got := m.Say
			if m.Call != nil {
				got = m.Call.Name + " " + string(m.Call.Arguments)
			}
			t.Logf("%s %q: %.100q, want %s %v", q.lang, q.text, got, q.tool, q.args)
			if m.Call != nil && (q.tool == "none" || q.tool == "say" || slices.Contains(changers, m.Call.Name)) {
				t.Errorf("%q ran %s", q.text, got)
			}
		}
		share := float64(right) / float64(len(all))
		t.Logf("%s: %d of %d, %.1f %%", file, right, len(all), 100*share)
		if share < least {
			t.Errorf("%s: only %.1f %% right", file, 100*share)
		}
	}
}
