package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"loci"
)

// pick is a call of the client's tool.
func pick(city string) loci.ToolCall { return call("pick", fmt.Sprintf(`{"city":%q}`, city)) }

// shows has the client send back the calls that it was handed last in its own way,
// and gives them.
func (c *toolUser) shows(way func(i int, call *loci.ToolCall)) []loci.ToolCall {
	m := &c.history[len(c.history)-1]
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range m.ToolCalls {
		way(i, &m.ToolCalls[i])
	}
	return m.ToolCalls
}

// ways are how clients send calls back. The doors make ids of positions where there
// are none.
var ways = map[string]func(i int, call *loci.ToolCall){
	"as they are": func(int, *loci.ToolCall) {},
	"without ids": func(i int, c *loci.ToolCall) { c.ID = fmt.Sprintf("call_1_%d", i) },
	"with other ids and spaces": func(i int, c *loci.ToolCall) {
		c.ID, c.Arguments = fmt.Sprint("chatcmpl-", 9-i), json.RawMessage(strings.ReplaceAll(string(c.Arguments), ":", " : "))
	},
}

// rounds gives what a model reads of calls and their results: each result by the
// arguments of its call. It wants every call answered once, in a form that servers take.
func rounds(t *testing.T, messages []loci.Message) map[string]string {
	t.Helper()
	read := map[string]string{}
	open := map[string]loci.ToolCall{}
	for _, m := range messages {
		switch {
		case m.Role == loci.ToolRole:
			c, ok := open[m.ToolCallID]
			if !ok || c.Name != m.ToolName {
				t.Errorf("the model reads a result of no call: %+v", m)
			}
			delete(open, m.ToolCallID)
			read[c.Name+string(c.Arguments)] = m.Content
		case len(open) > 0:
			t.Errorf("the model reads %+v before the results of %v", m, open)
		}
		for _, c := range m.ToolCalls {
			open[c.ID] = c
		}
	}
	return read
}

// result is what the client sends for a call: the city that it was asked about, or
// a number.
func result(c loci.ToolCall) loci.Message {
	return loci.Message{Role: loci.ToolRole, ToolCallID: c.ID, ToolName: c.Name, Content: "of " + c.Name + string(c.Arguments)}
}

