package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/wire/wiretest"
)

// read reads a stream to its end.
func read(r io.Reader) (loci.Chunk, error) { return wiretest.Collect(DecodeStream(r)) }

func code(err error) loci.Code {
	if err == nil {
		return ""
	}
	return loci.AsError(err).Code
}

func newCall(id, name, args string) loci.ToolCall {
	return loci.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}

func TestDecodeRecorded(t *testing.T) {
	const welcome = "Hello there, welcome to my little corner"
	tests := []struct {
		path, note string
		want       loci.Chunk
	}{
		{"/api/chat", "stream", loci.Chunk{Text: welcome, Finish: loci.FinishLength, Usage: &loci.Usage{Prompt: 19, Completion: 8, PromptTime: 367142506, OutputTime: 194453004}}},
		{"/api/chat", "no stream, same prompt again: prompt_eval_count includes what was cached", loci.Chunk{Text: welcome, Finish: loci.FinishLength, Usage: &loci.Usage{Prompt: 19, Completion: 8, PromptTime: 22204435, OutputTime: 226174730}}},
		{"/api/chat", "no messages: loads the model", loci.Chunk{Finish: loci.FinishStop}},
		{"/api/generate", "stream", loci.Chunk{Text: "The answer is:", Finish: loci.FinishLength, Usage: &loci.Usage{Prompt: 13, Completion: 4, PromptTime: 198049812, OutputTime: 68145181}}},
		{"/api/generate", "raw", loci.Chunk{Text: "10, so", Finish: loci.FinishLength, Usage: &loci.Usage{Prompt: 4, Completion: 4, PromptTime: 69226724, OutputTime: 68626378}}},
		{"/api/generate", "unload", loci.Chunk{Finish: loci.FinishStop}},
	}
	for _, tt := range tests {
		t.Run(tt.path+" "+tt.note, func(t *testing.T) {
			e := wiretest.Recorded(t, tt.path, tt.note)
			got, err := read(strings.NewReader(e.Response))
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("(-want +got):\n%serror %v", diff, err)
			}
		})
	}
}

func TestDecodeErrorRecorded(t *testing.T) {
	want := map[string]loci.Code{
		"unknown model": loci.NotFound, "model without tools": loci.Refused, "think on a model that cannot": loci.Refused,
		"bad keep_alive": loci.Refused, "no model": loci.Refused,
	}
	seen := 0
	for _, e := range wiretest.Recordings(t) {
		if e.Status == 200 {
			continue
		}
		seen++
		var body struct{ Error string }
		if err := json.Unmarshal([]byte(e.Response), &body); err != nil {
			t.Fatal(err)
		}
		got := DecodeError(e.Status, []byte(e.Response))
		if got.Code != want[e.Note] || !strings.Contains(got.Message, body.Error) {
			t.Errorf("%s %s: %s, %q; want %s with %q", e.Path, e.Note, got.Code, got.Message, want[e.Note], body.Error)
		}
		if again := EncodeError(&loci.Error{Message: body.Error}); string(again) != e.Response {
			t.Errorf("EncodeError = %s, recorded %s", again, e.Response)
		}
	}
	if seen < 6 {
		t.Errorf("only %d recorded errors", seen)
	}
}

