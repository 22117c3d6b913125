package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"loci"
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
	clock    bool // puts the time of the call before each prompt
}

// promptCall is one call of the model.
type promptCall struct {
	purpose          string
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
		body, call = p.prompt(body, r.Header.Get("X-Loci-Purpose"))
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
	if r.Context().Err() != nil { // loci gave the call up, as it does with trials when it ends
		return
	}
	if err != nil {
		p.t.Error(err)
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(res.Body)
	if r.Context().Err() != nil {
		return
	}
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

// prompt holds the next reply to the next line of the script. The jobs of a client are
// answered as the model likes, and soon.
func (p *prompter) prompt(body []byte, purpose string) ([]byte, promptCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := promptCall{purpose: purpose}
	var req map[string]any
	if err := json.Unmarshal(body, &req); err != nil || len(p.script) == 0 && call.inChat() {
		p.t.Errorf("a call that the script does not have: %v", err)
		return body, call
	}
	if call.inChat() {
		req["grammar"] = p.grammar(p.script[0])
		p.script = p.script[1:]
	} else {
		req["max_tokens"] = 16
	}
	req["temperature"] = 0
	for _, m := range req["messages"].([]any) {
		call.messages = append(call.messages, m.(map[string]any))
	}
	if p.clock {
		system := call.messages[0]
		system["content"] = time.Now().Format("It is 15:04:05.000. ") + system["content"].(string)
	}
	body, err := json.Marshal(req)
	if err != nil {
		p.t.Error(err)
	}
	return body, call
}

// inChat tells a call of a conversation.
func (c promptCall) inChat() bool { return c.purpose == "chat" || c.purpose == "step" }

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

// grammar allows one text, in the very tokens that the server's tokenizer makes of it:
// those that a model prefers when it may choose are not always the same, and then its
// own words would be read again.
func (p *prompter) grammar(text string) string {
	var rule strings.Builder
	rule.WriteString("root ::=")
	for _, id := range p.tokens(text) {
		fmt.Fprintf(&rule, " <[%d]>", id)
	}
	return rule.String()
}

// tokens are those that the server's own tokenizer makes of a text.
func (p *prompter) tokens(text string) []int {
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
	return out.Tokens
}

// glue is how many tokens a chat template may put around what was appended.
const glue = 16

// On a real server with one slot, in a day's conversation with twelve calls of tools
// that the client never saw and cannot resend, only appended tokens are evaluated: also
// when a chat UI has its jobs done in between.
func TestPrefixOnRealServer(t *testing.T) {
	engine := embeddedtest.Start(t)
	for name, have := range map[string]func(*testing.T, *instance, string){"Open WebUI": openWebUIDay, "own API": ownDay} {
		t.Run(name, func(t *testing.T) {
			if name == "own API" && os.Getenv("LOCI_TEST_ALL") == "" {
				t.Skip("the other one is harder; both run in make test")
			}
			p := &prompter{t: t, url: strings.TrimSuffix(engine.Chat.URL(), "/v1"), key: engine.Chat.Key()}
			for _, r := range replies(loci.TierText) {
				p.script = append(p.script, r.Text)
			}
			proxy := httptest.NewServer(p)
			t.Cleanup(proxy.Close)
			in := serve(t, options{env: []string{"LOCI_TIER=text"}, args: []string{"--backend", proxy.URL + "/v1", "--allow", folder(t)}})
			have(t, in, engine.Chat.Model())
			turns, _ := receipts(t, in, len(day))
			frugal(t, turns)
			p.compare(slices.Concat(turns...))
		})
	}
}

// compare holds the receipts against what the server said to the calls, and against
// its own count of what was appended.
func (p *prompter) compare(receipts []loci.Receipt) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	chats := slices.DeleteFunc(slices.Clone(p.calls), func(c promptCall) bool { return !c.inChat() })
	p.t.Logf("%d calls of the model, %d of them for jobs", len(p.calls), len(p.calls)-len(chats))
	if len(chats) != len(receipts) {
		p.t.Fatalf("%d receipts for %d calls", len(receipts), len(chats))
	}
	for i, c := range chats {
		if r := receipts[i]; *r.Evaluated != c.evaluated || *r.Reused != c.reuse {
			p.t.Errorf("call %d: the receipt says %d evaluated and %d reused, the server %d and %d", i+1, *r.Evaluated, *r.Reused, c.evaluated, c.reuse)
		}
		if i == 0 {
			continue
		}
		before := chats[i-1].messages
		if a, b := fmt.Sprint(before), fmt.Sprint(c.messages[:len(before)]); a != b {
			p.t.Fatalf("call %d does not begin with the bytes of the call before:\n%s\n%s", i+1, a, b)
		}
		appended := 0
		for _, m := range c.messages[len(before):] {
			if m["role"] == "assistant" { // the model's own words are in its cache
				continue
			}
			appended += len(p.tokens(m["content"].(string)))
		}
		if c.evaluated > appended+glue {
			p.t.Errorf("call %d: %d tokens were evaluated, only %d appended", i+1, c.evaluated, appended)
		}
	}
}
