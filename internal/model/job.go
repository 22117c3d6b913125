package model

import (
	"context"
	"io"
	"net/http"
	"strings"

	"loci"
)

// Job makes one call for a background job of a client, such as the title of a
// conversation, and gives the whole reply. Chats go first: the call waits until
// none runs on the server, or a slot is left beside them, and is made anew when
// a chat comes in between. If there is no room for long, the error's code is
// [loci.Overloaded].
func (h *Hub) Job(ctx context.Context, req loci.Request) (loci.Chunk, error) {
	t, err := h.Resolve(ctx, req.Model)
	if err != nil {
		return loci.Chunk{}, err
	}
	req.Purpose = loci.PurposeJob
	var all loci.Chunk
	err = t.queue.job(ctx, h.slots(t), func(ctx context.Context, _ func() bool) (err error) {
		all, err = h.whole(ctx, t, req)
		return err
	})
	return all, err
}

// whole makes a call and puts its reply together.
func (h *Hub) whole(ctx context.Context, t *Target, req loci.Request) (loci.Chunk, error) {
	var all loci.Chunk
	var text, reasoning strings.Builder
	for c, err := range h.call(ctx, t, req) {
		if err != nil {
			return loci.Chunk{}, err
		}
		text.WriteString(c.Text)
		reasoning.WriteString(c.Reasoning)
		if c.Finish != "" {
			all.Finish = c.Finish
		}
		if c.Usage != nil {
			all.Usage = c.Usage
		}
	}
	all.Text, all.Reasoning = text.String(), reasoning.String()
	return all, nil
}

// streamJob is Job for a client that reads along: once it has seen a piece, the
// call is not made anew.
func (h *Hub) streamJob(ctx context.Context, t *Target, req loci.Request, yield func(loci.Chunk, error) bool) {
	left := false
	err := t.queue.job(ctx, h.slots(t), func(ctx context.Context, firm func() bool) error {
		for chunk, err := range h.call(ctx, t, req) {
			if err != nil {
				return err
			}
			if !firm() {
				return context.Cause(ctx)
			}
			if left = !yield(chunk, nil); left {
				return nil
			}
		}
		return nil
	})
	if err != nil && !left {
		yield(loci.Chunk{}, err)
	}
}

// slots is how many replies the server makes at the same time, as far as the
// model's profile is known by now; 0 where it is not.
func (h *Hub) slots(t *Target) int { return h.acquaintance(t).facts.last().Slots }

// Forward gives the way to relay requests to a model's server; see
// [server.Client.Forward]. A relayed chat counts as one until its reply is
// closed, so jobs give way to it.
func (h *Hub) Forward(t *Target) func(ctx context.Context, path string, header http.Header, body []byte, why loci.Purpose) (*http.Response, error) {
	return func(ctx context.Context, path string, header http.Header, body []byte, why loci.Purpose) (*http.Response, error) {
		if why != loci.PurposeChat {
			return t.Server.Forward(ctx, path, header, body, why)
		}
		done := t.queue.chat(h.slots(t))
		resp, err := t.Server.Forward(ctx, path, header, body, why)
		if err != nil {
			done()
			return nil, err
		}
		resp.Body = counted{resp.Body, done}
		return resp, nil
	}
}

// counted is the body of a relayed reply.
type counted struct {
	io.ReadCloser
	done func()
}

// Close ends the reply.
func (c counted) Close() error {
	defer c.done()
	return c.ReadCloser.Close()
}