func TestDecodeStream(t *testing.T) {
	const end = `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}`
	tests := []struct {
		name, in string
		want     loci.Chunk
	}{
		{"last line without newline", `{"message":{"content":"Hi"}}` + "\n" + end, loci.Chunk{Text: "Hi", Finish: loci.FinishStop}},
		{"blank lines, carriage returns", "\n{\"message\":{\"content\":\"Hi\"}}\r\n\r\n" + end + "\r\n", loci.Chunk{Text: "Hi", Finish: loci.FinishStop}},
		{"thinking", `{"message":{"thinking":"a","content":""}}` + "\n" + `{"message":{"thinking":"b","content":"Hi"}}` + "\n" + end, loci.Chunk{Text: "Hi", Reasoning: "ab", Finish: loci.FinishStop}},
		{"generate, thinking", `{"response":"","thinking":"a"}` + "\n" + `{"response":"Hi","done":true,"done_reason":"stop"}`, loci.Chunk{Text: "Hi", Reasoning: "a", Finish: loci.FinishStop}},
		{"what follows done", end + "\n" + `{"error":"late"}`, loci.Chunk{Finish: loci.FinishStop}},
		{"calls", `{"message":{"content":"","tool_calls":[{"id":"c1","function":{"index":0,"name":"f","arguments":{"x": 1}}}]}}` + "\n" +
			`{"message":{"tool_calls":[{"id":"c2","function":{"name":"g","arguments":{}}},{"id":"c3","function":{"name":"h","arguments":"{\"y\":2}"}},{"id":"c4","function":{"name":"i"}}]}}` + "\n" + end,
			loci.Chunk{Finish: loci.FinishTools, ToolCalls: []loci.ToolCall{newCall("c1", "f", `{"x":1}`), newCall("c2", "g", `{}`), newCall("c3", "h", `{"y":2}`), newCall("c4", "i", `{}`)}}},
		{"calls at the length limit", `{"message":{"tool_calls":[{"id":"c1","function":{"name":"f","arguments":{}}}]},"done":true,"done_reason":"length"}`,
			loci.Chunk{Finish: loci.FinishLength, ToolCalls: []loci.ToolCall{newCall("c1", "f", `{}`)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(strings.NewReader(tt.in))
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("(-want +got):\n%serror %v", diff, err)
			}
		})
	}
	got, err := read(strings.NewReader(`{"message":{"tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":true}`))
	if err != nil || len(got.ToolCalls) != 1 || !strings.HasPrefix(got.ToolCalls[0].ID, loci.CallPrefix) {
		t.Errorf("a call without an id: %+v, %v", got, err)
	}
}

func TestDecodeStreamErrors(t *testing.T) {
	const half = `{"message":{"content":"Half a"}}` + "\n" + `{"message":{"content":" sen"}}` + "\n"
	tests := []struct {
		name, in string
		code     loci.Code
		says     string
	}{
		{"error line", half + `{"error":"runner stopped"}`, loci.Unreachable, "runner stopped"},
		{"context", `{"error":"the input length exceeds the context length"}`, loci.Context, "exceeds"},
		{"status in the line", half + `{"error":"busy","status_code":429}`, loci.Overloaded, "busy"},
		{"closed half-way", half, loci.Truncated, "half-way"},
		{"closed at once", "", loci.Truncated, "half-way"},
		{"cut line", half + `{"message":{"content":"t`, loci.Truncated, "not part of a reply"},
		{"call before the end", `{"message":{"tool_calls":[{"function":{"name":"f","arguments":{}}}]}}`, loci.Truncated, "half-way"},
		{"html", "<html>", loci.Truncated, "not part of a reply"},
		{"a list", "[]", loci.Truncated, "not part of a reply"},
		{"too many calls", `{"message":{"tool_calls":[{}` + strings.Repeat(`,{}`, 200) + `]},"done":true}`, loci.Truncated, "more tools at once"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(strings.NewReader(tt.in))
			if code(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v (%s), want %s: %s", err, code(err), tt.code, tt.says)
			}
			if got.Finish != "" || got.ToolCalls != nil {
				t.Errorf("yielded %+v before the error", got)
			}
		})
	}
	reset := errors.New("connection reset by peer")
	if _, err := read(io.MultiReader(strings.NewReader(half), iotest.ErrReader(reset))); code(err) != loci.Truncated || !errors.Is(err, reset) {
		t.Errorf("reset half-way: %v", err)
	}
	if _, err := read(strings.NewReader(`{"message":{"content":"Hi"}}`)); code(err) != loci.Truncated {
		t.Errorf("a whole reply that is not done: %v", err)
	}
}

