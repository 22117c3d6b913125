package intent_test

import (
	"testing"

	"loci"
	"loci/internal/intent"
)

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		intent.New(intent.Config{})
	}
}

func BenchmarkNextTalk(b *testing.B) {
	r := intent.New(intent.Config{})
	s := loci.Situation{Text: "Could you explain to me how photosynthesis works in plants that live under water?", Lang: "en", Tools: specs, Now: now}
	for b.Loop() {
		if _, err := r.Next(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
}
