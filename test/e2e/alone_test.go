package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// A chat client whose model server is away has plain requests done all the same, and is
// told about it; of what takes a model it hears the error, and so does who wants the
// model alone.
func TestChatWithoutModel(t *testing.T) {
	in := serve(t, options{args: []string{"--backend", "http://127.0.0.1:9/v1", "--allow", folder(t)}})
	ollama := func(text string) map[string]any {
		return map[string]any{"model": "loci", "stream": false, "messages": []any{map[string]string{"role": "user", "content": text}}}
	}
	openai := func(model, text string) map[string]any {
		return map[string]any{"model": model, "messages": []any{map[string]string{"role": "user", "content": text}}}
	}
	for path, body := range map[string]map[string]any{"/v1/chat/completions": openai("loci", "What is 6 * 7?"), "/api/chat": ollama("What is 6 * 7?")} {
		status, reply := in.post(path, body)
		if status != http.StatusOK || !strings.Contains(reply, "42") || !strings.Contains(reply, "No model is connected") || strings.Contains(reply, "window") {
			t.Errorf("%s: %d %s", path, status, reply)
		}
	}
	for path, body := range map[string]map[string]any{
		"/v1/chat/completions": openai("loci", "Tell me about your day."), "/api/chat": ollama("Tell me about your day."),
		"/v1/completions": {"model": "loci", "prompt": "What is 6 * 7?"},
	} {
		if status, reply := in.post(path, body); status != http.StatusBadGateway || strings.Contains(reply, "42") {
			t.Errorf("%s: %d %s", path, status, reply)
		}
	}
	if status, reply := in.post("/v1/chat/completions", openai("bare/x", "What is 6 * 7?")); status != http.StatusBadGateway {
		t.Errorf("bare: %d %s", status, reply)
	}
}
