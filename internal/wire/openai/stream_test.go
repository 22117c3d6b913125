package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/wire"
	"loci/internal/wire/wiretest"
)

// writes records each Write.
type writes []string

func (w *writes) Write(b []byte) (int, error) {
	*w = append(*w, string(b))
	return len(b), nil
}

// chunks reads back what a stream wrote, checking what all of it must have in
// common.
func chunks(t *testing.T, w writes) (list []map[string]any) {
	t.Helper()
	for _, one := range w {
		events := 0
		for e, err := range wire.Events(strings.NewReader(one), 1<<20) {
			if err != nil {
				t.Fatal(err)
			}
			events++
			if e.Data == done {
				continue
			}
			var c map[string]any
			if err := json.Unmarshal([]byte(e.Data), &c); err != nil {
				t.Fatalf("%s: %v", e.Data, err)
			}
			list = append(list, c)
		}
		if events != 1 && !strings.HasPrefix(one, ":") {
			t.Errorf("%d events in one write: %q", events, one)
		}
	}
	for _, c := range list {
		if _, ok := c["choices"].([]any); !ok && c["error"] == nil {
			t.Errorf("a chunk without a list of choices: %v", c)
		}
		if c["error"] == nil && (c["id"] != list[0]["id"] || c["created"] != list[0]["created"] || c["model"] != "m") {
			t.Errorf("a chunk that does not belong to the others: %v", c)
		}
	}
	return list
}

