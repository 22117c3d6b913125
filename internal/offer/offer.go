// Package offer decides which of a client's own tools a model gets to see, and
// in what words.
//
// Chat clients bring tools along: Open WebUI some thirty-six of them, 26 kB of
// descriptions, more than the whole window of a small model. [Merge] makes of
// them what fits a budget: all of them as they are, else all of them shortened,
// else those that the person's message is about. What is left out can be asked
// for with the tool that [FindTool] describes and [Offer.Find] answers.
//
// Names are made such that a model's call can only mean one tool: what is called
// like a tool of loci gets another name, and what no model server would take as
// a name gets one that it takes. [Offer.Original] leads back.
//
// Everything here is from outside. Descriptions are made inert, sizes and depths
// are bounded, and the same tools give the same bytes whatever order they come
// in, because they become part of a prompt that must not move.
package offer

import (
	"cmp"
	"encoding/json"
	"slices"

	"loci"
	"loci/internal/text"
)

const (
	share     = 8    // the client's tools get this part of the window,
	leastRoom = 256  // but no fewer tokens than this
	mostRoom  = 2000 // and no more than this

	surely    = 3   // so many of the best tools are offered even where there is no room
	leastTool = 128 // tokens that one shortened tool may take at least, whatever the room

	toolTokens = 12 // what the JSON around a tool's name, words and schema takes
)

// roomFor is how many tokens the tools of a client may take in a window.
func roomFor(window int) int { return min(mostRoom, max(leastRoom, window/share)) }

// An Offer is what a model is offered of a client's tools. The zero value offers
// nothing.
type Offer struct {
	// Tools are the tools that the model sees, in the client's order and by the
	// names that the model calls them by.
	Tools []loci.ToolSpec
	// Left are the others, shortened. A model may call them too, once it knows
	// them from Find.
	Left []loci.ToolSpec

	originals map[string]string // the client's name by the offered name
	documents []document        // what Find searches: one for each of Left
}

// Merge chooses what to offer of the client's tools beside our own. Of two
// client tools with the same name the later counts, as of two equal names in
// JSON; those without a name are dropped. The message, the first of the session,
// decides only where not all of them fit.
func Merge(ours, theirs []loci.ToolSpec, message string, window int) Offer {
	tools := named(ours, theirs)
	o := Offer{originals: originals(tools)}
	room := roomFor(window)
	if specs, ok := asTheyAre(tools, room); ok {
		o.Tools = specs
		return o
	}
	short, total := make([]loci.ToolSpec, len(tools)), 0
	for i, t := range tools {
		short[i] = t.shortened(max(leastTool, room/2))
		total += cost(short[i])
	}
	if total <= room {
		o.Tools = short
		return o
	}
	documents := make([]document, len(tools))
	for i, t := range tools {
		documents[i] = newDocument(t.ToolSpec)
	}
	taken := choose(tools, short, rank(documents, message), room-cost(FindTool()))
	for i := range tools {
		if taken[i] {
			o.Tools = append(o.Tools, short[i])
		} else {
			o.leave(short[i], documents[i])
		}
	}
	return o
}

// Resume makes the offer of a later turn, in which offered, the tools that the
// session began with, must stay as they are. Whatever else the client has now is
// left out, and can be found. A tool that it no longer has stays offered, and
// has no original.
func Resume(ours, theirs, offered []loci.ToolSpec, window int) Offer {
	tools := named(ours, theirs)
	o := Offer{Tools: offered, originals: originals(tools)}
	seen := map[string]bool{}
	for _, t := range offered {
		seen[t.Name] = true
	}
	for _, t := range tools {
		if !seen[t.name] {
			o.leave(t.shortened(max(leastTool, roomFor(window)/2)), newDocument(t.ToolSpec))
		}
	}
	return o
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
	if c.Mode != loci.ChoiceRequired || c.Name == "" && len(o.Tools) == 0 {
		return loci.ToolChoice{}
	}
	if c.Name == "" {
		return c
	}
	for _, t := range o.Tools {
		if o.originals[t.Name] == c.Name {
			return loci.ToolChoice{Mode: c.Mode, Name: t.Name}
		}
	}
	return loci.ToolChoice{}
}

