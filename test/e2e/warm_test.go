package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"loci"
	"loci/internal/await"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/fake"
)

// What a new conversation begins with is read before anybody asks, so that the first
// call reads little more than the question; and nothing is loaded for it.
func TestWarmUp(t *testing.T) {
	for _, tc := range []struct {
		name   string
		ollama bool
		env    string
		want   bool
	}{
		{"llama-server", false, "LOCI_WARM_UP=true", true},
		{"Ollama, loaded", true, "LOCI_WARM_UP=true", true},
		{"switched off", false, "LOCI_WARM_UP=false", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := fake.NewModel(fake.Reply{Text: "Hello."})
			url := m.OpenAI(t)
			if tc.ollama {
				url = m.Ollama(t)
			}
			in := serve(t, options{env: []string{tc.env}, args: []string{"--backend", url, "--allow", folder(t)}})
			if tc.want {
				if warm := m.Await(t, 1); warm.Purpose != loci.PurposeWarmup || *warm.Options.MaxTokens != 1 {
					t.Fatalf("the first call is for %q", warm.Purpose)
				}
				<-m.Requests()[0].Done()
			}
			if _, body := in.post("/v1/chat/completions", chat("Hello?", true)); openaiText(t, body) != "Hello." {
				t.Fatal(body)
			}
			turns, _ := receipts(t, in, 1)
			r := turns[0][0]
			if warm := r.Reused != nil && *r.Reused*10 > r.Prompt*9; !tc.ollama && warm != tc.want {
				t.Errorf("%d of %d tokens were read already", *r.Reused, r.Prompt)
			}
		})
	}
}

// A person who asks in the meantime does not wait for it.
func TestWarmUpGivesWay(t *testing.T) {
	m := fake.NewModel(fake.Reply{Text: "Hello."})
	m.On(loci.PurposeWarmup, fake.Reply{Text: "ok", Wait: make(chan struct{})}) // it never ends
	in := serve(t, options{env: []string{"LOCI_WARM_UP=true"}, args: []string{"--backend", m.OpenAI(t)}})
	warm := m.Await(t, 1)
	if _, body := in.post("/v1/chat/completions", chat("Hello?", true)); openaiText(t, body) != "Hello." {
		t.Fatal(body)
	}
	if !warm.Canceled() {
		t.Error("the warm-up went on")
	}
}

// On the real engine the first answer comes sooner after a warm-up.
func TestWarmFirstToken(t *testing.T) {
	engine := embeddedtest.Start(t)
	took := map[string]time.Duration{}
	for _, warm := range []string{"false", "true"} {
		p := &prompter{t: t, url: strings.TrimSuffix(engine.Chat.URL(), "/v1"), key: engine.Chat.Key(), script: []string{"Hello."}}
		proxy := httptest.NewServer(p)
		t.Cleanup(proxy.Close)
		dir := folder(t) // its name is new, so no other test has warmed the engine for it
		in := serve(t, options{env: []string{"LOCI_TIER=text", "LOCI_WARM_UP=" + warm}, args: []string{"--backend", proxy.URL + "/v1", "--allow", dir}})
		if warm == "true" {
			p.await()
		}
		_, body := in.post("/v1/chat/completions", map[string]any{"model": engine.Chat.Model(), "stream": true, "messages": []any{map[string]string{"role": "user", "content": "Hello?"}}})
		if openaiText(t, body) != "Hello." {
			t.Fatal(body)
		}
		turns, _ := receipts(t, in, 1)
		took[warm] = turns[0][0].PromptTime
		t.Logf("warm-up %s: %d of %d prompt tokens evaluated in %v", warm, *turns[0][0].Evaluated, turns[0][0].Prompt, turns[0][0].PromptTime)
	}
	if took["true"]*2 > took["false"] {
		t.Errorf("the prompt took %v warm and %v cold", took["true"], took["false"])
	}
	t.Logf("warm is %.1f times as fast", float64(took["false"])/float64(took["true"]))
}

// await waits until a call has come to its end.
func (p *prompter) await() {
	called := func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.calls) > 0
	}
	if !await.Within(time.Minute, called) {
		p.t.Fatal("no call of the model came")
	}
}

// What requests to a tiny model are compared with is made after the start, before anybody
// asks, and kept for the next one; for a larger model it is not made at all.
func TestExamplesAreReady(t *testing.T) {
	for _, tier := range []string{"tiny", "text"} {
		t.Run(tier, func(t *testing.T) {
			m := fake.NewModel()
			m.Answer = func(*fake.Request) (fake.Reply, bool) { return fake.Reply{Text: "It may be tired."}, true }
			home := t.TempDir()
			e := newEmbedder(t)
			var made [2]int32
			for i := range made {
				e.texts.Store(0)
				in := serve(t, options{home: home, env: []string{"LOCI_WARM_UP=true", "LOCI_TIER=" + tier, "LOCI_MODEL=fake"}, args: []string{"--backend", m.OpenAI(t), "--backend", e.url}})
				if tier == "tiny" && !await.Within(time.Minute, func() bool { return e.texts.Load() > 1 }) {
					t.Fatal("nothing is made ready")
				}
				if _, body := in.post("/v1/chat/completions", chat("Wherefore doth mine engine hum so?", true)); openaiText(t, body) == "" {
					t.Fatal(body)
				}
				in.stop()
				made[i] = e.texts.Load()
			}
			t.Logf("texts that were embedded in the first and the second run: %d", made)
			if tier == "tiny" && (made[0] < 500 || made[1] > 10) || tier != "tiny" && made != [2]int32{} {
				t.Errorf("%d texts were embedded, in the second run %d", made[0], made[1])
			}
		})
	}
}

// countedEmbedder is an embedding model that counts the texts it was given.
type countedEmbedder struct {
	*fake.Model
	url   string
	texts atomic.Int32
}

func newEmbedder(t *testing.T) *countedEmbedder {
	e := &countedEmbedder{Model: fake.NewModel()}
	e.Name = "all-minilm:l6-v2"
	s := httptest.NewServer(e)
	t.Cleanup(s.Close)
	e.url = s.URL + "/v1"
	return e
}

func (e *countedEmbedder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/embeddings" {
		body, err := io.ReadAll(r.Body)
		var asked struct{ Input []string }
		if err == nil && json.Unmarshal(body, &asked) == nil {
			e.texts.Add(int32(len(asked.Input)))
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	e.Model.ServeHTTP(w, r)
}
