// Package e2e_test tries the program from outside: the real binary, started
// the way a person starts it, and real clients in front of it.
package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"loci/internal/embedded/embeddedtest"
	"loci/test/program"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) {
	code := program.Main(m, &binary)
	embeddedtest.Stop()
	os.Exit(code)
}

// instance is a running loci.
type instance struct {
	t      *testing.T
	cmd    *exec.Cmd
	home   string
	stderr *lockedBuffer
	once   sync.Once
	killed bool // by the test: then it need not end well

	URL, OpenAI, Ollama, Key string
}

// options say how to start loci.
type options struct {
	home string   // empty: a fresh one
	dir  string   // where it is started; empty: where the tests are
	env  []string // on top of a clean environment
	args []string // after "serve --json --listen 127.0.0.1:0"
}

// environment is what every loci of the tests sees: nothing of the person who
// runs the tests, but the way to packages.
func environment(home string, more ...string) []string {
	env := []string{"LOCI_HOME=" + home, "HOME=" + home, "LANG=C.UTF-8", "TZ=Europe/Prague", "LOCI_USER_NAME=Mira",
		"LOCI_WARM_UP=false"} // tests count calls; see TestWarmUp
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name == "PATH" || strings.HasPrefix(name, "PIP_") || strings.HasSuffix(strings.ToLower(name), "_proxy") || strings.HasPrefix(name, "SSL_CERT") {
			env = append(env, e)
		}
	}
	return append(env, more...)
}

// serve starts loci and waits until it is ready. It is stopped with the test.
func serve(t *testing.T, o options) *instance {
	t.Helper()
	if o.home == "" {
		o.home = t.TempDir()
	}
	in := &instance{t: t, home: o.home, stderr: &lockedBuffer{}}
	in.cmd = exec.Command(binary, append([]string{"serve", "--json", "--listen", "127.0.0.1:0"}, o.args...)...)
	in.cmd.Env, in.cmd.Dir = environment(o.home, o.env...), o.dir
	in.cmd.Stderr = in.stderr
	out, err := in.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := in.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		in.stop()
		t.Fatalf("loci was not ready: %v\n%s", err, in.stderr)
	}
	var ready struct{ Event, URL, OpenAI, Ollama, Key string }
	if err := json.Unmarshal([]byte(line), &ready); err != nil || ready.Event != "ready" {
		t.Fatalf("the ready line is %q: %v", line, err)
	}
	in.URL, in.OpenAI, in.Ollama, in.Key = strings.TrimRight(ready.URL, "/"), ready.OpenAI, ready.Ollama, ready.Key
	return in
}

// stop ends loci as Ctrl-C would, and fails the test if it lingers or does not
// end well.
func (in *instance) stop() {
	in.once.Do(func() {
		_ = in.cmd.Process.Signal(syscall.SIGTERM)
		done := make(chan error, 1)
		go func() { done <- in.cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil && !in.killed {
				in.t.Errorf("loci ended with %v", err)
			}
		case <-time.After(15 * time.Second):
			_ = in.cmd.Process.Kill()
			in.t.Errorf("loci did not stop:\n%s", in.stderr)
		}
		if in.t.Failed() {
			in.t.Logf("the end of loci's log:\n%s", tail(in.stderr.String(), 4000))
		}
	})
}

// run runs a loci command to its end and gives what it printed.
func run(t *testing.T, home string, stdin string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return runIn(t, "", home, stdin, env, args...)
}

// runIn is run in a folder.
func runIn(t *testing.T, dir, home, stdin string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env, cmd.Dir = environment(home, env...), dir
	cmd.Stdin = strings.NewReader(stdin)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if _, isExit := err.(*exec.ExitError); err != nil && !isExit {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

// post sends JSON with the owner's key.
func (in *instance) post(path string, body any, headers ...string) (int, string) {
	in.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		in.t.Fatal(err)
	}
	return in.do(http.MethodPost, path, data, headers...)
}

func (in *instance) get(path string, headers ...string) (int, string) {
	in.t.Helper()
	return in.do(http.MethodGet, path, nil, headers...)
}

func (in *instance) do(method, path string, body []byte, headers ...string) (int, string) {
	in.t.Helper()
	req, err := http.NewRequestWithContext(in.t.Context(), method, in.URL+path, bytes.NewReader(body))
	if err != nil {
		in.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+in.Key)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		in.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		in.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// lockedBuffer is a buffer that a process writes and a test reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
