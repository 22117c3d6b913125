package agent

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/lang"
	"loci/internal/offer"
)

// turn is one question and what is done to answer it. It is used by one
// goroutine.
type turn struct {
	agent *Agent
	req   loci.TurnRequest
	id    string
	log   *slog.Logger
	spot  spot          // where the message belongs
	waits *loci.Waiting // what the turn waited for before it went on

	// Who listens.
	yield  func(loci.Event) bool
	cancel context.CancelFunc // ends the turn when the consumer has stopped listening
	left   bool               // it has
	feed   *feed

	branch
	kit
	progress
	reply
	err error
}

// branch is where a turn stands in its session's transcript, and what of it is
// still to be stored.
type branch struct {
	session   loci.Session
	isNew     bool
	anew      bool        // its prompt is written now
	dirty     bool        // the session itself has to be stored again
	begun     bool        // the person's message is in the path
	path      []loci.Node // from the session's base to here: what the model is sent
	estimate  int         // tokens of the prompt that was made last
	hidden    int         // questions of the path that are not sent
	told      bool        // the person was told that older results are sent in short
	full      bool        // the window is, and the person was told
	overlong  int         // prompts that the server found too long
	rebased   bool        // the path was cut and begins anew
	apart     int         // calls that were no part of the conversation
	condensed string      // the last node of which it was seen whether it is too long
	lastID    string      // node that the next one follows
	lastPath  [32]byte    // path hash of the last shown node
	pending   loci.Batch  // nodes and questions, to be stored with the next events
}

// kit is what a turn works with.
type kit struct {
	profile loci.Profile
	scope   loci.Scope
	specs   []loci.ToolSpec // all that may be called
	client  offer.Offer     // those of them that the client runs
	alone   error           // why there is no model in this turn; see manage
	unmet   bool            // nothing is known of the model at the moment
}

// reply is what a turn says.
type reply struct {
	notice    string          // to be said before the rest
	shown     strings.Builder // what the client sees
	reasoning strings.Builder
	spoken    int             // bytes shown before the current step
	drafted   time.Time       // when a draft was last stored
	replied   bool            // it is in the path
	handed    []loci.ToolCall // for the client to run
	last      []any           // payloads to be stored with the end of the turn
	changed   []string        // what was done with a yes since then, in words
	finish    loci.Finish
}

// progress is how far a turn has come: what it needs to go on, perhaps in another
// process (see waiting.go).
type progress struct {
	Began time.Time       `json:"began"`
	Step  int             `json:"step"`
	Calls []loci.ToolCall `json:"calls"` // of the step that just ended, to be run
	Next  int             `json:"next"`  // the one of them to run next
	// Prepared says that the calls are those that are asked about and run; Failed is
	// what is wrong with those that cannot be, by id.
	Prepared bool                       `json:"prepared,omitempty"`
	Failed   map[string]loci.ToolResult `json:"failed,omitempty"`
	Native   bool                       `json:"native,omitempty"`  // they came as native tool calls, not as text
	Outputs  []string                   `json:"outputs,omitempty"` // what came of those that were written as text
	Own      []int                      `json:"own,omitempty"`     // the places of those that are loci's own words
	Results  []loci.ToolResult          `json:"results,omitempty"` // of all calls of this turn
	Seen     map[string]int             `json:"seen,omitempty"`    // how often a call was made, by name and arguments
	Unknown  int                        `json:"unknown,omitempty"` // calls in a row of tools that do not exist
	Faults   []string                   `json:"faults,omitempty"`  // the kinds of fault that were corrected since the last right call
	Forced   string                     `json:"held,omitempty"`    // the tool whose call the server is to hold the next reply to
	Amiss    string                     `json:"amiss,omitempty"`   // what to tell the person when the calls have their results
	Receipt  loci.Receipt               `json:"receipt"`
}

// logger names the turn in each of its lines.
func (t *turn) logger() *slog.Logger {
	return t.agent.cfg.Logger.With("request", t.req.Request, "session", t.session.ID, "turn", t.id)
}

// phase does one part of a turn and names the next; nil ends it.
type phase func(t *turn, ctx context.Context) phase

