package tool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"loci"
	"loci/internal/sandbox"
	"loci/internal/toolcall"
)

// Ask tells what a person has to agree to before a call may run. It is nil for
// one that may run as it is, and for one that cannot work anyway: [Set.Call]
// tells why.
func (s *Set) Ask(ctx context.Context, scope loci.Scope, call loci.ToolCall) *loci.Ask {
	t, args, err := s.find(scope, call)
	if err != nil {
		return nil
	}
	p, d, err := s.decide(ctx, scope, t, args)
	if err != nil || d.Verdict != Ask {
		return nil
	}
	ask := &loci.Ask{Preview: p.Text, Reason: d.Reason, Touches: p.Touches, Fingerprint: fingerprint(t, args, p), Taint: scope.Taint}
	if p.Binding != "" && !d.Once {
		ask.Binding, ask.Subject = Binding(t.Name, p), p.Subject
	}
	return ask
}

// preparePatience is how long the preparation of a call may take, in which a model may
// be asked, which reads a file on a processor that has other things to do.
const preparePatience = 10 * time.Minute

// Prepare makes of a call the one that a person is asked about and that runs; see
// [Tool.Prepare]. It has to be used before [Set.Ask], once for each call. Where the
// call cannot work there is a result that says why; a call whose arguments cannot be
// read stays as it is, and [Set.Call] tells.
func (s *Set) Prepare(ctx context.Context, scope loci.Scope, call loci.ToolCall) (loci.ToolCall, *loci.ToolResult) {
	t, args, err := s.find(scope, call)
	if err != nil || t.Prepare == nil || !may(scope, t.ToolSpec) {
		return call, nil
	}
	t.Timeout = max(t.Timeout, preparePatience)
	var origin string
	made, err := guard(ctx, s, site{scope: scope}, t, func(ctx context.Context, env Env) (json.RawMessage, error) {
		made, err := t.Prepare(ctx, env, args)
		origin = strings.Join(env.Files.Outside(), "; ")
		return made, err
	})
	var r *loci.ToolResult
	if err != nil {
		r = &loci.ToolResult{Call: call, Err: s.toolError(ctx, t.Name, err), Origin: origin}
		r.Text = r.Err.Text()
		s.hide(r)
	}
	if err != nil || !bytes.Equal(made, args) { // it has looked at something
		e := effect{set: s, scope: scope, tool: t, call: call}
		e.call.Arguments = args
		e.looked(ctx, made, r)
	}
	if r == nil {
		call.Arguments = made
	}
	return call, r
}

// Call runs one call. Approved is the question about it that a person said yes to,
// nil if nobody was asked. It never fails: what went wrong is in the
// result, in words for the model, and in Text for the person. The arguments in
// the result's Call are valid JSON, mended where the model's were not.
func (s *Set) Call(ctx context.Context, scope loci.Scope, call loci.ToolCall, approved *loci.Approval) loci.ToolResult {
	start := time.Now()
	if len(call.Arguments) > 0 && !json.Valid(call.Arguments) {
		text, _ := json.Marshal(string(call.Arguments)) // a string always marshals
		call.Arguments = text
	}
	result := loci.ToolResult{Call: call}
	if result.Err = s.call(ctx, scope, &result, approved); result.Err != nil {
		result.Text = result.Err.Text()
	}
	s.hide(&result)
	result.Took = time.Since(start)
	s.log.InfoContext(ctx, "tool call", "stage", "tool", "tool", known(s, call.Name), "session", scope.Session, "turn", scope.Turn, "call", call.ID,
		"failed", result.Err != nil, "refused", result.Refused, "bytes", len(result.Data), "duration", result.Took)
	return result
}

// hide masks the secrets that a result holds.
func (s *Set) hide(r *loci.ToolResult) {
	r.Data, r.Text = s.mask.JSON(r.Data), s.mask.Text(r.Text)
	if r.Err != nil {
		e := *r.Err
		e.Message, e.Suggestion, e.ForPerson = s.mask.Text(e.Message), s.mask.Text(e.Suggestion), s.mask.Text(e.ForPerson)
		r.Err = &e
	}
}

