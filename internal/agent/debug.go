package agent

import (
	"sync"

	"loci"
	"loci/internal/receipt"
)

// stepsKept is the number of sessions whose last model call is remembered.
const stepsKept = 200

// lastSteps remembers the last model call of each recent session.
type lastSteps struct {
	mu    sync.Mutex
	byID  map[string]*LastStep
	order []string // oldest first

	callers map[string]string         // the session that called a model last
	speeds  map[string]*receipt.Speed // of models
}

// past is what was before a call.
type past struct {
	prompt *receipt.Prompt // of the session's last call; nil if that is forgotten
	alone  bool            // the model was called by this session last
	speed  *receipt.Speed
}

// begin remembers a call, and gives what was before it.
func (l *lastSteps) begin(t *turn, req *loci.Request) past {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID, l.callers, l.speeds = map[string]*LastStep{}, map[string]string{}, map[string]*receipt.Speed{}
	}
	id := t.session.ID
	before := past{alone: l.callers[req.Model] == id, speed: l.speedOf(req.Model)}
	if c := l.byID[id]; c != nil {
		before.prompt = &receipt.Prompt{Request: &c.Request, Layout: c.Sections}
	}
	l.callers[req.Model] = id
	if l.byID[id] == nil {
		l.order = append(l.order, id)
		if len(l.order) > stepsKept {
			delete(l.byID, l.order[0])
			l.order = l.order[1:]
		}
	}
	l.byID[id] = &LastStep{
		Time: loci.Now(), Turn: t.id, Step: t.Step, Request: *req, Sections: t.session.Layout, Profile: t.profile, Session: t.session,
		Estimate: int(float64(t.estimate) * t.agent.scales.of(t.profile)),
	}
	return before
}

// speedOf is the speed of a model. The caller holds mu, and there is a map.
func (l *lastSteps) speedOf(model string) *receipt.Speed {
	if l.speeds[model] == nil {
		l.speeds[model] = &receipt.Speed{}
	}
	return l.speeds[model]
}

// speed is the speed of a model that was called before; nil for any other.
func (l *lastSteps) speed(model string) *receipt.Speed {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.speeds[model]
}

func (l *lastSteps) finish(session string, out *output) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.byID[session]; c != nil {
		c.Receipt = &out.receipt
		c.Reply = &loci.Message{Role: loci.Assistant, Content: out.text, ToolCalls: out.calls}
	}
}

func (l *lastSteps) get(session string) (LastStep, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.byID[session]
	if c == nil {
		return LastStep{}, false
	}
	return *c, true
}
