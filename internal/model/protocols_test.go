package model

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"loci"
	"loci/internal/fake"
	"loci/internal/model/server"
)

// protocols runs a test against a scripted server through both of its doors.
func protocols(t *testing.T, script []fake.Reply, f func(t *testing.T, m *fake.Model, h *Hub)) {
	for _, dialect := range []loci.Dialect{loci.OpenAI, loci.Ollama} {
		t.Run(string(dialect), func(t *testing.T) {
			m := fake.NewModel(script...)
			address := m.Ollama(t)
			if dialect == loci.OpenAI {
				m.Only = loci.OpenAI
				address = m.OpenAI(t)
			}
			b, err := server.ParseBackend(address)
			if err != nil {
				t.Fatal(err)
			}
			f(t, m, hub(t, Config{Backends: []server.Backend{b}, Instance: "me"}))
		})
	}
}

// say runs one chat through a hub.
func say(h *Hub, ctx context.Context, req loci.Request) (text string, last loci.Chunk, err error) {
	for chunk, err := range h.Chat(ctx, req) {
		if err != nil {
			return text, last, err
		}
		text += chunk.Text
		last = chunk
	}
	return text, last, nil
}

func ask(text string) loci.Request {
	return loci.Request{Messages: []loci.Message{{Role: loci.User, Content: text}}, Purpose: loci.PurposeStep}
}

func TestHubChat(t *testing.T) {
	call := fake.Call("list_dir", `{"path":"."}`)
	protocols(t, []fake.Reply{{Text: "Two files.", Calls: []loci.ToolCall{call}}}, func(t *testing.T, m *fake.Model, h *Hub) {
		req := ask("which files?")
		req.Tools = []loci.ToolSpec{{Name: "list_dir", Description: "Lists.", Parameters: json.RawMessage(`{"type":"object"}`)}}
		text, last, err := say(h, t.Context(), req)
		if err != nil || text != "Two files." || last.Finish != loci.FinishTools {
			t.Fatalf("%q %+v %v", text, last, err)
		}
		if len(last.ToolCalls) != 1 || last.ToolCalls[0].Name != "list_dir" || string(last.ToolCalls[0].Arguments) != `{"path":"."}` {
			t.Errorf("%+v", last.ToolCalls)
		}
		got := m.Last()
		if got.Model != "fake" || got.Purpose != loci.PurposeStep || len(got.Tools) != 1 || got.Header.Get("X-Loci-Instance") != "me" {
			t.Errorf("%+v %v", got.Request, got.Header)
		}
	})
}

func TestHubProfile(t *testing.T) {
	protocols(t, nil, func(t *testing.T, m *fake.Model, h *Hub) {
		m.NoTools, m.Window = true, 2048
		p, err := h.Profile(t.Context(), "")
		if err != nil || p.Tier != loci.TierText || p.Model != "fake" || p.Window != 2048 {
			t.Errorf("%+v %v", p, err)
		}
		if n := len(m.Requests()); n != 0 {
			t.Errorf("the model ran %d times although its server tells all", n)
		}
	})
}

// TestToolsRefusedThenText is the way an agent goes on after a refusal.
func TestToolsRefusedThenText(t *testing.T) {
	protocols(t, []fake.Reply{{Text: "as text"}}, func(t *testing.T, m *fake.Model, h *Hub) {
		m.NoTools = true
		req := ask("hi")
		req.Tools = []loci.ToolSpec{trialTools[0]}
		if _, _, err := say(h, t.Context(), req); !errors.Is(err, loci.ErrNoTools) || loci.AsError(err).Code != loci.Refused {
			t.Fatalf("%v", err)
		}
		req.Tools = nil
		if text, _, err := say(h, t.Context(), req); err != nil || text != "as text" {
			t.Errorf("%q %v", text, err)
		}
	})
}

