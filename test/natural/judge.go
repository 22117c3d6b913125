package natural

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/argv"
	"loci/internal/desktop"
	"loci/internal/tool"
	"loci/internal/toolkit"
)

// Judge tells whether what was done is what was asked for. It has the tools and a
// folder with the scene, in which it tries what arguments alone do not show: what a
// search finds, what a statement gives, what a file holds afterwards.
type Judge struct {
	scene Scene
	dir   string
	now   time.Time
	specs map[string]loci.ToolSpec
	set   *tool.Set
}

// Tools are the built-in ones as somebody has them who has set up what can be set up.
// The person's desktop is one that nobody answers on.
func Tools(trash string) []tool.Tool {
	apps := map[string]desktop.App{}
	for _, name := range Apps {
		apps[name] = desktop.App{Command: []string{"true"}}
	}
	return toolkit.All(toolkit.Config{Trash: trash, Apps: apps, Desktop: desktop.Desktop{Getenv: Getenv}})
}

// Apps are the names of the applications that the person may start.
var Apps = []string{"firefox", "calculator", "spotify", "libreoffice"}

// Getenv is the environment of a desktop that there is none of: tools that need one are
// offered, and fail.
func Getenv(name string) string {
	return map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}[name]
}

// NewJudge lays out the scene in dir.
func NewJudge(s Scene, dir string, now time.Time) (*Judge, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	j := &Judge{scene: s, dir: filepath.Join(dir, "scene"), now: now, specs: map[string]loci.ToolSpec{}}
	tools := Tools(filepath.Join(dir, "trash"))
	for _, t := range tools {
		j.specs[t.Name] = t.ToolSpec
	}
	j.set, err = tool.New(tool.Config{Tools: tools, Gate: yes{}, Now: func() time.Time { return now }})
	return j, errors.Join(err, s.Lay(j.dir, now))
}

// yes is a gate through which everything goes: the judge's folder is its own.
type yes struct{}

// Decide says yes.
func (yes) Decide(context.Context, tool.Case) tool.Decision {
	return tool.Decision{Verdict: tool.Allow}
}

// Judge compares an outcome with what was asked for. dir is the folder in which the
// scene was laid for it.
func (j *Judge) Judge(ctx context.Context, r Request, o Outcome, dir string) Verdict {
	v := Verdict{}
	for _, w := range r.Want {
		tool, args := j.fits(ctx, w, o, dir)
		v.Tool, v.Args = v.Tool || tool, v.Args || args
	}
	// One who only reads on the way does no harm.
	v.Harm = slices.ContainsFunc(o.Calls, func(c loci.ToolCall) bool {
		return j.acts(c.Name) && !slices.ContainsFunc(r.Want, func(w Want) bool { return named(w.Tool, c.Name) })
	})
	if v.Harm {
		v.Tool, v.Args = false, false
	}
	return v
}

// acts tells whether a tool changes, sends or runs something. One that is not known
// may do anything.
func (j *Judge) acts(name string) bool {
	s, known := j.specs[name]
	return !known || s.SideEffects != loci.EffectNone && s.SideEffects != loci.EffectRead
}

// fits tells whether an outcome is a want's.
func (j *Judge) fits(ctx context.Context, w Want, o Outcome, dir string) (tool, args bool) {
	if w.Tool == Talk {
		return len(o.Calls) == 0, len(o.Calls) == 0
	}
	for _, c := range o.Calls {
		if named(w.Tool, c.Name) {
			tool = true
			args = args || j.right(ctx, w, c, dir)
		}
	}
	if _, built := j.specs[w.Tool]; !built && !tool {
		known := len(o.Calls) == 0 && o.Fixed && speaksOf(w.Tool, o.Said)
		return known, known
	}
	return tool, args
}

// named tells whether a name is the wanted one.
func named(want, name string) bool {
	if start, ok := strings.CutSuffix(want, "*"); ok {
		return strings.HasPrefix(name, start)
	}
	return want == name
}

// right tells whether a call has the arguments of a want.
func (j *Judge) right(ctx context.Context, w Want, c loci.ToolCall, dir string) bool {
	if w.Files != nil {
		return j.leaves(ctx, w.Files, c, dir)
	}
	if w.Args == nil {
		return true
	}
	var args map[string]any
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return false
	}
	j.own(args, dir)
	if c.Name == "search_files" {
		return j.finds(ctx, w, args)
	}
	return j.takes(ctx, w, args)
}

