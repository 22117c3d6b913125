package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"loci"
)

// tags is an Ollama list of models; "name=family,size".
func tags(models ...string) string {
	var entries []string
	for _, m := range models {
		name, rest, _ := strings.Cut(m, "=")
		family, size, _ := strings.Cut(rest, ",")
		entries = append(entries, fmt.Sprintf(`{"name":%q,"model":%q,"digest":"d-%s","details":{"family":%q,"parameter_size":%q}}`, name, name, name, family, size))
	}
	return `{"models":[` + strings.Join(entries, ",") + `]}`
}

func listOf(names ...string) string {
	var entries []string
	for _, n := range names {
		entries = append(entries, fmt.Sprintf(`{"id":%q,"object":"model"}`, n))
	}
	return `{"object":"list","data":[` + strings.Join(entries, ",") + `]}`
}

func backend(url string, kind Kind) Backend {
	b := Backend{URL: url, Dialect: loci.Ollama, Kind: kind}
	if strings.HasSuffix(url, "/v1") {
		b.Dialect = loci.OpenAI
	}
	return b
}

func hub(t testing.TB, c Config) *Hub {
	t.Helper()
	h := New(c)
	t.Cleanup(h.Close)
	return h
}

func ids(models []loci.ModelInfo) []string {
	var names []string
	for _, m := range models {
		names = append(names, m.ID)
	}
	return names
}

func TestModelsMerged(t *testing.T) {
	never := make(chan struct{})
	hung := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-never:
		case <-r.Context().Done():
		}
	}))
	defer close(never)
	one := serve(t, routes{"GET /api/tags": tags("llama3.2:latest=llama,3.21B", "minilm:latest=bert,22.57M")})
	two := serve(t, routes{"GET /v1/models": listOf("other", "llama3.2:latest")})
	dead := closedPort(t)
	h := hub(t, Config{
		Backends:    []Backend{backend(hung, KindOllama), backend(one, KindOllama), backend(dead, KindOllama), backend(two+"/v1", KindJan)},
		Passthrough: []string{"other"},
	})
	began := time.Now()
	models := h.Models(t.Context())
	if took := time.Since(began); took > 3000*time.Millisecond {
		t.Errorf("took %v", took)
	}
	if diff := cmp.Diff([]string{"llama3.2:latest", "minilm:latest", "other"}, ids(models)); diff != "" {
		t.Error(diff)
	}
	if models[0].Server != one || models[0].Embedding || !models[1].Embedding || models[1].Passthrough || !models[2].Passthrough {
		t.Errorf("%+v", models)
	}
	began = time.Now()
	h.Models(t.Context())
	if took := time.Since(began); took > 100*time.Millisecond {
		t.Errorf("the second list took %v", took)
	}
	states := h.Status(t.Context())
	if len(states) != 4 || states[1].Err != nil || states[1].Models != 2 {
		t.Fatalf("%+v", states)
	}
	wantError(t, states[0].Err, loci.Unreachable, "Ollama at "+hung+" is not answering.", "Start it with: ollama serve")
	wantError(t, states[2].Err, loci.Unreachable, "Ollama at "+dead+" is not answering.", "Start it with: ollama serve")
}

func TestResolve(t *testing.T) {
	ollama := serve(t, routes{"GET /api/tags": tags("minilm:latest=bert,22M", "smollm2:latest=llama,134.52M", "llama3.2:3b=llama,3.2B", "Qwen3:8b=qwen3,8.2B", "Qwen3:14b=qwen3,14.8B", "bare/odd:latest=llama,1B")})
	llama := serve(t, routes{"GET /v1/models": listOf("/models/SmolLM2-135M-Instruct.Q4_1.gguf", "llama3.2:3b")})
	h := hub(t, Config{
		Backends:    []Backend{backend(ollama, KindOllama), backend(llama+"/v1", KindJan)},
		Aliases:     map[string]string{"fast": "smollm2", "gpt-4o": "llama3.2"},
		Passthrough: []string{"qwen3:8b", "Qwen3:14b"},
	})
	for name, want := range map[string]string{ // "@" in front: passed through
		"":                                "llama3.2:3b",
		" loci ":                          "llama3.2:3b",
		"loci/default":                    "llama3.2:3b",
		"bare/":                           "@llama3.2:3b",
		"bare/loci":                       "@llama3.2:3b",
		"smollm2":                         "smollm2:latest",
		"smollm2:latest":                  "smollm2:latest",
		"SmolLM2":                         "smollm2:latest",
		"loci/smollm2":                    "smollm2:latest",
		"bare/smollm2":                    "@smollm2:latest",
		"bare/loci/smollm2":               "@smollm2:latest",
		"llama3.2:3b":                     "llama3.2:3b",
		"llama3.2":                        "llama3.2:3b",
		"LLAMA3.2":                        "llama3.2:3b",
		"fast":                            "smollm2:latest",
		"loci/fast":                       "smollm2:latest",
		"bare/gpt-4o":                     "@llama3.2:3b",
		"Qwen3:14b":                       "@Qwen3:14b",
		"qwen3:14b":                       "@Qwen3:14b",
		"loci/Qwen3:14b":                  "Qwen3:14b",
		"Qwen3:8b":                        "Qwen3:8b", // the setting is spelt differently
		"minilm":                          "minilm:latest",
		"bare/odd":                        "bare/odd:latest",
		"SmolLM2-135M-Instruct.Q4_1":      "/models/SmolLM2-135M-Instruct.Q4_1.gguf",
		"smollm2-135m-instruct.q4_1.gguf": "/models/SmolLM2-135M-Instruct.Q4_1.gguf",
	} {
		target, err := h.Resolve(t.Context(), name)
		got := target.Model
		if target.Passthrough {
			got = "@" + got
		}
		if err != nil || got != want {
			t.Errorf("%q: %q %v, want %q", name, got, err, want)
		}
	}
	for name, hint := range map[string]string{
		"qwen3":    "Did you mean: Qwen3:8b, Qwen3:14b",
		"lama3.2":  "Did you mean: llama3.2:3b",
		"mistral":  "There is: smollm2:latest, llama3.2:3b, Qwen3:8b, Qwen3:14b, bare/odd:latest",
		"loci/xyz": "There is: smollm2:latest, llama3.2:3b, Qwen3:8b, Qwen3:14b, bare/odd:latest",
	} {
		_, err := h.Resolve(t.Context(), name)
		wantError(t, err, loci.NotFound, "model '"+strings.TrimPrefix(name, "loci/")+"' not found", hint)
	}
}

