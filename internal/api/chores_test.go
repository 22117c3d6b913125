package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/chore/choretest"
)

func user(text string) []loci.Message { return []loci.Message{{Role: loci.User, Content: text}} }

// quoted is a text in JSON.
func quoted(text string) []byte {
	b, _ := json.Marshal(text) // texts always marshal
	return b
}

// doors are the ways in which a chore can be asked for.
var doors = map[string]struct {
	path, body string // the body with a place for the text, and for the stream
	read       func(body string) string
}{
	"OpenAI": {"/v1/chat/completions", `{"model":"smollm2","messages":[{"role":"user","content":%s}],"stream":%v}`, readOpenAI},
	"Ollama": {"/api/chat", `{"model":"smollm2","messages":[{"role":"user","content":%s}],"stream":%v}`, readOllama},
	"prompt": {"/api/generate", `{"model":"smollm2","prompt":%s,"stream":%v}`, readOllama},
}

// readOpenAI gives the text of a reply, streamed or whole.
func readOpenAI(body string) string {
	type part struct{ Content string }
	text := ""
	for line := range strings.Lines(body) {
		var reply struct {
			Choices []struct{ Message, Delta part }
		}
		_ = json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &reply) // comments and the end mark have none
		for _, c := range reply.Choices {
			text += c.Message.Content + c.Delta.Content
		}
	}
	return text
}

func readOllama(body string) string {
	text := ""
	for line := range strings.Lines(body) {
		var reply struct {
			Message  struct{ Content string }
			Response string
		}
		_ = json.Unmarshal([]byte(line), &reply)
		text += reply.Message.Content + reply.Response
	}
	return text
}

// working is a program in which every chore ends with this reply, and no turn may
// begin.
func working(t *testing.T, reply string, err error) (*fake, *[]loci.Request) {
	f := newFake()
	f.profile = loci.Profile{Tier: loci.TierNative}
	f.turn = func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error] {
		t.Error("a turn began")
		return play()(t.Context(), loci.TurnRequest{})
	}
	var asked []loci.Request
	f.job = func(req loci.Request) (loci.Chunk, error) {
		asked = append(asked, req)
		return loci.Chunk{Text: reply, Reasoning: "hm", Finish: loci.FinishStop, Usage: &loci.Usage{Prompt: 3}}, err
	}
	f.chat = func(req loci.Request) iter.Seq2[loci.Chunk, error] {
		return func(yield func(loci.Chunk, error) bool) { yield(f.job(req)) }
	}
	return f, &asked
}

// Every kind of chore is one plain call of the model at every door, and the reply
// is what the client reads.
func TestChoresAreOnePlainCall(t *testing.T) {
	for name, e := range map[string]struct{ text, reply, want string }{
		"title":      {choretest.Heading, "```json\n{\"title\": \"Temp files\"}\n```", `{"title":"Temp files"}`},
		"tags":       {choretest.Tasked("Tags.", `{"tags": ["a"]}`), `{"tags":["Files"]}`, `{"tags":["Files"]}`},
		"follow-ups": {choretest.Tasked("More.", `{"follow_ups": ["a"]}`), `Of course: {"follow_ups":["Why?"]}`, `{"follow_ups":["Why?"]}`},
		"queries":    {choretest.Tasked("Search.", `{"queries": ["a"]}`), `{"queries":[]}`, `{"queries":[]}`},
		"completion": {choretest.Autocompletion, `{"text":" there"}`, `{"text":" there"}`},
		"emoji":      {choretest.Feeling, "😊", "😊"},
		"image":      {choretest.Tasked("Describe an image.", `{"prompt": ""}`), `{"prompt":"A broom."}`, `{"prompt":"A broom."}`},
		"merge":      {choretest.Several, "Both are right.", "Both are right."},
		"summary":    {choretest.Compacted, "Files were removed.", "Files were removed."},
	} {
		for door, d := range doors {
			for _, stream := range []bool{false, true} {
				if stream && (name == "emoji" || name == "title" || name == "summary") { // these are turns then
					continue
				}
				f, asked := working(t, e.reply, nil)
				w := newClient(t, f).do("POST", d.path, fmt.Sprintf(d.body, quoted(e.text), stream))
				if got := d.read(w.Body.String()); w.Code != 200 || got != e.want {
					t.Errorf("%s, %s, streamed %v: %d %q, want %q", name, door, stream, w.Code, got, e.want)
				}
				want := loci.Request{Model: "smollm2", Messages: user(e.text), Purpose: loci.PurposeJob}
				if len(*asked) != 1 {
					t.Fatalf("%s, %s: %d calls", name, door, len(*asked))
				}
				if diff := cmp.Diff(want, (*asked)[0]); diff != "" {
					t.Errorf("%s, %s (-want +got):\n%s", name, door, diff)
				}
			}
		}
	}
}

