package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
)

// grants is the command for the yeses that hold on.
func (c *command) grants() *cobra.Command {
	return c.list(list{
		use: "grants", short: "List the yeses that hold on",
		fetch: listGrants, o: app.Options{NoModels: true},
		empty:   "No yes holds on: each was for once, or is over.",
		heading: []string{"ID", "TOOL", "FOR", "UNTIL", "USED", "ON"},
		rows:    grantRows,
	})
}

func listGrants(ctx context.Context, s server) (data json.RawMessage, err error) {
	return data, s.get(ctx, "/api/agent/grants", &data)
}

func grantRows(data json.RawMessage) (rows [][]string, err error) {
	var grants []loci.Grant
	if err := json.Unmarshal(data, &grants); err != nil {
		return nil, err
	}
	for _, g := range grants {
		until := "you take it back"
		switch {
		case g.Expires != nil:
			until = g.Expires.Local().Format("15:04")
		case g.Span == loci.GrantSession:
			until = "the conversation ends"
		}
		rows = append(rows, []string{plain(shortID(g.ID)), plain(g.Tool), string(g.Span), until, strconv.Itoa(g.Used), plain(strings.TrimSpace(g.Subject + byAsker(g)))})
	}
	return rows, nil
}

// byAsker names the key that a yes was given to.
func byAsker(g loci.Grant) string {
	if g.Asker == "" {
		return ""
	}
	return " (by " + g.Asker + ")"
}

// revoke is the command that takes yeses back.
func (c *command) revoke() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "revoke ID...",
		Short: "Take back a yes that holds on",
		Args: func(_ *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return usageError{errors.New("which yes? Give its id, or --all"), c.program() + " approvals grants, which lists them"}
			}
			return nil
		},
		ValidArgsFunction: c.candidates(listGrants),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.load(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), app.Options{NoModels: true}, func(ctx context.Context, s server) error {
				return c.takeBack(ctx, s, args)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "take back every yes that holds on")
	return cmd
}

// shortID is the end of an id, which is random: enough for a person to tell it by.
func shortID(id string) string { return id[max(0, len(id)-8):] }

// takeBack takes back the yeses with some ids, or their ends, or all where none is
// given.
func (c *command) takeBack(ctx context.Context, s server, names []string) error {
	var grants []loci.Grant
	if err := s.get(ctx, "/api/agent/grants", &grants); err != nil {
		return err
	}
	var ids []string
	for _, g := range grants {
		if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return name != "" && strings.HasSuffix(g.ID, name) }) {
			ids = append(ids, g.ID)
		}
	}
	if len(ids) < len(names) {
		return loci.Errorf(loci.NotFound, "No yes with that id holds.").WithHint("See which do: %s approvals grants", c.program())
	}
	if len(names) > 0 && len(ids) > len(names) {
		return loci.Errorf(loci.Conflict, "Several yeses have an id that ends like that.").WithHint("Give more of it: %s approvals grants --json", c.program())
	}
	for _, id := range ids {
		if err := s.call(ctx, http.MethodDelete, "/api/agent/grants/"+url.PathEscape(id), nil, nil); err != nil {
			return err
		}
	}
	c.say("Taken back: %d.", len(ids))
	return nil
}
