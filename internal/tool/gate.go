package tool

import (
	"context"
	"encoding/json"

	"loci"
)

// Gate decides about each call after its arguments were read and before
// anything happens. The scope is on whose behalf the call is made.
type Gate interface {
	Allow(ctx context.Context, scope loci.Scope, spec loci.ToolSpec, args json.RawMessage) Decision
}

// Verdict is what a gate says.
type Verdict int

// The verdicts. The zero value refuses, so that a forgotten case is safe.
const (
	Refuse Verdict = iota
	Allow
)

// Decision is a verdict and, for a refusal, what the model reads.
type Decision struct {
	Verdict    Verdict
	Reason     string // one sentence: why not
	Suggestion string // what to do instead
}

// LookOnly is the gate that lets through what computes, what looks into folders
// that somebody has, and, for the person who runs loci, what looks anywhere.
// What changes things, sends data or runs programs is refused.
type LookOnly struct{}

// Allow decides by the tool's side effects and whose call it is.
func (LookOnly) Allow(_ context.Context, scope loci.Scope, spec loci.ToolSpec, _ json.RawMessage) Decision {
	switch {
	case spec.SideEffects == loci.EffectNone:
		return Decision{Verdict: Allow}
	case spec.SideEffects != loci.EffectRead:
		return Decision{
			Reason:     "Changing things, sending data and running programs is not possible yet; " + spec.Name + " was not run.",
			Suggestion: "Tell the person what you would have done, so that they can do it themselves.",
		}
	case !scope.Principal.Owner && !ownFiles(scope, spec):
		return Decision{
			Reason:     "Only the person who runs loci may look at this machine; " + spec.Name + " was not run.",
			Suggestion: "Answer without it, or tell the person to ask whoever runs this server.",
		}
	}
	return Decision{Verdict: Allow}
}
