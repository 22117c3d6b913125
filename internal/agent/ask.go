package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/receipt"
	"loci/internal/toolcall"
	"loci/internal/transcript"
)

// ask is the model step of the native and text tiers: one call, streamed to
// the client as it comes.
func (t *turn) ask(ctx context.Context) phase {
	if t.Step >= t.agent.cfg.Settings.MaxSteps {
		return t.exhausted()
	}
	if !t.condense(ctx) {
		return (*turn).end
	}
	t.Step++
	t.makeRoom()
	req, forced := t.prompt()
	reader := toolcall.NewReader(t.specs)
	reader.Quotable(t.req.Message.Content, t.returned()...)
	out, err := t.stream(ctx, req, reader)
	if err != nil {
		if errors.Is(err, loci.ErrNoTools) && t.session.Tier == loci.TierNative && out.text == "" {
			return t.toText()
		}
		if loci.AsError(err).Code == loci.Context && out.text == "" && t.tooLong() {
			return (*turn).ask
		}
		if forced && out.text == "" && ctx.Err() == nil && refusedForm(err) {
			t.log.Info("asking again without a form", "stage", "model", "error", loci.AsError(err).Code)
			t.Step--
			return (*turn).ask
		}
		return t.fail(err)
	}
	visible, written, fault := reader.Close()
	if t.spoken == t.shown.Len() && visible != "" {
		t.gap()
	}
	t.say(visible, reader.Reasoning())
	return t.heard(out, written, fault)
}

// prompt is the next model call as the tier makes it, and whether its reply is held to
// a call.
func (t *turn) prompt() (req *loci.Request, forced bool) {
	req = t.request()
	if t.session.Tier == loci.TierNative {
		if t.Step == 1 { // later it would never come to an answer
			req.ToolChoice = t.client.Choice(t.req.ToolChoice)
		}
		return req, t.force(req)
	}
	if forced = t.force(req); forced { // the form has an end of its own, and arguments may hold a stop sequence
		return req, forced
	}
	if t.profile.Stopping != loci.No {
		req.Options.Stop = slices.Concat(req.Options.Stop, toolcall.Stops(t.session.Markup), t.profile.Stops)
	}
	return req, false
}

// returned is what tools have returned in the conversation, the client's own included.
// What loci itself says of a call may show how a right one looks.
func (t *turn) returned() (all []string) {
	for _, n := range t.path {
		var results []string
		switch {
		case n.Sent.Role == loci.ToolRole:
			results = []string{n.Sent.Content}
		case isOutput(n):
			results = toolcall.Outputs(n.Sent.Content)
		}
		for i, r := range results {
			if !slices.Contains(n.Sent.Own, i) {
				all = append(all, r)
			}
		}
	}
	return all
}

// output is what one model call gave.
type output struct {
	text    string // as generated, markup included
	thought int    // bytes that came apart from it
	calls   []loci.ToolCall
	cut     string // the tool whose call broke off
	finish  loci.Finish
	usage   *loci.Usage
	receipt loci.Receipt
	over    *runaway // why it was ended before its end; nil: it was not
}

// stream makes one model call and shows of its text what a reader lets through.
func (t *turn) stream(ctx context.Context, req *loci.Request, reader *toolcall.Reader) (*output, error) {
	var text, thoughts strings.Builder
	out := &output{}
	held := t.leash(req)
	began := time.Now()
	t.announce()
	before := t.agent.steps.begin(t, req)
	t.agent.resting.wake(req.Model)
	t.spoken = t.shown.Len()
	for chunk, err := range t.agent.cfg.Model.Chat(ctx, *req) {
		if err != nil {
			out.text = text.String()
			return out, err
		}
		text.WriteString(chunk.Text)
		visible, thought := reader.Write(chunk.Text), reader.Reasoning()
		if visible != "" && t.shown.Len() == t.spoken {
			t.gap()
		}
		t.say(visible, chunk.Reasoning+thought)
		out.calls = append(out.calls, chunk.ToolCalls...)
		out.cut = cmp.Or(chunk.Cut, out.cut)
		thoughts.WriteString(chunk.Reasoning)
		if chunk.Finish != "" {
			out.finish = chunk.Finish
		}
		if chunk.Usage != nil {
			out.usage = chunk.Usage
		}
		if t.session.Tier == loci.TierTiny && circles(text.String()) {
			out.finish = loci.FinishStop
			break
		}
		if out.over = cmp.Or(held.tears(inText, text.String(), reader.Calling()), held.tears(inThoughts, thoughts.String(), false)); out.over != nil {
			out.finish = loci.FinishLength
			break
		}
	}
	out.text, out.thought = text.String(), thoughts.Len()
	if err := ctx.Err(); err != nil {
		return out, err
	}
	t.book(req, before, out, time.Since(began))
	return out, nil
}

