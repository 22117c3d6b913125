package agent

import (
	"context"
	"fmt"

	"loci"
	"loci/internal/toolcall"
)

const (
	sameCallLimit    = 3 // this many identical calls in a turn are one too many
	unknownNameLimit = 3 // so many calls in a row of tools that do not exist end a turn
)

// tools runs the calls of the step that just ended, one after the other, and
// stops where a person has to be asked. When it comes back from there, it goes on
// with the call that was asked about.
func (t *turn) tools(ctx context.Context) phase {
	for ; t.Next < len(t.Calls); t.Next++ {
		if ctx.Err() != nil {
			return (*turn).end
		}
		if t.clients(t.Calls[t.Next]) {
			continue
		}
		if asked := t.questions(ctx); len(asked) > 0 {
			return t.park(ctx, asked)
		}
		call := t.Calls[t.Next]
		if q := t.settled(call); q == nil || q.State == loci.ApprovalYes { // others do not start
			if !t.record(loci.ToolStarted{Call: call, Doing: toolcall.Doing(call)}) {
				return (*turn).end
			}
		}
		result := t.call(ctx, call)
		t.heed(result)
		if !t.record(loci.ToolFinished{Result: result}) {
			return (*turn).end
		}
	}
	theirs := t.theirs()
	t.Calls, t.Next = nil, 0
	t.giveOutputs()
	if len(theirs) > 0 {
		return t.handOver(theirs)
	}
	if t.stuck() {
		return t.exhausted()
	}
	return t.again()
}

// call runs one call unless the same one was made too often already.
func (t *turn) call(ctx context.Context, call loci.ToolCall) loci.ToolResult {
	if _, ok := toolcall.Name(call.Name, t.specs); ok {
		t.Unknown = 0
	} else {
		t.Unknown++
	}
	if n := t.count(call); n >= sameCallLimit {
		e := &loci.ToolError{
			Message:    fmt.Sprintf("This is call number %d of %s with the same arguments in this turn; it was not run.", n, call.Name),
			Suggestion: "Use the result you already have, or answer the person now.",
		}
		return refuse(call, e)
	}
	if q := t.settled(call); q != nil {
		return t.approved(ctx, call, q)
	}
	if r, absent := t.absent(call); absent {
		return r
	}
	return t.agent.cfg.Tools.Call(ctx, t.scope, call, "")
}

// count counts a call, and tells how often it was made by now.
func (t *turn) count(call loci.ToolCall) int {
	if t.Seen == nil {
		t.Seen = map[string]int{}
	}
	t.Seen[key(call)]++
	return t.Seen[key(call)]
}

// repeated tells that a call will not be run, so that nobody is asked about it.
func (t *turn) repeated(call loci.ToolCall) bool { return t.Seen[key(call)]+1 >= sameCallLimit }

func key(call loci.ToolCall) string { return call.Name + " " + string(call.Arguments) }

// stuck tells that the model goes in circles and was told so already.
func (t *turn) stuck() bool {
	if t.Unknown >= unknownNameLimit {
		return true
	}
	for _, n := range t.Seen {
		if n > sameCallLimit {
			return true
		}
	}
	return false
}
