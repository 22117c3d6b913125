package agent

import (
	"context"
	"errors"
	"sync"

	"loci"
)

// runs are the turns under way, with those that wait for their session, by whose they
// are.
type runs struct {
	mu  sync.Mutex
	all map[*run]struct{}
}

type run struct {
	principal string
	cancel    context.CancelFunc
}

// begin counts a turn in. It has to end with the context that it gives; the caller must
// call over then.
func (r *runs) begin(ctx context.Context, principal string) (_ context.Context, over func()) {
	ctx, cancel := context.WithCancel(ctx)
	one := &run{principal, cancel}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[*run]struct{}{}
	}
	r.all[one] = struct{}{}
	return ctx, func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.all, one)
	}
}

// stop interrupts the turns of some principals.
func (r *runs) stop(of func(principal string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for one := range r.all {
		if of(one.principal) {
			one.cancel()
		}
	}
}

// StopAll interrupts every turn of some principals, and withdraws the questions with
// which turns of theirs wait, in whatever session. One that cannot be withdrawn does not
// keep the others from it.
func (a *Agent) StopAll(ctx context.Context, of func(principal string) bool) error {
	a.runs.stop(of)
	// A turn that stores its questions at this moment withdraws them itself; see wait.
	waiting, err := a.cfg.Waits.AllWaiting(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, w := range waiting {
		if p, err := asker(w); err != nil {
			errs = append(errs, err)
		} else if of(p.ID) {
			errs = append(errs, a.abandon(ctx, p, w, loci.ApprovalWithdrawn))
		}
	}
	return errors.Join(errs...)
}
