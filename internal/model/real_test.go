package model

import (
	"testing"
	"time"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/model/server"
)

// TestProbeReal tries the embedded model out on the real engine: SmolLM2 with 135
// million weights, whose template has no place for tools and which follows none of
// the ways to write a call reliably. The engine holds replies to schemas.
func TestProbeReal(t *testing.T) {
	s := embeddedtest.Start(t).Chat
	t.Cleanup(embeddedtest.Stop)
	store := &memory{}
	h := hub(t, Config{Profiles: store})
	h.SetBackend("own", server.Backend{URL: s.URL(), Dialect: loci.OpenAI, Key: s.Key(), Kind: server.KindLlamaServer, Name: "own", Digest: s.Digest()})
	began := time.Now()
	first, err := h.Profile(t.Context(), "")
	if err != nil || first.Tier != loci.TierTiny {
		t.Fatalf("%+v %v", first, err)
	}
	contact := time.Since(began)
	p, err := h.Probe(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	whole := time.Since(began)
	t.Logf("known after %v, tried out after %v: %+v", contact, whole, p)
	// It is a matter of some 300 tokens; how long these take, the machine decides.
	if bound := time.Duration(500 / p.Speed.Write * float64(time.Second)); contact > time.Second || whole > bound+5*time.Second {
		t.Errorf("it took %v and %v", contact, whole)
	}
	if p.Tier != loci.TierTiny || p.Window != 8192 || p.Constrain != loci.Yes || p.Stopping != loci.Yes ||
		p.System != loci.Yes || p.Systems != loci.Yes || p.Alternate != loci.No || p.Native != loci.Unknown || p.Think {
		t.Errorf("%+v", p)
	}
	if p.Speed.Read < 1 || p.Speed.Write < 1 || p.Speed.FirstToken(loci.UsualPrompt) == 0 {
		t.Errorf("%+v", p.Speed)
	}
	h.Close()
	if kept := store.kept["own "+p.Model]; kept.Probed != p.Probed || kept.Digest != p.Digest || kept.Digest == "" {
		t.Errorf("stored %+v", kept)
	}
}
