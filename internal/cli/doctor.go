package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
	"loci/internal/config"
)

// doctor checks everything and says how to mend it.
func (c *command) doctor() *cobra.Command {
	var asJSON, security bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything, with a way to mend each fault",
		Args:  arguments(noSuchCommand),
		RunE: func(cmd *cobra.Command, _ []string) error {
			wrong := c.load()
			if _, ok := errors.AsType[*config.Error](wrong); ok {
				c.conf = config.Default() // the rest can be looked at all the same
			} else if wrong != nil {
				return wrong
			}
			if wrong == nil {
				wrong = c.resolve(cmd.Context())
			}
			look := app.Doctor
			if security {
				look = app.Security
			}
			checks := look(cmd.Context(), app.Options{Config: c.conf, Paths: c.paths, Getenv: c.Getenv, Hide: c.hide}, wrong)
			if err := c.printChecks(checks, asJSON); err != nil {
				return err
			}
			for _, check := range checks {
				if check.Status == app.Fail {
					return failed(loci.ExitFailure)
				}
			}
			return nil
		},
	}
	c.serverFlags(cmd, "backend", "model")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.Flags().BoolVar(&security, "security", false, "look for settings that weaken what loci does by itself")
	return cmd
}

func (c *command) printChecks(checks []app.Check, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(c.Out).Encode(checks)
	}
	var b strings.Builder
	for _, check := range checks {
		c.labelled(&b, 16, fmt.Sprintf("%-4s  %s", check.Status, check.Name), check.Text)
		if check.Hint != "" {
			c.labelled(&b, 18, "                →", check.Hint)
		}
	}
	_, err := io.WriteString(c.Out, b.String())
	return err
}