// book enters a model call that came to its end.
func (t *turn) book(req *loci.Request, before past, out *output, took time.Duration) {
	news := false
	out.receipt, t.session.Sent = receipt.Of(receipt.Call{
		Prompt: receipt.Prompt{Request: req, Layout: t.session.Layout},
		Usage:  out.usage,
		Before: t.session.Sent,
		Last:   before.prompt,
		Alone:  before.alone,
		Text:   len(out.text), Thoughts: out.thought,
		Speed: before.speed,
		Moves: func() (moves bool) {
			moves, news = t.toolsMove()
			return moves
		},
	})
	if news {
		t.last = append(t.last, loci.Notice{Text: templateMoves.In(t.scope.Lang, t.session.Model)})
	}
	t.dirty = true
	out.receipt.Millis = took.Milliseconds()
	t.Receipt = receipt.Sum(t.Receipt, out.receipt)
	t.finish = out.finish
	t.weighed(out.receipt.Prompt)
	t.agent.steps.finish(t.session.ID, out)
	r := out.receipt
	t.log.Info("model call", "stage", "model", "step", t.Step, "prompt_tokens", r.Prompt,
		"reused_tokens", known(r.Reused), "evaluated_tokens", known(r.Evaluated), "appended_tokens", known(r.Appended),
		"wasted_tokens", known(r.Wasted), "estimated", r.Estimated, "broke", r.Broke.String(),
		"completion_tokens", r.Completion, "duration", took)
}

// known is a count for the log, nil where there is none.
func known(n *int) any {
	if n == nil {
		return nil
	}
	return *n
}

// toolsMove tells whether a chat template moves the tools, as calls have shown. New
// sessions are then spared it, which is news at the first time; this one has to live with
// it: what was sent is frozen.
func (t *turn) toolsMove() (moves, news bool) {
	if t.agent.cfg.Judge == nil {
		return true, false
	}
	return t.agent.cfg.Judge.ToolsMove(t.session.Model)
}

// speak shows text of the runtime or the rest of a step's text.
func (t *turn) speak(text string) {
	if text != "" {
		t.say(text, "")
	}
}

// announce says what the person should know before the reply.
func (t *turn) announce() {
	t.speak(t.notice)
	t.notice = ""
}

// gap separates the text of a step from that of the step before.
func (t *turn) gap() {
	switch s := t.shown.String(); {
	case s == "", strings.HasSuffix(s, "\n\n"), t.session.Tier == loci.TierTiny: // where the lead belongs to the text
	case strings.HasSuffix(s, "\n"):
		t.say("\n", "")
	default:
		t.say("\n\n", "")
	}
}

