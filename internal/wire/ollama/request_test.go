package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"loci"
	"loci/internal/wire"
	"loci/internal/wire/wiretest"
)

const png = "iVBORw0KGgo=" // the signature of a PNG file

func TestDecodeChat(t *testing.T) {
	body := `{
		"model": "m:latest",
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "user", "content": "Look", "images": ["` + png + `", "data:image/jpeg;base64,` + png + `"]},
			{"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [{"id": "c1", "function": {"index": 0, "name": "f", "arguments": {"x": 1}}}, {"function": {"name": "g"}}]},
			{"role": "tool", "content": "42", "tool_name": "f", "tool_call_id": "c1"}
		],
		"tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}}],
		"format": {"type": "object"}, "think": "high", "keep_alive": "5m", "stream": false,
		"options": {"temperature": 0, "top_p": 0.5, "top_k": 40.0, "num_predict": 8, "seed": 7, "stop": ["a"], "num_ctx": 4096, "mirostat": 1, "min_p": null},
		"truncate": true
	}`
	want := ChatRequest{
		Model: "m:latest",
		Messages: []loci.Message{
			{Role: loci.System, Content: "Be brief."},
			{Role: loci.User, Content: "Look", Images: []loci.Image{{Base64: png}, {MediaType: "image/jpeg", Base64: png}}},
			{Role: loci.Assistant, Reasoning: "hm", ToolCalls: []loci.ToolCall{newCall("c1", "f", `{"x":1}`), newCall("call_2_1", "g", `{}`)}},
			{Role: loci.ToolRole, Content: "42", ToolName: "f", ToolCallID: "c1"},
		},
		Tools: []loci.ToolSpec{{Name: "f", Description: "d", Parameters: json.RawMessage(`{"type": "object", "properties": {}}`)}},
		Options: loci.Options{
			Temperature: new(0.0), TopP: new(0.5), TopK: new(40), MaxTokens: new(8), Seed: new(int64(7)), Stop: []string{"a"},
			Format: json.RawMessage(`{"type": "object"}`), Think: json.RawMessage(`"high"`), KeepAlive: json.RawMessage(`"5m"`),
			Extra:        map[string]json.RawMessage{"truncate": json.RawMessage("true"), "options": json.RawMessage(`{"mirostat":1,"num_ctx":4096}`)},
			ExtraDialect: loci.Ollama,
		},
	}
	got, err := DecodeChat([]byte(body))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
}