// known keeps names that a model made up out of the log.
func known(s *Set, name string) string {
	if _, ok := s.tools[name]; ok {
		return name
	}
	return "unknown"
}

// find is the tool of a call, with the call's arguments as its schema has them.
func (s *Set) find(scope loci.Scope, call loci.ToolCall) (entry, json.RawMessage, error) {
	t, ok := s.tools[call.Name]
	if !ok {
		return entry{}, nil, toolcall.Unknown(call.Name, s.Specs(scope)).ToolError()
	}
	args, err := t.schema.Arguments(call.Arguments)
	return t, args, err
}

// call takes one call through the stations, and fills the result. An error is put into
// the model's words once, so that a fault is logged once.
func (s *Set) call(ctx context.Context, scope loci.Scope, result *loci.ToolResult, approved *loci.Approval) *loci.ToolError {
	t, args, err := s.find(scope, result.Call)
	if err != nil {
		return s.toolError(ctx, result.Call.Name, err)
	}
	result.Call.Arguments = args
	e := effect{set: s, scope: scope, tool: t, call: result.Call}
	basis, permit, err := s.permit(ctx, scope, t, args, approved)
	if err != nil {
		if told, ok := errors.AsType[*toldError](err); ok {
			result.Origin, err = told.origin, told.error
		}
		result.Refused = true
		why := s.toolError(ctx, t.Name, err)
		e.refused(ctx, why)
		return why
	}
	if why := e.begin(ctx, permit); why != nil {
		result.Refused = true
		return why
	}
	o, err := guard(ctx, s, site{scope, permit == PermitRule}, t, func(ctx context.Context, env Env) (outcome, error) {
		env.Basis, env.Call = basis, result.Call.ID
		return s.work(ctx, env, t, args)
	})
	result.Origin, result.Change = origin(t, o), o.change
	var failed *loci.ToolError
	if err != nil {
		failed = s.toolError(ctx, t.Name, unfinished(t, err))
	} else {
		result.Data, result.Text = o.data, o.text
	}
	e.end(ctx, result.Data, failed)
	return failed
}

// decide makes the preview of a call, and asks the gate about it. Nothing is looked
// at for who may not have the tool at all.
func (s *Set) decide(ctx context.Context, scope loci.Scope, t entry, args json.RawMessage) (Preview, Decision, error) {
	if !may(scope, t.ToolSpec) {
		return Preview{}, Decision{
			Reason:     "Only the person who runs loci may have this done on this machine; " + t.Name + " was not run.",
			Suggestion: "Answer without it, or tell the person to ask whoever runs this server.",
		}, nil
	}
	p, err := s.preview(ctx, scope, t, args)
	if err != nil {
		return p, Decision{}, err
	}
	return p, s.gate.Decide(ctx, Case{Scope: scope, Spec: t.ToolSpec, Arguments: args, Preview: p}), nil
}

// permit tells what allows a call, and gives the basis of what it was decided on where that has to stay the same. It
// is an error if nothing does: then nothing happens.
func (s *Set) permit(ctx context.Context, scope loci.Scope, t entry, args json.RawMessage, approved *loci.Approval) (basis, permit string, err error) {
	p, d, err := s.decide(ctx, scope, t, args)
	switch {
	case err != nil:
		return "", "", err
	case d.Verdict == Allow && approved == nil:
		if d.Permit != "" && d.Permit != PermitRule { // a grant is for what was decided on
			return p.Basis, d.Permit, nil
		}
		return "", d.Permit, nil
	case d.Verdict == Refuse:
		return "", "", &loci.ToolError{Message: d.Reason, Suggestion: d.Suggestion}
	case approved == nil:
		return "", "", &loci.ToolError{
			Message:    t.Name + " needs a yes from the person first; it was not run.",
			Suggestion: "Tell the person what you would do.",
		}
	case approved.Fingerprint != fingerprint(t, args, p):
		return "", "", errChanged
	}
	return p.Basis, approved.ID, nil
}

