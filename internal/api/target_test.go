package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"loci"
)

// Lengths that a server may take for places outside its memory are refused at
// both doors, for bare models and the agent's. What loci does not know passes.
func TestCounts(t *testing.T) {
	for name, f := range map[string]*fake{"agent": newFake(), "openai": answersEmpty(loci.OpenAI), "ollama": answersEmpty(loci.Ollama)} {
		c := newClient(t, f)
		paths := map[string][]string{"agent": {"/v1/chat/completions", "/api/chat"}, "openai": {"/v1/chat/completions", "/v1/completions"}, "ollama": {"/api/chat", "/api/generate"}}
		for _, path := range paths[name] {
			for _, e := range []struct{ field, refused string }{
				{`"n_discard":-5`, "n_discard"},
				{`"n_discard": -5.0`, "n_discard"},
				{`"n_discard":4294967291`, "n_discard"}, // -5 in 32 bits
				{`"n_dis\u0063ard":-1e3`, "n_discard"},
				{`"n_ctx":-1`, "n_ctx"},
				{`"num_ctx":-1e999`, "num_ctx"},
				{`"options":{"temperature":0, "num_ctx" : -1}`, "options.num_ctx"},
				{`"options":{"n_discard":-1}`, "options.n_discard"},
				{`"n_discard":0,"num_ctx":8192,"options":{"num_ctx":4096}`, ""},
				{`"n_predict":-1,"n_keep":-1,"options":{"num_predict":-2},"other":-7`, ""},
				{`"options":null`, ""},
			} {
				w := c.do("POST", path, `{"model":"smollm2","messages":[{"role":"user","content":"hi"}],`+e.field+`}`)
				named := strings.Contains(w.Body.String(), `\"`+e.refused+`\" must be from 0 to 2147483647.`)
				if e.refused != "" && (w.Code != 400 || !named) || e.refused == "" && w.Code != 200 {
					t.Errorf("%s %s: %d %s", path, e.field, w.Code, w.Body)
				}
			}
		}
		if w := c.do("POST", "/api/chat", `{"model":"smollm2","messages":[],"options":{"num_ctx":1,"num_ctx":-1}}`); w.Code != 400 {
			t.Errorf("two values of num_ctx: %d %s", w.Code, w.Body)
		}
	}
}

// A busy server's own word about when to try again reaches the client, at every
// door.
func TestRetryAfter(t *testing.T) {
	for _, e := range []struct {
		wait time.Duration
		want string
	}{{0, "2"}, {17 * time.Second, "17"}, {time.Hour, "3600"}, {1500 * time.Millisecond, "2"}} {
		busy := loci.Errorf(loci.Overloaded, "The model server is busy.").WithHint("Try again in a moment.")
		busy.RetryAfter = e.wait
		f := newFake()
		c := newClient(t, f)
		for path, body := range map[string]string{
			"/v1/chat/completions": hello + `}`,
			"/api/chat":            ollamaHello + `}`,
			"/api/agent/chat":      `{"message":"hi","stream":false}`,
		} {
			end := event(2, loci.TurnFinished{State: loci.TurnFailed, Error: busy})
			if path == "/api/agent/chat" { // follows the session, in the store
				end = stored(t, end)
			}
			f.turn = play(event(1, loci.TurnStarted{}), end)
			w := c.do("POST", path, body)
			if got := w.Header().Get("Retry-After"); w.Code != 429 || got != e.want || strings.Contains(w.Body.String(), "retry_after") {
				t.Errorf("%s: %d, Retry-After %q, want %q: %s", path, w.Code, got, e.want, w.Body)
			}
		}
	}
}

// The model in a reply is the client's own word for it.
func TestRepliesNameTheModel(t *testing.T) {
	f := newFake()
	f.route = func(string) (Route, error) { return Route{Dialect: loci.OpenAI, Model: f.models[0]}, nil }
	c := newClient(t, f)
	for _, path := range []string{"/v1/chat/completions", "/api/chat", "/api/generate"} {
		for _, stream := range []bool{false, true} {
			w := c.do("POST", path, fmt.Sprintf(`{"model":"loci","stream":%v,"prompt":"hi","messages":[{"role":"user","content":"hi"}]}`, stream))
			if n := strings.Count(w.Body.String(), `"model":"loci"`); w.Code != 200 || n == 0 || strings.Contains(w.Body.String(), "smollm2") {
				t.Errorf("%s, stream %v: %d %s", path, stream, w.Code, w.Body)
			}
		}
	}
}
