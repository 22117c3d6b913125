package cli

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"loci/internal/config"
	"loci/internal/confine"
)

func TestMain(m *testing.M) {
	confine.Main()
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		http.DefaultClient.CloseIdleConnections()
		os.Exit(code)
	}))
}

// nowhere is a model server that is down.
const nowhere = "http://127.0.0.1:9"

// person is somebody at a terminal, with files of their own.
type person struct {
	t        *testing.T
	env      map[string]string
	folder   string // where they are; empty at first
	terminal bool
	piped    bool         // what it prints goes to another program
	out, err bytes.Buffer // of the last command
}

// finds has the person's commands find a loci that runs at a URL.
func (p *person) finds(url string) {
	p.t.Helper()
	paths, err := config.FindPaths(func(name string) string { return p.env[name] })
	if err != nil {
		p.t.Fatal(err)
	}
	instance, err := config.Lock(paths)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = instance.Close() })
	if err := instance.WriteRun(config.Run{PID: os.Getpid(), URL: url, Key: "key"}); err != nil {
		p.t.Fatal(err)
	}
}

// newPerson has one model server.
func newPerson(t *testing.T, backend string) *person {
	t.Helper()
	home := t.TempDir()
	return &person{t: t, terminal: true, env: map[string]string{
		"HOME": home, "USERPROFILE": home, "LOCI_HOME": filepath.Join(home, "loci"),
		"LOCI_BACKENDS": backend, "LOCI_USER_NAME": "Mira",
	}}
}

// run runs a command to its end; in is what the person types.
func (p *person) run(in string, args ...string) int {
	return p.runIn(p.t.Context(), strings.NewReader(in), nil, args...)
}

// runIn is run where the test decides about the end: stop is called when the
// standard output has a text.
func (p *person) runIn(ctx context.Context, in io.Reader, watch *watch, args ...string) int {
	p.t.Helper()
	p.out.Reset()
	p.err.Reset()
	env := maps.Clone(p.env)
	w := World{In: in, Out: &p.out, Err: &p.err, Getenv: func(name string) string { return env[name] }, Folder: p.folder, Terminal: p.terminal, Width: 400, OutWidth: 80}
	if p.piped {
		w.OutWidth = 0
	}
	if watch != nil {
		watch.w = w.Out
		w.Out = watch
	}
	return Main(ctx, w, args)
}

// config is the path of config.yaml.
func (p *person) config() string { return filepath.Join(p.env["LOCI_HOME"], "config", "config.yaml") }

// write makes config.yaml.
func (p *person) write(text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.config()), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.config(), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// read gives config.yaml, empty where there is none.
func (p *person) read() string {
	p.t.Helper()
	text, err := os.ReadFile(p.config())
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	return string(text)
}

// watch passes on what is written and calls back once when a text was.
type watch struct {
	text string
	then func()
	w    io.Writer
	seen string
}

func (w *watch) Write(p []byte) (int, error) {
	before := strings.Contains(w.seen, w.text)
	w.seen += string(p)
	n, err := w.w.Write(p)
	if !before && strings.Contains(w.seen, w.text) {
		w.then()
	}
	return n, err
}
