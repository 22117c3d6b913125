package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"loci"
	"loci/internal/wire"
)

// A call is a tool call in the making.
type call struct {
	index     int // -1: the server sends none
	id, name  string
	arguments []byte // of the text of its arguments, what came so far
}

// call adds a piece of a tool call.
func (a *assembler) call(d callDelta) error {
	c := a.find(d)
	if c == nil {
		if len(a.calls) == wire.MaxCalls {
			return wire.TooManyCalls()
		}
		c = &call{index: -1}
		if d.Index != nil {
			c.index = *d.Index
		}
		a.calls = append(a.calls, c)
	}
	text := wire.ArgumentsText(d.Function.Arguments)
	switch {
	case c.id == "":
		c.id = string(d.ID)
	case d.Function.Name != "" && c.whole() && text == string(c.arguments):
		return nil // the last chunk of some servers has the whole call again
	}
	if d.Function.Name != c.name { // in pieces, or again in each piece
		c.name += d.Function.Name
	}
	if string(c.arguments) == "{}" && text != "" {
		c.arguments = nil // some servers begin with it
	}
	if a.size += len(text); a.size > wire.DefaultMaxLine {
		return wire.TooManyCalls()
	}
	c.arguments = append(c.arguments, text...)
	return nil
}

// find returns the call that a piece continues, or nil when it starts one. By
// the book the index tells, but servers send several calls under one index, or
// no index at all. So a piece with a name may start a new call whatever its
// index says.
func (a *assembler) find(d callDelta) *call {
	c := a.addressed(d)
	if d.Function.Name == "" || c == nil || c.continuedBy(d) {
		return c
	}
	return nil
}

// addressed returns the newest call with the piece's index or, where the server
// sends no index, with its id. A piece that has neither, or an unknown id but
// nothing to start a call with, means the newest call.
func (a *assembler) addressed(d callDelta) *call {
	for _, c := range slices.Backward(a.calls) {
		if d.Index != nil && c.index == *d.Index || d.Index == nil && d.ID != "" && c.id == string(d.ID) {
			return c
		}
	}
	if d.Index == nil && (d.ID == "" || d.Function.Name == "") && len(a.calls) > 0 {
		return a.calls[len(a.calls)-1]
	}
	return nil
}

// continuedBy reports whether a piece that has a name goes on with this call.
// Some servers repeat id and name in every piece, some cut the name in pieces; others
// start the next call with nothing to tell it by but that this one is whole, not even
// an id of its own.
func (c *call) continuedBy(d callDelta) bool {
	text := wire.ArgumentsText(d.Function.Arguments)
	switch {
	case d.ID != "" && c.id != "":
		return string(d.ID) == c.id && (!c.whole() || strings.TrimSpace(text) == "" || text == string(c.arguments))
	case c.name == "" || c.name == d.Function.Name:
		return c.name == "" || !c.whole()
	}
	return c.id != "" && len(c.arguments) == 0 && text == "" && d.Index != nil
}

// whole reports whether the arguments so far could be all of them. Empty ones
// could not: the name often comes first, alone.
func (c *call) whole() bool {
	text := bytes.TrimSpace(c.arguments)
	return string(text) == "null" || bytes.HasPrefix(text, []byte("{")) && json.Valid(text)
}

// wholeCalls returns the calls of a finished reply, without those that may have been
// cut, and the tool of the last of these. Some servers say that a reply is complete
// which their limit has cut.
func (a *assembler) wholeCalls(limit bool) (calls []loci.ToolCall, cut string) {
	for i, c := range a.calls {
		args, whole := wire.Arguments(string(c.arguments))
		if limit && i == len(a.calls)-1 && !c.whole() {
			whole = false // even "" or 12 may have been the beginning of more
		}
		if !whole {
			cut = cmp.Or(c.name, "tool")
			continue
		}
		if c.id == "" {
			c.id = loci.NewID(loci.CallPrefix)
		}
		calls = append(calls, loci.ToolCall{ID: c.id, Name: c.name, Arguments: args})
	}
	return calls, cut
}
