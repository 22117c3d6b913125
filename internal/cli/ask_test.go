package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/app"
	"loci/internal/config"
	"loci/internal/fake"
)

// yes answers every call.
func yes() *fake.Model {
	m := fake.NewModel()
	m.Answer = func(r *fake.Request) (fake.Reply, bool) {
		return fake.Reply{Text: "Yes."}, r.Purpose == "" || r.Purpose == loci.PurposeChat || r.Purpose == loci.PurposeStep
	}
	return m
}

// told is everything that the model was told in its last call.
func told(m *fake.Model) string {
	var all strings.Builder
	for _, msg := range m.Last().Messages {
		all.WriteString(msg.Content + "\n")
	}
	return all.String()
}

func TestFolderQuestion(t *testing.T) {
	for answer, want := range map[string]struct{ now, always, settled bool }{
		"y\n": {now: true}, " YES \n": {now: true}, "a\n": {true, true, true}, "always": {true, true, true},
		"n\n": {settled: true}, "\n": {settled: true}, "": {},
		"maybe\n": {}, "ya\nya\n": {}, "what?\ny\n": {now: true}, "what?\nn\n": {settled: true},
	} {
		m := yes()
		p := newPerson(t, m.Ollama(t))
		p.folder = t.TempDir()
		if code := p.run(answer, "ask", "hello"); code != 0 || p.out.String() != "Yes.\n" {
			t.Errorf("%q: exit code %d, %s%s", answer, code, &p.out, &p.err)
			continue
		}
		if !strings.Contains(p.err.String(), "May the model look into "+p.folder+"?") {
			t.Errorf("%q: the question is %s", answer, &p.err)
		}
		if got := strings.Contains(told(m), p.folder); got != want.now {
			t.Errorf("%q: the folder is open: %v", answer, got)
		}
		if got := strings.Contains(p.read(), p.folder); got != want.always {
			t.Errorf("%q: config.yaml is %q", answer, p.read())
		}
		if code := p.run("", "ask", "hello again"); code != 0 {
			t.Errorf("%q: the second time: %s", answer, &p.err)
		}
		if got := !strings.Contains(p.err.String(), "May the model"); got != want.settled {
			t.Errorf("%q: the second time it asks: %s", answer, &p.err)
		}
		if got := strings.Contains(told(m), p.folder); got != want.always {
			t.Errorf("%q: the second time the folder is open: %v", answer, got)
		}
	}
}

func TestNoFolderQuestion(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		prepare func(p *person)
		args    []string
		open    string // a folder that the model must be told of
	}{
		"elsewhere":      {func(*person) {}, []string{"--allow", "../b"}, below},
		"for a script":   {func(*person) {}, []string{"--json"}, ""},
		"off a terminal": {func(p *person) { p.terminal = false }, nil, ""},
		"nowhere":        {func(p *person) { p.folder = "" }, nil, ""},
		"flag":           {func(*person) {}, []string{"--allow", "."}, below},
		"below the flag": {func(*person) {}, []string{"--allow", "../.."}, dir},
		"variable":       {func(p *person) { p.env["LOCI_ALLOW"] = dir }, nil, dir},
		"file":           {func(p *person) { p.write("folders: [" + dir + "]\n") }, nil, dir},
		"home":           {func(p *person) { p.env["HOME"] = dir; p.write("folders: [~/a]\n") }, nil, filepath.Join(dir, "a")},
	} {
		m := yes()
		p := newPerson(t, m.Ollama(t))
		p.folder = below
		tt.prepare(p)
		if code := p.run("y\n", append([]string{"ask", "hello"}, tt.args...)...); code != 0 || strings.Contains(p.err.String(), "May the model") {
			t.Errorf("%s: exit code %d, %s", name, code, &p.err)
			continue
		}
		if text := told(m); tt.open != "" && !strings.Contains(text, tt.open) || tt.open == "" && strings.Contains(text, dir) {
			t.Errorf("%s: the model is told %s", name, text)
		}
	}
}

