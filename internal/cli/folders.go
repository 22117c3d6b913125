package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
	"loci/internal/config"
	"loci/internal/where"
)

// here gives the folders that a question may look into, and the one that
// relative paths start in: where the person is, if that may be read. Unless it
// may already, they are asked, where that is allowed.
//
// All are sent to the server, also those of the configuration: the loci that
// runs may be older than a line there.
func (c *command) here(ctx context.Context, ask bool) (folders []string, working string, err error) {
	var named []string // by flags: they come first
	for i, f := range c.conf.Folders {
		if f.Closed() {
			continue
		}
		if folders = append(folders, f.Path); i < len(c.flags["folders"]) {
			named = folders
		}
	}
	starts := folders
	if len(named) > 0 {
		starts, ask = named, false // they have said which
	}
	switch {
	case c.Folder == "":
		return folders, c.conf.WorkingFolder, nil
	case anyHolds(starts, c.Folder):
		return folders, c.Folder, nil
	case !ask || !c.Terminal || c.refused(c.Folder):
		if len(folders) > 0 && len(named) == 0 {
			c.say("loci: %s is not open, so it looks in %s. To open this folder: %s allow .", c.Folder, cmp.Or(c.conf.WorkingFolder, folders[0]), c.program())
		}
		return folders, c.conf.WorkingFolder, nil
	}
	yes, err := c.mayLook(ctx, c.Folder)
	if err != nil || !yes {
		if err == nil && len(folders) > 0 {
			c.say("It looks in %s instead.", cmp.Or(c.conf.WorkingFolder, folders[0]))
		}
		return folders, c.conf.WorkingFolder, err
	}
	return append(folders, c.Folder), c.Folder, nil
}

// allow is the command that opens folders for good.
func (c *command) allow() *cobra.Command {
	return &cobra.Command{
		Use:   "allow FOLDER...",
		Short: "Let models look into a folder from now on",
		Long: `Let models look into folders, and what is in them, from now on: loci adds them to
the configuration. To close one again, take it out there (loci config path).`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("which folder?"), c.program() + " allow FOLDER, or a dot for the one where you are"}
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.load(); err != nil {
				return err
			}
			for _, path := range args {
				full, ok := config.Expand(path, c.Folder, c.Getenv)
				if !ok || path == "" || !isFolder(full) {
					return noFolder(path)
				}
				c.warnWide(full)
				if err := c.allowAlways(cmd.Context(), full); err != nil {
					return err
				}
				c.say("Models may look into %s from now on.%s", full, c.reach())
			}
			if c.Getenv("LOCI_ALLOW") != "" {
				c.say("But LOCI_ALLOW is set, and where it is, its folders count and not those.")
			}
			return nil
		},
	}
}

// mayLook asks whether the model may look into a folder, and keeps the answer.
func (c *command) mayLook(ctx context.Context, folder string) (bool, error) {
	c.warnWide(folder)
	c.fresh()
	question := fmt.Sprintf("May the model look into %s? [y] this time, [a] always, [N] no: ", folder)
	for range 2 {
		answer, err := c.prompt(ctx, question)
		if err != nil || answer == "" {
			return false, err // at the end of the input, ask again next time
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return true, nil
		case "a", "always":
			return c.always(ctx, folder), nil
		case "", "n", "no":
			c.refuse(folder)
			return false, nil
		}
		question = "Please answer y, a or n: "
	}
	return false, nil
}

// always allows a folder from now on, and says what that does not reach. It is false
// where the folder stays closed.
func (c *command) always(ctx context.Context, folder string) bool {
	if err := c.allowAlways(ctx, folder); err != nil {
		c.say("%s", loci.AsError(err))
		return loci.AsError(err).Code != loci.Forbidden // otherwise this time
	}
	c.say("It may look there from now on.%s", c.reach())
	return true
}

// staysClosed is the error for a folder that nobody could look into if it were allowed:
// it is loci's own, or the configuration closes it.
func (c *command) staysClosed(ctx context.Context, folder string) error {
	closed := func(conf config.Config) bool {
		_, ok := errors.AsType[*loci.ToolError](app.MayLook(ctx, app.Options{Config: conf, Paths: c.paths}, folder))
		return ok
	}
	e := loci.Errorf(loci.Forbidden, "Models may still not look into %s: nothing was changed.", folder)
	if closed(config.Config{}) {
		return e.WithHint("It belongs to loci itself, with its keys and conversations, and stays closed.")
	}
	conf, _, err := config.Load(config.Sources{File: c.paths.Config, Env: c.withoutAllow})
	if err != nil {
		return err
	}
	conf.Folders = append(conf.Folders, config.Folder{Path: folder})
	if closed(conf) {
		return e.WithHint("A line with \"access: never\" closes it. To open it, take that line out of folders in %s.", c.paths.Config)
	}
	return nil
}

// withoutAllow is Getenv for who asks what the file itself says.
func (c *command) withoutAllow(name string) string {
	if name == "LOCI_ALLOW" {
		return ""
	}
	return c.Getenv(name)
}

// reach says whom a folder that was just allowed is open to, where that is not plain.
func (c *command) reach() string {
	run, running, err := config.ReadRun(c.paths)
	switch {
	case err != nil || !running:
		return ""
	case run.Config == c.paths.Config:
		return " So may chat clients, in new chats."
	}
	return " Chat clients may once loci is started again."
}

