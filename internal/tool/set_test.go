package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"loci"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/toolcall"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type echoArgs struct {
	Text  string `json:"text" jsonschema:"what to say"`
	Times int    `json:"times,omitempty" jsonschema:"how often"`
	Tone  string `json:"tone,omitempty" enum:"loud,soft"`
}

// echo is a tool that does what do says.
func echo(name string, effects loci.SideEffects, do func(context.Context, Env, echoArgs) (any, error)) Tool {
	if do == nil {
		do = func(_ context.Context, _ Env, a echoArgs) (any, error) { return map[string]string{"said": a.Text}, nil }
	}
	return Define(loci.ToolSpec{Name: name, Description: "Says it.", SideEffects: effects, Dangerous: effects == loci.EffectWrite || effects == loci.EffectExec}, do, func(language string, _ any) string {
		return lang.Words{EN: "It said so.", CS: "Řeklo to."}.In(language)
	})
}

func newSet(t *testing.T, c Config) *Set {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var owner = loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Session: "ses_1", Lang: "en"}

func say(s *Set, scope loci.Scope, name, args string) loci.ToolResult {
	return s.Call(context.Background(), scope, loci.ToolCall{ID: "c1", Name: name, Arguments: json.RawMessage(args)}, nil)
}

// yesTo is a question that got a yes.
func yesTo(a *loci.Ask) *loci.Approval {
	return &loci.Approval{ID: "apr_1", Fingerprint: a.Fingerprint, State: loci.ApprovalYes}
}

