package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/embedded"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/fake"
	"loci/internal/text"
)

const smallWindow = 2048

// prompted counts a request as a server would: our estimate or three bytes a token,
// whichever is more, and what a chat template puts around messages.
func prompted(r *fake.Request) int {
	count := func(s string) int { return max(text.Tokens(s), len(s)/3) }
	n := 0
	for _, m := range r.Messages {
		n += 8 + count(m.Content)
		for _, c := range m.ToolCalls {
			n += 12 + count(c.Name) + count(string(c.Arguments))
		}
	}
	for _, t := range r.Tools {
		n += 20 + count(t.Name) + count(t.Description) + count(string(t.Parameters))
	}
	return n
}

// lookRound is the script of the task with long results before it: a log that is read
// in pages, which fill the window several times.
func lookRound(t *testing.T, tier loci.Tier, pages int) []fake.Reply {
	var replies []fake.Reply
	for page := 1; page <= pages; page++ {
		c := fake.Call("read_file", fmt.Sprintf(`{"path":"logs/old.log","page":%d}`, page))
		c.ID += fmt.Sprint(page)
		r := fake.Reply{Calls: []loci.ToolCall{c}}
		if tier == loci.TierText {
			r = fake.Reply{Text: fmt.Sprintf("<tool>read_file(path=\"logs/old.log\", page=%d)</tool>", page)}
		}
		replies = append(replies, r)
	}
	return append(replies, reportRound(t, tier)...)
}

// writeOldLog puts a long log beside those of the task.
func writeOldLog(t *testing.T, dir string) {
	t.Helper()
	var b strings.Builder
	for i := range 120 {
		fmt.Fprintf(&b, "2020-01-01 14:%02d:%02d ERROR [old] connection %d refused\n", i/60, i%60, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "logs", "old.log"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReportInSmallWindow has the task done in 2,048 tokens, by servers that refuse a
// longer prompt and by those that would cut it in silence; after four pages of a log
// the window has been full more than once, and the person was told.
func TestReportInSmallWindow(t *testing.T) {
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
		for _, refuses := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, refuses %v", tier, refuses), func(t *testing.T) {
				m := fake.NewModel()
				m.NoTools, m.Window = tier == loci.TierText, smallWindow
				cut := 0
				m.Answer = func(r *fake.Request) (fake.Reply, bool) {
					if prompted(r) <= smallWindow {
						return fake.Reply{}, false
					}
					cut++
					return fake.Reply{Status: http.StatusBadRequest, Error: "the input length exceeds the context length"}, refuses
				}
				dir := logs(t)
				writeOldLog(t, dir)
				in := serve(t, options{args: []string{"--backend", m.Ollama(t), "--allow", dir}})
				for _, d := range talkers()[:1] {
					for _, round := range [][]fake.Reply{reportRound(t, tier), lookRound(t, tier, 4)} {
						m.Add(round...)
						question := d.say(t, in, nil, task)
						if long := len(round) > 5; long != strings.Contains(question, "nearly full") {
							t.Errorf("after %d steps the person reads %q", len(round), question)
						}
						finishReport(t, d, in, dir, question, "yes")
					}
				}
				if cut > 0 {
					t.Errorf("%d prompts were longer than the window", cut)
				}
				for i, r := range m.Turn() {
					if !strings.Contains(fmt.Sprint(r.Messages), task) {
						t.Errorf("call %d has lost the task", i+1)
					}
				}
			})
		}
	}
}

// TestSmallWindowOnRealServer has a real llama-server of 2,048 tokens hold to the same
// script by a grammar. It refuses what is longer, and counts what it reads.
func TestSmallWindowOnRealServer(t *testing.T) {
	if os.Getenv("LOCI_TEST_ALL") == "" {
		t.Skip("its prompts are long for a processor; LOCI_TEST_ALL=1 runs it")
	}
	engine := embeddedtest.Engine(t)
	chat, err := engine.Start(t.Context(), embedded.ServerConfig{Kind: embedded.Chat, Window: smallWindow})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chat.Close() })
	p := &prompter{t: t, url: strings.TrimSuffix(chat.URL(), "/v1"), key: chat.Key()}
	for _, r := range lookRound(t, loci.TierText, 3) {
		p.script = append(p.script, r.Text)
	}
	proxy := httptest.NewServer(p)
	t.Cleanup(proxy.Close)
	dir := logs(t)
	writeOldLog(t, dir)
	in := serve(t, options{env: []string{"LOCI_TIER=text"}, args: []string{"--backend", proxy.URL + "/v1", "--model", chat.Model(), "--allow", dir}})
	d := talkers()[4] // the agent's door needs no name of a model
	question := d.say(t, in, nil, task)
	finishReport(t, d, in, dir, question, "yes")
	largest := 0
	for _, c := range p.calls {
		largest = max(largest, c.evaluated+c.reuse)
	}
	t.Logf("%d calls, the largest prompt has %d tokens", len(p.calls), largest)
	if len(p.calls) != 8 || largest > smallWindow*4/5 || largest < smallWindow/2 {
		t.Errorf("%d calls, the largest with %d tokens", len(p.calls), largest)
	}
}
