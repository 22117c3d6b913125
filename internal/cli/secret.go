package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/config"
	"loci/internal/secret"
)

// secret is the command for keys and passwords that the configuration refers to.
func (c *command) secret() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "secret",
		Short: "Store keys and passwords, and check those that the configuration refers to",
		Long: `Store keys and passwords encrypted, and refer to them in config.yaml by name:

  key: secret:NAME

Nothing prints a secret that is stored.`,
		Args: arguments(noSuchCommand),
		RunE: help,
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(c.secretSet(), c.secretList(), c.secretRemove(), c.secretCheck())
	return cmd
}

// store is where the secrets of this configuration are.
func (c *command) store() *secret.Store { return secret.At(filepath.Dir(c.paths.Config), c.Getenv) }

// one takes one argument, the name of a secret.
func one(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("the name of one secret is needed, and nothing else")
	}
	return nil
}

func (c *command) secretSet() *cobra.Command {
	return &cobra.Command{
		Use:   "set NAME",
		Short: "Store a secret, typed unseen or from the standard input",
		Args:  arguments(one),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(secret.CheckName(args[0]), c.load()); err != nil {
				return err
			}
			value, err := c.typed(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := c.store().Set(cmd.Context(), args[0], value); err != nil {
				return err
			}
			c.say("Stored. Refer to it in %s as secret:%s", c.paths.Config, args[0])
			c.sayLater()
			return nil
		},
	}
}

// sayLater tells that a loci which runs has the secrets it began with.
func (c *command) sayLater() {
	if _, running, err := config.ReadRun(c.paths); err == nil && running {
		c.say("The loci that runs takes it up when it is started again.")
	}
}

// typed gets the text of a secret. One line end at its end does not belong to it.
func (c *command) typed(ctx context.Context, name string) (string, error) {
	if c.Terminal && c.Hidden != nil {
		fmt.Fprintf(c.Err, "%s (it is not shown): ", name)
		value, err := c.Hidden(ctx)
		fmt.Fprintln(c.Err)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return value, err
	}
	value, err := io.ReadAll(io.LimitReader(untilDone{ctx, c.in}, secret.MaxValue+3))
	return strings.TrimSuffix(strings.TrimSuffix(string(value), "\n"), "\r"), err
}

func (c *command) secretList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the names of the stored secrets",
		Args:  arguments(noSuchCommand),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(); err != nil {
				return err
			}
			names, err := c.store().Names(cmd.Context())
			if err != nil {
				return err
			}
			type entry struct {
				Name string `json:"name"`
			}
			if asJSON {
				list := make([]entry, len(names))
				for i, name := range names {
					list[i].Name = name
				}
				return json.NewEncoder(c.Out).Encode(list)
			}
			if len(names) == 0 {
				c.say("No secrets are stored. Store one with: %s secret set NAME", c.program())
			}
			for _, name := range names {
				fmt.Fprintln(c.Out, name)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func (c *command) secretRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a stored secret",
		Args:  arguments(one),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(secret.CheckName(args[0]), c.load()); err != nil {
				return err
			}
			if err := c.store().Remove(cmd.Context(), args[0]); err != nil {
				return err
			}
			c.say("Removed.")
			c.sayLater()
			return nil
		},
	}
}

// checked is what is told of a setting that refers to a secret.
type checked struct {
	config.Use
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
	Hint  string `json:"hint,omitempty"`
}

func (c *command) secretCheck() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Try every secret that the configuration refers to, without showing it",
		Args:  arguments(noSuchCommand),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(); err != nil {
				return err
			}
			list := []checked{}
			faults := 0
			for _, use := range c.conf.Resolve(cmd.Context(), c.paths, c.Getenv) {
				state := checked{Use: use, OK: use.Err == nil}
				if use.Err != nil {
					e := loci.AsError(loci.AsError(use.Err).Err)
					state.Error, state.Hint = e.Message, e.Hint
					faults++
				}
				list = append(list, state)
			}
			if err := c.printUses(list, asJSON); err != nil {
				return err
			}
			if faults > 0 {
				return failed(loci.ExitConfig)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func (c *command) printUses(list []checked, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(c.Out).Encode(list)
	}
	if len(list) == 0 {
		c.say("No setting refers to a secret.")
		return nil
	}
	const wide = 7 // characters for the verdict
	var b strings.Builder
	for _, u := range list {
		verdict := "ok"
		if !u.OK {
			verdict = "fault"
		}
		c.labelled(&b, wide, verdict, u.Setting+" from "+u.From)
		for _, more := range []string{u.Error, u.Hint, u.Note} {
			if more != "" {
				c.labelled(&b, wide, "", more)
			}
		}
	}
	_, err := io.WriteString(c.Out, b.String())
	return err
}
