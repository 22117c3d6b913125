package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
)

func (c *command) ask() *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   `ask "TEXT"`,
		Short: `Ask one question ("-" reads it from the standard input)`,
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
					return c.askWhole(ctx, s, req)
				}
				t := c.newTalk(s)
				if err := t.run(ctx, s.begin(req)); err != nil || !t.denied {
					return err
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

// question gives the text to ask.
func (c *command) question(ctx context.Context, args []string) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(untilDone{ctx, c.in}, maxTyped+1))
		if err != nil {
			return "", loci.Errorf(loci.Internal, "The standard input cannot be read: %w.", err)
		}
		if len(data) > maxTyped {
			return "", loci.Errorf(loci.Invalid, "The question on the standard input is longer than 8 MiB.")
		}
		text = string(data)
	}
	if strings.TrimSpace(text) == "" {
		return "", usageError{fmt.Errorf("what is the question?"), fmt.Sprintf(`%s ask "What day is it?", or from a file: %[1]s ask - <FILE`, c.program())}
	}
	return text, nil
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
