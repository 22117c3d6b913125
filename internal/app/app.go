// Package app is the program as a value: New builds it from the configuration,
// Serve runs it, Close ends it. It is the only package that knows all others;
// which part stands behind which interface is in adapters.go.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"loci"
	"loci/internal/agent"
	"loci/internal/api"
	"loci/internal/config"
	"loci/internal/embedded"
	"loci/internal/intent"
	"loci/internal/model"
	"loci/internal/store"
	"loci/internal/tool"
	"loci/internal/toolkit"
)

// Version is the release, set when it is built.
var Version = "dev"

// Options say what to build. All but the first two may be left zero.
type Options struct {
	Config config.Config
	Paths  config.Paths
	Getenv func(string) string // for discovery; nil: os.Getenv
	// Fetch allows the embedded model to be fetched when there is no server.
	Fetch    bool
	Progress func(embedded.Progress) // how the fetch goes
	// Say tells the person in plain sentences what is found and done.
	Say    func(format string, args ...any)
	Logger *slog.Logger
}

// App is the running program.
type App struct {
	Options
	instance *config.Instance
	keys     api.Keys
	id       string
	store    *store.DB
	hub      *model.Hub
	engines  []*embedded.Server
	agent    *agent.Agent
	listener net.Listener
	server   *http.Server
	requests context.CancelFunc // ends the requests that are under way
	own      sync.WaitGroup     // what runs in the background
	undo     []func() error     // what to close, in the order it was opened
}

// Addresses is what a client needs to connect.
type Addresses struct {
	URL    string `json:"url"`
	OpenAI string `json:"openai"` // base URL for OpenAI clients
	Ollama string `json:"ollama"` // base URL for Ollama clients
	Key    string `json:"key"`    // the owner's
	Chat   string `json:"-"`      // base URL for clients that cannot send a key
}

