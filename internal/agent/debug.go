package agent

import (
	"sync"

	"loci"
)

// stepsKept is the number of sessions whose last model call is remembered.
const stepsKept = 200

// lastSteps remembers the last model call of each recent session.
type lastSteps struct {
	mu    sync.Mutex
	byID  map[string]*LastStep
	order []string // oldest first
}

func (l *lastSteps) begin(t *turn, req *loci.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[string]*LastStep{}
	}
	id := t.session.ID
	if l.byID[id] == nil {
		l.order = append(l.order, id)
		if len(l.order) > stepsKept {
			delete(l.byID, l.order[0])
			l.order = l.order[1:]
		}
	}
	l.byID[id] = &LastStep{Time: loci.Now(), Turn: t.id, Step: t.Step, Request: *req, Profile: t.profile, Session: t.session}
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
