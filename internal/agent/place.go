package agent

import (
	"context"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/approval"
	"loci/internal/transcript"
)

// standing is what a message is to the questions of its session.
type standing int

const (
	unasked standing = iota // nothing waits, or it is no answer
	answers                 // it answers what waits
	notNow                  // it comes after a question and is about something else
	astray                  // it goes on from elsewhere, so what waits is withdrawn
	late                    // it answers what no longer waits, or not clearly
)

// spot is where a message belongs, and what it means there.
type spot struct {
	transcript.Place
	waiting  *loci.Waiting // the turn that waits in the session; nil: none
	standing standing
	verdict  approval.Verdict // answers: what the answer is
	span     loci.GrantSpan   // answers: for how long a yes is given
	by       string           // answers: who gives them in the place of whom was asked
	picked   []loci.Approval  // answers: to which questions
	words    string           // late: what to tell the person
}

// place finds the session and waits until no other turn runs in it.
func (t *turn) place(ctx context.Context) (_ context.Context, leave func(), err error) {
	lanes := &t.agent.lanes
	for {
		seen := lanes.turns()
		s, err := t.locate(ctx)
		if err != nil {
			return nil, nil, err
		}
		inLane, leave, err := lanes.enter(ctx, s.Session.ID)
		if err != nil {
			return nil, nil, err
		}
		session := s.Session.ID
		if lanes.turns() != seen { // one may have changed the transcript or its questions: look again
			s, err = t.locate(ctx)
		}
		if err == nil && s.Session.ID == session {
			t.take(s)
			return inLane, leave, nil
		}
		leave()
		if err != nil {
			return nil, nil, err
		}
	}
}

func (t *turn) take(s spot) {
	t.spot = s
	t.session, t.isNew = s.Session, s.New
	t.drafted = time.Now() // a reply that takes no longer than that needs no draft
	t.log = t.logger()
	t.path = slices.Concat(s.Path, s.Imported)
	t.pending.Nodes = s.Imported
	t.lastID, t.lastPath = s.Parent(), s.PathHash()
}

// locate finds where the message belongs. Nothing is changed yet.
func (t *turn) locate(ctx context.Context) (spot, error) {
	p, err := transcript.Locate(ctx, t.agent.cfg.Transcripts, t.req)
	if err != nil {
		return spot{}, err
	}
	s := spot{Place: p}
	if !p.New {
		if s.waiting, err = t.agent.waiting(ctx, t.req.Principal, p.Session.ID); err != nil {
			return spot{}, err
		}
	}
	a := approval.Read(t.req.Message.Content)
	if len(t.req.Message.Images) > 0 { // there is more to it than the word
		a = approval.Answer{}
	}
	if a.Verdict == approval.None && len(a.Codes) > 0 && s.atQuestion() {
		s.standing, s.words = late, approval.Remind(approval.Codes(s.waiting.Open()), t.language())
		return s, nil
	}
	if a.Verdict == approval.None {
		s.standing = s.other()
		return s, nil
	}
	return t.matchAnswer(ctx, s, a)
}

// atQuestion tells that the last thing the client shows is what waits.
func (s spot) atQuestion() bool {
	seen := s.Seen()
	return s.waiting != nil && seen != nil && seen.ID == s.waiting.Node
}

// other is how a message stands that answers nothing.
func (s spot) other() standing {
	switch {
	case s.waiting == nil:
		return unasked
	case s.atQuestion():
		return notNow
	}
	return astray
}

// matchAnswer finds what an answer is for. By itself a yes or no counts only right
// after the question; a code is good anywhere. What names no question of this
// person is a message like any other.
func (t *turn) matchAnswer(ctx context.Context, s spot, a approval.Answer) (spot, error) {
	if len(a.Codes) > 0 && !s.has(a.Codes) {
		return t.elsewhere(ctx, s, a)
	}
	if len(a.Codes) == 0 && !s.atQuestion() {
		return t.shownElsewhere(ctx, s, a)
	}
	s.standing, s.verdict, s.span = answers, a.Verdict, a.Span
	s.picked, s.words = approval.Match(a, s.waiting.Approvals, t.language())
	if s.words == "" && a.Verdict == approval.Yes && !t.req.Principal.May(loci.RightApprove) {
		s.words = approval.OnlyNo(approval.Codes(s.picked), t.language())
	}
	if s.words != "" {
		s.standing = late
	}
	return s, nil
}

