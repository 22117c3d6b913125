package app

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net"
	"os/user"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/config"
	"loci/internal/door"
	"loci/internal/embedded"
	"loci/internal/keyring"
	"loci/internal/tool"
	"loci/internal/toolkit"
)

// elsewhere are the settings that app has no part in: the version is looked at
// when the file is read, and the commands make the log.
var elsewhere = []string{"Version", "Log.Level", "Log.File"}

// A setting that nobody reads is a promise that is not kept. From a
// configuration in which everything is set, each setting in turn is taken back
// to its default, and some part of the program must notice.
func TestEverySettingIsUsed(t *testing.T) {
	t.Setenv("PATH", "") // no search for Python
	o := options(t, nowhere)
	def := config.Default()
	def.Listen = "127.0.0.1:0" // the usual port may be taken
	full := reflect.New(reflect.TypeFor[config.Config]()).Elem()
	full.Set(reflect.ValueOf(def))
	fill(full, "")
	all := parts(t, o, full.Interface().(config.Config))
	for name, path := range leaves(full.Type(), "", nil) {
		c := without(full, path, reflect.ValueOf(def)).Interface().(config.Config)
		changed := parts(t, o, c) != all
		if skip := slices.Contains(elsewhere, name); changed == skip {
			t.Errorf("%s is noticed: %v", name, changed)
		}
	}
}

// parts writes down what the parts of the program are told.
func parts(t *testing.T, o Options, c config.Config) string {
	t.Helper()
	o.Config, o.Paths = c, o.Paths.For(c)
	a := &App{opts: o.withDefaults()}
	a.folders.Store(&c.Folders)
	if err := o.Paths.Make(); err != nil {
		t.Fatal(err)
	}
	_, encrypts := door.NewCertificate(c, o.Paths)
	opens := a.mayOpen("http://192.0.2.1")
	a.opts.Config.TLS = config.TLS{} // none of those that are tried is a right one
	keys := a.keyConfig()
	keys.Store = noKeys{}
	var err error
	if a.keys, err = keyring.New(t.Context(), keys); err != nil {
		t.Fatal(err)
	}
	if err := a.listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	s := settings(c, o.Getenv)
	owner, ann := a.Folders(), rights(a.inForce(), loci.Principal{ID: "user:ann"})
	a.settings = s
	doors := a.apiConfig(nil)
	for i, h := range doors.AllowedHosts {
		if host, _, err := net.SplitHostPort(h); err == nil {
			doors.AllowedHosts[i] = host // the port is another one each time
		}
	}
	backends, err := configured(c)
	text := fmt.Sprintln(s, owner, ann, doors.AllowedHosts, doors.AllowedOrigins, doors.OwnerName, ownerKey(a), doors.Limits, encrypts, opens, doors.ClientJobs, doors.OpenWebUI, a.warms(), err)
	for _, b := range backends {
		text += fmt.Sprintln(b.URL, b.Key) // printed as a whole, it hides the key
	}
	tools, reached := a.toolConfig(nil), a.toolkitConfig()
	for name, d := range reached.Databases {
		text += fmt.Sprintln(name, d.URL, d.Writable) // likewise
	}
	return text + fmt.Sprintln(hubConfig(c, nil), tools.Timeout, tools.Private, reached.Apps,
		a.gateConfig().Taint, ruling(a, "ls"), ruling(a, "rm"), tools.Rules(loci.Principal{Owner: true}), tools.Rules(loci.Principal{ID: "user:ann"}),
		serverConfig(c, embedded.Chat), checkEmbedded(t.Context(), a.opts, ""), clock(c.TimeZone)().Location())
}

// noKeys is a store in which none was made.
type noKeys struct{ keyring.Store }

func (noKeys) Keys(context.Context) ([]loci.Key, error) { return nil, nil }

func ownerKey(a *App) string {
	owner, _ := a.keys.Secrets()
	return owner
}

