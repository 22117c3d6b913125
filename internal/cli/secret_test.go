package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"loci"
)

const canary = "canary-Value-42"

func TestSecretCommands(t *testing.T) {
	keyring.MockInitWithError(errors.New("a test does not touch the person's keyring"))
	p := newPerson(t, nowhere)
	p.terminal = false
	if code := p.run("", "secret", "list"); code != 0 || !strings.Contains(p.err.String(), "No secrets are stored") {
		t.Error(code, p.err.String())
	}
	for name, value := range map[string]string{"openai": canary + "\n", "mail.work": "two\nlines\r\n"} {
		if code := p.run(value, "secret", "set", name); code != 0 || !strings.Contains(p.err.String(), "secret:"+name) || p.out.Len() > 0 {
			t.Error(code, p.out.String(), p.err.String())
		}
	}
	if code := p.run("", "secret", "list", "--json"); code != 0 || p.out.String() != `[{"name":"mail.work"},{"name":"openai"}]`+"\n" {
		t.Error(code, p.out.String())
	}
	p.write("key: secret:openai\nbackends:\n  - {url: \"" + nowhere + "\", key: \"secret:absent\"}\n  - {url: \"" + nowhere + "\", key: \"cmd:echo " + canary + "\"}\n")
	delete(p.env, "LOCI_BACKENDS")
	if code := p.run("", "secret", "check"); code != loci.ExitConfig || !strings.Contains(p.out.String(), "ok     key from secret:openai") ||
		!strings.Contains(p.out.String(), "fault  backends[0].key from secret:absent") || !strings.Contains(p.out.String(), "loci secret set absent") {
		t.Error(code, p.out.String(), p.err.String())
	}
	if code := p.run("", "secret", "check", "--json"); code != loci.ExitConfig {
		t.Error(code)
	}
	var list []struct {
		Setting, From, Error string
		OK                   bool
	}
	if err := json.Unmarshal(p.out.Bytes(), &list); err != nil || len(list) != 3 || !list[0].OK || list[1].OK || list[1].Error == "" || list[2].From != "cmd:echo …" {
		t.Errorf("%v %+v", err, list)
	}
	// A command that needs the secrets says what is missing; one that does not, works.
	if code := p.run("", "models"); code != loci.ExitConfig || !strings.Contains(p.err.String(), "loci secret set absent") {
		t.Error(code, p.err.String())
	}
	if code := p.run("", "config", "show"); code != 0 || strings.Contains(p.out.String(), canary) {
		t.Error(code, p.out.String(), p.err.String())
	}
	if code := p.run("", "doctor"); code != loci.ExitFailure || !strings.Contains(p.out.String(), "refers to secret:absent") || !strings.Contains(p.out.String(), "2 stored") {
		t.Error(code, p.out.String())
	}
	if code := p.run("", "secret", "remove", "openai"); code != 0 {
		t.Error(code, p.err.String())
	}
	if code := p.run("", "secret", "remove", "openai"); code != loci.ExitFailure || !strings.Contains(p.err.String(), "There is no secret openai") {
		t.Error(code, p.err.String())
	}
	for _, args := range [][]string{{"secret", "set"}, {"secret", "set", "a", "b"}, {"secret", "remove", "a/b"}, {"secret", "set", "a b"}, {"secret", "show"}} {
		if code := p.run("x", args...); code != loci.ExitUsage {
			t.Errorf("%v: %d %s", args, code, p.err.String())
		}
	}
	if code := p.run("", "secret", "set", "empty"); code == 0 {
		t.Error("nothing is stored as a secret")
	}
}

// At a terminal the secret is typed unseen.
func TestSecretTyped(t *testing.T) {
	keyring.MockInitWithError(errors.New("a test does not touch the person's keyring"))
	p := newPerson(t, nowhere)
	w := World{In: strings.NewReader("not this"), Out: &p.out, Err: &p.err, Getenv: func(name string) string { return p.env[name] }, Terminal: true, Width: 400,
		Hidden: func(context.Context) (string, error) { return canary, nil }}
	if code := Main(t.Context(), w, []string{"secret", "set", "a"}); code != 0 || strings.Contains(p.err.String(), canary) || !strings.Contains(p.err.String(), "it is not shown") {
		t.Error(code, p.err.String())
	}
	p.write("key: secret:a\n")
	if code := p.run("", "secret", "check"); code != 0 {
		t.Error(code, p.out.String(), p.err.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.Hidden = func(ctx context.Context) (string, error) { return "", ctx.Err() }
	if code := Main(ctx, w, []string{"secret", "set", "b"}); code != loci.ExitInterrupted {
		t.Error(code)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(p.config()), "secrets.age")); err != nil {
		t.Error(err)
	}
}