func TestSchema(t *testing.T) {
	want := `{"type":"object","properties":{"text":{"type":"string","description":"what to say"},"times":{"type":"integer","description":"how often"},"tone":{"type":"string","enum":["loud","soft"]}},"required":["text"],"additionalProperties":false}`
	for range 20 { // maps inside must not show in the bytes
		if diff := cmp.Diff(want, string(echo("e", loci.EffectNone, nil).Parameters)); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	good := echo("good", loci.EffectNone, nil)
	change := func(f func(*Tool)) []Tool {
		bad := good
		f(&bad)
		return []Tool{bad}
	}
	for name, test := range map[string]struct {
		tools []Tool
		want  string
	}{
		"twice":          {[]Tool{good, good}, "two tools"},
		"name":           {change(func(t *Tool) { t.Name = "Bad-Name" }), "name"},
		"long name":      {change(func(t *Tool) { t.Name = strings.Repeat("a", 65) }), "name"},
		"description":    {change(func(t *Tool) { t.Description = "" }), "description"},
		"handler":        {change(func(t *Tool) { t.Handler = nil }), "handler"},
		"effects":        {change(func(t *Tool) { t.SideEffects = "odd" }), "side effects"},
		"timeout":        {change(func(t *Tool) { t.Timeout = -1 }), "timeout"},
		"open schema":    {change(func(t *Tool) { t.Parameters = json.RawMessage(`{"type":"object"}`) }), "additionalProperties"},
		"unasked exec":   {change(func(t *Tool) { t.SideEffects = loci.EffectExec }), "must be dangerous"},
		"unasked change": {change(func(t *Tool) { t.SideEffects, t.Files = loci.EffectWrite, true }), "must be dangerous"},
		"no preview":     {change(func(t *Tool) { t.SideEffects, t.Files, t.Dangerous = loci.EffectWrite, true, true }), "no preview"},
		"no schema":      {change(func(t *Tool) { t.Parameters = json.RawMessage(`[`) }), "JSON Schema"},
		"type without schema": {[]Tool{Define(loci.ToolSpec{Name: "chan", Description: "d", SideEffects: loci.EffectNone},
			func(context.Context, Env, struct{ C chan int }) (int, error) { return 0, nil }, func(string, int) string { return "" })}, "chan"},
	} {
		if _, err := New(Config{Tools: test.tools}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func TestSpecs(t *testing.T) {
	files := echo("f", loci.EffectRead, nil)
	files.Files = true
	s := newSet(t, Config{Tools: []Tool{echo("b", loci.EffectRead, nil), echo("c", loci.EffectNone, nil), echo("a", loci.EffectExec, nil), files}})
	names := func(p loci.Principal, folders ...string) (names []string) {
		for _, spec := range s.Specs(loci.Scope{Principal: p, Folders: folders}) {
			names = append(names, spec.Name)
			if spec.Timeout != time.Minute {
				t.Errorf("%s has the timeout %v", spec.Name, spec.Timeout)
			}
		}
		return names
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "f"}, names(loci.Principal{Owner: true})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"c"}, names(loci.Principal{ID: "guest"})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"c", "f"}, names(loci.Principal{ID: "guest"}, "/srv/shared")); diff != "" {
		t.Error(diff)
	}
}

// TestConsent walks a dangerous tool through a yes: it runs with the fingerprint
// of what was asked and with no other, and not once the world has changed.
func TestConsent(t *testing.T) {
	world, ran := "as it was", 0
	write := WithPreview(echo("write", loci.EffectWrite, func(context.Context, Env, echoArgs) (any, error) { ran++; return 1, nil }),
		func(_ context.Context, _ Env, a echoArgs) (Preview, error) {
			if a.Text == "" {
				return Preview{}, errors.New("nothing to say")
			}
			return Preview{Text: "says " + a.Text, Basis: world}, nil
		})
	s := newSet(t, Config{Tools: []Tool{write, echo("look", loci.EffectRead, nil)}})
	call := func(args string) loci.ToolCall {
		return loci.ToolCall{ID: "c1", Name: "write", Arguments: json.RawMessage(args)}
	}
	hello, other := call(`{"text":"hello"}`), call(`{"text":"other"}`)
	ask := s.Ask(t.Context(), owner, hello)
	if ask == nil || ask.Preview != "says hello" || ask.Reason != "It changes something on this machine." {
		t.Fatalf("%+v", ask)
	}
	for name, c := range map[string]loci.ToolCall{
		"a tool that only looks": {Name: "look", Arguments: json.RawMessage(`{"text":"x"}`)},
		"no such tool":           {Name: "gone", Arguments: json.RawMessage(`{}`)},
		"bad arguments":          call(`{"words":1}`),
		"cannot work":            call(`{"text":""}`),
	} {
		if a := s.Ask(t.Context(), owner, c); a != nil {
			t.Errorf("%s asks: %+v", name, a)
		}
	}
	if a := s.Ask(t.Context(), loci.Scope{Principal: loci.Principal{ID: "guest"}}, hello); a != nil {
		t.Errorf("a guest is asked: %+v", a)
	}
	guest := loci.Scope{Principal: loci.Principal{ID: "guest"}, Folders: []string{t.TempDir()}}
	for name, r := range map[string]loci.ToolResult{
		"without a yes":       s.Call(t.Context(), owner, hello, nil),
		"a yes to other text": s.Call(t.Context(), owner, other, yesTo(ask)),
		"by a guest":          s.Call(t.Context(), guest, hello, yesTo(ask)),
	} {
		if !r.Refused || r.Err == nil || ran != 0 {
			t.Errorf("%s: %+v, ran %d times", name, r.Err, ran)
		}
	}
	world = "changed"
	if r := s.Call(t.Context(), owner, hello, yesTo(ask)); !r.Refused || !r.Err.CanRetry || ran != 0 {
		t.Errorf("in a changed world: %+v, ran %d times", r.Err, ran)
	}
	world = "as it was"
	if r := s.Call(t.Context(), owner, hello, yesTo(ask)); r.Err != nil || ran != 1 {
		t.Errorf("with the yes: %+v, ran %d times", r.Err, ran)
	}
}

// TestStill has the world change after the yes was checked: the handler notices.
func TestStill(t *testing.T) {
	world := "as it was"
	write := echo("write", loci.EffectWrite, func(_ context.Context, env Env, _ echoArgs) (any, error) {
		world = "changed"
		return 1, env.Still(world)
	})
	write = WithPreview(write, func(context.Context, Env, echoArgs) (Preview, error) { return Preview{Basis: world}, nil })
	s := newSet(t, Config{Tools: []Tool{write}})
	c := loci.ToolCall{Name: "write", Arguments: json.RawMessage(`{"text":"x"}`)}
	if r := s.Call(t.Context(), owner, c, yesTo(s.Ask(t.Context(), owner, c))); r.Err == nil || !r.Err.CanRetry || !strings.Contains(r.Err.Message, "has changed") {
		t.Errorf("%+v", r.Err)
	}
}

// TestUnfinishedChange is a change that did not come back in time: it may be done.
func TestUnfinishedChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back := make(chan struct{})
		s := newSet(t, Config{Tools: []Tool{echo("write", loci.EffectWrite, func(context.Context, Env, echoArgs) (any, error) {
			<-back
			return 1, nil
		})}})
		c := loci.ToolCall{Name: "write", Arguments: json.RawMessage(`{"text":"x"}`)}
		if r := s.Call(t.Context(), owner, c, yesTo(s.Ask(t.Context(), owner, c))); r.Err == nil || r.Err.CanRetry || !strings.Contains(r.Err.Message, "not known whether") {
			t.Errorf("%+v", r.Err)
		}
		close(back)
		synctest.Wait()
	})
}

