package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"loci"
	"loci/internal/model/server"
	"loci/internal/toolcall"
)

// Bounds of the trials of a model.
const (
	quickLimit = 3 * time.Second  // of those that a first turn waits for
	loadLimit  = 2 * time.Minute  // of the first call, for which the model may have to be loaded
	callLimit  = 30 * time.Second // of every other; what takes longer is not found out
	trialQuiet = 30 * time.Second // without a chat, before a call of the trials begins

	callTokens = 48 // enough for a call in any dialect
	talkTokens = 20
	// thoughtTokens are added where a model thinks all the same when it is told not to.
	thoughtTokens = 512
)

// trials make a model show what it can do. What they find goes into the
// acquaintance one by one, so what is cut short is not lost. Each is a few short
// calls; one that does not come to an end in time leaves its finding unknown, and
// real use may tell it later.
type trials struct {
	hub  *Hub
	t    *Target
	a    *acquaintance
	told server.Facts
	next int           // the trial to make next
	most time.Duration // that a call may take

	talked string          // what it said to talkRequest
	thinks bool            // it thinks before it answers
	read   map[string]bool // first messages that the server may have in its cache
}

// answer is what one call gave.
type answer struct {
	text    string          // without thoughts and calls
	thought bool            // there were thoughts
	native  []loci.ToolCall // as the server gave them
	written []loci.ToolCall // as text, in whatever dialect
	refused bool            // the server did not want to
	cut     bool            // it is not whole
	prompt  int             // tokens of what it was asked, as the server counts them
}

// lost tells that nothing but thoughts came, which proves nothing.
func (a answer) lost() bool {
	return a.thought && strings.TrimSpace(a.text) == "" && len(a.native)+len(a.written) == 0
}

// newTrials prepares the trials of a model.
func newTrials(h *Hub, t *Target, a *acquaintance, f server.Facts) *trials {
	return &trials{hub: h, t: t, a: a, told: f, most: callLimit, read: make(map[string]bool)}
}

// run makes all trials. After an error, such as that a chat came, it can be called
// again and goes on with the trial that did not come to its end.
func (r *trials) run(ctx context.Context) error {
	all := []func(context.Context) error{r.talk, r.stopping, r.native, r.choice, r.constrain, r.roles, r.text, r.count}
	for ; r.next < len(all); r.next++ {
		if err := all[r.next](ctx); err != nil {
			return err
		}
	}
	r.find(func(p *loci.Profile) { p.Probed = loci.Now() })
	r.hub.keep(r.t)
	p := r.a.known()
	r.hub.config.Logger.Info("a model was tried out", "model", p.Model, "tier", p.Tier, "dialect", p.Markup, "constrain", p.Constrain,
		"window", p.Window, "read_per_second", int(p.Speed.Read), "write_per_second", int(p.Speed.Write), "reason", p.Reason)
	return nil
}

// find notes a finding.
func (r *trials) find(change func(*loci.Profile)) {
	r.a.update(func(p *loci.Profile) bool { change(p); return true })
}

// errLate is the end of a call that took too long.
var errLate = errors.New("the model took too long")

// ask makes one call of at most so many tokens. False: it did not come to its end in
// time, and nothing is found out.
func (r *trials) ask(ctx context.Context, req loci.Request, tokens int) (a answer, ok bool, err error) {
	req.Model, req.Purpose = r.t.Model.ID, loci.PurposeProbe
	req.Options.Temperature = new(0.0)
	if r.thinks {
		req.Options.Think = json.RawMessage("false")
		tokens += thoughtTokens
	}
	req.Options.MaxTokens = &tokens
	within, cancel := context.WithTimeoutCause(ctx, r.most, errLate)
	defer cancel()
	a, err = r.reply(within, req)
	switch e := loci.AsError(err); {
	case err == nil:
		return a, true, nil
	case errors.Is(err, errLate), e.Code == loci.Timeout && ctx.Err() == nil:
		return answer{}, false, nil
	case e.Code == loci.Refused:
		return answer{refused: true}, true, nil
	}
	return answer{}, false, err
}

