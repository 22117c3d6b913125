package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"loci"
	"loci/internal/config"
	"loci/internal/model"
	"loci/internal/model/server"
	"loci/internal/sandbox"
	"loci/internal/store"
)

// Status is the outcome of a check.
type Status string

// The outcomes, from good to bad.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Check is one line of the doctor: what was looked at, how it is, and what to
// do about it.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Text   string `json:"text"`
	Hint   string `json:"hint,omitempty"`
}

func ok(name, format string, args ...any) Check {
	return Check{Name: name, Status: OK, Text: fmt.Sprintf(format, args...)}
}

func bad(name string, status Status, err error) Check {
	e := loci.AsError(err)
	c := Check{Name: name, Status: status, Text: e.Message, Hint: e.Hint}
	if e.Code == loci.Internal && e.Err != nil {
		c.Text = e.Err.Error()
	}
	return c
}

// Doctor checks everything that loci needs. It changes nothing but to make
// missing folders.
func Doctor(ctx context.Context, o Options) []Check {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	run, running, err := config.ReadRun(o.Paths)
	checks := []Check{ok("version", "loci %s", Version), ok("config", "%s", o.Paths.Config), checkFiles(o.Paths)}
	if err != nil {
		checks = append(checks, bad("instance", Warn, err))
	}
	if running {
		checks = append(checks, checkInstance(ctx, run))
	} else {
		checks = append(checks, ok("instance", "loci does not run now"), checkPort(ctx, o.Config.Listen), checkDatabase(ctx, o.Paths.DB))
	}
	checks = append(checks, checkFolders(o.Config)...)
	checks = append(checks, checkModels(ctx, o)...)
	return append(checks, checkClock())
}

func checkFiles(p config.Paths) Check {
	if err := p.Make(); err != nil {
		return bad("files", Fail, err)
	}
	f, err := os.CreateTemp(p.State, ".doctor-*")
	if err != nil {
		return bad("files", Fail, loci.Errorf(loci.Internal, "%w", err))
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return bad("files", Fail, err)
	}
	return ok("files", "data in %s, state in %s", p.Data, p.State)
}

func checkInstance(ctx context.Context, run config.Run) Check {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, run.URL+"/healthz", nil)
	if err != nil {
		return bad("instance", Fail, err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return bad("instance", Fail, loci.Errorf(loci.Unreachable, "loci runs as process %d, but %s does not answer.", run.PID, run.URL).
			WithHint("Stop that process and start loci again."))
	}
	res.Body.Close()
	return ok("instance", "running as process %d at %s", run.PID, run.URL)
}

func checkPort(ctx context.Context, address string) Check {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		_, port, _ := net.SplitHostPort(address) // checked when the configuration was read
		return Check{"port", Fail, address + " cannot be used" + holder(port), "Stop that program, or set another address: listen in the configuration, or --listen."}
	}
	if err := l.Close(); err != nil {
		return bad("port", Warn, err)
	}
	return ok("port", "%s is free", address)
}

// checkDatabase reads the whole database, which is only done when no other
// process uses it.
func checkDatabase(ctx context.Context, path string) Check {
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return ok("database", "%s is made at the first start", path)
	}
	db, err := store.Open(ctx, path, slog.New(slog.DiscardHandler))
	if err != nil {
		return bad("database", Fail, err)
	}
	if err := errors.Join(db.Verify(ctx), db.Close()); err != nil {
		return bad("database", Fail, err)
	}
	return ok("database", "%s is whole", path)
}

func checkFolders(c config.Config) []Check {
	if len(c.Folders) == 0 {
		return []Check{{"folders", Warn, "no folder is allowed, so models cannot look at files", "Allow one: loci up --allow FOLDER, or folders in the configuration."}}
	}
	var checks []Check
	for _, path := range paths(c.Folders) {
		f, err := sandbox.New(sandbox.Config{Folders: []string{path}})
		if err != nil {
			checks = append(checks, bad("folders", Warn, err))
			continue
		}
		checks = append(checks, ok("folders", "%s can be looked into", path))
		if err := f.Close(); err != nil {
			checks = append(checks, bad("folders", Warn, err))
		}
	}
	return checks
}

// checkModels asks every model server, or looks for one, and says what loci
// would do.
func checkModels(ctx context.Context, o Options) []Check {
	a := &App{Options: o}
	backends, err := a.configured()
	if err != nil {
		return []Check{bad("models", Fail, err)}
	}
	var checks []Check
	if len(backends) == 0 {
		for _, f := range server.Discover(ctx, o.Getenv) {
			switch {
			case f.Usable():
				backends = append(backends, f.Backend)
			case !f.Absent:
				checks = append(checks, Check{"models", Warn, f.Backend.URL + " " + f.Problem, ""})
			}
		}
	}
	if len(backends) == 0 {
		return append(checks, checkEmbedded(ctx, o)...)
	}
	hub := model.New(model.Config{
		Backends: backends, Default: o.Config.Model, Tier: o.Config.Tier,
		Timeouts: server.Timeouts{Connect: o.Config.Timeouts.Connect, FirstByte: o.Config.Timeouts.FirstByte, Idle: o.Config.Timeouts.Idle},
	})
	defer hub.Close()
	for _, s := range hub.Status(ctx) {
		if s.Err != nil {
			checks = append(checks, bad("models", Fail, s.Err))
			continue
		}
		checks = append(checks, ok("models", "%s at %s has %d models", s.Backend.Kind, s.Backend.URL, s.Models))
	}
	p, err := hub.Profile(ctx, "")
	if err != nil {
		return append(checks, bad("model", Fail, err))
	}
	return append(checks, ok("model", "%s: %s tier, window of %d tokens. %s", p.Model, p.Tier, p.Window, p.Reason))
}

func checkEmbedded(ctx context.Context, o Options) []Check {
	if !o.Config.Embedded.Enabled {
		return []Check{{"models", Fail, "no model server is found, and the embedded model is switched off", "Start Ollama, or set embedded.enabled to true."}}
	}
	engine := Embedded(o.Paths, nil, o.Logger)
	if engine.Installed() {
		return []Check{ok("models", "no model server is found; loci's own small model is installed and will be used")}
	}
	problems := engine.Check(ctx)
	if len(problems) == 0 {
		return []Check{{"models", Warn, "no model server is found", "Run loci up: it fetches a small model of its own. For real work, install Ollama."}}
	}
	var checks []Check
	for _, p := range problems {
		checks = append(checks, bad("models", Fail, p))
	}
	return checks
}

// checkClock notices a clock that was never set: a model would be told so.
func checkClock() Check {
	now := time.Now()
	if now.Year() < 2026 {
		return Check{"clock", Fail, "the clock says " + now.Format(time.DateOnly), "Set the clock of this machine."}
	}
	zone, _ := now.Zone()
	return ok("clock", "%s %s", now.Format("Monday, 2 January 2006, 15:04"), zone)
}
