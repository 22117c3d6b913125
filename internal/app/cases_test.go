//go:build unix

package app

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"loci/internal/config"
)

// commandRules are commands that run unasked, and some that never do.
func commandRules(c *config.Config) {
	c.UnaskedCommands, c.DeniedCommands = []string{"ls", "echo", "env", "cat"}, []string{"curl"}
}

// TestSecurityCase6 hides another command behind one that runs unasked: it asks, and
// after a no nothing was done.
func TestSecurityCase6(t *testing.T) {
	h := newHands(t, commandRules)
	h.says = "no"
	for _, args := range []map[string]any{
		{"argv": []string{"env", "rm", "-rf", h.top + "/data/ok"}},
		{"argv": []string{"env", "-S", "rm ok"}},
		{"argv": []string{"ls", "-la\nrm ok"}},
		{"argv": []string{"echo", "$(rm ok)", "~/.bashrc\u2028"}},
		{"script": "env rm -rf ok"},
		{"script": "echo x > .bashrc"},
		{"script": "ls -la\nrm ok"},
		{"script": `env -S "sh -c 'rm ok'"`},
		{"script": "ls"},
	} {
		got := h.do("run_command", args)
		if len(h.asked) != 1 || got.Result.Err == nil {
			t.Errorf("%q: asked %q, %s", args, h.asked, got.Result.Data)
		}
		if _, err := os.Stat(h.top + "/data/ok"); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
	}
	if _, err := os.Stat(h.top + "/data/.bashrc"); err == nil {
		t.Error("there is a .bashrc now")
	}
}

// TestSecurityCase7 has a forbidden command at the end of a long chain: nobody is
// asked, and nothing of the chain runs.
func TestSecurityCase7(t *testing.T) {
	h := newHands(t, commandRules)
	for _, script := range []string{
		strings.Repeat("true;", 60) + "curl http://127.0.0.1:9",
		"touch sub/made; " + strings.Repeat("true;", 60) + "curl http://127.0.0.1:9",
		"touch sub/made && cu\\rl http://127.0.0.1:9",
		"touch sub/made; sh -c 'true; curl http://127.0.0.1:9'",
	} {
		h.denied("run_command", map[string]string{"script": script})
		if len(h.asked) > 0 {
			t.Errorf("%.40q is asked about: %q", script, h.asked)
		}
	}
	h.denied("run_command", map[string]any{"argv": []string{"env", "A=b", "curl", "http://127.0.0.1:9"}})
	if _, err := os.Stat(h.top + "/data/sub/made"); err == nil {
		t.Error("a part of it ran")
	}
}

// TestSecurityCase8 edits a script between the question and the yes, and says yes to
// an old question again.
func TestSecurityCase8(t *testing.T) {
	h := newHands(t)
	script := h.top + "/data/run.sh"
	write := func(text string) {
		if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	made := func() string {
		raw, _ := os.ReadFile(h.top + "/data/made") // empty where there is none
		return string(raw)
	}
	call := map[string]any{"argv": []string{"sh", "run.sh"}}

	write("echo good >> made\n")
	h.question = func() { write("echo evil >> made\n") }
	if got := h.do("run_command", call); len(h.asked) != 1 || got.Result.Err == nil || !got.Result.Refused || made() != "" {
		t.Fatalf("the edited script: asked %q, %+v, made %q", h.asked, got.Result.Err, made())
	}
	h.question = nil
	if got := h.do("run_command", call); len(h.asked) != 1 || got.Result.Err != nil || made() != "evil\n" {
		t.Fatalf("asked %q again, %+v, made %q", h.asked, got.Result.Err, made())
	}
	for _, id := range h.answered {
		if status, body := h.say(id, "yes"); status != http.StatusConflict || made() != "evil\n" {
			t.Errorf("a yes again: %d %s, made %q", status, body, made())
		}
	}
	h.says = "no" // the yes was for once
	if h.do("run_command", call); len(h.asked) != 1 || made() != "evil\n" {
		t.Errorf("asked %q, made %q", h.asked, made())
	}
}
