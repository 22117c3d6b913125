package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
	"loci/internal/config"
)

// serve is the command for scripts and services.
func (c *command) serve() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the server and log to the standard error output",
		Args:  arguments(noSuchCommand),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(); err != nil {
				return err
			}
			c.warnMissing()
			log, done, err := c.logger(c.Err)
			if err != nil {
				return err
			}
			err = c.run(cmd.Context(), app.Options{Logger: log}, func(a *app.App) error {
				if asJSON {
					return json.NewEncoder(c.Out).Encode(struct {
						Event string `json:"event"`
						app.Addresses
					}{"ready", a.Addresses()})
				}
				return c.welcome(cmd.Context(), a)
			})
			return errors.Join(err, done())
		},
	}
	c.serverFlags(cmd, "listen", "backend", "model", "allow", "key")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON when ready")
	return cmd
}

// up is the command for people.
func (c *command) up() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Find or fetch a model, start the server, and print how to connect",
		Long: `Find or fetch a model, start the server, and print how to connect. Where loci
runs already, print that again.`,
		Args: arguments(noSuchCommand),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(); err != nil {
				return err
			}
			if run, running, err := config.ReadRun(c.paths); err != nil || running {
				return errors.Join(err, c.welcomeBack(run))
			}
			if err := c.firstRun(cmd.Context()); err != nil {
				return err
			}
			c.warnMissing()
			if c.conf.Log.File == "" {
				c.conf.Log.File = filepath.Join(c.paths.Logs, "loci.log")
			}
			log, done, err := c.logger(io.Discard)
			if err != nil {
				return err
			}
			bar := c.newBar()
			o := app.Options{Logger: log, Fetch: true, Progress: bar.update, Say: c.say}
			err = c.run(cmd.Context(), o, func(a *app.App) error { return c.welcome(cmd.Context(), a) })
			if err = errors.Join(err, done()); err == nil {
				c.say("loci has stopped.")
				return failed(loci.ExitInterrupted)
			}
			return err
		},
	}
	c.serverFlags(cmd, "listen", "backend", "model", "allow", "key")
	return cmd
}

// run builds the program, tells that it is ready, and serves until ctx ends.
func (c *command) run(ctx context.Context, o app.Options, ready func(*app.App) error) (err error) {
	if err := c.resolve(ctx); err != nil {
		return err
	}
	o.Config, o.Sources, o.Paths, o.Getenv, o.Hide, o.Stays = c.conf, c.sources(), c.paths, c.Getenv, c.hide, true
	a, err := app.New(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	a.LogPlaces()
	if err := ready(a); err != nil {
		return err
	}
	return a.Serve(ctx)
}

// welcome prints everything that somebody needs to connect.
func (c *command) welcome(ctx context.Context, a *app.App) error {
	name, notes := a.Model(ctx)
	title := "loci is ready."
	if name == "" {
		title, name = "loci runs, but no model answers yet.", "none yet"
	}
	var b strings.Builder
	c.connect(&b, title, a.Addresses())
	c.row(&b, "Model", name)
	for _, note := range notes {
		indent := len(note) - len(strings.TrimLeft(note, " "))
		c.labelled(&b, labels+indent, "", note)
	}
	c.places(&b, a.Folders())
	if c.conf.Log.File != "" {
		c.row(&b, "Log", c.conf.Log.File)
	}
	b.WriteString("\nCtrl-C stops it.\n")
	_, err := io.WriteString(c.Out, b.String())
	return err
}

// welcomeBack prints how to connect to the loci that runs already.
func (c *command) welcomeBack(run config.Run) error {
	var b strings.Builder
	ad := app.At(run.URL, string(run.Key), string(run.ChatKey))
	ad.Fingerprint = run.Fingerprint
	c.connect(&b, fmt.Sprintf("loci is already running, as process %d.", run.PID), ad)
	folders := slices.Clone(run.Folders)
	for _, f := range c.conf.Folders {
		if run.Config != c.paths.Config && !slices.Contains(run.Folders, f.Path) {
			folders = append(folders, f.Path+" (for chat clients once loci is started again)")
		}
	}
	c.places(&b, folders)
	_, err := io.WriteString(c.Out, b.String())
	if len(c.flags) > 0 {
		c.say("loci: it runs already, so the flags have no effect. Stop it first to change them; a folder can be allowed at once with %s allow FOLDER.", c.program())
	}
	return err
}

// labels is how wide the labels of the welcome are, in characters.
const labels = 18

func (c *command) row(b *strings.Builder, label, text string) {
	c.labelled(b, labels, "  "+label, text)
}

// connect writes how clients reach loci.
func (c *command) connect(b *strings.Builder, title string, ad app.Addresses) {
	b.WriteString("\n" + title + " Connect a chat client:\n\n")
	c.row(b, "OpenAI clients", ad.OpenAI)
	c.row(b, "  with the key", ad.Key)
	c.row(b, "Ollama clients", ad.Chat)
	c.row(b, "", "(with the chat key in the address, which can only chat)")
	if ad.Outside != "" {
		c.row(b, "Other machines", "the same with "+ad.Outside)
	}
	if ad.Fingerprint != "" {
		c.row(b, "Certificate", "SHA-256 "+ad.Fingerprint)
	}
	fmt.Fprintf(b, "\nOr ask from another terminal:\n\n  %s ask \"What day is it today?\"\n\n", c.program())
	c.row(b, "Help", ad.URL+" in a browser")
}

// places writes what may be looked into, and where the files are.
func (c *command) places(b *strings.Builder, folders []string) {
	open := "none yet; allow one with: " + c.program() + " allow FOLDER"
	if len(folders) > 0 {
		open = strings.Join(folders, ", ")
	}
	c.row(b, "Folders", open)
	c.row(b, "Settings", c.paths.Config)
	c.row(b, "Data", c.paths.Data)
}

// quiet is a logger for a program that runs inside a command.
func (c *command) quiet() (*slog.Logger, func() error, error) {
	c.conf.Log.File = filepath.Join(c.paths.Logs, "loci.log")
	return c.logger(io.Discard)
}
