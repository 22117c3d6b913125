package tool

import (
	"context"
	"encoding/json"

	"loci"
	"loci/internal/lang"
)

// Gate decides about each call after its arguments were read and before anything
// happens.
type Gate interface {
	Decide(ctx context.Context, c Case) Decision
}

// Case is a call that wants to run.
type Case struct {
	Scope     loci.Scope // on whose behalf
	Spec      loci.ToolSpec
	Arguments json.RawMessage
	Preview   Preview // what it would do; zero where the tool has none
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
	// Permit is what allows it where something has to: the id of a grant, or
	// PermitRule.
	Permit string
	// Once says that a yes to the question holds for this call alone.
	Once bool
}

// PermitRule is the permit of a call that the configuration lets run unasked.
const PermitRule = "rule"

// AskFirst is the gate that goes by the tool alone: what its spec calls dangerous,
// and what its preview warns of, needs a yes.
type AskFirst struct{}

// Decide goes by whether the tool is dangerous.
func (AskFirst) Decide(_ context.Context, c Case) Decision {
	if reason := Why(c); reason != "" {
		return Decision{Verdict: Ask, Reason: reason}
	}
	return Decision{Verdict: Allow}
}

// Why is what a person is told about why a call has to be asked about; empty if it
// has not.
func Why(c Case) string {
	language := c.Scope.Lang
	switch {
	case c.Preview.Warning != "":
		return c.Preview.Warning
	case c.Spec.Dangerous && c.Spec.SideEffects == loci.EffectWrite && c.Spec.Files:
		return whyFiles.In(language)
	case c.Spec.Dangerous:
		return why[c.Spec.SideEffects].In(language)
	}
	return ""
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
