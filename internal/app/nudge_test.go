//go:build unix

package app

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"loci"
	"loci/internal/config"
	"loci/internal/fake"
)

// TestNudgedAndCorrected has a model answer out of thin air, then call in a form that
// does not fit, with the real rules and tools around it: the person gets the true
// answer, the counts are in the receipt, and the server's cache keeps all that was sent.
func TestNudgedAndCorrected(t *testing.T) {
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
		t.Run(string(tier), func(t *testing.T) {
			h := newHands(t, func(c *config.Config) { c.Tier = tier })
			if err := os.WriteFile(h.top+"/data/party.md", []byte("guests: 4\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			calls := func(args string) fake.Reply {
				if tier == loci.TierText {
					return fake.Reply{Text: "<tool>read_file(" + args + ")</tool>"}
				}
				return fake.Reply{Calls: []loci.ToolCall{fake.Call("read_file", args)}}
			}
			script := []fake.Reply{{Text: "It says that nobody comes."}, calls(`{"file":"party.md"}`), calls(`{"path":"party.md"}`), {Text: "Four guests."}}
			var told []string
			h.model.Answer = func(r *fake.Request) (fake.Reply, bool) {
				if r.Purpose != loci.PurposeChat && r.Purpose != loci.PurposeStep {
					return fake.Reply{Text: "ok"}, true
				}
				told = append(told, r.Messages[len(r.Messages)-1].Content)
				next := script[0]
				script = script[1:]
				return next, true
			}
			status, body := ask(t, http.MethodPost, h.addr.URL+"/api/agent/chat", h.addr.Key, "", `{"message":"What does party.md say?","stream":false}`)
			var got struct {
				Message string
				Receipt loci.Receipt
				Steps   []struct{ Tool string }
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
				t.Fatalf("%d, %v: %s", status, err, body)
			}
			if want := "It says that nobody comes.\n\n(That was said without a look at it. Now with one:)\n\nFour guests."; got.Message != want {
				t.Errorf("the person reads %q, want %q", got.Message, want)
			}
			if r := got.Receipt; r.Nudges != 1 || r.Corrections != 1 || r.Calls != 4 || r.Broke != nil || r.Wasted != nil && *r.Wasted > 16 {
				t.Errorf("the receipt is %s", body)
			}
			if len(told) != 4 || !strings.Contains(told[1], "only read_file can tell") || !strings.Contains(told[2], `argument \"file\" is not known`) ||
				!strings.Contains(told[2], "party.md") || !strings.Contains(told[3], "guests: 4") {
				t.Errorf("the model was told %q", told)
			}
		})
	}
}
