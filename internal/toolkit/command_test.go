package toolkit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/argv"
	"loci/internal/confine"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/text"
	"loci/internal/tool"
)

// commands is a bench on a system that has a shell, and a sandbox where it should.
func commands(t *testing.T, files map[string]string) *bench {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("commands are not run here")
	}
	b := newBench(t, files)
	real, err := filepath.EvalSymlinks(b.root) // some systems have their temporary folder behind a link
	if err != nil {
		t.Fatal(err)
	}
	b.root = real
	return b
}

// confined skips what needs the sandbox where there is none.
func confined(t *testing.T) {
	t.Helper()
	if l := confine.Probe(); l.Landlock == 0 {
		if os.Getenv("LOCI_TEST_ALL") != "" && runtime.GOOS == "linux" {
			t.Fatal("there is no sandbox: ", l)
		}
		t.Skip("there is no sandbox: ", l)
	}
}

// outcome is what the tests look at of a result.
type outcomeOf struct {
	Command   string
	End       string
	Exit      *int `json:"exit_code"`
	Stdout    string
	Stderr    string
	Note      string
	Truncated bool
}

func TestRunCommand(t *testing.T) {
	b := commands(t, map[string]string{"notes.md": "# Notes\nbuy milk\n", "sub/x": "X", "žurnál 1.txt": "den"})
	for _, tt := range []struct{ args, stdout string }{
		{`{"argv":["cat","notes.md"]}`, "# Notes\nbuy milk\n"},
		{`{"argv":"cat notes.md"}`, "# Notes\nbuy milk\n"},
		{`{"argv":["cat 'žurnál 1.txt'"]}`, "den"},
		{`{"argv":"[\"cat\", \"notes.md\"]"}`, "# Notes\nbuy milk\n"},
		{`{"argv":["cat","x"],"dir":"sub"}`, "X"},
		{`{"argv":["cat","x"],"dir":"` + b.root + `/sub"}`, "X"},
		{`{"argv":["/bin/cat","notes.md"]}`, "# Notes\nbuy milk\n"},
		{`{"argv":["echo","a;b","$HOME","*"]}`, "a;b $HOME *\n"},
		{`{"argv":["pwd"]}`, b.root + "\n"},
		{`{"script":"cat notes.md | wc -l > n; cat n"}`, "2\n"},
		{`{"argv":["sh","-c","printf '\\033[31mred\\033[0m \\033]0;title\\007 a\\rb \\342\\200\\256'"]}`, `b \u202e`},
		{`{"argv":["printf","\\377x"]}`, "\ufffdx"},
	} {
		r := get[outcomeOf](b, "run_command", tt.args)
		if strings.TrimSpace(r.Stdout) != strings.TrimSpace(tt.stdout) || r.End != "exited" || r.Exit == nil || *r.Exit != 0 || r.Truncated {
			t.Errorf("%s: %+v", tt.args, r)
		}
	}
	r := get[outcomeOf](b, "run_command", `{"script":"echo out; echo oops >&2; exit 7"}`)
	if r.Exit == nil || *r.Exit != 7 || r.Stdout != "out\n" || r.Stderr != "oops\n" {
		t.Errorf("%+v", r)
	}
	r = get[outcomeOf](b, "run_command", `{"argv":["sleep","99"],"timeout_s":1}`)
	if r.End != "timeout" || r.Exit != nil {
		t.Errorf("%+v", r)
	}
	r = get[outcomeOf](b, "run_command", `{"script":"seq 100000; seq 5000 >&2"}`)
	if !r.Truncated || !strings.HasPrefix(r.Stdout, "1\n2\n") || !strings.HasSuffix(r.Stdout, "99999\n100000\n") || !strings.Contains(r.Stdout, "bytes left out") || !strings.Contains(r.Note, "stderr") {
		t.Errorf("%+v", r)
	}
}

