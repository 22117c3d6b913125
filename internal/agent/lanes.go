package agent

import (
	"context"
	"sync"

	"loci"
)

// lanes lets one turn a session run, and one more wait for it.
type lanes struct {
	mu     sync.Mutex
	byID   map[string]*lane
	closed bool
}

// lane is a session in which a turn runs. It is handed from one turn to the
// next that waits, so nobody can come in between.
type lane struct {
	cancel context.CancelFunc // stops the turn that runs
	next   *waiter            // nil: nobody waits
}

type waiter struct {
	cancel  context.CancelFunc
	granted chan struct{} // closed when the lane is the waiter's
}

// enter begins a turn of a session, after the running one has ended. It tells
// whether it had to wait, in which case the session may have changed. The
// caller must call leave.
func (l *lanes) enter(ctx context.Context, session string, cancel context.CancelFunc) (leave func(), waited bool, err error) {
	w, err := l.claim(session, cancel)
	if err != nil {
		return nil, false, err
	}
	leave = func() { l.leave(session) }
	if w == nil {
		return leave, false, nil
	}
	select {
	case <-w.granted:
		return leave, true, nil
	case <-ctx.Done():
		if l.withdraw(session, w) {
			leave() // it was granted at the same moment
		}
		return nil, false, ctx.Err()
	}
}

var errClosing = loci.Errorf(loci.Overloaded, "loci is shutting down.").WithHint("Ask again when it has restarted.")

// adopt counts a turn that nobody else waits for, unless it is too late.
func (l *lanes) adopt(turns *sync.WaitGroup) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		turns.Add(1)
	}
	return !l.closed
}

// claim takes the session's lane, or a place behind the turn that has it.
func (l *lanes) claim(session string, cancel context.CancelFunc) (*waiter, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errClosing
	}
	running := l.byID[session]
	switch {
	case running == nil:
		if l.byID == nil {
			l.byID = map[string]*lane{}
		}
		l.byID[session] = &lane{cancel: cancel}
		return nil, nil
	case running.next != nil:
		return nil, loci.Errorf(loci.Overloaded, "This session is still busy with an earlier message, and one more is waiting already.").
			WithHint("Wait for the answer, or stop it.")
	}
	running.next = &waiter{cancel: cancel, granted: make(chan struct{})}
	return running.next, nil
}

// withdraw gives up a place. It tells whether the lane is the waiter's already.
func (l *lanes) withdraw(session string, w *waiter) (granted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if running := l.byID[session]; running != nil && running.next == w {
		running.next = nil
	}
	select {
	case <-w.granted:
		return true
	default:
		return false
	}
}

// leave hands the lane on.
func (l *lanes) leave(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lane := l.byID[session]
	if lane.next == nil {
		delete(l.byID, session)
		return
	}
	lane.cancel = lane.next.cancel
	close(lane.next.granted)
	lane.next = nil
}

// stop interrupts the running turn of a session, and tells whether there is one.
func (l *lanes) stop(session string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	running := l.byID[session]
	if running != nil {
		running.cancel()
	}
	return running != nil
}

// clear interrupts the running turn of a session, and sends away the one that
// waits for it.
func (l *lanes) clear(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if running := l.byID[session]; running != nil {
		running.clear()
	}
}

// close interrupts every turn and lets no more begin.
func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, running := range l.byID {
		running.clear()
	}
}

func (l *lane) clear() {
	l.cancel()
	if l.next != nil {
		l.next.cancel()
		l.next = nil
	}
}