func TestCall(t *testing.T) {
	s := newSet(t, Config{Tools: []Tool{
		echo("echo", loci.EffectNone, nil),
		echo("look", loci.EffectRead, nil),
		echo("write", loci.EffectWrite, nil),
		echo("number", loci.EffectNone, func(context.Context, Env, echoArgs) (any, error) { return []int{1, 2}, nil }),
		echo("strange", loci.EffectNone, func(context.Context, Env, echoArgs) (any, error) { return nil, errors.New("/etc/secret broke") }),
		echo("unencodable", loci.EffectNone, func(context.Context, Env, echoArgs) (any, error) { return func() {}, nil }),
		echo("known", loci.EffectNone, func(context.Context, Env, echoArgs) (any, error) {
			return nil, loci.Errorf(loci.Overloaded, "It is busy.").WithHint("Wait.")
		}),
	}})
	guest := loci.Scope{Principal: loci.Principal{ID: "guest"}}
	for _, test := range []struct {
		name, tool, args string
		scope            loci.Scope
		data, problem    string
		retry, refused   bool
	}{
		{name: "works", tool: "echo", args: `{"text":"<b> & 好"}`, data: `{"said":"<b> & 好"}`},
		{name: "guest computes", tool: "echo", args: `{"text":"x"}`, scope: guest, data: `{"said":"x"}`},
		{name: "no object", tool: "number", args: `{"text":""}`, data: `{"result":[1,2]}`},
		{name: "misspelled", tool: "ecko", args: `{}`, problem: "did you mean echo", retry: true},
		{name: "missing argument", tool: "echo", args: `{}`, problem: `"text"`, retry: true},
		{name: "unknown argument", tool: "echo", args: `{"text":"x","path":"/"}`, problem: "path", retry: true},
		{name: "wrong word", tool: "echo", args: `{"text":"x","tone":"shrill"}`, problem: "tone", retry: true},
		{name: "broken JSON", tool: "echo", args: `{"text":"x`, problem: "", retry: true},
		{name: "writes", tool: "write", args: `{"text":"x"}`, problem: "needs a yes", refused: true},
		{name: "guest looks", tool: "look", args: `{"text":"x"}`, scope: guest, problem: "Only the person", refused: true},
		{name: "own error", tool: "strange", args: `{"text":"x"}`, problem: "fault inside loci"},
		{name: "unencodable", tool: "unencodable", args: `{"text":"x"}`, problem: "fault inside loci"},
		{name: "error for people", tool: "known", args: `{"text":"x"}`, problem: "It is busy.", retry: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			scope := test.scope
			if scope.Principal.ID == "" {
				scope = owner
			}
			r := say(s, scope, test.tool, test.args)
			if b, err := json.Marshal(r); err != nil || !json.Valid(b) {
				t.Fatalf("the result cannot be stored: %v", err)
			}
			if test.data != "" {
				if string(r.Data) != test.data || r.Err != nil || r.Text != "It said so." {
					t.Errorf("%s, %+v, %q", r.Data, r.Err, r.Text)
				}
				return
			}
			if r.Err == nil || r.Data != nil || !strings.Contains(r.Err.Message, test.problem) || strings.Contains(toolcall.Content(r), "secret") {
				t.Fatalf("%s, %+v; want %q", r.Data, r.Err, test.problem)
			}
			if r.Err.CanRetry != test.retry || r.Refused != test.refused || r.Err.Suggestion == "" || r.Text != strings.TrimSpace(r.Err.Message+" "+r.Err.ForPerson) {
				t.Errorf("%+v, refused %v, %q", r.Err, r.Refused, r.Text)
			}
		})
	}
	if r := say(s, loci.Scope{Principal: owner.Principal, Lang: "cs-CZ"}, "echo", `{"text":"x"}`); r.Text != "Řeklo to." {
		t.Error(r.Text)
	}
}

