package embedded_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"

	"loci/internal/embedded"
	"loci/internal/embedded/embeddedtest"
)

// post sends a request as a client of the server would and decodes the reply.
func post(t *testing.T, s *embedded.Server, path string, body, reply any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Key())
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %.300s %v", path, resp.Status, got, err)
	}
	if err := json.Unmarshal(got, reply); err != nil {
		t.Fatal(err)
	}
}

type completion struct {
	Model   string
	Choices []struct {
		Message struct{ Content string }
	}
	Timings struct {
		PromptN            int     `json:"prompt_n"`
		CacheN             int     `json:"cache_n"`
		PredictedPerSecond float64 `json:"predicted_per_second"`
	}
}

func ask(t *testing.T, s *embedded.Server, extra map[string]any, messages ...string) completion {
	t.Helper()
	body := map[string]any{"temperature": 0, "max_tokens": 60}
	for k, v := range extra {
		body[k] = v
	}
	var list []map[string]string
	for i, m := range messages {
		role := []string{"user", "assistant"}[i%2]
		list = append(list, map[string]string{"role": role, "content": m})
	}
	body["messages"] = list
	var reply completion
	post(t, s, "/chat/completions", body, &reply)
	if len(reply.Choices) != 1 {
		t.Fatalf("no choice in %+v", reply)
	}
	return reply
}

func TestRealChat(t *testing.T) {
	chat := embeddedtest.Start(t).Chat
	const question = "What is the capital of France? Answer in one word."
	first := ask(t, chat, nil, question)
	answer := first.Choices[0].Message.Content
	if !strings.Contains(answer, "Paris") || first.Model != chat.Model() {
		t.Errorf("model %q answers %q", first.Model, answer)
	}
	// What was evaluated once is not evaluated again.
	second := ask(t, chat, nil, question, answer, "And of Italy?")
	if n := second.Timings.PromptN; n < 1 || n > 30 || second.Timings.CacheN < 30 {
		t.Errorf("timings of the second turn: %+v", second.Timings)
	}
	t.Logf("%.0f tokens/s", second.Timings.PredictedPerSecond)
}

func TestRealChatKeepsToASchema(t *testing.T) {
	chat := embeddedtest.Start(t).Chat
	schema := map[string]any{
		"type":       "object",
		"properties": map[string]any{"tool": map[string]any{"enum": []string{"read_file", "list_dir"}}},
		"required":   []string{"tool"},
	}
	format := map[string]any{"type": "json_schema", "json_schema": map[string]any{"schema": schema}}
	reply := ask(t, chat, map[string]any{"response_format": format}, "Tell me a story about a boat.")
	var got struct{ Tool string }
	if err := json.Unmarshal([]byte(reply.Choices[0].Message.Content), &got); err != nil || got.Tool != "read_file" && got.Tool != "list_dir" {
		t.Errorf("%q: %v", reply.Choices[0].Message.Content, err)
	}
}

func TestRealServerWantsTheKey(t *testing.T) {
	for _, s := range []*embedded.Server{embeddedtest.Start(t).Chat, embeddedtest.Start(t).Embed} {
		resp, err := http.Get(s.URL() + "/models")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a key: %s", s.Model(), resp.Status)
		}
	}
}

type embeddings struct {
	Data []struct{ Embedding []float64 }
}

func embed(t *testing.T, texts ...string) [][]float64 {
	t.Helper()
	var reply embeddings
	post(t, embeddedtest.Start(t).Embed, "/embeddings", map[string]any{"input": texts}, &reply)
	if len(reply.Data) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(reply.Data), len(texts))
	}
	var list [][]float64
	for _, d := range reply.Data {
		list = append(list, d.Embedding)
	}
	return list
}

func cosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for i := range min(len(a), len(b)) {
		ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	return ab / math.Sqrt(aa*bb)
}

// TestRealEmbeddings compares with vectors that another runtime (Ollama 0.17.4)
// computed from its own conversion of the same model.
func TestRealEmbeddings(t *testing.T) {
	raw, err := os.ReadFile("testdata/minilm.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string][]float64
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	for text, vector := range want {
		got := embed(t, text)[0]
		if len(got) != 384 || len(vector) != 384 {
			t.Fatalf("%q: %d and %d dimensions", text, len(got), len(vector))
		}
		if c := cosine(got, vector); c < 0.9999 {
			t.Errorf("%q: cosine %.6f", text, c)
		}
		if norm := cosine(got, got) * dot(got, got); math.Abs(norm-1) > 1e-4 {
			t.Errorf("%q: not normalised: %f", text, norm)
		}
	}
	// The published reference for "hello": its first and last components.
	hello := embed(t, "hello")[0]
	for i, v := range map[int]float64{0: -0.0627719, 1: 0.0549588, 2: 0.0521648, 382: 0.0514834, 383: 0.0070922} {
		if math.Abs(hello[i]-v) > 5e-4 {
			t.Errorf("hello[%d] = %f, expected %f", i, hello[i], v)
		}
	}
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// TestRealEmbedderReadsText shows that the vocabulary was carried over: case and
// accents do not count, words and Chinese characters do.
func TestRealEmbedderReadsText(t *testing.T) {
	v := embed(t, "Café Crème", "cafe creme", "天气", "天 气", "the boat sails", "a ship at sea", "tax return")
	if c := cosine(v[0], v[1]); c < 0.999 {
		t.Errorf("accents and case: %f", c)
	}
	if c := cosine(v[2], v[3]); c < 0.999 {
		t.Errorf("Chinese characters: %f", c)
	}
	if near, far := cosine(v[4], v[5]), cosine(v[4], v[6]); near < far+0.2 {
		t.Errorf("boat and ship %f, boat and tax %f", near, far)
	}
}

// TestRealEmbedderRefusesLongText: a text beyond the window is an error that
// says so, and the server lives on.
func TestRealEmbedderRefusesLongText(t *testing.T) {
	s := embeddedtest.Start(t).Embed
	body := fmt.Sprintf(`{"input":%q}`, strings.Repeat("word ", 600))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/embeddings", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Key())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	reply, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusBadRequest || !bytes.Contains(reply, []byte("512")) {
		t.Errorf("%s %s", resp.Status, reply)
	}
	embed(t, "still there")
}
