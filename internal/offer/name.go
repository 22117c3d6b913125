package offer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"loci"
	"loci/internal/toolcall"
)

const (
	mostName  = 64 // characters of a name; OpenAI's rule, which servers keep to
	mark      = 6  // hexadecimal digits that tell a changed name from others
	namespace = "client_"
)

// tool is a client's tool with the name that it is offered by.
type tool struct {
	loci.ToolSpec
	name  string
	needs int // how much the client's name must change: 0, not at all
}

// named gives the client's tools their names. A name depends on the tools there
// are, never on their order: clients list them as they happen to connect.
func named(ours, theirs []loci.ToolSpec) []tool {
	ours = append(slices.Clone(ours), FindTool(), ReadResult())
	tools := distinct(theirs)
	order := make([]*tool, len(tools))
	for i := range tools {
		t := &tools[i]
		t.name = legal(t.Name)
		switch {
		case clashes(t.name, ours):
			t.needs = 2
		case t.name != t.Name:
			t.needs = 1
		}
		order[i] = t
	}
	// Whoever can keep a name keeps it; then come those that need another one.
	slices.SortFunc(order, func(a, b *tool) int {
		return cmp.Or(cmp.Compare(a.needs, b.needs), cmp.Compare(a.Name, b.Name))
	})
	taken := map[string]bool{}
	for _, t := range order {
		name := t.name
		for n := 1; taken[name] || clashes(name, ours); n++ {
			prefix := namespace
			if n > 1 {
				prefix = fmt.Sprintf("%s%d_", namespace, n)
			}
			name = legal(prefix + t.name)
		}
		t.name, taken[name] = name, true
	}
	return tools
}

// distinct leaves out tools without a name, and of those with the same name all
// but the last.
func distinct(theirs []loci.ToolSpec) []tool {
	var tools []tool
	seen := map[string]bool{}
	for _, t := range slices.Backward(theirs) {
		if t.Name == "" || seen[t.Name] {
			continue
		}
		seen[t.Name] = true
		tools = append(tools, tool{ToolSpec: t})
	}
	slices.Reverse(tools)
	return tools
}

// clashes tells whether a call by this name, as forgivingly as calls are read,
// could mean a tool of ours.
func clashes(name string, ours []loci.ToolSpec) bool {
	_, ok := toolcall.Name(name, ours)
	return ok
}

// legal gives a name that every model server takes. One that is not legal itself
// loses its other characters, and gets a mark made of the whole name: two that
// become alike by what they lost stay two, on every day and in every order.
func legal(name string) string {
	if len(name) <= mostName && strings.IndexFunc(name, illegal) < 0 {
		return name
	}
	words := strings.FieldsFunc(name[:min(len(name), 4*mostName)], illegal)
	kept := cmp.Or(strings.Join(words, "_"), "tool")
	sum := sha256.Sum256([]byte(name))
	return kept[:min(len(kept), mostName-1-mark)] + "_" + hex.EncodeToString(sum[:])[:mark]
}

// illegal tells that a character may not be in a name.
func illegal(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
}

// originals maps the offered names to the client's own.
func originals(tools []tool) map[string]string {
	m := make(map[string]string, len(tools))
	for _, t := range tools {
		m[t.name] = t.Name
	}
	return m
}
