// Package app is the program as a value: New builds it from the configuration,
// Serve runs it, Close ends it. It is the only package that knows all others;
// which part stands behind which interface is in adapters.go.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"loci"
	"loci/internal/agent"
	"loci/internal/api"
	"loci/internal/argv"
	"loci/internal/config"
	"loci/internal/confine"
	"loci/internal/database"
	"loci/internal/desktop"
	"loci/internal/door"
	"loci/internal/embedded"
	"loci/internal/gate"
	"loci/internal/heap"
	"loci/internal/intent"
	"loci/internal/keyring"
	"loci/internal/model"
	"loci/internal/redact"
	"loci/internal/sandbox"
	"loci/internal/store"
	"loci/internal/tool"
	"loci/internal/toolkit"
	"loci/internal/transcript"
)

// Version is the release; one that is built for a tag has the tag's.
var Version = "0.1.0-dev"

// commit is what the Makefile says was built; without it the Go tool's word
// counts.
var commit string

// Build gives the version and, where it was built from a working copy, which
// commit that was.
func Build() string {
	from := commit
	if info, ok := debug.ReadBuildInfo(); ok && from == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				from = s.Value[:min(7, len(s.Value))]
			}
		}
	}
	if from == "" {
		return Version
	}
	return Version + " (" + from + ")"
}

// Options say what to build. All but the first two may be left zero.
type Options struct {
	Config config.Config
	Paths  config.Paths
	Getenv func(string) string // for discovery; nil: os.Getenv
	// Sources are where Config comes from. Its folders are those that are there now, for
	// as long as the program runs. Without a file they stay as they are.
	Sources config.Sources
	// Fetch allows the embedded model to be fetched when there is no server.
	Fetch bool
	// NoModels looks for no model server at all: enough for what is stored.
	NoModels bool
	// Stays says that more than one question may come, so that it is worth while to warm
	// the model up.
	Stays    bool
	Progress func(embedded.Progress) // how the fetch goes
	// Say tells the person in plain sentences what is found and done.
	Say    func(format string, args ...any)
	Logger *slog.Logger
	// Hide masks the secrets of the configuration and of the program itself wherever
	// they could show; nil: one of its own.
	Hide *redact.Redactor

	probe func() confine.Level // of what confines commands; nil: confine.Probe
}

// withDefaults fills in what may be left zero.
func (o Options) withDefaults() Options {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Hide == nil {
		o.Hide = redact.New()
	}
	if o.probe == nil {
		o.probe = confine.Probe
	}
	return o
}

// App is the running program.
type App struct {
	opts     Options
	instance *config.Instance
	keys     *keyring.Ring
	cert     *door.Certificate // nil: nothing is encrypted
	id       string
	store    *store.DB
	origins  *sandbox.Origins
	hub      *model.Hub
	engines  []*embedded.Server
	chat     *embedded.Server                // the one of them that chats; nil: there is none
	restored bool                            // it has what it had in its cache when loci ended
	folders  atomic.Pointer[[]config.Folder] // the owner's, at the moment
	settings agent.Settings
	specs    []loci.ToolSpec // the owner's tools
	router   *intent.Router
	agent    *agent.Agent
	lost     atomic.Pointer[loci.Error] // why loci's own chat model was given up
	listener *door.Connections
	hosts    []string // under which clients reach the listener, with the port
	outside  string   // base URL for other machines, if they can come
	server   *http.Server
	started  loci.Time
	telling  sync.Mutex         // held while others are told where this one is
	requests context.CancelFunc // ends the requests that are under way
	own      sync.WaitGroup     // what runs in the background
	daily    sync.WaitGroup     // what does so until the end
	undo     []func() error     // what to close, in the order it was opened
}

