package model

import (
	"context"
	"errors"
	"time"

	"loci"
	"loci/internal/model/server"
)

// quick finds out whether a model calls tools, for a first turn that has to know and
// whose server does not tell. If that takes too long, the turn goes on without: text
// calls are read from every model.
func (h *Hub) quick(ctx context.Context, t *Target, a *acquaintance, f server.Facts) error {
	ctx, cancel := context.WithTimeout(ctx, quickLimit)
	defer cancel()
	if err := newTrials(h, t, a, f).native(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// Probe tries a model out now, whatever is known of it, and gives what was found.
// Chats go first all the same.
func (h *Hub) Probe(ctx context.Context, model string) (loci.Profile, error) {
	t, err := h.Resolve(ctx, model)
	if err != nil {
		return loci.Profile{}, err
	}
	if t.Model.Embedding {
		return loci.Profile{}, loci.Errorf(loci.Invalid, "%s makes vectors of texts and does not talk, so there is nothing to try out.", t.Model.ID)
	}
	a := h.acquaintance(t)
	f, err := a.facts.get(ctx)
	if err != nil {
		return loci.Profile{}, err
	}
	// The speed stays: every call measures it, and the server may have the prompts of
	// trials in its cache and read nothing of them.
	a.update(func(p *loci.Profile) bool { *p = loci.Profile{Digest: p.Digest, Speed: p.Speed}; return true })
	h.measure(ctx, t, a, f)
	if err := h.whenQuiet(ctx, t, 0, newTrials(h, t, a, f)); err != nil {
		return loci.Profile{}, err
	}
	return h.set(a.known()), nil
}

// Acquaint tries a model out in the background, unless that was done, as soon as
// the server has nothing else to do for a while. It is for a model that is loaded
// anyway.
func (h *Hub) Acquaint(ctx context.Context, model string) {
	if t, err := h.Resolve(ctx, model); err == nil {
		if _, err := h.acquaintance(t).facts.get(ctx); err == nil {
			h.look(t)
		}
	}
}

// look begins the trials of a model that was used and not tried out yet. They wait
// until no chat has come for a while, and stop when one does: trials push a
// conversation out of the cache of a server with one slot, once for each model.
func (h *Hub) look(t *Target) {
	a := h.acquaintance(t)
	if !a.begin() {
		return
	}
	h.spawn(func() {
		defer a.end()
		if wait(h.ctx, h.config.Quiet) != nil {
			return
		}
		if err := h.whenQuiet(h.ctx, t, h.config.Quiet, newTrials(h, t, a, a.facts.last())); err != nil && h.ctx.Err() == nil {
			h.config.Logger.Info("a model cannot be tried out now", "model", t.Model.ID, "error", err)
		}
	})
}

// begin claims the trials; false if they were made or are under way, or before the
// model was met.
func (a *acquaintance) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.trying || !a.loaded || !a.found.Probed.IsZero() {
		return false
	}
	a.trying = true
	return true
}

func (a *acquaintance) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.trying = false
}

// whenQuiet makes the trials once no chat has come for so long, and goes on with them
// when one came in between.
func (h *Hub) whenQuiet(ctx context.Context, t *Target, quiet time.Duration, r *trials) error {
	for {
		if err := t.queue.quiet(ctx, quiet); err != nil {
			return err
		}
		err := t.queue.job(ctx, h.slots(t), func(ctx context.Context, _ func() bool) error { return r.run(ctx) })
		if !errors.Is(err, errBusy) {
			return err
		}
	}
}

// quiet waits until no chat has come for so long.
func (c *courtesy) quiet(ctx context.Context, d time.Duration) error {
	for {
		c.mu.Lock()
		busy, left, changed := c.chats > 0, d-time.Since(c.free), c.changed
		c.mu.Unlock()
		if !busy && left <= 0 {
			return nil
		}
		var over <-chan time.Time // never, while there is a chat
		if !busy {
			over = time.After(left)
		}
		select {
		case <-over:
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// wait lets some time pass.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
