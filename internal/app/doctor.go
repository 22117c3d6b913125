package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/config"
	"loci/internal/confine"
	"loci/internal/door"
	"loci/internal/model"
	"loci/internal/model/server"
	"loci/internal/sandbox"
	"loci/internal/secret"
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
	if _, told := errors.AsType[*loci.Error](err); !told { // the doctor is where details belong
		c.Text, c.Hint = err.Error(), ""
	}
	return c
}

// Doctor checks everything that loci needs. It makes missing folders and brings
// the tables of the database up to date, as the program would; nothing else is
// changed. Where the configuration could not be read, wrong says why, and the
// rest is checked with what o has in its place.
func Doctor(ctx context.Context, o Options, wrong error) []Check {
	o = o.withDefaults()
	run, running, err := config.ReadRun(o.Paths)
	if !running {
		run = config.Run{} // left by one that was killed
	}
	o.Hide.Add(o.Config.Secrets()...)
	checks := []Check{ok("version", "loci %s", Build()), checkConfig(o.Paths.Config, wrong, running && run.Config == o.Paths.Config), checkFiles(o.Paths), ok("keys", "in %s and, for chat, %s", o.Paths.Key, o.Paths.ChatKey)}
	checks = append(checks, checkSecrets(ctx, o)...)
	if err != nil {
		checks = append(checks, bad("instance", Warn, err))
	}
	if running {
		checks = append(checks, checkInstance(ctx, run))
	} else {
		checks = append(checks, ok("instance", "loci does not run now"), checkPort(ctx, o.Config.Listen), checkDatabase(ctx, o.Paths.DB))
	}
	checks = append(checks, checkFolders(o, run, running)...)
	checks = append(checks, checkSandbox(confine.Probe()))
	checks = append(checks, checkModels(ctx, o, run, running)...)
	return append(checks, checkClock(time.Now()))
}

// checkSandbox says what confines the commands that models run.
func checkSandbox(l confine.Level) Check {
	switch {
	case l.Full():
		return ok("sandbox", "commands are confined by %s", l)
	case l.None():
		return Check{"sandbox", Warn, "nothing confines commands here: " + l.Reason, "Read each question about a command with care: it can do whatever you can."}
	case l.Landlock == 0:
		return Check{"sandbox", Warn, "commands are confined by " + l.String() + " only, and may reach files outside the allowed folders", "Use a kernel with Landlock, which Linux has since 5.13."}
	}
	return Check{"sandbox", Warn, "commands are confined by " + l.String() + ", without namespaces: " + l.Reason, "Commands cannot change the modes of files then, which compilers do: let users make user namespaces where that is possible."}
}

func checkConfig(path string, wrong error, running bool) Check {
	if wrong != nil {
		c := bad("config", Fail, wrong)
		if running {
			c.Text += " The loci that runs keeps the settings and folders that it has."
		}
		return c
	}
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return ok("config", "%s is not there, so everything is as usual", path)
	}
	return ok("config", "%s", path)
}

// checkSecrets tells where the key to the stored secrets is, and which settings
// have their secrets in the configuration as they are.
func checkSecrets(ctx context.Context, o Options) (checks []Check) {
	place, stored, err := secret.At(filepath.Dir(o.Paths.Config), o.Getenv).Check(ctx)
	switch {
	case err != nil:
		checks = append(checks, bad("secrets", Fail, err))
	case stored > 0:
		checks = append(checks, ok("secrets", "%d stored, encrypted. %s holds the key to them", stored, place))
	}
	for _, name := range config.PlainSecrets(config.Sources{File: o.Paths.Config, Env: o.Getenv}) {
		checks = append(checks, Check{"secrets", Warn, name + " stands in " + o.Paths.Config + " as it is",
			"Store it with loci secret set NAME, and write secret:NAME in its place."})
	}
	return checks
}

func checkFiles(p config.Paths) Check {
	if err := p.Make(); err != nil {
		return bad("files", Fail, err)
	}
	f, err := os.CreateTemp(p.State, ".doctor-*")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return bad("files", Fail, loci.Wrap(loci.Internal, err, "The folder %s cannot be written.", p.State).
			WithHint("Make it writable for you, or set LOCI_HOME to another folder."))
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
	res, err := run.Client().Do(req)
	if err != nil {
		return bad("instance", Fail, loci.Errorf(loci.Unreachable, "loci runs as process %d, but %s does not answer.", run.PID, run.URL).
			WithHint("Stop that process and start loci again."))
	}
	res.Body.Close()
	c := ok("instance", "running as process %d at %s", run.PID, run.URL)
	if run.Fingerprint != "" {
		c.Text += ", with the certificate " + run.Fingerprint
	}
	return c
}

func checkPort(ctx context.Context, address string) Check {
	l, err := door.Listen(ctx, address)
	if err != nil {
		return bad("port", Fail, err)
	}
	if err := l.Close(); err != nil {
		return bad("port", Warn, err)
	}
	return ok("port", "%s is free", address)
}

