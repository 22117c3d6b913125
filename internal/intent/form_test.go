package intent

import "testing"

// TestForms holds every form to its example, and to be the first of its kind that fits.
func TestForms(t *testing.T) {
	groups := map[string][]form{
		"foreign deeds": foreignDeeds, "surely talk": surelyTalk, "add more": addMore, "one more": oneMore, "swap": oneSwapMore, "file": oneFileMore,
		"reach": deedFields[0].form, "draw": deedFields[1].form, "run": deedFields[2].form,
	}
	for name, known := range groups {
		if len(known) == 0 {
			t.Errorf("%s: none", name)
		}
		for i, f := range known {
			for j := range known[:i+1] {
				if fits := known[j].has(f.example); fits != (i == j) {
					t.Errorf("%s: form %d and %q: %v", name, j, f.example, fits)
				}
			}
		}
	}
}
