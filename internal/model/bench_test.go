package model

import (
	"testing"

	"loci/internal/model/server"
	"loci/internal/model/server/servertest"
)

// BenchmarkResolve measures finding a model by name, once it is known.
func BenchmarkResolve(b *testing.B) {
	h := hub(b, Config{Backends: []server.Backend{backend(servertest.Serve(b, servertest.Routes{"GET /api/tags": servertest.Tags("a=llama,8B", "b=llama,8B", "c=llama,8B")}), server.KindOllama)}})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Resolve(b.Context(), "loci/c"); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzSimilar compares names of any bytes.
func FuzzSimilar(f *testing.F) {
	f.Add("llama3.2", "lama3.2")
	f.Add("a:b", "\xff")
	f.Fuzz(func(t *testing.T, name, wrong string) {
		if found := similar([]string{"llama3.2:3b", name}, wrong); name == wrong && len(found) == 0 {
			t.Errorf("%q is not similar to itself", name)
		}
	})
}
