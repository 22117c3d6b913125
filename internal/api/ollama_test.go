package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/wire/ollama"
)

// recorded is one exchange with a real Ollama 0.17.4.
type recorded struct {
	Note, Method, Path, Response string
	Request                      json.RawMessage
	Status                       int
	Headers                      map[string]string
}

func recordings(t *testing.T) []recorded {
	t.Helper()
	f, err := os.Open("testdata/ollama.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []recorded
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	if err := lines.Err(); err != nil || len(list) == 0 {
		t.Fatalf("%d recordings: %v", len(list), err)
	}
	return list
}

// form replaces every value by its type, so that two replies can be compared by
// what a client can rely on. The first element stands for a whole list.
func form(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[k] = form(e)
		}
		return out
	case []any:
		if len(v) == 0 {
			return []any{}
		}
		return []any{form(v[0])}
	}
	return fmt.Sprint(reflect.TypeOf(v))
}

// lacks lists what want has and got has not, or has in another type.
func lacks(want, got any, path string) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{path}
		}
		var out []string
		for k, v := range w {
			out = append(out, lacks(v, g[k], path+"."+k)...)
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) < len(w) {
			return []string{path}
		}
		if len(w) > 0 {
			return lacks(w[0], g[0], path+"[0]")
		}
		return nil
	}
	if want != got {
		return []string{fmt.Sprintf("%s (is %v, not %v)", path, got, want)}
	}
	return nil
}

// What loci does not do, by design, of what Ollama's replies contain.
var notOurs = map[string][]string{
	"/api/show":     {".tensors", ".license", ".modelfile", ".parameters", ".template"},
	"/api/generate": {".context", ".load_duration", ".prompt_eval_duration", ".eval_duration"},
	"/api/chat":     {".load_duration", ".prompt_eval_duration", ".eval_duration"},
	"/api/ps":       {".models"},
	"/api/embed":    {".load_duration"},
}

// A client that was written for Ollama finds what it found there: status,
// content type, members and error texts.
func TestLikeOllama(t *testing.T) {
	for i, rec := range recordings(t) {
		if strings.HasPrefix(rec.Path, "/v1/") {
			continue
		}
		switch rec.Note {
		case "model without tools", "think on a model that cannot":
			continue // the agent makes these work
		case "raw", "embed on a chat model":
			continue // relayed or converted; see TestRelay and TestCarriersTimesRoutes
		}
		t.Run(fmt.Sprintf("%d %s %s", i, rec.Path, rec.Note), func(t *testing.T) {
			f := newFake()
			f.models = append(f.models, loci.ModelInfo{ID: "minilm:latest", Digest: "348f", Embedding: true, Family: "bert", Format: "gguf"})
			known := f.route
			f.route = func(model string) (Route, error) {
				if model == "minilm" {
					return Route{Dialect: loci.OpenAI, Model: f.models[1]}, nil
				}
				return known(model)
			}
			body := string(rec.Request)
			if body == "null" {
				body = ""
			}
			w := newClient(t, f).do(rec.Method, rec.Path, body)
			if w.Code != rec.Status {
				t.Fatalf("status %d, want %d: %s", w.Code, rec.Status, w.Body)
			}
			if got, want := w.Header().Get("Content-Type"), rec.Headers["Content-Type"]; got != want {
				t.Errorf("Content-Type %q, want %q", got, want)
			}
			if rec.Status >= 400 || rec.Path == "/" {
				want := rec.Response
				if rec.Note == "bad keep_alive" { // ours names the field too
					want = "keep_alive"
				}
				if rec.Method != "HEAD" && !strings.Contains(w.Body.String(), want) {
					t.Errorf("got %s\nwant %s", w.Body, want)
				}
				return
			}
			compareLines(t, rec, w.Body.String())
		})
	}
}

// compareLines compares the first and the last line of two replies.
func compareLines(t *testing.T, rec recorded, got string) {
	t.Helper()
	want := strings.Split(strings.TrimSpace(rec.Response), "\n")
	have := strings.Split(strings.TrimSpace(got), "\n")
	for _, pair := range [][2]string{{want[0], have[0]}, {want[len(want)-1], have[len(have)-1]}} {
		var w, g any
		if err := json.Unmarshal([]byte(pair[0]), &w); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(pair[1]), &g); err != nil {
			t.Fatalf("%s: %v", pair[1], err)
		}
		for _, miss := range lacks(form(w), form(g), "") {
			known := false
			for _, not := range notOurs[rec.Path] {
				known = known || strings.HasPrefix(miss, not)
			}
			// The file's own metadata: a client needs the two that are named.
			if rec.Path == "/api/show" && strings.HasPrefix(miss, ".model_info.") {
				known = !strings.Contains(miss, "general.architecture") && !strings.Contains(miss, "llama.context_length")
			}
			if !known {
				t.Errorf("the reply lacks %s: %s", miss, pair[1])
			}
		}
	}
}

