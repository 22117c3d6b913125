package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"loci"
	"loci/internal/sandbox"
	"loci/internal/tool"
	"loci/internal/undo"
)

// trash is the folder that keeps what was deleted and written over.
func (a *App) trash() string { return filepath.Join(a.opts.Paths.Data, "trash") }

// undoDesk takes changes back in the folders, and with the ledger, that tools have.
func (a *App) undoDesk(kit tool.Config) *undo.Desk {
	return undo.New(undo.Config{
		Journal: &sandbox.Journal{Dir: a.trash()},
		Open: func(ctx context.Context, p loci.Principal, session string) (*sandbox.Folders, error) {
			folders := a.settings.Folders(p)
			s, err := a.store.Session(ctx, p.ID, session)
			if err == nil { // it may be deleted, or somebody else's
				folders = slices.Concat(folders, s.Folders)
			} else if !loci.IsNotFound(err) {
				return nil, err
			}
			return sandbox.New(sandbox.Config{Folders: folders, Partial: true, Private: kit.Private, Rules: a.rules(p), Origins: a.origins, Reader: p})
		},
		Ledger: kit.Ledger, Now: kit.Now, Logger: a.opts.Logger,
	})
}

// purgeDaily purges a trash now and once a day, until the context ends.
func purgeDaily(ctx context.Context, trash string, origins *sandbox.Origins, now func() time.Time, report func(removed int, err error)) {
	day := time.NewTicker(24 * time.Hour)
	defer day.Stop()
	for {
		old, err := sandbox.Purge(trash, now())
		more, err2 := sandbox.Trim(trash, sandbox.MostOld)
		report(old+more, errors.Join(err, err2, origins.Sweep(ctx, trash, now())))
		select {
		case <-day.C:
		case <-ctx.Done():
			return
		}
	}
}

// purged tells the log what was removed from the trash for good.
func (a *App) purged(removed int, err error) {
	if err != nil {
		a.opts.Logger.Warn("the trash could not be purged", "path", a.trash(), "error", err)
	} else if removed > 0 {
		a.opts.Logger.Info("purged the trash", "removed", removed)
	}
}
