// Package offer decides which tools a model gets to see, and in what words: those
// of loci and those that a chat client brings along, out of one budget.
//
// A small model's window is soon full of tools: loci has some twenty, and a chat UI
// brings thirty-six more, 26 kB of descriptions. [Shelf.Choose] makes of them what
// fits: all of them shortened, or those that the person's message is about, then the
// few that are wanted most whatever it is about. What is left out is asked for, and
// called, through the tool that [FindTool] describes and [Offer.Find] answers.
//
// Names are made such that a model's call can only mean one tool: a client's tool
// called like one of loci gets another name, and what no model server would take as
// a name gets one that it takes. [Offer.Original] leads back.
//
// A client's descriptions are from outside. They are made inert, sizes and depths
// are bounded, and the same tools give the same bytes whatever order they come
// in, because they become part of a prompt that must not move.
package offer

import (
	"cmp"
	"fmt"
	"slices"

	"loci"
	"loci/internal/text"
	"loci/internal/toolcall"
)

// Small tells whether a window of so many tokens is so small that all words before the
// person's must be few.
func Small(window int) bool { return window < 4<<10 }

// Budget is how many tokens the system block and the tools may take together in a
// window of so many: what a model reads before the person has said anything. The
// client's own system message comes on top.
func Budget(window int) int {
	switch {
	case Small(window):
		return 500
	case window <= 8<<10:
		return loci.UsualBlock
	}
	return 2000
}

const (
	surely    = 3   // so many of the tools that a message is about come before all others
	heeded    = 5   // and if one of so many is not offered anyway, the message decides
	narrow    = 400 // in a room of no more tokens than this, tools have no hints
	shares    = 3   // one tool takes no more than this part of the room
	leastTool = 64  // tokens that one tool may take, whatever the room
)

// An Offer is what a model is offered. The zero value offers nothing.
type Offer struct {
	// Ours and Theirs are the tools that the model sees, as it sees them, in the order
	// that they came in. The client's have the names that the model calls them by.
	Ours, Theirs []loci.ToolSpec
	// Left are the client's others, shortened. A model may call them too, once it
	// knows them from Find; so it may those of ours that are not in Ours.
	Left []loci.ToolSpec
	// More says that something is left out, so that FindTool is to be offered.
	More bool

	originals map[string]string // the client's name by the offered name
	shelf     *Shelf            // what Find searches: ours,
	ours      []loci.ToolSpec
	tools     []tool // and the client's
}

// Need is what an offer is made for.
type Need struct {
	Ours, Theirs []loci.ToolSpec
	Message      string    // the first of the session
	Room         int       // tokens that the tools may take
	Tier         loci.Tier // native tools take more room than lines of text
}

// candidate is a tool that may be offered, in its longer and its barest words.
type candidate struct {
	short, bare         loci.ToolSpec
	shortCost, bareCost int
	document            document
	core, dangerous     bool
	dormant             bool
	own                 bool
}

// Choose chooses what to offer. As long as the message wants nothing else, that is the
// same for all messages: then their prompts begin alike, and a server that has read one
// need not read the next from its beginning. Of two client tools with the same name the later
// counts, as of two equal names in JSON; those without a name are dropped. The
// message decides only where not all tools fit. Tools that cannot do anything as
// things are set up are left out in any case.
func (s *Shelf) Choose(n Need) Offer {
	tools := named(n.Ours, n.Theirs)
	o := Offer{originals: originals(tools), shelf: s, ours: n.Ours, tools: tools}
	all := s.candidates(n, tools)
	picked, whole := choose(all, make([]float64, len(all)), n.Room, n.Tier)
	if scores := score(documentsOf(all), n.Message); !whole && wants(scores, picked) {
		picked, _ = choose(all, scores, n.Room, n.Tier)
	}
	o.More = !whole
	for i, c := range all {
		spec, taken := picked[i]
		switch {
		case taken && c.own:
			o.Ours = append(o.Ours, spec)
		case taken:
			o.Theirs = append(o.Theirs, spec)
		case !c.own:
			o.Left = append(o.Left, c.short)
		}
	}
	return o
}

// wants tells whether one of the few tools that a message is about is not picked.
func wants(scores []float64, picked map[int]loci.ToolSpec) bool {
	for _, i := range byScore(scores)[:min(heeded, len(scores))] {
		if _, there := picked[i]; scores[i] > 0 && !there {
			return true
		}
	}
	return false
}

// candidates are all tools in the words that suit the room: ours, then the client's.
func (s *Shelf) candidates(n Need, tools []tool) []candidate {
	most := max(leastTool, n.Room/shares)
	all := make([]candidate, 0, len(n.Ours)+len(tools))
	for _, t := range n.Ours {
		all = append(all, s.candidate(t, n.Tier))
	}
	for _, t := range tools {
		all = append(all, s.client(t, n.Tier))
	}
	for i := range all {
		if c := &all[i]; n.Room <= narrow || c.shortCost > most {
			c.short, c.shortCost = c.bare, c.bareCost
		}
	}
	asTheyAre(all[len(n.Ours):], tools, n)
	return all
}

