//go:build unix

package toolkit

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"loci"
	"loci/internal/tool"
	"loci/internal/toolcall"
)

// everything is all that is below a folder, by path: what a file holds and what
// it may be used for, and where a link leads.
func everything(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String()
		if target, err := os.Readlink(path); err == nil {
			all[path] += " to " + target
		}
		if info.Mode().IsRegular() {
			raw, err := os.ReadFile(path)
			all[path] += " " + string(raw)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// deny makes a call that must be refused quickly, with few words, and without a
// trace.
func (b *bench) deny(r, id, name string, v any) {
	b.t.Helper()
	before := everything(b.t, r)
	start := time.Now()
	got := b.call(name, args(b.t, v))
	switch after := everything(b.t, r); {
	case got.Err == nil || got.Err.CanRetry || strings.Contains(toolcall.Content(got), "SECRET"):
		b.t.Errorf("%s was not denied: %s, %+v", id, got.Data, got.Err)
	case !maps.Equal(before, after):
		b.t.Errorf("%s was denied, but it changed %v to %v", id, before, after)
	case len(toolcall.Content(got)) > 1000 || time.Since(start) > time.Second:
		b.t.Errorf("%s: %d bytes after %v", id, len(toolcall.Content(got)), time.Since(start))
	}
}

// TestPathVectorsChanging runs the other cases of testdata/path.json, and those
// for reading that must not be written, moved or deleted either. No tool makes
// links or sets modes: what such a tool could do with a link out is tried by
// writing through it.
func TestPathVectorsChanging(t *testing.T) {
	b, r, cases, device := vectorBench(t)
	b.write("../state/audit.db", "SECRET")
	if err := os.Symlink(r+"/data/state/audit.db", b.root+"/audit.db"); err != nil {
		t.Fatal(err)
	}
	b.write("state/audit.db", "SECRET")
	set, err := tool.New(tool.Config{Tools: All(Config{Trash: b.bin}), Gate: anything{}, Private: []string{b.root + "/state"}})
	if err != nil {
		t.Fatal(err)
	}
	b.set = set
	ran := map[string]int{} // by what the case does
	for _, c := range cases {
		arg := strings.ReplaceAll(strings.TrimSuffix(c.Arg, " (symlink to agent state)"), "/r/", r+"/")
		switch c.Op {
		case "read":
			if c.Expect == "allow" || arg == "zero" && !device {
				continue
			}
			if filepath.IsLocal(arg) && !strings.ContainsAny(arg, `\:`) && arg != "." && !exists(b.root+"/"+arg) && !strings.Contains(arg, "..") {
				continue // a name like any other where nothing is yet, such as $HOME/x or CON.txt
			}
			b.deny(r, c.ID+" write", "write_file", writeArgs{arg, "x"})
			b.deny(r, c.ID+" edit", "edit_file", editArgs{Path: arg, Old: "SECRET", New: "x"})
			b.deny(r, c.ID+" move", "move_file", moveArgs{arg, "moved"})
			b.deny(r, c.ID+" move to", "move_file", moveArgs{"ok", arg})
		case "write":
			b.deny(r, c.ID, "write_file", writeArgs{arg, "x"})
			b.deny(r, c.ID+" move to", "move_file", moveArgs{"ok", arg})
		case "rename":
			from, to, _ := strings.Cut(arg, " -> ")
			b.deny(r, c.ID, "move_file", moveArgs{from, to})
		case "symlink", "chmod":
			b.deny(r, c.ID, "write_file", writeArgs{"abslink", "x"})
			b.deny(r, c.ID, "edit_file", editArgs{Path: "abslink", Old: "SECRET", New: "x"})
		case "remove_all":
			outside := everything(t, r+"/data_evil")
			if got := b.call("delete_file", args(t, deleteArgs{arg})); got.Err != nil || exists(b.root+"/"+arg) {
				t.Errorf("%s: %+v", c.ID, got.Err)
			}
			if !maps.Equal(outside, everything(t, r+"/data_evil")) {
				t.Errorf("%s deleted what the link leads to", c.ID)
			}
			if err := os.Symlink(r+"/data_evil", b.root+"/"+arg); err != nil {
				t.Fatal(err)
			}
		case "race": // reading is in package sandbox, writing below
			continue
		default:
			t.Errorf("%s: nothing is known of %s", c.ID, c.Op)
		}
		ran[c.Op]++
	}
	for op, least := range map[string]int{"read": 15, "write": 5, "rename": 1, "symlink": 1, "chmod": 1, "remove_all": 1} {
		if ran[op] < least {
			t.Errorf("only %d cases of %s ran", ran[op], op)
		}
	}
	for _, path := range []string{"hard", "loop", "dangling", "abslink", "fifo/x", "../data_evil", r + "/data_evil", ".git", ".git/config", ".AGENT", ".agent/config.toml", "state", "state/audit.db"} {
		b.deny(r, path, "write_file", writeArgs{path, "x"})
	}
	for _, path := range []string{"../data_evil", "dirlink/secret", ".", "..", "sub/..", "/", ".git", ".Git/config", ".agent", "state", r, r + "/data"} {
		b.deny(r, path, "delete_file", deleteArgs{path})
	}
}

// exists tells whether there is anything, a link included.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestWriteRaceOut swaps a folder for a link to the outside while a tool writes
// into it (path-49, and the race of report 28).
func TestWriteRaceOut(t *testing.T) {
	b := newBench(t, map[string]string{"w/d1/f": "fine", "out/f": "SECRET"})
	top := b.root
	b.root = top + "/w"
	if err := os.Symlink("../out", b.root+"/d2"); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_, _, _ = os.Rename(b.root+"/d1", b.root+"/d3"), os.Rename(b.root+"/d2", b.root+"/d1"), os.Rename(b.root+"/d3", b.root+"/d2")
			}
		}
	})
	good := 0
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		for _, c := range []struct {
			name string
			v    any
		}{{"write_file", writeArgs{"d1/f", "leak"}}, {"write_file", writeArgs{"d1/new/f", "leak"}}, {"edit_file", editArgs{Path: "d1/f", Old: "SECRET", New: "leak"}}, {"delete_file", deleteArgs{"d1/f"}}} {
			if b.call(c.name, args(t, c.v)).Err == nil {
				good++
			}
		}
	}
	close(stop)
	swapper.Wait()
	if out := everything(t, top+"/out"); len(out) != 2 || !strings.HasSuffix(out[top+"/out/f"], " SECRET") {
		t.Errorf("the outside was changed: %v", out)
	}
	if good == 0 {
		t.Error("nothing was ever written: the race proves nothing")
	}
}

