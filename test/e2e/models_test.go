package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"loci"
	"loci/internal/fake"
)

// A picture goes through the agent to either kind of backend; a model that
// cannot see says so, and one that is too large is refused in the door's shape.
// (Case 19 of what users of such systems report.)
func TestPictures(t *testing.T) {
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	parts := map[string]any{"model": "fake", "messages": []any{map[string]any{"role": "user", "content": []any{
		map[string]string{"type": "text", "text": "What is on the picture?"},
		map[string]string{"type": "text", "text": "Short."},
		map[string]any{"type": "image_url", "image_url": map[string]string{"url": "data:image/png;base64," + pixel}},
	}}}}
	ollama := map[string]any{"model": "fake", "stream": false, "messages": []any{
		map[string]any{"role": "user", "content": "What is on the picture?\nShort.", "images": []string{pixel}}}}
	for _, dialect := range []loci.Dialect{loci.OpenAI, loci.Ollama} {
		t.Run(string(dialect), func(t *testing.T) {
			m := fake.NewModel()
			m.Vision = true
			backend := m.OpenAI(t)
			if dialect == loci.Ollama {
				backend = m.Ollama(t)
			}
			in := serve(t, options{args: []string{"--backend", backend}})
			for path, body := range map[string]any{"/v1/chat/completions": parts, "/api/chat": ollama} {
				m.Add(fake.Reply{Text: "A pixel."})
				if _, reply := in.post(path, body); !strings.Contains(reply, "A pixel.") {
					t.Errorf("%s: %s", path, reply)
				}
				messages := m.Last().Messages
				last := messages[len(messages)-1]
				if !strings.HasPrefix(last.Content, "What is on the picture?\nShort.") || len(last.Images) != 1 || last.Images[0].Base64 != pixel {
					t.Errorf("%s: the model was sent %+v", path, last)
				}
			}
		})
	}
	t.Run("blind", func(t *testing.T) {
		m := fake.NewModel()
		in := serve(t, options{args: []string{"--backend", m.Ollama(t)}})
		if status, body := in.post("/v1/chat/completions", parts); status != http.StatusBadRequest || !strings.Contains(body, "cannot look at pictures") {
			t.Errorf("%d %s", status, body)
		}
	})
	t.Run("too large", func(t *testing.T) {
		in := serve(t, options{args: []string{"--backend", "http://127.0.0.1:9"}})
		huge := chat(strings.Repeat("x", 65<<20), false)
		if status, body := in.post("/v1/chat/completions", huge); status != http.StatusRequestEntityTooLarge || !strings.HasPrefix(body, `{"error":{"message":`) {
			t.Errorf("%d %.200s", status, body)
		}
		if status, body := in.post("/api/chat", huge); status != http.StatusRequestEntityTooLarge || !strings.HasPrefix(body, `{"error":"`) {
			t.Errorf("%d %.200s", status, body)
		}
	})
}

// The lists of all backends are one, a model is found by each of its names, and
// bare/NAME is the model without the agent.
func TestModelNames(t *testing.T) {
	one, two := fake.NewModel(), fake.NewModel()
	one.Name, two.Name = "alpha", "beta:7b"
	in := serve(t, options{args: []string{"--backend", one.Ollama(t), "--backend", two.OpenAI(t), "--model", "alpha"}})
	_, list := in.get("/v1/models")
	if !strings.HasPrefix(list, `{"object":"list","data":[{"id":"loci",`) {
		t.Errorf("the list does not begin with the default model: %s", list)
	}
	for _, want := range []string{"alpha", "beta:7b", `"builtin_tools":false`} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %s: %s", want, list)
		}
	}
	for _, tc := range []struct {
		name  string
		model *fake.Model
		agent bool
	}{
		{"alpha", one, true},
		{"alpha:latest", one, true},
		{"loci", one, true},
		{"loci/beta:7b", two, true},
		{"beta:7b", two, true},
		{"bare/beta:7b", two, false},
		{"bare/alpha", one, false},
	} {
		tc.model.Add(fake.Reply{Text: "I am " + tc.name})
		body := chat("who?", false)
		body["model"] = tc.name
		_, reply := in.post("/v1/chat/completions", body)
		if !strings.Contains(reply, "I am "+tc.name) {
			t.Errorf("%s: %s", tc.name, reply)
			continue
		}
		// What can be talked to can be asked about.
		if status, about := in.get("/v1/models/" + tc.name); status != http.StatusOK || !strings.HasPrefix(about, `{"id":"`+tc.name+`",`) {
			t.Errorf("%s: %d %s", tc.name, status, about)
		}
		if status, about := in.post("/api/show", map[string]any{"model": tc.name}); status != http.StatusOK || !strings.Contains(about, `"capabilities":[`) {
			t.Errorf("%s: %d %s", tc.name, status, about)
		}
		last := tc.model.Last()
		if withAgent := last.Messages[0].Role == loci.System; withAgent != tc.agent || strings.TrimSuffix(last.Model, ":latest") != tc.model.Name {
			t.Errorf("%s: agent %v, sent as %q", tc.name, withAgent, last.Model)
		}
	}
	body := chat("who?", false)
	body["model"] = "gamma"
	if status, reply := in.post("/api/chat", body); status != http.StatusNotFound || !strings.HasPrefix(reply, `{"error":"model 'gamma' not found`) {
		t.Errorf("an unknown model: %d %s", status, reply)
	}
}

