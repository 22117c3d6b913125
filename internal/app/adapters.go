package app

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"loci"
	"loci/internal/agent"
	"loci/internal/api"
	"loci/internal/gate"
	"loci/internal/intent"
	"loci/internal/keyring"
	"loci/internal/model"
	"loci/internal/redact"
	"loci/internal/sandbox"
	"loci/internal/store"
	"loci/internal/tool"
	"loci/internal/toolkit"
	"loci/internal/transcript"
	"loci/internal/undo"
)

// Which part stands behind which interface: every arrow that goes up.
var (
	_ agent.Model   = models{}
	_ agent.Tools   = (*tool.Set)(nil)
	_ agent.Chooser = (*intent.Router)(nil)
	_ agent.Teller  = (*intent.Router)(nil)
	_ agent.Judge   = (*model.Hub)(nil)

	_ agent.Log           = (*store.DB)(nil)
	_ agent.Approvals     = (*store.DB)(nil)
	_ agent.Waits         = (*store.DB)(nil)
	_ transcript.Sessions = (*store.DB)(nil)
	_ transcript.Nodes    = (*store.DB)(nil)

	_ gate.Grants = (*store.DB)(nil)
	_ tool.Ledger = (*store.DB)(nil)
	_ undo.Ledger = (*store.DB)(nil)

	_ sandbox.OriginStore = (*store.DB)(nil)

	_ api.Audit = (*store.DB)(nil)

	_ model.ProfileStore = (*store.DB)(nil)
	_ intent.Embedder    = embedder{}
	_ intent.Keeper      = (*store.DB)(nil)
	_ intent.Chooser     = (*model.Hub)(nil)
	_ intent.Writer      = (*model.Hub)(nil)
	_ toolkit.Writer     = writer{}

	_ api.Engine    = (*agent.Agent)(nil)
	_ api.Sessions  = (*agent.Agent)(nil)
	_ api.Aside     = (*agent.Agent)(nil)
	_ api.Library   = desk{}
	_ api.Editor    = desk{}
	_ api.Questions = desk{}
	_ api.Inspector = desk{}
	_ api.Changes   = (*undo.Desk)(nil)
	_ api.Inspector = masked{}
	_ api.Models    = (*model.Hub)(nil)
	_ api.Prober    = (*model.Hub)(nil)
	_ api.Backends  = backends{}
	_ api.Keyring   = (*keyring.Ring)(nil)
	_ api.KeyEditor = keyDesk{}

	_ keyring.Store = (*store.DB)(nil)
)

// models is the hub with better words for what became of loci's own model: to
// start a server by hand, as others advise, would not help.
type models struct {
	*model.Hub
	lost *atomic.Pointer[loci.Error]
}

// Chat streams one reply.
func (m models) Chat(ctx context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	return func(yield func(loci.Chunk, error) bool) {
		for chunk, err := range m.Hub.Chat(ctx, req) {
			if !yield(chunk, m.explain(err)) {
				return
			}
		}
	}
}

// Profile tells how a model can be used.
func (m models) Profile(ctx context.Context, name string) (loci.Profile, error) {
	p, err := m.Hub.Profile(ctx, name)
	return p, m.explain(err)
}

func (m models) explain(err error) error {
	if lost := m.lost.Load(); err != nil && lost != nil && loci.AsError(err).Code == loci.Unreachable {
		return lost
	}
	return err
}

// embedder embeds with whatever embedding model there is.
type embedder struct{ hub *model.Hub }

// Embed gives one vector for each text, and what made them.
func (e embedder) Embed(ctx context.Context, texts []string) (vectors [][]float32, model string, err error) {
	return e.hub.Vectors(ctx, texts)
}

// writer is the hub for tools that ask a model themselves. Like results of tools, what it
// is asked holds no known secret; a text with a part left out could not be changed.
type writer struct {
	*model.Hub
	known redact.Known
}

// Write gives the answer of a model to one question.
func (w writer) Write(ctx context.Context, model, system, question string, form json.RawMessage) (string, error) {
	if w.known.Text(question) != question {
		return "", loci.Errorf(loci.Refused, "There is a secret in it that no model is shown.").WithHint("Give old_text and new_text, without the secret in them.")
	}
	return w.Hub.Write(ctx, model, system, question, form)
}

// backends is the way around the agent.
type backends struct{ *model.Hub }

// Route finds the backend of a model.
func (b backends) Route(ctx context.Context, name string) (api.Route, error) {
	t, err := b.Resolve(ctx, name)
	if err != nil {
		return api.Route{Model: loci.ModelInfo{Passthrough: b.Bare(name)}}, err
	}
	return api.Route{Dialect: t.Server.Backend().Dialect, Model: t.Model, Forward: b.Forward(t)}, nil
}

// auditMask masks what is, or looks like, a secret in a record of the audit log.
func auditMask(hide *redact.Redactor) func(loci.AuditRecord) loci.AuditRecord {
	return func(r loci.AuditRecord) loci.AuditRecord {
		r.Arguments, r.Result = hide.JSON(r.Arguments), hide.Text(r.Result)
		return r
	}
}

// keyDesk makes and takes back keys, and ends what a revoked one has begun.
type keyDesk struct {
	*keyring.Ring
	agent *agent.Agent
}

// Revoke makes a key invalid, stops the turns of all who came with it, and withdraws
// their questions: a turn would otherwise go on by itself. It does so also where the
// disk did not take the end of the key, since that holds for as long as loci runs.
func (d keyDesk) Revoke(ctx context.Context, by loci.Principal, name string) (loci.Key, error) {
	k, err := d.Ring.Revoke(ctx, by, name)
	if k.ID == "" { // there is none
		return k, err
	}
	return k, errors.Join(err, d.agent.StopAll(context.WithoutCancel(ctx), k.Speaks)) // a key can revoke itself
}

