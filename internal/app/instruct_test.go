//go:build unix

package app

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"loci"
)

// TestEditByInstruction has a file changed by what is said in words: the person is
// shown the exact change, and the text of the file is in no request of the
// conversation.
func TestEditByInstruction(t *testing.T) {
	h := newHands(t)
	const before, after = "# Party\n\nguests: 4\nwine: 2\n", "# Party\n\nguests: 5\nwine: 2\n"
	if err := os.WriteFile(h.top+"/data/party.md", []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	h.aside = "<think>{hm}</think>" + `{"edits":[{"old_text":"guests: 4","new_text":"guests: 5"}]}`
	preview := ""
	h.question = func() {
		_, body := ask(t, http.MethodGet, h.addr.URL+"/api/agent/approvals", h.addr.Key, "", "")
		var open []loci.Approval
		if err := json.Unmarshal([]byte(body), &open); err != nil || len(open) != 1 {
			t.Fatalf("%v: %s", err, body)
		}
		preview = open[0].Preview
	}
	got := h.do("edit_file", onPath{"path": "party.md", "instruction": "One more guest."})
	if got.Result.Err != nil || !strings.Contains(preview, "-guests: 4") || !strings.Contains(preview, "+guests: 5") {
		t.Errorf("%+v after the preview %q", got.Result.Err, preview)
	}
	if raw, err := os.ReadFile(h.top + "/data/party.md"); err != nil || string(raw) != after {
		t.Errorf("%q, %v", raw, err)
	}
	apart := 0
	for _, r := range h.model.Requests() {
		raw, err := json.Marshal(r.Messages)
		if err != nil {
			t.Fatal(err)
		}
		switch seen := strings.Contains(string(raw), "wine"); {
		case r.Purpose == loci.PurposeBackground:
			apart++
			if !seen || len(r.Options.Format) == 0 {
				t.Errorf("asked apart: %s in the form %s", raw, r.Options.Format)
			}
		case seen:
			t.Errorf("the conversation holds the file: %s", raw)
		}
	}
	if apart != 1 {
		t.Errorf("%d calls apart", apart)
	}
}