// Clients of Ollama send calls without ids, which other servers insist on.
func TestDecodeChatNamesCalls(t *testing.T) {
	got, err := DecodeChat([]byte(`{"messages":[
		{"role":"assistant","tool_calls":[{"function":{"name":"f"}},{"function":{"name":"g"}},{"function":{"name":"f"}}]},
		{"role":"tool","tool_name":"g","content":"1"}, {"role":"tool","tool_name":"f","content":"2"}, {"role":"tool","content":"3"},
		{"role":"tool","tool_name":"f","content":"answers nothing"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range got.Messages {
		for _, c := range m.ToolCalls {
			ids = append(ids, c.ID)
		}
		ids = append(ids, m.ToolCallID+" "+m.ToolName)
	}
	want := []string{"call_0_0", "call_0_1", "call_0_2", " ", "call_0_1 g", "call_0_0 f", "call_0_2 f", " f"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Clients that were made for two protocols write of tools what both have.
func TestDecodeTools(t *testing.T) {
	got, err := DecodeChat([]byte(`{"model":"m","messages":[
		{"role":"user","content":"x"},
		{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{\"x\": 1}"}}]},
		{"role":"tool","name":"f","content":"42"}],
		"tools":[{"type":"web_search"},{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g"}}],
		"tool_choice":{"type":"function","function":{"name":"f"}}}`))
	schema := json.RawMessage(`{"type":"object","properties":{}}`)
	want := ChatRequest{
		Model: "m", Stream: true,
		Messages: []loci.Message{
			{Role: loci.User, Content: "x"},
			{Role: loci.Assistant, ToolCalls: []loci.ToolCall{newCall("call_1_0", "f", `{"x":1}`)}},
			{Role: loci.ToolRole, Content: "42", ToolName: "f", ToolCallID: "call_1_0"},
		},
		Tools:      []loci.ToolSpec{{Name: "f", Parameters: schema}, {Name: "g", Parameters: schema}},
		ToolChoice: loci.ToolChoice{Mode: loci.ChoiceRequired, Name: "f"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
	if got, err = DecodeChat([]byte(`{"messages":[],"tool_choice":"none"}`)); err != nil || got.ToolChoice.Mode != loci.ChoiceNone || got.Options.Extra != nil {
		t.Errorf("none: %+v, %v", got, err)
	}
}

// What must not be called is not offered: the protocol has no other way.
func TestEncodeToolChoice(t *testing.T) {
	tools := []loci.ToolSpec{{Name: "f"}, {Name: "g"}}
	for choice, want := range map[loci.ToolChoice]string{
		{}: "fg", {Mode: loci.ChoiceAuto}: "fg", {Mode: loci.ChoiceRequired}: "fg", {Mode: loci.ChoiceNone}: "", {Mode: loci.ChoiceRequired, Name: "g"}: "g",
	} {
		body, err := EncodeChat(loci.Request{Model: "m", Messages: []loci.Message{{Role: loci.User}}, Tools: tools, ToolChoice: choice}, true)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeChat(body)
		got := ""
		for _, s := range back.Tools {
			got += s.Name
		}
		if got != want || err != nil || back.ToolChoice.Mode != "" {
			t.Errorf("%+v: %s, %v", choice, body, err)
		}
	}
	if len(tools) != 2 || tools[0].Name != "f" {
		t.Errorf("the caller's tools were changed: %v", tools)
	}
}

func TestDecodeChatValues(t *testing.T) {
	field := func(member string) (loci.Options, error) {
		r, err := DecodeChat([]byte(`{"model":"m","messages":[{"role":"user","content":"hi"}],` + member + `}`))
		return r.Options, err
	}
	for value, want := range map[string]string{
		`"-1"`: "-1", `"0"`: "0", `"300"`: "300", `300`: "300", `-1`: "-1", `1.5`: "1.5", `"5m"`: `"5m"`, `"-1m"`: `"-1m"`, `""`: "", `null`: "",
	} {
		if o, err := field(`"keep_alive":` + value); err != nil || string(o.KeepAlive) != want {
			t.Errorf("keep_alive %s = %s, %v; want %s", value, o.KeepAlive, err, want)
		}
	}
	for value, want := range map[string]string{`""`: "", `"json"`: `"json"`, `{"a":1}`: `{"a":1}`, `null`: ""} {
		if o, err := field(`"format":` + value); err != nil || string(o.Format) != want {
			t.Errorf("format %s = %s, %v; want %s", value, o.Format, err, want)
		}
	}
	for value, want := range map[string]string{`true`: "true", `false`: "false", `"low"`: `"low"`, `"true"`: "true", `""`: "", `null`: ""} {
		if o, err := field(`"think":` + value); err != nil || string(o.Think) != want {
			t.Errorf("think %s = %s, %v; want %s", value, o.Think, err, want)
		}
	}
	if o, err := field(`"options":{"num_predict":-1,"stop":"x"}`); err != nil || o.MaxTokens != nil || !cmp.Equal(o.Stop, []string{"x"}) {
		t.Errorf("options: %+v, %v", o, err)
	}
	if o, err := field(`"options":{}`); err != nil || !cmp.Equal(o, loci.Options{}) {
		t.Errorf("options that nobody set: %+v, %v", o, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct{ name, body, says string }{
		{"not JSON", `hello`, "not a JSON object"},
		{"messages", `{"messages":"hi"}`, `"messages" must be a list`},
		{"content", `{"messages":[{"role":"user","content":[]}]}`, `"messages[0].content" must be a text`},
		{"role", `{"messages":[{"role":"robot","content":""}]}`, `messages[0].role is "robot"`},
		{"picture", `{"messages":[{"role":"user","content":"","images":["http://example.com/cat.png"]}]}`, "messages[0].images[0]"},
		{"tool name", `{"tools":[{"type":"function"}]}`, "tools[0].function.name"},
		{"options", `{"options":[]}`, "options must be an object"},
		{"temperature", `{"options":{"temperature":"hot"}}`, `"options.temperature" must be a number`},
		{"num_predict", `{"options":{"num_predict":1.5}}`, "1.5 is not a whole number"},
		{"format", `{"format":"xml"}`, "format must be"},
		{"think", `{"think":"extreme"}`, "think must be"},
		{"keep_alive", `{"keep_alive":"soon"}`, `time: invalid duration "soon". The field keep_alive`},
		{"keep_alive type", `{"keep_alive":true}`, `"keep_alive" must be a number`},
		{"stream", `{"stream":"no"}`, `"stream" must be true or false`},
		{"unknown field that is no JSON", `{"foo":bar}`, "foo is not valid JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := DecodeChat([]byte(tt.body))
			e, ok := errors.AsType[*loci.Error](err)
			if !ok || e.Code != loci.Invalid || !strings.Contains(e.Error(), tt.says) {
				t.Errorf("error %v, want code invalid and %q", err, tt.says)
			}
		})
	}
	if _, err := DecodeGenerate([]byte(`{"prompt":"x","images":["?"]}`)); code(err) != loci.Invalid || !strings.Contains(err.Error(), "images[0]") {
		t.Errorf("generate with a broken picture: %v", err)
	}
}

func TestDecodeGenerate(t *testing.T) {
	got, err := DecodeGenerate([]byte(`{"name":"m","prompt":"def f(","suffix":"return","system":"s","raw":true,"stream":false,"images":["` + png + `"],"context":[1,2],"options":{"num_predict":4},"template":"t"}`))
	want := GenerateRequest{
		Model: "m", Prompt: "def f(", Suffix: "return", System: "s", Raw: true, Images: []loci.Image{{Base64: png}},
		Options: loci.Options{MaxTokens: new(4), Extra: map[string]json.RawMessage{"template": json.RawMessage(`"t"`)}, ExtraDialect: loci.Ollama},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
}

func TestLoadAndUnload(t *testing.T) {
	for body, want := range map[string][2]bool{
		`{"model":"m"}`: {true, false}, `{"model":"m","keep_alive":0}`: {false, true}, `{"model":"m","keep_alive":"0s"}`: {false, true},
		`{"model":"m","keep_alive":"0"}`: {false, true}, `{"model":"m","keep_alive":-1}`: {true, false},
		`{"model":"m","messages":[],"prompt":""}`:                                             {true, false},
		`{"model":"m","messages":[{"role":"user","content":""}],"prompt":"x","keep_alive":0}`: {false, false},
	} {
		c, err := DecodeChat([]byte(body))
		if got := [2]bool{c.Load, c.Unload}; got != want || err != nil {
			t.Errorf("chat %s: load, unload = %v, %v", body, got, err)
		}
		g, err := DecodeGenerate([]byte(body))
		if got := [2]bool{g.Load, g.Unload}; got != want || err != nil {
			t.Errorf("generate %s: load, unload = %v, %v", body, got, err)
		}
	}
}

func TestModelOrName(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"m"}`: "m", `{"name":"m"}`: "m", `{"name":"n","model":"m","verbose":true}`: "m", `{"model":"","name":"n"}`: "n", `{}`: "",
	} {
		if got, err := DecodeEmbed([]byte(body)); got.Model != want || err != nil {
			t.Errorf("DecodeEmbed(%s) = %q, %v", body, got.Model, err)
		}
	}
	if _, err := DecodeEmbed([]byte(`{"model":1}`)); code(err) != loci.Invalid {
		t.Errorf("a number: %v", err)
	}
}

// Every recorded request is understood, and means the same when sent again.
func TestRecordedRequests(t *testing.T) {
	for _, e := range wiretest.Recordings(t) {
		if e.Path != "/api/chat" || e.Note == "bad keep_alive" {
			continue
		}
		req, err := DecodeChat(e.Request)
		if err != nil {
			t.Errorf("%s: %v", e.Note, err)
			continue
		}
		body, err := EncodeChat(loci.Request{Model: req.Model, Messages: req.Messages, Tools: req.Tools, Options: req.Options}, req.Stream)
		if err != nil {
			t.Errorf("%s: %v", e.Note, err)
		}
		again, err := DecodeChat(body)
		if diff := cmp.Diff(req, again, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%s: %s (-want +got):\n%serror %v", e.Note, body, diff, err)
		}
	}
}

func TestEncodeChat(t *testing.T) {
	req := loci.Request{
		Model: "m",
		Messages: []loci.Message{
			{Role: loci.User, Content: "<Look>", Images: []loci.Image{{MediaType: "image/png", Base64: png}}},
			{Role: loci.Assistant, ToolCalls: []loci.ToolCall{newCall("c1", "f", `{"x":1}`), newCall("c2", "g", `"{'sloppy':1}"`)}},
			{Role: loci.ToolRole, ToolCallID: "c1", ToolName: "f", Content: "42"},
		},
		Tools: []loci.ToolSpec{{Name: "f"}},
		Options: loci.Options{
			Temperature: new(0.5), MaxTokens: new(7), Format: json.RawMessage(`"json"`), Think: json.RawMessage("true"), KeepAlive: json.RawMessage("-1"),
			Extra:        map[string]json.RawMessage{"options": json.RawMessage(`{"num_ctx":4096,"Seed":1}`), "truncate": json.RawMessage("true"), "Model": json.RawMessage(`"evil"`)},
			ExtraDialect: loci.Ollama,
		},
	}
	want := `{"model":"m","messages":[{"role":"user","content":"<Look>","images":["` + png + `"]},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"index":0,"name":"f","arguments":{"x":1}}},{"id":"c2","function":{"index":1,"name":"g","arguments":{}}}]},` +
		`{"role":"tool","content":"42","tool_name":"f","tool_call_id":"c1"}],` +
		`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}],` +
		`"format":"json","think":true,"keep_alive":-1,"options":{"temperature":0.5,"num_predict":7,"num_ctx":4096},"stream":true,"truncate":true}`
	got, err := EncodeChat(req, true)
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
	req.Options.ExtraDialect = loci.OpenAI
	if got, err = EncodeChat(req, false); err != nil || !strings.HasSuffix(string(got), `"options":{"temperature":0.5,"num_predict":7},"stream":false}`) {
		t.Errorf("extra fields of another dialect: %s, %v", got, err)
	}
}

func TestWithWindow(t *testing.T) {
	of := func(o loci.Options) string {
		t.Helper()
		body, err := EncodeChat(loci.Request{Model: "m", Options: WithWindow(o, 8192)}, true)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	ours := loci.Options{Extra: map[string]json.RawMessage{"options": json.RawMessage(`{"num_ctx":1,"min_p":0.1}`), "truncate": json.RawMessage("true")}, ExtraDialect: loci.Ollama}
	if got := of(ours); got != `{"model":"m","options":{"min_p":0.1,"num_ctx":8192},"stream":true,"truncate":true}` {
		t.Errorf("of an Ollama client: %s", got)
	}
	if string(ours.Extra["options"]) != `{"num_ctx":1,"min_p":0.1}` {
		t.Errorf("the original was changed: %s", ours.Extra["options"])
	}
	theirs := loci.Options{TopK: new(1), Extra: map[string]json.RawMessage{"logit_bias": json.RawMessage("{}")}, ExtraDialect: loci.OpenAI}
	if got := of(theirs); got != `{"model":"m","options":{"top_k":1,"num_ctx":8192},"stream":true}` {
		t.Errorf("of an OpenAI client: %s", got)
	}
}

// members lists the names in a JSON object, in order.
func members(t *testing.T, line string) (names []string) {
	t.Helper()
	for m, err := range wire.Members([]byte(line)) {
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		// We do not know how long a model took to load, nor its tokens.
		if m.Name != "load_duration" && m.Name != "context" {
			names = append(names, m.Name)
		}
	}
	return names
}

// Our streams have the recorded server's members in its order.
func TestStreamLikeRecorded(t *testing.T) {
	usage := loci.Usage{Prompt: 19, Completion: 8, PromptTime: 1, OutputTime: 1}
	for path, start := range map[string]func(io.Writer, string) *Stream{"/api/chat": NewStream, "/api/generate": NewGenerateStream} {
		var b bytes.Buffer
		s := start(&b, "smollm2")
		if err := errors.Join(s.Text("Hello"), s.Finish(loci.FinishLength, usage)); err != nil {
			t.Fatal(err)
		}
		ours := strings.Split(strings.TrimSpace(b.String()), "\n")
		theirs := strings.Split(strings.TrimSpace(wiretest.Recorded(t, path, "stream").Response), "\n")
		if len(ours) != 2 {
			t.Fatalf("%s: %d lines", path, len(ours))
		}
		for ours, theirs := range map[string]string{ours[0]: theirs[0], ours[1]: theirs[len(theirs)-1]} {
			if diff := cmp.Diff(members(t, theirs), members(t, ours)); diff != "" {
				t.Errorf("%s (-recorded +ours):\n%s", path, diff)
			}
		}
		got, err := read(&b)
		if diff := cmp.Diff(loci.Chunk{Text: "Hello", Finish: loci.FinishLength, Usage: &usage}, got); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%serror %v", path, diff, err)
		}
	}
}

func TestStream(t *testing.T) {
	var b bytes.Buffer
	s := NewStream(&b, "m\"")
	calls := []loci.ToolCall{newCall("c1", "f", "{\"x\":\n1}"), newCall("c2", "g", `{}`)}
	if err := errors.Join(s.KeepAlive(), s.Reasoning("hm"), s.Text("Снег\n"), s.ToolCalls(calls), s.Finish(loci.FinishTools, loci.Usage{})); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		var l struct {
			Model     string
			CreatedAt time.Time `json:"created_at"`
			Done      *bool
			Message   struct{ Role, Content *string }
		}
		err := json.Unmarshal([]byte(line), &l)
		if err != nil || l.Model != `m"` || l.Done == nil || l.CreatedAt.IsZero() || l.Message.Role == nil || l.Message.Content == nil {
			t.Errorf("line %s: %v", line, err)
		}
	}
	got, err := read(&b)
	calls[0].Arguments = json.RawMessage(`{"x":1}`)
	if diff := cmp.Diff(loci.Chunk{Text: "Снег\n", Reasoning: "hm", ToolCalls: calls, Finish: loci.FinishTools}, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}

	b.Reset()
	s = NewGenerateStream(&b, "m")
	if err := errors.Join(s.Text("Half"), s.ToolCalls(calls), s.Error(loci.Errorf(loci.Truncated, "It broke off."))); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), "\n{\"error\":\"It broke off.\"}\n") || strings.Contains(b.String(), "tool_calls") {
		t.Errorf("got %s", b.String())
	}
	if _, err := read(&b); err == nil || !strings.Contains(err.Error(), "It broke off") {
		t.Errorf("read back: %v", err)
	}
}

