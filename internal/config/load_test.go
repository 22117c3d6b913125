package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"loci"
)

// load reads a file with the given text.
func load(t testing.TB, text string, env map[string]string, flags map[string][]string) (Config, []Warning, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(Sources{File: path, Env: environ(t, env), Flags: flags})
}

func environ(t testing.TB, env map[string]string) func(string) string {
	return func(name string) string {
		if v, ok := env[name]; ok {
			return v
		}
		if name == "HOME" || name == "USERPROFILE" {
			return homeForTests(t)
		}
		return ""
	}
}

// homeForTests is an absolute path on every system; there need not be such a folder.
func homeForTests(t testing.TB) string {
	abs, err := filepath.Abs(string(filepath.Separator) + "home")
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// cases has three values for each setting: in YAML for the file, as a text for
// the environment, as texts for flags, each with what it means.
func cases(t *testing.T) map[string][3]setCase {
	dir := homeForTests(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	text := func(a, b, c string) [3]setCase { return [3]setCase{{a, a}, {b, b}, {c, c}} }
	paths := func() [3]setCase { return [3]setCase{{"~/a", at("a")}, {at("b"), at("b")}, {at("c"), at("c")}} }
	number := func(a, b, c int) [3]setCase {
		return [3]setCase{{fmt.Sprint(a), a}, {fmt.Sprint(b), b}, {fmt.Sprint(c), c}}
	}
	wait := func() [3]setCase {
		return [3]setCase{{"7s", 7 * time.Second}, {"2m", 2 * time.Minute}, {"1h30m", 90 * time.Minute}}
	}
	return map[string][3]setCase{
		"version": number(1, 1, 1),
		"listen":  text("127.0.0.1:1", "[::1]:2", ":0"),
		"key":     {{"file-key", Secret("file-key")}, {"env-key", Secret("env-key")}, {"flag-key", Secret("flag-key")}},
		"model":   text("a", "b", "c:1"),
		"tier":    {{"native", loci.TierNative}, {"text", loci.TierText}, {"tiny", loci.TierTiny}},
		"window":  number(1, 2, 3),
		"backends": {
			{"[\"http://a:1\", {url: \"http://b:2/v1\", key: k, insecure: true}]", []Backend{{URL: "http://a:1"}, {"http://b:2/v1", "k", true}}},
			{"http://c:1, http://d:2,", []Backend{{URL: "http://c:1"}, {URL: "http://d:2"}}},
			{"http://e:1|http://f:2", []Backend{{URL: "http://e:1"}, {URL: "http://f:2"}}},
		},
		"tls.kind":        text("self", "self", "self"),
		"tls.cert":        paths(),
		"tls.key":         paths(),
		"insecure":        {{"true", true}, {"yes", true}, {"on", true}},
		"limits.key_rate": number(1, 2, 3),
		"limits.own_rate": number(1, 2, 3),
		"passthrough":     {{"[a, b]", []string{"a", "b"}}, {"c,d", []string{"c", "d"}}, {"e|f,g", []string{"e", "f,g"}}},
		"aliases":         {{"{a: b}", map[string]string{"a": "b"}}, {"{c: d}", map[string]string{"c": "d"}}, {"{e: f}", map[string]string{"e": "f"}}},
		"user_name":       {{"12", "12"}, {"Ann B", "Ann B"}, {"Žofie", "Žofie"}},
		"time_zone":       text("Europe/Prague", "Asia/Shanghai", "UTC"),
		"session_purpose": text("a", "b", "c"),
		"prompt_profile":  text("coding", "writing", "general"),
		"prompt_texts": {
			{"{q: {rules: x, key_rule_first: true}}", map[string]Texts{"q": {Rules: "x", KeyRuleFirst: true}}},
			{"{r: {style: y}}", map[string]Texts{"r": {Style: "y"}}},
			{"{s: {tiny: z}}", map[string]Texts{"s": {Tiny: "z"}}},
		},
		"client_system": text("replace", "keep", "replace"),
		"client_jobs":   text("short", "model", "short"),
		"warm_up":       {{"false", false}, {"yes", true}, {"off", false}},
		"open_webui":    text("off", "on", "off"),
		"folders": {
			{"[~/a, {path: '" + at("b c") + "', access: read, outside: true}]", []Folder{{Path: at("a")}, {Path: at("b c"), Access: "read", Outside: true}}},
			{at("d") + string(filepath.ListSeparator) + "~/e", []Folder{{Path: at("d")}, {Path: at("e")}}},
			// A flag adds, and what it adds comes first.
			{at("f") + "|" + at("g,h"), []Folder{{Path: at("f")}, {Path: at("g,h")}, {Path: at("d")}, {Path: at("e")}}},
		},
		"working_folder":   paths(),
		"unasked_commands": {{"[ls, git log]", []string{"ls", "git log"}}, {"a,b c", []string{"a", "b c"}}, {"d|e", []string{"d", "e"}}},
		"denied_commands":  {{"[git push]", []string{"git push"}}, {"a,b c", []string{"a", "b c"}}, {"d|e", []string{"d", "e"}}},
		"taint":            text("relaxed", "strict", "relaxed"),
		"principals": {
			{"{u: {folders: [~/a]}}", map[string]Rights{"u": {Folders: []Folder{{Path: at("a")}}}}},
			{"{v: {}}", map[string]Rights{"v": {}}},
			{"{w: {folders: [" + at("x") + "]}}", map[string]Rights{"w": {Folders: []Folder{{Path: at("x")}}}}},
		},
		"models": {
			{"{\"a:7b\": {tier: text, dialect: react, window: 8192, think: off, stops: [x], languages: [en], stopping: no, alternate: yes}}", map[string]Model{"a:7b": {
				Tier: loci.TierText, Dialect: loci.MarkupReAct, Window: 8192, Think: "off", Stops: []string{"x"}, Languages: []string{"en"}, Stopping: loci.No, Alternate: loci.Yes,
			}}},
			{"{b: {constrain: no, system: no, second_system: no}}", map[string]Model{"b": {Constrain: loci.No, System: loci.No, SecondSystem: loci.No}}},
			{"{}", map[string]Model{}},
		},
		"databases": {
			{"{a: {url: \"postgres://u:p@h/a\", writable: true}}", map[string]Database{"a": {"postgres://u:p@h/a", true}}},
			{"{b: \"postgres://h/b\"}", map[string]Database{"b": {URL: "postgres://h/b"}}},
			{"{}", map[string]Database{}},
		},
		"apps": {
			{"{a: {command: [a, -b], urls: true}}", map[string]App{"a": {[]string{"a", "-b"}, true}}},
			{"{b: {command: [b]}}", map[string]App{"b": {Command: []string{"b"}}}},
			{"{}", map[string]App{}},
		},
		"max_steps":           number(1, 2, 1000),
		"kept_rounds":         number(1, 2, 3),
		"usable_share":        number(25, 50, 75),
		"timeouts.connect":    wait(),
		"timeouts.first_byte": wait(),
		"timeouts.idle":       wait(),
		"timeouts.tool":       wait(),
		"timeouts.answer":     wait(),
		"timeouts.digest":     wait(),
		"long_results":        text("digest", "cut", "auto"),
		"data_path":           paths(),
		"state_path":          paths(),
		"log.level":           text("debug", "warn", "error"),
		"log.file":            paths(),
		"allowed_hosts":       {{"[a, \"b:1\"]", []string{"a", "b:1"}}, {"c", []string{"c"}}, {"d", []string{"d"}}},
		"allowed_origins":     {{"[http://a]", []string{"http://a"}}, {"https://b:1", []string{"https://b:1"}}, {"http://c", []string{"http://c"}}},
		"embedded.enabled":    {{"false", false}, {"yes", true}, {"off", false}},
		"embedded.window":     number(512, 1024, 2048),
		"embedded.threads":    number(1, 2, 3),
	}
}

type setCase struct {
	text string
	want any
}

// Each setting can be set in the file, by its variable and by a flag, and the
// later ones win.
func TestEverySetting(t *testing.T) {
	table := cases(t)
	for f := range settings(new(Config)) {
		t.Run(f.name, func(t *testing.T) {
			c, ok := table[f.name]
			if !ok {
				t.Fatal("this setting has no test")
			}
			file := f.name + ": " + c[0].text
			if head, last, ok := strings.Cut(f.name, "."); ok {
				file = head + ":\n  " + last + ": " + c[0].text
			}
			env := map[string]string{f.env(): c[1].text} // the version has no variable and no flag
			flags := map[string][]string{f.name: strings.Split(c[2].text, "|")}
			for i, get := range []func() (Config, []Warning, error){
				func() (Config, []Warning, error) { return load(t, file, nil, nil) },
				func() (Config, []Warning, error) { return load(t, file, env, nil) },
				func() (Config, []Warning, error) { return load(t, file, env, flags) },
			} {
				got, warnings, err := get()
				if err != nil || len(warnings) > 0 {
					t.Fatal(err, warnings)
				}
				for g, v := range settings(&got) {
					if g.name == f.name && !reflect.DeepEqual(v.Interface(), c[i].want) {
						t.Errorf("source %d gives %#v, want %#v", i, v.Interface(), c[i].want)
					}
				}
			}
		})
	}
}

// A section of which one part mostly stands alone can be written as that part.
func TestShortSection(t *testing.T) {
	c, warnings, err := load(t, "tls: self", nil, nil)
	if err != nil || len(warnings) > 0 || c.TLS != (TLS{Kind: "self"}) || !c.TLS.On() || Default().TLS.On() {
		t.Errorf("%+v %v %v", c.TLS, warnings, err)
	}
	if _, _, err := load(t, "tls: other", nil, nil); err == nil || !strings.Contains(err.Error(), "self") {
		t.Errorf("another kind: %v", err)
	}
}

func TestContractVariables(t *testing.T) {
	names := map[string]bool{}
	for f := range settings(new(Config)) {
		names[f.env()] = true
	}
	for _, name := range []string{"LOCI_LISTEN", "LOCI_BACKENDS", "LOCI_MODEL", "LOCI_ALLOW", "LOCI_KEY", "LOCI_TIER"} {
		if !names[name] {
			t.Errorf("no setting has the variable %s", name)
		}
	}
}

func TestHarmlessFiles(t *testing.T) {
	for name, text := range map[string]string{
		"empty":           "",
		"blank":           "\n \n",
		"comments":        "# nothing\n",
		"document marker": "---\n",
		"nulls":           "listen:\nfolders:\ntimeouts:\nbackends: ~\nembedded: null\n",
		"empty texts":     "listen: \"\"\nprompt_profile: ''\ntime_zone: ''\n",
		"empty sections":  "timeouts: {}\nembedded: {}\n",
		"byte order mark": "\ufeffversion: 1\n",
		"Windows lines":   "version: 1\r\ntimeouts:\r\n  connect: 5s\r\n",
	} {
		c, warnings, err := load(t, text, nil, nil)
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v %v", name, warnings, err)
		} else if diff := cmp.Diff(Default(), c); diff != "" {
			t.Errorf("%s (-default +got):\n%s", name, diff)
		}
	}
	if c, _, err := Load(Sources{File: filepath.Join(t.TempDir(), "none.yaml"), Env: environ(t, nil)}); err != nil || c.MaxSteps != 12 {
		t.Errorf("without a file: %v", err)
	}
}

func TestMistakes(t *testing.T) {
	for name, tt := range map[string]struct {
		text, place, field string
		say                string
	}{
		"duration":            {"timeouts:\n  connect: 5x\n", "2:12", "timeouts.connect", `is "5x", but a duration`},
		"no unit":             {"timeouts: {idle: 60}", "1:18", "timeouts.idle", `is "60", but a duration`},
		"negative":            {"timeouts: {idle: -1s}", "1:18", "timeouts.idle", "a duration"},
		"number":              {"\nmax_steps: many\n", "2:12", "max_steps", `is "many", but a whole number from 1 to 1000`},
		"too small":           {"max_steps: 0", "1:12", "max_steps", "from 1 to 1000"},
		"fraction":            {"max_steps: 1.5", "1:12", "max_steps", `"1.5"`},
		"choice":              {"prompt_profile: Coding", "1:17", "prompt_profile", "one of general, coding or writing"},
		"tier":                {"tier: big", "1:7", "tier", "one of native, text or tiny"},
		"list for text":       {"model: [a]", "1:8", "model", "is a list, but a text"},
		"text for list":       {"folders: /a", "1:10", "folders", "is a text, but a list of paths"},
		"text for table":      {"aliases: 7", "1:10", "aliases", "is a number, but a table"},
		"text for section":    {"timeouts: 5s", "1:11", "timeouts", "a table"},
		"bool":                {"embedded:\n  enabled: maybe", "2:12", "embedded.enabled", "true or false"},
		"address":             {"listen: 5624", "1:9", "listen", "an address such as"},
		"port":                {"listen: 127.0.0.1:99999", "1:9", "listen", "an address such as"},
		"URL":                 {"backends:\n  - localhost:11434", "2:5", "backends[0]", "a URL such as"},
		"URL in entry":        {"backends:\n  - http://a\n  - url: ftp://x", "3:10", "backends[1].url", `is "ftp://x", but a URL`},
		"no URL":              {"backends:\n  - key: x", "2:8", "backends[0]", "is not complete"},
		"empty item":          {"folders:\n  -\n", "2:5", "folders[0]", "is not complete"},
		"relative folder":     {"folders: [a/b]", "1:11", "folders[0]", "an absolute path"},
		"other's home":        {"working_folder: ~root/x", "1:17", "working_folder", "an absolute path"},
		"family twice":        {"prompt_texts:\n  Qwen2: {tiny: a}\n  qwen2: {tiny: b}", "3:3", "prompt_texts[qwen2]", "is there already"},
		"person twice":        {"principals:\n  Ann@a.b: {}\n  ann@A.b: {}", "3:3", "principals[ann@A.b]", "is there already"},
		"nobody":              {"principals: {\" \": {}}", "1:14", "principals", "an id or an e-mail address"},
		"entry of a table":    {"principals:\n  ann:\n    folders: [x]", "3:15", "principals[ann].folders[0]", "an absolute path"},
		"origin":              {"allowed_origins: [https://a/b]", "1:19", "allowed_origins[0]", "an origin"},
		"host":                {"allowed_hosts: ['*']", "1:17", "allowed_hosts[0]", "a host name"},
		"zone":                {"time_zone: Mars/Base", "1:12", "time_zone", "a time zone"},
		"alias":               {"model: &m a\nuser_name: *m", "1:8", "model", "anchors and aliases"},
		"twice":               {"model: a\nmodel: b", "2:1", "", "already defined"},
		"tab":                 {"timeouts:\n\tidle: 5s", "2:1", "", "not valid YAML"},
		"open quote":          {"model: \"a", "1:8", "", "not valid YAML"},
		"two documents":       {"model: a\n---\nmodel: b", "3:6", "", "second document"},
		"no table":            {"just a text", "1:1", "", "the file is a text, but a table"},
		"after Windows lines": {"model: a\r\nuser_name: b\r\nmax_steps: x\r\n", "3:12", "max_steps", "whole number"},
		"after a mark":        {"\ufeffmax_steps: x", "1:12", "max_steps", "whole number"},
		"newer version":       {"max_steps: x\nversion: 2\n", "2:10", "version", "this loci knows versions up to 1"},
		"no version":          {"version: one", "1:10", "version", "this loci knows versions up to 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := load(t, tt.text, nil, nil)
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("got %v, want an Error", err)
			}
			if place := fmt.Sprintf("%d:%d", e.Line, e.Column); place != tt.place || e.Field != tt.field {
				t.Errorf("it is at %s in %q, want %s in %q", place, e.Field, tt.place, tt.field)
			}
			if loci.AsError(err).Code != loci.Invalid || e.Err.Hint == "" {
				t.Errorf("it is shown as %+v", loci.AsError(err))
			}
			if !strings.HasPrefix(e.Error(), fmt.Sprintf("%s:%s: ", e.File, tt.place)) || !strings.Contains(e.Error(), tt.say) {
				t.Errorf("it says %s", e)
			}
		})
	}
}