// run goes through the phases. It returns an error only for a turn that could
// not begin; later ones are in the events.
//
//	place → begin ─┬→ ask → tools → ask … ┬→ end
//	               ├→ choose → tools → … ─┤   (tiny tier)
//	      → answer ┴→ tools → …           └→ park   (until the answer)
func (t *turn) run(ctx context.Context) error {
	ctx, leave, err := t.place(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return t.walk(ctx, t.start)
}

// walk goes through the phases from what start gives. The caller has the session's
// lane.
func (t *turn) walk(ctx context.Context, start func(context.Context) (phase, error)) error {
	ctx, t.cancel = context.WithCancel(ctx)
	defer t.cancel()
	t.feed = t.agent.feeds.join(t.session.ID)
	defer t.agent.feeds.leave(t.session.ID)
	next, err := start(ctx)
	if err != nil {
		return err
	}
	for next != nil {
		next = next(t, ctx)
	}
	return nil
}

// start is the first phase, by what the message is.
func (t *turn) start(ctx context.Context) (phase, error) {
	switch t.spot.standing {
	case answers:
		return t.answer(ctx)
	case late:
		return t.tell(ctx)
	case notNow, astray:
		if err := t.meet(ctx); err != nil { // what waits is not given up for a message that is not taken
			return nil, err
		}
		if err := t.giveUp(ctx); err != nil {
			return nil, err
		}
	}
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	if !t.foretell() {
		return (*turn).end, nil
	}
	return t.again(), nil
}

// again is the phase that makes the next step.
func (t *turn) again() phase {
	switch {
	case t.session.Tier != loci.TierTiny:
		return (*turn).ask
	case len(t.req.Results) > 0:
		return (*turn).relay
	}
	return (*turn).choose
}

// fail ends the turn with an error.
func (t *turn) fail(err error) phase {
	t.err = err
	return (*turn).end
}

// end stores the reply and how the turn went.
func (t *turn) end(ctx context.Context) phase {
	state := loci.TurnDone
	switch {
	case t.left || ctx.Err() != nil:
		state = loci.TurnInterrupted
	case t.err != nil:
		state = loci.TurnFailed
	}
	if state == loci.TurnFailed && t.shown.Len() == 0 { // the person has to know what was done all the same
		t.say(strings.Join(t.changed, "\n"), "")
	}
	t.giveOutputs() // of calls that were made before it came to this
	t.last = append(t.last, t.takeBack()...)
	fin := loci.TurnFinished{State: state, Finish: t.finish, Receipt: t.Receipt, Calls: t.handed}
	if state == loci.TurnFailed {
		fin.Error = loci.AsError(t.err)
	}
	if t.shown.Len() > 0 {
		if state != loci.TurnDone && !t.replied {
			t.replyWith(loci.Message{Role: loci.Assistant, Content: t.shown.String()})
		}
		t.last = append(t.last, loci.MessageData{
			Text: t.shown.String(), Reasoning: t.reasoning.String(), Incomplete: state != loci.TurnDone,
		})
	}
	if t.record(append(t.last, fin)...) && state == loci.TurnDone {
		t.agent.resting.keep(t)
	}
	if e := loci.AsError(t.err); e != nil && e.Code == loci.Internal && state == loci.TurnFailed {
		t.log.Error("turn failed", "stage", "turn", "error", t.err)
	}
	t.log.Info("turn finished", "stage", "turn", "state", state, "steps", t.Step, "calls", len(t.Results),
		"corrections", t.Receipt.Corrections, "nudges", t.Receipt.Nudges,
		"duration", time.Since(t.Began), "error", errorCode(t.err))
	return nil
}

// takeBack withdraws the questions whose calls did not come to run, whatever was
// agreed to.
func (t *turn) takeBack() []any {
	if t.waits == nil {
		return nil
	}
	return t.settle(t.waits.Undone(), loci.ApprovalWithdrawn)
}

// errorCode is what the log says of an error: its text may quote a file.
func errorCode(err error) string {
	if err == nil {
		return ""
	}
	return string(loci.AsError(err).Code)
}

var tooManySteps = lang.Words{
	EN: "I stopped after %d steps without coming to an end. Tools used so far: %s. Ask me to go on, or ask for a smaller part.",
	ZH: "我走了 %d 步还没有做完，就停下了。到目前为止用过的工具：%s。请让我继续，或者只问其中一部分。",
	CS: "Ani po %d krocích nejsem u konce, a tak končím. Dosud použité nástroje: %s. Řekněte, ať pokračuji, nebo se zeptejte na menší část.",
}

// exhausted ends a turn that used up its steps, saying so.
func (t *turn) exhausted() phase {
	var done []string
	for _, r := range t.Results {
		if name := r.Call.Name; !slices.Contains(done, name) {
			done = append(done, name)
		}
	}
	text := tooManySteps.In(t.scope.Lang, t.Step, strings.Join(done, ", "))
	if t.shown.Len() > 0 {
		text = "\n\n" + text
	}
	t.say(text, "")
	t.finish = loci.FinishStop
	t.replyWith(loci.Message{Role: loci.Assistant, Content: strings.TrimSpace(text)})
	return (*turn).end
}
