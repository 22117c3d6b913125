package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
)

func (c *command) ask() *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   `ask "TEXT"`,
		Short: "Ask one question; what is piped in is what it is about",
		Long: `Ask one question. What is piped in is put below it, as what it is about, and counts as
read from outside: nothing in it is a wish of yours. "-" alone reads the question itself
from there, and "-" behind the question waits for what is piped in, however long that
takes to come.

  git diff | loci ask "What does this change?"
  loci ask - <question.txt

Without "-", and where nobody sees it wait, loci gives a pipe 0.5 s to begin, and 3 s
where the words speak of what is to come, as "this" and "summarise" do. A file that
somebody has begun to read is left to them, such as the loop

  while read -r q; do loci ask "$q"; done <questions.txt

A loop over a pipe has to keep its lines for itself: loci ask "$q" </dev/null`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := c.question(cmd.Context(), args)
			if err != nil {
				return err
			}
			if err := c.load(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), app.Options{Fetch: true}, func(ctx context.Context, s server) error {
				req := chatRequest{Session: session, Message: text, Model: c.model()}
				if req.Folders, req.Working, err = c.here(ctx, !asJSON); err != nil {
					return err
				}
				if asJSON {
					return c.sessionHint(c.askWhole(ctx, s, req))
				}
				t := c.newTalk(s)
				if err := t.run(ctx, s.begin(req)); err != nil || !t.denied {
					return c.sessionHint(err)
				}
				return failed(loci.ExitDenied)
			})
		},
	}
	c.serverFlags(cmd, "listen", "backend", "model", "allow", "key")
	cmd.Flags().StringVar(&session, "session", "", "go on in the session with this `ID`")
	c.complete(cmd, "session", listSessions)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the whole result as one JSON object")
	return cmd
}

// sessionHint says where to look for a session that is not there.
func (c *command) sessionHint(err error) error {
	if e, ok := errors.AsType[*loci.Error](err); ok && e.Code == loci.NotFound && e.Hint == "" {
		return e.WithHint("See which there are: %s sessions", c.program())
	}
	return err
}

// model is the model asked for on the command line; a running server has its
// own default.
func (c *command) model() string {
	if v := c.flags["model"]; len(v) > 0 {
		return v[0]
	}
	return c.Getenv("LOCI_MODEL")
}

// askWhole prints the result as the API gives it.
func (c *command) askWhole(ctx context.Context, s server, req chatRequest) error {
	req.Stream = new(false)
	var out json.RawMessage
	if err := s.post(ctx, "/api/agent/chat", req, &out); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(c.Out, string(out)); err != nil {
		return err
	}
	var result struct{ Pending []json.RawMessage }
	if err := json.Unmarshal(out, &result); err == nil && len(result.Pending) > 0 {
		return failed(loci.ExitDenied)
	}
	return nil
}