// New builds the program and starts to listen; what it needs is opened in the
// order that other parts need it. When it fails, nothing stays open. A second
// instance on the same folders is a loci.Conflict error, and so is a port that
// is taken.
func New(ctx context.Context, o Options) (_ *App, err error) {
	a := &App{Options: o, id: loci.NewID("loci_")}
	if a.Getenv == nil {
		a.Getenv = os.Getenv
	}
	if a.Say == nil {
		a.Say = func(string, ...any) {}
	}
	if a.Logger == nil {
		a.Logger = slog.New(slog.DiscardHandler)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	for _, open := range []func(context.Context) error{
		a.lock, a.openKeys, a.listen, a.openStore, a.openModels, a.openAgent,
	} {
		if err := open(ctx); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// lock makes this the only instance on its folders.
func (a *App) lock(context.Context) (err error) {
	if a.instance, err = config.Lock(a.Paths); err != nil {
		return err
	}
	a.undo = append(a.undo, a.instance.Close)
	return nil
}

// openKeys reads the keys, or makes them at the first start. The owner's key
// can also come from the configuration.
func (a *App) openKeys(context.Context) error {
	if err := a.Paths.Make(); err != nil {
		return err
	}
	owner := a.Config.Key
	var err error
	if owner == "" {
		if owner, err = config.EnsureKey(a.Paths); err != nil {
			return err
		}
	}
	chat, err := config.EnsureChatKey(a.Paths)
	a.keys = api.Keys{Owner: string(owner), Chat: string(chat)}
	return err
}

func (a *App) listen(ctx context.Context) error {
	address := a.Config.Listen
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return loci.Errorf(loci.Invalid, "%q is not an address to listen on.", address).WithHint("Write it like 127.0.0.1:5624.")
	}
	a.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		e := loci.Errorf(loci.Conflict, "loci cannot listen on %s%s.", address, holder(port))
		e.Err = err
		return e.WithHint("Stop that program, or choose another port, for example: --listen %s", net.JoinHostPort(host, "0"))
	}
	a.undo = append(a.undo, func() error { return ignoreClosed(a.listener.Close()) })
	return nil
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (a *App) openStore(ctx context.Context) (err error) {
	if a.store, err = store.Open(ctx, a.Paths.DB, a.Logger); err != nil {
		return err
	}
	a.undo = append(a.undo, a.store.Close)
	return nil
}

// openAgent puts the engine together and marks what a crash left unfinished.
func (a *App) openAgent(ctx context.Context) error {
	now := a.clock()
	tools, err := tool.New(tool.Config{
		Tools:  toolkit.All(toolkit.Config{}),
		Logger: a.Logger,
		Now:    now,
		// Models must not read their own keys and the conversations of others.
		Private: []string{filepath.Dir(a.Paths.Config), a.Paths.Data, a.Paths.State, a.Paths.Cache},
	})
	if err != nil {
		return err
	}
	router := intent.New(intent.Config{
		Embedder: embedder{a.hub},
		Chooser:  chooser{a.hub},
		Logger:   a.Logger,
	})
	settings := a.settings()
	a.agent = agent.New(agent.Config{
		Model: a.hub, Tools: tools, Chooser: router, Store: a.store,
		Settings: settings, Now: now, Logger: a.Logger,
	})
	a.undo = append(a.undo, func() error { a.agent.Close(); return nil })
	unfinished, err := a.store.Unfinished(ctx)
	if err != nil {
		return err
	}
	if err := a.agent.Recover(ctx, unfinished); err != nil {
		return err
	}
	if !a.store.Clean() {
		a.own.Go(func() { a.verify(ctx) })
	}
	ctx, a.requests = context.WithCancel(context.WithoutCancel(ctx))
	a.server = api.Server(ctx, a.handler(tools, settings), a.Logger)
	a.undo = append(a.undo, func() error { a.requests(); a.own.Wait(); return nil })
	return nil
}

// verify looks for damage after a stop that was not clean.
func (a *App) verify(ctx context.Context) {
	if err := a.store.Verify(ctx); err != nil && ctx.Err() == nil {
		a.Logger.Error("the database is damaged", "path", a.Paths.DB, "error", err)
		a.Say("%s", loci.AsError(err))
	}
}

// handler is everything that answers requests.
func (a *App) handler(tools *tool.Set, settings agent.Settings) http.Handler {
	desk := desk{a.store, a.agent, tools, settings.Folders}
	return api.New(api.Config{
		Engine: a.agent, Sessions: a.agent, Library: desk, Editor: desk, Inspect: desk,
		Models: a.hub, Backends: backends{a.hub},
		Keys:           func() api.Keys { return a.keys },
		OwnerName:      settings.User,
		AllowedHosts:   a.Config.AllowedHosts,
		AllowedOrigins: a.Config.AllowedOrigins,
		Instance:       a.id,
		Version:        Version,
		Logger:         a.Logger,
	})
}

// Addresses tells where the program listens.
func (a *App) Addresses() Addresses {
	url := "http://" + a.listener.Addr().String()
	return Addresses{
		URL:    url,
		OpenAI: url + "/v1",
		Ollama: url,
		Key:    a.keys.Owner,
		Chat:   url + "/k/" + a.keys.Chat,
	}
}

// Serve writes the run file and answers requests until ctx ends, then lets
// those that are under way finish for a moment.
func (a *App) Serve(ctx context.Context) error {
	addresses := a.Addresses()
	err := a.instance.WriteRun(config.Run{PID: os.Getpid(), URL: addresses.URL, Key: config.Secret(addresses.Key), Instance: a.id, Started: loci.Now()})
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- a.server.Serve(a.listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	// Turns first, so that their clients hear how they ended; then those who
	// only follow along, who would wait for ever.
	a.agent.Close()
	a.requests()
	const drain = time.Second // nothing runs any more; only last bytes are on their way
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := a.server.Shutdown(ctx); err != nil {
		return errors.Join(a.server.Close(), <-served)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close releases everything, in the reverse order of opening.
func (a *App) Close() error {
	var errs []error
	for i := len(a.undo) - 1; i >= 0; i-- {
		errs = append(errs, a.undo[i]())
	}
	a.undo = nil
	return errors.Join(errs...)
}

// LogPlaces logs where everything is.
func (a *App) LogPlaces() {
	a.Logger.Info("loci "+Version, "config", a.Paths.Config, "data", a.Paths.Data, "state", a.Paths.State,
		"working", a.settings().Working, "folders", strings.Join(paths(a.Config.Folders), ", "), "url", a.Addresses().URL)
}

// Folders gives the folders that the owner's conversations may look into.
func (a *App) Folders() []string { return paths(a.Config.Folders) }

// Model gives the name of the model that answers, and in a sentence what to
// expect of it.
func (a *App) Model(ctx context.Context) (name, note string) {
	p, err := a.hub.Profile(ctx, "")
	if err != nil {
		e := loci.AsError(err)
		return "none yet", e.Error()
	}
	switch {
	case len(a.engines) > 0:
		note = "loci's own: good for looking things up, too small to reason. For real work: ollama pull qwen3:4b"
	case p.Tier == loci.TierTiny:
		note = "It is too small to choose tools, so loci chooses for it."
	case p.Tier == loci.TierText:
		note = "It has no tool calls of its own, so it writes them as text."
	}
	return p.Model, note
}
