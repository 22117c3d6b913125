package cli

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// atTerminal fills in what a terminal can do, as far as there is one.
func (w *World) atTerminal() {
	in, out, errs := int(os.Stdin.Fd()), int(os.Stdout.Fd()), int(os.Stderr.Fd())
	w.Watched = term.IsTerminal(errs)
	w.Terminal = term.IsTerminal(in) && w.Watched
	w.Piped = isPiped(os.Stdin)
	w.Dumb = os.Getenv("TERM") == "dumb"
	w.Colour = !w.Dumb && os.Getenv("NO_COLOR") == ""
	w.Width = cmp.Or(width(errs), usual)
	if term.IsTerminal(out) {
		w.OutWidth = cmp.Or(width(out), usual)
	}
	if !w.Terminal {
		return
	}
	w.Forget = func() { forget(in) }
	w.Hidden = func(ctx context.Context) (string, error) { return hidden(ctx, in) }
	if !w.Dumb {
		w.Raw = func() (int, func(), error) {
			before, err := term.MakeRaw(in)
			if err != nil {
				return 0, nil, err
			}
			return width(errs), func() { _ = term.Restore(in, before) }, nil
		}
	}
}

// hidden reads a line that the terminal does not show. However it ends, the
// terminal shows again what is typed.
func hidden(ctx context.Context, in int) (string, error) {
	before, err := term.GetState(in)
	if err != nil {
		return "", err
	}
	type line struct {
		text []byte
		err  error
	}
	done := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(in)
		done <- line{text, err}
	}()
	select {
	case l := <-done:
		return string(l.text), l.err
	case <-ctx.Done():
		_ = term.Restore(in, before)
		return "", ctx.Err()
	}
}

// usual is how wide a terminal is that does not tell.
const usual = 80

// width is how wide a terminal is, and 0 where that is not known.
func width(fd int) int {
	columns, _, err := term.GetSize(fd)
	if err != nil {
		return 0
	}
	return columns
}

// Ends are the signals that ask a program to end. That the terminal was closed is one,
// unless the program was started to outlive that, as nohup does.
func Ends() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

// interrupts gives them one by one.
func interrupts() (<-chan os.Signal, func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, Ends()...)
	return signals, func() { signal.Stop(signals) }
}

// The ways to write on a terminal.
const (
	bold  = "\x1b[1m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	ended = "\x1b[0m"
)

// painted gives a text in a colour, where that is wanted.
func painted(wanted bool, colour, text string) string {
	if !wanted || text == "" {
		return text
	}
	return colour + text + ended
}
