package app

import (
	"context"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"loci"
	"loci/internal/config"
)

// A folder that is written into the configuration, or taken from it, counts without a
// new start; what cannot be read changes nothing.
func TestFoldersFollowTheFile(t *testing.T) {
	o := options(t, nowhere)
	if err := o.Paths.Make(); err != nil {
		t.Fatal(err)
	}
	flagged, added := t.TempDir(), t.TempDir()
	o.Sources = config.Sources{File: o.Paths.Config, Env: o.Getenv, Flags: map[string][]string{"folders": {flagged}, "backends": {nowhere}, "listen": {"127.0.0.1:0"}}}
	var err error
	if o.Config, _, err = config.Load(o.Sources); err != nil {
		t.Fatal(err)
	}
	a := build(t, o)
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		go a.watchFolders(ctx)
		holds := func(what string, want ...string) {
			t.Helper()
			<-time.After(2 * time.Second)
			synctest.Wait()
			run, _, err := config.ReadRun(o.Paths)
			if err != nil || !slices.Equal(a.Folders(), want) || !slices.Equal(a.settings.Folders(loci.Principal{Owner: true}), want) || !slices.Equal(run.Folders, want) {
				t.Errorf("%s: %q, others are told %q, want %q (%v)", what, a.Folders(), run.Folders, want, err)
			}
		}
		write := func(text string) {
			t.Helper()
			if err := os.WriteFile(o.Paths.Config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		holds("at first", flagged)
		if err := config.AddFolder(o.Sources, added); err != nil {
			t.Fatal(err)
		}
		holds("allowed", flagged, added)
		write("folders: [")
		holds("half written", flagged, added)
		write("folders:\n  - {path: " + added + ", access: never}\nmax_steps: 3\n")
		holds("closed", flagged)
		if rules := a.rules(loci.Principal{Owner: true}); len(rules) != 2 || rules[1].Path != added || rules[1].Access != "never" {
			t.Errorf("the rules are %+v", rules)
		}
		if a.inForce().MaxSteps != o.Config.MaxSteps {
			t.Error("another setting has changed")
		}
		if err := os.Remove(o.Paths.Config); err != nil {
			t.Fatal(err)
		}
		holds("without the file", flagged)
	})
}
