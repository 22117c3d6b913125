package model

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"loci"
)

// How jobs give way to chats.
const (
	jobQuiet = 300 * time.Millisecond // without a chat, before a job may take the only slot
	stepWait = 5 * time.Second        // for the next call of a turn, while a tool runs
	jobTries = 4                      // beginnings of a job that chats cut short
	jobWait  = 2 * time.Minute        // for a slot, all tries together
)

// errBusy is for jobs that never got a slot for long enough.
var errBusy = loci.Errorf(loci.Overloaded, "The model server was busy with conversations all the time.").WithHint("Ask again later.")

// errMadeRoom is why the call of a job was cancelled.
var errMadeRoom = errors.New("a chat needs the model server")

// courtesy keeps the jobs of clients out of the way of chats on one model
// server. A chat call is never held back: whoever is in its way ends. A job
// waits for a moment in which no chat runs, since a client may ask for the title
// of a conversation before it sends the conversation itself.
type courtesy struct {
	mu      sync.Mutex
	chats   int           // chat calls that run
	jobs    []*errand     // calls of jobs that run, oldest first
	free    time.Time     // when a job may have the only slot
	changed chan struct{} // closed and replaced when one of these changes
}

// errand is the running call of a job.
type errand struct {
	cancel context.CancelCauseFunc
	firm   bool // part of its reply was shown, so it cannot begin anew
}

func newCourtesy() *courtesy { return &courtesy{changed: make(chan struct{})} }

// tell wakes those who wait. The caller holds mu.
func (c *courtesy) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// chat counts a call that somebody waits for, until done is called. Jobs that
// have the slot it needs are cancelled, the newest first.
func (c *courtesy) chat(slots int) (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chats++
	c.free = time.Time{} // what was expected has come
	excess := c.chats + len(c.jobs) - max(slots, 1)
	for _, e := range slices.Backward(c.jobs) {
		if excess <= 0 {
			break
		}
		if !e.firm {
			e.cancel(errMadeRoom)
			excess--
		}
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.chats--
		c.keep(jobQuiet)
		c.tell()
	})
}

// expect keeps the slot for the next step of a turn: its call of the model asked
// for a tool, and will be followed by one with the result.
func (c *courtesy) expect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(stepWait)
}

// keep lets no job begin for so long. The caller holds mu.
func (c *courtesy) keep(d time.Duration) {
	if until := time.Now().Add(d); until.After(c.free) {
		c.free = until
	}
}

// job does some work for a client's job once there is room, and does it again
// if it was cut short to make room. Work asks firm before it does what cannot be
// done anew: after a yes it is not cut short any more, after a no it already is,
// or nobody waits for it.
func (c *courtesy) job(ctx context.Context, slots int, work func(ctx context.Context, firm func() bool) error) error {
	waiting, stop := context.WithTimeout(ctx, jobWait)
	defer stop()
	for range jobTries {
		if cut, err := c.attempt(ctx, waiting, slots, work); !cut {
			return err
		}
	}
	return errBusy
}

// attempt waits for room and does the work. Cut says that it did not come to
// its end because of a chat.
func (c *courtesy) attempt(ctx, waiting context.Context, slots int, work func(ctx context.Context, firm func() bool) error) (cut bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e := &errand{cancel: cancel}
	if c.enter(waiting, e, slots) != nil {
		if ctx.Err() != nil { // the client has left
			return false, context.Cause(ctx)
		}
		return false, errBusy
	}
	defer c.leave(e)
	err = work(ctx, func() bool {
		c.mu.Lock() // chats cancel under it
		defer c.mu.Unlock()
		e.firm = e.firm || ctx.Err() == nil
		return ctx.Err() == nil
	})
	return err != nil && errors.Is(context.Cause(ctx), errMadeRoom), err
}

// enter waits until a job may begin, and counts it.
func (c *courtesy) enter(ctx context.Context, e *errand, slots int) error {
	arrived := time.Now()
	for ctx.Err() == nil {
		c.mu.Lock()
		wait, room := c.room(arrived, slots)
		if room && wait <= 0 {
			c.jobs = append(c.jobs, e)
			c.mu.Unlock()
			return nil
		}
		changed := c.changed
		c.mu.Unlock()
		var quiet <-chan time.Time // never, while there is no room
		if room {
			quiet = time.After(wait)
		}
		select {
		case <-quiet:
		case <-changed:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// leave is the end of a job's call.
func (c *courtesy) leave(e *errand) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs = slices.DeleteFunc(c.jobs, func(other *errand) bool { return other == e })
	c.tell()
}

// room tells whether a slot is free for a job that arrived then, and how long it
// must stay so. Of several slots one is always left for the next chat. The
// caller holds mu.
func (c *courtesy) room(arrived time.Time, slots int) (wait time.Duration, room bool) {
	if slots > 1 {
		return 0, c.chats+len(c.jobs)+1 < slots
	}
	return max(jobQuiet-time.Since(arrived), time.Until(c.free)), c.chats+len(c.jobs) == 0
}