func (o *Offer) leave(t loci.ToolSpec, d document) {
	o.Left = append(o.Left, t)
	o.documents = append(o.documents, d)
}

// asTheyAre gives the tools unchanged but for what would not be inert, if all of
// them together fit the room.
func asTheyAre(tools []tool, room int) ([]loci.ToolSpec, bool) {
	var specs []loci.ToolSpec
	for _, t := range tools {
		if len(t.Description) > 8*room { // it will not fit, so it need not be read
			return nil, false
		}
		s := t.whole()
		if room -= cost(s); room < 0 {
			return nil, false
		}
		specs = append(specs, s)
	}
	return specs, true
}

// choose takes tools in the order of their rank until the room is full. The
// first few are taken in any case, the largest of them with the least of their
// schema where there is no room for more.
func choose(tools []tool, short []loci.ToolSpec, order []int, room int) (taken []bool) {
	first := slices.Clone(order[:min(len(order), surely)])
	slices.SortStableFunc(first, func(a, b int) int { return cmp.Compare(cost(short[b]), cost(short[a])) })
	together := 0
	for _, i := range first {
		together += cost(short[i])
	}
	for _, i := range first {
		if together > room {
			together -= cost(short[i])
			short[i] = tools[i].bare()
			together += cost(short[i])
		}
	}
	taken = make([]bool, len(tools))
	for place, i := range order {
		if c := cost(short[i]); place < surely || c <= room {
			taken[i] = true
			room -= c
		}
	}
	return taken
}

// cost is what a tool takes of a prompt, in tokens.
func cost(t loci.ToolSpec) int {
	return toolTokens + text.Tokens(t.Name) + text.Tokens(t.Description) + text.Tokens(string(t.Parameters))
}

// FindTool describes the tool that the engine answers with [Offer.Find]. It is
// to be offered where some of the client's tools were left out.
func FindTool() loci.ToolSpec {
	return loci.ToolSpec{
		Name:        findTool,
		Description: `Finds more tools. Say what you want to do, then call the one it gives. Example: {"need":"create a note"}`,
		Parameters:  json.RawMessage(`{"type":"object","properties":{"need":{"type":"string"}},"required":["need"]}`),
		SideEffects: loci.EffectNone,
	}
}

const (
	findTool = "find_tool"
	mostHits = 3  // tools that a search gives
	mostList = 40 // names that are listed where a search gives none
)

// hit is a found tool as the model reads it.
type hit struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Find gives the tools that were left out and fit what the model needs best, up
// to three, as the result of a call of find_tool. Where none fits it gives the
// names of what there is, so that the model can ask again in other words.
func (o Offer) Find(need string) json.RawMessage {
	var result struct {
		Tools []hit    `json:"tools"`
		Names []string `json:"names,omitempty"`
		Note  string   `json:"note"`
	}
	result.Tools = []hit{}
	scores := score(o.documents, need)
	for _, i := range byScore(scores) {
		if scores[i] == 0 || len(result.Tools) == mostHits {
			break
		}
		t := o.Left[i]
		result.Tools = append(result.Tools, hit{t.Name, t.Description, t.Parameters})
	}
	switch {
	case len(result.Tools) > 0:
		result.Note = "Call the one that fits by its name."
	case len(o.Left) == 0:
		result.Note = "There are no more tools than those you already know."
	default:
		result.Note = "Nothing fits these words. These tools exist: ask again with one of their names, or do without."
		for _, t := range o.Left[:min(len(o.Left), mostList)] {
			result.Names = append(result.Names, t.Name)
		}
	}
	return encode(result)
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