func TestMistakesElsewhere(t *testing.T) {
	_, _, err := load(t, "", map[string]string{"LOCI_TIMEOUTS_IDLE": "soon"}, nil)
	if err == nil || !strings.Contains(err.Error(), `LOCI_TIMEOUTS_IDLE: timeouts.idle is "soon"`) {
		t.Errorf("variable: %v", err)
	}
	_, _, err = load(t, "", map[string]string{"LOCI_ALIASES": "{a: ["}, nil)
	if err == nil || !strings.Contains(err.Error(), "LOCI_ALIASES: the text is not valid YAML") {
		t.Errorf("table in a variable: %v", err)
	}
	_, _, err = load(t, "", nil, map[string][]string{"listen": {"here"}})
	if err == nil || !strings.Contains(err.Error(), `the flag for listen: listen is "here"`) {
		t.Errorf("flag: %v", err)
	}
	// Where the person stands, a relative path means something.
	c, _, err := load(t, "", nil, map[string][]string{"folders": {"."}})
	if here, _ := os.Getwd(); err != nil || c.Folders[0].Path != here {
		t.Errorf("relative folder: %v, %v", c.Folders, err)
	}
	if _, _, err := Load(Sources{File: t.TempDir(), Env: environ(t, nil)}); loci.AsError(err).Code != loci.Invalid {
		t.Errorf("a folder: %v", err)
	}
	_, _, err = load(t, strings.Repeat("# long\n", 20_000), nil, nil)
	if loci.AsError(err).Code != loci.Invalid || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("huge file: %v", err)
	}
}

