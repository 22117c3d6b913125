package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// tools runs the calls of the step that just ended, one after the other, and
// stops where a person has to be asked. When it comes back from there, it goes on
// with the call that was asked about.
func (t *turn) tools(ctx context.Context) phase {
	t.prepare(ctx)
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
		result, ok := t.perform(ctx, t.Calls[t.Next])
		if !ok {
			return (*turn).end
		}
		t.heed(result)
		if !t.record(loci.ToolFinished{Result: result, Undo: result.Undo()}) {
			return (*turn).end
		}
	}
	theirs := t.theirs()
	t.Calls, t.Next, t.Prepared, t.Failed = nil, 0, false, nil
	t.giveOutputs()
	if len(theirs) > 0 {
		return t.handOver(theirs)
	}
	if t.stuck() {
		return t.exhausted()
	}
	if t.Amiss != "" {
		return t.giveUpCall()
	}
	return t.again()
}

// prepare makes of the step's calls those that are asked about and run. The model's
// own words for them stay in the path.
func (t *turn) prepare(ctx context.Context) {
	if t.Prepared {
		return
	}
	t.Prepared = true
	for i, call := range t.Calls {
		if _, failed := t.Failed[call.ID]; failed || t.clients(call) || t.repeated(call) {
			continue
		}
		made, failed := t.agent.cfg.Tools.Prepare(ctx, t.scope, call)
		t.Calls[i] = made
		if failed != nil {
			if t.Failed == nil {
				t.Failed = map[string]loci.ToolResult{}
			}
			t.Failed[call.ID] = *failed
		}
	}
}

// perform makes one call, unless the person was asked and did not agree. A yes is
// used up together with the event that the call has started: whatever happens from
// there on, it never counts a second time. It is false if that cannot be stored;
// then nothing was done.
func (t *turn) perform(ctx context.Context, call loci.ToolCall) (loci.ToolResult, bool) {
	var approved *loci.Approval
	if q := t.settled(call); q != nil {
		if q.State != loci.ApprovalYes {
			return t.refused(call, q.State), true
		}
		approved = q
		t.pending.Settle = append(t.pending.Settle, loci.Settlement{ID: q.ID, From: q.State, To: loci.ApprovalUsed})
		q.State = loci.ApprovalUsed
	}
	if !t.record(loci.ToolStarted{Call: call, Doing: t.agent.cfg.Tools.Doing(call)}) {
		return loci.ToolResult{}, false
	}
	if approved != nil { // what has begun to change something finishes, even when the client leaves
		ctx = context.WithoutCancel(ctx)
	}
	r := t.call(ctx, call, approved)
	if approved != nil {
		t.changed = append(t.changed, r.Text)
	}
	return r, true
}

// call runs one call unless the same one was made too often already.
func (t *turn) call(ctx context.Context, call loci.ToolCall, approved *loci.Approval) loci.ToolResult {
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
		return loci.ToolResult{Call: call, Err: e, Text: e.Text(), Refused: true}
	}
	if r, failed := t.Failed[call.ID]; failed {
		return r
	}
	if r, absent := t.absent(call); absent {
		return r
	}
	return t.agent.cfg.Tools.Call(ctx, t.scope, call, approved)
}

// count counts a call, and tells how often it was made by now.
func (t *turn) count(call loci.ToolCall) int {
	if t.Seen == nil {
		t.Seen = map[string]int{}
	}
	k := key(call)
	t.Seen[k]++
	return t.Seen[k]
}

// repeated tells that a call will not be run, so that nobody is asked about it.
func (t *turn) repeated(call loci.ToolCall) bool { return t.Seen[key(call)]+1 >= sameCallLimit }

// key identifies a call by its name and arguments.
func key(call loci.ToolCall) string {
	h := sha256.Sum256(call.Arguments)
	return call.Name + " " + hex.EncodeToString(h[:8])
}

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

// heed adds what came of a call to the results, and to the path as the model
// reads it.
func (t *turn) heed(r loci.ToolResult) {
	t.Results = append(t.Results, r)
	t.taint(r.Origin)
	if t.session.Tier == loci.TierTiny {
		return
	}
	if t.Native {
		m := loci.Message{Role: loci.ToolRole, Content: toolcall.Content(r), ToolCallID: r.Call.ID, ToolName: r.Call.Name}
		if own(r) {
			m.Own = []int{0}
		}
		t.add(transcript.HiddenNode(t.session.ID, t.lastID, t.id, m))
		return
	}
	t.output(toolcall.Output(r), own(r))
}

// own tells whether a result is loci's own words: an error that nobody outside has a
// part in.
func own(r loci.ToolResult) bool { return r.Err != nil && r.Origin == "" }

// output adds to what came of calls that were written as text.
func (t *turn) output(words string, own bool) {
	if own {
		t.Own = append(t.Own, len(t.Outputs))
	}
	t.Outputs = append(t.Outputs, words)
}

// giveOutputs adds the results of calls that were written as text.
func (t *turn) giveOutputs() {
	if len(t.Outputs) > 0 {
		t.add(transcript.HiddenNode(t.session.ID, t.lastID, t.id, loci.Message{Role: loci.User, Content: strings.Join(t.Outputs, "\n"), Own: t.Own}))
		t.Outputs, t.Own = nil, nil
	}
}
