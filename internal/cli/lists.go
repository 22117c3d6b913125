package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
)

// list makes a command that shows what the running loci answers at a path: as a
// table, or as the JSON array it is.
func (c *command) list(use, short string, fetch func(context.Context, server) (json.RawMessage, error), rows func(json.RawMessage) ([][]string, error)) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, s server) error {
				data, err := fetch(ctx, s)
				if err != nil {
					return err
				}
				if asJSON {
					_, err := fmt.Fprintln(c.Out, string(data))
					return err
				}
				table, err := rows(data)
				if err != nil {
					return err
				}
				return c.table(table)
			})
		},
	}
	c.serverFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// table prints rows in columns.
func (c *command) table(rows [][]string) error {
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	return w.Flush()
}

func (c *command) tools() *cobra.Command {
	return c.list("tools", "List the tools that models can use",
		func(ctx context.Context, s server) (out json.RawMessage, err error) {
			return out, s.get(ctx, "/api/agent/tools", &out)
		},
		func(data json.RawMessage) (rows [][]string, err error) {
			var tools []loci.ToolSpec
			err = json.Unmarshal(data, &tools)
			for _, t := range tools {
				first, _, _ := strings.Cut(t.Description, ". ")
				rows = append(rows, []string{t.Name, string(t.SideEffects), clip(first, 90)})
			}
			return rows, err
		})
}

func (c *command) models() *cobra.Command {
	return c.list("models", "List the models of all servers",
		func(ctx context.Context, s server) (json.RawMessage, error) {
			var out struct{ Data []json.RawMessage }
			if err := s.get(ctx, "/v1/models", &out); err != nil {
				return nil, err
			}
			return json.Marshal(append([]json.RawMessage{}, out.Data...))
		},
		func(data json.RawMessage) (rows [][]string, err error) {
			var models []struct{ ID string }
			err = json.Unmarshal(data, &models)
			for _, m := range models {
				rows = append(rows, []string{m.ID})
			}
			if len(rows) == 0 {
				c.say("No models. Start a model server, or run: loci up")
			}
			return rows, err
		})
}

func (c *command) sessions() *cobra.Command {
	return c.list("sessions", "List the conversations, newest first",
		func(ctx context.Context, s server) (out json.RawMessage, err error) {
			return out, s.get(ctx, "/api/agent/sessions", &out)
		},
		func(data json.RawMessage) (rows [][]string, err error) {
			var sessions []struct{ ID, Title, Model, Updated string }
			err = json.Unmarshal(data, &sessions)
			for _, s := range sessions {
				rows = append(rows, []string{s.ID, s.Updated, s.Model, clip(s.Title, 60)})
			}
			return rows, err
		})
}

// clip shortens a text for a table.
func clip(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

func (c *command) version() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return json.NewEncoder(c.Out).Encode(map[string]string{"version": app.Version})
			}
			_, err := fmt.Fprintln(c.Out, "loci", app.Version)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func (c *command) configure() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and check the configuration",
		Args:  arguments(noSuchCommand),
		RunE:  help,
	}
	cmd.SuggestionsMinimumDistance = 2
	for _, sub := range []struct {
		use, short string
		run        func() error
	}{
		{"path", "Print where the configuration file is", func() error {
			_, err := fmt.Fprintln(c.Out, c.paths.Config)
			return err
		}},
		{"validate", "Check the configuration file", func() error {
			_, err := fmt.Fprintln(c.Out, c.paths.Config, "is fine.")
			return err
		}},
		{"show", "Print the settings in force, keys left out", func() error {
			text, err := yaml.Marshal(c.conf)
			if err != nil {
				return err
			}
			_, err = c.Out.Write(text)
			return err
		}},
	} {
		cmd.AddCommand(&cobra.Command{
			Use: sub.use, Short: sub.short, Args: arguments(cobra.NoArgs),
			RunE: func(*cobra.Command, []string) error {
				if err := c.load(); err != nil {
					return err
				}
				return sub.run()
			},
		})
	}
	return cmd
}