// Where a call would cost the conversation its place in the cache, or the person
// wants none, loci answers in short what it can.
func TestChoresInShort(t *testing.T) {
	title, image := choretest.Heading, choretest.Tasked("Describe an image.", `{"prompt": ""}`)
	for name, e := range map[string]struct {
		mode    JobMode
		profile loci.Profile
		text    string
		calls   int
	}{
		"nothing known":    {"", loci.Profile{Tier: loci.TierNative}, title, 1},
		"one slot":         {JobsAuto, loci.Profile{Tier: loci.TierNative, Slots: 1}, title, 0},
		"more slots":       {JobsAuto, loci.Profile{Tier: loci.TierNative, Slots: 4}, title, 1},
		"tiny":             {JobsAuto, loci.Profile{Tier: loci.TierTiny}, title, 0},
		"always":           {JobsShort, loci.Profile{Tier: loci.TierNative}, title, 0},
		"never":            {JobsModel, loci.Profile{Tier: loci.TierTiny, Slots: 1}, title, 1},
		"a text is wanted": {JobsShort, loci.Profile{Tier: loci.TierTiny, Slots: 1}, image, 1},
		"the same, merged": {JobsShort, loci.Profile{Tier: loci.TierTiny, Slots: 1}, choretest.Several, 1},
	} {
		f, asked := working(t, `{"title":"By the model"}`, nil)
		f.profile = e.profile
		cfg := f.config()
		cfg.ClientJobs = e.mode
		d := doors["OpenAI"]
		w := client{t, New(cfg), ownerKey}.do("POST", d.path, fmt.Sprintf(d.body, quoted(e.text), false))
		if w.Code != 200 || len(*asked) != e.calls {
			t.Errorf("%s: %d after %d calls, want %d", name, w.Code, len(*asked), e.calls)
		}
		want := `{"title":"By the model"}`
		if e.calls == 0 {
			want = `{"title":"Remove every *.tmp file in ~/work"}`
		}
		if got := d.read(w.Body.String()); e.text == title && got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// asideOf is a conversation that the model has in its cache.
type asideOf struct{ said, model string }

func (a asideOf) Aside(ctx context.Context, p loci.Principal, model, _ string, quoted []string, question string) (context.Context, loci.Request, bool) {
	return ctx, loci.Request{Model: model, Messages: user("before\n" + question)}, p.Owner && slices.Contains(quoted, a.said) && model == a.model
}

// On a server with one slot what concerns the conversation that it has is asked at its
// end; where it has another one, or the reply is of no use, the answer is short.
func TestChoresAtTheEndOfTheConversation(t *testing.T) {
	const said = "remove every *.tmp file in ~/work"
	title, question := choretest.Tasked("Find a title.", `{ "title": "" }`), strings.Replace(choretest.Tasked("Find a title.", `{ "title": "" }`), choretest.Talk, "(the conversation above)", 1)
	short := `{"title":"Remove every *.tmp file in ~/work"}`
	for name, e := range map[string]struct {
		aside       Aside
		mode        JobMode
		tier        loci.Tier
		text, reply string
		want        string
		calls       []string
	}{
		"the conversation":       {asideOf{said, "smollm2"}, JobsAuto, loci.TierText, title, `{"title":"Temp files"}`, `{"title":"Temp files"}`, []string{"before\n" + question}},
		"another one":            {asideOf{"hello", "smollm2"}, JobsAuto, loci.TierText, title, `{"title":"Temp files"}`, short, nil},
		"another model":          {asideOf{said, "qwen3"}, JobsAuto, loci.TierText, title, `{"title":"Temp files"}`, short, nil},
		"a reply of no use":      {asideOf{said, "smollm2"}, JobsAuto, loci.TierText, title, `Sure!`, short, []string{"before\n" + question}},
		"none wanted":            {asideOf{said, "smollm2"}, JobsShort, loci.TierText, title, `{"title":"Temp files"}`, short, nil},
		"nobody knows":           {nil, JobsAuto, loci.TierText, title, `{"title":"Temp files"}`, short, nil},
		"somebody waits for it":  {asideOf{said, "smollm2"}, JobsAuto, loci.TierText, choretest.Tasked("Search.", `{"queries": ["a"]}`), `{"queries":["x"]}`, `{"queries":["remove every *.tmp file in ~/work"]}`, nil},
		"in the words of others": {asideOf{said, "smollm2"}, JobsAuto, loci.TierText, choretest.Heading, `{"title":"Temp files"}`, `{"title":"Temp files"}`, []string{"before\n" + strings.Replace(choretest.Heading, choretest.Talk, "(the conversation above)", 1)}},
	} {
		f, asked := working(t, e.reply, nil)
		f.profile = loci.Profile{Tier: e.tier, Slots: 1}
		cfg := f.config()
		cfg.ClientJobs, cfg.Aside = e.mode, e.aside
		d := doors["OpenAI"]
		w := client{t, New(cfg), ownerKey}.do("POST", d.path, fmt.Sprintf(d.body, quoted(e.text), false))
		if got := d.read(w.Body.String()); got != e.want {
			t.Errorf("%s: %s, want %s", name, got, e.want)
		}
		var calls []string
		for _, r := range *asked {
			calls = append(calls, r.Messages[0].Content)
		}
		if d := cmp.Diff(e.calls, calls); d != "" {
			t.Errorf("%s: the model was asked (-want +got):\n%s", name, d)
		}
	}
}

// A chore whose call fails or says nothing of use has its short answer; where
// there is none, the client hears why.
func TestChoresThatFail(t *testing.T) {
	d := doors["Ollama"]
	ask := func(f *fake, text string) *httptest.ResponseRecorder {
		return newClient(t, f).do("POST", d.path, fmt.Sprintf(d.body, quoted(text), false))
	}
	for _, reply := range []string{"", "I cannot do that.", `{"title":`} {
		f, asked := working(t, reply, nil)
		if got := d.read(ask(f, choretest.Heading).Body.String()); got != `{"title":"Remove every *.tmp file in ~/work"}` || len(*asked) != 1 {
			t.Errorf("%q becomes %q after %d calls", reply, got, len(*asked))
		}
	}
	f, _ := working(t, "", errDown)
	if w := ask(f, choretest.Heading); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := ask(f, choretest.Several); w.Code != 502 || !strings.Contains(w.Body.String(), "not answering") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// While loci waits for a yes, the suggestions are the answers: the refusal first.
func TestFollowUpsAnswerQuestions(t *testing.T) {
	more := func(talk string) string {
		return "### Task:\nWhat next?\nJSON format: { \"follow_ups\": [\"a\"] }\n<chat_history>\n" + talk + "\n</chat_history>"
	}
	asks := "USER: clean up\nASSISTANT: May I?\n\nAnswer **yes** or **no** (code 7F3). Until 14:05."
	for name, e := range map[string]struct {
		talk, who, want string
		broken          bool
	}{
		"one":              {asks, "", `{"follow_ups":["no","yes 7F3"]}`, false},
		"two":              {asks + "\n\nMay I run it?\n\nAnswer **yes 8K2** or **no 8K2**.", "", `{"follow_ups":["no","yes 7F3","yes 8K2"]}`, false},
		"cut in between":   {"USER: clean up\nASSISTANT: I wou...\nAnswer **yes** or **no** (code 7F3). Until 14:05.", "", `{"follow_ups":["no","yes 7F3"]}`, false},
		"only the code":    {"USER: clean up\nASSISTANT: Shall I tell you more? Answer **yes** or **no** (code 7F3).", "", `{"follow_ups":["Why?"]}`, false},
		"another chat":     {"USER: hi\nASSISTANT: hello", "", `{"follow_ups":["Why?"]}`, false},
		"no code":          {"USER: a\nASSISTANT: A7F3 7F37F3 7F3x", "", `{"follow_ups":["Why?"]}`, false},
		"somebody else's":  {asks, "eve", `{"follow_ups":["Why?"]}`, false},
		"they cannot tell": {asks, "", `{"follow_ups":["Why?"]}`, true},
	} {
		f, asked := working(t, `{"follow_ups":["Why?"]}`, nil)
		f.open = []loci.Approval{
			{Code: "7F3", Principal: "owner", Question: "May I?\n\nAnswer **yes** or **no** (code 7F3). Until 14:05."},
			{Code: "8K2", Principal: "owner", Question: "May I run it?\n\nAnswer **yes 8K2** or **no 8K2**.\n"},
		}
		cfg := f.config()
		if e.broken {
			cfg.Questions = noQuestions{}
		}
		d := doors["OpenAI"]
		w := client{t, New(cfg), ownerKey}.do("POST", d.path, fmt.Sprintf(d.body, quoted(more(e.talk)), false), "X-OpenWebUI-User-Id", e.who)
		if got := d.read(w.Body.String()); got != e.want || (len(*asked) == 1) != strings.Contains(e.want, "Why") {
			t.Errorf("%s: %s after %d calls, want %s", name, got, len(*asked), e.want)
		}
	}
}

type noQuestions struct{ Questions }

func (noQuestions) Approvals(context.Context, loci.Principal) ([]loci.Approval, error) {
	return nil, errors.New("disk full")
}

// A header makes a chore of what nobody would recognise, and only with a key.
func TestTaskHeader(t *testing.T) {
	d := doors["OpenAI"]
	body := fmt.Sprintf(d.body, `"Name it."`, false)
	for _, name := range []string{"X-Loci-Task", "X-OpenWebUI-Task"} {
		f, asked := working(t, `{"title":"It"}`, nil)
		if w := newClient(t, f).do("POST", d.path, body, name, "title_generation"); d.read(w.Body.String()) != `{"title":"It"}` || len(*asked) != 1 {
			t.Errorf("%s: %s", name, w.Body)
		}
		c := newClient(t, f)
		c.key = ""
		if w := c.do("POST", d.path, body, name, "title_generation"); w.Code != 401 {
			t.Errorf("without a key: %d", w.Code)
		}
	}
}

// Whatever tells a chore from a turn is read from the request, and in which form
// the client wants its reply.
func TestWhatTellsChores(t *testing.T) {
	title := "Provide a short title for the conversation. Only return the title.\n\nUser: hi\nAI: hello"
	for name, e := range map[string]struct{ text, more, want string }{
		"alone":          {title, ``, "Greeting"},
		"with a form":    {title, `,"response_format":{"type":"json_object"}`, "Title: Greeting"},
		"read along":     {title, `,"stream":true`, "Hello there"},
		"with tools":     {title, `,"tools":[{"type":"function","function":{"name":"x","parameters":{"type":"object"}}}]`, "Hello there"},
		"something else": {"hi", ``, "Hello there"},
	} {
		f := newFake()
		f.profile = loci.Profile{Tier: loci.TierNative}
		f.job = func(loci.Request) (loci.Chunk, error) {
			return loci.Chunk{Text: "Title: Greeting", Finish: loci.FinishStop}, nil
		}
		body := fmt.Sprintf(`{"model":"smollm2","messages":[{"role":"user","content":%s}]%s}`, quoted(e.text), e.more)
		w := newClient(t, f).do("POST", "/v1/chat/completions", body)
		if got := readOpenAI(w.Body.String()); got != e.want {
			t.Errorf("%s: %d %q, want %q", name, w.Code, got, e.want)
		}
	}
}

func TestFromOpenWebUI(t *testing.T) {
	for _, e := range []struct {
		setting string
		header  []string
		want    bool
	}{
		{"", nil, false},
		{"auto", nil, false},
		{"on", nil, true},
		{"auto", []string{"X-OpenWebUI-Chat-Id", "c1"}, true},
		{"auto", []string{"X-OpenWebUI-User-Name", "Ann"}, true},
		{"auto", []string{"X-Loci-Client", "Open-WebUI"}, true},
		{"auto", []string{"X-Loci-Client", "other"}, false},
		{"off", []string{"X-Loci-Client", "open-webui"}, false},
	} {
		s := &server{Config: Config{OpenWebUI: e.setting}}
		if got := s.fromOpenWebUI(request("POST", "/v1/chat/completions", "{}", e.header...)); got != e.want {
			t.Errorf("%s %v: %v", e.setting, e.header, got)
		}
	}
}
