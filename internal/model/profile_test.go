package model

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"loci"
)

// recorded gives an answer recorded from a real server.
func recorded(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const (
	noneLoaded = `{"models":[]}`
	toolCall   = `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"ping","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`
	justText   = `{"choices":[{"index":0,"message":{"role":"assistant","content":"pong"},"finish_reason":"stop"}]}`
	tooPensive = `{"choices":[{"index":0,"message":{"role":"assistant","content":"","reasoning_content":"The user wants"},"finish_reason":"length"}]}`
)

// TestProfile examines models by what their servers answer; the answers of
// Ollama and llama-server are recorded, the others are as documented.
func TestProfile(t *testing.T) {
	show := recorded(t, "ollama_show.json")
	able := strings.Replace(show, `["completion"]`, `["completion","tools","vision","thinking"]`, 1)
	props := recorded(t, "llama_props.json")
	smol := "/models/SmolLM2-135M-Instruct.Q4_1.gguf"
	lmStudio := `{"data":[{"id":"a","type":"llm","arch":"qwen2","max_context_length":32768,"loaded_context_length":8192,"capabilities":["tool_use"]},
		{"id":"b","type":"vlm","arch":"gemma3","max_context_length":131072},{"id":"c","type":"embeddings","arch":"nomic-bert","max_context_length":2048}]}`
	for name, tt := range map[string]struct {
		routes routes
		kind   Kind
		v1     bool
		model  string
		want   loci.Profile
	}{
		"Ollama, recorded, not loaded": {
			routes{"GET /api/tags": recorded(t, "ollama_tags.json"), "POST /api/show": show, "GET /api/ps": noneLoaded}, KindOllama, false, "smollm2:latest",
			loci.Profile{Tier: loci.TierTiny, Window: 4096, Params: 134515008, Family: "llama", Digest: "de0e76a1e00a5d9f3bff812063f48f10219e4df3fa79298d96304e535f172996",
				Reason: "Its server says that it does not call tools natively, and 134.52M parameters are too few to choose among described ones."},
		},
		"Ollama, loaded": {
			routes{"GET /api/tags": recorded(t, "ollama_tags.json"), "POST /api/show": able, "GET /api/ps": strings.Replace(recorded(t, "ollama_ps.json"), `"context_length":4096`, `"context_length":6000`, 1)}, KindOllama, false, "smollm2:latest",
			loci.Profile{Tier: loci.TierNative, Window: 6000, Params: 134515008, Family: "llama", Vision: true, Think: true, Digest: "de0e76a1e00a5d9f3bff812063f48f10219e4df3fa79298d96304e535f172996",
				Reason: "Its server says that it calls tools natively."},
		},
		"Ollama, num_ctx above what the model was trained for": {
			routes{"GET /api/tags": tags("m=llama,7B"), "POST /api/show": strings.Replace(show, `"parameters":"`, `"parameters":"num_ctx 32768\n`, 1)}, KindOllama, false, "m",
			loci.Profile{Tier: loci.TierTiny, Window: 8192, Params: 134515008, Family: "llama", Digest: "d-m", Reason: "Its server says that it does not call tools natively, and 134.52M parameters are too few to choose among described ones."},
		},
		"Ollama before capabilities": {
			routes{"GET /api/tags": tags("m=llama,7B"), "POST /api/show": `{"template":"{{ if .Tools }}","details":{"family":"llama"},"model_info":{}}`}, KindOllama, false, "m",
			loci.Profile{Tier: loci.TierNative, Window: 4096, Params: 7e9, Family: "llama", Digest: "d-m", Reason: "Its server says that it calls tools natively."},
		},
		"Ollama through its OpenAI door": {
			routes{"GET /v1/models": listOf("m"), "POST /api/show": show, "GET /api/ps": noneLoaded}, KindOllama, true, "m",
			loci.Profile{Tier: loci.TierTiny, Window: 4096, Params: 134515008, Family: "llama", Reason: "Its server says that it does not call tools natively, and 134.52M parameters are too few to choose among described ones."},
		},
		"llama-server, recorded": {
			routes{"GET /v1/models": recorded(t, "llama_models.json"), "GET /props": props}, KindLlamaServer, true, smol,
			loci.Profile{Tier: loci.TierTiny, Window: 4096, Params: 134520000, Family: "smollm2", Digest: "gguf:134515008:96576768:Q4_1",
				Reason: "Its server says that it does not call tools natively, and 134.52M parameters are too few to choose among described ones."},
		},
		"llama-server, able": {
			routes{"GET /v1/models": listOf("qwen2.5-7b"), "GET /props": strings.NewReplacer(`"supports_tools":false`, `"supports_tools":true`, `"vision":false`, `"vision":true`).Replace(props)}, KindLlamaServer, true, "qwen2.5-7b",
			loci.Profile{Tier: loci.TierNative, Window: 4096, Params: 7e9, Family: "qwen2", Vision: true, Reason: "Its server says that it calls tools natively."},
		},
		"llama-server before caps": {
			routes{"GET /v1/models": listOf("m"), "GET /props": `{"default_generation_settings":{"n_ctx":2048}}`, "POST /v1/chat/completions": justText}, KindLlamaServer, true, "m",
			loci.Profile{Tier: loci.TierText, Window: 2048, Family: "m", Reason: "A trial call showed that it does not call tools natively."},
		},
		"LM Studio, loaded": {
			routes{"GET /v1/models": listOf("a", "b", "c"), "GET /api/v0/models": lmStudio}, KindLMStudio, true, "a",
			loci.Profile{Tier: loci.TierNative, Window: 8192, Family: "qwen2", Reason: "Its server says that it calls tools natively."},
		},
		"LM Studio, not loaded": {
			routes{"GET /v1/models": listOf("a", "b", "c"), "GET /api/v0/models": lmStudio, "POST /v1/chat/completions": toolCall}, KindLMStudio, true, "b",
			loci.Profile{Tier: loci.TierNative, Window: 4096, Family: "gemma3", Vision: true, Reason: "A trial call showed that it calls tools natively."},
		},
		"vLLM": {
			routes{"GET /v1/models": `{"data":[{"id":"Qwen/Qwen2.5-0.5B-Instruct","owned_by":"vllm","max_model_len":16384}]}`, "POST /v1/chat/completions": justText}, KindVLLM, true, "Qwen/Qwen2.5-0.5B-Instruct",
			loci.Profile{Tier: loci.TierTiny, Window: 16384, Params: 5e8, Family: "qwen2", Reason: "A trial call showed that it does not call tools natively, and 500M parameters are too few to choose among described ones."},
		},
		"unknown server that thinks too long": {
			routes{"GET /v1/models": listOf("m"), "POST /v1/chat/completions": tooPensive}, KindJan, true, "m",
			loci.Profile{Tier: loci.TierText, Window: 4096, Family: "m", Reason: "A trial call showed that it does not call tools natively."},
		},
		"unknown server that refuses": {
			routes{"GET /v1/models": listOf("m"), "POST /v1/chat/completions": `{"error":{"message":"tools are not supported","code":400}}`}, KindJan, true, "m",
			loci.Profile{Tier: loci.TierText, Window: 4096, Family: "m", Reason: "A trial call showed that it does not call tools natively."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, tt.routes)
			if tt.v1 {
				url += "/v1"
			}
			got, err := client(t, url, tt.kind).Profile(t.Context(), tt.model)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Server, tt.want.Model = url, tt.model
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProfileErrors(t *testing.T) {
	dead := closedPort(t)
	_, err := client(t, dead, KindOllama).Profile(t.Context(), "m")
	wantError(t, err, loci.Unreachable, "Ollama at "+dead+" is not answering.", "Start it with: ollama serve")
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/show" {
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"error":"model 'nope' not found"}`)
			return
		}
		io.WriteString(w, tags())
	}))
	_, err = client(t, url, KindOllama).Profile(t.Context(), "nope")
	wantError(t, err, loci.NotFound, "Ollama at "+url+" does not have this: model 'nope' not found.", "Fetch it with: ollama pull nope")
}

// memory is a ProfileStore.
type memory struct {
	mu    sync.Mutex
	kept  map[string]loci.Profile
	saved int
}

func (m *memory) LoadProfile(_ context.Context, server, model string) (loci.Profile, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.kept[server+" "+model]
	return p, ok, nil
}

func (m *memory) SaveProfile(_ context.Context, p loci.Profile) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = make(map[string]loci.Profile)
	}
	m.kept[p.Server+" "+p.Model] = p
	m.saved++
	return nil
}

// probed is a server that tells nothing about its model, and counts trials.
type probed struct {
	trials atomic.Int32
	digest atomic.Pointer[string]
	hold   chan struct{} // trials wait for it, unless nil
	reply  string
}

func (p *probed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.URL.Path != "/v1/chat/completions" {
		entry := `{"id":"m","meta":{"n_params":7000000000,"ftype":"` + *p.digest.Load() + `"}}`
		routes{"GET /v1/models": `{"data":[` + entry + `]}`}.ServeHTTP(w, r)
		return
	}
	var req struct {
		Choice string            `json:"tool_choice"`
		Max    int               `json:"max_tokens"`
		Tools  []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(body, &req) == nil && req.Choice == "required" && req.Max == trialTokens && len(req.Tools) == 1 && r.Header.Get(purposeHeader) == "probe" {
		p.trials.Add(1)
	}
	if p.hold != nil {
		<-p.hold
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, p.reply)
}

func newProbed(reply string) *probed {
	p := &probed{reply: reply}
	p.digest.Store(new("Q4"))
	return p
}

func TestHubProbesOnce(t *testing.T) {
	server := newProbed(toolCall)
	server.hold = make(chan struct{})
	url := serve(t, server) + "/v1"
	store := &memory{}
	h := hub(t, Config{Backends: []Backend{backend(url, KindJan)}, Profiles: store})
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			if p, err := h.Profile(t.Context(), "loci/m"); err != nil || p.Tier != loci.TierNative {
				t.Errorf("%+v %v", p, err)
			}
		})
	}
	close(server.hold)
	callers.Wait()
	if n := server.trials.Load(); n != 1 || store.saved != 1 {
		t.Fatalf("%d trials, stored %d times", n, store.saved)
	}
	// The next run of the program takes the stored one.
	h = hub(t, Config{Backends: []Backend{backend(url, KindJan)}, Profiles: store})
	if p, err := h.Profile(t.Context(), "m"); err != nil || p.Tier != loci.TierNative || server.trials.Load() != 1 {
		t.Errorf("%+v %v, %d trials", p, err, server.trials.Load())
	}
	// New weights are tried again.
	server.digest.Store(new("Q8"))
	h = hub(t, Config{Backends: []Backend{backend(url, KindJan)}, Profiles: store})
	if _, err := h.Profile(t.Context(), "m"); err != nil || server.trials.Load() != 2 {
		t.Errorf("%v, %d trials", err, server.trials.Load())
	}
}

// TestHubLooksAgain renews an old profile without another trial, and without
// making anybody wait.
func TestHubLooksAgain(t *testing.T) {
	server := newProbed(justText)
	h := hub(t, Config{Backends: []Backend{backend(serve(t, server)+"/v1", KindJan)}})
	if _, err := h.Profile(t.Context(), "m"); err != nil {
		t.Fatal(err)
	}
	target, err := h.Resolve(t.Context(), "m")
	if err != nil {
		t.Fatal(err)
	}
	cache := h.profile(target)
	cache.mu.Lock()
	cache.at = cache.at.Add(-2 * profileAge)
	cache.mu.Unlock()
	if p, err := h.Profile(t.Context(), "m"); err != nil || p.Tier != loci.TierText {
		t.Errorf("%+v %v", p, err)
	}
	if _, err := cache.renew(t.Context(), time.Minute); err != nil || server.trials.Load() != 1 {
		t.Errorf("%v, %d trials", err, server.trials.Load())
	}
}

func TestHubTierOverride(t *testing.T) {
	store := &memory{}
	h := hub(t, Config{Backends: []Backend{backend(serve(t, newProbed(toolCall))+"/v1", KindJan)}, Profiles: store, Tier: loci.TierTiny})
	p, err := h.Profile(t.Context(), "")
	if err != nil || p.Tier != loci.TierTiny || p.Reason != "The configuration says so." {
		t.Errorf("%+v %v", p, err)
	}
	for _, kept := range store.kept {
		if kept.Tier != loci.TierNative {
			t.Errorf("the override was stored: %+v", kept)
		}
	}
}

// TestHubDemotes corrects a profile by what a real call shows.
func TestHubDemotes(t *testing.T) {
	server := newProbed(toolCall)
	store := &memory{}
	h := hub(t, Config{Backends: []Backend{backend(serve(t, server)+"/v1", KindJan)}, Profiles: store})
	if p, err := h.Profile(t.Context(), "m"); err != nil || p.Tier != loci.TierNative {
		t.Fatal(p, err)
	}
	server.reply = `{"error":{"message":"m does not support tools"}}`
	req := hello()
	req.Tools = []loci.ToolSpec{trialTool}
	for _, err := range h.Chat(t.Context(), req) {
		if !errors.Is(err, loci.ErrNoTools) {
			t.Errorf("error %v", err)
		}
	}
	p, err := h.Profile(t.Context(), "m")
	want := loci.Profile{Tier: loci.TierText, Reason: "A call showed that it does not call tools natively."}
	if diff := cmp.Diff(want, p, cmpopts.IgnoreFields(loci.Profile{}, "Server", "Model", "Digest", "Family", "Window", "Params")); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, kept := range store.kept {
		if kept.Tier != loci.TierText {
			t.Errorf("stored %+v", kept)
		}
	}
}

func TestParamsOf(t *testing.T) {
	for text, want := range map[string]int64{
		"134.52M": 134_520_000, "7B": 7e9, "7.62b": 7_620_000_000, "SmolLM2-135M-Instruct.Q4_1.gguf": 135e6, "qwen2.5:0.5b": 5e8, "Qwen/Qwen2.5-7B-Instruct": 7e9,
		"": 0, "mixtral-8x7b": 0, "4bit": 0, "phi-3": 0, "q4_0": 0, "llama3.2": 0, "99999999999B": 0, "1mb": 0,
	} {
		if got := paramsOf(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
