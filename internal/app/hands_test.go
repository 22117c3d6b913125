//go:build unix

package app

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"loci"
	"loci/internal/config"
	"loci/internal/fake"
)

// hands is a running loci with a folder, and a model that calls whatever tool it is
// told to. Every question is answered with yes, unless a test says otherwise.
type hands struct {
	t     *testing.T
	model *fake.Model
	addr  Addresses
	top   string // data is allowed, data_evil beside it is not
	home  string // loci's own folders, inside data
	asked []string

	aside    string // what the model says apart from the conversation
	says     string // to every question; empty: yes
	question func() // what happens before the answer
	answered []string
}

// newHands gives the person's folder a few files, and those outside beside it.
func newHands(t *testing.T, settings ...func(*config.Config)) *hands {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &hands{t: t, model: fake.NewModel(), top: top, home: top + "/data/home"}
	for name, text := range map[string]string{"data/ok": "ok", "data/sub/x": "x", "data/.git/config": "x", "data/got/offer": "x", "data_evil/secret": "SECRET"} {
		path := filepath.Join(top, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	env := func(name string) string { return map[string]string{"LOCI_HOME": h.home, "TZ": "Europe/Prague"}[name] }
	paths, err := config.FindPaths(env)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, h.model.Ollama(t))
	o.Paths, o.Getenv = paths, env
	o.Config.Folders = []config.Folder{{Path: top + "/data"}, {Path: top + "/data/got", Outside: true}}
	o.Config.Tier = loci.TierNative
	for _, set := range settings {
		set(&o.Config)
	}
	a := build(t, o)
	serving(t, a)
	h.addr = a.Addresses()
	return h
}

// do has the model call a tool, and gives what came of it.
func (h *hands) do(tool string, args any) loci.ToolFinished {
	h.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		h.t.Fatal(err)
	}
	h.asked = nil
	called := false
	h.model.Answer = func(r *fake.Request) (fake.Reply, bool) {
		if r.Purpose == loci.PurposeBackground {
			return fake.Reply{Text: h.aside}, true
		}
		if r.Purpose != loci.PurposeChat || called {
			return fake.Reply{Text: "Done."}, true
		}
		called = true
		return fake.Reply{Calls: []loci.ToolCall{fake.Call(tool, string(raw))}}, true
	}
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.addr.URL+"/api/agent/chat", strings.NewReader(`{"message":"Go on."}`))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Close = true
	req.Header.Set("Authorization", "Bearer "+h.addr.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	var got loci.ToolFinished
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type loci.EventType
			Data json.RawMessage
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			h.t.Fatal(err)
		}
		switch e.Type {
		case loci.EventApprovalAsked:
			h.answer()
		case loci.EventToolFinished:
			if err := json.Unmarshal(e.Data, &got); err != nil {
				h.t.Fatal(err)
			}
		case loci.EventTurnFinished:
			if got.Result.Call.Name != tool {
				h.t.Fatalf("%s was not called: %s", tool, e.Data)
			}
			return got
		}
	}
	h.t.Fatal("the turn did not end")
	return got
}

// answer says yes to all that is asked, or what the test says.
func (h *hands) answer() {
	h.t.Helper()
	_, body := ask(h.t, http.MethodGet, h.addr.URL+"/api/agent/approvals", h.addr.Key, "", "")
	var open []loci.Approval
	if err := json.Unmarshal([]byte(body), &open); err != nil {
		h.t.Fatal(err)
	}
	if h.question != nil {
		h.question()
	}
	for _, a := range open {
		h.asked, h.answered = append(h.asked, a.Reason), append(h.answered, a.ID)
		if status, body := h.say(a.ID, cmp.Or(h.says, "yes")); status != http.StatusOK {
			h.t.Fatalf("%d %s", status, body)
		}
	}
}

// say answers a question.
func (h *hands) say(id, answer string) (status int, body string) {
	h.t.Helper()
	return ask(h.t, http.MethodPost, h.addr.URL+"/api/agent/approvals/"+id, h.addr.Key, "", `{"answer":"`+answer+`"}`)
}

// denied checks that a call is refused at once, whoever says yes, and shows nothing
// of the outside.
func (h *hands) denied(tool string, args any) {
	h.t.Helper()
	start := time.Now()
	got := h.do(tool, args)
	if got.Result.Err == nil || got.Undo != nil || strings.Contains(got.Result.Text, "SECRET") {
		h.t.Errorf("%s %v was not denied: %s", tool, args, got.Result.Data)
	}
	if got.Result.Took > time.Second {
		h.t.Errorf("%s %v took %v of %v", tool, args, got.Result.Took, time.Since(start))
	}
	h.untouched()
}

