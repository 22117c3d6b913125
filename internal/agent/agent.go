// Package agent runs turns: it places a person's message in its conversation,
// asks the model, runs the tools it calls, records what happened, and repeats
// until there is an answer.
//
// A turn is a phase machine (see turn.go): each phase is one short method that
// does its part and names the next. It yields a stream of events, and an event
// is stored before it is yielded, so what a client saw is never lost.
//
// How the model is asked depends on its tier: natively, or with its tools described in
// the text (ask.go), or by moves that the runtime chooses for a tiny one (choose.go).
// What a session begins with is frozen; when the window fills, older results are sent
// in short and older turns left out (window.go, view.go); a result that is too long by
// itself is read in parts first where that pays (condense.go). A reply that comes to no
// end is ended (circles.go). A call that cannot be read or
// does not fit is corrected (correct.go), and a reply that should have made one is
// nudged (nudge.go). An aside puts a question to the end of a conversation that the
// server has in its cache, and leaves nothing there (aside.go).
//
// Where a call needs a person's yes, the turn is parked (see waiting.go): it is
// stored, and goes on from there when the questions are answered (resume.go), in the
// conversation itself (place.go tells answers from other messages) or elsewhere.
//
// A turn that a request brought belongs to that request and ends with it (see
// Agent.Turn). A turn of the agent API belongs to its session and ends by
// itself or by Agent.Stop; clients come and go and follow it by number (see
// Agent.Start and Agent.Follow).
package agent

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"loci"
	"loci/internal/offer"
	"loci/internal/prompt"
	"loci/internal/transcript"
)

// Model is a source of chat models.
type Model interface {
	// Chat streams one reply. Stopping the iteration ends the call.
	Chat(ctx context.Context, req loci.Request) iter.Seq2[loci.Chunk, error]
	// Profile tells how a model can be used; the empty name is the default model.
	Profile(ctx context.Context, model string) (loci.Profile, error)
}

// Tools is what a turn may call.
type Tools interface {
	// Specs lists what may be offered in a scope, always in the same order.
	Specs(scope loci.Scope) []loci.ToolSpec
	// Doing says in words what a call does.
	Doing(call loci.ToolCall) string
	// Prepare makes of a call the one to ask about and to run, once, or tells why
	// there is none.
	Prepare(ctx context.Context, scope loci.Scope, call loci.ToolCall) (loci.ToolCall, *loci.ToolResult)
	// Ask tells what a person has to agree to before a call may run; nil: nothing.
	Ask(ctx context.Context, scope loci.Scope, call loci.ToolCall) *loci.Ask
	// Call runs one call through the gate. Approved is the question about it that a
	// person said yes to, nil if there was none. It never fails: what went wrong is in
	// the result.
	Call(ctx context.Context, scope loci.Scope, call loci.ToolCall, approved *loci.Approval) loci.ToolResult
}

// Chooser decides for models that are too small to choose tools themselves.
type Chooser interface {
	Next(ctx context.Context, s loci.Situation) (loci.Move, error)
}

// Teller knows what only a tool can tell.
type Teller interface {
	// Tells gives the call that would tell what a person wants to know, where their words
	// are plain; false where they may as well be answered from memory.
	Tells(s loci.Situation) (loci.ToolCall, bool)
}

// Log stores what happens, and gives it back.
type Log interface {
	Save(ctx context.Context, b loci.Batch) error
	SaveDraft(ctx context.Context, d loci.Draft) error
	DeleteSession(ctx context.Context, principal, id string) error
	Events(ctx context.Context, session string, after int64, limit int) ([]loci.Event, error)
}

// Approvals keeps the questions that a person was asked.
type Approvals interface {
	Approval(ctx context.Context, principal, id string) (loci.Approval, error)
	ApprovalByCode(ctx context.Context, principal, code string) (loci.Approval, error)
	// Approvals lists those that are open, TurnApprovals all that a turn asked.
	Approvals(ctx context.Context, principal string) ([]loci.Approval, error)
	TurnApprovals(ctx context.Context, session, turn string) ([]loci.Approval, error)
}

