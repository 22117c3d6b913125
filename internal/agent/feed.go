package agent

import (
	"context"
	"sync"

	"loci"
)

// feeds holds what is said in running turns, for those who follow along. A
// follower reads durable events from the store and only the text since then
// from here, so it can be as slow as it likes: it never holds up the turn, and
// it never misses anything.
type feeds struct {
	mu     sync.Mutex
	byID   map[string]*feed
	closed bool
}

// mark is a place in what a turn says, in bytes.
type mark struct{ text, reasoning int }

// feed is the live side of one session. It exists while a turn runs in it or
// somebody follows it.
type feed struct {
	users     int           // turns and followers
	seq       int64         // newest durable event
	turn      string        // newest turn
	leg       int           // counts the times a turn began or went on
	running   bool          // it has not ended, and does not wait
	first     int64         // number of the leg's first event
	marks     []mark        // how much was said before each of its events
	text      []byte        // shown text of that leg so far
	reasoning []byte        // and its thoughts
	changed   chan struct{} // closed at the next change; nil when nobody waits
	ended     bool          // nothing more will happen
}

func (f *feeds) join(session string) *feed {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byID == nil {
		f.byID = map[string]*feed{}
	}
	s := f.byID[session]
	if s == nil {
		s = &feed{ended: f.closed}
		f.byID[session] = s
	}
	s.users++
	return s
}

func (f *feeds) leave(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.byID[session]
	if s.users--; s.users == 0 {
		delete(f.byID, session)
	}
}

// end lets the followers of a session go when they have all there is.
func (f *feeds) end(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.byID[session]; s != nil {
		s.finish()
	}
}

// close is end for all sessions, those included that nobody follows yet.
func (f *feeds) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for _, s := range f.byID {
		s.finish()
	}
}

// finish lets those who follow go when they have all there is.
func (s *feed) finish() {
	s.ended = true
	s.wake()
}

// durable tells followers that an event was stored.
func (f *feeds) durable(s *feed, e loci.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.seq = e.Seq
	switch e.Type {
	case loci.EventTurnWaiting, loci.EventTurnFinished:
		s.running = false
	default:
		if !s.running { // the turn begins, or goes on after a wait
			s.turn, s.running, s.text, s.reasoning = e.Turn, true, nil, nil
			s.first, s.marks = e.Seq, nil
			s.leg++
		}
	}
	s.marks = append(s.marks, mark{len(s.text), len(s.reasoning)})
	s.wake()
}

// delta adds generated text.
func (f *feeds) delta(s *feed, d loci.Delta) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.text = append(s.text, d.Text...)
	s.reasoning = append(s.reasoning, d.Reasoning...)
	s.wake()
}

func (s *feed) wake() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// follower is how far one reader has come.
type follower struct {
	session string
	seq     int64
	leg     int
	mark    // how much of that leg it was given
}

// follow yields the session's events after a number until ctx ends or the
// reader has enough.
func (f *feeds) follow(ctx context.Context, log Log, s *feed, session string, after int64, yield func(loci.Event, error) bool) {
	r := follower{session: session, seq: after}
	for behind := true; ; {
		// Taken before anything is read: what happens in between closes it.
		seq, ended, changed := f.next(s)
		if d, ok := f.since(s, &r); ok {
			if !yield(d, nil) {
				return
			}
			continue
		}
		if behind || seq > r.seq {
			more, ok := r.stored(ctx, log, seq, yield)
			if !ok {
				return
			}
			if behind = more; !more {
				r.seq = max(r.seq, seq) // deleted meanwhile: there is no more to see
			}
			continue
		}
		if ended {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// next gives the newest durable event's number, whether that was the last, and
// the channel that is closed at the feed's next change.
func (f *feeds) next(s *feed) (seq int64, ended bool, changed <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.seq, s.ended, s.changed
}

// stored yields durable events that the follower has not seen, and tells whether
// there were any and whether the reader wants more. What the feed was not told of
// yet has to wait, since there may be text before it; for the same reason one who
// is with the turn gets one event at a time. A feed that knows no number has no
// turn.
func (r *follower) stored(ctx context.Context, log Log, upTo int64, yield func(loci.Event, error) bool) (more, ok bool) {
	page := 200
	if r.leg > 0 {
		page = 1
	}
	events, err := log.Events(ctx, r.session, r.seq, page)
	if err != nil {
		if ctx.Err() == nil {
			yield(loci.Event{}, err)
		}
		return false, false
	}
	for _, e := range events {
		if upTo > 0 && e.Seq > upTo {
			return more, true
		}
		if !yield(e, nil) {
			return false, false
		}
		r.seq, more = e.Seq, true
	}
	return more, true
}

// since gives the text that was generated after what the follower has. One who
// comes in the middle of a turn first gets the durable events so far, one who
// is with it gets text before the events that come after it.
func (f *feeds) since(s *feed, r *follower) (loci.Event, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.leg != s.leg {
		if !s.running || s.seq != r.seq { // behind, or told by the store before the feed was
			return loci.Event{}, false
		}
		r.leg, r.mark = s.leg, mark{}
	}
	upTo := mark{len(s.text), len(s.reasoning)}
	if next := r.seq + 1 - s.first; 0 <= next && next < int64(len(s.marks)) {
		upTo = s.marks[next] // an event comes first before the rest
	}
	if r.mark == upTo {
		return loci.Event{}, false
	}
	d := loci.Delta{Text: string(s.text[r.text:upTo.text]), Reasoning: string(s.reasoning[r.reasoning:upTo.reasoning]), Offset: r.text}
	r.mark = upTo
	return loci.Event{
		V: loci.EventVersion, Seq: r.seq, Session: r.session, Turn: s.turn,
		Time: loci.Now(), Type: loci.EventDelta, Data: d,
	}, true
}
