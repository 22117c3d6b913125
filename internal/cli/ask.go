package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"loci"
)

// maxQuestion bounds what is read from the standard input, in bytes.
const maxQuestion = 8 << 20

func (c *command) ask() *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ask TEXT",
		Short: `Ask one question ("-" reads it from the standard input)`,
		Args:  arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := c.question(args)
			if err != nil {
				return err
			}
			if err := c.load(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, s server) error {
				req := chatRequest{Session: session, Message: text, Model: c.model()}
				if req.Folders, req.Working, err = c.here(ctx); err != nil {
					return err
				}
				if asJSON {
					return c.askWhole(ctx, s, req)
				}
				return c.askStream(ctx, s, req)
			})
		},
	}
	c.serverFlags(cmd)
	cmd.Flags().StringVar(&session, "session", "", "go on in the session with this `ID`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the whole result as one JSON object")
	return cmd
}

// question gives the text to ask.
func (c *command) question(args []string) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(c.In, maxQuestion+1))
		if err != nil {
			return "", loci.Errorf(loci.Internal, "The standard input cannot be read: %w.", err)
		}
		if len(data) > maxQuestion {
			return "", loci.Errorf(loci.Invalid, "The question on the standard input is longer than 8 MiB.")
		}
		text = string(data)
	}
	if strings.TrimSpace(text) == "" {
		return "", usageError{fmt.Errorf("there is no question")}
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

// here gives the folders to allow for a question, and the folder that relative
// paths start in: the one that the person is in, if that may be read. Unless it
// may already, they are asked, if they are at a terminal.
func (c *command) here(ctx context.Context) (folders []string, working string, err error) {
	if len(c.flags["folders"]) > 0 {
		for _, f := range c.conf.Folders {
			folders = append(folders, f.Path)
		}
	}
	if c.Folder == "" {
		return folders, "", nil
	}
	for _, f := range c.conf.Folders {
		if within(c.Folder, f.Path) {
			// It is sent all the same: the loci that runs may be older than the
			// line in the configuration.
			if !slices.Contains(folders, f.Path) {
				folders = append(folders, f.Path)
			}
			return folders, c.Folder, nil
		}
	}
	if !c.Terminal {
		return folders, "", nil
	}
	answer, err := c.prompt(ctx, fmt.Sprintf("May the model look into %s? [y] this time, [a] always, [N] no: ", c.Folder))
	if err != nil {
		return nil, "", err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "a", "always":
		if err := c.allowAlways(c.Folder); err != nil {
			c.say("%s", loci.AsError(err))
		}
		fallthrough
	case "y", "yes":
		return append(folders, c.Folder), c.Folder, nil
	}
	return folders, "", nil
}

// within tells whether a folder is another one or inside it. It only decides
// whether to ask; what may be read is the server's decision.
func within(folder, allowed string) bool {
	rel, err := filepath.Rel(allowed, folder)
	return err == nil && filepath.IsLocal(rel)
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

// askStream prints the answer as it comes, and on a terminal what is done for
// it.
func (c *command) askStream(ctx context.Context, s server, req chatRequest) error {
	out := bufio.NewWriter(c.Out)
	defer out.Flush()
	shown := 0
	for e, err := range s.events(ctx, "/api/agent/chat", req) {
		if err != nil {
			return err
		}
		switch e.Type {
		case loci.EventDelta:
			var d loci.Delta
			if err := e.DecodeData(&d); err != nil {
				return err
			}
			shown += len(d.Text)
			_, _ = out.WriteString(d.Text) // Flush reports
		case loci.EventMessage:
			var m loci.MessageData
			if err := e.DecodeData(&m); err != nil {
				return err
			}
			if shown < len(m.Text) {
				_, _ = out.WriteString(m.Text[shown:])
				shown = len(m.Text)
			}
			if !strings.HasSuffix(m.Text, "\n") {
				_ = out.WriteByte('\n')
			}
		case loci.EventToolStarted:
			c.step(e)
		case loci.EventTurnFinished:
			var fin loci.TurnFinished
			if err := e.DecodeData(&fin); err != nil {
				return err
			}
			if fin.Error != nil {
				return fin.Error
			}
			if fin.State == loci.TurnInterrupted {
				return loci.Errorf(loci.Conflict, "The turn was stopped before it was done.")
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// step tells a person which tool runs.
func (c *command) step(e loci.Event) {
	var d loci.ToolStarted
	if !c.Terminal || e.DecodeData(&d) != nil {
		return
	}
	line := []rune(d.Call.Name + " " + string(d.Call.Arguments))
	if most := max(c.Width-4, 20); len(line) > most {
		line = append(line[:most-1], '…')
	}
	fmt.Fprintf(c.Err, "· %s\n", string(line))
}
