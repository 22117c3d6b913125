package offer

import (
	"cmp"
	"encoding/json"
	"slices"

	"loci"
)

// FindTool describes the tool that the engine answers with [Offer.Find]. It also
// runs what was found (see [Called]): a model server that constrains calls lets a
// model write none but the names that were declared to it.
func FindTool() loci.ToolSpec {
	return loci.ToolSpec{
		Name:        findTool,
		Description: "Finds a tool for a need, or runs one by name.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"need":{"type":"string"},"name":{"type":"string"},"arguments":{"type":"object"}}}`),
		SideEffects: loci.EffectNone,
	}
}

// Through is how a tool is called through find_tool. Arguments is their JSON.
func Through(name, arguments string) string {
	return findTool + ` {"name":"` + name + `","arguments":` + arguments + `}`
}

// Sought is what a call of find_tool looks for: a need, or else a name that is none.
// Without either, all names are listed.
func Sought(c loci.ToolCall) string {
	var args struct{ Need, Name string }
	_ = json.Unmarshal(c.Arguments, &args)
	return cmp.Or(args.Need, args.Name)
}

const (
	findTool = "find_tool"

	mostHits   = 3  // tools that a search gives
	mostOthers = 12 // names that are listed besides,
	mostList   = 40 // and where a search gives none
)

// Called is the call that a call of find_tool stands for; false if it only searches.
// It has the same id: what a person is asked, what is run and what is written down
// is the tool itself. Arguments beside the name are taken as meant for it.
func Called(c loci.ToolCall) (loci.ToolCall, bool) {
	if c.Name != findTool {
		return c, false
	}
	var outer map[string]json.RawMessage
	var name string
	if json.Unmarshal(c.Arguments, &outer) != nil || json.Unmarshal(outer["name"], &name) != nil || name == "" || name == findTool {
		return c, false
	}
	arguments, ok := outer["arguments"]
	if !ok {
		delete(outer, "name")
		delete(outer, "need")
		arguments, _ = json.Marshal(outer) // what was just read always marshals
	}
	c.Name, c.Arguments = name, arguments
	return c, true
}

// hit is a found tool as the model reads it.
type hit struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Find gives the tools that fit what the model needs best, up to three besides those
// that it is offered, as the result of a call of find_tool. It also gives the names
// of others, so that the model can ask again.
func (o Offer) Find(need string) json.RawMessage {
	var result struct {
		Tools []hit    `json:"tools"`
		Names []string `json:"others,omitempty"`
		Note  string   `json:"note"`
	}
	result.Tools = []hit{}
	all := o.all()
	scores, rest, has := score(documentsOf(all), need), []string(nil), ""
	for place, i := range byScore(scores) {
		switch t := all[i].short; {
		case o.offered(t.Name):
			if place == 0 && scores[i] > 0 {
				has = "You have " + t.Name + " already. "
			}
		case scores[i] > 0 && len(result.Tools) < mostHits:
			result.Tools = append(result.Tools, hit{t.Name, t.Description, t.Parameters})
		default:
			rest = append(rest, t.Name)
		}
	}
	switch {
	case len(result.Tools) > 0:
		result.Note = "Call the one that fits: " + findTool + " with its name and arguments."
		result.Names = rest[:min(len(rest), mostOthers)]
	case !o.More:
		result.Note = "There are no more tools than those you already know."
	default:
		result.Note = "Nothing fits these words. These tools exist: ask again with one of their names, or do without."
		result.Names = rest[:min(len(rest), mostList)]
	}
	result.Note = has + result.Note
	return encode(result)
}

// offered tells whether the model has a tool already.
func (o Offer) offered(name string) bool {
	named := func(t loci.ToolSpec) bool { return t.Name == name }
	return slices.ContainsFunc(o.Ours, named) || slices.ContainsFunc(o.Theirs, named)
}
