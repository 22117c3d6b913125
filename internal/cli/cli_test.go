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
		"usage":     {usageError{errors.New("what is the question?"), "loci ask"}, "loci: what is the question?\nTry: loci ask\n", loci.ExitUsage},
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
		"sever":               "did you mean serve?\nTry: loci --help",
		"nothing-like-it":     "there is no command \"nothing-like-it\"\nTry: loci --help",
		"ask":                 "what is the question?\nTry: loci ask \"",
		"ask --alow .":        "unknown flag: --alow\nTry: loci ask --help",
		"serve extra":         "there is no command \"serve extra\"\nTry: loci serve --help",
		"serve --no-such":     "unknown flag: --no-such\nTry: loci serve --help",
		"serve --listen":      "needs an argument: --listen\nTry: loci serve --help",
		"sessions show x":     "there is no command \"sessions show\"\nTry: loci sessions --help",
		"config show extra":   "there is no command \"config show extra\"\nTry: loci config show --help",
		"config shaw":         "\"config shaw\"; did you mean show?\nTry: loci config --help",
		"sessions --json=why": "invalid argument",
		"sessions --key x":    "unknown flag",
		"doctor --listen x":   "unknown flag",
	} {
		if code := p.run("", strings.Fields(line)...); code != loci.ExitUsage || !strings.Contains(p.err.String(), want) {
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
	if code := p.run("", "version"); code != 0 || p.out.String() != "loci "+app.Build()+"\n" || !strings.HasPrefix(app.Build(), app.Version) {
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
		p.up("", append([]string{"serve", "--json"}, args...)...)
		return p.out.String()
	}
	p.write("listen: 127.0.0.4:0\n")
	if got := port(); !strings.Contains(got, "//127.0.0.4:") {
		t.Errorf("by the file: %s", got)
	}
	p.env["LOCI_LISTEN"] = "127.0.0.1:0"
	if got := port(); !strings.Contains(got, "//127.0.0.1:") {
		t.Errorf("by the variable: %s", got)
	}
	if got := port("--listen", "127.0.0.2:0"); !strings.Contains(got, "//127.0.0.2:") {
		t.Errorf("by the flag: %s", got)
	}
	if got := port("--listen", "127.0.0.2:0", "--listen", "127.0.0.3:0"); !strings.Contains(got, "//127.0.0.3:") {
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
	for _, want := range []string{"user_name: Mira", "data_path: " + p.env["LOCI_HOME"]} {
		if !strings.Contains(p.out.String(), want) {
			t.Errorf("what is in force lacks %s:\n%s", want, &p.out)
		}
	}
	if code := p.run("", "config", "validate"); code != 0 || p.out.String() != p.config()+" is fine.\n" {
		t.Errorf("validate: exit code %d, %s%s", code, &p.out, &p.err)
	}
	p.write("folders: [/no/such/folder]\n")
	if code := p.run("", "config", "validate"); code != 0 || p.out.String() != p.config()+" is fine, apart from the warnings.\n" || !strings.Contains(p.err.String(), "/no/such/folder") {
		t.Errorf("a lost folder: exit code %d, %s%s", code, &p.out, &p.err)
	}
	p.write("max_stebs: 7\n")
	if code := p.run("", "config", "validate"); code != 0 || !strings.HasSuffix(p.out.String(), "apart from the warnings.\n") || !strings.Contains(p.err.String(), p.config()+":1:1: ") || !strings.Contains(p.err.String(), "did you mean max_steps?") {
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
	if code := p.run("", "serve", "--config", other+"x"); code != loci.ExitConfig || !strings.Contains(p.err.String(), "There is no configuration file "+other+"x.") {
		t.Errorf("--config without a file: exit code %d, %s", code, &p.err)
	}
	if code := p.run("", "config", "show", "--config", other); code != 0 || !strings.Contains(p.out.String(), "max_steps: 9") {
		t.Errorf("--config: exit code %d, %s%s", code, &p.out, &p.err)
	}
}

func TestLists(t *testing.T) {
	m := yes()
	p := newPerson(t, m.Ollama(t))
	if code := p.run("", "sessions"); code != 0 || p.out.Len() > 0 || p.err.String() != "No conversations yet.\n" {
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
		table, _, _ := strings.Cut(p.out.String(), "\n\n")
		for line := range strings.Lines(table) {
			if len([]rune(line)) > 81 {
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
	if code := p.run("", "models"); code != 0 || !strings.Contains(p.err.String(), "No models.") || p.out.Len() > 0 {
		t.Errorf("no models: exit code %d, %s", code, &p.err)
	}
}

// On a terminal a table has a heading and fits; for scripts nothing is cut.
func TestTable(t *testing.T) {
	rows := func() [][]string { return [][]string{{"a", "word word word"}, {"bcd", "x"}} }
	for width, want := range map[int]string{
		0:  "a    word word word\nbcd  x\n",
		18: "ID   TEXT\na    word word wo…\nbcd  x\n",
		80: "ID   TEXT\na    word word word\nbcd  x\n",
		5:  "ID   TEXT\na    word word w…\nbcd  x\n",
	} {
		var out strings.Builder
		c := &command{World: World{Out: &out, OutWidth: width}}
		if err := c.table([]string{"ID", "TEXT"}, rows()); err != nil || out.String() != want {
			t.Errorf("%d wide:\n%s%v", width, &out, err)
		}
	}
}

// Lists of what is stored look for no model server, and none of the lists
// fetches a model.
func TestListsAlone(t *testing.T) {
	t.Setenv("PATH", "") // to fetch would fail, there being no Python
	p := newPerson(t, "")
	for _, list := range []string{"sessions", "tools", "models"} {
		if code := p.run("", list); code != 0 || strings.Contains(p.err.String(), "Fetching") {
			t.Errorf("%s: exit code %d, %s", list, code, &p.err)
		}
	}
	if _, err := os.Stat(filepath.Join(p.env["LOCI_HOME"], "data", "embedded")); !os.IsNotExist(err) {
		t.Errorf("something was fetched: %v", err)
	}
}

func TestCompletion(t *testing.T) {
	p := newPerson(t, yes().Ollama(t))
	p.terminal = false
	if code := p.run("", "__complete", "ask", "--model", ""); code != 0 || strings.Contains(p.out.String(), "fake") {
		t.Errorf("without a loci: exit code %d, %s", code, &p.out)
	}
	running(t, p)
	if code := p.run("", "ask", "hello"); code != 0 {
		t.Fatal(p.err.String())
	}
	for flag, want := range map[string]string{"--model": "fake", "--session": "ses_"} {
		if code := p.run("", "__complete", "ask", flag, want[:2]); code != 0 || !strings.HasPrefix(p.out.String(), want) {
			t.Errorf("%s: exit code %d, %s", flag, code, &p.out)
		}
	}
}

func TestDoctor(t *testing.T) {
	m := yes()
	p := newPerson(t, m.Ollama(t))
	p.env["LOCI_LISTEN"] = "127.0.0.1:0"
	if code := p.run("", "doctor"); code != 0 || !strings.Contains(p.out.String(), "ok    models") || !strings.Contains(p.out.String(), "→ Allow one: loci allow FOLDER") {
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

// A bad configuration is one fault; the rest is checked all the same.
func TestDoctorWithBadConfig(t *testing.T) {
	p := newPerson(t, yes().Ollama(t))
	p.write("max_steps: many\n")
	if code := p.run("", "doctor"); code != loci.ExitFailure || !strings.Contains(p.out.String(), "fail  config") || !strings.Contains(p.out.String(), "clock") {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
}
