package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
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
		Args:  arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(); err != nil {
				return err
			}
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
	c.serverFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON when ready")
	return cmd
}

// up is the command for people.
func (c *command) up() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Find or fetch a model, start the server, and print how to connect",
		Args:  arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(); err != nil {
				return err
			}
			if err := c.firstRun(cmd.Context()); err != nil {
				return err
			}
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
			return errors.Join(err, done())
		},
	}
	c.serverFlags(cmd)
	return cmd
}

// run builds the program, tells that it is ready, and serves until ctx ends.
func (c *command) run(ctx context.Context, o app.Options, ready func(*app.App) error) (err error) {
	o.Config, o.Paths, o.Getenv = c.conf, c.paths, c.Getenv
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
	var b strings.Builder
	row := func(label, text string) { c.labelled(&b, 18, "  "+label, text) }
	ad := a.Addresses()
	b.WriteString("\nloci is ready. Connect a chat client:\n\n")
	row("Web page", ad.URL)
	row("OpenAI clients", ad.OpenAI)
	row("  with the key", ad.Key)
	row("Ollama clients", ad.Chat)
	row("", "(the key in this address can only chat)")
	b.WriteString("\nOr ask from another terminal:  loci ask \"What day is it today?\"\n\n")
	name, note := a.Model(ctx)
	row("Model", name)
	if note != "" {
		row("", note)
	}
	folders := "none yet; allow one with: loci up --allow FOLDER"
	if f := a.Folders(); len(f) > 0 {
		folders = strings.Join(f, ", ")
	}
	row("Folders", folders)
	row("Settings", c.paths.Config)
	row("Data", c.paths.Data)
	if c.conf.Log.File != "" {
		row("Log", c.conf.Log.File)
	}
	b.WriteString("\nCtrl-C stops it.\n")
	_, err := io.WriteString(c.Out, b.String())
	return err
}

// firstRun asks which folders the model may look into, once.
func (c *command) firstRun(ctx context.Context) error {
	asked := filepath.Join(c.paths.State, "asked-for-folders")
	_, err := os.Stat(asked)
	if !c.Terminal || err == nil || len(c.conf.Folders) > 0 {
		return nil
	}
	line, err := c.prompt(ctx, "Which folders may the model look into? (commas between them; Enter: none)\n> ")
	if err != nil || line == "" { // at the end of the input, ask again next time
		return err
	}
	if err := c.paths.Make(); err != nil {
		return err
	}
	for path := range strings.SplitSeq(line, ",") {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		if err := c.allowAlways(path); err != nil {
			c.say("%s", loci.AsError(err))
		}
	}
	if err := os.WriteFile(asked, nil, 0o600); err != nil {
		return loci.Errorf(loci.Internal, "The folder %s cannot be written: %w.", c.paths.State, err)
	}
	return c.load()
}

// allowAlways adds a folder to the configuration file.
func (c *command) allowAlways(path string) error {
	full, ok := config.Expand(path, c.Folder, c.Getenv)
	if info, err := os.Stat(full); !ok || err != nil || !info.IsDir() {
		return loci.Errorf(loci.Invalid, "%.200s is not a folder; it was left out.", path)
	}
	if err := c.paths.Make(); err != nil {
		return err
	}
	return config.AddFolder(config.Sources{File: c.paths.Config, Env: c.Getenv}, full)
}

// quiet is a logger for a program that runs inside a command.
func (c *command) quiet() (*slog.Logger, func() error, error) {
	c.conf.Log.File = filepath.Join(c.paths.Logs, "loci.log")
	return c.logger(io.Discard)
}