func TestResolveDefault(t *testing.T) {
	for name, tt := range map[string]struct {
		models, config, want string
	}{
		"configured":      {tags("a=llama,8B", "b=llama,1B"), "b", "b"},
		"first of a size": {tags("tiny=llama,135M", "small=llama,3B", "large=llama,70B"), "", "small"},
		"only tiny":       {tags("embed=bert,22M", "tiny=llama,135M", "tinier=llama,70M"), "", "tiny"},
		"unknown size":    {tags("tiny=llama,135M", "what=,"), "", "what"},
	} {
		t.Run(name, func(t *testing.T) {
			h := hub(t, Config{Backends: []Backend{backend(serve(t, routes{"GET /api/tags": tt.models}), KindOllama)}, Default: tt.config})
			if target, err := h.Resolve(t.Context(), ""); err != nil || target.Model != tt.want {
				t.Errorf("%q %v, want %q", target.Model, err, tt.want)
			}
		})
	}
}

func TestResolveWithoutModels(t *testing.T) {
	dead, empty := closedPort(t), serve(t, routes{"GET /api/tags": tags()})
	full := serve(t, routes{"GET /api/tags": tags("m=llama,8B")})
	for name, tt := range map[string]struct {
		backends      []string
		code          loci.Code
		message, hint string
	}{
		"no server":       {nil, loci.Unreachable, "There is no model server.", "Start Ollama, LM Studio or llama-server, or let loci fetch a model with: loci up"},
		"down":            {[]string{dead}, loci.Unreachable, "Ollama at " + dead + " is not answering.", "Start it with: ollama serve"},
		"empty":           {[]string{empty}, loci.NotFound, "Ollama at " + empty + " has no model yet.", "Fetch one with: ollama pull llama3.2"},
		"one of two down": {[]string{dead, full}, loci.NotFound, "model 'x-large' not found", "There is: m. (Ollama at " + dead + " is not answering.)"},
	} {
		t.Run(name, func(t *testing.T) {
			var c Config
			for _, url := range tt.backends {
				c.Backends = append(c.Backends, backend(url, KindOllama))
			}
			_, err := hub(t, c).Resolve(t.Context(), "x-large")
			wantError(t, err, tt.code, tt.message, tt.hint)
		})
	}
}

// TestServerThatCannotList sends every name to the only server there is.
func TestServerThatCannotList(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" {
			body, _ := io.ReadAll(r.Body)
			stream(w, sse(fmt.Sprint(strings.Contains(string(body), `"model":"any"`))))
			return
		}
		http.Error(w, `{"detail":"Not Found"}`, http.StatusNotFound)
	}))
	h := hub(t, Config{Backends: []Backend{backend(url+"/v1", "")}})
	req := hello()
	req.Model = "bare/any"
	var text string
	for chunk, err := range h.Chat(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		text += chunk.Text
	}
	if text != "true" {
		t.Errorf("%q", text)
	}
	if target, err := h.Resolve(t.Context(), "bare/any"); err != nil || !target.Passthrough {
		t.Errorf("%+v %v", target, err)
	}
}

