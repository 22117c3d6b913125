package agent

import (
	"cmp"
	"slices"

	"loci"
	"loci/internal/offer"
	"loci/internal/toolcall"
	"loci/internal/transcript"
)

// addResults adds what the client's tools gave.
func (t *turn) addResults() {
	t.begun = true
	calls := t.answered(handedLast(t.path), shownCalls(t.req.History), t.req.Results)
	t.fit(0)
	for i, m := range t.req.Results {
		call := calls[i]
		t.taint(clientSource(call.Name))
		r := loci.ToolResult{Call: call, Data: quoted(m.Content)}
		sent := loci.Message{Role: loci.ToolRole, Content: toolcall.Content(r), ToolCallID: call.ID, ToolName: call.Name}
		if t.session.Tier != loci.TierNative {
			sent.Role, sent.Content = loci.User, toolcall.Output(r)
		}
		n := transcript.ResultNode(t.session.ID, t.lastID, t.id, t.lastPath, m.Content, sent)
		n.Unsent = t.session.Tier == loci.TierTiny // where the reply tells it
		t.add(n)
	}
	t.rebase()
}

// adopt pairs results that a message follows with the calls that were handed over
// before them. The client's later rounds have ids of their own on both sides.
func (t *turn) adopt() {
	imported := t.pending.Nodes
	known := t.path[:len(t.path)-len(imported)]
	var results []loci.Message
	for _, n := range imported {
		if n.Sent.Role != loci.ToolRole {
			break
		}
		results = append(results, n.Sent)
	}
	if len(results) == 0 {
		return
	}
	shown := shownCalls(t.req.History[:len(t.req.History)-len(imported)])
	for i, call := range t.answered(handedLast(known), shown, results) {
		imported[i].Sent.ToolCallID, imported[i].Sent.ToolName = call.ID, call.Name
		t.path[len(known)+i] = imported[i]
	}
}

// handedLast are the calls that the client was handed last.
func handedLast(path []loci.Node) []loci.ToolCall {
	for _, n := range slices.Backward(path) {
		if len(n.Sent.ToolCalls) > 0 {
			return n.Sent.ToolCalls
		}
	}
	return nil
}

// shownCalls are those calls as the client sends them back.
func shownCalls(history []loci.Message) []loci.ToolCall {
	if len(history) == 0 {
		return nil
	}
	return history[len(history)-1].ToolCalls
}

// answered gives the call that each result is for, by the name that the model knows.
// One that answers none of those that were handed over keeps what it says itself.
func (t *turn) answered(handed, shown []loci.ToolCall, results []loci.Message) []loci.ToolCall {
	calls := make([]loci.ToolCall, len(results))
	for i, at := range pair(handed, t.meant(shown, results)) {
		if at >= 0 {
			calls[i] = t.ours(handed[at])
		} else {
			calls[i] = loci.ToolCall{ID: results[i].ToolCallID, Name: cmp.Or(results[i].ToolName, "tool")}
		}
	}
	return calls
}

// ours is a call that was handed over as the model made it.
func (t *turn) ours(handed loci.ToolCall) loci.ToolCall {
	for _, n := range slices.Backward(t.path) {
		for _, c := range n.Sent.ToolCalls {
			if c.ID == handed.ID && !n.Unsent && c.Name != offer.FindTool().Name {
				return c
			}
		}
	}
	for _, s := range t.specs { // it was written as text
		if name, ok := t.client.Original(s.Name); ok && name == handed.Name {
			handed.Name = s.Name
			break
		}
	}
	return handed
}

// meant gives the call that each result is for as far as the client tells. Its id is
// empty unless it is one of ours.
func (t *turn) meant(shown []loci.ToolCall, results []loci.Message) []loci.ToolCall {
	calls := make([]loci.ToolCall, len(results))
	for i, m := range results {
		calls[i] = loci.ToolCall{ID: m.ToolCallID, Name: m.ToolName}
		at := slices.IndexFunc(shown, func(c loci.ToolCall) bool { return c.ID == m.ToolCallID })
		if at >= 0 && m.ToolCallID != "" {
			calls[i] = shown[at]
		}
		if !t.hasCall(calls[i].ID) {
			calls[i].ID = ""
		}
	}
	return calls
}

// pair finds the place of each call that a client means among those that were handed
// over, or -1. Ids decide where they are ours; but Ollama's clients send none, and some
// give the calls ids of their own. Then the name and the arguments tell, else the name
// alone, and among equals the order. The surest pairs are made first, so that no guess
// takes the call of another result.
func pair(handed, meant []loci.ToolCall) []int {
	pairs := slices.Repeat([]int{-1}, len(meant))
	taken := make([]bool, len(handed))
	for _, fits := range fittings(handed) {
		for i, m := range meant {
			for at, c := range handed {
				if pairs[i] < 0 && !taken[at] && fits(m, c) {
					pairs[i], taken[at] = at, true
				}
			}
		}
	}
	return pairs
}

// fittings tell whether a call that a client means is one that was handed over, the
// surest way first.
func fittings(handed []loci.ToolCall) []func(meant, c loci.ToolCall) bool {
	return []func(meant, c loci.ToolCall) bool{
		func(meant, c loci.ToolCall) bool { return meant.ID != "" && c.ID == meant.ID },
		func(meant, c loci.ToolCall) bool {
			return meant.ID == "" && c.Name == meant.Name && transcript.SameArguments(c, meant)
		},
		func(meant, c loci.ToolCall) bool { return meant.ID == "" && c.Name == meant.Name },
		func(meant, _ loci.ToolCall) bool { // a name that the client alone knows
			return meant.ID == "" && !slices.ContainsFunc(handed, func(c loci.ToolCall) bool { return c.Name == meant.Name })
		},
	}
}
