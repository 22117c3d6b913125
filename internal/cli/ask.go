package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

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
		Long: `Ask one question. What is piped in is put below it, as what it is about; "-" alone
reads the question itself from there, and "-" behind the question waits for what is
piped in, however long that takes to come.

  git diff | loci ask "What does this change?"
  loci ask - <question.txt`,
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
					return c.sought(c.askWhole(ctx, s, req))
				}
				t := c.newTalk(s)
				if err := t.run(ctx, s.begin(req)); err != nil || !t.denied {
					return c.sought(err)
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

// sought says where to look for a session that is not there.
func (c *command) sought(err error) error {
	if e, ok := errors.AsType[*loci.Error](err); ok && e.Code == loci.NotFound && e.Hint == "" {
		return e.WithHint("See which there are: %s sessions", c.program())
	}
	return err
}

// question gives the text to ask: the words of the command line, below them what was
// piped in, or for "-" alone what was piped in.
func (c *command) question(ctx context.Context, args []string) (text string, err error) {
	awaited := len(args) > 0 && args[len(args)-1] == "-"
	if awaited {
		args = args[:len(args)-1]
	}
	text = strings.Join(args, " ")
	switch worded := strings.TrimSpace(text) != ""; {
	case awaited && !worded:
		text, err = c.piped(ctx, maxTyped, "Ask about a part of it.")
	case worded && (awaited || c.Piped && c.comes(ctx)):
		text, err = c.about(ctx, text)
	}
	if err == nil && strings.TrimSpace(text) == "" {
		return "", usageError{fmt.Errorf("what is the question?"), fmt.Sprintf(`%s ask "What day is it?", or from a file: %[1]s ask - <FILE`, c.program())}
	}
	return text, err
}

// maxMaterial is how much can be piped in below a question, in bytes: more than most
// models of a person's own read.
const maxMaterial = 300_000

// about puts what was piped in below the words, marked as a document that a client added:
// it may come from anywhere, and is no words of the person's.
func (c *command) about(ctx context.Context, words string) (string, error) {
	material, err := c.piped(ctx, maxMaterial, "Put it into a file in a folder that models may look into, and ask about that file.")
	if err != nil || strings.TrimSpace(material) == "" {
		return words, err
	}
	material = sourceMark.ReplaceAllString(strings.TrimRight(material, "\r\n"), "< $1")
	return fmt.Sprintf("%s\n\n<source id=\"1\" name=\"standard input\">\n%s\n</source>", words, material), nil
}

// sourceMark is what looks in the material like the end or the beginning of a document.
// loci looks for the last end, but a model stops at the first.
var sourceMark = regexp.MustCompile(`(?i)<(/\s*source|source id=)`)

// piped reads the standard input to its end.
func (c *command) piped(ctx context.Context, most int, otherwise string) (string, error) {
	data, err := io.ReadAll(io.LimitReader(untilDone{ctx, c.in}, int64(most)+1))
	switch {
	case err != nil:
		return "", loci.Errorf(loci.Internal, "The standard input cannot be read: %w.", err)
	case len(data) > most:
		return "", loci.Errorf(loci.Invalid, "The standard input is longer than %s.", megabytes(int64(most))).WithHint("%s", otherwise)
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return "", loci.Errorf(loci.Invalid, "What comes on the standard input is no text.").WithHint("Give the name of a file instead, in a folder that models may look into.")
	}
	return string(data), nil
}

// unhurried is how long a program that pipes something in may take to begin.
const unhurried = 3 * time.Second

// comes waits until there is something on the standard input, or its end. Nobody may
// have meant to pipe anything in, and what a program was started with may never end: so
// the question does not wait for ever, unless somebody sees that it waits.
func (c *command) comes(ctx context.Context) bool {
	soon, cancel := context.WithTimeout(ctx, unhurried)
	defer cancel()
	switch err := c.in.comes(soon); {
	case err == nil || ctx.Err() != nil:
		return true // who reads hears what is wrong
	case c.Watched:
		c.say("loci: waiting for what is piped in; Ctrl-C ends that. To ask without it: %s ask … </dev/null", c.program())
		return true
	}
	c.say("loci: nothing came on the standard input within %v, so the question goes without it. To wait for it: %s ask … -", unhurried, c.program())
	return false
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
