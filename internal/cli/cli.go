// Package cli is the command line: it starts the program, or talks over HTTP to
// one that runs already.
//
// What a command prints for use goes to the standard output; progress,
// questions and errors go to the standard error output. An error is one line
// that says what happened and one that says what to do, and the exit code tells
// scripts its kind (see loci.Code.Exit).
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
	"loci/internal/config"
	"loci/internal/redact"
)

// World is what the commands see of the system.
type World struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Folder   string // where the person is
	Program  string // how to start loci from where they are; empty: loci
	Terminal bool   // In and Err are a terminal: questions may be asked
	Watched  bool   // Err is a terminal: somebody sees what is said
	Piped    bool   // In is another program or a file
	Dumb     bool   // it only takes lines, one below the other
	Colour   bool   // a terminal may be written on in colours
	Width    int    // of Err in characters
	OutWidth int    // of Out; 0: it is no terminal, and lines are as long as they are
	// Raw has each key come at once until restore is called, and tells how wide
	// the terminal is; nil where there is no terminal that could.
	Raw func() (width int, restore func(), err error)
	// Forget drops what was typed and not read yet; nil where there is no terminal.
	Forget func()
	// Interrupts gives the signals that ask for an end, for commands that the
	// first one does not end; nil: their context tells.
	Interrupts func() (signals <-chan os.Signal, stop func())
	// Hidden reads a line that is not shown while it is typed; nil where there is no
	// terminal that could.
	Hidden func(context.Context) (string, error)

	hide *redact.Redactor // what is never printed but where it is asked for; nil: nothing known
}

// System is the real world.
func System() World {
	w := World{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Interrupts: interrupts}
	w.Folder, _ = os.Getwd() // without one, no folder is offered
	w.Program = program(os.Getenv)
	w.atTerminal()
	return w
}

// program is what to type to start this program: its name if the shell finds
// this one by it, otherwise its path.
func program(getenv func(string) string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	if found, err := exec.LookPath("loci"); err == nil && same(found, self) {
		return ""
	}
	path := self
	if home, ok := config.Expand("~", "", getenv); ok && home != "/" && runtime.GOOS != "windows" {
		if below, ok := strings.CutPrefix(self, home+"/"); ok {
			path = "~/" + below
		}
	}
	if strings.ContainsAny(path, " \t'\"$`\\;&|<>()*?[") {
		return "" // it would need quotes, and another hint is no help
	}
	return path
}

// same tells whether two paths lead to one file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// program is how to start loci from where the person is.
func (w World) program() string { return cmp.Or(w.Program, "loci") }

// Main runs one command and gives the exit code.
func Main(ctx context.Context, w World, args []string) int {
	w.hide = redact.New()
	root := newRoot(w)
	root.SetArgs(args)
	return w.report(ctx, root.ExecuteContext(ctx))
}

// usageError is a command that was not understood, and what to try instead.
type usageError struct {
	error
	try string
}

// failed ends a command with an exit code, everything having been said.
type failed int

func (f failed) Error() string { return fmt.Sprintf("exit code %d", int(f)) }

// report prints an error the way people read it.
func (w World) report(ctx context.Context, err error) int {
	if err == nil {
		return loci.ExitOK
	}
	if f, ok := errors.AsType[failed](err); ok {
		return int(f)
	}
	if ctx.Err() != nil {
		return loci.ExitInterrupted
	}
	if u, ok := errors.AsType[usageError](err); ok {
		w.sayBeside("loci: ", u.Error())
		w.sayBeside("Try: ", u.try)
		return loci.ExitUsage
	}
	shown := loci.AsError(err)
	shown = &loci.Error{Code: shown.Code, Message: w.hide.Text(shown.Message), Hint: w.hide.Text(shown.Hint)}
	if _, told := errors.AsType[*loci.Error](err); !told && shown.Code == loci.Internal {
		w.sayBeside("loci: ", fmt.Sprintf("%s (%s)", shown.Message, w.hide.Text(err.Error()))) // the sentence alone says nothing
	} else {
		w.sayBeside("loci: ", shown.Message)
	}
	if shown.Hint != "" {
		w.sayBeside("      ", shown.Hint)
	}
	if _, ok := errors.AsType[*config.Error](err); ok {
		return loci.ExitConfig
	}
	return shown.Code.Exit()
}

// command is what all commands share.
type command struct {
	World
	in    *input // In; one, since it reads ahead
	file  string // config.yaml given by flag
	flags map[string][]string
	paths config.Paths
	conf  config.Config
	odd   int // warnings about the configuration
}

func newRoot(w World) *cobra.Command {
	c := &command{World: w, in: newInput(w.In), flags: map[string][]string{}}
	root := &cobra.Command{
		Use:   "loci",
		Short: "A personal agent between your chat window and your local model",
		Long: `loci stands between the chat window you like and the model that runs on this
machine. It tells the model where and when it is, lets it work in the folders
you allow, and remembers the conversation.

Start with: loci up`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       app.Build(),
		Args:          arguments(noSuchCommand),
		RunE:          help,
	}
	root.SuggestionsMinimumDistance = 2 // letters that a mistyped command may differ in
	root.SetIn(w.In)
	root.SetOut(w.Out)
	root.SetErr(w.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{err, cmd.CommandPath() + " --help"} })
	root.PersistentFlags().StringVar(&c.file, "config", "", "configuration `FILE` instead of the usual one")
	root.AddCommand(c.up(), c.serve(), c.ask(), c.chat(), c.allow(), c.approvals(), c.apiKeys(), c.audit(), c.undo(), c.doctor(), c.models(), c.tools(), c.sessions(), c.configure(), c.secret(), c.version())
	return root
}

