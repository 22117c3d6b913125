package app

import (
	"context"
	"os"
	"slices"
	"time"

	"loci/internal/config"
)

// inForce is the configuration as it was at the start, with the folders of this moment.
func (a *App) inForce() config.Config {
	c := a.opts.Config
	c.Folders = *a.folders.Load()
	return c
}

// watchFolders looks at the file of the configuration again and again until ctx ends, so
// that a folder which a person allows or closes is so for everybody soon. A file that
// cannot be read changes nothing.
func (a *App) watchFolders(ctx context.Context) {
	const often = time.Second
	tick := time.NewTicker(often)
	defer tick.Stop()
	var seen stamp // none: the file may have changed since it was read
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := stampOf(a.opts.Sources.File); now != seen {
			seen = now
			a.rereadFolders()
		}
	}
}

// stamp tells whether a file is still the one that was read.
type stamp struct {
	changed time.Time
	size    int64
}

// stampOf gives the zero stamp for a file that is not there.
func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size()}
}

// rereadFolders takes over the folders that the configuration has now.
func (a *App) rereadFolders() {
	c, _, err := config.Load(a.opts.Sources)
	if err != nil {
		a.opts.Logger.Warn("the folders stay as they were, for the configuration cannot be read", "error", err)
		return
	}
	if slices.Equal(c.Folders, *a.folders.Load()) {
		return
	}
	a.folders.Store(&c.Folders)
	a.opts.Logger.Info("other folders are open now", "folders", a.Folders())
	a.tellOthers()
}