// TestThinkRefused is case 22 at a strict Ollama.
func TestThinkRefused(t *testing.T) {
	protocols(t, []fake.Reply{{Text: "without thinking"}}, func(t *testing.T, m *fake.Model, h *Hub) {
		req := ask("hi")
		req.Options.Think = json.RawMessage(`true`)
		if text, _, err := say(h, t.Context(), req); err != nil || text != "without thinking" {
			t.Errorf("%q %v", text, err)
		}
	})
}

// TestCutReply breaks the connection at every byte, in the protocol's own
// stream: case 14.
func TestCutReply(t *testing.T) {
	whole := fake.Reply{Text: "Half a sentence", Calls: []loci.ToolCall{fake.Call("list_dir", `{"path":"."}`)}}
	protocols(t, nil, func(t *testing.T, m *fake.Model, h *Hub) {
		size := 0
		for at := 1; ; at++ {
			reply := whole
			reply.CutAt = at
			m.Add(reply)
			text, last, err := say(h, t.Context(), ask("hi"))
			if err == nil {
				if last.Finish != loci.FinishTools || len(last.ToolCalls) != 1 || text != whole.Text {
					t.Fatalf("cut at %d passed for whole: %q %+v", at, text, last)
				}
				break
			}
			if len(last.ToolCalls) > 0 || loci.AsError(err).Code != loci.Truncated || !strings.HasPrefix(whole.Text, text) {
				t.Fatalf("cut at %d: %q %+v %v", at, text, last, err)
			}
			size = at
		}
		if size < 100 {
			t.Errorf("only %d bytes could be cut", size)
		}
	})
}

func TestErrorsInStream(t *testing.T) {
	protocols(t, []fake.Reply{{Text: "Half", Error: "runner stopped"}}, func(t *testing.T, m *fake.Model, h *Hub) {
		text, _, err := say(h, t.Context(), ask("hi"))
		if err == nil || !strings.Contains(err.Error(), "runner stopped") || text != "Half" {
			t.Errorf("%q %v", text, err)
		}
	})
}

func TestHubStop(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	protocols(t, []fake.Reply{{Text: "one two three", Hold: hang}}, func(t *testing.T, m *fake.Model, h *Hub) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last error
		for _, err := range h.Chat(ctx, ask("hi")) {
			last = err
			cancel()
		}
		if !errors.Is(last, context.Canceled) || !m.Last().Canceled() {
			t.Errorf("%v", last)
		}
	})
}

func TestContextTooLong(t *testing.T) {
	reply := fake.Reply{Status: http.StatusBadRequest, Error: "request (9031 tokens) exceeds the available context size (4096 tokens), try increasing it"}
	protocols(t, []fake.Reply{reply}, func(t *testing.T, m *fake.Model, h *Hub) {
		_, _, err := say(h, t.Context(), ask("hi"))
		if e := loci.AsError(err); e.Code != loci.Context || e.Hint == "" {
			t.Errorf("%+v", e)
		}
	})
}

func TestWrongKey(t *testing.T) {
	protocols(t, nil, func(t *testing.T, m *fake.Model, h *Hub) {
		m.Key = "right"
		for _, name := range []string{"", "fake"} {
			req := ask("hi")
			req.Model = name
			_, _, err := say(h, t.Context(), req)
			if e := loci.AsError(err); e == nil || e.Hint != "Check the key that is configured for this backend." {
				t.Errorf("%q: %v", name, err)
			}
		}
	})
}

// TestWindowAsked sets num_ctx only when told to.
func TestWindowAsked(t *testing.T) {
	m := fake.NewModel(fake.Reply{Text: "x"}, fake.Reply{Text: "x"})
	for window, want := range map[int]bool{0: false, 6000: true} {
		h := hub(t, Config{Backends: []server.Backend{backend(m.Ollama(t), server.KindOllama)}, Window: window})
		if _, _, err := say(h, t.Context(), ask("hi")); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(m.Last().Body), `"num_ctx":6000`); got != want {
			t.Errorf("window %d: %s", window, m.Last().Body)
		}
		p, err := h.Profile(t.Context(), "")
		if err != nil || want && p.Window != 6000 {
			t.Errorf("%+v %v", p, err)
		}
	}
}
