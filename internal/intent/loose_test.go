package intent_test

import (
	"slices"
	"testing"

	"loci"
	"loci/internal/intent"
	"loci/internal/lang"
	"loci/test/natural"
)

// TestTakenBackRunsNothing puts words before requests by which nobody asks for
// anything: nothing may be changed, run or sent by what is left of them.
func TestTakenBackRunsNothing(t *testing.T) {
	r := intent.New(intent.Config{})
	offered := specsOf(natural.Tools(t.TempDir()))
	for _, half := range fresh(t) {
		for _, q := range half.Requests {
			if lang.Of(q.Say) != lang.English || !slices.Contains(actors, q.Kind()) {
				continue
			}
			for _, before := range []string{"don't ", "please do not ", "never ", "how would I ", "should I ", "what happens if I ", "imagine I said: ", "why would anyone "} {
				text := before + q.Say
				m, err := r.Next(t.Context(), loci.Situation{Text: text, Lang: lang.English, Tools: offered, Now: now})
				if err != nil {
					t.Fatal(err)
				}
				if m.Call != nil && slices.Contains(actors, m.Call.Name) {
					t.Errorf("%q ran %s %s", text, m.Call.Name, m.Call.Arguments)
				}
			}
		}
	}
}

// actors are the tools that change, run or send something.
var actors = append([]string{"media_control", "open_app", "change_db", "http_request"}, changers...)