// heard decides what to do about a model's reply: run its calls, correct or nudge it,
// or take it as the answer.
func (t *turn) heard(out *output, written []loci.ToolCall, fault *toolcall.Fault) phase {
	sent := loci.Message{Role: loci.Assistant, Content: out.text}
	if len(written) > 0 {
		sent.Content = toolcall.Restore(out.text)
	}
	if out.over != nil {
		sent.Content = out.over.without(sent.Content)
	}
	t.Native = len(out.calls) > 0
	t.Calls = written
	if t.Native {
		t.Calls = t.identified(append(out.calls, besides(out.calls, written)...))
		sent.ToolCalls = t.Calls
	}
	t.Calls = t.unwrapped(t.Calls)
	if out.cut != "" && fault == nil {
		fault = toolcall.CutOff(out.cut)
		sent.Content = cmp.Or(sent.Content, "(A call of "+out.cut+" broke off here.)")
	}
	done := loci.StepFinished{Step: t.Step, Text: out.text, Calls: t.Calls, Finish: out.finish, Receipt: out.receipt}
	switch {
	case len(t.Calls) > 0:
		if out.over != nil {
			t.gap()
			t.speak(out.over.told().In(t.scope.Lang))
		}
		t.called(&done, fault)
		t.add(transcript.HiddenNode(t.session.ID, t.lastID, t.id, sent))
		if !t.record(done) {
			return (*turn).end
		}
		return (*turn).tools
	case fault != nil && t.learn([]*toolcall.Fault{fault}) == nil:
		return t.retry(&done, sent, fault)
	case fault != nil && fault.Cut:
		t.gap()
		t.speak(callBrokeOff.In(t.scope.Lang))
	case fault != nil:
		t.gap()
		t.speak(amiss(fault, t.scope.Lang))
	case out.over != nil:
		t.gap()
		t.speak(out.over.told().In(t.scope.Lang))
	case t.shown.Len() == 0 && out.finish == loci.FinishLength: // in its thoughts, or in a call
		t.speak(onlyThought.In(t.scope.Lang))
	case out.finish == loci.FinishLength && t.req.Options.MaxTokens == nil:
		t.gap()
		t.speak(cutShort.In(t.scope.Lang))
	case t.shown.Len() == 0:
		t.speak(noAnswer.In(t.scope.Lang))
	default:
		if n := t.nudge(out); n != nil {
			return t.urged(&done, sent, n)
		}
		if t.nudged() && t.mayLook() && t.promised(t.step()) {
			t.gap()
			t.speak(onlySaid.In(t.scope.Lang))
		}
	}
	t.replyWith(sent)
	t.last = append(t.last, done)
	return (*turn).end
}

// besides are the calls that were written as text, without those that the server also
// read out of that text.
func besides(native, written []loci.ToolCall) []loci.ToolCall {
	return slices.DeleteFunc(slices.Clone(written), func(w loci.ToolCall) bool {
		return slices.ContainsFunc(native, func(n loci.ToolCall) bool {
			name, _ := toolcall.Name(n.Name, []loci.ToolSpec{{Name: w.Name}})
			return name == w.Name && transcript.SameArguments(n, w)
		})
	})
}

// identified gives each call an id and the name of the offered tool it means.
func (t *turn) identified(calls []loci.ToolCall) []loci.ToolCall {
	for i := range calls {
		c := &calls[i]
		// Some servers count from 0 in each reply: what a call is known by must be its own.
		if c.ID == "" || t.hasCall(c.ID) || slices.ContainsFunc(calls[:i], func(o loci.ToolCall) bool { return o.ID == c.ID }) {
			c.ID = loci.NewID(loci.CallPrefix)
		}
		if name, ok := toolcall.Name(c.Name, t.specs); ok {
			c.Name = name
		}
		if t.clients(*c) {
			t.fitted(c)
		}
	}
	return calls
}

// fitted gives a call that the client is to run arguments that fit its tool. One that
// cannot be read is not handed over: the model hears what is wrong with it.
func (t *turn) fitted(c *loci.ToolCall) {
	spec, _ := t.spec(c.Name) // there is one: the client has it
	schema, err := toolcall.Compile(spec)
	if err != nil { // the client knows what it means
		schema, err = toolcall.Compile(loci.ToolSpec{Name: c.Name})
	}
	var args json.RawMessage
	if err == nil {
		args, err = schema.Arguments(c.Arguments)
	}
	fault, wrong := errors.AsType[*toolcall.Fault](err)
	if !wrong {
		c.Arguments = args
		return
	}
	e := fault.ToolError()
	if t.Failed == nil {
		t.Failed = map[string]loci.ToolResult{}
	}
	t.Failed[c.ID] = loci.ToolResult{Call: *c, Err: e, Text: e.Text(), Refused: true}
}

