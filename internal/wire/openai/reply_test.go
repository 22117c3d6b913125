package openai

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/wire/wiretest"
)

// read reads a stream to its end.
func read(r io.Reader) (loci.Chunk, error) { return wiretest.Collect(DecodeStream(r, nil)) }

func code(err error) loci.Code {
	if err == nil {
		return ""
	}
	return loci.AsError(err).Code
}

// sse makes a stream of these data lines.
func sse(data ...string) string {
	var s strings.Builder
	for _, d := range data {
		s.WriteString("data: " + d + "\n\n")
	}
	return s.String()
}

func deltaOf(members string) string {
	return `{"choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`
}

func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

func calls(list string) string { return deltaOf(`"tool_calls":[` + list + `]`) }

const done = "[DONE]"

func newCall(id, name, args string) loci.ToolCall {
	return loci.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}

func TestDecodeStreamRecorded(t *testing.T) {
	e := wiretest.Recorded(t, "/v1/chat/completions", "OpenAI door, stream")
	got, err := read(strings.NewReader(e.Response))
	want := loci.Chunk{Text: "Hello there, welcome to my", Finish: loci.FinishLength, Usage: &loci.Usage{Prompt: 19, Completion: 6}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%serror %v", diff, err)
	}
}

func TestDecodeStreamText(t *testing.T) {
	stop := loci.Chunk{Text: "Hi", Finish: loci.FinishStop}
	cached := 30
	tests := []struct {
		name, in string
		want     loci.Chunk
	}{
		{"plain", sse(deltaOf(`"role":"assistant","content":""`), deltaOf(`"content":"H"`), deltaOf(`"content":"i"`), finish("stop"), done), stop},
		{"no DONE", sse(deltaOf(`"content":"Hi"`), finish("stop")), stop},
		{"no blank line at the end", strings.TrimRight(sse(deltaOf(`"content":"Hi"`), finish("stop")), "\n"), stop},
		{"finish together with text", sse(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, done), stop},
		{"null content, pings, comments", ": ping\n\n" + sse("ping", deltaOf(`"content":null`), deltaOf(`"content":"Hi"`), finish("eos"), done), stop},
		{"empty finish_reason", sse(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":""}]}`, finish("stop"), done), stop},
		{"content in parts", sse(deltaOf(`"content":[{"type":"text","text":"H"},{"type":"text","text":"i"}]`), finish("stop"), done), stop},
		{"legacy completion", sse(`{"choices":[{"text":"Hi","finish_reason":null}]}`, `{"choices":[{"text":"","finish_reason":"stop"}]}`, done), stop},
		{"other choices", sse(`{"choices":[{"index":0,"delta":{"content":"Hi"}},{"index":1,"delta":{"content":"no"}}]}`, finish("stop"), done), stop},
		{"reasoning by three names", sse(deltaOf(`"reasoning_content":"a","reasoning":"a"`), deltaOf(`"reasoning":"b"`), deltaOf(`"thinking":"c"`), deltaOf(`"content":"Hi"`), finish("stop"), done),
			loci.Chunk{Text: "Hi", Reasoning: "abc", Finish: loci.FinishStop}},
		{"usage after the finish", sse(deltaOf(`"content":"Hi"`), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":30}}}`, done),
			loci.Chunk{Text: "Hi", Finish: loci.FinishStop, Usage: &loci.Usage{Prompt: 40, Completion: 2, Cached: &cached}}},
		{"llama-server timings", sse(deltaOf(`"content":"Hi"`), `{"choices":[{"delta":{},"finish_reason":"stop"}],"timings":{"cache_n":30,"prompt_n":10,"prompt_ms":12.5,"predicted_n":2,"predicted_ms":20}}`, done),
			loci.Chunk{Text: "Hi", Finish: loci.FinishStop, Usage: &loci.Usage{Prompt: 40, Completion: 2, Cached: &cached, PromptTime: 12500 * time.Microsecond, OutputTime: 20 * time.Millisecond}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(strings.NewReader(tt.in))
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("(-want +got):\n%serror %v", diff, err)
			}
		})
	}
}

func TestDecodeStreamCalls(t *testing.T) {
	const a, b = `{"index":0,"id":"call_a","function":{"name":"write","arguments":"{\"p\":\"a\"}"}}`, `{"index":0,"id":"call_b","function":{"name":"write","arguments":"{\"p\":\"b\"}"}}`
	noIndex := strings.NewReplacer(`"index":0,`, "")
	noID := strings.NewReplacer(`"id":"call_a",`, "", `"id":"call_b",`, "")
	both := []loci.ToolCall{newCall("call_a", "write", `{"p":"a"}`), newCall("call_b", "write", `{"p":"b"}`)}
	one := []loci.ToolCall{newCall("call_a", "write", `{"p":"a"}`)}
	anonymous := []loci.ToolCall{newCall("", "write", `{"p":"a"}`), newCall("", "write", `{"p":"b"}`)}
	tests := []struct {
		name   string
		deltas []string
		want   []loci.ToolCall
	}{
		{"one index, two ids", []string{calls(a), calls(b)}, both},
		{"one index, two ids, one chunk", []string{calls(a + "," + b)}, both},
		{"no index", []string{noIndex.Replace(calls(a)), noIndex.Replace(calls(b))}, both},
		{"no id", []string{noID.Replace(calls(a)), noID.Replace(calls(b))}, anonymous},
		{"neither", []string{noID.Replace(noIndex.Replace(calls(a))), noID.Replace(noIndex.Replace(calls(b)))}, anonymous},
		{"in pieces", []string{
			calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":""}}`),
			calls(`{"index":0,"function":{"arguments":"{\"p\":"}}`), calls(`{"index":0,"function":{"arguments":"\"a\"}"}}`)}, one},
		{"in pieces without index", []string{
			calls(`{"id":"call_a","function":{"name":"write","arguments":"{\"p\":"}}`), calls(`{"function":{"arguments":"\"a\"}"}}`)}, one},
		{"pieces repeat id and name", []string{
			calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":"{\"p\":"}}`),
			calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":"\"a\"}"}}`)}, one},
		{"pieces of two calls mixed", []string{
			calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":"{\"p\":"}},{"index":1,"id":"call_b","function":{"name":"write","arguments":"{\"p\""}}`),
			calls(`{"index":1,"function":{"arguments":":\"b\"}"}},{"index":0,"function":{"arguments":"\"a\"}"}}`)}, both},
		{"pieces of two calls mixed, no index", []string{
			calls(`{"id":"call_a","function":{"name":"write","arguments":"{\"p\":"}},{"id":"call_b","function":{"name":"write","arguments":"{\"p\""}}`),
			calls(`{"id":"call_b","function":{"arguments":":\"b\"}"}},{"id":"call_a","function":{"arguments":"\"a\"}"}}`)}, both},
		{"empty arguments", []string{calls(`{"index":0,"id":"call_a","function":{"name":"info","arguments":""}}`)}, []loci.ToolCall{newCall("call_a", "info", `{}`)}},
		{"null arguments", []string{calls(`{"index":0,"id":"call_a","function":{"name":"info","arguments":null}}`)}, []loci.ToolCall{newCall("call_a", "info", `{}`)}},
		{"no arguments", []string{calls(`{"index":0,"id":"call_a","function":{"name":"info"}}`)}, []loci.ToolCall{newCall("call_a", "info", `{}`)}},
		{"arguments as an object", []string{calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":{"p": "a"}}}`)}, one},
		{"two without arguments", []string{calls(`{"index":0,"id":"call_a","function":{"name":"info","arguments":""}},{"index":0,"id":"call_b","function":{"name":"time"}}`)},
			[]loci.ToolCall{newCall("call_a", "info", `{}`), newCall("call_b", "time", `{}`)}},
		{"name in pieces", []string{
			calls(`{"index":0,"id":"call_a","function":{"name":"wr"}}`), calls(`{"index":0,"function":{"name":"ite"}}`),
			calls(`{"index":0,"function":{"arguments":"{\"p\":\"a\"}"}}`)}, one},
		{"name in pieces, id again", []string{
			calls(`{"index":0,"id":"call_a","function":{"name":"wr","arguments":""}}`), calls(`{"index":0,"id":"call_a","function":{"name":"ite","arguments":""}}`),
			calls(`{"index":0,"id":"call_a","function":{"name":"","arguments":"{\"p\":\"a\"}"}}`)}, one},
		{"name again in each piece, no id after the first", []string{
			calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":""}}`), calls(`{"index":0,"function":{"name":"write","arguments":"{\"p\":"}}`),
			calls(`{"index":0,"function":{"name":"write","arguments":"\"a\"}"}}`)}, one},
		{"name first, arguments last", []string{
			calls(`{"index":0,"id":"call_a","function":{"name":"write"}}`), calls(`{"index":0,"id":null,"function":{"name":null,"arguments":null}}`),
			deltaOf(`"content":""`), calls(`{"index":0,"function":{"arguments":{"p":"a"}}}`)}, one},
		{"one id for two calls", []string{calls(a), strings.Replace(calls(b), "call_b", "call_a", 1)},
			[]loci.ToolCall{newCall("call_a", "write", `{"p":"a"}`), newCall("call_a", "write", `{"p":"b"}`)}},
		{"an empty object first", []string{
			calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":"{}"}}`), calls(`{"index":0,"function":{"arguments":"{\"p\":\"a\"}"}}`)}, one},
		{"the whole call again at the end", []string{calls(a), `{"choices":[{"index":0,"delta":{},"message":{"tool_calls":[` + a + `]}}]}`}, one},
		{"a number as id", []string{strings.Replace(calls(a), `"call_a"`, "7", 1)}, []loci.ToolCall{newCall("7", "write", `{"p":"a"}`)}},
		{"encoded twice", []string{calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":"\"{\\\"p\\\":\\\"a\\\"}\""}}`)},
			[]loci.ToolCall{newCall("call_a", "write", `"{\"p\":\"a\"}"`)}},
		{"legacy", []string{deltaOf(`"function_call":{"name":"write","arguments":""}`), deltaOf(`"function_call":{"arguments":"{\"p\":"}`), deltaOf(`"function_call":{"arguments":"\"a\"}"}`)},
			[]loci.ToolCall{newCall("", "write", `{"p":"a"}`)}},
		{"legacy beside the new form", []string{deltaOf(`"function_call":{"name":"write","arguments":"{}"},"tool_calls":[` + a + `]`)}, one},
		{"sloppy arguments", []string{calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":"{'p': 'a',}"}}`)},
			[]loci.ToolCall{newCall("call_a", "write", `"{'p': 'a',}"`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// A server may call it "stop" all the same.
			for _, reason := range []string{"tool_calls", "stop"} {
				in := sse(append(tt.deltas, finish(reason), done)...)
				got, err := read(strings.NewReader(in))
				if err != nil || got.Finish != loci.FinishTools {
					t.Fatalf("finish %q, error %v", got.Finish, err)
				}
				for i, c := range got.ToolCalls {
					if c.ID == "" {
						t.Errorf("call %d has no id", i)
					}
					if i < len(tt.want) && tt.want[i].ID == "" {
						got.ToolCalls[i].ID = ""
					}
				}
				if diff := cmp.Diff(tt.want, got.ToolCalls); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestDecodeStreamCutCalls(t *testing.T) {
	cut := func(args string) string {
		b, _ := json.Marshal(args)
		return calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":` + string(b) + `}}`)
	}
	const whole = `{"index":0,"id":"call_0","function":{"name":"read","arguments":"{}"}}`
	for _, args := range []string{`{"path":"report.md","content":"# Report\n\n## Part 1\nSome te`, `{"commands":["tar czf b.tgz data","rm -r data"`} {
		got, err := read(strings.NewReader(sse(cut(args), finish("length"), done)))
		if err != nil || got.Finish != loci.FinishLength || got.ToolCalls != nil {
			t.Errorf("at the length limit: %+v, %v; want no call", got, err)
		}
		got, err = read(strings.NewReader(sse(cut(args), finish("stop"), done)))
		if err != nil || got.Finish != loci.FinishLength || got.Cut != "write" || got.ToolCalls != nil {
			t.Errorf("a server that says stop: %+v, %v; want no call, and that it was cut", got, err)
		}
	}
	for _, args := range []string{"", "12"} {
		got, err := read(strings.NewReader(sse(cut(args), finish("length"), done)))
		if err != nil || got.ToolCalls != nil {
			t.Errorf("arguments %q at the length limit: %+v, %v; want no call", args, got, err)
		}
	}
	got, err := read(strings.NewReader(sse(calls(whole), strings.Replace(cut(`{"path`), `"index":0,"id"`, `"index":1,"id"`, 1), finish("length"), done)))
	if err != nil || len(got.ToolCalls) != 1 || got.ToolCalls[0].ID != "call_0" {
		t.Errorf("a whole call before the cut one: %+v, %v", got, err)
	}
}

func TestDecodeStreamErrors(t *testing.T) {
	half := sse(deltaOf(`"content":"Half a"`), deltaOf(`"content":" sen"`))
	tests := []struct {
		name, in string
		code     loci.Code
		says     string
	}{
		{"error object", sse(`{"error":{"code":500,"message":"template could not be rendered"}}`, done), loci.Unreachable, "template could not be rendered"},
		{"error line", "error: {\"code\":400,\"message\":\"prompt larger than the context\"}\n\n" + sse(done), loci.Context, "prompt larger than the context"},
		{"error after text", half + sse(`{"error":"runner stopped"}`, done), loci.Unreachable, "runner stopped"},
		{"error event", half + "event: error\ndata: {\"error\":{\"message\":\"boom\"}}\n\n", loci.Unreachable, "boom"},
		{"bare JSON", `{"error":{"message":"no such thing","code":404}}`, loci.NotFound, "no such thing"},
		{"closed half-way", half, loci.Truncated, "half-way"},
		{"closed at once", "", loci.Truncated, "half-way"},
		{"DONE without a reason", half + sse(done), loci.Truncated, "half-way"},
		{"aborted", half + sse(finish("abort"), done), loci.Truncated, "half-way"},
		{"filtered", half + sse(finish("content_filter"), done), loci.Refused, "filter"},
		{"broken chunk", half + sse(`{"choices":[{"delta":{"content":"x`, finish("stop"), done), loci.Truncated, "not part of a reply"},
		{"nothing but pings", strings.Repeat("data: ping\n\n", 20), loci.Truncated, "not part of a reply"},
		{"html", "<html>\n<body>hello</body>\n</html>\n", loci.Truncated, "half-way"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(strings.NewReader(tt.in))
			if code(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %q (%s), want %s: %s", err, code(err), tt.code, tt.says)
			}
			if got.Finish != "" || got.ToolCalls != nil {
				t.Errorf("yielded %+v before the error", got)
			}
		})
	}
}

func TestDecodeStreamConnectionErrors(t *testing.T) {
	reset := errors.New("connection reset by peer")
	broken := func(s string, err error) io.Reader {
		return io.MultiReader(strings.NewReader(s), iotest.ErrReader(err))
	}
	got, err := read(broken(sse(deltaOf(`"content":"Hi"`)), reset))
	if code(err) != loci.Truncated || !errors.Is(err, reset) || got.Text != "Hi" {
		t.Errorf("reset half-way: %+v, %v", got, err)
	}
	if got, err = read(broken(sse(deltaOf(`"content":"Hi"`), finish("stop")), reset)); err != nil || got.Finish != loci.FinishStop {
		t.Errorf("reset after the end: %+v, %v", got, err)
	}
	for _, after := range []string{"{", `{"choices":[{"delta":{"content":7}}]}`, `{"error":"too late"}`} {
		got, err = read(strings.NewReader(sse(deltaOf(`"content":"Hi"`), finish("stop"), after, done)))
		if err != nil || got.Finish != loci.FinishStop || got.Text != "Hi" {
			t.Errorf("%s after the end: %+v, %v", after, got, err)
		}
	}
	idle := loci.Errorf(loci.Timeout, "The model server went silent.")
	if _, err = read(broken(sse(deltaOf(`"content":"Hi"`)), idle)); !errors.Is(err, error(idle)) {
		t.Errorf("an error fit to be shown came back as %v", err)
	}
}

// Finished is called once, before anything that comes after the reason is read.
func TestDecodeStreamFinished(t *testing.T) {
	var events []string
	told := 0
	r := iotest.OneByteReader(strings.NewReader(sse(deltaOf(`"content":"Hi"`), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":3}}`, finish("stop"), done)))
	for c, err := range DecodeStream(r, func() { told++; events = append(events, "finished") }) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, c.Text+string(c.Finish))
	}
	if diff := cmp.Diff([]string{"Hi", "finished", "stop"}, events); diff != "" || told != 1 {
		t.Error(diff)
	}
	for range DecodeStream(strings.NewReader(sse(deltaOf(`"content":"Hi"`), done)), func() { t.Error("a reply without a reason is finished") }) {
	}
}

// A reply that was cut anywhere must never look complete.
func TestDecodeStreamCutAnywhere(t *testing.T) {
	in := sse(deltaOf(`"role":"assistant","content":"Снег"`), calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":"{\"p\":"}}`),
		calls(`{"index":0,"function":{"arguments":"\"雪 🐢\"}"}}`), finish("tool_calls"), `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}`, done)
	last := strings.Index(in, `"tool_calls"}]}`) + len(`"tool_calls"}]}`) // here the reply is complete
	for at := range len(in) {
		got, err := read(strings.NewReader(in[:at]))
		if at < last && (err == nil || got.ToolCalls != nil || got.Finish != "") {
			t.Fatalf("cut at %d of %d: %+v, %v", at, len(in), got, err)
		}
		// After that only the usage can be missing, or be half there.
		if at >= last && (err != nil || len(got.ToolCalls) != 1) {
			t.Fatalf("cut at %d of %d: %v", at, len(in), err)
		}
		if strings.Contains(got.Text, "\ufffd") {
			t.Fatalf("cut at %d: text %q", at, got.Text)
		}
	}
}

func TestDecodeStreamSplitAnywhere(t *testing.T) {
	const text = "Снег, 雪, 🐢"
	in := sse(deltaOf(`"content":"`+text+`"`), calls(`{"index":0,"id":"call_a","function":{"name":"write","arguments":"{\"p\":\"`+text+`\"}"}}`), finish("tool_calls"), done)
	want := loci.Chunk{Text: text, Finish: loci.FinishTools, ToolCalls: []loci.ToolCall{newCall("call_a", "write", `{"p":"`+text+`"}`)}}
	readers := []io.Reader{iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))}
	for at := range len(in) {
		readers = append(readers, io.MultiReader(strings.NewReader(in[:at]), strings.NewReader(in[at:])))
	}
	for i, r := range readers {
		got, err := read(r)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("reader %d (-want +got):\n%serror %v", i, diff, err)
		}
	}
}

func TestDecodeStreamLongArguments(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	got, err := read(strings.NewReader(sse(calls(`{"index":0,"id":"a","function":{"name":"write","arguments":"{\"content\":\"`+long+`\"}"}}`), finish("tool_calls"), done)))
	if err != nil || len(got.ToolCalls) != 1 || len(got.ToolCalls[0].Arguments) != len(long)+len(`{"content":""}`) {
		t.Errorf("3 MiB of arguments: %d calls, %v", len(got.ToolCalls), err)
	}
	var many strings.Builder
	for range 1000 {
		many.WriteString(sse(calls(`{"function":{"name":"info","arguments":"{}"}}`)))
	}
	if _, err = read(strings.NewReader(many.String())); code(err) != loci.Truncated || !strings.Contains(err.Error(), "more tools") {
		t.Errorf("a thousand calls: %v", err)
	}
}

func TestDecodeReply(t *testing.T) {
	e := wiretest.Recorded(t, "/v1/chat/completions", "OpenAI door")
	got, err := DecodeReply([]byte(e.Response))
	want := loci.Chunk{Text: "Hello there, welcome to my", Finish: loci.FinishLength, Usage: &loci.Usage{Prompt: 19, Completion: 6}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("recorded (-want +got):\n%serror %v", diff, err)
	}
	got, err = DecodeReply([]byte(`{"choices":[{"message":{"content":null,"reasoning":"hm","tool_calls":[{"id":"a","function":{"name":"info","arguments":""}}]}}]}`))
	want = loci.Chunk{Reasoning: "hm", Finish: loci.FinishTools, ToolCalls: []loci.ToolCall{newCall("a", "info", "{}")}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("calls (-want +got):\n%serror %v", diff, err)
	}
	got, err = DecodeReply([]byte(`{"choices":[{"message":{"tool_calls":[{"function":{"name":"x","arguments":"{\"a"}}]},"finish_reason":"stop"}]}`))
	want = loci.Chunk{Finish: loci.FinishLength, Cut: "x"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("a cut call (-want +got):\n%serror %v", diff, err)
	}
	for in, want := range map[string]loci.Code{
		`{"error":{"message":"bad","code":400}}`: loci.Refused,
		`{"choices":[]}`:                         loci.Truncated,
		`{"choices":[{"mess`:                     loci.Truncated,
		`[]`:                                     loci.Truncated,
	} {
		if got, err := DecodeReply([]byte(in)); code(err) != want {
			t.Errorf("DecodeReply(%s) = %+v, %v; want code %s", in, got, err, want)
		}
	}
}

func TestDecodeErrorRecorded(t *testing.T) {
	e := wiretest.Recorded(t, "/v1/chat/completions", "model without tools, OpenAI door")
	got := DecodeError(e.Status, []byte(e.Response))
	if got.Code != loci.Refused || !strings.Contains(got.Message, "smollm2:latest does not support tools") {
		t.Errorf("got %s: %s", got.Code, got.Message)
	}
}

func FuzzDecodeStream(f *testing.F) {
	f.Add(sse(deltaOf(`"content":"Hi"`), finish("stop"), done))
	f.Add(sse(calls(`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`), calls(`{"function":{"arguments":"}"}}`), finish("length")))
	f.Add("error: {}\n")
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

func BenchmarkDecodeStream(b *testing.B) {
	var s strings.Builder
	for range 1000 {
		s.WriteString(sse(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"tok "},"finish_reason":null}]}`))
	}
	s.WriteString(sse(finish("stop"), done))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read(strings.NewReader(s.String())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/token")
}
