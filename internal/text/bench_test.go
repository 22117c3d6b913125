package text_test

import (
	"strings"
	"testing"

	"loci/internal/text"
)

func BenchmarkTokens(b *testing.B) {
	s := strings.Repeat("The quick brown fox jumps over 13 lazy dogs.\n", 2000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		text.Tokens(s)
	}
}
