package e2e_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"loci/internal/await"
	"loci/internal/embedded/embeddedtest"
)

// up runs a command that starts loci for a person and waits until it says that
// it is ready. It gives what was printed and a way to stop it.
func up(t *testing.T, home string, env []string, name string, args ...string) (printed string, cmd *exec.Cmd) {
	t.Helper()
	cmd = exec.Command(name, args...)
	cmd.Dir = "../.."
	cmd.Env = append(environment(home, env...), "LOCI_LISTEN=127.0.0.1:0", "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOFLAGS="+goEnv(t, "GOFLAGS"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // make, sh and loci end together
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errOut := &lockedBuffer{}
	cmd.Stderr = errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s printed:\n%s", name, errOut)
		}
	})
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadString('\n')
		printed += line
		if strings.Contains(line, "Ctrl-C stops it.") {
			go func() { _, _ = io.Copy(io.Discard, r) }()
			return errOut.String() + printed, cmd
		}
		if err != nil {
			t.Fatalf("%s ended before it was ready: %v\n%s%s", name, err, errOut, printed)
		}
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// The first thing a person does: on a machine without anything, one command,
// and then questions from another terminal, answered by the embedded model.
func TestFreshMachine(t *testing.T) {
	embeddedtest.Engine(t) // or skips, outside of make test
	home, dir := t.TempDir(), folder(t)
	for name, age := range map[string]time.Duration{"notes.md": 2 * time.Hour, "app.log": time.Hour} {
		when := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	letter := "Dear Anna, the boat is repaired. We can sail to the island on Saturday. Please bring the map and the lamp.\n"
	if err := os.WriteFile(filepath.Join(dir, "letter.txt"), []byte(letter), 0o644); err != nil {
		t.Fatal(err)
	}
	allow := []string{"LOCI_ALLOW=" + dir}

	printed, cmd := up(t, home, allow, "make", "run")
	for _, want := range []string{"No model server found", "Fetched", "loci is ready", "/v1", "loci_", dir, "smollm2"} {
		if !strings.Contains(printed, want) {
			t.Errorf("make run does not print %q:\n%s", want, printed)
		}
	}
	ask := func(question string) string {
		t.Helper()
		out, stderr, code := run(t, home, "", allow, "ask", question)
		if code != 0 {
			t.Fatalf("%s: exit code %d: %s", question, code, stderr)
		}
		t.Logf("%s\n%s", question, out)
		return out
	}
	for _, tc := range []struct{ question, want string }{
		{"What day is it today?", today(t)},
		{"Which files are in " + dir + "?", `(?s)app\.log.*letter\.txt.*notes\.md`},
		{"What does notes.md say?", `# Plan\nBuy milk and bread\.`},
		{"How many ERROR lines are in app.log?", `\b2\b`},
		{"What is 111 x 222 / 777?", `31\.714285714285715`},
		{"Order a pizza", `^I cannot do that`},
		{"给我写一首诗", `只懂英文`},
	} {
		if got := ask(tc.question); !regexp.MustCompile(tc.want).MatchString(got) {
			t.Errorf("%s\n%s\nwant a match of %s", tc.question, got, tc.want)
		}
	}
	freeMemory(t, ask("How much memory is free?"))

	out, stderr, code := run(t, home, "", allow, "ask", "--json", "summarise what I just wrote")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	t.Log(out)
	var sum struct {
		Message string
		Steps   []struct {
			Tool      string
			Arguments struct{ Path string }
		}
	}
	decode(t, out, &sum)
	read := sum.Steps[len(sum.Steps)-1]
	if read.Tool != "read_file" || filepath.Base(read.Arguments.Path) != "letter.txt" || !strings.Contains(sum.Message, "letter.txt") {
		t.Errorf("the newest file is letter.txt; the steps were %+v and the answer %q", sum.Steps, sum.Message)
	}
	if words := regexp.MustCompile(`(?i)boat|island|sail|saturday|map|lamp|anna`).FindAllString(sum.Message, -1); len(words) == 0 {
		t.Errorf("the summary is about something else: %q", sum.Message)
	}

	// It changes a file when it is told yes.
	writeLogs(t, dir)
	out, stderr, code = run(t, home, "", allow, "ask", "--json", task)
	var asked struct{ Pending []struct{ Code string } }
	if decode(t, out, &asked); code != 5 || len(asked.Pending) != 1 {
		t.Fatalf("exit code %d: %s%s", code, out, stderr)
	}
	out, stderr, code = run(t, home, "", allow, "approvals", "yes", asked.Pending[0].Code)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	t.Log(out)
	tinyReport(t, filepath.Join(dir, "report.md"), out)

	// The second start needs no network.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	_ = cmd.Wait()
	offline := append(allow, "PIP_INDEX_URL=http://127.0.0.1:9/simple", "PIP_NO_INDEX=1")
	printed, cmd = up(t, home, offline, binary, "up")
	if strings.Contains(printed, "Fetch") {
		t.Errorf("the second start fetches again:\n%s", printed)
	}

	// Nothing is left behind, even after kill -9.
	before := processes(t, home)
	if len(before) < 3 {
		t.Fatalf("expected loci and two engines, found %v", before)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	var left []string
	if !await.Within(10*time.Second, func() bool { left = processes(t, home); return len(left) == 0 }) {
		t.Fatalf("left behind after kill -9: %v", left)
	}
}

// today is the date as it must be in the answer, in the zone of environment.
func today(t *testing.T) string {
	t.Helper()
	now := clockThere(t)
	return fmt.Sprintf(`(?i)%s.*\b%d\b.*%s.*%d|%s`, now.Weekday(), now.Day(), now.Month(), now.Year(), now.Format(time.DateOnly))
}

// freeMemory checks an answer against the kernel's own figure.
func freeMemory(t *testing.T, answer string) {
	t.Helper()
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Skip("this system does not tell its free memory in /proc/meminfo")
	}
	kb, err := strconv.ParseFloat(regexp.MustCompile(`MemAvailable:\s+(\d+)`).FindStringSubmatch(string(info))[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`([\d.]+) GiB`).FindStringSubmatch(answer)
	if m == nil {
		t.Fatalf("the answer names no memory: %q", answer)
	}
	said, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	if real := kb / (1 << 20); said < real*0.75 || said > real*1.25 {
		t.Errorf("%q, but %.1f GiB are available", answer, real)
	}
}

// processes finds the processes that have a folder in their command line or
// their environment.
func processes(t *testing.T, folder string) []string {
	t.Helper()
	var found []string
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range entries {
		line, err1 := os.ReadFile(p + "/cmdline")
		env, err2 := os.ReadFile(p + "/environ")
		if err1 != nil || err2 != nil || filepath.Base(p) == strconv.Itoa(os.Getpid()) {
			continue // gone already
		}
		if strings.Contains(string(line)+"\x00"+string(env), folder) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	slices.Sort(found)
	return found
}
