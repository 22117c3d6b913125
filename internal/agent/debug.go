package agent

import (
	"sync"

	"loci"
)

// callsKept is the number of sessions whose last model call is remembered.
const callsKept = 200

// lastCalls remembers the last model call of each recent session.
type lastCalls struct {
	mu    sync.Mutex
	byID  map[string]*Call
	order []string // oldest first
}

func (l *lastCalls) begin(t *turn, req loci.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[string]*Call{}
	}
	id := t.session.ID
	if l.byID[id] == nil {
		l.order = append(l.order, id)
		if len(l.order) > callsKept {
			delete(l.byID, l.order[0])
			l.order = l.order[1:]
		}
	}
	l.byID[id] = &Call{Time: loci.Now(), Turn: t.id, Step: t.step, Request: req, Profile: t.profile, Session: t.session}
}

func (l *lastCalls) finish(session string, out output) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.byID[session]; c != nil {
		c.Receipt = &out.receipt
		c.Reply = &loci.Message{Role: loci.Assistant, Content: out.text, ToolCalls: out.calls}
	}
}

func (l *lastCalls) get(session string) (Call, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.byID[session]
	if c == nil {
		return Call{}, false
	}
	return *c, true
}
