package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/fake"
)

// pasted is a request of a chat UI about a conversation.
func pasted(member string) string {
	return "Make a heading of at most five words for the talk below. Reply only with JSON like {\"" + member + "\":\"...\"}.\n<chat_history>\nUSER: remove every *.tmp file in ~/work\nASSISTANT: Done, 4 files removed.\n</chat_history>"
}

// said is the body of a chat request: what the user and the model say by turns.
func said(stream bool, texts ...string) string {
	var messages []map[string]string
	for i, text := range texts {
		messages = append(messages, map[string]string{"role": []string{"user", "assistant"}[i%2], "content": text})
	}
	b, _ := json.Marshal(map[string]any{"model": "loci", "messages": messages, "stream": stream}) // texts always marshal
	return string(b)
}

// quiet is a plain model server that does not tell how much it can do at once.
func quiet(replies ...fake.Reply) *fake.Model {
	m := fake.NewModel(replies...)
	m.Only, m.Slots = loci.OpenAI, 0
	return m
}

// office is an App with a model behind it.
type office struct {
	t    *testing.T
	m    *fake.Model
	url  string
	key  string
	jobs sync.WaitGroup
}

func open(t *testing.T, m *fake.Model, url, mode string) *office {
	o := options(t, url)
	if mode != "" {
		o.Config.ClientJobs = mode
	}
	a := build(t, o)
	serving(t, a)
	ad := a.Addresses()
	return &office{t: t, m: m, url: ad.URL, key: ad.Key}
}

func (o *office) ask(path, body string) string {
	status, reply := ask(o.t, http.MethodPost, o.url+path, o.key, "", body)
	if status != http.StatusOK {
		o.t.Errorf("%s: %d %s", path, status, reply)
	}
	return reply
}

// job asks for something in the background, and checks the reply.
func (o *office) job(member, want string) {
	o.jobs.Go(func() {
		if got := o.ask("/v1/chat/completions", said(false, pasted(member))); !strings.Contains(got, want) {
			o.t.Errorf("the job %s gives %s, want %s", member, got, want)
		}
	})
}

func (o *office) sessions() int {
	_, reply := ask(o.t, http.MethodGet, o.url+"/api/agent/sessions", o.key, "", "")
	return strings.Count(reply, `"id":"ses_`)
}

// A chat UI asks for a title, tags and questions while a turn runs. The turn is
// not held up, its prompt stays what it was, and nothing is kept of the jobs.
func TestJobsBesideATurn(t *testing.T) {
	hold := make(chan struct{})
	m := quiet(fake.Reply{Text: "Hello there", Hold: hold}, fake.Reply{Text: "Again."})
	m.Answer = func(r *fake.Request) (fake.Reply, bool) {
		for _, member := range []string{"title", "tags", "follow-up questions"} {
			if r.Purpose == loci.PurposeJob && strings.Contains(r.Messages[0].Content, `{"`+member+`"`) {
				return fake.Reply{Text: "```json\n{\"" + member + "\": \"" + member + "!\"}\n```"}, true
			}
		}
		return fake.Reply{}, false
	}
	o := open(t, m, m.OpenAI(t), "")
	turn := make(chan string)
	go func() { turn <- o.ask("/v1/chat/completions", said(true, "Hi")) }()
	m.Await(t, 1)
	for _, member := range []string{"title", "tags", "follow-up questions"} {
		o.job(member, fmt.Sprintf(`{\"%s\":\"%[1]s!\"}`, member))
	}
	<-time.After(500 * time.Millisecond)
	if n := len(m.Requests()); n != 1 {
		t.Errorf("%d calls while the turn runs, want its own", n)
	}
	close(hold)
	if reply := <-turn; !strings.Contains(reply, "there") || !strings.Contains(reply, "[DONE]") {
		t.Errorf("the turn is %s", reply)
	}
	o.jobs.Wait()
	o.ask("/v1/chat/completions", said(false, "Hi", "Hello there", "And now?"))
	calls := m.Requests()
	if len(calls) != 5 {
		t.Fatalf("%d calls, want 5", len(calls))
	}
	for _, r := range calls[1:4] {
		if r.Purpose != loci.PurposeJob || len(r.Tools) > 0 || len(r.Messages) != 1 || !strings.HasPrefix(r.Messages[0].Content, "Make a heading") {
			t.Errorf("a job is asked as %s with %d tools: %v", r.Purpose, len(r.Tools), r.Messages)
		}
	}
	first, second := calls[0], calls[4]
	if diff := cmp.Diff(first.Messages, second.Messages[:len(first.Messages)]); diff != "" {
		t.Errorf("the prompt has changed (-before +after):\n%s", diff)
	}
	if n := o.sessions(); n != 1 {
		t.Errorf("%d sessions, want that of the turn", n)
	}
}