// help is what a command does that only has others below it.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// noSuchCommand refuses the words of a command that there is not.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	_, below, _ := strings.Cut(cmd.CommandPath()+" ", " ") // without the name of the program
	name := below + args[0]
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("there is no command %.60q; did you mean %s?", name, near[0])
	}
	return fmt.Errorf("there is no command %.60q", name)
}

// arguments checks the number of arguments and makes a mistake a usage error.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{err, cmd.CommandPath() + " --help"}
		}
		return nil
	}
}

// serverFlags adds flags that change settings of a server.
func (c *command) serverFlags(cmd *cobra.Command, names ...string) {
	for _, f := range []struct {
		name, setting, usage string
		many                 bool
	}{
		{"listen", "listen", "`ADDRESS` to listen on, such as 127.0.0.1:5624; port 0 picks a free one", false},
		{"backend", "backends", "`URL` of a model server; may be given several times", true},
		{"model", "model", "`NAME` of the model for requests that name none", false},
		{"allow", "folders", "`FOLDER` that the model may look into, besides those of the configuration; may be given several times", true},
		{"key", "key", "the `KEY` that opens everything", false},
	} {
		if !slices.Contains(names, f.name) {
			continue
		}
		v := &setting{c: c, name: f.setting, many: f.many, path: f.setting == "folders"}
		cmd.Flags().Var(v, f.name, f.usage)
	}
	if slices.Contains(names, "model") {
		c.complete(cmd, "model", listModels)
	}
}

// setting is a flag that stands for a setting of the configuration.
type setting struct {
	c          *command
	name       string
	many, path bool
}

// Set takes a value from the command line.
func (s *setting) Set(v string) error {
	if s.path && v != "" {
		if full, ok := config.Expand(v, s.c.Folder, s.c.Getenv); ok {
			v = full // what cannot be expanded is refused with the other settings
		}
	}
	if !s.many {
		s.c.flags[s.name] = nil
	}
	s.c.flags[s.name] = append(s.c.flags[s.name], v)
	return nil
}

// String gives the default, of which there is none.
func (s *setting) String() string { return "" }

// Type names the value in the help text.
func (s *setting) Type() string { return "text" }

// load reads the configuration and says what is odd in it.
func (c *command) load() (err error) {
	if c.paths, err = config.FindPaths(c.Getenv); err != nil {
		return err
	}
	if c.file != "" {
		if c.paths.Config, err = filepath.Abs(c.file); err != nil {
			return err
		}
		if _, err := os.Stat(c.paths.Config); errors.Is(err, fs.ErrNotExist) {
			e := loci.Errorf(loci.Invalid, "There is no configuration file %s.", c.paths.Config).WithHint("Correct the path that was given with --config.")
			return &config.Error{File: c.paths.Config, Err: e}
		}
	}
	conf, warnings, err := config.Load(c.sources())
	if err != nil {
		return err
	}
	for _, w := range warnings[min(c.odd, len(warnings)):] { // again after a first run
		c.say("loci: %s", w)
	}
	c.conf, c.paths, c.odd = conf, c.paths.For(conf), len(warnings)
	return c.checkAllow()
}

// sources are where the settings come from.
func (c *command) sources() config.Sources {
	return config.Sources{File: c.paths.Config, Env: c.Getenv, Flags: c.flags}
}

// resolve gets the secrets that the configuration refers to. It is for commands
// that need them: a program may run for it.
func (c *command) resolve(ctx context.Context) error {
	for _, use := range c.conf.Resolve(ctx, c.paths, c.Getenv) {
		if use.Err != nil {
			return use.Err
		}
		if use.Note != "" {
			c.say("loci: %s refers to %s: %s.", use.Setting, use.From, use.Note)
		}
	}
	c.hide.Add(c.conf.Secrets()...)
	return nil
}

// logger writes JSON lines to the configured file, or else to w.
func (c *command) logger(w io.Writer) (*slog.Logger, func() error, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.conf.Log.Level)); err != nil {
		return nil, nil, err
	}
	done := func() error { return nil }
	if c.conf.Log.File != "" {
		f, err := openLog(c.conf.Log.File)
		if err != nil {
			return nil, nil, err
		}
		w, done = f, f.Close
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})), done, nil
}

func openLog(path string) (*os.File, error) {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return nil, loci.Errorf(loci.Internal, "The log cannot be written: %w.", err).
			WithHint("Make its folder writable for you, or keep loci's files elsewhere: set LOCI_HOME to another folder.")
	}
	return f, nil
}

// labelled writes a row of a table for people to the standard output.
func (w World) labelled(b *strings.Builder, wide int, label, text string) {
	b.WriteString(labelled(w.OutWidth, wide, label, text))
}

// labelled makes a row: a label that takes wide characters, and beside it a
// text, of which no word is broken at the end of a line of width characters; 0
// is a line without an end.
func labelled(width, wide int, label, text string) string {
	var b strings.Builder
	line := fmt.Sprintf("%-*s", wide, label)
	empty := true
	for word := range strings.FieldsSeq(text) {
		if !empty && width > 0 && utf8.RuneCountInString(line+" "+word) > width {
			b.WriteString(line + "\n")
			line, empty = strings.Repeat(" ", wide), true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	b.WriteString(line + "\n")
	return b.String()
}

// say prints a sentence for the person.
func (w World) say(format string, args ...any) {
	w.sayBeside("", fmt.Sprintf(format, args...))
}

// sayBeside prints a sentence beside a label.
func (w World) sayBeside(label, text string) {
	width := 0
	if w.Terminal {
		width = w.Width
	}
	fmt.Fprint(w.Err, labelled(width, len(label), label, w.hide.Known().Text(text)))
}
