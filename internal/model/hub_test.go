package model

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"loci"
	"loci/internal/model/server"
	"loci/internal/model/server/servertest"
)

func backend(url string, kind server.Kind) server.Backend {
	b := server.Backend{URL: url, Dialect: loci.Ollama, Kind: kind}
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
	hung := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-never:
		case <-r.Context().Done():
		}
	}))
	defer close(never)
	one := servertest.Serve(t, servertest.Routes{"GET /api/tags": servertest.Tags("llama3.2:latest=llama,3.21B", "minilm:latest=bert,22.57M")})
	two := servertest.Serve(t, servertest.Routes{"GET /v1/models": servertest.List("other", "llama3.2:latest")})
	dead := servertest.ClosedPort(t)
	h := hub(t, Config{
		Backends:    []server.Backend{backend(hung, server.KindOllama), backend(one, server.KindOllama), backend(dead, server.KindOllama), backend(two+"/v1", server.KindJan)},
		Passthrough: []string{"other"},
	})
	models := h.Models(t.Context()) // comes to an end, although one server never does
	if diff := cmp.Diff([]string{"loci", "llama3.2:latest", "minilm:latest", "other"}, ids(models)); diff != "" {
		t.Error(diff)
	}
	own, models := models[0], models[1:]
	if models[0].Server != one || models[0].Embedding || !models[1].Embedding || models[1].Passthrough || !models[2].Passthrough {
		t.Errorf("%+v", models)
	}
	if own.Server != one || own.Parameters != "3.21B" || own.Passthrough {
		t.Errorf("the default model is listed as %+v", own)
	}
	late, leave := context.WithCancel(t.Context())
	leave()
	if again := h.Models(late); len(again) != 4 {
		t.Errorf("who cannot wait gets %v, so the second list waits for a server", ids(again))
	}
	states := h.Status(t.Context())
	if len(states) != 4 || states[1].Err != nil || states[1].Models != 2 {
		t.Fatalf("%+v", states)
	}
	servertest.WantError(t, states[0].Err, loci.Unreachable, "Ollama at "+hung+" is not answering.", "Start it with: ollama serve")
	servertest.WantError(t, states[2].Err, loci.Unreachable, "Ollama at "+dead+" is not answering.", "Start it with: ollama serve")
}

func TestResolve(t *testing.T) {
	ollama := servertest.Serve(t, servertest.Routes{"GET /api/tags": servertest.Tags("minilm:latest=bert,22M", "smollm2:latest=llama,134.52M", "llama3.2:3b=llama,3.2B", "Qwen3:8b=qwen3,8.2B", "Qwen3:14b=qwen3,14.8B", "bare/odd:latest=llama,1B")})
	llama := servertest.Serve(t, servertest.Routes{"GET /v1/models": servertest.List("/models/SmolLM2-135M-Instruct.Q4_1.gguf", "llama3.2:3b")})
	h := hub(t, Config{
		Backends:    []server.Backend{backend(ollama, server.KindOllama), backend(llama+"/v1", server.KindJan)},
		Aliases:     map[string]string{"fast": "smollm2", "gpt-4o": "llama3.2"},
		Passthrough: []string{"qwen3:8b", "Qwen3:14b"},
	})
	for name, want := range map[string]string{ // "@" in front: passed through
		"":                                "llama3.2:3b",
		" loci ":                          "llama3.2:3b",
		"loci/default":                    "llama3.2:3b",
		"loci:latest":                     "llama3.2:3b",
		"bare/loci:latest":                "@llama3.2:3b",
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
		got := target.Model.ID
		if target.Model.Passthrough {
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
		servertest.WantError(t, err, loci.NotFound, "model '"+strings.TrimPrefix(name, "loci/")+"' not found", hint)
	}
}

func TestResolveDefault(t *testing.T) {
	for name, tt := range map[string]struct {
		models, config, want string
	}{
		"configured":      {servertest.Tags("a=llama,8B", "b=llama,1B"), "b", "b"},
		"first of a size": {servertest.Tags("tiny=llama,135M", "small=llama,3B", "large=llama,70B"), "", "small"},
		"only tiny":       {servertest.Tags("embed=bert,22M", "tiny=llama,135M", "tinier=llama,70M"), "", "tiny"},
		"unknown size":    {servertest.Tags("tiny=llama,135M", "what=,"), "", "what"},
	} {
		t.Run(name, func(t *testing.T) {
			h := hub(t, Config{Backends: []server.Backend{backend(servertest.Serve(t, servertest.Routes{"GET /api/tags": tt.models}), server.KindOllama)}, Default: tt.config})
			if target, err := h.Resolve(t.Context(), ""); err != nil || target.Model.ID != tt.want {
				t.Errorf("%q %v, want %q", target.Model.ID, err, tt.want)
			}
		})
	}
}

func TestResolveWithoutModels(t *testing.T) {
	dead, empty := servertest.ClosedPort(t), servertest.Serve(t, servertest.Routes{"GET /api/tags": servertest.Tags()})
	full := servertest.Serve(t, servertest.Routes{"GET /api/tags": servertest.Tags("m=llama,8B")})
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
				c.Backends = append(c.Backends, backend(url, server.KindOllama))
			}
			_, err := hub(t, c).Resolve(t.Context(), "x-large")
			servertest.WantError(t, err, tt.code, tt.message, tt.hint)
		})
	}
}