// ruling is what is said of a command.
func ruling(a *App, name string) string {
	says, why := a.gateConfig().Command(tool.Case{
		Spec:      loci.ToolSpec{Name: toolkit.RunCommand, SideEffects: loci.EffectExec},
		Scope:     loci.Scope{Folders: []string{"/"}},
		Arguments: json.RawMessage(fmt.Sprintf(`{"argv":[%q]}`, name)),
	})
	return fmt.Sprint(says, why)
}

// special are values for texts that have to follow a rule.
var special = map[string]string{
	"Listen": "localhost:0", "Backends.URL": "http://192.0.2.1:1", "TLS.Kind": "self", "TimeZone": "Asia/Tokyo", "PromptProfile": "coding", "ClientSystem": "replace", "ClientJobs": "short", "OpenWebUI": "on", "WorkingFolder": "/w", "Taint": "relaxed", "UnaskedCommands": "ls", "DeniedCommands": "rm", "Folders.Access": "read", "Principals.Folders.Path": "/y", "Principals.Folders.Access": "read",
}

// fill gives every setting below v a value that is not its default.
func fill(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Struct:
		for f, fv := range v.Fields() {
			fill(fv, join(name, f.Name))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.Map:
		e := reflect.New(v.Type().Elem()).Elem()
		fill(e, name)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("ann"), e)
	case reflect.String:
		v.SetString("/x")
		if text, ok := special[name]; ok {
			v.SetString(text)
		}
	case reflect.Bool:
		v.SetBool(!v.Bool())
	default:
		v.SetInt(v.Int() + 1)
	}
}

// leaves gives the name of each setting and the way to it.
func leaves(typ reflect.Type, name string, path []int) iter.Seq2[string, []int] {
	return func(yield func(string, []int) bool) {
		inside := func(t reflect.Type, name string, i int) bool {
			for n, p := range leaves(t, name, append(slices.Clone(path), i)) {
				if !yield(n, p) {
					return false
				}
			}
			return true
		}
		elements := typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map
		switch {
		case typ.Kind() == reflect.Struct:
			for i := range typ.NumField() {
				if !inside(typ.Field(i).Type, join(name, typ.Field(i).Name), i) {
					return
				}
			}
		case elements && typ.Elem().Kind() == reflect.Struct:
			inside(typ.Elem(), name, 0)
		default:
			yield(name, path)
		}
	}
}