func TestStreamLoad(t *testing.T) {
	for _, tt := range []struct {
		path, note string
		start      func(io.Writer, string) *Stream
		unload     bool
	}{
		{"/api/chat", "no messages: loads the model", NewStream, false},
		{"/api/generate", "unload", NewGenerateStream, true},
	} {
		var b bytes.Buffer
		if err := tt.start(&b, "smollm2").Load(tt.unload); err != nil {
			t.Fatal(err)
		}
		theirs := wiretest.Recorded(t, tt.path, tt.note).Response
		cut := func(s string) string { return strings.TrimSpace(s[strings.Index(s, `Z",`):]) } // after the time
		if cut(b.String()) != cut(theirs) {
			t.Errorf("%s: %s, recorded %s", tt.note, b.String(), theirs)
		}
	}
}

func TestEncodeReply(t *testing.T) {
	started := time.Now().Add(-time.Second)
	want := loci.Chunk{Text: "a", Reasoning: "r", ToolCalls: []loci.ToolCall{newCall("c1", "f", `{}`)}, Finish: loci.FinishTools, Usage: &loci.Usage{Prompt: 2, Completion: 1}}
	body := EncodeReply("m", want, started)
	got, err := read(bytes.NewReader(body))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("chat (-want +got):\n%serror %v", diff, err)
	}
	var took struct {
		Total time.Duration `json:"total_duration"`
	}
	if err := json.Unmarshal(body, &took); err != nil || took.Total < time.Second {
		t.Errorf("total_duration %v, %v", took.Total, err)
	}
	want = loci.Chunk{Text: "a", Finish: loci.FinishStop}
	got, err = read(bytes.NewReader(EncodeGenerateReply("m", want, started)))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("generate (-want +got):\n%serror %v", diff, err)
	}
}