// untouched checks that the outside is as it was.
func (h *hands) untouched() {
	h.t.Helper()
	entries, err := os.ReadDir(h.top + "/data_evil")
	raw, err2 := os.ReadFile(h.top + "/data_evil/secret")
	if err != nil || err2 != nil || len(entries) != 1 || string(raw) != "SECRET" {
		h.t.Errorf("the outside was changed: %v, %q", entries, raw)
	}
}

// onPath are the arguments of a call.
type onPath map[string]string

// TestSecurityCase1 reads what shares the beginning of its path with the folder.
func TestSecurityCase1(t *testing.T) {
	h := newHands(t)
	for _, path := range []string{h.top + "/data_evil/secret", "../data_evil/secret", h.top + "/data/../data_evil/secret", "sub/../../data_evil/secret"} {
		h.denied("read_file", onPath{"path": path})
	}
	if got := h.do("read_file", onPath{"path": h.top + "/data/ok"}); got.Result.Err != nil || len(h.asked) > 0 {
		t.Errorf("%+v, %v", got.Result.Err, h.asked)
	}
}

// TestSecurityCase2 goes through links to the outside: of a file, of a folder, to
// nothing yet.
func TestSecurityCase2(t *testing.T) {
	h := newHands(t)
	for link, target := range map[string]string{"abs": h.top + "/data_evil/secret", "rel": "../data_evil/secret", "dir": h.top + "/data_evil", "dangling": h.top + "/data_evil/new"} {
		if err := os.Symlink(target, h.top+"/data/"+link); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"abs", "rel", "dir/secret", "dangling"} {
		h.denied("read_file", onPath{"path": path})
		h.denied("edit_file", onPath{"path": path, "old_text": "SECRET", "new_text": "x"})
	}
	for _, path := range []string{"abs", "rel", "dir/secret", "dir/new", "dir/deep/new", "dangling"} {
		h.denied("write_file", onPath{"path": path, "content": "x"})
	}
	h.denied("move_file", onPath{"source": "ok", "destination": "dir/ok"})
	h.denied("delete_file", onPath{"path": "dir/secret"})
}

// TestSecurityCase3 reads what is no file, and asks about one with another name
// outside, naming how many it has.
func TestSecurityCase3(t *testing.T) {
	h := newHands(t)
	if err := errors.Join(syscall.Mkfifo(h.top+"/data/fifo", 0o600), os.Link(h.top+"/data_evil/secret", h.top+"/data/hard")); err != nil {
		t.Fatal(err)
	}
	paths := []string{"fifo", "/dev/zero", "/proc/self/environ"}
	if syscall.Mknod(h.top+"/data/zero", syscall.S_IFCHR|0o600, 1<<8|5) == nil { // only root may
		paths = append(paths, "zero")
	}
	for _, path := range paths {
		h.denied("read_file", onPath{"path": path})
		h.denied("write_file", onPath{"path": path, "content": "x"})
	}
	got := h.do("read_file", onPath{"path": "hard"})
	if len(h.asked) != 1 || !strings.Contains(h.asked[0], "hard has 2 names (hard links)") || got.Result.Err != nil || !strings.Contains(string(got.Result.Data), "SECRET") {
		t.Errorf("%v, %s", h.asked, got.Result.Data)
	}
	got = h.do("write_file", onPath{"path": "hard", "content": "x"})
	if len(h.asked) != 1 || !strings.Contains(h.asked[0], "the others keep the old one") || got.Result.Err != nil {
		t.Errorf("%v, %+v", h.asked, got.Result.Err)
	}
	h.untouched()
	found := h.do("search_files", onPath{"content": "SECRET"})
	if found.Result.Err != nil || strings.Contains(string(found.Result.Data), "SECRET") {
		t.Errorf("%s", found.Result.Data)
	}
}

