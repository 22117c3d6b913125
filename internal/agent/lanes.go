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

// lane is a session with a running turn. done is closed when that turn ends.
type lane struct {
	cancel  context.CancelFunc
	done    chan struct{}
	waiting bool
}

// enter begins a turn of a session, after the running one has ended. It tells
// whether it had to wait, in which case the session may have changed. The
// caller must call leave.
func (l *lanes) enter(ctx context.Context, session string, cancel context.CancelFunc) (leave func(), waited bool, err error) {
	for {
		running, err := l.claim(session, cancel, waited)
		if err != nil {
			return nil, false, err
		}
		if running == nil {
			return func() { l.leave(session) }, waited, nil
		}
		select {
		case <-running.done:
			waited = true
		case <-ctx.Done():
			l.mu.Lock()
			running.waiting = false
			l.mu.Unlock()
			return nil, false, ctx.Err()
		}
	}
}

// claim takes the session's lane, or gives the turn to wait for.
func (l *lanes) claim(session string, cancel context.CancelFunc, again bool) (*lane, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, loci.Errorf(loci.Overloaded, "loci is shutting down.").WithHint("Ask again when it has restarted.")
	}
	running := l.byID[session]
	if running == nil {
		if l.byID == nil {
			l.byID = map[string]*lane{}
		}
		l.byID[session] = &lane{cancel: cancel, done: make(chan struct{})}
		return nil, nil
	}
	if running.waiting {
		return nil, loci.Errorf(loci.Overloaded, "This session is still busy with an earlier message, and one more is waiting already.").
			WithHint("Wait for the answer, or stop it.")
	}
	running.waiting = true
	return running, nil
}

func (l *lanes) leave(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.byID[session].done)
	delete(l.byID, session)
}

// stop interrupts the running turn of a session.
func (l *lanes) stop(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if running := l.byID[session]; running != nil {
		running.cancel()
	}
}

// close interrupts every turn and lets no more begin.
func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, running := range l.byID {
		running.cancel()
	}
}
