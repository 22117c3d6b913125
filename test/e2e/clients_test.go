package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/fake"
)

// python is the interpreter with the clients, which make test sets up.
func python(t *testing.T) string {
	t.Helper()
	p := os.Getenv("LOCI_TEST_PYTHON")
	if p == "" {
		t.Skip("the Python clients are set up by make test")
	}
	return p
}

// script runs one of the scripts in test/clients, which print "ok NAME" for
// each check, and wants at least so many checks.
func script(t *testing.T, checks int, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python(t), args...)
	cmd.Dir = "../clients"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if n := strings.Count("\n"+string(out), "\nok "); n < checks {
		t.Errorf("only %d checks ran:\n%s", n, out)
	}
}

// The official openai and ollama packages talk to loci, streaming and not, with
// the key in a header and in the address.
func TestOfficialClients(t *testing.T) {
	python(t)
	for _, dialect := range []loci.Dialect{loci.OpenAI, loci.Ollama} {
		t.Run(string(dialect)+" backend", func(t *testing.T) {
			m := fake.NewModel()
			m.Answer = func(r *fake.Request) (fake.Reply, bool) {
				switch {
				case len(r.Tools) == 0: // a completion, without the agent
					return fake.Reply{Text: "upon a time"}, true
				case r.Purpose == loci.PurposeChat:
					return fake.Reply{Calls: []loci.ToolCall{fake.Call("read_file", `{"path":"notes.md"}`)}}, true
				case r.Purpose == loci.PurposeStep:
					return fake.Reply{Text: "You should buy milk."}, true
				}
				return fake.Reply{}, false
			}
			backend := m.OpenAI(t)
			if dialect == loci.Ollama {
				backend = m.Ollama(t)
			}
			in := serve(t, options{args: []string{"--backend", backend, "--allow", folder(t)}})
			chatKey, err := os.ReadFile(in.home + "/config/chat-key")
			if err != nil {
				t.Fatal(err)
			}
			script(t, 30, "official.py", in.URL, in.Key, in.URL+"/k/"+strings.TrimSpace(string(chatKey)), "fake", "fake")
		})
	}
}

// The packages that people build with bring tools of their own. Those are handed
// back to be run, ours are run here, and none of ours ever reaches a client,
// whichever way the model behind loci calls tools.
func TestClientTools(t *testing.T) {
	python(t)
	for _, c := range []struct {
		dialect loci.Dialect
		tier    loci.Tier
	}{{loci.OpenAI, loci.TierNative}, {loci.Ollama, loci.TierNative}, {loci.Ollama, loci.TierText}} {
		t.Run(fmt.Sprintf("%s backend, %s tier", c.dialect, c.tier), func(t *testing.T) {
			m := fake.NewModel()
			m.NoTools = c.tier == loci.TierText
			m.Answer = func(r *fake.Request) (fake.Reply, bool) { return withTools(r, c.tier) }
			backend := m.OpenAI(t)
			if c.dialect == loci.Ollama {
				backend = m.Ollama(t)
			}
			in := serve(t, options{args: []string{"--backend", backend, "--allow", folder(t)}})
			script(t, 80, "tools.py", in.URL, in.Key, "fake")
			if c.tier == loci.TierNative {
				paired(t, m.Requests())
			}
		})
	}
}

