package api

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"loci"
)

// JobMode is how jobs of clients are answered.
type JobMode string

// Jobs are answered by the model; or by loci, in short, where it can; or by the
// model only where that does not cost a conversation its place in the cache.
const (
	JobsAuto  JobMode = "auto"
	JobsModel JobMode = "model"
	JobsShort JobMode = "short"
)

// task is what a client calls its job in a header; empty in a chat.
func task(r *http.Request) string {
	for _, name := range taskHeaders {
		if task := clean(r.Header.Get(name)); task != "" {
			return task
		}
	}
	return ""
}

// job answers a job. Nothing is kept of it.
func (s *server) job(ctx context.Context, r *http.Request, t target, c conversation, j job) iter.Seq2[loci.Chunk, error] {
	exchangeOf(r).job = j.kind
	req := loci.Request{Model: t.model, Messages: c.messages, Options: c.options, Purpose: loci.PurposeJob}
	short, can := j.short()
	if c.stream && !can && j.key == "" {
		return s.Backends.Chat(ctx, req) // a person may be reading it
	}
	return func(yield func(loci.Chunk, error) bool) {
		if text, ok := s.suggest(ctx, exchangeOf(r).caller.principal, j); ok {
			yield(said(text), nil)
			return
		}
		if can && s.inShort(ctx, t.model) {
			yield(said(short), nil)
			return
		}
		reply, err := s.Backends.Job(ctx, req)
		if err == nil {
			if text, ok := j.tidy(reply.Text); ok {
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

// inShort tells whether jobs are answered without the model where that is
// possible: by choice, or because it would cost too much. On a server with one
// slot each job throws the conversation out of the cache.
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

// suggest answers the request for follow-ups in a conversation that ends with
// questions of loci: the client shows them as buttons. The refusal comes first,
// as some clients put the first one where a person only has to press Enter.
func (s *server) suggest(ctx context.Context, p loci.Principal, j job) (string, bool) {
	if j.kind != jobFollowUps {
		return "", false
	}
	open, err := s.Questions.Approvals(ctx, p)
	if err != nil {
		s.Logger.Warn("the open questions cannot be read", "error", err)
		return "", false
	}
	answers := []string{"no"}
	for _, a := range open {
		if strings.Contains(j.talk, howTo(a)) {
			answers = append(answers, "yes "+a.Code)
		}
	}
	return j.form(answers...), len(answers) > 1
}

// howTo is the line of a question that tells how to answer it. It has the code and
// the time: no other text has it by chance, and no model has read it.
func howTo(a loci.Approval) string {
	text := strings.TrimSpace(a.Question)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
