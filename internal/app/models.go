package app

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"

	"loci"
	"loci/internal/config"
	"loci/internal/embedded"
	"loci/internal/model"
	"loci/internal/model/server"
)

// openModels finds the model servers: those that the configuration names, or
// those that are found on this machine, or else loci's own.
func (a *App) openModels(ctx context.Context) error {
	backends, err := a.configured()
	if err != nil {
		return err
	}
	if len(backends) == 0 {
		backends = a.discovered(ctx)
	}
	a.hub = model.New(model.Config{
		Backends:    backends,
		Default:     a.Config.Model,
		Aliases:     a.Config.Aliases,
		Passthrough: a.Config.Passthrough,
		Tier:        a.Config.Tier,
		Window:      a.Config.Window,
		Timeouts: server.Timeouts{
			Connect:   a.Config.Timeouts.Connect,
			FirstByte: a.Config.Timeouts.FirstByte,
			Idle:      a.Config.Timeouts.Idle,
		},
		Profiles: a.store,
		Instance: a.id,
		Logger:   a.Logger,
	})
	a.undo = append(a.undo, func() error { a.hub.Close(); return nil })
	if len(backends) > 0 {
		return nil
	}
	return a.openEmbedded(ctx)
}

func (a *App) configured() ([]server.Backend, error) {
	var backends []server.Backend
	for _, c := range a.Config.Backends {
		b, err := server.ParseBackend(c.URL)
		if err != nil {
			return nil, err
		}
		b.Key = string(c.Key)
		backends = append(backends, b)
	}
	return backends, nil
}

// discovered looks on the usual ports and tells the person what is there.
func (a *App) discovered(ctx context.Context) []server.Backend {
	var backends []server.Backend
	var absent []string
	for _, f := range server.Discover(ctx, a.Getenv) {
		switch {
		case f.Absent:
			absent = append(absent, f.Backend.Kind.String()+" on "+f.Where)
		case !f.Usable():
			a.Say("%s (%s) %s", f.Backend.URL, f.Where, f.Problem)
		default:
			a.Say("Found %s at %s (%s), %d models.", describe(f), f.Backend.URL, f.Where, f.Models)
			backends = append(backends, f.Backend)
		}
	}
	if len(backends) == 0 {
		a.Say("No model server found (looked for %s).", strings.Join(absent, ", "))
	}
	return backends
}

func describe(f server.Found) string {
	if f.Version == "" {
		return f.Backend.Kind.String()
	}
	return f.Backend.Kind.String() + " " + f.Version
}

// openEmbedded starts loci's own model, after fetching it where that is
// allowed. Without it the program still runs: a server may come up later.
func (a *App) openEmbedded(ctx context.Context) error {
	if !a.Config.Embedded.Enabled {
		return nil
	}
	engine := Embedded(a.Paths, a.Progress, a.Logger)
	if !engine.Installed() {
		if !a.Fetch {
			a.Logger.Warn("no model server was found; start one, or run loci up to fetch a model")
			return nil
		}
		a.Say("Fetching a small model to run on this machine; this happens once.")
		if err := engine.Fetch(ctx); err != nil {
			return err
		}
	}
	return a.startEngines(ctx, engine)
}

// Embedded is loci's own model server as it would be at these paths.
func Embedded(p config.Paths, progress func(embedded.Progress), logger *slog.Logger) *embedded.Engine {
	return embedded.New(embedded.Config{
		Dir:      filepath.Join(p.Data, "embedded"),
		LogDir:   p.Logs,
		SlotDir:  filepath.Join(p.Cache, "slots"),
		Progress: progress,
		Logger:   logger,
	})
}

// startEngines starts the chat model and the embedder side by side.
func (a *App) startEngines(ctx context.Context, engine *embedded.Engine) error {
	kinds := []embedded.Kind{embedded.Chat, embedded.Embed}
	started := make([]*embedded.Server, len(kinds))
	errs := make(chan error, len(kinds))
	for i, kind := range kinds {
		go func() {
			var err error
			started[i], err = a.startEngine(ctx, engine, kind)
			errs <- err
		}()
	}
	err := errors.Join(<-errs, <-errs)
	for i, s := range started {
		if s != nil {
			a.engines = append(a.engines, s)
			a.undo = append(a.undo, s.Close)
			a.hub.SetBackend(string(kinds[i]), own(s, s.URL()))
		}
	}
	return err
}

func (a *App) startEngine(ctx context.Context, engine *embedded.Engine, kind embedded.Kind) (*embedded.Server, error) {
	var s *embedded.Server
	ready := make(chan struct{})
	s, err := engine.Start(ctx, embedded.ServerConfig{
		Kind:    kind,
		Window:  a.Config.Embedded.Window,
		Threads: a.Config.Embedded.Threads,
		OnRestart: func(url string) {
			<-ready
			a.hub.SetBackend(string(kind), own(s, url))
		},
	})
	close(ready)
	return s, err
}

func own(s *embedded.Server, url string) server.Backend {
	return server.Backend{URL: url, Dialect: loci.OpenAI, Key: s.Key(), Kind: server.KindLlamaServer, Ephemeral: true}
}
