package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/fake"
)

// folder makes a folder with the files that the tests talk about.
func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "my files")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"notes.md": "# Plan\nBuy milk and bread.\n",
		"app.log":  "INFO start\nERROR disk\nERROR net\nINFO end\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// round is the script of list → read → search → answer.
func round(tier loci.Tier) []fake.Reply {
	if tier == loci.TierText {
		return []fake.Reply{
			{Text: "I will look.\n<tool>list_dir()</tool>"},
			{Text: `<tool>read_file(path="notes.md")</tool>`},
			{Text: `<tool>search_files(path="app.log", content="ERROR")</tool>`},
			{Text: "Buy milk; there were 2 errors."},
		}
	}
	return []fake.Reply{
		{Text: "I will look.", Calls: []loci.ToolCall{fake.Call("list_dir", `{}`)}},
		{Calls: []loci.ToolCall{fake.Call("read_file", `{"path":"notes.md"}`)}},
		{Calls: []loci.ToolCall{fake.Call("search_files", `{"path":"app.log","content":"ERROR"}`)}},
		{Text: "Buy milk; there were 2 errors."},
	}
}

// doors are the ways to ask; each gives the reply's text.
var doors = []struct {
	name string
	ask  func(t *testing.T, in *instance, question string) string
}{
	{"openai", func(t *testing.T, in *instance, q string) string {
		_, body := in.post("/v1/chat/completions", chat(q, false))
		var reply struct {
			Choices []struct {
				Message      struct{ Content string }
				FinishReason string `json:"finish_reason"`
			}
		}
		decode(t, body, &reply)
		if len(reply.Choices) != 1 || reply.Choices[0].FinishReason != "stop" {
			t.Fatalf("the reply is %s", body)
		}
		return reply.Choices[0].Message.Content
	}},
	{"openai stream", func(t *testing.T, in *instance, q string) string {
		_, body := in.post("/v1/chat/completions", chat(q, true))
		if !strings.HasSuffix(body, "data: [DONE]\n\n") {
			t.Errorf("the stream ends %q", tail(body, 120))
		}
		return openaiText(t, body)
	}},
	{"ollama", func(t *testing.T, in *instance, q string) string {
		_, body := in.post("/api/chat", chat(q, false))
		return ollamaText(t, body)
	}},
	{"ollama stream", func(t *testing.T, in *instance, q string) string {
		req := chat(q, true)
		delete(req, "stream") // streaming is Ollama's default
		_, body := in.post("/api/chat", req)
		return ollamaText(t, body)
	}},
	{"agent", func(t *testing.T, in *instance, q string) string {
		_, body := in.post("/api/agent/chat", map[string]any{"message": q, "stream": false})
		var reply struct {
			Session, Message string
			Steps            []struct{ Tool string }
		}
		decode(t, body, &reply)
		if !strings.HasPrefix(reply.Session, "ses_") {
			t.Errorf("the reply is %s", body)
		}
		return reply.Message
	}},
	{"agent stream", func(t *testing.T, in *instance, q string) string {
		_, body := in.post("/api/agent/chat", map[string]any{"message": q})
		var text string
		for line := range strings.SplitSeq(body, "\n") {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			var e struct {
				Type string
				Data struct{ Text string }
			}
			decode(t, data, &e)
			if e.Type == "message" {
				text = e.Data.Text
			}
		}
		if !strings.Contains(body, `"type":"turn.finished"`) {
			t.Errorf("the stream ends %q", tail(body, 120))
		}
		return text
	}},
	{"ask", func(t *testing.T, in *instance, q string) string {
		out, stderr, code := run(t, in.home, "", nil, "ask", q)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return out
	}},
	{"ask --json", func(t *testing.T, in *instance, q string) string {
		out, stderr, code := run(t, in.home, q, nil, "ask", "--json", "-")
		var reply struct {
			Message string
			Steps   []struct{ Tool string }
		}
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		decode(t, out, &reply)
		return reply.Message
	}},
}

