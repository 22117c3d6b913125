package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
)

// allChanges is where the changes are listed, as many as there can be.
const allChanges = "/api/agent/changes?limit=10000"

var listChanges = listAt(allChanges)

// undo is the command that takes changes of files back.
func (c *command) undo() *cobra.Command {
	var yes, show, asJSON bool
	cmd := &cobra.Command{
		Use:   "undo [N | ID]",
		Short: "Take back what was done to your files: the last change, the last N, or one by its ID",
		Long: `Takes back what was done to your files: the last change, the last N changes, or one
by its ID. What changed since by other hands is left alone, and you are told. An
undo is a change too: its ID takes it back.`,
		Args: func(_ *cobra.Command, args []string) error {
			if n, err := strconv.Atoi(strings.Join(args, " ")); len(args) > 1 || len(args) == 1 && err == nil && n < 1 {
				return usageError{fmt.Errorf("how many changes? Give a number from 1, or one ID"), c.program() + " undo --list, which lists the changes with their IDs"}
			}
			return nil
		},
		ValidArgsFunction: c.candidates(listChanges),
		RunE: func(cmd *cobra.Command, args []string) error {
			if show {
				return c.changes(asJSON).RunE(cmd, nil)
			}
			if err := c.load(); err != nil {
				return err
			}
			which := "1"
			if len(args) > 0 {
				which = args[0]
			}
			return c.connected(cmd.Context(), app.Options{NoModels: true}, func(ctx context.Context, s server) error {
				return c.undoChanges(ctx, s, which, yes, asJSON)
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&show, "list", false, "list the changes, newest first, and take nothing back")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array: of what was done, or with --list of all changes")
	return cmd
}

// changes lists what was done to files.
func (c *command) changes(asJSON bool) *cobra.Command {
	cmd := c.list(list{
		fetch: listChanges, o: app.Options{NoModels: true},
		heading: []string{"ID", "TIME", "CHANGE", "STATE", "FILE"}, empty: "Nothing was changed in the last 30 days.",
		rows: func(data json.RawMessage) (rows [][]string, err error) {
			var changes []loci.Change
			err = json.Unmarshal(data, &changes)
			for _, ch := range changes {
				rows = append(rows, []string{plain(ch.ID), ch.Time.Local().Format("2006-01-02 15:04"), string(ch.Kind), standing(ch), file(ch)})
			}
			return rows, err
		},
	})
	if asJSON {
		_ = cmd.Flags().Set("json", "true") // it has that flag
	}
	return cmd
}

// standing says whether a change was taken back, or is itself the taking back of one.
func standing(ch loci.Change) string {
	switch {
	case ch.Undone == ch.ID:
		return "not in force"
	case ch.Undone != "":
		return "taken back"
	case ch.Redoes:
		return "done again"
	case ch.Undoes != "":
		return "undo"
	}
	return "in force"
}

// file names what was changed, with its own name first: the end of a line is cut.
func file(ch loci.Change) string {
	dir, name := filepath.Split(plain(ch.Path))
	switch to, as := filepath.Split(plain(ch.To)); {
	case ch.Kind != loci.ChangeMoved:
	case to == dir:
		name += " → " + as
	default:
		name += " → " + plain(ch.To)
	}
	return name + " in " + filepath.Clean(dir)
}

// deed says what a change did.
func deed(ch loci.Change) string {
	if ch.Kind == loci.ChangeMoved {
		return "moved " + plain(ch.Path) + " → " + plain(ch.To)
	}
	return string(ch.Kind) + " " + plain(ch.Path)
}

// proposal asks for the taking back of one change.
func proposal(ch loci.Change, now time.Time) string {
	at := clockTime(ch.Time.Time, now)
	switch ch.Kind {
	case loci.ChangeCreated:
		return fmt.Sprintf("Delete %s, which was created %s?", plain(ch.Path), at)
	case loci.ChangeMoved:
		return fmt.Sprintf("Move %s back to %s, as it was before %s?", plain(ch.To), plain(ch.Path), strings.TrimPrefix(at, "at "))
	case loci.ChangeDeleted:
		return fmt.Sprintf("Put %s back, which was deleted %s?", plain(ch.Path), at)
	}
	return fmt.Sprintf("Put %s back as it was before %s?", plain(ch.Path), strings.TrimPrefix(at, "at "))
}

// clockTime says when something was: the time of today, or else the day too.
func clockTime(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("at 15:04")
	}
	return at.Format("at 15:04 on 2006-01-02")
}

// outcome says what the taking back of a change did.
func outcome(ch loci.Change) string {
	switch ch.Kind {
	case loci.ChangeCreated:
		return plain(ch.Path) + " is back."
	case loci.ChangeMoved:
		return plain(ch.Path) + " is back at " + plain(ch.To) + "."
	case loci.ChangeDeleted:
		return plain(ch.Path) + " is in the trash."
	}
	return plain(ch.Path) + " is as it was before."
}

// undoChanges takes back one change by its id, or the last few, the newest first. It
// stops at the first that cannot be.
func (c *command) undoChanges(ctx context.Context, s server, which string, yes, asJSON bool) error {
	chosen, err := c.chosen(ctx, s, which)
	if err != nil {
		return err
	}
	if !yes && c.Terminal {
		if yes, err = c.agree(ctx, chosen); err != nil || !yes {
			return err
		}
	}
	done := []loci.Change{}
	for _, ch := range chosen {
		var undoing loci.Change
		if err = s.post(ctx, "/api/agent/changes/"+url.PathEscape(ch.ID)+"/undo", struct{}{}, &undoing); err != nil {
			break
		}
		if done = append(done, undoing); !asJSON {
			_, _ = fmt.Fprintln(c.Out, outcome(undoing))
		}
	}
	if asJSON {
		if err := json.NewEncoder(c.Out).Encode(done); err != nil {
			return err
		}
	}
	return err
}

// chosen are the changes that a person means.
func (c *command) chosen(ctx context.Context, s server, which string) ([]loci.Change, error) {
	var all []loci.Change
	if err := s.get(ctx, allChanges, &all); err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(which)
	byID := err != nil
	var chosen []loci.Change
	for _, ch := range all {
		if byID && ch.ID == which || !byID && ch.Stands() && len(chosen) < n {
			chosen = append(chosen, ch)
		}
	}
	switch {
	case len(chosen) == 0 && byID:
		return nil, loci.Errorf(loci.NotFound, "There is no change %.60q.", which).WithHint("See which there are: %s undo --list", c.program())
	case len(chosen) == 0:
		return nil, loci.Errorf(loci.NotFound, "There is nothing to take back.").WithHint("See what was done: %s undo --list", c.program())
	case !byID && len(chosen) < n:
		c.say("There are only %d.", len(chosen))
	}
	return chosen, nil
}

// agree asks whether changes are to be taken back; nothing but a yes is one.
func (c *command) agree(ctx context.Context, chosen []loci.Change) (bool, error) {
	question := proposal(chosen[0], time.Now())
	if len(chosen) > 1 {
		for _, ch := range chosen {
			c.say("  %s %s", deed(ch), clockTime(ch.Time.Time, time.Now()))
		}
		question = fmt.Sprintf("Take these %d changes back?", len(chosen))
	}
	c.fresh()
	line, err := c.prompt(ctx, question+" [y/N] ")
	if err != nil {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	c.say("Nothing was changed.")
	return false, nil
}