// New builds the program and starts to listen; what it needs is opened in the
// order that other parts need it. When it fails, nothing stays open. A second
// instance on the same folders is a loci.Conflict error, and so is a port that
// is taken.
func New(ctx context.Context, o Options) (_ *App, err error) {
	a := &App{opts: o.withDefaults(), id: loci.NewID("loci_"), started: loci.Now()}
	a.folders.Store(&a.opts.Config.Folders)
	a.opts.Hide.Add(a.opts.Config.Secrets()...)
	a.opts.Logger = slog.New(a.opts.Hide.Handler(a.opts.Logger.Handler()))
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	for _, open := range []func(context.Context) error{
		a.lock, a.listen, a.openStore, a.openKeys, a.openModels, a.openAgent, a.announce,
	} {
		if err := open(ctx); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// lock makes this the only instance on its folders.
func (a *App) lock(context.Context) (err error) {
	if a.instance, err = config.Lock(a.opts.Paths); err != nil {
		return err
	}
	a.undo = append(a.undo, a.instance.Close)
	return a.opts.Paths.Make()
}

// openKeys reads the keys; the two that everybody has are made at the first start.
func (a *App) openKeys(ctx context.Context) (err error) {
	c := a.keyConfig()
	c.Store = a.store
	if a.keys, err = keyring.New(ctx, c); err != nil {
		return err
	}
	a.undo = append(a.undo, func() error { a.keys.Close(); return nil })
	a.opts.Hide.Add(a.keyTexts()...)
	return nil
}

// keyTexts are the keys that must be in no log.
func (a *App) keyTexts() []string {
	owner, chat := a.keys.Secrets()
	return []string{owner, chat}
}

func (a *App) keyConfig() keyring.Config {
	return keyring.Config{Paths: a.opts.Paths, Owner: a.opts.Config.Key, Logger: a.opts.Logger, Replaced: a.tellOthers}
}

func (a *App) openStore(ctx context.Context) (err error) {
	if a.store, err = store.Open(ctx, a.opts.Paths.DB, a.opts.Logger); err != nil {
		return err
	}
	a.undo = append(a.undo, a.store.Close)
	if a.origins, err = sandbox.NewOrigins(ctx, a.store, a.opts.Logger); err != nil {
		return err
	}
	return a.startAudit(ctx)
}

// startAudit opens the audit log, and tells loudly when it is not as it was left.
func (a *App) startAudit(ctx context.Context) error {
	key, known, err := config.EnsureAuditKey(a.opts.Paths)
	if err != nil {
		return err
	}
	problem, err := a.store.StartAudit(ctx, store.AuditConfig{Key: key, Known: known, Anchor: a.opts.Paths.AuditHead, Mask: auditMask(a.opts.Hide)})
	if problem != "" {
		a.opts.Logger.Error("the audit log is not as it was left", "problem", problem)
		a.opts.Say("The audit log is not as it was left. %s See what it is about: loci audit verify", problem)
	}
	return err
}

// openAgent puts the engine together and marks what a crash left unfinished.
func (a *App) openAgent(ctx context.Context) error {
	now := clock(a.opts.Config.TimeZone)
	kit := a.toolConfig(now)
	tools, err := tool.New(kit)
	if err != nil {
		return err
	}
	a.router = intent.New(intent.Config{
		Embedder: embedder{a.hub},
		Keeper:   a.store,
		Chooser:  a.hub,
		Writer:   a.hub,
		Logger:   a.opts.Logger,
	})
	a.settings = settings(a.opts.Config, a.opts.Getenv)
	a.settings.Folders = func(p loci.Principal) []string { return rights(a.inForce(), p) }
	a.agent = agent.New(agent.Config{
		Model: models{a.hub, &a.lost}, Tools: tools, Chooser: a.router, Teller: a.router, Judge: a.hub,
		Log: a.store, Approvals: a.store, Waits: a.store, Transcripts: transcript.Store{Sessions: a.store, Nodes: a.store},
		Settings: a.settings, Now: now, Logger: a.opts.Logger,
	})
	a.undo = append(a.undo, func() error { a.agent.Close(); return nil })
	unfinished, err := a.store.Unfinished(ctx)
	if err != nil {
		return err
	}
	if err := a.agent.Recover(ctx, unfinished); err != nil {
		return err
	}
	ctx, a.requests = context.WithCancel(context.WithoutCancel(ctx))
	if !a.store.Clean() {
		a.own.Go(func() { a.verify(ctx) })
	}
	a.daily.Go(func() { purgeDaily(ctx, a.trash(), a.origins, now, a.purged) })
	a.daily.Go(func() { a.keys.Watch(ctx) })
	if a.opts.Sources.FoldersFile() != "" {
		a.daily.Go(func() { a.watchFolders(ctx) })
	}
	if a.cert != nil {
		a.daily.Go(func() { a.cert.Watch(ctx, a.opts.Logger, a.tellOthers) })
	}
	a.specs = tools.Specs(loci.Scope{Principal: owner})
	access := a.apiConfig(tools)
	access.Changes = a.undoDesk(kit)
	a.server = api.Server(ctx, api.New(access), a.opts.Logger)
	a.server.ConnState = a.listener.Follow
	a.undo = append(a.undo, func() error { a.requests(); a.own.Wait(); a.daily.Wait(); return nil })
	return nil
}

// toolConfig says what models can use, and what they never see.
func (a *App) toolConfig(now func() time.Time) tool.Config {
	return tool.Config{
		Tools:   toolkit.All(a.toolkitConfig()),
		Timeout: a.opts.Config.Timeouts.Tool,
		Logger:  a.opts.Logger,
		Ledger:  a.store,
		Now:     now,
		Private: private(a.opts.Paths),
		Rules:   a.rules,
		Origins: a.origins,
		Gate:    gate.New(a.gateConfig()),
		Mask:    a.opts.Hide.Known(),
	}
}

// toolkitConfig says what the built-in tools may reach.
func (a *App) toolkitConfig() toolkit.Config {
	c := toolkit.Config{Trash: a.trash(), Writer: writer{a.hub, a.opts.Hide.Known()}, Databases: map[string]database.Connection{}, Apps: map[string]desktop.App{}}
	for name, d := range a.opts.Config.Databases {
		c.Databases[name] = database.Connection{URL: string(d.URL), Writable: d.Writable}
	}
	for name, app := range a.opts.Config.Apps {
		c.Apps[name] = desktop.App(app)
	}
	return c
}

// gateConfig says what may run unasked.
func (a *App) gateConfig() gate.Config {
	return gate.Config{
		Grants: a.store, Rules: a.rules, Command: a.command, Taint: gate.Mode(a.opts.Config.Taint), Logger: a.opts.Logger,
	}
}

// command is what the configuration says of a call that runs a program.
func (a *App) command(c tool.Case) (tool.Verdict, string) {
	if c.Spec.Name != toolkit.RunCommand {
		return tool.Ask, ""
	}
	rules := argv.Rules{Allow: a.opts.Config.UnaskedCommands, Deny: a.opts.Config.DeniedCommands}
	return toolkit.Rule(rules, c.Scope, c.Arguments)
}

func (a *App) rules(p loci.Principal) sandbox.Rules { return rules(a.inForce(), p) }

// verify looks for damage after a stop that was not clean.
func (a *App) verify(ctx context.Context) {
	if err := a.store.Verify(ctx); err != nil && ctx.Err() == nil {
		a.opts.Logger.Error("the database is damaged", "path", a.opts.Paths.DB, "error", err)
		a.opts.Say("%s", loci.AsError(err))
	}
}

// apiConfig says who answers requests, and whose.
func (a *App) apiConfig(tools *tool.Set) api.Config {
	desk := desk{a.store, a.agent, tools, a.settings.Folders, a.forget}
	return api.Config{
		Engine: a.agent, Sessions: a.agent, Library: desk, Editor: desk, Questions: desk, Inspect: masked{desk, a.opts.Hide}, Audit: a.store,
		Models: a.hub, Prober: a.hub, Backends: backends{a.hub}, Aside: a.agent,
		Keys: a.keys, KeyEditor: keyDesk{a.keys, a.agent},
		OwnerName:      a.settings.User,
		AllowedHosts:   slices.Concat(a.hosts, a.opts.Config.AllowedHosts),
		AllowedOrigins: a.opts.Config.AllowedOrigins,
		ClientJobs:     api.JobMode(a.opts.Config.ClientJobs),
		OpenWebUI:      a.opts.Config.OpenWebUI,
		Instance:       a.id,
		Version:        Version,
		Ready:          a.store.Ready,
		Mask:           a.opts.Hide.Text,
		Logger:         a.opts.Logger,
		Limits:         api.Limits{OwnRate: a.opts.Config.Limits.OwnRate, KeyRate: a.opts.Config.Limits.KeyRate},
	}
}

// announce tells other processes where this one is. From here on a client can
// connect; it is answered when Serve begins.
func (a *App) announce(context.Context) error {
	a.telling.Lock()
	defer a.telling.Unlock()
	ad := a.Addresses()
	_, chat := a.keys.Secrets()
	return a.instance.WriteRun(config.Run{
		PID: os.Getpid(), URL: ad.URL, Listen: a.listener.Addr().String(), Key: config.Secret(ad.Key), ChatKey: config.Secret(chat), KeyInFile: a.opts.Config.Key == "",
		Fingerprint: ad.Fingerprint, Folders: a.Folders(), Config: a.opts.Sources.FoldersFile(), Own: a.Own(), Instance: a.id, Started: a.started,
	})
}

// tellOthers announces what has changed.
func (a *App) tellOthers() {
	a.opts.Hide.Add(a.keyTexts()...)
	if err := a.announce(context.Background()); err != nil {
		a.opts.Logger.Error("other commands are not told of the change", "error", err)
	}
}

// Serve answers requests until ctx ends, then lets those that are under way
// finish for a moment.
func (a *App) Serve(ctx context.Context) error {
	defer heap.Bound()()
	served := make(chan error, 1)
	go func() { served <- a.server.Serve(a.doors()) }()
	if a.opts.Stays {
		a.own.Go(func() { a.warm(ctx); a.prepare(ctx) })
	}
	select {
	case err := <-served:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	// Turns first: their clients hear how they ended, and those who follow along
	// come to the end. What still runs then are relayed replies, which are cut.
	a.agent.Close()
	const drain, cut = 500 * time.Millisecond, time.Second
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cut)
	defer cancel()
	time.AfterFunc(drain, a.requests)
	if err := a.server.Shutdown(closing); err != nil {
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
	a.opts.Logger.Info("loci "+Build(), "config", a.opts.Paths.Config, "data", a.opts.Paths.Data, "state", a.opts.Paths.State,
		"working", a.settings.Working, "folders", strings.Join(a.Folders(), ", "), "url", a.Addresses().URL)
}

// Folders gives the folders that the owner's conversations may look into.
func (a *App) Folders() []string { return rights(a.inForce(), loci.Principal{Owner: true}) }

// Own tells whether loci's own model server is used.
func (a *App) Own() bool { return len(a.engines) > 0 }

// Model gives the name of the model that answers, empty where there is none, and
// line by line what to expect of it. A command to run is indented.
func (a *App) Model(ctx context.Context) (name string, notes []string) {
	p, err := a.hub.Profile(ctx, "")
	if err != nil {
		return "", []string{loci.AsError(err).Error()}
	}
	switch {
	case a.Own():
		notes = []string{
			"loci's own: good for looking things up, too small to reason.",
			"For real work install Ollama (ollama.com), then run",
			"  ollama pull qwen3:4b",
			"and start loci again.",
		}
	case p.Tier == loci.TierTiny:
		notes = []string{"It is too small to choose tools, so loci chooses for it."}
	case p.Tier == loci.TierText:
		notes = []string{"It has no tool calls of its own, so it writes them as text."}
	}
	return p.Model, notes
}
