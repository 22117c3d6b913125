package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

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
		until := "taken back"
		switch {
		case g.Expires != nil:
			until = g.Expires.Local().Format("15:04")
		case g.Span == loci.GrantSession:
			until = "the conversation ends"
		}
		rows = append(rows, []string{plain(g.ID), plain(g.Tool), string(g.Span), until, strconv.Itoa(g.Used), plain(g.Subject)})
	}
	return rows, nil
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

// takeBack takes back the yeses with some ids, or all where none is given.
func (c *command) takeBack(ctx context.Context, s server, ids []string) error {
	if len(ids) == 0 {
		var grants []loci.Grant
		if err := s.get(ctx, "/api/agent/grants", &grants); err != nil {
			return err
		}
		for _, g := range grants {
			ids = append(ids, g.ID)
		}
	}
	for _, id := range ids {
		if err := s.call(ctx, http.MethodDelete, "/api/agent/grants/"+url.PathEscape(id), nil, nil); err != nil {
			return err
		}
	}
	c.say("Taken back: %d.", len(ids))
	return nil
}
