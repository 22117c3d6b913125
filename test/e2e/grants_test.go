package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/fake"
)

// writer is a loci whose model writes a file with each message, as that says.
type writer struct {
	*instance
	model *fake.Model
	dir   string
}

func newWriter(t *testing.T, config string) *writer {
	w := &writer{dir: folder(t)}
	w.model = fake.NewModel()
	w.model.Answer = func(r *fake.Request) (fake.Reply, bool) {
		if len(r.Messages) == 0 {
			return fake.Reply{}, false
		}
		last := r.Messages[len(r.Messages)-1]
		if last.Role != loci.User {
			return fake.Reply{Text: "Over."}, true
		}
		name, content, _ := strings.Cut(strings.SplitN(last.Content, "\n", 2)[0], "=")
		args, _ := json.Marshal(map[string]string{"path": name, "content": content})
		return fake.Reply{Calls: []loci.ToolCall{fake.Call("write_file", string(args))}}, true
	}
	home := t.TempDir()
	o := options{home: home, args: []string{"--backend", w.model.Ollama(t), "--allow", w.dir}}
	if config != "" {
		if err := os.MkdirAll(filepath.Join(home, "config"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "config", "config.yaml"), []byte(strings.ReplaceAll(config, "DIR", w.dir)), 0o600); err != nil {
			t.Fatal(err)
		}
		o.args = o.args[:2]
	}
	w.instance = serve(t, o)
	return w
}

// chatReply is what the agent's door answers.
type chatReply struct {
	Session, Message string
	Steps            []struct {
		Tool  string
		Error *struct{ Error string }
	}
	Pending []loci.Approval
}

// say says a message in a session; empty: a new one.
func (w *writer) say(session, message string) chatReply {
	w.t.Helper()
	status, body := w.post("/api/agent/chat", map[string]any{"session": session, "message": message, "stream": false})
	if status != 200 {
		w.t.Fatalf("%s: %d %s", message, status, body)
	}
	var r chatReply
	decode(w.t, body, &r)
	return r
}

// allow says yes to the question of a reply, for a span, and waits for the effect.
func (w *writer) allow(r chatReply, span loci.GrantSpan) {
	w.t.Helper()
	if len(r.Pending) != 1 {
		w.t.Fatalf("%d questions: %+v", len(r.Pending), r)
	}
	status, body := w.post("/api/agent/approvals/"+r.Pending[0].ID, map[string]any{"answer": "yes", "grant": span})
	if status != 200 {
		w.t.Fatalf("%d %s", status, body)
	}
	w.follow(r.Session, "turn.finished")
}

// follow reads the events of a session until one of a type comes.
func (in *instance) follow(session, until string) {
	in.t.Helper()
	req, err := http.NewRequestWithContext(in.t.Context(), http.MethodGet, in.URL+"/api/agent/events?session="+session, nil)
	if err != nil {
		in.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+in.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		in.t.Fatal(err)
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if strings.Contains(lines.Text(), `"type":"`+until+`"`) {
			return
		}
	}
	in.t.Fatalf("no %s in session %s", until, session)
}

// TestGrants lives with yeses that hold on: each for the same tool, the same real
// path and the same content, and no longer than it was given for.
func TestGrants(t *testing.T) {
	w := newWriter(t, "")
	asks := func(session, message string, want bool) chatReply {
		t.Helper()
		r := w.say(session, message)
		if got := len(r.Pending) == 1; got != want {
			t.Fatalf("%s asks: %v, %+v", message, got, r)
		}
		return r
	}
	first := asks("", "a.txt=one", true)
	if got := fmt.Sprint(first.Pending[0].Grants); got != "[once 30m session always]" {
		t.Errorf("it can be given for %s", got)
	}
	w.allow(first, loci.GrantSession)
	s := first.Session
	asks(s, "a.txt=one", false)
	asks(s, filepath.Join(w.dir, "a.txt")+"=one", false) // the same path, spelled otherwise
	asks(s, "a.txt=two", true)                           // other content
	asks(s, "b.txt=one", true)                           // another file
	other := asks("", "a.txt=one", true)                 // another session
	w.allow(other, loci.GrantAlways)
	asks("", "a.txt=one", false)
	talk := asks("", "c.txt=one", true).Session
	if r := w.say(talk, "yes this session"); !strings.HasPrefix(r.Message, "(This yes holds for this conversation.)") || r.Steps[0].Error != nil {
		t.Errorf("said in the chat: %+v", r)
	}
	asks(talk, "c.txt=one", false)

	var grants []loci.Grant
	_, body := w.get("/api/agent/grants")
	decode(t, body, &grants)
	if len(grants) != 3 || grants[0].Span != loci.GrantSession || grants[0].Used != 2 || grants[1].Span != loci.GrantAlways || grants[1].Used != 1 ||
		grants[0].Subject != realPath(t, filepath.Join(w.dir, "a.txt")) {
		t.Errorf("grants: %s", body)
	}
	out, _, code := run(t, w.home, "", nil, "approvals", "grants")
	if code != 0 || !strings.Contains(out, "write_file") || !strings.Contains(out, "always") {
		t.Errorf("loci approvals grants: %d\n%s", code, out)
	}
	if _, errOut, code := run(t, w.home, "", nil, "approvals", "revoke", grants[1].ID); code != 0 {
		t.Errorf("loci approvals revoke: %d\n%s", code, errOut)
	}
	asks("", "a.txt=one", true)
	if _, _, code := run(t, w.home, "", nil, "approvals", "revoke", "--all"); code != 0 {
		t.Errorf("loci approvals revoke --all: %d", code)
	}
	asks(s, "a.txt=one", true)
}

// TestFolderRules has a folder for each access, and one that comes from others.
func TestFolderRules(t *testing.T) {
	w := newWriter(t, "folders:\n- DIR\n- {path: DIR/free, access: write}\n- {path: DIR/free/asked, access: ask}\n- {path: DIR/shown, access: read}\n- {path: DIR/closed, access: never}\n")
	for _, name := range []string{"free/asked", "shown", "closed"} {
		if err := os.MkdirAll(filepath.Join(w.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"a.txt": "asks", "free/a.txt": "done", "free/sub/a.txt": "done", "free/asked/a.txt": "asks",
		"shown/a.txt": "refused", "closed/a.txt": "refused", "free/../a.txt": "asks", "free/../closed/a.txt": "refused",
	} {
		r := w.say("", path+"=text")
		got := "asks"
		if len(r.Pending) == 0 {
			_, err := os.Stat(filepath.Join(w.dir, path))
			switch {
			case err == nil && len(r.Steps) == 1 && r.Steps[0].Error == nil:
				got = "done"
			case os.IsNotExist(err) && len(r.Steps) == 1 && r.Steps[0].Error != nil:
				got = "refused"
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s: %+v", path, got, want, r)
		}
	}
}

func realPath(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}
