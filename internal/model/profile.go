package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"loci"
	"loci/internal/model/server"
)

const (
	profileAge   = time.Minute      // the window changes when a server loads a model anew
	profileLimit = 10 * time.Minute // a first contact may have to load a large model
)

// tinyParams is the size in parameters up to which a model without native
// tools cannot be trusted to choose among tools described in words.
const tinyParams = 1_000_000_000

// ProfileStore keeps profiles from one run of the program to the next.
type ProfileStore interface {
	LoadProfile(ctx context.Context, server, model string) (loci.Profile, bool, error)
	SaveProfile(ctx context.Context, p loci.Profile) error
}

type profileKey struct{ server, model, digest string }

// Profile tells how a model can be used. The first time it asks the server,
// which may take as long as the model needs to load; later what is known is
// given at once, and looked after in the background.
func (h *Hub) Profile(ctx context.Context, model string) (loci.Profile, error) {
	t, err := h.Resolve(ctx, model)
	if err != nil {
		return loci.Profile{}, err
	}
	p, err := h.profile(t).get(ctx)
	if err == nil && h.config.Tier != "" {
		p.Tier, p.Reason = h.config.Tier, "The configuration says so."
	}
	return p, err
}

// profile gives the cache for the profile of a model with the weights it has
// now: new weights under the old name are another key, so they are examined.
func (h *Hub) profile(t *Target) *cache[loci.Profile] {
	key := profileKey{t.Server.Backend().URL, t.Model.ID, t.Model.Digest}
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.profiles[key]
	if !ok {
		c = &cache[loci.Profile]{ttl: profileAge, spawn: h.spawn}
		c.ask = func() (loci.Profile, error) { return h.examine(t, c.last()) }
		h.profiles[key] = c
	}
	return c
}

// examine makes the profile of a model, building on what was known before: the
// last profile of this run, or else the stored one.
func (h *Hub) examine(t *Target, before loci.Profile) (loci.Profile, error) {
	ctx, cancel := context.WithTimeout(h.ctx, profileLimit)
	defer cancel()
	if before.Tier == "" && h.stores(t) {
		var err error
		before, _, err = h.config.Profiles.LoadProfile(ctx, t.Server.Backend().URL, t.Model.ID)
		if err != nil {
			h.config.Logger.Warn("a stored profile cannot be read", "model", t.Model.ID, "error", err)
		}
	}
	p, err := profileOf(ctx, t, before)
	if err != nil {
		return loci.Profile{}, err
	}
	if !reflect.DeepEqual(p, before) {
		h.keep(ctx, t, p)
	}
	return p, nil
}

// stores tells whether profiles of a model outlast the Hub. Under an address
// that changes with every start they would never be found again.
func (h *Hub) stores(t *Target) bool {
	return h.config.Profiles != nil && !t.Server.Backend().Ephemeral
}

// keep stores a profile. Without it the model is only examined again.
func (h *Hub) keep(ctx context.Context, t *Target, p loci.Profile) {
	h.config.Logger.Info("profile of a model", "model", p.Model, "tier", p.Tier, "window", p.Window, "reason", p.Reason)
	if !h.stores(t) {
		return
	}
	if err := h.config.Profiles.SaveProfile(ctx, p); err != nil {
		h.config.Logger.Warn("a profile cannot be stored", "model", p.Model, "error", err)
	}
}

// demote corrects the profile of a model that turned out to refuse tools: some
// servers take them in a trial that demands a call and not in a request that
// leaves the choice (vLLM without --enable-auto-tool-choice).
func (h *Hub) demote(ctx context.Context, t *Target) {
	c := h.profile(t)
	p, err := c.get(ctx)
	if err != nil || p.Tier != loci.TierNative {
		return
	}
	p.Tier, p.Reason = judge(false, p.Params, "A call showed that it")
	c.set(p)
	h.keep(ctx, t, p)
}

