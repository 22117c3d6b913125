package agent

import (
	"context"
	"slices"
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
	principal, session, thread string
	shown                      []string     // what was said, by both, as the client has it
	request                    loci.Request // as the next turn will begin
	tokens, window             int
	over                       context.Context // ends when the conversation goes on, or another one begins
	end                        context.CancelFunc
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

// drop forgets a session that is deleted.
func (r *resting) drop(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for model, was := range r.last {
		if was.session == session {
			was.end()
			delete(r.last, model)
		}
	}
}

// keep remembers the conversation of a turn that came to its end.
func (r *resting) keep(t *turn) {
	if t.session.Tier == loci.TierTiny || t.Receipt.Calls == 0 || len(t.handed) > 0 {
		return
	}
	req := t.request()
	var shown []string
	for _, n := range t.path {
		if n.Shown != nil && !n.Unsent {
			shown = append(shown, *n.Shown)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		r.last = map[string]rest{}
	}
	over, end := context.WithCancel(context.Background())
	r.last[req.Model] = rest{
		principal: t.session.Principal, session: t.session.ID, thread: t.session.Thread, shown: shown, request: *req,
		tokens: t.session.Sent.Prompt + t.session.Sent.Reply, window: t.profile.Window,
		over: over, end: end,
	}
}

// leastQuoted is how many messages tell a conversation from every other one, if they are
// not all of it.
const leastQuoted = 4

// is tells whether a conversation of which a client quotes the last messages is this
// one. Short words such as thanks stand at the end of many, and what stands in one of
// them must not get into the title of another.
func (r rest) is(thread string, quoted []string) bool {
	if len(quoted) == 0 || len(quoted) > len(r.shown) || thread != "" && r.thread != "" && thread != r.thread {
		return false
	}
	same := func(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }
	known := thread != "" && thread == r.thread || len(quoted) == len(r.shown) || len(quoted) >= leastQuoted
	return known && slices.EqualFunc(quoted, r.shown[len(r.shown)-len(quoted):], same)
}

// Aside puts a question to the end of the conversation that a model has in its cache,
// if that is one of p's and the one whose last messages a client quotes. The call costs the
// conversation nothing: what the server has of it is a part of both, and nothing of the
// question is kept. That holds until the conversation goes on, which the context that
// it gives ends with. There is none where the window is too small for both.
func (a *Agent) Aside(ctx context.Context, p loci.Principal, model, thread string, quoted []string, question string) (context.Context, loci.Request, bool) {
	a.resting.mu.Lock()
	defer a.resting.mu.Unlock()
	r, ok := a.resting.last[model]
	if !ok || r.principal != p.ID || !r.is(thread, quoted) ||
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
