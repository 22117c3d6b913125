//go:build unix

package toolkit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/sandbox"
	"loci/internal/tool"
	"loci/internal/toolcall"
)

// TestSeveralNames asks about a file with a name outside, whatever is to be done
// with it, tells what becomes of the other name, and does just that after the yes.
func TestSeveralNames(t *testing.T) {
	for name, tt := range map[string]struct {
		args           any
		warning        string
		inside, beside string // what the two names have after it
	}{
		"read_file":   {readArgs{Path: "x"}, "x has 2 names (hard links); the others may lie outside the allowed folders.", "old\n", "old\n"},
		"write_file":  {writeArgs{"x", "new\n"}, "Only this name gets the new content; the others keep the old one.", "new\n", "old\n"},
		"edit_file":   {editArgs{Path: "x", Old: "old", New: "new"}, "Only this name gets the new content; the others keep the old one.", "new\n", "old\n"},
		"move_file":   {moveArgs{"x", "y"}, "The others stay as they are.", "", "old\n"},
		"delete_file": {deleteArgs{"x"}, "The others stay as they are.", "", "old\n"},
	} {
		b := newBench(t, map[string]string{"in/x": "old\n", "out/k": ""})
		top := b.root
		b.root = top + "/in"
		if err := os.Link(b.root+"/x", top+"/out/x"); err != nil {
			t.Fatal(err)
		}
		b.asks(name, name, args(t, tt.args), tt.warning, `{`)
		inside, _ := os.ReadFile(b.root + "/x")
		beside, err := os.ReadFile(top + "/out/x")
		if string(inside) != tt.inside || string(beside) != tt.beside || err != nil {
			t.Errorf("%s: %q inside, %q beside, %v", name, inside, beside, err)
		}
	}
}

// TestNamesMeanwhile gives a file another name after the yes: it is asked about
// again. So it is when the edit would tell what is in it.
func TestNamesMeanwhile(t *testing.T) {
	b := newBench(t, map[string]string{"x": "SECRET key\n"})
	set, err := tool.New(tool.Config{Tools: All(Config{Trash: b.bin})})
	if err != nil {
		t.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{b.root}, Lang: "en"}
	for _, tt := range []struct {
		name string
		v    any
	}{{"write_file", writeArgs{"x", "new"}}, {"edit_file", editArgs{Path: "x", Old: "key", New: "new"}}, {"move_file", moveArgs{"x", "y"}}, {"delete_file", deleteArgs{"x"}}, {"read_file", readArgs{Path: "x"}}} {
		call := loci.ToolCall{ID: "1", Name: tt.name, Arguments: json.RawMessage(args(t, tt.v))}
		ask := set.Ask(t.Context(), scope, call)
		if ask == nil {
			t.Fatalf("%s is not asked about", tt.name)
		}
		if err := os.Link(b.root+"/x", filepath.Join(t.TempDir(), "more")); err != nil {
			t.Fatal(err)
		}
		if r := set.Call(t.Context(), scope, call, &loci.Approval{ID: "apr_1", Fingerprint: ask.Fingerprint}); r.Err == nil || strings.Contains(toolcall.Content(r), "SECRET") {
			t.Errorf("%s ran: %s", tt.name, r.Data)
		}
	}
	r := b.call("edit_file", args(t, editArgs{Path: "x", Old: "SECRET kex", New: "new"}))
	if r.Err == nil || strings.Contains(toolcall.Content(r), "key") {
		t.Errorf("%+v", r.Err)
	}
	ask := loci.ToolCall{ID: "1", Name: "edit_file", Arguments: json.RawMessage(args(t, editArgs{Path: "x", Old: "SECRET kex", New: "new"}))}
	if r := set.Call(t.Context(), scope, ask, nil); r.Err == nil || strings.Contains(toolcall.Content(r), "key") {
		t.Errorf("%+v", r.Err)
	}
}

// TestChangeIDs shows that each change can be taken back by the id of its result,
// which models do not see.
func TestChangeIDs(t *testing.T) {
	b := newBench(t, map[string]string{"x": "old\n", "dir/y": "Y"})
	before := everything(t, b.root)
	var ids []string
	for _, c := range []struct {
		name string
		v    any
	}{
		{"write_file", writeArgs{"x", "new\n"}}, {"write_file", writeArgs{"a/b", "B"}}, {"edit_file", editArgs{Path: "x", Old: "new", New: "newer"}},
		{"move_file", moveArgs{"x", "z"}}, {"delete_file", deleteArgs{"dir"}}, {"read_file", readArgs{Path: "z"}},
	} {
		r := b.call(c.name, args(t, c.v))
		if r.Err != nil || (r.Change == "") != (c.name == "read_file") {
			t.Fatalf("%s: %q, %+v", c.name, r.Change, r.Err)
		}
		if r.Change == "" {
			continue
		}
		if c.name != "delete_file" && strings.Contains(toolcall.Content(r), r.Change) {
			t.Errorf("the model sees %s", toolcall.Content(r))
		}
		if u := r.Undo(); u == nil || u.ID != r.Change || u.Href != "/api/agent/changes/"+r.Change+"/undo" {
			t.Errorf("%+v", u)
		}
		ids = append([]string{r.Change}, ids...)
	}
	files, err := sandbox.New(sandbox.Config{Folders: []string{b.root}})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	j := sandbox.Journal{Dir: b.bin}
	for _, id := range ids {
		if c, err := j.Undo(t.Context(), files, id, sandbox.By{Time: noon}); err != nil || c.Undoes != id {
			t.Fatalf("%+v, %v", c, err)
		}
		if c, err := j.Change(id); err != nil || c.Principal != "owner" || c.Call != "1" || c.Undone == "" {
			t.Errorf("%+v, %v", c, err)
		}
	}
	after := everything(t, b.root)
	if len(before) != len(after) {
		t.Errorf("%v, want %v", after, before)
	}
	for path, want := range before {
		if after[path] != want {
			t.Errorf("%s: %q, want %q", path, after[path], want)
		}
	}
}
