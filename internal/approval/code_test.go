package approval

import (
	"strings"
	"testing"
)

func TestIsCode(t *testing.T) {
	for s, want := range map[string]bool{
		"7F3": true, "8K2": true, "4K9M2": true, "2A2A2A2": true,
		"": false, "7": false, "7F": false, "7F3K": false, "F3K": false, "7f3": false, "７F3": false, "1F3": false, "7F0": false,
		"7I3": false, "7O3": false, "7L3": false, "7Q3": false, "7U3": false, "7Z3": false, "7F3 ": false, "773": false, "7К3": false,
	} {
		if isCode(s) != want {
			t.Errorf("%q: %t", s, !want)
		}
	}
}

func TestNewCode(t *testing.T) {
	lengths := map[int]int{}
	taken := map[string]bool{}
	for range 1500 { // more than there are of the shortest
		code := NewCode(func(code string) bool { return taken[code] })
		if !isCode(code) || taken[code] {
			t.Fatalf("%q, taken: %t", code, taken[code])
		}
		if answer := Read("yes " + strings.ToLower(code)); answer.Verdict != Yes || len(answer.Codes) != 1 || answer.Codes[0] != code {
			t.Fatalf("yes %s: %+v", code, answer)
		}
		taken[code] = true
		lengths[len(code)]++
	}
	if lengths[3] < 200 || lengths[5] < 400 {
		t.Errorf("lengths: %v", lengths)
	}
	if code := NewCode(func(string) bool { return false }); len(code) != 3 {
		t.Error(code)
	}
	if code := NewCode(func(code string) bool { return len(code) < 7 }); len(code) != 7 {
		t.Error("when all short ones are taken:", code)
	}
}
