// Command bench measures what loci adds to a model call.
//
// It starts a mock model server that answers at once, a bare reverse proxy in
// front of it (the least that one more hop costs in Go), and loci in front of
// it twice: passing a model through, and running its agent. Requests to all
// targets are interleaved, one at a time, so that a busy machine is busy for
// all of them; what is reported is the difference to calling the mock
// directly. It then measures start-up, idle memory and the size of the binary.
//
// Each target is a process of its own, as it would be for a person.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	role := flag.String("role", "", "internal: mock or proxy")
	upstream := flag.String("upstream", "", "internal: where the proxy sends requests")
	binary := flag.String("loci", "bin/loci", "the binary to measure")
	rounds := flag.Int("n", 2000, "requests to each target")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch *role {
	case "mock":
		err = serve(ctx, mock())
	case "proxy":
		err = proxy(ctx, *upstream)
	default:
		err = run(ctx, *binary, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run starts everything and prints the report.
func run(ctx context.Context, binary string, rounds int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "loci-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)

	mockURL, stopMock, err := start(ctx, nil, self, "-role", "mock")
	if err != nil {
		return err
	}
	defer stopMock()
	proxyURL, stopProxy, err := start(ctx, nil, self, "-role", "proxy", "-upstream", mockURL)
	if err != nil {
		return err
	}
	defer stopProxy()
	l, err := startLoci(ctx, binary, home, mockURL)
	if err != nil {
		return err
	}
	defer l.stop()

	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("load average: %s", load)
	targets := []target{
		{"direct", mockURL + "/v1", "mock", ""},
		{"reverse proxy", proxyURL + "/v1", "mock", ""},
		{"loci pass-through", l.url + "/v1", "bare/mock", l.key},
		{"loci agent", l.url + "/v1", "mock", l.key},
	}
	for _, c := range []workload{
		{"prompt of 200 bytes", 200, false, rounds},
		{"prompt of 100 kB", 100_000, false, rounds / 4},
		{"stream of 64 pieces", 200, true, rounds / 4},
		{"stream of 64 pieces, prompt of 100 kB", 100_000, true, rounds / 8},
	} {
		if err := c.measure(ctx, targets); err != nil {
			return err
		}
	}
	l.stop() // what was measured so far must not count as memory of the crowd
	if l, err = startLoci(ctx, binary, home, mockURL); err != nil {
		return err
	}
	defer l.stop()
	if err := l.crowd(ctx, 1000, 500); err != nil {
		return err
	}
	return l.footprint(ctx, binary, home, mockURL)
}

// start runs a command that prints its address as its first line.
func start(ctx context.Context, env []string, name string, args ...string) (url string, stop func(), err error) {
	line, _, stop, err := spawn(ctx, env, name, args...)
	return line, stop, err
}

// spawn starts a process and reads the first line of its output.
func spawn(ctx context.Context, env []string, name string, args ...string) (line string, pid int, stop func(), err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", 0, nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", 0, nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may be gone already
		_ = cmd.Wait()
	}
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", 0, nil, fmt.Errorf("%s did not start: %w", filepath.Base(name), err)
	}
	return strings.TrimSpace(line), cmd.Process.Pid, stop, nil
}

// loci is a running instance.
type loci struct {
	url, key string
	pid      int
	ready    time.Duration // from start to ready
	stop     func()
}

func startLoci(ctx context.Context, binary, home, backend string) (loci, error) {
	began := time.Now()
	line, pid, stop, err := spawn(ctx, []string{"LOCI_HOME=" + home, "LOCI_TIER=native"},
		binary, "serve", "--json", "--listen", "127.0.0.1:0", "--backend", backend+"/v1")
	if err != nil {
		return loci{}, err
	}
	l := loci{pid: pid, ready: time.Since(began), stop: stop}
	var ready struct{ URL, Key string }
	if err := json.Unmarshal([]byte(line), &ready); err != nil {
		stop()
		return loci{}, fmt.Errorf("the ready line of loci: %w", err)
	}
	l.url, l.key = strings.TrimRight(ready.URL, "/"), ready.Key
	return l, nil
}