// anyHolds tells whether a folder is one of those allowed or inside it. It only
// decides whether to ask; what may be read is the server's decision.
func anyHolds(allowed []string, folder string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool { return where.In(folder, a) })
}

// warnWide says it when a folder is the home folder or has it inside.
func (c *command) warnWide(folder string) {
	home, ok := config.Expand("~", "", c.Getenv)
	switch {
	case !ok:
	case folder == home:
		c.say("%s is your home folder: that includes hidden files such as keys.", folder)
	case anyHolds([]string{folder}, home):
		c.say("%s has your home folder in it: that includes hidden files such as keys.", folder)
	}
}

// refusalHolds is how long a no to the question for a folder is remembered.
const refusalHolds = 24 * time.Hour

// refusals is the file of the folders that the person said no to, and when.
func (c *command) refusals() string { return filepath.Join(c.paths.State, "refused-folders.json") }

// refused tells whether the person said no to a folder not long ago.
func (c *command) refused(folder string) bool {
	at, ok := c.readRefusals()[folder]
	return ok && time.Since(at) < refusalHolds
}

// readRefusals gives nothing for a file that cannot be read: to ask once more
// does no harm.
func (c *command) readRefusals() map[string]time.Time {
	refused := map[string]time.Time{}
	text, err := os.ReadFile(c.refusals())
	if err != nil || json.Unmarshal(text, &refused) != nil || refused == nil {
		return map[string]time.Time{}
	}
	return refused
}

// refuse remembers a no, and says how to change it.
func (c *command) refuse(folder string) {
	refused := c.readRefusals()
	for f, at := range refused {
		if time.Since(at) >= refusalHolds {
			delete(refused, f)
		}
	}
	refused[folder] = time.Now()
	text, err := json.Marshal(refused)
	if err == nil {
		err = c.paths.Make()
	}
	if err == nil {
		err = os.WriteFile(c.refusals(), text, 0o600)
	}
	if err != nil {
		return // it is asked again next time, and nothing else is lost
	}
	c.say("No, then. You are not asked about this folder again until tomorrow; to allow it: %s allow .", c.program())
}

// firstRun asks which folders the model may look into, until there is one or
// the person says that there shall be none.
func (c *command) firstRun(ctx context.Context) error {
	asked := filepath.Join(c.paths.State, "asked-for-folders")
	if _, err := os.Stat(asked); !c.Terminal || err == nil || len(c.conf.Folders) > 0 {
		return nil
	}
	c.fresh()
	added := 0
	question := "Which folders may the model look into? (such as ~/notes, ~/work; Enter: none)\n> "
	for question != "" {
		line, err := c.prompt(ctx, question)
		if err != nil {
			return err
		}
		question = ""
		for path := range strings.SplitSeq(line, ",") {
			if path = strings.TrimSpace(path); path == "" {
				continue
			}
			if err := c.allowAlways(ctx, path); err != nil {
				c.say("%s", loci.AsError(err))
				question = "Which others? (Enter: none)\n> "
				continue
			}
			if full, ok := config.Expand(path, c.Folder, c.Getenv); ok {
				c.warnWide(full)
			}
			added++
		}
		if strings.TrimSpace(line) == "" && line != "" && added == 0 {
			return c.remember(asked)
		}
	}
	return c.load()
}

// remember makes an empty file as a sign.
func (c *command) remember(path string) error {
	if err := c.paths.Make(); err != nil {
		return err
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return loci.Errorf(loci.Internal, "The folder %s cannot be written: %w.", c.paths.State, err)
	}
	return nil
}

// allowAlways adds a folder to the configuration file.
func (c *command) allowAlways(ctx context.Context, path string) error {
	full, ok := config.Expand(path, c.Folder, c.Getenv)
	if !ok || !isFolder(full) {
		return loci.Errorf(loci.Invalid, "%.200s is not a folder; it was left out.", path)
	}
	if err := c.paths.Make(); err != nil {
		return err
	}
	if err := c.staysClosed(ctx, full); err != nil {
		return err
	}
	return config.AddFolder(config.Sources{File: c.paths.Config, Env: c.Getenv}, full)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// checkAllow refuses folders of flags that are not there: whoever just wrote
// one wants to know.
func (c *command) checkAllow() error {
	for _, path := range c.flags["folders"] {
		full, ok := config.Expand(path, c.Folder, c.Getenv)
		if ok && path != "" && isFolder(full) {
			c.warnWide(full)
			continue
		}
		return noFolder(path)
	}
	return nil
}

// noFolder is the error for a path to allow that leads to no folder.
func noFolder(path string) error {
	e := loci.Errorf(loci.Invalid, "There is no folder %.200q to allow.", path)
	if strings.Contains(path, ",") {
		return e.WithHint("Give each folder by itself: a comma can be part of a name.")
	}
	return e.WithHint("Correct the path.")
}

// warnMissing says which folders of the configuration are not there, and how
// many.
func (c *command) warnMissing() (missing int) {
	for _, f := range c.conf.Folders {
		if !isFolder(f.Path) {
			c.say("loci: the folder %s is allowed, but it is not there.", f.Path)
			missing++
		}
	}
	return missing
}
