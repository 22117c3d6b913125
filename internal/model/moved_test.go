package model

import (
	"testing"

	"loci"
	"loci/internal/fake"
	"loci/internal/model/server"
)

// A model whose template moves the tools writes them as text from then on, also when it
// is looked at again; that is news once.
func TestToolsMove(t *testing.T) {
	m := fake.NewModel()
	b, err := server.ParseBackend(m.OpenAI(t))
	if err != nil {
		t.Fatal(err)
	}
	h := New(Config{Backends: []server.Backend{b}})
	defer h.Close()
	tier := func() loci.Tier {
		t.Helper()
		p, err := h.Profile(t.Context(), m.Name)
		if err != nil {
			t.Fatal(err)
		}
		return p.Tier
	}
	news := func(model string) bool {
		t.Helper()
		moves, news := h.ToolsMove(model)
		if !moves {
			t.Errorf("%s: what calls show is not believed", model)
		}
		return news
	}
	if tier() != loci.TierNative || !news(m.Name) || tier() != loci.TierText || news(m.Name) || news("gone") {
		t.Fatalf("it is not marked once and for all: the tier is %s", tier())
	}
	target, err := h.Resolve(t.Context(), m.Name)
	if err != nil {
		t.Fatal(err)
	}
	a := h.acquaintance(target)
	told := true
	f := a.facts.last()
	f.Tools = &told
	if p := compose(a.snapshot(), a.base, f); p.Tier != loci.TierText || !p.ToolsMove || p.Reason != movedReason {
		t.Errorf("looked at again it is %+v", p)
	}
	f.Digest = "other weights"
	h.recall(t.Context(), target, a, f)
	if p := compose(a.snapshot(), a.base, f); p.Tier != loci.TierNative {
		t.Errorf("with other weights it is %+v", p)
	}
}

// What is in the memory of a server on this machine may be warmed up.
func TestLoaded(t *testing.T) {
	for _, ollama := range []bool{false, true} {
		m := fake.NewModel()
		url := m.OpenAI(t)
		if ollama {
			url = m.Ollama(t)
		}
		b, err := server.ParseBackend(url)
		if err != nil {
			t.Fatal(err)
		}
		h := New(Config{Backends: []server.Backend{b}})
		if !h.Loaded(t.Context(), m.Name) || h.Loaded(t.Context(), "gone") {
			t.Errorf("Ollama %v: what is loaded is not known", ollama)
		}
		h.Close()
	}
}
