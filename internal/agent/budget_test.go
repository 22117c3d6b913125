package agent_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/offer"
	"loci/internal/offer/offertest"
	"loci/internal/text"
	"loci/internal/tool"
	"loci/internal/toolkit"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// mainTask is what the tests of the whole program do.
const mainTask = "Count yesterday's ERROR lines per module in logs/, sort them, and write report.md."

// builtIn are the real tools, of which none is dormant but those that need settings.
func builtIn(t testing.TB) *tool.Set {
	t.Helper()
	set, err := tool.New(tool.Config{Tools: toolkit.All(toolkit.Config{Trash: t.TempDir()})})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// framed is what a model reads before the person's first words: the system block, and
// the tools as the OpenAI protocol writes them.
func framed(r loci.Request) string {
	var b bytes.Buffer
	b.WriteString(r.Messages[0].Content)
	for _, t := range r.Tools {
		fmt.Fprintf(&b, "\n{\"type\":\"function\",\"function\":{\"name\":%q,\"description\":", t.Name)
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(t.Description)
		b.Truncate(b.Len() - 1)
		fmt.Fprintf(&b, ",\"parameters\":%s}}", t.Parameters)
	}
	return b.String() + "\n"
}

// budgets are all tiers and classes of windows, without and with a client's tools.
func budgets(t *testing.T, try func(t *testing.T, name, prompt string, window int)) {
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText, loci.TierTiny} {
		for _, window := range []int{2048, 4096, 8192, 32768} {
			for client, theirs := range map[string][]loci.ToolSpec{"": nil, "-chat-ui": offertest.ChatUI(t)} {
				name := fmt.Sprintf("%s-%dk%s", tier, window>>10, client)
				t.Run(name, func(t *testing.T) {
					w := newWorld(t, tier, "Good.")
					w.model.window = window
					w.set = builtIn(t)
					w.agent = w.again()
					o := w.turn(loci.TurnRequest{Principal: owner, Resent: true, Tools: theirs, Message: loci.Message{Role: loci.User, Content: mainTask}})
					if o.err != nil || len(w.model.requests) != 1 {
						t.Fatalf("%+v", o)
					}
					try(t, name, framed(w.model.requests[0]), window)
				})
			}
		}
	}
}

// TestBudget pins every byte that a model reads before the person's words, and has
// it fit by our own estimate. What is larger than its golden file needs a reason.
func TestBudget(t *testing.T) {
	budgets(t, func(t *testing.T, name, prompt string, window int) {
		if n := text.Tokens(prompt); n > offer.Budget(window) {
			t.Errorf("it takes about %d tokens, more than %d:\n%s", n, offer.Budget(window), prompt)
		} else {
			t.Logf("about %d tokens", n)
		}
		golden := filepath.Join("testdata", "budget", name+".txt")
		if *update {
			if err := os.WriteFile(golden, []byte(prompt), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), prompt); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// TestBudgetCounted counts the golden files with a real tokenizer, which has the
// smallest vocabulary of those in use and so makes the most of a text.
func TestBudgetCounted(t *testing.T) {
	chat := embeddedtest.Start(t).Chat
	defer embeddedtest.Stop()
	defer http.DefaultClient.CloseIdleConnections()
	budgets(t, func(t *testing.T, name, prompt string, window int) {
		body, _ := json.Marshal(map[string]string{"content": prompt})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.TrimSuffix(chat.URL(), "/v1")+"/tokenize", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+chat.Key())
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var counted struct{ Tokens []int }
		if err := json.NewDecoder(resp.Body).Decode(&counted); err != nil || len(counted.Tokens) == 0 {
			t.Fatalf("%v, %d tokens", err, len(counted.Tokens))
		}
		if n := len(counted.Tokens); n > offer.Budget(window) {
			t.Errorf("it takes %d tokens, more than %d", n, offer.Budget(window))
		} else {
			t.Logf("%s: %d tokens, estimated %d", name, n, text.Tokens(prompt))
		}
	})
}