// Waits keeps the turns that stopped at questions.
type Waits interface {
	// Waiting gives the turn of a session that waits, or a loci.NotFound error.
	Waiting(ctx context.Context, principal, session string) (loci.Waiting, error)
	AllWaiting(ctx context.Context) ([]loci.Waiting, error)
}

// Judge hears what the calls of a model show of it, for the sessions to come.
type Judge interface {
	// ToolsMove says that calls look as if the model's chat template did not keep the
	// tools where they were. It tells whether it is so, and whether that is news.
	ToolsMove(model string) (moves, news bool)
}

// Settings are the person's choices.
type Settings struct {
	User          string // how to call the owner
	Zone          string // IANA name of the time zone; may be empty
	Purpose       string
	Texts         prompt.Texts
	FamilyTexts   map[string]prompt.Texts
	ReplaceClient bool        // leave out the client's own system message
	MaxSteps      int         // model calls a turn
	KeptRounds    int         // rounds kept when the window is full
	UsableShare   int         // percent of a window that a conversation may fill; 0: by the model's size
	LongResults   LongResults // empty: LongAuto
	// DigestFor is how long it may be predicted to take that the model reads a result in
	// parts, where it is left to loci; 0: half a minute.
	DigestFor time.Duration
	// AskFor is how long a question waits for its answer; 0: five minutes.
	AskFor  time.Duration
	Working string
	// Folders gives the folders that a principal may look into.
	Folders func(loci.Principal) []string
}

// Config is what an Agent is made of.
type Config struct {
	Model   Model
	Tools   Tools
	Chooser Chooser
	Teller  Teller // nil: no reply is doubted
	Judge   Judge  // nil: nobody listens
	// Log and the three below are one database; see package store.
	Log         Log
	Approvals   Approvals
	Waits       Waits
	Transcripts transcript.Store
	Settings    Settings
	Now         func() time.Time // in the person's time zone; nil: time.Now
	Logger      *slog.Logger
}

// Agent runs the turns of all sessions: one at a time in each, sessions side
// by side. It is safe for concurrent use.
type Agent struct {
	cfg     Config
	lanes   lanes
	runs    runs
	feeds   feeds
	steps   lastSteps
	resting resting
	shelf   offer.Shelf
	counts  counts
	scales  scales
	own     sync.WaitGroup // turns that belong to sessions
	clock   deadlines      // of the questions that are open
}

// New makes an Agent.
func New(c Config) *Agent {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Settings.DigestFor = cmp.Or(c.Settings.DigestFor, digestFor)
	c.Settings.AskFor = cmp.Or(c.Settings.AskFor, 5*time.Minute)
	return &Agent{cfg: c}
}

// Turn runs a turn that belongs to the caller: cancelling ctx or stopping the
// iteration interrupts it. The sequence ends after turn.finished, after
// turn.waiting where the turn stopped at questions, or with an error when the
// turn could not begin.
//
// A message that answers the questions of a turn goes on with that turn.
func (a *Agent) Turn(ctx context.Context, req loci.TurnRequest) iter.Seq2[loci.Event, error] {
	return func(yield func(loci.Event, error) bool) {
		ctx, over := a.runs.begin(ctx, req.Principal.ID)
		defer over()
		t := a.newTurn(&req)
		t.yield = func(e loci.Event) bool { return yield(e, nil) }
		if err := t.run(ctx); err != nil && !t.left {
			yield(loci.Event{}, err)
		}
	}
}

func (a *Agent) newTurn(req *loci.TurnRequest) *turn {
	return &turn{
		agent:    a,
		req:      *req,
		id:       loci.NewID(loci.TurnPrefix),
		yield:    func(loci.Event) bool { return true },
		progress: progress{Began: a.cfg.Now()},
	}
}