// A reply that was cut anywhere must never look complete, and how it is cut
// into reads must not matter.
func TestDecodeStreamCutAndSplit(t *testing.T) {
	const text = "Снег, 雪, 🐢"
	in := `{"message":{"role":"assistant","content":"` + text + `"},"done":false}` + "\n" +
		`{"message":{"content":"","tool_calls":[{"id":"c1","function":{"name":"write","arguments":{"p":"` + text + `"}}}]},"done":false}` + "\n" +
		`{"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":1}` + "\n"
	want := loci.Chunk{Text: text, Finish: loci.FinishTools, ToolCalls: []loci.ToolCall{newCall("c1", "write", `{"p":"`+text+`"}`)}, Usage: &loci.Usage{Prompt: 3, Completion: 1}}
	for at := range len(in) {
		got, err := read(strings.NewReader(in[:at]))
		if whole := at >= len(in)-1; !whole && (code(err) != loci.Truncated || got.Finish != "" || got.ToolCalls != nil) {
			t.Fatalf("cut at %d of %d: %+v, %v", at, len(in), got, err)
		}
		got, err = read(io.MultiReader(strings.NewReader(in[:at]), strings.NewReader(in[at:])))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("split at %d (-want +got):\n%serror %v", at, diff, err)
		}
	}
	got, err := read(iotest.OneByteReader(strings.NewReader(in)))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("byte by byte (-want +got):\n%serror %v", diff, err)
	}
}