// running is a loci that runs for a person, with the configuration and the environment
// that they have now, and gives where it is.
func running(t *testing.T, p *person) app.Addresses {
	t.Helper()
	env := func(name string) string { return p.env[name] }
	paths, err := config.FindPaths(env)
	if err != nil {
		t.Fatal(err)
	}
	sources := config.Sources{File: paths.Config, Env: env, Flags: map[string][]string{"listen": {"127.0.0.1:0"}}}
	conf, _, err := config.Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(t.Context(), app.Options{Config: conf, Sources: sources, Paths: paths, Getenv: env})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- a.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a.Addresses()
}

// A yes for always holds for the loci that runs too, though it read its
// configuration before; within a second for chat clients as well.
func TestAlwaysWithARunningServer(t *testing.T) {
	m := yes()
	p := newPerson(t, m.Ollama(t))
	at := running(t, p)
	p.folder = t.TempDir()
	if code := p.run("a\n", "ask", "hello"); code != 0 || !strings.Contains(told(m), p.folder) || !strings.Contains(p.err.String(), "So may chat clients, in new chats.") {
		t.Fatalf("exit code %d, %s", code, &p.err)
	}
	eventually(t, "a chat client may look there", func() bool {
		say(t, at, "hello")
		return strings.Contains(told(m), p.folder)
	})
	first := p.folder
	below := filepath.Join(first, "below")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, p.folder = range []string{first, below} {
		if code := p.run("", "ask", "hello again"); code != 0 || p.err.Len() > 0 {
			t.Errorf("in %s: exit code %d, %s", p.folder, code, &p.err)
		}
		if !strings.Contains(told(m), first) {
			t.Errorf("in %s the folder is closed again: %s", p.folder, told(m))
		}
	}
	p.folder = first
	other := t.TempDir()
	if code := p.run("", "ask", "hello", "--allow", other, "--allow", first); code != 0 || !strings.Contains(told(m), other) || !strings.Contains(told(m), first) {
		t.Errorf("with flags: exit code %d, %s, %s", code, &p.err, told(m))
	}
}

// say is a message from a chat client.
func say(t *testing.T, at app.Addresses, text string) {
	t.Helper()
	body, _ := json.Marshal(map[string]any{"model": "loci", "messages": []map[string]string{{"role": "user", "content": text}}})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.OpenAI+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+at.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, err)
	}
}

// eventually waits for what happens within a second or two.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	late := time.After(20 * time.Second)
	for !is() {
		select {
		case <-again.C:
		case <-late:
			t.Fatalf("not yet: %s", what)
		}
	}
}

