package api

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"

	"loci"
	"loci/internal/chore"
)

// JobMode is how chores of clients are answered: the setting client_jobs.
type JobMode string

// Chores are answered by the model; or by loci, in short, where it can; or by the
// model only where that does not cost a conversation its place in the cache.
const (
	JobsAuto  JobMode = "auto"
	JobsModel JobMode = "model"
	JobsShort JobMode = "short"
)

// taskHeaders say which chore a request is; empty in a chat.
var taskHeaders = []string{"X-Loci-Task", "X-Openwebui-Task"}

// task is what a client calls its chore in a header; empty in a chat.
func task(r *http.Request) string {
	for _, name := range taskHeaders {
		if task := clean(r.Header.Get(name)); task != "" {
			return task
		}
	}
	return ""
}

// choreRequest is what a client asks, as far as it tells a chore from a turn.
func (c *conversation) choreRequest(r *http.Request) chore.Request {
	return chore.Request{
		Task:     task(r),
		Messages: c.messages,
		Tools:    len(c.tools) > 0,
		Format:   len(c.options.Format) > 0,
		Stream:   c.stream,
	}
}

// answerChore answers a chore. Nothing is kept of it.
func (s *server) answerChore(ctx context.Context, r *http.Request, t *target, c *conversation, asked chore.Chore) iter.Seq2[loci.Chunk, error] {
	exchangeOf(r).chore = asked.Kind
	req := loci.Request{Model: t.model, Messages: c.messages, Options: c.options, Purpose: loci.PurposeJob}
	short, can := asked.Short()
	if c.stream && !can && asked.Key == "" {
		return s.Backends.Chat(ctx, req) // a person may be reading it
	}
	return func(yield func(loci.Chunk, error) bool) {
		if text, ok := s.suggest(ctx, exchangeOf(r).caller.principal, asked); ok {
			yield(said(text), nil)
			return
		}
		if can && s.inShort(ctx, req.Model) {
			if reply, ok := s.aside(ctx, r, c, asked, req); ok {
				yield(reply, nil)
				return
			}
			yield(said(short), nil)
			return
		}
		reply, err := s.Backends.Job(ctx, req)
		if err == nil {
			if text, ok := asked.Tidy(reply.Text); ok {
				reply.Text, reply.Reasoning = text, ""
				yield(reply, nil)
				return
			}
		}
		switch {
		case can && ctx.Err() == nil:
			yield(said(short), nil)
		case err != nil:
			yield(loci.Chunk{}, err)
		default: // no more is known about the form
			yield(reply, nil)
		}
	}
}

// said is a whole reply that no model made.
func said(text string) loci.Chunk {
	return loci.Chunk{Text: text, Finish: loci.FinishStop, Usage: &loci.Usage{}}
}

// inShort tells whether chores are answered without the model where that is
// possible: by choice, or because it would cost too much. On a server with one
// slot each chore with a prompt of its own throws the conversation out of the cache;
// see aside.
func (s *server) inShort(ctx context.Context, model string) bool {
	switch s.ClientJobs {
	case JobsShort:
		return true
	case JobsModel:
		return false
	}
	p, err := s.Models.Profile(ctx, model)
	return err == nil && (p.Tier == loci.TierTiny || p.Slots == 1)
}

// asides are the chores for which a model is worth its time, as nobody waits for them.
var asides = []chore.Kind{chore.Title, chore.Tags, chore.FollowUps}

// aside answers a chore at the end of the very conversation that it is about, where the
// model server has that in its only slot: so nothing is lost from there. It is false
// where the conversation is another one, or the reply of no use.
func (s *server) aside(ctx context.Context, r *http.Request, c *conversation, asked chore.Chore, req loci.Request) (loci.Chunk, bool) {
	question, ok := c.choreRequest(r).Instructions()
	if s.Aside == nil || s.ClientJobs == JobsShort || !ok || !slices.Contains(asides, asked.Kind) {
		return loci.Chunk{}, false
	}
	_, thread := identity(r)
	ctx, there, ok := s.Aside.Aside(ctx, exchangeOf(r).caller.principal, req.Model, thread, asked.Quoted(), question)
	if !ok {
		return loci.Chunk{}, false
	}
	reply, err := s.Backends.Job(ctx, there)
	if err != nil {
		return loci.Chunk{}, false
	}
	text, ok := asked.Tidy(reply.Text)
	reply.Text, reply.Reasoning = text, ""
	return reply, ok
}

// suggest answers the request for follow-ups in a conversation that ends with
// questions of loci: the client shows them as buttons. The refusal comes first,
// as some clients put the first one where a person only has to press Enter.
func (s *server) suggest(ctx context.Context, p loci.Principal, c chore.Chore) (string, bool) {
	if c.Kind != chore.FollowUps {
		return "", false
	}
	open, err := s.Questions.Approvals(ctx, p)
	if err != nil {
		s.Logger.Warn("the open questions cannot be read", "error", err)
		return "", false
	}
	asked, answers := false, []string{"no"}
	for _, a := range open {
		here := strings.Contains(c.Talk, howTo(a))
		asked = asked || here
		if here && p.May(loci.RightApprove) {
			answers = append(answers, "yes "+a.Code)
		}
	}
	return c.Answer(answers...), asked
}

// howTo is the line of a question that tells how to answer it. It has the code and
// the time: no other text has it by chance, and no model has read it.
func howTo(a loci.Approval) string {
	text := strings.TrimSpace(a.Question)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