func TestRunCommandRefused(t *testing.T) {
	b := commands(t, map[string]string{"tool": "x", "plain.sh": "echo"})
	for args, want := range map[string]string{
		`{}`:                            "no command",
		`{"argv":[]}`:                   "no command",
		`{"argv":[""]}`:                 "no command",
		`{"argv":["no-such-program"]}`:  "no program named",
		`{"argv":["tool"]}`:             "no program named",
		`{"argv":["./gone"]}`:           "no program",
		`{"argv":["./plain.sh"]}`:       "not executable",
		`{"argv":["."]}`:                "no program",
		`{"argv":["/etc"]}`:             "not a program",
		`{"argv":["ls | sh"]}`:          "a pipe (|)",
		`{"argv":"echo $HOME"}`:         "an expansion ($)",
		`{"argv":"ls; id"}`:             "a second command",
		`{"argv":["ls"],"script":"ls"}`: "both",
		`{"argv":["ls","a\u0000b"]}`:    "NUL",
		`{"argv":["ls"],"dir":"/etc"}`:  "not in a folder that is allowed",
		`{"argv":["ls"],"dir":"/"}`:     "not in a folder that is allowed",
		`{"argv":["ls"],"dir":"../.."}`: "not in a folder that is allowed",
		`{"argv":["ls"],"dir":"gone"}`:  "no file or folder",
		`{"argv":["ls"],"dir":"tool"}`:  "is a file",
		`{"script":"` + strings.Repeat("echo a; ", 500) + `"}`: "too long to be shown",
	} {
		b.refuse("run_command", args, want)
	}
	if runtime.GOOS == "linux" {
		if err := os.WriteFile(b.root+"/broken", []byte("#!/no/such/thing\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		b.refuse("run_command", `{"argv":["./broken"]}`, "cannot be run")
	}
}

// TestCommandStaysInItsFolders: a result, not an error, so that the model reads
// what the program said.
func TestCommandStaysInItsFolders(t *testing.T) {
	confined(t)
	b := commands(t, map[string]string{"a": "A"})
	outside := t.TempDir()
	if err := os.WriteFile(outside+"/secret", []byte("SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		`{"argv":["cat","` + outside + `/secret"]}`, `{"script":"cat < ` + outside + `/secret"}`, `{"argv":["cp","a","` + outside + `/new"]}`, `{"argv":["cat","/etc/passwd"]}`,
		`{"argv":["rm","` + outside + `/secret"]}`, `{"script":"echo x > ` + outside + `/secret"}`, `{"script":"ln -s ` + outside + ` l && cat l/secret"}`,
	} {
		r := get[outcomeOf](b, "run_command", args)
		if r.Exit == nil || *r.Exit == 0 || strings.Contains(r.Stdout, "SECRET") || !strings.Contains(r.Note, "allowed folders") {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if raw, err := os.ReadFile(outside + "/secret"); err != nil || string(raw) != "SECRET" {
		t.Errorf("%q %v", raw, err)
	}
}

// TestLinkMadeByACommand: a command may make a link to anywhere; the tools for files,
// which are not confined themselves, do not follow it.
func TestLinkMadeByACommand(t *testing.T) {
	b := commands(t, map[string]string{"a": "A"})
	outside := t.TempDir()
	if err := os.WriteFile(outside+"/secret", []byte("SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := get[outcomeOf](b, "run_command", `{"argv":["ln","-s","`+outside+`","link"]}`); *r.Exit != 0 {
		t.Fatal(r)
	}
	b.refuse("read_file", `{"path":"link/secret"}`, "link that points outside")
	b.refuse("write_file", `{"path":"link/secret","content":"x"}`, "link that points outside")
	b.refuse("list_dir", `{"path":"link"}`, "link that points outside")
	b.refuse("run_command", `{"argv":["ls"],"dir":"link"}`, "link that points outside")
	if raw, err := os.ReadFile(outside + "/secret"); err != nil || string(raw) != "SECRET" {
		t.Errorf("%q %v", raw, err)
	}
}

// TestReadingCommandChangesNothing: what is known to read is held to it.
func TestReadingCommandChangesNothing(t *testing.T) {
	confined(t)
	b := commands(t, map[string]string{"a": "b\na\n"})
	c := command{argv: []string{"sort", "-o", "a", "a"}, program: "/usr/bin/sort", dir: b.root, limit: 10 * time.Second, reads: true, reach: sandbox.Reach{Write: []string{b.root}}}
	r, err := confine.Run(t.Context(), c.plan())
	if raw, _ := os.ReadFile(b.root + "/a"); err != nil || r.Exit == 0 || string(raw) != "b\na\n" {
		t.Errorf("%+v %v %q", r, err, raw)
	}
}

// TestGitInTheSandbox: a real program with many needs, which reads with everything
// read-only, and writes where it may.
func TestGitInTheSandbox(t *testing.T) {
	if _, err := argv.Find("git", confine.Path); err != nil {
		t.Skip("there is no git")
	}
	b := commands(t, map[string]string{"notes.md": "# Notes\n"})
	for _, tt := range []struct{ args, want string }{
		{`{"script":"git init -q -b main . && git add . && git -c user.name=Mira -c user.email=m@example.org commit -q -m 'First notes'"}`, ""},
		{`{"argv":["git","log","--format=%an: %s"]}`, "Mira: First notes\n"},
		{`{"argv":["git","status","--short"]}`, ""},
		{`{"script":"echo milk >> notes.md"}`, ""},
		{`{"argv":["git","status","--short"]}`, " M notes.md\n"},
		{`{"argv":["git","diff","--stat"]}`, "1 file changed"},
		{`{"argv":["git","branch"]}`, "* "},
	} {
		r := get[outcomeOf](b, "run_command", tt.args)
		if r.Exit == nil || *r.Exit != 0 || r.Stderr != "" || !strings.Contains(r.Stdout, tt.want) || tt.want == "" && r.Stdout != "" {
			t.Errorf("%s: %+v", tt.args, r)
		}
	}
}

// What other programs obey stays as it is in a folder that a command may change.
func TestGuardedFolders(t *testing.T) {
	b := commands(t, map[string]string{".git/hooks/old": "x\n", "sub/.vscode/tasks.json": "{}\n", "sub/a.txt": "a\n"})
	r := get[outcomeOf](b, "run_command", `{"dir":"sub","script":"echo b >> a.txt; echo evil > ../.git/hooks/pre-commit; mv ../.git/hooks ../away; mv ../.git ../git2; mkdir -p ../.git/hooks; echo evil > ../.git/hooks/pre-commit; rm -r .vscode; echo evil > .vscode/tasks.json; echo over"}`)
	if !strings.Contains(r.Stdout, "over") {
		t.Fatalf("%+v", r)
	}
	for name, want := range map[string]string{"sub/a.txt": "a\nb\n", "sub/.vscode/tasks.json": "{}\n", ".git/hooks/old": "x\n", ".git/hooks/pre-commit": ""} {
		got, err := os.ReadFile(filepath.Join(b.root, name))
		if string(got) != want || err != nil && want != "" {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
}

// look makes the preview of a call.
func (b *bench) look(language, args string) (tool.Preview, error) {
	b.t.Helper()
	files, err := sandbox.New(sandbox.Config{Folders: []string{b.root}})
	if err != nil {
		b.t.Fatal(err)
	}
	defer files.Close()
	return runCommand().Preview(b.t.Context(), tool.Env{Files: files, Scope: loci.Scope{Lang: language}}, json.RawMessage(args))
}

func TestCommandPreview(t *testing.T) {
	b := commands(t, map[string]string{"run.sh": "echo 1\n"})
	script := "cat a |\n  wc -l \u202e> b # long " + strings.Repeat("x", 1000)
	raw, err := json.Marshal(script)
	if err != nil {
		t.Fatal(err)
	}
	for args, wants := range map[string][]string{
		`{"argv":["echo","a b","\u001b[2J","$x"]}`:                {`    echo 'a b' '\u001b[2J' '$x'` + "\n", b.root + ":", "/echo.", "no network", "30 seconds", "change anything"},
		`{"argv":["echo","a b"]}`:                                 {"    echo 'a b'\n", "change nothing"},
		`{"argv":["sh","run.sh"],"network":true,"timeout_s":601}`: {"sh run.sh", "run.sh.", "has the network", "600 seconds", "take long", "change anything"},
		`{"script":` + string(raw) + `}`:                          {"shell script", "    cat a |\n      wc -l \\u202e> b # long " + strings.Repeat("x", 1000) + "\n", "change anything"},
	} {
		p, err := b.look("en", args)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if (want == "change nothing" || want == "change anything") && !confine.Probe().Full() {
				continue
			}
			if !strings.Contains(p.Text, want) {
				t.Errorf("%s: no %q in\n%s", args, want, p.Text)
			}
		}
	}
	c := command{argv: []string{"ls"}, program: "/bin/ls", dir: "/d", limit: time.Second}
	for _, language := range []string{lang.English, lang.Chinese, lang.Czech} {
		none, part := c.describe(language, confine.Level{Reason: "no reason"}), c.describe(language, confine.Level{Filter: true})
		full := c.describe(language, confine.Level{Landlock: 7, Filter: true, Namespaces: true})
		if none == part || part == full || !strings.Contains(none, "no reason") || !strings.Contains(full, "Landlock 7") || strings.Contains(none+part+full, "%!") {
			t.Errorf("%s:\n%s\n%s\n%s", language, none, part, full)
		}
		if strings.Contains(none, offline.In(language)) {
			t.Errorf("%s: without a sandbox there is a network:\n%s", language, none)
		}
	}
}

// TestYesHoldsForWhatIsRun: after a change of any file that decides what a command
// does, the yes is to something else.
func TestYesHoldsForWhatIsRun(t *testing.T) {
	b := commands(t, map[string]string{
		"run.sh": "#!/bin/sh\necho 1\n", "plain.py": "print(1)\n", "Makefile": "all:\n\techo 1\n", "sub/Makefile": "all:\n", "data.csv": "1\n", "lib.env": "A=1\n",
	})
	if err := os.Chmod(b.root+"/run.sh", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args, file string
		holds      bool
	}{
		{`{"argv":["./run.sh"]}`, "run.sh", false},
		{`{"argv":["sh","run.sh"]}`, "run.sh", false},
		{`{"argv":["env","sh","plain.py"]}`, "plain.py", false},
		{`{"argv":["awk","--file=plain.py"]}`, "plain.py", false},
		{`{"argv":["find",".","-exec","./run.sh",";"]}`, "run.sh", false},
		{`{"script":"sh ./plain.py | tee log"}`, "plain.py", false},
		{`{"script":"./run.sh>log"}`, "run.sh", false},
		{`{"script":". ./lib.env; echo $A"}`, "lib.env", false},
		{`{"argv":["sh","-c","make"]}`, "Makefile", false},
		{`{"script":"make all"}`, "Makefile", false},
		{`{"argv":["cat","data.csv"]}`, "data.csv", true},
		{`{"script":"wc -l data.csv"}`, "data.csv", true},
		{`{"argv":["sh","run.sh"]}`, "data.csv", true},
	} {
		before, err := b.look("en", tt.args)
		if err != nil {
			t.Error(tt.args, err)
			continue
		}
		old, err := os.ReadFile(filepath.Join(b.root, tt.file))
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(b.root, tt.file))
		if err != nil {
			t.Fatal(err)
		}
		b.write(tt.file, strings.Replace(string(old), "1", "2", 1)+" ")
		if err := os.Chtimes(filepath.Join(b.root, tt.file), info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		after, err := b.look("en", tt.args)
		if err != nil || (before.Basis == after.Basis) != tt.holds {
			t.Errorf("%s after a change of %s: holds %v, %v", tt.args, tt.file, before.Basis == after.Basis, err)
		}
		b.write(tt.file, string(old))
		if again, err := b.look("en", tt.args); err != nil || again.Basis != before.Basis {
			t.Errorf("%s: changed back, but the basis is another: %v", tt.args, err)
		}
	}
	one, _ := b.look("en", `{"argv":["ls"]}`)
	for _, other := range []string{`{"argv":["ls","-a"]}`, `{"argv":["ls"],"network":true}`, `{"argv":["ls"],"dir":"sub"}`, `{"argv":["ls"],"timeout_s":5}`, `{"script":"ls"}`, `{"argv":["pwd"]}`} {
		if p, err := b.look("en", other); err != nil || p.Basis == one.Basis {
			t.Errorf("%s has the same basis: %v", other, err)
		}
	}
}

// TestScriptEditedAfterTheYes goes through the set: the edited script is not run.
func TestScriptEditedAfterTheYes(t *testing.T) {
	b := commands(t, map[string]string{"run.sh": "echo good > made\n"})
	set, err := tool.New(tool.Config{Tools: All(Config{}), Gate: tool.AskFirst{}})
	if err != nil {
		t.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{b.root}, Lang: "en"}
	call := loci.ToolCall{ID: "1", Name: "run_command", Arguments: json.RawMessage(`{"argv":["sh","run.sh"]}`)}
	if r := set.Call(t.Context(), scope, call, nil); r.Err == nil || !r.Refused {
		t.Errorf("it ran without a yes: %+v", r)
	}
	ask := set.Ask(t.Context(), scope, call)
	if ask == nil || !strings.Contains(ask.Preview, "sh run.sh") || !strings.Contains(ask.Reason, "program") {
		t.Fatalf("%+v", ask)
	}
	b.write("run.sh", "echo evil > made\n")
	if r := set.Call(t.Context(), scope, call, &loci.Approval{Fingerprint: ask.Fingerprint}); r.Err == nil || !r.Refused {
		t.Errorf("the edited script ran: %+v", r)
	}
	if _, err := os.Stat(b.root + "/made"); err == nil {
		t.Error("something was done")
	}
	ask = set.Ask(t.Context(), scope, call)
	if r := set.Call(t.Context(), scope, call, &loci.Approval{Fingerprint: ask.Fingerprint}); r.Err != nil {
		t.Errorf("%+v", r.Err)
	}
	if raw, _ := os.ReadFile(b.root + "/made"); string(raw) != "evil\n" {
		t.Errorf("%q", raw)
	}
}

func TestRule(t *testing.T) {
	b := commands(t, map[string]string{"a": ""})
	full := confine.Level{Landlock: 7, Filter: true, Namespaces: true}
	rules := argv.Rules{Allow: []string{"ls", "cat", "echo"}, Deny: []string{"curl", "rm -rf"}}
	scope := loci.Scope{Folders: []string{b.root}, Lang: "en"}
	type says struct {
		verdict tool.Verdict
		why     string
	}
	rule := func(rules argv.Rules, scope loci.Scope, args string, level confine.Level) says {
		verdict, why := ruling(rules, scope, json.RawMessage(args), level)
		return says{verdict, why}
	}
	for args, want := range map[string]says{
		`{"argv":["ls","-la"]}`:                {tool.Allow, ""},
		`{"argv":["ls -la a"]}`:                {tool.Allow, ""},
		`{"argv":["cat","../a"],"dir":"sub"}`:  {tool.Allow, ""},
		`{"argv":["cat","` + b.root + `/a"]}`:  {tool.Allow, ""},
		`{"argv":["cat","../a"]}`:              {tool.Ask, "../a is not in an allowed folder."},
		`{"argv":["ls","-la"],"network":true}`: {tool.Ask, "It wants to use the network."},
		`{"argv":["ls | sh"]}`:                 {tool.Ask, "The command cannot be read."},
		`{"script":"ls"}`:                      {tool.Ask, "It runs a shell script."},
		`{"script":"ls; curl x"}`:              {tool.Refuse, `The rule "curl" forbids it.`},
		`{"argv":["env","curl"]}`:              {tool.Refuse, `The rule "curl" forbids it.`},
		`{"argv":["mv","a","b"]}`:              {tool.Ask, "It is not among the commands that run unasked."},
		`{"argv":[]}`:                          {tool.Ask, "The command cannot be read."},
		`[]`:                                   {tool.Ask, "The command cannot be read."},
	} {
		if got := rule(rules, scope, args, full); got != want {
			t.Errorf("%s: %+v, want %+v", args, got, want)
		}
	}
	const ls = `{"argv":["ls"]}`
	for why, got := range map[string]says{
		"no sandbox": rule(rules, scope, ls, confine.Level{}),
		"no folder":  rule(rules, loci.Scope{}, ls, full),
		"no rules":   rule(argv.Rules{}, scope, ls, full),
	} {
		if got.verdict != tool.Ask || got.why == "" {
			t.Errorf("%s: %+v", why, got)
		}
	}
}

// TestRenderRan: what a person reads of every end, in each language.
func TestRenderRan(t *testing.T) {
	exit := func(code int) *int { return &code }
	for _, language := range []string{lang.English, lang.Chinese, lang.Czech} {
		seen := map[string]bool{}
		for _, r := range []ran{
			{Command: "ls", End: "exited", Exit: exit(0), Stdout: "a\n"}, {Command: "ls", End: "exited", Exit: exit(2), Stderr: "no\n"}, {Command: "ls", End: "signalled", Signal: "SIGSEGV"},
			{Command: "ls", End: "timeout", limit: time.Second}, {Command: "ls", End: "memory"}, {Command: "ls", End: "processes"}, {Command: "ls", End: "disk"}, {Command: "ls", End: "exited", Exit: exit(0)},
		} {
			got := renderRan(language, r)
			if !strings.Contains(got, "ls") || strings.Contains(got, "%!") || seen[got] {
				t.Errorf("%s: %s", language, got)
			}
			seen[got] = true
		}
	}
	long := renderRan("en", ran{Command: "seq", End: "exited", Exit: exit(0), Stdout: strings.Repeat("好", 4000)})
	if n := len([]rune(long)); n > 3100 || !strings.Contains(long, "1000 characters left out") {
		t.Error(n, text.Clip(long, 100))
	}
}

// TestShortened cuts an output at every size, between characters.
func TestShortened(t *testing.T) {
	whole := strings.Repeat("žluť好🐢", 30)
	for room := range len(whole) + 2 {
		got, left := shortened(confine.Output{Head: []byte(whole[:200]), Tail: []byte(whole[200:])}, room)
		if strings.Contains(got, "\ufffd") || (left == 0) != (got == whole) || len(got) > room+40 {
			t.Fatalf("%d: %d left, %q", room, left, got)
		}
	}
	if got, left := shortened(confine.Output{Head: []byte("ab"), Missing: 5, Tail: []byte("yz")}, 100); left == 0 || !strings.Contains(got, "left out") {
		t.Errorf("%q %d", got, left)
	}
}