func TestUnknownKeysWarn(t *testing.T) {
	for text, want := range map[string]string{
		"modle: a":                              `1:1: "modle" is not a setting; did you mean model?`,
		"a: 1\nlisten: 127.0.0.1:1":             `1:1: "a" is not a setting and has no effect.`,
		"models:\n  m:\n    dialekt: json":      `3:5: "models[m].dialekt" is not a setting; did you mean models[m].dialect?`,
		"timeouts:\n  conect: 5s":               `2:3: "timeouts.conect" is not a setting; did you mean timeouts.connect?`,
		"first_byte: 5s":                        `1:1: "first_byte" is not a setting; did you mean timeouts.first_byte?`,
		"working-folder: /x":                    `1:1: "working-folder" is not a setting; did you mean working_folder?`,
		"Listen: x":                             `1:1: "Listen" is not a setting; did you mean listen?`,
		"folders:\n - {path: ~/a, colour: red}": `2:16: "folders[0].colour" is not a setting and has no effect.`,
		"mcp_servers: {a: {b: [c]}}":            `1:1: "mcp_servers" is not a setting and has no effect.`,
	} {
		_, warnings, err := load(t, text, nil, nil)
		if err != nil || len(warnings) != 1 {
			t.Errorf("%q: %v %v", text, warnings, err)
		} else if got := warnings[0].String(); !strings.HasSuffix(got, "config.yaml:"+want) {
			t.Errorf("%q: it says %s", text, got)
		}
	}
}

