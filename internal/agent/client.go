package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"loci"
	"loci/internal/offer"
	"loci/internal/prompt"
	"loci/internal/text"
	"loci/internal/toolcall"
	"loci/internal/transcript"
)

// clientResult is how many bytes of a client's tool result a model reads.
const clientResult = 16 << 10

// offer finds out what the model may call: our tools, and those that the client
// runs itself. What a session began with stays offered, since it is part of the
// prompt. Another model has another cache, so it is offered anew for one.
func (t *turn) offer(anew bool) {
	t.specs = t.agent.cfg.Tools.Specs(t.scope)
	if t.tier() == loci.TierTiny {
		t.bring()
		return
	}
	ours, all := t.agent.shelf.List(t.specs)
	t.specs = ours
	if anew {
		t.client = t.agent.shelf.Choose(offer.Need{
			Ours: t.specs, Theirs: t.req.Tools, Message: t.wish(), Room: t.toolRoom(), Tier: t.tier(),
		})
		t.session.Tools, t.session.ClientTools = t.client.Ours, t.client.Theirs
		if t.tier() == loci.TierText {
			t.session.Tools = namesOf(t.client.Ours)
		}
		if t.client.More {
			t.session.ClientTools = append(slices.Clip(t.client.Theirs), offer.FindTool())
		}
	} else {
		t.client = t.agent.shelf.Resume(t.specs, t.req.Tools, t.session.Tools, t.session.ClientTools)
	}
	if t.specs = all; len(t.session.ClientTools) != 1 || !t.finds() || len(t.client.Left) > 0 {
		t.specs = slices.Concat(ours, t.session.ClientTools, t.client.Left)
	}
	if t.req.ToolChoice.Mode == loci.ChoiceNone { // they stay in the prompt, and nobody runs them
		t.client = offer.Offer{}
	}
}

// namesOf gives tools without their words.
func namesOf(specs []loci.ToolSpec) []loci.ToolSpec {
	names := make([]loci.ToolSpec, len(specs))
	for i, s := range specs {
		names[i].Name = s.Name
	}
	return names
}

// toolRoom is how many tokens the tools may take, beside a system block that names
// all of them. Many folders of the person's must not leave the model without tools.
func (t *turn) toolRoom() int {
	budget := offer.Budget(t.profile.Window)
	f := t.facts(t.tier())
	f.Client, f.Tools, f.More = "", t.specs, t.beyond()
	if f.Tier == loci.TierText {
		f.Markup = toolcall.Describe(t.markup(), []loci.ToolSpec{offer.FindTool()})
	}
	return max(budget/3, budget-text.Tokens(prompt.Join(t.sections(f))))
}

// tier is the session's, or the one that it is about to have.
func (t *turn) tier() loci.Tier {
	if t.session.Tier == "" || t.anew {
		return t.profile.Tier
	}
	return t.session.Tier
}

// markup is how the model is, or is about to be, taught to write calls.
func (t *turn) markup() loci.Markup {
	if t.session.Tier == "" || t.anew {
		return t.profile.Markup
	}
	return t.session.Markup
}

// offered gives the tools that were frozen into the session as the model is sent
// them: ours, then the client's. Of those frozen without their words the words of
// today are taken; such sessions have them in their system block, or are old.
func (t *turn) offered() []loci.ToolSpec {
	all := make([]loci.ToolSpec, 0, len(t.session.Tools)+len(t.session.ClientTools))
	for _, s := range t.session.Tools {
		if s.Parameters == nil {
			now, ok := t.spec(s.Name)
			if !ok {
				continue
			}
			s = now
		}
		all = append(all, s)
	}
	return append(all, t.session.ClientTools...)
}

// beyond are our tools that are not offered, those wanted most first: find_tool leads
// to them.
func (t *turn) beyond() []loci.ToolSpec {
	core := func(s loci.ToolSpec) int {
		if s.Core {
			return 0
		}
		return 1
	}
	specs := slices.Clone(t.specs)
	slices.SortStableFunc(specs, func(a, b loci.ToolSpec) int { return cmp.Compare(core(a), core(b)) })
	return slices.DeleteFunc(specs, func(s loci.ToolSpec) bool {
		return s.Dormant || t.frozen(s.Name) || slices.ContainsFunc(t.session.Tools, func(o loci.ToolSpec) bool { return o.Name == s.Name }) ||
			t.clients(loci.ToolCall{Name: s.Name})
	})
}

// frozen tells whether a tool is part of the session's prompt that is not ours: one of
// the client's, or find_tool.
func (t *turn) frozen(name string) bool {
	return slices.ContainsFunc(t.session.ClientTools, func(s loci.ToolSpec) bool { return s.Name == name })
}

// finds tells whether the session has find_tool, so that its model may search for tools
// that it was not offered.
func (t *turn) finds() bool { return t.frozen(offer.FindTool().Name) }

// added are tools that the client brings since, where the model has no other way
// to find them.
func (t *turn) added() []loci.ToolSpec {
	if t.anew || t.finds() {
		return nil
	}
	return t.client.Left
}

// unwrapped replaces calls through find_tool by those that they stand for.
func (t *turn) unwrapped(calls []loci.ToolCall) []loci.ToolCall {
	meant := slices.Clone(calls)
	for i, c := range calls {
		inner, ok := offer.Called(c)
		if !ok {
			continue
		}
		if name, known := toolcall.Name(inner.Name, t.specs); known {
			inner.Name = name
			meant[i] = inner
			if t.clients(inner) {
				t.fitted(&meant[i])
			}
		}
	}
	return meant
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
	if !t.begun { // the tiny tier adds the message last
		t.addUser(t.req.Message.Content)
	}
	n := transcript.UnsentNode(t.session.ID, t.lastID, t.id, t.lastPath, loci.Assistant, t.shown.String())
	n.Sent.ToolCalls = calls // by which the results find here
	t.add(n)
	t.replied, t.handed, t.finish = true, calls, loci.FinishTools
	return (*turn).end
}

// absent is the result of a call that nobody here can run; false if it can be.
func (t *turn) absent(call loci.ToolCall) (loci.ToolResult, bool) {
	switch {
	case call.Name == offer.ReadResult().Name && len(t.session.Tools) > 0:
		return t.readOn(call), true
	case call.Name == offer.FindTool().Name && t.finds():
		need := offer.Sought(call)
		return loci.ToolResult{Call: call, Data: t.client.Find(need), Text: call.Name + ": " + need}, true
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
	switch t.session.Tier {
	case loci.TierNative:
		t.adopt()
		return
	case loci.TierTiny:
		t.setAside()
		return
	}
	imported := len(t.path) - len(t.pending.Nodes)
	for i := range t.pending.Nodes {
		n := &t.pending.Nodes[i]
		m := &n.Sent
		for _, c := range m.ToolCalls {
			m.Content = strings.TrimLeft(m.Content+"\n"+toolcall.Write(t.session.Markup, c), "\n")
		}
		m.ToolCalls = nil
		if m.Role == loci.ToolRole {
			m.Role, m.Content = loci.User, toolcall.Output(loci.ToolResult{Data: quoted(m.Content)})
		}
		t.path[imported+i] = *n
	}
}
