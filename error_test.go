package loci_test

import (
	"testing"

	"loci"
)

func TestErrorJoinsItsSentences(t *testing.T) {
	for _, e := range []struct{ message, hint, want string }{
		{"model 'nope' not found", "There is: x", "model 'nope' not found. There is: x"},
		{"It failed.", "Ask again.", "It failed. Ask again."},
		{"Which one?", "Say it.", "Which one? Say it."},
		{"It goes on…", "Wait.", "It goes on… Wait."},
		{"It failed (twice)", "Ask again.", "It failed (twice). Ask again."},
		{"model 'nope' not found", "", "model 'nope' not found"},
	} {
		if got := (&loci.Error{Message: e.message, Hint: e.hint}).Error(); got != e.want {
			t.Errorf("%q, want %q", got, e.want)
		}
	}
}
