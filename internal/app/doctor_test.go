package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/config"
	"loci/internal/fake"
	"loci/internal/model"
	"loci/internal/model/server"
)

// find gives the first check of a name that is not ok, or else the first.
func find(t *testing.T, checks []Check, name string) Check {
	t.Helper()
	var found []Check
	for _, c := range checks {
		if c.Name == name && c.Status != OK {
			return c
		}
		if c.Name == name {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		t.Fatalf("nothing is said of %s: %v", name, checks)
	}
	return found[0]
}

func TestDoctor(t *testing.T) {
	server := fake.NewModel().Ollama(t)
	for name, tt := range map[string]struct {
		prepare func(t *testing.T, o *Options)
		check   string
		status  Status
		text    string
	}{
		"first start": {func(*testing.T, *Options) {}, "database", OK, "made at the first start"},
		"not running": {func(*testing.T, *Options) {}, "instance", OK, "does not run"},
		"free port":   {func(*testing.T, *Options) {}, "port", OK, "is free"},
		"files":       {func(*testing.T, *Options) {}, "files", OK, "data in"},
		"good models": {func(*testing.T, *Options) {}, "models", OK, "has 1 model"},
		"good model":  {func(*testing.T, *Options) {}, "model", OK, "fake: native tier, window of 8192 tokens"},
		"small window": {func(t *testing.T, o *Options) {
			small := fake.NewModel()
			small.Window = 4096
			o.Config.Backends[0].URL = small.Ollama(t)
		}, "model", OK, "Ollama serves more if"},
		"model server": {func(_ *testing.T, o *Options) { o.Config.Backends[0].URL = nowhere }, "models", Fail, nowhere},
		"no model":     {func(_ *testing.T, o *Options) { o.Config.Model = "nothing-like-it" }, "model", Fail, "nothing-like-it"},
		"alias": {func(_ *testing.T, o *Options) {
			o.Config.Model, o.Config.Aliases = "quick", map[string]string{"quick": "fake"}
		}, "model", OK, "fake: native"},
		"tier":       {func(_ *testing.T, o *Options) { o.Config.Tier = "tiny" }, "model", OK, "tiny tier"},
		"bad server": {func(_ *testing.T, o *Options) { o.Config.Backends[0].URL = "ftp://x" }, "models", Fail, "not the address"},
		"no folder":  {func(*testing.T, *Options) {}, "folders", Warn, "no folder is allowed"},
		"lost folder": {func(t *testing.T, o *Options) {
			o.Config.Folders = []config.Folder{{Path: t.TempDir()}, {Path: filepath.Join(t.TempDir(), "gone")}}
		}, "folders", Warn, "gone"},
		"folder": {func(t *testing.T, o *Options) { o.Config.Folders = []config.Folder{{Path: t.TempDir()}} }, "folders", OK, "can be looked into"},
		"whole": {func(t *testing.T, o *Options) {
			if err := build(t, *o).Close(); err != nil {
				t.Fatal(err)
			}
		}, "database", OK, "is whole"},
		"damage": {func(t *testing.T, o *Options) { damage(t, *o) }, "database", Fail, "damaged"},
		"running": {func(t *testing.T, o *Options) {
			a := build(t, *o)
			serving(t, a)
			ask(t, "GET", a.Addresses().URL+"/healthz", "", "", "") // the run file is there now
		}, "instance", OK, "running as process"},
		"port taken": {func(t *testing.T, o *Options) {
			other := options(t, nowhere)
			o.Config.Listen = strings.TrimPrefix(build(t, other).Addresses().URL, "http://")
		}, "port", Fail, "cannot listen on"},
		"opened later": {func(t *testing.T, o *Options) {
			o.Sources = config.Sources{File: o.Paths.Config, Env: o.Getenv}
			a := build(t, *o)
			serving(t, a)
			ask(t, "GET", a.Addresses().URL+"/healthz", "", "", "")
			o.Config.Folders = []config.Folder{{Path: t.TempDir()}}
		}, "folders", OK, "can be looked into"},
		"opened elsewhere": {func(t *testing.T, o *Options) {
			a := build(t, *o)
			serving(t, a)
			ask(t, "GET", a.Addresses().URL+"/healthz", "", "", "")
			o.Config.Folders = []config.Folder{{Path: t.TempDir()}}
		}, "folders", Warn, "from loci ask, but not from chat clients"},
		"opened by flag": {func(t *testing.T, o *Options) {
			flagged := *o
			flagged.Config.Folders = []config.Folder{{Path: t.TempDir()}}
			a := build(t, flagged)
			serving(t, a)
			ask(t, "GET", a.Addresses().URL+"/healthz", "", "", "")
		}, "folders", OK, "can be looked into"},
		"no file": {func(*testing.T, *Options) {}, "config", OK, "is not there"},
		"broken run file": {func(t *testing.T, o *Options) {
			if err := o.Paths.Make(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(o.Paths.RunFile, []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "instance", Warn, "run.json"},
		"files in the way": {func(t *testing.T, o *Options) {
			if err := os.WriteFile(filepath.Dir(filepath.Dir(o.Paths.Config)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "files", Fail, "cannot be written"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, server)
			tt.prepare(t, &o)
			c := find(t, Doctor(t.Context(), o, nil), tt.check)
			if c.Status != tt.status || !strings.Contains(c.Text, tt.text) {
				t.Errorf("%+v, want %s with %q", c, tt.status, tt.text)
			}
			if c.Status == Fail && c.Hint == "" {
				t.Errorf("no way to mend it: %+v", c)
			}
		})
	}
}

// After a crash the doctor leaves the sign of it to the program.
func TestDoctorAfterACrash(t *testing.T) {
	o := options(t, nowhere)
	damage(t, o)
	log := o.Paths.DB + "-wal"
	if err := os.WriteFile(log, []byte("left by a crash"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if c := find(t, Doctor(t.Context(), o, nil), "database"); c.Status != Warn || !strings.Contains(c.Text, "not closed properly") || c.Hint == "" {
			t.Errorf("%+v", c)
		}
	}
	if info, err := os.Stat(log); err != nil || info.Size() == 0 {
		t.Errorf("the sign is gone: %v", err)
	}
}

// Without any model server the doctor says what loci would do about it.
func TestDoctorWithoutServers(t *testing.T) {
	o := options(t, nowhere).withDefaults()
	o.Config.Backends = nil
	backends, absent, checks := checkPorts(t.Context(), o.Getenv)
	if len(backends)+len(checks) > 0 {
		t.Skip("a model server runs on this machine")
	}
	if !strings.Contains(absent, "Ollama on port 11434") {
		t.Error(absent)
	}
	// What answers is said once, whether it is loci's own that does or will.
	for _, running := range []bool{true, false} {
		for _, c := range checkModels(t.Context(), o, config.Run{Own: true}, running) {
			if running && (c.Status != OK || !strings.Contains(c.Text, "loci's own is used") || !strings.Contains(c.Text, "Ollama on port 11434")) {
				t.Errorf("running: %+v", c)
			}
			if !running && c.Status == OK && !strings.Contains(c.Text, "will be used") {
				t.Errorf("not running: %+v", c)
			}
		}
	}
	o.Config.Embedded.Enabled = false
	if c := checkModels(t.Context(), o, config.Run{}, false); c[len(c)-1].Status != Fail || !strings.Contains(c[len(c)-1].Text, "switched off") {
		t.Errorf("%+v", c)
	}
	t.Setenv("PATH", "")
	o.Config.Embedded.Enabled = true
	if c := checkEmbedded(t.Context(), o, absent); len(c) < 2 || c[0].Status != Fail || c[0].Hint == "" || c[1].Hint == "" {
		t.Errorf("without Python: %+v", c)
	}
}

func TestDoctorClock(t *testing.T) {
	for year, want := range map[int]Status{1970: Fail, 2026: OK} {
		if c := checkClock(time.Date(year, 5, 1, 0, 0, 0, 0, time.UTC)); c.Status != want {
			t.Errorf("%d: %+v", year, c)
		}
	}
}

// A server that came after loci is not used, and the doctor says so.
func TestDoctorAfterAServer(t *testing.T) {
	url := fake.NewModel().Ollama(t)
	o := options(t, nowhere)
	o.Config.Backends = nil
	home := o.Getenv
	o.Getenv = func(name string) string {
		if name == "OLLAMA_HOST" {
			return url
		}
		return home(name)
	}
	if c := checkModels(t.Context(), o, config.Run{Own: true}, true); c[len(c)-1].Status != Warn || !strings.Contains(c[len(c)-1].Text, url+" answers, but loci was started before it") || c[len(c)-1].Hint == "" {
		t.Errorf("%+v", c)
	}
	if c := checkModels(t.Context(), o, config.Run{}, true); c[0].Status != OK || !strings.Contains(c[0].Text, "has 1 model") {
		t.Errorf("%+v", c)
	}
}

// What serves and what the doctor asks are told the same.
func TestDoctorAsksTheSame(t *testing.T) {
	m := fake.NewModel()
	o := options(t, m.Ollama(t))
	o.Config.Model, o.Config.Aliases, o.Config.Tier = "quick", map[string]string{"quick": "fake"}, "text"
	a := build(t, o)
	name, _ := a.Model(t.Context())
	hub := model.New(hubConfig(o.Config, []server.Backend{{URL: m.Ollama(t)}}))
	defer hub.Close()
	p, err := hub.Profile(context.Background(), "")
	if err != nil || p.Model != name || p.Tier != "text" {
		t.Errorf("the program uses %s, the doctor sees %s (%s): %v", name, p.Model, p.Tier, err)
	}
}

// With a configuration that cannot be read the rest is checked all the same.
func TestDoctorWithBadConfig(t *testing.T) {
	o := options(t, nowhere)
	wrong := loci.Errorf(loci.Invalid, "config.yaml:1:1: it is wrong.").WithHint("Correct it.")
	checks := Doctor(t.Context(), o, wrong)
	if c := find(t, checks, "config"); c.Status != Fail || c.Text != wrong.Message || c.Hint == "" {
		t.Errorf("%+v", c)
	}
	find(t, checks, "clock")
	if c := checkConfig(o.Paths.Config, wrong, true); c.Status != Fail || !strings.HasPrefix(c.Text, wrong.Message) || !strings.Contains(c.Text, "keeps the settings and folders") {
		t.Errorf("while loci runs: %+v", c)
	}
}

// Nothing is told twice.
func TestDoctorTellsOnce(t *testing.T) {
	told := map[string]bool{}
	for _, c := range Doctor(t.Context(), options(t, nowhere), nil) {
		if told[c.Text] {
			t.Errorf("again: %+v", c)
		}
		told[c.Text] = true
	}
}
