package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/fake"
)

// day is a conversation of eight questions with twelve calls of tools.
var day = []struct {
	question string
	calls    []loci.ToolCall
	answer   string
}{
	{"What should I buy?", []loci.ToolCall{fake.Call("list_dir", `{}`), fake.Call("read_file", `{"path":"notes.md"}`)}, "Milk and bread."},
	{"Were there errors?", []loci.ToolCall{fake.Call("search_files", `{"path":"app.log","content":"ERROR"}`)}, "Two of them."},
	{"Which ones?", []loci.ToolCall{fake.Call("read_file", `{"path":"app.log"}`)}, "One of the disk, one of the net."},
	{"How many lines has the log?", []loci.ToolCall{fake.Call("search_files", `{"path":"app.log","content":"IN"}`), fake.Call("calculate", `{"expression":"2+2"}`)}, "Four lines."},
	{"What time is it?", []loci.ToolCall{fake.Call("current_time", `{}`)}, "Time for lunch."},
	{"Is there anything else in my notes?", []loci.ToolCall{fake.Call("read_file", `{"path":"notes.md","page":1}`), fake.Call("search_files", `{"name":"notes"}`)}, "No, only that."},
	{"And what is 6 times 7?", []loci.ToolCall{fake.Call("calculate", `{"expression":"6*7"}`)}, "It is 42."},
	{"Look at both files again.", []loci.ToolCall{fake.Call("list_dir", `{"path":"."}`), fake.Call("search_files", `{"content":"INFO"}`)}, "Nothing has changed."},
}

// replies are what the model says in that conversation.
func replies(tier loci.Tier) (all []fake.Reply) {
	for _, turn := range day {
		for _, call := range turn.calls {
			if tier == loci.TierNative {
				all = append(all, fake.Reply{Calls: []loci.ToolCall{call}})
				continue
			}
			all = append(all, fake.Reply{Text: "<tool>" + call.Name + written(call) + "</tool>"})
		}
		all = append(all, fake.Reply{Text: turn.answer})
	}
	return all
}

// written are the arguments of a call in text, in the shortest form.
func written(call loci.ToolCall) string {
	var args map[string]any
	_ = json.Unmarshal(call.Arguments, &args) // see day
	var list []string
	for name, value := range args {
		list = append(list, fmt.Sprintf("%s=%q", name, fmt.Sprint(value)))
	}
	slices.Sort(list)
	return "(" + strings.Join(list, ", ") + ")"
}

// jobs are what Open WebUI asks for after a reply, in the form of its templates and in
// words of our own: a title and tags once, and what to say next each time.
func jobs(question, answer string, first bool) map[string]string {
	task := func(what, form string) string {
		return "### Task:\n" + what + "\n\n### Guidelines:\n- Use the language of the conversation.\n- Be brief and leave out what is not asked for.\n" +
			"\n### Output:\nJSON format: " + form + "\n\n### Chat History:\n<chat_history>\nUSER: " + question + "\nASSISTANT: " + answer + "\n</chat_history>"
	}
	all := map[string]string{"follow_ups": task("Suggest 3-5 questions that the user might naturally ask next.", `{ "follow_ups": ["Question 1?", "Question 2?"] }`)}
	if first {
		all["title"] = task("Generate a concise, 3-5 word title for the conversation.", `{ "title": "your concise title here" }`)
		all["tags"] = task("Generate 1-3 broad tags for the themes of the conversation.", `{ "tags": ["tag1", "tag2"] }`)
	}
	return all
}

// openWebUIDay has that conversation as Open WebUI has it: it resends the whole of it
// with every message, and has its jobs done after each reply.
func openWebUIDay(t *testing.T, in *instance, model string) {
	t.Helper()
	var history []any
	say := func(messages []any, stream bool) string {
		code, body := in.post("/v1/chat/completions", map[string]any{"model": model, "stream": stream, "messages": messages}, "X-OpenWebUI-Chat-Id", "day")
		if code != http.StatusOK {
			t.Fatalf("%d %s", code, body)
		}
		if stream {
			return openaiText(t, body)
		}
		var reply struct {
			Choices []struct{ Message struct{ Content string } }
		}
		decode(t, body, &reply)
		return reply.Choices[0].Message.Content
	}
	message := func(role loci.Role, text string) any { return map[string]string{"role": string(role), "content": text} }
	for i, turn := range day {
		history = append(history, message(loci.User, turn.question))
		answer := say(history, true)
		if !strings.HasSuffix(answer, turn.answer) {
			t.Fatalf("%s: the answer is %q, want %q", turn.question, answer, turn.answer)
		}
		history = append(history, message(loci.Assistant, answer))
		for key, job := range jobs(turn.question, answer, i == 0) {
			if got := say([]any{message(loci.User, job)}, false); !strings.Contains(got, `"`+key+`"`) {
				t.Errorf("the job %s is answered with %q", key, got)
			}
		}
	}
}

// ownDay has that conversation through loci's own API.
func ownDay(t *testing.T, in *instance, model string) {
	t.Helper()
	session := ""
	for _, turn := range day {
		_, body := in.post("/api/agent/chat", map[string]any{"session": session, "model": model, "message": turn.question, "stream": false})
		var reply struct {
			Session, Message string
			Receipt          loci.Receipt
		}
		decode(t, body, &reply)
		if session = reply.Session; !strings.HasSuffix(reply.Message, turn.answer) {
			t.Fatalf("%s: %s", turn.question, body)
		}
		if r := reply.Receipt; r.Calls != len(turn.calls)+1 || r.Context == 0 || r.Context >= r.Prompt {
			t.Errorf("%s: the receipt %+v", turn.question, r)
		}
	}
}

