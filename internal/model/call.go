package model

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"time"

	"loci"
	"loci/internal/model/server"
)

// call makes a call at once, whatever it is for, in the form that the model takes.
// Where its server refuses the roles of the conversation, that is learned, and the
// call made again in a form that it may take.
func (h *Hub) call(ctx context.Context, t *Target, req loci.Request) iter.Seq2[loci.Chunk, error] {
	req.Model = t.Model.ID
	a := h.acquaintance(t)
	return func(yield func(loci.Chunk, error) bool) {
		if err := refuseBlind(ctx, t, req.Messages); err != nil {
			yield(loci.Chunk{}, err)
			return
		}
		for again := true; again; {
			p := h.set(a.known())
			again = h.attempt(ctx, t, fitted(req, p, h.config.setting(t.Model.ID)), func(err error) bool {
				return h.learnRoles(a, err) && !sameRoles(p, h.set(a.known()))
			}, yield)
		}
	}
}

// attempt makes a call once. It tells whether to make it again, which is what
// learned says of the error that it began with.
func (h *Hub) attempt(ctx context.Context, t *Target, req loci.Request, learned func(error) bool, yield func(loci.Chunk, error) bool) (again bool) {
	watch := h.acquaintance(t).watch()
	for chunk, err := range t.Server.Chat(ctx, req) {
		if err != nil && !watch.began() && learned(err) {
			h.config.Logger.Debug("asking again with other roles", "model", req.Model, "error", err)
			return true
		}
		if errors.Is(err, loci.ErrNoTools) {
			h.demote(ctx, t)
		}
		if watch.see(chunk) {
			h.keep(t)
		}
		if !yield(chunk, err) {
			return false
		}
	}
	return false
}

// learnRoles learns from the refusal of a conversation. A template that counts
// turns counts a system message too, if it knows of none (Mistral's first).
func (h *Hub) learnRoles(a *acquaintance, err error) (learned bool) {
	return a.update(func(p *loci.Profile) bool {
		before := *p
		switch {
		case errors.Is(err, server.ErrSystem), errors.Is(err, server.ErrAlternate) && p.Alternate == loci.Yes:
			p.System = loci.No
		case errors.Is(err, server.ErrSystems):
			p.Systems = loci.No
		case errors.Is(err, server.ErrAlternate):
			p.Alternate, p.Systems = loci.Yes, loci.No
		}
		return !sameRoles(before, *p)
	})
}

func sameRoles(a, b loci.Profile) bool {
	return a.System == b.System && a.Systems == b.Systems && a.Alternate == b.Alternate
}

// fitted is a call in the form that the model takes, with what the person has set
// for it.
func fitted(req loci.Request, p loci.Profile, s Setting) loci.Request {
	req.Messages = roles(req.Messages, p)
	if s.Think != "" && len(req.Options.Think) == 0 {
		req.Options.Think = []byte(strconv.FormatBool(s.Think == "on"))
	}
	for _, stop := range s.Stops {
		if !slices.Contains(req.Options.Stop, stop) {
			req.Options.Stop = append(slices.Clip(req.Options.Stop), stop)
		}
	}
	return req
}

// roles puts a conversation into a form that the model's template takes. What was
// sent before comes out the same again when more follows, so the server's cache
// holds: a message is only ever joined to the one before it.
func roles(messages []loci.Message, p loci.Profile) []loci.Message {
	fold, first, turns := p.System == loci.No, p.Systems == loci.No || p.System == loci.No, p.Alternate == loci.Yes
	if !fold && !first && !turns {
		return messages
	}
	out := make([]loci.Message, 0, len(messages)+1)
	for i, m := range messages {
		later := m.Role == loci.System && (i > 0 && first)
		if m.Role == loci.System && fold || later {
			m.Role = loci.User // what it says still comes before what follows
		}
		last := len(out) - 1
		switch {
		case last >= 0 && joins(out[last], m, turns || fold || later || was(messages, i-1, loci.System)):
			out[last] = joined(out[last], m)
		case turns && m.Role == loci.Assistant && (last < 0 || out[last].Role == loci.System):
			out = append(out, loci.Message{Role: loci.User, Content: "(The conversation went on before this.)"}, m)
		default:
			out = append(out, m)
		}
	}
	return out
}

// was tells whether a message of the conversation had a role.
func was(messages []loci.Message, i int, role loci.Role) bool {
	return i >= 0 && messages[i].Role == role
}

// joins tells whether a message can become part of the one before it. Calls and
// their results stand alone.
func joins(before, m loci.Message, wanted bool) bool {
	return wanted && before.Role == m.Role && (m.Role == loci.User || m.Role == loci.Assistant) &&
		len(before.ToolCalls) == 0 && len(m.ToolCalls) == 0
}

func joined(before, m loci.Message) loci.Message {
	before.Content += "\n\n" + m.Content
	before.Images = slices.Concat(before.Images, m.Images)
	return before
}

// The parts of a model call by which its speed is told, in tokens. Less says
// little: it is over before the machine is warm.
const (
	leastRead  = 64
	leastWrite = 12
)

// watch follows one call to learn how fast the model is.
type watch struct {
	of    *acquaintance
	start time.Time
	first time.Time // of the first piece of the reply
}

func (a *acquaintance) watch() *watch { return &watch{of: a, start: time.Now()} }

// began tells whether the reply has begun.
func (w *watch) began() bool { return !w.first.IsZero() }

// see looks at a piece of the reply. It tells whether the speed is now known to be
// another than before.
func (w *watch) see(c loci.Chunk) (news bool) {
	if !w.began() && (c.Text != "" || c.Reasoning != "" || c.Finish != "") {
		w.first = time.Now()
	}
	if c.Usage == nil {
		return false
	}
	s := w.speed(*c.Usage)
	return w.of.update(func(p *loci.Profile) bool {
		p.Speed = loci.Speed{Read: blend(p.Speed.Read, s.Read), Write: blend(p.Speed.Write, s.Write)}
		return drifted(p.Speed.Read, w.of.stored.Read) || drifted(p.Speed.Write, w.of.stored.Write)
	})
}

// speed is how fast a call was. Of the prompt only what was evaluated counts: where
// the server does not tell how much that was, nothing is known. The server's own
// times are better than those on the clock, which hold the network and the queue.
func (w *watch) speed(u loci.Usage) (s loci.Speed) {
	read, write := u.PromptTime, u.OutputTime
	if w.began() {
		read, write = cmp.Or(read, w.first.Sub(w.start)), cmp.Or(write, time.Since(w.first))
	}
	if u.Cached != nil {
		s.Read = rate(u.Prompt-*u.Cached, leastRead, read)
	}
	s.Write = rate(u.Completion, leastWrite, write)
	return s
}

// rate is 0 for too few tokens to tell, and for what is not believable.
func rate(tokens, least int, d time.Duration) float64 {
	const most = 1e6 // tokens a second
	if tokens < least || d <= 0 {
		return 0
	}
	if r := float64(tokens) / d.Seconds(); r < most {
		return r
	}
	return 0
}

// blend takes a new measurement into a speed.
func blend(known, seen float64) float64 {
	switch {
	case seen == 0:
		return known
	case known == 0:
		return seen
	}
	return 0.7*known + 0.3*seen
}

// drifted tells whether a speed has moved far enough from the stored one to be
// stored again.
func drifted(now, stored float64) bool {
	const factor = 1.3
	return now > stored*factor || now*factor < stored
}
