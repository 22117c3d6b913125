package offer

import (
	"testing"

	"loci"
	"loci/internal/offer/offertest"
)

// BenchmarkChatUI is the offer to a session of a chat UI with 36 tools of its own, 26 kB
// of them: at its first message, and at each later one.
func BenchmarkChatUI(b *testing.B) {
	theirs := offertest.ChatUI(b)
	var shelf Shelf
	need := Need{Ours: ours, Theirs: theirs, Message: "What is in my notes?", Room: 600, Tier: loci.TierNative}
	first := shelf.Choose(need)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			shelf.Choose(need)
		}
	})
	b.Run("later", func(b *testing.B) {
		for b.Loop() {
			shelf.Resume(need.Ours, theirs, first.Ours, first.Theirs)
		}
	})
	b.Run("tiny", func(b *testing.B) {
		for b.Loop() {
			shelf.Brought(need.Ours, theirs)
		}
	})
}
