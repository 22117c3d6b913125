package secret

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"loci"
	"loci/internal/redact"
	"loci/internal/text"
)

// usual is how long a command may run.
const usual = 10 * time.Second

// command gives what a program prints, without the line end. It gets no input,
// and runs in the configuration folder.
func (s Sources) command(ctx context.Context, line string) (string, error) {
	argv, err := words(line)
	if err != nil || len(argv) == 0 {
		return "", loci.Errorf(loci.Invalid, "The command cannot be read: it is empty, or a quote is not closed.").
			WithHint("Write it like cmd:vault kv get -field=key secret/loci")
	}
	program, err := s.program(argv[0])
	if err != nil {
		return "", err
	}
	for _, arg := range argv[1:] { // a script for an interpreter, say
		if err := s.closedArgument(arg); err != nil {
			return "", err
		}
	}
	limit := s.Patience
	if limit <= 0 {
		limit = usual
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, said := &bounded{most: MaxValue}, &bounded{most: 4 << 10}
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.Dir, out, said
	if _, err := os.Stat(s.Dir); err != nil {
		cmd.Dir = os.TempDir() // there is no configuration folder before the first start
	}
	alone(cmd)
	cmd.WaitDelay = time.Second // for what it left behind with its output
	err = cmd.Run()
	name := filepath.Base(program)
	switch {
	case ctx.Err() != nil:
		return "", loci.Wrap(loci.Timeout, ctx.Err(), "The program %s did not come to an end within %v.", name, limit).
			WithHint("Run it in a terminal: it may want to be logged in.")
	case err != nil:
		return "", loci.Errorf(loci.Invalid, "The program %s failed: %v%s.", name, reason(err), s.complaint(said.String(), out.String())).
			WithHint("Run it in a terminal to see why.")
	case out.cut:
		return "", loci.Errorf(loci.Invalid, "The program %s printed more than %d kB, which is no secret.", name, MaxValue>>10).
			WithHint("Have it print the secret alone.")
	}
	return trimLine(out.String()), nil
}

// program finds the program of a command.
func (s Sources) program(name string) (string, error) {
	if path, ok := s.absolute(name); ok {
		name = path
	}
	path, err := exec.LookPath(name)
	if err != nil || !filepath.IsAbs(path) { // a relative one would be another in each folder
		return "", loci.Wrap(loci.NotFound, err, "The program %q is not found.", text.Clip(name, 200)).
			WithHint("Install it, or write its absolute path.")
	}
	return path, s.closed(path)
}

// closedArgument refuses an argument that is a path to what models may change.
func (s Sources) closedArgument(arg string) error {
	path, ok := s.absolute(arg)
	if !ok {
		path = filepath.Join(s.Dir, arg)
	}
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	return s.closed(path)
}

// complaint is what a program said of its failure, in one line.
func (s Sources) complaint(said, printed string) string {
	const most = 1 << 10 // bytes of what was printed that may be repeated
	known := redact.New(strings.Fields(printed[:min(len(printed), most)])...)
	said = strings.Join(strings.Fields(known.Text(said)), " ")
	if said == "" {
		return ""
	}
	return " (" + strings.TrimRight(text.Clip(said, 200), ".") + ")"
}

// reason is why a program failed, without its path.
func reason(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	kept bytes.Buffer
	most int
	cut  bool
}

// Write takes all, so that the program is not held up, and keeps what fits.
func (b *bounded) Write(p []byte) (int, error) {
	fits := min(len(p), b.most-b.kept.Len())
	b.cut = b.cut || fits < len(p)
	b.kept.Write(p[:fits])
	return len(p), nil
}

// String is what was kept.
func (b *bounded) String() string { return b.kept.String() }
