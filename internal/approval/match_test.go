package approval

import (
	"strings"
	"testing"
	"time"

	"loci"
)

func TestMatch(t *testing.T) {
	later := loci.Time{Time: time.Now().Add(time.Hour)}
	q := func(code string, state loci.ApprovalState) loci.Approval {
		return loci.Approval{Code: code, State: state, Expires: later}
	}
	over := q("4K4", loci.ApprovalOpen)
	over.Expires = loci.Time{Time: time.Now().Add(-time.Second)}
	open, open2, yes, no, used := q("7F3", loci.ApprovalOpen), q("8H2", loci.ApprovalOpen), q("9A9", loci.ApprovalYes), q("2N2", loci.ApprovalNo), q("3M3", loci.ApprovalUsed)
	for _, tc := range []struct {
		said   string
		asked  []loci.Approval
		picked string // codes
		words  string // part of what is told
	}{
		{"yes", []loci.Approval{open}, "7F3", ""},
		{"no", []loci.Approval{open}, "7F3", ""},
		{"yes", []loci.Approval{used, open}, "7F3", ""},
		{"yes", []loci.Approval{open, open2}, "", "Answer each with its code"},
		{"yes to all", []loci.Approval{open, open2}, "7F3 8H2", ""},
		{"yes 8h2", []loci.Approval{open, open2}, "8H2", ""},
		{"yes 7F3 8H2", []loci.Approval{open, open2}, "7F3 8H2", ""},
		{"yes", []loci.Approval{open, yes}, "7F3", ""},
		{"no", []loci.Approval{open, open2}, "7F3 8H2", ""},
		{"no", []loci.Approval{open, yes}, "7F3", ""},       // the question that is left
		{"stop", []loci.Approval{open, yes}, "7F3 9A9", ""}, // whatever is under way
		{"no to all", []loci.Approval{used, open, yes}, "7F3 9A9", ""},
		{"no 9A9", []loci.Approval{open, yes}, "9A9", ""},
		{"yes 9A9", []loci.Approval{open, yes}, "", "already has its answer: yes"},
		{"yes 2N2", []loci.Approval{open, no}, "", "already has its answer: no"},
		{"no 3M3", []loci.Approval{open, used}, "", "was used already"},
		{"yes", []loci.Approval{over}, "", "has expired"},
		{"yes 4K4", []loci.Approval{over}, "", "has expired"},
		{"no", []loci.Approval{over}, "", "has expired"},
		{"yes", []loci.Approval{used}, "", "was used already"},
		{"yes 7F3 3M3", []loci.Approval{open, used}, "", "was used already"},
	} {
		picked, words := Match(Read(tc.said), tc.asked, "en")
		if got := strings.Join(Codes(picked), " "); got != tc.picked || (words == "") != (tc.words == "") || !strings.Contains(words, tc.words) {
			t.Errorf("%s to %v: %q, %q; want %q, %q", tc.said, Codes(tc.asked), got, words, tc.picked, tc.words)
		}
	}
}
