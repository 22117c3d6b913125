package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"loci"
)

// errStopped ends the turn of a person who asked for that.
var errStopped = errors.New("the turn was stopped")

// talk has a person follow one turn: it shows what happens, and puts the turn's
// questions to them where they can answer.
type talk struct {
	c *command
	s server
	p *printer
	// interrupts ask for an end besides the context; nil: there are none.
	interrupts <-chan os.Signal
	// guest turns were begun by somebody else: leaving does not stop them.
	guest bool
	// quiet is the id of a question. What was before its answer is not shown again.
	quiet string
	named func(model string) // is told which model answers; nil: nobody is

	session string
	open    []loci.Approval // asked and not answered, in order
	waits   bool            // the turn has asked all that it asks at once
	denied  bool            // a question had another end than a yes
	put     map[string]bool // ids of those that are done with here; true: their answer is from here
	at      *asking         // the question that is put at the moment
}

// asking is a question that stands at the prompt.
type asking struct {
	loci.Approval
	again bool   // it was put already, and not answered clearly
	words string // at the end of which the person types
	typed chan typed
	leave context.CancelFunc
}

// typed is a line from the person.
type typed struct {
	line string
	err  error
}

func (c *command) newTalk(s server) *talk {
	return &talk{c: c, s: s, p: &printer{c: c, out: bufio.NewWriter(c.Out)}, put: map[string]bool{}}
}

// news is an event, or why there are no more.
type news struct {
	event loci.Event
	err   error
}

// run follows a turn to its end. Interrupted, it stops the turn, so that nothing
// of it goes on unseen, and gives ctx's error or errStopped.
func (t *talk) run(ctx context.Context, turn turn) error {
	following, leave := context.WithCancel(context.WithoutCancel(ctx))
	incoming := make(chan news)
	go func() {
		defer close(incoming)
		for e, err := range turn(following) {
			select {
			case incoming <- news{e, err}:
			case <-following.Done():
				return
			}
		}
	}()
	defer func() {
		t.withdraw()
		leave()
		for range incoming { // to its end
		}
	}()
	for {
		var answer chan typed
		if t.at != nil {
			answer = t.at.typed
		}
		select {
		case n, ok := <-incoming:
			if !ok {
				return t.p.out.Flush()
			}
			if err := t.event(ctx, n); err != nil {
				return err
			}
		case a := <-answer:
			if a.err != nil && !errors.Is(a.err, io.EOF) { // the terminal is gone
				t.at.leave()
				t.at = nil
				return t.stop(a.err, incoming)
			}
			if err := t.answered(ctx, a); err != nil {
				return err
			}
		case <-ctx.Done():
			return t.stop(ctx.Err(), incoming)
		case sig := <-t.interrupts:
			err := errStopped
			if sig != os.Interrupt {
				err = failed(loci.ExitInterrupted)
			}
			return t.stop(err, incoming)
		}
	}
}

// event takes what comes in.
func (t *talk) event(ctx context.Context, n news) error {
	e := n.event
	if n.err != nil {
		t.withdraw()
		t.p.newline()
		return errors.Join(t.p.out.Flush(), n.err)
	}
	t.session = e.Session
	var err error
	switch {
	case e.Type == loci.EventTurnStarted && t.named != nil:
		err = with(e, func(d loci.TurnStarted) error { t.named(d.Model); return nil })
	case e.Type == loci.EventApprovalAsked:
		err = with(e, t.asked)
	case e.Type == loci.EventApprovalAnswered:
		err = with(e, t.settled)
	case e.Type == loci.EventTurnWaiting && t.quiet == "":
		if t.waits = true; !t.c.Terminal {
			err = t.refer()
		}
	case t.quiet != "" && t.p.skip(e):
	default:
		err = t.show(e)
	}
	if err == nil {
		t.next()
	}
	return errors.Join(t.p.out.Flush(), err)
}

// show shows an event. A question that stands at the prompt stays below it, as
// long as the turn goes on.
func (t *talk) show(e loci.Event) error {
	if e.Type == loci.EventTurnFinished {
		t.withdraw()
	}
	if t.at == nil || e.Type == loci.EventStepFinished || e.Type == loci.EventToolFinished { // these show nothing
		return t.p.event(e)
	}
	t.clear()
	err := t.p.event(e)
	t.p.newline()
	err = errors.Join(err, t.p.out.Flush())
	fmt.Fprint(t.c.Err, t.at.words)
	return err
}

// asked takes a question.
func (t *talk) asked(a loci.Approval) error {
	if t.quiet == "" { // otherwise those that are still open are known
		t.open, t.waits = append(t.open, a), false
	}
	return nil
}

// refer tells how the open questions can be answered, and ends the command.
func (t *talk) refer() error {
	t.p.newline()
	if err := t.p.out.Flush(); err != nil {
		return err
	}
	for _, a := range t.open {
		fmt.Fprintf(t.c.Err, "%s%s\n", question(a, false), t.c.how(a))
	}
	return failed(loci.ExitDenied)
}

