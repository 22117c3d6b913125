package e2e_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"loci"
	"loci/internal/fake"
)

// TestSecurityCase23 fills the disk that loci's own folders are on while a question
// waits. What only looks goes on, the yes does nothing and says why, and with room
// again it counts, without a restart.
func TestSecurityCase23(t *testing.T) {
	home, dir := t.TempDir(), logs(t)
	if err := syscall.Mount("tmpfs", home, "tmpfs", 0, "size=2m,mode=0700"); err != nil {
		t.Skip("a small disk cannot be mounted here:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(home, 0); err != nil {
			t.Error(err)
		}
	})
	m := fake.NewModel(
		fake.Reply{Calls: []loci.ToolCall{fake.Call("write_file", `{"path":"new.txt","content":"new\n"}`)}}, fake.Reply{Text: "Done."},
	)
	in := serve(t, options{home: home, args: []string{"--backend", m.Ollama(t), "--allow", dir}})
	_, body := in.post("/api/agent/chat", map[string]any{"message": "write it", "stream": false})
	var reply struct {
		Session string
		Pending []struct{ ID string }
	}
	decode(t, body, &reply)
	if len(reply.Pending) != 1 {
		t.Fatal(body)
	}
	answer := "/api/agent/approvals/" + reply.Pending[0].ID
	undone := func() {
		t.Helper()
		if _, err := os.Stat(filepath.Join(dir, "new.txt")); err == nil {
			t.Fatal("it was written")
		}
	}

	ballast := filepath.Join(home, "ballast")
	fill(t, ballast)
	full := func(status int, body string) {
		t.Helper()
		if status != http.StatusInternalServerError || !strings.Contains(body, "The disk is full") {
			t.Errorf("%d %s", status, body)
		}
	}
	yes := func() (int, string) { return in.post(answer, map[string]string{"answer": "yes"}) }
	full(yes())
	full(in.post("/api/agent/chat", map[string]any{"message": "hello", "stream": false})) // what is said could not be kept
	undone()
	for _, path := range []string{"/v1/models", "/api/agent/sessions", "/api/agent/approvals", "/api/agent/audit", "/api/agent/audit/verify", "/api/agent/changes", "/api/agent/tools", "/healthz"} {
		if status, body := in.get(path); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	m.Answer = func(r *fake.Request) (fake.Reply, bool) { return fake.Reply{Text: "Bare."}, len(r.Messages) == 1 }
	if status, body := in.post("/v1/chat/completions", map[string]any{"model": "bare/fake", "messages": said("hi", "")[:1]}); status != http.StatusOK || !strings.Contains(body, "Bare.") {
		t.Errorf("the model alone: %d %s", status, body)
	}

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	undone()
	if status, body := yes(); status != http.StatusOK {
		t.Fatalf("with room again: %d %s", status, body)
	}
	in.events(reply.Session) // to the end of the turn
	if got := read(t, filepath.Join(dir, "new.txt")); string(got) != "new\n" {
		t.Errorf("%q", got)
	}
	if status, body := in.get("/api/agent/audit?kind=intent"); status != http.StatusOK || strings.Count(body, `"outcome":"done"`) != 1 {
		t.Errorf("%d %s", status, body)
	}
	if _, body := in.get("/api/agent/audit/verify"); !strings.Contains(body, `"problems":[]`) {
		t.Error(body)
	}
}

// fill writes a file until there is no room left for a byte.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) && !strings.Contains(err.Error(), "no space") {
		t.Fatal(err)
	}
	_ = f.Close()
}