// TestDeadline shows that a handler that ignores its context is left behind,
// and that the set stops taking calls when too many are.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		slow := echo("slow", loci.EffectRead, func(context.Context, Env, echoArgs) (any, error) {
			<-release
			return nil, nil
		})
		slow.Timeout = 5 * time.Second
		s := newSet(t, Config{Tools: []Tool{slow, echo("echo", loci.EffectNone, nil)}})
		start := time.Now()
		r := say(s, owner, "slow", `{"text":""}`)
		if r.Err == nil || !r.Err.CanRetry || !strings.Contains(r.Err.Message, "timed out") || time.Since(start) != 5*time.Second || r.Took != 5*time.Second {
			t.Errorf("%+v after %v, took %v", r.Err, time.Since(start), r.Took)
		}
		for range maxRunning - 1 {
			say(s, owner, "slow", `{"text":""}`)
		}
		if r := say(s, owner, "echo", `{"text":""}`); r.Err == nil || !r.Err.CanRetry || !strings.Contains(r.Err.Message, "Too many") {
			t.Errorf("with all hanging: %+v", r.Err)
		}
		close(release)
		synctest.Wait()
		if r := say(s, owner, "echo", `{"text":""}`); r.Err != nil {
			t.Errorf("after they came back: %+v", r.Err)
		}
	})
}

// TestDeadDrive has folders that cannot be opened because their drive does not
// answer. A tool that needs none does not notice; one that does is stopped at its
// deadline; one that is refused never touches them.
func TestDeadDrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := echo("read", loci.EffectRead, func(context.Context, Env, echoArgs) (any, error) {
			t.Error("the handler ran after its call was over")
			return nil, nil
		})
		write := WithPreview(echo("write", loci.EffectWrite, nil), func(context.Context, Env, echoArgs) (Preview, error) { return Preview{}, nil })
		read.Files, write.Files = true, true
		s := newSet(t, Config{Tools: []Tool{read, write, echo("calculate", loci.EffectNone, func(_ context.Context, env Env, _ echoArgs) (any, error) {
			if env.Files != nil {
				t.Error("a tool without files got some")
			}
			return 4, nil
		})}})
		back := make(chan struct{})
		opened := 0
		s.open = func(c sandbox.Config) (*sandbox.Folders, error) {
			opened++
			<-back
			return sandbox.New(c)
		}
		scope := owner
		scope.Folders = []string{"/mnt/dead"}
		start := time.Now()
		if r := say(s, scope, "calculate", `{"text":""}`); r.Err != nil || time.Since(start) > 0 {
			t.Errorf("calculate: %+v after %v", r.Err, time.Since(start))
		}
		guest := scope
		guest.Principal = loci.Principal{ID: "guest"}
		if r := say(s, guest, "write", `{"text":""}`); !r.Refused || opened != 0 {
			t.Errorf("a refused call: %+v, opened %d", r.Err, opened)
		}
		if r := say(s, scope, "read", `{"text":""}`); r.Err == nil || !strings.Contains(r.Err.Message, "timed out") || time.Since(start) != time.Minute {
			t.Errorf("read: %+v after %v", r.Err, time.Since(start))
		}
		close(back)
		synctest.Wait()
	})
}

