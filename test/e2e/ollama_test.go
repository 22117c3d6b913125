package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"loci/internal/await"
)

// A real Ollama behind loci, with the embedded models made into its own. Run by
// make test-clients, which builds it.
func TestRealOllama(t *testing.T) {
	o := startOllama(t)
	o.create(t, "small", modelFile(t, "SmolLM2*.gguf"), "")
	o.create(t, "vectors", modelFile(t, "all-MiniLM*.gguf"), "")
	o.create(t, "actor", modelFile(t, "SmolLM2*.gguf"), actor)
	o.create(t, "counter", modelFile(t, "SmolLM2*.gguf"), counter)
	dir := folder(t)
	front := func(backend, model string, env ...string) *instance {
		env = append(env, "LOCI_MODEL="+model, "LOCI_ALIASES={fake: "+model+"}") // fake is what the doors ask for
		return serve(t, options{args: []string{"--backend", backend, "--allow", dir}, env: env})
	}

	between := &recorder{}
	tiny := front(between.before(t, o.url), "small")
	t.Run("lists", func(t *testing.T) { o.lists(t, tiny) })
	t.Run("chat", func(t *testing.T) { o.chats(t, tiny) })
	t.Run("acting, tiny", func(t *testing.T) { acts(t, tiny, "How many ERROR lines are in app.log?", "2") })
	t.Run("acting, format", func(t *testing.T) {
		// Between reading the file and looking at it from outside, the model
		// decides, held to the two by a schema; either is an answer.
		const question = "info about app.log"
		if _, reply := tiny.post("/api/chat", chat(question, false)); !strings.Contains(reply, "41 bytes") && !strings.Contains(reply, "ERROR disk") {
			t.Errorf("the reply is %s", reply)
		}
		if !between.saw(question, `"format":`, `"enum":`) {
			t.Error("the model was not asked to choose")
		}
	})
	t.Run("format", func(t *testing.T) { o.formats(t, tiny) })
	t.Run("window and keep_alive", func(t *testing.T) { o.options(t, tiny) })
	t.Run("embeddings", func(t *testing.T) { o.embeds(t, tiny) })
	t.Run("unload", func(t *testing.T) { o.unloads(t, tiny) })

	text := front(o.url, "actor", "LOCI_TIER=text", "LOCI_WINDOW=6144")
	t.Run("acting, text", func(t *testing.T) {
		acts(t, text, "What should I buy?", "milk and bread")
		if window := o.running(t)["actor:latest"].Window; window != 6144 {
			t.Errorf("the configured window of 6144 tokens is one of %d", window)
		}
	})
	t.Run("stop sequences of the model", func(t *testing.T) {
		body := chat("Count!", false)
		body["model"] = "counter"
		if _, reply := text.post("/api/chat", body); !strings.Contains(reply, `"done_reason":"stop"`) || strings.Contains(reply, "1 2") {
			t.Errorf("the model does not end where its Modelfile says: %s", reply)
		}
	})
	for _, path := range []string{"/v1/chat/completions", "/api/chat"} {
		t.Run("killed, "+path, func(t *testing.T) { o.killed(t, tiny, path) })
	}
}

// actor makes SmolLM2, which is too small to decide on its own, into a model
// that acts by text: its template leaves it nothing to do but to say the call
// once more, and then to go on where the result of the call leads. What it reads
// and writes is real all the same: tokens, stop sequences, the piecewise stream.
const actor = `TEMPLATE """{{- $last := "" }}{{ $acted := false }}
{{- range .Messages }}{{ $last = .Content }}
{{- if eq .Role "assistant" }}{{ $acted = true }}{{ end }}{{ end }}
{{- if $acted }}<|im_start|>user
{{ $last }}
What should I buy?<|im_end|>
<|im_start|>assistant
From your notes: Buy{{ else }}
<tool>read_file(path="notes.md")</tool>
<tool>read_file(path="notes.md")</tool>
<tool>read_file(path="notes.md")</tool>
{{ end }}"""
PARAMETER temperature 0
PARAMETER repeat_penalty 1
PARAMETER num_predict 200
`

// counter goes on counting, and ends at a stop sequence of its own.
const counter = `TEMPLATE "1 2 3 4 1 2 3 4 1 2 3 4 1 2"
PARAMETER temperature 0
PARAMETER repeat_penalty 1
PARAMETER num_predict 20
PARAMETER stop "4"
`

func (o *realOllama) lists(t *testing.T, in *instance) {
	for path, shape := range map[string]string{"/v1/models": `"id":%q`, "/api/tags": `"model":%q`} {
		status, body := in.get(path)
		for _, name := range []string{"small", "actor", "vectors"} {
			if want := fmt.Sprintf(shape, name); status != http.StatusOK || !strings.Contains(body, want) && !strings.Contains(body, fmt.Sprintf(shape, name+":latest")) {
				t.Errorf("%s: %d, no %s in %s", path, status, want, body)
			}
		}
	}
	status, body := in.post("/api/show", map[string]any{"model": "small"})
	if status != http.StatusOK || !strings.Contains(body, `"completion"`) || !strings.Contains(body, `.context_length"`) {
		t.Errorf("/api/show: %d %s", status, body)
	}
}

// joke is what only a model can answer, however small.
const joke = "Tell me a short joke about a cat."

func (o *realOllama) chats(t *testing.T, in *instance) {
	for _, d := range doors {
		t.Run(d.name, func(t *testing.T) {
			if text := d.ask(t, in, joke); len(strings.TrimSpace(text)) < 5 {
				t.Errorf("the reply is %q", text)
			}
		})
	}
}

