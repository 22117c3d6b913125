package openai

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/wire/wiretest"
)

const png = "iVBORw0KGgo=" // the signature of a PNG file

func TestDecodeChat(t *testing.T) {
	body := `{
		"model": "m", "stream": true, "stream_options": {"include_usage": true},
		"messages": [
			{"role": "developer", "content": "Be brief."},
			{"role": "user", "content": [
				{"type": "text", "text": "What is on the picture?"},
				{"type": "text", "text": "Short."},
				{"type": "image_url", "image_url": {"url": "data:image/png;base64,` + png + `", "detail": "low"}}]},
			{"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [
				{"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{\"x\": 1}"}},
				{"id": "call_2", "type": "function", "function": {"name": "info", "arguments": ""}}]},
			{"role": "tool", "tool_call_id": "call_1", "content": "a cat"},
			{"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "ok"}]}
		],
		"tools": [{"type": "function", "function": {"name": "info", "description": "d", "parameters": {"type": "object"}}}],
		"tool_choice": "auto",
		"temperature": 0, "top_p": null, "top_k": 40, "max_completion_tokens": 100.0, "seed": -1, "stop": "END",
		"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}},
		"reasoning_effort": "high", "n": 1,
		"user": "u1", "logit_bias": {"5": 1}
	}`
	want := ChatRequest{
		Model: "m", Stream: true, IncludeUsage: true,
		Messages: []loci.Message{
			{Role: loci.System, Content: "Be brief."},
			{Role: loci.User, Content: "What is on the picture?\nShort.", Images: []loci.Image{{MediaType: "image/png", Base64: png}}},
			{Role: loci.Assistant, Reasoning: "hm", ToolCalls: []loci.ToolCall{newCall("call_1", "look", `{"x":1}`), newCall("call_2", "info", `{}`)}},
			{Role: loci.ToolRole, ToolCallID: "call_1", ToolName: "look", Content: "a cat"},
			{Role: loci.ToolRole, ToolCallID: "call_2", ToolName: "info", Content: "ok"},
		},
		Tools:      []loci.ToolSpec{{Name: "info", Description: "d", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}},
		ToolChoice: loci.ToolChoice{Mode: loci.ChoiceAuto},
		Options: loci.Options{
			Temperature: new(0.0), TopK: new(40), MaxTokens: new(100), Seed: new(int64(-1)), Stop: []string{"END"},
			Format: json.RawMessage(`{"type": "object"}`), Think: json.RawMessage(`"high"`),
			Extra:        map[string]json.RawMessage{"user": json.RawMessage(`"u1"`), "logit_bias": json.RawMessage(`{"5": 1}`)},
			ExtraDialect: loci.OpenAI,
		},
	}
	want.Tools[0].Parameters = json.RawMessage(`{"type": "object","properties":{}}`)
	got, err := DecodeChat([]byte(body))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
}

func TestDecodeChatVariants(t *testing.T) {
	options := func(body string) loci.Options {
		t.Helper()
		r, err := DecodeChat([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
		}
		return r.Options
	}
	if diff := cmp.Diff(loci.Options{}, options(`{"model":"m","messages":[],"stop":null,"seed":null,"response_format":{"type":"text"}}`)); diff != "" {
		t.Errorf("options that nobody set:\n%s", diff)
	}
	if got := options(`{"stop":["a","b"]}`).Stop; !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("stop = %q", got)
	}
	if got := options(`{"max_tokens":5}`).MaxTokens; got == nil || *got != 5 {
		t.Errorf("max_tokens = %v", got)
	}
	for format, want := range map[string]string{
		`{"type":"json_object"}`:                             `"json"`,
		`{"type":"json_object","schema":{"a":1}}`:            `{"a":1}`,
		`{"type":"json_schema","schema":{"a":1}}`:            `{"a":1}`,
		`{"type":"json_schema","json_schema":{"schema":{}}}`: `{}`,
	} {
		if got := options(`{"response_format":` + format + `}`).Format; string(got) != want {
			t.Errorf("response_format %s = %s, want %s", format, got, want)
		}
	}
	for effort, want := range map[string]string{"none": "false", "minimal": `"low"`, "low": `"low"`, "medium": `"medium"`, "xhigh": `"high"`} {
		if got := options(`{"reasoning_effort":"` + effort + `"}`).Think; string(got) != want {
			t.Errorf("reasoning_effort %s = %s, want %s", effort, got, want)
		}
	}
	r, err := DecodeChat([]byte(`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":"data:image/jpeg;charset=x;base64,` + png + `"}]}]}`))
	if err != nil || r.Messages[0].Images[0].MediaType != "image/jpeg" {
		t.Errorf("a bare data URL: %+v, %v", r.Messages, err)
	}
}