// The same with the embedded model of 135 million weights, for which loci chooses: beside
// the embedder, and without one.
func TestClientToolsTiny(t *testing.T) {
	python(t)
	engine := embeddedtest.Start(t)
	for _, embeds := range []bool{true, false} {
		home := t.TempDir()
		if err := os.MkdirAll(home+"/config", 0o700); err != nil {
			t.Fatal(err)
		}
		config := fmt.Sprintf("backends:\n- {url: %q, key: %q}\n", engine.Chat.URL(), engine.Chat.Key())
		if embeds {
			config += fmt.Sprintf("- {url: %q, key: %q}\n", engine.Embed.URL(), engine.Embed.Key())
		}
		if err := os.WriteFile(home+"/config/config.yaml", []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		in := serve(t, options{home: home, args: []string{"--allow", folder(t)}})
		script(t, 30, "tools.py", in.URL, in.Key, engine.Chat.Model(), "tiny")
		if embeds {
			demandedOfTiny(t, in, engine.Chat.Model())
		}
	}
}

// person is a tool by which a client has a text taken apart.
const person = `{"type":"function","function":{"name":"person","description":"A person that a text tells of.","parameters":{"type":"object",
	"properties":{"name":{"type":"string"},"age":{"type":"integer"},"job":{"type":"string"}},"required":["name","age","job"]}}}`

// demandedOfTiny sees that tool_choice holds: what the words do not have in plain sight
// the model writes, in the form that the tool wants.
func demandedOfTiny(t *testing.T, in *instance, model string) {
	t.Helper()
	const told = "My neighbour Karel Novotny is a baker of 52 years."
	for _, tc := range []struct {
		path, choice, text string
		called             bool
	}{
		{"/v1/chat/completions", `{"type":"function","function":{"name":"person"}}`, told, true},
		{"/v1/chat/completions", `"required"`, told, true},
		{"/v1/chat/completions", `"auto"`, "Hello!", false},
		{"/v1/chat/completions", `"none"`, "Hello!", false},
		{"/api/chat", `{"type":"function","function":{"name":"person"}}`, told, true},
	} {
		_, body := in.post(tc.path, map[string]any{
			"model": model, "stream": false, "messages": []any{map[string]string{"role": "user", "content": tc.text}},
			"tools": []any{json.RawMessage(person)}, "tool_choice": json.RawMessage(tc.choice),
		})
		if called := strings.Contains(body, `"tool_calls":[`); called != tc.called {
			t.Errorf("%s with tool_choice %s: %s", tc.path, tc.choice, body)
		}
		plain := strings.ReplaceAll(body, `\"`, `"`) // the OpenAI protocol has arguments as a text
		if tc.called && !(strings.Contains(plain, `"age":52`) && strings.Contains(plain, `"job":"`)) {
			t.Errorf("%s with tool_choice %s: %s", tc.path, tc.choice, body)
		}
	}
}

// paired wants the model to have read each result under the id of the call that it is
// for, whether or not the package sends ids. Only the weather in Oslo is once left
// unanswered.
func paired(t *testing.T, requests []*fake.Request) {
	t.Helper()
	says := map[string]string{"Brno": "21 degrees", "Oslo": "5 degrees", "todo.txt": "call Anna", "notes.md": "Buy milk"}
	results := 0
	for _, r := range requests {
		open := map[string]string{} // arguments by id
		for _, m := range r.Messages {
			for _, c := range m.ToolCalls {
				open[c.ID] = string(c.Arguments)
			}
			if m.Role != loci.ToolRole {
				continue
			}
			arguments, ok := open[m.ToolCallID]
			delete(open, m.ToolCallID)
			results++
			for about, want := range says {
				left := about == "Oslo" && strings.Contains(m.Content, "stopped before this ran")
				if !ok || strings.Contains(arguments, about) && !strings.Contains(m.Content, want) && !left {
					t.Errorf("the model reads %q as the result of %q (%q)", m.Content, m.ToolCallID, arguments)
				}
			}
		}
		if len(open) > 0 {
			t.Errorf("the model reads no result of %v", open)
		}
	}
	if results < 100 {
		t.Errorf("the model was sent only %d results", results)
	}
}

// withTools is the model of test/clients/tools.py: it calls what the newest
// question needs, and answers from the results that are there once it has
// called.
func withTools(r *fake.Request, tier loci.Tier) (fake.Reply, bool) {
	question, after := newest(r.Messages, "What should I buy", "what should I buy", "the weather in", "my phone")
	if question == "" {
		return fake.Reply{}, false
	}
	var calls []loci.ToolCall
	var says []string
	called := slices.ContainsFunc(after, func(m loci.Message) bool { return m.Role == loci.Assistant })
	results := fmt.Sprint(after)
	want := func(asked, result, says1, tool, arguments string) {
		switch {
		case !strings.Contains(question, asked):
		case strings.Contains(results, result):
			says = append(says, says1)
		case !called:
			calls = append(calls, loci.ToolCall{
				ID: fmt.Sprintf("call_%d", len(calls)+1), Name: tool, Arguments: json.RawMessage(arguments),
			})
		}
	}
	want("Brno", "21 degrees", "Brno: 21 degrees.", "get_weather", `{"city":"Brno"}`)
	want("Oslo", "5 degrees", "Oslo: 5 degrees.", "get_weather", `{"city":"Oslo"}`)
	want("should I buy", "Buy milk and bread", "You should buy milk.", "read_file", `{"path":"notes.md"}`)
	want("my phone", "call Anna", "Your phone says: call Anna.", namesake(r), `{"path":"todo.txt"}`)
	reply := fake.Reply{Text: strings.Join(says, " ")}
	if len(calls) == 0 {
		return reply, true
	}
	if reply.Text = ""; tier == loci.TierNative {
		reply.Calls = calls
		return reply, true
	}
	for _, c := range calls {
		var arguments map[string]string
		_ = json.Unmarshal(c.Arguments, &arguments)
		for name, value := range arguments { // there is only one
			reply.Text += fmt.Sprintf("<tool>%s(%s=%q)</tool>\n", c.Name, name, value)
		}
	}
	return reply, true
}

// newest finds the newest message of the person, by what it asks, and what came
// after it.
func newest(messages []loci.Message, asks ...string) (question string, after []loci.Message) {
	for i, m := range slices.Backward(messages) {
		if m.Role == loci.User && slices.ContainsFunc(asks, func(a string) bool { return strings.Contains(m.Content, a) }) {
			return m.Content, messages[i+1:]
		}
	}
	return "", nil
}

var offered = regexp.MustCompile(`(?m)^(\w+)\([^)]*\): .*on the phone`)

// namesake is what the model knows the client's read_file by, which cannot be
// the name of ours: it tells the two apart by what they do.
func namesake(r *fake.Request) string {
	for _, t := range r.Tools {
		if strings.Contains(t.Description, "on the phone") {
			return t.Name
		}
	}
	for _, m := range r.Messages {
		if found := offered.FindStringSubmatch(m.Content); found != nil {
			return found[1]
		}
	}
	return "nothing_like_it"
}