// desk is a principal's view of their sessions.
type desk struct {
	store *store.DB
	agent *agent.Agent
	tools *tool.Set
	// folders gives what a principal may look into.
	folders func(loci.Principal) []string
	// forget has the model forget what it has read last.
	forget func(context.Context)
}

// listed is how many sessions a list has at most.
const listed = 500

// Sessions lists the newest sessions first.
func (d desk) Sessions(ctx context.Context, p loci.Principal) ([]loci.Session, error) {
	return d.store.Sessions(ctx, p.ID, loci.Time{}, listed)
}

// Session gives one of the principal's sessions.
func (d desk) Session(ctx context.Context, p loci.Principal, id string) (loci.Session, error) {
	return d.store.Session(ctx, p.ID, id)
}

// Rename gives a session a title.
func (d desk) Rename(ctx context.Context, p loci.Principal, id, title string) (loci.Session, error) {
	if err := d.store.RenameSession(ctx, p.ID, id, title); err != nil {
		return loci.Session{}, err
	}
	return d.store.Session(ctx, p.ID, id)
}

// Delete removes a session for good, after stopping what runs in it.
func (d desk) Delete(ctx context.Context, p loci.Principal, id string) error {
	err := d.agent.Delete(ctx, p, id)
	if err == nil {
		d.forget(ctx)
	}
	return err
}

// Fork copies a session up to a turn.
func (d desk) Fork(ctx context.Context, p loci.Principal, id, turn string) (loci.Session, error) {
	return d.agent.Fork(ctx, p, id, turn)
}

// Approvals lists the principal's open questions. Who oversees the keys also sees those
// that were asked of a key: it may lack the right to answer them.
func (d desk) Approvals(ctx context.Context, p loci.Principal) ([]loci.Approval, error) {
	own, err := d.store.Approvals(ctx, p.ID)
	if err != nil || !oversees(p) {
		return own, err
	}
	all, err := d.store.AllWaiting(ctx)
	for _, w := range all {
		for _, a := range w.Open() {
			if ofKey(a, p) {
				a.Asker = a.Principal
				own = append(own, a)
			}
		}
	}
	slices.SortStableFunc(own, func(a, b loci.Approval) int { return a.Asked.Compare(b.Asked.Time) })
	return own, err
}

// keyPrefix is how the names of the principals of keys that were made begin.
const keyPrefix = "key:"

// oversees tells whether somebody answers for the keys that were made.
func oversees(p loci.Principal) bool { return p.May(loci.RightAdmin) && p.May(loci.RightApprove) }

// ofKey tells whether a question was asked of a key that is not p's own.
func ofKey(a loci.Approval, p loci.Principal) bool {
	return strings.HasPrefix(a.Principal, keyPrefix) && a.Principal != p.ID
}

// Answer settles one of the principal's questions, or one of those that they oversee.
func (d desk) Answer(ctx context.Context, p loci.Principal, id string, yes bool, span loci.GrantSpan) (loci.Approval, error) {
	a, err := d.agent.Answer(ctx, p, id, yes, span)
	if !loci.IsNotFound(err) || !oversees(p) {
		return a, err
	}
	all, listed := d.store.AllWaiting(ctx)
	if listed != nil {
		return a, listed
	}
	for _, w := range all {
		for _, q := range w.Approvals {
			if q.ID == id && ofKey(q, p) {
				// In its place, with the one right that this takes; the turn goes on with its own.
				return d.agent.Answer(ctx, loci.Principal{ID: q.Principal, Rights: []loci.Right{loci.RightApprove}, By: p.ID}, id, yes, span)
			}
		}
	}
	return a, err
}

// Grants lists the principal's yeses that hold on, and to who oversees them also those
// of keys: they may lack the right to take them back.
func (d desk) Grants(ctx context.Context, p loci.Principal) ([]loci.Grant, error) {
	others := ""
	if oversees(p) {
		others = keyPrefix
	}
	all, err := d.store.Grants(ctx, p.ID, others)
	for i, g := range all {
		if g.Principal != p.ID {
			all[i].Asker = g.Principal
		}
	}
	return all, err
}

// Revoke takes one of those back.
func (d desk) Revoke(ctx context.Context, p loci.Principal, id string) error {
	all, err := d.Grants(ctx, p)
	if err != nil {
		return err
	}
	whose, by := p.ID, ""
	if i := slices.IndexFunc(all, func(g loci.Grant) bool { return g.ID == id && g.Asker != "" }); i >= 0 {
		whose, by = all[i].Principal, p.ID
	}
	return d.store.RevokeGrant(ctx, whose, id, by)
}

// Tools lists what the principal may use.
func (d desk) Tools(_ context.Context, p loci.Principal) ([]loci.ToolSpec, error) {
	return d.tools.Specs(loci.Scope{Principal: p, Folders: d.folders(p)}), nil
}

// masked hides secrets in the debug view, whoever said them.
type masked struct {
	api.Inspector
	hide *redact.Redactor
}

// Debug gives the last model call of a session.
func (m masked) Debug(ctx context.Context, p loci.Principal, session string) (any, error) {
	view, err := m.Inspector.Debug(ctx, p, session)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(view)
	return m.hide.Known().JSON(raw), err
}

// Debug gives the last model call of a session.
func (d desk) Debug(ctx context.Context, p loci.Principal, session string) (any, error) {
	return d.agent.Debug(ctx, p, session)
}
