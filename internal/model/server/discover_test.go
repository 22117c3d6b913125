package server

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/model/server/servertest"
)

// keyed answers only to a request with a key.
func keyed(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// page is a web application: it answers every path alike.
func page(extra servertest.Routes) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := extra["GET "+r.URL.Path]; ok {
			extra.ServeHTTP(w, r)
			return
		}
		io.WriteString(w, "<!doctype html><title>Open WebUI</title>")
	})
}

func itself(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set(instanceHeader, "another")
	io.WriteString(w, servertest.List("m"))
}

func owned(by string, names ...string) string {
	return strings.ReplaceAll(servertest.List(names...), `"object":"model"`, `"owned_by":"`+by+`"`)
}

func TestDiscover(t *testing.T) {
	ollama := servertest.Routes{
		"GET /": "Ollama is running", "GET /api/version": `{"version":"0.17.4"}`, "GET /api/tags": recorded(t, "ollama_tags.json"),
		"GET /v1/models": owned("library", "minilm:latest", "smollm2:latest"),
	}
	llama := servertest.Routes{"GET /v1/models": recorded(t, "llama_models.json"), "GET /props": recorded(t, "llama_props.json")}
	lm := servertest.Routes{"GET /v1/models": owned("organization_owner", "a"), "GET /api/v0/models": `{"data":[{"id":"a","type":"llm"}]}`}
	kobold := servertest.Routes{
		"GET /v1/models": owned("koboldcpp", "k"), "GET /api/extra/version": `{"result":"KoboldCpp","version":"1.99"}`,
		"GET /api/tags": servertest.Tags("k=llama,7B"), "GET /props": `{"default_generation_settings":{}}`,
	}
	for name, tt := range map[string]struct {
		server   http.Handler
		expected Kind // of the port
		kind     Kind
		dialect  loci.Dialect
		version  string
		models   int
		problem  string
	}{
		"Ollama":                    {ollama, KindOllama, KindOllama, loci.Ollama, "0.17.4", 1, ""},
		"Ollama, no models":         {servertest.Routes{"GET /v1/models": `{"object":"list","data":null}`, "GET /api/tags": `{"models":[]}`}, KindOllama, KindOllama, loci.Ollama, "", 0, problemNoModels},
		"Ollama on another's port":  {ollama, KindLlamaServer, KindOllama, loci.Ollama, "0.17.4", 1, ""},
		"llama-server":              {llama, KindLlamaServer, KindLlamaServer, loci.OpenAI, "b0-unknown", 1, ""},
		"llama-server on 11434":     {llama, KindOllama, KindLlamaServer, loci.OpenAI, "b0-unknown", 1, ""},
		"llama-server behind Jan":   {llama, KindJan, KindJan, loci.OpenAI, "b0-unknown", 1, ""},
		"LocalAI on the same port":  {servertest.Routes{"GET /v1/models": servertest.List("x"), "GET /readyz": "OK", "GET /version": `{"version":"v3.1"}`}, KindLlamaServer, KindLocalAI, loci.OpenAI, "v3.1", 1, ""},
		"Open WebUI there":          {page(nil), KindLlamaServer, "", "", "", 0, problemOther},
		"Open WebUI with an API":    {page(servertest.Routes{"GET /api/version": `{"version":"0.12.4"}`, "GET /api/config": `{"name":"Open WebUI"}`, "GET /v1/models": `{"detail":"Not authenticated"}`}), KindLlamaServer, "", "", "", 0, problemOther},
		"LM Studio":                 {lm, KindLMStudio, KindLMStudio, loci.OpenAI, "", 1, ""},
		"KoboldCpp":                 {kobold, KindKobold, KindKobold, loci.OpenAI, "1.99", 1, ""},
		"vLLM":                      {servertest.Routes{"GET /v1/models": owned("vllm", "q"), "GET /version": `{"version":"0.11"}`}, KindVLLM, KindVLLM, loci.OpenAI, "0.11", 1, ""},
		"text-generation-webui":     {servertest.Routes{"GET /v1/models": servertest.List("t"), "GET /v1/internal/model/info": `{"model_name":"t"}`}, KindTextGen, KindTextGen, loci.OpenAI, "", 1, ""},
		"something with OpenAI API": {servertest.Routes{"GET /v1/models": servertest.List("t")}, KindVLLM, "", loci.OpenAI, "", 1, ""},
		"Jan with a key":            {keyed(servertest.Routes{"GET /v1/models": servertest.List("j")}), KindJan, KindJan, loci.OpenAI, "", 0, problemKey},
		"loci":                      {http.HandlerFunc(itself), KindOllama, "", "", "", 0, problemSelf},
		"nothing of the kind":       {servertest.Routes{}, KindVLLM, "", "", "", 0, problemOther},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := servertest.Serve(t, tt.server)
			found := discover(t.Context(), func(string) string { return "" }, []candidate{{where: "port 1", url: url, kind: tt.expected}})
			if len(found) != 1 {
				t.Fatalf("%+v", found)
			}
			f := found[0]
			if f.Backend.Kind != tt.kind && f.Usable() || f.Version != tt.version || f.Models != tt.models || f.Problem != tt.problem || f.Absent {
				t.Errorf("%s %+v", f.Backend, f)
			}
			if tt.dialect != "" && f.Backend.Dialect != tt.dialect {
				t.Errorf("dialect %q", f.Backend.Dialect)
			}
			if f.Usable() != (tt.problem == "") || f.Where != "port 1" || f.Backend.root() != url {
				t.Errorf("%+v", f)
			}
			if f.Usable() { // what was found can be used as it is
				c := New(Config{Backend: f.Backend})
				t.Cleanup(c.Close)
				if models, err := c.Models(t.Context()); err != nil || len(models) < f.Models {
					t.Errorf("%+v %v", models, err)
				}
			}
		})
	}
}