func TestReadableKeysWarn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	for text, want := range map[string]int{"key: sesame": 1, "backends: [{url: 'http://a', key: k}]": 1, "model: m": 0} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, warnings, err := Load(Sources{File: path, Env: environ(t, nil)})
		if err != nil || len(warnings) != want {
			t.Errorf("%s: %v, %v", text, warnings, err)
		}
	}
}

func TestSecretsStayHidden(t *testing.T) {
	const canary = "canary-7f3"
	c := Default()
	c.Key = canary
	c.Backends = []Backend{{URL: "http://a", Key: canary}}
	r := Run{Key: canary}
	var outputs []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		outputs = append(outputs, fmt.Sprintf(verb, c), fmt.Sprintf(verb, &c), fmt.Sprintf(verb, c.Key), fmt.Sprintf(verb, r))
	}
	for _, encode := range []func(any) ([]byte, error){json.Marshal, yaml.Marshal} {
		text, err := encode(c)
		if err != nil {
			t.Fatal(err)
		}
		outputs = append(outputs, string(text))
	}
	var log strings.Builder
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("start", "config", c, "key", c.Key, "run", r, "backends", c.Backends)
	}
	outputs = append(outputs, log.String())
	for _, bad := range []string{
		"key: [" + canary + "]", "key: {a: " + canary + "}", "backends: [{url: 'http://me:" + canary + "@a'}]",
		"key: &a " + canary, "key: \"" + canary, "key: " + canary + "\nkey: " + canary, "key: " + canary + "\n  x: y",
	} {
		_, _, err := load(t, bad, nil, nil)
		if err == nil {
			t.Errorf("%q is accepted", bad)
			continue
		}
		outputs = append(outputs, err.Error(), fmt.Sprintf("%+v", errors.Unwrap(err)))
	}
	for _, out := range outputs {
		if strings.Contains(out, canary) || strings.Contains(out, fmt.Sprintf("%x", canary)) {
			t.Errorf("the key is in %s", out)
		}
	}
	if string(c.Key) != canary {
		t.Error("the key is lost")
	}
}

