// Package repairtest reads the test cases of the two best-known libraries that repair
// JSON, json_repair (Python) and jsonrepair (JavaScript), for the tests that measure on
// them. They are not part of the project, and lie beside it where somebody put them.
package repairtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Pair is a broken JSON text and what a library makes of it.
type Pair struct {
	Input    string
	Expected any
}

// Pairs are the test cases by library. A test is skipped where they are not.
func Pairs(t *testing.T) map[string][]Pair {
	t.Helper()
	files, err := filepath.Glob("../../../shared/data/json_repair_cases/*_cases.json") // from a package in internal
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("the test cases of the repair libraries are not here")
	}
	all := map[string][]Pair{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var pairs []Pair
		if err := json.Unmarshal(raw, &pairs); err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = pairs
	}
	return all
}
