package model

import (
	"cmp"
	"slices"
	"strings"

	"loci"
	"loci/internal/model/server"
	"loci/internal/text"
	"loci/internal/wire"
)

// maxSimilar is how many names an error about an unknown one suggests.
const maxSimilar = 5

// unknown is the error for a name that no server knows. If it may be because a
// server is down, that is what the person needs to hear. The sentence itself is
// Ollama's own, to the letter: its clients look for it.
func unknown(lists []listed, name string) error {
	var names []string
	var down error
	for _, l := range lists {
		for _, m := range l.models {
			if !m.Embedding && !slices.Contains(names, m.ID) {
				names = append(names, m.ID)
			}
		}
		if down == nil {
			down = l.err
		}
	}
	switch {
	case len(names) == 0 && down != nil:
		return down
	case len(lists) == 0:
		return loci.Errorf(loci.Unreachable, "There is no model server.").
			WithHint("Start Ollama, LM Studio or llama-server, or let loci fetch a model with: loci up")
	case len(names) == 0:
		b := lists[0].client.Backend()
		e := loci.Errorf(loci.NotFound, "%s has no model yet.", b)
		if b.Kind == server.KindOllama {
			return e.WithHint("Fetch one with: ollama pull llama3.2")
		}
		return e.WithHint("Load one there, or let loci fetch a model with: loci up")
	}
	e := loci.Errorf(loci.NotFound, "model '%s' not found", wire.Clip(name))
	hint := "There is: "
	if alike := similar(names, name); len(alike) > 0 {
		names, hint = alike, "Did you mean: "
	}
	for i, name := range names[:min(len(names), maxSimilar)] {
		if i > 0 {
			hint += ", "
		}
		hint += wire.Clip(name)
	}
	if down != nil {
		hint += ". (" + loci.AsError(down).Message + ")"
	}
	return e.WithHint("%s", hint)
}

// similar picks the names that a wrong one may have meant, likeliest first. It
// looks at so many names and so much of each that a server with an absurd list
// cannot keep it busy.
func similar(names []string, wrong string) []string {
	start := func(name string) string { return strings.ToLower(name[:min(len(name), 200)]) }
	wrong = start(wrong)
	type scored struct {
		name string
		far  int
	}
	var near []scored
	for _, name := range names[:min(len(names), 1000)] {
		if far := farness(start(name), wrong); far <= max(2, len(wrong)/3) {
			near = append(near, scored{name, far})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.far, b.far) })
	found := make([]string, len(near))
	for i, n := range near {
		found[i] = n.name
	}
	return found
}

// farness tells how unlike two names are; 0 if one is part of the other. A
// different tag makes less of a difference than a different name.
func farness(name, wrong string) int {
	if strings.Contains(name, wrong) || strings.Contains(wrong, name) {
		return 0
	}
	base, _, _ := strings.Cut(name, ":")
	asked, _, _ := strings.Cut(wrong, ":")
	return min(text.Distance(name, wrong), 1+text.Distance(base, asked))
}
