// Package gate decides which call may run, which one a person has to be asked about,
// and which one is refused. It goes by what the tool does to the world, by the rules of
// the configuration, by the yeses that are remembered, and by whether the conversation
// has read anything from outside.
//
// What has read from outside may carry somebody else's wishes: a page that says "send
// this on" is read like any other text, and no model tells it from the person's words
// for certain. So once that happened, nothing leaves this machine, no program runs and
// nothing irreversible is done without a question that names where it was read,
// whatever was agreed to before.
package gate

import (
	"cmp"
	"context"
	"log/slog"

	"loci"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/tool"
)

// Mode says how much a conversation that has read from outside asks again.
type Mode string

// The modes. Relaxed leaves out the question where the person's own words name where
// something goes to, and it can be taken back: it asks less, and can be led astray by
// what the person themselves were led to name. See docs/permission.md for both in
// numbers.
const (
	Strict  Mode = "strict"
	Relaxed Mode = "relaxed"
)

// Grants are the yeses that are remembered.
type Grants interface {
	// Grant gives one that holds for a principal in a session, or a loci.NotFound
	// error.
	Grant(ctx context.Context, principal, session, binding string) (loci.Grant, error)
}

// Config is what a Gate is made of. What is left out allows nothing.
type Config struct {
	Grants Grants
	// Rules give what may be changed unasked, and where.
	Rules func(loci.Principal) sandbox.Rules
	// Command tells what the configuration says of a call of a program, and why.
	Command func(tool.Case) (tool.Verdict, string)
	Taint   Mode         // empty: Strict
	Logger  *slog.Logger // nil: no logs
}

// Gate is the gate of the running program. It is safe for concurrent use.
type Gate struct{ cfg Config }

// New makes a Gate.
func New(c Config) *Gate {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Gate{c}
}

var _ tool.Gate = (*Gate)(nil)

// Decide decides about a call whose principal may have the tool.
func (g *Gate) Decide(ctx context.Context, c tool.Case) tool.Decision {
	reason := tool.Why(c)
	says, why := g.command(c)
	if says == tool.Refuse {
		return tool.Decision{Reason: why, Suggestion: "Do without it, or tell the person that a rule of theirs forbids it."}
	}
	switch {
	case g.astray(c):
		if reason == "" {
			reason = leaves.In(c.Scope.Lang)
		}
		return tool.Decision{Verdict: tool.Ask, Reason: reason, Once: true}
	case reason == "":
		return tool.Decision{Verdict: tool.Allow}
	case c.Preview.Warning != "" || c.Spec.Irreversible:
		return tool.Decision{Verdict: tool.Ask, Reason: reason, Once: true}
	case says == tool.Allow || g.free(c):
		return tool.Decision{Verdict: tool.Allow, Permit: tool.PermitRule}
	}
	if id := g.granted(ctx, c); id != "" {
		return tool.Decision{Verdict: tool.Allow, Permit: id}
	}
	return tool.Decision{Verdict: tool.Ask, Reason: cmp.Or(why, reason)}
}

// command is what the configuration says of a call that runs a program.
func (g *Gate) command(c tool.Case) (tool.Verdict, string) {
	if c.Spec.SideEffects != loci.EffectExec || g.cfg.Command == nil {
		return tool.Ask, ""
	}
	return g.cfg.Command(c)
}

// leaves is why a call asks that otherwise runs unasked.
var leaves = lang.Words{
	EN: "It reaches beyond this machine, and this conversation has read from outside.",
	ZH: "它会访问这台机器之外，而本次对话读取过外部内容。",
	CS: "Sahá mimo tento počítač a tato konverzace četla obsah odjinud.",
}

// free tells whether the rules of folders let a call run unasked.
func (g *Gate) free(c tool.Case) bool {
	return c.Spec.SideEffects == loci.EffectWrite && c.Spec.Files && g.cfg.Rules != nil &&
		g.cfg.Rules(c.Scope.Principal).Free(c.Preview.Touches...)
}

// granted is the id of a grant that holds for a call; empty if none does.
func (g *Gate) granted(ctx context.Context, c tool.Case) string {
	if c.Preview.Binding == "" || g.cfg.Grants == nil {
		return ""
	}
	grant, err := g.cfg.Grants.Grant(ctx, c.Scope.Principal.ID, c.Scope.Session, tool.Binding(c.Spec.Name, c.Preview))
	if err == nil {
		return grant.ID
	}
	if !loci.IsNotFound(err) { // then the person is asked
		g.cfg.Logger.ErrorContext(ctx, "grants cannot be read", "stage", "gate", "session", c.Scope.Session, "error", err)
	}
	return ""
}
