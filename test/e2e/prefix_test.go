package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"loci/internal/embedded/embeddedtest"
)

// prompter stands between loci and the real llama-server and makes the model
// say what the test needs, by a grammar that allows only those words. The
// server really reads each prompt and really generates each reply, so its
// report on what it could reuse is real.
type prompter struct {
	t        *testing.T
	url, key string // of the real server, without /v1
	mu       sync.Mutex
	script   []string
	calls    []promptCall
}

// promptCall is one call of the model.
type promptCall struct {
	messages         []map[string]any
	evaluated, reuse int // prompt tokens
}

func (p *prompter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	chat := r.URL.Path == "/v1/chat/completions"
	var call promptCall
	if chat {
		body, call = p.prompt(body)
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, p.url+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		p.t.Error(err)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+p.key)
	// A connection each: the engine may close a kept one just as it is used.
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		p.t.Error(err)
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Error(err)
	}
	if chat {
		call.evaluated, call.reuse = timings(p.t, string(reply))
		p.mu.Lock()
		p.calls = append(p.calls, call)
		p.mu.Unlock()
	}
	w.Header().Set("Content-Type", res.Header.Get("Content-Type"))
	w.WriteHeader(res.StatusCode)
	_, _ = w.Write(reply)
}

// prompt holds the next reply to the next line of the script.
func (p *prompter) prompt(body []byte) ([]byte, promptCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var req map[string]any
	if err := json.Unmarshal(body, &req); err != nil || len(p.script) == 0 {
		p.t.Errorf("a call that the script does not have: %v", err)
		return body, promptCall{}
	}
	req["grammar"] = "root ::= " + strconv.Quote(p.script[0])
	req["temperature"] = 0
	p.script = p.script[1:]
	var call promptCall
	for _, m := range req["messages"].([]any) {
		call.messages = append(call.messages, m.(map[string]any))
	}
	body, err := json.Marshal(req)
	if err != nil {
		p.t.Error(err)
	}
	return body, call
}

// timings reads how much of the prompt the server evaluated and reused.
func timings(t *testing.T, reply string) (evaluated, reused int) {
	for line := range strings.SplitSeq(reply, "\n") {
		data, _ := strings.CutPrefix(line, "data: ")
		var c struct {
			Timings *struct {
				PromptN int `json:"prompt_n"`
				CacheN  int `json:"cache_n"`
			}
		}
		if json.Unmarshal([]byte(data), &c) == nil && c.Timings != nil {
			return c.Timings.PromptN, c.Timings.CacheN
		}
	}
	t.Errorf("the server did not report timings: %.300s", reply)
	return 0, 0
}

// tokens counts the tokens of a text with the server's own tokenizer.
func (p *prompter) tokens(text string) int {
	data, err := json.Marshal(map[string]string{"content": text})
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+"/tokenize", bytes.NewReader(data))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	var out struct{ Tokens []int }
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		p.t.Fatal(err)
	}
	return len(out.Tokens)
}

// glue is how many tokens a chat template may put around what was appended.
const glue = 16

// On a real server, in a conversation with tool rounds that the client never
// saw and cannot resend, only appended tokens are evaluated again.
func TestPrefixOnRealServer(t *testing.T) {
	engine := embeddedtest.Start(t)
	p := &prompter{t: t, url: strings.TrimSuffix(engine.Chat.URL(), "/v1"), key: engine.Chat.Key(), script: []string{
		"I will look into the folder.\n<tool>list_dir()</tool>",
		`<tool>read_file(path="notes.md")</tool>`,
		"You should buy milk and bread.",
		`<tool>search_files(path="app.log", content="ERROR")</tool>`,
		"There were two errors.",
	}}
	proxy := httptest.NewServer(p)
	t.Cleanup(proxy.Close)
	in := serve(t, options{env: []string{"LOCI_TIER=text"}, args: []string{"--backend", proxy.URL + "/v1", "--allow", folder(t)}})

	say := func(history []any, text string) string {
		_, body := in.post("/v1/chat/completions", map[string]any{
			"model": engine.Chat.Model(), "stream": true,
			"messages": append(history, map[string]string{"role": "user", "content": text}),
		})
		return openaiText(t, body)
	}
	const first, second = "What should I buy?", "And were there errors?"
	answer := say(nil, first)
	if !strings.HasSuffix(answer, "You should buy milk and bread.") {
		t.Fatalf("the first answer is %q", answer)
	}
	again := say([]any{
		map[string]string{"role": "user", "content": first},
		map[string]string{"role": "assistant", "content": answer},
	}, second)
	if again != "There were two errors." {
		t.Fatalf("the second answer is %q", again)
	}
	if len(p.calls) != 5 {
		t.Fatalf("the model was called %d times", len(p.calls))
	}
	for i, c := range p.calls[1:] {
		before := p.calls[i].messages
		if a, b := fmt.Sprint(before), fmt.Sprint(c.messages[:len(before)]); a != b {
			t.Fatalf("call %d does not begin with the bytes of the call before:\n%s\n%s", i+2, a, b)
		}
		appended := 0
		for _, m := range c.messages[len(before):] {
			// The model's own words are in its cache too, but as the tokens that
			// the grammar led to, which are not always those of the tokenizer.
			appended += p.tokens(m["content"].(string))
		}
		t.Logf("call %d: %d tokens appended, %d evaluated, %d reused", i+2, appended, c.evaluated, c.reuse)
		if c.evaluated > appended+glue {
			t.Errorf("call %d: %d tokens were evaluated, only %d appended", i+2, c.evaluated, appended)
		}
	}
}
