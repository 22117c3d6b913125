package api

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"loci"
)

// agentRequest is the body of POST /api/agent/chat. Only the message is needed.
type agentRequest struct {
	Message string   `json:"message"`
	Session string   `json:"session"` // to go on with; empty: a new one
	Model   string   `json:"model"`   // empty: the default
	System  string   `json:"system"`
	Folders []string `json:"folders"` // more folders to allow in this session
	Working string   `json:"working"` // where relative paths start in a new session
	Stream  *bool    `json:"stream"`  // nil: true
}

// agentChat runs a turn that belongs to its session: it goes on when the client
// leaves, unless that was before it could know of the session. The reply is the turn's events, or with "stream": false a summary.
func (s *server) agentChat(w http.ResponseWriter, r *http.Request) error {
	var req agentRequest
	if err := s.decode(w, r, &req); err != nil {
		return err
	}
	turn, err := req.turn(r)
	if err != nil {
		return err
	}
	begun, err := s.Sessions.Start(r.Context(), turn)
	if err != nil {
		return err
	}
	if r.Context().Err() != nil && turn.Session == "" { // nobody knows of it who could stop it, or wants it
		return s.Sessions.Stop(context.WithoutCancel(r.Context()), turn.Principal, begun.Session)
	}
	// The session may be new, and a client that is cut off wants to come back.
	w.Header().Set("X-Loci-Session", begun.Session)
	// Leaving ends the following, not the turn.
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	events := only(begun.Turn, s.Sessions.Follow(ctx, turn.Principal, begun.Session, begun.Seq-1))
	if req.Stream == nil || *req.Stream {
		return s.show(w, r, leave, events)
	}
	out, err := summarise(events)
	if err != nil {
		return err
	}
	if out.State == loci.TurnWaits {
		if out.Pending, err = s.pending(r.Context(), turn.Principal, begun.Turn); err != nil {
			return err
		}
	}
	return writeJSON(w, out)
}

// pending are the open questions of a turn, those included that it asked before it
// came to this request.
func (s *server) pending(ctx context.Context, p loci.Principal, turn string) ([]loci.Approval, error) {
	open, err := s.Questions.Approvals(ctx, p)
	return slices.DeleteFunc(open, func(a loci.Approval) bool { return a.Turn != turn }), err
}

// turn is what the request asks the engine for.
func (req agentRequest) turn(r *http.Request) (loci.TurnRequest, error) {
	if strings.TrimSpace(req.Message) == "" {
		return loci.TurnRequest{}, loci.Errorf(loci.Invalid, "There is no message.").WithHint(`Send {"message": "…"}.`)
	}
	t := loci.TurnRequest{
		Request:   exchangeOf(r).id,
		Principal: exchangeOf(r).caller.principal,
		Session:   req.Session,
		Model:     req.Model,
		System:    req.System,
		Folders:   req.Folders,
		Working:   req.Working,
		Message:   loci.Message{Role: loci.User, Content: req.Message},
	}
	if t.Session == "" {
		t.Session, t.Thread = identity(r)
	}
	return t, nil
}

// only gives the events of one turn, up to its end.
func only(turn string, events iter.Seq2[loci.Event, error]) iter.Seq2[loci.Event, error] {
	return func(yield func(loci.Event, error) bool) {
		for e, err := range events {
			if err == nil && e.Turn != turn {
				continue
			}
			if !yield(e, err) || err != nil || e.Type == loci.EventTurnFinished {
				return
			}
		}
	}
}

// summary is the whole result of a turn, for clients that do not stream.
type summary struct {
	Session string          `json:"session"`
	Turn    string          `json:"turn"`
	State   loci.TurnState  `json:"state"`
	Message string          `json:"message"`
	Steps   []step          `json:"steps"`             // tool calls in order, refused ones too
	Pending []loci.Approval `json:"pending,omitempty"` // questions that wait for an answer
	Receipt loci.Receipt    `json:"receipt"`
}

// step is one tool call and what came of it.
type step struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"` // null when there is an error
	Error     *loci.ToolError `json:"error,omitempty"`
	Undo      *loci.Undo      `json:"undo,omitempty"` // where what it changed can be taken back
}

// summarise waits for a turn to end, or to stop at questions. A turn that failed is an error.
func summarise(events iter.Seq2[loci.Event, error]) (summary, error) {
	out := summary{Steps: []step{}}
	for e, err := range events {
		if err == nil {
			err = out.add(e)
		}
		switch {
		case err != nil:
			return summary{}, err
		case out.State != "":
			return out, nil
		}
	}
	return summary{}, errBroken
}

