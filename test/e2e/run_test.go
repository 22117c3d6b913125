//go:build linux

package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/await"
	"loci/internal/fake"
)

// running tells whether a process has a word among its own.
func running(t *testing.T, word string) bool {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if raw, err := os.ReadFile(line); err == nil && strings.Contains(string(raw), "\x00"+word+"\x00") {
			return true
		}
	}
	return false
}

// until waits for a condition, at most as long as given.
func until(t *testing.T, what string, most time.Duration, condition func() bool) {
	t.Helper()
	if !await.Within(most, condition) {
		t.Fatal("does not happen: ", what)
	}
}

// runs is a model that runs a script and then is done.
func runs(t *testing.T, script string) *fake.Model {
	t.Helper()
	args, err := json.Marshal(map[string]any{"script": script, "timeout_s": 60})
	if err != nil {
		t.Fatal(err)
	}
	return fake.NewModel(fake.Reply{Calls: []loci.ToolCall{fake.Call("run_command", string(args))}}, fake.Reply{Text: "Done."})
}

// TestRunCommandThroughTheServer: nothing runs before the yes, and after it, in the
// sandbox of the real program; what belongs to loci stays closed although the folder
// around it is allowed.
func TestRunCommandThroughTheServer(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "sub", "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	script := "pwd > made; cat sub/home/*/key >> made; cp -r sub/home copy; mv sub away; cat /etc/passwd >> made; echo $LOCI_HOME >> made; true"
	in := serve(t, options{home: home, args: []string{"--backend", runs(t, script).Ollama(t), "--allow", dir}})
	question := sayTo(in, nil, "run it")
	if !strings.Contains(question, "sub/home/*/key") || !strings.Contains(question, "no network") {
		t.Errorf("the question is %s", question)
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Fatal("it ran without a yes")
	}
	if reply := sayTo(in, said("run it", question), "yes"); !strings.Contains(reply, "Done.") {
		t.Errorf("the reply is %s", reply)
	}
	if got := string(read(t, filepath.Join(dir, "made"))); strings.TrimSpace(got) != dir {
		t.Errorf("it could read more than it should: %q", got)
	}
	if key, err := filepath.Glob(dir + "/copy/*/*key*"); err != nil || len(key) > 0 {
		t.Errorf("%v was copied: %v", key, err)
	}
	if _, err := os.Stat(home); err != nil {
		t.Error("loci's own folder was moved: ", err)
	}
}

// TestCommandEndsWithLoci: killed, it leaves nothing running.
func TestCommandEndsWithLoci(t *testing.T) {
	mark := "97" + strconv.Itoa(os.Getpid())
	in := serve(t, options{args: []string{"--backend", runs(t, "trap '' TERM HUP; setsid sleep "+mark+" & sleep "+mark).Ollama(t), "--allow", t.TempDir()}})
	question := sayTo(in, nil, "run it")
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		sayTo(in, said("run it", question), "yes")
	}()
	until(t, "the command runs", 10*time.Second, func() bool { return running(t, mark) })
	in.kill()
	until(t, "the command ends", 2*time.Second, func() bool { return !running(t, mark) })
	<-answered
}