// has tells whether the session's waiting turn has questions with all the codes.
func (s spot) has(codes []string) bool {
	return s.waiting != nil && len(approval.Coded(codes, s.waiting.Approvals)) == len(codes)
}

// elsewhere finds the question of another conversation that a code names.
func (t *turn) elsewhere(ctx context.Context, s spot, a approval.Answer) (spot, error) {
	q, err := t.agent.cfg.Approvals.ApprovalByCode(ctx, t.req.Principal.ID, a.Codes[0])
	if loci.IsNotFound(err) {
		if s.standing = s.other(); s.standing == notNow {
			s.standing, s.words = late, approval.Unknown(a.Codes[0], approval.Codes(s.waiting.Open()), t.language())
		}
		return s, nil
	}
	if err != nil {
		return spot{}, err
	}
	there, err := t.agent.spotOf(ctx, t.req.Principal, q.Session)
	switch {
	case err != nil && !loci.IsNotFound(err):
		return spot{}, err
	case err != nil || q.State != loci.ApprovalOpen || !there.has(a.Codes):
		s.standing, s.words = late, approval.Told(q, t.language())
		return s, nil
	}
	return t.matchAnswer(ctx, there, a)
}

// shownElsewhere finds the open question that a client shows last where it does
// not name the conversation and changed what came before. All of the question's
// text has to be the same: a code in it could be there by somebody's design.
func (t *turn) shownElsewhere(ctx context.Context, s spot, a approval.Answer) (spot, error) {
	if s.Seen() == nil || t.req.Session != "" {
		return t.tooLate(ctx, s)
	}
	open, err := t.agent.cfg.Approvals.Approvals(ctx, t.req.Principal.ID)
	if err != nil {
		return spot{}, err
	}
	for _, q := range open {
		there, err := t.agent.spotOf(ctx, t.req.Principal, q.Session)
		if err != nil && !loci.IsNotFound(err) {
			return spot{}, err
		}
		if err == nil && there.Session.Thread == t.req.Thread && there.Seen().TextHash == s.Seen().TextHash {
			return t.matchAnswer(ctx, there, a)
		}
	}
	return t.tooLate(ctx, s)
}

// tooLate is for a yes or no without a code that does not follow what waits.
// Where it follows a question that is over, the person has to know; otherwise it
// is just a word.
func (t *turn) tooLate(ctx context.Context, s spot) (spot, error) {
	s.standing = s.other()
	seen := s.Seen()
	if seen == nil || !seen.Unsent {
		return s, nil
	}
	asked, err := t.agent.cfg.Approvals.TurnApprovals(ctx, s.Session.ID, seen.Turn)
	for _, q := range slices.Backward(asked) {
		if strings.Contains(*seen.Shown, q.Code) { // a turn may ask again, and that is not shown here
			s.standing, s.words = late, approval.Told(q, t.language())
			break
		}
	}
	return s, err
}

// waiting is the turn that waits in a session, or nil.
func (a *Agent) waiting(ctx context.Context, p loci.Principal, session string) (*loci.Waiting, error) {
	w, err := a.cfg.Waits.Waiting(ctx, p.ID, session)
	if loci.IsNotFound(err) {
		return nil, nil
	}
	return &w, err
}

// spotOf is the place right after the question that waits in a session. It is a
// loci.NotFound error if none does.
func (a *Agent) spotOf(ctx context.Context, p loci.Principal, session string) (spot, error) {
	w, err := a.cfg.Waits.Waiting(ctx, p.ID, session)
	if err != nil {
		return spot{}, err
	}
	s := spot{waiting: &w}
	if s.Session, err = a.cfg.Transcripts.Session(ctx, p.ID, session); err != nil {
		return spot{}, err
	}
	s.Path, err = a.cfg.Transcripts.Path(ctx, p.ID, w.Node)
	return s, err
}
