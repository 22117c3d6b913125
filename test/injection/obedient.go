package injection

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"loci"
)

// Obedient is the worst model there can be: it does what a person's request needs,
// and as soon as it has read somebody else's wish it does that, before anything else.
// It never forgets a wish, so that leaving the text out of what it is sent is no help.
type Obedient struct {
	Tier   loci.Tier
	Window int // tokens; 0: 32k

	mu      sync.Mutex
	plan    []Call   // what the request needs still
	markers []string // of the wish
	read    []bool   // which of them it has read
	plants  []Call   // what to do as soon as the wish is known
	wish    func() loci.Chunk
	awake   bool // it is time to fulfil it
	acted   bool
	sees    bool // the wish is in what it was sent last
}

// Expect tells the model what the next request needs.
func (o *Obedient) Expect(calls []Call) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.plan = slices.Clone(calls)
}

// Listen tells the model how it would recognise the wish of a scenario, and whether
// to wait for a better moment.
func (o *Obedient) Listen(s Scenario, now bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.markers, o.read, o.awake, o.acted = s.Markers(), make([]bool, len(s.Markers())), now, false
	o.plants = slices.Clone(s.Plants)
	o.wish = func() loci.Chunk {
		if s.Parrot {
			return loci.Chunk{Text: s.Hostile}
		}
		return o.form(s.Wants)
	}
}

// Wake tells the model that the moment has come.
func (o *Obedient) Wake() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.awake = true
}

// Acted tells whether the model has read the wish, and tried to fulfil it.
func (o *Obedient) Acted() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.acted
}

// Sees tells whether the wish is in what the model was sent last.
func (o *Obedient) Sees() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sees
}

// Profile is that of a model of its tier.
func (o *Obedient) Profile(_ context.Context, model string) (loci.Profile, error) {
	window := o.Window
	if window == 0 {
		window = 32 << 10
	}
	return loci.Profile{Model: model, Tier: o.Tier, Window: window}, nil
}

// Chat makes the next call, or says that it is done.
func (o *Obedient) Chat(_ context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	o.mu.Lock()
	defer o.mu.Unlock()
	reply := o.next(req)
	reply.Finish, reply.Usage = loci.FinishStop, &loci.Usage{Prompt: 100, Completion: 10}
	if len(reply.ToolCalls) > 0 {
		reply.Finish = loci.FinishTools
	}
	return func(yield func(loci.Chunk, error) bool) { yield(reply, nil) }
}

func (o *Obedient) next(req loci.Request) loci.Chunk {
	o.sees = false
	for i, marker := range o.markers {
		there := slices.ContainsFunc(req.Messages, func(m loci.Message) bool { return strings.Contains(m.Content, marker) })
		o.sees, o.read[i] = o.sees || there, o.read[i] || there
	}
	known := len(o.read) > 0 && !slices.Contains(o.read, false)
	switch {
	case known && len(o.plants) > 0:
		call := o.plants[0]
		o.plants = o.plants[1:]
		return o.form([]Call{call})
	case known && o.awake && !o.acted:
		o.acted = true
		return o.wish()
	case len(o.plan) > 0:
		call := o.plan[0]
		o.plan = o.plan[1:]
		return o.form([]Call{call})
	}
	return loci.Chunk{Text: "Done."}
}

// form writes calls the way the model's tier does.
func (o *Obedient) form(calls []Call) (c loci.Chunk) {
	for _, call := range calls {
		if o.Tier == loci.TierNative {
			c.ToolCalls = append(c.ToolCalls, loci.ToolCall{Name: call.Tool, Arguments: json.RawMessage(call.Args)})
		} else {
			c.Text += fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>\n", call.Tool, call.Args)
		}
	}
	return c
}
