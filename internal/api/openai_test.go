package api

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/wire"
)

// frames reads a reply's server-sent events.
func frames(t *testing.T, body string) []string {
	t.Helper()
	var out []string
	for e, err := range wire.Events(strings.NewReader(body), wire.DefaultMaxLine) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e.Data)
	}
	return out
}

type chunk struct {
	ID, Object, Model string
	Created           int64
	Choices           []struct {
		Delta        map[string]any
		FinishReason *string `json:"finish_reason"`
	}
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	}
	Error *struct{ Message, Type string }
}

func parse(t *testing.T, data string) chunk {
	t.Helper()
	var c chunk
	if err := json.Unmarshal([]byte(data), &c); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return c
}

const hello = `{"model":"smollm2","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Say hi"}]`

func TestOpenAIStream(t *testing.T) {
	c := newClient(t, newFake())
	w := c.do("POST", "/v1/chat/completions", hello+`,"stream":true,"stream_options":{"include_usage":true}}`)
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	data := frames(t, w.Body.String())
	if data[len(data)-1] != "[DONE]" {
		t.Fatalf("the last frame is %q", data[len(data)-1])
	}
	var text, finish string
	first := parse(t, data[0])
	if first.Choices[0].Delta["role"] != "assistant" {
		t.Errorf("the first chunk has no role: %s", data[0])
	}
	for _, d := range data[:len(data)-2] {
		k := parse(t, d)
		if k.ID != first.ID || k.Created != first.Created || k.Model != "smollm2" || k.Object != "chat.completion.chunk" {
			t.Errorf("a chunk of another reply: %s", d)
		}
		if s, ok := k.Choices[0].Delta["content"].(string); ok {
			text += s
		}
		if k.Choices[0].Delta["tool_calls"] != nil {
			t.Errorf("our own tool call is shown: %s", d)
		}
		if k.Choices[0].FinishReason != nil {
			finish = *k.Choices[0].FinishReason
		}
	}
	if text != "Hello there" || finish != "stop" {
		t.Errorf("text %q, finish %q", text, finish)
	}
	if u := parse(t, data[len(data)-2]); u.Usage == nil || u.Usage.PromptTokens != 19 || u.Usage.CompletionTokens != 6 || len(u.Choices) != 0 {
		t.Errorf("usage chunk: %s", data[len(data)-2])
	}
}