func TestDecodeChatRefuses(t *testing.T) {
	user := func(content string) string {
		return `{"messages":[{"role":"user","content":"a"},{"role":"user","content":` + content + `}]}`
	}
	tests := []struct{ name, body, says string }{
		{"not JSON", `hello`, "not a JSON object"},
		{"a list", `[]`, "not a JSON object"},
		{"cut", `{"model":"m"`, "not a JSON object"},
		{"twice", `{"model":"m","model":"n"}`, `"model" twice`},
		{"model", `{"model":5}`, `"model" must be a text`},
		{"messages", `{"messages":{}}`, `"messages" must be a list`},
		{"role", `{"messages":[{"role":"robot","content":""}]}`, `messages[0].role is "robot"`},
		{"content", user(`5`), `"messages[1].content" must be a text`},
		{"part type", user(`[{"type":"input_audio"}]`), "messages[1].content[0]"},
		{"part", user(`["text"]`), `"messages[1].content[0]" must be an object`},
		{"web picture", user(`[{"type":"image_url","image_url":{"url":"http://example.com/cat.png"}}]`), "inline"},
		{"no picture", user(`[{"type":"image_url"}]`), "messages[1].content[0].image_url is missing"},
		{"not base64", user(`[{"type":"image_url","image_url":{"url":"data:image/png;base64,???"}}]`), "base64"},
		{"data URL in plain text", user(`[{"type":"image_url","image_url":{"url":"data:text/plain,hello"}}]`), "base64"},
		{"tool name", `{"tools":[{"type":"web_search"},{"type":"function","function":{}}]}`, "tools[1].function.name"},
		{"tool name of spaces", `{"tools":[{"type":"function","function":{"name":"   "}}]}`, "tools[0].function.name has no letter or digit"},
		{"long tool name", `{"tools":[{"type":"function","function":{"name":"` + strings.Repeat("x", 5000) + `"}}]}`, "tools[0].function.name has 5000 bytes, and the most is 256"},
		{"tool function", `{"tools":[{"type":"function","function":5}]}`, `"tools[0].function" must be an object`},
		{"function name", `{"functions":[{"name":"f"},{}]}`, "functions[1].name"},
		{"tool_choice", `{"tool_choice":"sometimes"}`, `tool_choice is "sometimes"`},
		{"tool_choice type", `{"tool_choice":5}`, `"tool_choice" must be an object`},
		{"tool_choice name", `{"tool_choice":{"type":"function"}}`, "tool_choice.function.name is missing"},
		{"temperature", `{"temperature":"hot"}`, `"temperature" must be a number`},
		{"max_tokens", `{"max_tokens":1.5}`, "1.5 is not a whole number"},
		{"stop", `{"stop":[1]}`, `"stop[0]" must be a text`},
		{"response_format", `{"response_format":{"type":"xml"}}`, `response_format.type is "xml"`},
		{"schema", `{"response_format":{"type":"json_schema"}}`, "response_format.json_schema.schema is missing"},
		{"reasoning_effort", `{"reasoning_effort":"extreme"}`, `reasoning_effort is "extreme"`},
		{"n", `{"n":2}`, "n must be 1"},
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
	long := `{"messages":[{"role":"` + strings.Repeat("x", 10_000) + `"}]}`
	if _, err := DecodeChat([]byte(long)); err == nil || len(err.Error()) > 500 {
		t.Errorf("a long role is echoed in %d bytes", len(err.Error()))
	}
}

func TestEncodeChat(t *testing.T) {
	req := loci.Request{
		Model: "m",
		Messages: []loci.Message{
			{Role: loci.System, Content: "<b> & \"q\""},
			{Role: loci.User, Content: "Look", Images: []loci.Image{{Base64: png}, {MediaType: "image/webp", Base64: "AAAA"}}},
			{Role: loci.Assistant, ToolCalls: []loci.ToolCall{newCall("c1", "f", `{"x":"<"}`), newCall("c2", "g", `"{'sloppy':1}"`)}},
			{Role: loci.ToolRole, ToolCallID: "c1", ToolName: "f", Content: "42"},
		},
		Tools:      []loci.ToolSpec{{Name: "f", Description: "d"}},
		ToolChoice: loci.ToolChoice{Mode: loci.ChoiceRequired, Name: "f"},
		Options: loci.Options{
			Temperature: new(0.5), TopP: new(0.9), TopK: new(3), MaxTokens: new(7), Seed: new(int64(1)), Stop: []string{"x"},
			Format: json.RawMessage(`{"type":"object"}`), Think: json.RawMessage("false"), KeepAlive: json.RawMessage("5"),
			Extra: map[string]json.RawMessage{
				"zeta": json.RawMessage("1"), "alpha": json.RawMessage("[1, 2]"), "tool_choice": json.RawMessage(`"auto"`), "parallel_tool_calls": json.RawMessage("false"), "Messages": json.RawMessage("[]"), "model": json.RawMessage(`"evil"`)},
			ExtraDialect: loci.OpenAI,
		},
	}
	want := `{"model":"m","messages":[` +
		`{"role":"system","content":"<b> & \"q\""},` +
		`{"role":"user","content":[{"type":"text","text":"Look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + png + `"}},{"type":"image_url","image_url":{"url":"data:image/webp;base64,AAAA"}}]},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"x\":\"<\"}"}},{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]},` +
		`{"role":"tool","content":"42","tool_call_id":"c1","name":"f"}],` +
		`"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{}}}}],` +
		`"tool_choice":{"type":"function","function":{"name":"f"}},` +
		`"temperature":0.5,"top_p":0.9,"top_k":3,"max_tokens":7,"seed":1,"stop":["x"],` +
		`"response_format":{"type":"json_schema","json_schema":{"name":"reply","schema":{"type":"object"}}},"reasoning_effort":"none",` +
		`"stream":true,"stream_options":{"include_usage":true},"alpha":[1,2],"parallel_tool_calls":false,"zeta":1}`
	for range 20 { // maps must not make it differ
		got, err := EncodeChat(req, true)
		if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
			t.Fatalf("(-want +got):\n%serror %v", diff, err)
		}
	}
	req.Options.ExtraDialect = loci.Ollama
	got, err := EncodeChat(req, false)
	if err != nil || !strings.HasSuffix(string(got), `,"stream":false}`) {
		t.Errorf("extra fields of another dialect: %s, %v", got, err)
	}
	req.Options.ExtraDialect, req.Tools = loci.OpenAI, nil
	if got, err = EncodeChat(req, false); err != nil || strings.Contains(string(got), "tool_choice") || strings.Contains(string(got), "parallel_tool_calls") {
		t.Errorf("without tools: %s, %v", got, err)
	}
	got, err = EncodeChat(loci.Request{Model: "m", Options: loci.Options{Format: json.RawMessage(`"json"`), Think: json.RawMessage("true")}}, false)
	if want := `{"model":"m","response_format":{"type":"json_object"},"stream":false}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

// What grows at the end must leave the bytes before it as they were: that is
// what a prompt cache lives on.
func TestEncodeChatGrowsAtTheEnd(t *testing.T) {
	req := loci.Request{Model: "m", Tools: []loci.ToolSpec{{Name: "f"}}, Messages: []loci.Message{{Role: loci.System, Content: "s"}, {Role: loci.User, Content: "1"}}}
	first, err := EncodeChat(req, true)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, loci.Message{Role: loci.Assistant, Content: "2"}, loci.Message{Role: loci.User, Content: "3"})
	second, err := EncodeChat(req, true)
	if err != nil {
		t.Fatal(err)
	}
	end := strings.Index(string(first), `],"tools"`)
	if end < 0 || !strings.HasPrefix(string(second), string(first[:end])) {
		t.Errorf("the second request does not start like the first:\n%s\n%s", first, second)
	}
}

func TestChatRoundTrip(t *testing.T) {
	req := loci.Request{
		Model: "m",
		Messages: []loci.Message{
			{Role: loci.System, Content: "s"},
			{Role: loci.User, Content: "Снег 雪 🐢 \u2028", Images: []loci.Image{{MediaType: "image/png", Base64: png}}},
			{Role: loci.Assistant, Content: "c", Reasoning: "r", ToolCalls: []loci.ToolCall{newCall("c1", "f", `{"a":[1]}`)}},
			{Role: loci.ToolRole, ToolCallID: "c1", ToolName: "f", Content: "t"},
		},
		Tools:   []loci.ToolSpec{{Name: "f", Description: "d", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{}}}`)}},
		Options: loci.Options{Temperature: new(0.1), Stop: []string{"a", "b"}, Format: json.RawMessage(`"json"`), Think: json.RawMessage(`"low"`)},
	}
	body, err := EncodeChat(req, true)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeChat(body)
	want := ChatRequest{Model: "m", Stream: true, IncludeUsage: true, Messages: req.Messages, Tools: req.Tools, Options: req.Options}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
}

