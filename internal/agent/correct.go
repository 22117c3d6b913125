package agent

import (
	"errors"
	"slices"

	"loci"
	"loci/internal/toolcall"
	"loci/internal/transcript"
)

// faultLimit is how many corrections in a row a turn has room for, without a right
// call in between, where each is of another fault.
const faultLimit = 3

// misfits are what is wrong with the native calls of the step; those that were written
// as text fit already. A tool of the client is the client's to judge.
func (t *turn) misfits() (faults []*toolcall.Fault) {
	if !t.Native {
		return nil
	}
	for _, c := range t.Calls {
		if t.clients(c) {
			continue
		}
		spec, ok := t.spec(c.Name)
		if !ok {
			faults = append(faults, toolcall.Unknown(c.Name, t.specs))
			continue
		}
		s, err := toolcall.Compile(spec)
		if err != nil { // the tool tells
			continue
		}
		_, err = s.Arguments(c.Arguments)
		if f, ok := errors.AsType[*toolcall.Fault](err); ok {
			faults = append(faults, f)
		}
	}
	return faults
}

// spec is a tool that may be called.
func (t *turn) spec(name string) (loci.ToolSpec, bool) {
	if i := slices.IndexFunc(t.specs, func(s loci.ToolSpec) bool { return s.Name == name }); i >= 0 {
		return t.specs[i], true
	}
	return loci.ToolSpec{}, false
}

// called books the calls of a step and what is wrong with them: right ones make good
// what was wrong before, and faults that a correction has not helped end the turn when
// the calls have their results.
func (t *turn) called(done *loci.StepFinished, fault *toolcall.Fault) {
	faults := t.misfits()
	good := len(faults) < len(t.Calls)
	if fault != nil { // of a call beside them, which would be lost in silence
		faults = append(faults, fault)
		t.output(t.correction(done.Finish, fault), true)
	}
	if len(faults) == 0 {
		t.Faults = nil
		return
	}
	if again := t.learn(faults); again != nil && !good {
		t.Amiss = amiss(again, t.scope.Lang)
		return
	}
	t.corrected(done)
	if len(t.Calls) == 1 && len(faults) == 1 {
		t.Forced = forcible(done.Finish, faults[0])
	}
}

// learn remembers faults. It gives one that a correction has not helped: of the same
// kind as one before it, or one too many.
func (t *turn) learn(faults []*toolcall.Fault) (again *toolcall.Fault) {
	before := t.Faults
	for _, f := range faults {
		if kind := f.Kind(); len(before) < faultLimit && !slices.Contains(before, kind) {
			t.Faults = append(t.Faults, kind)
		} else if again == nil {
			again = f
		}
	}
	return again
}

// corrected counts a correction.
func (t *turn) corrected(done *loci.StepFinished) {
	done.Receipt.Corrections++
	t.Receipt.Corrections++
}

// retry has the model make a call again that it wrote in a form that cannot be read or
// does not fit.
func (t *turn) retry(done *loci.StepFinished, sent loci.Message, fault *toolcall.Fault) phase {
	t.corrected(done)
	t.Forced = forcible(done.Finish, fault)
	return t.tellModel(done, sent, t.correction(done.Finish, fault))
}

// tellModel has the model go on from its own words and from what the runtime says to them.
func (t *turn) tellModel(done *loci.StepFinished, sent loci.Message, words string) phase {
	t.add(transcript.HiddenNode(t.session.ID, t.lastID, t.id, sent))
	t.add(transcript.HiddenNode(t.session.ID, t.lastID, t.id, loci.Message{Role: loci.User, Content: words, Own: []int{0}}))
	if !t.record(*done) {
		return (*turn).end
	}
	return (*turn).ask
}

// correction tells the model exactly what was wrong with its call, and how a right one
// looks in the form that the session was taught.
func (t *turn) correction(finish loci.Finish, fault *toolcall.Fault) string {
	switch {
	case finish == loci.FinishLength:
		return toolcall.Output(loci.ToolResult{Err: &loci.ToolError{
			Message:    "The output limit was reached in the middle of a tool call, so it did not run.",
			CanRetry:   true,
			Suggestion: "Make the call again with less text in it, a long text in several smaller pieces.",
		}})
	case t.session.Tier == loci.TierText:
		return fault.Correction(t.session.Markup)
	}
	return toolcall.Output(loci.ToolResult{Err: fault.ToolError()})
}

// forcible is the tool whose call the server is to hold the next reply to; empty for none.
// A call that was too long would be no shorter in the right form.
func forcible(finish loci.Finish, fault *toolcall.Fault) string {
	if fault.Cut || finish == loci.FinishLength {
		return ""
	}
	return fault.Tool
}

// force has the server hold the reply to a corrected call, where it can. It tells
// whether it does, which it does once.
func (t *turn) force(req *loci.Request) bool {
	spec, ok := t.spec(t.Forced)
	t.Forced = ""
	switch {
	case !ok || len(req.Options.Format) > 0: // the client's own form
	case t.session.Tier == loci.TierText && t.profile.Constrain == loci.Yes:
		req.Options.Format = toolcall.CallSchema(spec)
		return true
	case t.session.Tier == loci.TierNative && t.profile.Choice == loci.Yes &&
		slices.ContainsFunc(req.Tools, func(s loci.ToolSpec) bool { return s.Name == spec.Name }):
		req.ToolChoice = loci.ToolChoice{Mode: loci.ChoiceRequired, Name: spec.Name}
		return true
	}
	return false
}

// refusedForm tells whether a server would rather not hold a reply to a form: its
// converter of schemas may not know all of them, and the call can be made without. The
// trial of a demanded call (internal/model) takes the same codes for a refusal.
func refusedForm(err error) bool {
	code := loci.AsError(err).Code
	return code == loci.Invalid || code == loci.Internal || code == loci.Refused
}

// giveUpCall ends a turn whose calls do not come right.
func (t *turn) giveUpCall() phase {
	words := t.Amiss
	t.gap()
	t.speak(words)
	t.finish = loci.FinishStop
	t.replyWith(loci.Message{Role: loci.Assistant, Content: words})
	return (*turn).end
}