// settled takes the news that a question was answered, here or elsewhere.
func (t *talk) settled(d loci.ApprovalAnswered) error {
	if t.quiet == d.ID {
		t.quiet = ""
	}
	if t.at != nil && t.at.ID == d.ID {
		t.withdraw()
	}
	known := slices.ContainsFunc(t.open, func(a loci.Approval) bool { return a.ID == d.ID })
	t.open = slices.DeleteFunc(t.open, func(a loci.Approval) bool { return a.ID == d.ID })
	t.denied = t.denied || known && d.Answer != loci.ApprovalYes
	if !known || t.put[d.ID] {
		return nil
	}
	switch d.Answer {
	case loci.ApprovalYes, loci.ApprovalNo:
		return t.p.aside(fmt.Sprintf("answered elsewhere: %s", d.Answer))
	case loci.ApprovalExpired:
		return t.p.aside("nobody answered in time, so it was not done")
	}
	return t.p.aside("the question was withdrawn")
}

// next puts the first open question, unless one stands already.
func (t *talk) next() {
	i := slices.IndexFunc(t.open, func(a loci.Approval) bool { _, done := t.put[a.ID]; return !done })
	if t.at != nil || t.quiet != "" || !t.waits || i < 0 {
		return
	}
	t.p.newline()
	_ = t.p.out.Flush() // the next write reports
	a := t.open[i]
	fmt.Fprintf(t.c.Err, "\n%s\n", question(a, t.c.Colour))
	t.c.fresh()
	t.at = &asking{Approval: a}
	t.prompt("Allow this? [y] yes, [N] no: ")
}

// prompt waits for a line from the person while the events go on.
func (t *talk) prompt(words string) {
	t.at.words = words
	fmt.Fprint(t.c.Err, words)
	ctx, leave := context.WithCancel(context.Background())
	lines := make(chan typed, 1)
	t.at.typed, t.at.leave = lines, leave
	go func() {
		line, err := t.c.in.line(ctx)
		lines <- typed{line, err}
	}()
}

// withdraw takes the question away that stands at the prompt.
func (t *talk) withdraw() {
	if t.at == nil {
		return
	}
	t.at.leave()
	<-t.at.typed
	t.at = nil
	t.clear()
}

// clear makes room where a question stood at the prompt.
func (t *talk) clear() {
	if t.c.Dumb {
		fmt.Fprintln(t.c.Err)
	} else {
		fmt.Fprint(t.c.Err, "\r\x1b[K")
	}
}

// answered takes the line that was typed at the question, and sends the answer.
func (t *talk) answered(ctx context.Context, a typed) error {
	q := t.at
	q.leave()
	if !strings.HasSuffix(a.line, "\n") {
		fmt.Fprintln(t.c.Err) // nobody pressed Enter
	}
	yes, span, clear := agreed(a.line, q.Approval)
	switch {
	case clear || a.err != nil:
	case !q.again:
		q.again = true
		t.prompt("Please answer y or n: ")
		return nil
	default:
		t.c.say("No, then.")
	}
	t.at = nil
	_, err := t.s.answer(ctx, q.Approval, yes, span)
	if e := loci.AsError(err); e != nil && e.Code != loci.Conflict && e.Code != loci.NotFound {
		return err
	}
	t.put[q.ID] = err == nil // or somebody was faster, and the events tell what they said
	t.next()
	return nil
}

// approvals gives the open questions.
func (s server) approvals(ctx context.Context) (open []loci.Approval, err error) {
	return open, s.get(ctx, "/api/agent/approvals", &open)
}

// answer answers a question, and gives it as it is then. A yes is for a span; empty:
// once.
func (s server) answer(ctx context.Context, a loci.Approval, yes bool, span loci.GrantSpan) (now loci.Approval, err error) {
	body := map[string]any{"answer": loci.ApprovalNo}
	if yes {
		body["answer"] = loci.ApprovalYes
		if span != "" {
			body["grant"] = span
		}
	}
	return now, s.post(ctx, "/api/agent/approvals/"+url.PathEscape(a.ID), body, &now)
}

// stopping is how long a turn that is stopped may take to end.
const stopping = 3 * time.Second

// stop stops the turn and waits a moment for its end. A second interrupt does
// not wait.
func (t *talk) stop(why error, incoming <-chan news) error {
	t.withdraw()
	t.p.newline()
	unseen := t.p.out.Flush() // which is no reason to leave a question behind
	if t.guest || t.session == "" {
		return errors.Join(unseen, why)
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopping)
	defer cancel()
	if err := t.s.post(ctx, sessionPath(t.session)+"/stop", nil, nil); err != nil {
		return why // it is told to end anyway, and the person has left
	}
	for {
		select {
		case n, ok := <-incoming:
			if !ok || n.err != nil || n.event.Type == loci.EventTurnFinished {
				return why
			}
		case <-t.interrupts:
			return failed(loci.ExitInterrupted)
		case <-ctx.Done():
			return why
		}
	}
}
