package model

import (
	"context"
	"slices"

	"loci"
	"loci/internal/model/server"
	"loci/internal/wire/ollama"
)

// Tiny tells whether a model is one for which tools are chosen, and both it and the
// embedding model that this needs are loaded. See [Hub.Loaded].
func (h *Hub) Tiny(ctx context.Context, model string) bool {
	if !h.Loaded(ctx, model) {
		return false
	}
	t, err := h.embedder(ctx, "")
	if err != nil || !h.Loaded(ctx, t.Model.ID) {
		return false
	}
	p, err := h.Profile(ctx, model)
	return err == nil && p.Tier == loci.TierTiny
}

// Quiet waits until no chat has run on a model's server for a moment.
func (h *Hub) Quiet(ctx context.Context, model string) error {
	t, err := h.Resolve(ctx, model)
	if err != nil {
		return err
	}
	return t.queue.quiet(ctx, jobQuiet)
}

// Loaded tells whether a model is in the memory of a server on this machine, so that
// a call costs no more than its prompt. Of servers other than Ollama and llama-server
// that is not known.
func (h *Hub) Loaded(ctx context.Context, model string) bool {
	t, err := h.Resolve(ctx, model)
	if err != nil || !t.Server.Backend().Loopback() {
		return false
	}
	switch t.Server.Backend().Kind {
	case server.KindLlamaServer:
		return true
	case server.KindOllama:
		running, err := t.Server.Running(ctx)
		return err == nil && slices.ContainsFunc(running, func(r ollama.Running) bool {
			return ollama.TrimLatest(r.Model.ID) == ollama.TrimLatest(t.Model.ID)
		})
	}
	return false
}

// Warm has a server read a prompt, so that what begins with it need not be read again.
// It waits until no chat runs, and ends at once when one comes: nothing is made up for
// then, since the chat itself does the same.
func (h *Hub) Warm(ctx context.Context, req loci.Request) error {
	t, err := h.Resolve(ctx, req.Model)
	if err != nil {
		return err
	}
	req.Purpose = loci.PurposeWarmup
	req.Options = loci.Options{MaxTokens: new(1), Temperature: new(0.0)}
	_, err = t.queue.attempt(ctx, ctx, h.slots(t), func(ctx context.Context, _ func() bool) error {
		_, err := h.whole(ctx, t, req)
		return err
	})
	return err
}