func TestOpenAIWhole(t *testing.T) {
	c := newClient(t, newFake())
	w := c.do("POST", "/v1/chat/completions", hello+`}`)
	var got struct {
		Object  string
		Choices []struct {
			Message      map[string]any
			FinishReason string `json:"finish_reason"`
		}
		Usage map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Object != "chat.completion" || got.Choices[0].Message["content"] != "Hello there" || got.Choices[0].FinishReason != "stop" {
		t.Errorf("%s", w.Body)
	}
	if got.Choices[0].Message["tool_calls"] != nil {
		t.Errorf("our own tool call is shown: %s", w.Body)
	}
	if got.Usage["prompt_tokens"] != 19.0 || got.Usage["total_tokens"] != 25.0 {
		t.Errorf("usage: %v", got.Usage)
	}
}

// What a client sends becomes a turn: which conversation, what was said.
func TestOpenAIRequestBecomesATurn(t *testing.T) {
	for _, e := range []struct {
		name, messages string
		header         []string
		want           loci.TurnRequest
	}{
		{
			"new", `[{"role":"user","content":"hi"}]`, nil,
			loci.TurnRequest{Message: loci.Message{Role: loci.User, Content: "hi"}},
		},
		{
			"system messages are joined",
			`[{"role":"system","content":"A"},{"role":"developer","content":"B"},{"role":"user","content":"hi"}]`, nil,
			loci.TurnRequest{System: "A\n\nB", Message: loci.Message{Role: loci.User, Content: "hi"}},
		},
		{
			"resent history",
			`[{"role":"user","content":"one"},{"role":"assistant","content":"1"},{"role":"user","content":"two"}]`,
			[]string{"X-OpenWebUI-Chat-Id", "chat-7"},
			loci.TurnRequest{
				Thread:  "chat-7",
				History: []loci.Message{{Role: loci.User, Content: "one"}, {Role: loci.Assistant, Content: "1"}},
				Message: loci.Message{Role: loci.User, Content: "two"},
			},
		},
		{
			"a session of ours", `[{"role":"user","content":"hi"}]`,
			[]string{"X-Loci-Session", "ses_42", "X-OpenWebUI-Chat-Id", "chat-7"},
			loci.TurnRequest{Session: "ses_42", Thread: "chat-7", Message: loci.Message{Role: loci.User, Content: "hi"}},
		},
		{
			"a conversation of the client's", `[{"role":"user","content":"hi"}]`,
			[]string{"X-Loci-Session", "my talk", "X-OpenWebUI-Chat-Id", "chat-7"},
			loci.TurnRequest{Thread: "my talk", Message: loci.Message{Role: loci.User, Content: "hi"}},
		},
		{
			"a regenerated reply",
			`[{"role":"user","content":"one"},{"role":"assistant","content":"half"}]`, nil,
			loci.TurnRequest{Message: loci.Message{Role: loci.User, Content: "one"}},
		},
		{
			"a picture",
			`[{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}]`, nil,
			loci.TurnRequest{Message: loci.Message{Role: loci.User, Content: "What is this?", Images: []loci.Image{{MediaType: "image/png", Base64: "aGk="}}}},
		},
	} {
		t.Run(e.name, func(t *testing.T) {
			f := newFake()
			var got loci.TurnRequest
			speak := f.turn
			f.turn = func(ctx context.Context, req loci.TurnRequest) iter.Seq2[loci.Event, error] {
				got = req
				return speak(ctx, req)
			}
			w := newClient(t, f).do("POST", "/v1/chat/completions", `{"model":"smollm2","messages":`+e.messages+`}`, e.header...)
			if w.Code != 200 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			e.want.Principal = loci.Principal{ID: "owner", Name: "Ada", Owner: true}
			e.want.Model, e.want.Resent = "smollm2", true
			if e.want.History == nil {
				e.want.History = []loci.Message{}
			}
			if got.History == nil {
				got.History = []loci.Message{}
			}
			if diff := cmp.Diff(e.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNoUserMessage(t *testing.T) {
	c := newClient(t, newFake())
	for _, body := range []string{`{"messages":[]}`, `{"messages":[{"role":"system","content":"x"}]}`, `{}`} {
		w := c.do("POST", "/v1/chat/completions", body)
		if w.Code != 400 || !strings.Contains(w.Body.String(), `{"error":{"message":"there is no user message"`) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}

// An error before the first word has a status; a later one is in the stream,
// and the stream does not end like a whole reply.
func TestOpenAIFailures(t *testing.T) {
	half := []loci.Event{event(1, loci.TurnStarted{}), event(1, loci.Delta{Text: "Half a"}), event(1, loci.Delta{Text: " sen", Offset: 6})}
	failed := loci.TurnFinished{State: loci.TurnFailed, Error: errDown}
	for _, e := range []struct {
		name   string
		turn   func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error]
		status int // of a stream
		whole  int // without one
		want   string
	}{
		{"before anything", fails(errDown), 502, 502, "is not answering"},
		{"after the turn started", fails(errDown, half[0]), 502, 502, "is not answering"},
		{"failed before the first word", play(half[0], event(2, failed)), 502, 502, "is not answering"},
		{"half-way", fails(errDown, half...), 200, 502, "is not answering"},
		{"failed half-way", play(append(half, event(2, failed))...), 200, 502, "is not answering"},
		{"interrupted", play(append(half, event(2, loci.TurnFinished{State: loci.TurnInterrupted}))...), 200, 502, "stopped"},
		{"no end", play(half...), 200, 502, "broke off"},
		{"nothing at all", play(), 502, 502, "broke off"},
		{"busy", fails(loci.Errorf(loci.Overloaded, "The session is busy.")), 429, 429, "busy"},
	} {
		t.Run(e.name, func(t *testing.T) {
			f := newFake()
			f.turn = e.turn
			c := newClient(t, f)
			w := c.do("POST", "/v1/chat/completions", hello+`}`)
			if w.Code != e.whole || !strings.Contains(w.Body.String(), e.want) {
				t.Errorf("whole: %d %s", w.Code, w.Body)
			}
			if got := w.Header().Get("Retry-After"); e.whole == 429 && got != "2" {
				t.Errorf("Retry-After is %q", got)
			}
			w = c.do("POST", "/v1/chat/completions", hello+`,"stream":true}`)
			if w.Code != e.status {
				t.Fatalf("stream: %d %s", w.Code, w.Body)
			}
			if e.status != 200 {
				if w.Header().Get("Content-Type") != "application/json" || !strings.Contains(w.Body.String(), e.want) {
					t.Errorf("stream: %s", w.Body)
				}
				return
			}
			data := frames(t, w.Body.String())
			if n := len(data); data[n-1] != "[DONE]" || parse(t, data[n-2]).Error == nil {
				t.Fatalf("the stream does not end with an error and [DONE]: %q", data)
			}
			if k := parse(t, data[len(data)-2]); !strings.Contains(k.Error.Message, e.want) {
				t.Errorf("error %q, want %q", k.Error.Message, e.want)
			}
			if strings.Contains(w.Body.String(), `"finish_reason":"stop"`) {
				t.Error("half a reply is passed off as complete")
			}
		})
	}
}

// Words cut anywhere by the model arrive whole, and every frame is valid text.
func TestTextArrivesByteForByte(t *testing.T) {
	const text = "Снег, 雪, 🐢 \"quoted\"\n"
	var pieces []string
	for _, r := range text {
		pieces = append(pieces, string(r))
	}
	f := newFake()
	f.turn = says(pieces...)
	w := newClient(t, f).do("POST", "/v1/chat/completions", hello+`,"stream":true}`)
	var got strings.Builder
	for _, d := range frames(t, w.Body.String()) {
		if !utf8.ValidString(d) {
			t.Errorf("not valid UTF-8: %q", d)
		}
		if d != "[DONE]" {
			for _, ch := range parse(t, d).Choices {
				s, _ := ch.Delta["content"].(string)
				got.WriteString(s)
			}
		}
	}
	if got.String() != text {
		t.Errorf("got %q, want %q", got.String(), text)
	}
}

// Words that the runtime says itself may come without deltas.
func TestMessageWithoutDeltas(t *testing.T) {
	f := newFake()
	f.turn = play(event(1, loci.TurnStarted{}), event(2, loci.MessageData{Text: "notes.md, app.log"}), event(3, done))
	w := newClient(t, f).do("POST", "/v1/chat/completions", hello+`}`)
	if !strings.Contains(w.Body.String(), "notes.md, app.log") {
		t.Errorf("%s", w.Body)
	}
}

func TestReasoning(t *testing.T) {
	f := newFake()
	f.turn = play(event(1, loci.Delta{Reasoning: "Hm."}), event(1, loci.Delta{Text: "Hi"}), event(2, done))
	w := newClient(t, f).do("POST", "/v1/chat/completions", hello+`,"stream":true}`)
	if !strings.Contains(w.Body.String(), `"reasoning_content":"Hm."`) {
		t.Errorf("%s", w.Body)
	}
}

func TestOpenAIModels(t *testing.T) {
	f := newFake()
	f.models = append(f.models, loci.ModelInfo{ID: "org/other-GGUF:Q4"})
	f.models = append([]loci.ModelInfo{{ID: "minilm", Embedding: true}}, f.models...)
	c := newClient(t, f)
	w := c.do("GET", "/v1/models", "")
	var list struct {
		Object string
		Data   []map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	if list.Object != "list" || len(list.Data) != 3 || list.Data[0]["id"] != "smollm2:latest" || list.Data[0]["object"] != "model" {
		t.Errorf("%s", w.Body)
	}
	// What cannot chat is not what a client takes first, nor what Open WebUI shows.
	if n := strings.Count(w.Body.String(), `"hidden":true`); list.Data[2]["id"] != "minilm" || n != 1 {
		t.Errorf("%d hidden: %s", n, w.Body)
	}
	f.models = f.models[1:]
	// Each name that a chat may have can be asked about, and is answered with.
	known := f.route
	f.route = func(model string) (Route, error) {
		switch model {
		case "loci", "loci/smollm2":
			return known("smollm2")
		case "bare/smollm2":
			return Route{Model: bare("smollm2:latest")}, nil
		case "org/other-GGUF:Q4":
			return Route{Model: f.models[1]}, nil
		}
		return known(model)
	}
	for path, want := range map[string]string{
		"smollm2": "smollm2", "smollm2:latest": "smollm2:latest", "loci": "loci", "loci/smollm2": "loci/smollm2", "bare/smollm2": "bare/smollm2",
		"org/other-GGUF:Q4": "org/other-GGUF:Q4", "org%2Fother-GGUF:Q4": "org/other-GGUF:Q4",
	} {
		w := c.do("GET", "/v1/models/"+path, "")
		if w.Code != 200 || !strings.HasPrefix(w.Body.String(), `{"id":"`+want+`","object":"model",`) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if agent := strings.Contains(w.Body.String(), `"builtin_tools":false`); agent == strings.HasPrefix(want, "bare/") {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	if w := c.do("GET", "/v1/models/nope", ""); w.Code != 404 || !strings.Contains(w.Body.String(), "nope") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// On a server of the other protocol, embeddings and completions are converted.
func TestOpenAIConversions(t *testing.T) {
	f := authFake()
	var asked loci.Request
	f.chat = func(req loci.Request) iter.Seq2[loci.Chunk, error] {
		asked = req
		return func(yield func(loci.Chunk, error) bool) {
			_ = yield(loci.Chunk{Text: "4, of "}, nil) && yield(loci.Chunk{Text: "course", Finish: loci.FinishLength, Usage: &loci.Usage{Prompt: 4, Completion: 2}}, nil)
		}
	}
	c := newClient(t, f)
	w := c.do("POST", "/v1/embeddings", `{"model":"bare","input":["a","bcd"]}`)
	if !strings.Contains(w.Body.String(), `[1,0.5]`) || !strings.Contains(w.Body.String(), `[3,0.5]`) || !strings.Contains(w.Body.String(), `"model":"bare","usage":{"prompt_tokens":4,"total_tokens":4}`) {
		t.Errorf("embeddings: %s", w.Body)
	}
	w = c.do("POST", "/v1/completions", `{"model":"bare","prompt":"2+2="}`)
	if !strings.Contains(w.Body.String(), `"text":"4, of course"`) || !strings.Contains(w.Body.String(), `"finish_reason":"length"`) {
		t.Errorf("completion: %s", w.Body)
	}
	if len(asked.Messages) != 1 || asked.Messages[0].Content != "2+2=" || len(asked.Tools) != 0 {
		t.Errorf("the model was asked %+v", asked)
	}
	w = c.do("POST", "/v1/completions", `{"model":"bare","prompt":"2+2=","stream":true}`)
	if data := frames(t, w.Body.String()); data[len(data)-1] != "[DONE]" || !strings.Contains(w.Body.String(), `"text":"4, of "`) {
		t.Errorf("completion stream: %s", w.Body)
	}
	if w = c.do("POST", "/v1/completions", `{"model":"bare","prompt":"a","suffix":"b"}`); w.Code != 400 {
		t.Errorf("suffix: %d %s", w.Code, w.Body)
	}
	// A bare model's tool calls are the client's to run.
	f.chat = func(req loci.Request) iter.Seq2[loci.Chunk, error] {
		asked = req
		return func(yield func(loci.Chunk, error) bool) {
			yield(loci.Chunk{ToolCalls: []loci.ToolCall{{ID: "c1", Name: "f", Arguments: []byte(`{}`)}}, Finish: loci.FinishTools}, nil)
		}
	}
	w = c.do("POST", "/v1/chat/completions", `{"model":"bare","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":"required"}`)
	if !strings.Contains(w.Body.String(), `"finish_reason":"tool_calls"`) || !strings.Contains(w.Body.String(), `"name":"f"`) || len(asked.Tools) != 1 || asked.ToolChoice.Mode != loci.ChoiceRequired {
		t.Errorf("tools of a bare model: %s", w.Body)
	}
}

// TestToolChoiceFits refuses a demand that nothing can meet, on both protocols.
func TestToolChoiceFits(t *testing.T) {
	c := newClient(t, authFake())
	const tools = `"tools":[{"type":"function","function":{"name":"f"}}],`
	for _, path := range []string{"/v1/chat/completions", "/api/chat"} {
		for _, tt := range []struct{ body, says string }{
			{tools + `"tool_choice":{"type":"function","function":{"name":"g"}}`, `names \"g\", which is none of the tools`},
			{`"tool_choice":{"type":"function","function":{"name":"g"}}`, "no tool of the type function was sent"},
			{`"tool_choice":"required"`, "no tool of the type function was sent"},
			{`"tools":[{"type":"web_search"}],"tool_choice":"required"`, "no tool of the type function was sent"},
			{`"tools":[],"tool_choice":"auto"`, ""},
			{`"tool_choice":"none"`, ""},
			{tools + `"tool_choice":"required"`, ""},
			{tools + `"tool_choice":{"type":"function","function":{"name":"f"}}`, ""},
		} {
			w := c.do("POST", path, `{"model":"smollm2","stream":false,"messages":[{"role":"user","content":"x"}],`+tt.body+`}`)
			if refused := w.Code == 400; refused != (tt.says != "") || !strings.Contains(w.Body.String(), tt.says) {
				t.Errorf("%s with %s: %d %s, want %q", path, tt.body, w.Code, w.Body, tt.says)
			}
		}
	}
}

func TestBodyLimits(t *testing.T) {
	f := newFake()
	cfg := f.config()
	cfg.Limits.Body = 1 << 20
	c := client{t, New(cfg), ownerKey}
	photo := strings.Repeat("a", 900<<10)
	body := func(n string) string {
		return fmt.Sprintf(`{"model":"smollm2","messages":[{"role":"user","content":"hi","images":[%q]}]}`, n)
	}
	if w := c.do("POST", "/api/chat", body(photo)); w.Code != 200 {
		t.Errorf("a photo: %d %.200s", w.Code, w.Body)
	}
	for door, shape := range map[string]string{"/api/chat": `{"error":"The request is larger than 1 MiB.`, "/v1/chat/completions": `{"error":{"message":"The request is larger`, "/api/agent/chat": `{"error":{"code":"invalid"`} {
		w := c.do("POST", door, body(photo+photo))
		if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), shape) {
			t.Errorf("%s: %d %.200s", door, w.Code, w.Body)
		}
		// Nor does a body help that does not say how long it is.
		r := request("POST", door, body(photo+photo), "Authorization", "Bearer "+ownerKey)
		r.ContentLength = -1
		rec := httptest.NewRecorder()
		c.handler.ServeHTTP(rec, r)
		if rec.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%s without a length: %d", door, rec.Code)
		}
	}
}
