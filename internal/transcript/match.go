package transcript

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"loci"
)

const (
	candidates = 8  // how many places are looked at that the same words fit,
	handovers  = 64 // and how many of those where calls were handed to the client
)

// match finds the longest stored path that the client's history starts with: in the
// named session, or in one of the thread that the client names, of which there may be
// several when two messages began it at once.
func match(ctx context.Context, s Store, req loci.TurnRequest, known *loci.Session) (Place, error) {
	hashes := chain(req.History)
	for i, hash := range slices.Backward(hashes) {
		if known == nil && !hasAssistant(req.History[:i+1]) {
			break // two conversations that only begin with the same words
		}
		for _, within := range scopes(req, known) {
			nodes, err := fitting(ctx, s, req, within, hash, req.History[i])
			if err != nil {
				return Place{}, err
			}
			for _, node := range nodes {
				p, err := at(ctx, s, req.Principal.ID, node, req.History[i+1:])
				if err != nil || known == nil || p.Session.ID == known.ID || p.Session.Thread == req.Thread {
					return p, err
				}
			}
		}
	}
	if node, ok, err := trimmed(ctx, s, req, known); err != nil {
		return Place{}, err
	} else if ok {
		return at(ctx, s, req.Principal.ID, node, nil)
	}
	p := fresh(req)
	if known != nil {
		p.Session, p.New = *known, false
	}
	p.Imported = graft(p.Session.ID, "", [32]byte{}, req.History)
	return p, nil
}

// scopes are the sessions to look in, one after the other; empty is any.
func scopes(req loci.TurnRequest, known *loci.Session) []string {
	switch {
	case known == nil:
		return []string{""}
	case req.Thread == "":
		return []string{known.ID}
	}
	return []string{known.ID, ""}
}

// fitting gives the nodes with that path hash that a message of the client can be,
// the likeliest first.
func fitting(ctx context.Context, s Store, req loci.TurnRequest, session string, path [32]byte, m loci.Message) ([]loci.Node, error) {
	nodes, err := s.NodesByHash(ctx, req.Principal.ID, session, path, candidates)
	if err != nil || len(nodes) == 0 || len(m.ToolCalls) == 0 {
		return nodes, err
	}
	return likely(ctx, s, req, session, path, m, nodes)
}

// likely puts the nodes with that hash that handed the calls of the message to the
// client before the other nodes, and leaves out those that handed others: the same
// words may have been said any number of times.
func likely(ctx context.Context, s Store, req loci.TurnRequest, session string, hash [32]byte, m loci.Message, others []loci.Node) ([]loci.Node, error) {
	var nodes []loci.Node
	for _, id := range []string{m.ToolCalls[0].ID, ""} { // some clients give the calls ids of their own, or none
		handed, err := s.NodesHanded(ctx, req.Principal.ID, session, hash, id, handovers)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, handed...)
	}
	var ranked [4][]loci.Node
	for _, n := range append(nodes, others...) {
		if rank, fits := likeness(n, m); fits {
			ranked[rank] = append(ranked[rank], n)
		}
	}
	slices.Reverse(ranked[:])
	return slices.Concat(ranked[:]...), nil
}

// likeness is how surely a node handed the calls of a message to the client: by their
// ids, then by their arguments. Calls of other tools do not fit at all.
func likeness(n loci.Node, m loci.Message) (rank int, fits bool) {
	handed := n.Sent.ToolCalls
	if len(handed) == 0 { // it does not tell
		return 0, true
	}
	same := len(handed) == len(m.ToolCalls)
	for i, c := range m.ToolCalls {
		if !slices.ContainsFunc(handed, func(h loci.ToolCall) bool { return h.Name == c.Name }) {
			return 0, false
		}
		if i == 0 && slices.ContainsFunc(handed, func(h loci.ToolCall) bool { return h.ID == c.ID }) {
			rank += 2
		}
		same = same && c.Name == handed[i].Name && SameArguments(c, handed[i])
	}
	if same {
		rank++
	}
	return rank, true
}

// SameArguments tells whether two calls have the same arguments, however a client or a
// server wrote them down: in another order or layout, or as a text that holds the JSON.
func SameArguments(a, b loci.ToolCall) bool {
	var x, y any
	if json.Unmarshal(bare(a.Arguments), &x) != nil || json.Unmarshal(bare(b.Arguments), &y) != nil {
		return string(a.Arguments) == string(b.Arguments)
	}
	return reflect.DeepEqual(x, y)
}

// bare is the JSON that a JSON text holds, or what is none as it is.
func bare(arguments json.RawMessage) json.RawMessage {
	var held string
	if json.Unmarshal(arguments, &held) == nil && json.Valid([]byte(held)) {
		return json.RawMessage(held)
	}
	return arguments
}

// trimmed looks for a stored path that ends with the client's whole history:
// the client left out the front.
func trimmed(ctx context.Context, s Store, req loci.TurnRequest, known *loci.Session) (loci.Node, bool, error) {
	h := req.History
	if len(h) < 2 || h[len(h)-1].Role != loci.Assistant {
		return loci.Node{}, false, nil
	}
	last := h[len(h)-1]
	nodes, err := s.NodesByText(ctx, req.Principal.ID, TextHash(last), candidates)
	if err == nil && len(nodes) > 0 && len(last.ToolCalls) > 0 {
		nodes, err = likely(ctx, s, req, "", TextHash(last), last, nodes)
	}
	if err != nil {
		return loci.Node{}, false, err
	}
	for _, n := range nodes {
		if known != nil && n.Session != known.ID {
			continue
		}
		path, err := s.Path(ctx, req.Principal.ID, n.ID)
		if err != nil {
			return loci.Node{}, false, err
		}
		if endsWith(path, h) {
			return n, true, nil
		}
	}
	return loci.Node{}, false, nil
}

func endsWith(path []loci.Node, history []loci.Message) bool {
	path = slices.DeleteFunc(slices.Clone(path), func(n loci.Node) bool { return n.Shown == nil })
	if len(path) < len(history) {
		return false
	}
	path = path[len(path)-len(history):]
	for i, m := range history {
		if path[i].TextHash != TextHash(m) {
			return false
		}
	}
	return true
}