// A reply with calls, to the byte, but for its times.
func TestCallsBytes(t *testing.T) {
	calls := []loci.ToolCall{newCall("call_a", "add_note", `{"text": "<\"雪\">"}`), newCall("call_b", "list", ``)}
	varies := regexp.MustCompile(`("created_at":")[^"]*|,"total_duration":\d+`)
	fixed := func(b []byte) string { return string(varies.ReplaceAll(b, []byte("$1"))) }
	const head, a, b = `{"model":"m","created_at":"","message":{"role":"assistant","content":""`,
		`{"id":"call_a","function":{"index":0,"name":"add_note","arguments":{"text":"<\"雪\">"}}}`, `{"id":"call_b","function":{"index":1,"name":"list","arguments":{}}}`
	var w bytes.Buffer
	s := NewStream(&w, "m")
	if err := errors.Join(s.ToolCalls(calls[:1]), s.ToolCalls(calls[1:]), s.Finish(loci.FinishTools, loci.Usage{})); err != nil {
		t.Fatal(err)
	}
	want := head + `,"tool_calls":[` + a + `]},"done":false}` + "\n" + head + `,"tool_calls":[` + b + `]},"done":false}` + "\n" + head + `},"done":true,"done_reason":"stop"}` + "\n"
	if diff := cmp.Diff(want, fixed(w.Bytes())); diff != "" {
		t.Errorf("stream (-want +got):\n%s", diff)
	}
	want = head + `,"tool_calls":[` + a + `,` + b + `]},"done":true,"done_reason":"stop"}`
	if diff := cmp.Diff(want, fixed(EncodeReply("m", loci.Chunk{ToolCalls: calls, Finish: loci.FinishTools}, time.Now()))); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

func TestModelsRecorded(t *testing.T) {
	e := wiretest.Recorded(t, "/api/tags", "")
	models, err := DecodeTags([]byte(e.Response))
	if err != nil || len(models) != 2 {
		t.Fatalf("%v, %v", models, err)
	}
	want := loci.ModelInfo{
		ID: "smollm2:latest", Size: 98363007, Digest: "de0e76a1e00a5d9f3bff812063f48f10219e4df3fa79298d96304e535f172996",
		Format: "gguf", Family: "llama", Parameters: "134.52M", Quantization: "Q4_1",
		Modified: loci.Time{Time: time.Date(2026, 11, 30, 2, 28, 0, 400388041, time.UTC)},
	}
	if diff := cmp.Diff(want, models[1]); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	same(t, "tags", e.Response, EncodeTags(models))

	e = wiretest.Recorded(t, "/api/ps", "one loaded")
	running, err := DecodePs([]byte(e.Response))
	if err != nil || len(running) != 1 || running[0].Window != 4096 || running[0].Model.ID != "smollm2:latest" || running[0].Expires.IsZero() {
		t.Fatalf("ps: %+v, %v", running, err)
	}
	same(t, "ps", e.Response, EncodePs(running))
	same(t, "empty ps", wiretest.Recorded(t, "/api/ps", "nothing loaded").Response, EncodePs(nil))

	e = wiretest.Recorded(t, "/api/version", "")
	if v := string(EncodeVersion("0.0.0")); v != e.Response {
		t.Errorf("version %s, recorded %s", v, e.Response)
	}
	for name, decode := range map[string]func() error{
		"tags": func() error { _, err := DecodeTags([]byte("<html>")); return err },
		"ps":   func() error { _, err := DecodePs([]byte("[]")); return err },
		"show": func() error { _, err := DecodeShow([]byte("")); return err },
	} {
		if err := decode(); code(err) != loci.Unreachable {
			t.Errorf("%s of something else: %v", name, err)
		}
	}
}

// same compares two JSON texts, but for fractions of a second.
func same(t *testing.T, what, recorded string, ours []byte) {
	t.Helper()
	short := func(v any) any {
		s, ok := v.(string)
		if when, err := time.Parse(time.RFC3339Nano, s); ok && err == nil {
			return when.Truncate(time.Millisecond).Format(time.RFC3339Nano)
		}
		return v
	}
	var a, b any
	if err := errors.Join(json.Unmarshal([]byte(recorded), &a), json.Unmarshal(ours, &b)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, b, cmp.FilterValues(func(x, y any) bool { _, ok := x.(string); return ok }, cmp.Comparer(func(x, y any) bool { return short(x) == short(y) }))); diff != "" {
		t.Errorf("%s (-recorded +ours):\n%s", what, diff)
	}
}

func TestShow(t *testing.T) {
	s, err := DecodeShow([]byte(wiretest.Recorded(t, "/api/show", "").Response))
	if err != nil || s.architecture() != "llama" || s.Window() != 8192 || s.Params() != 134515008 ||
		s.Details.Family != "llama" || !cmp.Equal(s.Capabilities, []string{"completion"}) || !strings.Contains(s.Template, "im_start") {
		t.Errorf("recorded: %+v, %v", s, err)
	}
	info := loci.ModelInfo{ID: "m", Family: "qwen2", Format: "gguf", Parameters: "7.6B", Quantization: "Q4_K_M"}
	back, err := DecodeShow(EncodeShow(NewShow(info, 32768, 7_600_000_000, "completion", "tools")))
	if err != nil || back.Window() != 32768 || back.Params() != 7_600_000_000 || back.architecture() != "qwen2" || len(back.Capabilities) != 2 {
		t.Errorf("round trip: %+v, %v", back, err)
	}
	unknown := EncodeShow(NewShow(loci.ModelInfo{ID: "m"}, 0, 0))
	for _, want := range []string{`"model_info":{`, `"capabilities":[]`, `"general.architecture":"unknown"`, `"families":[]`, `"general.basename":"m"`} {
		if !strings.Contains(string(unknown), want) {
			t.Errorf("a model that nothing is known of lacks %s: %s", want, unknown)
		}
	}
	if strings.Contains(string(unknown), "context_length") || strings.Contains(string(unknown), "null") {
		t.Errorf("unknown values are sent: %s", unknown)
	}
	if s := (Show{}); s.Window() != 0 || s.Params() != 0 || s.architecture() != "" {
		t.Error("an empty description is not unknown")
	}
}

func FuzzDecodeStream(f *testing.F) {
	f.Add(`{"message":{"content":"Hi"}}` + "\n" + `{"done":true,"done_reason":"stop","eval_count":1}`)
	f.Add(`{"message":{"tool_calls":[{"function":{"name":"f","arguments":"{'a':1}"}}]},"done":true}`)
	f.Add(`{"error":"x"}`)
	f.Fuzz(func(t *testing.T, in string) {
		got, err := read(strings.NewReader(in))
		if (err == nil) != (got.Finish != "") {
			t.Fatalf("%+v, %v: a reply is complete or an error", got, err)
		}
		for _, c := range got.ToolCalls {
			if !json.Valid(c.Arguments) || c.ID == "" {
				t.Fatalf("call %+v", c)
			}
		}
	})
}