// Start runs a turn that belongs to its session and returns as soon as it has
// begun, with the event that says so. It fails if the turn cannot begin.
func (a *Agent) Start(ctx context.Context, req loci.TurnRequest) (loci.Event, error) {
	type begun struct {
		event loci.Event
		err   error
	}
	first := make(chan begun, 1)
	request := ctx
	err := a.background(ctx, func(ctx context.Context) error {
		defer close(first)
		ctx, over := a.runs.begin(ctx, req.Principal.ID)
		defer over()
		// It outlives the request, but not the key that the request came with. Whoever
		// revokes one ends its requests first, then the turns that are counted in.
		if why := context.Cause(request); why != nil && loci.AsError(why).Code == loci.Unauthorized {
			first <- begun{err: why}
			return nil
		}
		told := false
		for e, err := range a.Turn(ctx, req) {
			if !told {
				first <- begun{e, err}
				told = true
			}
		}
		return nil
	})
	if err != nil {
		return loci.Event{}, err
	}
	b, told := <-first
	if !told {
		return loci.Event{}, errNotBegun
	}
	return b.event, b.err
}

var errNotBegun = errors.New("agent: the turn did not begin")

// Stop interrupts the turn that runs in a session of p, and ends the one that waits
// for an answer there, which may be the same.
func (a *Agent) Stop(ctx context.Context, p loci.Principal, session string) error {
	if _, err := a.cfg.Transcripts.Session(ctx, p.ID, session); err != nil {
		return err
	}
	a.lanes.stop(session)
	w, err := a.waiting(ctx, p, session)
	if err != nil || w == nil {
		return err
	}
	return a.abandon(ctx, p, *w, loci.ApprovalWithdrawn)
}

// Follow gives a session's events after the given number, first those that are
// stored, then those that happen, with deltas in between. It ends with ctx.
func (a *Agent) Follow(ctx context.Context, p loci.Principal, session string, after int64) iter.Seq2[loci.Event, error] {
	return func(yield func(loci.Event, error) bool) {
		// In this order a session that is deleted meanwhile is noticed either way.
		feed := a.feeds.join(session)
		defer a.feeds.leave(session)
		if _, err := a.cfg.Transcripts.Session(ctx, p.ID, session); err != nil {
			yield(loci.Event{}, err)
			return
		}
		a.feeds.follow(ctx, a.cfg.Log, feed, session, after, yield)
	}
}

// LastStep is a model call as it was made: the debug view.
type LastStep struct {
	Time    loci.Time    `json:"time"`
	Turn    string       `json:"turn"`
	Step    int          `json:"step"`
	Request loci.Request `json:"request"`
	// Sections are the parts of the system message, which is the first one, with their
	// sizes in bytes.
	Sections []loci.Span  `json:"sections"`
	Profile  loci.Profile `json:"profile"`
	// Estimate is what the prompt was estimated to take before it was sent, in tokens; 0
	// in the tiny tier, where it is always short.
	Estimate int           `json:"estimated_prompt_tokens,omitempty"`
	Receipt  *loci.Receipt `json:"receipt"` // nil while the call runs
	Reply    *loci.Message `json:"reply"`
	Session  loci.Session  `json:"session"`
}

// Debug gives the last model call of a session since the program started.
func (a *Agent) Debug(ctx context.Context, p loci.Principal, session string) (LastStep, error) {
	if _, err := a.cfg.Transcripts.Session(ctx, p.ID, session); err != nil {
		return LastStep{}, err
	}
	step, ok := a.steps.get(session)
	if !ok {
		return LastStep{}, loci.Errorf(loci.NotFound, "The model was not called in this session since loci started.")
	}
	return step, nil
}

// Close interrupts all turns, waits for those that belong to sessions, and ends
// every Follow when it has given what there is.
func (a *Agent) Close() {
	a.clock.stop()
	a.lanes.close()
	a.own.Wait()
	a.feeds.close()
}
