package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"loci"
)

// errInterrupted is a Ctrl-C where something could be typed.
var errInterrupted = errors.New("interrupted")

// keys reads the messages of a conversation. At a terminal that can be edited on,
// a line can be changed with the arrow keys, and earlier ones come back.
type keys struct {
	c          *command
	interrupts <-chan os.Signal
	editor     *term.Terminal // nil: made for the next line
	keyboard   *keyboard      // of the editor
	history    term.History
}

// pasteOn and pasteOff have a terminal mark text that is pasted, or not.
const pasteOn, pasteOff = "\x1b[?2004h", "\x1b[?2004l"

// The prompts of a first line, and of one that belongs to the line before.
const firstPrompt, nextPrompt = "> ", "… "

// message gives the next message: a line, or several where they end in a
// backslash or are pasted at once.
func (k *keys) message(ctx context.Context) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	line := func(prompt string) (text string, more bool, err error) { return k.plain(ctx, prompt) }
	if k.c.Terminal && k.c.Raw != nil {
		width, restore, err := k.c.Raw()
		if err == nil {
			defer restore()
			k.edit(ctx, width)
			defer fmt.Fprint(k.c.Err, pasteOff)
			line = k.edited
		}
	}
	var message strings.Builder
	for prompt := firstPrompt; ; prompt = nextPrompt {
		text, more, err := k.await(cancel, func() (string, bool, error) { return line(prompt) })
		message.WriteString(text)
		if errors.Is(err, io.EOF) && message.Len() > 0 && !k.c.Terminal {
			return message.String(), nil // the last line has no end
		}
		if err != nil || !more {
			return message.String(), err
		}
		message.WriteByte('\n')
	}
}

// await waits for a line, or for the person to interrupt.
func (k *keys) await(cancel context.CancelFunc, line func() (string, bool, error)) (text string, more bool, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		text, more, err = line()
	}()
	select {
	case <-done:
		return text, more, err
	case sig := <-k.interrupts:
		cancel()
		<-done
		if sig != os.Interrupt {
			return "", false, failed(loci.ExitInterrupted)
		}
		return "", false, errInterrupted
	}
}

// continued takes the backslash from the end of a line that goes on.
func continued(line string) (string, bool) {
	if strings.HasSuffix(line, `\\`) {
		return line, false
	}
	return strings.CutSuffix(line, `\`)
}

// plain reads a line as the terminal, or a file, gives it.
func (k *keys) plain(ctx context.Context, prompt string) (text string, more bool, err error) {
	if k.c.Terminal {
		fmt.Fprint(k.c.Err, prompt)
	}
	line, err := k.c.in.line(ctx)
	if err != nil && k.c.Terminal {
		fmt.Fprintln(k.c.Err) // nobody pressed Enter
	}
	text, more = continued(strings.TrimRight(line, "\r\n"))
	return text, more, err
}

// edit makes ready for lines that can be edited. What was typed ahead stays with
// the editor.
func (k *keys) edit(ctx context.Context, width int) {
	if k.editor == nil {
		k.keyboard = &keyboard{untilDone{ctx, k.c.in}, k.c.Err}
		k.editor = term.NewTerminal(k.keyboard, "")
		if k.history != nil {
			k.editor.History = k.history
		}
	}
	k.keyboard.ctx = ctx
	if width > 0 {
		_ = k.editor.SetSize(width, 1) // fails only where there is text
	}
	fmt.Fprint(k.c.Err, pasteOn)
}

// edited reads a line that can be edited.
func (k *keys) edited(prompt string) (text string, more bool, err error) {
	k.editor.SetPrompt(prompt)
	text, err = k.editor.ReadLine()
	if errors.Is(err, term.ErrPasteIndicator) {
		return text, true, nil
	}
	if err != nil { // the editor still holds what was typed so far
		fmt.Fprint(k.c.Err, "\r\n")
		k.history, k.editor = k.editor.History, nil
		return "", false, err
	}
	text, more = continued(text)
	return text, more, nil
}

// keyboard is a terminal in raw mode, where Ctrl-C is a key.
type keyboard struct {
	untilDone
	io.Writer
}

// Read gives the keys that were pressed.
func (k *keyboard) Read(p []byte) (int, error) {
	const ctrlC = 3
	n, err := k.untilDone.Read(p)
	if bytes.IndexByte(p[:n], ctrlC) >= 0 {
		return 0, errInterrupted
	}
	return n, err
}
