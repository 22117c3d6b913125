package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
	"loci/internal/text"
)

// fetch gets a list from a loci, as a JSON array.
type fetch func(context.Context, server) (json.RawMessage, error)

var (
	listModels    = listAt("/api/agent/models")
	listTools     = listAt("/api/agent/tools")
	listSessions  = listAt("/api/agent/sessions")
	listApprovals = listAt("/api/agent/approvals")
)

// listAt gets what the agent API lists at a path.
func listAt(path string) fetch {
	return func(ctx context.Context, s server) (out json.RawMessage, err error) {
		return out, s.get(ctx, path, &out)
	}
}

// list is a command that shows what a loci lists: as a table, or as the JSON
// array it is.
type list struct {
	use, short string
	fetch      fetch
	heading    []string
	rows       func(json.RawMessage) ([][]string, error)
	text       func(json.RawMessage) (string, error)                 // instead of rows, where no table fits
	empty      string                                                // what to tell a person where there is nothing
	why        func(context.Context, server, json.RawMessage) string // better words for that; empty: none
	note       string                                                // what to tell them below the table
	// o says how to build a loci where none runs.
	o app.Options
}

func (c *command) list(l list) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   l.use,
		Short: l.short,
		Args:  arguments(noSuchCommand),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), l.o, func(ctx context.Context, s server) error {
				data, err := l.fetch(ctx, s)
				if err != nil {
					return err
				}
				if asJSON {
					_, err := fmt.Fprintln(c.Out, string(data))
					return err
				}
				if l.why != nil {
					l.empty = cmp.Or(l.why(ctx, s, data), l.empty)
				}
				return c.show(l, data)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// show prints a list for people.
func (c *command) show(l list, data json.RawMessage) error {
	if l.text != nil {
		words, err := l.text(data)
		if err != nil {
			return err
		}
		if words == "" {
			c.say("%s", l.empty)
			return nil
		}
		_, err = fmt.Fprint(c.Out, words)
		return err
	}
	rows, err := l.rows(data)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		c.say("%s", l.empty)
		return nil
	}
	if err := c.table(l.heading, rows); err != nil || c.OutWidth == 0 || l.note == "" {
		return err
	}
	var b strings.Builder
	b.WriteByte('\n')
	c.labelled(&b, 0, "", l.note)
	_, err = fmt.Fprint(c.Out, b.String())
	return err
}

// table prints rows in columns. On a terminal they have a heading, and the last
// column is cut where a line would be too long.
func (c *command) table(heading []string, rows [][]string) error {
	if c.OutWidth > 0 {
		rows = slices.Insert(rows, 0, heading)
		c.fit(rows)
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, gap, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	return w.Flush()
}

// gap is the space between two columns, in characters.
const gap = 2

// fit cuts the last column.
func (c *command) fit(rows [][]string) {
	last := len(rows[0]) - 1
	left := c.OutWidth
	for column := range last {
		wide := 0
		for _, r := range rows {
			wide = max(wide, utf8.RuneCountInString(r[column]))
		}
		left -= wide + gap
	}
	const least = 12 // characters; rather a broken line than no text
	for _, r := range rows {
		r[last] = text.Title(r[last], max(left, least))
	}
}

func (c *command) tools() *cobra.Command {
	return c.list(list{
		use: "tools", short: "List the tools that models can use",
		fetch: listTools, o: app.Options{NoModels: true},
		heading: []string{"TOOL", "EFFECT", "WHAT IT DOES"}, empty: "There are no tools.",
		rows: func(data json.RawMessage) (rows [][]string, err error) {
			var tools []loci.ToolSpec
			err = json.Unmarshal(data, &tools)
			for _, t := range tools {
				first, _, _ := strings.Cut(t.Description, ". ")
				rows = append(rows, []string{t.Name, string(t.SideEffects), plain(first)})
			}
			return rows, err
		},
	})
}

func (c *command) sessions() *cobra.Command {
	return c.list(list{
		use: "sessions", short: "List the conversations, newest first",
		fetch: listSessions, o: app.Options{NoModels: true},
		heading: []string{"ID", "UPDATED", "TITLE"}, empty: "No conversations yet.",
		rows: func(data json.RawMessage) (rows [][]string, err error) {
			var sessions []struct {
				ID, Title string
				Updated   time.Time
			}
			err = json.Unmarshal(data, &sessions)
			for _, s := range sessions {
				updated := s.Updated.Format(loci.TimeFormat)
				if c.OutWidth > 0 {
					updated = s.Updated.Local().Format("2006-01-02 15:04")
				}
				rows = append(rows, []string{s.ID, updated, plain(s.Title)})
			}
			return rows, err
		},
	})
}

func (c *command) version() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arguments(noSuchCommand),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return json.NewEncoder(c.Out).Encode(map[string]string{"version": app.Version, "build": app.Build()})
			}
			_, err := fmt.Fprintln(c.Out, "loci", app.Build())
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
			verdict := "is fine."
			if missing := c.warnMissing(); missing+c.odd > 0 {
				verdict = "is fine, apart from the warnings."
			} else if _, err := os.Stat(c.paths.Config); errors.Is(err, fs.ErrNotExist) {
				verdict = "is not there, and need not be."
			}
			_, err := fmt.Fprintln(c.Out, c.paths.Config, verdict)
			return err
		}},
		{"show", "Print the settings in force, keys left out", func() error {
			text, err := yaml.Marshal(app.InForce(app.Options{Config: c.conf, Paths: c.paths, Getenv: c.Getenv}))
			if err != nil {
				return err
			}
			_, err = c.Out.Write(text)
			return err
		}},
	} {
		cmd.AddCommand(&cobra.Command{
			Use: sub.use, Short: sub.short, Args: arguments(noSuchCommand),
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
