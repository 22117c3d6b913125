package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"

	"loci"
	"loci/internal/wire"
)

// patience is how long to wait before each attempt to come back to a turn after
// the connection broke. An event that arrives renews it.
var patience = []time.Duration{0, 200 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

// trail is where somebody is who follows a turn.
type trail struct {
	server
	session string
	turn    string // empty: that of the first event
	seq     int64  // of the last event
}

// turn is the events of one turn, which end with ctx at the latest.
type turn func(ctx context.Context) iter.Seq2[loci.Event, error]

// begin begins a turn.
func (s server) begin(req chatRequest) turn {
	return func(ctx context.Context) iter.Seq2[loci.Event, error] {
		t := &trail{server: s}
		return t.events(ctx, func() (*http.Response, error) {
			return s.do(ctx, http.MethodPost, "/api/agent/chat", req)
		})
	}
}

// follow is a turn that has begun already, from its first event.
func (s server) follow(a loci.Approval) turn {
	return func(ctx context.Context) iter.Seq2[loci.Event, error] {
		t := &trail{server: s, session: a.Session, turn: a.Turn}
		return t.events(ctx, func() (*http.Response, error) { return t.resume(ctx) })
	}
}

// resume asks for the events that came since.
func (t *trail) resume(ctx context.Context) (*http.Response, error) {
	return t.do(ctx, http.MethodGet, fmt.Sprintf("/api/agent/events?session=%s&after=%d", url.QueryEscape(t.session), t.seq), nil)
}

// events gives the events of the turn up to its end. Where the connection
// breaks, it says so and comes back for the rest.
func (t *trail) events(ctx context.Context, connect func() (*http.Response, error)) iter.Seq2[loci.Event, error] {
	return func(yield func(loci.Event, error) bool) {
		waits := patience
		for {
			before := t.seq
			done, lost := t.connection(connect, yield)
			if done {
				return
			}
			if ctx.Err() != nil || t.session == "" {
				yield(loci.Event{}, lost)
				return
			}
			if t.seq > before {
				waits = patience
			}
			if len(waits) == len(patience) && !yield(t.notice("The connection to loci broke off; trying again."), nil) {
				return
			}
			if len(waits) == 0 {
				yield(loci.Event{}, lost)
				return
			}
			if lost := pause(ctx, waits[0]); lost != nil {
				yield(loci.Event{}, lost)
				return
			}
			waits, connect = waits[1:], func() (*http.Response, error) { return t.resume(ctx) }
		}
	}
}

// connection gives what one connection brings. It is done when there is no more
// to come; otherwise it tells how the connection was lost.
func (t *trail) connection(connect func() (*http.Response, error), yield func(loci.Event, error) bool) (done bool, lost error) {
	broken := func(cause error) error {
		return loci.Wrap(loci.Unreachable, cause, "The connection to loci at %s broke off before the answer was whole.", t.url).
			WithHint("See whether it is well with: loci doctor")
	}
	res, err := connect()
	if err != nil {
		if loci.AsError(err).Code == loci.Unreachable {
			return false, err
		}
		return true, finish(yield, err)
	}
	defer res.Body.Close()
	for frame, err := range wire.Events(res.Body, wire.DefaultMaxLine) {
		if err != nil {
			return false, broken(err)
		}
		e, err := event(frame)
		if err != nil {
			return true, finish(yield, err)
		}
		if t.turn != "" && e.Turn != t.turn {
			continue
		}
		t.session, t.turn, t.seq = e.Session, e.Turn, max(t.seq, e.Seq)
		if !yield(e, nil) || e.Type == loci.EventTurnFinished {
			return true, nil
		}
	}
	return false, broken(nil)
}

// finish yields an error, after which there is nothing.
func finish(yield func(loci.Event, error) bool, err error) error {
	yield(loci.Event{}, err)
	return nil
}

// notice is something that the person should know, and that no server said.
func (t *trail) notice(words string) loci.Event {
	return loci.Event{Session: t.session, Turn: t.turn, Seq: t.seq, Type: loci.EventNotice, Data: loci.Notice{Text: words}}
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// event decodes one event of the stream, or the error that ended it.
func event(frame wire.Event) (loci.Event, error) {
	if frame.Type == "error" {
		var reply struct{ Error *loci.Error }
		if err := json.Unmarshal([]byte(frame.Data), &reply); err != nil || reply.Error == nil {
			return loci.Event{}, loci.Errorf(loci.Truncated, "The answer broke off.")
		}
		return loci.Event{}, reply.Error
	}
	var e struct {
		loci.Event
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal([]byte(frame.Data), &e); err != nil {
		return loci.Event{}, err
	}
	e.Event.Data = e.Data
	return e.Event, nil
}