func check(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestStream(t *testing.T) {
	var w writes
	s := NewStream(&w, "m", true)
	check(t, s.KeepAlive(), s.Text("Снег\n\xff"), s.Reasoning("hm"),
		s.ToolCalls([]loci.ToolCall{newCall("a", "f", `{"x":1}`), newCall("b", "g", `"sloppy"`)}), s.ToolCalls([]loci.ToolCall{newCall("c", "h", `{}`)}),
		s.Finish(loci.FinishTools, loci.Usage{Prompt: 5, Completion: 2, Cached: new(3)}))

	if w[0] != ": keep-alive\n\n" || w[len(w)-1] != "data: [DONE]\n\n" {
		t.Errorf("first %q, last %q", w[0], w[len(w)-1])
	}
	var deltas []any
	for _, c := range chunks(t, w) {
		if c["object"] != "chat.completion.chunk" || !strings.HasPrefix(c["id"].(string), "chatcmpl-") {
			t.Errorf("chunk %v", c)
		}
		for _, choice := range c["choices"].([]any) {
			choice := choice.(map[string]any)
			deltas = append(deltas, choice["delta"], choice["finish_reason"])
		}
	}
	fn := func(index float64, id, name, args string) any {
		return map[string]any{"index": index, "id": id, "type": "function", "function": map[string]any{"name": name, "arguments": args}}
	}
	want := []any{
		map[string]any{"role": "assistant", "content": ""}, nil,
		map[string]any{"content": "Снег\n\ufffd"}, nil,
		map[string]any{"reasoning_content": "hm"}, nil,
		map[string]any{"tool_calls": []any{fn(0, "a", "f", `{"x":1}`)}}, nil,
		map[string]any{"tool_calls": []any{fn(1, "b", "g", `{}`)}}, nil,
		map[string]any{"tool_calls": []any{fn(2, "c", "h", `{}`)}}, nil,
		map[string]any{}, "tool_calls",
	}
	if diff := cmp.Diff(want, deltas); diff != "" {
		t.Errorf("deltas (-want +got):\n%s", diff)
	}
	all := chunks(t, w)
	usage := map[string]any{"prompt_tokens": 5.0, "completion_tokens": 2.0, "total_tokens": 7.0, "prompt_tokens_details": map[string]any{"cached_tokens": 3.0}}
	if diff := cmp.Diff(usage, all[len(all)-1]["usage"]); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

func TestStreamIsReadByOurClient(t *testing.T) {
	var b bytes.Buffer
	s := NewStream(&b, "m", true)
	check(t, s.Start(), s.Reasoning("hm"), s.Status("Reading …", false), s.Text("Hi "), s.KeepAlive(), s.Text("雪"),
		s.ToolCalls([]loci.ToolCall{newCall("a", "f", `{"x":1}`)}), s.Finish(loci.FinishTools, loci.Usage{Prompt: 5, Completion: 2, Cached: new(3)}))
	got, err := read(&b)
	want := loci.Chunk{Text: "Hi 雪", Reasoning: "hm", Finish: loci.FinishTools, ToolCalls: []loci.ToolCall{newCall("a", "f", `{"x":1}`)}, Usage: &loci.Usage{Prompt: 5, Completion: 2, Cached: new(3)}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
}

// A reply with calls, to the byte, but for its id and its time.
func TestCallsBytes(t *testing.T) {
	calls := []loci.ToolCall{newCall("call_a", "add_note", `{"text":"<\"雪\">","n":1}`), newCall("call_b", "list", ``)}
	varies := regexp.MustCompile(`("id":"chatcmpl-)[^"]*|("created":)\d+`)
	fixed := func(b []byte) string { return string(varies.ReplaceAll(b, []byte(`$1$2`))) }
	const head = `data: {"id":"chatcmpl-","object":"chat.completion.chunk","created":,"model":"m","choices":[{"index":0,"delta":{`
	want := head + `"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n" +
		head + `"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"add_note","arguments":"{\"text\":\"<\\\"雪\\\">\",\"n\":1}"}}]},"finish_reason":null}]}` + "\n\n" +
		head + `"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"list","arguments":"{}"}}]},"finish_reason":null}]}` + "\n\n" +
		head + `},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	for _, finish := range []loci.Finish{loci.FinishTools, loci.FinishStop, ""} {
		var b bytes.Buffer
		s := NewStream(&b, "m", false)
		check(t, s.ToolCalls(calls), s.Finish(finish, loci.Usage{}))
		if diff := cmp.Diff(want, fixed(b.Bytes())); diff != "" {
			t.Errorf("stream that ends with %q (-want +got):\n%s", finish, diff)
		}
		whole := `{"id":"chatcmpl-","object":"chat.completion","created":,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"","tool_calls":[` +
			`{"id":"call_a","type":"function","function":{"name":"add_note","arguments":"{\"text\":\"<\\\"雪\\\">\",\"n\":1}"}},` +
			`{"id":"call_b","type":"function","function":{"name":"list","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`
		if diff := cmp.Diff(whole, fixed(EncodeReply("m", loci.Chunk{ToolCalls: calls, Finish: finish}))); diff != "" {
			t.Errorf("reply that ends with %q (-want +got):\n%s", finish, diff)
		}
	}
	if got := string(EncodeReply("m", loci.Chunk{ToolCalls: calls, Finish: loci.FinishLength})); !strings.Contains(got, `"finish_reason":"length"`) {
		t.Errorf("cut at the length limit: %s", got)
	}
}

func TestStreamStatus(t *testing.T) {
	var w writes
	s := NewStream(&w, "m", false)
	check(t, s.Status("Reading notes…", false))
	all := chunks(t, w)
	want := map[string]any{"type": "status", "data": map[string]any{"description": "Reading notes…", "done": false}}
	if diff := cmp.Diff(want, all[1]["event"]); diff != "" || len(all[1]["choices"].([]any)) != 0 {
		t.Errorf("event (-want +got):\n%s%v", diff, all[1])
	}
}

func TestStreamError(t *testing.T) {
	var w writes
	s := NewStream(&w, "m", true)
	check(t, s.Text("Half"), s.Error(loci.Errorf(loci.Truncated, "It broke off.").WithHint("Try again.")))
	got, err := read(strings.NewReader(strings.Join(w, "")))
	if err == nil || !strings.Contains(err.Error(), "It broke off. Try again") || got.Text != "Half" {
		t.Errorf("read back: %+v, %v", got, err)
	}
	if w[len(w)-1] != "data: [DONE]\n\n" || strings.Contains(strings.Join(w, ""), `"finish_reason":"`) {
		t.Errorf("the stream ends as if it were whole: %q", w)
	}
}

func TestCompletionStream(t *testing.T) {
	var w writes
	s := NewCompletionStream(&w, "m", true)
	check(t, s.Start(), s.Reasoning("hm"), s.Text("4"), s.Text("2"), s.Finish(loci.FinishLength, loci.Usage{Prompt: 1, Completion: 2}))
	for _, c := range chunks(t, w) {
		if c["object"] != "text_completion" {
			t.Errorf("chunk %v", c)
		}
	}
	got, err := read(strings.NewReader(strings.Join(w, "")))
	want := loci.Chunk{Text: "42", Finish: loci.FinishLength, Usage: &loci.Usage{Prompt: 1, Completion: 2}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
}

func TestStreamWriteFails(t *testing.T) {
	r, pipe := io.Pipe()
	check(t, r.CloseWithError(io.ErrClosedPipe))
	s := NewStream(pipe, "m", true)
	for name, err := range map[string]error{
		"Text": s.Text("x"), "KeepAlive": s.KeepAlive(), "Finish": s.Finish(loci.FinishStop, loci.Usage{}), "Error": s.Error(&loci.Error{}),
	} {
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s after the client left: %v", name, err)
		}
	}
}

func TestEncodeReply(t *testing.T) {
	want := loci.Chunk{Text: "a <b>", Reasoning: "r", Finish: loci.FinishTools, ToolCalls: []loci.ToolCall{newCall("a", "f", `{"x":1}`), newCall("b", "g", `{}`)}, Usage: &loci.Usage{Prompt: 3, Completion: 1}}
	got, err := DecodeReply(EncodeReply("m", want))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("chat (-want +got):\n%serror %v", diff, err)
	}
	want = loci.Chunk{Text: "42", Finish: loci.FinishLength}
	got, err = DecodeReply(EncodeCompletionReply("m", want))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("completion (-want +got):\n%serror %v", diff, err)
	}
	// The members that the recorded server sends, and in that order.
	e := wiretest.Recorded(t, "/v1/chat/completions", "OpenAI door")
	names := func(body []byte) (list []string) {
		for m, err := range wire.Members(body) {
			if err != nil {
				t.Fatal(err)
			}
			if m.Name != "system_fingerprint" {
				list = append(list, m.Name)
			}
		}
		return list
	}
	ours := EncodeReply("m", loci.Chunk{Text: "x", Finish: loci.FinishStop, Usage: &loci.Usage{}})
	if diff := cmp.Diff(names([]byte(strings.TrimSpace(e.Response))), names(ours)); diff != "" {
		t.Errorf("members (-recorded +ours):\n%s", diff)
	}
}