// asTheyAre lets the client's tools keep their words, if all of them together leave
// half of the room to ours.
func asTheyAre(all []candidate, tools []tool, n Need) {
	room := n.Room / 2
	whole := make([]loci.ToolSpec, len(tools))
	for i, t := range tools {
		if len(t.Description) > 8*room { // it will not fit, so it need not be read
			return
		}
		whole[i] = t.whole()
		if room -= cost(whole[i], n.Tier); room < 0 {
			return
		}
	}
	for i := range all {
		all[i].short, all[i].shortCost = whole[i], cost(whole[i], n.Tier)
	}
}

// Resume makes the offer of a later turn, in which began and offered, our tools and the
// client's that the session began with, must stay as they are. Whatever else there is now can
// be found. A tool that the client no longer has stays offered, and has no original.
func (s *Shelf) Resume(ours, theirs, began, offered []loci.ToolSpec) Offer {
	tools := named(ours, theirs)
	o := Offer{Ours: began, Theirs: offered, originals: originals(tools), More: true, shelf: s, ours: ours, tools: tools}
	for _, t := range tools {
		if !slices.ContainsFunc(offered, func(s loci.ToolSpec) bool { return s.Name == t.name }) {
			o.Left = append(o.Left, s.client(t, loci.TierNative).short)
		}
	}
	return o
}

// all are the tools that Find searches.
func (o Offer) all() []candidate {
	if o.shelf == nil {
		return nil
	}
	all := make([]candidate, 0, len(o.ours)+len(o.tools))
	for _, t := range o.ours {
		all = append(all, o.shelf.candidate(t, loci.TierNative))
	}
	for _, t := range o.tools {
		all = append(all, o.shelf.client(t, loci.TierNative))
	}
	return all
}

func documentsOf(all []candidate) []document {
	documents := make([]document, len(all))
	for i, c := range all {
		documents[i] = c.document
	}
	return documents
}

// Original is the client's own name of a tool, offered or left out, by the name
// that the model knows it by.
func (o Offer) Original(name string) (string, bool) {
	original, ok := o.originals[name]
	return original, ok
}

// Choice is what a client demands of its tools, by the names that the model knows
// them by. It is nothing if it demands none, or one that is not offered.
func (o Offer) Choice(c loci.ToolChoice) loci.ToolChoice {
	if c.Mode != loci.ChoiceRequired || c.Name == "" && len(o.Theirs) == 0 {
		return loci.ToolChoice{}
	}
	if c.Name == "" {
		return c
	}
	for _, t := range o.Theirs {
		if o.originals[t.Name] == c.Name {
			return loci.ToolChoice{Mode: c.Mode, Name: t.Name}
		}
	}
	return loci.ToolChoice{}
}

// choose takes tools until the room is full, each in its longer words if they fit,
// else in its barest. All is whether none was left out.
func choose(tools []candidate, scores []float64, room int, tier loci.Tier) (picked map[int]loci.ToolSpec, all bool) {
	picked, all = map[int]loci.ToolSpec{}, true
	together := 0
	for _, c := range tools {
		together += c.shortCost
		all = all && !c.dormant
	}
	if all = all && together <= room; !all {
		room -= cost(FindTool(), tier)
	}
	for _, i := range ranked(tools, scores) {
		switch c := tools[i]; {
		case c.dormant:
		case c.shortCost <= room:
			picked[i], room = c.short, room-c.shortCost
		case c.bareCost <= room:
			picked[i], room = c.bare, room-c.bareCost
		}
	}
	return picked, all
}

// ranked lists the positions of tools, those first that should be offered first: the
// few that the message is about, the core, others that it has to do with, then the
// client's in its own order and the rest of ours.
func ranked(tools []candidate, scores []float64) []int {
	order := byScore(scores)
	class := make([]int, len(tools))
	for place, i := range order {
		switch c := tools[i]; {
		case scores[i] > 0 && place < surely:
			class[i] = 0
		case c.core && !c.dangerous:
			class[i] = 1
		case c.core:
			class[i] = 2
		case scores[i] > 0:
			class[i] = 3
		case !c.own:
			class[i] = 4
		default:
			class[i] = 5
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(class[a], class[b]) })
	return order
}

// cost is what a tool takes of a prompt, in tokens.
func cost(t loci.ToolSpec, tier loci.Tier) int {
	if tier == loci.TierText {
		return text.Tokens(toolcall.Lines([]loci.ToolSpec{t}))
	}
	return text.Tokens(fmt.Sprintf(`{"type":"function","function":{"name":%q,"description":%q,"parameters":%s}}`+"\n", t.Name, t.Description, t.Parameters))
}

// byScore lists the positions of scores, the best first, equal ones as they come.
func byScore(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}
