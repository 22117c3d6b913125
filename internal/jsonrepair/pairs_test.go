package jsonrepair_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci/internal/jsonrepair"
	"loci/internal/jsonrepair/repairtest"
)

// TestPairs measures on the test cases of two repair libraries. They contradict
// each other here and there, so nobody can have all of them right.
func TestPairs(t *testing.T) {
	total, equal, sure, wrong := 0, 0, 0, 0
	for file, pairs := range repairtest.Pairs(t) {
		here := 0
		for i, pair := range pairs {
			total++
			fixed, how, err := jsonrepair.Repair([]byte(pair.Input))
			var got any
			if err == nil {
				if err := json.Unmarshal(fixed, &got); err != nil {
					t.Fatalf("%q became %s: %v", pair.Input, fixed, err)
				}
			}
			certain := err == nil && !how.Cut && how.Doubt == ""
			if err == nil && cmp.Equal(pair.Expected, got) {
				equal++
				here++
				if certain {
					sure++
				}
				continue
			}
			want, _ := json.Marshal(pair.Expected) // it came from JSON
			t.Logf("%s %d: certain %v: %q became %s, not %s (%+v, %v)", file[:12], i, certain, pair.Input, fixed, want, how, err)
			if certain {
				wrong++
			}
		}
		t.Logf("%s: %d of %d", file, here, len(pairs))
	}
	t.Logf("%d of %d as expected, %d of them certain; %d certain and otherwise", equal, total, sure, wrong)
	if equal*10 < total*9 {
		t.Errorf("%d of %d are as expected, less than 90 %%", equal, total)
	}
}
