package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"loci"
	"loci/internal/model/server"
)

const (
	profileAge   = time.Minute      // the window changes when a server loads a model anew
	profileLimit = 10 * time.Minute // a first contact may have to load a large model
	// trialAge is how long the findings count of a model whose server tells nothing by
	// which another one under the same name would be noticed.
	trialAge = 7 * 24 * time.Hour
)

// ProfileStore keeps profiles from one run of the program to the next.
type ProfileStore interface {
	LoadProfile(ctx context.Context, server, model string) (loci.Profile, bool, error)
	SaveProfile(ctx context.Context, p loci.Profile) error
}

type profileKey struct{ server, model, digest string }

// acquaintance is what is known of a model by now. What its server tells is renewed
// now and then; what trials and real use have shown stays until the model changes.
type acquaintance struct {
	facts cache[server.Facts]
	base  loci.Profile // names and digest of the model, as it is listed

	mu     sync.Mutex
	found  loci.Profile // what was found out; what the server tells is not taken from here
	loaded bool         // the stored profile was looked for
	stored loci.Speed   // as it is in the store
	trying bool         // the trials are under way
}

// Profile tells how a model can be used. The first time it asks the server, and
// where that does not tell whether the model calls tools, makes it call one: that
// is bounded by quickLimit. Later what is known is given at once, and looked after
// in the background; so are all other trials, see [Hub.look].
func (h *Hub) Profile(ctx context.Context, model string) (loci.Profile, error) {
	t, err := h.Resolve(ctx, model)
	if err != nil {
		return loci.Profile{}, err
	}
	a := h.acquaintance(t)
	if _, err := a.facts.get(ctx); err != nil {
		return loci.Profile{}, err
	}
	return h.set(a.known()), nil
}

// States lists the models of all servers with what is known about them by now,
// without asking any of them for more than its list.
func (h *Hub) States(ctx context.Context) []loci.ModelState {
	var states []loci.ModelState
	for _, m := range h.Models(ctx) {
		s := loci.ModelState{ModelInfo: m}
		if t, err := h.Resolve(ctx, m.ID); err == nil && !t.Model.Embedding {
			s.Profile = h.acquainted(ctx, t)
		}
		states = append(states, s)
	}
	return states
}

// acquainted gives a model's profile if there is one in memory or in the store.
func (h *Hub) acquainted(ctx context.Context, t *Target) *loci.Profile {
	a := h.acquaintance(t)
	if a.facts.last().Window > 0 {
		return new(h.set(a.known()))
	}
	if h.config.Profiles == nil {
		return nil
	}
	p, ok, err := h.config.Profiles.LoadProfile(ctx, t.Server.Backend().Stable(), t.Model.ID)
	if err != nil || !ok || !strings.HasPrefix(p.Digest, a.base.Digest) {
		return nil
	}
	return new(h.set(p))
}

// acquaintance gives what is known of a model with the weights it has now: new
// weights under the old name are another key, so they are examined.
func (h *Hub) acquaintance(t *Target) *acquaintance {
	key := profileKey{t.Server.Backend().URL, t.Model.ID, t.Model.Digest}
	h.mu.Lock()
	defer h.mu.Unlock()
	a, ok := h.profiles[key]
	if !ok {
		a = &acquaintance{base: loci.Profile{Server: key.server, Model: key.model, Digest: key.digest}}
		a.facts = cache[server.Facts]{ttl: profileAge, spawn: h.spawn, ask: func() (server.Facts, error) { return h.examine(t, a) }}
		h.profiles[key] = a
	}
	return a
}

// known is the profile as far as it is known by now.
func (a *acquaintance) known() loci.Profile {
	f := a.facts.last()
	a.mu.Lock()
	defer a.mu.Unlock()
	return compose(a.found, a.base, f)
}

// compose makes a profile of what was found out and what the server tells. The
// server is believed about what the model is, trials about what it does.
func compose(found, base loci.Profile, f server.Facts) loci.Profile {
	p := found
	p.Server, p.Model, p.Digest = base.Server, base.Model, digest(base, f)
	p.Family, p.Window, p.Params, p.Slots, p.Stops = f.Family, f.Window, f.Params, f.Slots, f.Stops
	p.Vision = f.Vision != nil && *f.Vision
	p.Think = found.Think || f.Think != nil && *f.Think
	p.System = cmp.Or(found.System, f.System)
	p.Systems = cmp.Or(found.Systems, f.Systems)
	p.Alternate = cmp.Or(found.Alternate, f.Alternate)
	p.Tier, p.Reason = judge(p, f.Tools)
	return heedMoved(p)
}

// digest changes with the weights and, where the server tells of them, with the
// program and the chat template.
func digest(base loci.Profile, f server.Facts) string {
	parts := slices.DeleteFunc([]string{base.Digest, f.Digest}, func(s string) bool { return s == "" })
	return strings.Join(parts, "+")
}

// update changes what was found out. Change tells whether it did.
func (a *acquaintance) update(change func(*loci.Profile) bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return change(&a.found)
}