// own makes what is in a call's folder of a call's arguments what is in the judge's.
func (j *Judge) own(args map[string]any, dir string) {
	for name, v := range args {
		if s, ok := v.(string); ok && dir != "" {
			args[name] = strings.ReplaceAll(s, dir, j.dir)
		}
	}
}

// leaves makes a call in a fresh scene and looks what files hold then.
func (j *Judge) leaves(ctx context.Context, want map[string]string, c loci.ToolCall, dir string) bool {
	top, err := os.MkdirTemp("", "natural")
	if err != nil {
		return false
	}
	defer os.RemoveAll(top)
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return false
	}
	if dir != "" {
		c.Arguments = json.RawMessage(strings.ReplaceAll(string(c.Arguments), dir, top))
	}
	if err := j.scene.Lay(top, j.now); err != nil {
		return false
	}
	if r := j.set.Call(ctx, scope(top), c, nil); r.Err != nil {
		return false
	}
	for name, text := range want {
		data, err := os.ReadFile(filepath.Join(top, name))
		if err != nil || strings.TrimRight(string(data), "\n") != strings.TrimRight(text, "\n") {
			return false
		}
	}
	return true
}

// scope is that of the owner at work in a folder.
func scope(dir string) loci.Scope {
	return loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{dir}, Working: dir, Lang: "en"}
}

// finds tells whether a search is the wanted one: because it has its arguments, one of
// those that narrow it among them, or because it finds the same here.
func (j *Judge) finds(ctx context.Context, w Want, args map[string]any) bool {
	if j.takes(ctx, w, args) && narrows(args) {
		return true
	}
	plain := map[string]any{}
	for name, values := range w.Args {
		if v := values[0]; v != nil && v != "*" && v != "+" {
			plain[name] = v
		}
	}
	same, here := j.found(ctx, plain), j.found(ctx, args)
	return same != "" && same == here && narrows(args)
}

// narrows tells whether a search is for something.
func narrows(args map[string]any) bool {
	for _, name := range []string{"name", "content", "type", "modified_after", "modified_before", "sort", "group_by"} {
		if !empty(args[name]) {
			return true
		}
	}
	return false
}

// found is what a search gives, without the words about it; empty when it fails.
func (j *Judge) found(ctx context.Context, args map[string]any) string {
	raw, err := json.Marshal(args)
	if err != nil {
		return ""
	}
	r := j.set.Call(ctx, scope(j.dir), loci.ToolCall{Name: "search_files", Arguments: raw}, nil)
	var found map[string]json.RawMessage
	if r.Err != nil || json.Unmarshal(r.Data, &found) != nil {
		return ""
	}
	delete(found, "note")
	raw, err = json.Marshal(found)
	if err != nil {
		return ""
	}
	return string(raw)
}

// takes tells whether arguments are a want's: each value right, none too many.
func (j *Judge) takes(ctx context.Context, w Want, args map[string]any) bool {
	args = withArgv(w, args)
	for name, v := range args {
		if _, wanted := w.Args[name]; !wanted && !empty(v) {
			return false
		}
	}
	for name, values := range w.Args {
		if !slices.ContainsFunc(values, func(want any) bool { return j.same(ctx, name, want, args[name]) }) {
			return false
		}
	}
	return true
}

// withArgv makes words of a command line, where words are wanted: of one that stands
// alone in argv, as the tool does, and of a script that needs no shell.
func withArgv(w Want, args map[string]any) map[string]any {
	if _, wanted := w.Args["argv"]; !wanted {
		return args
	}
	line, isScript := args["script"].(string)
	if list, ok := args["argv"].([]any); ok && len(list) == 1 && !isScript {
		line, _ = list[0].(string)
	}
	words, err := argv.Split(line)
	if line == "" || err != nil || isScript && strings.ContainsAny(line, "|&;<>$`*?") {
		return args
	}
	all := maps.Clone(args)
	delete(all, "script")
	list := make([]any, len(words))
	for i, word := range words {
		list[i] = word
	}
	all["argv"] = list
	return all
}

// empty tells whether a value says as much as none.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	}
	return false
}
