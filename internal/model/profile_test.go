package model

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"loci"
	"loci/internal/model/server"
	"loci/internal/model/server/servertest"
)

const (
	toolCall   = `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Paris\"}"}}]},"finish_reason":"tool_calls"}]}`
	justText   = `{"choices":[{"index":0,"message":{"role":"assistant","content":"pong"},"finish_reason":"stop"}]}`
	tooPensive = `{"choices":[{"index":0,"message":{"role":"assistant","content":"","reasoning_content":"The user wants"},"finish_reason":"length"}]}`
)

// TestProfile finds the tier of a model: from its server where that tells, else
// by a trial call.
func TestProfile(t *testing.T) {
	show := func(size, capabilities string) servertest.Routes {
		return servertest.Routes{
			"GET /api/tags":  servertest.Tags("m=llama," + size),
			"POST /api/show": `{"template":"","details":{},"model_info":{},"capabilities":` + capabilities + `}`,
		}
	}
	tried := func(reply string) servertest.Routes {
		return servertest.Routes{"GET /v1/models": servertest.List("m", "small-0.5B"), "POST /v1/chat/completions": reply}
	}
	for name, tt := range map[string]struct {
		routes servertest.Routes
		kind   server.Kind
		model  string
		want   loci.Profile
	}{
		"told that it can": {show("8B", `["completion","tools","vision","thinking"]`), server.KindOllama, "m",
			loci.Profile{Tier: loci.TierNative, Window: 4096, Params: 8e9, Family: "llama", Digest: "d-m", Vision: true, Think: true, Reason: "Its server says that it calls tools natively."}},
		"told that it cannot": {show("8B", `["completion"]`), server.KindOllama, "m",
			loci.Profile{Tier: loci.TierText, Window: 4096, Params: 8e9, Family: "llama", Digest: "d-m", Reason: "Its server says that it does not call tools natively."}},
		"told, and tiny": {show("134.52M", `["completion"]`), server.KindOllama, "m",
			loci.Profile{Tier: loci.TierTiny, Window: 4096, Params: 134_520_000, Family: "llama", Digest: "d-m", Reason: "Its server says that it does not call tools natively, and 134 million parameters are too few to choose among described ones."}},
		"tried, and it called": {tried(toolCall), server.KindJan, "m",
			loci.Profile{Native: loci.Yes, Tier: loci.TierNative, Window: 4096, Family: "m", Reason: "A trial showed that it calls tools natively."}},
		"tried, and it talked": {tried(justText), server.KindJan, "m",
			loci.Profile{Native: loci.No, Tier: loci.TierText, Window: 4096, Family: "m", Reason: "A trial showed that it does not call tools natively."}},
		"tried, and tiny": {tried(justText), server.KindJan, "small-0.5B",
			loci.Profile{Native: loci.No, Tier: loci.TierTiny, Window: 4096, Params: 5e8, Family: "small", Reason: "A trial showed that it does not call tools natively, or not reliably, and 500 million parameters are too few to choose among described ones."}},
		"tried, and it thought too long": {tried(tooPensive), server.KindJan, "m",
			loci.Profile{Tier: loci.TierText, Window: 4096, Family: "m", Reason: "It is not known yet whether it calls tools natively."}},
		"tried, and it refused": {tried(`{"error":{"message":"tools are not supported","code":400}}`), server.KindJan, "m",
			loci.Profile{Native: loci.No, Tier: loci.TierText, Window: 4096, Family: "m", Reason: "A trial showed that it does not call tools natively."}},
	} {
		t.Run(name, func(t *testing.T) {
			url := servertest.Serve(t, tt.routes)
			if tt.kind != server.KindOllama {
				url += "/v1"
			}
			h := hub(t, Config{Backends: []server.Backend{backend(url, tt.kind)}})
			got, err := h.Profile(t.Context(), tt.model)
			tt.want.Server, tt.want.Model = url, tt.model
			if tt.kind == server.KindOllama {
				tt.want.Slots = 1
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("(-want +got):\n%serror %v", diff, err)
			}
		})
	}
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
		servertest.Routes{"GET /v1/models": `{"data":[` + entry + `]}`}.ServeHTTP(w, r)
		return
	}
	var req struct {
		Max      int               `json:"max_tokens"`
		Tools    []json.RawMessage `json:"tools"`
		Messages []struct{ Content string }
	}
	if json.Unmarshal(body, &req) == nil && req.Max == callTokens && len(req.Tools) == len(trialTools) && req.Messages[0].Content == trialTasks[0].said && r.Header.Get("X-Loci-Purpose") == "probe" {
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
	probed := newProbed(toolCall)
	probed.hold = make(chan struct{})
	url := servertest.Serve(t, probed) + "/v1"
	store := &memory{}
	h := hub(t, Config{Backends: []server.Backend{backend(url, server.KindJan)}, Profiles: store})
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			if p, err := h.Profile(t.Context(), "loci/m"); err != nil || p.Tier != loci.TierNative {
				t.Errorf("%+v %v", p, err)
			}
		})
	}
	close(probed.hold)
	callers.Wait()
	if n := probed.trials.Load(); n != 1 || store.saved != 1 {
		t.Fatalf("%d trials, stored %d times", n, store.saved)
	}
	// The next run of the program takes the stored one.
	h = hub(t, Config{Backends: []server.Backend{backend(url, server.KindJan)}, Profiles: store})
	if p, err := h.Profile(t.Context(), "m"); err != nil || p.Tier != loci.TierNative || probed.trials.Load() != 1 {
		t.Errorf("%+v %v, %d trials", p, err, probed.trials.Load())
	}
	// New weights are tried again.
	probed.digest.Store(new("Q8"))
	h = hub(t, Config{Backends: []server.Backend{backend(url, server.KindJan)}, Profiles: store})
	if _, err := h.Profile(t.Context(), "m"); err != nil || probed.trials.Load() != 2 {
		t.Errorf("%v, %d trials", err, probed.trials.Load())
	}
}

