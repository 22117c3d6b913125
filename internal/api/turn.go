package api

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"

	"loci"
	"loci/internal/chore"
)

// encoder writes a streamed reply in one protocol; openai.Stream and
// ollama.Stream do.
type encoder interface {
	speaker
	ToolCalls(calls []loci.ToolCall) error
	Finish(f loci.Finish, u loci.Usage) error
	Error(e *loci.Error) error
}

// speaker writes pieces of the text.
type speaker interface {
	Text(text string) error
	Reasoning(text string) error
}

// conversation is what a client asks, whichever protocol it came in.
type conversation struct {
	messages []loci.Message  // system messages included, wherever they stand
	tools    []loci.ToolSpec // the client's own
	choice   loci.ToolChoice
	options  loci.Options
	stream   bool // the client reads along
}

// answer gives the reply to a conversation as chunks, from a turn of the agent
// or from the bare model. Nothing happens until the chunks are asked for, and
// cancelling ctx or leaving the loop over them ends the work. An error is a
// fault of the request.
func (s *server) answer(ctx context.Context, r *http.Request, t *target, c *conversation) (iter.Seq2[loci.Chunk, error], error) {
	if err := c.choosable(); err != nil {
		return nil, err
	}
	if t.route.Model.Passthrough {
		return s.Backends.Chat(ctx, loci.Request{
			Model: t.model, Messages: c.messages, Tools: c.tools, ToolChoice: c.choice, Options: c.options, Purpose: loci.PurposeChat,
		}), nil
	}
	if asked, ok := chore.Recognise(c.choreRequest(r)); ok {
		return s.answerChore(ctx, r, t, c, asked), nil
	}
	req := loci.TurnRequest{
		Request:    exchangeOf(r).id,
		Principal:  exchangeOf(r).caller.principal,
		Model:      t.model,
		Resent:     true,
		Options:    c.options,
		Tools:      c.tools,
		ToolChoice: c.choice,
	}
	if err := split(c.messages, &req); err != nil {
		return nil, err
	}
	req.Session, req.Thread = identity(r)
	return chunks(s.Engine.Turn(ctx, req), c.readByPerson()), nil
}

// choosable is the fault of a client that demands a call that cannot be made; nil: it
// has none.
func (c *conversation) choosable() error {
	name := c.choice.Name
	switch {
	case c.choice.Mode != loci.ChoiceRequired:
		return nil
	case len(c.tools) == 0:
		return loci.Errorf(loci.Invalid, "The field tool_choice demands a call, but no tool of the type function was sent that may be called.").
			WithHint("Send the tools along, or leave tool_choice out.")
	case name != "" && !slices.ContainsFunc(c.tools, func(t loci.ToolSpec) bool { return t.Name == name }):
		return loci.Errorf(loci.Invalid, "The field tool_choice names %.100q, which is none of the tools that were sent.", name).
			WithHint("Name one of them, or leave tool_choice out.")
	}
	return nil
}

// readByPerson tells whether a person reads the reply, so that it can be a
// question. One that must have a form goes to a program.
func (c *conversation) readByPerson() bool { return c.options.Format == nil }

// split takes a conversation apart into the system messages, joined, what came
// before the newest user message, and that message. Messages after it are left
// out: they belong to a reply that is asked for anew. Where the client was handed
// tool calls and the last messages are their results, those take the place of a
// message.
func split(messages []loci.Message, req *loci.TurnRequest) error {
	var rest []loci.Message
	var systems []string
	newest, results := -1, 0
	for _, m := range messages {
		if m.Role == loci.System {
			systems = append(systems, m.Content)
			continue
		}
		if results++; m.Role != loci.ToolRole {
			results = 0
		}
		if m.Role == loci.User {
			newest = len(rest)
		}
		rest = append(rest, m)
	}
	req.System = strings.Join(systems, "\n\n")
	switch calls := len(rest) - results; {
	case newest < 0:
		return loci.Errorf(loci.Invalid, "there is no user message")
	case results > 0 && len(rest[calls-1].ToolCalls) > 0:
		req.History, req.Results = rest[:calls], rest[calls:]
	default:
		req.History, req.Message = rest[:newest], rest[newest]
	}
	return nil
}

