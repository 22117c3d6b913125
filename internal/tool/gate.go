package tool

import (
	"context"
	"encoding/json"

	"loci"
	"loci/internal/lang"
)

// Gate decides about each call after its arguments were read and before
// anything happens. The scope is on whose behalf the call is made.
type Gate interface {
	Decide(ctx context.Context, scope loci.Scope, spec loci.ToolSpec, args json.RawMessage) Decision
}

// Verdict is what a gate says.
type Verdict int

// The verdicts. The zero value refuses, so that a forgotten case is safe.
const (
	Refuse Verdict = iota
	Ask            // a person has to say yes to this very call
	Allow
)

// Decision is a verdict and the reason for it: of a refusal in words for the
// model, of a question in words for the person.
type Decision struct {
	Verdict    Verdict
	Reason     string // one sentence: why not, or why it asks
	Suggestion string // after a refusal: what to do instead
}

// AskFirst is the gate that goes by what the tool's spec calls dangerous: that
// needs a yes from the person who runs loci, and nobody else can have it done. All
// else runs for that person; for others, what computes, and what looks into folders
// that they have.
type AskFirst struct{}

// Decide goes by the tool's side effects, whether it is dangerous, and whose
// call it is.
func (AskFirst) Decide(_ context.Context, scope loci.Scope, spec loci.ToolSpec, _ json.RawMessage) Decision {
	switch {
	case !may(scope, spec):
		return Decision{
			Reason:     "Only the person who runs loci may have this done on this machine; " + spec.Name + " was not run.",
			Suggestion: "Answer without it, or tell the person to ask whoever runs this server.",
		}
	case spec.Dangerous && spec.Files && spec.SideEffects == loci.EffectWrite:
		return Decision{Verdict: Ask, Reason: whyFiles.In(scope.Lang)}
	case spec.Dangerous:
		return Decision{Verdict: Ask, Reason: why[spec.SideEffects].In(scope.Lang)}
	}
	return Decision{Verdict: Allow}
}

// whyFiles is what a person is told about a change in their folders.
var whyFiles = lang.Words{EN: "It changes your files.", ZH: "它会更改您的文件。", CS: "Mění vaše soubory."}

// why is what a person is told about a dangerous call.
var why = map[loci.SideEffects]lang.Words{
	loci.EffectNone:   {EN: "It was marked as dangerous.", ZH: "它被标记为危险操作。", CS: "Je označeno jako nebezpečné."},
	loci.EffectRead:   {EN: "It looks at something private.", ZH: "它会查看私人内容。", CS: "Dívá se na něco soukromého."},
	loci.EffectWrite:  {EN: "It changes something on this machine.", ZH: "它会更改这台机器上的内容。", CS: "Mění něco na tomto počítači."},
	loci.EffectEgress: {EN: "It sends something off this machine.", ZH: "它会把内容发送到这台机器之外。", CS: "Posílá něco z tohoto počítače ven."},
	loci.EffectExec:   {EN: "It runs a program on this machine.", ZH: "它会在这台机器上运行程序。", CS: "Spouští na tomto počítači program."},
}
