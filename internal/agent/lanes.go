package agent

import (
	"context"
	"slices"
	"sync"
	"time"

	"loci"
)

// lanes lets one turn a session run, and one more wait for it. What the agent has
// to do of its own, or for an answer, waits as well, however much it is.
type lanes struct {
	mu     sync.Mutex
	byID   map[string]*lane
	left   uint64 // how often one was left
	closed bool
}

// lane is a session in which a turn runs. It is handed from one turn to the
// next that waits, so nobody can come in between.
type lane struct {
	cancel context.CancelFunc // stops the turn that runs
	next   []*waiter
}

type waiter struct {
	message bool // it brings a message, of which one may wait
	cancel  context.CancelFunc
	granted chan struct{} // closed when the lane is the waiter's
}

// enter begins the turn of a message, after the running one has ended. What is done
// there has to end with the context that it gives, which somebody may stop, and the
// caller must call leave.
func (l *lanes) enter(ctx context.Context, session string) (_ context.Context, leave func(), err error) {
	return l.take(ctx, session, true, nil)
}

// queue is enter for what brings no message. It fails after a time; 0: it waits on.
func (l *lanes) queue(ctx context.Context, session string, within time.Duration) (_ context.Context, leave func(), err error) {
	if within == 0 {
		return l.take(ctx, session, false, nil)
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	return l.take(ctx, session, false, timer.C)
}

var (
	errClosing = loci.Errorf(loci.Overloaded, "loci is shutting down.").WithHint("Ask again when it has restarted.")
	errBusy    = loci.Errorf(loci.Overloaded, "The conversation is busy.").WithHint("Answer again in a moment.")
)

func (l *lanes) take(ctx context.Context, session string, message bool, late <-chan time.Time) (_ context.Context, leave func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	w, err := l.claim(session, &waiter{message: message, cancel: cancel, granted: make(chan struct{})})
	if err != nil {
		cancel()
		return nil, nil, err
	}
	leave = func() {
		cancel()
		l.leave(session)
	}
	if w == nil {
		return ctx, leave, nil
	}
	select {
	case <-w.granted:
		return ctx, leave, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-late:
		err = errBusy
	}
	if l.withdraw(session, w) {
		leave() // it was granted at the same moment
	}
	cancel()
	return nil, nil, err
}

// adopt counts a turn that nobody else waits for, unless it is too late.
func (l *lanes) adopt(turns *sync.WaitGroup) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		turns.Add(1)
	}
	return !l.closed
}

// claim takes the session's lane, and gives nil, or a place behind those who came
// before.
func (l *lanes) claim(session string, w *waiter) (*waiter, error) {
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
		l.byID[session] = &lane{cancel: w.cancel}
		return nil, nil
	case w.message && slices.ContainsFunc(running.next, func(o *waiter) bool { return o.message }):
		return nil, loci.Errorf(loci.Overloaded, "This session is still busy with an earlier message, and one more is waiting already.").
			WithHint("Wait for the answer, or stop it.")
	}
	running.next = append(running.next, w)
	return w, nil
}

// withdraw gives up a place. It tells whether the lane is the waiter's already.
func (l *lanes) withdraw(session string, w *waiter) (granted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if running := l.byID[session]; running != nil {
		running.next = slices.DeleteFunc(running.next, func(o *waiter) bool { return o == w })
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
	l.left++
	lane := l.byID[session]
	if len(lane.next) == 0 {
		delete(l.byID, session)
		return
	}
	next := lane.next[0]
	lane.next = lane.next[1:]
	lane.cancel = next.cancel
	close(next.granted)
}

// turns counts the turns that have ended. As long as it stays the same, no session
// has changed that nobody is in.
func (l *lanes) turns() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left
}

// closing tells that no turn begins any more.
func (l *lanes) closing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// stop interrupts the running turn of a session, if there is one.
func (l *lanes) stop(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if running := l.byID[session]; running != nil {
		running.cancel()
	}
}

// clear interrupts the running turn of a session, and sends away those that wait
// for it.
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
	for _, w := range l.next {
		w.cancel()
	}
	l.next = nil
}
