package agent

import (
	"context"
	"fmt"
	"strings"

	"loci"
	"loci/internal/toolcall"
	"loci/internal/transcript"
)

const (
	sameCallLimit    = 3 // this many identical calls in a turn are one too many
	unknownNameLimit = 3 // so many calls in a row of tools that do not exist end a turn
)

// tools runs the calls of the step that just ended, one after the other.
func (t *turn) tools(ctx context.Context) phase {
	var outputs []string
	for _, call := range t.calls {
		if ctx.Err() != nil {
			return (*turn).end
		}
		if !t.record(loci.ToolStarted{Call: call}) {
			return (*turn).end
		}
		result := t.call(ctx, call)
		t.results = append(t.results, result)
		if t.native {
			t.add(transcript.HiddenNode(t.session.ID, t.lastID, t.id, loci.Message{
				Role: loci.ToolRole, Content: toolcall.Content(result), ToolCallID: call.ID, ToolName: call.Name,
			}))
		}
		outputs = append(outputs, toolcall.Output(result))
		if !t.record(loci.ToolFinished{Result: result}) {
			return (*turn).end
		}
	}
	if t.session.Tier == loci.TierTiny {
		return (*turn).choose
	}
	if !t.native {
		t.add(transcript.HiddenNode(t.session.ID, t.lastID, t.id, loci.Message{
			Role: loci.User, Content: strings.Join(outputs, "\n"),
		}))
	}
	if t.stuck() {
		return t.exhausted()
	}
	return (*turn).ask
}

// call runs one call unless the same one was made too often already.
func (t *turn) call(ctx context.Context, call loci.ToolCall) loci.ToolResult {
	key := call.Name + " " + string(call.Arguments)
	if t.seen == nil {
		t.seen = map[string]int{}
	}
	t.seen[key]++
	if _, ok := toolcall.Name(call.Name, t.specs); ok {
		t.unknown = 0
	} else {
		t.unknown++
	}
	if t.seen[key] < sameCallLimit {
		return t.agent.cfg.Tools.Call(ctx, t.scope, call, "")
	}
	e := &loci.ToolError{
		Message:    fmt.Sprintf("This is call number %d of %s with the same arguments in this turn; it was not run.", t.seen[key], call.Name),
		Suggestion: "Use the result you already have, or answer the person now.",
	}
	return loci.ToolResult{Call: call, Err: e, Text: e.Message, Refused: true}
}

// stuck tells that the model goes in circles and was told so already.
func (t *turn) stuck() bool {
	if t.unknown >= unknownNameLimit {
		return true
	}
	for _, n := range t.seen {
		if n > sameCallLimit {
			return true
		}
	}
	return false
}