// receipts gives those of the model calls of the newest session, turn by turn.
func receipts(t *testing.T, in *instance, turns int) (all [][]loci.Receipt, notices []string) {
	t.Helper()
	_, body := in.get("/api/agent/sessions")
	var sessions []loci.Session
	decode(t, body, &sessions)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.URL+"/api/agent/events?session="+sessions[0].ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+in.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var turn []loci.Receipt
	for lines := bufio.NewScanner(res.Body); len(all) < turns && lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type loci.EventType
			Data struct {
				Receipt loci.Receipt
				Text    string
			}
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case loci.EventStepFinished:
			turn = append(turn, e.Data.Receipt)
		case loci.EventNotice:
			notices = append(notices, e.Data.Text)
		case loci.EventTurnFinished:
			all, turn = append(all, turn), nil
		}
	}
	if len(all) != turns {
		t.Fatalf("the session has %d turns, want %d", len(all), turns)
	}
	return all, notices
}

// frugal checks that only what was appended was evaluated, call by call.
func frugal(t *testing.T, turns [][]loci.Receipt) {
	t.Helper()
	calls, prompt, evaluated, wasted, worst := 0, 0, 0, 0, 0
	for i, turn := range turns {
		if len(turn) != len(day[i].calls)+1 {
			t.Errorf("turn %d had %d calls of the model", i+1, len(turn))
		}
		sum := 0
		for j, r := range turn {
			if r.Wasted == nil || r.Estimated || r.Broke != nil {
				t.Fatalf("turn %d, call %d: %+v, broke: %s", i+1, j+1, r, r.Broke)
			}
			if *r.Reused+*r.Evaluated != r.Prompt || *r.Wasted != max(*r.Evaluated-*r.Appended, 0) {
				t.Errorf("turn %d, call %d does not add up: %+v", i+1, j+1, r)
			}
			if (i > 0 || j > 0) && *r.Appended > r.Prompt/2 {
				t.Errorf("turn %d, call %d: %d of %d tokens are said to be new", i+1, j+1, *r.Appended, r.Prompt)
			}
			sum += *r.Wasted
			calls, prompt, evaluated = calls+1, prompt+r.Prompt, evaluated+*r.Evaluated
		}
		if sum > glue {
			t.Errorf("turn %d wasted %d tokens", i+1, sum)
		}
		wasted, worst = wasted+sum, max(worst, sum)
	}
	t.Logf("%d calls in %d turns: %d prompt tokens, %d evaluated, %d wasted, at most %d in a turn", calls, len(turns), prompt, evaluated, wasted, worst)
}

// Whatever a client does, each call of the model is one more piece at the end of what
// the server has: with a server that pretends a cache of one slot, in both tiers.
func TestNothingWasted(t *testing.T) {
	for tier, noTools := range map[loci.Tier]bool{loci.TierNative: false, loci.TierText: true} {
		for name, have := range map[string]func(*testing.T, *instance, string){"Open WebUI": openWebUIDay, "own API": ownDay} {
			t.Run(string(tier)+", "+name, func(t *testing.T) {
				m := fake.NewModel(replies(tier)...)
				m.NoTools, m.Window = noTools, 32768
				for range len(day) + 2 { // in whatever order they come
					m.On(loci.PurposeJob, fake.Reply{Text: `{"title": "Milk", "tags": ["Food"], "follow_ups": ["Why?"]}`})
				}
				in := serve(t, options{args: []string{"--backend", m.OpenAI(t), "--allow", folder(t)}})
				have(t, in, m.Name)
				turns, _ := receipts(t, in, len(day))
				frugal(t, turns)
				if jobs := len(m.Requests()) - len(m.Turn()); name == "Open WebUI" && jobs < len(day)+2 {
					t.Errorf("only %d of the jobs were the model's", jobs)
				}
			})
		}
	}
}

// A template that writes the tools into the newest message has them read again each
// time. The receipt says so, and the next session has them in its text.
func TestTemplateMovesTools(t *testing.T) {
	for _, speaks := range []loci.Dialect{loci.OpenAI, loci.Ollama} {
		t.Run(string(speaks), func(t *testing.T) {
			m := fake.NewModel(append(replies(loci.TierNative), replies(loci.TierText)...)...)
			m.Window, m.ToolsLast = 32768, true
			url := m.OpenAI(t)
			if speaks == loci.Ollama {
				url = m.Ollama(t)
			}
			in := serve(t, options{args: []string{"--backend", url, "--allow", folder(t)}})
			ownDay(t, in, m.Name)
			turns, notices := receipts(t, in, len(day))
			last := turns[len(turns)-1]
			if r := last[0]; r.Broke == nil || r.Broke.Cause != loci.BreakTemplate || *r.Wasted < 200 || !r.Estimated {
				t.Errorf("the receipt %+v does not tell of the template: %s", r, r.Broke)
			}
			if len(notices) != 1 || !strings.Contains(notices[0], "tools elsewhere") {
				t.Errorf("the person reads %q", notices)
			}

			again := len(m.Requests())
			ownDay(t, in, m.Name)
			for _, r := range m.Requests()[again:] {
				if len(r.Tools) > 0 || !strings.Contains(r.Messages[0].Content, "list_dir") {
					t.Fatal("the new session does not have its tools in the text")
				}
			}
			turns, notices = receipts(t, in, len(day))
			if speaks == loci.OpenAI {
				frugal(t, turns)
			}
			if len(notices) != 0 {
				t.Errorf("the person reads %q again", notices)
			}
		})
	}
}