// add takes one event into the summary; the last one sets the state.
func (out *summary) add(e loci.Event) error {
	out.Session, out.Turn = e.Session, e.Turn
	switch e.Type {
	case loci.EventToolFinished:
		d, err := payload[loci.ToolFinished](e)
		out.Steps = append(out.Steps, step{d.Result.Call.Name, d.Result.Call.Arguments, d.Result.Data, d.Result.Err, d.Undo})
		return err
	case loci.EventMessage:
		d, err := payload[loci.MessageData](e)
		out.Message = d.Text
		return err
	case loci.EventTurnWaiting:
		d, err := payload[loci.TurnWaiting](e)
		out.Message += d.Text
		out.State, out.Receipt = loci.TurnWaits, d.Receipt
		return err
	case loci.EventTurnFinished:
		d, err := payload[loci.TurnFinished](e)
		if err == nil && d.State == loci.TurnFailed && d.Error != nil {
			return d.Error
		}
		out.State, out.Receipt = d.State, d.Receipt
		return err
	}
	return nil
}

// payload reads an event's data, which is a struct while the turn runs and raw
// JSON when it comes from the store.
func payload[T any](e loci.Event) (d T, err error) {
	if d, ok := e.Data.(T); ok {
		return d, nil
	}
	err = e.DecodeData(&d)
	return d, err
}

// agentEvents follows a session: what happened after a number, then what
// happens. A browser that reconnects says where it was in Last-Event-ID.
func (s *server) agentEvents(w http.ResponseWriter, r *http.Request) error {
	session, err := query(r, "session")
	if err != nil {
		return err
	}
	after, err := number(cmp.Or(r.Header.Get("Last-Event-Id"), r.URL.Query().Get("after")), "after", 0)
	if err != nil {
		return err
	}
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	return s.show(w, r, leave, s.Sessions.Follow(ctx, exchangeOf(r).caller.principal, session, after))
}

// show writes events as server-sent events, numbered so that a client that was
// cut off can go on where it was.
func (s *server) show(w http.ResponseWriter, r *http.Request, leave context.CancelFunc, events iter.Seq2[loci.Event, error]) error {
	return pour(s, w, r, leave, events, func(st *stream, e loci.Event) error {
		if e.Type == loci.EventDelta {
			return frame(st, 0, e)
		}
		return frame(st, e.Seq, e)
	})
}

// pour writes a sequence as server-sent events, each with a frame.
func pour[T any](s *server, w http.ResponseWriter, r *http.Request, leave context.CancelFunc, items iter.Seq2[T, error], frame func(*stream, T) error) error {
	st := s.stream(w, typeSSE, leave)
	// A browser's EventSource is open only when something arrives.
	st.greet, st.alive = st.comment, st.comment
	st.hold(s.Limits.Hold)
	defer st.end()
	for item, err := range items {
		if err == nil {
			err = r.Context().Err() // a key is looked at again for each event
		}
		if err == nil {
			err = st.do(func() error { return frame(st, item) })
			if err != nil {
				return nil // the client has left, or was too slow and comes back
			}
			continue
		}
		return s.lastWord(st, r, err)
	}
	if err := r.Context().Err(); err != nil {
		return s.lastWord(st, r, err)
	}
	return nil
}

// lastWord ends a stream of events with an error. That is not an event of the
// session, so it has a name of its own and no number.
func (s *server) lastWord(st *stream, r *http.Request, err error) error {
	if !st.end() {
		return err
	}
	_, _ = st.Write(append(append([]byte("event: error\ndata: "), ownError(s.note(r, err))...), "\n\n"...))
	return nil
}

// frame writes one event under its number, which deltas have none of: they are
// transient, and only what is stored has an id.
func frame(st *stream, id int64, e any) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	b := make([]byte, 0, len(data)+40)
	if id > 0 {
		b = append(b, "id: "...)
		b = strconv.AppendInt(b, id, 10)
		b = append(b, '\n')
	}
	b = append(b, "data: "...)
	b = append(b, data...)
	b = append(b, "\n\n"...)
	_, err = st.Write(b)
	return err
}

// query gives a parameter of the address that must be there.
func query(r *http.Request, name string) (string, error) {
	v := r.URL.Query().Get(name)
	if v == "" {
		return "", loci.Errorf(loci.Invalid, "The address needs ?%s=….", name)
	}
	return v, nil
}

// number reads a number that an address may give, from 0 on.
func number(text, name string, absent int64) (int64, error) {
	if text == "" {
		return absent, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, loci.Errorf(loci.Invalid, "%s is not a number from 0 on.", name)
	}
	return n, nil
}
