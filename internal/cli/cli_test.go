package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/app"
	"loci/internal/config"
)

func TestReport(t *testing.T) {
	cause := errors.New("no such device")
	for name, tt := range map[string]struct {
		err  error
		want string
		code int
	}{
		"none":      {nil, "", loci.ExitOK},
		"said":      {failed(5), "", loci.ExitDenied},
		"usage":     {usageError{errors.New("there is no question")}, "loci: there is no question\nTry: loci help\n", loci.ExitUsage},
		"sentence":  {loci.Errorf(loci.Unreachable, "It is gone."), "loci: It is gone.\n", loci.ExitUnreachable},
		"hint":      {loci.Errorf(loci.Forbidden, "No.").WithHint("Ask."), "loci: No.\n      Ask.\n", loci.ExitDenied},
		"with %w":   {loci.Errorf(loci.Internal, "The log cannot be written: %w.", cause), "loci: The log cannot be written: no such device.\n", loci.ExitFailure},
		"wrapped":   {loci.Wrap(loci.Internal, cause, "The log cannot be written."), "loci: The log cannot be written.\n", loci.ExitFailure},
		"around":    {fmt.Errorf("outside: %w", loci.Errorf(loci.Timeout, "Too long.")), "loci: Too long.\n", loci.ExitTimeout},
		"foreign":   {cause, "loci: Something went wrong inside loci. (no such device)\n      The log has the details.\n", loci.ExitFailure},
		"deadline":  {context.DeadlineExceeded, "loci: This took too long and was stopped.\n", loci.ExitTimeout},
		"configure": {&config.Error{Err: loci.Errorf(loci.Invalid, "f:1: bad.")}, "loci: f:1: bad.\n", loci.ExitConfig},
	} {
		var out strings.Builder
		code := World{Err: &out}.report(t.Context(), tt.err)
		if out.String() != tt.want || code != tt.code {
			t.Errorf("%s: %d, %q; want %d, %q", name, code, out.String(), tt.code, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := (World{}).report(ctx, fmt.Errorf("cut: %w", context.Canceled)); code != loci.ExitInterrupted {
		t.Errorf("interrupted: %d", code)
	}
}

func TestUsage(t *testing.T) {
	p := newPerson(t, nowhere)
	for line, want := range map[string]string{
		"sever":               "did you mean serve?",
		"nothing-like-it":     "there is no command",
		"ask":                 "requires at least 1 arg",
		"serve extra":         "unknown command",
		"serve --no-such":     "unknown flag",
		"serve --listen":      "needs an argument",
		"config show extra":   "unknown command",
		"config shaw":         "did you mean show?",
		"sessions --json=why": "invalid argument",
	} {
		if code := p.run("", strings.Fields(line)...); code != loci.ExitUsage || !strings.Contains(p.err.String(), want) ||
			!strings.HasSuffix(p.err.String(), "\nTry: loci help\n") {
			t.Errorf("%s: exit code %d, %s", line, code, &p.err)
		}
	}
	for _, line := range []string{"", "help", "--help", "config"} {
		if code := p.run("", strings.Fields(line)...); code != 0 || !strings.Contains(p.out.String(), "Usage:") {
			t.Errorf("%q: exit code %d, %s", line, code, &p.out)
		}
	}
}

func TestVersion(t *testing.T) {
	p := newPerson(t, nowhere)
	if code := p.run("", "version"); code != 0 || p.out.String() != "loci "+app.Version+"\n" {
		t.Errorf("exit code %d, %s", code, &p.out)
	}
	var v struct{ Version string }
	if code := p.run("", "version", "--json"); code != 0 || json.Unmarshal(p.out.Bytes(), &v) != nil || v.Version != app.Version {
		t.Errorf("exit code %d, %s", code, &p.out)
	}
}

// Flags win over variables, variables over the file.
func TestPrecedence(t *testing.T) {
	p := newPerson(t, nowhere)
	port := func(args ...string) string {
		p.run("", append([]string{"doctor"}, args...)...)
		for line := range strings.Lines(p.out.String()) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[1] == "port" {
				return line
			}
		}
		return ""
	}
	p.write("listen: 127.0.0.1:0\n")
	if got := port(); !strings.Contains(got, "127.0.0.1:0") {
		t.Errorf("by the file: %s", got)
	}
	p.env["LOCI_LISTEN"] = "localhost:0"
	if got := port(); !strings.Contains(got, "localhost:0") {
		t.Errorf("by the variable: %s", got)
	}
	if got := port("--listen", "127.0.0.2:0"); !strings.Contains(got, "127.0.0.2:0") {
		t.Errorf("by the flag: %s", got)
	}
	if got := port("--listen", "127.0.0.2:0", "--listen", "127.0.0.3:0"); !strings.Contains(got, "127.0.0.3:0") {
		t.Errorf("by the last flag: %s", got)
	}
}

func TestConfig(t *testing.T) {
	p := newPerson(t, nowhere)
	if code := p.run("", "config", "path"); code != 0 || p.out.String() != p.config()+"\n" {
		t.Errorf("path: exit code %d, %s", code, &p.out)
	}
	p.write("key: canary-7f3-of-the-owner\nbackends:\n  - url: http://127.0.0.1:1\n    key: canary-7f3-of-the-server\nmax_steps: 7\n")
	delete(p.env, "LOCI_BACKENDS")
	if code := p.run("", "config", "show"); code != 0 || strings.Contains(p.out.String(), "canary") || !strings.Contains(p.out.String(), "max_steps: 7") {
		t.Errorf("show: exit code %d, %s", code, &p.out)
	}
	if code := p.run("", "config", "validate"); code != 0 || p.out.String() != p.config()+" is fine.\n" {
		t.Errorf("validate: exit code %d, %s%s", code, &p.out, &p.err)
	}
	p.write("max_stebs: 7\n")
	if code := p.run("", "config", "validate"); code != 0 || !strings.Contains(p.err.String(), p.config()+":1:1: ") || !strings.Contains(p.err.String(), "did you mean max_steps?") {
		t.Errorf("a mistyped name: exit code %d, %s", code, &p.err)
	}
	p.write("max_steps: seven\n")
	if code := p.run("", "config", "validate"); code != loci.ExitConfig || !strings.Contains(p.err.String(), p.config()+":1:12: ") {
		t.Errorf("a bad value: exit code %d, %s", code, &p.err)
	}
	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, []byte("max_steps: 9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.run("", "config", "show", "--config", other); code != 0 || !strings.Contains(p.out.String(), "max_steps: 9") {
		t.Errorf("--config: exit code %d, %s%s", code, &p.out, &p.err)
	}
}

func TestLists(t *testing.T) {
	m := yes()
	p := newPerson(t, m.Ollama(t))
	if code := p.run("", "sessions"); code != 0 || p.out.Len() > 0 {
		t.Errorf("no sessions: exit code %d, %s%s", code, &p.out, &p.err)
	}
	if code := p.run("", "ask", strings.Repeat("long ", 30)); code != 0 {
		t.Fatal(p.err.String())
	}
	for list, want := range map[string]string{"models": "fake", "tools": "calculate", "sessions": "long long"} {
		if code := p.run("", list); code != 0 || !strings.Contains(p.out.String(), want) {
			t.Errorf("%s: exit code %d, %s%s", list, code, &p.out, &p.err)
		}
		column := -1
		for line := range strings.Lines(p.out.String()) {
			if len([]rune(line)) > 140 {
				t.Errorf("%s: a long line: %s", list, line)
			}
			at := strings.Index(line, "  ")
			for at >= 0 && line[at] == ' ' {
				at++
			}
			if column >= 0 && at != column {
				t.Errorf("%s: the second column begins at %d and %d", list, column, at)
			}
			column = at
		}
		var rows []map[string]any
		if code := p.run("", list, "--json"); code != 0 || json.Unmarshal(p.out.Bytes(), &rows) != nil || len(rows) == 0 {
			t.Errorf("%s --json: exit code %d, %s", list, code, &p.out)
		}
	}
	p.env["LOCI_BACKENDS"] = nowhere
	if code := p.run("", "models"); code != 0 || !strings.Contains(p.err.String(), "No models.") {
		t.Errorf("no models: exit code %d, %s", code, &p.err)
	}
}

func TestDoctor(t *testing.T) {
	m := yes()
	p := newPerson(t, m.Ollama(t))
	p.env["LOCI_LISTEN"] = "127.0.0.1:0"
	if code := p.run("", "doctor"); code != 0 || !strings.Contains(p.out.String(), "ok    models") || !strings.Contains(p.out.String(), "→ Allow one: loci up --allow FOLDER") {
		t.Errorf("exit code %d, %s", code, &p.out)
	}
	var checks []app.Check
	if code := p.run("", "doctor", "--backend", nowhere, "--json"); code != loci.ExitFailure || json.Unmarshal(p.out.Bytes(), &checks) != nil {
		t.Errorf("exit code %d, %s", code, &p.out)
	}
	if last := checks[len(checks)-2]; last.Status != app.Fail || last.Hint == "" {
		t.Errorf("%+v", last)
	}
}