// TestServerGoesAndComes follows a server that goes down, comes back under
// another port, and gets a new model.
func TestServerGoesAndComes(t *testing.T) {
	first := serve(t, routes{"GET /api/tags": tags("m=llama,8B")})
	h := hub(t, Config{})
	h.SetBackend("embedded", backend(first, KindOllama))
	if target, err := h.Resolve(t.Context(), "m"); err != nil || target.Client.Backend().URL != first {
		t.Fatal(target, err)
	}
	models := atomic.Pointer[string]{}
	models.Store(new(tags("m=llama,8B")))
	second := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, *models.Load()) }))
	h.SetBackend("embedded", backend(second, KindOllama))
	if target, err := h.Resolve(t.Context(), "m"); err != nil || target.Client.Backend().URL != second || len(h.all()) != 1 {
		t.Fatal(target, err)
	}
	models.Store(new(tags("m=llama,8B", "new=llama,8B")))
	m := h.all()[0]
	m.list.at = m.list.at.Add(-time.Second) // the list has grown a little old
	if target, err := h.Resolve(t.Context(), "new"); err != nil || target.Model != "new" {
		t.Errorf("%+v %v", target, err)
	}
}

// TestKnownModelOfDeadServer gives the reason, not "not found", for a model
// whose server went down.
func TestKnownModelOfDeadServer(t *testing.T) {
	other := serve(t, routes{"GET /api/tags": tags("other=llama,8B")})
	dead := closedPort(t)
	h := hub(t, Config{Backends: []Backend{backend(other, KindOllama), backend(dead, KindLMStudio)}})
	h.all()[1].list.set(listing{err: backend(dead, KindLMStudio).unreachable(nil), known: []loci.ModelInfo{{ID: "mine"}}})
	for _, err := range h.Chat(t.Context(), loci.Request{Model: "mine"}) {
		wantError(t, err, loci.Unreachable, "LM Studio at "+dead+" is not answering.", "Start it with: lms server start")
	}
}

func TestImagesForBlindModel(t *testing.T) {
	for caps, want := range map[string]bool{`["completion"]`: false, `["completion","vision"]`: true, `null`: true} {
		url := serve(t, routes{
			"GET /api/tags":  tags("m=llama,8B"),
			"POST /api/show": `{"template":"","details":{},"model_info":{},"capabilities":` + caps + `}`,
			"POST /api/chat": `{"message":{"role":"assistant","content":"a cat"},"done":true,"done_reason":"stop"}`,
		})
		h := hub(t, Config{Backends: []Backend{backend(url, KindOllama)}})
		req := hello()
		req.Messages[0].Images = []loci.Image{{Base64: "aGk="}}
		var last error
		for _, err := range h.Chat(t.Context(), req) {
			last = err
		}
		if want && last != nil {
			t.Errorf("%s: %v", caps, last)
		} else if !want {
			wantError(t, last, loci.Refused, "The model m cannot look at pictures.", "Choose a model with vision, or send the message without the picture.")
		}
	}
}

func TestEmbed(t *testing.T) {
	var sizes []int
	h := func(path string, reply func(n int) string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != path {
				routes{"GET /api/tags": tags("chat=llama,8B", "minilm:latest=bert,22M"), "GET /v1/models": listOf("chat", "embedder")}.ServeHTTP(w, r)
				return
			}
			var body struct{ Input []string }
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get(purposeHeader) != "embed" {
				t.Error(err, r.Header)
			}
			sizes = append(sizes, len(body.Input))
			io.WriteString(w, reply(len(body.Input)))
		})
	}
	native := func(n int) string { return `{"embeddings":[` + strings.Repeat(`[0.5,1],`, n-1) + `[0.5,1]]}` }
	door := func(n int) string {
		var data []string
		for i := range n {
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,1]}`, i, i))
		}
		return `{"data":[` + strings.Join(data, ",") + `]}`
	}
	for url, model := range map[string]string{serve(t, h("/api/embed", native)): "", serve(t, h("/v1/embeddings", door)) + "/v1": "embedder"} {
		sizes = nil
		hub := hub(t, Config{Backends: []Backend{backend(url, KindOllama)}})
		vectors, err := hub.Embed(t.Context(), model, make([]string, 100))
		if err != nil || len(vectors) != 100 || len(vectors[99]) != 2 {
			t.Fatal(len(vectors), err)
		}
		if diff := cmp.Diff([]int{64, 36}, sizes); diff != "" {
			t.Error(diff)
		}
	}
	for name, reply := range map[string]string{"too few": `{"embeddings":[[1]]}`, "uneven": `{"embeddings":[[1],[1,2]]}`, "empty": `{"embeddings":[[],[]]}`, "junk": `{`} {
		c := client(t, serve(t, routes{"POST /api/embed": reply}), KindOllama)
		if v, err := c.Embed(t.Context(), "m", []string{"a", "b"}); err == nil {
			t.Errorf("%s: %v", name, v)
		}
	}
}

func TestHubStopsWithItsWork(t *testing.T) {
	started := make(chan struct{})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/show" {
			_, _ = io.Copy(io.Discard, r.Body)
			close(started)
			<-r.Context().Done()
			return
		}
		routes{"GET /api/tags": tags("m=llama,8B")}.ServeHTTP(w, r)
	}))
	h := New(Config{Backends: []Backend{backend(url, KindOllama)}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := h.Profile(ctx, "m"); err != context.Canceled {
		t.Error(err)
	}
	h.Close() // ends the examination that nobody waits for
}
