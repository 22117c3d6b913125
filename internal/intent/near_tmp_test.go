package intent_test
import ("testing";"loci/internal/intent";"loci/internal/embedded/embeddedtest")
func TestFreshNear(t *testing.T) {
	s := embeddedtest.Start(t).Embed
	scored(t, intent.New(intent.Config{Embedder: server{s.URL(), s.Key(), s.Model()}}), fresh(t)...)
}
