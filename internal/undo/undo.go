// Package undo takes back what was done to files, when a person asks for it. What
// there is to take back is in the journal of package sandbox; here it is decided who
// may see and take back what, and the taking back is written down like any other
// change: before it happens, and what came of it.
package undo

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"loci"
	"loci/internal/sandbox"
)

// Ledger writes down what is done: before it is done, and what came of it.
type Ledger interface {
	Intend(ctx context.Context, r loci.AuditRecord) (n int64, err error)
	Note(ctx context.Context, r loci.AuditRecord) error
}

// Config says what a Desk works with. Journal and Open are needed.
type Config struct {
	Journal *sandbox.Journal
	// Open opens the folders that a principal may change now, those included that
	// were allowed for a session; empty: for none.
	Open   func(ctx context.Context, p loci.Principal, session string) (*sandbox.Folders, error)
	Ledger Ledger           // nil: nothing is written down
	Now    func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: nothing is logged
}

// Desk is where people see what was changed, and have it taken back.
type Desk struct{ c Config }

// New makes a Desk.
func New(c Config) *Desk {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Desk{c}
}

// takes bounds how long a change is waited for.
const takes = time.Minute

// Changes lists at most limit changes, the newest first: all for the owner, their
// own for others. An empty session is all sessions.
func (d *Desk) Changes(_ context.Context, p loci.Principal, session string, limit int) ([]loci.Change, error) {
	return d.c.Journal.List(limit, func(c loci.Change) bool {
		return mine(p, c) && (session == "" || c.Session == session)
	})
}

// mine tells whether somebody may know of a change.
func mine(p loci.Principal, c loci.Change) bool {
	return p.Owner || p.ID != "" && c.Principal == p.ID
}

// Undo takes a change back and gives the change that this is. It is a conflict if
// that cannot be done any more; the error then says why.
func (d *Desk) Undo(ctx context.Context, p loci.Principal, id string) (loci.Change, error) {
	c, err := d.c.Journal.Change(id)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !mine(p, c) {
		return loci.Change{}, loci.Errorf(loci.NotFound, "There is no change %.60q.", id).
			WithHint("Changes are kept for 30 days; see which there are: loci undo --list")
	}
	if err != nil {
		return loci.Change{}, loci.Wrap(loci.Internal, err, "The note of this change cannot be read.")
	}
	files, err := d.c.Open(ctx, p, c.Session)
	if err != nil {
		return loci.Change{}, err
	}
	defer func() {
		if err := files.Close(); err != nil {
			d.c.Logger.WarnContext(ctx, "folders were not closed", "stage", "undo", "error", err)
		}
	}()
	now := d.c.Now()
	record, err := d.intent(p, c, now)
	if err != nil {
		return loci.Change{}, err
	}
	if d.c.Ledger != nil {
		if record.N, err = d.c.Ledger.Intend(ctx, record); err != nil {
			return loci.Change{}, loci.Wrap(loci.Internal, err, "It could not be written down in the audit log, so it was not done.").
				WithHint("The disk may be full; the log has the details.")
		}
	}
	// From here on it is done, or not, whoever still waits.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takes)
	defer cancel()
	done, err := d.c.Journal.Undo(ctx, files, id, sandbox.By{Principal: p.ID, Session: c.Session, Tool: "undo", Time: now})
	err = told(err)
	d.outcome(ctx, record, done, err)
	return done, err
}

// intent is what is written down before a change is taken back.
func (d *Desk) intent(p loci.Principal, c loci.Change, now time.Time) (loci.AuditRecord, error) {
	args, err := json.Marshal(map[string]string{"change": c.ID, "path": c.Path})
	return loci.AuditRecord{
		Time: loci.Time{Time: now}, Kind: loci.AuditIntent, Principal: p.ID, Session: c.Session,
		Tool: "undo", Effects: loci.EffectWrite, Arguments: args,
	}, err
}

// outcome writes down what came of it.
func (d *Desk) outcome(ctx context.Context, r loci.AuditRecord, done loci.Change, err error) {
	r.Kind, r.Intent, r.N, r.Time, r.State = loci.AuditOutcome, r.N, 0, loci.Time{Time: d.c.Now()}, loci.StateDone
	if err != nil {
		r.State, r.Result = loci.StateFailed, loci.AsError(err).Message
	}
	if errors.Is(err, context.DeadlineExceeded) { // it may be half done
		r.State = loci.StateUnknown
	}
	d.c.Logger.InfoContext(ctx, "undo", "stage", "undo", "change", done.Undoes, "as", done.ID, "session", r.Session, "failed", err != nil)
	if d.c.Ledger == nil {
		return
	}
	if err := d.c.Ledger.Note(ctx, r); err != nil {
		d.c.Logger.ErrorContext(ctx, "an outcome was not written down", "stage", "undo", "intent", r.Intent, "error", err)
	}
}

// told turns what the sandbox says to models into words for a person.
func told(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*loci.ToolError](err); ok {
		return loci.Wrap(loci.Conflict, err, "%s", e.Message).WithHint("%s", e.ForPerson)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return loci.Errorf(loci.NotFound, "The change is not kept any more.")
	}
	return err
}