// TestSecurityCase4 swaps a folder for a link to the outside while tools work in it.
// The races that go on for seconds are in package sandbox.
func TestSecurityCase4(t *testing.T) {
	h := newHands(t)
	data := h.top + "/data"
	if err := os.Symlink("../data_evil", data+"/sub2"); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_, _, _ = os.Rename(data+"/sub", data+"/sub3"), os.Rename(data+"/sub2", data+"/sub"), os.Rename(data+"/sub3", data+"/sub2")
			}
		}
	}()
	for range 10 {
		for _, tool := range []struct {
			name string
			args onPath
		}{{"read_file", onPath{"path": "sub/secret"}}, {"write_file", onPath{"path": "sub/new", "content": "leak"}}, {"list_dir", onPath{"path": "sub"}}, {"delete_file", onPath{"path": "sub/secret"}}} {
			got := h.do(tool.name, tool.args)
			if strings.Contains(got.Result.Text, "SECRET") || got.Result.Err == nil && strings.Contains(string(got.Result.Data), `"secret"`) {
				t.Errorf("%s leaked: %s", tool.name, got.Result.Data)
			}
		}
	}
	close(stop)
	<-stopped
	h.untouched()
}

// TestSecurityCase5 writes what other programs obey, and what belongs to loci, where
// none of it is there yet, in spellings that some file systems take for the same.
func TestSecurityCase5(t *testing.T) {
	h := newHands(t)
	for _, path := range []string{
		".agent/config.toml", ".AGENT/config.toml", ".git/hooks/pre-commit", ".GIT/hooks/pre-commit", ".Git/config", "sub/.git/hooks/x", ".claude/settings.json", ".codex/config.toml", ".loci/x",
		".vscode/tasks.json", ".bashrc", "home/config/config.yaml", "home/config/.env", "home/CONFIG/config.yaml", "home/state/new", "home/cache/new", "home/data/new", "home/data/trash/new",
	} {
		h.denied("write_file", onPath{"path": path, "content": "x"})
		h.denied("move_file", onPath{"source": "ok", "destination": path})
	}
	for _, path := range []string{"home/config/key", "home/data", "home/state"} {
		h.denied("read_file", onPath{"path": path})
		h.denied("delete_file", onPath{"path": path})
	}
	h.denied("delete_file", onPath{"path": ".git"})
	h.denied("delete_file", onPath{"path": "home"})
	for _, path := range []string{".agent", ".claude", ".codex", ".loci", ".vscode", ".bashrc", "sub/.git", ".git/hooks"} {
		if _, err := os.Lstat(filepath.Join(h.top, "data", path)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there is %s now", path)
		}
	}
}

// TestUndoByLink takes back what a model did, by the link on its step, and hears it
// when that is not possible any more.
func TestUndoByLink(t *testing.T) {
	h := newHands(t)
	file := h.top + "/data/ok"
	got := h.do("write_file", onPath{"path": "ok", "content": "fresh"})
	if got.Undo == nil || got.Undo.ID != got.Result.Change || len(h.asked) != 1 {
		t.Fatalf("%+v, %v", got, h.asked)
	}
	for _, r := range h.model.Requests() {
		if strings.Contains(string(r.Body), got.Undo.ID) {
			t.Error("the model is told the id")
		}
	}
	for _, want := range []struct {
		key    string
		status int
		says   string
		has    string
	}{
		{"wrong", http.StatusUnauthorized, "", "fresh"}, {h.addr.Key, http.StatusOK, `"undoes":"` + got.Undo.ID + `"`, "ok"}, {h.addr.Key, http.StatusConflict, "taken back already", "ok"},
	} {
		status, body := ask(t, http.MethodPost, h.addr.URL+got.Undo.Href, want.key, "", "")
		if raw, err := os.ReadFile(file); status != want.status || !strings.Contains(body, want.says) || string(raw) != want.has || err != nil {
			t.Errorf("%d %s: %q, %v", status, body, raw, err)
		}
	}
	got = h.do("delete_file", onPath{"path": "sub"})
	if err := os.Mkdir(h.top+"/data/sub", 0o700); err != nil {
		t.Fatal(err)
	}
	if status, body := ask(t, http.MethodPost, h.addr.URL+got.Undo.Href, h.addr.Key, "", "{}"); status != http.StatusConflict || !strings.Contains(body, "There is something at") {
		t.Errorf("%d %s", status, body)
	}
	_, log := ask(t, http.MethodGet, h.addr.URL+"/api/agent/audit?tool=undo", h.addr.Key, "", "")
	var rows []loci.AuditRecord
	if err := json.Unmarshal([]byte(log), &rows); err != nil || len(rows) != 6 {
		t.Fatalf("%s, %v", log, err)
	}
	for i, result := range []string{"done: ", "taken back already", "There is something at"} {
		in, out := rows[2*i], rows[2*i+1]
		if in.Kind != loci.AuditIntent || out.Kind != loci.AuditOutcome || out.Intent != in.N || !strings.Contains(string(out.State)+": "+out.Result, result) || !strings.Contains(string(in.Arguments), h.top+"/data/") {
			t.Errorf("the log has %+v, %+v", in, out)
		}
	}
	status, body := ask(t, http.MethodGet, h.addr.URL+"/api/agent/changes", h.addr.Key, "", "")
	var list []loci.Change
	if err := json.Unmarshal([]byte(body), &list); err != nil || status != http.StatusOK || len(list) != 3 || list[0].Kind != loci.ChangeDeleted || list[0].Thing != "folder" || list[0].Session == "" || list[2].Tool != "write_file" || list[2].Undone != list[1].ID {
		t.Errorf("%d %s", status, body)
	}
	if status, body := ask(t, http.MethodGet, fmt.Sprintf("%s/api/agent/changes?session=%s", h.addr.URL, list[2].Session), h.addr.Key, "", ""); status != http.StatusOK || strings.Count(body, `"id"`) != 2 {
		t.Errorf("%d %s", status, body)
	}
}