// examine asks the server about a model. The first time it takes what is stored,
// and where nobody tells whether the model calls tools, tries that. What the server
// tells is always taken anew, for the window may have changed with the same weights.
func (h *Hub) examine(t *Target, a *acquaintance) (server.Facts, error) {
	ctx, cancel := context.WithTimeout(h.ctx, profileLimit)
	defer cancel()
	f, err := t.Server.Facts(ctx, t.Model)
	if err != nil {
		return f, err
	}
	if d := t.Server.Backend().Digest; d != "" {
		f.Digest = d + "+" + f.Digest
	}
	known := h.recall(ctx, t, a, f)
	if h.measure(ctx, t, a, f) {
		known = false
	}
	if f.Tools == nil && compose(a.snapshot(), a.base, f).Native == loci.Unknown && !a.tried() {
		if err := h.quick(ctx, t, a, f); err != nil {
			return f, err
		}
		known = false
	}
	if !known {
		h.save(ctx, t, a, f)
	}
	return f, nil
}

func (a *acquaintance) snapshot() loci.Profile {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.found
}

// tried tells whether the trials came to their end.
func (a *acquaintance) tried() bool { return !a.snapshot().Probed.IsZero() }

// recall takes the findings of an earlier run, unless they are of other weights or,
// where nobody would notice that, old. Findings of this run are dropped for the
// same reasons. It tells whether there are any.
func (h *Hub) recall(ctx context.Context, t *Target, a *acquaintance, f server.Facts) (known bool) {
	now := digest(a.base, f)
	a.mu.Lock()
	defer a.mu.Unlock()
	found := a.found
	if !a.loaded && h.config.Profiles != nil {
		stored, ok, err := h.config.Profiles.LoadProfile(ctx, t.Server.Backend().Stable(), t.Model.ID)
		if err != nil {
			h.config.Logger.Warn("a stored profile cannot be read", "model", t.Model.ID, "error", err)
		} else if ok {
			found = stored
		}
		a.stored = found.Speed
	}
	known = true
	old := now == "" && !found.Probed.IsZero() && time.Since(found.Probed.Time) > trialAge
	if old || found.Digest != now {
		found, known = loci.Profile{Digest: now}, false
	}
	known = known && (a.loaded || found.Tier != "")
	a.found, a.loaded = found, true
	return known
}

// keep stores what is known of a model, in the background.
func (h *Hub) keep(t *Target) {
	a := h.acquaintance(t)
	if f := a.facts.last(); f.Window > 0 { // it was met
		h.spawn(func() { h.save(context.WithoutCancel(h.ctx), t, a, f) }) // also when it is the last thing
	}
}

// save stores what is known of a model. Without it the model is only examined again.
func (h *Hub) save(ctx context.Context, t *Target, a *acquaintance, f server.Facts) {
	if h.config.Profiles == nil {
		return
	}
	a.mu.Lock()
	p := compose(a.found, a.base, f)
	a.stored = p.Speed
	a.mu.Unlock()
	p.Server = t.Server.Backend().Stable()
	h.config.Logger.Debug("profile of a model", "model", p.Model, "tier", p.Tier, "window", p.Window, "reason", p.Reason)
	if err := h.config.Profiles.SaveProfile(ctx, p); err != nil && h.ctx.Err() == nil {
		h.config.Logger.Warn("a profile cannot be stored", "model", p.Model, "error", err)
	}
}

// demote corrects the profile of a model that turned out to refuse tools: some
// servers say that a model has them, and refuse a request that leaves the choice
// (vLLM without --enable-auto-tool-choice).
func (h *Hub) demote(ctx context.Context, t *Target) {
	a := h.acquaintance(t)
	if _, err := a.facts.get(ctx); err != nil {
		return
	}
	if a.update(func(p *loci.Profile) bool { changed := p.Native != loci.No; p.Native = loci.No; return changed }) {
		h.keep(t)
	}
}

// judge chooses the tier of a model and says why. What a trial has shown counts for
// more than what the server says, and native tools for more than size: a small
// model that was trained for them uses them better than any words about them. But
// it has to prove it more often, see [trials.native].
func judge(p loci.Profile, told *bool) (loci.Tier, string) {
	small := loci.IsSmall(p.Params)
	said := "A trial showed that it"
	switch {
	case p.Native == loci.Yes:
		return loci.TierNative, said + " calls tools natively."
	case p.Native == loci.Unknown && told != nil && *told:
		return loci.TierNative, "Its server says that it calls tools natively."
	case p.Native == loci.Unknown && told == nil:
		said = "It is not known yet whether it calls tools natively"
	case p.Native == loci.No && small:
		said += " does not call tools natively, or not reliably"
	case p.Native == loci.No:
		said += " does not call tools natively"
	default:
		said = "Its server says that it does not call tools natively"
	}
	switch {
	case small:
		return loci.TierTiny, fmt.Sprintf("%s, and %d million parameters are too few to choose among described ones.", said, p.Params/1_000_000)
	case p.Text == loci.No:
		return loci.TierTiny, said + ", nor does it write calls as text."
	}
	return loci.TierText, said + "."
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
