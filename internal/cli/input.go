package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"loci"
)

// maxTyped bounds one message from the standard input, in bytes.
const maxTyped = 8 << 20

// input is what a person types. A read of a terminal cannot be called off, but a
// wait for it can: what is typed later then goes to whoever waits next. One at a
// time may wait.
type input struct {
	from  io.Reader
	reads chan piece
	busy  bool   // a read is under way
	rest  []byte // read, and not used yet
	err   error  // of the last read, not told yet
}

// piece is what one read gave.
type piece struct {
	data []byte
	err  error
}

func newInput(from io.Reader) *input {
	if from == nil {
		from = strings.NewReader("")
	}
	return &input{from: from, reads: make(chan piece, 1)}
}

// fill waits for one read.
func (in *input) fill(ctx context.Context) error {
	if !in.busy {
		in.busy = true
		go func() {
			buf := make([]byte, 4096)
			n, err := in.from.Read(buf)
			in.reads <- piece{buf[:n], err}
		}()
	}
	select {
	case p := <-in.reads:
		in.busy, in.rest, in.err = false, append(in.rest, p.data...), p.err
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// comes waits until something can be read, or an end.
func (in *input) comes(ctx context.Context) error {
	if len(in.rest) > 0 || in.err != nil {
		return nil
	}
	return in.fill(ctx)
}

// read gives what comes next, as io.Reader does. An end is told once: on a
// terminal, more may follow it.
func (in *input) read(ctx context.Context, p []byte) (int, error) {
	for len(in.rest) == 0 {
		if err := in.err; err != nil {
			in.err = nil
			return 0, err
		}
		if err := in.fill(ctx); err != nil {
			return 0, err
		}
	}
	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

// line gives the next line with its end, or what there is before an error.
func (in *input) line(ctx context.Context) (string, error) {
	for {
		if end := bytes.IndexByte(in.rest, '\n') + 1; end > 0 {
			line := string(in.rest[:end])
			in.rest = in.rest[end:]
			return line, nil
		}
		if err := in.err; err != nil {
			line := string(in.rest)
			in.rest, in.err = nil, nil
			return line, err
		}
		if len(in.rest) > maxTyped {
			return "", loci.Errorf(loci.Invalid, "A line on the standard input is longer than 8 MiB.")
		}
		if err := in.fill(ctx); err != nil {
			return "", err
		}
	}
}

// forget drops what was typed before a question was there to be read.
func (in *input) forget() {
	in.rest = nil
	if !in.busy {
		return
	}
	select {
	case p := <-in.reads:
		in.busy, in.err = false, p.err
	default:
	}
}

// fresh drops what was typed before: it was no answer to the question that comes.
func (c *command) fresh() {
	c.in.forget()
	if c.Forget != nil {
		c.Forget()
	}
}

// untilDone is the input as an io.Reader.
type untilDone struct {
	ctx context.Context
	in  *input
}

func (r untilDone) Read(p []byte) (int, error) { return r.in.read(r.ctx, p) }

// prompt puts a question to the person and gives the line that they answer; at the
// end of the input it is empty, without even a line end.
func (c *command) prompt(ctx context.Context, question string) (string, error) {
	fmt.Fprint(c.Err, question)
	line, err := c.in.line(ctx)
	if !strings.HasSuffix(line, "\n") {
		fmt.Fprintln(c.Err) // nobody pressed Enter
	}
	if errors.Is(err, io.EOF) {
		err = nil // no answer is an answer too
	}
	return line, err
}
