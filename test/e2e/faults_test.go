package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/fake"
)

// A backend that is down: every door says so in its own shape, in the same
// words, and names the next step.
func TestBackendDown(t *testing.T) {
	in := serve(t, options{args: []string{"--backend", "http://127.0.0.1:11434"}})
	conn, err := net.DialTimeout("tcp", "127.0.0.1:11434", time.Second)
	if err == nil {
		conn.Close()
		t.Skip("an Ollama runs on this machine")
	}
	const sentence, hint = "Ollama at http://127.0.0.1:11434 is not answering.", "Start it with: ollama serve"
	for _, tc := range []struct {
		path  string
		body  map[string]any
		shape string // what comes before the sentence
	}{
		{"/v1/chat/completions", chat("hi", false), `{"error":{"message":"`},
		{"/v1/chat/completions", chat("hi", true), `{"error":{"message":"`},
		{"/api/chat", chat("hi", false), `{"error":"`},
		{"/api/chat", chat("hi", true), `{"error":"`},
		{"/api/agent/chat", map[string]any{"message": "hi", "stream": false}, `{"error":{"code":"unreachable","message":"`},
	} {
		status, body := in.post(tc.path, tc.body)
		if status != http.StatusBadGateway || !strings.HasPrefix(body, tc.shape) || !strings.Contains(body, sentence) || !strings.Contains(body, hint) {
			t.Errorf("%s, stream %v: %d %s", tc.path, tc.body["stream"], status, body)
		}
	}
	_, stderr, code := run(t, in.home, "", nil, "ask", "hi")
	if code != loci.ExitUnreachable || !strings.Contains(stderr, sentence) || !strings.Contains(stderr, hint) {
		t.Errorf("ask: exit code %d: %s", code, stderr)
	}
	if status, body := in.get("/readyz"); status != http.StatusOK {
		t.Errorf("not ready without its backend: %d %s", status, body)
	}
}

// A backend that fails after it has begun: the client sees an error and never a
// finished reply; what was cut is marked so. (Cases 13 and 14 of what users of
// such systems report.)
func TestBackendFailsHalfWay(t *testing.T) {
	sse := func(pieces ...string) string {
		var b strings.Builder
		for _, p := range pieces {
			fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", p)
		}
		return b.String()
	}
	const finish = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	for _, tc := range []struct {
		name    string
		dialect loci.Dialect
		raw     string
		text    string // that the client sees
		message string // of the error; empty: success
	}{
		{"error object", loci.OpenAI, `data: {"error":{"code":500,"message":"template could not be rendered"}}` + "\n\ndata: [DONE]\n\n", "", "template could not be rendered"},
		{"error line", loci.OpenAI, `error: {"code":400,"message":"prompt larger than the context"}` + "\n\ndata: [DONE]\n\n", "", "prompt larger than the context"},
		{"closed socket", loci.OpenAI, sse("Half a", " sen"), "Half a sen", "broke off"},
		{"Ollama error line", loci.Ollama, `{"message":{"role":"assistant","content":"Half a"},"done":false}` + "\n" + `{"error":"runner stopped"}` + "\n", "Half a", "runner stopped"},
		{"no [DONE]", loci.OpenAI, sse("Снег, ", "雪, 🐢") + finish, "Снег, 雪, 🐢", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := fake.NewModel()
			backend := m.OpenAI(t)
			if tc.dialect == loci.Ollama {
				backend = m.Ollama(t)
			}
			in := serve(t, options{args: []string{"--backend", backend}})
			m.Add(fake.Reply{Raw: tc.raw}, fake.Reply{Raw: tc.raw}, fake.Reply{Raw: tc.raw})

			_, body := in.post("/v1/chat/completions", chat("hi", true))
			failed := strings.Contains(body, `"error"`)
			if failed != (tc.message != "") || !strings.Contains(body, tc.message) || failed && strings.Contains(body, `"finish_reason":"stop"`) {
				t.Errorf("OpenAI stream: %s", body)
			}
			if text := contents(body); text != tc.text {
				t.Errorf("OpenAI stream: text %q", text)
			}
			status, body := in.post("/api/chat", chat("hi", false))
			if (status != http.StatusOK) != (tc.message != "") || !strings.Contains(body, tc.message) {
				t.Errorf("Ollama: %d %s", status, body)
			}
			_, body = in.post("/api/chat", chat("hi", true))
			if done := strings.Contains(body, `"done":true`); done != (tc.message == "") || !strings.Contains(body, tc.message) {
				t.Errorf("Ollama stream: %s", body)
			}
		})
	}
}

// contents joins the text of an OpenAI stream, finished or not.
func contents(body string) string {
	var text string
	for line := range strings.SplitSeq(body, "\n") {
		data, _ := strings.CutPrefix(line, "data: ")
		var c struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if json.Unmarshal([]byte(data), &c) == nil && len(c.Choices) > 0 {
			text += c.Choices[0].Delta.Content
		}
	}
	return text
}

