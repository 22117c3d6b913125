package app

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"loci/internal/config"
	"loci/internal/confine"
)

func TestMain(m *testing.M) {
	confine.Main()
	goleak.VerifyTestMain(m)
}

// nowhere is a model server that is down.
const nowhere = "http://127.0.0.1:9"

// options are those of a person with files of their own, a free port, and one
// model server.
func options(t *testing.T, backend string) Options {
	t.Helper()
	env := func(name string) string {
		return map[string]string{"LOCI_HOME": filepath.Join(t.TempDir(), "home"), "TZ": "Europe/Prague"}[name]
	}
	paths, err := config.FindPaths(env)
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Listen, c.UserName = "127.0.0.1:0", "Mira"
	c.Backends = []config.Backend{{URL: backend}}
	c.WarmUp = false // calls are counted
	return Options{Config: c, Paths: paths, Getenv: env}
}

// build makes an App that is closed with the test.
func build(t *testing.T, o Options) *App {
	t.Helper()
	a, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// notes keeps what is said and logged.
type notes struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *notes) say(format string, args ...any) { fmt.Fprintf(n, format+"\n", args...) }

func (n *notes) logger() *slog.Logger { return slog.New(slog.NewTextHandler(n, nil)) }

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}
