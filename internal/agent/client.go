package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"loci"
	"loci/internal/offer"
	"loci/internal/text"
	"loci/internal/toolcall"
	"loci/internal/transcript"
)

// clientResult is how many bytes of a client's tool result a model reads.
const clientResult = 16 << 10

// offer finds out what the model may call: our tools, and those that the client
// runs itself. What a session began with stays offered, since it is part of the
// prompt.
func (t *turn) offer() {
	t.specs = t.agent.cfg.Tools.Specs(t.scope)
	if t.tier() == loci.TierTiny {
		return
	}
	if t.isNew {
		t.client = offer.Merge(t.specs, t.req.Tools, t.req.Message.Content, t.profile.Window)
		t.session.ClientTools = t.client.Tools
		if len(t.client.Left) > 0 {
			t.session.ClientTools = append(slices.Clone(t.client.Tools), offer.FindTool())
		}
	} else {
		t.client = offer.Resume(t.specs, t.req.Tools, t.session.ClientTools, t.profile.Window)
	}
	t.specs = append(append(slices.Clip(t.specs), t.session.ClientTools...), t.client.Left...)
	if t.req.ToolChoice.Mode == loci.ChoiceNone { // they stay in the prompt, and nobody runs them
		t.client = offer.Offer{}
	}
}

// tier is the session's, or the one that a new session will have.
func (t *turn) tier() loci.Tier {
	if t.isNew {
		return t.profile.Tier
	}
	return t.session.Tier
}

// offered gives the tools that were frozen into the session, those that still
// exist: ours, then the client's.
func (t *turn) offered() []loci.ToolSpec {
	later := func(s loci.ToolSpec) bool { return !slices.Contains(t.session.Tools, s.Name) && !t.frozen(s.Name) }
	if !slices.ContainsFunc(t.specs, later) { // the rule, and no copy for as long as the model speaks
		return t.specs
	}
	return slices.DeleteFunc(slices.Clone(t.specs), later)
}

// frozen tells whether a tool of the client is part of the session's prompt.
func (t *turn) frozen(name string) bool {
	return slices.ContainsFunc(t.session.ClientTools, func(s loci.ToolSpec) bool { return s.Name == name })
}

// added are tools that the client brings since, where the model has no other way
// to find them.
func (t *turn) added() []loci.ToolSpec {
	if t.isNew || t.frozen(offer.FindTool().Name) {
		return nil
	}
	return t.client.Left
}

// clients tells that a call is for the client to run.
func (t *turn) clients(call loci.ToolCall) bool {
	_, ok := t.client.Original(call.Name)
	_, failed := t.Failed[call.ID] // its arguments cannot be read
	return ok && !failed
}

// theirs are the calls of the step that the client has to run, under the names
// that it knows.
func (t *turn) theirs() []loci.ToolCall {
	var calls []loci.ToolCall
	for _, c := range t.Calls {
		if name, ok := t.client.Original(c.Name); ok && t.clients(c) {
			c.Name = name
			calls = append(calls, c)
		}
	}
	return calls
}

// handOver ends the turn with calls for the client. What it shows of the turn is
// a place of its own, since the results of our calls come before it.
func (t *turn) handOver(calls []loci.ToolCall) phase {
	n := transcript.UnsentNode(t.session.ID, t.lastID, t.id, t.lastPath, loci.Assistant, t.shown.String())
	n.Sent.ToolCalls = calls // by which the results find here
	t.add(n)
	t.replied, t.handed, t.finish = true, calls, loci.FinishTools
	return (*turn).end
}

// absent is the result of a call that nobody here can run; false if it can be.
func (t *turn) absent(call loci.ToolCall) (loci.ToolResult, bool) {
	switch {
	case call.Name == offer.FindTool().Name && t.frozen(call.Name):
		var args struct{ Need string }
		_ = json.Unmarshal(call.Arguments, &args) // without a need, all names are listed
		data := t.client.Find(args.Need)
		return loci.ToolResult{Call: call, Data: data, Text: "find_tool: " + args.Need}, true
	case t.frozen(call.Name) && !t.clients(call):
		e := &loci.ToolError{
			Message:    "The chat client, which runs " + call.Name + ", does not offer it now.",
			Suggestion: "Do without it, or tell the person.",
		}
		return loci.ToolResult{Call: call, Err: e, Text: e.Text(), Refused: true}, true
	}
	return loci.ToolResult{}, false
}

// quoted is the result of a client's tool as JSON, cut where it is too long.
func quoted(s string) json.RawMessage {
	if len(s) <= clientResult && json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	if cut := text.Clip(s, clientResult); cut != s {
		s = fmt.Sprintf("%s\n(cut: %d of %d bytes are shown)", cut, len(cut), len(s))
	}
	data, _ := json.Marshal(s) // a string always marshals
	return data
}

// translate makes the tool rounds that a client remembers and we do not readable
// for the model, which may be one that writes its calls as text.
func (t *turn) translate() {
	if t.session.Tier == loci.TierNative {
		t.adopt()
		return
	}
	imported := len(t.path) - len(t.pending.Nodes)
	for i := range t.pending.Nodes {
		n := &t.pending.Nodes[i]
		m := &n.Sent
		for _, c := range m.ToolCalls {
			m.Content += fmt.Sprintf("<tool>%s(%s)</tool>", c.Name, c.Arguments)
		}
		m.ToolCalls = nil
		if m.Role == loci.ToolRole {
			m.Role, m.Content = loci.User, toolcall.Output(loci.ToolResult{Data: quoted(m.Content)})
		}
		t.path[imported+i] = *n
	}
}

// errOnlyResults is for a model that is given its tools by the runtime.
var errOnlyResults = loci.Errorf(loci.Invalid, "This model uses no tools of the client, so there is nothing to do with their results.").
	WithHint("Send a message of the person, or use a larger model.")
