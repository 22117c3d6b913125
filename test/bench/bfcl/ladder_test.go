package main

import (
	"encoding/json"
	"testing"

	"loci/internal/embedded/embeddedtest"
)

// TestLadder is a look whether the models and the highest rungs work, on questions of
// our own.
func TestLadder(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	embeddedtest.Engine(t) // or skips
	l, stop, err := newLadder(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	area := function{"shape.area", "Calculate the area of a rectangle.", json.RawMessage(
		`{"type": "dict", "properties": {"width": {"type": "integer", "description": "The width."}, "height": {"type": "float", "description": "The height."}}, "required": ["width", "height"]}`)}
	q := question{ID: "own_0", Text: "What is the area of a rectangle of width 3 and height 5?", Functions: []function{area},
		Right: map[string]map[string][]any{"shape.area": {"width": {3.0}, "height": {5.0}}}}
	none := question{ID: "own_1", Text: "Who wrote Hamlet?", Functions: []function{area}}
	for _, q := range []question{q, none} {
		calls, err := l.tiny(t.Context(), q)
		if err == nil {
			err = check(q, calls)
		}
		if err != nil {
			t.Errorf("%s: %v", q.ID, err)
		}
	}
	if held, err := l.constrained(t.Context(), q); err != nil || len(held.calls) != 1 && held.fault == nil {
		t.Errorf("held to a call, the model said %q: %v", held.said, err)
	}
}