// TestRunningIsExact calls from many sides at once: as many handlers run as may,
// and not one more.
func TestRunningIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var running, refused atomic.Int32
		slow := echo("slow", loci.EffectNone, func(context.Context, Env, echoArgs) (any, error) {
			running.Add(1)
			<-release
			return 1, nil
		})
		s := newSet(t, Config{Tools: []Tool{slow}})
		for range 3 * maxRunning {
			go func() {
				if r := say(s, owner, "slow", `{"text":""}`); r.Err != nil {
					refused.Add(1)
				}
			}()
		}
		synctest.Wait()
		if running.Load() != maxRunning || refused.Load() != 2*maxRunning {
			t.Errorf("%d run, %d were refused; want %d and %d", running.Load(), refused.Load(), maxRunning, 2*maxRunning)
		}
		close(release)
	})
}

func TestStopped(t *testing.T) {
	wait := echo("wait", loci.EffectRead, func(ctx context.Context, _ Env, _ echoArgs) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := newSet(t, Config{Tools: []Tool{wait}}).Call(ctx, owner, loci.ToolCall{Name: "wait", Arguments: json.RawMessage(`{"text":""}`)}, nil)
	if r.Err == nil || r.Err.CanRetry || !strings.Contains(r.Err.Message, "was stopped") {
		t.Errorf("%+v", r.Err)
	}
}

// TestLogs shows that a panic's stack goes to the log and no further, and that
// what a call says never gets into the log.
func TestLogs(t *testing.T) {
	var log bytes.Buffer
	bad := echo("bad", loci.EffectNone, func(context.Context, Env, echoArgs) (any, error) { panic("boom") })
	s := newSet(t, Config{Tools: []Tool{bad, echo("echo", loci.EffectNone, nil)}, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	r := say(s, owner, "bad", `{"text":""}`)
	if r.Err == nil || r.Err.CanRetry || strings.Contains(toolcall.Content(r), "boom") || strings.Contains(toolcall.Content(r), "goroutine") {
		t.Errorf("%+v", r.Err)
	}
	if !strings.Contains(log.String(), "boom") || !strings.Contains(log.String(), "set_test.go") {
		t.Errorf("the stack is not in the log: %s", &log)
	}
	if strings.Count(log.String(), "boom") != 1 {
		t.Errorf("a fault is told more than once: %s", &log)
	}
	log.Reset()
	say(s, owner, "echo", `{"text":"canary in the text"}`)
	say(s, owner, "canary in the name", `{}`)
	if strings.Contains(log.String(), "canary") || strings.Count(log.String(), "tool call") != 2 {
		t.Errorf("log: %s", &log)
	}
}

func TestEnv(t *testing.T) {
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/a.txt", []byte("here"), 0o600); err != nil {
		t.Fatal(err)
	}
	look := echo("look", loci.EffectRead, func(ctx context.Context, env Env, a echoArgs) (any, error) {
		file, info, err := env.Files.Open(ctx, a.Text)
		if err != nil {
			return nil, err
		}
		defer file.Close() // opened for reading: closing loses nothing
		return map[string]any{"size": info.Size(), "now": env.Now, "session": env.Scope.Session}, nil
	})
	look.Files = true
	s := newSet(t, Config{Tools: []Tool{look}, Now: func() time.Time { return now }})
	scope := owner
	scope.Folders = []string{dir, dir + "/gone"}
	if r := say(s, scope, "look", `{"text":"a.txt"}`); string(r.Data) != `{"now":"2026-11-30T08:00:00Z","session":"ses_1","size":4}` {
		t.Errorf("%s %+v", r.Data, r.Err)
	}
	if r := say(s, owner, "look", `{"text":"a.txt"}`); r.Err == nil || !strings.Contains(r.Err.Message, "No folder") {
		t.Errorf("%s %+v", r.Data, r.Err)
	}
}
