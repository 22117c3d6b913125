package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"loci"
	"loci/internal/config"
	"loci/internal/sandbox"
)

// inForce is the configuration as it was at the start, with the folders of this moment.
func (a *App) inForce() config.Config {
	c := a.opts.Config
	c.Folders = *a.folders.Load()
	return c
}

// watchFolders looks at the file of the configuration again and again until ctx ends, so
// that a folder which a person allows or closes is so for everybody soon. Only what two
// looks in a row agree on counts, for an editor may be in the middle of saving. A file
// that cannot be read changes nothing.
func (a *App) watchFolders(ctx context.Context) {
	const often = 400 * time.Millisecond
	tick := time.NewTicker(often)
	defer tick.Stop()
	w := watched{file: a.opts.Sources.File}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if w.settled() {
			a.rereadFolders(&w)
		}
	}
}

// watched is a file that is looked at again and again.
type watched struct {
	file   string
	before stamp  // at the look before
	looks  int    // at which it has been as it is
	read   stamp  // when it was read; none: the file may have changed since
	told   string // what is wrong with it, as it was logged
}

// settled tells that the file is not as it was read, and has been as it is for two looks.
// One that is empty or gone is most likely being saved, and has to be so for longer.
func (w *watched) settled() bool {
	now := stampOf(w.file)
	if now != w.before {
		w.before, w.looks = now, 0
	}
	w.looks++
	enough := 2
	if now.size == 0 {
		enough = 4
	}
	return w.looks >= enough && now != w.read
}

// stamp tells whether a file is still the one that was read.
type stamp struct {
	state   string // why it could not be looked at, or its mode
	changed time.Time
	size    int64
}

// stampOf looks at a file. The zero stamp is of none that was ever looked at.
func stampOf(path string) stamp {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return stamp{state: "gone"}
	case err != nil:
		return stamp{state: err.Error()}
	}
	return stamp{info.Mode().String(), info.ModTime(), info.Size()}
}

// rereadFolders takes over the folders that the configuration has now, unless it changes
// while it is read.
func (a *App) rereadFolders(w *watched) {
	c, _, err := config.Load(a.opts.Sources)
	if stampOf(w.file) != w.before {
		return
	}
	w.read = w.before
	if err != nil {
		if w.told != err.Error() {
			w.told = err.Error()
			a.opts.Logger.Warn("the folders stay as they were, for the configuration cannot be read", "error", err)
		}
		return
	}
	w.told = ""
	if slices.Equal(c.Folders, *a.folders.Load()) {
		return
	}
	a.folders.Store(&c.Folders)
	a.opts.Logger.Info("other folders are open now", "folders", a.Folders())
	a.tellOthers()
}

// MayLook tells whether the owner's models may look into a folder that the configuration
// opens. The error says what keeps them from it: it is loci's own, or closed by a rule.
func MayLook(ctx context.Context, o Options, folder string) error {
	f, err := sandbox.New(sandbox.Config{Folders: []string{folder}, Private: private(o.Paths), Rules: rules(o.Config, loci.Principal{Owner: true})})
	if err != nil {
		return err
	}
	_, err = f.Folder(ctx, folder)
	return errors.Join(err, f.Close())
}

// private are loci's own folders. Models must not read their own keys and the
// conversations of others.
func private(p config.Paths) []string {
	return []string{filepath.Dir(p.Config), p.Data, p.State, p.Cache}
}