// Without a running loci, ask starts one for itself.
func TestAskAlone(t *testing.T) {
	m := fake.NewModel(round(loci.TierNative)...)
	dir := folder(t)
	home := t.TempDir()
	env := []string{"LOCI_BACKENDS=" + m.OpenAI(t), "LOCI_ALLOW=" + dir}
	out, stderr, code := run(t, home, "", env, "ask", "--json", "What should I buy?")
	var reply struct {
		Session, Message string
		Steps            []struct {
			Tool      string
			Arguments json.RawMessage
			Result    json.RawMessage
		}
	}
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	decode(t, out, &reply)
	if len(reply.Steps) != 3 || reply.Steps[0].Tool != "list_dir" || !strings.Contains(reply.Message, "Buy milk") {
		t.Errorf("%s", out)
	}
	// It is all on disk: the next one goes on in the session.
	m.Add(fake.Reply{Text: "Bread as well."})
	out, stderr, code = run(t, home, "", env, "ask", "--session", reply.Session, "Nothing else?")
	if code != 0 || out != "Bread as well.\n" {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
	if got := fmt.Sprint(m.Last().Messages); !strings.Contains(got, "What should I buy?") || !strings.Contains(got, "Buy milk and bread") {
		t.Errorf("the session was not taken up: %s", got)
	}
}

// What a forwarded user may see: their own sessions, and folders only where the
// configuration grants them.
func TestForwardedUsers(t *testing.T) {
	m := fake.NewModel()
	in := serve(t, options{args: []string{"--backend", m.OpenAI(t), "--allow", folder(t)}})
	user := func(id, role string) []string {
		return []string{"X-OpenWebUI-User-Id", id, "X-OpenWebUI-User-Name", "J%C4%81nis", "X-OpenWebUI-User-Role", role, "X-OpenWebUI-Chat-Id", "chat-" + id}
	}
	m.Add(fake.Reply{Text: "ok"}, fake.Reply{Text: "ok"})
	in.post("/v1/chat/completions", chat("hi", false), user("7", "user")...)
	guest := m.Last()
	if system := guest.Messages[0].Content; !strings.Contains(system, "talking with Jānis") || !strings.Contains(system, "No folder of this computer is open to you") {
		t.Errorf("the guest's system block:\n%s", system)
	}
	for _, tool := range guest.Tools {
		if tool.Name == "read_file" || tool.Name == "system_info" {
			t.Errorf("a guest is offered %s", tool.Name)
		}
	}
	in.post("/v1/chat/completions", chat("hi", false), user("1", "admin")...)
	if len(m.Last().Tools) < 5 {
		t.Errorf("the administrator is offered %d tools", len(m.Last().Tools))
	}
	if status, body := in.get("/api/agent/sessions", user("7", "user")...); status != http.StatusForbidden {
		t.Errorf("a guest at the agent API: %d %s", status, body)
	}
	_, sessions := in.get("/api/agent/sessions")
	var list []struct{ ID string }
	decode(t, sessions, &list)
	if len(list) != 1 {
		t.Errorf("the owner sees %s", sessions)
	}
}