// without gives v with one setting at its default, which an entry of a list or
// a table does not have.
func without(v reflect.Value, path []int, def reflect.Value) reflect.Value {
	n := reflect.New(v.Type()).Elem()
	switch {
	case len(path) == 0:
		if def.IsValid() {
			n.Set(def)
		}
	case v.Kind() == reflect.Struct:
		n.Set(v)
		if def.IsValid() {
			def = def.Field(path[0])
		}
		n.Field(path[0]).Set(without(v.Field(path[0]), path[1:], def))
	case v.Kind() == reflect.Slice:
		n.Set(reflect.MakeSlice(v.Type(), 1, 1))
		n.Index(0).Set(without(v.Index(0), path[1:], reflect.Value{}))
	default:
		key := reflect.ValueOf("ann")
		n.Set(reflect.MakeMap(v.Type()))
		n.SetMapIndex(key, without(v.MapIndex(key), path[1:], reflect.Value{}))
	}
	return n
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

func TestRights(t *testing.T) {
	grant := func(path string) config.Rights { return config.Rights{Folders: []config.Folder{{Path: path}}} }
	c := config.Config{
		Folders: []config.Folder{{Path: "/own"}, {Path: "/more"}},
		Principals: map[string]config.Rights{
			"42": grant("/by-id"), "ann@example.com": grant("/by-address"), "7": {}, "owner": grant("/trap"),
		},
	}
	for name, tt := range map[string]struct {
		p    loci.Principal
		want []string
	}{
		"owner":             {loci.Principal{ID: "owner", Owner: true}, []string{"/own", "/more"}},
		"id":                {loci.Principal{ID: "user:42"}, []string{"/by-id"}},
		"address":           {loci.Principal{ID: "user:1", Email: "Ann@Example.com"}, []string{"/by-address"}},
		"address as the id": {loci.Principal{ID: "user:ann@example.com"}, []string{"/by-address"}},
		"both":              {loci.Principal{ID: "user:42", Email: "ann@example.com"}, []string{"/by-id"}},
		"nothing by id":     {loci.Principal{ID: "user:7", Email: "ann@example.com"}, []string{}},
		"stranger":          {loci.Principal{ID: "user:1", Email: "bob@example.com"}, []string{}},
		"no address":        {loci.Principal{ID: "user:"}, []string{}},
	} {
		for range 20 { // the order of a map is another one each time
			if diff := cmp.Diff(tt.want, rights(c, tt.p)); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

func TestWorkingFolder(t *testing.T) {
	c := config.Config{Folders: []config.Folder{{Path: "/a"}, {Path: "/b"}}}
	none := func(string) string { return "" }
	if got := settings(c, none).Working; got != "/a" {
		t.Errorf("the first folder is %q", got)
	}
	c.WorkingFolder = "/b"
	if got := settings(c, none).Working; got != "/b" {
		t.Errorf("the configured one is %q", got)
	}
}

func TestZone(t *testing.T) {
	for _, tt := range []struct{ configured, tz, want string }{
		{"Asia/Tokyo", "Europe/Prague", "Asia/Tokyo"},
		{"", "Europe/Prague", "Europe/Prague"},
		{"", ":Europe/Prague", "Europe/Prague"},
		{"", "CET-1CEST", ""},
		{"", "/usr/share/zoneinfo/no/such", ""},
	} {
		if got := zoneName(tt.configured, func(string) string { return tt.tz }); got != tt.want {
			t.Errorf("%q and TZ=%s give %q, want %q", tt.configured, tt.tz, got, tt.want)
		}
	}
	if _, offset := clock("Asia/Tokyo")().Zone(); offset != 9*60*60 {
		t.Errorf("in Tokyo the offset is %d s", offset)
	}
	if clock("")().Location() != time.Local {
		t.Error("without a zone it is not this machine's")
	}
}

// A person is called by their name, and by none where the account is nobody's.
func TestCalled(t *testing.T) {
	for want, accounts := range map[string][]user.User{
		"Mira Nováková": {{Uid: "1000", Username: "mira", Name: "Mira Nováková"}},
		"mira":          {{Uid: "1000", Username: "mira"}, {Uid: "1000", Username: "mira", Name: "Ubuntu"}, {Uid: "S-1-5-21-1", Username: `OFFICE\mira`}},
		"":              {{Uid: "0", Username: "root", Name: "root"}, {Uid: "0", Username: "mira", Name: "Mira"}, {Uid: "1000", Username: "ubuntu", Name: "Ubuntu"}, {Uid: "1000", Username: "vscode"}, {Uid: "S-1-5-21-500", Username: `PC\Administrator`}, {}},
	} {
		for _, u := range accounts {
			if got := called(u); got != want {
				t.Errorf("%+v is called %q, want %q", u, got, want)
			}
		}
	}
}

// What is left to the machine is told as it is there.
func TestInForce(t *testing.T) {
	o := options(t, nowhere)
	o.Config.UserName, o.Config.Folders = "", []config.Folder{{Path: "/a"}}
	c := InForce(o)
	if c.UserName != account() || c.TimeZone != "Europe/Prague" || c.WorkingFolder != "/a" || c.DataPath != o.Paths.Data || c.StatePath != o.Paths.State {
		t.Errorf("%+v", c)
	}
	if o.Config.TimeZone != "" {
		t.Error("the configuration itself has changed")
	}
}
