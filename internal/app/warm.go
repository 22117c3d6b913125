package app

import (
	"context"
	"time"

	"loci"
	"loci/internal/embedded"
)

// How long may be waited for the prompt cache of loci's own model: it is there to save
// time.
const (
	saveLimit    = 2 * time.Second
	restoreLimit = 5 * time.Second
)

// owner is who is warmed up for.
var owner = loci.Principal{ID: loci.OwnerKey, Owner: true}

// warms tells whether time may be spent now to save some later.
func (a *App) warms() bool { return a.opts.Config.WarmUp }

// warm has the default model's server read what a new session of the owner begins with.
func (a *App) warm(ctx context.Context) {
	if !a.warms() || a.restored || !a.hub.Loaded(ctx, "") {
		return
	}
	began := time.Now()
	req, err := a.agent.Beginning(ctx, owner, "")
	if err == nil {
		err = a.hub.Warm(ctx, req)
	}
	a.opts.Logger.Debug("the model server was warmed up", "model", req.Model, "duration", time.Since(began), "error", err)
}

// prepare makes ready what tools are chosen by for a tiny model, between chats.
func (a *App) prepare(ctx context.Context) {
	if !a.warms() || !a.hub.Tiny(ctx, "") {
		return
	}
	began := time.Now()
	err := a.router.Prepare(ctx, a.specs, func(ctx context.Context) error { return a.hub.Quiet(ctx, "") })
	a.opts.Logger.Debug("the examples of requests are ready", "duration", time.Since(began), "error", err)
}

// keepCache gives loci's own chat model what it had in its cache when loci ended, and
// keeps what it has when it ends.
func (a *App) keepCache(ctx context.Context, chat *embedded.Server) {
	if !a.warms() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, restoreLimit)
	defer cancel()
	tokens, err := chat.RestoreSlot(ctx)
	a.restored = tokens > 0
	a.opts.Logger.Debug("the prompt cache of the last run", "tokens", tokens, "error", err)
	a.undo = append(a.undo, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), saveLimit)
		defer cancel()
		a.opts.Logger.Debug("the prompt cache is kept", "error", chat.SaveSlot(ctx))
		return nil
	})
}

// forget has loci's own chat model forget what it has read: a session was deleted, and
// its text must not be kept with the cache.
func (a *App) forget(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveLimit)
	defer cancel()
	if a.chat == nil {
		return
	}
	if err := a.chat.EraseSlot(ctx); err != nil {
		a.opts.Logger.Warn("the model's cache still has a deleted session until it is used again", "error", err)
	}
}
