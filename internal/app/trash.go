package app

import (
	"context"
	"path/filepath"
	"time"

	"loci/internal/sandbox"
)

// trash is the folder that deleted files go to.
func (a *App) trash() string { return filepath.Join(a.opts.Paths.Data, "trash") }

// purgeDaily purges a trash now and once a day, until the context ends.
func purgeDaily(ctx context.Context, trash string, now func() time.Time, report func(removed int, err error)) {
	day := time.NewTicker(24 * time.Hour)
	defer day.Stop()
	for {
		report(sandbox.Purge(trash, now()))
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