// Stop in the chat window stops the work: before the first token and after some
// (case 16). The next question is served at once.
func TestStopStopsTheWork(t *testing.T) {
	for _, dialect := range []loci.Dialect{loci.OpenAI, loci.Ollama} {
		for _, early := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, early %v", dialect, early), func(t *testing.T) {
				m := fake.NewModel()
				never := make(chan struct{})
				backend := m.OpenAI(t)
				if dialect == loci.Ollama {
					backend = m.Ollama(t)
				}
				in := serve(t, options{args: []string{"--backend", backend}})
				if early {
					m.Add(fake.Reply{Text: "never", Wait: never})
				} else {
					m.Add(fake.Reply{Pieces: []string{"one ", "two ", "three "}, Hold: never})
				}
				ctx, leave := context.WithCancel(t.Context())
				body, err := json.Marshal(chat("count", true))
				if err != nil {
					t.Fatal(err)
				}
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, in.URL+"/v1/chat/completions", bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+in.Key)
				req.Header.Set("Content-Type", "application/json")
				gone := make(chan struct{})
				go func() {
					defer close(gone)
					if res, err := http.DefaultClient.Do(req); err == nil {
						buf := make([]byte, 1)
						for !early {
							if _, err := res.Body.Read(buf); err != nil {
								break
							}
						}
						res.Body.Close()
					}
				}()
				call := m.Await(t, 1)
				leave()
				<-gone
				select {
				case <-call.Done():
				case <-time.After(time.Second):
					t.Fatal("the model went on for a second after the client had left")
				}
				if !call.Canceled() {
					t.Error("the call ran to its end")
				}
				m.Add(fake.Reply{Text: "Here."})
				if _, body := in.post("/v1/chat/completions", chat("still there?", false)); !strings.Contains(body, "Here.") {
					t.Errorf("the next question: %s", body)
				}
				_, sessions := in.get("/api/agent/sessions")
				var list []struct{ ID, Title string }
				decode(t, sessions, &list)
				if len(list) != 2 {
					t.Fatalf("sessions: %s", sessions)
				}
				id := list[0].ID
				if list[0].Title != "count" {
					id = list[1].ID
				}
				if events := in.events(id); !strings.Contains(events, `"state":"interrupted"`) {
					t.Errorf("the turn is stored as\n%s", events)
				}
			})
		}
	}
}

// events gives the stored events of a session.
func (in *instance) events(session string) string {
	in.t.Helper()
	ctx, cancel := context.WithTimeout(in.t.Context(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.URL+"/api/agent/events?session="+session, nil)
	if err != nil {
		in.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+in.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		in.t.Fatal(err)
	}
	defer res.Body.Close()
	var all strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(all.String(), "turn.finished") {
		n, err := res.Body.Read(buf)
		all.Write(buf[:n])
		if err != nil {
			in.t.Fatalf("%v after\n%s", err, all.String())
		}
	}
	return all.String()
}

// The debug view is the exact last context.
func TestDebugView(t *testing.T) {
	m := fake.NewModel(fake.Reply{Text: "Hello."})
	in := serve(t, options{args: []string{"--backend", m.OpenAI(t)}})
	_, body := in.post("/api/agent/chat", map[string]any{"message": "hi", "stream": false})
	var reply struct{ Session string }
	decode(t, body, &reply)
	_, debug := in.get("/api/agent/debug?session=" + reply.Session)
	var view struct{ Request loci.Request }
	decode(t, debug, &view)
	sent := m.Last().Messages
	if a, b := fmt.Sprint(view.Request.Messages), fmt.Sprint(sent); a != b {
		t.Errorf("the debug view shows\n%s\nthe model was sent\n%s", a, b)
	}
	if !strings.Contains(sent[0].Content, "You are talking with Mira.") || !strings.Contains(sent[0].Content, "Europe/Prague") {
		t.Errorf("the system block is\n%s", sent[0].Content)
	}
}

// kill -9 in the middle of a reply: after a restart the database is whole, the
// turn is marked interrupted, and what was said is kept.
func TestKilledMidway(t *testing.T) {
	wait, never := make(chan struct{}), make(chan struct{})
	m := fake.NewModel(fake.Reply{Pieces: []string{"Half ", "a sentence."}, Wait: wait, Hold: never})
	home := t.TempDir()
	args := []string{"--backend", m.OpenAI(t)}
	in := serve(t, options{home: home, args: args})
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		body, _ := json.Marshal(map[string]any{"message": "Say it."}) // strings always marshal
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.URL+"/api/agent/chat", bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Authorization", "Bearer "+in.Key)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		defer res.Body.Close()
		var all strings.Builder
		buf := make([]byte, 4096)
		for !strings.Contains(all.String(), "Half") {
			n, err := res.Body.Read(buf)
			all.Write(buf[:n])
			if err != nil {
				t.Errorf("%v after %s", err, all.String())
				return
			}
		}
	}()
	m.Await(t, 1)
	<-time.After(300 * time.Millisecond) // a reply that comes sooner needs no draft
	close(wait)
	<-heard
	in.killed = true
	if err := in.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	in.stop()

	in = serve(t, options{home: home, args: args})
	_, sessions := in.get("/api/agent/sessions")
	var list []struct{ ID string }
	decode(t, sessions, &list)
	events := in.events(list[0].ID)
	for _, want := range []string{`"text":"Half ","incomplete":true`, `"state":"interrupted"`} {
		if !strings.Contains(events, want) {
			t.Errorf("no %s in\n%s", want, events)
		}
	}
	m.Add(fake.Reply{Text: "Again."})
	if _, body := in.post("/api/agent/chat", map[string]any{"session": list[0].ID, "message": "Go on.", "stream": false}); !strings.Contains(body, "Again.") {
		t.Errorf("the session does not go on: %s", body)
	}
}
