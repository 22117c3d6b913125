package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"loci"
	"loci/internal/config"
	"loci/internal/confine"
)

// looked gives the checks of a person whose config.yaml has a text, as lines.
func looked(t *testing.T, text string, change func(*Options)) []string {
	t.Helper()
	o := options(t, nowhere)
	if err := o.Paths.Make(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.Paths.Config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Getenv = func(name string) string { return map[string]string{"HOME": "/home/mira"}[name] }
	var err error
	if o.Config, _, err = config.Load(config.Sources{File: o.Paths.Config, Env: o.Getenv}); err != nil {
		t.Fatal(err)
	}
	o.probe = func() confine.Level { return confine.Level{Landlock: 5, Filter: true, Namespaces: true} }
	if change != nil {
		change(&o)
	}
	var lines []string
	for _, c := range Security(t.Context(), o, nil) {
		if c.Status != OK && c.Hint == "" {
			t.Errorf("%s: no way to mend it: %s", c.Name, c.Text)
		}
		lines = append(lines, string(c.Status)+" "+c.Name+" "+c.Text)
	}
	return lines
}

// What a person has not changed is all right.
func TestSecurityByDefault(t *testing.T) {
	for _, line := range looked(t, "", nil) {
		if !strings.HasPrefix(line, "ok ") {
			t.Error(line)
		}
	}
}

// Each setting that weakens something is one line.
func TestSecurity(t *testing.T) {
	chmod := func(which func(config.Paths) string, mode os.FileMode) func(*Options) {
		return func(o *Options) {
			path := which(o.Paths)
			if _, err := os.Stat(path); err != nil {
				if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	allow := func(which func(config.Paths) string) func(*Options) {
		return func(o *Options) { o.Config.Folders = []config.Folder{{Path: which(o.Paths)}} }
	}
	for name, e := range map[string]struct {
		text   string
		change func(*Options)
		want   string // beginning of the one line that is not ok
	}{
		"unencrypted":        {"listen: 0.0.0.0:5624\ninsecure: true", nil, "fail listen other machines"},
		"all addresses":      {"listen: ':5624'\ninsecure: true", nil, "fail listen other machines"},
		"refused":            {"listen: 192.168.1.5:5624", nil, "fail listen loci will not start"},
		"encrypted":          {"listen: 0.0.0.0:5624\ntls: self", nil, "warn listen other machines"},
		"insecure for later": {"insecure: true", nil, "warn listen insecure is set"},
		"host":               {"allowed_hosts: [loci.example]", nil, "warn hosts "},
		"page":               {"allowed_origins: ['https://chat.example']", nil, "warn pages "},
		"page in plain":      {"allowed_origins: ['http://chat.example:8080']", nil, "fail pages "},
		"page on this":       {"allowed_origins: ['http://localhost:3000']", nil, "warn pages "},
		"server in plain":    {"backends: [{url: 'http://10.0.0.1', insecure: true}]", nil, "fail backends everything said"},
		"server refused":     {"backends: ['http://10.0.0.1']", nil, "fail backends loci will not start"},
		"own key":            {"key: a-key-of-my-own-making", nil, "warn secrets config.yaml has the owner's"},
		"server's key":       {"backends: [{url: 'https://a.example', key: k}]", nil, "warn secrets config.yaml has the key of https://a.example"},
		"debug":              {"log: {level: debug}", nil, "warn log "},
		"key file":           {"", chmod(func(p config.Paths) string { return p.Key }, 0o644), "fail modes "},
		"chat key file":      {"", chmod(func(p config.Paths) string { return p.ChatKey }, 0o640), "fail modes "},
		"database":           {"", chmod(func(p config.Paths) string { return p.DB }, 0o644), "fail modes "},
		"settings":           {"", chmod(func(p config.Paths) string { return p.Config }, 0o666), "fail modes "},
		"folder of settings": {"", chmod(func(p config.Paths) string { return filepath.Dir(p.Config) }, 0o777), "fail modes "},
		"whole machine":      {"folders: [/]", nil, "fail folders "},
		"home":               {"folders: ['~']", nil, "fail folders "},
		"above home":         {"folders: [/home]", nil, "fail folders "},
		"of somebody else":   {"principals: {ann: {folders: ['~']}}", nil, "fail folders ann's"},
		"own settings":       {"", allow(func(p config.Paths) string { return filepath.Dir(p.Config) }), "fail folders "},
		"inside own data":    {"", allow(func(p config.Paths) string { return filepath.Join(p.Data, "x") }), "fail folders "},
		"relaxed":            {"taint: relaxed", nil, "warn outside after reading"},
		"odd command":        {"unasked_commands: [git log, make test]", nil, "warn commands the rule to run make test"},
		"no sandbox":         {"folders: [/srv/x]", sandboxed(confine.Level{Reason: "none"}), "fail sandbox nothing confines"},
		"half a sandbox":     {"folders: [/srv/x]", sandboxed(confine.Level{Landlock: 3, Filter: true, Reason: "no"}), "warn sandbox commands are confined"},
		"others' commands":   {"principals: {ann: {folders: [/srv/x]}}", sandboxed(confine.Level{Reason: "none"}), "fail sandbox nothing confines"},
		"web pages":          {"apps: {browser: {command: [firefox], urls: true}, editor: {command: [gedit]}}", nil, "warn apps web addresses can be opened with browser"},
		"rows":               {"databases: {shop: {url: 'env:SHOP', writable: true}, log: 'env:LOG'}", nil, "warn databases rows of shop"},
		"password":           {"databases: {shop: 'postgres://me:pass@localhost/shop', log: 'postgres://me@localhost/log'}", nil, "warn secrets config.yaml has the password of the database shop"},
		"free repository":    {"", free(t, "src/.git/hooks/post-commit", 1), "warn unasked your conversations change files in "},
		"free and large":     {"", free(t, "%d/a", largeFolder/2), "warn unasked your conversations change files in "},
		"around own files":   {"", allow(func(p config.Paths) string { return filepath.Dir(filepath.Dir(p.Config)) }), "warn folders "},
	} {
		t.Run(name, func(t *testing.T) {
			var odd []string
			for _, line := range looked(t, e.text, e.change) {
				if !strings.HasPrefix(line, "ok ") && !(name == "database" && (strings.HasPrefix(line, "warn keys") || strings.HasPrefix(line, "warn grants") || strings.HasPrefix(line, "fail audit"))) {
					odd = append(odd, line)
				}
			}
			if len(odd) != 1 || !strings.HasPrefix(odd[0], e.want) {
				t.Errorf("%q, want %q", odd, e.want)
			}
		})
	}
}

func sandboxed(l confine.Level) func(*Options) {
	return func(o *Options) { o.probe = func() confine.Level { return l } }
}

// free makes a folder with files of a name, which may be changed unasked.
func free(t *testing.T, name string, n int) func(*Options) {
	return func(o *Options) {
		dir := t.TempDir()
		for i := range n {
			path := filepath.Join(dir, strings.Replace(name, "%d", strconv.Itoa(i), 1))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o.Config.Folders = []config.Folder{{Path: dir, Access: "write"}}
	}
}

// What a person has set free or forbidden, with good reason, is listed.
func TestSecurityLists(t *testing.T) {
	lines := looked(t, "unasked_commands: [git log, ls]\ndenied_commands: [git push]", free(t, "notes.md", 1))
	for _, want := range []string{"ok commands run unasked where they only read: git log, ls", "ok commands never run: git push", "ok unasked your conversations change files in ", "ok sandbox "} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
			t.Errorf("no line %q in %q", want, lines)
		}
	}
}

// What somebody else may change unasked is told, as far as the owner's rules let it.
func TestSecurityOfOthersFolders(t *testing.T) {
	dir := t.TempDir()
	for own, want := range map[string]string{"[]": "ok unasked ann's conversations change files in " + dir, "['" + dir + "']": "ok unasked no file is changed unasked"} {
		lines := looked(t, "folders: "+own+"\nprincipals: {ann: {folders: [{path: '"+dir+"', access: write}]}}", nil)
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
			t.Errorf("%s: no line %q in %q", own, want, lines)
		}
	}
}

// Home set free is worse than home looked into, and two lines.
func TestSecurityOfFreeHome(t *testing.T) {
	var odd []string
	for _, line := range looked(t, "folders: [{path: '~', access: write}]", nil) {
		if !strings.HasPrefix(line, "ok ") {
			odd = append(odd, line)
		}
	}
	if len(odd) != 2 || !strings.HasPrefix(odd[0], "fail folders ") || !strings.HasPrefix(odd[1], "fail unasked ") {
		t.Errorf("%q", odd)
	}
}

// grant has the owner agree to things for good.
func grant(t *testing.T, a *App, n int) {
	t.Helper()
	s := &loci.Session{ID: loci.NewID(loci.SessionPrefix), Principal: loci.OwnerKey, Created: loci.Now(), Updated: loci.Now()}
	b := loci.Batch{Session: s, Events: []*loci.Event{{V: 1, Session: s.ID, Turn: "turn_1", Time: loci.Now(), Type: loci.EventNotice, Data: loci.Notice{Text: "x"}}}}
	for i := range n {
		b.Grants = append(b.Grants, loci.Grant{
			ID: loci.NewID(loci.GrantPrefix), Principal: s.Principal, Approval: loci.NewID(loci.ApprovalPrefix), Tool: "run_command",
			Subject: "ls", Binding: strconv.Itoa(i), Span: loci.GrantAlways, Given: loci.Now(),
		})
	}
	if err := a.store.Save(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// TestSecurityOfHands looks at what only a loci that was used has: its audit log, and
// the yeses that hold on.
func TestSecurityOfHands(t *testing.T) {
	o := options(t, nowhere)
	o.Getenv = func(string) string { return "" }
	a, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	grant(t, a, manyGrants+1)
	stop := serving(t, a)
	see := func(name string) string {
		for _, c := range Security(t.Context(), o, nil) {
			if c.Name == name {
				return string(c.Status) + " " + c.Text
			}
		}
		return "nothing"
	}
	if got := see("grants"); got != "warn what you have said yes to for good: 21 things" {
		t.Errorf("running: %s", got)
	}
	if err := errors.Join(stop(), a.Close()); err != nil {
		t.Fatal(err)
	}
	if got := see("grants"); got != "warn what you have said yes to for good: 21 things" {
		t.Errorf("stopped: %s", got)
	}
	if got := see("audit"); !strings.HasPrefix(got, "ok ") {
		t.Error(got)
	}
	for path, want := range map[string]string{o.Paths.AuditHead: "fail the anchor of the audit log is missing", o.Paths.AuditKey: "fail the key of the audit log is missing"} {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := see("audit"); !strings.HasPrefix(got, want) {
			t.Error(got)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Keys that may more than is needed are told, from the loci that runs and from the
// database of one that does not.
func TestSecurityOfKeys(t *testing.T) {
	o := options(t, nowhere)
	o.Getenv = func(string) string { return "" }
	a, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for name, rights := range map[string][]loci.Right{"both": loci.AllRights(), "script": {loci.RightChat}} {
		if _, _, err := a.keys.Add(t.Context(), loci.Principal{ID: "owner", Owner: true}, name, rights); err != nil {
			t.Fatal(err)
		}
	}
	stop := serving(t, a)
	see := func() (odd []string) {
		for _, c := range Security(t.Context(), o, nil) {
			if c.Name == "keys" {
				odd = append(odd, c.Text)
			}
		}
		return odd
	}
	for _, when := range []string{"running", "stopped"} {
		if odd := see(); len(odd) != 1 || !strings.Contains(odd[0], "the key both can both ask for changes and allow them") {
			t.Errorf("%s: %q", when, odd)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
