package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"loci"
	"loci/internal/fake"
)

// The secrets of the test, by where they stand.
var canaries = map[string]string{
	"stored": "canary-stored/AAAA1111&", "env": "canary-env-BBBB2222", "file": "canary-file-CCCC3333",
	"variable": "canary-variable-DDDD4444", "cmd": "canary-cmd-EEEE5555", "plain": "sk-canary-plain-FFFF6666",
}

// What calls of tools carry, and only has the shape of secrets.
var shaped = []string{"ZXCV1234", "KEYKEY42", "pw-9f", "tok-777"}

// rude is a model server that lets nobody in, and repeats the key it was sent in
// every way there is.
func rude(t *testing.T, name string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.HasSuffix(r.URL.Path, "/models"):
			_, _ = fmt.Fprintf(w, `{"object":"list","data":[{"id":%q}]}`, name)
		case !strings.HasSuffix(r.URL.Path, "/completions"):
			http.NotFound(w, r)
		case strings.Contains(string(body), "late"):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"So\"}}]}\n\ndata: {\"error\":{\"message\":\"expired: %s\",\"code\":401}}\n\n", auth)
		case strings.Contains(string(body), "text"):
			http.Error(w, "Authorization: "+auth+" is "+base64.StdEncoding.EncodeToString([]byte(auth)), http.StatusForbidden)
		default:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "bad header Authorization: " + auth + " " + url.QueryEscape(auth)}})
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// canaryHome is a configuration with a secret in every place where one can be, and
// gives the environment for it. The last server is a good one.
func canaryHome(t *testing.T, good string, dir string) (home string, env []string) {
	t.Helper()
	home, vault := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"key":    canaries["file"] + "\n",
		".env":   "# of the other server\nexport TOKEN='" + canaries["variable"] + "'\n",
		"key.sh": "#!/bin/sh\necho '" + canaries["cmd"] + "'\n",
	} {
		if err := os.WriteFile(filepath.Join(vault, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, stderr, code := run(t, home, canaries["stored"]+"\n", nil, "secret", "set", "owner"); code != 0 {
		t.Fatal(stderr)
	}
	config := "key: secret:owner\nlog:\n  level: debug\nfolders: [" + dir + "]\npassthrough: [rude-plain]\nmodel: fake\nbackends:\n"
	for _, b := range []struct{ name, key string }{
		{"env", "env:RUDE_KEY"}, {"file", "file:" + vault + "/key"}, {"variable", "file:" + vault + "/.env#TOKEN"},
		{"cmd", "cmd:" + vault + "/key.sh"}, {"plain", canaries["plain"]},
	} {
		config += "  - {url: \"" + rude(t, "rude-"+b.name) + "\", key: \"" + b.key + "\"}\n"
	}
	config += "  - {url: \"http://127.0.0.1:9/v1\", key: \"secret:owner\"}\n" // which is worth a line at debug
	config += "  - {url: \"" + good + "\", key: \"env:RUDE_KEY\"}\n"
	if err := os.WriteFile(filepath.Join(home, "config", "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return home, []string{"RUDE_KEY=" + canaries["env"]}
}

// With every secret in its place, the most talkative log, and servers that repeat
// what they were sent, no secret is in anything that a person, a file or another
// program gets to see. (Case 52 of what users of such systems report.)
func TestNoSecretShows(t *testing.T) {
	dir := folder(t)
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("TOKEN=tok-777\nCOPY="+canaries["file"]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments, _ := json.Marshal(map[string]string{"path": `https://example.org/x?token=ZXCV1234&q=1 X-Api-Key: KEYKEY42 postgres://u:pw-9f@db/x`})
	m := fake.NewModel(
		fake.Reply{Calls: []loci.ToolCall{fake.Call("read_file", `{"path":".env"}`)}},
		fake.Reply{Calls: []loci.ToolCall{fake.Call("read_file", string(arguments))}},
		fake.Reply{Text: "Done."},
	)
	m.Key = canaries["env"]
	home, env := canaryHome(t, m.OpenAI(t), dir)
	in := serve(t, options{home: home, env: env})
	if in.Key != canaries["stored"] {
		t.Fatalf("the owner's key is %q", in.Key)
	}
	seen := map[string]string{}
	for _, name := range []string{"env", "file", "variable", "cmd", "plain"} {
		for _, kind := range []string{"JSON", "text", "late"} {
			for _, stream := range []bool{false, true} {
				for _, path := range []string{"/v1/chat/completions", "/api/chat", "/api/agent/chat"} {
					body := map[string]any{"model": "rude-" + name, "stream": stream, "message": kind + " please",
						"messages": []any{map[string]string{"role": "user", "content": kind + " please"}}}
					status, reply := in.post(path, body)
					seen[fmt.Sprint(path, " ", name, " ", kind, " ", stream)] = reply
					if !strings.Contains(reply, "[hidden]") {
						t.Errorf("%s, %s, %s, stream %v: the error does not tell what the server said: %d %s", path, name, kind, stream, status, reply)
					}
				}
			}
		}
	}
	_, seen["a good turn"] = in.post("/api/agent/chat", map[string]any{"message": "What is in .env?", "stream": false})
	var reply struct{ Session string }
	decode(t, seen["a good turn"], &reply)
	_, seen["debug"] = in.get("/api/agent/debug?session=" + reply.Session)
	if !strings.Contains(seen["debug"], "tok-777") || !strings.Contains(seen["debug"], "COPY=[hidden]") {
		t.Errorf("the model was not told what is in the file: %s", seen["debug"])
	}
	_, seen["a wrong key"] = in.get("/v1/models", "Authorization", "Bearer "+canaries["stored"]+"x")
	_, seen["a key in the path"] = in.get("/k/" + url.PathEscape(canaries["stored"]) + "/v1/models")
	for _, path := range []string{"/", "/metrics", "/api/agent/tools", "/api/agent/sessions", "/api/agent/events?session=" + reply.Session + "&after=0&follow=false", "/v1/models"} {
		if strings.HasPrefix(path, "/api/agent/events") {
			continue // it does not end; its events are in the database
		}
		_, seen[path] = in.get(path)
	}
	commands := [][]string{
		{"config", "show"}, {"config", "validate"}, {"doctor"}, {"doctor", "--json"}, {"models"}, {"sessions", "--json"}, {"tools", "--json"},
		{"secret", "list"}, {"secret", "check"}, {"secret", "check", "--json"}, {"ask", "--json", "Hello?"},
	}
	watch := func(when string) {
		for _, args := range commands {
			out, stderr, _ := run(t, home, "", env, args...)
			seen[when+strings.Join(args, " ")] = out + stderr
		}
	}
	watch("running: ")
	in.stop()
	watch("stopped: ")
	out, stderr, code := run(t, home, "", nil, "doctor") // without the variable
	if seen["a fault"] = out + stderr; code != loci.ExitFailure || !strings.Contains(out, "RUDE_KEY is not set") {
		t.Errorf("%d %s", code, out)
	}
	if _, stderr, code := run(t, home, "", nil, "serve", "--listen", "127.0.0.1:0"); code != loci.ExitConfig || !strings.Contains(stderr, "backends[0].key refers to env:RUDE_KEY") {
		t.Errorf("%d %s", code, stderr)
	}
	seen["the log"] = in.stderr.String()
	if !strings.Contains(seen["the log"], `"level":"DEBUG"`) {
		t.Error("nothing was logged at debug")
	}
	for _, s := range shaped {
		if strings.Contains(seen["the log"], s) {
			t.Errorf("%s is in the log", s)
		}
	}
	leftIn(t, home, seen)
	for where, text := range seen {
		noCanary(t, where, text)
	}
}

// leftIn adds all files of a home but the configuration, in which one secret stands.
func leftIn(t *testing.T, home string, seen map[string]string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "config.yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		seen[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen[filepath.Join(home, "data", "loci.db")] == "" {
		t.Error("there is no database")
	}
}

// noCanary looks for every secret in a text, also in other writings.
func noCanary(t *testing.T, where, text string) {
	t.Helper()
	for name, c := range canaries {
		quoted, _ := json.Marshal(c)
		for _, form := range []string{c, url.QueryEscape(c), base64.StdEncoding.EncodeToString([]byte("Bearer " + c))[12:20], string(quoted[1 : len(quoted)-1])} {
			if i := strings.Index(text, form); i >= 0 {
				t.Errorf("%s: the secret %q shows as %q: …%s…", where, name, form, text[max(0, i-200):min(len(text), i+len(form)+50)])
			}
		}
	}
}

// A bus that takes the call and never answers holds nothing up for long: the key to
// the secrets then goes into a file.
func TestDeafBus(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "bus")
	bus, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	called := make(chan net.Conn, 16)
	go func() {
		for {
			c, err := bus.Accept()
			if err != nil {
				return
			}
			called <- c // and no word
		}
	}()
	home := t.TempDir()
	env := []string{"DBUS_SESSION_BUS_ADDRESS=unix:path=" + socket}
	if _, stderr, code := run(t, home, canaries["cmd"], env, "secret", "set", "a"); code != 0 {
		t.Fatal(stderr)
	}
	(<-called).Close() // it was asked
	if _, err := os.Stat(filepath.Join(home, "config", "secrets.key")); err != nil {
		t.Error(err)
	}
	if out, stderr, code := run(t, home, "", env, "secret", "list"); code != 0 || out != "a\n" {
		t.Errorf("%d %s %s", code, out, stderr)
	}
}

// What a person types is theirs, but the debug view, which is shown around, has no
// secret even so.
func TestDebugHidesWhatWasTyped(t *testing.T) {
	m := fake.NewModel(fake.Reply{Text: "Thank you."})
	in := serve(t, options{args: []string{"--backend", m.Ollama(t), "--key", "canary-typed-key"}})
	_, body := in.post("/api/agent/chat", map[string]any{"message": `My key is "canary-typed-key", token=abc`, "stream": false})
	var reply struct{ Session string }
	decode(t, body, &reply)
	status, view := in.get("/api/agent/debug?session=" + reply.Session)
	if status != http.StatusOK || strings.Contains(view, "canary") || !strings.Contains(view, "[hidden]") || !strings.Contains(view, "token=abc") || !json.Valid([]byte(view)) {
		t.Errorf("%d %s", status, view)
	}
}

// Whatever the umask, files and folders that loci makes are for the person alone.
func TestFilesAreForTheOwnerAlone(t *testing.T) {
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	home, dir := filepath.Join(t.TempDir(), "new"), folder(t)
	m := fake.NewModel(
		fake.Reply{Calls: []loci.ToolCall{fake.Call("delete_file", `{"path":"notes.md"}`)}},
		fake.Reply{Text: "Done."}, fake.Reply{Text: "Hello."}, fake.Reply{Text: "Hello."},
	)
	if _, stderr, code := run(t, home, "a-secret-value", nil, "secret", "set", "a"); code != 0 {
		t.Fatal(stderr)
	}
	log := filepath.Join(home, "logs of mine", "loci.log")
	env := []string{"LOCI_LOG_FILE=" + log, "LOCI_LOG_LEVEL=debug"}
	in := serve(t, options{home: home, env: env, args: []string{"--backend", m.Ollama(t), "--allow", dir}})
	_, body := in.post("/api/agent/chat", map[string]any{"message": "Delete notes.md", "stream": false})
	var reply struct{ Pending []loci.Approval }
	decode(t, body, &reply)
	if len(reply.Pending) != 1 {
		t.Fatal(body)
	}
	if status, body := in.post("/api/agent/approvals/"+reply.Pending[0].ID, map[string]string{"answer": "yes"}); status != http.StatusOK {
		t.Fatal(body)
	}
	m.Await(t, 2)
	checkModes(t, home)
	in.stop()
	for _, args := range [][]string{{"doctor"}, {"ask", "Hi."}, {"secret", "set", "b"}, {"secret", "remove", "a"}, {"sessions"}} {
		if _, stderr, code := run(t, home, "x-secret", append(env[1:], "LOCI_BACKENDS="+m.Ollama(t), "LOCI_LISTEN=127.0.0.1:0"), args...); code != 0 {
			t.Errorf("%v: %d %s", args, code, stderr)
		}
	}
	if got := checkModes(t, home); got < 12 {
		t.Errorf("only %d files and folders were looked at", got)
	}
}

// checkModes looks at everything in a folder, and at the folder.
func checkModes(t *testing.T, home string) (looked int) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if strings.Contains(path, "/trash/") && !d.IsDir() {
			want |= info.Mode().Perm() // what was thrown away keeps its own mode, in a closed folder
		}
		if looked++; info.Mode().Perm()&^want != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return looked
}