// A file that breaks off anywhere gives a configuration or an Error.
func TestTruncated(t *testing.T) {
	whole := uncommented(t)
	path := filepath.Join(t.TempDir(), "config.yaml")
	for i := range len(whole) {
		if err := os.WriteFile(path, []byte(whole[:i]), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := Load(Sources{File: path, Env: environ(t, nil)})
		if _, ok := errors.AsType[*Error](err); err != nil && !ok {
			t.Fatalf("after %d bytes: %v", i, err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		"", "version: 1\nlisten: :0\n", "folders: [~, {path: /a}]\n", "a: &x [*x]\n<<: *x\n", "? [a]\n: b\n", "!!binary a: |\n  x\n",
		"timeouts: {connect: 5s, idle: !!str 6s}\n", "\ufeffkey: \"\\x00\"\r\n", "- a\n- b\n", "{[: ]}", "%YAML 1.2\n---\n...\n", "folders:\r [~, {path: /a}]\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		c, _, err := Load(Sources{File: path, Env: func(string) string { return "" }})
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Fatalf("%v", err)
			}
			return
		}
		if c.MaxSteps < 1 || c.Listen == "" || c.Timeouts.Idle <= 0 {
			t.Errorf("%+v", c)
		}
		// A folder is added, or the file stays as it is.
		folder := filepath.Join(string(filepath.Separator)+"new", "fo:lder")
		if AddFolder(Sources{File: path, Env: environ(t, nil)}, folder) != nil {
			if now, err := os.ReadFile(path); err != nil || string(now) != string(text) {
				t.Errorf("changed to %q, %v", now, err)
			}
		} else if now, _, err := Load(Sources{File: path, Env: os.Getenv}); err != nil || now.Folders[len(now.Folders)-1].Path != folder {
			t.Errorf("%+v, %v", now.Folders, err)
		}
	})
}

