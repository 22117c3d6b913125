package intent_test

import (
	"loci/internal/embedded/embeddedtest"
	"loci/internal/intent"
	"testing"
)

func TestFreshNear(t *testing.T) {
	s := embeddedtest.Start(t).Embed
	scored(t, intent.New(intent.Config{Embedder: server{s.URL(), s.Key(), s.Model()}}), fresh(t)...)
}