// TestLinksOutWriting follows the report about links (28) for writing.
func TestLinksOutWriting(t *testing.T) {
	b := newBench(t, map[string]string{"ws/in.txt": "inside", "out/secret.txt": "s", "ws-private/p.txt": "p"})
	top := b.root
	for link, target := range map[string]string{"ws/link": "../out", "ws/one": "../out/secret.txt", "alias": "ws"} {
		if err := os.Symlink(target, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, root := range []string{"ws", "alias"} {
		b.root = filepath.Join(top, root)
		for _, path := range []string{"link/new.txt", "link/sub/new.txt", "link/secret.txt", "one", "../ws-private/p.txt", "../ws-private/new.txt", top + "/ws-private/new.txt", top + "/out/new.txt"} {
			b.deny(top, path, "write_file", writeArgs{path, "x"})
			b.deny(top, path, "edit_file", editArgs{Path: path, Old: "s", New: "x"})
			b.deny(top, path, "move_file", moveArgs{"in.txt", path})
		}
		for _, path := range []string{"link/secret.txt", "../ws-private/p.txt"} {
			b.deny(top, path, "move_file", moveArgs{path, "stolen"})
			b.deny(top, path, "delete_file", deleteArgs{path})
		}
		get[written](b, "write_file", `{"path":"in.txt","content":"by `+root+`"}`)
		raw, err := os.ReadFile(top + "/ws/in.txt")
		if err != nil || string(raw) != "by "+root {
			t.Errorf("%q, %v", raw, err)
		}
	}
}

// TestSpellingsWriting follows the report about spellings (31) for writing. Its
// Windows part (G) is in package sandbox.
func TestSpellingsWriting(t *testing.T) {
	const composed, decomposed = "\u017durn\u0101ls 1.txt", "Z\u030curna\u0304ls 1.txt"
	b := newBench(t, map[string]string{"work/" + decomposed: "D", "work/both/" + composed: "C", "work/both/" + decomposed: "D", "home/notes/old": "", "home/other/y": ""})
	top := b.root
	t.Setenv("HOME", top+"/home")
	call := func(name string, v any) loci.ToolResult {
		scope := loci.Scope{Principal: loci.Principal{Owner: true}, Folders: []string{top + "/work", top + "/home/notes"}}
		return b.set.Call(t.Context(), scope, loci.ToolCall{ID: "1", Name: name, Arguments: json.RawMessage(args(t, v))}, nil)
	}
	for _, tt := range []struct{ path, at string }{
		{composed, "work/" + decomposed},              // B
		{"both/" + composed, "work/both/" + composed}, // C
		{"both/" + decomposed, "work/both/" + decomposed},
		{"~/notes/a b.txt", "home/notes/a b.txt"}, // D
	} {
		if r := call("write_file", writeArgs{tt.path, "to " + tt.at}); r.Err != nil {
			t.Errorf("%s: %+v", tt.path, r.Err)
		}
		b.has(tt.at, "to "+tt.at)
		if r := call("edit_file", editArgs{Path: tt.path, Old: "to ", New: "in "}); r.Err != nil {
			t.Errorf("%s: %+v", tt.path, r.Err)
		}
		b.has(tt.at, "in "+tt.at)
	}
	for _, path := range []string{"~root/x", "~/other/x", "~/other/y", "~"} { // E, F
		for _, r := range []loci.ToolResult{call("write_file", writeArgs{path, "x"}), call("move_file", moveArgs{composed, path}), call("delete_file", deleteArgs{path})} {
			if r.Err == nil || r.Err.CanRetry {
				t.Errorf("%s: %s, %+v", path, r.Data, r.Err)
			}
		}
	}
	if r := call("move_file", moveArgs{composed, "~/notes/c.txt"}); r.Err != nil {
		t.Errorf("%+v", r.Err)
	}
	if r := call("delete_file", deleteArgs{"both/" + composed}); r.Err != nil {
		t.Errorf("%+v", r.Err)
	}
	all := everything(t, top)
	for path := range all {
		if strings.Contains(path, "~") {
			t.Errorf("there is %s", path)
		}
	}
	if len(all) != 11 { // the folders top, work, both, home, notes, other; and 5 files
		t.Errorf("there are %d things: %v", len(all), all)
	}
	b.has("work/both/"+decomposed, "in work/both/"+decomposed)
}