// reply makes the call and reads what comes.
func (r *trials) reply(ctx context.Context, req loci.Request) (answer, error) {
	var a answer
	var text strings.Builder
	reader := toolcall.NewReader(trialTools)
	w := r.a.watch()
	for c, err := range r.hub.call(ctx, r.t, req) {
		if err != nil {
			return answer{}, err
		}
		if c.Text != "" {
			text.WriteString(reader.Write(c.Text))
		}
		a.thought = a.thought || c.Reasoning != ""
		a.native = append(a.native, c.ToolCalls...)
		a.cut = a.cut || c.Finish == loci.FinishLength
		if c.Usage != nil {
			a.prompt = c.Usage.Prompt
		}
		r.measure(w, req, c)
	}
	visible, written, _ := reader.Close()
	text.WriteString(visible)
	a.text, a.written = text.String(), written
	a.thought = a.thought || reader.Reasoning() != ""
	return a, nil
}

// measure learns the speed of reading where the server does not tell what it had in
// its cache, which is nothing of what it reads for the first time.
func (r *trials) measure(w *watch, req loci.Request, c loci.Chunk) {
	if c.Usage == nil || c.Usage.Cached != nil {
		w.see(loci.Chunk{Text: c.Text, Reasoning: c.Reasoning, Finish: c.Finish})
		return
	}
	first := req.Messages[0].Content
	if len(req.Tools) > 0 { // which templates put before the messages
		first = "tools"
	}
	if !r.read[first] {
		u := *c.Usage
		u.Cached, u.Completion = new(0), 0
		w.see(loci.Chunk{Text: c.Text, Finish: c.Finish, Usage: &u})
	}
	r.read[first] = true
}

func user(text string) loci.Message { return loci.Message{Role: loci.User, Content: text} }

// talkRequest is a plain question with a long and certain answer.
func talkRequest() loci.Request {
	return loci.Request{Messages: []loci.Message{user("Name the seven days of the week in order.")}}
}

// talk has the model say something: whether it thinks, how fast it writes, and a
// text to stop in.
func (r *trials) talk(ctx context.Context) error {
	r.most = loadLimit
	defer func() { r.most = callLimit }()
	a, ok, err := r.ask(ctx, talkRequest(), talkTokens)
	switch {
	case err != nil:
		return err
	case !ok:
		return loci.Errorf(loci.Timeout, "The model does not say anything within %v, so it cannot be tried out.", loadLimit).
			WithHint("Try again when the machine has less to do, or use a smaller model.")
	}
	r.thinks, r.talked = a.thought, a.text
	if a.thought {
		r.find(func(p *loci.Profile) { p.Think = true })
		if a.lost() {
			a, _, err = r.ask(ctx, talkRequest(), talkTokens)
			r.talked = a.text
		}
	}
	return err
}

// stopping asks the same with a word of the answer as a stop sequence.
func (r *trials) stopping(ctx context.Context) error {
	word := laterWord(r.talked)
	if word == "" {
		return nil
	}
	req := talkRequest()
	req.Options.Stop = []string{word}
	a, ok, err := r.ask(ctx, req, talkTokens)
	if err != nil || !ok || a.lost() {
		return err
	}
	before, _, _ := strings.Cut(r.talked, word)
	r.find(func(p *loci.Profile) {
		switch {
		case a.refused || strings.Contains(a.text, word):
			p.Stopping = loci.No
		case strings.TrimSpace(a.text) == strings.TrimSpace(before):
			p.Stopping = loci.Yes
		} // another answer tells nothing
	})
	return nil
}

// laterWord gives a word inside a text that does not stand before, and is not the
// last; empty if there is none.
func laterWord(text string) string {
	words := strings.Fields(text)
	for i := 2; i < len(words)-1; i++ {
		w := strings.Trim(words[i], ".,:;*_-")
		before, _, _ := strings.Cut(text, w)
		if len(w) >= 3 && len(strings.Fields(before)) >= 2 {
			return w
		}
	}
	return ""
}

