package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
)

// chat is the command for a conversation, line by line.
func (c *command) chat() *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk with the model; /help lists what else can be typed",
		Long: `Talk with the model. Each line is a message; one that ends in \ goes on in the
next. /help lists what else can be typed. Off a terminal the messages are the
lines of the standard input.`,
		Args: arguments(noSuchCommand),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), app.Options{Fetch: true, Stays: true}, func(ctx context.Context, s server) error {
				return c.converse(ctx, s, session)
			})
		},
	}
	c.serverFlags(cmd, "listen", "backend", "model", "allow", "key")
	cmd.Flags().StringVar(&session, "session", "", "go on in the session with this `ID`")
	c.complete(cmd, "session", listSessions)
	return cmd
}

// conversation is a person who talks with the model.
type conversation struct {
	c          *command
	s          server
	req        chatRequest // of the next message
	model      string      // that answered last
	keys       *keys
	interrupts <-chan os.Signal
	warned     bool // that one more Ctrl-C ends it
}

// errQuit ends a conversation in order.
var errQuit = errors.New("the person wants to leave")

// converse talks with the person until they leave.
func (c *command) converse(ctx context.Context, s server, session string) error {
	t := &conversation{c: c, s: s, req: chatRequest{Session: session, Model: c.model()}}
	var err error
	if t.req.Folders, t.req.Working, err = c.here(ctx, true); err != nil {
		return err
	}
	if session != "" {
		var known loci.Session
		if err := s.get(ctx, sessionPath(session), &known); err != nil {
			return c.sessionHint(err)
		}
		t.model = known.Model
	}
	if c.Terminal && t.req.Model == "" && t.model == "" {
		t.model = s.usual(ctx)
	}
	if c.Interrupts != nil { // from here on, the first one only stops an answer
		signals, stop := c.Interrupts()
		defer stop()
		ctx, t.interrupts = context.WithoutCancel(ctx), signals
	}
	t.keys = &keys{c: c, interrupts: t.interrupts}
	t.greet()
	for err == nil {
		err = t.once(ctx)
	}
	if c.Terminal && t.req.Session != "" {
		c.say("To go on with this: %s chat --session %s", c.program(), t.req.Session)
	}
	if errors.Is(err, errQuit) {
		return nil
	}
	return err
}

// greet says where the person is.
func (t *conversation) greet() {
	if !t.c.Terminal {
		return
	}
	model := cmp.Or(t.req.Model, t.model, "the default model")
	open := "It may look into no folder"
	if len(t.req.Folders) > 0 {
		open = "It may look into " + strings.Join(t.req.Folders, ", ")
	}
	t.c.say("You talk with %s. %s. /help lists what you can type, /quit leaves.", plain(model), open)
}

// once takes one message, or one command.
func (t *conversation) once(ctx context.Context) error {
	text, err := t.keys.message(ctx)
	switch {
	case errors.Is(err, errInterrupted):
		if t.warned || !t.c.Terminal {
			return failed(loci.ExitInterrupted)
		}
		t.warned = true
		t.c.say("Press Ctrl-C once more to leave, or type /quit.")
		return nil
	case errors.Is(err, io.EOF):
		return errQuit
	case err != nil:
		return err
	}
	t.warned = false
	text = strings.TrimSpace(text)
	if name, ok := commandName(text); ok {
		return t.command(name)
	}
	if strings.HasPrefix(text, "//") {
		text = text[1:]
	}
	if text == "" {
		return nil
	}
	return t.say(ctx, text)
}

// commandName tells whether a message is a command: one line that begins with
// one slash and a word. A path is none.
func commandName(text string) (string, bool) {
	word, _, _ := strings.Cut(text, " ")
	name, ok := strings.CutPrefix(word, "/")
	return name, ok && !strings.ContainsAny(name, "/.\n") && strings.IndexFunc(name, unicode.IsSpace) < 0
}

// chatHelp is what can be typed.
const chatHelp = `Each line is a message. End it in \ to go on in the next one.
  /newsession  begins a new conversation (also /new)
  /quit        leaves (also /exit, /q, and Ctrl-D)
  /help        shows this
  //…          sends a message that begins with a slash
Ctrl-C stops an answer.
`

// command runs what was typed after a slash.
func (t *conversation) command(name string) error {
	switch strings.ToLower(name) {
	case "quit", "exit", "q", "bye":
		return errQuit
	case "newsession", "new":
		t.req.Session = ""
		t.c.say("A new conversation begins.")
	case "help", "h", "?":
		fmt.Fprint(t.c.Err, chatHelp)
	default:
		t.c.say("There is no command /%s, and nothing was sent. /help lists the commands; to send it as a message, begin with two slashes.", plain(name))
	}
	return nil
}

// say sends a message and shows the turn. What goes wrong with it is told, and
// at a terminal the conversation goes on.
func (t *conversation) say(ctx context.Context, text string) error {
	turn := t.c.newTalk(t.s)
	turn.interrupts, turn.named = t.interrupts, t.named(turn.p)
	req := t.req
	req.Message = text
	err := turn.run(ctx, t.s.begin(req))
	t.req.Session = cmp.Or(turn.session, t.req.Session)
	_, over := errors.AsType[failed](err)
	switch {
	case err == nil || over || ctx.Err() != nil:
		return err
	case errors.Is(err, errStopped):
		if t.c.Terminal {
			t.c.say("· stopped")
			return nil
		}
		return failed(loci.ExitInterrupted)
	case !t.c.Terminal:
		return err
	}
	t.c.report(ctx, err)
	return nil
}

// named says which model answers, unless the person knows.
func (t *conversation) named(p *printer) func(string) {
	return func(model string) {
		if t.req.Model == "" && model != "" && model != t.model {
			_ = p.aside(model + " answers") // the next write reports
		}
		t.model = model
	}
}