// TestPathCases runs the path cases of the tools through the real server, with a
// model that asks for just these and a person who says yes to everything.
func TestPathCases(t *testing.T) {
	raw, err := os.ReadFile("../toolkit/testdata/path.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Cases []struct{ ID, Op, Arg, Expect string }
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	h := newHands(t)
	data := h.top + "/data"
	for link, target := range map[string]string{
		"abslink": h.top + "/data_evil/secret", "rellink": "../data_evil/secret", "dirlink": h.top + "/data_evil", "inlink": "sub", "loop": "loop",
		"proclink": "/proc/self/environ", "dangling": h.top + "/data_evil/new", "audit.db": h.home + "/state/loci.db",
	} {
		if err := os.Symlink(target, data+"/"+link); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(data+"/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range vectors.Cases {
		arg := strings.ReplaceAll(strings.TrimSuffix(c.Arg, " (symlink to agent state)"), "/r/", h.top+"/")
		from, to, _ := strings.Cut(arg, " -> ")
		switch {
		case c.Op == "read" && c.Expect == "allow":
			if got := h.do("read_file", onPath{"path": arg}); got.Result.Err != nil || !strings.Contains(string(got.Result.Data), `"text":"ok"`) {
				t.Errorf("%s: %s, %+v", c.ID, got.Result.Data, got.Result.Err)
			}
		case c.Op == "read":
			h.denied("read_file", onPath{"path": arg})
		case c.Op == "write":
			h.denied("write_file", onPath{"path": arg, "content": "x"})
		case c.Op == "rename":
			h.denied("move_file", onPath{"source": from, "destination": to})
		case c.Op == "remove_all":
			if got := h.do("delete_file", onPath{"path": arg}); got.Result.Err != nil || got.Undo == nil {
				t.Errorf("%s: %+v", c.ID, got.Result.Err)
			}
			h.untouched()
		default: // no tool makes links or sets modes; the race is case 4
			continue
		}
		ran++
	}
	if ran < 25 {
		t.Errorf("only %d cases ran", ran)
	}
}

// TestHandsOrigins moves a file out of a folder of others, deletes it and has it put
// back: each conversation that reads it is told, and the page's words are the person's
// nowhere.
func TestHandsOrigins(t *testing.T) {
	h := newHands(t)
	type onPath = map[string]string
	if got := h.do("move_file", onPath{"source": "got/offer", "destination": "offer"}); got.Result.Err != nil {
		t.Fatal(got.Result.Err)
	}
	for _, when := range []string{"moved", "put back"} {
		if got := h.do("read_file", onPath{"path": "offer"}); got.Result.Origin != "offer, moved out of "+h.top+"/data/got" {
			t.Errorf("%s: %q, %v", when, got.Result.Origin, got.Result.Err)
		}
		got := h.do("delete_file", onPath{"path": "offer"})
		if status, body := ask(t, http.MethodPost, h.addr.URL+got.Undo.Href, h.addr.Key, "", "{}"); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
	}
	if got := h.do("read_file", onPath{"path": "ok"}); got.Result.Origin != "" {
		t.Errorf("%q", got.Result.Origin)
	}
}
