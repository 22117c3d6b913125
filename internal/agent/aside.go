package agent

import (
	"context"
	"strings"
	"sync"

	"loci"
	"loci/internal/text"
)

// asideTokens is the room in the window that an aside needs for its reply.
const asideTokens = 256

// resting remembers for each model the conversation that it has in its cache: the one
// that it was called for last, once its turn is over.
type resting struct {
	mu   sync.Mutex
	last map[string]rest // by model
}

// rest is a conversation between two turns.
type rest struct {
	principal, said string
	request         loci.Request // as the next turn will begin
	tokens, window  int
	over            context.Context // ends when the conversation goes on, or another one begins
	end             context.CancelFunc
}

// wake forgets what a model has in its cache, since that is about to change.
func (r *resting) wake(model string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if was, ok := r.last[model]; ok {
		was.end()
		delete(r.last, model)
	}
}

// keep remembers the conversation of a turn that came to its end.
func (r *resting) keep(t *turn) {
	if t.session.Tier == loci.TierTiny || t.Receipt.Calls == 0 || len(t.handed) > 0 {
		return
	}
	req := t.request()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		r.last = map[string]rest{}
	}
	over, end := context.WithCancel(context.Background())
	r.last[req.Model] = rest{
		principal: t.session.Principal, said: t.req.Message.Content, request: *req,
		tokens: t.session.Sent.Prompt + t.session.Sent.Reply, window: t.profile.Window,
		over: over, end: end,
	}
}

// Aside puts a question to the end of the conversation that a model has in its cache,
// if that is one of p's and said was the last that p said there. The call costs the
// conversation nothing: what the server has of it is a part of both, and nothing of the
// question is kept. That holds until the conversation goes on, which the context that
// it gives ends with. There is none where the window is too small for both.
func (a *Agent) Aside(ctx context.Context, p loci.Principal, model, said, question string) (context.Context, loci.Request, bool) {
	a.resting.mu.Lock()
	defer a.resting.mu.Unlock()
	r, ok := a.resting.last[model]
	if !ok || r.principal != p.ID || strings.TrimSpace(r.said) != strings.TrimSpace(said) ||
		r.tokens+text.Tokens(question)+asideTokens > r.window {
		return ctx, loci.Request{}, false
	}
	req := r.request
	req.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)], loci.Message{Role: loci.User, Content: question})
	req.Options, req.Purpose = loci.Options{MaxTokens: new(asideTokens)}, loci.PurposeJob
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(r.over, cancel)
	return ctx, req, true
}