// TestClientIDs gives the results of the client's tools to the calls that they are
// for, whatever ids the client gives them.
func TestClientIDs(t *testing.T) {
	named := call("client_read_file", `{"city":"x"}`)
	for name, calls := range map[string][]any{
		"one":                 {pick("Oslo")},
		"two of one tool":     {pick("Oslo"), pick("Brno")},
		"two of two":          {pick("Oslo"), call("drop", `{"city":"Oslo"}`)},
		"the same twice":      {pick("Oslo"), pick("Oslo")},
		"mixed with ours":     {call("read_file", `{"path":"notes.md"}`), pick("Oslo"), call("list_dir", `{}`), pick("Brno")},
		"named like ours":     {call("read_file", `{"path":"notes.md"}`), named, pick("Oslo")},
		"with ids of servers": {loci.ToolCall{ID: "call_1", Name: "pick", Arguments: json.RawMessage(`{"city":"Oslo"}`)}, loci.ToolCall{ID: "call_2", Name: "pick", Arguments: json.RawMessage(`{"city":"Brno"}`)}},
	} {
		for way, change := range ways {
			for _, backwards := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s backwards %v", name, way, backwards), func(t *testing.T) {
					w := newWorld(t, loci.TierNative, calls, "Done.", "Yes.")
					c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("pick", "Picks."), clientTool("drop", "Drops."), clientTool("read_file", "Reads.")}}
					first := c.say("Pick!")
					var results []loci.Message
					for _, call := range c.shows(change) {
						results = append(results, result(call))
					}
					if backwards {
						slices.Reverse(results)
					}
					if o := c.send(results...); o.text != "Done." || o.session != first.session {
						t.Errorf("%+v", o)
					}
					read := rounds(t, w.model.requests[1].Messages)
					for _, handed := range first.finished.Calls {
						name := strings.Replace(handed.Name, "read_file", "client_read_file", 1)
						got := strings.NewReplacer(`\`, "", " ", "").Replace(read[name+string(handed.Arguments)])
						if !strings.Contains(got, "of"+handed.Name+string(handed.Arguments)) {
							t.Errorf("the call %s%s reads %q", name, handed.Arguments, got)
						}
					}
					if o := c.say("Sure?"); o.text != "Yes." || o.session != first.session {
						t.Errorf("%+v", o)
					}
					extends(t, w.model.requests[1].Messages, w.model.requests[2].Messages)
				})
			}
		}
	}
}

// TestMessageAfterResults sends the results together with a message, so that they are
// part of the history.
func TestMessageAfterResults(t *testing.T) {
	for way, change := range ways {
		w := newWorld(t, loci.TierNative, []any{call("list_dir", `{}`), pick("Oslo"), pick("Brno")}, "Done.")
		c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("pick", "Picks.")}}
		first := c.say("Pick!")
		shown := c.shows(change)
		c.history = append(c.history, result(shown[1]), result(shown[0]))
		if o := c.say("And be short."); o.text != "Done." || o.session != first.session {
			t.Errorf("%s: %+v", way, o)
		}
		read := rounds(t, w.model.requests[1].Messages)
		for _, city := range []string{"Oslo", "Brno"} {
			if got := read[fmt.Sprintf(`pick{"city":%q}`, city)]; !strings.Contains(got, city) {
				t.Errorf("%s: the call about %s reads %q", way, city, got)
			}
		}
	}
}

// TestResultsOfNoCall has the model read them as text: a server takes no other form.
func TestResultsOfNoCall(t *testing.T) {
	stray := loci.Message{Role: loci.ToolRole, ToolCallID: "call_x", ToolName: "pick", Content: "from nowhere"}
	for name, more := range map[string]func(r loci.Message) []loci.Message{
		"twice":  func(r loci.Message) []loci.Message { return []loci.Message{r, r} },
		"before": func(r loci.Message) []loci.Message { return []loci.Message{stray, r} },
		"after":  func(r loci.Message) []loci.Message { return []loci.Message{r, stray} },
	} {
		w := newWorld(t, loci.TierNative, pick("Oslo"), "Done.", "Yes.")
		c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("pick", "Picks.")}}
		first := c.say("Pick!")
		if o := c.send(more(result(first.finished.Calls[0]))...); o.text != "Done." {
			t.Errorf("%s: %+v", name, o)
		}
		messages := w.model.requests[1].Messages
		if got := rounds(t, messages)[`pick{"city":"Oslo"}`]; !strings.Contains(got, "of pick") {
			t.Errorf("%s: the call reads %q", name, got)
		}
		if last := messages[len(messages)-1]; last.Role != loci.User || !strings.Contains(last.Content, "<tool_output>") {
			t.Errorf("%s: the model reads %+v last", name, last)
		}
		if o := c.say("Sure?"); o.session != first.session {
			t.Errorf("%s: it goes on elsewhere", name)
		}
		extends(t, messages, w.model.requests[2].Messages)
	}
}

// TestSamePromptOften runs the same prompt often, and gives the results when all have
// run: by ids in any order. Without them there is nothing to tell the runs apart but
// what they call.
func TestSamePromptOften(t *testing.T) {
	const runs = 12
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
		for way, change := range ways {
			t.Run(fmt.Sprintf("%s %s", tier, way), func(t *testing.T) {
				w := newWorld(t, tier)
				for i := range runs {
					if tier == loci.TierText {
						w.model.replies = append(w.model.replies, fmt.Sprintf(`<tool>pick(city="run %d")</tool>`, i))
					} else {
						w.model.replies = append(w.model.replies, pick(fmt.Sprint("run ", i)))
					}
				}
				var users []*toolUser
				var sessions []string
				for range runs {
					c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("pick", "Picks.")}}
					sessions = append(sessions, c.say("Pick!").session)
					users = append(users, c)
				}
				for i, c := range users {
					call := c.shows(change)[0]
					if o := c.send(result(call)); o.session != sessions[i] {
						t.Errorf("run %d went to another session", i)
					}
				}
			})
		}
	}
}

// TestSamePromptSameCalls runs the same prompt with the same calls again and again,
// for a client without ids: results go to the newest run that waits for some.
func TestSamePromptSameCalls(t *testing.T) {
	w := newWorld(t, loci.TierNative, pick("Oslo"), pick("Oslo"), pick("Brno"), "Two.", "One.", "One again.")
	sessions := map[string]int{}
	var users []*toolUser
	for i := range 3 {
		c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("pick", "Picks.")}}
		sessions[c.say("Pick!").session] = i
		c.shows(ways["without ids"])
		users = append(users, c)
	}
	again := *users[0]
	again.history = slices.Clone(users[0].history)
	for i, want := range []int{1, 0} {
		c := users[i]
		o := c.send(result(c.history[len(c.history)-1].ToolCalls[0]))
		if got, ok := sessions[o.session]; !ok || got != want {
			t.Errorf("the results went to run %d, want %d", got, want)
		}
	}
	// Sent again, they are for one that has an answer already.
	if o := again.send(result(again.history[len(again.history)-1].ToolCalls[0])); sessions[o.session] != 1 {
		t.Errorf("a reply made anew went to run %d of %v", sessions[o.session], sessions)
	}
}