// checkDatabase reads the whole database, which is only done when no other
// process uses it, and when it was closed properly: opening it would remove the
// sign by which the program knows that it has to look for damage.
func checkDatabase(ctx context.Context, path string) Check {
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return ok("database", "%s is made at the first start", path)
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return Check{"database", Warn, path + " was not closed properly the last time", "Start loci: it then looks for damage, and says so if there is any."}
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

// checkFolders looks at the folders of the configuration, and at those that the
// running loci has, which may have been told more, or have another configuration.
func checkFolders(o Options, run config.Run, running bool) []Check {
	allowed := rights(o.Config, loci.Principal{Owner: true})
	all := slices.Concat(allowed, run.Folders)
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) == 0 {
		return []Check{{"folders", Warn, "no folder is allowed, so models cannot look at files", "Allow one: loci allow FOLDER"}}
	}
	var checks []Check
	for _, path := range all {
		f, err := sandbox.New(sandbox.Config{Folders: []string{path}})
		if err != nil {
			checks = append(checks, bad("folders", Warn, err))
			continue
		}
		if running && run.Config != o.Paths.Config && !slices.Contains(run.Folders, path) {
			checks = append(checks, Check{"folders", Warn, path + " can be looked into from loci ask, but not from chat clients: the loci that runs has another configuration", "Stop loci and start it again."})
		} else {
			checks = append(checks, ok("folders", "%s can be looked into", path))
		}
		if err := f.Close(); err != nil {
			checks = append(checks, bad("folders", Warn, err))
		}
	}
	return checks
}

// checkModels asks every model server, or looks for one, and says what loci
// would do, or does.
func checkModels(ctx context.Context, o Options, run config.Run, running bool) []Check {
	backends, err := configured(o.Config)
	if err != nil {
		return []Check{bad("models", Fail, err)}
	}
	var checks []Check
	if len(backends) == 0 {
		var absent string
		backends, absent, checks = checkPorts(ctx, o.Getenv)
		switch {
		case running && run.Own && len(backends) > 0:
			return append(checks, Check{"models", Warn, fmt.Sprintf("%s at %s answers, but loci was started before it, and uses the small model of its own", backends[0].Kind, backends[0].URL), "Stop loci and start it again."})
		case running && run.Own:
			return append(checks, ok("models", "the small model of loci's own is used, for no other model server answers%s", absent))
		case len(backends) == 0:
			return append(checks, checkEmbedded(ctx, o, absent)...)
		}
	}
	return append(checks, checkBackends(ctx, o, backends)...)
}

// checkBackends asks model servers what they have, and looks at the model that would
// answer.
func checkBackends(ctx context.Context, o Options, backends []server.Backend) (checks []Check) {
	conf := hubConfig(o.Config, backends)
	conf.Hide = o.Hide
	hub := model.New(conf)
	defer hub.Close()
	more := "" // than the small window that Ollama serves by itself
	for _, s := range hub.Status(ctx) {
		if s.Backend.Kind == server.KindOllama && o.Config.Window == 0 {
			more = " Ollama serves more if \"window\" in the configuration asks for it, and takes more memory then."
		}
		if s.Err != nil {
			checks = append(checks, bad("models", Fail, s.Err))
			continue
		}
		checks = append(checks, ok("models", "%s at %s has %s", s.Backend.Kind, s.Backend.URL, counted(s.Models, "model")))
	}
	p, err := hub.Profile(ctx, "")
	if err != nil {
		c := bad("model", Fail, err)
		if slices.ContainsFunc(checks, func(told Check) bool { return told.Text == c.Text }) {
			return checks
		}
		return append(checks, c)
	}
	if p.Window > 4<<10 {
		more = ""
	}
	return append(checks, ok("model", "%s: %s tier, window of %d tokens. %s%s", p.Model, p.Tier, p.Window, p.Reason, more))
}

// counted is a number of things.
func counted(n int, of string) string {
	switch n {
	case 0:
		return "no " + of
	case 1:
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// checkPorts looks for model servers on the usual ports, and says in brackets which
// are not there.
func checkPorts(ctx context.Context, getenv func(string) string) (backends []server.Backend, absent string, checks []Check) {
	var gone []string
	for _, f := range server.Discover(ctx, getenv) {
		switch {
		case f.Usable() && inPlain(f.Backend) != nil:
			checks = append(checks, bad("models", Warn, inPlain(f.Backend)))
		case f.Usable():
			backends = append(backends, f.Backend)
		case f.Absent:
			gone = append(gone, f.Backend.Kind.String()+" on "+f.Where)
		default:
			checks = append(checks, Check{"models", Warn, f.Backend.URL + " " + f.Problem, ""})
		}
	}
	if len(gone) > 0 {
		absent = " (loci looked for " + strings.Join(gone, ", ") + ")"
	}
	return backends, absent, checks
}

// checkEmbedded looks at the model of loci's own, where no other server answers.
func checkEmbedded(ctx context.Context, o Options, absent string) []Check {
	none := "no model server answers" + absent + ", and the small model of loci's own "
	if !o.Config.Embedded.Enabled {
		return []Check{{"models", Fail, none + "is switched off", "Start a model server such as Ollama, or set embedded.enabled to true."}}
	}
	engine := ownEngine(o)
	if engine.Installed() {
		return []Check{ok("models", "the small model of loci's own will be used, for no other model server answers%s", absent)}
	}
	problems := engine.Check(ctx)
	if len(problems) == 0 {
		return []Check{{"models", Warn, none + "is not fetched yet", "Run loci up, which fetches it. For real work, install Ollama."}}
	}
	checks := []Check{{"models", Fail, none + "cannot be used here", "Start a model server such as Ollama, or mend what follows."}}
	for _, p := range problems {
		checks = append(checks, bad("models", Fail, p))
	}
	return checks
}

// checkClock notices a clock that was never set: a model would be told so.
func checkClock(now time.Time) Check {
	if now.Year() < 2026 {
		return Check{"clock", Fail, "the clock says " + now.Format(time.DateOnly), "Set the clock of this machine."}
	}
	zone, _ := now.Zone()
	return ok("clock", "%s %s", now.Format("Monday, 2 January 2006, 15:04"), zone)
}