// A family and an e-mail address are the same in capitals; an id is not.
func TestKeysOfTables(t *testing.T) {
	c, warnings, err := load(t, "prompt_texts: {Qwen2: {tiny: x}}\nprincipals: {Ann@Example.com: {}, Bob: {}, bob: {}}\n", nil, nil)
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if diff := cmp.Diff(map[string]Texts{"qwen2": {Tiny: "x"}}, c.PromptTexts); diff != "" {
		t.Errorf("families (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]Rights{"ann@example.com": {}, "Bob": {}, "bob": {}}, c.Principals); diff != "" {
		t.Errorf("people (-want +got):\n%s", diff)
	}
}

// Who allows one more folder does not mean to close the others, and starts in
// the one that they name.
func TestAllowAdds(t *testing.T) {
	const text = "folders: [/a, /b]\nworking_folder: /b\n"
	flags := map[string][]string{"folders": {"/c", "/a"}}
	c, _, err := load(t, text, nil, flags)
	want := []Folder{{Path: "/c"}, {Path: "/a"}, {Path: "/b"}}
	if diff := cmp.Diff(want, c.Folders); diff != "" || c.WorkingFolder != "/c" || err != nil {
		t.Errorf("working in %s, %v (-want +got):\n%s", c.WorkingFolder, err, diff)
	}
	c, _, err = load(t, text, map[string]string{"LOCI_ALLOW": "/d"}, flags)
	want = []Folder{{Path: "/c"}, {Path: "/a"}, {Path: "/d"}}
	if diff := cmp.Diff(want, c.Folders); diff != "" || err != nil {
		t.Errorf("with a variable: %v (-want +got):\n%s", err, diff)
	}
}

func TestAliasCircles(t *testing.T) {
	for text, circle := range map[string]bool{
		"{a: b, b: a}": true, "{a: a}": true, "{x: a, a: b, b: c, c: a}": true,
		"{a: b, c: b}": false, "{a: b, b: c}": false,
	} {
		_, _, err := load(t, "aliases: "+text, nil, nil)
		e, ok := errors.AsType[*Error](err)
		if ok != circle || circle && (e.Field != "aliases" || !strings.Contains(e.Error(), "circle")) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
