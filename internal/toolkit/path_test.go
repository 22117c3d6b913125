//go:build unix

package toolkit

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"loci"
	"loci/internal/tool"
	"loci/internal/toolcall"
)

// vector is one case of testdata/path.json.
type vector struct{ ID, Op, Arg, Expect, Why string }

// vectorBench makes the tree that testdata/path.json describes, with the folder
// /r replaced by a temporary one, and gives the cases. device tells whether
// there is one.
func vectorBench(t *testing.T) (b *bench, r string, cases []vector, device bool) {
	raw, err := os.ReadFile("testdata/path.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct{ Cases []vector }
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	b = newBench(t, map[string]string{
		"data/ok": "ok", "data/sub/x": "", "data_evil/secret": "SECRET",
		"data/.git/config": "", "data/.agent/config.toml": "",
	})
	r = b.root
	b.root = filepath.Join(r, "data")
	for link, target := range map[string]string{
		"abslink": r + "/data_evil/secret", "rellink": "../data_evil/secret", "dirlink": r + "/data_evil",
		"inlink": "sub", "loop": "loop", "proclink": "/proc/self/environ", "dangling": r + "/data_evil/new",
	} {
		if err := os.Symlink(target, filepath.Join(b.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	err = errors.Join(os.Link(r+"/data_evil/secret", b.root+"/hard"), syscall.Mkfifo(b.root+"/fifo", 0o600))
	if err != nil {
		t.Fatal(err)
	}
	device = syscall.Mknod(b.root+"/zero", syscall.S_IFCHR|0o600, 1<<8|5) == nil // only root may
	return b, r, vectors.Cases, device
}

// TestPathVectors runs the reading cases of testdata/path.json through read_file.
func TestPathVectors(t *testing.T) {
	b, r, cases, device := vectorBench(t)
	cases = append(cases, []vector{
		{"abslink", "read", "abslink", "deny", "absolute link out"},
		{"hard", "read", "hard", "ask", "hard link"},
		{"loop", "read", "loop", "deny", "link to itself"},
		{"dangling", "read", "dangling", "deny", "broken link out"},
	}...)
	ran := 0
	for _, c := range cases {
		if c.Op != "read" || c.Arg == "zero" && !device {
			continue
		}
		ran++
		arg := strings.ReplaceAll(c.Arg, "/r/", r+"/")
		args, err := json.Marshal(readArgs{Path: arg})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		got := b.call("read_file", string(args))
		switch {
		case c.Expect == "ask":
			if got.Err == nil || strings.Contains(got.Text, "SECRET") {
				t.Errorf("%s (%s) was read without a question: %s", c.ID, c.Why, got.Data)
			}
			b.asks(c.ID, "read_file", string(args), "has 2 names (hard links)", "SECRET")
		case c.Expect == "allow":
			if got.Err != nil || !strings.Contains(string(got.Data), `"text":"ok"`) {
				t.Errorf("%s (%s): %s, %+v", c.ID, c.Why, got.Data, got.Err)
			}
		case got.Err == nil || got.Err.CanRetry || strings.Contains(got.Text, "SECRET"):
			t.Errorf("%s (%s) was not denied: %s, %+v", c.ID, c.Why, got.Data, got.Err)
		case len(toolcall.Content(got)) > 1000 || time.Since(start) > time.Second:
			t.Errorf("%s: %d bytes after %v", c.ID, len(toolcall.Content(got)), time.Since(start))
		}
	}
	if ran < 26 {
		t.Errorf("only %d cases ran", ran)
	}
}

// asks checks that a call which is not dangerous by itself, or is, names in its
// question what is out of the ordinary, and gives want when the person agrees.
func (b *bench) asks(id, name, args, warning, want string) {
	b.t.Helper()
	set, err := tool.New(tool.Config{Tools: All(Config{Trash: b.bin}), Now: func() time.Time { return noon }})
	if err != nil {
		b.t.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{b.root}, Lang: "en"}
	call := loci.ToolCall{ID: "1", Name: name, Arguments: json.RawMessage(args)}
	ask := set.Ask(b.t.Context(), scope, call)
	if ask == nil || !strings.Contains(ask.Reason, warning) {
		b.t.Errorf("%s is not asked about: %+v", id, ask)
		return
	}
	if r := set.Call(b.t.Context(), scope, call, nil); r.Err == nil || !r.Refused {
		b.t.Errorf("%s ran without a yes: %s", id, r.Data)
	}
	r := set.Call(b.t.Context(), scope, call, &loci.Approval{ID: "apr_1", Fingerprint: ask.Fingerprint})
	if r.Err != nil || !strings.Contains(string(r.Data), want) {
		b.t.Errorf("%s after a yes: %s, %+v", id, r.Data, r.Err)
	}
}

// TestLinksOut follows the report about links: reading and searching stay in
// the folder, and the folder may itself be reached through a link.
func TestLinksOut(t *testing.T) {
	b := newBench(t, map[string]string{"ws/in.txt": "needle inside", "out/secret.txt": "needle outside", "ws-private/p.txt": "needle private"})
	top := b.root
	for link, target := range map[string]string{"ws/link": "../out", "ws/one": "../out/secret.txt", "alias": "ws"} {
		if err := os.Symlink(target, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, root := range []string{"ws", "alias"} {
		b.root = filepath.Join(top, root)
		for _, path := range []string{"link/secret.txt", "one", "../ws-private/p.txt", top + "/ws-private/p.txt"} {
			b.refuse("read_file", `{"path":"`+path+`"}`, "allowed")
		}
		if got := get[filePage](b, "read_file", `{"path":"in.txt"}`); got.Text != "needle inside" {
			t.Errorf("%q", got.Text)
		}
		got := get[found](b, "search_files", `{"content":"needle"}`)
		if *got.Lines != 1 || len(got.Matches) != 1 || got.Matches[0].Path != "in.txt" || !strings.Contains(got.Note, "2 links") {
			t.Errorf("%+v", got)
		}
		listed := get[listing](b, "list_dir", `{}`)
		if listed.Total != 3 || listed.Entries[1].Type != "link" || listed.Entries[2].Type != "link" {
			t.Errorf("%+v", listed)
		}
	}
}