func TestEncodeError(t *testing.T) {
	got := EncodeError(loci.Errorf(loci.Context, "Too \"long\".").WithHint("Shorten it."))
	want := `{"error":{"message":"Too \"long\". Shorten it.","type":"invalid_request_error","param":null,"code":"context_length_exceeded"}}`
	if string(got) != want {
		t.Errorf("got %s", got)
	}
	for c, want := range map[loci.Code]string{
		loci.Invalid: "invalid_request_error", loci.Unauthorized: "authentication_error", loci.Forbidden: "permission_error",
		loci.Overloaded: "rate_limit_error", loci.Unreachable: "server_error", loci.Internal: "server_error",
	} {
		if got := EncodeError(&loci.Error{Code: c}); !strings.Contains(string(got), `"type":"`+want+`"`) || !json.Valid(got) {
			t.Errorf("%s: %s", c, got)
		}
	}
}

func TestModels(t *testing.T) {
	when := time.Unix(1796008824, 0)
	in := []loci.ModelInfo{{ID: "a", Modified: loci.Time{Time: when}}, {ID: "b", Passthrough: true}}
	body := EncodeModels(in)
	want := `{"object":"list","data":[` +
		`{"id":"a","object":"model","created":1796008824,"owned_by":"loci","name":"a","info":{"meta":{"capabilities":{"builtin_tools":false,"usage":true}}}},` +
		`{"id":"b","object":"model","created":0,"owned_by":"loci","name":"b","info":{"meta":{"capabilities":{"usage":true}}}}]}`
	if string(body) != want {
		t.Errorf("got %s", body)
	}
	got, err := DecodeModels(body)
	if diff := cmp.Diff([]loci.ModelInfo{{ID: "a", Modified: loci.Time{Time: when}}, {ID: "b"}}, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
	if one := string(EncodeModel(in[1])); !strings.Contains(want, one) || !strings.HasPrefix(one, `{"id":"b"`) {
		t.Errorf("one model alone is %s", one)
	}
	if got := string(EncodeModels(nil)); got != `{"object":"list","data":[]}` {
		t.Errorf("an empty list is %s", got)
	}
	if got, err = DecodeModels([]byte(wiretest.Recorded(t, "/v1/models", "OpenAI door").Response)); err != nil || len(got) != 2 || got[1].ID != "smollm2:latest" {
		t.Errorf("recorded: %v, %v", got, err)
	}
	if got, err = DecodeModels([]byte(`[{"id":"x"},{"object":"model"}]`)); err != nil || len(got) != 1 {
		t.Errorf("a bare list: %v, %v", got, err)
	}
	if _, err = DecodeModels([]byte("<html>")); code(err) != loci.Unreachable {
		t.Errorf("no list at all: %v", err)
	}
}

func BenchmarkStreamText(b *testing.B) {
	s := NewStream(io.Discard, "some-model:latest", true)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Text(" token"); err != nil {
			b.Fatal(err)
		}
	}
}