// profileOf asks a server how its model can be used, and runs the model only if
// the server does not tell whether it calls tools. If what was known before is
// of the same weights, no trial call is made again. What the server tells
// itself is always taken anew, for the window may have changed with the same
// weights.
func profileOf(ctx context.Context, t *Target, before loci.Profile) (loci.Profile, error) {
	f, err := t.Server.Facts(ctx, t.Model)
	if err != nil {
		return loci.Profile{}, err
	}
	p := loci.Profile{
		Server: t.Server.Backend().URL,
		Model:  t.Model.ID,
		Digest: t.Model.Digest,
		Family: f.Family,
		Window: f.Window,
		Vision: f.Vision != nil && *f.Vision,
		Think:  f.Think != nil && *f.Think,
		Params: f.Params,
		Slots:  f.Slots,
		Stops:  f.Stops,
	}
	p.ToolsMove = before.ToolsMove && before.Digest == p.Digest
	if f.Tools != nil {
		p.Tier, p.Reason = judge(*f.Tools, p.Params, "Its server says that it")
		return heedMoved(p), nil
	}
	if before.Tier != "" && before.Digest == p.Digest {
		p.Tier, p.Reason = before.Tier, before.Reason
		return p, nil
	}
	called, err := tryTool(ctx, t)
	if err != nil {
		return loci.Profile{}, err
	}
	p.Tier, p.Reason = judge(called, p.Params, "A trial call showed that it")
	return p, nil
}

// judge chooses the tier of a model and says why, in a sentence that begins
// with said. Native tools count for more than size: a small model that was
// trained for them uses them better than any words about them.
func judge(tools bool, params int64, said string) (loci.Tier, string) {
	switch {
	case tools:
		return loci.TierNative, said + " calls tools natively."
	case params > 0 && params <= tinyParams:
		return loci.TierTiny, fmt.Sprintf("%s does not call tools natively, and %d million parameters are too few to choose among described ones.", said, params/1_000_000)
	}
	return loci.TierText, said + " does not call tools natively."
}

// trialTool is offered in the trial call. It takes no arguments, so that even
// a short reply is a whole call.
var trialTool = loci.ToolSpec{
	Name:        "ping",
	Description: "Answers with pong. Call it to check that tools work.",
	Parameters:  json.RawMessage(`{"type":"object","properties":{}}`),
}

// Tokens of the trial call: enough for a call, and enough for a call after
// some thinking.
const (
	trialTokens      = 32
	trialThinkTokens = 1024
)

// tryTool makes a model call a tool, and tells whether it did. It takes as
// long as the model needs to load.
func tryTool(ctx context.Context, t *Target) (called bool, err error) {
	for _, tokens := range []int{trialTokens, trialThinkTokens} {
		called, thought, err := trial(ctx, t, tokens)
		// Tokens that all went into thinking prove nothing.
		if err != nil || called || !thought {
			return called, err
		}
	}
	return false, nil
}

// trial is one call of at most tokens tokens. Thought says that all of them
// went into thinking.
func trial(ctx context.Context, t *Target, tokens int) (called, thought bool, err error) {
	req := loci.Request{
		Model:      t.Model.ID,
		Messages:   []loci.Message{{Role: loci.User, Content: "Call the tool ping."}},
		Tools:      []loci.ToolSpec{trialTool},
		ToolChoice: loci.ToolChoice{Mode: loci.ChoiceRequired},
		Purpose:    loci.PurposeProbe,
		Options: loci.Options{
			MaxTokens:   &tokens,
			Temperature: new(0.0),
		},
	}
	var text bool
	for chunk, err := range t.Server.Chat(ctx, req) {
		if err != nil {
			if errors.Is(err, loci.ErrNoTools) || loci.AsError(err).Code == loci.Refused {
				return false, false, nil
			}
			return false, false, err
		}
		called = called || len(chunk.ToolCalls) > 0
		thought = thought || chunk.Reasoning != ""
		text = text || chunk.Text != ""
	}
	return called, thought && !text, nil
}

// sees tells whether a model can look at pictures, and whether that is known.
// It asks anew, since a picture is rare and a wrong answer would be a refusal.
func sees(ctx context.Context, s *server.Client, m loci.ModelInfo) (vision, known bool) {
	f, err := s.Facts(ctx, m)
	if err != nil || f.Vision == nil {
		return false, false
	}
	return *f.Vision, true
}
