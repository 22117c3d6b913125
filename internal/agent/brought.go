package agent

import (
	"context"
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
	"loci/internal/offer"
)

// bring lets the runtime of the tiny tier choose among the client's tools too.
func (t *turn) bring() {
	if t.req.ToolChoice.Mode == loci.ChoiceNone {
		t.client = offer.Offer{}
		return
	}
	t.client = t.agent.shelf.Brought(t.specs, t.req.Tools)
	t.specs = slices.Concat(t.specs, t.client.Theirs)
}

// demands tells whether the client wants one of its tools called, and has what it
// wants. What it gave results for is not called again: the words have not changed, so
// it would never come to an answer.
func (t *turn) demands() bool {
	return t.Step == 1 && t.client.Choice(t.req.ToolChoice).Mode == loci.ChoiceRequired
}

// choosable are the tools that the runtime may choose among.
func (t *turn) choosable() []loci.ToolSpec {
	if !t.demands() {
		return t.specs
	}
	name := t.client.Choice(t.req.ToolChoice).Name
	return slices.DeleteFunc(slices.Clone(t.client.Theirs), func(s loci.ToolSpec) bool { return name != "" && s.Name != name })
}

// setAside keeps tool rounds that a client remembers, and we do not, from a tiny model:
// what came of them is in the replies.
func (t *turn) setAside() {
	imported := len(t.path) - len(t.pending.Nodes)
	for i := range t.pending.Nodes {
		n := &t.pending.Nodes[i]
		n.Unsent = n.Sent.Role == loci.ToolRole || n.Sent.Content == "" && len(n.Sent.ToolCalls) > 0
		t.path[imported+i] = *n
	}
}

// nothingCameBack stands for a result that is empty.
var nothingCameBack = lang.Words{EN: "%s is done; it gave nothing back.", ZH: "%s 已完成，没有返回内容。", CS: "%s: hotovo, nic nevrátil."}

// relay has the client's results be the reply: a tiny model would change them on the way.
func (t *turn) relay(context.Context) phase {
	t.Step++
	calls := t.answered(handedLast(t.path), shownCalls(t.req.History), t.req.Results)
	var parts []string
	for i, m := range t.req.Results {
		name := calls[i].Name
		if original, ok := t.client.Original(name); ok {
			name = original
		}
		shown := offer.Shown(m.Content)
		switch {
		case shown == "":
			shown = nothingCameBack.In(t.asking(), name)
		case len(t.req.Results) > 1:
			shown = name + ": " + shown
		}
		parts = append(parts, shown)
	}
	text := strings.Join(parts, "\n\n")
	t.finish = loci.FinishStop
	t.announce()
	t.say(text, "")
	t.replyWith(loci.Message{Role: loci.Assistant, Content: text})
	return (*turn).end
}

// asking is the language of the words that the results are for.
func (t *turn) asking() string {
	for _, n := range slices.Backward(t.path) {
		if n.Shown != nil && n.Sent.Role == loci.User && n.Sent.ToolName == "" {
			own, _ := ownWords(*n.Shown)
			return lang.Of(own)
		}
	}
	return t.scope.Lang
}
