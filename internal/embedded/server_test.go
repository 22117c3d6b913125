package embedded

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"loci"
)

// hasty is the supervisor's patience in tests.
var hasty = patience{
	ready:  10 * time.Second,
	tick:   5 * time.Millisecond,
	settle: time.Hour,
	pause:  time.Millisecond,
	tries:  4,
}

// installed makes an engine that believes to have everything, with the test
// binary in the part of llama-server or of Python.
func installed(t *testing.T, part string) *Engine {
	t.Helper()
	bin := t.TempDir()
	conf := Config{Dir: t.TempDir(), LogDir: filepath.Join(t.TempDir(), "log"), LlamaServer: "none"}
	switch part {
	case "llama-server":
		conf.LlamaServer = actor(t, bin, part)
	default:
		conf.Python = actor(t, bin, "python3")
		t.Setenv("FAKE_PYTHON", goodPython(thisMachine()))
	}
	e := New(conf)
	e.patience = hasty
	for _, p := range e.packages {
		path := e.path(p, p.main)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func start(t *testing.T, e *Engine, conf ServerConfig) *Server {
	t.Helper()
	s, err := e.Start(t.Context(), conf)
	if err != nil {
		t.Fatal(err, errors.Unwrap(err))
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// get asks the fake server; a server that dies over it gives "".
func get(t *testing.T, s *Server, path string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	resp, err := client.Get(s.URL() + path)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func whoIs(t *testing.T, s *Server) (who self) {
	t.Helper()
	if err := json.Unmarshal([]byte(get(t, s, "/self")), &who); err != nil {
		t.Fatal(err)
	}
	return who
}

var parts = []string{"llama-server", "python"}

func TestStartGivesAServerBehindAKey(t *testing.T) {
	t.Setenv("LOCI_KEY", "of loci, not of the engine")
	for _, part := range parts {
		e := installed(t, part)
		for kind, model := range map[Kind]string{Chat: "smollm2:135m", Embed: "all-minilm:l6-v2"} {
			s := start(t, e, ServerConfig{Kind: kind})
			u, err := url.Parse(s.URL())
			if err != nil || u.Hostname() != "127.0.0.1" || u.Path != "/v1" {
				t.Errorf("URL %q: %v", s.URL(), err)
			}
			who := whoIs(t, s)
			if len(s.Key()) < 20 || who.Key != s.Key() {
				t.Errorf("%s: the server has key %q, the clients %q", part, who.Key, s.Key())
			}
			if strings.Contains(strings.Join(who.Args, " "), s.Key()) {
				t.Errorf("%s: the key can be seen in %q", part, who.Args)
			}
			if who.Secret != "" {
				t.Errorf("%s: the engine was given loci's own key", part)
			}
			if who.Spin != "3000" {
				t.Errorf("%s: threads spin %q times", part, who.Spin)
			}
			if s.Model() != model {
				t.Errorf("model %q, expected %q", s.Model(), model)
			}
			if log, err := os.ReadFile(s.out.path); err != nil || !strings.Contains(string(log), "listening") {
				t.Errorf("log: %q, %v", log, err)
			}
		}
	}
}

func TestLlamaServerGetsTheEquivalentFlags(t *testing.T) {
	e := installed(t, "llama-server")
	e.conf.SlotDir = filepath.Join(t.TempDir(), "slots")
	chat := whoIs(t, start(t, e, ServerConfig{Kind: Chat, Window: 4096, Threads: 3})).Args
	embed := whoIs(t, start(t, e, ServerConfig{Kind: Embed})).Args
	for _, c := range []struct {
		args []string
		want string
	}{
		{chat, "--ctx-size 4096"}, {chat, "--threads 3"}, {chat, "--parallel 1"}, {chat, "--jinja"},
		{chat, "--slot-save-path " + e.conf.SlotDir}, {chat, "--host 127.0.0.1"}, {chat, "--alias smollm2:135m"},
		{embed, "--embedding --pooling mean"}, {embed, "--ctx-size 512"}, {embed, "--ubatch-size 2048"},
	} {
		if !strings.Contains(strings.Join(c.args, " "), c.want) {
			t.Errorf("%q is not in %q", c.want, c.args)
		}
	}
	if slices.Contains(embed, "--jinja") || slices.Contains(chat, "--embedding") {
		t.Errorf("flags of the other kind: %q, %q", chat, embed)
	}
}

func TestADeadServerComesBack(t *testing.T) {
	for _, part := range parts {
		e := installed(t, part)
		restarted := make(chan string)
		s := start(t, e, ServerConfig{Kind: Chat, OnRestart: func(url string) { restarted <- url }})
		before := whoIs(t, s)
		url, key := s.URL(), s.Key()
		get(t, s, "/die")
		if again := <-restarted; again != url {
			t.Errorf("%s: comes back at %s, was at %s", part, again, url)
		}
		after := whoIs(t, s)
		if after.PID == before.PID || after.Key != key {
			t.Errorf("%s: before %+v, after %+v", part, before, after)
		}
	}
}

// TestATakenPortIsReplaced: while the engine is down, another program takes its
// port.
func TestATakenPortIsReplaced(t *testing.T) {
	e := installed(t, "python")
	e.patience.pause = 300 * time.Millisecond
	restarted := make(chan string)
	s := start(t, e, ServerConfig{Kind: Chat, OnRestart: func(url string) { restarted <- url }})
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	get(t, s, "/die")
	var l net.Listener
	for l == nil {
		l, _ = net.Listen("tcp", u.Host)
	}
	defer l.Close()
	if again := <-restarted; strings.Contains(again, u.Host) {
		t.Errorf("the server claims the port %s that another program has", u.Host)
	}
	whoIs(t, s)
}

func TestAServerThatKeepsDyingIsGivenUp(t *testing.T) {
	e := installed(t, "python")
	broken := filepath.Join(t.TempDir(), "broken")
	t.Setenv("FAKE_BROKEN", broken)
	gaveUp := make(chan *loci.Error)
	s := start(t, e, ServerConfig{Kind: Chat, OnGiveUp: func(err *loci.Error) { gaveUp <- err }})
	if s.err() != nil {
		t.Error("an error while all is well:", s.err())
	}
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	get(t, s, "/die")
	err := <-gaveUp
	if err.Code != loci.Unreachable || !strings.Contains(err.Message, "the model file is broken") || !strings.Contains(err.Hint, s.out.path) {
		t.Errorf("%+v", err)
	}
	if got := s.err(); got != error(err) {
		t.Errorf("Err gives %v", got)
	}
}

func TestAServerThatNeverStartsIsAnError(t *testing.T) {
	e := installed(t, "llama-server")
	broken := filepath.Join(t.TempDir(), "broken")
	t.Setenv("FAKE_BROKEN", broken)
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := e.Start(t.Context(), ServerConfig{Kind: Embed})
	if p, ok := errors.AsType[*loci.Error](err); !ok || !strings.Contains(p.Message, "embed model") || !strings.Contains(p.Message, "the model file is broken") {
		t.Errorf("%v", err)
	}
}

func TestAServerThatDoesNotAnswerIsAnError(t *testing.T) {
	t.Setenv("FAKE_SERVER", "mute")
	e := installed(t, "python")
	e.patience.ready, e.patience.tries = 300*time.Millisecond, 1
	_, err := e.Start(t.Context(), ServerConfig{Kind: Chat})
	if err == nil || !strings.Contains(err.Error(), "did not answer within 300ms") {
		t.Errorf("%v", err)
	}
}

func TestStartNeedsTheModels(t *testing.T) {
	e := New(Config{Dir: t.TempDir(), LogDir: t.TempDir()})
	_, err := e.Start(t.Context(), ServerConfig{Kind: Chat})
	if p, ok := errors.AsType[*loci.Error](err); !ok || p.Code != loci.Unreachable || p.Hint == "" {
		t.Errorf("%v", err)
	}
}

// TestCloseIsQuick: even a server that does not listen to SIGTERM is gone within
// two seconds, and closing twice does no harm.
func TestCloseIsQuick(t *testing.T) {
	for _, manners := range []string{"", "deaf"} {
		t.Setenv("FAKE_SERVER", manners)
		for _, part := range parts {
			s := start(t, installed(t, part), ServerConfig{Kind: Chat})
			begin := time.Now()
			s.Close()
			s.Close()
			if d := time.Since(begin); d > 2*time.Second {
				t.Errorf("%s %s: Close took %v", part, manners, d)
			}
			if got := get(t, s, "/self"); got != "" {
				t.Errorf("%s %s: still answers %s", part, manners, got)
			}
			if s.err() != nil {
				t.Errorf("err after Close: %v", s.err())
			}
		}
	}
}

func TestPatience(t *testing.T) {
	var sum time.Duration
	for failures := 1; failures < defaultPatience.tries; failures++ {
		pause := defaultPatience.after(failures)
		if want := 250 * time.Millisecond << (failures - 1); pause != min(want, maxPause) {
			t.Errorf("after %d failures %v", failures, pause)
		}
		sum += pause
	}
	if sum > 30*time.Second {
		t.Errorf("it takes %v to give up", sum)
	}
	if got := defaultPatience.after(1000); got != maxPause {
		t.Errorf("after 1000 failures %v", got)
	}
}