func TestDiscoverEnvironment(t *testing.T) {
	server := func(h http.Handler) string {
		return servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if key := r.Header.Get("Authorization"); key != "" {
				t.Errorf("a key went to a server it was not given for: %s", key)
			}
			h.ServeHTTP(w, r)
		}))
	}
	ollama := server(servertest.Routes{"GET /v1/models": owned("library", "m"), "GET /api/tags": servertest.Tags("m=llama,7B")})
	usual := server(servertest.Routes{"GET /v1/models": servertest.List("u")})
	if f := discover(t.Context(), env("OLLAMA_HOST", strings.Replace(ollama, "http://127.0.0.1", "localhost", 1), "OPENAI_API_KEY", "right"), []candidate{{url: ollama}, {url: usual, where: "port"}}); len(f) != 2 || f[0].Where != "OLLAMA_HOST" || !f[0].Usable() || !f[1].Usable() {
		t.Errorf("%+v", f)
	}
	own := servertest.Serve(t, keyed(servertest.Routes{"GET /v1/models": servertest.List("m")}))
	if f := discover(t.Context(), env("OPENAI_BASE_URL", own+"/v1", "OPENAI_API_KEY", "right"), nil); len(f) != 1 || !f[0].Usable() || f[0].Backend.Key != "right" || f[0].Backend.URL != own+"/v1" {
		t.Errorf("%+v", f)
	}
	if f := discover(t.Context(), env("OPENAI_BASE_URL", "https://api.example.com/v1", "OPENAI_API_KEY", "right"), nil); len(f) != 1 || f[0].Problem != problemAway {
		t.Errorf("%+v", f)
	}
	if f := discover(t.Context(), env("OLLAMA_HOST", "http://a b"), nil); len(f) != 1 || f[0].Problem != "is not an address" {
		t.Errorf("%+v", f)
	}
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// TestDiscoverIsQuick looks at places where nothing is, or something that
// never answers.
func TestDiscoverIsQuick(t *testing.T) {
	hung := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	began := time.Now()
	found := discover(t.Context(), env(), []candidate{
		{url: hung, kind: KindVLLM, where: "a"}, {url: servertest.ClosedPort(t), kind: KindOllama, where: "b"}, {url: servertest.ClosedPort(t), kind: KindJan, where: "c"},
	})
	if took := time.Since(began); took > 3000*time.Millisecond {
		t.Errorf("took %v", took)
	}
	for i, kind := range []Kind{KindVLLM, KindOllama, KindJan} {
		if !found[i].Absent || found[i].Usable() || found[i].Backend.Kind != kind {
			t.Errorf("%+v", found[i])
		}
	}
}

// TestSettle uses a backend whose address does not tell what it speaks.
func TestSettle(t *testing.T) {
	llama := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" {
			stream(w, sse("llama"))
			return
		}
		servertest.Routes{"GET /v1/models": recorded(t, "llama_models.json"), "GET /props": recorded(t, "llama_props.json")}.ServeHTTP(w, r)
	}))
	ollama := servertest.Serve(t, servertest.Routes{
		"GET /v1/models": owned("library", "m"), "GET /api/tags": servertest.Tags("m=llama,7B"),
		"POST /api/chat": `{"message":{"role":"assistant","content":"ollama"},"done":true,"done_reason":"stop"}`,
	})
	for url, want := range map[string]Backend{
		llama:  {URL: llama + "/v1", Dialect: loci.OpenAI, Kind: KindLlamaServer},
		ollama: {URL: ollama, Dialect: loci.Ollama, Kind: KindOllama},
	} {
		b, err := ParseBackend(url)
		if err != nil || b.Dialect != "" {
			t.Fatal(b, err)
		}
		c := New(Config{Backend: b})
		defer c.Close()
		text, _, err := collect(c, t.Context(), hello())
		if err != nil || text == "" || c.Backend() != want {
			t.Errorf("%q %v %+v", text, err, c.Backend())
		}
	}
	other := servertest.Serve(t, page(nil))
	b, err := ParseBackend(other)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Config{Backend: b})
	defer c.Close()
	_, _, err = collect(c, t.Context(), hello())
	servertest.WantError(t, err, loci.Refused, "What answers at "+other+" is not a model server.", "Set the backend to the address of a model server.")
}
