package server

import (
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"loci"
	"loci/internal/model/server/servertest"
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

// TestFacts asks about models whose servers' answers are recorded from Ollama
// and llama-server, or as others document them.
func TestFacts(t *testing.T) {
	show := recorded(t, "ollama_show.json")
	able := strings.Replace(show, `["completion"]`, `["completion","tools","vision","thinking"]`, 1)
	props := recorded(t, "llama_props.json")
	lmStudio := `{"data":[{"id":"a","type":"llm","arch":"qwen2","max_context_length":32768,"loaded_context_length":8192,"capabilities":["tool_use"]},
		{"id":"b","type":"vlm","arch":"gemma3","max_context_length":131072},{"id":"c","type":"embeddings","arch":"nomic-bert","max_context_length":2048}]}`
	yes, no := new(true), new(false)
	stops := []string{"<|im_start|>", "<|im_end|>"}
	const told = "told" // any digest of what the server tells
	for name, tt := range map[string]struct {
		routes servertest.Routes
		kind   Kind
		v1     bool
		model  string
		want   Facts
	}{
		"Ollama, recorded, not loaded": {
			servertest.Routes{"GET /api/tags": recorded(t, "ollama_tags.json"), "POST /api/show": show, "GET /api/ps": `{"models":[]}`}, KindOllama, false, "smollm2:latest",
			Facts{Tools: no, Vision: no, Think: no, Window: 4096, Params: 134515008, Family: "llama", Slots: 1, Stops: stops},
		},
		"Ollama, loaded": {
			servertest.Routes{"GET /api/tags": recorded(t, "ollama_tags.json"), "POST /api/show": able, "GET /api/ps": strings.Replace(recorded(t, "ollama_ps.json"), `"context_length":4096`, `"context_length":6000`, 1)}, KindOllama, false, "smollm2:latest",
			Facts{Tools: yes, Vision: yes, Think: yes, Window: 6000, Params: 134515008, Family: "llama", Slots: 1, Stops: stops},
		},
		"Ollama, num_ctx above what the model was trained for": {
			servertest.Routes{"GET /api/tags": servertest.Tags("m=llama,7B"), "POST /api/show": strings.Replace(show, `"parameters":"`, `"parameters":"num_ctx 32768\n`, 1)}, KindOllama, false, "m",
			Facts{Tools: no, Vision: no, Think: no, Window: 8192, Params: 134515008, Family: "llama", Slots: 1, Stops: stops},
		},
		"Ollama before capabilities": {
			servertest.Routes{"GET /api/tags": servertest.Tags("m=llama,7B"), "POST /api/show": `{"template":"{{ if .Tools }}","details":{"family":"llama"},"model_info":{}}`}, KindOllama, false, "m",
			Facts{Tools: yes, Window: 4096, Params: 7e9, Family: "llama", Slots: 1},
		},
		"Ollama through its OpenAI door": {
			servertest.Routes{"GET /v1/models": servertest.List("m"), "POST /api/show": show, "GET /api/ps": `{"models":[]}`}, KindOllama, true, "m",
			Facts{Tools: no, Vision: no, Think: no, Window: 4096, Params: 134515008, Family: "llama", Slots: 1, Stops: stops},
		},
		"llama-server, recorded": {
			servertest.Routes{"GET /v1/models": recorded(t, "llama_models.json"), "GET /props": props}, KindLlamaServer, true, "/models/SmolLM2-135M-Instruct.Q4_1.gguf",
			Facts{Tools: no, Vision: no, Window: 4096, Params: 134520000, Family: "smollm2", Slots: 1, Digest: told, System: loci.Yes, Systems: loci.Yes, Alternate: loci.No},
		},
		"llama-server, able": {
			servertest.Routes{"GET /v1/models": servertest.List("qwen2.5-7b"), "GET /props": strings.NewReplacer(`"supports_tools":false`, `"supports_tools":true`, `"vision":false`, `"vision":true`).Replace(props)}, KindLlamaServer, true, "qwen2.5-7b",
			Facts{Tools: yes, Vision: yes, Window: 4096, Params: 7e9, Family: "qwen2", Slots: 1, Digest: told, System: loci.Yes, Systems: loci.Yes, Alternate: loci.No},
		},
		"llama-server before caps": {
			servertest.Routes{"GET /v1/models": servertest.List("m"), "GET /props": `{"default_generation_settings":{"n_ctx":2048}}`}, KindLlamaServer, true, "m",
			Facts{Window: 2048, Family: "m"},
		},
		"LM Studio, loaded": {
			servertest.Routes{"GET /v1/models": servertest.List("a", "b", "c"), "GET /api/v0/models": lmStudio}, KindLMStudio, true, "a",
			Facts{Tools: yes, Vision: no, Window: 8192, Family: "qwen2", Digest: told},
		},
		"LM Studio, not loaded": {
			servertest.Routes{"GET /v1/models": servertest.List("a", "b", "c"), "GET /api/v0/models": lmStudio}, KindLMStudio, true, "b",
			Facts{Vision: yes, Window: 4096, Family: "gemma3", Digest: told},
		},
		"vLLM": {
			servertest.Routes{"GET /v1/models": `{"data":[{"id":"Qwen/Qwen2.5-0.5B-Instruct","owned_by":"vllm","max_model_len":16384}]}`}, KindVLLM, true, "Qwen/Qwen2.5-0.5B-Instruct",
			Facts{Window: 16384, Params: 5e8, Family: "qwen2"},
		},
		"unknown server": {
			servertest.Routes{"GET /v1/models": servertest.List("m")}, KindJan, true, "m",
			Facts{Window: 4096, Family: "m"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := servertest.Serve(t, tt.routes)
			if tt.v1 {
				url += "/v1"
			}
			c := client(t, url, tt.kind)
			models, err := c.Models(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(models, func(m loci.ModelInfo) bool { return m.ID == tt.model })
			got, err := c.Facts(t.Context(), models[i])
			got.Digest, _, _ = strings.Cut(got.Digest, ":")
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("(-want +got):\n%serror %v", diff, err)
			}
		})
	}
}

// TestTemplate reads from chat templates which conversations they refuse, in the
// words of the templates of Gemma 2, Mistral, Qwen 3.5 and Gemma 3.
func TestTemplate(t *testing.T) {
	type roles struct{ system, systems, alternate loci.Finding }
	for name, tt := range map[string]struct {
		template string
		want     roles
		thinks   bool
	}{
		"refuses nothing": {"{% for message in messages %}{{ message.content }}{% endfor %}", roles{"", loci.Yes, loci.No}, false},
		"no system": {"{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}",
			roles{loci.No, loci.No, loci.Yes}, false},
		"turns":            {"{{ raise_exception('After the optional system message, conversation roles must alternate user/assistant/user/assistant/...') }}", roles{"", loci.No, loci.Yes}, false},
		"system first":     {"{{- raise_exception('System message must be at the beginning.') }}{{ '<think>' }}", roles{"", loci.No, loci.No}, true},
		"not about roles":  {"{{ raise_exception('Tool call IDs should be alphanumeric strings with length 9!') }}", roles{"", loci.Yes, loci.No}, false},
		"there is none":    {"", roles{}, false},
		"thinks on demand": {"{%- if enable_thinking is defined %}", roles{"", loci.Yes, loci.No}, true},
	} {
		var f Facts
		f.readTemplate(tt.template)
		if got := (roles{f.System, f.Systems, f.Alternate}); got != tt.want || (f.Think != nil) != tt.thinks {
			t.Errorf("%s: %+v, thinks %v", name, got, f.Think)
		}
	}
}

// TestDigestOfProps is another one when the server or its template is.
func TestDigestOfProps(t *testing.T) {
	props := recorded(t, "llama_props.json")
	digest := func(props string) string {
		url := servertest.Serve(t, servertest.Routes{"GET /v1/models": recorded(t, "llama_models.json"), "GET /props": props}) + "/v1"
		f, err := client(t, url, KindLlamaServer).Facts(t.Context(), loci.ModelInfo{ID: "m"})
		if err != nil || f.Digest == "" {
			t.Fatal(f, err)
		}
		return f.Digest
	}
	same := digest(props)
	if other := digest(strings.Replace(props, `"n_ctx":4096`, `"n_ctx":2048`, 1)); other != same {
		t.Error("the window is no part of it")
	}
	if other := digest(strings.Replace(props, "chat_template\":\"", "chat_template\":\"{# new #}", 1)); other == same {
		t.Error("the template is part of it")
	}
}

func TestFactsErrors(t *testing.T) {
	dead := servertest.ClosedPort(t)
	_, err := client(t, dead, KindOllama).Facts(t.Context(), loci.ModelInfo{ID: "m"})
	servertest.WantError(t, err, loci.Unreachable, "Ollama at "+dead+" is not answering.", "Start it with: ollama serve")
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"error":"model 'nope' not found"}`)
	}))
	_, err = client(t, url, KindOllama).Facts(t.Context(), loci.ModelInfo{ID: "nope"})
	servertest.WantError(t, err, loci.NotFound, "Ollama at "+url+" does not have this: model 'nope' not found.", "Fetch it with: ollama pull nope")
}

// TestRunning asks only servers that can tell.
func TestRunning(t *testing.T) {
	url := servertest.Serve(t, servertest.Routes{"GET /api/ps": recorded(t, "ollama_ps.json")})
	running, err := client(t, url, KindOllama).Running(t.Context())
	if err != nil || len(running) != 1 || running[0].Model.ID != "smollm2:latest" || running[0].Window != 4096 {
		t.Errorf("%+v %v", running, err)
	}
	if running, err := client(t, url+"/v1", KindLlamaServer).Running(t.Context()); len(running) != 0 || err != nil {
		t.Errorf("%+v %v", running, err)
	}
	dead := servertest.ClosedPort(t)
	_, err = client(t, dead, KindOllama).Running(t.Context())
	servertest.WantError(t, err, loci.Unreachable, "Ollama at "+dead+" is not answering.", "Start it with: ollama serve")
}

// TestListedDigest is what tells new weights from old ones where the server has
// no digest.
func TestListedDigest(t *testing.T) {
	models, err := client(t, servertest.Serve(t, servertest.Routes{"GET /v1/models": recorded(t, "llama_models.json")})+"/v1", KindLlamaServer).Models(t.Context())
	if err != nil || len(models) != 1 || models[0].Digest != "gguf:134515008:96576768:Q4_1" || models[0].Parameters != "134.52M" {
		t.Errorf("%+v %v", models, err)
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