func TestOllamaVersion(t *testing.T) {
	w := newClient(t, newFake()).do("GET", "/api/version", "")
	var v struct{ Version string }
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	var major, minor, patch int
	if n, err := fmt.Sscanf(v.Version, "%d.%d.%d", &major, &minor, &patch); n != 3 || err != nil {
		t.Fatalf("version %q is not three numbers", v.Version)
	}
	if major == 0 && (minor < 6 || minor == 6 && patch < 4) {
		t.Errorf("version %q is older than the 0.6.4 that VS Code wants", v.Version)
	}
}

const ollamaHello = `{"model":"smollm2","messages":[{"role":"user","content":"Say hi"}]`

func TestOllamaStream(t *testing.T) {
	w := newClient(t, newFake()).do("POST", "/api/chat", ollamaHello+`}`)
	lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
	text := ""
	for i, l := range lines {
		var m struct {
			Model     string
			CreatedAt string `json:"created_at"`
			Message   struct {
				Role    string
				Content *string
				Calls   any `json:"tool_calls"`
			}
			Done            bool
			DoneReason      string `json:"done_reason"`
			PromptEvalCount int    `json:"prompt_eval_count"`
		}
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatal(err)
		}
		if m.Model != "smollm2" || m.CreatedAt == "" || m.Message.Role != "assistant" || m.Message.Content == nil || m.Message.Calls != nil {
			t.Errorf("line %d: %s", i, l)
			continue
		}
		text += *m.Message.Content
		if last := i == len(lines)-1; m.Done != last || last && (m.DoneReason != "stop" || m.PromptEvalCount != 19) {
			t.Errorf("line %d: %s", i, l)
		}
	}
	if text != "Hello there" {
		t.Errorf("text %q", text)
	}
}

func TestOllamaFailures(t *testing.T) {
	for _, e := range []struct {
		name, path, body string
		turn             func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error]
		status           int
		last             string
	}{
		{"before anything", "/api/chat", ollamaHello + `}`, fails(errDown), 502, `{"error":"Ollama at http://127.0.0.1:11434 is not answering.`},
		{"half-way", "/api/chat", ollamaHello + `}`, fails(errDown, event(1, loci.Delta{Text: "Half"})), 200, `{"error":"Ollama at http://127.0.0.1:11434 is not answering.`},
		{"half-way, not streaming", "/api/chat", ollamaHello + `,"stream":false}`, fails(errDown, event(1, loci.Delta{Text: "Half"})), 502, `{"error":"`},
		{"no end", "/api/generate", `{"model":"smollm2","prompt":"x"}`, play(event(1, loci.Delta{Text: "Half"})), 200, `{"error":"The reply broke off`},
		{"no user", "/api/chat", `{"model":"smollm2","messages":[{"role":"system","content":"x"}]}`, nil, 400, `{"error":"there is no user message"}`},
		{"no model", "/api/generate", `{"prompt":"x"}`, nil, 400, `{"error":"model is required"}`},
		{"keep_alive", "/api/chat", ollamaHello + `,"keep_alive":"soon"}`, nil, 400, `keep_alive`},
	} {
		t.Run(e.name, func(t *testing.T) {
			f := newFake()
			f.turn = e.turn
			w := newClient(t, f).do("POST", e.path, e.body)
			lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
			if last := lines[len(lines)-1]; w.Code != e.status || !strings.Contains(last, e.last) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if strings.Contains(w.Body.String(), `"done":true`) {
				t.Error("half a reply is passed off as complete")
			}
		})
	}
}