// loci allow opens folders for good, and says for whom; a wrong one opens nothing.
func TestAllow(t *testing.T) {
	m := yes()
	p := newPerson(t, m.Ollama(t))
	p.folder = t.TempDir()
	for _, args := range [][]string{{"allow"}, {"allow", "gone"}, {"allow", ""}, {"allow", p.config()}} {
		if code := p.run("", args...); code != loci.ExitUsage || p.read() != "" {
			t.Errorf("%v: exit code %d, %s%s", args, code, &p.err, p.read())
		}
	}
	other := t.TempDir()
	if code := p.run("", "allow", ".", other); code != 0 || strings.Contains(p.err.String(), "chat clients") || !strings.Contains(p.err.String(), "Models may look into "+other+" from now on.") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
	if code := p.run("", "ask", "hello"); code != 0 || p.err.Len() > 0 || !strings.Contains(told(m), p.folder) || !strings.Contains(told(m), other) {
		t.Errorf("exit code %d, %s, %s", code, &p.err, told(m))
	}
	running(t, p)
	if code := p.run("", "allow", t.TempDir()); code != 0 || !strings.Contains(p.err.String(), "So may chat clients, in new chats.") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
	another := filepath.Join(t.TempDir(), "another.yaml")
	if err := os.WriteFile(another, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.run("", "allow", t.TempDir(), "--config", another); code != 0 || !strings.Contains(p.err.String(), "once loci is started again") {
		t.Errorf("with another configuration: exit code %d, %s", code, &p.err)
	}
}

// What stays closed is not said to be open, and nothing is written down for it.
func TestAllowWhatStaysClosed(t *testing.T) {
	p := newPerson(t, nowhere)
	p.folder = t.TempDir()
	closed := t.TempDir()
	open := filepath.Join(closed, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "folders:\n  - {path: " + closed + ", access: never}\n"
	p.write(text)
	link := filepath.Join(p.folder, "link")
	if err := os.Symlink(closed, link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	for path, hint := range map[string]string{closed: "access: never", link: "access: never", filepath.Dir(p.config()): "belongs to loci itself"} {
		if code := p.run("", "allow", path); code != loci.ExitDenied || strings.Contains(p.err.String(), "from now on") || !strings.Contains(p.err.String(), hint) || p.read() != text {
			t.Errorf("%s: exit code %d, %s%s", path, code, &p.err, p.read())
		}
	}
	for _, path := range []string{open, p.folder} { // the inner one counts
		if code := p.run("", "allow", path); code != 0 || !strings.Contains(p.err.String(), "from now on") {
			t.Errorf("%s: exit code %d, %s", path, code, &p.err)
		}
	}
}

// Where a variable says which folders are open, the file does not, and nobody is told so.
func TestAllowUnderAVariable(t *testing.T) {
	p := newPerson(t, yes().Ollama(t))
	p.env["LOCI_ALLOW"] = t.TempDir()
	running(t, p)
	if code := p.run("", "allow", t.TempDir()); code != 0 || strings.Contains(p.err.String(), "So may chat clients") || !strings.Contains(p.err.String(), "But LOCI_ALLOW is set") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
}

// Whoever asks in a folder that is not open hears which one is looked into, and how to
// open this one.
func TestSaysWhichFolder(t *testing.T) {
	open, second, here := t.TempDir(), t.TempDir(), t.TempDir()
	for name, tt := range map[string]struct {
		config   string
		terminal bool
		typed    string
		args     []string
		want     string
	}{
		"off a terminal":  {"folders: [" + open + "]\n", false, "", nil, "loci: " + here + " is not open, so it looks in " + open + ". To open this folder: loci allow .\n"},
		"for a script":    {"folders: [" + open + "]\n", true, "", []string{"--json"}, "is not open, so it looks in " + open},
		"refused now":     {"folders: [" + open + "]\n", true, "n\n", nil, "It looks in " + open + " instead."},
		"another working": {"folders: [" + open + ", " + second + "]\nworking_folder: " + second + "\n", false, "", nil, "it looks in " + second + "."},
		"none is open":    {"", false, "", nil, ""},
		"named":           {"folders: [" + open + "]\n", true, "", []string{"--allow", open}, ""},
	} {
		p := newPerson(t, yes().Ollama(t))
		p.write(tt.config)
		p.folder, p.terminal = here, tt.terminal
		if code := p.run(tt.typed, append([]string{"ask", "hello"}, tt.args...)...); code != 0 || !strings.Contains(p.err.String(), tt.want) || tt.want == "" && p.err.Len() > 0 {
			t.Errorf("%s: exit code %d, %s", name, code, &p.err)
		}
		if tt.typed == "" {
			continue
		}
		if code := p.run("", "ask", "hello"); code != 0 || !strings.Contains(p.err.String(), "is not open, so it looks in "+open) {
			t.Errorf("%s, the next time: exit code %d, %s", name, code, &p.err)
		}
	}
}

func TestAskFromInput(t *testing.T) {
	m := yes()
	p := newPerson(t, m.Ollama(t))
	if code := p.run("What is\nthis?\n", "ask", "-"); code != 0 || !strings.Contains(told(m), "What is\nthis?") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
	for in, args := range map[string][]string{" \n": {"ask", "-"}, "": {"ask", "  "}, "x": {"ask"}} {
		if code := p.run(in, args...); code != loci.ExitUsage || !strings.Contains(p.err.String(), "what is the question?") || !strings.Contains(p.err.String(), "ask - <FILE") {
			t.Errorf("%v: exit code %d, %s", args, code, &p.err)
		}
	}
	if code := p.run(strings.Repeat("x", maxTyped+1), "ask", "-"); code != loci.ExitUsage || !strings.Contains(p.err.String(), "longer than 8.4 MB") {
		t.Errorf("exit code %d, %.300s", code, p.err.String())
	}
}

// On a terminal the person sees which tools run; scripts see only the answer.
func TestAskShowsSteps(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		m := fake.NewModel(fake.Reply{Calls: []loci.ToolCall{fake.Call("calculate", `{"expression":"6*7"}`)}}, fake.Reply{Text: "It is 42."})
		p := newPerson(t, m.Ollama(t))
		p.terminal = terminal
		if code := p.run("", "ask", "six times seven"); code != 0 || p.out.String() != "It is 42.\n" {
			t.Errorf("exit code %d, %q, %s", code, p.out.String(), &p.err)
		}
		if got := strings.Contains(p.err.String(), "· calculating 6*7\n"); got != terminal {
			t.Errorf("on a terminal %v: %s", terminal, &p.err)
		}
	}
}

// A step stands on a line of its own, whatever was written before.
func TestStepLines(t *testing.T) {
	event := func(kind loci.EventType, data any) loci.Event { return loci.Event{Type: kind, Data: data} }
	call := event(loci.EventToolStarted, loci.ToolStarted{Call: fake.Call("list_dir", `{}`), Doing: "listing ."})
	for name, tt := range map[string]struct {
		width  int
		events []loci.Event
		want   string
	}{
		"before":        {80, []loci.Event{call, event(loci.EventDelta, loci.Delta{Text: "Two."})}, "· listing .\nTwo.\n"},
		"between":       {80, []loci.Event{event(loci.EventDelta, loci.Delta{Text: "Let me see."}), call, event(loci.EventDelta, loci.Delta{Text: "Two.", Offset: 11})}, "Let me see.\n· listing .\nTwo.\n"},
		"after":         {80, []loci.Event{event(loci.EventDelta, loci.Delta{Text: "Two."}), call}, "Two.\n· listing .\n"},
		"after a line":  {80, []loci.Event{event(loci.EventDelta, loci.Delta{Text: "Two.\n"}), call}, "Two.\n· listing .\n"},
		"into a file":   {0, []loci.Event{event(loci.EventDelta, loci.Delta{Text: "T"}), call, event(loci.EventDelta, loci.Delta{Text: "wo.", Offset: 1})}, "T· listing .\nwo.\n"},
		"whole at once": {80, []loci.Event{call, event(loci.EventMessage, loci.MessageData{Text: "Two."})}, "· listing .\nTwo.\n"},
		"the rest":      {80, []loci.Event{event(loci.EventDelta, loci.Delta{Text: "T"}), event(loci.EventMessage, loci.MessageData{Text: "Two."})}, "Two.\n"},
		"told again":    {80, []loci.Event{event(loci.EventDelta, loci.Delta{Text: "One"}), event(loci.EventDelta, loci.Delta{Text: "One, two"}), event(loci.EventDelta, loci.Delta{Text: "One, two."})}, "One, two.\n"},
		"from the end":  {80, []loci.Event{event(loci.EventDelta, loci.Delta{Text: "two.", Offset: 5}), event(loci.EventMessage, loci.MessageData{Text: "One, two. Three."})}, "two. Three.\n"},
		"a notice":      {80, []loci.Event{event(loci.EventNotice, loci.Notice{Text: "By the way."})}, "· By the way.\n"},
		"read again": {80, []loci.Event{event(loci.EventTurnFinished, loci.TurnFinished{State: loci.TurnDone, Receipt: loci.Receipt{
			Wasted: new(900), Broke: &loci.Break{Cause: loci.BreakMoved, Section: "facts", Byte: new(17)},
		}})}, "· the model server read 900 tokens again (moved: facts, byte 17)\n"},
		"escapes": {80, []loci.Event{event(loci.EventDelta, loci.Delta{Text: "a\x1b[2Jb\tc"})}, "a[2Jb\tc\n"},
	} {
		var both strings.Builder
		c := &command{World: World{Out: &both, Err: &both, Terminal: true, Width: 80, OutWidth: tt.width}}
		p := &printer{c: c, out: bufio.NewWriter(&both)}
		for _, e := range append(tt.events, event(loci.EventTurnFinished, loci.TurnFinished{State: loci.TurnDone})) {
			if err := p.event(e); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			p.out.Flush()
		}
		if both.String() != tt.want {
			t.Errorf("%s: %q, want %q", name, both.String(), tt.want)
		}
	}
}

// A loci that runs without folders serves questions from every folder that was
// allowed since, each from each.
func TestTwoFoldersAlways(t *testing.T) {
	m := yes()
	p := newPerson(t, m.Ollama(t))
	running(t, p)
	notes, docs := t.TempDir(), t.TempDir()
	for _, p.folder = range []string{notes, docs} {
		if code := p.run("a\n", "ask", "hello"); code != 0 || !strings.Contains(p.err.String(), "So may chat clients") {
			t.Fatalf("exit code %d, %s", code, &p.err)
		}
	}
	for _, p.folder = range []string{notes, docs, notes} {
		if code := p.run("", "ask", "hello"); code != 0 || p.err.Len() > 0 {
			t.Errorf("exit code %d, %s", code, &p.err)
		}
		if text := told(m); !strings.Contains(text, notes) || !strings.Contains(text, docs) {
			t.Errorf("from %s it is told: %s", p.folder, text)
		}
	}
}

// The home folder is not given away without a word.
func TestWideFolder(t *testing.T) {
	p := newPerson(t, yes().Ollama(t))
	const warning = "hidden files such as keys"
	below := filepath.Join(p.env["HOME"], "notes")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	for folder, warned := range map[string]bool{p.env["HOME"]: true, filepath.Dir(p.env["HOME"]): true, "/": true, below: false} {
		p.folder = folder
		if code := p.run("", "ask", "hello"); code != 0 || strings.Contains(p.err.String(), warning) != warned {
			t.Errorf("%s: exit code %d, %s", folder, code, &p.err)
		}
		if code := p.run("", "ask", "--allow", ".", "hello"); code != 0 || strings.Contains(p.err.String(), warning) != warned {
			t.Errorf("--allow in %s: exit code %d, %s", folder, code, &p.err)
		}
	}
}

func TestAllowWhatIsNotThere(t *testing.T) {
	p := newPerson(t, nowhere)
	p.folder = t.TempDir()
	for path, hint := range map[string]string{"gone": "Correct the path", "a,b": "each folder by itself", "": "Correct the path", p.config(): "Correct"} {
		for _, cmd := range []string{"up", "serve"} {
			if code := p.run("", cmd, "--allow", path); code != loci.ExitUsage || !strings.Contains(p.err.String(), "There is no folder ") || !strings.Contains(p.err.String(), path+"\" to allow") || !strings.Contains(p.err.String(), hint) {
				t.Errorf("%s: exit code %d, %s", cmd, code, &p.err)
			}
		}
	}
}

// Flags that come too late are not ignored in silence.
func TestUselessFlags(t *testing.T) {
	p := newPerson(t, yes().Ollama(t))
	p.terminal = false
	running(t, p)
	if code := p.run("", "ask", "hello", "--backend", nowhere); code != 0 || !strings.Contains(p.err.String(), "flag for backends has no effect") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
}

func TestAskJSON(t *testing.T) {
	m := fake.NewModel(fake.Reply{Calls: []loci.ToolCall{fake.Call("calculate", `{"expression":"6*7"}`)}}, fake.Reply{Text: "It is 42."}, fake.Reply{Text: "Still 42."})
	p := newPerson(t, m.Ollama(t))
	var got struct {
		Session, Message string
		Steps            []struct{ Tool string }
	}
	if code := p.run("", "ask", "--json", "six", "times", "seven"); code != 0 {
		t.Fatalf("exit code %d, %s", code, &p.err)
	}
	if err := json.Unmarshal(p.out.Bytes(), &got); err != nil || got.Message != "It is 42." || len(got.Steps) != 1 || got.Steps[0].Tool != "calculate" {
		t.Errorf("%s (%v)", &p.out, err)
	}
	if code := p.run("", "ask", "--session", got.Session, "and now?"); code != 0 || !strings.Contains(told(m), "It is 42.") {
		t.Errorf("the session does not go on: %d, %s", code, &p.err)
	}
}

func TestAskFails(t *testing.T) {
	p := newPerson(t, nowhere)
	for _, args := range [][]string{{"ask", "hello"}, {"ask", "--json", "hello"}} {
		if code := p.run("", args...); code != loci.ExitUnreachable || !strings.Contains(p.err.String(), nowhere) || p.out.Len() > 0 {
			t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
		}
	}
	if code := p.run("", "ask", "--session", "ses_none", "hello"); code != loci.ExitFailure || !strings.Contains(p.err.String(), "no such session") || !strings.Contains(p.err.String(), "loci sessions") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
}

// TestAskWithoutModel: what needs no model is answered while no server answers, and
// says so; the conversation goes on with the first that does. What needs one ends in
// the error, whatever was answered before.
func TestAskWithoutModel(t *testing.T) {
	p := newPerson(t, nowhere)
	for words, want := range map[string]string{"what is 6 * 7?": "42", "6 乘以 7 等于多少？": "42", "What time is it?": ":"} {
		p.out.Reset()
		if code := p.run("", "ask", words); code != 0 || !strings.Contains(p.out.String(), want) || !strings.Contains(p.out.String(), "loci doctor") {
			t.Errorf("%s: exit code %d, %s%s", words, code, &p.out, &p.err)
		}
	}
	for _, words := range []string{"Why is the sky blue?", "Write a poem."} {
		p.out.Reset()
		p.err.Reset()
		if code := p.run("", "ask", words); code != loci.ExitUnreachable || !strings.Contains(p.err.String(), nowhere) || p.out.Len() > 0 {
			t.Errorf("%s: exit code %d, %s%s", words, code, &p.out, &p.err)
		}
	}
}

func TestInterrupt(t *testing.T) {
	forever := make(chan struct{})
	m := fake.NewModel(fake.Reply{Pieces: []string{"One ", "two."}, Hold: forever})
	p := newPerson(t, m.Ollama(t))
	ctx, cancel := context.WithCancel(t.Context())
	code := p.runIn(ctx, strings.NewReader(""), &watch{text: "One ", then: cancel}, "ask", "count")
	if code != loci.ExitInterrupted || p.err.Len() > 0 {
		t.Errorf("in an answer: exit code %d, %s", code, &p.err)
	}
	p.folder = t.TempDir()
	silent, typed := io.Pipe()
	defer typed.Close()
	ctx, cancel = context.WithCancel(t.Context())
	asked := make(chan int)
	go func() { asked <- p.runIn(ctx, reading{silent, cancel}, nil, "ask", "hello") }()
	if code := <-asked; code != loci.ExitInterrupted {
		t.Errorf("at a question: exit code %d, %s", code, &p.err)
	}
}

// reading calls then when somebody reads.
type reading struct {
	io.Reader
	then func()
}

func (r reading) Read(p []byte) (int, error) {
	r.then()
	return r.Reader.Read(p)
}