// trialTools are offered in the trials. Nobody runs them.
var trialTools = []loci.ToolSpec{
	{
		Name:        "get_weather",
		Description: `Tells the weather in a city. Example: {"city": "Oslo"}`,
		Parameters:  json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","description":"Name of the city"}},"required":["city"]}`),
	},
	{
		Name:        "add_numbers",
		Description: "Adds two numbers.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
	},
}

// task is a request that takes a certain call, or none.
type task struct {
	said string
	name string   // of the tool; empty: it takes no call
	args []string // what the arguments have to hold
}

var trialTasks = []task{
	{"What is the weather in Paris? Use a tool.", "get_weather", []string{"paris"}},
	{"How much is 17 plus 25? Use a tool.", "add_numbers", []string{"17", "25"}},
	{"Say hello to Mira.", "", nil},
}

// done tells whether calls are what the task takes.
func (k task) done(calls []loci.ToolCall) bool {
	if k.name == "" {
		return len(calls) == 0
	}
	for _, c := range calls {
		args := strings.ToLower(string(c.Arguments))
		right := c.Name == k.name && json.Valid(c.Arguments)
		for _, part := range k.args {
			right = right && strings.Contains(args, part)
		}
		if right {
			return true
		}
	}
	return false
}

// native offers tools as sessions do, which leaves the choice to the model: some
// servers only take the demand for a call, and some drop the tools in silence. One
// right call of two will do; a model of the size that is otherwise taken for too
// small has to make both, and none where none is wanted.
func (r *trials) native(ctx context.Context) error {
	if r.told.Tools != nil && !*r.told.Tools {
		return nil
	}
	small := loci.IsSmall(r.told.Params)
	tasks := trialTasks[:2]
	if small {
		tasks = trialTasks
	}
	for i, k := range tasks {
		a, ok, err := r.ask(ctx, loci.Request{Messages: []loci.Message{user(k.said)}, Tools: trialTools}, callTokens)
		if err != nil || !ok || a.lost() {
			return err
		}
		did := !a.refused && k.done(a.native)
		if did == small && i < len(tasks)-1 && !a.refused {
			continue // a small one goes on while it is right, another until it is
		}
		r.find(func(p *loci.Profile) { p.Native = loci.Found(did) })
		return nil
	}
	return nil
}

// choice demands a call that nobody would make by itself. Servers honour that, ignore
// it, or refuse it. Ollama's protocol has no word for it, and offering one tool alone
// would move the prompt.
func (r *trials) choice(ctx context.Context) error {
	if r.a.known().Native != loci.Yes {
		return nil
	}
	if r.t.Server.Backend().Dialect == loci.Ollama {
		r.find(func(p *loci.Profile) { p.Choice = loci.No })
		return nil
	}
	demanded := trialTools[1].Name
	a, ok, err := r.ask(ctx, loci.Request{
		Messages: []loci.Message{user("What is the capital of France?")}, Tools: trialTools,
		ToolChoice: loci.ToolChoice{Mode: loci.ChoiceRequired, Name: demanded},
	}, callTokens)
	// As a turn takes them, see refusedForm of internal/agent; Refused is an answer by now.
	if code := loci.AsError(err); err != nil && (code.Code == loci.Invalid || code.Code == loci.Internal) {
		a, ok, err = answer{refused: true}, true, nil
	}
	if err != nil || !ok || a.lost() || a.cut && len(a.native) == 0 {
		return err
	}
	r.find(func(p *loci.Profile) { p.Choice = loci.Found(len(a.native) > 0 && a.native[0].Name == demanded) })
	return nil
}

// unlikely is a schema that no model would follow by itself, for a question that is
// about something else, and onlyFit the one object that fits it.
const (
	onlyFit  = `{"zq7":"vlunk"}`
	unlikely = `{"type":"object","properties":{"zq7":{"enum":["vlunk"]}},"required":["zq7"],"additionalProperties":false}`
)