// hasCall tells whether a call in the path has this id.
func (t *turn) hasCall(id string) bool {
	return slices.ContainsFunc(t.path, func(n loci.Node) bool {
		return slices.ContainsFunc(n.Sent.ToolCalls, func(c loci.ToolCall) bool { return c.ID == id })
	})
}

// toText goes on in the text tier, for a server that turned out to refuse
// tools.
func (t *turn) toText() phase {
	t.Step--
	t.session.Tier, t.session.Markup, t.dirty = loci.TierText, t.profile.Markup, true
	t.system()
	if !t.record(loci.Notice{Text: textInstead.In(t.scope.Lang)}) {
		return (*turn).end
	}
	return (*turn).ask
}

// request is the next model call: the frozen system block and, where the model calls
// tools natively, the tools, then the path.
func (t *turn) request() *loci.Request { return t.requestOf(t.view()) }

// requestOf is request for a path as the model reads it.
func (t *turn) requestOf(view []loci.Node) *loci.Request {
	req := &loci.Request{
		Model:    t.session.Model,
		Messages: make([]loci.Message, 0, len(t.path)+1),
		Options:  t.req.Options,
		Purpose:  loci.PurposeStep,
	}
	if t.Receipt.Calls == t.apart {
		req.Purpose = loci.PurposeChat
	}
	if t.session.Tier == loci.TierNative {
		req.Tools = t.offered()
	}
	req.Messages = append(req.Messages, loci.Message{Role: loci.System, Content: t.session.System})
	var before loci.Node // the last one that was sent
	for _, n := range sendable(view) {
		// Many models demand that the roles take turns.
		switch last := &req.Messages[len(req.Messages)-1]; {
		case n.Sent.Role != loci.User || last.Role != loci.User:
			req.Messages = append(req.Messages, n.Sent)
		case before.Shown == nil || n.Sent.ToolName != "": // all that came of the calls of a step
			said := n.Sent
			said.Content = last.Content + "\n\n" + said.Content
			*last = said
		default: // a turn that failed
			req.Messages = append(req.Messages, loci.Message{Role: loci.Assistant, Content: "(There was no answer.)"}, n.Sent)
		}
		before = n
	}
	return req
}

// sendable gives the nodes that the model is sent, so that each call has a result and
// each result a call: servers refuse anything else. A result of a call that it is not
// shown becomes text, after those of the calls that it is.
func sendable(path []loci.Node) []loci.Node {
	nodes := make([]loci.Node, 0, len(path))
	var loose []loci.Node
	var open []loci.ToolCall
	settle := func() {
		nodes = append(append(nodes, unanswered(open)...), loose...)
		loose, open = nil, nil
	}
	for _, n := range path {
		if n.Unsent {
			continue
		}
		if n.Sent.Role != loci.ToolRole {
			settle()
			nodes, open = append(nodes, n), slices.Clone(n.Sent.ToolCalls)
			continue
		}
		at := slices.IndexFunc(open, func(c loci.ToolCall) bool { return c.ID == n.Sent.ToolCallID })
		if at >= 0 {
			nodes, open = append(nodes, n), slices.Delete(open, at, at+1)
		} else {
			loose = append(loose, asText(n))
		}
	}
	settle()
	return nodes
}

// asText makes a result a message that needs no call before it.
func asText(n loci.Node) loci.Node {
	r := loci.ToolResult{Data: quoted(n.Sent.Content)}
	n.Sent = loci.Message{Role: loci.User, Content: toolcall.Output(r), ToolName: cmp.Or(n.Sent.ToolName, "tool")}
	return n
}

// unanswered are results for calls that a stop or a crash kept from running.
// Servers refuse a conversation in which a call has none. They are the same
// each time, so the prefix stays.
func unanswered(calls []loci.ToolCall) []loci.Node {
	var results []loci.Node
	for _, c := range calls {
		e := &loci.ToolError{Message: "The turn was stopped before this ran.", CanRetry: true}
		results = append(results, loci.Node{Sent: loci.Message{
			Role: loci.ToolRole, Content: toolcall.Content(loci.ToolResult{Err: e}), ToolCallID: c.ID, ToolName: c.Name,
		}})
	}
	return results
}