func TestEmbed(t *testing.T) {
	vectors := [][]float32{{0.5, -6.023494e-33}, {1, 2}}
	body := EncodeEmbedReply("m", vectors, 6, time.Second)
	if diff := cmp.Diff(members(t, wiretest.Recorded(t, "/api/embed", "embed").Response), members(t, string(body))); diff != "" {
		t.Errorf("members (-recorded +ours):\n%s", diff)
	}
	got, tokens, err := DecodeEmbedReply(body)
	if diff := cmp.Diff(vectors, got); diff != "" || tokens != 6 || err != nil {
		t.Errorf("(-want +got):\n%s%d tokens, error %v", diff, tokens, err)
	}
	if got := string(EncodeEmbeddingsReply([]float32{0.5})); got != `{"embedding":[0.5]}` {
		t.Errorf("legacy reply %s", got)
	}
	if got, tokens, err = DecodeEmbedReply([]byte(wiretest.Recorded(t, "/api/embed", "embed").Response)); err != nil || len(got) != 2 || tokens == 0 {
		t.Errorf("recorded: %v, %d tokens, %v", got, tokens, err)
	}
	for body, want := range map[string]loci.Code{`{"error":"no such model"}`: loci.Unreachable, `{"embeddings":[[]]}`: loci.Unreachable, `x`: loci.Unreachable} {
		if _, _, err := DecodeEmbedReply([]byte(body)); code(err) != want {
			t.Errorf("DecodeEmbedReply(%s): %v", body, err)
		}
	}
	req := EmbedRequest{Model: "m", Input: []string{"a", "b"}, Dimensions: new(2)}
	sent, err := EncodeEmbed(req)
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeEmbed(sent)
	if diff := cmp.Diff(req, back); diff != "" || err != nil {
		t.Errorf("request (-want +got):\n%serror %v", diff, err)
	}
	if back, err = DecodeEmbeddings([]byte(`{"name":"m","prompt":"a","keep_alive":"5m"}`)); err != nil || !cmp.Equal(back, EmbedRequest{Model: "m", Input: []string{"a"}}) {
		t.Errorf("legacy request: %+v, %v", back, err)
	}
	if _, err = DecodeEmbed([]byte(`{"input":[1]}`)); code(err) != loci.Invalid {
		t.Errorf("tokens: %v", err)
	}
}

func FuzzDecodeChat(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"a","images":["aGk="]}],"options":{"num_ctx":1,"seed":2}}`))
	f.Add([]byte(`{"name":"m","keep_alive":"0","format":"json","think":"low","tools":[{"function":{"name":"f"}}],"x":{}}`))
	f.Add([]byte(`{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{'x':1}"}}]}],"options":{"stop":"a"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := DecodeChat(body)
		if err != nil {
			if code(err) != loci.Invalid || len(err.Error()) > 2000 {
				t.Fatalf("error %v", err)
			}
			return
		}
		again, err := EncodeChat(loci.Request{Model: got.Model, Messages: got.Messages, Tools: got.Tools, Options: got.Options}, got.Stream)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodeChat(again); err != nil || len(back.Messages) != len(got.Messages) {
			t.Fatalf("%s: %v", again, err)
		}
	})
}

func BenchmarkStreamText(b *testing.B) {
	s := NewStream(io.Discard, "some-model:latest")
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Text(" token"); err != nil {
			b.Fatal(err)
		}
	}
}
