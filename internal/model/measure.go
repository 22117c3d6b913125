package model

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/model/server"
	"loci/internal/text"
)

// measureLimit bounds the counting of a first contact: some twenty questions that no
// model is run for.
const measureLimit = 2 * time.Second

// measure has the server count a few samples, once for a model, so that prompts are
// estimated rightly from the first one on. No call of a turn waits for a count. It tells
// whether something was found out.
func (h *Hub) measure(ctx context.Context, t *Target, a *acquaintance, f server.Facts) (news bool) {
	if a.snapshot().Counting != (loci.Counting{}) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, measureLimit)
	defer cancel()
	m := measuring{t: t, ctx: ctx, ok: true}
	var found loci.Counting
	var counted []int
	for _, s := range text.Samples() {
		counted = append(counted, m.tokens(s))
	}
	if !m.ok {
		return false
	}
	w := text.Fit(counted)
	found.Weights = loci.TextWeights(w)
	m.template(&found)
	moves := false
	if f.Tools != nil && *f.Tools && m.ok {
		m.tools(&found, w)
		moves = m.toolsMove() == loci.Yes
	}
	if sane := found.Sane(); sane != found {
		h.config.Logger.Warn("what the server counts of its chat template is not believed", "model", t.Model.ID, "counting", found)
		found = sane
	}
	h.config.Logger.Debug("a model's tokens were counted", "model", t.Model.ID, "counting", found)
	return a.update(func(p *loci.Profile) bool {
		p.Counting, p.ToolsMove = found, p.ToolsMove || moves
		return true
	})
}

// measuring counts for one model. It stops to ask at the first question that the server
// does not answer.
type measuring struct {
	t   *Target
	ctx context.Context
	ok  bool
}

// tokens counts a text.
func (m *measuring) tokens(s string) (n int) {
	if m.ok {
		var err error
		n, m.ok, err = m.t.Server.Tokenize(m.ctx, m.t.Model.ID, s)
		m.ok = m.ok && err == nil
	}
	return n
}

// prompt counts a prompt as the chat template writes it.
func (m *measuring) prompt(messages int, tools ...loci.ToolSpec) float64 {
	all := []loci.Message{{Role: loci.System, Content: sampleSaid}}
	for i := range messages - 1 {
		role := []loci.Role{loci.User, loci.Assistant}[i%2]
		all = append(all, loci.Message{Role: role, Content: sampleSaid})
	}
	return float64(m.tokens(m.written(all, tools...)))
}

// sampleSaid is what messages say of which only the surroundings matter.
const sampleSaid = "Good morning."

// template finds out what the chat template writes around messages.
func (m *measuring) template(c *loci.Counting) {
	said := float64(m.tokens(sampleSaid))
	two, four := m.prompt(2), m.prompt(4)
	if per := (four-two)/2 - said; m.ok && per >= 0 {
		c.Message, c.Prompt = max(per, 0.5), two-2*(per+said)
	}
}

// sampleTools are one short tool, another of the very same size, and a long one.
func sampleTools() (short, same, long loci.ToolSpec) {
	parameters := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	short = loci.ToolSpec{Name: "read_one", Description: "Reads one file.", Parameters: parameters}
	same = short
	same.Name = "read_two"
	long = loci.ToolSpec{Name: "find_all", Description: "Finds files by their names, by what is in them, or by the day on which they were changed."}
	var fields []string
	for _, name := range []string{"path", "name", "content", "since", "until", "kind"} {
		fields = append(fields, `"`+name+`":{"type":"string","description":"the `+name+` that is wanted"}`)
	}
	long.Parameters = json.RawMessage(`{"type":"object","properties":{` + strings.Join(fields, ",") + `},"required":["path"]}`)
	return short, same, long
}

// tools finds out what the chat template writes for tools.
func (m *measuring) tools(c *loci.Counting, w text.Weights) {
	short, same, long := sampleTools()
	of := func(t loci.ToolSpec) float64 {
		return float64(text.Make(t.Name + t.Description + string(t.Parameters)).Tokens(w))
	}
	none, one, two, mixed := m.prompt(2), m.prompt(2, short), m.prompt(2, short, same), m.prompt(2, short, long)
	scale := (mixed - two) / (of(long) - of(same))
	each := two - one - scale*of(same)
	if !m.ok || scale < 0.3 || scale > 5 || one <= none { // the template has no place for them after all
		return
	}
	c.Schema, c.Tool = scale, each
	c.Tools = one - none - each - scale*of(short)
}

// toolsMove tells whether the chat template keeps the tools where they were when a
// conversation goes on, as far as the server shows what the template writes. That is sure,
// where what calls cost may have been somebody else's doing.
func (m *measuring) toolsMove() loci.Finding {
	tool, _, _ := sampleTools()
	said := []loci.Message{{Role: loci.System, Content: sampleSaid}, user("Which files are there?")}
	first := m.written(said, tool)
	call := loci.ToolCall{ID: "call00001", Name: tool.Name, Arguments: json.RawMessage(`{"path":"a"}`)}
	end := strings.Index(first, said[1].Content)
	if end < 0 || !strings.Contains(first, tool.Name) {
		return loci.Unknown
	}
	begins := first[:end+len(said[1].Content)]
	for _, more := range [][]loci.Message{
		{{Role: loci.Assistant, Content: "Two."}, user("And now?")},
		{{Role: loci.Assistant, ToolCalls: []loci.ToolCall{call}}, {Role: loci.ToolRole, ToolCallID: call.ID, ToolName: call.Name, Content: "b"}},
	} {
		next := m.written(slices.Concat(said, more), tool)
		if !m.ok {
			return loci.Unknown
		}
		if !strings.HasPrefix(next, begins) {
			return loci.Yes
		}
	}
	return loci.No
}

// written is a prompt as the chat template writes it.
func (m *measuring) written(messages []loci.Message, tools ...loci.ToolSpec) (prompt string) {
	if m.ok {
		var err error
		prompt, m.ok, err = m.t.Server.Render(m.ctx, loci.Request{Model: m.t.Model.ID, Messages: messages, Tools: tools})
		m.ok = m.ok && err == nil
	}
	return prompt
}

// count is the trial that measures by what calls take, for servers that have no tokenizer
// to ask, such as Ollama: one short call for each kind of text in which models differ most.
func (r *trials) count(ctx context.Context) error {
	if r.a.known().Counting != (loci.Counting{}) {
		return nil
	}
	defer func(thinks bool) { r.thinks = thinks }(r.thinks)
	r.thinks = false // a reply of one token is cut in any case
	tokens := func(said string) (int, error) {
		a, ok, err := r.ask(ctx, loci.Request{Messages: []loci.Message{user(said)}}, 1)
		if err != nil || !ok || a.refused {
			return 0, err
		}
		return a.prompt, nil
	}
	around, err := tokens(".")
	if err != nil || around == 0 {
		return err
	}
	around-- // for what is said
	samples := text.Samples()
	counted := make([]int, len(samples))
	for _, i := range text.Telling() {
		n, err := tokens(samples[i])
		if err != nil || n <= around { // or its usage leaves out what is cached
			return err
		}
		counted[i] = n - around
	}
	r.find(func(p *loci.Profile) { p.Counting.Weights = loci.TextWeights(text.Fit(counted)) })
	return nil
}