// TestNamedBackend keeps the profile of a server whose address is another at each
// start, for as long as it serves the same weights.
func TestNamedBackend(t *testing.T) {
	probed, store := newProbed(toolCall), &memory{}
	for start, digest := range []string{"a", "a", "b"} {
		h := hub(t, Config{Profiles: store})
		b := backend(servertest.Serve(t, probed)+"/v1", server.KindLlamaServer)
		b.Name, b.Digest = "own", digest
		h.SetBackend("own", b)
		for range 2 {
			if p, err := h.Profile(t.Context(), "m"); err != nil || p.Tier != loci.TierNative || p.Server != b.URL {
				t.Errorf("%+v %v", p, err)
			}
		}
		h.Close() // what is to be stored is
		if n, want := probed.trials.Load(), []int32{1, 1, 2}[start]; n != want {
			t.Errorf("start %d: %d trials, want %d", start, n, want)
		}
	}
	if p, ok := store.kept["own m"]; !ok || len(store.kept) != 1 || p.Native != loci.Yes {
		t.Errorf("stored %v", store.kept)
	}
}

// TestHubLooksAgain renews an old profile without another trial, and without
// making anybody wait.
func TestHubLooksAgain(t *testing.T) {
	probed := newProbed(justText)
	h := hub(t, Config{Backends: []server.Backend{backend(servertest.Serve(t, probed)+"/v1", server.KindJan)}})
	if _, err := h.Profile(t.Context(), "m"); err != nil {
		t.Fatal(err)
	}
	target, err := h.Resolve(t.Context(), "m")
	if err != nil {
		t.Fatal(err)
	}
	cache := &h.acquaintance(target).facts
	cache.mu.Lock()
	cache.at = cache.at.Add(-2 * profileAge)
	cache.mu.Unlock()
	if p, err := h.Profile(t.Context(), "m"); err != nil || p.Tier != loci.TierText {
		t.Errorf("%+v %v", p, err)
	}
	before := probed.trials.Load()
	if _, err := cache.renew(t.Context(), time.Minute); err != nil || probed.trials.Load() != before {
		t.Errorf("%v, %d trials", err, probed.trials.Load())
	}
}

func TestHubTierOverride(t *testing.T) {
	store := &memory{}
	h := hub(t, Config{Backends: []server.Backend{backend(servertest.Serve(t, newProbed(toolCall))+"/v1", server.KindJan)}, Profiles: store, Tier: loci.TierTiny})
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
	probed := newProbed(toolCall)
	store := &memory{}
	h := hub(t, Config{Backends: []server.Backend{backend(servertest.Serve(t, probed)+"/v1", server.KindJan)}, Profiles: store})
	if p, err := h.Profile(t.Context(), "m"); err != nil || p.Tier != loci.TierNative {
		t.Fatal(p, err)
	}
	probed.reply = `{"error":{"message":"m does not support tools"}}`
	req := ask("hello")
	req.Tools = []loci.ToolSpec{trialTools[0]}
	for _, err := range h.Chat(t.Context(), req) {
		if !errors.Is(err, loci.ErrNoTools) {
			t.Errorf("error %v", err)
		}
	}
	p, err := h.Profile(t.Context(), "m")
	want := loci.Profile{Tier: loci.TierText, Reason: "A trial showed that it does not call tools natively."}
	if diff := cmp.Diff(want, p, cmpopts.IgnoreFields(loci.Profile{}, "Server", "Model", "Digest", "Family", "Window", "Params", "Native")); diff != "" || err != nil {
		t.Error(diff, err)
	}
	h.Close() // what is to be stored is
	for _, kept := range store.kept {
		if kept.Tier != loci.TierText {
			t.Errorf("stored %+v", kept)
		}
	}
}