func TestOllamaGenerate(t *testing.T) {
	f := newFake()
	var got loci.TurnRequest
	speak := f.turn
	f.turn = func(ctx context.Context, req loci.TurnRequest) iter.Seq2[loci.Event, error] {
		got = req
		return speak(ctx, req)
	}
	c := newClient(t, f)
	w := c.do("POST", "/api/generate", `{"model":"smollm2","prompt":"2+2=","system":"Be brief.","images":["aGk="],"stream":false}`)
	if !strings.Contains(w.Body.String(), `"response":"Hello there"`) {
		t.Errorf("%s", w.Body)
	}
	want := loci.TurnRequest{
		Principal: loci.Principal{ID: "owner", Name: "Ada", Owner: true},
		Model:     "smollm2", System: "Be brief.", Resent: true, History: got.History,
		Message: loci.Message{Role: loci.User, Content: "2+2=", Images: []loci.Image{{Base64: "aGk="}}},
	}
	got.Message.Images[0].MediaType = ""
	if diff := cmp.Diff(want, got); diff != "" || len(got.History) > 0 {
		t.Error(diff)
	}
	// A raw prompt needs a server that takes one.
	for _, body := range []string{`"raw":true`, `"suffix":"}"`} {
		if w = c.do("POST", "/api/generate", `{"model":"smollm2","prompt":"x",`+body+`}`); w.Code != 400 || !strings.Contains(w.Body.String(), "fill in") {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}

// Requests that only load or unload a model reach an Ollama that has it, and
// are answered alike where there is nothing to do.
func TestLoadAndUnload(t *testing.T) {
	f := newFake()
	known := f.route
	var sent []string
	f.route = func(model string) (Route, error) {
		if model != "onollama" {
			return known(model)
		}
		return Route{Dialect: loci.Ollama, Model: loci.ModelInfo{ID: "onollama:latest"}, Forward: func(ctx context.Context, path string, header http.Header, body []byte, why loci.Purpose) (*http.Response, error) {
			sent = append(sent, path+" "+string(body)+" "+string(why))
			return nothing(ctx, path, header, body, why)
		}}, nil
	}
	c := newClient(t, f)
	for _, e := range []struct{ path, body, want string }{
		{"/api/chat", `{"model":"smollm2","messages":[]}`, `"content":""},"done":true,"done_reason":"load"}`},
		{"/api/chat", `{"model":"smollm2","messages":[],"keep_alive":0}`, `"done_reason":"unload"}`},
		{"/api/generate", `{"model":"smollm2"}`, `"response":"","done":true,"done_reason":"load"}`},
		{"/api/generate", `{"model":"smollm2","keep_alive":"0"}`, `"done_reason":"unload"}`},
		{"/api/generate", `{"model":"onollama","keep_alive":0}`, `{}`},
	} {
		if w := c.do("POST", e.path, e.body); w.Code != 200 || !strings.HasSuffix(w.Body.String(), e.want) {
			t.Errorf("%s %s: %d %s", e.path, e.body, w.Code, w.Body)
		}
	}
	if diff := cmp.Diff([]string{`/api/generate {"model":"onollama:latest","keep_alive":0} warmup`}, sent); diff != "" {
		t.Error(diff)
	}
}

// A model is described under the name that the client wrote, whatever its
// backend calls it.
func TestShowByAnyName(t *testing.T) {
	f := newFake()
	f.route = func(model string) (Route, error) {
		if model == "nope" {
			return Route{}, loci.Errorf(loci.NotFound, "model 'nope' not found").WithHint("There is: smollm2:latest")
		}
		return Route{Dialect: loci.OpenAI, Model: f.models[0]}, nil
	}
	c := newClient(t, f)
	for _, name := range []string{"loci", "loci/smollm2", "smollm2", "fast"} {
		w := c.do("POST", "/api/show", `{"model":"`+name+`"}`)
		for _, want := range []string{`"modelfile":"# ` + name + `"`, `"family":"llama"`, `"parameter_size":"134.52M"`} {
			if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d, no %s in %s", name, w.Code, want, w.Body)
			}
		}
	}
	if w := c.do("POST", "/api/show", `{"model":"nope"}`); w.Code != 404 || w.Body.String() != `{"error":"model 'nope' not found"}` {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestRunningModels(t *testing.T) {
	f := newFake()
	f.running = []ollama.Running{{Model: loci.ModelInfo{ID: "smollm2:latest"}, Window: 8192}}
	if w := newClient(t, f).do("GET", "/api/ps", ""); !strings.Contains(w.Body.String(), `"name":"smollm2:latest"`) || !strings.Contains(w.Body.String(), `"context_length":8192`) {
		t.Errorf("%s", w.Body)
	}
}

// Agents' models do not promise tools to the client, since it could not run
// them; bare models do.
func TestShowCapabilities(t *testing.T) {
	f := newFake()
	f.profile = loci.Profile{Tier: loci.TierNative, Family: "qwen2", Window: 8192, Vision: true, Think: true}
	m := f.models[0]
	f.route = func(string) (Route, error) {
		return Route{Dialect: loci.OpenAI, Model: m}, nil
	}
	c := newClient(t, f)
	able := func(body string) []string {
		var v struct {
			Capabilities []string
			ModelInfo    map[string]any `json:"model_info"`
		}
		w := c.do("POST", "/api/show", body)
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		arch, _ := v.ModelInfo["general.architecture"].(string)
		if v.ModelInfo[arch+".context_length"] != 8192.0 {
			t.Errorf("no window: %s", w.Body)
		}
		return v.Capabilities
	}
	if diff := cmp.Diff([]string{"completion", "vision", "thinking"}, able(`{"name":"smollm2"}`)); diff != "" {
		t.Error(diff)
	}
	m.Passthrough = true
	if diff := cmp.Diff([]string{"completion", "vision", "thinking", "tools"}, able(`{"model":"smollm2"}`)); diff != "" {
		t.Error(diff)
	}
}