func TestDecodeCompletion(t *testing.T) {
	want := Completion{Model: "m", Prompt: "2+2=", Suffix: ".", Stream: true, IncludeUsage: true, Options: loci.Options{MaxTokens: new(4)}}
	got, err := DecodeCompletion([]byte(`{"model":"m","prompt":"2+2=","suffix":".","max_tokens":4,"stream":true,"stream_options":{"include_usage":true}}`))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
	got, err = DecodeCompletion([]byte(`{"model":"m","prompt":["one"],"suffix":null,"echo":true}`))
	if err != nil || got.Prompt != "one" || string(got.Options.Extra["echo"]) != "true" {
		t.Errorf("a list of one: %+v, %v", got, err)
	}
	for _, body := range []string{`{"prompt":["a","b"]}`, `{"prompt":[]}`, `{"prompt":[1,2]}`, `{"prompt":5}`, `[]`} {
		if _, err := DecodeCompletion([]byte(body)); code(err) != loci.Invalid {
			t.Errorf("DecodeCompletion(%s): %v", body, err)
		}
	}
}

func TestEmbedRoundTrip(t *testing.T) {
	for _, base64 := range []bool{false, true} {
		want := EmbedRequest{Model: "m", Input: []string{"a", "b"}, Base64: base64, Dimensions: new(3)}
		body, err := EncodeEmbed(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeEmbed(body)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("request (-want +got):\n%serror %v", diff, err)
		}
		vectors := [][]float32{{0.5, -6.023494e-33, 1}, {0, 0.1, 3}}
		back, tokens, err := DecodeEmbedReply(EncodeEmbedReply(got, vectors, 7))
		if diff := cmp.Diff(vectors, back); diff != "" || tokens != 7 || err != nil {
			t.Errorf("reply (-want +got):\n%s%d tokens, error %v", diff, tokens, err)
		}
	}
	e := wiretest.Recorded(t, "/v1/embeddings", "OpenAI door")
	if v, _, err := DecodeEmbedReply([]byte(e.Response)); err != nil || len(v) != 1 || v[0][0] != -0.036358297 {
		t.Errorf("recorded: %v, %v", v, err)
	}
	for _, body := range []string{`{"data":[{"index":5,"embedding":[1]}]}`, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`, `{"data":[{"embedding":[]}]}`, `{"data":[{"embedding":"?"}]}`, `no`} {
		if v, _, err := DecodeEmbedReply([]byte(body)); code(err) != loci.Truncated {
			t.Errorf("DecodeEmbedReply(%s) = %v, %v", body, v, err)
		}
	}
	for body, says := range map[string]string{`{"input":[1,2]}`: `"input[0]" must be a text`, `{"encoding_format":"int8"}`: "encoding_format"} {
		if _, err := DecodeEmbed([]byte(body)); code(err) != loci.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("DecodeEmbed(%s): %v", body, err)
		}
	}
}

func FuzzDecodeChat(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"a"}],"stream":true,"user":"u"}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}],"stop":"x","top_k":1.0}`))
	f.Add([]byte(`{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{'x':1}"}}]}],"tools":[{"function":{"name":"f"}}]}`))
	f.Add([]byte(`{"messages":[{"role":"assistant","function_call":{"name":"f"}},{"role":"function","name":"f"}],"functions":[{"name":"f"}],"function_call":{"name":"f"}}`))
	f.Add([]byte(`{"tools":[{"type":"x"}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"any"}}}`))
	f.Add([]byte(`{"response_format":{"type":"json_schema","json_schema":{"schema":{}}},"reasoning_effort":"low","n":1}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := DecodeChat(body)
		if err != nil {
			if code(err) != loci.Invalid || len(err.Error()) > 2000 {
				t.Fatalf("error %v", err)
			}
			return
		}
		// What was understood can be sent on, and is understood again.
		again, err := EncodeChat(loci.Request{Model: got.Model, Messages: got.Messages, Tools: got.Tools, ToolChoice: got.ToolChoice, Options: got.Options}, got.Stream)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodeChat(again); err != nil || len(back.Messages) != len(got.Messages) {
			t.Fatalf("%s: %v", again, err)
		}
	})
}

// Conversations that are text only are read another way, to the same end.
func TestDecodeTextOnly(t *testing.T) {
	const said = `{"role":"user","content":"say \"type\" twice"},{"role":"assistant","content":null,"reasoning_content":"hm"},{"role":"tool","tool_call_id":"c","content":"x"}`
	const call = `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	text, err := DecodeChat([]byte(`{"messages":[` + said + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	mixed, err := DecodeChat([]byte(`{"messages":[` + said + `,` + call + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(mixed.Messages[:3], text.Messages); diff != "" || text.Messages[0].Content != `say "type" twice` {
		t.Errorf("(-with a call +text only):\n%s", diff)
	}
}

func BenchmarkDecodeChat(b *testing.B) {
	var messages []loci.Message
	for range 100 {
		messages = append(messages, loci.Message{Role: loci.User, Content: strings.Repeat("lorem ipsum dolor\n", 55)})
	}
	body, err := EncodeChat(loci.Request{Model: "m", Messages: messages}, true)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := DecodeChat(body); err != nil {
			b.Fatal(err)
		}
	}
}
