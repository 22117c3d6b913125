package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

func TestInputLines(t *testing.T) {
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		from io.Reader
		want []string
		err  error
	}{
		"lines":        {strings.NewReader("a\nb\n"), []string{"a\n", "b\n", ""}, io.EOF},
		"without end":  {strings.NewReader("a\nb"), []string{"a\n", "b"}, io.EOF},
		"byte by byte": {iotest.OneByteReader(strings.NewReader("ab\nc")), []string{"ab\n", "c"}, io.EOF},
		"at once":      {iotest.DataErrReader(strings.NewReader("ab\nc")), []string{"ab\n", "c"}, io.EOF},
		"broken":       {io.MultiReader(strings.NewReader("a"), iotest.ErrReader(broken)), []string{"a"}, broken},
		"nothing":      {nil, []string{""}, io.EOF},
	} {
		in := newInput(tt.from)
		for i, want := range tt.want {
			line, err := in.line(t.Context())
			if last := i == len(tt.want)-1; line != want || last && !errors.Is(err, tt.err) || !last && err != nil {
				t.Errorf("%s: line %d is %q, %v", name, i+1, line, err)
			}
		}
	}
	if _, err := newInput(strings.NewReader(strings.Repeat("x", maxTyped+9000))).line(t.Context()); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("a line without an end: %v", err)
	}
}

// What is typed after a wait was given up goes to the next one, unless it is
// forgotten.
func TestInputGivenUp(t *testing.T) {
	for _, forget := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			from, keyboard := io.Pipe()
			in := newInput(from)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { synctest.Wait(); cancel() }()
			if line, err := in.line(ctx); line != "" || !errors.Is(err, context.Canceled) {
				t.Errorf("%q, %v", line, err)
			}
			_, _ = io.WriteString(keyboard, "y\n")
			synctest.Wait()
			want := "y\n"
			if forget {
				in.forget()
				want = "later\n"
			}
			go func() { _, _ = io.WriteString(keyboard, "later\n"); _ = keyboard.Close() }()
			if line, err := in.line(t.Context()); line != want || err != nil {
				t.Errorf("%q, %v; want %q", line, err, want)
			}
			_, _ = io.Copy(io.Discard, from)
		})
	}
}