// TestServerThatCannotList sends every name to the only server there is.
func TestServerThatCannotList(t *testing.T) {
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" {
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"choices":[{"message":{"content":"%t"},"finish_reason":"stop"}]}`, strings.Contains(string(body), `"model":"any"`))
			return
		}
		http.Error(w, `{"detail":"Not Found"}`, http.StatusNotFound)
	}))
	h := hub(t, Config{Backends: []server.Backend{backend(url+"/v1", "")}})
	req := ask("hello")
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
	if target, err := h.Resolve(t.Context(), "bare/any"); err != nil || !target.Model.Passthrough {
		t.Errorf("%+v %v", target, err)
	}
}

// TestServerGoesAndComes follows a server that goes down, comes back under
// another port, and gets a new model.
func TestServerGoesAndComes(t *testing.T) {
	first := servertest.Serve(t, servertest.Routes{"GET /api/tags": servertest.Tags("m=llama,8B")})
	h := hub(t, Config{})
	h.SetBackend("embedded", backend(first, server.KindOllama))
	if target, err := h.Resolve(t.Context(), "m"); err != nil || target.Server.Backend().URL != first {
		t.Fatal(target, err)
	}
	models := atomic.Pointer[string]{}
	models.Store(new(servertest.Tags("m=llama,8B")))
	second := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, *models.Load()) }))
	h.SetBackend("embedded", backend(second, server.KindOllama))
	if target, err := h.Resolve(t.Context(), "m"); err != nil || target.Server.Backend().URL != second || len(h.all()) != 1 {
		t.Fatal(target, err)
	}
	models.Store(new(servertest.Tags("m=llama,8B", "new=llama,8B")))
	m := h.all()[0]
	m.list.at = m.list.at.Add(-time.Second) // the list has grown a little old
	if target, err := h.Resolve(t.Context(), "new"); err != nil || target.Model.ID != "new" {
		t.Errorf("%+v %v", target, err)
	}
}

// TestKnownModelOfDeadServer gives the reason, not "not found", for a model
// whose server went down.
func TestKnownModelOfDeadServer(t *testing.T) {
	other := servertest.Serve(t, servertest.Routes{"GET /api/tags": servertest.Tags("other=llama,8B")})
	dead := servertest.ClosedPort(t)
	h := hub(t, Config{Backends: []server.Backend{backend(other, server.KindOllama), backend(dead, server.KindLMStudio)}})
	h.all()[1].list.set(listing{err: backend(dead, server.KindLMStudio).Unreachable(nil), known: []loci.ModelInfo{{ID: "mine"}}})
	for _, err := range h.Chat(t.Context(), loci.Request{Model: "mine"}) {
		servertest.WantError(t, err, loci.Unreachable, "LM Studio at "+dead+" is not answering.", "Start it with: lms server start")
	}
}

func TestImagesForBlindModel(t *testing.T) {
	for caps, want := range map[string]bool{`["completion"]`: false, `["completion","vision"]`: true, `null`: true} {
		url := servertest.Serve(t, servertest.Routes{
			"GET /api/tags":  servertest.Tags("m=llama,8B"),
			"POST /api/show": `{"template":"","details":{},"model_info":{},"capabilities":` + caps + `}`,
			"POST /api/chat": `{"message":{"role":"assistant","content":"a cat"},"done":true,"done_reason":"stop"}`,
		})
		h := hub(t, Config{Backends: []server.Backend{backend(url, server.KindOllama)}})
		req := ask("hello")
		req.Messages[0].Images = []loci.Image{{Base64: "aGk="}}
		var last error
		for _, err := range h.Chat(t.Context(), req) {
			last = err
		}
		if want && last != nil {
			t.Errorf("%s: %v", caps, last)
		} else if !want {
			servertest.WantError(t, last, loci.Refused, "The model m cannot look at pictures.", "Choose a model with vision, or send the message without the picture.")
		}
	}
}

// TestListedDefault lists the name "loci" where it means something.
func TestListedDefault(t *testing.T) {
	for name, tt := range map[string]struct {
		models, config string
		want           []string
	}{
		"one model":            {servertest.Tags("m=llama,8B"), "", []string{"loci", "m"}},
		"only embedding":       {servertest.Tags("minilm=bert,22M"), "", []string{"minilm"}},
		"configured":           {servertest.Tags("a=llama,8B", "b=llama,1B"), "b", []string{"loci", "a", "b"}},
		"configured, absent":   {servertest.Tags("a=llama,8B"), "gone", []string{"a"}},
		"nothing":              {servertest.Tags(), "", nil},
		"a model of that name": {servertest.Tags("m=llama,8B", "loci:latest=llama,8B"), "", []string{"m", "loci:latest"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := hub(t, Config{Backends: []server.Backend{backend(servertest.Serve(t, servertest.Routes{"GET /api/tags": tt.models}), server.KindOllama)}, Default: tt.config})
			if diff := cmp.Diff(tt.want, ids(h.Models(t.Context()))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRunning merges what the servers that can tell have loaded.
func TestRunning(t *testing.T) {
	loaded := func(name string) servertest.Routes {
		return servertest.Routes{"GET /api/ps": `{"models":[{"name":"` + name + `","model":"` + name + `","context_length":4096}]}`}
	}
	h := hub(t, Config{Backends: []server.Backend{
		backend(servertest.Serve(t, loaded("a:latest")), server.KindOllama), backend(servertest.ClosedPort(t), server.KindOllama),
		backend(servertest.Serve(t, loaded("hidden"))+"/v1", server.KindJan), backend(servertest.Serve(t, loaded("b:7b")), server.KindOllama),
	}})
	var names []string
	for _, r := range h.Running(t.Context()) {
		names = append(names, r.Model.ID)
	}
	if diff := cmp.Diff([]string{"a:latest", "b:7b"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestEmbed finds the embedding model when none is named.
func TestEmbed(t *testing.T) {
	h := hub(t, Config{Backends: []server.Backend{backend(servertest.Serve(t, servertest.Routes{
		"GET /api/tags":   servertest.Tags("chat=llama,8B", "minilm:latest=bert,22M"),
		"POST /api/embed": `{"embeddings":[[0.5,1]],"prompt_eval_count":3}`,
	}), server.KindOllama)}})
	for _, model := range []string{"", "minilm"} {
		if vectors, tokens, err := h.Embed(t.Context(), model, []string{"a"}); err != nil || len(vectors) != 1 || tokens != 3 {
			t.Errorf("%q: %v, %d tokens, %v", model, vectors, tokens, err)
		}
	}
	h = hub(t, Config{Backends: []server.Backend{backend(servertest.Serve(t, servertest.Routes{"GET /api/tags": servertest.Tags("chat=llama,8B")}), server.KindOllama)}})
	_, _, err := h.Embed(t.Context(), "", []string{"a"})
	servertest.WantError(t, err, loci.NotFound, "There is no embedding model.", "With Ollama, fetch one with: ollama pull all-minilm")
}

func TestHubStopsWithItsWork(t *testing.T) {
	started := make(chan struct{})
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/show" {
			_, _ = io.Copy(io.Discard, r.Body)
			close(started)
			<-r.Context().Done()
			return
		}
		servertest.Routes{"GET /api/tags": servertest.Tags("m=llama,8B")}.ServeHTTP(w, r)
	}))
	h := New(Config{Backends: []server.Backend{backend(url, server.KindOllama)}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := h.Profile(ctx, "m"); err != context.Canceled {
		t.Error(err)
	}
	h.Close() // ends the examination that nobody waits for
}