// The job may come first, and begin first: the chat takes its place.
func TestChatBeforeItsTitle(t *testing.T) {
	m := quiet(fake.Reply{Text: "Hello."}, fake.Reply{Text: "Again."})
	var jobs atomic.Int32
	m.Answer = func(r *fake.Request) (fake.Reply, bool) {
		if r.Purpose != loci.PurposeJob {
			return fake.Reply{}, false
		}
		if jobs.Add(1) == 2 {
			return fake.Reply{Wait: make(chan struct{})}, true // never, and it may not have to
		}
		return fake.Reply{Text: `{"title":"By the model"}`}, true
	}
	o := open(t, m, m.OpenAI(t), "")
	o.job("title", `By the model`)
	<-time.After(50 * time.Millisecond)
	o.ask("/v1/chat/completions", said(false, "Hi"))
	o.jobs.Wait()
	if calls := m.Requests(); len(calls) != 2 || calls[0].Purpose != loci.PurposeChat || calls[1].Purpose != loci.PurposeJob {
		t.Errorf("the first of %d calls is for %s", len(calls), calls[0].Purpose)
	}

	o.job("title", `By the model`)
	running := m.Await(t, 3)
	o.ask("/v1/chat/completions", said(false, "Hi", "Hello.", "And now?"))
	if !running.Canceled() {
		t.Error("the job stays in the way")
	}
	o.jobs.Wait()
	if calls := m.Requests(); len(calls) != 5 || calls[3].Purpose != loci.PurposeChat || calls[4].Purpose != loci.PurposeJob {
		t.Errorf("%d calls, want the chat and then the job again", len(calls))
	}
}

// A relayed chat counts as one as well.
func TestJobWaitsForRelayedChat(t *testing.T) {
	hold := make(chan struct{})
	m := quiet(fake.Reply{Text: "Hello there", Hold: hold})
	m.On(loci.PurposeJob, fake.Reply{Text: `{"title":"T"}`})
	o := open(t, m, m.OpenAI(t), "")
	turn := make(chan string)
	go func() {
		turn <- o.ask("/v1/chat/completions", `{"model":"bare/fake","stream":true,"messages":[{"role":"user","content":"Hi"}]}`)
	}()
	m.Await(t, 1)
	o.job("title", `{\"title\":\"T\"}`)
	<-time.After(500 * time.Millisecond)
	if n := len(m.Requests()); n != 1 {
		t.Errorf("%d calls while the chat runs", n)
	}
	close(hold)
	<-turn
	o.jobs.Wait()
}

// A person reads along when the answers of several models are made into one.
func TestStreamedJob(t *testing.T) {
	m := quiet()
	m.On(loci.PurposeJob, fake.Reply{Text: "Both are right."}, fake.Reply{Status: http.StatusBadRequest, Error: "no such luck"})
	o := open(t, m, m.OpenAI(t), "")
	const several = "You have been provided with a set of responses from various models to the latest user query: \"Why?\"\n\nResponses from models: \"A\""
	if reply := o.ask("/v1/chat/completions", said(true, several)); !strings.Contains(reply, `"content":"right."`) || !strings.Contains(reply, "[DONE]") {
		t.Errorf("%s", reply)
	}
	if status, reply := ask(t, http.MethodPost, o.url+"/v1/chat/completions", o.key, "", said(true, several)); status != http.StatusBadRequest || !strings.Contains(reply, "no such luck") {
		t.Errorf("%d %s", status, reply)
	}
	if n := o.sessions(); n != 0 {
		t.Errorf("%d sessions", n)
	}
}

// Ollama has one slot: loci answers by itself, at each door, and keeps nothing.
// Who wants the model to do it can have that.
func TestJobsWithOneSlot(t *testing.T) {
	m := fake.NewModel()
	o := open(t, m, m.Ollama(t), "")
	const title = `{\"title\":\"Remove every *.tmp file in ~/work\"}`
	text, _ := json.Marshal(pasted("title")) // a text always marshals
	for path, body := range map[string]string{
		"/v1/chat/completions": said(false, pasted("title")),
		"/api/chat":            said(false, pasted("title")),
		"/api/generate":        `{"model":"loci","stream":false,"prompt":` + string(text) + `}`,
	} {
		if reply := o.ask(path, body); !strings.Contains(reply, title) {
			t.Errorf("%s: %s", path, reply)
		}
	}
	if n, kept := len(m.Requests()), o.sessions(); n != 0 || kept != 0 {
		t.Errorf("%d calls of the model, %d sessions", n, kept)
	}

	m = fake.NewModel()
	m.On(loci.PurposeJob, fake.Reply{Text: `{"title":"By the model"}`})
	o = open(t, m, m.Ollama(t), "model")
	if reply := o.ask("/api/chat", said(false, pasted("title"))); !strings.Contains(reply, "By the model") || len(m.Requests()) != 1 {
		t.Errorf("%s after %d calls", reply, len(m.Requests()))
	}
}