// preview tells what a call would do.
func (s *Set) preview(ctx context.Context, scope loci.Scope, t entry, args json.RawMessage) (Preview, error) {
	if t.Preview == nil {
		return Preview{}, nil
	}
	return guard(ctx, s, site{scope: scope}, t, func(ctx context.Context, env Env) (Preview, error) {
		p, err := t.Preview(ctx, env, args)
		if from := env.Files.Outside(); err != nil && len(from) > 0 {
			err = &toldError{err, strings.Join(from, "; ")}
		}
		return p, err
	})
}

// toldError is why a call cannot work, which may tell the model something of outside: a
// name that was meant, or the lines that an edit does not fit.
type toldError struct {
	error
	origin string
}

func (e *toldError) Unwrap() error { return e.error }

// fingerprint identifies a call and what its preview was made from.
func fingerprint(t entry, args json.RawMessage, p Preview) string {
	return digest(t.Name, string(args), p.Basis)
}

// outcome is what a call gives: JSON for a model, words for a person, where from
// outside it comes, and the id of a change that can be taken back.
type outcome struct {
	data   json.RawMessage
	text   string
	origin string
	change string
}

// origin is where from outside a result comes. What an outside tool says when it
// fails comes from there too.
func origin(t entry, o outcome) string {
	if o.origin == "" && t.Outside {
		return t.Name
	}
	return o.origin
}

// site is where a part of a call works.
type site struct {
	scope   loci.Scope
	unasked bool // nobody agreed to it: a rule lets it run
}

// guard does a part of a call in a goroutine of its own, because neither
// opening a folder on a dead network drive nor reading from it can be cancelled:
// after the deadline the goroutine is left behind and what it returns in the
// end is dropped. A panic becomes an error.
func guard[R any](ctx context.Context, s *Set, at site, t entry, part func(context.Context, Env) (R, error)) (R, error) {
	var none R
	select {
	case s.slots <- struct{}{}:
	default:
		return none, errBusy
	}
	type ended struct {
		result R
		err    error
	}
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	done := make(chan ended, 1)
	go func() {
		var e ended
		defer func() {
			if p := recover(); p != nil {
				e = ended{err: fmt.Errorf("panic in %s: %v\n%s", t.Name, p, debug.Stack())}
			}
			<-s.slots
			done <- e
		}()
		e.result, e.err = within(ctx, s, at, t, part)
	}()
	select {
	case e := <-done:
		return e.result, e.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// within opens the folders for a tool that needs them while a part of a call
// runs.
func within[R any](ctx context.Context, s *Set, at site, t entry, part func(context.Context, Env) (R, error)) (r R, err error) {
	env := Env{Scope: at.scope, Now: s.now()}
	if t.Files {
		env.Files, err = s.open(sandbox.Config{
			Folders: at.scope.Folders, Work: at.scope.Working, Partial: true, Private: s.private,
			Rules: s.rules(at.scope.Principal), Unasked: at.unasked,
			Origins: s.origins, Reader: at.scope.Principal, Taint: at.scope.Taint,
		})
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, env.Files.Close()) }()
	}
	if err := ctx.Err(); err != nil { // nobody waits any more
		return r, err
	}
	return part(ctx, env)
}

// work runs a tool's handler and writes down what it returned.
func (s *Set) work(ctx context.Context, env Env, t entry, args json.RawMessage) (o outcome, err error) {
	value, err := t.Handler(ctx, env, args)
	o.origin = strings.Join(env.Files.Outside(), "; ")
	// What failed may tell of outside too: the words of another server, for one.
	if from, tells := value.(Foreign); tells && from.Origin() != "" {
		o.origin = from.Origin()
	}
	if err != nil {
		return o, err
	}
	data, err := encode(value)
	if err != nil {
		return o, err
	}
	o.data, o.text = shorten(data, cmp.Or(t.MaxResult, s.maxResult)), t.Render(env.Scope.Lang, value)
	if made, tells := value.(Undoable); tells {
		o.change = made.Change()
	}
	return o, nil
}