// constrain finds out whether the server holds a reply to a schema, and if not,
// whether the model keeps to one that it is told.
func (r *trials) constrain(ctx context.Context) error {
	req := loci.Request{Messages: []loci.Message{user("What is the capital of France?")}, Options: loci.Options{Format: json.RawMessage(unlikely)}}
	a, ok, err := r.ask(ctx, req, talkTokens)
	if err != nil || !ok || a.lost() {
		return err
	}
	said := strings.Join(strings.Fields(a.text), "")
	held := said == onlyFit || a.cut && strings.HasPrefix(said, onlyFit[:5]) && strings.HasPrefix(onlyFit, said)
	r.find(func(p *loci.Profile) { p.Constrain = loci.Found(held) })
	if held {
		return nil
	}
	req = loci.Request{Messages: []loci.Message{user(`What is the capital of France? Answer with nothing but a JSON object like {"capital": "…", "country": "…"}.`)}}
	a, ok, err = r.ask(ctx, req, callTokens)
	if err != nil || !ok || a.lost() {
		return err
	}
	var kept struct{ Capital, Country string }
	fits := json.Unmarshal([]byte(strings.TrimSpace(a.text)), &kept) == nil && kept.Capital != "" && kept.Country != ""
	r.find(func(p *loci.Profile) { p.Schema = loci.Found(fits) })
	return nil
}

// roles finds out which conversations the model's template refuses. What it does
// not like is learned by the call itself, see [Hub.learnRoles]; what it takes is
// noted here.
func (r *trials) roles(ctx context.Context) error {
	p := r.a.known()
	if p.System != loci.Unknown && p.Systems != loci.Unknown && p.Alternate != loci.Unknown {
		return nil
	}
	system, said := loci.Message{Role: loci.System, Content: "Be brief."}, loci.Message{Role: loci.Assistant, Content: "Hello."}
	for _, c := range [][]loci.Message{
		{system, user("Hello.")},
		{system, user("Hello."), user("Who are you?")},
		{system, user("Hello."), said, system, user("Who are you?")},
	} {
		if a, ok, err := r.ask(ctx, loci.Request{Messages: c}, 1); err != nil || !ok || a.refused {
			return err
		}
	}
	r.find(func(p *loci.Profile) {
		p.System = cmp.Or(p.System, loci.Yes)
		p.Systems = cmp.Or(p.Systems, loci.Yes)
		p.Alternate = cmp.Or(p.Alternate, loci.No)
	})
	return nil
}

// text teaches the model one dialect after the other, and takes the first in which it
// makes two calls, or else one.
func (r *trials) text(ctx context.Context) error {
	if r.a.known().Native == loci.Yes {
		return nil
	}
	best, most := loci.MarkupTool, 0
	for _, m := range []loci.Markup{loci.MarkupTool, loci.MarkupToolCall, loci.MarkupJSON, loci.MarkupReAct} {
		score, ok, err := r.taught(ctx, m)
		if err != nil || !ok {
			return err
		}
		if score > most {
			best, most = m, score
		}
		if most == 2 {
			break
		}
	}
	r.find(func(p *loci.Profile) { p.Markup, p.Text = best, loci.Found(most > 0) })
	return nil
}

// taught counts the right calls, of two, that a model makes before the first wrong one
// when it was taught a dialect. They need not be in that one: what can be read will run.
func (r *trials) taught(ctx context.Context, m loci.Markup) (score int, ok bool, err error) {
	system := loci.Message{Role: loci.System, Content: toolcall.Describe(m, trialTools)}
	for _, k := range trialTasks[:2] {
		req := loci.Request{Messages: []loci.Message{system, user(k.said)}}
		if r.a.known().Stopping != loci.No {
			req.Options.Stop = toolcall.Stops(m)
		}
		a, ok, err := r.ask(ctx, req, callTokens)
		if err != nil || !ok || a.lost() {
			return score, false, err
		}
		if a.refused || !k.done(a.written) {
			break
		}
		score++
	}
	return score, true, nil
}