// Every door gives the same answer, whichever protocol the backend speaks and
// whether its model has native tools; and no client ever sees a tool call.
func TestEveryDoor(t *testing.T) {
	dir := folder(t)
	for _, dialect := range []loci.Dialect{loci.OpenAI, loci.Ollama} {
		for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
			t.Run(fmt.Sprintf("%s backend, %s tier", dialect, tier), func(t *testing.T) {
				m := fake.NewModel()
				m.NoTools = tier == loci.TierText
				backend := m.Ollama(t)
				if dialect == loci.OpenAI {
					backend = m.OpenAI(t)
				}
				in := serve(t, options{args: []string{"--backend", backend, "--allow", dir}})
				for _, d := range doors {
					t.Run(d.name, func(t *testing.T) {
						m.Add(round(tier)...)
						before := len(m.Turn())
						text := d.ask(t, in, "What should I buy, and were there errors?")
						if !strings.Contains(text, "Buy milk; there were 2 errors.") || strings.Contains(text, "<tool") {
							t.Errorf("the client reads %q", text)
						}
						calls := m.Turn()[before:]
						if len(calls) != 4 {
							t.Fatalf("the model was called %d times", len(calls))
						}
						last := calls[3].Messages
						all := fmt.Sprint(last)
						for _, want := range []string{"app.log", "Buy milk and bread", "ERROR net"} {
							if !strings.Contains(all, want) {
								t.Errorf("the model never read %q", want)
							}
						}
						if tier == loci.TierNative && len(calls[0].Tools) < 5 || tier == loci.TierText && len(calls[0].Tools) > 0 {
							t.Errorf("%d tools were offered natively", len(calls[0].Tools))
						}
						prefix(t, calls)
					})
				}
			})
		}
	}
}

// prefix checks that each call of a turn begins with the messages of the one
// before.
func prefix(t *testing.T, calls []*fake.Request) {
	t.Helper()
	for i, c := range calls[1:] {
		for j, m := range calls[i].Messages {
			if a, b := fmt.Sprint(m), fmt.Sprint(c.Messages[j]); a != b {
				t.Errorf("call %d, message %d moved:\n%s\n%s", i+1, j, a, b)
			}
		}
	}
}

// A model too small to choose gets its tools chosen, through every door too.
func TestEveryDoorTiny(t *testing.T) {
	dir := folder(t)
	m := fake.NewModel()
	m.NoTools, m.Params = true, 135_000_000
	in := serve(t, options{args: []string{"--backend", m.Ollama(t), "--allow", dir}})
	for _, d := range doors {
		t.Run(d.name, func(t *testing.T) {
			for question, want := range map[string]string{
				"What does notes.md say?":              "Buy milk and bread.",
				"How many ERROR lines are in app.log?": "2",
				"What is 6 x 7?":                       "42",
			} {
				if text := d.ask(t, in, question); !strings.Contains(text, want) {
					t.Errorf("%s: %q", question, text)
				}
			}
		})
	}
	if n := len(m.Turn()); n != 0 {
		t.Errorf("the model was called %d times", n)
	}
}

func chat(question string, stream bool) map[string]any {
	return map[string]any{
		"model": "fake", "stream": stream,
		"messages": []any{map[string]string{"role": "user", "content": question}},
	}
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %.300q", err, text)
	}
}

// openaiText puts a stream together and checks that nothing of ours is a tool
// call in it.
func openaiText(t *testing.T, body string) string {
	t.Helper()
	var text, finish string
	for line := range strings.SplitSeq(body, "\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []any `json:"tool_calls"`
				}
				FinishReason *string `json:"finish_reason"`
			}
		}
		decode(t, data, &chunk)
		for _, c := range chunk.Choices {
			if text += c.Delta.Content; len(c.Delta.ToolCalls) > 0 {
				t.Error("a tool call of loci reached the client")
			}
			if c.FinishReason != nil {
				finish = *c.FinishReason
			}
		}
	}
	if finish != "stop" {
		t.Errorf("finish_reason %q", finish)
	}
	return text
}

func ollamaText(t *testing.T, body string) string {
	t.Helper()
	var text string
	done := false
	for line := range strings.SplitSeq(strings.TrimSpace(body), "\n") {
		var l struct {
			Message struct {
				Content   string
				ToolCalls []any `json:"tool_calls"`
			}
			Done       bool
			DoneReason string `json:"done_reason"`
		}
		decode(t, line, &l)
		if len(l.Message.ToolCalls) > 0 {
			t.Error("a tool call of loci reached the client")
		}
		text += l.Message.Content
		done = l.Done && l.DoneReason == "stop"
	}
	if !done {
		t.Errorf("the reply ends %q", tail(body, 120))
	}
	return text
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
