package agent

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
	"loci/internal/toolcall"
)

// pasted is how many bytes of a person's own message may hold the text that it asks
// about.
const pasted = 500

var (
	// unlooked parts an answer out of thin air, which the person has read by then, from
	// the one that follows it.
	unlooked = lang.Words{
		EN: "(That was said without a look at it. Now with one:)",
		ZH: "（以上内容未经查看。现在查看后再答：）",
		CS: "(To bylo řečeno bez podívání. Teď s ním:)",
	}
	onlySaid = lang.Words{
		EN: "(The model said what it would do and did not do it. Ask again, or use a larger model.)",
		ZH: "（模型说了要做什么，却没有做。请再问一次，或使用更大的模型。）",
		CS: "(Model řekl, co udělá, a neudělal to. Zeptejte se znovu, nebo použijte větší model.)",
	}
)

// nudge is what a model is told that should have called a tool.
type nudge struct {
	words  string // for the model
	parted string // for the person, before what follows; may be empty
}

// nudge looks at a reply without a call: whether it only says that a call is to come,
// or tells without a look what only a look can tell. It does so once a turn, and not
// where a correction has just been made or a tool has told something.
func (t *turn) nudge(out *output) *nudge {
	said := t.step()
	if t.nudged() || len(t.Faults) > 0 || !t.mayLook() || out.finish != loci.FinishStop || t.Step >= t.agent.cfg.Settings.MaxSteps {
		return nil
	}
	if t.promised(said) {
		return &nudge{words: t.urge("The reply says that a tool is to be used, and uses none.", "Make the call now, or answer the person if none is needed.", "")}
	}
	if call, ok := t.untold(said); ok {
		return &nudge{
			words:  t.urge("The reply was given without looking, and only "+call.Name+" can tell.", "Call "+call.Name+" now, then answer from its result.", call.Name),
			parted: unlooked.In(t.scope.Lang),
		}
	}
	return nil
}

// nudged tells whether the model was told to make a call.
func (t *turn) nudged() bool { return t.Receipt.Nudges > 0 }

// mayLook tells whether tools are offered, and none has told anything in this turn. A
// reply in the client's own form is for a program.
func (t *turn) mayLook() bool {
	return len(t.session.Tools)+len(t.session.ClientTools) > 0 && len(t.specs) > 0 && len(t.Results)+len(t.req.Results) == 0 &&
		t.req.ToolChoice.Mode != loci.ChoiceNone && len(t.req.Options.Format) == 0
}

// step is what the person has seen of the step.
func (t *turn) step() string { return strings.TrimSpace(t.shown.String()[t.spoken:]) }

// promised tells whether a reply is about to call a tool and does not.
func (t *turn) promised(said string) bool {
	names := make([]string, len(t.specs))
	for i, s := range t.specs {
		names[i] = s.Name
	}
	return promises(said, t.wish(), names)
}

// untold gives the call that would tell what the person wants to know, where a reply
// knows it from nowhere. A question back is no answer, and what comes with the words may
// be what they are about.
func (t *turn) untold(said string) (loci.ToolCall, bool) {
	asked := t.situation()
	if t.agent.cfg.Teller == nil || asked.Added || len(asked.Text) > longestWish || strings.HasSuffix(said, "?") || strings.HasSuffix(said, "？") {
		return loci.ToolCall{}, false
	}
	call, ok := t.agent.cfg.Teller.Tells(asked)
	return call, ok && !t.toldBefore(call)
}

// toldBefore tells whether an earlier turn has had a result about what a call is
// about, or the person has pasted it.
func (t *turn) toldBefore(call loci.ToolCall) bool {
	about := subjects(call)
	return slices.ContainsFunc(t.path, func(n loci.Node) bool {
		m := n.Sent
		_, added := ownWords(m.Content)
		switch {
		case n.Turn == t.id || n.Unsent:
			return false
		case m.Role == loci.User && n.Shown != nil && len(m.Content) < pasted && added == "", m.Role == loci.Assistant && n.Shown != nil:
			return false
		}
		text := m.Content + " " + m.ToolName
		for _, c := range m.ToolCalls {
			text += " " + c.Name + string(c.Arguments)
		}
		return slices.ContainsFunc(about, func(s string) bool { return strings.Contains(text, s) })
	})
}

// subjects are what a call is about: the last parts of the paths and the words in its
// arguments, or else the tool itself.
func subjects(call loci.ToolCall) (about []string) {
	var args map[string]any
	_ = json.Unmarshal(call.Arguments, &args) // ours, and always an object
	for _, v := range args {
		if s, ok := v.(string); ok && s != "" {
			about = append(about, path.Base(s))
		}
	}
	if len(about) == 0 {
		about = []string{call.Name}
	}
	return about
}

// urge is the nudge in the words of the session's dialect.
func (t *turn) urge(problem, advice, tool string) string {
	words := toolcall.Output(loci.ToolResult{Err: &loci.ToolError{Message: problem, CanRetry: true, Suggestion: advice}})
	if t.session.Tier != loci.TierText {
		return words
	}
	if spec, ok := t.spec(tool); ok {
		if example := toolcall.Example(t.session.Markup, spec); example != "" {
			return words + "\nFor example:\n" + example
		}
	}
	return words + "\n" + toolcall.Form(t.session.Markup)
}

// urged has the model go on after a nudge.
func (t *turn) urged(done *loci.StepFinished, sent loci.Message, n *nudge) phase {
	done.Receipt.Nudges++
	t.Receipt.Nudges++
	if n.parted != "" {
		t.gap()
		t.speak(n.parted)
	}
	return t.tellModel(done, sent, n.words)
}
