package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"loci/internal/embedded/embeddedtest"
)

// realOllama is a running Ollama.
type realOllama struct {
	url    string
	binary string
	env    []string
	cmd    *exec.Cmd
}

// startOllama starts the Ollama that make test-clients has built, with a folder
// of its own. It is killed with the test.
func startOllama(t *testing.T) *realOllama {
	t.Helper()
	binary := os.Getenv("LOCI_TEST_OLLAMA")
	if binary == "" {
		t.Skip("Ollama is built by make test-clients")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // Ollama wants a number
	home := t.TempDir()
	o := &realOllama{url: "http://" + address, binary: binary, env: []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "OLLAMA_HOST=" + address, "OLLAMA_MODELS=" + home + "/models",
	}}
	o.start(t)
	return o
}

// start starts the server, with its runners in a process group of its own.
func (o *realOllama) start(t *testing.T) {
	t.Helper()
	cmd := exec.Command(o.binary, "serve")
	cmd.Env = o.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var log lockedBuffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o.cmd = cmd
	t.Cleanup(func() {
		o.kill()
		if t.Failed() {
			t.Logf("the end of Ollama's log:\n%s", tail(log.String(), 3000))
		}
	})
	answers(t, o.url, time.Minute)
}

// kill ends it without a warning. A second time does nothing.
func (o *realOllama) kill() {
	if o.cmd != nil {
		_ = syscall.Kill(-o.cmd.Process.Pid, syscall.SIGKILL)
		_ = o.cmd.Wait()
		o.cmd = nil
	}
}

// create makes a model out of a file of weights.
func (o *realOllama) create(t *testing.T, name, weights, more string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "Modelfile")
	if err := os.WriteFile(file, []byte("FROM "+weights+"\n"+more), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), o.binary, "create", name, "-f", file)
	cmd.Env = o.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ollama create: %v\n%s", err, out)
	}
}

// modelFile is one of the embedded models.
func modelFile(t *testing.T, name string) string {
	t.Helper()
	embeddedtest.Engine(t) // fetches them
	dir, err := embeddedtest.Dir()
	if err != nil {
		t.Fatal(err)
	}
	for _, depth := range []string{"*", "*/*"} {
		if found, _ := filepath.Glob(filepath.Join(dir, "embedded", depth, name)); len(found) > 0 {
			return found[0]
		}
	}
	t.Fatalf("there is no %s in %s", name, dir)
	return ""
}

// running asks Ollama itself which models are loaded.
func (o *realOllama) running(t *testing.T) map[string]loaded {
	t.Helper()
	res, err := http.Get(o.url + "/api/ps")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var list struct{ Models []loaded }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	byName := map[string]loaded{}
	for _, m := range list.Models {
		byName[m.Model] = m
	}
	return byName
}

// loaded is what /api/ps tells of a model.
type loaded struct {
	Model     string
	ExpiresAt time.Time `json:"expires_at"`
	Window    int       `json:"context_length"`
}

// recorder notes what loci sends to Ollama.
type recorder struct {
	mu     sync.Mutex
	bodies []string
}

// before puts it in front of a server and returns its address.
func (r *recorder) before(t *testing.T, server string) string {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(to)
	}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		r.mu.Lock()
		r.bodies = append(r.bodies, string(body))
		r.mu.Unlock()
		req.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// saw reports whether one of the requests had all of these in it.
func (r *recorder) saw(parts ...string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.bodies, func(body string) bool {
		return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(body, p) })
	})
}