// identity reads which session or conversation a client says it is in.
func identity(r *http.Request) (session, thread string) {
	switch id := clean(r.Header.Get("X-Loci-Session")); {
	case strings.HasPrefix(id, loci.SessionPrefix):
		session = id
	default:
		thread = id
	}
	if thread == "" {
		thread = clean(r.Header.Get("X-OpenWebUI-Chat-Id"))
	}
	return session, thread
}

// chunks renders a turn's events as the reply of a model. Tools that the agent
// runs itself are not shown: a tool call in a reply asks the client to run it.
// Questions are its last words for now, if a person can answer them. A turn that
// did not end well ends with an error.
func chunks(events iter.Seq2[loci.Event, error], person bool) iter.Seq2[loci.Chunk, error] {
	return func(yield func(loci.Chunk, error) bool) {
		said, waits := false, false
		var asked []loci.Approval
		var failed error
		for e, err := range events {
			if err != nil {
				yield(loci.Chunk{}, err)
				return
			}
			// turn.started is passed over too: the backend was not asked by then,
			// and the headers must wait for its answer.
			switch d := e.Data.(type) {
			case loci.Delta:
				said = said || d.Text != ""
				if !yield(loci.Chunk{Text: d.Text, Reasoning: d.Reasoning}, nil) {
					return
				}
			case loci.MessageData:
				// Words that no model generated may come without deltas.
				if !said && d.Text != "" && !yield(loci.Chunk{Text: d.Text}, nil) {
					return
				}
			case loci.ToolStarted:
				if !yield(loci.Chunk{Doing: d.Doing}, nil) {
					return
				}
			case loci.Notice: // about the turn, and no part of what it says
				if !yield(loci.Chunk{Doing: d.Text}, nil) {
					return
				}
			case loci.Approval:
				asked = append(asked, d)
			case loci.TurnWaiting:
				// To leave here would mean that nobody has read the questions, and
				// withdraw them: the sequence ends by itself.
				if waits = true; !person {
					failed = errCannotAsk(asked)
					continue
				}
				if !yield(loci.Chunk{Text: d.Text}, nil) || !yield(loci.Chunk{Finish: loci.FinishStop, Usage: usage(d.Receipt)}, nil) {
					return
				}
			case loci.TurnFinished:
				yield(outcome(d))
				return
			}
		}
		switch {
		case failed != nil:
			yield(loci.Chunk{}, failed)
		case !waits:
			yield(loci.Chunk{}, errBroken)
		}
	}
}

// errBroken is for replies that ended without saying so. They are never taken
// for complete.
var errBroken = loci.Errorf(loci.Truncated, "The reply broke off before it was complete.").WithHint("Ask again.")

// errCannotAsk is for questions in a reply that a program reads. They stay open,
// and their codes take the turn up from anywhere.
func errCannotAsk(asked []loci.Approval) error {
	if len(asked) == 0 { // it was asked before, and answered in part
		return loci.Errorf(loci.Forbidden, "This needs a yes from the person.").WithHint("See the questions with: loci approvals")
	}
	a := asked[0]
	return loci.Errorf(loci.Forbidden, "%s needs a yes from the person, who cannot be asked in a reply of a fixed form.", a.Tool).
		WithHint("It waits until %s: answer with \"loci approvals yes %s\", or send \"yes %[2]s\" as a message.", a.Expires.Format("15:04 MST"), a.Code)
}

// errStopped is for replies that somebody ended, and for relayed ones that the
// end of loci cut.
var errStopped = loci.Errorf(loci.Truncated, "The reply was stopped before it was complete.")

