package agent

import (
	"context"
	"strings"

	"loci"
	"loci/internal/toolcall"
	"loci/internal/transcript"
)

// choose is the step of the tiny tier: the runtime decides what to do, and the
// model at most phrases.
func (t *turn) choose(ctx context.Context) phase {
	if t.Step >= t.agent.cfg.Settings.MaxSteps {
		return t.exhausted()
	}
	t.Step++
	move, err := t.agent.cfg.Chooser.Next(ctx, t.situation())
	switch {
	case err != nil:
		return t.fail(err)
	case t.alone != nil && move.Call == nil && (move.Talk != nil || len(t.Results) == 0):
		return t.fail(t.alone)
	case move.Call != nil:
		t.Calls, t.Next, t.Native = t.identified([]loci.ToolCall{*move.Call}), 0, false
		return (*turn).tools
	case move.Talk != nil:
		return t.talk(ctx, *move.Talk)
	}
	t.finish = loci.FinishStop
	if !t.begun {
		t.addUser(t.req.Message.Content)
	}
	if t.alone != nil {
		move.Say = strings.TrimRight(move.Say, "\n") + "\n\n" + withoutModel.In(t.scope.Lang)
	}
	t.announce()
	t.say(move.Say, "")
	t.replyWith(loci.Message{Role: loci.Assistant, Content: move.Say})
	return (*turn).end
}

// situation is what the person wants, and what was done about it.
func (t *turn) situation() loci.Situation {
	own, added := ownWords(t.req.Message.Content)
	return loci.Situation{
		Text:    own,
		Added:   added != "",
		History: t.visible(),
		Results: t.Results,
		Tools:   t.choosable(),
		Demands: t.demands(),
		Folders: t.scope.Folders,
		User:    t.user(),
		Lang:    t.scope.Lang,
		Model:   t.session.Model,
		Params:  t.profile.Params,
		Speaks:  t.profile.Speaks,
		Now:     t.agent.cfg.Now(),
	}
}

// A tiny model left alone wanders: it is kept close to its likeliest words, and
// short.
const (
	talkTemperature = 0.2
	talkTokens      = 300
)

// talk lets the small model speak.
func (t *turn) talk(ctx context.Context, talk loci.Talk) phase {
	said := inertAdded(t.req.Message.Content)
	if talk.Instruction != "" {
		said = toolcall.Inert(talk.Instruction)
	}
	if t.begun { // the words stand before the question
		t.add(transcript.HiddenNode(t.session.ID, t.lastID, t.id, loci.Message{Role: loci.User, Content: said}))
	} else {
		t.addUser(said)
	}
	t.announce()
	t.speak(talk.Lead)
	req := t.request()
	if req.Options.Temperature == nil {
		req.Options.Temperature = new(talkTemperature)
	}
	if req.Options.MaxTokens == nil {
		req.Options.MaxTokens = new(talkTokens)
	}
	reader := toolcall.NewReader(nil) // of thoughts: nobody told this model of tools
	out, err := t.stream(ctx, req, reader)
	if err != nil {
		return t.fail(err)
	}
	rest, _, _ := reader.Close()
	t.say(rest, reader.Reasoning())
	if t.shown.Len() == 0 {
		t.speak(noAnswer.In(t.scope.Lang))
	}
	if out.finish == loci.FinishLength && t.req.Options.MaxTokens == nil {
		t.speak(" …") // it would wander on
	}
	if talk.Instruction == "" && len(t.Results) == 0 && claimsDeed(out.text, said) {
		t.speak("\n\n" + onlyTalked.In(t.scope.Lang))
	}
	t.replyWith(loci.Message{Role: loci.Assistant, Content: out.text})
	t.last = append(t.last, loci.StepFinished{Step: t.Step, Text: out.text, Finish: out.finish, Receipt: out.receipt})
	return (*turn).end
}

// visible is the conversation before this turn as the client shows it, without
// questions and their answers, and of the person only their own words.
func (t *turn) visible() []loci.Message {
	var shown []loci.Message
	for _, n := range t.path {
		if n.Shown != nil && !n.Unsent && n.Turn != t.id {
			said := *n.Shown
			if n.Sent.Role == loci.User {
				said, _ = ownWords(said)
			}
			shown = append(shown, loci.Message{Role: n.Sent.Role, Content: said})
		}
	}
	return shown
}
