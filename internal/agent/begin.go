package agent

import (
	"cmp"
	"context"
	"slices"

	"loci"
	"loci/internal/offer"
	"loci/internal/prompt"
	"loci/internal/text"
	"loci/internal/toolcall"
	"loci/internal/transcript"
	"loci/internal/where"
)

const (
	titleLength  = 60   // characters of a session's first message that name it
	messageBytes = 4000 // bytes of a message in the timeline; the transcript has all of it
)

// begin adds the person's message and stores that the turn has started.
func (t *turn) begin(ctx context.Context) error {
	opened, err := t.ready(ctx)
	if err != nil {
		return err
	}
	t.taintImported()
	t.translate()
	switch {
	case len(t.req.Results) > 0:
		t.addResults()
	case t.session.Tier != loci.TierTiny:
		t.addUser(t.req.Message.Content + prompt.Tail(t.Began, t.moved(opened)))
	}
	return t.save(t.started())
}

func (t *turn) started() loci.TurnStarted {
	return loci.TurnStarted{Model: t.session.Model, Tier: t.session.Tier, Message: text.Clip(t.req.Message.Content, messageBytes)}
}

// ready finds out about the model, the folders and the tools of the turn, and
// freezes a new session's prompt. It gives the folders opened since.
func (t *turn) ready(ctx context.Context) (opened []string, err error) {
	if err := t.meet(ctx); err != nil {
		return nil, err
	}
	return t.equip(), nil
}

// meet finds out about the model.
func (t *turn) meet(ctx context.Context) (err error) {
	t.profile, err = t.agent.cfg.Model.Profile(ctx, cmp.Or(t.req.Model, t.session.Model))
	t.profile.Counting = t.agent.scales.believed(t.profile)
	return t.manage(err)
}

// equip is ready once the model is known.
func (t *turn) equip() (opened []string) {
	// A session stays with the model it began with.
	model := cmp.Or(t.req.Model, t.session.Model, t.profile.Model)
	opened = t.open()
	t.scope.Model = model
	t.anew = t.isNew || model != t.session.Model && t.profile.Tier != t.session.Tier
	t.offer(t.anew)
	switch {
	case t.isNew:
		t.freeze(model)
	case t.anew:
		t.session.Model, t.session.Tier, t.session.Markup = model, t.profile.Tier, t.profile.Markup
		t.system()
	default:
		t.session.Model = model // another model reads the same prompt
	}
	t.session.Updated, t.dirty = loci.Now(), true
	return opened
}

// open adds the folders that the request allows and gives the new ones.
func (t *turn) open() (opened []string) {
	settings := t.agent.cfg.Settings
	allowed := settings.Folders(t.req.Principal)
	if t.req.Principal.Owner {
		for _, f := range t.req.Folders {
			if !slices.Contains(allowed, f) && !slices.Contains(t.session.Folders, f) {
				opened = append(opened, f)
			}
		}
		t.session.Folders = append(t.session.Folders, opened...)
		if t.isNew {
			t.session.Working = t.req.Working
		}
	}
	t.scope = loci.Scope{
		Principal: t.req.Principal,
		Session:   t.session.ID,
		Turn:      t.id,
		Folders:   slices.Concat(allowed, t.session.Folders),
		Working:   cmp.Or(t.session.Working, settings.Working),
		Lang:      t.language(),
		Taint:     t.session.Taint,
		Said:      t.said(),
		Page:      t.page(),
	}
	if !slices.ContainsFunc(t.scope.Folders, func(f string) bool { return where.In(t.scope.Working, f) }) && len(t.scope.Folders) > 0 {
		t.scope.Working = t.scope.Folders[0]
	}
	return opened
}

// freeze makes the session's unchanging parts.
func (t *turn) freeze(model string) {
	t.session.Model = model
	t.session.Tier, t.session.Markup = t.profile.Tier, t.profile.Markup
	t.session.ClientSystem = t.req.System
	t.session.Title = text.Title(cmp.Or(t.wish(), t.req.Message.Content), titleLength)
	t.session.Created = loci.Time{Time: t.Began}
	t.system()
}

// system writes the session's system block.
func (t *turn) system() {
	f := t.facts(t.session.Tier)
	f.Tools, f.More = t.inFull(t.offered()), t.beyond()
	if !t.finds() {
		f.More = nil
	}
	if f.Tier == loci.TierText {
		offered := f.Tools
		if t.anew && len(t.client.Ours) > 0 { // in the words that fit
			offered = append(slices.Clip(t.client.Ours), t.session.ClientTools...)
		}
		f.Markup = toolcall.Describe(t.session.Markup, offered)
	}
	sections := t.sections(f)
	t.session.System, t.session.Layout = prompt.Join(sections), prompt.Layout(sections)
}

// facts is what the system block is made from, but for the tools.
func (t *turn) facts(tier loci.Tier) prompt.Facts {
	s := t.agent.cfg.Settings
	f := prompt.Facts{
		Now:     t.Began,
		Zone:    s.Zone,
		User:    t.user(),
		Purpose: s.Purpose,
		Folders: t.scope.Folders,
		Working: t.scope.Working,
		Tier:    tier,
		Finder:  offer.FindTool().Name,
		Brief:   offer.Small(t.profile.Window),
	}
	if !s.ReplaceClient {
		f.Client = cmp.Or(t.session.ClientSystem, t.req.System)
	}
	return f
}

func (t *turn) sections(f prompt.Facts) []prompt.Section {
	s := t.agent.cfg.Settings
	return prompt.System(f, prompt.ForFamily(s.Texts, s.FamilyTexts, t.profile.Family))
}

// inFull gives tools with all that is known about ours today: their effects, and the
// words of which a line of text takes its own part.
func (t *turn) inFull(tools []loci.ToolSpec) []loci.ToolSpec {
	full := slices.Clone(tools)
	for i, s := range full {
		if now, ok := t.spec(s.Name); ok {
			full[i] = now
		}
	}
	return full
}

// user is how to call the person. A name that a chat server forwards is not to
// be trusted more than a file.
func (t *turn) user() string {
	name := t.req.Principal.Name
	if name == "" && t.req.Principal.Owner {
		name = t.agent.cfg.Settings.User
	}
	return toolcall.Inert(name)
}

// moved is what the tail must say because it changed since the system block
// was written.
func (t *turn) moved(opened []string) prompt.Moved {
	m := prompt.Moved{Since: t.session.Created.Time}
	if t.isNew {
		return m
	}
	m.Opened = opened
	m.Tools = toolcall.Lines(t.added())
	if t.req.Resent && t.req.System != t.session.ClientSystem && !t.agent.cfg.Settings.ReplaceClient {
		t.session.ClientSystem = t.req.System
		m.Client = &t.req.System
	}
	return m
}

// addUser adds the person's message as a node: shown as they wrote it, sent as
// the model reads it.
func (t *turn) addUser(sent string) {
	t.begun = true
	sent = inertAdded(sent)
	m := t.req.Message
	m.Content = sent
	n := transcript.NewNode(t.session.ID, t.lastID, t.id, t.lastPath, t.req.Message.Content, m)
	t.fit(t.weighNode(sent, n.ID) + imageTokens*len(m.Images))
	t.add(n)
	t.rebase()
}

// rebase remembers where the path begins anew, if it was cut. The path has its
// next node by then.
func (t *turn) rebase() {
	if t.rebased {
		t.session.Base, t.dirty = t.path[0].ID, true
	}
}