// outcome is the last chunk of a turn's reply.
func outcome(d loci.TurnFinished) (loci.Chunk, error) {
	switch {
	case d.State == loci.TurnInterrupted:
		return loci.Chunk{}, errStopped
	case d.State != loci.TurnDone && d.Error != nil:
		return loci.Chunk{}, d.Error
	case d.State != loci.TurnDone:
		return loci.Chunk{}, errBroken
	}
	finish := d.Finish
	if finish == "" || finish == loci.FinishTools && len(d.Calls) == 0 { // the agent's tools, not the client's
		finish = loci.FinishStop
	}
	return loci.Chunk{ToolCalls: d.Calls, Finish: finish, Usage: usage(d.Receipt)}, nil
}

// usage is the receipt of a turn for clients: what all its calls took together. What
// is inferred is no count.
func usage(r loci.Receipt) *loci.Usage {
	u := &loci.Usage{Prompt: r.Prompt, Completion: r.Completion, PromptTime: r.PromptTime, OutputTime: r.OutputTime}
	if r.Counted {
		u.Cached = r.Reused
	}
	return u
}

// collect waits for the whole reply, for clients that do not stream. Half of one
// is dropped and its error returned: such a client cannot be told that what it
// got is not all.
func collect(reply iter.Seq2[loci.Chunk, error]) (loci.Chunk, error) {
	var all loci.Chunk
	var text, reasoning strings.Builder
	for c, err := range reply {
		if err != nil {
			return loci.Chunk{}, err
		}
		text.WriteString(c.Text)
		reasoning.WriteString(c.Reasoning)
		all.ToolCalls = append(all.ToolCalls, c.ToolCalls...)
		if c.Finish != "" {
			all.Finish = c.Finish
		}
		if c.Usage != nil {
			all.Usage = c.Usage
		}
	}
	if all.Finish == "" {
		return loci.Chunk{}, errBroken
	}
	all.Text, all.Reasoning = text.String(), reasoning.String()
	return all, nil
}

// writeWhole sends a reply in one piece, for clients that do not stream.
func writeWhole(w http.ResponseWriter, contentType string, reply iter.Seq2[loci.Chunk, error], encode func(loci.Chunk) []byte) error {
	all, err := collect(reply)
	if err != nil {
		return err
	}
	write(w, http.StatusOK, contentType, encode(all))
	return nil
}

// speak streams a reply. An error that comes before anything was written is
// returned, so that it gets a status of its own; a later one goes in-band.
func (s *server) speak(r *http.Request, st *stream, enc encoder, reply iter.Seq2[loci.Chunk, error]) error {
	st.hold(s.Limits.Hold)
	defer st.end()
	n := &narrator{encoder: enc}
	if status, ok := enc.(statusWriter); ok && s.fromOpenWebUI(r) {
		n.status = status.Status
	}
	var last loci.Chunk
	for c, err := range reply {
		if err != nil {
			return s.breakOff(r, st, n, err)
		}
		if err := st.do(func() error { return n.say(c) }); err != nil {
			return nil // the client has left; leaving the loop stops the turn
		}
		if c.Finish != "" {
			last.Finish = c.Finish
		}
		if c.Usage != nil {
			last.Usage = c.Usage
		}
	}
	if last.Finish == "" {
		return s.breakOff(r, st, n, errBroken)
	}
	st.end()
	if last.Usage == nil {
		last.Usage = &loci.Usage{}
	}
	_ = errors.Join(n.done(), n.Finish(last.Finish, *last.Usage)) // nobody to tell if it fails
	return nil
}

// breakOff ends a stream with an error.
func (s *server) breakOff(r *http.Request, st *stream, n *narrator, err error) error {
	if !st.end() {
		return err
	}
	_ = errors.Join(n.done(), n.Error(s.note(r, err))) // nobody to tell if it fails
	return nil
}
