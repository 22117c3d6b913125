package natural_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/app"
	"loci/internal/config"
	"loci/internal/confine"
	"loci/internal/embedded/embeddedtest"
	"loci/test/natural"
)

var long = flag.Bool("long", false, "ask the real engine every request instead of a third")

func TestMain(m *testing.M) {
	confine.Main()
	code := m.Run()
	embeddedtest.Stop()
	os.Exit(code)
}

// program is the whole of loci with the embedded models, and a person's folder.
type program struct {
	t    *testing.T
	addr app.Addresses
	dir  string
}

func newProgram(t *testing.T, scene natural.Scene) *program {
	t.Helper()
	models := embeddedtest.Start(t)
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, dir: filepath.Join(top, "files")}
	c := config.Default()
	c.Listen, c.UserName = "127.0.0.1:0", "Mira"
	c.Folders = []config.Folder{{Path: p.dir}}
	for _, name := range natural.Apps {
		if c.Apps == nil {
			c.Apps = map[string]config.App{}
		}
		c.Apps[name] = config.App{Command: []string{"true"}}
	}
	c.Backends = []config.Backend{
		{URL: models.Chat.URL(), Key: config.Secret(models.Chat.Key())},
		{URL: models.Embed.URL(), Key: config.Secret(models.Embed.Key())},
	}
	c.Model = models.Chat.Model()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", natural.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	env := func(name string) string {
		return map[string]string{"LOCI_HOME": filepath.Join(top, "home"), "TZ": "UTC"}[name]
	}
	paths, err := config.FindPaths(env)
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(t.Context(), app.Options{Config: c, Paths: paths, Getenv: env})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- a.Serve(t.Context()) }()
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
	p.addr = a.Addresses()
	if err := scene.Lay(p.dir, loci.Now().Time); err != nil {
		t.Fatal(err)
	}
	return p
}

// post sends a JSON body to the agent API.
func (p *program) post(path string, body any) *http.Response {
	p.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.addr.URL+path, strings.NewReader(string(raw)))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.addr.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	return res
}

// asks plays one request in a conversation of its own. What would be asked about stays
// a question, so nothing changes; and once the model talks, no more needs to be heard.
func (p *program) asks(text string) (o natural.Outcome) {
	p.t.Helper()
	res := p.post("/api/agent/chat", map[string]any{"message": text})
	defer res.Body.Close()
	session := res.Header.Get("X-Loci-Session")
	if res.StatusCode != http.StatusOK || session == "" {
		body, err := io.ReadAll(res.Body)
		p.t.Fatalf("%s: %s %v", res.Status, body, err)
	}
	o.Fixed = true
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for deltas := 0; lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type loci.EventType
			Data json.RawMessage
		}
		p.read([]byte(data), &e)
		switch e.Type {
		case loci.EventTurnStarted:
			var started loci.TurnStarted
			p.read(e.Data, &started)
			if started.Tier != loci.TierTiny {
				p.t.Fatalf("the tier is %s", started.Tier)
			}
		case loci.EventToolStarted:
			var s loci.ToolStarted
			p.read(e.Data, &s)
			add(&o, s.Call.Name, s.Call.Arguments)
		case loci.EventToolFinished:
			var f loci.ToolFinished
			p.read(e.Data, &f)
			add(&o, f.Result.Call.Name, f.Result.Call.Arguments)
		case loci.EventApprovalAsked:
			var a loci.Approval
			p.read(e.Data, &a)
			add(&o, a.Tool, a.Arguments)
		case loci.EventMessage:
			var m loci.MessageData
			p.read(e.Data, &m)
			o.Said = m.Text
		case loci.EventDelta:
			if deltas++; deltas == talking {
				o.Fixed = false
				p.stop(session)
			}
		case loci.EventTurnWaiting:
			p.stop(session)
		case loci.EventTurnFinished:
			var f loci.TurnFinished
			p.read(e.Data, &f)
			o.Fixed = o.Fixed && f.Receipt.Calls == 0
			return o
		}
	}
	p.t.Fatalf("the reply breaks off: %v", lines.Err())
	return o
}

// add notes a call once: it is told of when it is asked about, begun and done.
func add(o *natural.Outcome, name string, args json.RawMessage) {
	if !slices.ContainsFunc(o.Calls, func(c loci.ToolCall) bool { return c.Name == name && string(c.Arguments) == string(args) }) {
		o.Calls = append(o.Calls, loci.ToolCall{Name: name, Arguments: args})
	}
}

// talking is the number of pieces that only a model's reply comes in: fixed words come
// at once.
const talking = 4

// stop ends the turn of a session.
func (p *program) stop(session string) {
	p.t.Helper()
	res := p.post("/api/agent/sessions/"+session+"/stop", struct{}{})
	res.Body.Close()
	if res.StatusCode >= 400 && res.StatusCode != http.StatusConflict && res.StatusCode != http.StatusNotFound {
		p.t.Errorf("stopping: %s", res.Status)
	}
}

func (p *program) read(data []byte, into any) {
	p.t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		p.t.Fatalf("%s: %v", data, err)
	}
}

// TestEngine is the measurement of the whole: the embedded models on the real engine,
// through the real agent in its tiny tier. In CI it asks a third of the requests, the
// same ones each time.
func TestEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	scene, err := natural.LoadScene(data)
	if err != nil {
		t.Fatal(err)
	}
	judge, err := natural.NewJudge(scene, t.TempDir(), loci.Now().Time)
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, scene)
	tune, unseen, err := natural.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, half := range []natural.Half{tune, unseen} {
		s := natural.NewScore(half)
		for i, r := range half.Requests {
			if i%3 != 0 && !*long {
				continue
			}
			o := p.asks(r.Say)
			v := judge.Judge(t.Context(), r, o, p.dir)
			s.Add(r, v)
			if !half.Secret && !(v.Tool && v.Args) {
				t.Logf("%s %q: %s", r.ID, r.Say, shown(o))
			}
		}
		t.Log(s)
		floor := floors[half.Name][*long]
		if s.Args() < floor {
			t.Errorf("%s: right tool and arguments: %.1f %%, less than %.1f %%", half.Name, 100*s.Args(), 100*floor)
		}
		if s.OnTalk() > 0 {
			t.Errorf("%s: plain talk would have had side effects %d times", half.Name, s.OnTalk())
		}
	}
}

// floors are a little below what the engine reaches today; the aim was 85 %. Whoever gets
// further raises them. The third that CI asks is easier than all: it has more talk in it.
var floors = map[string]map[bool]float64{ // by half, and whether all is asked
	"tune":   {false: 0.98, true: 0.98},
	"unseen": {false: 0.87, true: 0.87},
}

func shown(o natural.Outcome) string {
	if len(o.Calls) == 0 {
		return fmt.Sprintf("said %.100q, fixed: %v", o.Said, o.Fixed)
	}
	var calls []string
	for _, c := range o.Calls {
		calls = append(calls, c.Name+" "+string(c.Arguments))
	}
	return strings.Join(slices.Compact(calls), ", ")
}
