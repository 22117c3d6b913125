package model

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"loci"
	"loci/internal/model/server"
	"loci/internal/model/server/servertest"
	"loci/internal/text"
)

// tokenizing is a llama-server whose tokenizer makes a token of each Chinese character
// twice and of all else as usual, and whose template writes 5 tokens around a message, 9
// around all, 40 for having tools, and each of these in 12 tokens and twice its length.
type tokenizing struct {
	asked atomic.Int32
	old   bool // it knows no such questions
	moves bool // its template writes the tools before the last message
	lies  bool // it counts thousands of tokens around a message and a tool
}

var heavy = text.Weights{Han: 2}

func (s *tokenizing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	reply := func(v any) { _ = json.NewEncoder(w).Encode(v) } // the client would miss it
	switch {
	case r.URL.Path == "/v1/models":
		fmt.Fprint(w, servertest.List("m"))
	case r.URL.Path == "/props":
		fmt.Fprint(w, `{"default_generation_settings":{"n_ctx":4096},"total_slots":1,"chat_template":"x","chat_template_caps":{"supports_tools":true,"supports_system_role":true}}`)
	case s.old:
		s.asked.Add(1)
		http.NotFound(w, r)
	case r.URL.Path == "/tokenize":
		s.asked.Add(1)
		var in struct{ Content string }
		_ = json.NewDecoder(r.Body).Decode(&in) // empty content
		marks := strings.Count(in.Content, "\x00")
		n := marks + text.Make(strings.ReplaceAll(in.Content, "\x00", "")).Tokens(heavy)
		reply(map[string]any{"tokens": make([]int, n)})
	case r.URL.Path == "/apply-template":
		var in struct {
			Messages []struct{ Role, Content string }
			Tools    []struct {
				Function struct {
					Name, Description string
					Parameters        json.RawMessage
				}
			}
		}
		_ = json.NewDecoder(r.Body).Decode(&in)
		prompt := strings.Repeat("\x00", 9)
		tools := ""
		for i, t := range in.Tools {
			if i == 0 {
				tools += strings.Repeat("\x00", 40)
			}
			n := 12 + 2*text.Make(t.Function.Name+t.Function.Description+string(t.Function.Parameters)).Tokens(heavy)
			tools += strings.Repeat("\x00", n-text.Make(t.Function.Name).Tokens(heavy)) + t.Function.Name
		}
		for i, m := range in.Messages {
			if i == 1 && !s.moves || i == len(in.Messages)-1 && s.moves {
				prompt += tools
			}
			prompt += strings.Repeat("\x00", 5) + m.Content
			if s.lies {
				prompt += strings.Repeat("\x00", 7000*(1+len(in.Tools)))
			}
		}
		reply(map[string]string{"prompt": prompt})
	default:
		http.NotFound(w, r)
	}
}

// TestMeasure has a server count at the first contact, once, and keeps what it told.
func TestMeasure(t *testing.T) {
	s := &tokenizing{}
	url := servertest.Serve(t, s) + "/v1"
	store := &memory{}
	for range 2 {
		h := hub(t, Config{Backends: []server.Backend{{URL: url, Dialect: loci.OpenAI, Kind: server.KindLlamaServer}}, Profiles: store})
		p, err := h.Profile(t.Context(), "m")
		if err != nil {
			t.Fatal(err)
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 0.06*want+0.5 {
				t.Errorf("%s: %.2f, want %.2f", what, got, want)
			}
		}
		c := p.Counting
		near("words", c.Weights.Words, 1)
		near("han", c.Weights.Han*10, 20)
		near("message", c.Message, 5)
		near("prompt", c.Prompt, 9)
		near("tools", c.Tools, 40)
		near("tool", c.Tool, 12)
		near("schema", c.Schema*10, 20)
		h.Close()
	}
	if n := s.asked.Load(); n > 40 {
		t.Errorf("the server was asked %d times", n)
	}
}

// counting is a server that has no tokenizer to ask, and counts each prompt.
func counting(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		fmt.Fprint(w, servertest.List("m"))
		return
	}
	var in struct{ Messages []struct{ Content string } }
	_ = json.NewDecoder(r.Body).Decode(&in)
	n := 9
	for _, m := range in.Messages {
		n += 5 + text.Make(m.Content).Tokens(heavy)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":"Good."},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":2}}`, n)
}

// TestMeasureByUsage counts by what calls take, in the trials, where nobody else tells.
func TestMeasureByUsage(t *testing.T) {
	h := hub(t, Config{Backends: []server.Backend{{URL: servertest.Serve(t, http.HandlerFunc(counting)) + "/v1", Dialect: loci.OpenAI, Kind: server.KindJan}}})
	p, err := h.Probe(t.Context(), "m")
	if w := p.Counting.Weights; err != nil || math.Abs(w.Han-2) > 0.1 || math.Abs(w.Words-1) > 0.1 || math.Abs(w.Digits-1) > 0.1 || math.Abs(w.Accents-1) > 0.1 || w.Mixed != 0 {
		t.Errorf("%+v, %v", p.Counting, err)
	}
}

// TestToolsMoveShown has a server show whether its template moves the tools: that is known
// at the first contact, and what calls seem to show is not believed against it.
func TestToolsMoveShown(t *testing.T) {
	for _, moves := range []bool{false, true} {
		h := hub(t, Config{Backends: []server.Backend{{URL: servertest.Serve(t, &tokenizing{moves: moves}) + "/v1", Dialect: loci.OpenAI, Kind: server.KindLlamaServer}}})
		p, err := h.Profile(t.Context(), "m")
		if err != nil || p.ToolsMove != moves || (p.Tier == loci.TierText) != moves {
			t.Errorf("moves %v: %+v, %v", moves, p, err)
		}
		if shown, news := h.ToolsMove("m"); shown != moves || news {
			t.Errorf("moves %v: it is said to be %v, and news: %v", moves, shown, news)
		}
		if p, err = h.Profile(t.Context(), "m"); err != nil || p.ToolsMove != moves {
			t.Errorf("moves %v: later %+v, %v", moves, p, err)
		}
	}
}

// What a server tells that no chat template writes is not kept.
func TestMeasureOfALiar(t *testing.T) {
	h := hub(t, Config{Backends: []server.Backend{{URL: servertest.Serve(t, &tokenizing{lies: true}) + "/v1", Dialect: loci.OpenAI, Kind: server.KindLlamaServer}}})
	p, err := h.Profile(t.Context(), "m")
	if c := p.Counting; err != nil || c.Message != 0 || c.Prompt != 0 || c.Tools != 0 || c.Tool != 0 || c.Schema != 0 || c.Weights.Words == 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

// A server that does not tell is used all the same.
func TestMeasureUntold(t *testing.T) {
	s := &tokenizing{old: true}
	h := hub(t, Config{Backends: []server.Backend{{URL: servertest.Serve(t, s) + "/v1", Dialect: loci.OpenAI, Kind: server.KindLlamaServer}}})
	p, err := h.Profile(t.Context(), "m")
	if err != nil || p.Counting != (loci.Counting{}) || p.Window != 4096 {
		t.Errorf("%+v, %v", p, err)
	}
	if n := s.asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times", n)
	}
}
