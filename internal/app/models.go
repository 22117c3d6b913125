package app

import (
	"context"
	"errors"
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
	backends, err := configured(a.opts.Config)
	if err != nil {
		return err
	}
	if len(backends) == 0 && !a.opts.NoModels {
		backends = a.discovered(ctx)
	}
	conf := hubConfig(a.opts.Config, backends)
	conf.Profiles, conf.Instance, conf.Logger = a.store, a.id, a.opts.Logger
	conf.Hide = a.opts.Hide
	a.hub = model.New(conf)
	a.undo = append(a.undo, func() error { a.hub.Close(); return nil })
	if len(backends) > 0 || a.opts.NoModels {
		return nil
	}
	return a.openEmbedded(ctx)
}

// configured gives the model servers that the configuration names.
func configured(c config.Config) ([]server.Backend, error) {
	var backends []server.Backend
	for _, entry := range c.Backends {
		b, err := server.ParseBackend(entry.URL)
		if err != nil {
			return nil, err
		}
		if !entry.Insecure {
			if err := inPlain(b); err != nil {
				return nil, err
			}
		}
		b.Key = string(entry.Key)
		backends = append(backends, b)
	}
	return backends, nil
}

// inPlain is an error for a server on another machine to which everything would go
// unencrypted: what people say, what is in their files, and the server's key. A private
// network is no exception, since others are in it too.
func inPlain(b server.Backend) error {
	if b.Loopback() || !strings.HasPrefix(b.URL, "http://") {
		return nil
	}
	return &config.Error{Field: "backends", Err: loci.Errorf(loci.Invalid, "The model server %.200s is on another machine, and nothing on the way there would be encrypted.", b.URL).
		WithHint("Use https, or let it in config.yaml: backends: [{url: %q, insecure: true}]", b.URL)}
}

// hubConfig says how the configuration wants models to be used: by the program,
// and by the doctor who looks at the same ones.
func hubConfig(c config.Config, backends []server.Backend) model.Config {
	return model.Config{
		Backends:    backends,
		Default:     c.Model,
		Aliases:     c.Aliases,
		Passthrough: c.Passthrough,
		Tier:        c.Tier,
		Window:      c.Window,
		Models:      modelSettings(c.Models),
		Timeouts: server.Timeouts{
			Connect:   c.Timeouts.Connect,
			FirstByte: c.Timeouts.FirstByte,
			Idle:      c.Timeouts.Idle,
		},
	}
}

// modelSettings are those of single models.
func modelSettings(all map[string]config.Model) map[string]model.Setting {
	settings := make(map[string]model.Setting, len(all))
	for name, m := range all {
		settings[name] = model.Setting{
			Tier: m.Tier, Markup: m.Dialect, Window: m.Window, Think: m.Think, Stops: m.Stops, Speaks: m.Languages,
			Stopping: m.Stopping, Constrain: m.Constrain, Choice: m.Choice, System: m.System, Systems: m.SecondSystem, Alternate: m.Alternate,
		}
	}
	return settings
}

// discovered looks on the usual ports and tells the person what is there.
func (a *App) discovered(ctx context.Context) []server.Backend {
	var backends []server.Backend
	for _, f := range server.Discover(ctx, a.opts.Getenv) {
		switch {
		case f.Absent: // the doctor lists where it looked
		case !f.Usable():
			a.opts.Say("%s (%s) %s", f.Backend.URL, f.Where, f.Problem)
		case inPlain(f.Backend) != nil:
			a.opts.Say("%s (%s): %s", f.Backend.URL, f.Where, loci.AsError(inPlain(f.Backend)))
		default:
			a.opts.Say("Found %s at %s (%s), %d models.", describe(f), f.Backend.URL, f.Where, f.Models)
			backends = append(backends, f.Backend)
		}
	}
	if len(backends) == 0 {
		instead := ""
		if a.opts.Config.Embedded.Enabled && (a.opts.Fetch || ownEngine(a.opts).Installed()) {
			instead = ", so loci uses a small model of its own"
		}
		a.opts.Say("No model server found on the usual ports%s.", instead)
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
	if !a.opts.Config.Embedded.Enabled {
		return nil
	}
	engine := ownEngine(a.opts)
	if !engine.Installed() {
		if !a.opts.Fetch {
			a.opts.Logger.Warn("no model server was found; start one, or run loci up to fetch a model")
			return nil
		}
		if err := engine.Fetch(ctx); err != nil {
			return err
		}
	}
	return a.startEngines(ctx, engine)
}

// ownEngine is loci's own model server as it is, or would be, installed.
func ownEngine(o Options) *embedded.Engine {
	return embedded.New(embedded.Config{
		Dir:      filepath.Join(o.Paths.Data, "embedded"),
		LogDir:   o.Paths.Logs,
		SlotDir:  filepath.Join(o.Paths.Cache, "slots"),
		Progress: o.Progress,
		Logger:   o.Logger,
	})
}

// serverConfig describes one of loci's own servers.
func serverConfig(c config.Config, kind embedded.Kind) embedded.ServerConfig {
	return embedded.ServerConfig{Kind: kind, Window: c.Embedded.Window, Threads: c.Embedded.Threads}
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
			a.opts.Hide.Add(s.Key())
			a.engines = append(a.engines, s)
			a.undo = append(a.undo, s.Close)
			a.hub.SetBackend(string(kinds[i]), own(s, s.URL()))
			if kinds[i] == embedded.Chat {
				a.chat = s
				a.keepCache(ctx, s)
			}
		}
	}
	if err == nil { // it is loaded, and small
		a.hub.Acquaint(ctx, started[0].Model())
	}
	return err
}

func (a *App) startEngine(ctx context.Context, engine *embedded.Engine, kind embedded.Kind) (*embedded.Server, error) {
	var s *embedded.Server
	ready := make(chan struct{})
	conf := serverConfig(a.opts.Config, kind)
	conf.OnRestart = func(url string) {
		<-ready
		a.hub.SetBackend(string(kind), own(s, url))
	}
	conf.OnGiveUp = func(problem *loci.Error) {
		a.opts.Say("%s", problem)
		if kind == embedded.Chat {
			a.lost.Store(problem)
		}
	}
	s, err := engine.Start(ctx, conf)
	close(ready)
	return s, err
}

func own(s *embedded.Server, url string) server.Backend {
	return server.Backend{URL: url, Dialect: loci.OpenAI, Key: s.Key(), Kind: server.KindLlamaServer, Name: "embedded:" + string(s.Kind()), Digest: s.Digest()}
}