// acts asks through every door what only a look into a file can tell.
func acts(t *testing.T, in *instance, question, want string) {
	for _, d := range doors {
		t.Run(d.name, func(t *testing.T) {
			text := d.ask(t, in, question)
			if !strings.Contains(text, want) || strings.Contains(text, "<tool") {
				t.Errorf("the reply is %q", text)
			}
		})
	}
}

// formats has the model held to a schema that the client sends.
func (o *realOllama) formats(t *testing.T, in *instance) {
	schema := map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"city", "visited"},
		"properties": map[string]any{"city": map[string]any{"enum": []string{"Brno", "Oslo"}}, "visited": map[string]any{"type": "boolean"}},
	}
	ask := func(model string, more map[string]any) map[string]any {
		body := chat("Tell me about a city that you have visited.", false)
		body["model"] = model
		for k, v := range more {
			body[k] = v
		}
		return body
	}
	response := map[string]any{"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "visit", "schema": schema}}}
	for _, model := range []string{"small", "bare/small"} {
		_, body := in.post("/api/chat", ask(model, map[string]any{"format": schema}))
		var reply struct{ Message struct{ Content string } }
		decode(t, body, &reply)
		visit(t, model+" by format", reply.Message.Content)

		_, body = in.post("/v1/chat/completions", ask(model, response))
		var completion struct {
			Choices []struct{ Message struct{ Content string } }
		}
		decode(t, body, &completion)
		if len(completion.Choices) != 1 {
			t.Fatalf("%s by response_format: %s", model, body)
		}
		visit(t, model+" by response_format", completion.Choices[0].Message.Content)
	}
}

func visit(t *testing.T, what, text string) {
	t.Helper()
	var v struct {
		City    string
		Visited *bool
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil || v.City != "Brno" && v.City != "Oslo" || v.Visited == nil {
		t.Errorf("%s: %q is not of the schema: %v", what, text, err)
	}
}

// options sees that what a client sends about the model's memory arrives.
func (o *realOllama) options(t *testing.T, in *instance) {
	for _, model := range []string{"small", "bare/small"} {
		body := chat(joke, false)
		body["model"], body["keep_alive"] = model, "7m"
		body["options"] = map[string]any{"num_ctx": 2048, "num_predict": 5}
		if status, reply := in.post("/api/chat", body); status != http.StatusOK {
			t.Fatalf("%d %s", status, reply)
		}
		small := o.running(t)["small:latest"]
		if left := time.Until(small.ExpiresAt); small.Window != 2048 || left < 6*time.Minute || left > 7*time.Minute {
			t.Errorf("%s has a window of %d tokens and is kept for %s", model, small.Window, left)
		}
	}
}

func (o *realOllama) embeds(t *testing.T, in *instance) {
	_, a := in.post("/api/embed", map[string]any{"model": "vectors", "input": []string{"a cat", "the cat"}})
	_, b := in.post("/v1/embeddings", map[string]any{"model": "vectors", "input": []string{"a cat", "the cat"}})
	var ollama struct{ Embeddings [][]float64 }
	var openai struct {
		Data []struct{ Embedding []float64 }
	}
	decode(t, a, &ollama)
	decode(t, b, &openai)
	if len(ollama.Embeddings) != 2 || len(openai.Data) != 2 || len(ollama.Embeddings[1]) != 384 || len(openai.Data[1].Embedding) != 384 {
		t.Errorf("%.300s\n%.300s", a, b)
	}
}

func (o *realOllama) unloads(t *testing.T, in *instance) {
	if _, loaded := o.running(t)["small:latest"]; !loaded {
		t.Fatal("the model is not loaded to begin with")
	}
	status, body := in.post("/api/generate", map[string]any{"model": "small", "keep_alive": 0})
	if status != http.StatusOK || !strings.Contains(body, `"done_reason":"unload"`) {
		t.Errorf("%d %s", status, body)
	}
	var ours string
	unloaded := func() bool {
		_, ours = in.get("/api/ps")
		_, loaded := o.running(t)["small:latest"]
		return !loaded && !strings.Contains(ours, "small")
	}
	if !await.Within(20*time.Second, unloaded) {
		t.Fatalf("the model is still loaded: %s", ours)
	}
}

// killed ends Ollama while it answers: the client hears of an error, in its own
// dialect, and nothing is kept as a finished reply. Once Ollama is back, the next
// question is answered.
func (o *realOllama) killed(t *testing.T, in *instance, path string) {
	question := chat("Tell me a very long story about a cat and "+path, true)
	body, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+in.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	reply := ""
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if reply += lines.Text() + "\n"; strings.Count(reply, `"content":"`) > 3 {
			o.kill()
		}
	}
	if o.cmd != nil {
		t.Fatalf("it was over before it could be killed:\n%s", reply)
	}
	o.start(t)
	if !strings.Contains(reply, `"error":`) || strings.Contains(reply, `"finish_reason":"stop"`) || strings.Contains(reply, `"done":true`) {
		t.Errorf("the reply ends\n%s", tail(reply, 1500))
	}
	_, sessions := in.get("/api/agent/sessions")
	var list []struct{ ID string }
	decode(t, sessions, &list)
	if events := in.events(list[0].ID); !strings.Contains(events, `"state":"failed"`) {
		t.Errorf("the turn is stored as\n%s", events)
	}
	again := chat(joke, false)
	again["options"] = map[string]any{"num_predict": 10}
	if _, body := in.post("/api/chat", again); !strings.Contains(body, `"done":true`) {
		t.Errorf("after the restart: %s", body)
	}
}
