package offer

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"sync"

	"loci"
)

// mostKept bounds how many of the clients' tools are kept in short, a few kB each. When
// there are more, all are made again.
const mostKept = 1000

// Shelf keeps the short forms of tools, which take long to make and are the same in
// every turn: ours, and those that clients bring along each time. The zero value is
// ready, and safe for concurrent use.
type Shelf struct {
	mu     sync.Mutex
	made   map[string]candidate // ours
	theirs map[uint64]candidate
	seed   maphash.Seed    // of the keys of theirs
	from   []loci.ToolSpec // of which List was last made,
	list   []loci.ToolSpec // and what it gave
}

// List gives our tools with the one that reads on in a long result, and the same with
// FindTool behind them. The same tools give the same two lists, which are not for the
// caller to change: each turn holds them for as long as its model speaks.
func (s *Shelf) List(ours []loci.ToolSpec) (with, andFind []loci.ToolSpec) {
	if len(ours) == 0 {
		return nil, []loci.ToolSpec{FindTool()}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.from) != len(ours) || &s.from[0] != &ours[0] {
		s.from, s.list = ours, slices.Concat(ours, []loci.ToolSpec{ReadResult(), FindTool()})
	}
	return slices.Clip(s.list[:len(s.list)-1]), slices.Clip(s.list)
}

// candidate is one of our tools, made ready once.
func (s *Shelf) candidate(t loci.ToolSpec, tier loci.Tier) candidate {
	key := string(tier) + t.Name + t.Description + string(t.Parameters)
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.made[key]
	if !ok {
		own := tool{ToolSpec: t, name: t.Name}
		c = own.candidate(tier)
		if tier == loci.TierText { // a line takes the first sentence by itself, and its example from the rest
			c.short, c.bare.Description = t, t.Description
			c.shortCost, c.bareCost = cost(c.short, tier), cost(c.bare, tier)
		}
		c.own, c.core, c.dangerous = true, t.Core, t.Dangerous
		for _, e := range t.Examples {
			c.document.add(withoutNames(e), 1)
		}
		if s.made == nil {
			s.made = map[string]candidate{}
		}
		s.made[key] = c
	}
	c.dormant = t.Dormant // which can change
	return c
}

// client is one of a client's tools, made ready once.
func (s *Shelf) client(t tool, tier loci.Tier) candidate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.theirs == nil || len(s.theirs) >= mostKept {
		s.theirs, s.seed = map[uint64]candidate{}, maphash.MakeSeed()
	}
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, part := range []string{string(tier), t.name, t.Name, t.Description, string(t.Parameters)} {
		_, _ = h.WriteString(part) // a hash never fails
		_ = h.WriteByte(0)
	}
	key := h.Sum64()
	c, ok := s.theirs[key]
	if !ok {
		c = t.candidate(tier)
		s.theirs[key] = c
	}
	return c
}

// candidate is a tool in its longer and its barest words.
func (t tool) candidate(tier loci.Tier) candidate {
	if tier == loci.TierTiny { // no model reads it
		return candidate{short: t.told()}
	}
	c := candidate{short: t.short(), bare: t.bare(), document: newDocument(t.ToolSpec)}
	c.shortCost, c.bareCost = cost(c.short, tier), cost(c.bare, tier)
	return c
}

// ReadResult describes the tool that reads on in a result which was too long for the
// model's window, and of which it has read a part.
func ReadResult() loci.ToolSpec {
	return loci.ToolSpec{
		Name:        "read_result",
		Description: "Reads on in a long tool result: id and from as given there.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"from":{"type":"integer"}},"required":["id","from"],"additionalProperties":false}`),
		SideEffects: loci.EffectNone,
		Examples:    []string{"Read the rest of the result.", "Show the next page of that output."},
	}
}
